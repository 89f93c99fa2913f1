/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstvideohealth.h"
#include "healthareas.h"

G_BEGIN_DECLS

/* What `frozen` is not judged by, in pixels of a picture of @width x @height.
 * Returns how many @rects were set. */
guint vh_health_find_not_compared (GstVideoHealth * health, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED]);

G_END_DECLS
