/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcudacompat.h"

G_BEGIN_DECLS

/* Finds a context of device @device_id (-1: any). If @element is not NULL,
 * first asks its neighbours and the application: their context arrives in this
 * thread through GstElement's set_context(), which stores it in @context. If
 * nobody answers, @context becomes the one context that this process makes for
 * the device, because contexts are large; it lives while it is used. FALSE if a
 * context cannot be made. */
gboolean vh_cuda_find_context (GstElement * element, gint device_id,
    GstCudaContext ** context);

G_END_DECLS
