/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All elements follow GStreamer's protocol, whatever a stream does. A checker
 * watches their pads in pipelines with threads and in streams of random steps.
 * An element that breaks one rule after the other proves that the checker
 * notices. TEST_MEMORY=cuda: with frames in CUDA memory. */
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "common/env.h"
#include "common/figures.h"
#include "common/padchecker.h"
#include "common/scenario.h"
#include "common/suite.h"

#define CUDA "video/x-raw(memory:CUDAMemory)"
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

static gboolean
is_cuda (void)
{
  return g_strcmp0 (g_getenv ("TEST_MEMORY"), "cuda") == 0;
}

static const gchar *const elements[] = {
  "videohistogram interval=0",
  "videohistogram interval=0 attach-meta=always grid=3x2 "
      "channels=luma+red+green+blue",
  "videohistogram interval=0 grid=3x2 channels=gradient",
  "videoequalize method=none",
  "videoequalize method=equalize",
  "videoequalize method=clahe tiles=2x2 smoothing=500000000",
  "videohealth",
  "videoscope scopes=none",
  "videoscope graticule=none",
  "videoscope scopes=histogram+parade+vectorscope+false-color+zebra "
      "persistence=200000000 envelope=peak",
};

/* An element that breaks a rule */

typedef enum
{
  FAULT_NONE,
  FAULT_NO_STREAM_START,
  FAULT_NO_CAPS,
  FAULT_CAPS_AFTER_SEGMENT,
  FAULT_NO_SEGMENT,
  FAULT_GAP_AFTER_EOS,
  FAULT_NO_FLUSH_STOP,
  FAULT_FLUSH_TWICE,
  FAULT_LOSE_BUFFER,
  FAULT_LOSE_EVENT,
  FAULT_BUFFER_TWICE,
  FAULT_EVENT_TWICE,
  FAULT_EVENT_OF_ITS_OWN,
  FAULT_SEQNUM,
  FAULT_PTS,
  FAULT_FLAGS,
  FAULT_SIZE,
  FAULT_FLOW,
  FAULT_LOSE_UPSTREAM,
  FAULT_UPSTREAM_TWICE,
  FAULT_LATENCY,
  FAULT_ALLOCATION,
  N_FAULTS
} Fault;

static const TestRule broken_by[N_FAULTS] = {
  [FAULT_NO_STREAM_START] = TEST_RULE_STREAM_START,
  [FAULT_NO_CAPS] = TEST_RULE_CAPS,
  [FAULT_CAPS_AFTER_SEGMENT] = TEST_RULE_CAPS,
  [FAULT_NO_SEGMENT] = TEST_RULE_SEGMENT,
  [FAULT_GAP_AFTER_EOS] = TEST_RULE_EOS,
  [FAULT_NO_FLUSH_STOP] = TEST_RULE_LOST,
  [FAULT_FLUSH_TWICE] = TEST_RULE_FLUSH,
  [FAULT_LOSE_BUFFER] = TEST_RULE_LOST,
  [FAULT_LOSE_EVENT] = TEST_RULE_LOST,
  [FAULT_BUFFER_TWICE] = TEST_RULE_ONCE,
  [FAULT_EVENT_TWICE] = TEST_RULE_ONCE,
  [FAULT_EVENT_OF_ITS_OWN] = TEST_RULE_ONCE,
  [FAULT_SEQNUM] = TEST_RULE_SEQNUM,
  [FAULT_PTS] = TEST_RULE_TIMES,
  [FAULT_FLAGS] = TEST_RULE_TIMES,
  [FAULT_SIZE] = TEST_RULE_SIZE,
  [FAULT_FLOW] = TEST_RULE_FLOW,
  [FAULT_LOSE_UPSTREAM] = TEST_RULE_UPSTREAM,
  [FAULT_UPSTREAM_TWICE] = TEST_RULE_UPSTREAM,
  [FAULT_LATENCY] = TEST_RULE_QUERIES,
  [FAULT_ALLOCATION] = TEST_RULE_ALLOCATION,
};

typedef struct
{
  GstElement parent;
  GstPad *sink, *src;
  GstEvent *caps;               /* held back */
} TestBroken;

typedef GstElementClass TestBrokenClass;

static Fault fault;

GType test_broken_get_type (void);
G_DEFINE_TYPE (TestBroken, test_broken, GST_TYPE_ELEMENT);

