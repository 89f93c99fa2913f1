/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The published methods, each with one kernel that counts one channel at a
 * time: what it can count, and how its kernel is launched. */
#include "methods.h"
#include "core/channels.h"

#define LUMA (1u << VH_CHANNEL_LUMA)
#define RGB (VH_ALL_CHANNELS & ~LUMA)

/* The minimum number of warps that count, even if one pass could count more
 * bins with fewer warps. */
#define MIN_TAGGED_WARPS 3

/* Bits of packed counters. More than MAX gain little and take room from other
 * blocks. */
#define MIN_PACKED_BITS 4
#define MAX_PACKED_BITS 8

#define BYTE_COUNTER_BINS 64u
#define THREAD_BYTES_BINS (4u * VH_KERNEL_BYTE_THREADS)

/* A block with more bins than this for each of its samples spends most of its
 * time clearing its table and adding it up. */
#define MAX_BINS_PER_SAMPLE 8

/* Tables in scratch start on separate cache lines. */
#define SCRATCH_ALIGN 128

gsize
vh_cuda_max_shared (const VhCudaDevice * device)
{
  return device->shared_limit - VH_KERNEL_FIXED_SHARED;
}

guint
vh_cuda_count_channels (const VhKernelParams * params)
{
  return __builtin_popcount (params->channels);
}

guint64
vh_cuda_count_pixels (const VhKernelParams * params)
{
  return (guint64) params->width * params->height;
}

gboolean
vh_cuda_refuse (gchar ** why, const gchar * format, ...)
{
  va_list arguments;

  if (why) {
    va_start (arguments, format);
    *why = g_strdup_vprintf (format, arguments);
    va_end (arguments);
  }
  return FALSE;
}

gboolean
vh_cuda_check_pixels (const VhKernelParams * params, gchar ** why)
{
  return vh_cuda_count_pixels (params) <= VH_CUDA_MAX_VECTOR_PIXELS
      || vh_cuda_refuse (why, "it supports frames of up to 2^30 pixels");
}

void
vh_cuda_set_grid (const VhKernelParams * params, guint samples, guint budget,
    VhCudaLaunch * launch)
{
  const guint64 blocks = vh_cuda_count_pixels (params) / launch->grid[2] /
      ((guint64) launch->threads * samples);

  budget = MAX (1, budget / (launch->grid[1] * launch->grid[2]));
  launch->grid[0] = CLAMP (blocks, 1, budget);
}

gboolean
vh_cuda_takes_planes (const VhLayout * layout, VhKernelParams * params)
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

