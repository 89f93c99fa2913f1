/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much the frames of one stream differ from a kept one. */
#pragma once

#include "core/device.h"
#include "devices/devices.h"

G_BEGIN_DECLS

typedef struct
{
  VhDifferencer *differencer;   /* NULL until it is needed */
  gboolean tried;               /* to configure it for the layout */
  gboolean ready;
} VhComparing;

/* Used by one thread at a time; zero at first. */
typedef struct
{
  const VhLayout *layout;
  gboolean wanted;              /* compare frames */
  VhRect ignored[VH_DIFFERENCE_MAX_IGNORED];
  guint n_ignored;
  VhComparing on[VH_N_DEVICES];
  gboolean has_last, has_kept;  /* there is a last submitted frame, a kept
                                 * frame */
  VhWhere last, kept;           /* where they are */
} VhDifferenceStream;

/* The difference of a frame; all zeros if it is not known. */
typedef struct
{
  VhCounts *counts;             /* see vh_difference_get_sum() */
  guint64 n;                    /* samples that were compared */
  guint depth;                  /* bits of each */
} VhFrameDifference;

void vh_frame_difference_clear (VhFrameDifference * difference);

/* Closes the operations. */
void vh_difference_stream_close (VhDifferenceStream * self);

/* Compares frames of @layout from now on if @wanted; @same_layout: its content
 * has not changed. */
void vh_difference_stream_set (VhDifferenceStream * self,
    const VhLayout * layout, gboolean same_layout, gboolean wanted);

/* The planes of each frame that are needed. */
guint vh_difference_stream_planes (const VhDifferenceStream * self);

/* Makes @device, which is at @where, ready to compare. If that fails, frames
 * are not compared there until the device fails and works again. */
void vh_difference_stream_prepare (VhDifferenceStream * self, VhWhere where,
    VhDevice * device);

/* Notes that the device at @where failed, so that it is prepared again. */
void vh_difference_stream_note_failure (VhDifferenceStream * self,
    VhWhere where);

/* Compares a frame on the device at @where, which was prepared; does nothing if
 * comparing is not wanted. FALSE with @error if the device failed. */
gboolean vh_difference_stream_submit (VhDifferenceStream * self, VhWhere where,
    VhFrame * frame, VhFrameDifference * difference, GError ** error);

/* Keeps the frame submitted last, and compares the next ones with it. */
void vh_difference_stream_keep (VhDifferenceStream * self);

/* Forgets the kept frame, so the next one is not compared. */
void vh_difference_stream_forget (VhDifferenceStream * self);

G_END_DECLS
