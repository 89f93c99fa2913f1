/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes on the GPU: every byte equals the reference's, inside the picture and
 * around it, and every failure is an error without other effects. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/error.h"
#include "cpu/scopereference.h"
#include "cuda/cudadevice.h"
#include "internals.h"
#include "pair.h"
#include "../unit/scopeplan.h"

/* Per round of the sweep; with sanitizers, one per format. */
#define CASES TEST_SANITIZED (9, 20)
#define TURNS 4
#define FRAMES 4                /* per case */
#define SLOW 500                /* microseconds */
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

static GstClockTime max_frame_wait = MAX_WAIT;  /* with frames, ns */

static void
setup (void)
{
  test_gpu_setup ();
  test_set_delay (SLOW);
}

static guint
below (guint n)
{
  return test_random_below (&test_numbers, n);
}

/* Frames of one stream, drawn by both in place or into other frames. */
typedef struct
{
  const gchar *format;
  guint width, height;
  guint align;                  /* bytes */
  gboolean in_place;
  gboolean counts_there;        /* counts come from the GPU, not uploaded */
  TestFrame frame, other;       /* the frame to draw on, and to draw into */
  TestPair in, out;
  VhLayout in_layout, out_layout;
  VhScopePlan *plan;
  VhReferenceScope *reference;
  VhDevice *device;
  VhCounter *counter;
  VhJointCounter *joint;
  VhScope *scope;
} Stream;

/* For messages; never freed. */
static const gchar *
describe (const Stream * self)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_printf (text, "%s %ux%u at %u,%u, aligned to %u, %s, %s, %u panels, "
      "envelope %u", self->format, self->width, self->height, self->frame.x,
      self->frame.y, self->align, self->in_place ? "in place" : "into another",
      self->counts_there ? "counted there" : "counted elsewhere",
      self->plan->n_panels, self->plan->envelope);
  for (i = 0; i < self->plan->n_traces; i++) {
    const VhScopeTrace *trace = &self->plan->trace[i];

    g_string_append_printf (text, ", trace %u of %u in %ux%u at %u,%u of "
        "%ux%u", trace->kind, trace->value, trace->columns, trace->levels,
        trace->x, trace->y, trace->width, trace->height);
  }
  return g_string_free (text, FALSE);
}

static TestPair *
get_out (Stream * self)
{
  return self->in_place ? &self->in : &self->out;
}

static void
make_frame (Stream * self, gboolean crop)
{
  const GstVideoFormat format = gst_video_format_from_string (self->format);
  static const gchar *const colorimetries[] = { NULL, "bt709", "1:1:5:1" };
  const gchar *colorimetry = self->frame.caps ? self->frame.colorimetry :
      colorimetries[below (3)];
  gchar *kept = g_strdup (colorimetry);

  if (self->frame.caps) {
    test_pair_clear (&self->in);
    test_frame_clear (&self->frame);
  }
  if (crop) {
    test_frame_init_random (&self->frame, &test_numbers, format, self->width,
        self->height, kept);
  } else {
    test_frame_init_plain (&self->frame, &test_numbers, format, self->width,
        self->height, kept);
  }
  g_free (kept);
  fail_unless (vh_layout_from_caps (&self->in_layout, self->frame.caps, NULL));
  test_pair_init (&self->in, &test_uploader, &test_numbers, &self->frame,
      &self->in_layout, self->align);
}

static void
stream_init (Stream * self, const gchar * format, guint width, guint height,
    guint align, gboolean in_place)
{
  *self = (Stream) {
    .format = format,
    .width = width,
    .height = height,
    .align = align,
    .in_place = in_place,
    .reference = vh_reference_scope_new (),
  };
  make_frame (self, TRUE);
  test_frame_init_plain (&self->other, &test_numbers, self->frame.format,
      width + below (60), height + below (40), self->frame.colorimetry);
  fail_unless (vh_layout_from_caps (&self->out_layout, self->other.caps,
          NULL));
  test_pair_init (&self->out, &test_uploader, &test_numbers, &self->other,
      &self->out_layout, align);
  self->device = test_device_open (&vh_cuda_device_class, max_frame_wait);
  self->counter = self->device->klass->new_counter (self->device);
  self->joint = self->device->klass->new_joint_counter (self->device);
  self->scope = self->device->klass->new_scope (self->device);
}

