/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug category of this folder, `videohistogram-cuda`: at DEBUG each
 * choice, fallback, retry, allocation, late kernel and lost device, at LOG each
 * frame. */
#pragma once

#include <gst/gst.h>

G_GNUC_INTERNAL extern GstDebugCategory *vh_cuda_debug;
#define GST_CAT_DEFAULT vh_cuda_debug
