/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of a frame, and of its changes since the previous one, equal the
 * reference's. TEST_BACKEND=cuda: on a GPU. */
#include "sweepfixture.h"

#include "common/env.h"
#include "core/channels.h"
#include "core/joint.h"
#include "core/meter.h"
#include "cpu/reference.h"

#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)
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

static Bench bench;

static void
setup (void)
{
  sweep_setup ();
  bench.device = sweep_open_device (&bench.devices);
  bench.meter = bench.device->klass->new_meter (bench.device);
}

static void
teardown (void)
{
  bench.meter->klass->close (bench.meter);
  sweep_close_devices (bench.devices);
  sweep_teardown ();
}

/* Bins for that depth, rising steps, and what to measure. */
static void
bench_configure (GstCaps * caps, TestRandom * random)
{
  GError *error = NULL;
  guint step = 0, i;

  fail_unless (vh_layout_from_caps (&bench.layout, caps, &error));
  bench.bins = bench.layout.depth <= 8 ? 256 : bench.layout.depth <= 10 ?
      1024 : MAX_BINS;
  for (i = 0; i < bench.bins; i++)
    bench.luminance[i] = test_random_below (random, MAX_LUMINANCE + 1);
  bench.has_luma = !test_random_once_in (random, 8);
  bench.has_luminance = bench.has_luma && !test_random_once_in (random, 4);
  bench.has_chroma = vh_layout_has_chroma (&bench.layout)
      && !(bench.has_luma && test_random_once_in (random, 4));
  bench.has_luma |= !bench.has_chroma;
  bench.planes = vh_channels_planes (&bench.layout, 1u << VH_CHANNEL_LUMA);
  if (bench.has_chroma)
    bench.planes |= vh_layout_chroma_planes (&bench.layout);
  for (i = 0; i < VH_STEP_LEVELS; i++) {
    step = MAX (step, i + 1) + test_random_below (random, 3);
    bench.steps[i] = MIN (step, VH_STEP_LEVELS);
  }
  fail_unless (bench.device->klass->configure (bench.device, &bench.layout,
          bench.planes, &error));
  fail_unless (bench.meter->klass->configure (bench.meter, &bench.layout,
          bench.bins, &error), "%s", error ? error->message : "");
}

/* Submits @frame, and waits for the result. */
static VhCounts *
bench_submit (const TestFrame * frame, gboolean follows, gboolean * compared)
{
  const VhDeviceClass *klass = bench.device->klass;
  const VhCountsShape shape = vh_meter_shape ();
  VhMetering work = {
    .steps = bench.steps,
    .luminance = bench.has_luminance ? bench.luminance : NULL,
    .luma = bench.has_luma,
    .chroma = bench.has_chroma,
    .follows = follows,
  };
  GError *error = NULL;
  VhFrameView view;
  VhRect region;
  VhFrame *begun;

  work.counts = vh_counts_new (&shape);
  fail_unless (vh_devices_view (&view, &bench.layout, frame->buffer,
          bench.planes, &error));
  region = view.picture;
  begun = klass->begin (bench.device, &view, VH_FRAME_READ, TRUE, &error);
  fail_unless (begun, "%s", error ? error->message : "");
  fail_unless (bench.meter->klass->submit (bench.meter, begun, &region, &work,
          &error), "%s", error ? error->message : "");
  klass->end (bench.device, begun, NULL);
  fail_unless (vh_counts_wait (work.counts, MAX_WAIT));
  *compared = work.compared;
  return work.counts;
}

static void
view_of (const TestFrame * frame, VhFrameView * view)
{
  GError *error = NULL;

  fail_unless (vh_devices_view (view, &bench.layout, frame->buffer,
          bench.planes, &error));
  fail_unless (vh_frame_view_map (view, GST_MAP_READ, &error));
}

