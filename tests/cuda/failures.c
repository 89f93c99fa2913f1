/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every driver call fails with every class of error, once or permanently, and
 * memory and threads run short at random: the video is untouched or corrected
 * as it should be, and histograms are right or missing.
 *
 * A run without failures records the calls, then each of them fails in turn.
 * After a GPU is lost its process cannot use GPUs any more, and a process that
 * has loaded a driver cannot have children that use one. So this program is a
 * parent without a driver, whose children run many cases each, until one of
 * them loses the GPU.
 *
 * TEST_FAILURES_STEP: runs one case in this many. TEST_FAILURES_SCENARIOS: runs
 * only this many of the first scenarios. TEST_FAILURES_SEEDS: number of runs
 * with too little memory.
 *
 * test-cuda-failures SCENARIO... runs only those; test-cuda-failures SCENARIO
 * FUNCTION NTH CODE once|ever runs one case, for a debugger. */
#define _GNU_SOURCE             /* dladdr() */
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/coverage.h"
#include "common/env.h"
#include "common/figures.h"
#include "cuda/errors.h"
#include "gpu.h"
#include "shortage.h"

#define N_FRAMES 4
#define CASE_LIMIT 30           /* seconds after which a case counts as stuck */
#define CASES_PER_PROCESS 100
#define MAX_CALLS 8000          /* per run */

/* Maximum calls by threads that do not know yet that the GPU is lost, or are
 * in the middle of a frame; more if the thread that lost it has to wait for
 * a CPU. */
#define MAX_MORE_CALLS 6

/* For a run that may only have been too slow. */
#define MAX_REPEATS 40

/* The longest that any call may take. */
#define LIMIT G_TIME_SPAN_SECOND

/* Frames that may pass uncounted after the GPU is lost, until the CPU takes
 * over. */
#define MAX_UNCOUNTED 2

/* Of this many failures, at least one must happen. */
#define MANY 10

/* Failing calls and kernels in the scenarios of all tiers. */
#define MIN_FAILURES 13000

static const gint codes[] = { 1, 2, 100, 201, 214, 222, 700, 709, 719, 999 };

/* Error codes of kernels that fault. */
static const gint kernel_codes[] = { 700, 710, 719 };

/* A kernel faults instead of a call failing. */
#define KERNEL "kernel"

/* Memory and threads are short; @nth is the seed. */
#define SHORTAGE "shortage"

/* Calls of the driver that allocate. */
static const gchar *const allocations[] = {
  "cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocPitch_v2", "cuMemHostAlloc",
  "cuStreamCreate", "cuEventCreate", "cuModuleLoadData",
};

#define OUT_OF_MEMORY 2

/* What the video passes through. */
typedef struct
{
  const gchar *name;
  gboolean cuda;                /* kind of memory */
  gboolean histogram, equalize; /* elements */
  gboolean held;                /* by another reference: frames are copied */
  GstVideoFormat format;
  guint width, height;
  const gchar *properties;      /* properties of videohistogram, "name=value
                                 * …" */
  const gchar *correction;      /* likewise for videoequalize */
} Scenario;

/* The smallest frames in system memory worth an upload. */
#define LARGE 256, 256
#define SMALL 32, 8
#define NV12 GST_VIDEO_FORMAT_NV12

/* Scenarios after the first N_QUICK take longer. */
#define N_QUICK 6

static const Scenario scenarios[] = {
  {"count", TRUE, TRUE, FALSE, FALSE, NV12, SMALL, "", ""},
  {"count-system", FALSE, TRUE, FALSE, FALSE, NV12, LARGE, "", ""},
  {"correct", TRUE, FALSE, TRUE, FALSE, NV12, SMALL, "", ""},
  {"correct-copy", TRUE, FALSE, TRUE, TRUE, NV12, SMALL, "", ""},
  {"both", TRUE, TRUE, TRUE, FALSE, NV12, SMALL, "", ""},
  {"both-system", FALSE, TRUE, TRUE, FALSE, NV12, LARGE, "", ""},
  {"clahe", TRUE, TRUE, TRUE, FALSE, NV12, 50, 22, "grid=2x2",
      "method=clahe tiles=2x2"},
  {"10-bit", TRUE, TRUE, TRUE, FALSE, GST_VIDEO_FORMAT_P010_10LE, SMALL,
      "channels=luma+red", "method=stretch"},
  {"packed", TRUE, TRUE, TRUE, TRUE, GST_VIDEO_FORMAT_RGBA, 45, 20,
        "channels=red+green+blue grid=2x1 method=global-atomics",
      "method=gamma color=channels"},
  {"joint", TRUE, TRUE, FALSE, FALSE, NV12, SMALL, "joint=previous", ""},
  {"joint-system", FALSE, TRUE, FALSE, FALSE, NV12, LARGE, "joint=chroma", ""},
};

typedef struct
{
  guint scenario;
  gchar function[40];
  guint nth;
  gint code;
  gboolean for_ever;
  gboolean foreign;             /* made by GStreamer */
} Case;

/* What children report. */
typedef struct
{
  guint done;                   /* cases that the child has finished */
  guint n_happened;             /* cases in which the call did fail */
  guint uncounted;              /* maximum number of uncounted frames after
                                 * the GPU was lost */
  gboolean slow;                /* see complain_of_time() */
  gchar wrong[300];             /* about the last case, or "" */

  /* From a run without failures. */
  gboolean real;                /* the driver is not the double */
  guint n_calls;
  guint n_kernels;
  struct
  {
    gchar name[40];
    const void *site;
    guint frame;                /* see get_frame() */
    gboolean foreign;
  } calls[MAX_CALLS];
} Shared;

