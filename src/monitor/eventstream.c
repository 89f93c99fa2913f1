/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "eventstream.h"

#include "answer.h"
#include "json.h"
#include "query.h"

#include <string.h>

/* Maximum number of clients, each with a connection of its own. */
#define MAX_CLIENTS 100

/* Maximum bytes that one client, and all of them together, may leave unread.
 * Beyond it, a client is disconnected and has to reconnect. */
#define MAX_UNREAD_BYTES (4 * 1024 * 1024)
#define MAX_UNREAD_BYTES_OF_ALL (32 * 1024 * 1024)

/* Number of missed events to fetch at once for a client that reconnects. */
#define BATCH_EVENTS 500

/* Time for a client to read what it was sent before its session ended, µs */
#define MAX_END_TIME G_TIME_SPAN_SECOND

typedef struct
{
  VhmEventStream *stream;
  VhmConnections *connections;
  SoupServerMessage *message;
  gchar *peer;
  gchar *session;               /* token; NULL if no session authorizes it */
  gchar *user;                  /* who it is, as members of a JSON object */
  gint64 over;                  /* when the session ended, monotonic µs; 0: not
                                 * yet */
  gboolean dropped;             /* disconnected; no longer counted */
  GHashTable *measured;         /* names of cameras, or NULL: all */
  gsize unread;
  guint64 last;                 /* number of the last event sent to it */
  gboolean behind;              /* missed events are being fetched */
  gulong finished, wrote;       /* signal handlers */
} Client;

/* What clients know of a camera. */
typedef struct
{
  JsonObject *camera;
  gchar *state, *all;           /* latest changes as JSON, without and with
                                 * measurements; NULL if nothing changed */
} Known;

struct _VhmEventStream
{
  VhmFleet *fleet;
  VhmOutputs *outputs;
  const VhmAccess *access;
  GPtrArray *clients;           /* of Client */
  gsize unread;                 /* bytes, by all clients */
  GPtrArray *known;             /* of Known, in the order of the cameras */
  gchar *told_outputs, *told_trouble;   /* last sent, as JSON */
  gint64 sent;                  /* monotonic µs */
};

static void
client_free (Client * client)
{
  client->stream->unread -= client->unread;
  g_ptr_array_remove (client->stream->clients, client);
  g_signal_handler_disconnect (client->message, client->finished);
  g_signal_handler_disconnect (client->message, client->wrote);
  g_object_unref (client->message);
  g_free (client->peer);
  g_free (client->session);
  g_free (client->user);
  g_clear_pointer (&client->measured, g_hash_table_unref);
  g_free (client);
}

static void
on_finished (G_GNUC_UNUSED SoupServerMessage * message, gpointer data)
{
  client_free (data);
}

static void
on_wrote (G_GNUC_UNUSED SoupServerMessage * message, guint size, gpointer data)
{
  Client *client = data;
  const gsize read = MIN (client->unread, size);

  client->unread -= read;
  client->stream->unread -= read;
}

static void
drop_client (Client * client)
{
  client->dropped = TRUE;
  vhm_connections_drop (client->connections, client->message);
}

static void
send_text (Client * client, const gchar * text)
{
  const gsize length = strlen (text);

  if (client->over)
    return;
  if (client->unread > MAX_UNREAD_BYTES
      || (client->unread && client->stream->unread > MAX_UNREAD_BYTES_OF_ALL)) {
    drop_client (client);
    return;
  }
  client->unread += length;
  client->stream->unread += length;
  soup_message_body_append (soup_server_message_get_response_body
      (client->message), SOUP_MEMORY_COPY, text, length);
  soup_server_message_unpause (client->message);
}

static gchar *
event_text (const VhmEvent * event)
{
  gchar *json = vhm_json_make (event, vhm_json_add_event);
  gchar *text = g_strdup_printf ("id: %" G_GUINT64_FORMAT "\nevent: event\n"
      "data: %s\n\n", event->number, json);

  g_free (json);
  return text;
}

