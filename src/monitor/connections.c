/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "connections.h"

/* All that there may be. When there are more, the one that has been idle for
 * the longest time goes. */
#define MOST_CONNECTIONS 256

/* What a request may take to come, or to stay away, and what its answer may
 * take to be read; µs. */
#define MOST_REQUEST_TIME (20 * G_TIME_SPAN_SECOND)
#define MOST_ANSWER_TIME (60 * G_TIME_SPAN_SECOND)

typedef struct
{
  VhmConnections *owner;
  GIOStream *stream;            /* not owned: libsoup does */
  GSocket *socket;
  GSocketAddress *address;      /* of the peer: identifies it to libsoup */
  gboolean waiting;             /* for a request */
  gint64 since;                 /* monotonic µs */
  gint64 deadline;              /* likewise; G_MAXINT64: none */
} Connection;

struct _VhmConnections
{
  SoupServer *server;
  GSocketService *service;
  GTlsCertificate *certificate; /* or NULL */
  guint16 port;
  GQueue open;                  /* of Connection */
  guint sweep;
};

static GQuark
connection_quark (void)
{
  return g_quark_from_static_string ("vhm-connection");
}

static Connection *
find (SoupServerMessage * message)
{
  GSocketAddress *address = soup_server_message_get_remote_address (message);

  return address ? g_object_get_qdata (G_OBJECT (address),
      connection_quark ()) : NULL;
}

/* Its stream is gone. */
static void
on_closed (gpointer data, GObject * stream)
{
  Connection *connection = data;

  (void) stream;
  g_object_set_qdata (G_OBJECT (connection->address), connection_quark (),
      NULL);
  g_queue_remove (&connection->owner->open, connection);
  g_object_unref (connection->socket);
  g_object_unref (connection->address);
  g_free (connection);
}

/* libsoup sees the end of it, and closes it. */
static void
end (Connection * connection)
{
  connection->deadline = G_MAXINT64;
  connection->waiting = FALSE;
  g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

static void
set_waiting (Connection * connection, gboolean waiting)
{
  connection->waiting = waiting;
  connection->since = g_get_monotonic_time ();
  connection->deadline = connection->since
      + (waiting ? MOST_REQUEST_TIME : MOST_ANSWER_TIME);
}

static void
on_request_read (SoupServer * server, SoupServerMessage * message,
    gpointer data)
{
  Connection *connection = find (message);

  (void) server;
  (void) data;
  if (connection)
    set_waiting (connection, FALSE);
}

static void
on_request_finished (SoupServer * server, SoupServerMessage * message,
    gpointer data)
{
  Connection *connection = find (message);

  (void) server;
  (void) data;
  if (connection)
    set_waiting (connection, TRUE);
}

static gboolean
sweep (gpointer data)
{
  VhmConnections *connections = data;
  const gint64 now = g_get_monotonic_time ();
  GList *l;

  for (l = connections->open.head; l; l = l->next) {
    Connection *connection = l->data;

    if (now > connection->deadline)
      end (connection);
  }
  return G_SOURCE_CONTINUE;
}

/* Whether there is room for one more. */
static gboolean
make_room (VhmConnections * connections)
{
  Connection *idle = NULL;
  GList *l;

  if (connections->open.length < MOST_CONNECTIONS)
    return TRUE;
  for (l = connections->open.head; l; l = l->next) {
    Connection *connection = l->data;

    if (connection->waiting && (!idle || connection->since < idle->since))
      idle = connection;
  }
  if (idle)
    end (idle);
  /* One that has been ended is there until the main loop comes to it. */
  return idle && connections->open.length < 2 * MOST_CONNECTIONS;
}

static gboolean
on_incoming (GSocketService * service, GSocketConnection * incoming,
    GObject * source, gpointer data)
{
  VhmConnections *connections = data;
  GIOStream *stream = NULL;
  Connection *connection;
  GSocketAddress *local;
  GError *error = NULL;

  (void) service;
  (void) source;
  if (!make_room (connections))
    return TRUE;
  stream = connections->certificate ?
      g_tls_server_connection_new (G_IO_STREAM (incoming),
      connections->certificate, &error) : g_object_ref (G_IO_STREAM
      (incoming));
  connection = g_new0 (Connection, 1);
  connection->owner = connections;
  connection->stream = stream;
  connection->socket =
      g_object_ref (g_socket_connection_get_socket (incoming));
  connection->address =
      g_socket_connection_get_remote_address (incoming, NULL);
  local = g_socket_connection_get_local_address (incoming, NULL);
  if (!stream || !connection->address || !local) {
    g_clear_error (&error);
    g_clear_object (&local);
    g_clear_object (&stream);
    g_clear_object (&connection->address);
    g_object_unref (connection->socket);
    g_free (connection);
    return TRUE;
  }
  set_waiting (connection, TRUE);
  g_object_set_qdata (G_OBJECT (connection->address), connection_quark (),
      connection);
  g_queue_push_tail (&connections->open, connection);
  g_object_weak_ref (G_OBJECT (stream), on_closed, connection);
  soup_server_accept_iostream (connections->server, stream, local,
      connection->address, NULL);
  g_object_unref (local);
  g_object_unref (stream);
  return TRUE;
}

/* Says what to do where another program listens. Takes @why. */
static void
fail (GError * why, GError ** error)
{
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)) {
    g_set_error (error, why->domain, why->code,
        "another program listens there: name another port with "
        "listen=ADDRESS:PORT in [http], or --listen=ADDRESS:PORT");
    g_error_free (why);
  } else
    g_propagate_error (error, why);
}

