/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopeplan.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "core/error.h"
#include "core/joint.h"

#include <math.h>

/* Brightness of a single pixel, of 255, with GST_VIDEO_SCOPE_INTENSITY_AUTO. */
#define MIN_BRIGHTNESS 72

/* Brightness of bars of histograms, of 255. */
#define BAR_BRIGHTNESS 210

static const guint8 value_colors[VH_SCOPE_N_VALUES][3] = {
  [VH_SCOPE_LUMA] = {225, 235, 225},
  [VH_SCOPE_RED] = {255, 56, 48},
  [VH_SCOPE_GREEN] = {48, 255, 64},
  [VH_SCOPE_BLUE] = {72, 96, 255},
  [VH_SCOPE_U] = {64, 160, 255},
  [VH_SCOPE_V] = {255, 112, 96},
};

static const guint8 chroma_color[3] = { 215, 255, 215 };

#define FIELD(kind, field, name, least, most) \
    {name, G_STRUCT_OFFSET (GstVideoScopeSettings, field), VH_FIELD_##kind, \
        least, most, NULL}
#define CHOICE(field, name, type) \
    {name, G_STRUCT_OFFSET (GstVideoScopeSettings, field), VH_FIELD_CHOICE, \
        0, 0, type}

static const VhField fields[] = {
  CHOICE (scopes, "scopes", gst_video_scopes_get_type),
  CHOICE (layout, "layout", gst_video_scope_layout_get_type),
  CHOICE (position, "position", gst_video_scope_position_get_type),
  FIELD (NUMBER, size, "size", 0.05, 1),
  FIELD (NUMBER, opacity, "opacity", 0, 1),
  CHOICE (components, "components", gst_video_scope_components_get_type),
  CHOICE (mode, "mode", gst_video_scope_mode_get_type),
  CHOICE (intensity, "intensity", gst_video_scope_intensity_get_type),
  FIELD (NUMBER, gain, "gain", 0, 1e6),
  FIELD (NUMBER, exponent, "exponent", 0.05, 1),
  FIELD (TIME, persistence, "persistence", 0, GST_VIDEO_SCOPE_MAX_PERSISTENCE),
  CHOICE (envelope, "envelope", gst_video_scope_envelope_get_type),
  CHOICE (graticule, "graticule", gst_video_scope_graticule_get_type),
  CHOICE (scale, "scale", gst_video_scope_scale_get_type),
  CHOICE (limits, "limits", gst_video_scope_limits_get_type),
  CHOICE (targets, "targets", gst_video_scope_targets_get_type),
  FIELD (NUMBER, skin_line, "skin-line", 0, 360),
  CHOICE (false_color, "false-color", gst_video_scope_false_color_get_type),
  FIELD (NUMBER, zebra_low, "zebra-low", -0.2, 1.2),
  FIELD (NUMBER, zebra_high, "zebra-high", -0.2, 1.2),
};

gboolean
vh_scope_check_settings (const GstVideoScopeSettings * settings,
    GError ** error)
{
  return vh_check_settings (settings, fields, G_N_ELEMENTS (fields), error);
}

/* Traces */

/* The smallest power of two that is at least @pixels, limited to @most, which
 * must be a power of two. All cells then count the same number of codes. */
static guint
cells_for (guint pixels, guint most)
{
  guint cells = 1;

  while (cells < pixels && cells < most)
    cells *= 2;
  return cells;
}

static gboolean
is_chroma (guint value)
{
  return value == VH_SCOPE_U || value == VH_SCOPE_V;
}

/* A plan that is being made from a scene. */
typedef struct
{
  const VhScopeWishes *wishes;
  const VhLayout *in;
  guint width, height;          /* of the picture */
  VhScopeScene scene;
  guint bins;                   /* of all histograms except U and V */
  VhScopePlan *plan;
} Making;

/* The chroma samples of YUV if @chroma, otherwise the pixels of the picture. */
static VhRect
samples_of (const Making * making, gboolean chroma)
{
  const VhRect picture = { 0, 0, making->width, making->height };

  return chroma && making->in->model == VH_MODEL_YUV ?
      vh_chroma_region (making->in, &picture) : picture;
}

static void
set_histogram (const Making * making, VhScopeTrace * trace)
{
  trace->kind = VH_TRACE_HISTOGRAM;
  trace->columns = is_chroma (trace->value) ? VH_SCOPE_CHROMA_BINS :
      making->bins;
  trace->levels = 1;
}

static void
set_waveform (const Making * making, VhScopeTrace * trace)
{
  const VhRect samples = samples_of (making, is_chroma (trace->value));
  const guint codes = 1u << making->in->depth;

  trace->kind = VH_TRACE_WAVEFORM;
  trace->columns = MIN (trace->width, samples.width);
  trace->levels = cells_for (trace->height, MIN (codes, VH_SCOPE_MAX_LEVELS));
}

/* Brightness */

