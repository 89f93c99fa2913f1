/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin with a JPEG decoder that claims to be hardware and leaves its frames
 * on the GPU, which is the driver double. It stands in for NVDEC.
 *
 * Environment: TEST_GPU_LOST=file: once the file exists, every driver call
 * returns CUDA_ERROR_ILLEGAL_ADDRESS. TEST_BURDEN=1: from then on other
 * threads keep the CPU busy. TEST_DECODER_FAILS=n: each decoder fails after
 * n frames. TEST_DECODERS=n: the GPU has room for n decoders; another one gives
 * no frame or, with TEST_REFUSES=state, does not start. TEST_SLOW_CREATION=1:
 * with its first buffer, each takes a while, during which another one that does
 * so fails. */
#include "double.h"

#include <dlfcn.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <unistd.h>

#define ILLEGAL_ADDRESS 700

/* How long a decoder is created with TEST_SLOW_CREATION, µs. */
#define CREATION_TIME 200000

/* Threads that keep a CPU busy. */
#define BURDEN 64

G_DECLARE_FINAL_TYPE (TestHardware, test_hardware, TEST, HARDWARE, GstBin);

struct _TestHardware
{
  GstBin parent;
  guint frames;
  gboolean refused;             /* there is no room for it */
};

G_DEFINE_TYPE (TestHardware, test_hardware, GST_TYPE_BIN);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw(memory:CUDAMemory)"));

static gint n_decoders;         /* that are open */

static void
lose_gpu (void)
{
  void *libcuda = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  VhDoubleOpen open =
      (VhDoubleOpen) (libcuda ? dlsym (libcuda, VH_DOUBLE_SYMBOL) : NULL);

  if (!open)
    g_error ("this is not the driver double");
  open ()->fail_call (NULL, 1, ILLEGAL_ADDRESS, VH_DOUBLE_ALL);
}

static gpointer
spin (gpointer data)
{
  volatile guint *counter = data;

  while (TRUE)
    ++*counter;
  return NULL;
}

static GstPadProbeReturn
on_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  static gint lost;
  static guint counters[BURDEN];
  const gchar *file = g_getenv ("TEST_GPU_LOST");
  const gchar *fails = g_getenv ("TEST_DECODER_FAILS");
  TestHardware *self = data;
  guint i;

  if (file && !access (file, F_OK)
      && g_atomic_int_compare_and_exchange (&lost, FALSE, TRUE)) {
    lose_gpu ();
    for (i = 0; i < BURDEN && g_getenv ("TEST_BURDEN"); i++)
      g_thread_unref (g_thread_new ("burden", spin, &counters[i]));
  }
  if (self->refused) {
    gst_clear_buffer ((GstBuffer **) & GST_PAD_PROBE_INFO_DATA (info));
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_NEGOTIATED;
    return GST_PAD_PROBE_HANDLED;
  }
  if (fails && ++self->frames == (guint) atoi (fails)) {
    GST_ELEMENT_ERROR (self, STREAM, DECODE, ("it cannot decode any more"),
        (NULL));
    return GST_PAD_PROBE_DROP;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_first_buffer (G_GNUC_UNUSED GstPad * pad,
    G_GNUC_UNUSED GstPadProbeInfo * info, gpointer data)
{
  static gint creating;

  if (g_atomic_int_add (&creating, 1) > 0)
    GST_ELEMENT_ERROR (data, LIBRARY, INIT, ("another one is being created"),
        (NULL));
  g_usleep (CREATION_TIME);
  g_atomic_int_add (&creating, -1);
  return GST_PAD_PROBE_REMOVE;
}

static void
add_ghost (TestHardware * self, GstElement * element, const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_element_add_pad (GST_ELEMENT (self), gst_ghost_pad_new (name, pad));
  gst_object_unref (pad);
}

static void
test_hardware_init (TestHardware * self)
{
  GstElement *decoder = gst_element_factory_make ("jpegdec", NULL);
  GstElement *upload = gst_element_factory_make ("cudaupload", NULL);
  GstElement *filter = gst_element_factory_make ("capsfilter", NULL);
  GstCaps *caps = gst_static_pad_template_get_caps (&src_template);
  GstPad *pad;

  g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  gst_bin_add_many (GST_BIN (self), decoder, upload, filter, NULL);
  gst_element_link_many (decoder, upload, filter, NULL);
  add_ghost (self, decoder, "sink");
  add_ghost (self, filter, "src");
  pad = gst_element_get_static_pad (decoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, self, NULL);
  gst_object_unref (pad);
  if (!g_getenv ("TEST_SLOW_CREATION"))
    return;
  pad = gst_element_get_static_pad (decoder, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_first_buffer, self,
      NULL);
  gst_object_unref (pad);
}

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  const gchar *most = g_getenv ("TEST_DECODERS");
  TestHardware *self = (TestHardware *) element;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->refused = most
        && g_atomic_int_add (&n_decoders, 1) >= atoi (most);
    if (self->refused && !g_strcmp0 (g_getenv ("TEST_REFUSES"), "state")) {
      g_atomic_int_add (&n_decoders, -1);
      return GST_STATE_CHANGE_FAILURE;
    }
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && most)
    g_atomic_int_add (&n_decoders, -1);
  return GST_ELEMENT_CLASS (test_hardware_parent_class)->change_state (element,
      transition);
}

static void
test_hardware_class_init (TestHardwareClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Hardware",
      "Codec/Decoder/Video/Hardware", "Decodes JPEG into CUDA memory",
      "gst-videohistogram");
}

/* With the rank of jpegdec, that one would be chosen first. */
static gboolean
plugin_init (GstPlugin * plugin)
{
  return gst_element_register (plugin, "testhardwaredec", GST_RANK_SECONDARY,
      test_hardware_get_type ());
}

#define PACKAGE "tests"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, testhardware,
    "A decoder that says that it is hardware", plugin_init, "1.0", "LGPL",
    "gst-videohistogram", "https://example.org")
