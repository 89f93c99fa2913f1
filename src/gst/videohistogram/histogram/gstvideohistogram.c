/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoHistogram:
 *
 * The histogram of a video frame.
 *
 * For each counted channel and each cell of a grid, a histogram holds the
 * number of pixels per bin. Its #GstVideoHistogramInfo describes what was
 * counted and when.
 *
 * A histogram may be pending: the info is available at once, while a GPU, for
 * example, is still counting. Functions that need the counts wait for them.
 * gst_video_histogram_get_state() never waits, and gst_video_histogram_wait()
 * waits up to a timeout. Histograms in messages, in the signal and in the
 * property of the element `videohistogram` are complete; the histogram in a
 * #GstVideoHistogramMeta may be pending.
 *
 * All functions may be called from any thread, except
 * gst_video_histogram_set_counts(), which is only for the code that has just
 * made the histogram. Arrays that gst_video_histogram_get_counts() and similar
 * functions return do not change and stay valid while you hold a reference to
 * the histogram.
 *
 * Since: 0.1
 */
#include "gst/videohistogram/gstvideohistogram.h"
#include "types.h"
#include "settingscheck.h"
#include "gstvideohistogram-private.h"
#include "core/channels.h"
#include "core/error.h"

#include <math.h>

struct _GstVideoHistogram
{
  GstMiniObject mini_object;

  GstVideoHistogramInfo info;
  const gchar *backend;         /* static */
  VhCounts *counts;

  /* Constant once the histogram is shared. */
  GstMiniObject *attached;      /* or NULL */
  VhCounts *attached_counts;    /* counts that it must also wait for, or NULL */

  GMutex lock;
  guint32 *totals;              /* [channel][bin] if there are several cells,
                                 * made on first use; protected by lock */
};

GST_DEFINE_MINI_OBJECT_TYPE (GstVideoHistogram, gst_video_histogram);

/* The public values must equal the internal ones. */
#define C(id, ...) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_HISTOGRAM_CHANNEL_##id == \
        (guint) VH_CHANNEL_##id); \
    G_STATIC_ASSERT ((guint) GST_VIDEO_HISTOGRAM_CHANNELS_##id == \
        1u << VH_CHANNEL_##id);
VH_CHANNELS (C)
#undef C
#define SAME(a, b) G_STATIC_ASSERT ((guint) (a) == (guint) (b))
SAME (GST_VIDEO_HISTOGRAM_N_CHANNELS, VH_N_CHANNELS);
SAME (GST_VIDEO_HISTOGRAM_STATE_PENDING, VH_COUNTS_PENDING);
SAME (GST_VIDEO_HISTOGRAM_STATE_COMPLETE, VH_COUNTS_COMPLETE);
SAME (GST_VIDEO_HISTOGRAM_STATE_FAILED, VH_COUNTS_FAILED);
SAME (GST_VIDEO_HISTOGRAM_ERROR_BACKEND, VH_ERROR_BACKEND);
SAME (GST_VIDEO_HISTOGRAM_ERROR_FORMAT, VH_ERROR_FORMAT);
SAME (GST_VIDEO_HISTOGRAM_ERROR_SPEC, VH_ERROR_SPEC);
SAME (GST_VIDEO_HISTOGRAM_ERROR_FRAME, VH_ERROR_FRAME);
SAME (GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, VH_ERROR_OVERLOAD);
SAME (GST_VIDEO_HISTOGRAM_ERROR_DEVICE, VH_ERROR_DEVICE);
SAME (GST_VIDEO_HISTOGRAM_ERROR_PARSE, VH_ERROR_PARSE);
SAME (GST_VIDEO_HISTOGRAM_MIN_TIME, VH_MIN_TIME);
#undef SAME

/**
 * gst_video_histogram_error_quark:
 *
 * Returns the #GError domain of this library, %GST_VIDEO_HISTOGRAM_ERROR. Its
 * codes are the values of #GstVideoHistogramError. May be called from any
 * thread.
 *
 * Returns: the error domain
 *
 * Since: 0.1
 */
GQuark
gst_video_histogram_error_quark (void)
{
  return vh_error_quark ();
}

/* *INDENT-OFF* */
#define CHANNELS_VALUES(E) VH_CHANNELS (CHANNELS_VALUE)
#define CHANNELS_VALUE(id, name, ...) \
    VH_TYPE_VALUE (GST_VIDEO_HISTOGRAM_CHANNELS_##id, name)
VH_DEFINE_FLAGS_TYPE (GstVideoHistogramChannels, gst_video_histogram_channels,
    CHANNELS_VALUES);
/* *INDENT-ON* */

/**
 * gst_video_histogram_channel_get_name:
 * @channel: a #GstVideoHistogramChannel
 *
 * Returns the name of a channel. Fields of messages start with it. May be
 * called from any thread.
 *
 * Returns: `luma`, `red`, `green`, `blue` or `gradient`, a static string
 *
 * Since: 0.1
 */
const gchar *
gst_video_histogram_channel_get_name (GstVideoHistogramChannel channel)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, NULL);

  return vh_channels[channel].name;
}

