/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A part of the view that something covers: one blob of cells that have lost
 * what they usually show, while the rest of the view is as usual. */
#pragma once

#include "healthscenes.h"

G_BEGIN_DECLS

/* What a frame shows in each cell. */
typedef struct
{
  gdouble contents[VH_HEALTH_CELLS];    /* as in VhHealthSlot */
  guint64 lost;                 /* cells with next to nothing left of their
                                 * usual contents, a bit each */
} VhHealthRemains;

/* Whether the usual view shows through in the cells that have lost their
 * contents: they keep a share of how bright they are beside each other. Fog
 * does that, even if it leaves next to nothing. */
gboolean vh_health_shows_through (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, const VhHealthRemains * remains);

/* Returns the share of the picture that is covered, which is 0 if the rest
 * shows another scene; sets @cells to the covered cells. */
gdouble vh_health_obstruction_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, const VhHealthRemains * remains,
    guint64 * cells);

/* Returns @cells and those next to them, which may be covered in part. */
guint64 vh_health_obstruction_widen (guint64 cells, guint columns, guint rows);

/* Returns where @cells are, in words such as "the lower left corner"; NULL if
 * @cells is empty. */
const gchar *vh_health_describe_place (guint64 cells, guint columns,
    guint rows);

/* The cells next to @cells, on four sides or also at the corners. */
guint64 vh_health_find_neighbours (guint64 cells, guint columns, guint rows,
    gboolean corners);

/* The largest set of @cells that are connected by their sides. */
guint64 vh_health_find_blob (guint64 cells, guint columns, guint rows);

G_END_DECLS
