/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The positions and labels of lines on the axis of a scope. */
#pragma once

#include <gst/videohistogram/gstvideoscopesettings.h>
#include "core/layout.h"

G_BEGIN_DECLS

/* The code values of the signal that a trace shows. */
typedef struct
{
  gdouble black, white;         /* 0 and 100 %; for U and V -50 and 50 % */
  guint depth;
  gboolean limited;             /* codes beyond these are possible */
  gboolean chroma;              /* of U or V */
  GstVideoTransferFunction transfer;
} VhScopeAxis;

/* Fills the axis of @value, VH_SCOPE_LUMA ..., of frames of @layout. */
void vh_scope_axis_init (VhScopeAxis * axis, const VhLayout * layout,
    guint value);

/* Converts @number in the unit of @scale to a code value, which may be out of
 * range. */
gdouble vh_scope_scale_code (GstVideoScopeScale scale, const VhScopeAxis * axis,
    gdouble number);

/* A line of a scale, or a limit. */
typedef struct
{
  gdouble code;
  gchar label[16];
} VhScopeLine;

#define VH_SCOPE_MAX_SCALE_LINES 20

/* Fills @lines, up to VH_SCOPE_MAX_SCALE_LINES, with the lines of @scale that
 * are in range, from the lowest; returns how many. */
guint vh_scope_scale_lines (GstVideoScopeScale scale, const VhScopeAxis * axis,
    VhScopeLine * lines);

/* The same for @limits, without labels. */
guint vh_scope_limit_lines (GstVideoScopeLimits limits,
    const VhScopeAxis * axis, VhScopeLine * lines);

/* A color bar in a vectorscope. */
typedef struct
{
  const gchar *name;
  gdouble u, v;                 /* code values of 8 bits, with fractions */
} VhScopeTarget;

#define VH_SCOPE_N_TARGETS 6

/* Fills the targets of bars of @level (1: 100 %) in frames of @layout. */
void vh_scope_targets (const VhLayout * layout, gdouble level,
    VhScopeTarget targets[VH_SCOPE_N_TARGETS]);

G_END_DECLS
