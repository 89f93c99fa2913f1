/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backoff.h"

#define MIN_DELAY G_TIME_SPAN_SECOND
#define MAX_DELAY (60 * G_TIME_SPAN_SECOND)

gint64
vhm_backoff_next (gint64 * delay)
{
  *delay = CLAMP (2 * *delay, MIN_DELAY, MAX_DELAY);
  return *delay * g_random_double_range (0.75, 1.25);
}
