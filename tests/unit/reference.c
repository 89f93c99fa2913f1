/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scalar reference, with which everything else is compared, against other
 * programs: GStreamer's unpacking for the samples of every format, and double
 * precision for computed values. */
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/frame.h"
#include "common/suite.h"
#include "core/channels.h"
#include "cpu/reference.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"

/* Pixels as GStreamer unpacks them: A, Y, U, V or A, R, G, B, in 8 or 16 bits
 * with the sample in the high bits. */
typedef struct
{
  guint width, height;
  guint bits;
  gpointer data;
} Unpacked;

static const guint sizes[][2] = {
  {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 3}, {5, 4}, {16, 9}, {33, 17}, {64, 8},
};

static void
unpack (Unpacked * unpacked, const TestFrame * frame)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (frame->format);
  const GstVideoFormatInfo *to =
      gst_video_format_get_info (finfo->unpack_format);
  gpointer data[GST_VIDEO_MAX_PLANES] = { NULL, };
  gsize row_bytes;
  guint p, y;

  unpacked->width = frame->width;
  unpacked->height = frame->height;
  unpacked->bits = to->bits;
  row_bytes = (gsize) frame->width * to->bits / 8 * 4;
  /* Some of the functions write whole pairs of pixels. */
  unpacked->data = g_malloc (row_bytes * frame->height + 64);
  for (p = 0; p < frame->n_planes; p++)
    data[p] = frame->image + frame->offset[p];

  for (y = 0; y < frame->height; y++) {
    finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
        (guint8 *) unpacked->data + y * row_bytes, data, frame->stride, 0, y,
        frame->width);
  }
}

/* The code value of component @c, counted without alpha, with @depth bits. */
static guint
get_sample (const Unpacked * unpacked, guint c, guint x, guint y, guint depth)
{
  const gsize i = ((gsize) y * unpacked->width + x) * 4 + 1 + c;

  if (unpacked->bits == 8)
    return ((const guint8 *) unpacked->data)[i];
  return ((const guint16 *) unpacked->data)[i] >> (16 - depth);
}

static void
view_of_frame (VhFrameView * view, const VhLayout * layout,
    const TestFrame * frame)
{
  guint p;

  memset (view, 0, sizeof (*view));
  view->layout = layout;
  for (p = 0; p < frame->n_planes; p++) {
    view->plane[p].data = frame->image + frame->offset[p];
    view->plane[p].stride = frame->stride[p];
  }
}

static GstVideoHistogram *
count_by_reference (const VhLayout * layout, const TestFrame * frame,
    const VhRect * region, GstVideoHistogramChannels channels, guint bins)
{
  GstVideoHistogramInfo info = {
    .format = frame->format,
    .depth = layout->depth,
    .width = frame->width,
    .height = frame->height,
    .region_width = region->width,
    .region_height = region->height,
    .channels = channels,
    .bins = bins,
    .columns = 1,
    .rows = 1,
  };
  GstVideoHistogram *histogram = vh_histogram_new (&info, "reference");
  VhFrameView view;

  view_of_frame (&view, layout, frame);
  vh_reference_count (&view, region, vh_histogram_counts (histogram));
  vh_counts_complete (vh_histogram_counts (histogram));
  return histogram;
}

/* Counts @channel, which is a component without conversion, from unpacked
 * pixels. */
static void
check_component (GstVideoHistogram * histogram, const Unpacked * unpacked,
    GstVideoHistogramChannel channel, guint component, guint depth)
{
  guint bins, x, y, b;
  const guint32 *counts = gst_video_histogram_get_counts (histogram, channel,
      &bins);
  const GstVideoFormat format =
      gst_video_histogram_get_info (histogram)->format;
  guint32 *wanted = g_new0 (guint32, bins);

  for (y = 0; y < unpacked->height; y++) {
    for (x = 0; x < unpacked->width; x++) {
      const guint64 value = get_sample (unpacked, component, x, y, depth);

      wanted[(value * bins) >> depth]++;
    }
  }
  for (b = 0; b < bins; b++) {
    if (counts[b] != wanted[b]) {
      fail ("%s, channel %d, bin %u of %u: %u, not %u",
          gst_video_format_to_string (format), channel, b, bins, counts[b],
          wanted[b]);
    }
  }
  g_free (wanted);
}

