/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "error.h"

GQuark
vh_error_quark (void)
{
  return g_quark_from_static_string ("gst-video-histogram-error-quark");
}

/* Cuts the middle out of a message that quotes long text. */
static void
shorten (GError * error)
{
  const glong length = g_utf8_strlen (error->message, -1);
  gchar *start, *end, *whole = error->message;

  if (length <= VH_ERROR_MAX_LENGTH)
    return;
  start = g_utf8_substring (whole, 0, VH_ERROR_MAX_LENGTH / 2);
  end = g_utf8_substring (whole, length - VH_ERROR_MAX_LENGTH / 2 + 1, -1);
  error->message = g_strconcat (start, "…", end, NULL);
  g_free (start);
  g_free (end);
  g_free (whole);
}

void
vh_set_text_error (GError ** error, VhError code, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error) {
    *error = g_error_new_valist (VH_ERROR, code, format, arguments);
    shorten (*error);
  }
  va_end (arguments);
}
