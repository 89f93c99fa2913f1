/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms read back from structures and JSON lines: everything comes back,
 * and invalid input is rejected with a reason, without harm. */

#include "common/counts.h"
#include "common/random.h"
#include "common/suite.h"
#include <gst/videohistogram/videohistogram.h>
#include <locale.h>
#include <string.h>

#define N_CASES 50
#define N_DAMAGED 500
#define ALL (GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS | \
    GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS)

static const GstVideoFormat formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GRAY16_LE,
  GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_FORMAT_UNKNOWN,
};

static GstClockTime
make_time (TestRandom * random)
{
  return test_random_once_in (random, 3) ? GST_CLOCK_TIME_NONE :
      (GstClockTime) test_random_below (random, G_MAXINT) << 20;
}

/* For each channel, puts every pixel of each cell in some bin. */
static void
fill (GstVideoHistogram * histogram, TestRandom * random)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  guint32 *counts = g_new (guint32, info->bins);
  guint c, x, y;

  for (c = 0; c < GST_VIDEO_HISTOGRAM_N_CHANNELS; c++) {
    for (y = 0; y < info->rows; y++) {
      for (x = 0; x < info->columns; x++) {
        guint64 left = gst_video_histogram_get_cell_channel_pixels (histogram,
            c, x, y);

        memset (counts, 0, info->bins * sizeof (*counts));
        while (left > 0) {
          const guint n = 1 + test_random_below (random, left);

          counts[test_random_below (random, info->bins)] += n;
          left -= n;
        }
        fail_unless_equals_int (gst_video_histogram_set_counts (histogram, c, x,
                y, counts, info->bins), (info->channels >> c) & 1);
      }
    }
  }
  g_free (counts);
}

static GstVideoHistogram *
make_histogram (TestRandom * random)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;

  gst_video_histogram_info_init (&info);
  info.format = formats[test_random_below (random, G_N_ELEMENTS (formats))];
  if (info.format == GST_VIDEO_FORMAT_UNKNOWN)
    info.depth = 8 + test_random_below (random, 9);
  else
    info.depth = GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info
        (info.format), 0);
  info.width = 100 + test_random_below (random, 100);
  info.height = 100;
  info.region_x = test_random_below (random, 30);
  info.region_y = test_random_below (random, 30);
  info.region_width = 1 + test_random_below (random, 70);
  info.region_height = 1 + test_random_below (random, 70);
  info.colorimetry = (GstVideoColorimetry) {
    .range = test_random_below (random, 3),
    .matrix = test_random_below (random, 7),
    .transfer = test_random_below (random, 12),
    .primaries = test_random_below (random, 9),
  };
  info.matrix = test_random_below (random, 7);
  info.channels = 1 + test_random_below (random, 31);
  info.bins = test_random_once_in (random, 20) ? 4096 :
      1 + test_random_below (random, 100);
  info.columns = info.bins > 1000 ? 1 : 1 + test_random_below (random, 4);
  info.rows = 1 + test_random_below (random, 3);
  info.timestamp = make_time (random);
  info.stream_time = make_time (random);
  info.running_time = make_time (random);
  info.duration = make_time (random);
  histogram = gst_video_histogram_new (&info);
  fail_unless (histogram != NULL);
  fill (histogram, random);
  return histogram;
}

/* Takes @b. */
static void
check_same (GstVideoHistogram * a, GstVideoHistogram * b, const gchar * way)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (a);
  guint c, x, y, n, n_read;

  fail_unless (b != NULL, "%s", way);
  fail_unless (memcmp (info, gst_video_histogram_get_info (b),
          sizeof (*info)) == 0, "%s: the info differs", way);
  fail_unless_equals_string (gst_video_histogram_get_backend (b),
      gst_video_histogram_get_backend (a));
  fail_unless_equals_int (gst_video_histogram_get_state (b),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  for (c = 0; c < GST_VIDEO_HISTOGRAM_N_CHANNELS; c++) {
    for (y = 0; y < info->rows; y++) {
      for (x = 0; x < info->columns; x++) {
        const guint32 *counts = gst_video_histogram_get_cell_counts (a, c, x,
            y, &n);
        const guint32 *read = gst_video_histogram_get_cell_counts (b, c, x, y,
            &n_read);

        fail_unless_equals_int (n_read, n);
        fail_unless (n == 0 || memcmp (counts, read, n * sizeof (*read)) == 0,
            "%s: counts differ", way);
      }
    }
  }
  gst_video_histogram_unref (b);
}

