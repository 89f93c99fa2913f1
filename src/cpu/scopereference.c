/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopereference.h"
#include "reference.h"
#include "core/channels.h"

#include <string.h>

/* Where a column or a row of a table has counts; @least is above @most if there
 * are no counts. */
typedef struct
{
  guint least, most;
} Extent;

typedef struct
{
  gboolean has_counts;          /* of this frame */
  guint32 *counts;              /* [column][level]; [u][v] of U and V */
  gfloat *shown;                /* the same */
  /* The levels with counts in each column, followed by the columns with counts
   * at each level. */
  Extent *now, *ever;
  guint *bar, *peak;            /* [width], in pixels; only histograms */
} State;

struct _VhReferenceScope
{
  VhScopePlan *plan;            /* NULL until it is set */
  State state[VH_SCOPE_MAX_TRACES];
};

VhReferenceScope *
vh_reference_scope_new (void)
{
  return g_new0 (VhReferenceScope, 1);
}

static guint
count_extents (const VhScopeTrace * trace)
{
  return trace->columns + trace->levels;
}

static void
forget_extents (Extent * extents, const VhScopeTrace * trace)
{
  guint i;

  for (i = 0; i < count_extents (trace); i++)
    extents[i] = (Extent) { G_MAXUINT, 0 };
}

static void
forget_peaks (State * state, const VhScopeTrace * trace)
{
  if (trace->kind == VH_TRACE_HISTOGRAM)
    memset (state->peak, 0, trace->width * sizeof (*state->peak));
  forget_extents (state->ever, trace);
}

static void
forget (State * state, const VhScopeTrace * trace)
{
  memset (state->shown, 0, vh_scope_trace_cells (trace) * sizeof (gfloat));
  forget_peaks (state, trace);
}

static void
state_init (State * state, const VhScopeTrace * trace)
{
  const gsize cells = vh_scope_trace_cells (trace);

  state->has_counts = FALSE;
  state->counts = g_new0 (guint32, cells);
  state->shown = g_new (gfloat, cells);
  state->now = g_new (Extent, count_extents (trace));
  state->ever = g_new (Extent, count_extents (trace));
  state->bar = g_new (guint, trace->width);
  state->peak = g_new (guint, trace->width);
  forget (state, trace);
}

static void
state_clear (State * state)
{
  g_free (state->counts);
  g_free (state->shown);
  g_free (state->now);
  g_free (state->ever);
  g_free (state->bar);
  g_free (state->peak);
}

void
vh_reference_scope_set_plan (VhReferenceScope * self, VhScopePlan * plan)
{
  VhScopePlan *before = self->plan;
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    if (!vh_scope_plan_continues (plan, before, i)) {
      if (before && i < before->n_traces)
        state_clear (&self->state[i]);
      state_init (&self->state[i], &plan->trace[i]);
    } else if (!(plan->envelope & VH_ENVELOPE_PEAK)) {
      forget_peaks (&self->state[i], &plan->trace[i]);
    }
  }
  for (; before && i < before->n_traces; i++)
    state_clear (&self->state[i]);
  self->plan = vh_scope_plan_ref (plan);
  if (before)
    vh_scope_plan_unref (before);
}

void
vh_reference_scope_free (VhReferenceScope * self)
{
  guint i;

  for (i = 0; self->plan && i < self->plan->n_traces; i++)
    state_clear (&self->state[i]);
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
  g_free (self);
}

/* The value that @trace counts at @x, @y of its region. */
static guint
trace_value (const VhReferenceScope * self, const VhScopeTrace * trace,
    const VhFrameView * view, guint x, guint y)
{
  const guint i = trace->value - VH_SCOPE_U;

  if (trace->value < VH_SCOPE_U)
    return vh_reference_value (view, trace->value, x, y);
  if (view->layout->model == VH_MODEL_RGB) {
    return vh_scope_chroma (&self->plan->colors, i, vh_reference_read (view, 0,
            x, y), vh_reference_read (view, 1, x, y), vh_reference_read (view,
            2, x, y));
  }
  return vh_reference_read (view, 1 + i, x, y);
}

