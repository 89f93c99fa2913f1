/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load.h"

#include <time.h>

/* The limit of the control group: quota and period in µs, or "max". */
#define QUOTA_FILE "/sys/fs/cgroup/cpu.max"

gdouble
vhm_load_get_processors (void)
{
  const gdouble processors = g_get_num_processors ();
  gchar *text = NULL, *end;
  gdouble quota, period;

  if (!g_file_get_contents (QUOTA_FILE, &text, NULL, NULL))
    return processors;
  quota = g_ascii_strtod (text, &end);
  period = g_ascii_strtod (end, NULL);
  g_free (text);
  return quota > 0 && period > 0 ? MIN (processors, quota / period)
      : processors;
}

gdouble
vhm_load_measure (void)
{
  static gint64 last, last_used;        /* µs */
  const gint64 now = g_get_monotonic_time ();
  struct timespec time = { 0 };
  gdouble share = 0;
  gint64 used;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  used = time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
  if (last && now > last)
    share = (used - last_used) / ((now - last) * vhm_load_get_processors ());
  last = now;
  last_used = used;
  return share;
}
