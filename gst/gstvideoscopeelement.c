/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videoscope
 * @title: videoscope
 * @short_description: draws histogram, waveform, parade, vectorscope, false
 * color and zebra into video
 *
 * Counts every pixel of each frame, at the depth of its format, and draws the
 * counts over the picture, beside it, or alone. No frame is delayed or dropped.
 * The element draws on writable frames in place and on others in a copy. Frames
 * stay in the kind of memory that they came in, on the GPU or not.
 *
 * docs/videoscope.md describes each scope, with pictures.
 *
 * ## A camera with its scopes
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! video/x-raw,format=NV12 !
 *     videoscope ! videoconvert ! autovideosink
 * ]|
 *
 * ## The RGB parade of a file, alone, in 1280x720
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/film.mp4 ! videoscope
 *     scopes=parade layout=only ! video/x-raw,width=1280,height=720 !
 *     videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.2
 */
#include "gstvideoscopeelement.h"
#include "propertytable.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_scope_element_debug);
#define GST_CAT_DEFAULT video_scope_element_debug

struct _GstVideoScopeElement
{
  VhEffect parent;

  /* properties, protected by the object lock */
  GstVideoScopeSettings settings;
  gchar *lines;                 /* as set */
  gchar *false_color_table;     /* as set */

  /* by how many pixels the output is larger than the input, protected by the
   * object lock */
  gint across, down;
  gint width, height;           /* of the input, protected by the object lock */

  /* streaming thread */
  GstVideoScopeLayout layout;   /* in the scope's settings */
  gboolean same_size;           /* the output has the size of the input */
};

G_DEFINE_TYPE (GstVideoScopeElement, gst_video_scope_element,
    VH_TYPE_EFFECT);
GST_ELEMENT_REGISTER_DEFINE (videoscope, "videoscope", GST_RANK_NONE,
    GST_TYPE_VIDEO_SCOPE_ELEMENT);

#define parent_class gst_video_scope_element_parent_class
#define get_scope(self) ((GstVideoScope *) VH_EFFECT (self)->object)

VH_DEFINE_EFFECT_METHODS (scope_methods, gst_video_scope);

/* Settings */

static GstVideoScopeSettings
get_settings (GstVideoScopeElement * self)
{
  GstVideoScopeSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static void
update_in_place (GstVideoScopeElement * self)
{
  VH_EFFECT (self)->in_place = self->same_size
      && self->layout != GST_VIDEO_SCOPE_LAYOUT_ONLY;
}

static void
gst_video_scope_element_apply (VhEffect * effect)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (effect);
  GstVideoScopeSettings settings;
  gboolean changed;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  changed = effect->settings_changed;
  effect->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (changed) {
    gst_video_scope_set_settings (effect->object, &settings, NULL);
    self->layout = settings.layout;
    update_in_place (self);
  }
}

static gboolean
gst_video_scope_element_is_idle (VhEffect * effect)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (effect);
  const GstVideoScopeSettings settings = get_settings (self);

  return self->same_size && settings.scopes == GST_VIDEO_SCOPES_NONE
      && settings.layout == GST_VIDEO_SCOPE_LAYOUT_OVERLAY;
}

/* Caps */

static gboolean
is_left (GstVideoScopePosition position)
{
  return position == GST_VIDEO_SCOPE_POSITION_TOP_LEFT
      || position == GST_VIDEO_SCOPE_POSITION_LEFT
      || position == GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT;
}

/* Finds where the picture is in the output. If scopes are to its left or above
 * it, it is as far from that edge as the output is larger than the input.
 * Called with the object lock. */
static void
find_picture (GstVideoScopeElement * self, gint * x, gint * y)
{
  const GstVideoScopeSettings *settings = &self->settings;

  *x = *y = 0;
  if (settings->layout != GST_VIDEO_SCOPE_LAYOUT_BESIDE || self->across < 0
      || self->down < 0)
    return;
  if (is_left (settings->position))
    *x = self->across;
  if (settings->position == GST_VIDEO_SCOPE_POSITION_TOP)
    *y = self->down;
}

