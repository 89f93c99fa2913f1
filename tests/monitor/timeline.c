/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time stamps of live video that jump. */
#include "common/suite.h"
#include "monitor/timeline.h"

#define MS GST_MSECOND

/* A frame: its running time, its arrival in ms after the frame before, and the
 * expected time. */
typedef struct
{
  gint64 time;
  gint64 later;
  guint64 expected;
} Frame;

static void
check_frames (const Frame * frames, guint n)
{
  VhmTimeline timeline = { 0 };
  gint64 now = 5000000;
  guint i;

  for (i = 0; i < n; i++) {
    now += frames[i].later * 1000;
    assert_equals_uint64 (vhm_timeline_follow (&timeline, frames[i].time * MS,
            now) / MS, frames[i].expected);
  }
}

GST_START_TEST (test_steady)
{
  const Frame frames[] = {
    {100, 0, 100}, {200, 100, 200}, {300, 140, 300}, {400, 60, 400},
    /* Nothing arrives for 30 s, then time stamps continue where they were,
     * ... */
    {500, 30000, 500}, {600, 0, 600},
    /* ... or jump to the present. */
    {40600, 40000, 40600},
    /* Delayed frames arrive at once. */
    {42500, 0, 42500}, {44400, 0, 44400}, {46300, 0, 46300},
  };

  check_frames (frames, G_N_ELEMENTS (frames));
}

GST_END_TEST;

GST_START_TEST (test_jumps)
{
  const Frame frames[] = {
    {100, 0, 100}, {200, 100, 200},
    {9800000, 100, 300}, {9800100, 100, 400},
    {50, 100, 500}, {150, 100, 600},
    /* Back by less than that, but by more than the time that passed. */
    {5250, 100, 700}, {5350, 100, 800},
    /* Before the start. */
    {-70000, 100, 900}, {-69900, 100, 1000},
  };

  check_frames (frames, G_N_ELEMENTS (frames));
}

GST_END_TEST;

/* Frames out of order for a long time do not make time run faster. */
GST_START_TEST (test_order)
{
  VhmTimeline timeline = { 0 };
  GstClockTime time = 0;
  gint64 i;

  for (i = 0; i < 1000; i++)
    time = vhm_timeline_follow (&timeline, (i ^ 1) * 40 * MS, i * 40000 + 1);
  assert_equals_uint64 (time / MS, 999 * 40);
  assert_equals_int64 (timeline.ahead, 0);
}

GST_END_TEST;

/* The first frame may be before the segment. */
GST_START_TEST (test_first)
{
  const Frame frames[] = { {-300, 0, 0}, {-200, 100, 100} };

  check_frames (frames, G_N_ELEMENTS (frames));
}

GST_END_TEST;

TEST_SUITE (timeline, NULL, NULL)
{
  tcase_add_test (tc, test_steady);
  tcase_add_test (tc, test_jumps);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_first);
}
