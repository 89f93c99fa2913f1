/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access control of the HTTP server: hosts, origins, secrets and sessions. */
#pragma once

#include "settings.h"
#include "user.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmAccess VhmAccess;

/* Stores sessions in @folder. */
VhmAccess *vhm_access_new (const VhmHttpSettings * settings,
    const gchar * folder);
void vhm_access_free (VhmAccess * access);

/* Who may send a request. */
typedef enum
{
  VHM_FOR_ALL,                  /* without a secret */
  VHM_FOR_VIEWERS,              /* and operators */
  VHM_FOR_OPERATORS,
} VhmAudience;

/* Returns 0, or the status to refuse @message with and the reason in @why. */
guint vhm_access_check (VhmAccess * access, SoupServerMessage * message,
    VhmAudience audience, const gchar ** why);

/* Who sent @message, if it was checked and is not for all; otherwise NULL. */
const VhmUser *vhm_access_get_user (SoupServerMessage * message);

/* Gives the user the name that the client says, unless there is a better
 * one. */
void vhm_access_suggest_name (SoupServerMessage * message,
    const gchar * name);

/* Returns 0 with the cookie set in the answer and the user of @message set, or
 * the status of the refusal. @name and @secret may be NULL. */
guint vhm_access_log_in (VhmAccess * access, SoupServerMessage * message,
    const gchar * name, const gchar * secret);
void vhm_access_log_out (VhmAccess * access, SoupServerMessage * message);

/* The token of the session that authorizes @message, to be freed; NULL if it
 * uses a bearer token or no secret is configured. */
gchar *vhm_access_get_session (const VhmAccess * access,
    SoupServerMessage * message);

/* Whether the session with this token is still valid. */
gboolean vhm_access_is_session (const VhmAccess * access, const gchar * token);

G_END_DECLS
