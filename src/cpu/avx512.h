/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops that need AVX-512 as in Ice Lake and Zen 4 (F, BW, DQ, VL, VBMI, VBMI2,
 * VNNI, BITALG, GFNI), beyond what the vectoriser makes of loops.c. */
#pragma once

#include "codecounter.h"

G_BEGIN_DECLS

/* Copies up to @n bytes that are @stride apart, starting at @data. Returns how
 * many it copied. */
gsize vh_avx512_gather (guint8 * samples, const guint8 * data, gsize n,
    gsize stride);

extern const VhCodeCounter vh_avx512_bitslice;

G_END_DECLS
