/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyser.h"
#include "propertytable.h"

/* This file logs in the category of the element's class. */
#define GST_CAT_DEFAULT (get_class (self)->category)

/* The kind of warning of this class, after the kinds of elements. */
#define WARNING_DEVICE (VH_MAX_WARNINGS - 1)

/* However late the video is, one frame per this interval is analysed: a display
 * that cannot keep up must not stop the messages. */
#define LATE_INTERVAL GST_SECOND

G_DEFINE_ABSTRACT_TYPE (VhAnalyser, vh_analyser, VH_TYPE_BASE_TRANSFORM);

#define parent_class vh_analyser_parent_class
#define get_class(self) G_TYPE_INSTANCE_GET_CLASS (self, VH_TYPE_ANALYSER, \
    VhAnalyserClass)

/* Caps */

/* Configures the engine for the caps and the current properties. Properties
 * that make no sense for these caps stop the analysis, not the video. */
static gboolean
configure_engine (VhAnalyser * self, GstCaps * caps)
{
  VhAnalyserClass *klass = get_class (self);
  GstVideoHistogramSpec spec;
  GError *error = NULL;
  gboolean bad_format;

  GST_OBJECT_LOCK (self);
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  gst_video_histogram_spec_init (&spec);
  self->configured = klass->configure ?
      klass->configure (self, caps, &error) :
      gst_video_histogram_engine_configure (self->engine, caps, &spec, &error);
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
        ("Frames pass without being %s: %s.", klass->analysed, error->message),
        (NULL));
  }
  g_error_free (error);
  return !bad_format;
}

static gboolean
vh_analyser_configure (VhBaseTransform * base, GstCaps * caps)
{
  VhAnalyser *self = VH_ANALYSER (base);

  self->frame_warned = FALSE;
  return configure_engine (self, caps);
}

/* Schedule */

static gboolean
has_passed (GstClockTime last, GstClockTime interval, GstClockTime now)
{
  return last == GST_CLOCK_TIME_NONE || now < last || now - last >= interval;
}

/* Whether a frame waits if the device has no room for it. With `auto`, every
 * frame is analysed offline, and live or late video is never held up. */
static gboolean
must_wait (VhAnalyser * self, GstVideoHistogramOverloadPolicy overload,
    GstClockTime time)
{
  VhBaseTransform *base = VH_BASE_TRANSFORM (self);

  if (overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO)
    return overload == GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT;
  return !vh_base_transform_is_live (base)
      && !vh_base_transform_is_late (base, time);
}

/* Whether a frame is left out because video is late. */
static gboolean
is_too_late (VhAnalyser * self, GstVideoHistogramOverloadPolicy overload,
    GstClockTime time)
{
  return overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT
      && vh_base_transform_is_late (VH_BASE_TRANSFORM (self), time)
      && !has_passed (self->last_analysed, LATE_INTERVAL, time);
}

void
vh_analyser_reset_schedule (VhAnalyser * self)
{
  self->last_due = self->last_analysed = GST_CLOCK_TIME_NONE;
}

static void
vh_analyser_restart (VhBaseTransform * base)
{
  vh_analyser_reset_schedule (VH_ANALYSER (base));
}

/* Frames */

void
vh_analyser_count (VhAnalyser * self, guint64 * counter)
{
  GST_OBJECT_LOCK (self);
  *counter += 1;
  GST_OBJECT_UNLOCK (self);
}

static void
drop_analysis (VhAnalyser * self, GstBuffer * buffer, GstClockTime time,
    const gchar * reason)
{
  guint64 processed, dropped;

  GST_OBJECT_LOCK (self);
  processed = self->processed;
  dropped = ++self->dropped;
  GST_OBJECT_UNLOCK (self);

  GST_LOG_OBJECT (self, "analysis of %" GST_PTR_FORMAT " dropped: %s", buffer,
      reason);
  vh_base_transform_post_qos (VH_BASE_TRANSFORM (self), buffer, time,
      processed, dropped);
}

/* Warns once per caps that a frame cannot be read, and counts it. */
static void
skip_frame (VhAnalyser * self, GstBuffer * buffer, const GError * error)
{
  vh_analyser_count (self, &self->skipped);
  if (self->frame_warned) {
    GST_LOG_OBJECT (self, "skipped %" GST_PTR_FORMAT ": %s", buffer,
        error->message);
    return;
  }
  self->frame_warned = TRUE;
  GST_WARNING_OBJECT (self, "skipped %" GST_PTR_FORMAT ": %s", buffer,
      error->message);
}

static void
notify_backend (VhAnalyser * self)
{
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "backend-reason");
}

/* When a device starts to fail or works again, emits notify for the properties
 * about the backend; when it starts to fail, also posts a warning. */
