/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS handshakes. A few threads do the computations step by step, and never
 * wait for a client. The first step starts once the client has sent its
 * complete first message. */
#pragma once

#include "tls.h"

G_BEGIN_DECLS

typedef struct _VhmHandshakes VhmHandshakes;
typedef struct _VhmHandshake VhmHandshake;

/* Takes ownership of @credentials. */
VhmHandshakes *vhm_handshakes_new (VhmTlsCredentials * credentials);
void vhm_handshakes_free (VhmHandshakes * handshakes);

/* @stream is the TLS connection, or NULL if the handshake failed. */
typedef void (*VhmHandshaken) (gpointer data, GIOStream * stream);

/* The number of handshakes with @peer, a name as in peer.h. */
guint vhm_handshakes_count (VhmHandshakes * handshakes, const gchar * peer);

/* Starts a handshake. Calls @done once, later; the returned handshake is
 * invalid from then on. Shutting @socket down ends the handshake. */
VhmHandshake *vhm_handshakes_add (VhmHandshakes * handshakes,
    GSocket * socket, const gchar * peer, VhmHandshaken done, gpointer data);

/* Whether the handshake waits for its client and not for a thread. */
gboolean vhm_handshake_is_silent (const VhmHandshake * handshake);

G_END_DECLS
