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
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoscopeelement.h"
#include "framepool.h"
#include "propertytable.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_scope_element_debug);
#define GST_CAT_DEFAULT video_scope_element_debug

/* Why a frame cannot be drawn on; also the kind of warning. */
typedef enum
{
  FAULT_FRAME,                  /* not what its caps and metas promise */
  FAULT_DEVICE,                 /* the GPU fails, or has no memory */
  N_FAULTS
} Fault;

static const gchar *const fault_texts[N_FAULTS] = {
  "Frames that do not match their caps pass without scopes",
  "Frames pass without scopes because the device cannot draw on them",
};

struct _GstVideoScopeElement
{
  VhBaseTransform parent;

  GstVideoScope *scope;

  /* properties, protected by the object lock */
  GstVideoScopeSettings settings;
  gchar *lines;                 /* as set */
  gchar *false_color_table;     /* as set */
  guint64 drawn, undrawn;       /* frames */
  gboolean settings_changed;    /* since the scope last got them */

  /* by how many pixels the output is larger than the input, protected by the
   * object lock */
  gint across, down;
  gint width, height;           /* of the input, protected by the object lock */

  /* streaming thread */
  GstVideoScopeLayout layout;   /* in the scope's settings */
  gboolean same_size;           /* the output has the size of the input */
  VhFramePool pool;             /* for frames that are not drawn on in place */
};

G_DEFINE_TYPE (GstVideoScopeElement, gst_video_scope_element,
    VH_TYPE_BASE_TRANSFORM);
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

