/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random frames, counted by a device and by the scalar reference, give the same
 * counts in every cell. A case depends only on its seed, so `TEST_SEED=<seed>
 * TEST_SWEEP_CASES=1` reproduces a failure.
 *
 * TEST_SWEEP_CASES: number of cases; TEST_SEED: the first seed; TEST_BACKEND:
 * auto, cpu or cuda; TEST_METHOD: how a GPU counts, `all` to alternate;
 * TEST_SWEEP_SMALL=1: neither large frames nor many counters. */
#include "sweepfixture.h"

#include "common/env.h"

#include <dlfcn.h>

#include "common/launches.h"
#include "core/channels.h"
#include "cpu/reference.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "double/double.h"

#define DEFAULT_CASES 3000
#define CASES_OF_LONG_TIER 100000
#define CASES_PER_8K 2000
#define MAX_COUNTERS (1 << 21)
#define CASES_OF_ALL_SORTS 200
#define SMALL_PIXELS 10000
#define SMALL_COUNTERS (1 << 16)
#define MAX_SUBJECTS 8
#define ALL_METHODS -1
#define MORE_CASES 500          /* for a method that has not counted any yet */
#define SMALL_BINS 64
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)
#define LATE (2 * G_TIME_SPAN_SECOND)
#define MAX_LATE 5              /* consecutive times */

typedef struct
{
  guint64 seed;
  TestFrame frame;
  GstVideoHistogramSpec spec;
  VhLayout layout;
  GstVideoHistogram *expected;
  VhRect region;                /* in pixels of the planes */
} Case;

/* The engine, or the CPU with one of its tables of loops. */
typedef struct
{
  const gchar *name;
  const gchar *counts_on;       /* expected backend, NULL for any */
  GstVideoHistogramEngine *engine;
  VhDevice *device;             /* the CPU device, or NULL */
  VhCounter *counter;           /* of device */
} Subject;

static gboolean small;          /* some methods are slow on the driver double,
                                 * as they are on a GPU */
static GEnumClass *methods;
static gint method;             /* ALL_METHODS or one of methods */
static guint *counted;          /* cases counted by each method itself */

static const gchar *const colorimetries[] = {
  NULL, "bt601", "bt709", "bt2020", "bt2020-10", "smpte240m", "sRGB",
  /* range:matrix:transfer:primaries */
  "1:1:0:0", "1:2:0:0", "1:3:0:0", "1:4:0:0", "1:5:0:0", "1:6:0:0",
  "2:1:0:0", "2:2:0:0", "2:3:0:0", "2:4:0:0", "2:5:0:0", "2:6:0:0",
  "0:3:0:0", "0:0:0:0",
};

#define VECTOR_PIXELS 16

static const guint bin_choices[] = {
  0, 1, 2, 3, 100, 255, 256, 257, 1000, 1024, 4096, 65535, 65536,
};

static void
choose_size (TestRandom * random, guint * width, guint * height)
{
  const guint kind = test_random_below (random, 100);

  *width = *height = 1;
  if (kind < 4) {
    return;
  } else if (kind < 8) {
    *width = 1 + test_random_below (random, 300);
  } else if (kind < 12) {
    *height = 1 + test_random_below (random, 300);
  } else if (kind < 13) {
    *width = 10000;
  } else if (kind < 14) {
    *height = 10000;
  } else if (kind < 35) {
    *width = 1 + test_random_below (random, 35);
    *height = 1 + test_random_below (random, 35);
  } else if (kind < 93) {
    *width = 1 + test_random_below (random, 160);
    *height = 1 + test_random_below (random, 120);
  } else {
    *width = 1 + test_random_below (random, 1000);
    *height = 1 + test_random_below (random, 400);
  }
}