/* Submits @frame after @before, which may be NULL. */
static void
check (guint64 seed, const TestFrame * before, const TestFrame * frame)
{
  guint64 expected[VH_SUMS] = { 0, };
  guint32 parts[VH_PARTS] = { 0, };
  gboolean compared;
  VhCounts *counts = bench_submit (frame, before != NULL, &compared);
  VhFrameView view, view_before;
  guint i;

  fail_unless_equals_int (compared, bench.has_luma && before
      && before->width == frame->width && before->height == frame->height);
  view_of (frame, &view);
  if (bench.has_luma)
    vh_reference_measure (&view, &view.picture, bench.bins,
        bench.has_luminance ? bench.luminance : NULL, expected, parts);
  if (bench.has_chroma)
    vh_reference_measure_chroma (&view, &view.picture, expected);
  if (compared) {
    view_of (before, &view_before);
    vh_reference_measure_steps (&view, &view.picture, &view_before,
        &view_before.picture, bench.steps, expected);
  }
  for (i = 0; i < VH_SUMS; i++) {
    const guint64 found = vh_meter_sum (counts, i);

    fail_unless (found == expected[i], "TEST_SEED=%" G_GUINT64_FORMAT
        ", %s %ux%u, sum %u: %" G_GUINT64_FORMAT " instead of %"
        G_GUINT64_FORMAT, seed, gst_video_format_to_string (frame->format),
        frame->width, frame->height, i, found, expected[i]);
  }
  for (i = 0; i < VH_PARTS; i++) {
    const guint32 found = vh_meter_parts (counts)[i];

    fail_unless (found == parts[i], "TEST_SEED=%" G_GUINT64_FORMAT
        ", %s %ux%u, part %u: %u instead of %u", seed,
        gst_video_format_to_string (frame->format), frame->width,
        frame->height, i, found, parts[i]);
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
run_case (guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const GstVideoFormat format = sweep_format (&random);
  const gboolean wide = test_random_once_in (&random, 2);
  const guint width = 1 + test_random_below (&random, wide ? 700 : 40);
  const guint height = 1 + test_random_below (&random, wide ? 6 : 150);
  TestFrame frames[4];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_init_random (&frames[i], &random, format, width, height, NULL);
  bench_configure (frames[0].caps, &random);
  check (seed, NULL, &frames[0]);
  check (seed, &frames[0], &frames[1]);
  check (seed, &frames[1], &frames[2]);
  check (seed, NULL, &frames[3]);
  check (seed, &frames[3], &frames[0]);
  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_clear (&frames[i]);
}

GST_START_TEST (test_random_frames)
{
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  /* The driver double is slow. */
  const guint64 n = test_env_tier ("TEST_METER_CASES",
      sweep_is_cuda () ? 30 : 100, 10000);
  guint64 i;

  for (i = 0; i < n; i++)
    run_case (seed + i);
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
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_init_plain (&frames[i], &random, formats[format], width, 130,
        NULL);
  bench_configure (frames[0].caps, &random);
  check (__i__, NULL, &frames[0]);
  check (__i__, &frames[0], &frames[1]);
  check (__i__, &frames[1], &frames[1]);
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
  guint i;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_GRAY16_LE, width,
      height, NULL);
  pixels = (guint32 *) frame.image;
  for (i = 0; i < width * height / 2; i++)
    pixels[i] = 0xffff;
  gst_buffer_fill (frame.buffer, 0, frame.image, frame.size);
  bench_configure (frame.caps, &random);
  check (0, NULL, &frame);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* Nothing to measure: all sums are 0. */
GST_START_TEST (test_nothing)
{
  TestRandom random = test_random_new (1);
  TestFrame frame;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 32, 32, NULL);
  bench_configure (frame.caps, &random);
  bench.has_luma = bench.has_chroma = FALSE;
  check (0, NULL, &frame);
  check (0, &frame, &frame);
  test_frame_clear (&frame);
}

GST_END_TEST;

TEST_SUITE (meter, setup, teardown)
{
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_random_frames);
  tcase_add_loop_test (tc, test_vectors, 0, 12);
  tcase_add_test (tc, test_largest);
}
