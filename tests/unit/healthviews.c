/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and what a view shows: which changes of levels, contents and
 * textures are another scene, a cover, a lens out of focus, or just rain. */
#include "healthfixture.h"

#include "common/random.h"

/* A cell with a level, a spread and a texture. */
typedef struct
{
  gdouble level, spread, texture;
} Cell;

static void
fill_cell (guint c, guint32 * luma, guint32 * gradient, gconstpointer data)
{
  const Cell *cell = (const Cell *) data + c;

  fill_bell (luma, cell->level, cell->spread);
  fill_bell (gradient, 0, cell->texture);
}

static void
judge_cells (const Cell * cells, GstClockTime time)
{
  add (make_cells (SIDE, WITH_GRADIENT, GST_VIDEO_COLOR_RANGE_UNKNOWN,
          fill_cell, cells));
  judge (time);
}

/* The amount of something in a column, or in a cell. */
static gdouble
part_of_column (guint column)
{
  static const gdouble parts[SIDE] = {
    0.8, 1.25, 0.9, 1.4, 0.75, 1.1, 1.3, 0.7
  };

  return parts[column % SIDE];
}

static gdouble
part_of (guint column, guint row)
{
  return part_of_column (column * (1 + row % 3) + row);
}

/* Makes a cell as it was before and is after a change. */
typedef void (*MakeCells) (guint variant, guint column, guint row,
    Cell * before, Cell * after);

/* Small things out of focus change both textures and contents, but levels stay
 * roughly the same, and nowhere is there more texture. In the other variant
 * some cells have more, and the scene is another one. */
static void
small_things (guint variant, guint column, guint row, Cell * before,
    Cell * after)
{
  *before = (Cell) {0.3 + 0.05 * row, column % 2 ? 0.08 : 0.16,
        column % 2 ? 0.06 : 0.2};
  *after = (Cell) {0.3 + 0.05 * (row ^ 2), row % 2 ? 0.04 : 0.08,
        row % 2 ? 0.015 : 0.04};
  if (variant && row < 2)
    after->texture = column % 2 ? 0.09 : 0.05;
}

/* A cloth, gravel or a lawn before the lens has the same details everywhere. In
 * the other variant there is only noise. */
static void
no_pattern (guint variant, guint column, guint row, Cell * before, Cell * after)
{
  *before = (Cell) {0.3 + 0.05 * row, column % 2 ? 0.08 : 0.16,
        (row ^ column) % 2 ? 0.02 : 0.06};
  *after = (Cell) {0.45, 0.06, variant ? 0.06 * sqrt (2) : 0.03};
}

/* The same the other way round: a lawn is learned, and the camera turned. */
static void
from_no_pattern (guint variant, guint column, guint row, Cell * before,
    Cell * after)
{
  no_pattern (variant, column, row, after, before);
  *before = (Cell) {0.45, 0.1, 0.05};
}

/* By dusk, a lamp lights a corner and the rest gets dark. In the other variant
 * the camera turns as well. */
static void
by_dusk (guint variant, guint column, guint row, Cell * before, Cell * after)
{
  const gdouble part = part_of (column, row), other = part_of (row, column);
  const gdouble light = (0.3 + 0.06 * column) * (0.8 + 0.08 * row);

  *before = (Cell) {0.5, 0.1 * part, 0.05 * part};
  *after = (Cell) {0.5 * light, 0.1 * light * (variant ? other : part),
        0.05 * light * (variant ? other : part)};
}

/* A layered view is alike from side to side. After a turn, cells differ from
 * others of their row in another way, in textures and in contents; if only
 * textures differ, things may have moved, and the camera has not. */
static void
layers (guint variant, guint column, guint row, Cell * before, Cell * after)
{
  const gdouble part = part_of_column (column);
  const gdouble other = part_of_column (column + 3);
  const gdouble spread = 0.03 * (1 + row), texture = 0.02 * (1 + row);

  *before = (Cell) {0.4 * part, spread * part, texture * part};
  *after = (Cell) {0.4 * other, spread * (variant ? part : other),
        texture * other};
}

