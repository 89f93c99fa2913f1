/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "eventstream.h"

#include "answer.h"
#include "json.h"
#include "knowncamera.h"
#include "query.h"
#include "subscribers.h"

#include <string.h>

/* Maximum number of clients, each with a connection of its own. */
#define MAX_CLIENTS 100

/* Maximum bytes that one client, and all of them together, may leave unread.
 * Beyond it, a client is disconnected and has to reconnect. */
#define MAX_UNREAD_BYTES (4 * 1024 * 1024)
#define MAX_UNREAD_BYTES_OF_ALL (32 * 1024 * 1024)

/* Number of missed events to fetch at once for a client that reconnects. */
#define BATCH_EVENTS 500

typedef struct
{
  VhmSubscriber base;
  VhmEventStream *stream;
  VhmUser *user;                /* who it is */
  GHashTable *measured;         /* names of cameras, or NULL: all */
  guint64 last;                 /* number of the last event sent to it */
  gboolean behind;              /* missed events are being fetched */
} Client;

struct _VhmEventStream
{
  VhmFleet *fleet;
  VhmOutputs *outputs;
  const VhmAccess *access;
  VhmSubscribers *subscribers;
  const GPtrArray *clients;     /* all subscribers: an array of Client */
  GPtrArray *known;             /* of VhmKnownCamera, in the order of the
                                 * cameras */
  gchar *told_outputs;          /* last sent, as JSON */
  gchar *told_trouble[VHM_N_ROLES];     /* likewise */
  gchar *configuration;         /* likewise, for operators */
  gint64 sent;                  /* monotonic µs */
};

static void
client_free (VhmSubscriber * subscriber)
{
  Client *client = (Client *) subscriber;

  vhm_user_free (client->user);
  g_clear_pointer (&client->measured, g_hash_table_unref);
  g_free (client);
}

static void
send_text (Client * client, const gchar * text)
{
  const gsize unread = client->base.unread;

  if (unread > MAX_UNREAD_BYTES || (unread
          && vhm_subscribers_get_unread (client->base.owner)
          > MAX_UNREAD_BYTES_OF_ALL))
    vhm_subscriber_drop (&client->base);
  else
    vhm_subscriber_send (&client->base, text, strlen (text));
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
  f->message = g_object_ref (client->base.message);
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

    if (client->base.message == f->message)
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
  static const VhmJsonAdd add[VHM_N_ROLES] = {
    [VHM_ROLE_VIEWER] = vhm_json_add_notice_for_viewers,
    [VHM_ROLE_OPERATOR] = vhm_json_add_notice,
  };
  VhmEventStream *stream = data;
  VhmRole role;
  guint i;

  for (role = 0; role < VHM_N_ROLES; role++) {
    gchar *json = vhm_json_make (notice, add[role]);
    gchar *text = g_strdup_printf ("event: notice\ndata: %s\n\n", json);

    for (i = 0; i < stream->clients->len; i++) {
      Client *client = g_ptr_array_index (stream->clients, i);

      if (client->user->role == role)
        send_text (client, text);
    }
    g_free (text);
    g_free (json);
  }
}

/* The state of all cameras */

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
describe_trouble (const VhmFleet * fleet, VhmRole role)
{
  gchar *trouble = vhm_notices_describe_trouble (vhm_fleet_get_notices (fleet),
      role);
  gchar *json = make_text (trouble);

  g_free (trouble);
  return json;
}

/* Takes @now. Returns the member @name of an object, or "" if it is @known. To
 * be freed. */
static gchar *
update_text (gchar ** known, gchar * now, const gchar * name)
{
  gchar *member = g_strcmp0 (*known, now) ? g_strdup_printf ("\"%s\":%s,",
      name, now) : g_strdup ("");

  g_free (*known);
  *known = now;
  return member;
}

/* For each role the start of a JSON object, to which the list of cameras is
 * added. */
static void
begin_texts (VhmEventStream * stream, gchar ** texts)
{
  gchar *time = vhm_time_to_text (g_get_real_time ());
  gchar *outputs = update_text (&stream->told_outputs,
      describe_outputs (stream->outputs), "outputs");
  VhmRole role;

  for (role = 0; role < VHM_N_ROLES; role++) {
    gchar *trouble = update_text (&stream->told_trouble[role],
        describe_trouble (stream->fleet, role), "trouble");

    texts[role] = g_strdup_printf ("{\"time\":\"%s\",\"acknowledgements\":%u,"
        "%s%s", time, vhm_fleet_count_acknowledgements (stream->fleet), trouble,
        outputs);
    g_free (trouble);
  }
  g_free (outputs);
  g_free (time);
}

static void
free_texts (gchar ** texts)
{
  VhmRole role;

  for (role = 0; role < VHM_N_ROLES; role++)
    g_clear_pointer (&texts[role], g_free);
}

static void
learn_all (VhmEventStream * stream)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  guint i;

  g_ptr_array_set_size (stream->known, 0);
  for (i = 0; i < cameras->len; i++)
    g_ptr_array_add (stream->known,
        vhm_known_camera_new (g_ptr_array_index (cameras, i)));
}

