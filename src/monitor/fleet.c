/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fleet.h"

#include "decoder.h"
#include "eventlog.h"
#include "removedcameras.h"
#include "outages.h"
#include "storedactions.h"
#include "storedcameras.h"

#include <errno.h>
#include <glib/gstdio.h>

#define TICK_MS 250

/* A tick that comes later by this, µs, says that the program stood still: it
 * was stopped, or the machine had no time for it. */
#define MAX_DELAY (3 * G_TIME_SPAN_SECOND)

/* How long an event waits for its picture. A later one would show something
 * else. */
#define MAX_PICTURE_DELAY (2 * G_TIME_SPAN_SECOND)

/* The value of a damaged picture is an average of so long, µs. */
#define DAMAGE_PERIOD (5 * G_TIME_SPAN_SECOND)

/* How long threads may take to end, all together. */
#define MAX_STOP_TIME (5 * G_TIME_SPAN_SECOND)

typedef struct
{
  const VhmListener *functions;
  gpointer data;
} Listener;

struct _VhmFleet
{
  VhmStore *store;
  VhmRemovedCameras *removed;
  VhmOutages *outages;
  VhmNotices *notices;
  GHashTable *awaited;          /* number of an event -> monotonic µs until
                                 * which its picture may come; 0 while the
                                 * picture is being stored */
  gchar *folder;
  GPtrArray *cameras;           /* of VhmCamera */
  GHashTable *left;             /* name -> what vhm_camera_free() returned, for
                                 * a camera of the same name that is added
                                 * later */
  GArray *listeners;            /* of Listener */
  guint acknowledgements;       /* see fleet.h */
  guint tick;
  gint64 ticked;                /* when, monotonic µs; or 0 */
  gboolean has_gap;             /* the program had not run for a while before
                                 * its start */
  gboolean has_begun;           /* has its first cameras */
};

/* Calls @function of each listener that has one. */
#define TELL(fleet, function, ...) \
  G_STMT_START { \
    guint listener_; \
    for (listener_ = 0; listener_ < (fleet)->listeners->len; listener_++) { \
      const Listener *l_ = &g_array_index ((fleet)->listeners, Listener, \
          listener_); \
      if (l_->functions->function) \
        l_->functions->function (l_->data, ##__VA_ARGS__); \
    } \
  } G_STMT_END

static gboolean
has_ended (G_GNUC_UNUSED gpointer name, gpointer left,
    G_GNUC_UNUSED gpointer data)
{
  vhm_attempt_forget_ended (left);
  return !((GPtrArray *) left)->len;
}

static void
on_notice (gpointer data, const VhmNotice * notice)
{
  VhmFleet *fleet = data;

  TELL (fleet, notice, notice);
}

static void
on_last_run (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  const gint64 *last = result;
  VhmFleet *fleet = data;

  fleet->has_gap = last && *last && vhm_notices_add_gap (fleet->notices, *last);
}

static gboolean
is_too_late (G_GNUC_UNUSED gpointer number, gpointer until, gpointer now)
{
  const gint64 *end = until;

  return *end && *(gint64 *) now >= *end;
}

static void
forgive (VhmFleet * fleet, gint64 pause)
{
  const gboolean is_gap = vhm_notices_add_pause (fleet->notices, pause);
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    vhm_camera_forgive (g_ptr_array_index (fleet->cameras, i), pause);
    if (is_gap)
      vhm_camera_note_unwatched (g_ptr_array_index (fleet->cameras, i),
          g_get_real_time (), TRUE);
  }
}

static gboolean
on_tick (gpointer data)
{
  gint64 now = g_get_monotonic_time ();
  VhmFleet *fleet = data;
  guint i;

  if (fleet->ticked && now - fleet->ticked > MAX_DELAY)
    forgive (fleet, now - fleet->ticked);
  fleet->ticked = now;
  g_hash_table_foreach_remove (fleet->left, has_ended, NULL);
  vhm_notices_tick (fleet->notices);
  g_hash_table_foreach_remove (fleet->awaited, is_too_late, &now);
  for (i = 0; i < fleet->cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);

    camera->machine_busy = vhm_notices_is_busy (fleet->notices, FALSE);
    vhm_camera_tick (camera);
  }
  TELL (fleet, tick);
  return G_SOURCE_CONTINUE;
}