static void
make_frame (Case * c, TestRandom * random)
{
  static const GstVideoFormat formats_8k[] = {
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_RGB,
  };
  GstVideoFormat format = sweep_format (random);
  const gchar *colorimetry = colorimetries[test_random_below (random,
          G_N_ELEMENTS (colorimetries))];
  guint width, height;

  choose_size (random, &width, &height);
  if (c->seed % CASES_PER_8K == 1) {
    format = formats_8k[test_random_below (random, G_N_ELEMENTS (formats_8k))];
    width = 7680;
    height = 4320;
  }
  /* Rows of whole vectors. */
  if (test_random_once_in (random, 4))
    width = (width + VECTOR_PIXELS - 1) / VECTOR_PIXELS * VECTOR_PIXELS;
  if (small)
    height = CLAMP (SMALL_PIXELS / width, 1, height);
  if (test_random_once_in (random, 4))
    test_frame_init_plain (&c->frame, random, format, width, height,
        colorimetry);
  else
    test_frame_init_random (&c->frame, random, format, width, height,
        colorimetry);
}

static guint
n_counters (const GstVideoHistogramSpec * spec)
{
  return __builtin_popcount (spec->channels) * spec->columns * spec->rows *
      MAX (spec->bins, 4096);
}

static void
make_spec (Case * c, TestRandom * random)
{
  const guint max_grid = test_random_once_in (random, 5) ?
      GST_VIDEO_HISTOGRAM_MAX_GRID : 6;

  gst_video_histogram_spec_init (&c->spec);
  c->spec.channels = 1 + test_random_below (random, VH_ALL_CHANNELS);
  if (c->frame.width * c->frame.height > 1 << 22)
    c->spec.channels = 1 << test_random_below (random, VH_N_CHANNELS);
  c->spec.bins = bin_choices[test_random_below (random,
          G_N_ELEMENTS (bin_choices))];
  if (test_random_once_in (random, 4))
    c->spec.bins = 1 + test_random_below (random, 65536);

  if (test_random_once_in (random, 2)) {
    c->spec.columns = 1 + test_random_below (random, max_grid);
    c->spec.rows = 1 + test_random_below (random, max_grid);
    while (n_counters (&c->spec) > (small ? SMALL_COUNTERS : MAX_COUNTERS)
        && c->spec.columns * c->spec.rows > 1) {
      c->spec.columns = (c->spec.columns + 1) / 2;
      c->spec.rows = (c->spec.rows + 1) / 2;
    }
  }
  if (small && n_counters (&c->spec) > SMALL_COUNTERS)
    c->spec.channels &= -c->spec.channels;
  if (test_random_once_in (random, 2)) {
    c->spec.region_x = test_random_below (random, c->frame.width);
    c->spec.region_y = test_random_below (random, c->frame.height);
    c->spec.region_width = 1 + test_random_below (random, c->frame.width + 9);
    c->spec.region_height = 1 + test_random_below (random, c->frame.height + 9);
  }

  c->spec.method = method;
  if (method == ALL_METHODS)
    c->spec.method = methods->values[c->seed % methods->n_values].value;
  /* Some methods support few bins only. */
  if (method != GST_VIDEO_HISTOGRAM_METHOD_AUTO
      && test_random_once_in (random, 3))
    c->spec.bins = 1 + test_random_below (random, SMALL_BINS);
}

static guint
expected_bins (const Case * c)
{
  if (c->spec.bins > 0)
    return c->spec.bins;
  if (c->layout.depth == 8)
    return 256;
  return c->layout.depth <= 10 ? 1024 : 4096;
}

/* Counts with the reference. */
static void
make_expected (Case * c)
{
  const TestFrame *frame = &c->frame;
  const VhFrameView view = sweep_view_image (&c->layout, frame);
  GstVideoHistogramInfo info = {
    .format = frame->format,
    .depth = c->layout.depth,
    .width = frame->width,
    .height = frame->height,
    .region_x = c->spec.region_x,
    .region_y = c->spec.region_y,
    .channels = c->spec.channels,
    .bins = expected_bins (c),
    .columns = c->spec.columns,
    .rows = c->spec.rows,
  };

  c->region = sweep_region (frame, &c->spec);
  info.region_width = c->region.width;
  info.region_height = c->region.height;
  c->expected = vh_histogram_new (&info, "reference");
  vh_reference_count (&view, &c->region, vh_histogram_counts (c->expected));
  vh_counts_complete (vh_histogram_counts (c->expected));
}

