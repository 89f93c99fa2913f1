/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms: their statistics, against values computed by hand and
 * against a list of all pixels, and which frames an engine compares. */
#include <gst/videohistogram/videohistogram.h>

#include "common/close.h"
#include "common/env.h"
#include "common/frame.h"
#include "common/memory.h"
#include "common/pending.h"
#include "common/suite.h"
#include "gst/videohistogram/histogram/gstvideojointhistogram-private.h"

#define CAPS(format, width, height) "video/x-raw,format=" format ",width=" \
    #width ",height=" #height ",framerate=25/1"

#define CHROMA GST_VIDEO_HISTOGRAM_JOINT_CHROMA
#define PREVIOUS GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
#define OTHER GST_VIDEO_HISTOGRAM_JOINT_OTHER
#define NONE GST_VIDEO_HISTOGRAM_JOINT_NONE

typedef GstVideoJointHistogram Joint;

#define NEW(n_a, n_b, ...) \
    gst_video_joint_histogram_new (n_a, n_b, \
        (const guint32[]) { __VA_ARGS__ }, \
        sizeof ((const guint32[]) { __VA_ARGS__ }) / sizeof (guint32))

#define STATISTIC(name, function) \
static gdouble \
name (Joint * joint) \
{ \
  gdouble result = -100; \
\
  fail_unless (gst_video_joint_histogram_get_##function (joint, &result)); \
  return result; \
}

STATISTIC (mutual, mutual_information);
STATISTIC (normalized, normalized_mutual_information);
STATISTIC (ratio, correlation_ratio);

/* Eight pixels. a: 4 in each of its two bins; b: 2, 4, 2. */
GST_START_TEST (test_by_hand)
{
  Joint *joint = NEW (2, 3, 2, 2, 0, 0, 2, 2);
  guint32 *a, *b;
  guint n;

  fail_unless_equals_uint64 (gst_video_joint_histogram_get_pixels (joint), 8);
  fail_unless_equals_int (gst_video_joint_histogram_get_n_a (joint), 2);
  fail_unless_equals_int (gst_video_joint_histogram_get_n_b (joint), 3);
  fail_unless (gst_video_joint_histogram_get_kind (joint) == NONE);
  fail_unless_equals_string (gst_video_joint_histogram_get_backend (joint),
      "none");
  fail_unless_equals_int (gst_video_joint_histogram_get_state (joint),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless (gst_video_joint_histogram_wait (joint, 0));
  fail_unless_equals_int (gst_video_joint_histogram_get_counts (joint, &n)[4],
      2);
  fail_unless_equals_int (n, 6);
  a = gst_video_joint_histogram_dup_marginal_a (joint, &n);
  fail_unless (n == 2 && a[0] == 4 && a[1] == 4);
  b = gst_video_joint_histogram_dup_marginal_b (joint, &n);
  fail_unless (n == 3 && b[0] == 2 && b[1] == 4 && b[2] == 2);
  g_free (a);
  g_free (b);

  /* H(a) = 1, H(b) = 1.5, H(a, b) = log2 (4) = 2 */
  fail_unless_close (mutual (joint), 0.5);
  fail_unless_close (normalized (joint), 1.25);
  /* Means of b: 0.5 and 1.5 around 1; variance of b: (2 + 2) / 8 = 0.5, of the
   * means 0.25 */
  fail_unless_close (ratio (joint), 0.5);
  gst_video_joint_histogram_unref (joint);
}

GST_END_TEST;

/* b determines a, but not the other way round: the correlation ratio is of b
 * given a. */
GST_START_TEST (test_not_symmetric)
{
  Joint *fold = NEW (3, 2, 1, 0, 0, 1, 1, 0);
  Joint *unfold = NEW (2, 3, 1, 0, 1, 0, 1, 0);

  fail_unless (ratio (fold) == 1);
  fail_unless (ratio (unfold) == 0);
  fail_unless_close (mutual (fold), mutual (unfold));
  fail_unless_close (normalized (fold), normalized (unfold));
  gst_video_joint_histogram_unref (fold);
  gst_video_joint_histogram_unref (unfold);
}

GST_END_TEST;

/* Identical frames give exactly all of the entropy, 2 and 1. */
GST_START_TEST (test_identical)
{
  TestRandom random = test_random_new (1);
  guint32 *counts = g_new0 (guint32, 256 * 256);
  gdouble entropy = 0, pixels = 0;
  Joint *joint;
  guint i;

  for (i = 0; i < 256; i++) {
    if (test_random_once_in (&random, 3))
      counts[i * 256 + i] = 1 + test_random_below (&random, 100000);
    pixels += counts[i * 256 + i];
  }
  for (i = 0; i < 256; i++) {
    const gdouble p = counts[i * 256 + i] / pixels;

    entropy -= p > 0 ? p * log2 (p) : 0;
  }
  joint = gst_video_joint_histogram_new (256, 256, counts, 256 * 256);
  fail_unless_close (mutual (joint), entropy);
  fail_unless (normalized (joint) == 2);
  fail_unless (ratio (joint) == 1);
  gst_video_joint_histogram_unref (joint);
  g_free (counts);
}

GST_END_TEST;

/* Each pair is as frequent as both values independently imply. */
GST_START_TEST (test_independent)
{
  TestRandom random = test_random_new (2);
  guint32 of_a[100], of_b[50], *counts = g_new (guint32, 100 * 50);
  Joint *joint;
  guint a, b;

  for (a = 0; a < 100; a++)
    of_a[a] = test_random_below (&random, 90);
  for (b = 0; b < 50; b++)
    of_b[b] = test_random_below (&random, 90);
  for (a = 0; a < 100; a++) {
    for (b = 0; b < 50; b++)
      counts[a * 50 + b] = of_a[a] * of_b[b];
  }
  joint = gst_video_joint_histogram_new (100, 50, counts, 100 * 50);
  fail_unless (mutual (joint) == 0);
  fail_unless_close (normalized (joint), 1);
  fail_unless (ratio (joint) < 1e-20);
  gst_video_joint_histogram_unref (joint);
  g_free (counts);
}

GST_END_TEST;

/* Cases in which the divisor is 0. */
static const struct
{
  guint32 counts[4];
  gdouble mutual, normalized, ratio;
} flat[] = {
  {{0, 0, 7, 0}, 0, 2, 1},      /* one pair */
  {{3, 0, 4, 0}, 0, 1, 1},      /* b does not vary */
  {{3, 4, 0, 0}, 0, 1, 0},      /* a does not vary */
  {{0, 1, 0, 0}, 0, 2, 1},      /* one pixel */
};

GST_START_TEST (test_flat)
{
  Joint *joint = gst_video_joint_histogram_new (2, 2, flat[__i__].counts, 4);

  fail_unless (mutual (joint) == flat[__i__].mutual);
  fail_unless (normalized (joint) == flat[__i__].normalized);
  fail_unless (ratio (joint) == flat[__i__].ratio);
  gst_video_joint_histogram_unref (joint);
}

GST_END_TEST;

GST_START_TEST (test_empty)
{
  Joint *joint = NEW (1, 2, 0, 0);
  gdouble result, *means;
  guint n;

  fail_if (gst_video_joint_histogram_get_mutual_information (joint, &result));
  fail_if (gst_video_joint_histogram_get_normalized_mutual_information (joint,
          &result));
  fail_if (gst_video_joint_histogram_get_correlation_ratio (joint, &result));
  means = gst_video_joint_histogram_dup_conditional_means (joint, &n);
  fail_unless (n == 1 && isnan (means[0]));
  g_free (means);
  gst_video_joint_histogram_unref (joint);
}

GST_END_TEST;

/* Pixel values one by one: sums over counts must equal sums over these. */
typedef struct
{
  guint n, *a, *b;
} Pixels;

static gdouble
mean_of (const guint * values, guint n)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

static gdouble
plain_ratio (const Pixels * p, guint n_a)
{
  const gdouble mean = mean_of (p->b, p->n);
  gdouble inside = 0, all = 0;
  guint a, i;

  for (i = 0; i < p->n; i++)
    all += (p->b[i] - mean) * (p->b[i] - mean);
  for (a = 0; a < n_a; a++) {
    guint *own = g_new (guint, p->n), n = 0;

    for (i = 0; i < p->n; i++) {
      if (p->a[i] == a)
        own[n++] = p->b[i];
    }
    for (i = 0; i < n; i++)
      inside += (own[i] - mean_of (own, n)) * (own[i] - mean_of (own, n));
    g_free (own);
  }
  return 1 - inside / all;
}

/* Each pixel adds the contribution of its pair or value. */
static gdouble
plain_entropy (const Pixels * p, gboolean of_a, gboolean of_b)
{
  gdouble sum = 0;
  guint i, k;

  for (i = 0; i < p->n; i++) {
    gdouble same = 0;

    for (k = 0; k < p->n; k++)
      same += (!of_a || p->a[k] == p->a[i]) && (!of_b || p->b[k] == p->b[i]);
    sum -= log2 (same / p->n) / p->n;
  }
  return sum;
}

GST_START_TEST (test_plain)
{
  TestRandom random = test_random_new (__i__);
  const guint n_a = 1 + test_random_below (&random, 12);
  const guint n_b = 2 + test_random_below (&random, 12);
  guint32 *counts = g_new0 (guint32, n_a * n_b);
  Pixels p = {.n = 200 };
  gdouble h_a, h_b, h_ab;
  Joint *joint;
  guint i;

  p.a = g_new (guint, p.n);
  p.b = g_new (guint, p.n);
  for (i = 0; i < p.n; i++) {
    p.a[i] = test_random_below (&random, n_a);
    p.b[i] = (p.a[i] / 2 + test_random_below (&random, 1 + __i__)) % n_b;
  }
  /* b must vary. */
  p.b[0] = !p.b[1];
  for (i = 0; i < p.n; i++)
    counts[p.a[i] * n_b + p.b[i]]++;

  joint = gst_video_joint_histogram_new (n_a, n_b, counts, n_a * n_b);
  h_a = plain_entropy (&p, TRUE, FALSE);
  h_b = plain_entropy (&p, FALSE, TRUE);
  h_ab = plain_entropy (&p, TRUE, TRUE);
  fail_unless_close (mutual (joint), h_a + h_b - h_ab);
  fail_unless_close (normalized (joint), (h_a + h_b) / h_ab);
  fail_unless_close (ratio (joint), plain_ratio (&p, n_a));
  gst_video_joint_histogram_unref (joint);
  g_free (counts);
  g_free (p.a);
  g_free (p.b);
}

GST_END_TEST;

/* The example in the notes from which the compressed sparse rows are taken. */
GST_START_TEST (test_sparse)
{
  const guint32 table[] = { 11, 0, 12, 13, 14, 15, 0, 0, 16 };
  const guint32 offsets[] = { 0, 2, 5, 6 }, columns[] = { 0, 2, 0, 1, 2, 2 };
  const guint32 values[] = { 11, 12, 13, 14, 15, 16 };
  const gdouble vector[] = { 2, 3, 5 };
  GstVideoSparseCounts *sparse = gst_video_sparse_counts_new (3, 3, table, 9);
  gdouble *product;
  guint n;

  fail_unless_equals_int (gst_video_sparse_counts_get_n_rows (sparse), 3);
  fail_unless_equals_int (gst_video_sparse_counts_get_n_columns (sparse), 3);
  fail_if (memcmp (gst_video_sparse_counts_get_row_offsets (sparse, &n),
          offsets, sizeof (offsets)));
  fail_unless_equals_int (n, 4);
  fail_if (memcmp (gst_video_sparse_counts_get_columns (sparse, &n), columns,
          sizeof (columns)));
  fail_unless_equals_int (n, 6);
  fail_if (memcmp (gst_video_sparse_counts_get_values (sparse, &n), values,
          sizeof (values)));
  fail_unless_equals_int (n, 6);

  product = gst_video_sparse_counts_multiply (sparse, vector, 3, &n);
  fail_unless_equals_int (n, 3);
  fail_unless (product[0] == 22 + 60);
  fail_unless (product[1] == 26 + 42 + 75);
  fail_unless (product[2] == 80);
  g_free (product);
  fail_unless (gst_video_sparse_counts_multiply (sparse, vector, 2, &n) == NULL
      && n == 0);
  gst_video_sparse_counts_unref (gst_video_sparse_counts_ref (sparse));
  gst_video_sparse_counts_unref (sparse);
}

GST_END_TEST;

/* Different numbers of rows and columns, and an empty row. */
GST_START_TEST (test_conditional_means)
{
  Joint *joint = NEW (3, 4, 1, 0, 0, 3, 0, 0, 0, 0, 0, 5, 0, 0);
  GstVideoSparseCounts *sparse = gst_video_joint_histogram_to_sparse (joint);
  gdouble *means;
  guint n;

  means = gst_video_joint_histogram_dup_conditional_means (joint, &n);
  fail_unless_equals_int (n, 3);
  fail_unless (means[0] == 9.0 / 4);
  fail_unless (isnan (means[1]));
  fail_unless (means[2] == 1);
  g_free (means);
  fail_unless_equals_int (gst_video_sparse_counts_get_row_offsets (sparse,
          NULL)[2], 2);
  fail_unless_equals_int (gst_video_sparse_counts_get_n_columns (sparse), 4);
  gst_video_sparse_counts_unref (sparse);
  gst_video_joint_histogram_unref (joint);
}

GST_END_TEST;

/* A histogram is pending while its joint histogram is, and complete if that
 * failed. */
GST_START_TEST (test_pending)
{
  static const VhPendingFuncs funcs = { test_job_poll, test_job_release };
  const gint end = __i__ ? GST_VIDEO_HISTOGRAM_STATE_FAILED :
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
  TestJob job, joint_job = {.result = GST_VIDEO_HISTOGRAM_STATE_PENDING };
  GstVideoHistogram *histogram = test_pending_new (&job);
  Joint *joint = vh_joint_histogram_new (PREVIOUS, 4, 4, 12, "fake");
  GstStructure *s;
  gdouble value;
  guint n;

  vh_counts_set_pending (vh_joint_histogram_counts (joint), &funcs,
      &joint_job);
  vh_histogram_set_joint (histogram, joint);
  gst_video_joint_histogram_unref (joint);
  job.result = GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_PENDING);
  fail_if (gst_video_histogram_wait (histogram, GST_MSECOND));
  joint_job.result = end;
  fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  fail_unless_equals_int (gst_video_joint_histogram_get_state
      (gst_video_histogram_get_joint (histogram)), end);
  fail_unless ((gst_video_joint_histogram_get_counts (joint, NULL) == NULL) ==
      (end == GST_VIDEO_HISTOGRAM_STATE_FAILED));
  if (__i__) {
    fail_unless (gst_video_joint_histogram_to_sparse (joint) == NULL);
    fail_unless (gst_video_joint_histogram_dup_marginal_a (joint, &n) == NULL);
    fail_unless (gst_video_joint_histogram_dup_marginal_b (joint, &n) == NULL);
    fail_unless (gst_video_joint_histogram_dup_conditional_means (joint, &n) ==
        NULL);
    fail_unless_equals_int (n, 0);
    fail_if (gst_video_joint_histogram_get_mutual_information (joint, &value));
    fail_if (gst_video_joint_histogram_get_correlation_ratio (joint, &value));
  }
  s = gst_video_histogram_to_structure (histogram,
      GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS);
  fail_unless_equals_int (gst_structure_has_field (s, "joint"), !__i__);
  gst_structure_free (s);
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (joint_job.releases, 1);
}

GST_END_TEST;

/* The engine */

#define GRAY CAPS ("GRAY8", 4, 1)

/* The stream under test, and another one. */
static GstVideoHistogramEngine *engine, *other;

static void
teardown (void)
{
  g_clear_object (&engine);
  g_clear_object (&other);
}

static GstVideoHistogramSpec
make_spec (GstVideoHistogramJoint joint, guint bins)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  spec.joint = joint;
  spec.joint_bins = bins;
  return spec;
}

