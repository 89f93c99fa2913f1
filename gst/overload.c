/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "overload.h"

/* However late the video is, one frame per this interval is analysed: a display
 * that cannot keep up must not stop the messages. */
#define LATE_INTERVAL GST_SECOND

gboolean
vh_has_passed (GstClockTime last, GstClockTime interval, GstClockTime now)
{
  return last == GST_CLOCK_TIME_NONE || now < last || now - last >= interval;
}

gboolean
vh_overload_waits (GstVideoHistogramOverloadPolicy overload,
    GstVideoHistogramFilter * filter, GstClockTime now)
{
  if (overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO)
    return overload == GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT;
  return !gst_video_histogram_filter_is_live (filter)
      && !gst_video_histogram_filter_is_late (filter, now);
}

gboolean
vh_overload_is_too_late (GstVideoHistogramOverloadPolicy overload,
    GstVideoHistogramFilter * filter,
    GstClockTime now, GstClockTime last_analysed)
{
  return overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT
      && gst_video_histogram_filter_is_late (filter, now)
      && !vh_has_passed (last_analysed, LATE_INTERVAL, now);
}