static void
check_samples (const TestFrame * frame, guint bins)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (frame->format);
  const gboolean is_rgb = GST_VIDEO_FORMAT_INFO_IS_RGB (finfo);
  const GstVideoHistogramChannels channels = is_rgb ?
      GST_VIDEO_HISTOGRAM_CHANNELS_RGB : GST_VIDEO_HISTOGRAM_CHANNELS_LUMA;
  const VhRect all = { 0, 0, frame->width, frame->height };
  GstVideoHistogram *histogram;
  Unpacked unpacked;
  VhLayout layout;
  guint i;

  fail_unless (vh_layout_from_caps (&layout, frame->caps, NULL));
  unpack (&unpacked, frame);
  fail_unless_equals_int (layout.depth, finfo->depth[0]);
  histogram = count_by_reference (&layout, frame, &all, channels, bins);
  if (is_rgb) {
    for (i = 0; i < 3; i++)
      check_component (histogram, &unpacked,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED + i, i, layout.depth);
  } else {
    check_component (histogram, &unpacked, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, 0,
        layout.depth);
  }
  gst_video_histogram_unref (histogram);
  g_free (unpacked.data);
}

static gchar **
list_formats (void)
{
  GstCaps *caps = gst_video_histogram_engine_get_caps ();
  gchar **formats = test_caps_list_formats (caps);

  gst_caps_unref (caps);
  return formats;
}

/* Y of YUV and gray, R, G and B of RGB. */
GST_START_TEST (test_samples_of_every_format)
{
  static const guint bins[] = { 1, 3, 256, 1000, 65536 };
  gchar **formats = list_formats ();
  TestRandom random = test_random_new (1);
  TestFrame frame;
  guint f, s, b;

  for (f = 0; formats[f]; f++) {
    for (s = 0; s < G_N_ELEMENTS (sizes); s++) {
      test_frame_init_plain (&frame, &random,
          gst_video_format_from_string (formats[f]), sizes[s][0], sizes[s][1],
          NULL);
      for (b = 0; b < G_N_ELEMENTS (bins); b++)
        check_samples (&frame, bins[b]);
      test_frame_clear (&frame);
    }
  }
  g_strfreev (formats);
}

GST_END_TEST;

/* The reference's value of @channel for one pixel. */
static guint
value_at (const VhLayout * layout, const TestFrame * frame,
    GstVideoHistogramChannel channel, guint x, guint y)
{
  const VhRect pixel = { x, y, 1, 1 };
  GstVideoHistogram *histogram = count_by_reference (layout, frame, &pixel,
      1 << channel, 1 << layout->depth);
  const guint32 *counts = gst_video_histogram_get_counts (histogram, channel,
      NULL);
  guint value = 0;

  while (counts[value] == 0)
    value++;
  gst_video_histogram_unref (histogram);
  return value;
}

/* Directly from the definitions: the weights of R, G and B in 65536ths, and the
 * constants of the matrices. */
static const struct
{
  const gchar *matrix;          /* its number in a colorimetry string */
  guint64 weight[3];
  gdouble kr, kb;
} matrices[] = {
  {"4", {19595, 38470, 7471}, 0.299, 0.114},
  {"3", {13933, 46871, 4732}, 0.2126, 0.0722},
  {"6", {17216, 44434, 3886}, 0.2627, 0.0593},
  {"5", {13894, 45940, 5702}, 0.212, 0.087},
  {"2", {19661, 38666, 7209}, 0.30, 0.11},
};

static void
check_luma (const TestFrame * frame, const guint64 * weight)
{
  Unpacked unpacked;
  VhLayout layout;
  guint x, y;

  fail_unless (vh_layout_from_caps (&layout, frame->caps, NULL));
  unpack (&unpacked, frame);
  for (y = 0; y < frame->height; y++) {
    for (x = 0; x < frame->width; x++) {
      const guint64 luma =
          (weight[0] * get_sample (&unpacked, 0, x, y, layout.depth)
          + weight[1] * get_sample (&unpacked, 1, x, y, layout.depth)
          + weight[2] * get_sample (&unpacked, 2, x, y, layout.depth)
          + 32768) >> 16;

      if (value_at (&layout, frame, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, x, y) !=
          luma) {
        fail ("%s: luma of %u,%u is not %" G_GUINT64_FORMAT,
            gst_video_format_to_string (frame->format), x, y, luma);
      }
    }
  }
  g_free (unpacked.data);
}

