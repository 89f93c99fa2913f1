/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Panels are drawn in bands: the rows of pixels that share a row of chroma
 * samples. A row of a panel starts as its background; each trace adds its
 * light. The row is blended over luma at once, and added up for chroma. R, G, B
 * and opacity have an array each. */
#include "scopedraw.h"
#include "core/error.h"

#include <string.h>

/* R, G, B, opacity */
#define N_PARTS 4

#define N_FEW 256

/* Arrays are aligned for vectors. */
#define ALIGN 64

/* How the look changes a pixel of the picture. */
typedef struct
{
  guint16 code[3];              /* of each component; 0 for chroma that stays */
  gboolean stays;               /* the pixel does not change; in YUV, code[0] is
                                 * its luma */
} LookEntry;

/* A trace while it is drawn. */
typedef struct
{
  guint8 *brightness;           /* [columns] of the table, for the row that is
                                 * being drawn */
  guint from, end;              /* rows of the table that brightness is for;
                                 * both 0: none */
  guint8 *few;                  /* [256], brightness of small counts */
  guint8 *image;                /* of U and V: [v][u] */
  guint32 *first;               /* [width], the first column of each pixel */
  guint32 *after;               /* [width], the column behind its last; NULL if
                                 * each pixel has one column */
} Pencil;

struct _VhScopeDrawer
{
  const VhLoops *loops;
  const VhScopeLoops *scope;
  const VhScopeOps *ops;
  VhRows rows;
  VhScopePlan *plan;            /* NULL until it is configured */
  guint8 *memory;               /* contains all arrays below */
  guint8 *background[VH_SCOPE_MAX_PANELS][N_PARTS];     /* [height][width] */
  guint8 *is_plain[VH_SCOPE_MAX_PANELS];        /* [height]: all pixels of the
                                                 * row are equal */
  Pencil pencil[VH_SCOPE_MAX_TRACES];
  guint8 *black[GST_VIDEO_MAX_PLANES];  /* one row */
  LookEntry *look[2];           /* [2^depth], outside and inside stripes */

  /* One row, as wide as the output. */
  guint32 *most;                /* cells of a table */
  guint8 *lit;                  /* brightness of pixels */
  guint8 *parts[N_PARTS];
  guint32 *sums[N_PARTS];
  guint32 *stays;
  gpointer samples[3];
};

VhScopeDrawer *
vh_scope_drawer_new (const VhLoops * loops)
{
  VhScopeDrawer *self = g_new0 (VhScopeDrawer, 1);

  self->loops = loops;
  self->scope = loops->scope;
  return self;
}

void
vh_scope_drawer_free (VhScopeDrawer * self)
{
  g_free (self->memory);
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
  g_free (self);
}

/* Memory. */

/* Takes @size bytes of @base at @offset, and advances @offset. If @base is
 * NULL, it only advances. */
static gpointer
take (guint8 * base, gsize * offset, gsize size)
{
  gpointer part = base ? base + *offset : NULL;

  *offset += (size + ALIGN - 1) / ALIGN * ALIGN;
  return part;
}

/* The cells in a row of the table of @trace, in drawing order. */
static guint
table_columns (const VhScopeTrace * trace)
{
  return trace->columns;
}

static guint
table_rows (const VhScopeTrace * trace)
{
  return trace->levels;
}

