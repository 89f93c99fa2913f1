/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches the kernels of joint histograms. */
#include "jointlaunch.h"
#include "launch.h"
#include "methods.h"

/* Each thread processes at least this many pixels. */
#define PIXELS 4

#define VECTOR 16               /* bytes */

/* Windows of results are multiples of this many. */
#define WINDOW 32

/* Whether rows from @data on consist of whole vectors. */
static gboolean
is_aligned (guint64 data, guint64 stride)
{
  return (data | stride) % VECTOR == 0;
}

/* Finds the samples of @component in the region; FALSE if they are not
 * bytes. */
static gboolean
find_vectors (const VhKernelParams * frame, const VhKernelComponent * component,
    guint64 * data, guint64 * stride)
{
  *data = component->data + (guint64) frame->y * component->stride +
      (guint64) frame->x * component->pixel_stride;
  *stride = component->stride;
  return component->sample_bytes == 1 && component->shift == 0
      && frame->depth == 8;
}

/* Finds the vectors of luma, and of the memory that it is counted against or
 * kept in. */
static void
find_luma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;

  params->samples = VH_PAIRS_ANY;
  params->a = params->against;
  params->a_stride = frame->width;
  params->row_vectors = frame->width / VECTOR;
  if (frame->model != VH_KERNEL_RGB && frame->component[0].pixel_stride == 1
      && frame->width % VECTOR == 0
      && find_vectors (frame, &frame->component[0], &params->b,
          &params->b_stride) && is_aligned (params->b, params->b_stride))
    params->samples = VH_PAIRS_PLANES;
}

/* The same for interleaved U and V, in words. */
static void
find_chroma_words (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;
  const VhKernelComponent *u = &frame->component[1];
  const VhKernelComponent *v = &frame->component[2];
  const VhKernelComponent *first = u->data < v->data ? u : v;

  params->samples = VH_PAIRS_ANY;
  params->row_vectors = frame->width * 4 / VECTOR;
  params->a = first->data + (guint64) frame->y * first->stride +
      (guint64) frame->x * 4;
  params->a_stride = first->stride;
  if (u->sample_bytes == 2 && u->pixel_stride == 4 && v->pixel_stride == 4
      && !frame->big_endian && MAX (u->data, v->data) == first->data + 2
      && frame->width * 4 % VECTOR == 0
      && is_aligned (params->a, params->a_stride)) {
    params->samples = first == u ? VH_PAIRS_WORDS : VH_PAIRS_SWAPPED_WORDS;
  }
}

static void
find_chroma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;
  const guint bytes = frame->component[1].pixel_stride;
  const guint row = frame->width * bytes;

  params->samples = VH_PAIRS_ANY;
  params->row_vectors = row / VECTOR;
  if (frame->model == VH_KERNEL_RGB)
    return;
  if (frame->depth > 8) {
    find_chroma_words (params);
    return;
  }
  if (!find_vectors (frame, &frame->component[1], &params->a,
          &params->a_stride)
      || !find_vectors (frame, &frame->component[2], &params->b,
          &params->b_stride) || row % VECTOR != 0)
    return;
  if (bytes == 1 && is_aligned (params->a, params->a_stride)
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_PLANES;
  } else if (bytes == 2 && params->b == params->a + 1
      && is_aligned (params->a, params->a_stride)) {
    params->samples = VH_PAIRS_INTERLEAVED;
  } else if (bytes == 2 && params->a == params->b + 1
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_SWAPPED;
    params->a = params->b;
  }
}

void
vh_cuda_joint_place_chroma (VhJointParams * params, const VhLayout * layout,
    const VhRect * region)
{
  const VhRect chroma = vh_chroma_region (layout, region);
  guint i;

  for (i = 1; i < 3; i++)
    params->frame.component[i].w_sub = params->frame.component[i].h_sub = 0;
  params->frame.x = chroma.x;
  params->frame.y = chroma.y;
  params->frame.width = chroma.width;
  params->frame.height = chroma.height;
  find_chroma_vectors (params);
}

