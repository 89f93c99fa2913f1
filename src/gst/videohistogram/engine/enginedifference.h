/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task of engines: how much the frames of one stream differ from a kept
 * one. */
#pragma once

#include "processor.h"

G_BEGIN_DECLS

/* The difference of a frame; all zeros if it is not known. */
typedef struct
{
  VhCounts *counts;             /* see vh_difference_get_sum() */
  guint64 n;                    /* samples that were compared */
  guint depth;                  /* bits of each */
} VhFrameDifference;

void vh_frame_difference_clear (VhFrameDifference * difference);

typedef struct
{
  VhTask parent;
  VhRect ignored[VH_DIFFERENCE_MAX_IGNORED];
  guint n_ignored;
  VhWhere kept;                 /* where the kept frame is; VH_N_DEVICES:
                                 * nowhere */
  VhFrameDifference result;     /* of the last frame, until it is taken */
} VhComparing;

VhComparing *vh_comparing_new (void);

/* Takes the difference between the frame submitted last and the kept one.
 * @difference must be zero, or come from another frame. */
void vh_comparing_take (VhComparing * self, VhFrameDifference * difference);

/* Keeps the frame submitted last, and compares the next ones with it. */
void vh_comparing_keep (VhComparing * self);

/* Sets the rectangles that are not compared from now on, in pixels of the
 * picture; at most VH_DIFFERENCE_MAX_IGNORED. */
void vh_comparing_set_ignored (VhComparing * self, const VhRect * ignored,
    guint n);

G_END_DECLS
