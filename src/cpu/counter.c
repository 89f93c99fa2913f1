/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame is counted cell by cell, and a cell row by row. Samples that do not
 * form an array are fetched and converted into arrays, several rows at a time
 * if rows are short, and counted when the arrays are full. */
#include "counter.h"
#include "core/channels.h"
#include "core/error.h"
#include "operation.h"

#include <string.h>

/* Pixels that are fetched and converted at a time: their arrays stay in the
 * nearest cache. Gradients need one more, which the next run counts. */
#define PIECE_PIXELS 2048

/* Pixels that are counted at a time, one channel after the other: so many that
 * loading each channel's table into the nearest cache costs little, and so few
 * that the arrays stay in the second-level cache. */
#define RUN_PIXELS 32768

/* Shorter rows of a cell are copied one after the other before they are
 * counted. Rows of cells are far apart, so memory is prefetched this many rows
 * ahead. */
#define JOINED_PIXELS 1024
#define PREFETCH_ROWS 8

/* How far ahead luma is prefetched if gradients are computed in place. */
#define PREFETCH_BYTES 4096
#define CACHE_LINE 64

/* Counters of the tables that count16 fills besides the histogram; together
 * they fit into a first-level cache. */
#define TABLE16_COUNTERS 4096

/* With at least this many pixels per bin, several tables are faster. */
#define TABLE16_PIXELS 16

/* How one channel of the current cell is counted. */
typedef struct
{
  guint32 *cell;                /* bins of the histogram */
  const VhCodeCounter *counter; /* for 8-bit codes; NULL: they are counted
                                 * directly into cell */
  gpointer state;               /* of counter */
  guint32 *tables[4];           /* for 16-bit indices: cell, parts of table16 */
  guint n_tables;               /* distinct tables among these */
  gpointer states[VH_MAX_COUNTERS];
  guint32 *table16;             /* TABLE16_COUNTERS, zero between cells */
  gpointer indices;             /* RUN_PIXELS bins */
} Channel;

typedef struct
{
  VhCounter parent;
  const VhLoops *loops;
  const VhSampleOps *ops;

  /* Set by configure. */
  VhLayout layout;
  VhFetch fetch[3];
  VhLumaWeights luma_weights;
  VhYuvToRgb yuv_to_rgb;
  guint channels;               /* bit per channel */
  guint bins, columns, rows;
  guint components;             /* bit per component that the channels need */
  guint counted;                /* bit per component that is a channel */
  guint values;                 /* bit per VhValue that the channels need */
  gboolean wide_samples;        /* samples are guint16, not guint8 */
  gboolean wide_indices;        /* counted values are guint16, not guint8 */
  gboolean in_place;            /* every run is counted in place */
  gboolean joins;               /* rows of the current cell are copied one after
                                 * the other */
  gboolean packed;              /* all components are needed, and are bytes of
                                 * the same pixels */
  guint n_codes;                /* 8-bit codes that can occur */
  guint16 bin_of_code[256];     /* for each of these codes */

  gpointer fetched[3];          /* RUN_PIXELS + 1 samples of a component */
  gpointer made[VH_N_VALUES];   /* RUN_PIXELS + 1 samples of a value */
  gpointer gradients;           /* RUN_PIXELS + PIECE_PIXELS of them */
  gsize n_gradients;            /* that are not counted yet */
  Channel channel[VH_N_CHANNELS];
  gpointer scratch;             /* contains all of the above */
  gsize scratch_size;           /* bytes */
} Counter;

#define RGB_VALUES \
    (1u << VH_VALUE_RED | 1u << VH_VALUE_GREEN | 1u << VH_VALUE_BLUE)

/* Whether the samples of component @c form an array in a row. */
static gboolean
is_array (const Counter * self, guint c)
{
  const VhComponent *component = &self->layout.component[c];

  return !self->wide_samples && component->pixel_stride == 1
      && component->w_sub == 0;
}

static gboolean
has_channel (const Counter * self, guint channel)
{
  return (self->channels & (1u << channel)) != 0;
}

/* Takes @size bytes of @base at @offset, and advances @offset. If @base is
 * NULL, it only advances. */
