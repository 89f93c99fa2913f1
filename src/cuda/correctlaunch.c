/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches the kernels that apply curves to frames. */
#include "correctlaunch.h"

#define VECTOR 16               /* bytes of luma per thread */
#define CODES 256

#define BLOCKS 2                /* per multiprocessor */
#define MIN_THREADS 128         /* per block */

/* The kernel that processes frames as vectors. */
typedef struct
{
  VhCudaKernel kernel;          /* EQUALIZE_ANY: no kernel does */
  guint vector_blocks;          /* blocks in a row of a vector */
  guint planes;                 /* that it writes, a bit each */
  guint pixel_bytes;
} Way;

/* Whether the rows of component @i are aligned to @align bytes, in @in and in
 * @out, once @offset is subtracted. */
static gboolean
is_aligned (const VhKernelEqualize * p, guint i, guint offset, guint align)
{
  return ((p->frame.component[i].data - offset) | p->frame.component[i].stride
      | (p->out[i].data - offset) | p->out[i].stride) % align == 0;
}

/* Whether U and V are laid out as the kernels for planes require, in samples of
 * @bytes; sets @shape, in the order of the kernels. */
static gboolean
find_chroma (const VhLayout * layout, VhKernelEqualize * p, guint bytes,
    guint * shape)
{
  const VhComponent *u = &layout->component[1], *v = &layout->component[2];
  const guint first = MIN (u->offset, v->offset);

  if (u->w_sub > 1 || u->h_sub > u->w_sub || u->shift != p->frame.component[0]
      .shift)
    return FALSE;
  *shape = u->h_sub ? 1 : u->w_sub ? 2 : 3;
  p->planar = u->plane != v->plane;
  if (p->planar) {
    const guint align = u->w_sub ? VECTOR / 2 : VECTOR;

    return u->pixel_stride == bytes && v->pixel_stride == bytes
        && is_aligned (p, 1, 0, align) && is_aligned (p, 2, 0, align);
  }
  return u->w_sub && u->pixel_stride == 2 * bytes && first == 0
      && u->offset + v->offset == bytes && is_aligned (p, 1, u->offset, VECTOR);
}

static gboolean
find_planes (const VhLayout * layout, VhKernelEqualize * p, Way * way)
{
  const VhComponent *luma = &layout->component[0];
  const guint bytes = luma->sample_bytes;
  guint shape = 0, i;

  if (layout->model == VH_MODEL_RGB || bytes > 2 || layout->big_endian
      || luma->pixel_stride != bytes || luma->offset != 0
      || !is_aligned (p, 0, 0, VECTOR))
    return FALSE;
  way->planes = 1u << luma->plane;
  if (layout->model == VH_MODEL_YUV && p->color != VH_COLOR_KEEP) {
    if (!find_chroma (layout, p, bytes, &shape))
      return FALSE;
    for (i = 1; i < 3; i++)
      way->planes |= 1u << layout->component[i].plane;
  }
  way->kernel = VH_CUDA_KERNEL_EQUALIZE_LUMA8 + 2 * (4 * (bytes - 1) + shape);
  way->pixel_bytes = bytes;
  way->vector_blocks = VECTOR / bytes >> (shape == 1 || shape == 2);
  return TRUE;
}

/* Fills the parameters that the kernels for packed pixels read. */
static gboolean
find_packed (const VhLayout * layout, VhKernelEqualize * p, Way * way)
{
  const VhComponent *c = layout->component;
  const guint bytes = c[0].pixel_stride;
  const guint first = MIN (c[0].offset, c[2].offset);
  guint i;

  if (layout->model != VH_MODEL_RGB || layout->depth != 8 || c[0].shift != 0
      || c[0].sample_bytes != 1 || bytes < 3 || bytes > 4
      || c[1].offset != first + 1 || MAX (c[0].offset, c[2].offset) != first + 2
      || c[0].plane != c[1].plane || c[0].plane != c[2].plane
      || !is_aligned (p, 0, c[0].offset, VECTOR))
    return FALSE;
  p->frame.byte_shift = first * 8;
  for (i = 0; i < 3; i++)
    p->frame.byte_weight[c[i].offset - first] = p->frame.weight[i];
  way->kernel = bytes == 4 ? VH_CUDA_KERNEL_EQUALIZE_PACKED4 :
      VH_CUDA_KERNEL_EQUALIZE_PACKED3;
  way->planes = 1u << c[0].plane;
  way->pixel_bytes = bytes;
  way->vector_blocks = bytes == 4 ? 4 : 16;
  return TRUE;
}

