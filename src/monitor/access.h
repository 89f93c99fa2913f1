/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access control of the HTTP server: hosts, origins, secrets and sessions. */
#pragma once

#include "settings.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmAccess VhmAccess;

/* Stores sessions in @folder. */
VhmAccess *vhm_access_new (const VhmHttpSettings * settings,
    const gchar * folder);
void vhm_access_free (VhmAccess * access);

/* Returns 0, or the status to refuse @message with and the reason in @why.
 * @open: the path needs no secret. */
guint vhm_access_check (VhmAccess * access, SoupServerMessage * message,
    gboolean open, const gchar ** why);

/* Whether a secret is configured. */
gboolean vhm_access_needs_secret (const VhmAccess * access);

/* Returns 0 with the cookie set in the answer, or the status of the refusal.
 * @secret may be NULL. */
guint vhm_access_log_in (VhmAccess * access, SoupServerMessage * message,
    const gchar * secret);
void vhm_access_log_out (VhmAccess * access, SoupServerMessage * message);

/* The token of the session that authorizes @message, to be freed; NULL if it
 * uses a bearer token or no secret is configured. */
gchar *vhm_access_get_session (const VhmAccess * access,
    SoupServerMessage * message);

/* Whether the session with this token is still valid. */
gboolean vhm_access_is_session (const VhmAccess * access, const gchar * token);

G_END_DECLS
