/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "camera.h"

#include "offlinelog.h"
#include "backoff.h"
#include "failure.h"
#include "gpu.h"
#include "storedactions.h"
#include "whatif.h"

#include <math.h>
#include <string.h>

/* Times are in µs. */
#define SECOND G_TIME_SPAN_SECOND

/* The delay between attempts starts over after a camera has sent frames for
 * this long. */
#define MIN_STABLE_TIME (10 * SECOND)

/* Longest time between the starts of two attempts for a camera that has been up
 * before, unless the first attempt takes longer. */
#define MAX_RETRY_INTERVAL (15 * SECOND)

/* s: shortest time to wait for a key frame that can be decoded. Restreamers,
 * and cameras that save bandwidth, send one every 10 to 30 s. */
#define MIN_KEY_FRAME_SECONDS 60

/* How long a thread may take to end. */
#define MAX_STOP_TIME (10 * SECOND)
/* After this, one more thread, but not a third, is started beside a stuck
 * one. */
#define MAX_STUCK_TIME (60 * SECOND)
#define MAX_THREADS 2
/* How long the first attempt waits for the last one of an earlier camera of
 * this name, which saves what it has learned, and what is active, when it
 * ends. */
#define MAX_SAVE_TIME (3 * SECOND)

/* How long frames may fail to arrive before the GPU that decodes them is
 * tested. */
#define MAX_DECODING_TIME (2 * SECOND)
/* How long a camera is decoded on the CPU after a hardware decoder failed. */
#define SOFTWARE_DECODING_TIME G_TIME_SPAN_HOUR

/* Why a camera is lost whose connection stays. */
#define NO_VIDEO "it sends no video"
#define NO_KEY_FRAME "no key frame in "
#define BETWEEN_KEY_FRAMES "joined the stream between two key frames"
#define PACKETS_LOST "packets were lost"

/* Why a camera is decoded on the CPU. */
#define GPU_LOST "the GPU was lost"

#define PICTURE_INTERVAL (10 * SECOND)
#define VIEWED_PICTURE_INTERVAL VHM_EACH_SECOND
/* A little less than four ticks, as for VHM_EACH_SECOND. */
#define MIN_PICTURE_INTERVAL (SECOND * 7 / 8)
/* How long a request for a picture counts as viewing. */
#define VIEWING_TIME (15 * SECOND)

/* How long a picture of another size than the ordinary one is kept. */
#define MAX_PICTURE_AGE (3 * SECOND)

/* How long the next picture of a stream that is decoded may take to come. */
#define MAX_PICTURE_DELAY (5 * SECOND)

#define MAX_REFERENCE_AGE G_TIME_SPAN_HOUR

/* How long reports of a pipeline may be in flight. */
#define MAX_REPORT_DELAY (3 * SECOND)

typedef struct _VhmCameraPrivate VhmCameraPrivate;
struct _VhmCameraPrivate
{
  const VhmCameraHandler *handler;
  gpointer data;
  gboolean begun;
  gint64 created;               /* monotonic µs */
  GstVideoHealth *signal;       /* judges signal-loss, whatever the pipeline
                                 * does */
  gchar *learned;               /* file */

  VhmAttempt *attempt;          /* or NULL */
  GPtrArray *left;              /* of VhmAttempt: abandoned ones that have not
                                 * ended, including those of earlier cameras of
                                 * this name */
  gint64 signal_lag;            /* µs that the time of @signal lags behind */
  gint64 signal_judged;         /* when @signal was last judged */
  gint64 resumed, pause;        /* until when, and for how long, the program
                                 * last stood still; or 0 */
  gboolean known;               /* has been up before */
  VhmOfflineLog *offline_log;
  gint64 last_seen;             /* when video last came in any attempt, or the
                                 * start */
  gint64 failed;                /* when the last attempt ended, µs since 1970;
                                 * or 0 */
  gint64 attempt_since;         /* monotonic µs, like all times below */
  gint64 stop_since;            /* 0 unless asked to stop */
  gint64 first_frame;           /* of this attempt, or 0 */
  gint64 delay;                 /* of vhm_backoff_next() */
  gboolean at_once;             /* reconnect without a delay */
  gint64 software_until;        /* decode on the CPU until then */
  guint64 attempt_frames;       /* of this attempt, at the last tick */
  /* of all attempts before this one */
  guint64 analysed, dropped, skipped;

  gint64 look_until;
  gint64 picture_asked[VHM_N_PICTURE_SIZES];
  gint64 healthy_since;         /* 0 while any condition is active */
  GArray *awaiting;             /* numbers of events that await a picture */

  /* last reported states, which may not be applied yet */
  gboolean reported[GST_VIDEO_HEALTH_N_CONDITIONS];
  gboolean reported_quiet[GST_VIDEO_HEALTH_N_CONDITIONS];
  /* while it is quiet: by a snooze, rather than quiet hours; afterwards, the
   * same of the last time */
  gboolean snoozed[GST_VIDEO_HEALTH_N_CONDITIONS];
  /* since when the value has been past the threshold to the other state; or
   * 0 */
  gint64 differs_since[GST_VIDEO_HEALTH_N_CONDITIONS];
  /* conditions, a bit each, that were active when a user discarded the
   * reference */
  guint unlearned;
  gboolean has_gap;             /* nobody watched for so long before
                                 * @watched_since that events say so */
  gint64 watched_since;         /* end of the last time in which nobody watched,
                                 * µs since 1970; 0: the start */
  gint64 watched_from;          /* the same, monotonic */
};

static const gchar *const state_names[] = {
  [VHM_CAMERA_CONNECTING] = "connecting",
  [VHM_CAMERA_KEY_FRAME] = "waiting-for-key-frame",
  [VHM_CAMERA_UP] = "up",
  [VHM_CAMERA_WAITING] = "waiting",
  [VHM_CAMERA_HANGING] = "hanging",
};

const gchar *
vhm_camera_state_get_name (VhmCameraState state)
{
  return state_names[state];
}

/* Whether @reason says that a connection stays, but brings no video that can be
 * decoded. */
static gboolean
is_connected (const gchar * reason)
{
  static const gchar *const starts[] = { NO_VIDEO, NO_KEY_FRAME,
    BETWEEN_KEY_FRAMES, PACKETS_LOST, VHM_NO_PACKETS
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (starts); i++)
    if (g_str_has_prefix (reason, starts[i]))
      return TRUE;
  return g_str_has_suffix (reason, VHM_NO_ANSWER)
      && !g_str_has_prefix (reason, VHM_NO_CONNECTION);
}

/* Whether this machine, rather than what @reason says, is why no video comes.
 * A loss that started for another reason keeps it. */
static gboolean
is_by_machine (const VhmCamera * camera, const gchar * reason)
{
  const VhmCondition *loss =
      &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];

  return camera->machine_busy && (!loss->active || loss->by_machine)
      && is_connected (reason);
}

