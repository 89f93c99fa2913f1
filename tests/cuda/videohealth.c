/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videohealth on a GPU: it reports the same changes at the same
 * frames as on the CPU, whatever the GPU does, and never delays video. */

#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define WIDTH 64
#define HEIGHT 64
#define SCENE 8                 /* frames */
#define N_FRAMES (6 * SCENE)
#define FRAME_TIME (80 * GST_MSECOND)

#define ILLEGAL_ADDRESS 700

/* Scenes last 0.6 s. */
#define RULES "black,duration=200ms; dark,duration=200ms,hold=0; " \
    "bright,duration=200ms,hold=0; " \
    "low-contrast,duration=400ms,hold=0; frozen,duration=400ms; " \
    "color-cast,duration=200ms,hold=0; " \
    "monochrome,duration=200ms,hold=0; flashing,enter=3,leave=2,hold=0; " \
    "banding,duration=200ms,hold=0"

static TestLive before;

static void
setup (void)
{
  test_gpu_setup_slow ();
  before = test_live ();
}

/* Scenes, one after the other. */
typedef enum
{
  MOTION,
  BLACK,
  FLASHES,
  FREEZE,                       /* with noise below one code value on average */
  BANDS,
  TINT,                         /* a freeze in which only chroma changes */
} Scene;

static guint8
luma_of (Scene scene, guint n, guint x, guint y)
{
  const guint texture = 50 + (x * 7 + y * 13) % 120;

  switch (scene) {
    case BLACK:
      return 16;
    case FLASHES:
      return n % 2 ? 235 : texture;
    case FREEZE:
      return texture + ((x + y + n) % 50 == 0);
    case BANDS:
      return texture + (y + 5 * n) / 8 % 2 * 30;
    case TINT:
      return texture;
    default:
      return 50 + (x * 7 + y * 13 + n * 11) % 120;
  }
}

/* A frame of NV12, in system memory. */
static GstBuffer *
make_frame (guint n)
{
  const Scene scene = n / SCENE % (TINT + 1);
  const gsize size = WIDTH * HEIGHT * 3 / 2;
  guint8 *data = g_malloc (size);
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++)
    data[i] = luma_of (scene, n, i % WIDTH, i / WIDTH);
  for (; i < size; i++)
    data[i] = scene == TINT ? 150 + n % SCENE : scene == BLACK ? 128 : 120;
  buffer = gst_buffer_new_wrapped (data, size);
  GST_BUFFER_PTS (buffer) = n * FRAME_TIME;
  GST_BUFFER_DURATION (buffer) = FRAME_TIME;
  return buffer;
}

/* Appends the contents of all `videohealth` messages. */
static void
append_changes (GString * all, GstBus * bus)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
    gchar *text = gst_structure_to_string (gst_message_get_structure
        (message));

    g_string_append_printf (all, "%s\n", text);
    g_free (text);
    gst_message_unref (message);
  }
}

/* The memory of frames, and the backend that counts them. */
typedef struct
{
  const gchar *backend;
  gboolean cuda;                /* frames are in CUDA memory */
  guint step;                   /* one frame in this many is judged */
} Way;

/* If a machine stalls, the driver double's GPU is late, which loses frames:
 * that may happen now and then. */
#define MAX_LATE 3
#define RECOVERY (6 * G_USEC_PER_SEC)

/* Returns the changes that the frames cause, as text, and how many frames were
 * lost. */
static GString *
try_to_judge (const Way * way, guint64 * lost)
{
  GstCaps *caps = test_caps ("NV12", WIDTH, HEIGHT);
  GString *all = g_string_new (NULL);
  TestElement t;
  guint n;

  test_element_init_health (&t, NULL, "backend", way->backend, "rules", RULES,
      "overload", "wait", NULL);
  g_object_set (t.element, "interval", (guint64) (way->step - 1) * FRAME_TIME
      + 1, NULL);
  gst_harness_set_src_caps (t.h, way->cuda ? test_cuda_caps (caps) :
      gst_caps_ref (caps));
  for (n = 0; n < N_FRAMES; n++) {
    GstBuffer *frame = make_frame (n);

    if (way->cuda) {
      GstBuffer *uploaded = test_upload (&test_uploader, frame, caps);

      gst_buffer_unref (frame);
      frame = uploaded;
    }
    test_element_push (&t, frame);
  }
  gst_harness_push_event (t.h, gst_event_new_eos ());
  append_changes (all, t.bus);
  *lost = test_element_get_count (&t, "skipped");
  test_element_check_count (&t, "processed",
      (N_FRAMES + way->step - 1) / way->step - *lost);
  test_element_check_count (&t, "dropped", 0);
  test_element_clear (&t);
  gst_caps_unref (caps);
  return all;
}

