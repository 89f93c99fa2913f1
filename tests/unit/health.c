/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth with simulated cameras: each condition starts and ends when it
 * should, and no input or saved state does harm. */
#include "common/close.h"
#include "common/pending.h"
#include "common/random.h"
#include "common/suite.h"

#include <gst/videohistogram/videohistogram.h>

#define N GST_VIDEO_HEALTH_N_CONDITIONS
#define C(id) GST_VIDEO_HEALTH_CONDITION_##id
#define BIT(id) GST_VIDEO_HEALTH_CONDITIONS_##id
#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define GRADIENT GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT

#define SIDE 8
#define BINS 256
#define CELL_PIXELS 1000
#define BELL_PIXELS 50000

/* Histograms */

/* BELL_PIXELS in bins around @mean, with @spread, both in levels. */
static void
fill_bell (guint32 * counts, gdouble mean, gdouble spread)
{
  gdouble height[BINS], sum = 0, upto = 0;
  guint b;

  for (b = 0; b < BINS; b++) {
    const gdouble off = (b / 255.0 - mean) / spread;

    height[b] = exp (-off * off / 2);
    sum += height[b];
  }
  for (b = 0; b < BINS; b++) {
    counts[b] = -(guint32) (BELL_PIXELS * (upto / sum) + 0.5);
    upto += height[b];
    counts[b] += (guint32) (BELL_PIXELS * (upto / sum) + 0.5);
  }
}

/* A camera's picture: each cell has its own level, spread and texture. */
typedef struct
{
  guint seed;
  gdouble contrast;             /* factor for levels and textures */
  gdouble sharpness;            /* factor for textures */
  gboolean covered;
  guint side;                   /* of the grid; 0: SIDE */
  guint textures;               /* seed of other textures; 0: the usual ones */
} Scene;

static const Scene usual = { 1, 1, 1, FALSE };

static GstVideoHistogram *
count_scene (const Scene * scene)
{
  GstVideoHistogramInfo info;
  TestRandom random = test_random_new (scene->seed);
  TestRandom other = test_random_new (scene->textures);
  GstVideoHistogram *histogram;
  const guint side = scene->side ? scene->side : SIDE;
  guint32 counts[BINS];
  guint x, y;

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA |
      GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = side;
  histogram = gst_video_histogram_new (&info);
  for (y = 0; y < side; y++) {
    for (x = 0; x < side; x++) {
      const gdouble level = 0.2 + test_random_below (&random, 60) / 100.0;
      const gdouble spread = 0.05 + test_random_below (&random, 10) / 100.0;
      const gdouble own = exp (test_random_below (&random, 30) / 10.0);
      const gdouble texture = 0.05 * spread * (scene->textures ?
          exp (test_random_below (&other, 30) / 10.0) : own);

      /* A covered cell has only noise, in which neighbors differ. */
      if (scene->covered)
        fill_bell (counts, 0.4, 0.03);
      else
        fill_bell (counts, 0.5 + scene->contrast * (level - 0.5),
            scene->contrast * spread);
      gst_video_histogram_set_counts (histogram, LUMA, x, y, counts, BINS);
      if (scene->covered)
        fill_bell (counts, 0, 0.03 * sqrt (2));
      else
        fill_bell (counts, 0, scene->contrast * scene->sharpness * texture);
      gst_video_histogram_set_counts (histogram, GRADIENT, x, y, counts, BINS);
    }
  }
  return histogram;
}

typedef struct
{
  Scene scene;
  GstVideoHistogram *histogram;
} KnownScene;

/* Returns the histogram from a cache. */
static GstVideoHistogram *
get_scene (const Scene * scene)
{
  static GArray *known;
  KnownScene new;
  guint i;

  if (!known)
    known = g_array_new (FALSE, FALSE, sizeof (KnownScene));
  for (i = 0; i < known->len; i++) {
    const KnownScene *one = &g_array_index (known, KnownScene, i);

    if (one->scene.seed == scene->seed
        && one->scene.contrast == scene->contrast
        && one->scene.sharpness == scene->sharpness
        && one->scene.covered == scene->covered
        && one->scene.side == scene->side
        && one->scene.textures == scene->textures)
      return one->histogram;
  }
  new.scene = *scene;
  new.histogram = count_scene (scene);
  g_array_append_val (known, new);
  return new.histogram;
}

/* A histogram of @columns x @rows cells, each with one value. */
static GstVideoHistogram *
make_flat (guint depth, guint columns, guint rows,
    guint (*code_of) (guint x, guint y, gpointer data), gpointer data)
{
  const guint bins = 1 << depth;
  guint32 *counts = g_new0 (guint32, bins);
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint x, y;

  gst_video_histogram_info_init (&info);
  info.depth = depth;
  info.bins = bins;
  info.columns = columns;
  info.rows = rows;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  histogram = gst_video_histogram_new (&info);
  for (y = 0; y < rows; y++) {
    for (x = 0; x < columns; x++) {
      const guint code = code_of (x, y, data);

      counts[code] = CELL_PIXELS;
      gst_video_histogram_set_counts (histogram, LUMA, x, y, counts, bins);
      counts[code] = 0;
    }
  }
  g_free (counts);
  return histogram;
}

static guint
same_code (G_GNUC_UNUSED guint x, G_GNUC_UNUSED guint y, gpointer data)
{
  return GPOINTER_TO_UINT (data);
}

/* @share of the pixels in bin @bin, and the others in the middle. */
static GstVideoHistogram *
make_two (GstVideoColorRange range, guint depth, guint bin, gdouble share)
{
  const guint bins = 1 << depth;
  guint32 *counts = g_new0 (guint32, bins);
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;

  gst_video_histogram_info_init (&info);
  info.depth = depth;
  info.bins = bins;
  info.colorimetry.range = range;
  histogram = gst_video_histogram_new (&info);
  counts[bin] = 1000 * share + 0.5;
  counts[bins / 2] += 1000 - counts[bin];
  gst_video_histogram_set_counts (histogram, LUMA, 0, 0, counts, bins);
  g_free (counts);
  return histogram;
}

/* Chroma around @u, @v, in 8-bit codes, up to @reach away. */
static GstVideoJointHistogram *
make_chroma (guint bins, guint u, guint v, guint reach)
{
  guint32 *counts = g_new0 (guint32, bins * bins);
  GstVideoJointHistogram *joint;
  guint a, b;

  for (a = u - reach; a <= u + reach; a++) {
    for (b = v - reach; b <= v + reach; b++)
      counts[a * bins / 256 * bins + b * bins / 256]++;
  }
  joint = gst_video_joint_histogram_new (bins, bins, counts, bins * bins);
  g_free (counts);
  return joint;
}

/* Feeding */

static void
add_scene (GstVideoHealth * health, const Scene * scene)
{
  GstVideoHistogram *histogram = get_scene (scene);

  fail_unless (gst_video_health_add_histogram (health, histogram));
}

static void
add_and_unref (GstVideoHealth * health, GstVideoHistogram * histogram)
{
  fail_unless (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
}

static void
add_chroma (GstVideoHealth * health, guint u, guint v, guint reach)
{
  GstVideoJointHistogram *joint = make_chroma (64, u, v, reach);

  fail_unless (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_CHROMA, joint));
  gst_video_joint_histogram_unref (joint);
}

static gdouble
value_of (GstVideoHealth * health, GstVideoHealthCondition condition)
{
  gdouble value;

  return gst_video_health_get_value (health, condition, &value) ? value : NAN;
}

static gboolean
is_active (GstVideoHealth * health, GstVideoHealthCondition condition)
{
  return (gst_video_health_get_active (health) & 1u << condition) != 0;
}

static gboolean
is_judged (GstVideoHealth * health, GstVideoHealthCondition condition)
{
  return (gst_video_health_get_judged (health) & 1u << condition) != 0;
}

/* The only pending change. */
static GstVideoHealthChange
fetch_change (GstVideoHealth * health)
{
  GstVideoHealthChange change, none;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_if (gst_video_health_next_change (health, &none));
  fail_unless (none.topic == NULL);
  return change;
}

static gboolean
has_change (GstVideoHealth * health)
{
  GstVideoHealthChange change;

  return gst_video_health_next_change (health, &change);
}

/* Adds the @i th frame of a camera with (@bad) or without the fault that
 * @condition stands for. */
typedef void (*AddFrame) (GstVideoHealth * health, gboolean bad, guint i);

static void
add_luma (GstVideoHealth * health, gboolean bad, guint bin)
{
  add_and_unref (health, make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, bin,
          bad ? 1 : 0.3));
}

static void
frame_black (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (health, bad, 3);
}

static void
frame_dark (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (health, bad, 30);
}

static void
frame_bright (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (health, bad, 250);
}

static void
frame_blurry (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  const Scene blurry = { 1, 1, 0.3, FALSE };

  add_scene (health, bad ? &blurry : &usual);
}

static void
frame_low_contrast (GstVideoHealth * health, gboolean bad,
    G_GNUC_UNUSED guint i)
{
  add_and_unref (health, make_two (GST_VIDEO_COLOR_RANGE_0_255, 8,
          bad ? 150 : 20, 0.5));
}

static void
frame_covered (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  const Scene covered = { 1, 1, 1, TRUE };

  add_scene (health, bad ? &covered : &usual);
}

static void
frame_moved (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  const Scene moved = { 2, 1, 1, FALSE };

  add_scene (health, bad ? &moved : &usual);
}

static void
frame_frozen (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  fail_unless (gst_video_health_add_difference (health, bad ? 0.0005 : 0.02));
}

static void
frame_color_cast (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  add_scene (health, &usual);
  add_chroma (health, bad ? 144 : 128, bad ? 146 : 128, 10);
}

static void
frame_monochrome (GstVideoHealth * health, gboolean bad, G_GNUC_UNUSED guint i)
{
  add_chroma (health, 128, 128, bad ? 1 : 20);
}

/* A minute with color and a minute without, in turn, at a frame every ten
 * seconds. */
static void
frame_flapping (GstVideoHealth * health, gboolean bad, guint i)
{
  add_chroma (health, 128, 128, bad && i / 6 % 2 ? 1 : 20);
}

/* Five flashes a second, at 25 frames a second. */
static void
frame_flashing (GstVideoHealth * health, gboolean bad, guint i)
{
  add_and_unref (health, make_flat (8, SIDE, SIDE, same_code,
          GUINT_TO_POINTER (bad && i % 5 < 2 ? 200 : 100)));
}

/* Bands that belong to the scene, in more light or less. */
static guint
striped_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  return GPOINTER_TO_UINT (data) * (1 + 0.5 * sin (2 * G_PI * 3 * y / 64.0));
}

static guint
band_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  return 120 + 12 * sin (2 * G_PI * (3 * y / 64.0 +
          GPOINTER_TO_UINT (data) * 0.3));
}

static void
frame_banding (GstVideoHealth * health, gboolean bad, guint i)
{
  add_and_unref (health, bad ?
      make_flat (8, 1, 64, band_code, GUINT_TO_POINTER (i)) :
      make_flat (8, 1, 64, same_code, GUINT_TO_POINTER (120)));
}

static const struct
{
  GstVideoHealthCondition condition;
  AddFrame add;
  GstClockTime step;            /* time between frames */
  guint n_good, n_bad;          /* frames: good, then bad, then good */
  const gchar *topic;
} cameras[] = {
  {C (BLACK), frame_black, 40 * GST_MSECOND, 200, 100, "vh:VideoSource/Black"},
  {C (DARK), frame_dark, 40 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImageTooDark/AnalyticsService"},
  {C (BRIGHT), frame_bright, 40 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImageTooBright/AnalyticsService"},
  {C (BLURRY), frame_blurry, GST_SECOND, 60, 60,
      "tns1:VideoSource/ImageTooBlurry/AnalyticsService"},
  {C (LOW_CONTRAST), frame_low_contrast, 100 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImpairedVisibility"},
  {C (COVERED), frame_covered, GST_SECOND, 60, 60,
      "tns1:VideoSource/GlobalSceneChange/AnalyticsService"},
  {C (MOVED), frame_moved, GST_SECOND, 60, 60,
      "tns1:VideoSource/GlobalSceneChange/AnalyticsService"},
  {C (FROZEN), frame_frozen, 40 * GST_MSECOND, 100, 100,
      "vh:VideoSource/Frozen"},
  {C (COLOR_CAST), frame_color_cast, GST_SECOND, 20, 20,
      "vh:VideoSource/ColorCast"},
  {C (MONOCHROME), frame_monochrome, GST_SECOND, 20, 20,
      "vh:VideoSource/Monochrome"},
  {C (FLAPPING), frame_flapping, 10 * GST_SECOND, 400, 120,
      "vh:VideoSource/Flapping"},
  {C (FLASHING), frame_flashing, 40 * GST_MSECOND, 100, 50,
      "vh:VideoSource/Flashing"},
  {C (BANDING), frame_banding, 40 * GST_MSECOND, 300, 300,
      "vh:VideoSource/Banding"},
};

static void
feed_each (GstVideoHealth * health, guint camera, GstClockTime step,
    gboolean bad, guint n, guint * i)
{
  guint k;

  for (k = 0; k < n; k++, (*i)++) {
    cameras[camera].add (health, bad, *i);
    gst_video_health_judge (health, *i * step, GST_CLOCK_TIME_NONE);
  }
}

static void
feed (GstVideoHealth * health, guint camera, gboolean bad, guint n, guint * i)
{
  feed_each (health, camera, cameras[camera].step, bad, n, i);
}

static void
check_change (GstVideoHealth * health, const GstVideoHealthChange * change,
    GstVideoHealthCondition condition, gboolean active, const gchar * topic)
{
  GstClockTime duration, hold;
  gdouble enter, leave;

  gst_video_health_get_rule (health, condition, &enter, &leave, &duration,
      &hold);
  fail_unless_equals_int (change->condition, condition);
  fail_unless_equals_int (change->active, active);
  fail_unless_equals_int (change->topic_active, active);
  fail_unless_equals_string (change->topic, topic);
  fail_unless_close (change->threshold, active ? enter : leave);
  if (active)
    fail_unless (leave < enter ? change->value >= enter :
        change->value <= enter);
  else
    fail_unless (leave < enter ? change->value < leave :
        change->value > leave);
  fail_unless_equals_uint64 (change->time - change->since,
      active ? duration : hold);
}

/* Good, bad, and good again: one start, one end. */
GST_START_TEST (test_once)
{
  const GstVideoHealthCondition condition = cameras[__i__].condition;
  const gchar *topic = cameras[__i__].topic;
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;
  guint i = 0;

  gst_video_health_set_conditions (health, 1u << condition);
  feed (health, __i__, FALSE, cameras[__i__].n_good, &i);
  fail_unless (is_judged (health, condition));
  fail_if (has_change (health));
  feed (health, __i__, TRUE, cameras[__i__].n_bad, &i);
  fail_unless (is_active (health, condition));
  change = fetch_change (health);
  check_change (health, &change, condition, TRUE, topic);
  feed (health, __i__, FALSE, cameras[__i__].n_good, &i);
  fail_if (is_active (health, condition));
  change = fetch_change (health);
  check_change (health, &change, condition, FALSE, topic);
  fail_unless_equals_string (gst_video_health_condition_get_topic (condition),
      topic);
  g_object_unref (health);
}

GST_END_TEST;

/* Lasting faults are found as soon at a few frames a second as at many. */
GST_START_TEST (test_seldom)
{
  static const GstClockTime steps[] = { 200 * GST_MSECOND, GST_SECOND };
  const GstVideoHealthCondition condition = cameras[__i__].condition;
  guint j;

  if (condition == C (FLAPPING) || condition == C (FLASHING)
      || condition == C (BANDING))
    return;
  for (j = 0; j < G_N_ELEMENTS (steps); j++) {
    GstVideoHealth *health = gst_video_health_new ();
    const guint n = 60 * GST_SECOND / steps[j];
    GstVideoHealthChange change;
    guint i = 0;

    gst_video_health_set_conditions (health, 1u << condition);
    feed_each (health, __i__, steps[j], FALSE, n, &i);
    fail_if (has_change (health));
    feed_each (health, __i__, steps[j], TRUE, n, &i);
    change = fetch_change (health);
    check_change (health, &change, condition, TRUE, cameras[__i__].topic);
    feed_each (health, __i__, steps[j], FALSE, n, &i);
    change = fetch_change (health);
    check_change (health, &change, condition, FALSE, cameras[__i__].topic);
    g_object_unref (health);
  }
}

GST_END_TEST;

/* A camera without faults has no active condition. */
GST_START_TEST (test_nothing)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 300; i++) {
    add_scene (health, &usual);
    add_chroma (health, 128, 128, 20);
    gst_video_health_add_difference (health, 0.01);
    add_and_unref (health, make_flat (8, 1, 64, same_code,
            GUINT_TO_POINTER (120)));
    gst_video_health_judge (health, i * 200 * GST_MSECOND,
        i * 200 * GST_MSECOND);
  }
  fail_unless_equals_int (gst_video_health_get_judged (health),
      GST_VIDEO_HEALTH_CONDITIONS_ALL);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_signal_loss)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;

  gst_video_health_judge (health, 10 * GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_video_health_tick (health, 14 * GST_SECOND);
  fail_unless_close (value_of (health, C (SIGNAL_LOSS)), 4);
  fail_if (has_change (health));
  gst_video_health_tick (health, 15 * GST_SECOND);
  change = fetch_change (health);
  fail_unless_equals_string (change.topic, "tns1:VideoSource/SignalLoss");
  fail_unless (change.active && change.topic_active);
  fail_unless_close (change.value, 5);
  fail_unless_close (change.threshold, 5);
  fail_unless_equals_uint64 (change.since, 10 * GST_SECOND);
  fail_unless_equals_uint64 (change.time, 15 * GST_SECOND);
  gst_video_health_tick (health, 20 * GST_SECOND);
  fail_if (has_change (health));

  gst_video_health_judge (health, 21 * GST_SECOND, GST_CLOCK_TIME_NONE);
  change = fetch_change (health);
  fail_unless (!change.active && !change.topic_active);
  fail_unless_equals_uint64 (change.since, 21 * GST_SECOND);
  g_object_unref (health);
}

GST_END_TEST;

/* A frame that is only passed shows that frames come, and nothing else: pending
 * starts and values stay those of the frames that were judged. */
GST_START_TEST (test_pass)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (SIGNAL_LOSS) | BIT (BLACK));
  for (i = 0; i < 20; i++) {
    if (i % 10 == 0)
      frame_black (health, TRUE, i);
    if (i % 10 == 0)
      gst_video_health_judge (health, i * GST_SECOND / 5, GST_CLOCK_TIME_NONE);
    else
      gst_video_health_skip (health, i * GST_SECOND / 5);
    fail_unless_close (value_of (health, C (BLACK)), 1);
    fail_unless_close (value_of (health, C (SIGNAL_LOSS)), 0);
    fail_unless_equals_int (is_active (health, C (BLACK)), i >= 10);
  }
  change = fetch_change (health);
  fail_unless_equals_int (change.condition, C (BLACK));
  fail_unless_equals_uint64 (change.since, 0);
  fail_unless_equals_uint64 (change.time, 2 * GST_SECOND);

  /* The silence starts with the last frame, judged or not: the one at 3.8 s. */
  gst_video_health_tick (health, 8700 * GST_MSECOND);
  fail_unless_close (value_of (health, C (SIGNAL_LOSS)), 4.9);
  fail_if (has_change (health));
  gst_video_health_tick (health, 9 * GST_SECOND);
  change = fetch_change (health);
  fail_unless (change.condition == C (SIGNAL_LOSS) && change.active);
  fail_unless_equals_uint64 (change.since, 3800 * GST_MSECOND);
  gst_video_health_skip (health, 9 * GST_SECOND + 1);
  change = fetch_change (health);
  fail_unless (change.condition == C (SIGNAL_LOSS) && !change.active);
  fail_unless (is_active (health, C (BLACK)));
  g_object_unref (health);
}

