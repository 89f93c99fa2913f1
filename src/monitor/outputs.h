/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outputs that the configuration names. */
#pragma once

#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmOutputs VhmOutputs;

VhmOutputs *vhm_outputs_new (VhmFleet * fleet);

/* Call it before freeing the fleet. Returns FALSE if threads remain that do not
 * end in time. */
gboolean vhm_outputs_free (VhmOutputs * outputs);

/* Replaces the outputs by those with @settings, of VhmGroup; outputs with
 * unchanged settings continue undisturbed. @page is the URL of the page with
 * all cameras, or NULL if it is not known. */
void vhm_outputs_set (VhmOutputs * outputs, const GPtrArray * settings,
    const gchar * page);

/* An array of VhmOutput. */
const GPtrArray *vhm_outputs_get_all (const VhmOutputs * outputs);

/* Call it after dead letters were requeued or discarded. */
void vhm_outputs_recount (VhmOutputs * outputs);

G_END_DECLS
