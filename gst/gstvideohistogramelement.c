/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videohistogram
 * @title: videohistogram
 * @short_description: counts histograms of video frames
 *
 * Counts luma and RGB histograms of the frames that pass, and publishes them in
 * element messages named `videohistogram`, in a #GstVideoHistogramMeta on the
 * buffers, in the signal #GstVideoHistogramElement::histogram and in the
 * property #GstVideoHistogramElement:last-histogram. By default it posts one
 * message every 100 ms; with `interval=0` it posts one for every frame.
 *
 * The element does not touch the video: every buffer leaves with the memory,
 * times, flags and metas that it came with.
 *
 * docs/videohistogram.md lists the fields of the messages, and
 * docs/definitions.md defines every number.
 *
 * ## Statistics of luma of a test picture, without the counts
 * |[
 * gst-launch-1.0 -m videotestsrc ! videohistogram message-counts=false !
 *     fakesink
 * ]|
 *
 * ## Luma, red, green and blue of a camera, once a second
 * |[
 * gst-launch-1.0 -m v4l2src ! videohistogram channels=luma+red+green+blue
 *     interval=1000000000 ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideohistogramelement.h"
#include "overload.h"
#include "propertyparse.h"
#include "resultqueue.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_histogram_element_debug);
#define GST_CAT_DEFAULT video_histogram_element_debug

/* Kinds of warnings. */
enum
{
  WARNING_DEVICE,
};

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_ACTIVE_BACKEND,
  PROP_BACKEND_REASON,
  PROP_CHANNELS,
  PROP_BINS,
  PROP_GRID,
  PROP_ROI,
  PROP_METHOD,
  PROP_JOINT,
  PROP_JOINT_BINS,
  PROP_JOINT_WITH,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_MESSAGE_COUNTS,
  PROP_MESSAGE_BYTES,
  PROP_MESSAGE_STATISTICS,
  PROP_ATTACH_META,
  PROP_OVERLOAD,
  PROP_LAST_HISTOGRAM,
  PROP_PROCESSED,
  PROP_DROPPED,
  PROP_SKIPPED,
};

enum
{
  SIGNAL_HISTOGRAM,
  LAST_SIGNAL
};

#define DEFAULT_BACKEND GST_VIDEO_HISTOGRAM_BACKEND_AUTO
#define DEFAULT_CHANNELS GST_VIDEO_HISTOGRAM_CHANNELS_LUMA
#define DEFAULT_BINS 0
#define DEFAULT_GRID "1x1"
#define DEFAULT_ROI ""
#define DEFAULT_METHOD GST_VIDEO_HISTOGRAM_METHOD_AUTO
#define DEFAULT_JOINT GST_VIDEO_HISTOGRAM_JOINT_NONE
#define DEFAULT_JOINT_BINS 64
#define DEFAULT_JOINT_WITH ""
#define DEFAULT_POST_MESSAGES TRUE
#define DEFAULT_INTERVAL (100 * GST_MSECOND)
#define DEFAULT_MESSAGE_COUNTS TRUE
#define DEFAULT_MESSAGE_BYTES FALSE
#define DEFAULT_MESSAGE_STATISTICS TRUE
#define DEFAULT_ATTACH_META GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO
#define DEFAULT_OVERLOAD GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO

/* How long EOS and new caps wait while no result arrives. New caps wait less
 * for video that must not be held up. */
#define DRAIN_PATIENCE (2 * GST_SECOND)
#define HURRIED_PATIENCE (300 * GST_MSECOND)

struct _GstVideoHistogramElement
{
  VhBaseTransform parent;

  GstVideoHistogramEngine *engine;
  VhResultQueue *results;       /* on their way to the application */

  /* properties, protected by the object lock */
  GstVideoHistogramBackend backend;
  GstVideoHistogramSpec spec;
  gchar *grid;                  /* as set */
  gchar *roi;                   /* as set */
  gchar *joint_with;            /* as set */
  gboolean post_messages;
  GstClockTime interval;        /* ns, 0: every frame */
  gboolean message_counts;
  gboolean message_bytes;
  gboolean message_statistics;
  GstVideoHistogramAttachMeta attach_meta;
  GstVideoHistogramOverloadPolicy overload;
  GstVideoHistogram *last_histogram;
  guint64 processed;            /* frames analysed */
  guint64 dropped;              /* analyses left out on overload */
  guint64 skipped;              /* frames that could not be analysed */
  gboolean spec_changed;        /* since the engine was configured */

  /* streaming thread */
  gboolean configured;          /* the engine, for caps and spec */
  gboolean wants_meta;
  GstVideoHistogramOverload engine_overload;    /* as last set */
  GstClockTime last_due;        /* when a result was last due, ns; NONE at
                                 * first */
  GstClockTime last_analysed;   /* the same, without dropped frames */
  gboolean frame_warned;        /* about a bad frame, since the last caps */
  gboolean degraded;            /* as last reported by the engine */
  gchar *method_problem;        /* the last one reported, or NULL */
  gchar *other_problem;         /* why joint-with names no usable element, or
                                 * NULL; protected by the object lock */
  gchar *joint_problem;         /* the last one reported, or NULL */
};

static guint signals[LAST_SIGNAL];

