/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every call of the driver that the library makes, failing with every class of
 * error, once or for ever, at the start or in mid-stream: the video is
 * untouched, and histograms are right or not there.
 *
 * What an error of a lost GPU leaves behind is a process that has done with
 * GPUs, so this program runs itself, many cases at a time, until one of them
 * does that. TEST_FAILURES_STEP: takes one case of so many. */
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudamemory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/env.h"
#include "cuda/driver.h"
#include "gpu.h"

#define WIDTH 48
#define HEIGHT 20
#define N_FRAMES 5
#define N_BEFORE 2              /* frames that go well before a failure */
#define CASE_LIMIT 30           /* seconds until a case is stuck */
#define CASES_PER_PROCESS 100
#define N_PROCESSES 2

/* That threads make that do not know yet that the GPU is lost. */
#define MAX_MORE_CALLS 4

/* What may take no longer than a second, and a little for a busy machine. */
#define LIMIT (1500 * G_TIME_SPAN_MILLISECOND)

static const gchar *const functions[] = {
#define NAME(id, symbol, arguments) symbol,
  VH_CUDA_FUNCTIONS (NAME)
#undef NAME
};

static const gint codes[] = { 1, 2, 100, 201, 214, 222, 700, 709, 719, 999 };

/* One that says that a kernel faults, instead of a call. */
#define KERNEL "kernel"

typedef struct
{
  gboolean cuda_frames;
  gboolean at_start;
  gchar function[40];
  guint nth;
  gint code;
  gboolean for_ever;
} Case;

static gchar *
case_to_string (const Case * c)
{
  return g_strdup_printf ("%s %s %s %u %d %s", c->cuda_frames ? "cuda" :
      "system", c->at_start ? "start" : "mid", c->function, c->nth, c->code,
      c->for_ever ? "ever" : "once");
}

static gboolean
case_from_string (Case * c, const gchar * text)
{
  gchar frames[8], when[8], how[8];

  if (sscanf (text, "%7s %7s %39s %u %d %7s", frames, when, c->function,
          &c->nth, &c->code, how) != 6)
    return FALSE;
  c->cuda_frames = g_str_equal (frames, "cuda");
  c->at_start = g_str_equal (when, "start");
  c->for_ever = g_str_equal (how, "ever");
  return TRUE;
}

#define VERDICT "verdict: "
#define OK "ok"

/* Of a case that goes wrong; the first one counts. */
static gchar *wrong;

static void
complain (const gchar * format, ...)
{
  va_list args;

  if (wrong)
    return;
  va_start (args, format);
  wrong = g_strdup_vprintf (format, args);
  va_end (args);
}

/* The frames, and what is right. */
static TestFrame frames[N_FRAMES];
static GstBuffer *uploaded[N_FRAMES];
static GBytes *contents[N_FRAMES];
static GstVideoHistogram *expected[N_FRAMES];
static gint counted[N_FRAMES];  /* atomic */

/* Calls of each of functions that GStreamer needs to make a context. */
static guint context_calls[G_N_ELEMENTS (functions)];

static guint
find_function (const gchar * name)
{
  guint f;

  for (f = 0; f < G_N_ELEMENTS (functions)
      && !g_str_equal (functions[f], name); f++);
  return f;
}

static void
count_context_calls (void)
{
  GstCudaContext *context;
  guint f;

  for (f = 0; f < G_N_ELEMENTS (functions); f++)
    context_calls[f] = test_double ()->count (functions[f]);
  context = gst_cuda_context_new (0);
  fail_unless (context != NULL);
  for (f = 0; f < G_N_ELEMENTS (functions); f++)
    context_calls[f] = test_double ()->count (functions[f]) - context_calls[f];
  gst_object_unref (context);
}

