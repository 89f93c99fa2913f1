/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random frames, corrected by the scalar reference and by the CPU with each of
 * its tables of loops, give the same bytes. The reference is compared with a
 * model in double precision, and only samples of the picture change. A case
 * depends only on its seed, so `TEST_SEED=<seed> TEST_SWEEP_CASES=1` reproduces
 * a failure.
 *
 * TEST_SWEEP_CASES: number of cases; TEST_SEED: the first seed. */
#include "sweepfixture.h"

#include <math.h>

#include "core/color.h"
#include "cpu/curves.h"
#include "cpu/reference.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"

#define DEFAULT_CASES 1500
#define CASES_OF_LONG_TIER 100000
#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA

typedef struct
{
  guint64 seed;
  TestFrame frame;
  VhLayout layout;
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  VhEqualizeJob job;
  VhReference reference;
  guint8 *wanted;               /* the expected bytes of the frame's image */
} Case;

static void
choose_size (TestRandom * random, guint * width, guint * height)
{
  *width = 1 + test_random_below (random, 40);
  *height = 1 + test_random_below (random, 24);
  if (test_random_once_in (random, 4))
    *width = 1 + test_random_below (random, 700);
  if (test_random_once_in (random, 8))
    *width = *height = 1 + test_random_below (random, 2);
}

static void
describe (Case * c)
{
  const VhLayout *layout = &c->layout;

  c->info = (GstVideoHistogramInfo) {
    .format = GST_VIDEO_INFO_FORMAT (&layout->info),
    .depth = layout->depth,
    .width = c->frame.width,
    .height = c->frame.height,
    .region_x = c->job.region.x,
    .region_y = c->job.region.y,
    .region_width = c->job.region.width,
    .region_height = c->job.region.height,
    .colorimetry = layout->colorimetry,
    .matrix = layout->matrix,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = c->job.curve.bins,
    .columns = c->job.curve.columns,
    .rows = c->job.curve.rows,
  };
}

/* Returns a number from @least to @most, often one of these. */
static guint32
choose (TestRandom * random, guint32 least, guint32 most)
{
  if (test_random_once_in (random, 4))
    return test_random_once_in (random, 2) ? least : most;
  return least + test_random_below (random, most - least + 1);
}

static void
make_reference (Case * c, TestRandom * random)
{
  const VhCurveParams *curve = &c->job.curve;
  guint b;

  for (b = 0; b < curve->bins; b++) {
    if (b >= curve->low && b <= curve->high
        && test_random_once_in (random, 10))
      c->reference.n += 1 + test_random_below (random, 1000);
    if (b == curve->high)
      c->reference.n++;
    c->reference.sums[b] = c->reference.n;
  }
  c->job.reference = &c->reference;
}

static void
make_job (Case * c, TestRandom * random)
{
  const guint depth = c->layout.depth;
  const guint shift = depth > VH_CURVE_DEPTH ? depth - VH_CURVE_DEPTH : 0;
  const gboolean limited =
      c->layout.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  VhEqualizeJob *job = &c->job;
  VhCurveParams *curve = &job->curve;
  guint region[4];

  test_random_region (random, c->frame.width, c->frame.height, region);
  job->region = (VhRect) { region[0], region[1], region[2], region[3] };
  /* All but a row or a column, so that next to nothing is left to copy. */
  if (test_random_once_in (random, 8)) {
    const gboolean row = test_random_once_in (random, 2);

    job->region = (VhRect) { 0, 0, MAX (c->frame.width - !row, 1),
        MAX (c->frame.height - row, 1) };
  }
  job->edges = vh_equalize_edges (&job->region, c->frame.width,
      c->frame.height);
  job->color = test_random_below (random, 3);
  job->black = limited ? 16 << (depth - 8) : 0;
  job->white = limited ? 235 << (depth - 8) : (1 << depth) - 1;
  job->chroma_limit = limited ? 112 << (depth - 8) : (1 << (depth - 1)) - 1;
  *curve = (VhCurveParams) {
    .method = VH_CURVE_EQUALIZE + test_random_below (random, 5),
    .depth = depth,
    .bins = 1u << (depth - shift),
    .low = job->black >> shift,
    .high = job->white >> shift,
    .columns = 1,
    .rows = 1,
    .share = VH_SHARE_ONE,
    .strength = choose (random, 1, VH_SHARE_ONE),
    .low_percentile = choose (random, 0, G_MAXUINT32 / 4),
    .high_percentile = choose (random, G_MAXUINT32 / 2, G_MAXUINT32 - 1),
    .max_gain = choose (random, VH_LEVEL_ONE, 100 * VH_LEVEL_ONE),
    .target = choose (random, 0, VH_SHARE_ONE),
    .clip_limit = choose (random, 0, 50) / 4.0,
  };
  if (curve->method == VH_CURVE_CLAHE) {
    curve->columns = 1 + test_random_below (random, MIN (9, job->region.width));
    curve->rows = 1 + test_random_below (random, MIN (9, job->region.height));
  }
  if (curve->method == VH_CURVE_MATCH)
    make_reference (c, random);
}

