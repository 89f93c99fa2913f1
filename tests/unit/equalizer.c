/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoEqualizer on the CPU: it does the same as OpenCV, leaves the right
 * frames alone, its curve follows the frames, it checks histograms from
 * elsewhere, and refuses invalid input. tests/unit/equalizesweep.c covers every
 * format, tests/python/equalize-opencv.py many more pictures against OpenCV. */
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/counts.h"
#include "common/memory.h"
#include "common/pending.h"
#include "common/random.h"
#include "common/suite.h"
#include "opencvvectors.h"

#define METHOD(id) GST_VIDEO_EQUALIZE_METHOD_##id
#define FRAME_TIME (40 * GST_MSECOND)
#define WIDTH 64
#define HEIGHT 48
#define PIXELS (WIDTH * HEIGHT)
#define GRAY "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define GRAY16 "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=25/1"
#define NV12 "video/x-raw,format=NV12,width=64,height=48,framerate=25/1"
#define NV12_SIZE (PIXELS * 3 / 2)

static GstVideoEqualizer *equalizer;
static GstVideoEqualizerSettings settings;

static void
setup (void)
{
  equalizer = gst_video_equalizer_new ();
  gst_video_equalizer_open (equalizer, -1, NULL, NULL);
  gst_video_equalizer_settings_init (&settings);
  settings.smoothing = 0;
}

static void
teardown (void)
{
  fail_unless_equals_int (G_OBJECT (equalizer)->ref_count, 1);
  g_object_unref (equalizer);
}

/* Fails unless @error, which it frees, has this code and says @why. */
static void
check_error (GError * error, GstVideoHistogramError code, const gchar * why)
{
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, code), "%s",
      error ? error->message : "no error");
  fail_unless (strstr (error->message, why) != NULL, "%s", error->message);
  g_error_free (error);
}

static void
configure (const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GError *error = NULL;

  fail_unless (gst_video_equalizer_configure (equalizer, caps, &error), "%s",
      error ? error->message : "");
  gst_caps_unref (caps);
}

static void
set_method (GstVideoEqualizeMethod method)
{
  settings.method = method;
  gst_video_equalizer_set_settings (equalizer, &settings, NULL);
}

static void
process (GstBuffer * in, GstBuffer * out)
{
  GError *error = NULL;

  fail_unless (gst_video_equalizer_process (equalizer, in, out, &error), "%s",
      error ? error->message : "");
}

/* Corrects a frame of @size bytes in place, or into a buffer filled with other
 * bytes. */
static void
correct_to (gconstpointer in, gpointer out, gsize size, GstClockTime time,
    gboolean in_place)
{
  GstBuffer *buffer = test_buffer_guarded (in, size);
  GstBuffer *target = buffer;

  if (!in_place) {
    memset (out, 0xa5, size);
    target = test_buffer_guarded (out, size);
  }
  GST_BUFFER_PTS (buffer) = time;
  process (buffer, target);
  fail_unless_equals_int (gst_buffer_extract (target, 0, out, size), size);
  if (!in_place) {
    fail_unless (gst_buffer_memcmp (buffer, 0, in, size) == 0,
        "the frame itself changed");
    gst_buffer_unref (target);
  }
  gst_buffer_unref (buffer);
}

static void
correct (gconstpointer in, gpointer out, gsize size)
{
  correct_to (in, out, size, GST_CLOCK_TIME_NONE, TRUE);
}

static void
check_bytes (const guint8 * got, const guint8 * wanted, gsize size)
{
  gsize i;

  for (i = 0; i < size; i++) {
    if (got[i] != wanted[i])
      fail ("byte %" G_GSIZE_FORMAT ": %u, not %u", i, got[i], wanted[i]);
  }
}

static void
check_vector (const guint8 * wanted)
{
  guint8 out[VECTORS_WIDTH * VECTORS_HEIGHT];
  gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY8,width=%d,height=%d,"
      "framerate=0/1", VECTORS_WIDTH, VECTORS_HEIGHT);
  gboolean in_place;

  configure (caps);
  for (in_place = FALSE; in_place <= TRUE; in_place++) {
    correct_to (vectors_picture, out, sizeof (out), GST_CLOCK_TIME_NONE,
        in_place);
    check_bytes (out, wanted, sizeof (out));
  }
  g_free (caps);
}

GST_START_TEST (test_opencv)
{
  set_method (METHOD (EQUALIZE));
  check_vector (vectors_equalized);

  settings.tile_columns = settings.tile_rows = 2;
  settings.clip_limit = 40;
  set_method (METHOD (CLAHE));
  check_vector (vectors_clahe_2x2);

  settings.tile_columns = 3;
  settings.tile_rows = 4;
  settings.clip_limit = 2;
  set_method (METHOD (CLAHE));
  check_vector (vectors_clahe_3x4);

  settings.tile_columns = settings.tile_rows = 8;
  settings.clip_limit = 0;
  set_method (METHOD (CLAHE));
  check_vector (vectors_clahe_8x8);
}

GST_END_TEST;

/* A histogram of 8-bit pixels, half of them @a and half @b. */
static GstVideoHistogram *
two_values (guint a, guint b)
{
  return TEST_COUNTS (256, a, 50, b, 50);
}

/* Noise around a level: @spread values from @least. */
static void
fill_noise (guint8 * frame, gsize size, guint seed, guint least, guint spread)
{
  TestRandom random = test_random_new (seed);
  gsize i;

  for (i = 0; i < size; i++)
    frame[i] = least + test_random_below (&random, spread);
}

static void
give_reference (void)
{
  GstVideoHistogram *reference = two_values (30, 200);

  gst_video_equalizer_set_reference (equalizer, reference, NULL);
  gst_video_histogram_unref (reference);
}

/* Frames with a single code value pass unchanged, whatever came before, and so
 * does their color. */
GST_START_TEST (test_constant)
{
  static const guint lumas[] = { 0, 7, 16, 100, 235, 255 };
  guint8 noise[NV12_SIZE], frame[NV12_SIZE], out[NV12_SIZE];
  guint method, i;

  fill_noise (noise, sizeof (noise), 1, 20, 60);
  give_reference ();
  configure (NV12);
  settings.smoothing = GST_SECOND / 2;
  for (method = METHOD (EQUALIZE); method <= METHOD (CLAHE); method++) {
    set_method (method);
    for (i = 0; i < G_N_ELEMENTS (lumas); i++) {
      correct (noise, out, sizeof (out));
      fail_if (memcmp (out, noise, PIXELS) == 0, "method %u does nothing",
          method);
      memset (frame, lumas[i], PIXELS);
      memcpy (frame + PIXELS, noise, sizeof (frame) - PIXELS);
      correct (frame, out, sizeof (out));
      check_bytes (out, frame, sizeof (out));
    }
  }
}

GST_END_TEST;

/* All levels below black are the same code value to the curve: black. */
GST_START_TEST (test_constant_below_black)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];

  fill_noise (frame, sizeof (frame), 2, 0, 17);
  configure (NV12);
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));
}

GST_END_TEST;

GST_START_TEST (test_nothing_to_do)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  guint method;
  gboolean in_place;

  fill_noise (frame, sizeof (frame), 3, 0, 256);
  configure (NV12);
  for (in_place = FALSE; in_place <= TRUE; in_place++) {
    settings.strength = 0;
    for (method = METHOD (NONE); method <= METHOD (CLAHE); method++) {
      set_method (method);
      correct_to (frame, out, sizeof (out), 0, in_place);
      check_bytes (out, frame, sizeof (out));
    }
    settings.strength = 1;
    set_method (METHOD (NONE));
    correct_to (frame, out, sizeof (out), 0, in_place);
    check_bytes (out, frame, sizeof (out));
    /* No reference is set. */
    set_method (METHOD (MATCH));
    correct_to (frame, out, sizeof (out), 0, in_place);
    check_bytes (out, frame, sizeof (out));
  }
  fail_unless_equals_uint64 (gst_video_equalizer_get_counted (equalizer), 0);
}

