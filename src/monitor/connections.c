/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "connections.h"

#include "acceptor.h"
#include "answer.h"
#include "exchange.h"
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

/* Time limits in µs: for a request to arrive, for its answer to be read, for
 * the next request on an idle connection, and for closing. */
#define MAX_REQUEST_TIME (20 * G_TIME_SPAN_SECOND)
#define MAX_ANSWER_TIME (60 * G_TIME_SPAN_SECOND)
#define MAX_IDLE_TIME (15 * G_TIME_SPAN_SECOND)
#define MAX_CLOSE_TIME (2 * G_TIME_SPAN_SECOND)

#define MAX_REQUESTS 1000

/* Limits of a request: bytes in total, including the longest body and what may
 * follow it; bytes of all headers, below libsoup's own limit; bytes of the
 * request line; number of other header lines, and bytes of each. */
#define MAX_REQUEST_BYTES (128 * 1024)
#define MAX_HEADERS_BYTES (60 * 1024)
#define MAX_FIRST_LINE_BYTES 8192
#define MAX_HEADERS 100
#define MAX_HEADER_BYTES 16384

/* Send buffer of a socket, in bytes. The kernel uses twice as much memory for
 * it. */
#define SEND_BUFFER_BYTES (128 * 1024)

/* Bytes of an endless answer that the kernel may hold before it sends them. */
#define MAX_UNSENT_BYTES (16 * 1024)

/* Maximum bytes to read and discard of a refused request, so that the client
 * gets to read the answer. */
#define MAX_DISCARDED_BYTES (256 * 1024)

typedef enum
{
  STATE_HANDSHAKE,
  STATE_REQUEST,                /* the request is arriving */
  STATE_ANSWER,                 /* the answer is made or sent */
  STATE_IDLE,                   /* waits for another request */
  STATE_GOODBYE                 /* everything is sent; waits for the client to
                                 * close */
} State;

typedef struct
{
  VhmConnections *owner;
  GSocketConnection *base;
  GSocket *socket;
  GIOStream *stream;            /* @base or its TLS stream; NULL until the
                                 * handshake is done */
  GSocketAddress *local;
  GSocketAddress *address;      /* of the peer: identifies it to libsoup */
  gchar *peer;
  VhmHandshake *handshake;      /* until it is done */
  State state;
  gint64 since;                 /* monotonic µs */
  gint64 deadline;              /* monotonic µs; G_MAXINT64: none */
  VhmExchange *exchange;        /* not owned; NULL if libsoup has no request */
  guint requests;
  gboolean stays;               /* stays open after the answer */
  gboolean answered;            /* the answer was sent completely */
  GBytes *rest;                 /* bytes of later requests, already read, or
                                 * NULL */
  GBytes *parting;              /* answer to a request that is not read further,
                                 * or NULL */
  gsize unwanted;               /* bytes of that request read and discarded */
  GSource *source;              /* in STATE_IDLE and STATE_GOODBYE */
} Connection;

struct _VhmConnections
{
  SoupServer *server;
  VhmRefuse refuse;
  VhmAcceptor *acceptor;
  VhmHandshakes *handshakes;    /* NULL without TLS */
  guint max_connections, max_handshakes;
  GQueue open;                  /* of Connection */
  guint n_handshakes;           /* how many of them are in a handshake */
  guint sweep;
};

static GQuark
connection_quark (void)
{
  return g_quark_from_static_string ("vhm-connection");
}

static Connection *
find_connection (SoupServerMessage * message)
{
  GSocketAddress *address = soup_server_message_get_remote_address (message);

  return address ? g_object_get_qdata (G_OBJECT (address),
      connection_quark ()) : NULL;
}

static void
set_state (Connection * connection, State state, gint64 time)
{
  connection->state = state;
  connection->since = g_get_monotonic_time ();
  connection->deadline = connection->since + time;
}

/* The end */

static void
stop_waiting (Connection * connection)
{
  if (connection->source) {
    g_source_destroy (connection->source);
    g_clear_pointer (&connection->source, g_source_unref);
  }
}

/* Closes the stream only if that cannot block: closing TLS writes some
 * bytes. */