static void
configure (GstVideoHistogramEngine * of, const gchar * caps_string,
    const GstVideoHistogramSpec * spec)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_configure (of, caps, spec, &error),
      "%s", error ? error->message : "");
  gst_caps_unref (caps);
}

static GstVideoHistogramEngine *
make_engine (const gchar * caps, GstVideoHistogramJoint joint, guint bins)
{
  const GstVideoHistogramSpec spec = make_spec (joint, bins);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  configure (engine, caps, &spec);
  return engine;
}

/* A frame with these bytes. */
#define FRAME(...) \
    gst_buffer_new_memdup ((const guint8[]) { __VA_ARGS__ }, \
        sizeof ((const guint8[]) { __VA_ARGS__ }))

/* Takes @frame. */
static GstVideoHistogram *
submit (GstVideoHistogramEngine * engine, GstBuffer * frame)
{
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_engine_submit (engine,
      frame, NULL, FALSE, &error);

  fail_unless (histogram != NULL, "%s", error ? error->message : "");
  gst_buffer_unref (frame);
  return histogram;
}

/* Takes @histogram, whose joint histogram must be this one. */
static void
check (GstVideoHistogram * histogram, GstVideoHistogramJoint kind,
    const guint32 * counts, guint n)
{
  Joint *joint = gst_video_histogram_get_joint (histogram);
  const guint32 *found;
  guint n_found, i;

  fail_unless (joint != NULL);
  fail_unless (gst_video_joint_histogram_get_kind (joint) == kind);
  found = gst_video_joint_histogram_get_counts (joint, &n_found);
  fail_unless_equals_int (n_found, n);
  for (i = 0; i < n; i++)
    fail_unless_equals_int (found[i], counts[i]);
  gst_video_histogram_unref (histogram);
}

