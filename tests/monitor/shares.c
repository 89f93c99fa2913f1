/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No client takes all, and everything comes back. */
#include "common/suite.h"
#include "monitor/shares.h"

GST_START_TEST (test_one_leaves_room)
{
  VhmShares shares = VHM_SHARES (8);
  guint n[4] = { 0 }, i;

  /* Half for the first client, half of the rest for the next one, and so on. */
  for (i = 0; i < G_N_ELEMENTS (n); i++) {
    const gchar peer[] = { 'a' + i, '\0' };

    while (vhm_shares_take (&shares, peer, 1))
      n[i]++;
  }
  fail_unless_equals_int (n[0], 4);
  fail_unless_equals_int (n[1], 2);
  fail_unless_equals_int (n[2], 1);
  fail_unless_equals_int (n[3], 1);
  fail_unless_equals_int (shares.taken, 8);
  fail_if (vhm_shares_take (&shares, "e", 1));

  /* What one gives back is for the others first. */
  vhm_shares_release (&shares, "a", 1);
  fail_if (vhm_shares_take (&shares, "a", 1));
  fail_unless (vhm_shares_take (&shares, "e", 1));
  vhm_shares_release (&shares, "a", 3);
  for (i = 1; i < G_N_ELEMENTS (n); i++)
    vhm_shares_release (&shares, (gchar[]) {'a' + i, '\0'}, n[i]);
  vhm_shares_release (&shares, "e", 1);
  fail_unless_equals_int (shares.taken, 0);
  fail_unless (shares.taken_by == NULL);
}

GST_END_TEST;

GST_START_TEST (test_amounts)
{
  VhmShares shares = VHM_SHARES (100);

  fail_if (vhm_shares_take (&shares, "a", 101));
  fail_if (vhm_shares_take (&shares, "a", G_MAXSIZE));
  fail_unless (vhm_shares_take (&shares, "a", 40));
  fail_if (vhm_shares_take (&shares, "a", 30));
  fail_if (vhm_shares_take (&shares, "a", G_MAXSIZE - 20));
  fail_unless (vhm_shares_take (&shares, "b", 60));
  fail_unless (vhm_shares_take (&shares, "c", 0));
  fail_if (vhm_shares_take (&shares, "c", 1));
  vhm_shares_release (&shares, "c", 0);
  vhm_shares_release (&shares, "b", 60);
  vhm_shares_release (&shares, "a", 40);
  fail_unless (shares.taken_by == NULL);
}

GST_END_TEST;

TEST_SUITE (shares, NULL, NULL)
{
  tcase_add_test (tc, test_one_leaves_room);
  tcase_add_test (tc, test_amounts);
}
