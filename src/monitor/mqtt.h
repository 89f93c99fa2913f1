/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishes the current states under retained topics of an MQTT broker, and
 * each event when it happens. docs/monitor-outputs.md lists the topics and
 * payloads. A listener of the fleet. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmMqtt VhmMqtt;

VhmMqtt *vhm_mqtt_new (VhmFleet * fleet);

/* Call it after freeing the fleet, which still reports its end. Disconnects
 * from the broker. Returns FALSE if a thread remains that does not end in
 * time. */
gboolean vhm_mqtt_free (VhmMqtt * mqtt);

/* Sets the broker, or none if @settings is NULL. @page is the URL of the page
 * with all cameras, or NULL if it is not known. */
void vhm_mqtt_set (VhmMqtt * mqtt, VhmMqttSettings * settings,
    const gchar * page);

/* Sets @output; the caller frees its strings. Returns FALSE if there is no
 * broker. */
gboolean vhm_mqtt_describe (const VhmMqtt * mqtt, VhmOutput * output);

G_END_DECLS
