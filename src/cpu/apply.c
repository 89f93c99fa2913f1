/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame is corrected in bands: the rows of pixels that share a row of chroma
 * samples. The luma of a band is fetched, corrected and stored row by row, and
 * summed for each chroma sample before and after correction; then chroma is
 * corrected. The data passed between steps stays in the nearest caches. */
#include "apply.h"
#include "core/error.h"
#include "core/joint.h"
#include "rows.h"

#include <string.h>

/* Arrays are aligned for vectors. */
#define ALIGN 64

/* Whether samples have more bits than levels, so that curves are interpolated
 * linearly between levels. */
#define HAS_PARTS(curve) ((curve)->depth > VH_CURVE_DEPTH)

/* A run of pixels between the same four tiles. */
typedef struct
{
  guint start, end;             /* pixels of the region */
  guint left, right;            /* columns of tiles */
} Segment;

struct _VhCpuApplier
{
  VhRows samples;
  VhLumaWeights luma_weights;

  /* The number of pixels of a row, and of tiles, that the arrays have room
   * for. */
  gsize width;
  guint columns, rows;
  gpointer scratch;             /* contains all arrays below */
  gpointer before, after;       /* [width] samples of luma */
  gpointer corrected;           /* [width], before strength is applied */
  gpointer channel[3];          /* [width] samples of R, G, B, or -, U, V */
  guint32 *sum_before, *sum_after;      /* [width], luma of each chroma
                                         * sample */
  float *nearness;              /* [width], to the tile on the right */
  Segment *segments;            /* [columns + 1] */
  guint8 *tables;               /* [rows][columns] tables of samples, or a
                                 * single one */
  guint8 *quads;                /* [columns + 1], between two rows of tiles */
  gsize table_size, quad_size;  /* bytes */

  /* The current frame. */
  const VhFrameView *in;
  VhFrameView *out;
  VhRect from, to;              /* the regions of both */
  const VhEqualizeJob *job;
  const guint32 *levels;
  gboolean tiles;
  guint upper, lower;           /* rows of tiles that quads interpolate
                                 * between */
  gboolean have_quads;
};

VhCpuApplier *
vh_cpu_applier_new (const VhLayout * layout, const VhLoops * loops)
{
  VhCpuApplier *self = g_new0 (VhCpuApplier, 1);

  vh_rows_init (&self->samples, layout, loops);
  self->luma_weights = vh_luma_weights (layout->matrix);
  return self;
}

void
vh_cpu_applier_free (VhCpuApplier * self)
{
  g_free (self->scratch);
  g_free (self);
}

/* Takes @size bytes of @base at @offset, and advances @offset. If @base is
 * NULL, it only advances. */
static gpointer
take (guint8 * base, gsize * offset, gsize size)
{
  gpointer part = base ? base + *offset : NULL;

  *offset += (size + ALIGN - 1) / ALIGN * ALIGN;
  return part;
}

/* Divides @base among the arrays that correcting needs. Returns their size. */
static gsize
divide_scratch (VhCpuApplier * self, guint8 * base)
{
  const gsize n_codes = (gsize) 1 << self->samples.layout.depth;
  const gsize row = self->width * self->samples.sample_size;
  const gsize n_tables = self->columns * self->rows;
  gsize size = 0;
  guint i;

  self->before = take (base, &size, row);
  self->after = take (base, &size, row);
  self->corrected = take (base, &size, row);
  for (i = 0; i < 3; i++)
    self->channel[i] = take (base, &size, row);
  self->sum_before = take (base, &size, self->width * sizeof (guint32));
  self->sum_after = take (base, &size, self->width * sizeof (guint32));
  self->nearness = take (base, &size, self->width * sizeof (float));
  self->segments = take (base, &size, (self->columns + 1) * sizeof (Segment));
  self->table_size = n_codes * self->samples.sample_size;
  self->quad_size = VH_QUAD_SAMPLES * self->table_size;
  if (self->samples.layout.depth > VH_CURVE_DEPTH) {
    self->quad_size = (VH_CURVE_MAX_BINS + 1) * VH_QUAD_SAMPLES *
        sizeof (guint32);
    /* Tiles interpolate levels, so only a single curve needs a table. */
    self->tables = take (base, &size, self->table_size);
  } else {
    self->tables = take (base, &size, n_tables * self->table_size);
  }
  self->quads = take (base, &size, (self->columns + 1) * self->quad_size);
  return size;
}

