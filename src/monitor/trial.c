/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trial.h"

#include "answer.h"
#include "connections.h"
#include "json.h"
#include "rules.h"
#include "shares.h"
#include "storedhistory.h"

#include <math.h>

/* Each takes some of the store's time. One client gets half of them. */
#define MAX_TRIALS 8

typedef struct
{
  SoupServerMessage *message;
  gchar *peer;
  GstVideoHealthCondition condition;
  VhmThresholds thresholds;
  gchar *rules;                 /* all of the camera; not for values */
  gint64 before;                /* µs since 1970 */
} Trial;

/* Main thread only. */
static VhmShares trials = VHM_SHARES (MAX_TRIALS);

static void
trial_free (Trial * trial)
{
  vhm_shares_release (&trials, trial->peer, 1);
  g_object_unref (trial->message);
  g_free (trial->peer);
  g_free (trial->rules);
  g_free (trial);
}

static void
add_alarm (JsonBuilder * builder, const VhmWhatIfAlarm * alarm)
{
  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "begun", alarm->begun);
  vhm_json_add_time (builder, "ended", alarm->ended);
  json_builder_end_object (builder);
}

/* Seconds with an alarm. The last alarm may not be over. */
static gdouble
count_seconds (const VhmWhatIf * what_if, gint64 before)
{
  const gint64 end = MIN (before, g_get_real_time ());
  const VhmWhatIfAlarm *last = what_if->alarms->len ?
      &g_array_index (what_if->alarms, VhmWhatIfAlarm,
      what_if->alarms->len - 1) : NULL;
  gint64 total = what_if->total;

  if (last && !last->ended)
    total += MAX (end - last->begun, 0);
  return total / (gdouble) G_TIME_SPAN_SECOND;
}

static gchar *
describe_result (const Trial * trial, const VhmWhatIf * what_if)
{
  gchar *rule = vhm_what_if_print (trial->condition, &trial->thresholds);
  JsonBuilder *builder = json_builder_new ();
  guint i;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "alarms");
  json_builder_begin_array (builder);
  for (i = 0; i < what_if->alarms->len; i++)
    add_alarm (builder, &g_array_index (what_if->alarms, VhmWhatIfAlarm, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "count");
  json_builder_add_int_value (builder, what_if->count);
  json_builder_set_member_name (builder, "seconds");
  json_builder_add_double_value (builder, count_seconds (what_if,
          trial->before));
  vhm_json_add_time (builder, "judged_from", what_if->judged_from);
  json_builder_set_member_name (builder, "rule");
  json_builder_add_string_value (builder, rule);
  json_builder_set_member_name (builder, "rules");
  json_builder_add_string_value (builder, trial->rules);
  json_builder_end_object (builder);
  g_free (rule);
  return vhm_json_end (builder);
}

static void
add_value (JsonBuilder * builder, const gchar * name, gdouble value)
{
  json_builder_set_member_name (builder, name);
  if (isnan (value))
    json_builder_add_null_value (builder);
  else
    json_builder_add_double_value (builder, value);
}

static gchar *
describe_curve (const VhmCurve * curve)
{
  JsonBuilder *builder = json_builder_new ();
  guint i;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "step");
  json_builder_add_int_value (builder, curve->step * 60);
  json_builder_set_member_name (builder, "values");
  json_builder_begin_array (builder);
  for (i = 0; i < curve->points->len; i++) {
    const VhmCurvePoint *point =
        &g_array_index (curve->points, VhmCurvePoint, i);

    json_builder_begin_object (builder);
    vhm_json_add_time (builder, "time", point->minute * G_TIME_SPAN_MINUTE);
    add_value (builder, "worst", point->worst);
    add_value (builder, "best", point->best);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return vhm_json_end (builder);
}

static void
on_result (gpointer data, gpointer result, const gchar * why)
{
  Trial *trial = data;

  if (why)
    vhm_answer_refuse_failed (trial->message, why);
  else
    vhm_answer_text (trial->message, "application/json", trial->rules ?
        describe_result (trial, result) : describe_curve (result));
  soup_server_message_unpause (trial->message);
  trial_free (trial);
}

/* Reads a number; *@number stays as it is if it is missing. */
static gboolean
get_number (GHashTable * query, const gchar * name, gdouble * number)
{
  const gchar *text = query ? g_hash_table_lookup (query, name) : NULL;
  gchar *end;

  if (!text)
    return TRUE;
  *number = g_ascii_strtod (text, &end);
  return end != text && !*end && isfinite (*number);
}

