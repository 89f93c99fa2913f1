/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of random frames, by a backend and by the scalar reference,
 * are equal in every counter. A case depends only on its seed, so
 * `TEST_SEED=<seed> TEST_SWEEP_CASES=1` reproduces a failure.
 *
 * TEST_SWEEP_CASES: number of cases; TEST_SEED: the first seed; TEST_BACKEND:
 * auto, cpu or cuda; TEST_SWEEP_SMALL=1: no large frames, which take the driver
 * double as long as a kernel that hangs. */
#include "sweepfixture.h"

#include "common/env.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cpu/reference.h"
#include "gst/videohistogram/histogram/gstvideojointhistogram-private.h"

#define DEFAULT_CASES 2000
#define CASES_OF_LONG_TIER 100000
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

/* If a machine stalls, the driver double's GPU is late, and the CPU counts
 * until the GPU is tried again. That may happen now and then. */
#define MAX_LATE 3
#define RECOVERY (3 * G_USEC_PER_SEC)

/* U against V of the second frame, or luma of the first against luma of the
 * second: as consecutive frames, as two given frames, or as frames of two
 * streams. */
typedef enum
{
  WAY_CHROMA,
  WAY_CHROMA_OF_ONE,
  WAY_PREVIOUS,
  WAY_PAIR,
  WAY_STREAMS,
  N_WAYS,
} Way;

static const gchar *const way_names[] = {
  "chroma", "chroma of one frame", "previous", "pair", "streams",
};

typedef struct
{
  guint64 seed;
  Way way;
  TestFrame frames[2];
  TestFrame *a, *b;             /* frames, possibly the same */
  GstVideoHistogramSpec spec;
  VhLayout layout;
  guint bins;
  guint64 pixels;               /* pixels that must be counted */
  VhRect region[2];             /* region of each frame, in pixels of the
                                 * planes */
  guint32 *expected;
} Case;

static GstVideoHistogramBackend backend;
static const gchar *counts_on;  /* the expected backend, NULL for any */
static guint n_late;
static guint counted[N_WAYS];
static gboolean small;

static const guint bin_choices[] = {
  0, 1, 2, 3, 16, 32, 63, 64, 65, 100, 181, 182, 255, 256,
};

#define VECTORS 32              /* pixels */

static void
choose_size (TestRandom * random, guint * width, guint * height)
{
  const guint kind = test_random_below (random, 100);

  *width = *height = 1;
  if (kind < 5) {
    *width = 1 + test_random_below (random, 300);
  } else if (kind < 10) {
    *height = 1 + test_random_below (random, 300);
  } else if (kind < 12) {
    *width = 5000;
  } else if (kind < 40) {
    *width = 1 + test_random_below (random, 35);
    *height = 1 + test_random_below (random, 35);
  } else if (kind < 95) {
    *width = 1 + test_random_below (random, 160);
    *height = 1 + test_random_below (random, 120);
  } else if (kind < 99) {
    *width = 1 + test_random_below (random, small ? 300 : 1000);
    *height = 1 + test_random_below (random, small ? 130 : 400);
  } else {
    *width = small ? 330 : 1900;
    *height = small ? 120 : 500;
  }
  /* Rows of whole vectors, also in chroma. */
  if (test_random_once_in (random, 3))
    *width = (*width + VECTORS - 1) / VECTORS * VECTORS;
}

