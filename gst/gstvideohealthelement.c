/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videohealth
 * @title: videohealth
 * @short_description: detects camera faults: dark, covered, moved, frozen, out
 * of focus, lost
 *
 * Judges every frame that passes, or one frame per
 * #GstVideoHealthElement:interval, and reports when a condition such as
 * `black`, `covered` or `signal-loss` starts and ends: in element messages
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
#include "gstvideohealthelement.h"
#include "decoderwatch.h"
#include "frametime.h"
#include "healthfile.h"
#include "healthreports.h"
#include "propertytable.h"
#include "ticker.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_health_element_debug);
#define GST_CAT_DEFAULT video_health_element_debug

/* Kinds of warnings. */
enum
{
  WARNING_STATE,
};

enum
{
  SIGNAL_CHANGE,
  SIGNAL_FORGET,
  LAST_SIGNAL
};

/* How long to wait for the previous frame: MAX_FRAME_WAIT at EOS and where
 * frames wait for the device, MAX_LIVE_FRAME_WAIT where video must not be held
 * up. */
#define MAX_FRAME_WAIT (2 * GST_SECOND)
#define MAX_LIVE_FRAME_WAIT (300 * GST_MSECOND)

/* How often the ticker checks for missing frames, and how often the state is
 * saved, in us. */
#define TICK (G_TIME_SPAN_SECOND / 5)
#define SAVE_INTERVAL (10 * G_TIME_SPAN_MINUTE)

/* From 1900, the epoch of NTP, to 1970. */
#define NTP_OFFSET (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

#define LEARNED (GST_VIDEO_HEALTH_CONDITIONS_BLURRY | \
    GST_VIDEO_HEALTH_CONDITIONS_COVERED | GST_VIDEO_HEALTH_CONDITIONS_MOVED)

static const VhFrameTimes no_times = {
  GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE
};

struct _GstVideoHealthElement
{
  VhAnalyser parent;

  GstVideoHealth *health;
  VhHealthReports reports;
  VhTicker ticker;              /* in PLAYING */

  /* properties, protected by the object lock */
  GstVideoHealthConditions conditions;
  gchar *rules, *ignore;        /* as set */
  GstVideoHealthSensitivity sensitivity;
  guint views;
  gchar *state_location;
  gchar *file;                  /* state_location as of the last start */
  gboolean file_left;           /* that file could not be loaded and must not be
                                 * replaced */
  gboolean post_messages;

  GMutex lock;                  /* not held while handlers run */
  /* protected by lock */
  GstVideoHealthEngine *engine;
  VhFrameTimes times;           /* of the frame submitted last */
  gboolean in_flight;           /* that frame is not in processed or skipped
                                 * yet */
  guint64 n_failed;             /* as last read from the engine */
  VhDecoderWatch *decoder;      /* or NULL */
  gboolean stuck;               /* waiting for the frame in flight timed out */
  gboolean waits;               /* frames may wait for the device, as of the
                                 * last one */
  VhFrameTime frame_time;       /* of the last frame */
  gboolean whole;               /* a frame came that is not marked as
                                 * corrupted */
  guint n_frames, n_corrupted;  /* that came since the last judged one */
  gint64 arrived;               /* monotonic us when the last frame came, or
                                 * PAUSED or PLAYING began, moved forward by any
                                 * time outside PLAYING since then */
  gint64 silence;               /* us in PLAYING since the last frame, as of the
                                 * moment PLAYING was left */
  gboolean eos;
  GstVideoHealthConditions active;      /* as last notified */
  gboolean reference_ready;     /* as last notified */
  gint64 saved;                 /* monotonic us when the ticker began, or last
                                 * saved the state */
  gboolean reference_saved;     /* the saved state has the reference; or
                                 * neither is ready */
};

static guint signals[LAST_SIGNAL];

G_DEFINE_TYPE (GstVideoHealthElement, gst_video_health_element,
    VH_TYPE_ANALYSER);
