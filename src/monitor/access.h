/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may do what by HTTP. */
#pragma once

#include "settings.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmAccess VhmAccess;

/* Sessions are kept in @folder. */
VhmAccess *vhm_access_new (const VhmHttpSettings * settings,
    const gchar * folder);
void vhm_access_free (VhmAccess * access);

/* 0, or the status that @message is refused with; @why says it in a
 * sentence. @open: no secret is needed for it. */
guint vhm_access_check (VhmAccess * access, SoupServerMessage * message,
    gboolean open, const gchar ** why);

/* Whether there is anything to log in with. */
gboolean vhm_access_needs_secret (const VhmAccess * access);

/* 0 with the cookie set in the answer, or the status that it is refused with.
 * @secret may be NULL. */
guint vhm_access_log_in (VhmAccess * access, SoupServerMessage * message,
    const gchar * secret);
void vhm_access_log_out (VhmAccess * access, SoupServerMessage * message);

/* The token of the session that let @message in; NULL if something else did. To
 * be freed. */
gchar *vhm_access_get_session (const VhmAccess * access,
    SoupServerMessage * message);

/* Whether that session goes on. */
gboolean vhm_access_is_session (const VhmAccess * access, const gchar * token);

G_END_DECLS
