/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a frame to what the kernels are told of it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "launch.h"
#include "core/color.h"

#define CODES 256

/* Blocks meet in groups where there are not too many results. */
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

/* The blocks of kernels/framecolumns.cu have fewer words to meet in, which is
 * for one cell only. */
G_STATIC_ASSERT (VH_KERNEL_FRAME_WORDS <= CODES * (1 + VH_KERNEL_GROUPS));
G_STATIC_ASSERT (VH_KERNEL_FRAME_WORDS * VH_KERNEL_CHANNELS <=
    GROUPED_RESULTS);

gsize
vh_cuda_accumulator_size (gsize max_results)
{
  /* Fewer results may take more room than many: theirs are in groups. */
  const gsize grouped = MIN (max_results, GROUPED_RESULTS);

  return MAX (max_results, grouped * (1 + VH_KERNEL_GROUPS)) *
      sizeof (guint64);
}

void
vh_cuda_params_set_frame (VhKernelParams * params, const VhFrameView * view,
    const VhRect * region, const CUdeviceptr data[GST_VIDEO_MAX_PLANES],
    const gsize stride[GST_VIDEO_MAX_PLANES])
{
  guint i;

  for (i = 0; i < view->layout->n_components; i++) {
    const VhComponent *c = &view->layout->component[i];

    params->component[i] = (VhKernelComponent) {
      .data = data[c->plane] ? data[c->plane] + c->offset : 0,
      .stride = stride[c->plane],
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
