/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is connected: counts connections, ends what takes too long, and hands
 * libsoup one request after the other. */
#pragma once

#include "settings.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmConnections VhmConnections;

/* Returns the body, and adds to @headers, of the answer @status to a request
 * that is not read, or that libsoup has not understood. @line is how its first
 * line begins. */
typedef GBytes *(*VhmRefuse) (guint status, const gchar * line,
    SoupMessageHeaders * headers);

/* Hands requests over to @server. NULL with an error if it cannot listen
 * there. */
VhmConnections *vhm_connections_new (SoupServer * server, VhmRefuse refuse,
    const VhmHttpSettings * settings, GError ** error);

/* Before the server. */
void vhm_connections_free (VhmConnections * connections);

guint16 vhm_connections_get_port (const VhmConnections * connections);

/* What is answered to @message from now on is not libsoup's own answer to what
 * it has not understood. */
void vhm_connections_accept (SoupServerMessage * message);

/* The name of the client, as in peer.h; "" if the connection has gone. */
const gchar *vhm_connections_get_peer (SoupServerMessage * message);

/* Whether the client still waits for an answer. */
gboolean vhm_connections_is_there (SoupServerMessage * message);

/* Lets the connection stay for another request after the answer, if the client
 * asked for that. Called with the headers of a request that is not refused. */
void vhm_connections_offer_to_stay (SoupServerMessage * message);

/* Sends the answer that @message has now, without reading what is left of its
 * request, and ends the connection. */
void vhm_connections_answer_now (SoupServerMessage * message);

/* The answer to @message has no end: it may take as long as it likes. */
void vhm_connections_keep (VhmConnections * connections,
    SoupServerMessage * message);

/* Ends the connection of @message at once. */
void vhm_connections_drop (VhmConnections * connections,
    SoupServerMessage * message);

G_END_DECLS
