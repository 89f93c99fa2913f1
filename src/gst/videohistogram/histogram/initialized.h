/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every public function requires gst_init(), and reports if it was not called:
 * without it GStreamer's types are 0, and using them crashes. */
#pragma once

#include <gst/gst.h>
#include "core/error.h"

G_BEGIN_DECLS

/* Whether GStreamer is initialized. If not, a critical warning names
 * @function, and @error, unless NULL, is set to SPEC. */
static inline gboolean
vh_is_initialized (const gchar * function, GError ** error)
{
  if (G_LIKELY (gst_is_initialized ()))
    return TRUE;
  g_critical ("%s: gst_init() must be called first", function);
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC,
      "GStreamer is not initialized: gst_init() must be called first");
  return FALSE;
}

/* For functions that can continue nevertheless. */
#define vh_check_initialized(error) vh_is_initialized (G_STRFUNC, error)

#define vh_return_val_unless_initialized(error, value) \
  G_STMT_START { \
    if (!vh_is_initialized (G_STRFUNC, error)) \
      return value; \
  } G_STMT_END

#define vh_return_unless_initialized() \
  G_STMT_START { \
    if (!vh_is_initialized (G_STRFUNC, NULL)) \
      return; \
  } G_STMT_END

G_END_DECLS