/* Computes the reference's result. */
static void
make_wanted (Case * c)
{
  VhCpuCurves *curves = vh_cpu_curves_new ();
  GstBuffer *buffer = sweep_buffer (&c->frame, c->frame.image);
  VhFrameView view;
  VhRect region;

  sweep_view (&view, &c->layout, buffer);
  region = vh_equalize_region (&c->job, &view);
  fail_unless (vh_frame_view_map (&view, GST_MAP_READWRITE, NULL));
  c->histogram = vh_histogram_new (&c->info, "reference");
  vh_reference_count (&view, &region, vh_histogram_counts (c->histogram));
  vh_counts_complete (vh_histogram_counts (c->histogram));
  fail_unless (vh_cpu_curves_advance (curves,
          vh_histogram_counts (c->histogram), &c->job, NULL));
  if (!vh_cpu_curves_is_constant (curves))
    vh_reference_correct (&view, &c->job, vh_cpu_curves_get_levels (curves));
  vh_frame_view_unmap (&view);
  c->wanted = g_malloc (c->frame.size);
  gst_buffer_extract (buffer, 0, c->wanted, c->frame.size);
  gst_buffer_unref (buffer);
  vh_cpu_curves_free (curves);
}

static void
case_init (Case * c, guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const GstVideoFormat format = sweep_format (&random);
  guint width, height;

  memset (c, 0, sizeof (*c));
  c->seed = seed;
  choose_size (&random, &width, &height);
  test_frame_init_random (&c->frame, &random, format, width, height,
      sweep_colorimetry (&random));
  fail_unless (vh_layout_from_caps (&c->layout, c->frame.caps, NULL));
  make_job (c, &random);
  describe (c);
  make_wanted (c);
}

static void
case_clear (Case * c)
{
  test_frame_clear (&c->frame);
  gst_video_histogram_unref (c->histogram);
  g_free (c->wanted);
}

/* For messages; never freed. */
static const gchar *
case_describe (const Case * c)
{
  const VhCurveParams *curve = &c->job.curve;

  return g_strdup_printf ("TEST_SEED=%" G_GUINT64_FORMAT ": %s %ux%u at %u,%u, "
      "%s, method %u, color %u, strength %u, %ux%u tiles of %u,%u,%u,%u",
      c->seed,
      gst_video_format_to_string (c->frame.format), c->frame.width,
      c->frame.height, c->frame.x, c->frame.y, c->frame.colorimetry,
      curve->method, c->job.color, curve->strength, curve->columns,
      curve->rows, c->job.region.x, c->job.region.y, c->job.region.width,
      c->job.region.height);
}

/* The offset in the frame's image of the sample of component @n at pixel @x, @y
 * of the picture. */
static gsize
find_sample (const Case * c, guint n, guint x, guint y)
{
  const VhComponent *component = &c->layout.component[n];

  return c->frame.offset[component->plane] + component->offset +
      (gsize) ((c->frame.y + y) >> component->h_sub) *
      c->frame.stride[component->plane] +
      (gsize) ((c->frame.x + x) >> component->w_sub) * component->pixel_stride;
}