static void
close_stream (Connection * connection)
{
  if (connection->stream
      && g_socket_condition_check (connection->socket, G_IO_OUT) == G_IO_OUT)
    g_io_stream_close (connection->stream, NULL, NULL);
  g_socket_close (connection->socket, NULL);
}

static void
connection_free (Connection * connection)
{
  stop_waiting (connection);
  if (connection->exchange)
    vhm_exchange_forget (connection->exchange);
  g_object_set_qdata (G_OBJECT (connection->address), connection_quark (),
      NULL);
  g_queue_remove (&connection->owner->open, connection);
  close_stream (connection);
  g_clear_object (&connection->stream);
  g_object_unref (connection->base);
  g_object_unref (connection->local);
  g_object_unref (connection->address);
  g_clear_pointer (&connection->rest, g_bytes_unref);
  g_clear_pointer (&connection->parting, g_bytes_unref);
  g_free (connection->peer);
  g_free (connection);
}

/* Shuts the socket down. The code that uses the connection notices, and frees
 * it. */
static void
end_connection (Connection * connection)
{
  connection->deadline = G_MAXINT64;
  connection->stays = FALSE;
  g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

/* Takes @source. */
static void
wait_for (Connection * connection, GSource * source, GSourceFunc function)
{
  connection->source = source;
  g_source_set_callback (source, function, connection, NULL);
  g_source_attach (source, NULL);
}

/* Discards what the client still sends. Closing a socket with unread bytes
 * resets the connection, and the client might lose the answer. */
static gboolean
on_unwanted (GSocket * socket, G_GNUC_UNUSED GIOCondition condition,
    gpointer data)
{
  Connection *connection = data;
  gchar buffer[16384];
  const gssize length = recv (g_socket_get_fd (socket), buffer,
      sizeof (buffer), MSG_DONTWAIT);

  connection->unwanted += MAX (length, 0);
  if (length > 0 && connection->unwanted < MAX_DISCARDED_BYTES)
    return G_SOURCE_CONTINUE;
  connection_free (connection);
  return G_SOURCE_REMOVE;
}

static void
say_goodbye (Connection * connection)
{
  GOutputStream *out = g_io_stream_get_output_stream (connection->stream);

  /* Nothing was written before, so the send buffer has room for this answer. */
  if (connection->parting)
    g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (out),
        g_bytes_get_data (connection->parting, NULL),
        g_bytes_get_size (connection->parting), NULL, NULL);
  if (VHM_IS_TLS (connection->stream))
    g_io_stream_close (connection->stream, NULL, NULL);
  g_socket_shutdown (connection->socket, FALSE, TRUE, NULL);
  set_state (connection, STATE_GOODBYE, MAX_CLOSE_TIME);
  wait_for (connection, g_socket_create_source (connection->socket, G_IO_IN,
          NULL), G_SOURCE_FUNC (on_unwanted));
}

/* Requests */

static void begin_request (Connection * connection);

static gboolean
on_next_request (G_GNUC_UNUSED GObject * stream, gpointer data)
{
  Connection *connection = data;
  gchar byte;

  g_clear_pointer (&connection->source, g_source_unref);
  /* With TLS, the stream may have data while the socket is empty. */
  if (recv (g_socket_get_fd (connection->socket), &byte, 1,
          MSG_PEEK | MSG_DONTWAIT) == 0)
    connection_free (connection);
  else
    begin_request (connection);
  return G_SOURCE_REMOVE;
}

static gboolean
on_rest (gpointer data)
{
  Connection *connection = data;

  g_clear_pointer (&connection->source, g_source_unref);
  begin_request (connection);
  return G_SOURCE_REMOVE;
}

/* Waits for the next request. If it was already read, it starts in the next
 * iteration of the main loop, because there may be many such requests. */
static void
await_request (Connection * connection)
{
  GInputStream *in = g_io_stream_get_input_stream (connection->stream);

  set_state (connection, STATE_IDLE, MAX_IDLE_TIME);
  if (connection->rest)
    wait_for (connection, g_timeout_source_new (0), on_rest);
  else
    wait_for (connection, g_pollable_input_stream_create_source
        (G_POLLABLE_INPUT_STREAM (in), NULL), G_SOURCE_FUNC (on_next_request));
}