GST_END_TEST;

GST_START_TEST (test_strength)
{
  guint8 frame[PIXELS], whole[PIXELS], half[PIXELS];
  guint i;

  fill_noise (frame, sizeof (frame), 4, 50, 30);
  configure (GRAY);
  set_method (METHOD (EQUALIZE));
  correct (frame, whole, sizeof (whole));
  settings.strength = 0.5;
  set_method (METHOD (EQUALIZE));
  correct (frame, half, sizeof (half));
  for (i = 0; i < PIXELS; i++)
    fail_unless_equals_int (half[i], (frame[i] + whole[i] + 1) / 2);
}

GST_END_TEST;

/* Limited range stays limited, and all of it is used. */
GST_START_TEST (test_range)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  guint method, i;

  fill_noise (frame, sizeof (frame), 5, 0, 256);
  give_reference ();
  configure (NV12);
  for (method = METHOD (EQUALIZE); method <= METHOD (CLAHE); method++) {
    set_method (method);
    correct (frame, out, sizeof (out));
    for (i = 0; i < PIXELS; i++) {
      fail_unless (out[i] >= 16 && out[i] <= 235, "method %u: %u of %u", method,
          out[i], frame[i]);
    }
  }

  fill_noise (frame, sizeof (frame), 5, 90, 20);
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  for (i = 0; i < PIXELS; i++) {
    fail_unless (frame[i] != 90 || out[i] == 16);
    fail_unless (frame[i] != 109 || out[i] == 235);
  }
}

GST_END_TEST;

/* Bars of color from dark to bright; all pixels of a chroma sample are alike,
 * and dark ones prevail. */
static void
fill_nv12_colors (guint8 * frame)
{
  guint x, y;

  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++) {
      frame[y * WIDTH + x] = 16 + (x / 2) * (x / 2) * 219 / 1024;
      if (y % 2 == 0) {
        const gdouble angle = y / 2 * 2 * G_PI / (HEIGHT / 2);

        frame[PIXELS + y / 2 * WIDTH + x] = rint (128 + 60 *
            (x % 2 ? sin (angle) : cos (angle)));
      }
    }
  }
}

/* The difference of two angles in degrees, 0 to 180. */
static gdouble
angle_between (gdouble a, gdouble b)
{
  const gdouble difference = fmod (fabs (a - b), 360);

  return MIN (difference, 360 - difference);
}

/* Hue stays, up to the rounding of U and V. */
GST_START_TEST (test_hue_nv12)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  gdouble worst = 0, most = 0;
  guint i;

  fill_nv12_colors (frame);
  configure (NV12);
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  for (i = PIXELS; i < NV12_SIZE; i += 2) {
    const gdouble u = frame[i] - 128.0, v = frame[i + 1] - 128.0;
    const gdouble new_u = out[i] - 128.0, new_v = out[i + 1] - 128.0;
    const gdouble saturation = hypot (new_u, new_v);

    fail_unless (fabs (new_u) <= 112 && fabs (new_v) <= 112);
    most = MAX (most, saturation / hypot (u, v));
    if (saturation >= 30) {
      worst = MAX (worst, angle_between (atan2 (v, u) * 180 / G_PI,
              atan2 (new_v, new_u) * 180 / G_PI));
    }
  }
  GST_INFO ("hue off by %.2f degrees at most", worst);
  fail_unless (most > 1.5, "%f", most);
  /* asin (sqrt (0.5) / 30) */
  fail_unless (worst <= 1.36, "%f degrees", worst);

  settings.color = GST_VIDEO_EQUALIZE_COLOR_KEEP;
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  check_bytes (out + PIXELS, frame + PIXELS, NV12_SIZE - PIXELS);
}

GST_END_TEST;

/* HSV hue in degrees. */
static gdouble
hue_of (const guint8 * rgb)
{
  const gint most = MAX (MAX (rgb[0], rgb[1]), rgb[2]);
  const gint least = MIN (MIN (rgb[0], rgb[1]), rgb[2]);
  const gdouble width = most - least;

  if (most == rgb[0])
    return 60 * (rgb[1] - rgb[2]) / width;
  if (most == rgb[1])
    return 120 + 60 * (rgb[2] - rgb[0]) / width;
  return 240 + 60 * (rgb[0] - rgb[1]) / width;
}

static gint
chroma_of (const guint8 * rgb)
{
  return MAX (MAX (rgb[0], rgb[1]), rgb[2]) -
      MIN (MIN (rgb[0], rgb[1]), rgb[2]);
}

/* The largest change of hue among pixels that are still saturated. */
static gdouble
turn_rgb (const guint8 * frame, GstVideoEqualizeColor color)
{
  guint8 out[3 * PIXELS];
  gboolean changed = FALSE;
  gdouble worst = 0;
  guint i;

  settings.color = color;
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  for (i = 0; i < sizeof (out); i += 3) {
    changed |= memcmp (frame + i, out + i, 3) != 0;
    if (chroma_of (frame + i) >= 30 && chroma_of (out + i) >= 60)
      worst = MAX (worst, angle_between (hue_of (frame + i), hue_of (out + i)));
  }
  fail_unless (changed);
  return worst;
}

GST_START_TEST (test_hue_rgb)
{
  guint8 frame[3 * PIXELS];
  gdouble worst;
  guint i;

  fill_noise (frame, sizeof (frame), 6, 0, 256);
  for (i = 0; i < sizeof (frame); i++)
    frame[i] = frame[i] * (i / 3 % WIDTH + 1) / WIDTH;
  configure ("video/x-raw,format=RGB,width=64,height=48,framerate=25/1");

  worst = turn_rgb (frame, GST_VIDEO_EQUALIZE_COLOR_SCALE);
  GST_INFO ("hue off by %.2f degrees at most", worst);
  /* Two of the three are off by half a code value, in a width of 60. */
  fail_unless (worst <= 1.5, "%f degrees", worst);
  worst = turn_rgb (frame, GST_VIDEO_EQUALIZE_COLOR_KEEP);
  fail_unless (worst <= 1e-9, "%f degrees", worst);
  /* The other modes exist because this one changes hues. */
  worst = turn_rgb (frame, GST_VIDEO_EQUALIZE_COLOR_CHANNELS);
  fail_unless (worst > 5, "%f degrees", worst);
}

GST_END_TEST;

/* Gray RGB changes exactly like gray, from black to white. */
GST_START_TEST (test_grey_rgb)
{
  guint8 grey[PIXELS], wanted[PIXELS], rgb[3 * PIXELS], out[3 * PIXELS];
  guint method, color, i;

  fill_noise (grey, sizeof (grey), 22, 0, 40);
  for (i = 0; i < sizeof (rgb); i++)
    rgb[i] = grey[i / 3];
  give_reference ();
  for (method = METHOD (EQUALIZE); method <= METHOD (CLAHE); method++) {
    set_method (method);
    configure (GRAY);
    correct (grey, wanted, sizeof (wanted));
    configure ("video/x-raw,format=RGB,width=64,height=48,framerate=25/1");
    for (color = GST_VIDEO_EQUALIZE_COLOR_SCALE;
        color <= GST_VIDEO_EQUALIZE_COLOR_CHANNELS; color++) {
      settings.color = color;
      set_method (method);
      correct (rgb, out, sizeof (out));
      for (i = 0; i < sizeof (out); i++)
        fail_unless_equals_int (out[i], wanted[i / 3]);
    }
  }
}