static void
gst_video_histogram_free (GstVideoHistogram * histogram)
{
  vh_counts_unref (histogram->counts);
  g_clear_pointer (&histogram->attached_counts, vh_counts_unref);
  gst_clear_mini_object (&histogram->attached);
  g_free (histogram->totals);
  g_mutex_clear (&histogram->lock);
  g_free (histogram);
}

VhCountsShape
vh_histogram_shape (const GstVideoHistogramInfo * info)
{
  return (VhCountsShape) {
    .channels = info->channels,
    .bins = info->bins,
    .columns = info->columns,
    .rows = info->rows,
  };
}

GstVideoHistogram *
vh_histogram_new (const GstVideoHistogramInfo * info, const gchar * backend)
{
  const VhCountsShape shape = vh_histogram_shape (info);
  VhCounts *counts = vh_counts_new (&shape);
  GstVideoHistogram *histogram;

  if (!counts)
    return NULL;
  histogram = g_new0 (GstVideoHistogram, 1);
  gst_mini_object_init (GST_MINI_OBJECT_CAST (histogram), 0,
      GST_TYPE_VIDEO_HISTOGRAM, NULL, NULL,
      (GstMiniObjectFreeFunction) gst_video_histogram_free);

  g_mutex_init (&histogram->lock);
  histogram->info = *info;
  histogram->backend = backend;
  histogram->counts = counts;
  return histogram;
}

VhCounts *
vh_histogram_counts (GstVideoHistogram * histogram)
{
  return histogram->counts;
}

void
vh_histogram_attach (GstVideoHistogram * histogram, GstMiniObject * object,
    VhCounts * counts)
{
  gst_mini_object_replace (&histogram->attached, object);
  g_clear_pointer (&histogram->attached_counts, vh_counts_unref);
  histogram->attached_counts = vh_counts_ref (counts);
}

GstMiniObject *
vh_histogram_get_attached (GstVideoHistogram * histogram)
{
  return histogram->attached;
}

static gboolean
counts_channel (GstVideoHistogram * histogram, guint channel)
{
  return (histogram->info.channels & (1u << channel)) != 0;
}

#define FIELD(field, name, least, most) \
    {name, G_STRUCT_OFFSET (GstVideoHistogramInfo, field), VH_FIELD_COUNT, \
        least, most, NULL}
#define CHOICE(field, name, type) \
    {name, G_STRUCT_OFFSET (GstVideoHistogramInfo, field), VH_FIELD_CHOICE, \
        0, 0, type}

/* Colorimetry is not checked: values that are newer than the GStreamer of this
 * build count as "unknown". */
static const VhField fields[] = {
  CHOICE (format, "format", gst_video_format_get_type),
  FIELD (depth, "depth", 8, 16),
  FIELD (width, "width", 0, G_MAXINT),
  FIELD (height, "height", 0, G_MAXINT),
  FIELD (region_x, "region-x", 0, G_MAXINT),
  FIELD (region_y, "region-y", 0, G_MAXINT),
  FIELD (region_width, "region-width", 0, G_MAXINT),
  FIELD (region_height, "region-height", 0, G_MAXINT),
  CHOICE (channels, "channels", gst_video_histogram_channels_get_type),
  FIELD (bins, "bins", 1, GST_VIDEO_HISTOGRAM_MAX_BINS),
  FIELD (columns, "columns", 1, GST_VIDEO_HISTOGRAM_MAX_GRID),
  FIELD (rows, "rows", 1, GST_VIDEO_HISTOGRAM_MAX_GRID),
};