/* Takes @reason. Attempts to reconnect do not change since when a camera has
 * not been up: that is since its last frame. */
static void
enter_state (VhmCamera * camera, VhmCameraState state, gchar * reason)
{
  const gint64 now = g_get_real_time ();

  if (is_by_machine (camera, reason)) {
    g_free (reason);
    reason = g_strdup (VHM_MACHINE_BUSY);
  }
  if (state == VHM_CAMERA_UP && camera->state != VHM_CAMERA_UP)
    camera->state_since = now;
  else if (state != VHM_CAMERA_UP && camera->state == VHM_CAMERA_UP)
    camera->state_since = MIN (camera->last_frame, now);
  camera->state = state;
  g_free (camera->reason);
  camera->reason = reason;
}

/* Changes */

/* Whether any condition with the topic of this one was last reported as
 * active, and not quiet. */
static gboolean
is_topic_active (const VhmCameraPrivate * priv,
    GstVideoHealthCondition condition)
{
  const gchar *topic = gst_video_health_condition_get_topic (condition);
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (priv->reported[i] && !priv->reported_quiet[i]
        && g_str_equal (gst_video_health_condition_get_topic (i), topic))
      return TRUE;
  return FALSE;
}

static gboolean
is_quiet (const VhmCamera * camera, GstVideoHealthCondition condition)
{
  return vhm_quiet_get (camera->quiet, condition).until != 0;
}

/* Whether the condition would not have ended by the threshold that started
 * it. */
static gboolean
is_by_new_limit (const VhmCamera * camera, const VhmChange * change)
{
  const VhmCondition *condition = &camera->conditions[change->condition];
  const VhmThresholds before = vhm_what_if_complete
      (&camera->thresholds[change->condition], condition->entered, NAN);

  return condition->active && !change->active && !condition->limitless
      && !isnan (condition->entered)
      && !vhm_thresholds_are_passed (&before, FALSE, change->value);
}

/* Why the state changes, if its value does not say that. */
static const gchar *
explain_change (const VhmCamera * camera, const VhmChange * change)
{
  const VhmCameraPrivate *priv = camera->priv;

  if (is_by_new_limit (camera, change))
    return "the limit was changed";
  return !change->active && priv->has_gap
      && camera->conditions[change->condition].unconfirmed
      && change->since >= priv->watched_since ? VHM_UNWATCHED_END : "";
}

static void
report_change (VhmCamera * camera, const VhmChange * change,
    const gchar * reason)
{
  VhmCameraPrivate *priv = camera->priv;
  VhmCondition *condition = &camera->conditions[change->condition];
  gboolean unseen;
  VhmEvent *event;

  if (priv->reported[change->condition] == change->active)
    return;
  priv->reported[change->condition] = change->active;
  unseen = !change->active && !*reason && condition->unconfirmed
      && condition->last_seen;
  if (unseen)
    reason = VHM_NO_VIDEO_END;
  else if (!*reason)
    reason = explain_change (camera, change);
  priv->unlearned &= ~(1u << change->condition);
  /* What ends is unconfirmed until that is applied. */
  if (change->active)
    condition->unconfirmed = FALSE;
  /* The end of what nobody was told is not told either. */
  if (change->active)
    priv->reported_quiet[change->condition] =
        is_quiet (camera, change->condition);
  event = vhm_event_new (camera->settings->name, change->condition);
  event->active = change->active;
  event->quiet = priv->reported_quiet[change->condition];
  event->topic_active = is_topic_active (priv, change->condition);
  event->value = change->value;
  event->threshold = change->threshold == 0 || condition->limitless ? NAN
      : change->threshold;
  event->since = unseen ? MAX (condition->last_seen, condition->since)
      : change->since;
  event->active_since = change->active_since;
  event->time = change->time;
  g_free (event->reason);
  event->reason = g_strdup (reason);
  priv->handler->event (priv->data, camera, event);
}

/* Whether a condition has differed from its last reported state long enough to
 * be reported, according to its rule, or for as long as videohealth needs. */
static gboolean
has_differed (VhmCamera * camera, GstVideoHealthCondition condition,
    gboolean active, gdouble value)
{
  const VhmThresholds *t = &camera->thresholds[condition];
  const VhmCondition *c = &camera->conditions[condition];
  const gint64 now = g_get_monotonic_time ();
  gint64 *since = &camera->priv->differs_since[condition];
  gint64 least = active ? MAX (t->duration, c->duration) :
      MAX (t->hold, c->hold);

  if (!vhm_thresholds_are_passed (t, active, value)) {
    *since = 0;
    return FALSE;
  }
  if (!*since)
    *since = now;
  if (condition != GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
    least = MAX (least, MAX_REPORT_DELAY);
  return now - *since >= least;
}

/* Whether a condition is active by a reference that a user has discarded:
 * nothing would end it until there is another reference. */
static gboolean
is_unlearned (const VhmCamera * camera, GstVideoHealthCondition condition)
{
  return camera->priv->unlearned >> condition & 1
      && g_strcmp0 (camera->conditions[condition].unknown, "learning") == 0;
}

/* A camera that is well may need so long for its first frame. */
#define TIME_TO_CONNECT (30 * G_TIME_SPAN_SECOND)

/* Notes that a condition from before a time in which nobody watched is still
 * active: its end will be seen. */
static void
note_watched (VhmCamera * camera, GstVideoHealthCondition condition,
    gint64 time)
{
  VhmCondition *c = &camera->conditions[condition];

  if (c->judged && !vhm_thresholds_are_passed (&camera->thresholds[condition],
          FALSE, c->value) && time >= camera->priv->watched_since)
    c->unconfirmed = FALSE;
}

static void
note_signal_watched (VhmCamera * camera)
{
  VhmCondition *c = &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];
  const VhmCameraPrivate *priv = camera->priv;
  /* While it waits for a key frame, the loss is not judged. */
  const gboolean is_lost = c->judged_active
      || camera->last_frame <= priv->watched_since;
  /* What could not be connected need not be given that time. */
  const gboolean has_failed = camera->state == VHM_CAMERA_WAITING
      && priv->failed >= priv->watched_since;

  if (is_lost && (has_failed || g_get_monotonic_time ()
          >= priv->watched_from + TIME_TO_CONNECT))
    c->unconfirmed = FALSE;
}

/* Reports a change that the pipeline does not report. For example, the first
 * pipeline after the program was killed does not know which states were
 * reported before. */
static void
reconcile_condition (VhmCamera * camera, GstVideoHealthCondition condition,
    gboolean judged, gboolean active)
{
  VhmCameraPrivate *priv = camera->priv;
  const VhmThresholds *t = &camera->thresholds[condition];
  VhmChange change = { condition, active };

  if (!judged && is_unlearned (camera, condition)) {
    change.value = camera->conditions[condition].value;
    change.threshold = t->leave;
    change.since = change.time = g_get_real_time ();
    report_change (camera, &change, "the reference was relearned");
  }
  if (!judged || active == priv->reported[condition]) {
    priv->differs_since[condition] = 0;
    return;
  }
  change.value = camera->conditions[condition].value;
  if (!has_differed (camera, condition, active, change.value))
    return;
  change.threshold = active ? t->enter : t->leave;
  change.time = g_get_real_time ();
  change.since = change.time
      - (g_get_monotonic_time () - priv->differs_since[condition]);
  report_change (camera, &change, "");
}

