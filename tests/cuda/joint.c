/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms on the GPU: the counts equal the CPU's, whatever else runs,
 * no frame is held for them, and no failure affects anything else. */
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudamemory.h>
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define CHROMA GST_VIDEO_HISTOGRAM_JOINT_CHROMA
#define PREVIOUS GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
#define OTHER GST_VIDEO_HISTOGRAM_JOINT_OTHER

typedef GstVideoHistogramEngine Engine;
typedef GstVideoJointHistogram Joint;

static GstVideoHistogramSpec
make_spec (GstVideoHistogramJoint joint, guint bins)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  spec.joint = joint;
  spec.joint_bins = bins;
  return spec;
}

static Engine *
make_gpu_engine (GstCaps * caps, const GstVideoHistogramSpec * spec)
{
  return test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps, spec);
}

static Engine *
make_cpu_engine (GstCaps * caps, const GstVideoHistogramSpec * spec)
{
  return test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CPU, caps, spec);
}

/* Submits @buffer as soon as the engine has room for it. */
static GstVideoHistogram *
submit (Engine * engine, GstBuffer * buffer)
{
  GstVideoHistogram *histogram;
  GError *error = NULL;

  while (!(histogram = gst_video_histogram_engine_submit (engine, buffer, NULL,
              FALSE, &error))) {
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
            GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD), "%s", error->message);
    g_clear_error (&error);
    g_usleep (100);
  }
  return histogram;
}

/* Returns how @joint differs from @expected, or NULL; both may be NULL. */
static const gchar *
compare (Joint * joint, Joint * expected)
{
  const guint32 *counts, *wanted;
  guint n, n_wanted;

  if (!joint != !expected)
    return joint ? "there is a joint histogram" : "there is none";
  if (!joint)
    return NULL;
  counts = gst_video_joint_histogram_get_counts (joint, &n);
  wanted = gst_video_joint_histogram_get_counts (expected, &n_wanted);
  if (!counts)
    return "counting failed";
  if (!g_str_equal (gst_video_joint_histogram_get_backend (joint), "cuda"))
    return "it was counted elsewhere";
  if (gst_video_joint_histogram_get_pixels (joint) !=
      gst_video_joint_histogram_get_pixels (expected))
    return "it is of other pixels";
  if (n != n_wanted || memcmp (counts, wanted, n * sizeof (*counts)) != 0)
    return "the counts differ";
  return NULL;
}

/* Takes both. */
static void
check (GstVideoHistogram * histogram, GstVideoHistogram * expected)
{
  const gchar *wrong = test_compare (histogram, expected);

  if (!wrong) {
    wrong = compare (gst_video_histogram_get_joint (histogram),
        gst_video_histogram_get_joint (expected));
  }
  fail_if (wrong, "%s", wrong);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (expected);
}

/* Takes both. */
static void
check_joint (Joint * joint, Joint * expected)
{
  const gchar *wrong = compare (joint, expected);

  fail_if (wrong, "%s", wrong);
  gst_clear_video_joint_histogram (&joint);
  gst_clear_video_joint_histogram (&expected);
}

/* Frames in CUDA memory and in system memory, in many formats: as on the CPU,
 * with one more launch than without, and no copy. */
static const gchar *const formats[] = {
  "NV12", "I420", "P010_10LE", "Y444_16LE", "I422_12LE", "YUY2", "BGRx", "RGB",
  "GBR", "RGB10A2_LE",
  /* in system memory only */
  "GRAY8", "AYUV", "Y41B", "YVU9", "GRAY16_BE",
};
#define N_CUDA_FORMATS 10
/* Sanitizers are slow, and look for faults common to all formats. */
#define STEP TEST_SANITIZED (3, 1)

