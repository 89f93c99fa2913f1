/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videohealth
 * @title: videohealth
 * @short_description: detects camera faults: dark, covered, moved, frozen, out
 * of focus, lost
 *
 * Judges every frame that passes, or one frame per
 * #GstVideoHealthElement:interval, and reports when a condition such as
 * `black`, `covered` or `signal-loss` begins and ends: in element messages
 * named `videohealth`, in the signal #GstVideoHealthElement::change and in the
 * property #GstVideoHealthElement:active. It does not touch the video: every
 * buffer leaves as it came.
 *
 * docs/videohealth.md defines the conditions and lists the fields of the
 * messages.
 *
 * ## Watch a camera
 * |[
 * gst-launch-1.0 -m v4l2src ! videohealth ! autovideosink
 * ]|
 *
 * ## Watch a camera and keep what was learned of it across restarts
 * |[
 * gst-launch-1.0 -m v4l2src ! videohealth state-location=door.state ! fakesink
 * ]|
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideohealthelement.h"
#include "frametime.h"
#include "healthfile.h"
#include "overload.h"
#include "propertyparse.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_health_element_debug);
#define GST_CAT_DEFAULT video_health_element_debug

/* Kinds of warnings. */
enum
{
  WARNING_DEVICE,
  WARNING_STATE,
};

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_ACTIVE_BACKEND,
  PROP_BACKEND_REASON,
  PROP_CONDITIONS,
  PROP_RULES,
  PROP_IGNORE,
  PROP_ACTIVE,
  PROP_VALUES,
  PROP_REFERENCE_READY,
  PROP_STATE_LOCATION,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_OVERLOAD,
  PROP_PROCESSED,
  PROP_DROPPED,
  PROP_SKIPPED,
};

enum
{
  SIGNAL_CHANGE,
  SIGNAL_FORGET,
  LAST_SIGNAL
};

#define DEFAULT_BACKEND GST_VIDEO_HISTOGRAM_BACKEND_AUTO
#define DEFAULT_RULES ""
#define DEFAULT_IGNORE ""
#define DEFAULT_STATE_LOCATION NULL
#define DEFAULT_POST_MESSAGES TRUE
#define DEFAULT_INTERVAL 0
#define DEFAULT_OVERLOAD GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO

/* How long to wait for the previous frame: PATIENCE at EOS and where frames may
 * wait, HURRIED_PATIENCE where video must not be held up. */
#define PATIENCE (2 * GST_SECOND)
#define HURRIED_PATIENCE (300 * GST_MSECOND)

/* How often the timer checks for missing frames, and how often the state is
 * saved, in us. */
#define TICK (G_TIME_SPAN_SECOND / 5)
#define SAVE_INTERVAL (10 * G_TIME_SPAN_MINUTE)

/* From 1900, the epoch of NTP, to 1970. */
#define NTP_OFFSET (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

#define LEARNED (GST_VIDEO_HEALTH_CONDITIONS_BLURRY | \
    GST_VIDEO_HEALTH_CONDITIONS_COVERED | GST_VIDEO_HEALTH_CONDITIONS_MOVED)

/* The times of a frame, for messages. */
typedef struct
{
  GstClockTime timestamp, stream_time, duration;
} Times;

static const Times no_times = {
  GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE
};

/* A change on its way to the application. */
typedef struct
{
  GstVideoHealthChange change;
  Times times;
} Report;

struct _GstVideoHealthElement
{
  VhBaseTransform parent;

  GstVideoHealth *health;
  GstVideoHistogramEngine *counting;

  /* properties, protected by the object lock */
  GstVideoHistogramBackend backend;
  gchar *rules, *ignore;        /* as set */
  gchar *state_location;
  gchar *file;                  /* state_location as of the last start */
  gboolean file_left;           /* that file could not be loaded and must not be
                                 * replaced */
  gboolean post_messages;
  GstClockTime interval;        /* ns, 0: every frame */
  GstVideoHistogramOverloadPolicy overload;
  guint64 processed, dropped, skipped;  /* frames */

  GMutex lock;                  /* not held while handlers run */
  GCond changed;                /* a field that lock protects has changed */
  /* protected by lock */
  GstVideoHealthEngine *engine;
  Times times;                  /* of the frame submitted last */
  gboolean in_flight;           /* that frame is not in processed or skipped
                                 * yet */
  guint64 n_failed;             /* as last read from the engine */
  GQueue reports;               /* of Report, oldest first */
  GThread *runner;              /* hands reports over, or NULL */
  GThread *timer;               /* or NULL; not owned, only compared */
  gboolean timer_awaited;       /* the thread that waits for the timer drops the
                                 * timer's reference */
  gboolean stuck;               /* waiting for the frame in flight timed out */
  VhFrameTime frame_time;       /* of the last frame */
  gboolean whole;               /* a frame came that is not marked as
                                 * corrupted */
  gint64 arrived;               /* monotonic us when the last frame came, or
                                 * PAUSED or PLAYING began, moved forward by any
                                 * time outside PLAYING since then */
  gint64 silence;               /* us in PLAYING since the last frame, as of the
                                 * moment PLAYING was left */
  gboolean eos;
  GstVideoHealthConditions active;      /* as last notified */
  gboolean reference_ready;     /* as last notified */

  /* streaming thread */
  gboolean configured;
  gboolean frame_warned;        /* since caps */
  gboolean degraded;            /* as last reported by the engine */
  GstClockTime last_due;        /* when a frame was last due, ns; NONE at
                                 * first */
  GstClockTime last_analysed;   /* the same, without dropped frames */
};

static guint signals[LAST_SIGNAL];

