/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches the kernels of videoscope. */
#include "scopelaunch.h"

#include <string.h>

#define ALIGN 256               /* bytes: alignment of the parts of a trace */

/* Up to this many bits per sample, colours of YUV fit 32-bit arithmetic. */
#define NARROW_DEPTH 12

#define COLORS (1u << VH_SCOPE_RED | 1u << VH_SCOPE_GREEN | 1u << VH_SCOPE_BLUE)
#define CHROMA (1u << VH_SCOPE_U | 1u << VH_SCOPE_V)

static const VhCudaKernel kernels[] = {
  VH_CUDA_KERNEL_WAVEFORM_420_8, VH_CUDA_KERNEL_WAVEFORM_422_8,
  VH_CUDA_KERNEL_WAVEFORM_420_16, VH_CUDA_KERNEL_WAVEFORM_422_16,
  VH_CUDA_KERNEL_WAVEFORM_ANY, VH_CUDA_KERNEL_SCOPE_SETTLE,
  VH_CUDA_KERNEL_SCOPE_FILL, VH_CUDA_KERNEL_SCOPE_LOOK,
  VH_CUDA_KERNEL_SCOPE_DRAW,
};

CUresult
vh_cuda_scope_load (VhCudaDevice * device)
{
  return vh_cuda_device_load_all (device, kernels, G_N_ELEMENTS (kernels));
}

/* The sizes of counts, shown, light and peaks. */
static void
get_sizes (const VhScopeTrace * trace, gsize sizes[4])
{
  const gsize cells = vh_scope_trace_cells (trace);
  const gboolean bars = trace->kind == VH_TRACE_HISTOGRAM;
  const guint peaks = trace->columns +
      (trace->kind == VH_TRACE_CHROMA ? trace->levels : 0);
  guint i;

  sizes[0] = bars ? 0 : cells * sizeof (guint32);
  sizes[1] = bars ? 0 : cells * sizeof (gfloat);
  sizes[2] = bars ? trace->width * sizeof (guint32) : cells;
  sizes[3] = bars ? trace->width * sizeof (guint32) :
      2 * peaks * sizeof (guint32);
  for (i = 0; i < 4; i++)
    sizes[i] = GST_ROUND_UP_N (sizes[i], ALIGN);
}

gsize
vh_cuda_scope_trace_size (const VhScopeTrace * trace)
{
  gsize sizes[4];

  get_sizes (trace, sizes);
  return sizes[0] + sizes[1] + sizes[2] + sizes[3];
}

void
vh_cuda_scope_trace_place (VhCudaTrace * self, const VhScopeTrace * trace,
    CUdeviceptr address)
{
  gsize sizes[4];

  get_sizes (trace, sizes);
  self->counts = address;
  self->shown = self->counts + sizes[0];
  self->light = self->shown + sizes[1];
  self->peaks = self->light + sizes[2];
}

static void
fill_table (VhKernelTable * table, const VhCudaScopeState * state, guint i)
{
  const VhScopeTrace *trace = &state->plan->trace[i];
  const VhCudaTrace *own = &state->trace[i];

  *table = (VhKernelTable) {
    .counts = own->counts,
    .shown = own->shown,
    .light = own->light,
    .peaks = own->peaks,
    .brightness = state->brightness + i * VH_SCOPE_STEPS,
    .columns = trace->columns,
    .levels = trace->levels,
    .before = own->before,
    .forget = own->forget,
  };
}

/* Updates the state after a frame in which trace @i was counted. */
static void
follow_trace (VhCudaScopeState * state, guint i, gfloat decay)
{
  VhCudaTrace *own = &state->trace[i];

  own->counted = TRUE;
  own->before = decay > 0 ? VH_SHOWN_TABLE : VH_SHOWN_COUNTS;
  if (state->plan->envelope & VH_ENVELOPE_PEAK)
    own->forget = FALSE;
}

/* Waveforms */

/* The waveforms of one launch: which trace is in which slot. */
typedef struct
{
  VhKernelWaveforms params;
  guint trace[VH_SCOPE_N_VALUES];
} Group;

