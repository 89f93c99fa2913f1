/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "handshakes.h"

#include "mainthread.h"
#include "peer.h"

#include <string.h>
#include <sys/socket.h>

/* Threads for the computations of handshakes. A few are enough, because no step
 * of a handshake blocks, and cameras need the processors too. */
#define N_THREADS 2

/* Time limit of a handshake, from the connection on; s and µs */
#define MAX_HANDSHAKE_SECONDS 5
#define MAX_HANDSHAKE_TIME (MAX_HANDSHAKE_SECONDS * G_TIME_SPAN_SECOND)

/* Interval between checks of the deadlines */
#define CHECK_INTERVAL_MS 50

/* The first message: a TLS record with the ClientHello */
#define HEADER_BYTES 5
#define RECORD_HANDSHAKE 22
#define MAX_RECORD_BYTES (1 << 14)

typedef enum
{
  STATE_SILENT,                 /* waits for the client */
  STATE_READY,                  /* waits for a thread */
  STATE_WORKING                 /* a thread works on it */
} State;

struct _VhmHandshake
{
  VhmHandshakes *owner;         /* NULL after it was freed */
  gchar *peer;
  GSocket *socket;
  VhmTls *tls;                  /* NULL until the first message is complete */
  GIOCondition wanted;          /* last result of vhm_tls_handshake() */
  State state;
  gboolean answered;            /* the client sent a second message */
  gint64 deadline;              /* monotonic µs */
  GSource *source;              /* in STATE_SILENT */
  VhmHandshaken done;
  gpointer data;
};

struct _VhmHandshakes
{
  VhmTlsCredentials *credentials;
  GQueue all;                   /* of VhmHandshake, the newest last */
  GQueue ready;                 /* of VhmHandshake in STATE_READY */
  GHashTable *counts;           /* name of a client -> number of handshakes */
  gboolean in_order;            /* a thread last took the oldest one */
  guint working;
  guint timer;
  GAsyncQueue *work;            /* of VhmHandshake; no_work ends a thread */
  GThread *threads[N_THREADS];
};

static VhmHandshake no_work;

static void
stop_waiting (VhmHandshake * h)
{
  if (h->source) {
    g_source_destroy (h->source);
    g_clear_pointer (&h->source, g_source_unref);
  }
}

static void
handshake_free (VhmHandshake * h)
{
  stop_waiting (h);
  g_clear_object (&h->tls);
  g_object_unref (h->socket);
  g_free (h->peer);
  g_free (h);
}

guint
vhm_handshakes_count (VhmHandshakes * handshakes, const gchar * peer)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (handshakes->counts, peer));
}

static void
set_count (VhmHandshakes * handshakes, const gchar * peer, guint count)
{
  if (count)
    g_hash_table_insert (handshakes->counts, g_strdup (peer),
        GUINT_TO_POINTER (count));
  else
    g_hash_table_remove (handshakes->counts, peer);
}

static void
finish_handshake (VhmHandshake * h, gboolean ok)
{
  set_count (h->owner, h->peer, vhm_handshakes_count (h->owner, h->peer) - 1);
  g_queue_remove (&h->owner->all, h);
  h->done (h->data, ok ? G_IO_STREAM (h->tls) : NULL);
  handshake_free (h);
}

/* Calls @function once the socket is ready or closed. */
static void
wait_for (VhmHandshake * h, GIOCondition condition, GSocketSourceFunc function)
{
  h->state = STATE_SILENT;
  h->source = g_socket_create_source (h->socket, condition, NULL);
  g_source_set_callback (h->source, G_SOURCE_FUNC (function), h, NULL);
  g_source_attach (h->source, NULL);
}

/* Threads */

static void on_worked (gpointer object, gpointer contents);

static gpointer
handshake_thread (gpointer data)
{
  GAsyncQueue *queue = data;
  VhmHandshake *h;

  while ((h = g_async_queue_pop (queue)) != &no_work) {
    h->wanted = vhm_tls_handshake (h->tls);
    vhm_main_thread_call (on_worked, h, NULL, NULL, NULL);
  }
  g_async_queue_unref (queue);
  return NULL;
}