static gpointer
take (guint8 * base, gsize * offset, gsize size)
{
  gpointer part = base ? base + *offset : NULL;

  *offset += (size + VH_STATE_ALIGN - 1) / VH_STATE_ALIGN * VH_STATE_ALIGN;
  return part;
}

/* Divides @base among the arrays that counting needs. Returns their size. */
static gsize
divide_scratch (Counter * self, guint8 * base)
{
  const gsize sample = self->wide_samples ? 2 : 1;
  const gsize run = (RUN_PIXELS + 1) * sample;
  gsize size = 0;
  guint i, k;

  for (i = 0; i < 3; i++)
    self->fetched[i] = take (base, &size, run);

  for (i = VH_VALUE_LUMA; i < VH_VALUE_GRADIENT; i++) {
    if (self->values & (1u << i))
      self->made[i] = take (base, &size, run);
  }
  if (self->values & (1u << VH_VALUE_GRADIENT)) {
    self->gradients = take (base, &size,
        (RUN_PIXELS + PIECE_PIXELS) * sample);
  }
  for (i = 0; i < VH_N_CHANNELS; i++) {
    Channel *channel = &self->channel[i];

    if (!has_channel (self, i))
      continue;
    if (self->wide_samples)
      channel->indices = take (base, &size, run);
    if (self->wide_indices)
      channel->table16 =
          take (base, &size, TABLE16_COUNTERS * sizeof (guint32));
    for (k = 0; k < VH_MAX_COUNTERS && !self->wide_indices; k++)
      channel->states[k] =
          take (base, &size, self->loops->counters[k]->state_size);
  }
  return size;
}

/* Allocates the memory that the configuration needs, all zero. */
static gboolean
ensure_scratch (Counter * self, GError ** error)
{
  const gsize size = divide_scratch (self, NULL) + VH_STATE_ALIGN;
  guintptr aligned;

  if (size > self->scratch_size) {
    g_free (self->scratch);
    self->scratch = g_try_malloc (size);
    self->scratch_size = self->scratch ? size : 0;
  }
  if (!self->scratch) {
    g_set_error (error, VH_ERROR, VH_ERROR_BACKEND,
        "cannot allocate %" G_GSIZE_FORMAT " bytes for counters", size);
    return FALSE;
  }
  memset (self->scratch, 0, size);
  aligned = ((guintptr) self->scratch + VH_STATE_ALIGN - 1)
      / VH_STATE_ALIGN * VH_STATE_ALIGN;
  divide_scratch (self, (guint8 *) aligned);
  return TRUE;
}

/* Grey has no chroma, so neutral chroma is used. */
static void
fill_neutral_chroma (Counter * self)
{
  guint c, i;

  for (c = 1; c < 3; c++) {
    for (i = 0; i < RUN_PIXELS; i++) {
      if (self->wide_samples)
        ((guint16 *) self->fetched[c])[i] = self->yuv_to_rgb.c_offset;
      else
        ((guint8 *) self->fetched[c])[i] = self->yuv_to_rgb.c_offset;
    }
  }
}

/* Finds which components and values @channels need. */
static void
find_needs (Counter * self, guint channels)
{
  guint i;

  self->channels = channels;
  self->components = vh_channels_components (&self->layout, channels);
  self->values = 0;
  self->counted = 0;
  for (i = 0; i < VH_N_CHANNELS; i++) {
    const VhChannelSource *source = vh_channel_source (&self->layout, i);

    if (!has_channel (self, i))
      continue;
    self->values |= 1u << source->value;
    if (source->value == VH_VALUE_COMPONENT)
      self->counted |= source->components;
  }
  if (has_channel (self, VH_CHANNEL_GRADIENT)) {
    self->values |=
        1u << vh_channel_source (&self->layout, VH_CHANNEL_LUMA)->value;
  }
  /* Red, green and blue are computed together. */
  if (self->values & RGB_VALUES)
    self->values |= RGB_VALUES;
}

