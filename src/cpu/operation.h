/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"
#include "loops.h"

G_BEGIN_DECLS

/* The CPU as one stream of frames uses it: the VhDevice of the CPU. */
typedef struct
{
  VhDevice parent;
  const VhLoops *loops;
  VhFrame frames[VH_DEVICE_MAX_FRAMES]; /* not in use without a view */
} VhCpuDevice;

static inline const VhLoops *
vh_cpu_loops (const VhDevice * device)
{
  return ((const VhCpuDevice *) device)->loops;
}

G_END_DECLS