#define CHECK(histogram, kind, ...) \
    check (histogram, kind, (const guint32[]) { __VA_ARGS__ }, \
        sizeof ((const guint32[]) { __VA_ARGS__ }) / sizeof (guint32))

/* Takes @histogram, which must not have a joint histogram. */
static void
check_none (GstVideoHistogram * histogram)
{
  fail_unless (gst_video_histogram_get_joint (histogram) == NULL);
  gst_video_histogram_unref (histogram);
}

static void
check_problem (GstVideoHistogramEngine * engine, const gchar * part)
{
  gchar *problem = gst_video_histogram_engine_dup_joint_problem (engine);

  if (part)
    fail_unless (problem && strstr (problem, part), "%s", problem);
  else
    fail_unless (problem == NULL, "%s", problem);
  g_free (problem);
}

/* Each frame is compared with the one before; rows of GRAY8 are padded to 4
 * bytes. */
GST_START_TEST (test_previous)
{
  GstVideoHistogramSpec spec = make_spec (PREVIOUS, 2);
  GError *error = NULL;
  GstBuffer *bad;

  engine = make_engine (GRAY, PREVIOUS, 2);
  check_none (submit (engine, FRAME (0, 0, 255, 255)));
  CHECK (submit (engine, FRAME (0, 255, 255, 255)), PREVIOUS, 1, 1, 0, 2);
  CHECK (submit (engine, FRAME (0, 0, 0, 0)), PREVIOUS, 1, 0, 3, 0);

  /* A frame that cannot be read is not kept as the last one. */
  bad = FRAME (1);
  fail_unless (gst_video_histogram_engine_submit (engine, bad, NULL, FALSE,
          &error) == NULL);
  g_clear_error (&error);
  gst_buffer_unref (bad);
  CHECK (submit (engine, FRAME (0, 0, 0, 200)), PREVIOUS, 3, 1, 0, 0);

  /* A new configuration starts over. */
  configure (engine, GRAY, &spec);
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  CHECK (submit (engine, FRAME (0, 0, 0, 200)), PREVIOUS, 3, 1, 0, 0);
  check_problem (engine, NULL);
}

