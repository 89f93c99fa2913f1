/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "footprint.h"

#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <unistd.h>

void
test_footprint_steady (void)
{
  /* Otherwise memory of finished threads would come and go. */
  mallopt (M_ARENA_MAX, 1);
  /* Otherwise idle threads of pools, and their stacks, would come and go. */
  g_thread_pool_set_max_unused_threads (0);
}

static guint
count_entries (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

TestFootprint
test_footprint (void)
{
  TestFootprint footprint;
  gchar *text, **fields;

  /* Freed memory that is kept for reuse does not count as growth. */
  malloc_trim (0);
  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  fields = g_strsplit (text, " ", -1);
  footprint.resident = g_ascii_strtoull (fields[1], NULL, 10) * getpagesize ();
  footprint.n_files = count_entries ("/proc/self/fd");
  footprint.n_threads = count_entries ("/proc/self/task");
  g_strfreev (fields);
  g_free (text);
  return footprint;
}
