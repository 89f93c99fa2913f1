/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* False color and zebra: what becomes of the picture. */
#pragma once

#include <gst/videohistogram/gstvideoscopesettings.h>
#include "core/scope.h"

G_BEGIN_DECLS

#define VH_SCOPE_MAX_BANDS 28

/* Percents beyond any luma. */
#define VH_SCOPE_ALL_BELOW -1000
#define VH_SCOPE_ALL_ABOVE 1000

/* Luma from @from to below @to, in percent, is shown in @rgb, or without
 * color. */
typedef struct
{
  gdouble from, to;
  gboolean grey;
  guint8 rgb[3];
} VhScopeBand;

typedef struct
{
  guint n_bands;                /* from the lowest; luma between bands is
                                 * grey */
  VhScopeBand band[VH_SCOPE_MAX_BANDS];
} VhScopeTable;

/* The table of @color, which may be @own. */
const VhScopeTable *vh_scope_find_table (GstVideoScopeFalseColor color,
    const VhScopeTable * own);

/* Reads a table: for each band, on a line of its own or before a semicolon,
 * FROM TO #RRGGBB or FROM TO grey, in levels (1 is white), from the lowest.
 * FALSE with SPEC, and @table unchanged, if @text is not one. */
gboolean vh_scope_table_parse (VhScopeTable * table, const gchar * text,
    GError ** error);

/* Fills @look for frames of @layout, and @colors. Its table belongs to the
 * caller, and is NULL if @settings leave the picture as it is. */
void vh_scope_look_init (VhScopeLook * look,
    const GstVideoScopeSettings * settings, const VhScopeTable * own,
    const VhLayout * layout, const VhScopeColors * colors);

G_END_DECLS
