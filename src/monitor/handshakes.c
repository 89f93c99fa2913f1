/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "handshakes.h"

#include "peer.h"

#include <string.h>
#include <sys/socket.h>

/* Handshakes at the same time: fewer than GTask has threads, which the resolver
 * and others need, too. */
#define MOST_AT_ONCE 6

/* What a handshake may take from the connection on, and what it may take of a
 * thread while others wait; µs. */
#define MOST_HANDSHAKE_SECONDS 5
#define MOST_TIME (MOST_HANDSHAKE_SECONDS * G_TIME_SPAN_SECOND)
#define MOST_TIME_OF_THREAD (G_TIME_SPAN_SECOND / 2)

#define LOOK_MS 50

/* Of the first message: a record of TLS with the ClientHello. */
#define HEADER_BYTES 5
#define RECORD_HANDSHAKE 22
#define MOST_RECORD_BYTES (1 << 14)

typedef enum
{
  STATE_SILENT,                 /* the first message has not come whole */
  STATE_READY,                  /* waits for a thread */
  STATE_RUNNING
} State;

typedef struct
{
  VhmHandshakes *owner;         /* NULL: it is gone, and nobody waits */
  GSocketConnection *connection;
  GSocket *socket;
  State state;
  gint64 since;                 /* monotonic µs: it is in this state */
  gint64 deadline;
  GSource *source;              /* while it is silent */
  VhmHandshaken done;
  gpointer data;
} Handshake;

struct _VhmHandshakes
{
  GTlsCertificate *certificate;
  GQueue all;                   /* of Handshake, the newest last */
  guint running;
  guint timer;
};

static void serve (VhmHandshakes * handshakes);

static void
stop_waiting (Handshake * h)
{
  if (h->source) {
    g_source_destroy (h->source);
    g_clear_pointer (&h->source, g_source_unref);
  }
}

static void
handshake_free (Handshake * h)
{
  stop_waiting (h);
  g_object_unref (h->connection);
  g_free (h);
}

/* Takes @stream. */
static void
finish (Handshake * h, GIOStream * stream)
{
  VhmHandshakes *handshakes = h->owner;

  if (handshakes) {
    g_queue_remove (&handshakes->all, h);
    h->done (h->data, stream);
  }
  g_clear_object (&stream);
  handshake_free (h);
}

static void
set_state (Handshake * h, State state)
{
  h->state = state;
  h->since = g_get_monotonic_time ();
}

/* Running */

static gboolean
is_secure (GIOStream * stream)
{
  return g_tls_connection_get_protocol_version (G_TLS_CONNECTION (stream))
      >= G_TLS_PROTOCOL_VERSION_TLS_1_2;
}

static void
on_handshaken (GObject * object, GAsyncResult * result, gpointer data)
{
  GIOStream *stream = G_IO_STREAM (object);
  Handshake *h = data;
  VhmHandshakes *handshakes = h->owner;
  const gboolean ok = g_tls_connection_handshake_finish (G_TLS_CONNECTION
      (stream), result, NULL) && is_secure (stream);

  if (handshakes)
    handshakes->running--;
  finish (h, ok ? g_object_ref (stream) : NULL);
  if (handshakes)
    serve (handshakes);
}

/* Clients have no certificates: without "database", each connection would read
 * those of all authorities of the system, which takes 4 MB and more time than
 * the handshake. Clients close without a goodbye, too. */
static GIOStream *
make_stream (Handshake * h)
{
  return g_initable_new (g_tls_backend_get_server_connection_type
      (g_tls_backend_get_default ()), NULL, NULL,
      "base-io-stream", h->connection, "certificate", h->owner->certificate,
      "database", NULL, "require-close-notify", FALSE, NULL);
}

static void
run (Handshake * h)
{
  /* A thread would be wasted on one that has gone while it waited. */
  GIOStream *stream = vhm_peer_has_gone (h->socket) ? NULL : make_stream (h);

  if (!stream) {
    finish (h, NULL);
    return;
  }
  set_state (h, STATE_RUNNING);
  h->owner->running++;
  g_tls_connection_handshake_async (G_TLS_CONNECTION (stream),
      G_PRIORITY_DEFAULT, NULL, on_handshaken, h);
  g_object_unref (stream);
}

/* The newest one that waits for a thread: the others have waited in vain for
 * longer, and whoever floods must not be first. */
static Handshake *
find_ready (VhmHandshakes * handshakes)
{
  GList *l;

  for (l = handshakes->all.tail; l; l = l->prev)
    if (((Handshake *) l->data)->state == STATE_READY)
      return l->data;
  return NULL;
}

/* The oldest one goes, once it has had its time. */
static void
end_oldest (VhmHandshakes * handshakes)
{
  Handshake *oldest = NULL;
  GList *l;

  for (l = handshakes->all.head; l; l = l->next) {
    Handshake *h = l->data;

    if (h->state == STATE_RUNNING && (!oldest || h->since < oldest->since))
      oldest = h;
  }
  if (oldest
      && g_get_monotonic_time () - oldest->since > MOST_TIME_OF_THREAD)
    g_socket_shutdown (oldest->socket, TRUE, TRUE, NULL);
}