static Shared *shared;          /* shared with the parent of this child */

/* The first problem is kept. */
static void complain (const gchar * format, ...) G_GNUC_PRINTF (1, 2);
static void complain_of_time (const gchar * format, ...) G_GNUC_PRINTF (1, 2);

static void G_GNUC_PRINTF (1, 0)
complain_with (const gchar * format, va_list args, gboolean slow)
{
  if (shared->wrong[0])
    return;
  g_vsnprintf (shared->wrong, sizeof (shared->wrong), format, args);
  shared->slow = slow;
}

static void
complain (const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  complain_with (format, args, FALSE);
  va_end (args);
}

/* For failures that also occur if the machine is busy and the GPU takes longer
 * than any wait. */
static void
complain_of_time (const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  complain_with (format, args, TRUE);
  va_end (args);
}

static void
check_time (gint64 start, const gchar * what)
{
  const gint64 time = g_get_monotonic_time () - start;

  if (time > LIMIT)
    complain_of_time ("%s took %d ms", what, (gint) (time / 1000));
}

/* The frames of a scenario, and the right results. */

static GstCudaContext *context; /* context of frames in CUDA memory */

static TestFrame frames[N_FRAMES];
static GstVideoHistogram *expected[N_FRAMES];   /* or NULL */
static GBytes *original[N_FRAMES], *corrected[N_FRAMES];        /* pictures */

/* Returns the samples of the planes at @data, without padding. */
static GBytes *
get_picture (const guint8 * data, const GstVideoInfo * info,
    const gsize offset[GST_VIDEO_MAX_PLANES],
    const gint stride[GST_VIDEO_MAX_PLANES])
{
  GByteArray *picture = g_byte_array_new ();
  guint p;
  gint y;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gint width, height;

    gst_video_format_info_component (info->finfo, p, components);
    width = GST_VIDEO_INFO_COMP_WIDTH (info, components[0]) *
        GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0]);
    height = GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    for (y = 0; y < height; y++)
      g_byte_array_append (picture, data + offset[p] + (gsize) y * stride[p],
          width);
  }
  return g_byte_array_free_to_bytes (picture);
}

/* Copies @size bytes from the GPU after pending writes. */
static gboolean
copy_from_gpu (const void *from, void *to, gsize size)
{
  CUresult (*copy) (void *, CUdeviceptr, size_t) =
      test_driver_function ("cuMemcpyDtoH_v2");
  gboolean ok;

  if (!gst_cuda_context_push (context))
    return FALSE;
  ok = copy (to, (CUdeviceptr) (guintptr) from, size) == CUDA_SUCCESS;
  gst_cuda_context_pop (NULL);
  return ok;
}

/* Returns the picture in @buffer, whatever state the memory records; with @now,
 * as it is before other work on the GPU ends. */
static GBytes *
read_picture (GstBuffer * buffer, gboolean cuda, gboolean now)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstVideoInfo info;
  GstMapInfo map;
  guint8 *bytes;
  GBytes *picture;

  if (!gst_video_info_from_caps (&info, frames[0].caps)
      || !gst_memory_map (memory, &map, GST_MAP_READ | (cuda ? GST_MAP_CUDA :
              0)))
    g_error ("a frame cannot be read");
  bytes = map.data;
  if (cuda) {
    bytes = g_malloc (map.size);
    if (!(now ? test_double ()->peek (map.data, bytes, map.size) :
            copy_from_gpu (map.data, bytes, map.size)))
      g_error ("a frame cannot be read from the GPU");
  }
  picture = get_picture (bytes, &info, meta ? meta->offset : info.offset,
      meta ? meta->stride : info.stride);
  if (cuda)
    g_free (bytes);
  gst_memory_unmap (memory, &map);
  return picture;
}

static void
set_properties (GstElement * element, const gchar * text)
{
  gchar **properties = g_strsplit (text, " ", -1);
  guint i;

  for (i = 0; properties[i] && *properties[i]; i++) {
    gchar *value = strchr (properties[i], '=');

    *value++ = 0;
    gst_util_set_object_arg (G_OBJECT (element), properties[i], value);
  }
  g_strfreev (properties);
}

/* Each frame's curve depends on this frame only, whatever happened to earlier
 * ones. */
static void
init_equalize (TestElement * t, const Scenario * s)
{
  test_element_init_equalize (t, NULL, "smoothing", "0", NULL);
  set_properties (t->element, s->correction);
}

/* A frame that correction changes. */
static void
make_noise (TestFrame * frame, TestRandom * random, const Scenario * s)
{
  gsize i;

  test_frame_init_plain (frame, random, s->format, s->width, s->height, NULL);
  for (i = 0; i < frame->size; i++)
    frame->image[i] = 40 + test_random_below (random, 80);
  gst_buffer_fill (frame->buffer, 0, frame->image, frame->size);
}