/* Rain reduces or adds textures and contents, but the light stays where it is;
 * in another scene the light is elsewhere, too. */
static void
levels (guint variant, guint column, guint row, Cell * before, Cell * after)
{
  const gdouble part = part_of (column, row), other = part_of (row, column + 2);

  *before = (Cell) {0.4 * part, 0.1 * part, 0.08 * part};
  *after = (Cell) {0.4 * (variant ? part : other), 0.1 * other, 0.08 * other};
}

/* Views before and after a turn may have in common how they vary from top to
 * bottom, from side to side, or both. The turn is still found, because what
 * remains without these common parts is compared, too. */
static void
common_parts (guint variant, guint column, guint row, Cell * before,
    Cell * after)
{
  const gdouble alike = (variant & 1 ? 1 + row : 4) *
      (variant & 2 ? 1 + column : 4);
  const gdouble part = part_of (column, row), other = part_of (row, column);

  *before = (Cell) {0.4, 0.005 * alike * part, 0.004 * alike * part};
  *after = (Cell) {0.4, 0.005 * alike * other, 0.004 * alike * other};
}

/* Fog leaves a tenth of everything, and less of the upper rows, but what was
 * brighter still is. Paint leaves as little, and is unevenly bright itself. */
static void
fog (guint variant, guint column, guint row, Cell * before, Cell * after)
{
  const gdouble part = part_of (column, row), other = part_of (row, column + 3);
  const gdouble left = 0.06 + 0.01 * row;

  *before = (Cell) {0.4 * part, 0.1 * part, 0.06 * part};
  *after = (Cell) {0.55 - 0.01 * row + 0.4 * left * (variant ? other : part),
        0.1 * left * part, 0.06 * left * part};
}

/* Behind thin paint with holes, the view shows through: this is the usual
 * scene, although textures, contents and levels are other ones. */
static void
thin_paint (G_GNUC_UNUSED guint variant, guint column, guint row, Cell * before,
    Cell * after)
{
  const gdouble part = part_of (column, row), other = part_of (row, column + 2);

  *before = (Cell) {0.4 * part, 0.1 * part, 0.08 * part};
  *after = (Cell) {0.4 + 0.03 * (part - 1), 0.01 * other, 0.012 * other};
  if (column == row)
    *after = (Cell) {0.8, 0.1 * other, 0.08 * other};
}

/* A camera turns, and now the upper edge shows a smooth wall. In the other
 * variant only the wall is new: something covers the edge. */
static void
smooth_edge (guint variant, guint column, guint row, Cell * before,
    Cell * after)
{
  const gdouble part = part_of (column, row), other = part_of (row, column + 2);

  *before = (Cell) {0.4 * part, 0.1 * part, 0.08 * part};
  *after = *before;
  if (row == 0)
    *after = (Cell) {0.5, 0.005, 0.003};
  else if (!variant)
    *after = (Cell) {0.4 * other, 0.1 * other, 0.08 * other};
}

static const struct
{
  MakeCells make;
  guint variant;
  GstVideoHealthConditions active;
  GstVideoHealthCondition condition;
  gdouble least, most;          /* its values */
} turns[] = {
  {small_things, 0, BIT (BLURRY), C (BLURRY), 0, 0.5},
  {small_things, 1, BIT (MOVED), C (BLURRY), 0, 0.5},
  {no_pattern, 0, BIT (MOVED), C (MOVED), 0.7, 1},
  {no_pattern, 1, BIT (COVERED), C (COVERED), 0.8, 1},
  {from_no_pattern, 0, BIT (MOVED), C (MOVED), 0.7, 1},
  {by_dusk, 0, 0, C (MOVED), 0, 0.3},
  {by_dusk, 1, BIT (MOVED), C (MOVED), 0.5, 1.2},
  {layers, 0, BIT (MOVED), C (MOVED), 0.7, 1},
  {layers, 1, 0, C (MOVED), 0, 0.7},
  {levels, 0, BIT (MOVED), C (MOVED), 0.7, 1},
  {levels, 1, 0, C (MOVED), 0, 0.7},
  {fog, 0, BIT (LOW_CONTRAST), C (COVERED), 0, 0.1},
  {fog, 1, BIT (COVERED), C (COVERED), 0.8, 1},
  {thin_paint, 0, BIT (LOW_CONTRAST), C (MOVED), 0, 0},
  {smooth_edge, 0, BIT (MOVED), C (MOVED), 0.5, 1.2},
  {smooth_edge, 1, BIT (OBSTRUCTED), C (MOVED), 0, 0.5},
  {common_parts, 0, BIT (MOVED), C (MOVED), 0.5, 1},
  {common_parts, 1, BIT (MOVED), C (MOVED), 0.5, 1},
  {common_parts, 2, BIT (MOVED), C (MOVED), 0.5, 1},
  {common_parts, 3, BIT (MOVED), C (MOVED), 0.5, 1},
};

