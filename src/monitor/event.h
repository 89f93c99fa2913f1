/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A condition of a camera has begun or ended. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 number;               /* rises with each event, for ever; 0 until it
                                 * is stored */
  gchar *camera;
  GstVideoHealthCondition condition;
  gboolean active, topic_active;
  gdouble value, threshold;     /* in the unit of the condition */
  gint64 time;                  /* µs since 1970 that it was found at */
  gint64 since;                 /* likewise, that it is so since */
  gchar *reason;                /* for people; empty where there is none */
  gint64 acknowledged;          /* µs since 1970; 0: not yet */
  gboolean has_picture;
  gint64 outage;                /* that others of the same host were lost, or
                                 * came back, in with it; 0: none */
  gboolean told;                /* it was, without a number, before it was
                                 * stored */
} VhmEvent;

/* The reason of events that end what is not judged any more. */
#define VHM_NOT_WATCHED "it is not watched any more"

VhmEvent *vhm_event_new (const gchar * camera,
    GstVideoHealthCondition condition);
VhmEvent *vhm_event_copy (const VhmEvent * event);
void vhm_event_free (VhmEvent * event);

/* The condition of this name, or -1. */
gint vhm_condition_from_name (const gchar * name);

/* What @condition is called in sentences, such as "is too dark". */
const gchar *vhm_condition_get_words (GstVideoHealthCondition condition);

/* Logs it. @began: µs since 1970 that what it ends was so since, or 0. */
void vhm_event_log (const VhmEvent * event, gint64 began);

/* @time as RFC 3339 has it, in UTC with milliseconds. To be freed. */
gchar *vhm_time_to_text (gint64 time);

G_END_DECLS