static GstFlowReturn
broken_chain (G_GNUC_UNUSED GstPad * pad, GstObject * parent,
    GstBuffer * buffer)
{
  TestBroken *self = (TestBroken *) parent;
  GstFlowReturn result;

  if (fault == FAULT_PTS || fault == FAULT_FLAGS || fault == FAULT_SIZE)
    buffer = gst_buffer_make_writable (buffer);
  if (fault == FAULT_PTS)
    GST_BUFFER_PTS (buffer)++;
  else if (fault == FAULT_FLAGS)
    GST_BUFFER_FLAGS (buffer) ^= GST_BUFFER_FLAG_DISCONT;
  else if (fault == FAULT_SIZE)
    gst_buffer_set_size (buffer, 3);
  else if (fault == FAULT_BUFFER_TWICE)
    gst_pad_push (self->src, gst_buffer_ref (buffer));
  else if (fault == FAULT_EVENT_OF_ITS_OWN)
    gst_pad_push_event (self->src, gst_event_new_gap (0, 1));

  if (fault == FAULT_LOSE_BUFFER) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  result = gst_pad_push (self->src, buffer);
  return fault == FAULT_FLOW ? GST_FLOW_OK : result;
}

/* Whether the element drops @event. */
static gboolean
is_lost (GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      return fault == FAULT_NO_STREAM_START;
    case GST_EVENT_CAPS:
      return fault == FAULT_NO_CAPS;
    case GST_EVENT_SEGMENT:
      return fault == FAULT_NO_SEGMENT;
    case GST_EVENT_FLUSH_STOP:
      return fault == FAULT_NO_FLUSH_STOP;
    case GST_EVENT_TAG:
      return fault == FAULT_LOSE_EVENT;
    default:
      return FALSE;
  }
}