gboolean
vh_info_check (const GstVideoHistogramInfo * info, GError ** error)
{
  guint64 counters;

  if (!vh_check_settings (info, fields, G_N_ELEMENTS (fields), error))
    return FALSE;
  counters = (guint64) __builtin_popcount (info->channels) * info->bins *
      info->columns * info->rows;
  if (counters >= 1 && counters <= GST_VIDEO_HISTOGRAM_MAX_COUNTERS)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "channels, bins and grid make %"
      G_GUINT64_FORMAT " counters, but must make from 1 to %"
      G_GUINT64_FORMAT, counters, GST_VIDEO_HISTOGRAM_MAX_COUNTERS);
  return FALSE;
}

/**
 * gst_video_histogram_info_new:
 *
 * Creates a description with the values of gst_video_histogram_info_init():
 * luma in 256 bins, without times. May be called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoHistogramInfo; free it with
 *     gst_video_histogram_info_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_info_copy:
 * @info: a #GstVideoHistogramInfo
 *
 * Copies a description. May be called from any thread.
 *
 * Returns: (transfer full): a copy of @info; free it with
 *     gst_video_histogram_info_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_info_free: (skip)
 * @info: (transfer full) (nullable): a #GstVideoHistogramInfo from
 *     gst_video_histogram_info_new() or gst_video_histogram_info_copy()
 *
 * Frees a description. Does nothing if @info is %NULL.
 *
 * Since: 0.2
 */
VH_DEFINE_STRUCT_TYPE (GstVideoHistogramInfo, gst_video_histogram_info,
    gst_video_histogram_info_init);

/**
 * gst_video_histogram_info_init:
 * @info: (out caller-allocates): the #GstVideoHistogramInfo to fill in
 *
 * Sets @info to 256 bins of 8-bit luma in a single cell. Format, size and
 * colorimetry are unknown, and all times are %GST_CLOCK_TIME_NONE.
 *
 * Since: 0.2
 */
void
gst_video_histogram_info_init (GstVideoHistogramInfo * info)
{
  vh_check_initialized (NULL);
  g_return_if_fail (info != NULL);

  *info = (GstVideoHistogramInfo) {
    .depth = 8,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = 256,
    .columns = 1,
    .rows = 1,
    .timestamp = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
  };
}

/**
 * gst_video_histogram_new:
 * @info: description of the histogram; every field must be within its range,
 *     and there may be at most %GST_VIDEO_HISTOGRAM_MAX_COUNTERS counters
 *
 * Creates a complete histogram with all counts 0, to be filled in with
 * gst_video_histogram_set_counts(). Use it, for example, to compare frames
 * with stored counts.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoHistogram, or %NULL if
 *     there is not enough memory or a field of @info is out of range; in the
 *     latter case a critical warning names the field
 *
 * Since: 0.1
 */
GstVideoHistogram *
gst_video_histogram_new (const GstVideoHistogramInfo * info)
{
  GstVideoHistogram *histogram;
  GError *error = NULL;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (info != NULL, NULL);

  if (!vh_info_check (info, &error)) {
    g_critical ("%s: %s", G_STRFUNC, error->message);
    g_error_free (error);
    return NULL;
  }
  histogram = vh_histogram_new (info, "none");
  if (histogram)
    vh_counts_complete (histogram->counts);
  return histogram;
}

/**
 * gst_video_histogram_ref: (skip)
 * @histogram: a #GstVideoHistogram
 *
 * Takes a reference. May be called from any thread.
 *
 * Returns: (transfer full): @histogram
 *
 * Since: 0.1
 */
GstVideoHistogram *
gst_video_histogram_ref (GstVideoHistogram * histogram)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);

  return (GstVideoHistogram *)
      gst_mini_object_ref (GST_MINI_OBJECT_CAST (histogram));
}

