/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gpu.h"

G_BEGIN_DECLS

/* Counts without atomics, which is wrong, and prints what comes of it beside
 * what is right. It is no method, and nobody can choose it. FALSE where the GPU
 * failed. */
gboolean bench_racy_report (BenchGpu * gpu);

G_END_DECLS
