/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The same quark and codes as the public GST_VIDEO_HISTOGRAM_ERROR. */
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

/* The maximum number of characters of a message that quotes text from a
 * user. */
#define VH_ERROR_MAX_LENGTH 560

/* Sets @error, unless NULL, to @code with a message that may quote text of any
 * length, in UTF-8. */
void vh_set_text_error (GError ** error, VhError code, const gchar * format,
    ...) G_GNUC_PRINTF (3, 4);

#define vh_set_parse_error(error, ...) \
    vh_set_text_error (error, VH_ERROR_PARSE, __VA_ARGS__)

/* Like vh_set_parse_error(), but appends a line if @error is already set. */
void vh_add_parse_error (GError ** error, const gchar * format,
    ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
