/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"

#include "address.h"
#include "cures.h"
#include "scale.h"

#include <math.h>

static void
add_text (JsonBuilder * builder, const gchar * name, const gchar * text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_whole (JsonBuilder * builder, const gchar * name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

/* The number of something, or null if it is 0. */
static void
add_reference (JsonBuilder * builder, const gchar * name, guint64 number)
{
  json_builder_set_member_name (builder, name);
  if (number)
    json_builder_add_int_value (builder, number);
  else
    json_builder_add_null_value (builder);
}

static void
add_number (JsonBuilder * builder, const gchar * name, gdouble number)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (number))
    json_builder_add_double_value (builder, number);
  else
    json_builder_add_null_value (builder);
}

static void
add_truth (JsonBuilder * builder, const gchar * name, gboolean truth)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, truth);
}

void
vhm_json_add_time (JsonBuilder * builder, const gchar * name, gint64 time)
{
  gchar *text = time ? vhm_time_to_text (time) : NULL;

  json_builder_set_member_name (builder, name);
  if (text)
    json_builder_add_string_value (builder, text);
  else
    json_builder_add_null_value (builder);
  g_free (text);
}

static void
add_statistics (JsonBuilder * builder, GstVideoHistogram * histogram)
{
  GstVideoHistogramStatistics s;

  if (!gst_video_histogram_get_statistics (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &s))
    return;
  json_builder_set_member_name (builder, "luma");
  json_builder_begin_object (builder);
  add_number (builder, "average", s.average);
  add_number (builder, "deviation", sqrt (s.variance));
  add_number (builder, "p1", s.p1);
  add_number (builder, "median", s.median);
  add_number (builder, "p99", s.p99);
  add_number (builder, "entropy", s.entropy);
  add_number (builder, "clipped_low", s.clipped_low);
  add_number (builder, "clipped_high", s.clipped_high);
  json_builder_end_object (builder);
}

/* The counts of @channel, combined into VHM_CAMERA_BINS bins. Adds nothing if
 * the histogram has fewer. */
static void
add_bins (JsonBuilder * builder, GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel)
{
  guint n, i;
  const guint32 *counts = gst_video_histogram_get_counts (histogram, channel,
      &n);
  guint64 sums[VHM_CAMERA_BINS] = { 0 };

  if (!counts || n < VHM_CAMERA_BINS)
    return;
  for (i = 0; i < n; i++)
    sums[(guint64) i * VHM_CAMERA_BINS / n] += counts[i];
  json_builder_set_member_name (builder,
      gst_video_histogram_channel_get_name (channel));
  json_builder_begin_array (builder);
  for (i = 0; i < VHM_CAMERA_BINS; i++)
    json_builder_add_int_value (builder, sums[i]);
  json_builder_end_array (builder);
}

static void
add_histogram (JsonBuilder * builder, const VhmCamera * camera)
{
  guint i;

  json_builder_set_member_name (builder, "histogram");
  json_builder_begin_object (builder);
  add_bins (builder, camera->histogram, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA);
  for (i = GST_VIDEO_HISTOGRAM_CHANNEL_RED;
      camera->colors && i <= GST_VIDEO_HISTOGRAM_CHANNEL_BLUE; i++)
    add_bins (builder, camera->colors, i);
  json_builder_end_object (builder);
}

static void
add_format (JsonBuilder * builder, GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  GstVideoColorimetry colorimetry = info->colorimetry;
  gchar *text = gst_video_colorimetry_to_string (&colorimetry);

  json_builder_set_member_name (builder, "video");
  json_builder_begin_object (builder);
  add_text (builder, "format", gst_video_format_to_string (info->format));
  add_whole (builder, "width", info->width);
  add_whole (builder, "height", info->height);
  add_text (builder, "colorimetry", text ? text : "");
  add_text (builder, "backend", gst_video_histogram_get_backend (histogram));
  json_builder_end_object (builder);
  g_free (text);
}

/* Adds null if nothing is quiet. @whole: it is about a camera, and so about no
 * condition in particular. */