GST_ELEMENT_REGISTER_DEFINE (videohealth, "videohealth", GST_RANK_NONE,
    GST_TYPE_VIDEO_HEALTH_ELEMENT);

#define parent_class gst_video_health_element_parent_class

/* Changes */

static void
publish (gpointer object, const VhHealthReport * report)
{
  GstVideoHealthElement *self = object;
  gboolean post;

  GST_INFO_OBJECT (self, "%s %s: value %g",
      gst_video_health_condition_get_name (report->change.condition),
      report->change.active ? "starts" : "ends", report->change.value);
  GST_OBJECT_LOCK (self);
  post = self->post_messages;
  GST_OBJECT_UNLOCK (self);
  g_signal_emit (self, signals[SIGNAL_CHANGE], 0, &report->change);
  if (post)
    vh_base_transform_post (VH_BASE_TRANSFORM (self),
        gst_message_new_element (GST_OBJECT (self),
            vh_health_report_to_structure (report)));
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

/* Reports what has changed. Called without the lock. */
static void
report_changes (GstVideoHealthElement * self)
{
  notify_changes (self, FALSE);
  vh_health_reports_hand_over (&self->reports);
}

/* Counts the finished frame as processed, or as skipped if the device failed
 * meanwhile. Called with the lock. */
static void
count_finished (GstVideoHealthElement * self)
{
  const guint64 n_failed = gst_video_health_engine_get_n_failed (self->engine);
  VhAnalyser *analyser = VH_ANALYSER (self);

  if (self->in_flight)
    vh_analyser_count (analyser, n_failed > self->n_failed ?
        &analyser->skipped : &analyser->processed);
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
  vh_health_reports_collect (&self->reports, self->health, &self->times);
  return finished;
}

/* Judges the frame in flight before something changes that does not apply to
 * it. Called with the lock. */
static void
settle (GstVideoHealthElement * self)
{
  finish (self, self->waits ? MAX_FRAME_WAIT : MAX_LIVE_FRAME_WAIT);
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
  self->n_frames = self->n_corrupted = 0;
  vh_frame_time_init (&self->frame_time);
  self->arrived = g_get_monotonic_time ();
  self->silence = 0;
  self->eos = self->waits = FALSE;
  g_mutex_unlock (&self->lock);
  gst_video_health_reset (self->health);
  other = load_state (self);
  gst_video_health_restart (self->health);
  notify_changes (self, other);
  g_mutex_lock (&self->lock);
  self->reference_saved = self->reference_ready;
  g_mutex_unlock (&self->lock);
}

/* Ticker */

/* Reports the time to the health object if no frame came for a while. Called
 * with the lock. */
static void
check_silence (GstVideoHealthElement * self)
{
  const gint64 silence = g_get_monotonic_time () - self->arrived;

  if (self->eos || silence < TICK)
    return;
  gst_video_health_tick (self->health,
      self->frame_time.time + silence * GST_USECOND);
  vh_health_reports_collect (&self->reports, self->health, &no_times);
}

static void
tick (GstElement * element)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (element);
  const gint64 now = g_get_monotonic_time ();
  gboolean save;

  g_mutex_lock (&self->lock);
  if (finish (self, 0))
    check_silence (self);
  /* What was just learned must not be lost in a crash: a fault could be learned
   * instead. */
  save = now - self->saved >= SAVE_INTERVAL
      || self->reference_ready != self->reference_saved;
  if (save) {
    self->saved = now;
    self->reference_saved = self->reference_ready;
  }
  g_mutex_unlock (&self->lock);
  report_changes (self);
  if (save && vh_ticker_is_running (&self->ticker))
    save_state (self);
}

static void
start_ticker (GstVideoHealthElement * self)
{
  g_mutex_lock (&self->lock);
  self->saved = g_get_monotonic_time ();
  self->arrived = self->saved - self->silence;
  g_mutex_unlock (&self->lock);
  vh_ticker_start (&self->ticker);
}

/* Stops the ticker, so that it calls no more handlers. Waits only briefly for a
 * handler that is running, because it may itself wait for the state change. */