static void
add_to_group (Group * group, const VhCudaScopeState * state, guint i,
    const VhFrameView * view)
{
  const VhScopeTrace *trace = &state->plan->trace[i];
  const VhRect region = vh_scope_trace_region (trace, view);
  VhKernelWaveform *slot = &group->params.slot[trace->value];

  *slot = (VhKernelWaveform) {
    .level_shift = view->layout->depth - (g_bit_storage (trace->levels) - 1),
    .first = region.x,
    .samples = region.width,
  };
  fill_table (&slot->table, state, i);
  group->trace[trace->value] = i;
  group->params.values |= 1u << trace->value;
  if ((1u << trace->value) & CHROMA) {
    group->params.chroma_y = region.y;
    group->params.chroma_rows = region.height;
  }
}

/* The largest number of columns of its traces. */
static guint
count_columns (const Group * group)
{
  guint columns = 1, i;

  for (i = 0; i < VH_SCOPE_N_VALUES; i++) {
    if (group->params.values & (1u << i))
      columns = MAX (columns, group->params.slot[i].table.columns);
  }
  return columns;
}

/* Places the tables that each of @blocks has in shared memory. Returns how many
 * bytes they need. */
static gsize
place_tables (Group * group, guint blocks)
{
  VhKernelWaveforms *p = &group->params;
  guint columns = 0, levels = 0, i;

  p->words = 0;
  for (i = 0; i < VH_SCOPE_N_VALUES; i++) {
    VhKernelWaveform *slot = &p->slot[i];
    const guint most_columns = (slot->table.columns + blocks - 1) / blocks;

    if (!(p->values & (1u << i)))
      continue;
    slot->place = p->words;
    p->words += GST_ROUND_UP_4 (most_columns * slot->table.levels);
    columns += most_columns;
    levels = MAX (levels, slot->table.levels);
  }
  p->nowhere = p->words + (p->envelope ? 4 * columns : 0);
  return (p->nowhere + levels) * sizeof (guint32);
}

/* Values that are not counted get level 0 for all codes. */
static void
leave_out_others (Group * group)
{
  VhKernelWaveforms *p = &group->params;
  guint i;

  for (i = 0; i < VH_SCOPE_N_VALUES; i++) {
    if (!(p->values & (1u << i)))
      p->slot[i].level_shift = p->frame.depth;
  }
}

/* Finds how many blocks to use, one per multiprocessor if possible. Values that
 * do not even fit with a block per column are left to another launch: returns
 * which. */
static guint
fit_group (const VhCudaDevice * device, Group * group, VhCudaLaunch * launch)
{
  const gsize limit = device->shared_limit - VH_KERNEL_FIXED_SHARED;
  guint left = 0;

  while (TRUE) {
    const guint most = count_columns (group);
    guint blocks = MIN ((guint) device->multiprocessors, most), value;

    launch->shared = place_tables (group, blocks);
    while (launch->shared > limit && blocks < most) {
      blocks = MIN (2 * blocks, most);
      launch->shared = place_tables (group, blocks);
    }
    launch->grid[0] = blocks;
    if (launch->shared <= limit)
      return left;
    value = 1u << (g_bit_storage (group->params.values) - 1);
    group->params.values &= ~value;
    left |= value;
  }
}

/* Returns the kernel for pixels that share chroma if it can process the frame,
 * otherwise the generic one. */
static VhCudaKernel
find_kernel (const VhLayout * layout, VhKernelWaveforms * p)
{
  const VhComponent *luma = &layout->component[0];
  const VhComponent *u = &layout->component[1], *v = &layout->component[2];
  const VhKernelComponent *c = p->frame.component;
  const guint bytes = luma->sample_bytes;
  guint64 rest;

  if (layout->model != VH_MODEL_YUV || bytes > 2 || layout->big_endian
      || luma->pixel_stride != bytes || u->w_sub != 1 || u->h_sub > 1
      || u->sample_bytes != bytes || u->shift != luma->shift
      || ((p->values & COLORS) && layout->depth > NARROW_DEPTH))
    return VH_CUDA_KERNEL_WAVEFORM_ANY;
  rest = (c[0].data | c[0].stride) % (2 * bytes);
  if (u->plane != v->plane) {
    p->chroma = VH_CHROMA_PLANES;
    rest |= u->pixel_stride - bytes;
    rest |= v->pixel_stride - bytes;
    rest |= (c[1].data | c[1].stride | c[2].data | c[2].stride) % bytes;
  } else {
    p->chroma = c[1].data < c[2].data ? VH_CHROMA_UV : VH_CHROMA_VU;
    rest |= u->pixel_stride - 2 * bytes;
    rest |= MAX (c[1].data, c[2].data) - MIN (c[1].data, c[2].data) - bytes;
    rest |= (MIN (c[1].data, c[2].data) | c[1].stride) % (2 * bytes);
  }
  if (rest)
    return VH_CUDA_KERNEL_WAVEFORM_ANY;
  if (bytes == 1) {
    return u->h_sub ? VH_CUDA_KERNEL_WAVEFORM_420_8 :
        VH_CUDA_KERNEL_WAVEFORM_422_8;
  }
  return u->h_sub ? VH_CUDA_KERNEL_WAVEFORM_420_16 :
      VH_CUDA_KERNEL_WAVEFORM_422_16;
}

