/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that a frame is judged by, from what zones of its luma add up to:
 * the same that its histograms say. */
#pragma once

#include "healthevidence.h"
#include "enginemeter.h"

G_BEGIN_DECLS

/* The lowest level that is a step away from each, in @scale: see VhMetering.
 * FALSE if the scale is not known yet. */
gboolean vh_health_find_steps (const VhHealthScale * scale,
    guint8 steps[VH_STEP_LEVELS]);

/* Adds what is not known yet of gradients of @zones, which are complete. @step
 * is that from bin to bin. */
void vh_health_evidence_add_textures (VhHealthEvidence * evidence,
    const VhFrameZones * zones, gdouble step);

/* Adds what is not known yet of rows and of the frame before, as far as it is
 * @wanted (bits of GstVideoHealthEvidence), in the @scale of luma of the same
 * frame. */
void vh_health_evidence_add_zones (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones, guint wanted);

G_END_DECLS