GST_START_TEST (test_frames)
{
  const gboolean cuda = __i__ % 2;
  const GstVideoHistogramJoint kind = __i__ / 2 ? CHROMA : PREVIOUS;
  guint f, i, copies, launches;

  for (f = 0; f < (cuda ? N_CUDA_FORMATS : G_N_ELEMENTS (formats));
      f += STEP) {
    const GstVideoHistogramSpec spec = make_spec (kind,
        1 + test_random_below (&test_numbers, 256));
    const guint width = 2 + 2 * test_random_below (&test_numbers, 150);
    const guint height = 1 + test_random_below (&test_numbers, 90);
    Engine *engine = NULL, *cpu = NULL;

    for (i = 0; i < 4; i++) {
      TestFrame frame;
      GstBuffer *buffer;
      GstVideoHistogram *histogram;

      test_frame_init_plain (&frame, &test_numbers,
          gst_video_format_from_string (formats[f]), width, height, NULL);
      if (!engine) {
        GstCaps *caps = cuda ? test_cuda_caps (frame.caps) :
            gst_caps_ref (frame.caps);

        engine = make_gpu_engine (caps, &spec);
        cpu = make_cpu_engine (frame.caps, &spec);
        gst_caps_unref (caps);
      }
      buffer = cuda ? test_upload (&test_uploader, frame.buffer, frame.caps) :
          gst_buffer_ref (frame.buffer);
      copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
      launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
      histogram = submit (engine, buffer);
      if (cuda)
        fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL), copies);
      /* New luma for the next frame needs a launch of its own if different
       * blocks count different pairs. */
      launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - launches;
      if (test_double () && kind == PREVIOUS)
        fail_unless (launches == 2 || (launches == 3 && spec.joint_bins > 128),
            "%u launches", launches);
      check (histogram, submit (cpu, frame.buffer));
      gst_buffer_unref (buffer);
      test_frame_clear (&frame);
    }
    g_object_unref (engine);
    g_object_unref (cpu);
  }
}

GST_END_TEST;

/* Methods that also count pairs, in one pass over them or several. A method
 * that cannot count as many reports why, and auto counts instead. */
static const struct
{
  GstVideoHistogramMethod method;
  guint bins;
  const gchar *chroma, *previous;       /* kernels */
  const gchar *problem;
} by_method[] = {
  {GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS, 100, "vh_tagged_warps_chroma",
      "vh_tagged_warps_luma", NULL},
  {GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS, 256, "vh_tagged_warps_chroma",
      "vh_tagged_warps_luma", NULL},
  {GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES, 100, "vh_thread_tables_chroma",
      "vh_thread_tables_luma", NULL},
  {GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES, 256, "vh_joint_chroma",
        "vh_joint_luma",
      "method=thread-tables cannot count joint histograms of 256 x 256 bins"},
  {GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_ATOMICS, 100, "vh_joint_chroma",
      "vh_joint_luma", NULL},
};

static void
check_problem (Engine * engine, const gchar * expected)
{
  gchar *problem = gst_video_histogram_engine_dup_method_problem (engine);

  if (expected) {
    fail_unless (problem && g_str_has_prefix (problem, expected)
        && strstr (problem, "method=tagged-warps can."), "%s",
        problem ? problem : "no problem");
  } else {
    fail_if (problem, "%s", problem);
  }
  g_free (problem);
}

GST_START_TEST (test_methods)
{
  static const gchar *const of_methods[] = { "NV12", "P010_10LE", "Y444" };
  const GstVideoHistogramJoint kind = __i__ % 2 ? CHROMA : PREVIOUS;
  GstVideoHistogramSpec spec = make_spec (kind, by_method[__i__ / 2].bins);
  guint f, i;

  /* Few bins, which all methods support. */
  spec.bins = 64;
  spec.method = by_method[__i__ / 2].method;
  for (f = 0; f < G_N_ELEMENTS (of_methods); f++) {
    Engine *engine = NULL, *cpu = NULL;

    test_gpu_watch (kind == CHROMA ? by_method[__i__ / 2].chroma :
        by_method[__i__ / 2].previous);
    for (i = 0; i < 3; i++) {
      TestFrame frame;

      test_frame_init_plain (&frame, &test_numbers,
          gst_video_format_from_string (of_methods[f]), 320, 50, NULL);
      if (!engine) {
        engine = make_gpu_engine (frame.caps, &spec);
        cpu = make_cpu_engine (frame.caps, &spec);
      }
      check (submit (engine, frame.buffer), submit (cpu, frame.buffer));
      test_frame_clear (&frame);
    }
    if (test_double ())
      fail_unless_equals_int (test_gpu_watched (), kind == CHROMA ? 3 : 2);
    check_problem (engine, by_method[__i__ / 2].problem);
    g_object_unref (engine);
    g_object_unref (cpu);
  }
  test_gpu_watch (NULL);
}

GST_END_TEST;

