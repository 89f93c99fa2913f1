/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sweepfixture.h"

#include "common/memory.h"

static gchar **formats;

void
sweep_setup (void)
{
  GstCaps *caps = gst_video_histogram_engine_get_caps ();

  formats = test_caps_list_formats (caps);
  gst_caps_unref (caps);
}

void
sweep_teardown (void)
{
  g_strfreev (formats);
}

GstVideoFormat
sweep_format (TestRandom * random)
{
  return gst_video_format_from_string (formats[test_random_below (random,
              g_strv_length (formats))]);
}

const gchar *
sweep_colorimetry (TestRandom * random)
{
  static const gchar *const colorimetries[] = {
    NULL, "bt601", "bt709", "bt2020-10", "sRGB",
    /* range:matrix:transfer:primaries */
    "1:4:0:0", "2:3:0:0", "2:1:0:0",
  };

  return colorimetries[test_random_below (random,
          G_N_ELEMENTS (colorimetries))];
}

GstBuffer *
sweep_buffer (const TestFrame * frame, const guint8 * image)
{
  GstBuffer *buffer = test_buffer_guarded (image, frame->size);

  test_buffer_add_metas (buffer, gst_buffer_get_video_meta (frame->buffer),
      gst_buffer_get_video_crop_meta (frame->buffer));
  return buffer;
}

void
sweep_view (VhFrameView * view, const VhLayout * layout, GstBuffer * buffer)
{
  const guint n_planes = GST_VIDEO_INFO_N_PLANES (&layout->info);
  GError *error = NULL;

  fail_unless (vh_frame_view_init (view, layout, buffer, (1u << n_planes) - 1,
          &error), "%s", error ? error->message : "");
}

VhFrameView
sweep_view_image (const VhLayout * layout, const TestFrame * frame)
{
  VhFrameView view = {.layout = layout };
  guint p;

  for (p = 0; p < frame->n_planes; p++) {
    view.plane[p].data = frame->image + frame->offset[p];
    view.plane[p].stride = frame->stride[p];
  }
  return view;
}

VhRect
sweep_region (const TestFrame * frame, const GstVideoHistogramSpec * spec)
{
  VhRect region = {
    .x = frame->x + spec->region_x,
    .y = frame->y + spec->region_y,
    .width = frame->width,
    .height = frame->height,
  };

  if (spec->region_width > 0) {
    region.width = MIN (spec->region_width, frame->width - spec->region_x);
    region.height = MIN (spec->region_height, frame->height - spec->region_y);
  }
  return region;
}

GstVideoHistogramBackend
sweep_backend (const gchar ** counts_on)
{
  GEnumClass *enums = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_BACKEND);
  const gchar *nick = g_getenv ("TEST_BACKEND");
  GEnumValue *choice = g_enum_get_value_by_nick (enums, nick ? nick : "cpu");

  fail_unless (choice != NULL, "TEST_BACKEND=%s is unknown", nick);
  *counts_on = choice->value == GST_VIDEO_HISTOGRAM_BACKEND_AUTO ? NULL :
      choice->value_nick;
  g_type_class_unref (enums);
  return choice->value;
}

GstVideoHistogramEngine *
sweep_open_engine (GstVideoHistogramBackend backend)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_open (engine, backend, -1, NULL,
          &error), "%s", error ? error->message : "");
  return engine;
}

VhDevice *
sweep_open_cpu (const VhLoops * kernels)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  VhDevice *device = vh_cpu_device_class.open (&config, NULL);

  vh_cpu_device_use_loops (device, kernels);
  return device;
}

guint
sweep_n_kernels (void)
{
  const VhLoops *const *kernels = vh_loops_list ();
  guint n;

  for (n = 0; kernels[n]; n++);
  return n;
}

gboolean
sweep_is_cuda (void)
{
  return g_strcmp0 (g_getenv ("TEST_BACKEND"), "cuda") == 0;
}

VhDevice *
sweep_open_device (VhDevices ** devices)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  GError *error = NULL;
  VhDevice *device;

  *devices = vh_devices_new ();
  vh_devices_open (*devices, &config);
  device = vh_devices_get (*devices, sweep_is_cuda () ? VH_ON_GPU : VH_ON_CPU,
      &error);
  fail_unless (device != NULL, "%s", error ? error->message : "");
  return device;
}

void
sweep_close_devices (VhDevices * devices)
{
  vh_devices_close (devices);
  vh_devices_free (devices);
}
