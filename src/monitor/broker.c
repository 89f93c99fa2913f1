/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "broker.h"

#include "mainthread.h"
#include "threads.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <linux/tcp.h>
#include <mosquitto.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define QOS 1                   /* at least once */

/* Time limit of the second attempt that finds out why the first one failed,
 * s */
#define MAX_DIAGNOSIS_SECONDS 2

/* Maximum sleep of the thread, ms. Publishing wakes it. */
#define MAX_SLEEP_MS 1000

/* Time limit for disconnecting, µs */
#define MAX_DISCONNECT_TIME (5 * G_TIME_SPAN_SECOND)

/* Every 6 s, mosquitto looks for clients that have been silent for 1.5 times
 * their keep-alive. To have it publish the will within 1.5 times the configured
 * keep-alive, the connection uses one that is this many seconds shorter. */
#define KEEPALIVE_MARGIN_SECONDS 5

/* What a broker may send over a connection, in bytes, since the program
 * subscribes to nothing: answers to the start, to each published message, and
 * to pings. TLS makes each answer longer. libmosquitto keeps what it cannot
 * pass on. */
#define MAX_START_BYTES (256 * 1024)
#define MAX_ACKNOWLEDGE_BYTES 128
#define MAX_BYTES_PER_SECOND 16

/* Certificates of the authorities that the system trusts */
#define SYSTEM_CERTIFICATES "/etc/ssl/certs"

struct _VhmBroker
{
  VhmMqttSettings *settings;
  struct mosquitto *mosquitto;
  int wake;                     /* an eventfd that wakes the thread to send */
  const VhmBrokerHandler *handler;      /* main thread only; NULL after
                                         * vhm_broker_forget() */
  gpointer data;

  _Atomic gint64 stopped;       /* monotonic µs; 0: not yet */
  _Atomic guint64 published;    /* messages */

  /* The thread only */
  gchar *why;                   /* why it failed, or NULL */
  gint64 since;                 /* start of the connection, monotonic µs */
  gboolean accepted;            /* the broker has accepted the connection */
  gboolean excessive;           /* the broker sends what it must not */
};

static atomic_uint n_threads;

static VhmBroker *
broker_ref (VhmBroker * broker)
{
  return g_atomic_rc_box_acquire (broker);
}

static void
clear_broker (gpointer data)
{
  VhmBroker *broker = data;

  mosquitto_destroy (broker->mosquitto);
  if (broker->wake >= 0)
    close (broker->wake);
  vhm_group_unref (broker->settings);
  g_free (broker->why);
}

static void
broker_unref (gpointer broker)
{
  g_atomic_rc_box_release_full (broker, clear_broker);
}

/* Reports to the main thread */

/* Takes @contents. */
static void
send_report (VhmBroker * broker, VhmReport report, gpointer contents,
    GDestroyNotify free_contents)
{
  vhm_main_thread_call (report, broker_ref (broker), broker_unref, contents,
      free_contents);
}

static void
deliver_connected (gpointer object, G_GNUC_UNUSED gpointer contents)
{
  VhmBroker *broker = object;

  if (broker->handler)
    broker->handler->connected (broker->data);
}

static void
deliver_published (gpointer object, gpointer message)
{
  VhmBroker *broker = object;

  if (broker->handler)
    broker->handler->published (broker->data, GPOINTER_TO_INT (message));
}

static void
deliver_ended (gpointer object, gpointer why)
{
  VhmBroker *broker = object;

  if (broker->handler)
    broker->handler->ended (broker->data, why);
}

/* The thread */

/* Takes @why. */
static void
set_why (VhmBroker * broker, gchar * why)
{
  g_free (broker->why);
  broker->why = why;
}

/* libmosquitto accepts any number of answers to one request for a connection.
 * Each would have the main thread publish all states again. */
static void
on_connect (G_GNUC_UNUSED struct mosquitto *mosquitto, void *data, int code)
{
  VhmBroker *broker = data;

  if (code)
    set_why (broker, g_strdup (mosquitto_connack_string (code)));
  else if (broker->accepted)
    broker->excessive = TRUE;
  else
    send_report (broker, deliver_connected, NULL, NULL);
  broker->accepted = TRUE;
}

static void
on_publish (G_GNUC_UNUSED struct mosquitto *mosquitto, void *data, int message)
{
  send_report (data, deliver_published, GINT_TO_POINTER (message), NULL);
}

/* Errors of OpenSSL only appear in this log. */
static void
on_log (G_GNUC_UNUSED struct mosquitto *mosquitto, void *data, int level,
    const char *text)
{
  VhmBroker *broker = data;

  if (level == MOSQ_LOG_ERR)
    set_why (broker, g_strdup (text));
}