static void
add_quiet (JsonBuilder * builder, const gchar * name, VhmQuietPeriod period,
    gboolean whole)
{
  json_builder_set_member_name (builder, name);
  if (!period.until) {
    json_builder_add_null_value (builder);
    return;
  }
  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "until", period.until);
  add_text (builder, "by", period.by);
  add_text (builder, "note", period.note);
  if (whole) {
    json_builder_set_member_name (builder, "condition");
    json_builder_add_null_value (builder);
  }
  json_builder_end_object (builder);
}

static void
add_severity (JsonBuilder * builder, GstVideoHealthSeverity severity)
{
  add_text (builder, "severity", vhm_severity_get_name (severity));
}

/* @reason: why there is no video, or why it started; may be empty. */
static void
add_condition_members (JsonBuilder * builder,
    GstVideoHealthCondition condition, const gchar * reason)
{
  const gchar *cure = condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS
      || g_str_has_prefix (reason, VHM_MACHINE_BUSY) ? vhm_cure_find (reason)
      : NULL;

  add_text (builder, "condition",
      gst_video_health_condition_get_name (condition));
  add_text (builder, "words", gst_video_health_condition_get_words (condition));
  add_severity (builder, gst_video_health_condition_get_severity (condition));
  add_text (builder, "advice", cure ? cure :
      gst_video_health_condition_get_advice (condition));
}

static void
add_scale (JsonBuilder * builder, guint i, const VhmCamera * camera)
{
  const VhmCondition *condition = &camera->conditions[i];
  const VhmThresholds rule = vhm_camera_get_rule (camera, i);
  VhmScale scale;

  vhm_scale_init (&scale, i, &rule, condition->active,
      condition->judged ? condition->value : NAN,
      condition->judged ? condition->detail : condition->unknown,
      condition->held_back);
  json_builder_set_member_name (builder, "scale");
  json_builder_begin_object (builder);
  add_text (builder, "label", scale.label);
  add_text (builder, "unit", scale.unit);
  add_number (builder, "value", scale.value);
  add_number (builder, "enter", scale.enter);
  add_number (builder, "leave", scale.leave);
  add_number (builder, "least", scale.least);
  add_number (builder, "most", scale.most);
  add_text (builder, "sentence", scale.sentence);
  json_builder_end_object (builder);
  vhm_scale_clear (&scale);
}

/* Snoozes of single conditions, active or not: somebody has to see that they
 * are silent. */
