/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load.h"

#include <stdio.h>
#include <time.h>

/* The limit of the control group: quota and period in µs, or "max". */
#define QUOTA_FILE "/sys/fs/cgroup/cpu.max"

/* The threads of this process. */
#define THREADS "/proc/self/task"

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

/* Maximum number of threads whose waits are read: with a thousand cameras there
 * are thousands, which wait alike. */
#define MAX_THREADS_READ 200

/* How long a thread has waited for a processor so far, ns. A quota that is used
 * up counts, too. */
static gint64
read_wait (const gchar * thread)
{
  gchar *path = g_strconcat (THREADS "/", thread, "/schedstat", NULL);
  gint64 wait = 0;
  gchar *text;

  if (g_file_get_contents (path, &text, NULL, NULL)) {
    sscanf (text, "%*u %" G_GINT64_FORMAT, &wait);
    g_free (text);
  }
  g_free (path);
  return wait;
}

gdouble
vhm_load_measure_wait (void)
{
  static GHashTable *before;    /* name of a thread -> ns */
  static gint64 last;           /* µs */
  const gint64 now = g_get_monotonic_time ();
  GHashTable *waits = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  GDir *threads = g_dir_open (THREADS, 0, NULL);
  const gchar *name;
  gdouble share = 0;
  gint64 most = 0;

  while (threads && (name = g_dir_read_name (threads))
      && g_hash_table_size (waits) < MAX_THREADS_READ) {
    const gint64 wait = read_wait (name);
    const gint64 *old = before ? g_hash_table_lookup (before, name) : NULL;

    most = MAX (most, wait - (old ? *old : 0));
    g_hash_table_insert (waits, g_strdup (name),
        g_memdup2 (&wait, sizeof wait));
  }
  g_clear_pointer (&threads, g_dir_close);
  if (before && now > last)
    share = most / (1000. * (now - last));
  g_clear_pointer (&before, g_hash_table_unref);
  before = waits;
  last = now;
  return share;
}
