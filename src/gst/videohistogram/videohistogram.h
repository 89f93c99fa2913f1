/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram-prelude.h>
#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideohistogramstatistics.h>
#include <gst/videohistogram/gstvideohistogramdistance.h>
#include <gst/videohistogram/gstvideohistogrammeta.h>
#include <gst/videohistogram/gstvideohistogramspec.h>
#include <gst/videohistogram/gstvideohistogramengine.h>
#include <gst/videohistogram/gstvideoequalizer.h>
#include <gst/videohistogram/gstvideoequalizersettings.h>
#include <gst/videohistogram/gstvideojointhistogram.h>
#include <gst/videohistogram/gstvideoscope.h>
#include <gst/videohistogram/gstvideoscopesettings.h>
#include <gst/videohistogram/gstvideosparsecounts.h>
#include <gst/videohistogram/gstvideohealthcondition.h>
#include <gst/videohistogram/gstvideohealth.h>
#include <gst/videohistogram/gstvideohealthengine.h>
#include <gst/videohistogram/gstvideohistogram-enumtypes.h>