/* Why an alarm ends when its condition becomes quiet, or stops being quiet, and
 * why the next one starts then. To be freed. */
static gchar *
describe_quiet (const VhmCamera * camera, GstVideoHealthCondition condition)
{
  const VhmQuietPeriod period = vhm_quiet_get (camera->quiet, condition);
  gchar *until = period.until ? vhm_time_to_text (period.until) : NULL;
  gchar *text;

  if (!until)
    text = g_strdup (camera->priv->snoozed[condition] ? VHM_SNOOZE_OVER
        : VHM_QUIET_HOURS_OVER);
  else if (g_str_equal (period.by, VHM_BY_SCHEDULE))
    text = g_strdup_printf (VHM_QUIET_HOURS_END "%s", until);
  else
    text = g_strdup_printf (VHM_SNOOZED_END "until %s%s%s%s%s", until,
        *period.by ? " by " : "", period.by, *period.note ? ": " : "",
        period.note);
  g_free (until);
  return text;
}

/* Why the alarm of a condition that is no longer quiet starts. To be freed. */
static gchar *
describe_return (gint64 since)
{
  gchar *time = vhm_time_to_text (since);
  gchar *text = g_strdup_printf (VHM_STILL_ACTIVE "%s: it is no longer quiet",
      time);

  g_free (time);
  return text;
}

/* An alarm is quiet as a whole, or not at all: where that changes, it ends and
 * another one starts. So receivers get an end for what they know, and a start
 * for what is still active once it is not quiet any more, with the time when
 * the condition really started. */
static void
split_alarm (VhmCamera * camera, GstVideoHealthCondition condition)
{
  const VhmThresholds *t = &camera->thresholds[condition];
  VhmCondition *before = &camera->conditions[condition];
  const gint64 now = g_get_real_time ();
  const gboolean unconfirmed = before->unconfirmed;
  VhmChange change = { condition, FALSE, before->value, t->leave, now, now };
  gchar *cause = g_strdup (before->cause ? before->cause : "");
  gchar *reason = describe_quiet (camera, condition), *full;

  report_change (camera, &change, reason);
  change.active = TRUE;
  change.threshold = t->enter;
  if (before->active)
    change.active_since = before->active_since ? before->active_since
        : before->since;
  if (change.active_since && !is_quiet (camera, condition)) {
    g_free (reason);
    reason = describe_return (change.active_since);
  }
  full = g_strconcat (cause, *cause ? "; " : "", reason, NULL);
  report_change (camera, &change, full);
  before->unconfirmed = unconfirmed;
  g_free (full);
  g_free (reason);
  g_free (cause);
}

static void
update_quiet (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  gint64 until[VHM_N_SNOOZES];
  guint ended, i;

  for (i = 0; i < VHM_N_SNOOZES; i++)
    until[i] = vhm_quiet_get_snooze (camera->quiet, i).until;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const VhmQuietPeriod period = vhm_quiet_get (camera->quiet, i);

    if (period.until)
      priv->snoozed[i] = !g_str_equal (period.by, VHM_BY_SCHEDULE);
  }
  ended = vhm_quiet_update (camera->quiet, g_get_real_time ());
  for (i = 0; i < VHM_N_SNOOZES; i++)
    if (ended >> i & 1)
      priv->handler->snooze_over (priv->data, camera, i, until[i]);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (priv->reported[i] && priv->reported_quiet[i] != is_quiet (camera, i))
      split_alarm (camera, i);
}

/* Ends conditions that are no longer watched. */
static void
end_unwatched (VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    VhmChange change = { i };

    if (camera->settings->conditions >> i & 1)
      continue;
    change.since = change.time = g_get_real_time ();
    report_change (camera, &change, VHM_NOT_WATCHED);
  }
}

static void
set_acknowledged (VhmCondition * condition, const VhmEvent * event)
{
  condition->acknowledged = event->acknowledged;
  g_free (condition->acknowledged_by);
  condition->acknowledged_by = g_strdup (event->acknowledged_by);
  g_free (condition->note);
  condition->note = g_strdup (event->note);
}

/* What the last event of a condition says of it. */
static void
set_event (VhmCondition * condition, const VhmEvent * event)
{
  condition->active = event->active;
  condition->entered = event->threshold;
  condition->by_machine = g_str_has_prefix (event->reason, VHM_MACHINE_BUSY);
  g_free (condition->cause);
  condition->cause = event->active ? vhm_event_get_cause (event->reason) : NULL;
  condition->since = event->since;
  condition->active_since = event->active_since;
  condition->outage = event->outage;
  condition->number = event->number;
  condition->quiet = event->quiet;
  set_acknowledged (condition, event);
}

static void
apply_to_condition (VhmCondition * condition, const VhmEvent * event)
{
  if (condition->active != event->active) {
    if (event->active)
      condition->begun++;
    else
      condition->ended++;
  }
  condition->value = event->value;
  set_event (condition, event);
}

void
vhm_camera_apply_acknowledgement (VhmCamera * camera, const VhmEvent * event)
{
  VhmCondition *condition = &camera->conditions[event->condition];

  if (condition->number == event->number)
    set_acknowledged (condition, event);
}

void
vhm_camera_apply (VhmCamera * camera, const VhmEvent * event)
{
  VhmCondition *condition = &camera->conditions[event->condition];

  /* An event that could not be stored at first was applied then. Now that it is
   * stored, it may be older than the current state, and is then not applied. */
  if (!event->told || (condition->active == event->active
          && condition->since == event->since))
    apply_to_condition (condition, event);
  if (!camera->priv->reported[event->condition])
    condition->unconfirmed = FALSE;
  if (!event->number)
    return;
  if (event->condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS
      && event->active) {
    camera->priv->handler->picture (camera->priv->data, camera, event->number,
        camera->pictures[VHM_PICTURE_480].jpeg);
    return;
  }
  if (!camera->priv->attempt) {
    camera->priv->handler->picture (camera->priv->data, camera, event->number,
        NULL);
    return;
  }
  g_array_append_val (camera->priv->awaiting, event->number);
  vhm_attempt_want_picture (camera->priv->attempt, VHM_PICTURE_480);
}

GstVideoHealthConditions
vhm_camera_get_active (const VhmCamera * camera)
{
  GstVideoHealthConditions active = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    active |= (camera->conditions[i].active ? 1 : 0) << i;
  return active;
}