/* What is on the GPU, whatever the memory thinks that it knows. */
static GBytes *
download (GstBuffer * buffer)
{
  CUresult (*copy) (void *, CUdeviceptr, size_t) =
      test_driver_function ("cuMemcpyDtoH_v2");
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;
  guint8 *bytes;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ | GST_MAP_CUDA));
  bytes = g_malloc (map.size);
  fail_unless (gst_cuda_context_push (GST_CUDA_MEMORY_CAST (memory)->context));
  fail_unless_equals_int (copy (bytes, (CUdeviceptr) (guintptr) map.data,
          map.size), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  gst_memory_unmap (memory, &map);
  return g_bytes_new_take (bytes, map.size);
}

static GBytes *
contents_of (guint i, gboolean cuda)
{
  return cuda ? download (uploaded[i]) : test_read (frames[i].buffer);
}

static void
make_frames (TestUploader * uploader, gboolean cuda)
{
  TestRandom random = test_random_new (1);
  GstVideoHistogramSpec spec;
  guint i;

  gst_video_histogram_spec_init (&spec);
  for (i = 0; i < N_FRAMES; i++) {
    test_frame_init_plain (&frames[i], &random, GST_VIDEO_FORMAT_NV12, WIDTH,
        HEIGHT, NULL);
    GST_BUFFER_PTS (frames[i].buffer) = i;
    expected[i] = test_count_on_cpu (frames[i].buffer, frames[i].caps, &spec);
    uploaded[i] = test_upload (uploader, frames[i].buffer, frames[i].caps);
    /* So that its memory has made all that it ever makes. */
    g_bytes_unref (test_read (uploaded[i]));
    contents[i] = contents_of (i, cuda);
  }
}

static void
on_histogram (GstElement * element, GstVideoHistogram * histogram)
{
  const guint i = gst_video_histogram_get_info (histogram)->timestamp;
  const gchar *differs = test_compare (histogram, expected[i]);

  (void) element;
  if (differs)
    complain ("frame %u: %s", i, differs);
  if (!g_atomic_int_compare_and_exchange (&counted[i], FALSE, TRUE))
    complain ("frame %u was counted twice", i);
}

static void
order_failure (const Case * c)
{
  if (g_str_equal (c->function, KERNEL))
    test_double ()->fault_kernel (c->nth, c->code);
  else
    test_double ()->fail_call (c->function, c->nth, c->code,
        c->for_ever ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE);
}

static void
push_frame (TestElement * t, const Case * c, guint i)
{
  GstBuffer *buffer = c->cuda_frames ? uploaded[i] : frames[i].buffer;
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  const gint64 start = g_get_monotonic_time ();
  GstBuffer *out;

  gst_harness_push (t->h, gst_buffer_copy (buffer));
  out = gst_harness_try_pull (t->h);
  if (g_get_monotonic_time () - start > LIMIT)
    complain ("frame %u was kept for %d ms", i,
        (gint) ((g_get_monotonic_time () - start) / 1000));
  if (!out) {
    complain ("frame %u was lost", i);
    return;
  }
  if (gst_buffer_peek_memory (out, 0) != memory)
    complain ("frame %u left in another memory", i);
  gst_buffer_unref (out);

  /* One after the other: no overload. */
  while (test_element_get_count (t, "processed") +
      test_element_get_count (t, "dropped") +
      test_element_get_count (t, "skipped") < i + 1) {
    if (g_get_monotonic_time () - start > 3 * LIMIT) {
      complain ("frame %u is not finished", i);
      return;
    }
    g_usleep (50);
  }
}

static guint
count_messages (TestElement * t, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (t->bus, type))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* Whether after the error nobody knows what the GPU still uses, or a lost one
 * is left alone: then less is given back, and that without waiting. */
static gboolean
leaves_things (const Case * c)
{
  return g_str_equal (c->function, KERNEL)
      || vh_cuda_failure (c->code) == VH_CUDA_FAILURE_LOST
      || (g_str_equal (c->function, "cuEventQuery") && (c->for_ever
              || vh_cuda_failure (c->code) == VH_CUDA_FAILURE_CONTEXT))
      || (c->at_start && g_str_equal (c->function, "cuEventRecord"));
}

