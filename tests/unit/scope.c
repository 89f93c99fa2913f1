/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contents of scopes: levels and colors in the right places, a single
 * pixel, a flat frame, and how long a trace stays. */
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/random.h"
#include "common/suite.h"
#include "core/channels.h"
#include "cpu/cpudevice.h"

#define WHITE {255, 255, 255}

/* A scope alone, with one trace that fills it. */
typedef struct
{
  VhDevice *device;
  VhScope *scope;
  VhLayout in, out;
  VhScopePlan *plan;
} Screen;

static void
make_layout (VhLayout * layout, const gchar * format, guint width,
    guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, "colorimetry", G_TYPE_STRING,
      "bt709", NULL);

  fail_unless (vh_layout_from_caps (layout, caps, NULL));
  gst_caps_unref (caps);
}

/* Input and output are GRAY8 of @width and @height. */
static void
screen_init (Screen * screen, guint width, guint height,
    const VhScopeTrace * trace)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  VhScopePlan *plan = vh_scope_plan_new ();
  guint i;

  make_layout (&screen->in, "GRAY8", width, height);
  make_layout (&screen->out, "GRAY8", trace->width, trace->height);
  plan->n_traces = plan->n_panels = 1;
  plan->trace[0] = *trace;
  plan->panel[0] = (VhScopePanel) {
    .width = trace->width,
    .height = trace->height,
    .opacity = 255,
  };
  plan->n_graticules = (gsize) trace->width * trace->height;
  plan->graticules = g_new0 (guint32, plan->n_graticules);
  vh_scope_colors_init (&plan->colors, &screen->out);
  /* One step for each sixteenth of an octave, starting at a count of 1. */
  for (i = 1; i < VH_SCOPE_STEPS; i++)
    plan->brightness[0][i] = MIN (i / 4 + 1, 255);
  screen->plan = plan;
  screen->device = vh_cpu_device_class.open (&config, NULL);
  screen->scope = screen->device->klass->new_scope (screen->device);
  fail_unless (screen->scope->klass->configure (screen->scope, &screen->in,
          &screen->out, plan, NULL));
}

static void
screen_clear (Screen * screen)
{
  screen->scope->klass->close (screen->scope);
  screen->device->klass->close (screen->device);
  vh_scope_plan_unref (screen->plan);
}

static VhFrame *
begin (Screen * screen, VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, VhFrameAccess access)
{
  VhFrame *frame;

  fail_unless (vh_frame_view_init (view, layout, buffer, 1, NULL));
  frame = screen->device->klass->begin (screen->device, view, access, FALSE,
      NULL);
  fail_unless (frame != NULL);
  return frame;
}

/* Draws the counts of @samples, rows with the layout's stride, and returns the
 * drawn codes in such rows. */
static guint8 *
screen_draw (Screen * screen, const guint8 * samples, gfloat decay)
{
  const VhScopeJob job = {.decay = decay };
  GstBuffer *source = gst_buffer_new_memdup (samples, screen->in.info.size);
  GstBuffer *drawn = gst_buffer_new_allocate (NULL, screen->out.info.size,
      NULL);
  guint8 *codes = g_malloc (screen->out.info.size);
  VhFrameView in, out;
  VhFrame *from = begin (screen, &in, &screen->in, source, VH_FRAME_READ);
  VhFrame *to = begin (screen, &out, &screen->out, drawn, VH_FRAME_WRITE);

  fail_unless (screen->scope->klass->submit (screen->scope, from, to, &job,
          NULL));
  fail_unless (screen->device->klass->end (screen->device, to, NULL));
  fail_unless (screen->device->klass->end (screen->device, from, NULL));
  gst_buffer_extract (drawn, 0, codes, screen->out.info.size);
  gst_buffer_unref (source);
  gst_buffer_unref (drawn);
  return codes;
}

/* The code of a pixel for @count. */
static guint
code_of (const Screen * screen, gfloat count)
{
  const guint light = screen->plan->brightness[0][vh_scope_step (count)];
  const VhScopePixel pixel = { {light, light, light, 255} };

  return vh_scope_blend (&screen->plan->colors, 0, 0, &pixel, 1);
}

/* As many columns as pixels, and as many levels as rows: each pixel is a
 * counter. */
GST_START_TEST (test_waveform)
{
  const VhScopeTrace trace = {
    .kind = VH_TRACE_WAVEFORM,
    .columns = 64,
    .levels = 256,
    .width = 64,
    .height = 256,
    .color = WHITE,
  };
  TestRandom random = test_random_new (1);
  guint8 samples[48 * 64], *codes;
  Screen screen;
  guint x, y, level;

  screen_init (&screen, 64, 48, &trace);
  for (y = 0; y < 48; y++) {
    for (x = 0; x < 64; x++)
      samples[y * 64 + x] = x + test_random_below (&random, 9);
  }
  codes = screen_draw (&screen, samples, 0);
  for (x = 0; x < 64; x++) {
    for (level = 0; level < 256; level++) {
      guint count = 0;

      for (y = 0; y < 48; y++)
        count += samples[y * 64 + x] == level;
      if (codes[(255 - level) * 64 + x] != code_of (&screen, count))
        fail ("column %u, level %u: %u", x, level, count);
    }
  }
  g_free (codes);
  screen_clear (&screen);
}

GST_END_TEST;

/* One pixel of 8.3 million is visible, and a column with all pixels in one
 * counter is less bright than one with more would be. */
