/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideohistogram.h"
#include "gst/videohistogram/gstvideohistogramstatistics.h"
#include "gst/videohistogram/gstvideojointhistogram.h"
#include "initialized.h"
#include "gstvideohistogram-private.h"

static void
set_array (GstStructure * s, const gchar * name, const guint32 * values,
    gsize n)
{
  GValue array = G_VALUE_INIT, item = G_VALUE_INIT;
  gsize i;

  gst_value_array_init (&array, n);
  for (i = 0; i < n; i++) {
    g_value_init (&item, G_TYPE_UINT);
    g_value_set_uint (&item, values[i]);
    gst_value_array_append_and_take_value (&array, &item);
  }
  gst_structure_take_value (s, name, &array);
}

static void
set_bytes (GstStructure * s, const gchar * name, GstVideoHistogram * histogram,
    const guint32 * values, gsize n)
{
  GBytes *bytes = vh_counts_to_bytes (values, n,
      GST_MINI_OBJECT_CAST (histogram));

  gst_structure_set (s, name, G_TYPE_BYTES, bytes, NULL);
  g_bytes_unref (bytes);
}

static void
set_values (GstStructure * s, const gchar * name, gboolean bytes,
    GstVideoHistogram * histogram, const guint32 * values, gsize n)
{
  if (bytes)
    set_bytes (s, name, histogram, values, n);
  else
    set_array (s, name, values, n);
}

static void
set_counts (GstStructure * s, GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, gboolean bytes)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  const gsize cells = (gsize) info->columns * info->rows;
  const gchar *name = gst_video_histogram_channel_get_name (channel);

  set_values (s, name, bytes, histogram,
      gst_video_histogram_get_counts (histogram, channel, NULL), info->bins);
  if (cells > 1) {
    gchar *field = g_strdup_printf ("%s-cells", name);

    /* The cells of a channel follow each other. */
    set_values (s, field, bytes, histogram,
        gst_video_histogram_get_cell_counts (histogram, channel, 0, 0, NULL),
        cells * info->bins);
    g_free (field);
  }
}

static void
set_statistics (GstStructure * s, GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel)
{
  GstVideoHistogramStatistics stats;
  guint i;

  gst_video_histogram_get_statistics (histogram, channel, &stats);
  {
    const struct
    {
      const gchar *name;
      gdouble value;
    } fields[] = {
      {"average", stats.average},
      {"variance", stats.variance},
      {"min", stats.min},
      {"max", stats.max},
      {"median", stats.median},
      {"p1", stats.p1},
      {"p99", stats.p99},
      {"entropy", stats.entropy},
      {"clipped-low", stats.clipped_low},
      {"clipped-high", stats.clipped_high},
    };

    for (i = 0; i < G_N_ELEMENTS (fields); i++) {
      gchar *field = g_strdup_printf ("%s-%s",
          gst_video_histogram_channel_get_name (channel), fields[i].name);

      gst_structure_set (s, field, G_TYPE_DOUBLE, fields[i].value, NULL);
      g_free (field);
    }
  }
}

static void
set_joint (GstStructure * s, GstVideoJointHistogram * joint)
{
  GstClockTime running_time;
  gdouble mutual, normalized, ratio;
  GEnumClass *kinds;

  if (!gst_video_joint_histogram_get_mutual_information (joint, &mutual)
      || !gst_video_joint_histogram_get_normalized_mutual_information (joint,
          &normalized)
      || !gst_video_joint_histogram_get_correlation_ratio (joint, &ratio))
    return;

  kinds = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_JOINT);
  gst_structure_set (s,
      "joint", G_TYPE_STRING, g_enum_get_value (kinds,
          gst_video_joint_histogram_get_kind (joint))->value_nick,
      "joint-bins", G_TYPE_UINT, gst_video_joint_histogram_get_n_a (joint),
      "joint-mutual-information", G_TYPE_DOUBLE, mutual,
      "joint-normalized-mutual-information", G_TYPE_DOUBLE, normalized,
      "joint-correlation-ratio", G_TYPE_DOUBLE, ratio, NULL);
  running_time = gst_video_joint_histogram_get_running_time (joint);
  if (GST_CLOCK_TIME_IS_VALID (running_time)) {
    gst_structure_set (s, "joint-running-time", G_TYPE_UINT64, running_time,
        NULL);
  }
  g_type_class_unref (kinds);
}