static gboolean
broken_sink_event (G_GNUC_UNUSED GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  TestBroken *self = (TestBroken *) parent;
  const GstEventType type = GST_EVENT_TYPE (event);
  gboolean result;

  if (is_lost (event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (fault == FAULT_CAPS_AFTER_SEGMENT && type == GST_EVENT_CAPS) {
    gst_event_take (&self->caps, event);
    return TRUE;
  }
  if ((fault == FAULT_EVENT_TWICE
          && type == GST_EVENT_CUSTOM_DOWNSTREAM)
      || (fault == FAULT_FLUSH_TWICE && type == GST_EVENT_FLUSH_START))
    gst_pad_push_event (self->src, gst_event_ref (event));
  if (fault == FAULT_SEQNUM && type == GST_EVENT_SEGMENT) {
    event = gst_event_make_writable (event);
    gst_event_set_seqnum (event, gst_util_seqnum_next ());
  }
  result = gst_pad_push_event (self->src, event);
  if (self->caps && type == GST_EVENT_SEGMENT)
    gst_pad_push_event (self->src, g_steal_pointer (&self->caps));
  if (fault == FAULT_GAP_AFTER_EOS && type == GST_EVENT_EOS)
    gst_pad_push_event (self->src, gst_event_new_gap (0, 1));
  return result;
}

static gboolean
broken_src_event (G_GNUC_UNUSED GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  TestBroken *self = (TestBroken *) parent;

  if (fault == FAULT_UPSTREAM_TWICE)
    gst_pad_push_event (self->sink, gst_event_ref (event));
  if (fault == FAULT_LOSE_UPSTREAM) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_push_event (self->sink, event);
}

static gboolean
broken_sink_query (G_GNUC_UNUSED GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  TestBroken *self = (TestBroken *) parent;

  if (fault == FAULT_ALLOCATION && GST_QUERY_TYPE (query) ==
      GST_QUERY_ALLOCATION)
    return FALSE;
  return gst_pad_peer_query (self->src, query);
}

static gboolean
broken_src_query (G_GNUC_UNUSED GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  TestBroken *self = (TestBroken *) parent;
  const gboolean result = gst_pad_peer_query (self->sink, query);

  if (fault == FAULT_LATENCY && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_query_set_latency (query, TRUE, 12345, GST_CLOCK_TIME_NONE);
  return result;
}

static void
test_broken_init (TestBroken * self)
{
  self->sink = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_chain_function (self->sink, broken_chain);
  gst_pad_set_event_function (self->sink, broken_sink_event);
  gst_pad_set_query_function (self->sink, broken_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_event_function (self->src, broken_src_event);
  gst_pad_set_query_function (self->src, broken_src_query);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}

static void
test_broken_class_init (TestBrokenClass * klass)
{
  gst_element_class_set_static_metadata (klass, "Broken", "Filter", "Breaks "
      "the protocol", "The gst-videohistogram developers");
}

/* Streams of random steps */

typedef struct
{
  GstElement *element;
  GstHarness *h;
  GstHarness *upload;           /* NULL: frames stay in system memory */
  TestPadChecker *checker;
  TestRandom random;
  GstCaps *caps;                /* in system memory */
  GstFlowReturn flow;           /* downstream's return value for a buffer */
} Stream;

static GstPadProbeReturn
answer (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stream *stream = data;

  if (info->type & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM) {
    GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

    if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
      return GST_PAD_PROBE_OK;
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
    return GST_PAD_PROBE_HANDLED;
  }
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = stream->flow;
  return GST_PAD_PROBE_HANDLED;
}

static void
stream_init (Stream * self, GstElement * element, guint64 seed)
{
  memset (self, 0, sizeof (*self));
  self->random = test_random_new (seed);
  self->element = gst_object_ref_sink (element);
  self->h = gst_harness_new_with_element (element, "sink", "src");
  self->checker = test_pad_checker_new (element);
  gst_pad_add_probe (self->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, self, NULL);
  if (is_cuda ()) {
    self->upload = gst_harness_new ("cudaupload");
    gst_harness_set_sink_caps_str (self->upload, CUDA);
  }
}

static void
stream_clear (Stream * self)
{
  gst_harness_teardown (self->h);
  if (self->upload)
    gst_harness_teardown (self->upload);
  test_pad_checker_free (self->checker);
  gst_object_unref (self->element);
  gst_clear_caps (&self->caps);
}

static void
push_event (Stream * self, GstEvent * event)
{
  gst_pad_push_event (self->h->srcpad, event);
}

static void
push_segment (Stream * self)
{
  push_event (self, test_scenario_segment (&self->random));
}

static void
push_caps (Stream * self)
{
  const TestShape shape = test_scenario_shape (&self->random,
      TEST_SCENARIO_N_FORMATS, 2, 60, 40);
  GstCaps *caps = test_scenario_caps (&shape);
  GstCaps *pushed = gst_caps_copy (caps);

  gst_caps_take (&self->caps, caps);
  if (self->upload) {
    gst_harness_set_src_caps (self->upload, gst_caps_copy (caps));
    gst_caps_set_features_simple (pushed, gst_caps_features_new
        ("memory:CUDAMemory", NULL));
  }
  push_event (self, gst_event_new_caps (pushed));
  gst_caps_unref (pushed);
}

static void
start_stream (Stream * self)
{
  push_event (self, gst_event_new_stream_start ("test"));
  push_caps (self);
  push_segment (self);
}

static GstBuffer *
make_frame (Stream * self)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, self->caps));
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, test_random (&self->random), info.size);
  if (self->upload) {
    fail_unless_equals_int (gst_harness_push (self->upload, buffer),
        GST_FLOW_OK);
    buffer = gst_buffer_make_writable (gst_harness_pull (self->upload));
  }
  GST_BUFFER_PTS (buffer) = test_random_once_in (&self->random, 9) ?
      GST_CLOCK_TIME_NONE : test_random_below (&self->random, 20) * GST_SECOND;
  GST_BUFFER_DTS (buffer) = test_random_once_in (&self->random, 2) ?
      GST_CLOCK_TIME_NONE : GST_BUFFER_PTS (buffer);
  GST_BUFFER_DURATION (buffer) = test_random_below (&self->random, 99);
  GST_BUFFER_OFFSET (buffer) = test_random_below (&self->random, 99);
  GST_BUFFER_OFFSET_END (buffer) = test_random_below (&self->random, 99);
  if (test_random_once_in (&self->random, 9))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (test_random_once_in (&self->random, 9))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  return buffer;
}

/* One frame in nine is refused, in one of several ways. */
static void
push_frame (Stream * self)
{
  static const GstFlowReturn refusals[] = {
    GST_FLOW_NOT_LINKED, GST_FLOW_EOS, GST_FLOW_FLUSHING, GST_FLOW_ERROR
  };
  GstBuffer *frame = make_frame (self), *shared = NULL;

  self->flow = test_random_once_in (&self->random, 9) ?
      refusals[test_random_below (&self->random, G_N_ELEMENTS (refusals))] :
      GST_FLOW_OK;
  if (test_random_once_in (&self->random, 3))
    shared = gst_buffer_ref (frame);
  fail_unless_equals_int (gst_pad_push (self->h->srcpad, frame), self->flow);
  gst_clear_buffer (&shared);
}

