/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-videohistogram
 * @title: videohistogram
 * @short_description: counts histograms of video frames
 *
 * Counts luma and RGB histograms of the frames that pass, and publishes them in
 * element messages named `videohistogram`, in a #GstVideoHistogramMeta on the
 * buffers, in the signal #GstVideoHistogramElement::histogram and in the
 * property #GstVideoHistogramElement:last-histogram. By default it posts one
 * message every 100 ms; with `interval=0` it posts one for every frame.
 *
 * The element does not touch the video: every buffer leaves with the memory,
 * times, flags and metas that it came with.
 *
 * docs/videohistogram.md lists the fields of the messages, and
 * docs/definitions.md defines every number.
 *
 * ## Statistics of luma of a test picture, without the counts
 * |[
 * gst-launch-1.0 -m videotestsrc ! videohistogram message-counts=false !
 *     fakesink
 * ]|
 *
 * ## Luma, red, green and blue of a camera, once a second
 * |[
 * gst-launch-1.0 -m v4l2src ! videohistogram channels=luma+red+green+blue
 *     interval=1000000000 ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "gstvideohistogramelement.h"
#include "propertyparse.h"
#include "propertytable.h"
#include "resultqueue.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

GST_DEBUG_CATEGORY_STATIC (video_histogram_element_debug);
#define GST_CAT_DEFAULT video_histogram_element_debug

enum
{
  SIGNAL_HISTOGRAM,
  LAST_SIGNAL
};

#define DEFAULT_JOINT_BINS 64

/* How long EOS and new caps wait while no result arrives. New caps wait less
 * for video that must not be held up. */
#define MAX_RESULT_WAIT (2 * GST_SECOND)
#define MAX_LIVE_RESULT_WAIT (300 * GST_MSECOND)

struct _GstVideoHistogramElement
{
  VhAnalyser parent;

  VhResultQueue *results;       /* on their way to the application */

  /* properties, protected by the object lock */
  GstVideoHistogramSpec spec;
  gchar *grid;                  /* as set */
  gchar *roi;                   /* as set */
  gchar *joint_with;            /* as set */
  gboolean post_messages;
  gboolean message_counts;
  gboolean message_bytes;
  gboolean message_statistics;
  GstVideoHistogramAttachMeta attach_meta;
  GstVideoHistogram *last_histogram;

  /* streaming thread */
  gchar *method_problem;        /* the last one reported, or NULL */
  gchar *other_problem;         /* why joint-with names no usable element, or
                                 * NULL; protected by the object lock */
  gchar *joint_problem;         /* the last one reported, or NULL */
};

static guint signals[LAST_SIGNAL];

G_DEFINE_TYPE (GstVideoHistogramElement, gst_video_histogram_element,
    VH_TYPE_ANALYSER);
GST_ELEMENT_REGISTER_DEFINE (videohistogram, "videohistogram", GST_RANK_NONE,
    GST_TYPE_VIDEO_HISTOGRAM_ELEMENT);

#define parent_class gst_video_histogram_element_parent_class
#define get_engine(self) (VH_ANALYSER (self)->engine)

/* Caps */

/* Returns the element called @name in the pipeline, or NULL. */
static GstElement *
find_element (GstVideoHistogramElement * self, const gchar * name)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self)), *parent;
  GstElement *found = NULL;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  return found;
}

/* Finds the element that joint-with names, and returns the settings to count
 * with. This element uses only the other element's engine, and reads only the
 * luma that this engine keeps of its frames. */
static GstVideoHistogramSpec
find_other (GstVideoHistogramElement * self)
{
  GstVideoHistogramEngine *engine = NULL;
  GstVideoHistogramSpec spec;
  GstElement *other = NULL;
  gchar *problem = NULL, *name;

  GST_OBJECT_LOCK (self);
  spec = self->spec;
  name = g_strdup (self->joint_with);
  GST_OBJECT_UNLOCK (self);

  if (spec.joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    if (*name)
      other = find_element (self, name);
    if (other && other != GST_ELEMENT (self))
      engine = gst_video_histogram_engine_find (other);
    if (!*name) {
      problem = g_strdup ("joint=other needs the name of another "
          "videohistogram in joint-with");
    } else if (!engine) {
      problem = g_strdup_printf ("joint-with=%s is not the name of another "
          "videohistogram in this pipeline", name);
    }
    GST_DEBUG_OBJECT (self, "joint-with=%s is %s", name,
        engine ? "found" : "not found");
  }
  g_free (name);
  gst_video_histogram_engine_set_joint_other (get_engine (self), engine);
  /* The streaming thread may call this at the same time: frames may come while
   * the element starts. */
  GST_OBJECT_LOCK (self);
  g_free (self->other_problem);
  self->other_problem = problem;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&engine);
  gst_clear_object (&other);
  return spec;
}

