/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "connections.h"

#include "acceptor.h"
#include "connection.h"
#include "handshakes.h"
#include "peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* Maximum numbers of connections and, counted separately, of TLS
 * handshakes. Neither may exceed the process's limit of open files divided
 * by FILES_PER_CONNECTION. Beyond a limit, the client with the most of them
 * loses one. */
#define MAX_CONNECTIONS 256
#define MAX_HANDSHAKES 1024
#define FILES_PER_CONNECTION 4

/* Maximum for a single client, so that there is always room for others. */
#define MAX_HANDSHAKES_OF_PEER(max) ((max) / 4 * 3)

#define MAX_REQUESTS 1000

/* Send buffer of a socket, in bytes. The kernel uses twice as much memory for
 * it. */
#define SEND_BUFFER_BYTES (128 * 1024)

/* Bytes of an endless answer that the kernel may hold before it sends them. */
#define MAX_UNSENT_BYTES (16 * 1024)

struct _VhmConnections
{
  VhmConnectionsBase base;
  VhmAcceptor *acceptor;
  VhmHandshakes *handshakes;    /* NULL without TLS */
  guint max_connections, max_handshakes;
  guint n_handshakes;           /* how many of the open ones are in a
                                 * handshake */
  guint sweep;
};

static void
on_request_read (G_GNUC_UNUSED SoupServer * server, SoupServerMessage * message,
    G_GNUC_UNUSED gpointer data)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (connection)
    vhm_connection_set_state (connection, VHM_CONNECTION_ANSWER,
        VHM_MAX_ANSWER_TIME);
}

static void
on_request_finished (G_GNUC_UNUSED SoupServer * server,
    SoupServerMessage * message, G_GNUC_UNUSED gpointer data)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (connection)
    connection->answered = TRUE;
}

static gboolean
check_deadlines (gpointer data)
{
  VhmConnections *connections = data;
  const gint64 now = g_get_monotonic_time ();
  GList *l;

  for (l = connections->base.open.head; l; l = l->next) {
    VhmConnection *connection = l->data;

    if (now > connection->deadline)
      vhm_connection_end (connection);
  }
  return G_SOURCE_CONTINUE;
}

/* New connections */

/* Kinds of connections that may be ended to make room */
typedef enum
{
  GOES_HANDSHAKE,
  GOES_IDLE,                    /* the client sends nothing */
  GOES_UNREAD                   /* the client has not read its answer yet */
} Goes;

static gboolean
may_go (const VhmConnection * connection, Goes what)
{
  if (connection->deadline == G_MAXINT64)
    return FALSE;
  if (connection->handshake)
    return what == GOES_HANDSHAKE
        && vhm_handshake_is_silent (connection->handshake);
  return what == (connection->state == VHM_CONNECTION_ANSWER ? GOES_UNREAD
      : GOES_IDLE);
}

/* Counts the connections of kind @what, per client. */
static GHashTable *
count_per_peer (VhmConnections * connections, Goes what)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);
  GList *l;

  for (l = connections->base.open.head; l; l = l->next) {
    const VhmConnection *connection = l->data;
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts,
            connection->peer));

    if (may_go (connection, what))
      g_hash_table_insert (counts, connection->peer, GUINT_TO_POINTER (n + 1));
  }
  return counts;
}

/* Ends one connection of kind @what: of @peer or, if that is NULL, of the
 * client that has most of them, but only if that client has more than @least.
 * Of its connections, ends the one that has been in its state for the longest
 * time. */
static gboolean
end_one (VhmConnections * connections, Goes what, const gchar * peer,
    guint least)
{
  GHashTable *counts = count_per_peer (connections, what);
  VhmConnection *found = NULL;
  guint most = least;
  GList *l;

  for (l = connections->base.open.head; l; l = l->next) {
    VhmConnection *connection = l->data;
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts,
            connection->peer));

    if (may_go (connection, what)
        && (!peer || g_str_equal (connection->peer, peer))
        && (n > most || (found && n == most
                && connection->since < found->since))) {
      found = connection;
      most = n;
    }
  }
  if (found)
    vhm_connection_end (found);
  g_hash_table_unref (counts);
  return found != NULL;
}