GST_END_TEST;

static GstBuffer *
crop (GstBuffer * frame, guint x, guint width)
{
  GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (frame);

  meta->x = x;
  meta->y = 0;
  meta->width = width;
  meta->height = 1;
  return frame;
}

/* A frame with another size than the last one is not compared, and then becomes
 * the last. */
GST_START_TEST (test_previous_of_another_size)
{
  engine = make_engine (GRAY, PREVIOUS, 2);
  check_none (submit (engine, FRAME (0, 0, 255, 255)));
  check_none (submit (engine, crop (FRAME (0, 255, 0, 0), 1, 2)));
  CHECK (submit (engine, crop (FRAME (0, 0, 255, 255), 2, 2)), PREVIOUS,
      0, 1, 0, 1);
  check_none (submit (engine, FRAME (0, 0, 255, 255)));
  CHECK (submit (engine, FRAME (0, 0, 255, 255)), PREVIOUS, 2, 0, 0, 2);
  check_problem (engine, NULL);
}

GST_END_TEST;

/* I420 of 3x3 pixels: luma rows of 4 bytes, chroma of 2x2 in rows of 4. */
GST_START_TEST (test_chroma)
{
  GstVideoHistogramSpec spec = make_spec (CHROMA, 2);
  /* The height of luma is rounded up to whole pairs of rows. */
  static const guint8 picture[] = {
    9, 9, 9, 0, 9, 9, 9, 0, 9, 9, 9, 0, 0, 0, 9, 9,
    0, 200, 0, 0, 0, 200, 0, 0,
    0, 0, 0, 0, 200, 200, 0, 0,
  };
  GstBuffer *frame = gst_buffer_new_memdup (picture, sizeof (picture));

  engine = make_engine (CAPS ("I420", 3, 3), CHROMA, 2);
  CHECK (submit (engine, gst_buffer_ref (frame)), CHROMA, 1, 1, 1, 1);

  /* Only samples used by pixels of the region: the middle pixel uses the first
   * sample, the last pixel the last one. */
  spec.region_x = spec.region_y = spec.region_width = spec.region_height = 1;
  configure (engine, CAPS ("I420", 3, 3), &spec);
  CHECK (submit (engine, gst_buffer_ref (frame)), CHROMA, 1, 0, 0, 0);
  spec.region_x = spec.region_width = 2;
  configure (engine, CAPS ("I420", 3, 3), &spec);
  CHECK (submit (engine, gst_buffer_ref (frame)), CHROMA, 0, 0, 1, 0);
  spec.region_x = 1;
  configure (engine, CAPS ("I420", 3, 3), &spec);
  CHECK (submit (engine, frame), CHROMA, 1, 0, 1, 0);
}