G_DEFINE_TYPE (GstVideoHealthElement, gst_video_health_element,
    VH_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (videohealth, "videohealth", GST_RANK_NONE,
    GST_TYPE_VIDEO_HEALTH_ELEMENT);

#define parent_class gst_video_health_element_parent_class

/* Changes */

/* Queues the changes that the frame of @times caused. Called with the lock. */
static void
collect (GstVideoHealthElement * self, const Times * times)
{
  GstVideoHealthChange change;

  while (gst_video_health_next_change (self->health, &change)) {
    Report *report = g_new (Report, 1);

    report->change = change;
    report->times = *times;
    g_queue_push_tail (&self->reports, report);
  }
}

static void
post_change (GstVideoHealthElement * self, const Report * report)
{
  const GstVideoHealthChange *change = &report->change;

  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("videohealth",
              "condition", G_TYPE_STRING,
              gst_video_health_condition_get_name (change->condition),
              "active", G_TYPE_BOOLEAN, change->active,
              "value", G_TYPE_DOUBLE, change->value,
              "threshold", G_TYPE_DOUBLE, change->threshold,
              "unit", G_TYPE_STRING,
              gst_video_health_condition_get_unit (change->condition),
              "since", G_TYPE_UINT64, change->since,
              "timestamp", G_TYPE_UINT64, report->times.timestamp,
              "stream-time", G_TYPE_UINT64, report->times.stream_time,
              "running-time", G_TYPE_UINT64, change->time,
              "duration", G_TYPE_UINT64, report->times.duration,
              "topic", G_TYPE_STRING, change->topic,
              "topic-active", G_TYPE_BOOLEAN, change->topic_active, NULL)));
}

static void
publish (GstVideoHealthElement * self, const Report * report)
{
  gboolean post;

  GST_INFO_OBJECT (self, "%s %s: value %g",
      gst_video_health_condition_get_name (report->change.condition),
      report->change.active ? "begins" : "ends", report->change.value);
  GST_OBJECT_LOCK (self);
  post = self->post_messages;
  GST_OBJECT_UNLOCK (self);
  g_signal_emit (self, signals[SIGNAL_CHANGE], 0, &report->change);
  if (post)
    post_change (self, report);
}

/* Emits notify for properties that have changed since the last call. @other:
 * the reference was replaced, so reference-ready may become FALSE. Reads the
 * values with the lock held, so that a late thread does not restore old
 * ones. */
static void
notify_changes (GstVideoHealthElement * self, gboolean other)
{
  GstVideoHealthConditions active;
  gboolean ready, other_active, other_ready;

  g_mutex_lock (&self->lock);
  active = gst_video_health_get_active (self->health);
  other_active = self->active != active;
  self->active = active;
  /* A frame that cannot be compared does not discard the reference. */
  ready = (self->reference_ready && !other)
      || (gst_video_health_get_judged (self->health) & LEARNED) != 0;
  other_ready = self->reference_ready != ready;
  self->reference_ready = ready;
  g_mutex_unlock (&self->lock);
  if (other_active)
    g_object_notify (G_OBJECT (self), "active");
  if (other_ready)
    g_object_notify (G_OBJECT (self), "reference-ready");
}

/* Hands the changes over, in order. If another thread is already doing that, it
 * hands over these as well. Called without the lock. */
static void
hand_over (GstVideoHealthElement * self)
{
  Report *report;

  notify_changes (self, FALSE);
  g_mutex_lock (&self->lock);
  if (self->runner || g_queue_is_empty (&self->reports)) {
    g_mutex_unlock (&self->lock);
    return;
  }
  self->runner = g_thread_self ();
  while ((report = g_queue_pop_head (&self->reports))) {
    g_mutex_unlock (&self->lock);
    publish (self, report);
    g_free (report);
    g_mutex_lock (&self->lock);
  }
  self->runner = NULL;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Waits until everything has been handed over, unless the caller is the thread
 * that does it. */
static void
await_handed_over (GstVideoHealthElement * self, GstClockTime patience)
{
  const gint64 end = g_get_monotonic_time () + patience / GST_USECOND;

  g_mutex_lock (&self->lock);
  while (self->runner && self->runner != g_thread_self ()
      && g_cond_wait_until (&self->changed, &self->lock, end));
  g_mutex_unlock (&self->lock);
}

static void
count_frame (GstVideoHealthElement * self, guint64 * counter)
{
  GST_OBJECT_LOCK (self);
  *counter += 1;
  GST_OBJECT_UNLOCK (self);
}

/* Counts the finished frame as processed, or as skipped if the device failed
 * meanwhile. Called with the lock. */
static void
count_finished (GstVideoHealthElement * self)
{
  const guint64 n_failed = gst_video_health_engine_get_n_failed (self->engine);

  if (self->in_flight)
    count_frame (self, n_failed > self->n_failed ? &self->skipped :
        &self->processed);
  self->in_flight = FALSE;
  self->n_failed = n_failed;
}

/* Judges the frame in flight, after waiting for it for at most @timeout ns.
 * Does not wait a second time for a frame that was not ready in time. Called
 * with the lock. */
static gboolean
finish (GstVideoHealthElement * self, GstClockTime timeout)
{
  const gboolean finished =
      gst_video_health_engine_finish (self->engine, self->stuck ? 0 : timeout);

  if (finished)
    count_finished (self);
  self->stuck = !finished && (self->stuck || timeout > 0);
  collect (self, &self->times);
  return finished;
}

/* State */

static void
warn_of_state (GstVideoHealthElement * self, const gchar * what,
    const gchar * location, GError * error, const gchar * advice)
{
  vh_base_transform_warn (VH_BASE_TRANSFORM (self),
      WARNING_STATE, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "state-location=%s: cannot %s the state: %s%s", location, what,
      error->message, advice);
  g_error_free (error);
}

/* Restores the state from state-location. Another location means another
 * camera, so this first discards what was learned. Returns whether the
 * reference was replaced. */
static gboolean
load_state (GstVideoHealthElement * self)
{
  VhHealthFile result = VH_HEALTH_FILE_NONE;
  GError *error = NULL;
  gboolean other;
  gchar *location;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->state_location);
  other = g_strcmp0 (self->file, location) != 0;
  GST_OBJECT_UNLOCK (self);
  if (other)
    gst_video_health_forget (self->health);
  if (location)
    result = vh_health_file_load (self->health, location, &error);
  GST_OBJECT_LOCK (self);
  g_free (self->file);
  self->file = g_strdup (location);
  self->file_left = result == VH_HEALTH_FILE_LEFT;
  GST_OBJECT_UNLOCK (self);
  if (error) {
    warn_of_state (self, "restore", location, error,
        result == VH_HEALTH_FILE_LEFT ? ". The file is left as it is, and "
        "nothing is saved. Make it readable, move it away, or set another "
        "state-location; then restart the element." : ".");
  }
  g_free (location);
  return other || result == VH_HEALTH_FILE_RESTORED;
}

