/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthzones.h"
#include "healthluminance.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

/* Rows of zones are the rows of VhHealthEvidence. */
G_STATIC_ASSERT (VH_ZONE_COLUMNS == VH_HEALTH_SIDE);
G_STATIC_ASSERT (VH_ZONE_ROWS == VH_HEALTH_ROWS);
G_STATIC_ASSERT (VH_ZONE_CELLS == VH_HEALTH_CELLS);
G_STATIC_ASSERT (VH_PART_COLUMNS == VH_HEALTH_PART_SIDE);
G_STATIC_ASSERT (VH_PART_ROWS == VH_HEALTH_PART_SIDE);

#define PARTS_OF_CELL (VH_HEALTH_PART_SIDE / VH_HEALTH_SIDE)

void
vh_health_find_steps (const VhHealthScale * scale, guint8 steps[VH_STEP_LEVELS])
{
  gdouble luminance[VH_STEP_LEVELS];
  guint a, b = 0;

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
}

typedef struct
{
  guint64 gradients, squares;
  guint64 steps, strong;        /* gradients of at least one step of 8 bits, and
                                 * of more than VH_FAINT_STEPS */
} Texture;

static gdouble
texture_of (const Texture * texture, const VhHealthScale * scale)
{
  return scale->gradient * sqrt (texture->gradients ?
      (gdouble) texture->squares / texture->gradients : 0);
}

static void
set_texture (VhHealthCell * cell, const Texture * texture,
    const VhHealthScale * scale)
{
  const gdouble all = MAX (texture->gradients, 1);

  cell->texture = texture_of (texture, scale);
  cell->flat = (texture->gradients - texture->steps) / all;
  cell->faint = (texture->steps - texture->strong) / all;
}

static void
add_texture (Texture * sum, const Texture * texture)
{
  sum->gradients += texture->gradients;
  sum->squares += texture->squares;
}

/* Noise shows in all parts of a picture but this share of the cells, where it
 * is clipped. */
#define CLEAN_SHARE 8

static VhRect
find_cell (const VhFrameZones * zones, guint i)
{
  return vh_grid_cell (&zones->region, VH_HEALTH_SIDE, VH_HEALTH_SIDE,
      i % VH_HEALTH_SIDE, i / VH_HEALTH_SIDE);
}

static Texture
find_texture (const VhFrameZones * zones, guint i)
{
  const guint right = zones->region.x + zones->region.width;
  const VhRect cell = find_cell (zones, i);
  const guint64 steps = vh_meter_cell_sum (zones->counts, i,
      VH_CELL_GRADIENTS);
  /* The last pixel of a row has no gradient. */
  const gboolean is_last = cell.width > 0 && cell.x + cell.width == right;

  return (Texture) {
    .gradients = (guint64) (cell.width - is_last) * cell.height,
    .squares = vh_meter_cell_sum (zones->counts, i, VH_CELL_GRADIENT_SQUARES),
    .steps = (guint32) steps,
    .strong = steps >> 32,
  };
}

void
vh_health_evidence_add_levels (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones)
{
  VhHealthMoments cells[VH_HEALTH_CELLS];
  const guint32 *parts;
  guint i;

  if (!zones->luminance
      || evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS)
    return;
  parts = vh_meter_parts (zones->counts);
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    const VhRect cell = find_cell (zones, i);

    cells[i] = (VhHealthMoments) {
      .pixels = (guint64) cell.width * cell.height,
      .sum = vh_meter_add_parts (parts, i % VH_HEALTH_SIDE * PARTS_OF_CELL,
          i / VH_HEALTH_SIDE * PARTS_OF_CELL, PARTS_OF_CELL, PARTS_OF_CELL),
      .squares = vh_meter_cell_sum (zones->counts, i, VH_CELL_LUMA_SQUARES),
      .luminance = vh_meter_cell_sum (zones->counts, i, VH_CELL_LUMINANCE),
    };
  }
  vh_health_evidence_add_cells (evidence, scale, cells);
}

void
vh_health_evidence_add_textures (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones)
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
    const Texture here = find_texture (zones, i);

    if (same)
      set_texture (&evidence->cell[i], &here, scale);
    add_texture (&all, &here);
    if (!VH_HEALTH_HAS_CELL (ignored, i))
      add_texture (&rest, &here);
  }
  if (rest.gradients == 0)
    return;
  evidence->texture = texture_of (&rest, scale);
  evidence->floor = texture_of (&all, scale);
  evidence->textures |= same;
  evidence->gradients |= same;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_GRADIENT;
}

static void
add_rows (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhFrameZones * zones)
{
  const guint32 *parts = vh_meter_parts (zones->counts);
  guint row;

  for (row = 0; row < VH_ZONE_ROWS; row++) {
    const VhRect rect = vh_grid_cell (&zones->region, 1, VH_ZONE_ROWS, 0, row);
    const guint64 pixels = (guint64) rect.width * rect.height;
    const guint64 sum =
        vh_meter_add_parts (parts, 0, row, VH_PART_COLUMNS, 1);

    evidence->band[row] = scale->black + scale->step *
        (pixels ? (gdouble) sum / pixels : 0);
  }
  evidence->n_bands = VH_ZONE_ROWS;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_ROWS;
}