/* If there is nothing to draw, passes frames untouched. */
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
gst_video_scope_element_configure (VhBaseTransform * base,
    GstCaps * caps)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (base);
  GstCaps *src_caps = vh_base_transform_get_src_caps (base);
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
gst_video_scope_element_downstream_changed (VhBaseTransform * base)
{
  GST_VIDEO_SCOPE_ELEMENT (base)->pool.unsure = TRUE;
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

static GstBufferPool *
gst_video_scope_element_new_pool (VhBaseTransform * base,
    GstBuffer * buffer, GstStructure ** config)
{
  return gst_video_scope_new_pool (GST_VIDEO_SCOPE_ELEMENT (base)->scope,
      buffer, config);
}

static gboolean
gst_video_scope_element_pool_fits (VhBaseTransform * base,
    GstBufferPool * pool, GstBuffer * buffer)
{
  return gst_video_scope_pool_fits (GST_VIDEO_SCOPE_ELEMENT (base)->scope,
      pool, buffer);
}

/* Which metas a new frame gets: all except those that refer to the memory (the
 * base class knows only one kind of them), to the crop of the picture, and, if
 * the size changes, to its size. */
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

/* Counts a frame that is not drawn on, and warns about it, at a limited
 * rate. */
static void
note_undrawn (GstVideoScopeElement * self, GstBuffer * buffer, Fault fault,
    const gchar * reason)
{
  const gboolean stream = fault == FAULT_FRAME;

  GST_LOG_OBJECT (self, "not drawing on %" GST_PTR_FORMAT ": %s", buffer,
      reason);
  GST_OBJECT_LOCK (self);
  self->undrawn++;
  GST_OBJECT_UNLOCK (self);
  vh_base_transform_warn (VH_BASE_TRANSFORM (self), fault,
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
draw (VhBaseTransform * base, GstBuffer * in, GstBuffer * out,
    GError ** error)
{
  return gst_video_scope_process (GST_VIDEO_SCOPE_ELEMENT (base)->scope, in,
      out, error);
}

/* Takes @in, which could not be drawn on. Returns the frame to push instead,
 * which is @in itself or, if the output has another size, a black frame; NULL
 * if that cannot be allocated. */
static GstBuffer *
replace_undrawn (GstVideoScopeElement * self, GstBuffer * in)
{
  GstBuffer *out;

  if (self->same_size)
    return in;
  out = vh_frame_pool_new_frame (&self->pool,
      VH_BASE_TRANSFORM (self), in);
  if (out && !gst_video_scope_blank (self->scope, out, NULL))
    gst_clear_buffer (&out);
  gst_buffer_unref (in);
  return out;
}

/* Takes @in and returns the frame to push: @in itself, drawn on or not, or
 * another one. */
static GstBuffer *
gst_video_scope_element_process (VhBaseTransform * base,
    GstBuffer * in)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (base);
  GError *error = NULL;
  GstBuffer *out;

  if (!vh_base_transform_get_caps (base)) {
    note_undrawn (self, in, FAULT_FRAME, "there are no caps yet");
    return in;
  }
  out = vh_frame_pool_process (&self->pool, base, in, self->same_size
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
  const GstClockTime stream_time = vh_base_transform_get_stream_time
      (VH_BASE_TRANSFORM (trans), buffer);

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

static void
gst_video_scope_element_restart (VhBaseTransform * base)
{
  gst_video_scope_reset (GST_VIDEO_SCOPE_ELEMENT (base)->scope);
}

static gboolean
gst_video_scope_element_answer_context (VhBaseTransform * base,
    GstQuery * query)
{
  return gst_video_scope_answer_context_query
      (GST_VIDEO_SCOPE_ELEMENT (base)->scope, query);
}

static void
gst_video_scope_element_take_context (VhBaseTransform * base,
    GstContext * context)
{
  gst_video_scope_set_context (GST_VIDEO_SCOPE_ELEMENT (base)->scope,
      context);
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
gst_video_scope_element_open (VhBaseTransform * base,
    gint cuda_device_id)
{
  GstVideoScope *scope = GST_VIDEO_SCOPE_ELEMENT (base)->scope;
  GstElement *element = GST_ELEMENT (base);
  GError *error = NULL;

  if (!gst_video_scope_open (scope, cuda_device_id, element, &error)) {
    vh_base_transform_warn_device (base, FAULT_DEVICE,
        cuda_device_id, error->message);
    g_error_free (error);
    gst_video_scope_open (scope, -1, element, NULL);
  }
  return TRUE;
}

static void
gst_video_scope_element_close (VhBaseTransform * base)
{
  gst_video_scope_close (GST_VIDEO_SCOPE_ELEMENT (base)->scope);
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
  GstVideoScope *scope = GST_VIDEO_SCOPE_ELEMENT (object)->scope;
  gdouble lines[GST_VIDEO_SCOPE_MAX_LINES];
  guint n_lines;

  (void) error;
  return parse_lines (text, lines, &n_lines)
      && gst_video_scope_set_lines (scope, lines, n_lines, NULL);
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
      && gst_video_scope_set_false_color_table (self->scope, content, &error)) {
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
get_active_backend (gpointer object, GValue * value)
{
  g_value_set_string (value, gst_video_scope_get_active_backend
      (GST_VIDEO_SCOPE_ELEMENT (object)->scope));
}

static void
get_backend_reason (gpointer object, GValue * value)
{
  g_value_take_string (value, gst_video_scope_dup_backend_reason
      (GST_VIDEO_SCOPE_ELEMENT (object)->scope));
}

static void
note_settings (gpointer object)
{
  GST_VIDEO_SCOPE_ELEMENT (object)->settings_changed = TRUE;
}

static void
set_defaults (gpointer object)
{
  gst_video_scope_settings_init (&((GstVideoScopeElement *) object)->settings);
}

#define FIELD(field) VH_FIELD (GstVideoScopeElement, field)
#define SETTING(field) FIELD (settings.field), .changed = note_settings
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
  /**
   * GstVideoScopeElement:active-backend:
   *
   * Where scopes are drawn now: `cpu`, `cuda`, or `none` while drawing fails;
   * %NULL before there are caps.
   *
   * Since: 0.2
   */
  {"active-backend", "Active backend",
      "Where scopes are drawn now: cpu, cuda, or none while drawing fails "
      "(null = no caps yet)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_active_backend},
  /**
   * GstVideoScopeElement:backend-reason:
   *
   * Why the other backend is not in use, or why drawing fails; %NULL before
   * there are caps.
   *
   * Since: 0.2
   */
  {"backend-reason", "Backend reason",
      "Why the other backend is not in use, or why drawing fails (null = no "
      "caps yet)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_backend_reason},
  /**
   * GstVideoScopeElement:lines:
   *
   * Your own lines in histograms and waveforms: up to 16 levels in the unit of
   * #GstVideoScopeElement:scale, separated by commas.
   *
   * Since: 0.2
   */
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
  /**
   * GstVideoScopeElement:drawn:
   *
   * Frames since the element left READY that scopes were drawn on.
   *
   * Since: 0.2
   */
  {"drawn", "Drawn",
      "Frames with scopes since the element was started",
      G_TYPE_UINT64, FIELD (drawn), .flags = G_PARAM_READABLE},
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
      G_TYPE_UINT64, FIELD (undrawn), .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table =
VH_PROPERTY_TABLE (properties, set_defaults);

static void
gst_video_scope_element_finalize (GObject * object)
{
  GstVideoScopeElement *self = GST_VIDEO_SCOPE_ELEMENT (object);

  vh_frame_pool_drop (&self->pool);
  g_object_unref (self->scope);
  vh_property_table_clear (&property_table, self);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_scope_element_init (GstVideoScopeElement * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_gap_aware (trans, TRUE);
  gst_base_transform_set_passthrough (trans, FALSE);

  self->scope = gst_video_scope_new ();
  vh_property_table_init (&property_table, self);
  self->settings_changed = TRUE;
}

static void
gst_video_scope_element_class_init (GstVideoScopeElementClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhBaseTransformClass *base_class = VH_BASE_TRANSFORM_CLASS (klass);

  /* With this prefix, GST_DEBUG=videohistogram* covers this element, too. */
  GST_DEBUG_CATEGORY_INIT (video_scope_element_debug, "videohistogram-scope",
      0, "videoscope element");

  object_class->finalize = gst_video_scope_element_finalize;
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

  base_class->open = GST_DEBUG_FUNCPTR (gst_video_scope_element_open);
  base_class->close = GST_DEBUG_FUNCPTR (gst_video_scope_element_close);
  base_class->take_context =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_take_context);
  base_class->answer_context =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_answer_context);
  base_class->configure = GST_DEBUG_FUNCPTR (gst_video_scope_element_configure);
  base_class->restart = GST_DEBUG_FUNCPTR (gst_video_scope_element_restart);
  base_class->downstream_changed =
      GST_DEBUG_FUNCPTR (gst_video_scope_element_downstream_changed);
  base_class->process = GST_DEBUG_FUNCPTR (gst_video_scope_element_process);
  base_class->new_pool = GST_DEBUG_FUNCPTR (gst_video_scope_element_new_pool);
  base_class->pool_fits = GST_DEBUG_FUNCPTR (gst_video_scope_element_pool_fits);
}
