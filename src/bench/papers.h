/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The papers' own tables, beside what was measured here. */
#pragma once

#include "measure.h"
#include "racy.h"

G_BEGIN_DECLS

/* @results are of BENCH_SET_PAPERS; @gpu and @photo may be NULL. */
void bench_papers_report (BenchGpu * gpu, const GPtrArray * results,
    const BenchPhoto * photo);

G_END_DECLS
