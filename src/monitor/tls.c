/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tls.h"

#include "pollable.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <sys/socket.h>

/* Users choose algorithms for all TLS in the process with this variable. The
 * server refuses old versions in any case. */
#define PRIORITY_VARIABLE "G_TLS_GNUTLS_PRIORITY"
#define DEFAULT_PRIORITY "NORMAL:%COMPAT"
#define OLD_VERSIONS ":-VERS-SSL3.0:-VERS-TLS1.0:-VERS-TLS1.1"

/* How long a client may continue a TLS session on other connections. */
#define MAX_RESUMPTION_SECONDS 7200

/* Maximum number of warnings and of attempts to renegotiate on a connection */
#define MAX_INTERRUPTIONS 5

struct _VhmTlsCredentials
{
  gnutls_certificate_credentials_t certificate;
  gnutls_priority_t priority;
  gnutls_datum_t ticket_key;    /* encrypts what clients keep of a session */
};

static gboolean
check_status (int status, GError ** error)
{
  if (status >= 0)
    return TRUE;
  g_set_error_literal (error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE,
      gnutls_strerror (status));
  return FALSE;
}

static gboolean
set_priority (VhmTlsCredentials * credentials, GError ** error)
{
  const gchar *wanted = g_getenv (PRIORITY_VARIABLE);
  gchar *priority = g_strconcat (wanted ? wanted : DEFAULT_PRIORITY,
      OLD_VERSIONS, NULL);
  const gboolean done =
      check_status (gnutls_priority_init (&credentials->priority, priority,
          NULL), error);

  if (!done)
    g_prefix_error (error, "environment variable " PRIORITY_VARIABLE "=%s: ",
        wanted);
  g_free (priority);
  return done;
}

static void
clear_credentials (gpointer data)
{
  VhmTlsCredentials *credentials = data;

  if (credentials->priority)
    gnutls_priority_deinit (credentials->priority);
  if (credentials->ticket_key.data) {
    gnutls_memset (credentials->ticket_key.data, 0,
        credentials->ticket_key.size);
    gnutls_free (credentials->ticket_key.data);
  }
  if (credentials->certificate)
    gnutls_certificate_free_credentials (credentials->certificate);
}

VhmTlsCredentials *
vhm_tls_credentials_new (const gchar * certificate, const gchar * key,
    GError ** error)
{
  VhmTlsCredentials *credentials = g_atomic_rc_box_new0 (VhmTlsCredentials);

  if (check_status (gnutls_certificate_allocate_credentials
          (&credentials->certificate), error)
      && check_status (gnutls_certificate_set_x509_key_file
          (credentials->certificate, certificate, key, GNUTLS_X509_FMT_PEM),
          error) && set_priority (credentials, error)
      && check_status (gnutls_session_ticket_key_generate
          (&credentials->ticket_key), error))
    return credentials;
  vhm_tls_credentials_unref (credentials);
  return NULL;
}

void
vhm_tls_credentials_unref (VhmTlsCredentials * credentials)
{
  g_atomic_rc_box_release_full (credentials, clear_credentials);
}

/* A connection. Its input and output streams may outlive the VhmTls. */

typedef struct
{
  VhmTlsCredentials *credentials;
  GSocket *socket;
  gnutls_session_t session;
  guint interruptions;          /* records that bring nothing */
} Session;

static void
clear_session (gpointer data)
{
  Session *session = data;

  gnutls_deinit (session->session);
  g_object_unref (session->socket);
  vhm_tls_credentials_unref (session->credentials);
}

static void
session_unref (Session * session)
{
  g_atomic_rc_box_release_full (session, clear_session);
}

/* A closed GSocket has no file descriptor, so this cannot reach another file
 * that reuses the number. */
static ssize_t
receive_bytes (gnutls_transport_ptr_t socket, void *buffer, size_t count)
{
  return recv (g_socket_get_fd (socket), buffer, count, MSG_DONTWAIT);
}

static ssize_t
send_bytes (gnutls_transport_ptr_t socket, const void *buffer, size_t count)
{
  return send (g_socket_get_fd (socket), buffer, count,
      MSG_DONTWAIT | MSG_NOSIGNAL);
}