static void
count_waveform (VhReferenceScope * self, guint i, const VhFrameView * view)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  const VhRect region = vh_scope_trace_region (trace, view);
  const guint level_bits = g_bit_storage (trace->levels) - 1;
  State *state = &self->state[i];
  guint x, y;

  state->has_counts = region.width > 0;
  memset (state->counts, 0, vh_scope_trace_cells (trace) * sizeof (guint32));
  for (y = 0; y < region.height; y++) {
    for (x = 0; x < region.width; x++) {
      const guint column = vh_scope_column (x, trace->columns, region.width);
      const guint level = vh_scope_level (trace_value (self, trace, view,
              region.x + x, region.y + y), view->layout->depth, level_bits);

      state->counts[(gsize) column * trace->levels + level]++;
    }
  }
}

/* Whether @counts are complete, and have @channel with @bins. */
static gboolean
has_counts (VhCounts * counts, guint channel, guint bins)
{
  return counts && vh_counts_poll (counts) == VH_COUNTS_COMPLETE
      && vh_counts_shape (counts)->bins == bins
      && vh_counts_cell (counts, channel, 0, 0);
}

static void
take_chroma (VhReferenceScope * self, guint i, VhCounts * chroma)
{
  const gsize cells = vh_scope_trace_cells (&self->plan->trace[i]);
  State *state = &self->state[i];

  state->has_counts = has_counts (chroma, VH_CHANNEL_LUMA, cells);
  if (state->has_counts)
    memcpy (state->counts, vh_counts_storage (chroma),
        cells * sizeof (guint32));
}

/* Makes a histogram of U or of V from the joint histogram. */
static void
add_chroma (VhReferenceScope * self, guint i, VhCounts * chroma)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  const guint n = trace->columns;
  State *state = &self->state[i];
  guint u, v;

  state->has_counts = has_counts (chroma, VH_CHANNEL_LUMA, n * n);
  memset (state->counts, 0, n * sizeof (guint32));
  for (u = 0; u < n && state->has_counts; u++) {
    for (v = 0; v < n; v++) {
      state->counts[trace->value == VH_SCOPE_U ? u : v] +=
          vh_counts_storage (chroma)[u * n + v];
    }
  }
}

static void
take_histogram (VhReferenceScope * self, guint i, const VhScopeJob * job)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  State *state = &self->state[i];

  if (trace->value >= VH_SCOPE_U) {
    add_chroma (self, i, job->chroma);
    return;
  }
  state->has_counts = has_counts (job->histogram, trace->value,
      trace->columns);
  if (state->has_counts)
    memcpy (state->counts, vh_counts_cell (job->histogram, trace->value, 0, 0),
        trace->columns * sizeof (guint32));
}

/* The range of bins, columns or levels that pixel @i of @pixels shows. */
static Extent
find_cells (guint i, guint pixels, guint cells)
{
  guint from, end;

  vh_scope_cells (i, pixels, cells, &from, &end);
  return (Extent) { from, end - 1 };
}

static void
widen (Extent * extent, Extent by)
{
  extent->least = MIN (extent->least, by.least);
  extent->most = MAX (extent->most, by.most);
}

static void
follow_table (VhReferenceScope * self, guint i, gfloat decay)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  State *state = &self->state[i];
  guint column, level, n;

  forget_extents (state->now, trace);
  for (column = 0; column < trace->columns; column++) {
    for (level = 0; level < trace->levels; level++) {
      const gsize cell = (gsize) column * trace->levels + level;
      const guint32 count = state->counts[cell];

      state->shown[cell] = vh_scope_persist (state->shown[cell], count, decay);
      if (count > 0) {
        widen (&state->now[column], (Extent) { level, level });
        widen (&state->now[trace->columns + level], (Extent) { column,
              column });
      }
    }
  }
  for (n = 0; n < count_extents (trace)
      && (self->plan->envelope & VH_ENVELOPE_PEAK); n++)
    widen (&state->ever[n], state->now[n]);
}

