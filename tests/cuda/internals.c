/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "internals.h"

#include <gst/check/gstcheck.h>
#include <string.h>

#include "core/channels.h"
#include "cuda/context.h"
#include "cuda/devicetable.h"

VhDevice *
test_device_open (const VhDeviceClass * klass, GstClockTime max_wait)
{
  const VhDeviceConfig config = {
    .limits = {.late_after = max_wait,.correct_within = max_wait },
    .cuda_device_id = -1,
  };
  GError *error = NULL;
  VhDevice *device = klass->open (&config, &error);

  fail_unless (device != NULL, "%s", error ? error->message : "");
  return device;
}

TestGpu
test_gpu_limit (gint shared, gint multiprocessors)
{
  GstCudaContext *context = NULL;
  CUresult result;
  TestGpu gpu;
  guint i;

  fail_unless (vh_cuda_find_context (NULL, -1, &context));
  gpu.device = vh_cuda_device_get (vh_cuda_driver_get (NULL), context, &result,
      NULL);
  fail_unless (gpu.device != NULL);
  /* The context keeps the GPU's limits as they are when kernels are loaded. */
  fail_unless_equals_int (vh_cuda_device_push (gpu.device), CUDA_SUCCESS);
  for (i = 0; i < VH_CUDA_N_KERNELS; i++)
    vh_cuda_device_load (gpu.device, i);
  vh_cuda_device_pop (gpu.device);
  gst_object_unref (context);
  gpu.shared = gpu.device->shared_limit;
  gpu.multiprocessors = gpu.device->multiprocessors;
  if (shared > 0)
    gpu.device->shared_limit = MIN (gpu.shared, shared);
  gpu.device->multiprocessors = multiprocessors;
  return gpu;
}

void
test_gpu_restore (TestGpu * gpu)
{
  gpu->device->shared_limit = gpu->shared;
  gpu->device->multiprocessors = gpu->multiprocessors;
  vh_cuda_device_unref (gpu->device);
}

VhCudaDevice
test_gpu_model (gint shared)
{
  VhCudaDevice device = {
    .multiprocessors = 132,
    .threads_per_multiprocessor = 2048,
    .shared_limit = shared,
    .scratch_limit = 64 << 20,
  };
  guint i;

  for (i = 0; i < VH_CUDA_N_KERNELS; i++)
    device.max_threads[i] = 1024;
  return device;
}

VhCounts *
test_count_frame (VhDevice * device, VhCounter * counter,
    VhJointCounter * joint, const TestFrame * frame, const VhLayout * layout,
    const VhCountSpec * spec, VhJoint * work)
{
  VhCounts *counts = vh_counts_new (&spec->shape);
  VhFrameView view;
  VhFrame *begun;

  fail_unless (vh_frame_view_init (&view, layout, frame->buffer,
          vh_channels_planes (layout, joint ? VH_ALL_CHANNELS :
              spec->shape.channels), NULL));
  begun = device->klass->begin (device, &view, VH_FRAME_READ, TRUE, NULL);
  fail_unless (begun != NULL);
  fail_unless (counter->klass->submit (counter, begun, &view.picture, counts,
          NULL));
  fail_unless (!joint || joint->klass->submit (joint, begun, &view.picture,
          work, NULL));
  fail_unless (device->klass->end (device, begun, NULL));
  fail_unless (vh_counts_wait (counts, GST_CLOCK_TIME_NONE), "counting failed");
  return counts;
}

gboolean
test_same_counts (VhCounts * counts, GstVideoHistogram * expected)
{
  const VhCountsShape *shape = vh_counts_shape (counts);
  gboolean same = TRUE;
  guint c, column, row;

  for (c = 0; c < VH_N_CHANNELS; c++) {
    for (row = 0; row < shape->rows && (shape->channels & (1u << c)); row++) {
      for (column = 0; column < shape->columns; column++) {
        same &= memcmp (vh_counts_cell (counts, c, column, row),
            gst_video_histogram_get_cell_counts (expected, c, column, row,
                NULL), shape->bins * sizeof (guint32)) == 0;
      }
    }
  }
  return same;
}