/* Consecutive frames in varying sizes, while earlier ones are still being
 * counted: each is compared with the frame before, or not at all. */
GST_START_TEST (test_many)
{
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 64);
  const TestLive live = test_live ();
  GstVideoHistogram *before = NULL, *expected_before = NULL;
  Engine *engine = NULL, *cpu = NULL;
  TestFrame frame;
  guint i;

  for (i = 0; i < 60; i++) {
    GstVideoHistogram *histogram, *expected;
    GstVideoCropMeta *crop;
    GstBuffer *buffer;

    test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, 200,
        90, NULL);
    if (!engine) {
      engine = make_gpu_engine (frame.caps, &spec);
      cpu = make_cpu_engine (frame.caps, &spec);
    }
    buffer = test_upload (&test_uploader, frame.buffer, frame.caps);
    if (i % 10 > 6) {
      crop = gst_buffer_add_video_crop_meta (buffer);
      crop->x = i;
      crop->y = 3;
      crop->width = 100;
      crop->height = 50;
      *gst_buffer_add_video_crop_meta (frame.buffer) = *crop;
    }
    histogram = submit (engine, buffer);
    expected = submit (cpu, frame.buffer);
    if (before)
      check (before, expected_before);
    before = histogram;
    expected_before = expected;
    gst_buffer_unref (buffer);
    test_frame_clear (&frame);
  }
  check (before, expected_before);
  g_object_unref (engine);
  g_object_unref (cpu);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* More pixels of one pair than counters of 16 bits hold, if blocks did not
 * prevent it; and a table that fills the shared memory. */
GST_START_TEST (test_flat)
{
  static const guint bins[] = { 256, 64, 255, 1 };
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, bins[__i__]);
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=1024,"
      "height=700,framerate=25/1");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1024 * 700, NULL);
  Engine *engine = make_gpu_engine (caps, &spec);
  GstVideoHistogram *histogram;
  const guint32 *counts;
  guint n;

  gst_buffer_memset (buffer, 0, 255, 1024 * 700);
  gst_video_histogram_unref (submit (engine, buffer));
  histogram = submit (engine, buffer);
  counts = gst_video_joint_histogram_get_counts (gst_video_histogram_get_joint
      (histogram), &n);
  fail_unless_equals_int (n, bins[__i__] * bins[__i__]);
  fail_unless_equals_int (counts[n - 1], 1024 * 700);
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  g_object_unref (engine);
}

GST_END_TEST;

static void
fill (GstBuffer * buffer, guint8 value)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, value, map.size);
  gst_buffer_unmap (buffer, &map);
  /* Mapping it for CUDA writes it to the device. */
  if (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0))) {
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
    gst_buffer_unmap (buffer, &map);
  }
}

/* A frame in CUDA memory with all samples @value. */
static GstBuffer *
make_flat_frame (GstCaps * caps, guint size, guint8 value)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, size, NULL);
  GstBuffer *uploaded;

  gst_buffer_memset (frame, 0, value, size);
  uploaded = test_upload (&test_uploader, frame, caps);
  gst_buffer_unref (frame);
  return uploaded;
}

/* Returns the value of a if all pixels are the same pair. */
static guint
find_a (Joint * joint, guint n_pixels)
{
  const guint n_b = gst_video_joint_histogram_get_n_b (joint);
  const guint32 *counts;
  guint n, i;

  counts = gst_video_joint_histogram_get_counts (joint, &n);
  fail_unless (counts != NULL);
  for (i = 0; i < n; i++) {
    if (counts[i]) {
      fail_unless (counts[i] == n_pixels, "%u of %u pixels", counts[i],
          n_pixels);
      return i / n_b;
    }
  }
  fail ("no pixel was counted");
  return 0;
}

/* Two streams on CUDA streams of their own, at random times: the other stream's
 * luma is that of its last frame, neither earlier nor later nor half of each,
 * even if it is not written yet when requested. */
#define N_FLAT (320 * 100)
#define FLAT_CAPS "video/x-raw,format=NV12,width=320,height=100,framerate=25/1"
#define FLAT_SIZE (N_FLAT * 3 / 2)
#define N_TURNS TEST_SANITIZED (15, 80)

