/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "framepair.h"

/* The distance of two frames if neither times, nor durations, nor the caps give
 * it. */
#define DEFAULT_FRAME_TIME (40 * GST_MSECOND)

/* Waits for room, because that is better than an unprocessed frame. */
gboolean
vh_frame_pair_begin (VhFramePair * pair, VhDevice * device, VhFrameView * in,
    VhFrameView * out, GError ** error)
{
  pair->out = pair->in = device->klass->begin (device, in,
      in == out ? VH_FRAME_WRITE : VH_FRAME_READ, TRUE, error);
  if (!pair->in)
    return FALSE;
  if (in == out)
    return TRUE;
  pair->out = device->klass->begin (device, out, VH_FRAME_WRITE, TRUE, error);
  if (!pair->out)
    device->klass->end (device, pair->in, NULL);
  return pair->out != NULL;
}

gboolean
vh_frame_pair_end (const VhFramePair * pair, VhDevice * device,
    GError ** error)
{
  const gboolean written = device->klass->end (device, pair->out, error);

  if (pair->in != pair->out)
    device->klass->end (device, pair->in, NULL);
  return written;
}

GstClockTime
vh_frame_step (const GstVideoInfo * info, GstBuffer * buffer,
    GstClockTime last)
{
  const GstClockTime time = GST_BUFFER_PTS (buffer);

  if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (last)
      && time > last)
    return time - last;
  if (GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer) > 0)
    return GST_BUFFER_DURATION (buffer);
  if (GST_VIDEO_INFO_FPS_N (info) > 0 && GST_VIDEO_INFO_FPS_D (info) > 0) {
    return gst_util_uint64_scale_int (GST_SECOND, GST_VIDEO_INFO_FPS_D (info),
        GST_VIDEO_INFO_FPS_N (info));
  }
  return DEFAULT_FRAME_TIME;
}
