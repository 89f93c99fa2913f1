/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counting methods of the element: each counts correctly at its limits, and
 * one that cannot count reports it once and names one that can, while the video
 * flows. */
#include <stdio.h>
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/methods.h"
#include "gpu.h"

/* The second frame finds what the first one left behind. */
#define N_FRAMES 2

/* The bins that every supported GPU has room for in a block's table, and in a
 * table with one bit per bin for each thread of a warp. */
#define MIN_TABLE_BINS 12000
#define MIN_BIT_TABLE_BINS 16000

typedef enum
{
  FILL_ONE_VALUE,
  FILL_TWO_VALUES,              /* alternating */
  FILL_RUNS,                    /* runs of RUN samples */
  FILL_RAMP,
  FILL_NOISE,
} Fill;

#define ONE_VALUE 0xc8c8        /* the same lower byte for 8-bit samples */
#define RUN 997

/* Frames at the limits of methods: full counters, tables of exactly the largest
 * size, one sample more or less than blocks and threads take at a time; and
 * frames that some methods cannot count. */
static const struct
{
  const gchar *format;
  guint bins;                   /* 0: by depth */
  guint width, height;
  Fill fill;
} frames[] = {
  /* As many copies as possible, one, none; more bins than code values. */
  {"GRAY8", 1, 640, 480, FILL_NOISE},
  {"GRAY16_LE", 64, 641, 411, FILL_TWO_VALUES},
  {"GRAY16_LE", 1025, 641, 411, FILL_NOISE},
  {"GRAY16_LE", 12000, 641, 411, FILL_RAMP},
  {"GRAY16_LE", 65536, 641, 411, FILL_NOISE},
  {"GRAY8", 65536, 641, 411, FILL_RUNS},
  {"GRAY8", 65536, 641, 411, FILL_ONE_VALUE},
  {"GRAY16_LE", 65535, 641, 411, FILL_NOISE},

  /* One sample per thread, and one more or less; threads without any. */
  {"GRAY8", 0, 1, 1, FILL_ONE_VALUE},
  {"GRAY8", 0, 512, 1, FILL_ONE_VALUE},
  {"GRAY8", 0, 513, 1, FILL_ONE_VALUE},
  {"GRAY8", 0, 1023, 1, FILL_RAMP},
  {"GRAY8", 0, 513, 3, FILL_RAMP},
  {"GRAY8", 0, 15, 33, FILL_RAMP},
  {"GRAY8", 0, 7, 3, FILL_ONE_VALUE},
  {"GRAY8", 1, 257, 1, FILL_ONE_VALUE},

  /* A block without a table of its own; as many tables as stay in the cache. */
  {"GRAY8", 0, 64, 31, FILL_TWO_VALUES},
  {"GRAY8", 1, 960, 541, FILL_ONE_VALUE},
  {"GRAY8", 0, 960, 541, FILL_ONE_VALUE},
  {"GRAY16_LE", 65536, 320, 240, FILL_RAMP},
  {"GRAY16_LE", 65536, 1920, 200, FILL_RAMP},

  /* Chunks of neighbors across the ends of rows; numbers of samples that are
   * not a multiple of those in flight. */
  {"GRAY8", 0, 1, 4097, FILL_RAMP},
  {"GRAY8", 0, 997, 613, FILL_RUNS},
  {"GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  /* No runs, and runs that end within vectors. */
  {"GRAY8", 1, 960, 541, FILL_NOISE},
  {"GRAY8", 0, 641, 411, FILL_RUNS},
  {"GRAY8", 0, 641, 411, FILL_TWO_VALUES},
  {"GRAY16_LE", 12000, 641, 411, FILL_RUNS},

  /* Trees with one leaf, two, three, and as many as there are blocks. */
  {"GRAY8", 0, 90, 90, FILL_RAMP},
  {"GRAY8", 0, 128, 128, FILL_TWO_VALUES},
  {"GRAY8", 0, 192, 128, FILL_RAMP},

  /* All lanes at one counter, and none; windows of bins. */
  {"GRAY8", 1, 161, 91, FILL_NOISE},
  {"GRAY8", 0, 320, 180, FILL_ONE_VALUE},
  {"GRAY8", 0, 1023, 33, FILL_RAMP},
  {"GRAY16_LE", 65536, 161, 91, FILL_NOISE},

  /* Packed counters of a few bits, and of one. */
  {"GRAY16_LE", 4096, 322, 178, FILL_ONE_VALUE},
  {"GRAY16_LE", 12000, 322, 178, FILL_ONE_VALUE},
  {"GRAY16_LE", 16000, 161, 91, FILL_NOISE},

  /* As many bins as the byte counters have, and one more or less. */
  {"GRAY8", 1, 255, 256, FILL_NOISE},
  {"GRAY8", 1, 255, 64, FILL_ONE_VALUE},
  {"GRAY8", 64, 257, 256, FILL_RAMP},
  {"GRAY8", 65, 161, 90, FILL_RAMP},
  {"GRAY8", 253, 257, 64, FILL_RAMP},
  {"GRAY8", 257, 161, 90, FILL_RAMP},

  /* One sample less than a tile, a tile, one more; one run, and no two equal
   * samples. */
  {"GRAY8", 0, 4095, 1, FILL_NOISE},
  {"GRAY8", 0, 4096, 1, FILL_ONE_VALUE},
  {"GRAY8", 0, 4097, 1, FILL_TWO_VALUES},
  {"GRAY8", 1, 320, 180, FILL_NOISE},
  {"GRAY16_LE", 65536, 320, 180, FILL_RAMP},

  /* More than 8 bits, also of RGB. */
  {"GRAY16_LE", 0, 161, 90, FILL_RAMP},
  {"GBR_10LE", 0, 161, 90, FILL_RAMP},

  /* 16-bit counters that overflow many times: see also bins.c. */
  {"GRAY16_LE", 65536, 1920, 1080, FILL_ONE_VALUE},
  {"GRAY16_LE", 65536, 1920, 1080, FILL_TWO_VALUES},
  {"GRAY16_LE", 65536, 1918, 1082, FILL_RUNS},
  {"GRAY16_LE", 1024, 1920, 1080, FILL_ONE_VALUE},
  {"GRAY16_LE", 1, 1920, 1080, FILL_RAMP},
};

static guint
fill_sample (Fill fill, guint i, TestRandom * random)
{
  switch (fill) {
    case FILL_ONE_VALUE:
      return ONE_VALUE;
    case FILL_TWO_VALUES:
      return i % 2 ? 0xffff : 0;
    case FILL_RUNS:
      return i / RUN * 12345;
    case FILL_RAMP:
      return i;
    case FILL_NOISE:
      return test_random_below (random, 1 << 16);
  }
  g_assert_not_reached ();
}

/* The description of a method in the table of methods. */
static const gchar *
describe (const GEnumValue * method)
{
  static const gchar *const descriptions[] = {
    "The fastest",
#define M(id, nick, description) description,
    VH_METHODS (M)
#undef M
  };

  return descriptions[method->value];
}

/* Methods with small counters say so in their description. Sorting methods have
 * no counters. */
static gboolean
has_counters_of (const GEnumValue * method, const gchar * size)
{
  return strstr (describe (method), size)
      && !strstr (describe (method), "Sorting");
}

/* The factor by which frames are reduced in each direction; 0: skip. The double
 * is slow and has few blocks, so less is enough unless counters should
 * overflow. */
static guint
get_scale (const GEnumValue * method, guint width, guint height)
{
  if (!test_double () || width * height < 100 * 1000)
    return 1;
  if (width * height < 1000 * 1000)
    return 4;
  return has_counters_of (method, "bits") ? 1 : 0;
}

static void
make_frame (TestFrame * frame, const gchar * format, guint width, guint height,
    Fill fill)
{
  TestRandom random = test_random_new (fill);
  GstVideoInfo info;
  GstMapInfo map;
  guint bytes, i;

  test_frame_init_plain (frame, &random, gst_video_format_from_string (format),
      width, height, NULL);
  fail_unless (gst_video_info_from_caps (&info, frame->caps));
  bytes = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8 ? 2 : 1;
  for (i = 0; i < frame->size / bytes; i++) {
    const guint sample = fill_sample (fill, i, &random);

    frame->image[i * bytes] = sample;
    if (bytes == 2)
      frame->image[i * bytes + 1] = sample >> 8;
  }
  gst_buffer_unref (frame->buffer);
  frame->buffer = gst_buffer_new_allocate (NULL, frame->size, NULL);
  fail_unless (gst_buffer_map (frame->buffer, &map, GST_MAP_WRITE));
  memcpy (map.data, frame->image, frame->size);
  gst_buffer_unmap (frame->buffer, &map);
}

static void
set_method (TestElement * t, const gchar * method, guint bins)
{
  gst_util_set_object_arg (G_OBJECT (t->element), "method", method);
  g_object_set (t->element, "bins", bins, NULL);
}

static void
init_element (TestElement * t, const gchar * method, guint bins)
{
  test_element_init (t, NULL, "backend", "cuda", "attach-meta", "always",
      "post-messages", "false", NULL);
  set_method (t, method, bins);
}

/* The text of the next warning on the bus, or NULL. */
static gchar *
pop_warning (TestElement * t)
{
  GstMessage *message = gst_bus_pop_filtered (t->bus, GST_MESSAGE_WARNING);
  GError *error;
  gchar *text;

  if (!message)
    return NULL;
  gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

static void
expect_no_warning (TestElement * t)
{
  gchar *text = pop_warning (t);

  fail_unless (text == NULL, "there is a warning: %s", text);
}

static gboolean
names (const gchar * text, const gchar * method, const gchar * words)
{
  gchar *part = g_strdup_printf ("method=%s %s", method, words);
  const gboolean found = strstr (text, part) != NULL;

  g_free (part);
  return found;
}

/* The method that @text suggests instead. */
static const gchar *
find_instead (const gchar * text, const gchar * method)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  const gchar *instead = NULL;
  guint i;

  for (i = 0; i < methods->n_values; i++) {
    const gchar *nick = methods->values[i].value_nick;

    if (names (text, nick, "can.")) {
      fail_unless (instead == NULL, "it names several: %s", text);
      instead = nick;
    }
  }
  g_type_class_unref (methods);
  fail_unless (instead != NULL, "it names no method that can: %s", text);
  fail_if (g_str_equal (instead, method), "%s", text);
  return instead;
}

/* Finds a number of bins after @words in @text. */
static gboolean
find_bins (const gchar * text, const gchar * words, guint * bins)
{
  const gchar *found = strstr (text, words);

  return found && sscanf (found + strlen (words), " %u", bins) == 1;
}

/* Checks that the reason in @text applies to the element's frames, and that not
 * every GPU could count them. */
static void
check_reason (const gchar * text, const GEnumValue * method,
    const TestFrame * frame, guint bins, gboolean cells)
{
  gboolean right = FALSE;
  GstVideoInfo info;
  guint most;

  fail_unless (gst_video_info_from_caps (&info, frame->caps));
  if (bins == 0)
    bins = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) == 8 ? 256 : 4096;
  if (find_bins (text, "it supports up to", &most)) {
    gchar *words = g_strdup_printf ("up to %u bins", most);

    right = bins > most && strstr (describe (method), words) != NULL;
    g_free (words);
  } else if (find_bins (text, "room for", &most)) {
    right = bins > most && most >= MIN_TABLE_BINS;
  } else if (strstr (text, "8-bit")) {
    right = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8;
  } else if (strstr (text, "one bit per bin")) {
    right = bins > MIN_BIT_TABLE_BINS;
  } else if (strstr (text, "in each of")) {
    right = cells;
  } else if (strstr (text, "this build has no kernel")) {
    /* The double has no CUB. */
    right = test_double () != NULL;
  }
  fail_unless (right, "%u bins, %s: %s", bins,
      gst_video_format_to_string (frame->format), text);
}

