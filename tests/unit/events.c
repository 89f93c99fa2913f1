/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and queries pass, and the analysis follows them: changes of caps,
 * flushes, seeks, gaps, segments, the end of the stream. */
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

static GstBuffer *
frame (GstClockTime pts)
{
  return test_gray_buffer (8, 4, 100, pts);
}

/* Takes the next event that came out, and checks that it is @sent. */
static void
expect_event (TestElement * t, GstEvent * sent)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (t->h))) {
    /* The base class creates caps events of its own. */
    if (event == sent || (GST_EVENT_TYPE (sent) == GST_EVENT_CAPS
            && GST_EVENT_TYPE (event) == GST_EVENT_CAPS
            && gst_structure_is_equal (gst_event_get_structure (event),
                gst_event_get_structure (sent))))
      break;
    gst_event_unref (event);
  }
  fail_unless (event != NULL, "%s did not pass", GST_EVENT_TYPE_NAME (sent));
  gst_event_unref (event);
}

/* Returns the value of a field of the next result. */
static guint64
result_uint64 (TestElement * t, const gchar * field)
{
  GstMessage *message = test_element_pop_result (t);
  guint64 value;

  fail_unless (message != NULL, "no message");
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
          field, &value));
  gst_message_unref (message);
  return value;
}

GST_START_TEST (test_events_pass)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=RGB,width=8,"
      "height=4,framerate=25/1");
  GstToc *toc = gst_toc_new (GST_TOC_SCOPE_GLOBAL);
  GstMessage *message = gst_message_new_eos (NULL);
  GstEvent *events[] = {
    gst_event_new_gap (5, 7),
    gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "title", NULL)),
    gst_event_new_caps (caps),
    gst_event_new_toc (toc, FALSE),
    gst_event_new_buffer_size (GST_FORMAT_TIME, 1, 2, TRUE),
    gst_event_new_sink_message ("name", message),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new_empty ("mine")),
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
        gst_structure_new_empty ("mine")),
    gst_event_new_stream_group_done (3),
    gst_event_new_eos (),
  };
  guint i;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  for (i = 0; i < G_N_ELEMENTS (events); i++) {
    fail_unless (gst_harness_push_event (t.h, gst_event_ref (events[i])));
    expect_event (&t, events[i]);
    gst_event_unref (events[i]);
  }
  gst_caps_unref (caps);
  gst_toc_unref (toc);
  gst_message_unref (message);
}

GST_END_TEST;

GST_START_TEST (test_upstream_events_pass)
{
  GstEvent *events[] = {
    gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
        GST_SEEK_TYPE_SET, 5, GST_SEEK_TYPE_NONE, 0),
    gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 0.5, -5, 9),
    gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2, 5, GST_CLOCK_TIME_NONE),
    gst_event_new_latency (77),
    gst_event_new_navigation (gst_structure_new_empty ("mine")),
    gst_event_new_step (GST_FORMAT_BUFFERS, 1, 1, TRUE, FALSE),
    gst_video_event_new_upstream_force_key_unit (3, TRUE, 1),
    gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
        gst_structure_new_empty ("mine")),
  };
  GstEvent *event;
  guint i;

  if (__i__)
    test_element_init_equalize (&t, CAPS, NULL, NULL);
  else
    test_element_init (&t, CAPS, NULL, NULL);
  while ((event = gst_harness_try_pull_upstream_event (t.h)))
    gst_event_unref (event);
  for (i = 0; i < G_N_ELEMENTS (events); i++) {
    fail_unless (gst_harness_push_upstream_event (t.h,
            gst_event_ref (events[i])));
    event = gst_harness_try_pull_upstream_event (t.h);
    fail_unless (event == events[i], "%s did not pass",
        GST_EVENT_TYPE_NAME (events[i]));
    gst_event_unref (event);
    gst_event_unref (events[i]);
  }
}

GST_END_TEST;

/* Frames are counted with the caps that they came with. */
GST_START_TEST (test_caps_change)
{
  static const struct
  {
    const gchar *format;
    gint width, height;
  } formats[] = {
    {"I420", 64, 48}, {"RGB", 64, 48}, {"RGB", 10, 3}, {"GRAY16_LE", 1, 1},
    {"I420", 64, 48}, {"P010_10LE", 320, 240}, {"GBRA_12BE", 7, 7},
  };
  guint i, n;

  test_element_init (&t, NULL, "interval", "0", "backend", "cpu", "attach-meta",
      __i__ ? "always" : "never", NULL);
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = test_caps (formats[i].format, formats[i].width,
        formats[i].height);

    gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
    for (n = 0; n < 3; n++) {
      GstMessage *message;
      gint width;

      test_element_push (&t, test_flat_buffer (caps, 0x33));
      message = test_element_pop_result (&t);
      fail_unless (message != NULL);
      fail_unless_equals_string (gst_structure_get_string
          (gst_message_get_structure (message), "format"), formats[i].format);
      fail_unless (gst_structure_get_int (gst_message_get_structure (message),
              "width", &width) && width == formats[i].width);
      gst_message_unref (message);
    }
    gst_caps_unref (caps);
  }
  test_element_check_count (&t, "skipped", 0);
}

