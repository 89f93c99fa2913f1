/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applications that change states where they should not: in a handler of
 * `histogram`, in a bus sync handler, in a pad probe. The result is the same
 * as with GStreamer's own elements, with either backend, and the process
 * survives. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define SOURCE \
  "videotestsrc name=source ! " \
  "video/x-raw,format=NV12,width=320,height=240,framerate=25/1 ! "
#define OURS "videohistogram name=e interval=0 backend="
#define MAX_WAIT (TEST_MAX_WAIT * G_TIME_SPAN_SECOND)

/* The action of a handler. */
typedef enum
{
  TO_NULL,
  TO_READY,
  TO_NULL_AND_BACK,
  UNREF,                        /* to NULL, and drops the last reference */
  N_ACTIONS
} Action;

typedef struct
{
  GMutex lock;
  GCond changed;
  GstElement *pipeline;
  Action action;
  GstStateChangeReturn result;
  gboolean begun, done;
  gboolean started;             /* whether the test has started the pipeline */
  gint inside;                  /* atomic: threads in the handler */
} Run;

static gint n_warnings;         /* atomic: warnings by GStreamer with
                                 * g_warning() */

static void
note_warning (G_GNUC_UNUSED const gchar * domain,
    G_GNUC_UNUSED GLogLevelFlags level, const gchar * message,
    G_GNUC_UNUSED gpointer user_data)
{
  fail_unless (strstr (message, "its thread would deadlock") != NULL, "%s",
      message);
  g_atomic_int_inc (&n_warnings);
}

static void
setup (void)
{
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, note_warning, NULL);
  g_atomic_int_set (&n_warnings, 0);
  test_set_delay (3000);
}

static gboolean
is_first (Run * run)
{
  gboolean first;

  g_mutex_lock (&run->lock);
  first = !run->begun;
  run->begun = TRUE;
  /* The test has no reference of its own while it starts the pipeline. */
  while (first && run->action == UNREF && !run->started)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
  return first;
}

static void
change_state (Run * run)
{
  run->result = gst_element_set_state (run->pipeline,
      run->action == TO_READY ? GST_STATE_READY : GST_STATE_NULL);
  if (run->action == TO_NULL_AND_BACK)
    gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
  else if (run->action == UNREF)
    gst_clear_object (&run->pipeline);

  g_mutex_lock (&run->lock);
  run->done = TRUE;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
}

/* Acts once. */
static void
act (Run * run)
{
  g_atomic_int_inc (&run->inside);
  if (is_first (run))
    change_state (run);
  g_atomic_int_add (&run->inside, -1);
}

static void
on_histogram (G_GNUC_UNUSED GstElement * element,
    G_GNUC_UNUSED GstVideoHistogram * histogram, Run * run)
{
  act (run);
}

static void
on_handoff (G_GNUC_UNUSED GstElement * element,
    G_GNUC_UNUSED GstBuffer * buffer, Run * run)
{
  act (run);
}

static GstBusSyncReply
on_message (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
    act (user_data);
  return GST_BUS_PASS;
}

static GstPadProbeReturn
on_buffer (G_GNUC_UNUSED GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    gpointer user_data)
{
  act (user_data);
  return GST_PAD_PROBE_OK;
}

static void
run_init (Run * run, const gchar * elements, Action action)
{
  gchar *launch = g_strdup_printf (SOURCE "%s ! fakesink", elements);

  memset (run, 0, sizeof (*run));
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
  run->pipeline = gst_parse_launch (launch, NULL);
  fail_unless (run->pipeline != NULL);
  run->action = action;
  g_free (launch);
}

static void
connect_signal (Run * run, const gchar * name, GCallback handler,
    gpointer user_data)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (run->pipeline), "e");

  g_signal_connect (element, name, handler, user_data);
  gst_object_unref (element);
}

static void
connect_probe (Run * run, const gchar * name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (run->pipeline), "e");
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, run, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static void
connect_bus (Run * run)
{
  GstBus *bus = gst_element_get_bus (run->pipeline);

  gst_bus_set_sync_handler (bus, on_message, run, NULL);
  gst_object_unref (bus);
}

/* Plays until the handler has acted. Returns the result of the state change in
 * the handler. */
static GstStateChangeReturn
play (Run * run)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;

  gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&run->lock);
  run->started = TRUE;
  g_cond_broadcast (&run->changed);
  while (!run->done) {
    fail_unless (g_cond_wait_until (&run->changed, &run->lock, end),
        "the handler did not come back");
  }
  g_mutex_unlock (&run->lock);

  return run->result;
}

/* A streaming thread that stopped its own pipeline pauses after it returns, and
 * can be ended only then. */
