/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The devices of one stream: the CPU, and a GPU that is opened when it is first
 * requested. Only this file pair knows which devices there are. */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

typedef enum
{
  VH_ON_CPU,
  VH_ON_GPU,
  VH_N_DEVICES,
} VhWhere;

/* Used by one thread at a time, except for vh_devices_set_context() and
 * vh_devices_answer_context_query(). */
typedef struct _VhDevices VhDevices;

/* Returns closed devices. */
VhDevices *vh_devices_new (void);
void vh_devices_free (VhDevices * devices);

/* Opens the CPU, and the GPU with @config when it is first requested. The
 * devices must be closed. */
void vh_devices_open (VhDevices * devices, const VhDeviceConfig * config);

/* Operations must be closed before. Keeps the contexts. */
void vh_devices_close (VhDevices * devices);

/* Returns the device at @where, and opens it if necessary; the CPU is always
 * open. NULL with the error of the device's class if it cannot be opened; it is
 * not tried again before vh_devices_retry(). */
VhDevice *vh_devices_get (VhDevices * devices, VhWhere where, GError ** error);
void vh_devices_retry (VhDevices * devices);

/* As in messages and properties; static. */
const gchar *vh_where_name (VhWhere where);

/* Where frames of @caps should be. A frame's own memory decides: see
 * vh_where_view(). */
VhWhere vh_where_caps (GstCaps * caps);

/* Where the proven planes of @view are: on the GPU if any of them is. */
VhWhere vh_where_view (const VhFrameView * view);

/* Like vh_frame_view_init(), but also marks the view as not for the host if the
 * CPU cannot map its memory. */
gboolean vh_devices_view (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, guint planes, GError ** error);

/* vh_devices_new_pool() makes a pool of memories like the memory of @buffer,
 * and its configuration, which the caller completes and sets.
 * vh_devices_pool_fits() says whether @pool still matches @buffer. */
GstBufferPool *vh_devices_new_pool (GstBuffer * buffer, GstStructure ** config);
gboolean vh_devices_pool_fits (GstBufferPool * pool, GstBuffer * buffer);

/* GstContext, as in GstElement; called by any thread. A context that is set
 * while no GPU is open applies to each GPU that is opened later. */
void vh_devices_set_context (VhDevices * devices, GstContext * context);
gboolean vh_devices_answer_context_query (VhDevices * devices,
    GstQuery * query);

G_END_DECLS