/* Counts as many of the traces @wanted (a bit each) as possible in one pass,
 * and leaves the others in @wanted. */
static CUresult
launch_waveforms (VhCudaDevice * device, VhCudaScopeState * state,
    const VhCudaPlanes * in, guint * wanted, gfloat decay, CUstream stream)
{
  const VhFrameView *view = in->view;
  VhCudaLaunch launch = {.grid = {1, 1, 1} };
  Group group = {
    .params = {
          .frame = state->params,
          .colors = state->plan->colors,
          .envelope = state->plan->envelope,
          .decay = decay,
        },
  };
  CUresult result;
  guint i;

  vh_cuda_params_set_frame (&group.params.frame, in, &view->picture);
  for (i = 0; i < state->plan->n_traces; i++) {
    if ((*wanted & (1u << i)) && !(group.params.values & (1u <<
                state->plan->trace[i].value)))
      add_to_group (&group, state, i, view);
  }
  fit_group (device, &group, &launch);
  leave_out_others (&group);
  launch.kernel = find_kernel (view->layout, &group.params);
  launch.threads = MIN (device->max_threads[launch.kernel],
      VH_KERNEL_SCOPE_THREADS);
  result = vh_cuda_load_and_launch (device, &launch, &group.params, stream);
  for (i = 0; i < VH_SCOPE_N_VALUES; i++) {
    if (group.params.values & (1u << i)) {
      *wanted &= ~(1u << group.trace[i]);
      follow_trace (state, group.trace[i], decay);
    }
  }
  return result;
}

/* Histograms, and U and V */

/* The counts of @channel, or 0 if there are none. */
static CUdeviceptr
find_channel (const VhCudaScopeCounts * counts, guint channel)
{
  const guint bit = 1u << channel;

  if (!counts->counts || !(counts->channels & bit))
    return 0;
  return counts->counts + (guint) __builtin_popcount (counts->channels &
      (bit - 1)) * counts->n_values * sizeof (guint32);
}

static CUresult
launch_settle (VhCudaDevice * device, VhCudaScopeState * state,
    const VhCudaScopeCounts * histogram, const VhCudaScopeCounts * chroma,
    gfloat decay, CUstream stream)
{
  const VhScopePlan *plan = state->plan;
  VhKernelSettle params = {.envelope = plan->envelope,.decay = decay };
  VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_SCOPE_SETTLE,
    .grid = {1, 1, 1},
    .threads = MIN (device->max_threads[VH_CUDA_KERNEL_SCOPE_SETTLE],
        VH_KERNEL_SCOPE_THREADS),
  };
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];
    const gboolean of_both = trace->kind == VH_TRACE_CHROMA
        || trace->value >= VH_SCOPE_U;
    const CUdeviceptr counts = of_both ? chroma->counts :
        find_channel (histogram, trace->value);
    VhKernelCounted *counted = &params.trace[params.n];

    if (trace->kind == VH_TRACE_WAVEFORM || !counts
        || (of_both ? trace->columns * trace->columns != chroma->bins :
            trace->columns != histogram->bins))
      continue;
    *counted = (VhKernelCounted) {
      .counts = counts,
      .n_values = histogram->n_values,
      .kind = trace->kind,
      .value = trace->value,
      .width = trace->width,
      .height = trace->height,
    };
    fill_table (&counted->table, state, i);
    params.n++;
    if (trace->kind == VH_TRACE_CHROMA) {
      launch.grid[0] = VH_KERNEL_CHROMA_BLOCKS;
      launch.shared = MAX (launch.shared, 4 * trace->columns *
          sizeof (guint32));
    } else {
      launch.shared = MAX (launch.shared, trace->columns * sizeof (guint32));
    }
    follow_trace (state, i, decay);
  }
  if (params.n == 0)
    return CUDA_SUCCESS;
  launch.grid[1] = params.n;
  return vh_cuda_load_and_launch (device, &launch, &params, stream);
}

