/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"
#include "loopslist.h"

G_BEGIN_DECLS

extern const VhDeviceClass vh_cpu_device_class;

/* Makes @device, of vh_cpu_device_class, use @loops for the operations that it
 * makes from now on. The machine must be able to run them. For tests and
 * benchmarks: open() chooses the best loops. */
void vh_cpu_device_use_loops (VhDevice * device, const VhLoops * loops);

G_END_DECLS
