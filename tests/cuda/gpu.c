/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpu.h"

#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "common/env.h"
#include "cuda/gstcudacompat.h"

#define MAX_CACHED 16
#define N_MODULES 6             /* modules per context */

#define MAX_WAIT (TEST_MAX_WAIT * G_TIME_SPAN_SECOND)

/* The double's default delay. */
#define SHORT_DELAY 100         /* microseconds */

const VhDouble *
test_double (void)
{
  static const VhDouble *found = NULL;
  static gsize looked = 0;

  if (g_once_init_enter (&looked)) {
    void *library = dlopen ("libcuda.so.1", RTLD_NOW);
    VhDoubleOpen open = NULL;

    if (library)
      *(void **) &open = dlsym (library, VH_DOUBLE_SYMBOL);
    if (open)
      found = open ();
    g_once_init_leave (&looked, 1);
  }
  return found;
}

gpointer
test_driver_function (const gchar * name)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  gpointer function = library ? dlsym (library, name) : NULL;

  fail_unless (function != NULL, "the driver has no %s", name);
  return function;
}

gboolean
test_leave_out (const gchar * what)
{
  if (test_double ())
    return FALSE;
  g_print ("left out, since the driver is a real one: %s\n", what);
  return TRUE;
}

void
test_set_delay (guint microseconds)
{
  if (test_double ())
    test_double ()->set_delay (microseconds);
}

static gint watched;            /* atomic */

static void
note_launch (void *data, const char *kernel, G_GNUC_UNUSED unsigned device,
    G_GNUC_UNUSED const void *parameters, G_GNUC_UNUSED size_t bytes)
{
  if (g_str_has_prefix (kernel, data))
    g_atomic_int_inc (&watched);
}

void
test_gpu_watch (const gchar * prefix)
{
  if (test_double ())
    test_double ()->watch_launches (prefix ? note_launch : NULL,
        (gpointer) prefix);
  g_atomic_int_set (&watched, 0);
}

gint
test_gpu_watched (void)
{
  return g_atomic_int_get (&watched);
}

guint
test_gpu_calls (const gchar * name, ...)
{
  guint n = 0;
  va_list names;

  if (!test_double ())
    return 0;
  va_start (names, name);
  while (name) {
    n += test_double ()->count (name);
    name = va_arg (names, const gchar *);
  }
  va_end (names);
  return n;
}

TestLive
test_live (void)
{
  TestLive live = { {0}, };
  guint i;

  for (i = 0; test_double () && i < VH_DOUBLE_N_KINDS; i++)
    live.n[i] = test_double ()->live (i);
  return live;
}

/* How many objects of a kind may exist: modules, a stream, events and pinned
 * memory stay with their context, the latter two as many as were in use at
 * once. */
static guint
may_be_live (const TestLive * before, const TestLive * now, guint kind)
{
  const guint n_contexts = now->n[VH_DOUBLE_CONTEXT];
  const guint n_used = before->n[VH_DOUBLE_MODULE] / N_MODULES;

  switch (kind) {
    case VH_DOUBLE_MODULE:
      return MAX (before->n[kind], n_contexts * N_MODULES);
    case VH_DOUBLE_STREAM:
      return before->n[kind] + (n_contexts > n_used ? n_contexts - n_used : 0);
    case VH_DOUBLE_EVENT:
    case VH_DOUBLE_PINNED_MEMORY:
      return before->n[kind] + (n_contexts > 0 ? MAX_CACHED : 0);
    default:
      return before->n[kind];
  }
}

gint
test_live_find_left (const TestLive * before, TestLive * now)
{
  const gint64 end = g_get_monotonic_time () + 2 * G_TIME_SPAN_SECOND;
  guint i = 0;

  while (i < VH_DOUBLE_N_KINDS) {
    *now = test_live ();
    if (now->n[i] <= may_be_live (before, now, i))
      i++;
    else if (g_get_monotonic_time () < end)
      g_usleep (1000);
    else
      return i;
  }
  return -1;
}

void
test_live_check (const TestLive * before)
{
  static const gchar *const names[] = {
    "device memories", "pinned memories", "contexts", "streams", "events",
    "modules"
  };
  TestLive now;
  const gint left = test_live_find_left (before, &now);

  fail_if (left >= 0, "%u %s were there, and now %u", before->n[left],
      names[left], now.n[left]);
}

void
test_gpu_finish (void)
{
  while (test_double () && test_double ()->pending () > 0)
    g_usleep (100);
}

