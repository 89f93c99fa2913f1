/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several streams on one GPU, one of which changes everything it can: each
 * frame of each is counted, corrected or drawn on there, without a warning. A
 * stream loses the GPU only if a kernel of its own hangs. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define MAX_OTHERS 8
#define OTHERS_PAUSE 33000      /* microseconds between frames */
#define KEPT 4                  /* histograms kept, as downstream may do */
#define N_CHANGES 30            /* one for each value of each property */

#define SECOND G_TIME_SPAN_SECOND

/* After this time every thread knows that a kernel is late. */
#define SURELY_LATE (5 * SECOND / 2)

/* The longest time until a late GPU is tried again. */
#define SURELY_TRIED (5 * SECOND)

/* The thread whose launches hang. */
static GThread *victim;

static bool
is_of_victim (G_GNUC_UNUSED void *data, G_GNUC_UNUSED const char *kernel,
    G_GNUC_UNUSED void *context, G_GNUC_UNUSED void *stream,
    G_GNUC_UNUSED const void *parameters, G_GNUC_UNUSED size_t bytes)
{
  return g_thread_self () == g_atomic_pointer_get (&victim);
}

static void
hang_launches_of (GThread * thread)
{
  g_atomic_pointer_set (&victim, thread);
  test_double ()->hang_launches (is_of_victim, NULL);
}

static void
end_hang (void)
{
  test_double ()->hang_launches (NULL, NULL);
}

/* Ends the hang after a while if nothing else does, because something waits for
 * it. */
typedef struct
{
  GThread *thread;
  GMutex lock;
  GCond changed;
  gboolean over, needed;        /* protected by lock */
} Guard;

#define GUARDED (20 * SECOND)

static gpointer
run_guard (gpointer data)
{
  Guard *self = data;
  const gint64 end = g_get_monotonic_time () + GUARDED;
  gboolean needed;

  g_mutex_lock (&self->lock);
  while (!self->over
      && g_cond_wait_until (&self->changed, &self->lock, end));
  needed = self->needed = !self->over;
  g_mutex_unlock (&self->lock);
  if (needed)
    end_hang ();
  return NULL;
}

static void
guard_start (Guard * self)
{
  memset (self, 0, sizeof (*self));
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("guard", run_guard, self);
}

/* Fails if the guard was needed. */
static void
guard_end (Guard * self)
{
  g_mutex_lock (&self->lock);
  self->over = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  fail_if (self->needed, "somebody waits for a kernel that hangs");
}

/* A frame in the element's memory, and the same in system memory. */
typedef struct
{
  TestFrame frame;
  GstBuffer *buffer;
} Picture;

static void
picture_init (Picture * self, GstVideoFormat format, guint width, guint height,
    gboolean cuda)
{
  test_frame_init_plain (&self->frame, &test_numbers, format, width, height,
      NULL);
  self->buffer = cuda ? test_copy_off_pool (test_upload (&test_uploader,
          self->frame.buffer, self->frame.caps)) :
      gst_buffer_ref (self->frame.buffer);
}

static void
picture_clear (Picture * self)
{
  gst_buffer_unref (self->buffer);
  test_frame_clear (&self->frame);
}

typedef enum
{
  HISTOGRAM,
  EQUALIZE,
  SCOPE
} Element;

/* The elements of a stream. */
typedef struct
{
  Element element;
  gboolean cuda;
} Kind;

static const Kind kinds[] = {
  {HISTOGRAM, FALSE}, {HISTOGRAM, TRUE}, {EQUALIZE, TRUE}, {SCOPE, TRUE},
};

#define N_COUNTING 2            /* the first of them count */

static void
init_element (TestElement * t, Kind kind)
{
  if (kind.element == EQUALIZE)
    test_element_init_equalize (t, NULL, "smoothing", "0", NULL);
  else if (kind.element == SCOPE)
    test_element_init_scope (t, NULL, "scopes", "waveform", NULL);
  else
    test_element_init (t, NULL, "backend", "cuda", "interval", "0",
        "attach-meta", "always", "message-counts", "false",
        "message-statistics", "false", "overload", "wait", NULL);
}