GST_END_TEST;

/* If luma stays, so does color, even in black. */
GST_START_TEST (test_color_in_black)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  guint i;

  fill_noise (frame, sizeof (frame), 7, 100, 50);
  for (i = 0; i < PIXELS; i++)
    frame[i] = i / WIDTH < HEIGHT / 2 ? 16 : 235;
  configure (NV12);
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));
}

GST_END_TEST;

/* Corrects frame @number of a stream. */
static void
correct_at (const guint8 * frame, guint8 * out, gsize size, guint number)
{
  correct_to (frame, out, size, number * FRAME_TIME, TRUE);
}

/* The largest difference of any pixel. */
static guint
most_different (const guint8 * a, const guint8 * b, gsize size)
{
  guint most = 0;
  gsize i;

  for (i = 0; i < size; i++)
    most = MAX (most, ABS (a[i] - b[i]));
  return most;
}

static const GstVideoEqualizeMethod methods_of_flash[] = {
  METHOD (EQUALIZE), METHOD (CLAHE),
};

/* A bright frame has a curve of its own, and does not affect the curve of the
 * others. */
GST_START_TEST (test_flash)
{
  guint8 frame[PIXELS], flash[PIXELS], before[PIXELS], alone[PIXELS];
  guint8 out[PIXELS];
  guint i;

  fill_noise (frame, sizeof (frame), 8, 40, 60);
  fill_noise (flash, sizeof (flash), 9, 200, 50);
  configure (GRAY);
  settings.smoothing = GST_SECOND;
  set_method (methods_of_flash[__i__]);
  correct (flash, alone, sizeof (alone));
  gst_video_equalizer_reset (equalizer);
  for (i = 0; i < 15; i++)
    correct_at (frame, before, sizeof (before), i);
  for (; i < 30; i += 2) {
    correct_at (flash, out, sizeof (out), i);
    check_bytes (out, alone, sizeof (out));
    correct_at (frame, out, sizeof (out), i + 1);
    check_bytes (out, before, sizeof (out));
  }

  /* Also without a time constant. */
  settings.smoothing = 0;
  set_method (methods_of_flash[__i__]);
  correct (frame, before, sizeof (before));
  correct (flash, out, sizeof (out));
  check_bytes (out, alone, sizeof (out));
  correct (frame, out, sizeof (out));
  check_bytes (out, before, sizeof (out));
}

GST_END_TEST;

/* Each frame of a scene has the same curve as when it is alone, including the
 * first, even if scenes are a frame long. */
GST_START_TEST (test_cut)
{
  guint8 scene[3][PIXELS], alone[3][PIXELS], out[PIXELS];
  guint i, n = 0;

  for (i = 0; i < 3; i++)
    fill_noise (scene[i], sizeof (scene[i]), 10 + i, 20 + 70 * i, 40);
  configure (GRAY);
  settings.smoothing = 5 * GST_SECOND;
  set_method (methods_of_flash[__i__]);
  for (i = 0; i < 3; i++) {
    gst_video_equalizer_reset (equalizer);
    correct (scene[i], alone[i], sizeof (alone[i]));
  }

  gst_video_equalizer_reset (equalizer);
  for (i = 0; i < 24; i++) {
    const guint which = i < 15 ? i / 5 : i % 3;

    correct_at (scene[which], out, sizeof (out), n++);
    check_bytes (out, alone[which], sizeof (out));
  }

  /* With this threshold nothing counts as another scene. */
  settings.scene_threshold = 1;
  set_method (methods_of_flash[__i__]);
  for (i = 0; i < 10; i++)
    correct_at (scene[0], out, sizeof (out), n++);
  fail_unless (most_different (out, alone[0], PIXELS) > 20);
}

GST_END_TEST;

/* A picture with the same levels in other places: its columns in reverse
 * order. */
static void
mirror (const guint8 * frame, guint8 * mirrored)
{
  guint x, y;

  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      mirrored[y * WIDTH + x] = frame[y * WIDTH + WIDTH - 1 - x];
  }
}

/* The same picture in other light, @percent of it. */
static void
light (const guint8 * frame, guint8 * lit, guint percent)
{
  guint i;

  for (i = 0; i < PIXELS; i++)
    lit[i] = MIN (frame[i] * percent / 100, 255);
}

/* Another picture with the same mean, whose levels are at the ends. */
static void
polarize (const guint8 * frame, guint8 * out)
{
  guint i;

  for (i = 0; i < PIXELS; i++)
    out[i] = frame[i] < 100 ? 78 : 121;
}

typedef struct
{
  GstVideoEqualizeMethod method;
  const gchar *change;
  guint percent;                /* light in percent */
  gboolean is_cut;
} Change;

static const Change changes[] = {
  {METHOD (CLAHE), "mirrored", 0, TRUE},
  {METHOD (CLAHE), "lit", 85, FALSE},
  {METHOD (CLAHE), "lit", 115, FALSE},
  {METHOD (EQUALIZE), "polarized", 0, TRUE},
  {METHOD (GAMMA), "polarized", 0, TRUE},
  {METHOD (EQUALIZE), "lit", 85, FALSE},
  {METHOD (EQUALIZE), "lit", 115, FALSE},
};

/* Cuts are found between pictures with equal histograms, or with histograms
 * that differ by less than scene-threshold; other light is not a cut. */
GST_START_TEST (test_small_changes)
{
  const Change *change = &changes[__i__];
  guint8 frame[PIXELS], other[PIXELS], alone[PIXELS], out[PIXELS];
  guint i, x;

  /* Darker on the left than on the right. */
  fill_noise (frame, sizeof (frame), 21, 60, 20);
  for (i = 0; i < PIXELS; i++) {
    x = i % WIDTH;
    frame[i] += x * 60 / WIDTH;
  }
  if (g_str_equal (change->change, "mirrored"))
    mirror (frame, other);
  else if (g_str_equal (change->change, "lit"))
    light (frame, other, change->percent);
  else
    polarize (frame, other);
  configure (GRAY);
  settings.smoothing = 5 * GST_SECOND;
  settings.target = 0.6;
  set_method (change->method);
  correct (other, alone, sizeof (alone));

  gst_video_equalizer_reset (equalizer);
  for (i = 0; i < 10; i++)
    correct_at (frame, out, sizeof (out), i);
  correct_at (other, out, sizeof (out), i);
  fail_unless ((memcmp (out, alone, sizeof (out)) == 0) == change->is_cut,
      "%s", change->change);
}

GST_END_TEST;

/* In a picture that always moves, frames do not each get a curve of their own:
 * usual motion is not a cut. */
GST_START_TEST (test_motion)
{
  guint8 frame[PIXELS], moved[PIXELS], alone[PIXELS], out[PIXELS];
  guint i, x, own = 0;

  configure (GRAY);
  settings.smoothing = 5 * GST_SECOND;
  set_method (METHOD (CLAHE));
  for (x = 0; x < PIXELS; x++)
    frame[x] = 60 + 120 * (x % WIDTH / (WIDTH / 4) % 2) + x / WIDTH % 7;
  for (i = 0; i < 40; i++) {
    for (x = 0; x < PIXELS; x++)
      moved[x] = frame[x / WIDTH * WIDTH + (x + 2 * i) % WIDTH];
    correct_at (moved, out, sizeof (out), i);
    if (i < 8)
      continue;
    {
      GstVideoEqualizer *stream = equalizer;

      equalizer = gst_video_equalizer_new ();
      fail_unless (gst_video_equalizer_open (equalizer, -1, NULL, NULL));
      configure (GRAY);
      set_method (METHOD (CLAHE));
      correct (moved, alone, sizeof (alone));
      g_object_unref (equalizer);
      equalizer = stream;
    }
    own += memcmp (out, alone, sizeof (out)) == 0;
  }
  fail_unless_equals_int (own, 0);
}

