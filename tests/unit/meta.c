/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meta: what it keeps alive, and which operations on a buffer it survives,
 * complete or pending. */
#include <gst/check/gstharness.h>

#include "common/pending.h"
#include "common/suite.h"
#include <gst/videohistogram/videohistogram.h>

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define CAPS "video/x-raw,format=I420,width=64,height=48,framerate=25/1"

static GstBuffer *
make_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4608, NULL);

  gst_buffer_memset (buffer, 0, 100, 4608);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

static guint
n_references (gpointer histogram)
{
  return GST_MINI_OBJECT_REFCOUNT_VALUE (histogram);
}

GST_START_TEST (test_reference)
{
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3);
  GstBuffer *buffer = make_frame ();
  GstVideoHistogramMeta *meta;

  fail_unless (gst_buffer_get_video_histogram_meta (buffer) == NULL);
  meta = gst_buffer_add_video_histogram_meta (buffer, histogram);
  fail_unless (meta->histogram == histogram);
  fail_unless_equals_int (n_references (histogram), 2);
  fail_unless (gst_buffer_get_video_histogram_meta (buffer) == meta);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (n_references (histogram), 1);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* `video` is the only tag: with fewer tags, elements that change pixels in size
 * or color but drop other metas would keep it. */
GST_START_TEST (test_type)
{
  const gchar *const *tags =
      gst_meta_api_type_get_tags (GST_VIDEO_HISTOGRAM_META_API_TYPE);

  fail_unless_equals_int (g_strv_length ((gchar **) tags), 1);
  fail_unless_equals_string (tags[0], "video");
  fail_unless_equals_string (g_type_name (GST_VIDEO_HISTOGRAM_META_API_TYPE),
      "GstVideoHistogramMetaAPI");
  fail_unless (GST_VIDEO_HISTOGRAM_META_INFO ==
      gst_meta_get_info ("GstVideoHistogramMeta"));
}

GST_END_TEST;

GST_START_TEST (test_copies)
{
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3);
  GstBuffer *buffer = make_frame (), *copy;

  gst_buffer_add_video_histogram_meta (buffer, histogram);
  copy = gst_buffer_copy (buffer);
  fail_unless (gst_buffer_get_video_histogram_meta (copy)->histogram ==
      histogram);
  gst_buffer_unref (copy);
  copy = gst_buffer_copy_deep (buffer);
  fail_unless (gst_buffer_get_video_histogram_meta (copy)->histogram ==
      histogram);
  gst_buffer_unref (copy);
  copy = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 0, 100);
  fail_unless (gst_buffer_get_video_histogram_meta (copy)->histogram ==
      histogram);
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (n_references (histogram), 1);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Paths of a buffer, and the caps at their end. */
static const struct
{
  const gchar *launch, *caps;
} ways[] = {
  {"identity", CAPS},
  {"queue", CAPS},
  {"tee ! queue", CAPS},
  {"videoconvert", "video/x-raw,format=RGB,width=64,height=48,framerate=25/1"},
  {"videoscale", "video/x-raw,format=I420,width=32,height=24,framerate=25/1"},
  {"videoconvert ! queue ! videoscale",
      "video/x-raw,format=BGRx,width=100,height=50,framerate=25/1"},
};

/* A pending histogram arrives pending, and the last consumer reads it. */
GST_START_TEST (test_survives)
{
  GstHarness *h = gst_harness_new_parse (ways[__i__].launch);
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job), *arrived;
  GstBuffer *buffer = make_frame ();
  GstVideoHistogramMeta *meta;

  gst_buffer_add_video_histogram_meta (buffer, histogram);
  gst_harness_set_caps_str (h, CAPS, ways[__i__].caps);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);

  meta = gst_buffer_get_video_histogram_meta (buffer);
  fail_unless (meta != NULL, "lost by %s", ways[__i__].launch);
  arrived = gst_video_histogram_ref (meta->histogram);
  fail_unless (arrived == histogram);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);

  fail_unless_equals_int (gst_video_histogram_get_state (arrived),
      GST_VIDEO_HISTOGRAM_STATE_PENDING);
  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless_equals_int (gst_video_histogram_get_counts (arrived, LUMA,
          NULL)[3], 12);
  gst_video_histogram_unref (arrived);
  fail_unless_equals_int (n_references (histogram), 1);
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

#if GST_CHECK_VERSION (1, 24, 0)
GST_START_TEST (test_serialization)
{
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3, 2, 9);
  GstBuffer *buffer = make_frame (), *other = make_frame ();
  GByteArray *bytes = g_byte_array_new ();
  const guint32 *counts;
  guint32 consumed;

  gst_meta_serialize_simple ((GstMeta *)
      gst_buffer_add_video_histogram_meta (buffer, histogram), bytes);
  fail_unless (gst_meta_deserialize (other, bytes->data, bytes->len,
          &consumed) != NULL);
  fail_unless_equals_int (consumed, bytes->len);
  counts = gst_video_histogram_get_counts (gst_buffer_get_video_histogram_meta
      (other)->histogram, LUMA, NULL);
  fail_unless (counts[0] == 0 && counts[1] == 3 && counts[2] == 9
      && counts[3] == 0);
  g_byte_array_unref (bytes);
  gst_buffer_unref (buffer);
  gst_buffer_unref (other);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;
#endif

TEST_SUITE (meta, NULL, NULL)
{
  tcase_add_test (tc, test_reference);
  tcase_add_test (tc, test_type);
  tcase_add_test (tc, test_copies);
  tcase_add_loop_test (tc, test_survives, 0, G_N_ELEMENTS (ways));
#if GST_CHECK_VERSION (1, 24, 0)
  tcase_add_test (tc, test_serialization);
#endif
}