static gboolean
ensure_scratch (VhCpuApplier * self, gsize width, guint columns, guint rows,
    GError ** error)
{
  guintptr aligned;

  if (self->scratch && width <= self->width && columns == self->columns
      && rows == self->rows)
    return TRUE;

  g_free (self->scratch);
  self->width = MAX (width, self->width);
  self->columns = columns;
  self->rows = rows;
  self->scratch = g_try_malloc (divide_scratch (self, NULL) + ALIGN);
  if (!self->scratch) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
        "to correct frames");
    return FALSE;
  }
  aligned = ((guintptr) self->scratch + ALIGN - 1) / ALIGN * ALIGN;
  divide_scratch (self, (guint8 *) aligned);
  return TRUE;
}

/* Makes the table of code values from the levels, with the strength of
 * @curve. */
static void
make_table (VhCpuApplier * self, const VhCurveParams * curve)
{
  guint code;

  if (HAS_PARTS (curve)) {
    self->samples.correction->expand ((guint16 *) self->tables, self->levels,
        curve);
    return;
  }
  for (code = 0; code < curve->bins; code++) {
    const guint32 value = vh_curve_blend (code, vh_curve_value (curve, code,
            self->levels[code], 0), curve->strength);

    if (self->samples.sample_size == 1)
      self->tables[code] = value;
    else
      ((guint16 *) self->tables)[code] = value;
  }
}

/* The tables of all tiles, without strength, which is applied after
 * interpolation. */
static void
make_tile_tables (VhCpuApplier * self, const VhCurveParams * curve)
{
  const gsize n = (gsize) curve->columns * curve->rows * curve->bins;
  gsize i;

  /* With one bin per code value, tables follow each other like levels. */
  for (i = 0; i < n && !HAS_PARTS (curve); i++) {
    const guint32 value = vh_curve_value (curve, 0, self->levels[i], 0);

    if (self->samples.sample_size == 1)
      self->tables[i] = value;
    else
      ((guint16 *) self->tables)[i] = value;
  }
}

/* Divides a row of @width pixels into runs between the same tiles. */
static void
make_segments (VhCpuApplier * self, const VhCurveParams * curve, guint width)
{
  const float inverse = VH_FDIV ((float) curve->columns, (float) width);
  guint x, n = 0;

  for (x = 0; x < width; x++) {
    guint32 left, right;

    self->nearness[x] = vh_curve_between (x, inverse, curve->columns, &left,
        &right);
    if (n == 0 || self->segments[n - 1].left != left
        || self->segments[n - 1].right != right) {
      self->segments[n++] = (Segment) { x, x, left, right };
    }
    self->segments[n - 1].end = x + 1;
  }
  for (; n <= curve->columns; n++)
    self->segments[n] = (Segment) { width, width, 0, 0 };
}

/* Joins the tables of tiles for rows of pixels between @upper and @lower. */
static void
ensure_quads (VhCpuApplier * self, guint upper, guint lower)
{
  const VhCurveParams *curve = &self->job->curve;
  const guint rows[2] = { upper, lower };
  guint s, i;

  if (self->have_quads && upper == self->upper && lower == self->lower)
    return;

  for (s = 0; s <= curve->columns; s++) {
    const Segment *segment = &self->segments[s];
    guint8 *quad = self->quads + s * self->quad_size;
    const guint32 *levels[4];
    gconstpointer tables[4];

    for (i = 0; i < 4; i++) {
      const gsize tile = (gsize) rows[i / 2] * curve->columns +
          (i % 2 ? segment->right : segment->left);

      levels[i] = self->levels + tile * curve->bins;
      tables[i] = self->tables + tile * self->table_size;
    }
    if (segment->start == segment->end)
      continue;
    if (HAS_PARTS (curve))
      self->samples.correction->join_levels ((guint32 *) quad, levels,
          curve->bins);
    else
      self->samples.ops->join (quad, tables, curve->bins);
  }
  self->have_quads = TRUE;
  self->upper = upper;
  self->lower = lower;
}