GST_END_TEST;

/* From the first frame of a new scene, the curve continues smoothly. */
GST_START_TEST (test_after_cut)
{
  guint8 first[PIXELS], second[PIXELS], third[PIXELS];
  guint8 alone[PIXELS], out[PIXELS];
  guint most;

  fill_noise (first, sizeof (first), 10, 20, 40);
  fill_noise (second, sizeof (second), 11, 140, 60);
  fill_noise (third, sizeof (third), 12, 150, 60);
  configure (GRAY);
  settings.smoothing = 5 * GST_SECOND;
  set_method (METHOD (EQUALIZE));
  correct (third, alone, sizeof (alone));
  gst_video_equalizer_reset (equalizer);
  correct_at (first, out, sizeof (out), 0);
  correct_at (second, out, sizeof (out), 1);
  correct_at (third, out, sizeof (out), 2);
  most = most_different (out, alone, PIXELS);
  fail_unless (most > 10, "%u", most);
}

GST_END_TEST;

/* With a region, luma and color outside of it stay, and the inside is corrected
 * as a frame of it alone would be. */
GST_START_TEST (test_region)
{
  const guint x = 10, y = 6, width = 40, height = 30;
  guint8 frame[NV12_SIZE], out[NV12_SIZE], part[40 * 30 * 3 / 2];
  guint8 wanted[40 * 30 * 3 / 2];
  guint method, row;

  fill_noise (frame, sizeof (frame), 7, 60, 90);
  for (row = 0; row < height * 3 / 2; row++) {
    const guint from = row < height ? (y + row) * WIDTH :
        PIXELS + (y / 2 + row - height) * WIDTH;

    memcpy (part + row * width, frame + from + x, width);
  }
  give_reference ();
  for (method = METHOD (EQUALIZE); method <= METHOD (CLAHE); method++) {
    settings.region_x = settings.region_y = 0;
    settings.region_width = settings.region_height = 0;
    configure ("video/x-raw,format=NV12,width=40,height=30,framerate=25/1");
    set_method (method);
    correct (part, wanted, sizeof (wanted));

    settings.region_x = x;
    settings.region_y = y;
    settings.region_width = width;
    settings.region_height = height;
    configure (NV12);
    set_method (method);
    correct (frame, out, sizeof (out));
    for (row = 0; row < HEIGHT * 3 / 2; row++) {
      const guint top = row < HEIGHT ? y : HEIGHT + y / 2;
      const guint end = top + (row < HEIGHT ? height : height / 2);
      const guint inner = row < HEIGHT ? row - y : height + row - top;
      guint8 *expected = frame + row * WIDTH;

      if (row >= top && row < end)
        memcpy (expected + x, wanted + inner * width, width);
      check_bytes (out + row * WIDTH, expected, WIDTH);
      if (row >= top && row < end)
        memcpy (expected + x, part + inner * width, width);
    }
  }
}

GST_END_TEST;

/* A chroma sample shared by pixels inside and outside stays. */
GST_START_TEST (test_region_that_shares_chroma)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  guint i;

  fill_noise (frame, sizeof (frame), 7, 60, 90);
  settings.region_x = 11;
  settings.region_y = 7;
  settings.region_width = 21;   /* to 32 */
  settings.region_height = 10;  /* to 17 */
  configure (NV12);
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  for (i = PIXELS; i < NV12_SIZE; i++) {
    const guint column = (i - PIXELS) % WIDTH / 2;
    const guint row = (i - PIXELS) / WIDTH;

    if (column < 6 || column >= 16 || row < 4 || row >= 8)
      fail_unless_equals_int (out[i], frame[i]);
  }
  fail_if (memcmp (out + PIXELS, frame + PIXELS, NV12_SIZE - PIXELS) == 0);
}

GST_END_TEST;

/* A region outside the picture is an error; of a region that extends beyond it,
 * the part inside is corrected. */
GST_START_TEST (test_region_outside)
{
  guint8 frame[PIXELS], out[PIXELS];
  GstBuffer *buffer;
  GError *error = NULL;

  fill_noise (frame, sizeof (frame), 7, 60, 90);
  configure (GRAY);
  settings.region_x = WIDTH;
  set_method (METHOD (EQUALIZE));
  buffer = test_buffer_guarded (frame, sizeof (frame));
  fail_if (gst_video_equalizer_process (equalizer, buffer, buffer, &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_SPEC, "");
  gst_buffer_unref (buffer);

  settings.region_x = WIDTH - 3;
  settings.region_width = settings.region_height = 1000;
  set_method (METHOD (EQUALIZE));
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, WIDTH - 3);
  fail_if (memcmp (out, frame, sizeof (out)) == 0);
}

GST_END_TEST;

/* Stretching takes 0x8000 to white in the first of two 16-bit frames and half
 * way in the second: the first value of the second frame shows the share of its
 * curve. */
static gdouble
measure_share (GstClockTime first, GstClockTime second, GstClockTime duration)
{
  guint16 frame[PIXELS], out[PIXELS];
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < PIXELS; i++)
    frame[i] = GUINT16_TO_LE (i % 2 ? 0x4000 : 0x8000);
  correct_to (frame, out, sizeof (out), first, TRUE);
  fail_unless_equals_int (GUINT16_FROM_LE (out[1]), 0);

  frame[7] = GUINT16_TO_LE (0xc000);
  buffer = test_buffer_guarded (frame, sizeof (frame));
  GST_BUFFER_PTS (buffer) = second;
  GST_BUFFER_DURATION (buffer) = duration;
  process (buffer, buffer);
  gst_buffer_extract (buffer, 0, out, sizeof (out));
  gst_buffer_unref (buffer);
  return (0xfff0 - GUINT16_FROM_LE (out[0])) / (gdouble) (0xfff0 / 2);
}

static void
prepare_share (gdouble smoothing)
{
  settings.smoothing = smoothing * GST_SECOND;
  settings.low_percentile = 0;
  settings.high_percentile = 100;
  settings.max_gain = 100;
  set_method (METHOD (STRETCH));
}

/* @seconds is the effective time between the two frames. */
static void
check_share (gdouble seconds, GstClockTime first, GstClockTime second,
    GstClockTime duration)
{
  const gdouble wanted = 1 - exp (-seconds * GST_SECOND / settings.smoothing);
  gdouble share;

  gst_video_equalizer_reset (equalizer);
  share = measure_share (first, second, duration);
  fail_unless (fabs (share - wanted) < 1e-4, "%f, not %f", share, wanted);
}

GST_START_TEST (test_time_constant)
{
  const GstClockTime none = GST_CLOCK_TIME_NONE;

  configure (GRAY16);
  prepare_share (0.25);
  check_share (0.04, 0, 40 * GST_MSECOND, none);
  check_share (0.5, GST_SECOND, 1500 * GST_MSECOND, 3);
  /* Without times, or with times that do not increase, the duration is used;
   * without that, the frame rate in the caps. */
  check_share (0.02, none, none, 20 * GST_MSECOND);
  check_share (0.02, none, GST_SECOND, 20 * GST_MSECOND);
  check_share (0.02, GST_SECOND, GST_SECOND, 20 * GST_MSECOND);
  check_share (0.02, GST_SECOND, 0, 20 * GST_MSECOND);
  check_share (0.04, none, none, none);
  check_share (0.04, none, none, 0);
  configure ("video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=50/1");
  check_share (0.02, none, none, none);
  configure ("video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=0/1");
  check_share (0.04, none, none, none);

  prepare_share (10);
  check_share (0.04, 0, 40 * GST_MSECOND, none);
  prepare_share (0);
  check_share (1000, 0, 40 * GST_MSECOND, none);
}

