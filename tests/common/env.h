/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The number in the environment variable @name, or @value where there is
 * none. */
static inline guint64
test_env_number (const gchar * name, guint64 value)
{
  const gchar *text = g_getenv (name);

  return text ? g_ascii_strtoull (text, NULL, 10) : value;
}

G_END_DECLS
