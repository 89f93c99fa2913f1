/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videoequalize
 * @title: videoequalize
 * @short_description: corrects brightness and contrast of video by its
 * histogram
 *
 * Computes a curve from the luma histogram of each frame, smoothed over time,
 * and applies it to the frame. Details become visible in pictures that are too
 * dark, too bright or low in contrast. No frame is delayed or dropped.
 *
 * After a `videohistogram`, the element uses its histogram and does not count
 * again. It corrects writable frames in place and others in a copy. Frames stay
 * in the kind of memory that they came in, on the GPU or not.
 *
 * docs/videoequalize.md describes each method, with pictures.
 *
 * ## A camera, counted once for both elements
 * |[
 * gst-launch-1.0 v4l2src ! videohistogram ! videoequalize ! videoconvert !
 *     autovideosink
 * ]|
 *
 * ## Fog in a file, tile by tile
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/fog.mp4 ! videoequalize
 *     method=clahe tiles=8x8 clip-limit=3 strength=0.8 ! videoconvert !
 *     autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "gstvideoequalizeelement.h"
#include "propertyparse.h"
#include "propertytable.h"
#include "referencefile.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_equalize_debug);
#define GST_CAT_DEFAULT video_equalize_debug

struct _GstVideoEqualizeElement
{
  VhEffect parent;

  /* properties, protected by the object lock */
  GstVideoEqualizerSettings settings;
  gchar *tiles;                 /* as set */
  gchar *roi;                   /* as set */
  gchar *reference_file;        /* as set */
  GstVideoHistogram *reference; /* from that file, NULL before PAUSED */
  guint64 counted_before;       /* when the element last left READY */
  gboolean reference_changed;   /* since the equalizer last got it */
  gboolean started;             /* start() was called, and stop() not yet */

  /* streaming thread */
  GstVideoEqualizeMethod method;        /* in the equalizer's settings */
  gboolean has_range;           /* low-percentile is below high-percentile
                                 * there */
  gboolean has_reference;       /* in the equalizer */
};

G_DEFINE_TYPE (GstVideoEqualizeElement, gst_video_equalize_element,
    VH_TYPE_EFFECT);
GST_ELEMENT_REGISTER_DEFINE (videoequalize, "videoequalize", GST_RANK_NONE,
    GST_TYPE_VIDEO_EQUALIZE_ELEMENT);

#define parent_class gst_video_equalize_element_parent_class
#define get_equalizer(self) ((GstVideoEqualizer *) VH_EFFECT (self)->object)

VH_DEFINE_EFFECT_METHODS (equalizer_methods, gst_video_equalizer);

/* Settings */

static void
gst_video_equalize_element_apply (VhEffect * effect)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (effect);
  GstVideoHistogram *reference = NULL;
  GstVideoEqualizerSettings settings;
  gboolean settings_changed, reference_changed;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  settings_changed = effect->settings_changed;
  reference_changed = self->reference_changed;
  if (reference_changed && self->reference)
    reference = gst_video_histogram_ref (self->reference);
  effect->settings_changed = self->reference_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (settings_changed) {
    gst_video_equalizer_set_settings (effect->object, &settings, NULL);
    self->method = settings.method;
    self->has_range = settings.low_percentile < settings.high_percentile;
  }
  if (reference_changed) {
    self->has_reference = gst_video_equalizer_set_reference (effect->object,
        reference, NULL) && reference != NULL;
    gst_clear_video_histogram (&reference);
  }
}

static gboolean
gst_video_equalize_element_is_idle (VhEffect * effect)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (effect);
  gboolean idle;

  GST_OBJECT_LOCK (self);
  idle = self->settings.method == GST_VIDEO_EQUALIZE_METHOD_NONE
      || self->settings.strength <= 0;
  GST_OBJECT_UNLOCK (self);
  return idle;
}

/* Loads the reference from @file, or removes it if that is empty. */
static gboolean
load_reference (GstVideoEqualizeElement * self, const gchar * file,
    GError ** error)
{
  GstVideoHistogram *reference = NULL, *old;

  if (*file) {
    reference = vh_reference_file_load (file, error);
    if (!reference)
      return FALSE;
  }
  GST_OBJECT_LOCK (self);
  old = self->reference;
  self->reference = reference;
  self->reference_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_clear_video_histogram (&old);
  return TRUE;
}

/* Frames */

static gboolean
gst_video_equalize_element_configure (VhEffect * effect, GstCaps * caps,
    GError ** error)
{
  return gst_video_equalizer_configure (effect->object, caps, error);
}

