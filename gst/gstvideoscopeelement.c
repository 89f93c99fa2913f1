/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videoscope
 * @title: videoscope
 * @short_description: draws histogram, waveform, parade, vectorscope, false
 * color and zebra into video
 *
 * Counts every pixel of each frame, at the depth of its format, and draws what
 * was counted over the picture, beside it, or alone. No frame is delayed or
 * dropped. Writable frames are drawn on in place, others in a copy; both stay
 * in the memory that they are in, on the GPU or not.
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
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoscopeelement.h"
#include "framepool.h"
#include "propertyparse.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_scope_element_debug);
#define GST_CAT_DEFAULT video_scope_element_debug

/* What can prevent drawing on a frame, and its kind of warning. */
typedef enum
{
  FAULT_FRAME,                  /* not what its caps and metas promise */
  FAULT_DEVICE,                 /* the GPU fails, or has no memory */
  N_FAULTS
} Fault;

static const gchar *const fault_texts[N_FAULTS] = {
  "Frames that do not hold what their caps say pass without scopes",
  "Frames pass without scopes because they cannot be drawn on where they are",
};

struct _GstVideoScopeElement
{
  GstVideoHistogramFilter parent;

  GstVideoScope *scope;

  /* properties, protected by the object lock */
  GstVideoScopeSettings settings;
  gchar *lines;                 /* as set */
  gchar *false_color_table;     /* as set */
  guint64 drawn, undrawn;       /* frames */
  gboolean settings_changed;    /* since the scope last got them */

  /* by how much what is pushed is larger than the frames, in pixels, protected
   * by the object lock */
  gint across, down;
  gint width, height;           /* of the frames, the same */

  /* streaming thread */
  GstVideoScopeLayout layout;   /* of the scope's settings */
  gboolean same_size;           /* what is pushed has the frames' size */
  VhFramePool pool;             /* of frames that are not drawn on in place */
};

G_DEFINE_TYPE (GstVideoScopeElement, gst_video_scope_element,
    GST_TYPE_VIDEO_HISTOGRAM_FILTER);
GST_ELEMENT_REGISTER_DEFINE (videoscope, "videoscope", GST_RANK_NONE,
    GST_TYPE_VIDEO_SCOPE_ELEMENT);

#define parent_class gst_video_scope_element_parent_class

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

/* Gives the scope the current properties. */
static void
apply_settings (GstVideoScopeElement * self)
{
  GstVideoScopeSettings settings;
  gboolean changed;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  changed = self->settings_changed;
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (changed) {
    gst_video_scope_set_settings (self->scope, &settings, NULL);
    self->layout = settings.layout;
  }
}

/* If there is nothing to draw, frames are not touched. */
static void
update_passthrough (GstVideoScopeElement * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  const GstVideoScopeSettings settings = get_settings (self);
  const gboolean passthrough = self->same_size
      && settings.scopes == GST_VIDEO_SCOPES_NONE
      && settings.layout == GST_VIDEO_SCOPE_LAYOUT_OVERLAY;

  if (passthrough == gst_base_transform_is_passthrough (trans))
    return;
  GST_DEBUG_OBJECT (self, "frames %s", passthrough ? "pass" : "are drawn on");
  gst_base_transform_set_passthrough (trans, passthrough);
  if (passthrough)
    gst_video_scope_reset (self->scope);
}

/* Caps */

static gboolean
is_left (GstVideoScopePosition position)
{
  return position == GST_VIDEO_SCOPE_POSITION_TOP_LEFT
      || position == GST_VIDEO_SCOPE_POSITION_LEFT
      || position == GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT;
}

