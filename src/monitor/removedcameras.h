/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends active conditions and snoozes of cameras that no longer exist, whether
 * they were removed while the program ran or while it did not. */
#pragma once

#include "storedevents.h"

G_BEGIN_DECLS

typedef struct _VhmRemovedCameras VhmRemovedCameras;

typedef void (*VhmEventEnded) (gpointer data, const VhmEvent * event);
typedef gboolean (*VhmHasCamera) (gpointer data, const gchar * name);

/* Calls @ended with each event once it is stored. */
VhmRemovedCameras *vhm_removed_cameras_new (VhmStore * store,
    VhmHasCamera has_camera, VhmEventEnded ended, gpointer data);
void vhm_removed_cameras_free (VhmRemovedCameras * removed);

/* To be called when cameras may have been removed. */
void vhm_removed_cameras_look (VhmRemovedCameras * removed);

G_END_DECLS
