/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills the parameters of kernels from a frame. */
#include "frames.h"
#include "core/color.h"

#define CODES 256
#define WORD 16                 /* bytes that a thread loads at once */

/* Blocks merge results in groups unless there are more results than this. */
#define GROUPED_RESULTS 16384

void
vh_cuda_params_init (VhKernelParams * params, const VhLayout * layout,
    const VhCountsShape * shape)
{
  const VhLumaWeights weights = vh_luma_weights (layout->matrix);
  const VhYuvToRgb yuv = vh_yuv_to_rgb (layout->matrix,
      layout->colorimetry.range, layout->depth);

  *params = (VhKernelParams) {
    .columns = shape->columns,
    .rows = shape->rows,
    .bins = shape->bins,
    .depth = layout->depth,
    .model = layout->model,
    .big_endian = layout->big_endian,
    .channels = shape->channels,
    .weight = {weights.r, weights.g, weights.b},
    .y_offset = yuv.y_offset,
    .c_offset = yuv.c_offset,
    .y_scale = yuv.y_scale,
    .rv = yuv.rv,
    .gu = yuv.gu,
    .gv = yuv.gv,
    .bu = yuv.bu,
    .yuv_shift = yuv.shift,
  };
}

static guint
count_cells (const VhKernelParams * params)
{
  return (guint) __builtin_popcount (params->channels) * params->columns *
      params->rows;
}

gsize
vh_cuda_max_results (const VhKernelParams * params)
{
  return (gsize) MAX (params->bins, params->depth == 8 ? CODES : 0) *
      count_cells (params);
}

gboolean
vh_cuda_has_groups (gsize max_results)
{
  return max_results <= GROUPED_RESULTS;
}

/* kernels/framecolumns.cu only counts one cell, so its blocks need no more
 * words than the accumulators have. */
G_STATIC_ASSERT (VH_KERNEL_FRAME_WORDS <= CODES * (1 + VH_KERNEL_GROUPS));
G_STATIC_ASSERT (VH_KERNEL_FRAME_WORDS * VH_KERNEL_CHANNELS <=
    GROUPED_RESULTS);

gsize
vh_cuda_accumulator_size (gsize max_results)
{
  /* Only few results are in groups, which need more room, so fewer results may
   * need more room than @max_results. */
  const gsize grouped = MIN (max_results, GROUPED_RESULTS);

  return MAX (max_results, grouped * (1 + VH_KERNEL_GROUPS)) *
      sizeof (guint64);
}

void
vh_cuda_params_set_frame (VhKernelParams * params,
    const VhCudaPlanes * planes, const VhRect * region)
{
  const VhLayout *layout = planes->view->layout;
  guint i;

  for (i = 0; i < layout->n_components; i++) {
    const VhComponent *c = &layout->component[i];
    const CUdeviceptr data = planes->data[c->plane];

    params->component[i] = (VhKernelComponent) {
      .data = data ? data + c->offset : 0,
      .stride = planes->stride[c->plane],
      .pixel_stride = c->pixel_stride,
      .sample_bytes = c->sample_bytes,
      .shift = c->shift,
      .w_sub = c->w_sub,
      .h_sub = c->h_sub,
    };
  }
  params->x = region->x;
  params->y = region->y;
  params->width = region->width;
  params->height = region->height;
}

/* The index of the component that equals @channel. */
static guint
channel_component (guint channel)
{
  return channel == 0 ? 0 : channel - 1;
}

/* Divides each row into the bytes before its first vector, its vectors and the
 * bytes after them. FALSE if this is not the same for all rows, or if the frame
 * is too large for the arithmetic of the kernel. */
static gboolean
place_vectors (VhKernelFrame * frame, const VhKernelParams * params,
    const VhKernelComponent * component, guint pixel_bytes, guint vector_bytes)
{
  const guint64 inverse_one = G_GUINT64_CONSTANT (1) << 32;
  const guint64 stride = component->stride;
  const CUdeviceptr data = component->data + params->y * stride +
      (guint64) params->x * pixel_bytes;
  guint64 row = (guint64) params->width * pixel_bytes, rows = params->height;
  guint64 vectors, inverse = 0;
  guint head;

  if ((guint64) params->width * params->height >> VH_KERNEL_FRAME_BITS != 0
      || stride > G_MAXUINT32)
    return FALSE;
  /* Rows without a gap are one long row. */
  if (stride == row || rows == 1) {
    row *= rows;
    rows = 1;
  } else if (stride % WORD != 0) {
    return FALSE;
  }

  head = MIN (-data % WORD, row);
  vectors = (row - head) / vector_bytes;
  if (rows > 1 && vectors > 0) {
    inverse = (inverse_one + vectors - 1) / vectors;
    if (inverse >= inverse_one
        || (inverse * vectors - inverse_one) * rows * vectors >= inverse_one)
      return FALSE;
  }

  frame->data = data + head;
  frame->stride = stride;
  frame->vectors = rows * vectors;
  frame->row_vectors = vectors;
  frame->row_inverse = inverse;
  frame->head = head;
  frame->tail = row - head - vectors * vector_bytes;
  frame->rows = rows;
  return TRUE;
}

guint
vh_cuda_place_frames (VhKernelFrame frames[VH_KERNEL_PLANES],
    const VhKernelParams * params, guint pixel_bytes, guint vector_bytes)
{
  guint n = 0, c;

  if (params->columns > 1 || params->rows > 1)
    return 0;
  if (pixel_bytes > 1)
    return place_vectors (&frames[0], params, &params->component[0],
        pixel_bytes, vector_bytes) ? 1 : 0;
  for (c = 0; c < VH_KERNEL_CHANNELS; c++) {
    if (!(params->channels & (1u << c)))
      continue;
    if (n == VH_KERNEL_PLANES || !place_vectors (&frames[n], params,
            &params->component[channel_component (c)], pixel_bytes,
            vector_bytes))
      return 0;
    n++;
  }
  return n;
}