GstVideoHealthConditions
vhm_camera_get_unconfirmed (const VhmCamera * camera)
{
  GstVideoHealthConditions unconfirmed = vhm_camera_get_active (camera);
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (!camera->conditions[i].unconfirmed)
      unconfirmed &= ~(1u << i);
  return unconfirmed;
}

/* Conditions that compare the view with the learned one, as soon as there is
 * one. */
#define OF_VIEW (GST_VIDEO_HEALTH_CONDITIONS_COVERED \
    | GST_VIDEO_HEALTH_CONDITIONS_MOVED)

gboolean
vhm_camera_is_judged (const VhmCamera * camera)
{
  const GstVideoHealthConditions wanted = camera->settings->conditions
      & ~(GstVideoHealthConditions) GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS;
  gboolean judged = !wanted;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const VhmCondition *condition = &camera->conditions[i];

    if (wanted >> i & 1)
      judged |= condition->was_judged;
    if ((wanted & OF_VIEW) >> i & 1 && !condition->was_judged
        && g_strcmp0 (condition->unknown, "learning") == 0)
      return FALSE;
  }
  return judged;
}

/* Whether the first attempt has neither failed nor takes too long yet, so that
 * nothing is known of the camera. */
static gboolean
is_about_to_connect (const VhmCamera * camera)
{
  const VhmCameraPrivate *priv = camera->priv;

  return camera->state == VHM_CAMERA_CONNECTING && !camera->frames
      && !priv->failed
      && g_get_monotonic_time () < priv->created + TIME_TO_CONNECT;
}

/* Whether a camera that has shown no picture yet is more than about to
 * connect. */
static gboolean
is_never_seen (const VhmCamera * camera)
{
  return camera->state != VHM_CAMERA_UP
      && camera->state != VHM_CAMERA_KEY_FRAME && !camera->frames
      && !is_about_to_connect (camera);
}

GstVideoHealthSeverity
vhm_camera_get_severity (const VhmCamera * camera)
{
  GstVideoHealthSeverity severity = GST_VIDEO_HEALTH_SEVERITY_NONE;
  guint i;

  if (is_never_seen (camera)
      && !is_quiet (camera, GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS))
    return GST_VIDEO_HEALTH_SEVERITY_LOST;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (camera->conditions[i].active && !camera->conditions[i].unconfirmed
        && !is_quiet (camera, i))
      severity = MAX (severity, gst_video_health_condition_get_severity (i));
  return severity;
}

/* Whether the condition needs frames that are not decoded. */
static gboolean
is_unseen (const VhmCamera * camera, GstVideoHealthCondition condition)
{
  return VHM_OF_EVERY_FRAME >> condition & 1 && (camera->relieved
      || camera->settings->decode == VHM_DECODE_KEY_FRAMES);
}

/* Ends the conditions that are no longer judged. */
static void
end_unseen (VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    VhmChange change = { i };

    if (!is_unseen (camera, i))
      continue;
    change.since = change.time = g_get_real_time ();
    report_change (camera, &change, "only key frames are judged");
  }
}

VhmThresholds
vhm_camera_get_rule (const VhmCamera * camera,
    GstVideoHealthCondition condition)
{
  VhmThresholds rule = camera->thresholds[condition];

  rule.duration = MAX (rule.duration, camera->conditions[condition].duration);
  rule.hold = MAX (rule.hold, camera->conditions[condition].hold);
  return rule;
}

/* Reports of the attempt */

static void
on_sample (gpointer data, const VhmSample * sample)
{
  VhmCamera *camera = data;
  VhmCameraPrivate *priv = camera->priv;
  guint i;

  gst_clear_video_histogram (&camera->histogram);
  camera->histogram = gst_video_histogram_ref (sample->histogram);
  if (sample->colors) {
    gst_clear_video_histogram (&camera->colors);
    camera->colors = gst_video_histogram_ref (sample->colors);
  }
  camera->measured = sample->time;
  camera->analysed = priv->analysed + sample->analysed;
  camera->dropped = priv->dropped + sample->dropped;
  camera->skipped = priv->skipped + sample->skipped;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (i == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
      continue;
    camera->conditions[i].judged = sample->verdict.judged >> i & 1
        && !is_unseen (camera, i);
    camera->conditions[i].unknown = is_unseen (camera, i) ?
        VHM_UNKNOWN_KEY_FRAMES : sample->verdict.unknown[i];
    camera->conditions[i].detail = sample->verdict.details[i];
    camera->conditions[i].held_back = sample->verdict.held_back[i];
    camera->conditions[i].duration = sample->verdict.durations[i];
    camera->conditions[i].hold = sample->verdict.holds[i];
    camera->conditions[i].pending_since = sample->verdict.pending[i] ?
        sample->time - sample->verdict.pending[i] : 0;
    camera->conditions[i].judged_active = sample->verdict.active >> i & 1;
    camera->conditions[i].was_judged |= camera->conditions[i].judged;
    if (camera->conditions[i].judged) {
      camera->conditions[i].value = sample->verdict.values[i];
      camera->conditions[i].limitless = i == GST_VIDEO_HEALTH_CONDITION_FROZEN
          && sample->verdict.details[i];
    }
    note_watched (camera, i, sample->time);
    reconcile_condition (camera, i, camera->conditions[i].judged,
        sample->verdict.active >> i & 1);
  }
  priv->handler->measured (priv->data, camera);
}

static void
on_change (gpointer data, const VhmChange * change)
{
  if (!is_unseen (data, change->condition))
    report_change (data, change, "");
}

static void
keep_reference (VhmCamera * camera, const VhmPicture * picture)
{
  const gint64 healthy = camera->priv->healthy_since;

  if (!healthy || g_get_monotonic_time () - healthy <= MIN_STABLE_TIME
      || (camera->reference
          && picture->time - camera->reference_time <= MAX_REFERENCE_AGE
          && picture->time >= camera->reference_time))
    return;
  g_clear_pointer (&camera->reference, g_bytes_unref);
  camera->reference = g_bytes_ref (picture->jpeg);
  camera->reference_time = picture->time;
  camera->priv->handler->reference (camera->priv->data, camera);
}

static void
on_picture (gpointer data, VhmPictureSize size, const VhmPicture * picture)
{
  VhmCamera *camera = data;
  VhmCameraPrivate *priv = camera->priv;
  guint i;

  vhm_picture_set (&camera->pictures[size], picture);
  if (size != VHM_PICTURE_480)
    return;
  for (i = 0; i < priv->awaiting->len; i++)
    priv->handler->picture (priv->data, camera,
        g_array_index (priv->awaiting, guint64, i), picture->jpeg);
  g_array_set_size (priv->awaiting, 0);
  keep_reference (camera, picture);
}

/* Detaches the finished attempt; the caller drops its reference. */
static void
leave_attempt (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  guint i;

  priv->analysed = camera->analysed;
  priv->dropped = camera->dropped;
  priv->skipped = camera->skipped;
  priv->attempt = NULL;
  priv->stop_since = 0;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    camera->conditions[i].pending_since = 0;
}

