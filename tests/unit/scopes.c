/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoScope on the CPU: the positions of its lines and targets, that it
 * draws what a frame contains, and what it refuses. tests/unit/scopesweep.c
 * compares the drawing operation in every format. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/random.h"
#include "common/suite.h"
#include "gst/videohistogram/scope/scopecolors.h"
#include "gst/videohistogram/scope/scopegraticule.h"
#include "gst/videohistogram/scope/scopescales.h"

#define WIDTH 96
#define HEIGHT 64
#define Y444(width, height, more) "video/x-raw,format=Y444,width=" #width \
    ",height=" #height ",framerate=25/1" more
#define FRAME Y444 (96, 64, ",colorimetry=bt601")

static GstVideoScope *scope;
static GstVideoScopeSettings settings;

static void
setup (void)
{
  scope = gst_video_scope_new ();
  gst_video_scope_open (scope, -1, NULL, NULL);
  gst_video_scope_settings_init (&settings);
  settings.layout = GST_VIDEO_SCOPE_LAYOUT_ONLY;
  settings.graticule = GST_VIDEO_SCOPE_GRATICULE_NONE;
}

/* What draw() has drawn. */
static GstBuffer *drawn;
static GstMapInfo map;

static void
forget_drawn (void)
{
  if (drawn)
    gst_buffer_unmap (drawn, &map);
  gst_clear_buffer (&drawn);
}

static void
teardown (void)
{
  forget_drawn ();
  fail_unless_equals_int (G_OBJECT (scope)->ref_count, 1);
  g_object_unref (scope);
}

static void
configure (const gchar * in, const gchar * out)
{
  GstCaps *caps = gst_caps_from_string (in);
  GstCaps *out_caps = gst_caps_from_string (out);
  GError *error = NULL;

  gst_video_scope_set_settings (scope, &settings, NULL);
  fail_unless (gst_video_scope_configure (scope, caps, out_caps, &error), "%s",
      error ? error->message : "");
  gst_caps_unref (caps);
  gst_caps_unref (out_caps);
}

static VhLayout
make_layout (const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  VhLayout layout;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  gst_caps_unref (caps);
  return layout;
}

/* Scales */

#define HDR(transfer) "video/x-raw,format=I420_10LE,width=64,height=64," \
    "framerate=25/1,colorimetry=" transfer

static const struct
{
  const gchar *caps;
  GstVideoScopeScale scale;
  gdouble number;
  guint code;
} scales[] = {
  /* SMPTE ST 2084 at 10 bits, limited range */
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 0.1, 119},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 1, 195},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 10, 327},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 100, 509},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 203, 573},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 400, 636},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 1000, 723},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 2000, 789},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 4000, 855},
  {HDR ("bt2100-pq"), GST_VIDEO_SCOPE_SCALE_NITS, 10000, 940},
  /* HLG on a display of 1000 cd/m2 */
  {HDR ("bt2100-hlg"), GST_VIDEO_SCOPE_SCALE_NITS, 203, 721},
  {HDR ("bt2100-hlg"), GST_VIDEO_SCOPE_SCALE_NITS, 1000, 940},
  {HDR ("bt709"), GST_VIDEO_SCOPE_SCALE_NITS, 100, 940},
  {HDR ("bt709"), GST_VIDEO_SCOPE_SCALE_PERCENT, 0, 64},
  {HDR ("bt709"), GST_VIDEO_SCOPE_SCALE_IRE, 100, 940},
  {HDR ("bt709"), GST_VIDEO_SCOPE_SCALE_MV, 350, 502},
  {HDR ("bt709"), GST_VIDEO_SCOPE_SCALE_CODE, 77, 77},
  {Y444 (8, 8, ",colorimetry=1:4:0:1"), GST_VIDEO_SCOPE_SCALE_PERCENT, 100,
      255},
};

GST_START_TEST (test_scale)
{
  const VhLayout layout = make_layout (scales[__i__].caps);
  VhScopeAxis axis;

  vh_scope_axis_init (&axis, &layout, VH_SCOPE_LUMA);
  fail_unless_equals_int (lround (vh_scope_scale_code (scales[__i__].scale,
              &axis, scales[__i__].number)), scales[__i__].code);
}