static gboolean
counter_configure (VhCounter * counter, const VhLayout * layout,
    const VhCountSpec * spec, GError ** error)
{
  Counter *self = (Counter *) counter;
  guint i;

  self->layout = *layout;
  self->luma_weights = vh_luma_weights (layout->matrix);
  self->yuv_to_rgb = vh_yuv_to_rgb (layout->matrix, layout->colorimetry.range,
      layout->depth);
  self->bins = spec->shape.bins;
  self->columns = spec->shape.columns;
  self->rows = spec->shape.rows;
  find_needs (self, spec->shape.channels);

  self->wide_samples = layout->depth > 8;
  self->wide_indices = self->wide_samples && self->bins > 256;
  self->ops = self->wide_samples ? &self->loops->ops16 : &self->loops->ops8;
  self->in_place = !self->wide_samples
      && (self->values & ~(1u << VH_VALUE_GRADIENT)) ==
      1u << VH_VALUE_COMPONENT;

  self->packed = self->components == 7 && vh_fetch_is_packed (layout, 0, 2);
  for (i = 0; i < layout->n_components; i++) {
    self->fetch[i] = vh_fetch_pixels (layout, i);
    if (self->components & (1u << i) && !is_array (self, i))
      self->in_place = FALSE;
  }

  /* Samples of 8 bits are counted by code, deeper ones by bin. */
  self->n_codes = self->wide_samples ? MIN (self->bins, 256) : 256;
  for (i = 0; i < self->n_codes; i++)
    self->bin_of_code[i] = self->wide_samples ? i : (i * self->bins) >> 8;

  if (!ensure_scratch (self, error))
    return FALSE;
  if (layout->model == VH_MODEL_GRAY)
    fill_neutral_chroma (self);
  return TRUE;
}

/* How many tables, including the cell of the histogram, a cell of @n_pixels is
 * counted into. */
static guint
choose_tables16 (const Counter * self, gsize n_pixels)
{
  if (n_pixels / TABLE16_PIXELS < self->bins)
    return 1;
  if (self->bins <= TABLE16_COUNTERS / 4)
    return 4;
  return self->bins <= TABLE16_COUNTERS ? 2 : 1;
}

/* Chooses how a cell of @n_pixels is counted into @cell. */
static void
begin_channel (const Counter * self, Channel * channel, guint32 * cell,
    gsize n_pixels)
{
  guint i;

  channel->cell = cell;

  if (self->wide_indices) {
    channel->n_tables = choose_tables16 (self, n_pixels);
    for (i = 0; i < 4; i++) {
      const guint table = i % channel->n_tables;

      channel->tables[i] = table == 0 ? cell :
          channel->table16 + (table - 1) * self->bins;
    }
    return;
  }

  channel->counter = NULL;
  for (i = 0; i < VH_MAX_COUNTERS; i++) {
    if (n_pixels >= self->loops->counters[i]->min_samples) {
      channel->counter = self->loops->counters[i];
      channel->state = channel->states[i];
    }
  }
}

/* Counts @n samples of a channel. */
static void
count_samples (const Counter * self, const Channel * channel,
    gconstpointer samples, gsize n)
{
  const guint depth = self->layout.depth;
  const guint8 *codes = samples;
  gsize i;

  if (self->wide_indices) {
    const guint16 *indices = samples;

    /* With a bin per code, samples are bins. */
    if (self->bins != 1u << depth) {
      self->loops->bins16 (channel->indices, samples, n, self->bins, depth);
      indices = channel->indices;
    }
    self->loops->count16 (channel->tables, indices, n);
    return;
  }

  if (self->wide_samples) {
    self->loops->bins8 (channel->indices, samples, n, self->bins, depth);
    codes = channel->indices;
  }
  if (channel->counter) {
    channel->counter->count (channel->state, codes, n);
    return;
  }
  for (i = 0; i < n; i++)
    channel->cell[self->bin_of_code[codes[i]]]++;
}