guint
vh_cuda_choose_samples (const VhLayout * layout, VhKernelParams * params)
{
  const guint components = vh_channels_components (layout, params->channels);
  guint i;

  if (vh_cuda_takes_planes (layout, params))
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

/* Prepares the methods that count one channel at a time: see
 * kernels/share.cuh. */
static gboolean
prepare_share (const VhCudaMethod * self, const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
    gchar ** why)
{
  if (!vh_cuda_check_pixels (params, why))
    return FALSE;

  launch->kernel = self->kernel;
  params->samples = vh_cuda_choose_samples (layout, params);
  params->n_values = params->bins;
  launch->threads = self->threads;
  /* The maximum is unknown for a kernel that could not be loaded. */
  if (device->max_threads[self->kernel] > 0)
    launch->threads = MIN (launch->threads, device->max_threads[self->kernel]);
  launch->grid[1] = vh_cuda_count_channels (params);
  launch->grid[2] = params->columns * params->rows;
  vh_cuda_set_grid (params, self->samples, self->blocks ? self->blocks *
      device->multiprocessors : G_MAXINT32, launch);
  return self->fit (device, params, launch, why);
}

static gboolean
fit_nothing (G_GNUC_UNUSED const VhCudaDevice * device,
    G_GNUC_UNUSED VhKernelParams * params, G_GNUC_UNUSED VhCudaLaunch * launch,
    G_GNUC_UNUSED gchar ** why)
{
  return TRUE;
}

/* One table of 32-bit counters in the shared memory of a block. */
static gboolean
fit_block_table (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  launch->shared = params->bins * sizeof (guint32);
  return launch->shared <= vh_cuda_max_shared (device)
      || vh_cuda_refuse (why, "its table of %u bins does not fit in the shared "
      "memory of a block on this GPU, which has room for %" G_GSIZE_FORMAT,
      params->bins, vh_cuda_max_shared (device) / sizeof (guint32));
}

/* A block counts as many samples as it has threads, or more if it would
 * otherwise spend most of its time clearing its table and adding it up. */
static gboolean
fit_block_scalar (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  if (!fit_block_table (device, params, launch, why))
    return FALSE;
  vh_cuda_set_grid (params, MAX (1, params->bins / (MAX_BINS_PER_SAMPLE *
              launch->threads)), G_MAXINT32, launch);
  return TRUE;
}

/* A table per block in scratch: as many as fit in half of the cache, because
 * the frame passes through the other half, but enough to keep the GPU busy. */
static gboolean
fit_global_copies (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, G_GNUC_UNUSED gchar ** why)
{
  const gsize table = params->bins * sizeof (guint32);
  const guint copies = MAX (device->l2_cache / 2 / table,
      (guint) device->multiprocessors) / (launch->grid[1] * launch->grid[2]);

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

/* Limits the bins of a pass so that tables for a few warps fit, and uses as
 * many warps as fit: the rule of Shams and Kennedy. */
static gboolean
fit_tagged_warps (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, G_GNUC_UNUSED gchar ** why)
{
  const guint room = vh_cuda_max_shared (device) / sizeof (guint32);
  const guint widest = room / MIN_TAGGED_WARPS;
  const guint passes = (params->bins + widest - 1) / widest;

  params->window = (params->bins + passes - 1) / passes;
  params->tables = MIN (launch->threads / VH_CUDA_WARP, room / params->window);
  launch->threads = params->tables * VH_CUDA_WARP;
  launch->shared = params->tables * params->window * sizeof (guint32);
  return TRUE;
}

/* How many bits the packed counters of @threads threads can have: a power of
 * two, up to MAX_PACKED_BITS; 0: not even one. */
static guint
choose_packed_bits (const VhCudaDevice * device, guint bins, guint threads)
{
  const guint words = vh_cuda_max_shared (device) / sizeof (guint32) / threads;
  guint bits = MAX_PACKED_BITS;

  while (bits > 0 && (bins + 32 / bits - 1) / (32 / bits) > words)
    bits /= 2;
  return bits;
}

/* With fewer threads the counters have more bits, and are moved to memory less
 * often. Uses the most threads that leave enough bits, and have tables that are
 * not too large. */
static gboolean
fit_thread_tables (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const gsize room = device->scratch_limit / (launch->grid[1] *
      launch->grid[2]);
  const gsize table = params->bins * sizeof (guint32);
  guint bits = choose_packed_bits (device, params->bins, launch->threads);

  while (launch->threads > VH_CUDA_WARP
      && (bits < MIN_PACKED_BITS || launch->threads * table > room)) {
    launch->threads /= 2;
    bits = choose_packed_bits (device, params->bins, launch->threads);
  }
  if (bits == 0)
    return vh_cuda_refuse (why, "one bit per bin for %u bins and %u threads "
        "does not fit in the shared memory of a block on this GPU",
        params->bins, launch->threads);
  if (launch->threads * table > room)
    return vh_cuda_refuse (why, "tables of %u bins for %u threads in each of "
        "%u cells and channels need more than %" G_GSIZE_FORMAT " MiB",
        params->bins, launch->threads, launch->grid[1] * launch->grid[2],
        device->scratch_limit >> 20);

  params->counter_bits = bits;
  params->block_scratch = launch->threads * table;
  launch->shared = (gsize) (params->bins + 32 / bits - 1) / (32 / bits) *
      launch->threads * sizeof (guint32);
  launch->grid[0] = MIN (launch->grid[0], room / params->block_scratch);
  return TRUE;
}

/* A byte for each bin and thread, and a sum for each bin. */
static gboolean
fit_byte_counters (G_GNUC_UNUSED const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch, gchar ** why)
{
  launch->shared = params->bins * (launch->threads + sizeof (guint32));
  return params->bins <= BYTE_COUNTER_BINS
      || vh_cuda_refuse (why, "it supports up to %u bins", BYTE_COUNTER_BINS);
}

static gboolean
fit_warp_tables (const VhCudaDevice * device, VhKernelParams * params,
    VhCudaLaunch * launch, gchar ** why)
{
  const gsize table = params->bins * sizeof (guint32);

  if (!fit_block_table (device, params, launch, why))
    return FALSE;
  params->tables = MIN (launch->threads / VH_CUDA_WARP,
      vh_cuda_max_shared (device) / table);
  launch->threads = params->tables * VH_CUDA_WARP;
  launch->shared = params->tables * table;
  return TRUE;
}

/* A byte for each bin and thread, rounded up to words. */
static gboolean
fit_thread_bytes (G_GNUC_UNUSED const VhCudaDevice * device,
    VhKernelParams * params, VhCudaLaunch * launch, gchar ** why)
{
  launch->shared = GST_ROUND_UP_4 (params->bins) * launch->threads;
  return params->bins <= THREAD_BYTES_BINS
      || vh_cuda_refuse (why, "it supports up to %u bins", THREAD_BYTES_BINS);
}

/* Shared memory for a vector of 16 bytes and a tile of keys, the positions of
 * as many runs, and two sums per warp. */
static gboolean
fit_radix_sort (G_GNUC_UNUSED const VhCudaDevice * device,
    G_GNUC_UNUSED VhKernelParams * params, VhCudaLaunch * launch,
    G_GNUC_UNUSED gchar ** why)
{
  launch->shared = 16 + 2 * (launch->threads * VH_KERNEL_SORT_KEYS *
      sizeof (guint16) + VH_CUDA_WARP * sizeof (guint32));
  return TRUE;
}

/* Shared memory for a tile of keys, a sum per warp, and CUB's own use. */
static gboolean
fit_block_sort (G_GNUC_UNUSED const VhCudaDevice * device,
    G_GNUC_UNUSED VhKernelParams * params, VhCudaLaunch * launch,
    G_GNUC_UNUSED gchar ** why)
{
  launch->shared = launch->threads * VH_KERNEL_SORT_KEYS * sizeof (guint16) +
      VH_CUDA_WARP * sizeof (guint32) + VH_KERNEL_SORT_STORAGE;
  return TRUE;
}

#define K(id, module, name, other, n_threads, n_blocks, n_samples, rest) \
  const VhCudaMethod vh_cuda_method_##id = { \
    .prepare = prepare_share, \
    .instead = VH_METHOD_##other, \
    .kernel = VH_CUDA_KERNEL_##id, \
    .threads = n_threads, \
    .blocks = n_blocks, \
    .samples = n_samples, \
    .fit = fit_##rest, \
  };
/* *INDENT-OFF* */
VH_CUDA_METHOD_KERNELS (K)
/* *INDENT-ON* */
#undef K
