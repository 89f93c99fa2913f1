/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "api.h"

#include "access.h"
#include "actionsapi.h"
#include "alarmsapi.h"
#include "answer.h"
#include "json.h"
#include "listing.h"
#include "query.h"
#include "trial.h"

#include <string.h>

/* Maximum number of items in one answer. */
#define MAX_NOTICES 100
#define MAX_EVENTS 1000
#define MAX_DEAD_LETTERS 1000
#define MAX_MINUTES (32 * 1440)

/* Paths without a subject: of cameras, of events, and others. */
#define NO_SUCH_CAMERA "no such camera. GET /api/v1/cameras lists the cameras."
#define NO_SUCH_EVENT "no such event. GET /api/v1/events lists the events."
#define NO_SUCH_PATH "no such path. GET /api/v1/openapi.json lists the paths."

#define NO_DEAD_LETTER "Not found: no such dead letter, or it is already " \
    "queued, or its webhook was removed. GET /api/v1/dead-letters lists them."

/* Takes @json. */
static void
answer_json (SoupServerMessage * message, gchar * json)
{
  vhm_answer_text (message, "application/json", json);
}

/* Answers that the store delivers later */

static gboolean
refuse_if_failed (SoupServerMessage * message, const gchar * why)
{
  if (why)
    vhm_answer_refuse_failed (message, why);
  return why != NULL;
}

/* Answers with a list of the store. */
static void
answer_list (SoupServerMessage * message, const GPtrArray * items,
    const gchar * why, VhmJsonAdd add)
{
  if (!refuse_if_failed (message, why))
    answer_json (message, vhm_json_make_array (items, add));
  vhm_answer_resume (message);
}

/* A request for notices. */
typedef struct
{
  VhmFleet *fleet;
  SoupServerMessage *message;
} NoticesRequest;

static void
on_notices (gpointer data, gpointer result, const gchar * why)
{
  NoticesRequest *request = data;
  GPtrArray *list = result ? vhm_notices_list (vhm_fleet_get_notices
      (request->fleet), result, MAX_NOTICES) : NULL;

  answer_list (request->message, list, why, vhm_access_get_user
      (request->message)->role == VHM_ROLE_OPERATOR ? vhm_json_add_notice :
      vhm_json_add_notice_for_viewers);
  g_clear_pointer (&list, g_ptr_array_unref);
  g_free (request);
}

static void
on_event_picture (gpointer data, gpointer result, const gchar * why)
{
  const VhmStoredPicture *picture = result;
  SoupServerMessage *message = data;

  if (!refuse_if_failed (message, why))
    vhm_answer_picture (message, picture ? picture->jpeg : NULL,
        picture ? picture->time : 0, "No such picture is stored for this "
        "event: GET /api/v1/events shows which events have one.");
  vhm_answer_resume (message);
}

static void
on_dead_letters (gpointer data, gpointer result, const gchar * why)
{
  answer_list (data, result, why, vhm_json_add_dead_letter);
}

typedef struct
{
  VhmOutputs *outputs;
  SoupServerMessage *message;
  guint64 id;                   /* 0: all */
} DeadLetterChange;

static void
on_dead_letters_changed (gpointer data, gpointer result, const gchar * why)
{
  DeadLetterChange *change = data;
  const guint64 *count = result;

  if (!refuse_if_failed (change->message, why)) {
    vhm_outputs_recount (change->outputs);
    if (change->id && !*count)
      vhm_answer_refuse (change->message, SOUP_STATUS_NOT_FOUND,
          NO_DEAD_LETTER);
    else
      answer_json (change->message,
          g_strdup_printf ("{\"count\":%" G_GUINT64_FORMAT "}", *count));
  }
  vhm_answer_resume (change->message);
  g_free (change);
}

typedef struct
{
  VhmFleet *fleet;
  SoupServerMessage *message;
} Acknowledgement;