G_DEFINE_TYPE (GstVideoHistogramElement, gst_video_histogram_element,
    VH_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (videohistogram, "videohistogram", GST_RANK_NONE,
    GST_TYPE_VIDEO_HISTOGRAM_ELEMENT);

#define parent_class gst_video_histogram_element_parent_class

/* Caps */

/* Returns the element called @name in the pipeline, or NULL. */
static GstElement *
find_element (GstVideoHistogramElement * self, const gchar * name)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self)), *parent;
  GstElement *found = NULL;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  return found;
}

/* Finds the element that joint-with names. This element uses only the other
 * element's engine, and reads only the luma that this engine keeps of its
 * frames. */
static void
find_other (GstVideoHistogramElement * self, const GstVideoHistogramSpec * spec,
    const gchar * name)
{
  GstVideoHistogramEngine *engine = NULL;
  GstElement *other = NULL;
  gchar *problem = NULL;

  if (spec->joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    if (*name)
      other = find_element (self, name);
    if (other && other != GST_ELEMENT (self))
      engine = gst_video_histogram_engine_find (other);
    if (!*name) {
      problem = g_strdup ("joint=other needs the name of another "
          "videohistogram in joint-with");
    } else if (!engine) {
      problem = g_strdup_printf ("joint-with=%s is not the name of another "
          "videohistogram in this pipeline", name);
    }
    GST_DEBUG_OBJECT (self, "joint-with=%s is %s", name,
        engine ? "found" : "not found");
  }
  gst_video_histogram_engine_set_joint_other (self->engine, engine);
  /* The streaming thread may call this at the same time: frames may come while
   * the element starts. */
  GST_OBJECT_LOCK (self);
  g_free (self->other_problem);
  self->other_problem = problem;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&engine);
  gst_clear_object (&other);
}

/* Finds the other element before frames come, so that it keeps the luma of its
 * first frames for this element. */
static void
find_other_early (GstVideoHistogramElement * self)
{
  GstVideoHistogramSpec spec;
  gchar *joint_with;

  GST_OBJECT_LOCK (self);
  spec = self->spec;
  joint_with = g_strdup (self->joint_with);
  GST_OBJECT_UNLOCK (self);
  find_other (self, &spec, joint_with);
  g_free (joint_with);
}

/* Configures the engine for the caps and the current properties. Properties
 * that make no sense for these caps stop the analysis, not the video. */
static gboolean
configure (GstVideoHistogramElement * self, GstCaps * caps)
{
  GstVideoHistogramSpec spec;
  GError *error = NULL;
  gboolean bad_format;
  gchar *joint_with;

  GST_OBJECT_LOCK (self);
  spec = self->spec;
  joint_with = g_strdup (self->joint_with);
  self->spec_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  find_other (self, &spec, joint_with);
  g_free (joint_with);
  self->configured = gst_video_histogram_engine_configure (self->engine, caps,
      &spec, &error);
  if (self->configured) {
    GST_DEBUG_OBJECT (self, "configured: counting on %s",
        gst_video_histogram_engine_get_active_backend (self->engine));
    return TRUE;
  }

  bad_format = g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_FORMAT);
  if (bad_format) {
    GST_ERROR_OBJECT (self, "Couldn't configure: %s", error->message);
  } else {
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Frames pass without being analysed: %s.", error->message), (NULL));
  }
  g_error_free (error);
  return !bad_format;
}

static gboolean
gst_video_histogram_element_configure (VhBaseTransform * base,
    GstCaps * caps)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (base);

  self->frame_warned = FALSE;
  return configure (self, caps);
}

/* Results */

/* Publishes a complete histogram to the application. */
static void
publish (GstVideoHistogramElement * self, GstVideoHistogram * histogram,
    gboolean due)
{
  GstVideoHistogramStructureFlags flags = 0;
  GstVideoHistogram *old;
  gboolean post;

  GST_OBJECT_LOCK (self);
  old = self->last_histogram;
  self->last_histogram = gst_video_histogram_ref (histogram);
  post = due && self->post_messages;
  if (self->message_counts)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS;
  if (self->message_bytes)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES;
  if (self->message_statistics)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS;
  GST_OBJECT_UNLOCK (self);
  gst_clear_video_histogram (&old);

  g_signal_emit (self, signals[SIGNAL_HISTOGRAM], 0, histogram);
  if (post) {
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_video_histogram_to_structure (histogram, flags)));
  }
}

static void
count_frame (GstVideoHistogramElement * self, guint64 * counter)
{
  GST_OBJECT_LOCK (self);
  *counter += 1;
  GST_OBJECT_UNLOCK (self);
}

/* Takes a finished result: see VhResultFunc. The application may drop its last
 * reference to the element in a handler. */