static void
case_init (Case * c, guint64 seed)
{
  TestRandom random = test_random_new (seed);

  *c = (Case) {
    .seed = seed,
  };
  make_frame (c, &random);
  make_spec (c, &random);
  fail_unless (vh_layout_from_caps (&c->layout, c->frame.caps, NULL));
  make_expected (c);
}

static void
case_clear (Case * c)
{
  test_frame_clear (&c->frame);
  gst_clear_video_histogram (&c->expected);
}

static gchar *
case_describe (const Case * c, const Subject * subject)
{
  gchar *caps = gst_caps_to_string (c->frame.caps);
  gchar *text = g_strdup_printf ("TEST_SEED=%" G_GUINT64_FORMAT " with %s: %s, "
      "crop from %u,%u, region %u,%u,%u,%u, channels 0x%x, %u bins, "
      "grid %ux%u, method %s",
      c->seed, subject->name, caps, c->frame.x, c->frame.y, c->spec.region_x,
      c->spec.region_y, c->spec.region_width, c->spec.region_height,
      c->spec.channels, c->spec.bins, c->spec.columns, c->spec.rows,
      g_enum_get_value (methods, c->spec.method)->value_nick);

  g_free (caps);
  return text;
}

static GstVideoHistogram *
count_with_device (const Subject * subject, Case * c)
{
  const GstVideoHistogramInfo *info =
      gst_video_histogram_get_info (c->expected);
  const VhCountSpec spec = {.shape = vh_histogram_shape (info) };
  VhDevice *device = subject->device;
  VhCounter *counter = subject->counter;
  GstVideoHistogram *histogram = vh_histogram_new (info, "cpu");
  GError *error = NULL;
  VhFrame *frame = NULL;
  VhFrameView view;

  if (!device->klass->configure (device, &c->layout, 0, &error)
      || !counter->klass->configure (counter, &c->layout, &spec, &error)
      || !vh_frame_view_init (&view, &c->layout, c->frame.buffer,
          vh_channels_planes (&c->layout, info->channels), &error)
      || !(frame = device->klass->begin (device, &view, VH_FRAME_READ, FALSE,
              &error))
      || !counter->klass->submit (counter, frame, &c->region,
          vh_histogram_counts (histogram), &error)
      || !device->klass->end (device, frame, &error))
    fail ("TEST_SEED=%" G_GUINT64_FORMAT ": %s", c->seed, error->message);
  return histogram;
}

static GstVideoHistogram *
count_with_engine (GstVideoHistogramEngine * engine, Case * c)
{
  GstVideoHistogram *histogram = NULL;
  GError *error = NULL;
  gchar *problem;

  if (!gst_video_histogram_engine_configure (engine, c->frame.caps, &c->spec,
          &error)
      || !(histogram = gst_video_histogram_engine_submit (engine,
              c->frame.buffer, NULL, FALSE, &error)))
    fail ("TEST_SEED=%" G_GUINT64_FORMAT ": %s", c->seed, error->message);
  problem = gst_video_histogram_engine_dup_method_problem (engine);
  if (!problem)
    counted[c->spec.method]++;
  g_free (problem);
  return histogram;
}

static gboolean
same_info (const GstVideoHistogramInfo * a, const GstVideoHistogramInfo * b)
{
  return a->format == b->format && a->depth == b->depth
      && a->width == b->width && a->height == b->height
      && a->region_x == b->region_x && a->region_y == b->region_y
      && a->region_width == b->region_width
      && a->region_height == b->region_height && a->channels == b->channels
      && a->bins == b->bins && a->columns == b->columns && a->rows == b->rows;
}

