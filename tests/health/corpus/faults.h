/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that apply faults. The comments at their definitions say what the
 * numbers of the table mean. */
#pragma once

#include "simulator.h"

G_BEGIN_DECLS

typedef void FaultFunction (Simulator * simulator, gdouble amount);

/* lensfaults.c */
FaultFunction fault_turn, fault_shake, fault_turn_on, fault_tour, fault_cover,
    fault_cloth, fault_hand, fault_obstruct, fault_spray, fault_drops,
    fault_defocus, fault_fog, fault_glare, fault_spider, fault_lamp_off,
    fault_lights_out, fault_exposure, fault_hunting, fault_gain, fault_cast;

/* framefaults.c */
FaultFunction fault_bands, fault_stripes, fault_freeze, fault_freeze_part,
    fault_loop, fault_fill, fault_color_bars, fault_snow, fault_chroma_lost,
    fault_roll_sync, fault_tear, fault_slices, fault_mosaic, fault_flash,
    fault_flash_once;

G_END_DECLS
