/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramChannel:
 * @GST_VIDEO_HISTOGRAM_CHANNEL_LUMA: Y': taken from YUV and grey video as it
 *     is, weighted from R'G'B' in RGB video
 * @GST_VIDEO_HISTOGRAM_CHANNEL_RED: R': taken from RGB video as it is,
 *     converted from YUV video
 * @GST_VIDEO_HISTOGRAM_CHANNEL_GREEN: G', in the same way
 * @GST_VIDEO_HISTOGRAM_CHANNEL_BLUE: B', in the same way
 * @GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT: the absolute difference in luma
 *     between a pixel and its right neighbour, where both are in the region
 *     (Since: 0.2)
 *
 * A channel of a histogram.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_VIDEO_HISTOGRAM_CHANNEL_LUMA,
  GST_VIDEO_HISTOGRAM_CHANNEL_RED,
  GST_VIDEO_HISTOGRAM_CHANNEL_GREEN,
  GST_VIDEO_HISTOGRAM_CHANNEL_BLUE,
  GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT,
} GstVideoHistogramChannel;

/**
 * GST_VIDEO_HISTOGRAM_N_CHANNELS:
 *
 * The number of values of #GstVideoHistogramChannel.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_N_CHANNELS 5

/**
 * GstVideoHistogramChannels:
 * @GST_VIDEO_HISTOGRAM_CHANNELS_LUMA: luma
 * @GST_VIDEO_HISTOGRAM_CHANNELS_RED: red
 * @GST_VIDEO_HISTOGRAM_CHANNELS_GREEN: green
 * @GST_VIDEO_HISTOGRAM_CHANNELS_BLUE: blue
 * @GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT: differences in luma between
 *     neighbouring pixels (Since: 0.2)
 *
 * A set of channels. Each #GstVideoHistogramChannel has the bit `1 <<
 * channel`.
 *
 * Since: 0.1
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_CHANNELS_LUMA = 1 << 0,
  GST_VIDEO_HISTOGRAM_CHANNELS_RED = 1 << 1,
  GST_VIDEO_HISTOGRAM_CHANNELS_GREEN = 1 << 2,
  GST_VIDEO_HISTOGRAM_CHANNELS_BLUE = 1 << 3,
  GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT = 1 << 4,
} GstVideoHistogramChannels;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_CHANNELS:
 *
 * The #GType of #GstVideoHistogramChannels.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_CHANNELS \
    (gst_video_histogram_channels_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_channels_get_type (void);

/**
 * GST_VIDEO_HISTOGRAM_CHANNELS_RGB: (skip)
 *
 * Red, green and blue.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_CHANNELS_RGB \
    ((GstVideoHistogramChannels) (GST_VIDEO_HISTOGRAM_CHANNELS_RED | \
            GST_VIDEO_HISTOGRAM_CHANNELS_GREEN | \
            GST_VIDEO_HISTOGRAM_CHANNELS_BLUE))

/**
 * GST_VIDEO_HISTOGRAM_MAX_BINS:
 *
 * The largest number of bins of a channel.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_MAX_BINS 65536

/**
 * GST_VIDEO_HISTOGRAM_MAX_GRID:
 *
 * The largest number of columns, and of rows, of a grid.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_MAX_GRID 64

/**
 * GST_VIDEO_HISTOGRAM_MIN_TIME: (value 1000000)
 *
 * The shortest time that a setting accepts, apart from 0: 1 ms, in ns. No
 * frame is shorter, so a smaller number was probably meant in another unit.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HISTOGRAM_MIN_TIME (G_GUINT64_CONSTANT (1000000))

/**
 * GST_VIDEO_HISTOGRAM_MAX_COUNTERS: (value 16777216)
 *
 * The largest number of counters of a histogram: channels × cells × bins. They
 * take 64 MiB.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_MAX_COUNTERS (G_GUINT64_CONSTANT (1) << 24)

/**
 * GstVideoHistogramState:
 * @GST_VIDEO_HISTOGRAM_STATE_PENDING: counting is not finished
 * @GST_VIDEO_HISTOGRAM_STATE_COMPLETE: the counts are available and final
 * @GST_VIDEO_HISTOGRAM_STATE_FAILED: counting failed; there are no counts
 *
 * The state of a histogram. A pending histogram becomes complete or failed,
 * and then never changes again.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_VIDEO_HISTOGRAM_STATE_PENDING,
  GST_VIDEO_HISTOGRAM_STATE_COMPLETE,
  GST_VIDEO_HISTOGRAM_STATE_FAILED,
} GstVideoHistogramState;

/**
 * GstVideoHistogramError:
 * @GST_VIDEO_HISTOGRAM_ERROR_BACKEND: the requested backend cannot be used on
 *     this machine or with this build
 * @GST_VIDEO_HISTOGRAM_ERROR_FORMAT: the caps have a format that cannot be
 *     counted
 * @GST_VIDEO_HISTOGRAM_ERROR_SPEC: an argument or a field is not allowed, or
 *     does not suit the caps, such as a region outside the picture
 * @GST_VIDEO_HISTOGRAM_ERROR_FRAME: the buffer does not hold the frame that
 *     its caps and metas describe; nothing was read
 * @GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD: too many frames are in flight; this one
 *     was not counted
 * @GST_VIDEO_HISTOGRAM_ERROR_DEVICE: the device failed while it was counting
 * @GST_VIDEO_HISTOGRAM_ERROR_PARSE: the input is not a stored histogram, or
 *     not valid rules, ignored rectangles or saved state of a #GstVideoHealth
 *     (Since: 0.2)
 *
 * Error codes in the domain %GST_VIDEO_HISTOGRAM_ERROR.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_VIDEO_HISTOGRAM_ERROR_BACKEND,
  GST_VIDEO_HISTOGRAM_ERROR_FORMAT,
  GST_VIDEO_HISTOGRAM_ERROR_SPEC,
  GST_VIDEO_HISTOGRAM_ERROR_FRAME,
  GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD,
  GST_VIDEO_HISTOGRAM_ERROR_DEVICE,
  GST_VIDEO_HISTOGRAM_ERROR_PARSE,
} GstVideoHistogramError;

/**
 * GST_VIDEO_HISTOGRAM_ERROR:
 *
 * The #GError domain of this library. Its codes are the values of
 * #GstVideoHistogramError.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_ERROR (gst_video_histogram_error_quark ())
GST_VIDEO_HISTOGRAM_API
GQuark gst_video_histogram_error_quark (void);

typedef struct _GstVideoHistogram GstVideoHistogram;
typedef struct _GstVideoHistogramInfo GstVideoHistogramInfo;

/**
 * GstVideoHistogramInfo:
 * @format: format of the video
 * @depth: bits per sample, 8 to 16
 * @width: width of the picture in pixels, after any #GstVideoCropMeta
 * @height: height of the picture in pixels, after any #GstVideoCropMeta
 * @region_x: left edge of the counted region, in pixels of the picture
 * @region_y: top edge of the counted region, in pixels of the picture
 * @region_width: width of the counted region, in pixels
 * @region_height: height of the counted region, in pixels
 * @colorimetry: colorimetry of the video from its caps; the range of the code
 *     values is always known
 * @matrix: matrix that was used to get luma from RGB, or RGB from YUV
 * @channels: the channels that were counted
 * @bins: number of bins of each channel, 1 to %GST_VIDEO_HISTOGRAM_MAX_BINS; a
 *     sample of code value v is in bin `(v * bins) >> depth`
 * @columns: columns of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID; a pixel
 *     at x in the region is in column `x * columns / region_width`
 * @rows: rows of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID; a pixel at y in
 *     the region is in row `y * rows / region_height`
 * @timestamp: PTS of the buffer in ns, or %GST_CLOCK_TIME_NONE
 * @stream_time: stream time of the PTS in ns, or %GST_CLOCK_TIME_NONE
 * @running_time: running time of the PTS in ns, or %GST_CLOCK_TIME_NONE
 * @duration: duration of the buffer in ns, or %GST_CLOCK_TIME_NONE
 *
 * Describes what a histogram measures. It is known before the counts are.
 *
 * Since: 0.1
 */
