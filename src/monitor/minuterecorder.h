/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aggregates measurements of cameras per minute, for the store. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

typedef struct _VhmMinuteRecorder VhmMinuteRecorder;

VhmMinuteRecorder *vhm_minute_recorder_new (VhmFleet * fleet);

/* To be called after vhm_fleet_free(), which stores the incomplete minute. */
void vhm_minute_recorder_free (VhmMinuteRecorder * recorder);

G_END_DECLS