GST_START_TEST (test_range)
{
  const VhScopeTrace trace = {
    .kind = VH_TRACE_WAVEFORM,
    .columns = 512,
    .levels = 256,
    .width = 512,
    .height = 128,
    .color = WHITE,
  };
  guint8 *samples = g_malloc (3840 * 2160), *codes;
  const guint flat = 3840 * 2160 / 512;
  Screen screen;

  memset (samples, 90, 3840 * 2160);
  samples[1000 * 3840 + 3000] = 200;
  screen_init (&screen, 3840, 2160, &trace);
  codes = screen_draw (&screen, samples, 0);
  fail_unless_equals_int (codes[(127 - 100) * 512 + 3000 * 512 / 3840],
      code_of (&screen, 1));
  fail_unless (code_of (&screen, 1) > code_of (&screen, 0));
  fail_unless_equals_int (codes[(127 - 45) * 512], code_of (&screen, flat));
  fail_unless (code_of (&screen, flat) < code_of (&screen, flat * 1.25));
  fail_unless (code_of (&screen, 8.3e6) < code_of (&screen, 2 * 8.3e6));
  g_free (codes);
  g_free (samples);
  screen_clear (&screen);
}

GST_END_TEST;

/* A level shown for a moment is at half brightness after the half-life,
 * whatever the frame rate, and gone later. */
GST_START_TEST (test_persistence)
{
  static const guint rates[] = { 25, 60 };
  const VhScopeTrace trace = {
    .kind = VH_TRACE_WAVEFORM,
    .columns = 16,
    .levels = 256,
    .width = 16,
    .height = 256,
    .color = WHITE,
  };
  const gdouble half_life = 0.8;
  const guint count = 1000;
  guint8 *before = g_malloc (16 * count), *after = g_malloc (16 * count);
  guint i, frame;

  memset (before, 200, 16 * count);
  memset (after, 40, 16 * count);
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    const gfloat decay = pow (0.5, 1 / (half_life * rates[i]));
    gfloat shown = count;
    Screen screen;

    screen_init (&screen, 16, count, &trace);
    g_free (screen_draw (&screen, before, decay));
    for (frame = 1; frame <= 40 * half_life * rates[i]; frame++) {
      guint8 *codes = screen_draw (&screen, after, decay);

      shown = vh_scope_persist (shown, 0, decay);
      fail_unless_equals_int (codes[55 * 16], code_of (&screen, shown));
      fail_unless_equals_int (codes[215 * 16], code_of (&screen, count));
      if (frame == half_life * rates[i])
        fail_unless (fabs (shown / count - 0.5) < 0.005, "%f", shown / count);
      g_free (codes);
    }
    fail_unless_equals_int (code_of (&screen, shown), code_of (&screen, 0));
    screen_clear (&screen);
  }
  g_free (before);
  g_free (after);
}

GST_END_TEST;

/* U and V of 75 % color bars in 8 bits: a vectorscope's targets for red,
 * magenta, blue, cyan, green and yellow. */
static const struct
{
  const gchar *matrix;
  guint uv[6][2];
} targets[] = {
  /* *INDENT-OFF* */
  {"2:4:0:0",
      {{100, 212}, {184, 198}, {212, 114}, {156, 44}, {72, 58}, {44, 142}}},
  {"2:3:0:0",
      {{109, 212}, {193, 204}, {212, 120}, {147, 44}, {63, 52}, {44, 136}}},
  {"2:6:0:0",
      {{105, 212}, {189, 205}, {212, 121}, {151, 44}, {67, 51}, {44, 135}}},
  /* *INDENT-ON* */
};

static const guint bars[6] = { 4, 5, 1, 3, 2, 6 };      /* bits: R G B */

GST_START_TEST (test_colors)
{
  static const gchar *const formats[] = { "Y444", "RGB", "Y444_12LE" };
  guint f, m, b, i;

  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (m = 0; m < G_N_ELEMENTS (targets); m++) {
      VhScopePixel white = { {255, 255, 255, 255} };
      VhScopeColors colors;
      VhLayout layout;

      make_layout (&layout, formats[f], 16, 16);
      fail_unless (gst_video_colorimetry_from_string (&layout.colorimetry,
              targets[m].matrix));
      layout.matrix = layout.colorimetry.matrix;
      vh_scope_colors_init (&colors, &layout);
      for (b = 0; b < 6; b++) {
        VhScopePixel pixel = { {0, 0, 0, 255} };
        guint rgb[3];

        for (i = 0; i < 3; i++) {
          const guint on = bars[b] >> (2 - i) & 1;

          pixel.c[i] = on ? 191 : 0;
          rgb[i] = on ? 16 + 164 : 16;
        }
        for (i = 0; i < 2; i++) {
          const gint got = layout.model == VH_MODEL_RGB ?
              vh_scope_chroma (&colors, i, rgb[0], rgb[1], rgb[2]) :
              vh_scope_blend (&colors, 1 + i, 0, &pixel,
              1) >> (layout.depth - 8);

          fail_unless (ABS (got - (gint) targets[m].uv[b][i]) <= 1,
              "%s, %s, bar %u: %d, not %u", formats[f], targets[m].matrix, b,
              got, targets[m].uv[b][i]);
        }
      }
      fail_unless_equals_int (vh_scope_blend (&colors, 0, 0, &white, 1),
          235 << (layout.depth - 8));
      for (i = 1; i < 3 && layout.model == VH_MODEL_YUV; i++)
        fail_unless_equals_int (vh_scope_blend (&colors, i, 0, &white, 1),
            128 << (layout.depth - 8));
    }
  }
}

GST_END_TEST;

TEST_SUITE (scope, NULL, NULL)
{
  tcase_add_test (tc, test_waveform);
  tcase_add_test (tc, test_range);
  tcase_add_test (tc, test_persistence);
  tcase_add_test (tc, test_colors);
}