/* How far the picture lies from the left and the top of what is pushed: as far
 * as that is larger where the scopes are. Called with the object lock. */
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
gst_video_scope_element_configure (GstVideoHistogramFilter * filter,
    GstCaps * caps)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (filter);
  GstCaps *src_caps = gst_video_histogram_filter_get_src_caps (filter);
  GstVideoInfo in, out;
  GError *error = NULL;

  apply_settings (self);
  if (!gst_video_scope_configure (self->scope, caps, src_caps, &error)) {
    GST_ERROR_OBJECT (self, "Couldn't configure: %s", error->message);
    g_error_free (error);
    return FALSE;
  }
  if (!gst_video_info_from_caps (&in, caps)
      || !gst_video_info_from_caps (&out, src_caps))
    return FALSE;
  self->same_size = in.width == out.width && in.height == out.height;
  vh_frame_pool_configure (&self->pool, &in);
  GST_OBJECT_LOCK (self);
  self->width = in.width;
  self->height = in.height;
  self->across = out.width - in.width;
  self->down = out.height - in.height;
  GST_OBJECT_UNLOCK (self);
  update_passthrough (self);
  return TRUE;
}

static void
gst_video_scope_element_downstream_changed (GstVideoHistogramFilter * filter)
{
  GST_VIDEO_SCOPE_ELEMENT (filter)->pool.unsure = TRUE;
}

/* Appends @structure of the other pad's caps with any size. */
static void
append_any_size (GstCaps * to, const GstStructure * structure,
    const GstCapsFeatures * features)
{
  GstStructure *any = gst_structure_copy (structure);

  gst_structure_set (any, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height",
      GST_TYPE_INT_RANGE, 1, G_MAXINT, NULL);
  gst_caps_append_structure_full (to, any, gst_caps_features_copy (features));
}

/* Appends what is pushed of frames of @structure with their size: the size with
 * room beside the picture, or, if downstream does not take that, their own. */
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

/* Other sizes, where the layout has them. Pixels of scopes alone are square. */
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

/* The size of the frames, if downstream takes any. */
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

static GstBufferPool *
gst_video_scope_element_new_pool (GstVideoHistogramFilter * filter,
    GstBuffer * buffer, GstStructure ** config)
{
  return gst_video_scope_new_pool (GST_VIDEO_SCOPE_ELEMENT (filter)->scope,
      buffer, config);
}

static gboolean
gst_video_scope_element_pool_fits (GstVideoHistogramFilter * filter,
    GstBufferPool * pool, GstBuffer * buffer)
{
  return gst_video_scope_pool_fits (GST_VIDEO_SCOPE_ELEMENT (filter)->scope,
      pool, buffer);
}

/* Which metas another frame gets: all except those of the memory, of which the
 * base class knows only one kind, of the picture's place in it, and, if that
 * changes, of its size. */
static gboolean
gst_video_scope_element_transform_meta (GstBaseTransform * trans,
    GstBuffer * out, GstMeta * meta, GstBuffer * in)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (trans);
  const GType api = meta->info->api;

  (void) out;
  (void) in;
  if (api == GST_VIDEO_CROP_META_API_TYPE || gst_meta_api_type_has_tag (api,
          g_quark_from_static_string (GST_META_TAG_MEMORY_REFERENCE_STR)))
    return FALSE;
  return self->same_size || !gst_meta_api_type_has_tag (api,
      g_quark_from_static_string (GST_META_TAG_VIDEO_SIZE_STR));
}

/* Counts a frame that is not drawn on, and warns about it, at limited rate. */
static void
note_undrawn (GstVideoScopeElement * self, GstBuffer * buffer, Fault fault,
    const gchar * reason)
{
  const gboolean stream = fault == FAULT_FRAME;

  GST_LOG_OBJECT (self, "%" GST_PTR_FORMAT " is not drawn on: %s", buffer,
      reason);
  GST_OBJECT_LOCK (self);
  self->undrawn++;
  GST_OBJECT_UNLOCK (self);
  gst_video_histogram_filter_warn (GST_VIDEO_HISTOGRAM_FILTER (self), fault,
      stream ? GST_STREAM_ERROR : GST_RESOURCE_ERROR,
      stream ? (gint) GST_STREAM_ERROR_FAILED :
      (gint) GST_RESOURCE_ERROR_FAILED, "%s: %s.", fault_texts[fault], reason);
}

