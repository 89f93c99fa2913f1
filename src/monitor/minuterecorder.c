/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "minuterecorder.h"

typedef struct
{
  VhmMinute minute;
  gdouble sum;                  /* of the means of frames */
  guint64 frames;               /* the camera's count when the minute started */
} Row;

struct _VhmMinuteRecorder
{
  VhmFleet *fleet;
  GHashTable *rows;             /* name -> Row */
  gint64 minute;                /* since 1970 */
};

static gint64
get_minute (void)
{
  return g_get_real_time () / G_TIME_SPAN_MINUTE;
}

static void
store_row (VhmMinuteRecorder * recorder, const gchar * name, Row * row)
{
  VhmMinute *minute = &row->minute;

  if (minute->measured)
    minute->average = row->sum / minute->measured;
  if (minute->measured || minute->frames || minute->active)
    vhm_store_add_minute (vhm_fleet_get_store (recorder->fleet), name, minute);
}

static void
begin_row (Row * row, gint64 minute)
{
  row->frames += row->minute.frames;
  row->minute = (VhmMinute) {
  .minute = minute};
  row->sum = 0;
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
on_added (gpointer data, VhmCamera * camera)
{
  VhmMinuteRecorder *recorder = data;
  Row *row = g_new0 (Row, 1);

  row->frames = camera->frames;
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
  g_hash_table_remove (recorder->rows, camera->settings->name);
}

static void
on_measured (gpointer data, VhmCamera * camera)
{
  VhmMinuteRecorder *recorder = data;
  Row *row = g_hash_table_lookup (recorder->rows, camera->settings->name);
  GstVideoHistogramStatistics luma;

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

static void
on_tick (gpointer data)
{
  VhmMinuteRecorder *recorder = data;
  const gint64 now = get_minute ();
  const GPtrArray *cameras = vhm_fleet_get_cameras (recorder->fleet);
  guint i;

  if (now == recorder->minute)
    return;
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

static const VhmListener listener = {
  .added = on_added,.removed = on_removed,.measured = on_measured,
  .event = on_event,.tick = on_tick
};

VhmMinuteRecorder *
vhm_minute_recorder_new (VhmFleet * fleet)
{
  VhmMinuteRecorder *recorder = g_new0 (VhmMinuteRecorder, 1);

  recorder->fleet = fleet;
  recorder->minute = get_minute ();
  recorder->rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  vhm_fleet_add_listener (fleet, &listener, recorder);
  return recorder;
}

void
vhm_minute_recorder_free (VhmMinuteRecorder * recorder)
{
  g_hash_table_unref (recorder->rows);
  g_free (recorder);
}
