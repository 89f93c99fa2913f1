/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The papers' own tables, beside what was measured here. */
#pragma once

#include "measure.h"
#include "racy.h"

G_BEGIN_DECLS

/* @results are of BENCH_SET_PAPERS; @photo may be NULL. What depends on more
 * than a case has is measured here, with those of @entrants that it takes. */
void bench_papers_report (BenchArena * arena, const GPtrArray * entrants,
    const GPtrArray * results, const BenchPhoto * photo);

G_END_DECLS