static void
send_event (Client * client, const VhmEvent * event)
{
  gchar *text;

  if (event->number <= client->last)
    return;
  client->last = event->number;
  text = event_text (event);
  send_text (client, text);
  g_free (text);
}

/* Events that a client missed */

typedef struct
{
  VhmEventStream *stream;
  SoupServerMessage *message;
} Fetch;

static Fetch *
fetch_new (const Client * client)
{
  Fetch *f = g_new (Fetch, 1);

  f->stream = client->stream;
  f->message = g_object_ref (client->message);
  return f;
}

static void
fetch_free (Fetch * f)
{
  g_object_unref (f->message);
  g_free (f);
}

/* NULL if the client has disconnected. */
static Client *
find_client (const Fetch * f)
{
  guint i;

  for (i = 0; i < f->stream->clients->len; i++) {
    Client *client = g_ptr_array_index (f->stream->clients, i);

    if (client->message == f->message)
      return client;
  }
  return NULL;
}

static void fetch_events (Client * client);

static void
on_fetched (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  Fetch *f = data;
  const GPtrArray *events = result;
  Client *client = find_client (f);
  guint i;

  for (i = 0; client && events && i < events->len; i++)
    send_event (client, g_ptr_array_index (events, i));
  if (client && events && events->len == BATCH_EVENTS)
    fetch_events (client);
  else if (client)
    client->behind = FALSE;
  fetch_free (f);
}

static void
fetch_events (Client * client)
{
  VhmEventFilter filter = VHM_ALL_EVENTS;

  filter.after = client->last;
  filter.limit = BATCH_EVENTS;
  vhm_store_list_events (vhm_fleet_get_store (client->stream->fleet), &filter,
      NULL, on_fetched, fetch_new (client));
}

/* If the client's last number is greater than the newest event's, it comes
 * from another database, and the events since then are unknown. */
static void
on_newest (gpointer data, gpointer result, const gchar * why)
{
  Fetch *f = data;
  const GPtrArray *events = result;
  const VhmEvent *newest = events && events->len ?
      g_ptr_array_index (events, 0) : NULL;
  Client *client = find_client (f);

  if (client && !why)
    client->last = MIN (client->last, newest ? newest->number : 0);
  if (client)
    fetch_events (client);
  fetch_free (f);
}

static void
find_newest (Client * client)
{
  VhmEventFilter filter = VHM_ALL_EVENTS;

  filter.newest = TRUE;
  vhm_store_list_events (vhm_fleet_get_store (client->stream->fleet), &filter,
      NULL, on_newest, fetch_new (client));
}

/* New events */

static void
on_event (gpointer data, G_GNUC_UNUSED VhmCamera * camera,
    const VhmEvent * event)
{
  VhmEventStream *stream = data;
  guint i;

  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);

    /* The store works in order: it stored this event before it reads those that
     * are being fetched, so the client gets it with them. */
    if (!client->behind)
      send_event (client, event);
  }
}

static void
on_notice (gpointer data, const VhmNotice * notice)
{
  VhmEventStream *stream = data;
  gchar *json = vhm_json_make (notice, vhm_json_add_notice);
  gchar *text = g_strdup_printf ("event: notice\ndata: %s\n\n", json);
  guint i;

  for (i = 0; i < stream->clients->len; i++)
    send_text (g_ptr_array_index (stream->clients, i), text);
  g_free (text);
  g_free (json);
}

/* The state of all cameras */

static const gchar *const live[] = { VHM_JSON_LIVE, VHM_JSON_MEASUREMENTS,
  NULL
};

static const gchar *const measurements[] = { VHM_JSON_MEASUREMENTS, NULL };

static void
known_free (gpointer data)
{
  Known *known = data;

  json_object_unref (known->camera);
  g_free (known->state);
  g_free (known->all);
  g_free (known);
}

static JsonObject *
describe_camera (const VhmCamera * camera)
{
  JsonBuilder *builder = json_builder_new ();
  JsonNode *root;
  JsonObject *object;

  vhm_json_add_camera (builder, camera, VHM_JSON_BRIEF);
  root = json_builder_get_root (builder);
  object = json_node_dup_object (root);
  json_node_unref (root);
  g_object_unref (builder);
  return object;
}

