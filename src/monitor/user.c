/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "user.h"

#include "cleantext.h"

static const gchar *const role_names[VHM_N_ROLES] = {
  [VHM_ROLE_VIEWER] = "viewer",
  [VHM_ROLE_OPERATOR] = "operator",
};

const gchar *
vhm_role_get_name (VhmRole role)
{
  return role_names[role];
}

static gchar *
clean_name (const gchar * name)
{
  return g_strstrip (vhm_clean_text (name, VHM_MAX_USER_BYTES, ""));
}

VhmUser *
vhm_user_new (const gchar * name, VhmRole role)
{
  VhmUser *user = g_new (VhmUser, 1);

  user->name = clean_name (name);
  user->role = role;
  return user;
}

void
vhm_user_free (VhmUser * user)
{
  g_free (user->name);
  g_free (user);
}

void
vhm_user_set_name (VhmUser * user, const gchar * name)
{
  g_free (user->name);
  user->name = clean_name (name);
}
