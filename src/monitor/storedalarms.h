/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Alarms in the store. An alarm is a condition of a camera, from its start to
 * its end. Triggers of the database make alarms from events. */
#pragma once

#include "storedevents.h"

G_BEGIN_DECLS

typedef struct
{
  VhmEvent *event;              /* that started it */
  gint64 begun;                 /* µs since 1970 */
  gint64 ended;                 /* likewise; meaningless while active */
  guint64 end_number;           /* of the event that ended it; 0: active */
  gint64 last_seen;             /* of an active one that is unconfirmed since a
                                 * loss of video: when a frame last showed it,
                                 * µs since 1970; or 0 */
  gchar *present_reason;        /* of an active one: why it is active now, if
                                 * that is not why it started; or "" */
  gchar *end_reason;            /* why it ended, if the picture does not say
                                 * so; or "" */
} VhmAlarm;

/* Until it ended, or was last seen, or until now: see vhm_seconds_between(). */
gint64 vhm_alarm_get_duration (const VhmAlarm * alarm);

/* Whether it ended at some time before that, and nobody knows when. */
gboolean vhm_alarm_is_at_most (const VhmAlarm * alarm);

typedef enum
{
  VHM_ALARM_ACTIVE,
  VHM_ALARM_OVER,
  VHM_ALARM_UNACKNOWLEDGED,     /* neither quiet nor ended by a snooze */
  VHM_ALARM_ACKNOWLEDGED,
  VHM_ALARM_MISSED,             /* ended, and unacknowledged as above */
  VHM_ALARM_ANY,
} VhmAlarmState;

/* Where an alarm is in the list: alarms that started later come first, and of
 * those that started at the same time the ones with higher numbers. The place
 * of an alarm never changes. */
typedef struct
{
  gint64 begun;
  guint64 number;
} VhmAlarmPlace;

/* Which alarms to list. Of the sets of names, any may be NULL for all. */
typedef struct
{
  GHashTable *cameras, *groups;
  GHashTable *snoozed;          /* cameras whose alarms nobody has to
                                 * acknowledge; may be NULL */
  GHashTable *group_of;         /* camera -> group; others are in the group
                                 * "" */
  GHashTable *last_seen;        /* number of the event of an alarm -> gint64 as
                                 * above; may be NULL */
  GHashTable *reasons;          /* likewise -> why it is active now; may be
                                 * NULL */
  GPtrArray *words;             /* case-folded: all occur in the names of the
                                 * alarm; NULL for any */
  GstVideoHealthConditions conditions;
  gint64 from, before;          /* active at some time between these, µs since
                                 * 1970; excludes @before */
  VhmAlarmState state;
  VhmAlarmPlace after;          /* those that follow this place */
  guint limit;
} VhmAlarmFilter;

/* Before the first place of a list. */
#define VHM_ALARM_NO_PLACE { G_MAXINT64, G_MAXINT64 }

/* Frees what the members refer to. */
void vhm_alarm_filter_clear (VhmAlarmFilter * filter);

typedef struct
{
  GPtrArray *alarms;            /* of VhmAlarm, the newest first */
  GHashTable *group_of;         /* of the filter; may be NULL */
  VhmAlarmPlace last;           /* the place where the list ends */
  gboolean more;                /* other alarms follow */
} VhmAlarmList;

/* The group of the alarm's camera. */
const gchar *vhm_alarm_list_get_group (const VhmAlarmList * list,
    const VhmAlarm * alarm);

/* The result is what @render makes of a VhmAlarmList. */
void vhm_store_list_alarms (VhmStore * store, const VhmAlarmFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data);

G_END_DECLS
