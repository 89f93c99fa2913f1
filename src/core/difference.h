/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much a frame differs from another that was kept: the sum of the absolute
 * differences of all their samples. */
#pragma once

#include "counts.h"
#include "frameview.h"

G_BEGIN_DECLS

/* The rectangles that can be left out, at most. */
#define VH_DIFFERENCE_MAX_IGNORED 16

/* Samples that are compared in the order in which they lie in the rows of a
 * plane, group by group. Where all words of a plane are samples, or alpha or
 * padding, the plane is one run; where a word holds several samples, each
 * component is one. */
typedef struct
{
  guint component;              /* index of the first, which tells the plane and
                                 * the words */
  guint offset;                 /* bytes from the beginning of a row */
  guint pixel_stride;           /* bytes from sample to sample */
  guint samples;                /* of a group, 8 at most */
  guint used;                   /* bit for each of them; the others are alpha or
                                 * padding */
  guint w_sub, h_sub;           /* log2 of the pixels and rows of a group */
} VhSampleRun;

#define VH_MAX_SAMPLE_RUNS 3

/* Fills @runs; returns how many there are. */
guint vh_layout_sample_runs (const VhLayout * layout,
    VhSampleRun runs[VH_MAX_SAMPLE_RUNS]);

/* The set of planes (bit per index) that the runs lie in. */
guint vh_layout_sample_planes (const VhLayout * layout);

/* Where the groups of the pixels in @rect lie, in samples and rows of @run. */
VhRect vh_sample_run_rect (const VhSampleRun * run, const VhRect * rect);

/* As many as a picture of @layout has at most, which may begin and end within
 * groups. */
VhRect vh_sample_run_most (const VhSampleRun * run, const VhLayout * layout);

/* What to do with a frame. */
typedef struct
{
  const VhRect *ignored;        /* in pixels of the picture: what lies there is
                                 * not compared */
  guint n_ignored;              /* VH_DIFFERENCE_MAX_IGNORED at most */
  VhCounts *counts;             /* pending, of vh_difference_shape() */

  /* Answers. */
  gboolean compared;            /* or @counts have failed, since no frame is
                                 * kept whose picture has as many samples */
  guint64 n;                    /* samples that are compared */
} VhDifference;

/* The rectangles of @work in @bounds, which are those of the picture of @view
 * in @run, and relative to them. Returns how many there are. */
guint vh_difference_find_ignored (const VhDifference * work,
    const VhFrameView * view, const VhSampleRun * run, const VhRect * bounds,
    VhRect ignored[VH_DIFFERENCE_MAX_IGNORED]);

/* Finds the next samples of row @y that are compared, from @from on and before
 * @end. The first is not before @from as it was, the last before @width. FALSE
 * if there are none. */
gboolean vh_difference_next (const VhRect * ignored, guint n_ignored, guint y,
    guint width, guint * from, guint * end);

/* How many samples of @run in @bounds are compared. */
guint64 vh_difference_count (const VhSampleRun * run, const VhRect * bounds,
    const VhRect * ignored, guint n_ignored);

/* Counts that are the sum of differences: each has 16 bits of it, the lowest
 * come first, and what goes beyond is carried to the next. */
VhCountsShape vh_difference_shape (void);
void vh_difference_set_sum (VhCounts * counts, guint64 sum);
guint64 vh_difference_get_sum (VhCounts * counts);

G_END_DECLS