/* Divides @base among the arrays. Returns their size. */
static gsize
divide_memory (VhScopeDrawer * self, guint8 * base)
{
  const VhScopePlan *plan = self->plan;
  const VhLayout *layout = &self->rows.layout;
  const gsize width = GST_VIDEO_INFO_WIDTH (&layout->info);
  gsize size = 0, most = width;
  guint i, part;

  for (i = 0; i < plan->n_panels; i++) {
    const VhScopePanel *panel = &plan->panel[i];

    for (part = 0; part < N_PARTS; part++)
      self->background[i][part] = take (base, &size, (gsize) panel->width *
          panel->height);
    self->is_plain[i] = take (base, &size, panel->height);
  }
  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];
    Pencil *pencil = &self->pencil[i];

    most = MAX (most, table_columns (trace));
    pencil->brightness = take (base, &size, table_columns (trace));
    pencil->few = take (base, &size, N_FEW);
    pencil->image = take (base, &size, trace->kind == VH_TRACE_CHROMA ?
        vh_scope_trace_cells (trace) : 0);
    pencil->first = take (base, &size, trace->width * sizeof (guint32));
    pencil->after = take (base, &size, trace->width * sizeof (guint32));
  }
  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (&layout->info); i++)
    self->black[i] = take (base, &size, layout->info.stride[i]);
  for (i = 0; i < 2; i++)
    self->look[i] = take (base, &size, plan->look.of_code ?
        sizeof (LookEntry) << layout->depth : 0);
  self->most = take (base, &size, most * sizeof (guint32));
  self->lit = take (base, &size, width);
  for (i = 0; i < N_PARTS; i++) {
    self->parts[i] = take (base, &size, width);
    self->sums[i] = take (base, &size, width * sizeof (guint32));
  }
  self->stays = take (base, &size, width * sizeof (guint32));
  for (i = 0; i < 3; i++)
    self->samples[i] = take (base, &size, width * sizeof (guint16));
  return size;
}

static void
make_background (VhScopeDrawer * self, guint i)
{
  const VhScopePanel *panel = &self->plan->panel[i];
  const guint32 *argb = self->plan->graticules + panel->graticule;
  const gsize row = (panel->width - 1) * sizeof (*argb);
  gsize n;
  guint part, y;

  for (y = 0; y < panel->height; y++) {
    const guint32 *first = argb + (gsize) y * panel->width;

    self->is_plain[i][y] = memcmp (first, first + 1, row) == 0;
  }

  for (n = 0; n < (gsize) panel->width * panel->height; n++) {
    const VhScopePixel pixel = vh_scope_behind (panel->opacity, argb[n]);

    for (part = 0; part < N_PARTS; part++)
      self->background[i][part][n] = pixel.c[part];
  }
}

static void
make_pencil (VhScopeDrawer * self, guint i)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  Pencil *pencil = &self->pencil[i];
  gboolean is_one = trace->columns == trace->width;
  guint x, n;

  for (x = 0; x < trace->width; x++) {
    vh_scope_cells (x, trace->width, table_columns (trace), &pencil->first[x],
        &pencil->after[x]);
  }
  if (is_one)
    pencil->after = NULL;
  for (n = 0; n < N_FEW; n++)
    pencil->few[n] = self->plan->brightness[i][vh_scope_step (n)];
}

static void
make_black (VhScopeDrawer * self, guint p)
{
  const VhLayout *layout = &self->rows.layout;
  guint8 pattern[VH_SCOPE_MAX_PATTERN];
  const guint length = vh_scope_black (&self->plan->colors, layout, p, pattern);
  gint x;

  for (x = 0; x < layout->info.stride[p]; x++)
    self->black[p][x] = pattern[x % length];
}

static void
make_look (VhScopeDrawer * self, guint striped)
{
  const VhScopeLook *look = &self->plan->look;
  const VhLayout *layout = &self->rows.layout;
  const gboolean is_rgb = layout->model == VH_MODEL_RGB;
  guint code, c;

  for (code = 0; code < 1u << layout->depth; code++) {
    const guint what = look->of_code[code];
    LookEntry *entry = &self->look[striped][code];

    entry->stays = !(striped && (what & VH_LOOK_ZEBRA))
        && (what & (VH_LOOK_ZEBRA - 1)) == VH_LOOK_SAME;
    for (c = 0; c < 3; c++) {
      const gboolean is_chroma = !is_rgb && c > 0;

      entry->code[c] = vh_scope_look (what, striped, is_chroma ? 0 : code,
          is_chroma ? (guint) self->plan->colors.grey : code,
          (const guint16 (*)[3]) look->color, look->stripe, c);
    }
  }
}