/* Computes the right results on the CPU. */
static void
make_frames (const Scenario * s)
{
  TestRandom random = test_random_new (1);
  GstVideoInfo info;
  TestElement t;
  guint i;

  init_equalize (&t, s);
  for (i = 0; i < N_FRAMES; i++) {
    GstVideoHistogramSpec spec;
    GstBuffer *out;

    make_noise (&frames[i], &random, s);
    GST_BUFFER_PTS (frames[i].buffer) = i;
    gst_video_info_from_caps (&info, frames[i].caps);
    original[i] = read_picture (frames[i].buffer, FALSE, FALSE);
    if (s->histogram) {
      GstElement *histogram = gst_element_factory_make ("videohistogram", NULL);

      gst_video_histogram_spec_init (&spec);
      set_properties (histogram, s->properties);
      g_object_get (histogram, "channels", &spec.channels, NULL);
      if (strstr (s->properties, "grid="))
        sscanf (strstr (s->properties, "grid="), "grid=%ux%u", &spec.columns,
            &spec.rows);
      gst_object_unref (histogram);
      expected[i] = test_count_on_cpu (frames[i].buffer, frames[i].caps, &spec);
    }
    if (s->equalize) {
      gst_harness_set_src_caps (t.h, gst_caps_ref (frames[i].caps));
      out = test_element_pass (&t, gst_buffer_copy_deep (frames[i].buffer));
      corrected[i] = read_picture (out, FALSE, FALSE);
      gst_buffer_unref (out);
    }
  }
  test_element_clear (&t);
}

/* A case */

static gboolean
is_shortage (const Case * c)
{
  return g_str_equal (c->function, SHORTAGE);
}

typedef struct
{
  const Scenario *scenario;
  const Case *c;                /* NULL if nothing fails */
  TestElement histogram, equalize;
  GstBufferPool *pool;          /* for frames in CUDA memory */
  GstBuffer *in[N_FRAMES], *out[N_FRAMES];
  GBytes *left[N_FRAMES];       /* pictures in out when they left, or NULL */
  guint calls[N_FRAMES + 1];    /* calls before each frame, and at the end */
  guint failed_at;              /* the first call that failed; the number of
                                 * calls if none did */
  gboolean foreign;             /* a call by GStreamer failed */
} Run;

static gint counted[N_FRAMES];  /* atomic: 1 by the GPU, 2 by the CPU */
static gint n_live;             /* atomic: elements, histograms, frames */

static void
note_free (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED gpointer object)
{
  g_atomic_int_add (&n_live, -1);
}

static void
note_free_frame (gpointer data)
{
  g_free (data);
  g_atomic_int_add (&n_live, -1);
}

static void
on_histogram (G_GNUC_UNUSED GstElement * element, GstVideoHistogram * histogram)
{
  const guint i = gst_video_histogram_get_info (histogram)->timestamp;
  const gchar *differs = test_compare (histogram, expected[i]);
  const gboolean cpu =
      g_str_equal (gst_video_histogram_get_backend (histogram), "cpu");

  g_atomic_int_inc (&n_live);
  gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (histogram),
      (GstMiniObjectNotify) note_free, NULL);
  if (differs)
    complain ("frame %u: %s", i, differs);
  if (!g_atomic_int_compare_and_exchange (&counted[i], 0, 1 + cpu))
    complain ("frame %u was counted twice", i);
}

static GstCaps *
get_caps (const Scenario * s)
{
  return s->cuda ? test_cuda_caps (frames[0].caps) :
      gst_caps_ref (frames[0].caps);
}

static void
make_pool (Run * run)
{
  GstCaps *caps = get_caps (run->scenario);
  GstStructure *config;
  GstVideoInfo info;

  run->pool = gst_cuda_buffer_pool_new (context);
  config = gst_buffer_pool_get_config (run->pool);
  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, 0);
  if (!gst_buffer_pool_set_config (run->pool, config)
      || !gst_buffer_pool_set_active (run->pool, TRUE))
    g_error ("there is no pool of CUDA memory");
  gst_caps_unref (caps);
}

/* A frame that nothing else holds. */
static GstBuffer *
make_frame (Run * run, guint i)
{
  GstBuffer *buffer = NULL;
  GstVideoFrame from, to;
  GstVideoInfo info;
  GstMapInfo map;

  if (!run->scenario->cuda) {
    guint8 *copy = g_memdup2 (frames[i].image, frames[i].size);

    g_atomic_int_inc (&n_live);
    buffer = gst_buffer_new_wrapped_full (0, copy, frames[i].size, 0,
        frames[i].size, copy, note_free_frame);
  } else {
    gst_video_info_from_caps (&info, frames[i].caps);
    if (gst_buffer_pool_acquire_buffer (run->pool, &buffer, NULL) !=
        GST_FLOW_OK
        || !gst_video_frame_map (&from, &info, frames[i].buffer, GST_MAP_READ)
        || !gst_video_frame_map (&to, &info, buffer, GST_MAP_WRITE))
      g_error ("there is no memory for a frame");
    gst_video_frame_copy (&to, &from);
    gst_video_frame_unmap (&to);
    gst_video_frame_unmap (&from);
    /* Moves it to the GPU. */
    if (!gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA))
      g_error ("a frame cannot be uploaded");
    gst_buffer_unmap (buffer, &map);
  }
  GST_BUFFER_PTS (buffer) = i;
  return buffer;
}

/* Makes up to two allocation functions fail, each for one call or from one call
 * on, and makes other allocations fail at random. */
static void
order_shortage (guint seed)
{
  TestRandom random = test_random_new (seed);
  const guint n = test_random_below (&random, 3);
  guint i;

  for (i = 0; i < n; i++) {
    test_double ()->fail_call (allocations[test_random_below (&random,
                G_N_ELEMENTS (allocations))],
        1 + test_random_below (&random, 10), OUT_OF_MEMORY,
        test_random_once_in (&random, 4) ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE);
  }
  test_shortage_begin (seed, 1 << test_random_below (&random, 6));
}

