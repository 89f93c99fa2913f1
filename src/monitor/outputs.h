/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outputs that the configuration names: MQTT and webhooks. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmOutputs VhmOutputs;

VhmOutputs *vhm_outputs_new (VhmFleet * fleet);

/* Call it after freeing the fleet, which still reports its end. Returns FALSE
 * if threads remain that do not end in time. */
gboolean vhm_outputs_free (VhmOutputs * outputs);

/* Replaces the outputs by those of @settings; outputs with unchanged settings
 * continue undisturbed. @page is the URL of the page with all cameras, or NULL
 * if it is not known. */
void vhm_outputs_set (VhmOutputs * outputs, const VhmSettings * settings,
    const gchar * page);

/* The state of each output: an array of VhmOutput, which owns its elements. */
GPtrArray *vhm_outputs_describe (const VhmOutputs * outputs);

/* Call it after dead letters were requeued or discarded. */
void vhm_outputs_recount (VhmOutputs * outputs);

G_END_DECLS
