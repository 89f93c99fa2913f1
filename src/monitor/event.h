/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A condition of a camera has started or ended. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Why a condition that needs every frame is not judged. */
#define VHM_UNKNOWN_KEY_FRAMES "key-frames-only"

typedef struct
{
  guint64 number;               /* rises with each event and is never reused; 0
                                 * until it is stored */
  gchar *camera;
  GstVideoHealthCondition condition;
  gboolean active, topic_active;
  gdouble value, threshold;     /* in the unit of the condition; threshold: NAN
                                 * if none decided */
  gint64 time;                  /* when it was detected, µs since 1970 */
  gint64 since;                 /* likewise, when the new state started */
  gint64 active_since;          /* likewise, when the condition started, if it
                                 * was active before it became quiet, or stopped
                                 * being quiet, with this event; 0: it was
                                 * not */
  gchar *reason;                /* for users; may be empty */
  gint64 acknowledged;          /* µs since 1970; 0: not yet */
  gchar *acknowledged_by;       /* user; empty if that is unknown */
  gchar *note;                  /* of that user; may be empty */
  gboolean quiet;               /* stored, but not reported: quiet.h says why */
  gboolean has_picture;
  gint64 reference;             /* time of the reference picture that is kept
                                 * with it, µs since 1970; 0: none */
  gint64 outage;                /* id shared with other cameras of its host or
                                 * group that were lost or came back with this
                                 * one; 0: none */
  gboolean told;                /* reported without a number before it was
                                 * stored */
} VhmEvent;

/* Reason of events that end a condition that is no longer judged. */
#define VHM_NOT_WATCHED "no longer watched"

/* Reason of events that end a condition at the first judgement after a time in
 * which no camera was watched. */
#define VHM_UNWATCHED_END "while nobody watched"

/* Likewise after a time without video. The condition ends when it was last
 * seen. */
#define VHM_NO_VIDEO_END "while there was no video"

/* Reason of the start of a damaged picture whose data this machine lost, and of
 * a loss whose connection stays while it is too busy. */
#define VHM_MACHINE_BUSY "this machine was too busy"

/* Start of the reason of an end that a snooze caused. */
#define VHM_SNOOZED_END "snoozed "
/* Likewise of one that quiet hours caused. */
#define VHM_QUIET_HOURS_END "quiet hours until "
/* Reasons of the end of a quiet alarm whose condition is still active, but no
 * longer quiet. */
#define VHM_GOES_ON "; the alarm goes on and is no longer quiet"
#define VHM_SNOOZE_OVER "the snooze is over" VHM_GOES_ON
#define VHM_QUIET_HOURS_OVER "the quiet hours are over" VHM_GOES_ON
/* Start of the reason of an alarm that goes on after that. */
#define VHM_STILL_ACTIVE "still active since "

VhmEvent *vhm_event_new (const gchar * camera,
    GstVideoHealthCondition condition);
VhmEvent *vhm_event_copy (const VhmEvent * event);
/* For receivers that show its reason to people: as vhm_text_localize() has
 * it. */
VhmEvent *vhm_event_copy_localized (const VhmEvent * event);
void vhm_event_free (VhmEvent * event);

/* The condition with this name, or -1. */
gint vhm_condition_from_name (const gchar * name);

/* What is wrong with the name of a condition, to be freed. */
gchar *vhm_condition_describe_unknown (const gchar * name);

/* Why the condition of an alarm with the start @reason started at first, before
 * it became quiet, or stopped being quiet. May be empty; to be freed. */
gchar *vhm_event_get_cause (const gchar * reason);

/* Rounds seconds of "at most" up to what vh_duration_print() prints. */
gint64 vhm_seconds_round_up (gint64 seconds);

/* The name in JSON; "" for none. */
const gchar *vhm_severity_get_name (GstVideoHealthSeverity severity);

/* The whole seconds from @start to @end, both in µs since 1970, as clocks show
 * these times; 0 if the clock was set back between them. */
gint64 vhm_seconds_between (gint64 start, gint64 end);

/* The second of @time, in µs since 1970. A clock or a database may have a time
 * that GDateTime does not: then it is the first or the last one that it has. */
GDateTime *vhm_time_to_date (gint64 time);

/* Likewise with milliseconds, in the format of RFC 3339, in UTC. To be
 * freed. */
gchar *vhm_time_to_text (gint64 time);

/* Formats @time, in µs since 1970, in the time zone of this machine. To be
 * freed. */
gchar *vhm_time_print (gint64 time, const gchar * format);
#define VHM_TIME_FORMAT "%Y-%m-%d %H:%M:%S"

/* @text for people, whose times that vhm_time_to_text() made are in the time
 * zone of this machine. @format: of these times, or NULL for those without the
 * date that are of today, and VHM_TIME_FORMAT for others. To be freed. */
gchar *vhm_text_localize (const gchar * text, const gchar * format);

G_END_DECLS
