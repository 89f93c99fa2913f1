/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "basetransform.h"
#include "propertytable.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (vh_base_transform_debug);
#define GST_CAT_DEFAULT vh_base_transform_debug

#define MEMORY_CUDA "memory:CUDAMemory"

/* The kind of warning of the base class itself, after the kinds of elements. */
#define WARNING_NO_CAPS VH_MAX_WARNINGS

typedef enum
{
  SOURCE_UNKNOWN,
  SOURCE_LIVE,
  SOURCE_NOT_LIVE,
} Source;

typedef struct
{
  /* protected by the object lock */
  gint cuda_device_id;
  gboolean device_changed;      /* since open() was last called, or it failed */
  /* monotonic ns, or NONE */
  GstClockTime warned_at[VH_MAX_WARNINGS + 1];

  /* from downstream's QoS events, protected by the object lock */
  GstClockTime earliest_time;   /* frames before this running time are late;
                                 * NONE if video is in time */
  gdouble proportion;
  GstClockTimeDiff jitter;      /* ns */

  gint source;                  /* atomic: a Source */
  gint check_downstream;        /* atomic: call downstream_changed() */
  gint restarted;               /* atomic: call restart() */

  /* streaming thread */
  GstCaps *caps, *src_caps;
  gboolean unmarkable;          /* the current frame should be DISCONT but
                                 * cannot be marked */
} VhBaseTransformPrivate;

typedef VhBaseTransformPrivate Private;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (VhBaseTransform,
    vh_base_transform, GST_TYPE_BASE_TRANSFORM);

#define parent_class vh_base_transform_parent_class
#define get_private(self) ((Private *) \
    vh_base_transform_get_instance_private ( \
        (VhBaseTransform *) (self)))

/* Caps */

/* The formats that nvcodec's elements have in GPU memory. Those that this
 * version of GStreamer does not know are left out. */
static const gchar *const cuda_formats[] = {
  "I420", "YV12", "NV12", "NV21", "P010_10LE", "P012_LE", "P016_LE",
  "I420_10LE", "I420_12LE", "Y42B", "I422_10LE", "I422_12LE", "Y444",
  "Y444_10LE", "Y444_12LE", "Y444_16LE", "YUY2", "UYVY", "GRAY8", "GRAY16_LE",
  "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR",
  "RGBP", "BGRP", "GBR", "GBRA", "GBR_10LE", "GBR_12LE", "GBR_16LE",
  "RGB10A2_LE", "BGR10A2_LE", "AYUV", "VUYA",
};

/* The combinations of caps features, apart from those for memory, in order of
 * preference. Single fields of interlaced video have their own feature. Their
 * interlace-mode is left to upstream: if it were set here, it would be added to
 * caps that pass. */
static const struct
{
  const gchar *meta;
  gboolean fields;
} variants[] = {
  {NULL, FALSE},
  {GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, FALSE},
  {NULL, TRUE},
  {GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, TRUE},
};

/* Appends the structures of @caps once for each variant, with the feature
 * @memory. NULL stands for system memory without its feature, because caps with
 * memory:SystemMemory and another feature do not match caps that have only the
 * other feature. */
static void
append_with_features (GstCaps * to, GstCaps * caps, const gchar * memory)
{
  guint i;

  /* The first variant has no other features, and then leaving out
   * memory:SystemMemory makes no difference. */
  for (i = memory ? 0 : 1; i < G_N_ELEMENTS (variants); i++) {
    GstCaps *copy = gst_caps_copy (caps);
    GstCapsFeatures *features = gst_caps_features_new_empty ();

    if (memory)
      gst_caps_features_add (features, memory);
    if (variants[i].meta)
      gst_caps_features_add (features, variants[i].meta);
    if (variants[i].fields)
      gst_caps_features_add (features, GST_CAPS_FEATURE_FORMAT_INTERLACED);
    gst_caps_set_features_simple (copy, features);
    gst_caps_append (to, copy);
  }
}

static GstCaps *
make_cuda_caps (void)
{
  GstVideoFormat formats[G_N_ELEMENTS (cuda_formats)];
  guint n = 0, i;

  for (i = 0; i < G_N_ELEMENTS (cuda_formats); i++) {
    const GstVideoFormat format =
        gst_video_format_from_string (cuda_formats[i]);

    if (format != GST_VIDEO_FORMAT_UNKNOWN)
      formats[n++] = format;
  }
  return gst_video_make_raw_caps (formats, n);
}

