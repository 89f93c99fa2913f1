/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#ifndef GST_VIDEO_HISTOGRAM_API
#ifdef BUILDING_GST_VIDEO_HISTOGRAM
#define GST_VIDEO_HISTOGRAM_API GST_API_EXPORT
#else
#define GST_VIDEO_HISTOGRAM_API GST_API_IMPORT
#endif
#endif