/* Whether there is room for one more connection, after ending one if necessary.
 * An ended connection still counts until the main loop has freed it. A
 * connection with an unread answer is only ended if its client has more than
 * half of all connections. */
static gboolean
make_room (VhmConnections * connections)
{
  const guint n = connections->base.open.length - connections->n_handshakes;
  const guint max = connections->max_connections;

  return n < max || ((end_one (connections, GOES_IDLE, NULL, 0)
          || end_one (connections, GOES_UNREAD, NULL, max / 2))
      && n < 2 * max);
}

/* Likewise for a handshake with @peer. */
static gboolean
make_room_for_handshake (VhmConnections * connections, const gchar * peer)
{
  const guint n = connections->n_handshakes;
  const guint max = connections->max_handshakes;
  const guint of_peer = vhm_handshakes_count (connections->handshakes, peer);

  if (of_peer >= MAX_HANDSHAKES_OF_PEER (max))
    return end_one (connections, GOES_HANDSHAKE, peer, 0) && of_peer < max;
  return n < max || (end_one (connections, GOES_HANDSHAKE, NULL, 0)
      && n < 2 * max);
}

static void
on_crowded (gpointer data)
{
  if (!end_one (data, GOES_HANDSHAKE, NULL, 0))
    end_one (data, GOES_IDLE, NULL, 0);
}

static void
on_handshaken (gpointer data, GIOStream * stream)
{
  VhmConnection *connection = data;
  VhmConnections *connections = (VhmConnections *) connection->owner;
  /* Before handshake is cleared, so that make_room() cannot end this one. */
  const gboolean stays = stream && make_room (connections);

  connection->handshake = NULL;
  connections->n_handshakes--;
  if (stays) {
    connection->stream = g_object_ref (stream);
    vhm_connection_begin (connection);
  } else
    vhm_connection_free (connection);
}

static void
on_accepted (gpointer data, GSocket * socket)
{
  GSocketAddress *address = g_socket_get_remote_address (socket, NULL);
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  gchar *peer = vhm_peer_name (address);
  VhmConnections *connections = data;
  VhmConnection *connection;

  if (!local || !address || !(connections->handshakes ?
          make_room_for_handshake (connections, peer) :
          make_room (connections))) {
    g_clear_object (&local);
    g_clear_object (&address);
    g_free (peer);
    return;
  }
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER_BYTES, NULL);
  connection = vhm_connection_new (&connections->base, socket, local, address,
      peer);
  if (connections->handshakes) {
    vhm_connection_set_state (connection, VHM_CONNECTION_HANDSHAKE,
        VHM_MAX_REQUEST_TIME);
    connections->n_handshakes++;
    connection->handshake = vhm_handshakes_add (connections->handshakes,
        socket, peer, on_handshaken, connection);
  } else {
    connection->stream = G_IO_STREAM (g_object_ref (connection->base));
    vhm_connection_begin (connection);
  }
}

/* @max, or less if the process may open few files: cameras need files too. */
static guint
limit_by_files (guint max)
{
  struct rlimit files;

  if (getrlimit (RLIMIT_NOFILE, &files) || files.rlim_cur == RLIM_INFINITY)
    return max;
  return MIN (max, files.rlim_cur / FILES_PER_CONNECTION);
}

static gboolean
read_certificate (VhmConnections * connections,
    const VhmHttpSettings * settings, GError ** error)
{
  VhmTlsCredentials *credentials;

  if (!settings->certificate)
    return TRUE;
  credentials = vhm_tls_credentials_new (settings->certificate, settings->key,
      error);
  if (!credentials) {
    g_prefix_error (error, "certificate %s with key %s: ",
        settings->certificate, settings->key);
    return FALSE;
  }
  connections->handshakes = vhm_handshakes_new (credentials);
  return TRUE;
}

