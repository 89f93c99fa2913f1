/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoSparseCounts:
 *
 * A table of counts without its zeros.
 *
 * The table is stored as compressed sparse rows: the counts that are not 0,
 * row by row, the column of each, and the position at which each row starts.
 * For most joint histograms this is much smaller than the full table.
 *
 * A table never changes, so all functions may be called from any thread.
 *
 * Since: 0.1
 */
#include "gst/videohistogram/gstvideosparsecounts.h"
#include "initialized.h"

struct _GstVideoSparseCounts
{
  gint refcount;                /* atomic */
  guint n_rows, n_columns;
  guint32 *row_offsets;         /* n_rows + 1: row r is values[row_offsets[r]]
                                 * ... values[row_offsets[r + 1] - 1] */
  guint32 *columns;             /* of each value */
  guint32 *values;              /* never 0 */
};

G_DEFINE_BOXED_TYPE (GstVideoSparseCounts, gst_video_sparse_counts,
    gst_video_sparse_counts_ref, gst_video_sparse_counts_unref);

/**
 * gst_video_sparse_counts_new:
 * @n_rows: number of rows of the table, 1 to %GST_VIDEO_SPARSE_COUNTS_MAX_SIZE
 * @n_columns: number of columns of the table, 1 to
 *     %GST_VIDEO_SPARSE_COUNTS_MAX_SIZE
 * @counts: (array length=n_counts): the table, row by row
 * @n_counts: length of @counts, which must be @n_rows × @n_columns
 *
 * Compresses a table of counts.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoSparseCounts with the
 *     counts that are not 0, or %NULL if a size is out of range
 *
 * Since: 0.1
 */
GstVideoSparseCounts *
gst_video_sparse_counts_new (guint n_rows, guint n_columns,
    const guint32 * counts, guint n_counts)
{
  GstVideoSparseCounts *sparse;
  guint n = 0, row, column, i;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (counts != NULL, NULL);
  g_return_val_if_fail (n_rows >= 1
      && n_rows <= GST_VIDEO_SPARSE_COUNTS_MAX_SIZE, NULL);
  g_return_val_if_fail (n_columns >= 1
      && n_columns <= GST_VIDEO_SPARSE_COUNTS_MAX_SIZE, NULL);
  g_return_val_if_fail ((guint64) n_rows * n_columns == n_counts, NULL);

  for (i = 0; i < n_counts; i++)
    n += counts[i] != 0;

  sparse = g_new0 (GstVideoSparseCounts, 1);
  sparse->refcount = 1;
  sparse->n_rows = n_rows;
  sparse->n_columns = n_columns;
  sparse->row_offsets = g_new (guint32, (gsize) n_rows + 1);
  sparse->columns = g_new (guint32, n);
  sparse->values = g_new (guint32, n);

  for (row = 0, n = 0; row < n_rows; row++) {
    sparse->row_offsets[row] = n;
    for (column = 0; column < n_columns; column++, counts++) {
      if (*counts) {
        sparse->columns[n] = column;
        sparse->values[n++] = *counts;
      }
    }
  }
  sparse->row_offsets[n_rows] = n;
  return sparse;
}

/**
 * gst_video_sparse_counts_ref: (skip)
 * @sparse: a #GstVideoSparseCounts
 *
 * Takes a reference. May be called from any thread.
 *
 * Returns: (transfer full): @sparse
 *
 * Since: 0.1
 */
GstVideoSparseCounts *
gst_video_sparse_counts_ref (GstVideoSparseCounts * sparse)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (sparse != NULL, NULL);

  g_atomic_int_inc (&sparse->refcount);
  return sparse;
}

/**
 * gst_video_sparse_counts_unref: (skip)
 * @sparse: (transfer full): a #GstVideoSparseCounts
 *
 * Drops a reference. Dropping the last one frees @sparse. May be called from
 * any thread.
 *
 * Since: 0.1
 */
void
gst_video_sparse_counts_unref (GstVideoSparseCounts * sparse)
{
  vh_return_unless_initialized ();
  g_return_if_fail (sparse != NULL);

  if (!g_atomic_int_dec_and_test (&sparse->refcount))
    return;
  g_free (sparse->row_offsets);
  g_free (sparse->columns);
  g_free (sparse->values);
  g_free (sparse);
}