static gboolean
has_camera (gpointer data, const gchar * name)
{
  return vhm_fleet_find (data, name) != NULL;
}

/* The event ends a condition of a removed camera. If the camera was added again
 * meanwhile, it has the condition from its stored state. */
static void
on_end_stored (gpointer data, const VhmEvent * event)
{
  VhmFleet *fleet = data;

  TELL (fleet, event, NULL, event);
}

VhmFleet *
vhm_fleet_new (VhmStore * store, const gchar * folder, GError ** error)
{
  VhmFleet *fleet;

  if (g_mkdir_with_parents (folder, 0700)) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "%s: %s", folder, g_strerror (errno));
    return NULL;
  }
  fleet = g_new0 (VhmFleet, 1);
  fleet->folder = g_strdup (folder);
  fleet->store = store;
  fleet->removed = vhm_removed_cameras_new (store, has_camera, on_end_stored,
      fleet);
  fleet->outages = vhm_outages_new ();
  fleet->notices = vhm_notices_new (store, on_notice, fleet);
  vhm_store_find_last_run (store, on_last_run, fleet);
  fleet->awaited = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
      g_free);
  fleet->cameras = g_ptr_array_new ();
  fleet->left = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      (GDestroyNotify) g_ptr_array_unref);
  fleet->listeners = g_array_new (FALSE, FALSE, sizeof (Listener));
  fleet->tick = g_timeout_add (TICK_MS, on_tick, fleet);
  return fleet;
}

void
vhm_fleet_add_listener (VhmFleet * fleet, const VhmListener * listener,
    gpointer data)
{
  const Listener l = { listener, data };

  g_array_append_val (fleet->listeners, l);
}

void
vhm_fleet_remove_listener (VhmFleet * fleet, gconstpointer data)
{
  guint i;

  for (i = fleet->listeners->len; i > 0; i--)
    if (g_array_index (fleet->listeners, Listener, i - 1).data == data)
      g_array_remove_index (fleet->listeners, i - 1);
}

const GPtrArray *
vhm_fleet_get_cameras (const VhmFleet * fleet)
{
  return fleet->cameras;
}

void
vhm_fleet_apply_acknowledgement (VhmFleet * fleet, const VhmEvent * event)
{
  VhmCamera *camera = vhm_fleet_find (fleet, event->camera);

  fleet->acknowledgements++;
  if (camera)
    vhm_camera_apply_acknowledgement (camera, event);
}

guint
vhm_fleet_count_acknowledgements (const VhmFleet * fleet)
{
  return fleet->acknowledgements;
}

GHashTable *
vhm_fleet_list_groups (const VhmFleet * fleet)
{
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    const VhmCameraSettings *settings =
        ((VhmCamera *) g_ptr_array_index (fleet->cameras, i))->settings;

    if (settings->group_name)
      g_hash_table_insert (groups, g_strdup (settings->name),
          g_strdup (settings->group_name));
  }
  return groups;
}

GHashTable *
vhm_fleet_list_snoozed (const VhmFleet * fleet)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);

    if (vhm_quiet_get_snooze (camera->quiet, VHM_WHOLE_CAMERA).until)
      g_hash_table_add (names, g_strdup (camera->settings->name));
  }
  return names;
}

GHashTable *
vhm_fleet_list_last_seen (const VhmFleet * fleet)
{
  GHashTable *times = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, g_free);
  guint i, j;

  for (i = 0; i < fleet->cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);

    for (j = 0; j < GST_VIDEO_HEALTH_N_CONDITIONS; j++) {
      const VhmCondition *condition = &camera->conditions[j];

      if (condition->active && condition->unconfirmed && condition->last_seen)
        g_hash_table_insert (times, g_memdup2 (&condition->number,
                sizeof condition->number), g_memdup2 (&condition->last_seen,
                sizeof condition->last_seen));
    }
  }
  return times;
}