static void
note_drawn (GstVideoScopeElement * self, GstBuffer * buffer)
{
  GST_LOG_OBJECT (self, "drew on %" GST_PTR_FORMAT, buffer);
  GST_OBJECT_LOCK (self);
  self->drawn++;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
draw (GstVideoHistogramFilter * filter, GstBuffer * in, GstBuffer * out,
    GError ** error)
{
  return gst_video_scope_process (GST_VIDEO_SCOPE_ELEMENT (filter)->scope, in,
      out, error);
}

/* What is pushed in place of @in, which could not be drawn on: itself or, if
 * that has not the size of what is pushed, black; NULL if there is not even
 * that. */
static GstBuffer *
replace_undrawn (GstVideoScopeElement * self, GstBuffer * in)
{
  GstBuffer *out;

  if (self->same_size)
    return in;
  out = vh_frame_pool_new_frame (&self->pool,
      GST_VIDEO_HISTOGRAM_FILTER (self), in);
  if (out && !gst_video_scope_blank (self->scope, out, NULL))
    gst_clear_buffer (&out);
  gst_buffer_unref (in);
  return out;
}

/* Takes @in and returns the frame to push: @in itself, drawn on or not, or
 * another one. */
static GstBuffer *
gst_video_scope_element_process (GstVideoHistogramFilter * filter,
    GstBuffer * in)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (filter);
  GError *error = NULL;
  GstBuffer *out;

  if (!gst_video_histogram_filter_get_caps (filter)) {
    note_undrawn (self, in, FAULT_FRAME, "they have no caps yet");
    return in;
  }
  out = vh_frame_pool_process (&self->pool, filter, in, self->same_size
      && self->layout != GST_VIDEO_SCOPE_LAYOUT_ONLY, draw, &error);
  if (out) {
    note_drawn (self, out);
    return out;
  }
  note_undrawn (self, in, vh_is_frame_error (error) ? FAULT_FRAME :
      FAULT_DEVICE, error->message);
  g_error_free (error);
  return replace_undrawn (self, in);
}

static void
gst_video_scope_element_before_transform (GstBaseTransform * trans,
    GstBuffer * buffer)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (trans);
  const GstClockTime stream_time = gst_video_histogram_filter_get_stream_time
      (GST_VIDEO_HISTOGRAM_FILTER (trans), buffer);

  if (stream_time != GST_CLOCK_TIME_NONE)
    gst_object_sync_values (GST_OBJECT (self), stream_time);
  apply_settings (self);
  update_passthrough (self);
  if (GST_BUFFER_IS_DISCONT (buffer))
    gst_video_scope_reset (self->scope);
}

/* Events, queries, contexts */

static gboolean
gst_video_scope_element_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    gst_video_scope_reset (GST_VIDEO_SCOPE_ELEMENT (trans)->scope);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* Upstream knows the picture alone: what happens beside it is not for it. */
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
      GST_DEBUG_OBJECT (self, "outside of the picture: %" GST_PTR_FORMAT,
          event);
      gst_event_unref (event);
      return TRUE;
    }
    event = gst_event_make_writable (event);
    gst_navigation_event_set_coordinates (event, x - picture_x, y - picture_y);
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

static void
gst_video_scope_element_restart (GstVideoHistogramFilter * filter)
{
  gst_video_scope_reset (GST_VIDEO_SCOPE_ELEMENT (filter)->scope);
}

static gboolean
gst_video_scope_element_answer_context (GstVideoHistogramFilter * filter,
    GstQuery * query)
{
  return gst_video_scope_answer_context_query
      (GST_VIDEO_SCOPE_ELEMENT (filter)->scope, query);
}

