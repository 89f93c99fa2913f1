/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares how many frames all cameras deliver before and after something
 * happened. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

/* @share of the earlier frame rate: 1 is all of it. */
typedef void (*VhmGpuComparisonFunc) (gpointer data, gdouble share);

/* Call it when the event happens. Calls @func once, in the main thread, 20 s
 * later. Returns the id of the source, to be removed if the comparison is no
 * longer wanted. */
guint vhm_gpu_comparison_start (const VhmFleet * fleet,
    VhmGpuComparisonFunc func, gpointer data);

G_END_DECLS