GstCaps *
test_cuda_caps (GstCaps * caps)
{
  GstCaps *cuda = gst_caps_copy (caps);

  gst_caps_set_features_simple (cuda, gst_caps_features_new (TEST_CUDA, NULL));
  return cuda;
}

/* A real GPU takes long to create a context and load kernels, and the tests
 * want hundreds. There, the first contexts are kept to the end: the one for
 * frames, which this returns, and the one for elements that find none. The
 * double counts contexts and makes new ones each time: NULL. */
static GstContext *
kept_context (void)
{
  static TestElement element;
  static GstContext *context = NULL;
  GstCudaContext *of_frames;

  if (test_double () || context)
    return context;
  test_element_init (&element, "video/x-raw(" TEST_CUDA "),format=GRAY8,"
      "width=16,height=16,framerate=25/1", "backend", "cuda", NULL);
  of_frames = gst_cuda_context_new (0);
  fail_unless (of_frames != NULL);
  context = gst_context_new_cuda_context (of_frames);
  gst_object_unref (of_frames);
  return context;
}

/* @context may be NULL. */
static void
init_uploader (TestUploader * self, gint device, GstContext * context)
{
  GstElement *element = gst_element_factory_make ("cudaupload", NULL);

  fail_unless (element != NULL, "nvcodec has no cudaupload");
  g_object_set (element, "cuda-device-id", device, NULL);
  gst_object_ref_sink (element);
  if (context)
    gst_element_set_context (element, context);
  self->h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_harness_set_sink_caps_str (self->h, "video/x-raw(" TEST_CUDA ")");
  self->caps = NULL;
}

void
test_uploader_init (TestUploader * self, gint device)
{
  init_uploader (self, device, NULL);
}

void
test_uploader_clear (TestUploader * self)
{
  g_clear_pointer (&self->h, gst_harness_teardown);
  gst_clear_caps (&self->caps);
}

void
test_upload_round_up (GstVideoFormat format, guint * width, guint * height)
{
  if (format == GST_VIDEO_FORMAT_YUY2 || format == GST_VIDEO_FORMAT_UYVY)
    *width = GST_ROUND_UP_2 (*width);
  if (format == GST_VIDEO_FORMAT_NV21)
    *height = GST_ROUND_UP_2 (*height);
}

GstBuffer *
test_upload (TestUploader * self, GstBuffer * frame, GstCaps * caps)
{
  GstBuffer *out;

  if (!self->caps || !gst_caps_is_equal (self->caps, caps)) {
    gst_caps_replace (&self->caps, caps);
    gst_harness_set_src_caps (self->h, gst_caps_ref (caps));
  }
  fail_unless_equals_int (gst_harness_push (self->h, gst_buffer_ref (frame)),
      GST_FLOW_OK);
  out = gst_harness_pull (self->h);
  fail_unless (out != NULL);
  return out;
}

TestUploader test_uploader;
TestRandom test_numbers;
GstVideoHistogramSpec test_spec;

void
test_gpu_setup (void)
{
  test_numbers = test_random_new (1);
  gst_video_histogram_spec_init (&test_spec);
  init_uploader (&test_uploader, -1, kept_context ());
  test_set_delay (SHORT_DELAY);
}

void
test_gpu_setup_slow (void)
{
  test_gpu_setup ();
  test_set_delay (TEST_GPU_SLOW);
}

void
test_gpu_teardown (void)
{
  guint violations = 0;

  /* Resetting clears them for the next test. */
  if (test_double ()) {
    violations = test_double ()->violations ();
    test_double ()->reset ();
  }
  test_uploader_clear (&test_uploader);
  fail_unless_equals_int (violations, 0);
}

void
test_gpu_renew_uploader (void)
{
  test_uploader_clear (&test_uploader);
  test_uploader_init (&test_uploader, -1);
}

void
test_gpu_check_live (const TestLive * before)
{
  test_uploader_clear (&test_uploader);
  test_live_check (before);
  test_uploader_init (&test_uploader, -1);
}

GstBuffer *
test_gpu_frame (TestUploader * uploader, guint width, guint height,
    GstCaps ** caps, GstVideoHistogram ** expected)
{
  GstBuffer *buffer;
  TestFrame frame;

  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, width,
      height, NULL);
  buffer = uploader ? test_upload (uploader, frame.buffer, frame.caps) :
      gst_buffer_ref (frame.buffer);
  if (caps)
    *caps = gst_caps_ref (frame.caps);
  if (expected)
    *expected = test_count_on_cpu (frame.buffer, frame.caps, &test_spec);
  test_frame_clear (&frame);
  return buffer;
}

