/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes drawn on random frames, by the scalar reference and by the CPU with
 * each of its tables of loops, have the same bytes and the same counts. A case
 * depends only on its seed, so `TEST_SEED=<seed> TEST_SWEEP_CASES=1` reproduces
 * a failure.
 *
 * TEST_SWEEP_CASES: number of cases; TEST_SEED: the first seed. */

#include "sweepfixture.h"

#include "common/memory.h"
#include "cpu/scopereference.h"
#include "scopeplan.h"

#define DEFAULT_CASES 400
#define CASES_OF_LONG_TIER 40000
#define FRAMES 4                /* per case */

typedef struct
{
  guint64 seed;
  TestRandom random;
  gboolean in_place;
  TestFrame frame;              /* later frames are like this one */
  GstCaps *out_caps;
  VhLayout in, out;
  guint n_plans;
  VhScopePlan *plan;
} Case;

static guint n_drawn;

static void
choose_size (TestRandom * random, guint * width, guint * height)
{
  *width = 1 + test_random_below (random, 60);
  *height = 1 + test_random_below (random, 30);
  if (test_random_once_in (random, 5))
    *width = 1 + test_random_below (random, 300);
  if (test_random_once_in (random, 5))
    *height = 1 + test_random_below (random, 120);
  if (test_random_once_in (random, 8))
    *width = *height = 1 + test_random_below (random, 2);
}

static void
make_plan (Case * c)
{
  c->plan = test_scope_plan_new_random (&c->random, &c->in,
      c->in_place ? &c->in : &c->out);
  c->n_plans++;
}

static void
case_init (Case * c, guint64 seed)
{
  GstVideoFormat format;
  guint width, height;

  *c = (Case) {
    .seed = seed,
    .random = test_random_new (seed),
  };
  format = sweep_format (&c->random);
  choose_size (&c->random, &width, &height);
  test_frame_init_random (&c->frame, &c->random, format, width, height,
      sweep_colorimetry (&c->random));
  c->in_place = test_random_once_in (&c->random, 2);
  c->out_caps = gst_caps_copy (c->frame.caps);
  gst_caps_set_simple (c->out_caps,
      "width", G_TYPE_INT, width + test_random_below (&c->random, 40),
      "height", G_TYPE_INT, height + test_random_below (&c->random, 40), NULL);
  fail_unless (vh_layout_from_caps (&c->in, c->frame.caps, NULL));
  fail_unless (vh_layout_from_caps (&c->out, c->out_caps, NULL));
  make_plan (c);
}

static void
case_clear (Case * c)
{
  test_frame_clear (&c->frame);
  gst_caps_unref (c->out_caps);
  vh_scope_plan_unref (c->plan);
}

/* For messages; never freed. */
static const gchar *
case_describe (const Case * c)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_printf (text, "TEST_SEED=%" G_GUINT64_FORMAT ": %s %ux%u at %u,%u, "
      "%s, %s, plan %u with %u panels, envelope %u", c->seed,
      gst_video_format_to_string (c->frame.format), c->frame.width,
      c->frame.height, c->frame.x, c->frame.y, c->frame.colorimetry,
      c->in_place ? "in place" : "into another", c->n_plans, c->plan->n_panels,
      c->plan->envelope);
  for (i = 0; i < c->plan->n_traces; i++) {
    const VhScopeTrace *trace = &c->plan->trace[i];

    g_string_append_printf (text, ", trace %u of %u in %ux%u at %u,%u of "
        "%ux%u", trace->kind, trace->value, trace->columns, trace->levels,
        trace->x, trace->y, trace->width, trace->height);
  }
  return g_string_free (text, FALSE);
}

/* A frame to draw into, filled with @byte. */
static GstBuffer *
make_output (const Case * c, guint8 byte)
{
  guint8 *image = g_malloc (c->out.info.size);
  GstBuffer *buffer;

  memset (image, byte, c->out.info.size);
  buffer = test_buffer_guarded (image, c->out.info.size);
  g_free (image);
  return buffer;
}

/* The expected results for a frame of the case. */
typedef struct
{
  guint8 *image;
  VhScopeJob job;
  gboolean is_taken;
  GstBuffer *drawn;
  gboolean has_counts[VH_SCOPE_MAX_TRACES];
  guint32 *counts[VH_SCOPE_MAX_TRACES];
} Wanted;