GST_END_TEST;

/* HLG levels are percentages of the signal. */
GST_START_TEST (test_hlg_lines)
{
  static const struct
  {
    const gchar *label;
    guint percent;
  } levels[] = {
    {"0", 0}, {"26", 38}, {"51", 50}, {"203", 75}, {"522", 90}, {"1000", 100},
    {"1809", 109},
  };
  const VhLayout layout = make_layout (HDR ("bt2100-hlg"));
  VhScopeLine lines[VH_SCOPE_MAX_SCALE_LINES];
  VhScopeAxis axis;
  guint n, i, l;

  vh_scope_axis_init (&axis, &layout, VH_SCOPE_LUMA);
  n = vh_scope_scale_lines (GST_VIDEO_SCOPE_SCALE_NITS, &axis, lines);
  for (i = 0; i < G_N_ELEMENTS (levels); i++) {
    for (l = 0; l < n && strcmp (lines[l].label, levels[i].label) != 0; l++);
    fail_unless (l < n, "there is no line of %s", levels[i].label);
    fail_unless_equals_int (lround (lines[l].code),
        lround (64 + 8.76 * levels[i].percent));
  }
  /* In rising order, including 100. */
  fail_unless_equals_int (n, G_N_ELEMENTS (levels) + 1);
  for (l = 1; l < n; l++)
    fail_unless (lines[l].code > lines[l - 1].code);
}

GST_END_TEST;

GST_START_TEST (test_limits)
{
  const GstVideoScopeLimits both = GST_VIDEO_SCOPE_LIMITS_RANGE |
      GST_VIDEO_SCOPE_LIMITS_R103;
  const VhLayout layout = make_layout (HDR ("bt709"));
  VhScopeLine lines[VH_SCOPE_MAX_SCALE_LINES];
  VhScopeAxis axis;

  vh_scope_axis_init (&axis, &layout, VH_SCOPE_LUMA);
  fail_unless_equals_int (vh_scope_limit_lines (both, &axis, lines), 4);
  fail_unless_equals_float (lines[0].code, 64);
  fail_unless_equals_float (lines[1].code, 940);
  fail_unless_equals_float (lines[2].code, 20);
  fail_unless_equals_float (lines[3].code, 984);

  /* Red of YUV has full range. */
  vh_scope_axis_init (&axis, &layout, VH_SCOPE_RED);
  fail_unless_equals_int (vh_scope_limit_lines (both, &axis, lines), 2);
  fail_unless_equals_float (lines[1].code, 1023);
  fail_unless_equals_int (vh_scope_limit_lines (GST_VIDEO_SCOPE_LIMITS_NONE,
          &axis, lines), 0);
}

GST_END_TEST;

/* Color bars. The codes of their U and V at 75 %, limited range: R, Mg, B, Cy,
 * G, Yl. */
static const struct
{
  const gchar *colorimetry;
  gdouble kr, kb;
  guint8 target[VH_SCOPE_N_TARGETS][2];
} matrices[] = {
  {"bt601", 0.299, 0.114,
      {{100, 212}, {184, 198}, {212, 114}, {156, 44}, {72, 58}, {44, 142}}},
  {"bt709", 0.2126, 0.0722,
      {{109, 212}, {193, 204}, {212, 120}, {147, 44}, {63, 52}, {44, 136}}},
  {"bt2020", 0.2627, 0.0593,
      {{105, 212}, {189, 205}, {212, 121}, {151, 44}, {67, 51}, {44, 135}}},
};

static const guint8 bar_rgb[VH_SCOPE_N_TARGETS][3] = {
  {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}, {1, 1, 0},
};

