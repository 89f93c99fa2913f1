/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of a frame, and of its changes since the previous one, equal the
 * reference's. TEST_BACKEND=cuda: on a GPU. */
#include <gst/videohistogram/videohistogram.h>

#include "common/env.h"
#include "common/frame.h"
#include "common/suite.h"
#include "core/channels.h"
#include "core/joint.h"
#include "core/meter.h"
#include "cpu/reference.h"
#include "devices/devices.h"

#define PATIENCE (20 * GST_SECOND)
#define MAX_BINS 4096
#define MAX_LUMINANCE (10000 * 256)

typedef struct
{
  VhDevices *devices;
  VhDevice *device;
  VhMeter *meter;
  VhLayout layout;
  guint planes;
  guint bins;
  guint8 steps[VH_STEP_LEVELS];
  guint32 luminance[MAX_BINS];
  gboolean has_luma, has_luminance, has_chroma; /* they are measured */
} Bench;

static void
bench_init (Bench * self)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  const gboolean cuda = g_strcmp0 (g_getenv ("TEST_BACKEND"), "cuda") == 0;
  GError *error = NULL;

  self->devices = vh_devices_new ();
  vh_devices_open (self->devices, &config);
  self->device = vh_devices_get (self->devices, cuda ? VH_ON_GPU : VH_ON_CPU,
      &error);
  fail_unless (self->device, "%s", error ? error->message : "");
  self->meter = self->device->klass->new_meter (self->device);
}

static void
bench_clear (Bench * self)
{
  self->meter->klass->close (self->meter);
  vh_devices_close (self->devices);
  vh_devices_free (self->devices);
}

/* Bins for that depth, rising steps, and what to measure. */
static void
bench_configure (Bench * self, GstCaps * caps, TestRandom * random)
{
  GError *error = NULL;
  guint step = 0, i;

  fail_unless (vh_layout_from_caps (&self->layout, caps, &error));
  self->bins = self->layout.depth <= 8 ? 256 : self->layout.depth <= 10 ?
      1024 : MAX_BINS;
  for (i = 0; i < self->bins; i++)
    self->luminance[i] = test_random_below (random, MAX_LUMINANCE + 1);
  self->has_luma = !test_random_once_in (random, 8);
  self->has_luminance = self->has_luma && !test_random_once_in (random, 4);
  self->has_chroma = vh_layout_has_chroma (&self->layout)
      && !(self->has_luma && test_random_once_in (random, 4));
  self->has_luma |= !self->has_chroma;
  self->planes = vh_channels_planes (&self->layout, 1u << VH_CHANNEL_LUMA);
  if (self->has_chroma)
    self->planes |= vh_layout_chroma_planes (&self->layout);
  for (i = 0; i < VH_STEP_LEVELS; i++) {
    step = MAX (step, i + 1) + test_random_below (random, 3);
    self->steps[i] = MIN (step, VH_STEP_LEVELS);
  }
  fail_unless (self->device->klass->configure (self->device, &self->layout,
          self->planes, &error));
  fail_unless (self->meter->klass->configure (self->meter, &self->layout,
          self->bins, &error), "%s", error ? error->message : "");
}

/* Submits @frame, and waits for the result. */
static VhCounts *
bench_submit (Bench * self, const TestFrame * frame, gboolean follows,
    gboolean * compared)
{
  const VhDeviceClass *klass = self->device->klass;
  const VhCountsShape shape = vh_meter_shape ();
  VhMetering work = {
    .steps = self->steps,
    .luminance = self->has_luminance ? self->luminance : NULL,
    .luma = self->has_luma,
    .chroma = self->has_chroma,
    .follows = follows,
  };
  GError *error = NULL;
  VhFrameView view;
  VhRect region;
  VhFrame *begun;

  work.counts = vh_counts_new (&shape);
  fail_unless (vh_devices_view (&view, &self->layout, frame->buffer,
          self->planes, &error));
  region = view.picture;
  begun = klass->begin (self->device, &view, VH_FRAME_READ, TRUE, &error);
  fail_unless (begun, "%s", error ? error->message : "");
  fail_unless (self->meter->klass->submit (self->meter, begun, &region, &work,
          &error), "%s", error ? error->message : "");
  klass->end (self->device, begun, NULL);
  fail_unless (vh_counts_wait (work.counts, PATIENCE));
  *compared = work.compared;
  return work.counts;
}

static void
view_of (const Bench * self, const TestFrame * frame, VhFrameView * view)
{
  GError *error = NULL;

  fail_unless (vh_devices_view (view, &self->layout, frame->buffer,
          self->planes, &error));
  fail_unless (vh_frame_view_map (view, GST_MAP_READ, &error));
}