/* Frames that were neither corrected nor drawn on. */
static guint64
count_untouched (TestElement * t, Kind kind)
{
  return kind.element == HISTOGRAM ? 0 : test_element_get_count (t,
      kind.element == EQUALIZE ? "uncorrected" : "undrawn");
}

/* The other streams */

typedef struct
{
  Kind kind;
  TestElement t;
  Picture picture;
  GstVideoHistogram *expected;
  GThread *thread;
  gint ends;                    /* atomic */
  gint n_done;                  /* atomic: correct frames */
  gint n_wrong;                 /* atomic: wrong frames */
  guint n_pushed;
} Other;

static gboolean
is_counted (Other * self, GstVideoHistogram * histogram)
{
  return strcmp (gst_video_histogram_get_backend (histogram), "cuda") == 0
      && !test_compare (histogram, self->expected);
}

/* Passes a frame that something else also holds, and returns its histogram,
 * which may be pending. */
static GstVideoHistogram *
pass_other (Other * self)
{
  GstBuffer *buffer = gst_buffer_copy (self->picture.buffer), *out;
  GstVideoHistogramMeta *meta;
  GstVideoHistogram *histogram = NULL;

  self->n_pushed++;
  if (gst_harness_push (self->t.h, buffer) != GST_FLOW_OK
      || !(out = gst_harness_try_pull (self->t.h)))
    return NULL;
  meta = gst_buffer_get_video_histogram_meta (out);
  if (meta)
    histogram = gst_video_histogram_ref (meta->histogram);
  gst_buffer_unref (out);
  return histogram;
}

/* Passes frames, each in flight when the next one arrives. The last histograms
 * are kept, so that all slots for counts are used in turn. */
static gpointer
run_other (gpointer data)
{
  Other *self = data;
  GstVideoHistogram *kept[KEPT] = { NULL, }, *last = NULL;
  guint i = 0;

  while (!g_atomic_int_get (&self->ends)) {
    GstVideoHistogram *histogram = pass_other (self);
    gboolean done;

    if (self->kind.element != HISTOGRAM)
      done = count_untouched (&self->t, self->kind) == 0;
    else
      done = histogram && (!last || is_counted (self, last));
    g_atomic_int_inc (done ? &self->n_done : &self->n_wrong);
    last = histogram;
    g_clear_pointer (&kept[i % KEPT], gst_video_histogram_unref);
    kept[i++ % KEPT] = histogram;
    g_usleep (OTHERS_PAUSE);
  }
  for (i = 0; i < KEPT; i++)
    g_clear_pointer (&kept[i], gst_video_histogram_unref);
  return NULL;
}

/* With @apart it uses kernels of its own: those that count luma of whole frames
 * are launched together with others. */
static void
other_init (Other * self, Kind kind, gboolean apart)
{
  GstVideoHistogramSpec spec = test_spec;

  if (apart)
    spec.columns = spec.rows = 2;
  memset (self, 0, sizeof (*self));
  self->kind = kind;
  picture_init (&self->picture, GST_VIDEO_FORMAT_NV12, 64, 48, kind.cuda);
  self->expected = test_count_on_cpu (self->picture.frame.buffer,
      self->picture.frame.caps, &spec);
  init_element (&self->t, kind);
  if (kind.element == HISTOGRAM)
    test_set_spec (self->t.element, &spec);
  test_gpu_set_caps (&self->t, self->picture.frame.caps, kind.cuda);
}

static void
other_start (Other * self)
{
  self->thread = g_thread_new ("other", run_other, self);
}

static void
other_stop (Other * self)
{
  g_atomic_int_set (&self->ends, TRUE);
  g_thread_join (self->thread);
}

