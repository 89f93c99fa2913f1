/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videoscope on a failing GPU: each frame leaves, drawn on as by
 * the CPU or unchanged, and is counted. tests/cuda/drawing.py compares drawings
 * without failures. */
#include <string.h>

#include "common/suite.h"
#include "gpu.h"

#define WIDTH 64
#define HEIGHT 48
#define N_FRAMES 6
#define OUT_OF_MEMORY 2

/* More than the calls of any one name for the first frame. */
#define MAX_CALLS 100

static void
init_element (TestElement * t, const gchar * layout, gboolean cuda)
{
  GstCaps *caps = test_caps ("NV12", WIDTH, HEIGHT);

  test_element_init_scope (t, NULL, "layout", layout, "position", "right",
      NULL);
  test_gpu_set_caps (t, caps, cuda);
  gst_caps_unref (caps);
}

/* A frame in CUDA memory and the same in system memory, before and after the
 * CPU draws on it. */
typedef struct
{
  TestFrame frame;
  GstBuffer *buffer, *drawn;
} Picture;

static void
picture_init (Picture * self)
{
  TestElement cpu;

  test_frame_init_plain (&self->frame, &test_numbers, GST_VIDEO_FORMAT_NV12,
      WIDTH, HEIGHT, NULL);
  self->buffer = test_copy_off_pool (test_upload (&test_uploader,
          self->frame.buffer, self->frame.caps));
  init_element (&cpu, "overlay", FALSE);
  self->drawn = test_element_pass (&cpu,
      gst_buffer_copy_deep (self->frame.buffer));
  test_element_clear (&cpu);
}

static void
picture_clear (Picture * self)
{
  gst_buffer_unref (self->drawn);
  test_frame_clear (&self->frame);
}

static gboolean
is_untouched (const Picture * self, GstBuffer * buffer)
{
  return test_same_picture (buffer, self->frame.buffer, self->frame.caps);
}

static gboolean
is_black (GstBuffer * buffer)
{
  GBytes *bytes = test_read (buffer);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  const gboolean black = data[0] == 16 && data[WIDTH - 1] == 16;

  g_bytes_unref (bytes);
  return black;
}

/* Frames pass unchanged or, if the output has another size, are replaced by
 * black, and one warning says why. */
GST_START_TEST (test_failing_gpu)
{
  const gboolean held = __i__ == 1, beside = __i__ == 2;
  Picture picture;
  GstBuffer *out;
  TestElement t;
  guint n;

  if (test_leave_out ("a GPU that fails"))
    return;
  init_element (&t, beside ? "beside" : "overlay", TRUE);
  picture_init (&picture);
  test_element_push (&t, picture.buffer);
  picture_clear (&picture);
  for (n = 0; n < N_FRAMES; n++) {
    picture_init (&picture);
    test_double ()->fail_call (TEST_GPU_LAUNCH, 1, OUT_OF_MEMORY,
        VH_DOUBLE_EVER);
    if (held)
      gst_buffer_ref (picture.buffer);
    out = test_element_pass (&t, picture.buffer);
    test_double ()->reset ();
    fail_unless_equals_int (out == picture.buffer, !beside);
    fail_unless (beside ? is_black (out) : is_untouched (&picture, out));
    gst_buffer_unref (out);
    if (held)
      gst_buffer_unref (picture.buffer);
    picture_clear (&picture);
  }
  test_element_check_count (&t, "drawn", 1);
  test_element_check_count (&t, "undrawn", N_FRAMES);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 1);
  test_element_clear (&t);
}

GST_END_TEST;

/* Passes a frame while call @n of the driver's @call fails, and returns whether
 * it was drawn on as by the CPU; otherwise it must be unchanged. */
static gboolean
pass (TestElement * t, gboolean held, const gchar * call, guint n)
{
  gboolean is_drawn;
  Picture picture;
  GstBuffer *out;

  picture_init (&picture);
  test_double ()->fail_call (call, n, OUT_OF_MEMORY, VH_DOUBLE_ONCE);
  if (held)
    gst_buffer_ref (picture.buffer);
  out = test_element_pass (t, picture.buffer);
  test_double ()->reset ();
  is_drawn = test_same_picture (out, picture.drawn, picture.frame.caps);
  fail_unless (is_drawn || is_untouched (&picture, out), "%s %u: half a frame",
      call, n);
  if (held) {
    fail_unless (is_untouched (&picture, picture.buffer),
        "%s %u: a held frame was written to", call, n);
    gst_buffer_unref (picture.buffer);
  }
  gst_buffer_unref (out);
  picture_clear (&picture);
  return is_drawn;
}

static const gchar *const calls[] = { TEST_GPU_LAUNCH, "cuMemAllocAsync",
  "cuMemcpy2DAsync_v2", "cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent"
};

/* Each driver call for the first frame of an element fails once. If a call
 * fails after everything is enqueued, the frame is drawn on, but counted as not
 * drawn. */
GST_START_TEST (test_calls)
{
  const gchar *call = calls[__i__ / 2];
  const gboolean held = __i__ % 2;
  guint n, undrawn;
  TestElement t;

  if (test_leave_out ("a GPU that fails"))
    return;
  for (n = 1, undrawn = 1; undrawn > 0; n++) {
    gboolean is_drawn;

    fail_unless (n <= MAX_CALLS);
    init_element (&t, "overlay", TRUE);
    is_drawn = pass (&t, held, call, n);
    undrawn = test_element_get_count (&t, "undrawn");
    test_element_check_count (&t, "drawn", 1 - undrawn);
    fail_unless (is_drawn || undrawn, "%s %u: counted as drawn on", call, n);
    fail_unless_equals_int (test_element_count_messages (&t,
            GST_MESSAGE_WARNING), undrawn);
    test_element_clear (&t);
  }
}

GST_END_TEST;

TEST_SUITE (videoscope, test_gpu_setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_failing_gpu, 0, 3);
  tcase_add_loop_test (tc, test_calls, 0, 2 * G_N_ELEMENTS (calls));
}
