/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and color casts: how strong a tint is, and compared with what
 * usual colors. */
#include "healthfixture.h"

typedef struct
{
  guint u, v;
} Tint;

static const Tint neutral = { 128, 128 };

/* A picture with one level and two tints, by BT.601; @share of 100 samples have
 * the first one. Returns the value of color-cast. */
static gdouble
judge_tints (guint i, Tint a, guint share, Tint b)
{
  guint32 *counts = g_new0 (guint32, 256 * 256);
  /* Half of each cell is dark, so that all cells have contents. */
  const guint32 luma[BINS] = {[52] = CELL_PIXELS,[152] = CELL_PIXELS };
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint c;

  gst_video_histogram_info_init (&info);
  info.columns = info.rows = SIDE;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  info.colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  histogram = gst_video_histogram_new (&info);
  for (c = 0; c < CELLS; c++)
    gst_video_histogram_set_counts (histogram, LUMA, c % SIDE, c / SIDE, luma,
        BINS);
  add (histogram);
  counts[a.u * 256 + a.v] = share;
  counts[b.u * 256 + b.v] += 100 - share;
  fail_unless (add_joint (GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
          gst_video_joint_histogram_new (256, 256, counts, 256 * 256)));
  g_free (counts);
  judge (i * GST_SECOND);
  return value_of (C (COLOR_CAST));
}

static gdouble
judge_tint (guint i, guint u, guint v)
{
  return judge_tints (i, (Tint) {u, v}, 100, neutral);
}

/* Luma is 102 of 255, U that of 138: blue is 1.772 * 10 higher; V of 141 makes
 * red 1.402 * 13 higher, and green is lower by what luma leaves. */
GST_START_TEST (test_tint)
{
  const gdouble blue = 102 + 1.772 * 10, red = 102 + 1.402 * 13;
  const gdouble green = (102 - 0.299 * red - 0.114 * blue) / 0.587;
  const Tint tint = { 138, 141 };

  fail_unless (fabs (judge_tint (0, tint.u, tint.v)
          - (MIN (blue, red) / green - 1)) < 1e-3);
  fail_unless_equals_string (gst_video_health_get_detail (health,
          C (COLOR_CAST)), "too magenta");
  /* The largest possible. */
  fail_unless_close (judge_tint (1, 252, 252), 1);
  /* Tints of light are red or blue, those of plants neither. */
  fail_unless_close (judge_tint (2, 108, 148), 0);
  fail_unless_close (judge_tint (3, 148, 108), 0);
  fail_unless_close (judge_tint (4, 108, 108), 0);
  /* If more than a tenth of the picture lacks a tint, that is not a cast. */
  fail_unless (judge_tints (5, tint, 91, neutral) > 0.3);
  fail_unless_close (judge_tints (6, tint, 89, neutral), 0);
}

GST_END_TEST;

/* Scenes: half in one color, half in another. */
static const Tint tints[][2] = {
  {{137, 119}, {119, 137}},     /* all colors */
  {{100, 140}, {120, 130}},     /* wood */
  {{100, 110}, {128, 128}},     /* a meadow and a road */
  {{150, 110}, {128, 120}},     /* sky */
};

/* A color with luma 102 and more red and blue. */
static Tint
raise_tint (Tint tint, gdouble more)
{
  const gdouble red = (102 + 1.402 * (tint.v - 128.0)) * (1 + more);
  const gdouble blue = (102 + 1.772 * (tint.u - 128.0)) * (1 + more);
  const gdouble luma = 102 + (0.299 * red + 0.114 * blue) * more / (1 + more);

  return (Tint) {
    .u = 128.5 + (blue - luma) / 1.772 * 102 / luma,
    .v = 128.5 + (red - luma) / 1.402 * 102 / luma,
  };
}