static void
order_failure (const Case * c)
{
  if (is_shortage (c))
    order_shortage (c->nth);
  else if (g_str_equal (c->function, KERNEL))
    test_double ()->fault_kernel (c->nth, c->code);
  else
    test_double ()->fail_call (c->function, c->nth, c->code,
        c->for_ever ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE);
}

static void
start_element (TestElement * t, const Scenario * s)
{
  g_atomic_int_inc (&n_live);
  g_object_weak_ref (G_OBJECT (t->element), (GWeakNotify) note_free, NULL);
  gst_harness_set_src_caps (t->h, get_caps (s));
}

static void
start_elements (Run * run)
{
  const Scenario *s = run->scenario;
  const gint64 start = g_get_monotonic_time ();

  if (s->histogram) {
    test_element_init (&run->histogram, NULL, "backend", "auto", "interval",
        "0", "attach-meta", "always", NULL);
    set_properties (run->histogram.element, s->properties);
    g_signal_connect (run->histogram.element, "histogram",
        G_CALLBACK (on_histogram), NULL);
    start_element (&run->histogram, s);
  }
  if (s->equalize) {
    init_equalize (&run->equalize, s);
    start_element (&run->equalize, s);
  }
  check_time (start, "starting");
}

/* Takes @buffer, and returns the element's output. */
static GstBuffer *
pass (TestElement * t, GstBuffer * buffer, guint i)
{
  const gint64 start = g_get_monotonic_time ();
  GstBuffer *out;

  gst_harness_push (t->h, buffer);
  out = gst_harness_try_pull (t->h);
  check_time (start, "a frame");
  if (!out)
    complain ("frame %u was lost", i);
  return out;
}

/* Waits until the element is done with @n frames: one at a time is no
 * overload. */
static void
wait_for_count (TestElement * t, guint n)
{
  const gint64 end = g_get_monotonic_time () + 4 * LIMIT;

  while (test_element_get_count (t, "processed") +
      test_element_get_count (t, "dropped") +
      test_element_get_count (t, "skipped") < n) {
    if (g_get_monotonic_time () > end) {
      complain_of_time ("frame %u is not finished", n - 1);
      return;
    }
    g_usleep (50);
  }
}

