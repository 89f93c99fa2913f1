/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops that need AVX-512 as in Ice Lake and Zen 4 (F, BW, DQ, VL, VBMI, VBMI2,
 * VNNI, BITALG, GFNI), beyond what the vectoriser makes of loops.c. */
#pragma once

#include "codecounter.h"

G_BEGIN_DECLS

/* Takes bytes that are @stride apart, from @data on: as many of @n as possible.
 * Returns how many. */
gsize vh_avx512_gather (guint8 * samples, const guint8 * data, gsize n,
    gsize stride);

extern const VhCodeCounter vh_avx512_bitslice;

G_END_DECLS
