/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the kernel for a frame: the requested method's kernel, or the fastest
 * kernel for the size, the bins, the channels and the device. The three methods
 * that AUTO chooses from are also here. */
#include "choose.h"
#include "core/channels.h"
#include "methods.h"

/* Bytes of a table for 8-bit samples with a column of counters per lane. */
#define TABLE_SIZE ((gsize) VH_CUDA_CODES * VH_CUDA_WARP * sizeof (guint32))

#define LUMA (1u << VH_CHANNEL_LUMA)
#define RGB (VH_ALL_CHANNELS & ~LUMA)

/* Limits the copies of counters, in bytes per block and per pixel: enough to
 * keep lanes apart, but not so many that clearing and adding them up costs more
 * than they save. */
#define REPLICATED_SHARED (64 * 1024)
#define REPLICATED_PIXEL_SHARED 16
#define REPLICATED_MAX_COPIES 32
#define REPLICATED_PIXELS 4
#define REPLICATED_BLOCK_PIXELS 4096    /* minimum per block, if a cell has that
                                         * many */

/* Up to ARRIVAL_BINS bins, or PAIR_BINS if results are added in pairs, blocks
 * merge results by counting arrivals. That takes one memory access less than
 * slices, but an 8-byte addition for each result or pair, even if it is 0. */
#define ARRIVAL_BINS 1024
#define PAIR_BINS 4096

/* How many bins a block counts in packed counters: at least as many as fit two
 * words, and at most one per 16-bit value. */
#define PACKED_MIN_WINDOW 4
#define PACKED_WHOLE_WINDOW 65536
#define PACKED_SAMPLES 16

#define YUV_PIXELS 8            /* VH_YUV_PIXELS of kernels/yuvcolumns.cu */

/* Pixels that a thread of kernels/gradient.cu processes at a time. */
#define GRADIENT_VECTOR 16
#define GRADIENT_PIXELS 8

/* With at least this many vectors for each thread, reading keeps two blocks
 * of a multiprocessor busy; with fewer, the second block only adds to the
 * merging. */
#define BULK_VECTORS 16

/* A frame that takes hardly any time to read is spread over all
 * multiprocessors, as long as there is a vector for at least half of the
 * threads. */
#define FRAME_THREADS_PER_VECTOR 2

/* Whether the luma of packed 4:2:2 is counted. If so, sets its address to the
 * first byte of the first pixel. */
static gboolean
takes_pairs (const VhLayout * layout, VhKernelParams * params)
{
  VhKernelComponent *c = &params->component[0];
  const guint offset = layout->component[0].offset;

  if (layout->depth != 8 || layout->model == VH_MODEL_RGB
      || params->channels != LUMA || c->pixel_stride != 2
      || ((c->data - offset) | c->stride) % 2 != 0)
    return FALSE;

  c->data -= offset;
  params->byte_shift = offset * 8;
  return TRUE;
}

/* Whether the three components are neighbouring bytes of packed 8-bit pixels.
 * Fills the parameters that the kernels for packed pixels read. */
static gboolean
takes_packed (const VhLayout * layout, VhKernelParams * params,
    guint pixel_bytes)
{
  const VhComponent *c = layout->component;
  const guint first = MIN (c[0].offset, c[2].offset);
  guint i;

  if (layout->depth != 8 || layout->model != VH_MODEL_RGB
      || c[0].plane != c[1].plane || c[0].plane != c[2].plane
      || c[0].pixel_stride != pixel_bytes || c[1].offset != first + 1
      || MAX (c[0].offset, c[2].offset) != first + 2
      || first + 3 > pixel_bytes)
    return FALSE;

  params->bytes_reversed = c[2].offset == first;
  params->byte_shift = first * 8;
  for (i = 0; i < 3; i++)
    params->byte_weight[i] =
        params->weight[params->bytes_reversed ? 2 - i : i];
  return TRUE;
}

/* The address of the first pixel of a frame of packed pixels. */
static CUdeviceptr
first_pixel (const VhLayout * layout, const VhKernelParams * params)
{
  return params->component[0].data - layout->component[0].offset;
}

static gboolean
takes_packed4 (const VhLayout * layout, VhKernelParams * params)
{
  CUdeviceptr data;

  if (!takes_packed (layout, params, 4))
    return FALSE;
  data = first_pixel (layout, params);
  if ((data | params->component[0].stride) % 4 != 0)
    return FALSE;

  params->component[0].data = data;
  return TRUE;
}

