/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "connection.h"

#include "answer.h"

#include <string.h>
#include <sys/socket.h>

#define MAX_CLOSE_TIME (2 * G_TIME_SPAN_SECOND)

/* Limits of a request: bytes in total, including the longest body and what may
 * follow it; bytes of all headers, below libsoup's own limit; bytes of the
 * request line; number of other header lines, and bytes of each. */
#define MAX_REQUEST_BYTES (128 * 1024)
#define MAX_HEADERS_BYTES (60 * 1024)
#define MAX_FIRST_LINE_BYTES 8192
#define MAX_HEADERS 100
#define MAX_HEADER_BYTES 16384

/* Maximum bytes to read and discard of a refused request, so that the client
 * gets to read the answer. */
#define MAX_DISCARDED_BYTES (256 * 1024)

static GQuark
connection_quark (void)
{
  return g_quark_from_static_string ("vhm-connection");
}

VhmConnection *
vhm_connection_find (SoupServerMessage * message)
{
  GSocketAddress *address = soup_server_message_get_remote_address (message);

  return address ? g_object_get_qdata (G_OBJECT (address),
      connection_quark ()) : NULL;
}

void
vhm_connection_set_state (VhmConnection * connection,
    VhmConnectionState state, gint64 time)
{
  connection->state = state;
  connection->since = g_get_monotonic_time ();
  connection->deadline = connection->since + time;
}

VhmConnection *
vhm_connection_new (VhmConnectionsBase * owner, GSocket * socket,
    GSocketAddress * local, GSocketAddress * address, gchar * peer)
{
  VhmConnection *connection = g_new0 (VhmConnection, 1);

  connection->owner = owner;
  connection->base = g_socket_connection_factory_create_connection (socket);
  connection->socket = socket;
  connection->local = local;
  connection->address = address;
  connection->peer = peer;
  g_object_set_qdata (G_OBJECT (address), connection_quark (), connection);
  g_queue_push_tail (&owner->open, connection);
  return connection;
}

/* The end */

static void
stop_waiting (VhmConnection * connection)
{
  if (connection->source) {
    g_source_destroy (connection->source);
    g_clear_pointer (&connection->source, g_source_unref);
  }
}

/* Closes the stream only if that cannot block: closing TLS writes some
 * bytes. */
static void
close_stream (VhmConnection * connection)
{
  if (connection->stream
      && g_socket_condition_check (connection->socket, G_IO_OUT) == G_IO_OUT)
    g_io_stream_close (connection->stream, NULL, NULL);
  g_socket_close (connection->socket, NULL);
}

void
vhm_connection_free (VhmConnection * connection)
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

void
vhm_connection_end (VhmConnection * connection)
{
  connection->deadline = G_MAXINT64;
  connection->stays = FALSE;
  g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

/* Takes @source. */
static void
wait_for (VhmConnection * connection, GSource * source, GSourceFunc function)
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
  VhmConnection *connection = data;
  gchar buffer[16384];
  const gssize length = recv (g_socket_get_fd (socket), buffer,
      sizeof (buffer), MSG_DONTWAIT);

  connection->unwanted += MAX (length, 0);
  if (length > 0 && connection->unwanted < MAX_DISCARDED_BYTES)
    return G_SOURCE_CONTINUE;
  vhm_connection_free (connection);
  return G_SOURCE_REMOVE;
}

static void
say_goodbye (VhmConnection * connection)
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
  vhm_connection_set_state (connection, VHM_CONNECTION_GOODBYE, MAX_CLOSE_TIME);
  wait_for (connection, g_socket_create_source (connection->socket, G_IO_IN,
          NULL), G_SOURCE_FUNC (on_unwanted));
}

/* Requests */

static gboolean
on_next_request (G_GNUC_UNUSED GObject * stream, gpointer data)
{
  VhmConnection *connection = data;
  gchar byte;

  g_clear_pointer (&connection->source, g_source_unref);
  /* With TLS, the stream may have data while the socket is empty. */
  if (recv (g_socket_get_fd (connection->socket), &byte, 1,
          MSG_PEEK | MSG_DONTWAIT) == 0)
    vhm_connection_free (connection);
  else
    vhm_connection_begin (connection);
  return G_SOURCE_REMOVE;
}

static gboolean
on_rest (gpointer data)
{
  VhmConnection *connection = data;

  g_clear_pointer (&connection->source, g_source_unref);
  vhm_connection_begin (connection);
  return G_SOURCE_REMOVE;
}

/* Waits for the next request. If it was already read, it starts in the next
 * iteration of the main loop, because there may be many such requests. */
static void
await_request (VhmConnection * connection)
{
  GInputStream *in = g_io_stream_get_input_stream (connection->stream);

  vhm_connection_set_state (connection, VHM_CONNECTION_IDLE, VHM_MAX_IDLE_TIME);
  if (connection->rest)
    wait_for (connection, g_timeout_source_new (0), on_rest);
  else
    wait_for (connection, g_pollable_input_stream_create_source
        (G_POLLABLE_INPUT_STREAM (in), NULL), G_SOURCE_FUNC (on_next_request));
}

/* Whether the client has sent more data, which will not be read. */
static gboolean
has_more (const VhmConnection * connection)
{
  gchar byte;

  return connection->rest || recv (g_socket_get_fd (connection->socket), &byte,
      1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Called when libsoup is done with a request. */
static void
on_exchange_closed (gpointer data)
{
  VhmConnection *connection = data;
  const gboolean whole = vhm_exchange_is_whole (connection->exchange,
      &connection->rest);

  connection->exchange = NULL;
  if (connection->stays && connection->answered && whole)
    await_request (connection);
  else if (connection->parting
      || (connection->answered && has_more (connection)))
    say_goodbye (connection);
  else
    vhm_connection_free (connection);
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

void
vhm_connection_part_with (VhmConnection * connection, guint status,
    SoupMessageHeaders * headers, GBytes * body)
{
  connection->parting = format_answer (status, headers, body);
  connection->stays = FALSE;
}

static void
on_exchange_refused (gpointer data, guint status, const gchar * line)
{
  SoupMessageHeaders *headers =
      soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
  VhmConnection *connection = data;
  GBytes *body = connection->owner->refuse (status, line, headers);

  vhm_connection_part_with (connection, status, headers, body);
  soup_message_headers_unref (headers);
}

void
vhm_connection_begin (VhmConnection * connection)
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
  vhm_connection_set_state (connection, VHM_CONNECTION_REQUEST,
      VHM_MAX_REQUEST_TIME);
  /* The request may already be finished when this returns. */
  soup_server_accept_iostream (connection->owner->server,
      G_IO_STREAM (exchange), connection->local, connection->address, NULL);
  g_object_unref (exchange);
}
