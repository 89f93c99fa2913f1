/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The seconds after which something that a test waits for counts as hung. A
 * busy machine takes far less. */
#define TEST_MAX_WAIT 200

/* Selects another value under a sanitizer that watches threads or memory. */
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define TEST_SANITIZED(with, without) (with)
#else
#define TEST_SANITIZED(with, without) (without)
#endif

/* The number in the environment variable @name, or @value if it is not set. */
static inline guint64
test_env_number (const gchar * name, guint64 value)
{
  const gchar *text = g_getenv (name);

  return text ? g_ascii_strtoull (text, NULL, 10) : value;
}

/* The number in the environment variable @name. If it is not set: @quick, or
 * @thorough in the long tier of tests/run. */
static inline guint64
test_env_tier (const gchar * name, guint64 quick, guint64 thorough)
{
  return test_env_number (name, g_getenv ("TEST_LONG") ? thorough : quick);
}

G_END_DECLS