/* @share of the color. */
static Tint
fade (Tint tint, gdouble share)
{
  return (Tint) {
    .u = 128.5 + share * (tint.u - 128.0),
    .v = 128.5 + share * (tint.v - 128.0),
  };
}

/* 30 % more red and blue than usual is found in all scenes; less color, and
 * light of an evening, in none. */
GST_START_TEST (test_other_tint)
{
  const Tint *tint = tints[__i__];
  gdouble share, value = 0;
  guint i, k;

  for (i = 0; i < 60; i++)
    value = judge_tints (i, tint[0], 50, tint[1]);
  fail_unless (value < 0.001, "%g", value);
  for (share = 0.9; share >= 0; share -= 0.1, i++) {
    value = judge_tints (i, fade (tint[0], share), 50, fade (tint[1], share));
    fail_unless (value < 0.05, "%g of the color: %g", share, value);
  }
  for (k = 0; k < 20; k += 4, i++) {
    value = judge_tints (i, (Tint) {tint[0].u - k / 2, tint[0].v + k}, 50,
        (Tint) {tint[1].u - k / 8, tint[1].v + k / 4});
    fail_unless (value < 0.15, "%u of a sunset: %g", k, value);
  }
  fail_if (has_change ());
  for (k = 0; k < 7; k++, i++) {
    value = judge_tints (i, raise_tint (tint[0], 0.3), 50, raise_tint (tint[1],
            0.3));
    if (k == 0)
      fail_unless (fabs (value - 0.3) < 0.08, "%g", value);
  }
  fail_unless (is_active (C (COLOR_CAST)));
  /* This becomes the usual picture. */
  gst_video_health_forget (health);
  fail_if (is_active (C (COLOR_CAST)));
}

GST_END_TEST;

/* Scales the colors of luma 102 by a factor for red, and one for blue. */
static Tint
tint_by (Tint tint, gdouble by_red, gdouble by_blue)
{
  const gdouble u = 1.772 * (tint.u - 128.0), v = 1.402 * (tint.v - 128.0);
  const gdouble red = (102 + v) * by_red, blue = (102 + u) * by_blue;
  const gdouble green = 102 - 0.114 / 0.587 * u - 0.299 / 0.587 * v;
  const gdouble luma = 0.299 * red + 0.587 * green + 0.114 * blue;

  return (Tint) {
    .u = 128.5 + (blue - luma) / 1.772 * 102 / luma,
    .v = 128.5 + (red - luma) / 1.402 * 102 / luma,
  };
}

/* The hue of an infrared filter, which the mean color shows, too. */
#define MAGENTA 1

static const struct
{
  gdouble red, blue;
  const gchar *words;
} hues[] = {
  {0.7, 0.7, "too green"}, {1.3, 1.3, "too magenta"},
  {1.05, 0.7, "too yellow"}, {0.75, 1.2, "too cyan"}, {1, 1.4, "too blue"},
  {0.7, 1, "too cyan"}, {1.5, 1.05, "too red"},
};

static void
check_words (const gchar * words)
{
  gchar *sentence = gst_video_health_describe (health, C (COLOR_CAST));

  fail_unless_equals_string (gst_video_health_get_detail (health,
          C (COLOR_CAST)), words);
  fail_unless (!words || strstr (sentence, words), "%s", sentence);
  g_free (sentence);
}

/* Tints of all hues but orange are found, named and not learned. An object of
 * that color that fills more than half of the picture is no tint. */
