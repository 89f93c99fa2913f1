/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waveforms are counted by rows of the picture. Their tables have a row for
 * each level, for two reasons: neighbours in the picture mostly have similar
 * levels, so that their counters are close to each other; and tables are drawn
 * in that order. If several samples of a row count for the same column, they
 * are processed in an order in which successive samples count for different
 * columns.
 *
 * A store for each sample would limit the speed. So while most samples have the
 * same level as the sample above, those of equal level in a column form a run,
 * which is counted at once when it ends. */
#include "scopecounts.h"
#include "core/channels.h"
#include "core/error.h"

#include <string.h>

/* Rows of a table are a multiple of this many cells long, but not a power of
 * two. */
#define ALIGN_CELLS 16

#define N_COMPONENTS 3

/* If more than MAX_CHANGES() levels of a row have changed, the next PLAIN_ROWS
 * rows are counted sample by sample. */
#define MAX_CHANGES(samples) ((samples) / 2)
#define PLAIN_ROWS 32

/* How the samples of a trace are counted. */
typedef struct
{
  guint samples;                /* in a row */
  VhScopePlace *places;         /* [samples]; NULL if each has its own column */
  VhScopeRun *runs;             /* [samples] */
  gboolean in_runs;             /* the last row is not counted yet */
  guint plain_rows;             /* still to count sample by sample */
  gconstpointer last;           /* [samples], codes of the last row */
} Tally;

struct _VhScopeCounts
{
  const VhLoops *loops;
  const VhScopeOps *ops;
  VhScopePlan *plan;            /* NULL until it is configured */
  VhScopeState state[VH_SCOPE_MAX_TRACES];
  guint level_bits[VH_SCOPE_MAX_TRACES];

  VhRows rows;
  VhFetch pixels[N_COMPONENTS]; /* of each pixel, also of chroma */
  VhLumaWeights luma_weights;
  VhYuvToRgb yuv_to_rgb;

  /* Room for rows of this many samples. */
  gsize width;
  guint8 *scratch;              /* contains all arrays below */
  gpointer component[2][N_COMPONENTS];  /* [width] samples of a row, and of the
                                         * row above */
  gpointer computed[2][VH_SCOPE_N_VALUES];      /* the same */
  gpointer chroma_row[2];       /* [width], U and V of pixels */
  gboolean has_chroma;          /* chroma_row has row @chroma_y of the planes */
  guint chroma_y;

  Tally tally[VH_SCOPE_MAX_TRACES];
};

VhScopeCounts *
vh_scope_counts_new (const VhLoops * loops)
{
  VhScopeCounts *self = g_new0 (VhScopeCounts, 1);

  self->loops = loops;
  return self;
}

static void
extents_clear (VhExtents * extents)
{
  g_free (extents->least);
  g_free (extents->most);
}

static gboolean
extents_init (VhExtents * extents, guint n)
{
  extents->least = g_try_new (guint32, n);
  extents->most = g_try_new (guint32, n);
  return extents->least && extents->most;
}

static void
extents_forget (VhExtents * extents, guint n)
{
  memset (extents->least, 0xff, n * sizeof (guint32));
  memset (extents->most, 0, n * sizeof (guint32));
}

static void
extents_join (VhExtents * extents, const VhExtents * by, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    extents->least[i] = MIN (extents->least[i], by->least[i]);
    extents->most[i] = MAX (extents->most[i], by->most[i]);
  }
}

static void
state_clear (VhScopeState * state)
{
  g_free (state->counts);
  g_free (state->shown);
  g_free (state->bar);
  g_free (state->peak);
  extents_clear (&state->now);
  extents_clear (&state->ever);
  extents_clear (&state->now_across);
  extents_clear (&state->ever_across);
  memset (state, 0, sizeof (*state));
}

static gboolean
state_init_table (VhScopeState * state, const VhScopeTrace * trace)
{
  const gboolean is_chroma = trace->kind == VH_TRACE_CHROMA;
  gsize cells;

  state->rows = is_chroma ? trace->columns : trace->levels;
  state->columns = is_chroma ? trace->levels : trace->columns;
  state->stride = state->columns;
  if (!is_chroma) {
    state->stride = (state->columns + ALIGN_CELLS - 1) / ALIGN_CELLS *
        ALIGN_CELLS;
    if ((state->stride & (state->stride - 1)) == 0)
      state->stride += ALIGN_CELLS;
  }
  cells = state->rows * state->stride;
  state->counts = g_try_new0 (guint32, cells);
  state->shown = g_try_new0 (gfloat, cells);
  return state->counts && state->shown
      && extents_init (&state->now, state->columns)
      && extents_init (&state->ever, state->columns)
      && extents_init (&state->now_across, state->rows)
      && extents_init (&state->ever_across, state->rows);
}

