/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrects frames on the GPU: every byte equals the CPU's, inside the picture
 * and around it, and every failure is an error without other effects. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/channels.h"
#include "core/error.h"
#include "cpu/cpudevice.h"
#include "cuda/cudadevice.h"
#include "internals.h"
#include "pair.h"

#define CASES 40                /* per round of the sweep */
#define TURNS 6
#define FRAMES 3                /* per case */
#define SLOW 500                /* microseconds */
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)
#define IN_TIME (800 * GST_MSECOND)

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

static VhReference *
make_reference (guint bins)
{
  VhReference *reference = g_new0 (VhReference, 1);
  guint b;

  for (b = 0; b < bins; b++) {
    reference->n += below (3) ? 0 : below (100);
    reference->n += b + 1 == bins;
    reference->sums[b] = reference->n;
  }
  return reference;
}

/* Sets what stays the same for all frames of a stream. */
static void
job_init (VhEqualizeJob * job, const VhLayout * layout, const TestFrame * frame,
    guint method)
{
  const guint depth = layout->depth, shift = depth > 12 ? depth - 12 : 0;
  const gboolean limited =
      layout->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  const gboolean tiles = method == VH_CURVE_CLAHE;
  const guint columns = tiles ? 1 + below (5) : 1;
  const guint rows = tiles ? 1 + below (5) : 1;
  guint region[4];

  memset (job, 0, sizeof (*job));
  job->black = limited ? 16 << (depth - 8) : 0;
  job->white = limited ? 235 << (depth - 8) : (1 << depth) - 1;
  job->chroma_limit = limited ? 112 << (depth - 8) : (1 << (depth - 1)) - 1;
  job->curve.method = method;
  job->curve.depth = depth;
  job->curve.bins = 1u << (depth - shift);
  job->curve.low = job->black >> shift;
  job->curve.high = job->white >> shift;
  test_random_region (&test_numbers, frame->width, frame->height, region);
  job->region = (VhRect) { region[0], region[1], region[2], region[3] };
  job->edges = vh_equalize_edges (&job->region, frame->width, frame->height);
  job->curve.columns = MIN (columns, job->region.width);
  job->curve.rows = MIN (rows, job->region.height);
  if (method == VH_CURVE_MATCH)
    job->reference = make_reference (job->curve.bins);
}

/* Changes what may differ from frame to frame. */
static void
job_change (VhEqualizeJob * job)
{
  VhCurveParams *curve = &job->curve;

  curve->share = below (2) ? VH_SHARE_ONE : below (VH_SHARE_ONE);
  curve->scene_threshold = below (3) ? below (VH_SHARE_ONE / 4) : 0;
  curve->strength = below (2) ? VH_SHARE_ONE : below (VH_SHARE_ONE + 1);
  curve->low_percentile = below (1 << 30);
  curve->high_percentile = 0xffffffffu - below (1 << 30);
  curve->max_gain = VH_LEVEL_ONE + below (5 * VH_LEVEL_ONE);
  curve->target = below (VH_SHARE_ONE + 1);
  curve->clip_limit = below (4) ? below (400) / 10.0 : 0;
  job->color = below (3);
  job->reset = below (6) == 0;
  if (job->reference && below (4) == 0) {
    g_free ((gpointer) job->reference);
    job->reference = make_reference (curve->bins);
    job->reference_id++;
  }
}

/* A device with its counter and its corrector. */
typedef struct
{
  VhDevice *device;
  VhCounter *counter;
  VhCorrector *corrector;
} Worker;

/* Opens a device of @klass that gives each frame up to @max_wait ns. */
static Worker
worker_open (const VhDeviceClass * klass, GstClockTime max_wait)
{
  VhDevice *device = test_device_open (klass, max_wait);

  return (Worker) {
    .device = device,
    .counter = klass->new_counter (device),
    .corrector = klass->new_corrector (device),
  };
}

static void
worker_close (Worker * self)
{
  self->corrector->klass->close (self->corrector);
  self->counter->klass->close (self->counter);
  self->device->klass->close (self->device);
}

