/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes into the log that a camera goes away, why, and that it is back: a line
 * for each, however often it is tried meanwhile. Times are monotonic, in µs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmAbsence VhmAbsence;

/* Once a camera has sent frames for @proven it counts as back for good. */
VhmAbsence *vhm_absence_new (const gchar * camera, gint64 proven);
void vhm_absence_free (VhmAbsence * absence);

/* An attempt has failed, because of @reason. @last is when the last frame
 * came. */
void vhm_absence_fail (VhmAbsence * absence, const gchar * reason,
    gint64 last, gint64 now);

/* Frames come; to be called again while they do. */
void vhm_absence_end (VhmAbsence * absence, gint64 now);

/* Logs @text, once in an absence. */
void vhm_absence_note (VhmAbsence * absence, const gchar * text);

G_END_DECLS
