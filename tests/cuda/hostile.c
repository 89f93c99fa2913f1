/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers of common/hostile.c in CUDA memory, and between CUDA and host
 * memory. The driver double sees every access outside of them. */

#include "common/hostile.h"
#include "common/suite.h"
#include "gpu.h"

/* A frame of one row takes exactly the bytes of the row on any GPU. */
#define ROW_PIXELS 1152         /* of 4 bytes each */

/* Draws on one buffer in this many, because drawing is slowest on the
 * double. */
#define DRAWN_EVERY 11

static GstMemory *
make_cuda_memory (gconstpointer data, gsize size, GstMemoryFlags flags)
{
  /* Different caps, and so a different pool, each time: since 1.24 memory
   * returns to its pool, which would hand it out again in its changed state. */
  static gint rate;
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "RGBA", "width", G_TYPE_INT, ROW_PIXELS, "height", G_TYPE_INT, 1,
      "framerate", GST_TYPE_FRACTION, ++rate, 1, NULL);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, TEST_HOSTILE_SIZE, NULL);
  GstBuffer *uploaded;
  GstMemory *memory;

  gst_buffer_fill (buffer, 0, data, size);
  uploaded = test_upload (&test_uploader, buffer, caps);
  memory = gst_buffer_get_memory (uploaded, 0);
  gst_buffer_remove_all_memory (uploaded);
  gst_buffer_unref (uploaded);
  gst_memory_resize (memory, 0, size);
  GST_MINI_OBJECT_FLAG_SET (memory, flags);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  return memory;
}

static const TestHostileSource sources[] = {
  {TEST_HOSTILE_RAW ("(" TEST_CUDA ")"), "cuda", make_cuda_memory,
      FALSE},
  {TEST_HOSTILE_RAW (""), "auto", make_cuda_memory, FALSE},
};

GST_START_TEST (test_count)
{
  test_hostile_count (&sources[__i__ / test_hostile_n ()],
      __i__ % test_hostile_n ());
}

GST_END_TEST;

GST_START_TEST (test_correct)
{
  test_hostile_correct (&sources[__i__ / test_hostile_n ()],
      __i__ % test_hostile_n ());
}

GST_END_TEST;

GST_START_TEST (test_judge)
{
  test_hostile_judge (&sources[__i__ / test_hostile_n ()],
      __i__ % test_hostile_n ());
}

GST_END_TEST;

GST_START_TEST (test_draw)
{
  const guint i = __i__ * DRAWN_EVERY;

  test_hostile_draw (&sources[i / test_hostile_n ()], i % test_hostile_n ());
}

GST_END_TEST;

/* A memory cut off after luma cannot be copied to the host, but is counted in
 * place. */
GST_START_TEST (test_cut_memory)
{
  const gboolean on_gpu = __i__;
  GstBuffer *buffer = gst_buffer_new ();
  TestElement t;

  gst_buffer_append_memory (buffer, make_cuda_memory (test_hostile_image (),
          TEST_HOSTILE_WIDTH * TEST_HOSTILE_HEIGHT, 0));
  test_element_init (&t, sources[0].caps, "interval", "0", "backend",
      on_gpu ? "cuda" : "cpu", NULL);
  test_hostile_pass_unchanged (&t, buffer);
  test_wait_for_frames (&t, 1);
  test_element_check_count (&t, "skipped", !on_gpu);
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (hostile, test_gpu_setup, test_gpu_teardown)
{
  const guint n = G_N_ELEMENTS (sources) * test_hostile_n ();

  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_count, 0, n);
  tcase_add_loop_test (tc, test_correct, 0, n);
  tcase_add_loop_test (tc, test_judge, 0, n);
  tcase_add_loop_test (tc, test_draw, 0, (n + DRAWN_EVERY - 1) /
      DRAWN_EVERY);
  tcase_add_loop_test (tc, test_cut_memory, 0, 2);
}
