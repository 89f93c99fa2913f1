/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checker replaces the functions of the element's pads by its own, which
 * see the input of a pad and call the element's; probes see the output. An
 * output belongs to the input that the same thread is passing to the element at
 * that time. If downstream was flushing and did not store a sticky event,
 * GStreamer pushes that event again before the next output. */
#include "padchecker.h"

#include <gst/video/video.h>
#include <string.h>

static const gchar *const rule_names[TEST_N_RULES] = {
  "stream-start", "caps", "segment", "eos", "flush", "lost", "once", "seqnum",
  "times", "size", "flow", "upstream", "queries", "allocation"
};

/* What has passed a pad downstream. */
typedef struct
{
  const gchar *name;
  gboolean stream_started, has_segment, at_eos, flushing;
  GstCaps *caps;
} Side;

/* What a thread is passing to the element right now. */
typedef struct
{
  GThread *thread;
  GstEvent *event;              /* borrowed, or NULL */
  GstBuffer *frame;             /* only its times and flags, or NULL */
  guint n_out;                  /* outputs of the same kind */
  guint flushes;                /* flush events seen before */
} Input;

struct _TestPadChecker
{
  GstElement *element;
  GstPad *sink, *src;
  GstPadChainFunction chain;
  GstPadEventFunction sink_event, src_event;
  gulong src_probe, sink_probe;

  GMutex lock;
  Side in, out;
  GSList *inputs;               /* of Input, borrowed */
  GSList *sticky;               /* last event of each type that came out */
  guint flushes;                /* starts and stops */
  guint broken[TEST_N_RULES];
  gchar *problem;
  guint64 watched;
};

static GQuark
checker_quark (void)
{
  return g_quark_from_static_string ("test-pad-checker");
}

static TestPadChecker *
get_checker (GstPad * pad)
{
  return g_object_get_qdata (G_OBJECT (pad), checker_quark ());
}

static void complain (TestPadChecker * self, TestRule rule,
    const gchar * format, ...) G_GNUC_PRINTF (3, 4);

/* Call with the lock held. */
static void
complain (TestPadChecker * self, TestRule rule, const gchar * format, ...)
{
  va_list arguments;
  gchar *text;

  self->broken[rule]++;
  if (self->problem)
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self->problem = g_strdup_printf ("%s: %s: %s", GST_OBJECT_NAME
      (self->element), rule_names[rule], text);
  g_free (text);
}

/* The rules of one pad */

static void
check_flush (TestPadChecker * self, Side * side, gboolean starts)
{
  if (side->flushing == starts) {
    complain (self, TEST_RULE_FLUSH, "%s: a flush %s that %s", side->name,
        starts ? "starts" : "stops", starts ? "has started" : "has not");
  }
  side->flushing = starts;
  self->flushes++;
  if (!starts)
    side->has_segment = side->at_eos = FALSE;
}

static void
check_serialized (TestPadChecker * self, Side * side, GstEvent * event)
{
  const GstEventType type = GST_EVENT_TYPE (event);

  if (type == GST_EVENT_STREAM_START) {
    side->stream_started = TRUE;
    side->at_eos = FALSE;
    return;
  }
  if (!side->stream_started) {
    complain (self, TEST_RULE_STREAM_START, "%s: %s before it", side->name,
        GST_EVENT_TYPE_NAME (event));
  }
  if (side->at_eos) {
    complain (self, TEST_RULE_EOS, "%s: %s after it", side->name,
        GST_EVENT_TYPE_NAME (event));
  }
  if (type == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (event, &caps);
    gst_caps_replace (&side->caps, caps);
  } else if (type == GST_EVENT_SEGMENT) {
    if (!side->caps)
      complain (self, TEST_RULE_CAPS, "%s: a segment before them", side->name);
    side->has_segment = TRUE;
  } else if (type == GST_EVENT_EOS) {
    side->at_eos = TRUE;
  }
}