/* Chooses the next handshake for a thread: first one whose client has answered,
 * since a flood consists of first messages only. Otherwise alternates between
 * the oldest handshake and the oldest one of the client that has fewest. */
static VhmHandshake *
take_ready (VhmHandshakes * handshakes)
{
  GList *best = handshakes->ready.head, *l;
  guint least = G_MAXUINT;
  VhmHandshake *h;

  if (!best)
    return NULL;
  handshakes->in_order = !handshakes->in_order;
  if (!((VhmHandshake *) best->data)->answered && !handshakes->in_order)
    for (l = best; l; l = l->next) {
      const guint n = vhm_handshakes_count (handshakes,
          ((VhmHandshake *) l->data)->peer);

      if (n < least) {
        least = n;
        best = l;
      }
    }
  h = best->data;
  g_queue_delete_link (&handshakes->ready, best);
  return h;
}

/* Gives free threads to waiting handshakes, except those whose clients have
 * disconnected meanwhile. */
static void
start_handshakes (VhmHandshakes * handshakes)
{
  VhmHandshake *h;

  while (handshakes->working < N_THREADS
      && (h = take_ready (handshakes))) {
    if (vhm_peer_has_gone (h->socket)) {
      finish_handshake (h, FALSE);
      continue;
    }
    h->state = STATE_WORKING;
    handshakes->working++;
    g_async_queue_push (handshakes->work, h);
  }
}

static void
make_ready (VhmHandshake * h)
{
  VhmHandshakes *handshakes = h->owner;

  stop_waiting (h);
  h->state = STATE_READY;
  if (h->answered)
    g_queue_push_head (&handshakes->ready, h);
  else
    g_queue_push_tail (&handshakes->ready, h);
  start_handshakes (handshakes);
}

static gboolean
on_answer (G_GNUC_UNUSED GSocket * socket, G_GNUC_UNUSED GIOCondition condition,
    gpointer data)
{
  VhmHandshake *h = data;

  h->answered = TRUE;
  make_ready (h);
  return G_SOURCE_REMOVE;
}

static void
on_worked (gpointer object, G_GNUC_UNUSED gpointer contents)
{
  VhmHandshake *h = object;
  VhmHandshakes *handshakes = h->owner;

  if (!handshakes) {
    handshake_free (h);
    return;
  }
  handshakes->working--;
  if (h->wanted && h->wanted != G_IO_ERR)
    wait_for (h, h->wanted, on_answer);
  else
    finish_handshake (h, !h->wanted);
  start_handshakes (handshakes);
}

/* Shuts down the sockets of late handshakes. Silent ones and those in a thread
 * notice at once; those that wait for a thread, when they get one. */
static gboolean
on_timer (gpointer data)
{
  VhmHandshakes *handshakes = data;
  const gint64 now = g_get_monotonic_time ();
  GList *l;

  for (l = handshakes->all.head; l; l = l->next) {
    VhmHandshake *h = l->data;

    if (now > h->deadline)
      g_socket_shutdown (h->socket, TRUE, TRUE, NULL);
  }
  if (handshakes->all.head)
    return G_SOURCE_CONTINUE;
  handshakes->timer = 0;
  return G_SOURCE_REMOVE;
}

/* The first message */

/* The number of bytes to wait for: the header first, then the whole record.
 * 0 if this is not TLS. */
static guint
count_wanted (const guint8 * text, gssize length)
{
  guint record;

  if (length < HEADER_BYTES)
    return HEADER_BYTES;
  record = text[3] << 8 | text[4];
  return text[0] == RECORD_HANDSHAKE && text[1] == 3 && record > 0
      && record <= MAX_RECORD_BYTES ? HEADER_BYTES + record : 0;
}

