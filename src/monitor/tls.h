/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS of the server. That of GLib holds a thread of a small pool of the whole
 * program for as long as a handshake waits for its client. Here no step of a
 * handshake waits. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmTlsCredentials VhmTlsCredentials;

/* From files in PEM. */
VhmTlsCredentials *vhm_tls_credentials_new (const gchar * certificate,
    const gchar * key, GError ** error);
void vhm_tls_credentials_unref (VhmTlsCredentials * credentials);

/* A stream of what TLS carries. Its two streams are only for polling, and work
 * once the handshake is done. Closing it says goodbye, unless it blocks. */
#define VHM_TYPE_TLS (vhm_tls_get_type ())
G_DECLARE_FINAL_TYPE (VhmTls, vhm_tls, VHM, TLS, GIOStream);

/* @socket must not block. */
VhmTls *vhm_tls_new (VhmTlsCredentials * credentials, GSocket * socket);

/* Does what can be done without waiting, in any one thread. Returns what it
 * waits for then, G_IO_IN or G_IO_OUT; 0 once the handshake is done; G_IO_ERR
 * if there is none. */
GIOCondition vhm_tls_handshake (VhmTls * tls);

G_END_DECLS
