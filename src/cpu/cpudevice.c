/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU as a device: the thread that submits a frame processes it in
 * place. */
#include "cpudevice.h"
#include "core/error.h"
#include "corrector.h"
#include "counter.h"
#include "differencer.h"
#include "jointcounter.h"
#include "meter.h"
#include "operation.h"
#include "scope.h"

static VhDevice *
cpu_device_open (G_GNUC_UNUSED const VhDeviceConfig * config,
    G_GNUC_UNUSED GError ** error)
{
  VhCpuDevice *self = g_new0 (VhCpuDevice, 1);

  self->parent.klass = &vh_cpu_device_class;
  self->loops = vh_loops_list ()[0];
  return &self->parent;
}

static void
cpu_device_close (VhDevice * device)
{
  g_free (device);
}

static gboolean
cpu_device_configure (G_GNUC_UNUSED VhDevice * device,
    G_GNUC_UNUSED const VhLayout * layout, G_GNUC_UNUSED guint upload_planes,
    G_GNUC_UNUSED GError ** error)
{
  return TRUE;
}

static VhFrame *
cpu_device_begin (VhDevice * device, VhFrameView * view, VhFrameAccess access,
    G_GNUC_UNUSED gboolean wait, GError ** error)
{
  VhFrame *frame = ((VhCpuDevice *) device)->frames;
  guint n = 0;

  for (; n < VH_DEVICE_MAX_FRAMES && frame->view; n++)
    frame++;
  if (n == VH_DEVICE_MAX_FRAMES) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "%u frames are on the CPU "
        "already", n);
    return NULL;
  }
  if (!vh_frame_view_map (view, access == VH_FRAME_WRITE ? GST_MAP_READWRITE :
          GST_MAP_READ, error))
    return NULL;
  frame->view = view;
  return frame;
}

static gboolean
cpu_device_end (G_GNUC_UNUSED VhDevice * device, VhFrame * frame,
    G_GNUC_UNUSED GError ** error)
{
  vh_frame_view_unmap (frame->view);
  frame->view = NULL;
  return TRUE;
}

void
vh_cpu_device_use_loops (VhDevice * device, const VhLoops * loops)
{
  ((VhCpuDevice *) device)->loops = loops;
}

const VhDeviceClass vh_cpu_device_class = {
  .name = "cpu",
  .open = cpu_device_open,
  .close = cpu_device_close,
  .configure = cpu_device_configure,
  .begin = cpu_device_begin,
  .end = cpu_device_end,
  .new_counter = vh_cpu_counter_new,
  .new_joint_counter = vh_cpu_joint_counter_new,
  .new_differencer = vh_cpu_differencer_new,
  .new_meter = vh_cpu_meter_new,
  .new_corrector = vh_cpu_corrector_new,
  .new_scope = vh_cpu_scope_new,
};
