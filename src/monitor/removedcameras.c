/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "removedcameras.h"

#include "eventlog.h"
#include "storedactions.h"

struct _VhmRemovedCameras
{
  VhmStore *store;
  VhmHasCamera has_camera;
  VhmEventEnded ended;
  gpointer data;
  guint waiting;                /* lists not read and events not stored yet:
                                 * listing active conditions again before these
                                 * are done would end conditions twice */
  gboolean again;               /* list them again once these are done */
};

static int
list_active (sqlite3 * db, G_GNUC_UNUSED gpointer request, gpointer * result)
{
  *result = vhm_events_new ();
  return vhm_store_read_events (db, vhm_database_prepare (db, "SELECT "
          VHM_EVENT_COLUMNS " FROM events WHERE number IN "
          "(SELECT number FROM alarms INDEXED BY active_alarms"
          " WHERE ended IS NULL) ORDER BY number", ""), *result);
}

static void
settle (VhmRemovedCameras * removed)
{
  removed->waiting--;
  if (!removed->waiting && removed->again)
    vhm_removed_cameras_look (removed);
}

static void
on_stored (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  VhmRemovedCameras *removed = data;
  const VhmEvent *event = result;

  /* This is called again once the event is stored. */
  if (!event->number)
    return;
  removed->ended (removed->data, event);
  settle (removed);
}

/* Whether @b keeps the topic of @a active. */
static gboolean
share_topic (const VhmEvent * a, const VhmEvent * b)
{
  return g_str_equal (a->camera, b->camera) && !b->quiet
      && g_str_equal (gst_video_health_condition_get_topic (a->condition),
      gst_video_health_condition_get_topic (b->condition));
}

static void
end (VhmRemovedCameras * removed, const GPtrArray * active, guint number)
{
  const VhmEvent *begun = g_ptr_array_index (active, number);
  VhmEvent *event = vhm_event_new (begun->camera, begun->condition);
  guint i;

  /* The following ones have not ended yet. */
  for (i = number + 1; i < active->len; i++)
    event->topic_active |= share_topic (begun, g_ptr_array_index (active, i));
  event->quiet = begun->quiet;
  event->since = event->time = g_get_real_time ();
  g_free (event->reason);
  event->reason = g_strdup (VHM_NOT_WATCHED);
  vhm_event_log (event, begun->since);
  removed->waiting++;
  vhm_store_add_event (removed->store, event, on_stored, removed);
}

static void
on_listed (gpointer data, gpointer result, const gchar * why)
{
  VhmRemovedCameras *removed = data;
  const GPtrArray *active = result;
  guint i;

  for (i = 0; !why && i < active->len; i++) {
    const VhmEvent *event = g_ptr_array_index (active, i);

    if (!removed->has_camera (removed->data, event->camera))
      end (removed, active, i);
  }
  settle (removed);
}

/* Another camera with this name must not be quiet because of one that was
 * removed. */
static void
on_snoozed_listed (gpointer data, gpointer result, const gchar * why)
{
  VhmRemovedCameras *removed = data;
  const GPtrArray *names = result;
  guint i;

  for (i = 0; !why && i < names->len; i++) {
    const gchar *name = g_ptr_array_index (names, i);

    if (!removed->has_camera (removed->data, name))
      vhm_store_forget_snoozes (removed->store, name);
  }
  settle (removed);
}

VhmRemovedCameras *
vhm_removed_cameras_new (VhmStore * store, VhmHasCamera has_camera,
    VhmEventEnded ended, gpointer data)
{
  VhmRemovedCameras *removed = g_new0 (VhmRemovedCameras, 1);

  removed->store = store;
  removed->has_camera = has_camera;
  removed->ended = ended;
  removed->data = data;
  return removed;
}

void
vhm_removed_cameras_free (VhmRemovedCameras * removed)
{
  g_free (removed);
}

void
vhm_removed_cameras_look (VhmRemovedCameras * removed)
{
  removed->again = removed->waiting > 0;
  if (removed->again)
    return;
  removed->waiting += 2;
  vhm_store_list_snoozed (removed->store, on_snoozed_listed, removed);
  vhm_store_work (removed->store, FALSE, list_active, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref, on_listed, removed);
}
