/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task of its own, which adds up bytes, joins those of an engine, whose
 * sources do not know it. */
#include "common/suite.h"
#include "gst/videohistogram/engine/gstvideohistogramengine-private.h"
#include "core/error.h"

#define WIDTH 16
#define HEIGHT 4
#define CAPS(width) "video/x-raw, format=GRAY8, width=(int)" #width \
    ", height=(int)4, framerate=(fraction)25/1"

typedef struct
{
  VhTask parent;
  guint64 sum;                  /* of the last frame */
  guint n_frames, n_forgotten;
  gboolean refuses, fails;      /* to be configured, with a frame */
} Adding;

static guint n_open, n_configured;

static gpointer
adding_open (VhDevice * device)
{
  n_open++;
  return g_strdup (device->klass->name);
}

static gboolean
adding_configure (VhTask * task, VhWhere where, GError ** error)
{
  n_configured++;
  ck_assert_str_eq (task->operation[where], vh_where_name (where));
  if (((Adding *) task)->refuses)
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "as wished");
  return !((Adding *) task)->refuses;
}

static void
adding_close (gpointer operation)
{
  n_open--;
  g_free (operation);
}

static guint
adding_planes (VhTask * task)
{
  return vh_layout_sample_planes (&task->processor->layout);
}

static gboolean
adding_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  Adding *self = (Adding *) task;
  const VhRect *region = &frame->region;
  const VhPlane *plane = &frame->frame->view->plane[0];
  guint x, y;

  if (!vh_task_get (task, frame->where))
    return TRUE;
  if (self->fails) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "as wished");
    return FALSE;
  }
  self->n_frames++;
  self->sum = 0;
  for (y = region->y; y < region->y + region->height; y++) {
    for (x = region->x; x < region->x + region->width; x++)
      self->sum += ((const guint8 *) plane->data)[y * plane->stride + x];
  }
  return TRUE;
}

static void
adding_forget (VhTask * task)
{
  ((Adding *) task)->n_forgotten++;
}

static const VhTaskClass adding_class = {
  .name = "adding",
  VH_TASK_OPERATION (adding),
  .planes = adding_planes,
  .submit = adding_submit,
  .forget = adding_forget,
};

static const VhTaskClass always_class = {
  .name = "adding",
  .always = TRUE,
  VH_TASK_OPERATION (adding),
  .planes = adding_planes,
  .submit = adding_submit,
};

static GstVideoHistogramEngine *engine, *watcher;
static Adding *adding;

/* Another stream starts to count against the engine as soon as the planes of a
 * frame are known. */
static guint
watching_planes (G_GNUC_UNUSED VhTask * task)
{
  if (watcher)
    gst_video_histogram_engine_set_joint_other (watcher, engine);
  return 0;
}

static gboolean
watching_submit (G_GNUC_UNUSED VhTask * task,
    G_GNUC_UNUSED const VhTaskFrame * frame, G_GNUC_UNUSED GError ** error)
{
  return TRUE;
}

static const VhTaskClass watching_class = {
  .name = "watching",
  VH_TASK_OPERATION (adding),
  .planes = watching_planes,
  .submit = watching_submit,
};

static void
configure (const gchar * caps_string, Adding * task)
{
  VhEngineWork work = {
    .n_specs = 1,
    .tasks = { (VhTask *) task },
    .n_tasks = task ? 1 : 0,
  };
  GstCaps *caps = gst_caps_from_string (caps_string);

  gst_video_histogram_spec_init (&work.specs[0]);
  work.specs[0].region_x = 1;
  fail_unless (vh_engine_configure (engine, caps, &work, NULL));
  gst_caps_unref (caps);
}

static void
setup (void)
{
  n_configured = 0;
  engine = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  adding = vh_task_new (&adding_class, sizeof (*adding));
  configure (CAPS (16), adding);
}

static void
teardown (void)
{
  vh_task_unref (adding);
  g_object_unref (engine);
  assert_equals_int (n_open, 0);
}

/* Submits a frame of @value, of which each row lacks one pixel, and checks that
 * it was counted. */
static void
submit (GstBuffer * buffer, guint8 value, VhEngineMetas metas)
{
  VhEngineResult result = { NULL, };
  const guint32 *counts;

  gst_buffer_memset (buffer, 0, value, WIDTH * HEIGHT);
  fail_unless (vh_engine_submit (engine, buffer, NULL, metas, &result, NULL));
  counts = gst_video_histogram_get_counts (result.histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL);
  assert_equals_int (counts[value], (WIDTH - 1) * HEIGHT);
  vh_engine_result_clear (&result);
}