static Session *
session_new (VhmTlsCredentials * credentials, GSocket * socket)
{
  Session *session = g_atomic_rc_box_new0 (Session);

  session->credentials = g_atomic_rc_box_acquire (credentials);
  session->socket = g_object_ref (socket);
  gnutls_init (&session->session, GNUTLS_SERVER | GNUTLS_NONBLOCK);
  gnutls_priority_set (session->session, credentials->priority);
  gnutls_credentials_set (session->session, GNUTLS_CRD_CERTIFICATE,
      credentials->certificate);
  gnutls_certificate_server_set_request (session->session,
      GNUTLS_CERT_IGNORE);
  /* Continuing a session saves the signature, most of the work of a handshake.
   * GnuTLS changes the key in use every few hours. */
  gnutls_session_ticket_enable_server (session->session,
      &credentials->ticket_key);
  gnutls_db_set_cache_expiration (session->session, MAX_RESUMPTION_SECONDS);
  gnutls_handshake_set_timeout (session->session, 0);
  gnutls_transport_set_ptr (session->session, socket);
  gnutls_transport_set_pull_function (session->session, receive_bytes);
  gnutls_transport_set_push_function (session->session, send_bytes);
  return session;
}

/* Converts @status of reading or writing to a result for GIO: @status if it is
 * at least 0, or -1 with an error. */
static gssize
make_result (gssize status, GError ** error)
{
  if (status >= 0)
    return status;
  if (status == GNUTLS_E_AGAIN || status == GNUTLS_E_INTERRUPTED)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK,
        g_strerror (EAGAIN));
  else
    g_set_error_literal (error, G_TLS_ERROR, G_TLS_ERROR_MISC,
        gnutls_strerror (status));
  return -1;
}

/* Reading */

typedef struct
{
  GInputStream parent;
  Session *session;
} TlsInput;

VHM_DEFINE_POLLABLE (TlsInput, tls_input, GInputStreamClass,
    G_TYPE_INPUT_STREAM, Input, INPUT);

/* Treats a connection that closes without close_notify as a normal end, and
 * refuses renegotiation. A record without data costs one turn of the main loop,
 * so that a client that sends many does not delay others. */
static gssize
receive_record (Session * session, void *buffer, gsize count)
{
  const gssize status = gnutls_record_recv (session->session, buffer, count);

  if (status == GNUTLS_E_PREMATURE_TERMINATION)
    return 0;
  if (status != GNUTLS_E_REHANDSHAKE
      && status != GNUTLS_E_WARNING_ALERT_RECEIVED)
    return status;
  if (++session->interruptions > MAX_INTERRUPTIONS
      || (status == GNUTLS_E_REHANDSHAKE
          && gnutls_alert_send (session->session, GNUTLS_AL_WARNING,
              GNUTLS_A_NO_RENEGOTIATION) < 0))
    return GNUTLS_E_REHANDSHAKE;
  return GNUTLS_E_AGAIN;
}

static gssize
tls_input_read_nonblocking (GPollableInputStream * stream, void *buffer,
    gsize count, GError ** error)
{
  return make_result (receive_record (((TlsInput *) stream)->session, buffer,
          count), error);
}

static gboolean
tls_input_is_readable (GPollableInputStream * stream)
{
  const Session *session = ((TlsInput *) stream)->session;

  return gnutls_record_check_pending (session->session) > 0
      || g_socket_condition_check (session->socket, G_IO_IN);
}

static GSource *
tls_input_create_source (GPollableInputStream * stream,
    GCancellable * cancellable)
{
  const Session *session = ((TlsInput *) stream)->session;

  return vhm_pollable_source_new (stream,
      gnutls_record_check_pending (session->session) > 0 ?
      g_timeout_source_new (0) :
      g_socket_create_source (session->socket, G_IO_IN, NULL), cancellable);
}

static void
tls_input_finalize (GObject * object)
{
  session_unref (((TlsInput *) object)->session);
  G_OBJECT_CLASS (tls_input_parent_class)->finalize (object);
}

static void
tls_input_class_init (TlsInputClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = tls_input_finalize;
}

static void
tls_input_pollable_init (GPollableInputStreamInterface * iface)
{
  iface->is_readable = tls_input_is_readable;
  iface->create_source = tls_input_create_source;
  iface->read_nonblocking = tls_input_read_nonblocking;
}

/* Writing */

typedef struct
{
  GOutputStream parent;
  Session *session;
} TlsOutput;

