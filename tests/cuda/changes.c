/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes while frames flow that need no more memory than before allocate and
 * free nothing: properties, smaller frames, and the object that wraps a CUDA
 * context. */
#include "common/suite.h"
#include "cuda/gstcudacompat.h"
#include "gpu.h"

#define WIDTH 160
#define HEIGHT 96
#define WARM_UP 10              /* frames */
#define N_MOVES 50
#define N_CONTEXTS 6

static GstCaps *caps;

static void
setup (void)
{
  test_gpu_setup ();
  caps = test_caps ("NV12", WIDTH, HEIGHT);
}

static void
teardown (void)
{
  gst_clear_caps (&caps);
  test_gpu_teardown ();
}

/* Longer than the sleep of the thread that watches frames in flight. */
#define QUIET (80 * G_TIME_SPAN_MILLISECOND)

/* Number of calls so far that allocate or free. */
static guint
count_calls (void)
{
  return test_gpu_calls (TEST_GPU_ALLOCATIONS, NULL);
}

/* Waits until nothing is in flight, and everything it held is freed. */
static void
settle (void)
{
  guint before;

  test_gpu_finish ();
  do {
    before = count_calls ();
    g_usleep (QUIET);
  } while (count_calls () != before);
}

/* Name of the last of these calls. */
static const gchar *
last_call (void)
{
  static const gchar *const names[] = { TEST_GPU_ALLOCATIONS, NULL };
  guint i;

  for (i = test_double ()->calls (); i > 0; i--) {
    const gchar *name = test_double ()->call_name (i - 1);

    if (name && g_strv_contains (names, name))
      return name;
  }
  return "none";
}

/* Checks that there were no more such calls than @before. */
static void
check_calls (guint before, const gchar * what)
{
  const guint n = count_calls () - before;

  fail_if (n > 0, "%s: %u calls, the last %s", what, n, last_call ());
}

/* Properties */

typedef struct
{
  const gchar *name, *value;
} Change;

/* First the value that takes the most memory, then others. */
static const Change histogram_most[] = {
  {"channels", "luma+red+green+blue"}, {"grid", "4x3"}, {"bins", "256"},
  {"method", "warp-tables"}, {"method", "auto"}, {"roi", "0,0,100,80"},
};

static const Change histogram_changes[] = {
  {"bins", "64"}, {"grid", "3x3"}, {"channels", "luma+red"}, {"grid", "1x1"},
  {"channels", "luma"}, {"bins", "0"}, {"method", "warp-tables"},
  {"bins", "16"}, {"method", "block-vector"}, {"method", "auto"},
  {"interval", "1000000"}, {"interval", "0"}, {"roi", ""}, {"bins", "256"},
  {"grid", "4x3"}, {"channels", "luma+red+green+blue"}, {"roi", "1,2,30,40"},
  {"message-counts", "true"}, {"attach-meta", "never"},
};

static const Change equalize_most[] = {
  {"method", "clahe"}, {"tiles", "4x4"},
};

static const Change equalize_changes[] = {
  {"tiles", "3x3"}, {"strength", "0.5"}, {"tiles", "1x1"},
  {"method", "equalize"}, {"method", "gamma"}, {"method", "stretch"},
  {"smoothing", "500000000"}, {"method", "clahe"}, {"tiles", "2x3"},
  {"clip-limit", "5"}, {"tiles", "4x4"}, {"max-gain", "3"},
};

typedef struct
{
  gboolean equalize, cuda;
  gboolean held;                /* by another reference */
  TestElement t;
  GstBuffer *buffer;
  guint64 n;
} Stream;

static void
stream_init (Stream * self, guint which)
{
  *self = (Stream) {
    .equalize = which / 2,
    .cuda = which > 0,
    .held = which == 3,
  };
  if (self->equalize)
    test_element_init_equalize (&self->t, NULL, "smoothing", "0", NULL);
  else
    test_element_init (&self->t, NULL, "backend", "cuda", "interval", "0",
        "attach-meta", "always", "message-counts", "false",
        "message-statistics", "false", NULL);
  test_gpu_set_caps (&self->t, caps, self->cuda);
  self->buffer = test_gpu_frame (self->cuda ? &test_uploader : NULL, WIDTH,
      HEIGHT, NULL, NULL);
}

#define N_STREAMS 4

/* Passes a frame. A frame that nothing else holds is corrected in place, and
 * passed again the next time. */
