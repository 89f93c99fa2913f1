/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine without a pipeline: what it accepts, what it refuses and with
 * which message, and the information in its histograms. */
#include <gst/videohistogram/videohistogram.h>

#include "common/suite.h"
#include "core/layout.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define CAPS "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1"

static GstVideoHistogramEngine *engine;
static GstVideoHistogramSpec spec;

static void
setup (void)
{
  engine = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  gst_video_histogram_spec_init (&spec);
}

static void
teardown (void)
{
  fail_unless_equals_int (G_OBJECT (engine)->ref_count, 1);
  g_object_unref (engine);
}

static gboolean
configure (const gchar * text, GError ** error)
{
  GstCaps *caps = gst_caps_from_string (text);
  gboolean ok = gst_video_histogram_engine_configure (engine, caps, &spec,
      error);

  gst_caps_unref (caps);
  return ok;
}

/* 32 bytes, each its own index. */
static GstBuffer *
make_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 32, NULL);
  guint8 bytes[32];
  guint i;

  for (i = 0; i < 32; i++)
    bytes[i] = i;
  gst_buffer_fill (buffer, 0, bytes, 32);
  return buffer;
}

static GstVideoHistogram *
count_frame (void)
{
  GstBuffer *buffer = make_frame ();
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_engine_submit (engine,
      buffer, NULL, FALSE, &error);

  fail_unless (histogram != NULL, "%s", error ? error->message : "");
  gst_buffer_unref (buffer);
  return histogram;
}

GST_START_TEST (test_spec_init)
{
  memset (&spec, 0xff, sizeof (spec));
  gst_video_histogram_spec_init (&spec);
  fail_unless_equals_int (spec.channels, GST_VIDEO_HISTOGRAM_CHANNELS_LUMA);
  fail_unless_equals_int (spec.bins, 0);
  fail_unless_equals_int (spec.columns, 1);
  fail_unless_equals_int (spec.rows, 1);
  fail_unless (spec.region_x == 0 && spec.region_y == 0
      && spec.region_width == 0 && spec.region_height == 0);
  fail_unless_equals_int (spec.method, GST_VIDEO_HISTOGRAM_METHOD_AUTO);
}

GST_END_TEST;