/**
 * gst_video_histogram_unref: (skip)
 * @histogram: (transfer full): a #GstVideoHistogram
 *
 * Drops a reference. Dropping the last one frees @histogram. May be called
 * from any thread.
 *
 * Since: 0.1
 */
void
gst_video_histogram_unref (GstVideoHistogram * histogram)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram));

  gst_mini_object_unref (GST_MINI_OBJECT_CAST (histogram));
}

/**
 * gst_clear_video_histogram: (skip)
 * @histogram_ptr: address of a #GstVideoHistogram pointer, which may be %NULL
 *
 * Drops the reference that @histogram_ptr holds, if there is one, and sets the
 * pointer to %NULL.
 *
 * Since: 0.1
 */
void
gst_clear_video_histogram (GstVideoHistogram ** histogram_ptr)
{
  vh_return_unless_initialized ();
  g_return_if_fail (histogram_ptr != NULL);

  gst_clear_mini_object ((GstMiniObject **) histogram_ptr);
}

/**
 * gst_video_histogram_get_info:
 * @histogram: a #GstVideoHistogram
 *
 * Returns what @histogram measures. Never waits.
 *
 * Returns: (transfer none): the #GstVideoHistogramInfo of @histogram
 *
 * Since: 0.1
 */
const GstVideoHistogramInfo *
gst_video_histogram_get_info (GstVideoHistogram * histogram)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);

  return &histogram->info;
}

/**
 * gst_video_histogram_get_backend:
 * @histogram: a #GstVideoHistogram
 *
 * Returns where @histogram was counted. Never waits.
 *
 * Returns: `cpu` or `cuda`, or `none` for a histogram from
 *     gst_video_histogram_new(); a static string
 *
 * Since: 0.1
 */
const gchar *
gst_video_histogram_get_backend (GstVideoHistogram * histogram)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);

  return histogram->backend;
}

/**
 * gst_video_histogram_get_state:
 * @histogram: a #GstVideoHistogram
 *
 * Returns whether the counts are available. Never waits.
 *
 * Returns: the current state of @histogram
 *
 * Since: 0.1
 */
GstVideoHistogramState
gst_video_histogram_get_state (GstVideoHistogram * histogram)
{
  VhCountsState state;

  vh_return_val_unless_initialized (NULL, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram),
      GST_VIDEO_HISTOGRAM_STATE_FAILED);

  state = vh_counts_poll (histogram->counts);
  /* A histogram is complete only when the attached object is complete or has
   * failed. */
  if (state == VH_COUNTS_COMPLETE && histogram->attached_counts
      && vh_counts_poll (histogram->attached_counts) == VH_COUNTS_PENDING)
    state = VH_COUNTS_PENDING;
  return (GstVideoHistogramState) state;
}

