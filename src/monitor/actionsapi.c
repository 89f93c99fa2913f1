/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "actionsapi.h"

#include "answer.h"
#include "json.h"
#include "query.h"

/* Maximum number of actions in one answer. */
#define MAX_ACTIONS 1000

/* Listing */

static void
on_listed (gpointer data, gpointer result, const gchar * why)
{
  SoupServerMessage *message = data;

  if (why)
    vhm_answer_refuse_failed (message, why);
  else
    vhm_answer_text (message, "application/json", vhm_json_make_array (result,
            vhm_json_add_action));
  vhm_answer_resume (message);
}

void
vhm_actions_api_list (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query)
{
  const gchar *camera = vhm_query_get_text (query, "camera");
  guint64 before, limit;

  if (vhm_query_get_number (message, query, "before", 0, G_MAXINT64,
          G_MAXINT64, &before)
      && vhm_query_get_number (message, query, "limit", 0, MAX_ACTIONS, 100,
          &limit))
    vhm_store_list_actions (vhm_fleet_get_store (fleet), camera, before, limit,
        on_listed, vhm_answer_pause (message));
}

/* Snoozes */

/* A snooze while it is stored. */
typedef struct
{
  VhmFleet *fleet;
  SoupServerMessage *message;
  gchar *camera;
  guint snooze;                 /* as in quiet.h */
  gint64 until;                 /* 0: it ends */
  gchar *by, *note;
} Change;

static void
add_camera (JsonBuilder * builder, gconstpointer camera)
{
  vhm_json_add_camera (builder, camera, VHM_JSON_FULL);
}

/* A snooze takes effect once it is stored: nothing else would survive a
 * restart. The camera may have been removed meanwhile. */
static void
on_changed (gpointer data, G_GNUC_UNUSED gpointer result, const gchar * why)
{
  Change *change = data;
  VhmCamera *camera = vhm_fleet_find (change->fleet, change->camera);

  if (why)
    vhm_answer_refuse_failed (change->message, why);
  else if (!camera)
    vhm_answer_refuse (change->message, SOUP_STATUS_NOT_FOUND,
        "The camera was removed meanwhile: GET /api/v1/cameras lists the "
        "cameras.");
  else {
    vhm_quiet_set_snooze (camera->quiet, change->snooze, change->until,
        change->by, change->note);
    vhm_answer_text (change->message, "application/json",
        vhm_json_make (camera, add_camera));
  }
  vhm_answer_resume (change->message);
  g_free (change->camera);
  g_free (change->by);
  g_free (change->note);
  g_free (change);
}

/* Refuses the message and returns FALSE if the name is unknown. */
static gboolean
get_snooze (SoupServerMessage * message, const gchar * name, guint * snooze)
{
  const gint condition = name ? vhm_condition_from_name (name) : -1;
  gchar *unknown, *why;

  *snooze = condition >= 0 ? (guint) condition : VHM_WHOLE_CAMERA;
  if (!name || condition >= 0)
    return TRUE;
  unknown = vhm_condition_describe_unknown (name);
  why = g_strdup_printf ("Invalid value of parameter \"condition\": %s. Send "
      "the name of a condition, or leave it out for the whole camera.",
      unknown);
  vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, why);
  g_free (why);
  g_free (unknown);
  return FALSE;
}

/* @until is 0 to end it. */
static void
change_snooze (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, const VhmCamera * camera, const VhmUser * user,
    gint64 until)
{
  const gchar *condition = vhm_query_get_text (query, "condition");
  VhmAction *action;
  Change *change;
  guint snooze;

  if (!get_snooze (message, condition, &snooze))
    return;
  change = g_new (Change, 1);
  change->fleet = fleet;
  change->message = vhm_answer_pause (message);
  change->camera = g_strdup (camera->settings->name);
  change->snooze = snooze;
  change->until = until;
  change->by = g_strdup (user->name);
  action = vhm_action_new (user, until ? VHM_ACTION_SNOOZE
      : VHM_ACTION_UNSNOOZE, change->camera, condition ? condition : "");
  action->until = until;
  vhm_action_set_note (action, vhm_query_get_text (query, "note"));
  change->note = g_strdup (action->note);
  vhm_store_set_snooze (vhm_fleet_get_store (fleet), action, on_changed,
      change);
}

void
vhm_actions_api_snooze (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, const VhmCamera * camera, const VhmUser * user)
{
  const guint64 now = g_get_real_time () / G_USEC_PER_SEC;
  guint64 until;

  if (!vhm_query_get_number (message, query, "until", 0, VHM_MAX_SECONDS, 0,
          &until))
    return;
  if (until > now && until <= now + VHM_MAX_SNOOZE_SECONDS)
    change_snooze (fleet, message, query, camera, user,
        until * G_USEC_PER_SEC);
  else
    vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, "Invalid or missing "
        "parameter \"until\": send the end of the snooze in seconds since "
        "1970, in the future and at most 366 days from now.");
}

void
vhm_actions_api_unsnooze (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, const VhmCamera * camera, const VhmUser * user)
{
  change_snooze (fleet, message, query, camera, user, 0);
}