static void
save_state (GstVideoHealthElement * self)
{
  GError *error = NULL;
  gchar *file;

  GST_OBJECT_LOCK (self);
  file = self->file_left ? NULL : g_strdup (self->file);
  GST_OBJECT_UNLOCK (self);
  if (file && !vh_health_file_save (self->health, file, &error))
    warn_of_state (self, "save", file, error, ".");
  g_free (file);
}

/* What was learned of the camera stays. Conditions stay active only if the
 * saved state lists them. */
static void
begin_stream (GstVideoHealthElement * self)
{
  gboolean other;

  g_mutex_lock (&self->lock);
  self->whole = FALSE;
  vh_frame_time_init (&self->frame_time);
  self->arrived = g_get_monotonic_time ();
  self->silence = 0;
  self->eos = FALSE;
  g_mutex_unlock (&self->lock);
  gst_video_health_reset (self->health);
  other = load_state (self);
  gst_video_health_restart (self->health);
  notify_changes (self, other);
}

/* Timer */

/* Reports the time to the health object if no frame came for a while. Called
 * with the lock. */
static void
tick (GstVideoHealthElement * self)
{
  const gint64 silence = g_get_monotonic_time () - self->arrived;

  if (self->eos || silence < TICK)
    return;
  gst_video_health_tick (self->health,
      self->frame_time.time + silence * GST_USECOND);
  collect (self, &no_times);
}

/* Ends once it is no longer the element's timer. If a thread waits for the end,
 * that thread drops the timer's reference to the element, so that no reference
 * outlives the stop. */
static gpointer
timer_func (gpointer data)
{
  GstVideoHealthElement *self = data;
  GThread *const me = g_thread_self ();
  gint64 saved = g_get_monotonic_time ();
  gboolean awaited;

  g_mutex_lock (&self->lock);
  while (self->timer == me) {
    const gint64 now = g_get_monotonic_time ();

    g_cond_wait_until (&self->changed, &self->lock, now + TICK);
    if (self->timer != me)
      break;
    if (finish (self, 0))
      tick (self);
    g_mutex_unlock (&self->lock);
    hand_over (self);
    g_mutex_lock (&self->lock);
    if (self->timer == me && now - saved >= SAVE_INTERVAL) {
      g_mutex_unlock (&self->lock);
      save_state (self);
      saved = now;
      g_mutex_lock (&self->lock);
    }
  }
  awaited = self->timer_awaited;
  self->timer_awaited = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (!awaited)
    gst_object_unref (self);
  return NULL;
}

static void
start_timer (GstVideoHealthElement * self)
{
  g_mutex_lock (&self->lock);
  self->arrived = g_get_monotonic_time () - self->silence;
  gst_object_ref (self);
  self->timer = g_thread_try_new ("videohealth", timer_func, self, NULL);
  if (self->timer)
    g_thread_unref (self->timer);
  else
    gst_object_unref (self);
  g_mutex_unlock (&self->lock);
}

/* Stops the timer, which then calls no more handlers. If a handler is running
 * and is not the caller, waits for it, but only briefly: the handler may itself
 * wait for the state change. */
static void
stop_timer (GstVideoHealthElement * self)
{
  const gint64 end = g_get_monotonic_time () + HURRIED_PATIENCE / GST_USECOND;
  gboolean awaited;

  g_mutex_lock (&self->lock);
  awaited = self->timer && self->timer != g_thread_self ();
  self->timer_awaited = awaited;
  self->timer = NULL;
  self->silence = g_get_monotonic_time () - self->arrived;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  await_handed_over (self, HURRIED_PATIENCE);

  g_mutex_lock (&self->lock);
  while (self->timer_awaited
      && g_cond_wait_until (&self->changed, &self->lock, end));
  awaited = awaited && !self->timer_awaited;
  self->timer_awaited = FALSE;
  g_mutex_unlock (&self->lock);
  if (awaited)
    gst_object_unref (self);
}

/* Frames */

/* Warns once per caps that a frame cannot be read, and counts it. */
static void
skip_frame (GstVideoHealthElement * self, GstBuffer * buffer,
    const GError * error)
{
  count_frame (self, &self->skipped);
  if (!self->frame_warned) {
    GST_WARNING_OBJECT (self, "skipped %" GST_PTR_FORMAT ": %s", buffer,
        error->message);
  }
  self->frame_warned = TRUE;
}