static void
forget_peaks (VhScopeState * state, const VhScopeTrace * trace)
{
  if (trace->kind == VH_TRACE_HISTOGRAM) {
    memset (state->peak, 0, trace->width * sizeof (*state->peak));
  } else {
    extents_forget (&state->ever, state->columns);
    extents_forget (&state->ever_across, state->rows);
  }
}

static gboolean
state_init (VhScopeState * state, const VhScopeTrace * trace)
{
  gboolean ok;

  *state = (VhScopeState) {
    .is_new = TRUE,
  };
  if (trace->kind == VH_TRACE_HISTOGRAM) {
    state->columns = trace->columns;
    state->counts = g_try_new (guint32, trace->columns);
    state->bar = g_try_new (guint32, trace->width);
    state->peak = g_try_new (guint32, trace->width);
    ok = state->counts && state->bar && state->peak;
  } else {
    ok = state_init_table (state, trace);
  }
  if (ok)
    forget_peaks (state, trace);
  return ok;
}

static void
tally_clear (Tally * tally)
{
  g_free (tally->places);
  g_free (tally->runs);
  memset (tally, 0, sizeof (*tally));
}

static void
clear_plan (VhScopeCounts * self)
{
  guint i;

  for (i = 0; self->plan && i < self->plan->n_traces; i++) {
    state_clear (&self->state[i]);
    tally_clear (&self->tally[i]);
  }
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
}

void
vh_scope_counts_free (VhScopeCounts * self)
{
  clear_plan (self);
  g_free (self->scratch);
  g_free (self);
}

/* Divides @base among the rows of samples, or only adds up their bytes. */
static gsize
divide_scratch (VhScopeCounts * self, guint8 * base)
{
  const gsize row = (self->width * sizeof (guint16) + 63) / 64 * 64;
  gsize size = 0;
  guint turn, i;

  for (turn = 0; turn < 2; turn++) {
    for (i = 0; i < N_COMPONENTS; i++, size += row)
      self->component[turn][i] = base ? base + size : NULL;
    for (i = 0; i < VH_SCOPE_N_VALUES; i++, size += row)
      self->computed[turn][i] = base ? base + size : NULL;
  }
  for (i = 0; i < 2; i++, size += row)
    self->chroma_row[i] = base ? base + size : NULL;
  return size;
}

static gboolean
ensure_scratch (VhScopeCounts * self, gsize width)
{
  if (self->scratch && width <= self->width)
    return TRUE;
  g_free (self->scratch);
  self->width = width;
  self->scratch = g_try_malloc (divide_scratch (self, NULL));
  divide_scratch (self, self->scratch);
  return self->scratch != NULL;
}

gboolean
vh_scope_counts_configure (VhScopeCounts * self, const VhLayout * layout,
    VhScopePlan * plan, GError ** error)
{
  VhScopeState fresh[VH_SCOPE_MAX_TRACES] = { {0,} };
  gboolean ok = ensure_scratch (self, GST_VIDEO_INFO_WIDTH (&layout->info));
  guint i;

  for (i = 0; i < plan->n_traces && ok; i++) {
    if (!vh_scope_plan_continues (plan, self->plan, i))
      ok = state_init (&fresh[i], &plan->trace[i]);
  }
  if (!ok) {
    for (i = 0; i < plan->n_traces; i++)
      state_clear (&fresh[i]);
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
        "for scopes");
    return FALSE;
  }

  for (i = 0; i < plan->n_traces; i++) {
    if (vh_scope_plan_continues (plan, self->plan, i)) {
      fresh[i] = self->state[i];
      memset (&self->state[i], 0, sizeof (self->state[i]));
      if (!(plan->envelope & VH_ENVELOPE_PEAK))
        forget_peaks (&fresh[i], &plan->trace[i]);
    }
  }
  vh_scope_plan_ref (plan);
  clear_plan (self);
  self->plan = plan;
  memcpy (self->state, fresh, sizeof (fresh));
  vh_rows_init (&self->rows, layout, self->loops);
  self->ops = layout->depth > 8 ? &self->loops->scope->ops16 :
      &self->loops->scope->ops8;
  self->luma_weights = vh_luma_weights (layout->matrix);
  self->yuv_to_rgb = vh_yuv_to_rgb (layout->matrix, layout->colorimetry.range,
      layout->depth);
  for (i = 0; i < layout->n_components; i++)
    self->pixels[i] = vh_fetch_pixels (layout, i);
  for (i = 0; i < plan->n_traces; i++)
    self->level_bits[i] = g_bit_storage (plan->trace[i].levels) - 1;
  return TRUE;
}