/* Whether the call that fails is GStreamer's, which may not care, when it makes
 * the element's context. */
static gboolean
is_of_gstreamer (const Case * c)
{
  const guint f = find_function (c->function);

  return c->at_start && f < G_N_ELEMENTS (functions)
      && c->nth <= context_calls[f];
}

/* Once a call has said that the GPU is lost there are no more, but for what
 * looks up the error and what leaves a context; other threads may be in the
 * middle of one. */
static void
check_calls_after_loss (const Case * c)
{
  const VhDouble *gpu = test_double ();
  const guint n = gpu->calls ();
  guint i, more = 0;

  if (vh_cuda_failure (c->code) != VH_CUDA_FAILURE_LOST
      || is_of_gstreamer (c))
    return;
  for (i = 0; i < n && gpu->call_result (i) != c->code; i++);
  for (i++; i < n; i++) {
    const gchar *name = gpu->call_name (i);

    if (find_function (name) < G_N_ELEMENTS (functions)
        && !g_str_has_prefix (name, "cuGetError")
        && !g_str_equal (name, "cuCtxPopCurrent_v2") && ++more > MAX_MORE_CALLS)
      complain ("%s was called after the GPU was lost", name);
  }
}

/* One error of a context is no reason to give up, but for one that comes of
 * what is under way there. */
static void
check_recovery (const Case * c)
{
  if (!c->at_start && !c->for_ever
      && !g_str_equal (c->function, "cuEventQuery")
      && vh_cuda_failure (c->code) == VH_CUDA_FAILURE_CONTEXT
      && !g_atomic_int_get (&counted[N_FRAMES - 1]))
    complain ("the last frame was not counted");
}

static void
check_messages (TestElement * t)
{
  const guint warnings = count_messages (t, GST_MESSAGE_WARNING);

  if (count_messages (t, GST_MESSAGE_ERROR) > 0)
    complain ("there was an error on the bus");
  if (warnings > 1)
    complain ("there were %u warnings", warnings);
}

/* Runs a case; returns whether the process has done with GPUs. */
static gboolean
run_case (const Case * c)
{
  const VhDouble *gpu = test_double ();
  TestElement t;
  TestLive before, after;
  gint64 start;
  gboolean lost;
  gchar *reason = NULL;
  guint i, n = 0;

  gpu->reset ();
  memset (counted, 0, sizeof (counted));
  before = test_live ();
  if (c->at_start)
    order_failure (c);
  start = g_get_monotonic_time ();
  test_element_init (&t, NULL, "backend", "auto", "interval", "0",
      "attach-meta", c->code % 2 ? "always" : "never", NULL);
  g_signal_connect (t.element, "histogram", G_CALLBACK (on_histogram), NULL);
  /* Frames this small are uploaded only where that is asked for. */
  if (!c->cuda_frames && !c->at_start) {
    gst_element_set_state (t.element, GST_STATE_NULL);
    g_object_set (t.element, "backend", 2, NULL);
    gst_element_set_state (t.element, GST_STATE_PLAYING);
  }
  gst_harness_set_src_caps (t.h, c->cuda_frames ?
      test_cuda_caps (frames[0].caps) : gst_caps_ref (frames[0].caps));
  if (g_get_monotonic_time () - start > LIMIT)
    complain ("starting took too long");

  for (i = 0; i < N_FRAMES && !wrong; i++) {
    if (i == N_BEFORE && !c->at_start)
      order_failure (c);
    push_frame (&t, c, i);
  }
  g_object_get (t.element, "backend-reason", &reason, NULL);
  lost = reason && strstr (reason, "was lost");
  g_free (reason);

  start = g_get_monotonic_time ();
  gst_element_set_state (t.element, GST_STATE_NULL);
  if (g_get_monotonic_time () - start > LIMIT)
    complain ("stopping took too long");
  check_calls_after_loss (c);
  check_messages (&t);
  test_element_clear (&t);

  for (i = 0; i < N_FRAMES; i++)
    n += g_atomic_int_get (&counted[i]);
  if (!c->cuda_frames && n < N_FRAMES - 2)
    complain ("only %u of %u frames were counted", n, N_FRAMES);
  check_recovery (c);
  if (gpu->violations () > 0 && !leaves_things (c) && !is_of_gstreamer (c))
    complain ("%s", gpu->last_violation ());

  gpu->reset ();
  after = test_live ();
  for (i = 0; i < VH_DOUBLE_N_KINDS; i++) {
    if (after.n[i] > before.n[i] && !leaves_things (c))
      complain ("%u objects of kind %u are left", after.n[i] - before.n[i], i);
  }
  for (i = 0; i < N_FRAMES; i++) {
    GBytes *now = contents_of (i, c->cuda_frames);

    if (!g_bytes_equal (now, contents[i]))
      complain ("frame %u is not what it was", i);
    g_bytes_unref (now);
  }
  return lost || vh_cuda_failure (c->code) == VH_CUDA_FAILURE_LOST;
}