static void
drop_analysis (GstVideoHealthElement * self, GstBuffer * buffer,
    GstClockTime now, const gchar * reason)
{
  guint64 processed, dropped;

  GST_OBJECT_LOCK (self);
  processed = self->processed;
  dropped = ++self->dropped;
  GST_OBJECT_UNLOCK (self);
  GST_LOG_OBJECT (self, "not judging %" GST_PTR_FORMAT ": %s", buffer, reason);
  vh_base_transform_post_qos (VH_BASE_TRANSFORM (self),
      buffer, now, processed, dropped);
}

/* When a device starts to fail or works again, emits notify for the properties
 * about the backend; when it starts to fail, also posts a warning. */
static void
watch_engine (GstVideoHealthElement * self)
{
  const gboolean degraded =
      gst_video_histogram_engine_is_degraded (self->counting);
  gboolean cpu;
  gchar *reason;

  if (degraded == self->degraded)
    return;
  self->degraded = degraded;
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "backend-reason");
  if (!degraded)
    return;
  cpu = g_strcmp0 (gst_video_histogram_engine_get_active_backend
      (self->counting), "cpu") == 0;
  reason = gst_video_histogram_engine_dup_backend_reason (self->counting);
  vh_base_transform_warn (VH_BASE_TRANSFORM (self),
      WARNING_DEVICE, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "The GPU cannot count: %s. %s", reason,
      cpu ? "Frames are counted on the CPU." :
      "Frames pass without being judged.");
  g_free (reason);
}

/* When the frame was captured, in ns since 1970 UTC, or GST_CLOCK_TIME_NONE if
 * that is not known. */
static GstClockTime
get_real_time (GstVideoHealthElement * self, GstBuffer * buffer)
{
  static GstStaticCaps ntp = GST_STATIC_CAPS ("timestamp/x-ntp");
  static GstStaticCaps unix_time = GST_STATIC_CAPS ("timestamp/x-unix");
  GstCaps *caps = gst_static_caps_get (&unix_time);
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, caps);
  GstClockTime offset = 0;

  gst_caps_unref (caps);
  if (!meta) {
    caps = gst_static_caps_get (&ntp);
    meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);
    gst_caps_unref (caps);
    offset = NTP_OFFSET;
  }
  if (meta && GST_CLOCK_TIME_IS_VALID (meta->timestamp)
      && meta->timestamp >= offset)
    return meta->timestamp - offset;
  return vh_base_transform_is_live (VH_BASE_TRANSFORM (self))
      ? (GstClockTime) g_get_real_time () * GST_USECOND : GST_CLOCK_TIME_NONE;
}

/* What to do with a frame. */
typedef struct
{
  GstClockTime now;
  gboolean due;                 /* must be judged */
  gboolean late;                /* is due, but left out because video is late */
  gboolean wait;                /* waits if the device has no room for it */
} Plan;

/* Starts over: the next frame does not continue the earlier ones. Called with
 * the lock, by the streaming thread. */
static void
begin_anew (GstVideoHealthElement * self)
{
  self->last_due = self->last_analysed = GST_CLOCK_TIME_NONE;
  gst_video_health_engine_restart (self->engine);
  self->in_flight = FALSE;
}

/* Returns the time of a frame that has just come. */
static GstClockTime
take_time (GstVideoHealthElement * self, GstBuffer * buffer)
{
  const GstClockTime running_time = vh_base_transform_get_running_time
      (VH_BASE_TRANSFORM (self), buffer);
  GstClockTime time;
  gboolean anew;
  gint64 now;

  g_mutex_lock (&self->lock);
  now = g_get_monotonic_time ();
  time = vh_frame_time_follow (&self->frame_time, running_time,
      (now - self->arrived) * GST_USECOND, &anew);
  self->arrived = now;
  self->silence = 0;
  self->eos = FALSE;
  if (anew) {
    GST_INFO_OBJECT (self, "%s", self->frame_time.by_arrival ?
        "frames have no timestamps: using their times of arrival" :
        "frames have timestamps: using them");
    finish (self, 0);
    if (self->in_flight)
      count_frame (self, &self->skipped);
    begin_anew (self);
  }
  g_mutex_unlock (&self->lock);
  return time;
}

/* Whether @buffer is a frame that a decoder made up because the stream was
 * joined between two key frames: the camera does not show it. Corrupted frames
 * that come later are damaged video, which is judged. */
static gboolean
is_guessed (GstVideoHealthElement * self, GstBuffer * buffer)
{
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    self->whole = TRUE;
  return !self->whole;
}

static Plan
make_plan (GstVideoHealthElement * self, GstBuffer * buffer)
{
  VhBaseTransform *base = VH_BASE_TRANSFORM (self);
  Plan plan = {.now = take_time (self, buffer) };
  GstClockTime interval;
  GstVideoHistogramOverloadPolicy overload;

  GST_OBJECT_LOCK (self);
  interval = self->interval;
  overload = self->overload;
  GST_OBJECT_UNLOCK (self);
  plan.due = !is_guessed (self, buffer)
      && vh_has_passed (self->last_due, interval, plan.now);
  if (plan.due) {
    plan.late = vh_overload_is_too_late (overload, base, plan.now,
        self->last_analysed);
    plan.wait = vh_overload_waits (overload, base, plan.now);
  }
  return plan;
}

/* Frames that are not counted still show that the signal is present. Called
 * with the lock. */
static void
pass_frame (GstVideoHealthElement * self, const Times * times,
    const Plan * plan)
{
  if (!finish (self, 0))
    return;
  if (plan->due)
    gst_video_health_judge (self->health, plan->now, GST_CLOCK_TIME_NONE);
  else
    gst_video_health_skip (self->health, plan->now);
  collect (self, times);
}