static void
follow_bars (VhReferenceScope * self, guint i)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  State *state = &self->state[i];
  guint32 fullest = 0;
  guint x, b;

  for (b = 0; b < trace->columns; b++)
    fullest = MAX (fullest, state->counts[b]);
  for (x = 0; x < trace->width; x++) {
    const Extent bins = find_cells (x, trace->width, trace->columns);
    guint32 count = 0;

    for (b = bins.least; b <= bins.most; b++)
      count = MAX (count, state->counts[b]);
    state->bar[x] = vh_scope_bar (count, fullest, trace->height);
    if (self->plan->envelope & VH_ENVELOPE_PEAK)
      state->peak[x] = MAX (state->peak[x], state->bar[x]);
  }
}

/* Counts, and what is shown. */
static void
count (VhReferenceScope * self, const VhFrameView * view,
    const VhScopeJob * job)
{
  guint i;

  for (i = 0; i < self->plan->n_traces; i++) {
    const VhScopeTrace *trace = &self->plan->trace[i];
    State *state = &self->state[i];

    if (job->reset)
      forget (state, trace);
    if (trace->kind == VH_TRACE_HISTOGRAM)
      take_histogram (self, i, job);
    else if (trace->kind == VH_TRACE_WAVEFORM)
      count_waveform (self, i, view);
    else
      take_chroma (self, i, job->chroma);
    if (state->has_counts && trace->kind == VH_TRACE_HISTOGRAM)
      follow_bars (self, i);
    else if (state->has_counts)
      follow_table (self, i, job->decay);
  }
}

/* Writes the pattern for black to the bytes @at of a row. */
static void
put_black (const VhReferenceScope * self, const VhFrameView * out, guint p,
    guint8 * row, gsize from, gsize end)
{
  guint8 pattern[VH_SCOPE_MAX_PATTERN];
  const guint length = vh_scope_black (&self->plan->colors, out->layout, p,
      pattern);
  gsize at;

  for (at = from; at < end; at++)
    row[at] = pattern[at % length];
}

/* Blackens the parts of @bytes, the bytes of plane @p that were copied with the
 * picture, that belong to pixels outside it. */
static void
clear_rest (const VhReferenceScope * self, const VhFrameView * out,
    const VhRect * picture, const VhRect * bytes, guint p)
{
  const VhPlane *plane = &out->plane[p];
  guint i, x, y;

  for (i = 0; i < out->layout->n_components; i++) {
    const VhComponent *component = &out->layout->component[i];

    if (component->plane != p)
      continue;
    for (x = ((picture->x + picture->width - 1) >> component->w_sub) + 1;
        (x + 1) * component->pixel_stride <= bytes->x + bytes->width; x++) {
      const gsize at = x * component->pixel_stride + component->offset;

      for (y = bytes->y; y < bytes->y + bytes->height; y++) {
        put_black (self, out, p, (guint8 *) plane->data + y * plane->stride,
            at, at + component->sample_bytes);
      }
    }
  }
}

/* Fills @out with black, and the picture of @in. */
static void
place_picture (const VhReferenceScope * self, const VhFrameView * in,
    const VhFrameView * out)
{
  const VhScopePlan *plan = self->plan;
  const VhRect picture = { plan->picture_x, plan->picture_y,
    in->picture.width, in->picture.height
  };
  guint p, y;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *from = &in->plane[p], *to = &out->plane[p];
    const VhRect source = vh_layout_bytes (in->layout, &in->picture, p);
    const VhRect bytes = vh_layout_bytes (in->layout, &picture, p);

    if (!(out->planes & (1u << p)))
      continue;
    for (y = 0; y < to->rows; y++) {
      put_black (self, out, p, (guint8 *) to->data + y * to->stride, 0,
          to->row_bytes);
    }
    for (y = 0; y < bytes.height && plan->shows_picture; y++) {
      memcpy ((guint8 *) to->data + (bytes.y + y) * to->stride + bytes.x,
          from->data + (source.y + y) * from->stride + source.x, bytes.width);
    }
    if (plan->shows_picture)
      clear_rest (self, out, &picture, &bytes, p);
  }
}