/* The caps to offer if the other side leaves the features open. */
static GstCaps *
make_explicit_caps (void)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstCaps *on_gpu = make_cuda_caps ();
  GstCaps *system = gst_video_histogram_engine_get_caps ();

  append_with_features (caps, on_gpu, MEMORY_CUDA);
  append_with_features (caps, system, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
  append_with_features (caps, system, NULL);
  gst_caps_unref (on_gpu);
  gst_caps_unref (system);
  return caps;
}

/* The caps of both pads. They accept any feature, because of the meta features;
 * transform_caps() selects the memories. */
static GstCaps *
make_template_caps (void)
{
  GstCaps *caps = make_explicit_caps ();
  GstCaps *any = gst_video_histogram_engine_get_caps ();

  gst_caps_set_features_simple (any, gst_caps_features_new_any ());
  gst_caps_append (caps, any);
  return caps;
}

/* Whether all memories that @features name can be read. */
static gboolean
memories_are_readable (const GstCapsFeatures * features)
{
  guint i;

  for (i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *feature = gst_caps_features_get_nth (features, i);

    if (g_str_has_prefix (feature, "memory:")
        && strcmp (feature, MEMORY_CUDA) != 0
        && strcmp (feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY) != 0)
      return FALSE;
  }
  return TRUE;
}

/* The caps of one pad if the other has @caps: the same, without memories that
 * cannot be read. */
static GstCaps *
make_other_caps (GstCaps * caps)
{
  GstCaps *result = gst_caps_new_empty (), *open = gst_caps_new_empty ();
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);

    if (gst_caps_features_is_any (features)) {
      gst_caps_append_structure_full (open, gst_structure_copy (structure),
          gst_caps_features_copy (features));
    } else if (memories_are_readable (features)) {
      gst_caps_append_structure_full (result, gst_structure_copy (structure),
          gst_caps_features_copy (features));
    }
  }

  if (!gst_caps_is_empty (open)) {
    GstCaps *explicit_caps = make_explicit_caps ();

    result = gst_caps_merge (result,
        gst_caps_intersect_full (explicit_caps, open,
            GST_CAPS_INTERSECT_FIRST));
    gst_caps_unref (explicit_caps);
  }
  gst_caps_unref (open);
  return result;
}

static GstCaps *
vh_base_transform_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstCaps *result = make_other_caps (caps);

  if (filter) {
    gst_caps_take (&result, gst_caps_intersect_full (filter, result,
            GST_CAPS_INTERSECT_FIRST));
  }
  GST_LOG_OBJECT (trans, "%s %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      direction == GST_PAD_SINK ? "sink" : "src", caps, result);
  return result;
}

static gboolean
vh_base_transform_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);
  Private *priv = get_private (self);
  GstCaps *before = g_steal_pointer (&priv->caps);
  GstCaps *src_before = g_steal_pointer (&priv->src_caps);
  gboolean taken;

  GST_DEBUG_OBJECT (self, "caps %" GST_PTR_FORMAT, outcaps);
  priv->caps = gst_caps_ref (incaps);
  priv->src_caps = gst_caps_ref (outcaps);
  g_atomic_int_set (&priv->source, SOURCE_UNKNOWN);
  vh_base_transform_check_downstream (self);
  taken = !klass->configure || klass->configure (self, incaps);
  if (!taken) {
    /* The base class keeps the previous caps and does not set them again if
     * upstream repeats them. */
    gst_caps_replace (&priv->caps, before);
    gst_caps_replace (&priv->src_caps, src_before);
    if (before)
      klass->configure (self, before);
  }
  gst_clear_caps (&before);
  gst_clear_caps (&src_before);
  return taken;
}

GstCaps *
vh_base_transform_get_caps (VhBaseTransform * base)
{
  return get_private (base)->caps;
}

GstCaps *
vh_base_transform_get_src_caps (VhBaseTransform * base)
{
  return get_private (base)->src_caps;
}

/* Times. These functions copy the segment before they read it: the base class
 * resets it at state changes, even while a frame that came early is handled. */

