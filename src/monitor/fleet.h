/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All cameras. What they report is stored first, and then told to whom it
 * concerns. Used in the main thread only. */
#pragma once

#include "camera.h"
#include "store.h"

G_BEGIN_DECLS

typedef struct _VhmFleet VhmFleet;

/* What outputs hear of; functions that are NULL are not called. */
typedef struct
{
  void (*added) (gpointer data, VhmCamera * camera);
  /* Also where it is changed: then it is added again after that. */
  void (*removed) (gpointer data, VhmCamera * camera);
  void (*measured) (gpointer data, VhmCamera * camera);
  /* It is stored, and the camera is as it says; or @camera is NULL: there is
   * none of this name any more. */
  void (*event) (gpointer data, VhmCamera * camera, const VhmEvent * event);
  /* It cannot be stored now, and the camera is as it says; event is called once
   * it is stored. */
  void (*unstored) (gpointer data, VhmCamera * camera,
      const VhmEvent * event);
  /* Four times a second. */
  void (*tick) (gpointer data);
  /* The picture of the event of this number is stored. */
  void (*picture) (gpointer data, guint64 number);
  /* Something concerns all cameras. It is being stored, if that works. */
  void (*notice) (gpointer data, const VhmNotice * notice);
} VhmListener;

/* What is learned of cameras is kept in files in @folder. NULL with an error if
 * there is no such folder and it cannot be made. */
VhmFleet *vhm_fleet_new (VhmStore * store, const gchar * folder,
    GError ** error);

/* Ends all cameras. Returns FALSE if threads are left that do not end, in the
 * time that they are given: then the process has to end without them. */
gboolean vhm_fleet_free (VhmFleet * fleet);

/* @listener is a static struct. To be called before there are cameras. */
void vhm_fleet_add_listener (VhmFleet * fleet, const VhmListener * listener,
    gpointer data);

/* From now on there are these cameras, in this order: those that are as before
 * go on undisturbed. */
void vhm_fleet_set_cameras (VhmFleet * fleet, const GPtrArray * settings);

/* Keeps what people have to know, and tells it. */
void vhm_fleet_notify (VhmFleet * fleet, const gchar * text);

/* Why the configuration could not be read again, or NULL once it was. A change
 * is a notice. */
void vhm_fleet_set_configuration_trouble (VhmFleet * fleet, const gchar * why);

/* Whether the configuration is the one in the file. */
gboolean vhm_fleet_is_configured (const VhmFleet * fleet);

/* What people who look have to know as long as it is so; empty where there is
 * nothing. To be freed. */
gchar *vhm_fleet_describe_trouble (const VhmFleet * fleet);

/* The GPU is lost: cameras go on without it. */
void vhm_fleet_leave_gpu (VhmFleet * fleet);

/* An array of VhmCamera. */
const GPtrArray *vhm_fleet_get_cameras (const VhmFleet * fleet);

/* NULL if there is none. */
VhmCamera *vhm_fleet_find (const VhmFleet * fleet, const gchar * name);

/* Whether the picture of the event of this number may still come. */
gboolean vhm_fleet_awaits_picture (const VhmFleet * fleet, guint64 number);

/* Whether all events of the outage that @event is of have happened, and have
 * numbers up to @listed. */
gboolean vhm_fleet_is_outage_complete (const VhmFleet * fleet,
    const VhmEvent * event, guint64 listed);

/* The host of the camera, or NULL where it has none or is not there any more.
 * To be freed. */
gchar *vhm_fleet_find_host (const VhmFleet * fleet, const gchar * camera);

VhmStore *vhm_fleet_get_store (const VhmFleet * fleet);

G_END_DECLS
