/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* glare finds light that shines into the lens, and no bright things. */
#include "healthfixture.h"

#define GLARE C (GLARE)

/* The parts of a cell are so much brighter and darker, as a share. */
#define CONTENTS 0.15

/* What is bright in the view. */
typedef struct
{
  gdouble power, size;          /* of a lamp, in levels and cells */
  guint first, last;            /* rows and columns of something white; 0, 0:
                                 * nothing */
  gdouble exposure;             /* factor for the rest */
  gdouble lit;                  /* by how much a lamp in the view brightens the
                                 * place below it, as a share */
} Bright;

static guint
code_of (guint c, gdouble share, const Bright * bright)
{
  const guint x = c % SIDE, y = c / SIDE;
  const gdouble dx = x - 2.3, dy = y - 4.4;
  const gdouble usual = (0.2 + 0.06 * ((x * 3 + y * 5) % 7)) * share;
  gdouble near, level = usual;

  if (bright) {
    near = exp (-(dx * dx + dy * dy) / (bright->size * bright->size));
    level = bright->exposure * usual * (1 + bright->lit * near)
        + bright->power * near;
  }
  if (bright && bright->last > 0 && x >= bright->first && x <= bright->last
      && y >= bright->first && y <= bright->last)
    level = 0.95;
  return CLAMP (level * 255, 0, 255);
}

static void
fill_view (guint c, guint32 * luma, G_GNUC_UNUSED guint32 * gradient,
    gconstpointer data)
{
  luma[code_of (c, 1 - CONTENTS, data)] += CELL_PIXELS / 2;
  luma[code_of (c, 1 + CONTENTS, data)] += CELL_PIXELS / 2;
}

static void
watch (const Bright * bright, guint seconds)
{
  GstVideoHistogram *histogram = make_cells (SIDE,
      GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, GST_VIDEO_COLOR_RANGE_0_255,
      fill_view, bright);

  show_histogram (histogram, seconds);
  gst_video_histogram_unref (histogram);
}

static const Bright glares[] = {
  {1, 1.2, 0, 0, 0.9},          /* the sun, or a lamp far away */
  {3, 2, 0, 0, 0.4},            /* a torch */
};

GST_START_TEST (test_glare)
{
  GstVideoHealthChange change;

  gst_video_health_set_conditions (health, BIT (GLARE));
  watch (NULL, 60);
  watch (&glares[__i__], 20);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless_equals_uint64 (change.time - change.since, 8 * GST_SECOND);
  fail_unless_equals_string (gst_video_health_get_detail (health, GLARE),
      "the lower left part");
  watch (NULL, 20);
  fail_unless (!fetch_change ().active);
}

GST_END_TEST;

static const struct
{
  Bright bright;
  guint seconds;
} harmless[] = {
  {{0, 1, 2, 4, 0.9}, 60},      /* a white truck that parks */
  {{3, 2, 0, 0, 0.4}, 6},       /* headlights that pass */
  {{0, 1, 0, 0, 1.5}, 60},      /* more light */
  {{0, 2, 0, 0, 1, 0.8}, 60},   /* a lamp that lights a part of the view */
};

GST_START_TEST (test_harmless)
{
  gst_video_health_set_conditions (health, BIT (GLARE));
  watch (NULL, 60);
  watch (&harmless[__i__].bright, harmless[__i__].seconds);
  watch (NULL, 20);
  fail_if (has_change ());
}

GST_END_TEST;

TEST_SUITE (healthglare, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_glare, 0, G_N_ELEMENTS (glares));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
}