static void
stop_ticker (GstVideoHealthElement * self)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 end = now + MAX_LIVE_FRAME_WAIT / GST_USECOND;

  g_mutex_lock (&self->lock);
  self->silence = now - self->arrived;
  g_mutex_unlock (&self->lock);
  vh_ticker_stop (&self->ticker, end);
  vh_health_reports_await (&self->reports, end);
}

/* Frames */

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

/* Counts a frame that did not finish in time. Called with the lock. */
static void
skip_in_flight (GstVideoHealthElement * self)
{
  if (self->in_flight)
    vh_analyser_count (VH_ANALYSER (self), &VH_ANALYSER (self)->skipped);
  self->in_flight = FALSE;
}

/* Starts over: the next frame does not continue the earlier ones. Called with
 * the lock, by the streaming thread. */
static void
forget_frames (GstVideoHealthElement * self)
{
  vh_analyser_reset_schedule (VH_ANALYSER (self));
  gst_video_health_engine_restart (self->engine);
  self->in_flight = FALSE;
}

static VhFrameTimes
get_times (GstVideoHealthElement * self, GstBuffer * buffer)
{
  return (VhFrameTimes) {
    .timestamp = GST_BUFFER_PTS (buffer),
    .stream_time = vh_base_transform_get_stream_time (VH_BASE_TRANSFORM (self),
        buffer),
    .duration = GST_BUFFER_DURATION (buffer),
  };
}

/* Returns the time of a frame that has just come. */
static GstClockTime
take_time (GstVideoHealthElement * self, GstBuffer * buffer)
{
  const GstClockTime running_time = vh_base_transform_get_running_time
      (VH_BASE_TRANSFORM (self), buffer);
  GstClockTime time;
  gboolean switched;
  gint64 now;

  g_mutex_lock (&self->lock);
  now = g_get_monotonic_time ();
  time = vh_frame_time_follow (&self->frame_time, running_time,
      (now - self->arrived) * GST_USECOND, &switched);
  self->arrived = now;
  self->silence = 0;
  self->eos = FALSE;
  if (switched) {
    GST_INFO_OBJECT (self, "%s", self->frame_time.by_arrival ?
        "frames have no timestamps: using their times of arrival" :
        "frames have timestamps: using them");
    settle (self);
    skip_in_flight (self);
    forget_frames (self);
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
  const gboolean corrupted =
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);

  if (!corrupted || vh_decoder_watch_has_lost (self->decoder))
    self->whole = TRUE;
  if (self->whole) {
    self->n_frames++;
    self->n_corrupted += corrupted;
  }
  return !self->whole;
}

/* Adds the frames that came since the last judged one, which must be finished.
 * Called with the lock. */
static void
add_corrupted (GstVideoHealthElement * self)
{
  for (; self->n_frames > 0; self->n_frames--) {
    gst_video_health_add_corrupted (self->health, self->n_corrupted > 0);
    if (self->n_corrupted > 0)
      self->n_corrupted--;
  }
}

static gboolean
gst_video_health_element_accept (VhAnalyser * analyser, GstBuffer * buffer,
    GstClockTime * time)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (analyser);

  *time = take_time (self, buffer);
  return !is_guessed (self, buffer);
}

/* Frames that are not counted still show that the signal is present. */
static void
gst_video_health_element_pass (VhAnalyser * analyser, GstBuffer * buffer,
    const VhFramePlan * plan)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (analyser);
  const VhFrameTimes times = get_times (self, buffer);

  g_mutex_lock (&self->lock);
  if (finish (self, 0)) {
    if (plan->due) {
      add_corrupted (self);
      gst_video_health_judge (self->health, plan->time, GST_CLOCK_TIME_NONE);
    }
    else
      gst_video_health_skip (self->health, plan->time);
    vh_health_reports_collect (&self->reports, self->health, &times);
  }
  g_mutex_unlock (&self->lock);
}