GST_END_TEST;

/* Video without chroma is still counted. */
GST_START_TEST (test_no_chroma)
{
  GstVideoHistogramSpec spec = make_spec (NONE, 2);
  GstBuffer *frame = FRAME (1, 2, 3, 4);
  GError *error = NULL;

  engine = make_engine (GRAY, CHROMA, 2);
  check_problem (engine, "needs video in color");
  check_none (submit (engine, gst_buffer_ref (frame)));
  fail_unless (gst_video_histogram_engine_count_joint (engine, CHROMA, frame,
          NULL, &error) == NULL);
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  g_clear_error (&error);
  configure (engine, GRAY, &spec);
  check_problem (engine, NULL);
  gst_buffer_unref (frame);
}

GST_END_TEST;

GST_START_TEST (test_bad_spec)
{
  GstCaps *caps = gst_caps_from_string (GRAY);
  GstVideoHistogramSpec spec = make_spec (PREVIOUS, 257);
  GError *error = NULL;

  engine = make_engine (GRAY, NONE, 0);
  fail_if (gst_video_histogram_engine_configure (engine, caps, &spec, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  g_clear_error (&error);
  spec = make_spec (OTHER + 1, 2);
  fail_if (gst_video_histogram_engine_configure (engine, caps, &spec, NULL));
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Fails unless comparing these frames has an error of this code. */
static void
check_refused (GstVideoHistogramJoint kind, GstBuffer * a, GstBuffer * b,
    GstVideoHistogramError code)
{
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_count_joint (engine, kind, a, b,
          &error) == NULL);
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, code));
  g_error_free (error);
}

