/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each frame is compared with the frame that was kept, and with no other; a
 * device's sums equal those of a loop over single samples. TEST_BACKEND=cuda:
 * on a GPU. */
#include "sweepfixture.h"

#include "common/env.h"
#include "core/difference.h"

#define COMPONENTS 3
#define MAX_IGNORED 4
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

/* Single samples */

/* Layouts missing in GStreamer's tables. */
static const struct
{
  GstVideoFormat format;
  guint shift[COMPONENTS];
} words[] = {
  {GST_VIDEO_FORMAT_RGB10A2_LE, {0, 10, 20}},
  {GST_VIDEO_FORMAT_BGR10A2_LE, {20, 10, 0}},
};

/* Rows may start at any address. */
static guint
read_word (const GstVideoFormatInfo * finfo, const guint8 * at)
{
  if (finfo->depth[0] == 8)
    return at[0];
  return (finfo->flags & GST_VIDEO_FORMAT_FLAG_LE)
      || finfo->format == GST_VIDEO_FORMAT_v216 ? at[0] | at[1] << 8 :
      at[0] << 8 | at[1];
}

static guint
read_sample (const TestFrame * frame, guint c, guint x, guint y)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (frame->format);
  const guint8 *at = frame->image + frame->offset[finfo->plane[c]] +
      (gsize) y * frame->stride[finfo->plane[c]] +
      (gsize) x * finfo->pixel_stride[c];
  guint offset = finfo->poffset[c], i;

  for (i = 0; i < G_N_ELEMENTS (words); i++) {
    if (words[i].format == frame->format)
      return (at[0] | at[1] << 8 | at[2] << 16 | (guint) at[3] << 24) >>
          words[i].shift[c] & 1023;
  }
  if (finfo->depth[c] > 8 && offset == 1)
    offset = 2;
  if (frame->format == GST_VIDEO_FORMAT_VYUY && c > 0)
    offset = c == 1 ? 2 : 0;
  return read_word (finfo, at + offset) >> finfo->shift[c] &
      ((1u << finfo->depth[c]) - 1);
}

/* log2 of the pixels that share a group of samples in the plane of component
 * @c. */
static guint
group_sub (const GstVideoFormatInfo * finfo, guint c)
{
  guint sub = 0, i;

  for (i = 0; i < MIN (finfo->n_components, COMPONENTS); i++) {
    if (finfo->plane[i] == finfo->plane[c])
      sub = MAX (sub, finfo->w_sub[i]);
  }
  return sub;
}

/* The samples of component @c in all groups that pixels touch. */
static VhRect
find_in_groups (const GstVideoFormatInfo * finfo, guint c, guint x, guint y,
    guint width, guint height)
{
  const guint group = group_sub (finfo, c), wide = group - finfo->w_sub[c];
  const guint h_sub = finfo->h_sub[c];
  VhRect rect = { (x >> group) << wide, y >> h_sub };

  rect.width = ((((x + width - 1) >> group) + 1) << wide) - rect.x;
  rect.height = ((y + height - 1) >> h_sub) + 1 - rect.y;
  return rect;
}

/* The samples of component @c that belong to pixels of the picture. */
static VhRect
find_samples (const GstVideoFormatInfo * finfo, guint c, guint x, guint y,
    guint width, guint height)
{
  VhRect rect = find_in_groups (finfo, c, x, y, width, height);

  if (finfo->w_sub[c] == 0) {
    rect.x = x;
    rect.width = width;
  }
  return rect;
}

static gboolean
is_in (const VhRect * rect, guint x, guint y)
{
  return x >= rect->x && x - rect->x < rect->width
      && y >= rect->y && y - rect->y < rect->height;
}

/* Whether the sample at @x, @y of component @c, in its plane, is in one of the
 * ignored rectangles. */
static gboolean
is_ignored (const TestFrame * frame, guint c, guint x, guint y,
    const VhRect * ignored, guint n)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (frame->format);
  guint i;

  for (i = 0; i < n; i++) {
    const VhRect rect = find_in_groups (finfo, c, frame->x + ignored[i].x,
        frame->y + ignored[i].y, MIN (ignored[i].width,
            frame->width - ignored[i].x), MIN (ignored[i].height,
            frame->height - ignored[i].y));

    if (is_in (&rect, x, y))
      return TRUE;
  }
  return FALSE;
}

