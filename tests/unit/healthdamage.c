/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* corrupted finds parts of the picture that no camera sees, and nothing
 * else. */
#include "enginefixture.h"

#include <string.h>

#define WIDTH 160
#define HEIGHT 128
#define LUMA (WIDTH * HEIGHT)
#define CHROMA (LUMA / 4)
#define CAPS "video/x-raw, format=(string)I420, width=(int)160, " \
    "height=(int)128, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define SLOW_STEP (2 * GST_SECOND)
#define CORRUPTED GST_VIDEO_HEALTH_CONDITION_CORRUPTED

static GstClockTime step, now;  /* time between frames, and of the next one */

static void
setup (void)
{
  step = STEP;
  now = 0;
  engine_setup (CAPS, gst_video_health_get_default_conditions ());
}

/* The view of a camera that is turned by @dx and @dy pixels: things of
 * different brightness, with the noise of the sensor. */
static void
see_from (guint8 * pixels, guint dx, guint dy)
{
  guint x, y;

  for (y = dy; y < HEIGHT + dy; y++) {
    for (x = dx; x < WIDTH + dx; x++)
      *pixels++ = 50 + (x / 11 * 7919 + y / 9 * 104729) % 101
          + test_random_below (&numbers, 7);
  }
}

static void
see (guint8 * pixels)
{
  see_from (pixels, 0, 0);
}

/* What a decoder leaves from row @first on. */
static void
fill_grey (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 128, (HEIGHT - first) * WIDTH);
}

static void
fill_zeros (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 0, (HEIGHT - first) * WIDTH);
}

/* After JPEG, zeros are black, but their color stays. */
static void
fill_green (guint8 * pixels, guint first)
{
  guint i;

  memset (pixels + first * WIDTH, 16, (HEIGHT - first) * WIDTH);
  for (i = 0; i < 2; i++)
    memset (pixels + LUMA + i * CHROMA + first * WIDTH / 4, 0,
        CHROMA - first * WIDTH / 4);
}

static void
smear (guint8 * pixels, guint first)
{
  guint y;

  for (y = first; y < HEIGHT; y++)
    memcpy (pixels + y * WIDTH, pixels + (first - 1) * WIDTH, WIDTH);
}

/* Blocks from other places, others in each frame. */
static void
mix (guint8 * pixels, guint size)
{
  guint8 *copy = g_memdup2 (pixels, WIDTH * HEIGHT);
  guint i, y;

  for (i = 0; i < WIDTH * HEIGHT / size / size / 6; i++) {
    const guint to_x = test_random_below (&numbers, WIDTH - size);
    const guint to_y = test_random_below (&numbers, HEIGHT - size);
    const guint x = test_random_below (&numbers, WIDTH - size);
    const guint from_y = test_random_below (&numbers, HEIGHT - size);

    for (y = 0; y < size; y++)
      memcpy (pixels + (to_y + y) * WIDTH + to_x,
          copy + (from_y + y) * WIDTH + x, size);
  }
  g_free (copy);
}

/* Strips of @size rows that are shifted, differently in each frame. */
static void
tear (guint8 * pixels, guint size)
{
  guint8 row[WIDTH];
  guint y, by = 0;

  for (y = 0; y < HEIGHT; y++) {
    if (y % size == 0)
      by = test_random_below (&numbers, WIDTH / 2);
    memcpy (row, pixels + by, WIDTH - by);
    memcpy (row + WIDTH - by, pixels, by);
    memcpy (pixels, row, WIDTH);
    pixels += WIDTH;
  }
}

/* A picture that rolls by @size rows from frame to frame. */
static void
roll (guint8 * pixels, guint size)
{
  const guint by = n_frames * size % HEIGHT * WIDTH;
  guint8 *copy = g_memdup2 (pixels, WIDTH * HEIGHT);

  memcpy (pixels, copy + by, WIDTH * HEIGHT - by);
  memcpy (pixels + WIDTH * HEIGHT - by, copy, by);
  g_free (copy);
}

