/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtspanswers.h"

#include "elementtype.h"
#include "intakeerror.h"
#include "sdp.h"
#include "threads.h"

#include <gio/gio.h>
#include <gst/rtsp/gstrtspmessage.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* How often the kernel is asked, per second. */
#define TICKS 4

struct _VhmRtspAnswers
{
  GWeakRef rtsp, source;
  atomic_bool progress;         /* since the last tick */
  _Atomic guint64 rtp;          /* bytes */

  GMutex lock;                  /* for what follows */
  GSocket *socket;              /* or NULL */
  guint64 base;                 /* bytes of it that no longer count */
};

/* The last connection that this thread has made. rtspsrc sends its first
 * request from the thread in which it has connected. */
static GPrivate last_connection = G_PRIVATE_INIT (g_object_unref);

gboolean
vhm_rtsp_answers_is_source (GstElement * element)
{
  return g_signal_lookup ("before-send", G_OBJECT_TYPE (element)) != 0;
}

gboolean
vhm_rtsp_answers_is_manager (GstElement * element)
{
  return vhm_element_is (element, "rtpbin");
}

static void
clear_answers (gpointer data)
{
  VhmRtspAnswers *answers = data;

  g_weak_ref_clear (&answers->rtsp);
  g_weak_ref_clear (&answers->source);
  g_mutex_clear (&answers->lock);
  g_clear_object (&answers->socket);
}

static VhmRtspAnswers *
answers_ref (VhmRtspAnswers * answers)
{
  return g_atomic_rc_box_acquire (answers);
}

void
vhm_rtsp_answers_unref (VhmRtspAnswers * answers)
{
  g_atomic_rc_box_release_full (answers, clear_answers);
}

static void
unref_in_closure (gpointer answers, G_GNUC_UNUSED GClosure * closure)
{
  vhm_rtsp_answers_unref (answers);
}

/* Connections */

static gboolean
on_client_event (G_GNUC_UNUSED GSignalInvocationHint * hint,
    G_GNUC_UNUSED guint n, const GValue * values,
    G_GNUC_UNUSED gpointer data)
{
  GObject *connection = g_value_get_object (&values[3]);

  if (g_value_get_enum (&values[1]) == G_SOCKET_CLIENT_CONNECTED
      && G_IS_SOCKET_CONNECTION (connection))
    g_private_replace (&last_connection, g_object_ref
        (g_socket_connection_get_socket (G_SOCKET_CONNECTION (connection))));
  return TRUE;
}

static void
watch_clients (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
  g_signal_add_emission_hook (g_signal_lookup ("event",
          G_OBJECT_CLASS_TYPE (g_type_class_ref (G_TYPE_SOCKET_CLIENT))), 0,
      on_client_event, NULL, NULL);
  g_once_init_leave (&done, 1);
}

static gboolean
on_before_send (G_GNUC_UNUSED GstElement * rtsp,
    G_GNUC_UNUSED GstRTSPMessage * message, VhmRtspAnswers * answers)
{
  GSocket *socket = g_private_get (&last_connection);

  /* A closed one is of another camera that this thread has served. */
  if (!socket || g_socket_is_closed (socket))
    return TRUE;
  g_mutex_lock (&answers->lock);
  if (g_set_object (&answers->socket, socket)) {
    answers->base = 0;
    atomic_store (&answers->rtp, 0);
  }
  g_mutex_unlock (&answers->lock);
  return TRUE;
}

/* Bytes */

/* How many bytes the program has read from a connection. */
static guint64
get_read_bytes (GSocket * socket)
{
  struct tcp_info info = { 0 };
  socklen_t size = sizeof info;
  const gssize unread = g_socket_get_available_bytes (socket);

  if (getsockopt (g_socket_get_fd (socket), IPPROTO_TCP, TCP_INFO, &info,
          &size))
    return 0;
  return info.tcpi_bytes_received - MIN (info.tcpi_bytes_received,
      (guint64) MAX (unread, 0));
}