GST_END_TEST;

/* Added evidence is kept for the next judged frame, and times of frames that
 * are not judged may jump, too. */
GST_START_TEST (test_pass_in_between)
{
  GstVideoHealth *health = gst_video_health_new ();

  gst_video_health_set_conditions (health, BIT (BLACK));
  frame_black (health, TRUE, 0);
  gst_video_health_skip (health, 10 * GST_SECOND);
  fail_if (is_judged (health, C (BLACK)));
  gst_video_health_judge (health, 11 * GST_SECOND, GST_CLOCK_TIME_NONE);
  fail_unless_close (value_of (health, C (BLACK)), 1);
  gst_video_health_skip (health, GST_SECOND);
  frame_black (health, TRUE, 0);
  gst_video_health_judge (health, 1500 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  fail_if (has_change (health));
  gst_video_health_skip (health, GST_CLOCK_TIME_NONE);
  frame_black (health, TRUE, 0);
  gst_video_health_judge (health, 2 * GST_SECOND, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (fetch_change (health).since, GST_SECOND);
  g_object_unref (health);
}

GST_END_TEST;

/* Before the first frame, silence starts with the first tick. */
GST_START_TEST (test_no_frame_ever)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;

  gst_video_health_tick (health, GST_CLOCK_TIME_NONE);
  fail_if (is_judged (health, C (SIGNAL_LOSS)));
  gst_video_health_tick (health, 100 * GST_SECOND);
  fail_if (has_change (health));
  gst_video_health_tick (health, 105 * GST_SECOND);
  change = fetch_change (health);
  fail_unless_equals_uint64 (change.since, 100 * GST_SECOND);
  g_object_unref (health);
}

GST_END_TEST;

/* When conditions start and end, for given values. */

static void
feed_difference (GstVideoHealth * health, gdouble difference, guint ms)
{
  fail_unless (gst_video_health_add_difference (health, difference));
  gst_video_health_judge (health, ms * GST_MSECOND, GST_CLOCK_TIME_NONE);
}

static GstVideoHealth *
make_frozen (const gchar * rule)
{
  GstVideoHealth *health = gst_video_health_new ();
  gchar *rules = g_strconcat ("frozen,", rule, NULL);

  gst_video_health_set_conditions (health, BIT (FROZEN));
  fail_unless (gst_video_health_set_rules (health, rules, NULL));
  g_free (rules);
  return health;
}

GST_START_TEST (test_hysteresis)
{
  GstVideoHealth *health = make_frozen ("enter=0.1,leave=0.2,duration=0");

  feed_difference (health, 0.15, 0);
  feed_difference (health, 0.1001, 40);
  fail_if (is_active (health, C (FROZEN)));
  feed_difference (health, 0.1, 80);
  fail_unless (is_active (health, C (FROZEN)));
  feed_difference (health, 0.15, 120);
  feed_difference (health, 0.2, 160);
  fail_unless (is_active (health, C (FROZEN)));
  feed_difference (health, 0.2001, 200);
  fail_if (is_active (health, C (FROZEN)));
  feed_difference (health, 0.15, 240);
  fail_if (is_active (health, C (FROZEN)));
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_duration_and_hold)
{
  GstVideoHealth *health =
      make_frozen ("enter=0.1,leave=0.2,duration=100ms,hold=50ms");
  GstVideoHealthChange change;

  feed_difference (health, 1, 0);
  feed_difference (health, 0, 40);
  feed_difference (health, 0, 99);
  fail_if (is_active (health, C (FROZEN)));
  /* A single good frame restarts the duration. */
  feed_difference (health, 1, 100);
  feed_difference (health, 0, 150);
  feed_difference (health, 0, 199);
  fail_if (is_active (health, C (FROZEN)));
  feed_difference (health, 0, 200);
  change = fetch_change (health);
  fail_unless (change.active);
  fail_unless_equals_uint64 (change.since, 100 * GST_MSECOND);

  feed_difference (health, 1, 210);
  feed_difference (health, 1, 259);
  feed_difference (health, 0, 259);
  feed_difference (health, 1, 300);
  feed_difference (health, 1, 349);
  fail_unless (is_active (health, C (FROZEN)));
  feed_difference (health, 1, 350);
  change = fetch_change (health);
  fail_if (change.active);
  fail_unless_equals_uint64 (change.since, 300 * GST_MSECOND);
  g_object_unref (health);
}

GST_END_TEST;

/* Like freezedetect: the first frame of a freeze stays the one to compare with;
 * otherwise each frame replaces the last. */
GST_START_TEST (test_wants_frame)
{
  GstVideoHealth *health =
      make_frozen ("enter=0.1,leave=0.2,duration=80ms");

  fail_unless (gst_video_health_wants_frame (health));
  gst_video_health_judge (health, 0, GST_CLOCK_TIME_NONE);
  fail_unless (gst_video_health_wants_frame (health));
  feed_difference (health, 0.11, 40);
  fail_unless (gst_video_health_wants_frame (health));
  feed_difference (health, 0.1, 80);
  fail_if (gst_video_health_wants_frame (health));
  feed_difference (health, 0, 120);
  fail_unless (is_active (health, C (FROZEN)));
  feed_difference (health, 0.15, 160);
  fail_if (gst_video_health_wants_frame (health));
  feed_difference (health, 0.21, 200);
  fail_unless (gst_video_health_wants_frame (health));
  feed_difference (health, 0, 240);
  fail_if (gst_video_health_wants_frame (health));
  gst_video_health_reset (health);
  fail_unless (gst_video_health_wants_frame (health));
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_times_go_back)
{
  GstVideoHealth *health =
      make_frozen ("enter=0.1,leave=0.2,duration=100ms");

  feed_difference (health, 1, 1000);
  feed_difference (health, 0, 1040);
  feed_difference (health, 0, 500);
  feed_difference (health, 0, 519);
  fail_if (is_active (health, C (FROZEN)));
  feed_difference (health, 0, 520);
  fail_unless (is_active (health, C (FROZEN)));
  /* The condition stays active. */
  feed_difference (health, 0, 0);
  fail_unless (is_active (health, C (FROZEN)));
  g_object_unref (health);
}

GST_END_TEST;

/* Coded video */

#define CODED_SIDE 4
#define CODED_CELLS (CODED_SIDE * CODED_SIDE)
#define CODED_FPS 10

/* A decoder's output: in each cell this many pixels are one code brighter. */
typedef struct
{
  GstVideoHealth *health;
  GRand *random;
  guint32 bright[CODED_CELLS];
  guint n;                      /* number of frames */
} Coded;

static void
coded_init (Coded * self)
{
  *self = (Coded) {.health = gst_video_health_new () };
  self->random = g_rand_new_with_seed (7);
  gst_video_health_set_conditions (self->health, BIT (FROZEN));
  gst_video_health_set_coded (self->health, TRUE);
}

static void
coded_clear (Coded * self)
{
  g_object_unref (self->health);
  g_rand_free (self->random);
}

/* Codes @cells of the picture again. */
static void
coded_feed (Coded * self, guint cells, gdouble difference)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint i;

  gst_video_histogram_info_init (&info);
  info.columns = info.rows = CODED_SIDE;
  histogram = gst_video_histogram_new (&info);
  for (i = 0; i < cells; i++) {
    self->bright[cells < CODED_CELLS ? g_rand_int_range (self->random, 0,
            CODED_CELLS) : i] = g_rand_int_range (self->random, 0, 100);
  }
  for (i = 0; i < CODED_CELLS; i++) {
    guint32 counts[256] = { 0, };

    counts[50 + i] = 1000 - self->bright[i];
    counts[51 + i] = self->bright[i];
    gst_video_histogram_set_counts (histogram, LUMA, i % CODED_SIDE,
        i / CODED_SIDE, counts, 256);
  }
  add_and_unref (self->health, histogram);
  gst_video_health_add_difference (self->health, cells ? difference : 0);
  gst_video_health_judge (self->health,
      self->n++ * GST_SECOND / CODED_FPS, GST_CLOCK_TIME_NONE);
}

/* Nothing moves, and a coder skips all but the key frames. */
static const guint gops[] = { 1, 4, 10, 30 };

GST_START_TEST (test_coded_still_scene)
{
  const guint gop = gops[__i__] * CODED_FPS;
  Coded coded;
  guint i;

  coded_init (&coded);
  for (i = 0; i < 300 * CODED_FPS; i++)
    coded_feed (&coded, i % gop == 0 ? CODED_CELLS : 0, 0.004);
  fail_if (has_change (coded.health));
  coded_clear (&coded);
}

GST_END_TEST;

/* A key frame every half minute. After the first one a coder refines the
 * picture for a long time, after the others it does not. */
GST_START_TEST (test_coded_refinement)
{
  const guint gop = 30 * CODED_FPS;
  Coded coded;
  guint i;

  coded_init (&coded);
  for (i = 0; i < 300 * CODED_FPS; i++)
    coded_feed (&coded, i % gop == 0 ? CODED_CELLS : i < gop ? i % 15 == 0 :
        i % gop < CODED_FPS, 0.0005);
  fail_if (has_change (coded.health));
  coded_clear (&coded);
}

GST_END_TEST;

/* All but key frames are skipped: if one key frame is missing, the camera
 * hangs. */
GST_START_TEST (test_coded_key_frames)
{
  const guint gop = 8 * CODED_FPS;
  GstVideoHealthChange change;
  Coded coded;
  guint i, start;

  coded_init (&coded);
  for (i = 0; i < 45 * CODED_FPS; i++)
    coded_feed (&coded, i % gop == 0 ? CODED_CELLS : 0, 0.004);
  fail_if (has_change (coded.health));
  start = i;
  for (; i < start + 10 * CODED_FPS; i++)
    coded_feed (&coded, 0, 0);
  change = fetch_change (coded.health);
  fail_unless (change.active);
  fail_unless (change.since == 40 * GST_SECOND);
  fail_unless (change.time <= 49 * GST_SECOND);
  coded_clear (&coded);
}

GST_END_TEST;

/* Likewise with some blocks coded in every frame; then the camera hangs, and a
 * key frame comes meanwhile. */
GST_START_TEST (test_coded_freeze)
{
  const guint gop = gops[__i__] * CODED_FPS;
  GstVideoHealthChange change;
  Coded coded;
  guint i, start, k;

  coded_init (&coded);
  for (i = 0; i < 60 * CODED_FPS + CODED_FPS / 2; i++)
    coded_feed (&coded, i % gop == 0 ? CODED_CELLS : i % 3 == 0, 0.0005);
  fail_if (has_change (coded.health));
  start = i;
  for (k = 0; k < 20 * CODED_FPS; k++, i++)
    coded_feed (&coded, k == 5 * CODED_FPS ? CODED_CELLS : 0, 0.004);
  change = fetch_change (coded.health);
  fail_unless (change.active);
  fail_unless (change.value <= 0.001);
  fail_unless (change.since >= (start - 3) * GST_SECOND / CODED_FPS);
  fail_unless (change.time <= (start / CODED_FPS + 5) * GST_SECOND);
  start = i;
  for (k = 0; k < 20 * CODED_FPS; k++, i++)
    coded_feed (&coded, i % gop == 0 ? CODED_CELLS : i % 3 == 0, 0.0005);
  change = fetch_change (coded.health);
  fail_if (change.active);
  fail_unless (change.value > 0.002);
  fail_unless (change.since >= start * GST_SECOND / CODED_FPS);
  /* Two seconds are judged together. */
  fail_unless (change.since <= (start + 25) * GST_SECOND / CODED_FPS);
  coded_clear (&coded);
}

GST_END_TEST;

/* At a constant bitrate the coder keeps coding the whole picture again, but
 * less of it if it is frozen. */
GST_START_TEST (test_coded_at_a_constant_bitrate)
{
  GstVideoHealthChange change;
  Coded coded;
  guint i, k;

  coded_init (&coded);
  for (i = 0; i < 60 * CODED_FPS; i++)
    coded_feed (&coded, CODED_CELLS, 0.0005);
  fail_if (has_change (coded.health));
  for (k = 0; k < 10 * CODED_FPS; k++, i++)
    coded_feed (&coded, k % 2, 0.0005);
  change = fetch_change (coded.health);
  fail_unless (change.active);
  fail_unless (change.time <= 65 * GST_SECOND);
  for (k = 0; k < 10 * CODED_FPS; k++, i++)
    coded_feed (&coded, CODED_CELLS, 0.0005);
  fail_if (fetch_change (coded.health).active);
  coded_clear (&coded);
}

GST_END_TEST;

/* A key frame every second, and blocks in between while the camera is alive:
 * the small changes during a freeze are not learned, however soon it hangs
 * again. */
static const guint freezes[] = { 6, 9, 12, 24 };

GST_START_TEST (test_coded_freezes_in_a_row)
{
  Coded coded;
  guint i, k, freeze;

  coded_init (&coded);
  for (i = 0; i < 60 * CODED_FPS; i++)
    coded_feed (&coded, i % CODED_FPS == 0 ? CODED_CELLS : 4, 0.002);
  for (freeze = 0; freeze < 8; freeze++) {
    for (k = 0; k < freezes[__i__] * CODED_FPS; k++, i++)
      coded_feed (&coded, i % CODED_FPS == 0, 0.0005);
    fail_unless (fetch_change (coded.health).active, "freeze %u", freeze);
    for (k = 0; k < 9 * CODED_FPS; k++, i++)
      coded_feed (&coded, i % CODED_FPS == 0 ? CODED_CELLS : 4, 0.002);
    fail_if (fetch_change (coded.health).active);
  }
  coded_clear (&coded);
}

GST_END_TEST;

/* The usual changes are known after a restart. */
GST_START_TEST (test_coded_restored)
{
  Coded coded, other;
  GVariant *state;
  guint restored, i;

  coded_init (&coded);
  for (i = 0; i < 100 * CODED_FPS; i++)
    coded_feed (&coded, i % (30 * CODED_FPS) == 0 ? CODED_CELLS : 0, 0.004);
  state = gst_video_health_save (coded.health);
  for (restored = 0; restored < 2; restored++) {
    coded_init (&other);
    if (restored)
      fail_unless (gst_video_health_restore (other.health, state, NULL));
    gst_video_health_reset (other.health);
    for (i = 0; i < 60 * CODED_FPS; i++)
      coded_feed (&other, i % 3 == 0, 0.0005);
    for (i = 0; i < 20 * CODED_FPS; i++)
      coded_feed (&other, 0, 0);
    fail_unless_equals_int (is_active (other.health, C (FROZEN)), !restored);
    coded_clear (&other);
  }
  g_variant_unref (state);
  coded_clear (&coded);
}