/* Two given frames, in the default 64 bins; the last submitted frame stays the
 * last. */
GST_START_TEST (test_count_joint)
{
  GstBuffer *a = FRAME (0, 4, 8, 255), *b = FRAME (255, 0, 4, 8);
  GstBuffer *small = crop (FRAME (0, 0, 0, 0), 1, 2), *bad = FRAME (1);
  GError *error = NULL;
  GstVideoHistogram *histogram;
  const guint32 *counts;
  Joint *joint;

  engine = make_engine (GRAY, PREVIOUS, 0);
  check_none (submit (engine, gst_buffer_ref (b)));
  joint = gst_video_histogram_engine_count_joint (engine, OTHER, a, b, &error);
  fail_unless (joint != NULL, "%s", error ? error->message : "");
  fail_unless (gst_video_joint_histogram_get_kind (joint) == OTHER);
  fail_unless_equals_int (gst_video_joint_histogram_get_n_b (joint), 64);
  counts = gst_video_joint_histogram_get_counts (joint, NULL);
  fail_unless (counts[63] == 1 && counts[64] == 1 && counts[129] == 1
      && counts[63 * 64 + 2] == 1);
  gst_video_joint_histogram_unref (joint);

  check_refused (OTHER, a, small, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  check_refused (OTHER, a, bad, GST_VIDEO_HISTOGRAM_ERROR_FRAME);

  histogram = submit (engine, gst_buffer_ref (b));
  fail_unless (normalized (gst_video_histogram_get_joint (histogram)) == 2);
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  gst_buffer_unref (small);
  gst_buffer_unref (bad);
}

GST_END_TEST;

/* Frames are compared with the other stream's last one, while it exists. */
GST_START_TEST (test_other)
{
  engine = make_engine (GRAY, OTHER, 2);
  other = make_engine (GRAY, __i__ ? PREVIOUS : NONE, 2);
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  gst_video_histogram_engine_set_joint_other (engine, other);
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  check_problem (engine, NULL);
  gst_video_histogram_unref (submit (other, FRAME (0, 255, 255, 255)));
  CHECK (submit (engine, FRAME (0, 0, 0, 255)), OTHER, 1, 0, 2, 1);
  CHECK (submit (engine, FRAME (255, 0, 0, 0)), OTHER, 0, 1, 3, 0);
  gst_video_histogram_unref (submit (other, FRAME (255, 0, 0, 0)));
  CHECK (submit (engine, FRAME (255, 0, 0, 0)), OTHER, 3, 0, 0, 1);

  gst_video_histogram_engine_set_joint_other (engine, NULL);
  check_none (submit (engine, FRAME (255, 0, 0, 0)));
  if (!__i__) {
    /* Nothing requested to keep this frame. */
    gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 0)));
    gst_video_histogram_engine_set_joint_other (engine, other);
    check_none (submit (engine, FRAME (255, 0, 0, 0)));
  }
  gst_video_histogram_engine_set_joint_other (engine, other);
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 0)));
  CHECK (submit (engine, FRAME (255, 0, 0, 0)), OTHER, 3, 1, 0, 0);
  gst_video_histogram_engine_close (other);
  check_none (submit (engine, FRAME (255, 0, 0, 0)));
  g_clear_object (&other);
  check_none (submit (engine, FRAME (255, 0, 0, 0)));
  check_problem (engine, NULL);
}

GST_END_TEST;

