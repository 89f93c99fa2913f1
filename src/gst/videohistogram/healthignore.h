/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectangles of the picture that a condition is not judged by. */
#pragma once

#include "core/frameview.h"
#include "gstvideohealthcondition.h"
#include "gstvideohistogram.h"

G_BEGIN_DECLS

/* The rectangles of all conditions together, at most. */
#define VH_HEALTH_MAX_IGNORED 16

typedef struct
{
  guint n;
  struct
  {
    GstVideoHealthCondition condition;
    VhRect rect;                /* pixels of the picture */
  } of[VH_HEALTH_MAX_IGNORED];
} VhHealthIgnored;

/* Reads @text, which may be NULL. FALSE leaves @ignored unchanged. */
gboolean vh_health_ignored_parse (VhHealthIgnored * ignored,
    const gchar * text, GError ** error);

/* The rectangles of @condition. Returns how many there are. */
guint vh_health_ignored_get (const VhHealthIgnored * ignored,
    GstVideoHealthCondition condition, VhRect rects[VH_HEALTH_MAX_IGNORED]);

/* Whether a rectangle of @condition touches a cell of the grid of @info. */
gboolean vh_health_ignored_touches (const VhHealthIgnored * ignored,
    GstVideoHealthCondition condition, const GstVideoHistogramInfo * info,
    guint column, guint row);

G_END_DECLS