/* What is given to the inner program: none to the outer. */
static gchar **cases;

/* The inner program: runs the cases, and says of each what became of it. Ends
 * early where the GPU was lost. */
GST_START_TEST (test_given_cases)
{
  TestUploader uploader;
  gboolean lost = FALSE;
  Case c;

  fail_unless (case_from_string (&c, cases[0]));
  test_uploader_init (&uploader, -1);
  make_frames (&uploader, c.cuda_frames);
  count_context_calls ();
  for (; *cases && !lost; cases++) {
    fail_unless (case_from_string (&c, *cases));
    alarm (CASE_LIMIT);
    lost = run_case (&c);
    g_print (VERDICT "%s\n", wrong ? wrong : OK);
    g_clear_pointer (&wrong, g_free);
  }
  /* What is left belongs to a driver that may be broken. */
  fflush (NULL);
  _exit (0);
}

GST_END_TEST;

/* The outer program */

typedef struct
{
  gchar *program;
  GPtrArray *cases;             /* of gchar */
  guint next;                   /* protected by lock */
  guint n_failed;               /* likewise */
  GMutex lock;
} Work;

static void
report (Work * work, const gchar * name, const gchar * verdict)
{
  g_mutex_lock (&work->lock);
  work->n_failed++;
  g_print ("FAILED: %s: %s\n", name, verdict);
  g_mutex_unlock (&work->lock);
}