/* Counting waveforms. */

static gboolean
is_waveform_of (const VhScopeTrace * trace, gboolean chroma)
{
  return trace->kind == VH_TRACE_WAVEFORM
      && (trace->value >= VH_SCOPE_U) == chroma;
}

/* Orders @samples so that neighbours count for different columns. */
static void
make_places (VhScopePlace * places, guint samples, guint columns)
{
  guint n = 0, turn, column;

  for (turn = 0; n < samples; turn++) {
    for (column = 0; column < columns; column++) {
      const guint start = ((guint64) column * samples + columns - 1) / columns;
      const guint end = ((guint64) (column + 1) * samples + columns - 1) /
          columns;

      if (start + turn < end)
        places[n++] = (VhScopePlace) { start + turn, column };
    }
  }
}

/* Prepares to count rows of @samples. */
static void
begin_tally (Tally * tally, guint columns, guint samples)
{
  guint x;

  tally->in_runs = FALSE;
  tally->plain_rows = 0;
  if (tally->samples == samples)
    return;
  tally->samples = samples;
  tally->runs = g_renew (VhScopeRun, tally->runs, samples);
  for (x = 0; x < samples; x++)
    tally->runs[x].column = vh_scope_column (x, columns, samples);
  g_clear_pointer (&tally->places, g_free);
  if (columns != samples) {
    tally->places = g_new (VhScopePlace, samples);
    make_places (tally->places, samples, columns);
  }
}

static guint
find_shift (const VhScopeCounts * self, guint i)
{
  return self->rows.layout.depth - self->level_bits[i];
}

static void
count_samples (VhScopeCounts * self, guint i, gconstpointer codes)
{
  const VhScopeState *state = &self->state[i];
  const Tally *tally = &self->tally[i];

  if (tally->places)
    self->ops->count_at (state->counts, state->stride, codes, tally->places,
        tally->samples, find_shift (self, i));
  else
    self->ops->count (state->counts, state->stride, codes, tally->samples,
        find_shift (self, i));
}

/* Counts the runs that have not ended, up to the row above @row. */
static void
end_runs (VhScopeCounts * self, guint i, guint row)
{
  const VhScopeState *state = &self->state[i];
  Tally *tally = &self->tally[i];

  if (tally->in_runs) {
    self->ops->end_runs (state->counts, state->stride, tally->last,
        tally->runs, tally->samples, row, find_shift (self, i));
  }
  tally->in_runs = FALSE;
}

/* Counts row @row of the region of a trace. @codes must stay valid until the
 * next row is counted. */
static void
count_row (VhScopeCounts * self, guint i, gconstpointer codes, guint row)
{
  const VhScopeState *state = &self->state[i];
  Tally *tally = &self->tally[i];
  gsize changes;
  guint x;

  if (!self->ops->count_changes || tally->plain_rows > 0) {
    count_samples (self, i, codes);
    tally->plain_rows -= tally->plain_rows > 0;
    return;
  }
  if (!tally->in_runs) {
    for (x = 0; x < tally->samples; x++)
      tally->runs[x].since = row;
    tally->in_runs = TRUE;
    tally->last = codes;
    return;
  }
  changes = self->ops->count_changes (state->counts, state->stride,
      tally->last, codes, tally->runs, tally->samples, row, find_shift (self,
          i));
  tally->last = codes;
  if (changes > MAX_CHANGES (tally->samples)) {
    end_runs (self, i, row + 1);
    tally->plain_rows = PLAIN_ROWS;
  }
}

/* Returns the samples of component @c, starting at sample @x, @y of the
 * component itself: in place, or fetched. They stay valid while the next row is
 * fetched. */
static gconstpointer
find_samples (VhScopeCounts * self, const VhFrameView * view, guint c, gsize x,
    guint y, gsize n)
{
  gconstpointer array = vh_rows_find (&self->rows, view, c, x, y);

  if (array)
    return array;
  vh_rows_fetch (&self->rows, view, c, self->component[y % 2][c], x, y, n);
  return self->component[y % 2][c];
}