VhmConnections *
vhm_connections_new (SoupServer * server, VhmRefuse refuse,
    const VhmHttpSettings * settings, GError ** error)
{
  VhmConnections *connections = g_new0 (VhmConnections, 1);

  g_queue_init (&connections->base.open);
  connections->base.server = server;
  connections->base.refuse = refuse;
  connections->max_connections = limit_by_files (MAX_CONNECTIONS);
  connections->max_handshakes = limit_by_files (MAX_HANDSHAKES);
  g_signal_connect (server, "request-read", G_CALLBACK (on_request_read),
      NULL);
  g_signal_connect (server, "request-finished",
      G_CALLBACK (on_request_finished), NULL);
  connections->sweep = g_timeout_add_seconds (1, check_deadlines, connections);
  if (read_certificate (connections, settings, error)) {
    connections->acceptor = vhm_acceptor_new (settings, MAX_HANDSHAKES,
        on_accepted, on_crowded, connections, error);
    if (connections->acceptor)
      return connections;
    g_prefix_error (error, "%s:%u: ", settings->host, settings->port);
  }
  vhm_connections_free (connections);
  return NULL;
}

void
vhm_connections_free (VhmConnections * connections)
{
  g_source_remove (connections->sweep);
  g_clear_pointer (&connections->acceptor, vhm_acceptor_free);
  g_clear_pointer (&connections->handshakes, vhm_handshakes_free);
  while (connections->base.open.head)
    vhm_connection_free (connections->base.open.head->data);
  g_free (connections);
}

guint16
vhm_connections_get_port (const VhmConnections * connections)
{
  return vhm_acceptor_get_port (connections->acceptor);
}

/* Functions for other modules */

void
vhm_connections_accept (SoupServerMessage * message)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (connection && connection->exchange)
    vhm_exchange_accept (connection->exchange);
}

const gchar *
vhm_connections_get_peer (SoupServerMessage * message)
{
  const VhmConnection *connection = vhm_connection_find (message);

  return connection ? connection->peer : "";
}

gboolean
vhm_connections_is_there (SoupServerMessage * message)
{
  const VhmConnection *connection = vhm_connection_find (message);

  return connection && !vhm_peer_has_gone (connection->socket);
}

void
vhm_connections_offer_to_stay (SoupServerMessage * message)
{
  SoupMessageHeaders *request =
      soup_server_message_get_request_headers (message);
  VhmConnection *connection = vhm_connection_find (message);
  gchar *timeout;

  if (!connection || connection->requests >= MAX_REQUESTS
      || soup_server_message_get_http_version (message) != SOUP_HTTP_1_1
      || soup_message_headers_header_contains (request, "Connection", "close")
      || soup_message_headers_get_encoding (request) != SOUP_ENCODING_NONE)
    return;
  connection->stays = TRUE;
  timeout = g_strdup_printf ("timeout=%d",
      (gint) (VHM_MAX_IDLE_TIME / G_TIME_SPAN_SECOND));
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Connection", "keep-alive");
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Keep-Alive", timeout);
  g_free (timeout);
}

void
vhm_connections_answer_now (SoupServerMessage * message)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (!connection || !connection->exchange)
    return;
  vhm_connection_part_with (connection,
      soup_server_message_get_status (message),
      soup_server_message_get_response_headers (message),
      soup_message_body_flatten (soup_server_message_get_response_body
          (message)));
  vhm_exchange_cut (connection->exchange);
}

void
vhm_connections_keep (G_GNUC_UNUSED VhmConnections * connections,
    SoupServerMessage * message)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (!connection)
    return;
  connection->deadline = G_MAXINT64;
  /* What the kernel still holds when something newer comes is out of date. */
  g_socket_set_option (connection->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT,
      MAX_UNSENT_BYTES, NULL);
}

void
vhm_connections_allow (SoupServerMessage * message, gint64 time)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (connection)
    connection->deadline = g_get_monotonic_time () + time;
}

void
vhm_connections_drop (G_GNUC_UNUSED VhmConnections * connections,
    SoupServerMessage * message)
{
  VhmConnection *connection = vhm_connection_find (message);

  if (connection)
    vhm_connection_end (connection);
}
