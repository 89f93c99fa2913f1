/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which frames carry a meta. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

static gboolean
has_meta (TestElement * t)
{
  GstBuffer *buffer = test_element_pass (t, test_gray_buffer (8, 4, 9,
          40 * GST_MSECOND * gst_harness_buffers_received (t->h)));
  GstVideoHistogramMeta *meta = gst_buffer_get_video_histogram_meta (buffer);
  const gboolean has = meta != NULL;

  if (has) {
    fail_unless_equals_int (gst_video_histogram_get_counts (meta->histogram,
            GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL)[9], 32);
    fail_unless_equals_uint64 (gst_video_histogram_get_info (meta->histogram)
        ->timestamp, GST_BUFFER_PTS (buffer));
  }
  gst_buffer_unref (buffer);
  return has;
}

GST_START_TEST (test_never)
{
  test_element_init (&t, NULL, "attach-meta", "never", "interval", "0", NULL);
  gst_harness_add_propose_allocation_meta (t.h,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS);
  fail_if (has_meta (&t));
}

GST_END_TEST;

/* Every frame has a meta, whether a message is due or messages are off. */
GST_START_TEST (test_always)
{
  guint i;

  test_element_init (&t, CAPS, "attach-meta", "always", NULL);
  for (i = 0; i < 10; i++)
    fail_unless (has_meta (&t));
  fail_unless_equals_int (test_element_count_results (&t), 4);
  test_element_check_count (&t, "processed", 10);
  g_object_set (t.element, "post-messages", FALSE, NULL);
  fail_unless (has_meta (&t));
  fail_unless_equals_int (test_element_count_results (&t), 0);
}

GST_END_TEST;

/* Downstream does not request the meta, then does, and sends a reconfigure
 * event. */
GST_START_TEST (test_auto)
{
  test_element_init (&t, CAPS, "interval", "0", NULL);
  fail_if (has_meta (&t));
  gst_harness_add_propose_allocation_meta (t.h,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);
  fail_if (has_meta (&t));
  gst_harness_push_upstream_event (t.h, gst_event_new_reconfigure ());
  fail_unless (has_meta (&t));
  fail_unless (has_meta (&t));

  /* New caps, with the same request. */
  gst_harness_set_src_caps_str (t.h,
      "video/x-raw,format=GRAY8,width=8,height=4,framerate=50/1");
  fail_unless (has_meta (&t));
  test_element_clear (&t);

  test_element_init (&t, NULL, "interval", "0", NULL);
  gst_harness_add_propose_allocation_meta (t.h,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS);
  fail_unless (has_meta (&t));
  test_element_clear (&t);

  /* Requests for other metas do not count. */
  test_element_init (&t, NULL, "interval", "0", NULL);
  gst_harness_add_propose_allocation_meta (t.h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS);
  fail_if (has_meta (&t));
}

GST_END_TEST;

GST_START_TEST (test_change_while_playing)
{
  test_element_init (&t, CAPS, "interval", "0", NULL);
  fail_if (has_meta (&t));
  gst_util_set_object_arg (G_OBJECT (t.element), "attach-meta", "always");
  fail_unless (has_meta (&t));
  gst_util_set_object_arg (G_OBJECT (t.element), "attach-meta", "never");
  fail_if (has_meta (&t));
  gst_util_set_object_arg (G_OBJECT (t.element), "attach-meta", "auto");
  fail_if (has_meta (&t));
}

GST_END_TEST;

/* The setting still applies after the element was stopped and started again. */
GST_START_TEST (test_after_a_stop)
{
  test_element_init (&t, CAPS, "interval", "0", "attach-meta",
      __i__ ? "always" : "never", NULL);
  fail_unless_equals_int (has_meta (&t), __i__);
  test_element_restart (&t, CAPS);
  fail_unless_equals_int (has_meta (&t), __i__);
}

GST_END_TEST;

/* A frame that arrives with a histogram of another element keeps it in
 * front. */
GST_START_TEST (test_second_element)
{
  GstHarness *h = gst_harness_new_parse ("videohistogram attach-meta=always "
      "bins=2 ! videohistogram attach-meta=always bins=3");
  GstBuffer *buffer;
  gpointer state = NULL;
  GstVideoHistogramMeta *meta;
  guint bins;

  gst_harness_set_src_caps_str (h, CAPS);
  gst_harness_push (h, test_gray_buffer (8, 4, 9, 0));
  buffer = gst_harness_pull (h);
  for (bins = 2; bins <= 3; bins++) {
    meta = (GstVideoHistogramMeta *) gst_buffer_iterate_meta_filtered (buffer,
        &state, GST_VIDEO_HISTOGRAM_META_API_TYPE);
    fail_unless (meta != NULL);
    fail_unless_equals_int (gst_video_histogram_get_info (meta->histogram)
        ->bins, bins);
  }
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame that cannot be read has no meta. */
GST_START_TEST (test_hostile)
{
  GstBuffer *buffer;

  test_element_init (&t, CAPS, "interval", "0", "attach-meta", "always", NULL);
  buffer = test_element_pass (&t, gst_buffer_new ());
  fail_unless (gst_buffer_get_video_histogram_meta (buffer) == NULL);
  gst_buffer_unref (buffer);
  test_element_check_count (&t, "skipped", 1);
}

GST_END_TEST;

TEST_SUITE (attachmeta, NULL, teardown)
{
  tcase_add_test (tc, test_never);
  tcase_add_test (tc, test_always);
  tcase_add_test (tc, test_auto);
  tcase_add_test (tc, test_change_while_playing);
  tcase_add_loop_test (tc, test_after_a_stop, 0, 2);
  tcase_add_test (tc, test_second_element);
  tcase_add_test (tc, test_hostile);
}