/* Places what blocks need to add up results, after the accumulators: the same
 * number of sums of 16 bits, rounded up to four, and tickets. There is room for
 * that in vh_cuda_accumulator_size(). */
static void
place_sums (VhJointParams * params)
{
  const gsize results = GST_ROUND_UP_4 (params->frame.n_results);

  params->few = params->frame.accumulators + results * sizeof (guint32);
  params->tickets = params->few + results * sizeof (guint16);
}

/* The methods of src/cuda/methods.c that can also count pairs: as one value
 * with a bin for each pair. */
static const struct
{
  const VhCudaMethod *method;
  VhCudaKernel chroma, luma;
} pair_methods[VH_N_METHODS] = {
#define ROW(id) [VH_METHOD_##id] = {&vh_cuda_method_##id, \
    VH_CUDA_KERNEL_##id##_CHROMA, VH_CUDA_KERNEL_##id##_LUMA}
  ROW (TAGGED_WARPS),
  ROW (THREAD_TABLES),
#undef ROW
};

static VhCudaKernel
find_kernel (guint method, VhCudaJointWork work)
{
  const gboolean pairs = pair_methods[method].method != NULL;

  switch (work) {
    case VH_CUDA_JOINT_CHROMA:
      return pairs ? pair_methods[method].chroma : VH_CUDA_KERNEL_JOINT_CHROMA;
    case VH_CUDA_JOINT_LUMA:
      return pairs ? pair_methods[method].luma : VH_CUDA_KERNEL_JOINT_LUMA;
    default:
      return VH_CUDA_KERNEL_JOINT_KEEP;
  }
}

/* Finds how @method counts the pairs of @params. FALSE with @why if it
 * cannot. */
static gboolean
fit_method (const VhCudaDevice * device, guint method, VhCudaKernel kernel,
    VhJointParams * params, VhCudaLaunch * launch, gchar ** why)
{
  const VhCudaMethod *self = pair_methods[method].method;
  VhKernelParams frame = params->frame;

  if (!vh_cuda_check_pixels (&frame, why))
    return FALSE;
  *launch = (VhCudaLaunch) {.kernel = kernel,.grid = {1, 1, 1},
    .threads = self->threads
  };
  /* The maximum is unknown for a kernel that is not loaded. */
  if (device->max_threads[kernel] > 0)
    launch->threads = MIN (launch->threads, device->max_threads[kernel]);
  vh_cuda_set_grid (&frame, self->samples, self->blocks *
      device->multiprocessors, launch);
  frame.bins = frame.window = frame.n_results;
  if (!self->fit (device, &frame, launch, why))
    return FALSE;

  frame.bins = params->frame.bins;
  frame.n_blocks = launch->grid[0];
  params->frame = frame;
  return TRUE;
}

/* How joint.cu counts the pairs of @params. Results are split into windows that
 * fit in shared memory, and each window has its own blocks. */
static void
fit_windows (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params, VhCudaLaunch * launch)
{
  const guint64 pixels = (guint64) params->frame.width * params->frame.height;
  const gsize room = device->shared_limit - VH_KERNEL_FIXED_SHARED;
  /* Leaves room for WINDOW unused words after a window, to which the kernel
   * counts the pairs of other windows. */
  const guint most = (room / sizeof (guint32) / WINDOW - 1) * WINDOW;
  const guint results = GST_ROUND_UP_N (params->frame.n_results, WINDOW);
  guint blocks = device->multiprocessors;

  *launch = (VhCudaLaunch) {.kernel = kernel,.grid = {1, 1, 1} };
  launch->threads = MIN (device->max_threads[kernel], 1024);
  if (kernel != VH_CUDA_KERNEL_JOINT_KEEP) {
    launch->grid[1] = (results + most - 1) / most;
    params->frame.window = GST_ROUND_UP_N ((results + launch->grid[1] - 1) /
        launch->grid[1], WINDOW);
    launch->shared = (params->frame.window + WINDOW) * sizeof (guint32);
  }
  if (launch->shared <= room / 2)
    blocks *= MAX (device->threads_per_multiprocessor / launch->threads, 1);
  launch->grid[0] = CLAMP (pixels / (launch->threads *
          (params->samples == VH_PAIRS_ANY ? PIXELS : VECTOR)), 1,
      MAX (blocks / launch->grid[1], 1));
  params->most_of_few = G_MAXUINT16 / launch->grid[0];
  params->frame.n_blocks = launch->grid[0] * launch->grid[1];
}

