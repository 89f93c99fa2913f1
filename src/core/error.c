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
