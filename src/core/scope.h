/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What videoscope counts and draws of the frames of a stream. */
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
  guint16 stripe[3];            /* of zebra, the same */
  guint period;                 /* of its stripes, in pixels, even */
} VhScopeLook;

/* Everything that does not change from frame to frame. Never changed once it is
 * made; thread-safe. */
typedef struct
{
  gint refcount;                /* atomic */

  guint n_traces;
  VhScopeTrace trace[VH_SCOPE_MAX_TRACES];
  guint8 brightness[VH_SCOPE_MAX_TRACES][VH_SCOPE_STEPS];       /* 0 ... 255;
                                 * of a histogram only the last entry is used */
  guint n_panels;
  VhScopePanel panel[VH_SCOPE_MAX_PANELS];      /* which do not overlap */
  guint32 *graticules;          /* pixels of all panels, ARGB as Cairo has them,
                                 * multiplied with alpha */
  gsize n_graticules;           /* pixels */
  guint envelope;               /* VH_ENVELOPE_INSTANT ... */
  VhScopeColors colors;
  VhScopeLook look;

  gboolean shows_picture;       /* the output has the picture, with its first
                                 * pixel at @picture_x and @picture_y, which are
                                 * multiples of what chroma covers */
  guint picture_x, picture_y;
} VhScopePlan;

/* Zeroed, with one reference. */
VhScopePlan *vh_scope_plan_new (void);
VhScopePlan *vh_scope_plan_ref (VhScopePlan * plan);
void vh_scope_plan_unref (VhScopePlan * plan);

/* Whether trace @i counts the same as that of @before, so that what is shown of
 * it goes on; @before may be NULL. */
gboolean vh_scope_plan_continues (const VhScopePlan * plan,
    const VhScopePlan * before, guint i);

/* How many counters the table of @trace has. */
gsize vh_scope_trace_cells (const VhScopeTrace * trace);

/* The samples of @trace in the picture of @view: its pixels, or the chroma
 * samples of U or V of YUV, in samples of their plane. */
VhRect vh_scope_trace_region (const VhScopeTrace * trace,
    const VhFrameView * view);

/* Fills the colours for frames of @layout. */
void vh_scope_colors_init (VhScopeColors * colors, const VhLayout * layout);

/* What to do with a frame. */
typedef struct
{
  VhCounts *histogram;          /* of the channels of the traces of histograms,
                                 * in their bins, whole picture; may be pending,
                                 * or failed: then nothing is drawn of them.
                                 * NULL if there is no such trace */
  VhCounts *chroma;             /* joint histogram of U and V, likewise */
  gfloat decay;                 /* of what is shown, since the last frame, 0
                                 * (no persistence) to 1 */
  gboolean reset;               /* forget the earlier frames */
} VhScopeJob;

G_END_DECLS