gboolean
vh_scope_drawer_configure (VhScopeDrawer * self, const VhLayout * layout,
    VhScopePlan * plan, GError ** error)
{
  gsize size;
  guint i;

  vh_scope_plan_ref (plan);
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
  self->plan = plan;
  vh_rows_init (&self->rows, layout, self->loops);
  self->ops = layout->depth > 8 ? &self->scope->ops16 : &self->scope->ops8;

  g_free (self->memory);
  size = divide_memory (self, NULL);
  self->memory = g_try_malloc (size + ALIGN);
  if (!self->memory) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
        "to draw scopes");
    return FALSE;
  }
  divide_memory (self, (guint8 *) (((guintptr) self->memory + ALIGN - 1) /
          ALIGN * ALIGN));
  for (i = 0; i < plan->n_panels; i++)
    make_background (self, i);
  for (i = 0; i < plan->n_traces; i++)
    make_pencil (self, i);
  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (&layout->info); i++)
    make_black (self, i);
  for (i = 0; i < 2 && plan->look.of_code; i++)
    make_look (self, i);
  return TRUE;
}

/* The picture. */

static void
clear_bytes (VhScopeDrawer * self, const VhFrameView * out, guint p, guint y,
    gsize from, gsize end)
{
  const VhPlane *plane = &out->plane[p];

  if (end > from)
    memcpy ((guint8 *) plane->data + y * plane->stride + from, self->black[p] +
        from, end - from);
}

/* Blackens the parts of @bytes, the bytes of plane @p that were copied with the
 * picture, that belong to pixels outside it. */
static void
clear_rest (VhScopeDrawer * self, const VhFrameView * out,
    const VhRect * picture, const VhRect * bytes, guint p)
{
  const VhLayout *layout = &self->rows.layout;
  const gsize end = bytes->x + bytes->width;
  guint c, y;

  for (c = 0; c < layout->n_components; c++) {
    const VhComponent *component = &layout->component[c];
    gsize x = ((picture->x + picture->width - 1) >> component->w_sub) + 1;

    for (x *= component->pixel_stride; component->plane == p
        && x + component->pixel_stride <= end; x += component->pixel_stride) {
      for (y = bytes->y; y < bytes->y + bytes->height; y++)
        clear_bytes (self, out, p, y, x + component->offset,
            x + component->offset + component->sample_bytes);
    }
  }
}

/* Fills plane @p of @out with plane @p of @in, and black around it. */
static void
place_plane (VhScopeDrawer * self, const VhFrameView * in,
    const VhFrameView * out, guint p)
{
  const VhScopePlan *plan = self->plan;
  const VhPlane *from = &in->plane[p], *to = &out->plane[p];
  const VhRect picture = { plan->picture_x, plan->picture_y,
    in->picture.width, in->picture.height
  };
  const VhRect source = vh_layout_bytes (in->layout, &in->picture, p);
  const VhRect bytes = vh_layout_bytes (in->layout, &picture, p);
  guint y;

  for (y = 0; y < to->rows; y++) {
    if (!plan->shows_picture || y < bytes.y || y >= bytes.y + bytes.height) {
      clear_bytes (self, out, p, y, 0, to->row_bytes);
      continue;
    }
    clear_bytes (self, out, p, y, 0, bytes.x);
    memcpy ((guint8 *) to->data + y * to->stride + bytes.x, from->data +
        (source.y + y - bytes.y) * from->stride + source.x, bytes.width);
    clear_bytes (self, out, p, y, bytes.x + bytes.width, to->row_bytes);
  }
  if (plan->shows_picture)
    clear_rest (self, out, &picture, &bytes, p);
}

/* Samples. */

static gpointer
find_samples (VhScopeDrawer * self, const VhFrameView * view, guint c, gsize x,
    guint y, gsize n)
{
  gpointer array = vh_rows_find (&self->rows, view, c, x, y);

  if (array)
    return array;
  vh_rows_fetch (&self->rows, view, c, self->samples[c], x, y, n);
  return self->samples[c];
}

/* Writes back the samples of components @first ... @last that find_samples()
 * had to fetch. */