static Way
find_way (const VhLayout * layout, VhKernelEqualize * p)
{
  Way way = {.kernel = VH_CUDA_KERNEL_EQUALIZE_ANY };

  if (!find_planes (layout, p, &way) && !find_packed (layout, p, &way))
    way.kernel = VH_CUDA_KERNEL_EQUALIZE_ANY;
  return way;
}

/* How many centres of @tiles are before a pixel at @position. */
static guint
get_span (guint position, guint tiles, gfloat inverse)
{
  guint first, second;

  /* Both are the same before the first and after the last centre. */
  vh_curve_between (position, inverse, tiles, &first, &second);
  if (first != second)
    return second;
  return VH_FADD (VH_FMUL ((gfloat) position, inverse), -0.5f) < 0 ? 0 : tiles;
}

/* The first of @size pixels after the centre of tile @tile - 1 of @tiles, as in
 * vh_curve_between(). */
static guint
find_middle (guint tile, guint tiles, guint size, gfloat inverse)
{
  guint position = (guint64) (2 * tile - 1) * size / (2 * tiles);

  while (position > 0 && get_span (position - 1, tiles, inverse) >= tile)
    position--;
  while (position < size && get_span (position, tiles, inverse) < tile)
    position++;
  return position;
}

/* Fills @spans with the part of @size pixels from @first on that consists of
 * whole vectors of @vector blocks; a block has 2^@sub pixels. */
static void
set_spans (VhKernelSpans * spans, guint first, guint size, guint sub,
    guint vector, gboolean clahe, guint tiles, gfloat inverse)
{
  const guint end = ((first + size - 1) >> sub) + 1;
  const guint step = vector << sub;     /* pixels */
  guint last = first >> sub, i;

  spans->n = clahe ? tiles + 1 : 1;
  spans->gap = 0;
  for (i = 0; i < spans->n; i++) {
    const guint start = i == 0 ? 0 : find_middle (i, tiles, size, inverse);
    const guint stop = i == spans->n - 1 ? size :
        find_middle (i + 1, tiles, size, inverse);
    const guint from = (first + start + step - 1) / step * vector;
    const guint to = (first + stop) / step * vector;

    spans->from[i] = spans->to[i] = last;
    if (from < to) {
      spans->from[i] = from;
      spans->to[i] = to;
    }
    spans->gap = MAX (spans->gap, spans->from[i] - last);
    last = spans->to[i];
  }
  spans->gap = MAX (spans->gap, end - last);
}

/* Bytes of shared memory that the curve needs. */
static gsize
get_table_size (const VhKernelEqualize * p, const Way * way)
{
  const gsize bins = p->curve.bins;
  const gboolean clahe = p->curve.method == VH_CURVE_CLAHE;

  if (way->kernel == VH_CUDA_KERNEL_EQUALIZE_ANY)
    return 0;
  if (p->frame.depth == 8)
    return CODES * 32 * sizeof (guint32);
  if (p->frame.depth > VH_CURVE_DEPTH)
    return (bins + 1) * sizeof (guint32) * (clahe ? 4 : 1);
  return bins * (clahe ? 4 * sizeof (guint16) : sizeof (guint32));
}

/* Fills @launch for CLAHE, for @vectors in total, with at most @most blocks of
 * threads at a time. Tiles are halved in both directions. If the GPU has room
 * for a block for each of these parts, each part gets its own: parts differ by
 * at most a vector, so that all blocks end together. With more tiles, a block
 * processes a span. */
