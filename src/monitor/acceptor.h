/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Accepts connections, and continues to do so after the process has run out of
 * file descriptors. */
#pragma once

#include "settings.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmAcceptor VhmAcceptor;

/* @socket is a new connection, not owned. */
typedef void (*VhmAccepted) (gpointer data, GSocket * socket);

/* Called when a connection could not be accepted because too many files are
 * open; the callee should close some. */
typedef void (*VhmCrowded) (gpointer data);

/* Listens on all addresses of the host. Returns NULL with an error if that
 * fails. */
VhmAcceptor *vhm_acceptor_new (const VhmHttpSettings * settings,
    guint backlog, VhmAccepted accepted, VhmCrowded crowded, gpointer data,
    GError ** error);
void vhm_acceptor_free (VhmAcceptor * acceptor);
guint16 vhm_acceptor_get_port (const VhmAcceptor * acceptor);

G_END_DECLS