/* The camera swings by up to @reach pixels. */
static void
swing (guint8 * pixels, guint reach)
{
  see_from (pixels, n_frames * 7 % reach, n_frames * 5 % reach);
}

/* The camera turns by @step pixels from frame to frame. */
static void
turn (guint8 * pixels, guint step)
{
  see_from (pixels, n_frames * step, 0);
}

/* A lamp goes on and off. */
static void
flash (guint8 * pixels, guint share)
{
  guint i;

  for (i = 0; n_frames % 2 && i < WIDTH * HEIGHT; i++)
    pixels[i] += (220 - pixels[i]) * share / 100;
}

/* The exposure swings between the usual one and @share % of it, with which most
 * of the view clips. */
static void
hunt (guint8 * pixels, guint share)
{
  guint i;

  for (i = 0; n_frames / 10 % 2 && i < LUMA; i++)
    pixels[i] = MIN (16 + (pixels[i] - 16) * share / 100, 235);
}

/* Snow of @share %, different in each frame. */
static void
snow (guint8 * pixels, guint share)
{
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = (pixels[i] * (100 - share)
        + (16 + test_random_below (&numbers, 220)) * share) / 100;
}

/* Somebody who is @size pixels wide and high walks by. */
static void
walk (guint8 * pixels, guint size)
{
  const guint x = ABS ((gint) (n_frames * 5 % (2 * size)) - (gint) size);
  guint y;

  for (y = HEIGHT - size; y < HEIGHT; y++)
    memset (pixels + y * WIDTH + x, 40, size);
}

/* What a camera sees from row @first on. */
static void
cover (guint8 * pixels, guint first)
{
  guint x, y;

  for (y = first; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = 100 + (y - first) / 8
          + test_random_below (&numbers, 7);
  }
}

/* A smooth wall, after a coder that leaves nothing of the noise. */
static void
wall (guint8 * pixels, guint first)
{
  guint x, y;

  for (y = first; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = x < WIDTH * 3 / 8 ? 121 : 120;
  }
}

static void
overexpose (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 235, (HEIGHT - first) * WIDTH);
}

static void
darken (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 16, (HEIGHT - first) * WIDTH);
}

/* No light, and a coder that leaves nothing of the noise. */
static void
lose_light (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 40, (HEIGHT - first) * WIDTH);
}

/* A twelfth of the light is left; shapes that are upright stay so. */
static void
dim (guint8 * pixels, guint first)
{
  guint x, y;

  for (y = first; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = 18 + x / 8;
  }
}

typedef void (*Change) (guint8 * pixels, guint n);

/* Judges frames for @seconds. @change may be NULL. Returns the value of
 * corrupted. */
static gdouble
judge (Change change, guint n, guint seconds)
{
  gdouble value = 0;
  guint i;

  for (i = 0; i < seconds * GST_SECOND / step; i++) {
    guint8 *pixels = g_malloc (LUMA + 2 * CHROMA);
    GstBuffer *buffer = gst_buffer_new_wrapped (pixels, LUMA + 2 * CHROMA);

    see (pixels);
    memset (pixels + LUMA, 128, 2 * CHROMA);
    if (change)
      change (pixels, n);
    gst_video_health_add_corrupted (health, FALSE);
    engine_judge (buffer, now);
    n_frames++;
    now += step;
  }
  fail_unless (gst_video_health_get_value (health, CORRUPTED, &value));
  return value;
}

static void
check_change (gboolean active)
{
  GstVideoHealthChange change;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, CORRUPTED);
  fail_unless_equals_int (change.active, active);
  fail_if (gst_video_health_next_change (health, &change));
}