/* A minute of one view, then 25 seconds of another. */
GST_START_TEST (test_turns)
{
  Cell before[CELLS], after[CELLS];
  guint c, i;

  for (c = 0; c < CELLS; c++)
    turns[__i__].make (turns[__i__].variant, c % SIDE, c / SIDE, &before[c],
        &after[c]);
  for (i = 0; i < 85; i++)
    judge_cells (i < 60 ? before : after, i * GST_SECOND);
  fail_unless_equals_int (gst_video_health_get_active (health),
      turns[__i__].active);
  check_value (turns[__i__].condition, turns[__i__].least, turns[__i__].most);
  if (turns[__i__].active)
    fail_unless_equals_int (1u << fetch_change ().condition,
        turns[__i__].active);
  fail_if (has_change ());
}

GST_END_TEST;

/* A view at @share of the way from @before to @after. */
static void
judge_between (const Cell * before, const Cell * after, gdouble share,
    GstClockTime time)
{
  Cell cells[CELLS];
  guint c;

  for (c = 0; c < CELLS; c++) {
    cells[c].level = before[c].level * (1 - share) + after[c].level * share;
    cells[c].spread = before[c].spread * (1 - share) + after[c].spread * share;
    cells[c].texture = before[c].texture * (1 - share) +
        after[c].texture * share;
  }
  judge_cells (cells, time);
}

/* In a quarter of an hour, light comes from elsewhere until the view looks like
 * another one, and stays. A camera turns in a second, and by night, too. */
GST_START_TEST (test_slow_light)
{
  const GstClockTime step = 5 * GST_SECOND;
  Cell before[CELLS], after[CELLS];
  guint c, i;

  gst_video_health_set_conditions (health, BIT (MOVED));
  for (c = 0; c < CELLS; c++)
    levels (0, c % SIDE, c / SIDE, &before[c], &after[c]);
  for (i = 0; i < 280; i++) {
    judge_between (before, after, CLAMP (i / 180.0 - 0.2, 0, 1), i * step);
    fail_if (has_change ());
  }
  check_value (C (MOVED), 0, 0.1);
  for (c = 0; c < CELLS; c++)
    levels (0, c / SIDE, c % SIDE, &before[c], &before[c]);
  for (; i < 290; i++)
    judge_between (before, after, 0, i * step);
  fail_unless (fetch_change ().active);
}

GST_END_TEST;

/* Things that differ from frame to frame, such as rain, are not another scene,
 * even if light falls from elsewhere at the same time: over a second they
 * average out. In the other half of the runs things keep the look of the first
 * frame, as objects do. */
GST_START_TEST (test_rain_passes)
{
  Cell before[CELLS], after[CELLS];
  TestRandom random = test_random_new (7);
  guint i, c;

  gst_video_health_set_rules (health, "moved,duration=1s", NULL);
  for (c = 0; c < CELLS; c++) {
    const gdouble part = part_of (c % SIDE, c / SIDE);

    before[c] = (Cell) {0.4 * part, 0.05 * part, 0.04 * part};
  }
  for (i = 0; i < 60; i++)
    judge_cells (before, i * GST_SECOND);
  for (i = 0; i < 200; i++) {
    for (c = 0; (i == 0 || !__i__) && c < CELLS; c++) {
      const gboolean wet = test_random_once_in (&random, 2);

      after[c] = (Cell) {0.4 * part_of (c / SIDE, c % SIDE + 2),
            hypot (before[c].spread, wet ? 0.2 : 0),
            hypot (before[c].texture, wet ? 0.15 : 0)};
    }
    judge_cells (after, 60 * GST_SECOND + i * GST_SECOND / 25);
  }
  fail_unless_equals_int (is_active (C (MOVED)), __i__);
}