/* Runs some of @names, and returns how many of them are done. */
static guint
run_program (Work * work, gchar ** names, guint n)
{
  GPtrArray *argv = g_ptr_array_new ();
  gchar *out = NULL, *err = NULL, **lines;
  gint status = 0;
  guint done = 0, i;

  g_ptr_array_add (argv, work->program);
  for (i = 0; i < n; i++)
    g_ptr_array_add (argv, names[i]);
  g_ptr_array_add (argv, NULL);
  if (!g_spawn_sync (NULL, (gchar **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL,
          NULL, &out, &err, &status, NULL))
    g_error ("cannot run %s", work->program);
  g_ptr_array_unref (argv);

  lines = g_strsplit (out, "\n", -1);
  for (i = 0; lines[i]; i++) {
    const gchar *verdict = lines[i] + strlen (VERDICT);

    if (!g_str_has_prefix (lines[i], VERDICT))
      continue;
    if (!g_str_equal (verdict, OK))
      report (work, names[done], verdict);
    done++;
  }
  if (status != 0 && done < n) {
    gchar *verdict = g_strdup_printf ("ended with status %d: %s%s", status, out,
        err);

    report (work, names[done++], verdict);
    g_free (verdict);
  }
  if (done == 0)
    g_error ("%s says nothing: %s%s", work->program, out, err);
  g_strfreev (lines);
  g_free (out);
  g_free (err);
  return done;
}

static gpointer
worker_run (gpointer data)
{
  Work *work = data;

  while (TRUE) {
    gchar **names;
    guint n, i;

    g_mutex_lock (&work->lock);
    n = MIN (CASES_PER_PROCESS, work->cases->len - work->next);
    names = (gchar **) work->cases->pdata + work->next;
    work->next += n;
    g_mutex_unlock (&work->lock);
    if (n == 0)
      return NULL;
    for (i = 0; i < n;)
      i += run_program (work, names + i, n - i);
  }
}

static void
add_case (GPtrArray * list, gboolean cuda_frames, gboolean at_start,
    const gchar * function, guint nth, gint code, gboolean for_ever)
{
  Case c = { cuda_frames, at_start, "", nth, code, for_ever };

  g_strlcpy (c.function, function, sizeof (c.function));
  g_ptr_array_add (list, case_to_string (&c));
}

/* All failures of one function. */
static void
add_function (GPtrArray * list, gboolean cuda_frames, gboolean at_start,
    const gchar * function)
{
  guint i, nth;

  for (i = 0; i < G_N_ELEMENTS (codes); i++) {
    add_case (list, cuda_frames, at_start, function, 1, codes[i], FALSE);
    add_case (list, cuda_frames, at_start, function, 1, codes[i], TRUE);
  }
  /* The first calls may be of GStreamer's own. */
  for (nth = 2; nth <= 5; nth++) {
    add_case (list, cuda_frames, at_start, function, nth, 2, FALSE);
    add_case (list, cuda_frames, at_start, function, nth, 700, FALSE);
  }
}

static GPtrArray *
list_cases (void)
{
  const guint step = test_env_number ("TEST_FAILURES_STEP", 1);
  GPtrArray *all = g_ptr_array_new (), *some = g_ptr_array_new ();
  guint cuda, start, f, i;

  for (cuda = 0; cuda < 2; cuda++) {
    for (start = 0; start < 2; start++) {
      for (f = 0; f < G_N_ELEMENTS (functions); f++)
        add_function (all, cuda, start, functions[f]);
      for (i = 1; i <= 3; i++) {
        add_case (all, cuda, start, KERNEL, i, 700, FALSE);
        add_case (all, cuda, start, KERNEL, i, 719, FALSE);
      }
    }
    /* Processes have frames of one kind. */
    while (all->len % (CASES_PER_PROCESS * step) != 0)
      add_case (all, cuda, TRUE, "cuInit", 1, 2, FALSE);
  }
  for (i = 0; i < all->len; i++) {
    if (i % step == 0)
      g_ptr_array_add (some, g_ptr_array_index (all, i));
    else
      g_free (g_ptr_array_index (all, i));
  }
  g_ptr_array_unref (all);
  return some;
}

/* The outer program: all cases. */
GST_START_TEST (test_all_cases)
{
  GThread *workers[N_PROCESSES];
  Work work = { 0, };
  guint i;

  if (test_leave_out ("a driver that fails"))
    return;
  work.program = g_file_read_link ("/proc/self/exe", NULL);
  work.cases = list_cases ();
  for (i = 0; i < N_PROCESSES; i++)
    workers[i] = g_thread_new ("worker", worker_run, &work);
  for (i = 0; i < N_PROCESSES; i++)
    g_thread_join (workers[i]);
  g_print ("%u cases\n", work.cases->len);
  fail_unless_equals_int (work.n_failed, 0);
  g_ptr_array_set_free_func (work.cases, g_free);
  g_ptr_array_unref (work.cases);
  g_free (work.program);
}

GST_END_TEST;

int
main (int argc, char **argv)
{
  Suite *s = suite_create ("failures");
  TCase *tc = tcase_create ("failures");

  gst_check_init (&argc, &argv);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  cases = argv + 1;
  if (*cases)
    tcase_add_test (tc, test_given_cases);
  else
    tcase_add_test (tc, test_all_cases);
  return gst_check_run_suite (s, "failures", __FILE__);
}