static GString *
judge (const Way * way)
{
  guint64 lost;
  GString *all = try_to_judge (way, &lost);
  guint i;

  for (i = 0; lost > 0 && i < MAX_LATE; i++) {
    g_string_free (all, TRUE);
    g_usleep (RECOVERY);
    all = try_to_judge (way, &lost);
  }
  fail_unless_equals_uint64 (lost, 0);
  return all;
}

static const Way ways[] = {
  {"cuda", TRUE, 1},
  {"cuda", FALSE, 1},
  {"cuda", TRUE, 2},
};

GST_START_TEST (test_same_changes)
{
  static const gchar *const there[] = {
    "black", "flashing", "frozen", "banding", "color-cast",
  };
  const Way cpu = { "cpu", FALSE, ways[__i__].step };
  GString *expected = judge (&cpu), *changes = judge (&ways[__i__]);
  guint i;

  fail_unless_equals_string (changes->str, expected->str);
  for (i = 0; i < G_N_ELEMENTS (there); i++) {
    const gboolean needs_all = g_str_equal (there[i], "flashing")
        || g_str_equal (there[i], "banding");
    gchar *part = g_strdup_printf ("condition=(string)%s, active=(boolean)true",
        there[i]);

    fail_unless ((needs_all && ways[__i__].step > 1)
        || strstr (expected->str, part) != NULL, "no %s in %s", there[i],
        expected->str);
    g_free (part);
  }
  g_string_free (expected, TRUE);
  g_string_free (changes, TRUE);
  test_gpu_check_live (&before);
}

GST_END_TEST;

/* Frames that are not judged do not use the GPU. */
GST_START_TEST (test_interval)
{
  GstBuffer *frames[10];
  GstCaps *caps = test_caps ("NV12", WIDTH, HEIGHT);
  TestElement t;
  guint calls, n;

  if (test_leave_out ("the calls of the driver"))
    return;
  test_element_init_health (&t, NULL, "backend", "cuda", "overload", "wait",
      "interval", "10000000000", NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (caps));
  for (n = 0; n < G_N_ELEMENTS (frames); n++) {
    GstBuffer *frame = make_frame (n);

    frames[n] = test_upload (&test_uploader, frame, caps);
    gst_buffer_unref (frame);
  }
  test_element_push (&t, frames[0]);
  calls = test_gpu_calls (TEST_GPU_LAUNCHES, TEST_GPU_COPIES,
      TEST_GPU_ALLOCATIONS, NULL);
  fail_unless (calls > 0);
  for (n = 1; n < G_N_ELEMENTS (frames); n++)
    test_element_push (&t, frames[n]);
  fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, TEST_GPU_COPIES,
          TEST_GPU_ALLOCATIONS, NULL), calls);
  gst_harness_push_event (t.h, gst_event_new_eos ());
  test_element_check_count (&t, "processed", 1);
  test_element_clear (&t);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A hanging GPU is waited for once, not for each frame. Frames that are not
 * counted are not judged. */
GST_START_TEST (test_hang)
{
  const guint n_frames = 40;
  TestElement t;
  GstCaps *caps;
  guint n;
  gint64 start;

  if (test_leave_out ("a GPU that hangs"))
    return;
  test_clock_be_exact ();
  caps = test_caps ("NV12", WIDTH, HEIGHT);
  test_element_init_health (&t, NULL, "backend", "cuda", "overload",
      __i__ ? "wait" : "drop", NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (caps));
  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  for (n = 0; n < n_frames; n++) {
    GstBuffer *frame = make_frame (n);
    GstBuffer *in = test_upload (&test_uploader, frame, caps), *out;

    gst_buffer_ref (in);
    out = test_element_pass (&t, in);
    fail_unless (out == in);
    fail_unless (test_same_picture (out, frame, caps));
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    gst_buffer_unref (frame);
  }
  fail_unless (g_get_monotonic_time () - start < 20 * G_TIME_SPAN_SECOND);
  test_double ()->hang_kernels (FALSE);
  fail_unless (test_element_get_count (&t, "dropped") +
      test_element_get_count (&t, "skipped") >= n_frames - 2);
  test_element_clear (&t);
  gst_caps_unref (caps);
  test_clock_slow_down ();
}