GHashTable *
vhm_fleet_list_reasons (const VhmFleet * fleet)
{
  GHashTable *reasons = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, g_free);
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);
    const VhmCondition *loss =
        &camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS];

    if (loss->active && *camera->reason)
      g_hash_table_insert (reasons, g_memdup2 (&loss->number,
              sizeof loss->number), g_strdup (camera->reason));
  }
  return reasons;
}

VhmStore *
vhm_fleet_get_store (const VhmFleet * fleet)
{
  return fleet->store;
}

VhmCamera *
vhm_fleet_find (const VhmFleet * fleet, const gchar * name)
{
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);

    if (g_str_equal (camera->settings->name, name))
      return camera;
  }
  return NULL;
}

/* Reports of cameras */

static void
await_picture (VhmFleet * fleet, guint64 number)
{
  const gint64 until = g_get_monotonic_time () + MAX_PICTURE_DELAY;

  g_hash_table_insert (fleet->awaited, g_memdup2 (&number, sizeof number),
      g_memdup2 (&until, sizeof until));
}

static void
on_stored (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  VhmFleet *fleet = data;
  const VhmEvent *event = result;
  VhmCamera *camera = vhm_fleet_find (fleet, event->camera);

  if (event->number) {
    vhm_outages_note_stored (fleet->outages, event);
    if (camera)
      await_picture (fleet, event->number);
  }
  if (camera)
    vhm_camera_apply (camera, event);
  if (event->number)
    TELL (fleet, event, camera, event);
  else if (camera)
    TELL (fleet, unstored, camera, event);
}

/* The places of all cameras of which a signal loss is reported. */
static GPtrArray *
list_places (const VhmFleet * fleet)
{
  GPtrArray *places =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_place_free);
  guint i;

  for (i = 0; i < fleet->cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (fleet->cameras, i);
    const VhmCameraSettings *s = camera->settings;

    if (s->conditions & GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS
        && !vhm_quiet_get (camera->quiet,
            GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS).until)
      g_ptr_array_add (places, vhm_place_new (s->name,
              vhm_camera_settings_get_judged (s), s->group_name));
  }
  return places;
}

/* Whether a damaged picture starts because this machine was too busy to receive
 * all data: no camera and no network is to blame. What the picture shows may
 * have another cause. */
static gboolean
is_by_machine (const VhmFleet * fleet, const VhmCamera * camera,
    const VhmEvent * event)
{
  const GstVideoHealthCondition corrupted =
      GST_VIDEO_HEALTH_CONDITION_CORRUPTED;
  gint64 damaged;

  if (event->condition != corrupted || !event->active || *event->reason
      || camera->conditions[corrupted].detail
      || !vhm_notices_is_busy (fleet->notices, FALSE))
    return FALSE;
  vhm_camera_get_behind (camera, &damaged);
  return damaged >= event->since - DAMAGE_PERIOD;
}

static void
on_event (gpointer data, VhmCamera * camera, VhmEvent * event)
{
  VhmFleet *fleet = data;
  const VhmCondition *before = &camera->conditions[event->condition];
  GPtrArray *places;

  if (is_by_machine (fleet, camera, event)) {
    g_free (event->reason);
    event->reason = g_strdup (VHM_MACHINE_BUSY);
  }
  vhm_event_log (event, before->active ? before->since : 0);
  if (!event->quiet && event->condition
      == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS) {
    places = list_places (fleet);
    vhm_outages_note (fleet->outages, event, places);
    g_ptr_array_unref (places);
  }
  vhm_store_add_event (fleet->store, event, on_stored, fleet);
}

typedef struct
{
  VhmFleet *fleet;
  guint64 number;
} Picture;

