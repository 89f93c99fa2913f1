/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* More frames on a device, and more results of a frame, than there is room for
 * are errors of that frame, and the next frames are processed as ever.
 * TEST_BACKEND=cuda: on a GPU, where results are bounded. */
#include "sweepfixture.h"

#include "common/env.h"
#include "core/channels.h"
#include "core/error.h"

#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)
#define WIDTH 64
#define HEIGHT 48
#define JOINT_BINS 16

typedef struct
{
  gboolean cuda;
  VhDevices *devices;
  VhDevice *device;
  VhLayout layout;
  TestFrame frame;
  VhCounter *counter;
  VhJointCounter *joint;
  VhMeter *meter;
  VhDifferencer *differencer;
} Bench;

static void
bench_init (Bench * self)
{
  const VhCountSpec spec = {
    .shape = {.channels = 1,.bins = 256,.columns = 1,.rows = 1},
  };
  TestRandom random = test_random_new (1);
  const VhDeviceClass *klass;

  self->cuda = sweep_is_cuda ();
  test_frame_init_plain (&self->frame, &random, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT, NULL);
  fail_unless (vh_layout_from_caps (&self->layout, self->frame.caps, NULL));
  self->device = sweep_open_device (&self->devices);
  klass = self->device->klass;
  fail_unless (klass->configure (self->device, &self->layout, 3, NULL));
  self->counter = klass->new_counter (self->device);
  self->joint = klass->new_joint_counter (self->device);
  self->meter = klass->new_meter (self->device);
  self->differencer = klass->new_differencer (self->device);
  fail_unless (self->counter->klass->configure (self->counter, &self->layout,
          &spec, NULL));
  fail_unless (self->joint->klass->configure (self->joint, &self->layout,
          JOINT_BINS, 0, NULL));
  fail_unless (self->meter->klass->configure (self->meter, &self->layout, 256,
          NULL));
  fail_unless (self->differencer->klass->configure (self->differencer,
          &self->layout, NULL));
}

static void
bench_clear (Bench * self)
{
  self->counter->klass->close (self->counter);
  self->joint->klass->close (self->joint);
  self->meter->klass->close (self->meter);
  self->differencer->klass->close (self->differencer);
  sweep_close_devices (self->devices);
  test_frame_clear (&self->frame);
}

static VhFrame *
begin (Bench * self, VhFrameView * view, GError ** error)
{
  fail_unless (vh_devices_view (view, &self->layout, self->frame.buffer, 3,
          NULL));
  return self->device->klass->begin (self->device, view, VH_FRAME_READ, TRUE,
      error);
}

/* Fails unless a frame is begun, and ended, as usual. */
static VhFrame *
must_begin (Bench * self, VhFrameView * view)
{
  GError *error = NULL;
  VhFrame *frame = begin (self, view, &error);

  fail_unless (frame, "%s", error ? error->message : "");
  return frame;
}

static void
must_end (Bench * self, VhFrame * frame)
{
  fail_unless (self->device->klass->end (self->device, frame, NULL));
}

static gboolean
count (Bench * self, VhFrame * frame, VhCounts ** counts, GError ** error)
{
  const VhCountsShape shape = {.channels = 1,.bins = 256,.columns = 1,
    .rows = 1
  };

  *counts = vh_counts_new (&shape);
  return self->counter->klass->submit (self->counter, frame,
      &frame->view->picture, *counts, error);
}

/* Counts of pairs that stay on a GPU, whose fence then holds their slot. */
static gboolean
count_pairs (Bench * self, VhFrame * frame, VhCounts ** counts, GError ** error)
{
  const VhCountsShape shape = {.channels = 1,.bins = JOINT_BINS * JOINT_BINS,
    .columns = 1,.rows = 1
  };
  VhJoint work = {.bins = JOINT_BINS,.chroma = TRUE,.for_device = TRUE };

  *counts = work.counts = vh_counts_new (&shape);
  return self->joint->klass->submit (self->joint, frame,
      &frame->view->picture, &work, error);
}

