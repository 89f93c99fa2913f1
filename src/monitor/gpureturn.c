/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpureturn.h"

#include "decoder.h"
#include "gpu.h"

/* µs: a camera returns this often at most, and stays on the CPU for at least
 * this long. */
#define MIN_INTERVAL (10 * G_TIME_SPAN_SECOND)

struct _VhmGpuReturn
{
  VhmFleet *fleet;
  gint64 looked;                /* monotonic µs */
};

static gboolean
has_room (const VhmCamera * camera, gint64 now)
{
  return camera->gpu_beside && !camera->hardware
      && camera->state == VHM_CAMERA_UP
      && now - camera->gpu_refused >= MIN_INTERVAL
      && vhm_decoder_has_room (camera->gpu_beside);
}

static void
on_tick (gpointer data)
{
  VhmGpuReturn *gpu_return = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (gpu_return->fleet);
  const gint64 now = g_get_monotonic_time ();
  guint i;

  if (vhm_gpu_is_lost () || now - gpu_return->looked < MIN_INTERVAL)
    return;
  gpu_return->looked = now;
  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);

    if (has_room (camera, now)) {
      vhm_camera_return_to_gpu (camera);
      return;
    }
  }
}

static const VhmListener listener = {.tick = on_tick };

VhmGpuReturn *
vhm_gpu_return_new (VhmFleet * fleet)
{
  VhmGpuReturn *gpu_return = g_new0 (VhmGpuReturn, 1);

  gpu_return->fleet = fleet;
  vhm_fleet_add_listener (fleet, &listener, gpu_return);
  return gpu_return;
}

void
vhm_gpu_return_free (VhmGpuReturn * gpu_return)
{
  vhm_fleet_remove_listener (gpu_return->fleet, gpu_return);
  g_free (gpu_return);
}
