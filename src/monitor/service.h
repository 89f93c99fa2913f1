/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What systemd is told. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Once everything runs; from then on the watchdog is told that the main loop
 * turns. */
void vhm_service_ready (const gchar * status);
void vhm_service_reloading (void);
void vhm_service_stopping (void);

G_END_DECLS