/**
 * gst_video_histogram_wait:
 * @histogram: a #GstVideoHistogram
 * @timeout: longest time to wait in ns, or %GST_CLOCK_TIME_NONE for no limit
 *
 * Waits until @histogram is complete or failed.
 *
 * Returns: %TRUE if the counts are complete; %FALSE if counting failed or
 *     @timeout has passed
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_wait (GstVideoHistogram * histogram, GstClockTime timeout)
{
  const GstClockTime start = gst_util_get_timestamp ();
  GstClockTime elapsed;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);

  if (!vh_counts_wait (histogram->counts, timeout))
    return FALSE;
  if (!histogram->attached_counts)
    return TRUE;

  elapsed = gst_util_get_timestamp () - start;
  if (timeout != GST_CLOCK_TIME_NONE)
    timeout -= MIN (elapsed, timeout);
  return vh_counts_wait (histogram->attached_counts, timeout)
      || vh_counts_poll (histogram->attached_counts) != VH_COUNTS_PENDING;
}

static gboolean
is_cell (GstVideoHistogram * histogram, GstVideoHistogramChannel channel,
    guint column, guint row)
{
  return (guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS
      && column < histogram->info.columns && row < histogram->info.rows;
}

/**
 * gst_video_histogram_set_counts:
 * @histogram: a #GstVideoHistogram from gst_video_histogram_new() that is not
 *     shared yet
 * @channel: the channel
 * @column: column of the cell, 0 if there is no grid
 * @row: row of the cell, 0 if there is no grid
 * @counts: (array length=n_bins): number of pixels per bin
 * @n_bins: length of @counts, which must be the number of bins of @histogram
 *
 * Sets the counts of a channel in one cell.
 *
 * Returns: %TRUE, or %FALSE if the histogram does not have this channel or
 *     cell, or has another number of bins
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_set_counts (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row,
    const guint32 * counts, guint n_bins)
{
  guint32 *cell;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS,
      FALSE);
  g_return_val_if_fail (counts != NULL, FALSE);
  g_return_val_if_fail (gst_mini_object_is_writable (GST_MINI_OBJECT_CAST
          (histogram)), FALSE);

  if (n_bins != histogram->info.bins
      || !is_cell (histogram, channel, column, row)
      || !(cell = vh_counts_cell (histogram->counts, channel, column, row)))
    return FALSE;

  memcpy (cell, counts, sizeof (*counts) * n_bins);
  g_clear_pointer (&histogram->totals, g_free);
  return TRUE;
}

/* Sums the counts of all cells, [channel][bin]. */
static guint32 *
add_cells (GstVideoHistogram * histogram)
{
  const gsize bins = histogram->info.bins;
  const gsize cells = (gsize) histogram->info.columns * histogram->info.rows;
  const gsize n_channels = vh_counts_length (histogram->counts) /
      (cells * bins);
  guint32 *totals = g_new0 (guint32, n_channels * bins);
  const guint32 *in = vh_counts_storage (histogram->counts);
  gsize c, i, b;

  for (c = 0; c < n_channels; c++) {
    guint32 *out = totals + c * bins;

    for (i = 0; i < cells; i++, in += bins) {
      for (b = 0; b < bins; b++)
        out[b] += in[b];
    }
  }
  return totals;
}

/**
 * gst_video_histogram_get_counts:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @n_bins: (out) (optional): length of the returned array, which is the number
 *     of bins of @histogram
 *
 * Returns the number of pixels per bin of a channel, over all cells. They sum
 * to gst_video_histogram_get_channel_pixels(). Waits if @histogram is pending.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counts, valid
 *     while you hold a reference to @histogram, or %NULL if @channel was not
 *     counted or counting failed
 *
 * Since: 0.1
 */
const guint32 *
gst_video_histogram_get_counts (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint * n_bins)
{
  const guint32 *totals;
  guint place;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, NULL);

  if (histogram->info.columns == 1 && histogram->info.rows == 1)
    return gst_video_histogram_get_cell_counts (histogram, channel, 0, 0,
        n_bins);

  if (n_bins)
    *n_bins = 0;
  if (!is_cell (histogram, channel, 0, 0)
      || !counts_channel (histogram, channel)
      || !gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE))
    return NULL;

  g_mutex_lock (&histogram->lock);
  if (!histogram->totals)
    histogram->totals = add_cells (histogram);
  totals = histogram->totals;
  g_mutex_unlock (&histogram->lock);

  if (n_bins)
    *n_bins = histogram->info.bins;
  place = __builtin_popcount (histogram->info.channels &
      ((1u << channel) - 1));
  return totals + (gsize) place * histogram->info.bins;
}

/**
 * gst_video_histogram_get_cell_counts:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @column: column of the cell
 * @row: row of the cell
 * @n_bins: (out) (optional): length of the returned array, which is the number
 *     of bins of @histogram
 *
 * Returns the number of pixels per bin of a channel in one cell of the grid.
 * Waits if @histogram is pending.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counts, valid
 *     while you hold a reference to @histogram, or %NULL if @channel was not
 *     counted, the cell does not exist or counting failed
 *
 * Since: 0.1
 */
const guint32 *
gst_video_histogram_get_cell_counts (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row, guint * n_bins)
{
  const guint32 *counts = NULL;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, NULL);

  if (is_cell (histogram, channel, column, row)
      && gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE))
    counts = vh_counts_cell (histogram->counts, channel, column, row);

  if (n_bins)
    *n_bins = counts ? histogram->info.bins : 0;
  return counts;
}

