/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "overload.h"

/* However late the video is, one frame in this time is analysed: a display that
 * cannot keep up must not stop the messages. */
#define LATE_INTERVAL GST_SECOND

GType
vh_overload_get_type (void)
{
  static const GEnumValue values[] = {
    {VH_OVERLOAD_AUTO,
        "Drop in live pipelines and when video is late, else wait", "auto"},
    {VH_OVERLOAD_DROP, "Drop the analysis of the frame", "drop"},
    {VH_OVERLOAD_WAIT, "Wait until there is room: every frame is analysed",
        "wait"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstVideoHistogramOverloadPolicy", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

gboolean
vh_has_passed (GstClockTime last, GstClockTime interval, GstClockTime now)
{
  return last == GST_CLOCK_TIME_NONE || now < last || now - last >= interval;
}

gboolean
vh_overload_waits (VhOverload overload, GstVideoHistogramFilter * filter,
    GstClockTime now)
{
  if (overload != VH_OVERLOAD_AUTO)
    return overload == VH_OVERLOAD_WAIT;
  return !gst_video_histogram_filter_is_live (filter)
      && !gst_video_histogram_filter_is_late (filter, now);
}

gboolean
vh_overload_is_too_late (VhOverload overload, GstVideoHistogramFilter * filter,
    GstClockTime now, GstClockTime last_analysed)
{
  return overload != VH_OVERLOAD_WAIT
      && gst_video_histogram_filter_is_late (filter, now)
      && !vh_has_passed (last_analysed, LATE_INTERVAL, now);
}
