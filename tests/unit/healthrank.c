/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Medians and other ranks, compared with sorted numbers. */
#include "common/suite.h"
#include "gst/videohistogram/health/healthrank.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64

static int
compare (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

/* Sets @numbers to @n of at most @values different ones: at random, or in
 * order. */
static void
set_numbers (GRand * rand, gdouble * numbers, guint n, guint values)
{
  const gint order = g_rand_int_range (rand, -1, 2);
  guint i;

  for (i = 0; i < n; i++)
    numbers[i] = g_rand_int_range (rand, 0, values) * 0.1 - 1;
  if (order != 0)
    qsort (numbers, n, sizeof (*numbers), compare);
  for (i = 0; order < 0 && i < n / 2; i++) {
    const gdouble number = numbers[i];

    numbers[i] = numbers[n - 1 - i];
    numbers[n - 1 - i] = number;
  }
}

GST_START_TEST (test_ranks)
{
  GRand *rand = g_rand_new_with_seed (1);
  gdouble numbers[MOST], sorted[MOST];
  guint round, i;

  for (round = 0; round < 2000; round++) {
    const guint n = g_rand_int_range (rand, 1, MOST + 1);
    const guint rank = g_rand_int_range (rand, 0, n);

    set_numbers (rand, numbers, n, 1 + round % 100);
    memcpy (sorted, numbers, sizeof (sorted));
    qsort (sorted, n, sizeof (*sorted), compare);
    fail_unless (vh_health_find_rank (numbers, n, rank) == sorted[rank]);
    for (i = 0; i < n; i++)
      fail_unless (i < rank ? numbers[i] <= sorted[rank] :
          numbers[i] >= sorted[rank]);
    fail_unless (vh_health_find_median (numbers, n) == sorted[n / 2]);
    qsort (numbers, n, sizeof (*numbers), compare);
    fail_unless (memcmp (numbers, sorted, n * sizeof (*numbers)) == 0);
  }
  g_rand_free (rand);
}

GST_END_TEST;

TEST_SUITE (healthrank, NULL, NULL)
{
  tcase_add_test (tc, test_ranks);
}