/* GStreamer asserts that a segment for reverse playback has an end. */
static gboolean
has_running_time (const GstSegment * segment)
{
  guint64 stop = segment->stop;

  if (stop == GST_CLOCK_TIME_NONE && segment->duration != GST_CLOCK_TIME_NONE)
    stop = segment->start + segment->duration;
  return segment->format == GST_FORMAT_TIME && (segment->rate > 0
      || (stop != GST_CLOCK_TIME_NONE && stop >= segment->offset));
}

GstClockTime
vh_base_transform_get_running_time (VhBaseTransform * base,
    GstBuffer * buffer)
{
  const GstSegment segment = GST_BASE_TRANSFORM (base)->segment;

  if (!has_running_time (&segment))
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (&segment, GST_FORMAT_TIME,
      GST_BUFFER_DTS_OR_PTS (buffer));
}

GstClockTime
vh_base_transform_get_time (VhBaseTransform * base,
    GstBuffer * buffer)
{
  const GstClockTime time =
      vh_base_transform_get_running_time (base, buffer);

  return time != GST_CLOCK_TIME_NONE ? time : gst_util_get_timestamp ();
}

GstClockTime
vh_base_transform_get_stream_time (VhBaseTransform * base,
    GstBuffer * buffer)
{
  const GstSegment segment = GST_BASE_TRANSFORM (base)->segment;

  if (segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time (&segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
}

/* Lateness */

/* Stores how late downstream is, as GstVideoDecoder does. */
static void
note_qos (VhBaseTransform * self, GstEvent * event)
{
  Private *priv = get_private (self);
  GstClockTimeDiff jitter;
  GstClockTime timestamp;
  gdouble proportion;
  gboolean before, late;

  gst_event_parse_qos (event, NULL, &proportion, &jitter, &timestamp);

  GST_OBJECT_LOCK (self);
  before = priv->earliest_time != GST_CLOCK_TIME_NONE;
  priv->proportion = proportion;
  priv->jitter = jitter;
  late = jitter > 0 && timestamp != GST_CLOCK_TIME_NONE;
  if (!late)
    priv->earliest_time = GST_CLOCK_TIME_NONE;
  else if ((guint64) jitter > (G_MAXUINT64 - 1 - timestamp) / 2)
    priv->earliest_time = G_MAXUINT64 - 1;
  else
    priv->earliest_time = timestamp + 2 * (guint64) jitter;
  GST_OBJECT_UNLOCK (self);

  if (before != late) {
    GST_DEBUG_OBJECT (self, "downstream is %s: jitter %" GST_STIME_FORMAT,
        late ? "late" : "in time", GST_STIME_ARGS (jitter));
  }
}

static void
forget_qos (VhBaseTransform * self)
{
  GST_OBJECT_LOCK (self);
  get_private (self)->earliest_time = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
}

gboolean
vh_base_transform_is_late (VhBaseTransform * base,
    GstClockTime time)
{
  Private *priv = get_private (base);
  gboolean late;

  GST_OBJECT_LOCK (base);
  late = priv->earliest_time != GST_CLOCK_TIME_NONE
      && time < priv->earliest_time;
  GST_OBJECT_UNLOCK (base);
  return late;
}

static gboolean
ask_whether_live (VhBaseTransform * self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  GST_DEBUG_OBJECT (self, "the source is %slive", live ? "" : "not ");
  return live;
}

gboolean
vh_base_transform_is_live (VhBaseTransform * base)
{
  Private *priv = get_private (base);

  if (g_atomic_int_get (&priv->source) == SOURCE_UNKNOWN) {
    g_atomic_int_set (&priv->source,
        ask_whether_live (base) ? SOURCE_LIVE : SOURCE_NOT_LIVE);
  }
  return g_atomic_int_get (&priv->source) == SOURCE_LIVE;
}

/* Posts @message with a reference to each bin from that of @object upward. */
static void
post_below (GstObject * object, VhBaseTransform * base, GstMessage * message)
{
  GstObject *bin = gst_object_get_parent (object);

  if (bin)
    post_below (bin, base, message);
  else
    gst_element_post_message (GST_ELEMENT (base), message);
  gst_clear_object (&bin);
}

void
vh_base_transform_post (VhBaseTransform * base, GstMessage * message)
{
  post_below (GST_OBJECT (base), base, message);
}

void
vh_base_transform_post_qos (VhBaseTransform * base,
    GstBuffer * buffer, GstClockTime time, guint64 processed, guint64 dropped)
{
  Private *priv = get_private (base);
  GstMessage *message = gst_message_new_qos (GST_OBJECT (base), FALSE, time,
      vh_base_transform_get_stream_time (base, buffer),
      GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer));

  GST_OBJECT_LOCK (base);
  gst_message_set_qos_values (message, priv->jitter, priv->proportion, 1000000);
  GST_OBJECT_UNLOCK (base);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, processed, dropped);
  vh_base_transform_post (base, message);
}