static guint
get_code (const Case * c, const guint8 * image, guint n, guint x, guint y)
{
  const VhComponent *component = &c->layout.component[n];
  const guint8 *sample = image + find_sample (c, n, x, y);
  guint32 word = 0;
  guint i;

  for (i = 0; i < component->sample_bytes; i++) {
    const guint place = c->layout.big_endian ? component->sample_bytes - 1 - i
        : i;

    word |= (guint32) sample[i] << 8 * place;
  }
  return (word >> component->shift) & ((1u << c->layout.depth) - 1);
}

/* Marks the bits of a sample in @bits, which is as large as the frame. */
static void
mark_sample (const Case * c, guint8 * bits, guint n, guint x, guint y)
{
  const VhComponent *component = &c->layout.component[n];
  const guint32 mask = ((1u << c->layout.depth) - 1) << component->shift;
  guint8 *sample = bits + find_sample (c, n, x, y);
  guint i;

  for (i = 0; i < component->sample_bytes; i++) {
    const guint place = c->layout.big_endian ? component->sample_bytes - 1 - i
        : i;

    sample[i] |= mask >> 8 * place;
  }
}

/* Whether all pixels of the picture that share the sample of component @n at
 * pixel @x, @y are in the region. */
static gboolean
is_inside (const Case * c, guint n, guint x, guint y)
{
  const VhComponent *component = &c->layout.component[n];
  const VhRect *region = &c->job.region;
  const guint column = (c->frame.x + x) >> component->w_sub;
  const guint row = (c->frame.y + y) >> component->h_sub;
  guint px, py;

  for (py = y > 3 ? y - 3 : 0; py < MIN (y + 4, c->frame.height); py++) {
    for (px = x > 3 ? x - 3 : 0; px < MIN (x + 4, c->frame.width); px++) {
      if ((c->frame.x + px) >> component->w_sub == column
          && (c->frame.y + py) >> component->h_sub == row
          && (px < region->x || px >= region->x + region->width
              || py < region->y || py >= region->y + region->height))
        return FALSE;
    }
  }
  return TRUE;
}

/* Checks that only samples of the region have changed: no padding, no alpha, no
 * bit between samples, and no chroma that must be kept. */
static void
check_untouched (const Case * c)
{
  const gboolean keeps_chroma = c->layout.model == VH_MODEL_YUV
      && c->job.color == VH_COLOR_KEEP;
  guint8 *bits = g_malloc0 (c->frame.size);
  guint n, x, y;
  gsize i;

  for (n = 0; n < (keeps_chroma ? 1 : c->layout.n_components); n++) {
    for (y = 0; y < c->frame.height; y++) {
      for (x = 0; x < c->frame.width; x++) {
        if (is_inside (c, n, x, y))
          mark_sample (c, bits, n, x, y);
      }
    }
  }
  for (i = 0; i < c->frame.size; i++) {
    if ((c->frame.image[i] ^ c->wanted[i]) & ~bits[i])
      fail ("byte %" G_GSIZE_FORMAT " changed from %02x to %02x: %s", i,
          c->frame.image[i], c->wanted[i], case_describe (c));
  }
  g_free (bits);
}

/* The model. Levels are in bins. */

typedef struct
{
  const Case *c;
  gdouble *levels;              /* [rows][columns][bins] */
  gboolean constant;
} Model;

/* Folds the counts into the range. Returns their sum. */
static gdouble
fold_counts (const VhCurveParams * curve, const guint32 * counts,
    gdouble * folded)
{
  gdouble n = 0;
  guint b;

  memset (folded, 0, curve->bins * sizeof (*folded));
  for (b = 0; b < curve->bins; b++) {
    folded[CLAMP (b, curve->low, curve->high)] += counts[b];
    n += counts[b];
  }
  return n;
}

/* The first bin that reaches @share of the pixels. */
static guint
model_rank (const VhCurveParams * curve, const gdouble * counts, gdouble n,
    gdouble share)
{
  const gdouble rank = MAX (1, ceil (share * n));
  gdouble sum = 0;
  guint b;

  for (b = curve->low; b < curve->high; b++) {
    sum += counts[b];
    if (sum >= rank)
      break;
  }
  return b;
}

static void
model_equalize (const VhCurveParams * curve, const gdouble * counts, gdouble n,
    gdouble * levels)
{
  const guint first = model_rank (curve, counts, n, 0);
  gdouble above = 0;
  guint b;

  for (b = curve->low; b <= curve->high; b++) {
    above += b > first ? counts[b] : 0;
    levels[b] = curve->low + above / (n - counts[first]) *
        (curve->high - curve->low);
  }
}

