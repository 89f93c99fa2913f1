/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log.h"

#ifndef GST_DISABLE_GST_DEBUG
GstDebugCategory *
vh_log_category (void)
{
  static gsize category = 0;

  if (g_once_init_enter (&category)) {
    const gsize made = (gsize) _gst_debug_category_new
        ("videohistogram-library", 0, "video histograms and corrections");

    g_once_init_leave (&category, made);
  }
  return (GstDebugCategory *) category;
}
#endif