/* The set of values that the waveforms of pixels need. */
static guint
find_values (const VhScopeCounts * self)
{
  const gboolean is_rgb = self->rows.layout.model == VH_MODEL_RGB;
  guint values = 0, i;

  for (i = 0; i < self->plan->n_traces; i++) {
    const VhScopeTrace *trace = &self->plan->trace[i];

    if (is_waveform_of (trace, FALSE)
        || (is_rgb && is_waveform_of (trace, TRUE)))
      values |= 1u << trace->value;
  }
  return values;
}

/* Finds the values of row @y of the planes of an RGB frame. */
static void
find_rgb_values (VhScopeCounts * self, const VhFrameView * view, guint y,
    guint values, gconstpointer codes[VH_SCOPE_N_VALUES])
{
  const VhRect *picture = &view->picture;
  const gsize n = picture->width;
  gpointer *const computed = self->computed[y % 2];
  gconstpointer rgb[3];
  guint i;

  for (i = 0; i < 3; i++) {
    rgb[i] = find_samples (self, view, i, picture->x, y, n);
    codes[VH_SCOPE_RED + i] = rgb[i];
  }
  if (values & (1u << VH_SCOPE_LUMA)) {
    self->rows.steps->luma (computed[VH_SCOPE_LUMA], rgb, n,
        &self->luma_weights);
    codes[VH_SCOPE_LUMA] = computed[VH_SCOPE_LUMA];
  }
  for (i = 0; i < 2; i++) {
    if (values & (1u << (VH_SCOPE_U + i))) {
      self->ops->chroma (computed[VH_SCOPE_U + i], rgb, n, i,
          &self->plan->colors);
      codes[VH_SCOPE_U + i] = computed[VH_SCOPE_U + i];
    }
  }
}

/* Fetches U and V of each pixel of row @y of the planes; neutral for grey. */
static void
fetch_chroma (VhScopeCounts * self, const VhFrameView * view, guint y)
{
  const VhLayout *layout = &self->rows.layout;
  const gsize n = view->picture.width;
  const guint neutral = 1 << (layout->depth - 1);
  guint i;
  gsize x;

  if (self->has_chroma && y >> layout->component[1].h_sub == self->chroma_y)
    return;
  self->has_chroma = TRUE;
  self->chroma_y = y >> layout->component[1].h_sub;
  for (i = 0; i < 2; i++) {
    const VhComponent *component = &layout->component[1 + i];
    const VhPlane *plane = &view->plane[component->plane];

    if (layout->model == VH_MODEL_YUV) {
      self->rows.steps->fetch (self->chroma_row[i], plane->data +
          (gsize) self->chroma_y * plane->stride + component->offset,
          view->picture.x, n, &self->pixels[1 + i]);
      continue;
    }
    for (x = 0; x < n; x++) {
      if (layout->depth == 8)
        ((guint8 *) self->chroma_row[i])[x] = neutral;
      else
        ((guint16 *) self->chroma_row[i])[x] = neutral;
    }
  }
}

/* Finds the values of row @y of the planes of a YUV or grey frame. */
static void
find_yuv_values (VhScopeCounts * self, const VhFrameView * view, guint y,
    guint values, gconstpointer codes[VH_SCOPE_N_VALUES])
{
  const VhRect *picture = &view->picture;
  gpointer *const computed = self->computed[y % 2];
  gconstpointer yuv[3];
  guint i;

  yuv[0] = codes[VH_SCOPE_LUMA] = find_samples (self, view, 0, picture->x, y,
      picture->width);
  if (!(values & ~(1u << VH_SCOPE_LUMA)))
    return;
  fetch_chroma (self, view, y);
  for (i = 0; i < 2; i++)
    yuv[1 + i] = self->chroma_row[i];
  self->rows.steps->rgb (&computed[VH_SCOPE_RED], yuv, picture->width,
      &self->yuv_to_rgb);
  for (i = 0; i < 3; i++)
    codes[VH_SCOPE_RED + i] = computed[VH_SCOPE_RED + i];
}

