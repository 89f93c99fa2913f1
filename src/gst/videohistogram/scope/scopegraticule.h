/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "scopecolors.h"
#include "scopescene.h"

G_BEGIN_DECLS

/* What to draw in a graticule. */
typedef struct
{
  GstVideoScopeGraticule graticule;
  GstVideoScopeScale scale;
  GstVideoScopeLimits limits;
  GstVideoScopeTargets targets;
  gdouble skin_line;            /* degrees; 0: none */
  guint n_lines;
  gdouble line[GST_VIDEO_SCOPE_MAX_LINES];      /* in units of scale */
  const VhScopeTable *table;    /* of false color, shown as a key; NULL: no
                                 * key */
} VhScopeMarks;

/* Draws the graticule of @view, for frames of @layout, to @pixels: width x
 * height, ARGB with premultiplied alpha, transparent elsewhere. */
void vh_scope_graticule_draw (const VhScopeView * view,
    const VhLayout * layout, const VhScopeMarks * marks, guint32 * pixels);

/* Returns the column or row of @code, in pixels from the side of code 0, where
 * 2^@depth codes are shown in @pixels columns or rows. */
guint vh_scope_graticule_place (gdouble code, guint depth, guint pixels);

G_END_DECLS