/* Pops the warning that @method cannot count these frames, if it cannot; there
 * must be no other. */
static gchar *
pop_refusal (TestElement * t, const GEnumValue * method)
{
  gchar *text = pop_warning (t);

  if (text) {
    fail_unless (names (text, method->value_nick,
            "cannot count these frames: "), "%s", text);
    expect_no_warning (t);
  }
  return text;
}

/* Passes @frame once: it leaves unchanged, with the right counts. */
static void
pass_frame (TestElement * t, const TestFrame * frame)
{
  GstVideoHistogramSpec spec;
  GstVideoHistogram *histogram, *expected;
  GstMemory *memory = gst_buffer_peek_memory (frame->buffer, 0);
  const gchar *wrong;
  GstBuffer *out;
  gchar *grid;

  gst_video_histogram_spec_init (&spec);
  g_object_get (t->element, "bins", &spec.bins, "method", &spec.method,
      "grid", &grid, NULL);
  fail_unless (sscanf (grid, "%ux%u", &spec.columns, &spec.rows) == 2);
  g_free (grid);
  expected = test_count_on_cpu (frame->buffer, frame->caps, &spec);
  out = test_element_pass (t, gst_buffer_copy (frame->buffer));
  histogram = test_get_histogram (out);
  wrong = test_compare (histogram, expected);
  if (g_strcmp0 (gst_video_histogram_get_backend (histogram), "cuda") != 0)
    wrong = "it was counted elsewhere";
  fail_if (wrong, "method %d, %s, %ux%u, %u bins: %s", spec.method,
      gst_video_format_to_string (frame->format), frame->width, frame->height,
      spec.bins, wrong);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  fail_unless (gst_buffer_memcmp (out, 0, frame->image, frame->size) == 0);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (expected);
  gst_buffer_unref (out);
}

