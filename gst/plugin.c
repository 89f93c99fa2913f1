/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoequalizeelement.h"
#include "gstvideohealthelement.h"
#include "gstvideohistogramelement.h"
#include "gstvideoscopeelement.h"

#include <gst/videohistogram/gstvideohistogrammeta.h>

/* Registers the elements on every machine. They look for a GPU on the way to
 * READY, because a registry outlives drivers. */
static gboolean
plugin_init (GstPlugin * plugin)
{
  /* Registers the meta, so that a process that receives serialized metas can
   * read them. */
  gst_video_histogram_meta_get_info ();

  return GST_ELEMENT_REGISTER (videohistogram, plugin)
      && GST_ELEMENT_REGISTER (videoequalize, plugin)
      && GST_ELEMENT_REGISTER (videohealth, plugin)
      && GST_ELEMENT_REGISTER (videoscope, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, videohistogram,
    "Histograms, equalization, scopes and camera health, on the GPU or the CPU",
    plugin_init,
    PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