static void
gst_video_scope_element_take_context (GstVideoHistogramFilter * filter,
    GstContext * context)
{
  gst_video_scope_set_context (GST_VIDEO_SCOPE_ELEMENT (filter)->scope,
      context);
}

/* Downstream's answer, if frames leave in the memory that they come in. */
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

/* States */

static gboolean
gst_video_scope_element_start (GstBaseTransform * trans)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (trans);

  GST_OBJECT_LOCK (self);
  self->drawn = self->undrawn = 0;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
gst_video_scope_element_stop (GstBaseTransform * trans)
{
  vh_frame_pool_drop (&GST_VIDEO_SCOPE_ELEMENT (trans)->pool);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
gst_video_scope_element_open (GstVideoHistogramFilter * filter,
    gint cuda_device_id)
{
  GstVideoScope *scope = GST_VIDEO_SCOPE_ELEMENT (filter)->scope;
  GstElement *element = GST_ELEMENT (filter);
  GError *error = NULL;

  if (!gst_video_scope_open (scope, cuda_device_id, element, &error)) {
    gst_video_histogram_filter_warn_device (filter, FAULT_DEVICE,
        cuda_device_id, error->message);
    g_error_free (error);
    gst_video_scope_open (scope, -1, element, NULL);
  }
  return TRUE;
}

static void
gst_video_scope_element_close (GstVideoHistogramFilter * filter)
{
  gst_video_scope_close (GST_VIDEO_SCOPE_ELEMENT (filter)->scope);
}

/* Properties */

/* Properties that are fields of the settings: a row for each, in their order.
 * N (NAME, field, name, nick, description, minimum, maximum) is a number,
 * T (NAME, field, name, nick, description, maximum) a time, and
 * E (NAME, field, name, nick, description, type) one of an enum or flags. */
/* *INDENT-OFF* */
#define SETTINGS(E, N, T) \
  E (SCOPES, scopes, "scopes", "Scopes", \
      "What is drawn: histogram, waveform (levels of each column), parade " \
      "(waveforms of three components), vectorscope (U and V), false-color, " \
      "zebra (stripes from zebra-low to zebra-high); none = frames are not " \
      "touched", \
      GST_TYPE_VIDEO_SCOPES) \
  E (LAYOUT, layout, "layout", "Layout", \
      "overlay: scopes lie over the picture; beside: beside, above or below " \
      "it, and video grows; only: they replace it", \
      GST_TYPE_VIDEO_SCOPE_LAYOUT) \
  E (POSITION, position, "position", "Position", \
      "Where on the picture, or on which side of it, scopes are", \
      GST_TYPE_VIDEO_SCOPE_POSITION) \
  N (SIZE, size, "size", "Size", \
      "Height of a row of scopes as a share of the picture's, or width of a " \
      "column; for layout=beside, by how much the picture grows", 0.05, 1) \
  N (OPACITY, opacity, "opacity", "Opacity", \
      "Opacity of the black behind scopes over the picture, 0 to 1", 0, 1) \
  E (COMPONENTS, components, "components", "Components", \
      "What histograms and waveforms show (a parade has three: rgb or yuv)", \
      GST_TYPE_VIDEO_SCOPE_COMPONENTS) \
  E (MODE, mode, "mode", "Mode", \
      "How the components of a histogram or a waveform lie: overlay (over " \
      "one another), stack (below one another), parade (side by side)", \
      GST_TYPE_VIDEO_SCOPE_MODE) \
  E (INTENSITY, intensity, "intensity", "Intensity", \
      "How bright a count is: auto (by its logarithm: a single pixel is " \
      "visible), gain (in proportion), power (in proportion to a power)", \
      GST_TYPE_VIDEO_SCOPE_INTENSITY) \
  N (GAIN, gain, "gain", "Gain", \
      "For intensity=gain and power: brightness of the count that each level " \
      "has in an even picture, where 1 is brightest", 0, 1e6) \
  N (EXPONENT, exponent, "exponent", "Exponent", \
      "For intensity=power: the exponent; low ones show rare levels", 0.05, 1) \
  T (PERSISTENCE, persistence, "persistence", "Persistence", \
      "Time constant in ns with which traces fade: after it 37 percent of a " \
      "count is left (0 = each frame by itself)", \
      GST_VIDEO_SCOPE_MAX_PERSISTENCE) \
  E (ENVELOPE, envelope, "envelope", "Envelope", \
      "Draw the outline of what is shown brightly: instant (of this frame), " \
      "peak (of all frames since the start)", \
      GST_TYPE_VIDEO_SCOPE_ENVELOPE) \
  E (GRATICULE, graticule, "graticule", "Graticule", \
      "Color of lines and numbers (none = the plot fills its panel)", \
      GST_TYPE_VIDEO_SCOPE_GRATICULE) \
  E (SCALE, scale, "scale", "Scale", \
      "Unit of lines and numbers: code (values of the format), percent, ire, " \
      "mv (700 is white), nits (cd/m²)", GST_TYPE_VIDEO_SCOPE_SCALE) \
  E (LIMITS, limits, "limits", "Limits", \
      "Which limits of levels have a line: range (black and white of the " \
      "caps), r103 (the tolerance of EBU R 103)", GST_TYPE_VIDEO_SCOPE_LIMITS) \
  E (TARGETS, targets, "targets", "Targets", \
      "Which color bars have targets in the vectorscope: 75 and 100 percent", \
      GST_TYPE_VIDEO_SCOPE_TARGETS) \
  N (SKIN_LINE, skin_line, "skin-line", "Skin line", \
      "Angle of a line in the vectorscope, in degrees counterclockwise from " \
      "positive U; 123 is customary for skin (0 = none)", 0, 360) \
  E (FALSE_COLOR, false_color, "false-color", "False color", \
      "The colors of scopes=false-color: arri, obs, cinezone, or table (of " \
      "false-color-table)", \
      GST_TYPE_VIDEO_SCOPE_FALSE_COLOR) \
  N (ZEBRA_LOW, zebra_low, "zebra-low", "Zebra low", \
      "For scopes=zebra: level of luma from which there are stripes " \
      "(0 = black, 1 = white)", -0.2, 1.2) \
  N (ZEBRA_HIGH, zebra_high, "zebra-high", "Zebra high", \
      "For scopes=zebra: level of luma up to which there are stripes " \
      "(0 = black, 1 = white)", -0.2, 1.2)

enum
{
  PROP_0,
#define E(id, field, name, nick, blurb, type) PROP_##id,
#define N(id, field, name, nick, blurb, least, most) PROP_##id,
#define T(id, field, name, nick, blurb, most) PROP_##id,
  SETTINGS (E, N, T)
#undef E
#undef N
#undef T
  PROP_LINES,
  PROP_FALSE_COLOR_TABLE,
  PROP_ACTIVE_BACKEND,
  PROP_BACKEND_REASON,
  PROP_DRAWN,
  PROP_UNDRAWN,
};
/* *INDENT-ON* */

/* Where the number, or the value of an enum or flags, of a property is. */
static gpointer
find_field (GstVideoScopeSettings * settings, guint prop_id)
{
  switch (prop_id) {
#define E(id, field, name, nick, blurb, type) \
    case PROP_##id: \
      return &settings->field;
#define N(id, field, name, nick, blurb, least, most) \
    E (id, field, name, nick, blurb, )
#define T(id, field, name, nick, blurb, most) \
    E (id, field, name, nick, blurb, )
/* *INDENT-OFF* */
    SETTINGS (E, N, T)
/* *INDENT-ON* */
#undef E
#undef N
#undef T
    default:
      return NULL;
  }
}

/* Whether what is pushed may have another size with @b than with @a. */
static gboolean
resizes (const GstVideoScopeSettings * a, const GstVideoScopeSettings * b)
{
  if (a->layout != b->layout)
    return TRUE;
  return b->layout == GST_VIDEO_SCOPE_LAYOUT_BESIDE
      && (a->size != b->size || a->position != b->position);
}

static void
set_field (GstVideoScopeElement * self, guint prop_id, const GValue * value)
{
  GstVideoScopeSettings before;
  gboolean resized;
  gpointer field;

  GST_OBJECT_LOCK (self);
  before = self->settings;
  field = find_field (&self->settings, prop_id);
  if (G_VALUE_HOLDS_DOUBLE (value))
    *(gdouble *) field = g_value_get_double (value);
  else if (G_VALUE_HOLDS_UINT64 (value))
    *(guint64 *) field = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_FLAGS (value))
    *(guint *) field = g_value_get_flags (value);
  else
    *(guint *) field = g_value_get_enum (value);
  /* A controller sets what has not changed too. */
  if (memcmp (&before, &self->settings, sizeof (before)) != 0)
    self->settings_changed = TRUE;
  resized = resizes (&before, &self->settings);
  GST_OBJECT_UNLOCK (self);

  if (resized)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

/* Levels, with commas between them. */
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

static void
set_lines (GstVideoScopeElement * self, const gchar * text)
{
  gdouble lines[GST_VIDEO_SCOPE_MAX_LINES];
  guint n_lines;

  if (!text)
    text = "";
  if (!parse_lines (text, lines, &n_lines)
      || !gst_video_scope_set_lines (self->scope, lines, n_lines, NULL)) {
    g_warning ("%s: lines=%s is not allowed and was not set: it must be up to "
        G_STRINGIFY (GST_VIDEO_SCOPE_MAX_LINES) " numbers in the unit of "
        "scale, with commas between them, for example 16,235",
        GST_OBJECT_NAME (self), text);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->lines);
  self->lines = g_strdup (text);
  GST_OBJECT_UNLOCK (self);
}

/* A table, or the name of a file with one. */
static void
set_false_color_table (GstVideoScopeElement * self, const gchar * text)
{
  gchar *content = NULL;
  GError *error = NULL;

  if (!text)
    text = "";
  if (!g_file_test (text, G_FILE_TEST_EXISTS))
    content = g_strdup (text);
  if ((content || g_file_get_contents (text, &content, NULL, &error))
      && gst_video_scope_set_false_color_table (self->scope, content, &error)) {
    GST_OBJECT_LOCK (self);
    g_free (self->false_color_table);
    self->false_color_table = g_strdup (text);
    GST_OBJECT_UNLOCK (self);
  } else {
    g_warning ("%s: false-color-table=%s was not set: %s. It must be bands of "
        "luma, such as \"0 0.1 #0000ff; 0.9 1.1 #ff0000\" (0 = black, "
        "1 = white), or a file that exists, with a band on each line",
        GST_OBJECT_NAME (self), text, error->message);
    g_error_free (error);
  }
  g_free (content);
}

static gboolean
takes (GstVideoScopeElement * self, GParamSpec * pspec, const GValue * value)
{
  if (G_VALUE_HOLDS_DOUBLE (value))
    return vh_property_takes (self, pspec, g_value_get_double (value));
  return !G_VALUE_HOLDS_UINT64 (value)
      || vh_property_takes_time (self, pspec, g_value_get_uint64 (value));
}

static void
gst_video_scope_element_set_property (GObject * object, guint prop_id,
    const GValue * value, GParamSpec * pspec)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (object);

  switch (prop_id) {
    case PROP_LINES:
      set_lines (self, g_value_get_string (value));
      break;
    case PROP_FALSE_COLOR_TABLE:
      set_false_color_table (self, g_value_get_string (value));
      break;
    default:
      if (!find_field (&self->settings, prop_id))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      else if (takes (self, pspec, value))
        set_field (self, prop_id, value);
      break;
  }
}