/* The error names what differs; counting continues once it does not. */
GST_START_TEST (test_other_that_differs)
{
  GstVideoHistogramSpec spec = make_spec (NONE, 4);

  engine = make_engine (GRAY, OTHER, 2);
  other = make_engine (CAPS ("GRAY8", 8, 1), NONE, 2);
  gst_video_histogram_engine_set_joint_other (engine, other);
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 0, 0, 0, 0, 0)));
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  check_problem (engine, "8x1");

  configure (other, GRAY, &spec);
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 0)));
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  check_problem (engine, "joint-bins");
  gst_video_histogram_engine_set_joint_other (engine, NULL);
  check_none (submit (engine, FRAME (0, 0, 0, 0)));
  check_problem (engine, NULL);
  gst_video_histogram_engine_set_joint_other (engine, other);

  /* Formats may differ. */
  spec.joint_bins = 2;
  configure (other, CAPS ("GRAY16_LE", 4, 1), &spec);
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 255, 255, 0, 0,
              255)));
  CHECK (submit (engine, FRAME (0, 0, 255, 255)), OTHER, 1, 1, 1, 1);
  check_problem (engine, NULL);
}

GST_END_TEST;

/* Two streams compared with each other: neither keeps the other alive. */
GST_START_TEST (test_each_other)
{
  GstVideoHistogramEngine *a = make_engine (GRAY, OTHER, 2);
  GstVideoHistogramEngine *b = make_engine (GRAY, OTHER, 2);

  gst_video_histogram_engine_set_joint_other (a, b);
  gst_video_histogram_engine_set_joint_other (b, a);
  check_none (submit (a, FRAME (0, 0, 0, 0)));
  CHECK (submit (b, FRAME (0, 0, 0, 255)), OTHER, 3, 1, 0, 0);
  CHECK (submit (a, FRAME (255, 0, 0, 255)), OTHER, 2, 1, 0, 1);
  ASSERT_OBJECT_REFCOUNT (a, "a", 1);
  ASSERT_OBJECT_REFCOUNT (b, "b", 1);
  g_object_unref (a);
  check_none (submit (b, FRAME (255, 0, 0, 255)));
  g_object_unref (b);
}

GST_END_TEST;

static gboolean stop_watching;

/* Maps 4 zero bytes; the other stream continues meanwhile. */
static gpointer
map_meanwhile (G_GNUC_UNUSED GstMemory * memory,
    G_GNUC_UNUSED GstMapInfo * info, G_GNUC_UNUSED gsize maxsize)
{
  static guint8 black[4];
  guint i;

  if (stop_watching)
    gst_video_histogram_engine_set_joint_other (engine, NULL);
  for (i = 0; i < 4; i++)
    gst_video_histogram_unref (submit (other, FRAME (255, 255, 0, 0)));
  return black;
}

static GstBuffer *
make_slow_frame (void)
{
  GstMemory *memory = test_memory_unmappable (4);
  GstBuffer *frame = gst_buffer_new ();

  memory->allocator->mem_map_full = map_meanwhile;
  gst_buffer_append_memory (frame, memory);
  return frame;
}

/* The frame that was the last one at that time is compared, however many more
 * arrive before the comparison is done, even if they are no longer kept. */
GST_START_TEST (test_other_goes_on)
{
  stop_watching = __i__ / 2;
  engine = make_engine (GRAY, OTHER, 2);
  other = make_engine (GRAY, __i__ % 2 ? PREVIOUS : NONE, 2);
  gst_video_histogram_engine_set_joint_other (engine, other);
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 0)));
  gst_video_histogram_unref (submit (other, FRAME (0, 0, 0, 255)));
  CHECK (submit (engine, make_slow_frame ()), OTHER, 3, 0, 1, 0);
  if (!stop_watching)
    CHECK (submit (engine, make_slow_frame ()), OTHER, 2, 0, 2, 0);
}

GST_END_TEST;

/* One stream writes frames while another compares with them: each frame has a
 * single value, so a half-written one would show. */
#define BIG 512
#define N_JOINTS TEST_SANITIZED (50, 200)

static gint enough;             /* atomic */

static gpointer
submit_frames (gpointer data)
{
  GstVideoHistogramEngine *engine = data;
  guint i;

  i = 0;
  do {
    GstBuffer *frame = gst_buffer_new_allocate (NULL, BIG * BIG, NULL);

    gst_buffer_memset (frame, 0, i++ % 2 ? 255 : 0, BIG * BIG);
    gst_video_histogram_unref (submit (engine, frame));
  } while (!g_atomic_int_get (&enough));
  return NULL;
}