GBytes *
vh_counts_to_bytes (const guint32 * values, gsize n, GstMiniObject * owner)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  return g_bytes_new_with_free_func (values, n * sizeof (*values),
      (GDestroyNotify) gst_mini_object_unref, gst_mini_object_ref (owner));
#else
  guint32 *turned = g_new (guint32, n);
  gsize i;

  (void) owner;
  for (i = 0; i < n; i++)
    turned[i] = GUINT32_TO_LE (values[i]);
  return g_bytes_new_take (turned, n * sizeof (*turned));
#endif
}

/**
 * gst_video_histogram_get_counts_bytes:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 *
 * Returns the counts of all cells of a channel as bytes: unsigned 32-bit
 * little-endian numbers in the order [row][column][bin], without padding.
 * Waits if @histogram is pending. In NumPy,
 * `numpy.frombuffer(bytes.get_data(), '<u4').reshape(rows, columns, bins)` is
 * the array.
 *
 * On little-endian machines nothing is copied. The bytes may outlive
 * @histogram.
 *
 * Returns: (transfer full) (nullable): the counts, or %NULL if @channel was
 *     not counted or counting failed
 *
 * Since: 0.2
 */
GBytes *
gst_video_histogram_get_counts_bytes (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel)
{
  const GstVideoHistogramInfo *info;
  const guint32 *counts;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, NULL);

  counts = gst_video_histogram_get_cell_counts (histogram, channel, 0, 0, NULL);
  info = &histogram->info;
  return counts ? vh_counts_to_bytes (counts, (gsize) info->rows *
      info->columns * info->bins, GST_MINI_OBJECT_CAST (histogram)) : NULL;
}

/**
 * gst_video_histogram_get_pixels:
 * @histogram: a #GstVideoHistogram
 *
 * Returns the number of pixels in the counted region. The counts of each
 * channel sum to it, except for `gradient`: see
 * gst_video_histogram_get_channel_pixels(). Never waits.
 *
 * Returns: the area of the region in pixels
 *
 * Since: 0.1
 */
guint64
gst_video_histogram_get_pixels (GstVideoHistogram * histogram)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), 0);

  return (guint64) histogram->info.region_width * histogram->info.region_height;
}

/* A cell, in pixels of the region; empty if there is no such cell. */
static VhRect
get_cell (const GstVideoHistogramInfo * info, guint column, guint row)
{
  const VhRect region = {
    .width = info->region_width,
    .height = info->region_height,
  };

  if (column >= info->columns || row >= info->rows)
    return (VhRect) { 0, };
  return vh_grid_cell (&region, info->columns, info->rows, column, row);
}

/**
 * gst_video_histogram_get_cell_pixels:
 * @histogram: a #GstVideoHistogram
 * @column: column of the cell
 * @row: row of the cell
 *
 * Returns the number of pixels in a cell. The counts of each channel in the
 * cell sum to it, except for `gradient`: see
 * gst_video_histogram_get_cell_channel_pixels(). Never waits.
 *
 * Returns: the area of the cell in pixels, or 0 if the cell does not exist
 *
 * Since: 0.1
 */
guint64
gst_video_histogram_get_cell_pixels (GstVideoHistogram * histogram,
    guint column, guint row)
{
  VhRect cell;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), 0);

  cell = get_cell (&histogram->info, column, row);
  return (guint64) cell.width * cell.height;
}

const gchar *
vh_range_name (guint range)
{
  static const gchar *const names[VH_N_RANGES] = {
    [GST_VIDEO_COLOR_RANGE_UNKNOWN] = "unknown",
    [GST_VIDEO_COLOR_RANGE_0_255] = "full",
    [GST_VIDEO_COLOR_RANGE_16_235] = "limited",
  };

  return names[range < VH_N_RANGES ? range : GST_VIDEO_COLOR_RANGE_UNKNOWN];
}

/* Nearest rank: the first bin that is not empty and has a cumulative count of
 * at least ceil (percentile * pixels / 100). A percentile such as 0.7 is not
 * exact in binary: a product that misses a whole number only because of that
 * counts as whole. */
