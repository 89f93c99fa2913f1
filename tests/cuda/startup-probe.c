/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For startup.py: reports what an element does on this machine.
 *
 * startup-probe BACKEND|equalize [COMMAND [CALL]]
 *
 * Goes to PLAYING, counts a few frames with videohistogram, or corrects them
 * with videoequalize, and stops. With COMMAND it runs that and does everything
 * again. With CALL, that call of the driver double fails for lack of a device.
 * Prints a line "key=value" for everything that happens. */
#include <dlfcn.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <stdio.h>
#include <stdlib.h>

#include "double.h"

#define NO_DEVICE 100

#define CAPS "video/x-raw,format=NV12,width=320,height=240,framerate=25/1"
#define N_FRAMES 2              /* as many as can be in flight */
#define SIZE (320 * 240 * 3 / 2)

static void
on_histogram (G_GNUC_UNUSED GstElement * element, GstVideoHistogram * histogram)
{
  guint n;
  const guint32 *counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &n);

  printf ("counted=%s%s\n", gst_video_histogram_get_backend (histogram),
      n == 256 && counts[7] == 320 * 240 ? "" : ", wrongly");
}

static gboolean equalize;

static void
say_properties (GstElement * element)
{
  gchar *backend, *reason;
  guint64 uncorrected;

  if (equalize) {
    g_object_get (element, "uncorrected", &uncorrected, NULL);
    printf ("uncorrected=%u\n", (guint) uncorrected);
    return;
  }
  g_object_get (element, "active-backend", &backend, "backend-reason", &reason,
      NULL);
  printf ("active-backend=%s\nbackend-reason=%s\n", backend ? backend : "",
      reason ? reason : "");
  g_free (backend);
  g_free (reason);
}

/* Takes all messages before it prints them: while it searches, the bus holds
 * its lock and frees messages, and with them pads, which post messages
 * themselves. */
static void
say_messages (GstBus * bus)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      printf ("error=%s\n", error->message);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      gst_message_parse_warning (message, &error, NULL);
      printf ("warning=%s\n", error->message);
    }
    g_clear_error (&error);
    gst_message_unref (message);
  }
}

/* Whether the contrast is higher than in the input. */
static gboolean
is_corrected (GstBuffer * buffer)
{
  guint8 bright = 0, dark = 0;

  gst_buffer_extract (buffer, 0, &bright, 1);
  gst_buffer_extract (buffer, 320 * 240 - 1, &dark, 1);
  return bright > dark + 100;
}

static void
run (GstElement * element)
{
  GstHarness *h;
  GstBuffer *buffer;
  guint i;

  if (gst_element_set_state (element, GST_STATE_READY) ==
      GST_STATE_CHANGE_FAILURE) {
    printf ("state=failed\n");
    say_properties (element);
    gst_element_set_state (element, GST_STATE_NULL);
    return;
  }
  printf ("state=ready\n");
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (h, CAPS);
  for (i = 0; i < N_FRAMES; i++) {
    buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
    gst_buffer_memset (buffer, 0, 7, SIZE);
    if (equalize)
      gst_buffer_memset (buffer, 0, 90, SIZE / 4);
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    if (equalize)
      printf ("corrected=%s\n", is_corrected (buffer) ? "yes" : "no");
    gst_buffer_unref (buffer);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  say_properties (element);
  gst_harness_teardown (h);
}

/* If the driver is loaded, frames in system memory are corrected without it. */
static void
break_driver (const gchar * call)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  VhDoubleOpen open;

  if (!library)
    return;
  *(void **) &open = dlsym (library, VH_DOUBLE_SYMBOL);
  open ()->fail_call (call, 1, NO_DEVICE, VH_DOUBLE_EVER);
}

int
main (int argc, char **argv)
{
  GstElement *element;
  GstBus *bus;

  gst_init (&argc, &argv);
  equalize = g_str_equal (argv[1], "equalize");
  element = gst_element_factory_make (equalize ? "videoequalize" :
      "videohistogram", NULL);
  if (!element) {
    printf ("element=none\n");
    return 1;
  }
  gst_object_ref_sink (element);
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  if (!equalize) {
    gst_util_set_object_arg (G_OBJECT (element), "backend", argv[1]);
    g_object_set (element, "interval", (guint64) 0, NULL);
    g_signal_connect (element, "histogram", G_CALLBACK (on_histogram), NULL);
  }

  run (element);
  say_messages (bus);
  if (argc > 2) {
    if (system (argv[2]) != 0)
      return 1;
    if (argc > 3)
      break_driver (argv[3]);
    printf ("again=\n");
    run (element);
    say_messages (bus);
  }
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  return 0;
}
