/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thousands of state changes leave nothing behind. TEST_STATE_CYCLES: number of
 * cycles. */

#include "common/element.h"
#include "common/env.h"
#include "common/figures.h"
#include "common/footprint.h"
#include "common/random.h"
#include "common/suite.h"

#define DEFAULT_CYCLES 10000
#define CYCLES_OF_LONG_TIER 1000000
#define CAPS TEST_GRAY_CAPS (64, 48)

/* Less than a leak of about 60 bytes per cycle, but more than threads
 * occasionally leave; sanitizers keep freed memory. */
#define MAX_GROWTH TEST_SANITIZED (G_MAXSIZE / 2, 512 * 1024)

static const gchar *const names[] = {
  "videohistogram", "videoequalize", "videohealth", "videoscope"
};

static void
check_growth (const TestFootprint * before)
{
  TestFootprint now = test_footprint ();
  guint i;

  /* A thread may still be exiting. */
  for (i = 0; i < 500 && now.n_threads > before->n_threads; i++) {
    g_usleep (10 * 1000);
    now = test_footprint ();
  }
  fail_unless_equals_int (now.n_files, before->n_files);
  fail_unless (now.n_threads <= before->n_threads);
  fail_unless (now.resident <= before->resident + MAX_GROWTH,
      "%" G_GSIZE_FORMAT " KiB more", (now.resident - before->resident) / 1024);
}

/* Runs @cycle as often as the test demands, divided by @share, and checks that
 * memory does not grow after the first tenth. */
static void
repeat (const gchar * name, guint share,
    void (*cycle) (guint64 i, gpointer data), gpointer data)
{
  const guint64 n = test_env_tier ("TEST_STATE_CYCLES", DEFAULT_CYCLES,
      CYCLES_OF_LONG_TIER) / share;
  TestFootprint before = { 0, };
  guint64 i;

  test_footprint_steady ();
  for (i = 0; i < n; i++) {
    if (i == n / 10)
      before = test_footprint ();
    cycle (i, data);
  }
  check_growth (&before);
  test_figure (name, "%" G_GUINT64_FORMAT, n);
}

static void
set_state (gpointer element, GstState state)
{
  fail_if (gst_element_set_state (element, state) == GST_STATE_CHANGE_FAILURE);
}

static void
up_and_down (G_GNUC_UNUSED guint64 i, gpointer element)
{
  set_state (element, GST_STATE_PLAYING);
  set_state (element, GST_STATE_NULL);
}

static GstElement *
make_element (const gchar * name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  return gst_object_ref_sink (element);
}

GST_START_TEST (test_same_element)
{
  GstElement *element = make_element (names[__i__]);

  gchar *figure = g_strdup_printf ("cycles of a %s", names[__i__]);

  repeat (figure, 1, up_and_down, element);
  g_free (figure);
  gst_object_unref (element);
}

GST_END_TEST;

static void
new_element (guint64 i, gpointer name)
{
  GstElement *element = make_element (name);

  if (g_str_equal (name, names[0]))
    g_object_set (element, "grid", "2x2", "roi", "1,1,5,5", NULL);
  else if (g_str_equal (name, names[1]))
    g_object_set (element, "tiles", "2x2", NULL);
  else if (g_str_equal (name, names[2]))
    g_object_set (element, "rules", "dark,enter=0.95", NULL);
  else
    g_object_set (element, "lines", "16,235", NULL);
  up_and_down (i, element);
  gst_object_unref (element);
}

GST_START_TEST (test_new_elements)
{
  gchar *figure = g_strdup_printf ("cycles of new %ss", names[__i__]);

  repeat (figure, 1, new_element, (gpointer) names[__i__]);
  g_free (figure);
}

GST_END_TEST;

static void
forget_output (TestElement * t)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (t->h)))
    gst_buffer_unref (buffer);
  test_element_forget_output (t);
}

/* Goes to a random state, and pushes data if it can flow. */
static void
wander (guint64 i, gpointer data)
{
  TestRandom random = test_random_new (i);
  TestElement *t = data;
  const GstState state = GST_STATE_NULL + test_random_below (&random, 4);
  guint n;

  set_state (t->element, state);
  if (state >= GST_STATE_PAUSED) {
    test_element_begin (t, CAPS);
    for (n = 0; n < 3; n++) {
      fail_unless_equals_int (gst_harness_push (t->h, test_gray_buffer (64, 48,
                  n, n * GST_SECOND)), GST_FLOW_OK);
    }
    if (test_random_once_in (&random, 2))
      gst_harness_push_event (t->h, gst_event_new_eos ());
  }
  forget_output (t);
  /* After EOS a stream starts again from READY. */
  set_state (t->element, GST_STATE_READY);
}

GST_START_TEST (test_mixed_with_data)
{
  static const gchar *const figures[] = {
    "mixed cycles with frames, videohistogram",
    "mixed cycles with frames and metas, videohistogram",
    "mixed cycles with frames, videoequalize",
    "mixed cycles with frames, videohealth",
    "mixed cycles with frames, videoscope",
  };
  TestElement t;

  if (__i__ == 2)
    test_element_init_equalize (&t, NULL, NULL, NULL);
  else if (__i__ == 3)
    test_element_init_health (&t, NULL, NULL, NULL);
  else if (__i__ == 4)
    test_element_init_scope (&t, NULL, NULL, NULL);
  else
    test_element_init (&t, NULL, "interval", "0", "attach-meta",
        __i__ ? "always" : "auto", NULL);
  repeat (figures[__i__], 2, wander, &t);
  test_element_clear (&t);
}

GST_END_TEST;

static void
run_pipeline (guint64 i, gpointer pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);

  set_state (pipeline, i % 2 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
  fail_if (gst_element_get_state (pipeline, NULL, NULL, 60 * GST_SECOND) ==
      GST_STATE_CHANGE_FAILURE);
  set_state (pipeline, i % 3 ? GST_STATE_NULL : GST_STATE_READY);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  gst_object_unref (bus);
}

GST_START_TEST (test_pipeline)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=3 ! " CAPS
      " ! videohistogram interval=0 attach-meta=always ! videoequalize "
      "! fakesink sync=false", NULL);

  repeat ("cycles of a pipeline of both", 10, run_pipeline, pipeline);
  set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

TEST_SUITE (states, NULL, NULL)
{
  tcase_add_loop_test (tc, test_same_element, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_new_elements, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tc, test_mixed_with_data, 0, 5);
  tcase_add_test (tc, test_pipeline);
}
