/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements that a camera's video comes from. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* A bin with a pad of raw video, which may come later. NULL with an error if
 * an element is missing. Uses files and devices, and may wait for them. */
GstElement *vhm_source_new (const VhmCameraSettings * camera, GError ** error);

G_END_DECLS