static void
pass_frames (TestElement * t, const TestFrame * frame)
{
  guint i;

  gst_harness_set_src_caps (t->h, gst_caps_ref (frame->caps));
  for (i = 0; i < N_FRAMES; i++)
    pass_frame (t, frame);
}

/* A method counts the frames, or reports why it cannot and names one that can.
 * Returns whether it counted them. */
static gboolean
check_frames (TestElement * t, const GEnumValue * method,
    const TestFrame * frame, guint bins, gboolean cells)
{
  gchar *text;

  set_method (t, method->value_nick, bins);
  pass_frames (t, frame);
  text = pop_refusal (t, method);
  if (!text)
    return TRUE;

  check_reason (text, method, frame, bins, cells);
  set_method (t, find_instead (text, method->value_nick), bins);
  pass_frames (t, frame);
  expect_no_warning (t);
  g_free (text);
  return FALSE;
}

static guint
n_methods (void)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  const guint n = methods->n_values;

  g_type_class_unref (methods);
  return n;
}

static const GEnumValue *
get_method (guint i)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  const GEnumValue *method = &methods->values[i];

  g_type_class_unref (methods);
  return method;
}

/* The library and users call methods by the same names. */
GST_START_TEST (test_names)
{
  static const struct
  {
    VhMethod method;
    GstVideoHistogramMethod value;
    const gchar *nick, *name;
  } rows[] = {
#define M(id, nick, description) \
    {VH_METHOD_##id, GST_VIDEO_HISTOGRAM_METHOD_##id, nick, \
        "GST_VIDEO_HISTOGRAM_METHOD_" #id},
    VH_METHODS (M)
#undef M
  };
  guint i;

  fail_unless_equals_int (n_methods (), VH_N_METHODS);
  fail_unless_equals_int (get_method (0)->value, VH_METHOD_AUTO);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    const GEnumValue *method = get_method (i + 1);

    fail_unless_equals_int (method->value, rows[i].method);
    fail_unless_equals_int (method->value, rows[i].value);
    fail_unless_equals_string (method->value_nick, rows[i].nick);
    fail_unless_equals_string (method->value_name, rows[i].name);
  }
}

