/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Returns cameras to the GPU that had no room for them, once it decodes fewer
 * others. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

typedef struct _VhmGpuReturn VhmGpuReturn;

VhmGpuReturn *vhm_gpu_return_new (VhmFleet * fleet);

void vhm_gpu_return_free (VhmGpuReturn * gpu_return);

G_END_DECLS
