/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopecolors.h"
#include "core/error.h"
#include "scopescales.h"

#include <stdio.h>

/* Number of zebra stripes over the height of the picture, and their smallest
 * period in pixels. */
#define STRIPES 90
#define MIN_PERIOD 8

/* Limits for the levels of a user's table, so that a table in percent is
 * refused. */
#define MIN_LEVEL -1
#define MAX_LEVEL 2

#define BELOW VH_SCOPE_ALL_BELOW
#define ABOVE VH_SCOPE_ALL_ABOVE

/* Luma between the bands is shown in grey. */
/* *INDENT-OFF* */
static const VhScopeTable tables[] = {
  [GST_VIDEO_SCOPE_FALSE_COLOR_ARRI] = {6, {
      {BELOW, 2.5, FALSE, {128, 0, 160}},       /* black clips */
      {2.5, 4, FALSE, {32, 64, 255}},           /* just above */
      {38, 42, FALSE, {0, 176, 64}},            /* grey of 18 % */
      {52, 56, FALSE, {255, 150, 170}},         /* light skin, a stop above */
      {97, 99, FALSE, {255, 224, 0}},           /* just below */
      {99, ABOVE, FALSE, {240, 16, 16}},        /* white clips */
  }},
  [GST_VIDEO_SCOPE_FALSE_COLOR_OBS] = {11, {
      {BELOW, 2, FALSE, {112, 0, 144}},
      {2, 10, FALSE, {32, 48, 224}},
      {10, 20, FALSE, {48, 128, 224}},
      {20, 42, TRUE},
      {42, 48, FALSE, {0, 176, 64}},
      {48, 52, TRUE},
      {52, 58, FALSE, {255, 150, 170}},
      {58, 78, TRUE},
      {78, 84, FALSE, {224, 208, 96}},
      {84, 94, FALSE, {255, 240, 0}},
      {94, ABOVE, FALSE, {240, 16, 16}},
  }},
  [GST_VIDEO_SCOPE_FALSE_COLOR_CINEZONE] = {5, {
      {BELOW, 0, FALSE, {0, 0, 0}},
      {0, 33, FALSE, {32, 64, 255}},
      {33, 66, FALSE, {0, 176, 64}},
      {66, 100, FALSE, {240, 48, 32}},
      {100, ABOVE, FALSE, {255, 255, 255}},
  }},
};
/* *INDENT-ON* */

const VhScopeTable *
vh_scope_find_table (GstVideoScopeFalseColor color, const VhScopeTable * own)
{
  return color < G_N_ELEMENTS (tables) ? &tables[color] : own;
}

/* Parses one band; FALSE if @line is not a band. */
static gboolean
parse_band (const gchar * line, VhScopeBand * band)
{
  gchar *end;
  guint rgb;
  gint used = 0;

  band->from = 100 * g_ascii_strtod (line, &end);
  if (end == line)
    return FALSE;
  line = end;
  band->to = 100 * g_ascii_strtod (line, &end);
  if (end == line || !(band->from >= MIN_LEVEL * 100
          && band->from < band->to && band->to <= MAX_LEVEL * 100))
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  band->grey = strcmp (end, "grey") == 0;
  if (band->grey)
    return TRUE;
  if (strlen (end) != 7 || sscanf (end, "#%6x%n", &rgb, &used) != 1
      || used != 7)
    return FALSE;
  band->rgb[0] = rgb >> 16;
  band->rgb[1] = rgb >> 8 & 255;
  band->rgb[2] = rgb & 255;
  return TRUE;
}

gboolean
vh_scope_table_parse (VhScopeTable * table, const gchar * text,
    GError ** error)
{
  VhScopeTable read = { 0, };
  const gchar *problem = NULL;
  gchar **lines;
  guint i;

  if (!g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The false-color table is not "
        "valid UTF-8");
    return FALSE;
  }
  lines = g_strsplit_set (text, ";\n", -1);
  for (i = 0; lines[i] && !problem; i++) {
    VhScopeBand band = { 0, };

    g_strstrip (lines[i]);
    if (!*lines[i])
      continue;
    if (read.n_bands == VH_SCOPE_MAX_BANDS)
      problem = "at most " G_STRINGIFY (VH_SCOPE_MAX_BANDS)
          " bands are allowed";
    else if (!parse_band (lines[i], &band))
      problem = "expected FROM TO #RRGGBB, or FROM TO grey, with FROM below "
          "TO, both levels from " G_STRINGIFY (MIN_LEVEL) " to "
          G_STRINGIFY (MAX_LEVEL) " (0 is black, 1 is white)";
    else if (read.n_bands > 0 && band.from < read.band[read.n_bands - 1].to)
      problem = "it overlaps the band before it, or is out of order";
    else
      read.band[read.n_bands++] = band;
  }
  if (problem)
    vh_set_text_error (error, VH_ERROR_SPEC, "Band %u of the false-color "
        "table, \"%s\": %s", i, lines[i - 1], problem);
  else
    *table = read;
  g_strfreev (lines);
  return problem == NULL;
}

/* Converts @rgb to code values. */
static void
convert (const VhScopeColors * colors, const guint8 rgb[3], guint16 code[3])
{
  guint i;

  for (i = 0; i < 3; i++) {
    const gint64 value = colors->offset[i] +
        (((gint64) colors->scale[i][0] * rgb[0] +
            (gint64) colors->scale[i][1] * rgb[1] +
            (gint64) colors->scale[i][2] * rgb[2] + 32768) >> 16);

    code[i] = CLAMP (value, 0, (gint64) colors->max);
  }
}

/* How luma of @percent is shown. */
static guint
find_look (const VhScopeTable * table, gdouble percent)
{
  guint color = 0, i;

  if (!table)
    return VH_LOOK_SAME;
  for (i = 0; i < table->n_bands; i++) {
    const VhScopeBand *band = &table->band[i];

    if (percent >= band->from && percent < band->to)
      return band->grey ? VH_LOOK_GREY : VH_LOOK_COLOR + color;
    color += !band->grey;
  }
  return VH_LOOK_GREY;
}

void
vh_scope_look_init (VhScopeLook * look, const GstVideoScopeSettings * settings,
    const VhScopeTable * own, const VhLayout * layout,
    const VhScopeColors * colors)
{
  static const guint8 black[3];
  const gboolean zebra = settings->scopes & GST_VIDEO_SCOPES_ZEBRA;
  const VhScopeTable *table = NULL;
  const guint n = 1u << layout->depth;
  VhScopeAxis axis;
  guint i;

  if (settings->scopes & GST_VIDEO_SCOPES_FALSE_COLOR)
    table = vh_scope_find_table (settings->false_color, own);
  *look = (VhScopeLook) { 0, };
  if (!table && !zebra)
    return;

  look->of_code = g_malloc (n);
  vh_scope_axis_init (&axis, layout, VH_SCOPE_LUMA);
  for (i = 0; i < n; i++) {
    const gdouble level = (i - axis.black) / (axis.white - axis.black);

    look->of_code[i] = find_look (table, 100 * level);
    if (zebra && level >= settings->zebra_low
        && level <= settings->zebra_high)
      look->of_code[i] |= VH_LOOK_ZEBRA;
  }
  for (i = 0; table && i < table->n_bands; i++) {
    if (!table->band[i].grey)
      convert (colors, table->band[i].rgb, look->color[look->n_colors++]);
  }
  convert (colors, black, look->stripe);
  look->period = MAX (MIN_PERIOD,
      GST_VIDEO_INFO_HEIGHT (&layout->info) / STRIPES / 2 * 2);
}