static void
pass_frame (Run * run, guint i)
{
  const Scenario *s = run->scenario;
  GstMemory *memory = gst_buffer_peek_memory (run->in[i], 0);
  GstBuffer *buffer = run->in[i];

  if (s->held)
    gst_buffer_ref (buffer);
  else
    run->in[i] = NULL;
  if (s->histogram) {
    buffer = pass (&run->histogram, buffer, i);
    if (buffer && gst_buffer_peek_memory (buffer, 0) != memory)
      complain ("frame %u left in another memory", i);
  }
  if (s->equalize && buffer)
    buffer = pass (&run->equalize, buffer, i);
  run->out[i] = buffer;
  if (s->histogram && !(run->c && is_shortage (run->c)))
    wait_for_count (&run->histogram, i + 1);
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

static VhCudaFailure
failure_of (const Case * c)
{
  return vh_cuda_failure (c->code);
}

static gboolean
is_kernel (const Case * c)
{
  return g_str_equal (c->function, KERNEL);
}

/* A GPU that was never used is not lost. */
static gboolean
is_lost (const Case * c)
{
  return is_kernel (c) || (failure_of (c) == VH_CUDA_FAILURE_LOST
      && !g_str_equal (c->function, "cuInit")
      && !g_str_equal (c->function, "cuDeviceGetCount"));
}

/* Whether it is unknown after the error what the GPU still uses, because every
 * query fails or a lost GPU is left alone: then less is freed, without waiting.
 * A context that was not popped stays on the stack above the current one. */
static gboolean
leaves_things (const Case * c)
{
  return is_lost (c) || g_str_equal (c->function, "cuCtxPopCurrent_v2")
      || (c->for_ever && (g_str_equal (c->function, "cuEventQuery")
          || g_str_equal (c->function, "cuStreamQuery")
          || g_str_equal (c->function, "cuCtxPushCurrent_v2")));
}

static gboolean
is_foreign (const void *site)
{
  Dl_info info;

  return !site || !dladdr (site, &info)
      || !strstr (info.dli_fname, "libgstvideohistogram");
}

/* Finds the call that failed as ordered, and whether GStreamer made it, which
 * may ignore errors. */
static void
find_failure (Run * run)
{
  const VhDouble *gpu = test_double ();
  guint i;

  run->failed_at = gpu->calls ();
  for (i = gpu->calls (); i-- > 0;) {
    if (gpu->call_result (i) != run->c->code || (!is_kernel (run->c)
            && !g_str_equal (gpu->call_name (i), run->c->function)))
      continue;
    run->failed_at = i;
    run->foreign |= is_foreign (gpu->call_site (i));
  }
  shared->n_happened += run->failed_at < gpu->calls ();
}

/* The frame during which a call was made; N_FRAMES for calls at the start, one
 * more for calls at the end. */
static guint
get_frame (const Run * run, guint call)
{
  guint i;

  for (i = 0; i < N_FRAMES; i++) {
    if (call >= run->calls[i] && call < run->calls[i + 1])
      return i;
  }
  return call < run->calls[0] ? N_FRAMES : N_FRAMES + 1;
}

/* Once a call has reported that the GPU is lost there are no more calls, except
 * those that look up the error and leave a context; other threads may be in the
 * middle of one. */
static void
check_calls_after_loss (const Run * run)
{
  const VhDouble *gpu = test_double ();
  const guint n = gpu->calls ();
  guint i, more = 0;

  if (!is_lost (run->c) || run->foreign)
    return;
  for (i = run->failed_at + 1; i < n; i++) {
    const gchar *name = gpu->call_name (i);

    if (!is_foreign (gpu->call_site (i))
        && !g_str_has_prefix (name, "cuGetError")
        && !g_str_equal (name, "cuCtxPopCurrent_v2") && ++more > MAX_MORE_CALLS)
      complain_of_time ("%s was called after the GPU was lost", name);
  }
}

/* Checks how soon frames are counted again. */
static void
check_recovery (const Run * run)
{
  const Case *c = run->c;
  const guint failed = get_frame (run, run->failed_at);
  guint i, n = 0;

  /* A single error in a context is no reason to give up, unless work in flight
   * there caused it. */
  if (failed > 0 && failed < N_FRAMES - 2 && !c->for_ever
      && !g_str_equal (c->function, "cuEventQuery")
      && failure_of (c) == VH_CUDA_FAILURE_CONTEXT
      && !g_atomic_int_get (&counted[N_FRAMES - 1]))
    complain_of_time ("the last frame was not counted");

  if (run->scenario->cuda)
    return;
  for (i = 0; i < N_FRAMES; i++)
    n += g_atomic_int_get (&counted[i]) != 0;
  if (n < N_FRAMES - MAX_UNCOUNTED)
    complain_of_time ("only %u of %u frames were counted", n, N_FRAMES);
  if (is_lost (c) && failed < N_FRAMES - MAX_UNCOUNTED) {
    for (i = failed; i < N_FRAMES && g_atomic_int_get (&counted[i]) != 2; i++);
    if (i == N_FRAMES)
      complain ("the CPU never counted");
    shared->uncounted = MAX (shared->uncounted, i - failed);
  }
}

static void
check_messages (TestElement * t, guint n_faults)
{
  const guint warnings = count_messages (t, GST_MESSAGE_WARNING);

  if (count_messages (t, GST_MESSAGE_ERROR) > 0)
    complain ("there was an error on the bus");
  if (warnings > n_faults)
    complain ("there were %u warnings", warnings);
}

/* Stops @t, expecting this many faults, and frees it. */
static void
stop_element (TestElement * t, guint n_faults)
{
  const gint64 start = g_get_monotonic_time ();

  gst_element_set_state (t->element, GST_STATE_NULL);
  check_time (start, "stopping");
  check_messages (t, n_faults);
  test_element_clear (t);
}

/* Checks that each output is the input or the CPU's correction of it, and that
 * not too many are the input. Frames corrected on a lost GPU cannot be read. */
static void
check_pictures (Run * run, guint64 uncorrected)
{
  const Scenario *s = run->scenario;
  const gboolean lost = run->c && is_lost (run->c);
  guint i, n = 0;

  for (i = 0; i < N_FRAMES && run->out[i]; i++) {
    GBytes *picture = read_picture (run->out[i], s->cuda, FALSE);

    if (run->left[i] && !g_bytes_equal (picture, run->left[i]))
      complain ("frame %u left before it was complete", i);
    if (g_bytes_equal (picture, original[i]))
      n++;
    else if (!s->equalize)
      complain ("frame %u is not what it was", i);
    else if (!g_bytes_equal (picture, corrected[i]) && !(lost && s->cuda))
      complain ("frame %u is neither unchanged nor corrected", i);
    g_bytes_unref (picture);

    if (s->held) {
      picture = read_picture (run->in[i], s->cuda, FALSE);
      if (!g_bytes_equal (picture, original[i]))
        complain ("frame %u was changed, which something else holds", i);
      g_bytes_unref (picture);
    }
  }
  if (s->equalize && !(run->c && leaves_things (run->c) ? n <= uncorrected :
          n == uncorrected)) {
    complain_of_time ("%u frames passed uncorrected, and it says %u", n,
        (guint) uncorrected);
  }
  if (s->equalize && !s->cuda && n > 0 && !(run->c && is_shortage (run->c)))
    complain ("%u frames in system memory were not corrected", n);
}

static void
record_calls (const Run * run)
{
  const VhDouble *gpu = test_double ();
  guint i;

  shared->n_calls = MIN (gpu->calls (), MAX_CALLS);
  for (i = 0; i < shared->n_calls; i++) {
    g_strlcpy (shared->calls[i].name, gpu->call_name (i),
        sizeof (shared->calls[i].name));
    shared->calls[i].site = gpu->call_site (i);
    shared->calls[i].frame = get_frame (run, i);
    shared->calls[i].foreign = is_foreign (gpu->call_site (i));
  }
  shared->n_kernels = gpu->launches ();
}

static void
run_elements (Run * run, guint64 * uncorrected)
{
  const Scenario *s = run->scenario;
  const VhDouble *gpu = test_double ();
  const gboolean shortage = run->c && is_shortage (run->c);
  guint i;

  start_elements (run);
  for (i = 0; i < N_FRAMES && !shared->wrong[0]; i++) {
    const guint64 n = *uncorrected;

    run->calls[i] = gpu->calls ();
    pass_frame (run, i);
    if (!s->equalize)
      continue;
    *uncorrected = test_element_get_count (&run->equalize, "uncorrected");
    if (s->cuda && *uncorrected == n && run->out[i])
      run->left[i] = read_picture (run->out[i], TRUE, TRUE);
  }
  run->calls[i] = gpu->calls ();

  if (shortage && s->histogram) {
    /* Waits for everything that is still pending. */
    gst_harness_push_event (run->histogram.h, gst_event_new_eos ());
    wait_for_count (&run->histogram, N_FRAMES);
  }
  /* A permanent failure may stop counting and joint counting one after the
   * other, with a message for each. */
  if (s->histogram && run->c && run->c->for_ever
      && strstr (s->properties, "joint="))
    stop_element (&run->histogram, 2);
  else if (s->histogram)
    stop_element (&run->histogram, shortage ? 2 : 1);
  if (s->equalize)
    stop_element (&run->equalize, shortage ? 2 : 1);
}

static void
check_run (Run * run)
{
  const Case *c = run->c;
  guint i;

  if (!c) {
    record_calls (run);
    for (i = 0; i < N_FRAMES; i++) {
      if (run->scenario->histogram && counted[i] != 1)
        complain ("frame %u was not counted on the GPU", i);
    }
    return;
  }
  if (is_shortage (c)) {
    shared->n_happened += test_shortage_end () > 0;
    return;
  }
  find_failure (run);
  check_calls_after_loss (run);
  if (run->scenario->histogram && !run->foreign)
    check_recovery (run);
}

/* Runs a case; NULL: a run without failures. */
static void
run_case (const Scenario * s, const Case * c)
{
  const VhDouble *gpu = test_double ();
  Run run = {.scenario = s,.c = c };
  guint64 uncorrected = 0;
  TestLive before, after;
  gboolean forgiven;
  gint left;
  guint i;

  shared->wrong[0] = 0;
  shared->slow = FALSE;
  memset (counted, 0, sizeof (counted));
  g_atomic_int_set (&n_live, 0);
  before = test_live ();
  if (s->cuda)
    make_pool (&run);
  for (i = 0; i < N_FRAMES; i++)
    run.in[i] = make_frame (&run, i);

  gpu->reset ();
  if (c)
    order_failure (c);
  run_elements (&run, &uncorrected);
  check_run (&run);
  forgiven = c && (leaves_things (c) || run.foreign);
  if (gpu->violations () > 0 && !forgiven)
    complain ("%s", gpu->last_violation ());

  gpu->reset ();
  check_pictures (&run, uncorrected);
  for (i = 0; i < N_FRAMES; i++) {
    gst_clear_buffer (&run.in[i]);
    gst_clear_buffer (&run.out[i]);
    g_clear_pointer (&run.left[i], g_bytes_unref);
  }
  if (run.pool) {
    gst_buffer_pool_set_active (run.pool, FALSE);
    gst_object_unref (run.pool);
  }
  if (forgiven)
    return;
  left = test_live_find_left (&before, &after);
  if (left >= 0) {
    complain_of_time ("%u objects of kind %d are left",
        after.n[left] - before.n[left], left);
  }
  for (i = 0; i < 2000 && g_atomic_int_get (&n_live) > 0; i++)
    g_usleep (1000);
  if (g_atomic_int_get (&n_live) > 0)
    complain_of_time ("%d elements, histograms or frames are left", n_live);
}

/* Children */

/* The work of a child: @n cases; NULL: one run without failures. */
static struct
{
  const Scenario *scenario;
  const Case *cases;
  guint n;
} given;

/* Ends early if the GPU was lost. */
GST_START_TEST (test_given)
{
  const Scenario *s = given.scenario;
  guint i;

  if (!test_double ()) {
    shared->real = TRUE;
    return;
  }
  /* libcheck's handler would end the parent, too. */
  signal (SIGALRM, SIG_DFL);
  make_frames (s);
  if (s->cuda) {
    if (!gst_cuda_load_library () || !(context = gst_cuda_context_new (0)))
      g_error ("there is no CUDA context");
    gst_cuda_memory_init_once ();
  }
  if (!given.cases)
    run_case (s, NULL);
  for (i = 0; i < given.n; i++) {
    alarm (CASE_LIMIT);
    run_case (s, &given.cases[i]);
    shared->done++;
    if (shared->wrong[0] || leaves_things (&given.cases[i]))
      return;
  }
}

GST_END_TEST;

/* Returns whether everything went well, apart from the problems in shared. */
static gboolean
run_given (const Scenario * s, const Case * cases, guint n)
{
  Suite *suite = suite_create ("failures");
  TCase *tc = tcase_create ("failures");
  SRunner *runner = srunner_create (suite);

  given.scenario = s;
  given.cases = cases;
  given.n = n;
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_given);
  srunner_run_all (runner, CK_SILENT);
  if (srunner_ntests_failed (runner) == 0)
    return TRUE;
  srunner_print (runner, CK_NORMAL);
  return FALSE;
}

