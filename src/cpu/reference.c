/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the counts, and of what correcting does to pixels, as a
 * program. It is as plain as possible, so that it can be trusted:
 * docs/definitions.md says the same in words. */
#include "reference.h"

#include "core/channels.h"
#include "core/color.h"
#include "core/scope.h"

#include <string.h>

static guint32
read_word (const guint8 * data, guint bytes, gboolean big_endian)
{
  guint32 word = 0;
  guint i;

  for (i = 0; i < bytes; i++)
    word |= (guint32) data[i] << 8 * (big_endian ? bytes - 1 - i : i);
  return word;
}

gint64
vh_reference_read (const VhFrameView * view, guint c, guint x, guint y)
{
  const VhLayout *layout = view->layout;
  const VhComponent *component = &layout->component[c];
  const VhPlane *plane = &view->plane[component->plane];
  const guint8 *sample = plane->data + y * plane->stride + component->offset
      + (gsize) x * component->pixel_stride;
  guint32 word;

  word = read_word (sample, component->sample_bytes, layout->big_endian);
  return (word >> component->shift) & ((1u << layout->depth) - 1);
}

/* The code value of component @c at pixel @x, @y of the planes. */
static gint64
read_sample (const VhFrameView * view, guint c, guint x, guint y)
{
  const VhComponent *component = &view->layout->component[c];

  return vh_reference_read (view, c, x >> component->w_sub,
      y >> component->h_sub);
}

static gint64
luma_of_rgb (const VhFrameView * view, guint x, guint y)
{
  const VhLumaWeights w = vh_luma_weights (view->layout->matrix);

  return (w.r * read_sample (view, 0, x, y) + w.g * read_sample (view, 1, x, y)
      + w.b * read_sample (view, 2, x, y) + 32768) >> 16;
}

/* R, G or B, as @value says. */
static gint64
rgb_of_yuv (const VhFrameView * view, VhValue value, guint x, guint y)
{
  const VhLayout *layout = view->layout;
  const VhYuvToRgb yuv = vh_yuv_to_rgb (layout->matrix,
      layout->colorimetry.range, layout->depth);
  gint64 sum, u = 0, v = 0;

  sum = (read_sample (view, 0, x, y) - yuv.y_offset) * yuv.y_scale
      + (G_GINT64_CONSTANT (1) << (yuv.shift - 1));

  /* Grey is YUV of neutral chroma. */
  if (layout->model == VH_MODEL_YUV) {
    u = read_sample (view, 1, x, y) - yuv.c_offset;
    v = read_sample (view, 2, x, y) - yuv.c_offset;
  }

  if (value == VH_VALUE_RED)
    sum += v * yuv.rv;
  else if (value == VH_VALUE_GREEN)
    sum += u * yuv.gu + v * yuv.gv;
  else
    sum += u * yuv.bu;

  return CLAMP (sum >> yuv.shift, 0, yuv.max);
}

guint64
vh_reference_value (const VhFrameView * view, guint channel, guint x, guint y)
{
  const VhValue value = vh_channel_source (view->layout, channel)->value;

  if (value == VH_VALUE_COMPONENT)
    return read_sample (view, vh_channel_component (view->layout, channel), x,
        y);
  if (value == VH_VALUE_LUMA)
    return luma_of_rgb (view, x, y);
  return rgb_of_yuv (view, value, x, y);
}

static guint64
gradient (const VhFrameView * view, guint x, guint y)
{
  const gint64 left = vh_reference_value (view, VH_CHANNEL_LUMA, x, y);
  const gint64 right = vh_reference_value (view, VH_CHANNEL_LUMA, x + 1, y);

  return ABS (right - left);
}

void
vh_reference_count (const VhFrameView * view, const VhRect * region,
    VhCounts * counts)
{
  const VhCountsShape *shape = vh_counts_shape (counts);
  guint channel, x, y;

  for (channel = 0; channel < VH_N_CHANNELS; channel++) {
    const gboolean of_two =
        vh_channel_source (view->layout, channel)->value == VH_VALUE_GRADIENT;

    if (!(shape->channels & (1u << channel)))
      continue;

    for (y = 0; y < region->height; y++) {
      const guint row = (guint64) y * shape->rows / region->height;

      for (x = 0; x + of_two < region->width; x++) {
        const guint column = (guint64) x * shape->columns / region->width;
        const guint64 value = of_two ?
            gradient (view, region->x + x, region->y + y) :
            vh_reference_value (view, channel, region->x + x, region->y + y);

        vh_counts_cell (counts, channel, column, row)
            [(value * shape->bins) >> view->layout->depth]++;
      }
    }
  }
}