/* Warnings */

void
vh_base_transform_warn (VhBaseTransform * base, guint kind,
    GQuark domain, gint code, const gchar * format, ...)
{
  Private *priv = get_private (base);
  const GstClockTime now = gst_util_get_timestamp ();
  gboolean posts;
  va_list args;
  gchar *text;

  g_return_if_fail (kind < G_N_ELEMENTS (priv->warned_at));

  GST_OBJECT_LOCK (base);
  posts = priv->warned_at[kind] == GST_CLOCK_TIME_NONE
      || now - priv->warned_at[kind] >=
      VH_WARNING_INTERVAL;
  if (posts)
    priv->warned_at[kind] = now;
  GST_OBJECT_UNLOCK (base);
  if (!posts)
    return;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  GST_WARNING_OBJECT (base, "%s", text);
  gst_element_message_full (GST_ELEMENT (base), GST_MESSAGE_WARNING, domain,
      code, text, NULL, __FILE__, GST_FUNCTION, __LINE__);
}

void
vh_base_transform_warn_device (VhBaseTransform * base,
    guint kind, gint cuda_device_id, const gchar * reason)
{
  vh_base_transform_warn (base, kind, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NOT_FOUND, "cuda-device-id=%d cannot be used: %s. "
      "The CPU handles frames in system memory.", cuda_device_id, reason);
}

/* Frames */

static gboolean
has_same_memories (GstBuffer * a, GstBuffer * b)
{
  const guint n = gst_buffer_n_memory (a);
  gboolean same = gst_buffer_n_memory (b) == n;
  guint i;

  for (i = 0; same && i < n; i++)
    same = gst_buffer_peek_memory (a, i) == gst_buffer_peek_memory (b, i);
  return same;
}

/* Returns a new GstBuffer around the memories of @buffer, with everything else
 * that @buffer has. Returns NULL if GStreamer copied a memory, because it is
 * mapped for writing, or failed to copy it. */
static GstBuffer *
new_buffer_around (GstBuffer * buffer)
{
  GstBuffer *around = gst_buffer_copy (buffer);

  if (around && !has_same_memories (around, buffer))
    gst_clear_buffer (&around);
  return around;
}

/* The base class copies a buffer that it cannot mark as DISCONT, or crashes.
 * Replaces @buffer by a buffer around the same memories that can be marked.
 * Returns FALSE, with @buffer unchanged, if that is not possible. */
static gboolean
make_markable (GstBuffer ** buffer)
{
  GstBuffer *around;

  if (GST_BUFFER_IS_DISCONT (*buffer) || gst_buffer_is_writable (*buffer))
    return TRUE;
  around = new_buffer_around (*buffer);
  if (around)
    gst_buffer_replace (buffer, around);
  gst_clear_buffer (&around);
  return gst_buffer_is_writable (*buffer);
}

/* Pushes a buffer that should be marked as DISCONT but cannot be, as
 * GstVideoRate pushes its buffers: DROPPED tells the base class that there is
 * nothing left to push. The base class keeps the mark for the next buffer. If
 * downstream pulls, only the base class can deliver. */
static GstFlowReturn
push_unmarked (GstBaseTransform * trans, GstBuffer ** buffer)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (trans);
  GstSegment *segment = &trans->segment;
  GstFlowReturn flow;

  if (!*buffer || gst_buffer_is_writable (*buffer)
      || GST_PAD_MODE (pad) != GST_PAD_MODE_PUSH)
    return GST_FLOW_OK;
  /* Updates the position, as the base class does when it pushes a buffer. */
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (*buffer)) {
    segment->position = GST_BUFFER_PTS (*buffer);
    if (GST_BUFFER_DURATION_IS_VALID (*buffer))
      segment->position += GST_BUFFER_DURATION (*buffer);
  }
  flow = gst_pad_push (pad, g_steal_pointer (buffer));
  return flow == GST_FLOW_OK ? GST_BASE_TRANSFORM_FLOW_DROPPED : flow;
}

