/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramChannel:
 * @GST_VIDEO_HISTOGRAM_CHANNEL_LUMA: Y' as it is in YUV and grey video,
 *     weighted from R'G'B' in RGB video
 * @GST_VIDEO_HISTOGRAM_CHANNEL_RED: R' as it is in RGB video, converted in YUV
 * @GST_VIDEO_HISTOGRAM_CHANNEL_GREEN: G', in the same way
 * @GST_VIDEO_HISTOGRAM_CHANNEL_BLUE: B', in the same way
 * @GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT: the absolute difference of luma and
 *     that of the pixel to the right, where both are in the region; Since: 0.2
 *
 * One channel of a histogram.
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
 * How many values #GstVideoHistogramChannel has.
 */
#define GST_VIDEO_HISTOGRAM_N_CHANNELS 5

/**
 * GstVideoHistogramChannels:
 * @GST_VIDEO_HISTOGRAM_CHANNELS_LUMA: count luma
 * @GST_VIDEO_HISTOGRAM_CHANNELS_RED: count red
 * @GST_VIDEO_HISTOGRAM_CHANNELS_GREEN: count green
 * @GST_VIDEO_HISTOGRAM_CHANNELS_BLUE: count blue
 * @GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT: count differences of luma; Since: 0.2
 *
 * A set of channels: bit `1 << channel` for each #GstVideoHistogramChannel.
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_CHANNELS_LUMA = 1 << 0,
  GST_VIDEO_HISTOGRAM_CHANNELS_RED = 1 << 1,
  GST_VIDEO_HISTOGRAM_CHANNELS_GREEN = 1 << 2,
  GST_VIDEO_HISTOGRAM_CHANNELS_BLUE = 1 << 3,
  GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT = 1 << 4,
} GstVideoHistogramChannels;

#define GST_TYPE_VIDEO_HISTOGRAM_CHANNELS \
    (gst_video_histogram_channels_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_channels_get_type (void);

/**
 * GST_VIDEO_HISTOGRAM_CHANNELS_RGB: (skip)
 *
 * Red, green and blue.
 */
#define GST_VIDEO_HISTOGRAM_CHANNELS_RGB \
    ((GstVideoHistogramChannels) (GST_VIDEO_HISTOGRAM_CHANNELS_RED | \
            GST_VIDEO_HISTOGRAM_CHANNELS_GREEN | \
            GST_VIDEO_HISTOGRAM_CHANNELS_BLUE))

/**
 * GST_VIDEO_HISTOGRAM_MAX_BINS:
 *
 * The most bins that a channel can have.
 */
#define GST_VIDEO_HISTOGRAM_MAX_BINS 65536

/**
 * GST_VIDEO_HISTOGRAM_MAX_GRID:
 *
 * The most columns, and the most rows, that a grid can have.
 */
#define GST_VIDEO_HISTOGRAM_MAX_GRID 64

/**
 * GST_VIDEO_HISTOGRAM_MIN_TIME: (value 1000000)
 *
 * The shortest time that a setting takes, other than 0: a millisecond, in ns.
 * No frame is shorter, so a smaller number was meant in another unit.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HISTOGRAM_MIN_TIME (G_GUINT64_CONSTANT (1000000))

/**
 * GST_VIDEO_HISTOGRAM_MAX_COUNTERS: (value 16777216)
 *
 * The most counters (channels x cells x bins) that one histogram can have:
 * 64 MiB of them.
 */
#define GST_VIDEO_HISTOGRAM_MAX_COUNTERS (G_GUINT64_CONSTANT (1) << 24)

/**
 * GstVideoHistogramState:
 * @GST_VIDEO_HISTOGRAM_STATE_PENDING: the counts are still being made
 * @GST_VIDEO_HISTOGRAM_STATE_COMPLETE: the counts are available and final
 * @GST_VIDEO_HISTOGRAM_STATE_FAILED: counting failed; there are no counts
 *
 * The state of a histogram. It leaves PENDING once, and for ever.
 */
typedef enum
{
  GST_VIDEO_HISTOGRAM_STATE_PENDING,
  GST_VIDEO_HISTOGRAM_STATE_COMPLETE,
  GST_VIDEO_HISTOGRAM_STATE_FAILED,
} GstVideoHistogramState;