static gboolean
gst_video_histogram_element_configure (VhAnalyser * analyser, GstCaps * caps,
    GError ** error)
{
  const GstVideoHistogramSpec spec =
      find_other (GST_VIDEO_HISTOGRAM_ELEMENT (analyser));

  return gst_video_histogram_engine_configure (analyser->engine, caps, &spec,
      error);
}

/* Results */

/* Publishes a complete histogram to the application. */
static void
publish (GstVideoHistogramElement * self, GstVideoHistogram * histogram,
    gboolean due)
{
  GstVideoHistogramStructureFlags flags = 0;
  GstVideoHistogram *old;
  gboolean post;

  GST_OBJECT_LOCK (self);
  old = self->last_histogram;
  self->last_histogram = gst_video_histogram_ref (histogram);
  post = due && self->post_messages;
  if (self->message_counts)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS;
  if (self->message_bytes)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES;
  if (self->message_statistics)
    flags |= GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS;
  GST_OBJECT_UNLOCK (self);
  gst_clear_video_histogram (&old);

  g_signal_emit (self, signals[SIGNAL_HISTOGRAM], 0, histogram);
  if (post) {
    vh_base_transform_post (VH_BASE_TRANSFORM (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_video_histogram_to_structure (histogram, flags)));
  }
}

/* Takes a finished result: see VhResultFunc. The application may drop its last
 * reference to the element in a handler. */
static void
finish_result (gpointer element, GstVideoHistogram * histogram, gboolean due)
{
  GstVideoHistogramElement *self = gst_object_ref (element);

  GST_LOG_OBJECT (self, "result of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (gst_video_histogram_get_info (histogram)->timestamp));
  if (gst_video_histogram_get_state (histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE) {
    vh_analyser_count (element, &VH_ANALYSER (element)->processed);
    publish (self, histogram, due);
  } else {
    vh_analyser_count (element, &VH_ANALYSER (element)->skipped);
  }
  gst_object_unref (self);
}

/* Frames */

/* Takes @problem. If it is a new one, differing from the one reported last,
 * stores it in @reported and returns TRUE. */
static gboolean
is_news (gchar ** reported, gchar * problem)
{
  if (!problem || g_strcmp0 (problem, *reported) == 0) {
    g_free (problem);
    return FALSE;
  }
  g_free (*reported);
  *reported = problem;
  return TRUE;
}

/* Warns once if the requested method cannot count these frames. */
static void
watch_method (GstVideoHistogramElement * self)
{
  if (is_news (&self->method_problem,
          gst_video_histogram_engine_dup_method_problem
          (get_engine (self)))) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s Frames are counted with "
            "method=auto.", self->method_problem), (NULL));
  }
}

/* Warns once if the requested joint histograms are not counted. The base class
 * reports a device that fails. */
static void
watch_joint (GstVideoHistogramElement * self)
{
  gboolean missing;
  gchar *problem;

  GST_OBJECT_LOCK (self);
  problem = g_strdup (self->other_problem);
  GST_OBJECT_UNLOCK (self);
  missing = problem != NULL;
  if (!missing)
    problem = gst_video_histogram_engine_dup_joint_problem (get_engine (self));
  if (is_news (&self->joint_problem, problem)
      && (!VH_ANALYSER (self)->degraded || missing)) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("No joint histograms are counted: %s.", self->joint_problem), (NULL));
  }
}

static void
gst_video_histogram_element_analyse (VhAnalyser * analyser, GstBuffer * buffer,
    const VhFramePlan * plan, GError ** error)
{
  const GstSegment segment = GST_BASE_TRANSFORM (analyser)->segment;
  GstVideoHistogram *histogram;

  histogram = gst_video_histogram_engine_submit (analyser->engine, buffer,
      &segment, analyser->every_frame && gst_buffer_is_writable (buffer),
      error);
  if (histogram) {
    GST_LOG_OBJECT (analyser, "counting %" GST_PTR_FORMAT, buffer);
    vh_result_queue_push (GST_VIDEO_HISTOGRAM_ELEMENT (analyser)->results,
        histogram, plan->due);
  }
}

