/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "boundedtable.h"

void
vhm_table_make_room (GHashTable * table, GHRFunc is_over, guint max)
{
  gpointer key, value, first = NULL;
  gint64 least = G_MAXINT64;
  GHashTableIter iter;

  g_hash_table_foreach_remove (table, is_over, NULL);
  if (g_hash_table_size (table) < max)
    return;
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (*(gint64 *) value < least) {
      least = *(gint64 *) value;
      first = key;
    }
  g_hash_table_remove (table, first);
}
