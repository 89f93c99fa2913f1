/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of sparse counts and a vector, compared with those of the dense
 * matrix. */
#pragma once

#include "gpu.h"

G_BEGIN_DECLS

/* Prints how long the products take for matrices of several densities, and
 * whether they equal the CPU's. The matrices are joint histograms, and matrices
 * of the size in AMS 148 (see docs/algorithms.md), or of up to @items elements
 * if that is smaller. FALSE if a product is wrong, or the GPU failed. */
gboolean bench_products_report (BenchGpu * gpu, guint64 items,
    guint repeats);

G_END_DECLS
