/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "starts.h"

/* If nothing has begun or ended for so long, what has begun waits for a device
 * or a network file system, and others need not wait for it, µs. */
#define STUCK_TIME (5 * G_TIME_SPAN_SECOND)

static struct
{
  guint begun, allowed;
  gint64 changed;               /* when one began or ended, monotonic µs */
} starts[VHM_N_STARTS];

static GMutex lock;

gboolean
vhm_start_begin (VhmStart what)
{
  const guint most = what == VHM_START_PIPELINE ? g_get_num_processors () : 1;
  const gint64 now = g_get_monotonic_time ();
  gboolean may;

  g_mutex_lock (&lock);
  if (starts[what].begun == 0)
    starts[what].allowed = most;
  else if (starts[what].begun >= starts[what].allowed
      && now - starts[what].changed > STUCK_TIME)
    starts[what].allowed = starts[what].begun + most;
  may = starts[what].begun < starts[what].allowed;
  if (may) {
    starts[what].begun++;
    starts[what].changed = now;
  }
  g_mutex_unlock (&lock);
  return may;
}

void
vhm_start_end (VhmStart what)
{
  g_mutex_lock (&lock);
  starts[what].begun--;
  starts[what].changed = g_get_monotonic_time ();
  g_mutex_unlock (&lock);
}