static void
flush (Stream * self)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (test_random_once_in
      (&self->random, 2));

  gst_event_set_seqnum (start, seqnum);
  gst_event_set_seqnum (stop, seqnum);
  push_event (self, start);
  if (test_random_once_in (&self->random, 2)) {
    fail_unless_equals_int (gst_pad_push (self->h->srcpad, make_frame (self)),
        GST_FLOW_FLUSHING);
  }
  push_event (self, stop);
  push_segment (self);
}

static void
end_stream (Stream * self)
{
  push_event (self, gst_event_new_eos ());
  fail_unless_equals_int (gst_pad_push (self->h->srcpad, make_frame (self)),
      GST_FLOW_EOS);
  if (test_random_once_in (&self->random, 2))
    flush (self);
  else
    start_stream (self);
}

static void
take_step (Stream * self)
{
  switch (test_random_below (&self->random, 16)) {
    case 0:
      push_caps (self);
      push_segment (self);
      break;
    case 1:
      push_segment (self);
      break;
    case 2:
      flush (self);
      break;
    case 3:
      end_stream (self);
      break;
    case 4:
    case 5:
      push_event (self, test_scenario_downstream (&self->random));
      break;
    case 6:
    case 7:
      test_scenario_send (self->h, test_scenario_upstream (&self->random));
      break;
    case 8:
      test_scenario_set (self->element, NULL, &self->random);
      break;
    case 9:
      test_pad_checker_query (self->checker);
      break;
    default:
      push_frame (self);
      break;
  }
}

static GstElement *
make_element (const gchar * text)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch (text, &error);

  fail_unless (error == NULL, "%s: %s", text, error ? error->message : "");
  return element;
}

GST_START_TEST (test_random_streams)
{
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  const guint64 n = test_env_tier ("TEST_CONFORMANCE_STREAMS",
      is_cuda () ? 16 : 40, 20000);
  guint64 watched = 0, i;
  guint step;

  for (i = 0; i < n; i++) {
    const gchar *text = elements[i % G_N_ELEMENTS (elements)];
    const gchar *problem;
    Stream stream;

    stream_init (&stream, make_element (text), seed + i);
    start_stream (&stream);
    for (step = 0; step < 60; step++)
      take_step (&stream);
    problem = test_pad_checker_problem (stream.checker);
    fail_if (problem, "TEST_SEED=%" G_GUINT64_FORMAT ", %s: %s", seed + i, text,
        problem);
    watched += test_pad_checker_watched (stream.checker);
    stream_clear (&stream);
  }
  test_figure ("random streams", "%" G_GUINT64_FORMAT, n);
  test_figure ("buffers and events watched in them", "%" G_GUINT64_FORMAT,
      watched);
}

GST_END_TEST;

/* GStreamer's own warnings about broken streams. */
static gboolean
ignore_warning (G_GNUC_UNUSED const gchar * domain,
    G_GNUC_UNUSED GLogLevelFlags level, G_GNUC_UNUSED const gchar * message,
    G_GNUC_UNUSED gpointer data)
{
  return TRUE;
}

static void
break_stream (Stream * stream)
{
  start_stream (stream);
  stream->flow = GST_FLOW_OK;
  gst_pad_push (stream->h->srcpad, make_frame (stream));
  push_event (stream, gst_event_new_tag (gst_tag_list_new_empty ()));
  push_event (stream, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("test")));
  gst_harness_push_upstream_event (stream->h, gst_event_new_latency (77));
  test_pad_checker_query (stream->checker);
  stream->flow = GST_FLOW_NOT_LINKED;
  gst_pad_push (stream->h->srcpad, make_frame (stream));
  push_event (stream, gst_event_new_flush_start ());
  push_event (stream, gst_event_new_flush_stop (TRUE));
  push_segment (stream);
  push_event (stream, gst_event_new_eos ());
}