static void
get_field (gconstpointer field, GValue * value)
{
  if (G_VALUE_HOLDS_DOUBLE (value))
    g_value_set_double (value, *(const gdouble *) field);
  else if (G_VALUE_HOLDS_UINT64 (value))
    g_value_set_uint64 (value, *(const guint64 *) field);
  else if (G_VALUE_HOLDS_FLAGS (value))
    g_value_set_flags (value, *(const guint *) field);
  else
    g_value_set_enum (value, *(const guint *) field);
}

static void
gst_video_scope_element_get_property (GObject * object, guint prop_id,
    GValue * value, GParamSpec * pspec)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (object);
  gpointer field = find_field (&self->settings, prop_id);

  GST_OBJECT_LOCK (self);
  switch (prop_id) {
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value,
          gst_video_scope_get_active_backend (self->scope));
      break;
    case PROP_BACKEND_REASON:
      g_value_take_string (value,
          gst_video_scope_dup_backend_reason (self->scope));
      break;
    case PROP_LINES:
      g_value_set_string (value, self->lines);
      break;
    case PROP_FALSE_COLOR_TABLE:
      g_value_set_string (value, self->false_color_table);
      break;
    case PROP_DRAWN:
      g_value_set_uint64 (value, self->drawn);
      break;
    case PROP_UNDRAWN:
      g_value_set_uint64 (value, self->undrawn);
      break;
    default:
      if (field)
        get_field (field, value);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_video_scope_element_finalize (GObject * object)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (object);

  vh_frame_pool_drop (&self->pool);
  g_object_unref (self->scope);
  g_free (self->lines);
  g_free (self->false_color_table);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_scope_element_init (GstVideoScopeElement * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_gap_aware (trans, TRUE);
  gst_base_transform_set_passthrough (trans, FALSE);

  self->scope = gst_video_scope_new ();
  gst_video_scope_settings_init (&self->settings);
  self->settings_changed = TRUE;
  self->lines = g_strdup ("");
  self->false_color_table = g_strdup ("");
}