static gboolean
uses_udp (GstBin * rtsp)
{
  gboolean uses = FALSE;
  GList *l;

  GST_OBJECT_LOCK (rtsp);
  for (l = rtsp->children; l; l = l->next)
    uses |= GST_OBJECT_FLAG_IS_SET (l->data, GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_UNLOCK (rtsp);
  return uses;
}

/* Whether too many bytes came. */
static gboolean
check_bytes (VhmRtspAnswers * answers, gboolean udp)
{
  const gboolean interleaved = !udp && atomic_load (&answers->rtp);
  const gboolean progress = atomic_exchange (&answers->progress, FALSE);
  guint64 bytes;

  if (!answers->socket)
    return FALSE;
  bytes = get_read_bytes (answers->socket);
  if (interleaved)
    bytes -= MIN (bytes, atomic_load (&answers->rtp));
  if (interleaved && progress)
    answers->base = bytes;
  answers->base = MIN (bytes, answers->base
      + VHM_ANSWER_BYTES_PER_SECOND / TICKS);
  return bytes - answers->base > (interleaved ? VHM_MAX_BYTES_BESIDE_RTP
      : VHM_MAX_RTSP_ANSWER_BYTES);
}

/* rtspsrc does not stop to read while bytes come, so the connection ends. */
static void
end (VhmRtspAnswers * answers, GstElement * source)
{
  vhm_intake_fail (source, VHM_INTAKE_ERROR_ANSWERS, "its answers over RTSP "
      "have more than %d MB besides video",
      VHM_MAX_RTSP_ANSWER_BYTES / 1000000);
  g_mutex_lock (&answers->lock);
  g_socket_shutdown (answers->socket, TRUE, TRUE, NULL);
  g_mutex_unlock (&answers->lock);
}

static gboolean
on_tick (gpointer data)
{
  VhmRtspAnswers *answers = data;
  GstElement *rtsp = g_weak_ref_get (&answers->rtsp);
  GstElement *source = g_weak_ref_get (&answers->source);
  gboolean failed = FALSE;

  if (rtsp && source) {
    g_mutex_lock (&answers->lock);
    failed = check_bytes (answers, uses_udp (GST_BIN (rtsp)));
    g_mutex_unlock (&answers->lock);
  }
  if (failed)
    end (answers, source);
  g_clear_object (&source);
  if (!rtsp || failed) {
    gst_clear_object (&rtsp);
    return G_SOURCE_REMOVE;
  }
  gst_object_unref (rtsp);
  return G_SOURCE_CONTINUE;
}

static gpointer
run_ticks (gpointer context)
{
  GMainLoop *loop = g_main_loop_new (context, FALSE);

  g_main_loop_run (loop);
  return NULL;
}

/* The kernel does not answer while a thread reads from the connection, which a
 * fast sender can make last. The main thread must not wait for that. */
static GMainContext *
get_context (void)
{
  static GMainContext *context;
  static gsize done;

  if (!g_once_init_enter (&done))
    return context;
  context = g_main_context_new ();
  if (!vhm_threads_run ("rtsp-answers", run_ticks, context, NULL))
    g_clear_pointer (&context, g_main_context_unref);
  g_once_init_leave (&done, 1);
  return context;
}

static void
start_ticks (VhmRtspAnswers * answers)
{
  GSource *tick = g_timeout_source_new (1000 / TICKS);

  g_source_set_callback (tick, on_tick, answers_ref (answers),
      (GDestroyNotify) vhm_rtsp_answers_unref);
  g_source_attach (tick, get_context ());
  g_source_unref (tick);
}

static gboolean
on_select_stream (G_GNUC_UNUSED GstElement * rtsp, guint number,
    G_GNUC_UNUSED GstCaps * caps, G_GNUC_UNUSED gpointer data)
{
  return number < VHM_MAX_RTSP_STREAMS;
}

static void
on_sdp (G_GNUC_UNUSED GstElement * rtsp, GstSDPMessage * sdp,
    G_GNUC_UNUSED gpointer data)
{
  vhm_sdp_reduce (sdp);
}

void
vhm_rtsp_answers_note_data (VhmRtspAnswers * answers, gsize size)
{
  atomic_fetch_add (&answers->rtp, size);
}

void
vhm_rtsp_answers_note_progress (VhmRtspAnswers * answers)
{
  atomic_store (&answers->progress, TRUE);
}

VhmRtspAnswers *
vhm_rtsp_answers_new (GstElement * rtsp, GstElement * source)
{
  VhmRtspAnswers *answers = g_atomic_rc_box_new0 (VhmRtspAnswers);

  watch_clients ();
  g_weak_ref_init (&answers->rtsp, rtsp);
  g_weak_ref_init (&answers->source, source);
  g_mutex_init (&answers->lock);
  g_signal_connect_data (rtsp, "before-send", G_CALLBACK (on_before_send),
      answers_ref (answers), unref_in_closure, 0);
  g_signal_connect (rtsp, "on-sdp", G_CALLBACK (on_sdp), NULL);
  g_signal_connect (rtsp, "select-stream", G_CALLBACK (on_select_stream), NULL);
  start_ticks (answers);
  return answers;
}
