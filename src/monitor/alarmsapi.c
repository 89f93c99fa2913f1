/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "alarmsapi.h"

#include "access.h"
#include "answer.h"
#include "listing.h"
#include "query.h"

#define DEFAULT_LIMIT 100

/* Each word is looked for in the names of each camera and condition. */
#define MAX_FILTER_BYTES 200

/* Maximum number of alarms in a file. */
#define MAX_EXPORTED 100000

static const gchar *const severities[] = {
  "notice", "impaired", "lost", NULL
};

/* In the order of VhmAlarmState. */
static const gchar *const states[] = {
  "active", "over", "unacknowledged", "acknowledged", "missed", NULL
};

static const gchar *const format_names[] = { "json", "csv", NULL };
static const VhmAlarmFormat *const formats[] = {
  &vhm_alarms_as_json, &vhm_alarms_as_csv
};

static const gchar *const truths[] = { "0", "1", NULL };

/* Removes the conditions with another severity than the query asks for. */
static gboolean
filter_severity (SoupServerMessage * message, GHashTable * query,
    GstVideoHealthConditions * conditions)
{
  const guint all = G_N_ELEMENTS (severities) - 1;
  guint place, i;

  if (!vhm_query_get_word (message, query, "severity", severities, all, &place))
    return FALSE;
  for (i = 0; place != all && i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (gst_video_health_condition_get_severity (i) !=
        GST_VIDEO_HEALTH_SEVERITY_NOTICE + place)
      *conditions &= ~(1u << i);
  return TRUE;
}

static gboolean
get_period (SoupServerMessage * message, GHashTable * query,
    VhmAlarmFilter * filter)
{
  guint64 from, before;

  if (!vhm_query_get_number (message, query, "from", 0, VHM_MAX_SECONDS, 0,
          &from)
      || !vhm_query_get_number (message, query, "before", 0, VHM_MAX_SECONDS,
          VHM_MAX_SECONDS, &before))
    return FALSE;
  /* 0 is no limit: a clock that was never set may be before 1970. */
  filter->from = from ? from * G_TIME_SPAN_SECOND : G_MININT64;
  filter->before = before * G_TIME_SPAN_SECOND;
  return TRUE;
}

static gboolean
get_place (SoupServerMessage * message, GHashTable * query,
    VhmAlarmPlace * place)
{
  const gchar *cursor = vhm_query_get_text (query, "cursor");

  if (!cursor || vhm_alarm_place_parse (cursor, place))
    return TRUE;
  vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, "Invalid value of "
      "parameter \"cursor\": send the cursor of the previous answer, or none "
      "for the first page.");
  return FALSE;
}

/* Everything except sets of names. */
static gboolean
read_filter (SoupServerMessage * message, GHashTable * query,
    VhmAlarmFilter * filter, guint * format, guint * export)
{
  guint state;
  guint64 limit;

  if (!vhm_query_get_conditions (message, query, "condition",
          &filter->conditions)
      || !filter_severity (message, query, &filter->conditions)
      || !get_period (message, query, filter)
      || !vhm_query_get_word (message, query, "state", states, VHM_ALARM_ANY,
          &state)
      || !get_place (message, query, &filter->after)
      || !vhm_query_get_word (message, query, "format", format_names, 0, format)
      || !vhm_query_get_word (message, query, "export", truths, 0, export)
      || !vhm_query_get_number (message, query, "limit", 1, *export ?
          MAX_EXPORTED : VHM_MAX_ALARMS, *export ? MAX_EXPORTED :
          DEFAULT_LIMIT, &limit)
      || !vhm_query_get_folded_words (message, query, "filter",
          MAX_FILTER_BYTES, &filter->words))
    return FALSE;
  filter->state = state;
  filter->limit = limit;
  return TRUE;
}

void
vhm_alarms_api_list (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query)
{
  VhmAlarmFilter filter = {.after = VHM_ALARM_NO_PLACE };
  guint format, export;

  if (!read_filter (message, query, &filter, &format, &export))
    return;
  filter.cameras = vhm_query_get_names (query, "camera");
  filter.groups = vhm_query_get_names (query, "group");
  filter.group_of = vhm_fleet_list_groups (fleet);
  filter.snoozed = vhm_fleet_list_snoozed (fleet);
  filter.last_seen = vhm_fleet_list_last_seen (fleet);
  filter.reasons = vhm_fleet_list_reasons (fleet);
  vhm_listing_alarms (vhm_fleet_get_store (fleet), message, &filter,
      formats[format], export);
}

/* Acknowledging */

typedef struct
{
  VhmFleet *fleet;
  SoupServerMessage *message;
} Acknowledgement;

static gchar *
list_numbers (const GPtrArray * events)
{
  GString *text = g_string_new ("{\"numbers\":[");
  guint i;

  for (i = 0; i < events->len; i++) {
    const VhmEvent *event = g_ptr_array_index (events, i);

    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i ? "," : "",
        event->number);
  }
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

static void
on_acknowledged (gpointer data, gpointer result, const gchar * why)
{
  Acknowledgement *acknowledgement = data;
  const GPtrArray *events = result;
  guint i;

  if (why)
    vhm_answer_refuse_failed (acknowledgement->message, why);
  else {
    for (i = 0; i < events->len; i++)
      vhm_fleet_apply_acknowledgement (acknowledgement->fleet,
          g_ptr_array_index (events, i));
    vhm_answer_text (acknowledgement->message, "application/json",
        list_numbers (events));
  }
  vhm_answer_resume (acknowledgement->message);
  g_free (acknowledgement);
}

void
vhm_alarms_api_acknowledge (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, gboolean acknowledged)
{
  GArray *numbers = vhm_query_get_numbers (message, query, "numbers",
      VHM_MAX_ALARMS);
  Acknowledgement *acknowledgement;

  if (!numbers)
    return;
  acknowledgement = g_new (Acknowledgement, 1);
  acknowledgement->fleet = fleet;
  acknowledgement->message = vhm_answer_pause (message);
  vhm_store_acknowledge_all (vhm_fleet_get_store (fleet), numbers,
      acknowledged, vhm_access_get_user (message),
      vhm_query_get_text (query, "note"), on_acknowledged, acknowledgement);
}
