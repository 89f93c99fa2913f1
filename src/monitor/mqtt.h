/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells a broker what is so, by topics that it keeps, and each event once it
 * has happened: docs/monitor.md has topics and payloads. A listener of the
 * fleet. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmMqtt VhmMqtt;

VhmMqtt *vhm_mqtt_new (VhmFleet * fleet);

/* After the fleet, which tells it of its end. Says goodbye to the broker;
 * returns FALSE if a thread is left that does not end in time. */
gboolean vhm_mqtt_free (VhmMqtt * mqtt);

/* Which broker there is from now on, or NULL. @page is the address of the page
 * with all cameras, or NULL where it is not known. */
void vhm_mqtt_set (VhmMqtt * mqtt, VhmMqttSettings * settings,
    const gchar * page);

/* Sets @output, whose texts are to be freed; returns FALSE if there is no
 * broker. */
gboolean vhm_mqtt_describe (const VhmMqtt * mqtt, VhmOutput * output);

G_END_DECLS