GST_START_TEST (test_streams)
{
  const GstVideoHistogramSpec spec = make_spec (OTHER, 256);
  const GstVideoHistogramSpec other_spec = make_spec (__i__ ? PREVIOUS :
      GST_VIDEO_HISTOGRAM_JOINT_NONE, 256);
  const TestLive live = test_live ();
  GstCaps *caps = gst_caps_from_string (FLAT_CAPS);
  Engine *engine = make_gpu_engine (caps, &spec);
  Engine *other = make_gpu_engine (caps, &other_spec);
  guint i, k, last = 0;

  gst_video_histogram_engine_set_joint_other (engine, other);
  for (i = 1; i < N_TURNS; i++) {
    GstVideoHistogram *histograms[4] = { NULL, };
    GstBuffer *own = make_flat_frame (caps, FLAT_SIZE, 7);

    for (k = 0; k < 1 + i % 3; k++) {
      GstBuffer *frame = make_flat_frame (caps, FLAT_SIZE, (i * 3 + k) % 256);

      last = (i * 3 + k) % 256;
      histograms[k] = submit (other, frame);
      gst_buffer_unref (frame);
    }
    histograms[3] = submit (engine, own);
    fail_unless_equals_int (find_a (gst_video_histogram_get_joint
            (histograms[3]), N_FLAT), last);
    for (k = 0; k < 4; k++)
      gst_clear_video_histogram (&histograms[k]);
    gst_buffer_unref (own);
  }

  /* The other stream ends while its last frame is still needed. */
  {
    GstBuffer *frame = make_flat_frame (caps, FLAT_SIZE, 100);
    GstVideoHistogram *histogram;

    gst_video_histogram_unref (submit (other, frame));
    histogram = submit (engine, frame);
    g_object_unref (other);
    fail_unless_equals_int (find_a (gst_video_histogram_get_joint (histogram),
            N_FLAT), 100);
    gst_video_histogram_unref (histogram);
    gst_buffer_unref (frame);
  }
  g_object_unref (engine);
  gst_caps_unref (caps);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* Many streams wait for the same frame. On a GPU, some of them get no joint
 * histogram, because a frame has room for only so many results; but the frame
 * itself is counted. */
#define N_CROWD 12

GST_START_TEST (test_crowd)
{
  Engine *(*make_engine) (GstCaps *, const GstVideoHistogramSpec *) =
      __i__ ? make_cpu_engine : make_gpu_engine;
  const GstVideoHistogramSpec spec = make_spec (OTHER, 4);
  GstCaps *caps = gst_caps_from_string (FLAT_CAPS);
  GstBuffer *frame = gst_buffer_new_allocate (NULL, FLAT_SIZE, NULL);
  Engine *crowd[N_CROWD], *other = make_engine (caps, &spec);
  GstVideoHistogram *histograms[N_CROWD];
  guint i, turn, n_joint;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_buffer_memset (frame, 0, 100, FLAT_SIZE);
  for (i = 0; i < N_CROWD; i++) {
    crowd[i] = make_engine (caps, &spec);
    gst_video_histogram_engine_set_joint_other (crowd[i], other);
  }
  for (turn = 0; turn < 3; turn++) {
    GstVideoHistogram *counted;

    GST_BUFFER_PTS (frame) = turn * GST_SECOND;
    for (i = 0; i < N_CROWD; i++) {
      histograms[i] = gst_video_histogram_engine_submit (crowd[i], frame,
          &segment, FALSE, NULL);
      fail_unless (histograms[i] != NULL);
    }
    counted = gst_video_histogram_engine_submit (other, frame, &segment, FALSE,
        NULL);
    fail_unless (counted && gst_video_histogram_wait (counted,
            GST_CLOCK_TIME_NONE));
    gst_video_histogram_unref (counted);
    for (i = n_joint = 0; i < N_CROWD; i++) {
      Joint *joint = gst_video_histogram_get_joint (histograms[i]);

      fail_unless (gst_video_histogram_wait (histograms[i],
              GST_CLOCK_TIME_NONE));
      if (gst_video_joint_histogram_wait (joint, GST_CLOCK_TIME_NONE))
        n_joint += find_a (joint, N_FLAT) == 1;
      gst_video_histogram_unref (histograms[i]);
    }
    fail_unless (__i__ ? n_joint == N_CROWD : n_joint >= 3, "%u", n_joint);
  }
  for (i = 0; i < N_CROWD; i++)
    g_object_unref (crowd[i]);
  g_object_unref (other);
  gst_buffer_unref (frame);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Streams counted on different devices cannot be compared, but are still
 * counted. */
GST_START_TEST (test_other_device)
{
  const GstVideoHistogramSpec spec = make_spec (OTHER, 0);
  GstVideoHistogram *histogram;
  Engine *engine, *other;
  TestFrame frame;
  gchar *problem;

  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_GRAY8, 64, 64,
      NULL);
  engine = make_gpu_engine (frame.caps, &spec);
  other = make_cpu_engine (frame.caps, &spec);
  gst_video_histogram_engine_set_joint_other (engine, other);
  gst_video_histogram_unref (submit (other, frame.buffer));
  histogram = submit (engine, frame.buffer);
  fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  fail_unless (gst_video_histogram_get_joint (histogram) == NULL);
  problem = gst_video_histogram_engine_dup_joint_problem (engine);
  fail_unless (problem && strstr (problem, "device"), "%s", problem);
  g_free (problem);
  gst_video_histogram_unref (histogram);
  test_frame_clear (&frame);
  g_object_unref (engine);
  g_object_unref (other);
}

GST_END_TEST;

/* The caller gives both frames. Pairs follow each other without a pause, and
 * frames are overwritten as soon as they are released. */
GST_START_TEST (test_count_joint)
{
  const gboolean cuda = __i__;
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 100);
  Engine *engine = NULL, *cpu = NULL;
  guint i;

  for (i = 0; i < 30; i++) {
    const GstVideoHistogramJoint kind = i % 3 ? OTHER : CHROMA;
    TestFrame a, b;
    GstBuffer *buffer_a, *buffer_b;
    GError *error = NULL;
    Joint *joint;

    test_frame_init_plain (&a, &test_numbers, GST_VIDEO_FORMAT_NV12, 320, 220,
        NULL);
    test_frame_init_plain (&b, &test_numbers, GST_VIDEO_FORMAT_NV12, 320, 220,
        NULL);
    if (!engine) {
      engine = make_gpu_engine (a.caps, &spec);
      cpu = make_cpu_engine (a.caps, &spec);
    }
    buffer_a = cuda ? test_upload (&test_uploader, a.buffer, a.caps) :
        gst_buffer_copy_deep (a.buffer);
    /* One frame in each kind of memory. */
    buffer_b = cuda && i % 5 ? test_upload (&test_uploader, b.buffer, b.caps) :
        gst_buffer_copy_deep (b.buffer);
    joint = gst_video_histogram_engine_count_joint (engine, kind, buffer_a,
        kind == OTHER ? buffer_b : NULL, &error);
    fail_unless (joint != NULL, "%s", error ? error->message : "");
    if (gst_buffer_is_writable (buffer_a)
        && gst_buffer_is_all_memory_writable (buffer_a))
      fill (buffer_a, 0);
    if (gst_buffer_is_writable (buffer_b)
        && gst_buffer_is_all_memory_writable (buffer_b))
      fill (buffer_b, 0);
    check_joint (joint, gst_video_histogram_engine_count_joint (cpu, kind,
            a.buffer, kind == OTHER ? b.buffer : NULL, NULL));
    gst_buffer_unref (buffer_a);
    gst_buffer_unref (buffer_b);
    test_frame_clear (&a);
    test_frame_clear (&b);
  }
  g_object_unref (engine);
  g_object_unref (cpu);
}

