/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares something of which there is a limited amount among clients by their
 * addresses, so that no client takes all of it. Main thread only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize max;
  gsize taken;
  GHashTable *taken_by;         /* name of a client -> amount; NULL while
                                 * nothing is taken */
} VhmShares;

#define VHM_SHARES(max) { max, 0, NULL }

/* Takes @amount for the client named @peer, as in peer.h. Returns FALSE if the
 * client would then have more than is left for others: a client that is alone
 * gets half of everything, the next one half of the rest. */
gboolean vhm_shares_take (VhmShares * shares, const gchar * peer,
    gsize amount);

/* Gives back an amount that @peer has taken. */
void vhm_shares_release (VhmShares * shares, const gchar * peer,
    gsize amount);

G_END_DECLS