/* The shape of the counts for @job. */
static VhCountsShape
counted (const VhEqualizeJob * job)
{
  return (VhCountsShape) {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = job->curve.bins,
    .columns = job->curve.columns,
    .rows = job->curve.rows,
  };
}

static gboolean
configure (Worker * self, const VhLayout * layout, const VhEqualizeJob * job,
    GError ** error)
{
  const VhCountSpec spec = {.shape = counted (job) };

  return self->device->klass->configure (self->device, layout, 0, error)
      && self->counter->klass->configure (self->counter, layout, &spec, error)
      && self->corrector->klass->configure (self->corrector, layout,
      &job->curve, error);
}

/* Counts @frame, which has been started; returns NULL and @error on failure. */
static VhCounts *
count_begun (Worker * self, VhFrame * frame, const VhEqualizeJob * job,
    GError ** error)
{
  const VhCountsShape shape = counted (job);
  const VhRect region = vh_equalize_region (job, frame->view);
  VhCounts *counts = vh_counts_new (&shape);

  if (!self->counter->klass->submit (self->counter, frame, &region, counts,
          error))
    g_clear_pointer (&counts, vh_counts_unref);
  return counts;
}

/* Likewise for a frame that is started and ended here. */
static VhCounts *
count (Worker * self, VhFrameView * view, const VhEqualizeJob * job,
    GError ** error)
{
  const VhDeviceClass *klass = self->device->klass;
  VhFrame *frame = klass->begin (self->device, view, VH_FRAME_READ, TRUE,
      error);
  VhCounts *counts;

  if (!frame)
    return NULL;
  counts = count_begun (self, frame, job, error);
  if (!klass->end (self->device, frame, counts ? error : NULL))
    g_clear_pointer (&counts, vh_counts_unref);
  return counts;
}

/* Corrects @in into @out, with @counts or, if NULL, counts of its own. */
static gboolean
correct_begun (Worker * self, VhFrame * in, VhFrame * out, VhCounts * counts,
    const VhEqualizeJob * job, GError ** error)
{
  gboolean ok;

  counts = counts ? vh_counts_ref (counts) : count_begun (self, in, job, error);
  if (!counts)
    return FALSE;
  ok = self->corrector->klass->submit (self->corrector, in, out, counts, job,
      error);
  vh_counts_unref (counts);
  return ok;
}

/* Likewise for frames that are started and ended here; @in may be @out. */
static gboolean
correct (Worker * self, VhFrameView * in, VhFrameView * out, VhCounts * counts,
    const VhEqualizeJob * job, GError ** error)
{
  const VhDeviceClass *klass = self->device->klass;
  VhFrame *from, *to;
  gboolean ok;

  from = klass->begin (self->device, in, in == out ? VH_FRAME_WRITE :
      VH_FRAME_READ, TRUE, error);
  if (!from)
    return FALSE;
  to = in == out ? from : klass->begin (self->device, out, VH_FRAME_WRITE,
      TRUE, error);
  ok = to && correct_begun (self, from, to, counts, job, error);
  if (to)
    ok &= klass->end (self->device, to, ok ? error : NULL);
  if (from != to)
    ok &= klass->end (self->device, from, ok ? error : NULL);
  return ok;
}

/* Corrects @in into @out, which may be the same, on CPU and GPU. */
static void
correct_pair (Worker * cpu, Worker * cuda, TestPair * in, TestPair * out,
    const VhEqualizeJob * job)
{
  GError *error = NULL;
  VhCounts *expected = count (cpu, &in->host_view, job, &error);
  VhCounts *counts = NULL;

  fail_unless (expected != NULL, "%s", error ? error->message : "");
  /* Sometimes counts come from elsewhere, or from the frame itself before or
   * during the correction. */
  if (below (4) == 0) {
    counts = vh_counts_ref (expected);
  } else if (below (2)) {
    counts = count (cuda, &in->gpu_view, job, &error);
    fail_unless (counts != NULL, "%s", error ? error->message : "");
  }

  fail_unless (correct (cpu, &in->host_view, &out->host_view, expected, job,
          &error), "%s", error ? error->message : "");
  fail_unless (correct (cuda, &in->gpu_view, &out->gpu_view, counts, job,
          &error), "%s", error ? error->message : "");
  vh_counts_unref (expected);
  g_clear_pointer (&counts, vh_counts_unref);
}