/* Submits the frame to be counted and judged. */
static void
gst_video_health_element_analyse (VhAnalyser * analyser, GstBuffer * buffer,
    const VhFramePlan * plan, GError ** error)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (analyser);
  const VhFrameTimes times = get_times (self, buffer);

  g_mutex_lock (&self->lock);
  self->waits = plan->wait;
  if (finish (self, plan->wait ? MAX_FRAME_WAIT : 0))
    add_corrupted (self);
  if (gst_video_health_engine_submit (self->engine, buffer, plan->time,
          get_real_time (self, buffer), error)) {
    self->times = times;
    self->in_flight = TRUE;
    finish (self, 0);
  } else {
    vh_health_reports_collect (&self->reports, self->health, &times);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_video_health_element_report (VhAnalyser * analyser, gboolean analysed)
{
  (void) analysed;
  report_changes (GST_VIDEO_HEALTH_ELEMENT (analyser));
}

static gboolean
gst_video_health_element_configure (VhAnalyser * analyser, GstCaps * caps,
    GError ** error)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (analyser);
  gboolean configured;

  g_mutex_lock (&self->lock);
  skip_in_flight (self);
  configured = gst_video_health_engine_configure (self->engine, caps, error);
  g_mutex_unlock (&self->lock);
  return configured;
}

static void
gst_video_health_element_restart (VhBaseTransform * base)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (base);

  g_mutex_lock (&self->lock);
  forget_frames (self);
  /* Queued changes stay: the end of an alarm makes no sense without its
   * beginning. */
  vh_frame_time_init (&self->frame_time);
  self->eos = FALSE;
  g_mutex_unlock (&self->lock);
}

/* Events */

static void
drain (GstVideoHealthElement * self, gboolean eos)
{
  const GstClockTime max_wait = eos ? MAX_FRAME_WAIT : MAX_LIVE_FRAME_WAIT;

  g_mutex_lock (&self->lock);
  if (eos)
    finish (self, max_wait);
  else
    settle (self);
  self->eos = eos;
  g_mutex_unlock (&self->lock);
  report_changes (self);
  vh_health_reports_await (&self->reports,
      g_get_monotonic_time () + max_wait / GST_USECOND);
}

static void
set_coded (GstVideoHealthElement * self, gboolean coded)
{
  g_mutex_lock (&self->lock);
  settle (self);
  gst_video_health_set_coded (self->health, coded);
  g_mutex_unlock (&self->lock);
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
    set_coded (self, !g_str_has_prefix (codec, "Uncompressed"));
  g_free (codec);
}

/* The decoder may change with the caps. Not every decoder names its codec:
 * jpegdec does not. */
static void
watch_decoder (GstVideoHealthElement * self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);
  gboolean decoded;

  g_mutex_lock (&self->lock);
  self->decoder = vh_decoder_watch_follow (self->decoder, pad);
  decoded = self->decoder != NULL;
  g_mutex_unlock (&self->lock);
  if (decoded)
    set_coded (self, TRUE);
}

static gboolean
gst_video_health_element_sink_event (GstBaseTransform * trans,
    GstEvent * event)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      drain (self, FALSE);
      watch_decoder (self);
      break;
    case GST_EVENT_EOS:
      drain (self, TRUE);
      break;
    case GST_EVENT_TAG:
      take_tags (self, event);
      break;
    case GST_EVENT_STREAM_START:
      set_coded (self, FALSE);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* States */

static gboolean
gst_video_health_element_stop (GstBaseTransform * trans)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (trans);

  drain (self, FALSE);
  g_mutex_lock (&self->lock);
  gst_video_health_engine_restart (self->engine);
  self->in_flight = FALSE;
  g_clear_pointer (&self->decoder, vh_decoder_watch_free);
  g_mutex_unlock (&self->lock);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
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
    stop_ticker (self);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && result != GST_STATE_CHANGE_FAILURE)
    start_ticker (self);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    save_state (self);
  return result;
}

/* Properties */