static void
count_pixels (VhScopeCounts * self, const VhFrameView * view)
{
  const VhRect *picture = &view->picture;
  const guint values = find_values (self);
  guint y, i;

  self->has_chroma = FALSE;
  for (y = picture->y; y < picture->y + picture->height && values; y++) {
    gconstpointer codes[VH_SCOPE_N_VALUES];

    if (self->rows.layout.model == VH_MODEL_RGB)
      find_rgb_values (self, view, y, values, codes);
    else
      find_yuv_values (self, view, y, values, codes);
    for (i = 0; i < self->plan->n_traces; i++) {
      const VhScopeTrace *trace = &self->plan->trace[i];

      if (trace->kind == VH_TRACE_WAVEFORM && (values & (1u << trace->value)))
        count_row (self, i, codes[trace->value], y - picture->y);
    }
  }
}

/* Counts U and V of YUV, each sample once. */
static void
count_chroma (VhScopeCounts * self, const VhFrameView * view)
{
  guint i, y;

  for (i = 0; i < self->plan->n_traces; i++) {
    const VhScopeTrace *trace = &self->plan->trace[i];
    const guint c = 1 + trace->value - VH_SCOPE_U;
    VhRect region;

    if (!is_waveform_of (trace, TRUE))
      continue;
    region = vh_scope_trace_region (trace, view);
    for (y = region.y; y < region.y + region.height; y++)
      count_row (self, i, find_samples (self, view, c, region.x, y,
              region.width), y - region.y);
  }
}

/* Using counts from other operations. */

static gboolean
has_counts (VhCounts * counts, guint channel, guint bins)
{
  return counts && vh_counts_wait (counts, GST_CLOCK_TIME_NONE)
      && vh_counts_shape (counts)->bins == bins
      && vh_counts_cell (counts, channel, 0, 0);
}

static gboolean
take_chroma (VhScopeState * state, VhCounts * chroma)
{
  const gsize cells = state->rows * state->stride;

  if (!has_counts (chroma, VH_CHANNEL_LUMA, cells))
    return FALSE;
  memcpy (state->counts, vh_counts_storage (chroma), cells *
      sizeof (*state->counts));
  return TRUE;
}

/* Makes a histogram of U or of V from the joint histogram. */
static gboolean
add_chroma (VhScopeState * state, VhCounts * chroma, gboolean of_u)
{
  const guint n = state->columns;
  guint32 *const sums = state->counts;
  const guint32 *counts;
  guint u, v;

  if (!has_counts (chroma, VH_CHANNEL_LUMA, n * n))
    return FALSE;
  counts = vh_counts_storage (chroma);
  memset (sums, 0, n * sizeof (*sums));
  for (u = 0; u < n; u++, counts += n) {
    guint32 sum = 0;

    for (v = 0; v < n; v++) {
      sum += counts[v];
      sums[v] += of_u ? 0 : counts[v];
    }
    if (of_u)
      sums[u] = sum;
  }
  return TRUE;
}

static gboolean
take_histogram (VhScopeState * state, const VhScopeTrace * trace,
    const VhScopeJob * job)
{
  if (trace->value >= VH_SCOPE_U)
    return add_chroma (state, job->chroma, trace->value == VH_SCOPE_U);
  if (!has_counts (job->histogram, trace->value, trace->columns))
    return FALSE;
  memcpy (state->counts, vh_counts_cell (job->histogram, trace->value, 0, 0),
      trace->columns * sizeof (*state->counts));
  return TRUE;
}

/* What is shown. */

/* Saves what is shown of the old counts before they are replaced, if needed. */
static void
keep_shown (VhScopeCounts * self, VhScopeState * state, gfloat decay)
{
  if (decay > 0 && !state->is_new && !state->has_shown) {
    self->loops->scope->show (state->shown, state->counts,
        state->rows * state->stride);
    state->has_shown = TRUE;
  }
}

static void
make_shown (VhScopeCounts * self, VhScopeState * state, gfloat decay)
{
  if (decay > 0 && state->has_shown)
    self->loops->scope->persist (state->shown, state->counts,
        state->rows * state->stride, decay);
  else
    state->has_shown = FALSE;
  state->is_new = FALSE;
}

/* The first and the last of @n cells that have counts. */
static void
find_ends (const guint32 * cells, guint n, guint32 * least, guint32 * most)
{
  guint first = 0, end = n;

  while (first < n && !cells[first])
    first++;
  while (end > first && !cells[end - 1])
    end--;
  *least = first < n ? first : G_MAXUINT32;
  *most = first < n ? end - 1 : 0;
}