GST_START_TEST (test_hues)
{
  const Tint *tint = tints[__i__];
  GstVideoHealthChange change;
  gdouble value = 0;
  guint i = 0, k, end;

  for (k = 0; k < G_N_ELEMENTS (hues); k++) {
    const gdouble red = hues[k].red, blue = hues[k].blue;

    gst_video_health_forget (health);
    for (end = i + 60; i < end; i++)
      judge_tints (i, tint[0], 50, tint[0]);
    for (end = i + 20; i < end; i++)
      value = judge_tints (i, tint_by (tint[0], red, blue), 60, tint[0]);
    fail_unless (k == MAGENTA || (value < 0.15 && !has_change ()),
        "hue %u, object: %g", k, value);
    gst_video_health_forget (health);
    while (gst_video_health_next_change (health, &change));
    for (end = i + 60; i < end; i++)
      judge_tints (i, tint[0], 50, tint[1]);
    for (end = i + 60; i < end; i++)
      value = judge_tints (i, tint_by (tint[0], red, blue), 50,
          tint_by (tint[1], red, blue));
    fail_unless (is_active (C (COLOR_CAST)), "hue %u: %g", k, value);
    check_words (hues[k].words);
    for (end = i + 20; i < end; i++)
      value = judge_tints (i, tint[0], 50, tint[1]);
    fail_unless (value < 0.05, "after hue %u: %g", k, value);
    check_words (NULL);
    fail_unless (gst_video_health_next_change (health, &change)
        && change.active);
    fail_if (fetch_change ().active);
  }
}

GST_END_TEST;

/* Dark parts have little of a tint, so a quartile moves less far than the mean.
 * If only the mean moves, an object has the color. */
GST_START_TEST (test_hue_of_dark_parts)
{
  const Tint bright = { 122, 126 }, dark = { 127, 128 };
  const gdouble less = __i__ ? 1 : 0.9;
  gdouble value = 0;
  guint i;

  for (i = 0; i < 60; i++)
    judge_tints (i, bright, 60, dark);
  for (; i < 80; i++)
    value = judge_tints (i, tint_by (bright, 0.65, 0.65), 60, tint_by (dark,
            less, less));
  fail_unless_equals_int (is_active (C (COLOR_CAST)), !__i__);
  fail_unless (value < 0.25, "%g", value);
}

GST_END_TEST;

/* Lamps replace the sun: the same tint is a fault only if it comes at once. */
GST_START_TEST (test_slow_tint)
{
  guint i, more;

  for (i = 0; i < 12; i++)
    judge_tint (5 * i, 118, 138);
  for (; i < 12 + 180; i++) {
    more = __i__ ? 10 : (i - 12) * 10 / 180;
    judge_tint (5 * i, 118 + more, 138 + more);
  }
  fail_unless_equals_int (is_active (C (COLOR_CAST)), __i__);
}

GST_END_TEST;

/* A camera that starts with wrong colors, or without any, and is put right: the
 * right colors are a fault for half an hour at most. */
static const struct
{
  Tint first, then;
  gboolean cast;
} starts[] = {
  {{108, 108}, {138, 118}, TRUE},       /* green */
  {{128, 128}, {138, 118}, FALSE},      /* infrared light */
};

GST_START_TEST (test_wrong_colors_at_first)
{
  const Tint first = starts[__i__].first, then = starts[__i__].then;
  guint i;

  for (i = 0; i < 600; i += i < 20 ? 1 : 5)
    judge_tint (i, first.u, first.v);
  fail_if (is_active (C (COLOR_CAST)));
  for (; i < 1200; i += i < 650 ? 1 : 5)
    judge_tint (i, then.u, then.v);
  fail_unless_equals_int (is_active (C (COLOR_CAST)), starts[__i__].cast);
  for (; i < 600 + 1900; i += 5)
    judge_tint (i, then.u, then.v);
  fail_if (is_active (C (COLOR_CAST)));
  for (; i < 600 + 1960; i += 5)
    judge_tint (i, first.u, first.v);
  fail_unless_equals_int (is_active (C (COLOR_CAST)), starts[__i__].cast);
}

GST_END_TEST;

/* A view with colors around grey. */
static void
watch (GstVideoHistogram * histogram, Tint tint, guint reach, guint seconds)
{
  for (; seconds > 0; seconds--, now += GST_SECOND) {
    gst_video_health_add_histogram (health, histogram);
    add_chroma (tint.u, tint.v, reach);
    judge (now);
  }
}