static void
finish_result (gpointer element, GstVideoHistogram * histogram, gboolean due)
{
  GstVideoHistogramElement *self = gst_object_ref (element);

  GST_LOG_OBJECT (self, "result of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (gst_video_histogram_get_info (histogram)->timestamp));
  if (gst_video_histogram_get_state (histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE) {
    count_frame (self, &self->processed);
    publish (self, histogram, due);
  } else {
    count_frame (self, &self->skipped);
  }
  gst_object_unref (self);
}

/* Schedule */

static void
reset_schedule (GstVideoHistogramElement * self)
{
  self->last_due = GST_CLOCK_TIME_NONE;
  self->last_analysed = GST_CLOCK_TIME_NONE;
}

static void
gst_video_histogram_element_restart (VhBaseTransform * base)
{
  reset_schedule (GST_VIDEO_HISTOGRAM_ELEMENT (base));
}

static GstVideoHistogramOverloadPolicy
get_overload (GstVideoHistogramElement * self)
{
  GstVideoHistogramOverloadPolicy overload;

  GST_OBJECT_LOCK (self);
  overload = self->overload;
  GST_OBJECT_UNLOCK (self);
  return overload;
}

static void
drop_analysis (GstVideoHistogramElement * self, GstBuffer * buffer,
    GstClockTime now, const gchar * reason)
{
  guint64 processed, dropped;

  GST_OBJECT_LOCK (self);
  processed = self->processed;
  dropped = ++self->dropped;
  GST_OBJECT_UNLOCK (self);

  GST_LOG_OBJECT (self, "analysis of %" GST_PTR_FORMAT " dropped: %s", buffer,
      reason);
  vh_base_transform_post_qos (VH_BASE_TRANSFORM (self),
      buffer, now, processed, dropped);
}

/* Frames */

/* Warns once per caps that a frame cannot be read, and counts it. */
static void
skip_frame (GstVideoHistogramElement * self, GstBuffer * buffer,
    const GError * error)
{
  count_frame (self, &self->skipped);
  if (self->frame_warned) {
    GST_LOG_OBJECT (self, "skipped %" GST_PTR_FORMAT ": %s", buffer,
        error->message);
    return;
  }
  self->frame_warned = TRUE;
  GST_WARNING_OBJECT (self, "skipped %" GST_PTR_FORMAT ": %s", buffer,
      error->message);
}

/* When a device starts to fail or works again, emits notify for the properties
 * about the backend; when it starts to fail, also posts a warning. */
static void
watch_engine (GstVideoHistogramElement * self)
{
  const gboolean degraded =
      gst_video_histogram_engine_is_degraded (self->engine);
  gboolean cpu;
  gchar *reason;

  if (degraded == self->degraded)
    return;
  self->degraded = degraded;
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "backend-reason");

  if (!degraded) {
    GST_INFO_OBJECT (self, "the GPU counts again");
    return;
  }
  cpu = g_strcmp0 (gst_video_histogram_engine_get_active_backend (self->engine),
      "cpu") == 0;
  reason = gst_video_histogram_engine_dup_backend_reason (self->engine);
  GST_INFO_OBJECT (self, "the GPU cannot count: %s", reason);
  vh_base_transform_warn (VH_BASE_TRANSFORM (self),
      WARNING_DEVICE, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "The GPU cannot count: %s. %s", reason,
      cpu ? "Frames are counted on the CPU." :
      "Frames pass without being analysed.");
  g_free (reason);
}

/* Takes @problem. If it is a new one, differing from the one reported last,
 * stores it in @reported and returns TRUE. */
static gboolean
is_news (gchar ** reported, gchar * problem)
{
  if (!problem || g_strcmp0 (problem, *reported) == 0) {
    g_free (problem);
    return FALSE;
  }
  g_free (*reported);
  *reported = problem;
  return TRUE;
}

/* Warns once if the requested method cannot count these frames. */
static void
watch_method (GstVideoHistogramElement * self)
{
  if (is_news (&self->method_problem,
          gst_video_histogram_engine_dup_method_problem (self->engine))) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s Frames are counted with "
            "method=auto.", self->method_problem), (NULL));
  }
}

/* Warns once if the requested joint histograms are not counted. watch_engine()
 * reports a device that fails. */
static void
watch_joint (GstVideoHistogramElement * self)
{
  gboolean missing;
  gchar *problem;

  GST_OBJECT_LOCK (self);
  problem = g_strdup (self->other_problem);
  GST_OBJECT_UNLOCK (self);
  missing = problem != NULL;
  if (!missing)
    problem = gst_video_histogram_engine_dup_joint_problem (self->engine);
  if (is_news (&self->joint_problem, problem) && (!self->degraded || missing)) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("No joint histograms are counted: %s.", self->joint_problem), (NULL));
  }
}

static void
set_overload (GstVideoHistogramElement * self,
    GstVideoHistogramOverload overload)
{
  if (overload == self->engine_overload)
    return;
  GST_DEBUG_OBJECT (self, "frames that the device has no room for %s",
      overload == GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT ? "wait" :
      "are not analysed");
  gst_video_histogram_engine_set_overload (self->engine, overload);
  self->engine_overload = overload;
}

static void
analyse (GstVideoHistogramElement * self, GstBuffer * buffer, gboolean due,
    GstClockTime now)
{
  const GstSegment segment = GST_BASE_TRANSFORM (self)->segment;
  GError *error = NULL;
  GstVideoHistogram *histogram;

  set_overload (self, vh_overload_waits (get_overload (self),
          VH_BASE_TRANSFORM (self), now) ?
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT : GST_VIDEO_HISTOGRAM_OVERLOAD_DROP);
  histogram = gst_video_histogram_engine_submit (self->engine, buffer, &segment,
      self->wants_meta && gst_buffer_is_writable (buffer), &error);

  if (histogram) {
    GST_LOG_OBJECT (self, "counting %" GST_PTR_FORMAT, buffer);
    vh_result_queue_push (self->results, histogram, due);
  } else if (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD)) {
    drop_analysis (self, buffer, now, error->message);
  } else {
    skip_frame (self, buffer, error);
  }
  g_clear_error (&error);
  watch_engine (self);
  watch_method (self);
  watch_joint (self);
}

