/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outputs that a user names in the key file. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmOutputs VhmOutputs;

VhmOutputs *vhm_outputs_new (VhmFleet * fleet);

/* After the fleet, which tells of its end. Returns FALSE if threads are left
 * that do not end in time. */
gboolean vhm_outputs_free (VhmOutputs * outputs);

/* From now on there are those of @settings: those that are as before go on
 * undisturbed. @page is the address of the page with all cameras, or NULL where
 * it is not known. */
void vhm_outputs_set (VhmOutputs * outputs, const VhmSettings * settings,
    const gchar * page);

/* An array of VhmOutput, which it frees. */
GPtrArray *vhm_outputs_describe (const VhmOutputs * outputs);

/* Dead letters are to be tried again, or were forgotten. */
void vhm_outputs_recount (VhmOutputs * outputs);

G_END_DECLS