static void
add_member (GString * text, const gchar * name, JsonNode * value)
{
  gchar *json = value ? json_to_string (value, FALSE) : g_strdup ("null");

  g_string_append_printf (text, "%s\"%s\":%s", text->len ? "," : "", name,
      json);
  g_free (json);
}

/* Whether conditions are unchanged, apart from their values. */
static gboolean
are_same_conditions (JsonArray * before, JsonArray * now)
{
  gboolean same = json_array_get_length (before) == json_array_get_length (now);
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;
  guint i;

  for (i = 0; same && i < json_array_get_length (now); i++) {
    JsonObject *old = json_array_get_object_element (before, i);

    json_object_iter_init (&iter, json_array_get_object_element (now, i));
    while (same && json_object_iter_next (&iter, &name, &value))
      same = g_str_equal (name, "value") || g_str_equal (name, "scale")
          || json_node_equal (json_object_get_member (old, name), value);
  }
  return same;
}

/* Whether the member @name is unchanged; with @measured, including values of
 * conditions. */
static gboolean
is_same (const gchar * name, JsonNode * before, JsonNode * now,
    gboolean measured)
{
  if (before && !measured && g_str_equal (name, "active"))
    return are_same_conditions (json_node_get_array (before),
        json_node_get_array (now));
  return before && json_node_equal (before, now);
}

/* The members of @camera that differ from @before, without those in @omit, plus
 * the name; NULL if nothing differs. If @before is NULL, all members. To be
 * freed. */
static gchar *
list_members (JsonObject * camera, JsonObject * before,
    const gchar * const *omit)
{
  GString *text = g_string_new ("");
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;
  gchar *members;

  json_object_iter_init (&iter, camera);
  while (json_object_iter_next (&iter, &name, &value)) {
    if (!(omit && g_strv_contains (omit, name))
        && !(before && is_same (name, json_object_get_member (before, name),
                value, !omit)))
      add_member (text, name, value);
  }
  if (before) {
    json_object_iter_init (&iter, before);
    while (json_object_iter_next (&iter, &name, &value))
      if (!json_object_has_member (camera, name)
          && !(omit && g_strv_contains (omit, name)))
        add_member (text, name, NULL);
  }
  if (before && text->len)
    add_member (text, "name", json_object_get_member (camera, "name"));
  members = text->len ? g_strdup_printf ("{%s}", text->str) : NULL;
  g_string_free (text, TRUE);
  return members;
}

static gchar *
describe_outputs (const VhmOutputs * outputs)
{
  return vhm_json_make_array (vhm_outputs_get_all (outputs),
      vhm_json_add_output);
}

static gchar *
make_text (const gchar * text)
{
  JsonNode *node = json_node_init_string (json_node_alloc (), text);
  gchar *json = json_to_string (node, FALSE);

  json_node_unref (node);
  return json;
}

static gchar *
describe_user (const VhmUser * user)
{
  gchar *name = make_text (user->name);
  gchar *members = g_strdup_printf ("\"user\":%s,\"role\":\"%s\"", name,
      vhm_role_get_name (user->role));

  g_free (name);
  return members;
}

static gchar *
describe_trouble (const VhmFleet * fleet)
{
  gchar *trouble = vhm_fleet_describe_trouble (fleet);
  gchar *json = make_text (trouble);

  g_free (trouble);
  return json;
}

/* Takes @now. Appends it to @text as the member @name if it differs from
 * @known. */
static void
update_text (gchar ** known, gchar * now, GString * text, const gchar * name)
{
  if (g_strcmp0 (*known, now))
    g_string_append_printf (text, "\"%s\":%s,", name, now);
  g_free (*known);
  *known = now;
}

/* The start of a JSON object, to which the list of cameras is added. */
static GString *
begin_text (VhmEventStream * stream)
{
  gchar *time = vhm_time_to_text (g_get_real_time ());
  GString *text = g_string_new ("");

  g_string_append_printf (text, "{\"time\":\"%s\",", time);
  update_text (&stream->told_trouble, describe_trouble (stream->fleet), text,
      "trouble");
  update_text (&stream->told_outputs, describe_outputs (stream->outputs),
      text, "outputs");
  g_free (time);
  return text;
}

