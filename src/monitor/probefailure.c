/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probefailure.h"

#include "address.h"
#include "failure.h"

#include <gio/gio.h>

gchar *
vhm_probe_try_connection (const gchar * uri, gchar * why)
{
  GError *error;
  gchar *address, *more;

  if (g_str_has_prefix (why, VHM_NO_CONNECTION)
      || !(error = vhm_failure_connect_again (uri)))
    return why;
  address = vhm_address_describe (uri);
  more = error->domain == G_TLS_ERROR ?
      g_strdup_printf ("the certificate of %s is not accepted: %s", address,
      error->message) : g_strdup_printf ("%s: %s", why, error->message);
  g_free (address);
  g_error_free (error);
  g_free (why);
  return more;
}
