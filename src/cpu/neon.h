/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops in NEON, which every AArch64 processor has, where they take fewer
 * instructions than what the vectoriser makes of loops.c and correctloops.c. */
#pragma once

#include "loops.h"

G_BEGIN_DECLS

/* Returns the baseline's table, with its loops replaced where NEON is better.
 * Call it once. */
const VhLoops *vh_neon_loops (void);

G_END_DECLS