static void
learn_all (VhmEventStream * stream)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  guint i;

  g_ptr_array_set_size (stream->known, 0);
  for (i = 0; i < cameras->len; i++) {
    Known *known = g_new0 (Known, 1);

    known->camera = describe_camera (g_ptr_array_index (cameras, i));
    g_ptr_array_add (stream->known, known);
  }
}

static gboolean
is_measured (const Client * client, const Known * known)
{
  return !client->measured || g_hash_table_contains (client->measured,
      json_object_get_string_member (known->camera, "name"));
}

/* Sends @head followed by the list of cameras. */
static void
send_cameras (Client * client, const gchar * event, const gchar * head,
    gchar * (*describe) (const Client * client, const Known * known))
{
  const GPtrArray *known = client->stream->known;
  GString *text = g_string_new (NULL);
  gboolean first = TRUE;
  guint i;

  g_string_append_printf (text, "event: %s\ndata: %s\"cameras\":[", event,
      head);
  for (i = 0; i < known->len; i++) {
    gchar *camera = describe (client, g_ptr_array_index (known, i));

    if (camera)
      g_string_append_printf (text, "%s%s", first ? "" : ",", camera);
    first = first && !camera;
    g_free (camera);
  }
  g_string_append (text, "]}\n\n");
  send_text (client, text->str);
  g_string_free (text, TRUE);
}

static gchar *
describe_all (const Client * client, const Known * known)
{
  return list_members (known->camera, NULL,
      is_measured (client, known) ? NULL : measurements);
}

static gchar *
describe_change (const Client * client, const Known * known)
{
  return g_strdup (is_measured (client, known) ? known->all : known->state);
}

/* Sends the complete state to a new client. */
static void
send_all (Client * client)
{
  const VhmEventStream *stream = client->stream;
  gchar *time = vhm_time_to_text (g_get_real_time ());
  gchar *head = g_strdup_printf ("{\"time\":\"%s\",\"login\":%s,%s,"
      "\"trouble\":%s,\"outputs\":%s,", time,
      client->session ? "true" : "false", client->user, stream->told_trouble,
      stream->told_outputs);

  send_cameras (client, "cameras", head, describe_all);
  g_free (head);
  g_free (time);
}

/* Whether the clients know the current list of cameras, in its order. */
static gboolean
are_known (const VhmEventStream * stream)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  gboolean same = cameras->len == stream->known->len;
  guint i;

  for (i = 0; same && i < cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (cameras, i);
    const Known *known = g_ptr_array_index (stream->known, i);

    same = g_str_equal (camera->settings->name,
        json_object_get_string_member (known->camera, "name"));
  }
  return same;
}

static void
update_known (Known * known, const VhmCamera * camera)
{
  JsonObject *now = describe_camera (camera);

  g_free (known->state);
  g_free (known->all);
  known->state = list_members (now, known->camera, live);
  known->all = list_members (now, known->camera, NULL);
  json_object_unref (known->camera);
  known->camera = now;
}

static void
on_tick (gpointer data)
{
  VhmEventStream *stream = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  const gint64 now = g_get_monotonic_time ();
  const gboolean known = are_known (stream);
  GString *head;
  guint i;

  if (!stream->clients->len || now - stream->sent < VHM_EACH_SECOND)
    return;
  vhm_event_stream_check_sessions (stream);
  stream->sent = now;
  head = begin_text (stream);
  if (!known)
    learn_all (stream);
  for (i = 0; known && i < cameras->len; i++)
    update_known (g_ptr_array_index (stream->known, i),
        g_ptr_array_index (cameras, i));
  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);

    if (known)
      send_cameras (client, "changes", head->str, describe_change);
    else
      send_all (client);
  }
  g_string_free (head, TRUE);
}

static const VhmListener listener = {.event = on_event,.tick = on_tick,
  .notice = on_notice
};