/* Exits at once, since the rest of the child depends on a driver that may be
 * broken. */
static G_NORETURN void
end_child (int status)
{
  fflush (NULL);
  test_coverage_write ();
  _exit (status);
}

static pid_t
start_child (Shared * at, const Scenario * s, const Case * cases, guint n)
{
  gboolean ok;
  pid_t child;

  memset (at, 0, G_STRUCT_OFFSET (Shared, calls));
  fflush (NULL);
  child = fork ();
  if (child < 0)
    g_error ("cannot fork");
  if (child > 0)
    return child;
  shared = at;
  ok = run_given (s, cases, n);
  end_child (ok ? 0 : 1);
}

/* The parent */

typedef struct
{
  GArray *cases;                /* of Case */
  GHashTable *sites;            /* call sites in the library */
  guint n_done, n_failed, n_slow, n_happened, uncounted;
} Work;

/* A child and its remaining cases. */
typedef struct
{
  pid_t child;                  /* 0 if there is none */
  Shared *shared;
  guint first, end;
  guint tried;                  /* how often the first case was too slow */
} Job;

static gchar *
case_to_string (const Case * c)
{
  return g_strdup_printf ("%s %s %u %d %s%s", scenarios[c->scenario].name,
      c->function, c->nth, c->code, c->for_ever ? "ever" : "once",
      c->foreign ? " (of GStreamer)" : "");
}

