/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A day's worth of frames at 30 per second on a GPU that is now and then busy,
 * slow, or lost. A lost GPU cannot be used again by the same process, so each
 * loss happens in a process of its own. TEST_SOAK_FRAMES: number of frames,
 * half of them in CUDA memory. TEST_SOAK_TROUBLES: how often the GPU is busy or
 * slow. TEST_SOAK_LOSSES: number of losses. */
#include <unistd.h>

#include "common/env.h"
#include "common/figures.h"
#include "common/suite.h"
#include "cuda/gpu.h"
#include "stream.h"

#define SAMPLES 20
#define OUT_OF_MEMORY 2
#define NOT_READY 802

/* On the double, a kernel takes as long as a thousand undisturbed frames. */
#define LIGHT 8

/* Noise of the heap, which also holds the double, its threads, and the largest
 * arrays so far of counting on the CPU. */
#define HEAP_NOISE (8 * 1024 * 1024)

/* After this many frames the GPU is certainly in use. */
#define TROUBLE_FRAMES 300

/* Warnings per minute that an element posts while the GPU is busy: one that the
 * GPU fails, and one that the element leaves it alone for a while. */
#define WARNINGS 2

/* Maximum frames of a process before the GPU is lost, and frames after it. */
#define BEFORE_LOSS 200
#define AFTER_LOSS 6000

/* Set for the process that will lose its GPU: the index of the loss. */
#define LOSS "TEST_SOAK_LOSS"

static GstBuffer *
upload (GstBuffer * frame, GstCaps * caps)
{
  return test_upload (&test_uploader, frame, caps);
}

static gsize
live_bytes (VhDoubleKind kind)
{
  return test_double ()->live_bytes (kind);
}

static gboolean
is_on_gpu (SoakStream * stream)
{
  gchar *active;
  gboolean on_gpu;

  g_object_get (stream->histogram.element, "active-backend", &active, NULL);
  on_gpu = g_strcmp0 (active, "cuda") == 0;
  g_free (active);
  return on_gpu;
}

/* Passes frames until all of them are counted on the GPU again. */
static void
recover (SoakStream * streams, guint n)
{
  const gint64 end = g_get_monotonic_time () + 70 * G_TIME_SPAN_SECOND;
  guint i;

  for (i = 0; i < n; i++) {
    while (soak_stream_push (&streams[i]), !is_on_gpu (&streams[i])) {
      fail_unless (g_get_monotonic_time () < end, "the GPU does not count");
      g_usleep (1000);
    }
  }
}

static void
hang (SoakStream * streams, guint n, gboolean hangs)
{
  guint i;

  test_double ()->hang_kernels (hangs);
  for (i = 0; i < n; i++)
    streams[i].hangs = hangs;
}

/* A GPU that has no memory, is not ready, or takes very long. */
static void
trouble (SoakStream * streams, guint n, guint which)
{
  gint64 end;
  guint i;

  if (which % 8 == 7) {
    hang (streams, n, TRUE);
    end = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;
    while (g_get_monotonic_time () < end) {
      for (i = 0; i < n; i++)
        soak_stream_push (&streams[i]);
      g_usleep (1000);
    }
    hang (streams, n, FALSE);
  } else {
    test_double ()->fail_call (TEST_GPU_LAUNCH, 1 + which % 3,
        which % 2 ? OUT_OF_MEMORY : NOT_READY, VH_DOUBLE_ONCE);
    for (i = 0; i < TROUBLE_FRAMES && is_on_gpu (&streams[which % n]); i++)
      soak_stream_push (&streams[which % n]);
  }
  recover (streams, n);
}

static void
settle (SoakStream * streams, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    soak_stream_settle (&streams[i]);
  test_gpu_finish ();
}

GST_START_TEST (test_day)
{
  const guint64 n = test_env_tier ("TEST_SOAK_FRAMES", 1200, 2600000) / 2;
  const guint64 n_troubles = test_env_tier ("TEST_SOAK_TROUBLES", 2, 32);
  SoakStream streams[2] = {
    {.backend = "cuda",.light = LIGHT,.reconnect = test_gpu_renew_uploader},
    {.backend = "cuda",.light = LIGHT,.bring = upload,
        .make_caps = test_cuda_caps},
  };
  SoakRecord record;
  guint64 i, warnings;

  if (test_leave_out ("what a driver has allocated"))
    return;
  test_footprint_steady ();
  test_set_delay (0);
  test_uploader_init (&test_uploader, -1);
  soak_record_init (&record, 2 * n < SOAK_LONG ? HEAP_NOISE : 0);
  soak_stream_init (&streams[0], test_env_number ("TEST_SEED", 1));
  soak_stream_init (&streams[1], test_env_number ("TEST_SEED", 1) + 1);
  for (i = 1; i <= n; i++) {
    soak_stream_push (&streams[0]);
    soak_stream_push (&streams[1]);
    if (i % (n / n_troubles) == n / n_troubles / 2)
      trouble (streams, 2, i / (n / n_troubles));
    if (i % (n / SAMPLES) == 0) {
      settle (streams, 2);
      soak_record_take (&record, streams[0].n_frames + streams[1].n_frames,
          live_bytes (VH_DOUBLE_PINNED_MEMORY),
          live_bytes (VH_DOUBLE_DEVICE_MEMORY));
    }
  }
  test_figure ("frames in system memory and in CUDA memory",
      "%" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, streams[0].n_frames,
      streams[1].n_frames);
  test_figure ("times that the GPU was busy or late", "%" G_GUINT64_FORMAT,
      n_troubles);
  warnings = streams[0].n_warnings + streams[1].n_warnings;
  fail_unless (warnings > 0 && warnings <= 6 * WARNINGS * n_troubles,
      "%" G_GUINT64_FORMAT " warnings", warnings);
  fail_unless (streams[0].n_by_gpu > 0 && streams[1].n_by_gpu > 0);
  fail_unless (streams[0].n_by_cpu > 0);
  fail_unless_equals_uint64 (streams[1].n_by_cpu, 0);
  soak_record_check (&record, "GPU");
  soak_record_clear (&record);
  soak_stream_clear (&streams[0]);
  soak_stream_clear (&streams[1]);
  test_uploader_clear (&test_uploader);
  fail_unless_equals_int (test_double ()->violations (), 0);
}