GST_START_TEST (test_info)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=I420_10LE,"
      "width=6,height=4,framerate=25/1,colorimetry=bt2020-10");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4096, NULL);
  GstVideoHistogram *histogram;
  const GstVideoHistogramInfo *info;
  GstSegment segment;

  gst_buffer_memset (buffer, 0, 0, 4096);
  GST_BUFFER_PTS (buffer) = 10 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 4 * GST_SECOND;
  segment.time = GST_SECOND;
  segment.base = 100 * GST_SECOND;

  spec.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GREEN;
  spec.columns = 2;
  spec.rows = 3;
  spec.region_x = 1;
  spec.region_y = 2;
  spec.region_width = 100;
  spec.region_height = 1;
  fail_unless (gst_video_histogram_engine_configure (engine, caps, &spec,
          NULL));
  histogram = gst_video_histogram_engine_submit (engine, buffer, &segment,
      FALSE, NULL);
  info = gst_video_histogram_get_info (histogram);
  fail_unless_equals_int (info->format, GST_VIDEO_FORMAT_I420_10LE);
  fail_unless_equals_int (info->depth, 10);
  fail_unless_equals_int (info->width, 6);
  fail_unless_equals_int (info->height, 4);
  fail_unless_equals_int (info->region_x, 1);
  fail_unless_equals_int (info->region_y, 2);
  fail_unless_equals_int (info->region_width, 5);
  fail_unless_equals_int (info->region_height, 1);
  fail_unless (gst_video_colorimetry_matches (&info->colorimetry,
          GST_VIDEO_COLORIMETRY_BT2020_10));
  fail_unless_equals_int (info->matrix, GST_VIDEO_COLOR_MATRIX_BT2020);
  fail_unless_equals_int (info->channels, spec.channels);
  fail_unless_equals_int (info->bins, 1024);
  fail_unless_equals_int (info->columns, 2);
  fail_unless_equals_int (info->rows, 3);
  fail_unless_equals_uint64 (info->timestamp, 10 * GST_SECOND);
  fail_unless_equals_uint64 (info->stream_time, 7 * GST_SECOND);
  fail_unless_equals_uint64 (info->running_time, 106 * GST_SECOND);
  fail_unless_equals_uint64 (info->duration, GST_SECOND / 25);
  fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
      "cpu");
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (test_no_times)
{
  GstVideoHistogram *histogram;
  const GstVideoHistogramInfo *info;

  fail_unless (configure (CAPS, NULL));
  histogram = count_frame ();
  info = gst_video_histogram_get_info (histogram);
  fail_unless_equals_uint64 (info->timestamp, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (info->stream_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (info->running_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (info->duration, GST_CLOCK_TIME_NONE);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Values that caps leave open. */
GST_START_TEST (test_ranges_and_matrices)
{
  static const struct
  {
    const gchar *caps;
    GstVideoColorRange range;
    GstVideoColorMatrix matrix;
    guint bins;
  } wanted[] = {
    {"format=I420,width=720,height=576", GST_VIDEO_COLOR_RANGE_16_235,
        GST_VIDEO_COLOR_MATRIX_BT601, 256},
    {"format=I420,width=1920,height=1080", GST_VIDEO_COLOR_RANGE_16_235,
        GST_VIDEO_COLOR_MATRIX_BT709, 256},
    {"format=NV12,width=64,height=48,colorimetry=1:4:0:0",
        GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_MATRIX_BT601, 256},
    {"format=NV12,width=64,height=48,colorimetry=0:4:0:0",
        GST_VIDEO_COLOR_RANGE_16_235, GST_VIDEO_COLOR_MATRIX_BT601, 256},
    {"format=RGB,width=64,height=48", GST_VIDEO_COLOR_RANGE_0_255,
        GST_VIDEO_COLOR_MATRIX_BT709, 256},
    {"format=RGB,width=64,height=48,colorimetry=bt601",
        GST_VIDEO_COLOR_RANGE_16_235, GST_VIDEO_COLOR_MATRIX_BT601, 256},
    {"format=RGB,width=64,height=48,colorimetry=1:4:0:0",
        GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_MATRIX_BT601, 256},
    {"format=I420_10LE,width=64,height=48", GST_VIDEO_COLOR_RANGE_16_235,
        GST_VIDEO_COLOR_MATRIX_BT601, 1024},
    {"format=I420_12LE,width=64,height=48", GST_VIDEO_COLOR_RANGE_16_235,
        GST_VIDEO_COLOR_MATRIX_BT601, 4096},
    {"format=Y444_16LE,width=64,height=48", GST_VIDEO_COLOR_RANGE_16_235,
        GST_VIDEO_COLOR_MATRIX_BT601, 4096},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wanted); i++) {
    gchar *text = g_strdup_printf ("video/x-raw,framerate=25/1,%s",
        wanted[i].caps);
    GstCaps *caps = gst_caps_from_string (text);
    GstVideoHistogram *histogram;
    const GstVideoHistogramInfo *info;
    GstVideoInfo video;
    GstBuffer *buffer;

    fail_unless (gst_video_info_from_caps (&video, caps));
    buffer = gst_buffer_new_allocate (NULL, video.size, NULL);
    gst_buffer_memset (buffer, 0, 0, video.size);
    fail_unless (gst_video_histogram_engine_configure (engine, caps, &spec,
            NULL));
    histogram = gst_video_histogram_engine_submit (engine, buffer, NULL,
        FALSE, NULL);
    info = gst_video_histogram_get_info (histogram);
    fail_unless (info->colorimetry.range == wanted[i].range
        && info->matrix == wanted[i].matrix && info->bins == wanted[i].bins,
        "%s: range %d, matrix %d, %u bins", text, info->colorimetry.range,
        info->matrix, info->bins);
    gst_video_histogram_unref (histogram);
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
    g_free (text);
  }
}

GST_END_TEST;

/* The part of a region outside the picture is cut off. */
GST_START_TEST (test_regions)
{
  static const struct
  {
    guint x, y, width, height, pixels;
  } regions[] = {
    {0, 0, 0, 0, 32}, {0, 0, 8, 4, 32}, {7, 3, 1, 1, 1}, {7, 3, 99, 99, 1},
    {6, 0, G_MAXINT, 4, 8}, {0, 2, 8, G_MAXINT, 16}, {2, 1, 3, 2, 6},
    {4, 0, 0, 2, 8}, {0, 2, 3, 0, 6},
  };
  GstVideoHistogram *histogram;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (regions); i++) {
    gst_video_histogram_spec_init (&spec);
    spec.region_x = regions[i].x;
    spec.region_y = regions[i].y;
    spec.region_width = regions[i].width;
    spec.region_height = regions[i].height;
    fail_unless (configure (CAPS, NULL), "region %u", i);
    histogram = count_frame ();
    fail_unless_equals_uint64 (gst_video_histogram_get_pixels (histogram),
        regions[i].pixels);
    fail_unless_equals_int (gst_video_histogram_get_counts (histogram, LUMA,
            NULL)[regions[i].y * 8 + regions[i].x], 1);
    gst_video_histogram_unref (histogram);
  }
}

GST_END_TEST;

static void
check_refused (const gchar * caps, gint code, const gchar * word)
{
  GError *error = NULL;

  fail_if (configure (caps, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, code));
  fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
  g_error_free (error);
}

/* Takes @buffer. */
static void
check_not_counted (GstBuffer * buffer, gint code)
{
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_submit (engine, buffer, NULL,
          FALSE, &error) == NULL);
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, code));
  g_error_free (error);
  gst_buffer_unref (buffer);
}

