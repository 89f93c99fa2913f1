/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which losses of signals belong together: of cameras of one host, within
 * seconds. Outputs tell them as one. For the main thread. */
#pragma once

#include "event.h"

G_BEGIN_DECLS

typedef struct _VhmOutages VhmOutages;

VhmOutages *vhm_outages_new (void);
void vhm_outages_free (VhmOutages * outages);

/* Sets the outage of @event, which is about to be stored. @cameras are those at
 * @host, which may be NULL. */
void vhm_outages_note (VhmOutages * outages, VhmEvent * event,
    const gchar * host, guint cameras);

/* @event has a number now. */
void vhm_outages_note_stored (VhmOutages * outages, const VhmEvent * event);

/* @event was the last one of its camera before the program started. */
void vhm_outages_recall (VhmOutages * outages, const VhmEvent * event,
    const gchar * host);

/* The camera is not there any more. */
void vhm_outages_forget (VhmOutages * outages, const gchar * camera);

/* Whether all that belongs to the outage that @event is of, and begins or ends
 * as it does, has happened and has a number up to @listed. */
gboolean vhm_outages_is_complete (const VhmOutages * outages,
    const VhmEvent * event, guint64 listed);

G_END_DECLS