GST_END_TEST;

/* Frames in CUDA memory that outlive the GPU. */
static void
take_fixed (SoakStream * stream)
{
  TestRandom random = test_random_new (1);
  TestFrame frame;
  guint i;

  for (i = 0; i < SOAK_FRAMES; i++) {
    test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 64, 36,
        NULL);
    stream->fixed[i] = test_upload (&test_uploader, frame.buffer, frame.caps);
    if (!stream->fixed_caps)
      stream->fixed_caps = test_cuda_caps (frame.caps);
    test_frame_clear (&frame);
  }
}

/* Codes after which a process cannot use the GPU any more. */
static const gint fatal[] = { 700, 719, 999, 214, 716 };

/* Runs in a process of its own: the GPU is lost, and frames pass as before. */
GST_START_TEST (test_loss)
{
  const guint64 which = test_env_number (LOSS, 0);
  const gint code = fatal[which % G_N_ELEMENTS (fatal)];
  SoakStream streams[2] = { {.backend = "cuda"}, {.backend = "cuda"} };
  SoakRecord record;
  guint64 i, by_cpu, by_gpu, warnings, n_elements;

  if (!g_getenv (LOSS))
    return;
  test_footprint_steady ();
  test_set_delay (0);
  test_uploader_init (&test_uploader, -1);
  soak_record_init (&record, HEAP_NOISE);
  take_fixed (&streams[1]);
  soak_stream_init (&streams[0], which);
  soak_stream_init (&streams[1], which + 1);
  for (i = 0; i < 10 + which * 37 % BEFORE_LOSS; i++) {
    soak_stream_push (&streams[0]);
    soak_stream_push (&streams[1]);
  }
  if (which % 2)
    test_double ()->fault_kernel (1, code);
  else
    test_double ()->fail_call (TEST_GPU_LAUNCH, 1, code, VH_DOUBLE_ALL);
  /* A stream with backend=cuda would not start again. */
  streams[0].backend = streams[1].backend = "auto";
  soak_stream_settle (&streams[0]);
  soak_stream_settle (&streams[1]);
  by_cpu = streams[0].n_by_cpu;
  by_gpu = streams[0].n_by_gpu + streams[1].n_by_gpu;
  for (i = 1; i <= AFTER_LOSS / 2; i++) {
    soak_stream_push (&streams[0]);
    soak_stream_push (&streams[1]);
    if (i % (AFTER_LOSS / 20) == 0) {
      soak_stream_settle (&streams[0]);
      soak_stream_settle (&streams[1]);
      soak_record_take (&record, streams[0].n_frames + streams[1].n_frames,
          live_bytes (VH_DOUBLE_PINNED_MEMORY),
          live_bytes (VH_DOUBLE_DEVICE_MEMORY));
    }
  }
  fail_unless (streams[0].n_by_cpu > by_cpu);
  fail_unless_equals_uint64 (streams[0].n_by_gpu + streams[1].n_by_gpu, by_gpu);
  soak_record_check (&record, NULL);
  warnings = streams[0].n_warnings + streams[1].n_warnings;
  n_elements = 3 * (streams[0].n_elements + streams[1].n_elements);
  fail_unless (warnings > 0 && warnings <= WARNINGS * n_elements,
      "%" G_GUINT64_FORMAT " warnings", warnings);
  fail_unless_equals_int (test_double ()->violations (), 0);
  /* Memory of the lost GPU cannot be freed. */
  _exit (0);
}

GST_END_TEST;

/* Stands for a supervisor that restarts an application again and again. */
GST_START_TEST (test_losses)
{
  const guint64 n = test_env_tier ("TEST_SOAK_LOSSES", 2, 100);
  gchar *arguments[] = { "/proc/self/exe", NULL };
  GError *error = NULL;
  gint status;
  guint64 i;

  if (test_leave_out ("a GPU that is lost"))
    return;
  for (i = 0; i < n; i++) {
    gchar *number = g_strdup_printf ("%" G_GUINT64_FORMAT, i);
    gchar **environment = g_environ_setenv (g_get_environ (), LOSS, number,
        TRUE);

    environment = g_environ_setenv (environment, "GST_CHECKS", "test_loss",
        TRUE);
    fail_unless (g_spawn_sync (NULL, arguments, environment, 0, NULL, NULL,
            NULL, NULL, &status, &error), "%s", error ? error->message : "");
    fail_unless (g_spawn_check_wait_status (status, NULL), "loss %s", number);
    g_strfreev (environment);
    g_free (number);
  }
  test_figure ("processes that lost their GPU", "%" G_GUINT64_FORMAT, n);
  test_figure ("frames that passed in them afterwards", "%" G_GUINT64_FORMAT,
      n * AFTER_LOSS);
}

GST_END_TEST;

TEST_SUITE (gpu_soak, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_day);
  tcase_add_test (tc, test_losses);
  tcase_add_test (tc, test_loss);
}
