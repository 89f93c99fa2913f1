/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcudacompat.h"

G_BEGIN_DECLS

/* Finds a context of device @device_id (-1: any). Where @element is not NULL,
 * its neighbours and the application are asked first: what they have comes by
 * GstElement's set_context(), in this thread, and whoever handles that stores
 * it in @context. Else @context becomes the one context that this process has
 * of its own for the device, for as long as anybody uses it: contexts are
 * large. FALSE where none can be made. */
gboolean vh_cuda_find_context (GstElement * element, gint device_id,
    GstCudaContext ** context);

G_END_DECLS