/* Vectors of 16 pixels start at the start of a row, so each row must be
 * aligned. */
static gboolean
takes_packed3 (const VhLayout * layout, VhKernelParams * params)
{
  CUdeviceptr data;

  if (params->columns > 1 || !takes_packed (layout, params, 3))
    return FALSE;
  data = first_pixel (layout, params);
  if ((data + params->x * 3) % 16 != 0 || params->component[0].stride % 16 != 0)
    return FALSE;

  params->component[0].data = data;
  return TRUE;
}

/* Whether kernels/yuvcolumns.cu can read the chroma samples of the region: 4 of
 * each at a time, with U and V in separate planes or interleaved. */
static gboolean
has_chroma_vectors (const VhKernelParams * params)
{
  const VhKernelComponent *u = &params->component[1], *v = u + 1;
  const guint64 first = MIN (u->data, v->data) +
      (guint64) (params->y / 2) * u->stride +
      (guint64) (params->x / 2) * u->pixel_stride;

  if (u->stride != v->stride || u->pixel_stride != v->pixel_stride)
    return FALSE;
  if (u->pixel_stride == 2) {
    return MAX (u->data, v->data) - MIN (u->data, v->data) == 1
        && (first | u->stride) % 8 == 0;
  }
  return u->pixel_stride == 1 && (first | u->stride
      | (MAX (u->data, v->data) - MIN (u->data, v->data))) % 4 == 0;
}

/* Whether red, green or blue of 8-bit 4:2:0 is counted, in one cell of whole
 * vectors. */
static gboolean
takes_yuv (const VhLayout * layout, const VhKernelParams * params)
{
  const VhKernelComponent *y = &params->component[0];
  const guint64 luma = y->data + (guint64) params->y * y->stride + params->x;
  guint i;

  if (layout->depth != 8 || layout->model != VH_MODEL_YUV
      || !(params->channels & RGB) || params->columns * params->rows > 1
      || params->x % 2 != 0 || params->y % 2 != 0
      || params->width % YUV_PIXELS != 0 || y->pixel_stride != 1
      || (luma | y->stride) % YUV_PIXELS != 0)
    return FALSE;
  for (i = 1; i < 3; i++) {
    if (params->component[i].w_sub != 1 || params->component[i].h_sub != 1)
      return FALSE;
  }
  return has_chroma_vectors (params);
}

/* Prepares red, green and blue of 8-bit 4:2:0, with a table per channel if
 * blocks have room for that. */
static gboolean
prepare_yuv (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const gboolean luma = (params->channels & LUMA) != 0;
  guint64 vectors;

  if (!vh_cuda_check_pixels (params, NULL) || !takes_yuv (layout, params)
      || 2 * TABLE_SIZE > vh_cuda_max_shared (device))
    return FALSE;
  params->n_values = VH_CUDA_CODES;
  params->bytes_reversed = FALSE;
  if (4 * TABLE_SIZE <= vh_cuda_max_shared (device)) {
    launch->kernel = luma ? VH_CUDA_KERNEL_YUV_WIDE_BOTH :
        VH_CUDA_KERNEL_YUV_WIDE_RGB;
    launch->shared = 4 * TABLE_SIZE;
  } else {
    launch->kernel = luma ? VH_CUDA_KERNEL_YUV_BOTH : VH_CUDA_KERNEL_YUV_RGB;
    launch->shared = 2 * TABLE_SIZE;
  }
  launch->threads = device->max_threads[launch->kernel];
  launch->grid[1] = launch->grid[2] = 1;
  vectors = (guint64) params->width / YUV_PIXELS * ((params->height + 1) / 2);
  launch->grid[0] = CLAMP ((vectors + launch->threads - 1) / launch->threads,
      1, (guint64) device->multiprocessors);
  return TRUE;
}

/* The kernels of lanecolumns.cu, each with the frames and channels that it can
 * count, and with its counterpart in framecolumns.cu for whole frames. */
typedef struct
{
  VhCudaKernel kernel, frame_kernel;
  gboolean (*takes) (const VhLayout * layout, VhKernelParams * params);
  gboolean luma, rgb;           /* which channels it can count */
  guint tables;                 /* of TABLE_SIZE, in shared memory */
  guint pixel_bytes;
  guint vector_pixels;          /* pixels that a thread reads at a time */
} LaneColumns;