/* The pixels of @rect that share the sample @x, @y of component @c. */
static VhRect
find_pixels (const VhFrameView * view, const VhRect * rect, guint c, guint x,
    guint y)
{
  const VhComponent *component = &view->layout->component[c];
  VhRect pixels;

  pixels.x = MAX (x << component->w_sub, rect->x);
  pixels.y = MAX (y << component->h_sub, rect->y);
  pixels.width = MIN ((x + 1) << component->w_sub, rect->x + rect->width) -
      pixels.x;
  pixels.height = MIN ((y + 1) << component->h_sub, rect->y + rect->height) -
      pixels.y;
  return pixels;
}

/* What the look makes of sample @x, @y of component @c. @in is the unchanged
 * picture, which may have another position in its frame than @picture in
 * @out. */
static guint
find_look (const VhReferenceScope * self, const VhFrameView * in,
    const VhRect * picture, const VhFrameView * out, guint c, guint x, guint y)
{
  const VhScopeLook *look = &self->plan->look;
  const VhRect pixels = find_pixels (out, picture, c, x, y);
  const guint code = vh_reference_read (out, c, x, y);
  guint sum = 0, px, py;

  for (py = pixels.y; py < pixels.y + pixels.height; py++) {
    for (px = pixels.x; px < pixels.x + pixels.width; px++) {
      const guint dx = px - picture->x, dy = py - picture->y;
      const guint luma = vh_reference_value (in, VH_CHANNEL_LUMA,
          in->picture.x + dx, in->picture.y + dy);
      const gboolean is_chroma = out->layout->model == VH_MODEL_YUV && c > 0;

      sum += vh_scope_look (look->of_code[luma],
          vh_scope_stripe (dx, dy, look->period), code,
          is_chroma ? (guint) self->plan->colors.grey : luma,
          (const guint16 (*)[3]) look->color, look->stripe, c);
    }
  }
  return vh_scope_average (sum, pixels.width * pixels.height);
}

/* All components depend on luma, and @in may be @out. So luma is drawn last,
 * and R, G and B of a pixel are computed before any of them is written. */
static void
draw_look (const VhReferenceScope * self, const VhFrameView * in,
    const VhFrameView * out)
{
  const VhLayout *layout = out->layout;
  const gboolean in_place = in == out;
  const VhRect picture = {
    in_place ? in->picture.x : self->plan->picture_x,
    in_place ? in->picture.y : self->plan->picture_y,
    in->picture.width, in->picture.height
  };
  guint x, y, c;

  for (c = layout->n_components; c-- > 0;) {
    const VhComponent *component = &layout->component[c];

    if (layout->model == VH_MODEL_RGB)
      break;
    for (y = picture.y >> component->h_sub;
        y <= (picture.y + picture.height - 1) >> component->h_sub; y++) {
      for (x = picture.x >> component->w_sub;
          x <= (picture.x + picture.width - 1) >> component->w_sub; x++) {
        vh_reference_write (out, c, x, y, find_look (self, in, &picture, out,
                c, x, y));
      }
    }
  }
  for (y = picture.y; y < picture.y + picture.height
      && layout->model == VH_MODEL_RGB; y++) {
    for (x = picture.x; x < picture.x + picture.width; x++) {
      guint codes[3];

      for (c = 0; c < 3; c++)
        codes[c] = find_look (self, in, &picture, out, c, x, y);
      for (c = 0; c < 3; c++)
        vh_reference_write (out, c, x, y, codes[c]);
    }
  }
}

static gboolean
is_end (const Extent * extent, guint i)
{
  return extent->least <= extent->most && (i == extent->least
      || i == extent->most);
}

/* Whether a cell belongs to the envelope. Rows of a waveform have no
 * envelope. */
static gboolean
is_envelope (const VhReferenceScope * self, guint i, guint column, guint level)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  const State *state = &self->state[i];
  const Extent *extents[2] = {
    self->plan->envelope & VH_ENVELOPE_INSTANT ? state->now : NULL,
    self->plan->envelope & VH_ENVELOPE_PEAK ? state->ever : NULL,
  };
  guint n;

  for (n = 0; n < 2; n++) {
    if (extents[n] && is_end (&extents[n][column], level))
      return TRUE;
    if (extents[n] && trace->kind == VH_TRACE_CHROMA
        && is_end (&extents[n][trace->columns + level], column))
      return TRUE;
  }
  return FALSE;
}