static gboolean
compare (Bench * self, VhFrame * frame, VhCounts ** counts, GError ** error)
{
  const VhCountsShape shape = vh_difference_shape ();
  VhDifference work = { 0, };

  *counts = work.counts = vh_counts_new (&shape);
  return self->differencer->klass->submit (self->differencer, frame, &work,
      error);
}

static gboolean
measure (Bench * self, VhFrame * frame, VhCounts ** counts, GError ** error)
{
  static const guint8 steps[VH_STEP_LEVELS] = { 0, };
  const VhCountsShape shape = vh_meter_shape ();
  VhMetering work = {.steps = steps,.luma = TRUE };

  *counts = work.counts = vh_counts_new (&shape);
  return self->meter->klass->submit (self->meter, frame,
      &frame->view->picture, &work, error);
}

static gboolean (*const operations[]) (Bench *, VhFrame *, VhCounts **,
    GError **) = {
count, count_pairs, compare, measure,};

/* Counts a frame, which must give the counts of all of its pixels. */
static void
check_count (Bench * self)
{
  VhFrameView view;
  VhFrame *frame = must_begin (self, &view);
  guint sum = 0, i;
  VhCounts *counts;

  fail_unless (count (self, frame, &counts, NULL));
  must_end (self, frame);
  fail_unless (vh_counts_wait (counts, MAX_WAIT));
  for (i = 0; i < 256; i++)
    sum += vh_counts_cell (counts, 0, 0, 0)[i];
  fail_unless_equals_int (sum, WIDTH * HEIGHT);
  vh_counts_unref (counts);
}

GST_START_TEST (test_frames)
{
  VhFrameView views[VH_DEVICE_MAX_FRAMES + 1];
  VhFrame *frames[VH_DEVICE_MAX_FRAMES];
  GError *error = NULL;
  Bench bench;
  guint i;

  bench_init (&bench);
  for (i = 0; i < VH_DEVICE_MAX_FRAMES; i++)
    frames[i] = must_begin (&bench, &views[i]);
  fail_if (begin (&bench, &views[i], &error));
  fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_FRAME));
  g_clear_error (&error);
  for (i = 0; i < VH_DEVICE_MAX_FRAMES; i++)
    must_end (&bench, frames[i]);
  check_count (&bench);
  bench_clear (&bench);
}

GST_END_TEST;

/* As many results as there is room for, of all operations in turns, from a
 * different one on; then one more of each. */
GST_START_TEST (test_results)
{
  VhCounts *counts[VH_FRAME_MAX_RESULTS + G_N_ELEMENTS (operations)];
  GError *error = NULL;
  VhFrameView view;
  VhFrame *frame;
  Bench bench;
  guint i;

  bench_init (&bench);
  frame = must_begin (&bench, &view);
  for (i = 0; i < VH_FRAME_MAX_RESULTS; i++) {
    const guint next = (__i__ == 0 ? i : __i__) % G_N_ELEMENTS (operations);

    fail_unless (operations[next] (&bench, frame, &counts[i], &error), "%s",
        error ? error->message : "");
  }
  for (; i < G_N_ELEMENTS (counts); i++) {
    fail_unless_equals_int (operations[i - VH_FRAME_MAX_RESULTS] (&bench,
            frame, &counts[i], &error), !bench.cuda);
    fail_unless (!bench.cuda
        || g_error_matches (error, VH_ERROR, VH_ERROR_FRAME));
    g_clear_error (&error);
  }
  must_end (&bench, frame);
  for (i = 0; i < G_N_ELEMENTS (counts); i++) {
    if (i >= VH_FRAME_MAX_RESULTS && bench.cuda)
      vh_counts_fail (counts[i]);
    vh_counts_wait (counts[i], MAX_WAIT);
    vh_counts_unref (counts[i]);
  }
  for (i = 0; i < 3; i++)
    check_count (&bench);
  bench_clear (&bench);
}

GST_END_TEST;

TEST_SUITE (limits, NULL, NULL)
{
  tcase_add_test (tc, test_frames);
  tcase_add_loop_test (tc, test_results, 0, G_N_ELEMENTS (operations));
}
