/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sessions of users who have logged in. A file keeps them across restarts, but
 * only as signatures: neither a secret nor a cookie can be derived from it.
 * Each role has its own secret, and changing it ends the sessions of the
 * role. */
#pragma once

#include "user.h"

G_BEGIN_DECLS

typedef struct _VhmSessions VhmSessions;

#define VHM_SESSION_SECONDS (30 * 24 * 3600)

/* Reads the file of sessions in @folder, if it exists. @secrets, by role, are
 * NULL for roles that cannot log in. */
VhmSessions *vhm_sessions_new (const gchar * folder,
    gchar * const secrets[VHM_N_ROLES]);
void vhm_sessions_free (VhmSessions * sessions);

/* A few letters and digits for the name of the cookie. Browsers share cookies
 * between all ports of a host, so each monitor there needs a name of its own.
 * The id stays the same as long as the file exists. */
const gchar *vhm_sessions_get_id (const VhmSessions * sessions);

/* Starts a session. Returns its token, to be freed. */
gchar *vhm_sessions_begin (VhmSessions * sessions, const VhmUser * user);

/* The user of the session with this token, to be freed, or NULL. */
VhmUser *vhm_sessions_find (const VhmSessions * sessions,
    const gchar * token);

/* Invalidates the token, including copies of it. */
void vhm_sessions_end (VhmSessions * sessions, const gchar * token);

G_END_DECLS
