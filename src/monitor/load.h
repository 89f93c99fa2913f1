/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of the processors this process takes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @share is 1 if all processors did nothing else. */
typedef void (*VhmLoadFunc) (gpointer data, gdouble share);

/* Calls @func once, in the main thread, when it has been measured for a while.
 * Returns the source to remove if it is not wanted any more. */
guint vhm_load_measure (VhmLoadFunc func, gpointer data);

G_END_DECLS
