/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS for the server. GLib's TLS occupies a thread of a small pool, shared by
 * the whole program, while a handshake waits for its client. Here no step of a
 * handshake blocks. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmTlsCredentials VhmTlsCredentials;

/* Reads a certificate and its key from files in PEM format. */
VhmTlsCredentials *vhm_tls_credentials_new (const gchar * certificate,
    const gchar * key, GError ** error);
void vhm_tls_credentials_unref (VhmTlsCredentials * credentials);

/* A stream of the decrypted data. Its input and output streams only support
 * polling, and work once the handshake is done. Closing it sends close_notify,
 * unless that would block. */
#define VHM_TYPE_TLS (vhm_tls_get_type ())
G_DECLARE_FINAL_TYPE (VhmTls, vhm_tls, VHM, TLS, GIOStream);

/* @socket must be non-blocking. */
VhmTls *vhm_tls_new (VhmTlsCredentials * credentials, GSocket * socket);

/* Continues the handshake as far as possible without blocking; may run in any
 * thread, but only in one at a time. Returns what it waits for, G_IO_IN or
 * G_IO_OUT; 0 when the handshake is done; or G_IO_ERR if it failed. */
GIOCondition vhm_tls_handshake (VhmTls * tls);

G_END_DECLS
