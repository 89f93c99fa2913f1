/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthfixture.h"

#include "common/random.h"

#define BELL_PIXELS 50000

GstVideoHealth *health;
GstClockTime now;

const Scene usual = { 1, 1, 1, FALSE };
const Scene other_scene = { 2, 1, 1, FALSE };
const Scene covered_scene = { 1, 1, 1, TRUE };

void
health_setup (void)
{
  health = gst_video_health_new ();
  now = 0;
}

void
health_teardown (void)
{
  g_object_unref (health);
}

void
health_renew (void)
{
  health_teardown ();
  health_setup ();
}

void
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

GstVideoHistogram *
make_cells (guint side, GstVideoHistogramChannels channels,
    GstVideoColorRange range, FillCell fill, gconstpointer data)
{
  const gboolean has_gradient = channels != GST_VIDEO_HISTOGRAM_CHANNELS_LUMA;
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint c;

  gst_video_histogram_info_init (&info);
  info.channels = channels;
  info.bins = BINS;
  info.columns = info.rows = side;
  info.colorimetry.range = range;
  histogram = gst_video_histogram_new (&info);
  for (c = 0; c < side * side; c++) {
    guint32 luma[BINS] = { 0, }, gradient[BINS] = { 0, };

    fill (c, luma, has_gradient ? gradient : NULL, data);
    gst_video_histogram_set_counts (histogram, LUMA, c % side, c / side, luma,
        BINS);
    if (has_gradient)
      gst_video_histogram_set_counts (histogram, GRADIENT, c % side, c / side,
          gradient, BINS);
  }
  return histogram;
}

typedef struct
{
  const Scene *scene;
  TestRandom *random, *other;
} SceneFill;

static void
fill_scene (G_GNUC_UNUSED guint c, guint32 * luma, guint32 * gradient,
    gconstpointer data)
{
  const SceneFill *fill = data;
  const Scene *scene = fill->scene;
  const gdouble level = 0.2 + test_random_below (fill->random, 60) / 100.0;
  const gdouble spread = 0.05 + test_random_below (fill->random, 10) / 100.0;
  const gdouble own = exp (test_random_below (fill->random, 30) / 10.0);
  const gdouble texture = 0.05 * spread * (scene->textures ?
      exp (test_random_below (fill->other, 30) / 10.0) : own);

  /* A covered cell has only noise, in which neighbors differ. */
  if (scene->covered) {
    fill_bell (luma, 0.4, 0.03);
    fill_bell (gradient, 0, 0.03 * sqrt (2));
  } else {
    fill_bell (luma, 0.5 + scene->contrast * (level - 0.5),
        scene->contrast * spread);
    fill_bell (gradient, 0, scene->contrast * scene->sharpness * texture);
  }
}

typedef struct
{
  Scene scene;
  GstVideoHistogram *histogram;
} KnownScene;

GstVideoHistogram *
get_scene (const Scene * scene)
{
  static GArray *known;
  TestRandom random = test_random_new (scene->seed);
  TestRandom other = test_random_new (scene->textures);
  const SceneFill fill = { scene, &random, &other };
  KnownScene new = { *scene, NULL };
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
  new.histogram = make_cells (scene->side ? scene->side : SIDE, WITH_GRADIENT,
      GST_VIDEO_COLOR_RANGE_UNKNOWN, fill_scene, &fill);
  g_array_append_val (known, new);
  return new.histogram;
}

GstVideoHistogram *
make_halves (const Scene * upper, const Scene * lower, gdouble part)
{
  GstVideoHistogram *with = get_scene (upper), *below = get_scene (lower);
  GstVideoHistogram *halves =
      gst_video_histogram_new (gst_video_histogram_get_info (with));
  guint32 counts[BINS];
  guint c, b;

  for (c = 0; c < 2 * CELLS; c++) {
    const guint channel = c % 2 ? GRADIENT : LUMA;
    const guint x = c / 2 % SIDE, y = c / 2 / SIDE;

    memcpy (counts, gst_video_histogram_get_cell_counts (y < SIDE / 2 ? with :
            below, channel, x, y, NULL), sizeof (counts));
    for (b = 0; b < BINS; b++)
      counts[b] *= part;
    gst_video_histogram_set_counts (halves, channel, x, y, counts, BINS);
  }
  return halves;
}

GstVideoHistogram *
make_flat (guint depth, guint columns, guint rows,
    guint (*code_of) (guint x, guint y, gconstpointer data), gconstpointer data)
{
  const guint bins = 1 << depth;
  guint32 *counts = g_new0 (guint32, bins);
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint c;

  gst_video_histogram_info_init (&info);
  info.depth = depth;
  info.bins = bins;
  info.columns = columns;
  info.rows = rows;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  histogram = gst_video_histogram_new (&info);
  for (c = 0; c < columns * rows; c++) {
    const guint x = c % columns, y = c / columns, code = code_of (x, y, data);

    counts[code] = CELL_PIXELS;
    gst_video_histogram_set_counts (histogram, LUMA, x, y, counts, bins);
    counts[code] = 0;
  }
  g_free (counts);
  return histogram;
}