/* Sets the rules @text for conditions of @sensitivity. */
static gboolean
set_rules (GstVideoHealthElement * self, const gchar * text,
    GstVideoHealthSensitivity sensitivity, GError ** error)
{
  GEnumClass *type = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_SENSITIVITY);
  gchar *rules = sensitivity == GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM ?
      g_strdup (text) : g_strdup_printf ("all,sensitivity=%s; %s",
      g_enum_get_value (type, sensitivity)->value_nick, text);
  gboolean ok;

  g_mutex_lock (&self->lock);
  settle (self);
  ok = gst_video_health_set_rules (self->health, rules, error);
  g_mutex_unlock (&self->lock);
  g_type_class_unref (type);
  g_free (rules);
  return ok;
}

static gboolean
apply_rules (gpointer object, const gchar * text, GError ** error)
{
  GstVideoHealthElement *self = object;
  GstVideoHealthSensitivity sensitivity;

  GST_OBJECT_LOCK (self);
  sensitivity = self->sensitivity;
  GST_OBJECT_UNLOCK (self);
  return set_rules (self, text, sensitivity, error);
}

static void
set_sensitivity (gpointer object, const VhProperty * property,
    const GValue * value)
{
  GstVideoHealthElement *self = object;
  gchar *rules;

  vh_property_store (self, property, value);
  GST_OBJECT_LOCK (self);
  rules = g_strdup (self->rules);
  GST_OBJECT_UNLOCK (self);
  /* Rules are valid at any sensitivity. */
  set_rules (self, rules, g_value_get_enum (value), NULL);
  g_free (rules);
}

static void
set_views (gpointer object, const VhProperty * property, const GValue * value)
{
  GstVideoHealthElement *self = object;

  vh_property_store (self, property, value);
  g_mutex_lock (&self->lock);
  settle (self);
  gst_video_health_set_views (self->health, g_value_get_uint (value));
  g_mutex_unlock (&self->lock);
}

static gboolean
apply_ignore (gpointer object, const gchar * text, GError ** error)
{
  GstVideoHealthElement *self = object;
  gboolean ok;

  g_mutex_lock (&self->lock);
  settle (self);
  ok = gst_video_health_set_ignored (self->health, text, error);
  g_mutex_unlock (&self->lock);
  return ok;
}

static void
set_conditions (gpointer object, const VhProperty * property,
    const GValue * value)
{
  GstVideoHealthElement *self = object;

  vh_property_store (self, property, value);
  g_mutex_lock (&self->lock);
  settle (self);
  gst_video_health_set_conditions (self->health, g_value_get_flags (value));
  g_mutex_unlock (&self->lock);
  notify_changes (self, FALSE);
}

static void
get_active (gpointer object, GValue * value)
{
  g_value_set_flags (value, gst_video_health_get_active
      (GST_VIDEO_HEALTH_ELEMENT (object)->health));
}

/* The values of the conditions that were judged, by name, and the reasons why
 * others were not. */