/* Fails if @well and anything went wrong. */
static void
other_clear (Other * self, gboolean well)
{
  if (well) {
    fail_unless_equals_int (self->n_wrong, 0);
    fail_unless (self->n_done > 0);
    fail_unless_equals_int (test_element_count_messages (&self->t,
            GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  }
  test_element_clear (&self->t);
  gst_video_histogram_unref (self->expected);
  picture_clear (&self->picture);
}

static Other others[MAX_OTHERS];
static guint n_others;          /* number of running streams */

static void
start_others (guint n, gboolean apart)
{
  guint i;

  n_others = n;
  for (i = 0; i < n; i++)
    other_init (&others[i], kinds[i % G_N_ELEMENTS (kinds)], apart);
  for (i = 0; i < n; i++)
    other_start (&others[i]);
}

/* Waits until each of them except @hung, which may be NULL, has done @more
 * frames, however long that takes, as long as frames keep coming. */
static void
wait_for_others (const Other * hung, gint more)
{
  gint before[MAX_OTHERS], last, now;
  gint64 end;
  guint i;

  for (i = 0; i < n_others; i++)
    before[i] = g_atomic_int_get (&others[i].n_done);
  for (i = 0; i < n_others; i++) {
    end = g_get_monotonic_time () + TEST_MAX_WAIT * SECOND;
    last = before[i];
    while (&others[i] != hung
        && (now = g_atomic_int_get (&others[i].n_done)) < before[i] + more) {
      if (now > last)
        end = g_get_monotonic_time () + TEST_MAX_WAIT * SECOND;
      last = now;
      fail_unless (g_get_monotonic_time () < end, "stream %u does not go on",
          i);
      g_usleep (1000);
    }
  }
}

static void
stop_others (void)
{
  guint i;

  for (i = 0; i < n_others; i++)
    other_stop (&others[i]);
  n_others = 0;
}

/* Ends all streams; one of them may have had a kernel that @hung. */
static void
end_others (const Other * hung)
{
  const guint n = n_others;
  guint i;

  stop_others ();
  for (i = 0; i < n; i++)
    other_clear (&others[i], &others[i] != hung);
}

/* The stream that changes */

typedef struct
{
  const gchar *name;
  const gchar *values[5];
} Change;

static const Change histogram_changes[] = {
  {"roi", {"8,8,40,20", "9,9,40,20", "", "0,0,60,40", "3,1,30,30"}},
  {"bins", {"16", "255", "0", "64", "1"}},
  {"grid", {"3x2", "1x1", "7x3", "1x1", "2x2"}},
  {"channels", {"luma+red", "luma", "luma+red+green+blue", "luma", "blue"}},
  {"method", {"warp-tables", "auto", "global-copies", "tree-reduction",
          "auto"}},
  {NULL,},                      /* changes the caps */
};

static const Change equalize_changes[] = {
  {"method", {"clahe", "gamma", "equalize", "clahe", "stretch"}},
  {"tiles", {"2x2", "4x3", "1x1", "5x4", "3x2"}},
  {"strength", {"0.5", "1", "0.7", "1", "0.9"}},
  {NULL,},
};

/* Changes that keep the size of frames. */
static const Change scope_changes[] = {
  {"scopes", {"parade", "waveform+false-color", "vectorscope+zebra",
          "histogram+waveform", "histogram+waveform+parade+vectorscope"}},
  {"components", {"rgb", "yuv", "luma", "rgb", "yuv"}},
  {"envelope", {"peak", "instant", "instant+peak", "none", "peak"}},
  {"size", {"0.5", "1", "0.35", "0.8", "0.2"}},
  {"persistence", {"100000000", "2000000000", "0", "3600000000000",
          "500000000"}},
  {NULL,},
};

static const struct
{
  const Change *changes;
  guint n;
} changes_of[] = {
  [HISTOGRAM] = {histogram_changes, G_N_ELEMENTS (histogram_changes)},
  [EQUALIZE] = {equalize_changes, G_N_ELEMENTS (equalize_changes)},
  [SCOPE] = {scope_changes, G_N_ELEMENTS (scope_changes)},
};

static const struct
{
  GstVideoFormat format;
  guint width, height;
} shapes[] = {
  {GST_VIDEO_FORMAT_NV12, 64, 48},
  {GST_VIDEO_FORMAT_I420, 160, 96},
  {GST_VIDEO_FORMAT_NV12, 128, 90},
  {GST_VIDEO_FORMAT_RGBA, 96, 48},
};

typedef struct
{
  Kind kind;
  TestElement t;
  TestElement reference;        /* the same element on the CPU */
  Picture pictures[G_N_ELEMENTS (shapes)];
  guint shape;                  /* index of the pictures' size */
  guint n_changes, n_pushed;
  GPtrArray *pending;           /* pairs of histogram and expected histogram */
} Stream;

static Stream stream;

static void
set_shape (Stream * self, guint shape)
{
  GstCaps *caps = self->pictures[shape].frame.caps;

  self->shape = shape;
  test_gpu_set_caps (&self->t, caps, self->kind.cuda);
  test_gpu_set_caps (&self->reference, caps, FALSE);
}

static void
stream_init (Stream * self, Kind kind)
{
  guint i;

  memset (self, 0, sizeof (*self));
  self->kind = kind;
  self->pending = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_video_histogram_unref);
  for (i = 0; i < G_N_ELEMENTS (shapes); i++) {
    picture_init (&self->pictures[i], shapes[i].format, shapes[i].width,
        shapes[i].height, kind.cuda);
  }
  init_element (&self->t, kind);
  init_element (&self->reference, (Kind) {.element = kind.element });
  if (kind.element == HISTOGRAM)
    gst_util_set_object_arg (G_OBJECT (self->reference.element), "backend",
        "cpu");
  set_shape (self, 0);
}

static void
set (Stream * self, const gchar * name, const gchar * value)
{
  gst_util_set_object_arg (G_OBJECT (self->t.element), name, value);
  gst_util_set_object_arg (G_OBJECT (self->reference.element), name, value);
}

static void
change (Stream * self)
{
  const guint n = changes_of[self->kind.element].n;
  const Change *c =
      &changes_of[self->kind.element].changes[self->n_changes % n];

  if (c->name)
    set (self, c->name,
        c->values[self->n_changes / n % G_N_ELEMENTS (c->values)]);
  else
    set_shape (self, (self->shape + 1) % G_N_ELEMENTS (shapes));
  self->n_changes++;
}

/* Checks that the stream is on the GPU and has posted no warnings. */
static void
check_active (Stream * self)
{
  gchar *text = test_bus_pop_warning (self->t.bus);

  fail_if (text, "change %u, frame %u: %s", self->n_changes, self->n_pushed,
      text);
  fail_unless_equals_uint64 (count_untouched (&self->t, self->kind), 0);
  if (self->kind.element == HISTOGRAM) {
    test_element_check_string (&self->t, "active-backend", "cuda");
    test_element_check_count (&self->t, "dropped", 0);
  }
}

/* Checks the histograms so far; those of frames counted on the GPU were made
 * there. */
static void
check_histograms (Stream * self)
{
  guint i;

  for (i = 0; i < self->pending->len; i += 2) {
    GstVideoHistogram *histogram = self->pending->pdata[i];
    const gchar *wrong = test_compare (histogram, self->pending->pdata[i + 1]);

    fail_if (wrong, "change %u: %s", self->n_changes, wrong);
    fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
        "cuda");
  }
  g_ptr_array_set_size (self->pending, 0);
}

