/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "whatif.h"

#include "limitrecord.h"

#include <math.h>

/* What the thread of the store is about to add. */
typedef struct
{
  VhmWhatIf *what_if;
  gint64 minute;                /* since 1970 */
} Reading;

/* Rounds @leave as people would, by little of its distance from @enter. */
static gdouble
round_leave (gdouble enter, gdouble leave)
{
  const gdouble distance = fabs (enter - leave);
  const gdouble steps = pow (10, 1 - floor (log10 (distance)));

  return distance > 0 ? round (leave * steps) / steps : leave;
}

/* Below `enter`, in proportion to it. Above it, also in proportion to what is
 * left of the whole, so that it never passes 1. */
static gdouble
find_leave (const VhmThresholds * present, gdouble enter)
{
  const gdouble scaled = present->enter > 0 ?
      enter * present->leave / present->enter : present->leave;

  if (present->enter >= present->leave)
    return MIN (scaled, enter);
  if (present->enter < 1)
    return MAX (enter, MIN (scaled,
            1 - (1 - enter) * (1 - present->leave) / (1 - present->enter)));
  return MAX (enter, scaled);
}

VhmThresholds
vhm_what_if_complete (const VhmThresholds * present, gdouble enter,
    gdouble leave)
{
  VhmThresholds t = *present;

  t.leave = !isnan (leave) ? leave : enter == t.enter ? t.leave :
      round_leave (enter, find_leave (present, enter));
  t.enter = enter;
  return t;
}

/* Appends a number without the digits that only rounding causes. */
static void
append_number (GString * text, const gchar * name, gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.6g", number);
  g_string_append_printf (text, ",%s=%s", name, buffer);
}

gchar *
vhm_what_if_print (GstVideoHealthCondition condition,
    const VhmThresholds * thresholds)
{
  GString *text =
      g_string_new (gst_video_health_condition_get_name (condition));

  append_number (text, "enter", thresholds->enter);
  append_number (text, "leave", thresholds->leave);
  return g_string_free (text, FALSE);
}

VhmWhatIf *
vhm_what_if_new (GstVideoHealthCondition condition,
    const VhmThresholds * thresholds)
{
  VhmWhatIf *what_if = g_new0 (VhmWhatIf, 1);

  what_if->condition = condition;
  what_if->thresholds = *thresholds;
  what_if->alarms = g_array_new (FALSE, FALSE, sizeof (VhmWhatIfAlarm));
  return what_if;
}

void
vhm_what_if_free (gpointer data)
{
  VhmWhatIf *what_if = data;

  g_array_unref (what_if->alarms);
  g_free (what_if);
}

static VhmWhatIfAlarm *
get_last (const VhmWhatIf * what_if)
{
  return what_if->alarms->len ? &g_array_index (what_if->alarms,
      VhmWhatIfAlarm, what_if->alarms->len - 1) : NULL;
}

/* An alarm starts when its value passed the threshold: before the time that it
 * must stay there. */
static gint64
get_start (const VhmWhatIf * what_if, gint64 time, gdouble value)
{
  const VhmWhatIfAlarm *last = get_last (what_if);

  time -= what_if->condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS ?
      value * G_TIME_SPAN_SECOND : what_if->thresholds.duration;
  return last ? MAX (time, last->ended) : time;
}

static void
on_limit (gpointer data, const VhmLimit * limit)
{
  const Reading *reading = data;
  VhmWhatIf *what_if = reading->what_if;
  const gint64 time = reading->minute * G_TIME_SPAN_MINUTE
      + limit->second * G_TIME_SPAN_SECOND;
  VhmWhatIfAlarm *last = get_last (what_if);
  const gboolean active = last && !last->ended;

  if (limit->enters == active || !vhm_thresholds_are_passed
      (&what_if->thresholds, limit->enters, limit->value))
    return;
  if (active) {
    last->ended = MAX (last->begun, time - what_if->thresholds.hold);
    what_if->total += last->ended - last->begun;
  } else {
    const VhmWhatIfAlarm alarm = { get_start (what_if, time, limit->value), 0 };

    if (what_if->alarms->len == VHM_MAX_WHAT_IF_ALARMS)
      g_array_remove_index (what_if->alarms, 0);
    g_array_append_val (what_if->alarms, alarm);
    what_if->count++;
  }
}

void
vhm_what_if_add (VhmWhatIf * what_if, gint64 minute, const guint8 * record,
    gsize size)
{
  Reading reading = { what_if, minute };

  if (vhm_limit_record_read (record, size, what_if->condition, on_limit,
          &reading) && !what_if->judged_from)
    what_if->judged_from = minute * G_TIME_SPAN_MINUTE;
}
