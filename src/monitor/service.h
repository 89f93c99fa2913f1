/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notifications for systemd. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Call it once everything runs. From then on, the main loop also feeds
 * systemd's watchdog. */
void vhm_service_ready (const gchar * status);
void vhm_service_reloading (void);
void vhm_service_stopping (void);

/* The command that has this process read its configuration again, to be
 * freed. */
gchar *vhm_service_describe_reload (void);

G_END_DECLS