static void
stream_clear (Stream * self)
{
  self->scope->klass->close (self->scope);
  self->joint->klass->close (self->joint);
  self->counter->klass->close (self->counter);
  self->device->klass->close (self->device);
  vh_reference_scope_free (self->reference);
  test_pair_clear (&self->in);
  test_pair_clear (&self->out);
  test_frame_clear (&self->frame);
  test_frame_clear (&self->other);
  vh_scope_plan_unref (self->plan);
}

static gboolean
configure (Stream * self, GError ** error)
{
  const VhLayout *out = self->in_place ? &self->in_layout : &self->out_layout;

  vh_reference_scope_set_plan (self->reference, self->plan);
  return self->device->klass->configure (self->device, &self->in_layout, 0,
      error)
      && self->scope->klass->configure (self->scope, &self->in_layout, out,
      self->plan, error);
}

static void
make_plan (Stream * self)
{
  if (self->plan)
    vh_scope_plan_unref (self->plan);
  self->plan = test_scope_plan_new_random (&test_numbers, &self->in_layout,
      self->in_place ? &self->in_layout : &self->out_layout);
}

/* Replaces the counts of @job by those that the GPU makes of @from. */
static void
count_there (Stream * self, VhFrame * from, VhScopeJob * job, GError ** error)
{
  if (job->histogram) {
    const VhCountSpec spec = {.shape = *vh_counts_shape (job->histogram) };
    VhCounts *counts = vh_counts_new (&spec.shape);

    fail_unless (self->counter->klass->configure (self->counter,
            &self->in_layout, &spec, error));
    fail_unless (self->counter->klass->submit (self->counter, from,
            &from->view->picture, counts, error));
    vh_counts_unref (job->histogram);
    job->histogram = counts;
  }
  if (job->chroma) {
    VhJoint work = {
      .bins = VH_SCOPE_CHROMA_BINS,
      .chroma = TRUE,
      .for_device = below (2),
      .counts = vh_counts_new (vh_counts_shape (job->chroma)),
    };

    fail_unless (self->joint->klass->configure (self->joint, &self->in_layout,
            work.bins, 0, error));
    fail_unless (self->joint->klass->submit (self->joint, from,
            &from->view->picture, &work, error));
    /* The frame has not been submitted yet. */
    fail_unless_equals_int (vh_counts_poll (work.counts), work.for_device ?
        VH_COUNTS_FAILED : VH_COUNTS_PENDING);
    fail_if (work.for_device
        && vh_counts_wait (work.counts, GST_CLOCK_TIME_NONE));
    vh_counts_unref (job->chroma);
    job->chroma = work.counts;
  }
}

/* Draws the frame on the GPU. */
static gboolean
draw (Stream * self, VhScopeJob * job, GError ** error)
{
  const VhDeviceClass *klass = self->device->klass;
  VhFrame *from, *to;
  gboolean ok;

  from = klass->begin (self->device, &self->in.gpu_view, self->in_place ?
      VH_FRAME_WRITE : VH_FRAME_READ, TRUE, error);
  if (!from)
    return FALSE;
  to = self->in_place ? from : klass->begin (self->device,
      &self->out.gpu_view, VH_FRAME_WRITE, TRUE, error);
  if (to && self->counts_there)
    count_there (self, from, job, error);
  ok = to && self->scope->klass->submit (self->scope, from, to, job, error);
  if (to)
    ok &= klass->end (self->device, to, ok ? error : NULL);
  if (from != to)
    ok &= klass->end (self->device, from, ok ? error : NULL);
  return ok;
}

static void
check_tables (Stream * self)
{
  guint i;

  for (i = 0; i < self->plan->n_traces; i++) {
    const gsize cells = vh_scope_trace_cells (&self->plan->trace[i]);
    const guint32 *expected = vh_reference_scope_counts (self->reference, i);
    guint32 *counts;

    if (self->plan->trace[i].kind == VH_TRACE_HISTOGRAM)
      continue;
    counts = g_new0 (guint32, cells);
    fail_unless (self->scope->klass->read (self->scope, i, counts, NULL) ==
        (expected != NULL), "trace %u: %s", i, describe (self));
    fail_if (expected && memcmp (counts, expected, cells * sizeof (*counts)),
        "counts of trace %u differ: %s", i, describe (self));
    g_free (counts);
  }
}

