/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthzones.h"
#include "healthluminance.h"

#include <math.h>
#include <string.h>

/* Columns of zones are columns of cells. Rows of zones are the rows of
 * VhHealthEvidence; a row of cells combines several of them. */
G_STATIC_ASSERT (VH_ZONE_COLUMNS == VH_HEALTH_SIDE);
G_STATIC_ASSERT (VH_ZONE_ROWS == VH_HEALTH_ROWS);
G_STATIC_ASSERT (VH_ZONE_ROWS % VH_HEALTH_SIDE == 0);

#define ZONES_OF_CELL (VH_ZONE_ROWS / VH_HEALTH_SIDE)

gboolean
vh_health_find_steps (const VhHealthScale * scale, guint8 steps[VH_STEP_LEVELS])
{
  gdouble luminance[VH_STEP_LEVELS];
  guint a, b = 0;

  if (!scale->luminance)
    return FALSE;
  for (a = 0; a < VH_STEP_LEVELS; a++) {
    luminance[a] =
        scale->luminance[(guint64) a * scale->bins / VH_STEP_LEVELS] / 256.0;
  }
  /* Luminance never decreases with the level, so neither does the result. */
  for (a = 0; a < VH_STEP_LEVELS; a++) {
    b = MAX (b, a);
    while (b < VH_STEP_LEVELS && !vh_health_is_step (luminance[a],
            luminance[b]))
      b++;
    steps[a] = b;
  }
  return TRUE;
}

typedef struct
{
  guint64 gradients, squares;
} Texture;

static gdouble
texture_of (const Texture * texture, gdouble step)
{
  return step * sqrt (texture->gradients ? (gdouble) texture->squares /
      texture->gradients : 0);
}

static void
add_texture (Texture * sum, const Texture * texture)
{
  sum->gradients += texture->gradients;
  sum->squares += texture->squares;
}

/* Adds up the gradients of a cell's zones. */
static Texture
find_texture (const VhFrameZones * zones, guint column, guint row)
{
  const guint right = zones->region.x + zones->region.width;
  Texture texture = { 0, };
  guint i;

  for (i = row * ZONES_OF_CELL; i < (row + 1) * ZONES_OF_CELL; i++) {
    const VhRect zone = vh_grid_cell (&zones->region, VH_ZONE_COLUMNS,
        VH_ZONE_ROWS, column, i);
    /* The last pixel of a row has no gradient. */
    const gboolean is_last = zone.width > 0 && zone.x + zone.width == right;

    texture.gradients += (guint64) (zone.width - is_last) * zone.height;
    texture.squares += vh_zone_sum (vh_meter_zone (zones->counts, column, i),
        VH_ZONE_SQUARES);
  }
  return texture;
}

void
vh_health_evidence_add_textures (VhHealthEvidence * evidence,
    const VhFrameZones * zones, gdouble step)
{
  guint64 ignored;
  Texture rest = { 0, }, all = { 0, };
  gboolean same;
  guint i;

  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_GRADIENT)
    return;
  if (evidence->columns == 0)
    evidence->columns = evidence->rows = VH_HEALTH_SIDE;
  same = evidence->columns == VH_HEALTH_SIDE
      && evidence->rows == VH_HEALTH_SIDE;
  if (evidence->ignored && !same)
    return;
  ignored = vh_health_evidence_find_ignored (evidence);
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    const Texture here = find_texture (zones, i % VH_HEALTH_SIDE,
        i / VH_HEALTH_SIDE);

    if (same)
      evidence->cell[i].texture = texture_of (&here, step);
    add_texture (&all, &here);
    if (!VH_HEALTH_HAS_CELL (ignored, i))
      add_texture (&rest, &here);
  }
  if (rest.gradients == 0)
    return;
  evidence->texture = texture_of (&rest, step);
  evidence->floor = texture_of (&all, step);
  evidence->textures |= same;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_GRADIENT;
}

static void
add_rows (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhFrameZones * zones)
{
  guint column, row;

  for (row = 0; row < VH_ZONE_ROWS; row++) {
    guint64 pixels = 0, sum = 0;

    for (column = 0; column < VH_ZONE_COLUMNS; column++) {
      const VhRect zone = vh_grid_cell (&zones->region, VH_ZONE_COLUMNS,
          VH_ZONE_ROWS, column, row);

      pixels += (guint64) zone.width * zone.height;
      sum += vh_zone_sum (vh_meter_zone (zones->counts, column, row),
          VH_ZONE_LUMA);
    }
    evidence->band[row] = scale->black + scale->step *
        (pixels ? (gdouble) sum / pixels : 0);
  }
  evidence->n_bands = VH_ZONE_ROWS;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_ROWS;
}

static void
add_previous (VhHealthEvidence * evidence, const VhFrameZones * zones)
{
  const guint64 pixels = (guint64) zones->region.width * zones->region.height;
  guint64 risen = 0, fallen = 0;
  guint i;

  for (i = 0; i < VH_ZONES; i++) {
    const guint32 *zone = vh_meter_zone (zones->counts, i % VH_ZONE_COLUMNS,
        i / VH_ZONE_COLUMNS);

    risen += zone[VH_ZONE_RISEN];
    fallen += zone[VH_ZONE_FALLEN];
  }
  evidence->risen = (gdouble) risen / pixels;
  evidence->fallen = (gdouble) fallen / pixels;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS;
}

/* Whether @zones were compared with the steps of @scale. They were compared
 * before the scale of their own frame was known, with the steps of an earlier
 * one. */
static gboolean
has_steps (const VhFrameZones * zones, const VhHealthScale * scale)
{
  guint8 steps[VH_STEP_LEVELS];

  return zones->compared && vh_health_find_steps (scale, steps)
      && memcmp (steps, zones->steps, sizeof (steps)) == 0;
}

void
vh_health_evidence_add_zones (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones, guint wanted)
{
  wanted &= ~evidence->present;
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_ROWS && scale->luminance)
    add_rows (evidence, scale, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS && has_steps (zones, scale))
    add_previous (evidence, zones);
}
