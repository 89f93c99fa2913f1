/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gst/videohistogram/gstvideohealth.h"
#include "gst/videohistogram/engine/enginemeter.h"
#include "healthevidence.h"

G_BEGIN_DECLS

/* Sets @rects to the parts that `frozen` ignores, in pixels of a picture of
 * @width x @height. Returns how many there are. */
guint vh_health_find_not_compared (GstVideoHealth * health, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED]);

/* Whether some condition ignores some cells: then luma must be counted in
 * cells. */
gboolean vh_health_ignores_cells (GstVideoHealth * health);

/* Adds the evidence that is @wanted (bits of GstVideoHealthEvidence) and that
 * the next frame's histograms lack, from its @zones. @scale is that of its
 * luma. */
void vh_health_add_zones (GstVideoHealth * health, const VhHealthScale * scale,
    const VhFrameZones * zones, guint wanted);

/* Says that the next frame is a field of the parity that is not compared: it
 * gets the difference of the previous field. */
void vh_health_repeat_difference (GstVideoHealth * health);

G_END_DECLS