static const gchar *
gst_video_equalize_element_find_fault (VhEffect * effect, VhFault * fault)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (effect);

  if (self->method == GST_VIDEO_EQUALIZE_METHOD_STRETCH && !self->has_range) {
    *fault = VH_FAULT_SETTING;
    return "method=stretch needs a low-percentile below high-percentile";
  }
  if (self->method != GST_VIDEO_EQUALIZE_METHOD_MATCH || self->has_reference)
    return NULL;
  *fault = VH_FAULT_REFERENCE;
  return "set the property reference to a picture or a stored histogram";
}

/* Passes on downstream's answer, because frames leave in the memory that they
 * came in, and adds the request for their histogram. */
static gboolean
gst_video_equalize_element_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  gboolean answered;

  answered = GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
      decide_query, query);
  if (gst_base_transform_is_passthrough (trans))
    return answered;
  if (!gst_query_find_allocation_meta (query,
          GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_HISTOGRAM_META_API_TYPE,
        NULL);
  return TRUE;
}

/* States */

static gboolean
gst_video_equalize_element_start (GstBaseTransform * trans)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (trans);
  const guint64 counted =
      gst_video_equalizer_get_counted (get_equalizer (self));
  GError *error = NULL;
  gchar *file;

  GST_OBJECT_LOCK (self);
  file = g_strdup (self->reference_file);
  self->counted_before = counted;
  self->reference_changed = TRUE;
  self->started = TRUE;
  GST_OBJECT_UNLOCK (self);

  if (!load_reference (self, file, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot read the reference: %s.", error->message), (NULL));
    g_error_free (error);
    g_free (file);
    return FALSE;
  }
  g_free (file);
  vh_effect_update_passthrough (VH_EFFECT (self));
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
gst_video_equalize_element_stop (GstBaseTransform * trans)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (trans);

  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

/* Properties */

/* From PAUSED on, reads the file at once. If it cannot be read, the property is
 * not set. */
static void
set_reference (gpointer object, const VhProperty * property,
    const GValue * value)
{
  GstVideoEqualizeElement *self = object;
  const gchar *file = g_value_get_string (value);
  GError *error = NULL;
  gboolean started;

  GST_OBJECT_LOCK (self);
  started = self->started;
  GST_OBJECT_UNLOCK (self);

  if (started && !load_reference (self, file ? file : "", &error)) {
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ,
        ("Cannot read the new reference, keeping the old one: %s.",
            error->message), (NULL));
    g_error_free (error);
    return;
  }
  vh_property_store (self, property, value);
}

static void
get_counted (gpointer object, GValue * value)
{
  GstVideoEqualizeElement *self = object;
  const guint64 counted =
      gst_video_equalizer_get_counted (get_equalizer (self));

  GST_OBJECT_LOCK (self);
  g_value_set_uint64 (value, counted - self->counted_before);
  GST_OBJECT_UNLOCK (self);
}

static void
set_defaults (gpointer object)
{
  GstVideoEqualizeElement *self = object;

  gst_video_equalizer_settings_init (&self->settings);
  self->tiles = g_strdup_printf ("%ux%u", self->settings.tile_columns,
      self->settings.tile_rows);
}

#define FIELD(field) VH_FIELD (GstVideoEqualizeElement, field)
#define SETTING(field) FIELD (settings.field), \
    .changed = vh_effect_note_settings
#define CHOICE(field, type) G_TYPE_ENUM, type, SETTING (field)
#define NUMBER(field, low, high) G_TYPE_DOUBLE, SETTING (field), \
    .minimum = low, .maximum = high
#define TEXT(field) FIELD (field), .changed = vh_effect_note_settings, \
    .parsed = G_STRUCT_OFFSET (GstVideoEqualizeElement, settings)
