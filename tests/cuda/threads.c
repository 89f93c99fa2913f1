/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that start at the same time, each in a thread, and an application
 * that reads from one in a thread of its own. Mainly for ThreadSanitizer. */
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudautils.h>

#include "common/suite.h"
#include "gpu.h"

#define N_THREADS 4
#define N_ROUNDS 3
#define N_FRAMES 60

static TestFrame frame;
static GstVideoHistogram *expected;

static void
setup (void)
{
  TestRandom random = test_random_new (1);
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 320, 180,
      NULL);
  expected = test_count_on_cpu (frame.buffer, frame.caps, &spec);
}

static void
teardown (void)
{
  gst_video_histogram_unref (expected);
  test_frame_clear (&frame);
}

/* Passes @buffer, which has the frame; returns what is wrong with its
 * histogram. */
static const gchar *
pass (TestElement * t, GstBuffer * buffer)
{
  GstBuffer *out = test_element_pass (t, buffer);
  GstVideoHistogram *histogram = test_get_histogram (out);
  const gchar *wrong = test_compare (histogram, expected);

  gst_video_histogram_unref (histogram);
  gst_buffer_unref (out);
  return wrong;
}

static gpointer
start_and_count (gpointer n_waiting)
{
  const gchar *wrong = NULL;
  gint i;

  for (i = 1; i <= N_ROUNDS && !wrong; i++) {
    TestElement t;

    g_atomic_int_inc ((gint *) n_waiting);
    while (g_atomic_int_get ((gint *) n_waiting) < i * N_THREADS)
      g_thread_yield ();
    test_element_init (&t, NULL, "attach-meta", "always", "backend", "cuda",
        NULL);
    gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    wrong = pass (&t, gst_buffer_ref (frame.buffer));
    test_element_clear (&t);
  }
  return (gpointer) wrong;
}

/* Runs @function, which returns what is wrong, in all threads. */
static void
run_threads (GThreadFunc function, gpointer data)
{
  GThread *threads[N_THREADS];
  guint i;

  for (i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("element", function, data);
  for (i = 0; i < N_THREADS; i++) {
    const gchar *wrong = g_thread_join (threads[i]);

    fail_if (wrong, "%s", wrong);
  }
}

/* Runs first: the driver is loaded here. */
GST_START_TEST (test_at_once)
{
  gint n_waiting = 0;

  run_threads (start_and_count, &n_waiting);
}

GST_END_TEST;

/* Frames in CUDA memory, which elements launch together if they meet. */
typedef struct
{
  GstBuffer *buffer;
  gint n_waiting;               /* atomic */
} Together;

static gpointer
count_together (gpointer data)
{
  Together *self = data;
  const gchar *wrong = NULL;
  TestElement t;
  guint i;

  test_element_init (&t, NULL, "attach-meta", "always", "backend", "cuda",
      "interval", "0", "post-messages", "false", NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
  g_atomic_int_inc (&self->n_waiting);
  while (g_atomic_int_get (&self->n_waiting) < N_THREADS)
    g_thread_yield ();
  for (i = 0; i < N_FRAMES && !wrong; i++)
    wrong = pass (&t, gst_buffer_ref (self->buffer));
  test_element_clear (&t);
  return (gpointer) wrong;
}

GST_START_TEST (test_together)
{
  TestUploader uploader;
  Together together = { NULL, };

  test_uploader_init (&uploader, -1);
  together.buffer = test_upload (&uploader, frame.buffer, frame.caps);
  run_threads (count_together, &together);
  gst_buffer_unref (together.buffer);
  test_uploader_clear (&uploader);
}

GST_END_TEST;

typedef struct
{
  GstElement *element;
  GstContext *context;
  gint done;                    /* atomic */
} Application;

static gpointer
look_on (gpointer data)
{
  Application *self = data;

  while (!g_atomic_int_get (&self->done)) {
    GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
    GstVideoHistogram *histogram;
    GstVideoHistogramDeviceView view;
    gchar *backend, *reason;

    g_object_get (self->element, "last-histogram", &histogram,
        "active-backend", &backend, "backend-reason", &reason, NULL);
    if (histogram && gst_video_histogram_map_device (histogram, &view))
      gst_video_histogram_unmap_device (histogram, &view);
    gst_clear_video_histogram (&histogram);
    g_free (backend);
    g_free (reason);

    gst_element_query (self->element, query);
    gst_query_unref (query);
    gst_element_set_context (self->element, self->context);
  }
  return NULL;
}

static void
restart (TestElement * t)
{
  gst_element_set_state (t->element, GST_STATE_NULL);
  gst_element_set_state (t->element, GST_STATE_PLAYING);
  gst_harness_push_event (t->h, gst_event_new_stream_start ("restart"));
}

/* An application reads while contexts, caps and states change. */
GST_START_TEST (test_application)
{
  GstCudaContext *context = gst_cuda_context_new (0);
  Application application = {.context = gst_context_new_cuda_context (context)};
  TestUploader uploader;
  TestElement t;
  GThread *thread;
  guint i;

  test_uploader_init (&uploader, -1);
  test_element_init (&t, NULL, "attach-meta", "always", "interval", "0",
      "post-messages", "false", NULL);
  application.element = t.element;
  thread = g_thread_new ("application", look_on, &application);
  for (i = 0; i < N_FRAMES; i++) {
    GstBuffer *buffer;
    const gchar *wrong;

    if (i % 10 == 9) {
      restart (&t);
    } else if (i % 10 == 4) {
      test_uploader_clear (&uploader);
      test_uploader_init (&uploader, -1);
    }
    if (i % 3 == 0) {
      buffer = gst_buffer_ref (frame.buffer);
      gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    } else {
      buffer = test_upload (&uploader, frame.buffer, frame.caps);
      gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
    }
    wrong = pass (&t, buffer);
    fail_if (wrong, "%s", wrong);
  }
  g_atomic_int_set (&application.done, TRUE);
  g_thread_join (thread);
  test_element_clear (&t);
  test_uploader_clear (&uploader);
  gst_context_unref (application.context);
  gst_object_unref (context);
}

GST_END_TEST;

TEST_SUITE (threads, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_at_once);
  tcase_add_test (tc, test_together);
  tcase_add_test (tc, test_application);
}
