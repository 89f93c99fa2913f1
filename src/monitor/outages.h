/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups signal losses into outages. If cameras of one host are lost within
 * seconds, that is one outage, and outputs report it as one. For the main
 * thread. */
#pragma once

#include "event.h"

G_BEGIN_DECLS

typedef struct _VhmOutages VhmOutages;

VhmOutages *vhm_outages_new (void);
void vhm_outages_free (VhmOutages * outages);

/* Sets the outage of @event, which is about to be stored. @cameras is the
 * number of cameras at @host, which may be NULL. */
void vhm_outages_note (VhmOutages * outages, VhmEvent * event,
    const gchar * host, guint cameras);

/* To be called once @event has a number. */
void vhm_outages_note_stored (VhmOutages * outages, const VhmEvent * event);

/* To be called with the last event of its camera from before the program
 * started. */
void vhm_outages_recall (VhmOutages * outages, const VhmEvent * event,
    const gchar * host);

/* To be called when the camera is removed. */
void vhm_outages_forget (VhmOutages * outages, const gchar * camera);

/* Whether no further event is expected on the side of the outage that @event
 * belongs to, its start or its end, and all those so far are stored with
 * numbers up to @listed. */
gboolean vhm_outages_is_complete (const VhmOutages * outages,
    const VhmEvent * event, guint64 listed);

G_END_DECLS
