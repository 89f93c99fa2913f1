/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideojointhistogram.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramBackend:
 * @GST_VIDEO_HISTOGRAM_BACKEND_AUTO: the working backend that costs least on
 *     this machine
 * @GST_VIDEO_HISTOGRAM_BACKEND_CPU: the CPU
 * @GST_VIDEO_HISTOGRAM_BACKEND_CUDA: an NVIDIA GPU
 *
 * Where frames are counted. All backends give the same integers.
 *
 * Since: 0.1
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
  GST_VIDEO_HISTOGRAM_BACKEND_CPU,
  GST_VIDEO_HISTOGRAM_BACKEND_CUDA,
} GstVideoHistogramBackend;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_BACKEND:
 *
 * The #GType of #GstVideoHistogramBackend.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_BACKEND \
    (gst_video_histogram_backend_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_backend_get_type (void);

/**
 * GstVideoHistogramMethod:
 * @GST_VIDEO_HISTOGRAM_METHOD_AUTO: the fastest method for the device and the
 *     frames
 * @GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS: a column of counters per lane of a
 *     warp
 * @GST_VIDEO_HISTOGRAM_METHOD_REPLICATED: as many copies of each counter as
 *     fit in a block
 * @GST_VIDEO_HISTOGRAM_METHOD_PACKED_COUNTERS: 16-bit counters per block,
 *     which are emptied into the result before they overflow
 * @GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_ATOMICS: atomic additions to a single
 *     table in global memory
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SCALAR: a table per block, read sample by
 *     sample
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_VECTOR: a table per block, read 16 bytes
 *     at a time
 * @GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_COPIES: a table per block in global
 *     memory
 * @GST_VIDEO_HISTOGRAM_METHOD_COARSENED_CONTIGUOUS: a table per block; each
 *     thread takes a run of consecutive samples
 * @GST_VIDEO_HISTOGRAM_METHOD_COARSENED_INTERLEAVED: a table per block;
 *     threads take many samples in turn
 * @GST_VIDEO_HISTOGRAM_METHOD_RUN_AGGREGATION: a table per block, with one
 *     addition per run of equal samples
 * @GST_VIDEO_HISTOGRAM_METHOD_TREE_REDUCTION: a table per block; tables are
 *     added in pairs
 * @GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS: a table per warp without atomics;
 *     each counter carries the lane that wrote it
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES: a table per thread, with its
 *     lower bits in shared memory
 * @GST_VIDEO_HISTOGRAM_METHOD_BYTE_COUNTERS: a byte per bin and thread; up to
 *     64 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_WARP_TABLES: a table per warp
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_ROW: a table of bytes per thread,
 *     stored thread by thread; up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_COLUMN: a table of bytes per
 *     thread, stored bin by bin; up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_PACKED: a table of bytes per
 *     thread, stored in groups of four bins; up to 256 bins
 * @GST_VIDEO_HISTOGRAM_METHOD_RADIX_SORT: sorts by bits and counts the lengths
 *     of runs
 * @GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT: sorts with CUB and counts the
 *     lengths of runs
 *
 * How a GPU counts. Use %GST_VIDEO_HISTOGRAM_METHOD_AUTO, the fastest; the
 * other methods give the same counts and are for study and comparison:
 * docs/algorithms.md describes each. The CPU ignores this.
 *
 * Since: 0.1
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

/**
 * GST_TYPE_VIDEO_HISTOGRAM_METHOD:
 *
 * The #GType of #GstVideoHistogramMethod.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_METHOD \
    (gst_video_histogram_method_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_method_get_type (void);

/**
 * GstVideoHistogramOverload:
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_DROP: do not count the frame
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT: wait until there is room
 *
 * What an engine does with a frame when the device has too many frames in
 * flight to take another.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_OVERLOAD_DROP,
  GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT,
} GstVideoHistogramOverload;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD:
 *
 * The #GType of #GstVideoHistogramOverload.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD \
    (gst_video_histogram_overload_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_overload_get_type (void);

/**
 * GstVideoHistogramOverloadPolicy:
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO: drop in live pipelines and when
 *     video is late, otherwise wait
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP: skip the analysis of the frame
 * @GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT: wait until there is room, so that
 *     every frame is analysed
 *
 * Values of the `overload` property of elements: what to do with a frame when
 * the device has no room for it.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO,
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP,
  GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT,
} GstVideoHistogramOverloadPolicy;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD_POLICY:
 *
 * The #GType of #GstVideoHistogramOverloadPolicy.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HISTOGRAM_OVERLOAD_POLICY \
    (gst_video_histogram_overload_policy_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_overload_policy_get_type (void);

/**
 * GstVideoHistogramAttachMeta:
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO: when downstream asks for it in its
 *     answer to the ALLOCATION query
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS: to every frame
 * @GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER: to no frame
 *
 * Values of the `attach-meta` property of `videohistogram`: when to attach a
 * #GstVideoHistogramMeta to frames.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO,
  GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS,
  GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER,
} GstVideoHistogramAttachMeta;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_ATTACH_META:
 *
 * The #GType of #GstVideoHistogramAttachMeta.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HISTOGRAM_ATTACH_META \
    (gst_video_histogram_attach_meta_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_attach_meta_get_type (void);

typedef struct _GstVideoHistogramSpec GstVideoHistogramSpec;

/**
 * GstVideoHistogramSpec:
 * @channels: the channels to count, at least one
 * @bins: number of bins of each channel, 1 to %GST_VIDEO_HISTOGRAM_MAX_BINS; 0
 *     chooses by depth: 256 for 8 bits, 1024 for 9 and 10 bits, 4096 above
 * @columns: columns of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID
 * @rows: rows of the grid, 1 to %GST_VIDEO_HISTOGRAM_MAX_GRID
 * @region_x: left edge of the region to count, in pixels of the picture
 * @region_y: top edge of the region to count, in pixels of the picture
 * @region_width: width of the region in pixels, 0 for the whole picture; parts
 *     outside the picture are ignored
 * @region_height: height of the region in pixels, 0 for the whole picture;
 *     parts outside the picture are ignored
 * @method: how a GPU counts
 * @joint: the joint histogram to count as well, or
 *     %GST_VIDEO_HISTOGRAM_JOINT_NONE
 * @joint_bins: number of bins on each side of the joint histogram, 1 to
 *     %GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS, or 0 for 64; a sample of code value
 *     v is in bin `(v * joint_bins) >> depth`
 *
 * Describes what to count in each frame, and how. Fill it in with
 * gst_video_histogram_spec_init() and change the fields you need.
 *
 * Since: 0.1
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

/**
 * GST_TYPE_VIDEO_HISTOGRAM_SPEC:
 *
 * The #GType of #GstVideoHistogramSpec.
 *
 * Since: 0.1
 */
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