static void
on_acknowledged (gpointer data, gpointer result, const gchar * why)
{
  Acknowledgement *a = data;
  const VhmEvent *event = result;

  if (event) {
    vhm_fleet_apply_acknowledgement (a->fleet, event);
    answer_json (a->message, vhm_json_make (event, vhm_json_add_event));
  } else if (!refuse_if_failed (a->message, why))
    vhm_answer_refuse (a->message, SOUP_STATUS_NOT_FOUND,
        "Event not found: GET /api/v1/events lists the stored events.");
  vhm_answer_resume (a->message);
  g_free (a);
}

/* Requests */

typedef struct
{
  VhmFleet *fleet;
  VhmOutputs *outputs;
  VhmSnapshots *snapshots;
  SoupServerMessage *message;
  VhmCamera *camera;            /* named by the path, or NULL */
  guint64 number;               /* of the event that the path names, or 0 */
  GHashTable *query;
  const VhmUser *user;          /* who sent it */
} Request;

static void
add_camera (JsonBuilder * builder, gconstpointer camera)
{
  vhm_json_add_camera (builder, camera, VHM_JSON_FULL);
}

static void
list_cameras (const Request * request)
{
  answer_json (request->message, vhm_json_make_array (vhm_fleet_get_cameras
          (request->fleet), add_camera));
}

static void
show_camera (const Request * request)
{
  answer_json (request->message, vhm_json_make (request->camera, add_camera));
}

static void
show_picture (const Request * request)
{
  static const gchar *const sizes[] = { VHM_PICTURE_SIZES, NULL };
  guint size;

  if (!vhm_query_get_word (request->message, request->query, "width", sizes,
          VHM_PICTURE_480, &size))
    return;
  if (size != VHM_PICTURE_480) {
    vhm_snapshots_answer (request->snapshots, request->message,
        request->camera, size);
    return;
  }
  vhm_camera_look (request->camera);
  vhm_answer_picture (request->message, request->camera->pictures[size].jpeg,
      request->camera->pictures[size].time, VHM_NO_PICTURE);
}

static void
show_scope (const Request * request)
{
  static const gchar *const scopes[] = { VHM_PICTURE_SCOPES, NULL };
  guint scope;

  if (vhm_query_get_word (request->message, request->query, "kind", scopes, 0,
          &scope))
    vhm_snapshots_answer (request->snapshots, request->message,
        request->camera, VHM_PICTURE_HISTOGRAM + scope);
}

static void
show_reference (const Request * request)
{
  vhm_answer_picture (request->message, request->camera->reference,
      request->camera->reference_time, "This camera has no reference picture "
      "yet: the monitor keeps one after 10 seconds without active conditions.");
}

static void
unlearn (const Request * request)
{
  if (vhm_camera_unlearn (request->camera)) {
    vhm_store_add_action (vhm_fleet_get_store (request->fleet),
        vhm_action_new (request->user, VHM_ACTION_UNLEARN,
            request->camera->settings->name, ""));
    show_camera (request);
  } else
    vhm_answer_refuse (request->message, SOUP_STATUS_CONFLICT,
        "This camera sends no picture to learn from: retry once its state is "
        "\"up\".");
}

/* Reads a period in minutes since 1970. Refuses the message and returns FALSE
 * if it is invalid. */
static gboolean
get_period (const Request * request, guint64 * from, guint64 * before)
{
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;

  if (!vhm_query_get_number (request->message, request->query, "from", 0,
          VHM_MAX_SECONDS, now - 86400, from)
      || !vhm_query_get_number (request->message, request->query, "before", 0,
          VHM_MAX_SECONDS, now + 60, before))
    return FALSE;
  if (*before <= *from + MAX_MINUTES * 60) {
    *from /= 60;
    *before = (*before + 59) / 60;
    return TRUE;
  }
  vhm_answer_refuse (request->message, SOUP_STATUS_BAD_REQUEST,
      "The period is longer than 32 days: choose \"from\" and \"before\" "
      "closer together.");
  return FALSE;
}

