/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The running time of @position in @segment in ns, or GST_CLOCK_TIME_NONE if it
 * is unknown. In reverse playback it is unknown if the end of the segment is
 * unknown or before its offset: GStreamer would fail an assertion then. */
static inline GstClockTime
vh_segment_running_time (const GstSegment * segment, GstClockTime position)
{
  guint64 stop = segment->stop;

  if (segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  if (!(segment->rate > 0)) {
    if (stop == GST_CLOCK_TIME_NONE && segment->duration != GST_CLOCK_TIME_NONE)
      stop = segment->start + segment->duration;
    if (stop == GST_CLOCK_TIME_NONE || stop < segment->offset)
      return GST_CLOCK_TIME_NONE;
  }
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME, position);
}

G_END_DECLS
