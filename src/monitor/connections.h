/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is connected: listens, counts, and ends what takes too long, which
 * libsoup does not. */
#pragma once

#include "settings.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmConnections VhmConnections;

/* Hands connections over to @server. NULL with an error if it cannot listen
 * there. */
VhmConnections *vhm_connections_new (SoupServer * server,
    const VhmHttpSettings * settings, GError ** error);

/* Before the server. */
void vhm_connections_free (VhmConnections * connections);

guint16 vhm_connections_get_port (const VhmConnections * connections);

/* The answer to @message has no end: it may take as long as it likes. */
void vhm_connections_keep (VhmConnections * connections,
    SoupServerMessage * message);

/* Ends the connection of @message at once. */
void vhm_connections_drop (VhmConnections * connections,
    SoupServerMessage * message);

G_END_DECLS