static const gchar *const formats[] = {
  "NV12", "I420", "NV21", "YV12", "GRAY8", "Y42B", "Y444", "RGBA", "xBGR",
  "BGRx", "RGB", "BGR", "P010_10LE", "P012_LE", "P016_LE", "I420_10LE",
  "I420_12LE", "I422_10LE", "I422_12LE", "Y444_10LE", "Y444_16LE", "GRAY16_LE",
  /* corrected by the generic kernel */
  "YUY2", "UYVY", "AYUV", "VUYA", "RGBP", "GBR", "GBR_10LE", "RGB10A2_LE",
  "BGR10A2_LE", "GRAY16_BE", "Y41B", "YVU9", "A420", "GBRA", "NV24", "ARGB64",
};

/* Names of the kernels that were launched. */
static GMutex seen_lock;
static GHashTable *seen;

static void
note_kernel (G_GNUC_UNUSED void *data, const char *kernel,
    G_GNUC_UNUSED unsigned device, G_GNUC_UNUSED const void *parameters,
    G_GNUC_UNUSED size_t bytes)
{
  g_mutex_lock (&seen_lock);
  if (!g_hash_table_contains (seen, kernel))
    g_hash_table_add (seen, g_strdup (kernel));
  g_mutex_unlock (&seen_lock);
}

/* A stream of frames with one format and size, in place or not. */
static void
check_stream (const gchar * format, guint method, guint width, guint height,
    guint align)
{
  const gchar *const colorimetries[] = { NULL, "bt709", "1:1:5:1" };
  const gchar *colorimetry = colorimetries[below (3)];
  Worker cpu = worker_open (&vh_cpu_device_class, MAX_WAIT);
  Worker cuda = worker_open (&vh_cuda_device_class, MAX_WAIT);
  VhEqualizeJob job;
  VhLayout layout;
  guint i;

  for (i = 0; i < FRAMES; i++) {
    TestFrame frame, other;
    TestPair in, out;
    gboolean in_place;
    gssize wrong;

    test_frame_init_random (&frame, &test_numbers,
        gst_video_format_from_string (format), width, height, colorimetry);
    test_frame_init_random (&other, &test_numbers, frame.format, width, height,
        colorimetry);
    if (i == 0) {
      fail_unless (vh_layout_from_caps (&layout, frame.caps, NULL));
      job_init (&job, &layout, &frame, method);
    }
    job_change (&job);
    test_pair_init (&in, &test_uploader, &test_numbers, &frame, &layout, align);
    test_pair_init (&out, &test_uploader, &test_numbers, &other, &layout,
        align);
    if (i == 0) {
      fail_unless (configure (&cpu, &layout, &job, NULL));
      fail_unless (configure (&cuda, &layout, &job, NULL));
    }
    in_place = below (2)
        || !vh_frame_view_takes (&out.host_view, &in.host_view, NULL);
    correct_pair (&cpu, &cuda, &in, in_place ? &in : &out, &job);
    wrong = test_pair_compare (&in);
    fail_unless (wrong < 0, "%s, method %u, color %u, %ux%u, frame %u, align "
        "%u: byte %d of what was read differs", format, method, job.color,
        width, height, i, align, (gint) wrong);
    wrong = test_pair_compare (&out);
    fail_unless (wrong < 0, "%s, method %u, color %u, %ux%u, frame %u, align "
        "%u: byte %d of what was written differs", format, method, job.color,
        width, height, i, align, (gint) wrong);
    test_pair_clear (&in);
    test_pair_clear (&out);
    test_frame_clear (&frame);
    test_frame_clear (&other);
  }
  g_free ((gpointer) job.reference);
  worker_close (&cpu);
  worker_close (&cuda);
}

