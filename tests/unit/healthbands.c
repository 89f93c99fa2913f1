/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and bands: which changes of rows are bands of artificial
 * light. */
#include "healthfixture.h"

#define ROWS 64

/* The code of row @y in frame @i; @number is what the pattern says. */
typedef guint (*RowCode) (guint y, guint i, guint number);

typedef struct
{
  RowCode code;
  guint i, number;
} Rows;

static guint
code_of_row (G_GNUC_UNUSED guint x, guint y, gconstpointer data)
{
  const Rows *rows = data;

  return rows->code (y, rows->i, rows->number);
}

static void
judge_rows (RowCode code, guint i, guint number, GstClockTime time)
{
  const Rows rows = { code, i, number };

  add (make_flat (8, 1, ROWS, code_of_row, &rows));
  judge (time);
}

/* A wave that moves over the rows. */
static gdouble
wave_at (guint y, guint i, gdouble waves, gdouble speed)
{
  return sin (2 * G_PI * (waves * y / ROWS + i * speed));
}

/* Bands of a tenth of the level, while the whole picture flickers by
 * @number. */
static guint
flickering_code (guint y, guint i, guint number)
{
  return (i % 2 ? number : -number) + (guint) (120 + 12 * wave_at (y, i, 3,
          0.3));
}

/* Four and a half waves of light over rows, every other part of which is a
 * third as bright. */
static guint
lit_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  return (y / 10 % 2 ? 60 : 180) * (1 + 0.05 * wave_at (y, i, 4.5, 0.04)) + 0.5;
}

/* Stronger ones with nearly clipped whites, of which a quarter remains. */
static guint
clipped_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  const gdouble wave = wave_at (y, i, 4.5, 0.04);

  return y / 10 % 2 ? 60 * (1 + 0.15 * wave) + 0.5 :
      220 * (1 + 0.15 / 4 * wave) + 0.5;
}

/* Bands of a twentieth of the level, except in a clipped sky: 235 in @number
 * rows. */
static guint
sky_code (guint y, guint i, guint number)
{
  return y < number ? 235 : 120 * (1 + 0.05 * wave_at (y, i, 4, 0.13)) + 0.5;
}

/* Layers that each receive light, which rises and falls every two seconds: a
 * standing wave in the scene. */
static guint
layered_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  const gdouble light = sin (2 * G_PI * i * 0.02);

  return 120 * (1 + 0.06 * light * (y / 8 % 2)) + 0.5;
}

/* A wave that stands still, and rises and falls every two seconds. */
static guint
standing_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  return 120 * (1 + 0.1 * sin (2 * G_PI * i * 0.02) * wave_at (y, 0, 4, 0))
      + 0.5;
}

/* 50 Hz mains light at 30 frames a second, in three phases in turn. */
static guint
mains_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  return 120 + 12 * wave_at (y, i % 3, 3, 1 / 3.0);
}

/* An edge that moves through the picture is not a wave. */
static guint
edge_code (guint y, guint i, G_GNUC_UNUSED guint number)
{
  return y < i % ROWS ? 90 : 150;
}

/* Every @step th of @n frames is judged. */
static const struct
{
  RowCode code;
  guint number, n, step, fps;
  gboolean is_active;
  gdouble least, most;          /* values */
} bands[] = {
  {flickering_code, 40, 500, 1, 25, TRUE, 0.09, 0.125},
  {lit_code, 0, 500, 1, 25, TRUE, 0.04, 0.06},
  {clipped_code, 0, 500, 1, 25, TRUE, 0.02, 1},
  /* They are found below a sky of up to half of the picture. Below three
   * quarters, such motion may belong to the scene. */
  {sky_code, 0, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 6, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 9, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 12, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 16, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 22, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 28, 500, 1, 25, TRUE, 0.02, 1},
  {sky_code, 48, 500, 1, 25, FALSE, 0, 0.02},
  {layered_code, 0, 500, 1, 25, FALSE, 0, 0.02},
  {standing_code, 0, 500, 1, 25, FALSE, 0, 0.02},
  /* Every sixth frame has the same phase, and bands stand still. */
  {mains_code, 0, 600, 1, 30, TRUE, 0.02, 1},
  {mains_code, 0, 600, 6, 30, FALSE, 0, 0.02},
  {edge_code, 0, 500, 1, 25, FALSE, 0, 0.02},
};

GST_START_TEST (test_bands)
{
  guint i;

  gst_video_health_set_conditions (health, BIT (BANDING));
  for (i = 0; i < bands[__i__].n; i += bands[__i__].step)
    judge_rows (bands[__i__].code, i, bands[__i__].number,
        i * (GST_SECOND / bands[__i__].fps));
  fail_unless (is_judged (C (BANDING)));
  fail_unless_equals_int (is_active (C (BANDING)), bands[__i__].is_active);
  check_value (C (BANDING), bands[__i__].least, bands[__i__].most);
}

GST_END_TEST;

/* Bands that belong to the scene. */
static guint
striped_code (guint y, G_GNUC_UNUSED guint i, guint number)
{
  return number * (1 + 0.5 * sin (2 * G_PI * 3 * y / ROWS));
}

/* Switching off the light leaves the scene's own bands, darker. */
GST_START_TEST (test_other_exposure)
{
  guint i;

  for (i = 0; i < 200; i++) {
    judge_rows (striped_code, i, i < 100 ? 160 : 80, i * 40 * GST_MSECOND);
    check_value (C (BANDING), 0, 0.01);
  }
}

GST_END_TEST;

TEST_SUITE (healthbands, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_bands, 0, G_N_ELEMENTS (bands));
  tcase_add_test (tc, test_other_exposure);
}
