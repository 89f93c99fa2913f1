/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug category of the library, `videohistogram-library`. Files that
 * include this log to it: state changes and choices at DEBUG, frames at LOG. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#ifndef GST_DISABLE_GST_DEBUG
GstDebugCategory *vh_log_category (void);
#define GST_CAT_DEFAULT (vh_log_category ())
#endif

G_END_DECLS
