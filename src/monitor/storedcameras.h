/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the store has of a camera when it starts. */
#pragma once

#include "camera.h"
#include "store.h"

G_BEGIN_DECLS

/* The result is a VhmCameraRecord. */
void vhm_store_get_camera (VhmStore * store, const gchar * camera,
    VhmAnswer answer, gpointer data);

void vhm_store_set_reference (VhmStore * store, const gchar * camera,
    GBytes * jpeg, gint64 time);

/* Notes when the camera is first watched, if that is not stored yet. */
void vhm_store_add_camera (VhmStore * store, const gchar * camera, gint64 time);

G_END_DECLS