/* Corrects a row of tiles: @codes of row @y of the region. */
static void
correct_tiles (VhCpuApplier * self, gpointer corrected, gconstpointer codes,
    guint y)
{
  const VhCurveParams *curve = &self->job->curve;
  const float inverse = VH_FDIV ((float) curve->rows,
      (float) self->from.height);
  guint32 upper, lower;
  const float nearness = vh_curve_between (y, inverse, curve->rows, &upper,
      &lower);
  guint s;

  ensure_quads (self, upper, lower);
  for (s = 0; s <= curve->columns; s++) {
    const Segment *segment = &self->segments[s];
    const gsize n = segment->end - segment->start;
    const gsize offset = segment->start * self->samples.sample_size;
    const guint8 *from = (const guint8 *) codes + offset;
    guint8 *to = (guint8 *) corrected + offset;
    const guint8 *quad = self->quads + s * self->quad_size;
    const float *x = self->nearness + segment->start;

    if (n == 0)
      continue;
    if (HAS_PARTS (curve))
      self->samples.correction->tiles_levels ((guint16 *) to,
          (const guint16 *) from, n, (const guint32 *) quad, x, nearness,
          curve);
    else
      self->samples.ops->tiles (to, from, n, quad, x, nearness);
  }
}

/* Corrects the @codes of row @y of the region into @after, which may be the
 * same array. */
static void
correct_row (VhCpuApplier * self, gpointer after, gconstpointer codes,
    guint y)
{
  const gsize n = self->from.width;
  const guint32 strength = self->job->curve.strength;

  if (!self->tiles) {
    self->samples.ops->map (after, codes, n, self->tables);
  } else if (strength == VH_SHARE_ONE) {
    correct_tiles (self, after, codes, y);
  } else {
    correct_tiles (self, self->corrected, codes, y);
    self->samples.ops->blend (after, codes, self->corrected, n, strength);
  }
}

/* How many pixels of a row there are before the first whole chroma sample. */
static gsize
find_lead (const VhCpuApplier * self)
{
  const guint block = 1u << self->samples.layout.component[1].w_sub;

  return MIN (-self->from.x & (block - 1), self->from.width);
}

/* Adds a row of luma to the @sums of its chroma samples. */
static void
add_luma (VhCpuApplier * self, guint32 * sums, gconstpointer luma)
{
  const guint w_sub = self->samples.layout.component[1].w_sub;
  const gsize lead = find_lead (self);

  self->samples.ops->sum (sums, luma, lead, w_sub);
  self->samples.ops->sum (sums + (lead > 0), (const guint8 *) luma +
      lead * self->samples.sample_size, self->from.width - lead, w_sub);
}

/* Corrects the luma of row @y of the region of a frame that is not RGB; with
 * @sums, also adds up the luma of each chroma sample before and after. */
static void
correct_luma_row (VhCpuApplier * self, guint y, gboolean sums)
{
  const VhRect *from = &self->from, *to = &self->to;
  const gsize n = from->width;
  gpointer before = vh_rows_find (&self->samples, self->in, 0, from->x,
      from->y + y);
  gpointer after = vh_rows_find (&self->samples, self->out, 0, to->x,
      to->y + y);

  if (!before) {
    before = self->before;
    vh_rows_fetch (&self->samples, self->in, 0, before, from->x, from->y + y,
        n);
  }
  if (sums)
    add_luma (self, self->sum_before, before);
  correct_row (self, after ? after : self->after, before, y);
  if (!after) {
    const gconstpointer samples[3] = { self->after, };

    after = self->after;
    vh_rows_store (&self->samples, self->out, 0, 0, samples, to->x, to->y + y,
        n);
  }
  if (sums)
    add_luma (self, self->sum_after, after);
}

