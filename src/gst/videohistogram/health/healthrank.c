/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthrank.h"

/* Divides the numbers at the one with that rank, and then the side that has the
 * rank, until nothing is left of it. */
gdouble
vh_health_find_rank (gdouble * numbers, guint n, guint rank)
{
  gint first = 0, last = (gint) n - 1;
  const gint at = rank;

  while (first < last) {
    const gdouble middle = numbers[at];
    gint i = first, k = last;

    while (i <= k) {
      while (numbers[i] < middle)
        i++;
      while (numbers[k] > middle)
        k--;
      if (i <= k) {
        const gdouble number = numbers[i];

        numbers[i++] = numbers[k];
        numbers[k--] = number;
      }
    }
    if (k < at)
      first = i;
    if (i > at)
      last = k;
  }
  return numbers[at];
}

gdouble
vh_health_find_median (gdouble * numbers, guint n)
{
  return vh_health_find_rank (numbers, n, n / 2);
}