static void
report (Work * work, guint i, const gchar * wrong)
{
  gchar *name = case_to_string (&g_array_index (work->cases, Case, i));

  work->n_failed++;
  g_print ("FAILED: %s: %s\n", name, wrong);
  g_free (name);
}

/* Evaluates the results of a child. A busy machine may be slow, but not with
 * the same case again and again. */
static void
finish_child (Work * work, Job * job, gint status)
{
  const Shared *said = job->shared;
  gchar *wrong;

  job->child = 0;
  work->n_happened += said->n_happened;
  work->uncounted = MAX (work->uncounted, said->uncounted);
  if (status != 0) {
    wrong = WIFSIGNALED (status) ? g_strdup_printf ("ended by signal %d, %s",
        WTERMSIG (status), strsignal (WTERMSIG (status))) :
        g_strdup_printf ("ended with status %d", WEXITSTATUS (status));
    report (work, job->first + said->done, wrong);
    g_free (wrong);
    job->first++;
  } else if (said->slow && (said->done > 1 || job->tried < MAX_REPEATS)) {
    wrong = case_to_string (&g_array_index (work->cases, Case,
            job->first + said->done - 1));
    g_print ("again: %s: %s\n", wrong, said->wrong);
    g_free (wrong);
    work->n_slow++;
    if (said->done > 1)
      job->tried = 0;
    job->tried++;
    job->first += said->done - 1;
    return;
  } else if (said->wrong[0]) {
    report (work, job->first + said->done - 1, said->wrong);
  }
  job->tried = 0;
  job->first += said->done;
}

static Shared *
share (void)
{
  Shared *memory = mmap (NULL, sizeof (Shared), PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    g_error ("no memory to share");
  return memory;
}

/* Runs the cases from @first on, all of one scenario. */
static void
run_cases (Work * work, guint first)
{
  const Case *all = (const Case *) (gpointer) work->cases->data;
  const guint n_processes = MAX (g_get_num_processors (), 2);
  Job *jobs = g_new0 (Job, n_processes);
  guint next = first, i, running;

  for (i = 0; i < n_processes; i++)
    jobs[i].shared = share ();
  do {
    gint status;
    pid_t ended;

    for (running = i = 0; i < n_processes; i++) {
      Job *job = &jobs[i];

      if (!job->child && job->first == job->end) {
        job->first = next;
        next = job->end = MIN (next + CASES_PER_PROCESS, work->cases->len);
      }
      if (!job->child && job->first < job->end) {
        job->child = start_child (job->shared,
            &scenarios[all[job->first].scenario], &all[job->first],
            job->end - job->first);
      }
      running += job->child != 0;
    }
    if (running == 0)
      break;
    ended = wait (&status);
    for (i = 0; i < n_processes; i++) {
      if (jobs[i].child == ended)
        finish_child (work, &jobs[i], status);
    }
  } while (TRUE);
  for (i = 0; i < n_processes; i++)
    munmap (jobs[i].shared, sizeof (Shared));
  g_free (jobs);
}

static void
add_case (GArray * list, guint scenario, const gchar * function, guint nth,
    gint code, gboolean for_ever, gboolean foreign)
{
  Case c = { scenario, "", nth, code, for_ever, foreign };

  g_strlcpy (c.function, function, sizeof (c.function));
  g_array_append_val (list, c);
}

/* Whether call @i is the first or the last one from its call site for its
 * frame: those in between are alike. */
static gboolean
is_of_interest (const Shared * clean, guint i)
{
  gboolean first = TRUE, last = TRUE;
  guint k;

  for (k = 0; k < clean->n_calls; k++) {
    const gboolean alike = clean->calls[k].site == clean->calls[i].site
        && clean->calls[k].frame == clean->calls[i].frame;

    first &= !(alike && k < i);
    last &= !(alike && k > i);
  }
  return first || last;
}

/* Lists all failures of the calls that a run makes. */
static GArray *
list_cases (guint scenario, const Shared * clean)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Case));
  guint i, k, nth;

  for (i = 0; i < clean->n_calls; i++) {
    /* libgstcuda before 1.24 crashes if a call of its own fails. */
    if (!is_of_interest (clean, i) || (clean->calls[i].foreign
            && g_str_equal (clean->calls[i].name, "cuInit")))
      continue;
    for (nth = 1, k = 0; k < i; k++)
      nth += g_str_equal (clean->calls[k].name, clean->calls[i].name);
    for (k = 0; k < 2 * G_N_ELEMENTS (codes); k++) {
      add_case (list, scenario, clean->calls[i].name, nth, codes[k / 2], k % 2,
          clean->calls[i].foreign);
    }
  }
  for (i = 1; i <= clean->n_kernels; i++) {
    for (k = 0; k < G_N_ELEMENTS (kernel_codes); k++)
      add_case (list, scenario, KERNEL, i, kernel_codes[k], FALSE, FALSE);
  }
  return list;
}

/* Runs the cases from @first on. If none of many failures happened, nothing
 * would have been tested. */
