/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GST_VIDEO_SPARSE_COUNTS_MAX_SIZE:
 *
 * The largest number of rows, and of columns, of a #GstVideoSparseCounts.
 *
 * Since: 0.1
 */
#define GST_VIDEO_SPARSE_COUNTS_MAX_SIZE 65536

typedef struct _GstVideoSparseCounts GstVideoSparseCounts;

/**
 * GST_TYPE_VIDEO_SPARSE_COUNTS:
 *
 * The #GType of #GstVideoSparseCounts.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_SPARSE_COUNTS (gst_video_sparse_counts_get_type ())

GST_VIDEO_HISTOGRAM_API
GType gst_video_sparse_counts_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoSparseCounts *gst_video_sparse_counts_new (guint n_rows,
    guint n_columns, const guint32 * counts, guint n_counts);

GST_VIDEO_HISTOGRAM_API
GstVideoSparseCounts *gst_video_sparse_counts_ref (
    GstVideoSparseCounts * sparse);

GST_VIDEO_HISTOGRAM_API
void gst_video_sparse_counts_unref (GstVideoSparseCounts * sparse);

GST_VIDEO_HISTOGRAM_API
guint gst_video_sparse_counts_get_n_rows (GstVideoSparseCounts * sparse);

GST_VIDEO_HISTOGRAM_API
guint gst_video_sparse_counts_get_n_columns (GstVideoSparseCounts * sparse);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_sparse_counts_get_row_offsets (
    GstVideoSparseCounts * sparse, guint * n_offsets);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_sparse_counts_get_columns (
    GstVideoSparseCounts * sparse, guint * n_values);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_sparse_counts_get_values (
    GstVideoSparseCounts * sparse, guint * n_values);

GST_VIDEO_HISTOGRAM_API
gdouble *gst_video_sparse_counts_multiply (GstVideoSparseCounts * sparse,
    const gdouble * vector, guint n, guint * n_rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVideoSparseCounts,
    gst_video_sparse_counts_unref)

G_END_DECLS