/* All formats, methods, sizes and places, at random. */
GST_START_TEST (test_sweep)
{
  guint i;

  test_numbers = test_random_new (__i__ + 10);
  if (test_double ()) {
    seen = seen ? seen : g_hash_table_new (g_str_hash, g_str_equal);
    test_double ()->watch_launches (note_kernel, NULL);
  }
  for (i = 0; i < CASES; i++) {
    const guint n = __i__ * CASES + i;
    const guint align = below (3) ? 16 : 1 + below (8);

    check_stream (formats[n % G_N_ELEMENTS (formats)],
        1 + n / G_N_ELEMENTS (formats) % VH_CURVE_CLAHE,
        1 + below (below (3) ? 40 : 250), 1 + below (50), align);
  }
  if (test_double ())
    test_double ()->watch_launches (NULL, NULL);
}

GST_END_TEST;

/* Every existing kernel was launched: others would not be tested. */
GST_START_TEST (test_kernels)
{
  static const gchar *const names[] = {
    "luma8", "420_8", "422_8", "444_8", "luma16", "420_16", "422_16", "444_16",
    "packed4", "packed3"
  };
  guint i;

  if (test_leave_out ("which kernels were launched"))
    return;
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *curve = g_strconcat ("vh_equalize_", names[i], NULL);
    gchar *clahe = g_strconcat ("vh_clahe_", names[i], NULL);

    fail_unless (g_hash_table_contains (seen, curve), "%s", curve);
    fail_unless (g_hash_table_contains (seen, clahe), "%s", clahe);
    g_free (curve);
    g_free (clahe);
  }
  fail_unless (g_hash_table_contains (seen, "vh_equalize_any"));
  fail_unless (g_hash_table_contains (seen, "vh_equalize_rest"));
}

GST_END_TEST;

/* Larger frames, with many blocks and many tiles. */
GST_START_TEST (test_large)
{
  static const gchar *const large[] = {
    "NV12", "P010_10LE", "P016_LE", "RGBA"
  };
  guint method;

  test_numbers = test_random_new (100 + __i__);
  for (method = VH_CURVE_EQUALIZE; method <= VH_CURVE_CLAHE; method += 4)
    check_stream (large[__i__], method, 700 + below (2) * 13, 200, 16);
}

GST_END_TEST;

/* Frames of a stream on the GPU. */
typedef struct
{
  TestFrame frame;
  VhLayout layout;
  VhEqualizeJob job;
  TestPair pair;
} Stream;

static void
stream_init (Stream * self, guint method)
{
  test_frame_init_plain (&self->frame, &test_numbers, GST_VIDEO_FORMAT_NV12,
      320, 100, NULL);
  fail_unless (vh_layout_from_caps (&self->layout, self->frame.caps, NULL));
  job_init (&self->job, &self->layout, &self->frame, method);
  job_change (&self->job);
  self->job.color = VH_COLOR_SCALE;
  test_pair_init (&self->pair, &test_uploader, &test_numbers, &self->frame,
      &self->layout, 16);
}

static void
stream_clear (Stream * self)
{
  test_pair_clear (&self->pair);
  test_frame_clear (&self->frame);
  g_free ((gpointer) self->job.reference);
}

/* Counts and corrects in place, at once or one after the other. */
static gboolean
stream_correct (Stream * self, Worker * worker, gboolean at_once,
    GError ** error)
{
  VhFrameView *view = &self->pair.gpu_view;
  VhCounts *counts;
  gboolean ok;

  if (at_once)
    return correct (worker, view, view, NULL, &self->job, error);
  counts = count (worker, view, &self->job, error);
  if (!counts)
    return FALSE;
  ok = correct (worker, view, view, counts, &self->job, error);
  vh_counts_unref (counts);
  return ok;
}