static void
run_and_count (Work * work, guint scenario, guint first)
{
  const guint happened = work->n_happened;

  run_cases (work, first);
  if (work->cases->len >= first + MANY && work->n_happened == happened) {
    g_print ("FAILED: %s: none of %u failures happened\n",
        scenarios[scenario].name, work->cases->len - first);
    work->n_failed++;
  }
}

/* Runs a scenario with everything short. */
static void
run_short (Work * work, guint scenario, guint first_seed, guint n)
{
  const guint first = work->cases->len;
  guint i;

  for (i = 0; i < n; i++)
    add_case (work->cases, scenario, SHORTAGE, first_seed + i, OUT_OF_MEMORY,
        FALSE, FALSE);
  run_and_count (work, scenario, first);
}

/* Returns FALSE if there is nothing to do, because the driver is a real one. */
static gboolean
sweep (Work * work, guint scenario, guint step)
{
  const Scenario *s = &scenarios[scenario];
  Shared *clean = share ();
  const guint first = work->cases->len;
  gint status;
  GArray *all;
  guint i;

  for (i = 0; i == 0 || (clean->slow && i <= MAX_REPEATS); i++) {
    start_child (clean, s, NULL, 0);
    if (wait (&status) < 0 || status != 0)
      g_error ("%s: a run in which nothing fails ends with %d", s->name,
          status);
  }
  if (clean->wrong[0])
    g_error ("%s: without a failure: %s", s->name, clean->wrong);
  if (clean->real) {
    g_print ("left out, since the driver is a real one\n");
    return FALSE;
  }
  for (i = 0; i < clean->n_calls; i++) {
    if (!clean->calls[i].foreign)
      g_hash_table_add (work->sites, (gpointer) clean->calls[i].site);
  }

  all = list_cases (scenario, clean);
  for (i = work->n_done % step; i < all->len; i += step)
    g_array_append_val (work->cases, g_array_index (all, Case, i));
  g_array_unref (all);
  work->n_done = work->cases->len;
  g_print ("%s: %u calls, %u cases\n", s->name, clean->n_calls,
      work->cases->len - first);
  run_and_count (work, scenario, first);
  munmap (clean, sizeof (*clean));
  return TRUE;
}

/* Runs all cases, or those of the named scenarios. */
static gboolean
run_all (gchar ** names)
{
  /* Not a divisor of the number of failures per call, so that some of each kind
   * are chosen. */
  const guint step = test_env_tier ("TEST_FAILURES_STEP", 19, 1);
  const guint n = MIN (test_env_tier ("TEST_FAILURES_SCENARIOS", N_QUICK,
          G_MAXUINT), G_N_ELEMENTS (scenarios));
  const guint64 seeds = test_env_tier ("TEST_FAILURES_SEEDS", 300, 100000);
  Work work = { 0, };
  guint failed, i;

  work.cases = g_array_new (FALSE, FALSE, sizeof (Case));
  work.sites = g_hash_table_new (NULL, NULL);
  for (i = 0; i < (*names ? G_N_ELEMENTS (scenarios) : n); i++) {
    if (*names && !g_strv_contains ((const gchar * const *) names,
            scenarios[i].name))
      continue;
    if (!sweep (&work, i, step))
      return TRUE;
  }
  test_figure ("call sites of the library that fail", "%u",
      g_hash_table_size (work.sites));
  test_figure ("runs, each with one of its calls failing", "%u",
      work.cases->len);
  test_figure ("runs that survived", "%u", work.cases->len - work.n_failed);
  test_figure ("frames not counted between the loss of the GPU and the first "
      "histogram of the CPU, at most", "%u", work.uncounted);
  g_print ("%u of the failures happened; %u runs were repeated for their "
      "time\n", work.n_happened, work.n_slow);

  if (!*names && n >= N_QUICK && work.cases->len < MIN_FAILURES / step) {
    g_print ("FAILED: there are only %u failures\n", work.cases->len);
    work.n_failed++;
  }

  failed = work.n_failed;
  work.n_happened = 0;
  for (i = 0; i < n; i++)
    run_short (&work, i, seeds * i / n, seeds * (i + 1) / n - seeds * i / n);
  test_figure ("runs with too little memory and too few threads", "%u",
      (guint) seeds);
  test_figure ("of these runs survived", "%u",
      (guint) seeds - (work.n_failed - failed));
  g_print ("in %u of them a call of the library failed\n", work.n_happened);
  if (work.uncounted > MAX_UNCOUNTED)
    work.n_failed++;
  g_array_unref (work.cases);
  g_hash_table_unref (work.sites);
  return work.n_failed == 0;
}

/* Runs the case named by @words. */
static gboolean
run_one (gchar ** words)
{
  Case c = {.nth = atoi (words[2]),.code = atoi (words[3]),.for_ever =
        g_str_equal (words[4], "ever")
  };

  for (; c.scenario < G_N_ELEMENTS (scenarios)
      && !g_str_equal (scenarios[c.scenario].name, words[0]); c.scenario++);
  if (c.scenario == G_N_ELEMENTS (scenarios))
    g_error ("there is no scenario %s", words[0]);
  g_strlcpy (c.function, words[1], sizeof (c.function));
  shared = share ();
  if (!run_given (&scenarios[c.scenario], &c, 1))
    return FALSE;
  g_print ("%s\n", shared->wrong[0] ? shared->wrong : "ok");
  end_child (shared->wrong[0] != 0);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  if (argc == 6)
    return run_one (argv + 1) ? 0 : 1;
  return run_all (argv + 1) ? 0 : 1;
}
