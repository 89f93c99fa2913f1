/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is at the other end of a connection. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The address without the port, as a key for tables. Of IPv6 it is the network,
 * /64: whoever has one address there has all. To be freed. */
gchar *vhm_peer_name (GSocketAddress * address);

/* Whether it has closed the connection, or at least its sending side. */
gboolean vhm_peer_has_gone (GSocket * socket);

G_END_DECLS