/* Returns FALSE if the pictures do not have the same samples. */
static gboolean
compare_frames (const TestFrame * a, const TestFrame * b,
    const VhRect * ignored, guint n_ignored, guint64 * sum, guint64 * n)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (a->format);
  guint c, x, y;

  *sum = *n = 0;
  for (c = 0; c < MIN (finfo->n_components, COMPONENTS); c++) {
    const VhRect in_a = find_samples (finfo, c, a->x, a->y, a->width,
        a->height);
    const VhRect in_b = find_samples (finfo, c, b->x, b->y, b->width,
        b->height);

    if (in_a.width != in_b.width || in_a.height != in_b.height)
      return FALSE;
    /* Pixels that share a group stay apart. */
    if (finfo->w_sub[c] < group_sub (finfo, c) && (a->x ^ b->x) & 1)
      return FALSE;
    for (y = 0; y < in_b.height; y++) {
      for (x = 0; x < in_b.width; x++) {
        if (is_ignored (b, c, in_b.x + x, in_b.y + y, ignored, n_ignored))
          continue;
        *n += 1;
        *sum += ABS ((gint) read_sample (a, c, in_a.x + x, in_a.y + y) -
            (gint) read_sample (b, c, in_b.x + x, in_b.y + y));
      }
    }
  }
  return TRUE;
}

/* A device */

typedef struct
{
  VhDevices *devices;
  VhDevice *device;
  VhDifferencer *differencer;
  VhLayout layout;
} Bench;

static Bench bench;

static void
setup (void)
{
  sweep_setup ();
  bench.device = sweep_open_device (&bench.devices);
  bench.differencer = bench.device->klass->new_differencer (bench.device);
}

static void
teardown (void)
{
  bench.differencer->klass->close (bench.differencer);
  sweep_close_devices (bench.devices);
  sweep_teardown ();
}

static void
bench_configure (GstCaps * caps)
{
  GError *error = NULL;

  fail_unless (vh_layout_from_caps (&bench.layout, caps, &error));
  fail_unless (bench.device->klass->configure (bench.device, &bench.layout,
          vh_layout_sample_planes (&bench.layout), &error));
  fail_unless (bench.differencer->klass->configure (bench.differencer,
          &bench.layout, &error), "%s", error ? error->message : "");
}

/* Submits @frame, and waits for the result. Returns whether it was compared. */
static gboolean
bench_submit (const TestFrame * frame, const VhRect * ignored,
    guint n_ignored, guint64 * sum, guint64 * n)
{
  const VhDeviceClass *klass = bench.device->klass;
  const VhCountsShape shape = vh_difference_shape ();
  VhDifference work = {.ignored = ignored,.n_ignored = n_ignored };
  GError *error = NULL;
  VhFrameView view;
  VhFrame *begun;
  gboolean complete;

  work.counts = vh_counts_new (&shape);
  fail_unless (vh_devices_view (&view, &bench.layout, frame->buffer,
          vh_layout_sample_planes (&bench.layout), &error));
  begun = klass->begin (bench.device, &view, VH_FRAME_READ, TRUE, &error);
  fail_unless (begun, "%s", error ? error->message : "");
  fail_unless (bench.differencer->klass->submit (bench.differencer, begun,
          &work, &error), "%s", error ? error->message : "");
  klass->end (bench.device, begun, NULL);

  complete = vh_counts_wait (work.counts, MAX_WAIT);
  fail_unless_equals_int (complete, work.compared);
  *sum = complete ? vh_difference_get_sum (work.counts) : 0;
  *n = work.n;
  vh_counts_unref (work.counts);
  return complete;
}

static void
check (guint64 seed, const TestFrame * kept,
    const TestFrame * frame, const VhRect * ignored, guint n_ignored)
{
  guint64 sum, n, expected_sum, expected_n;
  const gboolean compared = bench_submit (frame, ignored, n_ignored, &sum, &n);

  if (!compare_frames (kept, frame, ignored, n_ignored, &expected_sum,
          &expected_n)) {
    fail_if (compared, "TEST_SEED=%" G_GUINT64_FORMAT ": other samples", seed);
    return;
  }
  fail_unless (compared && sum == expected_sum && n == expected_n,
      "TEST_SEED=%" G_GUINT64_FORMAT ", %s %ux%u, %u ignored: %"
      G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " instead of %"
      G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, seed,
      gst_video_format_to_string (frame->format), frame->width, frame->height,
      n_ignored, sum, n, expected_sum, expected_n);
}