GST_END_TEST;

/* A frozen picture stays frozen, although its coder keeps refining it. */
GST_START_TEST (test_coded_restored_frozen)
{
  Coded coded, other;
  GVariant *state;
  guint i;

  coded_init (&coded);
  for (i = 0; i < 60 * CODED_FPS; i++)
    coded_feed (&coded, CODED_CELLS, 0.004);
  for (i = 0; i < 20 * CODED_FPS; i++)
    coded_feed (&coded, i % CODED_FPS == 0, 0.0005);
  fail_unless (is_active (coded.health, C (FROZEN)));
  state = gst_video_health_save (coded.health);
  coded_init (&other);
  fail_unless (gst_video_health_restore (other.health, state, NULL));
  for (i = 0; i < 60 * CODED_FPS; i++)
    coded_feed (&other, i % CODED_FPS == 0, 0.0005);
  fail_if (has_change (other.health));
  for (i = 0; i < 20 * CODED_FPS; i++)
    coded_feed (&other, CODED_CELLS, 0.004);
  fail_if (fetch_change (other.health).active);
  g_variant_unref (state);
  coded_clear (&coded);
  coded_clear (&other);
}

GST_END_TEST;

/* Whatever times do, a black picture is found after as many frames as without
 * jumps, and its start is the time of one of the frames. */
static const gint64 jumps[] = { 0, -9800, 37600, -1, -5, 86400 * 365, -5000 };

GST_START_TEST (test_times_jump)
{
  guint every;

  for (every = 3; every <= 60; every += 7) {
    GstVideoHealth *health = gst_video_health_new ();
    gint64 offset = 20000;
    GstVideoHealthChange change;
    guint i;

    gst_video_health_set_conditions (health, BIT (BLACK));
    for (i = 0; i < 170; i++) {
      const GstClockTime time = offset * GST_SECOND + i * 40 * GST_MSECOND;

      frame_black (health, i >= 100 && i < 160, 0);
      gst_video_health_judge (health, time, GST_CLOCK_TIME_NONE);
      fail_unless_equals_int (is_active (health, C (BLACK)),
          i >= 150 && i < 160);
      if (gst_video_health_next_change (health, &change)) {
        fail_unless_equals_uint64 (change.time, time);
        fail_unless (change.since <= time);
        fail_unless (time - change.since <= 2 * GST_SECOND);
        if (jumps[__i__])
          fail_unless (time - change.since <= i % every * 40 * GST_MSECOND);
      }
      /* The next frame jumps, and one after some more jumps back. */
      if ((i + 1) % every == 0)
        offset = 20000 + jumps[__i__] * ((i + 1) / every % 2);
    }
    g_object_unref (health);
  }
}

GST_END_TEST;

GST_START_TEST (test_no_times)
{
  GstVideoHealth *health =
      make_frozen ("enter=0.1,leave=0.2,duration=100ms");
  guint i;

  for (i = 0; i < 100; i++) {
    gst_video_health_add_difference (health, 0);
    gst_video_health_judge (health, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  }
  fail_if (is_active (health, C (FROZEN)));
  feed_difference (health, 0, 100);
  fail_unless (is_active (health, C (FROZEN)));
  gst_video_health_add_difference (health, 1);
  gst_video_health_judge (health, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  fail_if (is_active (health, C (FROZEN)));
  g_object_unref (health);
}

GST_END_TEST;

/* A black picture does not move, but is not called frozen. */
GST_START_TEST (test_black_is_not_frozen)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (FROZEN));
  for (i = 0; i < 100; i++) {
    frame_black (health, TRUE, i);
    frame_frozen (health, TRUE, i);
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  }
  change = fetch_change (health);
  fail_unless_equals_int (change.condition, C (BLACK));
  g_object_unref (health);
}

GST_END_TEST;

/* Values */

static const struct
{
  GstVideoColorRange range;
  guint depth, last_black;      /* as computed by blackdetect */
} blacks[] = {
  {GST_VIDEO_COLOR_RANGE_0_255, 8, 25},
  {GST_VIDEO_COLOR_RANGE_16_235, 8, 37},
  {GST_VIDEO_COLOR_RANGE_16_235, 10, 151},
  {GST_VIDEO_COLOR_RANGE_0_255, 12, 409},
};

GST_START_TEST (test_black_level)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint more;

  for (more = 0; more < 2; more++) {
    add_and_unref (health, make_two (blacks[__i__].range, blacks[__i__].depth,
            blacks[__i__].last_black + more, 0.75));
    gst_video_health_judge (health, 0, GST_CLOCK_TIME_NONE);
    fail_unless_close (value_of (health, C (BLACK)), more ? 0 : 0.75);
  }
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_difference_of_joint)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint32 *counts = g_new0 (guint32, 256 * 256);
  GstVideoJointHistogram *joint;

  counts[10 * 256 + 10] = 6;
  counts[10 * 256 + 14] = 1;
  counts[200 * 256 + 190] = 1;
  joint = gst_video_joint_histogram_new (256, 256, counts, 256 * 256);
  fail_unless (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_OTHER, joint));
  gst_video_health_judge (health, 0, GST_CLOCK_TIME_NONE);
  fail_unless_close (value_of (health, C (FROZEN)), 14.0 / 8 / 256);
  gst_video_joint_histogram_unref (joint);
  g_free (counts);
  g_object_unref (health);
}

GST_END_TEST;

/* A picture with one level and two tints, by BT.601; @n0 of 100 samples have
 * the first one. Returns the value of color-cast. */
static gdouble
judge_tints (GstVideoHealth * health, guint i, guint u0, guint v0, guint share,
    guint u1, guint v1)
{
  guint32 *counts = g_new0 (guint32, 256 * 256);
  GstVideoJointHistogram *joint;
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 luma[BINS] = { 0, };
  guint x, y;

  gst_video_histogram_info_init (&info);
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  info.colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  histogram = gst_video_histogram_new (&info);
  /* Half of each cell is dark, so that all cells have contents. */
  luma[52] = luma[152] = CELL_PIXELS;
  for (y = 0; y < SIDE; y++) {
    for (x = 0; x < SIDE; x++)
      gst_video_histogram_set_counts (histogram, LUMA, x, y, luma, BINS);
  }
  add_and_unref (health, histogram);
  counts[u0 * 256 + v0] = share;
  counts[u1 * 256 + v1] += 100 - share;
  joint = gst_video_joint_histogram_new (256, 256, counts, 256 * 256);
  fail_unless (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_CHROMA, joint));
  gst_video_joint_histogram_unref (joint);
  g_free (counts);
  gst_video_health_judge (health, i * GST_SECOND, GST_CLOCK_TIME_NONE);
  return value_of (health, C (COLOR_CAST));
}

/* Luma is 102 of 255, U that of 138: blue is 1.772 * 10 higher; V of 141 makes
 * red 1.402 * 13 higher, and green is lower by what luma leaves. */
GST_START_TEST (test_tint)
{
  GstVideoHealth *health = gst_video_health_new ();
  const gdouble blue = 102 + 1.772 * 10, red = 102 + 1.402 * 13;
  const gdouble green = (102 - 0.299 * red - 0.114 * blue) / 0.587;

  fail_unless (fabs (judge_tints (health, 0, 138, 141, 100, 138, 141)
          - (MIN (blue, red) / green - 1)) < 1e-3);
  /* The largest possible. */
  fail_unless_close (judge_tints (health, 1, 252, 252, 100, 252, 252), 1);
  /* Tints of light are red or blue, those of plants neither. */
  fail_unless_close (judge_tints (health, 2, 108, 148, 100, 108, 148), 0);
  fail_unless_close (judge_tints (health, 3, 148, 108, 100, 148, 108), 0);
  fail_unless_close (judge_tints (health, 4, 108, 108, 100, 108, 108), 0);
  /* If more than a tenth of the picture lacks a tint, that is not a cast. */
  fail_unless (judge_tints (health, 5, 138, 141, 91, 128, 128) > 0.3);
  fail_unless_close (judge_tints (health, 6, 138, 141, 89, 128, 128), 0);
  g_object_unref (health);
}

GST_END_TEST;

/* Scenes: half in one color, half in another. */
static const struct
{
  guint u[2], v[2];
} tints[] = {
  {{134, 122}, {122, 134}},     /* all colors */
  {{100, 120}, {140, 130}},     /* wood */
  {{100, 128}, {110, 128}},     /* a meadow and a road */
  {{150, 128}, {110, 120}},     /* sky */
};

/* U and V of a color with luma 102 and more red and blue. */
static void
raise_tint (guint * u, guint * v, gdouble more)
{
  const gdouble red = (102 + 1.402 * (*v - 128.0)) * (1 + more);
  const gdouble blue = (102 + 1.772 * (*u - 128.0)) * (1 + more);
  const gdouble luma = 102 + (0.299 * red + 0.114 * blue) * more / (1 + more);

  *u = 128.5 + (blue - luma) / 1.772 * 102 / luma;
  *v = 128.5 + (red - luma) / 1.402 * 102 / luma;
}

/* 30 % more red and blue than usual is found in all scenes; less color, and
 * light of another color, in none. */
GST_START_TEST (test_other_tint)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint u[2] = { tints[__i__].u[0], tints[__i__].u[1] };
  guint v[2] = { tints[__i__].v[0], tints[__i__].v[1] };
  gdouble share, value = 0;
  guint i, k;

  for (i = 0; i < 60; i++)
    value = judge_tints (health, i, u[0], v[0], 50, u[1], v[1]);
  fail_unless (value < 0.001, "%g", value);
  for (share = 0.9; share >= 0; share -= 0.1, i++) {
    value = judge_tints (health, i, 128.5 + share * (u[0] - 128.0),
        128.5 + share * (v[0] - 128.0), 50, 128.5 + share * (u[1] - 128.0),
        128.5 + share * (v[1] - 128.0));
    fail_unless (value < 0.05, "%g of the color: %g", share, value);
  }
  for (k = 0; k < 40; k += 4, i++) {
    value = judge_tints (health, i, u[0] - k / 2, v[0] + k, 50, u[1] - k / 8,
        v[1] + k / 4);
    fail_unless (value < 0.08, "%u of a sunset: %g", k, value);
  }
  fail_if (has_change (health));
  for (k = 0; k < 2; k++)
    raise_tint (&u[k], &v[k], 0.3);
  value = judge_tints (health, i++, u[0], v[0], 50, u[1], v[1]);
  fail_unless (fabs (value - 0.3) < 0.08, "%g", value);
  for (k = 0; k < 6; k++)
    judge_tints (health, i++, u[0], v[0], 50, u[1], v[1]);
  fail_unless (is_active (health, C (COLOR_CAST)));
  /* This becomes the usual picture. */
  gst_video_health_forget (health);
  fail_if (is_active (health, C (COLOR_CAST)));
  g_object_unref (health);
}

GST_END_TEST;

/* A green tint for a minute is not learned: without it nothing is magenta. */
GST_START_TEST (test_green_for_a_while)
{
  GstVideoHealth *health = gst_video_health_new ();
  const guint u[2] = { tints[__i__].u[0], tints[__i__].u[1] };
  const guint v[2] = { tints[__i__].v[0], tints[__i__].v[1] };
  guint green_u[2] = { u[0], u[1] }, green_v[2] = { v[0], v[1] };
  gdouble value = 0;
  guint i, k;

  for (k = 0; k < 2; k++)
    raise_tint (&green_u[k], &green_v[k], -0.3);
  for (i = 0; i < 40; i++)
    judge_tints (health, i, u[0], v[0], 50, u[1], v[1]);
  for (; i < 100; i++)
    judge_tints (health, i, green_u[0], green_v[0], 50, green_u[1], green_v[1]);
  for (; i < 120; i++)
    value = judge_tints (health, i, u[0], v[0], 50, u[1], v[1]);
  fail_unless (value < 0.08, "%g", value);
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* Flashes between luminances, in cd/m2, in the first cells of 64. */
typedef struct
{
  gdouble darker, brighter;
  guint cells;
  guint per_second;
  gboolean is_flashing;
} Flashes;

static const Flashes flashes[] = {
  {50, 100, 64, 4, TRUE},
  {50, 100, 64, 3, FALSE},
  {50, 70.5, 64, 5, TRUE},
  {50, 69.5, 64, 5, FALSE},
  {159, 190, 64, 5, TRUE},
  {161, 190, 64, 5, FALSE},
  {50, 100, 17, 5, TRUE},       /* more than a quarter */
  {50, 100, 16, 5, FALSE},
};

typedef struct
{
  const Flashes *flashes;
  gboolean bright;
} FlashFrame;

static guint
code_of_luminance (gdouble luminance)
{
  return 1023 * pow (luminance / 200, 1 / 2.4) + 0.5;
}

static guint
flash_code (guint x, guint y, gpointer data)
{
  const FlashFrame *frame = data;

  return code_of_luminance (frame->bright
      && y * SIDE + x < frame->flashes->cells ? frame->flashes->brighter :
      frame->flashes->darker);
}

GST_START_TEST (test_flashes)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 180; i++) {
    FlashFrame frame = { &flashes[__i__],
      i * 2 * flashes[__i__].per_second / 60 % 2
    };

    add_and_unref (health, make_flat (10, SIDE, SIDE, flash_code, &frame));
    gst_video_health_judge (health, i * GST_SECOND / 60, GST_CLOCK_TIME_NONE);
  }
  fail_unless_equals_int (is_active (health, C (FLASHING)),
      flashes[__i__].is_flashing);
  if (flashes[__i__].is_flashing)
    fail_unless_close (value_of (health, C (FLASHING)),
        flashes[__i__].per_second);
  g_object_unref (health);
}

GST_END_TEST;

/* A flash takes two frames: with fewer than two frames per flash, too few
 * flashes are found, or none. */
static const struct
{
  guint per_second, frames;     /* flashes and frames per second */
  gboolean is_flashing;
} seldom_flashes[] = {
  {4, 8, TRUE}, {4, 7, FALSE}, {4, 5, FALSE}, {8, 16, TRUE}, {8, 8, FALSE},
};

GST_START_TEST (test_seldom_flashes)
{
  GstVideoHealth *health = gst_video_health_new ();
  const guint frames = seldom_flashes[__i__].frames;
  guint i;

  gst_video_health_set_conditions (health, BIT (FLASHING));
  for (i = 0; i < 10 * frames; i++) {
    frame_flashing (health, TRUE,
        i * 2 * seldom_flashes[__i__].per_second / frames % 2 * 2);
    gst_video_health_judge (health, i * GST_SECOND / frames,
        GST_CLOCK_TIME_NONE);
    if (!seldom_flashes[__i__].is_flashing)
      fail_if (is_active (health, C (FLASHING)));
  }
  fail_unless_equals_int (is_active (health, C (FLASHING)),
      seldom_flashes[__i__].is_flashing);
  g_object_unref (health);
}

GST_END_TEST;

/* Flashes of an area too small for the cells to show; joint histograms of
 * consecutive frames give its size. */
static void
flash_area (guint percent, gboolean expected)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint32 up[256] = { 0, }, down[256] = { 0, };
  GstVideoJointHistogram *joint;
  guint i;

  up[4 * 16 + 14] = down[14 * 16 + 4] = percent;
  up[4 * 16 + 4] = down[4 * 16 + 4] = 100 - percent;
  for (i = 0; i < 100; i++) {
    add_luma (health, FALSE, 100);
    joint = gst_video_joint_histogram_new (16, 16, i % 2 ? up : down, 256);
    fail_unless (gst_video_health_add_joint (health,
            GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, joint));
    gst_video_joint_histogram_unref (joint);
    gst_video_health_judge (health, i * GST_SECOND / 10, GST_CLOCK_TIME_NONE);
  }
  fail_unless_equals_int (is_active (health, C (FLASHING)), expected);
  fail_unless_close (value_of (health, C (FLASHING)), expected ? 5 : 0);
  g_object_unref (health);
}

GST_START_TEST (test_flash_area)
{
  flash_area (24, FALSE);
  flash_area (26, TRUE);
}

GST_END_TEST;

/* Half a flash does not count, and other changes are not flashing. */
GST_START_TEST (test_no_flash)
{
  GstVideoHealth *health = make_frozen ("enter=0.1,leave=0.2,duration=0");
  guint i;

  gst_video_health_set_conditions (health, GST_VIDEO_HEALTH_CONDITIONS_ALL);
  for (i = 0; i < 20; i++) {
    add_and_unref (health, make_flat (8, SIDE, SIDE, same_code,
            GUINT_TO_POINTER (i < 10 ? 100 : 200)));
    add_chroma (health, 128, 128, 20);
    feed_difference (health, i % 2, i * 40);
    fail_unless_close (value_of (health, C (FLASHING)), 0);
    fail_unless_close (value_of (health, C (FLAPPING)), 0);
  }
  g_object_unref (health);
}