static GstFlowReturn
gst_video_histogram_element_transform_ip (GstBaseTransform * trans,
    GstBuffer * buffer)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);
  VhBaseTransform *base = VH_BASE_TRANSFORM (trans);
  const GstClockTime now = vh_base_transform_get_time (base, buffer);
  GstCaps *caps = vh_base_transform_get_caps (base);
  GstClockTime interval;
  gboolean due, changed;

  GST_OBJECT_LOCK (self);
  interval = self->interval;
  changed = self->spec_changed;
  GST_OBJECT_UNLOCK (self);

  due = vh_has_passed (self->last_due, interval, now);
  if (!due && !self->wants_meta)
    return GST_FLOW_OK;
  /* In passthrough, the base class also passes on frames without caps. */
  if (changed && caps)
    configure (self, caps);
  if (!self->configured) {
    count_frame (self, &self->skipped);
    return GST_FLOW_OK;
  }

  if (due)
    self->last_due = now;
  if (vh_overload_is_too_late (get_overload (self), base, now,
          self->last_analysed)) {
    drop_analysis (self, buffer, now, "video is late");
    return GST_FLOW_OK;
  }
  self->last_analysed = now;
  analyse (self, buffer, due, now);
  return GST_FLOW_OK;
}

/* Whether downstream's ALLOCATION answer names the meta. */
static gboolean
downstream_wants_meta (GstVideoHistogramElement * self)
{
  GstQuery *query = gst_query_new_allocation
      (vh_base_transform_get_caps (VH_BASE_TRANSFORM (self)),
      FALSE);
  gboolean wants;

  wants = gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (self), query)
      && gst_query_find_allocation_meta (query,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);
  gst_query_unref (query);
  return wants;
}

/* A meta needs a writable buffer, and thus no passthrough: the base class then
 * makes a new GstBuffer around the same memories if something else holds the
 * incoming one. */
static void
gst_video_histogram_element_downstream_changed (VhBaseTransform *
    base)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (base);
  GstVideoHistogramAttachMeta attach_meta;

  GST_OBJECT_LOCK (self);
  attach_meta = self->attach_meta;
  GST_OBJECT_UNLOCK (self);

  self->wants_meta = attach_meta == GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS
      || (attach_meta == GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO
      && downstream_wants_meta (self));
  GST_DEBUG_OBJECT (self, "meta is %swanted", self->wants_meta ? "" : "not ");
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self),
      !self->wants_meta);
}

/* Events */

static void
drain (GstVideoHistogramElement * self, GstClockTime patience)
{
  GST_DEBUG_OBJECT (self, "waiting for the results of all frames");
  vh_result_queue_drain (self->results, patience);
}

static gboolean
gst_video_histogram_element_sink_event (GstBaseTransform * trans,
    GstEvent * event)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      drain (self, self->engine_overload == GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT ?
          DRAIN_PATIENCE : HURRIED_PATIENCE);
      break;
    case GST_EVENT_EOS:
      gst_video_histogram_engine_end_frames (self->engine, FALSE);
      drain (self, DRAIN_PATIENCE);
      break;
    case GST_EVENT_FLUSH_START:
      vh_result_queue_begin_flush (self->results);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_video_histogram_engine_end_frames (self->engine, TRUE);
      vh_result_queue_end_flush (self->results, HURRIED_PATIENCE);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* States */

static gboolean
gst_video_histogram_element_start (GstBaseTransform * trans)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);

  GST_OBJECT_LOCK (self);
  self->processed = self->dropped = self->skipped = 0;
  GST_OBJECT_UNLOCK (self);
  find_other_early (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
gst_video_histogram_element_stop (GstBaseTransform * trans)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);

  vh_result_queue_stop (self->results, HURRIED_PATIENCE);
  gst_video_histogram_engine_end_frames (self->engine, TRUE);
  gst_video_histogram_engine_set_joint_other (self->engine, NULL);
  self->configured = FALSE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
gst_video_histogram_element_open (VhBaseTransform * base,
    gint cuda_device_id)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (base);
  GstVideoHistogramBackend backend;
  GError *error = NULL;
  gchar *reason;

  GST_OBJECT_LOCK (self);
  backend = self->backend;
  GST_OBJECT_UNLOCK (self);

  if (!gst_video_histogram_engine_open (self->engine, backend, cuda_device_id,
          GST_ELEMENT (self), &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("Cannot count on the GPU: %s. Use backend=auto or backend=cpu to "
            "count on the CPU.", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }

  reason = gst_video_histogram_engine_dup_backend_reason (self->engine);
  GST_INFO_OBJECT (self, "counting on %s%s%s",
      gst_video_histogram_engine_get_active_backend (self->engine),
      *reason ? ": " : "", reason);
  g_free (reason);
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "backend-reason");
  return TRUE;
}