static void
get_values (gpointer object, GValue * value)
{
  GstVideoHealthElement *self = object;
  GstStructure *values = gst_structure_new_empty ("videohealth-values");
  GstStructure *unknown = gst_structure_new_empty ("videohealth-unknown");
  GstStructure *details = gst_structure_new_empty ("videohealth-detail");
  GstStructure *held_back = gst_structure_new_empty ("videohealth-held-back");
  GstStructure *durations = gst_structure_new_empty ("videohealth-duration");
  GstStructure *holds = gst_structure_new_empty ("videohealth-hold");
  GstStructure *pending = gst_structure_new_empty ("videohealth-pending");
  const gchar *name, *reason, *detail;
  GstVideoHealthConditions by;
  GstClockTime duration, hold, by_rule, hold_by_rule, time;
  gdouble number;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    name = gst_video_health_condition_get_name (i);
    reason = gst_video_health_get_unknown_reason (self->health, i);
    if (reason)
      gst_structure_set (unknown, name, G_TYPE_STRING, reason, NULL);
    else if (gst_video_health_get_value (self->health, i, &number))
      gst_structure_set (values, name, G_TYPE_DOUBLE, number, NULL);
    detail = gst_video_health_get_detail (self->health, i);
    if (detail)
      gst_structure_set (details, name, G_TYPE_STRING, detail, NULL);
    by = gst_video_health_get_held_back_by (self->health, i);
    if (by)
      gst_structure_set (held_back, name, GST_TYPE_VIDEO_HEALTH_CONDITIONS, by,
          NULL);
    gst_video_health_get_rule (self->health, i, NULL, NULL, &by_rule,
        &hold_by_rule);
    duration = gst_video_health_get_duration (self->health, i);
    if (duration > by_rule)
      gst_structure_set (durations, name, G_TYPE_UINT64, duration, NULL);
    hold = gst_video_health_get_hold (self->health, i);
    if (hold > hold_by_rule)
      gst_structure_set (holds, name, G_TYPE_UINT64, hold, NULL);
    time = gst_video_health_get_pending (self->health, i);
    if (time > 0)
      gst_structure_set (pending, name, G_TYPE_UINT64, time, NULL);
  }
  if (gst_structure_n_fields (unknown) > 0)
    gst_structure_set (values, "unknown", GST_TYPE_STRUCTURE, unknown, NULL);
  if (gst_structure_n_fields (details) > 0)
    gst_structure_set (values, "detail", GST_TYPE_STRUCTURE, details, NULL);
  if (gst_structure_n_fields (held_back) > 0)
    gst_structure_set (values, "held-back", GST_TYPE_STRUCTURE, held_back,
        NULL);
  if (gst_structure_n_fields (durations) > 0)
    gst_structure_set (values, "duration", GST_TYPE_STRUCTURE, durations, NULL);
  if (gst_structure_n_fields (holds) > 0)
    gst_structure_set (values, "hold", GST_TYPE_STRUCTURE, holds, NULL);
  if (gst_structure_n_fields (pending) > 0)
    gst_structure_set (values, "pending", GST_TYPE_STRUCTURE, pending, NULL);
  gst_structure_free (pending);
  gst_structure_free (holds);
  gst_structure_free (durations);
  gst_structure_free (held_back);
  gst_structure_free (unknown);
  gst_structure_free (details);
  g_value_take_boxed (value, values);
}

static void
get_reference_ready (gpointer object, GValue * value)
{
  GstVideoHealthElement *self = object;

  g_mutex_lock (&self->lock);
  g_value_set_boolean (value, self->reference_ready);
  g_mutex_unlock (&self->lock);
}

#define FIELD(field) VH_FIELD (GstVideoHealthElement, field)