static void
model_stretch (const VhCurveParams * curve, const gdouble * counts, gdouble n,
    gdouble * levels)
{
  const gdouble first = model_rank (curve, counts, n,
      ldexp (curve->low_percentile, -32));
  const gdouble last = model_rank (curve, counts, n,
      ldexp (curve->high_percentile, -32));
  const gdouble low = curve->low, high = curve->high, range = high - low;
  const gdouble width = last - first;
  const gdouble gain = MIN (range / width, curve->max_gain / 65536.0);
  guint b;

  for (b = curve->low; b <= curve->high; b++) {
    levels[b] = b;
    if (width > 0 && width < range) {
      levels[b] = low + (first - low) * (range - gain * width) /
          (range - width) + (b - first) * gain;
    }
    levels[b] = CLAMP (levels[b], low, high);
  }
}

static void
model_gamma (const VhCurveParams * curve, const gdouble * counts, gdouble n,
    gdouble * levels)
{
  const gdouble range = curve->high - curve->low;
  const gdouble median = model_rank (curve, counts, n, 0.5);
  const gdouble x = CLAMP (median - curve->low, 1, range - 1) / range;
  const gdouble target = CLAMP (curve->target, 1, 65535) / 65536.0;
  const gdouble max = curve->max_gain / 65536.0;
  const gdouble exponent = CLAMP (log (target) / log (x), 1 / max, max);
  guint b;

  for (b = curve->low; b <= curve->high; b++)
    levels[b] = curve->low + range * pow ((b - curve->low) / range, exponent);
}

static void
model_match (const Case * c, const gdouble * counts, gdouble n,
    gdouble * levels)
{
  const VhCurveParams *curve = &c->job.curve;
  gdouble sum = 0;
  guint b, candidate;

  for (b = curve->low; b <= curve->high; b++) {
    sum += counts[b];
    for (candidate = curve->low; candidate < curve->high; candidate++) {
      if (c->reference.sums[candidate] * n >= sum * c->reference.n)
        break;
    }
    levels[b] = candidate;
  }
}

/* Like OpenCV for 8 bits, but within a range, and with its single precision,
 * which decides the rounding of levels between two codes. Deeper samples have
 * the same levels at the first bin of each code. */
static void
model_clahe (const VhCurveParams * curve, const gdouble * counts, gdouble n,
    gdouble * levels)
{
  const guint one = curve->bins / 256;  /* bins per code */
  const guint low = curve->low / one, high = curve->high / one;
  const guint size = high - low + 1;
  const gfloat scale = (gfloat) (size - 1) / (gfloat) n;
  gdouble clip = n, sum = 0, kept[256] = { 0, }, code[257];
  guint clipped = 0, batch, residual, b;

  if (curve->clip_limit > 0)
    clip = MAX (1, floor (curve->clip_limit * n / size));
  for (b = curve->low; b <= curve->high; b++)
    kept[b / one - low] += counts[b];
  for (b = 0; b < size; b++) {
    clipped += MAX (kept[b] - clip, 0);
    kept[b] = MIN (kept[b], clip);
  }
  batch = clipped / size;
  residual = clipped - batch * size;
  for (b = 0; b < size; b++)
    kept[b] += batch;
  if (residual > 0) {
    const guint step = MAX (1, size / residual);

    for (b = 0; b < size && residual > 0; b += step, residual--)
      kept[b]++;
  }
  for (b = 0; b < size; b++) {
    sum += kept[b];
    code[b] = low + MIN (rintf ((gfloat) sum * scale), size - 1);
  }
  code[size] = high == 255 ? code[size - 1] + 1 : code[size - 1];
  for (b = curve->low; b <= curve->high; b++) {
    const guint c = b / one - low;

    levels[b] = code[c] * one + (b % one) * MIN (code[c + 1] - code[c], 3);
  }
}