static void
make_spec (Case * c, TestRandom * random)
{
  const TestFrame *frame = &c->frames[0];

  gst_video_histogram_spec_init (&c->spec);
  c->spec.channels = 1 + test_random_below (random, VH_ALL_CHANNELS);
  c->spec.columns = 1 + test_random_below (random, 3);
  c->spec.joint_bins = bin_choices[test_random_below (random,
          G_N_ELEMENTS (bin_choices))];
  if (test_random_once_in (random, 4))
    c->spec.joint_bins = 1 + test_random_below (random, 256);
  c->bins = c->spec.joint_bins ? c->spec.joint_bins : 64;
  if (test_random_once_in (random, 4)) {
    c->spec.method = test_random_once_in (random, 2) ?
        GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS :
        GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES;
  }
  if (test_random_once_in (random, frame->width % VECTORS == 0 ? 5 : 2)) {
    c->spec.region_x = test_random_below (random, frame->width);
    c->spec.region_y = test_random_below (random, frame->height);
    c->spec.region_width = 1 + test_random_below (random, frame->width + 9);
    c->spec.region_height = 1 + test_random_below (random, frame->height + 9);
  }
  if (c->way == WAY_CHROMA)
    c->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  else if (c->way == WAY_PREVIOUS)
    c->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  else if (c->way == WAY_STREAMS)
    c->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_OTHER;
}

static void
make_expected (Case * c)
{
  const VhFrameView b = sweep_view_image (&c->layout, c->b);
  const VhRect region_b = sweep_region (c->b, &c->spec);
  guint i;

  c->expected = g_new0 (guint32, c->bins * c->bins);
  if (c->way == WAY_CHROMA || c->way == WAY_CHROMA_OF_ONE) {
    vh_reference_count_chroma (&b, &region_b, c->bins, c->expected);
  } else {
    const VhFrameView a = sweep_view_image (&c->layout, c->a);
    const VhRect region_a = sweep_region (c->a, &c->spec);

    vh_reference_count_frames (&a, &region_a, &b, &region_b, c->bins,
        c->expected);
  }
  for (i = 0; i < c->bins * c->bins; i++)
    c->pixels += c->expected[i];
}

static void
case_init (Case * c, guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const GstVideoFormat format = sweep_format (&random);
  guint width, height, i;

  *c = (Case) {
    .seed = seed,
    .way = test_random_below (&random, N_WAYS),
  };
  choose_size (&random, &width, &height);
  for (i = 0; i < 2; i++)
    test_frame_init_random (&c->frames[i], &random, format, width, height,
        NULL);
  c->a = &c->frames[0];
  c->b = &c->frames[test_random_once_in (&random, 4) ? 0 : 1];
  fail_unless (vh_layout_from_caps (&c->layout, c->frames[0].caps, NULL));
  if (c->layout.model == VH_MODEL_GRAY && c->way <= WAY_CHROMA_OF_ONE)
    c->way = WAY_PREVIOUS;
  make_spec (c, &random);
  make_expected (c);
}

static void
case_clear (Case * c)
{
  test_frame_clear (&c->frames[0]);
  test_frame_clear (&c->frames[1]);
  g_free (c->expected);
}

static void
check (Case * c, const gchar * who, GstVideoJointHistogram * joint)
{
  const guint n = c->bins * c->bins;
  const guint32 *counts;
  gchar *caps = gst_caps_to_string (c->a->caps);
  const gchar *wrong = NULL;
  guint n_counts;

  counted[c->way]++;
  if (!joint) {
    wrong = "there is no joint histogram";
  } else if (!gst_video_joint_histogram_wait (joint, MAX_WAIT)) {
    wrong = "counting failed";
  } else if (gst_video_joint_histogram_get_n_a (joint) != c->bins
      || gst_video_joint_histogram_get_n_b (joint) != c->bins) {
    wrong = "it has other bins";
  } else if (gst_video_joint_histogram_get_pixels (joint) != c->pixels) {
    wrong = "it is of other pixels";
  } else if (counts_on
      && !g_str_equal (gst_video_joint_histogram_get_backend (joint),
          counts_on)) {
    wrong = "it was counted elsewhere";
  } else {
    counts = gst_video_joint_histogram_get_counts (joint, &n_counts);
    if (!counts || n_counts != n
        || memcmp (counts, c->expected, n * sizeof (*counts)) != 0)
      wrong = "counts differ from the reference";
  }
  fail_if (wrong, "%s: TEST_SEED=%" G_GUINT64_FORMAT " with %s: %s of %s, "
      "region %u,%u,%u,%u, channels 0x%x, %u bins, method %s", wrong, c->seed,
      who, way_names[c->way], caps, c->spec.region_x, c->spec.region_y,
      c->spec.region_width, c->spec.region_height, c->spec.channels, c->bins,
      vh_method_nick (c->spec.method));
  g_free (caps);
}

