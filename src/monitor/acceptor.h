/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Accepts connections, and goes on when the process has too many files open. */
#pragma once

#include "settings.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmAcceptor VhmAcceptor;

/* @socket is a new connection, not owned. */
typedef void (*VhmAccepted) (gpointer data, GSocket * socket);

/* Called when no connection could be accepted because too many files are open:
 * something should be closed. */
typedef void (*VhmCrowded) (gpointer data);

/* Listens at all addresses of the host. NULL with an error if that is not
 * possible. */
VhmAcceptor *vhm_acceptor_new (const VhmHttpSettings * settings,
    guint backlog, VhmAccepted accepted, VhmCrowded crowded, gpointer data,
    GError ** error);
void vhm_acceptor_free (VhmAcceptor * acceptor);
guint16 vhm_acceptor_get_port (const VhmAcceptor * acceptor);

G_END_DECLS
