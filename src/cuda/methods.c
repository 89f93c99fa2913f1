/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods of counting: what each can count, and how its kernel is
 * started. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "frames.h"
#include "core/channels.h"

#define CODES 256
#define COLUMNS 32
#define LUMA (1u << VH_CHANNEL_LUMA)
#define RGB (VH_ALL_CHANNELS & ~LUMA)

/* Enough copies to keep lanes apart, and not so many that clearing and adding
 * them up costs more than they save: bytes of them all, and for each pixel. */
#define REPLICATED_SHARED (64 * 1024)
#define REPLICATED_PIXEL_SHARED 16
#define REPLICATED_MAX_COPIES 32
#define REPLICATED_PIXELS 4
#define REPLICATED_BLOCK_PIXELS 4096    /* at least, if a cell has as many */

/* Up to so many bins, results of blocks meet by arrival: it takes one trip to
 * memory less than slices, and an addition of 8 bytes for each, though it be
 * 0. */
#define ARRIVAL_BINS 1024

/* Of packed counters, bins that a block counts: two words of them at least, and
 * all that 16 bits can say. */
#define PACKED_MIN_WINDOW 4
#define PACKED_WHOLE_WINDOW 65536
#define PACKED_SAMPLES 16

/* From so many vectors a thread on, reading keeps two blocks a multiprocessor
 * busy; below, the second one only adds to the merging. */
#define BULK_VECTORS 16

#define WARP 32

/* Warps that count at least, though there be room for more bins in one pass. */
#define MIN_TAGGED_WARPS 3

/* Bits of packed counters: more than MAX do little but take room from other
 * blocks. */
#define MIN_PACKED_BITS 4
#define MAX_PACKED_BITS 8

/* Bytes that the tables of all threads take at most. */
#define THREAD_TABLES_SIZE (64u << 20)

#define BYTE_COUNTER_BINS 64u
#define THREAD_BYTES_BINS (4u * VH_KERNEL_BYTE_THREADS)

/* A frame that is read in no time is spread over all multiprocessors, as long
 * as every other thread has a vector. */
#define FRAME_THREADS_PER_VECTOR 2

/* From so many bins in a block for each of its samples on, blocks do little but
 * clear their tables and add them up. */
#define MAX_BINS_PER_SAMPLE 8

/* Tables in scratch begin on lines of their own. */
#define SCRATCH_ALIGN 128

/* The vector kernels reckon in 32 bits within a region. */
#define MAX_VECTOR_PIXELS (1 << 30)
#define TOO_MANY_PIXELS "it takes frames of up to 2^30 pixels"

/* Whether all channels that are counted are planes of 8-bit samples. */
static gboolean
takes_planes (const VhLayout * layout, VhKernelParams * params)
{
  const guint components = vh_channels_components (layout, params->channels);
  guint i;

  if (layout->depth != 8
      || (layout->model == VH_MODEL_RGB ? params->channels & LUMA :
          params->channels & RGB))
    return FALSE;
  for (i = 0; i < layout->n_components; i++) {
    if ((components & (1u << i)) && layout->component[i].pixel_stride != 1)
      return FALSE;
  }
  return TRUE;
}

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

/* Whether the three components are neighbouring bytes of packed 8-bit pixels;
 * fills what the packed kernels read. */
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

/* The address of pixel 0 of the packed component @c of the frame. */
static CUdeviceptr
pixel_address (const VhLayout * layout, const VhKernelParams * params, guint c)
{
  return params->component[c].data - layout->component[c].offset;
}

static gboolean
takes_packed4 (const VhLayout * layout, VhKernelParams * params)
{
  guint c = 0;
  CUdeviceptr data;

  if (!takes_packed (layout, params, 4))
    return FALSE;
  data = pixel_address (layout, params, c);
  if ((data | params->component[c].stride) % 4 != 0)
    return FALSE;

  params->component[0].data = data;
  return TRUE;
}

/* Vectors of 16 pixels begin at the start of a row, so that has to be
 * aligned. */
static gboolean
takes_packed3 (const VhLayout * layout, VhKernelParams * params)
{
  CUdeviceptr data;

  if (params->columns > 1 || !takes_packed (layout, params, 3))
    return FALSE;
  data = pixel_address (layout, params, 0);
  if ((data + params->x * 3) % 16 != 0 || params->component[0].stride % 16 != 0)
    return FALSE;

  params->component[0].data = data;
  return TRUE;
}