static GstVideoHistogramEngine *
open_engine (void)
{
  GstVideoHistogramEngine *engine = sweep_open_engine (backend);

  gst_video_histogram_engine_set_overload (engine,
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT);
  return engine;
}

static void
configure (GstVideoHistogramEngine * engine, Case * c,
    GstVideoHistogramJoint joint)
{
  GstVideoHistogramSpec spec = c->spec;
  GError *error = NULL;

  spec.joint = joint;
  fail_unless (gst_video_histogram_engine_configure (engine, c->a->caps, &spec,
          &error), "%s", error ? error->message : "");
}

static GstVideoHistogram *
submit (GstVideoHistogramEngine * engine, Case * c, const TestFrame * frame)
{
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_engine_submit (engine,
      frame->buffer, NULL, FALSE, &error);

  fail_unless (histogram != NULL, "TEST_SEED=%" G_GUINT64_FORMAT ": %s",
      c->seed, error ? error->message : "");
  return histogram;
}

/* Returns NULL if the engine made none. */
static GstVideoJointHistogram *
count (Case * c, GstVideoHistogramEngine * engine,
    GstVideoHistogramEngine * other)
{
  GstVideoHistogram *first = NULL, *histogram = NULL;
  GstVideoJointHistogram *joint = NULL;
  GError *error = NULL;

  configure (engine, c, c->spec.joint);
  if (c->way == WAY_PAIR || c->way == WAY_CHROMA_OF_ONE) {
    joint = gst_video_histogram_engine_count_joint (engine,
        c->way == WAY_PAIR ? GST_VIDEO_HISTOGRAM_JOINT_OTHER :
        GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
        c->way == WAY_PAIR ? c->a->buffer : c->b->buffer,
        c->way == WAY_PAIR ? c->b->buffer : NULL, &error);
    fail_unless (joint != NULL, "%s", error ? error->message : "");
  } else {
    if (c->way == WAY_STREAMS) {
      gst_video_histogram_engine_set_joint_other (engine, other);
      configure (other, c, c->seed % 2 ? GST_VIDEO_HISTOGRAM_JOINT_NONE :
          GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS);
    }
    first = submit (c->way == WAY_STREAMS ? other : engine, c, c->a);
    histogram = submit (engine, c, c->b);
    joint = gst_video_histogram_get_joint (histogram);
    if (joint)
      gst_video_joint_histogram_ref (joint);
    gst_video_histogram_engine_set_joint_other (engine, NULL);
  }
  gst_clear_video_histogram (&histogram);
  gst_clear_video_histogram (&first);
  return joint;
}

/* Whether the GPU did not count @joint in time, or not at all, because an
 * engine considers it failing. */
static gboolean
was_late (GstVideoJointHistogram * joint, GstVideoHistogramEngine * engine,
    GstVideoHistogramEngine * other)
{
  if (!counts_on)
    return FALSE;
  if (joint && !gst_video_joint_histogram_wait (joint, MAX_WAIT))
    return TRUE;
  return (!joint
      || !g_str_equal (gst_video_joint_histogram_get_backend (joint),
          counts_on)) && (gst_video_histogram_engine_is_degraded (engine)
      || gst_video_histogram_engine_is_degraded (other));
}