static const LaneColumns lane_columns[] = {
#define ROW(name, ...) \
  {VH_CUDA_KERNEL_##name, VH_CUDA_KERNEL_FRAME_##name, __VA_ARGS__}
  ROW (PLANES, vh_cuda_takes_planes, TRUE, TRUE, 1, 1, 16),
  ROW (PAIRS, takes_pairs, TRUE, FALSE, 1, 2, 8),
  ROW (PACKED4_LUMA, takes_packed4, TRUE, FALSE, 1, 4, 4),
  ROW (PACKED4_RGB, takes_packed4, FALSE, TRUE, 2, 4, 4),
  ROW (PACKED4_BOTH, takes_packed4, TRUE, TRUE, 2, 4, 4),
  ROW (PACKED3_LUMA, takes_packed3, TRUE, FALSE, 1, 3, 16),
  ROW (PACKED3_RGB, takes_packed3, FALSE, TRUE, 2, 3, 16),
  ROW (PACKED3_BOTH, takes_packed3, TRUE, TRUE, 2, 3, 16),
#undef ROW
};

/* Threads of a block if two blocks share a multiprocessor. */
static guint
threads_of_two (const VhCudaDevice * device, VhCudaKernel kernel)
{
  return MIN (device->max_threads[kernel],
      device->threads_per_multiprocessor / 2);
}

/* Uses the kernel of @row for whole frames, if it can count the frame. */
static gboolean
prepare_frame (const LaneColumns * row, const VhCudaDevice * device,
    const VhKernelParams * params, VhCudaLaunch * launch)
{
  const guint vector_bytes = row->pixel_bytes * row->vector_pixels;
  const guint64 threads = vh_cuda_count_pixels (params) *
      FRAME_THREADS_PER_VECTOR / row->vector_pixels;
  guint budget;

  launch->n_frames = vh_cuda_place_frames (launch->frames, params,
      row->pixel_bytes, vector_bytes);
  if (launch->n_frames == 0)
    return FALSE;

  launch->kernel = row->frame_kernel;
  if (launch->kernel == VH_CUDA_KERNEL_FRAME_PLANES && launch->grid[1] == 1)
    launch->kernel = VH_CUDA_KERNEL_FRAME_PLANE;
  launch->threads = device->max_threads[launch->kernel];
  budget = MIN (device->multiprocessors / launch->grid[1],
      VH_KERNEL_FRAME_BLOCKS);
  launch->grid[0] = CLAMP (threads / launch->threads, 1, MAX (1, budget));
  return TRUE;
}

/* Finds the kernel for the channels and the layout, and fills the part of
 * @params that it reads; NULL if no kernel fits. */
static const LaneColumns *
find_lane_columns (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params)
{
  const gboolean luma = (params->channels & LUMA) != 0;
  const gboolean rgb = (params->channels & RGB) != 0;
  guint i;

  if (!vh_cuda_check_pixels (params, NULL))
    return NULL;
  for (i = 0; i < G_N_ELEMENTS (lane_columns); i++) {
    const LaneColumns *row = &lane_columns[i];

    if ((row->luma || !luma) && (row->rgb || !rgb)
        && row->tables * TABLE_SIZE <= vh_cuda_max_shared (device)
        && row->takes (layout, params))
      return row;
  }
  return NULL;
}

static gboolean
prepare_lane_columns (G_GNUC_UNUSED const VhCudaMethod * self,
    const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch, gchar ** why)
{
  const LaneColumns *row = find_lane_columns (device, layout, params);
  guint budget = device->multiprocessors;
  guint64 bulk;

  if (!row) {
    return prepare_yuv (device, layout, params, launch)
        || vh_cuda_refuse (why, "it supports 8-bit RGB, packed or planar, luma "
        "of 8-bit YUV, and red, green and blue of 8-bit YUV 4:2:0 without a "
        "grid if width, stride and start of the region are multiples of 8");
  }

  params->n_values = VH_CUDA_CODES;
  launch->kernel = row->kernel;
  launch->shared = row->tables * TABLE_SIZE;
  launch->threads = threads_of_two (device, launch->kernel);
  launch->grid[1] = launch->kernel == VH_CUDA_KERNEL_PLANES ?
      vh_cuda_count_channels (params) : 1;
  launch->grid[2] = params->columns * params->rows;

  bulk = (guint64) BULK_VECTORS * budget * launch->threads *
      row->vector_pixels;
  if (vh_cuda_count_pixels (params) * launch->grid[1] >= bulk)
    budget *= 2;
  else if (prepare_frame (row, device, params, launch))
    return TRUE;
  vh_cuda_set_grid (params, row->vector_pixels, budget, launch);
  return TRUE;
}

/* Bytes of shared memory of a block if two blocks share a multiprocessor. */
static gsize
shared_of_two (const VhCudaDevice * device)
{
  return device->shared_limit / 2 - VH_KERNEL_FIXED_SHARED;
}

/* How many copies of a table of @table bytes fit in shared memory and save more
 * time than they cost, for the pixels that a block counts; 0: not even one
 * fits. */
static guint
choose_copies (const VhCudaDevice * device, const VhKernelParams * params,
    gsize table)
{
  const gsize room = MIN (REPLICATED_SHARED, shared_of_two (device));
  const guint64 cell = vh_cuda_count_pixels (params) / (params->columns *
      params->rows);
  const guint64 pixels = MIN (cell, MAX (REPLICATED_BLOCK_PIXELS,
          vh_cuda_count_pixels (params) / device->multiprocessors));
  guint copies = REPLICATED_MAX_COPIES;

  while (copies > 1 && table * copies >
      MIN (room, pixels * REPLICATED_PIXEL_SHARED))
    copies /= 2;
  return table * copies <= vh_cuda_max_shared (device) ? copies : 0;
}

/* If there are more bins than code values, counts the code values, which the
 * host then sorts into bins. */
static void
set_values (VhKernelParams * params)
{
  params->bins = MIN (params->bins, 1u << params->depth);
  params->n_values = params->bins;
}

/* Whether up to @blocks can add up the results of @params in pairs. */
static gboolean
merges_in_pairs (const VhKernelParams * params, guint blocks, gboolean groups)
{
  return groups && params->bins % 2 == 0 && params->bins <= PAIR_BINS
      && blocks <= VH_KERNEL_PAIR_BLOCKS
      && vh_cuda_count_pixels (params) < 1u << VH_KERNEL_PAIR_BITS;
}

/* How the blocks of @launch merge the results of @params. */
static guint
choose_merge (const VhKernelParams * params, const VhCudaLaunch * launch,
    gboolean groups)
{
  if (merges_in_pairs (params, launch->grid[0], groups))
    return VH_MERGE_PAIRS;
  return params->bins <= ARRIVAL_BINS ? VH_MERGE_ARRIVALS : VH_MERGE_SLICES;
}

/* The number of blocks for samples in planes, with @vector_pixels per vector:
 * large frames keep two blocks per multiprocessor busy. */
static guint
choose_budget (const VhCudaDevice * device, const VhKernelParams * params,
    const VhCudaLaunch * launch, guint vector_pixels)
{
  const guint budget = device->multiprocessors;
  const guint64 bulk = (guint64) BULK_VECTORS * budget * launch->threads *
      vector_pixels;

  return launch->shared <= shared_of_two (device)
      && vh_cuda_count_pixels (params) * launch->grid[1] >= bulk ?
      budget * 2 : budget;
}

/* Prepares for samples in planes: a block counts one channel. */
static void
prepare_replicated_planes (const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const guint vector_pixels = params->samples == VH_KERNEL_BYTES ? 16 : 8;

  launch->kernel = params->samples == VH_KERNEL_BYTES ?
      VH_CUDA_KERNEL_REPLICATED_BYTES : VH_CUDA_KERNEL_REPLICATED_WORDS;
  launch->threads = threads_of_two (device, launch->kernel);
  launch->grid[1] = vh_cuda_count_channels (params);
  vh_cuda_set_grid (params, vector_pixels, choose_budget (device, params,
          launch, vector_pixels), launch);
}

/* Prepares for any pixels: a block counts all channels if their tables fit,
 * otherwise one. */
static void
prepare_replicated_pixels (const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const gsize table = params->bins * sizeof (guint32);
  const guint n_channels = vh_cuda_count_channels (params);
  guint tables = n_channels;

  params->copies = choose_copies (device, params, table * tables);
  if (params->copies == 0) {
    tables = 1;
    params->copies = choose_copies (device, params, table);
  }
  launch->kernel = VH_CUDA_KERNEL_REPLICATED_PIXELS;
  launch->shared = table * tables * params->copies;
  launch->threads = threads_of_two (device, launch->kernel);
  launch->grid[1] = n_channels / tables;
  vh_cuda_set_grid (params, REPLICATED_PIXELS, device->multiprocessors, launch);
}

static gboolean
prepare_replicated (G_GNUC_UNUSED const VhCudaMethod * self,
    const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch, G_GNUC_UNUSED gchar ** why)
{
  /* Uses the requested bins, because the accumulators are sized for them. */
  const gboolean groups = vh_cuda_has_groups (vh_cuda_max_results (params));

  set_values (params);
  params->samples = vh_cuda_choose_samples (layout, params);
  params->copies = choose_copies (device, params,
      params->bins * sizeof (guint32));
  launch->shared = params->bins * params->copies * sizeof (guint32);
  launch->grid[2] = params->columns * params->rows;
  if (params->samples != VH_KERNEL_ANY && params->copies > 0
      && vh_cuda_check_pixels (params, NULL))
    prepare_replicated_planes (device, params, launch);
  else
    prepare_replicated_pixels (device, params, launch);
  params->merge = choose_merge (params, launch, groups);
  /* The kernels clear shared memory 16 bytes at a time. */
  launch->shared = GST_ROUND_UP_16 (launch->shared);
  return TRUE;
}

static gboolean
prepare_packed_counters (G_GNUC_UNUSED const VhCudaMethod * self,
    const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch, gchar ** why)
{
  if (!vh_cuda_check_pixels (params, why))
    return FALSE;

  set_values (params);
  params->samples = vh_cuda_choose_samples (layout, params);
  params->window = PACKED_MIN_WINDOW;
  while (params->window < params->bins)
    params->window *= 2;
  while (params->window * sizeof (guint16) > vh_cuda_max_shared (device))
    params->window /= 2;
  launch->shared = GST_ROUND_UP_16 (params->window * sizeof (guint16));

  if (params->samples != VH_KERNEL_WORDS)
    launch->kernel = VH_CUDA_KERNEL_PACKED_COUNTERS_PIXELS;
  else if (params->window == PACKED_WHOLE_WINDOW
      && params->bins == PACKED_WHOLE_WINDOW)
    launch->kernel = VH_CUDA_KERNEL_PACKED_COUNTERS_WHOLE;
  else
    launch->kernel = VH_CUDA_KERNEL_PACKED_COUNTERS_WORDS;
  launch->threads = device->max_threads[launch->kernel];
  launch->grid[1] = vh_cuda_count_channels (params) *
      ((params->bins - 1) / params->window + 1);
  launch->grid[2] = params->columns * params->rows;
  vh_cuda_set_grid (params, PACKED_SAMPLES, device->multiprocessors, launch);
  return TRUE;
}

static const VhCudaMethod vh_cuda_method_LANE_COLUMNS = {
  .prepare = prepare_lane_columns,
  .instead = VH_METHOD_REPLICATED,
};

static const VhCudaMethod vh_cuda_method_REPLICATED = {
  .prepare = prepare_replicated,
};

static const VhCudaMethod vh_cuda_method_PACKED_COUNTERS = {
  .prepare = prepare_packed_counters,
  .instead = VH_METHOD_REPLICATED,
};

static const VhCudaMethod *const methods[VH_N_METHODS] = {
#define M(id, nick, description) [VH_METHOD_##id] = &vh_cuda_method_##id,
  VH_METHODS (M)
#undef M
};

static gboolean
prepare (VhMethod method, const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch, gchar ** why)
{
  const VhCudaMethod *self = methods[method];
  const VhKernelParams before = *params;

  *launch = (VhCudaLaunch) { 0, };
  if (self->prepare (self, device, layout, params, launch, why))
    return TRUE;
  *params = before;
  return FALSE;
}

gchar *
vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method, const VhKernelParams * params,
    const gchar * why)
{
  VhKernelParams copy = *params;
  VhMethod instead = method;
  VhCudaLaunch launch;

  do {
    instead = methods[instead]->instead;
  } while (!prepare (instead, device, layout, &copy, &launch, NULL));
  return g_strdup_printf ("method=%s cannot count these frames: %s. "
      "method=%s can.", vh_method_nick (method), why, vh_method_nick (instead));
}