static void
check_event (TestPadChecker * self, Side * side, GstEvent * event)
{
  self->watched++;
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    check_flush (self, side, TRUE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    check_flush (self, side, FALSE);
  else if (GST_EVENT_IS_SERIALIZED (event))
    check_serialized (self, side, event);
}

/* Whether @buffer holds a whole frame of @info. */
static gboolean
holds_frame (GstBuffer * buffer, const GstVideoInfo * info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const gsize size = gst_buffer_get_size (buffer);
  guint i;

  if (!meta)
    return size >= info->size;
  if (meta->format != GST_VIDEO_INFO_FORMAT (info)
      || meta->width != (guint) info->width
      || meta->height != (guint) info->height
      || meta->n_planes != GST_VIDEO_INFO_N_PLANES (info))
    return FALSE;
  for (i = 0; i < meta->n_planes; i++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gsize rows;

    gst_video_format_info_component (info->finfo, i, component);
    rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info->finfo, component[0],
        info->height);
    /* The last row may lack its padding. */
    if (meta->offset[i] + (rows - 1) * meta->stride[i] >= size)
      return FALSE;
  }
  return TRUE;
}

static void
check_buffer (TestPadChecker * self, Side * side, GstBuffer * buffer)
{
  GstVideoInfo info;

  self->watched++;
  if (!side->stream_started) {
    complain (self, TEST_RULE_STREAM_START, "%s: a buffer before it",
        side->name);
  }
  if (!side->has_segment)
    complain (self, TEST_RULE_SEGMENT, "%s: a buffer before it", side->name);
  if (side->at_eos)
    complain (self, TEST_RULE_EOS, "%s: a buffer after it", side->name);
  if (!side->caps) {
    complain (self, TEST_RULE_CAPS, "%s: a buffer before them", side->name);
  } else if (!gst_video_info_from_caps (&info, side->caps)) {
    complain (self, TEST_RULE_CAPS, "%s: they are not of video", side->name);
  } else if (!holds_frame (buffer, &info)) {
    complain (self, TEST_RULE_SIZE, "%s: a buffer of %" G_GSIZE_FORMAT
        " bytes holds no frame of %dx%d", side->name, gst_buffer_get_size
        (buffer), info.width, info.height);
  }
}

/* Input */

static void
begin (TestPadChecker * self, Input * input)
{
  input->thread = g_thread_self ();
  input->flushes = self->flushes;
  self->inputs = g_slist_prepend (self->inputs, input);
}

static Input *
find_input (TestPadChecker * self)
{
  GSList *item;

  for (item = self->inputs; item; item = item->next) {
    Input *input = item->data;

    if (input->thread == g_thread_self ())
      return input;
  }
  return NULL;
}

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  TestPadChecker *self = get_checker (pad);
  Input input = { NULL, };
  GstFlowReturn result, downstream;

  /* Copied without its memories, to add no reference to them. */
  input.frame = gst_buffer_new ();
  gst_buffer_copy_into (input.frame, buffer, GST_BUFFER_COPY_FLAGS |
      GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  g_mutex_lock (&self->lock);
  check_buffer (self, &self->in, buffer);
  begin (self, &input);
  g_mutex_unlock (&self->lock);

  result = self->chain (pad, parent, buffer);
  downstream = gst_pad_get_last_flow_return (self->src);

  g_mutex_lock (&self->lock);
  self->inputs = g_slist_remove (self->inputs, &input);
  if (input.n_out == 0 && result == GST_FLOW_OK)
    complain (self, TEST_RULE_LOST, "a buffer");
  if (input.n_out > 1)
    complain (self, TEST_RULE_ONCE, "%u buffers of one", input.n_out);
  /* A flush, or a change to READY, changes what the pad returns. */
  if (input.n_out > 0 && result != downstream
      && input.flushes == self->flushes && !GST_PAD_IS_FLUSHING (self->src)) {
    complain (self, TEST_RULE_FLOW, "%s upstream, %s downstream",
        gst_flow_get_name (result), gst_flow_get_name (downstream));
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (input.frame);
  return result;
}

/* Whether an event may end in the element: unchanged caps may. */
static gboolean
may_end (TestPadChecker * self, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return FALSE;
  gst_event_parse_caps (event, &caps);
  return self->out.caps && gst_caps_is_equal (caps, self->out.caps);
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  TestPadChecker *self = get_checker (pad);
  Input input = { NULL, };
  gboolean result;

  input.event = gst_event_ref (event);
  g_mutex_lock (&self->lock);
  check_event (self, &self->in, event);
  begin (self, &input);
  g_mutex_unlock (&self->lock);

  result = self->sink_event (pad, parent, event);

  g_mutex_lock (&self->lock);
  self->inputs = g_slist_remove (self->inputs, &input);
  if (input.n_out == 0 && result && !may_end (self, input.event)) {
    complain (self, TEST_RULE_LOST, "the event %s", GST_EVENT_TYPE_NAME
        (input.event));
  }
  if (input.n_out > 1) {
    complain (self, TEST_RULE_ONCE, "%u events %s of one", input.n_out,
        GST_EVENT_TYPE_NAME (input.event));
  }
  g_mutex_unlock (&self->lock);
  gst_event_unref (input.event);
  return result;
}

static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  TestPadChecker *self = get_checker (pad);
  Input input = { NULL, };
  gboolean result;

  input.event = gst_event_ref (event);
  g_mutex_lock (&self->lock);
  self->watched++;
  begin (self, &input);
  g_mutex_unlock (&self->lock);

  result = self->src_event (pad, parent, event);

  g_mutex_lock (&self->lock);
  self->inputs = g_slist_remove (self->inputs, &input);
  if (input.n_out != 1) {
    complain (self, TEST_RULE_UPSTREAM, "%u events of one %s", input.n_out,
        GST_EVENT_TYPE_NAME (input.event));
  }
  g_mutex_unlock (&self->lock);
  gst_event_unref (input.event);
  return result;
}