/* Adds the counts that are not in the cell yet. */
static void
end_channel (const Counter * self, const Channel * channel)
{
  guint32 counts[256] = { 0, };
  guint table, i;

  if (self->wide_indices) {
    for (table = 1; table < channel->n_tables; table++) {
      for (i = 0; i < self->bins; i++)
        channel->cell[i] += channel->tables[table][i];
      memset (channel->tables[table], 0, self->bins * sizeof (guint32));
    }
  } else if (channel->counter) {
    channel->counter->fold (channel->state, counts);
    for (i = 0; i < self->n_codes; i++)
      channel->cell[self->bin_of_code[i]] += counts[i];
  }
}

/* Whether channel @i is counted where its samples lie. */
static gboolean
is_in_place (const Counter * self, guint i)
{
  const VhChannelSource *source = vh_channel_source (&self->layout, i);

  return source->value == VH_VALUE_COMPONENT && !self->joins
      && is_array (self, __builtin_ctz (source->components));
}

/* The element of @array that has sample @at. */
static gpointer
find_element (const Counter * self, gpointer array, gsize at)
{
  return (guint8 *) array + at * (self->wide_samples ? 2 : 1);
}

/* Where component @c is fetched to: @at in its array if it is counted from
 * there; otherwise the start, because it is only needed until the values are
 * computed. */
static gpointer
find_fetched (const Counter * self, guint c, gsize at)
{
  return find_element (self, self->fetched[c],
      self->counted & (1u << c) ? at : 0);
}

/* Copies a part of a row that is followed by others @stride bytes apart. */
static void
copy_row (guint8 * samples, const guint8 * row, gsize n, gsize stride)
{
  gsize i;

  for (i = 0; i < n + CACHE_LINE; i += CACHE_LINE)
    __builtin_prefetch (row + PREFETCH_ROWS * stride + i);
  memcpy (samples, row, n);
}

/* Finds the samples of component @c for @n pixels from @x, @y: where they lie,
 * or fetched. */
static gconstpointer
find_samples (const Counter * self, const VhFrameView * view, guint c,
    gsize x, gsize y, gsize n, gsize at)
{
  const VhComponent *component = &self->layout.component[c];
  const VhPlane *plane = &view->plane[component->plane];
  const guint8 *row = plane->data + (y >> component->h_sub) * plane->stride
      + component->offset;
  gpointer samples;

  if (is_array (self, c) && !self->joins)
    return row + x;
  samples = find_fetched (self, c, at);
  if (is_array (self, c))
    copy_row (samples, row + x, n, plane->stride);
  else
    self->ops->fetch (samples, row, x, n, &self->fetch[c]);
  return samples;
}

/* Fetches the samples of all components at once, if they are bytes of the same
 * pixels. */
static gboolean
fetch_bytes (const Counter * self, const VhFrameView * view, gsize x, gsize y,
    gsize n, gsize at)
{
  const VhComponent *component = self->layout.component;
  const VhPlane *plane = &view->plane[component[0].plane];
  const gsize pixel_stride = component[0].pixel_stride;
  guint8 *bytes[4] = { NULL, };
  guint c;

  if (!self->packed)
    return FALSE;
  for (c = 0; c < 3; c++)
    bytes[component[c].offset] = find_fetched (self, c, at);
  return self->loops->deinterleave8 (bytes, plane->data + y * plane->stride +
      x * pixel_stride, n, pixel_stride);
}

/* Counts all @n gradients of @luma and returns TRUE if all are 0; otherwise
 * does nothing. */
static gboolean
add_zeros (Counter * self, gconstpointer luma, gsize n)
{
  const gsize sample = self->wide_samples ? 2 : 1;

  if (memcmp (luma, (const guint8 *) luma + sample, n * sample) != 0)
    return FALSE;
  self->channel[VH_CHANNEL_GRADIENT].cell[0] += n;
  return TRUE;
}

/* Adds the gradients of a piece of @n pixels of @luma. A piece may be small, so
 * the gradients of several are counted at a time. */
