/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the traces of a stream on the CPU: counts, and what is shown of
 * them. */
#pragma once

#include "core/scope.h"
#include "rows.h"

G_BEGIN_DECLS

/* Where cells have counts; the least is above the most where none has. */
typedef struct
{
  guint32 *least, *most;
} VhExtents;

/* Of a waveform a row of the table is a level, with a cell for each column; of
 * U and V it is U, with a cell for each V. */
typedef struct
{
  gboolean has_counts;          /* of this frame */
  gboolean is_new;              /* nothing is shown of earlier frames */
  gboolean has_shown;           /* or what is shown is the counts */
  guint rows, columns;
  gsize stride;                 /* cells from row to row */
  guint32 *counts;              /* [rows][stride], of a histogram [columns] */
  gfloat *shown;                /* the same */
  VhExtents now, ever;          /* [columns], in rows */
  VhExtents now_across, ever_across;    /* [rows], in columns, of U and V */
  guint32 *bar, *peak;          /* [width], of a histogram, pixels */
} VhScopeState;

typedef struct _VhScopeCounts VhScopeCounts;

VhScopeCounts *vh_scope_counts_new (const VhLoops * loops);
void vh_scope_counts_free (VhScopeCounts * self);

/* Counts by @plan from now on. FALSE with DEVICE if there is not enough memory;
 * then it stays as it was. */
gboolean vh_scope_counts_configure (VhScopeCounts * self,
    const VhLayout * layout, VhScopePlan * plan, GError ** error);

/* Counts the picture of @view, which is mapped and no wider than the caps say,
 * and takes the counts of @job, for which it waits. */
void vh_scope_counts_add (VhScopeCounts * self, const VhFrameView * view,
    const VhScopeJob * job);

const VhScopeState *vh_scope_counts_get (VhScopeCounts * self, guint i);

/* What is shown of row @row of a table: cells of counts, or of floats. */
const guint32 *vh_scope_state_row (const VhScopeState * state, guint row);

/* Copies the table of trace @i of the last frame as read() of VhScopeClass has
 * it; FALSE if there is none. */
gboolean vh_scope_counts_read (VhScopeCounts * self, guint i,
    guint32 * counts);

G_END_DECLS