GST_START_TEST (test_luma_of_rgb)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_GBR_10LE, GST_VIDEO_FORMAT_GBR_12BE,
    GST_VIDEO_FORMAT_ARGB64_LE, GST_VIDEO_FORMAT_RGB10A2_LE,
  };
  TestRandom random = test_random_new (2);
  TestFrame frame;
  guint f, m;

  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      gchar *colorimetry = g_strdup_printf ("1:%s:0:0", matrices[m].matrix);

      test_frame_init_plain (&frame, &random, formats[f], 9, 7, colorimetry);
      check_luma (&frame, matrices[m].weight);
      test_frame_clear (&frame);
      g_free (colorimetry);
    }
    /* No matrix, and a matrix without luma. */
    test_frame_init_plain (&frame, &random, formats[f], 9, 7, NULL);
    check_luma (&frame, matrices[1].weight);
    test_frame_clear (&frame);
    test_frame_init_plain (&frame, &random, formats[f], 9, 7, "sRGB");
    check_luma (&frame, matrices[1].weight);
    test_frame_clear (&frame);
  }
}

GST_END_TEST;

/* R, G or B of the code values @yuv in full range, in double precision. */
static gdouble
rgb_in_double (const guint * yuv, guint channel, guint m, gboolean limited,
    guint depth)
{
  const gdouble kr = matrices[m].kr, kb = matrices[m].kb, kg = 1 - kr - kb;
  const gdouble unit = 1 << (depth - 8), max = (1 << depth) - 1;
  gdouble y = yuv[0] / max;
  gdouble cb = (yuv[1] - 128 * unit) / max;
  gdouble cr = (yuv[2] - 128 * unit) / max;
  gdouble value;

  if (limited) {
    y = (yuv[0] - 16 * unit) / (219 * unit);
    cb = (yuv[1] - 128 * unit) / (224 * unit);
    cr = (yuv[2] - 128 * unit) / (224 * unit);
  }
  if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_RED)
    value = y + 2 * (1 - kr) * cr;
  else if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_BLUE)
    value = y + 2 * (1 - kb) * cb;
  else
    value = y - 2 * (1 - kb) * kb / kg * cb - 2 * (1 - kr) * kr / kg * cr;
  return CLAMP (value * max, 0, max);
}

static void
check_rgb (const TestFrame * frame, guint m, gboolean limited)
{
  const gboolean is_gray = GST_VIDEO_FORMAT_INFO_IS_GRAY
      (gst_video_format_get_info (frame->format));
  Unpacked unpacked;
  VhLayout layout;
  guint channel, x, y, c;

  fail_unless (vh_layout_from_caps (&layout, frame->caps, NULL));
  unpack (&unpacked, frame);
  for (channel = GST_VIDEO_HISTOGRAM_CHANNEL_RED;
      channel <= GST_VIDEO_HISTOGRAM_CHANNEL_BLUE; channel++) {
    for (y = 0; y < frame->height; y++) {
      for (x = 0; x < frame->width; x++) {
        guint yuv[3];
        gdouble wanted;
        guint value;

        for (c = 0; c < 3; c++)
          yuv[c] = get_sample (&unpacked, c, x, y, layout.depth);
        if (is_gray)
          yuv[1] = yuv[2] = 128 << (layout.depth - 8);
        wanted = rgb_in_double (yuv, channel, m, limited, layout.depth);
        value = value_at (&layout, frame, channel, x, y);
        if (fabs (value - wanted) > 1) {
          fail ("%s, matrix %s, channel %u of %u,%u,%u: %u, in double %f",
              gst_video_format_to_string (frame->format), matrices[m].matrix,
              channel, yuv[0], yuv[1], yuv[2], value, wanted);
        }
      }
    }
  }
  g_free (unpacked.data);
}

/* Chroma of every subsampling, from the nearest sample. */
GST_START_TEST (test_rgb_of_yuv)
{
  gchar **formats = list_formats ();
  TestRandom random = test_random_new (3);
  TestFrame frame;
  guint f, m, limited;

  for (f = 0; formats[f]; f++) {
    const GstVideoFormat format = gst_video_format_from_string (formats[f]);

    /* GStreamer unpacks VYUY in one of two ways, depending on the alignment of
     * memory. */
    if (GST_VIDEO_FORMAT_INFO_IS_RGB (gst_video_format_get_info (format))
        || format == GST_VIDEO_FORMAT_VYUY)
      continue;
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      for (limited = 0; limited < 2; limited++) {
        gchar *colorimetry = g_strdup_printf ("%d:%s:0:0", limited ? 2 : 1,
            matrices[m].matrix);

        test_frame_init_plain (&frame, &random, format, 9, 5, colorimetry);
        check_rgb (&frame, m, limited);
        test_frame_clear (&frame);
        g_free (colorimetry);
      }
    }
  }
  g_strfreev (formats);
}