static void
submit_new (guint8 value)
{
  GstBuffer *buffer = gst_buffer_new_and_alloc (WIDTH * HEIGHT);

  submit (buffer, value, VH_ENGINE_METAS_IGNORE);
  gst_buffer_unref (buffer);
}

GST_START_TEST (test_frames)
{
  submit_new (3);
  assert_equals_uint64 (adding->sum, 3 * (WIDTH - 1) * HEIGHT);
  submit_new (7);
  assert_equals_uint64 (adding->sum, 7 * (WIDTH - 1) * HEIGHT);
  assert_equals_int (adding->n_frames, 2);
  vh_engine_forget_last (engine);
  assert_equals_int (adding->n_forgotten, 1);
}

GST_END_TEST;

/* Only other caps configure it again; without it, its operation is closed. */
GST_START_TEST (test_configured)
{
  assert_equals_int (n_configured, 1);
  configure (CAPS (16), adding);
  submit_new (1);
  assert_equals_int (n_configured, 1);
  configure (CAPS (8), adding);
  assert_equals_int (n_configured, 2);
  assert_equals_int (n_open, 1);
  configure (CAPS (16), NULL);
  assert_equals_int (n_open, 0);
  submit_new (1);
  assert_equals_int (adding->n_frames, 1);
}

GST_END_TEST;

/* Frames are counted without it. After a failure of the device it is configured
 * again; if that fails, not before the engine is. */
GST_START_TEST (test_failures)
{
  adding->fails = TRUE;
  submit_new (1);
  adding->fails = FALSE;
  submit_new (1);
  assert_equals_int (n_configured, 2);
  assert_equals_int (adding->n_frames, 1);

  adding->refuses = adding->fails = TRUE;
  submit_new (1);
  submit_new (1);
  submit_new (1);
  assert_equals_int (n_configured, 3);
  assert_equals_int (adding->n_frames, 1);
  adding->refuses = adding->fails = FALSE;
  configure (CAPS (16), adding);
  submit_new (1);
  assert_equals_int (n_configured, 4);
  assert_equals_int (adding->n_frames, 2);
}

GST_END_TEST;

/* If a meta has the histogram, only a task that always wants frames gets
 * one. */
GST_START_TEST (test_metas)
{
  Adding *always = vh_task_new (&always_class, sizeof (*always));
  GstBuffer *buffer = gst_buffer_new_and_alloc (WIDTH * HEIGHT);

  submit (buffer, 5, VH_ENGINE_METAS_ATTACH);
  submit (buffer, 5, VH_ENGINE_METAS_USE);
  assert_equals_int (adding->n_frames, 1);
  configure (CAPS (16), always);
  submit (buffer, 5, VH_ENGINE_METAS_USE);
  assert_equals_int (always->n_frames, 1);
  gst_buffer_unref (buffer);
  vh_task_unref (always);
}

GST_END_TEST;

/* Luma, which is in all planes, is kept from the next frame on: of this one,
 * only the plane of red is there. */
GST_START_TEST (test_watched_meanwhile)
{
  Adding *watching = vh_task_new (&watching_class, sizeof (*watching));
  VhEngineWork work = {
    .n_specs = 1,
    .tasks = { &watching->parent },
    .n_tasks = 1,
  };
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GBR, width=16, "
      "height=4, framerate=25/1");
  GstBuffer *buffer = gst_buffer_new_and_alloc (3 * WIDTH * HEIGHT);
  VhEngineResult result = { NULL, };
  guint i;

  gst_buffer_memset (buffer, 0, 9, -1);
  gst_video_histogram_spec_init (&work.specs[0]);
  work.specs[0].channels = GST_VIDEO_HISTOGRAM_CHANNELS_RED;
  fail_unless (vh_engine_configure (engine, caps, &work, NULL));
  watcher = gst_video_histogram_engine_new ();
  for (i = 0; i < 2; i++) {
    fail_unless (vh_engine_submit (engine, buffer, NULL, VH_ENGINE_METAS_IGNORE,
            &result, NULL));
    vh_engine_result_clear (&result);
  }
  g_clear_object (&watcher);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  vh_task_unref (watching);
}

GST_END_TEST;

TEST_SUITE (task, setup, teardown)
{
  tcase_add_test (tc, test_watched_meanwhile);
  tcase_add_test (tc, test_frames);
  tcase_add_test (tc, test_configured);
  tcase_add_test (tc, test_failures);
  tcase_add_test (tc, test_metas);
}