/* The first of @n columns of parts, or rows, of a region of @size pixels, and
 * the end of the last one. */
static void
find_starts (guint size, guint starts[VH_HEALTH_PART_SIDE + 1])
{
  const VhRect line = {.width = size,.height = 1 };
  guint i;

  for (i = 0; i < VH_HEALTH_PART_SIDE; i++)
    starts[i] = vh_grid_cell (&line, VH_HEALTH_PART_SIDE, 1, i, 0).x;
  starts[VH_HEALTH_PART_SIDE] = size;
}

/* Parts of pictures with few pixels may be empty; then there is nothing that
 * could be compared. */
static void
add_parts (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhFrameZones * zones)
{
  const guint32 *sums = vh_meter_parts (zones->counts);
  const gdouble black = scale->black;
  guint columns[VH_HEALTH_PART_SIDE + 1], rows[VH_HEALTH_PART_SIDE + 1];
  gfloat widths[VH_HEALTH_PART_SIDE];
  guint x, y;

  if (MIN (zones->region.width, zones->region.height) < VH_HEALTH_PART_SIDE)
    return;
  if (!evidence->part)
    evidence->part = g_new (gfloat, VH_HEALTH_PARTS);
  evidence->aspect = (gdouble) zones->region.height / zones->region.width;
  find_starts (zones->region.width, columns);
  find_starts (zones->region.height, rows);
  for (x = 0; x < VH_HEALTH_PART_SIDE; x++)
    widths[x] = columns[x + 1] - columns[x];
  for (y = 0; y < VH_HEALTH_PART_SIDE; y++) {
    const gfloat height = (rows[y + 1] - rows[y]) / scale->step;
    gfloat *const part = evidence->part + y * VH_HEALTH_PART_SIDE;

    for (x = 0; x < VH_HEALTH_PART_SIDE; x++)
      part[x] = black + sums[x] / (height * widths[x]);
    sums += VH_HEALTH_PART_SIDE;
  }
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_PARTS;
}

/* The variance of what differs both from pixel to pixel and from frame to frame
 * in cell @i. Independent noise has half of the squared difference of two
 * pixels. Details that stand still and smooth things that move have less. */
static gdouble
find_noise (const VhHealthScale * scale, const VhFrameZones * zones, guint i)
{
  const VhRect cell = find_cell (zones, i);
  const Texture texture = find_texture (zones, i);
  const gdouble pixels = (gdouble) cell.width * cell.height;
  const gdouble step = scale->step * scale->bins / VH_STEP_LEVELS;
  const gdouble changes = pixels == 0 ? 0 : step * step / pixels *
      vh_meter_cell_sum (zones->counts, i, VH_CELL_CHANGE_SQUARES);
  const gdouble of_pixels = texture_of (&texture, scale);

  return MIN (of_pixels * of_pixels, changes) / 2;
}

static void
add_noise (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhFrameZones * zones)
{
  gdouble variances[VH_HEALTH_CELLS];
  guint i;

  for (i = 0; i < VH_HEALTH_CELLS; i++)
    variances[i] = find_noise (scale, zones, i);
  evidence->noise = sqrt (vh_health_find_rank (variances, VH_HEALTH_CELLS,
          VH_HEALTH_CELLS / CLEAN_SHARE));
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_NOISE;
}

static void
add_chroma (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhFrameZones * zones)
{
  VhHealthChroma chroma = {
    .bins = VH_CHROMA_BINS,
    .neutral = vh_meter_sum (zones->counts, VH_SUM_NEUTRAL),
  };
  guint i;

  for (i = 0; i < VH_CHROMA_BINS; i++) {
    chroma.u[i] = vh_meter_sum (zones->counts, VH_SUM_U + i);
    chroma.v[i] = vh_meter_sum (zones->counts, VH_SUM_V + i);
    chroma.pixels += chroma.u[i];
  }
  vh_health_evidence_set_chroma (evidence, scale, &chroma);
}

static void
add_previous (VhHealthEvidence * evidence, const VhFrameZones * zones)
{
  const guint64 pixels = (guint64) zones->region.width * zones->region.height;
  guint64 risen = 0, fallen = 0;
  guint i;

  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    risen += vh_meter_cell_sum (zones->counts, i, VH_CELL_RISEN);
    fallen += vh_meter_cell_sum (zones->counts, i, VH_CELL_FALLEN);
  }
  evidence->risen = (gdouble) risen / pixels;
  evidence->fallen = (gdouble) fallen / pixels;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS;
}

void
vh_health_evidence_add_zones (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhFrameZones * zones, guint wanted)
{
  wanted &= ~evidence->present;
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_CHROMA && zones->chroma)
    add_chroma (evidence, scale, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_ROWS && zones->luma)
    add_rows (evidence, scale, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_PARTS && zones->luma)
    add_parts (evidence, scale, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS && zones->compared)
    add_previous (evidence, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_NOISE && zones->compared)
    add_noise (evidence, scale, zones);
}