GST_END_TEST;

/* Which changes start a new stream, and which continue it. */
GST_START_TEST (test_state)
{
  guint8 dark[PIXELS], bright[PIXELS], alone[PIXELS], out[PIXELS];

  fill_noise (dark, sizeof (dark), 12, 20, 60);
  fill_noise (bright, sizeof (bright), 13, 40, 60);
  configure (GRAY);
  set_method (METHOD (EQUALIZE));
  correct (bright, alone, sizeof (alone));
  settings.smoothing = 10 * GST_SECOND;

#define CHECK_STATE(begins_afresh, change) \
  G_STMT_START { \
    set_method (METHOD (EQUALIZE)); \
    gst_video_equalizer_reset (equalizer); \
    correct (dark, out, sizeof (out)); \
    change; \
    correct (bright, out, sizeof (out)); \
    fail_unless ((memcmp (out, alone, sizeof (out)) == 0) == begins_afresh, \
        #change); \
  } G_STMT_END

  CHECK_STATE (FALSE, (void) 0);
  CHECK_STATE (TRUE, gst_video_equalizer_reset (equalizer));
  CHECK_STATE (TRUE, configure (GRAY));
  CHECK_STATE (FALSE, settings.max_gain = 5;
      set_method (METHOD (EQUALIZE)));
  CHECK_STATE (TRUE, set_method (METHOD (GAMMA));
      correct (dark, out, sizeof (out));
      set_method (METHOD (EQUALIZE)));
  /* Only one method has tiles. */
  CHECK_STATE (FALSE, settings.tile_columns = 5;
      set_method (METHOD (EQUALIZE)));
  CHECK_STATE (FALSE, give_reference ());

  settings.smoothing = 0;
  settings.tile_columns = 3;
  set_method (METHOD (CLAHE));
  correct (bright, alone, sizeof (alone));
  settings.smoothing = 10 * GST_SECOND;
  gst_video_equalizer_reset (equalizer);
  set_method (METHOD (CLAHE));
  correct (dark, out, sizeof (out));
  correct (bright, out, sizeof (out));
  fail_unless (memcmp (out, alone, sizeof (out)) != 0);
  settings.tile_columns = 4;
  set_method (METHOD (CLAHE));
  correct (dark, out, sizeof (out));
  settings.tile_columns = 3;
  set_method (METHOD (CLAHE));
  correct (bright, out, sizeof (out));
  check_bytes (out, alone, sizeof (out));
}

GST_END_TEST;

static void
set_counts_reference (GstVideoHistogram * reference)
{
  gst_video_equalizer_set_reference (equalizer, reference, NULL);
  gst_video_histogram_unref (reference);
  set_method (METHOD (MATCH));
}

/* Corrects a frame in which each of @values is equally frequent, and checks the
 * result. */
static void
check_match (const guint8 * values, const guint8 * wanted, guint n)
{
  guint8 frame[PIXELS], out[PIXELS];
  guint i;

  for (i = 0; i < PIXELS; i++)
    frame[i] = values[i % n];
  correct (frame, out, sizeof (out));
  for (i = 0; i < n; i++)
    fail_unless (out[i] == wanted[i], "%u: %u, not %u", values[i], out[i],
        wanted[i]);
}

GST_START_TEST (test_match)
{
  const guint full[] = { 0, 50, 255, 50 };
  const guint limited[] = { 10, 25, 16, 25, 235, 50 };
  const guint8 values[] = { 70, 80, 90, 100 };

  configure (GRAY);
  /* Half black, half white in the frame's range, whatever the range of the
   * reference. */
  set_counts_reference (test_counts_new (GST_VIDEO_FORMAT_GRAY8, 8,
          GST_VIDEO_COLOR_RANGE_0_255, 256, full, 4));
  check_match (values, (const guint8[]) {0, 0, 255, 255}, 4);
  set_counts_reference (test_counts_new (GST_VIDEO_FORMAT_I420, 8,
          GST_VIDEO_COLOR_RANGE_16_235, 256, limited, 6));
  check_match (values, (const guint8[]) {0, 0, 255, 255}, 4);
  configure ("video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1,"
      "colorimetry=2:4:0:0");
  check_match (values, (const guint8[]) {16, 16, 235, 235}, 4);
  set_counts_reference (test_counts_new (GST_VIDEO_FORMAT_GRAY8, 8,
          GST_VIDEO_COLOR_RANGE_0_255, 256, full, 4));
  check_match (values, (const guint8[]) {16, 16, 235, 235}, 4);

  /* Other bins: their counts are spread over the levels of each. */
  configure (GRAY);
  set_counts_reference (test_counts_new (GST_VIDEO_FORMAT_GRAY10_LE32, 10,
          GST_VIDEO_COLOR_RANGE_0_255, 1024, (const guint[]) {
          80, 10, 120, 10, 160, 10, 1023, 10}, 8));
  check_match (values, (const guint8[]) {20, 30, 40, 255}, 4);
  set_counts_reference (TEST_COUNTS (16, 3, 100));
  check_match (values, (const guint8[]) {51, 55, 59, 63}, 4);
}

GST_END_TEST;

/* With the frame itself as reference nothing changes. */
GST_START_TEST (test_match_itself)
{
  guint8 frame[PIXELS], out[PIXELS];
  guint32 counts[256] = { 0, };
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 256, PIXELS);
  GstVideoHistogram *reference = gst_video_histogram_new (&info);
  guint i;

  fill_noise (frame, sizeof (frame), 14, 3, 200);
  for (i = 0; i < PIXELS; i++)
    counts[frame[i]]++;
  gst_video_histogram_set_counts (reference, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA,
      0, 0, counts, 256);
  configure (GRAY);
  set_counts_reference (reference);
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));

  /* Also without a histogram on the frame. */
  give_reference ();
  correct (frame, out, sizeof (out));
  fail_unless (memcmp (out, frame, sizeof (out)) != 0);
  gst_video_equalizer_set_reference (equalizer, NULL, NULL);
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));
}

GST_END_TEST;

/* A histogram without luma, or without pixels, is not a valid reference. */
GST_START_TEST (test_no_reference)
{
  guint8 frame[PIXELS], out[PIXELS];
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_RGB, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 256, PIXELS);

  fill_noise (frame, sizeof (frame), 15, 3, 200);
  configure (GRAY);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RED;
  set_counts_reference (gst_video_histogram_new (&info));
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));
  set_counts_reference (TEST_COUNTS (256, 0, 0));
  correct (frame, out, sizeof (out));
  check_bytes (out, frame, sizeof (out));
}

GST_END_TEST;

/* The histogram attached to a frame. */

typedef struct
{
  GstVideoHistogramSpec spec;
  const gchar *caps;
  guint height;                 /* height in a video meta with rows of 64
                                 * pixels */
  guint crop_width;             /* width in a crop meta from 0, 0; 0: none */
} Count;

static void
init_count (Count * count)
{
  *count = (Count) {
    .caps = GRAY,
    .height = HEIGHT,
  };
  gst_video_histogram_spec_init (&count->spec);
}

