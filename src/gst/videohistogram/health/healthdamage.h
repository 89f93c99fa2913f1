/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A part of the picture that no camera sees: from some row down to the lower
 * edge, all rows are equal, as decoders leave them where data is missing. A
 * real cover has shades and noise. */
#pragma once

#include "healthscenes.h"

G_BEGIN_DECLS

/* Returns the share of the picture that is damaged; sets @cells to the damaged
 * cells. What has always looked like that, such as a privacy mask, is not
 * damaged. */
gdouble vh_health_damage_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint64 * cells);

G_END_DECLS