/* Returns an error, to be freed, or NULL. */
static gchar *
read_condition (Trial * trial, const VhmCamera * camera, GHashTable * query)
{
  const gchar *name = query ? g_hash_table_lookup (query, "condition") : NULL;
  const gint condition = name ? vhm_condition_from_name (name) : -1;

  if (condition < 0 || !(camera->settings->conditions >> condition & 1))
    return g_strdup ("Invalid value of parameter \"condition\": name a "
        "condition that this camera is watched for, such as \"dark\".");
  trial->condition = condition;
  trial->thresholds = vhm_camera_get_rule (camera, condition);
  return NULL;
}

/* Returns an error, to be freed, or NULL. */
static gchar *
read_rule (Trial * trial, const VhmCamera * camera, GHashTable * query)
{
  gdouble enter = trial->thresholds.enter, leave = NAN;

  if (camera->conditions[trial->condition].limitless)
    return g_strdup_printf ("Limits of \"%s\" have no effect on this camera, "
        "because its video is compressed: set a longer duration in its rules, "
        "or quiet hours.",
        gst_video_health_condition_get_name (trial->condition));
  if (!get_number (query, "enter", &enter))
    return g_strdup ("Invalid value of parameter \"enter\": send a number.");
  if (!get_number (query, "leave", &leave))
    return g_strdup ("Invalid value of parameter \"leave\": send a number.");
  trial->thresholds = vhm_what_if_complete (&trial->thresholds, enter, leave);
  return NULL;
}

/* Checks the rule together with the other rules of the camera. Returns an
 * error, to be freed, or NULL. */
static gchar *
check_rule (Trial * trial, const VhmCamera * camera)
{
  gchar *rule = vhm_what_if_print (trial->condition, &trial->thresholds);
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;
  gchar *why = NULL;

  trial->rules = vhm_rules_refine (camera->settings->rules, rule);
  if (!gst_video_health_set_rules (health, trial->rules, &error)) {
    why = g_strdup_printf ("Invalid rule: %s: change \"enter\" or \"leave\".",
        error->message);
    g_error_free (error);
  }
  g_object_unref (health);
  g_free (rule);
  return why;
}

/* NULL if there are too many: the message is refused. */
static Trial *
trial_new (SoupServerMessage * message, gint64 before)
{
  const gchar *peer = vhm_connections_get_peer (message);
  Trial *trial;

  if (!vhm_shares_take (&trials, peer, 1)) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many rules are being tried: retry later.");
    return NULL;
  }
  trial = g_new0 (Trial, 1);
  trial->message = g_object_ref (message);
  trial->peer = g_strdup (peer);
  trial->before = before * G_TIME_SPAN_MINUTE;
  return trial;
}

/* Takes @why, the reason why @trial is refused. Returns whether it is NULL, and
 * frees @trial otherwise. */
static gboolean
trial_begin (Trial * trial, gchar * why)
{
  if (why) {
    vhm_answer_refuse (trial->message, SOUP_STATUS_BAD_REQUEST, why);
    g_free (why);
    trial_free (trial);
    return FALSE;
  }
  soup_server_message_pause (trial->message);
  return TRUE;
}

void
vhm_trial_answer (VhmStore * store, SoupServerMessage * message,
    const VhmCamera * camera, GHashTable * query, gint64 from, gint64 before)
{
  Trial *trial = trial_new (message, before);
  gchar *why = trial ? read_condition (trial, camera, query) : NULL;
  const gint64 minute = g_get_real_time () / G_TIME_SPAN_MINUTE;
  GBytes *current = NULL;

  if (!trial)
    return;
  if (!why)
    why = read_rule (trial, camera, query);
  if (!why)
    why = check_rule (trial, camera);
  if (!trial_begin (trial, why))
    return;
  if (before > minute && camera->limits) {
    current = vhm_limit_record_peek (camera->limits);
    before = minute + 1;
    trial->before = before * G_TIME_SPAN_MINUTE;
  }
  vhm_store_try_rule (store, camera->settings->name, from, before,
      trial->condition, &trial->thresholds, current, on_result, trial);
  g_clear_pointer (&current, g_bytes_unref);
}

void
vhm_trial_answer_values (VhmStore * store, SoupServerMessage * message,
    const VhmCamera * camera, GHashTable * query, gint64 from, gint64 before)
{
  Trial *trial = trial_new (message, before);

  if (trial && trial_begin (trial, read_condition (trial, camera, query)))
    vhm_store_read_curve (store, camera->settings->name, from, before,
        trial->condition, trial->thresholds.enter < trial->thresholds.leave,
        on_result, trial);
}
