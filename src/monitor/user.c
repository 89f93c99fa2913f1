/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "user.h"

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
  gchar *valid = g_utf8_make_valid (name, -1);
  GString *clean = g_string_new (NULL);
  const gchar *p, *next;

  for (p = valid; *p; p = next) {
    next = g_utf8_next_char (p);
    if (!g_unichar_isprint (g_utf8_get_char (p)))
      continue;
    if (clean->len + (next - p) > VHM_MAX_USER_BYTES)
      break;
    g_string_append_len (clean, p, next - p);
  }
  g_free (valid);
  return g_strstrip (g_string_free (clean, FALSE));
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
