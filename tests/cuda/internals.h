/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of the CUDA backend, for tests that use them without an engine. */
#pragma once

#include "core/device.h"
#include "core/layout.h"
#include "cuda/device.h"
#include "gpu.h"

G_BEGIN_DECLS

/* Opens a device of @klass that gives each frame up to @max_wait. */
VhDevice *test_device_open (const VhDeviceClass * klass, GstClockTime max_wait);

/* The GPU that devices count on, with other limits until they are restored. */
typedef struct
{
  VhCudaDevice *device;
  gint shared, multiprocessors; /* the original values */
} TestGpu;

/* @shared: bytes per block at most; 0: as it is. */
TestGpu test_gpu_limit (gint shared, gint multiprocessors);
void test_gpu_restore (TestGpu * gpu);

/* A GPU like an H200, with all kernels and this much shared memory per block;
 * not opened. */
VhCudaDevice test_gpu_model (gint shared);

/* Counts @frame as @spec says, with @device and @counter, which are configured
 * for it; with @joint also does @work. */
VhCounts *test_count_frame (VhDevice * device, VhCounter * counter,
    VhJointCounter * joint, const TestFrame * frame, const VhLayout * layout,
    const VhCountSpec * spec, VhJoint * work);

/* Whether @counts are those of @expected. */
gboolean test_same_counts (VhCounts * counts, GstVideoHistogram * expected);

G_END_DECLS
