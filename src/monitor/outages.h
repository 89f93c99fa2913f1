/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups signal losses into outages. If cameras of one host or group are lost
 * within seconds, that is one outage, and outputs report it as one. For the
 * main thread. */
#pragma once

#include "event.h"

G_BEGIN_DECLS

typedef struct _VhmOutages VhmOutages;

VhmOutages *vhm_outages_new (void);
void vhm_outages_free (VhmOutages * outages);

/* What a camera has in common with others. */
typedef struct
{
  gchar *camera;
  gchar *host, *group;          /* or NULL */
} VhmPlace;

VhmPlace *vhm_place_new (const gchar * camera, const gchar * uri,
    const gchar * group);
void vhm_place_free (VhmPlace * place);

/* Sets the outage of @event, a change of signal-loss that is about to be
 * stored. @places has the VhmPlace of each camera of which a signal loss is
 * reported. */
void vhm_outages_note (VhmOutages * outages, VhmEvent * event,
    const GPtrArray * places);

/* To be called once @event has a number. */
void vhm_outages_note_stored (VhmOutages * outages, const VhmEvent * event);

/* To be called with the last event of its camera from before the program
 * started. */
void vhm_outages_recall (VhmOutages * outages, const VhmEvent * event);

/* To be called when the camera is removed. */
void vhm_outages_forget (VhmOutages * outages, const gchar * camera);

/* Whether no further event is expected on the side of the outage that @event
 * belongs to, its start or its end, and all those so far are stored with
 * numbers up to @listed. */
gboolean vhm_outages_is_complete (const VhmOutages * outages,
    const VhmEvent * event, guint64 listed);

G_END_DECLS