GST_END_TEST;

/* A step may take several frames. */
GST_START_TEST (test_slow_flash)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 200; i++) {
    const guint phase = i % 12, ramp = phase < 6 ? phase : 12 - phase;

    add_and_unref (health, make_flat (10, SIDE, SIDE, same_code,
            GUINT_TO_POINTER (code_of_luminance (60 + 5 * ramp))));
    gst_video_health_judge (health, i * GST_SECOND / 60, GST_CLOCK_TIME_NONE);
  }
  fail_unless (is_active (health, C (FLASHING)));
  g_object_unref (health);
}

GST_END_TEST;

/* A step starts where the previous one ended. */
GST_START_TEST (test_steps)
{
  static const gdouble luminances[][6] = {
    {150, 50, 90, 90, 130, 130},
    {50, 150, 110, 110, 70, 70},
  };
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (luminances[0]); i++) {
    add_and_unref (health, make_flat (10, SIDE, SIDE, same_code,
            GUINT_TO_POINTER (code_of_luminance (luminances[__i__][i]))));
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless_close (value_of (health, C (FLASHING)), 1);
  g_object_unref (health);
}

GST_END_TEST;

/* Bands of a tenth of the level, while the whole picture flickers. */
typedef struct
{
  guint i;
  gint flicker;
} BandFrame;

static guint
flickering_band_code (guint x, guint y, gpointer data)
{
  const BandFrame *frame = data;

  return frame->flicker + band_code (x, y, GUINT_TO_POINTER (frame->i));
}

GST_START_TEST (test_bands)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 500; i++) {
    BandFrame frame = { i, i % 2 ? 40 : -40 };

    add_and_unref (health, make_flat (8, 1, 64, flickering_band_code, &frame));
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless (value_of (health, C (BANDING)) > 0.09);
  fail_unless (value_of (health, C (BANDING)) < 0.125);
  g_object_unref (health);
}

GST_END_TEST;

/* Judges every @step-th of @n frames of 64 rows, @duration apart; @code_of gets
 * the frame's number. */
static void
judge_rows (GstVideoHealth * health, guint n, guint step,
    GstClockTime duration, guint (*code_of) (guint x, guint y, gpointer data))
{
  guint i;

  for (i = 0; i < n; i += step) {
    add_and_unref (health, make_flat (8, 1, 64, code_of,
            GUINT_TO_POINTER (i)));
    gst_video_health_judge (health, i * duration, GST_CLOCK_TIME_NONE);
  }
}

/* Four and a half waves of light over rows, every other part of which is a
 * third as bright. */
static guint
lit_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  const gdouble turn = 4.5 * y / 64 + GPOINTER_TO_UINT (data) * 0.04;

  return (y / 10 % 2 ? 60 : 180) * (1 + 0.05 * sin (2 * G_PI * turn)) + 0.5;
}

GST_START_TEST (test_bands_of_light)
{
  GstVideoHealth *health = gst_video_health_new ();

  judge_rows (health, 500, 1, 40 * GST_MSECOND, lit_code);
  fail_unless (fabs (value_of (health, C (BANDING)) - 0.05) < 0.01, "%g",
      value_of (health, C (BANDING)));
  g_object_unref (health);
}

GST_END_TEST;

/* Stronger ones with nearly clipped whites, of which a quarter remains. */
static guint
clipped_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  const gdouble turn = 4.5 * y / 64 + GPOINTER_TO_UINT (data) * 0.04;
  const gdouble wave = sin (2 * G_PI * turn);

  return y / 10 % 2 ? 60 * (1 + 0.15 * wave) + 0.5 :
      220 * (1 + 0.15 / 4 * wave) + 0.5;
}

GST_START_TEST (test_bands_in_whites)
{
  GstVideoHealth *health = gst_video_health_new ();

  judge_rows (health, 500, 1, 40 * GST_MSECOND, clipped_code);
  fail_unless (is_active (health, C (BANDING)), "%g",
      value_of (health, C (BANDING)));
  g_object_unref (health);
}

GST_END_TEST;

/* Bands of a twentieth of the level, except in a clipped sky: 235 in this many
 * rows. */
typedef struct
{
  guint i, sky;
} SkyFrame;

static guint
sky_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  const SkyFrame *frame = data;
  const gdouble turn = 4.0 * y / 64 + frame->i * 0.13;

  return y < frame->sky ? 235 : 120 * (1 + 0.05 * sin (2 * G_PI * turn)) + 0.5;
}

/* They are found below a sky of up to half of the picture. Below three
 * quarters, such motion may belong to the scene. */
static const guint skies[] = { 0, 6, 9, 12, 16, 22, 28, 48 };

GST_START_TEST (test_bands_below_white)
{
  GstVideoHealth *health = gst_video_health_new ();
  const gboolean expected = skies[__i__] < 32;
  guint i;

  for (i = 0; i < 500; i++) {
    SkyFrame frame = { i, skies[__i__] };

    add_and_unref (health, make_flat (8, 1, 64, sky_code, &frame));
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless (is_judged (health, C (BANDING)));
  fail_unless_equals_int (is_active (health, C (BANDING)), expected);
  fail_unless ((value_of (health, C (BANDING)) > 0.02) == expected, "%g below "
      "%u white rows", value_of (health, C (BANDING)), skies[__i__]);
  g_object_unref (health);
}

GST_END_TEST;

/* Layers that each receive light, which rises and falls every two seconds: a
 * standing wave in the scene. */
static guint
layered_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  const gdouble light = sin (2 * G_PI * GPOINTER_TO_UINT (data) * 0.02);

  return 120 * (1 + 0.06 * light * (y / 8 % 2)) + 0.5;
}

GST_START_TEST (test_layers_are_no_bands)
{
  GstVideoHealth *health = gst_video_health_new ();

  judge_rows (health, 500, 1, 40 * GST_MSECOND, layered_code);
  fail_unless (is_judged (health, C (BANDING)));
  fail_if (is_active (health, C (BANDING)), "%g",
      value_of (health, C (BANDING)));
  g_object_unref (health);
}

GST_END_TEST;

/* 50 Hz mains light at 30 frames a second, in three phases in turn. */
static guint
mains_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  return 120 + 12 * sin (2 * G_PI * (3 * y / 64.0 +
          GPOINTER_TO_UINT (data) % 3 / 3.0));
}

/* Every sixth frame has the same phase, and bands stand still. */
GST_START_TEST (test_seldom_bands)
{
  GstVideoHealth *health = gst_video_health_new ();
  const guint step = __i__ ? 6 : 1;

  gst_video_health_set_conditions (health, BIT (BANDING));
  judge_rows (health, 600, step, GST_SECOND / 30, mains_code);
  fail_unless_equals_int (is_active (health, C (BANDING)), step == 1);
  g_object_unref (health);
}

GST_END_TEST;

/* An edge that moves through the picture is not a wave. */
static guint
edge_code (G_GNUC_UNUSED guint x, guint y, gpointer data)
{
  return y < GPOINTER_TO_UINT (data) % 64 ? 90 : 150;
}

GST_START_TEST (test_motion_is_no_band)
{
  GstVideoHealth *health = gst_video_health_new ();

  judge_rows (health, 500, 1, 40 * GST_MSECOND, edge_code);
  fail_unless (is_judged (health, C (BANDING)));
  fail_if (is_active (health, C (BANDING)));
  g_object_unref (health);
}

GST_END_TEST;

/* The reference */

/* Feeds a scene for @seconds. */
static void
show (GstVideoHealth * health, const Scene * scene, guint seconds,
    GstClockTime * time, GstClockTime real_time)
{
  guint i;

  for (i = 0; i < seconds; i++, *time += GST_SECOND) {
    add_scene (health, scene);
    gst_video_health_judge (health, *time, real_time);
  }
}

static const Scene other_scene = { 2, 1, 1, FALSE };

/* A minute of fog, which is doubtful, then a minute without: clear air is
 * learned. If the fog stays, it becomes the usual picture, but later. */
GST_START_TEST (test_begins_in_doubt)
{
  const Scene fog = { 1, 0.32, 0.3, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;
  gdouble value;

  show (health, &fog, 60, &time, GST_CLOCK_TIME_NONE);
  value = value_of (health, C (LOW_CONTRAST));
  fail_unless (value > 0.35 && value < 0.5, "%g", value);
  fail_unless (isnan (value_of (health, C (BLURRY))));
  fail_if (is_judged (health, C (BLURRY)));
  if (__i__) {
    show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
    value = value_of (health, C (BLURRY));
    fail_unless (value > 0.8 && value < 1.3, "%g", value);
  } else {
    show (health, &fog, 300, &time, GST_CLOCK_TIME_NONE);
    fail_unless (ABS (value_of (health, C (BLURRY)) - 1) < 0.01);
  }
  fail_unless (is_judged (health, C (BLURRY)));
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_light_is_no_change)
{
  const Scene dimmed = { 1, 0.6, 1, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &dimmed, 60, &time, GST_CLOCK_TIME_NONE);
  fail_unless (value_of (health, C (MOVED)) < 0.1);
  fail_unless (value_of (health, C (COVERED)) == 0);
  fail_unless (value_of (health, C (BLURRY)) > 0.9);
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* Another scene may be softer: that is not defocus. */
GST_START_TEST (test_softer_scene)
{
  const Scene softer = { 2, 1, 0.3, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &softer, 60, &time, GST_CLOCK_TIME_NONE);
  fail_unless (value_of (health, C (BLURRY)) < 0.5);
  fail_unless_equals_int (fetch_change (health).condition, C (MOVED));
  g_object_unref (health);
}

GST_END_TEST;

/* A lens out of focus changes the texture of every cell, but large shapes stay:
 * that is not another scene. */
GST_START_TEST (test_defocus)
{
  const Scene defocused = { 1, 1, 0.3, FALSE,.textures = 7 };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &defocused, 60, &time, GST_CLOCK_TIME_NONE);
  fail_unless (value_of (health, C (MOVED)) < 0.2);
  fail_unless_equals_int (fetch_change (health).condition, C (BLURRY));
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* Cells with a level, a spread and a texture each. */
typedef struct
{
  gdouble level, spread, texture;
} Cell;

static void
judge_cells (GstVideoHealth * health, const Cell * cells, GstClockTime time)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 counts[BINS];
  guint c;

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA |
      GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  histogram = gst_video_histogram_new (&info);
  for (c = 0; c < SIDE * SIDE; c++) {
    fill_bell (counts, cells[c].level, cells[c].spread);
    gst_video_histogram_set_counts (histogram, LUMA, c % SIDE, c / SIDE,
        counts, BINS);
    fill_bell (counts, 0, cells[c].texture);
    gst_video_histogram_set_counts (histogram, GRADIENT, c % SIDE, c / SIDE,
        counts, BINS);
  }
  add_and_unref (health, histogram);
  gst_video_health_judge (health, time, GST_CLOCK_TIME_NONE);
}

/* A minute of one scene, then 20 seconds of another. */
static void
judge_turn (GstVideoHealth * health, const Cell * before, const Cell * after)
{
  guint i;

  for (i = 0; i < 60; i++)
    judge_cells (health, before, i * GST_SECOND);
  for (; i < 80; i++)
    judge_cells (health, after, i * GST_SECOND);
}

/* Small things out of focus change both textures and contents, but levels stay
 * roughly the same, and nowhere is there more texture. In the other half of the
 * runs some cells have more, and the scene is another one. */
GST_START_TEST (test_small_things_out_of_focus)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell sharp[SIDE * SIDE], soft[SIDE * SIDE];
  guint c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const guint row = c / SIDE, column = c % SIDE;

    sharp[c] = (Cell) {0.3 + 0.05 * row, column % 2 ? 0.08 : 0.16,
      column % 2 ? 0.06 : 0.2};
    soft[c] = (Cell) {0.3 + 0.05 * (row ^ 2), row % 2 ? 0.04 : 0.08,
      row % 2 ? 0.015 : 0.04};
    if (__i__ && row < 2)
      soft[c].texture = column % 2 ? 0.09 : 0.05;
  }
  judge_turn (health, sharp, soft);
  fail_unless (value_of (health, C (BLURRY)) < 0.5);
  fail_unless_equals_int (fetch_change (health).condition,
      __i__ ? C (MOVED) : C (BLURRY));
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* A cloth, gravel or a lawn before the lens has the same details everywhere. In
 * the other half of the runs there is only noise. */
GST_START_TEST (test_details_without_a_pattern)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell view[SIDE * SIDE], even[SIDE * SIDE];
  guint c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const guint row = c / SIDE, column = c % SIDE;

    view[c] = (Cell) {0.3 + 0.05 * row, column % 2 ? 0.08 : 0.16,
          (row ^ column) % 2 ? 0.02 : 0.06};
    even[c] = (Cell) {0.45, 0.06, __i__ ? 0.06 * sqrt (2) : 0.03};
  }
  judge_turn (health, view, even);
  fail_unless_equals_int (fetch_change (health).condition,
      __i__ ? C (COVERED) : C (MOVED));
  g_object_unref (health);
}

GST_END_TEST;

/* A layered view is alike from side to side. After a turn, cells differ from
 * others of their row in another way, in textures and in contents; if only
 * textures differ, things may have moved, and the camera has not. */
GST_START_TEST (test_turn_within_layers)
{
  static const gdouble parts[SIDE] = {
    0.8, 1.25, 0.9, 1.4, 0.75, 1.1, 1.3, 0.7
  };
  GstVideoHealth *health = gst_video_health_new ();
  Cell before[SIDE * SIDE], after[SIDE * SIDE];
  guint c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const guint row = c / SIDE, column = c % SIDE;
    const gdouble part = parts[column], other = parts[(column + 3) % SIDE];
    const gdouble spread = 0.03 * (1 + row), texture = 0.02 * (1 + row);

    before[c] = (Cell) {0.4 * part, spread * part, texture * part};
    after[c] = (Cell) {0.4 * other, spread * (__i__ ? part : other),
      texture * other};
  }
  judge_turn (health, before, after);
  fail_unless_equals_int (is_active (health, C (MOVED)), !__i__);
  fail_unless ((value_of (health, C (MOVED)) > 0.7) == !__i__, "%g",
      value_of (health, C (MOVED)));
  g_object_unref (health);
}

GST_END_TEST;

/* The amount of something in a cell, by column and by row. */
static gdouble
part_of (guint column, guint row)
{
  static const gdouble parts[SIDE] = {
    0.8, 1.25, 0.9, 1.4, 0.75, 1.1, 1.3, 0.7
  };

  return parts[(column * (1 + row % 3) + row) % SIDE];
}

/* Rain reduces or adds textures and contents, but the light stays where it is;
 * in another scene the light is elsewhere, too. */
GST_START_TEST (test_levels_stay)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell before[SIDE * SIDE], after[SIDE * SIDE];
  guint c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const gdouble part = part_of (c % SIDE, c / SIDE);
    const gdouble other = part_of (c / SIDE, c % SIDE + 2);

    before[c] = (Cell) {0.4 * part, 0.1 * part, 0.08 * part};
    after[c] = (Cell) {0.4 * (__i__ ? part : other), 0.1 * other, 0.08 * other};
  }
  judge_turn (health, before, after);
  fail_unless_equals_int (is_active (health, C (MOVED)), !__i__);
  fail_unless ((value_of (health, C (MOVED)) > 0.7) == !__i__, "%g",
      value_of (health, C (MOVED)));
  g_object_unref (health);
}

GST_END_TEST;

/* Views before and after a turn may have in common how they vary from top to
 * bottom, from side to side, or both. The turn is still found, because what
 * remains without these common parts is compared, too. */
GST_START_TEST (test_turn_within_views)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell before[SIDE * SIDE], after[SIDE * SIDE];
  guint c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const guint row = c / SIDE, column = c % SIDE;
    const gdouble alike = (__i__ & 1 ? 1 + row : 4) * (__i__ & 2 ? 1 + column :
        4);
    const gdouble part = part_of (column, row), other = part_of (row, column);

    before[c] = (Cell) {0.4, 0.005 * alike * part, 0.004 * alike * part};
    after[c] = (Cell) {0.4, 0.005 * alike * other, 0.004 * alike * other};
  }
  judge_turn (health, before, after);
  fail_unless (is_active (health, C (MOVED)), "%g",
      value_of (health, C (MOVED)));
  g_object_unref (health);
}

GST_END_TEST;

/* Things that differ from frame to frame, such as rain, are not another scene,
 * even if light falls from elsewhere at the same time: over a second they
 * average out. In the other half of the runs things keep the look of the first
 * frame, as objects do. */