static void
add_snoozed_conditions (JsonBuilder * builder, const VhmCamera * camera)
{
  guint i;

  json_builder_set_member_name (builder, "snoozed_conditions");
  json_builder_begin_array (builder);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const VhmQuietPeriod snooze = vhm_quiet_get_snooze (camera->quiet, i);

    if (!snooze.until)
      continue;
    json_builder_begin_object (builder);
    add_text (builder, "condition", gst_video_health_condition_get_name (i));
    add_text (builder, "words", gst_video_health_condition_get_words (i));
    vhm_json_add_time (builder, "until", snooze.until);
    add_text (builder, "by", snooze.by);
    add_text (builder, "note", snooze.note);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_held_back (JsonBuilder * builder, const VhmCondition * condition)
{
  guint i;

  json_builder_set_member_name (builder, "held_back_by");
  json_builder_begin_array (builder);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (condition->judged && !condition->active
        && (condition->held_back >> i & 1))
      json_builder_add_string_value (builder,
          gst_video_health_condition_get_name (i));
  json_builder_end_array (builder);
}

static void
add_condition (JsonBuilder * builder, guint i, const VhmCamera * camera)
{
  const VhmCondition *condition = &camera->conditions[i];
  const VhmThresholds rule = vhm_camera_get_rule (camera, i);

  json_builder_begin_object (builder);
  /* A loss may go on for another reason than it started. */
  add_condition_members (builder, i,
      i == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS && *camera->reason ?
      camera->reason : condition->by_machine ? VHM_MACHINE_BUSY : "");
  add_text (builder, "unit", gst_video_health_condition_get_unit (i));
  add_text (builder, "topic", gst_video_health_condition_get_topic (i));
  add_truth (builder, "active", condition->active);
  add_truth (builder, "unconfirmed", condition->active
      && condition->unconfirmed);
  vhm_json_add_time (builder, "last_seen", condition->active
      && condition->unconfirmed ? condition->last_seen : 0);
  json_builder_set_member_name (builder, "value");
  if (condition->judged && isfinite (condition->value))
    json_builder_add_double_value (builder, condition->value);
  else
    json_builder_add_null_value (builder);
  json_builder_set_member_name (builder, "unknown");
  if (!condition->judged && condition->unknown)
    json_builder_add_string_value (builder, condition->unknown);
  else
    json_builder_add_null_value (builder);
  add_held_back (builder, condition);
  add_number (builder, "enter", rule.enter);
  add_number (builder, "leave", rule.leave);
  add_number (builder, "duration", rule.duration / (gdouble) G_USEC_PER_SEC);
  add_number (builder, "hold", rule.hold / (gdouble) G_USEC_PER_SEC);
  vhm_json_add_time (builder, "pending_since", condition->judged
      && !condition->active ? condition->pending_since : 0);
  add_truth (builder, "limits_apply", !condition->limitless);
  add_scale (builder, i, camera);
  add_quiet (builder, "quiet", vhm_quiet_get (camera->quiet, i), FALSE);
  vhm_json_add_time (builder, "since", condition->since);
  vhm_json_add_time (builder, "active_since", condition->active_since);
  vhm_json_add_time (builder, "acknowledged", condition->acknowledged);
  add_text (builder, "acknowledged_by", condition->acknowledged_by ?
      condition->acknowledged_by : "");
  add_text (builder, "note", condition->note ? condition->note : "");
  add_whole (builder, "event", condition->number);
  add_reference (builder, "outage", condition->outage);
  add_whole (builder, "starts", condition->begun);
  add_whole (builder, "ends", condition->ended);
  json_builder_end_object (builder);
}

/* All conditions of the camera, or the active ones. */
static void
add_conditions (JsonBuilder * builder, const VhmCamera * camera,
    gboolean all)
{
  guint i;

  json_builder_set_member_name (builder, all ? "conditions" : "active");
  json_builder_begin_array (builder);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (camera->conditions[i].active
        || (all && camera->settings->conditions >> i & 1))
      add_condition (builder, i, camera);
  json_builder_end_array (builder);
}

void
vhm_json_add_camera (JsonBuilder * builder, const VhmCamera * camera,
    VhmJsonDetail detail)
{
  const gchar *uri = vhm_camera_settings_get_judged (camera->settings);
  gchar *source = vhm_address_show (uri), *host = vhm_address_get_host (uri);

  json_builder_begin_object (builder);
  add_text (builder, "name", camera->settings->name);
  add_text (builder, "group", camera->settings->group_name ?
      camera->settings->group_name : "");
  add_text (builder, "host", host ? host : "");
  add_severity (builder, vhm_camera_get_severity (camera));
  add_quiet (builder, "snoozed", vhm_quiet_get_snooze (camera->quiet,
          VHM_WHOLE_CAMERA), TRUE);
  add_snoozed_conditions (builder, camera);
  add_text (builder, "state", vhm_camera_state_get_name (camera->state));
  add_text (builder, "reason", camera->reason);
  vhm_json_add_time (builder, "since", camera->state_since);
  vhm_json_add_time (builder, "first_watched", camera->first_watched);
  vhm_json_add_time (builder, "added", camera->added);
  add_truth (builder, "judged", vhm_camera_is_judged (camera));
  add_truth (builder, "substream", camera->main_stream != NULL);
  add_text (builder, "main_trouble", camera->main_stream ?
      vhm_main_stream_get_trouble (camera->main_stream) : "");
  add_text (builder, "decode", vhm_decode_get_name (camera->decode));
  add_text (builder, "decode_reason", camera->relieved ? "load" :
      camera->settings->decode == VHM_DECODE_AUTO ? "auto" :
      camera->settings->decode == VHM_DECODE_KEY_FRAMES
      && camera->decode == VHM_DECODE_ALL ? "open-groups" : "");
  add_text (builder, "gpu_trouble", camera->gpu_trouble ? camera->gpu_trouble
      : "");
  vhm_json_add_time (builder, "last_frame", camera->last_frame);
  vhm_json_add_time (builder, "picture",
      camera->pictures[VHM_PICTURE_480].time);
  if (camera->histogram) {
    vhm_json_add_time (builder, "measured", camera->measured);
    add_statistics (builder, camera->histogram);
    add_histogram (builder, camera);
  }
  add_conditions (builder, camera, FALSE);
  if (detail == VHM_JSON_FULL) {
    add_text (builder, "source", source);
    add_text (builder, "decoder", camera->decoder ? camera->decoder : "");
    vhm_json_add_time (builder, "reference", camera->reference_time);
    add_whole (builder, "frames", camera->frames);
    add_whole (builder, "analysed", camera->analysed);
    add_whole (builder, "dropped", camera->dropped);
    add_whole (builder, "skipped", camera->skipped);
    add_whole (builder, "reconnects", camera->reconnects);
    if (camera->histogram)
      add_format (builder, camera->histogram);
    add_conditions (builder, camera, TRUE);
  }
  json_builder_end_object (builder);
  g_free (host);
  g_free (source);
}

/* What events and alarms have in common */

static void
add_circumstances (JsonBuilder * builder, const VhmEvent * event)
{
  add_text (builder, "reason", event->reason);
  vhm_json_add_time (builder, "acknowledged", event->acknowledged);
  add_text (builder, "acknowledged_by", event->acknowledged_by);
  add_truth (builder, "picture", event->has_picture);
  add_reference (builder, "outage", event->outage);
  add_truth (builder, "quiet", event->quiet);
  vhm_json_add_time (builder, "active_since", event->active_since);
  vhm_json_add_time (builder, "reference", event->reference);
  add_text (builder, "note", event->note);
}

void
vhm_json_add_event_members (JsonBuilder * builder, const VhmEvent * event)
{
  add_whole (builder, "number", event->number);
  add_text (builder, "camera", event->camera);
  add_condition_members (builder, event->condition, event->reason);
  add_truth (builder, "active", event->active);
  add_text (builder, "topic",
      gst_video_health_condition_get_topic (event->condition));
  add_truth (builder, "topic_active", event->topic_active);
  add_number (builder, "value", event->value);
  add_number (builder, "threshold", event->threshold);
  add_text (builder, "unit",
      gst_video_health_condition_get_unit (event->condition));
  vhm_json_add_time (builder, "time", event->time);
  vhm_json_add_time (builder, "since", event->since);
  add_circumstances (builder, event);
}

void
vhm_json_add_event (JsonBuilder * builder, gconstpointer event)
{
  json_builder_begin_object (builder);
  vhm_json_add_event_members (builder, event);
  json_builder_end_object (builder);
}

void
vhm_json_add_alarm (JsonBuilder * builder, const VhmAlarm * alarm,
    const gchar * group)
{
  const VhmEvent *event = alarm->event;

  json_builder_begin_object (builder);
  add_whole (builder, "event", event->number);
  add_reference (builder, "end_event", alarm->end_number);
  add_text (builder, "camera", event->camera);
  add_text (builder, "group", group);
  add_condition_members (builder, event->condition, *alarm->present_reason ?
      alarm->present_reason : event->reason);
  vhm_json_add_time (builder, "begun", alarm->begun);
  vhm_json_add_time (builder, "ended", alarm->end_number ? alarm->ended : 0);
  vhm_json_add_time (builder, "last_seen", alarm->last_seen);
  add_whole (builder, "duration", vhm_alarm_get_duration (alarm));
  add_truth (builder, "at_most", vhm_alarm_is_at_most (alarm));
  add_number (builder, "value", event->value);
  add_number (builder, "threshold", event->threshold);
  add_text (builder, "unit",
      gst_video_health_condition_get_unit (event->condition));
  add_circumstances (builder, event);
  add_text (builder, "present_reason", alarm->present_reason);
  add_text (builder, "end_reason", alarm->end_reason);
  json_builder_end_object (builder);
}

static void
add_array (JsonBuilder * builder, const GPtrArray * items, VhmJsonAdd add)
{
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < items->len; i++)
    add (builder, g_ptr_array_index (items, i));
  json_builder_end_array (builder);
}

