/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements that a camera's video comes from. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* A bin with a pad of raw video, which may come later. @software: whatever
 * decodes it is no hardware. NULL with an error if an element is missing. Uses
 * files and devices, and may wait for them. */
GstElement *vhm_source_new (const VhmCameraSettings * camera,
    gboolean software, GError ** error);

/* Links @source, now or once its pad is there, with @queue, which is linked to
 * what follows it already: a decoder chooses the memory of its frames by
 * that. */
void vhm_source_link (GstElement * source, GstElement * queue);

G_END_DECLS
