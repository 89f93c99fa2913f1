/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns GStreamer's description of a format into the form that counting
 * needs. */
#include "layout.h"
#include "error.h"

/* Bit positions inside the word of the formats that pack three 10-bit samples
 * into 32 bits: GStreamer's tables have 0 for their shift and offset. */
static const struct
{
  GstVideoFormat format;
  guint8 shift[3];
} packed_words[] = {
  {GST_VIDEO_FORMAT_RGB10A2_LE, {0, 10, 20}},
  {GST_VIDEO_FORMAT_BGR10A2_LE, {20, 10, 0}},
};

static gboolean
component_from_table (VhComponent * component,
    const GstVideoFormatInfo * finfo, guint i)
{
  guint n;

  *component = (VhComponent) {
    .plane = finfo->plane[i],
    .offset = finfo->poffset[i],
    .pixel_stride = finfo->pixel_stride[i],
    .sample_bytes = finfo->depth[i] > 8 ? 2 : 1,
    .shift = finfo->shift[i],
    .w_sub = finfo->w_sub[i],
    .h_sub = finfo->h_sub[i],
  };

  for (n = 0; n < G_N_ELEMENTS (packed_words); n++) {
    if (packed_words[n].format == finfo->format) {
      component->sample_bytes = 4;
      component->shift = packed_words[n].shift[i];
    }
  }

  /* For P010 and similar formats the tables give the second chroma sample the
   * offset of NV12's, 1 byte; the correct offset is one sample, 2 bytes. */
  if (component->sample_bytes == 2 && component->offset % 2 != 0)
    component->offset *= 2;

  /* V, Y, U, Y, as the name says; the tables have U first. */
  if (finfo->format == GST_VIDEO_FORMAT_VYUY && i > 0)
    component->offset = i == 1 ? 2 : 0;

  return component->pixel_stride > 0
      && component->offset + component->sample_bytes <= component->pixel_stride;
}

/* Fills the fields that follow from the format; FALSE if the tables do not say
 * where its samples are. */
static gboolean
layout_from_format (VhLayout * layout, const GstVideoFormatInfo * finfo)
{
  const GstVideoFormatFlags opaque = GST_VIDEO_FORMAT_FLAG_COMPLEX |
      GST_VIDEO_FORMAT_FLAG_TILED | GST_VIDEO_FORMAT_FLAG_PALETTE;
  guint i, j;

  if (finfo->flags & opaque)
    return FALSE;

  if (GST_VIDEO_FORMAT_INFO_IS_GRAY (finfo))
    layout->model = VH_MODEL_GRAY;
  else if (GST_VIDEO_FORMAT_INFO_IS_YUV (finfo))
    layout->model = VH_MODEL_YUV;
  else if (GST_VIDEO_FORMAT_INFO_IS_RGB (finfo))
    layout->model = VH_MODEL_RGB;
  else
    return FALSE;

  layout->n_components = layout->model == VH_MODEL_GRAY ? 1 : 3;
  layout->depth = finfo->depth[0];
  /* v216 is little-endian, but GStreamer's table does not say so. */
  layout->big_endian = layout->depth > 8
      && !(finfo->flags & GST_VIDEO_FORMAT_FLAG_LE)
      && finfo->format != GST_VIDEO_FORMAT_v216;

  if (finfo->n_components < layout->n_components || layout->depth < 8
      || layout->depth > 16)
    return FALSE;

  for (i = 0; i < layout->n_components; i++) {
    VhComponent *a = &layout->component[i];

    if (finfo->depth[i] != layout->depth || !component_from_table (a, finfo, i))
      return FALSE;
    /* Two components at the same place: the tables do not describe this
     * format. */
    for (j = 0; j < i; j++) {
      const VhComponent *b = &layout->component[j];

      if (a->plane == b->plane && a->offset == b->offset
          && a->shift == b->shift)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
vh_layout_supports (const GstVideoFormatInfo * finfo)
{
  VhLayout layout;

  return layout_from_format (&layout, finfo);
}

/* GstVideoInfo replaces the matrix of RGB video by the identity, but the luma
 * of RGB needs the matrix that the caps name. */
static void
read_colorimetry (VhLayout * layout, GstCaps * caps)
{
  gdouble kr, kb;
  const gchar *name;

  name = gst_structure_get_string (gst_caps_get_structure (caps, 0),
      "colorimetry");
  if (!name || !gst_video_colorimetry_from_string (&layout->colorimetry, name))
    layout->colorimetry = layout->info.colorimetry;

  if (layout->colorimetry.range == GST_VIDEO_COLOR_RANGE_UNKNOWN) {
    layout->colorimetry.range = layout->model == VH_MODEL_YUV ?
        GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255;
  }

  layout->matrix = layout->colorimetry.matrix;
  if (!gst_video_color_matrix_get_Kr_Kb (layout->matrix, &kr, &kb))
    layout->matrix = GST_VIDEO_COLOR_MATRIX_BT709;
}

gboolean
vh_layout_from_caps (VhLayout * layout, GstCaps * caps, GError ** error)
{
  memset (layout, 0, sizeof (*layout));

  if (!gst_caps_is_fixed (caps)
      || !gst_video_info_from_caps (&layout->info, caps)
      || GST_VIDEO_INFO_WIDTH (&layout->info) < 1
      || GST_VIDEO_INFO_HEIGHT (&layout->info) < 1
      || !layout_from_format (layout, layout->info.finfo)) {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, VH_ERROR, VH_ERROR_FORMAT,
        "Frames of %s cannot be counted; convert them with videoconvert to a "
        "format that gst-inspect-1.0 videohistogram lists", text);
    g_free (text);
    return FALSE;
  }

  read_colorimetry (layout, caps);
  return TRUE;
}

/* The first x below @size with `x * n / size >= cell`. */
static guint
cell_start (guint size, guint n, guint cell)
{
  return ((guint64) cell * size + n - 1) / n;
}

VhRect
vh_grid_cell (const VhRect * region, guint columns, guint rows, guint column,
    guint row)
{
  const guint x = cell_start (region->width, columns, column);
  const guint y = cell_start (region->height, rows, row);

  return (VhRect) {
    .x = region->x + x,
    .y = region->y + y,
    .width = cell_start (region->width, columns, column + 1) - x,
    .height = cell_start (region->height, rows, row + 1) - y,
  };
}
