/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The other end of a connection. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The address, to be unreferenced: that of IPv4 if a dual-stack socket reports
 * it as one of IPv6. NULL if the peer has none. */
GInetAddress *vhm_peer_get_address (GSocketAddress * address);

/* The address without the port, as a key for tables, to be freed. For IPv6 it
 * is the /64 network, because a client usually controls all addresses in it. */
gchar *vhm_peer_name (GSocketAddress * address);

/* Whether the peer has closed the connection, or at least its sending side. */
gboolean vhm_peer_has_gone (GSocket * socket);

G_END_DECLS