/* Six bars of @level in 96x64 of Y444, and nothing else. */
static GstBuffer *
make_bars (gdouble kr, gdouble kb, gdouble level)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * WIDTH * HEIGHT, NULL);
  GstMapInfo map;
  guint x, y;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++) {
      const guint8 *rgb = bar_rgb[x * VH_SCOPE_N_TARGETS / WIDTH];
      const gdouble r = level * rgb[0], g = level * rgb[1], b = level * rgb[2];
      const gdouble luma = kr * r + (1 - kr - kb) * g + kb * b;

      map.data[y * WIDTH + x] = rint (16 + 219 * luma);
      map.data[(HEIGHT + y) * WIDTH + x] =
          rint (128 + 224 * (b - luma) / (2 * (1 - kb)));
      map.data[(2 * HEIGHT + y) * WIDTH + x] =
          rint (128 + 224 * (r - luma) / (2 * (1 - kr)));
    }
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Draws @in, which it takes, into a new frame of @size bytes, which is
 * mapped. */
static void
draw (GstBuffer * in, gsize size)
{
  GError *error = NULL;

  forget_drawn ();
  drawn = gst_buffer_new_allocate (NULL, size, NULL);
  fail_unless (gst_video_scope_process (scope, in, drawn, &error), "%s",
      error ? error->message : "");
  gst_buffer_unref (in);
  gst_buffer_map (drawn, &map, GST_MAP_READ);
}

/* Each lit pixel of the vectorscope is within one code of a target, and each
 * target is lit. */
GST_START_TEST (test_bars)
{
  const guint m = __i__ / 2;
  const gboolean full = __i__ % 2;
  gchar *in = g_strdup_printf (Y444 (96, 64, ",colorimetry=%s"),
      matrices[m].colorimetry);
  guint lit = 0, found = 0, i, u, v;
  VhScopeTarget target[VH_SCOPE_N_TARGETS];
  const VhLayout layout = make_layout (in);

  settings.scopes = GST_VIDEO_SCOPES_VECTORSCOPE;
  configure (in, Y444 (256, 256, ""));
  draw (make_bars (matrices[m].kr, matrices[m].kb, full ? 1 : 0.75), 3 << 16);
  vh_scope_targets (&layout, full ? 1 : 0.75, target);
  for (i = 0; i < VH_SCOPE_N_TARGETS; i++) {
    const gdouble share = full ? 4 / 3.0 : 1;

    fail_unless (fabs (target[i].u - 128 -
            share * (matrices[m].target[i][0] - 128)) < 1);
    fail_unless (fabs (target[i].v - 128 -
            share * (matrices[m].target[i][1] - 128)) < 1);
  }
  for (v = 0; v < 256; v++) {
    for (u = 0; u < 256; u++) {
      guint near = 0;

      if (map.data[(255 - v) * 256 + u] <= 16)
        continue;
      lit++;
      for (i = 0; i < VH_SCOPE_N_TARGETS; i++) {
        if (fabs (target[i].u - u) <= 1 && fabs (target[i].v - v) <= 1)
          near |= 1u << i;
      }
      fail_unless (near, "%u, %u is lit", u, v);
      found |= near;
    }
  }
  fail_unless_equals_int (lit, VH_SCOPE_N_TARGETS);
  fail_unless_equals_int (found, (1u << VH_SCOPE_N_TARGETS) - 1);
  g_free (in);
}

GST_END_TEST;

/* Plots of a random frame */

static GstBuffer *
make_random (guint seed, guint8 * data)
{
  TestRandom random = test_random_new (seed);
  guint i;

  test_random_fill (&random, data, 3 * WIDTH * HEIGHT);
  /* Only part of the codes. */
  for (i = 0; i < 3 * WIDTH * HEIGHT; i++)
    data[i] = 20 + data[i] % 200;
  return gst_buffer_new_memdup (data, 3 * WIDTH * HEIGHT);
}

/* Each column is a column of the picture, each row a level. */
GST_START_TEST (test_waveform)
{
  guint8 data[3 * WIDTH * HEIGHT];
  gboolean has[WIDTH][256] = { {0,}, };
  guint x, y;

  settings.scopes = GST_VIDEO_SCOPES_WAVEFORM;
  configure (FRAME, Y444 (96, 256, ""));
  draw (make_random (1, data), 3 * WIDTH * 256);
  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      has[x][data[y * WIDTH + x]] = TRUE;
  }
  for (y = 0; y < 256; y++) {
    for (x = 0; x < WIDTH; x++)
      fail_unless ((map.data[(255 - y) * WIDTH + x] > 16) == has[x][y],
          "column %u, level %u", x, y);
  }
}