GST_START_TEST (test_refused_specs)
{
  static const struct
  {
    GstVideoHistogramSpec spec;
    const gchar *word;
  } specs[] = {
    {{.channels = 0,.columns = 1,.rows = 1}, "at least one"},
    {{.channels = 1,.columns = 1,.rows = 1,.method = 99}, "method is 99"},
    {{.channels = 32,.columns = 1,.rows = 1}, "0x20"},
    {{.channels = 1,.columns = 0,.rows = 1}, "columns is 0"},
    {{.channels = 1,.columns = 1,.rows = 0}, "rows is 0"},
    {{.channels = 1,.columns = 65,.rows = 1}, "columns is 65"},
    {{.channels = 1,.columns = 1,.rows = 65}, "rows is 65"},
    {{.channels = 1,.columns = 1,.rows = 1,.bins = 65537}, "65537"},
    {{.channels = 15,.columns = 64,.rows = 64,.bins = 65536}, "16777216"},
    {{.channels = 1,.columns = 1,.rows = 1,.region_x = 8,.region_width = 1,
            .region_height = 1}, "8x4"},
    {{.channels = 1,.columns = 1,.rows = 1,.region_y = G_MAXINT,
            .region_width = 1,.region_height = 1}, "8x4"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (specs); i++) {
    spec = specs[i].spec;
    check_refused (CAPS, GST_VIDEO_HISTOGRAM_ERROR_SPEC, specs[i].word);
  }
}

GST_END_TEST;

/* As many counters as allowed. */
GST_START_TEST (test_largest_spec)
{
  GstVideoHistogram *histogram;

  spec.columns = spec.rows = 64;
  spec.bins = 4096;
  fail_unless (configure (CAPS, NULL));
  histogram = count_frame ();
  fail_unless_equals_int (gst_video_histogram_get_cell_counts (histogram, LUMA,
          56, 48, NULL)[31 * 16], 1);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_refused_caps)
{
  static const gchar *const refused[] = {
    "audio/x-raw", "video/x-h264",
    "video/x-raw,format=v210,width=8,height=4,framerate=25/1",
    "video/x-raw,format=RGB16,width=8,height=4,framerate=25/1",
    "video/x-raw,format=NV12_64Z32,width=8,height=4,framerate=25/1",
    "video/x-raw,format=RGB8P,width=8,height=4,framerate=25/1",
    "video/x-raw,format=ENCODED,width=8,height=4,framerate=25/1",
    "video/x-raw,format=GRAY8,width=0,height=4,framerate=25/1",
    "video/x-raw,format=GRAY8,width=8,height=-1,framerate=25/1",
    "video/x-raw,format=GRAY8,width=[1,8],height=4,framerate=25/1",
    "video/x-raw,format=GRAY8", "ANY", "EMPTY",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (refused); i++) {
    check_refused (refused[i], GST_VIDEO_HISTOGRAM_ERROR_FORMAT,
        "cannot be counted");
    check_not_counted (gst_buffer_new (), GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  }
  fail_if (vh_layout_supports (gst_video_format_get_info
          (GST_VIDEO_FORMAT_UNKNOWN)));
  /* The engine still works. */
  fail_unless (configure (CAPS, NULL));
  gst_video_histogram_unref (count_frame ());
}

GST_END_TEST;

GST_START_TEST (test_refused_frames)
{
  GstBuffer *buffer = make_frame ();
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  fail_unless (configure (CAPS, NULL));
  check_not_counted (gst_buffer_new_allocate (NULL, 31, NULL),
      GST_VIDEO_HISTOGRAM_ERROR_FRAME);

  spec.region_x = 5;
  spec.region_width = spec.region_height = 1;
  fail_unless (configure (CAPS, NULL));
  crop->width = crop->height = 4;
  check_not_counted (buffer, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
}

GST_END_TEST;

GST_START_TEST (test_open_and_close)
{
  GstVideoHistogram *histogram;
  gchar *reason;

  fail_unless_equals_string (gst_video_histogram_engine_get_active_backend
      (engine), "cpu");
  reason = gst_video_histogram_engine_dup_backend_reason (engine);
  fail_unless_equals_string (reason, "");
  g_free (reason);

  fail_unless (configure (CAPS, NULL));
  histogram = count_frame ();
  gst_video_histogram_engine_close (engine);
  fail_unless (gst_video_histogram_engine_get_active_backend (engine) == NULL);
  fail_unless (gst_video_histogram_engine_dup_backend_reason (engine) == NULL);
  gst_video_histogram_engine_close (engine);
  /* The histogram outlives the engine. */
  fail_unless_equals_int (gst_video_histogram_get_counts (histogram, LUMA,
          NULL)[31], 1);
  gst_video_histogram_unref (histogram);

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_AUTO, -1, NULL, NULL));
  fail_unless (gst_video_histogram_engine_get_active_backend (engine) != NULL);
  fail_unless (configure (CAPS, NULL));
  gst_video_histogram_unref (count_frame ());
  /* Opened again without closing it. */
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  fail_unless (configure (CAPS, NULL));
  gst_video_histogram_unref (count_frame ());
}

GST_END_TEST;

/* An engine that could not be opened is closed: its element may be gone. With a
 * GPU it can be opened. */
GST_START_TEST (test_element_of_closed)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstElement *element = gst_object_ref_sink (gst_bin_new (NULL));

  if (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, 9999, element, NULL))
    gst_video_histogram_engine_close (engine);
  gst_object_unref (element);
  g_object_unref (engine);
}

GST_END_TEST;

TEST_SUITE (engine, setup, teardown)
{
  tcase_add_test (tc, test_element_of_closed);
  tcase_add_test (tc, test_spec_init);
  tcase_add_test (tc, test_info);
  tcase_add_test (tc, test_no_times);
  tcase_add_test (tc, test_ranges_and_matrices);
  tcase_add_test (tc, test_regions);
  tcase_add_test (tc, test_refused_specs);
  tcase_add_test (tc, test_largest_spec);
  tcase_add_test (tc, test_refused_caps);
  tcase_add_test (tc, test_refused_frames);
  tcase_add_test (tc, test_open_and_close);
}