CUresult
vh_cuda_scope_count (VhCudaDevice * device, VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaScopeCounts * histogram,
    const VhCudaScopeCounts * chroma, gfloat decay, CUstream stream)
{
  const VhScopePlan *plan = state->plan;
  CUresult result;
  guint wanted = 0, i;

  for (i = 0; i < plan->n_traces; i++) {
    state->trace[i].counted = FALSE;
    if (plan->trace[i].kind == VH_TRACE_WAVEFORM
        && vh_scope_trace_region (&plan->trace[i], in->view).width > 0)
      wanted |= 1u << i;
  }
  /* This needs few blocks and little time, so it comes first: the waveforms
   * start while it runs. */
  result = launch_settle (device, state, histogram, chroma, decay, stream);
  while (wanted && result == CUDA_SUCCESS)
    result = launch_waveforms (device, state, in, &wanted, decay, stream);
  return result;
}

/* The picture */

/* How many blocks of @threads to use for @n items, so that each thread has a
 * few. */
static guint
count_blocks (const VhCudaDevice * device, guint64 n, guint threads)
{
  return CLAMP (n / threads, 1, 8 * (guint) device->multiprocessors);
}

/* Fills @rect, bytes and rows of plane @p, with black. */
static CUresult
launch_fill (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * out, guint p, const VhRect * rect, CUstream stream)
{
  guint8 pattern[VH_SCOPE_MAX_PATTERN];
  const guint length = vh_scope_black (&state->plan->colors,
      out->view->layout, p, pattern);
  VhKernelFill params = {
    .data = out->data[p] + rect->y * out->stride[p] + rect->x,
    .stride = out->stride[p],
    .row_bytes = rect->width,
    .rows = rect->height,
    .length = length,
  };
  const VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_SCOPE_FILL,
    .grid = {count_blocks (device, (guint64) rect->width * rect->height,
            VH_KERNEL_LOOK_THREADS), 1, 1},
    .threads = VH_KERNEL_LOOK_THREADS,
  };
  guint i;

  for (i = 0; i < length; i++)
    params.pattern[i] = pattern[(rect->x + i) % length];
  return vh_cuda_load_and_launch (device, &launch, &params, stream);
}

/* Blackens what was copied with the picture but lies outside it. @bytes is the
 * part of plane @p that was copied. */
static CUresult
clear_rest (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * out, const VhRect * picture, const VhRect * bytes,
    guint p, CUstream stream)
{
  const VhLayout *layout = out->view->layout;
  CUresult result = CUDA_SUCCESS;
  guint i, x;

  for (i = 0; i < layout->n_components; i++) {
    const VhComponent *c = &layout->component[i];

    if (c->plane != p)
      continue;
    for (x = ((picture->x + picture->width - 1) >> c->w_sub) + 1;
        (x + 1) * c->pixel_stride <= bytes->x + bytes->width
        && result == CUDA_SUCCESS; x++) {
      const VhRect rest = { x * c->pixel_stride + c->offset, bytes->y,
        c->sample_bytes, bytes->height
      };

      result = launch_fill (device, state, out, p, &rest, stream);
    }
  }
  return result;
}

static CUresult
place_plane (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaPlanes * out, guint p,
    CUstream stream)
{
  const VhScopePlan *plan = state->plan;
  const VhLayout *layout = out->view->layout;
  const VhPlane *plane = &out->view->plane[p];
  const VhRect all = { 0, 0, plane->row_bytes, plane->rows };
  const VhRect picture = { plan->picture_x, plan->picture_y,
    in->view->picture.width, in->view->picture.height
  };
  const VhRect from = vh_layout_bytes (layout, &in->view->picture, p);
  const VhRect to = vh_layout_bytes (layout, &picture, p);
  const CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = in->data[p],
    .srcPitch = in->stride[p],
    .srcXInBytes = from.x,
    .srcY = from.y,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstDevice = out->data[p],
    .dstPitch = out->stride[p],
    .dstXInBytes = to.x,
    .dstY = to.y,
    .WidthInBytes = to.width,
    .Height = to.height,
  };
  CUresult result = CUDA_SUCCESS;

  if (!plan->shows_picture || to.width < all.width || to.height < all.height)
    result = launch_fill (device, state, out, p, &all, stream);
  if (!plan->shows_picture || result != CUDA_SUCCESS)
    return result;
  result = device->driver->Memcpy2DAsync (&copy, stream);
  return result == CUDA_SUCCESS ? clear_rest (device, state, out, &picture,
      &to, p, stream) : result;
}