GST_END_TEST;

/* The bytes of a pair of pixels are in the order of the format's name. */
GST_START_TEST (test_rgb_of_packed_yuv)
{
  static const struct
  {
    GstVideoFormat format;
    guint8 bytes[4];
  } pairs[] = {
    {GST_VIDEO_FORMAT_YUY2, {128, 60, 128, 210}},
    {GST_VIDEO_FORMAT_YVYU, {128, 210, 128, 60}},
    {GST_VIDEO_FORMAT_UYVY, {60, 128, 210, 128}},
    {GST_VIDEO_FORMAT_VYUY, {210, 128, 60, 128}},
  };
  TestRandom random = test_random_new (5);
  TestFrame frame;
  VhLayout layout;
  guint i, x;

  for (i = 0; i < G_N_ELEMENTS (pairs); i++) {
    test_frame_init_plain (&frame, &random, pairs[i].format, 2, 1, "1:4:0:0");
    memcpy (frame.image, pairs[i].bytes, 4);
    fail_unless (vh_layout_from_caps (&layout, frame.caps, NULL));
    for (x = 0; x < 2; x++) {
      /* 128 + 1.402 * 82, 128 + 0.344 * 68 - 0.714 * 82, 128 - 1.772 * 68 */
      fail_unless_equals_int (value_at (&layout, &frame,
              GST_VIDEO_HISTOGRAM_CHANNEL_RED, x, 0), 243);
      fail_unless_equals_int (value_at (&layout, &frame,
              GST_VIDEO_HISTOGRAM_CHANNEL_GREEN, x, 0), 93);
      fail_unless_equals_int (value_at (&layout, &frame,
              GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, x, 0), 8);
    }
    test_frame_clear (&frame);
  }
}

GST_END_TEST;

/* Columns and rows of a grid: the cell of pixel x is x * columns / width. */
GST_START_TEST (test_cells)
{
  static const guint grids[][2] = { {1, 1}, {2, 3}, {7, 5}, {64, 64} };
  const VhRect region = { 3, 2, 23, 11 };
  TestRandom random = test_random_new (4);
  TestFrame frame;
  VhLayout layout;
  VhFrameView view;
  guint g, x, y;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_GRAY8, 30, 20, NULL);
  fail_unless (vh_layout_from_caps (&layout, frame.caps, NULL));
  view_of_frame (&view, &layout, &frame);

  for (g = 0; g < G_N_ELEMENTS (grids); g++) {
    const guint columns = grids[g][0], rows = grids[g][1];
    GstVideoHistogramInfo info = {
      .format = frame.format,
      .depth = 8,
      .region_width = region.width,
      .region_height = region.height,
      .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
      .bins = 256,
      .columns = columns,
      .rows = rows,
    };
    GstVideoHistogram *histogram = vh_histogram_new (&info, "reference");
    guint32 *wanted = g_new0 (guint32, columns * rows * 256);

    vh_reference_count (&view, &region, vh_histogram_counts (histogram));
    for (y = 0; y < region.height; y++) {
      for (x = 0; x < region.width; x++) {
        const guint8 *row = frame.image + (region.y + y) * frame.stride[0];
        const guint cell = y * rows / region.height * columns
            + x * columns / region.width;

        wanted[cell * 256 + row[region.x + x]]++;
      }
    }
    fail_unless (memcmp (vh_counts_storage (vh_histogram_counts
                (histogram)), wanted, columns * rows * 256 *
            sizeof (*wanted)) == 0, "grid %ux%u", columns, rows);
    g_free (wanted);
    gst_video_histogram_unref (histogram);
  }
  test_frame_clear (&frame);
}

GST_END_TEST;

/* Checks the gradients of @pixels in a region from @x on, @width wide, in two
 * cells. @left and @right list the gradients that occur, each once, in
 * ascending order, and end with 256. */