void
test_gpu_set_caps (TestElement * t, GstCaps * caps, gboolean cuda)
{
  gst_harness_set_src_caps (t->h, cuda ? test_cuda_caps (caps) :
      gst_caps_ref (caps));
}

GstBuffer *
test_copy_off_pool (GstBuffer * frame)
{
  GstBuffer *copy = gst_buffer_copy_region (frame, GST_BUFFER_COPY_DEEP |
      GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_META, 0, -1);
  GstMemory *memory = gst_buffer_peek_memory (copy, 0);
  CUresult (*synchronize) (CUstream) =
      test_driver_function ("cuStreamSynchronize");

  gst_buffer_unref (frame);
  if (!gst_is_cuda_memory (memory))
    return copy;
  /* libgstcuda 1.22 does not wait for the copy. */
  fail_unless (gst_cuda_context_push (GST_CUDA_MEMORY_CAST (memory)->context));
  fail_unless_equals_int (synchronize (NULL), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  return copy;
}

guint
test_count_held (GPtrArray * memories)
{
  guint n = 0, i;

  for (i = 0; i < memories->len; i++)
    n += GST_MINI_OBJECT_REFCOUNT (g_ptr_array_index (memories, i)) > 1;
  return n;
}

void
test_wait_until_released (GPtrArray * memories)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;

  while (test_count_held (memories) > 0) {
    fail_unless (g_get_monotonic_time () < end, "%u frames are still held",
        test_count_held (memories));
    g_usleep (500);
  }
}

static GstPadProbeReturn
answer_allocation (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  return GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) ==
      GST_QUERY_ALLOCATION ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/* Configures @pool for up to @n buffers of @size, and starts it. */
static void
start_pool (GstBufferPool * pool, GstStructure * config, GstCaps * caps,
    guint size, guint n)
{
  gst_buffer_pool_config_set_params (config, caps, size, 0, n);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
}

GstBufferPool *
test_offered_pool (TestElement * t, GstCaps * caps, guint n,
    GstAllocator ** allocator)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool;
  guint size;

  gst_pad_add_probe (t->h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, NULL, NULL);
  fail_unless (gst_pad_peer_query (t->h->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, NULL, NULL);
  if (allocator)
    gst_query_parse_nth_allocation_param (query, 0, allocator, NULL);
  gst_query_unref (query);
  start_pool (pool, gst_buffer_pool_get_config (pool), caps, size, n);
  return pool;
}

GstCudaContext *
test_context_of (GstBuffer * buffer)
{
  return GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context;
}

void
test_pool_free (GstBufferPool * pool)
{
  fail_unless (gst_buffer_pool_set_active (pool, FALSE));
  gst_object_unref (pool);
}

GstBufferPool *
test_cuda_pool_new (GstCudaContext * context, GstCaps * caps, guint n,
    gboolean streamed)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *cuda_caps = test_cuda_caps (caps);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  if (streamed)
    vh_gst_cuda_pool_config_set_new_stream (config, context);
  start_pool (pool, config, cuda_caps, info.size, n);
  gst_caps_unref (cuda_caps);
  return pool;
}

void
test_fill (GstBuffer * buffer, const TestFrame * frame)
{
  GstVideoInfo info;
  GstVideoFrame from, to;
  GstMapInfo map;

  fail_unless (gst_video_info_from_caps (&info, frame->caps));
  fail_unless (gst_video_frame_map (&from, &info, frame->buffer,
          GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, buffer, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  if (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0))) {
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
    gst_buffer_unmap (buffer, &map);
  }
}

GBytes *
test_read (GstBuffer * buffer)
{
  GstMapInfo map;
  GBytes *bytes;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  bytes = g_bytes_new (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return bytes;
}

static gboolean
is_same_plane (const GstVideoFrame * a, const GstVideoFrame * b, guint plane)
{
  const guint bytes = GST_VIDEO_FRAME_COMP_WIDTH (a, plane) *
      GST_VIDEO_FRAME_COMP_PSTRIDE (a, plane);
  gint row;

  for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (a, plane); row++) {
    if (memcmp ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (a, plane) +
            row * GST_VIDEO_FRAME_PLANE_STRIDE (a, plane),
            (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (b, plane) +
            row * GST_VIDEO_FRAME_PLANE_STRIDE (b, plane), bytes) != 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
test_same_picture (GstBuffer * a, GstBuffer * b, GstCaps * caps)
{
  gboolean same = TRUE;
  GstVideoFrame x, y;
  GstVideoInfo info;
  guint plane;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&x, &info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&y, &info, b, GST_MAP_READ));
  for (plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&info); plane++)
    same = same && is_same_plane (&x, &y, plane);
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
  return same;
}

