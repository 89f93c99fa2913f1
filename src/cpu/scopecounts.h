/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of a stream's traces on the CPU: the counts, and what is shown of
 * them. */
#pragma once

#include "core/scope.h"
#include "rows.h"

G_BEGIN_DECLS

/* The first and last cells with counts; least is above most if there are no
 * counts. */
typedef struct
{
  guint32 *least, *most;
} VhExtents;

/* In a waveform's table a row is a level, with a cell for each column; in the
 * table of U and V a row is a value of U, with a cell for each V. */
typedef struct
{
  gboolean has_counts;          /* of this frame */
  gboolean is_new;              /* nothing is shown of earlier frames */
  gboolean has_shown;           /* FALSE: the counts are what is shown */
  guint rows, columns;
  gsize stride;                 /* cells from row to row */
  guint32 *counts;              /* [rows][stride]; [columns] of a histogram */
  gfloat *shown;                /* the same */
  VhExtents now, ever;          /* [columns], as row numbers */
  VhExtents now_across, ever_across;    /* [rows], as column numbers; only U and
                                         * V */
  guint32 *bar, *peak;          /* [width], in pixels; only histograms */
} VhScopeState;

typedef struct _VhScopeCounts VhScopeCounts;

VhScopeCounts *vh_scope_counts_new (const VhLoops * loops);
void vh_scope_counts_free (VhScopeCounts * self);

/* Counts by @plan from now on. FALSE with DEVICE if there is not enough memory;
 * then nothing changes. */
gboolean vh_scope_counts_configure (VhScopeCounts * self,
    const VhLayout * layout, VhScopePlan * plan, GError ** error);

/* Counts the picture of @view, which is mapped and no wider than the caps say,
 * waits for the counts of @job, and uses them. */
void vh_scope_counts_add (VhScopeCounts * self, const VhFrameView * view,
    const VhScopeJob * job);

const VhScopeState *vh_scope_counts_get (VhScopeCounts * self, guint i);

/* What is shown of row @row of a table: cells of counts, or of floats. */
const guint32 *vh_scope_state_row (const VhScopeState * state, guint row);

/* Copies the table of trace @i of the last frame, as read() of VhScopeClass
 * does; FALSE if there is none. */
gboolean vh_scope_counts_read (VhScopeCounts * self, guint i,
    guint32 * counts);

G_END_DECLS