static void
wait_for_pause (Run * run)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (run->pipeline), "source");
  GstPad *pad = gst_element_get_static_pad (source, "src");
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;

  while (gst_pad_get_task_state (pad) != GST_TASK_PAUSED) {
    fail_unless (g_get_monotonic_time () < end, "the handler's thread is lost");
    g_usleep (G_TIME_SPAN_MILLISECOND);
  }
  gst_pad_stop_task (pad);
  gst_object_unref (pad);
  gst_object_unref (source);
}

static void
run_clear (Run * run)
{
  if (run->pipeline) {
    fail_unless_equals_int (gst_element_set_state (run->pipeline,
            GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    gst_clear_object (&run->pipeline);
  }
  while (g_atomic_int_get (&run->inside) > 0)
    g_usleep (G_TIME_SPAN_MILLISECOND);
}

/* For frames counted on the GPU, however fast, results come from a thread that
 * no state change waits for. */
GST_START_TEST (test_result_thread)
{
  const Action action = __i__ % N_ACTIONS;
  Run run;

  if (__i__ / N_ACTIONS / 2)
    test_set_delay (0);
  run_init (&run, OURS "cuda", action);
  if (__i__ / N_ACTIONS % 2)
    connect_bus (&run);
  else
    connect_signal (&run, "histogram", G_CALLBACK (on_histogram), &run);
  fail_unless_equals_int (play (&run), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 0);
  run_clear (&run);
}

GST_END_TEST;

/* A streaming thread cannot join itself: our element behaves like GStreamer's
 * identity. */
GST_START_TEST (test_streaming_thread)
{
  static const gchar *const elements[] = { OURS "cpu", OURS "cuda",
    "videoequalize name=e", "videoscope name=e",
    "videoscope name=e layout=beside"
  };
  static const gchar *const pads[] = { "sink", "src" };
  const Action action = __i__ % 2 ? TO_READY : TO_NULL;
  GstStateChangeReturn expected;
  gint expected_warnings;
  Run run;
  guint i, k;

  run_init (&run, "identity name=e signal-handoffs=true", action);
  connect_signal (&run, "handoff", G_CALLBACK (on_handoff), &run);
  expected = play (&run);
  wait_for_pause (&run);
  run_clear (&run);
  expected_warnings = g_atomic_int_get (&n_warnings);

  for (i = 0; i < G_N_ELEMENTS (elements); i++) {
    /* Only the CPU has the histogram of the first frame at once. */
    for (k = 0; k < (i == 0 ? 4 : 2); k++) {
      g_atomic_int_set (&n_warnings, 0);
      run_init (&run, elements[i], action);
      if (k < 2)
        connect_probe (&run, pads[k]);
      else if (k == 2)
        connect_signal (&run, "histogram", G_CALLBACK (on_histogram), &run);
      else
        connect_bus (&run);
      fail_unless_equals_int (play (&run), expected);
      wait_for_pause (&run);
      run_clear (&run);
      fail_unless_equals_int (g_atomic_int_get (&n_warnings),
          expected_warnings);
    }
  }
}

GST_END_TEST;

static void
on_slow_histogram (G_GNUC_UNUSED GstElement * element,
    G_GNUC_UNUSED GstVideoHistogram * histogram, gint * running)
{
  g_atomic_int_inc (running);
  g_usleep (3000);
  g_atomic_int_add (running, -1);
}

/* No handler runs after a state change from another thread. */
GST_START_TEST (test_nothing_after_stop)
{
  gint running = 0;
  Run run;

  run_init (&run, OURS "cuda", TO_NULL);
  connect_signal (&run, "histogram", G_CALLBACK (on_slow_histogram), &running);
  gst_element_set_state (run.pipeline, GST_STATE_PLAYING);
  g_usleep (50000);
  gst_element_set_state (run.pipeline, GST_STATE_NULL);
  fail_unless_equals_int (g_atomic_int_get (&running), 0);
  g_usleep (20000);
  fail_unless_equals_int (g_atomic_int_get (&running), 0);
  gst_object_unref (run.pipeline);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond changed;
  GstElement *pipeline;         /* the only reference to it */
  GWeakRef weak;
  gboolean lived;               /* after that reference was dropped */
  gboolean done;
} Drop;

static gint ended;              /* the thread that dropped the pipeline has */

static void
on_thread_ended (G_GNUC_UNUSED gpointer data)
{
  g_atomic_int_set (&ended, TRUE);
}

static GPrivate thread_end = G_PRIVATE_INIT (on_thread_ended);

/* Stops and drops the pipeline in which the message is being posted. */
static GstBusSyncReply
on_message_of_element (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    gpointer user_data)
{
  Drop *drop = user_data;
  GstElement *pipeline = NULL;
  GstObject *alive;

  g_mutex_lock (&drop->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
    pipeline = g_steal_pointer (&drop->pipeline);
  g_mutex_unlock (&drop->lock);
  if (pipeline) {
    g_private_set (&thread_end, drop);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    alive = g_weak_ref_get (&drop->weak);
    g_mutex_lock (&drop->lock);
    drop->lived = alive != NULL;
    drop->done = TRUE;
    g_cond_signal (&drop->changed);
    g_mutex_unlock (&drop->lock);
    gst_clear_object (&alive);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* GStreamer's bins do not live for the messages that pass them: an element's
 * own thread, for which a state change in its handler does not wait, holds
 * them. The handler is on the bus of the element, below all bins. */
GST_START_TEST (test_pipeline_dropped_in_message)
{
  static const gchar *const launches[] = {
    SOURCE OURS "cuda ! fakesink",
    "videohealth name=e conditions=signal-loss "
        "rules=signal-loss,enter=0.1,leave=0.05"
  };
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  GstElement *bin = gst_parse_bin_from_description (launches[__i__], FALSE,
      NULL);
  GstElement *pipeline = gst_pipeline_new (NULL);
  Drop drop = {.pipeline = NULL };
  GstElement *element;
  GstBus *bus = gst_bus_new ();

  g_atomic_int_set (&ended, FALSE);
  fail_unless (bin != NULL);
  gst_bin_add (GST_BIN (pipeline), bin);
  g_mutex_init (&drop.lock);
  g_cond_init (&drop.changed);
  g_weak_ref_init (&drop.weak, pipeline);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  gst_bus_set_sync_handler (bus, on_message_of_element, &drop, NULL);
  gst_element_set_bus (element, bus);
  gst_object_unref (element);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  g_mutex_lock (&drop.lock);
  drop.pipeline = pipeline;
  while (!drop.done) {
    fail_unless (g_cond_wait_until (&drop.changed, &drop.lock, end),
        "no message was posted");
  }
  g_mutex_unlock (&drop.lock);
  fail_unless (drop.lived, "the pipeline was gone while a message passed it");
  while ((pipeline = g_weak_ref_get (&drop.weak))) {
    gst_object_unref (pipeline);
    fail_unless (g_get_monotonic_time () < end, "the pipeline is never freed");
    g_usleep (G_TIME_SPAN_MILLISECOND);
  }
  /* The thread frees elements and their tasks even after the pipeline. What
   * runs between two tests must not meet that. */
  while (!g_atomic_int_get (&ended)) {
    fail_unless (g_get_monotonic_time () < end, "the thread never ends");
    g_usleep (G_TIME_SPAN_MILLISECOND);
  }
  gst_object_unref (bus);
  g_weak_ref_clear (&drop.weak);
  g_mutex_clear (&drop.lock);
  g_cond_clear (&drop.changed);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean inside;
  gint64 hold;                  /* us */
} Handler;

static void
on_held_histogram (G_GNUC_UNUSED GstElement * element,
    G_GNUC_UNUSED GstVideoHistogram * histogram, Handler * handler)
{
  g_mutex_lock (&handler->lock);
  handler->inside = TRUE;
  g_cond_signal (&handler->changed);
  g_mutex_unlock (&handler->lock);
  g_usleep (handler->hold);
}

/* A flush during a handler: the message of that frame is posted before the
 * flush ends, and none after it. A handler that takes too long might be waiting
 * for the flush, which then continues. */
GST_START_TEST (test_nothing_after_flush)
{
  const gboolean is_short = !__i__;
  Handler handler = {.hold = is_short ? 50000 : 2 * G_TIME_SPAN_SECOND };
  gint64 start;
  TestElement t;

  g_mutex_init (&handler.lock);
  g_cond_init (&handler.changed);
  test_element_init (&t, "video/x-raw,format=GRAY8,width=64,height=48",
      "backend", "cuda", "interval", "0", NULL);
  g_signal_connect (t.element, "histogram", G_CALLBACK (on_held_histogram),
      &handler);
  test_element_push (&t, test_gray_buffer (64, 48, 100, 0));
  g_mutex_lock (&handler.lock);
  while (!handler.inside)
    g_cond_wait (&handler.changed, &handler.lock);
  g_mutex_unlock (&handler.lock);

  start = g_get_monotonic_time ();
  gst_harness_push_event (t.h, gst_event_new_flush_start ());
  gst_harness_push_event (t.h, gst_event_new_flush_stop (TRUE));
  if (is_short) {
    fail_unless_equals_int (test_element_count_results (&t), 1);
  } else {
    fail_unless (g_get_monotonic_time () - start < handler.hold / 2);
  }
  test_element_clear (&t);
  g_mutex_clear (&handler.lock);
  g_cond_clear (&handler.changed);
}

GST_END_TEST;

TEST_SUITE (handlers, setup, NULL)
{
  tcase_add_loop_test (tc, test_result_thread, 0, 4 * N_ACTIONS);
  tcase_add_loop_test (tc, test_streaming_thread, 0, 2);
  tcase_add_loop_test (tc, test_pipeline_dropped_in_message, 0, 2);
  tcase_add_test (tc, test_nothing_after_stop);
  tcase_add_loop_test (tc, test_nothing_after_flush, 0, 2);
}
