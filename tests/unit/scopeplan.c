/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopeplan.h"

#include "core/channels.h"
#include "core/joint.h"
#include "cpu/reference.h"

#define MAX_PANELS 3
#define MAX_TRACES 5

/* log2 of the pixels that share chroma. */
static guint
w_sub (const VhLayout * layout)
{
  return layout->model == VH_MODEL_YUV ? layout->component[1].w_sub : 0;
}

static guint
h_sub (const VhLayout * layout)
{
  return layout->model == VH_MODEL_YUV ? layout->component[1].h_sub : 0;
}

/* Chooses a range within [@from, @end) that starts at a multiple of 2^@sub, and
 * ends at one or at @size; empty if there is none. */
static guint
choose_part (TestRandom * random, guint from, guint end, guint size,
    guint sub, guint * length)
{
  const guint first = (from + (1 << sub) - 1) >> sub;
  const guint last = end == size ? (size + (1 << sub) - 1) >> sub : end >> sub;
  guint start, stop;

  *length = 0;
  if (first >= last)
    return 0;
  start = first + test_random_below (random, last - first);
  stop = start + 1 + test_random_below (random, last - start);
  if (test_random_once_in (random, 4)) {
    start = first;
    stop = last;
  }
  *length = MIN (stop << sub, size) - (start << sub);
  return start << sub;
}

/* In strips of the output, so that panels do not overlap. */
static void
add_panels (VhScopePlan * plan, TestRandom * random, const VhLayout * out)
{
  const guint width = GST_VIDEO_INFO_WIDTH (&out->info);
  const guint height = GST_VIDEO_INFO_HEIGHT (&out->info);
  const guint n = test_random_below (random, MAX_PANELS + 1);
  gsize pixel;
  guint i;

  for (i = 0; i < n; i++) {
    VhScopePanel *panel = &plan->panel[plan->n_panels];

    panel->x = choose_part (random, width * i / n, width * (i + 1) / n, width,
        w_sub (out), &panel->width);
    panel->y = choose_part (random, 0, height, height, h_sub (out),
        &panel->height);
    panel->opacity = test_random_once_in (random, 3) ? 255 :
        test_random_below (random, 256);
    panel->graticule = plan->n_graticules;
    if (panel->width > 0) {
      plan->n_graticules += (gsize) panel->width * panel->height;
      plan->n_panels++;
    }
  }
  plan->graticules = g_new0 (guint32, MAX (plan->n_graticules, 1));
  for (pixel = 0; pixel < plan->n_graticules; pixel++) {
    const guint alpha = test_random_below (random, 256);

    if (!test_random_once_in (random, 3))
      continue;
    for (i = 0; i < 3; i++) {
      plan->graticules[pixel] = plan->graticules[pixel] << 8 |
          test_random_below (random, alpha + 1);
    }
    plan->graticules[pixel] |= alpha << 24;
  }
}

static void
set_table (VhScopeTrace * trace, TestRandom * random, const VhLayout * picture,
    guint bins)
{
  const gboolean halves = picture->model == VH_MODEL_YUV
      && trace->value >= VH_SCOPE_U;
  const guint width = GST_VIDEO_INFO_WIDTH (&picture->info);
  const guint samples = halves ? ((width - 1) >> w_sub (picture)) + 1 : width;

  const guint most_bits = test_random_once_in (random, 4) ?
      test_random_below (random, 13) : 8 + test_random_below (random, 4);

  trace->levels = 1;
  if (trace->kind == VH_TRACE_CHROMA) {
    trace->columns = trace->levels = VH_SCOPE_CHROMA_BINS;
  } else if (trace->kind == VH_TRACE_HISTOGRAM) {
    trace->columns = trace->value >= VH_SCOPE_U ? VH_SCOPE_CHROMA_BINS : bins;
  } else {
    trace->columns = MIN (trace->width, samples);
    if (test_random_once_in (random, 2))
      trace->columns = 1 + test_random_below (random, trace->columns);
    trace->levels = 1 << MIN (picture->depth, most_bits);
  }
}

static void
add_trace (VhScopePlan * plan, TestRandom * random, const VhLayout * picture,
    guint bins)
{
  VhScopeTrace *trace = &plan->trace[plan->n_traces++];
  const VhScopePanel *panel;
  guint i;

  trace->panel = test_random_below (random, plan->n_panels);
  panel = &plan->panel[trace->panel];
  trace->x = panel->x + choose_part (random, 0, panel->width, panel->width, 0,
      &trace->width);
  trace->y = panel->y + choose_part (random, 0, panel->height, panel->height, 0,
      &trace->height);
  trace->kind = test_random_below (random, VH_TRACE_CHROMA + 1);
  if (trace->kind != VH_TRACE_CHROMA)
    trace->value = test_random_below (random, VH_SCOPE_N_VALUES);
  set_table (trace, random, picture, bins);
  for (i = 0; i < 3; i++)
    trace->color[i] = test_random_below (random, 256);
}