static void
restart (VhBaseTransform * self)
{
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);

  forget_qos (self);
  if (klass->restart)
    klass->restart (self);
}

/* Handles buffers without caps. In passthrough they pass, with a warning, as
 * the base class allows. Otherwise posts an error and returns FALSE: without
 * it, the only error would be the source's, that its data flow stopped. */
static gboolean
pass_without_caps (VhBaseTransform * self)
{
  static const gchar text[] =
      "Buffers without caps are not processed, because they may not be raw "
      "video. Put a decoder before this element, for example decodebin.";

  if (gst_base_transform_is_passthrough (GST_BASE_TRANSFORM (self))) {
    vh_base_transform_warn (self, WARNING_NO_CAPS, GST_STREAM_ERROR,
        GST_STREAM_ERROR_FORMAT, "%s", text);
    return TRUE;
  }
  GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("%s", text), (NULL));
  return FALSE;
}

static GstFlowReturn
vh_base_transform_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * input)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);
  Private *priv = get_private (self);

  if (!priv->caps && !gst_pad_has_current_caps (trans->sinkpad)
      && !pass_without_caps (self)) {
    gst_buffer_unref (input);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  priv->unmarkable = is_discont && !make_markable (&input);
  if (g_atomic_int_compare_and_exchange (&priv->restarted, TRUE, FALSE))
    restart (self);
  if (priv->caps && g_atomic_int_compare_and_exchange (&priv->check_downstream,
          TRUE, FALSE) && klass->downstream_changed)
    klass->downstream_changed (self);

  return GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans,
      is_discont && !priv->unmarkable, input);
}

/* Calls process() instead of transform() in classes that have it: transform()
 * must write to its output, but a frame that cannot be changed is pushed as it
 * came. */
static GstFlowReturn
vh_base_transform_generate_output (GstBaseTransform * trans,
    GstBuffer ** outbuf)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);
  GstFlowReturn flow = GST_FLOW_OK;

  if (klass->process && trans->queued_buf
      && !gst_base_transform_is_passthrough (trans)) {
    *outbuf = klass->process (self, g_steal_pointer (&trans->queued_buf));
  } else {
    flow = GST_BASE_TRANSFORM_CLASS (parent_class)->generate_output (trans,
        outbuf);
  }
  if (get_private (self)->unmarkable && flow == GST_FLOW_OK)
    flow = push_unmarked (trans, outbuf);
  return flow;
}

/* Makes a new GstBuffer around the memories of a frame that something else also
 * holds. If that is not possible, for example because they are mapped for
 * writing, passes the frame on as it is, read-only: the base class would copy
 * or lose it. */
static GstFlowReturn
vh_base_transform_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** outbuf)
{
  GstBuffer *around;

  *outbuf = input;
  if (gst_base_transform_is_passthrough (trans)
      || gst_buffer_is_writable (input))
    return GST_FLOW_OK;

  around = new_buffer_around (input);
  if (around)
    *outbuf = around;
  else
    GST_LOG_OBJECT (trans, "not writable: %" GST_PTR_FORMAT, input);
  return GST_FLOW_OK;
}

/* Events and queries */

void
vh_base_transform_check_downstream (VhBaseTransform * base)
{
  g_atomic_int_set (&get_private (base)->check_downstream, TRUE);
}

static gboolean
vh_base_transform_sink_event (GstBaseTransform * trans,
    GstEvent * event)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      g_atomic_int_set (&get_private (self)->source, SOURCE_UNKNOWN);
      break;
    case GST_EVENT_FLUSH_STOP:
      restart (self);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

static gboolean
vh_base_transform_src_event (GstBaseTransform * trans,
    GstEvent * event)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_QOS:
      /* Bypasses the base class, which would drop video because of the event,
       * and logs a critical warning for an event without a time. */
      note_qos (self, event);
      return gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (trans), event);
    case GST_EVENT_RECONFIGURE:
      vh_base_transform_check_downstream (self);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