static gboolean
gst_video_scope_element_configure (VhEffect * effect, GstCaps * caps,
    GError ** error)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (effect);
  GstCaps *src_caps =
      vh_base_transform_get_src_caps (VH_BASE_TRANSFORM (effect));
  GstVideoInfo in, out;

  if (!gst_video_scope_configure (effect->object, caps, src_caps, error))
    return FALSE;
  /* The scope has accepted both. */
  gst_video_info_from_caps (&in, caps);
  gst_video_info_from_caps (&out, src_caps);
  self->same_size = in.width == out.width && in.height == out.height;
  update_in_place (self);
  GST_OBJECT_LOCK (self);
  self->width = in.width;
  self->height = in.height;
  self->across = out.width - in.width;
  self->down = out.height - in.height;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* Appends @structure, from the other pad's caps, with any size. */
static void
append_any_size (GstCaps * to, const GstStructure * structure,
    const GstCapsFeatures * features)
{
  GstStructure *any = gst_structure_copy (structure);

  gst_structure_set (any, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
      GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  gst_caps_append_structure_full (to, any, gst_caps_features_copy (features));
}

/* Appends the output for input of @structure: with room beside the picture, or,
 * if downstream does not accept that size, with the size of the input. */
static void
append_beside (GstCaps * to, const GstStructure * structure,
    const GstCapsFeatures * features, const GstVideoScopeSettings * settings)
{
  GstStructure *grown = gst_structure_copy (structure);
  gint width, height;

  if (!gst_structure_get_int (grown, "width", &width)
      || !gst_structure_get_int (grown, "height", &height) || width < 1
      || height < 1) {
    gst_structure_free (grown);
    append_any_size (to, structure, features);
    return;
  }
  gst_video_scope_settings_get_output_size (settings, width, height, &width,
      &height);
  gst_structure_set (grown, "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, NULL);
  gst_caps_append_structure_full (to, grown, gst_caps_features_copy (features));
  gst_caps_append_structure_full (to, gst_structure_copy (structure),
      gst_caps_features_copy (features));
}

/* Returns @caps with the sizes that the layout allows on the other pad. Scopes
 * alone have square pixels. */
static GstCaps *
resize (GstCaps * caps, GstPadDirection direction,
    const GstVideoScopeSettings * settings)
{
  GstCaps *resized = gst_caps_new_empty ();
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_caps_get_structure (caps, i);
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);

    if (settings->layout == GST_VIDEO_SCOPE_LAYOUT_BESIDE
        && direction == GST_PAD_SINK) {
      append_beside (resized, structure, features, settings);
      continue;
    }
    append_any_size (resized, structure, features);
    if (settings->layout == GST_VIDEO_SCOPE_LAYOUT_ONLY) {
      structure = gst_caps_get_structure (resized,
          gst_caps_get_size (resized) - 1);
      gst_structure_remove_field (structure, "pixel-aspect-ratio");
      if (direction == GST_PAD_SINK)
        gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION,
            1, 1, NULL);
    }
  }
  return resized;
}

static GstCaps *
gst_video_scope_element_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  const GstVideoScopeSettings settings =
      get_settings (GST_VIDEO_SCOPE_ELEMENT (trans));
  GstCaps *result;

  result = GST_BASE_TRANSFORM_CLASS (parent_class)->transform_caps (trans,
      direction, caps, NULL);
  if (settings.layout != GST_VIDEO_SCOPE_LAYOUT_OVERLAY)
    gst_caps_take (&result, resize (result, direction, &settings));
  if (filter) {
    gst_caps_take (&result, gst_caps_intersect_full (filter, result,
            GST_CAPS_INTERSECT_FIRST));
  }
  return result;
}