#define CONTROL .flags = GST_PARAM_CONTROLLABLE

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  {"method", "Method",
      "How to compute the curve that corrects luma: none (off: frames pass "
      "untouched), equalize (use the whole range evenly), stretch (spread "
      "the levels between low-percentile and high-percentile over the whole "
      "range), gamma (move the median to target), match (give frames the "
      "histogram of reference), clahe (equalize in tiles with limited "
      "contrast, for local detail, as in fog)",
      CHOICE (method, gst_video_equalize_method_get_type), CONTROL},
  {"strength", "Strength",
      "How much of the correction to apply, from 0 (off: frames pass "
      "untouched) to 1 (all)",
      NUMBER (strength, 0, 1), CONTROL},
  {"low-percentile", "Low percentile",
      "For method=stretch: pixels below this percentile of luma, in percent, "
      "become black",
      NUMBER (low_percentile, 0, 100), CONTROL},
  /**
   * GstVideoEqualizeElement:high-percentile:
   *
   * For `stretch`: pixels above this percentile become white. Unless it is
   * above #GstVideoEqualizeElement:low-percentile, frames pass unchanged with a
   * warning.
   *
   * Since: 0.1
   */
  {"high-percentile", "High percentile",
      "For method=stretch: pixels above this percentile of luma, in percent, "
      "become white; it must be above low-percentile",
      NUMBER (high_percentile, 0, 100), CONTROL},
  /**
   * GstVideoEqualizeElement:max-gain:
   *
   * The greatest gain, which limits noise. With `stretch` it limits the gain of
   * contrast, with `gamma` the exponent and its inverse, and with all methods
   * the gain of U and V.
   *
   * Since: 0.1
   */
  {"max-gain", "Maximum gain",
      "Limits how much noise a correction amplifies: contrast rises at most "
      "by this factor with method=stretch, and color with all methods; with "
      "method=gamma, the exponent stays between 1/max-gain and max-gain",
      NUMBER (max_gain, 1, 100), CONTROL},
  {"target", "Target",
      "For method=gamma: level that the median of luma moves to, from 0 "
      "(black) to 1 (white)",
      NUMBER (target, 0, 1), CONTROL},
  /**
   * GstVideoEqualizeElement:clip-limit:
   *
   * For `clahe`: a bin of a tile is clipped at this many times the mean count
   * of the tile's bins, as in OpenCV, and what is cut off is divided among all
   * bins. A low limit gives little contrast and little noise; 0 is no limit.
   *
   * Since: 0.1
   */
  {"clip-limit", "Clip limit",
      "For method=clahe: limit of contrast, as in OpenCV: bins of a tile are "
      "clipped at this many times their mean count; lower is less contrast "
      "and less noise (0 = no limit)",
      NUMBER (clip_limit, 0, 1000), CONTROL},
  /**
   * GstVideoEqualizeElement:smoothing:
   *
   * Time constant in ns with which the correction follows the picture: after
   * this time it has made 63 percent of a change. 0 corrects each frame
   * separately; other times are at least %GST_VIDEO_HISTOGRAM_MIN_TIME.
   *
   * Since: 0.1
   */
  {"smoothing", "Smoothing",
      "How slowly the correction follows the picture, which avoids flicker: "
      "time constant in ns, 1000000 (1 ms) or more, after which 63 percent "
      "of a change is made (0 = off: each frame separately)",
      G_TYPE_UINT64, SETTING (smoothing),
      .maximum = GST_VIDEO_EQUALIZER_MAX_SMOOTHING, CONTROL},
  /**
   * GstVideoEqualizeElement:scene-threshold:
   *
   * How much the histogram of a frame must differ from the earlier ones for the
   * frame to get its own correction at once, without smoothing: it starts a new
   * scene, or is a flash. The difference is the earth mover's distance, as a
   * share of the code space: if a picture becomes lighter by a tenth of all
   * values, the distance is 0.1. With 1 no scenes are detected.
   *
   * Since: 0.1
   */
  {"scene-threshold", "Scene threshold",
      "A change of the luma histogram by more than this always starts a new "
      "scene, which is corrected at once, without smoothing; a smaller cut "
      "may do so, too. Earth mover's distance as a share of the code space "
      "(1 = off: smooth across scenes)",
      NUMBER (scene_threshold, 0, 1), CONTROL},
  /**
   * GstVideoEqualizeElement:reference:
   *
   * For `match`: the file, as a path or a file URI, with the histogram that
   * frames get. It is a picture, a video (its first frame is used), or the
   * output of `gst-launch-1.0 -m` with a videohistogram message that has counts
   * of luma. The element reads the file on the way from READY to PAUSED. If the
   * property is set later, the thread that sets it reads the file.
   *
   * Since: 0.1
   */
  {"reference", "Reference",
      "For method=match: path or file URI of the picture or video that "
      "frames are matched to, or of saved output of gst-launch-1.0 -m ... ! "
      "videohistogram ! ... (empty = none)",
      G_TYPE_STRING, FIELD (reference_file), .text = "", .set = set_reference},
  /**
   * GstVideoEqualizeElement:tiles:
   *
   * For `clahe`: the tiles, each with its own curve, as COLUMNSxROWS, each from
   * 1 to 32. Between the centres of tiles, the curves are interpolated.
   *
   * Since: 0.1
   */
  {"tiles", "Tiles",
      "For method=clahe: how many tiles the picture is divided into, each "
      "with its own curve, as COLUMNSxROWS, up to 32x32",
      G_TYPE_STRING, TEXT (tiles), .parse = vh_parse_tiles,
      .allowed = VH_TILES_ALLOWED},
  /**
   * GstVideoEqualizeElement:roi:
   *
   * The region to count and correct, as `X,Y,WIDTH,HEIGHT` in pixels of the
   * picture, for example the picture between the bars of a letterbox. All other
   * pixels stay as they are. The part of the region outside the picture is
   * ignored.
   *
   * Since: 0.2
   */
  {"roi", "Region of interest",
      "Region to count and correct, as X,Y,WIDTH,HEIGHT in pixels, such as "
      "0,60,640,360; the rest stays as it is (empty = the whole picture)",
      G_TYPE_STRING, TEXT (roi), .text = "", .parse = vh_parse_correction_roi,
      .allowed = VH_ROI_ALLOWED},
  /**
   * GstVideoEqualizeElement:color:
   *
   * How color follows luma. With `scale`, color becomes stronger as luma
   * becomes lighter and weaker as it becomes darker, as in real light, and
   * keeps its hue.
   *
   * Since: 0.1
   */
  {"color", "Color",
      "How color follows luma: scale (natural: saturation and hue stay), "
      "keep (U and V stay as they are), channels (apply the curve to R, G "
      "and B, which changes hues)",
      CHOICE (color, gst_video_equalize_color_get_type), CONTROL},
  /**
   * GstVideoEqualizeElement:counted:
   *
   * Frames since the element left READY that came without their histogram, so
   * the element had to count them. After a videohistogram that counts what the
   * method needs, this stays 0.
   *
   * Since: 0.1
   */
  {"counted", "Counted",
      "Frames that this element had to count because they came without a "
      "histogram that it can use",
      G_TYPE_UINT64, .flags = G_PARAM_READABLE, .get = get_counted},
  /**
   * GstVideoEqualizeElement:uncorrected:
   *
   * Frames since the element left READY that should have been corrected but
   * passed unchanged: the buffer does not hold the frame that its caps and
   * metas promise, the GPU failed, there is no reference, or
   * #GstVideoEqualizeElement:roi is outside the picture.
   *
   * Since: 0.1
   */
  {"uncorrected", "Uncorrected",
      "Frames that could not be corrected and passed unchanged; a warning "
      "says why",
      G_TYPE_UINT64, VH_FIELD (VhEffect, unprocessed),
      .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table =
VH_PROPERTY_TABLE (properties, set_defaults);

static void
gst_video_equalize_element_finalize (GObject * object)
{
  GstVideoEqualizeElement *self = GST_VIDEO_EQUALIZE_ELEMENT (object);

  gst_clear_video_histogram (&self->reference);
  vh_property_table_clear (&property_table, self);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_equalize_element_init (GstVideoEqualizeElement * self)
{
  vh_effect_set_object (VH_EFFECT (self), gst_video_equalizer_new ());
  vh_property_table_init (&property_table, self);
}

static void
gst_video_equalize_element_class_init (GstVideoEqualizeElementClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhEffectClass *effect_class = VH_EFFECT_CLASS (klass);

  /* With this prefix, GST_DEBUG=videohistogram* covers this element, too. */
  GST_DEBUG_CATEGORY_INIT (video_equalize_debug, "videohistogram-equalize", 0,
      "videoequalize element");

  G_OBJECT_CLASS (klass)->finalize = gst_video_equalize_element_finalize;
  vh_property_table_install (&property_table, klass);

  gst_element_class_set_static_metadata (element_class, "Video equalizer",
      "Filter/Effect/Video",
      "Corrects brightness and contrast of video by its histogram, on the GPU "
      "or the CPU",
      "The gst-videohistogram developers");

  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_video_equalize_element_propose_allocation);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_video_equalize_element_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_equalize_element_stop);

  effect_class->category = video_equalize_debug;
  effect_class->methods = &equalizer_methods;
  effect_class->fault_texts[VH_FAULT_FRAME] =
      "Frames that do not match their caps pass unchanged";
  effect_class->fault_texts[VH_FAULT_DEVICE] =
      "Frames pass unchanged because the device cannot correct them";
  effect_class->fault_texts[VH_FAULT_SETTING] = "Frames pass unchanged";
  effect_class->fault_texts[VH_FAULT_REFERENCE] =
      "Frames pass unchanged because method=match has no reference";
  effect_class->asks_upstream = TRUE;
  effect_class->is_idle =
      GST_DEBUG_FUNCPTR (gst_video_equalize_element_is_idle);
  effect_class->apply = GST_DEBUG_FUNCPTR (gst_video_equalize_element_apply);
  effect_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_equalize_element_configure);
  effect_class->find_fault =
      GST_DEBUG_FUNCPTR (gst_video_equalize_element_find_fault);
}