static void
set_brightness (guint8 * brightness, TestRandom * random)
{
  const guint first = test_random_below (random, 400);
  const guint rise = 1 + test_random_below (random, 8);
  guint value = test_random_below (random, 200), i;

  for (i = 1; i < VH_SCOPE_STEPS; i++) {
    if (i >= first) {
      value = MIN (value + (test_random_once_in (random, rise)), 255);
      brightness[i] = value;
    }
  }
}

static void
set_look (VhScopeLook * look, TestRandom * random, const VhLayout * layout)
{
  const guint codes = 1u << layout->depth;
  const gboolean flat = test_random_once_in (random, 3);
  guint i, c;

  look->n_colors = test_random_below (random, VH_LOOK_MAX_COLORS + 1);
  look->period = 2 * (1 + test_random_below (random, 8));
  look->of_code = g_malloc (codes);
  for (i = 0; i < codes; i++) {
    look->of_code[i] = test_random_below (random,
        VH_LOOK_COLOR + look->n_colors);
    if (test_random_once_in (random, 4))
      look->of_code[i] |= VH_LOOK_ZEBRA;
    if (flat)
      look->of_code[i] = look->of_code[0];
  }
  for (c = 0; c < 3; c++) {
    look->stripe[c] = test_random_below (random, codes);
    for (i = 0; i < look->n_colors; i++)
      look->color[i][c] = test_random_below (random, codes);
  }
}

/* Chooses a position for @size within @room, at a multiple of 2^@sub. */
static guint
choose_place (TestRandom * random, guint size, guint room, guint sub)
{
  return test_random_below (random, ((room - size) >> sub) + 1) << sub;
}

VhScopePlan *
test_scope_plan_new_random (TestRandom * random, const VhLayout * picture,
    const VhLayout * out)
{
  VhScopePlan *plan = vh_scope_plan_new ();
  const guint bins = 1 << (1 + test_random_below (random, 12));
  guint n, i;

  vh_scope_colors_init (&plan->colors, out);
  add_panels (plan, random, out);
  n = plan->n_panels > 0 ? test_random_below (random, MAX_TRACES + 1) : 0;
  for (i = 0; i < n; i++) {
    add_trace (plan, random, picture, bins);
    set_brightness (plan->brightness[i], random);
  }
  plan->envelope = test_random_below (random, 4);
  if (test_random_once_in (random, 3))
    set_look (&plan->look, random, picture);
  plan->shows_picture = picture == out || !test_random_once_in (random, 3);
  if (picture != out) {
    plan->picture_x = choose_place (random,
        GST_VIDEO_INFO_WIDTH (&picture->info),
        GST_VIDEO_INFO_WIDTH (&out->info), w_sub (out));
    plan->picture_y = choose_place (random,
        GST_VIDEO_INFO_HEIGHT (&picture->info),
        GST_VIDEO_INFO_HEIGHT (&out->info), h_sub (out));
  }
  return plan;
}

static VhCounts *
new_counts (guint channels, guint bins)
{
  const VhCountsShape shape = { channels, bins, 1, 1 };
  VhCounts *counts = vh_counts_new (&shape);

  g_assert (counts != NULL);
  return counts;
}

/* Occasionally fails. */
static void
finish (VhCounts * counts, TestRandom * random)
{
  if (test_random_once_in (random, 20))
    vh_counts_fail (counts);
  else
    vh_counts_complete (counts);
}

void
test_scope_job_init (VhScopeJob * job, TestRandom * random,
    const VhScopePlan * plan, const VhFrameView * view)
{
  guint channels = 0, bins = 0, i;

  *job = (VhScopeJob) { NULL, };
  if (test_random_once_in (random, 2))
    job->decay = test_random_below (random, 1001) / 1000.0f;
  job->reset = test_random_once_in (random, 6);
  for (i = 0; i < plan->n_traces; i++) {
    if (plan->trace[i].kind == VH_TRACE_HISTOGRAM
        && plan->trace[i].value < VH_SCOPE_U) {
      channels |= 1u << plan->trace[i].value;
      bins = plan->trace[i].columns;
    }
  }
  if (channels && !test_random_once_in (random, 20)) {
    job->histogram = new_counts (channels, bins);
    vh_reference_count (view, &view->picture, job->histogram);
    finish (job->histogram, random);
  }
  if (view->layout->model != VH_MODEL_GRAY
      && !test_random_once_in (random, 20)) {
    job->chroma = new_counts (1u << VH_CHANNEL_LUMA, VH_SCOPE_CHROMA_BINS *
        VH_SCOPE_CHROMA_BINS);
    vh_reference_count_chroma (view, &view->picture, VH_SCOPE_CHROMA_BINS,
        vh_counts_storage (job->chroma));
    finish (job->chroma, random);
  }
}

void
test_scope_job_clear (VhScopeJob * job)
{
  g_clear_pointer (&job->histogram, vh_counts_unref);
  g_clear_pointer (&job->chroma, vh_counts_unref);
}