/* Fixates to the size of the input, if downstream accepts any size. */
static GstCaps *
gst_video_scope_element_fixate_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * othercaps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint width, height;

  (void) trans;
  (void) direction;
  othercaps = gst_caps_make_writable (gst_caps_truncate (othercaps));
  if (!gst_caps_is_empty (othercaps)
      && gst_structure_get_int (structure, "width", &width)
      && gst_structure_get_int (structure, "height", &height)) {
    GstStructure *other = gst_caps_get_structure (othercaps, 0);

    gst_structure_fixate_field_nearest_int (other, "width", width);
    gst_structure_fixate_field_nearest_int (other, "height", height);
  }
  return gst_caps_fixate (othercaps);
}

/* Frames */

/* A new frame gets no metas about the crop of the picture, nor, if the size
 * changes, about its size. */
static gboolean
gst_video_scope_element_transform_meta (GstBaseTransform * trans,
    GstBuffer * out, GstMeta * meta, GstBuffer * in)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (trans);
  const GType api = meta->info->api;

  if (api == GST_VIDEO_CROP_META_API_TYPE
      || !GST_BASE_TRANSFORM_CLASS (parent_class)->transform_meta (trans, out,
          meta, in))
    return FALSE;
  return self->same_size || !gst_meta_api_type_has_tag (api,
      g_quark_from_static_string (GST_META_TAG_VIDEO_SIZE_STR));
}

/* Takes @in, which could not be drawn on. Returns the frame to push instead,
 * which is @in itself or, if the output has another size, a black frame; NULL
 * if that cannot be allocated. */
static GstBuffer *
gst_video_scope_element_replace (VhEffect * effect, GstBuffer * in)
{
  GstBuffer *out;

  if (GST_VIDEO_SCOPE_ELEMENT (effect)->same_size)
    return in;
  out = vh_frame_pool_new_frame (&effect->pool, in);
  if (out && !gst_video_scope_blank (effect->object, out, NULL))
    gst_clear_buffer (&out);
  gst_buffer_unref (in);
  return out;
}

/* Events and queries */

/* Upstream knows only the picture: translates the coordinates of navigation
 * events, and drops events outside the picture. */
static gboolean
gst_video_scope_element_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (trans);
  gint picture_x, picture_y;
  gboolean outside;
  gdouble x, y;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      && gst_navigation_event_get_coordinates (event, &x, &y)) {
    GST_OBJECT_LOCK (self);
    find_picture (self, &picture_x, &picture_y);
    outside = (self->across > 0 || self->down > 0)
        && self->settings.layout == GST_VIDEO_SCOPE_LAYOUT_BESIDE
        && (x < picture_x || y < picture_y || x >= picture_x + self->width
        || y >= picture_y + self->height);
    GST_OBJECT_UNLOCK (self);
    if (outside) {
      GST_DEBUG_OBJECT (self, "dropping event outside the picture: %"
          GST_PTR_FORMAT, event);
      gst_event_unref (event);
      return TRUE;
    }
    event = gst_event_make_writable (event);
    gst_navigation_event_set_coordinates (event, x - picture_x, y - picture_y);
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

/* Passes on downstream's answer if frames leave in the memory that they came
 * in. */
static gboolean
gst_video_scope_element_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  const GstVideoScopeSettings settings =
      get_settings (GST_VIDEO_SCOPE_ELEMENT (trans));

  if (settings.layout == GST_VIDEO_SCOPE_LAYOUT_OVERLAY)
    return GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
        decide_query, query);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Properties */

/* Whether the output may have another size with @b than with @a. */
static gboolean
resizes (const GstVideoScopeSettings * a, const GstVideoScopeSettings * b)
{
  if (a->layout != b->layout)
    return TRUE;
  return b->layout == GST_VIDEO_SCOPE_LAYOUT_BESIDE
      && (a->size != b->size || a->position != b->position);
}

