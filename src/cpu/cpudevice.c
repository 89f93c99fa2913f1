/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU as a device: the thread that submits a frame processes it in
 * place. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cpudevice.h"
#include "corrector.h"
#include "counter.h"
#include "differencer.h"
#include "jointcounter.h"
#include "meter.h"
#include "scope.h"

/* Frames that may be begun at once. */
#define MAX_FRAMES 2

typedef struct
{
  VhDevice parent;
  const VhLoops *loops;
  VhFrame frames[MAX_FRAMES];   /* a frame without a view is not in use */
} CpuDevice;

static VhDevice *
cpu_device_open (G_GNUC_UNUSED const VhDeviceConfig * config,
    G_GNUC_UNUSED GError ** error)
{
  CpuDevice *self = g_new0 (CpuDevice, 1);

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
  CpuDevice *self = (CpuDevice *) device;
  VhFrame *frame = self->frames;

  while (frame->view) {
    frame++;
    g_assert (frame < self->frames + MAX_FRAMES);
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

static VhCounter *
cpu_device_new_counter (VhDevice * device)
{
  return vh_cpu_counter_new (((CpuDevice *) device)->loops);
}

static VhJointCounter *
cpu_device_new_joint_counter (VhDevice * device)
{
  return vh_cpu_joint_counter_new (((CpuDevice *) device)->loops);
}

static VhCorrector *
cpu_device_new_corrector (VhDevice * device)
{
  return vh_cpu_corrector_new (((CpuDevice *) device)->loops);
}

static VhDifferencer *
cpu_device_new_differencer (VhDevice * device)
{
  return vh_cpu_differencer_new (((CpuDevice *) device)->loops);
}

static VhMeter *
cpu_device_new_meter (VhDevice * device)
{
  return vh_cpu_meter_new (((CpuDevice *) device)->loops);
}

static VhScope *
cpu_device_new_scope (VhDevice * device)
{
  return vh_cpu_scope_new (((CpuDevice *) device)->loops);
}

void
vh_cpu_device_use_loops (VhDevice * device, const VhLoops * loops)
{
  ((CpuDevice *) device)->loops = loops;
}

const VhDeviceClass vh_cpu_device_class = {
  .name = "cpu",
  .open = cpu_device_open,
  .close = cpu_device_close,
  .configure = cpu_device_configure,
  .begin = cpu_device_begin,
  .end = cpu_device_end,
  .new_counter = cpu_device_new_counter,
  .new_joint_counter = cpu_device_new_joint_counter,
  .new_differencer = cpu_device_new_differencer,
  .new_meter = cpu_device_new_meter,
  .new_corrector = cpu_device_new_corrector,
  .new_scope = cpu_device_new_scope,
};
