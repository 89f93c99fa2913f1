/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hash tables that strangers cannot fill. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes room for one more entry: removes those for which @is_over returns
 * TRUE, and if @max are left, the one with the least gint64, which each value
 * starts with. */
void vhm_table_make_room (GHashTable * table, GHRFunc is_over, guint max);

G_END_DECLS