static void
list_minutes (const Request * request)
{
  guint64 from, before;

  if (get_period (request, &from, &before))
    vhm_listing_minutes (vhm_fleet_get_store (request->fleet),
        request->message, request->camera->settings->name, from, before);
}

static void
try_rule (const Request * request)
{
  guint64 from, before;

  if (get_period (request, &from, &before))
    vhm_trial_answer (vhm_fleet_get_store (request->fleet), request->message,
        request->camera, request->query, from, before);
}

static void
show_values (const Request * request)
{
  guint64 from, before;

  if (get_period (request, &from, &before))
    vhm_trial_answer_values (vhm_fleet_get_store (request->fleet),
        request->message, request->camera, request->query, from, before);
}

static void
list_events (const Request * request)
{
  const gchar *camera = request->query ?
      g_hash_table_lookup (request->query, "camera") : NULL;
  VhmEventFilter filter = VHM_ALL_EVENTS;
  guint64 from, until, limit;

  if (!vhm_query_get_number (request->message, request->query, "after", 0,
          G_MAXINT64, 0, &filter.after)
      || !vhm_query_get_number (request->message, request->query, "before", 0,
          G_MAXINT64, G_MAXINT64, &filter.before)
      || !vhm_query_get_number (request->message, request->query, "from", 0,
          VHM_MAX_SECONDS, 0, &from)
      || !vhm_query_get_number (request->message, request->query, "until", 0,
          VHM_MAX_SECONDS, VHM_MAX_SECONDS, &until)
      || !vhm_query_get_number (request->message, request->query, "limit", 0,
          MAX_EVENTS, 100, &limit))
    return;
  filter.camera = camera;
  filter.from = from * G_TIME_SPAN_SECOND;
  filter.until = until * G_TIME_SPAN_SECOND;
  filter.limit = limit;
  filter.newest = !request->query
      || !g_hash_table_contains (request->query, "after");
  vhm_listing_events (vhm_fleet_get_store (request->fleet), request->message,
      &filter);
}

static void
list_alarms (const Request * request)
{
  vhm_alarms_api_list (request->fleet, request->message, request->query);
}

static void
list_actions (const Request * request)
{
  vhm_actions_api_list (request->fleet, request->message, request->query);
}

static void
snooze (const Request * request)
{
  vhm_actions_api_snooze (request->fleet, request->message, request->query,
      request->camera, request->user);
}

static void
unsnooze (const Request * request)
{
  vhm_actions_api_unsnooze (request->fleet, request->message, request->query,
      request->camera, request->user);
}

static void
list_notices (const Request * request)
{
  NoticesRequest *r = g_new (NoticesRequest, 1);

  r->fleet = request->fleet;
  r->message = vhm_answer_pause (request->message);
  vhm_store_list_notices (vhm_fleet_get_store (request->fleet), MAX_NOTICES,
      on_notices, r);
}

static void
show_event_picture (const Request * request)
{
  vhm_store_get_picture (vhm_fleet_get_store (request->fleet),
      request->number, on_event_picture, vhm_answer_pause (request->message));
}

static void
show_event_reference (const Request * request)
{
  vhm_store_get_past_reference (vhm_fleet_get_store (request->fleet),
      request->number, on_event_picture, vhm_answer_pause (request->message));
}

static void
change_acknowledgement (const Request * request, gboolean acknowledged)
{
  Acknowledgement *a = g_new (Acknowledgement, 1);

  a->fleet = request->fleet;
  a->message = vhm_answer_pause (request->message);
  vhm_store_acknowledge (vhm_fleet_get_store (request->fleet),
      request->number, acknowledged, request->user,
      vhm_query_get_text (request->query, "note"), on_acknowledged, a);
}

static void
acknowledge (const Request * request)
{
  change_acknowledgement (request, TRUE);
}

static void
unacknowledge (const Request * request)
{
  change_acknowledgement (request, FALSE);
}

static void
acknowledge_all (const Request * request)
{
  vhm_alarms_api_acknowledge (request->fleet, request->message,
      request->query, TRUE);
}