void
vhm_json_add_action (JsonBuilder * builder, gconstpointer item)
{
  const VhmAction *action = item;

  json_builder_begin_object (builder);
  add_whole (builder, "number", action->number);
  vhm_json_add_time (builder, "time", action->time);
  add_text (builder, "user", action->user);
  add_text (builder, "role", action->role);
  add_text (builder, "action", action->name);
  add_text (builder, "camera", action->camera);
  add_text (builder, "condition", action->condition);
  add_reference (builder, "event", action->event);
  vhm_json_add_time (builder, "until", action->until);
  add_text (builder, "note", action->note);
  json_builder_end_object (builder);
}

static void
add_notice (JsonBuilder * builder, const VhmNotice * notice,
    const gchar * detail)
{
  gchar *text = g_strconcat (notice->text, *detail ? " " : "", detail, NULL);

  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "time", notice->time);
  add_text (builder, "kind", vhm_notice_kind_get_name (notice->kind));
  add_text (builder, "text", text);
  add_truth (builder, "over", notice->over);
  vhm_json_add_time (builder, "since", notice->since);
  json_builder_end_object (builder);
  g_free (text);
}

void
vhm_json_add_notice (JsonBuilder * builder, gconstpointer notice)
{
  add_notice (builder, notice, ((const VhmNotice *) notice)->detail);
}