CUresult
vh_cuda_joint_load (VhCudaDevice * device, guint method)
{
  const VhCudaKernel kernels[] = {
    find_kernel (method, VH_CUDA_JOINT_CHROMA),
    find_kernel (method, VH_CUDA_JOINT_LUMA), VH_CUDA_KERNEL_JOINT_KEEP
  };

  return vh_cuda_device_load_all (device, kernels, G_N_ELEMENTS (kernels));
}

guint
vh_cuda_joint_choose_method (const VhCudaDevice * device, guint method,
    const VhKernelParams * params, guint bins, gsize * scratch,
    gchar ** problem)
{
  VhJointParams pairs = {.frame = *params };
  VhCudaLaunch launch;
  gchar *why = NULL;

  *scratch = 0;
  if (!pair_methods[method].method)
    return VH_METHOD_AUTO;
  /* The largest frames need the most scratch. */
  pairs.frame.width = pairs.frame.height = 1 << 15;
  pairs.frame.bins = bins;
  pairs.frame.n_results = bins * bins;
  if (fit_method (device, method, pair_methods[method].luma, &pairs, &launch,
          &why)) {
    *scratch = pairs.frame.block_scratch * launch.grid[0];
    return method;
  }
  *problem = g_strdup_printf ("method=%s cannot count joint histograms of "
      "%u x %u bins: %s. method=%s can.", vh_method_nick (method), bins, bins,
      why, vh_method_nick (pair_methods[method].method->instead));
  g_free (why);
  return VH_METHOD_AUTO;
}

/* Chooses how @method does @work. Returns whether that takes several passes
 * over the frame. */
static gboolean
choose_launch (const VhCudaDevice * device, guint method,
    VhCudaJointWork work, VhJointParams * params, VhCudaLaunch * launch)
{
  if (work != VH_CUDA_JOINT_KEEP && pair_methods[method].method
      && fit_method (device, method, find_kernel (method, work), params,
          launch, NULL))
    return params->frame.window < params->frame.n_results;
  fit_windows (device, find_kernel (VH_METHOD_AUTO, work), params, launch);
  return launch->grid[1] > 1;
}

CUresult
vh_cuda_joint_launch (const VhCudaDevice * device, guint method,
    VhCudaJointWork work, VhJointParams * params, CUstream stream)
{
  const guint64 keep = params->keep;
  VhCudaLaunch launch;
  gboolean passes;
  CUresult result;

  place_sums (params);
  if (work != VH_CUDA_JOINT_CHROMA)
    find_luma_vectors (params);
  passes = choose_launch (device, method, work, params, &launch);
  if (work != VH_CUDA_JOINT_LUMA || keep != params->against || !passes)
    return vh_cuda_launch_kernel (device, &launch, params, stream);

  /* If luma replaces the luma that it is counted against, it is kept after all
   * passes. */
  params->keep = 0;
  result = vh_cuda_launch_kernel (device, &launch, params, stream);
  params->keep = keep;
  return result == CUDA_SUCCESS ? vh_cuda_joint_launch (device, method,
      VH_CUDA_JOINT_KEEP, params, stream) : result;
}