static void
keep_samples (VhScopeDrawer * self, const VhFrameView * view, guint first,
    guint last, gsize x, guint y, gsize n)
{
  const gconstpointer *samples = (const gconstpointer *) self->samples;
  guint c;

  if (vh_fetch_is_packed (&self->rows.layout, first, last) && first < last) {
    vh_rows_store (&self->rows, view, first, last, samples, x, y, n);
    return;
  }
  for (c = first; c <= last; c++) {
    if (!vh_rows_find (&self->rows, view, c, x, y))
      vh_rows_store (&self->rows, view, c, c, samples, x, y, n);
  }
}

static guint
get_code (const VhScopeDrawer * self, gconstpointer codes, gsize i)
{
  return self->rows.sample_size == 1 ? ((const guint8 *) codes)[i] :
      ((const guint16 *) codes)[i];
}

static void
set_code (const VhScopeDrawer * self, gpointer codes, gsize i, guint code)
{
  if (self->rows.sample_size == 1)
    ((guint8 *) codes)[i] = code;
  else
    ((guint16 *) codes)[i] = code;
}

/* False color and zebra. */

/* How pixel @x, @y of the picture, with @luma, is changed. */
static inline const LookEntry *
find_look (const VhScopeDrawer * self, guint x, guint y, guint luma)
{
  return &self->look[vh_scope_stripe (x, y, self->plan->look.period)][luma];
}

/* Applies the look to row @y of the picture, in RGB. */
static void
look_at_rgb (VhScopeDrawer * self, const VhFrameView * out,
    const VhRect * picture, guint y)
{
  const VhLumaWeights weights = vh_luma_weights (self->rows.layout.matrix);
  gpointer rgb[3];
  guint x, c;

  for (c = 0; c < 3; c++) {
    rgb[c] = find_samples (self, out, c, picture->x, picture->y + y,
        picture->width);
  }
  self->rows.steps->luma (self->sums[0], (const gconstpointer *) rgb,
      picture->width, &weights);
  for (x = 0; x < picture->width; x++) {
    const LookEntry *entry = find_look (self, x, y, get_code (self,
            self->sums[0], x));

    for (c = 0; c < 3 && !entry->stays; c++)
      set_code (self, rgb[c], x, entry->code[c]);
  }
  for (c = 0; c < 3; c++)
    keep_samples (self, out, c, c, picture->x, picture->y + y, picture->width);
}

/* Applies the look to the luma of row @y of the picture. Adds up in sums the
 * chroma that the look gives to pixels, for each chroma sample. */
static void
look_at_luma (VhScopeDrawer * self, const VhFrameView * out,
    const VhRect * picture, guint y, guint w_sub)
{
  gpointer codes = find_samples (self, out, 0, picture->x, picture->y + y,
      picture->width);
  guint x;

  for (x = 0; x < picture->width; x++) {
    const LookEntry *entry = find_look (self, x, y, get_code (self, codes, x));

    set_code (self, codes, x, entry->code[0]);
    self->sums[1][x >> w_sub] += entry->stays ? 0 : entry->code[1];
    self->sums[2][x >> w_sub] += entry->stays ? 0 : entry->code[2];
    self->stays[x >> w_sub] += entry->stays;
  }
  keep_samples (self, out, 0, 0, picture->x, picture->y + y, picture->width);
}

/* Applies the look to the chroma shared by @rows rows of the picture, the first
 * of which is @y. */
static void
look_at_chroma (VhScopeDrawer * self, const VhFrameView * out,
    const VhRect * picture, guint y, guint rows)
{
  const VhComponent *chroma = &self->rows.layout.component[1];
  const gsize left = picture->x >> chroma->w_sub;
  const gsize n = ((picture->width - 1) >> chroma->w_sub) + 1;
  const guint top = (picture->y + y) >> chroma->h_sub;
  guint c;
  gsize x;

  for (c = 1; c < 3; c++) {
    gpointer codes = find_samples (self, out, c, left, top, n);

    for (x = 0; x < n; x++) {
      const guint pixels = rows * MIN (picture->width - (x << chroma->w_sub),
          1u << chroma->w_sub);

      set_code (self, codes, x, vh_scope_average (self->sums[c][x] +
              self->stays[x] * get_code (self, codes, x), pixels));
    }
  }
  keep_samples (self, out, 1, 2, left, top, n);
}