VhmEventStream *
vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs,
    const VhmAccess * access)
{
  VhmEventStream *stream = g_new0 (VhmEventStream, 1);

  stream->fleet = fleet;
  stream->outputs = outputs;
  stream->access = access;
  stream->clients = g_ptr_array_new ();
  stream->known = g_ptr_array_new_with_free_func (known_free);
  vhm_fleet_add_listener (fleet, &listener, stream);
  return stream;
}

void
vhm_event_stream_free (VhmEventStream * stream)
{
  while (stream->clients->len)
    client_free (g_ptr_array_index (stream->clients, 0));
  g_ptr_array_unref (stream->clients);
  g_ptr_array_unref (stream->known);
  g_free (stream->told_outputs);
  g_free (stream->told_trouble);
  g_free (stream);
}

/* Counts the clients of @peer, or all if it is NULL, that are not dropped. */
static guint
count_clients (const VhmEventStream * stream, const gchar * peer)
{
  guint n = 0, i;

  for (i = 0; i < stream->clients->len; i++) {
    const Client *client = g_ptr_array_index (stream->clients, i);

    n += !client->dropped && (!peer || g_str_equal (client->peer, peer));
  }
  return n;
}

/* Makes room for a client of @peer if necessary: drops the oldest client of the
 * peer that has most clients, if it has more than @peer would have. */
static gboolean
make_room (VhmEventStream * stream, const gchar * peer)
{
  guint most = count_clients (stream, peer) + 1, i;
  Client *oldest = NULL;

  if (count_clients (stream, NULL) < MAX_CLIENTS)
    return TRUE;
  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);
    const guint n = count_clients (stream, client->peer);

    if (!client->dropped && n > most) {
      most = n;
      oldest = client;
    }
  }
  if (oldest)
    drop_client (oldest);
  return oldest != NULL;
}

void
vhm_event_stream_add (VhmEventStream * stream, VhmConnections * connections,
    SoupServerMessage * message, guint64 after, const gchar * measured)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);
  Client *client;

  if (!make_room (stream, vhm_connections_get_peer (message))) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many clients are connected to /events: retry later.");
    return;
  }
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_content_type (headers, "text/event-stream", NULL);
  /* HTTP/1.0 has no chunks: closing the connection ends the answer. */
  soup_message_headers_set_encoding (headers,
      soup_server_message_get_http_version (message) == SOUP_HTTP_1_0 ?
      SOUP_ENCODING_EOF : SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate (soup_server_message_get_response_body
      (message), FALSE);
  vhm_connections_keep (connections, message);

  client = g_new0 (Client, 1);
  client->stream = stream;
  client->connections = connections;
  client->message = g_object_ref (message);
  client->peer = g_strdup (vhm_connections_get_peer (message));
  client->session = vhm_access_get_session (stream->access, message);
  client->user = describe_user (vhm_access_get_user (message));
  client->measured = measured ? vhm_query_split_names (measured) : NULL;
  client->last = after;
  client->behind = after > 0;
  client->finished = g_signal_connect (message, "finished",
      G_CALLBACK (on_finished), client);
  client->wrote = g_signal_connect (message, "wrote-body-data",
      G_CALLBACK (on_wrote), client);
  /* The state is not kept up to date while there are no clients. */
  if (!stream->clients->len) {
    learn_all (stream);
    g_string_free (begin_text (stream), TRUE);
  }
  g_ptr_array_add (stream->clients, client);
  send_text (client, "retry: 2000\n\n");
  send_all (client);
  if (client->behind)
    find_newest (client);
}

/* Ends the answer properly, so that browsers do not report an error. */
static void
say_goodbye (Client * client)
{
  client->over = g_get_monotonic_time ();
  soup_message_body_complete (soup_server_message_get_response_body
      (client->message));
  soup_server_message_unpause (client->message);
}

void
vhm_event_stream_check_sessions (VhmEventStream * stream)
{
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);

    if (!client->session || client->dropped
        || vhm_access_is_session (stream->access, client->session))
      continue;
    if (!client->over)
      say_goodbye (client);
    else if (now - client->over >= MAX_END_TIME)
      drop_client (client);
  }
}