static gboolean
is_measured (const Client * client, const VhmKnownCamera * known)
{
  return !client->measured || g_hash_table_contains (client->measured,
      vhm_known_camera_get_name (known));
}

/* Sends @head followed by the list of cameras. */
static void
send_cameras (Client * client, const gchar * event, const gchar * head,
    gchar * (*describe) (const Client * client, const VhmKnownCamera * known))
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
describe_all (const Client * client, const VhmKnownCamera * known)
{
  return vhm_known_camera_describe (known, is_measured (client, known));
}

static gchar *
describe_change (const Client * client, const VhmKnownCamera * known)
{
  return g_strdup (is_measured (client, known) ? known->all : known->state);
}

/* Sends the complete state to a new client. */
static void
send_all (Client * client)
{
  const VhmEventStream *stream = client->stream;
  const gboolean is_operator = client->user->role >= VHM_ROLE_OPERATOR;
  gchar *time = vhm_time_to_text (g_get_real_time ());
  gchar *user = describe_user (client->user);
  gchar *head = g_strdup_printf ("{\"time\":\"%s\",\"acknowledgements\":%u,"
      "\"login\":%s,%s,\"trouble\":%s,\"outputs\":%s,"
      "\"configuration\":%s,", time,
      vhm_fleet_count_acknowledgements (stream->fleet),
      client->base.session ? "true" : "false", user,
      stream->told_trouble[client->user->role],
      stream->told_outputs, is_operator && stream->configuration ?
      stream->configuration : "null");

  send_cameras (client, "cameras", head, describe_all);
  g_free (head);
  g_free (user);
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
    const VhmKnownCamera *known = g_ptr_array_index (stream->known, i);

    same = g_str_equal (camera->settings->name,
        vhm_known_camera_get_name (known));
  }
  return same;
}

static void
on_tick (gpointer data)
{
  VhmEventStream *stream = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  const gint64 now = g_get_monotonic_time ();
  const gboolean known = are_known (stream);
  gchar *heads[VHM_N_ROLES];
  guint i;

  if (!stream->clients->len || now - stream->sent < VHM_EACH_SECOND)
    return;
  vhm_subscribers_check_sessions (stream->subscribers);
  stream->sent = now;
  begin_texts (stream, heads);
  if (!known)
    learn_all (stream);
  for (i = 0; known && i < cameras->len; i++)
    vhm_known_camera_update (g_ptr_array_index (stream->known, i),
        g_ptr_array_index (cameras, i));
  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);

    if (known)
      send_cameras (client, "changes", heads[client->user->role],
          describe_change);
    else
      send_all (client);
  }
  free_texts (heads);
}

static const VhmListener listener = {.event = on_event,.tick = on_tick,
  .notice = on_notice
};

static const VhmSubscribersClass subscribers_class = {
  "/events", "text/event-stream", MAX_CLIENTS, NULL, client_free
};

VhmEventStream *
vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs,
    VhmConnections * connections, const VhmAccess * access)
{
  VhmEventStream *stream = g_new0 (VhmEventStream, 1);

  stream->fleet = fleet;
  stream->outputs = outputs;
  stream->access = access;
  stream->subscribers = vhm_subscribers_new (&subscribers_class, connections,
      access);
  stream->clients = vhm_subscribers_get_all (stream->subscribers);
  stream->known = g_ptr_array_new_with_free_func ((GDestroyNotify)
      vhm_known_camera_free);
  vhm_fleet_add_listener (fleet, &listener, stream);
  return stream;
}

void
vhm_event_stream_free (VhmEventStream * stream)
{
  vhm_subscribers_free (stream->subscribers);
  g_ptr_array_unref (stream->known);
  g_free (stream->told_outputs);
  free_texts (stream->told_trouble);
  g_free (stream->configuration);
  g_free (stream);
}

void
vhm_event_stream_set_configuration (VhmEventStream * stream,
    const gchar * file, const gchar * reload)
{
  gchar *path = make_text (file), *command = make_text (reload);

  stream->configuration = g_strdup_printf ("{\"file\":%s,\"reload\":%s}", path,
      command);
  g_free (path);
  g_free (command);
}

void
vhm_event_stream_add (VhmEventStream * stream, SoupServerMessage * message,
    guint64 after, const gchar * measured)
{
  Client *client = g_new0 (Client, 1);
  gchar *heads[VHM_N_ROLES];

  client->stream = stream;
  client->user = vhm_user_new (vhm_access_get_user (message)->name,
      vhm_access_get_user (message)->role);
  client->measured = measured ? vhm_query_split_names (measured) : NULL;
  client->last = after;
  client->behind = after > 0;
  /* The state is not kept up to date while there are no clients. */
  if (!stream->clients->len) {
    learn_all (stream);
    begin_texts (stream, heads);
    free_texts (heads);
  }
  if (!vhm_subscribers_add (stream->subscribers, message, &client->base))
    return;
  send_text (client, "retry: 2000\n\n");
  send_all (client);
  if (client->behind)
    find_newest (client);
}

void
vhm_event_stream_check_sessions (VhmEventStream * stream)
{
  vhm_subscribers_check_sessions (stream->subscribers);
}