static void
unacknowledge_all (const Request * request)
{
  vhm_alarms_api_acknowledge (request->fleet, request->message,
      request->query, FALSE);
}

static void
list_outputs (const Request * request)
{
  answer_json (request->message, vhm_json_make_array (vhm_outputs_get_all
          (request->outputs), vhm_json_add_output));
}

static void
list_dead_letters (const Request * request)
{
  guint64 after, limit;

  if (vhm_query_get_number (request->message, request->query, "after", 0,
          G_MAXINT64, 0, &after)
      && vhm_query_get_number (request->message, request->query, "limit", 0,
          MAX_DEAD_LETTERS, 100, &limit))
    vhm_outbox_list_dead (vhm_fleet_get_store (request->fleet), after, limit,
        on_dead_letters, vhm_answer_pause (request->message));
}

/* A request without an id means all dead letters. Rejects anything unexpected,
 * which may have been meant as an id. */
static gboolean
is_understood (const Request * request)
{
  const SoupMessageBody *body =
      soup_server_message_get_request_body (request->message);

  return !body->length && (!request->query
      || g_hash_table_contains (request->query, "id"));
}

/* Starts a change of the dead letter in the query, or of all. Refuses the
 * message and returns NULL if the request is invalid. */
static DeadLetterChange *
begin_change (const Request * request)
{
  DeadLetterChange *change;
  guint64 id;

  if (!is_understood (request)) {
    vhm_answer_refuse (request->message, SOUP_STATUS_BAD_REQUEST,
        "Unexpected body or query: send no body, and no parameter except "
        "\"id\".");
    return NULL;
  }
  if (!vhm_query_get_number (request->message, request->query, "id", 0,
          G_MAXINT64, 0, &id))
    return NULL;
  /* Do not pass on id=0: to the outbox, it would mean all dead letters. */
  if (request->query && !id) {
    vhm_answer_refuse (request->message, SOUP_STATUS_NOT_FOUND, NO_DEAD_LETTER);
    return NULL;
  }
  change = g_new (DeadLetterChange, 1);
  change->outputs = request->outputs;
  change->message = vhm_answer_pause (request->message);
  change->id = id;
  return change;
}

/* To be freed */
static GPtrArray *
list_output_names (const Request * request)
{
  const GPtrArray *all = vhm_outputs_get_all (request->outputs);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  guint i;

  for (i = 0; i < all->len; i++)
    g_ptr_array_add (names,
        g_strdup (((const VhmOutput *) g_ptr_array_index (all, i))->name));
  return names;
}

static void
requeue_dead_letters (const Request * request)
{
  DeadLetterChange *change = begin_change (request);

  if (change)
    vhm_outbox_requeue (vhm_fleet_get_store (request->fleet), change->id,
        list_output_names (request), on_dead_letters_changed, change);
}

static void
discard_dead_letters (const Request * request)
{
  DeadLetterChange *change = begin_change (request);

  if (change)
    vhm_outbox_discard (vhm_fleet_get_store (request->fleet), change->id,
        list_output_names (request), on_dead_letters_changed, change);
}

/* In patterns, * stands for one part of the path: the name of a camera or the
 * number of an event. parameters lists what the query may contain. The value of
 * time is ignored: changing it makes browsers request a picture again. */