/* A noise frame with the meta that @count describes. */
static GstBuffer *
make_counted (const Count * count)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_from_string (count->caps);
  GstVideoHistogram *histogram;
  GstBuffer *buffer;
  guint8 frame[PIXELS];

  fill_noise (frame, sizeof (frame), 16, 30, 90);
  buffer = test_buffer_guarded (frame, sizeof (frame));
  if (count->crop_width > 0) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->width = count->crop_width;
    crop->height = count->height;
  }
  if (count->crop_width > 0 || count->height != HEIGHT) {
    gst_buffer_add_video_meta (buffer, 0, GST_VIDEO_FORMAT_GRAY8, WIDTH,
        count->height);
  }
  gst_video_histogram_engine_open (engine, GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1,
      NULL, NULL);
  fail_unless (gst_video_histogram_engine_configure (engine, caps,
          &count->spec, NULL));
  histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, TRUE,
      NULL);
  fail_unless (histogram != NULL);
  gst_video_histogram_unref (histogram);
  gst_caps_unref (caps);
  g_object_unref (engine);
  return buffer;
}

/* Corrects @buffer, which it takes, into a new one; returns whether its meta
 * was used. */
static gboolean
uses_meta (GstBuffer * buffer)
{
  const guint64 before = gst_video_equalizer_get_counted (equalizer);
  GstBuffer *out = gst_buffer_new_allocate (NULL, PIXELS, NULL);
  guint8 wanted[PIXELS], got[PIXELS];
  guint64 after;

  process (buffer, out);
  after = gst_video_equalizer_get_counted (equalizer);
  fail_unless (after == before || after == before + 1);
  gst_buffer_extract (out, 0, got, PIXELS);
  gst_buffer_unref (out);

  gst_buffer_extract (buffer, 0, wanted, PIXELS);
  gst_buffer_unref (buffer);
  correct (wanted, wanted, PIXELS);
  check_bytes (got, wanted, PIXELS);
  return after == before;
}

GST_START_TEST (test_meta)
{
  GstBuffer *buffer, *copy;
  Count count;

  configure (GRAY);
  set_method (METHOD (EQUALIZE));
  init_count (&count);
  fail_unless (uses_meta (make_counted (&count)));
  /* Other channels do not matter, nor does a second meta. */
  count.spec.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_RED;
  fail_unless (uses_meta (make_counted (&count)));

  /* A copy that shares the memory has the same pixels. */
  buffer = make_counted (&count);
  copy = gst_buffer_copy (buffer);
  gst_buffer_unref (buffer);
  fail_unless (uses_meta (copy));

  /* Also in place; afterwards the meta belongs to pixels that have changed. */
  buffer = make_counted (&count);
  process (buffer, buffer);
  fail_unless (!uses_meta (buffer));
}

GST_END_TEST;

/* Histograms of other counts; all but the one with the tiles' cells are not
 * used. */
static const struct
{
  guint channels, bins, columns, rows, region_width, region_y;  /* 0: default */
  const gchar *caps;
  guint tile_columns, tile_rows;        /* 0: not for clahe */
  gboolean used;
} other_counts[] = {
  {.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RED},
  {.bins = 128},
  {.columns = 2},
  {.region_width = WIDTH - 1},
  {.region_y = 1},
  {.caps = "video/x-raw,format=GRAY8,width=48,height=64,framerate=25/1"},
  {.caps = GRAY ",colorimetry=2:4:0:0"},
  {.columns = 3,.rows = 2,.tile_columns = 3,.tile_rows = 2,.used = TRUE},
  {.columns = 3,.rows = 3,.tile_columns = 3,.tile_rows = 2},
};

GST_START_TEST (test_meta_of_other_counts)
{
  Count count;

#define SET(field) if (other_counts[__i__].field) \
    count.spec.field = other_counts[__i__].field
  init_count (&count);
  SET (channels);
  SET (bins);
  SET (columns);
  SET (rows);
  SET (region_width);
  SET (region_y);
  if (other_counts[__i__].caps)
    count.caps = other_counts[__i__].caps;
  if (other_counts[__i__].tile_columns) {
    settings.tile_columns = other_counts[__i__].tile_columns;
    settings.tile_rows = other_counts[__i__].tile_rows;
  }
  configure (GRAY);
  set_method (other_counts[__i__].tile_columns ? METHOD (CLAHE) :
      METHOD (EQUALIZE));
  fail_unless (uses_meta (make_counted (&count)) == other_counts[__i__].used);
}

GST_END_TEST;

static GstBuffer *
make_other (GstBufferCopyFlags flags, GstMemory * memory)
{
  Count count;
  GstBuffer *buffer, *other = gst_buffer_new ();

  init_count (&count);
  buffer = make_counted (&count);
  if (memory)
    gst_buffer_append_memory (other, memory);
  gst_buffer_copy_into (other, buffer, flags, 0, -1);
  gst_buffer_unref (buffer);
  return other;
}

/* A histogram of pixels elsewhere is not used: the meta may have been kept by a
 * scaler, a converter or a filter in between. */
GST_START_TEST (test_meta_of_other_pixels)
{
  guint8 noise[2 * PIXELS];
  GstBuffer *buffer, *copy;
  GstMemory *memory;
  Count count;

  configure (GRAY);
  set_method (METHOD (EQUALIZE));
  init_count (&count);
  fill_noise (noise, sizeof (noise), 17, 0, 200);
  memory = test_memory_guarded (noise, PIXELS, FALSE, 0);

  buffer = make_other (GST_BUFFER_COPY_META, gst_memory_ref (memory));
  fail_unless (gst_buffer_get_video_histogram_meta (buffer) != NULL);
  fail_unless (!uses_meta (buffer));
  fail_unless (!uses_meta (make_other (GST_BUFFER_COPY_META |
              GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_DEEP, NULL)));

  buffer = make_counted (&count);
  gst_buffer_replace_all_memory (buffer, gst_memory_ref (memory));
  fail_unless (!uses_meta (buffer));

  /* A new memory at the address of the one that was counted: the meta was
   * detached from that on its way through the buffer in between. */
  buffer = make_counted (&count);
  copy = gst_buffer_new ();
  gst_buffer_append_memory (copy, gst_memory_ref (memory));
  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_META, 0, -1);
  gst_buffer_replace_all_memory (copy, gst_buffer_get_memory (buffer, 0));
  gst_buffer_unref (buffer);
  fail_unless (!uses_meta (copy));

  gst_memory_unref (memory);
}

GST_END_TEST;

/* Corrects @buffer, which it takes, in place; returns whether it had to
 * count. */
static gboolean
has_to_count (GstBuffer * buffer)
{
  const guint64 before = gst_video_equalizer_get_counted (equalizer);

  process (buffer, buffer);
  gst_buffer_unref (buffer);
  return gst_video_equalizer_get_counted (equalizer) == before + 1;
}

/* The same memory, but another part of it. */
GST_START_TEST (test_meta_of_another_part)
{
  GstBuffer *buffer;
  Count count;

  init_count (&count);
  set_method (METHOD (EQUALIZE));
  count.crop_width = 63;
  count.caps = "video/x-raw,format=GRAY8,width=63,height=48,framerate=25/1";
  configure (count.caps);
  fail_unless (!has_to_count (make_counted (&count)));
  buffer = make_counted (&count);
  gst_buffer_get_video_crop_meta (buffer)->x = 1;
  fail_unless (has_to_count (buffer));

  init_count (&count);
  count.height = 23;
  count.caps = "video/x-raw,format=GRAY8,width=64,height=23,framerate=25/1";
  configure (count.caps);
  fail_unless (!has_to_count (make_counted (&count)));
  buffer = make_counted (&count);
  gst_buffer_get_video_meta (buffer)->stride[0] = 2 * WIDTH;
  fail_unless (has_to_count (buffer));
  buffer = make_counted (&count);
  gst_buffer_get_video_meta (buffer)->offset[0] = WIDTH;
  fail_unless (has_to_count (buffer));
  buffer = make_counted (&count);
  gst_memory_resize (gst_buffer_peek_memory (buffer, 0), WIDTH,
      PIXELS - WIDTH);
  fail_unless (has_to_count (buffer));
}

