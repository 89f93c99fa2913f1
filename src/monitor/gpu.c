/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpu.h"

#include "mainthread.h"
#include "threads.h"

#include <stdatomic.h>

/* Time between two tests, µs. */
#define TEST_INTERVAL (2 * G_TIME_SPAN_SECOND)
#define POLL_INTERVAL 50000

/* Time limit of a test, in steps. A working GPU needs a small fraction of
 * it. */
#define TEST_STEP (50 * GST_MSECOND)
#define MAX_TEST_STEPS 100

/* How long to wait for the end of a test, µs. */
#define MAX_STOP_TIME G_TIME_SPAN_SECOND

#define TEST_SIZE 64

static VhmGpuLost lost_func;    /* main thread only; NULL: called already, or
                                 * not started */
static gpointer lost_data;
static atomic_bool suspected, trying, had, lost, stopping;

static void
tell_lost (G_GNUC_UNUSED gpointer object, gpointer why)
{
  VhmGpuLost func = lost_func;

  lost_func = NULL;
  if (func)
    func (lost_data, why);
}

static gboolean
open_gpu (GstVideoHistogramEngine * engine, GError ** error)
{
  return gst_video_histogram_engine_open (engine,
      GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, error);
}

/* Whether the GPU is not lost: a lost one cannot be opened. */
static gboolean
can_open (void)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  const gboolean can = open_gpu (engine, NULL);

  g_object_unref (engine);
  return can;
}

/* Tests the GPU by using it. */
static void
count_frame (GstVideoHistogramEngine * engine)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "GRAY8", "width", G_TYPE_INT, TEST_SIZE, "height", G_TYPE_INT,
      TEST_SIZE, "framerate", GST_TYPE_FRACTION, 1, 1, NULL);
  GstBuffer *buffer = gst_buffer_new_wrapped (g_malloc0 (TEST_SIZE * TEST_SIZE),
      TEST_SIZE * TEST_SIZE);
  GstVideoHistogram *histogram = NULL;
  GstVideoHistogramSpec spec;
  guint i;

  gst_video_histogram_spec_init (&spec);
  if (gst_video_histogram_engine_configure (engine, caps, &spec, NULL))
    histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
        NULL);
  /* On a lost GPU it never completes. */
  for (i = 0; histogram && i < MAX_TEST_STEPS
      && !gst_video_histogram_wait (histogram, TEST_STEP) && can_open (); i++);
  gst_clear_video_histogram (&histogram);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

static void
try_gpu (void)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GError *error = NULL;

  if (open_gpu (engine, NULL)) {
    atomic_store (&had, TRUE);
    count_frame (engine);
    gst_video_histogram_engine_close (engine);
  }
  /* A GPU that is busy or out of memory can be opened; a lost one cannot. */
  if (!open_gpu (engine, &error) && atomic_load (&had)
      && !atomic_exchange (&lost, TRUE))
    vhm_main_thread_call (tell_lost, NULL, NULL, g_strdup (error->message),
        g_free);
  g_clear_error (&error);
  g_object_unref (engine);
}

static gboolean
is_over (void)
{
  return atomic_load (&lost) || atomic_load (&stopping);
}

/* A suspicion that arises during a test starts another one. */
static gpointer
gpu_thread (G_GNUC_UNUSED gpointer data)
{
  static gint64 tried;          /* monotonic µs; used by one thread at a time */

  do {
    while (!is_over () && atomic_exchange (&suspected, FALSE)) {
      while (!is_over () && tried
          && g_get_monotonic_time () - tried < TEST_INTERVAL)
        g_usleep (POLL_INTERVAL);
      if (!is_over ())
        try_gpu ();
      tried = g_get_monotonic_time ();
    }
    atomic_store (&trying, FALSE);
  } while (!is_over () && atomic_load (&suspected)
      && !atomic_exchange (&trying, TRUE));
  return NULL;
}

void
vhm_gpu_suspect (void)
{
  if (is_over ())
    return;
  atomic_store (&suspected, TRUE);
  /* Without a thread, the next suspicion tries again. */
  if (!atomic_exchange (&trying, TRUE)
      && !vhm_threads_run ("gpu", gpu_thread, NULL, NULL))
    atomic_store (&trying, FALSE);
}

gboolean
vhm_gpu_is_lost (void)
{
  return atomic_load (&lost);
}

gboolean
vhm_gpu_is_decoder (GstElementFactory * factory)
{
  return gst_element_factory_list_is_type (factory,
      GST_ELEMENT_FACTORY_TYPE_DECODER)
      && gst_element_factory_list_is_type (factory,
      GST_ELEMENT_FACTORY_TYPE_HARDWARE);
}

static gboolean
leaves_frames_on_gpu (GstElementFactory * factory)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw(memory:CUDAMemory)");
  const gboolean leaves =
      gst_element_factory_can_src_any_caps (factory, caps);

  gst_caps_unref (caps);
  return leaves;
}

/* These decoders have the same ranks as decoders on the CPU, so GStreamer would
 * choose by name. Their order among themselves does not change, and those below
 * GST_RANK_MARGINAL stay disabled. */
static void
prefer_decoders (void)
{
  GList *factories = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_DECODER
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO, GST_RANK_MARGINAL);
  GList *f;

  for (f = factories; f; f = f->next)
    if (vhm_gpu_is_decoder (f->data) && leaves_frames_on_gpu (f->data))
      gst_plugin_feature_set_rank (f->data, GST_RANK_PRIMARY
          + gst_plugin_feature_get_rank (f->data));
  gst_plugin_feature_list_free (factories);
}

void
vhm_gpu_start (VhmGpuLost func, gpointer data)
{
  lost_func = func;
  lost_data = data;
  prefer_decoders ();
  vhm_gpu_suspect ();
}

gboolean
vhm_gpu_stop (void)
{
  const gint64 end = g_get_monotonic_time () + MAX_STOP_TIME;

  lost_func = NULL;
  atomic_store (&stopping, TRUE);
  while (atomic_load (&trying) && g_get_monotonic_time () < end)
    g_usleep (10000);
  return !atomic_load (&trying);
}