static void
check_gradients (GstVideoFormat format, const guint8 * pixels, gsize size,
    guint x, guint width, const guint * left, const guint * right)
{
  const VhRect region = { x, 0, width, 1 };
  const guint *const wanted[2] = { left, right };
  GstVideoHistogramInfo info = {
    .format = format,
    .depth = 8,
    .region_width = width,
    .region_height = 1,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT,
    .bins = 256,
    .columns = 2,
    .rows = 1,
  };
  GstVideoHistogram *histogram = vh_histogram_new (&info, "reference");
  TestRandom random = test_random_new (6);
  TestFrame frame;
  VhLayout layout;
  VhFrameView view;
  guint cell, b;

  test_frame_init_plain (&frame, &random, format, 6, 1, NULL);
  memcpy (frame.image, pixels, size);
  fail_unless (vh_layout_from_caps (&layout, frame.caps, NULL));
  view_of_frame (&view, &layout, &frame);
  vh_reference_count (&view, &region, vh_histogram_counts (histogram));
  for (cell = 0; cell < 2; cell++) {
    const guint32 *counts = vh_counts_cell (vh_histogram_counts (histogram),
        VH_CHANNEL_GRADIENT, cell, 0);
    const guint *code = wanted[cell];

    for (b = 0; b < 256; b++) {
      const gboolean is_wanted = *code == b;

      fail_unless_equals_int (counts[b], is_wanted);
      code += is_wanted;
    }
  }
  gst_video_histogram_unref (histogram);
  test_frame_clear (&frame);
}

/* Each gradient is counted in the cell of its left pixel, and none crosses the
 * edge of the region. */
GST_START_TEST (test_gradient)
{
  static const guint8 gray[] = { 10, 13, 3, 3, 255, 7 };
  /* BT.709: of 255, red is 54, green 182, blue 18. */
  static const guint8 rgb[] = { 255, 0, 0, 0, 255, 0, 0, 0, 255,
    0, 0, 0, 9, 9, 9, 1, 1, 1
  };
  static const guint none[] = { 256 };

  check_gradients (GST_VIDEO_FORMAT_GRAY8, gray, sizeof (gray), 0, 6,
      (const guint[]) { 0, 3, 10, 256}, (const guint[]) { 248, 252, 256});
  check_gradients (GST_VIDEO_FORMAT_GRAY8, gray, sizeof (gray), 1, 3,
      (const guint[]) { 0, 10, 256}, none);
  check_gradients (GST_VIDEO_FORMAT_GRAY8, gray, sizeof (gray), 2, 3,
      (const guint[]) { 0, 252, 256}, none);
  check_gradients (GST_VIDEO_FORMAT_GRAY8, gray, sizeof (gray), 4, 1, none,
      none);
  check_gradients (GST_VIDEO_FORMAT_RGB, rgb, sizeof (rgb), 0, 6,
      (const guint[]) { 18, 128, 164, 256}, (const guint[]) { 8, 9, 256});
}

GST_END_TEST;

/* All formats required by the design exist. */
GST_START_TEST (test_formats_of_the_design)
{
  static const gchar *const names[] = {
    "I420", "YV12", "NV12", "NV21", "P010_10LE", "P012_LE", "P016_LE",
    "I420_10LE", "I420_12LE", "Y42B", "I422_10LE", "I422_12LE", "Y444",
    "Y444_10LE", "Y444_12LE", "Y444_16LE", "YUY2", "UYVY", "GRAY8",
    "GRAY16_LE", "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA",
    "ARGB", "ABGR", "RGBP", "BGRP", "GBR", "GBRA", "GBR_10LE", "GBR_12LE",
    "RGB10A2_LE", "BGR10A2_LE", "AYUV", "VUYA",
  };
  gchar **formats = list_formats ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    fail_unless (g_strv_contains ((const gchar * const *) formats, names[i]),
        "%s is missing", names[i]);
  }
  g_strfreev (formats);
}

GST_END_TEST;

TEST_SUITE (reference, NULL, NULL)
{
  tcase_add_test (tc, test_samples_of_every_format);
  tcase_add_test (tc, test_luma_of_rgb);
  tcase_add_test (tc, test_rgb_of_yuv);
  tcase_add_test (tc, test_rgb_of_packed_yuv);
  tcase_add_test (tc, test_cells);
  tcase_add_test (tc, test_gradient);
  tcase_add_test (tc, test_formats_of_the_design);
}
