/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A day's worth of frames at 30 per second, counted, judged, corrected and
 * drawn on by the CPU. TEST_SOAK_FRAMES: number of frames. */

#include "common/env.h"
#include "common/figures.h"
#include "common/suite.h"
#include "stream.h"

#define SAMPLES 50

/* Noise of the heap, which keeps growing in steps of about 300 KiB for hundreds
 * of thousands of frames. */
#define HEAP_NOISE (2 * 1024 * 1024)

GST_START_TEST (test_day)
{
  const guint64 n = test_env_tier ("TEST_SOAK_FRAMES", 40000, 2600000);
  SoakStream stream = {.backend = "cpu" };
  SoakRecord record;
  guint64 i;

  test_footprint_steady ();
  soak_record_init (&record, n < SOAK_LONG ? HEAP_NOISE : 0);
  soak_stream_init (&stream, test_env_number ("TEST_SEED", 1));
  for (i = 1; i <= n; i++) {
    soak_stream_push (&stream);
    if (i % (n / SAMPLES) == 0) {
      soak_stream_settle (&stream);
      soak_record_take (&record, stream.n_frames, 0, 0);
    }
  }
  test_figure ("frames, caps changes, flushes, reconnects, new elements, QoS",
      "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %"
      G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT,
      stream.n_frames, stream.n_caps, stream.n_flushes, stream.n_reconnects,
      stream.n_elements, stream.n_storms);
  fail_unless (stream.n_by_cpu > 0);
  fail_unless_equals_uint64 (stream.n_warnings, 0);
  soak_record_check (&record, "CPU");
  soak_record_clear (&record);
  soak_stream_clear (&stream);
}

GST_END_TEST;

TEST_SUITE (soak, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_day);
}