GST_START_TEST (test_rain_passes)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell before[SIDE * SIDE], after[SIDE * SIDE];
  TestRandom random = test_random_new (7);
  guint i, c;

  gst_video_health_set_rules (health, "moved,duration=1s", NULL);
  for (c = 0; c < SIDE * SIDE; c++) {
    const gdouble part = part_of (c % SIDE, c / SIDE);

    before[c] = (Cell) {0.4 * part, 0.05 * part, 0.04 * part};
  }
  for (i = 0; i < 60; i++)
    judge_cells (health, before, i * GST_SECOND);
  for (i = 0; i < 200; i++) {
    for (c = 0; (i == 0 || !__i__) && c < SIDE * SIDE; c++) {
      const gboolean wet = test_random_once_in (&random, 2);

      after[c] = (Cell) {0.4 * part_of (c / SIDE, c % SIDE + 2),
            hypot (before[c].spread, wet ? 0.2 : 0),
            hypot (before[c].texture, wet ? 0.15 : 0)};
    }
    judge_cells (health, after, 60 * GST_SECOND + i * GST_SECOND / 25);
  }
  fail_unless_equals_int (is_active (health, C (MOVED)), __i__);
  g_object_unref (health);
}

GST_END_TEST;

/* More noise does not hide a lens out of focus. */
GST_START_TEST (test_noise_is_not_sharp)
{
  GstVideoHealth *health = gst_video_health_new ();
  Cell sharp[SIDE * SIDE], soft[SIDE * SIDE];
  guint i, c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const gdouble texture = c % 4 ? 0.1 : 0;

    sharp[c] = (Cell) {0.2 + 0.01 * c, 0.2, hypot (texture, 0.03)};
    soft[c] = (Cell) {0.2 + 0.01 * c, 0.2, hypot (0.4 * texture, 0.04)};
  }
  for (i = 0; i < 60; i++)
    judge_cells (health, sharp, i * GST_SECOND);
  judge_cells (health, soft, i * GST_SECOND);
  fail_unless (fabs (value_of (health, C (BLURRY)) - 0.4) < 0.04, "%g",
      value_of (health, C (BLURRY)));
  g_object_unref (health);
}

GST_END_TEST;

/* Noise that looks like a little contents does not hide a cover. With more
 * contents than that, the camera is not covered, although the remaining share
 * is as small. */
GST_START_TEST (test_noise_is_no_contents)
{
  static const gdouble lefts[] = { 0.29, 0.38 };
  GstVideoHealth *health = gst_video_health_new ();
  Cell usual[SIDE * SIDE], covered[SIDE * SIDE];
  guint i, c;

  for (c = 0; c < SIDE * SIDE; c++) {
    const gdouble level = c % 2 ? 0.3 : 0.7;

    usual[c] = (Cell) {level, 0.04, 0.01};
    covered[c] = (Cell) {level, hypot (0.1, lefts[__i__] * 0.04),
      0.1 * G_SQRT2};
  }
  for (i = 0; i < 60; i++)
    judge_cells (health, usual, i * GST_SECOND);
  judge_cells (health, covered, i * GST_SECOND);
  fail_unless_close (value_of (health, C (COVERED)), __i__ ? 0 : 1);
  g_object_unref (health);
}

GST_END_TEST;

/* Fog leaves a bit of everything, so the camera is not covered. */
GST_START_TEST (test_fog)
{
  const Scene fog = { 1, 0.3, 1, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &fog, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (fetch_change (health).condition, C (LOW_CONTRAST));
  fail_unless (value_of (health, C (COVERED)) == 0);
  g_object_unref (health);
}

GST_END_TEST;

/* In fog, a bright sign hides from percentiles how little is left; and in half
 * of the light, a quarter of a cell's contents is no more than a quarter. */
GST_START_TEST (test_contrast_that_is_left)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint32 counts[BINS] = { 0, };
  GstVideoHistogramInfo info;
  guint i, c;

  gst_video_histogram_info_init (&info);
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  for (i = 0; i < 62; i++) {
    GstVideoHistogram *histogram = gst_video_histogram_new (&info);
    const gdouble light = i == 60 ? 0.5 : 1, left = i == 61 ? 0.28 : 1;

    for (c = 0; c < SIDE * SIDE; c++) {
      const guint dark = c < 2 ? 10 : light * (128 - left * 64) + 0.5;
      const guint bright = c < 2 ? 240 : light * (128 + left * 64) + 0.5;

      counts[dark] = counts[bright] = CELL_PIXELS;
      gst_video_histogram_set_counts (histogram, LUMA, c % SIDE, c / SIDE,
          counts, BINS);
      counts[dark] = counts[bright] = 0;
    }
    add_and_unref (health, histogram);
    gst_video_health_judge (health, i * GST_SECOND, GST_CLOCK_TIME_NONE);
    if (i == 20)
      fail_unless_close (value_of (health, C (LOW_CONTRAST)), 1);
    else if (i == 59 || i == 60)
      fail_unless (value_of (health, C (LOW_CONTRAST)) > 0.95);
  }
  fail_unless (fabs (value_of (health, C (LOW_CONTRAST)) - 0.28) < 0.01, "%g",
      value_of (health, C (LOW_CONTRAST)));
  fail_unless_close (value_of (health, C (COVERED)), 0);
  g_object_unref (health);
}

GST_END_TEST;

/* A condition does not start while it cannot be judged: noise is not another
 * scene. */
GST_START_TEST (test_unknown_in_between)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramInfo info;
  GstVideoHistogram *alike;
  GstClockTime time = 0;
  guint32 counts[BINS];
  guint i;

  gst_video_histogram_info_init (&info);
  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  alike = gst_video_histogram_new (&info);
  for (i = 0; i < SIDE * SIDE; i++) {
    fill_bell (counts, 0.5, 0.03);
    gst_video_histogram_set_counts (alike, LUMA, i % SIDE, i / SIDE, counts,
        BINS);
    fill_bell (counts, 0, 0.03 * sqrt (2));
    gst_video_histogram_set_counts (alike, GRADIENT, i % SIDE, i / SIDE, counts,
        BINS);
  }
  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &other_scene, 2, &time, GST_CLOCK_TIME_NONE);
  for (i = 0; i < 20; i++, time += GST_SECOND) {
    gst_video_health_add_histogram (health, alike);
    gst_video_health_judge (health, time, GST_CLOCK_TIME_NONE);
    fail_if (is_judged (health, C (MOVED)));
  }
  show (health, &other_scene, 2, &time, GST_CLOCK_TIME_NONE);
  fail_if (is_active (health, C (MOVED)));
  gst_video_histogram_unref (alike);
  g_object_unref (health);
}

GST_END_TEST;

/* A lamp makes half of the picture brighter without clipping: its parts differ
 * more, and are as sharp. */
GST_START_TEST (test_glow)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint32 luma[BINS] = { 0, }, gradient[BINS] = { 0, };
  GstVideoHistogramInfo info;
  guint i, c;

  gst_video_histogram_info_init (&info);
  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  gradient[4] = CELL_PIXELS;
  for (i = 0; i < 62; i++) {
    GstVideoHistogram *histogram = gst_video_histogram_new (&info);

    for (c = 0; c < SIDE * SIDE; c++) {
      const guint level = i >= 60 && c % SIDE >= SIDE / 2 ? 200 : 80;

      luma[level - 50] = luma[level + 50] = CELL_PIXELS;
      gst_video_histogram_set_counts (histogram, LUMA, c % SIDE, c / SIDE,
          luma, BINS);
      gst_video_histogram_set_counts (histogram, GRADIENT, c % SIDE, c / SIDE,
          gradient, BINS);
      luma[level - 50] = luma[level + 50] = 0;
    }
    add_and_unref (health, histogram);
    gst_video_health_judge (health, i * GST_SECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless (fabs (value_of (health, C (BLURRY)) - 1) < 0.02);
  g_object_unref (health);
}

GST_END_TEST;

/* Fog that alternates between covered and not covered is reported as low
 * contrast, not as covered. */
GST_START_TEST (test_between)
{
  const Scene more = { 1, 0.23, 1, FALSE }, less = { 1, 0.29, 1, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;
  guint i;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  for (i = 0; i < 12; i++) {
    show (health, i % 2 ? &less : &more, 1, &time, GST_CLOCK_TIME_NONE);
    fail_unless (i % 2 == 0 || value_of (health, C (COVERED)) < 0.5);
    fail_unless (i % 2 == 1 || value_of (health, C (COVERED)) >= 0.8);
  }
  fail_unless_equals_int (gst_video_health_get_active (health),
      BIT (LOW_CONTRAST));
  g_object_unref (health);
}

GST_END_TEST;

/* Paint lit from one side has no contents, as long as each cell continues the
 * shading of the one before. */
GST_START_TEST (test_shading)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramInfo info;
  GstVideoHistogram *paint;
  GstClockTime time = 0;
  guint32 counts[BINS];
  guint i, k;

  gst_video_histogram_info_init (&info);
  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  paint = gst_video_histogram_new (&info);
  for (i = 0; i < SIDE * SIDE; i++) {
    memset (counts, 0, sizeof (counts));
    for (k = 0; k < 25; k++)
      counts[25 + i % SIDE * 25 + k] = CELL_PIXELS / 25;
    gst_video_histogram_set_counts (paint, LUMA, i % SIDE, i / SIDE, counts,
        BINS);
    memset (counts, 0, sizeof (counts));
    counts[0] = CELL_PIXELS;
    gst_video_histogram_set_counts (paint, GRADIENT, i % SIDE, i / SIDE,
        counts, BINS);
  }
  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  gst_video_health_add_histogram (health, paint);
  gst_video_health_judge (health, time, GST_CLOCK_TIME_NONE);
  fail_unless_close (value_of (health, C (COVERED)), 1);
  gst_video_histogram_unref (paint);
  g_object_unref (health);
}

GST_END_TEST;

/* However long a fault lasts, it does not become usual. */
GST_START_TEST (test_wrong_is_not_learned)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &other_scene, 600, &time, GST_CLOCK_TIME_NONE);
  fail_unless (is_active (health, C (MOVED)));
  show (health, &usual, 10, &time, GST_CLOCK_TIME_NONE);
  fail_if (is_active (health, C (MOVED)));
  g_object_unref (health);
}

GST_END_TEST;

/* Nor does something close to a fault, at least not soon. */
GST_START_TEST (test_doubtful_is_not_learned_soon)
{
  const Scene soft = { 1, 1, 0.6, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &soft, 120, &time, GST_CLOCK_TIME_NONE);
  fail_if (has_change (health));
  fail_unless (value_of (health, C (BLURRY)) < 0.64);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_forget)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (fetch_change (health).active);
  gst_video_health_forget (health);
  fail_if (is_active (health, C (MOVED)));
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_if (is_judged (health, C (MOVED)));
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (is_judged (health, C (MOVED)));
  fail_if (has_change (health));
  show (health, &usual, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (fetch_change (health).active);
  g_object_unref (health);
}

GST_END_TEST;

/* A long gap between two frames does not count as time learned. */
GST_START_TEST (test_gap)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 1, &time, GST_CLOCK_TIME_NONE);
  time += 3600 * GST_SECOND;
  show (health, &usual, 2, &time, GST_CLOCK_TIME_NONE);
  fail_if (is_judged (health, C (COVERED)));
  g_object_unref (health);
}

GST_END_TEST;

/* However long a reference was learned, it follows with a time constant of an
 * hour: two thirds of the way in that time. */
GST_START_TEST (test_pace)
{
  const Scene softer = { 1, 1, 0.8, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 3 * 360 + 360; i++) {
    add_scene (health, i < 3 * 360 ? &usual : &softer);
    gst_video_health_judge (health, i * 10 * GST_SECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless (value_of (health, C (BLURRY)) > 0.88);
  fail_unless (value_of (health, C (BLURRY)) < 0.95);
  g_object_unref (health);
}

GST_END_TEST;

/* Rain must not raise the learned sharpness: dry weather after an hour of rain
 * is judged as before. */
GST_START_TEST (test_sharper_for_an_hour)
{
  const Scene rain = { 1, 1, 2.5, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 4 * 360 + 1; i++) {
    add_scene (health, i / 360 == 3 ? &rain : &usual);
    gst_video_health_judge (health, i * 10 * GST_SECOND, GST_CLOCK_TIME_NONE);
  }
  fail_unless (value_of (health, C (BLURRY)) > 0.8, "%g",
      value_of (health, C (BLURRY)));
  g_object_unref (health);
}

GST_END_TEST;

/* Few cells and few rows are too coarse to locate anything. */
GST_START_TEST (test_coarse_grid)
{
  const Scene coarse = { 1, 1, 1, FALSE, 3 };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &coarse, 60, &time, GST_CLOCK_TIME_NONE);
  fail_unless (is_judged (health, C (BLACK)));
  fail_if (gst_video_health_get_judged (health) & (BIT (BLURRY) |
          BIT (COVERED) | BIT (MOVED) | BIT (BANDING)));
  g_object_unref (health);
}

GST_END_TEST;

/* A coarser histogram of the same frame does not replace a finer one, in either
 * order. */
GST_START_TEST (test_two_grids)
{
  const Scene coarse = { 1, 1, 1, FALSE, 3 };
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 120; i++) {
    gst_video_health_add_histogram (health, get_scene (i < 60 ? &usual :
            &coarse));
    gst_video_health_add_histogram (health, get_scene (i < 60 ? &coarse :
            &usual));
    gst_video_health_judge (health, i * GST_SECOND, GST_CLOCK_TIME_NONE);
    fail_unless (i % 60 < 40
        || (~gst_video_health_get_judged (health) & (BIT (BLURRY) |
                BIT (COVERED) | BIT (MOVED))) == 0);
  }
  g_object_unref (health);
}

GST_END_TEST;

/* Each hour of the day has its own usual picture. */
GST_START_TEST (test_hours)
{
  const Scene softer = { 1, 1, 0.8, FALSE };
  GstVideoHealth *health = gst_video_health_new ();
  const GstClockTime hour = 3600 * GST_SECOND;
  GstClockTime time = 0;

  show (health, &usual, 60, &time, 5 * hour);
  /* An hour without data starts with what was usual before. */
  show (health, &softer, 1, &time, 6 * hour);
  fail_unless (value_of (health, C (BLURRY)) < 0.85);
  show (health, &softer, 600, &time, 7 * hour - 1);
  fail_unless (value_of (health, C (BLURRY)) > 0.9);
  show (health, &softer, 1, &time, (24 + 5) * hour);
  fail_unless (value_of (health, C (BLURRY)) < 0.85);
  show (health, &softer, 1, &time, (24 + 6) * hour);
  fail_unless (value_of (health, C (BLURRY)) > 0.9);
  /* A frame without a real time has the hour of the last one. */
  show (health, &softer, 1, &time, GST_CLOCK_TIME_NONE);
  fail_unless (value_of (health, C (BLURRY)) > 0.9);
  g_object_unref (health);
}

GST_END_TEST;

static void
show_in_color (GstVideoHealth * health, const Scene * scene, gboolean color,
    guint seconds, GstClockTime * time)
{
  guint i;

  for (i = 0; i < seconds; i++, *time += GST_SECOND) {
    add_scene (health, scene);
    add_chroma (health, 128, 128, color ? 20 : 1);
    gst_video_health_judge (health, *time, GST_CLOCK_TIME_NONE);
  }
}

/* By night a lamp of the camera's own shows another scene. */
GST_START_TEST (test_night_is_another_scene)
{
  const Scene covered = { 1, 1, 1, TRUE };
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  gst_video_health_set_conditions (health, BIT (MOVED) | BIT (COVERED));
  gst_video_health_set_rules (health, "moved,duration=8s", NULL);
  show_in_color (health, &usual, TRUE, 60, &time);
  show_in_color (health, &other_scene, FALSE, 60, &time);
  show_in_color (health, &usual, TRUE, 60, &time);
  show_in_color (health, &other_scene, FALSE, 60, &time);
  fail_if (has_change (health));
  fail_unless (is_judged (health, C (MOVED)));
  gst_video_health_forget (health);

  /* A covered camera has no color, and is still found to be covered, even in
   * the first night, of which nothing is known yet. */
  show_in_color (health, &usual, TRUE, 60, &time);
  show_in_color (health, &covered, FALSE, 60, &time);
  fail_unless_equals_int (fetch_change (health).condition, C (COVERED));
  show_in_color (health, &usual, TRUE, 60, &time);
  fail_unless_equals_int (fetch_change (health).condition, C (COVERED));
  show_in_color (health, &usual, FALSE, 10, &time);
  show_in_color (health, &covered, FALSE, 10, &time);
  fail_unless_equals_int (fetch_change (health).condition, C (COVERED));
  fail_unless (is_active (health, C (COVERED)));
  g_object_unref (health);
}

GST_END_TEST;