/* The checker reports every fault, and nothing without a fault. */
GST_START_TEST (test_faults)
{
  Stream stream;
  Fault i;

  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_WARNING, g_regex_new
      ("ordering|Got data flow", 0, 0, NULL), ignore_warning, NULL, NULL);
  for (i = FAULT_NONE; i < N_FAULTS; i++) {
    fault = FAULT_NONE;
    stream_init (&stream, g_object_new (test_broken_get_type (), NULL), i);
    fault = i;
    break_stream (&stream);
    if (i == FAULT_NONE) {
      const gchar *problem = test_pad_checker_problem (stream.checker);

      fail_if (problem, "%s", problem);
    } else {
      fail_unless (test_pad_checker_broken (stream.checker, broken_by[i]) > 0,
          "fault %d was not seen: %s", i,
          test_pad_checker_problem (stream.checker));
    }
    stream_clear (&stream);
  }
}

GST_END_TEST;

/* Pipelines */

typedef struct
{
  GstElement *pipeline, *source, *filter, *element, *sink;
  GstBus *bus;
  TestPadChecker *checker;
  TestRandom random;
  const gchar *text;
} Scene;

/* The sink does not keep the last frame: on an ALLOCATION query it would copy
 * it, which libgstcuda does without waiting. */
static void
scene_init (Scene * self, const gchar * text, const gchar * source,
    gboolean sync, guint64 seed)
{
  gchar *launch = g_strdup_printf ("videotestsrc name=source %s ! "
      "capsfilter name=filter caps=video/x-raw,format=I420,width=32,height=24,"
      "framerate=200/1 ! %s %s name=element ! fakesink name=sink sync=%d "
      "enable-last-sample=false",
      source, is_cuda () ? "cudaupload ! " CUDA " !" : "", text, sync);

  self->text = text;
  self->random = test_random_new (seed);
  self->pipeline = make_element (launch);
  self->source = gst_bin_get_by_name (GST_BIN (self->pipeline), "source");
  self->filter = gst_bin_get_by_name (GST_BIN (self->pipeline), "filter");
  self->element = gst_bin_get_by_name (GST_BIN (self->pipeline), "element");
  self->sink = gst_bin_get_by_name (GST_BIN (self->pipeline), "sink");
  self->bus = gst_element_get_bus (self->pipeline);
  self->checker = test_pad_checker_new (self->element);
  g_free (launch);
}

static void
scene_set_state (Scene * self, GstState state)
{
  GstStateChangeReturn result;

  gst_element_set_state (self->pipeline, state);
  result = gst_element_get_state (self->pipeline, NULL, NULL, MAX_WAIT);
  fail_unless (result == GST_STATE_CHANGE_SUCCESS
      || result == GST_STATE_CHANGE_NO_PREROLL, "%s does not reach %s",
      self->text, gst_element_state_get_name (state));
}

static void
scene_clear (Scene * self)
{
  const gchar *problem;
  GstMessage *message;

  scene_set_state (self, GST_STATE_NULL);
  message = gst_bus_pop_filtered (self->bus, GST_MESSAGE_ERROR |
      GST_MESSAGE_WARNING);
  fail_if (message, "%s: %" GST_PTR_FORMAT, self->text, message);
  problem = test_pad_checker_problem (self->checker);
  fail_if (problem, "%s: %s", self->text, problem);
  test_pad_checker_free (self->checker);
  gst_object_unref (self->source);
  gst_object_unref (self->filter);
  gst_object_unref (self->element);
  gst_object_unref (self->sink);
  gst_object_unref (self->bus);
  gst_object_unref (self->pipeline);
}

/* Waits until this many frames have passed, or the stream has ended. */
static void
scene_wait_until (Scene * self, guint64 end)
{
  const gint64 deadline = g_get_monotonic_time () + MAX_WAIT / 1000;

  while (test_pad_checker_watched (self->checker) < end) {
    fail_if (g_get_monotonic_time () > deadline, "%s: nothing passes",
        self->text);
    if (gst_bus_have_pending (self->bus)) {
      GstMessage *message = gst_bus_pop_filtered (self->bus,
          GST_MESSAGE_EOS | GST_MESSAGE_SEGMENT_DONE);

      if (message) {
        gst_message_unref (message);
        return;
      }
    }
    g_usleep (200);
  }
}

/* Likewise for @n more. */
static void
scene_wait (Scene * self, guint n)
{
  scene_wait_until (self, test_pad_checker_watched (self->checker) + n);
}

