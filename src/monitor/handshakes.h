/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS handshakes. Each one needs a thread of a small pool, so few run at the
 * same time, and none before the client has sent its whole first message:
 * whoever connects and then says nothing, or half of it, costs no thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmHandshakes VhmHandshakes;

VhmHandshakes *vhm_handshakes_new (GTlsCertificate * certificate);
void vhm_handshakes_free (VhmHandshakes * handshakes);

/* @stream is the connection with TLS, or NULL if there was no handshake. */
typedef void (*VhmHandshaken) (gpointer data, GIOStream * stream);

/* Calls @done once, later. Shutting the socket down ends the wait. */
void vhm_handshakes_add (VhmHandshakes * handshakes,
    GSocketConnection * connection, VhmHandshaken done, gpointer data);

G_END_DECLS