GST_END_TEST;

/* A method at its limits, and beyond. */
GST_START_TEST (test_limits)
{
  const GEnumValue *method = get_method (__i__);
  const guint step = test_double ()? test_env_tier ("TEST_METHODS_STEP", 3, 1) :
      1;
  guint i, n = 0;
  TestElement t;

  init_element (&t, method->value_nick, 0);
  for (i = __i__ % step; i < G_N_ELEMENTS (frames); i += step) {
    const guint scale = get_scale (method, frames[i].width, frames[i].height);
    TestFrame frame;

    if (scale == 0)
      continue;
    make_frame (&frame, frames[i].format, (frames[i].width + scale - 1) / scale,
        (frames[i].height + scale - 1) / scale, frames[i].fill);
    n += check_frames (&t, method, &frame, frames[i].bins, FALSE) ?
        N_FRAMES : 2 * N_FRAMES;
    test_frame_clear (&frame);
  }
  test_wait_for_frames (&t, n);
  fail_unless_equals_uint64 (test_element_get_count (&t, "processed"), n);
  test_element_clear (&t);
}

GST_END_TEST;

/* Frames with few values, so large that every thread fills small counters
 * several times, with 256 bins or the method's maximum. The double has two
 * multiprocessors, so less is enough there. */
GST_START_TEST (test_bytes)
{
  const guint scale = test_double () ? 1 : 8;
  const Fill fills[] = { FILL_ONE_VALUE, FILL_TWO_VALUES };
  const GEnumValue *method = get_method (__i__);
  guint bins = 256, i;
  TestElement t;
  TestFrame frame;
  gchar *text;

  if (!has_counters_of (method, "byte") && !has_counters_of (method, "bits"))
    return;
  init_element (&t, method->value_nick, bins);
  make_frame (&frame, "GRAY8", 16, 16, FILL_RAMP);
  pass_frames (&t, &frame);
  test_frame_clear (&frame);
  text = pop_refusal (&t, method);
  if (text && find_bins (text, "up to", &bins))
    set_method (&t, method->value_nick, bins);
  for (i = 0; i < G_N_ELEMENTS (fills); i++) {
    make_frame (&frame, "GRAY8", scale * 1920, scale * 1080, fills[i]);
    gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    pass_frame (&t, &frame);
    test_frame_clear (&frame);
  }
  if (!text || bins < 256)
    expect_no_warning (&t);
  g_free (text);
  test_element_clear (&t);
}

