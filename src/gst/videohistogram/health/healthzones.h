/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that a frame is judged by, from its sums. They equal those from
 * histograms. */
#pragma once

#include "healthevidence.h"
#include "gst/videohistogram/engine/enginemeter.h"

G_BEGIN_DECLS

/* Finds for each level the lowest level that is a step away, in @scale, which
 * is set: see VhMetering. */
void vh_health_find_steps (const VhHealthScale * scale,
    guint8 steps[VH_STEP_LEVELS]);

/* Adds the levels of cells, if they are still missing and were measured. Here
 * and below, @scale is the scale of the frame's luma. */
void vh_health_evidence_add_levels (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones);

/* Adds the evidence of gradients, if it is still missing. */
void vh_health_evidence_add_textures (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones);

/* Adds the evidence of rows, of chroma, of the previous frame and of noise that
 * is @wanted (bits of GstVideoHealthEvidence) and still missing. */
void vh_health_evidence_add_zones (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones, guint wanted);

G_END_DECLS