GST_START_TEST (test_other_at_the_same_time)
{
  const gboolean always = __i__ / 2;
  GThread *thread;
  guint i, n = 0;

  engine = make_engine (CAPS ("GRAY8", 512, 512), OTHER, 2);
  other = make_engine (CAPS ("GRAY8", 512, 512), __i__ % 2 ? PREVIOUS : NONE,
      2);
  gst_video_histogram_engine_set_joint_other (engine, other);
  enough = TRUE;
  submit_frames (other);
  enough = FALSE;
  thread = g_thread_new ("other", submit_frames, other);
  for (i = 0; n < N_JOINTS; i++) {
    GstBuffer *frame = gst_buffer_new_allocate (NULL, BIG * BIG, NULL);
    GstVideoHistogram *histogram;
    Joint *joint;

    /* Watched and not watched in turns; if always watched, there always is a
     * frame. */
    gst_video_histogram_engine_set_joint_other (engine, i % 10 == 9 && !always ?
        NULL : other);
    gst_buffer_memset (frame, 0, 255, BIG * BIG);
    histogram = submit (engine, frame);
    joint = gst_video_histogram_get_joint (histogram);
    fail_unless (joint || !always);
    if (joint) {
      const guint32 *counts = gst_video_joint_histogram_get_counts (joint,
          NULL);

      fail_unless (counts[1] == BIG * BIG || counts[3] == BIG * BIG,
          "%u and %u", counts[1], counts[3]);
      n++;
    }
    gst_video_histogram_unref (histogram);
  }
  g_atomic_int_set (&enough, TRUE);
  g_thread_join (thread);
}

GST_END_TEST;

#define N_SETS TEST_SANITIZED (20000, 200000)

static gint n_setters;          /* atomic: ready */

typedef struct
{
  GstVideoHistogramEngine *others[2];
  guint first;
} Setter;

static gpointer
set_others (gpointer data)
{
  const Setter *self = data;
  guint i;

  g_atomic_int_inc (&n_setters);
  while (g_atomic_int_get (&n_setters) < 2)
    g_thread_yield ();
  for (i = 0; i < N_SETS; i++)
    gst_video_histogram_engine_set_joint_other (engine,
        self->others[(i + self->first) % 2]);
  return NULL;
}

/* Two threads set the other stream of one engine. Afterwards the other streams
 * know exactly whether they are counted against. */
GST_START_TEST (test_other_set_by_two)
{
  GstVideoHistogramEngine *third = make_engine (GRAY, NONE, 2);
  Setter setters[2];
  GThread *threads[2];
  guint i;

  engine = make_engine (GRAY, OTHER, 2);
  other = make_engine (GRAY, NONE, 2);
  for (i = 0; i < G_N_ELEMENTS (threads); i++) {
    setters[i] = (Setter) { {other, third}, i };
    threads[i] = g_thread_new ("setter", set_others, &setters[i]);
  }
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);

  for (i = 0; i < 2; i++) {
    GstVideoHistogramEngine *against = i ? third : other;

    gst_video_histogram_engine_set_joint_other (engine, against);
    gst_video_histogram_unref (submit (against, FRAME (0, 0, 0, 0)));
    CHECK (submit (engine, FRAME (255, 0, 0, 0)), OTHER, 3, 1, 0, 0);
    gst_video_histogram_engine_set_joint_other (engine, NULL);
    gst_video_histogram_unref (submit (against, FRAME (0, 0, 0, 0)));
    gst_video_histogram_engine_set_joint_other (engine, against);
    check_none (submit (engine, FRAME (255, 0, 0, 0)));
  }
  g_clear_object (&engine);
  gst_video_histogram_unref (submit (third, FRAME (0, 0, 0, 0)));
  g_object_unref (third);
}

GST_END_TEST;

TEST_SUITE (joint, NULL, teardown)
{
  tcase_add_test (tc, test_by_hand);
  tcase_add_test (tc, test_not_symmetric);
  tcase_add_test (tc, test_identical);
  tcase_add_test (tc, test_independent);
  tcase_add_loop_test (tc, test_flat, 0, G_N_ELEMENTS (flat));
  tcase_add_test (tc, test_empty);
  tcase_add_loop_test (tc, test_plain, 0, 20);
  tcase_add_test (tc, test_sparse);
  tcase_add_test (tc, test_conditional_means);
  tcase_add_loop_test (tc, test_pending, 0, 2);
  tcase_add_test (tc, test_previous);
  tcase_add_test (tc, test_previous_of_another_size);
  tcase_add_test (tc, test_chroma);
  tcase_add_test (tc, test_no_chroma);
  tcase_add_test (tc, test_bad_spec);
  tcase_add_test (tc, test_count_joint);
  tcase_add_loop_test (tc, test_other, 0, 2);
  tcase_add_test (tc, test_other_set_by_two);
  tcase_add_test (tc, test_other_that_differs);
  tcase_add_test (tc, test_each_other);
  tcase_add_loop_test (tc, test_other_goes_on, 0, 4);
  tcase_add_loop_test (tc, test_other_at_the_same_time, 0, 4);
}