/* U (@i is 0) or V at column @x and row @y of the chroma samples, or of the
 * pixels of RGB. */
static guint64
read_chroma (const VhFrameView * view, const VhScopeColors * colors, guint i,
    guint x, guint y)
{
  if (view->layout->model == VH_MODEL_YUV)
    return vh_reference_read (view, 1 + i, x, y);
  return vh_scope_chroma (colors, i, vh_reference_read (view, 0, x, y),
      vh_reference_read (view, 1, x, y), vh_reference_read (view, 2, x, y));
}

void
vh_reference_count_chroma (const VhFrameView * view, const VhRect * region,
    guint bins, guint32 * counts)
{
  const VhComponent *chroma = &view->layout->component[1];
  const guint depth = view->layout->depth;
  VhScopeColors colors;
  guint x, y;

  vh_scope_colors_init (&colors, view->layout);
  for (y = region->y >> chroma->h_sub;
      y <= (region->y + region->height - 1) >> chroma->h_sub; y++) {
    for (x = region->x >> chroma->w_sub;
        x <= (region->x + region->width - 1) >> chroma->w_sub; x++) {
      const guint64 u = read_chroma (view, &colors, 0, x, y);
      const guint64 v = read_chroma (view, &colors, 1, x, y);

      counts[((u * bins) >> depth) * bins + ((v * bins) >> depth)]++;
    }
  }
}

void
vh_reference_count_frames (const VhFrameView * a, const VhRect * region_a,
    const VhFrameView * b, const VhRect * region_b, guint bins,
    guint32 * counts)
{
  guint x, y;

  for (y = 0; y < region_a->height; y++) {
    for (x = 0; x < region_a->width; x++) {
      const guint64 value_a = vh_reference_value (a, VH_CHANNEL_LUMA,
          region_a->x + x, region_a->y + y);
      const guint64 value_b = vh_reference_value (b, VH_CHANNEL_LUMA,
          region_b->x + x, region_b->y + y);

      counts[((value_a * bins) >> a->layout->depth) * bins
          + ((value_b * bins) >> b->layout->depth)]++;
    }
  }
}

static guint
level_of (const VhFrameView * view, const VhRect * region, guint x, guint y)
{
  const guint64 code = vh_reference_value (view, VH_CHANNEL_LUMA,
      region->x + x, region->y + y);

  return (code * VH_STEP_LEVELS) >> view->layout->depth;
}

/* The sums of the cell of pixel @x, @y of @region. */
static guint64 *
find_cell (guint64 sums[VH_SUMS], const VhRect * region, guint x, guint y)
{
  const guint row = (guint64) y * VH_ZONE_ROWS / region->height;
  const guint column = (guint64) x * VH_ZONE_COLUMNS / region->width;

  return sums + VH_SUM_CELLS + VH_CELL_SUMS * (row / VH_ZONES_OF_CELL *
      VH_ZONE_COLUMNS + column);
}

/* Adds pixel @x, @y of @region to the sums of its cell and its part. */
static void
measure_pixel (const VhFrameView * view, const VhRect * region, guint x,
    guint y, guint bins, const guint32 * luminance, guint64 sums[VH_SUMS],
    guint32 parts[VH_PARTS])
{
  const guint depth = view->layout->depth;
  const guint row = (guint64) y * VH_PART_ROWS / region->height;
  const guint column = (guint64) x * VH_PART_COLUMNS / region->width;
  guint64 *cell = find_cell (sums, region, x, y);
  const guint64 bin = (vh_reference_value (view, VH_CHANNEL_LUMA, region->x + x,
          region->y + y) * bins) >> depth;

  parts[row * VH_PART_COLUMNS + column] += bin;
  if (luminance) {
    cell[VH_CELL_LUMA_SQUARES] += bin * bin;
    cell[VH_CELL_LUMINANCE] += luminance[bin];
  }
  if (x + 1 < region->width) {
    const guint64 codes = gradient (view, region->x + x, region->y + y);
    const guint64 difference = (codes * bins) >> depth;
    const guint64 steps = codes >> (depth - 8);

    cell[VH_CELL_GRADIENT_SQUARES] += difference * difference;
    if (steps > 0)
      cell[VH_CELL_GRADIENTS]++;
    if (steps > VH_FAINT_STEPS)
      cell[VH_CELL_GRADIENTS] += G_GUINT64_CONSTANT (1) << 32;
  }
}

