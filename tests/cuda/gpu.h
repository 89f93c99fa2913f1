/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU for the tests in this folder: the driver double, which can be told to
 * be slow and to fail, or a real one. */
#pragma once

#include <gst/cuda/gstcudacontext.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/frame.h"
#include "double.h"

G_BEGIN_DECLS

#define TEST_CUDA "memory:CUDAMemory"

/* Driver calls that allocate or free, for test_gpu_calls(). */
#define TEST_GPU_ALLOCATIONS "cuMemAlloc_v2", "cuMemAllocPitch_v2", \
    "cuMemFree_v2", "cuMemAllocAsync", "cuMemFreeAsync", "cuMemHostAlloc", \
    "cuMemAllocHost_v2", "cuMemFreeHost", \
    "cuEventCreate", "cuEventDestroy_v2", "cuStreamCreate", \
    "cuStreamDestroy_v2", "cuModuleLoadData", "cuModuleUnload", \
    "cuCtxCreate_v2", "cuCtxDestroy_v2"
#define TEST_GPU_COPIES "cuMemcpy2D_v2", "cuMemcpy2DAsync_v2", \
    "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2", \
    "cuMemcpyDtoD_v2"

/* The launch of a frame that is counted whole, and all launches. */
#define TEST_GPU_LAUNCH "cuLaunchKernelEx"
#define TEST_GPU_LAUNCHES "cuLaunchKernel", TEST_GPU_LAUNCH

/* NULL with a real driver. */
const VhDouble *test_double (void);

/* Looks up a function of the driver by name. */
gpointer test_driver_function (const gchar * name);

/* Whether @what must be skipped because it needs the double; prints a
 * message. */
gboolean test_leave_out (const gchar * what);

/* GPU operations start after a random time up to this. No effect on a real
 * GPU. */
void test_set_delay (guint microseconds);

/* Number of calls so far of the named driver functions; 0 with a real
 * driver. */
guint test_gpu_calls (const gchar * name, ...) G_GNUC_NULL_TERMINATED;

/* Counts launches of kernels whose names start with @prefix from now on, or
 * stops with NULL; and returns the count. No effect on a real GPU. */
void test_gpu_watch (const gchar * prefix);
gint test_gpu_watched (void);

/* Objects that exist on the double, to compare with later. */
typedef struct
{
  guint n[VH_DOUBLE_N_KINDS];
} TestLive;

TestLive test_live (void);

/* Returns the kind with more objects left than @before and than a context
 * keeps, or -1, and the objects @now. This waits for a while, because another
 * thread frees objects that are done. */
gint test_live_find_left (const TestLive * before, TestLive * now);

/* Fails if there are more objects than @before, apart from those that a context
 * keeps. */
void test_live_check (const TestLive * before);

/* Waits until the double is idle. */
void test_gpu_finish (void);

/* Returns @caps with the CUDA memory feature. */
GstCaps *test_cuda_caps (GstCaps * caps);

/* Uploads frames to the GPU: nvcodec's cudaupload in a harness. */
typedef struct
{
  GstHarness *h;
  GstCaps *caps;
} TestUploader;

/* For CUDA device @device; -1: any. */
void test_uploader_init (TestUploader * self, gint device);

void test_uploader_clear (TestUploader * self);

/* Rounds up to a size that cudaupload copies completely: it does not copy half
 * of a pair of pixels, and from 1.24 on it omits the last row of chroma of NV21
 * if the height is odd. */
void test_upload_round_up (GstVideoFormat format, guint * width,
    guint * height);

/* Returns a copy of @frame, which has @caps, in CUDA memory. */
GstBuffer *test_upload (TestUploader * self, GstBuffer * frame, GstCaps * caps);

/* The fixture of most tests: an uploader to any device, random numbers that are
 * the same for each test, and the default request. The slow variant delays GPU
 * operations by a random time. At the end of each test the double must have
 * seen no misuse, and is reset. */