static GstVideoHistogram *
read_structure (const GstStructure * s)
{
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_from_structure (s, &error);

  fail_unless (histogram != NULL, "%s", error ? error->message : "");
  return histogram;
}

static GstVideoHistogram *
read_json (const gchar * json)
{
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_from_json (json, &error);

  fail_unless (histogram != NULL, "%s: %.300s", error ? error->message : "",
      json);
  return histogram;
}

GST_START_TEST (test_round_trip)
{
  TestRandom random = test_random_new (1);
  guint i;

  for (i = 0; i < N_CASES; i++) {
    GstVideoHistogram *histogram = make_histogram (&random);
    GstStructure *s = gst_video_histogram_to_structure (histogram,
        test_random_once_in (&random, 2) ? ALL :
        GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS), *parsed;
    gchar *text = gst_structure_to_string (s), *json, *again;
    GstVideoHistogram *read;

    check_same (histogram, read_structure (s), "structure");
    parsed = gst_structure_from_string (text, NULL);
    check_same (histogram, read_structure (parsed), "text");
    gst_structure_free (s);
    s = gst_video_histogram_to_structure (histogram,
        ALL | GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES);
    check_same (histogram, read_structure (s), "bytes");
    json = gst_video_histogram_to_json (histogram, ALL);
    fail_unless (strchr (json, '\n') == NULL);
    check_same (histogram, read_json (json), "JSON");
    read = read_json (json);
    again = gst_video_histogram_to_json (read, ALL);
    fail_unless_equals_string (again, json);

    gst_video_histogram_unref (read);
    gst_structure_free (parsed);
    gst_structure_free (s);
    g_free (again);
    g_free (json);
    g_free (text);
    gst_video_histogram_unref (histogram);
  }
}

GST_END_TEST;

/* A histogram whose range was never set, and an empty one. */
GST_START_TEST (test_unknown_range)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  GstStructure *s;

  gst_video_histogram_info_init (&info);
  histogram = gst_video_histogram_new (&info);
  s = gst_video_histogram_to_structure (histogram, ALL);
  fail_unless_equals_string (gst_structure_get_string (s, "range"), "unknown");
  check_same (histogram, read_structure (s), "unknown");
  gst_structure_free (s);
  gst_video_histogram_unref (histogram);

  info.colorimetry.range = 99;
  histogram = gst_video_histogram_new (&info);
  s = gst_video_histogram_to_structure (histogram, ALL);
  fail_unless_equals_string (gst_structure_get_string (s, "range"), "unknown");
  gst_structure_free (s);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

static const GType integers[] = {
  G_TYPE_CHAR, G_TYPE_UCHAR, G_TYPE_INT, G_TYPE_UINT, G_TYPE_LONG, G_TYPE_ULONG,
  G_TYPE_INT64, G_TYPE_UINT64,
};

/* Sets @field to @number, as the type @type. */
static void
set_number (GstStructure * s, const gchar * field, GType type, gint number)
{
  GValue from = G_VALUE_INIT, to = G_VALUE_INIT;

  g_value_init (&from, G_TYPE_INT);
  g_value_init (&to, type);
  g_value_set_int (&from, number);
  fail_unless (g_value_transform (&from, &to));
  gst_structure_take_value (s, field, &to);
}

