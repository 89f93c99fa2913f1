/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gpu.h"

G_BEGIN_DECLS

/* Counts without atomics, like the first listing of AMS 148 (see
 * docs/algorithms.md), and prints the wrong result next to the right one. It is
 * not a method and cannot be chosen. FALSE if the GPU failed. */
gboolean bench_racy_report (BenchGpu * gpu);

G_END_DECLS