/* Each column of a waveform sums up to its number of samples. */
static void
check_columns (const Case * c, const VhFrameView * view, guint i,
    const guint32 * counts)
{
  const VhScopeTrace *trace = &c->plan->trace[i];
  const gboolean is_chroma = c->in.model == VH_MODEL_YUV
      && trace->value >= VH_SCOPE_U;
  const guint w_sub = is_chroma ? c->in.component[1].w_sub : 0;
  const guint h_sub = is_chroma ? c->in.component[1].h_sub : 0;
  const guint x = view->picture.x >> w_sub, y = view->picture.y >> h_sub;
  const guint width =
      ((view->picture.x + view->picture.width - 1) >> w_sub) + 1 - x;
  const guint height =
      ((view->picture.y + view->picture.height - 1) >> h_sub) + 1 - y;
  guint64 *sums = g_new0 (guint64, trace->columns);
  guint column, level, n;

  for (n = 0; n < width; n++)
    sums[(guint64) n * trace->columns / width] += height;
  for (column = 0; column < trace->columns; column++) {
    guint64 sum = 0;

    for (level = 0; level < trace->levels; level++)
      sum += counts[(gsize) column * trace->levels + level];
    if (sum != sums[column])
      fail ("column %u of trace %u has %" G_GUINT64_FORMAT " samples, not %"
          G_GUINT64_FORMAT ": %s", column, i, sum, sums[column],
          case_describe (c));
  }
  g_free (sums);
}

static void
keep_counts (Wanted * wanted, const Case * c, VhReferenceScope * reference,
    const VhFrameView * view)
{
  guint i;

  for (i = 0; i < c->plan->n_traces; i++) {
    const VhScopeTrace *trace = &c->plan->trace[i];
    const guint32 *counts = vh_reference_scope_counts (reference, i);

    wanted->has_counts[i] = counts && trace->kind != VH_TRACE_HISTOGRAM;
    if (!wanted->has_counts[i])
      continue;
    if (trace->kind == VH_TRACE_WAVEFORM)
      check_columns (c, view, i, counts);
    wanted->counts[i] = g_memdup2 (counts, vh_scope_trace_cells (trace) *
        sizeof (*counts));
  }
}

/* Draws a frame with the reference. */
static void
wanted_init (Wanted * wanted, Case * c, VhReferenceScope * reference)
{
  VhFrameView in, out;
  GstBuffer *source;

  memset (wanted, 0, sizeof (*wanted));
  wanted->image = g_memdup2 (c->frame.image, c->frame.size);
  if (test_random_once_in (&c->random, 2))
    test_random_fill (&c->random, wanted->image, c->frame.size);
  source = sweep_buffer (&c->frame, wanted->image);
  wanted->drawn = c->in_place ? gst_buffer_ref (source) : make_output (c, 0);
  sweep_view (&in, &c->in, source);
  sweep_view (&out, c->in_place ? &c->in : &c->out, wanted->drawn);
  fail_unless (vh_frame_view_map (&in, GST_MAP_READWRITE, NULL));
  fail_unless (c->in_place || vh_frame_view_map (&out, GST_MAP_READWRITE,
          NULL));
  test_scope_job_init (&wanted->job, &c->random, c->plan, &in);
  wanted->is_taken = vh_scope_plan_takes (c->plan, &in, c->in_place ? &in :
      &out, NULL);
  if (wanted->is_taken) {
    vh_reference_scope_draw (reference, &in, c->in_place ? &in : &out,
        &wanted->job);
    keep_counts (wanted, c, reference, &in);
    n_drawn++;
  }
  vh_frame_view_unmap (&in);
  vh_frame_view_unmap (&out);
  gst_buffer_unref (source);
}

static void
wanted_clear (Wanted * wanted)
{
  guint i;

  for (i = 0; i < VH_SCOPE_MAX_TRACES; i++)
    g_free (wanted->counts[i]);
  test_scope_job_clear (&wanted->job);
  gst_buffer_unref (wanted->drawn);
  g_free (wanted->image);
}

/* Compares the rows of all planes. Padding is checked only in place, where it
 * must not change. */
static void
check_bytes (const Case * c, const VhFrameView * view, GstBuffer * wanted,
    GstBuffer * drawn, const gchar * who)
{
  const gsize size = gst_buffer_get_size (wanted);
  guint8 *a = g_malloc (size), *b = g_malloc (size);
  guint p, y;
  gsize x;

  gst_buffer_extract (wanted, 0, a, size);
  gst_buffer_extract (drawn, 0, b, size);
  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (&view->layout->info); p++) {
    const VhPlane *plane = &view->plane[p];

    for (y = 0; y < plane->rows; y++) {
      for (x = 0; x < plane->row_bytes; x++) {
        const gsize at = plane->offset + y * plane->stride + x;

        if (a[at] != b[at])
          fail ("byte %" G_GSIZE_FORMAT " of row %u of plane %u is %02x, not "
              "%02x, with %s: %s", x, y, p, b[at], a[at], who,
              case_describe (c));
      }
    }
  }
  fail_if (c->in_place && memcmp (a, b, size) != 0,
      "something around the rows changed with %s: %s", who, case_describe (c));
  g_free (a);
  g_free (b);
}