static void
pass_at_once (Stream * self)
{
  const gboolean keeps = self->held || !self->equalize;
  GstBuffer *out;

  /* Further apart than the smallest interval. */
  GST_BUFFER_PTS (self->buffer) = self->n * 2 * GST_MSECOND;
  if (keeps)
    gst_buffer_ref (self->buffer);
  out = test_element_pass (&self->t, self->buffer);
  if (keeps)
    gst_buffer_unref (out);
  else
    self->buffer = out;
  self->n++;
}

/* Uses as much memory at once as the test will ever need. */
static void
warm_up (Stream * self)
{
  guint i;

  for (i = 0; i < WARM_UP; i++) {
    pass_at_once (self);
    if (i % 2 && !self->equalize)
      test_wait_for_frames (&self->t, self->n);
  }
}

/* Passes a frame, and waits until it is done and the watching thread has
 * noticed. */
static void
pass (Stream * self)
{
  pass_at_once (self);
  if (!self->equalize)
    test_wait_for_frames (&self->t, self->n);
  test_gpu_finish ();
  g_usleep (8000);
}

static void
set (Stream * self, const gchar * name, const gchar * value)
{
  gst_util_set_object_arg (G_OBJECT (self->t.element), name, value);
}

static void
apply (Stream * self, const Change * changes, guint n, gboolean checked)
{
  guint i, k;

  if (checked)
    settle ();
  for (i = 0; i < n; i++) {
    const guint before = count_calls ();

    set (self, changes[i].name, changes[i].value);
    if (!checked)
      warm_up (self);
    for (k = 0; checked && k < 2; k++)
      pass (self);
    if (checked)
      check_calls (before, changes[i].name);
  }
}

static void
stream_clear (Stream * self)
{
  if (self->equalize) {
    test_element_check_count (&self->t, "uncorrected", 0);
  } else {
    test_wait_for_frames (&self->t, self->n);
    test_element_check_count (&self->t, "processed", self->n);
    test_element_check_string (&self->t, "active-backend", "cuda");
  }
  fail_unless_equals_int (test_element_count_messages (&self->t,
          GST_MESSAGE_WARNING), 0);
  test_element_clear (&self->t);
  gst_buffer_unref (self->buffer);
}

/* Everything twice: the first time, memory comes into use. */
GST_START_TEST (test_properties)
{
  Stream stream;
  guint i;

  stream_init (&stream, __i__);
  for (i = 0; i < 2; i++) {
    if (stream.equalize) {
      apply (&stream, equalize_most, G_N_ELEMENTS (equalize_most), FALSE);
      apply (&stream, equalize_changes, G_N_ELEMENTS (equalize_changes), i);
    } else {
      apply (&stream, histogram_most, G_N_ELEMENTS (histogram_most), FALSE);
      apply (&stream, histogram_changes, G_N_ELEMENTS (histogram_changes), i);
    }
  }
  stream_clear (&stream);
}

GST_END_TEST;

/* A region that follows something in the picture. */
GST_START_TEST (test_moving)
{
  guint before, i;
  Stream stream;

  stream_init (&stream, __i__);
  set (&stream, "roi", "0,0,60,40");
  warm_up (&stream);
  settle ();
  before = count_calls ();
  for (i = 0; i < N_MOVES; i++) {
    gchar *roi = g_strdup_printf ("%u,%u,60,40", i, i / 2);

    set (&stream, "roi", roi);
    pass (&stream);
    g_free (roi);
  }
  check_calls (before, "a region that moves");
  stream_clear (&stream);
}

GST_END_TEST;

/* Smaller frames, then the first size again. */
GST_START_TEST (test_smaller)
{
  GstBuffer *buffers[2];
  GstCaps *all[2];
  guint before = 0, i;
  Stream stream;

  stream_init (&stream, __i__);
  buffers[0] = stream.buffer;
  all[0] = gst_caps_ref (caps);
  buffers[1] = test_copy_off_pool (test_gpu_frame (stream.cuda ?
          &test_uploader : NULL, WIDTH / 2, HEIGHT / 2, &all[1], NULL));
  warm_up (&stream);
  for (i = 0; i < 20; i++) {
    if (i == 4) {
      settle ();
      before = count_calls ();
    }
    stream.buffer = buffers[i % 2];
    test_gpu_set_caps (&stream.t, all[i % 2], stream.cuda);
    pass (&stream);
  }
  check_calls (before, "smaller frames");
  stream.buffer = buffers[0];
  gst_buffer_unref (buffers[1]);
  gst_caps_unref (all[0]);
  gst_caps_unref (all[1]);
  stream_clear (&stream);
}

GST_END_TEST;

/* Contexts */

