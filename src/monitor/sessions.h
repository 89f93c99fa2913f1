/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who has logged in. Sessions are in a file, so that they survive a restart,
 * but only as signatures: neither the secret nor a cookie can be made from it,
 * and another secret ends all of them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmSessions VhmSessions;

#define VHM_SESSION_SECONDS (30 * 24 * 3600)

/* Reads the file in @folder, if there is one. */
VhmSessions *vhm_sessions_new (const gchar * folder, const gchar * secret);
void vhm_sessions_free (VhmSessions * sessions);

/* A few letters and digits that tell cookies of several monitors on one host
 * apart: browsers do not, whatever their ports are. They stay as long as the
 * file. */
const gchar *vhm_sessions_get_id (const VhmSessions * sessions);

/* A new session's token; to be freed. */
gchar *vhm_sessions_begin (VhmSessions * sessions);
gboolean vhm_sessions_has (const VhmSessions * sessions, const gchar * token);

/* From then on the token is worth nothing, to nobody who has a copy. */
void vhm_sessions_end (VhmSessions * sessions, const gchar * token);

G_END_DECLS
