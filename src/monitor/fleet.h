/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All cameras. Events are stored first, then passed to the listeners. Main
 * thread only. */
#pragma once

#include "camera.h"
#include "notices.h"

G_BEGIN_DECLS

typedef struct _VhmFleet VhmFleet;

/* Callbacks for outputs; they may be NULL. */
typedef struct
{
  void (*added) (gpointer data, VhmCamera * camera);
  /* Also called for a changed camera, which is then added again. */
  void (*removed) (gpointer data, VhmCamera * camera);
  /* Live settings of @camera have changed. */
  void (*updated) (gpointer data, VhmCamera * camera);
  void (*measured) (gpointer data, VhmCamera * camera);
  /* @event is stored, and applied to @camera, which is NULL if it no longer
   * exists. */
  void (*event) (gpointer data, VhmCamera * camera, const VhmEvent * event);
  /* @event cannot be stored now, but is applied to @camera; event is called
   * once it is stored. */
  void (*unstored) (gpointer data, VhmCamera * camera,
      const VhmEvent * event);
  /* Four times a second. */
  void (*tick) (gpointer data);
  /* The picture of the event with this number is stored, and with it the
   * reference of this time; 0: none. */
  void (*picture) (gpointer data, guint64 number, gint64 reference);
  /* Something that concerns all cameras. It may not be stored yet. */
  void (*notice) (gpointer data, const VhmNotice * notice);
} VhmListener;

/* Keeps what is learned of cameras in files in @folder. NULL with an error if
 * the folder does not exist and cannot be created. */
VhmFleet *vhm_fleet_new (VhmStore * store, const gchar * folder,
    GError ** error);

/* Stops all cameras. Returns FALSE if threads did not end in time: the process
 * then has to exit without them. */
gboolean vhm_fleet_free (VhmFleet * fleet);

/* @listener is a static struct. Cameras that are there are not reported as
 * added. */
void vhm_fleet_add_listener (VhmFleet * fleet, const VhmListener * listener,
    gpointer data);

/* Removes the listener with this @data. Not to be called by a listener. */
void vhm_fleet_remove_listener (VhmFleet * fleet, gconstpointer data);

/* Sets the cameras and their order: unchanged ones continue undisturbed. */
void vhm_fleet_set_cameras (VhmFleet * fleet, const GPtrArray * settings);

/* What concerns all cameras. */
VhmNotices *vhm_fleet_get_notices (const VhmFleet * fleet);

/* The GPU is lost: makes cameras continue without it. */
void vhm_fleet_leave_gpu (VhmFleet * fleet);

/* An array of VhmCamera. */
const GPtrArray *vhm_fleet_get_cameras (const VhmFleet * fleet);

/* @event was acknowledged, or is no longer. */
void vhm_fleet_apply_acknowledgement (VhmFleet * fleet,
    const VhmEvent * event);

/* How many events were acknowledged, or are no longer, since the start. */
guint vhm_fleet_count_acknowledgements (const VhmFleet * fleet);

/* The groups of cameras that are in one, by their names. A new table, which
 * never changes. */
GHashTable *vhm_fleet_list_groups (const VhmFleet * fleet);

/* The names of cameras that are snoozed as a whole. A new table, which never
 * changes. */
GHashTable *vhm_fleet_list_snoozed (const VhmFleet * fleet);

/* Numbers of the events that started conditions which no frame has shown since
 * a loss of video, with the time when one last did, as gint64. A new table,
 * which never changes. */
GHashTable *vhm_fleet_list_last_seen (const VhmFleet * fleet);

/* Numbers of the events that started signal losses which are active, with the
 * reason why there is no video now, as strings. A new table, which never
 * changes. */
GHashTable *vhm_fleet_list_reasons (const VhmFleet * fleet);

/* The camera, or NULL. */
VhmCamera *vhm_fleet_find (const VhmFleet * fleet, const gchar * name);

/* Whether the picture of the event with this number may still come. */
gboolean vhm_fleet_awaits_picture (const VhmFleet * fleet, guint64 number);

/* Whether the outage of @event is complete: all events that start it, or end
 * it, as @event does, have happened and have numbers up to @listed. */
gboolean vhm_fleet_is_outage_complete (const VhmFleet * fleet,
    const VhmEvent * event, guint64 listed);

VhmStore *vhm_fleet_get_store (const VhmFleet * fleet);

G_END_DECLS