/* *INDENT-OFF* */
static VhProperty properties[] = {
  /**
   * GstVideoHealthElement:conditions:
   *
   * The conditions to judge and report, by default those of
   * gst_video_health_get_default_conditions(). The element counts only what
   * these conditions need.
   *
   * Since: 0.2
   */
  {"conditions", "Conditions",
      NULL, G_TYPE_FLAGS, gst_video_health_conditions_get_type,
      VH_FIELD (GstVideoHealthElement, conditions), .set = set_conditions},
  /**
   * GstVideoHealthElement:rules:
   *
   * When conditions start and end, in the syntax of
   * gst_video_health_set_rules(), for example
   * `black,enter=0.98,leave=0.97,duration=2s,hold=500ms; dark,enter=0.95`. A
   * condition starts once its value has passed `enter` for `duration`, and ends
   * once its value has been back past `leave` for `hold`.
   *
   * Since: 0.2
   */
  {"rules", "Rules",
      "Thresholds and times of conditions: "
      "CONDITION,enter=VALUE,leave=VALUE,duration=TIME,hold=TIME; ... A "
      "condition starts when its value is past enter for duration, and ends "
      "when it is back past leave for hold. Times need a unit, such as 2s or "
      "500ms. sensitivity=low, medium or high stands for numbers, also in an "
      "entry for all. What you leave out keeps its default "
      "(docs/videohealth.md)",
      G_TYPE_STRING, FIELD (rules), .text = "", .apply = apply_rules},
  /**
   * GstVideoHealthElement:sensitivity:
   *
   * How easily conditions start. Numbers and sensitivities of conditions in
   * #GstVideoHealthElement:rules take precedence.
   *
   * Since: 0.2
   */
  {"sensitivity", "Sensitivity",
      "How easily conditions start: low (fewer alarms), medium, high (weaker "
      "faults are reported, and sooner). What rules says takes precedence",
      G_TYPE_ENUM, gst_video_health_sensitivity_get_type, FIELD (sensitivity),
      .value = GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM, .set = set_sensitivity},
  /**
   * GstVideoHealthElement:ignore:
   *
   * Rectangles of the picture that conditions ignore, in the syntax of
   * gst_video_health_set_ignored(), for example
   * `bright,x=0.8,y=0,width=0.2,height=0.2; frozen,x=0,y=0,width=1,height=0.1`.
   *
   * Since: 0.2
   */
  {"ignore", "Ignore",
      "Rectangles that conditions ignore: "
      "CONDITION,x=SHARE,y=SHARE,width=SHARE,height=SHARE; ... Shares are of "
      "the picture's width and height, 0 to 1; CONDITION may be all (empty = "
      "judge the whole picture)",
      G_TYPE_STRING, FIELD (ignore), .text = "", .apply = apply_ignore},
  /**
   * GstVideoHealthElement:views:
   *
   * How many views to learn of a camera that goes on a tour of several
   * positions. See gst_video_health_set_views().
   *
   * Since: 0.2
   */
  {"views", "Views",
      "How many positions the camera has on its tour; each is learned, and "
      "moved starts when the picture shows none of them (1 = the camera does "
      "not move)",
      G_TYPE_UINT, FIELD (views), .minimum = 1,
      .maximum = GST_VIDEO_HEALTH_MAX_VIEWS, .value = 1, .set = set_views},
  /**
   * GstVideoHealthElement:active:
   *
   * The conditions that are active now. Notified when it changes.
   *
   * Since: 0.2
   */
  {"active", "Active conditions",
      "The conditions that are active now (none = no fault detected)",
      G_TYPE_FLAGS, gst_video_health_conditions_get_type,
      .flags = G_PARAM_READABLE, .get = get_active},
  /**
   * GstVideoHealthElement:values:
   *
   * The values that the last frame was judged by: a structure with a field for
   * each condition. For conditions that were not judged, the field `unknown`, a
   * structure, has the reasons of gst_video_health_get_unknown_reason().
   * The field `detail` has those of gst_video_health_get_detail(), and the
   * field `held-back` those of gst_video_health_get_held_back_by(). The field
   * `duration` has gst_video_health_get_duration() of conditions that wait
   * longer than their rules say, and the field `hold` likewise
   * gst_video_health_get_hold().
   *
   * Since: 0.2
   */
  {"values", "Values",
      "The value of each condition in the last judged frame, as rules "
      "compare it with enter and leave",
      G_TYPE_BOXED, gst_structure_get_type, .flags = G_PARAM_READABLE,
      .get = get_values},
  /**
   * GstVideoHealthElement:reference-ready:
   *
   * Whether the element has learned what this camera shows, and so judges
   * `blurry`, `covered`, `moved`, `obstructed` and `glare`. Notified when it
   * changes.
   *
   * Since: 0.2
   */
  {"reference-ready", "Reference ready",
      "Whether the element has learned what this camera shows, which blurry, "
      "covered, moved, obstructed and glare need",
      G_TYPE_BOOLEAN, .flags = G_PARAM_READABLE, .get = get_reference_ready},
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
  {"state-location", "State location",
      "File that keeps the learned reference and the active conditions "
      "across restarts; one per camera (null = keep nothing)",
      G_TYPE_STRING, FIELD (state_location),
      .flags = GST_PARAM_MUTABLE_READY},
  {"post-messages", "Post messages",
      "Post an element message named videohealth on the bus when a condition "
      "starts or ends",
      G_TYPE_BOOLEAN, FIELD (post_messages), .value = TRUE},
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
  {"interval", "Interval",
      "Minimum time between two judged frames, in ns: 1000000 (1 ms) or more "
      "(0 = judge every frame, which flashing and banding need)",
      G_TYPE_UINT64, VH_FIELD (VhAnalyser, interval)},
};
/* *INDENT-ON* */

