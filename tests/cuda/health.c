/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames are judged alike on the CPU and on the GPU: all conditions have the
 * same values, frame by frame, and change together. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define N_CONDITIONS GST_VIDEO_HEALTH_N_CONDITIONS
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)
#define FRAME (200 * GST_MSECOND)

/* The judge of a stream. */
typedef struct
{
  GstVideoHistogramEngine *counting;
  GstVideoHealth *health;
  GstVideoHealthEngine *engine;
} Judge;

static void
judge_init (Judge * self, GstVideoHistogramBackend backend, GstCaps * caps)
{
  GError *error = NULL;

  self->counting = gst_video_histogram_engine_new ();
  self->health = gst_video_health_new ();
  fail_unless (gst_video_histogram_engine_open (self->counting, backend, -1,
          NULL, &error), "%s", error ? error->message : "");
  self->engine = gst_video_health_engine_new (self->health, self->counting);
  fail_unless (gst_video_health_engine_configure (self->engine, caps, &error),
      "%s", error ? error->message : "");
}

static void
judge_clear (Judge * self)
{
  g_object_unref (self->engine);
  gst_video_histogram_engine_close (self->counting);
  g_object_unref (self->counting);
  g_object_unref (self->health);
}

static void
judge_frame (Judge * self, GstBuffer * buffer, GstClockTime time)
{
  GError *error = NULL;

  fail_unless (gst_video_health_engine_submit (self->engine, buffer, time,
          GST_CLOCK_TIME_NONE, &error), "%s", error ? error->message : "");
  fail_unless (gst_video_health_engine_finish (self->engine, MAX_WAIT));
}

static void
compare (Judge * cpu, Judge * gpu, guint number)
{
  GstVideoHealthChange ours, theirs;
  gboolean more;
  guint i;

  for (i = 0; i < N_CONDITIONS; i++) {
    gdouble a = 0, b = 0;
    const gboolean judged =
        gst_video_health_get_value (cpu->health, i, &a);

    fail_unless (gst_video_health_get_value (gpu->health, i, &b) == judged
        && (!judged || a == b), "frame %u, %s: %g on the CPU, %g on the GPU",
        number, gst_video_health_condition_get_name (i), a, b);
  }
  do {
    more = gst_video_health_next_change (cpu->health, &ours);
    fail_unless (gst_video_health_next_change (gpu->health, &theirs) == more);
    fail_unless (!more || (ours.condition == theirs.condition
            && ours.active == theirs.active && ours.value == theirs.value
            && ours.since == theirs.since && ours.time == theirs.time));
  } while (more);
}

/* A picture for a while: random, dark, tinted, striped, or the last one again,
 * with a few changed pixels or none. */
typedef enum
{
  SCENE_OTHER,
  SCENE_SAME,
  SCENE_NEARLY_SAME,
  SCENE_BLACK,
  SCENE_TINTED,
  SCENE_STRIPES,
  N_SCENES
} Scene;

static void
draw (Scene scene, const TestFrame * frame, guint number)
{
  const gsize luma = (gsize) frame->stride[0] * frame->height;
  guint8 *image = frame->image;
  gsize i;

  switch (scene) {
    case SCENE_OTHER:
      test_random_fill (&test_numbers, image, frame->size);
      break;
    case SCENE_NEARLY_SAME:
      for (i = 0; i < frame->size; i += 999)
        image[i] ^= 1;
      break;
    case SCENE_BLACK:
      memset (image, 16, luma);
      break;
    case SCENE_TINTED:
      for (i = luma; i < frame->size; i++)
        image[i] = i % 2 ? 180 : 190;
      break;
    case SCENE_STRIPES:
      for (i = 0; i < luma; i++)
        image[i] = 60 + (i / frame->stride[0] + 5 * number) % 16 * 8;
      break;
    default:
      break;
  }
}

/* With ignored cells, the GPU counts in cells, too, what it else measures. */
static void
set_ignored (Judge * judge, const gchar * ignored)
{
  fail_unless (gst_video_health_set_ignored (judge->health, ignored, NULL));
}