/* A topic is active if any of its conditions is. */
GST_START_TEST (test_shared_topic)
{
  const Scene covered = { 1, 1, 1, TRUE };
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;
  GstClockTime time = 0;

  gst_video_health_set_conditions (health, BIT (MOVED) | BIT (COVERED));
  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (fetch_change (health).condition, C (MOVED));
  show (health, &covered, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (fetch_change (health).condition, C (COVERED));
  /* Noise is not a scene. */
  fail_if (is_judged (health, C (MOVED)));
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  change = fetch_change (health);
  fail_unless_equals_int (change.condition, C (COVERED));
  fail_unless (!change.active && change.topic_active);
  show (health, &usual, 20, &time, GST_CLOCK_TIME_NONE);
  change = fetch_change (health);
  fail_unless (!change.active && !change.topic_active);
  g_object_unref (health);
}

GST_END_TEST;

/* Input without information */

GST_START_TEST (test_not_judged)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogram *histogram = TEST_COUNTS (8, 1, 3);
  GstVideoJointHistogram *joint;
  const guint32 none[64 * 64] = { 0, };

  /* It is unknown what its bins stand for. */
  joint = make_chroma (64, 128, 128, 3);
  fail_if (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, joint));
  gst_video_joint_histogram_unref (joint);

  /* Few bins, no pixels, another channel. */
  fail_if (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
  histogram = TEST_COUNTS (256, 1, 0);
  fail_if (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);

  joint = gst_video_joint_histogram_new (64, 64, none, 64 * 64);
  fail_if (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_CHROMA, joint));
  fail_if (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_OTHER, joint));
  gst_video_joint_histogram_unref (joint);
  joint = make_chroma (16, 128, 128, 3);
  fail_if (gst_video_health_add_joint (health,
          GST_VIDEO_HISTOGRAM_JOINT_CHROMA, joint));
  gst_video_joint_histogram_unref (joint);

  fail_if (gst_video_health_add_difference (health, NAN));
  fail_if (gst_video_health_add_difference (health, INFINITY));
  fail_if (gst_video_health_add_difference (health, -0.1));
  fail_if (gst_video_health_add_difference (health, 1.1));

  gst_video_health_judge (health, 0, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (gst_video_health_get_judged (health),
      BIT (SIGNAL_LOSS));
  fail_unless (isnan (value_of (health, C (BLACK))));
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* Gradients only, with pixels or without any. */
GST_START_TEST (test_gradients)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 counts[BINS] = { 0, };

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  histogram = gst_video_histogram_new (&info);
  fail_if (gst_video_health_add_histogram (health, histogram));
  counts[3] = 1;
  gst_video_histogram_set_counts (histogram, GRADIENT, 0, 0, counts, BINS);
  fail_unless (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_failed)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);
  GstVideoHealth *health = gst_video_health_new ();

  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_if (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
  g_object_unref (health);
}

GST_END_TEST;

/* Evidence added for a frame is not used for the next one. */
GST_START_TEST (test_evidence_is_of_one_frame)
{
  GstVideoHealth *health = gst_video_health_new ();

  frame_black (health, TRUE, 0);
  gst_video_health_judge (health, 0, GST_CLOCK_TIME_NONE);
  fail_unless (is_judged (health, C (BLACK)));
  gst_video_health_judge (health, 3 * GST_SECOND, GST_CLOCK_TIME_NONE);
  fail_if (is_judged (health, C (BLACK)));
  fail_if (has_change (health));
  g_object_unref (health);
}

GST_END_TEST;

/* The largest possible counts. */
GST_START_TEST (test_huge_counts)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 *counts = g_new (guint32, 65536);
  GVariant *state;
  guint i;

  for (i = 0; i < 65536; i++)
    counts[i] = G_MAXUINT32;
  gst_video_histogram_info_init (&info);
  info.depth = 16;
  info.bins = 65536;
  info.columns = info.rows = 4;
  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  histogram = gst_video_histogram_new (&info);
  for (i = 0; i < 16; i++) {
    gst_video_histogram_set_counts (histogram, LUMA, i % 4, i / 4, counts,
        65536);
    gst_video_histogram_set_counts (histogram, GRADIENT, i % 4, i / 4, counts,
        65536);
  }
  for (i = 0; i < 5; i++) {
    gst_video_health_add_histogram (health, histogram);
    gst_video_health_judge (health, i * GST_SECOND, GST_CLOCK_TIME_NONE);
  }
  state = gst_video_health_save (health);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  gst_video_histogram_unref (histogram);
  g_free (counts);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_evidence)
{
  GstVideoHealth *health = gst_video_health_new ();

  fail_unless_equals_int (gst_video_health_get_evidence (health), 0x5f);
  gst_video_health_set_conditions (health, BIT (SIGNAL_LOSS));
  fail_unless_equals_int (gst_video_health_get_evidence (health), 0);
  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (BANDING));
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_ROWS);
  fail_unless_equals_int (gst_video_health_get_conditions (health),
      BIT (BLACK) | BIT (BANDING));
  g_object_unref (health);
}

GST_END_TEST;

/* A condition that is not selected is not reported, and starts again when it
 * is. */
GST_START_TEST (test_conditions)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i = 0;

  gst_video_health_set_conditions (health, BIT (DARK));
  feed (health, 0, TRUE, 200, &i);
  fail_unless_equals_int (fetch_change (health).condition, C (DARK));
  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (DARK));
  fail_unless_equals_int (gst_video_health_get_active (health), BIT (DARK));
  feed (health, 0, TRUE, 40, &i);
  fail_if (has_change (health));
  feed (health, 0, TRUE, 60, &i);
  fail_unless_equals_int (fetch_change (health).condition, C (BLACK));
  gst_video_health_set_conditions (health, 0);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
  g_object_unref (health);
}

GST_END_TEST;

/* If nobody fetches them, the newest changes are kept. */
GST_START_TEST (test_nobody_fetches)
{
  GstVideoHealth *health = make_frozen ("enter=0.1,leave=0.2,duration=0");
  GstVideoHealthChange change;
  GstClockTime last = 0;
  guint i, n = 0;

  for (i = 0; i < 1000; i++)
    feed_difference (health, i % 2, i * 40);
  while (gst_video_health_next_change (health, &change)) {
    last = change.time;
    n++;
  }
  fail_unless_equals_int (n, 256);
  fail_unless_equals_uint64 (last, 999 * 40 * GST_MSECOND);
  fail_unless_equals_uint64 (change.time, 0);
  feed_difference (health, 0, 999 * 40);
  fail_unless_equals_uint64 (fetch_change (health).time,
      999 * 40 * GST_MSECOND);
  g_object_unref (health);
}

GST_END_TEST;

/* Switching off the light leaves the scene's own bands, darker. */
GST_START_TEST (test_other_exposure)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint i;

  for (i = 0; i < 200; i++) {
    add_and_unref (health, make_flat (8, 1, 64, striped_code,
            GUINT_TO_POINTER (i < 100 ? 160 : 80)));
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
    fail_unless (value_of (health, C (BANDING)) < 0.01, "%g in frame %u",
        value_of (health, C (BANDING)), i);
  }
  g_object_unref (health);
}

GST_END_TEST;

/* Rules */

GST_START_TEST (test_rules)
{
  GstVideoHealth *health = gst_video_health_new ();
  gchar *defaults = gst_video_health_dup_rules (health), *rules;

  fail_unless (gst_video_health_set_rules (health, " black , enter=1, "
          "duration=\"3 s\" ;\n frozen,leave=0.5;", NULL));
  rules = gst_video_health_dup_rules (health);
  fail_unless (g_strrstr (rules,
          "black,enter=1,leave=0.97,duration=3s,hold=0s; dark,"));
  fail_unless (g_strrstr (rules,
          "frozen,enter=0.001,leave=0.5,duration=2s,hold=0s; "));
  g_free (rules);

  /* Conditions not named get their default rules, not the previous ones. */
  fail_unless (gst_video_health_set_rules (health, "flapping,enter=3,leave=1,"
          "duration=24h", NULL));
  rules = gst_video_health_dup_rules (health);
  fail_unless (g_strrstr (rules, "black,enter=0.98,"));
  fail_unless (g_strrstr (rules, "flapping,enter=3,leave=1,"
          "duration=86400s,hold=0s"));
  fail_unless (gst_video_health_set_rules (health, rules, NULL));
  g_free (rules);

  fail_unless (gst_video_health_set_rules (health, NULL, NULL));
  rules = gst_video_health_dup_rules (health);
  fail_unless_equals_string (rules, defaults);
  g_free (rules);
  fail_unless (gst_video_health_set_rules (health, defaults, NULL));
  rules = gst_video_health_dup_rules (health);
  fail_unless_equals_string (rules, defaults);
  g_free (rules);
  g_free (defaults);
  g_object_unref (health);
}

GST_END_TEST;

static const struct
{
  const gchar *written, *printed;
  GstClockTime ns;
} times[] = {
  {"0", "0s", 0},
  {"0h", "0s", 0},
  {"2s", "2s", 2 * GST_SECOND},
  {" 2 s ", "2s", 2 * GST_SECOND},
  {"\"2s\"", "2s", 2 * GST_SECOND},
  {"500ms", "500ms", 500 * GST_MSECOND},
  {".5s", "500ms", 500 * GST_MSECOND},
  {"1.5s", "1.5s", 1500 * GST_MSECOND},
  {"2min", "120s", 120 * GST_SECOND},
  {"0.5h", "1800s", 1800 * GST_SECOND},
  {"24h", "86400s", 86400 * GST_SECOND},
  {"1ms", "1ms", GST_MSECOND},
  {"1500us", "1500000ns", 1500 * GST_USECOND},
  {"2e6\302\265s", "2s", 2 * GST_SECOND},
  {"2000000000ns", "2s", 2 * GST_SECOND},
  {"86399999999999ns", "86399999999999ns", 86400 * GST_SECOND - 1},
};

GST_START_TEST (test_times_of_rules)
{
  GstVideoHealth *health = gst_video_health_new ();
  gchar *written = g_strdup_printf ("dark,duration=%s,hold=%s; signal-loss,"
      "enter=90s", times[__i__].written, times[__i__].written);
  gchar *printed = g_strdup_printf ("dark,enter=0.9,leave=0.8,duration=%s,"
      "hold=%s; ", times[__i__].printed, times[__i__].printed);
  guint again;

  for (again = 0; again < 2; again++) {
    GstClockTime duration, hold;
    gdouble enter, leave;
    gchar *rules;

    fail_unless (gst_video_health_set_rules (health, written, NULL), written);
    gst_video_health_get_rule (health, C (DARK), &enter, &leave, &duration,
        &hold);
    fail_unless_close (enter, 0.9);
    fail_unless_close (leave, 0.8);
    fail_unless_equals_uint64 (duration, times[__i__].ns);
    fail_unless_equals_uint64 (hold, times[__i__].ns);
    gst_video_health_get_rule (health, C (SIGNAL_LOSS), &enter, NULL, NULL,
        NULL);
    fail_unless_close (enter, 90);
    rules = gst_video_health_dup_rules (health);
    fail_unless (strstr (rules, printed) != NULL, rules);
    g_free (written);
    written = rules;
  }
  g_free (written);
  g_free (printed);
  g_object_unref (health);
}

GST_END_TEST;

/* Everything that ONVIF's TamperingDetection can ask for, as in
 * docs/videohealth.md. */
GST_START_TEST (test_tampering_detection)
{
  GstVideoHealth *health = gst_video_health_new ();
  guint threshold, duration;

  for (threshold = 0; threshold <= 100; threshold++) {
    const gdouble enter = MAX (threshold, 1) / 100.0;

    for (duration = 1; duration <= 60; duration += 59) {
      const gdouble blurry = 1 - enter;
      GstClockTime time;
      gdouble set;
      gchar *rules = g_strdup_printf ("dark,enter=%g,leave=%g,duration=%us; "
          "bright,enter=%g,leave=%g; covered,enter=%g,leave=%g; "
          "moved,enter=%g,leave=%g; blurry,enter=%g,leave=%g; "
          "signal-loss,enter=%u,leave=0.5,duration=0", enter, 0.8 * enter,
          duration, enter, 0.8 * enter, enter, 0.8 * enter, enter,
          0.8 * enter, blurry, blurry + 0.3 * (1 - blurry), duration);
      GError *error = NULL;

      fail_unless (gst_video_health_set_rules (health, rules, &error), "%s: %s",
          rules, error ? error->message : "");
      gst_video_health_get_rule (health, C (DARK), &set, NULL, &time, NULL);
      fail_unless (fabs (set - enter) < 1e-6);
      fail_unless_equals_uint64 (time, duration * GST_SECOND);
      g_free (rules);
    }
  }
  g_object_unref (health);
}

GST_END_TEST;

static const struct
{
  const gchar *rules, *message;
} bad_rules[] = {
  {"balck,enter=0.9", "unknown condition \"balck\"; use one of signal-loss, "
        "black, dark, bright, blurry, low-contrast, covered, moved, frozen, "
        "color-cast, monochrome, flapping, flashing, banding"},
  {"black,entre=0.9", "black: unknown field \"entre\"; use enter, leave, "
        "duration or hold"},
  {"black,enter=1.5", "black: enter is 1.5, not a number from 0 to 1"},
  {"black,enter=-1", "black: enter is -1, not a number from 0 to 1"},
  {"black,enter=high", "black: enter is high, not a number from 0 to 1"},
  {"black,enter=nan", "black: enter is nan, not a number from 0 to 1"},
  {"black,enter=true", "black: enter is true, not a number from 0 to 1"},
  {"black,enter=90 %", "black: enter is 90 %, not a number from 0 to 1"},
  {"black,hold=1e15", "black: hold is 1e15, without a unit; write a time from "
        "1ms to 24h, or 0, in ns, us, ms, s, min or h"},
  {"dark,duration=5", "dark: duration is 5, without a unit; write "
        "\"duration=5s\" or \"duration=5000ms\""},
  {"dark,duration=90", "dark: duration is 90, without a unit; write "
        "\"duration=90s\" or \"duration=1.5min\""},
  {"dark,duration=100", "dark: duration is 100, without a unit; write "
        "\"duration=100s\" or \"duration=100000ms\""},
  {"dark,duration=3600", "dark: duration is 3600, without a unit; write "
        "\"duration=3600s\" or \"duration=1h\""},
  {"dark,duration=1500000", "dark: duration is 1500000, without a unit; write "
        "\"duration=1.5ms\" or \"duration=0.0015s\""},
  {"dark,hold=2000000000", "dark: hold is 2000000000, without a unit; write "
        "\"hold=2s\" or \"hold=2000ms\""},
  {"dark,hold=(guint64)1500000000", "dark: hold is 1500000000, without a unit; "
        "write \"hold=1.5s\" or \"hold=1500ms\""},
  {"dark,duration=0.25", "dark: duration is 0.25, without a unit; write "
        "\"duration=250ms\" or \"duration=0.25s\""},
  {"dark,duration=5000ns", "dark: duration is 5000ns, not a time from 1ms to "
        "24h, or 0"},
  {"dark,duration=0.1ns", "dark: duration is 0.1ns, not a time from 1ms to "
        "24h, or 0"},
  {"dark,duration=25h", "dark: duration is 25h, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=-2s", "dark: duration is -2s, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=-2", "dark: duration is -2, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=2x", "dark: duration is 2x, not a time such as 2s, 500ms or "
        "1.5min"},
  {"dark,duration=1e999s", "dark: duration is 1e999s, not a time such as 2s, "
        "500ms or 1.5min"},
  {"dark,duration=s", "dark: duration is s, not a time such as 2s, 500ms or "
        "1.5min"},
  {"dark,enter=2s", "dark: enter is 2s, not a number from 0 to 1"},
  {"signal-loss,enter=2d", "signal-loss: enter is 2d, not a number from 0 to "
        "86400"},
  {"black,enter=0.5", "black: leave is 0.97, but must be below enter, which "
        "is 0.5"},
  {"frozen,leave=0.001", "frozen: leave is 0.001, but must be above enter, "
        "which is 0.001"},
  {"dark,hold=0;dark", "two rules for dark; keep one"},
  {"dark,enter=7,leave=8,hold=x,lenter=1; =; gloomy; dark; frozen,duration=-1s",
      "dark: unknown field \"lenter\"; use enter, leave, duration or hold\n"
        "dark: enter is 7, not a number from 0 to 1\n"
        "dark: leave is 8, not a number from 0 to 1\n"
        "dark: hold is x, not a time such as 2s, 500ms or 1.5min\n"
        "cannot read rules from \"=\"; write them as in \"black,enter=0.98,"
        "leave=0.97,duration=2s,hold=0s; dark,enter=0.9\"\n"
        "unknown condition \"gloomy\"; use one of signal-loss, "
        "black, dark, bright, blurry, low-contrast, covered, moved, frozen, "
        "color-cast, monochrome, flapping, flashing, banding\n"
        "two rules for dark; keep one\n"
        "frozen: duration is -1s, not a time from 1ms to 24h, or 0"},
  {"dark; 9,hold=2s ;black", "cannot read rules from \"9,hold=2s \"; write "
        "them as in \"black,enter=0.98,leave=0.97,duration=2s,hold=0s; "
        "dark,enter=0.9\""},
  {"dark; =", "cannot read rules from \"=\"; write them as in "
        "\"black,enter=0.98,leave=0.97,duration=2s,hold=0s; dark,enter=0.9\""},
  {"dark;\x80", "the rules are not valid UTF-8"},
};

