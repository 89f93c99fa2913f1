/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of damaged frames in the last seconds. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble share;                /* 0 to 1 */
  GstClockTime time;            /* of the last frame that counted, or NONE */
} VhHealthDamage;

void vh_health_damage_init (VhHealthDamage * damage);

/* The next frame does not continue the previous ones; the share stays. */
void vh_health_damage_restart (VhHealthDamage * damage);

/* Processes a frame; @evidence has CORRUPTED. */
void vh_health_damage_add (VhHealthDamage * damage,
    const VhHealthEvidence * evidence, GstClockTime time);

G_END_DECLS
