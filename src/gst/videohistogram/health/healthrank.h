/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Medians and other ranks of numbers. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sorts @n numbers. */
void vh_health_sort (gdouble * numbers, guint n);

/* Sorts @n numbers, at least one, and returns the upper one of the middle. */
gdouble vh_health_find_median (gdouble * numbers, guint n);

G_END_DECLS
