/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reload.h"

#include <gio/gunixsocketaddress.h>
#include <string.h>
#include <unistd.h>

/* Longest time a reload may take, s. */
#define MAX_RELOAD_SECONDS 60

/* The answer starts with one of these bytes; the problems follow. */
#define DONE '+'
#define REFUSED '-'

struct _VhmReload
{
  GSocketService *service;
  VhmReloadFunc func;
  gpointer data;
};

/* An abstract socket, which vanishes with the process. */
static GSocketAddress *
make_address (gint pid)
{
  gchar *name = g_strdup_printf ("videohistogram-monitor/%d", pid);
  GSocketAddress *address = g_unix_socket_address_new_with_type (name, -1,
      G_UNIX_SOCKET_ADDRESS_ABSTRACT);

  g_free (name);
  return address;
}

/* Credentials of the peer, or NULL. */
static GCredentials *
get_credentials (GSocketConnection * connection)
{
  return g_socket_get_credentials (g_socket_connection_get_socket (connection),
      NULL);
}

static gboolean
is_allowed (GSocketConnection * connection)
{
  GCredentials *credentials = get_credentials (connection);
  const uid_t user = credentials ? g_credentials_get_unix_user (credentials,
      NULL) : (uid_t) - 1;

  g_clear_object (&credentials);
  return user == getuid () || user == 0;
}

/* Another process may have taken the name. */
static gboolean
is_of (GSocketConnection * connection, gint pid)
{
  GCredentials *credentials = get_credentials (connection);
  const gboolean is = credentials
      && g_credentials_get_unix_pid (credentials, NULL) == pid;

  g_clear_object (&credentials);
  return is;
}

static gboolean
on_incoming (G_GNUC_UNUSED GSocketService * service,
    GSocketConnection * connection, G_GNUC_UNUSED GObject * source,
    gpointer data)
{
  VhmReload *reload = data;
  gchar *problems, *answer;
  gboolean done;

  if (!is_allowed (connection))
    return TRUE;
  done = reload->func (reload->data, &problems);
  answer = g_strdup_printf ("%c%s", done ? DONE : REFUSED, problems);
  /* The answer fits into the socket's buffer: a peer that does not read it
   * delays nothing. */
  g_socket_set_blocking (g_socket_connection_get_socket (connection), FALSE);
  g_socket_send (g_socket_connection_get_socket (connection), answer,
      strlen (answer), NULL, NULL);
  g_free (answer);
  g_free (problems);
  return TRUE;
}

VhmReload *
vhm_reload_new (VhmReloadFunc func, gpointer data)
{
  GSocketAddress *address = make_address (getpid ());
  VhmReload *reload = g_new0 (VhmReload, 1);
  GError *error = NULL;

  reload->func = func;
  reload->data = data;
  reload->service = g_socket_service_new ();
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (reload->service),
          address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL, NULL,
          &error)) {
    g_warning ("cannot listen for --reload, use SIGHUP instead: %s",
        error->message);
    g_error_free (error);
    g_clear_object (&reload->service);
    g_clear_pointer (&reload, g_free);
  } else
    g_signal_connect (reload->service, "incoming", G_CALLBACK (on_incoming),
        reload);
  g_object_unref (address);
  return reload;
}

void
vhm_reload_free (VhmReload * reload)
{
  g_socket_service_stop (reload->service);
  g_socket_listener_close (G_SOCKET_LISTENER (reload->service));
  g_object_unref (reload->service);
  g_free (reload);
}

gboolean
vhm_reload_ask (gint pid, gchar ** problems, GError ** error)
{
  GSocketAddress *address = make_address (pid);
  GSocketClient *client = g_socket_client_new ();
  GSocketConnection *connection;
  GString *answer = g_string_new (NULL);
  gchar buffer[4096];
  gssize n = -1;
  gboolean done;

  *problems = NULL;
  g_socket_client_set_timeout (client, MAX_RELOAD_SECONDS);
  connection = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address),
      NULL, error);
  if (!connection)
    g_prefix_error (error, "probably not a running videohistogram-monitor: ");
  if (connection && !is_of (connection, pid)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "another process is using its socket");
    g_clear_object (&connection);
  }
  while (connection && (n = g_input_stream_read (g_io_stream_get_input_stream
              (G_IO_STREAM (connection)), buffer, sizeof buffer, NULL, error))
      > 0)
    g_string_append_len (answer, buffer, n);
  if (connection && g_error_matches (*error, G_IO_ERROR,
          G_IO_ERROR_TIMED_OUT)) {
    g_clear_error (error);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "has not answered "
        "for %u s, and may still reload its key file: its log will say so",
        MAX_RELOAD_SECONDS);
  }
  if (n == 0 && !answer->len)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
        "accepts --reload only from its own user and from root");
  else if (n == 0)
    *problems = g_strdup (answer->str + 1);
  g_clear_object (&connection);
  g_object_unref (client);
  g_object_unref (address);
  done = *problems && *answer->str == DONE;
  g_string_free (answer, TRUE);
  return done;
}
