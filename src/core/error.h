/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The public GST_VIDEO_HISTOGRAM_ERROR: the same quark, the same codes. */
typedef enum
{
  VH_ERROR_BACKEND,
  VH_ERROR_FORMAT,
  VH_ERROR_SPEC,
  VH_ERROR_FRAME,
  VH_ERROR_OVERLOAD,
  VH_ERROR_DEVICE,
  VH_ERROR_PARSE,
} VhError;

#define VH_ERROR (vh_error_quark ())
GQuark vh_error_quark (void);

/* Sets @error, unless NULL, to VH_ERROR_PARSE with a message. */
void vh_set_parse_error (GError ** error, const gchar * format,
    ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
