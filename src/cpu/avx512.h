/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that need AVX-512 as Ice Lake and Zen 4 have it (F, BW, DQ, VL, VBMI,
 * VBMI2, VNNI, BITALG, GFNI), beyond what the vectoriser makes of kernels.c. */
#pragma once

#include "kernels.h"

G_BEGIN_DECLS

/* Takes bytes that are @stride apart from @data on: as many of @n as it can,
 * and returns how many. */
gsize vh_avx512_gather (guint8 * samples, const guint8 * data, gsize n,
    gsize stride);

/* Looks up bytes in @table[256]: as many of @n as it can. Returns how many. */
gsize vh_avx512_map (guint8 * corrected, const guint8 * codes, gsize n,
    const guint8 * table);

/* What join and tiles of VhCorrectOps are for bytes. */
void vh_avx512_join (guint8 * quad, gconstpointer const tables[4],
    gsize n_codes);
void vh_avx512_tiles (guint8 * corrected, const guint8 * codes, gsize n,
    const guint8 * quad, const float *x, float y);

extern const VhCounter vh_avx512_bitslice;

G_END_DECLS
