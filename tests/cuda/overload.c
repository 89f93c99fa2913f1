/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GPU that gets far more frames than it can count, or hangs, and a sink that
 * is always late: that costs analyses, never video. All frames come out
 * unchanged, and soon. TEST_OVERLOAD_FRAMES: number of frames each time. */

#include "common/env.h"
#include "common/figures.h"
#include "common/suite.h"
#include "gpu.h"

#define WIDTH 1920
#define HEIGHT 1080
#define N_FRAMES 4
#define FRAME_TIME (GST_SECOND / 30)

static const struct
{
  const gchar *name;
  gboolean cuda, hangs;
} cases[] = {
  {"CUDA memory", TRUE, FALSE},
  {"CUDA memory, a GPU that hangs", TRUE, TRUE},
  {"system memory", FALSE, FALSE},
};

/* Times of frames, in ns. */
typedef struct
{
  guint64 *time;
  guint n;
} Times;

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const guint64 *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The percentile @per_thousand, in microseconds. */
static gdouble
find_percentile (Times * self, guint per_thousand)
{
  qsort (self->time, self->n, sizeof (*self->time), compare_times);
  return self->time[((guint64) self->n * per_thousand + 999) / 1000 - 1] / 1e3;
}

/* Pushes @buffer into @h, takes the output, and records the time. */
static GstBuffer *
pass (GstHarness * h, GstBuffer * buffer, Times * times)
{
  const GstClockTime start = gst_util_get_timestamp ();

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  times->time[times->n++] = gst_util_get_timestamp () - start;
  buffer = gst_harness_try_pull (h);
  fail_unless (buffer != NULL, "a frame was lost");
  return buffer;
}

/* Makes frames like a source, in @buffers and as @bytes. Returns their caps. */
static GstCaps *
make_frames (gboolean cuda, GstBuffer * buffers[N_FRAMES],
    GBytes * bytes[N_FRAMES])
{
  TestRandom random = test_random_new (1);
  GstCaps *caps = NULL;
  TestFrame frame;
  guint i;

  for (i = 0; i < N_FRAMES; i++) {
    test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, WIDTH,
        HEIGHT, NULL);
    buffers[i] = cuda ? test_upload (&test_uploader, frame.buffer, frame.caps) :
        gst_buffer_ref (frame.buffer);
    bytes[i] = test_read (buffers[i]);
    gst_caps_take (&caps, cuda ? test_cuda_caps (frame.caps) :
        gst_caps_ref (frame.caps));
    test_frame_clear (&frame);
  }
  return caps;
}

static void
check_bytes (GstBuffer * buffer, GBytes * expected)
{
  GBytes *bytes = test_read (buffer);

  fail_unless (g_bytes_equal (bytes, expected), "a frame has changed");
  g_bytes_unref (bytes);
}

static void
note_figures (guint which, Times * ours, Times * identity)
{
  const gdouble alone = find_percentile (identity, 999);
  const gdouble us = find_percentile (ours, 999);
  gchar *name = g_strdup_printf ("latency added to 1080p in %s, p99.9",
      cases[which].name);

  test_figure (name, "%.0f us; in the same run identity takes %.0f us, "
      "medians are %.1f and %.1f us", us - alone, alone, find_percentile (ours,
          500), find_percentile (identity, 500));
  g_free (name);
}

GST_START_TEST (test_overload)
{
  const guint n = test_env_tier ("TEST_OVERLOAD_FRAMES", 400, 20000);
  const gboolean cuda = cases[__i__].cuda, hangs = cases[__i__].hangs;
  GstHarness *identity = gst_harness_new ("identity");
  Times ours = { g_new (guint64, n), 0 }, alone = { g_new (guint64, n), 0 };
  GstBuffer *frames[N_FRAMES], *buffer;
  GBytes *bytes[N_FRAMES];
  TestElement t;
  GstCaps *caps;
  guint i;

  if (hangs && test_leave_out ("a GPU that hangs"))
    return;
  caps = make_frames (cuda, frames, bytes);
  test_element_init (&t, NULL, "backend", "cuda", "interval", "0",
      "attach-meta", "always", "message-statistics", "false", NULL);
  gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
  gst_harness_set_src_caps (identity, caps);
  if (hangs)
    test_double ()->hang_kernels (TRUE);

  for (i = 0; i < n; i++) {
    GstBuffer *frame = frames[i % N_FRAMES];
    GstMessage *message;

    buffer = gst_buffer_copy (frame);
    GST_BUFFER_PTS (buffer) = i * FRAME_TIME;
    buffer = pass (t.h, buffer, &ours);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * FRAME_TIME);
    fail_unless (gst_buffer_peek_memory (buffer, 0) ==
        gst_buffer_peek_memory (frame, 0));
    /* Compares the bytes of this frame now and then. */
    if (i % 97 == 0)
      check_bytes (buffer, bytes[i % N_FRAMES]);
    gst_buffer_unref (buffer);
    gst_buffer_unref (pass (identity, gst_buffer_copy (frame), &alone));
    /* First all frames are on time, then the sink reports that all are late. */
    if (i > n / 2) {
      gst_harness_push_upstream_event (t.h, gst_event_new_qos
          (GST_QOS_TYPE_UNDERFLOW, 1000, GST_SECOND, i * FRAME_TIME));
    }
    while ((message = gst_bus_pop (t.bus))) {
      fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
      gst_message_unref (message);
    }
  }
  if (hangs)
    test_double ()->hang_kernels (FALSE);
  test_wait_for_frames (&t, n);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), n);
  fail_unless (test_element_get_count (&t, "dropped") > n / 2 - n / 10);
  note_figures (__i__, &ours, &alone);

  test_element_clear (&t);
  gst_harness_teardown (identity);
  for (i = 0; i < N_FRAMES; i++) {
    check_bytes (frames[i], bytes[i]);
    g_bytes_unref (bytes[i]);
    gst_buffer_unref (frames[i]);
  }
  g_free (ours.time);
  g_free (alone.time);
}

GST_END_TEST;

TEST_SUITE (overload, test_gpu_setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_overload, 0, G_N_ELEMENTS (cases));
}