/* Passes a frame that is changed in place or, if something else @holds it, in a
 * copy. */
static void
pass_changed (Stream * self, gboolean holds)
{
  Picture *picture = &self->pictures[self->shape];
  GstBuffer *buffer = picture->buffer, *out, *expected;

  test_fill (buffer, &picture->frame);
  if (holds)
    gst_buffer_ref (buffer);
  out = test_element_pass (&self->t, buffer);
  fail_unless_equals_int (out != buffer, holds);
  expected = test_element_pass (&self->reference,
      gst_buffer_copy_deep (picture->frame.buffer));
  fail_unless (test_same_picture (out, expected, picture->frame.caps),
      "change %u: the picture differs, and %u were not changed",
      self->n_changes, (guint) count_untouched (&self->t, self->kind));
  gst_buffer_unref (expected);
  if (holds)
    gst_buffer_unref (out);
}

static void
pass_counted (Stream * self)
{
  const Picture *picture = &self->pictures[self->shape];
  GstBuffer *out, *expected;

  out = test_element_pass (&self->t, gst_buffer_copy (picture->buffer));
  expected = test_element_pass (&self->reference,
      gst_buffer_copy (picture->frame.buffer));
  g_ptr_array_add (self->pending, test_get_histogram (out));
  g_ptr_array_add (self->pending, test_get_histogram (expected));
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
}

