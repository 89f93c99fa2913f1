/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all pipelines share is given to them by a bus, at once, in the threads
 * that ask for it: the context of the GPU, and threads. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* To be called for the bus of each pipeline, before the pipeline starts. */
void vhm_bus_serve (GstBus * bus);

G_END_DECLS
