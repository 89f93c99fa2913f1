/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU that the tests of this folder run on: the driver double, which can be
 * told to be slow and to fail, or a real one. */
#pragma once

#include <gst/cuda/gstcudacontext.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/frame.h"
#include "double.h"

G_BEGIN_DECLS

#define TEST_CUDA "memory:CUDAMemory"

/* Of calls of the driver that allocate or free; for test_gpu_calls(). */
#define TEST_GPU_ALLOCATIONS "cuMemAlloc_v2", "cuMemAllocPitch_v2", \
    "cuMemFree_v2", "cuMemAllocAsync", "cuMemFreeAsync", "cuMemHostAlloc", \
    "cuMemAllocHost_v2", "cuMemFreeHost", \
    "cuEventCreate", "cuEventDestroy_v2", "cuStreamCreate", \
    "cuStreamDestroy_v2", "cuModuleLoadData", "cuModuleUnload", \
    "cuCtxCreate_v2", "cuCtxDestroy_v2"
#define TEST_GPU_COPIES "cuMemcpy2D_v2", "cuMemcpy2DAsync_v2", \
    "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2", \
    "cuMemcpyDtoD_v2"

/* How a frame that is counted whole is launched, and how all are. */
#define TEST_GPU_LAUNCH "cuLaunchKernelEx"
#define TEST_GPU_LAUNCHES "cuLaunchKernel", TEST_GPU_LAUNCH

/* NULL where the driver is a real one. */
const VhDouble *test_double (void);

/* A function of the driver by its name. */
gpointer test_driver_function (const gchar * name);

/* Whether @what has to be left out for want of the double; says so. */
gboolean test_leave_out (const gchar * what);

/* A GPU whose operations begin after a random time up to this. No effect on a
 * real one. */
void test_set_delay (guint microseconds);

/* Calls so far of the functions of the driver that are named; 0 on a real
 * one. */
guint test_gpu_calls (const gchar * name, ...) G_GNUC_NULL_TERMINATED;

/* Counts launches of the kernels whose names begin with @prefix from now on, or
 * none with NULL; and how many there were. No effect on a real one. */
void test_gpu_watch (const gchar * prefix);
gint test_gpu_watched (void);

/* What is allocated on the double, to compare with later. */
typedef struct
{
  guint n[VH_DOUBLE_N_KINDS];
} TestLive;

TestLive test_live (void);

/* Fails where more is allocated than @before. */
/* The kind of which more is left than @before and than a context keeps, or -1;
 * what is there @now. This looks for a while, since what is done with is given
 * back by another thread. */
gint test_live_find_left (const TestLive * before, TestLive * now);
void test_live_check (const TestLive * before);

/* Waits until the double has nothing to do. */
void test_gpu_finish (void);

/* @caps in CUDA memory. */
GstCaps *test_cuda_caps (GstCaps * caps);

/* Brings frames to the GPU: nvcodec's cudaupload in a harness. */
typedef struct
{
  GstHarness *h;
  GstCaps *caps;
} TestUploader;

/* To CUDA device @device; -1: any. */
void test_uploader_init (TestUploader * self, gint device);

/* To the first, where the contexts of all such are one if there is a GPU. */
void test_uploader_init_usual (TestUploader * self);

void test_uploader_clear (TestUploader * self);

/* Makes a size one that cudaupload copies whole: it copies no half of a pair of
 * pixels, and from 1.24 on it has no room for the last row of chroma of NV21 if
 * the height is odd. */
void test_upload_round_up (GstVideoFormat format, guint * width,
    guint * height);

/* A copy of @frame, which has @caps, in CUDA memory. */
GstBuffer *test_upload (TestUploader * self, GstBuffer * frame, GstCaps * caps);

/* The fixture of most tests: an uploader to any device, numbers that are the
 * same for each test, and what is counted where nothing else is said. The slow
 * one makes operations of the GPU begin after a random time. At the end of each
 * test the double must have seen no misuse, and is reset. */