/* Draws with both, and compares. */
static void
check_frame (Stream * self)
{
  TestPair *out = get_out (self);
  VhFrameView *from = &self->in.host_view, *to = &out->host_view;
  GError *error = NULL;
  gboolean taken, ok;
  VhScopeJob job;
  gssize wrong;

  fail_unless (vh_frame_view_map (from, GST_MAP_READWRITE, NULL));
  fail_unless (from == to || vh_frame_view_map (to, GST_MAP_READWRITE, NULL));
  test_scope_job_init (&job, &test_numbers, self->plan, from);
  taken = vh_scope_plan_takes (self->plan, from, to, NULL);
  if (taken)
    vh_reference_scope_draw (self->reference, from, to, &job);
  if (from != to)
    vh_frame_view_unmap (to);
  vh_frame_view_unmap (from);

  self->counts_there = taken
      && (!job.histogram || vh_counts_poll (job.histogram) ==
      VH_COUNTS_COMPLETE)
      && (!job.chroma || vh_counts_poll (job.chroma) == VH_COUNTS_COMPLETE)
      && below (2);
  ok = draw (self, &job, &error);
  fail_unless (ok == taken, "%s: %s", error ? error->message : "taken",
      describe (self));
  g_clear_error (&error);
  test_scope_job_clear (&job);

  wrong = test_pair_compare (&self->in);
  fail_unless (wrong < 0, "byte %d of what was read differs: %s", (gint) wrong,
      describe (self));
  wrong = test_pair_compare (out);
  fail_unless (wrong < 0, "byte %d of what was written differs: %s",
      (gint) wrong, describe (self));
  if (taken)
    check_tables (self);
}

static const gchar *const formats[] = {
  "NV12", "P010_10LE", "I420", "NV21", "YV12", "I420_10LE", "NV16", "Y42B",
  "I422_10LE", "P012_LE", "P016_LE", "GRAY8", "GRAY16_LE", "Y444", "NV24",
  "RGBA", "xBGR", "BGRx", "RGB", "YUY2", "UYVY", "AYUV", "VUYA", "RGBP", "GBR",
  "GBR_10LE", "RGB10A2_LE", "GRAY16_BE", "Y41B", "YVU9", "A420", "GBRA",
  "ARGB64", "I420_12BE", "Y444_16LE",
};

/* A stream of frames with one format and size; the plan changes in its
 * middle. */
static void
check_stream (const gchar * format, guint width, guint height, guint align)
{
  Stream stream;
  guint i;

  stream_init (&stream, format, width, height, align, below (2));
  for (i = 0; i < FRAMES; i++) {
    if (i > 0)
      make_frame (&stream, TRUE);
    if (i % 2 == 0) {
      make_plan (&stream);
      fail_unless (configure (&stream, NULL));
    }
    check_frame (&stream);
  }
  stream_clear (&stream);
}

/* All formats, plans, sizes and places, at random. TEST_SCOPE_CASES: number of
 * cases; TEST_SEED: the first seed. */
GST_START_TEST (test_sweep)
{
  const guint64 cases = test_env_number ("TEST_SCOPE_CASES", CASES);
  const guint64 first = test_env_number ("TEST_SEED", 1) + __i__ * cases;
  guint64 seed;

  for (seed = first; seed < first + cases; seed++) {
    test_numbers = test_random_new (seed);
    check_stream (formats[seed % G_N_ELEMENTS (formats)],
        1 + below (below (3) ? 40 : 250), 1 + below (50),
        below (3) ? 16 : 1 + below (8));
  }
}

GST_END_TEST;

/* Several streams together: plans change while frames of the others are in
 * flight. */