/* A frame in memory of a context, with the object that wraps it. */
typedef struct
{
  GstCudaContext *context;
  GstBufferPool *pool;
  GstBuffer *buffer;
  GstVideoHistogram *expected;
} Place;

/* Takes @context. */
static void
place_init (Place * self, GstCudaContext * context)
{
  TestFrame frame;

  fail_unless (context != NULL);
  self->context = context;
  self->pool = test_cuda_pool_new (context, caps, 1, FALSE);
  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT, NULL);
  self->expected = test_count_on_cpu (frame.buffer, frame.caps, &test_spec);
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (self->pool,
          &self->buffer, NULL), GST_FLOW_OK);
  test_fill (self->buffer, &frame);
  test_frame_clear (&frame);
}

static void
place_clear (Place * self)
{
  gst_buffer_unref (self->buffer);
  test_pool_free (self->pool);
  gst_video_histogram_unref (self->expected);
  gst_object_unref (self->context);
}

static void
init_counting (TestElement * t)
{
  test_element_init (t, NULL, "interval", "0", "attach-meta", "always",
      "message-counts", "false", NULL);
  test_gpu_set_caps (t, caps, TRUE);
}

/* Counts the frame of @place with @t. */
static void
count (TestElement * t, Place * place)
{
  GstBuffer *out = test_element_pass (t, gst_buffer_copy (place->buffer));

  test_check_histogram (test_get_histogram (out),
      gst_video_histogram_ref (place->expected));
  gst_buffer_unref (out);
  test_element_check_string (t, "active-backend", "cuda");
  settle ();
}

static void
clear_counting (TestElement * t)
{
  fail_unless_equals_int (test_element_count_messages (t,
          GST_MESSAGE_WARNING), 0);
  test_element_clear (t);
}

/* Two objects wrap one context: for one element each, and for an element with
 * frames of both. Then one object goes away, and another comes. */
GST_START_TEST (test_wrappers)
{
  GstCudaContext *owner = gst_cuda_context_new (0);
  CUcontext handle = gst_cuda_context_get_handle (owner);
  Place places[2];
  TestElement t[3];
  guint before = 0, i, k;

  for (i = 0; i < 2; i++)
    place_init (&places[i], gst_cuda_context_new_wrapped (handle, 0));
  for (i = 0; i < 3; i++)
    init_counting (&t[i]);
  for (k = 0; k < 20; k++) {
    if (k == 5)
      before = count_calls ();
    count (&t[0], &places[0]);
    count (&t[1], &places[1]);
    count (&t[2], &places[k % 2]);
  }
  check_calls (before, "two wrappers");

  for (k = 0; k < 5; k++) {
    clear_counting (&t[0]);
    place_clear (&places[0]);
    count (&t[1], &places[1]);
    count (&t[2], &places[1]);
    place_init (&places[0], gst_cuda_context_new_wrapped (handle, 0));
    init_counting (&t[0]);
    count (&t[0], &places[0]);
    count (&t[2], &places[0]);
  }
  for (i = 0; i < 3; i++)
    clear_counting (&t[i]);
  for (i = 0; i < 2; i++)
    place_clear (&places[i]);
  gst_object_unref (owner);
}

GST_END_TEST;

/* A context goes away and another comes, perhaps with the same handle: for a
 * new element each time, and for one that stays. */
GST_START_TEST (test_reused_handles)
{
  const TestLive live = test_live ();
  const gboolean stays = __i__;
  gpointer handles[N_CONTEXTS];
  guint reused = 0, i, k;
  TestElement t;
  Place place;

  if (test_leave_out ("handles that come back"))
    return;
  test_double ()->reuse_handles (TRUE);
  for (i = 0; i < N_CONTEXTS; i++) {
    place_init (&place, gst_cuda_context_new (0));
    handles[i] = gst_cuda_context_get_handle (place.context);
    for (k = 0; k < i; k++)
      reused += handles[k] == handles[i];
    if (i == 0 || !stays)
      init_counting (&t);
    for (k = 0; k < 3; k++)
      count (&t, &place);
    if (!stays)
      clear_counting (&t);
    place_clear (&place);
  }
  fail_unless (reused > 0);
  if (stays)
    clear_counting (&t);
  test_gpu_check_live (&live);
}

GST_END_TEST;

TEST_SUITE (changes, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_properties, 0, N_STREAMS);
  tcase_add_loop_test (tc, test_moving, 0, 2);
  tcase_add_loop_test (tc, test_smaller, 0, 2);
  tcase_add_test (tc, test_wrappers);
  tcase_add_loop_test (tc, test_reused_handles, 0, 2);
}