static void
pass (Stream * self)
{
  if (self->kind.element == HISTOGRAM)
    pass_counted (self);
  else
    pass_changed (self, self->n_pushed % 2);
  self->n_pushed++;
  check_active (self);
}

/* Makes all changes, each with frames in flight. */
static void
change_all (Stream * self)
{
  guint i;

  for (i = 0; i < N_CHANGES; i++) {
    change (self);
    pass (self);
    pass (self);
    if (i % 4 == 3)
      check_histograms (self);
  }
  check_histograms (self);
}

static void
stream_clear (Stream * self)
{
  guint i;

  test_element_clear (&self->t);
  test_element_clear (&self->reference);
  for (i = 0; i < G_N_ELEMENTS (shapes); i++)
    picture_clear (&self->pictures[i]);
  g_ptr_array_unref (self->pending);
}

GST_START_TEST (test_changes)
{
  stream_init (&stream, kinds[__i__ / 2]);
  pass (&stream);
  check_histograms (&stream);
  start_others (__i__ % 2 ? MAX_OTHERS : 2, FALSE);
  wait_for_others (NULL, 5);
  change_all (&stream);
  wait_for_others (NULL, 5);
  end_others (NULL);
  stream_clear (&stream);
}

GST_END_TEST;

/* Gives it kernels of its own, as above. */
static void
set_apart (Stream * self)
{
  if (self->kind.element == EQUALIZE) {
    set (self, "method", "clahe");
    set (self, "tiles", "2x2");
  } else if (self->kind.element == HISTOGRAM) {
    set (self, "grid", "2x2");
    set (self, "overload", "drop");
  }
}

/* A kernel of this stream hangs: that is reported once, and the CPU counts what
 * it can; other streams do not notice. */
GST_START_TEST (test_own_hang)
{
  const Kind kind = kinds[__i__];
  const gint64 pause = 20000;
  gint64 end, start;
  guint n = 0;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_clock_be_exact ();
  stream_init (&stream, kind);
  set_apart (&stream);
  pass (&stream);
  check_histograms (&stream);
  start_others (3, TRUE);
  wait_for_others (NULL, 5);

  hang_launches_of (g_thread_self ());
  end = g_get_monotonic_time () + SURELY_LATE;
  while (g_get_monotonic_time () < end) {
    GstBuffer *buffer = stream.pictures[0].buffer;

    start = g_get_monotonic_time ();
    test_element_push (&stream.t, gst_buffer_copy (buffer));
    fail_unless (g_get_monotonic_time () - start < SECOND);
    g_usleep (pause);
  }
  if (kind.element != HISTOGRAM)
    fail_unless (count_untouched (&stream.t, kind) > 0);
  else
    test_element_check_string (&stream.t, "active-backend",
        kind.cuda ? "none" : "cpu");
  fail_unless_equals_int (test_element_count_messages (&stream.t,
          GST_MESSAGE_WARNING), 1);
  wait_for_others (NULL, 20);

  end_hang ();
  end = g_get_monotonic_time () + SURELY_TRIED;
  do {
    const guint64 untouched = count_untouched (&stream.t, kind);
    gchar *active = NULL;

    fail_unless (g_get_monotonic_time () < end, "the GPU is not tried again");
    test_element_push (&stream.t, gst_buffer_copy (stream.pictures[0].buffer));
    g_usleep (pause);
    if (kind.element != HISTOGRAM) {
      n += count_untouched (&stream.t, kind) == untouched;
    } else {
      active = test_element_dup_string (&stream.t, "active-backend");
      n += g_str_equal (active, "cuda");
      g_free (active);
    }
  } while (n < 3);
  end_others (NULL);
  stream_clear (&stream);
  test_clock_slow_down ();
}