static guint
draw_ignored (TestRandom * random, guint width, guint height,
    VhRect ignored[MAX_IGNORED])
{
  const guint n = test_random_once_in (random, 2) ? 0 :
      test_random_below (random, MAX_IGNORED + 1);
  guint i;

  for (i = 0; i < n; i++) {
    ignored[i] = (VhRect) {
      .x = test_random_below (random, width),
      .y = test_random_below (random, height),
      .width = 1 + test_random_below (random, width),
      .height = 1 + test_random_below (random, height),
    };
  }
  return n;
}

/* Four frames: the first is not compared, two are compared with the first, and
 * one with the third. A frame kept with other caps does not matter. */
static void
run_case (guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const GstVideoFormat format = sweep_format (&random);
  const guint width = 1 + test_random_below (&random,
      test_random_once_in (&random, 4) ? 700 : 60);
  const guint height = 1 + test_random_below (&random, 20);
  VhRect ignored[MAX_IGNORED];
  guint64 sum, n;
  TestFrame frames[4];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_init_random (&frames[i], &random, format, width, height, NULL);
  bench_configure (frames[0].caps);
  fail_if (bench_submit (&frames[0], NULL, 0, &sum, &n));
  bench.differencer->klass->keep (bench.differencer);
  for (i = 1; i < 3; i++) {
    const guint n_ignored = draw_ignored (&random, width, height, ignored);

    check (seed, &frames[0], &frames[i], ignored, n_ignored);
  }
  bench.differencer->klass->keep (bench.differencer);
  check (seed, &frames[2], &frames[3], NULL, 0);
  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    test_frame_clear (&frames[i]);
}

GST_START_TEST (test_random_frames)
{
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  const guint64 n = test_env_tier ("TEST_SWEEP_CASES", 400, 20000);
  guint64 i;

  for (i = 0; i < n; i++)
    run_case (seed + i);
}

GST_END_TEST;

/* The largest sum of a large frame: 16 bits, and every sample differs. */
GST_START_TEST (test_largest)
{
  const guint width = 3840, height = 2160;
  TestRandom random = test_random_new (1);
  guint64 sum, n;
  TestFrame frame;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_GRAY16_LE, width,
      height, NULL);
  bench_configure (frame.caps);
  gst_buffer_memset (frame.buffer, 0, 0, frame.size);
  fail_if (bench_submit (&frame, NULL, 0, &sum, &n));
  bench.differencer->klass->keep (bench.differencer);
  gst_buffer_memset (frame.buffer, 0, 0xff, frame.size);
  fail_unless (bench_submit (&frame, NULL, 0, &sum, &n));
  fail_unless_equals_uint64 (n, (guint64) width * height);
  fail_unless_equals_uint64 (sum, n * 65535);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* After a change of caps no frame is kept. */
GST_START_TEST (test_other_caps)
{
  TestRandom random = test_random_new (2);
  guint64 sum, n;
  TestFrame gray, color;

  test_frame_init_plain (&gray, &random, GST_VIDEO_FORMAT_GRAY8, 64, 8, NULL);
  test_frame_init_plain (&color, &random, GST_VIDEO_FORMAT_NV12, 64, 8, NULL);
  bench_configure (gray.caps);
  bench.differencer->klass->keep (bench.differencer);
  fail_if (bench_submit (&gray, NULL, 0, &sum, &n));
  bench.differencer->klass->keep (bench.differencer);
  fail_unless (bench_submit (&gray, NULL, 0, &sum, &n));
  fail_unless_equals_uint64 (sum, 0);
  bench_configure (color.caps);
  fail_if (bench_submit (&color, NULL, 0, &sum, &n));
  bench.differencer->klass->keep (bench.differencer);
  fail_unless (bench_submit (&color, NULL, 0, &sum, &n));
  fail_unless_equals_uint64 (n, 64 * 8 * 3 / 2);
  test_frame_clear (&gray);
  test_frame_clear (&color);
}

GST_END_TEST;

TEST_SUITE (difference, setup, teardown)
{
  tcase_add_test (tc, test_random_frames);
  tcase_add_test (tc, test_largest);
  tcase_add_test (tc, test_other_caps);
}