/* A million brackets must not overflow the stack. */
GST_START_TEST (test_nested_rules)
{
  static const gchar *const brackets[] = { "<", "{", "[", "[a,b=" };
  GstVideoHealth *health = gst_video_health_new ();
  GString *text = g_string_new ("dark,enter=");
  GError *error = NULL;
  guint i;

  for (i = 0; i < 1000000; i++)
    g_string_append (text, brackets[__i__]);
  fail_if (gst_video_health_set_rules (health, text->str, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  g_clear_error (&error);
  fail_if (gst_video_health_set_ignored (health, text->str, &error));
  g_clear_error (&error);
  g_string_free (text, TRUE);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_bad_rules)
{
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;
  gchar *before, *after;

  gst_video_health_set_rules (health, "dark,hold=7ms", NULL);
  before = gst_video_health_dup_rules (health);
  fail_if (gst_video_health_set_rules (health, bad_rules[__i__].rules, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  fail_unless_equals_string (error->message, bad_rules[__i__].message);
  g_clear_error (&error);
  fail_if (gst_video_health_set_rules (health, bad_rules[__i__].rules, NULL));
  after = gst_video_health_dup_rules (health);
  fail_unless_equals_string (after, before);
  g_free (before);
  g_free (after);
  g_object_unref (health);
}

GST_END_TEST;

/* Ignored areas */

/* A lamp in the upper right cell; the rest has one code. */
static guint
lamp_code (guint x, guint y, gpointer data)
{
  return x == SIDE - 1 && y == 0 ? 255 : GPOINTER_TO_UINT (data);
}

static void
judge_lamp (GstVideoHealth * health, guint side, guint code, guint i)
{
  add_and_unref (health, make_flat (8, side, side, lamp_code,
          GUINT_TO_POINTER (code)));
  gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
}

#define LAMP "x=0.9,y=0.01,width=0.05,height=0.05"

static const struct
{
  GstVideoHealthCondition condition;
  guint code;                   /* code of the rest */
  gdouble with, without;        /* values with and without the lamp */
} lamps[] = {
  {C (BRIGHT), 128, 1 / 64.0, 0},
  {C (BLACK), 0, 63 / 64.0, 1},
  {C (DARK), 0, 63 / 64.0, 1},
  {C (LOW_CONTRAST), 0, 1, 0},
};

GST_START_TEST (test_ignore_lamp)
{
  const GstVideoHealthCondition condition = lamps[__i__].condition;
  GstVideoHealth *health = gst_video_health_new ();
  const gchar *name = gst_video_health_condition_get_name (condition);
  gchar *lamp = g_strdup_printf ("%s," LAMP, name);
  gchar *all = g_strdup_printf ("%s,x=0,y=0,width=1,height=1", name);
  gchar *two = g_strdup_printf ("%s;%s,x=0,y=0,width=0.5,height=1", lamp, name);
  const GstVideoHealthConditions judged = 1u << condition;

  gst_video_health_set_conditions (health, judged);
  judge_lamp (health, SIDE, lamps[__i__].code, 0);
  fail_unless_close (value_of (health, condition), lamps[__i__].with);
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA);

  fail_unless (gst_video_health_set_ignored (health, lamp, NULL));
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_CELLS);
  judge_lamp (health, SIDE, lamps[__i__].code, 1);
  fail_unless_close (value_of (health, condition), lamps[__i__].without);
  fail_unless (gst_video_health_set_ignored (health, two, NULL));
  judge_lamp (health, SIDE, lamps[__i__].code, 2);
  fail_unless_close (value_of (health, condition), lamps[__i__].without);

  /* With too few cells left, or none, the value is unknown. */
  judge_lamp (health, 2, lamps[__i__].code, 3);
  fail_unless_equals_int (gst_video_health_get_judged (health), 0);
  judge_lamp (health, SIDE, lamps[__i__].code, 4);
  fail_unless_equals_int (gst_video_health_get_judged (health), judged);
  fail_unless (gst_video_health_set_ignored (health, all, NULL));
  judge_lamp (health, SIDE, lamps[__i__].code, 5);
  fail_unless_equals_int (gst_video_health_get_judged (health), 0);

  /* Another condition uses the whole picture. */
  fail_unless (gst_video_health_set_ignored (health, "moved," LAMP, NULL));
  judge_lamp (health, SIDE, lamps[__i__].code, 6);
  fail_unless_close (value_of (health, condition), lamps[__i__].with);
  g_free (lamp);
  g_free (all);
  g_free (two);
  g_object_unref (health);
}

GST_END_TEST;

/* The left 3 of 8 columns flash, white and black. */
static guint
left_code (guint x, G_GNUC_UNUSED guint y, gpointer data)
{
  return x < 3 && GPOINTER_TO_UINT (data) % 2 ? 255 : 0;
}

static gdouble
count_flashes_without (const gchar * ignored)
{
  GstVideoHealth *health = gst_video_health_new ();
  gdouble value;
  guint i;

  fail_unless (gst_video_health_set_ignored (health, ignored, NULL));
  for (i = 0; i < 9; i++) {
    add_and_unref (health, make_flat (8, SIDE, SIDE, left_code,
            GUINT_TO_POINTER (i)));
    gst_video_health_judge (health, i * 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  }
  value = value_of (health, C (FLASHING));
  g_object_unref (health);
  return value;
}

/* A quarter of the remaining area has to flash. */
GST_START_TEST (test_ignore_flashes)
{
  fail_unless_close (count_flashes_without (NULL), 4);
  fail_unless_close (count_flashes_without
      ("flashing,x=0,y=0,width=0.25,height=1"), 0);
  fail_unless_close (count_flashes_without
      ("flashing,x=0.5,y=0,width=0.5,height=1"), 4);
}

GST_END_TEST;

/* The upper half loses its contents and its textures. */
static GstVideoHistogram *
make_half_covered (void)
{
  const Scene cover = { 1, 1, 1, TRUE };
  GstVideoHistogram *with = get_scene (&cover), *without = get_scene (&usual);
  GstVideoHistogram *histogram =
      gst_video_histogram_new (gst_video_histogram_get_info (with));
  guint x, y, c;

  for (y = 0; y < SIDE; y++) {
    for (x = 0; x < SIDE; x++) {
      for (c = 0; c < 2; c++) {
        const guint channel = c ? GRADIENT : LUMA;

        gst_video_histogram_set_counts (histogram, channel, x, y,
            gst_video_histogram_get_cell_counts (y < SIDE / 2 ? with : without,
                channel, x, y, NULL), BINS);
      }
    }
  }
  return histogram;
}

static void
judge_scene (GstVideoHealth * health, GstVideoHistogram * histogram, guint s)
{
  fail_unless (gst_video_health_add_histogram (health, histogram));
  gst_video_health_judge (health, s * GST_SECOND, GST_CLOCK_TIME_NONE);
}

GST_START_TEST (test_ignore_learned)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogram *half = make_half_covered ();
  guint i;

  for (i = 0; i < 60; i++)
    judge_scene (health, get_scene (&usual), i);
  judge_scene (health, half, i++);
  fail_unless (fabs (value_of (health, C (COVERED)) - 0.5) < 0.02);
  fail_unless (value_of (health, C (MOVED)) > 0.05);

  fail_unless (gst_video_health_set_ignored (health,
          "all,x=0,y=0,width=1,height=0.5", NULL));
  judge_scene (health, half, i++);
  fail_unless_close (value_of (health, C (COVERED)), 0);
  fail_unless (value_of (health, C (MOVED)) < 0.05);

  fail_unless (gst_video_health_set_ignored (health,
          "all,x=0,y=0.5,width=1,height=0.5", NULL));
  judge_scene (health, half, i++);
  fail_unless (value_of (health, C (COVERED)) > 0.95);
  gst_video_histogram_unref (half);
  g_object_unref (health);
}

GST_END_TEST;

/* @scene with only @part of the pixels in each cell. */
static GstVideoHistogram *
make_smaller (const Scene * scene, gdouble part)
{
  GstVideoHistogram *histogram = get_scene (scene);
  GstVideoHistogram *smaller =
      gst_video_histogram_new (gst_video_histogram_get_info (histogram));
  guint32 counts[BINS];
  guint cell, c, b;

  for (cell = 0; cell < SIDE * SIDE; cell++) {
    for (c = 0; c < 2; c++) {
      const guint channel = c ? GRADIENT : LUMA;

      memcpy (counts, gst_video_histogram_get_cell_counts (histogram, channel,
              cell % SIDE, cell / SIDE, NULL), sizeof (counts));
      for (b = 0; b < BINS; b++)
        counts[b] *= part;
      gst_video_histogram_set_counts (smaller, channel, cell % SIDE,
          cell / SIDE, counts, BINS);
    }
  }
  return smaller;
}

/* In a larger picture neighboring pixels are more alike, so sharpness is
 * learned again. A picture with a few pixels less, as if cropped, counts as the
 * same size. */
GST_START_TEST (test_another_size)
{
  const Scene soft = { 1, 1, 0.3, FALSE };
  const gdouble part = __i__ ? 0.95 : 0.5;
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogram *smaller = make_smaller (&usual, part);
  guint i;

  for (i = 0; i < 60; i++)
    judge_scene (health, smaller, i);
  for (; i < 80; i++) {
    judge_scene (health, get_scene (&soft), i);
    fail_unless (isnan (value_of (health, C (BLURRY))) == !__i__);
  }
  fail_unless_equals_int (is_active (health, C (BLURRY)), __i__);
  for (; !__i__ && i < 100; i++)
    judge_scene (health, get_scene (&soft), i);
  if (!__i__)
    fail_unless (ABS (value_of (health, C (BLURRY)) - 1) < 0.01);
  gst_video_histogram_unref (smaller);
  g_object_unref (health);
}

GST_END_TEST;

/* Another scene is recognized in any size, and is not learned. */
GST_START_TEST (test_other_scene_of_another_size)
{
  const gdouble part = __i__ ? 0.25 : 0.9;
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogram *smaller = make_smaller (&usual, part);
  guint i;

  for (i = 0; i < 60; i++)
    judge_scene (health, smaller, i);
  for (; i < 80; i++)
    judge_scene (health, get_scene (&other_scene), i);
  fail_unless (is_active (health, C (MOVED)));
  for (; i < 400; i++)
    judge_scene (health, get_scene (&other_scene), i);
  fail_unless (is_active (health, C (MOVED)));
  for (; i < 420; i++)
    judge_scene (health, get_scene (&usual), i);
  fail_if (is_active (health, C (MOVED)));
  fail_unless (value_of (health, C (MOVED)) < 0.1);
  gst_video_histogram_unref (smaller);
  g_object_unref (health);
}

GST_END_TEST;

/* Sharpness is learned without the ignored areas. */
GST_START_TEST (test_ignore_blurry)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogram *half = make_half_covered ();
  guint i;

  fail_unless (gst_video_health_set_ignored (health,
          "blurry,x=0,y=0,width=1,height=0.5", NULL));
  for (i = 0; i < 60; i++)
    judge_scene (health, get_scene (&usual), i);
  judge_scene (health, half, i++);
  fail_unless_close (value_of (health, C (BLURRY)), 1);
  fail_unless (gst_video_health_set_ignored (health, NULL, NULL));
  judge_scene (health, half, i);
  fail_if (ABS (value_of (health, C (BLURRY)) - 1) < 0.01);
  gst_video_histogram_unref (half);
  g_object_unref (health);
}

GST_END_TEST;

static const struct
{
  const gchar *ignored, *message;
} bad_ignored[] = {
  {"balck,x=0,y=0,width=1,height=1", "unknown condition \"balck\"; use one of "
        "signal-loss, black, dark, bright, blurry, low-contrast, covered, "
        "moved, frozen, color-cast, monochrome, flapping, flashing, banding"},
  {"black,x=0,y=0,width=1", "black: height is missing; a rectangle needs x, "
        "y, width and height, as shares of the picture"},
  {"black,x=0,y=0,w=1,height=1", "black: unknown field \"w\"; use x, y, width "
        "and height\n"
        "black: width is missing; a rectangle needs x, y, width and height, "
        "as shares of the picture"},
  {"black,x=0,y=0,width=2,height=1", "black: width is 2, not a number from 0 "
        "to 1"},
  {"black,x=nan,y=0,width=1,height=1", "black: x is nan, not a number from 0 "
        "to 1"},
  {"all,x=0.5,y=0,width=0.6,height=1", "all: width and height must be above "
        "0, and x + width and y + height at most 1"},
  {"all,x=0.5,y=0,width=0,height=1", "all: width and height must be above 0, "
        "and x + width and y + height at most 1"},
  {"banding,x=0,y=0,width=1,height=1", "banding cannot ignore rectangles: "
        "bands run through all rows"},
  {"signal-loss,x=0,y=0,width=1,height=1", "signal-loss cannot ignore "
        "rectangles: it is about missing frames"},
  {"flapping,x=0,y=0,width=1,height=1", "flapping cannot ignore rectangles: "
        "chroma is counted over the whole picture"},
  {"banding,x=0,y=0,width=1,height=1;dark,x=a,y=0,width=2,h=1;all", "banding "
        "cannot ignore rectangles: bands run through all rows\n"
        "dark: unknown field \"h\"; use x, y, width and height\n"
        "dark: height is missing; a rectangle needs x, y, width and height, "
        "as shares of the picture\n"
        "dark: x is a, not a number from 0 to 1\n"
        "dark: width is 2, not a number from 0 to 1\n"
        "all: x is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: y is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: width is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: height is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture"},
  {"=", "cannot read rectangles from \"=\"; write them as in "
        "\"bright,x=0.8,y=0,width=0.2,height=0.2; "
        "all,x=0,y=0.9,width=0.3,height=0.1\""},
};

static void
check_bad_ignored (const gchar * ignored, const gchar * message)
{
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;

  fail_unless (gst_video_health_set_ignored (health, "bright," LAMP, NULL));
  fail_if (gst_video_health_set_ignored (health, ignored, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  fail_unless_equals_string (error->message, message);
  g_clear_error (&error);
  judge_lamp (health, SIDE, 128, 0);
  fail_unless_close (value_of (health, C (BRIGHT)), 0);
  g_object_unref (health);
}

GST_START_TEST (test_bad_ignored)
{
  check_bad_ignored (bad_ignored[__i__].ignored, bad_ignored[__i__].message);
}

GST_END_TEST;

GST_START_TEST (test_many_ignored)
{
  GstVideoHealth *health = gst_video_health_new ();
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < 16; i++)
    g_string_append (text, i % 2 ? "all," LAMP ";" : "dark," LAMP ";");
  fail_unless (gst_video_health_set_ignored (health, text->str, NULL));
  g_string_append (text, "all," LAMP);
  check_bad_ignored (text->str, "dark has more than 16 rectangles");
  g_string_free (text, TRUE);
  g_object_unref (health);
}

GST_END_TEST;

/* Saved states */

/* Frame @i of a camera's day in a few frames, with all kinds of evidence and
 * times. */
static void
feed_any (GstVideoHealth * health, guint i)
{
  TestRandom random = test_random_new (i);
  const guint kind = i / 40 % 5;
  const Scene scene = { 1 + (kind == 3), 1, kind == 2 ? 0.2 : 1, kind == 4 };

  add_scene (health, &scene);
  add_chroma (health, 128, 128, i / 20 % 2 ? 1 : 20);
  gst_video_health_add_difference (health, kind == 1 ? 0 : 0.1);
  frame_banding (health, kind == 0, i);
  if (test_random_once_in (&random, 10))
    gst_video_health_tick (health, (i + 6) * GST_SECOND);
  gst_video_health_judge (health, i * GST_SECOND, i * 600 * GST_SECOND);
}

static void
fail_unless_same (GstVideoHealth * a, GstVideoHealth * b)
{
  GVariant *of_a = gst_video_health_save (a), *of_b = gst_video_health_save (b);

  fail_unless (g_variant_equal (of_a, of_b));
  fail_unless_equals_int (gst_video_health_wants_frame (a),
      gst_video_health_wants_frame (b));
  g_variant_unref (of_a);
  g_variant_unref (of_b);
}

#define N_FRAMES 300

/* Wherever the state is saved, the rest is judged the same. */
GST_START_TEST (test_restore)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change, other_change;
  guint i, k, n_changes = 0;

  for (i = 0; i < N_FRAMES; i++) {
    GVariant *state = gst_video_health_save (health);
    GstVideoHealth *other = gst_video_health_new ();

    fail_unless (gst_video_health_restore (other, state, NULL));
    g_variant_unref (state);
    fail_unless_same (health, other);
    for (k = 0; k < 3; k++)
      feed_any (other, i + k);
    feed_any (health, i);
    while (gst_video_health_next_change (health, &change)) {
      n_changes++;
      fail_unless (gst_video_health_next_change (other, &other_change));
      fail_unless_equals_int (memcmp (&change, &other_change, sizeof (change)),
          0);
    }
    if (i % 50 == 49) {
      for (k = 1; k < 3; k++)
        feed_any (health, i + k);
      fail_unless_same (health, other);
      i += 2;
      while (has_change (health));
    }
    g_object_unref (other);
  }
  fail_unless (n_changes > 20);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_deterministic)
{
  GstVideoHealth *a = gst_video_health_new (), *b = gst_video_health_new ();
  guint i;

  for (i = 0; i < N_FRAMES; i++) {
    feed_any (a, i);
    feed_any (b, i);
  }
  fail_unless_same (a, b);
  g_object_unref (a);
  g_object_unref (b);
}

GST_END_TEST;

/* A restarted program has new times, but the same camera. */
GST_START_TEST (test_reference_survives)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 1000 * GST_SECOND;
  GVariant *state;
  gchar *text;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  state = gst_video_health_save (health);
  text = g_variant_print (state, TRUE);
  g_variant_unref (state);
  g_object_unref (health);

  health = gst_video_health_new ();
  state = g_variant_parse (NULL, text, NULL, NULL, NULL);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  g_free (text);
  time = 0;
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (fetch_change (health).active);
  fail_unless (is_active (health, C (MOVED)));
  g_object_unref (health);
}