static gboolean
vh_base_transform_query (GstBaseTransform * trans,
    GstPadDirection direction, GstQuery * query)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (trans);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && klass->answer_context
      && klass->answer_context (self, query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction,
      query);
}

static void
vh_base_transform_set_context (GstElement * element,
    GstContext * context)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (element);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);

  if (klass->take_context)
    klass->take_context (self, context);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

/* States */

/* If upstream changed state first, frames may already arrive: this leaves the
 * fields of the streaming thread to that thread. */
static gboolean
vh_base_transform_start (GstBaseTransform * trans)
{
  Private *priv = get_private (trans);

  g_atomic_int_set (&priv->restarted, TRUE);
  g_atomic_int_set (&priv->check_downstream, TRUE);
  g_atomic_int_set (&priv->source, SOURCE_UNKNOWN);
  return TRUE;
}

static gboolean
vh_base_transform_stop (GstBaseTransform * trans)
{
  gst_caps_replace (&get_private (trans)->caps, NULL);
  gst_caps_replace (&get_private (trans)->src_caps, NULL);
  return TRUE;
}

void
vh_base_transform_set_device_changed (VhBaseTransform * base)
{
  get_private (base)->device_changed = TRUE;
}

/* Calls open() from NULL to READY, and also from READY to PAUSED if a property
 * that open() depends on was set in READY, or if open() failed before. */
static gboolean
ensure_open (VhBaseTransform * self, GstStateChange transition)
{
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);
  Private *priv = get_private (self);
  gint cuda_device_id;
  gboolean opens;

  GST_OBJECT_LOCK (self);
  opens = transition == GST_STATE_CHANGE_NULL_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && priv->device_changed);
  if (opens)
    priv->device_changed = FALSE;
  cuda_device_id = priv->cuda_device_id;
  GST_OBJECT_UNLOCK (self);
  if (!opens || !klass->open)
    return TRUE;
  GST_DEBUG_OBJECT (self, "opening CUDA device %d (-1 = any), if needed",
      cuda_device_id);
  if (klass->open (self, cuda_device_id))
    return TRUE;

  GST_OBJECT_LOCK (self);
  priv->device_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  return FALSE;
}

static GstStateChangeReturn
vh_base_transform_change_state (GstElement * element,
    GstStateChange transition)
{
  VhBaseTransform *self = VH_BASE_TRANSFORM (element);
  VhBaseTransformClass *klass =
      VH_BASE_TRANSFORM_GET_CLASS (self);
  GstStateChangeReturn result;

  if (!ensure_open (self, transition))
    return GST_STATE_CHANGE_FAILURE;

  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (klass->close && (transition == GST_STATE_CHANGE_READY_TO_NULL
          || (transition == GST_STATE_CHANGE_NULL_TO_READY
              && result == GST_STATE_CHANGE_FAILURE)))
    klass->close (self);
  return result;
}

/* Class */

/* GStreamer names the instance after its type, such as videoscopeelement0. This
 * renames it to videoscope0, after the factory, as is usual. */
static void
vh_base_transform_constructed (GObject * object)
{
  static const gchar suffix[] = "element";
  gchar *type = g_ascii_strdown (G_OBJECT_TYPE_NAME (object), -1);
  const gchar *stem = type + strlen ("gst");
  gchar *name = gst_object_get_name (GST_OBJECT (object));

  if (name && g_str_has_suffix (type, suffix)
      && g_str_has_prefix (name, stem)) {
    gchar *number = name + strlen (stem);

    if (*number && number[strspn (number, "0123456789")] == '\0') {
      gchar *ours = g_strdup_printf ("%.*s%s",
          (gint) (strlen (stem) - strlen (suffix)), stem, number);

      gst_object_set_name (GST_OBJECT (object), ours);
      g_free (ours);
    }
  }
  g_free (name);
  g_free (type);
  G_OBJECT_CLASS (parent_class)->constructed (object);
}

static void
set_device_id (gpointer object, const VhProperty * property,
    const GValue * value)
{
  Private *priv = get_private (object);

  (void) property;
  GST_OBJECT_LOCK (object);
  priv->cuda_device_id = g_value_get_int (value);
  priv->device_changed = TRUE;
  GST_OBJECT_UNLOCK (object);
}