struct _GstVideoHistogramInfo
{
  GstVideoFormat format;
  guint depth;
  guint width;
  guint height;
  guint region_x;
  guint region_y;
  guint region_width;
  guint region_height;
  GstVideoColorimetry colorimetry;
  GstVideoColorMatrix matrix;
  GstVideoHistogramChannels channels;
  guint bins;
  guint columns;
  guint rows;
  GstClockTime timestamp;
  GstClockTime stream_time;
  GstClockTime running_time;
  GstClockTime duration;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

/**
 * GST_TYPE_VIDEO_HISTOGRAM_INFO:
 *
 * The #GType of #GstVideoHistogramInfo.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_INFO (gst_video_histogram_info_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_info_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramInfo *gst_video_histogram_info_new (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramInfo *gst_video_histogram_info_copy (
    const GstVideoHistogramInfo * info);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_info_free (GstVideoHistogramInfo * info);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_info_init (GstVideoHistogramInfo * info);

/**
 * GST_TYPE_VIDEO_HISTOGRAM:
 *
 * The #GType of #GstVideoHistogram.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM (gst_video_histogram_get_type ())
/**
 * GST_VIDEO_HISTOGRAM:
 * @obj: a pointer to a #GstVideoHistogram
 *
 * Casts @obj to a #GstVideoHistogram pointer without a check.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM(obj) ((GstVideoHistogram *) (obj))
/**
 * GST_IS_VIDEO_HISTOGRAM:
 * @obj: (nullable): a pointer to a #GstMiniObject
 *
 * Checks whether @obj is a #GstVideoHistogram. %NULL is not.
 *
 * Since: 0.1
 */
#define GST_IS_VIDEO_HISTOGRAM(obj) \
    (GST_IS_MINI_OBJECT_TYPE (obj, GST_TYPE_VIDEO_HISTOGRAM))

GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogram *gst_video_histogram_new (const GstVideoHistogramInfo * info);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogram *gst_video_histogram_ref (GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_unref (GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
void gst_clear_video_histogram (GstVideoHistogram ** histogram_ptr);

GST_VIDEO_HISTOGRAM_API
const GstVideoHistogramInfo *gst_video_histogram_get_info (
    GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_histogram_get_backend (GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramState gst_video_histogram_get_state (
    GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_wait (GstVideoHistogram * histogram,
    GstClockTime timeout);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_set_counts (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row,
    const guint32 * counts, guint n_bins);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_histogram_get_counts (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint * n_bins);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_histogram_get_cell_counts (
    GstVideoHistogram * histogram, GstVideoHistogramChannel channel,
    guint column, guint row, guint * n_bins);

GST_VIDEO_HISTOGRAM_API
GBytes *gst_video_histogram_get_counts_bytes (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_histogram_get_pixels (GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_histogram_get_cell_pixels (GstVideoHistogram * histogram,
    guint column, guint row);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_histogram_get_channel_pixels (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_histogram_get_cell_channel_pixels (
    GstVideoHistogram * histogram, GstVideoHistogramChannel channel,
    guint column, guint row);

typedef struct _GstVideoHistogramDeviceView GstVideoHistogramDeviceView;

/**
 * GstVideoHistogramDeviceView: (skip)
 * @cuda_context: (type gpointer): the #GstCudaContext of @event and @counts
 * @event: a CUevent; the counts are complete when it has happened. A stream
 *     that reads them waits for it with cuStreamWaitEvent()
 * @counts: device address (CUdeviceptr) of the counts, #guint32 in the order
 *     [channel][row][column][value], for the channels that were counted
 * @n_values: number of values per channel and cell: the histogram's bins or,
 *     for 8-bit video and if there are more bins than code values, the number
 *     of code values; code value v is then in bin `(v * bins) >> depth`
 *
 * The counts of a histogram on the GPU that made them. Code on the same GPU
 * can read them without a copy to the host and without waiting there.
 *
 * Since: 0.1
 */
struct _GstVideoHistogramDeviceView
{
  gpointer cuda_context;
  gpointer event;
  guint64 counts;
  guint n_values;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_map_device (GstVideoHistogram * histogram,
    GstVideoHistogramDeviceView * view);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_unmap_device (GstVideoHistogram * histogram,
    GstVideoHistogramDeviceView * view);

/**
 * GstVideoHistogramStructureFlags:
 * @GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS: the counts of every channel
 * @GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS: the statistics of every channel
 *     and of the joint histogram
 * @GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES: together with
 *     %GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS: the counts as #GBytes of 32-bit
 *     little-endian numbers instead of arrays, which is much faster when there
 *     are many cells; ignored for JSON, which always has arrays (Since: 0.2)
 *
 * What gst_video_histogram_to_structure() and gst_video_histogram_to_json()
 * write in addition to the description of the frame.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS = 1 << 0,
  GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS = 1 << 1,
  GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES = 1 << 2,
} GstVideoHistogramStructureFlags;

GST_VIDEO_HISTOGRAM_API
GstStructure *gst_video_histogram_to_structure (GstVideoHistogram * histogram,
    GstVideoHistogramStructureFlags flags);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogram *gst_video_histogram_from_structure (
    const GstStructure * structure, GError ** error);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_histogram_to_json (GstVideoHistogram * histogram,
    GstVideoHistogramStructureFlags flags);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogram *gst_video_histogram_from_json (const gchar * json,
    GError ** error);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_histogram_channel_get_name (
    GstVideoHistogramChannel channel);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVideoHistogram, gst_video_histogram_unref)

G_END_DECLS
