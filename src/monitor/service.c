/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "service.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#define NAME "videohistogram-monitor"

static guint watchdog;

static gboolean
on_watchdog (G_GNUC_UNUSED gpointer data)
{
  sd_notify (0, "WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

void
vhm_service_ready (const gchar * status)
{
  guint64 usec;

  sd_notifyf (0, "READY=1\nSTATUS=%s", status);
  /* Notify twice per watchdog period. */
  if (!watchdog && sd_watchdog_enabled (0, &usec) > 0)
    watchdog = g_timeout_add (MAX (usec / 2000, 1), on_watchdog, NULL);
}

void
vhm_service_reloading (void)
{
  sd_notifyf (0, "RELOADING=1\nMONOTONIC_USEC=%" G_GINT64_FORMAT,
      g_get_monotonic_time ());
}

void
vhm_service_stopping (void)
{
  sd_notify (0, "STOPPING=1");
}

/* As short as a shell needs it. */
static gchar *
find_program (void)
{
  gchar *program = g_file_read_link ("/proc/self/exe", NULL);
  gchar *found = g_find_program_in_path (NAME);
  char *real = found ? realpath (found, NULL) : NULL;

  if (!program || g_strcmp0 (real, program) == 0) {
    g_free (program);
    program = g_strdup (NAME);
  }
  free (real);
  g_free (found);
  return program;
}

gchar *
vhm_service_describe_reload (void)
{
  char *unit = NULL;
  gchar *program, *command;

  if (!g_getenv ("NOTIFY_SOCKET") || !g_getenv ("INVOCATION_ID")) {
    program = find_program ();
    command = g_strdup_printf ("%s --reload=%d", program, (int) getpid ());
    g_free (program);
  } else if (sd_pid_get_user_unit (0, &unit) >= 0)
    command = g_strdup_printf ("systemctl --user reload %s", unit);
  else
    command = g_strdup_printf ("sudo systemctl reload %s",
        sd_pid_get_unit (0, &unit) >= 0 ? unit : NAME);
  free (unit);
  return command;
}