static void
set_clahe_grid (VhKernelEqualize * p, VhCudaLaunch * launch, guint64 vectors,
    guint most)
{
  const guint halves = 4 * p->curve.columns * p->curve.rows;

  p->halves = halves <= most;
  launch->grid[1] = p->halves ? halves : p->x.n * p->y.n;
  launch->grid[0] = MAX (1, most / launch->grid[1]);
  vectors /= launch->grid[0] * launch->grid[1];
  while (launch->threads > MIN_THREADS && vectors * 4 / 3 < launch->threads)
    launch->threads /= 2;
}

/* Launches a thread for each pixel in a gap, if the GPU has room for that
 * many. */
static CUresult
launch_rest (VhCudaDevice * device, VhKernelEqualize * p, guint pixels,
    guint most, CUstream stream)
{
  const guint64 columns = (p->x.n + 1) * p->x.gap;
  const guint64 rows = (p->y.n + 1) * p->y.gap;
  const guint64 blocks = columns * (p->end_y - p->first_y) +
      rows * (p->end_x - p->first_x);
  const guint threads = VH_KERNEL_EQUALIZE_THREADS / 2;
  VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_EQUALIZE_REST,
    .grid = {CLAMP (blocks * pixels / threads + 1, 1, 2 * most), 1, 1},
    .threads = threads,
  };
  CUresult result = vh_cuda_load_and_launch (device, &launch, p, stream);

  /* A partly corrected frame is worse than an uncorrected one, so this corrects
   * it again with the generic kernel. */
  launch.in_order = TRUE;
  if (result != CUDA_SUCCESS
      && vh_cuda_failure (result) != VH_CUDA_FAILURE_LOST)
    result = vh_cuda_launch_kernel (device, &launch, p, stream);
  return result;
}

/* Corrects the blocks in whole vectors with one kernel and the rest with a
 * second kernel, or everything with the second. */
static CUresult
launch_correction (VhCudaDevice * device, VhKernelEqualize * p,
    const Way * way, guint w_sub, guint h_sub, gsize shared, CUstream stream)
{
  const gboolean clahe = p->curve.method == VH_CURVE_CLAHE;
  const guint threads = VH_KERNEL_EQUALIZE_THREADS;
  const guint most = device->multiprocessors * BLOCKS;
  const guint64 blocks = (guint64) (p->end_x - p->first_x) *
      (p->end_y - p->first_y);
  VhCudaLaunch launch = {
    .kernel = way->kernel,
    .grid = {CLAMP (blocks / threads, 1, most), 1, 1},
    .threads = threads,
    .shared = shared,
  };
  guint64 vectors;
  CUresult result;

  if (way->kernel == VH_CUDA_KERNEL_EQUALIZE_ANY)
    return vh_cuda_load_and_launch (device, &launch, p, stream);

  set_spans (&p->x, p->frame.x, p->frame.width, w_sub, way->vector_blocks,
      clahe, p->curve.columns, p->x_inverse);
  set_spans (&p->y, p->frame.y, p->frame.height, h_sub, 1, clahe,
      p->curve.rows, p->y_inverse);
  p->has_rest = p->x.gap + p->y.gap > 0;
  vectors = blocks / way->vector_blocks;
  launch.grid[0] = CLAMP ((vectors + threads - 1) / threads, 1, most);
  if (clahe) {
    launch.kernel++;
    set_clahe_grid (p, &launch, vectors, most);
  }
  result = vh_cuda_load_and_launch (device, &launch, p, stream);
  if (result == CUDA_SUCCESS && p->has_rest)
    result = launch_rest (device, p, 1 << (w_sub + h_sub), most, stream);
  return result;
}