static void
model_init (Model * model, const Case * c)
{
  const VhCurveParams *curve = &c->job.curve;
  gdouble *counts = g_new (gdouble, curve->bins);
  guint tile, b;
  gdouble n;

  model->c = c;
  model->levels = g_new0 (gdouble, curve->columns * curve->rows * curve->bins);
  n = fold_counts (curve, gst_video_histogram_get_counts (c->histogram, LUMA,
          NULL), counts);
  model->constant = counts[model_rank (curve, counts, n, 0)] == n;

  for (tile = 0; tile < curve->columns * curve->rows && !model->constant;
      tile++) {
    gdouble *levels = model->levels + tile * curve->bins;

    n = fold_counts (curve, gst_video_histogram_get_cell_counts (c->histogram,
            LUMA, tile % curve->columns, tile / curve->columns, NULL), counts);
    if (curve->method == VH_CURVE_EQUALIZE)
      model_equalize (curve, counts, n, levels);
    else if (curve->method == VH_CURVE_STRETCH)
      model_stretch (curve, counts, n, levels);
    else if (curve->method == VH_CURVE_GAMMA)
      model_gamma (curve, counts, n, levels);
    else if (curve->method == VH_CURVE_MATCH)
      model_match (c, counts, n, levels);
    else
      model_clahe (curve, counts, n, levels);
    for (b = 0; b < curve->low; b++)
      levels[b] = levels[curve->low];
    for (b = curve->high + 1; b < curve->bins; b++)
      levels[b] = levels[curve->high];
  }
  g_free (counts);
}

/* The value of a tile's curve at @code. */
static gdouble
model_value (const Model * model, guint column, guint row, guint code)
{
  const VhCurveParams *curve = &model->c->job.curve;
  const guint shift = curve->depth - MIN (curve->depth, VH_CURVE_DEPTH);
  const gdouble *levels = model->levels + (row * curve->columns + column) *
      curve->bins;
  const guint bin = code >> shift;
  const gdouble one = 1 << shift, part = code / one - bin;
  const gdouble next = bin + 1 < curve->bins ? levels[bin + 1] :
      levels[bin] + 1;

  /* Up to VH_CURVE_DEPTH bits, tiles have whole code values. */
  if (shift == 0)
    return rint (levels[bin]);
  return MIN ((levels[bin] * (1 - part) + next * part) * one,
      (1 << curve->depth) - 1);
}

static gdouble
model_correct (const Model * model, guint x, guint y, guint code)
{
  const Case *c = model->c;
  const VhCurveParams *curve = &c->job.curve;
  const VhRect *region = &c->job.region;
  const gdouble place_x =
      (gdouble) (x - region->x) * curve->columns / region->width - 0.5;
  const gdouble place_y =
      (gdouble) (y - region->y) * curve->rows / region->height - 0.5;
  const gint column = floor (place_x), row = floor (place_y);
  const guint left = MAX (column, 0), top = MAX (row, 0);
  const guint right = MIN (column + 1, (gint) curve->columns - 1);
  const guint bottom = MIN (row + 1, (gint) curve->rows - 1);
  const gdouble dx = place_x - column, dy = place_y - row;
  const gdouble strength = curve->strength / 65536.0;
  gdouble value;

  value = (model_value (model, left, top, code) * (1 - dx) +
      model_value (model, right, top, code) * dx) * (1 - dy) +
      (model_value (model, left, bottom, code) * (1 - dx) +
      model_value (model, right, bottom, code) * dx) * dy;
  return code + (value - code) * strength;
}

/* The allowed error in codes: rounding of levels and then of codes; for gamma
 * the precision of its exponent. */
static gdouble
allowed (const Case * c)
{
  return c->job.curve.method == VH_CURVE_GAMMA && c->layout.depth > 12 ? 12 :
      1.6;
}

static void
check_code (const Case * c, guint n, guint x, guint y, gdouble wanted,
    gdouble tolerance)
{
  const guint got = get_code (c, c->wanted, n, x, y);

  wanted = CLAMP (wanted, 0, (1 << c->layout.depth) - 1);
  if (fabs (got - wanted) > tolerance)
    fail ("component %u at %u,%u: %u, not %f, from %u: %s", n, x, y, got,
        wanted, get_code (c, c->frame.image, n, x, y), case_describe (c));
}