/* Submits @frame after @before, which may be NULL. */
static void
check (Bench * self, guint64 seed, const TestFrame * before,
    const TestFrame * frame)
{
  guint64 expected[VH_SUMS] = { 0, };
  gboolean compared;
  VhCounts *counts = bench_submit (self, frame, before != NULL, &compared);
  VhFrameView view, view_before;
  guint i;

  fail_unless_equals_int (compared, self->has_luma && before
      && before->width == frame->width && before->height == frame->height);
  view_of (self, frame, &view);
  if (self->has_luma)
    vh_reference_measure (&view, &view.picture, self->bins,
        self->has_luminance ? self->luminance : NULL, expected);
  if (self->has_chroma)
    vh_reference_measure_chroma (&view, &view.picture, expected);
  if (compared) {
    view_of (self, before, &view_before);
    vh_reference_measure_steps (&view, &view.picture, &view_before,
        &view_before.picture, self->steps, expected);
  }
  for (i = 0; i < VH_SUMS; i++) {
    const guint64 found = vh_meter_sum (counts, i);

    fail_unless (found == expected[i], "TEST_SEED=%" G_GUINT64_FORMAT
        ", %s %ux%u, sum %u: %" G_GUINT64_FORMAT " instead of %"
        G_GUINT64_FORMAT, seed, gst_video_format_to_string (frame->format),
        frame->width, frame->height, i, found, expected[i]);
  }
  vh_frame_view_unmap (&view);
  if (compared)
    vh_frame_view_unmap (&view_before);
  vh_counts_unref (counts);
}

/* A frame without a predecessor, two with one, one without, and one with that
 * as its predecessor. Frames with the same caps may have pictures of other
 * sizes. */
static void
run_case (Bench * bench, guint64 seed, gchar ** formats)
{
  TestRandom random = test_random_new (seed);
  const GstVideoFormat format = gst_video_format_from_string
      (formats[test_random_below (&random, g_strv_length (formats))]);
  const gboolean wide = test_random_once_in (&random, 2);
  const guint width = 1 + test_random_below (&random, wide ? 700 : 40);
  const guint height = 1 + test_random_below (&random, wide ? 6 : 150);
  TestFrame frames[4];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_init_random (&frames[i], &random, format, width, height, NULL);
  bench_configure (bench, frames[0].caps, &random);
  check (bench, seed, NULL, &frames[0]);
  check (bench, seed, &frames[0], &frames[1]);
  check (bench, seed, &frames[1], &frames[2]);
  check (bench, seed, NULL, &frames[3]);
  check (bench, seed, &frames[3], &frames[0]);
  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_clear (&frames[i]);
}

GST_START_TEST (test_random_frames)
{
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  /* The driver double is slow. */
  const gboolean is_cuda = g_strcmp0 (g_getenv ("TEST_BACKEND"), "cuda") == 0;
  const guint64 n = test_env_tier ("TEST_METER_CASES", is_cuda ? 30 : 100,
      10000);
  GstCaps *caps = gst_video_histogram_engine_get_caps ();
  gchar **formats = test_caps_list_formats (caps);
  Bench bench;
  guint64 i;

  bench_init (&bench);
  for (i = 0; i < n; i++)
    run_case (&bench, seed + i, formats);
  bench_clear (&bench);
  g_strfreev (formats);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Frames whose rows start with whole vectors, of 8 and of more bits, in zones
 * aligned to them and not, with each order of U and V. */
GST_START_TEST (test_vectors)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY16_LE,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_YV12
  };
  const guint format = __i__ % G_N_ELEMENTS (formats);
  const guint width = __i__ < (gint) G_N_ELEMENTS (formats) ? 512 : 432;
  TestRandom random = test_random_new (__i__);
  TestFrame frames[2];
  Bench bench;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_init_plain (&frames[i], &random, formats[format], width, 130,
        NULL);
  bench_init (&bench);
  bench_configure (&bench, frames[0].caps, &random);
  check (&bench, __i__, NULL, &frames[0]);
  check (&bench, __i__, &frames[0], &frames[1]);
  check (&bench, __i__, &frames[1], &frames[1]);
  bench_clear (&bench);
  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_clear (&frames[i]);
}

GST_END_TEST;

/* Sums of squares with more than 32 bits: black and white in turns. */
GST_START_TEST (test_largest)
{
  const guint width = 256, height = 1280;
  TestRandom random = test_random_new (1);
  TestFrame frame;
  guint32 *pixels;
  Bench bench;
  guint i;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_GRAY16_LE, width,
      height, NULL);
  pixels = (guint32 *) frame.image;
  for (i = 0; i < width * height / 2; i++)
    pixels[i] = 0xffff;
  gst_buffer_fill (frame.buffer, 0, frame.image, frame.size);
  bench_init (&bench);
  bench_configure (&bench, frame.caps, &random);
  check (&bench, 0, NULL, &frame);
  bench_clear (&bench);
  test_frame_clear (&frame);
}

GST_END_TEST;

TEST_SUITE (meter, NULL, NULL)
{
  tcase_add_test (tc, test_random_frames);
  tcase_add_loop_test (tc, test_vectors, 0, 12);
  tcase_add_test (tc, test_largest);
}
