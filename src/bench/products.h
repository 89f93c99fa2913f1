/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of sparse counts and a vector, compared with those of the dense
 * matrix. */
#pragma once

#include "gpu.h"

G_BEGIN_DECLS

/* Prints by density how long the products take, and whether they equal the
 * CPU's: of a joint histogram, and of a matrix of the size in the AMS 148
 * notes, or with up to @items elements if that is smaller. FALSE if one is
 * wrong, or the GPU failed. */
gboolean bench_products_report (BenchGpu * gpu, guint64 items,
    guint repeats);

G_END_DECLS