static void
retry_later (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();

  if (priv->at_once) {
    priv->at_once = FALSE;
    camera->retry_at = now;
    return;
  }
  if (priv->first_frame && now - priv->first_frame > MIN_STABLE_TIME)
    priv->delay = 0;
  camera->retry_at = now + vhm_backoff_next (&priv->delay);
  if (priv->known)
    camera->retry_at = MIN (camera->retry_at,
        MAX (priv->attempt_since + MAX_RETRY_INTERVAL, now + SECOND));
}

/* When video last came, also before a restart during a loss; monotonic µs. */
static gint64
get_last_seen (const VhmCamera * camera)
{
  return camera->frames
      || !camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS].active ?
      camera->priv->last_seen : g_get_monotonic_time ()
      - (g_get_real_time () - camera->state_since);
}

static void
log_offline (VhmCamera * camera, const gchar * reason)
{
  vhm_offline_log_fail (camera->priv->offline_log, reason,
      get_last_seen (camera), g_get_monotonic_time ());
}

/* Takes @trouble. */
static void
set_gpu_trouble (VhmCamera * camera, gchar * trouble, guint beside)
{
  if (trouble && g_strcmp0 (trouble, camera->gpu_trouble))
    g_message ("camera %s: decoded on the CPU: %s", camera->settings->name,
        trouble);
  else if (!trouble && camera->gpu_trouble)
    g_message ("camera %s: decoded by the GPU again", camera->settings->name);
  g_free (camera->gpu_trouble);
  camera->gpu_trouble = trouble;
  camera->gpu_beside = beside;
  camera->gpu_refused = g_get_monotonic_time ();
}

/* @why: the reason why the attempt ended, or NULL. */
static void
note_gpu_trouble (VhmCamera * camera, const gchar * why)
{
  guint beside;
  gchar *trouble = vhm_attempt_describe_gpu_trouble (camera->priv->attempt, why,
      &beside);

  if (trouble && vhm_gpu_is_lost ())
    set_gpu_trouble (camera, g_strdup (GPU_LOST), 0);
  else if (trouble)
    set_gpu_trouble (camera, g_steal_pointer (&trouble), beside);
  g_free (trouble);
}

static void
on_ended (gpointer data, const gchar * why)
{
  VhmCamera *camera = data;
  VhmCameraPrivate *priv = camera->priv;
  /* If it was asked to stop, the reason is set already. */
  gchar *reason = g_strdup (priv->stop_since ? camera->reason : why);

  note_gpu_trouble (camera, why);
  if (vhm_attempt_has_decoder_failed (priv->attempt)) {
    priv->software_until = g_get_monotonic_time () + SOFTWARE_DECODING_TIME;
    priv->at_once = TRUE;
  }
  vhm_attempt_forget (priv->attempt);
  leave_attempt (camera);
  log_offline (camera, reason);
  priv->failed = g_get_real_time ();
  enter_state (camera, VHM_CAMERA_WAITING, reason);
  retry_later (camera);
}

static const VhmAttemptHandler attempt_handler = {
  .sample = on_sample,.change = on_change,.picture = on_picture,
  .ended = on_ended
};

/* Attempts */

/* A password that the camera rejected may have been corrected meanwhile. */
static void
read_credentials (VhmCamera * camera)
{
  VhmCameraSettings *again = strstr (camera->reason, VHM_REJECTED) ?
      vhm_camera_settings_read_credentials (camera->settings) : NULL;

  if (!again)
    return;
  g_message ("camera %s: the file of its credentials has changed",
      again->name);
  vhm_camera_set_settings (camera, again);
  if (camera->main_stream) {
    vhm_main_stream_free (camera->main_stream);
    camera->main_stream = vhm_main_stream_new (again);
  }
  vhm_group_unref (again);
}

static void
start_attempt (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;

  priv->attempt_since = g_get_monotonic_time ();
  priv->first_frame = 0;
  priv->attempt_frames = 0;
  priv->picture_asked[VHM_PICTURE_480] = priv->attempt_since;
  memset (priv->differs_since, 0, sizeof (priv->differs_since));
  camera->decoder = NULL;
  camera->hardware = FALSE;
  if (camera->state == VHM_CAMERA_WAITING
      || camera->state == VHM_CAMERA_HANGING)
    camera->reconnects++;
  if (camera->state != VHM_CAMERA_CONNECTING)
    enter_state (camera, VHM_CAMERA_CONNECTING, g_strdup (camera->reason));
  read_credentials (camera);
  priv->attempt = vhm_attempt_new (camera->settings, vhm_gpu_is_lost ()
      || priv->attempt_since < priv->software_until, priv->learned,
      &attempt_handler, camera);
  if (camera->relieved)
    vhm_attempt_set_decode (priv->attempt, VHM_DECODE_KEY_FRAMES);
}

static void
stop_attempt (VhmCamera * camera, gchar * reason)
{
  enter_state (camera, camera->state, reason);
  camera->priv->stop_since = g_get_monotonic_time ();
  vhm_attempt_stop (camera->priv->attempt);
}

/* Packets that are dropped between two key frames also show that there is a
 * signal. */
static void
note_arrival (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 arrival = vhm_attempt_get_arrival (priv->attempt);
  /* The lag of now has the pause, too. */
  const gint64 time = arrival < priv->resumed ? MIN (arrival + priv->pause,
      priv->resumed) : arrival;

  if (!priv->first_frame || arrival <= priv->last_seen)
    return;
  priv->last_seen = arrival;
  gst_video_health_judge (priv->signal, (time - priv->signal_lag) * 1000,
      (g_get_real_time () - (g_get_monotonic_time () - arrival)) * 1000);
}

static void
note_frames (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  gint64 monotonic, real;
  const guint64 frames = vhm_attempt_get_frames (priv->attempt, &monotonic,
      &real);

  if (frames == priv->attempt_frames)
    return;
  priv->known = TRUE;
  vhm_offline_log_end (priv->offline_log, monotonic);
  camera->frames += frames - priv->attempt_frames;
  priv->attempt_frames = frames;
  camera->last_frame = real;
  camera->has_video = TRUE;
  if (!priv->first_frame) {
    priv->first_frame = monotonic;
    /* The first picture follows the first frame at once. */
    priv->picture_asked[VHM_PICTURE_480] = monotonic;
    vhm_attempt_want_picture (priv->attempt, VHM_PICTURE_480);
  }
  if (camera->state != VHM_CAMERA_UP && !priv->stop_since)
    enter_state (camera, VHM_CAMERA_UP, g_strdup (""));
}

static gdouble
get_max_key_frame_seconds (const VhmCamera * camera)
{
  return MAX (MIN_KEY_FRAME_SECONDS, camera->settings->timeout);
}

static void
give_up_key_frame (VhmCamera * camera)
{
  stop_attempt (camera, g_strdup_printf (NO_KEY_FRAME "%g seconds of "
          "video: set the camera to send one every 1 to 2 s (GOP, I-frame "
          "interval), and switch intra refresh off",
          get_max_key_frame_seconds (camera)));
}