guint
same_code (G_GNUC_UNUSED guint x, G_GNUC_UNUSED guint y, gconstpointer data)
{
  return GPOINTER_TO_UINT (data);
}

GstVideoHistogram *
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

GstVideoJointHistogram *
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

void
judge (GstClockTime time)
{
  gst_video_health_judge (health, time, GST_CLOCK_TIME_NONE);
}

void
add (GstVideoHistogram * histogram)
{
  fail_unless (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
}

void
add_luma (gboolean bad, guint bin)
{
  add (make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, bin, bad ? 1 : 0.3));
}

void
add_scene (const Scene * scene)
{
  add (gst_video_histogram_ref (get_scene (scene)));
}

gboolean
add_joint (GstVideoHistogramJoint kind, GstVideoJointHistogram * joint)
{
  const gboolean accepted = gst_video_health_add_joint (health, kind, joint);

  gst_video_joint_histogram_unref (joint);
  return accepted;
}

void
add_chroma (guint u, guint v, guint reach)
{
  fail_unless (add_joint (GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
          make_chroma (64, u, v, reach)));
}

void
judge_difference (gdouble difference, guint ms)
{
  fail_unless (gst_video_health_add_difference (health, difference));
  judge (ms * GST_MSECOND);
}

static guint
band_code (G_GNUC_UNUSED guint x, guint y, gconstpointer data)
{
  return 120 + 12 * sin (2 * G_PI * (3 * y / 64.0 +
          GPOINTER_TO_UINT (data) * 0.3));
}

void
add_bands (gboolean bad, guint i)
{
  add (make_flat (8, 1, 64, bad ? band_code : same_code,
          GUINT_TO_POINTER (bad ? i : 120)));
}

static void
show_at_times (GstVideoHistogram * histogram, guint seconds,
    GstClockTime real_time)
{
  guint i;

  for (i = 0; i < seconds; i++, now += GST_SECOND) {
    fail_unless (gst_video_health_add_histogram (health, histogram));
    gst_video_health_judge (health, now, real_time);
  }
}

void
show (const Scene * scene, guint seconds)
{
  show_at_times (get_scene (scene), seconds, GST_CLOCK_TIME_NONE);
}

void
show_histogram (GstVideoHistogram * histogram, guint seconds)
{
  show_at_times (histogram, seconds, GST_CLOCK_TIME_NONE);
}

void
show_at (const Scene * scene, guint seconds, GstClockTime real_time)
{
  show_at_times (get_scene (scene), seconds, real_time);
}

void
feed_any (guint i)
{
  TestRandom random = test_random_new (i);
  const guint kind = i / 40 % 5;
  const Scene scene = { 1 + (kind == 3), 1, kind == 2 ? 0.2 : 1, kind == 4 };

  add_scene (&scene);
  add_chroma (128, 128, i / 20 % 2 ? 1 : 20);
  gst_video_health_add_difference (health, kind == 1 ? 0 : 0.1);
  add_bands (kind == 0, i);
  if (test_random_once_in (&random, 10))
    gst_video_health_tick (health, (i + 6) * GST_SECOND);
  gst_video_health_judge (health, i * GST_SECOND, i * 600 * GST_SECOND);
}

gdouble
value_of (GstVideoHealthCondition condition)
{
  gdouble value;

  return gst_video_health_get_value (health, condition, &value) ? value : NAN;
}

gboolean
is_active (GstVideoHealthCondition condition)
{
  return (gst_video_health_get_active (health) & 1u << condition) != 0;
}

gboolean
is_judged (GstVideoHealthCondition condition)
{
  return (gst_video_health_get_judged (health) & 1u << condition) != 0;
}

gboolean
has_change (void)
{
  GstVideoHealthChange change;

  return gst_video_health_next_change (health, &change);
}

GstVideoHealthChange
fetch_change (void)
{
  GstVideoHealthChange change, none;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_if (gst_video_health_next_change (health, &none));
  fail_unless (none.topic == NULL);
  return change;
}

void
check_value (GstVideoHealthCondition condition, gdouble least, gdouble most)
{
  const gdouble value = value_of (condition);

  fail_unless (value >= least, "%s is %g, less than %g",
      gst_video_health_condition_get_name (condition), value, least);
  fail_unless (value <= most, "%s is %g, more than %g",
      gst_video_health_condition_get_name (condition), value, most);
}

/* @message with the names of all conditions, to be freed. */
static gchar *
name_conditions (const gchar * message)
{
  gchar **pieces = g_strsplit (message, CONDITIONS, -1);
  const gchar *names[N + 1] = { NULL };
  gchar *list, *text;
  guint i;

  for (i = 0; i < N; i++)
    names[i] = gst_video_health_condition_get_name (i);
  list = g_strjoinv (", ", (gchar **) names);
  text = g_strjoinv (list, pieces);
  g_strfreev (pieces);
  g_free (list);
  return text;
}

void
check_parse_error (GError * error, const gchar * message)
{
  gchar *expected = name_conditions (message);

  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  fail_unless_equals_string (error->message, expected);
  g_free (expected);
  g_error_free (error);
}