/* Returns how a channel of @histogram is wrong, or NULL. */
static const gchar *
compare_channel (GstVideoHistogram * histogram, GstVideoHistogram * expected,
    GstVideoHistogramChannel channel)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (expected);
  guint64 *sums = g_new0 (guint64, info->bins);
  const gchar *wrong = NULL;
  const guint32 *counts, *wanted;
  guint64 all = 0, in_cell;
  guint column, row, n, b;

  for (row = 0; row < info->rows && !wrong; row++) {
    for (column = 0; column < info->columns && !wrong; column++) {
      counts = gst_video_histogram_get_cell_counts (histogram, channel, column,
          row, &n);
      wanted = gst_video_histogram_get_cell_counts (expected, channel, column,
          row, NULL);
      if (!counts || n != info->bins)
        wrong = "a cell has no counts";
      else if (memcmp (counts, wanted, n * sizeof (*counts)) != 0)
        wrong = "counts of a cell differ from the reference";
      for (b = 0, in_cell = 0; b < info->bins && !wrong; b++) {
        sums[b] += counts[b];
        in_cell += counts[b];
      }
      if (!wrong
          && in_cell != gst_video_histogram_get_cell_channel_pixels (histogram,
              channel, column, row))
        wrong = "the bins of a cell do not add up to its pixels";
    }
  }

  counts = gst_video_histogram_get_counts (histogram, channel, &n);
  if (!counts || n != info->bins)
    wrong = "there are no totals";
  for (b = 0; b < info->bins && !wrong; b++) {
    all += counts[b];
    if (counts[b] != sums[b])
      wrong = "the cells do not add up to the totals";
  }
  if (!wrong && all != gst_video_histogram_get_channel_pixels (histogram,
          channel))
    wrong = "the bins do not add up to the pixels";
  g_free (sums);
  return wrong;
}

/* On a busy machine the driver double may take longer than the library waits:
 * then the case is counted again. */
static GstVideoHistogram *
count (Case * c, const Subject * subject)
{
  GstVideoHistogram *histogram;
  gint64 start;
  guint i;

  for (i = 0;; i++) {
    start = g_get_monotonic_time ();
    histogram = subject->engine ? count_with_engine (subject->engine, c) :
        count_with_device (subject, c);
    if (gst_video_histogram_wait (histogram, MAX_WAIT) || i == MAX_LATE
        || g_get_monotonic_time () - start < LATE || !test_launches_finish ())
      return histogram;
    gst_video_histogram_unref (histogram);
  }
}

static void
check_case (Case * c, const Subject * subject)
{
  GstVideoHistogram *histogram = count (c, subject);
  const gchar *wrong = NULL;
  guint channel;

  if (!gst_video_histogram_wait (histogram, MAX_WAIT))
    wrong = "counting failed";
  else if (subject->counts_on
      && !g_str_equal (gst_video_histogram_get_backend (histogram),
          subject->counts_on))
    wrong = "it was counted elsewhere";
  else if (!same_info (gst_video_histogram_get_info (histogram),
          gst_video_histogram_get_info (c->expected)))
    wrong = "the info differs";

  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS && !wrong;
      channel++) {
    if (c->spec.channels & (1 << channel))
      wrong = compare_channel (histogram, c->expected, channel);
    else if (gst_video_histogram_get_counts (histogram, channel, NULL))
      wrong = "a channel was counted that was not requested";
  }
  if (wrong)
    fail ("%s: %s", wrong, case_describe (c, subject));
  gst_video_histogram_unref (histogram);
}

/* The engine with the backend TEST_BACKEND; if that is the CPU, also the CPU
 * with each table of loops that this machine can run. */
static guint
open_subjects (Subject * subjects)
{
  GstVideoHistogramBackend backend;
  const VhLoops *const *kernels;
  guint n = 1;

  memset (subjects, 0, MAX_SUBJECTS * sizeof (*subjects));
  backend = sweep_backend (&subjects[0].counts_on);
  subjects[0].name = "the engine";
  subjects[0].engine = sweep_open_engine (backend);
  if (backend != GST_VIDEO_HISTOGRAM_BACKEND_CPU)
    return n;

  for (kernels = vh_loops_list (); *kernels; kernels++) {
    subjects[n].name = (*kernels)->name;
    subjects[n].counts_on = "cpu";
    subjects[n].device = sweep_open_cpu (*kernels);
    subjects[n].counter =
        subjects[n].device->klass->new_counter (subjects[n].device);
    fail_unless (++n < MAX_SUBJECTS);
  }
  return n;
}