/* Counts of another frame cannot be used, on any device. */
GST_START_TEST (test_other_counts)
{
  static const VhDeviceClass *const classes[] = {
    &vh_cpu_device_class, &vh_cuda_device_class
  };
  const TestLive live = test_live ();
  Stream stream;
  guint i;

  test_numbers = test_random_new (9);
  stream_init (&stream, VH_CURVE_EQUALIZE);
  for (i = 0; i < G_N_ELEMENTS (classes); i++) {
    VhFrameView *view = i ? &stream.pair.gpu_view : &stream.pair.host_view;
    Worker worker = worker_open (classes[i], MAX_WAIT);
    VhCountsShape shape = counted (&stream.job);
    VhCounts *other;
    GError *error = NULL;

    fail_unless (configure (&worker, &stream.layout, &stream.job, NULL));
    shape.bins = 7;
    other = vh_counts_new (&shape);
    vh_counts_complete (other);
    fail_if (correct (&worker, view, view, other, &stream.job, &error));
    fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE));
    fail_unless (strstr (error->message, "not counted") != NULL);
    g_clear_error (&error);
    vh_counts_unref (other);
    worker_close (&worker);
  }
  stream_clear (&stream);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* Each call made during correction fails, once or from then on: that is an
 * error, no memory is left, and all other results are right. Memory is
 * allocated by one of two calls. */
static const gchar *const calls[][2] = {
  {"cuMemAlloc_v2", "cuMemAllocAsync"}, {"cuMemHostAlloc"}, {"cuEventCreate"},
  {"cuStreamCreate"}, {"cuStreamWaitEvent"}, {TEST_GPU_LAUNCH},
  {"cuModuleLoadData"}, {"cuModuleGetFunction"}, {"cuFuncSetAttribute"},
  {"cuMemsetD8Async"}, {"cuMemcpy2DAsync_v2"}, {"cuCtxPushCurrent_v2"},
};

/* Corrects two frames of a stream, up to the first failure, and compares them
 * otherwise. Returns whether nothing failed. */
static gboolean
check_failures (Stream * stream, Worker * cpu, Worker * cuda)
{
  VhFrameView *view = &stream->pair.host_view;
  GError *error = NULL;
  gboolean ok = configure (cuda, &stream->layout, &stream->job, &error);
  guint i;

  for (i = 0; i < 2 && ok; i++) {
    VhCounts *expected;

    ok = stream_correct (stream, cuda, below (2), &error);
    if (!ok)
      break;
    fail_unless (error == NULL);
    expected = count (cpu, view, &stream->job, NULL);
    fail_unless (correct (cpu, view, view, expected, &stream->job, NULL));
    vh_counts_unref (expected);
  }
  if (!ok) {
    fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE), "%s",
        error ? error->message : "no error");
    g_clear_error (&error);
  }
  return ok;
}

GST_START_TEST (test_failures)
{
  const VhDoubleHow how = __i__ % 2 ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE;
  const gchar *const *names = calls[__i__ / 2];
  guint nth, i, failed = 0;

  if (test_leave_out ("failures"))
    return;
  test_numbers = test_random_new (200 + __i__);
  for (nth = 1; nth < 10; nth++) {
    const TestLive live = test_live ();
    Worker cpu = worker_open (&vh_cpu_device_class, MAX_WAIT);
    Worker cuda = worker_open (&vh_cuda_device_class, MAX_WAIT);
    Stream stream;
    gboolean ok;

    stream_init (&stream, nth % 2 ? VH_CURVE_MATCH : VH_CURVE_CLAHE);
    stream.job.reset = TRUE;
    fail_unless (configure (&cpu, &stream.layout, &stream.job, NULL));
    for (i = 0; i < G_N_ELEMENTS (calls[0]) && names[i]; i++)
      test_double ()->fail_call (names[i], nth, 2, how);
    ok = check_failures (&stream, &cpu, &cuda);
    failed += !ok;
    test_double ()->reset ();
    worker_close (&cuda);
    worker_close (&cpu);
    if (ok)
      fail_unless (test_pair_compare (&stream.pair) < 0);
    stream_clear (&stream);
    test_gpu_check_live (&live);
  }
  /* Events are created in advance. If that fails, they are created later. */
  fail_unless (failed > 0 || (how == VH_DOUBLE_ONCE
          && g_str_equal (names[0], "cuEventCreate")), "%s never failed",
      names[0]);
}

GST_END_TEST;

static gint64
elapsed (gint64 start)
{
  return g_get_monotonic_time () - start;
}

static void
wait_for_kernels (void)
{
  while (test_double ()->pending () > 0)
    g_usleep (1000);
}

