/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcudacompat.h"

G_BEGIN_DECLS

/* Finds a context of device @device_id (-1: any). If @element is not NULL, its
 * neighbours and the application are asked first: their context arrives by
 * GstElement's set_context(), in this thread, whose handler stores it in
 * @context. Otherwise @context becomes the single context that this process
 * makes for the device, for as long as it is used: contexts are large. FALSE if
 * none can be made. */
gboolean vh_cuda_find_context (GstElement * element, gint device_id,
    GstCudaContext ** context);

G_END_DECLS