static void
on_picture_stored (gpointer data, gpointer result, const gchar * why)
{
  Picture *picture = data;
  const gint64 *reference = result;

  g_hash_table_remove (picture->fleet->awaited, &picture->number);
  if (!why && reference)
    TELL (picture->fleet, picture, picture->number, *reference);
  g_free (picture);
}

static void
on_picture (gpointer data, G_GNUC_UNUSED VhmCamera * camera, guint64 number,
    GBytes * jpeg)
{
  VhmFleet *fleet = data;
  gint64 *until = g_hash_table_lookup (fleet->awaited, &number);
  Picture *picture;

  /* It comes too late: the event was reported without a picture. */
  if (!until)
    return;
  if (!jpeg) {
    g_hash_table_remove (fleet->awaited, &number);
    return;
  }
  *until = 0;
  picture = g_new (Picture, 1);
  picture->fleet = fleet;
  picture->number = number;
  vhm_store_add_picture (fleet->store, number, jpeg, on_picture_stored,
      picture);
}

static void
on_measured (gpointer data, VhmCamera * camera)
{
  VhmFleet *fleet = data;

  TELL (fleet, measured, camera);
}

static void
on_reference (gpointer data, VhmCamera * camera)
{
  VhmFleet *fleet = data;

  vhm_store_set_reference (fleet->store, camera->settings->name,
      camera->reference, camera->reference_time);
}

/* A condition, or the whole camera. */
static void
on_snooze_over (gpointer data, VhmCamera * camera, guint snooze, gint64 until)
{
  VhmFleet *fleet = data;

  vhm_store_end_snooze (fleet->store, camera->settings->name,
      snooze == VHM_WHOLE_CAMERA ? "" :
      gst_video_health_condition_get_name (snooze), until);
}

static const VhmCameraHandler camera_handler = {
  .event = on_event,.picture = on_picture,.measured = on_measured,
  .reference = on_reference,.snooze_over = on_snooze_over
};

gboolean
vhm_fleet_awaits_picture (const VhmFleet * fleet, guint64 number)
{
  return g_hash_table_contains (fleet->awaited, &number);
}

gboolean
vhm_fleet_is_outage_complete (const VhmFleet * fleet, const VhmEvent * event,
    guint64 listed)
{
  return vhm_outages_is_complete (fleet->outages, event, listed);
}

VhmNotices *
vhm_fleet_get_notices (const VhmFleet * fleet)
{
  return fleet->notices;
}

void
vhm_fleet_leave_gpu (VhmFleet * fleet)
{
  guint i;

  for (i = 0; i < fleet->cameras->len; i++)
    vhm_camera_leave_gpu (g_ptr_array_index (fleet->cameras, i));
}

/* Adding and removing cameras */

typedef struct
{
  VhmFleet *fleet;
  VhmCameraSettings *settings;
  gboolean is_first;            /* camera of this name since the start */
} Recollection;

static void
on_recalled (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  Recollection *recollection = data;
  VhmFleet *fleet = recollection->fleet;
  VhmCamera *camera = vhm_fleet_find (recollection->fleet,
      recollection->settings->name);
  VhmCameraRecord nothing = { g_ptr_array_new (), g_ptr_array_new () };
  const VhmCameraRecord *record = result ? result : &nothing;
  guint i;

  /* The camera may have been removed or changed meanwhile. */
  if (camera && camera->settings == recollection->settings) {
    for (i = 0; i < record->events->len; i++)
      vhm_outages_recall (fleet->outages,
          g_ptr_array_index (record->events, i));
    vhm_camera_begin (camera, record);
    if (!record->first_watched)
      vhm_store_add_camera (fleet->store, camera->settings->name,
          camera->first_watched);
    if (recollection->is_first)
      vhm_camera_note_unwatched (camera, 0, fleet->has_gap);
    TELL (fleet, added, camera);
  }
  g_ptr_array_unref (nothing.events);
  g_ptr_array_unref (nothing.snoozes);
  vhm_group_unref (recollection->settings);
  g_free (recollection);
}