static void
gst_video_histogram_element_report (VhAnalyser * analyser, gboolean analysed)
{
  if (analysed) {
    watch_method (GST_VIDEO_HISTOGRAM_ELEMENT (analyser));
    watch_joint (GST_VIDEO_HISTOGRAM_ELEMENT (analyser));
  }
}

/* Whether downstream's ALLOCATION answer names the meta. */
static gboolean
downstream_wants_meta (GstVideoHistogramElement * self)
{
  GstQuery *query = gst_query_new_allocation
      (vh_base_transform_get_caps (VH_BASE_TRANSFORM (self)),
      FALSE);
  gboolean wants;

  wants = gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (self), query)
      && gst_query_find_allocation_meta (query,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);
  gst_query_unref (query);
  return wants;
}

/* A meta needs a writable buffer, and thus no passthrough: the base class then
 * makes a new GstBuffer around the same memories if something else holds the
 * incoming one. */
static void
gst_video_histogram_element_downstream_changed (VhBaseTransform *
    base)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (base);
  GstVideoHistogramAttachMeta attach_meta;
  gboolean wanted;

  GST_OBJECT_LOCK (self);
  attach_meta = self->attach_meta;
  GST_OBJECT_UNLOCK (self);

  wanted = attach_meta == GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS
      || (attach_meta == GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO
      && downstream_wants_meta (self));
  GST_DEBUG_OBJECT (self, "meta is %swanted", wanted ? "" : "not ");
  VH_ANALYSER (self)->every_frame = wanted;
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), !wanted);
}

/* Events */

static void
drain (GstVideoHistogramElement * self, GstClockTime max_wait)
{
  GST_DEBUG_OBJECT (self, "waiting for the results of all frames");
  vh_result_queue_drain (self->results, max_wait);
}

static gboolean
gst_video_histogram_element_sink_event (GstBaseTransform * trans,
    GstEvent * event)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      drain (self, VH_ANALYSER (self)->waits ? MAX_RESULT_WAIT :
          MAX_LIVE_RESULT_WAIT);
      break;
    case GST_EVENT_EOS:
      gst_video_histogram_engine_end_frames (get_engine (self), FALSE);
      drain (self, MAX_RESULT_WAIT);
      break;
    case GST_EVENT_FLUSH_START:
      vh_result_queue_begin_flush (self->results);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_video_histogram_engine_end_frames (get_engine (self), TRUE);
      vh_result_queue_end_flush (self->results, MAX_LIVE_RESULT_WAIT);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* States */