/* Whether the thread has been asked to stop for at least @duration µs. The
 * disconnect message alone does not end the connection if the broker hangs or
 * is not connected yet. */
static gboolean
is_to_end (VhmBroker * broker, gint64 duration)
{
  const gint64 stopped = atomic_load (&broker->stopped);

  return stopped && g_get_monotonic_time () - stopped >= duration;
}

/* The reason why connecting failed, to be freed. Since version 2.1,
 * libmosquitto closes the socket that failed to open, which overwrites errno;
 * the reason then comes from a second attempt. */
static gchar *
find_reason (const VhmMqttSettings * settings, int number)
{
  GSocketClient *client;
  GSocketConnection *connection;
  GError *error = NULL;
  gchar *reason;

  if (number != EBADF)
    return g_strdup (g_strerror (number));
  client = g_socket_client_new ();
  g_socket_client_set_enable_proxy (client, FALSE);
  g_socket_client_set_timeout (client, MAX_DIAGNOSIS_SECONDS);
  connection = g_socket_client_connect_to_host (client, settings->host,
      settings->port, NULL, &error);
  reason = g_strdup (error ? error->message : "connection failed");
  g_clear_object (&connection);
  g_clear_error (&error);
  g_object_unref (client);
  return reason;
}

static gboolean
sends_too_much (VhmBroker * broker)
{
  const guint64 most = MAX_START_BYTES
      + MAX_ACKNOWLEDGE_BYTES * atomic_load (&broker->published)
      + MAX_BYTES_PER_SECOND * ((g_get_monotonic_time () - broker->since)
      / G_USEC_PER_SEC);
  struct tcp_info info = { 0 };
  socklen_t size = sizeof info;

  return broker->excessive
      || (!getsockopt (mosquitto_socket (broker->mosquitto), IPPROTO_TCP,
          TCP_INFO, &info, &size) && info.tcpi_bytes_received > most);
}

static int
read_packets (VhmBroker * broker)
{
  const int code = mosquitto_loop_read (broker->mosquitto, 1);

  if (code != MOSQ_ERR_SUCCESS || !sends_too_much (broker))
    return code;
  set_why (broker, g_strdup ("the broker sends messages that nobody asked for: "
          "check that an MQTT broker listens there"));
  return MOSQ_ERR_PROTOCOL;
}

/* Replaces mosquitto_loop(), which uses select() and refuses file descriptors
 * from 1024 on. With many cameras, sockets have such numbers. */
static int
loop_once (VhmBroker * broker)
{
  struct mosquitto *mosquitto = broker->mosquitto;
  struct pollfd fds[] = {
    {.fd = mosquitto_socket (mosquitto),.events = POLLIN},
    {.fd = broker->wake,.events = POLLIN}
  };
  int code = MOSQ_ERR_SUCCESS;
  eventfd_t count;

  if (fds[0].fd < 0)
    return MOSQ_ERR_NO_CONN;
  if (mosquitto_want_write (mosquitto))
    fds[0].events |= POLLOUT;
  if (poll (fds, G_N_ELEMENTS (fds), MAX_SLEEP_MS) < 0)
    return errno == EINTR ? MOSQ_ERR_SUCCESS : MOSQ_ERR_ERRNO;
  if (fds[1].revents)
    eventfd_read (broker->wake, &count);
  if (fds[0].revents & ~POLLOUT)
    code = read_packets (broker);
  if (code == MOSQ_ERR_SUCCESS && ((fds[0].revents & POLLOUT)
          || fds[1].revents))
    code = mosquitto_loop_write (mosquitto, 1);
  return code == MOSQ_ERR_SUCCESS ? mosquitto_loop_misc (mosquitto) : code;
}

static gpointer
broker_thread (gpointer data)
{
  VhmBroker *broker = data;
  const VhmMqttSettings *s = broker->settings;
  int code, number;

  broker->since = g_get_monotonic_time ();
  code = mosquitto_connect (broker->mosquitto, s->host, s->port,
      s->keepalive - KEEPALIVE_MARGIN_SECONDS);
  if (code == MOSQ_ERR_SUCCESS && is_to_end (broker, 0))
    code = MOSQ_ERR_NO_CONN;
  while (code == MOSQ_ERR_SUCCESS && !is_to_end (broker, MAX_DISCONNECT_TIME))
    code = loop_once (broker);
  number = errno;
  if (!broker->why)
    broker->why = code == MOSQ_ERR_ERRNO ? find_reason (s, number) :
        g_strdup (mosquitto_strerror (code));
  send_report (broker, deliver_ended, g_strdup (broker->why), g_free);
  atomic_fetch_sub (&n_threads, 1);
  broker_unref (broker);
  return NULL;
}