/* The property's text: GStreamer's tools show no words for flags. */
static const gchar *
describe_conditions (void)
{
  GString *text = g_string_new ("Conditions to judge and report, joined by +, "
      "such as signal-loss+black:");
  const guint usual = gst_video_health_get_default_conditions ();
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_string_append_printf (text, " %s (%s%s),",
        gst_video_health_condition_get_name (i),
        gst_video_health_condition_get_words (i),
        usual >> i & 1 ? "" : "; off by default");
  g_string_append (text, " or all. docs/videohealth.md defines each");
  return g_string_free (text, FALSE);
}

static void
set_defaults (gpointer instance)
{
  GstVideoHealthElement *self = instance;

  self->conditions = gst_video_health_get_default_conditions ();
}

static const VhPropertyTable property_table = VH_PROPERTY_TABLE (properties,
    set_defaults);

/* The action signal. */
static void
gst_video_health_element_forget (GstVideoHealthElement * self)
{
  g_mutex_lock (&self->lock);
  settle (self);
  gst_video_health_forget (self->health);
  g_mutex_unlock (&self->lock);
  notify_changes (self, TRUE);
}

static void
gst_video_health_element_finalize (GObject * object)
{
  GstVideoHealthElement *self = GST_VIDEO_HEALTH_ELEMENT (object);

  vh_ticker_clear (&self->ticker);
  vh_health_reports_clear (&self->reports);
  g_object_unref (self->engine);
  g_object_unref (self->health);
  vh_property_table_clear (&property_table, self);
  g_free (self->file);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_health_element_init (GstVideoHealthElement * self)
{
  g_mutex_init (&self->lock);
  vh_health_reports_init (&self->reports, publish, self);
  vh_ticker_init (&self->ticker, GST_ELEMENT (self), "videohealth", tick, TICK);
  self->health = gst_video_health_new ();
  self->engine = gst_video_health_engine_new (self->health,
      VH_ANALYSER (self)->engine);
  self->times = no_times;
  vh_property_table_init (&property_table, self);
  gst_video_health_set_conditions (self->health, self->conditions);
}

static void
install_signals (gpointer klass)
{
  /**
   * GstVideoHealthElement::change:
   * @element: the element
   * @change: a #GstVideoHealthChange
   *
   * Emitted when a condition starts or ends, from the streaming thread or, for
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
  VhAnalyserClass *analyser_class = VH_ANALYSER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (video_health_element_debug, "videohealth", 0,
      "videohealth element");

  object_class->finalize = gst_video_health_element_finalize;
  properties[0].blurb = describe_conditions ();
  vh_property_table_install (&property_table, klass);
  install_signals (klass);

  gst_element_class_set_static_metadata (element_class, "Video health",
      "Filter/Analyzer/Video",
      "Detects camera faults: dark, covered, moved, frozen, out of focus, lost",
      "The gst-videohistogram developers");

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_video_health_element_change_state);

  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_video_health_element_sink_event);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_health_element_stop);
  VH_BASE_TRANSFORM_CLASS (klass)->restart =
      GST_DEBUG_FUNCPTR (gst_video_health_element_restart);

  analyser_class->category = video_health_element_debug;
  analyser_class->analysed = "judged";
  analyser_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_health_element_configure);
  analyser_class->accept = GST_DEBUG_FUNCPTR (gst_video_health_element_accept);
  analyser_class->analyse =
      GST_DEBUG_FUNCPTR (gst_video_health_element_analyse);
  analyser_class->pass = GST_DEBUG_FUNCPTR (gst_video_health_element_pass);
  analyser_class->report = GST_DEBUG_FUNCPTR (gst_video_health_element_report);
}