static const struct
{
  const gchar *method;
  const gchar *pattern;
  const gchar *parameters;
  void (*handle) (const Request * request);
} routes[] = {
  {"GET", "cameras", "", list_cameras},
  {"GET", "cameras/*", "", show_camera},
  {"GET", "cameras/*/picture", "time width", show_picture},
  {"GET", "cameras/*/reference", "time", show_reference},
  {"GET", "cameras/*/scope", "time kind", show_scope},
  {"GET", "cameras/*/minutes", "from before", list_minutes},
  {"GET", "cameras/*/what-if", "condition enter leave from before", try_rule},
  {"GET", "cameras/*/values", "condition from before", show_values},
  {"POST", "cameras/*/unlearn", "by", unlearn},
  {"POST", "cameras/*/snooze", VHM_SNOOZE_PARAMETERS, snooze},
  {"POST", "cameras/*/unsnooze", VHM_UNSNOOZE_PARAMETERS, unsnooze},
  {"GET", "actions", VHM_ACTION_PARAMETERS, list_actions},
  {"GET", "events", "after before from until limit camera", list_events},
  {"GET", "events/*/picture", "time", show_event_picture},
  {"GET", "events/*/reference", "time", show_event_reference},
  {"GET", "alarms", VHM_ALARM_PARAMETERS, list_alarms},
  {"GET", "notices", "", list_notices},
  {"POST", "events/acknowledge", "numbers note by", acknowledge_all},
  {"POST", "events/unacknowledge", "numbers by", unacknowledge_all},
  {"POST", "events/*/acknowledge", "note by", acknowledge},
  {"POST", "events/*/unacknowledge", "by", unacknowledge},
  {"GET", "outputs", "", list_outputs},
  {"GET", "dead-letters", "after limit", list_dead_letters},
  {"POST", "dead-letters/requeue", "id", requeue_dead_letters},
  {"POST", "dead-letters/discard", "id", discard_dead_letters},
};

/* Sets @part to the part that * matches, to be freed, or to NULL. */
static gboolean
matches_path (const gchar * path, const gchar * pattern, gchar ** part)
{
  gchar **is = g_strsplit (path, "/", 8);
  gchar **wanted = g_strsplit (pattern, "/", 8);
  gboolean same = g_strv_length (is) == g_strv_length (wanted);
  guint i;

  *part = NULL;
  for (i = 0; same && wanted[i]; i++) {
    if (g_str_equal (wanted[i], "*"))
      *part = g_strdup (is[i]);
    else
      same = g_str_equal (is[i], wanted[i]);
  }
  if (!same)
    g_clear_pointer (part, g_free);
  g_strfreev (is);
  g_strfreev (wanted);
  return same;
}

/* Finds the camera or event that @part names. Returns FALSE if there is
 * none. */
static gboolean
find_subject (Request * request, const gchar * pattern, const gchar * part)
{
  if (!part)
    return TRUE;
  if (g_str_has_prefix (pattern, "cameras"))
    request->camera = vhm_fleet_find (request->fleet, part);
  else if (!g_ascii_string_to_unsigned (part, 10, 1, G_MAXINT64,
          &request->number, NULL))
    request->number = 0;
  return request->camera || request->number;
}

void
vhm_api_handle (VhmFleet * fleet, VhmOutputs * outputs,
    VhmSnapshots * snapshots, SoupServerMessage * message, const gchar * path,
    GHashTable * query)
{
  const gchar *method = soup_server_message_get_method (message);
  Request request = { fleet, outputs, snapshots, message, NULL, 0, query,
    vhm_access_get_user (message)
  };
  const gchar *by = vhm_query_get_text (query, "by");
  const gchar *allowed = NULL, *missing = NO_SUCH_PATH;
  gchar *part;
  guint i;

  if (g_str_equal (method, "HEAD"))
    method = "GET";
  for (i = 0; i < G_N_ELEMENTS (routes); i++) {
    if (!matches_path (path, routes[i].pattern, &part))
      continue;
    if (!g_str_equal (method, routes[i].method)) {
      allowed = *routes[i].method == 'G' ? "GET, HEAD" : routes[i].method;
    } else if (find_subject (&request, routes[i].pattern, part)) {
      if (!vhm_answer_refuse_query (message, routes[i].parameters)) {
        if (by)
          vhm_access_suggest_name (message, by);
        routes[i].handle (&request);
      }
      g_free (part);
      return;
    } else
      missing = g_str_has_prefix (routes[i].pattern, "cameras") ?
          NO_SUCH_CAMERA : NO_SUCH_EVENT;
    g_free (part);
  }
  if (allowed)
    vhm_answer_refuse_method (message, allowed);
  else
    vhm_answer_refuse_path (message, missing);
}
