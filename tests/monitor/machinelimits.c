/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limits of a machine, as kernels and containers give them. */
#include "common/folder.h"
#include "common/suite.h"
#include "monitor/machinelimits.h"

static void
write_limit (const gchar * name, const gchar * text)
{
  gchar *parent = g_path_get_dirname (test_folder_path (name));

  g_mkdir_with_parents (parent, 0700);
  g_free (parent);
  test_folder_write (name, text);
}

static void
check_limit (guint64 limit, const gchar * cure)
{
  const gchar *found;

  fail_unless_equals_uint64 (vhm_machine_limits_read_threads (test_folder_path
          ("."), &found), limit);
  fail_unless (g_str_has_prefix (found, cure), "%s", found);
}

/* The lowest limit counts, of the kernel, or of a control group and those above
 * it. Without a file there is no limit. */
GST_START_TEST (test_threads)
{
  write_limit ("proc/self/cgroup", "1:name=x:/other\n0::/system/monitor\n");
  write_limit ("sys/fs/cgroup/system/monitor/pids.max", "max\n");
  write_limit ("proc/sys/kernel/threads-max", "900\n");
  check_limit (900, "kernel.threads-max");
  write_limit ("sys/fs/cgroup/system/pids.max", "800\n");
  check_limit (800, "TasksMax=");
  write_limit ("sys/fs/cgroup/system/monitor/pids.max", "700\n");
  check_limit (700, "TasksMax=");
  write_limit ("proc/self/cgroup", "0::/\n");
  check_limit (900, "kernel.threads-max");
  write_limit ("sys/fs/cgroup/pids.max", "600\n");
  check_limit (600, "TasksMax=");
}

GST_END_TEST;

/* Says what is too little, for cameras but not for test pictures. */
GST_START_TEST (test_check)
{
  VhmProblems *problems = vhm_problems_new ();
  gchar *text;

  vhm_machine_limits_check (1000000, 1000000, "cam.conf", problems);
  fail_unless_equals_int (problems->errors, 0);
  vhm_machine_limits_check (10000000, 0, "cam.conf", problems);
  text = vhm_problems_describe (problems);
  fail_unless (strstr (text, "10000000 cameras need at least 90000050 open "
          "files, and the limit is ") != NULL, "%s", text);
  fail_unless (strstr (text, "need at least 50000030 threads") != NULL, "%s",
      text);
  g_free (text);
  vhm_problems_free (problems);
}

GST_END_TEST;

TEST_SUITE (machinelimits, NULL, test_folder_remove)
{
  tcase_add_test (tc, test_threads);
  tcase_add_test (tc, test_check);
}
