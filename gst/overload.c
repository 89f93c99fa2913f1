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
    VhBaseTransform * base, GstClockTime now)
{
  if (overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO)
    return overload == GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT;
  return !vh_base_transform_is_live (base)
      && !vh_base_transform_is_late (base, now);
}

gboolean
vh_overload_is_too_late (GstVideoHistogramOverloadPolicy overload,
    VhBaseTransform * base,
    GstClockTime now, GstClockTime last_analysed)
{
  return overload != GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT
      && vh_base_transform_is_late (base, now)
      && !vh_has_passed (last_analysed, LATE_INTERVAL, now);
}
