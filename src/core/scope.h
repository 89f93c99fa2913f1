/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What videoscope counts in the frames of a stream, and what it draws. */
#pragma once

#include "counts.h"
#include "frameview.h"
#include "traces.h"

G_BEGIN_DECLS

/* How the picture is shown: false colour and zebra. */
typedef struct
{
  guint8 *of_code;              /* VH_LOOK_SAME ... for each code value of luma,
                                 * 2^depth; NULL: the picture stays as it is */
  guint n_colors;
  guint16 color[VH_LOOK_MAX_COLORS][3]; /* code values of the components */
  guint16 stripe[3];            /* code values of the components of zebra
                                 * stripes */
  guint period;                 /* of zebra stripes, in pixels; even */
} VhScopeLook;

/* Everything that does not change from frame to frame. Never changed once it is
 * made; thread-safe. */
typedef struct
{
  gint refcount;                /* atomic */

  guint n_traces;
  VhScopeTrace trace[VH_SCOPE_MAX_TRACES];
  guint8 brightness[VH_SCOPE_MAX_TRACES][VH_SCOPE_STEPS];       /* 0 ... 255:
                                 * 0 for step 0, and never decreasing; a
                                 * histogram uses only the last entry */
  guint n_panels;
  VhScopePanel panel[VH_SCOPE_MAX_PANELS];      /* do not overlap */
  guint32 *graticules;          /* pixels of all panels: Cairo's ARGB, with
                                 * premultiplied alpha */
  gsize n_graticules;           /* pixels */
  guint envelope;               /* VH_ENVELOPE_INSTANT ... */
  VhScopeColors colors;
  VhScopeLook look;

  gboolean shows_picture;       /* the output has the picture, with its first
                                 * pixel at @picture_x and @picture_y, which are
                                 * multiples of the size of a chroma sample in
                                 * pixels */
  guint picture_x, picture_y;
} VhScopePlan;

/* Zeroed, with one reference. */
VhScopePlan *vh_scope_plan_new (void);
VhScopePlan *vh_scope_plan_ref (VhScopePlan * plan);
void vh_scope_plan_unref (VhScopePlan * plan);

/* Whether trace @i counts the same as in @before, so that it can keep what it
 * shows, and its peaks if both plans have them; @before may be NULL. */
gboolean vh_scope_plan_continues (const VhScopePlan * plan,
    const VhScopePlan * before, guint i);

/* How many counters the table of @trace has. */
gsize vh_scope_trace_cells (const VhScopeTrace * trace);

/* The samples of @trace in the picture of @view: its pixels or, for U or V of
 * YUV, its chroma samples, in samples of their plane. */
VhRect vh_scope_trace_region (const VhScopeTrace * trace,
    const VhFrameView * view);

/* Whether the picture of @in can be drawn by @plan into @out, a view of all
 * planes, which may be @in itself. Otherwise FALSE with @error set to
 * VH_ERROR_FRAME: the picture is larger than its caps say or starts where its
 * pixels share chroma with others, it or a panel does not fit, or a plane of
 * @out spans several memories. */
gboolean vh_scope_plan_takes (const VhScopePlan * plan,
    const VhFrameView * in, const VhFrameView * out, GError ** error);

/* Fills the colours for frames of @layout. U and V of RGB frames are computed
 * for limited range, whatever the range of the frames. */
void vh_scope_colors_init (VhScopeColors * colors, const VhLayout * layout);

#define VH_SCOPE_MAX_PATTERN 8

/* Fills @pattern with the bytes that each row of @plane repeats in a black,
 * opaque frame of @layout; returns how many there are. Bits that belong neither
 * to samples nor to alpha are 0. */
guint vh_scope_black (const VhScopeColors * colors, const VhLayout * layout,
    guint plane, guint8 pattern[VH_SCOPE_MAX_PATTERN]);

/* What to do with a frame. A trace is not drawn if its counts are missing, have
 * other bins or have failed, or if it is of U or V and frames have no colour;
 * it keeps what it shows for the next frame. */
typedef struct
{
  VhCounts *histogram;          /* for traces of histograms: their channels and
                                 * bins, whole picture; may be pending or
                                 * failed. NULL without such a trace */
  VhCounts *chroma;             /* joint histogram of U and V, likewise; its
                                 * sums are histograms of U and of V */
  gfloat decay;                 /* the fraction of the shown traces that
                                 * remains from the last frame, 0 (no
                                 * persistence) to 1 */
  gboolean reset;               /* forget the earlier frames */
} VhScopeJob;

G_END_DECLS
