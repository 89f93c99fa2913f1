/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A lamp or the sun that shines into the lens: a bright spot that was not there
 * before, and light around it that no object sheds. */
#pragma once

#include "healthscenes.h"

G_BEGIN_DECLS

/* Returns the share of the picture that is lit by it, or 0; sets @cells to the
 * lit cells. */
gdouble vh_health_glare_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint64 * cells);

G_END_DECLS