static void
watch_engine (VhAnalyser * self)
{
  const gboolean degraded =
      gst_video_histogram_engine_is_degraded (self->engine);
  gboolean cpu;
  gchar *reason;

  if (degraded == self->degraded)
    return;
  self->degraded = degraded;
  notify_backend (self);

  if (!degraded) {
    GST_INFO_OBJECT (self, "the GPU counts again");
    return;
  }
  cpu = g_strcmp0 (gst_video_histogram_engine_get_active_backend (self->engine),
      "cpu") == 0;
  reason = gst_video_histogram_engine_dup_backend_reason (self->engine);
  GST_INFO_OBJECT (self, "the GPU cannot count: %s", reason);
  vh_base_transform_warn (VH_BASE_TRANSFORM (self), WARNING_DEVICE,
      GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "The GPU cannot count: %s. Frames %s%s.", reason,
      cpu ? "are counted on the CPU" : "pass without being ",
      cpu ? "" : get_class (self)->analysed);
  g_free (reason);
}

static void
set_wait (VhAnalyser * self, gboolean wait)
{
  if (wait == self->waits)
    return;
  GST_DEBUG_OBJECT (self, "frames that the device has no room for %s",
      wait ? "wait" : "are not analysed");
  gst_video_histogram_engine_set_overload (self->engine,
      wait ? GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT :
      GST_VIDEO_HISTOGRAM_OVERLOAD_DROP);
  self->waits = wait;
}

static void
analyse_frame (VhAnalyser * self, GstBuffer * buffer, const VhFramePlan * plan)
{
  GError *error = NULL;

  self->last_analysed = plan->time;
  set_wait (self, plan->wait);
  get_class (self)->analyse (self, buffer, plan, &error);
  if (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD))
    drop_analysis (self, buffer, plan->time, error->message);
  else if (error)
    skip_frame (self, buffer, error);
  g_clear_error (&error);
}

static GstFlowReturn
vh_analyser_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  VhAnalyser *self = VH_ANALYSER (trans);
  VhAnalyserClass *klass = get_class (self);
  VhBaseTransform *base = VH_BASE_TRANSFORM (trans);
  GstCaps *caps = vh_base_transform_get_caps (base);
  GstVideoHistogramOverloadPolicy overload;
  gboolean accepted = TRUE, analyse, late, changed;
  VhFramePlan plan = { 0, };
  GstClockTime interval;

  if (klass->accept)
    accepted = klass->accept (self, buffer, &plan.time);
  else
    plan.time = vh_base_transform_get_time (base, buffer);
  GST_OBJECT_LOCK (self);
  interval = self->interval;
  overload = self->overload;
  changed = self->settings_changed;
  GST_OBJECT_UNLOCK (self);

  plan.due = accepted && has_passed (self->last_due, interval, plan.time);
  analyse = plan.due || self->every_frame;
  if (!analyse && !klass->pass)
    return GST_FLOW_OK;
  /* In passthrough, GstBaseTransform also passes on frames without caps. */
  if (changed && caps)
    configure_engine (self, caps);
  if (analyse && !self->configured) {
    vh_analyser_count (self, &self->skipped);
    analyse = FALSE;
  }

  if (plan.due && self->configured)
    self->last_due = plan.time;
  late = analyse && is_too_late (self, overload, plan.time);
  if (analyse && !late) {
    plan.wait = must_wait (self, overload, plan.time);
    analyse_frame (self, buffer, &plan);
  } else if (klass->pass) {
    klass->pass (self, buffer, &plan);
  }
  if (late)
    drop_analysis (self, buffer, plan.time, "video is late");
  watch_engine (self);
  if (klass->report)
    klass->report (self, analyse && !late);
  return GST_FLOW_OK;
}

/* States */

static gboolean
vh_analyser_start (GstBaseTransform * trans)
{
  VhAnalyser *self = VH_ANALYSER (trans);

  GST_OBJECT_LOCK (self);
  self->processed = self->dropped = self->skipped = 0;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
vh_analyser_stop (GstBaseTransform * trans)
{
  VH_ANALYSER (trans)->configured = FALSE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
vh_analyser_open (VhBaseTransform * base, gint cuda_device_id)
{
  VhAnalyser *self = VH_ANALYSER (base);
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
  notify_backend (self);
  return TRUE;
}

static void
vh_analyser_close (VhBaseTransform * base)
{
  gst_video_histogram_engine_close (VH_ANALYSER (base)->engine);
}

/* Contexts and memory */

static void
vh_analyser_take_context (VhBaseTransform * base, GstContext * context)
{
  gst_video_histogram_engine_set_context (VH_ANALYSER (base)->engine, context);
}

static gboolean
vh_analyser_answer_context (VhBaseTransform * base, GstQuery * query)
{
  return gst_video_histogram_engine_answer_context_query
      (VH_ANALYSER (base)->engine, query);
}

/* Passes on downstream's answer. If downstream has no pool, offers one of
 * memory that the GPU reads directly. */
static gboolean
vh_analyser_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  gboolean answered;

  answered = GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
      decide_query, query);
  gst_video_histogram_engine_propose_allocation (VH_ANALYSER (trans)->engine,
      query);
  return answered || gst_query_get_n_allocation_pools (query) > 0;
}

/* Properties */

void
vh_analyser_note_settings (gpointer analyser)
{
  VH_ANALYSER (analyser)->settings_changed = TRUE;
}

