/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The devices of this process, one for each CUcontext. Thread-safe. */
#pragma once

#include "device.h"

G_BEGIN_DECLS

/* Returns the device of @context, and loads the kernels into it if they are not
 * loaded yet. On failure returns NULL, with @error (VH_ERROR_DEVICE) set, and
 * the driver's error in @result. */
VhCudaDevice *vh_cuda_device_get (const VhCudaDriver * driver,
    GstCudaContext * context, CUresult * result, GError ** error);

VhCudaDevice *vh_cuda_device_ref (VhCudaDevice * device);
void vh_cuda_device_unref (VhCudaDevice * device);

/* Records that the context is gone, or that the state of its kernels is
 * unknown: the next context with its address is a different one. */
void vh_cuda_device_forget (VhCudaDevice * device);

G_END_DECLS
