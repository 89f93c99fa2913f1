/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cudacontext.h"

#define TYPE "gst.cuda.context"

static GMutex lock;
static GstContext *shared;      /* or NULL */

/* Only elements can create contexts. An element of a pipeline would create its
 * own too late for others that need one at the same time, so an extra element
 * creates it here. */
static GstContext *
make_context (void)
{
  GstElement *maker = gst_element_factory_make ("cudaupload", NULL);
  GstContext *context = NULL;
  GstMessage *message;
  GstBus *bus;

  if (!maker)
    return NULL;
  bus = gst_bus_new ();
  gst_element_set_bus (maker, bus);
  gst_element_set_state (maker, GST_STATE_PAUSED);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_HAVE_CONTEXT);
  if (message) {
    gst_message_parse_have_context (message, &context);
    gst_message_unref (message);
  }
  gst_element_set_state (maker, GST_STATE_NULL);
  gst_object_unref (maker);
  gst_object_unref (bus);
  return context;
}

void
vhm_cuda_context_share (GstMessage * message)
{
  const gchar *type;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_NEED_CONTEXT
      || !gst_message_parse_context_type (message, &type)
      || !g_str_equal (type, TYPE))
    return;
  g_mutex_lock (&lock);
  if (!shared)
    shared = make_context ();
  if (shared)
    gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), shared);
  g_mutex_unlock (&lock);
}

void
vhm_cuda_context_clear (void)
{
  if (shared)
    gst_context_unref (shared);
  shared = NULL;
}