GST_END_TEST;

/* At most two frames are held, each until it is counted, then none: not even
 * the last one, which the next is compared with. */
GST_START_TEST (test_held_frames)
{
  GPtrArray *memories = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_memory_unref);
  TestElement t;
  guint i;

  test_set_delay (3 * TEST_GPU_SLOW);
  test_element_init (&t, NULL, "interval", "0", "joint",
      __i__ ? "chroma" : "previous", "message-counts", "false", NULL);
  for (i = 0; i < 40; i++) {
    GstCaps *caps;
    GstBuffer *buffer = test_copy_off_pool (test_gpu_frame (&test_uploader,
            320, 180, &caps, NULL));

    test_gpu_set_caps (&t, caps, TRUE);
    gst_caps_unref (caps);
    g_ptr_array_add (memories, gst_buffer_get_memory (buffer, 0));
    test_element_push (&t, buffer);
    fail_unless (test_count_held (memories) <= 2);
    if (i % 10 == 9)
      test_wait_until_released (memories);
  }
  test_element_clear (&t);
  g_ptr_array_unref (memories);
}

GST_END_TEST;

/* Small frames in system memory are counted on the CPU, those in CUDA memory on
 * the GPU: each is compared with the frame before, or not at all. */
GST_START_TEST (test_mixed)
{
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 8);
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=NV12,width=64,"
      "height=64,framerate=25/1");
  Engine *engine = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_AUTO, caps,
      &spec);
  gboolean before = FALSE;
  guint i;

  for (i = 0; i < 40; i++) {
    const gboolean cuda = test_random_once_in (&test_numbers, 2);
    GstBuffer *frame = gst_buffer_new_allocate (NULL, 64 * 96, NULL);
    GstVideoHistogram *histogram;
    Joint *joint;

    gst_buffer_memset (frame, 0, i * 32 % 256, 64 * 96);
    if (cuda) {
      GstBuffer *uploaded = test_upload (&test_uploader, frame, caps);

      gst_buffer_unref (frame);
      frame = uploaded;
    }
    histogram = submit (engine, frame);
    fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
        cuda ? "cuda" : "cpu");
    joint = gst_video_histogram_get_joint (histogram);
    if (joint)
      fail_unless_equals_int (find_a (joint, 64 * 64), (i - 1) % 8);
    fail_unless (!joint == (i == 0 || cuda != before));
    before = cuda;
    gst_video_histogram_unref (histogram);
    gst_buffer_unref (frame);
  }
  gst_caps_unref (caps);
  g_object_unref (engine);
}