static void
set_shape (gpointer object, const VhProperty * property, const GValue * value)
{
  GstVideoScopeElement *self = object;
  const GstVideoScopeSettings before = get_settings (self);
  GstVideoScopeSettings after;

  vh_property_store (self, property, value);
  after = get_settings (self);
  if (resizes (&before, &after))
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

/* Reads levels that are separated by commas. */
static gboolean
parse_lines (const gchar * text, gdouble lines[GST_VIDEO_SCOPE_MAX_LINES],
    guint * n_lines)
{
  gchar *end;
  guint n = 0;

  while (*text) {
    if (n == GST_VIDEO_SCOPE_MAX_LINES)
      return FALSE;
    lines[n++] = g_ascii_strtod (text, &end);
    if (end == text)
      return FALSE;
    text = end + strspn (end, " ");
    if (*text && *text != ',')
      return FALSE;
    if (*text && !*++text)
      return FALSE;
  }
  *n_lines = n;
  return TRUE;
}

static gboolean
apply_lines (gpointer object, const gchar * text, GError ** error)
{
  gdouble lines[GST_VIDEO_SCOPE_MAX_LINES];
  guint n_lines;

  (void) error;
  return parse_lines (text, lines, &n_lines)
      && gst_video_scope_set_lines (get_scope (object), lines, n_lines, NULL);
}

/* The property is a table, or the name of a file with one. */
static void
set_false_color_table (gpointer object, const VhProperty * property,
    const GValue * value)
{
  GstVideoScopeElement *self = object;
  const gchar *text = g_value_get_string (value);
  gchar *content = NULL;
  GError *error = NULL;

  if (!text)
    text = "";
  if (!g_file_test (text, G_FILE_TEST_EXISTS))
    content = g_strdup (text);
  if ((content || g_file_get_contents (text, &content, NULL, &error))
      && gst_video_scope_set_false_color_table (get_scope (self), content,
          &error)) {
    vh_property_store (self, property, value);
  } else {
    g_warning ("%s: false-color-table=%s was not set: %s. It must be bands of "
        "luma, such as \"0 0.1 #0000ff; 0.9 1.1 #ff0000\" (0 is black, "
        "1 is white), or an existing file with one band per line",
        GST_OBJECT_NAME (self), text, error->message);
    g_error_free (error);
  }
  g_free (content);
}

static void
set_defaults (gpointer object)
{
  gst_video_scope_settings_init (&((GstVideoScopeElement *) object)->settings);
}

#define FIELD(field) VH_FIELD (GstVideoScopeElement, field)
#define SETTING(field) FIELD (settings.field), \
    .changed = vh_effect_note_settings
#define CHOICE(field, type) G_TYPE_ENUM, type, SETTING (field)
#define FLAGS(field, type) G_TYPE_FLAGS, type, SETTING (field)
#define NUMBER(field, low, high) G_TYPE_DOUBLE, SETTING (field), \
    .minimum = low, .maximum = high
#define TIME(field, high) G_TYPE_UINT64, SETTING (field), .maximum = high
/* Controllers must not set properties that may change the caps, and GStreamer
 * has no control binding for flags. */
#define CONTROL .flags = GST_PARAM_CONTROLLABLE

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  {"scopes", "Scopes",
      "What to draw, joined by +, such as waveform+vectorscope: histogram, "
      "waveform (levels of each column), parade (waveforms of three "
      "components side by side), vectorscope (U and V), false-color (a color "
      "for each band of luma), zebra (stripes on luma from zebra-low to "
      "zebra-high), none (off: frames pass untouched)",
      FLAGS (scopes, gst_video_scopes_get_type)},
  {"layout", "Layout",
      "Where to draw scopes: overlay (over the picture), beside (next to it, "
      "above or below; the video grows), only (instead of the picture)",
      CHOICE (layout, gst_video_scope_layout_get_type),
      .set = set_shape},
  {"position", "Position",
      "Where scopes are: a corner or edge of the picture; with "
      "layout=beside, a side of it",
      CHOICE (position, gst_video_scope_position_get_type), CONTROL,
      .set = set_shape},
  {"size", "Size",
      "Height of a row of scopes as a share of the picture's height, or "
      "width of a column as a share of its width; with layout=beside the "
      "video grows by it",
      NUMBER (size, 0.05, 1), CONTROL, .set = set_shape},
  {"opacity", "Opacity",
      "Opacity of the black behind scopes over the picture, from 0 "
      "(transparent) to 1 (opaque)",
      NUMBER (opacity, 0, 1), CONTROL},
  {"components", "Components",
      "Components that histograms and waveforms show: luma, rgb, yuv. The "
      "scope parade always shows three: Y, U and V for yuv, otherwise R, G "
      "and B",
      CHOICE (components, gst_video_scope_components_get_type), CONTROL},
  {"mode", "Mode",
      "How to arrange the components of a histogram or waveform: overlay (on "
      "top of each other), stack (one below another), parade (side by side)",
      CHOICE (mode, gst_video_scope_mode_get_type), CONTROL},
  {"intensity", "Intensity",
      "How bright to draw a count: auto (by its logarithm, so that a single "
      "pixel is visible), gain (in proportion to it), power (in proportion "
      "to a power of it)",
      CHOICE (intensity, gst_video_scope_intensity_get_type), CONTROL},
  {"gain", "Gain",
      "For intensity=gain and power: brightness of a level whose count is "
      "the mean of all levels (1 is full brightness)",
      NUMBER (gain, 0, 1e6), CONTROL},
  {"exponent", "Exponent",
      "For intensity=power: the exponent; lower values make rare levels "
      "brighter",
      NUMBER (exponent, 0.05, 1), CONTROL},
  {"persistence", "Persistence",
      "How long traces glow: time constant in ns, 1000000 (1 ms) or more, "
      "after which 37 percent of a count is left (0 = off: each frame "
      "separately)",
      TIME (persistence, GST_VIDEO_SCOPE_MAX_PERSISTENCE), CONTROL},
  {"envelope", "Envelope",
      "Outlines of traces to draw brightly, joined by +: none (off), instant "
      "(of this frame), peak (of all frames since the start or last seek)",
      FLAGS (envelope, gst_video_scope_envelope_get_type)},
  {"graticule", "Graticule",
      "Color of lines and numbers: none (off: the plot fills its panel), "
      "green, amber, white",
      CHOICE (graticule, gst_video_scope_graticule_get_type), CONTROL},
  {"scale", "Scale",
      "Unit of lines and numbers: code (code values of the format), percent, "
      "ire, mv (millivolts, 700 is white), nits (cd/m² of a display)",
      CHOICE (scale, gst_video_scope_scale_get_type), CONTROL},
  {"limits", "Limits",
      "Limits to mark with lines, joined by +: none (off), range (black and "
      "white of the caps), r103 (the tolerance of EBU R 103)",
      FLAGS (limits, gst_video_scope_limits_get_type)},
  {"targets", "Targets",
      "Targets for color bars in the vectorscope, joined by +: none (off), "
      "75 (75 percent bars), 100 (100 percent bars)",
      FLAGS (targets, gst_video_scope_targets_get_type)},
  {"skin-line", "Skin line",
      "Angle of the skin line in the vectorscope, in degrees "
      "counterclockwise from positive U; 123 is customary (0 = off)",
      NUMBER (skin_line, 0, 360), CONTROL},
  {"false-color", "False color",
      "Colors for scopes=false-color: arri (as in ARRI cameras), obs (as in "
      "OBS Studio's color monitor), cinezone (blue, green and red from dark "
      "to bright), table (the bands of false-color-table)",
      CHOICE (false_color, gst_video_scope_false_color_get_type), CONTROL},
  {"zebra-low", "Zebra low",
      "For scopes=zebra: lowest level of luma with stripes (0 is black, 1 is "
      "white)",
      NUMBER (zebra_low, -0.2, 1.2), CONTROL},
  {"zebra-high", "Zebra high",
      "For scopes=zebra: highest level of luma with stripes (0 is black, 1 "
      "is white)",
      NUMBER (zebra_high, -0.2, 1.2), CONTROL},
  {"lines", "Lines",
      "Your own lines in histograms and waveforms: up to 16 levels in the "
      "unit of scale, separated by commas, such as 16,235 (empty = none)",
      G_TYPE_STRING, FIELD (lines), .text = "", .apply = apply_lines,
      .allowed = "up to " G_STRINGIFY (GST_VIDEO_SCOPE_MAX_LINES) " numbers in "
      "the unit of scale, separated by commas, for example 16,235"},
  /**
   * GstVideoScopeElement:false-color-table:
   *
   * For `false-color=table`: bands of luma, from the lowest to the highest,
   * separated by semicolons. A band is `FROM TO #RRGGBB` or `FROM TO grey`,
   * where 0 is black and 1 is white. Or the name of a file with one band per
   * line. Luma between bands is shown in grey.
   *
   * Since: 0.2
   */
  {"false-color-table", "False color table",
      "For false-color=table: bands of luma from low to high, where 0 is "
      "black and 1 is white, such as \"0 0.1 #0000ff; 0.9 1.1 #ff0000\", or "
      "a file with one band per line (empty = none)",
      G_TYPE_STRING, FIELD (false_color_table), .text = "",
      .set = set_false_color_table},
  {"drawn", "Drawn",
      "Frames with scopes since the element was started",
      G_TYPE_UINT64, VH_FIELD (VhEffect, processed), .flags = G_PARAM_READABLE},
  /**
   * GstVideoScopeElement:undrawn:
   *
   * Frames since the element left READY that should have been drawn on but were
   * not: the buffer does not hold the frame that its caps and metas promise, or
   * the GPU failed. They pass as they came. If the output has another size,
   * they are replaced by black frames, or dropped if there is no memory even
   * for that, as after the loss of a GPU.
   *
   * Since: 0.2
   */
  {"undrawn", "Undrawn",
      "Frames that could not be drawn on; they passed as they came, or as "
      "black frames if the output has another size",
      G_TYPE_UINT64, VH_FIELD (VhEffect, unprocessed),
      .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table =
VH_PROPERTY_TABLE (properties, set_defaults);

static void
gst_video_scope_element_finalize (GObject * object)
{
  vh_property_table_clear (&property_table, object);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_scope_element_init (GstVideoScopeElement * self)
{
  vh_effect_set_object (VH_EFFECT (self), gst_video_scope_new ());
  vh_property_table_init (&property_table, self);
}

static void
gst_video_scope_element_class_init (GstVideoScopeElementClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhEffectClass *effect_class = VH_EFFECT_CLASS (klass);

  /* With this prefix, GST_DEBUG=videohistogram* covers this element, too. */
  GST_DEBUG_CATEGORY_INIT (video_scope_element_debug, "videohistogram-scope",
      0, "videoscope element");

  G_OBJECT_CLASS (klass)->finalize = gst_video_scope_element_finalize;
  vh_property_table_install (&property_table, klass);

  gst_element_class_set_static_metadata (element_class, "Video scope",
      "Filter/Analyzer/Video",
      "Draws histogram, waveform, parade, vectorscope, false color and zebra, "
      "on the GPU or the CPU",
      "The gst-videohistogram developers");

  trans_class->transform_caps =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_transform_caps);
  trans_class->fixate_caps =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_fixate_caps);
  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_propose_allocation);
  trans_class->transform_meta =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_transform_meta);
  trans_class->src_event =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_src_event);

  effect_class->category = video_scope_element_debug;
  effect_class->methods = &scope_methods;
  effect_class->fault_texts[VH_FAULT_FRAME] =
      "Frames that do not match their caps pass without scopes";
  effect_class->fault_texts[VH_FAULT_DEVICE] =
      effect_class->fault_texts[VH_FAULT_SETTING] =
      "Frames pass without scopes because the device cannot draw on them";
  effect_class->is_idle = GST_DEBUG_FUNCPTR (gst_video_scope_element_is_idle);
  effect_class->apply = GST_DEBUG_FUNCPTR (gst_video_scope_element_apply);
  effect_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_configure);
  effect_class->replace = GST_DEBUG_FUNCPTR (gst_video_scope_element_replace);
}