void
vh_reference_measure (const VhFrameView * view, const VhRect * region,
    guint bins, const guint32 * luminance, guint64 sums[VH_SUMS],
    guint32 parts[VH_PARTS])
{
  guint x, y;

  for (y = 0; y < region->height; y++) {
    for (x = 0; x < region->width; x++)
      measure_pixel (view, region, x, y, bins, luminance, sums, parts);
  }
}

void
vh_reference_measure_steps (const VhFrameView * view, const VhRect * region,
    const VhFrameView * before, const VhRect * region_before,
    const guint8 steps[VH_STEP_LEVELS], guint64 sums[VH_SUMS])
{
  guint x, y;

  for (y = 0; y < region->height; y++) {
    for (x = 0; x < region->width; x++) {
      guint64 *cell = find_cell (sums, region, x, y);
      const guint level = level_of (view, region, x, y);
      const guint earlier = level_of (before, region_before, x, y);

      cell[VH_CELL_RISEN] += level > earlier && level >= steps[earlier];
      cell[VH_CELL_FALLEN] += level < earlier && earlier >= steps[level];
      cell[VH_CELL_CHANGE_SQUARES] += ((gint) level - (gint) earlier)
          * ((gint) level - (gint) earlier);
    }
  }
}

void
vh_reference_measure_chroma (const VhFrameView * view, const VhRect * region,
    guint64 sums[VH_SUMS])
{
  static guint32 pairs[VH_CHROMA_BINS * VH_CHROMA_BINS];
  guint u, v;

  memset (pairs, 0, sizeof (pairs));
  vh_reference_count_chroma (view, region, VH_CHROMA_BINS, pairs);
  for (u = 0; u < VH_CHROMA_BINS; u++) {
    for (v = 0; v < VH_CHROMA_BINS; v++) {
      const guint n = pairs[u * VH_CHROMA_BINS + v];

      sums[VH_SUM_U + u] += n;
      sums[VH_SUM_V + v] += n;
      if (MIN (u, v) >= VH_NEUTRAL_FIRST && MAX (u, v) <= VH_NEUTRAL_LAST)
        sums[VH_SUM_NEUTRAL] += n;
    }
  }
}

/* Writes @code where read_own_sample() reads, and leaves the other bits of its
 * word unchanged. */
void
vh_reference_write (const VhFrameView * view, guint c, guint x, guint y,
    guint32 code)
{
  const VhLayout *layout = view->layout;
  const VhComponent *component = &layout->component[c];
  const VhPlane *plane = &view->plane[component->plane];
  const guint32 mask = ((1u << layout->depth) - 1) << component->shift;
  const guint bytes = component->sample_bytes;
  guint8 *sample = (guint8 *) plane->data + y * plane->stride
      + component->offset + (gsize) x * component->pixel_stride;
  guint32 word = read_word (sample, bytes, layout->big_endian);
  guint i;

  word = (word & ~mask) | (code << component->shift & mask);
  for (i = 0; i < bytes; i++)
    sample[i] = word >> 8 * (layout->big_endian ? bytes - 1 - i : i);
}

/* How a picture is corrected. */
typedef struct
{
  const VhFrameView *view;
  const VhEqualizeJob *job;
  const guint32 *levels;
  VhRect region;                /* in pixels of the planes */
} Correction;

/* The result of the curve of the tile at @column and @row for @code. */
static guint32
curve_value (const Correction * correction, guint column, guint row,
    guint32 code)
{
  const VhCurveParams *curve = &correction->job->curve;
  const guint bin = curve->depth > VH_CURVE_DEPTH ?
      code >> (curve->depth - VH_CURVE_DEPTH) : code;
  const guint32 *levels = correction->levels +
      (row * curve->columns + column) * curve->bins;
  const guint32 next = bin + 1 < curve->bins ? levels[bin + 1] :
      levels[bin] + VH_LEVEL_ONE;

  return vh_curve_value (curve, code, levels[bin], next);
}

/* The result for @code at pixel @x, @y of the region. */
static guint32
correct_code (const Correction * correction, guint x, guint y, guint32 code)
{
  const VhCurveParams *curve = &correction->job->curve;
  const VhRect *region = &correction->region;
  guint32 corrected;

  if (curve->method == VH_CURVE_CLAHE) {
    const float tiles_per_x = VH_FDIV ((float) curve->columns,
        (float) region->width);
    const float tiles_per_y = VH_FDIV ((float) curve->rows,
        (float) region->height);
    guint32 left, right, upper, lower;
    const float dx = vh_curve_between (x, tiles_per_x, curve->columns, &left,
        &right);
    const float dy = vh_curve_between (y, tiles_per_y, curve->rows, &upper,
        &lower);

    corrected =
        vh_curve_interpolate (curve_value (correction, left, upper, code),
        curve_value (correction, right, upper, code),
        curve_value (correction, left, lower, code),
        curve_value (correction, right, lower, code), dx, dy);
  } else {
    corrected = curve_value (correction, 0, 0, code);
  }
  return vh_curve_blend (code, corrected, curve->strength);
}