guint
vh_percentile_bin (const guint32 * counts, guint bins, guint64 pixels,
    gdouble percentile)
{
  const guint64 rank = MAX (1, ceil (percentile * pixels / 100 *
      (1 - 1e-12)));
  guint64 cumulative = 0;
  guint b;

  for (b = 0; b < bins; b++) {
    cumulative += counts[b];
    if (cumulative >= rank)
      break;
  }
  return MIN (b, bins - 1);
}

guint64
vh_info_channel_pixels (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel)
{
  /* The last pixel of a row has no pixel to the right. */
  const guint lost = channel == GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT
      && info->region_width > 0 ? 1 : 0;

  return (guint64) (info->region_width - lost) * info->region_height;
}

/**
 * gst_video_histogram_get_channel_pixels:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 *
 * Returns the number of pixels that the counts of a channel sum to: the area
 * of the region, or for `gradient` one pixel less in each row of the region.
 * Never waits.
 *
 * Returns: the number of pixels that have a value, or 0 if @channel was not
 *     counted
 *
 * Since: 0.2
 */
guint64
gst_video_histogram_get_channel_pixels (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), 0);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, 0);

  if (!is_cell (histogram, channel, 0, 0)
      || !counts_channel (histogram, channel))
    return 0;
  return vh_info_channel_pixels (&histogram->info, channel);
}

/**
 * gst_video_histogram_get_cell_channel_pixels:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @column: column of the cell
 * @row: row of the cell
 *
 * Returns the number of pixels that the counts of a channel in a cell sum to:
 * the area of the cell, or for `gradient`, in cells at the right edge of the
 * region, one pixel less in each row. Never waits.
 *
 * Returns: the number of pixels of the cell that have a value, or 0 if
 *     @channel was not counted or the cell does not exist
 *
 * Since: 0.2
 */
guint64
gst_video_histogram_get_cell_channel_pixels (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row)
{
  VhRect cell;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), 0);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, 0);

  if (!is_cell (histogram, channel, column, row)
      || !counts_channel (histogram, channel))
    return 0;
  cell = get_cell (&histogram->info, column, row);
  if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT && cell.width > 0
      && cell.x + cell.width == histogram->info.region_width)
    cell.width--;
  return (guint64) cell.width * cell.height;
}

/**
 * gst_video_histogram_map_device: (skip)
 * @histogram: a #GstVideoHistogram
 * @view: (out caller-allocates): the #GstVideoHistogramDeviceView to fill in
 *
 * Gives access to the counts on the GPU that made them. Never waits;
 * @histogram may be pending. The counts stay there until
 * gst_video_histogram_unmap_device(). Unmap them as soon as possible: only a
 * few frames can be counted in the meantime.
 *
 * Returns: %TRUE, or %FALSE if the counts were not made on a GPU or are no
 *     longer there; use gst_video_histogram_get_counts() then
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_map_device (GstVideoHistogram * histogram,
    GstVideoHistogramDeviceView * view)
{
  VhCountsDeviceView counts;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);
  g_return_val_if_fail (view != NULL, FALSE);

  memset (view, 0, sizeof (*view));
  if (!vh_counts_map_device (histogram->counts, &counts))
    return FALSE;
  view->cuda_context = counts.context;
  view->event = counts.event;
  view->counts = counts.counts;
  view->n_values = counts.n_values;
  return TRUE;
}

/**
 * gst_video_histogram_unmap_device: (skip)
 * @histogram: a #GstVideoHistogram
 * @view: a #GstVideoHistogramDeviceView from gst_video_histogram_map_device()
 *
 * Ends the access to the counts on the GPU. All work on the GPU that reads
 * them must have finished.
 *
 * Since: 0.1
 */
void
gst_video_histogram_unmap_device (GstVideoHistogram * histogram,
    GstVideoHistogramDeviceView * view)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram));
  g_return_if_fail (view != NULL && view->counts != 0);

  vh_counts_unmap_device (histogram->counts);
  memset (view, 0, sizeof (*view));
}
