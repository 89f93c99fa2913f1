/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source elements of a camera. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* Returns an element with a pad of raw video, which may be added later. @uri is
 * one of the addresses of @camera.
 * @software: uses no hardware decoder. NULL with an error if an element is
 * missing. Accesses files and devices, and may block on them. */
GstElement *vhm_source_new (const VhmCameraSettings * camera,
    const gchar * uri, gboolean software, GError ** error);

/* Links @source to @queue, now or once its pad exists. @queue must be linked
 * downstream already, because a decoder chooses the memory of its frames
 * according to what is downstream. */
void vhm_source_link (GstElement * source, GstElement * queue);

G_END_DECLS
