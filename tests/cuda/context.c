/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A CUDA context that an application sets before the element is in READY is
 * used, as in nvcodec's cudaupload. */
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

#include "common/suite.h"
#include "gpu.h"

GST_START_TEST (test_set_in_null)
{
  GstCudaContext *cuda;
  GstContext *context;
  GstElement *element;
  GstBuffer *buffer;
  GstHarness *h;
  guint n;

  if (test_leave_out ("how many contexts there are"))
    return;
  fail_unless (gst_cuda_load_library ());
  cuda = gst_cuda_context_new (0);
  context = gst_context_new_cuda_context (cuda);
  element = gst_element_factory_make ("videohistogram", NULL);
  gst_object_ref_sink (element);
  g_object_set (element, "interval", (guint64) 0, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_element_set_context (element, context);
  n = test_double ()->live (VH_DOUBLE_CONTEXT);

  h = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (h, TEST_GRAY_CAPS (8, 4));
  buffer = test_gray_buffer (8, 4, 1, 0);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_int (test_double ()->live (VH_DOUBLE_CONTEXT), n);

  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_context_unref (context);
  gst_object_unref (cuda);
}

GST_END_TEST;

TEST_SUITE (context, NULL, NULL)
{
  tcase_add_test (tc, test_set_in_null);
}