/* By day, colors that are gone are a fault. With a camera's night mode, the
 * light changes, too, even if the exposure soon makes up for it. */
static const struct
{
  const Scene *first, *scene;   /* without color, the first one for 2 s */
  gboolean lost;
} losses[] = {
  {&usual, &usual, TRUE},
  {&other_scene, &other_scene, FALSE},
  {&covered_scene, &usual, FALSE},      /* darker */
};

GST_START_TEST (test_lost_colors)
{
  const Tint tint = { 132, 120 };

  watch (get_scene (&usual), tint, 20, 120);
  watch (get_scene (losses[__i__].first), neutral, 1, 2);
  watch (get_scene (losses[__i__].scene), neutral, 1, 120);
  fail_unless_close (value_of (C (COLOR_CAST)), losses[__i__].lost);
  fail_unless_equals_int (is_active (C (COLOR_CAST)), losses[__i__].lost);
  if (losses[__i__].lost)
    check_words ("gone");
  watch (get_scene (&usual), tint, 20, 20);
  fail_if (is_active (C (COLOR_CAST)));
}

GST_END_TEST;

/* The upper row of cells is covered. */
static GstVideoHistogram *
make_hidden (void)
{
  GstVideoHistogram *hidden = gst_video_histogram_new
      (gst_video_histogram_get_info (get_scene (&usual)));
  guint c;

  for (c = 0; c < 2 * CELLS; c++) {
    const guint channel = c % 2 ? GRADIENT : LUMA;
    const guint x = c / 2 % SIDE, y = c / 2 / SIDE;

    gst_video_histogram_set_counts (hidden, channel, x, y,
        gst_video_histogram_get_cell_counts (get_scene (y == 0 ?
                &covered_scene : &usual), channel, x, y, NULL), BINS);
  }
  return hidden;
}

/* What covers a part of the view has a color of its own: colors are not known
 * from the first frame on, not only once the cover is reported. */
GST_START_TEST (test_hidden)
{
  const Tint green = { 108, 108 };
  GstVideoHistogram *hidden = make_hidden ();

  watch (get_scene (&usual), neutral, 20, 60);
  watch (hidden, green, 20, 1);
  fail_if (is_judged (C (COLOR_CAST)));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          C (COLOR_CAST)), "hidden");
  watch (hidden, green, 20, 15);
  fail_if (has_change ());
  watch (get_scene (&usual), green, 20, 10);
  fail_unless_equals_int (fetch_change ().condition, C (COLOR_CAST));
  gst_video_histogram_unref (hidden);
}

GST_END_TEST;

/* It is not said to be covered. */
GST_START_TEST (test_black)
{
  GstVideoHistogram *black = make_flat (8, SIDE, SIDE, same_code,
      GUINT_TO_POINTER (16));

  watch (get_scene (&usual), neutral, 20, 60);
  watch (black, neutral, 20, 1);
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          C (COLOR_CAST)), "too-dark");
  gst_video_histogram_unref (black);
}

GST_END_TEST;

TEST_SUITE (healthcolor, health_setup, health_teardown)
{
  tcase_add_test (tc, test_tint);
  tcase_add_loop_test (tc, test_other_tint, 0, G_N_ELEMENTS (tints));
  tcase_add_loop_test (tc, test_hues, 0, G_N_ELEMENTS (tints));
  tcase_add_loop_test (tc, test_hue_of_dark_parts, 0, 2);
  tcase_add_loop_test (tc, test_slow_tint, 0, 2);
  tcase_add_loop_test (tc, test_wrong_colors_at_first, 0,
      G_N_ELEMENTS (starts));
  tcase_add_loop_test (tc, test_lost_colors, 0, G_N_ELEMENTS (losses));
  tcase_add_test (tc, test_hidden);
  tcase_add_test (tc, test_black);
}
