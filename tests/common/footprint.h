/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The resources that this process uses. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize resident;               /* bytes */
  guint n_files, n_threads;
} TestFootprint;

/* Frees unused memory and threads instead of keeping them for reuse. Call once,
 * before the first measurement. */
void test_footprint_steady (void);

TestFootprint test_footprint (void);

G_END_DECLS