void
test_spec_init_random (GstVideoHistogramSpec * spec, TestRandom * random,
    GstCaps * caps)
{
  static const guint bins[] = { 0, 0, 1, 3, 64, 255, 256, 1000, 4096 };
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_video_histogram_spec_init (spec);
  spec->channels = 1 + test_random_below (random, 15);
  spec->bins = bins[test_random_below (random, G_N_ELEMENTS (bins))];
  if (test_random_once_in (random, 2)) {
    spec->columns = 1 + test_random_below (random, 4);
    spec->rows = 1 + test_random_below (random, 3);
  }
  if (test_random_once_in (random, 2)) {
    spec->region_x = test_random_below (random, info.width);
    spec->region_y = test_random_below (random, info.height);
    spec->region_width = 1 + test_random_below (random, info.width);
    spec->region_height = 1 + test_random_below (random, info.height);
  }
}

void
test_set_spec (GstElement * element, const GstVideoHistogramSpec * spec)
{
  gchar *grid = g_strdup_printf ("%ux%u", spec->columns, spec->rows);
  gchar *roi = spec->region_width ? g_strdup_printf ("%u,%u,%u,%u",
      spec->region_x, spec->region_y, spec->region_width,
      spec->region_height) : g_strdup ("");

  g_object_set (element, "channels", spec->channels, "bins", spec->bins,
      "grid", grid, "roi", roi, NULL);
  g_free (grid);
  g_free (roi);
}

GstVideoHistogramEngine *
test_engine_new (GstVideoHistogramBackend backend, GstCaps * caps,
    const GstVideoHistogramSpec * spec)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_open (engine, backend, -1, NULL,
          &error)
      && gst_video_histogram_engine_configure (engine, caps, spec, &error),
      "%s", error ? error->message : "");
  return engine;
}

GstVideoHistogram *
test_count_on_cpu (GstBuffer * buffer, GstCaps * caps,
    const GstVideoHistogramSpec * spec)
{
  GstVideoHistogramEngine *engine =
      test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CPU, caps, spec);
  GError *error = NULL;
  GstVideoHistogram *histogram = gst_video_histogram_engine_submit (engine,
      buffer, NULL, FALSE, &error);

  fail_unless (histogram != NULL, "%s", error ? error->message : "");
  g_object_unref (engine);
  return histogram;
}

const gchar *
test_compare (GstVideoHistogram * histogram, GstVideoHistogram * expected)
{
  const GstVideoHistogramInfo *info =
      gst_video_histogram_get_info (expected);
  const guint32 *counts, *wanted;
  guint channel, column, row, n;

  if (!histogram)
    return "there is no histogram";
  if (!gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE))
    return "counting failed";
  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS; channel++) {
    for (row = 0; row < info->rows; row++) {
      for (column = 0; column < info->columns; column++) {
        counts = gst_video_histogram_get_cell_counts (histogram, channel,
            column, row, &n);
        wanted = gst_video_histogram_get_cell_counts (expected, channel,
            column, row, NULL);
        if (!counts != !wanted)
          return "it has other channels";
        if (counts && n != info->bins)
          return "it has another number of bins";
        if (counts && memcmp (counts, wanted, n * sizeof (*counts)) != 0)
          return "the counts differ";
      }
    }
  }
  return NULL;
}

void
test_check_histogram (GstVideoHistogram * histogram,
    GstVideoHistogram * expected)
{
  const gchar *wrong = test_compare (histogram, expected);

  fail_if (wrong, "%s", wrong);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (expected);
}

GstVideoHistogram *
test_get_histogram (GstBuffer * buffer)
{
  GstVideoHistogramMeta *meta = gst_buffer_get_video_histogram_meta (buffer);

  fail_unless (meta != NULL, "a frame was not analysed");
  return gst_video_histogram_ref (meta->histogram);
}

void
test_wait_for_frames (TestElement * t, guint64 n)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;

  while (test_element_get_count (t, "processed") +
      test_element_get_count (t, "dropped") +
      test_element_get_count (t, "skipped") < n) {
    fail_unless (g_get_monotonic_time () < end, "frames are not finished");
    g_usleep (100);
  }
}