/* The kernels of lanecolumns.cu: which channels each counts of which frames,
 * and those of framecolumns.cu that do the same for whole frames. */
typedef struct
{
  VhCudaKernel kernel, frame_kernel;
  gboolean (*takes) (const VhLayout * layout, VhKernelParams * params);
  gboolean luma, rgb;           /* counts these; RGB alone, luma alone, or
                                 * both */
  guint tables;                 /* of 256 codes in COLUMNS in shared memory */
  guint pixel_bytes;
  guint vector_pixels;          /* pixels that a thread takes at a time */
} LaneColumns;

static const LaneColumns lane_columns[] = {
#define ROW(name, ...) \
  {VH_CUDA_KERNEL_##name, VH_CUDA_KERNEL_FRAME_##name, __VA_ARGS__}
  ROW (PLANES, takes_planes, TRUE, TRUE, 1, 1, 16),
  ROW (PAIRS, takes_pairs, TRUE, FALSE, 1, 2, 8),
  ROW (PACKED4_LUMA, takes_packed4, TRUE, FALSE, 1, 4, 4),
  ROW (PACKED4_RGB, takes_packed4, FALSE, TRUE, 2, 4, 4),
  ROW (PACKED4_BOTH, takes_packed4, TRUE, TRUE, 2, 4, 4),
  ROW (PACKED3_LUMA, takes_packed3, TRUE, FALSE, 1, 3, 16),
  ROW (PACKED3_RGB, takes_packed3, FALSE, TRUE, 2, 3, 16),
  ROW (PACKED3_BOTH, takes_packed3, TRUE, TRUE, 2, 3, 16),
#undef ROW
};

static gsize
max_shared (const VhCudaDevice * device)
{
  return device->shared_limit - VH_CUDA_FIXED_SHARED;
}

static guint
count_channels (const VhKernelParams * params)
{
  return __builtin_popcount (params->channels);
}

static guint64
count_pixels (const VhKernelParams * params)
{
  return (guint64) params->width * params->height;
}

/* As many blocks for each cell as have work for each thread, @samples of it,
 * but no more than @budget in all. */
static void
set_grid (const VhKernelParams * params, guint samples, guint budget,
    VhCudaLaunch * launch)
{
  const guint64 blocks = count_pixels (params) / launch->grid[2] /
      ((guint64) launch->threads * samples);

  budget = MAX (1, budget / (launch->grid[1] * launch->grid[2]));
  launch->grid[0] = CLAMP (blocks, 1, budget);
}

/* A method of counting: a row of the table below. */
typedef struct _Method Method;
struct _Method
{
  guint method;

  /* Whether it can count such a frame, and how: fills @launch, and what of
   * @params the kernel reads. Else @why says in a clause what is in the way. */
  gboolean (*prepare) (const Method * self, const VhCudaDevice * device,
      const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
      gchar ** why);
  guint instead;      /* can count what this cannot, or the
                                         * one instead of that, up to
                                         * REPLICATED, which can count all */

  /* For prepare_share() */
  VhCudaKernel kernel;
  guint threads;                /* of a block */
  guint blocks;                 /* for each multiprocessor, at most; 0: as many
                                 * as the samples take */
  guint samples;                /* for each thread, at least */
  gboolean (*fit) (const VhCudaDevice * device, VhKernelParams * params,
      VhCudaLaunch * launch, gchar ** why);
};

/* Starts the kernel of @row that counts whole frames, where it takes these. */
static gboolean
prepare_frame (const LaneColumns * row, const VhCudaDevice * device,
    const VhKernelParams * params, VhCudaLaunch * launch)
{
  const guint vector_bytes = row->pixel_bytes * row->vector_pixels;
  guint64 threads;
  guint budget;

  if (!vh_cuda_frames_fit (params, row->pixel_bytes, vector_bytes))
    return FALSE;

  launch->kernel = row->frame_kernel;
  if (launch->kernel == VH_CUDA_KERNEL_FRAME_PLANES && launch->grid[1] == 1)
    launch->kernel = VH_CUDA_KERNEL_FRAME_PLANE;
  launch->pixel_bytes = row->pixel_bytes;
  launch->vector_bytes = vector_bytes;
  launch->threads = device->max_threads[launch->kernel];
  threads = count_pixels (params) * FRAME_THREADS_PER_VECTOR /
      row->vector_pixels;
  budget = MIN (device->multiprocessors / launch->grid[1],
      VH_KERNEL_FRAME_BLOCKS);
  launch->grid[0] = CLAMP (threads / launch->threads, 1, MAX (1, budget));
  return TRUE;
}

static gboolean
prepare_lane_columns (const Method * self, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** why)
{
  const gboolean luma = (params->channels & LUMA) != 0;
  const gboolean rgb = (params->channels & RGB) != 0;
  guint budget, i;

  (void) self;
  for (i = 0; i < G_N_ELEMENTS (lane_columns); i++) {
    launch->shared = (gsize) lane_columns[i].tables * COLUMNS * CODES *
        sizeof (guint32);
    if ((lane_columns[i].luma || !luma) && (lane_columns[i].rgb || !rgb)
        && count_pixels (params) <= MAX_VECTOR_PIXELS
        && launch->shared <= max_shared (device)
        && lane_columns[i].takes (layout, params))
      break;
  }
  if (i == G_N_ELEMENTS (lane_columns)) {
    *why = g_strdup ("it takes luma of 8-bit YUV, and 8-bit RGB, packed or in "
        "planes");
    return FALSE;
  }

  launch->kernel = lane_columns[i].kernel;
  params->n_values = CODES;
  launch->threads = MIN (device->max_threads[launch->kernel],
      device->threads_per_multiprocessor / 2);
  launch->grid[1] = launch->kernel == VH_CUDA_KERNEL_PLANES ?
      count_channels (params) : 1;
  launch->grid[2] = params->columns * params->rows;

  budget = device->multiprocessors;
  if (count_pixels (params) * launch->grid[1] >= (guint64) BULK_VECTORS *
      budget * launch->threads * lane_columns[i].vector_pixels)
    budget *= 2;
  else if (prepare_frame (&lane_columns[i], device, params, launch))
    return TRUE;
  set_grid (params, lane_columns[i].vector_pixels, budget, launch);
  return TRUE;
}

/* How the samples of all channels lie that are counted: VH_KERNEL_ANY... */
static guint
choose_samples (const VhLayout * layout, VhKernelParams * params)
{
  const guint components = vh_channels_components (layout, params->channels);
  guint i;

  if (takes_planes (layout, params))
    return VH_KERNEL_BYTES;
  if (layout->big_endian || (layout->model == VH_MODEL_RGB ?
          params->channels & LUMA : params->channels & RGB))
    return VH_KERNEL_ANY;
  for (i = 0; i < layout->n_components; i++) {
    const VhKernelComponent *c = &params->component[i];

    if ((components & (1u << i)) && (c->pixel_stride != 2
            || c->sample_bytes != 2 || (c->data | c->stride) % 2 != 0))
      return VH_KERNEL_ANY;
  }
  return VH_KERNEL_WORDS;
}

/* Bytes that each of two blocks of a multiprocessor can have. */
static gsize
max_shared_of_two (const VhCudaDevice * device)
{
  return device->shared_limit / 2 - VH_CUDA_FIXED_SHARED;
}

/* Copies of counters of @table bytes that fit in shared memory, and are worth
 * it for as many pixels as a block counts; 0: not even one fits. */
static guint
choose_copies (const VhCudaDevice * device, const VhKernelParams * params,
    gsize table)
{
  const gsize room = MIN (REPLICATED_SHARED, max_shared_of_two (device));
  const guint64 cell = count_pixels (params) / (params->columns *
      params->rows);
  const guint64 pixels = MIN (cell, MAX (REPLICATED_BLOCK_PIXELS,
          count_pixels (params) / device->multiprocessors));
  guint copies = REPLICATED_MAX_COPIES;

  while (copies > 1 && table * copies >
      MIN (room, pixels * REPLICATED_PIXEL_SHARED))
    copies /= 2;
  return table * copies <= max_shared (device) ? copies : 0;
}

/* Where there are more bins than code values, these are counted, which the host
 * puts into bins. */
static void
set_values (VhKernelParams * params)
{
  params->bins = MIN (params->bins, 1u << params->depth);
  params->n_values = params->bins;
}

/* Samples in planes, a channel in each block. */
static void
prepare_replicated_planes (const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const guint vector_pixels = params->samples == VH_KERNEL_BYTES ? 16 : 8;
  guint budget = device->multiprocessors;

  launch->kernel = params->samples == VH_KERNEL_BYTES ?
      VH_CUDA_KERNEL_REPLICATED_BYTES : VH_CUDA_KERNEL_REPLICATED_WORDS;
  launch->threads = MIN (device->max_threads[launch->kernel],
      device->threads_per_multiprocessor / 2);
  launch->grid[1] = count_channels (params);
  if (launch->shared <= max_shared_of_two (device)
      && count_pixels (params) * launch->grid[1] >= (guint64) BULK_VECTORS *
      budget * launch->threads * vector_pixels)
    budget *= 2;
  set_grid (params, vector_pixels, budget, launch);
}

/* Any pixels, and all their channels in one block, or else one in each. */
static void
prepare_replicated_pixels (const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch)
{
  const gsize table = params->bins * sizeof (guint32);
  const guint n_channels = count_channels (params);
  guint tables = n_channels;

  params->copies = choose_copies (device, params, table * tables);
  if (params->copies == 0) {
    tables = 1;
    params->copies = choose_copies (device, params, table);
  }
  launch->kernel = VH_CUDA_KERNEL_REPLICATED_PIXELS;
  launch->shared = table * tables * params->copies;
  launch->threads = MIN (device->max_threads[launch->kernel],
      device->threads_per_multiprocessor / 2);
  launch->grid[1] = n_channels / tables;
  set_grid (params, REPLICATED_PIXELS, device->multiprocessors, launch);
}

static gboolean
prepare_replicated (const Method * self, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** why)
{
  (void) self;
  (void) why;
  set_values (params);
  params->samples = choose_samples (layout, params);
  params->copies = choose_copies (device, params,
      params->bins * sizeof (guint32));
  params->by_arrival = params->bins <= ARRIVAL_BINS;
  launch->shared = params->bins * params->copies * sizeof (guint32);
  launch->grid[2] = params->columns * params->rows;
  if (params->samples != VH_KERNEL_ANY && params->copies > 0
      && count_pixels (params) <= MAX_VECTOR_PIXELS)
    prepare_replicated_planes (device, params, launch);
  else
    prepare_replicated_pixels (device, params, launch);
  /* It is cleared 16 bytes at a time. */
  launch->shared = GST_ROUND_UP_16 (launch->shared);
  return TRUE;
}

static gboolean
prepare_packed_counters (const Method * self, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** why)
{
  (void) self;
  if (count_pixels (params) > MAX_VECTOR_PIXELS) {
    *why = g_strdup (TOO_MANY_PIXELS);
    return FALSE;
  }

  set_values (params);
  params->samples = choose_samples (layout, params);
  params->window = PACKED_MIN_WINDOW;
  while (params->window < params->bins)
    params->window *= 2;
  while (params->window * sizeof (guint16) > max_shared (device))
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
  launch->grid[1] = count_channels (params) *
      ((params->bins - 1) / params->window + 1);
  launch->grid[2] = params->columns * params->rows;
  set_grid (params, PACKED_SAMPLES, device->multiprocessors, launch);
  return TRUE;
}

/* The methods that count one channel at a time: see kernels/share.cuh. */
static gboolean
prepare_share (const Method * self, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** why)
{
  if (count_pixels (params) > MAX_VECTOR_PIXELS) {
    *why = g_strdup (TOO_MANY_PIXELS);
    return FALSE;
  }

  launch->kernel = self->kernel;
  params->samples = choose_samples (layout, params);
  params->n_values = params->bins;
  launch->threads = self->threads;
  launch->grid[1] = count_channels (params);
  launch->grid[2] = params->columns * params->rows;
  set_grid (params, self->samples, self->blocks ? self->blocks *
      device->multiprocessors : G_MAXINT32, launch);
  return self->fit (device, params, launch, why);
}

static gboolean
fit_nothing (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  (void) device;
  (void) params;
  (void) launch;
  (void) why;
  return TRUE;
}

/* One table of 32-bit counters in the shared memory of a block. */
static gboolean
fit_block_table (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  launch->shared = params->bins * sizeof (guint32);
  if (launch->shared <= max_shared (device))
    return TRUE;
  *why = g_strdup_printf ("its table of %u bins does not fit in the shared "
      "memory of a block of this GPU, which has room for %" G_GSIZE_FORMAT,
      params->bins, max_shared (device) / sizeof (guint32));
  return FALSE;
}

/* A block for as many samples as it has threads, but not where most of what it
 * did were to clear its table and to add it up. */
static gboolean
fit_block_scalar (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  if (!fit_block_table (device, params, launch, why))
    return FALSE;
  set_grid (params, MAX (1, params->bins / (MAX_BINS_PER_SAMPLE *
              launch->threads)), G_MAXINT32, launch);
  return TRUE;
}

/* A table for each block in scratch: as many as stay in half of the cache,
 * while the frame goes through the other half, but no fewer than keep the GPU
 * busy. */
static gboolean
fit_global_copies (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const gsize table = params->bins * sizeof (guint32);
  const guint copies = MAX (device->l2_cache / 2 / table,
      (guint) device->multiprocessors) / (launch->grid[1] * launch->grid[2]);

  (void) why;
  launch->grid[0] = CLAMP (copies, 1, launch->grid[0]);
  if (launch->grid[0] > 1)
    params->block_scratch = GST_ROUND_UP_N (table, SCRATCH_ALIGN);
  return TRUE;
}

/* A table in the shared memory of a block, and one in scratch with a ticket. */
static gboolean
fit_tree (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  if (!fit_block_table (device, params, launch, why))
    return FALSE;
  if (launch->grid[0] > 1)
    params->block_scratch = VH_KERNEL_TREE_TABLE + GST_ROUND_UP_N
        (params->bins * sizeof (guint32), SCRATCH_ALIGN);
  return TRUE;
}

/* Tables for as many warps as have room, of as many bins as leave room for a
 * few warps: the rule of Shams and Kennedy. */
static gboolean
fit_tagged_warps (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const guint room = max_shared (device) / sizeof (guint32);
  const guint widest = room / MIN_TAGGED_WARPS;
  const guint passes = (params->bins + widest - 1) / widest;

  (void) why;
  params->window = (params->bins + passes - 1) / passes;
  params->tables = MIN (launch->threads / WARP, room / params->window);
  launch->threads = params->tables * WARP;
  launch->shared = params->tables * params->window * sizeof (guint32);
  return TRUE;
}

/* The largest power of two, up to MAX_PACKED_BITS, of bits that packed counters
 * of @threads threads can have; 0: not even one. */
static guint
choose_packed_bits (const VhCudaDevice * device, guint bins, guint threads)
{
  const guint words = max_shared (device) / sizeof (guint32) / threads;
  guint bits = MAX_PACKED_BITS;

  while (bits > 0 && (bins + 32 / bits - 1) / (32 / bits) > words)
    bits /= 2;
  return bits;
}

/* Few threads have counters of many bits, many threads have few bits and so go
 * to memory more often: as many as have enough bits, and tables that are not
 * too large. */
static gboolean
fit_thread_tables (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const gsize room = THREAD_TABLES_SIZE / (launch->grid[1] * launch->grid[2]);
  const gsize table = params->bins * sizeof (guint32);
  guint bits = choose_packed_bits (device, params->bins, launch->threads);

  while (launch->threads > WARP
      && (bits < MIN_PACKED_BITS || launch->threads * table > room)) {
    launch->threads /= 2;
    bits = choose_packed_bits (device, params->bins, launch->threads);
  }
  if (bits == 0 || launch->threads * table > room) {
    *why = bits == 0 ? g_strdup_printf ("a bit of each of %u bins for %u "
        "threads is more than the shared memory of a block of this GPU holds",
        params->bins, launch->threads) :
        g_strdup_printf ("tables of %u bins for %u threads in each of %u cells "
        "and channels take more than %u MiB", params->bins, launch->threads,
        launch->grid[1] * launch->grid[2], THREAD_TABLES_SIZE >> 20);
    return FALSE;
  }

  params->counter_bits = bits;
  params->block_scratch = launch->threads * table;
  launch->shared = (gsize) (params->bins + 32 / bits - 1) / (32 / bits) *
      launch->threads * sizeof (guint32);
  launch->grid[0] = MIN (launch->grid[0], room / params->block_scratch);
  return TRUE;
}

/* A byte for each bin and thread, and a sum for each bin. */
static gboolean
fit_byte_counters (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  (void) device;
  launch->shared = params->bins * (launch->threads + sizeof (guint32));
  if (params->bins <= BYTE_COUNTER_BINS)
    return TRUE;
  *why = g_strdup_printf ("it takes up to %u bins", BYTE_COUNTER_BINS);
  return FALSE;
}

static gboolean
fit_warp_tables (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const gsize table = params->bins * sizeof (guint32);

  if (!fit_block_table (device, params, launch, why))
    return FALSE;
  params->tables = MIN (launch->threads / WARP, max_shared (device) / table);
  launch->threads = params->tables * WARP;
  launch->shared = params->tables * table;
  return TRUE;
}

/* A byte for each bin and thread, in words. */
static gboolean
fit_thread_bytes (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  (void) device;
  launch->shared = GST_ROUND_UP_4 (params->bins) * launch->threads;
  if (params->bins <= THREAD_BYTES_BINS)
    return TRUE;
  *why = g_strdup_printf ("it takes up to %u bins", THREAD_BYTES_BINS);
  return FALSE;
}

/* A tile of keys, as many places of runs, two sums for each warp. */
static gboolean
fit_radix_sort (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  (void) device;
  (void) params;
  (void) why;
  launch->shared = 2 * (launch->threads * VH_KERNEL_SORT_KEYS *
      sizeof (guint16) + WARP * sizeof (guint32));
  return TRUE;
}

/* A tile of keys, a sum for each warp, and what CUB takes. */
static gboolean
fit_block_sort (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  (void) device;
  (void) params;
  (void) why;
  launch->shared = launch->threads * VH_KERNEL_SORT_KEYS * sizeof (guint16) +
      WARP * sizeof (guint32) + VH_KERNEL_SORT_STORAGE;
  return TRUE;
}

/* The shorthands are for the table alone. */
#define METHOD(name) VH_METHOD_##name
#define KERNEL(name) VH_CUDA_KERNEL_##name

static const Method methods[] = {
  {METHOD (LANE_COLUMNS), prepare_lane_columns, METHOD (REPLICATED)},
  {METHOD (REPLICATED), prepare_replicated},
  {METHOD (PACKED_COUNTERS), prepare_packed_counters, METHOD (REPLICATED)},
  {METHOD (GLOBAL_ATOMICS), prepare_share, METHOD (REPLICATED),
      KERNEL (GLOBAL_ATOMICS), 256, 8, 1, fit_nothing},
  {METHOD (BLOCK_SCALAR), prepare_share, METHOD (GLOBAL_ATOMICS),
      KERNEL (BLOCK_SCALAR), 512, 0, 1, fit_block_scalar},
  {METHOD (BLOCK_VECTOR), prepare_share, METHOD (GLOBAL_ATOMICS),
      KERNEL (BLOCK_VECTOR), 512, 4, 16, fit_block_table},
  {METHOD (GLOBAL_COPIES), prepare_share, METHOD (REPLICATED),
      KERNEL (GLOBAL_COPIES), 512, 4, 4, fit_global_copies},
  {METHOD (COARSENED_CONTIGUOUS), prepare_share, METHOD (GLOBAL_COPIES),
      KERNEL (COARSENED_CONTIGUOUS), 256, 4, 16, fit_block_table},
  {METHOD (COARSENED_INTERLEAVED), prepare_share, METHOD (GLOBAL_COPIES),
      KERNEL (COARSENED_INTERLEAVED), 256, 4, 16, fit_block_table},
  {METHOD (RUN_AGGREGATION), prepare_share, METHOD (GLOBAL_COPIES),
      KERNEL (RUN_AGGREGATION), 512, 4, 16, fit_block_table},
  {METHOD (TREE_REDUCTION), prepare_share, METHOD (GLOBAL_COPIES),
      KERNEL (TREE_REDUCTION), 512, 2, 16, fit_tree},
  {METHOD (TAGGED_WARPS), prepare_share, METHOD (REPLICATED),
      KERNEL (TAGGED_WARPS), 1024, 2, 4, fit_tagged_warps},
  {METHOD (THREAD_TABLES), prepare_share, METHOD (TAGGED_WARPS),
      KERNEL (THREAD_TABLES), 256, 3, 64, fit_thread_tables},
  {METHOD (BYTE_COUNTERS), prepare_share, METHOD (THREAD_BYTES_PACKED),
      KERNEL (BYTE_COUNTERS), 256, 8, 64, fit_byte_counters},
  {METHOD (WARP_TABLES), prepare_share, METHOD (GLOBAL_COPIES),
      KERNEL (WARP_TABLES), 512, 4, 16, fit_warp_tables},
  {METHOD (THREAD_BYTES_ROW), prepare_share, METHOD (WARP_TABLES),
        KERNEL (THREAD_BYTES_ROW), VH_KERNEL_BYTE_THREADS, 12, 64,
      fit_thread_bytes},
  {METHOD (THREAD_BYTES_COLUMN), prepare_share, METHOD (WARP_TABLES),
        KERNEL (THREAD_BYTES_COLUMN), VH_KERNEL_BYTE_THREADS, 12, 64,
      fit_thread_bytes},
  {METHOD (THREAD_BYTES_PACKED), prepare_share, METHOD (WARP_TABLES),
        KERNEL (THREAD_BYTES_PACKED), VH_KERNEL_BYTE_THREADS, 12, 64,
      fit_thread_bytes},
  {METHOD (RADIX_SORT), prepare_share, METHOD (REPLICATED),
        KERNEL (RADIX_SORT), VH_KERNEL_SORT_THREADS, 8, VH_KERNEL_SORT_KEYS,
      fit_radix_sort},
  {METHOD (BLOCK_SORT), prepare_share, METHOD (RADIX_SORT),
        KERNEL (BLOCK_SORT), VH_KERNEL_SORT_THREADS, 4, VH_KERNEL_SORT_KEYS,
      fit_block_sort},
};

static const Method *
find_method (guint method)
{
  guint i;

  for (i = 0; methods[i].method != method; i++);
  return &methods[i];
}

static const gchar *
method_nick (guint method)
{
  static const gchar *const nicks[] = {
#define NICK(id, nick, description) [VH_METHOD_##id] = nick,
    VH_METHODS (NICK)
#undef NICK
  };

  return nicks[method];
}

/* What can count a frame that @row cannot. */
static guint
find_instead (const Method * row, const VhCudaDevice * device,
    const VhLayout * layout, const VhKernelParams * params)
{
  gboolean can;

  do {
    VhKernelParams copy = *params;
    VhCudaLaunch launch = { 0, };
    gchar *why = NULL;

    row = find_method (row->instead);
    can = row->prepare (row, device, layout, &copy, &launch, &why);
    g_free (why);
  } while (!can);
  return row->method;
}

static gchar *
describe_problem (const Method * row, const VhCudaDevice * device,
    const VhLayout * layout, const VhKernelParams * params, const gchar * why)
{
  return g_strdup_printf ("method=%s cannot count these frames: %s. "
      "method=%s can.", method_nick (row->method), why,
      method_nick (find_instead (row, device, layout, params)));
}

static gboolean
prepare (guint method, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** problem)
{
  const Method *row = find_method (method);
  const VhKernelParams before = *params;
  gchar *why = NULL;

  *launch = (VhCudaLaunch) { 0, };
  if (row->prepare (row, device, layout, params, launch, &why))
    return TRUE;
  *params = before;
  if (problem)
    *problem = describe_problem (row, device, layout, params, why);
  g_free (why);
  return FALSE;
}

gchar *
vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method,
    const VhKernelParams * params, const gchar * why)
{
  return describe_problem (find_method (method), device, layout, params, why);
}