/* After a failure the GPU is left alone for a while. */
static void
wait_until_corrected (Stream * stream, Worker * cuda)
{
  const gint64 start = g_get_monotonic_time ();

  while (!stream_correct (stream, cuda, FALSE, NULL)) {
    fail_unless (elapsed (start) < 5 * G_TIME_SPAN_SECOND);
    g_usleep (10000);
  }
}

/* A kernel that does not end is an error after 0.8 s, and later frames do not
 * wait; it keeps the memory that it may write to. Once it has ended, everything
 * continues. */
GST_START_TEST (test_late)
{
  const gboolean at_once = __i__;
  const TestLive live = test_live ();
  GError *error = NULL;
  GstMemory *memory;
  Stream stream;
  gint64 start;
  Worker cuda;

  if (test_leave_out ("a kernel that is late"))
    return;
  test_numbers = test_random_new (300);
  stream_init (&stream, VH_CURVE_CLAHE);
  cuda = worker_open (&vh_cuda_device_class, IN_TIME);
  fail_unless (configure (&cuda, &stream.layout, &stream.job, NULL));
  wait_until_corrected (&stream, &cuda);

  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  fail_if (stream_correct (&stream, &cuda, at_once, &error));
  fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE), "%s",
      error->message);
  g_clear_error (&error);
  fail_unless (elapsed (start) < 1500 * G_TIME_SPAN_MILLISECOND);
  memory = gst_buffer_peek_memory (stream.pair.gpu, 0);
  fail_unless (GST_MINI_OBJECT_REFCOUNT (memory) > 1);

  start = g_get_monotonic_time ();
  fail_if (stream_correct (&stream, &cuda, at_once, NULL));
  fail_unless (elapsed (start) < 100 * G_TIME_SPAN_MILLISECOND);

  test_double ()->hang_kernels (FALSE);
  wait_for_kernels ();
  wait_until_corrected (&stream, &cuda);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (memory), 1);

  /* A kernel that ends after everything else is gone. */
  test_double ()->hang_kernels (TRUE);
  fail_if (stream_correct (&stream, &cuda, at_once, NULL));
  start = g_get_monotonic_time ();
  worker_close (&cuda);
  fail_unless (elapsed (start) < 2 * G_TIME_SPAN_SECOND);
  test_double ()->hang_kernels (FALSE);
  wait_for_kernels ();
  cuda = worker_open (&vh_cuda_device_class, MAX_WAIT);
  fail_unless (configure (&cuda, &stream.layout, &stream.job, NULL));
  wait_until_corrected (&stream, &cuda);
  fail_unless (stream_correct (&stream, &cuda, at_once, NULL));
  worker_close (&cuda);
  stream_clear (&stream);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* Passing frames that are not on the GPU is the caller's mistake. */
GST_START_TEST (test_system_memory)
{
  Worker cuda = worker_open (&vh_cuda_device_class, MAX_WAIT);
  GError *error = NULL;
  VhCounts *counts;
  Stream stream;

  test_numbers = test_random_new (400);
  stream_init (&stream, VH_CURVE_EQUALIZE);
  fail_unless (configure (&cuda, &stream.layout, &stream.job, NULL));
  counts = count (&cuda, &stream.pair.gpu_view, &stream.job, NULL);
  fail_unless (counts != NULL);
  fail_if (correct (&cuda, &stream.pair.host_view, &stream.pair.host_view,
          counts, &stream.job, &error));
  fail_unless (g_error_matches (error, VH_ERROR, VH_ERROR_FRAME));
  g_clear_error (&error);
  vh_counts_unref (counts);
  worker_close (&cuda);
  stream_clear (&stream);
}

GST_END_TEST;

TEST_SUITE (equalize, setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_sweep, 0, TURNS);
  tcase_add_test (tc, test_kernels);
  tcase_add_loop_test (tc, test_large, 0, 4);
  tcase_add_test (tc, test_other_counts);
  tcase_add_loop_test (tc, test_failures, 0, 2 * G_N_ELEMENTS (calls));
  tcase_add_loop_test (tc, test_late, 0, 2);
  tcase_add_test (tc, test_system_memory);
}
