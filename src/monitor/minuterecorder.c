/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "minuterecorder.h"

#include "limitrecord.h"
#include "storedhistory.h"

#include <math.h>

typedef struct
{
  VhmMinute minute;
  VhmLimitRecord *limits;
  gdouble sum;                  /* of the means of frames */
  guint64 frames;               /* the camera's count when the minute started */
} Row;

struct _VhmMinuteRecorder
{
  VhmFleet *fleet;
  GHashTable *rows;             /* name -> Row */
  gint64 minute;                /* since 1970 */
  gint64 told;                  /* when the store was last told that the
                                 * program runs, monotonic µs; 0: not yet */
  gboolean telling;             /* the store has not answered yet */
};

static void
row_free (gpointer data)
{
  Row *row = data;

  vhm_limit_record_free (row->limits);
  g_free (row);
}

static void
store_row (VhmMinuteRecorder * recorder, const gchar * name, Row * row)
{
  GBytes *limits = vhm_limit_record_take (row->limits);
  VhmMinute *minute = &row->minute;

  if (minute->measured)
    minute->average = row->sum / minute->measured;
  if (minute->measured || minute->frames || minute->active
      || g_bytes_get_size (limits))
    vhm_store_add_minute (vhm_fleet_get_store (recorder->fleet), name, minute,
        limits);
  g_bytes_unref (limits);
}

static void
begin_row (Row * row, gint64 minute)
{
  row->frames += row->minute.frames;
  row->minute = (VhmMinute) {
  .minute = minute};
  row->sum = 0;
}

/* @second: of the minute of the row */
static void
add_limit (Row * row, const VhmCamera * camera,
    GstVideoHealthCondition condition, guint second)
{
  const VhmCondition *c = &camera->conditions[condition];

  vhm_limit_record_set_duration (row->limits, condition,
      vhm_camera_get_rule (camera, condition).duration);
  vhm_limit_record_add (row->limits, condition, g_get_monotonic_time (),
      second, c->judged ? c->value : NAN, c->judged_active);
}

static void
update_row (VhmMinuteRecorder * recorder, VhmCamera * camera)
{
  Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);

  if (!row)
    return;
  row->minute.frames = camera->frames - row->frames;
  row->minute.active |= vhm_camera_get_active (camera);
}

static void
on_told (gpointer data, G_GNUC_UNUSED gpointer result,
    G_GNUC_UNUSED const gchar * why)
{
  VhmMinuteRecorder *recorder = data;

  recorder->telling = FALSE;
}

/* While the disk is slow, one note waits for it, and no more. */
static void
tell_running (VhmMinuteRecorder * recorder)
{
  const gint64 now = g_get_monotonic_time ();

  if (recorder->telling
      || (recorder->told && now - recorder->told < VHM_RUNNING_INTERVAL))
    return;
  recorder->told = now;
  recorder->telling = TRUE;
  vhm_store_set_running (vhm_fleet_get_store (recorder->fleet),
      g_get_real_time (), on_told, recorder);
}

static void
on_added (gpointer data, VhmCamera * camera)
{
  VhmMinuteRecorder *recorder = data;
  Row *row = g_new0 (Row, 1);

  /* Not before: a start that fails does not hide since when nobody watches. */
  tell_running (recorder);
  row->frames = camera->frames;
  camera->limits = row->limits = vhm_limit_record_new (camera->thresholds);
  row->minute.minute = recorder->minute;
  g_hash_table_insert (recorder->rows, g_strdup (camera->settings->name), row);
}

static void
on_removed (gpointer data, VhmCamera * camera)
{
  VhmMinuteRecorder *recorder = data;
  Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);

  if (!row)
    return;
  update_row (recorder, camera);
  store_row (recorder, camera->settings->name, row);
  /* It may be the last one: a gap starts when the program stops. */
  recorder->told = 0;
  tell_running (recorder);
  camera->limits = NULL;
  g_hash_table_remove (recorder->rows, camera->settings->name);
}

static void
begin_minute (VhmMinuteRecorder * recorder, gint64 now)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (recorder->fleet);
  guint i;

  recorder->minute = now;
  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);
    Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);

    if (!row)
      continue;
    update_row (recorder, camera);
    store_row (recorder, camera->settings->name, row);
    begin_row (row, now);
    update_row (recorder, camera);
  }
}

/* Begins the minute of now, unless that was done. Returns the second of it:
 * values must not be kept as of the minute before. */
static guint
follow_minute (VhmMinuteRecorder * recorder)
{
  const gint64 second = g_get_real_time () / G_TIME_SPAN_SECOND;

  if (second / 60 != recorder->minute)
    begin_minute (recorder, second / 60);
  return second % 60;
}

static void
on_measured (gpointer data, VhmCamera * camera)
{
  VhmMinuteRecorder *recorder = data;
  Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);
  const guint second = follow_minute (recorder);
  GstVideoHistogramStatistics luma;
  guint i;

  for (i = 0; row && i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (i != GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS
        && camera->settings->conditions >> i & 1)
      add_limit (row, camera, i, second);
  if (!row || !gst_video_histogram_get_statistics (camera->histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &luma))
    return;
  row->sum += luma.average;
  row->minute.low = row->minute.measured ? MIN (row->minute.low, luma.p1)
      : luma.p1;
  row->minute.high = row->minute.measured ? MAX (row->minute.high, luma.p99)
      : luma.p99;
  row->minute.measured++;
  update_row (recorder, camera);
}

static void
on_event (gpointer data, VhmCamera * camera,
    G_GNUC_UNUSED const VhmEvent * event)
{
  if (camera)
    update_row (data, camera);
}

/* No frame says that the signal is lost. A loss from before the start lasts
 * until the first frame. */
static void
add_signals (VhmMinuteRecorder * recorder, guint second)
{
  const guint signal_loss = GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS;
  const GPtrArray *cameras = vhm_fleet_get_cameras (recorder->fleet);
  guint i;

  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);
    Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);

    if (row && camera->settings->conditions >> signal_loss & 1
        && (camera->frames || camera->conditions[signal_loss].judged_active))
      add_limit (row, camera, signal_loss, second);
  }
}

static void
on_tick (gpointer data)
{
  VhmMinuteRecorder *recorder = data;
  const guint second = follow_minute (recorder);

  tell_running (recorder);
  add_signals (recorder, second);
}

static const VhmListener listener = {
  .added = on_added,.removed = on_removed,.measured = on_measured,
  .event = on_event,.tick = on_tick
};

VhmMinuteRecorder *
vhm_minute_recorder_new (VhmFleet * fleet)
{
  VhmMinuteRecorder *recorder = g_new0 (VhmMinuteRecorder, 1);

  recorder->fleet = fleet;
  recorder->minute = g_get_real_time () / G_TIME_SPAN_MINUTE;
  recorder->rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      row_free);
  vhm_fleet_add_listener (fleet, &listener, recorder);
  return recorder;
}

void
vhm_minute_recorder_free (VhmMinuteRecorder * recorder)
{
  g_hash_table_unref (recorder->rows);
  g_free (recorder);
}