GST_END_TEST;

GST_START_TEST (test_vectorscope)
{
  guint8 data[3 * WIDTH * HEIGHT];
  static gboolean has[256][256];
  guint i, u, v;

  memset (has, 0, sizeof (has));
  settings.scopes = GST_VIDEO_SCOPES_VECTORSCOPE;
  configure (FRAME, Y444 (256, 256, ""));
  draw (make_random (2, data), 3 << 16);
  for (i = WIDTH * HEIGHT; i < 2 * WIDTH * HEIGHT; i++)
    has[data[i]][data[WIDTH * HEIGHT + i]] = TRUE;
  for (v = 0; v < 256; v++) {
    for (u = 0; u < 256; u++)
      fail_unless ((map.data[(255 - v) * 256 + u] > 16) == has[u][v],
          "U %u, V %u", u, v);
  }
}

GST_END_TEST;

/* Each bin has a bar in proportion to its count. */
GST_START_TEST (test_histogram)
{
  guint8 data[3 * WIDTH * HEIGHT];
  guint counts[256] = { 0, }, fullest = 0, i, y;

  settings.scopes = GST_VIDEO_SCOPES_HISTOGRAM;
  configure (FRAME, Y444 (256, 100, ""));
  draw (make_random (3, data), 3 * 256 * 100);
  for (i = 0; i < WIDTH * HEIGHT; i++) {
    counts[data[i]]++;
    fullest = MAX (fullest, counts[data[i]]);
  }
  for (i = 0; i < 256; i++) {
    guint height = 0;

    for (y = 0; y < 100; y++)
      height += map.data[y * 256 + i] > 16;
    fail_unless_equals_int (height, (counts[i] * 100 + fullest - 1) / fullest);
  }
}

GST_END_TEST;

/* One pixel among 2^23 is visible, and a flat frame is brightest. */
GST_START_TEST (test_brightness)
{
  const gsize size = 4096 * 2048;
  GstBuffer *in = gst_buffer_new_allocate (NULL, size, NULL);
  guint8 brightest = 0, single;
  guint i;

  gst_buffer_memset (in, 0, 100, size);
  gst_buffer_memset (in, 4096 * 1000 + 8, 200, 1);
  settings.scopes = GST_VIDEO_SCOPES_WAVEFORM;
  configure ("video/x-raw,format=GRAY8,width=4096,height=2048,framerate=25/1",
      "video/x-raw,format=GRAY8,width=512,height=256,framerate=25/1");
  draw (in, 512 * 256);
  single = map.data[(255 - 200) * 512 + 1];
  fail_unless (single >= 48, "the single pixel has %u", single);
  for (i = 0; i < 512; i++)
    brightest = MAX (brightest, map.data[(255 - 100) * 512 + i]);
  fail_unless (brightest > 2 * single);
  /* The column with another pixel is a little darker than the others. */
  fail_unless (map.data[(255 - 100) * 512 + 1] <= brightest);
  fail_unless_equals_int (map.data[0], 0);
}

GST_END_TEST;

#define LEVEL 200               /* appears once in a column */
#define COLUMN 256              /* pixels per column, and levels */
#define COLUMN_CAPS "video/x-raw,format=GRAY8,width=64,height=256," \
    "framerate=25/1"

/* Returns the brightness of LEVEL in a column of a frame at @time whose first
 * @n rows have that level. */
static guint8
draw_rows (guint n, GstClockTime time)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, 64 * COLUMN, NULL);

  gst_buffer_memset (in, 0, 10, 64 * COLUMN);
  gst_buffer_memset (in, 0, LEVEL, 64 * n);
  GST_BUFFER_PTS (in) = time;
  draw (in, 64 * COLUMN);
  return map.data[(COLUMN - 1 - LEVEL) * 64];
}

