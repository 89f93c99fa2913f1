/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds up what cameras measure in a minute, for the store. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

typedef struct _VhmMinutes VhmMinutes;

VhmMinutes *vhm_minutes_new (VhmFleet * fleet);

/* After the fleet, which stores the minute that is not over. */
void vhm_minutes_free (VhmMinutes * minutes);

G_END_DECLS
