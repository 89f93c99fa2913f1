/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "service.h"

#include <systemd/sd-daemon.h>

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