static void
scene_wait_for (Scene * self, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (self->bus, MAX_WAIT,
      type | GST_MESSAGE_ERROR);

  fail_unless (message && GST_MESSAGE_TYPE (message) == type,
      "%s: %" GST_PTR_FORMAT " instead of %s", self->text, message,
      gst_message_type_get_name (type));
  gst_message_unref (message);
}

static void
scene_seek (Scene * self, gdouble rate, GstSeekFlags flags, guint start,
    guint stop)
{
  fail_unless (gst_element_seek (self->pipeline, rate, GST_FORMAT_TIME, flags,
          GST_SEEK_TYPE_SET, start * GST_MSECOND, GST_SEEK_TYPE_SET,
          stop * GST_MSECOND));
}

static void
play (Scene * self)
{
  scene_set_state (self, GST_STATE_PAUSED);
  test_pad_checker_query (self->checker);
  scene_set_state (self, GST_STATE_PLAYING);
  test_pad_checker_query (self->checker);
  scene_wait_for (self, GST_MESSAGE_EOS);
}

static void
pause_and_resume (Scene * self)
{
  guint i;

  for (i = 0; i < 5; i++) {
    scene_set_state (self, GST_STATE_PLAYING);
    scene_wait (self, 20);
    scene_set_state (self, GST_STATE_PAUSED);
    test_pad_checker_query (self->checker);
  }
}

static void
seek_with_flush (Scene * self)
{
  guint i;

  scene_set_state (self, GST_STATE_PAUSED);
  for (i = 0; i < 10; i++) {
    const guint64 before = test_pad_checker_watched (self->checker);

    scene_seek (self, 1, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        100 * i, 100000);
    if (i == 3)
      scene_set_state (self, GST_STATE_PLAYING);
    /* A flush, a segment and a frame, on both sides. */
    scene_wait_until (self, before + 8);
  }
}

static void
seek_without_flush (Scene * self)
{
  guint i;

  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < 5; i++) {
    scene_wait (self, 10);
    scene_seek (self, 1, GST_SEEK_FLAG_NONE, 100 * i, 100000);
  }
  scene_wait (self, 10);
}

static void
play_segments (Scene * self)
{
  guint i;

  scene_set_state (self, GST_STATE_PAUSED);
  scene_seek (self, 1, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT, 0, 50);
  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < 5; i++) {
    scene_wait_for (self, GST_MESSAGE_SEGMENT_DONE);
    scene_seek (self, 1, i < 4 ? GST_SEEK_FLAG_SEGMENT : GST_SEEK_FLAG_NONE, 0,
        50);
  }
  scene_wait_for (self, GST_MESSAGE_EOS);
}

static void
change_rate (Scene * self)
{
  static const gdouble rates[] = { 2, 0.5, -1, -3, 1 };
  guint i;

  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    scene_seek (self, rates[i], GST_SEEK_FLAG_FLUSH, 0, 10000);
    scene_wait (self, 20);
  }
  gst_element_seek (self->pipeline, 1.5, GST_FORMAT_TIME,
      GST_SEEK_FLAG_INSTANT_RATE_CHANGE, GST_SEEK_TYPE_NONE, 0,
      GST_SEEK_TYPE_NONE, 0);
  scene_wait (self, 20);
}

static void
change_caps (Scene * self)
{
  guint i;

  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < 2 * TEST_SCENARIO_N_FORMATS; i++) {
    const TestShape shape = {
      test_scenario_formats[i % TEST_SCENARIO_N_FORMATS], 16 + 2 * i, 24
    };
    GstCaps *caps = test_scenario_caps (&shape);

    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 200, 1, NULL);
    g_object_set (self->filter, "caps", caps, NULL);
    gst_caps_unref (caps);
    scene_wait (self, 12);
  }
}

static GstPadProbeReturn
make_gap (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  TestRandom *random = data;

  if (!test_random_once_in (random, 3))
    return GST_PAD_PROBE_OK;
  gst_pad_push_event (pad, gst_event_new_gap (GST_BUFFER_PTS (buffer),
          GST_BUFFER_DURATION (buffer)));
  return GST_PAD_PROBE_DROP;
}

static void
leave_gaps (Scene * self)
{
  GstPad *pad = gst_element_get_static_pad (self->filter, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, make_gap, &self->random,
      NULL);
  gst_object_unref (pad);
  play (self);
}