static void
draw_look (VhScopeDrawer * self, const VhFrameView * out,
    const VhRect * picture)
{
  const VhLayout *layout = &self->rows.layout;
  const gboolean is_yuv = layout->model == VH_MODEL_YUV;
  const guint w_sub = is_yuv ? layout->component[1].w_sub : 0;
  const guint block = 1u << (is_yuv ? layout->component[1].h_sub : 0);
  guint y, row, rows;

  for (y = 0; y < picture->height; y += rows) {
    rows = MIN (block, picture->height - y);
    if (layout->model == VH_MODEL_RGB) {
      look_at_rgb (self, out, picture, y);
      continue;
    }
    memset (self->sums[1], 0, picture->width * sizeof (guint32));
    memset (self->sums[2], 0, picture->width * sizeof (guint32));
    memset (self->stays, 0, picture->width * sizeof (guint32));
    for (row = 0; row < rows; row++)
      look_at_luma (self, out, picture, y + row, w_sub);
    if (is_yuv)
      look_at_chroma (self, out, picture, y, rows);
  }
}

/* Traces. */

/* The brightness of a row of @cells of trace @i. */
static void
light_cells (VhScopeDrawer * self, const VhScopeState * state, guint i,
    const guint32 * cells)
{
  const guint8 *table = self->plan->brightness[i];
  Pencil *pencil = &self->pencil[i];

  if (state->has_shown)
    self->scope->lighten (pencil->brightness, (const gfloat *) cells,
        state->columns, table);
  else
    self->scope->lighten_counts (pencil->brightness, cells, state->columns,
        pencil->few, table);
}

/* The brightness of rows [@from, @end) of a waveform, column by column. */
static void
light_waveform (VhScopeDrawer * self, const VhScopeState * state, guint i,
    guint from, guint end)
{
  Pencil *pencil = &self->pencil[i];
  const guint32 *cells = vh_scope_state_row (state, from);
  guint row;

  if (end > from + 1) {
    memcpy (self->most, cells, state->columns * sizeof (*cells));
    for (row = from + 1; row < end; row++)
      self->scope->merge (self->most, vh_scope_state_row (state, row),
          state->columns);
    cells = self->most;
  }
  light_cells (self, state, i, cells);
  if (self->plan->envelope & VH_ENVELOPE_INSTANT)
    self->scope->mark (pencil->brightness, state->now.least, state->now.most,
        state->columns, from, end);
  if (self->plan->envelope & VH_ENVELOPE_PEAK)
    self->scope->mark (pencil->brightness, state->ever.least, state->ever.most,
        state->columns, from, end);
}

static void
mark_image (guint8 * image, guint columns, const VhExtents * of_v,
    const VhExtents * of_u)
{
  guint n;

  for (n = 0; n < columns; n++) {
    if (of_v->least[n] <= of_v->most[n]) {
      image[n * columns + of_v->least[n]] = 255;
      image[n * columns + of_v->most[n]] = 255;
    }
    if (of_u->least[n] <= of_u->most[n]) {
      image[of_u->least[n] * columns + n] = 255;
      image[of_u->most[n] * columns + n] = 255;
    }
  }
}

/* Puts a row of brightness into column @u of the image. Most cells are dark, so
 * they are skipped in groups. */
static void
turn_row (guint8 * image, const guint8 * brightness, guint columns, guint u)
{
  guint64 word;
  guint v, i;

  for (v = 0; v < columns; v += sizeof (word)) {
    memcpy (&word, brightness + v, sizeof (word));
    for (i = v; word != 0 && i < v + sizeof (word); i++)
      image[i * columns + u] = brightness[i];
  }
}

