/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoequalize.h"
#include "gstvideohistogramelement.h"

#include <gst/videohistogram/gstvideohistogrammeta.h>

/* Registers on every machine: whether there is a GPU is found out when an
 * element goes to READY, since a registry outlives drivers. */
static gboolean
plugin_init (GstPlugin * plugin)
{
  /* So that a process which gets serialized metas can read them. */
  gst_video_histogram_meta_get_info ();

  return GST_ELEMENT_REGISTER (videohistogram, plugin)
      && GST_ELEMENT_REGISTER (videoequalize, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, videohistogram,
    "Histograms of video frames, and their correction, on the GPU or the CPU",
    plugin_init,
    PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