static void
check_counts (const Case * c, const Wanted * wanted, VhScope * scope,
    const gchar * who)
{
  guint i;

  for (i = 0; i < c->plan->n_traces; i++) {
    const gsize cells = vh_scope_trace_cells (&c->plan->trace[i]);
    guint32 *counts;

    if (c->plan->trace[i].kind == VH_TRACE_HISTOGRAM)
      continue;
    counts = g_new0 (guint32, cells);
    fail_unless (scope->klass->read (scope, i, counts, NULL) ==
        wanted->has_counts[i], "trace %u with %s: %s", i, who,
        case_describe (c));
    fail_if (wanted->has_counts[i] && memcmp (counts, wanted->counts[i],
            cells * sizeof (*counts)) != 0,
        "counts of trace %u differ with %s: %s", i, who, case_describe (c));
    g_free (counts);
  }
}

/* Draws the frame of @wanted with @scope. */
static void
check_frame (const Case * c, const Wanted * wanted, VhDevice * device,
    VhScope * scope, const gchar * who)
{
  GstBuffer *source = c->in_place || c->seed % 2 ?
      sweep_buffer (&c->frame, wanted->image) : NULL;
  GstBuffer *drawn;
  VhFrameView in, out;
  VhFrame *from, *to;
  GError *error = NULL;

  /* In the original layout, in several memories. */
  if (!source && memcmp (wanted->image, c->frame.image, c->frame.size) == 0)
    source = gst_buffer_ref (c->frame.buffer);
  else if (!source)
    source = sweep_buffer (&c->frame, wanted->image);
  drawn = c->in_place ? gst_buffer_ref (source) : make_output (c, 0x5a);
  sweep_view (&in, &c->in, source);
  sweep_view (&out, c->in_place ? &c->in : &c->out, drawn);
  from = device->klass->begin (device, &in, c->in_place ? VH_FRAME_WRITE :
      VH_FRAME_READ, FALSE, NULL);
  fail_unless (from != NULL);
  to = c->in_place ? from : device->klass->begin (device, &out,
      VH_FRAME_WRITE, FALSE, NULL);
  fail_unless (to != NULL);
  fail_unless (scope->klass->submit (scope, from, to, &wanted->job, &error) ==
      wanted->is_taken, "%s with %s: %s", error ? error->message : "taken",
      who, case_describe (c));
  fail_unless (device->klass->end (device, to, NULL));
  if (from != to)
    fail_unless (device->klass->end (device, from, NULL));
  if (wanted->is_taken || c->in_place)
    check_bytes (c, &out, wanted->drawn, drawn, who);
  if (wanted->is_taken) {
    check_counts (c, wanted, scope, who);
  } else {
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
            GST_VIDEO_HISTOGRAM_ERROR_FRAME));
    g_clear_error (&error);
  }
  gst_buffer_unref (drawn);
  gst_buffer_unref (source);
}

/* A few frames of one stream; the plan changes in the middle. */
static void
check_case (Case * c)
{
  const VhLoops *const *kernels = vh_loops_list ();
  const guint n = sweep_n_kernels ();
  VhReferenceScope *reference = vh_reference_scope_new ();
  VhDevice **devices = g_new (VhDevice *, n);
  VhScope **scopes = g_new (VhScope *, n);
  guint frame, k;

  for (k = 0; k < n; k++) {
    devices[k] = sweep_open_cpu (kernels[k]);
    scopes[k] = devices[k]->klass->new_scope (devices[k]);
  }
  for (frame = 0; frame < FRAMES; frame++) {
    Wanted wanted;

    if (frame == FRAMES / 2) {
      vh_scope_plan_unref (c->plan);
      make_plan (c);
    }
    if (frame % (FRAMES / 2) == 0) {
      vh_reference_scope_set_plan (reference, c->plan);
      for (k = 0; k < n; k++) {
        fail_unless (scopes[k]->klass->configure (scopes[k], &c->in,
                c->in_place ? &c->in : &c->out, c->plan, NULL));
      }
    }
    wanted_init (&wanted, c, reference);
    for (k = 0; k < n; k++)
      check_frame (c, &wanted, devices[k], scopes[k], kernels[k]->name);
    wanted_clear (&wanted);
  }
  for (k = 0; k < n; k++) {
    scopes[k]->klass->close (scopes[k]);
    devices[k]->klass->close (devices[k]);
  }
  g_free (devices);
  g_free (scopes);
  vh_reference_scope_free (reference);
}

GST_START_TEST (test_frames)
{
  const guint64 first = test_env_number ("TEST_SEED", 1);
  const guint64 n = test_env_tier ("TEST_SWEEP_CASES", DEFAULT_CASES,
      CASES_OF_LONG_TIER);
  guint64 seed;
  Case c;

  for (seed = first; seed < first + n; seed++) {
    case_init (&c, seed);
    check_case (&c);
    case_clear (&c);
  }
  fail_unless (n_drawn > 0 || n < 100);
  test_figure ("random frames with scopes as the reference draws them",
      "%u, by %u kernel tables", n_drawn, sweep_n_kernels ());
}

GST_END_TEST;

SWEEP_SUITE (scopesweep, test_frames)