/**
 * gst_video_histogram_to_structure:
 * @histogram: a #GstVideoHistogram
 * @flags: what to write in addition to the description of the frame
 *
 * Writes @histogram as the structure `videohistogram` of the element's
 * messages. docs/videohistogram.md lists the fields. Waits if @histogram is
 * pending.
 *
 * Returns: (transfer full) (nullable): a new #GstStructure, to be freed with
 *     gst_structure_free(), or %NULL if counting failed
 *
 * Since: 0.1
 */
GstStructure *
gst_video_histogram_to_structure (GstVideoHistogram * histogram,
    GstVideoHistogramStructureFlags flags)
{
  const GstVideoHistogramInfo *info;
  GEnumClass *matrix_class;
  GEnumValue *matrix;
  GstVideoJointHistogram *joint;
  gchar *colorimetry, *grid, *roi;
  GstStructure *s;
  gint c;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);
  g_return_val_if_fail ((flags & ~VH_STRUCTURE_ALL) == 0, NULL);

  if (!gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE))
    return NULL;

  info = gst_video_histogram_get_info (histogram);
  matrix_class = g_type_class_ref (GST_TYPE_VIDEO_COLOR_MATRIX);
  matrix = g_enum_get_value (matrix_class, info->matrix);
  colorimetry = gst_video_colorimetry_to_string (&info->colorimetry);
  grid = g_strdup_printf ("%ux%u", info->columns, info->rows);
  roi = g_strdup_printf ("%u,%u,%u,%u", info->region_x, info->region_y,
      info->region_width, info->region_height);

  s = gst_structure_new ("videohistogram",
      "timestamp", G_TYPE_UINT64, info->timestamp,
      "stream-time", G_TYPE_UINT64, info->stream_time,
      "running-time", G_TYPE_UINT64, info->running_time,
      "duration", G_TYPE_UINT64, info->duration,
      "width", G_TYPE_INT, (gint) info->width,
      "height", G_TYPE_INT, (gint) info->height,
      "format", G_TYPE_STRING,
      info->format == GST_VIDEO_FORMAT_UNKNOWN ? "unknown" :
      gst_video_format_to_string (info->format),
      "colorimetry", G_TYPE_STRING, colorimetry,
      "matrix", G_TYPE_STRING, matrix ? matrix->value_nick : "unknown",
      "range", G_TYPE_STRING, vh_range_name (info->colorimetry.range),
      "depth", G_TYPE_UINT, info->depth,
      "bins", G_TYPE_UINT, info->bins,
      "pixels", G_TYPE_UINT64, gst_video_histogram_get_pixels (histogram),
      "backend", G_TYPE_STRING,
      gst_video_histogram_get_backend (histogram),
      "grid", G_TYPE_STRING, grid, "roi", G_TYPE_STRING, roi, NULL);

  if (info->channels & GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT)
    gst_structure_set (s, "gradient-pixels", G_TYPE_UINT64,
        gst_video_histogram_get_channel_pixels (histogram,
            GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT), NULL);
  for (c = 0; c < GST_VIDEO_HISTOGRAM_N_CHANNELS; c++) {
    if (!(info->channels & (1u << c)))
      continue;
    if (flags & GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS)
      set_counts (s, histogram, c, flags & GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES);
    if (flags & GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS)
      set_statistics (s, histogram, c);
  }
  joint = gst_video_histogram_get_joint (histogram);
  if ((flags & GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS) && joint)
    set_joint (s, joint);

  g_type_class_unref (matrix_class);
  g_free (colorimetry);
  g_free (grid);
  g_free (roi);
  return s;
}