/* Output */

/* Stores a sticky event that came out. Returns whether the last one of its
 * type was this same event: then GStreamer itself pushes it again, because
 * if an element pushes an event that its pad has stored already, nothing
 * comes out. */
static gboolean
comes_again (TestPadChecker * self, GstEvent * event)
{
  GSList *item;

  for (item = self->sticky; item; item = item->next) {
    GstEvent *last = item->data;

    if (GST_EVENT_TYPE (last) != GST_EVENT_TYPE (event))
      continue;
    if (last == event)
      return TRUE;
    gst_event_replace ((GstEvent **) & item->data, event);
    return FALSE;
  }
  self->sticky = g_slist_prepend (self->sticky, gst_event_ref (event));
  return FALSE;
}

static void
forget_sticky (TestPadChecker * self)
{
  g_slist_free_full (g_steal_pointer (&self->sticky),
      (GDestroyNotify) gst_event_unref);
}

static void
check_out_event (TestPadChecker * self, GstEvent * event)
{
  const GstCaps *before = self->out.caps;
  const GstEventType type = GST_EVENT_TYPE (event);
  Input *input = find_input (self);
  GstCaps *caps;

  if (GST_EVENT_IS_STICKY (event) && comes_again (self, event)) {
    /* GStreamer itself pushes it again. */
  } else if (type == GST_EVENT_CAPS) {
    /* New caps may be negotiated at any time, and have a sequence number of
     * their own. */
    gst_event_parse_caps (event, &caps);
    if (input && input->event && GST_EVENT_TYPE (input->event) == type) {
      input->n_out++;
    } else if (before && gst_caps_is_equal (before, caps)) {
      complain (self, TEST_RULE_ONCE, "the same caps without being given any");
    }
  } else if (!input || !input->event || GST_EVENT_TYPE (input->event) != type) {
    complain (self, TEST_RULE_ONCE, "the event %s without being given one",
        GST_EVENT_TYPE_NAME (event));
  } else {
    input->n_out++;
    if (gst_event_get_seqnum (event) != gst_event_get_seqnum (input->event)) {
      complain (self, TEST_RULE_SEQNUM, "%u of %s became %u",
          gst_event_get_seqnum (input->event), GST_EVENT_TYPE_NAME (event),
          gst_event_get_seqnum (event));
    }
  }
  check_event (self, &self->out, event);
}

