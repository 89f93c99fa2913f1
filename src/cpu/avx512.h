/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that need AVX-512 as Ice Lake and Zen 4 have it (F, BW, DQ, VL, VBMI,
 * VBMI2, VNNI, BITALG, GFNI), beyond what the vectoriser makes of loops.c. */
#pragma once

#include "codecounter.h"

G_BEGIN_DECLS

/* Takes bytes that are @stride apart from @data on: as many of @n as it can,
 * and returns how many. */
gsize vh_avx512_gather (guint8 * samples, const guint8 * data, gsize n,
    gsize stride);

extern const VhCodeCounter vh_avx512_bitslice;

G_END_DECLS