static const struct
{
  guint fps;                    /* 0: irregular times */
  gdouble persistence;          /* in seconds */
} fadings[] = {
  {25, 0.5}, {60, 0.5}, {25, 4}, {60, 4}, {0, 0.5}, {0, 4},
};

/* Checks how a trace fades, in each frame until an eighth is left: it looks
 * like a column with that many pixels, within 1 %, given that brightness
 * changes with each 32nd of a count. */
GST_START_TEST (test_persistence)
{
  const gdouble persistence = fadings[__i__].persistence;
  TestRandom random = test_random_new (__i__);
  const guint fps = fadings[__i__].fps;
  GstClockTime time = 0;
  guint8 of_count[COLUMN + 2];
  gdouble left = COLUMN;
  guint n = 0;

  settings.scopes = GST_VIDEO_SCOPES_WAVEFORM;
  settings.intensity = GST_VIDEO_SCOPE_INTENSITY_GAIN;
  /* Brightness is proportional to the count, up to all of a column. */
  settings.gain = 1.0 / COLUMN;
  configure (COLUMN_CAPS, COLUMN_CAPS);
  for (n = 0; n <= COLUMN; n++)
    of_count[n] = draw_rows (n, n * GST_SECOND);
  fail_unless (of_count[COLUMN] > of_count[COLUMN / 2] + 90);

  settings.persistence = persistence * GST_SECOND;
  configure (COLUMN_CAPS, COLUMN_CAPS);
  fail_unless_equals_int (draw_rows (COLUMN, 0), of_count[COLUMN]);
  for (n = 1; left > COLUMN / 8; n++) {
    guint8 shown;

    time = fps ? gst_util_uint64_scale (n, GST_SECOND, fps) :
        time + 1 + test_random_below (&random, 200 * GST_MSECOND);
    left = COLUMN * exp (-(gdouble) time / GST_SECOND / persistence);
    shown = draw_rows (0, time);
    fail_unless (shown >= of_count[(guint) (0.99 * left)]
        && shown <= of_count[MIN (COLUMN, (guint) (1.01 * left))],
        "%u after %g s, when %g of %d are left", shown,
        (gdouble) time / GST_SECOND, left, COLUMN);
  }
}

GST_END_TEST;

/* Graticules */

/* Draws a view of @scope for an RGB frame, alone; takes no plan from
 * elsewhere. */
static guint32 *
draw_view (GstVideoScopes scope, guint width, guint height, guint text)
{
  const VhLayout layout = make_layout ("video/x-raw,format=RGB,width=64,"
      "height=64,framerate=25/1");
  const VhScopeTable *table =
      vh_scope_find_table (GST_VIDEO_SCOPE_FALSE_COLOR_ARRI, NULL);
  const VhScopeMarks marks = {
    .graticule = GST_VIDEO_SCOPE_GRATICULE_WHITE,
    .targets = GST_VIDEO_SCOPE_TARGETS_PERCENT_75,
    .table = table,
  };
  const VhScopeView view = {
    .scope = scope,
    .rect = {0, 0, width, height},
    .n_plots = 1,
    .plot[0].rect = {0, 0, MIN (width, height), MIN (width, height)},
    .text = text,
  };
  guint32 *pixels = g_new (guint32, width * height);

  vh_scope_graticule_draw (&view, &layout, &marks, pixels);
  return pixels;
}

/* Without room for text the key still has its colors, from black's at the
 * bottom to white's at the top. */
GST_START_TEST (test_small_key)
{
  static const guint sizes[][3] = { {51, 83, 10}, {20, 30, 0}, {3, 7, 0} };
  const guint width = sizes[__i__][0], height = sizes[__i__][1];
  guint32 *pixels = draw_view (GST_VIDEO_SCOPES_FALSE_COLOR, width, height,
      sizes[__i__][2]);
  const VhScopeTable *table =
      vh_scope_find_table (GST_VIDEO_SCOPE_FALSE_COLOR_ARRI, NULL);
  const guint8 *low = table->band[0].rgb;
  const guint8 *high = table->band[table->n_bands - 1].rgb;

  fail_unless_equals_int (pixels[width / 2], 0xff000000u | high[0] << 16 |
      high[1] << 8 | high[2]);
  fail_unless_equals_int (pixels[(height - 1) * width + width / 2],
      0xff000000u | low[0] << 16 | low[1] << 8 | low[2]);
  g_free (pixels);
}