GST_END_TEST;

/* A frame of 12 pixels, whose meta has a histogram like its own, but with the
 * state in @job. */
static GstBuffer *
make_pending (TestJob * job)
{
  static const VhPendingFuncs funcs = { test_job_poll, test_job_release };
  GstVideoHistogram *histogram;
  GstVideoHistogramMeta *meta;
  GstBuffer *buffer;
  Count count;

  init_count (&count);
  count.caps = "video/x-raw,format=GRAY8,width=12,height=1,framerate=25/1";
  buffer = make_counted (&count);
  meta = gst_buffer_get_video_histogram_meta (buffer);
  *job = (TestJob) {
    .result = GST_VIDEO_HISTOGRAM_STATE_PENDING,
    .pixels = 12,
  };
  histogram = vh_histogram_new (gst_video_histogram_get_info
      (meta->histogram), "fake");
  vh_counts_set_pending (vh_histogram_counts (histogram), &funcs, job);
  gst_video_histogram_unref (meta->histogram);
  meta->histogram = histogram;
  configure (count.caps);
  return buffer;
}

GST_START_TEST (test_pending_meta)
{
  GstBuffer *buffer;
  TestJob job;

  set_method (METHOD (EQUALIZE));
  fail_unless (has_to_count (make_pending (&job)));
  fail_unless (job.polls > 0);
  buffer = make_pending (&job);
  job.result = GST_VIDEO_HISTOGRAM_STATE_FAILED;
  fail_unless (has_to_count (buffer));
  buffer = make_pending (&job);
  job.result = GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
  fail_unless (!has_to_count (buffer));
}

GST_END_TEST;

/* Frames that cannot be corrected. */

/* Checks that correcting @in into @out is refused, and the first @size bytes of
 * @in are unchanged. Takes both. */
static void
check_unread (GstBuffer * in, GstBuffer * out, gsize size, const gchar * why)
{
  guint8 *before = g_malloc (size);
  GError *error = NULL;

  if (size > 0)
    gst_buffer_extract (in, 0, before, size);
  fail_if (gst_video_equalizer_process (equalizer, in, out, &error));
  check_error (error, GST_VIDEO_HISTOGRAM_ERROR_FRAME, why);
  fail_unless (size == 0 || gst_buffer_memcmp (in, 0, before, size) == 0);
  g_free (before);
  if (in != out)
    gst_buffer_unref (in);
  gst_buffer_unref (out);
}

static void
check_refused (GstBuffer * in, GstBuffer * out, const gchar * why)
{
  check_unread (in, out, gst_buffer_get_size (in), why);
}

static GstBuffer *
make_plain (void)
{
  guint8 frame[NV12_SIZE];

  fill_noise (frame, sizeof (frame), 18, 30, 90);
  return test_buffer_guarded (frame, sizeof (frame));
}

/* A plane spans two memories. */
static GstBuffer *
make_parted (void)
{
  GstBuffer *plain = make_plain (), *buffer = gst_buffer_new ();
  guint8 frame[NV12_SIZE];

  gst_buffer_extract (plain, 0, frame, NV12_SIZE);
  gst_buffer_append_memory (buffer, test_memory_guarded (frame, PIXELS / 2,
          FALSE, 0));
  gst_buffer_append_memory (buffer, test_memory_guarded (frame + PIXELS / 2,
          NV12_SIZE - PIXELS / 2, FALSE, 0));
  gst_buffer_unref (plain);
  return buffer;
}

static GstBuffer *
make_cropped (guint x, guint y)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * NV12_SIZE, NULL);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  gst_buffer_memset (buffer, 0, 17, 2 * NV12_SIZE);
  gst_buffer_memset (buffer, 0, 99, NV12_SIZE / 2);
  gst_buffer_add_video_meta (buffer, 0, GST_VIDEO_FORMAT_NV12, WIDTH + 4,
      HEIGHT + 4);
  crop->x = x;
  crop->y = y;
  crop->width = WIDTH;
  crop->height = HEIGHT;
  return buffer;
}

/* A byte of it is missing. */
static GstBuffer *
make_short (void)
{
  GstBuffer *buffer = make_plain ();

  gst_buffer_set_size (buffer, NV12_SIZE - 1);
  return buffer;
}

static GstBuffer *
make_readonly (void)
{
  GstBuffer *buffer = make_plain ();

  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0),
      GST_MEMORY_FLAG_READONLY);
  return buffer;
}

static GstBuffer *
make_unmappable (void)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, test_memory_unmappable (NV12_SIZE));
  return buffer;
}

/* A frame after @before other bytes, all of which can be mapped. */
static GstBuffer *
make_hollow (gsize before)
{
  GstBuffer *buffer = gst_buffer_new ();

  if (before > 0)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, before, NULL));
  gst_buffer_append_memory (buffer, test_memory_of_nothing (NV12_SIZE -
          before));
  return buffer;
}

GST_START_TEST (test_refusals)
{
  GstBuffer *buffer, *out;
  guint method, i;

  configure (NV12);
  for (method = METHOD (NONE); method <= METHOD (EQUALIZE); method++) {
    set_method (method);

    buffer = make_parted ();
    check_refused (buffer, buffer, "several memories");
    check_refused (make_plain (), make_parted (), "several memories");
    check_refused (make_plain (), make_short (), "does not fit");
    check_refused (make_short (), make_plain (), "does not fit");
    check_refused (gst_buffer_new (), make_plain (), "does not fit");
    check_refused (make_plain (), make_cropped (1, 0), "shares chroma");
    check_refused (make_cropped (2, 3), make_plain (), "shares chroma");
    check_refused (make_plain (), make_readonly (), "Cannot map");
    check_refused (make_plain (), make_unmappable (), "Cannot map");
    check_unread (make_unmappable (), make_plain (), 0, "Cannot map");
    check_unread (make_hollow (0), make_plain (), 0,
        "Only 0 bytes of a memory can be mapped");
    check_unread (make_hollow (PIXELS / 2), make_plain (), 0,
        "Cannot assemble");
    out = make_cropped (0, 0);
    gst_buffer_get_video_crop_meta (out)->width--;
    check_refused (make_plain (), out, "63x48");
  }
  /* A read-only frame is allowed as input. */
  buffer = make_readonly ();
  check_refused (buffer, buffer, "Cannot map");

  /* A frame that is only read may have any layout. */
  for (i = 0; i < 2; i++) {
    buffer = i ? make_parted () : make_cropped (2, 4);
    out = make_plain ();
    process (buffer, out);
    gst_buffer_unref (buffer);
    gst_buffer_unref (out);
  }
}

GST_END_TEST;