static void
check_out_buffer (TestPadChecker * self, GstBuffer * buffer)
{
  Input *input = find_input (self);

  if (!input || !input->frame) {
    complain (self, TEST_RULE_ONCE, "a buffer without being given one");
  } else {
    const GstBuffer *frame = input->frame;

    input->n_out++;
    if (GST_BUFFER_PTS (frame) != GST_BUFFER_PTS (buffer)
        || GST_BUFFER_DTS (frame) != GST_BUFFER_DTS (buffer)
        || GST_BUFFER_DURATION (frame) != GST_BUFFER_DURATION (buffer)
        || GST_BUFFER_OFFSET (frame) != GST_BUFFER_OFFSET (buffer)
        || GST_BUFFER_OFFSET_END (frame) != GST_BUFFER_OFFSET_END (buffer)) {
      complain (self, TEST_RULE_TIMES, "%" GST_TIME_FORMAT " became %"
          GST_TIME_FORMAT, GST_TIME_ARGS (GST_BUFFER_PTS (frame)),
          GST_TIME_ARGS (GST_BUFFER_PTS (buffer)));
    }
    /* Each buffer has its own flag for the kind of its memory. */
    if ((GST_BUFFER_FLAGS (frame) ^ GST_BUFFER_FLAGS (buffer))
        & ~(guint) GST_BUFFER_FLAG_TAG_MEMORY
        & ~(guint) (GST_MINI_OBJECT_FLAG_LAST - 1)) {
      complain (self, TEST_RULE_TIMES, "flags 0x%x became 0x%x",
          GST_BUFFER_FLAGS (frame), GST_BUFFER_FLAGS (buffer));
    }
  }
  check_buffer (self, &self->out, buffer);
}

