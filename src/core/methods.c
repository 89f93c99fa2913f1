/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "methods.h"

const gchar *
vh_method_nick (guint method)
{
  static const gchar *const nicks[VH_N_METHODS] = {
    "auto",
#define M(id, nick, description) nick,
    VH_METHODS (M)
#undef M
  };

  return nicks[method];
}