GST_START_TEST (test_refused_caps)
{
  static const gchar *const texts[] = {
    "video/x-raw,format=v210,width=64,height=48,framerate=25/1",
    "video/x-raw,format=GRAY8,width=0,height=48,framerate=25/1",
    "audio/x-raw",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    GstCaps *caps = gst_caps_from_string (texts[i]);
    GError *error = NULL;

    fail_if (gst_video_equalizer_configure (equalizer, caps, &error));
    check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_FORMAT,
        "");
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* Settings out of range change nothing. The test nonsense has all of them. */
GST_START_TEST (test_settings)
{
  guint8 frame[PIXELS], wanted[PIXELS], out[PIXELS];
  GError *error = NULL;

  fill_noise (frame, sizeof (frame), 19, 30, 90);
  configure (GRAY);
  set_method (METHOD (EQUALIZE));
  correct (frame, wanted, sizeof (wanted));
  settings.method = METHOD (GAMMA);
  settings.scene_threshold = -1;
  fail_if (gst_video_equalizer_set_settings (equalizer, &settings, &error));
  check_error (error, GST_VIDEO_HISTOGRAM_ERROR_SPEC, "scene-threshold");
  correct (frame, out, sizeof (out));
  check_bytes (out, wanted, sizeof (out));
}

GST_END_TEST;

/* Impossible requests are errors, without a critical warning. */
GST_START_TEST (test_errors)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *red;
  GError *error = NULL;
  gchar *reason;
  GstCaps *caps = gst_caps_from_string (GRAY);

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RED;
  red = gst_video_histogram_new (&info);
  fail_if (gst_video_equalizer_set_reference (equalizer, red, &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_SPEC, "");
  fail_unless (gst_video_equalizer_set_reference (equalizer, NULL, &error));
  gst_video_histogram_unref (red);

  fail_unless (gst_video_equalizer_get_active_backend (equalizer) == NULL);
  configure (GRAY);
  fail_unless_equals_string (gst_video_equalizer_get_active_backend
      (equalizer), "cpu");
  reason = gst_video_equalizer_dup_backend_reason (equalizer);
  fail_unless (strstr (reason, "system memory"));
  g_free (reason);
  fail_if (gst_video_equalizer_open (equalizer, 99, NULL, &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_BACKEND, "");
  fail_unless (gst_video_equalizer_get_active_backend (equalizer) == NULL);
  fail_if (gst_video_equalizer_configure (equalizer, caps, &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_SPEC, "");
  gst_caps_unref (caps);
}

GST_END_TEST;

/* More tiles than pixels. */
GST_START_TEST (test_small_picture)
{
  const guint8 frame[] = { 10, 20, 30, 0, 40, 50, 60, 0 };
  guint8 out[sizeof (frame)];

  configure ("video/x-raw,format=GRAY8,width=3,height=2,framerate=25/1");
  set_method (METHOD (CLAHE));
  correct (frame, out, sizeof (out));
  fail_unless (memcmp (frame, out, sizeof (out)) != 0);
  fail_unless_equals_int (out[3], 0);
}

GST_END_TEST;

static gpointer
change_settings (gpointer data)
{
  GstVideoEqualizerSettings other;
  GstVideoHistogram *reference = two_values (10, 250);
  const gint *stop = data;
  guint i;

  for (i = 0; !g_atomic_int_get (stop); i++) {
    gst_video_equalizer_settings_init (&other);
    other.method = i % 6;
    other.tile_columns = 1 + i % 9;
    gst_video_equalizer_set_settings (equalizer, &other, NULL);
    gst_video_equalizer_set_reference (equalizer, i % 4 ? reference : NULL,
        NULL);
    if (i % 7 == 0)
      gst_video_equalizer_reset (equalizer);
    gst_video_equalizer_get_counted (equalizer);
  }
  gst_video_histogram_unref (reference);
  return NULL;
}

GST_START_TEST (test_threads)
{
  guint8 frame[NV12_SIZE], out[NV12_SIZE];
  gint stop = FALSE;
  GThread *thread = g_thread_new ("settings", change_settings, &stop);
  guint i;

  fill_noise (frame, sizeof (frame), 20, 30, 90);
  configure (NV12);
  for (i = 0; i < 300; i++)
    correct (frame, out, sizeof (out));
  g_atomic_int_set (&stop, TRUE);
  g_thread_join (thread);
}

GST_END_TEST;

/* Closed and opened again, it is like a new one with the same settings. */
GST_START_TEST (test_reopen)
{
  guint8 frame[PIXELS], wanted[PIXELS], out[PIXELS];

  fill_noise (frame, sizeof (frame), 21, 30, 90);
  configure (GRAY);
  set_method (METHOD (GAMMA));
  correct (frame, wanted, sizeof (wanted));
  gst_video_equalizer_close (equalizer);
  gst_video_equalizer_close (equalizer);
  gst_video_equalizer_open (equalizer, -1, NULL, NULL);
  gst_video_equalizer_open (equalizer, -1, NULL, NULL);
  configure (GRAY);
  correct (frame, out, sizeof (out));
  check_bytes (out, wanted, sizeof (out));
  fail_unless_equals_uint64 (gst_video_equalizer_get_counted (equalizer), 2);
}

GST_END_TEST;

/* A pool of system memory suits frames in system memory. */
GST_START_TEST (test_pool_fits)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);
  GstBuffer *empty = gst_buffer_new ();
  GstStructure *config;
  GstBufferPool *pool = gst_video_equalizer_new_pool (equalizer, buffer,
      &config);
  GstBufferPool *other = gst_buffer_pool_new ();

  fail_unless (gst_video_equalizer_pool_fits (equalizer, pool, buffer));
  fail_unless (gst_video_equalizer_pool_fits (equalizer, pool, empty));
  fail_if (gst_video_equalizer_pool_fits (equalizer, other, buffer));
  gst_structure_free (config);
  gst_object_unref (other);
  gst_object_unref (pool);
  gst_buffer_unref (empty);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

TEST_SUITE (equalizer, setup, teardown)
{
  tcase_add_test (tc, test_opencv);
  tcase_add_test (tc, test_constant);
  tcase_add_test (tc, test_constant_below_black);
  tcase_add_test (tc, test_nothing_to_do);
  tcase_add_test (tc, test_strength);
  tcase_add_test (tc, test_range);
  tcase_add_test (tc, test_hue_nv12);
  tcase_add_test (tc, test_hue_rgb);
  tcase_add_test (tc, test_grey_rgb);
  tcase_add_test (tc, test_color_in_black);
  tcase_add_loop_test (tc, test_flash, 0, G_N_ELEMENTS (methods_of_flash));
  tcase_add_loop_test (tc, test_cut, 0, G_N_ELEMENTS (methods_of_flash));
  tcase_add_loop_test (tc, test_small_changes, 0, G_N_ELEMENTS (changes));
  tcase_add_test (tc, test_motion);
  tcase_add_test (tc, test_after_cut);
  tcase_add_test (tc, test_region);
  tcase_add_test (tc, test_region_that_shares_chroma);
  tcase_add_test (tc, test_region_outside);
  tcase_add_test (tc, test_time_constant);
  tcase_add_test (tc, test_state);
  tcase_add_test (tc, test_match);
  tcase_add_test (tc, test_match_itself);
  tcase_add_test (tc, test_no_reference);
  tcase_add_test (tc, test_meta);
  tcase_add_loop_test (tc, test_meta_of_other_counts, 0,
      G_N_ELEMENTS (other_counts));
  tcase_add_test (tc, test_meta_of_other_pixels);
  tcase_add_test (tc, test_meta_of_another_part);
  tcase_add_test (tc, test_pending_meta);
  tcase_add_test (tc, test_refusals);
  tcase_add_test (tc, test_refused_caps);
  tcase_add_test (tc, test_settings);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_small_picture);
  tcase_add_test (tc, test_threads);
  tcase_add_test (tc, test_reopen);
  tcase_add_test (tc, test_pool_fits);
}
