/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Medians and other ranks of numbers. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the number that has @rank, less than @n, once @n numbers are sorted.
 * Moves them so that it is at that place, after those that are not larger. */
gdouble vh_health_find_rank (gdouble * numbers, guint n, guint rank);

/* Likewise, the upper one of the middle. */
gdouble vh_health_find_median (gdouble * numbers, guint n);

G_END_DECLS