/* Corrects the luma of all rows at once if they follow each other without a gap
 * in both frames, one curve applies to all, and there is nothing else to do;
 * otherwise returns FALSE. */
static gboolean
correct_joined_rows (VhCpuApplier * self)
{
  const VhRect *from = &self->from, *to = &self->to;
  const guint plane = self->samples.layout.component[0].plane;
  const gsize row = from->width * self->samples.sample_size;
  gpointer before = vh_rows_find (&self->samples, self->in, 0, from->x,
      from->y);
  gpointer after = vh_rows_find (&self->samples, self->out, 0, to->x, to->y);

  if (!before || !after || self->tiles || self->in->plane[plane].stride != row
      || self->out->plane[plane].stride != row)
    return FALSE;
  self->samples.ops->map (after, before, (gsize) from->width * from->height,
      self->tables);
  return TRUE;
}

/* Corrects the chroma samples from @start to @end of their array; each covers
 * @pixels pixels. */
static void
correct_chroma (VhCpuApplier * self, gsize start, gsize end, guint pixels)
{
  const gsize offset = start * self->samples.sample_size;

  if (end > start) {
    self->samples.ops->chroma ((guint8 *) self->channel[1] + offset,
        (guint8 *) self->channel[2] + offset, self->sum_before + start,
        self->sum_after + start, end - start, pixels, self->job);
  }
}

/* Whether chroma samples in column @x, or in row @y, also belong to pixels
 * beyond the region. */
static gboolean
is_shared_column (const VhCpuApplier * self, guint x)
{
  return vh_equalize_chroma_stays (self->job->edges & (VH_EDGE_LEFT |
          VH_EDGE_RIGHT), &self->from, x, 0,
      self->samples.layout.component[1].w_sub, 0);
}

static gboolean
is_shared_row (const VhCpuApplier * self, guint y)
{
  return vh_equalize_chroma_stays (self->job->edges & (VH_EDGE_TOP |
          VH_EDGE_BOTTOM), &self->from, 0, y, 0,
      self->samples.layout.component[1].h_sub);
}

/* Corrects the chroma samples shared by @rows rows of the region, the first of
 * which is @y. Their luma has been added up. */
static void
correct_chroma_row (VhCpuApplier * self, guint y, guint rows)
{
  const VhComponent *chroma = &self->samples.layout.component[1];
  const VhRect *from = &self->from, *to = &self->to;
  const guint block = 1u << chroma->w_sub;
  const gsize lead = find_lead (self);
  const gsize first = lead > 0;
  const gsize whole = first + (from->width - lead) / block;
  const gsize rest = (from->width - lead) % block;
  const gsize n = whole + (rest > 0);
  guint c;

  for (c = 1; c < 3; c++) {
    vh_rows_fetch (&self->samples, self->in, c, self->channel[c],
        from->x >> chroma->w_sub, (from->y + y) >> chroma->h_sub, n);
  }
  if (!is_shared_column (self, from->x >> chroma->w_sub))
    correct_chroma (self, 0, first, lead * rows);
  correct_chroma (self, first, whole, block * rows);
  if (!is_shared_column (self, (from->x + from->width - 1) >> chroma->w_sub))
    correct_chroma (self, whole, n, rest * rows);
  vh_rows_store (&self->samples, self->out, 1, 2,
      (const gconstpointer *) self->channel, to->x >> chroma->w_sub,
      (to->y + y) >> chroma->h_sub, n);
}

static void
correct_yuv (VhCpuApplier * self)
{
  const VhRect *region = &self->from;
  const guint h_sub = self->samples.layout.component[1].h_sub;
  const gsize sums = vh_chroma_region (&self->samples.layout, region).width *
      sizeof (guint32);
  guint y, row, rows;

  for (y = 0; y < region->height; y += rows) {
    /* Up to the next row of chroma. */
    rows = (1u << h_sub) - ((region->y + y) & ((1u << h_sub) - 1));
    rows = MIN (rows, region->height - y);
    memset (self->sum_before, 0, sums);
    memset (self->sum_after, 0, sums);
    for (row = 0; row < rows; row++)
      correct_luma_row (self, y + row, TRUE);
    if (!is_shared_row (self, (region->y + y) >> h_sub))
      correct_chroma_row (self, y, rows);
  }
}

