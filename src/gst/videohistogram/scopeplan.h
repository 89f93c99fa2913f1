/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What GstVideoScopeSettings mean for frames. */
#pragma once

#include "scopecolors.h"
#include "scopegraticule.h"

G_BEGIN_DECLS

/* All that a plan depends on besides the frames. */
typedef struct
{
  GstVideoScopeSettings settings;
  VhScopeTable table;           /* of GST_VIDEO_SCOPE_FALSE_COLOR_TABLE */
  guint n_lines;
  gdouble line[GST_VIDEO_SCOPE_MAX_LINES];      /* in units of the scale */
} VhScopeWishes;

/* FALSE with SPEC if a field of @settings is outside of its limits. */
gboolean vh_scope_check_settings (const GstVideoScopeSettings * settings,
    GError ** error);

/* Whether frames are changed at all, as far as their size does not tell. */
gboolean vh_scope_draws (const GstVideoScopeSettings * settings);

/* What drawing a graticule takes, to be done once: see vh_scope_plan_make(). */
typedef struct _VhScopeSketch VhScopeSketch;

VhScopeSketch *vh_scope_sketch_new (void);
void vh_scope_sketch_free (VhScopeSketch * sketch);

/* A plan for pictures of @width x @height pixels of frames of @in, drawn into
 * frames of @out. The graticule in @sketch is used again if it would be the
 * same, and otherwise replaced. NULL with OVERLOAD if there is not enough
 * memory. */
VhScopePlan *vh_scope_plan_make (const VhScopeWishes * wishes,
    const VhLayout * in, guint width, guint height, const VhLayout * out,
    VhScopeSketch * sketch, GError ** error);

G_END_DECLS
