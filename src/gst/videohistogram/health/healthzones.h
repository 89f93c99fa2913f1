/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that a frame is judged by, from the sums of its luma zones. They
 * equal those from histograms. */
#pragma once

#include "healthevidence.h"
#include "gst/videohistogram/engine/enginemeter.h"

G_BEGIN_DECLS

/* Finds for each level the lowest level that is a step away, in @scale: see
 * VhMetering. FALSE if the scale is not known yet. */
gboolean vh_health_find_steps (const VhHealthScale * scale,
    guint8 steps[VH_STEP_LEVELS]);

/* Adds the evidence of gradients, if it is still missing, from the sums in
 * @zones, which are complete. @step is the level difference between bins. */
void vh_health_evidence_add_textures (VhHealthEvidence * evidence,
    const VhFrameZones * zones, gdouble step);

/* Adds the evidence of rows and of the previous frame that is @wanted (bits of
 * GstVideoHealthEvidence) and still missing, in the @scale of the same frame's
 * luma. */
void vh_health_evidence_add_zones (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones, guint wanted);

G_END_DECLS
