/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:gstvideohistogram
 * @title: GstVideoHistogram
 * @short_description: the histogram of a video frame
 *
 * A #GstVideoHistogram holds, for each counted channel and each cell of a grid,
 * how many pixels have a code value of each bin, and describes what was
 * measured and when.
 *
 * It may be pending: its #GstVideoHistogramInfo is then available while its
 * counts are still being made, on a GPU for example. Everything that needs the
 * counts waits for them; gst_video_histogram_get_state() returns the state
 * without waiting.
 *
 * Thread-safety: all functions may be called from any thread, except
 * gst_video_histogram_set_counts(), which is for the code that has just made
 * the histogram. What gst_video_histogram_get_counts() and similar functions
 * return is constant for as long as a reference is held.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideohistogram.h"
#include "initialized.h"
#include "settingscheck.h"
#include "gstvideohistogram-private.h"
#include "core/channels.h"
#include "core/error.h"

struct _GstVideoHistogram
{
  GstMiniObject mini_object;

  GstVideoHistogramInfo info;
  const gchar *backend;         /* static */
  VhCounts *counts;

  /* Constant once the histogram is shared. */
  GstMiniObject *attached;      /* or NULL */
  VhCounts *attached_counts;    /* that it must wait for too, or NULL */

  GMutex lock;
  guint32 *totals;              /* [channel][bin] if there are several cells,
                                 * made on first use; protected by lock */
};

GST_DEFINE_MINI_OBJECT_TYPE (GstVideoHistogram, gst_video_histogram);

/* The public values, and the internal ones. */
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
 * The domain %GST_VIDEO_HISTOGRAM_ERROR of the errors that functions of this
 * library set, whose codes are #GstVideoHistogramError. Thread-safe.
 *
 * Returns: the domain
 */
GQuark
gst_video_histogram_error_quark (void)
{
  return vh_error_quark ();
}

