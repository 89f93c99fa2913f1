/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storedcameras.h"

#include "storedactions.h"
#include "storedevents.h"

static void
record_free (gpointer data)
{
  VhmCameraRecord *record = data;

  g_ptr_array_unref (record->events);
  g_ptr_array_unref (record->snoozes);
  g_clear_pointer (&record->reference, g_bytes_unref);
  g_clear_pointer (&record->last, g_bytes_unref);
  g_free (record);
}

static void
get_reference (sqlite3_stmt * row, gpointer data)
{
  VhmCameraRecord *record = data;

  record->reference_time = sqlite3_column_int64 (row, 0);
  record->reference = vhm_database_get_blob (row, 1);
}

static void
get_last (sqlite3_stmt * row, gpointer data)
{
  ((VhmCameraRecord *) data)->last = vhm_database_get_blob (row, 0);
}

/* A camera that is lost shows the picture with which that began. */
static int
read_last (sqlite3 * db, VhmCameraRecord * record)
{
  guint i;

  for (i = 0; i < record->events->len; i++) {
    const VhmEvent *event = g_ptr_array_index (record->events, i);

    if (event->active
        && event->condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
      return vhm_database_read (db, vhm_database_prepare (db,
              "SELECT jpeg FROM pictures WHERE number = ?", "i",
              (gint64) event->number), get_last, record);
  }
  return SQLITE_DONE;
}

static void
get_first_watched (sqlite3_stmt * row, gpointer data)
{
  VhmCameraRecord *record = data;

  record->first_watched = sqlite3_column_int64 (row, 0);
}

static int
read_camera (sqlite3 * db, gpointer camera, gpointer * result)
{
  VhmCameraRecord *record = g_new0 (VhmCameraRecord, 1);
  int code;

  record->events = vhm_events_new ();
  record->snoozes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_stored_snooze_free);
  *result = record;
  code = vhm_store_read_events (db, vhm_database_prepare (db,
          "SELECT " VHM_EVENT_COLUMNS " FROM events WHERE number IN "
          "(SELECT (SELECT max (number) FROM events e"
          " WHERE e.camera = series.camera AND e.condition = series.condition) "
          "FROM series WHERE camera = ?)", "s", camera), record->events);
  if (code == SQLITE_DONE)
    code = read_last (db, record);
  if (code == SQLITE_DONE)
    code = vhm_store_read_snoozes (db, camera, record->snoozes);
  if (code == SQLITE_DONE)
    code = vhm_database_read (db, vhm_database_prepare (db,
            "SELECT min (time) FROM (SELECT time FROM first_watched "
            "WHERE camera = ? UNION ALL SELECT min (minute) * 60000000 "
            "FROM minutes WHERE camera = ?)", "ss", camera, camera),
        get_first_watched, record);
  return code != SQLITE_DONE ? code : vhm_database_read (db,
      vhm_database_prepare (db, "SELECT time, jpeg FROM reference "
          "WHERE camera = ?", "s", camera), get_reference, record);
}

void
vhm_store_get_camera (VhmStore * store, const gchar * camera, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, FALSE, read_camera, g_strdup (camera), g_free,
      record_free, answer, data);
}

/* What to write of a camera. */
typedef struct
{
  gchar *camera;
  gint64 time;
  GBytes *jpeg;                 /* or NULL */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->camera);
  g_clear_pointer (&entry->jpeg, g_bytes_unref);
  g_free (entry);
}

static int
write_reference (sqlite3 * db, gpointer request,
    G_GNUC_UNUSED gpointer * result)
{
  const Entry *reference = request;

  return vhm_database_run (db, "INSERT OR REPLACE INTO reference "
      "(camera, time, jpeg) VALUES (?,?,?)", "sib", reference->camera,
      reference->time, reference->jpeg);
}

void
vhm_store_set_reference (VhmStore * store, const gchar * camera,
    GBytes * jpeg, gint64 time)
{
  const Entry reference = { g_strdup (camera), time, g_bytes_ref (jpeg) };

  vhm_store_work (store, TRUE, write_reference, g_memdup2 (&reference,
          sizeof reference), entry_free, NULL, NULL, NULL);
}

static int
write_first_watched (sqlite3 * db, gpointer request,
    G_GNUC_UNUSED gpointer * result)
{
  const Entry *first = request;

  return vhm_database_run (db, "INSERT OR IGNORE INTO first_watched "
      "(camera, time) VALUES (?,?)", "si", first->camera, first->time);
}

void
vhm_store_add_camera (VhmStore * store, const gchar * camera, gint64 time)
{
  const Entry first = { g_strdup (camera), time, NULL };

  vhm_store_work (store, TRUE, write_first_watched, g_memdup2 (&first,
          sizeof first), entry_free, NULL, NULL, NULL);
}