/* Other programs may use other integer types. */
GST_START_TEST (test_types)
{
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3, 2, 9), *read;
  GstStructure *s = gst_video_histogram_to_structure (histogram,
      GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS);
  GValue list = G_VALUE_INIT, item = G_VALUE_INIT;
  const gint counts[] = { 0, 3, 9, 0 };
  GError *error = NULL;
  guint i;

  gst_value_list_init (&list, 4);
  for (i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_value_init (&item, G_TYPE_INT64);
    g_value_set_int64 (&item, counts[i]);
    gst_value_list_append_and_take_value (&list, &item);
  }
  gst_structure_take_value (s, "luma", &list);
  for (i = 0; i < G_N_ELEMENTS (integers); i++) {
    set_number (s, "bins", integers[i], 4);
    set_number (s, "width", integers[i], 12);
    check_same (histogram, read_structure (s), g_type_name (integers[i]));
  }
  set_number (s, "bins", G_TYPE_CHAR, -4);
  read = gst_video_histogram_from_structure (s, &error);
  fail_unless (read == NULL);
  fail_unless (strstr (error->message, "bins is not a number") != NULL);
  g_error_free (error);
  gst_structure_free (s);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Numbers use a decimal point in every locale. */
GST_START_TEST (test_locale)
{
  static const gchar *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8" };
  TestRandom random = test_random_new (2);
  GstVideoHistogram *histogram = make_histogram (&random);
  gchar *json = gst_video_histogram_to_json (histogram, ALL), *other;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    setlocale (LC_ALL, names[i]);
    other = gst_video_histogram_to_json (histogram, ALL);
    fail_unless_equals_string (other, json);
    check_same (histogram, read_json (other), names[i]);
    g_free (other);
  }
  setlocale (LC_ALL, "C");
  g_free (json);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* A line for two pixels, with additional fields. */
#define LINE(more) "{\"format\":\"GRAY8\",\"width\":2,\"height\":1," \
    "\"bins\":2,\"grid\":\"1x1\",\"roi\":\"0,0,2,1\"" more "}"