GST_END_TEST;

/* More noise does not hide a lens out of focus. */
GST_START_TEST (test_noise_is_not_sharp)
{
  Cell sharp[CELLS], soft[CELLS];
  guint i, c;

  for (c = 0; c < CELLS; c++) {
    const gdouble texture = c % 4 ? 0.1 : 0;

    sharp[c] = (Cell) {0.2 + 0.01 * c, 0.2, hypot (texture, 0.03)};
    soft[c] = (Cell) {0.2 + 0.01 * c, 0.2, hypot (0.4 * texture, 0.04)};
  }
  for (i = 0; i <= 60; i++)
    judge_cells (i < 60 ? sharp : soft, i * GST_SECOND);
  check_value (C (BLURRY), 0.36, 0.44);
}

GST_END_TEST;

/* Noise that looks like a little contents does not hide a cover. With more
 * contents than that, the camera is not covered, although the remaining share
 * is as small. */
GST_START_TEST (test_noise_is_no_contents)
{
  static const gdouble lefts[] = { 0.29, 0.38 };
  Cell view[CELLS], covered[CELLS];
  guint i, c;

  for (c = 0; c < CELLS; c++) {
    const gdouble level = c % 2 ? 0.3 : 0.7;

    view[c] = (Cell) {level, 0.04, 0.01};
    covered[c] = (Cell) {c / SIDE % 2 ? 0.3 : 0.7,
          hypot (0.1, lefts[__i__] * 0.04), 0.1 * G_SQRT2};
  }
  for (i = 0; i <= 60; i++)
    judge_cells (i < 60 ? view : covered, i * GST_SECOND);
  fail_unless_close (value_of (C (COVERED)), __i__ ? 0 : 1);
}

GST_END_TEST;

/* In fog, a bright sign hides from percentiles how little is left; and in half
 * of the light, a quarter of a cell's contents is no more than a quarter. */
static void
fill_sign (guint c, guint32 * luma, G_GNUC_UNUSED guint32 * gradient,
    gconstpointer data)
{
  const guint i = GPOINTER_TO_UINT (data);
  const gdouble light = i == 60 ? 0.5 : 1, left = i == 61 ? 0.28 : 1;

  luma[c < 2 ? 10 : (guint) (light * (128 - left * 64) + 0.5)] = CELL_PIXELS;
  luma[c < 2 ? 240 : (guint) (light * (128 + left * 64) + 0.5)] = CELL_PIXELS;
}

GST_START_TEST (test_contrast_that_is_left)
{
  guint i;

  for (i = 0; i < 62; i++) {
    add (make_cells (SIDE, GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
            GST_VIDEO_COLOR_RANGE_0_255, fill_sign, GUINT_TO_POINTER (i)));
    judge (i * GST_SECOND);
    if (i == 20)
      fail_unless_close (value_of (C (LOW_CONTRAST)), 1);
    else if (i == 59 || i == 60)
      fail_unless (value_of (C (LOW_CONTRAST)) > 0.95);
  }
  check_value (C (LOW_CONTRAST), 0.27, 0.29);
  fail_unless_close (value_of (C (COVERED)), 0);
}

GST_END_TEST;

static void
fill_noise (G_GNUC_UNUSED guint c, guint32 * luma, guint32 * gradient,
    G_GNUC_UNUSED gconstpointer data)
{
  fill_bell (luma, 0.5, 0.03);
  fill_bell (gradient, 0, 0.03 * sqrt (2));
}

/* A condition does not start while it cannot be judged: noise is not another
 * scene. */