/* Prepares the fastest way: in shared memory, with as many copies as
 * possible. */
static void
prepare_auto (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const gsize table = MIN (params->bins, 1u << params->depth) *
      sizeof (guint32);

  if (prepare (VH_METHOD_LANE_COLUMNS, device, layout, params, launch, NULL))
    return;
  if (table > vh_cuda_max_shared (device)
      && prepare (VH_METHOD_PACKED_COUNTERS, device, layout, params, launch,
          NULL))
    return;
  prepare (VH_METHOD_REPLICATED, device, layout, params, launch, NULL);
}

VhCudaLaunch
vh_cuda_choose_launch (const VhCudaDevice * device, const VhLayout * layout,
    guint method, VhKernelParams * params, gchar ** problem)
{
  /* Uses the requested bins, because the accumulators are sized for them. */
  const gboolean groups = vh_cuda_has_groups (vh_cuda_max_results (params));
  gchar *why = NULL;
  VhCudaLaunch launch;

  if (method == VH_METHOD_AUTO
      || !prepare (method, device, layout, params, &launch,
          problem ? &why : NULL)) {
    if (why)
      *problem = vh_cuda_describe_problem (device, layout, method, params, why);
    g_free (why);
    prepare_auto (device, layout, params, &launch);
  }

  params->n_results = params->n_values * vh_cuda_count_channels (params) *
      params->columns * params->rows;
  params->grouped = groups && launch.grid[0] >= 2 * VH_KERNEL_GROUPS;
  params->n_blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  launch.scratch = params->block_scratch * params->n_blocks;
  return launch;
}

