/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs when a camera goes offline, why, and when it is back: one line each,
 * however many attempts fail meanwhile. Times are monotonic, in µs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmAbsence VhmAbsence;

/* A camera counts as back for good once it has sent frames for @proven. */
VhmAbsence *vhm_absence_new (const gchar * camera, gint64 proven);
void vhm_absence_free (VhmAbsence * absence);

/* An attempt failed because of @reason. @last is when the last frame came. */
void vhm_absence_fail (VhmAbsence * absence, const gchar * reason,
    gint64 last, gint64 now);

/* To be called repeatedly while frames come. */
void vhm_absence_end (VhmAbsence * absence, gint64 now);

/* Logs @text, once per absence. */
void vhm_absence_note (VhmAbsence * absence, const gchar * text);

G_END_DECLS
