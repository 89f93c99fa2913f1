/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which charts are drawn of which results. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

/* Writes what can be drawn of @results into @folder, and the colours of @photo
 * unless it is NULL. */
gboolean bench_plots_write (const gchar * folder, const GPtrArray * results,
    const BenchPhoto * photo, GError ** error);

G_END_DECLS
