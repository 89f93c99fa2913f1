/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "machinelimits.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* At least this many for a camera that is no test picture, and for the rest.
 * Cameras that send over UDP take more. */
#define MIN_CAMERA_FILES 9
#define MIN_OTHER_FILES 50
#define MIN_CAMERA_THREADS 5
#define MIN_OTHER_THREADS 30
#define MIN_CAMERA_AREAS 7
#define MIN_OTHER_AREAS 1200

#define CURE_THREADS "TasksMax= in the systemd unit, or pids.max of the " \
    "control group"

/* The number in a file, or G_MAXUINT64 if the file has "max" or is missing. */
static guint64
read_limit (const gchar * root, const gchar * path)
{
  gchar *name = g_build_filename (root, path, NULL);
  gchar *text = NULL;
  guint64 limit = G_MAXUINT64;

  if (g_file_get_contents (name, &text, NULL, NULL) && g_ascii_isdigit (*text))
    limit = g_ascii_strtoull (text, NULL, 10);
  g_free (text);
  g_free (name);
  return limit;
}

/* The lowest limit of the control group of this process and those above it. */
static guint64
read_group_limit (const gchar * root)
{
  gchar *name = g_build_filename (root, "/proc/self/cgroup", NULL);
  gchar *text = NULL, *group, *slash;
  guint64 limit = G_MAXUINT64;

  if (g_file_get_contents (name, &text, NULL, NULL)
      && (group = strstr (text, "0::/"))) {
    group += strlen ("0::");
    group[strcspn (group, "\n")] = '\0';
    while ((slash = strrchr (group, '/'))) {
      gchar *path = g_strconcat ("/sys/fs/cgroup", group, "/pids.max", NULL);

      limit = MIN (limit, read_limit (root, path));
      g_free (path);
      *slash = '\0';
    }
    limit = MIN (limit, read_limit (root, "/sys/fs/cgroup/pids.max"));
  }
  g_free (text);
  g_free (name);
  return limit;
}

guint64
vhm_machine_limits_read_threads (const gchar * root, const gchar ** cure)
{
  const guint64 of_kernel = read_limit (root, "/proc/sys/kernel/threads-max");
  guint64 limit = read_group_limit (root);
  struct rlimit processes;

  *cure = CURE_THREADS;
  if (of_kernel < limit) {
    *cure = "kernel.threads-max with sysctl";
    limit = of_kernel;
  }
  /* It does not apply to root. */
  if (geteuid () && !getrlimit (RLIMIT_NPROC, &processes)
      && processes.rlim_cur < limit) {
    *cure = "LimitNPROC= in the systemd unit, or the limit of ulimit -Hu";
    limit = processes.rlim_cur;
  }
  return limit;
}

static void
check_limit (guint cameras, guint64 needed, guint64 limit, const gchar * what,
    const gchar * cure, const gchar * file, VhmProblems * problems)
{
  if (limit < needed)
    vhm_problems_error (problems, file, 0, "%u cameras need at least %"
        G_GUINT64_FORMAT " %s, and the limit is %" G_GUINT64_FORMAT
        ": raise %s", cameras, needed, what, limit, cure);
}

void
vhm_machine_limits_check (guint cameras, guint pictures, const gchar * file,
    VhmProblems * problems)
{
  const guint n = cameras - pictures;
  struct rlimit files;
  const gchar *cure;
  guint64 threads;

  if (!getrlimit (RLIMIT_NOFILE, &files))
    check_limit (cameras, MIN_OTHER_FILES + n * MIN_CAMERA_FILES,
        files.rlim_cur, "open files", "it with LimitNOFILE= in the systemd "
        "unit, or with ulimit -Hn", file, problems);
  threads = vhm_machine_limits_read_threads ("", &cure);
  check_limit (cameras, MIN_OTHER_THREADS + n * MIN_CAMERA_THREADS, threads,
      "threads", cure, file, problems);
  check_limit (cameras, MIN_OTHER_AREAS + n * MIN_CAMERA_AREAS,
      read_limit ("", "/proc/sys/vm/max_map_count"), "areas of memory",
      "vm.max_map_count with sysctl", file, problems);
}