GST_END_TEST;

/* Counts pixels inside the targets, except the axes. */
static guint
count_inside (const guint32 * pixels, guint side)
{
  guint n = 0, x, y;

  for (y = 0; y < side; y++) {
    for (x = 0; x < side; x++) {
      const gdouble dx = x + 0.5 - side / 2.0, dy = y + 0.5 - side / 2.0;

      n += pixels[y * side + x] != 0 && fabs (dx) > 3 && fabs (dy) > 3
          && hypot (dx, dy) < side * 0.2;
    }
  }
  return n;
}

/* Targets have names if these do not overlap. */
GST_START_TEST (test_names)
{
  const guint side = 100;
  guint32 *pixels = draw_view (GST_VIDEO_SCOPES_VECTORSCOPE, side, side, 10);

  fail_unless (count_inside (pixels, side) > 0);
  g_free (pixels);
  pixels = draw_view (GST_VIDEO_SCOPES_VECTORSCOPE, side, side, 14);
  fail_unless_equals_int (count_inside (pixels, side), 0);
  g_free (pixels);
}

GST_END_TEST;

/* False color and zebra */

static guint
count_pixels (const guint8 * frame, const guint8 yuv[3])
{
  guint n = 0, i;

  for (i = 0; i < WIDTH * HEIGHT; i++) {
    n += frame[i] == yuv[0] && frame[WIDTH * HEIGHT + i] == yuv[1]
        && frame[2 * WIDTH * HEIGHT + i] == yuv[2];
  }
  return n;
}

/* The area of each color equals the sum of its bins. */
GST_START_TEST (test_false_color)
{
  static const guint8 red[3] = { 81, 90, 240 }, blue[3] = { 41, 240, 110 };
  guint8 data[3 * WIDTH * HEIGHT];
  guint low = 0, high = 0, grey = 0, i;
  GError *error = NULL;

  settings.layout = GST_VIDEO_SCOPE_LAYOUT_OVERLAY;
  settings.scopes = GST_VIDEO_SCOPES_FALSE_COLOR;
  settings.false_color = GST_VIDEO_SCOPE_FALSE_COLOR_TABLE;
  fail_unless (gst_video_scope_set_false_color_table (scope,
          "-0.2 0.25 #0000ff\n 0.75 1.2 #ff0000", &error));
  configure (FRAME, FRAME);
  draw (make_random (4, data), 3 * WIDTH * HEIGHT);
  for (i = 0; i < WIDTH * HEIGHT; i++) {
    const gdouble percent = (data[i] - 16) / 2.19;
    const gboolean is_grey = percent >= 25 && percent < 75;

    low += percent < 25;
    high += percent >= 75;
    grey += is_grey;
    if (is_grey)
      fail_unless (map.data[i] == data[i]
          && map.data[WIDTH * HEIGHT + i] == 128
          && map.data[2 * WIDTH * HEIGHT + i] == 128);
  }
  fail_unless (low > 0 && high > 0 && grey > 0);
  fail_unless_equals_int (count_pixels (map.data, blue), low);
  fail_unless_equals_int (count_pixels (map.data, red), high);
}

GST_END_TEST;

GST_START_TEST (test_zebra)
{
  guint8 data[3 * WIDTH * HEIGHT];
  guint striped = 0, bright = 0, i;

  settings.layout = GST_VIDEO_SCOPE_LAYOUT_OVERLAY;
  settings.scopes = GST_VIDEO_SCOPES_ZEBRA;
  settings.zebra_low = 0.7;
  settings.zebra_high = 0.8;
  configure (FRAME, FRAME);
  draw (make_random (5, data), 3 * WIDTH * HEIGHT);
  for (i = 0; i < WIDTH * HEIGHT; i++) {
    const gdouble percent = (data[i] - 16) / 2.19;

    bright += percent >= 70 && percent <= 80;
    if (map.data[i] != data[i]) {
      fail_unless (percent >= 70 && percent <= 80);
      fail_unless_equals_int (map.data[i], 16);
      striped++;
    }
  }
  /* About half of them. */
  fail_unless (striped > bright / 3 && striped < bright * 2 / 3);
}