/* The smallest count that is shown at @step. */
static gdouble
count_of_step (guint step)
{
  const gint exponent = (gint) ((step - 1) >> VH_SCOPE_MANTISSA_BITS) +
      VH_SCOPE_LEAST_EXPONENT;
  const guint mantissa = (step - 1) & ((1u << VH_SCOPE_MANTISSA_BITS) - 1);

  return ldexp (1 + ldexp (mantissa, -VH_SCOPE_MANTISSA_BITS), exponent);
}

/* Logarithmic from one pixel to @most; below one pixel, a fading trace goes to
 * zero. */
static gdouble
brightness_auto (gdouble count, gdouble most)
{
  if (count < 1) {
    return MIN_BRIGHTNESS * (1 + log2 (count) /
        -(gdouble) VH_SCOPE_LEAST_EXPONENT);
  }
  if (most <= 1)
    return 255;
  return MIN_BRIGHTNESS + (255 - MIN_BRIGHTNESS) * log (count) /
      log (most);
}

/* Fills the brightness of counts; a flat picture has a count of @most, and an
 * even spread counts of @even. */
static void
set_brightness (const GstVideoScopeSettings * settings, gdouble most,
    gdouble even, guint8 brightness[VH_SCOPE_STEPS])
{
  guint step;

  brightness[0] = 0;
  for (step = 1; step < VH_SCOPE_STEPS; step++) {
    const gdouble count = count_of_step (step);
    gdouble value;

    switch (settings->intensity) {
      case GST_VIDEO_SCOPE_INTENSITY_GAIN:
        value = 255 * settings->gain * count / even;
        break;
      case GST_VIDEO_SCOPE_INTENSITY_POWER:
        value = 255 * settings->gain * pow (count / even, settings->exponent);
        break;
      default:
        value = brightness_auto (count, most);
        break;
    }
    brightness[step] = (guint8) CLAMP (rint (value), 0, 255);
  }
}

static void
set_trace_brightness (Making * making, guint i)
{
  const VhScopeTrace *trace = &making->plan->trace[i];
  guint8 *brightness = making->plan->brightness[i];
  const VhRect samples = samples_of (making, trace->kind == VH_TRACE_CHROMA
      || is_chroma (trace->value));
  gdouble most = (gdouble) samples.width * samples.height;

  if (trace->kind == VH_TRACE_HISTOGRAM) {
    brightness[VH_SCOPE_STEPS - 1] = BAR_BRIGHTNESS;
    return;
  }
  if (trace->kind == VH_TRACE_WAVEFORM)
    most = ceil ((gdouble) samples.width / trace->columns) * samples.height;
  set_brightness (&making->wishes->settings, most, MAX (1, most /
          (trace->kind == VH_TRACE_WAVEFORM ? trace->levels :
              vh_scope_trace_cells (trace))), brightness);
}

/* Panels */

static void
add_trace (Making * making, guint panel, const VhScopePlot * plot, guint value)
{
  const GstVideoScopes scope = making->scene.view[panel].scope;
  VhScopePlan *plan = making->plan;
  VhScopeTrace *trace = &plan->trace[plan->n_traces];
  const guint8 *color = value_colors[value];
  guint i;

  *trace = (VhScopeTrace) {
    .value = value,
    .panel = panel,
    .x = plot->rect.x,
    .y = plot->rect.y,
    .width = plot->rect.width,
    .height = plot->rect.height,
  };
  if (scope == GST_VIDEO_SCOPES_HISTOGRAM) {
    set_histogram (making, trace);
  } else if (scope == GST_VIDEO_SCOPES_VECTORSCOPE) {
    trace->kind = VH_TRACE_CHROMA;
    trace->columns = trace->levels = VH_SCOPE_CHROMA_BINS;
    color = chroma_color;
  } else {
    set_waveform (making, trace);
  }
  for (i = 0; i < 3; i++)
    trace->color[i] = color[i];
  set_trace_brightness (making, plan->n_traces++);
}

/* All histograms share one counter, with as many bins as the widest of them
 * needs. */
static void
choose_bins (Making * making)
{
  const guint codes = 1u << making->in->depth;
  guint width = 1, i, j;

  for (i = 0; i < making->scene.n_views; i++) {
    const VhScopeView *view = &making->scene.view[i];

    for (j = 0; view->scope == GST_VIDEO_SCOPES_HISTOGRAM
        && j < view->n_plots; j++)
      width = MAX (width, view->plot[j].rect.width);
  }
  making->bins = cells_for (width, MIN (codes, VH_SCOPE_MAX_BINS));
}

static void
add_panel (Making * making, guint i)
{
  const VhScopeView *view = &making->scene.view[i];
  const gdouble opacity = making->scene.over_picture ?
      making->wishes->settings.opacity : 1;
  VhScopePlan *plan = making->plan;
  guint j, k;

  plan->panel[plan->n_panels++] = (VhScopePanel) {
    .x = view->rect.x,
    .y = view->rect.y,
    .width = view->rect.width,
    .height = view->rect.height,
    .opacity = (guint32) rint (255 * opacity),
    .graticule = (guint32) plan->n_graticules,
  };
  plan->n_graticules += (gsize) view->rect.width * view->rect.height;
  for (j = 0; j < view->n_plots; j++) {
    const VhScopePlot *plot = &view->plot[j];

    for (k = 0; k < MAX (plot->n_values, 1); k++)
      add_trace (making, i, plot, plot->value[k]);
  }
}