static GstPadProbeReturn
src_probe (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  TestPadChecker *self = data;

  g_mutex_lock (&self->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    check_out_buffer (self, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    check_out_event (self, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* An event on its way upstream. Any element may send RECONFIGURE. */
static GstPadProbeReturn
sink_probe (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  TestPadChecker *self = data;
  Input *input;

  g_mutex_lock (&self->lock);
  input = find_input (self);
  if (input && input->event && GST_EVENT_TYPE (input->event) ==
      GST_EVENT_TYPE (event)) {
    input->n_out++;
    if (gst_event_get_seqnum (event) != gst_event_get_seqnum (input->event)) {
      complain (self, TEST_RULE_SEQNUM, "%u of %s became %u, upstream",
          gst_event_get_seqnum (input->event), GST_EVENT_TYPE_NAME (event),
          gst_event_get_seqnum (event));
    }
  } else if (GST_EVENT_TYPE (event) != GST_EVENT_RECONFIGURE) {
    complain (self, TEST_RULE_UPSTREAM, "the event %s without being given one",
        GST_EVENT_TYPE_NAME (event));
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* Queries */

static gchar *
describe_query (GstQuery * query, gboolean ok)
{
  return ok ? gst_structure_to_string (gst_query_get_structure (query)) :
      g_strdup ("nothing");
}

/* Takes @query, and sends it to the element and to its upstream peer. */
static void
compare_answers (TestPadChecker * self, GstQuery * query)
{
  GstQuery *other = gst_query_copy (query);
  const gboolean ok = gst_pad_query (self->src, query);
  const gboolean other_ok = gst_pad_peer_query (self->sink, other);
  gchar *answer = describe_query (query, ok);
  gchar *upstream = describe_query (other, other_ok);

  if (g_strcmp0 (answer, upstream) != 0) {
    g_mutex_lock (&self->lock);
    complain (self, TEST_RULE_QUERIES, "%s, and upstream %s", answer, upstream);
    g_mutex_unlock (&self->lock);
  }
  g_free (answer);
  g_free (upstream);
  gst_query_unref (query);
  gst_query_unref (other);
}

static GstQuery *
ask_allocation (GstPad * pad, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);

  gst_pad_query (pad, query);
  return query;
}

/* The element's answer has all metas that downstream supports. */
static void
compare_allocation (TestPadChecker * self)
{
  GstPad *peer = gst_pad_get_peer (self->src);
  GstCaps *caps = gst_pad_get_current_caps (self->src);
  GstQuery *answer, *downstream;
  guint i;

  if (caps && peer) {
    answer = ask_allocation (self->sink, caps);
    downstream = ask_allocation (peer, caps);
    for (i = 0; i < gst_query_get_n_allocation_metas (downstream); i++) {
      const GType api = gst_query_parse_nth_allocation_meta (downstream, i,
          NULL);

      if (!gst_query_find_allocation_meta (answer, api, NULL)) {
        g_mutex_lock (&self->lock);
        complain (self, TEST_RULE_ALLOCATION, "without downstream's %s",
            g_type_name (api));
        g_mutex_unlock (&self->lock);
      }
    }
    gst_query_unref (answer);
    gst_query_unref (downstream);
  }
  gst_clear_caps (&caps);
  gst_clear_object (&peer);
}

void
test_pad_checker_query (TestPadChecker * self)
{
  compare_answers (self, gst_query_new_latency ());
  compare_answers (self, gst_query_new_duration (GST_FORMAT_TIME));
  compare_answers (self, gst_query_new_seeking (GST_FORMAT_TIME));
  /* The query is serialized, and would wait while no data flows. */
  if (GST_STATE (self->element) == GST_STATE_PLAYING)
    compare_allocation (self);
}

/* The checker */

TestPadChecker *
test_pad_checker_new (GstElement * element)
{
  TestPadChecker *self = g_new0 (TestPadChecker, 1);

  self->element = gst_object_ref (element);
  self->sink = gst_element_get_static_pad (element, "sink");
  self->src = gst_element_get_static_pad (element, "src");
  g_mutex_init (&self->lock);
  self->in.name = "in";
  self->out.name = "out";

  g_object_set_qdata (G_OBJECT (self->sink), checker_quark (), self);
  g_object_set_qdata (G_OBJECT (self->src), checker_quark (), self);
  self->chain = GST_PAD_CHAINFUNC (self->sink);
  self->sink_event = GST_PAD_EVENTFUNC (self->sink);
  self->src_event = GST_PAD_EVENTFUNC (self->src);
  gst_pad_set_chain_function (self->sink, chain);
  gst_pad_set_event_function (self->sink, sink_event);
  gst_pad_set_event_function (self->src, src_event);
  self->src_probe = gst_pad_add_probe (self->src, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      src_probe, self, NULL);
  self->sink_probe = gst_pad_add_probe (self->sink,
      GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, sink_probe, self, NULL);
  return self;
}

void
test_pad_checker_free (TestPadChecker * self)
{
  gst_pad_remove_probe (self->src, self->src_probe);
  gst_pad_remove_probe (self->sink, self->sink_probe);
  gst_pad_set_chain_function (self->sink, self->chain);
  gst_pad_set_event_function (self->sink, self->sink_event);
  gst_pad_set_event_function (self->src, self->src_event);
  forget_sticky (self);
  gst_clear_caps (&self->in.caps);
  gst_clear_caps (&self->out.caps);
  gst_object_unref (self->sink);
  gst_object_unref (self->src);
  gst_object_unref (self->element);
  g_mutex_clear (&self->lock);
  g_free (self->problem);
  g_free (self);
}

void
test_pad_checker_restart (TestPadChecker * self)
{
  g_mutex_lock (&self->lock);
  gst_clear_caps (&self->in.caps);
  gst_clear_caps (&self->out.caps);
  forget_sticky (self);
  self->in = (Side) {.name = "in" };
  self->out = (Side) {.name = "out" };
  g_mutex_unlock (&self->lock);
}

guint
test_pad_checker_broken (TestPadChecker * self, TestRule rule)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->broken[rule];
  g_mutex_unlock (&self->lock);
  return n;
}

const gchar *
test_pad_checker_problem (TestPadChecker * self)
{
  const gchar *problem;

  g_mutex_lock (&self->lock);
  problem = self->problem;
  g_mutex_unlock (&self->lock);
  return problem;
}

guint64
test_pad_checker_watched (TestPadChecker * self)
{
  guint64 watched;

  g_mutex_lock (&self->lock);
  watched = self->watched;
  g_mutex_unlock (&self->lock);
  return watched;
}