/* Prepares gradients of a plane of words, in the same way as samples of it. */
static gboolean
prepare_gradient_words (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  params->samples = vh_cuda_choose_samples (layout, params);
  params->copies = choose_copies (device, params,
      params->bins * sizeof (guint32));
  if (params->samples != VH_KERNEL_WORDS || params->copies == 0
      || params->bins > 1u << params->depth
      || !vh_cuda_check_pixels (params, NULL))
    return FALSE;
  launch->shared = GST_ROUND_UP_16 (params->bins * params->copies *
      sizeof (guint32));
  prepare_replicated_planes (device, params, launch);
  launch->kernel = VH_CUDA_KERNEL_GRADIENT_WORDS;
  launch->threads = MIN (launch->threads,
      (guint) threads_of_two (device, launch->kernel));
  return TRUE;
}

/* Prepares gradients of a plane of bytes, in cells or in the whole frame. */
static void
prepare_gradient_bytes (const VhCudaDevice * device, VhKernelParams * params,
    gboolean groups, VhCudaLaunch * launch)
{
  if (launch->grid[2] == 1
      && merges_in_pairs (params, 2 * device->multiprocessors, groups)) {
    launch->kernel = VH_CUDA_KERNEL_GRADIENT_FRAME;
    launch->threads = device->max_threads[launch->kernel];
  } else {
    launch->kernel = VH_CUDA_KERNEL_GRADIENT_BYTES;
    launch->threads = threads_of_two (device, launch->kernel);
  }
  launch->shared = TABLE_SIZE;
  vh_cuda_set_grid (params, GRADIENT_VECTOR, choose_budget (device, params,
          launch, GRADIENT_VECTOR), launch);
}