CUresult
vh_cuda_scope_place (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaPlanes * out, CUstream stream)
{
  CUresult result = CUDA_SUCCESS;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES && result == CUDA_SUCCESS; p++) {
    if (out->view->planes & (1u << p))
      result = place_plane (device, state, in, out, p, stream);
  }
  return result;
}

static CUresult
launch_look (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaPlanes * out, CUstream stream)
{
  const VhScopePlan *plan = state->plan;
  const VhRect *own = &in->view->picture;
  const VhRect picture = {
    in == out ? own->x : plan->picture_x, in == out ? own->y : plan->picture_y,
    own->width, own->height
  };
  VhKernelLook params = {
    .frame = state->params,
    .of_code = state->of_code,
    .period = plan->look.period,
  };
  const VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_SCOPE_LOOK,
    .grid = {count_blocks (device, (guint64) own->width * own->height / 4,
            VH_KERNEL_LOOK_THREADS), 1, 1},
    .threads = VH_KERNEL_LOOK_THREADS,
  };

  memcpy (params.color, plan->look.color, sizeof (params.color));
  memcpy (params.stripe, plan->look.stripe, sizeof (params.stripe));
  vh_cuda_params_set_frame (&params.frame, out, &picture);
  return vh_cuda_load_and_launch (device, &launch, &params, stream);
}

/* Panels */

/* Fills the panels of @params. Returns how many tiles they have. */
static guint
fill_panels (VhKernelDraw * params, const VhCudaScopeState * state)
{
  const VhScopePlan *plan = state->plan;
  guint tiles = 0, i;

  for (i = 0; i < plan->n_panels; i++) {
    VhKernelPanel *panel = &params->panel[i];

    *panel = (VhKernelPanel) {
      .panel = plan->panel[i],
      .behind = state->behind + plan->panel[i].graticule * sizeof (guint32),
      .first_tile = tiles,
      .row_tiles = (plan->panel[i].width + VH_KERNEL_TILE_WIDTH - 1) /
            VH_KERNEL_TILE_WIDTH,
    };
    tiles += panel->row_tiles * ((plan->panel[i].height +
            VH_KERNEL_TILE_HEIGHT - 1) / VH_KERNEL_TILE_HEIGHT);
  }
  params->n_panels = plan->n_panels;
  return tiles;
}

static void
fill_traces (VhKernelDraw * params, const VhCudaScopeState * state)
{
  const VhScopePlan *plan = state->plan;
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];
    VhKernelDrawn *drawn = &params->trace[params->n_traces];

    if (!state->trace[i].counted)
      continue;
    *drawn = (VhKernelDrawn) {
      .light = state->trace[i].light,
      .peaks = state->trace[i].peaks,
      .kind = trace->kind,
      .panel = trace->panel,
      .x = trace->x - plan->panel[trace->panel].x,
      .y = trace->y - plan->panel[trace->panel].y,
      .width = trace->width,
      .height = trace->height,
      .columns = trace->columns,
      .levels = trace->levels,
      .color = {trace->color[0], trace->color[1], trace->color[2]},
      .brightness = plan->brightness[i][VH_SCOPE_STEPS - 1],
    };
    params->n_traces++;
  }
}

static CUresult
launch_panels (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * out, CUstream stream)
{
  VhKernelDraw params = {
    .frame = state->params,
    .colors = state->plan->colors,
    .draws_peaks = (state->plan->envelope & VH_ENVELOPE_PEAK) != 0,
  };
  const VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_SCOPE_DRAW,
    .grid = {fill_panels (&params, state), 1, 1},
    .threads = VH_KERNEL_DRAW_THREADS,
    .shared = VH_KERNEL_TILE_SHARED,
  };

  fill_traces (&params, state);
  vh_cuda_params_set_frame (&params.frame, out, &out->view->picture);
  return vh_cuda_load_and_launch (device, &launch, &params, stream);
}

CUresult
vh_cuda_scope_draw (VhCudaDevice * device, const VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaPlanes * out, CUstream stream)
{
  const VhScopePlan *plan = state->plan;
  CUresult result = CUDA_SUCCESS;

  if (plan->look.of_code && (in == out || plan->shows_picture))
    result = launch_look (device, state, in, out, stream);
  if (result == CUDA_SUCCESS && plan->n_panels > 0)
    result = launch_panels (device, state, out, stream);
  return result;
}
