/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* People and vehicles that pass. */
#pragma once

#include "world.h"

G_BEGIN_DECLS

/* Adds actors who arrive, and removes those who have left. */
void actors_move (World * world);
void actors_draw (const World * world, Picture * to);

G_END_DECLS