/* The brightness of all cells of U and V. */
static void
light_image (VhScopeDrawer * self, const VhScopeState * state, guint i)
{
  Pencil *pencil = &self->pencil[i];
  guint u;

  memset (pencil->image, 0, state->rows * state->columns);
  for (u = 0; u < state->rows; u++) {
    light_cells (self, state, i, vh_scope_state_row (state, u));
    turn_row (pencil->image, pencil->brightness, state->columns, u);
  }
  if (self->plan->envelope & VH_ENVELOPE_INSTANT)
    mark_image (pencil->image, state->rows, &state->now, &state->now_across);
  if (self->plan->envelope & VH_ENVELOPE_PEAK)
    mark_image (pencil->image, state->rows, &state->ever, &state->ever_across);
}

static void
light_chroma (VhScopeDrawer * self, const VhScopeState * state, guint i,
    guint from, guint end)
{
  Pencil *pencil = &self->pencil[i];
  guint row, u;

  memcpy (pencil->brightness, pencil->image + from * state->rows, state->rows);
  for (row = from + 1; row < end; row++) {
    const guint8 *image = pencil->image + row * state->rows;

    for (u = 0; u < state->rows; u++)
      pencil->brightness[u] = MAX (pencil->brightness[u], image[u]);
  }
}

/* Turns the brightness of columns into the brightness of pixels. */
static const guint8 *
spread (VhScopeDrawer * self, guint i)
{
  const Pencil *pencil = &self->pencil[i];
  const guint width = self->plan->trace[i].width;
  guint x, column;

  if (!pencil->after)
    return pencil->brightness;
  for (x = 0; x < width; x++) {
    guint8 most = pencil->brightness[pencil->first[x]];

    for (column = pencil->first[x] + 1; column < pencil->after[x]; column++)
      most = MAX (most, pencil->brightness[column]);
    self->lit[x] = most;
  }
  return self->lit;
}

/* The brightness of the pixels of row @y of a trace, counted from its
 * bottom. */
static const guint8 *
light_row (VhScopeDrawer * self, const VhScopeState * state, guint i, guint y)
{
  const VhScopeTrace *trace = &self->plan->trace[i];
  Pencil *pencil = &self->pencil[i];
  guint from, end;

  if (trace->kind == VH_TRACE_HISTOGRAM) {
    self->scope->bars (self->lit, state->bar, state->peak, trace->width, y,
        self->plan->brightness[i][VH_SCOPE_STEPS - 1]);
    return self->lit;
  }
  vh_scope_cells (y, trace->height, table_rows (trace), &from, &end);
  if (from != pencil->from || end != pencil->end) {
    pencil->from = from;
    pencil->end = end;
    if (trace->kind == VH_TRACE_WAVEFORM)
      light_waveform (self, state, i, from, end);
    else
      light_chroma (self, state, i, from, end);
  }
  return spread (self, i);
}

/* Panels. */

/* Makes the pixels of @panel in row @y of the output. */
static void
make_row (VhScopeDrawer * self, VhScopeCounts * counts, guint panel, guint y)
{
  const VhScopePanel *p = &self->plan->panel[panel];
  guint i, part;

  for (part = 0; part < N_PARTS; part++) {
    const guint8 *background = self->background[panel][part] +
        (gsize) (y - p->y) * p->width;

    if (self->is_plain[panel][y - p->y])
      memset (self->parts[part], *background, p->width);
    else
      memcpy (self->parts[part], background, p->width);
  }
  for (i = 0; i < self->plan->n_traces; i++) {
    const VhScopeTrace *trace = &self->plan->trace[i];
    const VhScopeState *state = vh_scope_counts_get (counts, i);
    const guint x = trace->x - p->x;
    guint8 *const at[N_PARTS] = { self->parts[0] + x, self->parts[1] + x,
      self->parts[2] + x, self->parts[3] + x
    };

    if (trace->panel == panel && state->has_counts && y >= trace->y
        && y - trace->y < trace->height) {
      self->scope->add (at, light_row (self, state, i, trace->height - 1 -
              (y - trace->y)), trace->width, trace->color);
    }
  }
}