extern TestUploader test_uploader;
extern TestRandom test_numbers;
extern GstVideoHistogramSpec test_spec;

#define TEST_GPU_SLOW 3000      /* microseconds at most */

void test_gpu_setup (void);
void test_gpu_setup_slow (void);
void test_gpu_teardown (void);

/* The uploader releases its context and gets another one. */
void test_gpu_renew_uploader (void);

/* Likewise, and fails if more objects exist than @before the test. */
void test_gpu_check_live (const TestLive * before);

/* An NV12 frame from the fixture's numbers, in CUDA memory of @uploader, or in
 * system memory if NULL. @caps: those of the same frame in system memory;
 * @expected: the CPU's counts. Both may be NULL. */
GstBuffer *test_gpu_frame (TestUploader * uploader, guint width, guint height,
    GstCaps ** caps, GstVideoHistogram ** expected);

/* Sets the caps of such a frame on @t, for its memory. */
void test_gpu_set_caps (TestElement * t, GstCaps * caps, gboolean cuda);

/* Replaces @frame by a copy that belongs to no pool, because a pool would take
 * the memories back. Takes @frame. */
GstBuffer *test_copy_off_pool (GstBuffer * frame);

/* How many of @memories are held by something else; waits until none is. */
guint test_count_held (GPtrArray * memories);
void test_wait_until_released (GPtrArray * memories);

/* The pool that @t offers upstream for @caps if downstream has none, with up to
 * @n buffers, or any number if 0. @allocator, which may be NULL, receives the
 * offered allocator. */
GstBufferPool *test_offered_pool (TestElement * t, GstCaps * caps, guint n,
    GstAllocator ** allocator);

/* The context of the CUDA memory in @buffer; borrowed. */
GstCudaContext *test_context_of (GstBuffer * buffer);

/* A pool of up to @n frames of @caps, or any number if 0, in CUDA memory of
 * @context. With @streamed they are written on a stream of their own, if
 * GStreamer supports that. */
GstBufferPool *test_cuda_pool_new (GstCudaContext * context, GstCaps * caps,
    guint n, gboolean streamed);

void test_pool_free (GstBufferPool * pool);

/* Writes @frame to @buffer, in system memory or in CUDA memory. If the CUDA
 * memory has a stream, does not wait for the write. */
void test_fill (GstBuffer * buffer, const TestFrame * frame);

/* The bytes of @buffer, in any memory. */
GBytes *test_read (GstBuffer * buffer);

/* Whether two frames of @caps (in system memory) have the same pixels, in any
 * memory. */
gboolean test_same_picture (GstBuffer * a, GstBuffer * b, GstCaps * caps);

/* A random request. @caps gives the size of the picture. */
void test_spec_init_random (GstVideoHistogramSpec * spec, TestRandom * random,
    GstCaps * caps);

/* Sets the properties of @element to this request. */
void test_set_spec (GstElement * element, const GstVideoHistogramSpec * spec);

/* An engine for @spec and frames of @caps on @backend. */
GstVideoHistogramEngine *test_engine_new (GstVideoHistogramBackend backend,
    GstCaps * caps, const GstVideoHistogramSpec * spec);

/* The CPU's counts of @buffer, which is in system memory. */
GstVideoHistogram *test_count_on_cpu (GstBuffer * buffer, GstCaps * caps,
    const GstVideoHistogramSpec * spec);

/* Returns the difference between @histogram and the counts of @expected, or
 * NULL. Waits for it. */
const gchar *test_compare (GstVideoHistogram * histogram,
    GstVideoHistogram * expected);

/* Fails if test_compare() finds a difference. Takes both. */
void test_check_histogram (GstVideoHistogram * histogram,
    GstVideoHistogram * expected);

/* The histogram attached to @buffer; a new reference. */
GstVideoHistogram *test_get_histogram (GstBuffer * buffer);

/* Waits until @element is done with @n frames: processed, dropped or
 * skipped. */
void test_wait_for_frames (TestElement * t, guint64 n);

G_END_DECLS