/* Copies @planes to @out as vh_frame_view_copy() does. */
static CUresult
copy_planes (VhCudaDevice * device, const VhCudaPlanes * in,
    const VhCudaPlanes * out, guint planes, CUstream stream)
{
  CUresult result = CUDA_SUCCESS;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES && result == CUDA_SUCCESS; p++) {
    CUDA_MEMCPY2D copy = {
      .srcMemoryType = CU_MEMORYTYPE_DEVICE,
      .srcPitch = in->stride[p],
      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
      .dstPitch = out->stride[p],
    };
    VhRect from, to;

    if (!(in->view->planes & out->view->planes & planes & (1u << p)))
      continue;
    vh_frame_view_match (out->view, in->view, p, &to, &from);
    copy.srcDevice = in->data[p];
    copy.srcXInBytes = from.x;
    copy.srcY = from.y;
    copy.dstDevice = out->data[p];
    copy.dstXInBytes = to.x;
    copy.dstY = to.y;
    copy.WidthInBytes = from.width;
    copy.Height = from.height;
    result = device->driver->Memcpy2DAsync (&copy, stream);
  }
  return result;
}

/* Whether @region fills those planes of @view that the kernel writes. */
static gboolean
is_whole (const VhFrameView * view, const VhRect * region, const Way * way)
{
  const VhPlane *plane = &view->plane[view->layout->component[0].plane];

  return region->x == 0 && region->y == 0 && region->height == plane->rows
      && (gsize) region->width * way->pixel_bytes == plane->row_bytes;
}

CUresult
vh_cuda_correct_launch (VhCudaDevice * device, const VhKernelParams * params,
    const VhCudaPlanes * in, const VhCudaPlanes * out,
    const VhEqualizeJob * job, CUdeviceptr levels, CUdeviceptr state,
    CUstream stream)
{
  const VhLayout *layout = in->view->layout;
  const VhRect from = vh_equalize_region (job, in->view);
  const VhRect into = vh_equalize_region (job, out->view);
  const gboolean colored = layout->model == VH_MODEL_YUV
      && job->color != VH_COLOR_KEEP;
  const guint w_sub = colored ? layout->component[1].w_sub : 0;
  const guint h_sub = colored ? layout->component[1].h_sub : 0;
  VhKernelParams to = *params;
  VhKernelEqualize p = {
    .frame = *params,
    .curve = job->curve,
    .levels = levels,
    .state = state,
    .color = job->color,
    .black = job->black,
    .white = job->white,
    .chroma_limit = job->chroma_limit,
    .edges = job->edges,
    .x_inverse = (gfloat) job->curve.columns / (gfloat) from.width,
    .y_inverse = (gfloat) job->curve.rows / (gfloat) from.height,
  };
  CUresult result = CUDA_SUCCESS;
  gboolean direct;
  gsize shared;
  Way way;

  vh_cuda_params_set_frame (&p.frame, in, &from);
  vh_cuda_params_set_frame (&to, out, &into);
  memcpy (p.out, to.component, sizeof (p.out));
  p.in_place = in->view == out->view;

  way = find_way (layout, &p);
  shared = get_table_size (&p, &way);
  if (shared + VH_KERNEL_FIXED_SHARED > device->shared_limit)
    way.kernel = VH_CUDA_KERNEL_EQUALIZE_ANY;

  /* Copies first what the kernels do not write. For packed pixels, the kernel
   * for the pixels outside vectors does not write alpha. */
  direct = !p.in_place && way.kernel != VH_CUDA_KERNEL_EQUALIZE_ANY
      && is_whole (in->view, &from, &way) && is_whole (out->view, &into, &way)
      && (layout->model != VH_MODEL_RGB
      || (job->curve.method != VH_CURVE_CLAHE
          && from.width % way.vector_blocks == 0));
  if (!p.in_place)
    result = copy_planes (device, in, out, direct ? ~way.planes : ~0u, stream);
  if (!direct && !p.in_place) {
    memcpy (p.frame.component, p.out, sizeof (p.out));
    p.frame.x = into.x;
    p.frame.y = into.y;
    p.in_place = TRUE;
  }

  p.first_x = p.frame.x >> w_sub;
  p.first_y = p.frame.y >> h_sub;
  p.end_x = ((p.frame.x + p.frame.width - 1) >> w_sub) + 1;
  p.end_y = ((p.frame.y + p.frame.height - 1) >> h_sub) + 1;
  if (result == CUDA_SUCCESS)
    result = launch_correction (device, &p, &way, w_sub, h_sub, shared, stream);
  return result;
}
