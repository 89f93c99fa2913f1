/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* videoequalize and videoscope behind a switch between decoders: frames come
 * from one context or another without new caps, and each is corrected or drawn
 * on, also into a copy. */
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#include "common/suite.h"
#include "gpu.h"

#define N_TURNS 4
#define N_FRAMES 20

static GstBufferPool *
new_pool (GstCudaContext * context, GstCaps * caps)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *cuda_caps = test_cuda_caps (caps);

  gst_buffer_pool_config_set_params (config, cuda_caps, 64 * 48 * 3 / 2, 0, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_caps_unref (cuda_caps);
  return pool;
}

/* Pushes a frame of @pool that something else holds. */
static void
push_held (TestElement * t, GstBufferPool * pool, const TestFrame * frame)
{
  GstBuffer *buffer = NULL, *out;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  test_fill (buffer, frame);
  out = test_element_pass (t, gst_buffer_ref (buffer));
  fail_unless (gst_buffer_peek_memory (out, 0) !=
      gst_buffer_peek_memory (buffer, 0));
  fail_unless (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (out, 0))->context
      == GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context);
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
}

static const struct
{
  const gchar *factory, *property, *value;
  const gchar *untouched;       /* counter of unchanged frames */
} kinds[] = {
  {"videoequalize", "smoothing", "0", "uncorrected"},
  {"videoscope", "layout", "overlay", "undrawn"},
  {"videoscope", "layout", "beside", "undrawn"},
};

/* Between two GPUs, and between two contexts of one. */
GST_START_TEST (test_switch)
{
  const guint kind = __i__ / 2;
  const gboolean two_gpus = __i__ % 2;
  TestRandom random = test_random_new (1);
  GstCudaContext *contexts[2];
  GstBufferPool *pools[2];
  GstMessage *message;
  TestFrame frame;
  TestElement t;
  guint turn, i;

  if (test_leave_out ("a second GPU"))
    return;
  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  test_double ()->set_devices (2);
  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 64, 48, NULL);
  for (i = 0; i < 2; i++) {
    contexts[i] = gst_cuda_context_new (two_gpus ? i : 0);
    fail_unless (contexts[i] != NULL);
    pools[i] = new_pool (contexts[i], frame.caps);
  }
  test_element_init_factory (&t, kinds[kind].factory, NULL,
      kinds[kind].property, kinds[kind].value, NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));

  for (turn = 0; turn < N_TURNS; turn++) {
    for (i = 0; i < N_FRAMES; i++)
      push_held (&t, pools[turn % 2], &frame);
  }
  test_element_check_count (&t, kinds[kind].untouched, 0);
  message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING);
  fail_unless (message == NULL);

  test_element_clear (&t);
  for (i = 0; i < 2; i++) {
    gst_buffer_pool_set_active (pools[i], FALSE);
    gst_object_unref (pools[i]);
    gst_object_unref (contexts[i]);
  }
  test_frame_clear (&frame);
  test_double ()->reset ();
}

GST_END_TEST;

TEST_SUITE (switches, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_switch, 0, 2 * G_N_ELEMENTS (kinds));
}