static VhmCamera *
add_camera (VhmFleet * fleet, VhmCameraSettings * settings)
{
  Recollection *recollection = g_new (Recollection, 1);
  gpointer key = NULL, left = NULL;
  VhmCamera *camera;
  gchar *name, *path;

  recollection->fleet = fleet;
  recollection->settings = vhm_group_ref (settings);
  recollection->is_first = !fleet->has_begun;
  vhm_store_get_camera (fleet->store, settings->name, on_recalled,
      recollection);
  name = g_uri_escape_string (settings->name, NULL, FALSE);
  path = g_strconcat (fleet->folder, G_DIR_SEPARATOR_S, name, ".state", NULL);
  g_hash_table_steal_extended (fleet->left, settings->name, &key, &left);
  g_free (key);
  camera = vhm_camera_new (settings, path, left, &camera_handler, fleet);
  g_free (path);
  g_free (name);
  return camera;
}

static void
remove_camera (VhmFleet * fleet, VhmCamera * camera)
{
  gchar *name = g_strdup (camera->settings->name);

  TELL (fleet, removed, camera);
  vhm_outages_forget (fleet->outages, name);
  g_hash_table_insert (fleet->left, name, vhm_camera_free (camera));
}

/* Whether the camera can take over these settings while it runs. Before its
 * stored state has come, it cannot. */
static gboolean
fits_camera (const VhmCamera * camera, const VhmCameraSettings * settings)
{
  return vhm_group_equal (camera->settings, settings) || (camera->added
      && vhm_group_equal_but_live (camera->settings, settings));
}

static void
update_camera (VhmFleet * fleet, VhmCamera * camera,
    VhmCameraSettings * settings)
{
  if (vhm_group_equal (camera->settings, settings))
    return;
  vhm_camera_set_settings (camera, settings);
  TELL (fleet, updated, camera);
}

void
vhm_fleet_set_cameras (VhmFleet * fleet, const GPtrArray * settings)
{
  GPtrArray *before = fleet->cameras;
  GPtrArray *now = g_ptr_array_new ();
  guint i, j;

  vhm_decoder_set_cameras (settings->len);
  for (i = 0; i < settings->len; i++) {
    VhmCameraSettings *s = g_ptr_array_index (settings, i);

    for (j = 0; j < before->len; j++) {
      VhmCamera *camera = g_ptr_array_index (before, j);

      if (fits_camera (camera, s)) {
        update_camera (fleet, camera, s);
        g_ptr_array_add (now, camera);
        g_ptr_array_remove_index (before, j);
        s = NULL;
        break;
      }
    }
    if (s)
      g_ptr_array_add (now, NULL);
  }
  while (before->len)
    remove_camera (fleet, g_ptr_array_steal_index (before, 0));
  g_ptr_array_unref (before);
  for (i = 0; i < settings->len; i++)
    if (!g_ptr_array_index (now, i))
      g_ptr_array_index (now, i) = add_camera (fleet,
          g_ptr_array_index (settings, i));
  fleet->cameras = now;
  fleet->has_begun = TRUE;
  vhm_removed_cameras_look (fleet->removed);
}

static guint
count_threads (void)
{
  return vhm_attempt_count_threads () + vhm_main_stream_count_threads ();
}

gboolean
vhm_fleet_free (VhmFleet * fleet)
{
  const gint64 end = g_get_monotonic_time () + MAX_STOP_TIME;
  guint i;

  g_source_remove (fleet->tick);
  for (i = 0; i < fleet->cameras->len; i++)
    remove_camera (fleet, g_ptr_array_index (fleet->cameras, i));
  while (count_threads () && g_get_monotonic_time () < end)
    g_usleep (10000);
  vhm_removed_cameras_free (fleet->removed);
  vhm_outages_free (fleet->outages);
  g_hash_table_unref (fleet->awaited);
  g_free (fleet->folder);
  vhm_notices_free (fleet->notices);
  g_hash_table_unref (fleet->left);
  g_ptr_array_unref (fleet->cameras);
  g_array_unref (fleet->listeners);
  g_free (fleet);
  return !count_threads ();
}