/* Makes the socket readable only once @bytes have arrived, or it is closed.
 * Otherwise, a slow client would wake the main loop for every byte. */
static void
wait_for_bytes (VhmHandshake * h, guint bytes)
{
  g_socket_set_option (h->socket, SOL_SOCKET, SO_RCVLOWAT, bytes, NULL);
}

static gboolean
on_readable (GSocket * socket, G_GNUC_UNUSED GIOCondition condition,
    gpointer data)
{
  guint8 text[HEADER_BYTES + MAX_RECORD_BYTES];
  VhmHandshake *h = data;
  const gssize length = recv (g_socket_get_fd (socket), text, sizeof (text),
      MSG_PEEK | MSG_DONTWAIT);
  const guint wanted = count_wanted (text, length);
  gint before = 0;

  if (wanted && length >= (gssize) wanted) {
    wait_for_bytes (h, 1);
    h->tls = vhm_tls_new (h->owner->credentials, socket);
    make_ready (h);
    return G_SOURCE_REMOVE;
  }
  g_socket_get_option (socket, SOL_SOCKET, SO_RCVLOWAT, &before, NULL);
  if (wanted > (guint) before) {
    wait_for_bytes (h, wanted);
    return G_SOURCE_CONTINUE;
  }
  /* The client has disconnected, or this is not TLS. */
  finish_handshake (h, FALSE);
  return G_SOURCE_REMOVE;
}

VhmHandshake *
vhm_handshakes_add (VhmHandshakes * handshakes, GSocket * socket,
    const gchar * peer, VhmHandshaken done, gpointer data)
{
  VhmHandshake *h = g_new0 (VhmHandshake, 1);

  h->owner = handshakes;
  h->peer = g_strdup (peer);
  h->socket = g_object_ref (socket);
  h->done = done;
  h->data = data;
  h->deadline = g_get_monotonic_time () + MAX_HANDSHAKE_TIME;
  wait_for_bytes (h, HEADER_BYTES);
  wait_for (h, G_IO_IN, on_readable);
  g_queue_push_tail (&handshakes->all, h);
  set_count (handshakes, peer, vhm_handshakes_count (handshakes, peer) + 1);
  if (!handshakes->timer)
    handshakes->timer = g_timeout_add (CHECK_INTERVAL_MS, on_timer, handshakes);
  return h;
}

gboolean
vhm_handshake_is_silent (const VhmHandshake * handshake)
{
  return handshake->state == STATE_SILENT;
}

VhmHandshakes *
vhm_handshakes_new (VhmTlsCredentials * credentials)
{
  VhmHandshakes *handshakes = g_new0 (VhmHandshakes, 1);
  guint i;

  g_queue_init (&handshakes->all);
  g_queue_init (&handshakes->ready);
  handshakes->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  handshakes->credentials = credentials;
  handshakes->work = g_async_queue_new ();
  for (i = 0; i < N_THREADS; i++)
    handshakes->threads[i] = g_thread_new ("handshakes", handshake_thread,
        g_async_queue_ref (handshakes->work));
  return handshakes;
}

void
vhm_handshakes_free (VhmHandshakes * handshakes)
{
  VhmHandshake *h;
  guint i;

  for (i = 0; i < N_THREADS; i++)
    g_async_queue_push (handshakes->work, &no_work);
  for (i = 0; i < N_THREADS; i++)
    g_thread_join (handshakes->threads[i]);
  g_async_queue_unref (handshakes->work);
  if (handshakes->timer)
    g_source_remove (handshakes->timer);
  g_queue_clear (&handshakes->ready);
  while ((h = g_queue_pop_head (&handshakes->all))) {
    h->owner = NULL;
    /* on_worked() frees those that were in a thread, if the main loop still
     * runs. */
    if (h->state != STATE_WORKING)
      handshake_free (h);
  }
  g_hash_table_unref (handshakes->counts);
  vhm_tls_credentials_unref (handshakes->credentials);
  g_free (handshakes);
}