GST_END_TEST;

/* Streams launched together with it are back on the GPU while it still
 * hangs. */
GST_START_TEST (test_shared_hang)
{
  const gint64 start = g_get_monotonic_time ();
  gint before;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_clock_be_exact ();
  stream_init (&stream, kinds[1]);
  set (&stream, "overload", "drop");
  pass (&stream);
  check_histograms (&stream);
  start_others (2, FALSE);
  wait_for_others (NULL, 2 * KEPT);
  hang_launches_of (g_thread_self ());
  test_element_push (&stream.t, gst_buffer_copy (stream.pictures[0].buffer));
  g_usleep (SURELY_LATE);
  fail_unless_equals_int (others[0].n_wrong, 0);
  before = g_atomic_int_get (&others[1].n_done);
  while (g_atomic_int_get (&others[1].n_done) < before + 20) {
    fail_unless (g_get_monotonic_time () - start < SURELY_LATE + SURELY_TRIED,
        "a kernel of one stream keeps another from the GPU");
    g_usleep (1000);
  }
  end_hang ();
  stop_others ();
  other_clear (&others[0], TRUE);
  other_clear (&others[1], FALSE);
  stream_clear (&stream);
  test_clock_slow_down ();
}

GST_END_TEST;

/* A kernel of another stream hangs: this stream does not notice, and changes
 * freely, whether it has changed before or not. */
GST_START_TEST (test_other_hangs)
{
  const Kind kind = kinds[__i__ / 2];
  Other *hung = &others[kind.cuda];
  Guard guard;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_clock_be_exact ();
  stream_init (&stream, kind);
  pass (&stream);
  if (__i__ % 2 == 0)
    change_all (&stream);
  start_others (3, TRUE);
  wait_for_others (NULL, 5);
  hang_launches_of (hung->thread);
  guard_start (&guard);
  change_all (&stream);
  guard_end (&guard);
  /* The others must not be late only because the machine is busy. */
  test_clock_slow_down ();
  wait_for_others (hung, 20);
  end_hang ();
  end_others (hung);
  stream_clear (&stream);
}

GST_END_TEST;

/* Likewise if downstream reconfigures without changing its requirements. */
GST_START_TEST (test_reconfigure)
{
  Guard guard;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_clock_be_exact ();
  stream_init (&stream, kinds[2]);
  pass_changed (&stream, TRUE);
  start_others (2, TRUE);
  wait_for_others (NULL, 5);
  hang_launches_of (others[0].thread);
  guard_start (&guard);
  gst_pad_push_event (stream.t.h->sinkpad, gst_event_new_reconfigure ());
  pass_changed (&stream, TRUE);
  guard_end (&guard);
  end_hang ();
  end_others (&others[0]);
  stream_clear (&stream);
  test_clock_slow_down ();
}

GST_END_TEST;

static void
setup (void)
{
  test_gpu_setup ();
  /* Frames of others are in flight for a while, at little cost. */
  test_set_delay (1000);
}

/* Also after a test that failed. */
static void
teardown (void)
{
  if (test_double ())
    end_hang ();
  stop_others ();
  test_gpu_teardown ();
}

TEST_SUITE (streams, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_changes, 0, 2 * G_N_ELEMENTS (kinds));
  tcase_add_loop_test (tc, test_own_hang, 0, G_N_ELEMENTS (kinds));
  tcase_add_test (tc, test_shared_hang);
  /* Without videoequalize and videoscope, which copy into a pool of
   * GStreamer's: recreating that for new caps frees memory, which waits for all
   * kernels. */
  tcase_add_loop_test (tc, test_other_hangs, 0, 2 * N_COUNTING);
  tcase_add_test (tc, test_reconfigure);
}