/* The main thread */

/* The client id, to be freed. It is the same for each connection, so that a new
 * connection replaces an old half-open one, including its will. Every broker
 * accepts 23 letters and digits. */
static gchar *
make_client_id (const VhmMqttSettings * settings)
{
  gchar *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256,
      settings->prefix, -1);
  gchar *id = g_strdup_printf ("videohistogram%.9s", hash);

  g_free (hash);
  return id;
}

static int
set_up (VhmBroker * broker, const gchar * will_topic, const gchar * will)
{
  const VhmMqttSettings *s = broker->settings;
  struct mosquitto *mosquitto = broker->mosquitto;
  int code;

  mosquitto_threaded_set (mosquitto, true);
  mosquitto_connect_callback_set (mosquitto, on_connect);
  mosquitto_publish_callback_set (mosquitto, on_publish);
  mosquitto_log_callback_set (mosquitto, on_log);
  /* Send everything at once, in order; the delivery limits how much. */
  mosquitto_max_inflight_messages_set (mosquitto, 0);
  code = mosquitto_will_set (mosquitto, will_topic, strlen (will), will, QOS,
      true);
  if (code == MOSQ_ERR_SUCCESS && s->user)
    code = mosquitto_username_pw_set (mosquitto, s->user, s->password);
  if (code == MOSQ_ERR_SUCCESS && s->tls)
    code = mosquitto_tls_set (mosquitto, s->ca,
        s->ca ? NULL : SYSTEM_CERTIFICATES, s->certificate, s->key, NULL);
  return code;
}

/* Explains @code, naming the file that cannot be read, which libmosquitto does
 * not do. To be freed. */
static gchar *
explain_set_up (const VhmMqttSettings * settings, int code)
{
  const gchar *const files[] = { settings->ca, settings->certificate,
    settings->key
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (files); i++)
    if (files[i] && g_access (files[i], R_OK))
      return g_strdup_printf ("%s: %s", files[i], g_strerror (errno));
  return g_strdup (mosquitto_strerror (code));
}

static void
start_thread (VhmBroker * broker)
{
  GError *error = NULL;

  atomic_fetch_add (&n_threads, 1);
  if (vhm_threads_run ("mqtt", broker_thread, broker_ref (broker), &error))
    return;
  atomic_fetch_sub (&n_threads, 1);
  broker_unref (broker);
  send_report (broker, deliver_ended, g_strdup (error->message), g_free);
  g_error_free (error);
}

VhmBroker *
vhm_broker_new (const VhmMqttSettings * settings,
    const gchar * will_topic, const gchar * will,
    const VhmBrokerHandler * handler, gpointer data)
{
  static gsize initialized;
  VhmBroker *broker = g_atomic_rc_box_new0 (VhmBroker);
  gchar *id = make_client_id (settings);
  int code;

  if (g_once_init_enter (&initialized)) {
    mosquitto_lib_init ();
    g_once_init_leave (&initialized, 1);
  }
  broker->settings = vhm_group_ref (settings);
  broker->handler = handler;
  broker->data = data;
  broker->mosquitto = mosquitto_new (id, true, broker);
  g_free (id);
  broker->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (broker->wake < 0) {
    send_report (broker, deliver_ended, g_strdup (g_strerror (errno)), g_free);
    return broker;
  }
  code = set_up (broker, will_topic, will);
  if (code == MOSQ_ERR_SUCCESS)
    start_thread (broker);
  else
    send_report (broker, deliver_ended, explain_set_up (settings, code),
        g_free);
  return broker;
}

static void
wake_thread (VhmBroker * broker)
{
  if (broker->wake >= 0)
    eventfd_write (broker->wake, 1);
}

gint
vhm_broker_publish (VhmBroker * broker, const gchar * topic,
    const gchar * payload, gboolean retained)
{
  return vhm_broker_publish_data (broker, topic, payload, strlen (payload),
      retained);
}

gint
vhm_broker_publish_data (VhmBroker * broker, const gchar * topic,
    gconstpointer data, gsize length, gboolean retained)
{
  int message;
  const int code = mosquitto_publish (broker->mosquitto, &message, topic,
      length, data, QOS, retained);

  atomic_fetch_add (&broker->published, 1);
  wake_thread (broker);
  return code == MOSQ_ERR_SUCCESS ? message : -1;
}

void
vhm_broker_forget (VhmBroker * broker)
{
  broker->handler = NULL;
  atomic_store (&broker->stopped, g_get_monotonic_time ());
  mosquitto_disconnect (broker->mosquitto);
  wake_thread (broker);
  broker_unref (broker);
}

guint
vhm_broker_count_threads (void)
{
  return atomic_load (&n_threads);
}
