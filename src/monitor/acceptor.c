/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acceptor.h"

/* Pause after a failure to accept, and minimum time between log messages about
 * it. */
#define RETRY_PAUSE_MS 500
#define MIN_LOG_INTERVAL G_TIME_SPAN_MINUTE

struct _VhmAcceptor
{
  GSocketListener *listener;
  GCancellable *cancellable;
  guint16 port;
  VhmAccepted accepted;
  VhmCrowded crowded;
  gpointer data;
  guint pause;                  /* source */
  gint64 logged;                /* monotonic µs; 0: never */
};

/* Sets @error to @why, which it takes, with advice if the address is in use. */
static void
set_listen_error (GError * why, GError ** error)
{
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)) {
    g_set_error (error, why->domain, why->code,
        "another program is already listening there: choose another port with "
        "listen=ADDRESS:PORT in [http], or with --listen=ADDRESS:PORT");
    g_error_free (why);
  } else
    g_propagate_error (error, why);
}

/* Listens on all addresses of the host. */
static gboolean
add_addresses (VhmAcceptor * acceptor,
    const VhmHttpSettings * settings, GError ** error)
{
  GResolver *resolver = g_resolver_get_default ();
  GList *addresses = g_resolver_lookup_by_name (resolver, settings->host,
      NULL, error);
  gboolean done = addresses != NULL;
  GError *why = NULL;
  GList *l;

  acceptor->port = settings->port;
  for (l = addresses; l && done; l = l->next) {
    GSocketAddress *address =
        g_inet_socket_address_new (l->data, acceptor->port);
    GSocketAddress *effective = NULL;

    done = g_socket_listener_add_address (acceptor->listener, address,
        G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &effective, &why);
    if (done)
      acceptor->port =
          g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
    else
      set_listen_error (why, error);
    g_clear_object (&effective);
    g_object_unref (address);
  }
  g_resolver_free_addresses (addresses);
  g_object_unref (resolver);
  return done;
}

static void accept_next (VhmAcceptor * acceptor);

static gboolean
on_pause_over (gpointer data)
{
  VhmAcceptor *acceptor = data;

  acceptor->pause = 0;
  accept_next (acceptor);
  return G_SOURCE_REMOVE;
}

/* The connection is still pending: without a pause, accepting would fail again
 * immediately, in a busy loop. */
static void
pause_accepting (VhmAcceptor * acceptor, const GError * why)
{
  const gint64 now = g_get_monotonic_time ();

  if (!acceptor->logged || now - acceptor->logged > MIN_LOG_INTERVAL) {
    g_warning ("http: cannot accept connections, retrying: %s", why->message);
    acceptor->logged = now;
  }
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES))
    acceptor->crowded (acceptor->data);
  acceptor->pause = g_timeout_add (RETRY_PAUSE_MS, on_pause_over, acceptor);
}

static void
on_accepted (GObject * object, GAsyncResult * result, gpointer data)
{
  GError *why = NULL;
  GSocket *socket = g_socket_listener_accept_socket_finish (G_SOCKET_LISTENER
      (object), result, NULL, &why);
  VhmAcceptor *acceptor = data;

  if (socket) {
    acceptor->accepted (acceptor->data, socket);
    g_object_unref (socket);
    accept_next (acceptor);
  } else if (!g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    pause_accepting (acceptor, why);
  g_clear_error (&why);
}

static void
accept_next (VhmAcceptor * acceptor)
{
  g_socket_listener_accept_socket_async (acceptor->listener,
      acceptor->cancellable, on_accepted, acceptor);
}

VhmAcceptor *
vhm_acceptor_new (const VhmHttpSettings * settings, guint backlog,
    VhmAccepted accepted, VhmCrowded crowded, gpointer data, GError ** error)
{
  VhmAcceptor *acceptor = g_new0 (VhmAcceptor, 1);

  acceptor->listener = g_socket_listener_new ();
  acceptor->cancellable = g_cancellable_new ();
  acceptor->accepted = accepted;
  acceptor->crowded = crowded;
  acceptor->data = data;
  g_socket_listener_set_backlog (acceptor->listener, backlog);
  if (add_addresses (acceptor, settings, error)) {
    accept_next (acceptor);
    return acceptor;
  }
  vhm_acceptor_free (acceptor);
  return NULL;
}

void
vhm_acceptor_free (VhmAcceptor * acceptor)
{
  if (acceptor->pause)
    g_source_remove (acceptor->pause);
  g_cancellable_cancel (acceptor->cancellable);
  g_socket_listener_close (acceptor->listener);
  g_object_unref (acceptor->listener);
  g_object_unref (acceptor->cancellable);
  g_free (acceptor);
}

guint16
vhm_acceptor_get_port (const VhmAcceptor * acceptor)
{
  return acceptor->port;
}