GST_END_TEST;

/* What happens while the GPU has a frame. */
static const struct
{
  const gchar *property, *value;        /* NULL: nothing is set */
  gboolean stops;
  guint delay;                  /* ms until the GPU continues: for new caps and
                                 * the end, longer than live video may wait */
} changes[] = {
  {NULL, NULL, FALSE, 4000},
  {NULL, NULL, TRUE, 4000},
  {"rules", "black,duration=10s", FALSE, 200},
  {"ignore", "black,x=0,y=0,width=1,height=1", FALSE, 200},
  {"conditions", "dark", FALSE, 200},
};

static gpointer
continue_later (gpointer delay)
{
  g_usleep (GPOINTER_TO_UINT (delay) * G_TIME_SPAN_MILLISECOND);
  test_double ()->hang_kernels (FALSE);
  return NULL;
}

/* A change does not affect the frame before it, which is not lost either. */
GST_START_TEST (test_change_with_frame_in_flight)
{
  const guint delay = changes[__i__].delay;
  GString *all = g_string_new (NULL);
  GThread *thread;
  TestElement t;

  if (test_leave_out ("a GPU that is slow"))
    return;
  test_element_init_health (&t, NULL, "backend", "cuda", "rules",
      "black,duration=0; dark,duration=1h", "overload", "wait", NULL);
  gst_harness_set_src_caps (t.h, test_caps ("NV12", WIDTH, HEIGHT));
  test_element_push (&t, make_frame (0));
  test_gpu_finish ();
  test_double ()->hang_kernels (TRUE);
  test_element_push (&t, make_frame (BLACK * SCENE));
  thread = g_thread_new ("continue", continue_later, GUINT_TO_POINTER (delay));
  if (changes[__i__].property)
    gst_util_set_object_arg (G_OBJECT (t.element), changes[__i__].property,
        changes[__i__].value);
  else if (changes[__i__].stops)
    gst_element_set_state (t.element, GST_STATE_READY);
  else
    gst_harness_set_src_caps (t.h, test_caps ("NV12", WIDTH, 2 * HEIGHT));
  g_thread_join (thread);
  if (!changes[__i__].stops)
    gst_harness_push_event (t.h, gst_event_new_eos ());
  append_changes (all, t.bus);
  fail_unless (strstr (all->str, "condition=(string)black") != NULL, "%s",
      all->str);
  test_element_check_count (&t, "processed", 2);
  test_element_check_count (&t, "skipped", 0);
  g_string_free (all, TRUE);
  test_element_clear (&t);
}

GST_END_TEST;

/* Runs last, because it takes the GPU from this process: a frame whose counts
 * were lost does not count as processed. */
GST_START_TEST (test_lost)
{
  const guint n_frames = 12;
  GstCaps *caps;
  TestElement t;
  guint n;

  if (test_leave_out ("a kernel that faults"))
    return;
  caps = test_caps ("NV12", WIDTH, HEIGHT);
  test_element_init_health (&t, NULL, "backend", "cuda", "overload", "wait",
      NULL);
  gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
  for (n = 0; n < n_frames; n++) {
    if (n == n_frames / 2)
      test_double ()->fault_kernel (1, ILLEGAL_ADDRESS);
    test_element_push (&t, make_frame (n));
  }
  gst_harness_push_event (t.h, gst_event_new_eos ());
  test_element_check_count (&t, "skipped", 1);
  test_element_check_count (&t, "processed", n_frames - 1);
  test_element_check_count (&t, "dropped", 0);
  test_element_clear (&t);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_SUITE (videohealth, setup, test_gpu_teardown)
{
  tcase_add_loop_test (tc, test_same_changes, 0, G_N_ELEMENTS (ways));
  tcase_add_test (tc, test_interval);
  tcase_add_loop_test (tc, test_hang, 0, 2);
  tcase_add_loop_test (tc, test_change_with_frame_in_flight, 0,
      G_N_ELEMENTS (changes));
  tcase_add_test (tc, test_lost);
}