static void
add_piece (Counter * self, gconstpointer luma, gsize n)
{
  const gsize sample = self->wide_samples ? 2 : 1;
  gsize i;

  if (add_zeros (self, luma, n))
    return;
  for (i = 0; i < n * sample; i += CACHE_LINE)
    __builtin_prefetch ((const guint8 *) luma + PREFETCH_BYTES + i);
  self->ops->gradient (find_element (self, self->gradients, self->n_gradients),
      luma, n);
  self->n_gradients += n;
  if (self->n_gradients < RUN_PIXELS)
    return;
  count_samples (self, &self->channel[VH_CHANNEL_GRADIENT], self->gradients,
      RUN_PIXELS);
  self->n_gradients -= RUN_PIXELS;
  memcpy (self->gradients, find_element (self, self->gradients, RUN_PIXELS),
      self->n_gradients * sample);
}

/* Adds the gradients of @n pixels of @luma; does not compute them where all are
 * 0. */
static void
add_gradients (Counter * self, gconstpointer luma, gsize n)
{
  gsize at;

  if (n > PIECE_PIXELS && add_zeros (self, luma, n))
    return;
  for (at = 0; at < n; at += PIECE_PIXELS) {
    add_piece (self, find_element (self, (gpointer) luma, at),
        MIN (n - at, PIECE_PIXELS));
  }
}

/* Processes @n pixels starting at @x, @y for all channels: counts them in
 * place, or writes their samples to the arrays starting at index @at, where
 * there is room for them. The row ends at @right. */
static void
take_run (Counter * self, const VhFrameView * view, gsize x, gsize y, gsize n,
    gsize right, gsize at)
{
  const gboolean gradient = has_channel (self, VH_CHANNEL_GRADIENT);
  const gsize n_read = n + (gradient && x + n < right);
  const VhChannelSource *luma =
      vh_channel_source (&self->layout, VH_CHANNEL_LUMA);
  gconstpointer component[3];
  gpointer made[VH_N_VALUES];
  const gboolean fetched = fetch_bytes (self, view, x, y, n_read, at);
  guint i;

  for (i = 0; i < 3; i++) {
    if (fetched)
      component[i] = find_fetched (self, i, at);
    else if (self->components & (1u << i))
      component[i] = find_samples (self, view, i, x, y, n_read, at);
    else
      component[i] = self->fetched[i];
  }
  for (i = VH_VALUE_LUMA; i < VH_VALUE_GRADIENT; i++) {
    if (self->values & (1u << i))
      made[i] = find_element (self, self->made[i], at);
  }

  if (self->values & (1u << VH_VALUE_LUMA)) {
    self->ops->luma (made[VH_VALUE_LUMA], component, n_read,
        &self->luma_weights);
  }
  if (self->values & RGB_VALUES)
    self->ops->rgb (&made[VH_VALUE_RED], component, n, &self->yuv_to_rgb);

  for (i = 0; i < VH_N_CHANNELS; i++) {
    if (has_channel (self, i) && is_in_place (self, i)) {
      const VhChannelSource *source = vh_channel_source (&self->layout, i);

      count_samples (self, &self->channel[i],
          component[__builtin_ctz (source->components)], n);
    }
  }
  if (gradient) {
    add_gradients (self, luma->value == VH_VALUE_COMPONENT ?
        component[__builtin_ctz (luma->components)] : made[luma->value],
        n_read - 1);
  }
}

/* Counts the gradients that are left. */
static void
count_gradients (Counter * self)
{
  count_samples (self, &self->channel[VH_CHANNEL_GRADIENT], self->gradients,
      self->n_gradients);
  self->n_gradients = 0;
}

/* Counts the first @n samples of the arrays. */
static void
count_arrays (const Counter * self, gsize n)
{
  guint i;

  for (i = 0; i < VH_N_CHANNELS; i++) {
    if (has_channel (self, i) && i != VH_CHANNEL_GRADIENT
        && !is_in_place (self, i)) {
      const VhChannelSource *source = vh_channel_source (&self->layout, i);

      count_samples (self, &self->channel[i],
          source->value == VH_VALUE_COMPONENT ?
          self->fetched[__builtin_ctz (source->components)] :
          self->made[source->value], n);
    }
  }
}

/* Whether the rows of @width pixels follow each other without a gap, so that
 * they can be counted as one row. */