GST_END_TEST;

/* Each call made for joint histograms fails, at the start or in between: all
 * existing results are right. */
static const gchar *const calls[] = {
  "cuMemAllocAsync", "cuMemHostAlloc", "cuEventCreate", "cuStreamWaitEvent",
  "cuLaunchKernel", TEST_GPU_LAUNCH, "cuModuleLoadData",
  "cuModuleGetFunction", "cuFuncSetAttribute", "cuMemsetD8Async",
};

GST_START_TEST (test_failures)
{
  const gchar *call = calls[__i__ / 2];
  const gboolean ever = __i__ % 2;
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 16);
  guint nth, counted = 0;

  if (test_leave_out ("failures"))
    return;
  for (nth = 1; nth < 12; nth += STEP) {
    const TestLive live = test_live ();
    GstVideoHistogram *last = NULL;
    Engine *engine = NULL, *cpu = NULL;
    TestFrame frame;
    guint i;

    for (i = 0; i < 4; i++) {
      GstVideoHistogram *histogram, *expected;
      Joint *joint;

      test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_GRAY8, 80,
          60, NULL);
      if (!engine) {
        cpu = make_cpu_engine (frame.caps, &spec);
        test_double ()->fail_call (call, nth, 2,
            ever ? VH_DOUBLE_EVER : VH_DOUBLE_ONCE);
        engine = make_gpu_engine (frame.caps, &spec);
      }
      histogram = gst_video_histogram_engine_submit (engine, frame.buffer, NULL,
          FALSE, NULL);
      fail_unless (histogram != NULL);
      expected = submit (cpu, frame.buffer);
      fail_unless (test_compare (histogram, expected) == NULL);
      joint = gst_video_histogram_get_joint (histogram);
      if (joint && gst_video_joint_histogram_get_counts (joint, NULL)) {
        fail_unless (last != NULL);
        fail_if (memcmp (gst_video_joint_histogram_get_counts (joint, NULL),
                gst_video_joint_histogram_get_counts
                (gst_video_histogram_get_joint (expected), NULL),
                256 * sizeof (guint32)));
        counted++;
      }
      gst_clear_video_histogram (&last);
      last = histogram;
      gst_video_histogram_unref (expected);
      test_frame_clear (&frame);
    }
    gst_clear_video_histogram (&last);
    g_object_unref (engine);
    g_object_unref (cpu);
    test_double ()->reset ();
    test_live_check (&live);
  }
  fail_unless (counted > 0);
}

GST_END_TEST;

/* Likewise for two given frames: the CPU does not count those in CUDA memory
 * instead. */
