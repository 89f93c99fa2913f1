/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of scopes and their traces in the output. */
#pragma once

#include <gst/videohistogram/gstvideoscopesettings.h>
#include "core/scope.h"
#include "scopescales.h"

G_BEGIN_DECLS

#define VH_SCOPE_MAX_PLOTS 3

/* A rectangle with one or more values drawn over one another. */
typedef struct
{
  VhRect rect;                  /* in pixels of the output */
  guint n_values;
  guint value[VH_SCOPE_MAX_PLOTS];      /* VH_SCOPE_LUMA ...; a vectorscope has
                                         * no values */
  VhScopeAxis axis;             /* of the first value */
} VhScopePlot;

/* A rectangle with one scope. */
typedef struct
{
  GstVideoScopes scope;         /* one bit; FALSE_COLOR stands for the key */
  VhRect rect;                  /* in pixels of the output */
  guint n_plots;
  VhScopePlot plot[VH_SCOPE_MAX_PLOTS];
  guint text;                   /* height of text in pixels; 0: no text */
} VhScopeView;

typedef struct
{
  guint n_views;
  VhScopeView view[VH_SCOPE_MAX_PANELS];
  gboolean shows_picture;
  guint picture_x, picture_y;
  gboolean over_picture;        /* the scopes are over the picture */
} VhScopeScene;

/* Arranges the scopes that @settings ask for, for pictures of @width x @height
 * pixels in frames of @in, in an output of @out. */
void vh_scope_scene_arrange (VhScopeScene * scene,
    const GstVideoScopeSettings * settings, const VhLayout * in, guint width,
    guint height, const VhLayout * out);

G_END_DECLS
