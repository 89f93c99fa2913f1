/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

#include <string.h>

/* A text may have more errors than anybody reads. */
#define MAX_MESSAGE_BYTES 32768

GQuark
vh_error_quark (void)
{
  return g_quark_from_static_string ("gst-video-histogram-error-quark");
}

/* Takes @message, and cuts out the middle if it is too long. */
static gchar *
shorten (gchar * message)
{
  const glong length = g_utf8_strlen (message, -1);
  gchar *start, *end, *shortened;

  if (length <= VH_ERROR_MAX_LENGTH)
    return message;
  start = g_utf8_substring (message, 0, VH_ERROR_MAX_LENGTH / 2);
  end = g_utf8_substring (message, length - VH_ERROR_MAX_LENGTH / 2 + 1, -1);
  shortened = g_strconcat (start, "…", end, NULL);
  g_free (start);
  g_free (end);
  g_free (message);
  return shortened;
}

void
vh_set_text_error (GError ** error, VhError code, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error) {
    *error = g_error_new_valist (VH_ERROR, code, format, arguments);
    (*error)->message = shorten ((*error)->message);
  }
  va_end (arguments);
}

void
vh_add_parse_error (GError ** error, const gchar * format, ...)
{
  const gsize length = error && *error ? strlen ((*error)->message) : 0;
  gchar *line, *message;
  va_list arguments;

  if (!error || length > MAX_MESSAGE_BYTES)
    return;
  va_start (arguments, format);
  line = shorten (g_strdup_vprintf (format, arguments));
  va_end (arguments);
  if (*error) {
    message = g_strconcat ((*error)->message, "\n", line, NULL);
    g_free ((*error)->message);
    (*error)->message = message;
  } else
    g_set_error_literal (error, VH_ERROR, VH_ERROR_PARSE, line);
  g_free (line);
}