GST_START_TEST (test_count_joint_failures)
{
  const gchar *call = calls[__i__ / 2];
  const gboolean cuda = __i__ % 2;
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 16);
  guint nth, n = 0, failed = 0, counted = 0;

  if (test_leave_out ("failures of joint histograms"))
    return;
  for (nth = 1; nth < 8; nth += STEP) {
    const TestLive live = test_live ();
    GstBuffer *buffer;
    TestFrame frame;
    GError *error = NULL;
    Engine *engine, *cpu;
    Joint *joint;

    test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, 320,
        220, NULL);
    cpu = make_cpu_engine (frame.caps, &spec);
    buffer = cuda ? test_upload (&test_uploader, frame.buffer, frame.caps) :
        gst_buffer_ref (frame.buffer);
    engine = make_gpu_engine (frame.caps, &spec);
    test_double ()->fail_call (call, nth, 2, VH_DOUBLE_EVER);
    joint = gst_video_histogram_engine_count_joint (engine, OTHER, buffer,
        buffer, &error);
    if (!joint) {
      fail_unless (cuda);
      fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
              GST_VIDEO_HISTOGRAM_ERROR_DEVICE));
      g_clear_error (&error);
      failed++;
    } else {
      fail_unless (error == NULL);
      gst_video_joint_histogram_wait (joint, GST_CLOCK_TIME_NONE);
      if (gst_video_joint_histogram_get_counts (joint, NULL)) {
        Joint *expected = gst_video_histogram_engine_count_joint (cpu, OTHER,
            frame.buffer, frame.buffer, NULL);

        fail_if (memcmp (gst_video_joint_histogram_get_counts (joint, NULL),
                gst_video_joint_histogram_get_counts (expected, NULL),
                256 * sizeof (guint32)));
        gst_video_joint_histogram_unref (expected);
        counted++;
      }
      gst_video_joint_histogram_unref (joint);
    }
    test_double ()->reset ();
    gst_buffer_unref (buffer);
    test_frame_clear (&frame);
    g_object_unref (engine);
    g_object_unref (cpu);
    test_gpu_check_live (&live);
    n++;
  }
  fail_unless (cuda || counted == n);
  fail_unless (!cuda || !g_str_equal (call, "cuMemAllocAsync") || failed > 0);
}

GST_END_TEST;

#define MAX_MAPPED 8

/* Histograms whose counts stay on the device, so that no slot is free. */
typedef struct
{
  GstVideoHistogram *histogram[MAX_MAPPED];
  GstVideoHistogramDeviceView view[MAX_MAPPED];
  guint n;
} Mapped;

/* Submits copies of @frame until no slot is free, and returns the one that
 * found none. */
static GstBuffer *
fill_slots (Mapped * self, Engine * engine, GstBuffer * frame)
{
  GstVideoHistogram *histogram;
  GstBuffer *buffer;
  GError *error = NULL;

  self->n = 0;
  while (TRUE) {
    buffer = test_copy_off_pool (gst_buffer_ref (frame));
    histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, TRUE,
        &error);
    if (!histogram)
      break;
    fail_unless (self->n < MAX_MAPPED);
    fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
    fail_unless (gst_video_histogram_map_device (histogram,
            &self->view[self->n]));
    self->histogram[self->n++] = histogram;
    gst_buffer_unref (buffer);
  }
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD));
  g_clear_error (&error);
  return buffer;
}

static void
mapped_clear (Mapped * self)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    gst_video_histogram_unmap_device (self->histogram[i], &self->view[i]);
    gst_video_histogram_unref (self->histogram[i]);
  }
}

/* A frame that is counted jointly, but without a free counter: it is held for
 * the kernel, and leaves without a meta. */
GST_START_TEST (test_no_room)
{
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 16);
  GstCaps *caps;
  GstBuffer *frame = test_gpu_frame (&test_uploader, 320, 180, &caps, NULL);
  GstCaps *cuda = test_cuda_caps (caps);
  Engine *engine = make_gpu_engine (cuda, &spec);
  GstBuffer *buffer;
  Mapped mapped;

  buffer = fill_slots (&mapped, engine, frame);
  fail_unless (gst_buffer_get_video_histogram_meta (buffer) == NULL);
  gst_buffer_unref (buffer);
  mapped_clear (&mapped);
  gst_buffer_unref (frame);
  g_object_unref (engine);
  gst_caps_unref (cuda);
  gst_caps_unref (caps);
}

