/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load.h"

#include <sys/resource.h>

/* s: what just begins takes more for a moment, and then one is measured. */
#define SETTLED_AFTER 5
#define MEASURED_FOR 10

typedef struct
{
  VhmLoadFunc func;
  gpointer data;
  guint seconds;
  gint64 since;                 /* monotonic µs */
  gint64 used;                  /* µs of processors by then */
} Measurement;

static gint64
get_used (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC
      + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static gboolean
on_second (gpointer data)
{
  Measurement *m = data;
  const gint64 now = g_get_monotonic_time ();

  m->seconds++;
  if (m->seconds == SETTLED_AFTER) {
    m->since = now;
    m->used = get_used ();
  }
  if (m->seconds < SETTLED_AFTER + MEASURED_FOR)
    return G_SOURCE_CONTINUE;
  m->func (m->data, (get_used () - m->used) / (gdouble) (now - m->since)
      / g_get_num_processors ());
  return G_SOURCE_REMOVE;
}

guint
vhm_load_measure (VhmLoadFunc func, gpointer data)
{
  Measurement *m = g_new0 (Measurement, 1);

  m->func = func;
  m->data = data;
  return g_timeout_add_full (G_PRIORITY_DEFAULT, 1000, on_second, m, g_free);
}