/* What counts fastest: in shared memory, in as many copies as possible. */
static VhCudaLaunch
prepare_auto (const VhCudaDevice * device, const VhLayout * layout,
    VhKernelParams * params)
{
  const VhKernelParams before = *params;
  VhCudaLaunch launch;

  if (prepare (METHOD (LANE_COLUMNS), device, layout, params, &launch, NULL))
    return launch;
  prepare (METHOD (REPLICATED), device, layout, params, &launch, NULL);
  if (params->copies > 0)
    return launch;
  *params = before;
  if (!prepare (METHOD (PACKED_COUNTERS), device, layout, params, &launch,
          NULL))
    prepare (METHOD (REPLICATED), device, layout, params, &launch, NULL);
  return launch;
}

VhCudaLaunch
vh_cuda_choose_launch (const VhCudaDevice * device, const VhLayout * layout,
    guint method, VhKernelParams * params, gchar ** problem)
{
  /* Of those that were asked for, as the accumulators are. */
  const gboolean groups = vh_cuda_has_groups (vh_cuda_max_results (params));
  VhCudaLaunch launch;

  if (method == METHOD (AUTO)
      || !prepare (method, device, layout, params, &launch, problem))
    launch = prepare_auto (device, layout, params);

  params->n_results = params->n_values * count_channels (params) *
      params->columns * params->rows;
  params->grouped = groups && launch.grid[0] >= 2 * VH_KERNEL_GROUPS;
  params->n_blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  launch.scratch = params->block_scratch * params->n_blocks;
  return launch;
}
