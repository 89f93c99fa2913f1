/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideojointhistogram.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramBackend:
 * @GST_VIDEO_HISTOGRAM_BACKEND_AUTO: the one that costs least on this machine
 * @GST_VIDEO_HISTOGRAM_BACKEND_CPU: the CPU
 * @GST_VIDEO_HISTOGRAM_BACKEND_CUDA: an NVIDIA GPU
 *
 * Where frames are counted. The counts are the same integers everywhere.
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
  GST_VIDEO_HISTOGRAM_BACKEND_CPU,
  GST_VIDEO_HISTOGRAM_BACKEND_CUDA,
} GstVideoHistogramBackend;

#define GST_TYPE_VIDEO_HISTOGRAM_BACKEND \
    (gst_video_histogram_backend_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_backend_get_type (void);

/**
 * GstVideoHistogramMethod:
 * @GST_VIDEO_HISTOGRAM_METHOD_AUTO: the fastest for the device and the frames
 * @GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS: a column of counters for each lane
 *     of a warp
 * @GST_VIDEO_HISTOGRAM_METHOD_REPLICATED: as many copies of each counter as fit
 *     in a block
 * @GST_VIDEO_HISTOGRAM_METHOD_PACKED_COUNTERS: counters of 16 bits in a block,
 *     which move what they cannot hold
 * @GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_ATOMICS: atomic additions to one table in
 *     global memory
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SCALAR: a table for each block, a sample at
 *     a time
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_VECTOR: a table for each block, 16 bytes at
 *     a time
 * @GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_COPIES: a table for each block in global
 *     memory
 * @GST_VIDEO_HISTOGRAM_METHOD_COARSENED_CONTIGUOUS: a table for each block, and
 *     for each thread a run of samples
 * @GST_VIDEO_HISTOGRAM_METHOD_COARSENED_INTERLEAVED: a table for each block,
 *     and threads that take many samples in turns
 * @GST_VIDEO_HISTOGRAM_METHOD_RUN_AGGREGATION: a table for each block, and one
 *     addition for each run of equal samples
 * @GST_VIDEO_HISTOGRAM_METHOD_TREE_REDUCTION: a table for each block, added up
 *     in pairs
 * @GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS: a table for each warp, without
 *     atomics: a counter carries the lane that wrote it
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES: a table for each thread, the lower
 *     bits of it in shared memory
 * @GST_VIDEO_HISTOGRAM_METHOD_BYTE_COUNTERS: a byte for each bin and thread, up
 *     to 64 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_WARP_TABLES: a table for each warp
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_ROW: a table of bytes for each
 *     thread, thread after thread, up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_COLUMN: a table of bytes for each
 *     thread, bin after bin, up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_PACKED: a table of bytes for each
 *     thread, four bins after four bins, up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_RADIX_SORT: sorting by bits, and the lengths of
 *     runs
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT: sorting by CUB, and the lengths of
 *     runs
 *
 * How a GPU counts; docs/algorithms.md describes each method and its use. The
 * counts are the same. The CPU chooses by itself.
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_METHOD_AUTO,
  GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS,
  GST_VIDEO_HISTOGRAM_METHOD_REPLICATED,
  GST_VIDEO_HISTOGRAM_METHOD_PACKED_COUNTERS,
  GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_ATOMICS,
  GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SCALAR,
  GST_VIDEO_HISTOGRAM_METHOD_BLOCK_VECTOR,
  GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_COPIES,
  GST_VIDEO_HISTOGRAM_METHOD_COARSENED_CONTIGUOUS,
  GST_VIDEO_HISTOGRAM_METHOD_COARSENED_INTERLEAVED,
  GST_VIDEO_HISTOGRAM_METHOD_RUN_AGGREGATION,
  GST_VIDEO_HISTOGRAM_METHOD_TREE_REDUCTION,
  GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS,
  GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES,
  GST_VIDEO_HISTOGRAM_METHOD_BYTE_COUNTERS,
  GST_VIDEO_HISTOGRAM_METHOD_WARP_TABLES,
  GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_ROW,
  GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_COLUMN,
  GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_PACKED,
  GST_VIDEO_HISTOGRAM_METHOD_RADIX_SORT,
  GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT,
} GstVideoHistogramMethod;

#define GST_TYPE_VIDEO_HISTOGRAM_METHOD \
    (gst_video_histogram_method_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_method_get_type (void);

/**
 * GstVideoHistogramOverload:
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_DROP: it is not counted
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT: it waits for room
 *
 * What is done with a frame for which the device has no room, because it has
 * too many in flight.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_OVERLOAD_DROP,
  GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT,
} GstVideoHistogramOverload;

#define GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD \
    (gst_video_histogram_overload_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_overload_get_type (void);

/**
 * GstVideoHistogramOverloadPolicy:
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO: drop in live pipelines and when
 *     video is late, else wait
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP: drop the analysis of the frame
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT: wait until there is room: every
 *     frame is analysed
 *
 * What an element does with a frame for which the device has no room: its
 * property `overload`.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO,
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP,
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT,
} GstVideoHistogramOverloadPolicy;

#define GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD_POLICY \
    (gst_video_histogram_overload_policy_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_overload_policy_get_type (void);

/**
 * GstVideoHistogramAttachMeta:
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO: if downstream requests it in its
 *     answer to the ALLOCATION query
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS: to every frame
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER: to no frame
 *
 * To which frames `videohistogram` attaches a #GstVideoHistogramMeta: its
 * property `attach-meta`.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO,
  GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS,
  GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER,
} GstVideoHistogramAttachMeta;

#define GST_TYPE_VIDEO_HISTOGRAM_ATTACH_META \
    (gst_video_histogram_attach_meta_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_attach_meta_get_type (void);

typedef struct _GstVideoHistogramSpec GstVideoHistogramSpec;

/**
 * GstVideoHistogramSpec:
 * @channels: what to count, at least one channel
 * @bins: bins of each channel, 1 to %GST_VIDEO_HISTOGRAM_MAX_BINS, or 0 to
 *     choose by depth: 256 for 8 bits, 1024 for up to 10, 4096 above
 * @columns: columns of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID
 * @rows: rows of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID
 * @region_x: left edge of what to count, in pixels of the picture
 * @region_y: top edge of what to count
 * @region_width: width of what to count, in pixels; 0 for the whole picture.
 *     Parts outside the picture are ignored
 * @region_height: height of what to count, in pixels; 0 for the whole picture
 * @method: how a GPU counts
 * @joint: the joint histogram to count as well, if any
 * @joint_bins: bins of each of its sides, 1 to
 *     %GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS, or 0 for 64; a sample of code value
 *     v is in bin `(v * joint_bins) >> depth`
 *
 * What to count of each frame.
 */
struct _GstVideoHistogramSpec
{
  GstVideoHistogramChannels channels;
  guint bins;
  guint columns;
  guint rows;
  guint region_x;
  guint region_y;
  guint region_width;
  guint region_height;
  GstVideoHistogramMethod method;
  GstVideoHistogramJoint joint;
  guint joint_bins;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

#define GST_TYPE_VIDEO_HISTOGRAM_SPEC (gst_video_histogram_spec_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_spec_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramSpec *gst_video_histogram_spec_new (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramSpec *gst_video_histogram_spec_copy (
    const GstVideoHistogramSpec * spec);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_spec_free (GstVideoHistogramSpec * spec);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_spec_init (GstVideoHistogramSpec * spec);

G_END_DECLS
