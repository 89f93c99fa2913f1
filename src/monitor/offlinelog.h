/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs when a camera goes offline, why, and when it is back: one line each,
 * however many attempts fail meanwhile. Times are monotonic, in µs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmOfflineLog VhmOfflineLog;

/* A camera counts as back for good once it has sent frames for @proven. */
VhmOfflineLog *vhm_offline_log_new (const gchar * camera, gint64 proven);
void vhm_offline_log_free (VhmOfflineLog * log);

/* An attempt failed because of @reason. @last is when the last frame came. */
void vhm_offline_log_fail (VhmOfflineLog * log, const gchar * reason,
    gint64 last, gint64 now);

/* To be called repeatedly while frames come. */
void vhm_offline_log_end (VhmOfflineLog * log, gint64 now);

/* Logs @text, once per absence. */
void vhm_offline_log_note (VhmOfflineLog * log, const gchar * text);

G_END_DECLS
