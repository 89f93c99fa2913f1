/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturestream.h"

#include "answer.h"
#include "json.h"
#include "query.h"
#include "subscribers.h"

#include <string.h>

#define MAX_PICTURE_CLIENTS 50

/* Bytes to write at once. As long as a client has not read them, it gets
 * nothing else, so that it never gets a picture for which there is a newer
 * one. The last picture may exceed it. */
#define MAX_BATCH_BYTES (64 * 1024)

#define MAX_INTERVAL_SECONDS 60
/* Ticks come early or late by this time, µs. */
#define TICK_JITTER (G_TIME_SPAN_SECOND / 8)

/* After this time without a picture, clients are told that the connection
 * lives, µs. */
#define HEARTBEAT_INTERVAL (5 * G_TIME_SPAN_SECOND)
#define HEARTBEAT "{\"bytes\":0}\n"

/* A client that reads nothing for this long is disconnected, µs. */
#define MAX_STALLED_TIME (30 * G_TIME_SPAN_SECOND)

/* What a client has of a camera; times are monotonic µs. */
typedef struct
{
  gint64 arrival;               /* of the frame it was sent last; 0: none */
  gint64 wanted;                /* since when it wants a picture; 0: it has
                                 * one */
  gint64 due;                   /* when it wants the next one */
} Shown;

typedef struct
{
  VhmSubscriber base;
  VhmPictureStream *stream;
  GHashTable *names;            /* of the cameras it wants; NULL: all */
  VhmPictureSize size;
  gint64 interval;              /* µs */
  GHashTable *shown;            /* name -> Shown */
  guint next;                   /* index of the camera to send first */
  gint64 wrote;                 /* when it last read or got something */
} Client;

struct _VhmPictureStream
{
  VhmFleet *fleet;
  VhmSubscribers *subscribers;
  gint64 checked;               /* sessions; monotonic µs */
};

static void
client_free (VhmSubscriber * subscriber)
{
  Client *client = (Client *) subscriber;

  g_clear_pointer (&client->names, g_hash_table_unref);
  g_hash_table_unref (client->shown);
  g_free (client);
}

/* NULL if the client does not want the camera. */
static Shown *
find_shown (Client * client, const VhmCamera * camera)
{
  const gchar *name = camera->settings->name;
  Shown *shown;

  if (client->names && !g_hash_table_contains (client->names, name))
    return NULL;
  shown = g_hash_table_lookup (client->shown, name);
  if (!shown) {
    shown = g_new0 (Shown, 1);
    g_hash_table_insert (client->shown, g_strdup (name), shown);
  }
  return shown;
}

/* Requests the pictures that the client is due to get. */
static void
want_pictures (Client * client, gint64 now)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (client->stream->fleet);
  guint i;

  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);
    Shown *shown = find_shown (client, camera);

    if (!shown || now < shown->due)
      continue;
    if (!shown->wanted)
      shown->wanted = now;
    vhm_camera_want_picture (camera, client->size);
  }
}

/* The picture to send now, or NULL. The first one, and the last one of a camera
 * without video, may be an ordinary one. */
static const VhmPicture *
choose_picture (const Client * client, const VhmCamera * camera,
    const Shown * shown)
{
  const VhmPicture *picture = &camera->pictures[client->size];

  if (!shown->wanted)
    return NULL;
  if (!picture->jpeg && (!shown->arrival || camera->state != VHM_CAMERA_UP))
    picture = &camera->pictures[VHM_PICTURE_480];
  return picture->jpeg && picture->arrival > shown->arrival ? picture : NULL;
}

static void
append_picture (GByteArray * batch, const VhmCamera * camera,
    const VhmPicture * picture)
{
  JsonNode *name = json_node_init_string (json_node_alloc (),
      camera->settings->name);
  gchar *json = json_to_string (name, FALSE);
  gchar *time = vhm_time_to_text (picture->time);
  gchar *line = g_strdup_printf ("{\"camera\":%s,\"time\":\"%s\","
      "\"width\":%u,\"bytes\":%" G_GSIZE_FORMAT "}\n", json, time,
      picture->width, g_bytes_get_size (picture->jpeg));

  g_byte_array_append (batch, (const guint8 *) line, strlen (line));
  g_byte_array_append (batch, g_bytes_get_data (picture->jpeg, NULL),
      g_bytes_get_size (picture->jpeg));
  g_free (line);
  g_free (time);
  g_free (json);
  json_node_unref (name);
}

