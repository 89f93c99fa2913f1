/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstvideohealth.h"
#include "healthignore.h"

G_BEGIN_DECLS

/* The rectangles that are ignored for @condition. Returns how many there are.
 * Thread-safe. */
guint vh_health_get_ignored (GstVideoHealth * health,
    GstVideoHealthCondition condition, VhRect rects[VH_HEALTH_MAX_IGNORED]);

/* Whether cells are ignored for any condition. Thread-safe. */
gboolean vh_health_ignores_cells (GstVideoHealth * health);

G_END_DECLS
