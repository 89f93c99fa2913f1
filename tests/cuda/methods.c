/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods of counting, as the element has them: where one is at its limits
 * it counts right, and where it cannot count, it says so once, names one that
 * can, and the video flows. */
#include <stdio.h>
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define N_FRAMES 4

typedef enum
{
  FILL_ONE_VALUE,
  FILL_TWO_VALUES,              /* in turns */
  FILL_RUNS,                    /* of RUN samples */
  FILL_RAMP,
  FILL_NOISE,
} Fill;

#define ONE_VALUE 0xc8c8        /* and its lower byte */
#define RUN 997

/* Frames at a limit of a method: counters that are full, tables that are just
 * as large as can be, blocks and threads with one sample more or less than they
 * take at a time. All GPUs that run the kernels can count them. */
static const struct
{
  const gchar *method, *format;
  guint bins;                   /* 0: by depth */
  guint width, height;
  Fill fill;
} limits[] = {
  /* As many copies as can be, one, none; more bins than code values. */
  {"replicated", "GRAY8", 1, 640, 480, FILL_NOISE},
  {"replicated", "GRAY16_LE", 64, 641, 411, FILL_TWO_VALUES},
  {"replicated", "GRAY16_LE", 1024, 1920, 1080, FILL_ONE_VALUE},
  {"replicated", "GRAY16_LE", 1025, 641, 411, FILL_NOISE},
  {"replicated", "GRAY16_LE", 12000, 641, 411, FILL_RAMP},
  {"replicated", "GRAY16_LE", 65536, 641, 411, FILL_NOISE},
  {"replicated", "GRAY8", 65536, 641, 411, FILL_RUNS},

  /* Counters that are full many times over: see also bins.c. */
  {"packed-counters", "GRAY16_LE", 65536, 1920, 1080, FILL_ONE_VALUE},
  {"packed-counters", "GRAY16_LE", 65536, 1920, 1080, FILL_TWO_VALUES},
  {"packed-counters", "GRAY16_LE", 65536, 1919, 1081, FILL_RUNS},
  {"packed-counters", "GRAY16_LE", 65535, 641, 411, FILL_NOISE},
  {"packed-counters", "GRAY16_LE", 1, 1920, 1080, FILL_RAMP},
  {"packed-counters", "GRAY8", 65536, 641, 411, FILL_ONE_VALUE},
  {"packed-counters", "GRAY8", 0, 1, 1, FILL_ONE_VALUE},

  {"global-atomics", "GRAY8", 1, 640, 480, FILL_NOISE},
  {"global-atomics", "GRAY16_LE", 65536, 320, 240, FILL_RAMP},

  /* One sample for each thread, and one more. */
  {"block-scalar", "GRAY8", 0, 1, 1, FILL_ONE_VALUE},
  {"block-scalar", "GRAY8", 0, 512, 1, FILL_ONE_VALUE},
  {"block-scalar", "GRAY8", 0, 513, 1, FILL_ONE_VALUE},
  {"block-scalar", "GRAY8", 0, 1023, 1, FILL_RAMP},
  {"block-scalar", "GRAY8", 0, 641, 411, FILL_RUNS},

  {"block-vector", "GRAY8", 0, 15, 33, FILL_RAMP},
  {"block-vector", "GRAY8", 0, 960, 541, FILL_ONE_VALUE},
  {"block-vector", "GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  /* The only block has no table; more have as many as stay in the cache. */
  {"global-copies", "GRAY8", 0, 64, 31, FILL_TWO_VALUES},
  {"global-copies", "GRAY8", 1, 960, 541, FILL_ONE_VALUE},
  {"global-copies", "GRAY8", 0, 960, 541, FILL_ONE_VALUE},
  {"global-copies", "GRAY16_LE", 65536, 641, 411, FILL_NOISE},
  {"global-copies", "GRAY16_LE", 65536, 1920, 200, FILL_RAMP},

  /* Chunks of neighbours that go over the ends of rows, and threads without
   * any. */
  {"coarsened-contiguous", "GRAY8", 0, 1, 1, FILL_ONE_VALUE},
  {"coarsened-contiguous", "GRAY8", 0, 1, 4097, FILL_RAMP},
  {"coarsened-contiguous", "GRAY8", 0, 997, 613, FILL_RUNS},
  {"coarsened-contiguous", "GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  /* Samples that are no multiple of those under way. */
  {"coarsened-interleaved", "GRAY8", 0, 1, 1, FILL_ONE_VALUE},
  {"coarsened-interleaved", "GRAY8", 0, 1, 4097, FILL_RAMP},
  {"coarsened-interleaved", "GRAY8", 0, 997, 613, FILL_RUNS},
  {"coarsened-interleaved", "GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  /* One run all through, none at all, runs that end within vectors. */
  {"run-aggregation", "GRAY8", 0, 960, 541, FILL_ONE_VALUE},
  {"run-aggregation", "GRAY8", 1, 960, 541, FILL_NOISE},
  {"run-aggregation", "GRAY8", 0, 641, 411, FILL_TWO_VALUES},
  {"run-aggregation", "GRAY16_LE", 12000, 641, 411, FILL_RUNS},
  {"run-aggregation", "GRAY8", 0, 7, 3, FILL_ONE_VALUE},

  /* Trees of one leaf, of two, of three, of as many as there are blocks. */
  {"tree-reduction", "GRAY8", 0, 90, 90, FILL_RAMP},
  {"tree-reduction", "GRAY8", 0, 128, 128, FILL_TWO_VALUES},
  {"tree-reduction", "GRAY8", 0, 192, 128, FILL_RAMP},
  {"tree-reduction", "GRAY8", 0, 960, 541, FILL_ONE_VALUE},
  {"tree-reduction", "GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  /* All lanes at one counter, and none; windows of bins. */
  {"tagged-warps", "GRAY8", 1, 161, 91, FILL_NOISE},
  {"tagged-warps", "GRAY8", 0, 320, 180, FILL_ONE_VALUE},
  {"tagged-warps", "GRAY8", 0, 1023, 33, FILL_RAMP},
  {"tagged-warps", "GRAY16_LE", 65536, 161, 91, FILL_NOISE},

  /* Packed counters of a few bits, and of one. */
  {"thread-tables", "GRAY8", 1, 257, 1, FILL_ONE_VALUE},
  {"thread-tables", "GRAY16_LE", 4096, 322, 178, FILL_ONE_VALUE},
  {"thread-tables", "GRAY16_LE", 12000, 322, 178, FILL_ONE_VALUE},
  {"thread-tables", "GRAY16_LE", 16000, 161, 91, FILL_NOISE},

  {"byte-counters", "GRAY8", 1, 255, 256, FILL_NOISE},
  {"byte-counters", "GRAY8", 64, 257, 256, FILL_RAMP},

  {"warp-tables", "GRAY8", 0, 513, 3, FILL_RAMP},
  {"warp-tables", "GRAY8", 0, 1920, 1080, FILL_ONE_VALUE},
  {"warp-tables", "GRAY16_LE", 12000, 641, 411, FILL_NOISE},

  {"thread-bytes-row", "GRAY8", 1, 255, 64, FILL_ONE_VALUE},
  {"thread-bytes-row", "GRAY8", 253, 257, 64, FILL_RAMP},
  {"thread-bytes-column", "GRAY8", 1, 255, 64, FILL_ONE_VALUE},
  {"thread-bytes-column", "GRAY8", 253, 257, 64, FILL_RAMP},
  {"thread-bytes-packed", "GRAY8", 1, 255, 64, FILL_ONE_VALUE},
  {"thread-bytes-packed", "GRAY8", 253, 257, 64, FILL_RAMP},

  /* A tile but for one sample, a tile, one more; one run, and no two samples
   * alike. */
  {"radix-sort", "GRAY8", 0, 4095, 1, FILL_NOISE},
  {"radix-sort", "GRAY8", 0, 4096, 1, FILL_ONE_VALUE},
  {"radix-sort", "GRAY8", 0, 4097, 1, FILL_TWO_VALUES},
  {"radix-sort", "GRAY8", 1, 320, 180, FILL_NOISE},
  {"radix-sort", "GRAY16_LE", 65536, 320, 180, FILL_RAMP},
  {"block-sort", "GRAY8", 0, 4095, 1, FILL_NOISE},
  {"block-sort", "GRAY8", 0, 4096, 1, FILL_ONE_VALUE},
  {"block-sort", "GRAY8", 0, 4097, 1, FILL_TWO_VALUES},
  {"block-sort", "GRAY8", 1, 320, 180, FILL_NOISE},
  {"block-sort", "GRAY16_LE", 65536, 320, 180, FILL_RAMP},
};

/* Methods whose threads have counters of a byte or less: frames of few values,
 * so large that every thread fills them several times. */
static const struct
{
  const gchar *method;
  guint bins;
} bytes[] = {
  {"byte-counters", 64},
  {"thread-bytes-row", 256},
  {"thread-bytes-column", 256},
  {"thread-bytes-packed", 256},
  {"thread-tables", 256},
};

/* Frames that a method cannot count on any GPU. */
static const struct
{
  const gchar *method, *format;
  guint bins;
} refusals[] = {
  {"lane-columns", "GRAY16_LE", 0},
  {"lane-columns", "GBR_10LE", 0},
  {"block-scalar", "GRAY16_LE", 65536},
  {"block-vector", "GRAY16_LE", 65536},
  {"coarsened-contiguous", "GRAY8", 65536},
  {"coarsened-interleaved", "GRAY16_LE", 65536},
  {"run-aggregation", "GRAY16_LE", 65536},
  {"tree-reduction", "GRAY8", 65536},
  {"thread-tables", "GRAY16_LE", 65536},
  {"byte-counters", "GRAY8", 65},
  {"byte-counters", "GRAY16_LE", 0},
  {"warp-tables", "GRAY16_LE", 65536},
  {"thread-bytes-row", "GRAY8", 257},
  {"thread-bytes-column", "GRAY8", 257},
  {"thread-bytes-packed", "GRAY8", 257},
};

/* Methods with one table in a block's shared memory: they say how many bins it
 * has room for. */
static const gchar *const tables[] = {
  "block-scalar", "block-vector", "coarsened-contiguous",
  "coarsened-interleaved", "run-aggregation", "tree-reduction", "warp-tables",
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

static void
expect_no_warning (TestElement * t)
{
  gchar *text = test_bus_pop_warning (t->bus);

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

/* Pops the one warning that @method cannot count what came; returns its
 * text. */
static gchar *
expect_refusal (TestElement * t, const gchar * method)
{
  gchar *text = test_bus_pop_warning (t->bus);

  fail_unless (text != NULL, "%s does not say that it cannot", method);
  fail_unless (names (text, method, "cannot count these frames: "), "%s", text);
  expect_no_warning (t);
  return text;
}

/* Expects no warning, unless @method needs CUB, and so has no kernel on the
 * double. */
static void
expect_counting (TestElement * t, const gchar * method)
{
  if (test_double () && g_str_equal (method, "block-sort"))
    g_free (expect_refusal (t, method));
  else
    expect_no_warning (t);
}

/* The one method that @text says can count these frames. */
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

/* Passes @frame once: it comes out as it went in, with the right counts. */
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

GST_START_TEST (test_limits)
{
  TestElement t;
  TestFrame frame;

  make_frame (&frame, limits[__i__].format, limits[__i__].width,
      limits[__i__].height, limits[__i__].fill);
  init_element (&t, limits[__i__].method, limits[__i__].bins);
  pass_frames (&t, &frame);
  expect_counting (&t, limits[__i__].method);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* The double has two multiprocessors, for which less is enough. */
GST_START_TEST (test_bytes)
{
  const guint scale = test_double ()? 1 : 8;
  const Fill fills[] = { FILL_ONE_VALUE, FILL_TWO_VALUES };
  TestElement t;
  TestFrame frame;
  guint i;

  init_element (&t, bytes[__i__].method, bytes[__i__].bins);
  for (i = 0; i < G_N_ELEMENTS (fills); i++) {
    make_frame (&frame, "GRAY8", scale * 1920, scale * 1080, fills[i]);
    gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    pass_frame (&t, &frame);
    test_frame_clear (&frame);
  }
  expect_no_warning (&t);
  test_element_clear (&t);
}

GST_END_TEST;

/* More cells than tables of all threads have room for. */
GST_START_TEST (test_cells)
{
  TestElement t;
  TestFrame frame;
  gchar *text;

  make_frame (&frame, "GRAY8", 128, 128, FILL_RAMP);
  init_element (&t, "thread-tables", 100);
  gst_util_set_object_arg (G_OBJECT (t.element), "grid", "6x6");
  pass_frames (&t, &frame);
  expect_no_warning (&t);
  set_method (&t, "thread-tables", 16000);
  pass_frames (&t, &frame);
  text = expect_refusal (&t, "thread-tables");
  find_instead (text, "thread-tables");
  g_free (text);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* What the warning names instead counts the same frames without one. */
GST_START_TEST (test_refusals)
{
  const gchar *method = refusals[__i__].method, *instead;
  TestElement t;
  TestFrame frame;
  gchar *text;

  make_frame (&frame, refusals[__i__].format, 161, 90, FILL_RAMP);
  init_element (&t, method, refusals[__i__].bins);
  pass_frames (&t, &frame);
  text = expect_refusal (&t, method);
  instead = find_instead (text, method);
  set_method (&t, instead, refusals[__i__].bins);
  pass_frames (&t, &frame);
  expect_no_warning (&t);
  test_wait_for_frames (&t, 2 * N_FRAMES);
  test_element_check_count (&t, "processed", 2 * N_FRAMES);
  test_element_clear (&t);
  test_frame_clear (&frame);
  g_free (text);
}

GST_END_TEST;

/* A table of as many bins as there is room for, and of one more. */
GST_START_TEST (test_room)
{
  const gchar *method = tables[__i__], *words;
  TestElement t;
  TestFrame frame;
  guint room = 0;
  gchar *text;

  make_frame (&frame, "GRAY16_LE", 480, 270, FILL_NOISE);
  init_element (&t, method, GST_VIDEO_HISTOGRAM_MAX_BINS);
  pass_frames (&t, &frame);
  text = expect_refusal (&t, method);
  words = strstr (text, "room for ");
  fail_unless (words && sscanf (words, "room for %u", &room) == 1, "%s", text);
  g_free (text);

  set_method (&t, method, room);
  pass_frames (&t, &frame);
  expect_no_warning (&t);
  set_method (&t, method, room + 1);
  pass_frames (&t, &frame);
  g_free (expect_refusal (&t, method));
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* All methods one after the other, between frames of one stream. */
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
  /* In which only kernels differ, which are the same with sanitizers. */
  if (TEST_SANITIZED (FALSE, TRUE)) {
    tcase_add_loop_test (tc, test_limits, 0, G_N_ELEMENTS (limits));
    tcase_add_loop_test (tc, test_bytes, 0, G_N_ELEMENTS (bytes));
  }
  tcase_add_test (tc, test_cells);
  tcase_add_loop_test (tc, test_refusals, 0, G_N_ELEMENTS (refusals));
  tcase_add_loop_test (tc, test_room, 0, G_N_ELEMENTS (tables));
  tcase_add_loop_test (tc, test_switch, 0, 2);
}