static void
note_sent (const Client * client, Shown * shown, const VhmCamera * camera,
    const VhmPicture * picture)
{
  /* An ordinary picture at the start is followed by one in the right size. */
  const gboolean same = picture == &camera->pictures[client->size];

  if (same || shown->arrival)
    shown->due = shown->wanted + client->interval - TICK_JITTER;
  shown->arrival = picture->arrival;
  shown->wanted = 0;
}

/* Sends the pictures that are there, unless the client still reads. Goes round
 * all cameras, so that a slow client gets each. */
static void
send_pictures (Client * client)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (client->stream->fleet);
  GByteArray *batch;
  guint i;

  if (client->base.unread || client->base.dropped)
    return;
  batch = g_byte_array_new ();
  for (i = 0; i < cameras->len && batch->len < MAX_BATCH_BYTES; i++) {
    const guint index = (client->next + i) % cameras->len;
    const VhmCamera *camera = g_ptr_array_index (cameras, index);
    Shown *shown = find_shown (client, camera);
    const VhmPicture *picture = shown ?
        choose_picture (client, camera, shown) : NULL;

    if (picture) {
      append_picture (batch, camera, picture);
      note_sent (client, shown, camera, picture);
    }
  }
  if (cameras->len)
    client->next = (client->next + i) % cameras->len;
  if (batch->len)
    vhm_subscriber_send (&client->base, batch->data, batch->len);
  g_byte_array_unref (batch);
}

static void
on_wrote (VhmSubscriber * subscriber)
{
  Client *client = (Client *) subscriber;

  client->wrote = g_get_monotonic_time ();
  send_pictures (client);
}

static void
serve_client (Client * client, gint64 now)
{
  if (client->base.unread && now - client->wrote > MAX_STALLED_TIME)
    vhm_subscriber_drop (&client->base);
  /* A picture that cannot be sent soon is not worth making. */
  if (client->base.unread)
    return;
  want_pictures (client, now);
  send_pictures (client);
  if (!client->base.unread && now - client->wrote > HEARTBEAT_INTERVAL)
    vhm_subscriber_send (&client->base, HEARTBEAT, strlen (HEARTBEAT));
}

static void
on_tick (gpointer data)
{
  VhmPictureStream *stream = data;
  const GPtrArray *clients = vhm_subscribers_get_all (stream->subscribers);
  const gint64 now = g_get_monotonic_time ();
  guint i;

  if (now - stream->checked >= VHM_EACH_SECOND) {
    stream->checked = now;
    vhm_subscribers_check_sessions (stream->subscribers);
  }
  for (i = 0; i < clients->len; i++)
    serve_client (g_ptr_array_index (clients, i), now);
}

static const VhmListener listener = {.tick = on_tick };

static const VhmSubscribersClass subscribers_class = {
  "/pictures", "application/octet-stream", MAX_PICTURE_CLIENTS, on_wrote,
  client_free
};

VhmPictureStream *
vhm_picture_stream_new (VhmFleet * fleet, VhmConnections * connections,
    const VhmAccess * access)
{
  VhmPictureStream *stream = g_new0 (VhmPictureStream, 1);

  stream->fleet = fleet;
  stream->subscribers = vhm_subscribers_new (&subscribers_class, connections,
      access);
  vhm_fleet_add_listener (fleet, &listener, stream);
  return stream;
}

void
vhm_picture_stream_free (VhmPictureStream * stream)
{
  vhm_subscribers_free (stream->subscribers);
  g_free (stream);
}

void
vhm_picture_stream_add (VhmPictureStream * stream,
    SoupServerMessage * message, GHashTable * query)
{
  static const gchar *const widths[] = { VHM_PICTURE_WIDTHS, NULL };
  guint64 seconds;
  Client *client;
  guint size;

  if (!vhm_query_get_word (message, query, "width", widths, VHM_PICTURE_480,
          &size)
      || !vhm_query_get_number (message, query, "interval", 1,
          MAX_INTERVAL_SECONDS, 1, &seconds))
    return;
  client = g_new0 (Client, 1);
  client->stream = stream;
  client->names = vhm_query_get_names (query, "cameras");
  client->size = size;
  client->interval = seconds * G_TIME_SPAN_SECOND;
  client->shown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  client->wrote = g_get_monotonic_time ();
  if (vhm_subscribers_add (stream->subscribers, message, &client->base))
    serve_client (client, client->wrote);
}

void
vhm_picture_stream_check_sessions (VhmPictureStream * stream)
{
  vhm_subscribers_check_sessions (stream->subscribers);
}
