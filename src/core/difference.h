/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much a frame differs from a kept one: the sum of the absolute differences
 * of all their samples. */
#pragma once

#include "counts.h"
#include "frameview.h"

G_BEGIN_DECLS

/* The maximum number of rectangles that can be left out. */
#define VH_DIFFERENCE_MAX_IGNORED 16

/* Which groups of a plane a run has. In packed formats such as YUY2, a picture
 * may start or end within a group: the luma of the pixel outside of the picture
 * must not be compared. */
typedef enum
{
  VH_RUN_ALL,
  VH_RUN_WHOLE,                 /* those with all pixels in the picture */
  VH_RUN_FIRST,                 /* that in whose second pixel it starts */
  VH_RUN_LAST,                  /* that in whose first pixel it ends */
} VhRunGroups;

/* Samples to compare, in the order in which they lie in the rows of a plane,
 * group by group. A plane is one run if each of its words is one sample, alpha
 * or padding, or three runs if its pixels share groups; if a word holds several
 * samples, each component is a run. */
typedef struct
{
  VhRunGroups groups;
  guint component;              /* index of the first, which gives the plane
                                 * and the size of words */
  guint offset;                 /* bytes from the start of a row */
  guint pixel_stride;           /* bytes from sample to sample */
  guint samples;                /* of a group, 8 at most */
  guint used;                   /* bit for each sample of a group that is
                                 * compared; the others are alpha, padding or
                                 * outside of the picture */
  guint w_sub, h_sub;           /* log2 of the pixels and rows of a group */
} VhSampleRun;

#define VH_MAX_SAMPLE_RUNS 3

/* Fills @runs; returns how many there are. */
guint vh_layout_sample_runs (const VhLayout * layout,
    VhSampleRun runs[VH_MAX_SAMPLE_RUNS]);

/* The set of planes (bit per index) that the runs lie in. */
guint vh_layout_sample_planes (const VhLayout * layout);

/* Where the groups of @run lie that @picture, in pixels, has: in samples and
 * rows. The width is 0 if it has none. */
VhRect vh_sample_run_rect (const VhSampleRun * run, const VhRect * picture);

/* The largest such rectangle for a picture of @layout, which may start and end
 * within groups. */
VhRect vh_sample_run_most (const VhSampleRun * run, const VhLayout * layout);

/* What to do with a frame. */
typedef struct
{
  const VhRect *ignored;        /* in pixels of the picture; not compared */
  guint n_ignored;              /* VH_DIFFERENCE_MAX_IGNORED at most */
  VhCounts *counts;             /* pending, of vh_difference_shape() */

  /* Results. */
  gboolean compared;            /* FALSE: @counts have failed, because no kept
                                 * frame has as many samples */
  guint64 n;                    /* samples that are compared */
} VhDifference;

/* Fills @ignored with the rectangles of @work that overlap @bounds, in samples
 * of @run and relative to @bounds, which is the picture of @view. Returns how
 * many there are. */
guint vh_difference_find_ignored (const VhDifference * work,
    const VhFrameView * view, const VhSampleRun * run, const VhRect * bounds,
    VhRect ignored[VH_DIFFERENCE_MAX_IGNORED]);

/* Finds the next samples to compare in row @y, at or after @from and before
 * @width: sets @from to the first one and @end to the position after the last
 * one. FALSE if nothing is left. */
gboolean vh_difference_next (const VhRect * ignored, guint n_ignored, guint y,
    guint width, guint * from, guint * end);

/* How many samples of @run in @bounds are compared. */
guint64 vh_difference_count (const VhSampleRun * run, const VhRect * bounds,
    const VhRect * ignored, guint n_ignored);

/* Counts that hold the sum of differences in parts of 16 bits, lowest first. A
 * part may exceed 16 bits: the sum is that of all `part << 16 * index`. */
VhCountsShape vh_difference_shape (void);
void vh_difference_set_sum (VhCounts * counts, guint64 sum);
guint64 vh_difference_get_sum (VhCounts * counts);

G_END_DECLS