static void
check_stream (GstVideoFormat format, guint width, guint height,
    gboolean uploaded)
{
  const guint n = test_env_number ("TEST_HEALTH_FRAMES", 12);
  Judge cpu, gpu;
  TestFrame frame;
  Scene scene = SCENE_OTHER;
  GstCaps *caps;
  guint i;

  test_frame_init_plain (&frame, &test_numbers, format, width, height, NULL);
  caps = uploaded ? test_cuda_caps (frame.caps) : gst_caps_ref (frame.caps);
  judge_init (&cpu, GST_VIDEO_HISTOGRAM_BACKEND_CPU, frame.caps);
  judge_init (&gpu, GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps);
  for (i = 0; i < n; i++) {
    GstBuffer *buffer, *there;

    if (i % 4 == 0)
      scene = test_random_below (&test_numbers, N_SCENES);
    draw (scene, &frame, i);
    if (i == n / 3 || i == 2 * n / 3) {
      const gchar *ignored = i == n / 3 ?
          "low-contrast,x=0.2,y=0,width=0.3,height=0.4" : NULL;

      set_ignored (&cpu, ignored);
      set_ignored (&gpu, ignored);
    }
    buffer = gst_buffer_new_memdup (frame.image, frame.size);
    there = uploaded ? test_upload (&test_uploader, buffer, frame.caps) :
        gst_buffer_ref (buffer);
    judge_frame (&cpu, buffer, i * FRAME);
    judge_frame (&gpu, there, i * FRAME);
    compare (&cpu, &gpu, i);
    gst_buffer_unref (buffer);
    gst_buffer_unref (there);
  }
  judge_clear (&cpu);
  judge_clear (&gpu);
  gst_caps_unref (caps);
  test_frame_clear (&frame);
}

GST_START_TEST (test_alike)
{
  check_stream (GST_VIDEO_FORMAT_NV12, 160, 96, TRUE);
  check_stream (GST_VIDEO_FORMAT_I420, 131, 67, FALSE);
  check_stream (GST_VIDEO_FORMAT_P010_10LE, 96, 64, TRUE);
  check_stream (GST_VIDEO_FORMAT_RGBA, 97, 65, TRUE);
  check_stream (GST_VIDEO_FORMAT_GRAY8, 64, 48, FALSE);
}

GST_END_TEST;

/* Several streams in turns, each with a GPU stream of its own. */
GST_START_TEST (test_together)
{
  const guint n_streams = 4, n = test_env_number ("TEST_HEALTH_FRAMES", 8);
  Judge cpu[4], gpu[4];
  TestFrame frames[4];
  guint number, i;

  for (i = 0; i < n_streams; i++) {
    GstCaps *caps;

    test_frame_init_plain (&frames[i], &test_numbers, GST_VIDEO_FORMAT_NV12,
        64 + 16 * i, 64, NULL);
    caps = test_cuda_caps (frames[i].caps);
    judge_init (&cpu[i], GST_VIDEO_HISTOGRAM_BACKEND_CPU, frames[i].caps);
    judge_init (&gpu[i], GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps);
    gst_caps_unref (caps);
  }
  for (number = 0; number < n; number++) {
    for (i = 0; i < n_streams; i++) {
      GstBuffer *buffer, *there;
      GError *error = NULL;

      draw (number < 3 ? SCENE_OTHER : i % N_SCENES, &frames[i], number);
      buffer = gst_buffer_new_memdup (frames[i].image, frames[i].size);
      there = test_upload (&test_uploader, buffer, frames[i].caps);
      judge_frame (&cpu[i], buffer, number * FRAME);
      fail_unless (gst_video_health_engine_submit (gpu[i].engine, there,
              number * FRAME, GST_CLOCK_TIME_NONE, &error), "%s",
          error ? error->message : "");
      gst_buffer_unref (buffer);
      gst_buffer_unref (there);
    }
    for (i = 0; i < n_streams; i++) {
      fail_unless (gst_video_health_engine_finish (gpu[i].engine, MAX_WAIT));
      compare (&cpu[i], &gpu[i], number);
    }
  }
  for (i = 0; i < n_streams; i++) {
    judge_clear (&cpu[i]);
    judge_clear (&gpu[i]);
    test_frame_clear (&frames[i]);
  }
}

GST_END_TEST;

TEST_SUITE (health, test_gpu_setup, test_gpu_teardown)
{
  tcase_add_test (tc, test_alike);
  tcase_add_test (tc, test_together);
}