GST_END_TEST;

/* Fields in buffers of their own, without the caps feature for that. */
#define REFUSED_CAPS TEST_GRAY_CAPS (8, 4) ",interlace-mode=alternate"

/* Refused caps change nothing for frames of the caps before. */
GST_START_TEST (test_refused_caps)
{
  const gboolean equalize = __i__;
  GstCaps *refused;
  guint n;

  if (equalize)
    test_element_init_equalize (&t, CAPS, NULL, NULL);
  else
    test_element_init (&t, CAPS, "interval", "0", NULL);
  for (n = 1; n <= 3; n++) {
    test_element_push (&t, frame (0));
    fail_unless_equals_uint64 (test_element_get_count (&t,
            equalize ? "counted" : "processed"), n);
    refused = gst_caps_from_string (REFUSED_CAPS);
    gst_harness_push_event (t.h, gst_event_new_caps (refused));
    fail_unless_equals_int (gst_harness_push (t.h, frame (0)),
        GST_FLOW_NOT_NEGOTIATED);
    gst_caps_unref (refused);
    gst_harness_set_src_caps_str (t.h, CAPS);
  }
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  GstSegment segment;

  test_element_init (&t, CAPS, NULL, NULL);
  test_element_push (&t, frame (0));
  test_element_push (&t, frame (40 * GST_MSECOND));
  fail_unless_equals_int (test_element_count_results (&t), 1);

  /* The first frame after a flush is due at once. */
  fail_unless (gst_harness_push_event (t.h, gst_event_new_flush_start ()));
  fail_unless_equals_int (gst_harness_push (t.h, frame (0)), GST_FLOW_FLUSHING);
  fail_unless (gst_harness_push_event (t.h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (t.h, gst_event_new_segment (&segment)));
  test_element_push (&t, frame (80 * GST_MSECOND));
  fail_unless_equals_uint64 (result_uint64 (&t, "timestamp"), 80 * GST_MSECOND);
}

GST_END_TEST;

/* Times are relative to the segment in which a frame came. */
GST_START_TEST (test_segments)
{
  GstSegment segment;
  GstMessage *message;
  guint64 stream_time, running_time;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = 2.0;
  segment.start = 10 * GST_SECOND;
  segment.time = 3 * GST_SECOND;
  segment.base = 100 * GST_SECOND;
  fail_unless (gst_harness_push_event (t.h, gst_event_new_segment (&segment)));
  test_element_push (&t, frame (14 * GST_SECOND));
  message = test_element_pop_result (&t);
  fail_unless (gst_structure_get (gst_message_get_structure (message),
          "stream-time", G_TYPE_UINT64, &stream_time, "running-time",
          G_TYPE_UINT64, &running_time, NULL));
  fail_unless_equals_uint64 (stream_time, 7 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 102 * GST_SECOND);
  gst_message_unref (message);

  /* A frame outside of the segment still passes. */
  test_element_push (&t, frame (1 * GST_SECOND));
  message = test_element_pop_result (&t);
  fail_unless (gst_structure_get (gst_message_get_structure (message),
          "stream-time", G_TYPE_UINT64, &stream_time, "running-time",
          G_TYPE_UINT64, &running_time, NULL));
  fail_unless_equals_uint64 (stream_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (running_time, GST_CLOCK_TIME_NONE);
  gst_message_unref (message);
}

GST_END_TEST;

static const struct
{
  GstFormat format;
  gdouble rate;
  guint64 start, stop, duration, offset;
  guint64 running_time;         /* running time of the frame at 9 s */
} other_segments[] = {
  {GST_FORMAT_BYTES, 1, 0, -1, -1, 0, -1},
  {GST_FORMAT_TIME, -1, 0, 10 * GST_SECOND, -1, 0, GST_SECOND},
  {GST_FORMAT_TIME, -1, 0, -1, 12 * GST_SECOND, 0, 3 * GST_SECOND},
  {GST_FORMAT_TIME, -1, 0, -1, -1, 0, -1},
  {GST_FORMAT_TIME, -1, GST_SECOND, -1, -2 - GST_SECOND, -1, -1},
  {GST_FORMAT_TIME, -1, GST_SECOND, -1, -1 - GST_SECOND, 0, -1},
  {GST_FORMAT_TIME, -1, 0, 10 * GST_SECOND, -1, 11 * GST_SECOND, -1},
  {GST_FORMAT_TIME, -1, 0, -1, 10 * GST_SECOND, 11 * GST_SECOND, -1},
};

/* Segments not in time, and backward ones, also with an unknown end, or with
 * times before the offset: there is no running time, although GStreamer asserts
 * that there is one. */
GST_START_TEST (test_other_segments)
{
  GstSegment segment;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  gst_segment_init (&segment, other_segments[__i__].format);
  segment.rate = other_segments[__i__].rate;
  segment.start = other_segments[__i__].start;
  segment.stop = other_segments[__i__].stop;
  segment.duration = other_segments[__i__].duration;
  segment.offset = other_segments[__i__].offset;
  fail_unless (gst_harness_push_event (t.h, gst_event_new_segment (&segment)));
  for (i = 0; i < 5; i++)
    test_element_push (&t, frame ((9 - i) * GST_SECOND));
  fail_unless_equals_uint64 (result_uint64 (&t, "running-time"),
      other_segments[__i__].running_time);
  fail_unless_equals_int (test_element_count_results (&t), 4);
}

GST_END_TEST;

/* Reconfiguring while data flows. */
GST_START_TEST (test_reconfigure)
{
  guint i;

  test_element_init (&t, CAPS, "interval", "0", "attach-meta",
      __i__ ? "always" : "auto", NULL);
  for (i = 0; i < 20; i++) {
    fail_unless (gst_harness_push_upstream_event (t.h,
            gst_event_new_reconfigure ()));
    test_element_push (&t, frame (i * GST_SECOND));
  }
  fail_unless_equals_int (test_element_count_results (&t), 20);
}

GST_END_TEST;

/* The element holds nothing back. */
GST_START_TEST (test_latency)
{
  test_element_init (&t, CAPS, "interval", "0", "attach-meta", "always", NULL);
  gst_harness_set_upstream_latency (t.h, 123 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (t.h),
      123 * GST_MSECOND);
  gst_harness_set_live (t.h, FALSE);
  fail_unless_equals_uint64 (gst_harness_query_latency (t.h),
      123 * GST_MSECOND);
}

GST_END_TEST;

/* Answers ALLOCATION queries like a sink with a pool. */
static GstPadProbeReturn
answer_allocation (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstAllocationParams params;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;

  gst_allocation_params_init (&params);
  params.align = 63;
  params.padding = 17;
  gst_query_add_allocation_pool (query, user_data, 4096, 3, 5);
  gst_query_add_allocation_param (query, NULL, &params);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Upstream gets downstream's answer. */
GST_START_TEST (test_allocation)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = gst_buffer_pool_new (), *answered;
  GstAllocationParams params;
  guint size, min, max;

  test_element_init (&t, CAPS, "interval", "0", "attach-meta",
      __i__ ? "always" : "never", NULL);
  gst_pad_add_probe (t.h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, pool, NULL);
  test_element_push (&t, frame (0));

  fail_unless (gst_pad_peer_query (t.h->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &answered, &size, &min, &max);
  fail_unless (answered == pool);
  fail_unless_equals_int (size, 4096);
  fail_unless_equals_int (min, 3);
  fail_unless_equals_int (max, 5);
  gst_object_unref (answered);
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 1);
  gst_query_parse_nth_allocation_param (query, 0, NULL, &params);
  fail_unless_equals_int (params.align, 63);
  fail_unless_equals_int (params.padding, 17);
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  fail_unless (gst_query_find_allocation_meta (query,
          GST_VIDEO_CROP_META_API_TYPE, NULL));
  fail_unless_equals_int (gst_query_get_n_allocation_metas (query), 2);

  gst_query_unref (query);
  gst_object_unref (pool);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* EOS comes after the last result. */
GST_START_TEST (test_eos)
{
  test_element_init (&t, CAPS, "interval", "0", NULL);
  test_element_push (&t, frame (0));
  fail_unless (gst_harness_push_event (t.h, gst_event_new_eos ()));
  fail_unless_equals_int (test_element_count_results (&t), 1);
  fail_unless_equals_int (gst_harness_push (t.h, frame (1)), GST_FLOW_EOS);
  test_element_clear (&t);

  /* Without a frame, without caps. */
  test_element_init (&t, NULL, NULL, NULL);
  fail_unless (gst_harness_push_event (t.h, gst_event_new_eos ()));
}

GST_END_TEST;

TEST_SUITE (events, NULL, teardown)
{
  tcase_add_test (tc, test_events_pass);
  tcase_add_loop_test (tc, test_upstream_events_pass, 0, 2);
  tcase_add_loop_test (tc, test_caps_change, 0, 2);
  tcase_add_loop_test (tc, test_refused_caps, 0, 2);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_segments);
  tcase_add_loop_test (tc, test_other_segments, 0,
      G_N_ELEMENTS (other_segments));
  tcase_add_loop_test (tc, test_reconfigure, 0, 2);
  tcase_add_test (tc, test_latency);
  tcase_add_loop_test (tc, test_allocation, 0, 2);
  tcase_add_test (tc, test_eos);
}