/**
 * gst_video_sparse_counts_get_n_rows:
 * @sparse: a #GstVideoSparseCounts
 *
 * Returns the number of rows of the full table.
 *
 * Returns: the number of rows
 *
 * Since: 0.1
 */
guint
gst_video_sparse_counts_get_n_rows (GstVideoSparseCounts * sparse)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (sparse != NULL, 0);

  return sparse->n_rows;
}

/**
 * gst_video_sparse_counts_get_n_columns:
 * @sparse: a #GstVideoSparseCounts
 *
 * Returns the number of columns of the full table.
 *
 * Returns: the number of columns
 *
 * Since: 0.1
 */
guint
gst_video_sparse_counts_get_n_columns (GstVideoSparseCounts * sparse)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (sparse != NULL, 0);

  return sparse->n_columns;
}

/**
 * gst_video_sparse_counts_get_row_offsets:
 * @sparse: a #GstVideoSparseCounts
 * @n_offsets: (out) (optional): length of the returned array: the number of
 *     rows + 1
 *
 * Returns where the values of each row start. The values of row r are those
 * from offset r up to, but not including, offset r + 1; the last offset is the
 * number of values.
 *
 * Returns: (transfer none) (array length=n_offsets): the offsets, valid while
 *     you hold a reference to @sparse
 *
 * Since: 0.1
 */
const guint32 *
gst_video_sparse_counts_get_row_offsets (GstVideoSparseCounts * sparse,
    guint * n_offsets)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (sparse != NULL, NULL);

  if (n_offsets)
    *n_offsets = sparse->n_rows + 1;
  return sparse->row_offsets;
}

/**
 * gst_video_sparse_counts_get_columns:
 * @sparse: a #GstVideoSparseCounts
 * @n_values: (out) (optional): length of the returned array
 *
 * Returns the column of each value, in ascending order within a row.
 *
 * Returns: (transfer none) (array length=n_values): the columns, valid while
 *     you hold a reference to @sparse
 *
 * Since: 0.1
 */
const guint32 *
gst_video_sparse_counts_get_columns (GstVideoSparseCounts * sparse,
    guint * n_values)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (sparse != NULL, NULL);

  if (n_values)
    *n_values = sparse->row_offsets[sparse->n_rows];
  return sparse->columns;
}

/**
 * gst_video_sparse_counts_get_values:
 * @sparse: a #GstVideoSparseCounts
 * @n_values: (out) (optional): length of the returned array
 *
 * Returns the counts that are not 0, row by row.
 *
 * Returns: (transfer none) (array length=n_values): the counts, valid while
 *     you hold a reference to @sparse
 *
 * Since: 0.1
 */
const guint32 *
gst_video_sparse_counts_get_values (GstVideoSparseCounts * sparse,
    guint * n_values)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (sparse != NULL, NULL);

  if (n_values)
    *n_values = sparse->row_offsets[sparse->n_rows];
  return sparse->values;
}

/**
 * gst_video_sparse_counts_multiply:
 * @sparse: a #GstVideoSparseCounts
 * @vector: (array length=n): a number for each column
 * @n: length of @vector, which must be the number of columns of @sparse
 * @n_rows: (out) (optional): length of the returned array, which is the number
 *     of rows of @sparse
 *
 * Multiplies the table by a column vector. With a vector of ones, the result
 * is the sum of each row. With the column indices, the result divided by that
 * sum is the mean column of each row.
 *
 * Returns: (transfer full) (nullable) (array length=n_rows): a number for each
 *     row, to be freed with g_free(); %NULL if @n is not the number of columns
 *
 * Since: 0.1
 */
gdouble *
gst_video_sparse_counts_multiply (GstVideoSparseCounts * sparse,
    const gdouble * vector, guint n, guint * n_rows)
{
  gdouble *product;
  guint row, i;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (sparse != NULL, NULL);
  g_return_val_if_fail (vector != NULL, NULL);

  if (n_rows)
    *n_rows = 0;
  if (n != sparse->n_columns)
    return NULL;

  product = g_new (gdouble, sparse->n_rows);
  for (row = 0; row < sparse->n_rows; row++) {
    gdouble sum = 0;

    for (i = sparse->row_offsets[row]; i < sparse->row_offsets[row + 1]; i++)
      sum += sparse->values[i] * vector[sparse->columns[i]];
    product[row] = sum;
  }
  if (n_rows)
    *n_rows = sparse->n_rows;
  return product;
}