static void
choose_methods (void)
{
  const gchar *nick = g_getenv ("TEST_METHOD");
  GEnumValue *choice;

  methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  counted = g_new0 (guint, methods->n_values);
  if (g_strcmp0 (nick, "all") == 0) {
    method = ALL_METHODS;
    return;
  }
  choice = g_enum_get_value_by_nick (methods, nick ? nick : "auto");
  fail_unless (choice != NULL, "TEST_METHOD=%s is unknown", nick);
  method = choice->value;
}

/* Whether method @m must count at least one case. All must, except that the
 * driver double has no kernel for block-sort. */
static gboolean
has_kernel (guint m)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  gboolean is_double = FALSE;

  if (library) {
    is_double = dlsym (library, VH_DOUBLE_SYMBOL) != NULL;
    dlclose (library);
  }
  return !is_double
      || methods->values[m].value != GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT;
}

/* Each method has counted what it can. */
static void
check_methods (guint64 n_cases)
{
  guint i;

  for (i = 0; i < methods->n_values; i++) {
    if (has_kernel (i) && (method == (gint) i || (method == ALL_METHODS
                && n_cases >= methods->n_values * 10)))
      fail_unless (counted[i] > 0, "no case was counted by %s",
          methods->values[i].value_nick);
  }
  g_free (counted);
  g_type_class_unref (methods);
}

static void
check_seed (guint64 seed, const Subject * subjects, guint n_subjects)
{
  Case c;
  guint s;

  case_init (&c, seed);
  for (s = 0; s < n_subjects; s++)
    check_case (&c, &subjects[s]);
  case_clear (&c);
}

/* Some methods support only few of the cases. A method that has counted none
 * before @seed gets more cases until it counts one. */
static void
check_rare_methods (guint64 seed, const Subject * subjects, guint n_subjects)
{
  guint m, i;

  for (m = 0; m < methods->n_values; m++) {
    const guint64 next = seed + (m + methods->n_values -
        seed % methods->n_values) % methods->n_values;

    for (i = 0; i < MORE_CASES && has_kernel (m) && counted[m] == 0; i++)
      check_seed (next + (guint64) i * methods->n_values, subjects, n_subjects);
  }
}

static void
close_subjects (Subject * subjects, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (subjects[i].engine) {
      g_object_unref (subjects[i].engine);
      continue;
    }
    subjects[i].counter->klass->close (subjects[i].counter);
    subjects[i].device->klass->close (subjects[i].device);
  }
}

GST_START_TEST (test_random_cases)
{
  const guint64 n_cases = test_env_tier ("TEST_SWEEP_CASES", DEFAULT_CASES,
      CASES_OF_LONG_TIER);
  const guint64 first = test_env_number ("TEST_SEED",
      g_random_int () / CASES_PER_8K * CASES_PER_8K);
  Subject subjects[MAX_SUBJECTS];
  gboolean watched;
  guint n_subjects;
  guint64 i;

  small = test_env_number ("TEST_SWEEP_SMALL", 0);
  n_subjects = open_subjects (subjects);
  choose_methods ();
  watched = g_strcmp0 (subjects[0].counts_on, "cuda") == 0
      && test_launches_watch ();

  for (i = 0; i < n_cases; i++)
    check_seed (first + i, subjects, n_subjects);
  if (method == ALL_METHODS && n_cases >= methods->n_values * 10)
    check_rare_methods (first + n_cases, subjects, n_subjects);

  test_figure ("random frames counted as the reference counts them",
      "%" G_GUINT64_FORMAT ", by %u ways of counting", n_cases, n_subjects);
  close_subjects (subjects, n_subjects);
  check_methods (n_cases);
  if (watched && n_cases >= CASES_OF_ALL_SORTS)
    test_launches_check ();
}

GST_END_TEST;

SWEEP_SUITE (sweep, test_random_cases)