/* Whether the client has sent more data, which will not be read. */
static gboolean
has_more (const Connection * connection)
{
  gchar byte;

  return connection->rest || recv (g_socket_get_fd (connection->socket), &byte,
      1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Called when libsoup is done with a request. */
static void
on_exchange_closed (gpointer data)
{
  Connection *connection = data;
  const gboolean whole = vhm_exchange_is_whole (connection->exchange,
      &connection->rest);

  connection->exchange = NULL;
  if (connection->stays && connection->answered && whole)
    await_request (connection);
  else if (connection->parting
      || (connection->answered && has_more (connection)))
    say_goodbye (connection);
  else
    connection_free (connection);
}

/* A complete answer with @headers and @body, as bytes to send. Takes @body. */
static GBytes *
format_answer (guint status, SoupMessageHeaders * headers, GBytes * body)
{
  GString *text = g_string_new (NULL);
  SoupMessageHeadersIter iter;
  const gchar *name, *value;

  g_string_append_printf (text, "HTTP/1.1 %u %s\r\n", status,
      vhm_answer_get_phrase (status));
  soup_message_headers_iter_init (&iter, headers);
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (g_ascii_strcasecmp (name, "Content-Length"))
      g_string_append_printf (text, "%s: %s\r\n", name, value);
  g_string_append_printf (text, "Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n",
      g_bytes_get_size (body));
  g_string_append_len (text, g_bytes_get_data (body, NULL),
      g_bytes_get_size (body));
  g_bytes_unref (body);
  return g_string_free_to_bytes (text);
}

static void
on_exchange_refused (gpointer data, guint status, const gchar * line)
{
  SoupMessageHeaders *headers =
      soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  Connection *connection = data;
  GBytes *body = connection->owner->refuse (status, line, headers);

  connection->parting = format_answer (status, headers, body);
  connection->stays = FALSE;
  soup_message_headers_unref (headers);
}

static void
begin_request (Connection * connection)
{
  static const VhmExchangeLimits limits = {
    MAX_REQUEST_BYTES, MAX_HEADERS_BYTES, MAX_FIRST_LINE_BYTES,
    MAX_HEADERS, MAX_HEADER_BYTES
  };
  static const VhmExchangeEvents events = {
    on_exchange_closed, on_exchange_refused
  };
  VhmExchange *exchange = vhm_exchange_new (connection->stream,
      connection->rest, &limits, &events, connection);

  g_clear_pointer (&connection->rest, g_bytes_unref);
  connection->exchange = exchange;
  connection->stays = FALSE;
  connection->answered = FALSE;
  connection->requests++;
  set_state (connection, STATE_REQUEST, MAX_REQUEST_TIME);
  /* The request may already be finished when this returns. */
  soup_server_accept_iostream (connection->owner->server,
      G_IO_STREAM (exchange), connection->local, connection->address, NULL);
  g_object_unref (exchange);
}

static void
on_request_read (G_GNUC_UNUSED SoupServer * server, SoupServerMessage * message,
    G_GNUC_UNUSED gpointer data)
{
  Connection *connection = find_connection (message);

  if (connection)
    set_state (connection, STATE_ANSWER, MAX_ANSWER_TIME);
}

static void
on_request_finished (G_GNUC_UNUSED SoupServer * server,
    SoupServerMessage * message, G_GNUC_UNUSED gpointer data)
{
  Connection *connection = find_connection (message);

  if (connection)
    connection->answered = TRUE;
}

static gboolean
check_deadlines (gpointer data)
{
  VhmConnections *connections = data;
  const gint64 now = g_get_monotonic_time ();
  GList *l;

  for (l = connections->open.head; l; l = l->next) {
    Connection *connection = l->data;

    if (now > connection->deadline)
      end_connection (connection);
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
may_go (const Connection * connection, Goes what)
{
  if (connection->deadline == G_MAXINT64)
    return FALSE;
  if (connection->handshake)
    return what == GOES_HANDSHAKE
        && vhm_handshake_is_silent (connection->handshake);
  return what == (connection->state == STATE_ANSWER ? GOES_UNREAD : GOES_IDLE);
}

/* Counts the connections of kind @what, per client. */
static GHashTable *
count_per_peer (VhmConnections * connections, Goes what)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);
  GList *l;

  for (l = connections->open.head; l; l = l->next) {
    const Connection *connection = l->data;
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
  Connection *found = NULL;
  guint most = least;
  GList *l;

  for (l = connections->open.head; l; l = l->next) {
    Connection *connection = l->data;
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
    end_connection (found);
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
  const guint n = connections->open.length - connections->n_handshakes;
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
  Connection *connection = data;
  /* Before handshake is cleared, so that make_room() cannot end this one. */
  const gboolean stays = stream && make_room (connection->owner);

  connection->handshake = NULL;
  connection->owner->n_handshakes--;
  if (stays) {
    connection->stream = g_object_ref (stream);
    begin_request (connection);
  } else
    connection_free (connection);
}

static void
on_accepted (gpointer data, GSocket * socket)
{
  GSocketAddress *address = g_socket_get_remote_address (socket, NULL);
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  gchar *peer = vhm_peer_name (address);
  VhmConnections *connections = data;
  Connection *connection;

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
  connection = g_new0 (Connection, 1);
  connection->owner = connections;
  connection->base = g_socket_connection_factory_create_connection (socket);
  connection->socket = socket;
  connection->local = local;
  connection->address = address;
  connection->peer = peer;
  g_object_set_qdata (G_OBJECT (address), connection_quark (), connection);
  g_queue_push_tail (&connections->open, connection);
  if (connections->handshakes) {
    set_state (connection, STATE_HANDSHAKE, MAX_REQUEST_TIME);
    connections->n_handshakes++;
    connection->handshake = vhm_handshakes_add (connections->handshakes,
        socket, peer, on_handshaken, connection);
  } else {
    connection->stream = G_IO_STREAM (g_object_ref (connection->base));
    begin_request (connection);
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

  g_queue_init (&connections->open);
  connections->server = server;
  connections->refuse = refuse;
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
  while (connections->open.head)
    connection_free (connections->open.head->data);
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
  Connection *connection = find_connection (message);

  if (connection && connection->exchange)
    vhm_exchange_accept (connection->exchange);
}

const gchar *
vhm_connections_get_peer (SoupServerMessage * message)
{
  const Connection *connection = find_connection (message);

  return connection ? connection->peer : "";
}

gboolean
vhm_connections_is_there (SoupServerMessage * message)
{
  const Connection *connection = find_connection (message);

  return connection && !vhm_peer_has_gone (connection->socket);
}

void
vhm_connections_offer_to_stay (SoupServerMessage * message)
{
  SoupMessageHeaders *request =
      soup_server_message_get_request_headers (message);
  Connection *connection = find_connection (message);
  gchar *timeout;

  if (!connection || connection->requests >= MAX_REQUESTS
      || soup_server_message_get_http_version (message) != SOUP_HTTP_1_1
      || soup_message_headers_header_contains (request, "Connection", "close")
      || soup_message_headers_get_encoding (request) != SOUP_ENCODING_NONE)
    return;
  connection->stays = TRUE;
  timeout = g_strdup_printf ("timeout=%d",
      (gint) (MAX_IDLE_TIME / G_TIME_SPAN_SECOND));
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Connection", "keep-alive");
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Keep-Alive", timeout);
  g_free (timeout);
}

void
vhm_connections_answer_now (SoupServerMessage * message)
{
  Connection *connection = find_connection (message);

  if (!connection || !connection->exchange)
    return;
  connection->parting = format_answer (soup_server_message_get_status (message),
      soup_server_message_get_response_headers (message),
      soup_message_body_flatten (soup_server_message_get_response_body
          (message)));
  connection->stays = FALSE;
  vhm_exchange_cut (connection->exchange);
}

void
vhm_connections_keep (G_GNUC_UNUSED VhmConnections * connections,
    SoupServerMessage * message)
{
  Connection *connection = find_connection (message);

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
  Connection *connection = find_connection (message);

  if (connection)
    connection->deadline = g_get_monotonic_time () + time;
}

void
vhm_connections_drop (G_GNUC_UNUSED VhmConnections * connections,
    SoupServerMessage * message)
{
  Connection *connection = find_connection (message);

  if (connection)
    end_connection (connection);
}
