/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/backend.h"
#include "loops.h"

G_BEGIN_DECLS

/* Makes a backend of vh_cpu_backend_class use @loops, which the machine must
 * be able to run, from the next configure on. For tests and benchmarks: open
 * chooses the best. */
void vh_cpu_backend_use_loops (VhBackend * backend,
    const VhLoops * loops);

/* How the samples of a component of @layout lie in a row. */
VhFetch vh_cpu_fetch (const VhLayout * layout, guint component);

G_END_DECLS