/* @n: see the changes. */
static const struct
{
  Change change;
  guint n;
  const gchar *place;
} damage[] = {
  {fill_grey, HEIGHT / 2, "the lower half"},
  {fill_zeros, HEIGHT / 2, "the lower half"},
  {fill_green, HEIGHT / 2, "the lower half"},
  {smear, HEIGHT / 2, "the lower half"},
  {fill_grey, HEIGHT * 5 / 8 + 3, "the lower third"},
  {smear, HEIGHT / 4 + 1, "the lower two thirds"},
  {fill_grey, 0, "most of the view"},
  {mix, 16, NULL},
  {tear, 11, NULL},
  {roll, 13, NULL},
};

/* The damage is one alarm, which says where it is and ends with it. */
GST_START_TEST (test_damage)
{
  GstVideoHealthChange change;
  gdouble value;

  fail_unless (judge (NULL, 0, 40) == 0);
  fail_if (gst_video_health_next_change (health, &change));
  value = judge (damage[__i__].change, damage[__i__].n, 30);
  fail_unless (value > 0.5, "%g", value);
  fail_unless_equals_string (gst_video_health_get_detail (health, CORRUPTED),
      damage[__i__].place);
  check_change (TRUE);
  fail_unless (judge (NULL, 0, 40) < 0.01);
  fail_if (gst_video_health_get_detail (health, CORRUPTED));
  check_change (FALSE);
}

GST_END_TEST;

static const struct
{
  Change change;
  guint n;
} harmless[] = {
  {cover, 0},
  {cover, HEIGHT / 2},
  {wall, 0},
  {wall, HEIGHT / 2},
  {overexpose, HEIGHT / 2},
  {darken, HEIGHT / 2},
  {lose_light, 0},
  {dim, 0},
  {smear, HEIGHT * 15 / 16},
  {swing, 8},
  {turn, 3},
  {flash, 70},
  {hunt, 400},
  {walk, HEIGHT / 2},
  {snow, 100},
};

/* The change itself may look like damage for a moment. */
GST_START_TEST (test_harmless)
{
  GstVideoHealthChange change;
  gdouble value;

  fail_unless (judge (NULL, 0, 40) == 0);
  gst_video_health_set_conditions (health,
      GST_VIDEO_HEALTH_CONDITIONS_CORRUPTED
      | GST_VIDEO_HEALTH_CONDITIONS_NOISY);
  value = judge (harmless[__i__].change, harmless[__i__].n, 30);
  fail_unless (value < 0.1, "%g", value);
  fail_if (gst_video_health_next_change (health, &change)
      && change.condition == CORRUPTED);
}

GST_END_TEST;

/* A privacy mask was there when the view was learned. */
GST_START_TEST (test_mask)
{
  GstVideoHealthChange change;

  fail_unless (judge (fill_grey, HEIGHT / 2, 60) == 0);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

/* Another view in each frame, below the same bright sky */
static void
film (guint8 * pixels, guint range)
{
  guint i;

  see_from (pixels, test_random_below (&numbers, range),
      test_random_below (&numbers, range));
  for (i = 0; i < WIDTH * HEIGHT / 3; i++)
    pixels[i] += 70;
}

/* A film, or a camera on a vehicle, has no usual view to fall apart from. */
GST_START_TEST (test_no_view)
{
  GstVideoHealthChange change;

  fail_unless (judge (film, 1000, 300) == 0);
  fail_if (gst_video_health_next_change (health, &change)
      && change.condition == CORRUPTED);
}

GST_END_TEST;

/* Between two frames that are far apart, the whole picture may change. Equal
 * rows show in a single frame. */
GST_START_TEST (test_key_frames)
{
  step = SLOW_STEP;
  fail_unless (judge (NULL, 0, 60) == 0);
  fail_unless (judge (mix, 16, 60) == 0);
  fail_unless (judge (smear, HEIGHT / 2, 60) > 0.9);
}

GST_END_TEST;

TEST_SUITE (healthdamage, setup, engine_teardown)
{
  tcase_add_loop_test (tc, test_damage, 0, G_N_ELEMENTS (damage));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_mask);
  tcase_add_test (tc, test_no_view);
  tcase_add_test (tc, test_key_frames);
}
