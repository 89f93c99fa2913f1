/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections of HTTP clients: limits their number, ends those that take too
 * long, and passes their requests to libsoup one at a time. */
#pragma once

#include "connection.h"
#include "settings.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmConnections VhmConnections;

/* Passes requests to @server. Returns NULL with an error if it cannot listen on
 * the address in @settings. */
VhmConnections *vhm_connections_new (SoupServer * server, VhmRefuse refuse,
    const VhmHttpSettings * settings, GError ** error);

/* Call it before freeing the server. */
void vhm_connections_free (VhmConnections * connections);

guint16 vhm_connections_get_port (const VhmConnections * connections);

/* Marks @message as accepted: from now on, its answer comes from us and is not
 * an error that libsoup makes itself. */
void vhm_connections_accept (SoupServerMessage * message);

/* The name of the client, as in peer.h; "" if the connection is closed. */
const gchar *vhm_connections_get_peer (SoupServerMessage * message);

/* Whether the client is still connected. */
gboolean vhm_connections_is_there (SoupServerMessage * message);

/* Keeps the connection open after the answer, unless the client closes it. Call
 * it when the headers have arrived and the request is not refused. */
void vhm_connections_offer_to_stay (SoupServerMessage * message);

/* Sends the current answer of @message without reading the rest of its request,
 * and ends the connection. */
void vhm_connections_answer_now (SoupServerMessage * message);

/* Lifts the time limit for @message, because its answer is endless, and lets
 * the kernel hold little of it. */
void vhm_connections_keep (VhmConnections * connections,
    SoupServerMessage * message);

/* Gives the client this long from now on, in µs, to read its answer, which is
 * longer than others. 0 ends the connection within a second, so that the client
 * sees that its answer is incomplete. */
void vhm_connections_allow (SoupServerMessage * message, gint64 time);

/* Ends the connection of @message immediately. */
void vhm_connections_drop (VhmConnections * connections,
    SoupServerMessage * message);

G_END_DECLS
