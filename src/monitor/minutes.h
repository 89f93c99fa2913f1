/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aggregates measurements of cameras per minute, for the store. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

typedef struct _VhmMinutes VhmMinutes;

VhmMinutes *vhm_minutes_new (VhmFleet * fleet);

/* To be called after vhm_fleet_free(), which stores the incomplete minute. */
void vhm_minutes_free (VhmMinutes * minutes);

G_END_DECLS