static gboolean
rows_are_joined (const Counter * self, const VhFrameView * view,
    gsize width)
{
  guint i;

  if (has_channel (self, VH_CHANNEL_GRADIENT) && !self->in_place)
    return FALSE;
  for (i = 0; i < self->layout.n_components; i++) {
    const VhComponent *component = &self->layout.component[i];

    if (self->components & (1u << i) && (component->w_sub || component->h_sub
            || view->plane[component->plane].stride !=
            width * component->pixel_stride))
      return FALSE;
  }
  return TRUE;
}

/* The last pixel of a row has no gradient. If rows of @width pixels were
 * counted as one row, subtracts the gradients between each row and the next. */
static void
remove_joints (const Counter * self, const VhFrameView * view,
    const VhRect * cell)
{
  const VhComponent *component = &self->layout.component[0];
  const guint8 *row = view->plane[component->plane].data + component->offset +
      (gsize) cell->y * cell->width;
  guint32 *bins = self->channel[VH_CHANNEL_GRADIENT].cell;
  guint y;

  for (y = 1; y < cell->height; y++) {
    row += cell->width;
    bins[self->bin_of_code[ABS (row[0] - row[-1])]]--;
  }
}

/* Counts @cell of a region that ends at @right. */
static void
count_cell (Counter * self, const VhFrameView * view, const VhRect * cell,
    gsize right, VhCounts * counts, guint column, guint row)
{
  const gsize n_pixels = (gsize) cell->width * cell->height;
  gsize width = cell->width, height = cell->height;
  const gboolean gradient = has_channel (self, VH_CHANNEL_GRADIENT);
  gboolean joined;
  gsize x, y, n, waiting = 0;
  guint i;

  if (n_pixels == 0)
    return;
  joined = rows_are_joined (self, view, width);
  if (joined) {
    width = n_pixels;
    height = 1;
    right = n_pixels;
  }
  self->joins = !self->wide_samples && width < JOINED_PIXELS
      && n_pixels >= JOINED_PIXELS;

  for (i = 0; i < VH_N_CHANNELS; i++) {
    if (has_channel (self, i))
      begin_channel (self, &self->channel[i],
          vh_counts_cell (counts, i, column, row), n_pixels);
  }
  for (y = 0; y < height; y++) {
    for (x = 0; x < width; x += n) {
      n = MIN (width - x, !self->in_place || self->joins ?
          MIN (PIECE_PIXELS, RUN_PIXELS - waiting) :
          gradient ? RUN_PIXELS : G_MAXSIZE);
      take_run (self, view, cell->x + x, cell->y + y, n, right, waiting);
      waiting += n;
      if (waiting >= RUN_PIXELS) {
        count_arrays (self, waiting);
        waiting = 0;
      }
    }
  }
  count_arrays (self, waiting);
  if (gradient)
    count_gradients (self);
  for (i = 0; i < VH_N_CHANNELS; i++) {
    if (has_channel (self, i))
      end_channel (self, &self->channel[i]);
  }
  if (gradient && joined)
    remove_joints (self, view, cell);
}

static gboolean
counter_submit (VhCounter * counter, VhFrame * frame, const VhRect * region,
    VhCounts * counts, G_GNUC_UNUSED GError ** error)
{
  Counter *self = (Counter *) counter;
  guint column, row;

  for (row = 0; row < self->rows; row++) {
    for (column = 0; column < self->columns; column++) {
      const VhRect cell = vh_grid_cell (region, self->columns, self->rows,
          column, row);

      count_cell (self, frame->view, &cell, region->x + region->width, counts,
          column, row);
    }
  }
  vh_counts_complete (counts);
  return TRUE;
}

static void
counter_close (VhCounter * counter)
{
  Counter *self = (Counter *) counter;

  g_free (self->scratch);
  g_free (self);
}

static const VhCounterClass counter_class = {
  .configure = counter_configure,
  .submit = counter_submit,
  .close = counter_close,
};

VhCounter *
vh_cpu_counter_new (VhDevice * device)
{
  Counter *self = g_new0 (Counter, 1);

  self->parent.klass = &counter_class;
  self->loops = vh_cpu_loops (device);
  return &self->parent;
}