/* Deadlines. Shut down, a silent one and a running one notice it; one that
 * waits for a thread has nothing to notice it by. */
static void
end_late (VhmHandshakes * handshakes)
{
  const gint64 now = g_get_monotonic_time ();
  GList *l, *next;

  for (l = handshakes->all.head; l; l = next) {
    Handshake *h = l->data;

    next = l->next;
    if (now <= h->deadline)
      continue;
    if (h->state == STATE_READY)
      finish (h, NULL);
    else
      g_socket_shutdown (h->socket, TRUE, TRUE, NULL);
  }
}

static gboolean
on_timer (gpointer data)
{
  VhmHandshakes *handshakes = data;

  end_late (handshakes);
  if (find_ready (handshakes) && handshakes->running == MOST_AT_ONCE)
    end_oldest (handshakes);
  if (handshakes->all.head)
    return G_SOURCE_CONTINUE;
  handshakes->timer = 0;
  return G_SOURCE_REMOVE;
}

/* Gives threads to those that wait for one. */
static void
serve (VhmHandshakes * handshakes)
{
  Handshake *h;

  while (handshakes->running < MOST_AT_ONCE
      && (h = find_ready (handshakes)))
    run (h);
}

/* The first message */

/* The bytes that must be there before more can be said: those of the header,
 * then all. 0: it is not TLS. */
static guint
count_wanted (const guint8 * text, gssize length)
{
  guint record;

  if (length < HEADER_BYTES)
    return HEADER_BYTES;
  record = text[3] << 8 | text[4];
  return text[0] == RECORD_HANDSHAKE && text[1] == 3 && record > 0
      && record <= MOST_RECORD_BYTES ? HEADER_BYTES + record : 0;
}

/* The main loop turns for the socket once @bytes are there, or it ended: each
 * of the bytes of a slow client would cost a turn. */
static void
wait_for_bytes (Handshake * h, guint bytes)
{
  g_socket_set_option (h->socket, SOL_SOCKET, SO_RCVLOWAT, bytes, NULL);
}

static gboolean
on_readable (GSocket * socket, GIOCondition condition, gpointer data)
{
  guint8 text[HEADER_BYTES + MOST_RECORD_BYTES];
  Handshake *h = data;
  const gssize length = recv (g_socket_get_fd (socket), text, sizeof (text),
      MSG_PEEK | MSG_DONTWAIT);
  const guint wanted = count_wanted (text, length);
  gint before = 0;

  (void) condition;
  if (wanted && length >= (gssize) wanted) {
    stop_waiting (h);
    wait_for_bytes (h, 1);
    set_state (h, STATE_READY);
    serve (h->owner);
    return G_SOURCE_REMOVE;
  }
  g_socket_get_option (socket, SOL_SOCKET, SO_RCVLOWAT, &before, NULL);
  if (wanted > (guint) before) {
    wait_for_bytes (h, wanted);
    return G_SOURCE_CONTINUE;
  }
  /* It has ended, or it is something else. */
  finish (h, NULL);
  return G_SOURCE_REMOVE;
}

void
vhm_handshakes_add (VhmHandshakes * handshakes,
    GSocketConnection * connection, VhmHandshaken done, gpointer data)
{
  Handshake *h = g_new0 (Handshake, 1);

  h->owner = handshakes;
  h->connection = g_object_ref (connection);
  h->socket = g_socket_connection_get_socket (connection);
  h->done = done;
  h->data = data;
  set_state (h, STATE_SILENT);
  h->deadline = h->since + MOST_TIME;
  wait_for_bytes (h, HEADER_BYTES);
  h->source = g_socket_create_source (h->socket, G_IO_IN, NULL);
  g_source_set_callback (h->source, G_SOURCE_FUNC (on_readable), h, NULL);
  g_source_attach (h->source, NULL);
  g_queue_push_tail (&handshakes->all, h);
  if (!handshakes->timer)
    handshakes->timer = g_timeout_add (LOOK_MS, on_timer, handshakes);
}

VhmHandshakes *
vhm_handshakes_new (GTlsCertificate * certificate)
{
  VhmHandshakes *handshakes = g_new0 (VhmHandshakes, 1);

  g_queue_init (&handshakes->all);
  handshakes->certificate = g_object_ref (certificate);
  return handshakes;
}

void
vhm_handshakes_free (VhmHandshakes * handshakes)
{
  Handshake *h;

  if (handshakes->timer)
    g_source_remove (handshakes->timer);
  while ((h = g_queue_pop_head (&handshakes->all))) {
    h->owner = NULL;
    g_socket_shutdown (h->socket, TRUE, TRUE, NULL);
    /* The thread of a running one tells its end later, if at all. */
    if (h->state != STATE_RUNNING)
      handshake_free (h);
  }
  g_object_unref (handshakes->certificate);
  g_free (handshakes);
}