/* From a version without depth, and with unknown times. */
GST_START_TEST (test_other_writers)
{
  GstVideoHistogram *histogram = read_json (LINE (",\"luma\":[2,0],"
          "\"timestamp\":null,\"nonsense\":{\"a\":[1]},\"backend\":\"other\","
          "\"matrix\":\"new\",\"colorimetry\":\"0:77:88:99\","
          "\"range\":\"full\""));
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);

  fail_unless_equals_int (info->depth, 8);
  fail_unless_equals_uint64 (info->timestamp, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (info->duration, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (info->matrix, GST_VIDEO_COLOR_MATRIX_UNKNOWN);
  fail_unless_equals_int (info->colorimetry.range, GST_VIDEO_COLOR_RANGE_0_255);
  fail_unless_equals_int (info->colorimetry.matrix, 0);
  fail_unless_equals_int (info->colorimetry.transfer, 0);
  fail_unless_equals_int (info->colorimetry.primaries, 0);
  fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
      "none");
  fail_unless_equals_int (gst_video_histogram_get_counts (histogram, 0,
          NULL)[0], 2);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

static const struct
{
  const gchar *json, *words;
} refused[] = {
  {"", "not a JSON object"},
  {"[1]", "not a JSON object"},
  {"{\"a\":", "not a JSON object: "},
  {LINE (""), "the counts are missing"},
  {LINE (",\"luma\":[2,0]") "x", "unexpected byte at 90"},
  {LINE (",\"luma\":[2,0]") "/* 2 */", "not a JSON object"},
  {"line=" LINE (",\"luma\":[2,0]") ";", "not a JSON object"},
  {LINE (",\"luma\":[2,0],'depth':8"), "not a JSON object"},
  {LINE (",\"luma\":[0x2,0]"), "not a JSON object"},
  {LINE (",\"luma\":[02,0]"), "not a JSON object"},
  {LINE (",\"luma\":[+2,0]"), "not a JSON object"},
  {LINE (",\"luma\":[-18446744073709551614,0]"), "not a JSON object"},
  {LINE (",\"luma\":[2,0],\"duration\":18446744073709551614"),
      "not a JSON object"},
  {LINE (",\"luma\":[2]"), "luma has 1 counts, not 2"},
  {LINE (",\"luma\":[2,-1]"), "luma: count 1 is not a number"},
  {LINE (",\"luma\":[4294967297,1]"), "luma: count 0 is not a number"},
  {LINE (",\"luma\":[2.5,0]"), "luma: count 0 is not a number"},
  {LINE (",\"luma\":[null,0]"), "luma: count 0 is not a number"},
  {LINE (",\"luma\":[[2],0]"), "luma: count 0 is not a number"},
  {LINE (",\"luma\":\"2 0\""), "the array luma is missing"},
  {LINE (",\"luma\":[1,0]"), "luma counts 1 pixels, but the roi has 2"},
  {LINE (",\"luma\":[2,0],\"depth\":17"), "depth is not a number from 0 to 16"},
  {LINE (",\"luma\":[2,0],\"depth\":3"), "depth is 3, but"},
  {LINE (",\"luma\":[2,0],\"bins\":0"), "bins is 0, but"},
  {LINE (",\"luma\":[2,0],\"bins\":65537"), "bins is not a number from 0 to"},
  {LINE (",\"luma\":[2,0],\"grid\":\"1\""), "grid is \"1\", not 2 numbers"},
  {LINE (",\"luma\":[2,0],\"grid\":\"2x1\""), "the array luma-cells is "
        "missing"},
  {LINE (",\"luma\":[2,0],\"grid\":\"65x1\""), "columns is 65"},
  {LINE (",\"luma\":[2,0],\"grid\":7"), "the string grid is missing"},
  {LINE (",\"luma\":[2,0],\"grid\":\"2x1\",\"luma-cells\":[1,0,0,1]"),
      "luma-cells do not add up"},
  {LINE (",\"luma\":[2,0],\"roi\":\"1,0,2,1\""), "outside the picture of 2x1 "
        "pixels"},
  {LINE (",\"luma\":[2,0],\"roi\":\"0,1,2,1\""), "outside the picture of 2x1 "
        "pixels"},
  {LINE (",\"luma\":[2,0],\"roi\":\"2147483647,0,2147483647,1\""),
      "outside the picture of 2x1 pixels"},
  {LINE (",\"luma\":[2,0],\"pixels\":3"), "pixels is 3, but the roi has 2"},
  {LINE (",\"gradient\":[2,0]"), "gradient counts 2 pixels, but the roi has 1"},
  {LINE (",\"gradient\":[1,0],\"gradient-pixels\":2"),
      "gradient-pixels is 2, but the roi has 1 pixels with a neighbour to the "
        "right"},
  {LINE (",\"gradient\":[1,0],\"gradient-pixels\":\"all\""),
      "gradient-pixels is not a number"},
  {LINE (",\"luma\":[2,0],\"range\":\"wide\""), "range is \"wide\", not"},
  {LINE (",\"luma\":[2,0],\"range\":1"), "the string range is missing"},
  {LINE (",\"luma\":[2,0],\"range\":\"full\",\"colorimetry\":\"bt709\""),
      "range is full, but the colorimetry has the range limited"},
  {LINE (",\"luma\":[2,0],\"roi\":\"0,0,2\""), "roi is \"0,0,2\", not 4"},
  {LINE (",\"luma\":[2,0],\"roi\":\"0,0,2,-1\""), "not 4 numbers"},
  {LINE (",\"luma\":[2,0],\"roi\":\"0,0,2,1,\""), "not 4 numbers"},
  {LINE (",\"luma\":[2,0],\"width\":-1"), "width is not a number"},
  {LINE (",\"luma\":[2,0],\"format\":\"GRAY9\""), "not know the format"},
  {LINE (",\"luma\":[2,0],\"format\":\"unknown\""), "depth is missing"},
  {LINE (",\"luma\":[2,0],\"duration\":\"1 s\""), "duration is not a number"},
};

/* The number of bytes does not match the number of bins. */
GST_START_TEST (test_bytes_refused)
{
  static const gsize sizes[] = { 0, 4, 15, 17, 20 };
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3, 2, 9);
  GstStructure *s = gst_video_histogram_to_structure (histogram,
      ALL | GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GBytes *bytes = g_bytes_new_take (g_malloc0 (sizes[i]), sizes[i]);
    GError *error = NULL;
    gchar *words = g_strdup_printf ("luma has %" G_GSIZE_FORMAT " bytes, not 4 "
        "counts of 4", sizes[i]);

    gst_structure_set (s, "luma", G_TYPE_BYTES, bytes, NULL);
    fail_unless (!gst_video_histogram_from_structure (s, &error));
    fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
    g_clear_error (&error);
    g_bytes_unref (bytes);
    g_free (words);
  }
  gst_structure_set (s, "luma", G_TYPE_BYTES, NULL, NULL);
  fail_unless (!gst_video_histogram_from_structure (s, NULL));
  gst_structure_free (s);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  GError *error = NULL;

  fail_unless (!gst_video_histogram_from_json (refused[__i__].json, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  fail_unless (strstr (error->message, refused[__i__].words) != NULL,
      "%s: %s", refused[__i__].json, error->message);
  g_error_free (error);
  fail_unless (!gst_video_histogram_from_json (refused[__i__].json, NULL));
}

GST_END_TEST;

GST_START_TEST (test_other_structure)
{
  GstStructure *s = gst_structure_new_empty ("level");
  GError *error = NULL;

  fail_unless (!gst_video_histogram_from_structure (s, &error));
  fail_unless (strstr (error->message, "is named level") != NULL);
  g_error_free (error);
  gst_structure_free (s);
}

GST_END_TEST;

/* Lines that are cut off, or have other bytes in them, including nested
 * ones. */
GST_START_TEST (test_damaged)
{
  static const gchar bytes[] = "[]{}\",:\\u0-9e.\xff\xd8\x01n ";
  TestRandom random = test_random_new (3);
  GstVideoHistogram *histogram = make_histogram (&random);
  gchar *line = gst_video_histogram_to_json (histogram, ALL);
  const gsize length = strlen (line);
  guint i;

  for (i = 0; i < N_DAMAGED; i++) {
    gchar *damaged = g_strdup (line);
    guint n = test_random_below (&random, 4), at;
    GstVideoHistogram *read;
    GError *error = NULL;

    for (; n > 0; n--) {
      at = test_random_below (&random, MIN (length, 600));
      damaged[at] = bytes[test_random_below (&random, sizeof (bytes) - 1)];
    }
    if (test_random_once_in (&random, 2))
      damaged[test_random_below (&random, length)] = 0;
    read = gst_video_histogram_from_json (damaged, &error);
    fail_unless ((read == NULL) == (error != NULL));
    gst_clear_video_histogram (&read);
    g_clear_error (&error);
    g_free (damaged);
  }
  g_free (line);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Levels of nesting beyond the limit, also after invalid JSON. */
GST_START_TEST (test_deep)
{
  static const gchar *const before[] = {
    "", "{\"a\":", "{\"\\\"\":", "/* \" */", "// \"\n", "{'\"':", "a=",
  };
  gchar *deep = g_strnfill (1000000, '[');
  guint i;

  for (i = 0; i < G_N_ELEMENTS (before); i++) {
    gchar *json = g_strconcat (before[i], deep, NULL);

    fail_unless (!gst_video_histogram_from_json (json, NULL), "%s", before[i]);
    g_free (json);
  }
  g_free (deep);
}

GST_END_TEST;

TEST_SUITE (readback, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_round_trip);
  tcase_add_test (tc, test_unknown_range);
  tcase_add_test (tc, test_types);
  tcase_add_test (tc, test_locale);
  tcase_add_test (tc, test_other_writers);
  tcase_add_test (tc, test_bytes_refused);
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_other_structure);
  tcase_add_test (tc, test_damaged);
  tcase_add_test (tc, test_deep);
}
