/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#include "cudacontext.h"
#include "place.h"
#include "threads.h"

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, G_GNUC_UNUSED gpointer data)
{
  vhm_cuda_context_share (message);
  vhm_threads_adopt (bus, message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    vhm_place_explain (message);
  return GST_BUS_PASS;
}

void
vhm_bus_serve (GstBus * bus)
{
  gst_bus_set_sync_handler (bus, on_message, NULL, NULL);
}