/* Checks the chroma samples of pixel @x, @y, given the gain of luma there. */
static void
check_chroma (const Case * c, guint x, guint y)
{
  const VhComponent *component = &c->layout.component[1];
  const gdouble grey = 1 << (c->layout.depth - 1);
  const guint u = get_code (c, c->frame.image, 1, x, y);
  const guint v = get_code (c, c->frame.image, 2, x, y);
  const gdouble most = MAX (fabs (u - grey), fabs (v - grey));
  const guint column = (c->frame.x + x) >> component->w_sub;
  const guint row = (c->frame.y + y) >> component->h_sub;
  gdouble before = 0, after = 0, n = 0, gain;
  guint px, py;

  /* All pixels of the picture with the same chroma sample. */
  for (py = y; py < c->frame.height
      && (c->frame.y + py) >> component->h_sub == row; py++) {
    for (px = x; px < c->frame.width
        && (c->frame.x + px) >> component->w_sub == column; px++) {
      before += get_code (c, c->frame.image, 0, px, py) - (gdouble)
          c->job.black;
      after += get_code (c, c->wanted, 0, px, py) - (gdouble) c->job.black;
      n++;
    }
  }
  n = ldexp (n, c->layout.depth - 8);
  gain = MAX (after, n) / MAX (before, n);
  gain = MIN (gain, c->job.curve.max_gain / 65536.0);
  if (gain > 1)
    gain = MAX (1, MIN (gain, c->job.chroma_limit / most));
  check_code (c, 1, x, y, grey + (u - grey) * gain, 0.51);
  check_code (c, 2, x, y, grey + (v - grey) * gain, 0.51);
}

static void
check_rgb (const Model * model, guint x, guint y)
{
  const Case *c = model->c;
  const gdouble black = c->job.black, white = c->job.white;
  const VhLumaWeights w = vh_luma_weights (c->layout.matrix);
  guint rgb[3], luma, most, least, n;
  gdouble corrected, gain, step, tolerance = allowed (c);

  for (n = 0; n < 3; n++)
    rgb[n] = get_code (c, c->frame.image, n, x, y);
  luma = (w.r * (guint64) rgb[0] + w.g * (guint64) rgb[1] +
      w.b * (guint64) rgb[2] + 32768) >> 16;
  most = MAX (MAX (rgb[0], rgb[1]), rgb[2]);
  least = MIN (MIN (rgb[0], rgb[1]), rgb[2]);
  corrected = model_correct (model, x, y, luma);
  step = CLAMP (corrected - luma, MIN (black - least, 0), MAX (white - most,
          0));
  gain = MAX (corrected - black, 0) / MAX (luma - black, 1);
  if (gain > 1)
    gain = MAX (1, MIN (gain, (white - black) / (most - black)));
  for (n = 0; n < 3; n++) {
    if (c->job.color == VH_COLOR_CHANNELS)
      check_code (c, n, x, y, model_correct (model, x, y, rgb[n]), tolerance);
    else if (c->job.color == VH_COLOR_KEEP || luma <= c->job.black)
      check_code (c, n, x, y, rgb[n] + step, tolerance);
    else
      check_code (c, n, x, y, black + (rgb[n] - black) * gain, 0.6 + tolerance *
          (1 + fabs (rgb[n] - black) / MAX (luma - black, 1)));
  }
}

static void
check_model (const Case * c)
{
  const VhComponent *chroma = &c->layout.component[1];
  const VhRect *region = &c->job.region;
  Model model;
  guint x, y;

  model_init (&model, c);
  if (model.constant && memcmp (c->wanted, c->frame.image, c->frame.size) != 0)
    fail ("a constant frame changed: %s", case_describe (c));
  for (y = region->y; y < region->y + region->height && !model.constant; y++) {
    for (x = region->x; x < region->x + region->width; x++) {
      if (c->layout.model == VH_MODEL_RGB) {
        check_rgb (&model, x, y);
        continue;
      }
      check_code (c, 0, x, y, model_correct (&model, x, y, get_code (c,
                  c->frame.image, 0, x, y)), allowed (c));
      /* Once per sample, at its first pixel in the picture. */
      if (c->layout.model == VH_MODEL_YUV && c->job.color != VH_COLOR_KEEP
          && is_inside (c, 1, x, y)
          && (x == 0 || (c->frame.x + x) % (1 << chroma->w_sub) == 0)
          && (y == 0 || (c->frame.y + y) % (1 << chroma->h_sub) == 0))
        check_chroma (c, x, y);
    }
  }
  g_free (model.levels);
}

