/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "axes.h"
#include "gpu.h"

G_BEGIN_DECLS

/* Times correcting frames of @sizes (of BenchSize) on the GPU, and copying them
 * there for comparison. Checks the results against those of the CPU, prints a
 * table with medians of @repeats repeats, and writes the numbers to the file
 * @json, unless NULL. FALSE if a result was wrong, or something failed. */
gboolean bench_correct_report (BenchGpu * gpu, const GArray * sizes,
    guint repeats, const gchar * json, GError ** error);

G_END_DECLS
