/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who sends a request, and what they may do. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In rising order. */
typedef enum
{
  VHM_ROLE_VIEWER,              /* may read everything, and change nothing */
  VHM_ROLE_OPERATOR,
  VHM_N_ROLES
} VhmRole;

typedef struct
{
  gchar *name;                  /* as given at the log-in or by a proxy; "" if
                                 * unknown */
  VhmRole role;
} VhmUser;

/* The name may come from anybody: it is cut to VHM_MAX_USER_BYTES, and loses
 * what cannot be printed. */
VhmUser *vhm_user_new (const gchar * name, VhmRole role);
void vhm_user_free (VhmUser * user);
void vhm_user_set_name (VhmUser * user, const gchar * name);

#define VHM_MAX_USER_BYTES 64

/* The name in JSON. */
const gchar *vhm_role_get_name (VhmRole role);

G_END_DECLS
