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

void
vh_set_parse_error (GError ** error, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error)
    *error = g_error_new_valist (VH_ERROR, VH_ERROR_PARSE, format, arguments);
  va_end (arguments);
}