static void
gst_video_histogram_element_close (VhBaseTransform * base)
{
  gst_video_histogram_engine_close
      (GST_VIDEO_HISTOGRAM_ELEMENT (base)->engine);
}

/* On the way to READY, makes the streaming thread stop waiting for results: if
 * the application stops the pipeline from a handler of a result, no more
 * results come. */
static GstStateChangeReturn
gst_video_histogram_element_change_state (GstElement * element,
    GstStateChange transition)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    vh_result_queue_set_ending (self->results, FALSE);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    vh_result_queue_set_ending (self->results, TRUE);
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* Contexts and memory */

static void
gst_video_histogram_element_take_context (VhBaseTransform * base,
    GstContext * context)
{
  gst_video_histogram_engine_set_context
      (GST_VIDEO_HISTOGRAM_ELEMENT (base)->engine, context);
}

static gboolean
gst_video_histogram_element_answer_context (VhBaseTransform * base,
    GstQuery * query)
{
  return gst_video_histogram_engine_answer_context_query
      (GST_VIDEO_HISTOGRAM_ELEMENT (base)->engine, query);
}

/* Passes on downstream's answer. If downstream has no pool, offers one of
 * memory that the GPU reads directly. */
static gboolean
gst_video_histogram_element_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);
  gboolean answered;

  answered = GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
      decide_query, query);
  gst_video_histogram_engine_propose_allocation (self->engine, query);
  return answered || gst_query_get_n_allocation_pools (query) > 0;
}

/* Properties */

static void
set_text (GstVideoHistogramElement * self, const GParamSpec * pspec,
    const GValue * value, gchar ** text,
    gboolean (*parse) (const gchar *, GstVideoHistogramSpec *),
    const gchar * allowed)
{
  const gchar *string = g_value_get_string (value);
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = parse (string, &self->spec);
  if (ok) {
    g_free (*text);
    *text = g_strdup (string ? string : "");
    self->spec_changed = TRUE;
  }
  GST_OBJECT_UNLOCK (self);

  if (!ok) {
    g_warning ("%s: %s=%s is not allowed and was not set: it must be %s",
        GST_OBJECT_NAME (self), pspec->name, string ? string : "(null)",
        allowed);
  }
}