/* Scales the chroma sample at column @x and row @y of its plane. The luma of
 * its pixels must not be corrected yet. */
static void
correct_chroma (const Correction * correction, guint x, guint y)
{
  const VhFrameView *view = correction->view;
  const VhEqualizeJob *job = correction->job;
  const VhComponent *chroma = &view->layout->component[1];
  const VhRect *region = &correction->region;
  const guint left = MAX (x << chroma->w_sub, region->x);
  const guint top = MAX (y << chroma->h_sub, region->y);
  const guint right = MIN ((x + 1) << chroma->w_sub, region->x + region->width);
  const guint bottom = MIN ((y + 1) << chroma->h_sub,
      region->y + region->height);
  const gint grey = 1 << (view->layout->depth - 1);
  const gint u = vh_reference_read (view, 1, x, y);
  const gint v = vh_reference_read (view, 2, x, y);
  guint32 before = 0, after = 0;
  guint px, py, c;
  float gain;

  if (vh_equalize_chroma_stays (job->edges, region, x, y, chroma->w_sub,
          chroma->h_sub))
    return;
  for (py = top; py < bottom; py++) {
    for (px = left; px < right; px++) {
      const guint32 code = read_sample (view, 0, px, py);

      before += code;
      after += correct_code (correction, px - region->x, py - region->y, code);
    }
  }

  gain = vh_color_gain (&job->curve, before, after,
      (right - left) * (bottom - top), job->black);
  gain = vh_color_limit (gain, MAX (ABS (u - grey), ABS (v - grey)),
      job->chroma_limit);
  for (c = 1; c < 3; c++) {
    vh_reference_write (view, c, x, y,
        vh_color_apply (vh_reference_read (view, c, x, y), grey, gain,
            2 * grey - 1));
  }
}

static void
correct_rgb (const Correction * correction, guint x, guint y)
{
  const VhFrameView *view = correction->view;
  const VhEqualizeJob *job = correction->job;
  const guint max = (1u << view->layout->depth) - 1;
  const guint dx = x - correction->region.x, dy = y - correction->region.y;
  const guint32 luma = luma_of_rgb (view, x, y);
  const guint32 corrected = correct_code (correction, dx, dy, luma);
  guint32 rgb[3];
  guint c;

  for (c = 0; c < 3; c++) {
    rgb[c] = read_sample (view, c, x, y);
    if (job->color == VH_COLOR_CHANNELS)
      rgb[c] = correct_code (correction, dx, dy, rgb[c]);
  }
  if (job->color != VH_COLOR_CHANNELS) {
    vh_color_rgb (rgb, job->color == VH_COLOR_KEEP, luma, corrected, job->black,
        job->white, max);
  }
  for (c = 0; c < 3; c++)
    vh_reference_write (view, c, x, y, rgb[c]);
}

void
vh_reference_correct (const VhFrameView * view, const VhEqualizeJob * job,
    const guint32 * levels)
{
  const VhLayout *layout = view->layout;
  const Correction correction = { view, job, levels,
    vh_equalize_region (job, view)
  };
  const VhRect *region = &correction.region;
  const guint right = region->x + region->width;
  const guint bottom = region->y + region->height;
  guint x, y;

  if (layout->model == VH_MODEL_YUV && job->color != VH_COLOR_KEEP) {
    const VhComponent *chroma = &layout->component[1];

    for (y = region->y >> chroma->h_sub;
        y <= (bottom - 1) >> chroma->h_sub; y++) {
      for (x = region->x >> chroma->w_sub;
          x <= (right - 1) >> chroma->w_sub; x++)
        correct_chroma (&correction, x, y);
    }
  }
  for (y = region->y; y < bottom; y++) {
    for (x = region->x; x < right; x++) {
      if (layout->model == VH_MODEL_RGB) {
        correct_rgb (&correction, x, y);
      } else {
        vh_reference_write (view, 0, x, y, correct_code (&correction,
                x - region->x, y - region->y, read_sample (view, 0, x, y)));
      }
    }
  }
}
