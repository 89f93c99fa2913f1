/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framepair.h"
#include "core/error.h"
#include "devices/devices.h"

/* The distance of two frames if neither times, nor durations, nor the caps give
 * it. */
#define DEFAULT_FRAME_TIME (40 * GST_MSECOND)

gboolean
vh_frame_pair_view (VhFrameView views[2], const VhLayout * in_layout,
    const VhLayout * out_layout, guint planes, GstBuffer * in, GstBuffer * out,
    GError ** error)
{
  const VhRect *picture = &views[0].picture;

  if (!vh_devices_view (&views[0], in_layout, in, planes, error))
    return FALSE;
  if ((guint64) picture->width * picture->height > G_MAXUINT32) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "A picture of %ux%u pixels "
        "is too large", picture->width, picture->height);
    return FALSE;
  }
  if (in == out)
    return TRUE;
  if (!vh_devices_view (&views[1], out_layout, out, planes, error))
    return FALSE;
  if (vh_where_view (&views[0]) != vh_where_view (&views[1])) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The frame and the output "
        "buffer are not on the same device");
    return FALSE;
  }
  return TRUE;
}

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