/* Submits the frame to be counted and judged. Called with the lock. */
static gboolean
judge_frame (GstVideoHealthElement * self, GstBuffer * buffer,
    const Times * times, const Plan * plan, GError ** error)
{
  gboolean submitted;

  gst_video_histogram_engine_set_overload (self->counting,
      plan->wait ? GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT :
      GST_VIDEO_HISTOGRAM_OVERLOAD_DROP);
  finish (self, plan->wait ? PATIENCE : 0);
  submitted = gst_video_health_engine_submit (self->engine, buffer, plan->now,
      get_real_time (self, buffer), error);
  if (submitted) {
    self->times = *times;
    self->in_flight = TRUE;
    finish (self, 0);
  } else {
    collect (self, times);
  }
  return submitted;
}

static GstFlowReturn
gst_video_health_element_transform_ip (GstBaseTransform * trans,
    GstBuffer * buffer)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);
  VhBaseTransform *base = VH_BASE_TRANSFORM (trans);
  const Plan plan = make_plan (self, buffer);
  const Times times = {
    .timestamp = GST_BUFFER_PTS (buffer),
    .stream_time = vh_base_transform_get_stream_time (base, buffer),
    .duration = GST_BUFFER_DURATION (buffer),
  };
  GError *error = NULL;
  gboolean judged = FALSE;

  g_mutex_lock (&self->lock);
  if (plan.due && self->configured)
    self->last_due = plan.now;
  if (plan.due && self->configured && !plan.late) {
    self->last_analysed = plan.now;
    judged = judge_frame (self, buffer, &times, &plan, &error);
  } else {
    pass_frame (self, &times, &plan);
  }
  g_mutex_unlock (&self->lock);

  if (self->configured && plan.late)
    drop_analysis (self, buffer, plan.now, "video is late");
  else if (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD))
    drop_analysis (self, buffer, plan.now, error->message);
  else if (error)
    skip_frame (self, buffer, error);
  else if (plan.due && !judged)
    count_frame (self, &self->skipped);
  g_clear_error (&error);
  watch_engine (self);
  hand_over (self);
  return GST_FLOW_OK;
}

static gboolean
gst_video_health_element_configure (VhBaseTransform * base,
    GstCaps * caps)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (base);
  GError *error = NULL;

  self->frame_warned = FALSE;
  g_mutex_lock (&self->lock);
  /* This frame did not finish in time. */
  if (self->in_flight)
    count_frame (self, &self->skipped);
  self->in_flight = FALSE;
  self->configured = gst_video_health_engine_configure (self->engine, caps,
      &error);
  g_mutex_unlock (&self->lock);
  if (self->configured)
    return TRUE;
  GST_ERROR_OBJECT (self, "Couldn't configure: %s", error->message);
  g_error_free (error);
  return FALSE;
}

static void
gst_video_health_element_restart (VhBaseTransform * base)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (base);

  g_mutex_lock (&self->lock);
  begin_anew (self);
  /* Queued changes stay: the end of an alarm makes no sense without its
   * beginning. */
  vh_frame_time_init (&self->frame_time);
  self->eos = FALSE;
  g_mutex_unlock (&self->lock);
}

/* Events */

static void
drain (GstVideoHealthElement * self, GstClockTime patience, gboolean eos)
{
  g_mutex_lock (&self->lock);
  finish (self, patience);
  self->eos = eos;
  g_mutex_unlock (&self->lock);
  hand_over (self);
  await_handed_over (self, patience);
}

/* Notes whether the video was coded. Sources of raw video set no codec tag, or
 * one that says it is uncompressed. */
static void
take_tags (GstVideoHealthElement * self, GstEvent * event)
{
  GstTagList *tags;
  gchar *codec = NULL;

  gst_event_parse_tag (event, &tags);
  if (gst_tag_list_get_string (tags, GST_TAG_VIDEO_CODEC, &codec))
    gst_video_health_set_coded (self->health,
        !g_str_has_prefix (codec, "Uncompressed"));
  g_free (codec);
}

static gboolean
gst_video_health_element_sink_event (GstBaseTransform * trans,
    GstEvent * event)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      drain (self, HURRIED_PATIENCE, FALSE);
      break;
    case GST_EVENT_EOS:
      drain (self, PATIENCE, TRUE);
      break;
    case GST_EVENT_TAG:
      take_tags (self, event);
      break;
    case GST_EVENT_STREAM_START:
      gst_video_health_set_coded (self->health, FALSE);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* States */

static gboolean
gst_video_health_element_start (GstBaseTransform * trans)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);

  GST_OBJECT_LOCK (self);
  self->processed = self->dropped = self->skipped = 0;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
gst_video_health_element_stop (GstBaseTransform * trans)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);

  drain (self, HURRIED_PATIENCE, FALSE);
  g_mutex_lock (&self->lock);
  gst_video_health_engine_restart (self->engine);
  self->in_flight = FALSE;
  g_mutex_unlock (&self->lock);
  self->configured = FALSE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
gst_video_health_element_open (VhBaseTransform * base,
    gint cuda_device_id)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (base);
  GstVideoHistogramBackend backend;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  backend = self->backend;
  GST_OBJECT_UNLOCK (self);
  if (!gst_video_histogram_engine_open (self->counting, backend, cuda_device_id,
          GST_ELEMENT (self), &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("Cannot count on the GPU: %s. Use backend=auto or backend=cpu to "
            "count on the CPU.", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }
  g_object_notify (G_OBJECT (self), "active-backend");
  g_object_notify (G_OBJECT (self), "backend-reason");
  return TRUE;
}

static void
gst_video_health_element_close (VhBaseTransform * base)
{
  gst_video_histogram_engine_close
      (GST_VIDEO_HEALTH_ELEMENT (base)->counting);
}

static GstStateChangeReturn
gst_video_health_element_change_state (GstElement * element,
    GstStateChange transition)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    begin_stream (self);
  else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    stop_timer (self);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && result != GST_STATE_CHANGE_FAILURE)
    start_timer (self);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    save_state (self);
  return result;
}

