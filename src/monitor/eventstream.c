/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "eventstream.h"

#include "json.h"

#include <string.h>

/* Each has a connection. */
#define MOST_CLIENTS 100

/* What a client may leave unread, in bytes: after that it has to come
 * again. */
#define MOST_UNREAD (4 * 1024 * 1024)

/* Events that are fetched at once for a client that was away. */
#define BATCH 500

typedef struct
{
  VhmEventStream *stream;
  VhmConnections *connections;
  SoupServerMessage *message;
  gsize unread;
  guint64 last;                 /* number of the last event it got */
  gboolean behind;              /* events before are being fetched */
  gulong finished, wrote;       /* signal handlers */
} Client;

struct _VhmEventStream
{
  VhmFleet *fleet;
  VhmOutputs *outputs;
  GPtrArray *clients;           /* of Client */
  gint64 sent;                  /* monotonic µs */
};

static void
client_free (Client * client)
{
  g_ptr_array_remove (client->stream->clients, client);
  g_signal_handler_disconnect (client->message, client->finished);
  g_signal_handler_disconnect (client->message, client->wrote);
  g_object_unref (client->message);
  g_free (client);
}

static void
on_finished (SoupServerMessage * message, gpointer data)
{
  (void) message;
  client_free (data);
}

static void
on_wrote (SoupServerMessage * message, guint size, gpointer data)
{
  Client *client = data;

  (void) message;
  client->unread -= MIN (client->unread, size);
}

static void
send_text (Client * client, const gchar * text)
{
  const gsize length = strlen (text);

  if (client->unread > MOST_UNREAD) {
    vhm_connections_drop (client->connections, client->message);
    return;
  }
  client->unread += length;
  soup_message_body_append (soup_server_message_get_response_body
      (client->message), SOUP_MEMORY_COPY, text, length);
  soup_server_message_unpause (client->message);
}

static gchar *
event_text (const VhmEvent * event)
{
  JsonBuilder *builder = json_builder_new ();
  gchar *json, *text;

  vhm_json_add_event (builder, event);
  json = vhm_json_end (builder);
  text = g_strdup_printf ("id: %" G_GUINT64_FORMAT "\nevent: event\n"
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

/* What came while a client was away */

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

/* NULL if it has gone. */
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

static void fetch (Client * client);

static void
on_fetched (gpointer data, gpointer result, const gchar * why)
{
  Fetch *f = data;
  const GPtrArray *events = result;
  Client *client = find_client (f);
  guint i;

  (void) why;
  for (i = 0; client && events && i < events->len; i++)
    send_event (client, g_ptr_array_index (events, i));
  if (client && events && events->len == BATCH)
    fetch (client);
  else if (client)
    client->behind = FALSE;
  fetch_free (f);
}

static void
fetch (Client * client)
{
  vhm_store_list_events (vhm_fleet_get_store (client->stream->fleet), NULL,
      client->last, BATCH, FALSE, on_fetched, fetch_new (client));
}

/* A number that no event has had yet is of another database: what has happened
 * since then, nobody knows. */
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
    fetch (client);
  fetch_free (f);
}

static void
find_newest (Client * client)
{
  vhm_store_list_events (vhm_fleet_get_store (client->stream->fleet), NULL,
      0, 1, TRUE, on_newest, fetch_new (client));
}

/* What happens now */

static void
on_event (gpointer data, VhmCamera * camera, const VhmEvent * event)
{
  VhmEventStream *stream = data;
  guint i;

  (void) camera;
  for (i = 0; i < stream->clients->len; i++) {
    Client *client = g_ptr_array_index (stream->clients, i);

    /* The store does one thing after the other: this one was stored before
     * what is being fetched is read. */
    if (!client->behind)
      send_event (client, event);
  }
}

static void
on_notice (gpointer data, const VhmNotice * notice)
{
  VhmEventStream *stream = data;
  JsonBuilder *builder = json_builder_new ();
  gchar *json, *text;
  guint i;

  vhm_json_add_notice (builder, notice);
  json = vhm_json_end (builder);
  text = g_strdup_printf ("event: notice\ndata: %s\n\n", json);
  for (i = 0; i < stream->clients->len; i++)
    send_text (g_ptr_array_index (stream->clients, i), text);
  g_free (text);
  g_free (json);
}

static void
add_outputs (JsonBuilder * builder, const VhmOutputs * outputs)
{
  GPtrArray *all = vhm_outputs_describe (outputs);
  guint i;

  json_builder_set_member_name (builder, "outputs");
  json_builder_begin_array (builder);
  for (i = 0; i < all->len; i++)
    vhm_json_add_output (builder, g_ptr_array_index (all, i));
  json_builder_end_array (builder);
  g_ptr_array_unref (all);
}

static void
on_tick (gpointer data)
{
  VhmEventStream *stream = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (stream->fleet);
  const gchar *trouble =
      vhm_store_get_trouble (vhm_fleet_get_store (stream->fleet));
  const gint64 now = g_get_monotonic_time ();
  JsonBuilder *builder;
  gchar *json, *text;
  guint i;

  if (!stream->clients->len || now - stream->sent < VHM_EACH_SECOND)
    return;
  stream->sent = now;
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "time", g_get_real_time ());
  json_builder_set_member_name (builder, "trouble");
  json_builder_add_string_value (builder, trouble ? trouble : "");
  add_outputs (builder, stream->outputs);
  json_builder_set_member_name (builder, "cameras");
  json_builder_begin_array (builder);
  for (i = 0; i < cameras->len; i++)
    vhm_json_add_camera (builder, g_ptr_array_index (cameras, i),
        VHM_JSON_BRIEF);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  json = vhm_json_end (builder);
  text = g_strdup_printf ("event: cameras\ndata: %s\n\n", json);
  for (i = 0; i < stream->clients->len; i++)
    send_text (g_ptr_array_index (stream->clients, i), text);
  g_free (text);
  g_free (json);
}

static const VhmListener listener = {.event = on_event,.tick = on_tick,
  .notice = on_notice
};

VhmEventStream *
vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs)
{
  VhmEventStream *stream = g_new0 (VhmEventStream, 1);

  stream->fleet = fleet;
  stream->outputs = outputs;
  stream->clients = g_ptr_array_new ();
  vhm_fleet_add_listener (fleet, &listener, stream);
  return stream;
}

void
vhm_event_stream_free (VhmEventStream * stream)
{
  while (stream->clients->len)
    client_free (g_ptr_array_index (stream->clients, 0));
  g_ptr_array_unref (stream->clients);
  g_free (stream);
}

void
vhm_event_stream_add (VhmEventStream * stream, VhmConnections * connections,
    SoupServerMessage * message, guint64 after)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);
  Client *client;

  if (stream->clients->len >= MOST_CLIENTS) {
    soup_server_message_set_status (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        NULL);
    return;
  }
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_content_type (headers, "text/event-stream", NULL);
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate (soup_server_message_get_response_body
      (message), FALSE);
  vhm_connections_keep (connections, message);

  client = g_new0 (Client, 1);
  client->stream = stream;
  client->connections = connections;
  client->message = g_object_ref (message);
  client->last = after;
  client->behind = after > 0;
  client->finished = g_signal_connect (message, "finished",
      G_CALLBACK (on_finished), client);
  client->wrote = g_signal_connect (message, "wrote-body-data",
      G_CALLBACK (on_wrote), client);
  g_ptr_array_add (stream->clients, client);
  send_text (client, "retry: 2000\n\n");
  if (client->behind)
    find_newest (client);
}