/* Blends the row over components @first ... @last of row @y of the planes. */
static void
blend_row (VhScopeDrawer * self, const VhFrameView * out, guint first,
    guint last, gsize x, guint y, gsize n)
{
  guint c;

  for (c = first; c <= last; c++) {
    self->ops->blend (find_samples (self, out, c, x, y, n),
        (const guint8 * const *) self->parts, n, 1, c, &self->plan->colors);
  }
  keep_samples (self, out, first, last, x, y, n);
}

/* Blends sums over the chroma samples of the @width x @rows pixels whose upper
 * left corner is @x, @y of the planes. */
static void
blend_chroma (VhScopeDrawer * self, const VhFrameView * out, guint x, guint y,
    guint width, guint rows)
{
  const VhComponent *chroma = &self->rows.layout.component[1];
  const gsize whole = width >> chroma->w_sub;
  const guint rest = width & ((1u << chroma->w_sub) - 1);
  const gsize n = whole + (rest > 0);
  const gsize left = x >> chroma->w_sub;
  const guint top = y >> chroma->h_sub;
  const guint32 *end[N_PARTS];
  guint c, part;

  for (part = 0; part < N_PARTS; part++)
    end[part] = self->sums[part] + whole;
  for (c = 1; c < 3; c++) {
    guint8 *codes = find_samples (self, out, c, left, top, n);

    self->ops->blend_sums (codes, (const guint32 * const *) self->sums, whole,
        rows << chroma->w_sub, c, &self->plan->colors);
    self->ops->blend_sums (codes + whole * self->rows.sample_size, end,
        rest > 0, rows * rest, c, &self->plan->colors);
  }
  keep_samples (self, out, 1, 2, left, top, n);
}

static void
draw_panel (VhScopeDrawer * self, VhScopeCounts * counts,
    const VhFrameView * out, guint panel)
{
  const VhScopePanel *p = &self->plan->panel[panel];
  const VhLayout *layout = &self->rows.layout;
  const gboolean is_yuv = layout->model == VH_MODEL_YUV;
  const VhComponent *chroma = &layout->component[1];
  const guint block = is_yuv ? 1u << chroma->h_sub : 1;
  const guint x = out->picture.x + p->x;
  guint y, row, rows, part;

  for (y = p->y; y < p->y + p->height; y += rows) {
    rows = MIN (block, p->y + p->height - y);
    for (part = 0; part < N_PARTS && is_yuv; part++)
      memset (self->sums[part], 0, p->width * sizeof (guint32));
    for (row = y; row < y + rows; row++) {
      make_row (self, counts, panel, row);
      blend_row (self, out, 0, layout->model == VH_MODEL_RGB ? 2 : 0, x,
          out->picture.y + row, p->width);
      for (part = 0; part < N_PARTS && is_yuv; part++)
        self->rows.correction->ops8.sum (self->sums[part], self->parts[part],
            p->width, chroma->w_sub);
    }
    if (is_yuv)
      blend_chroma (self, out, x, out->picture.y + y, p->width, rows);
  }
}

void
vh_scope_drawer_draw (VhScopeDrawer * self, VhScopeCounts * counts,
    const VhFrameView * in, const VhFrameView * out)
{
  const VhScopePlan *plan = self->plan;
  VhRect picture = in->picture;
  guint i;

  if (in != out) {
    picture.x = plan->picture_x;
    picture.y = plan->picture_y;
    for (i = 0; i < GST_VIDEO_INFO_N_PLANES (&out->layout->info); i++)
      place_plane (self, in, out, i);
  }
  if (plan->look.of_code && (in == out || plan->shows_picture))
    draw_look (self, out, &picture);
  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeState *state = vh_scope_counts_get (counts, i);

    self->pencil[i].from = self->pencil[i].end = 0;
    if (state->has_counts && plan->trace[i].kind == VH_TRACE_CHROMA)
      light_image (self, state, i);
  }
  for (i = 0; i < plan->n_panels; i++)
    draw_panel (self, counts, out, i);
}