/* Contexts and memory */

static void
gst_video_health_element_take_context (VhBaseTransform * base,
    GstContext * context)
{
  gst_video_histogram_engine_set_context
      (GST_VIDEO_HEALTH_ELEMENT (base)->counting, context);
}

static gboolean
gst_video_health_element_answer_context (VhBaseTransform * base,
    GstQuery * query)
{
  return gst_video_histogram_engine_answer_context_query
      (GST_VIDEO_HEALTH_ELEMENT (base)->counting, query);
}

static gboolean
gst_video_health_element_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);
  gboolean answered;

  answered = GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
      decide_query, query);
  gst_video_histogram_engine_propose_allocation (self->counting, query);
  return answered || gst_query_get_n_allocation_pools (query) > 0;
}

/* Properties */

typedef gboolean (*SetText) (GstVideoHealth * health, const gchar * text,
    GError ** error);

/* Sets @property to @text, and keeps it as *@kept, if @set accepts it. */
static void
set_text (GstVideoHealthElement * self, const gchar * property, SetText set,
    gchar ** kept, const gchar * text)
{
  GError *error = NULL;

  if (!set (self->health, text, &error)) {
    gchar **lines = g_strsplit (error->message, "\n", -1);
    gchar *why = g_strjoinv ("; ", lines);

    g_warning ("%s: %s=%s is not allowed and was not set: %s",
        GST_OBJECT_NAME (self), property, text, why);
    g_free (why);
    g_strfreev (lines);
    g_error_free (error);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_free (*kept);
  *kept = g_strdup (text ? text : "");
  GST_OBJECT_UNLOCK (self);
}

/* The values of the conditions that were judged, by name. */
static GstStructure *
make_values (GstVideoHealthElement * self)
{
  GstStructure *values = gst_structure_new_empty ("videohealth-values");
  gdouble value;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (gst_video_health_get_value (self->health, i, &value)) {
      gst_structure_set (values, gst_video_health_condition_get_name (i),
          G_TYPE_DOUBLE, value, NULL);
    }
  }
  return values;
}

static void
gst_video_health_element_set_property (GObject * object, guint prop_id,
    const GValue * value, GParamSpec * pspec)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (object);

  switch (prop_id) {
    case PROP_CONDITIONS:
      gst_video_health_set_conditions (self->health, g_value_get_flags (value));
      notify_changes (self, FALSE);
      return;
    case PROP_RULES:
      set_text (self, "rules", gst_video_health_set_rules, &self->rules,
          g_value_get_string (value));
      return;
    case PROP_IGNORE:
      set_text (self, "ignore", gst_video_health_set_ignored, &self->ignore,
          g_value_get_string (value));
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
    case PROP_STATE_LOCATION:
      g_free (self->state_location);
      self->state_location = g_value_dup_string (value);
      break;
    case PROP_POST_MESSAGES:
      self->post_messages = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      self->interval = g_value_get_uint64 (value);
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
gst_video_health_element_get_property (GObject * object, guint prop_id,
    GValue * value, GParamSpec * pspec)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (object);

  if (prop_id == PROP_REFERENCE_READY) {
    g_mutex_lock (&self->lock);
    g_value_set_boolean (value, self->reference_ready);
    g_mutex_unlock (&self->lock);
    return;
  }

  GST_OBJECT_LOCK (self);
  switch (prop_id) {
    case PROP_BACKEND:
      g_value_set_enum (value, self->backend);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value,
          gst_video_histogram_engine_get_active_backend (self->counting));
      break;
    case PROP_BACKEND_REASON:
      g_value_take_string (value,
          gst_video_histogram_engine_dup_backend_reason (self->counting));
      break;
    case PROP_CONDITIONS:
      g_value_set_flags (value, gst_video_health_get_conditions (self->health));
      break;
    case PROP_RULES:
      g_value_set_string (value, self->rules);
      break;
    case PROP_IGNORE:
      g_value_set_string (value, self->ignore);
      break;
    case PROP_ACTIVE:
      g_value_set_flags (value, gst_video_health_get_active (self->health));
      break;
    case PROP_VALUES:
      g_value_take_boxed (value, make_values (self));
      break;
    case PROP_STATE_LOCATION:
      g_value_set_string (value, self->state_location);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, self->post_messages);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, self->interval);
      break;
    case PROP_OVERLOAD:
      g_value_set_enum (value, self->overload);
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

/* The action signal. */
static void
gst_video_health_element_forget (GstVideoHealthElement * self)
{
  gst_video_health_forget (self->health);
  notify_changes (self, TRUE);
}