void
vhm_json_add_local_notice (JsonBuilder * builder, gconstpointer notice)
{
  VhmNotice copy = *(const VhmNotice *) notice;

  copy.text = vhm_text_localize (copy.text, NULL);
  vhm_json_add_notice (builder, &copy);
  g_free (copy.text);
}

void
vhm_json_add_notice_for_viewers (JsonBuilder * builder, gconstpointer notice)
{
  add_notice (builder, notice, "");
}

void
vhm_json_add_minute (JsonBuilder * builder, gconstpointer item)
{
  const VhmMinute *minute = item;
  guint i;

  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "time", minute->minute * G_TIME_SPAN_MINUTE);
  add_whole (builder, "frames", minute->frames);
  add_whole (builder, "measured", minute->measured);
  if (minute->measured) {
    add_number (builder, "average", minute->average);
    add_number (builder, "p1", minute->low);
    add_number (builder, "p99", minute->high);
  }
  json_builder_set_member_name (builder, "active");
  json_builder_begin_array (builder);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (minute->active >> i & 1)
      json_builder_add_string_value (builder,
          gst_video_health_condition_get_name (i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

void
vhm_json_add_output (JsonBuilder * builder, gconstpointer item)
{
  const VhmOutput *output = item;
  const VhmDeliveryCounts *counts = vhm_delivery_get_counts (output->delivery);

  json_builder_begin_object (builder);
  add_text (builder, "name", output->name);
  add_truth (builder, "up", output->up);
  add_text (builder, "reason", output->reason);
  add_whole (builder, "queued", counts->queued);
  add_whole (builder, "delivered", counts->delivered);
  add_whole (builder, "dead", counts->dead);
  json_builder_end_object (builder);
}

void
vhm_json_add_dead_letter (JsonBuilder * builder, gconstpointer item)
{
  const VhmDeadLetter *letter = item;

  json_builder_begin_object (builder);
  add_whole (builder, "id", letter->id);
  add_text (builder, "output", letter->output);
  vhm_json_add_time (builder, "time", letter->time);
  add_text (builder, "reason", letter->reason);
  add_truth (builder, "queued", letter->queued);
  json_builder_set_member_name (builder, "event");
  vhm_json_add_event (builder, letter->event);
  json_builder_end_object (builder);
}

gchar *
vhm_json_end (JsonBuilder * builder)
{
  JsonNode *root = json_builder_get_root (builder);
  gchar *text = json_to_string (root, FALSE);

  json_node_unref (root);
  g_object_unref (builder);
  return text;
}

gchar *
vhm_json_make (gconstpointer item, VhmJsonAdd add)
{
  JsonBuilder *builder = json_builder_new ();

  add (builder, item);
  return vhm_json_end (builder);
}

gchar *
vhm_json_make_array (const GPtrArray * items, VhmJsonAdd add)
{
  JsonBuilder *builder = json_builder_new ();

  add_array (builder, items, add);
  return vhm_json_end (builder);
}