extern TestUploader test_uploader;
extern TestRandom test_numbers;
extern GstVideoHistogramSpec test_spec;

#define TEST_GPU_SLOW 3000      /* microseconds, at most */

void test_gpu_setup (void);
void test_gpu_setup_slow (void);
void test_gpu_teardown (void);

/* The uploader gives back what it has, for another context. */
void test_gpu_renew_uploader (void);

/* The same, and fails if more is allocated than @before the test. */
void test_gpu_check_live (const TestLive * before);

/* A frame of NV12 from the numbers of the fixture, in CUDA memory of @uploader,
 * or in system memory where that is NULL. @caps: those of the same frame in
 * system memory; @expected: what the CPU counts in it. Both may be NULL. */
GstBuffer *test_gpu_frame (TestUploader * uploader, guint width, guint height,
    GstCaps ** caps, GstVideoHistogram ** expected);

/* The caps of such a frame where it is, for @t. */
void test_gpu_set_caps (TestElement * t, GstCaps * caps, gboolean cuda);

/* A copy of @frame, which it takes, that is of no pool: a pool would take the
 * memories back. */
GstBuffer *test_copy_off_pool (GstBuffer * frame);

/* How many of @memories something else holds; waits until there are none. */
guint test_count_held (GPtrArray * memories);
void test_wait_until_released (GPtrArray * memories);

/* The pool that @t offers for @caps to upstream where downstream has none, with
 * up to @n buffers, or as many as are wanted where that is 0. @allocator, which
 * may be NULL: what it offers besides. */
GstBufferPool *test_offered_pool (TestElement * t, GstCaps * caps, guint n,
    GstAllocator ** allocator);

/* That of the CUDA memory of @buffer; without a reference. */
GstCudaContext *test_context_of (GstBuffer * buffer);

/* A pool of up to @n frames of @caps, or as many as are wanted where that is 0,
 * in CUDA memory of @context. With @streamed, they are written on a stream of
 * their own, where GStreamer has that. */
GstBufferPool *test_cuda_pool_new (GstCudaContext * context, GstCaps * caps,
    guint n, gboolean streamed);

void test_pool_free (GstBufferPool * pool);

/* Writes @frame to @buffer, to the device if that is CUDA memory; if that has a
 * stream, without waiting for it. */
void test_fill (GstBuffer * buffer, const TestFrame * frame);

/* The bytes of @buffer, wherever they are. */
GBytes *test_read (GstBuffer * buffer);

/* Whether the pixels of two frames of @caps (in system memory) are the same,
 * wherever they are. */
gboolean test_same_picture (GstBuffer * a, GstBuffer * b, GstCaps * caps);

/* What to count, of all sorts. @caps gives the size of the picture. */
void test_spec_init_random (GstVideoHistogramSpec * spec, TestRandom * random,
    GstCaps * caps);

/* Makes @element count that. */
void test_set_spec (GstElement * element, const GstVideoHistogramSpec * spec);

/* An engine that counts what @spec says in frames of @caps on @backend. */
GstVideoHistogramEngine *test_engine_new (GstVideoHistogramBackend backend,
    GstCaps * caps, const GstVideoHistogramSpec * spec);

/* What the CPU counts in @buffer, which is in system memory. */
GstVideoHistogram *test_count_on_cpu (GstBuffer * buffer, GstCaps * caps,
    const GstVideoHistogramSpec * spec);

/* What is wrong with @histogram, which should have the counts of @expected, or
 * NULL. Waits for it. */
const gchar *test_compare (GstVideoHistogram * histogram,
    GstVideoHistogram * expected);

/* Fails where test_compare() finds something wrong. Takes both. */
void test_check_histogram (GstVideoHistogram * histogram,
    GstVideoHistogram * expected);

/* The histogram that @buffer carries; a new reference. */
GstVideoHistogram *test_get_histogram (GstBuffer * buffer);

/* Waits until @element is done with @n frames: processed, dropped or
 * skipped. */
void test_wait_for_frames (TestElement * t, guint64 n);

G_END_DECLS