static void
gst_video_health_element_finalize (GObject * object)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (object);

  g_queue_clear_full (&self->reports, g_free);
  g_object_unref (self->engine);
  g_object_unref (self->counting);
  g_object_unref (self->health);
  g_free (self->rules);
  g_free (self->ignore);
  g_free (self->state_location);
  g_free (self->file);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_health_element_init (GstVideoHealthElement * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_in_place (trans, TRUE);
  gst_base_transform_set_passthrough (trans, TRUE);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->reports);
  self->health = gst_video_health_new ();
  self->counting = gst_video_histogram_engine_new ();
  self->engine = gst_video_health_engine_new (self->health, self->counting);
  self->times = no_times;
  self->backend = DEFAULT_BACKEND;
  self->rules = g_strdup (DEFAULT_RULES);
  self->ignore = g_strdup (DEFAULT_IGNORE);
  self->post_messages = DEFAULT_POST_MESSAGES;
  self->interval = DEFAULT_INTERVAL;
  self->overload = DEFAULT_OVERLOAD;
  self->last_due = self->last_analysed = GST_CLOCK_TIME_NONE;
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
   * GstVideoHealthElement:backend:
   *
   * Where to count, see #GstVideoHistogramElement:backend.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend",
          "Where to count: auto (on the GPU where that is faster, otherwise on "
          "the CPU), cpu, cuda (fail to start if there is no usable GPU)",
          GST_TYPE_VIDEO_HISTOGRAM_BACKEND, DEFAULT_BACKEND, ready));

  /**
   * GstVideoHealthElement:active-backend:
   *
   * Where frames are counted now: `cpu`, `cuda`, or `none` while counting
   * fails; %NULL in the NULL state.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "Where frames are counted now: cpu, cuda, or none while counting "
          "fails (null = the element is in the NULL state)", NULL, readable));

  /**
   * GstVideoHealthElement:backend-reason:
   *
   * Why the other backend is not in use, or why counting fails; empty if the
   * other backend was not tried.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_BACKEND_REASON,
      g_param_spec_string ("backend-reason", "Backend reason",
          "Why the other backend is not in use, or why counting fails "
          "(empty = the other backend was not tried)", NULL, readable));

  /**
   * GstVideoHealthElement:conditions:
   *
   * The conditions to judge and report. The element counts only what these
   * conditions need.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_CONDITIONS,
      g_param_spec_flags ("conditions", "Conditions",
          "Conditions to judge and report, joined by +, such as "
          "signal-loss+black: signal-loss (no frames), black, dark, bright, "
          "blurry (less sharp than learned), low-contrast (fog, smoke, dirt), "
          "covered, moved (another scene), frozen, color-cast (magenta), "
          "monochrome (no color), flapping (color keeps coming and going), "
          "flashing, banding (bands of brightness, as from lamps). "
          "docs/videohealth.md defines each",
          GST_TYPE_VIDEO_HEALTH_CONDITIONS, GST_VIDEO_HEALTH_CONDITIONS_ALL,
          playing));

  /**
   * GstVideoHealthElement:rules:
   *
   * When conditions begin and end, in the syntax of
   * gst_video_health_set_rules(), for example
   * `black,enter=0.98,leave=0.97,duration=2s,hold=500ms; dark,enter=0.95`. A
   * condition begins once its value has passed `enter` for `duration`, and ends
   * once its value has been back past `leave` for `hold`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_RULES,
      g_param_spec_string ("rules", "Rules",
          "Thresholds and times of conditions: "
          "CONDITION,enter=VALUE,leave=VALUE,duration=TIME,hold=TIME; ... "
          "A condition begins when its value is past enter for duration, and "
          "ends when it is back past leave for hold. Times need a unit, such "
          "as 2s or 500ms. What you leave out keeps its default "
          "(docs/videohealth.md)", DEFAULT_RULES, playing));

  /**
   * GstVideoHealthElement:ignore:
   *
   * Rectangles of the picture that conditions ignore, in the syntax of
   * gst_video_health_set_ignored(), for example
   * `bright,x=0.8,y=0,width=0.2,height=0.2; frozen,x=0,y=0,width=1,height=0.1`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_IGNORE,
      g_param_spec_string ("ignore", "Ignore",
          "Rectangles that conditions ignore: "
          "CONDITION,x=SHARE,y=SHARE,width=SHARE,height=SHARE; ... Shares are "
          "of the picture's width and height, 0 to 1; CONDITION may be all "
          "(empty = judge the whole picture)", DEFAULT_IGNORE, playing));

  /**
   * GstVideoHealthElement:active:
   *
   * The conditions that are active now. Notified when it changes.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_ACTIVE,
      g_param_spec_flags ("active", "Active conditions",
          "The conditions that are active now (none = no fault detected)",
          GST_TYPE_VIDEO_HEALTH_CONDITIONS, 0, readable));

  /**
   * GstVideoHealthElement:values:
   *
   * The values that the last frame was judged by: a structure with a field for
   * each condition. Conditions that were not judged are missing.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_VALUES,
      g_param_spec_boxed ("values", "Values",
          "The value of each condition in the last judged frame, as rules "
          "compare it with enter and leave", GST_TYPE_STRUCTURE, readable));

  /**
   * GstVideoHealthElement:reference-ready:
   *
   * Whether the element has learned what this camera shows, and so judges
   * `blurry`, `covered` and `moved`. Notified when it changes.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_REFERENCE_READY,
      g_param_spec_boolean ("reference-ready", "Reference ready",
          "Whether the element has learned what this camera shows, which "
          "blurry, covered and moved need", FALSE, readable));

  /**
   * GstVideoHealthElement:state-location:
   *
   * File that keeps what was learned of this camera, and the active conditions,
   * across restarts. The element reads it on the way to PAUSED, and replaces it
   * every ten minutes and on the way back to READY.
   *
   * If the file is not a saved state, the element renames it to end in `.bad`,
   * or `.bad2` to `.bad9`, and posts a warning. If the file cannot be read or
   * is not a regular file, the element leaves it as it is, posts a warning and
   * saves nothing until the next start. A symbolic link stays: the element
   * reads and replaces its target.
   *
   * Another location means another camera: at the next start, the element
   * discards what it has learned and reads the new file. Until then it saves to
   * the old one.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_STATE_LOCATION,
      g_param_spec_string ("state-location", "State location",
          "File that keeps the learned reference and the active conditions "
          "across restarts; one per camera (null = keep nothing)",
          DEFAULT_STATE_LOCATION, ready));

  /**
   * GstVideoHealthElement:post-messages:
   *
   * Whether changes are posted as element messages.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message named videohealth on the bus when a "
          "condition begins or ends", DEFAULT_POST_MESSAGES, playing));

  /**
   * GstVideoHealthElement:interval:
   *
   * Minimum time between two judged frames, in ns of running time: 0, or at
   * least %GST_VIDEO_HISTOGRAM_MIN_TIME. Frames in between cost nothing.
   * #GstVideoHealthElement:processed, #GstVideoHealthElement:dropped and
   * #GstVideoHealthElement:skipped do not count them, but they prevent
   * `signal-loss`.
   *
   * Conditions that last are still found, up to one interval later. `flashing`
   * needs judged frames at least twice as often as the picture flashes: 8 per
   * second for its default rule of 4 flashes. For `banding` the interval must
   * not be a multiple of the period of the light. To judge these two, leave the
   * interval at 0.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Minimum time between two judged frames, in ns: 1000000 (1 ms) or "
          "more (0 = judge every frame, which flashing and banding need)", 0,
          G_MAXUINT64, DEFAULT_INTERVAL, playing));

  /**
   * GstVideoHealthElement:overload:
   *
   * What to do with a frame that comes while the previous one is still being
   * counted, see #GstVideoHistogramElement:overload.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_OVERLOAD,
      g_param_spec_enum ("overload", "Overload",
          "What to do when frames come faster than the device counts: auto "
          "(drop in live pipelines and while video is late, otherwise wait), "
          "drop (pass the frame without judging it), wait (judge every frame, "
          "even if video gets late)",
          GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD_POLICY, DEFAULT_OVERLOAD, playing));

  /**
   * GstVideoHealthElement:processed:
   *
   * Frames counted since the element left READY.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_PROCESSED,
      g_param_spec_uint64 ("processed", "Processed",
          "Frames judged since the element was started", 0, G_MAXUINT64, 0,
          readable));

  /**
   * GstVideoHealthElement:dropped:
   *
   * Frames since the element left READY that were due but not counted because
   * the video was late or the device was busy. The video itself is never
   * dropped.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_DROPPED,
      g_param_spec_uint64 ("dropped", "Dropped",
          "Frames that passed without being judged because of overload", 0,
          G_MAXUINT64, 0, readable));

  /**
   * GstVideoHealthElement:skipped:
   *
   * Frames since the element left READY that were due but could not be counted.
   *
   * Since: 0.2
   */
  g_object_class_install_property (klass, PROP_SKIPPED,
      g_param_spec_uint64 ("skipped", "Skipped",
          "Frames that were due but could not be judged, because they were "
          "malformed or counting failed", 0, G_MAXUINT64, 0, readable));
}

