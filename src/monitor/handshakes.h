/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS handshakes. A few threads do what has to be computed, step by step, and
 * never wait for a client. The first step comes once the client has sent its
 * whole first message. */
#pragma once

#include "tls.h"

G_BEGIN_DECLS

typedef struct _VhmHandshakes VhmHandshakes;
typedef struct _VhmHandshake VhmHandshake;

/* Takes @credentials. */
VhmHandshakes *vhm_handshakes_new (VhmTlsCredentials * credentials);
void vhm_handshakes_free (VhmHandshakes * handshakes);

/* @stream is the connection with TLS, or NULL if there was no handshake. */
typedef void (*VhmHandshaken) (gpointer data, GIOStream * stream);

/* How many there are with @peer, a name as in peer.h. */
guint vhm_handshakes_count (VhmHandshakes * handshakes, const gchar * peer);

/* Calls @done once, later; what it returns is gone then. Shutting @socket down
 * ends the handshake. */
VhmHandshake *vhm_handshakes_add (VhmHandshakes * handshakes,
    GSocket * socket, const gchar * peer, VhmHandshaken done, gpointer data);

/* Whether it waits for its client, rather than for us. */
gboolean vhm_handshake_is_silent (const VhmHandshake * handshake);

G_END_DECLS