static gboolean
gst_video_histogram_element_start (GstBaseTransform * trans)
{
  /* Before frames come, so that the other element keeps the luma of its first
   * frames for this one. */
  find_other (GST_VIDEO_HISTOGRAM_ELEMENT (trans));
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
gst_video_histogram_element_stop (GstBaseTransform * trans)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (trans);

  vh_result_queue_stop (self->results, MAX_LIVE_RESULT_WAIT);
  gst_video_histogram_engine_end_frames (get_engine (self), TRUE);
  gst_video_histogram_engine_set_joint_other (get_engine (self), NULL);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

/* On the way to READY, makes the streaming thread stop waiting for results: if
 * the application stops the pipeline from a handler of a result, no more
 * results come. */
static GstStateChangeReturn
gst_video_histogram_element_change_state (GstElement * element,
    GstStateChange transition)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    vh_result_queue_set_ending (self->results, FALSE);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    vh_result_queue_set_ending (self->results, TRUE);
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* Properties */

/* Setting `other` again looks the other element up again: it may have come, or
 * have been replaced. */
static void
set_joint (gpointer object, const VhProperty * property, const GValue * value)
{
  if (!vh_property_store (object, property, value)
      || g_value_get_enum (value) != GST_VIDEO_HISTOGRAM_JOINT_OTHER)
    return;
  GST_OBJECT_LOCK (object);
  vh_analyser_note_settings (object);
  GST_OBJECT_UNLOCK (object);
}

/* Naming another element requests joint histograms with its stream. */
static void
note_joint_with (gpointer object)
{
  GstVideoHistogramElement *self = object;

  if (*self->joint_with)
    self->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_OTHER;
  else if (self->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
    self->spec.joint = GST_VIDEO_HISTOGRAM_JOINT_NONE;
  vh_analyser_note_settings (object);
}

static void
set_joint_with (gpointer object, const VhProperty * property,
    const GValue * value)
{
  vh_property_store (object, property, value);
  g_object_notify (object, "joint");
}

static void
note_attach_meta (gpointer object)
{
  vh_base_transform_check_downstream (VH_BASE_TRANSFORM (object));
}

static void
set_defaults (gpointer object)
{
  GstVideoHistogramElement *self = object;

  gst_video_histogram_spec_init (&self->spec);
  self->spec.joint_bins = DEFAULT_JOINT_BINS;
}

#define FIELD(field) VH_FIELD (GstVideoHistogramElement, field)
#define SETTING(field) FIELD (spec.field), .changed = vh_analyser_note_settings
#define TEXT(field) FIELD (field), .changed = vh_analyser_note_settings, \
    .parsed = G_STRUCT_OFFSET (GstVideoHistogramElement, spec)

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  {"channels", "Channels",
      "What to count, joined by +, such as luma+red: luma, red, green, blue, "
      "gradient (how much the luma of neighbouring pixels differs)",
      G_TYPE_FLAGS, gst_video_histogram_channels_get_type, SETTING (channels),
      .allowed = "at least one of luma, red, green, blue, gradient, for "
      "example luma+red"},
  {"bins", "Bins",
      "Bins of each channel (0 = by the depth of the video: 256 for 8 bits, "
      "1024 for up to 10 bits, 4096 above)",
      G_TYPE_UINT, SETTING (bins), .maximum = GST_VIDEO_HISTOGRAM_MAX_BINS},
  /**
   * GstVideoHistogramElement:grid:
   *
   * Cells that are counted separately, as COLUMNSxROWS, each from 1 to 64. The
   * grid divides the region of #GstVideoHistogramElement:roi.
   *
   * Since: 0.1
   */
  {"grid", "Grid",
      "Cells of roi to count separately, as COLUMNSxROWS, up to 64x64 (1x1 = "
      "off: count it as a whole)",
      G_TYPE_STRING, TEXT (grid), .text = "1x1", .parse = vh_parse_grid,
      .allowed = VH_GRID_ALLOWED},
  /**
   * GstVideoHistogramElement:roi:
   *
   * Region to count, X,Y,WIDTH,HEIGHT in pixels of the picture; parts outside
   * the picture are ignored. Empty for the whole picture.
   *
   * Since: 0.1
   */
  {"roi", "Region of interest",
      "Region to count, as X,Y,WIDTH,HEIGHT in pixels, such as 0,0,640,360 "
      "(empty = the whole picture)",
      G_TYPE_STRING, TEXT (roi), .text = "", .parse = vh_parse_roi,
      .allowed = VH_ROI_ALLOWED},
  /**
   * GstVideoHistogramElement:method:
   *
   * How a GPU counts; the CPU ignores it. Use `auto`: it picks the fastest
   * method, and all methods give the same counts. The others are for study and
   * comparison. `tagged-warps` and `thread-tables` also count joint histograms.
   * With all other methods, joint histograms use a method of their own.
   *
   * Since: 0.1
   */
  {"method", "Method",
      "How a GPU counts. Use auto, the fastest; the other methods give the "
      "same counts and are for study and comparison (docs/algorithms.md). "
      "The CPU ignores this",
      G_TYPE_ENUM, gst_video_histogram_method_get_type, SETTING (method)},
  /**
   * GstVideoHistogramElement:joint:
   *
   * The joint histogram to count as well. It measures how much one value says
   * about the other: messages carry mutual information and the correlation
   * ratio, and gst_video_histogram_get_joint() returns the counts.
   *
   * Since: 0.1
   */
  {"joint", "Joint histogram",
      "Also count pairs of values: none (off), chroma (U and V of each "
      "pixel), previous (luma of this frame and the previous one: how alike "
      "they are), other (luma of this frame and the frame of joint-with that "
      "has the same running time)",
      G_TYPE_ENUM, gst_video_histogram_joint_get_type, SETTING (joint),
      .set = set_joint},
  {"joint-bins", "Joint bins",
      "Bins on each axis of the joint histogram",
      G_TYPE_UINT, SETTING (joint_bins), .minimum = 1,
      .maximum = GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS},
  /**
   * GstVideoHistogramElement:joint-with:
   *
   * Name of another videohistogram in the pipeline. The joint histogram pairs
   * the luma of each frame with the luma of the frame with the same running
   * time that the other element analysed. Setting a name sets
   * #GstVideoHistogramElement:joint to `other`.
   *
   * Since: 0.1
   */
  {"joint-with", "Joint with",
      "Name of another videohistogram in this pipeline: each frame is "
      "compared with the frame that has the same running time there; sets "
      "joint=other (empty = off)",
      G_TYPE_STRING, FIELD (joint_with), .text = "", .set = set_joint_with,
      .changed = note_joint_with},
  {"post-messages", "Post messages",
      "Post an element message named videohistogram on the bus, at most once "
      "per interval",
      G_TYPE_BOOLEAN, FIELD (post_messages), .value = TRUE},
  /**
   * GstVideoHistogramElement:interval:
   *
   * Minimum time between two messages, in ns of running time: 0, or at least
   * %GST_VIDEO_HISTOGRAM_MIN_TIME. Frames in between are analysed only if a
   * meta is wanted, and cost nothing otherwise.
   *
   * Since: 0.1
   */
  {"interval", "Interval",
      "Minimum time between two messages, in ns: 1000000 (1 ms) or more (0 = "
      "a message for every frame)",
      G_TYPE_UINT64, VH_FIELD (VhAnalyser, interval),
      .value = 100 * GST_MSECOND},
  {"message-counts", "Message counts",
      "Include the counts in messages; without them messages are small and "
      "have only statistics",
      G_TYPE_BOOLEAN, FIELD (message_counts), .value = TRUE},
  /**
   * GstVideoHistogramElement:message-bytes:
   *
   * Whether messages carry the counts as #GBytes of 32-bit little-endian
   * numbers, which is many times faster than arrays.
   *
   * Since: 0.2
   */
  {"message-bytes", "Message bytes",
      "Store the counts in messages as bytes (GBytes of 32-bit little-endian "
      "numbers) instead of arrays, which is faster",
      G_TYPE_BOOLEAN, FIELD (message_bytes)},
  {"message-statistics", "Message statistics",
      "Include statistics in messages: mean, percentiles, entropy and more",
      G_TYPE_BOOLEAN, FIELD (message_statistics), .value = TRUE},
  {"attach-meta", "Attach meta",
      "Analyse every frame and attach a GstVideoHistogramMeta to it: auto "
      "(if downstream asks for it in the ALLOCATION query, which "
      "videoequalize does), always, never",
      G_TYPE_ENUM, gst_video_histogram_attach_meta_get_type,
      FIELD (attach_meta), .value = GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO,
      .changed = note_attach_meta},
  {"last-histogram", "Last histogram",
      "The last complete histogram (null = none yet)",
      G_TYPE_BOXED, gst_video_histogram_get_type, FIELD (last_histogram),
      .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table =
VH_PROPERTY_TABLE (properties, set_defaults);

static void
gst_video_histogram_element_finalize (GObject * object)
{
  GstVideoHistogramElement *self = GST_VIDEO_HISTOGRAM_ELEMENT (object);

  vh_result_queue_free (self->results);
  gst_clear_video_histogram (&self->last_histogram);
  vh_property_table_clear (&property_table, self);
  g_free (self->method_problem);
  g_free (self->other_problem);
  g_free (self->joint_problem);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_video_histogram_element_init (GstVideoHistogramElement * self)
{
  self->results = vh_result_queue_new (finish_result, self);
  vh_property_table_init (&property_table, self);
}

static void
gst_video_histogram_element_class_init (GstVideoHistogramElementClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhAnalyserClass *analyser_class = VH_ANALYSER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (video_histogram_element_debug, "videohistogram", 0,
      "videohistogram element");

  object_class->finalize = gst_video_histogram_element_finalize;
  vh_property_table_install (&property_table, klass);

  /**
   * GstVideoHistogramElement::histogram:
   * @element: the element
   * @histogram: a complete #GstVideoHistogram
   *
   * Emitted for each complete histogram, from a streaming thread.
   *
   * Since: 0.1
   */
  signals[SIGNAL_HISTOGRAM] = g_signal_new ("histogram",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 1, GST_TYPE_VIDEO_HISTOGRAM);

  gst_element_class_set_static_metadata (element_class, "Video histogram",
      "Filter/Analyzer/Video",
      "Counts luma and RGB histograms of video frames, on the GPU or the CPU",
      "The gst-videohistogram developers");

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_change_state);

  trans_class->sink_event =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_sink_event);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_video_histogram_element_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_video_histogram_element_stop);
  VH_BASE_TRANSFORM_CLASS (klass)->downstream_changed =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_downstream_changed);

  analyser_class->category = video_histogram_element_debug;
  analyser_class->configure =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_configure);
  analyser_class->analyse =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_analyse);
  analyser_class->report =
      GST_DEBUG_FUNCPTR (gst_video_histogram_element_report);
}
