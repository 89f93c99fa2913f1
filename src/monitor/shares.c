/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shares.h"

static gsize
get_amount (const VhmShares * shares, const gchar * peer)
{
  return shares->taken_by ? GPOINTER_TO_SIZE (g_hash_table_lookup
      (shares->taken_by, peer)) : 0;
}

gboolean
vhm_shares_take (VhmShares * shares, const gchar * peer, gsize amount)
{
  const gsize left = shares->max - shares->taken;
  const gsize before = get_amount (shares, peer);

  if (amount > left || before + amount > left)
    return FALSE;
  if (!shares->taken_by)
    shares->taken_by = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
        NULL);
  shares->taken += amount;
  g_hash_table_replace (shares->taken_by, g_strdup (peer),
      GSIZE_TO_POINTER (before + amount));
  return TRUE;
}

void
vhm_shares_release (VhmShares * shares, const gchar * peer, gsize amount)
{
  const gsize left = get_amount (shares, peer) - amount;

  shares->taken -= amount;
  if (left)
    g_hash_table_replace (shares->taken_by, g_strdup (peer),
        GSIZE_TO_POINTER (left));
  else
    g_hash_table_remove (shares->taken_by, peer);
  if (!shares->taken)
    g_clear_pointer (&shares->taken_by, g_hash_table_unref);
}
