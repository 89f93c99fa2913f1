/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What GstVideoScopeSettings mean for frames. */
#pragma once

#include "scopecolors.h"
#include "scopegraticule.h"

G_BEGIN_DECLS

/* Everything that a plan depends on besides the frames. */
typedef struct
{
  GstVideoScopeSettings settings;
  VhScopeTable table;           /* of GST_VIDEO_SCOPE_FALSE_COLOR_TABLE */
  guint n_lines;
  gdouble line[GST_VIDEO_SCOPE_MAX_LINES];      /* in units of the scale */
} VhScopeWishes;

/* FALSE with the error SPEC if a field of @settings is outside its limits. */
gboolean vh_scope_check_settings (const GstVideoScopeSettings * settings,
    GError ** error);

/* Graticules that are kept so that they are drawn only once: see
 * vh_scope_plan_make(). */
typedef struct _VhScopeSketch VhScopeSketch;

VhScopeSketch *vh_scope_sketch_new (void);
void vh_scope_sketch_free (VhScopeSketch * sketch);

/* Makes a plan for pictures of @width x @height pixels in frames of @in, drawn
 * into frames of @out. Reuses the graticule in @sketch if it would be the same,
 * otherwise replaces it. NULL with the error OVERLOAD if there is not enough
 * memory. */
VhScopePlan *vh_scope_plan_make (const VhScopeWishes * wishes,
    const VhLayout * in, guint width, guint height, const VhLayout * out,
    VhScopeSketch * sketch, GError ** error);

G_END_DECLS
