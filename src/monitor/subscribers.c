/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subscribers.h"

#include "answer.h"

/* Time for a client to read what it was sent before its session ended, µs */
#define MAX_END_TIME G_TIME_SPAN_SECOND

struct _VhmSubscribers
{
  const VhmSubscribersClass *klass;
  VhmConnections *connections;
  const VhmAccess *access;
  GPtrArray *all;               /* of VhmSubscriber */
  gsize unread;                 /* bytes, by all of them */
};

static void
subscriber_free (VhmSubscriber * s)
{
  s->owner->unread -= s->unread;
  g_ptr_array_remove (s->owner->all, s);
  g_signal_handler_disconnect (s->message, s->finished);
  g_signal_handler_disconnect (s->message, s->wrote);
  g_object_unref (s->message);
  g_free (s->peer);
  g_free (s->session);
  s->owner->klass->free (s);
}

static void
on_finished (G_GNUC_UNUSED SoupServerMessage * message, gpointer data)
{
  subscriber_free (data);
}

static void
on_wrote (G_GNUC_UNUSED SoupServerMessage * message, guint size, gpointer data)
{
  VhmSubscriber *s = data;
  const gsize read = MIN (s->unread, size);

  s->unread -= read;
  s->owner->unread -= read;
  if (s->owner->klass->wrote)
    s->owner->klass->wrote (s);
}

VhmSubscribers *
vhm_subscribers_new (const VhmSubscribersClass * klass,
    VhmConnections * connections, const VhmAccess * access)
{
  VhmSubscribers *subscribers = g_new0 (VhmSubscribers, 1);

  subscribers->klass = klass;
  subscribers->connections = connections;
  subscribers->access = access;
  subscribers->all = g_ptr_array_new ();
  return subscribers;
}

void
vhm_subscribers_free (VhmSubscribers * subscribers)
{
  while (subscribers->all->len)
    subscriber_free (g_ptr_array_index (subscribers->all, 0));
  g_ptr_array_unref (subscribers->all);
  g_free (subscribers);
}

const GPtrArray *
vhm_subscribers_get_all (const VhmSubscribers * subscribers)
{
  return subscribers->all;
}

gsize
vhm_subscribers_get_unread (const VhmSubscribers * subscribers)
{
  return subscribers->unread;
}

/* Counts the clients of @peer, or all if it is NULL, that are not dropped. */
static guint
count_clients (const VhmSubscribers * subscribers, const gchar * peer)
{
  guint n = 0, i;

  for (i = 0; i < subscribers->all->len; i++) {
    const VhmSubscriber *s = g_ptr_array_index (subscribers->all, i);

    n += !s->dropped && (!peer || g_str_equal (s->peer, peer));
  }
  return n;
}

/* Makes room for a client of @peer if necessary: drops the oldest client of the
 * peer that has most clients, if it has more than @peer would have. */
static gboolean
make_room (VhmSubscribers * subscribers, const gchar * peer)
{
  guint most = count_clients (subscribers, peer) + 1, i;
  VhmSubscriber *oldest = NULL;

  if (count_clients (subscribers, NULL) < subscribers->klass->max)
    return TRUE;
  for (i = 0; i < subscribers->all->len; i++) {
    VhmSubscriber *s = g_ptr_array_index (subscribers->all, i);
    const guint n = count_clients (subscribers, s->peer);

    if (!s->dropped && n > most) {
      most = n;
      oldest = s;
    }
  }
  if (oldest)
    vhm_subscriber_drop (oldest);
  return oldest != NULL;
}

static void
begin_answer (const VhmSubscribers * subscribers, SoupServerMessage * message)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);

  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_content_type (headers, subscribers->klass->type,
      NULL);
  /* HTTP/1.0 has no chunks: closing the connection ends the answer. */
  soup_message_headers_set_encoding (headers,
      soup_server_message_get_http_version (message) == SOUP_HTTP_1_0 ?
      SOUP_ENCODING_EOF : SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate (soup_server_message_get_response_body
      (message), FALSE);
  vhm_connections_keep (subscribers->connections, message);
}

gboolean
vhm_subscribers_add (VhmSubscribers * subscribers, SoupServerMessage * message,
    VhmSubscriber * subscriber)
{
  const gchar *peer = vhm_connections_get_peer (message);
  gchar *why;

  if (!make_room (subscribers, peer)) {
    why = g_strdup_printf ("Too many clients are connected to %s: retry "
        "later.", subscribers->klass->path);
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE, why);
    g_free (why);
    subscribers->klass->free (subscriber);
    return FALSE;
  }
  begin_answer (subscribers, message);
  subscriber->owner = subscribers;
  subscriber->message = g_object_ref (message);
  subscriber->peer = g_strdup (peer);
  subscriber->session = vhm_access_get_session (subscribers->access, message);
  subscriber->finished = g_signal_connect (message, "finished",
      G_CALLBACK (on_finished), subscriber);
  subscriber->wrote = g_signal_connect (message, "wrote-body-data",
      G_CALLBACK (on_wrote), subscriber);
  g_ptr_array_add (subscribers->all, subscriber);
  return TRUE;
}

/* Ends the answer properly, so that browsers do not report an error. */
static void
say_goodbye (VhmSubscriber * s)
{
  s->over = g_get_monotonic_time ();
  soup_message_body_complete (soup_server_message_get_response_body
      (s->message));
  soup_server_message_unpause (s->message);
}

void
vhm_subscribers_check_sessions (VhmSubscribers * subscribers)
{
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < subscribers->all->len; i++) {
    VhmSubscriber *s = g_ptr_array_index (subscribers->all, i);

    if (!s->session || s->dropped
        || vhm_access_is_session (subscribers->access, s->session))
      continue;
    if (!s->over)
      say_goodbye (s);
    else if (now - s->over >= MAX_END_TIME)
      vhm_subscriber_drop (s);
  }
}

void
vhm_subscriber_send (VhmSubscriber * s, gconstpointer data, gsize length)
{
  if (s->over)
    return;
  s->unread += length;
  s->owner->unread += length;
  soup_message_body_append (soup_server_message_get_response_body (s->message),
      SOUP_MEMORY_COPY, data, length);
  soup_server_message_unpause (s->message);
}

void
vhm_subscriber_drop (VhmSubscriber * s)
{
  s->dropped = TRUE;
  vhm_connections_drop (s->owner->connections, s->message);
}