static gboolean
may_use_udp (const VhmCameraSettings * settings)
{
  return settings->transport != VHM_TRANSPORT_TCP
      && g_str_has_prefix (vhm_camera_settings_get_judged (settings), "rtsp");
}

/* Detects that a stream was joined between two key frames, or has lost packets
 * without which it cannot be decoded. Returns when the last undecodable packet
 * of video came, or 0. */
static gint64
wait_for_key_frame (VhmCamera * camera)
{
  static const struct
  {
    const gchar *reason, *note;
  } causes[] = {
    {BETWEEN_KEY_FRAMES, "waiting for a key frame"},
    {PACKETS_LOST, "waiting for a key frame after packet loss: over UDP, "
          "transport=tcp avoids it"},
    {PACKETS_LOST, "waiting for a key frame after packet loss: the "
          "camera or the network drops data, or this machine is too busy"},
    {"its key frames cannot be decoded without the frames between them",
        "decode=keyframes gives no frames, so all frames are decoded: set "
          "the camera to closed GOPs"},
  };
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();
  gint64 last, since = vhm_attempt_get_key_frame_wait (priv->attempt, &last);

  if (!since)
    return last;
  if (camera->state == VHM_CAMERA_CONNECTING
      || camera->state == VHM_CAMERA_UP) {
    const guint cause = camera->decode == VHM_DECODE_ALL
        && (camera->relieved
        || camera->settings->decode == VHM_DECODE_KEY_FRAMES) ? 3
        : !priv->first_frame ? 0 : may_use_udp (camera->settings) ? 1 : 2;

    enter_state (camera, VHM_CAMERA_KEY_FRAME, g_strdup (causes[cause].reason));
    vhm_offline_log_note (priv->offline_log, is_by_machine (camera,
            causes[cause].reason) ? "waiting for a key frame: this machine is "
        "too busy" : causes[cause].note);
  }
  if (now - since > get_max_key_frame_seconds (camera) * SECOND)
    give_up_key_frame (camera);
  return last;
}

static void
note_decoder (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;

  camera->decoder = vhm_attempt_get_decoder (priv->attempt, &camera->hardware);
  if (!priv->first_frame)
    return;
  if (camera->hardware && camera->gpu_trouble)
    set_gpu_trouble (camera, NULL, 0);
  else if (!camera->hardware && !camera->gpu_trouble)
    note_gpu_trouble (camera, NULL);
}

/* Checks that the attempt delivers frames, or ends if it was asked to. */
static void
watch_attempt (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();
  gint64 last, frame, real;

  vhm_attempt_get_frames (priv->attempt, &frame, &real);
  note_decoder (camera);
  camera->decode = vhm_attempt_get_decode (priv->attempt);
  last = MAX (vhm_attempt_get_arrival (priv->attempt), priv->attempt_since);
  last = MAX (last, priv->resumed);
  if (!priv->stop_since && priv->first_frame
      && last - frame > get_max_key_frame_seconds (camera) * SECOND)
    give_up_key_frame (camera);
  if (!priv->stop_since)
    last = MAX (last, wait_for_key_frame (camera));
  if (!priv->stop_since) {
    if (camera->hardware && now - last > MAX_DECODING_TIME)
      vhm_gpu_suspect ();
    if (now - last > camera->settings->timeout * SECOND)
      stop_attempt (camera, g_strdup (NO_VIDEO));
    return;
  }
  if (now - priv->stop_since > MAX_STOP_TIME
      && camera->state != VHM_CAMERA_HANGING) {
    enter_state (camera, VHM_CAMERA_HANGING, g_strdup_printf ("%s, and its "
            "thread is stuck", camera->reason));
    log_offline (camera, camera->reason);
  }
  if (now - priv->stop_since > MAX_STUCK_TIME
      && priv->left->len + 1 < MAX_THREADS) {
    vhm_attempt_mute (priv->attempt);
    g_ptr_array_add (priv->left, priv->attempt);
    leave_attempt (camera);
    retry_later (camera);
  }
}

/* Starts an attempt if one more thread is allowed. */
static void
try_to_start (VhmCamera * camera)
{
  if (camera->priv->left->len
      && g_get_monotonic_time () - camera->priv->created < MAX_SAVE_TIME)
    return;
  if (camera->priv->left->len < MAX_THREADS)
    start_attempt (camera);
  else if (g_get_monotonic_time () - camera->retry_at > MAX_STOP_TIME
      && camera->state != VHM_CAMERA_HANGING)
    enter_state (camera, VHM_CAMERA_HANGING, g_strdup_printf ("%u of its "
            "threads are stuck", MAX_THREADS));
}

/* Without video, what the camera showed last is not present: its conditions are
 * not judged, and the active ones are unconfirmed until a frame shows them
 * again. */
static void
note_no_video (VhmCamera * camera)
{
  guint i;

  camera->has_video = FALSE;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    VhmCondition *condition = &camera->conditions[i];

    if (i == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
      continue;
    condition->judged = FALSE;
    condition->unknown = NULL;
    if (!camera->priv->reported[i] || condition->unconfirmed)
      continue;
    condition->unconfirmed = TRUE;
    condition->last_seen = camera->measured;
  }
}

/* Whether video is missing now, for as long as an alarm takes if there is one
 * for that. An active signal-loss only ends some time after video is back, and
 * is not judged while the camera waits for a key frame. */
static gboolean
is_without_video (const VhmCamera * camera)
{
  const GstVideoHealthCondition loss = GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS;
  const VhmCondition *condition = &camera->conditions[loss];
  const VhmThresholds *t = &camera->thresholds[loss];

  if (camera->state == VHM_CAMERA_KEY_FRAME)
    return vhm_thresholds_are_passed (t, TRUE,
        (g_get_real_time () - camera->state_since) / (gdouble) SECOND);
  return camera->settings->conditions & GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS
      ? camera->priv->reported[loss] && condition->judged
      && vhm_thresholds_are_passed (t, TRUE, condition->value) :
      camera->state == VHM_CAMERA_WAITING
      || camera->state == VHM_CAMERA_HANGING;
}

/* How long there has been no frame. A loss goes on over a restart. */
static gdouble
get_silence (const VhmCamera * camera, gdouble value)
{
  const VhmCondition *condition =
      &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];

  return camera->frames || !condition->active ? value :
      MAX (value, (g_get_real_time () - camera->state_since) / (gdouble)
      SECOND);
}

/* Why there is no video. A reason that was given before the machine was known
 * to be too busy changes, too. */
static const gchar *
explain_loss (VhmCamera * camera)
{
  const gchar *reason = *camera->reason ? camera->reason : NO_VIDEO;

  if (!is_by_machine (camera, reason))
    return reason;
  if (*camera->reason)
    enter_state (camera, camera->state, g_strdup (reason));
  return VHM_MACHINE_BUSY;
}

