/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* False color and zebra: how they change the picture. */
#pragma once

#include <gst/videohistogram/gstvideoscopesettings.h>
#include "core/scope.h"

G_BEGIN_DECLS

#define VH_SCOPE_MAX_BANDS 28

/* Percentages below and above any luma. */
#define VH_SCOPE_ALL_BELOW -1000
#define VH_SCOPE_ALL_ABOVE 1000

/* Luma from @from to below @to, in percent, is shown in @rgb or in grey. */
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

/* Parses a table: bands, separated by newlines or semicolons, as FROM TO
 * #RRGGBB or FROM TO grey, in levels (1 is white), from the lowest. FALSE with
 * the error SPEC, and @table unchanged, if @text is not a table. */
gboolean vh_scope_table_parse (VhScopeTable * table, const gchar * text,
    GError ** error);

/* Fills @look for frames of @layout and @colors. The caller owns its table,
 * which is NULL if @settings leave the picture unchanged. */
void vh_scope_look_init (VhScopeLook * look,
    const GstVideoScopeSettings * settings, const VhScopeTable * own,
    const VhLayout * layout, const VhScopeColors * colors);

G_END_DECLS