static void
find_extents (VhScopeCounts * self, guint i)
{
  const gboolean across = self->plan->trace[i].kind == VH_TRACE_CHROMA;
  VhScopeState *state = &self->state[i];
  guint row;

  extents_forget (&state->now, state->columns);
  for (row = 0; row < state->rows; row++) {
    const guint32 *cells = state->counts + row * state->stride;

    self->loops->scope->extend (state->now.least, state->now.most, cells,
        state->columns, row);
    if (across)
      find_ends (cells, state->columns, &state->now_across.least[row],
          &state->now_across.most[row]);
  }
  if (!(self->plan->envelope & VH_ENVELOPE_PEAK))
    return;
  extents_join (&state->ever, &state->now, state->columns);
  if (across)
    extents_join (&state->ever_across, &state->now_across, state->rows);
}

static void
find_bars (VhScopeCounts * self, guint i)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  VhScopeState *state = &self->state[i];
  guint32 fullest = 0;
  guint x, b;

  for (b = 0; b < trace->columns; b++)
    fullest = MAX (fullest, state->counts[b]);
  for (x = 0; x < trace->width; x++) {
    guint from, end;
    guint32 count = 0;

    vh_scope_cells (x, trace->width, trace->columns, &from, &end);
    for (b = from; b < end; b++)
      count = MAX (count, state->counts[b]);
    state->bar[x] = vh_scope_bar (count, fullest, trace->height);
    if (self->plan->envelope & VH_ENVELOPE_PEAK)
      state->peak[x] = MAX (state->peak[x], state->bar[x]);
  }
}

static void
prepare (VhScopeCounts * self, guint i, const VhFrameView * view,
    const VhScopeJob * job)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  VhScopeState *state = &self->state[i];
  VhRect region;

  if (job->reset) {
    state->is_new = TRUE;
    state->has_shown = FALSE;
    forget_peaks (state, trace);
  }
  if (trace->kind == VH_TRACE_HISTOGRAM) {
    state->has_counts = take_histogram (state, trace, job);
    return;
  }
  keep_shown (self, state, job->decay);
  if (trace->kind == VH_TRACE_CHROMA) {
    state->has_counts = take_chroma (state, job->chroma);
    return;
  }
  region = vh_scope_trace_region (trace, view);
  state->has_counts = region.width > 0;
  if (state->has_counts) {
    memset (state->counts, 0, state->rows * state->stride *
        sizeof (*state->counts));
    begin_tally (&self->tally[i], trace->columns, region.width);
  }
}

void
vh_scope_counts_add (VhScopeCounts * self, const VhFrameView * view,
    const VhScopeJob * job)
{
  guint i;

  for (i = 0; i < self->plan->n_traces; i++)
    prepare (self, i, view, job);
  count_pixels (self, view);
  if (view->layout->model == VH_MODEL_YUV)
    count_chroma (self, view);
  for (i = 0; i < self->plan->n_traces; i++) {
    VhScopeState *state = &self->state[i];

    if (!state->has_counts)
      continue;
    if (self->plan->trace[i].kind == VH_TRACE_HISTOGRAM) {
      find_bars (self, i);
      continue;
    }
    if (self->plan->trace[i].kind == VH_TRACE_WAVEFORM) {
      end_runs (self, i, vh_scope_trace_region (&self->plan->trace[i],
              view).height);
    }
    make_shown (self, state, job->decay);
    if (self->plan->envelope)
      find_extents (self, i);
  }
}

const VhScopeState *
vh_scope_counts_get (VhScopeCounts * self, guint i)
{
  return &self->state[i];
}

const guint32 *
vh_scope_state_row (const VhScopeState * state, guint row)
{
  const gsize at = row * state->stride;

  return state->has_shown ? (const guint32 *) (state->shown + at) :
      state->counts + at;
}

gboolean
vh_scope_counts_read (VhScopeCounts * self, guint i, guint32 * counts)
{
  const VhScopeState *state = &self->state[i];
  guint row, column;

  if (!state->has_counts)
    return FALSE;
  if (self->plan->trace[i].kind == VH_TRACE_CHROMA) {
    memcpy (counts, state->counts, state->rows * state->stride *
        sizeof (*counts));
    return TRUE;
  }
  for (row = 0; row < state->rows; row++) {
    for (column = 0; column < state->columns; column++)
      counts[(gsize) column * state->rows + row] =
          state->counts[row * state->stride + column];
  }
  return TRUE;
}