GST_END_TEST;

/* The state of an object that has seen a bit of everything. */
static GVariant *
get_experience (void)
{
  static GVariant *state = NULL;

  if (!state) {
    GstVideoHealth *health = gst_video_health_new ();
    guint i;

    for (i = 0; i < 150; i++)
      feed_any (health, i);
    state = gst_video_health_save (health);
    g_object_unref (health);
  }
  return state;
}

/* Restores @state. It may be refused, but then with a reason, and nothing
 * changes. Returns whether it was accepted. */
static gboolean
try_state (GVariant * state)
{
  GstVideoHealth *health = gst_video_health_new ();
  GVariant *after;
  GError *error = NULL;
  gboolean taken;
  guint i;

  fail_unless (gst_video_health_restore (health, get_experience (), NULL));
  taken = gst_video_health_restore (health, state, &error);
  if (!taken) {
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
            GST_VIDEO_HISTOGRAM_ERROR_PARSE));
    fail_unless (strlen (error->message) > 10);
    g_clear_error (&error);
    after = gst_video_health_save (health);
    fail_unless (g_variant_equal (after, get_experience ()));
    g_variant_unref (after);
  }
  for (i = 0; i < 5; i++) {
    gst_video_health_tick (health, (150 + i) * GST_SECOND);
    feed_any (health, 150 + i);
  }
  g_object_unref (health);
  return taken;
}

static gboolean
try_bytes (const guint8 * data, gsize size)
{
  GBytes *bytes = g_bytes_new (data, size);
  GVariant *state = g_variant_ref_sink (g_variant_new_from_bytes
      (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  const gboolean taken = try_state (state);

  g_variant_unref (state);
  g_bytes_unref (bytes);
  return taken;
}

GST_START_TEST (test_damaged)
{
  GVariant *state = get_experience ();
  const gsize size = g_variant_get_size (state);
  guint8 *data = g_memdup2 (g_variant_get_data (state), size);
  TestRandom random = test_random_new (1);
  guint i, k, n_refused = 0;

  fail_unless (try_bytes (data, size));
  for (i = 0; i < 40; i++)
    fail_if (try_bytes (data, test_random_below (&random, size)));
  for (i = 0; i < 150; i++) {
    memcpy (data, g_variant_get_data (state), size);
    for (k = 0; k < 1 + i % 4; k++)
      data[test_random_below (&random, size)] ^=
          1 << test_random_below (&random, 8);
    n_refused += !try_bytes (data, size);
  }
  fail_unless (n_refused > 10);
  g_free (data);
}

GST_END_TEST;

/* Each replaces the existing value. */
static const struct
{
  const gchar *field, *value, *message;
} bad_states[] = {
  {"version", NULL, "the state has no version"},
  {"version", "'1'", "the state has no version"},
  {"version", "uint32 1", "the state has version 1, but only version 6 can be "
        "read"},
  {"time", NULL, "the field time of type t is missing"},
  {"time", "int64 5", "the field time of type t is missing"},
  {"runs", "{'odd': (true, true, 1.0, uint64 1, uint64 1, uint64 1, uint64 1)}",
      "unknown condition \"odd\""},
  {"runs", "{'dark': (true, true, -1.0, uint64 1, uint64 1, uint64 1, "
        "uint64 1)}", "the state of dark is out of range"},
  {"runs", "{'dark': (true, true, 1.0, uint64 1, uint64 999000000000, "
        "uint64 1, uint64 1)}", "the state of dark is out of range"},
  {"flips", "[uint64 5, 4]", "the field flips is out of range"},
  {"flips", "[uint64 18446744073709551615]", "the field flips is out of range"},
  {"flips", "[uint64 999000000000]", "the field flips is out of range"},
  {"flashes", "(uint32 9, uint32 1, uint32 0, @a(iddat) [])",
      "the field flashes is out of range"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, @a(iddat) [])",
      "the field flashes is out of range"},
  {"flashes", "(uint32 0, uint32 0, uint32 17, [(0, 0.0, 0.0, @at [])])",
      "the field flashes is out of range"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(2, 0.0, 0.0, @at [])])",
      "the field flashes is out of range"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(0, 0.0, -1.0, @at [])])",
      "the field flashes is out of range"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(0, 0.0, 0.0, [uint64 2, 1])])",
      "the field flashes is out of range"},
  {"bands", "(uint64 0, (-1.0, 0.0, 0.0), @ad [], @ad [])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (nan, 0.0, 0.0), @ad [], @ad [])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (inf, 0.0, 0.0), @ad [], @ad [])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (0.0, nan, 0.0), @ad [], @ad [])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (0.0, 0.0, 1e300), @ad [], @ad [])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (0.0, 0.0, 0.0), [1.0], [-1.0])",
      "the field bands is out of range"},
  {"bands", "(uint64 0, (0.0, 0.0, 0.0), [1.0], [1.0, 1.0])",
      "the field bands is out of range"},
  {"bands", "(uint64 999000000000, (0.0, 0.0, 0.0), [1.0], [1.0])",
      "the field bands is out of range"},
  {"reference", "(uint32 9, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 24, uint64 0, "
        "-1, -1, -1, -1, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "0, -1, -1, -1, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -2, -1, -1, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, 5, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 999000000000, "
        "-1, -1, -1, -1, @a(uddadadddddaddddd) [])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 48, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0, 2.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, -1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, nan, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], -1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, inf, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, nan, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, -1.0)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [nan], 1.0, "
        "1.0, 0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"reference", "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, "
        "-1, -1, -1, -1, [(uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, "
        "1.0, 0.2, inf, [1.0], 1.0, 0.0, 0.0, 0.1)])",
      "the field reference is out of range"},
  {"recent", NULL, "the field recent of type (tadaddad) is missing"},
  {"recent", "(uint64 0, [1.0], @ad [], 0.0, @ad [])",
      "the field recent is out of range"},
};

GST_START_TEST (test_bad_state)
{
  GstVideoHealth *health = gst_video_health_new ();
  GVariant *state;
  GVariantDict dict;
  GError *error = NULL;

  g_variant_dict_init (&dict, get_experience ());
  g_variant_dict_remove (&dict, bad_states[__i__].field);
  if (bad_states[__i__].value) {
    GVariant *value = g_variant_parse (NULL, bad_states[__i__].value, NULL,
        NULL, &error);

    fail_unless (value != NULL, "%s", error ? error->message : "");
    g_variant_dict_insert_value (&dict, bad_states[__i__].field, value);
    g_variant_unref (value);
  }
  state = g_variant_ref_sink (g_variant_dict_end (&dict));

  fail_if (try_state (state));
  fail_if (gst_video_health_restore (health, state, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  fail_unless_equals_string (error->message, bad_states[__i__].message);
  g_clear_error (&error);
  g_variant_unref (state);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_cut_off)
{
  GstVideoHealth *health = gst_video_health_new ();
  const gsize size = g_variant_get_size (get_experience ());
  GBytes *bytes = g_bytes_new (g_variant_get_data (get_experience ()),
      size - 1);
  GVariant *state = g_variant_ref_sink (g_variant_new_from_bytes
      (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  GError *error = NULL;

  fail_if (gst_video_health_restore (health, state, &error));
  fail_unless_equals_string (error->message,
      "the state is cut off or damaged");
  g_error_free (error);
  g_variant_unref (state);
  g_bytes_unref (bytes);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_no_state)
{
  GVariant *state = g_variant_ref_sink (g_variant_new_string ("state"));

  fail_if (try_state (state));
  g_variant_unref (state);
}

GST_END_TEST;

/* A new stream of a known camera starts without active conditions. */
GST_START_TEST (test_reset)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstClockTime time = 0;

  show (health, &usual, 60, &time, GST_CLOCK_TIME_NONE);
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (is_active (health, C (MOVED)));
  gst_video_health_reset (health);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
  fail_if (has_change (health));
  show (health, &other_scene, 20, &time, GST_CLOCK_TIME_NONE);
  fail_unless (fetch_change (health).active);
  g_object_unref (health);
}

GST_END_TEST;

static gpointer
tick (gpointer data)
{
  guint i;

  for (i = 0; i < 2000; i++) {
    gst_video_health_tick (data, i * GST_SECOND);
    gst_video_health_get_active (data);
    has_change (data);
  }
  return NULL;
}

GST_START_TEST (test_threads)
{
  GstVideoHealth *health = gst_video_health_new ();
  GThread *thread = g_thread_new ("tick", tick, health);
  guint i;

  for (i = 0; i < 200; i++)
    feed_any (health, i);
  g_thread_join (thread);
  g_object_unref (health);
}

GST_END_TEST;

GST_START_TEST (test_types)
{
  GFlagsClass *flags = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_CONDITIONS);
  GEnumClass *values = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_CONDITION);
  GstVideoHealthChange change = {.value = 3 }, *copy;
  guint i;

  fail_unless_equals_int (flags->mask, GST_VIDEO_HEALTH_CONDITIONS_ALL);
  fail_unless_equals_int (values->n_values, N);
  for (i = 0; i < N; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);

    fail_unless_equals_string (g_enum_get_value (values, i)->value_nick, name);
    fail_unless_equals_string (g_flags_get_first_value (flags,
            1u << i)->value_nick, name);
  }
  copy = g_boxed_copy (GST_TYPE_VIDEO_HEALTH_CHANGE, &change);
  fail_unless_close (copy->value, 3);
  g_boxed_free (GST_TYPE_VIDEO_HEALTH_CHANGE, copy);
  g_type_class_unref (flags);
  g_type_class_unref (values);
}

GST_END_TEST;

TEST_SUITE (health, NULL, NULL)
{
  tcase_add_loop_test (tc, test_once, 0, G_N_ELEMENTS (cameras));
  tcase_add_loop_test (tc, test_seldom, 0, G_N_ELEMENTS (cameras));
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_signal_loss);
  tcase_add_test (tc, test_pass);
  tcase_add_test (tc, test_pass_in_between);
  tcase_add_test (tc, test_no_frame_ever);
  tcase_add_test (tc, test_hysteresis);
  tcase_add_test (tc, test_duration_and_hold);
  tcase_add_test (tc, test_wants_frame);
  tcase_add_test (tc, test_times_go_back);
  tcase_add_loop_test (tc, test_coded_still_scene, 0, G_N_ELEMENTS (gops));
  tcase_add_test (tc, test_coded_refinement);
  tcase_add_test (tc, test_coded_key_frames);
  tcase_add_loop_test (tc, test_coded_freeze, 0, G_N_ELEMENTS (gops));
  tcase_add_test (tc, test_coded_at_a_constant_bitrate);
  tcase_add_loop_test (tc, test_coded_freezes_in_a_row, 0,
      G_N_ELEMENTS (freezes));
  tcase_add_test (tc, test_coded_restored);
  tcase_add_test (tc, test_coded_restored_frozen);
  tcase_add_loop_test (tc, test_times_jump, 1, G_N_ELEMENTS (jumps));
  tcase_add_test (tc, test_no_times);
  tcase_add_test (tc, test_black_is_not_frozen);
  tcase_add_loop_test (tc, test_black_level, 0, G_N_ELEMENTS (blacks));
  tcase_add_test (tc, test_difference_of_joint);
  tcase_add_test (tc, test_tint);
  tcase_add_loop_test (tc, test_other_tint, 0, G_N_ELEMENTS (tints));
  tcase_add_loop_test (tc, test_green_for_a_while, 0, G_N_ELEMENTS (tints));
  tcase_add_loop_test (tc, test_flashes, 0, G_N_ELEMENTS (flashes));
  tcase_add_loop_test (tc, test_seldom_flashes, 0,
      G_N_ELEMENTS (seldom_flashes));
  tcase_add_test (tc, test_flash_area);
  tcase_add_test (tc, test_no_flash);
  tcase_add_test (tc, test_slow_flash);
  tcase_add_loop_test (tc, test_steps, 0, 2);
  tcase_add_test (tc, test_bands);
  tcase_add_test (tc, test_bands_of_light);
  tcase_add_test (tc, test_bands_in_whites);
  tcase_add_loop_test (tc, test_bands_below_white, 0, G_N_ELEMENTS (skies));
  tcase_add_test (tc, test_layers_are_no_bands);
  tcase_add_loop_test (tc, test_seldom_bands, 0, 2);
  tcase_add_test (tc, test_motion_is_no_band);
  tcase_add_loop_test (tc, test_begins_in_doubt, 0, 2);
  tcase_add_test (tc, test_light_is_no_change);
  tcase_add_test (tc, test_softer_scene);
  tcase_add_test (tc, test_defocus);
  tcase_add_loop_test (tc, test_small_things_out_of_focus, 0, 2);
  tcase_add_loop_test (tc, test_details_without_a_pattern, 0, 2);
  tcase_add_loop_test (tc, test_turn_within_layers, 0, 2);
  tcase_add_loop_test (tc, test_turn_within_views, 0, 4);
  tcase_add_loop_test (tc, test_levels_stay, 0, 2);
  tcase_add_loop_test (tc, test_rain_passes, 0, 2);
  tcase_add_test (tc, test_noise_is_not_sharp);
  tcase_add_loop_test (tc, test_noise_is_no_contents, 0, 2);
  tcase_add_test (tc, test_fog);
  tcase_add_test (tc, test_contrast_that_is_left);
  tcase_add_test (tc, test_glow);
  tcase_add_test (tc, test_between);
  tcase_add_test (tc, test_unknown_in_between);
  tcase_add_test (tc, test_shading);
  tcase_add_test (tc, test_wrong_is_not_learned);
  tcase_add_test (tc, test_doubtful_is_not_learned_soon);
  tcase_add_test (tc, test_forget);
  tcase_add_test (tc, test_gap);
  tcase_add_test (tc, test_pace);
  tcase_add_test (tc, test_sharper_for_an_hour);
  tcase_add_test (tc, test_coarse_grid);
  tcase_add_test (tc, test_two_grids);
  tcase_add_test (tc, test_hours);
  tcase_add_test (tc, test_night_is_another_scene);
  tcase_add_test (tc, test_shared_topic);
  tcase_add_test (tc, test_not_judged);
  tcase_add_test (tc, test_gradients);
  tcase_add_test (tc, test_failed);
  tcase_add_test (tc, test_evidence_is_of_one_frame);
  tcase_add_test (tc, test_huge_counts);
  tcase_add_test (tc, test_evidence);
  tcase_add_test (tc, test_conditions);
  tcase_add_test (tc, test_nobody_fetches);
  tcase_add_test (tc, test_other_exposure);
  tcase_add_test (tc, test_rules);
  tcase_add_loop_test (tc, test_times_of_rules, 0,
      G_N_ELEMENTS (times));
  tcase_add_test (tc, test_tampering_detection);
  tcase_add_loop_test (tc, test_nested_rules, 0, 4);
  tcase_add_loop_test (tc, test_bad_rules, 0, G_N_ELEMENTS (bad_rules));
  tcase_add_loop_test (tc, test_ignore_lamp, 0, G_N_ELEMENTS (lamps));
  tcase_add_test (tc, test_ignore_flashes);
  tcase_add_test (tc, test_ignore_learned);
  tcase_add_loop_test (tc, test_another_size, 0, 2);
  tcase_add_loop_test (tc, test_other_scene_of_another_size, 0, 2);
  tcase_add_test (tc, test_ignore_blurry);
  tcase_add_loop_test (tc, test_bad_ignored, 0, G_N_ELEMENTS (bad_ignored));
  tcase_add_test (tc, test_many_ignored);
  tcase_add_test (tc, test_restore);
  tcase_add_test (tc, test_deterministic);
  tcase_add_test (tc, test_reference_survives);
  tcase_add_test (tc, test_damaged);
  tcase_add_loop_test (tc, test_bad_state, 0, G_N_ELEMENTS (bad_states));
  tcase_add_test (tc, test_cut_off);
  tcase_add_test (tc, test_no_state);
  tcase_add_test (tc, test_reset);
  tcase_add_test (tc, test_threads);
  tcase_add_test (tc, test_types);
}