static void
check_engine (Case * c, GstVideoHistogramEngine * engine,
    GstVideoHistogramEngine * other)
{
  GstVideoJointHistogram *joint = count (c, engine, other);

  while (was_late (joint, engine, other) && n_late++ < MAX_LATE) {
    gst_clear_video_joint_histogram (&joint);
    g_usleep (RECOVERY);
    joint = count (c, engine, other);
  }
  check (c, "the engine", joint);
  gst_clear_video_joint_histogram (&joint);
}

static void
submit_to_device (VhDevice * device, VhJointCounter * counter, const Case * c,
    const TestFrame * frame, const VhRect * region, VhJoint * work)
{
  const guint planes = vh_channels_planes (&c->layout, VH_ALL_CHANNELS);
  VhFrameView view;
  VhFrame *begun;

  fail_unless (vh_frame_view_init (&view, &c->layout, frame->buffer, planes,
          NULL));
  begun = device->klass->begin (device, &view, VH_FRAME_READ, FALSE, NULL);
  fail_unless (begun != NULL);
  fail_unless (counter->klass->submit (counter, begun, region, work, NULL));
  fail_unless (device->klass->end (device, begun, NULL));
  fail_unless (work->kept);
}

/* The CPU alone, with each table of loops. */
static void
check_kernels (Case * c, const VhLoops * kernels)
{
  const gboolean chroma = c->way == WAY_CHROMA || c->way == WAY_CHROMA_OF_ONE;
  VhDevice *cpu = sweep_open_cpu (kernels);
  const VhRect region[2] = {
    sweep_region (c->a, &c->spec),
    sweep_region (c->b, &c->spec)
  };
  VhJoint work = {.bins = c->bins,.chroma = chroma };
  VhJoint first = {.bins = c->bins };
  GstVideoJointHistogram *joint = vh_joint_histogram_new (0, c->bins, c->bins,
      c->pixels, "cpu");
  VhJointCounter *counter;
  VhLuma *luma;

  counter = cpu->klass->new_joint_counter (cpu);
  fail_unless (counter->klass->configure (counter, &c->layout, c->bins,
          VH_METHOD_AUTO, NULL));
  work.counts = vh_joint_histogram_counts (joint);
  luma = counter->klass->new_luma (counter,
      (gsize) region[0].width * region[0].height, NULL);
  first.keep = work.keep = &luma;
  if (!chroma) {
    work.against = luma;
    submit_to_device (cpu, counter, c, c->a, &region[0], &first);
  }
  submit_to_device (cpu, counter, c, c->b, &region[1], &work);
  check (c, kernels->name, joint);
  gst_video_joint_histogram_unref (joint);
  vh_luma_unref (luma);
  counter->klass->close (counter);
  cpu->klass->close (cpu);
}

GST_START_TEST (test_random_cases)
{
  const guint64 n_cases = test_env_tier ("TEST_SWEEP_CASES", DEFAULT_CASES,
      CASES_OF_LONG_TIER);
  const guint64 first = test_env_number ("TEST_SEED", g_random_int ());
  GstVideoHistogramEngine *engine, *other;
  const VhLoops *const *kernels;
  guint64 i;
  guint way;
  Case c;

  small = test_env_number ("TEST_SWEEP_SMALL", 0);
  backend = sweep_backend (&counts_on);
  engine = open_engine ();
  other = open_engine ();
  for (i = 0; i < n_cases; i++) {
    case_init (&c, first + i);
    check_engine (&c, engine, other);
    if (backend == GST_VIDEO_HISTOGRAM_BACKEND_CPU) {
      for (kernels = vh_loops_list (); *kernels; kernels++)
        check_kernels (&c, *kernels);
    }
    case_clear (&c);
  }
  test_figure ("random frames whose joint histograms are the reference's",
      "%" G_GUINT64_FORMAT, n_cases);
  for (way = 0; way < N_WAYS; way++)
    fail_unless (counted[way] > 0 || n_cases < 100, "no %s", way_names[way]);
  g_object_unref (engine);
  g_object_unref (other);
}

GST_END_TEST;

SWEEP_SUITE (jointsweep, test_random_cases)
