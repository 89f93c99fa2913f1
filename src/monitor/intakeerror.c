/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "intakeerror.h"

GQuark
vhm_intake_error_quark (void)
{
  return g_quark_from_static_string ("vhm-intake-error-quark");
}

void
vhm_intake_fail (GstElement * source, VhmIntakeError code,
    const gchar * format, ...)
{
  GError *error;
  va_list args;

  va_start (args, format);
  error = g_error_new_valist (VHM_INTAKE_ERROR, code, format, args);
  va_end (args);
  gst_element_post_message (source, gst_message_new_error (GST_OBJECT (source),
          error, NULL));
  g_error_free (error);
}