GST_END_TEST;

static bool
is_keep (G_GNUC_UNUSED void *data, const char *kernel,
    G_GNUC_UNUSED void *context, G_GNUC_UNUSED void *stream,
    G_GNUC_UNUSED const void *parameters, G_GNUC_UNUSED size_t bytes)
{
  return strstr (kernel, "keep") != NULL;
}

/* Without a free counter, chroma is still counted and luma kept for another
 * stream: the frame is held until both are done. */
GST_START_TEST (test_kept_luma)
{
  const GstVideoHistogramSpec spec = make_spec (CHROMA, 16);
  const GstVideoHistogramSpec other_spec = make_spec (OTHER, 16);
  GstBuffer *frame, *buffer;
  Engine *engine, *other;
  GstCaps *caps, *cuda;
  Mapped mapped;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_clock_be_exact ();
  frame = test_gpu_frame (&test_uploader, 320, 180, &caps, NULL);
  cuda = test_cuda_caps (caps);
  engine = make_gpu_engine (cuda, &spec);
  other = make_gpu_engine (cuda, &other_spec);
  gst_video_histogram_engine_set_joint_other (other, engine);

  buffer = fill_slots (&mapped, engine, frame);
  gst_buffer_unref (buffer);
  test_gpu_finish ();
  test_double ()->hang_launches (is_keep, NULL);
  buffer = test_copy_off_pool (gst_buffer_ref (frame));
  fail_if (gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
          NULL));
  g_usleep (100 * G_TIME_SPAN_MILLISECOND);
  fail_unless (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) > 1);
  test_double ()->hang_launches (NULL, NULL);
  gst_buffer_unref (buffer);

  mapped_clear (&mapped);
  gst_buffer_unref (frame);
  g_object_unref (other);
  g_object_unref (engine);
  gst_caps_unref (cuda);
  gst_caps_unref (caps);
  test_clock_slow_down ();
}

GST_END_TEST;

/* The context is lost between the operations on a frame: nothing of it is
 * launched in the new context, and the next frame is counted there. */
GST_START_TEST (test_lost_context)
{
  const GstVideoHistogramSpec spec = make_spec (PREVIOUS, 16);
  GstVideoHistogram *histogram, *expected;
  GstBuffer *frame;
  GstCaps *caps, *cuda;
  GError *error = NULL;
  Engine *engine;

  if (test_leave_out ("a context that is lost"))
    return;
  frame = test_gpu_frame (&test_uploader, 320, 180, &caps, &expected);
  cuda = test_cuda_caps (caps);
  engine = make_gpu_engine (cuda, &spec);
  gst_video_histogram_unref (submit (engine, frame));
  test_double ()->fail_call (TEST_GPU_LAUNCH, 2,
      CUDA_ERROR_CONTEXT_IS_DESTROYED, VH_DOUBLE_ONCE);
  fail_if (gst_video_histogram_engine_submit (engine, frame, NULL, FALSE,
          &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_DEVICE));
  g_clear_error (&error);
  histogram = submit (engine, frame);
  fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  test_check_histogram (histogram, expected);
  gst_buffer_unref (frame);
  g_object_unref (engine);
  gst_caps_unref (cuda);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_SUITE (joint, test_gpu_setup_slow, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_frames, 0, 4);
  tcase_add_loop_test (tc, test_methods, 0, 2 * G_N_ELEMENTS (by_method));
  tcase_add_test (tc, test_many);
  tcase_add_loop_test (tc, test_flat, 0, 4);
  tcase_add_loop_test (tc, test_streams, 0, 2);
  tcase_add_loop_test (tc, test_crowd, 0, 2);
  tcase_add_test (tc, test_other_device);
  tcase_add_loop_test (tc, test_count_joint, 0, 2);
  tcase_add_loop_test (tc, test_held_frames, 0, 2);
  tcase_add_test (tc, test_mixed);
  tcase_add_test (tc, test_no_room);
  tcase_add_test (tc, test_kept_luma);
  tcase_add_test (tc, test_lost_context);
  tcase_add_loop_test (tc, test_failures, 0, 2 * G_N_ELEMENTS (calls));
  tcase_add_loop_test (tc, test_count_joint_failures, 0,
      2 * G_N_ELEMENTS (calls));
}