GST_END_TEST;

static const gchar *const bad_tables[] = {
  "0 0.1", "0 0.1 red", "0.1 0 #ffffff", "0 0.1 #fffff", "0 0.1 #ffffff 1",
  "0 0.2 #ffffff; 0.1 0.3 #000000", "x 0.1 grey", "0 0.1 #gggggg",
  "-9999 0 grey", "0 nan grey", "0 10 #0000ff; 90 110 #ff0000",
};

GST_START_TEST (test_bad_table)
{
  GError *error = NULL;

  fail_if (gst_video_scope_set_false_color_table (scope, bad_tables[__i__],
          &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  g_error_free (error);
}

GST_END_TEST;

/* Other tests */

static void
check_code (GError ** error, GstVideoHistogramError code)
{
  fail_unless_equals_int ((*error)->code, code);
  g_clear_error (error);
}

GST_START_TEST (test_refused)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, 100, NULL);
  GstCaps *caps = gst_caps_from_string (FRAME);
  GstCaps *other = gst_caps_from_string ("video/x-raw,format=GRAY8,width=96,"
      "height=64,framerate=25/1");
  GError *error = NULL;

  fail_if (gst_video_scope_process (scope, in, in, &error));
  check_code (&error, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  fail_if (gst_video_scope_blank (scope, in, &error));
  check_code (&error, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  fail_if (gst_video_scope_configure (scope, caps, other, &error));
  check_code (&error, GST_VIDEO_HISTOGRAM_ERROR_FORMAT);

  configure (FRAME, FRAME);
  fail_if (gst_video_scope_process (scope, in, in, &error));
  check_code (&error, GST_VIDEO_HISTOGRAM_ERROR_FRAME);
  gst_buffer_set_size (in, 0);
  gst_buffer_unref (in);

  /* Scopes alone cannot be drawn in place. */
  in = gst_buffer_new_allocate (NULL, 3 * WIDTH * HEIGHT, NULL);
  fail_if (gst_video_scope_process (scope, in, in, &error));
  check_code (&error, GST_VIDEO_HISTOGRAM_ERROR_FRAME);
  gst_buffer_unref (in);
  gst_caps_unref (caps);
  gst_caps_unref (other);
}

GST_END_TEST;

/* Impossible requests are errors, without a critical warning. The test nonsense
 * has settings out of range. */
GST_START_TEST (test_errors)
{
  gdouble lines[GST_VIDEO_SCOPE_MAX_LINES + 1] = { 0, };
  GstCaps *caps = gst_caps_from_string (FRAME);
  GError *error = NULL;
  gchar *reason;

#define CHECK_REFUSED(call, code_of, name) \
  G_STMT_START { \
    fail_if (call); \
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, \
            GST_VIDEO_HISTOGRAM_ERROR_##code_of)); \
    fail_unless (strstr (error->message, name), "%s", error->message); \
    g_clear_error (&error); \
  } G_STMT_END

  CHECK_REFUSED (gst_video_scope_set_lines (scope, lines,
          G_N_ELEMENTS (lines), &error), SPEC, "up to 16");
  lines[3] = INFINITY;
  CHECK_REFUSED (gst_video_scope_set_lines (scope, lines, 5, &error), SPEC,
      "finite");
  configure (FRAME, FRAME);
  fail_unless_equals_string (gst_video_scope_get_active_backend (scope),
      "cpu");
  reason = gst_video_scope_dup_backend_reason (scope);
  fail_unless (strstr (reason, "system memory"));
  g_free (reason);
  CHECK_REFUSED (gst_video_scope_open (scope, 99, NULL, &error), BACKEND, "");
  fail_unless (gst_video_scope_get_active_backend (scope) == NULL);
  CHECK_REFUSED (gst_video_scope_configure (scope, caps, caps, &error), SPEC,
      "open");
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (test_blank)
{
  guint i;

  configure (FRAME, FRAME);
  drawn = gst_buffer_new_allocate (NULL, 3 * WIDTH * HEIGHT, NULL);
  fail_unless (gst_video_scope_blank (scope, drawn, NULL));
  gst_buffer_map (drawn, &map, GST_MAP_READ);
  for (i = 0; i < 3 * WIDTH * HEIGHT; i++)
    fail_unless_equals_int (map.data[i], i < WIDTH * HEIGHT ? 16 : 128);
}

GST_END_TEST;

GST_START_TEST (test_output_size)
{
  gint width, height;

  settings.layout = GST_VIDEO_SCOPE_LAYOUT_BESIDE;
  settings.size = 0.5;
  settings.position = GST_VIDEO_SCOPE_POSITION_RIGHT;
  gst_video_scope_settings_get_output_size (&settings, 641, 360, &width,
      &height);
  fail_unless_equals_int (width, 641 + 320);
  fail_unless_equals_int (height, 360);
  settings.position = GST_VIDEO_SCOPE_POSITION_TOP;
  gst_video_scope_settings_get_output_size (&settings, 641, 360, &width,
      &height);
  fail_unless_equals_int (width, 641);
  fail_unless_equals_int (height, 360 + 176);
  gst_video_scope_settings_get_output_size (&settings, G_MAXINT, G_MAXINT,
      &width, &height);
  fail_unless_equals_int (height, G_MAXINT);
}

GST_END_TEST;

/* Custom lines are at their levels. */
GST_START_TEST (test_lines)
{
  static const gdouble lines[] = { 30, 150, 9999 };
  guint8 data[3 * WIDTH * HEIGHT];
  guint y, with = 0;

  settings.scopes = GST_VIDEO_SCOPES_WAVEFORM;
  settings.graticule = GST_VIDEO_SCOPE_GRATICULE_WHITE;
  settings.scale = GST_VIDEO_SCOPE_SCALE_CODE;
  settings.limits = GST_VIDEO_SCOPE_LIMITS_NONE;
  gst_video_scope_set_lines (scope, lines, G_N_ELEMENTS (lines), NULL);
  /* So small that the plot fills it, despite the graticule. */
  configure (FRAME, Y444 (40, 40, ""));
  memset (data, 128, sizeof (data));
  memset (data, 250, WIDTH * HEIGHT);
  draw (gst_buffer_new_memdup (data, sizeof (data)), 3 * 1600);
  for (y = 0; y < 40; y++) {
    const guint8 *u = map.data + 1600 + 40 * y;

    /* Custom lines are bluish. */
    if (u[20] > 140) {
      with++;
      fail_unless (y == 39 - vh_scope_graticule_place (30, 8, 40)
          || y == 39 - vh_scope_graticule_place (150, 8, 40), "row %u", y);
    }
  }
  fail_unless_equals_int (with, 2);
}

GST_END_TEST;

TEST_SUITE (scopes, setup, teardown)
{
  tcase_add_loop_test (tc, test_scale, 0, G_N_ELEMENTS (scales));
  tcase_add_test (tc, test_hlg_lines);
  tcase_add_test (tc, test_limits);
  tcase_add_loop_test (tc, test_bars, 0, 2 * G_N_ELEMENTS (matrices));
  tcase_add_test (tc, test_waveform);
  tcase_add_test (tc, test_vectorscope);
  tcase_add_test (tc, test_histogram);
  tcase_add_test (tc, test_brightness);
  tcase_add_loop_test (tc, test_persistence, 0, G_N_ELEMENTS (fadings));
  tcase_add_loop_test (tc, test_small_key, 0, 3);
  tcase_add_test (tc, test_names);
  tcase_add_test (tc, test_false_color);
  tcase_add_test (tc, test_zebra);
  tcase_add_loop_test (tc, test_bad_table, 0, G_N_ELEMENTS (bad_tables));
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_blank);
  tcase_add_test (tc, test_output_size);
  tcase_add_test (tc, test_lines);
}
