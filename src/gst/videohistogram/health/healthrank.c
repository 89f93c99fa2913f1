/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthrank.h"

#include <stdlib.h>

static int
compare_doubles (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

void
vh_health_sort (gdouble * numbers, guint n)
{
  qsort (numbers, n, sizeof (*numbers), compare_doubles);
}

gdouble
vh_health_find_median (gdouble * numbers, guint n)
{
  vh_health_sort (numbers, n);
  return numbers[n / 2];
}
