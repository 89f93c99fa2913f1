/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include "address.h"
#include "healthelement.h"
#include "source.h"

/* How often to count red, green and blue. Converting each pixel to them costs
 * as much as everything else together, and no output needs them more often than
 * this. */
#define MIN_COLORS_INTERVAL GST_SECOND

/* The element that frames enter; the thread of its queue has this name. */
#define FIRST "judge"

/* Live video drops old frames for the newest one; a file waits until its frames
 * are due. Judging one frame in seconds never takes longer than they are apart:
 * key frames are judged by the thread that decodes them, because a thread and
 * the frames in a queue cost memory. To be freed. */
static gchar *
describe (const VhmCameraSettings * camera, gboolean live)
{
  const guint64 interval = camera->interval * GST_SECOND;

  return g_strdup_printf ("%s name=" FIRST " %s ! %s ! "
      "videohistogram name=" VHM_PIPELINE_COLORS " channels=red+green+blue "
      "interval=%" G_GUINT64_FORMAT " post-messages=false ! "
      "videohistogram name=" VHM_PIPELINE_HISTOGRAM " interval=%"
      G_GUINT64_FORMAT " post-messages=false ! "
      "fakesink enable-last-sample=false sync=%s",
      camera->decode == VHM_DECODE_KEY_FRAMES ? "capsfilter" :
      "queue max-size-buffers=2 max-size-bytes=0 max-size-time=0",
      camera->decode == VHM_DECODE_KEY_FRAMES || !live ? "" :
      "leaky=downstream", vhm_health_element_get_elements (),
      MAX (interval, MIN_COLORS_INTERVAL), interval, live ? "false" : "true");
}

static void
link_source (GstElement * pipeline, GstElement * source, gboolean live,
    VhmTimeline * timeline)
{
  GstElement *first = gst_bin_get_by_name (GST_BIN (pipeline), FIRST);
  GstPad *pad = gst_element_get_static_pad (first, "sink");

  gst_bin_add (GST_BIN (pipeline), source);
  vhm_source_link (source, first);
  /* Timestamps of a file stay as they are: they say when its frames are due. */
  if (live)
    vhm_timeline_straighten (timeline, pad);
  gst_object_unref (pad);
  gst_object_unref (first);
}

GstElement *
vhm_pipeline_new (const VhmPipelineSettings * settings, VhmTimeline * timeline,
    GError ** error)
{
  const gboolean live = vhm_address_is_live (settings->uri);
  gchar *description = describe (settings->camera, live);
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *source;

  g_free (description);
  if (!pipeline)
    return NULL;
  gst_object_ref_sink (pipeline);
  gst_element_set_bus (pipeline, settings->bus);
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (settings->element), settings->data);
  source = vhm_source_new (settings->camera, settings->uri, settings->software,
      error);
  if (source) {
    link_source (pipeline, source, live, timeline);
    return pipeline;
  }
  gst_object_unref (pipeline);
  return NULL;
}