/* Compares the rows of all planes, without the padding. */
static void
check_planes (const Case * c, const VhFrameView * view, const guint8 * got,
    const gchar * kernels)
{
  guint p, y;

  for (p = 0; p < c->frame.n_planes; p++) {
    for (y = 0; y < view->plane[p].rows; y++) {
      const gsize row = c->frame.offset[p] + (gsize) y * c->frame.stride[p];

      if (memcmp (got + row, c->wanted + row, view->plane[p].row_bytes) != 0)
        fail ("row %u of plane %u differs with %s: %s", y, p, kernels,
            case_describe (c));
    }
  }
}

/* Corrects @in into @out, which may be the same. */
static void
correct (VhDevice * device, VhCorrector * corrector, VhFrameView * in,
    VhFrameView * out, VhCounts * counts, const VhEqualizeJob * job)
{
  VhFrame *from, *to;

  from = device->klass->begin (device, in, in == out ? VH_FRAME_WRITE :
      VH_FRAME_READ, FALSE, NULL);
  fail_unless (from != NULL);
  to = in == out ? from : device->klass->begin (device, out, VH_FRAME_WRITE,
      FALSE, NULL);
  fail_unless (to != NULL);
  fail_unless (corrector->klass->submit (corrector, from, to, counts, job,
          NULL));
  fail_unless (device->klass->end (device, to, NULL));
  if (from != to)
    fail_unless (device->klass->end (device, from, NULL));
}

/* Corrects the frame with @kernels, in place and into another. */
static void
check_kernels (const Case * c, const VhLoops * kernels)
{
  VhDevice *device = sweep_open_cpu (kernels);
  VhCounts *counts = vh_histogram_counts (c->histogram);
  guint8 *other = g_malloc (c->frame.size), *got = g_malloc (c->frame.size);
  VhEqualizeJob job = c->job;
  VhCorrector *corrector;
  VhFrameView in, out;
  GstBuffer *buffer;

  corrector = device->klass->new_corrector (device);
  fail_unless (corrector->klass->configure (corrector, &c->layout, &job.curve,
          NULL));

  buffer = sweep_buffer (&c->frame, c->frame.image);
  sweep_view (&in, &c->layout, buffer);
  correct (device, corrector, &in, &in, counts, &job);
  gst_buffer_extract (buffer, 0, got, c->frame.size);
  gst_buffer_unref (buffer);
  if (memcmp (got, c->wanted, c->frame.size) != 0)
    fail ("in place it differs with %s: %s", kernels->name, case_describe (c));

  memset (other, 0x5a, c->frame.size);
  buffer = sweep_buffer (&c->frame, other);
  sweep_view (&in, &c->layout, c->frame.buffer);
  sweep_view (&out, &c->layout, buffer);
  job.reset = TRUE;
  correct (device, corrector, &in, &out, counts, &job);
  gst_buffer_extract (buffer, 0, got, c->frame.size);
  gst_buffer_unref (buffer);
  check_planes (c, &out, got, kernels->name);

  corrector->klass->close (corrector);
  device->klass->close (device);
  g_free (other);
  g_free (got);
}

GST_START_TEST (test_frames)
{
  const guint64 first = test_env_number ("TEST_SEED", 1);
  const guint64 n = test_env_tier ("TEST_SWEEP_CASES", DEFAULT_CASES,
      CASES_OF_LONG_TIER);
  const VhLoops *const *kernels;
  guint64 seed;
  Case c;

  for (seed = first; seed < first + n; seed++) {
    case_init (&c, seed);
    check_untouched (&c);
    check_model (&c);
    for (kernels = vh_loops_list (); *kernels; kernels++)
      check_kernels (&c, *kernels);
    case_clear (&c);
  }
  test_figure ("random frames corrected as the reference corrects them",
      "%" G_GUINT64_FORMAT ", by %u kernel tables", n, sweep_n_kernels ());
}

GST_END_TEST;

SWEEP_SUITE (equalizesweep, test_frames)