static void
get_device_id (gpointer object, GValue * value)
{
  GST_OBJECT_LOCK (object);
  g_value_set_int (value, get_private (object)->cuda_device_id);
  GST_OBJECT_UNLOCK (object);
}

#define ANY_DEVICE -1

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  {"cuda-device-id", "CUDA device ID",
      "Number of the CUDA device to use (-1 = any)",
      G_TYPE_INT, .minimum = ANY_DEVICE, .value = ANY_DEVICE,
      .flags = GST_PARAM_MUTABLE_READY, .set = set_device_id,
      .get = get_device_id},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table = VH_PROPERTY_TABLE (properties,
    NULL);

static void
vh_base_transform_finalize (GObject * object)
{
  gst_clear_caps (&get_private (object)->caps);
  gst_clear_caps (&get_private (object)->src_caps);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

/* What to do about frames of @caps, which this element does not accept. */
static const gchar *
find_remedy (const GstCaps * caps)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  if (g_str_equal (name, "video/x-raw"))
    return gst_caps_features_is_equal (features,
        GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) ?
        "put videoconvert before it" : "put an element before it that moves "
        "frames into system memory, such as gldownload or vapostproc";
  if (g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/"))
    return "put a decoder before it, such as decodebin";
  return "link it to raw video";
}

/* Posts an error that explains which caps are refused and what to do. The base
 * class refuses them without asking the element, so the only error would be the
 * source's, that its data flow stopped. */
static GstPadProbeReturn
explain_refusal (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (!gst_pad_query_accept_caps (pad, caps)) {
    gchar *text = gst_caps_to_string (caps);

    GST_ELEMENT_ERROR (data, STREAM, WRONG_TYPE,
        ("%s does not accept these frames: %s. Their caps are %s.",
            GST_OBJECT_NAME (data), find_remedy (caps), text), (NULL));
    g_free (text);
  }
  return GST_PAD_PROBE_OK;
}

static void
vh_base_transform_init (VhBaseTransform * self)
{
  Private *priv = get_private (self);
  guint i;

  gst_pad_add_probe (GST_BASE_TRANSFORM_SINK_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, explain_refusal, self, NULL);

  /* With QoS enabled, the base class would drop video. */
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), FALSE);
  priv->cuda_device_id = ANY_DEVICE;
  priv->earliest_time = GST_CLOCK_TIME_NONE;
  for (i = 0; i < G_N_ELEMENTS (priv->warned_at); i++)
    priv->warned_at[i] = GST_CLOCK_TIME_NONE;
}

static void
add_pad_templates (GstElementClass * klass)
{
  GstCaps *caps = make_template_caps ();

  gst_element_class_add_pad_template (klass,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}

static void
vh_base_transform_class_init (VhBaseTransformClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (vh_base_transform_debug,
      "videohistogram-base", 0, "common base of the elements");

  object_class->constructed = vh_base_transform_constructed;
  object_class->finalize = vh_base_transform_finalize;
  vh_property_table_install (&property_table, klass);

  add_pad_templates (element_class);
  element_class->change_state =
      GST_DEBUG_FUNCPTR (vh_base_transform_change_state);
  element_class->set_context =
      GST_DEBUG_FUNCPTR (vh_base_transform_set_context);

  trans_class->query = GST_DEBUG_FUNCPTR (vh_base_transform_query);
  trans_class->transform_caps =
      GST_DEBUG_FUNCPTR (vh_base_transform_transform_caps);
  trans_class->set_caps =
      GST_DEBUG_FUNCPTR (vh_base_transform_set_caps);
  trans_class->prepare_output_buffer =
      GST_DEBUG_FUNCPTR (vh_base_transform_prepare_output_buffer);
  trans_class->submit_input_buffer =
      GST_DEBUG_FUNCPTR (vh_base_transform_submit_input_buffer);
  trans_class->generate_output =
      GST_DEBUG_FUNCPTR (vh_base_transform_generate_output);
  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (vh_base_transform_sink_event);
  trans_class->src_event =
      GST_DEBUG_FUNCPTR (vh_base_transform_src_event);
  trans_class->start = GST_DEBUG_FUNCPTR (vh_base_transform_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (vh_base_transform_stop);

  gst_type_mark_as_plugin_api (VH_TYPE_BASE_TRANSFORM, 0);
}