static void
correct_rgb_row (VhCpuApplier * self, guint y)
{
  const VhRect *from = &self->from, *to = &self->to;
  const gsize n = from->width;
  guint c;

  for (c = 0; c < 3; c++) {
    vh_rows_fetch (&self->samples, self->in, c, self->channel[c], from->x,
        from->y + y, n);
  }
  if (self->job->color == VH_COLOR_CHANNELS) {
    for (c = 0; c < 3; c++)
      correct_row (self, self->channel[c], self->channel[c], y);
  } else {
    self->samples.steps->luma (self->before,
        (const gconstpointer *) self->channel, n, &self->luma_weights);
    correct_row (self, self->after, self->before, y);
    self->samples.ops->rgb (self->channel, self->before, self->after, n,
        self->job);
  }
  vh_rows_store (&self->samples, self->out, 0, 2,
      (const gconstpointer *) self->channel, to->x, to->y + y, n);
}

/* Whether all bytes of plane @p belong to corrected samples. */
static gboolean
is_replaced (const VhCpuApplier * self, guint p)
{
  const VhLayout *layout = &self->samples.layout;
  const guint n = layout->model == VH_MODEL_YUV
      && self->job->color == VH_COLOR_KEEP ? 1 : layout->n_components;
  const VhPlane *plane = &self->in->plane[p];
  const VhRect *region = &self->from;
  const guint last = region->y + region->height - 1;
  guint bytes = 0, stride = 0, c;

  for (c = 0; c < n; c++) {
    const VhComponent *component = &layout->component[c];

    if (component->plane != p)
      continue;
    if (8u * component->sample_bytes != layout->depth
        || (stride > 0 && component->pixel_stride != stride)
        || region->x > 0 || region->y > 0
        || (component->h_sub && is_shared_row (self, last >> component->h_sub))
        || plane->rows > ((region->height - 1) >> component->h_sub) + 1
        || plane->row_bytes > (((region->width - 1) >> component->w_sub) + 1) *
        (gsize) component->pixel_stride)
      return FALSE;
    stride = component->pixel_stride;
    bytes += component->sample_bytes;
  }
  return bytes > 0 && bytes == stride;
}

/* Copies what correcting does not replace. */
static void
copy_rest (VhCpuApplier * self)
{
  guint planes = 0, p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((self->in->planes & (1u << p)) && !is_replaced (self, p))
      planes |= 1u << p;
  }
  vh_frame_view_copy (self->out, self->in, planes);
}

gboolean
vh_cpu_applier_apply (VhCpuApplier * self, const VhFrameView * in,
    VhFrameView * out, const VhEqualizeJob * job, const guint32 * levels,
    GError ** error)
{
  const VhRect region = vh_equalize_region (job, in);
  guint y;

  if (!ensure_scratch (self, region.width, job->curve.columns,
          job->curve.rows, error))
    return FALSE;

  self->in = in;
  self->out = out;
  self->from = region;
  self->to = vh_equalize_region (job, out);
  self->job = job;
  self->levels = levels;
  self->tiles = job->curve.method == VH_CURVE_CLAHE;
  self->have_quads = FALSE;
  if (self->tiles) {
    make_tile_tables (self, &job->curve);
    make_segments (self, &job->curve, region.width);
  } else {
    make_table (self, &job->curve);
  }

  if (in != out)
    copy_rest (self);
  if (self->samples.layout.model == VH_MODEL_YUV
      && job->color != VH_COLOR_KEEP) {
    correct_yuv (self);
    return TRUE;
  }
  if (self->samples.layout.model != VH_MODEL_RGB && correct_joined_rows (self))
    return TRUE;
  for (y = 0; y < region.height; y++) {
    if (self->samples.layout.model == VH_MODEL_RGB)
      correct_rgb_row (self, y);
    else
      correct_luma_row (self, y, FALSE);
  }
  return TRUE;
}
