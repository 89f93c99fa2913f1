/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many pipelines are built, and decoders created, at a time. */
#include "common/suite.h"
#include "monitor/starts.h"

static void
begin_all (guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    fail_unless (vhm_start_begin (VHM_START_PIPELINE),
        "start %u of %u must wait", i, n);
  fail_if (vhm_start_begin (VHM_START_PIPELINE), "start %u need not wait", n);
}

static void
end_all (guint n)
{
  while (n--)
    vhm_start_end (VHM_START_PIPELINE);
}

GST_START_TEST (test_limit)
{
  const guint n = g_get_num_processors ();

  begin_all (n);
  vhm_start_end (VHM_START_PIPELINE);
  begin_all (1);
  end_all (n);
}

GST_END_TEST;

GST_START_TEST (test_decoders)
{
  begin_all (g_get_num_processors ());
  fail_unless (vhm_start_begin (VHM_START_DECODER));
  fail_if (vhm_start_begin (VHM_START_DECODER));
  vhm_start_end (VHM_START_DECODER);
  fail_unless (vhm_start_begin (VHM_START_DECODER));
  vhm_start_end (VHM_START_DECODER);
  end_all (g_get_num_processors ());
}

GST_END_TEST;

/* Those that wait for what does not answer keep others waiting for only a
 * while, and count again once they have ended. */
GST_START_TEST (test_stuck)
{
  const guint n = g_get_num_processors ();
  const gint64 begin = g_get_monotonic_time ();
  guint begun;

  begin_all (n);
  while (!vhm_start_begin (VHM_START_PIPELINE))
    g_usleep (50000);
  fail_unless (g_get_monotonic_time () - begin >= 5 * G_TIME_SPAN_SECOND,
      "it did not wait");
  begun = n + 1;
  while (begun < 2 * n && vhm_start_begin (VHM_START_PIPELINE))
    begun++;
  fail_unless_equals_int (begun, 2 * n);
  fail_if (vhm_start_begin (VHM_START_PIPELINE));
  end_all (begun);
  begin_all (n);
  end_all (n);
}

GST_END_TEST;

TEST_SUITE (starts, NULL, NULL)
{
  tcase_add_test (tc, test_limit);
  tcase_add_test (tc, test_decoders);
  tcase_add_test (tc, test_stuck);
}