/* The brightness of pixel @x, @y of a trace; @y counts from its bottom. */
static guint
table_brightness (const VhReferenceScope * self, guint i, guint x, guint y)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  const Extent columns = find_cells (x, trace->width, trace->columns);
  const Extent levels = find_cells (y, trace->height, trace->levels);
  guint brightness = 0, column, level;

  for (column = columns.least; column <= columns.most; column++) {
    for (level = levels.least; level <= levels.most; level++) {
      const gsize cell = (gsize) column * trace->levels + level;
      const guint step = vh_scope_step (self->state[i].shown[cell]);

      if (is_envelope (self, i, column, level))
        return 255;
      brightness = MAX (brightness, self->plan->brightness[i][step]);
    }
  }
  return brightness;
}

static guint
bar_brightness (const VhReferenceScope * self, guint i, guint x, guint y)
{
  if ((self->plan->envelope & VH_ENVELOPE_PEAK)
      && y + 1 == self->state[i].peak[x])
    return 255;
  return y < self->state[i].bar[x] ?
      self->plan->brightness[i][VH_SCOPE_STEPS - 1] : 0;
}

/* Draws pixel @x, @y of the output, in @panel. */
static VhScopePixel
draw_pixel (const VhReferenceScope * self, guint panel, guint x, guint y)
{
  const VhScopePlan *plan = self->plan;
  const VhScopePanel *p = &plan->panel[panel];
  VhScopePixel pixel = vh_scope_behind (p->opacity,
      plan->graticules[p->graticule + (gsize) (y - p->y) * p->width + x -
          p->x]);
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];
    const guint dx = x - trace->x, dy = trace->height - 1 - (y - trace->y);

    if (trace->panel != panel || !self->state[i].has_counts || x < trace->x
        || y < trace->y || dx >= trace->width || y - trace->y >= trace->height)
      continue;
    vh_scope_add (&pixel, trace->color, trace->kind == VH_TRACE_HISTOGRAM ?
        bar_brightness (self, i, dx, dy) : table_brightness (self, i, dx, dy));
  }
  return pixel;
}

/* Draws component @c of the samples in panel @panel. */
static void
draw_component (const VhReferenceScope * self, const VhFrameView * out,
    guint panel, guint c)
{
  const VhScopePanel *p = &self->plan->panel[panel];
  const VhComponent *component = &out->layout->component[c];
  const VhRect rect = { out->picture.x + p->x, out->picture.y + p->y, p->width,
    p->height
  };
  guint x, y, px, py, i;

  for (y = rect.y >> component->h_sub;
      y <= (rect.y + rect.height - 1) >> component->h_sub; y++) {
    for (x = rect.x >> component->w_sub;
        x <= (rect.x + rect.width - 1) >> component->w_sub; x++) {
      const VhRect pixels = find_pixels (out, &rect, c, x, y);
      VhScopePixel sum = { {0,} };

      for (py = pixels.y; py < pixels.y + pixels.height; py++) {
        for (px = pixels.x; px < pixels.x + pixels.width; px++) {
          const VhScopePixel pixel = draw_pixel (self, panel,
              px - out->picture.x, py - out->picture.y);

          for (i = 0; i < 4; i++)
            sum.c[i] += pixel.c[i];
        }
      }
      vh_reference_write (out, c, x, y, vh_scope_blend (&self->plan->colors, c,
              vh_reference_read (out, c, x, y), &sum,
              pixels.width * pixels.height));
    }
  }
}

void
vh_reference_scope_draw (VhReferenceScope * self, const VhFrameView * in,
    const VhFrameView * out, const VhScopeJob * job)
{
  const VhScopePlan *plan = self->plan;
  guint panel, c;

  count (self, in, job);
  if (in != out)
    place_picture (self, in, out);
  if (plan->look.of_code && (in == out || plan->shows_picture))
    draw_look (self, in, out);
  for (panel = 0; panel < plan->n_panels; panel++) {
    for (c = 0; c < out->layout->n_components; c++)
      draw_component (self, out, panel, c);
  }
}

const guint32 *
vh_reference_scope_counts (VhReferenceScope * self, guint i)
{
  return self->state[i].has_counts ? self->state[i].counts : NULL;
}