static void
judge_signal (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  VhmCondition *condition =
      &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];
  const gint64 real = g_get_real_time ();
  GstVideoHealthChange change;
  gint64 now = g_get_monotonic_time (), pending;
  gdouble value;

  /* Video arrives, but cannot be decoded yet: this must neither start nor end
   * signal-loss. */
  if (camera->state == VHM_CAMERA_KEY_FRAME && priv->signal_judged
      && !gst_video_health_get_active (priv->signal))
    priv->signal_lag += now - priv->signal_judged;
  now -= priv->signal_lag;
  if (!priv->signal_judged || !is_about_to_connect (camera))
    gst_video_health_tick (priv->signal, now * 1000);
  priv->signal_judged = now + priv->signal_lag;
  condition->judged = gst_video_health_get_value (priv->signal,
      GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, &value);
  if (condition->judged)
    condition->value = get_silence (camera, value);
  condition->judged_active = gst_video_health_get_active (priv->signal) != 0;
  pending = gst_video_health_get_pending (priv->signal,
      GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS) / GST_USECOND;
  condition->pending_since = pending ? real - pending : 0;
  note_signal_watched (camera);
  while (gst_video_health_next_change (priv->signal, &change)) {
    VhmChange c = { change.condition, change.active, change.value,
      change.threshold,
      real - (now - (gint64) change.since / 1000),
      real - (now - (gint64) change.time / 1000)
    };

    /* Time in which the camera waited for a key frame is not judged, but is
     * part of the loss. */
    if (change.active && camera->last_frame)
      c.since = MIN (c.since, camera->last_frame);
    report_change (camera, &c, change.active ? explain_loss (camera) : "");
  }
  /* A loss from before the start lasts until the first frame, however short its
   * hold is. */
  reconcile_condition (camera, GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS,
      condition->judged && camera->frames,
      gst_video_health_get_active (priv->signal) != 0);
  if (is_without_video (camera))
    note_no_video (camera);
}

static void
ask_for_picture (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();
  const gint64 age = now - priv->picture_asked[VHM_PICTURE_480];

  if (age < (now < priv->look_until ? VIEWED_PICTURE_INTERVAL
          : PICTURE_INTERVAL))
    return;
  priv->picture_asked[VHM_PICTURE_480] = now;
  vhm_attempt_want_picture (priv->attempt, VHM_PICTURE_480);
}

static void
drop_old_pictures (VhmCamera * camera)
{
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < VHM_N_PICTURE_SIZES; i++)
    if (i != VHM_PICTURE_480
        && now - camera->pictures[i].arrival > MAX_PICTURE_AGE)
      vhm_picture_set (&camera->pictures[i], NULL);
}

void
vhm_camera_tick (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();
  guint i;

  if (!priv->begun)
    return;
  update_quiet (camera);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (camera->conditions[i].judged || camera->conditions[i].number)
      camera->known |= 1 << i;
  if (priv->attempt) {
    note_frames (camera);
    note_arrival (camera);
    watch_attempt (camera);
  }
  vhm_attempt_forget_ended (priv->left);
  drop_old_pictures (camera);
  if (camera->main_stream)
    vhm_main_stream_tick (camera->main_stream);
  judge_signal (camera);
  if (vhm_camera_get_active (camera) || camera->state != VHM_CAMERA_UP)
    priv->healthy_since = 0;
  else if (!priv->healthy_since)
    priv->healthy_since = now;
  if (priv->attempt && camera->state == VHM_CAMERA_UP)
    ask_for_picture (camera);
  if (!priv->attempt && now >= camera->retry_at)
    try_to_start (camera);
}

void
vhm_camera_forgive (VhmCamera * camera, gint64 pause)
{
  VhmCameraPrivate *priv = camera->priv;

  priv->resumed = g_get_monotonic_time ();
  priv->pause = pause;
  priv->signal_lag += pause;
  if (priv->signal_judged)
    priv->signal_judged += pause;
}

void
vhm_camera_note_unwatched (VhmCamera * camera, gint64 until, gboolean is_gap)
{
  const gboolean was_lost =
      camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS].active;
  guint i;

  camera->priv->has_gap = is_gap;
  camera->priv->watched_since = until;
  camera->priv->watched_from = g_get_monotonic_time ();
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    VhmCondition *condition = &camera->conditions[i];

    /* After a restart, a loss tells when other conditions were last seen. */
    if (!condition->unconfirmed)
      condition->last_seen = was_lost
          && i != GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS ?
          MAX (camera->state_since, condition->since) : 0;
    condition->unconfirmed = camera->priv->reported[i];
  }
}

void
vhm_camera_look (VhmCamera * camera)
{
  camera->priv->look_until = g_get_monotonic_time () + VIEWING_TIME;
}

void
vhm_camera_want_picture (VhmCamera * camera, VhmPictureSize size)
{
  VhmCameraPrivate *priv = camera->priv;
  const gint64 now = g_get_monotonic_time ();

  if (camera->state != VHM_CAMERA_UP || !priv->attempt
      || now - priv->picture_asked[size] < MIN_PICTURE_INTERVAL)
    return;
  priv->picture_asked[size] = now;
  vhm_attempt_want_picture (priv->attempt, size);
}

static gboolean
is_of_main_stream (const VhmCamera * camera, VhmPictureSize size)
{
  return size == VHM_PICTURE_FULL && camera->main_stream
      && vhm_main_stream_get_picture (camera->main_stream);
}

const VhmPicture *
vhm_camera_get_snapshot (const VhmCamera * camera, VhmPictureSize size)
{
  return is_of_main_stream (camera, size) ?
      vhm_main_stream_get_picture (camera->main_stream)
      : &camera->pictures[size];
}

void
vhm_camera_want_snapshot (VhmCamera * camera, VhmPictureSize size)
{
  if (is_of_main_stream (camera, size))
    vhm_main_stream_want_picture (camera->main_stream);
  else
    vhm_camera_want_picture (camera, size);
}

gint64
vhm_camera_get_snapshot_time (const VhmCamera * camera, VhmPictureSize size)
{
  return is_of_main_stream (camera, size) ? VHM_MAX_MAIN_STREAM_TIME
      : MAX_PICTURE_DELAY;
}

gdouble
vhm_camera_get_rate (const VhmCamera * camera)
{
  const VhmCameraPrivate *priv = camera->priv;
  gint64 last, real;
  guint64 frames;

  if (!priv->attempt || !priv->first_frame)
    return 0;
  frames = vhm_attempt_get_frames (priv->attempt, &last, &real);
  return last > priv->first_frame ? (frames - 1) * (gdouble) SECOND
      / (last - priv->first_frame) : 0;
}

gint64
vhm_camera_get_behind (const VhmCamera * camera, gint64 * damaged)
{
  const VhmCondition *loss =
      &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];

  *damaged = 0;
  if (loss->active && loss->by_machine && (!*camera->reason
          || g_str_has_prefix (camera->reason, VHM_MACHINE_BUSY)))
    return g_get_real_time ();
  return camera->priv->attempt ?
      vhm_attempt_get_behind (camera->priv->attempt, damaged) : 0;
}