static void
set_channels (GstVideoHistogramElement * self,
    GstVideoHistogramChannels channels)
{
  if (channels == 0) {
    g_warning ("%s: channels=0 is not allowed and was not set: it must be at "
        "least one of luma, red, green, blue, gradient, for example luma+red",
        GST_OBJECT_NAME (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  self->spec.channels = channels;
  self->spec_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

/* Sets @field of the spec. */
static void
set_bins (GstVideoHistogramElement * self, guint bins, guint * field)
{
  GST_OBJECT_LOCK (self);
  *field = bins;
  self->spec_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

/* Naming another element requests joint histograms with its stream. */
static void
set_joint_with (GstVideoHistogramElement * self, const gchar * name)
{
  GST_OBJECT_LOCK (self);
  g_free (self->joint_with);
  self->joint_with = g_strdup (name ? name : "");
  if (*self->joint_with)
    self->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_OTHER;
  else if (self->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
    self->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_NONE;
  self->spec_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_video_histogram_element_set_property (GObject * object, guint prop_id,
    const GValue * value, GParamSpec * pspec)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (object);

  switch (prop_id) {
    case PROP_CHANNELS:
      set_channels (self, g_value_get_flags (value));
      return;
    case PROP_BINS:
      set_bins (self, g_value_get_uint (value), &self->spec.bins);
      return;
    case PROP_JOINT_BINS:
      set_bins (self, g_value_get_uint (value), &self->spec.joint_bins);
      return;
    case PROP_JOINT_WITH:
      set_joint_with (self, g_value_get_string (value));
      g_object_notify (object, "joint");
      return;
    case PROP_GRID:
      set_text (self, pspec, value, &self->grid, vh_parse_grid,
          VH_GRID_ALLOWED);
      return;
    case PROP_ROI:
      set_text (self, pspec, value, &self->roi, vh_parse_roi, VH_ROI_ALLOWED);
      return;
    case PROP_INTERVAL:
      if (!vh_property_takes_time (self, pspec, g_value_get_uint64 (value)))
        return;
      break;
    default:
      break;
  }

  GST_OBJECT_LOCK (self);
  switch (prop_id) {
    case PROP_BACKEND:
      self->backend = g_value_get_enum (value);
      vh_base_transform_set_device_changed
          (VH_BASE_TRANSFORM (self));
      break;
    case PROP_METHOD:
      self->spec.method = g_value_get_enum (value);
      self->spec_changed = TRUE;
      break;
    case PROP_JOINT:
      self->spec.joint = g_value_get_enum (value);
      self->spec_changed = TRUE;
      break;
    case PROP_POST_MESSAGES:
      self->post_messages = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      self->interval = g_value_get_uint64 (value);
      break;
    case PROP_MESSAGE_COUNTS:
      self->message_counts = g_value_get_boolean (value);
      break;
    case PROP_MESSAGE_BYTES:
      self->message_bytes = g_value_get_boolean (value);
      break;
    case PROP_MESSAGE_STATISTICS:
      self->message_statistics = g_value_get_boolean (value);
      break;
    case PROP_ATTACH_META:
      self->attach_meta = g_value_get_enum (value);
      vh_base_transform_check_downstream
          (VH_BASE_TRANSFORM (self));
      break;
    case PROP_OVERLOAD:
      self->overload = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_video_histogram_element_get_property (GObject * object, guint prop_id,
    GValue * value, GParamSpec * pspec)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (object);

  GST_OBJECT_LOCK (self);
  switch (prop_id) {
    case PROP_BACKEND:
      g_value_set_enum (value, self->backend);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value,
          gst_video_histogram_engine_get_active_backend (self->engine));
      break;
    case PROP_BACKEND_REASON:
      g_value_take_string (value,
          gst_video_histogram_engine_dup_backend_reason (self->engine));
      break;
    case PROP_CHANNELS:
      g_value_set_flags (value, self->spec.channels);
      break;
    case PROP_BINS:
      g_value_set_uint (value, self->spec.bins);
      break;
    case PROP_GRID:
      g_value_set_string (value, self->grid);
      break;
    case PROP_ROI:
      g_value_set_string (value, self->roi);
      break;
    case PROP_METHOD:
      g_value_set_enum (value, self->spec.method);
      break;
    case PROP_JOINT:
      g_value_set_enum (value, self->spec.joint);
      break;
    case PROP_JOINT_BINS:
      g_value_set_uint (value, self->spec.joint_bins);
      break;
    case PROP_JOINT_WITH:
      g_value_set_string (value, self->joint_with);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, self->post_messages);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, self->interval);
      break;
    case PROP_MESSAGE_COUNTS:
      g_value_set_boolean (value, self->message_counts);
      break;
    case PROP_MESSAGE_BYTES:
      g_value_set_boolean (value, self->message_bytes);
      break;
    case PROP_MESSAGE_STATISTICS:
      g_value_set_boolean (value, self->message_statistics);
      break;
    case PROP_ATTACH_META:
      g_value_set_enum (value, self->attach_meta);
      break;
    case PROP_OVERLOAD:
      g_value_set_enum (value, self->overload);
      break;
    case PROP_LAST_HISTOGRAM:
      g_value_set_boxed (value, self->last_histogram);
      break;
    case PROP_PROCESSED:
      g_value_set_uint64 (value, self->processed);
      break;
    case PROP_DROPPED:
      g_value_set_uint64 (value, self->dropped);
      break;
    case PROP_SKIPPED:
      g_value_set_uint64 (value, self->skipped);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_video_histogram_element_finalize (GObject * object)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (object);

  vh_result_queue_free (self->results);
  g_object_unref (self->engine);
  gst_clear_video_histogram (&self->last_histogram);
  g_free (self->grid);
  g_free (self->roi);
  g_free (self->joint_with);
  g_free (self->method_problem);
  g_free (self->other_problem);
  g_free (self->joint_problem);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_histogram_element_init (GstVideoHistogramElement * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_in_place (trans, TRUE);
  gst_base_transform_set_passthrough (trans, TRUE);

  self->engine = gst_video_histogram_engine_new ();
  self->results = vh_result_queue_new (finish_result, self);
  gst_video_histogram_spec_init (&self->spec);
  self->spec.joint_bins = DEFAULT_JOINT_BINS;
  self->backend = DEFAULT_BACKEND;
  self->grid = g_strdup (DEFAULT_GRID);
  self->roi = g_strdup (DEFAULT_ROI);
  self->joint_with = g_strdup (DEFAULT_JOINT_WITH);
  self->post_messages = DEFAULT_POST_MESSAGES;
  self->interval = DEFAULT_INTERVAL;
  self->message_counts = DEFAULT_MESSAGE_COUNTS;
  self->message_bytes = DEFAULT_MESSAGE_BYTES;
  self->message_statistics = DEFAULT_MESSAGE_STATISTICS;
  self->attach_meta = DEFAULT_ATTACH_META;
  self->overload = DEFAULT_OVERLOAD;
  reset_schedule (self);
}

static void
install_properties (GObjectClass * klass)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  /**
   * GstVideoHistogramElement:backend:
   *
   * Where to count. Without a usable GPU, `cuda` is an error on the way to
   * READY, and `auto` counts on the CPU;
   * #GstVideoHistogramElement:backend-reason says why.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend",
          "Where to count: auto (on the GPU where that is faster, otherwise on "
          "the CPU), cpu, cuda (fail to start if there is no usable GPU)",
          GST_TYPE_VIDEO_HISTOGRAM_BACKEND, DEFAULT_BACKEND, ready));

  /**
   * GstVideoHistogramElement:active-backend:
   *
   * Where frames are counted now: `cpu`, `cuda`, or `none` while counting
   * fails; %NULL in the NULL state.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "Where frames are counted now: cpu, cuda, or none while counting "
          "fails (null = the element is in the NULL state)", NULL, readable));

  /**
   * GstVideoHistogramElement:backend-reason:
   *
   * Why the other backend is not in use, or why counting fails; empty if the
   * other backend was not tried.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_BACKEND_REASON,
      g_param_spec_string ("backend-reason", "Backend reason",
          "Why the other backend is not in use, or why counting fails "
          "(empty = the other backend was not tried)", NULL, readable));

  /**
   * GstVideoHistogramElement:channels:
   *
   * What to count, for example `luma+red`.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_CHANNELS,
      g_param_spec_flags ("channels", "Channels",
          "What to count, joined by +, such as luma+red: luma, red, green, "
          "blue, gradient (how much the luma of neighbouring pixels differs)",
          GST_TYPE_VIDEO_HISTOGRAM_CHANNELS, DEFAULT_CHANNELS, playing));

  /**
   * GstVideoHistogramElement:bins:
   *
   * Bins of each channel; 0 means 256 for 8-bit video, 1024 for up to 10 bits
   * and 4096 above.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_BINS,
      g_param_spec_uint ("bins", "Bins",
          "Bins of each channel (0 = by the depth of the video: 256 for 8 "
          "bits, 1024 for up to 10 bits, 4096 above)", 0,
          GST_VIDEO_HISTOGRAM_MAX_BINS, DEFAULT_BINS, playing));

  /**
   * GstVideoHistogramElement:grid:
   *
   * Cells that are counted separately, as COLUMNSxROWS, each from 1 to 64. The
   * grid divides the region of #GstVideoHistogramElement:roi.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_GRID,
      g_param_spec_string ("grid", "Grid",
          "Cells of roi to count separately, as COLUMNSxROWS, up to 64x64 "
          "(1x1 = off: count it as a whole)",
          DEFAULT_GRID, playing));

  /**
   * GstVideoHistogramElement:roi:
   *
   * Region to count, X,Y,WIDTH,HEIGHT in pixels of the picture; parts outside
   * the picture are ignored. Empty for the whole picture.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_ROI,
      g_param_spec_string ("roi", "Region of interest",
          "Region to count, as X,Y,WIDTH,HEIGHT in pixels, such as "
          "0,0,640,360 (empty = the whole picture)",
          DEFAULT_ROI, playing));

  /**
   * GstVideoHistogramElement:method:
   *
   * How a GPU counts; the CPU ignores it. Use `auto`: it picks the fastest
   * method, and all methods give the same counts. The others are for study and
   * comparison. `tagged-warps` and `thread-tables` also count joint histograms.
   * With all other methods, joint histograms use a method of their own.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_METHOD,
      g_param_spec_enum ("method", "Method",
          "How a GPU counts. Use auto, the fastest; the other methods give the "
          "same counts and are for study and comparison (docs/algorithms.md). "
          "The CPU ignores this",
          GST_TYPE_VIDEO_HISTOGRAM_METHOD, DEFAULT_METHOD, playing));

  /**
   * GstVideoHistogramElement:joint:
   *
   * The joint histogram to count as well. It measures how much one value says
   * about the other: messages carry mutual information and the correlation
   * ratio, and gst_video_histogram_get_joint() returns the counts.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_JOINT,
      g_param_spec_enum ("joint", "Joint histogram",
          "Also count pairs of values: none (off), chroma (U and V of each "
          "pixel), previous (luma of this frame and the previous one: how "
          "alike they are), other (luma of this frame and the frame of "
          "joint-with that has the same running time)",
          GST_TYPE_VIDEO_HISTOGRAM_JOINT, DEFAULT_JOINT, playing));

  /**
   * GstVideoHistogramElement:joint-bins:
   *
   * Bins of each axis of the joint histogram.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_JOINT_BINS,
      g_param_spec_uint ("joint-bins", "Joint bins",
          "Bins on each axis of the joint histogram", 1,
          GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS, DEFAULT_JOINT_BINS, playing));

  /**
   * GstVideoHistogramElement:joint-with:
   *
   * Name of another videohistogram in the pipeline. The joint histogram pairs
   * the luma of each frame with the luma of the frame with the same running
   * time that the other element analysed. Setting a name sets
   * #GstVideoHistogramElement:joint to `other`.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_JOINT_WITH,
      g_param_spec_string ("joint-with", "Joint with",
          "Name of another videohistogram in this pipeline: each frame is "
          "compared with the frame that has the same running time there; sets "
          "joint=other (empty = off)",
          DEFAULT_JOINT_WITH, playing));

  /**
   * GstVideoHistogramElement:post-messages:
   *
   * Whether results are posted as element messages.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message named videohistogram on the bus, at most "
          "once per interval", DEFAULT_POST_MESSAGES, playing));

  /**
   * GstVideoHistogramElement:interval:
   *
   * Minimum time between two messages, in ns of running time: 0, or at least
   * %GST_VIDEO_HISTOGRAM_MIN_TIME. Frames in between are analysed only if a
   * meta is wanted, and cost nothing otherwise.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Minimum time between two messages, in ns: 1000000 (1 ms) or more "
          "(0 = a message for every frame)", 0,
          G_MAXUINT64, DEFAULT_INTERVAL, playing));

  /**
   * GstVideoHistogramElement:message-counts:
   *
   * Whether messages carry the counts.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_MESSAGE_COUNTS,
      g_param_spec_boolean ("message-counts", "Message counts",
          "Include the counts in messages; without them messages are small and "
          "have only statistics", DEFAULT_MESSAGE_COUNTS, playing));

  /**
   * GstVideoHistogramElement:message-bytes:
   *
   * Whether messages carry the counts as #GBytes of 32-bit little-endian
   * numbers, which is many times faster than arrays.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_MESSAGE_BYTES,
      g_param_spec_boolean ("message-bytes", "Message bytes",
          "Store the counts in messages as bytes (GBytes of 32-bit "
          "little-endian numbers) instead of arrays, which is faster",
          DEFAULT_MESSAGE_BYTES, playing));

  /**
   * GstVideoHistogramElement:message-statistics:
   *
   * Whether messages carry the statistics.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_MESSAGE_STATISTICS,
      g_param_spec_boolean ("message-statistics", "Message statistics",
          "Include statistics in messages: mean, percentiles, entropy and more",
          DEFAULT_MESSAGE_STATISTICS, playing));

  /**
   * GstVideoHistogramElement:attach-meta:
   *
   * Whether to attach a #GstVideoHistogramMeta to the frames. If so, every
   * frame is analysed.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_ATTACH_META,
      g_param_spec_enum ("attach-meta", "Attach meta",
          "Analyse every frame and attach a GstVideoHistogramMeta to it: auto "
          "(if downstream asks for it in the ALLOCATION query, which "
          "videoequalize does), always, never",
          GST_TYPE_VIDEO_HISTOGRAM_ATTACH_META, DEFAULT_ATTACH_META, playing));

  /**
   * GstVideoHistogramElement:overload:
   *
   * What to do with a frame when the device is busy with earlier ones. `drop`
   * passes it on without analysis. `wait` waits until there is room, so that
   * every frame is analysed, even if that makes the video late. `auto` drops in
   * live pipelines and while downstream reports that video is late, and waits
   * otherwise. The wait ends if the device makes no progress for two seconds.
   * The video itself is never dropped.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_OVERLOAD,
      g_param_spec_enum ("overload", "Overload",
          "What to do when frames come faster than the device counts: auto "
          "(drop in live pipelines and while video is late, otherwise wait), "
          "drop (pass the frame without analysis), wait (analyse every frame, "
          "even if video gets late)",
          GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD_POLICY, DEFAULT_OVERLOAD, playing));

  /**
   * GstVideoHistogramElement:last-histogram:
   *
   * The last complete histogram, or %NULL before the first.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_LAST_HISTOGRAM,
      g_param_spec_boxed ("last-histogram", "Last histogram",
          "The last complete histogram (null = none yet)",
          GST_TYPE_VIDEO_HISTOGRAM, readable));

  /**
   * GstVideoHistogramElement:processed:
   *
   * Frames analysed since the element left READY.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_PROCESSED,
      g_param_spec_uint64 ("processed", "Processed",
          "Frames analysed since the element was started", 0, G_MAXUINT64, 0,
          readable));

  /**
   * GstVideoHistogramElement:dropped:
   *
   * Frames since the element left READY that should have been analysed but
   * passed without analysis because the video was late or the device was busy.
   * The video itself is never dropped.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_DROPPED,
      g_param_spec_uint64 ("dropped", "Dropped",
          "Frames that passed without analysis because of overload", 0,
          G_MAXUINT64, 0, readable));

  /**
   * GstVideoHistogramElement:skipped:
   *
   * Frames since the element left READY that were due and could not be
   * analysed: the buffer does not hold the frame that its caps and metas
   * promise, the region lies outside the picture, or counting failed.
   *
   * Since: 0.1
   */
  g_object_class_install_property (klass, PROP_SKIPPED,
      g_param_spec_uint64 ("skipped", "Skipped",
          "Frames that were due but could not be analysed, because they were "
          "malformed or counting failed", 0, G_MAXUINT64, 0, readable));
}

static void
gst_video_histogram_element_class_init (GstVideoHistogramElementClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhBaseTransformClass *base_class = VH_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (video_histogram_element_debug, "videohistogram", 0,
      "videohistogram element");

  object_class->set_property = gst_video_histogram_element_set_property;
  object_class->get_property = gst_video_histogram_element_get_property;
  object_class->finalize = gst_video_histogram_element_finalize;
  install_properties (object_class);

  /**
   * GstVideoHistogramElement::histogram:
   * @element: the element
   * @histogram: a complete #GstVideoHistogram
   *
   * Emitted for each complete histogram, from a streaming thread.
   *
   * Since: 0.1
   */
  signals[SIGNAL_HISTOGRAM] = g_signal_new ("histogram",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 1, GST_TYPE_VIDEO_HISTOGRAM);

  gst_element_class_set_static_metadata (element_class, "Video histogram",
      "Filter/Analyzer/Video",
      "Counts luma and RGB histograms of video frames, on the GPU or the CPU",
      "The gst-videohistogram developers");

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_change_state);

  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_propose_allocation);
  trans_class->transform_ip =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_transform_ip);
  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_sink_event);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_video_histogram_element_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_histogram_element_stop);

  base_class->open = GST_DEBUG_FUNCPTR (gst_video_histogram_element_open);
  base_class->close = GST_DEBUG_FUNCPTR (gst_video_histogram_element_close);
  base_class->take_context =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_take_context);
  base_class->answer_context =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_answer_context);
  base_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_configure);
  base_class->restart = GST_DEBUG_FUNCPTR (gst_video_histogram_element_restart);
  base_class->downstream_changed =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_downstream_changed);

}