/* Graticules */

/* Everything that graticules depend on, with padding zeroed. */
typedef struct
{
  VhScopeScene scene;
  VhScopeMarks marks;
  VhScopeTable table;
  GstVideoFormat format;
  GstVideoColorimetry colorimetry;
  GstVideoColorMatrix matrix;
} Subject;

struct _VhScopeSketch
{
  Subject subject;
  guint32 *pixels;              /* NULL before the first */
};

VhScopeSketch *
vh_scope_sketch_new (void)
{
  return g_new0 (VhScopeSketch, 1);
}

void
vh_scope_sketch_free (VhScopeSketch * sketch)
{
  g_free (sketch->pixels);
  g_free (sketch);
}

static void
describe (const Making * making, Subject * subject)
{
  const GstVideoScopeSettings *settings = &making->wishes->settings;
  const VhScopeTable *table =
      vh_scope_find_table (settings->false_color, &making->wishes->table);
  VhScopeMarks *marks = &subject->marks;

  memset (subject, 0, sizeof (*subject));
  memcpy (&subject->scene, &making->scene, sizeof (subject->scene));
  marks->graticule = settings->graticule;
  marks->scale = settings->scale;
  marks->limits = settings->limits;
  marks->targets = settings->targets;
  marks->skin_line = settings->skin_line;
  marks->n_lines = making->wishes->n_lines;
  memcpy (marks->line, making->wishes->line,
      marks->n_lines * sizeof (marks->line[0]));
  memcpy (&subject->table, table, sizeof (*table));
  subject->format = GST_VIDEO_INFO_FORMAT (&making->in->info);
  subject->colorimetry = making->in->colorimetry;
  subject->matrix = making->in->matrix;
}

/* Draws the graticules of @making unless nothing has changed; FALSE if there is
 * not enough memory. */
static gboolean
update_sketch (Making * making, VhScopeSketch * sketch)
{
  const VhScopePlan *plan = making->plan;
  Subject subject;
  guint i;

  describe (making, &subject);
  if (sketch->pixels
      && memcmp (&subject, &sketch->subject, sizeof (subject)) == 0)
    return TRUE;

  g_free (sketch->pixels);
  sketch->pixels = g_try_new (guint32, plan->n_graticules);
  if (!sketch->pixels)
    return FALSE;
  memcpy (&sketch->subject, &subject, sizeof (subject));
  subject.marks.table = &subject.table;
  for (i = 0; i < plan->n_panels; i++) {
    vh_scope_graticule_draw (&making->scene.view[i], making->in,
        &subject.marks, sketch->pixels + plan->panel[i].graticule);
  }
  return TRUE;
}

/* Gives the plan its graticules. */
static gboolean
add_graticules (Making * making, VhScopeSketch * sketch)
{
  VhScopePlan *plan = making->plan;

  if (!update_sketch (making, sketch))
    return FALSE;
  plan->graticules = g_try_new (guint32, plan->n_graticules);
  if (!plan->graticules)
    return FALSE;
  memcpy (plan->graticules, sketch->pixels,
      plan->n_graticules * sizeof (guint32));
  return TRUE;
}

VhScopePlan *
vh_scope_plan_make (const VhScopeWishes * wishes, const VhLayout * in,
    guint width, guint height, const VhLayout * out, VhScopeSketch * sketch,
    GError ** error)
{
  VhScopePlan *plan = vh_scope_plan_new ();
  Making making = {
    .wishes = wishes,
    .in = in,
    .width = width,
    .height = height,
    .plan = plan,
  };
  guint i;

  vh_scope_scene_arrange (&making.scene, &wishes->settings, in, width, height,
      out);
  choose_bins (&making);
  for (i = 0; i < making.scene.n_views; i++)
    add_panel (&making, i);
  if (plan->n_panels > 0 && !add_graticules (&making, sketch)) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
        "memory for scopes of this size");
    vh_scope_plan_unref (plan);
    return NULL;
  }
  if (wishes->settings.envelope & GST_VIDEO_SCOPE_ENVELOPE_INSTANT)
    plan->envelope |= VH_ENVELOPE_INSTANT;
  if (wishes->settings.envelope & GST_VIDEO_SCOPE_ENVELOPE_PEAK)
    plan->envelope |= VH_ENVELOPE_PEAK;
  vh_scope_colors_init (&plan->colors, out);
  plan->shows_picture = making.scene.shows_picture;
  plan->picture_x = making.scene.picture_x;
  plan->picture_y = making.scene.picture_y;
  if (plan->shows_picture) {
    vh_scope_look_init (&plan->look, &wishes->settings, &wishes->table, in,
        &plan->colors);
  }
  return plan;
}