VhCudaLaunch
vh_cuda_choose_gradient (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params)
{
  const gboolean groups = vh_cuda_has_groups (vh_cuda_max_results (params));
  VhCudaLaunch launch = {.grid = {1, 1, params->columns * params->rows} };
  gsize table;
  gboolean bytes;

  params->channels = LUMA;
  bytes = vh_cuda_takes_planes (layout, params)
      && vh_cuda_check_pixels (params, NULL);
  if (params->n_values == 0)
    params->n_values = bytes ? VH_CUDA_CODES : params->bins;
  /* Results of 8-bit frames may be codes, which the host sorts into bins. */
  params->bins = params->n_values;
  params->n_results = params->n_values * launch.grid[2];
  table = params->bins * sizeof (guint32);

  if (bytes && params->n_values == VH_CUDA_CODES) {
    prepare_gradient_bytes (device, params, groups, &launch);
  } else if (prepare_gradient_words (device, layout, params, &launch)) {
    params->merge = choose_merge (params, &launch, groups);
  } else {
    launch.kernel = VH_CUDA_KERNEL_GRADIENT_PIXELS;
    launch.threads = device->max_threads[launch.kernel];
    params->copies = table <= vh_cuda_max_shared (device);
    launch.shared = params->copies * table;
    vh_cuda_set_grid (params, GRADIENT_PIXELS, device->multiprocessors,
        &launch);
  }
  params->grouped = groups && launch.grid[0] >= 2 * VH_KERNEL_GROUPS;
  params->n_blocks = launch.grid[0] * launch.grid[2];
  return launch;
}
