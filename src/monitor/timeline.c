/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timeline.h"

/* A timestamp has jumped if it is more than this before the previous one, or if
 * it is ahead of the previous one by more than this plus the time between their
 * arrivals. Frames that were delayed by a network or a server arrive faster
 * than they were made, but their own timestamps do not jump. */
#define MIN_JUMP ((GstClockTimeDiff) (2 * GST_SECOND))

GstClockTime
vhm_timeline_follow (VhmTimeline * timeline, GstClockTimeDiff time,
    gint64 now)
{
  const GstClockTimeDiff before = timeline->time;
  GstClockTimeDiff passed;

  time += timeline->ahead;
  if (timeline->came) {
    passed = (now - timeline->came) * 1000;
    if (before - time > MIN_JUMP || time - before > passed + MIN_JUMP) {
      timeline->ahead += before + passed - time;
      time = before + passed;
    }
    /* Smaller steps back are reordered frames. */
    time = MAX (time, before);
  } else if (time < 0) {
    timeline->ahead = -time;
    time = 0;
  }
  timeline->came = now;
  timeline->time = time;
  return time;
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  const GstSegment *segment = NULL;
  VhmTimeline *timeline = data;
  guint64 time;
  gint sign;

  if (event)
    gst_event_parse_segment (event, &segment);
  /* A frame without a time gets one where it is judged. */
  if (segment && segment->format == GST_FORMAT_TIME
      && GST_CLOCK_TIME_IS_VALID (pts)) {
    sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, pts,
        &time);
    time = vhm_timeline_follow (timeline, sign * (GstClockTimeDiff) time,
        g_get_monotonic_time ());
    if (timeline->ahead) {
      buffer = gst_buffer_make_writable (buffer);
      GST_PAD_PROBE_INFO_DATA (info) = buffer;
      GST_BUFFER_PTS (buffer) = gst_segment_position_from_running_time
          (segment, GST_FORMAT_TIME, time);
    }
  }
  gst_clear_event (&event);
  return GST_PAD_PROBE_OK;
}

void
vhm_timeline_straighten (VhmTimeline * timeline, GstPad * pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, timeline,
      NULL);
}