static void
install_signals (gpointer klass)
{
  /**
   * GstVideoHealthElement::change:
   * @element: the element
   * @change: a #GstVideoHealthChange
   *
   * Emitted when a condition begins or ends, from the streaming thread or, for
   * `signal-loss`, from a thread of the element. No lock is held: a handler may
   * set and read properties. As in any streaming thread, a handler must not
   * set the element or its pipeline to READY or NULL, nor remove the element
   * from its pipeline: that would wait for the thread it runs in. Use
   * gst_element_call_async() for that.
   *
   * A flush does not drop changes.
   *
   * Since: 0.2
   */
  signals[SIGNAL_CHANGE] = g_signal_new ("change", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
      GST_TYPE_VIDEO_HEALTH_CHANGE | G_SIGNAL_TYPE_STATIC_SCOPE);

  /**
   * GstVideoHealthElement::forget:
   * @element: the element
   *
   * Discards the learned reference and learns again what the camera shows. Emit
   * it after moving the camera on purpose. See gst_video_health_forget().
   *
   * Conditions that are based on the reference end without a message or
   * #GstVideoHealthElement::change, but #GstVideoHealthElement:active is
   * notified.
   *
   * Since: 0.2
   */
  signals[SIGNAL_FORGET] = g_signal_new_class_handler ("forget",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_video_health_element_forget), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
}

static void
gst_video_health_element_class_init (GstVideoHealthElementClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhBaseTransformClass *base_class = VH_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (video_health_element_debug, "videohealth", 0,
      "videohealth element");

  object_class->set_property = gst_video_health_element_set_property;
  object_class->get_property = gst_video_health_element_get_property;
  object_class->finalize = gst_video_health_element_finalize;
  install_properties (object_class);
  install_signals (klass);

  gst_element_class_set_static_metadata (element_class, "Video health",
      "Filter/Analyzer/Video",
      "Detects camera faults: dark, covered, moved, frozen, out of focus, lost",
      "The gst-videohistogram developers");

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_video_health_element_change_state);

  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_video_health_element_propose_allocation);
  trans_class->transform_ip =
      GST_DEBUG_FUNCPTR (gst_video_health_element_transform_ip);
  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_video_health_element_sink_event);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_video_health_element_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_health_element_stop);

  base_class->open = GST_DEBUG_FUNCPTR (gst_video_health_element_open);
  base_class->close = GST_DEBUG_FUNCPTR (gst_video_health_element_close);
  base_class->take_context =
      GST_DEBUG_FUNCPTR (gst_video_health_element_take_context);
  base_class->answer_context =
      GST_DEBUG_FUNCPTR (gst_video_health_element_answer_context);
  base_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_health_element_configure);
  base_class->restart = GST_DEBUG_FUNCPTR (gst_video_health_element_restart);
}