/**
 * GstVideoHistogramError:
 * @GST_VIDEO_HISTOGRAM_ERROR_BACKEND: the requested backend cannot be used here
 * @GST_VIDEO_HISTOGRAM_ERROR_FORMAT: the caps are of a format that cannot be
 *     counted
 * @GST_VIDEO_HISTOGRAM_ERROR_SPEC: the request makes no sense for these caps,
 *     such as a region outside the picture
 * @GST_VIDEO_HISTOGRAM_ERROR_FRAME: the buffer does not hold the frame that its
 *     caps and metas promise; it was not read
 * @GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD: too much work is in flight; the frame
 *     was not counted
 * @GST_VIDEO_HISTOGRAM_ERROR_DEVICE: the device failed while counting
 * @GST_VIDEO_HISTOGRAM_ERROR_PARSE: what was to be read is not a histogram, not
 *     the rules or not the state of a #GstVideoHealth; Since: 0.2
 *
 * Codes of #GST_VIDEO_HISTOGRAM_ERROR.
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

#define GST_VIDEO_HISTOGRAM_ERROR (gst_video_histogram_error_quark ())
GST_VIDEO_HISTOGRAM_API
GQuark gst_video_histogram_error_quark (void);

typedef struct _GstVideoHistogram GstVideoHistogram;
typedef struct _GstVideoHistogramInfo GstVideoHistogramInfo;

/**
 * GstVideoHistogramInfo:
 * @format: format of the video that was measured
 * @depth: bits of a sample, 8 to 16
 * @width: width of the picture in pixels, after any #GstVideoCropMeta
 * @height: height of the picture in pixels, after any #GstVideoCropMeta
 * @region_x: left edge of what was counted, in pixels of the picture
 * @region_y: top edge of what was counted
 * @region_width: width of what was counted, in pixels
 * @region_height: height of what was counted, in pixels
 * @colorimetry: colorimetry of the video, as the caps give it; its range is
 *     that of the code values, and is always known
 * @matrix: matrix used for luma of RGB, or RGB of YUV
 * @channels: the channels that were counted
 * @bins: bins of each channel, 1 to %GST_VIDEO_HISTOGRAM_MAX_BINS; a sample of
 *     code value v is in bin `(v * bins) >> depth`
 * @columns: columns of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID; the pixel
 *     at x in the region is in column `x * columns / region_width`
 * @rows: rows of the grid, in the same range
 * @timestamp: PTS of the buffer in ns, or %GST_CLOCK_TIME_NONE
 * @stream_time: stream time of the PTS in ns, or %GST_CLOCK_TIME_NONE
 * @running_time: running time of the PTS in ns, or %GST_CLOCK_TIME_NONE
 * @duration: duration of the buffer in ns, or %GST_CLOCK_TIME_NONE
 *
 * What a histogram measures. All of it is known before the counts are.
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

#define GST_TYPE_VIDEO_HISTOGRAM (gst_video_histogram_get_type ())
#define GST_VIDEO_HISTOGRAM(obj) ((GstVideoHistogram *) (obj))
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
 * @cuda_context: (type gpointer): the #GstCudaContext that all of this is of
 * @event: the CUevent after which the counts are complete: a stream that reads
 *     them waits for it with cuStreamWaitEvent()
 * @counts: device address (CUdeviceptr) of the counts, #guint32, in the order
 *     [channel][row][column][value], of the channels that were counted
 * @n_values: values of each channel and cell: the histogram's bins or, for
 *     8-bit video and for more bins than code values, the code values, of which
 *     v is in bin `(v * bins) >> depth`
 *
 * A histogram's counts on the GPU that made them, for consumers there: they
 * need neither a copy through the host nor a wait on it.
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
 * @GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS: the statistics of every channel,
 *     and those of the joint histogram
 * @GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES: the counts, if they are written, as
 *     #GBytes of 32-bit little-endian numbers instead of arrays: of many cells
 *     that takes a small part of the time. JSON always has arrays
 *
 * What gst_video_histogram_to_structure() writes besides the description of
 * what was measured.
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