/* The addresses of @host, which may be one. */
static gboolean
add_addresses (VhmConnections * connections, const VhmHttpSettings * settings,
    GError ** error)
{
  GResolver *resolver = g_resolver_get_default ();
  GList *addresses = g_resolver_lookup_by_name (resolver, settings->host,
      NULL, error);
  gboolean done = addresses != NULL;
  GError *why = NULL;
  GList *l;

  connections->port = settings->port;
  for (l = addresses; l && done; l = l->next) {
    GSocketAddress *address =
        g_inet_socket_address_new (l->data, connections->port);
    GSocketAddress *effective = NULL;

    done = g_socket_listener_add_address (G_SOCKET_LISTENER
        (connections->service), address, G_SOCKET_TYPE_STREAM,
        G_SOCKET_PROTOCOL_TCP, NULL, &effective, &why);
    if (done)
      connections->port =
          g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
    else
      fail (why, error);
    g_clear_object (&effective);
    g_object_unref (address);
  }
  g_resolver_free_addresses (addresses);
  g_object_unref (resolver);
  return done;
}

VhmConnections *
vhm_connections_new (SoupServer * server, const VhmHttpSettings * settings,
    GError ** error)
{
  VhmConnections *connections = g_new0 (VhmConnections, 1);

  g_queue_init (&connections->open);
  connections->server = server;
  connections->service = g_socket_service_new ();
  g_socket_listener_set_backlog (G_SOCKET_LISTENER (connections->service),
      MOST_CONNECTIONS);
  g_signal_connect (connections->service, "incoming",
      G_CALLBACK (on_incoming), connections);
  g_signal_connect (server, "request-read", G_CALLBACK (on_request_read),
      NULL);
  g_signal_connect (server, "request-finished",
      G_CALLBACK (on_request_finished), NULL);
  connections->sweep = g_timeout_add_seconds (1, sweep, connections);
  if (settings->certificate)
    connections->certificate = g_tls_certificate_new_from_files
        (settings->certificate, settings->key, error);
  if (settings->certificate && !connections->certificate)
    g_prefix_error (error, "certificate %s with key %s: ",
        settings->certificate, settings->key);
  else if (add_addresses (connections, settings, error))
    return connections;
  else
    g_prefix_error (error, "%s:%u: ", settings->host, settings->port);
  vhm_connections_free (connections);
  return NULL;
}

void
vhm_connections_free (VhmConnections * connections)
{
  g_source_remove (connections->sweep);
  g_socket_service_stop (connections->service);
  g_socket_listener_close (G_SOCKET_LISTENER (connections->service));
  g_object_unref (connections->service);
  while (connections->open.head) {
    Connection *connection = connections->open.head->data;

    g_object_weak_unref (G_OBJECT (connection->stream), on_closed,
        connection);
    end (connection);
    on_closed (connection, NULL);
  }
  g_clear_object (&connections->certificate);
  g_free (connections);
}

guint16
vhm_connections_get_port (const VhmConnections * connections)
{
  return connections->port;
}

void
vhm_connections_keep (VhmConnections * connections,
    SoupServerMessage * message)
{
  Connection *connection = find (message);

  (void) connections;
  if (connection)
    connection->deadline = G_MAXINT64;
}

void
vhm_connections_drop (VhmConnections * connections,
    SoupServerMessage * message)
{
  Connection *connection = find (message);

  (void) connections;
  if (connection)
    end (connection);
}
