/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of driver.c for libFuzzer, which looks for scripts that reach new
 * code. It writes them to the first folder given and ends after
 * TEST_FUZZ_SECONDS. */
#include <signal.h>
#include <stdlib.h>

#include "common/env.h"
#include "common/figures.h"
#include "script.h"

#define DEFAULT_SECONDS 60
#define SECONDS_OF_LONG_TIER 14400

static guint64 n_scripts;
static gint64 start;

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 * data, gsize size);

static void
write_figure (void)
{
  test_figure ("scripts that found nothing", "%" G_GUINT64_FORMAT
      ", in %" G_GINT64_FORMAT " s", n_scripts,
      (g_get_monotonic_time () - start) / G_TIME_SPAN_SECOND);
}

/* GLib ends a program with this signal, which libFuzzer does not catch. */
static void
on_trap (int number)
{
  (void) number;
  abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  const guint64 seconds = test_env_tier ("TEST_FUZZ_SECONDS", DEFAULT_SECONDS,
      SECONDS_OF_LONG_TIER);
  char **with = g_new0 (char *, *argc + 2);
  int i;

  for (i = 0; i < *argc; i++)
    with[i] = (*argv)[i];
  with[i] = g_strdup_printf ("-max_total_time=%" G_GUINT64_FORMAT, seconds);
  *argv = with;
  *argc += 1;
  if (i > 2)
    g_mkdir_with_parents (with[1], 0777);

  script_init ();
  signal (SIGTRAP, on_trap);
  start = g_get_monotonic_time ();
  atexit (write_figure);
  return 0;
}

int
LLVMFuzzerTestOneInput (const guint8 * data, gsize size)
{
  script_run (data, size);
  n_scripts++;
  return 0;
}
