/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this process occupies. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize resident;               /* bytes */
  guint n_files, n_threads;
} TestFootprint;

/* Makes unused memory and threads be freed instead of kept for reuse: once,
 * before anything is measured. */
void test_footprint_steady (void);

TestFootprint test_footprint (void);

G_END_DECLS
