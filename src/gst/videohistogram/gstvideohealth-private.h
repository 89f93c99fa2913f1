/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstvideohealth.h"
#include "enginemeter.h"
#include "healthareas.h"

G_BEGIN_DECLS

/* What `frozen` is not judged by, in pixels of a picture of @width x @height.
 * Returns how many @rects were set. */
guint vh_health_find_not_compared (GstVideoHealth * health, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED]);

/* What are steps of luma in the scale of the frame before: see VhMetering; none
 * if there was none. */
void vh_health_get_steps (GstVideoHealth * health,
    guint8 steps[VH_STEP_LEVELS]);

/* Adds what zones of the next frame say and its histograms do not, as far as
 * it is @wanted (bits of GstVideoHealthEvidence). @histogram is of luma of the
 * same frame, and was added. */
void vh_health_add_zones (GstVideoHealth * health,
    GstVideoHistogram * histogram, const VhFrameZones * zones, guint wanted);

/* The next frame is a field of the other kind than those that are compared with
 * each other: of it the same difference is known as of the field before. */
void vh_health_repeat_difference (GstVideoHealth * health);

G_END_DECLS