GST_START_TEST (test_unknown_in_between)
{
  GstVideoHistogram *alike = make_cells (SIDE, WITH_GRADIENT,
      GST_VIDEO_COLOR_RANGE_UNKNOWN, fill_noise, NULL);
  guint i;

  show (&usual, 60);
  show (&other_scene, 2);
  for (i = 0; i < 20; i++, now += GST_SECOND) {
    gst_video_health_add_histogram (health, alike);
    judge (now);
    fail_if (is_judged (C (MOVED)));
  }
  show (&other_scene, 2);
  fail_if (is_active (C (MOVED)));
  gst_video_histogram_unref (alike);
}

GST_END_TEST;

/* A lamp makes half of the picture brighter without clipping: its parts differ
 * more, and are as sharp. */
static void
fill_glow (guint c, guint32 * luma, guint32 * gradient, gconstpointer data)
{
  const gboolean lit = GPOINTER_TO_UINT (data) && c % SIDE >= SIDE / 2;
  const guint level = lit ? 200 : 80;

  luma[level - 50] = luma[level + 50] = gradient[4] = CELL_PIXELS;
}

GST_START_TEST (test_glow)
{
  guint i;

  for (i = 0; i < 62; i++) {
    add (make_cells (SIDE, WITH_GRADIENT, GST_VIDEO_COLOR_RANGE_0_255,
            fill_glow, GUINT_TO_POINTER (i >= 60)));
    judge (i * GST_SECOND);
  }
  check_value (C (BLURRY), 0.98, 1.02);
}

GST_END_TEST;

/* The lights go out, and the camera amplifies its noise: brighter than dark
 * pixels are, and without contents. A cover in the light is as even. */
static void
fill_gain (G_GNUC_UNUSED guint c, guint32 * luma, guint32 * gradient,
    gconstpointer data)
{
  const guint level = GPOINTER_TO_UINT (data);

  luma[level - 20] = luma[level + 20] = gradient[28] = CELL_PIXELS;
}

static const struct
{
  guint level;
  GstVideoHealthCondition condition;
} evens[] = {
  {40, C (DARK)},
  {100, C (COVERED)},
};

GST_START_TEST (test_lights_out)
{
  GstVideoHistogram *even = make_cells (SIDE, WITH_GRADIENT,
      GST_VIDEO_COLOR_RANGE_0_255, fill_gain,
      GUINT_TO_POINTER (evens[__i__].level));
  GstVideoHealthChange change;

  show (&usual, 60);
  show_histogram (even, 20);
  gst_video_histogram_unref (even);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless_equals_int (change.condition, evens[__i__].condition);
}

GST_END_TEST;

/* Paint lit from one side has no contents, as long as each cell continues the
 * shading of the one before. */
static void
fill_paint (guint c, guint32 * luma, guint32 * gradient,
    G_GNUC_UNUSED gconstpointer data)
{
  guint k;

  for (k = 0; k < 25; k++)
    luma[25 + c % SIDE * 25 + k] = CELL_PIXELS / 25;
  gradient[0] = CELL_PIXELS;
}

GST_START_TEST (test_shading)
{
  show (&usual, 60);
  add (make_cells (SIDE, WITH_GRADIENT, GST_VIDEO_COLOR_RANGE_UNKNOWN,
          fill_paint, NULL));
  judge (now);
  fail_unless_close (value_of (C (COVERED)), 1);
}

GST_END_TEST;

TEST_SUITE (healthviews, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_turns, 0, G_N_ELEMENTS (turns));
  tcase_add_test (tc, test_slow_light);
  tcase_add_loop_test (tc, test_rain_passes, 0, 2);
  tcase_add_test (tc, test_noise_is_not_sharp);
  tcase_add_loop_test (tc, test_noise_is_no_contents, 0, 2);
  tcase_add_test (tc, test_contrast_that_is_left);
  tcase_add_test (tc, test_unknown_in_between);
  tcase_add_test (tc, test_glow);
  tcase_add_loop_test (tc, test_lights_out, 0, G_N_ELEMENTS (evens));
  tcase_add_test (tc, test_shading);
}