/* In READY, setting the same backend again opens the device again, which finds
 * a GPU that has come back. */
static void
set_backend (gpointer analyser, const VhProperty * property,
    const GValue * value)
{
  vh_property_store (analyser, property, value);
  GST_OBJECT_LOCK (analyser);
  vh_base_transform_set_device_changed (VH_BASE_TRANSFORM (analyser));
  GST_OBJECT_UNLOCK (analyser);
}

static void
get_active_backend (gpointer analyser, GValue * value)
{
  g_value_set_string (value, gst_video_histogram_engine_get_active_backend
      (VH_ANALYSER (analyser)->engine));
}

static void
get_backend_reason (gpointer analyser, GValue * value)
{
  g_value_take_string (value, gst_video_histogram_engine_dup_backend_reason
      (VH_ANALYSER (analyser)->engine));
}

#define FIELD(field) VH_FIELD (VhAnalyser, field)

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  /**
   * VhAnalyser:backend:
   *
   * Where to count. Without a usable GPU, `cuda` is an error on the way to
   * READY, and `auto` counts on the CPU;
   * #VhAnalyser:backend-reason says why.
   *
   * Since: 0.1
   */
  {"backend", "Backend",
      "Where to count: auto (on the GPU where that is faster, otherwise on "
      "the CPU), cpu, cuda (fail to start if there is no usable GPU)",
      G_TYPE_ENUM, gst_video_histogram_backend_get_type, FIELD (backend),
      .value = GST_VIDEO_HISTOGRAM_BACKEND_AUTO, .set = set_backend,
      .flags = GST_PARAM_MUTABLE_READY},
  {"active-backend", "Active backend",
      "Where frames are counted now: cpu, cuda, or none while counting fails "
      "(null = the element is in the NULL state)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_active_backend},
  {"backend-reason", "Backend reason",
      "Why the other backend is not in use, or why counting fails (empty = "
      "the other backend was not tried)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_backend_reason},
  /**
   * VhAnalyser:overload:
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
  {"overload", "Overload",
      "What to do when frames come faster than the device counts: auto (drop "
      "in live pipelines and while video is late, otherwise wait), drop "
      "(pass the frame without analysis), wait (analyse every frame, even if "
      "video gets late)",
      G_TYPE_ENUM, gst_video_histogram_overload_policy_get_type,
      FIELD (overload), .value = GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO},
  {"processed", "Processed",
      "Frames analysed since the element was started",
      G_TYPE_UINT64, FIELD (processed), .flags = G_PARAM_READABLE},
  /**
   * VhAnalyser:dropped:
   *
   * Frames since the element left READY that should have been analysed but
   * passed without analysis because the video was late or the device was busy.
   * The video itself is never dropped.
   *
   * Since: 0.1
   */
  {"dropped", "Dropped",
      "Frames that passed without analysis because of overload",
      G_TYPE_UINT64, FIELD (dropped), .flags = G_PARAM_READABLE},
  /**
   * VhAnalyser:skipped:
   *
   * Frames since the element left READY that were due and could not be
   * analysed: the buffer does not hold the frame that its caps and metas
   * promise, the region lies outside the picture, or counting failed.
   *
   * Since: 0.1
   */
  {"skipped", "Skipped",
      "Frames that were due but could not be analysed, because they were "
      "malformed or counting failed",
      G_TYPE_UINT64, FIELD (skipped), .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table = VH_PROPERTY_TABLE (properties,
    NULL);

/* Class */

static void
vh_analyser_finalize (GObject * object)
{
  g_object_unref (VH_ANALYSER (object)->engine);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
vh_analyser_init (VhAnalyser * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_in_place (trans, TRUE);
  gst_base_transform_set_passthrough (trans, TRUE);

  self->engine = gst_video_histogram_engine_new ();
  vh_property_table_init (&property_table, self);
  vh_analyser_reset_schedule (self);
}

static void
vh_analyser_class_init (VhAnalyserClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhBaseTransformClass *base_class = VH_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_GET (klass->category, "videohistogram-base");

  object_class->finalize = vh_analyser_finalize;
  vh_property_table_install (&property_table, klass);
  klass->analysed = "analysed";

  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (vh_analyser_propose_allocation);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (vh_analyser_transform_ip);
  trans_class->start = GST_DEBUG_FUNCPTR (vh_analyser_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (vh_analyser_stop);

  base_class->open = GST_DEBUG_FUNCPTR (vh_analyser_open);
  base_class->close = GST_DEBUG_FUNCPTR (vh_analyser_close);
  base_class->take_context = GST_DEBUG_FUNCPTR (vh_analyser_take_context);
  base_class->answer_context = GST_DEBUG_FUNCPTR (vh_analyser_answer_context);
  base_class->configure = GST_DEBUG_FUNCPTR (vh_analyser_configure);
  base_class->restart = GST_DEBUG_FUNCPTR (vh_analyser_restart);

  gst_type_mark_as_plugin_api (VH_TYPE_ANALYSER, 0);
}