void
vhm_camera_leave_gpu (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;

  priv->at_once = camera->hardware;
  if (camera->hardware || camera->gpu_trouble)
    set_gpu_trouble (camera, g_strdup (GPU_LOST), 0);
  if (priv->attempt && !priv->stop_since && camera->hardware)
    stop_attempt (camera, g_strdup ("the GPU that decoded it was lost"));
  else if (!priv->attempt && camera->hardware)
    camera->retry_at = g_get_monotonic_time ();
}

void
vhm_camera_return_to_gpu (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;

  priv->software_until = 0;
  if (!priv->attempt || priv->stop_since)
    return;
  priv->at_once = TRUE;
  stop_attempt (camera, g_strdup ("the GPU has room for it again"));
}

void
vhm_camera_relieve (VhmCamera * camera, guint64 relief)
{
  camera->relieved = relief;
  if (camera->priv->attempt)
    vhm_attempt_set_decode (camera->priv->attempt,
        relief ? VHM_DECODE_KEY_FRAMES : VHM_DECODE_ALL);
  end_unseen (camera);
}

gboolean
vhm_camera_can_be_relieved (const VhmCamera * camera)
{
  return camera->settings->decode == VHM_DECODE_AUTO && !camera->relieved
      && camera->state == VHM_CAMERA_UP && camera->priv->attempt
      && vhm_attempt_has_delta_frames (camera->priv->attempt);
}

gboolean
vhm_camera_unlearn (VhmCamera * camera)
{
  guint i;

  if (camera->state != VHM_CAMERA_UP)
    return FALSE;
  vhm_attempt_unlearn (camera->priv->attempt);
  /* The next picture without active conditions becomes the reference. */
  camera->reference_time = 0;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    camera->priv->unlearned |= (guint) camera->priv->reported[i] << i;
  return TRUE;
}

/* Life cycle */

VhmCamera *
vhm_camera_new (VhmCameraSettings * settings, const gchar * learned,
    GPtrArray * left, const VhmCameraHandler * handler, gpointer data)
{
  VhmCamera *camera = g_new0 (VhmCamera, 1);
  VhmCameraPrivate *priv = g_new0 (VhmCameraPrivate, 1);

  camera->settings = vhm_group_ref (settings);
  camera->decode = settings->decode == VHM_DECODE_KEY_FRAMES ?
      VHM_DECODE_KEY_FRAMES : VHM_DECODE_ALL;
  camera->reason = g_strdup ("");
  /* Nearly all video is coded. A frame tells. */
  camera->conditions[GST_VIDEO_HEALTH_CONDITION_FROZEN].limitless = TRUE;
  camera->state_since = g_get_real_time ();
  camera->priv = priv;
  camera->quiet = vhm_quiet_new ();
  vhm_quiet_set_schedule (camera->quiet, settings->quiet);
  if (settings->substream)
    camera->main_stream = vhm_main_stream_new (settings);
  priv->handler = handler;
  priv->data = data;
  priv->learned = g_strdup (learned);
  priv->offline_log = vhm_offline_log_new (settings->name, MIN_STABLE_TIME);
  priv->created = priv->last_seen = g_get_monotonic_time ();
  priv->left = left ? left
      : g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_attempt_forget);
  priv->awaiting = g_array_new (FALSE, FALSE, sizeof (guint64));
  priv->signal = gst_video_health_new ();
  gst_video_health_set_conditions (priv->signal, settings->conditions
      & GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS);
  /* The rules have been validated before. */
  if (settings->rules)
    gst_video_health_set_rules (priv->signal, settings->rules, NULL);
  vhm_thresholds_read (priv->signal, camera->thresholds);
  return camera;
}

void
vhm_camera_set_settings (VhmCamera * camera, VhmCameraSettings * settings)
{
  vhm_group_unref (camera->settings);
  camera->settings = vhm_group_ref (settings);
  vhm_quiet_set_schedule (camera->quiet, settings->quiet);
}

void
vhm_camera_begin (VhmCamera * camera, const VhmCameraRecord * record)
{
  VhmCameraPrivate *priv = camera->priv;
  const VhmCondition *loss =
      &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];
  guint i;

  for (i = 0; i < record->events->len; i++) {
    const VhmEvent *event = g_ptr_array_index (record->events, i);
    VhmCondition *condition = &camera->conditions[event->condition];

    priv->reported[event->condition] = event->active;
    priv->reported_quiet[event->condition] = event->quiet;
    set_event (condition, event);
  }
  for (i = 0; i < record->snoozes->len; i++) {
    const VhmStoredSnooze *snooze = g_ptr_array_index (record->snoozes, i);

    vhm_quiet_set_snooze (camera->quiet, snooze->snooze, snooze->until,
        snooze->by, snooze->note);
  }
  camera->reference = record->reference ? g_bytes_ref (record->reference)
      : NULL;
  camera->reference_time = record->reference_time;
  if (loss->active)
    camera->state_since = loss->active_since ? loss->active_since : loss->since;
  if (record->last)
    vhm_picture_restore (&camera->pictures[VHM_PICTURE_480], record->last,
        camera->state_since);
  priv->known = record->reference != NULL;
  priv->begun = TRUE;
  camera->added = g_get_real_time ();
  camera->first_watched = record->first_watched ? record->first_watched
      : camera->added;
  update_quiet (camera);
  end_unwatched (camera);
  end_unseen (camera);
  camera->retry_at = g_get_monotonic_time ();
  try_to_start (camera);
}

GPtrArray *
vhm_camera_free (VhmCamera * camera)
{
  VhmCameraPrivate *priv = camera->priv;
  GPtrArray *left = priv->left;
  guint i;

  if (priv->attempt) {
    vhm_attempt_mute (priv->attempt);
    g_ptr_array_add (left, priv->attempt);
  }
  g_clear_pointer (&camera->main_stream, vhm_main_stream_free);
  g_free (priv->learned);
  vhm_offline_log_free (priv->offline_log);
  g_array_unref (priv->awaiting);
  g_object_unref (priv->signal);
  g_free (priv);
  gst_clear_video_histogram (&camera->colors);
  gst_clear_video_histogram (&camera->histogram);
  for (i = 0; i < VHM_N_PICTURE_SIZES; i++)
    vhm_picture_set (&camera->pictures[i], NULL);
  g_clear_pointer (&camera->reference, g_bytes_unref);
  vhm_quiet_free (camera->quiet);
  vhm_group_unref (camera->settings);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    g_free (camera->conditions[i].acknowledged_by);
    g_free (camera->conditions[i].cause);
    g_free (camera->conditions[i].note);
  }
  g_free (camera->gpu_trouble);
  g_free (camera->reason);
  g_free (camera);
  return left;
}