GST_END_TEST;

/* More cells than some methods have room for. */
GST_START_TEST (test_cells)
{
  guint i, n_refused = 0;
  TestElement t;
  TestFrame frame;

  make_frame (&frame, "GRAY8", 128, 128, FILL_RAMP);
  init_element (&t, "auto", 100);
  gst_util_set_object_arg (G_OBJECT (t.element), "grid", "6x6");
  for (i = 0; i < n_methods (); i++) {
    if (check_frames (&t, get_method (i), &frame, 100, FALSE))
      n_refused += !check_frames (&t, get_method (i), &frame, 16000, TRUE);
  }
  fail_unless (n_refused > 0);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* Methods that report a maximum number of bins count exactly up to it. */
GST_START_TEST (test_room)
{
  guint i, n_limited = 0;
  TestElement t;
  TestFrame frame;

  make_frame (&frame, "GRAY16_LE", 160, 90, FILL_NOISE);
  init_element (&t, "auto", 0);
  for (i = 0; i < n_methods (); i++) {
    const GEnumValue *method = get_method (i);
    guint room = 0;
    gchar *text;

    set_method (&t, method->value_nick, GST_VIDEO_HISTOGRAM_MAX_BINS);
    pass_frames (&t, &frame);
    text = pop_refusal (&t, method);
    if (text && (find_bins (text, "room for", &room)
            || find_bins (text, "up to", &room))) {
      n_limited++;
      fail_unless (check_frames (&t, method, &frame, room, FALSE));
      fail_if (check_frames (&t, method, &frame, room + 1, FALSE));
    }
    g_free (text);
  }
  fail_unless (n_limited > 0);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* All methods in turn, between frames of one stream. */
GST_START_TEST (test_switch)
{
  static const gchar *const formats[] = { "GRAY8", "GRAY16_LE" };
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  TestElement t;
  TestFrame frame;
  guint i;

  make_frame (&frame, formats[__i__], 322, 178, FILL_RUNS);
  init_element (&t, "auto", 0);
  gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
  for (i = 0; i < 2 * methods->n_values; i++) {
    set_method (&t, methods->values[i % methods->n_values].value_nick, 0);
    pass_frame (&t, &frame);
  }
  test_element_clear (&t);
  test_frame_clear (&frame);
  g_type_class_unref (methods);
}

GST_END_TEST;

TEST_SUITE (methods, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_names);
  /* These tests differ in kernels only, which sanitizers see elsewhere. */
  if (TEST_SANITIZED (FALSE, TRUE)) {
    tcase_add_loop_test (tc, test_limits, 0, n_methods ());
    tcase_add_loop_test (tc, test_bytes, 0, n_methods ());
  }
  tcase_add_test (tc, test_cells);
  tcase_add_test (tc, test_room);
  tcase_add_loop_test (tc, test_switch, 0, 2);
}