VHM_DEFINE_POLLABLE (TlsOutput, tls_output, GOutputStreamClass,
    G_TYPE_OUTPUT_STREAM, Output, OUTPUT);

/* After G_IO_ERROR_WOULD_BLOCK, GnuTLS requires the same data to be sent again
 * first. Users of pollable streams do that anyway. */
static gssize
tls_output_write_nonblocking (GPollableOutputStream * stream,
    const void *buffer, gsize count, GError ** error)
{
  return make_result (gnutls_record_send (((TlsOutput *) stream)->
          session->session, buffer, count), error);
}

static gboolean
tls_output_is_writable (GPollableOutputStream * stream)
{
  return g_socket_condition_check (((TlsOutput *) stream)->session->socket,
      G_IO_OUT) != 0;
}

static GSource *
tls_output_create_source (GPollableOutputStream * stream,
    GCancellable * cancellable)
{
  const Session *session = ((TlsOutput *) stream)->session;

  return vhm_pollable_source_new (stream,
      g_socket_create_source (session->socket, G_IO_OUT, NULL), cancellable);
}

static void
tls_output_finalize (GObject * object)
{
  session_unref (((TlsOutput *) object)->session);
  G_OBJECT_CLASS (tls_output_parent_class)->finalize (object);
}

static void
tls_output_class_init (TlsOutputClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = tls_output_finalize;
}

static void
tls_output_pollable_init (GPollableOutputStreamInterface * iface)
{
  iface->is_writable = tls_output_is_writable;
  iface->create_source = tls_output_create_source;
  iface->write_nonblocking = tls_output_write_nonblocking;
}

/* Both */

struct _VhmTls
{
  GIOStream parent;
  Session *session;
  TlsInput *input;
  TlsOutput *output;
};

G_DEFINE_TYPE (VhmTls, vhm_tls, G_TYPE_IO_STREAM)

static GInputStream *
get_input_stream (GIOStream * stream)
{
  return (GInputStream *) VHM_TLS (stream)->input;
}

static GOutputStream *
get_output_stream (GIOStream * stream)
{
  return (GOutputStream *) VHM_TLS (stream)->output;
}

static gboolean
close_stream (GIOStream * stream, G_GNUC_UNUSED GCancellable * cancellable,
    G_GNUC_UNUSED GError ** error)
{
  gnutls_bye (VHM_TLS (stream)->session->session, GNUTLS_SHUT_WR);
  return TRUE;
}

static void
finalize_tls (GObject * object)
{
  VhmTls *tls = VHM_TLS (object);

  g_object_unref (tls->input);
  g_object_unref (tls->output);
  session_unref (tls->session);
  G_OBJECT_CLASS (vhm_tls_parent_class)->finalize (object);
}

static void
vhm_tls_init (G_GNUC_UNUSED VhmTls * tls)
{
}

static void
vhm_tls_class_init (VhmTlsClass * klass)
{
  GIOStreamClass *stream = G_IO_STREAM_CLASS (klass);

  stream->get_input_stream = get_input_stream;
  stream->get_output_stream = get_output_stream;
  stream->close_fn = close_stream;
  G_OBJECT_CLASS (klass)->finalize = finalize_tls;
}

VhmTls *
vhm_tls_new (VhmTlsCredentials * credentials, GSocket * socket)
{
  VhmTls *tls = g_object_new (VHM_TYPE_TLS, NULL);

  tls->session = session_new (credentials, socket);
  tls->input = g_object_new (tls_input_get_type (), NULL);
  tls->input->session = g_atomic_rc_box_acquire (tls->session);
  tls->output = g_object_new (tls_output_get_type (), NULL);
  tls->output->session = g_atomic_rc_box_acquire (tls->session);
  return tls;
}

GIOCondition
vhm_tls_handshake (VhmTls * tls)
{
  gnutls_session_t session = tls->session->session;
  int status;

  do
    status = gnutls_handshake (session);
  while (status < 0 && status != GNUTLS_E_AGAIN
      && !gnutls_error_is_fatal (status)
      && ++tls->session->interruptions <= MAX_INTERRUPTIONS);
  if (status == GNUTLS_E_AGAIN)
    return gnutls_record_get_direction (session) ? G_IO_OUT : G_IO_IN;
  return status < 0 ? G_IO_ERR : 0;
}