/* By hand, and not by glib-mkenums, for the table of channels. */
GType
gst_video_histogram_channels_get_type (void)
{
  static const GFlagsValue values[] = {
#define C(id, name, ...) \
    {GST_VIDEO_HISTOGRAM_CHANNELS_##id, "GST_VIDEO_HISTOGRAM_CHANNELS_" #id, \
        name},
    VH_CHANNELS (C)
#undef C
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_flags_register_static ("GstVideoHistogramChannels", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * gst_video_histogram_channel_get_name:
 * @channel: a #GstVideoHistogramChannel
 *
 * The name of a channel, of which the fields of messages are made. Thread-safe.
 *
 * Returns: the name of @channel in messages: `luma`, `red`, `green`, `blue` or
 *     `gradient`
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

/* Colorimetry is not checked: values that GStreamer did not have yet when this
 * was built mean the same as "unknown". */
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

G_DEFINE_BOXED_TYPE (GstVideoHistogramInfo, gst_video_histogram_info,
    gst_video_histogram_info_copy, gst_video_histogram_info_free);

/**
 * gst_video_histogram_info_new:
 *
 * Makes a description of a histogram of luma in 256 bins, without times: what
 * gst_video_histogram_info_init() sets. Thread-safe.
 *
 * Returns: (transfer full): a new #GstVideoHistogramInfo; free it with
 *     gst_video_histogram_info_free()
 *
 * Since: 0.2
 */
GstVideoHistogramInfo *
gst_video_histogram_info_new (void)
{
  GstVideoHistogramInfo *info;

  vh_return_val_unless_initialized (NULL, NULL);

  info = g_new0 (GstVideoHistogramInfo, 1);
  gst_video_histogram_info_init (info);
  return info;
}

/**
 * gst_video_histogram_info_copy:
 * @info: a #GstVideoHistogramInfo
 *
 * Copies @info. Thread-safe.
 *
 * Returns: (transfer full): a copy of @info; free it with
 *     gst_video_histogram_info_free()
 *
 * Since: 0.2
 */
GstVideoHistogramInfo *
gst_video_histogram_info_copy (const GstVideoHistogramInfo * info)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (info != NULL, NULL);

  return g_memdup2 (info, sizeof (*info));
}

/**
 * gst_video_histogram_info_free: (skip)
 * @info: (transfer full) (nullable): a #GstVideoHistogramInfo of
 *     gst_video_histogram_info_new() or a copy
 *
 * Frees @info.
 *
 * Since: 0.2
 */
void
gst_video_histogram_info_free (GstVideoHistogramInfo * info)
{
  vh_check_initialized (NULL);
  g_free (info);
}

/**
 * gst_video_histogram_info_init:
 * @info: (out caller-allocates): a #GstVideoHistogramInfo
 *
 * Sets @info to 256 bins of 8-bit luma in one cell, of video of unknown format,
 * size and colorimetry; its times are %GST_CLOCK_TIME_NONE.
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
 * @info: what the histogram is of; all fields must be within their ranges, and
 *     counters at most %GST_VIDEO_HISTOGRAM_MAX_COUNTERS
 *
 * Makes a complete histogram whose counts are 0, to be filled with
 * gst_video_histogram_set_counts(): to compare frames with stored counts, for
 * example.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoHistogram, or %NULL if
 *     there is no memory, or @info is out of range: a critical warning then
 *     names the field
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
 * Takes a reference. Thread-safe.
 *
 * Returns: (transfer full): @histogram
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
 * Drops a reference; the last one frees @histogram. Thread-safe.
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
 * @histogram_ptr: a place that holds a #GstVideoHistogram or %NULL
 *
 * Drops the reference at @histogram_ptr, if there is one, and stores %NULL.
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
 * What @histogram is of; never waits.
 *
 * Returns: (transfer none): the #GstVideoHistogramInfo of @histogram
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
 * What @histogram was counted on; never waits.
 *
 * Returns: what counted: `cpu` or `cuda`, or `none` for a histogram made by
 *     gst_video_histogram_new()
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
 * Tells whether the counts are available; never waits.
 *
 * Returns: the current state of @histogram
 */
GstVideoHistogramState
gst_video_histogram_get_state (GstVideoHistogram * histogram)
{
  VhCountsState state;

  vh_return_val_unless_initialized (NULL, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram),
      GST_VIDEO_HISTOGRAM_STATE_FAILED);

  state = vh_counts_poll (histogram->counts);
  /* A histogram is not complete before the attached object is, or has
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
 * Waits until @histogram is no longer pending.
 *
 * Returns: %TRUE if the counts are complete; %FALSE if counting failed, or
 *     takes longer than @timeout
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
 * @histogram: a #GstVideoHistogram from gst_video_histogram_new(), not shared
 *     yet
 * @channel: the channel
 * @column: column of the cell, 0 without a grid
 * @row: row of the cell, 0 without a grid
 * @counts: (array length=n_bins): pixels per bin
 * @n_bins: length of @counts; must be the histogram's bins
 *
 * Sets the counts of one channel in one cell.
 *
 * Returns: %TRUE, or %FALSE if the histogram has no such channel or cell, or
 *     another number of bins
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

/* Sums over all cells, [channel][bin]. */
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
 * @n_bins: (out) (optional): length of the returned array: the histogram's bins
 *
 * Pixels per bin of @channel, over all cells. They sum to
 * gst_video_histogram_get_channel_pixels(). Waits for a pending histogram.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counts, or
 *     %NULL if @channel was not counted or counting failed
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
 * @n_bins: (out) (optional): length of the returned array: the histogram's bins
 *
 * Pixels per bin of @channel in one cell of the grid. Waits for a pending
 * histogram.
 *
 * Returns: (transfer none) (nullable) (array length=n_bins): the counts, or
 *     %NULL if @channel was not counted, there is no such cell, or counting
 *     failed
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
 * Gets the counts of all cells of @channel at once, waiting for them if
 * necessary: unsigned 32-bit little-endian numbers in the order
 * [row][column][bin], without padding. In NumPy that is
 * `numpy.frombuffer(bytes.get_data(), '<u4').reshape(rows, columns, bins)`.
 * Where memory has that order of bytes nothing is copied; the bytes may outlive
 * @histogram.
 *
 * Returns: (transfer full) (nullable): the counts, or %NULL if @channel was not
 *     counted or counting failed
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
 * The number of pixels that were looked at, which the counts of each channel
 * but `gradient` sum to; never waits.
 *
 * Returns: how many pixels were counted: the area of the region
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
 * The number of pixels of a cell, which the counts of each channel but
 * `gradient` sum to; never waits.
 *
 * Returns: how many pixels were counted in that cell: its area; 0 if there is
 *     no such cell
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

guint64
vh_info_channel_pixels (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel)
{
  /* Of the last pixel of a row there is none to the right. */
  const guint lost = channel == GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT
      && info->region_width > 0 ? 1 : 0;

  return (guint64) (info->region_width - lost) * info->region_height;
}

/**
 * gst_video_histogram_get_channel_pixels:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 *
 * The number of pixels that the counts of @channel sum to: those that were
 * looked at, or for `gradient` one less in each row of the region. Never waits.
 *
 * Returns: how many pixels have a value; 0 if @channel was not counted
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
 * The number of pixels that the counts of @channel in a cell sum to: its area,
 * or for `gradient` one less in each row of the cells at the right of the
 * region. Never waits.
 *
 * Returns: how many pixels of the cell have a value; 0 if @channel was not
 *     counted or there is no such cell
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
 * @view: (out caller-allocates): where the view goes
 *
 * Gives access to the counts on the GPU that made them; never waits, and
 * @histogram may be pending. They stay until
 * gst_video_histogram_unmap_device(). Keep them mapped as briefly as possible:
 * few frames can be counted meanwhile.
 *
 * Returns: %TRUE, or %FALSE if the counts are not on a GPU, or no longer: use
 *     gst_video_histogram_get_counts() then
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
 * @view: a view from gst_video_histogram_map_device()
 *
 * Ends the access. Work on a stream that reads the counts must have finished.
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