GST_START_TEST (test_company)
{
  static const gchar *const all[] = { "NV12", "P010_10LE", "RGBA" };
  const TestLive live = test_live ();
  Stream streams[G_N_ELEMENTS (all)];
  guint i, turn;

  test_numbers = test_random_new (500);
  for (i = 0; i < G_N_ELEMENTS (all); i++) {
    stream_init (&streams[i], all[i], 64 + below (60), 40, 16, i % 2);
    make_plan (&streams[i]);
    fail_unless (configure (&streams[i], NULL));
  }
  for (turn = 0; turn < 6; turn++) {
    for (i = 0; i < G_N_ELEMENTS (all); i++) {
      make_frame (&streams[i], TRUE);
      if (below (3) == 0) {
        make_plan (&streams[i]);
        fail_unless (configure (&streams[i], NULL));
      }
      check_frame (&streams[i]);
    }
  }
  for (i = 0; i < G_N_ELEMENTS (all); i++)
    stream_clear (&streams[i]);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* Each call made while drawing fails, once or from then on: that is an error,
 * and no memory is left. Memory is allocated by one of two calls. */
static const gchar *const calls[][2] = {
  {"cuMemAlloc_v2", "cuMemAllocAsync"}, {"cuMemHostAlloc"}, {"cuEventCreate"},
  {"cuStreamCreate"}, {"cuStreamWaitEvent"}, {TEST_GPU_LAUNCH},
  {"cuModuleLoadData"}, {"cuModuleGetFunction"}, {"cuFuncSetAttribute"},
  {"cuMemcpy2DAsync_v2"}, {"cuCtxPushCurrent_v2"},
};

/* A plan with everything in it. */
static void
make_whole_plan (Stream * self)
{
  do
    make_plan (self);
  while (self->plan->n_traces < 4 || self->plan->n_panels < 2);
}

/* Draws one frame with counts from elsewhere. */
static gboolean
draw_one (Stream * self, GError ** error)
{
  VhScopeJob job = {.decay = 0.5 };

  return draw (self, &job, error);
}

GST_START_TEST (test_failures)
{
  const VhDoubleHow how = __i__ % 2 ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE;
  const gchar *const *names = calls[__i__ / 2];
  guint nth, i, failed = 0;

  if (test_leave_out ("failures"))
    return;
  test_numbers = test_random_new (600 + __i__);
  for (nth = 1; nth < 8; nth++) {
    const TestLive live = test_live ();
    GError *error = NULL;
    Stream stream;
    gboolean ok;

    stream_init (&stream, "NV12", 60, 40, 16, nth % 2);
    make_whole_plan (&stream);
    for (i = 0; i < G_N_ELEMENTS (calls[0]) && names[i]; i++)
      test_double ()->fail_call (names[i], nth, 2, how);
    ok = configure (&stream, &error) && draw_one (&stream, &error);
    fail_unless (ok || g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE)
        || g_error_matches (error, VH_ERROR, VH_ERROR_FRAME), "%s",
        error ? error->message : "no error");
    g_clear_error (&error);
    failed += !ok;
    test_double ()->reset ();
    stream_clear (&stream);
    test_gpu_check_live (&live);
  }
  fail_unless (failed > 0 || how == VH_DOUBLE_ONCE, "%s never failed",
      names[0]);
}

GST_END_TEST;

/* A kernel that does not end is an error in time; once it has ended, everything
 * continues. */
GST_START_TEST (test_late)
{
  const TestLive live = test_live ();
  GError *error = NULL;
  Stream stream;
  gint64 start;

  if (test_leave_out ("a kernel that is late"))
    return;
  max_frame_wait = 800 * GST_MSECOND;
  test_numbers = test_random_new (700);
  stream_init (&stream, "NV12", 60, 40, 16, TRUE);
  make_frame (&stream, FALSE);
  make_whole_plan (&stream);
  fail_unless (configure (&stream, NULL));
  fail_unless (draw_one (&stream, NULL));

  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  fail_if (draw_one (&stream, &error));
  fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE));
  g_clear_error (&error);
  fail_if (draw_one (&stream, NULL));
  fail_unless (g_get_monotonic_time () - start < 2 * G_TIME_SPAN_SECOND);

  test_double ()->hang_kernels (FALSE);
  start = g_get_monotonic_time ();
  while (!draw_one (&stream, NULL)) {
    fail_unless (g_get_monotonic_time () - start < 5 * G_TIME_SPAN_SECOND);
    g_usleep (10000);
  }
  stream_clear (&stream);
  max_frame_wait = MAX_WAIT;
  test_gpu_check_live (&live);
}

GST_END_TEST;

TEST_SUITE (scope, setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_sweep, 0, TURNS);
  tcase_add_test (tc, test_company);
  tcase_add_loop_test (tc, test_failures, 0, 2 * G_N_ELEMENTS (calls));
  tcase_add_test (tc, test_late);
}