/* Those that may change the caps are not for controllers, and GStreamer has no
 * control binding that sets flags. */
static GParamFlags
flags_of (guint prop_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING;

  return prop_id == PROP_LAYOUT ? flags : flags | GST_PARAM_CONTROLLABLE;
}

static GParamSpec *
choice_spec (guint prop_id, const gchar * name, const gchar * nick,
    const gchar * blurb, GType type, guint value)
{
  if (G_TYPE_IS_FLAGS (type))
    return g_param_spec_flags (name, nick, blurb, type, value,
        flags_of (prop_id) & ~GST_PARAM_CONTROLLABLE);
  return g_param_spec_enum (name, nick, blurb, type, value, flags_of (prop_id));
}

static void
install_properties (GObjectClass * klass)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GstVideoScopeSettings defaults;

  gst_video_scope_settings_init (&defaults);

#define E(id, field, name, nick, blurb, type) \
  g_object_class_install_property (klass, PROP_##id, \
      choice_spec (PROP_##id, name, nick, blurb, type, defaults.field));
#define N(id, field, name, nick, blurb, least, most) \
  g_object_class_install_property (klass, PROP_##id, \
      g_param_spec_double (name, nick, blurb, least, most, defaults.field, \
          flags_of (PROP_##id)));
#define T(id, field, name, nick, blurb, most) \
  g_object_class_install_property (klass, PROP_##id, \
      g_param_spec_uint64 (name, nick, blurb, 0, most, defaults.field, \
          flags_of (PROP_##id)));
  SETTINGS (E, N, T)
#undef E
#undef N
#undef T

  /**
   * GstVideoScopeElement:active-backend:
   *
   * Where frames are drawn on now: `cpu`, `cuda`, or `none` if it fails; %NULL
   * before there are caps.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "Where frames are drawn on now: cpu, cuda, or none if it fails "
          "(NULL = no caps yet)", NULL, readable));

  /**
   * GstVideoScopeElement:backend-reason:
   *
   * Why frames are not drawn on elsewhere, or why it fails; %NULL before there
   * are caps.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_BACKEND_REASON,
      g_param_spec_string ("backend-reason", "Backend reason",
          "Why frames are not drawn on elsewhere, or why it fails", NULL,
          readable));

  /**
   * GstVideoScopeElement:lines:
   *
   * Lines of one's own in histograms and waveforms: levels in the unit of
   * #GstVideoScopeElement:scale, with commas between them.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_LINES,
      g_param_spec_string ("lines", "Lines",
          "Your own lines in histograms and waveforms: up to 16 levels in the "
          "unit of scale, with commas between them, such as 16,235", "",
          playing));

  /**
   * GstVideoScopeElement:false-color-table:
   *
   * For `false-color=table`: bands of luma, from the lowest, each before a
   * semicolon, `FROM TO #RRGGBB` or `FROM TO grey`, where level 0 is black and
   * 1 is white; or the name of a file with a band on each line. What lies
   * between bands is shown without color.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_FALSE_COLOR_TABLE,
      g_param_spec_string ("false-color-table", "False color table",
          "For false-color=table: bands of levels of luma (0 = black, "
          "1 = white), such as \"0 0.1 #0000ff; 0.9 1.1 #ff0000\", or a file "
          "with a band on each line", "", playing));

  /**
   * GstVideoScopeElement:drawn:
   *
   * Frames since the element left READY that were drawn on.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_DRAWN,
      g_param_spec_uint64 ("drawn", "Drawn", "Frames that were drawn on", 0,
          G_MAXUINT64, 0, readable));

  /**
   * GstVideoScopeElement:undrawn:
   *
   * Frames since the element left READY that should have been drawn on and were
   * not: the buffer does not hold the frame that its caps and metas promise, or
   * the GPU failed. They pass as they came or, if what is pushed has another
   * size, are replaced by black, or left out if there is no memory even for
   * that, as after the loss of a GPU.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_UNDRAWN,
      g_param_spec_uint64 ("undrawn", "Undrawn",
          "Frames that could not be drawn on: they pass as they came, or are "
          "black if the output has another size", 0, G_MAXUINT64, 0,
          readable));
}

static void
gst_video_scope_element_class_init (GstVideoScopeElementClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstVideoHistogramFilterClass *filter_class =
      GST_VIDEO_HISTOGRAM_FILTER_CLASS (klass);

  /* The name, so that videohistogram* covers the whole plugin. */
  GST_DEBUG_CATEGORY_INIT (video_scope_element_debug, "videohistogram-scope",
      0, "videoscope element");

  object_class->set_property = gst_video_scope_element_set_property;
  object_class->get_property = gst_video_scope_element_get_property;
  object_class->finalize = gst_video_scope_element_finalize;
  install_properties (object_class);

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
  trans_class->before_transform =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_before_transform);
  trans_class->transform_meta =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_transform_meta);
  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_sink_event);
  trans_class->src_event =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_src_event);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_video_scope_element_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_scope_element_stop);

  filter_class->open = GST_DEBUG_FUNCPTR (gst_video_scope_element_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_video_scope_element_close);
  filter_class->take_context =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_take_context);
  filter_class->answer_context =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_answer_context);
  filter_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_configure);
  filter_class->restart = GST_DEBUG_FUNCPTR (gst_video_scope_element_restart);
  filter_class->downstream_changed =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_downstream_changed);
  filter_class->process = GST_DEBUG_FUNCPTR (gst_video_scope_element_process);
  filter_class->new_pool =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_new_pool);
  filter_class->pool_fits =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_pool_fits);
}
