/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the counts as a program. It is as plain as can be, so that
 * it can be believed: docs/definitions.md says the same in words. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "reference.h"

#include "engine/color.h"

static guint32
read_word (const guint8 * data, guint bytes, gboolean big_endian)
{
  guint32 word = 0;
  guint i;

  for (i = 0; i < bytes; i++)
    word |= (guint32) data[i] << 8 * (big_endian ? bytes - 1 - i : i);
  return word;
}

/* The code value of the sample of component @c in column @x and row @y of its
 * own. */
static gint64
read_own_sample (const VhFrameView * view, guint c, guint x, guint y)
{
  const VhLayout *layout = view->layout;
  const VhComponent *component = &layout->component[c];
  const VhPlane *plane = &view->plane[component->plane];
  const guint8 *sample = plane->data + y * plane->stride + component->offset
      + (gsize) x * component->pixel_stride;
  guint32 word;

  word = read_word (sample, component->sample_bytes, layout->big_endian);
  return (word >> component->shift) & ((1u << layout->depth) - 1);
}

/* The code value of component @c at pixel @x, @y of the planes. */
static gint64
read_sample (const VhFrameView * view, guint c, guint x, guint y)
{
  const VhComponent *component = &view->layout->component[c];

  return read_own_sample (view, c, x >> component->w_sub,
      y >> component->h_sub);
}

static gint64
luma_of_rgb (const VhFrameView * view, guint x, guint y)
{
  const VhLumaWeights w = vh_luma_weights (view->layout->matrix);

  return (w.r * read_sample (view, 0, x, y) + w.g * read_sample (view, 1, x, y)
      + w.b * read_sample (view, 2, x, y) + 32768) >> 16;
}

static gint64
rgb_of_yuv (const VhFrameView * view, GstVideoHistogramChannel channel,
    guint x, guint y)
{
  const VhLayout *layout = view->layout;
  const VhYuvToRgb yuv = vh_yuv_to_rgb (layout->matrix,
      layout->colorimetry.range, layout->depth);
  gint64 sum, u = 0, v = 0;

  sum = (read_sample (view, 0, x, y) - yuv.y_offset) * yuv.y_scale
      + (G_GINT64_CONSTANT (1) << (yuv.shift - 1));

  /* Grey is YUV of neutral chroma. */
  if (layout->model == VH_MODEL_YUV) {
    u = read_sample (view, 1, x, y) - yuv.c_offset;
    v = read_sample (view, 2, x, y) - yuv.c_offset;
  }

  if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_RED)
    sum += v * yuv.rv;
  else if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_GREEN)
    sum += u * yuv.gu + v * yuv.gv;
  else
    sum += u * yuv.bu;

  return CLAMP (sum >> yuv.shift, 0, yuv.max);
}

static guint64
channel_value (const VhFrameView * view, GstVideoHistogramChannel channel,
    guint x, guint y)
{
  const gboolean is_rgb = view->layout->model == VH_MODEL_RGB;

  if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_LUMA)
    return is_rgb ? luma_of_rgb (view, x, y) : read_sample (view, 0, x, y);
  if (is_rgb)
    return read_sample (view, channel - GST_VIDEO_HISTOGRAM_CHANNEL_RED, x, y);
  return rgb_of_yuv (view, channel, x, y);
}

void
vh_reference_count (const VhFrameView * view, const VhRect * region,
    GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  guint channel, x, y;

  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS; channel++) {
    if (!(info->channels & (1 << channel)))
      continue;

    for (y = 0; y < region->height; y++) {
      const guint row = (guint64) y * info->rows / region->height;

      for (x = 0; x < region->width; x++) {
        const guint column = (guint64) x * info->columns / region->width;
        const guint64 value = channel_value (view, channel, region->x + x,
            region->y + y);

        vh_histogram_cell (histogram, channel, column, row)
            [(value * info->bins) >> view->layout->depth]++;
      }
    }
  }
}

void
vh_reference_count_chroma (const VhFrameView * view, const VhRect * region,
    guint bins, guint32 * counts)
{
  const VhComponent *chroma = &view->layout->component[1];
  const guint depth = view->layout->depth;
  guint x, y;

  for (y = region->y >> chroma->h_sub;
      y <= (region->y + region->height - 1) >> chroma->h_sub; y++) {
    for (x = region->x >> chroma->w_sub;
        x <= (region->x + region->width - 1) >> chroma->w_sub; x++) {
      const guint64 u = read_own_sample (view, 1, x, y);
      const guint64 v = read_own_sample (view, 2, x, y);

      counts[((u * bins) >> depth) * bins + ((v * bins) >> depth)]++;
    }
  }
}

void
vh_reference_count_frames (const VhFrameView * a, const VhRect * region_a,
    const VhFrameView * b, const VhRect * region_b, guint bins,
    guint32 * counts)
{
  const GstVideoHistogramChannel luma = GST_VIDEO_HISTOGRAM_CHANNEL_LUMA;
  guint x, y;

  for (y = 0; y < region_a->height; y++) {
    for (x = 0; x < region_a->width; x++) {
      const guint64 value_a = channel_value (a, luma, region_a->x + x,
          region_a->y + y);
      const guint64 value_b = channel_value (b, luma, region_b->x + x,
          region_b->y + y);

      counts[((value_a * bins) >> a->layout->depth) * bins
          + ((value_b * bins) >> b->layout->depth)]++;
    }
  }
}
