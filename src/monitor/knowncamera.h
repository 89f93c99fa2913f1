/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clients of /events know of a camera, and what has changed since. */
#pragma once

#include "camera.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  JsonObject *camera;
  gchar *state, *all;           /* latest changes as JSON, without and with
                                 * measurements; NULL if nothing changed */
} VhmKnownCamera;

/* No change yet. */
VhmKnownCamera *vhm_known_camera_new (const VhmCamera * camera);
void vhm_known_camera_free (VhmKnownCamera * known);

const gchar *vhm_known_camera_get_name (const VhmKnownCamera * known);

/* Sets the latest changes. */
void vhm_known_camera_update (VhmKnownCamera * known,
    const VhmCamera * camera);

/* All members as JSON, with measurements or without. To be freed. */
gchar *vhm_known_camera_describe (const VhmKnownCamera * known,
    gboolean measured);

G_END_DECLS