static void
restart_after_eos (Scene * self)
{
  play (self);
  scene_seek (self, 1, GST_SEEK_FLAG_FLUSH, 0, 100);
  scene_wait_for (self, GST_MESSAGE_EOS);
  scene_set_state (self, GST_STATE_READY);
  test_pad_checker_restart (self->checker);
  play (self);
}

static void
end_from_outside (Scene * self)
{
  scene_set_state (self, GST_STATE_PLAYING);
  scene_wait (self, 10);
  gst_element_send_event (self->pipeline, gst_event_new_tag (gst_tag_list_new
          (GST_TAG_TITLE, "title", NULL)));
  gst_element_send_event (self->pipeline, gst_event_new_eos ());
  scene_wait_for (self, GST_MESSAGE_EOS);
}

static void
reconfigure (Scene * self)
{
  GstPad *pad = gst_element_get_static_pad (self->sink, "sink");
  guint i;

  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < 20; i++) {
    gst_pad_push_event (pad, gst_event_new_reconfigure ());
    test_scenario_set (self->element, NULL, &self->random);
    scene_wait (self, 4);
  }
  gst_object_unref (pad);
}

static void
flush_at_random (Scene * self)
{
  guint i;

  scene_set_state (self, GST_STATE_PLAYING);
  for (i = 0; i < 40; i++) {
    g_usleep (test_random_below (&self->random, 3000));
    scene_seek (self, 1, GST_SEEK_FLAG_FLUSH, test_random_below (&self->random,
            1000), 100000);
  }
  scene_wait (self, 10);
}

static void
be_live (Scene * self)
{
  guint i;

  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_element_set_state (self->pipeline,
            GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
    scene_set_state (self, GST_STATE_PLAYING);
    scene_wait (self, 20);
    test_pad_checker_query (self->checker);
  }
}

static void
change_states (Scene * self)
{
  static const GstState states[] = {
    GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_NULL,
    GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PLAYING
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (states); i++) {
    scene_set_state (self, states[i]);
    if (states[i] <= GST_STATE_READY)
      test_pad_checker_restart (self->checker);
    else if (states[i] == GST_STATE_PLAYING)
      scene_wait (self, 10);
  }
}

static const struct
{
  const gchar *name;
  void (*run) (Scene * self);
  const gchar *source;
  gboolean sync;
} scenes[] = {
  {"play", play, "num-buffers=30", FALSE},
  {"pause and resume", pause_and_resume, "", FALSE},
  {"seek with flush", seek_with_flush, "", FALSE},
  {"seek without flush", seek_without_flush, "", TRUE},
  {"play segments", play_segments, "", FALSE},
  {"change the rate", change_rate, "", TRUE},
  {"change caps", change_caps, "", FALSE},
  {"leave gaps", leave_gaps, "num-buffers=60", FALSE},
  {"restart after EOS", restart_after_eos, "num-buffers=20", FALSE},
  {"end from outside", end_from_outside, "", FALSE},
  {"reconfigure", reconfigure, "", FALSE},
  {"flush at random", flush_at_random, "", FALSE},
  {"be live", be_live, "is-live=true", TRUE},
  {"change states", change_states, "", FALSE},
};

GST_START_TEST (test_pipelines)
{
  const guint64 n = test_env_tier ("TEST_CONFORMANCE_ROUNDS", 1, 100);
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  /* The driver double is slow: one property set per scene, in rotation. */
  const guint step = is_cuda () ? test_env_tier ("TEST_CONFORMANCE_STEP",
      G_N_ELEMENTS (elements), 1) : 1;
  guint64 watched = 0, n_pipelines = 0, i;
  guint k;

  for (i = 0; i < n; i++) {
    for (k = __i__ % step; k < G_N_ELEMENTS (elements); k += step) {
      Scene scene;

      scene_init (&scene, elements[k], scenes[__i__].source,
          scenes[__i__].sync, seed + i);
      scenes[__i__].run (&scene);
      watched += test_pad_checker_watched (scene.checker);
      n_pipelines++;
      scene_clear (&scene);
    }
  }
  test_figure (scenes[__i__].name, "%" G_GUINT64_FORMAT " pipelines, %"
      G_GUINT64_FORMAT " buffers and events", n_pipelines, watched);
}

GST_END_TEST;

TEST_SUITE (conformance, NULL, NULL)
{
  tcase_add_test (tc, test_faults);
  tcase_add_test (tc, test_random_streams);
  tcase_add_loop_test (tc, test_pipelines, 0, G_N_ELEMENTS (scenes));
}
