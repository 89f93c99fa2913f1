/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sort and reduce by key over a whole input, without an atomic. */
#pragma once

#include "gpu.h"

G_BEGIN_DECLS

/* Prints how long sorting and reducing takes to count the items of AMS 148 (see
 * docs/algorithms.md), and @items random ones, and whether the counts are
 * right. FALSE if they are not, or the GPU failed. */
gboolean bench_sort_report (BenchGpu * gpu, guint items, guint repeats);

G_END_DECLS
