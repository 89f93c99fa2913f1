/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clock.h"

#define SLOWNESS 10

/* When the clock was last set, and its reading then, in us. */
static GMutex lock;
static gint64 since, shown;
static guint slowness = SLOWNESS;

/* Call with the lock held. */
static gint64
show (void)
{
  return shown + (g_get_monotonic_time () - since) / slowness;
}

static void
run (guint slowness_from_now)
{
  g_mutex_lock (&lock);
  shown = show ();
  since = g_get_monotonic_time ();
  slowness = slowness_from_now;
  g_mutex_unlock (&lock);
}

void
test_clock_slow_down (void)
{
  run (SLOWNESS);
}

void
test_clock_be_exact (void)
{
  run (1);
}

/* Overrides GStreamer's own function, since libraries look up symbols in the
 * program first. */
GST_PLUGIN_EXPORT GstClockTime
gst_util_get_timestamp (void)
{
  gint64 time;

  g_mutex_lock (&lock);
  time = show ();
  g_mutex_unlock (&lock);
  return (GstClockTime) time * GST_USECOND;
}
