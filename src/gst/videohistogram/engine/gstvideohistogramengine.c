/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoHistogramEngine:
 *
 * Counts frames on the CPU or a GPU.
 *
 * An engine counts frames as the element `videohistogram` does. Use it in
 * programs that have frames but no pipeline, or that count from a pad probe:
 *
 * |[<!-- language="C" -->
 * engine = gst_video_histogram_engine_new ();
 * gst_video_histogram_spec_init (&spec);
 * if (!gst_video_histogram_engine_open (engine,
 *         GST_VIDEO_HISTOGRAM_BACKEND_AUTO, -1, NULL, &error)
 *     || !gst_video_histogram_engine_configure (engine, caps, &spec, &error))
 *   ...
 * histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
 *     &error);
 * ]|
 *
 * An engine is used by one thread at a time, except for the functions whose
 * description says that they may be called from any thread. The histograms it
 * makes may be used in any thread and may outlive it.
 *
 * Since: 0.1
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gst/videohistogram/gstvideohistogramengine.h"
#include "gst/videohistogram/gstvideohistogrammeta.h"
#include "enginechoice.h"
#include "counting.h"
#include "enginedifference.h"
#include "enginejoint.h"
#include "enginemeter.h"
#include "enginespec.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "gstvideohistogramengine-private.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/segment.h"
#include "devices/devices.h"

/* A frame is counted, compared and measured once each, and has the joint
 * histograms of an operation. */
G_STATIC_ASSERT (3 + VH_OPERATION_MAX_RESULTS <= VH_FRAME_MAX_RESULTS);

/* What to count in each frame for one histogram. */
typedef struct
{
  GstVideoHistogramSpec spec;
  VhCounting counting[VH_N_DEVICES];
  VhJointStream *joint;
} Part;

/* What a part does with one frame. */
typedef struct
{
  GstVideoHistogramInfo info;
  VhRect region;
  VhEngineResult held;          /* found in metas */
  GstVideoHistogram *histogram; /* to count, or NULL */
  VhJoint work;
  gboolean has_work;            /* a joint histogram, or luma to keep */
  gboolean joined;              /* @work was submitted */
} Job;

struct _GstVideoHistogramEngine
{
  GObject parent;

  gboolean open;
  VhDevices *devices;
  VhChoice choice;
  GstElement *element;          /* it was opened for, or NULL */
  gint overload;                /* GstVideoHistogramOverload, atomic */

  gboolean configured;
  VhLayout layout;
  GstCaps *caps;                /* of layout, or NULL */
  guint n_parts;
  guint n_counted;              /* how many parts, from the first, are counted;
                                 * the others are only taken from metas */
  Part parts[VH_ENGINE_MAX_PARTS];
  VhDifferenceStream difference;
  VhFrameDifference compared;   /* of the last frame, until it is taken */
  VhMeterStream meter;
  VhFrameZones zones;           /* of the last frame, until they are taken */
};

G_DEFINE_TYPE (GstVideoHistogramEngine, gst_video_histogram_engine,
    G_TYPE_OBJECT);

static void
gst_video_histogram_engine_finalize (GObject * object)
{
  GstVideoHistogramEngine *engine = GST_VIDEO_HISTOGRAM_ENGINE (object);
  guint i;

  gst_video_histogram_engine_close (engine);
  gst_video_histogram_engine_set_joint_other (engine, NULL);
  for (i = 0; i < VH_ENGINE_MAX_PARTS; i++)
    vh_joint_stream_unref (engine->parts[i].joint);
  vh_devices_free (engine->devices);
  vh_choice_clear (&engine->choice);
  G_OBJECT_CLASS (gst_video_histogram_engine_parent_class)->finalize (object);
}

static void
gst_video_histogram_engine_class_init (GstVideoHistogramEngineClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_histogram_engine_finalize;
}

static void
gst_video_histogram_engine_init (GstVideoHistogramEngine * engine)
{
  guint i;

  engine->devices = vh_devices_new ();
  for (i = 0; i < VH_ENGINE_MAX_PARTS; i++)
    engine->parts[i].joint = vh_joint_stream_new ();
  vh_choice_init (&engine->choice);
}

/**
 * gst_video_histogram_engine_new:
 *
 * Creates an engine. Open and configure it before you submit frames: see
 * gst_video_histogram_engine_open() and
 * gst_video_histogram_engine_configure(). May be called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoHistogramEngine, closed
 *
 * Since: 0.1
 */
GstVideoHistogramEngine *
gst_video_histogram_engine_new (void)
{
  vh_return_val_unless_initialized (NULL, NULL);

  return g_object_new (GST_TYPE_VIDEO_HISTOGRAM_ENGINE, NULL);
}

/* The engines that are open for elements: each element has a GWeakRef as
 * qdata. */
static GMutex found_lock;
static G_DEFINE_QUARK (gst-video-histogram-engine-of-element, engine_of);

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
attach_to_element (GstVideoHistogramEngine * engine, GstElement * element)
{
  GWeakRef *weak;

  engine->element = element;
  if (!element)
    return;
  weak = g_new0 (GWeakRef, 1);
  g_weak_ref_init (weak, engine);
  g_mutex_lock (&found_lock);
  g_object_set_qdata_full (G_OBJECT (element), engine_of_quark (), weak,
      free_weak_ref);
  g_mutex_unlock (&found_lock);
}

/* Does nothing if another engine was opened since. */
static void
detach_from_element (GstVideoHistogramEngine * engine)
{
  GWeakRef *weak;
  GObject *attached = NULL;

  if (!engine->element)
    return;
  g_mutex_lock (&found_lock);
  weak = g_object_get_qdata (G_OBJECT (engine->element), engine_of_quark ());
  if (weak)
    attached = g_weak_ref_get (weak);
  /* An engine that is being finalized cannot be referenced any more. */
  if (!attached || attached == G_OBJECT (engine))
    g_object_set_qdata (G_OBJECT (engine->element), engine_of_quark (), NULL);
  g_mutex_unlock (&found_lock);
  g_clear_object (&attached);
  engine->element = NULL;
}

/**
 * gst_video_histogram_engine_find:
 * @element: an element, such as a `videohistogram`
 *
 * Finds the open engine of an element. Pass it to
 * gst_video_histogram_engine_set_joint_other() to count against the stream of
 * the element. May be called from any thread.
 *
 * Returns: (transfer full) (nullable): the engine that was opened last for
 *     @element, or %NULL if none is open
 *
 * Since: 0.2
 */
GstVideoHistogramEngine *
gst_video_histogram_engine_find (GstElement * element)
{
  GstVideoHistogramEngine *engine = NULL;
  GWeakRef *weak;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_ELEMENT (element), NULL);

  g_mutex_lock (&found_lock);
  weak = g_object_get_qdata (G_OBJECT (element), engine_of_quark ());
  if (weak)
    engine = g_weak_ref_get (weak);
  g_mutex_unlock (&found_lock);
  return engine;
}

/**
 * gst_video_histogram_engine_open:
 * @engine: a #GstVideoHistogramEngine
 * @backend: where to count
 * @cuda_device_id: the CUDA device to count on, or -1 for any
 * @element: (nullable): the element that the frames are counted for, to share
 *     the CUDA context of its neighbours; it must live until @engine is closed
 * @error: return location for a #GError, or %NULL
 *
 * Chooses where to count frames and opens the device. If the engine is already
 * open, it is closed first.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_BACKEND if @backend cannot be used on
 * this machine or with this build, and %GST_VIDEO_HISTOGRAM_ERROR_SPEC if
 * @backend is not a #GstVideoHistogramBackend or @cuda_device_id is below -1.
 * %GST_VIDEO_HISTOGRAM_BACKEND_AUTO and %GST_VIDEO_HISTOGRAM_BACKEND_CPU can
 * always be used. After an error the engine is closed.
 *
 * Returns: %TRUE if the engine is open, %FALSE with @error set otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_engine_open (GstVideoHistogramEngine * engine,
    GstVideoHistogramBackend backend, gint cuda_device_id, GstElement * element,
    GError ** error)
{
  const VhDeviceConfig config = {
    .cuda_device_id = cuda_device_id,
    .element = element,
  };
  VhDevice *gpu = NULL;
  GError *gpu_error = NULL;
  guint i;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (element == NULL || GST_IS_ELEMENT (element), FALSE);

  gst_video_histogram_engine_close (engine);
  if (!vh_check_choice ("backend", GST_TYPE_VIDEO_HISTOGRAM_BACKEND, backend,
          error) || !vh_check_device_id (cuda_device_id, error))
    return FALSE;
  engine->choice.element = element;
  vh_devices_open (engine->devices, &config);
  if (backend != GST_VIDEO_HISTOGRAM_BACKEND_CPU)
    gpu = vh_devices_get (engine->devices, VH_ON_GPU, &gpu_error);
  if (!gpu && backend == GST_VIDEO_HISTOGRAM_BACKEND_CUDA) {
    vh_devices_close (engine->devices);
    vh_choice_set_active (&engine->choice, NULL, gpu_error->message, FALSE);
    g_propagate_error (error, gpu_error);
    return FALSE;
  }

  engine->open = TRUE;
  for (i = 0; i < VH_ENGINE_MAX_PARTS; i++) {
    vh_counting_open (&engine->parts[i].counting[VH_ON_CPU],
        vh_devices_get (engine->devices, VH_ON_CPU, NULL), element);
    vh_counting_open (&engine->parts[i].counting[VH_ON_GPU], gpu, element);
  }
  engine->choice.wanted = backend;
  engine->choice.has_gpu = gpu != NULL;
  vh_choice_set_active (&engine->choice,
      vh_where_name (gpu ? VH_ON_GPU : VH_ON_CPU),
      gpu_error ? gpu_error->message : "", FALSE);
  g_clear_error (&gpu_error);
  attach_to_element (engine, element);
  return TRUE;
}

/**
 * gst_video_histogram_engine_close:
 * @engine: a #GstVideoHistogramEngine
 *
 * Releases the resources of the engine. Pending histograms become complete or
 * failed. Takes less than a second, even if a device hangs.
 *
 * Since: 0.1
 */
void
gst_video_histogram_engine_close (GstVideoHistogramEngine * engine)
{
  guint i, d;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  detach_from_element (engine);
  for (i = 0; i < VH_ENGINE_MAX_PARTS; i++) {
    for (d = 0; d < VH_N_DEVICES; d++)
      vh_counting_close (&engine->parts[i].counting[d]);
    vh_joint_stream_drop (engine->parts[i].joint);
  }
  vh_frame_difference_clear (&engine->compared);
  vh_difference_stream_close (&engine->difference);
  vh_frame_zones_clear (&engine->zones);
  vh_meter_stream_close (&engine->meter);
  vh_devices_close (engine->devices);
  engine->open = FALSE;
  engine->configured = FALSE;
  gst_caps_replace (&engine->caps, NULL);
  vh_choice_set_active (&engine->choice, NULL, NULL, FALSE);
  engine->choice.element = NULL;
}

/**
 * gst_video_histogram_engine_set_overload:
 * @engine: a #GstVideoHistogramEngine
 * @overload: what to do with a frame when the device has no room for it
 *
 * Sets what gst_video_histogram_engine_submit() does when the device has too
 * many frames in flight: fail with %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, which
 * is the default, or wait for room. It never waits for a device that hangs.
 * Takes effect with the next frame. May be called from any thread.
 *
 * Since: 0.2
 */
void
gst_video_histogram_engine_set_overload (GstVideoHistogramEngine * engine,
    GstVideoHistogramOverload overload)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail ((guint) overload <= GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT);

  g_atomic_int_set (&engine->overload, overload);
}

static gboolean
waits (GstVideoHistogramEngine * engine)
{
  return g_atomic_int_get (&engine->overload) ==
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT;
}

/* Reads @caps if they have changed. */
static gboolean
read_caps (GstVideoHistogramEngine * engine, GstCaps * caps,
    gboolean * same_layout, GError ** error)
{
  *same_layout = engine->caps && gst_caps_is_equal (engine->caps, caps);
  if (*same_layout)
    return TRUE;

  gst_caps_replace (&engine->caps, NULL);
  if (!vh_layout_from_caps (&engine->layout, caps, error))
    return FALSE;
  gst_caps_replace (&engine->caps, caps);
  return TRUE;
}

/* The planes of the next frame that are needed. */
static guint
needed_planes (GstVideoHistogramEngine * engine)
{
  guint planes = vh_difference_stream_planes (&engine->difference) |
      vh_meter_stream_planes (&engine->meter), i;

  for (i = 0; i < engine->n_counted; i++) {
    planes |= vh_channels_planes (&engine->layout,
        engine->parts[i].spec.channels) |
        vh_joint_stream_planes (engine->parts[i].joint);
  }
  return planes;
}

/* The planes of the next frame that are counted. */
static guint
counted_planes (GstVideoHistogramEngine * engine)
{
  guint planes = vh_difference_stream_planes (&engine->difference) |
      vh_meter_stream_planes (&engine->meter), i;

  for (i = 0; i < engine->n_counted; i++) {
    const Part *part = &engine->parts[i];

    planes |= vh_channels_planes (&engine->layout, part->spec.channels) |
        vh_joint_stream_kind_planes (part->joint, part->spec.joint);
  }
  return planes;
}

/* Makes the device at @where and all its counters ready. */
static gboolean
ensure_parts (GstVideoHistogramEngine * engine, VhWhere where,
    guint upload_planes, GError ** error)
{
  guint i;

  for (i = 0; i < engine->n_counted; i++) {
    if (!vh_counting_ensure (&engine->parts[i].counting[where], upload_planes,
            error))
      return FALSE;
  }
  vh_difference_stream_prepare (&engine->difference, where,
      engine->parts[0].counting[where].device);
  vh_meter_stream_prepare (&engine->meter, where,
      engine->parts[0].counting[where].device);
  return TRUE;
}

/* Notes that the device at @where failed: see vh_counting_note_failure(). */
static void
note_failure (GstVideoHistogramEngine * engine, VhWhere where,
    const GError * error)
{
  guint i;

  for (i = 0; i < engine->n_counted; i++)
    vh_counting_note_failure (&engine->parts[i].counting[where], error);
  if (g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE)) {
    vh_difference_stream_note_failure (&engine->difference, where);
    vh_meter_stream_note_failure (&engine->meter, where);
  }
}

/* Prepares the device that will count frames of @caps. FALSE only if the CPU
 * cannot count. */
static gboolean
prepare (GstVideoHistogramEngine * engine, GstCaps * caps, GError ** error)
{
  VhChoice *choice = &engine->choice;
  const guint planes = needed_planes (engine);
  VhWhere where;
  GError *gpu_error = NULL;
  guint i;

  if (!ensure_parts (engine, VH_ON_CPU, 0, error))
    return FALSE;
  vh_choice_make (choice, caps, &engine->layout, counted_planes (engine));
  where = vh_choice_for (choice, choice->caps);
  if (where == VH_ON_GPU) {
    if (ensure_parts (engine, VH_ON_GPU,
            vh_choice_upload_planes (choice, choice->caps, planes),
            &gpu_error)) {
      vh_choice_set_active (choice, vh_where_name (VH_ON_GPU), "", FALSE);
    } else {
      vh_choice_set_active (choice, choice->caps == VH_ON_GPU ? "none" :
          vh_where_name (VH_ON_CPU), gpu_error->message, TRUE);
      g_clear_error (&gpu_error);
      where = VH_ON_CPU;
    }
  }
  for (i = 0; i < engine->n_counted; i++) {
    vh_joint_stream_prepare (engine->parts[i].joint,
        &engine->parts[i].counting[where]);
  }
  return TRUE;
}

/* Sets one part to count @spec. */
static gboolean
set_part (GstVideoHistogramEngine * engine, Part * part,
    const GstVideoHistogramSpec * spec, gboolean same_layout, GError ** error)
{
  GstVideoHistogramInfo info;
  VhRect picture = { 0, };
  VhCountSpec counted;
  guint i;

  part->spec = *spec;
  if (!vh_spec_complete (&part->spec, &engine->layout, error))
    return FALSE;

  picture.width = GST_VIDEO_INFO_WIDTH (&engine->layout.info);
  picture.height = GST_VIDEO_INFO_FIELD_HEIGHT (&engine->layout.info);
  if (!vh_spec_describe (&part->spec, &engine->layout, &picture, &info)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The region %u,%u,%u,%u lies "
        "outside the picture of %ux%u pixels", spec->region_x, spec->region_y,
        spec->region_width, spec->region_height, picture.width, picture.height);
    return FALSE;
  }

  counted = vh_spec_counted (&part->spec);
  for (i = 0; i < VH_N_DEVICES; i++) {
    vh_counting_set (&part->counting[i], &engine->layout, same_layout,
        &counted, part->spec.joint_bins);
  }
  vh_joint_stream_set (part->joint, &engine->layout, part->spec.joint,
      part->spec.joint_bins, (gsize) info.region_width * info.region_height);
  return TRUE;
}

gboolean
vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const VhEngineWork * work, GError ** error)
{
  gboolean same_layout;
  guint i;

  if (!engine->open) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine is closed: "
        "gst_video_histogram_engine_open() must succeed before it is "
        "configured");
    return FALSE;
  }
  engine->configured = FALSE;
  if (!read_caps (engine, caps, &same_layout, error))
    return FALSE;
  /* Releases the memory of parts that are no longer counted: it was allocated
   * for the previous layout. */
  for (i = work->n_counted; i < engine->n_counted; i++)
    vh_joint_stream_drop (engine->parts[i].joint);
  for (i = 0; i < work->n; i++) {
    if (!set_part (engine, &engine->parts[i], &work->specs[i],
            same_layout && i < engine->n_parts, error)) {
      /* Some parts are still set to the previous layout: without caps, the next
       * call sets all of them. */
      if (!same_layout)
        gst_caps_replace (&engine->caps, NULL);
      return FALSE;
    }
  }
  engine->n_parts = work->n;
  engine->n_counted = work->n_counted;
  vh_difference_stream_set (&engine->difference, &engine->layout, same_layout,
      work->compares);
  vh_meter_stream_set (&engine->meter, &engine->layout, same_layout,
      work->n > work->n_counted ? engine->parts[0].spec.bins : 0);
  engine->configured = prepare (engine, caps, error);
  return engine->configured;
}

/**
 * gst_video_histogram_engine_configure:
 * @engine: an open #GstVideoHistogramEngine
 * @caps: fixed caps of raw video, in a format of
 *     gst_video_histogram_engine_get_caps()
 * @spec: what to count
 * @error: return location for a #GError, or %NULL
 *
 * Prepares for frames with @caps. Call it again at any time for other caps or
 * another spec: only what has changed is prepared again, and a change of the
 * region costs nothing.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FORMAT and
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC. After an error the engine counts nothing
 * until it is configured again.
 *
 * Returns: %TRUE if the engine is ready for frames, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_engine_configure (GstVideoHistogramEngine * engine,
    GstCaps * caps, const GstVideoHistogramSpec * spec, GError ** error)
{
  VhEngineWork work = {.n_counted = 1,.n = 1 };

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);
  g_return_val_if_fail (spec != NULL, FALSE);

  work.specs[0] = *spec;
  return vh_engine_configure (engine, caps, &work, error);
}

static void
set_times (GstVideoHistogramInfo * info, GstBuffer * buffer,
    const GstSegment * segment)
{
  info->timestamp = GST_BUFFER_PTS (buffer);
  info->duration = GST_BUFFER_DURATION (buffer);
  if (segment && segment->format == GST_FORMAT_TIME
      && GST_BUFFER_PTS_IS_VALID (buffer)) {
    info->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        info->timestamp);
    info->running_time = vh_segment_running_time (segment, info->timestamp);
  }
}

/* Counts the joint histogram of @work with the frame. If that fails, the frame
 * is counted without it. */
static gboolean
submit_joint (VhCounting * counting, VhFrame * frame, const VhRect * region,
    VhJoint * work)
{
  GError *error = NULL;

  if (counting->joint->klass->submit (counting->joint, frame, region, work,
          &error))
    return TRUE;
  GST_DEBUG_OBJECT (counting->element, "no joint histogram of this frame: %s",
      error->message);
  if (work->counts)
    vh_counts_fail (work->counts);
  vh_counting_note_failure (counting, error);
  g_error_free (error);
  return FALSE;
}

/* Compares the frame with the kept frame. If that fails, the frame is counted
 * without the difference. */
static void
submit_difference (GstVideoHistogramEngine * engine, VhWhere where,
    VhFrame * frame)
{
  GError *error = NULL;

  vh_frame_difference_clear (&engine->compared);
  if (vh_difference_stream_submit (&engine->difference, where, frame,
          &engine->compared, &error))
    return;
  GST_DEBUG_OBJECT (engine->element, "this frame is not compared: %s",
      error->message);
  note_failure (engine, where, error);
  g_error_free (error);
}

/* Whether @held has everything that @part needs. */
static gboolean
has_all (const Part * part, const VhEngineResult * held)
{
  return held->histogram && (held->joint
      || part->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_NONE);
}

/* Measures luma, unless metas already have the results. */
static void
submit_meter (GstVideoHistogramEngine * engine, VhWhere where, VhFrame * frame,
    const Job * jobs)
{
  GError *error = NULL;
  guint i = engine->n_counted;

  vh_frame_zones_clear (&engine->zones);
  while (i < engine->n_parts && has_all (&engine->parts[i], &jobs[i].held))
    i++;
  if (i == engine->n_parts) {
    vh_meter_stream_forget (&engine->meter);
    return;
  }
  if (vh_meter_stream_submit (&engine->meter, where, frame, &jobs[i].region,
          &engine->zones, &error))
    return;
  GST_DEBUG_OBJECT (engine->element, "luma of this frame is not measured: %s",
      error->message);
  note_failure (engine, where, error);
  g_error_free (error);
}

/* Begins the frame on the device at @where and submits it to all requested
 * operations. The meta gets the histogram of the first of @jobs. It is attached
 * before the frame ends, because a device that holds the buffer makes it
 * read-only. FALSE if the frame was not counted. */
static gboolean
submit_frame (GstVideoHistogramEngine * engine, VhWhere where,
    VhFrameView * view, Job * jobs, gboolean attach, GError ** error)
{
  VhDevice *device = engine->parts[0].counting[where].device;
  VhFrame *frame = device->klass->begin (device, view, VH_FRAME_READ,
      waits (engine), error);
  gboolean submitted = TRUE;
  guint i;

  if (!frame)
    return FALSE;
  /* The counters come last: a frame without further work may be counted
   * together with frames of other streams in one launch. */
  for (i = 0; i < engine->n_counted; i++) {
    if (jobs[i].has_work) {
      jobs[i].joined = submit_joint (&engine->parts[i].counting[where], frame,
          &jobs[i].region, &jobs[i].work);
      vh_joint_stream_match (engine->parts[i].joint,
          &engine->parts[i].counting[where], frame, &jobs[i].region,
          &jobs[i].work);
    }
  }
  submit_difference (engine, where, frame);
  submit_meter (engine, where, frame, jobs);
  for (i = 0; submitted && i < engine->n_counted; i++) {
    VhCounter *counter = engine->parts[i].counting[where].counter;

    if (!jobs[i].held.histogram)
      submitted = counter->klass->submit (counter, frame, &jobs[i].region,
          vh_histogram_counts (jobs[i].histogram), error);
  }
  if (submitted && attach) {
    GstVideoHistogramMeta *meta =
        gst_buffer_add_video_histogram_meta (view->buffer, jobs[0].histogram);

    if (meta)
      vh_meta_set_measured (meta, view);
  }
  device->klass->end (device, frame, NULL);
  return submitted;
}

/* Whether @counted has everything that @wanted asks for, in the same bins and
 * cells. */
static gboolean
is_counted_as (const GstVideoHistogramInfo * counted,
    const GstVideoHistogramInfo * wanted)
{
  return counted->format == wanted->format && counted->depth == wanted->depth
      && counted->width == wanted->width && counted->height == wanted->height
      && counted->region_x == wanted->region_x
      && counted->region_y == wanted->region_y
      && counted->region_width == wanted->region_width
      && counted->region_height == wanted->region_height
      && gst_video_colorimetry_is_equal (&counted->colorimetry,
      &wanted->colorimetry) && counted->matrix == wanted->matrix
      && (wanted->channels & ~counted->channels) == 0
      && counted->bins == wanted->bins && counted->columns == wanted->columns
      && counted->rows == wanted->rows;
}

/* Returns the joint histogram of @histogram that @spec asks for, or NULL. */
static GstVideoJointHistogram *
find_joint (GstVideoHistogram * histogram, const GstVideoHistogramSpec * spec)
{
  GstVideoJointHistogram *joint = gst_video_histogram_get_joint (histogram);

  return joint && gst_video_joint_histogram_get_kind (joint) == spec->joint
      && gst_video_joint_histogram_get_n_a (joint) == spec->joint_bins ?
      joint : NULL;
}

/* Finds the histograms for @part in the metas of the frame. */
static void
find_held (const Part * part, const VhFrameView * view, Job * job)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (view->buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE))) {
    GstVideoHistogramMeta *own = (GstVideoHistogramMeta *) meta;
    GstVideoHistogram *histogram = own->histogram;
    const GstVideoHistogramInfo *info =
        gst_video_histogram_get_info (histogram);
    GstVideoJointHistogram *joint = find_joint (histogram, &part->spec);

    if (gst_video_histogram_get_state (histogram) ==
        GST_VIDEO_HISTOGRAM_STATE_FAILED
        || !vh_meta_is_measured (own, view, vh_channels_planes (view->layout,
                info->channels) & view->planes))
      continue;
    if (!job->held.histogram && is_counted_as (info, &job->info))
      job->held.histogram = gst_video_histogram_ref (histogram);
    if (!job->held.joint && joint && info->region_x == job->info.region_x
        && info->region_y == job->info.region_y
        && info->region_width == job->info.region_width
        && info->region_height == job->info.region_height)
      job->held.joint = gst_video_joint_histogram_ref (joint);
  }
}

static gboolean
submit_operations (GstVideoHistogramEngine * engine, VhWhere where,
    VhFrameView * view, Job * jobs, gboolean attach, GError ** error)
{
  gboolean submitted;
  guint i;

  for (i = 0; i < engine->n_counted; i++) {
    Job *job = &jobs[i];

    job->joined = job->has_work = FALSE;
    if (job->held.joint) {
      vh_joint_stream_forget_last (engine->parts[i].joint);
    } else if (job->histogram) {
      job->has_work = vh_joint_stream_begin (engine->parts[i].joint,
          &engine->parts[i].counting[where], &job->region, job->histogram,
          &job->work);
    }
  }
  submitted = submit_frame (engine, where, view, jobs, attach, error);
  for (i = 0; i < engine->n_counted; i++) {
    if (jobs[i].has_work)
      vh_joint_stream_end (engine->parts[i].joint, &jobs[i].work,
          jobs[i].joined);
  }
  return submitted;
}

static void
clear_histograms (Job * jobs, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    gst_clear_video_histogram (&jobs[i].histogram);
}

static gboolean
new_histograms (GstVideoHistogramEngine * engine, Job * jobs, VhWhere where,
    GError ** error)
{
  const guint n = engine->n_counted;
  guint i;

  for (i = 0; i < n; i++)
    jobs[i].histogram = NULL;
  for (i = 0; i < n; i++) {
    if (has_all (&engine->parts[i], &jobs[i].held))
      continue;
    jobs[i].histogram = vh_histogram_new (&jobs[i].info, vh_where_name (where));
    if (!jobs[i].histogram) {
      g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
          "memory for the counts");
      clear_histograms (jobs, n);
      return FALSE;
    }
  }
  return TRUE;
}

/* Counts a frame, whose memory is at @at, on the device at @where. */
static gboolean
submit_to (GstVideoHistogramEngine * engine, VhWhere where, VhWhere at,
    VhFrameView * view, Job * jobs, gboolean attach, GError ** error)
{
  GError *local = NULL;

  if (!ensure_parts (engine, where, vh_choice_upload_planes (&engine->choice,
              at, view->planes), error)
      || !new_histograms (engine, jobs, where, error))
    return FALSE;
  if (submit_operations (engine, where, view, jobs, attach, &local)) {
    GST_LOG_OBJECT (engine->element, "counting the frame of %" GST_TIME_FORMAT
        " on %s", GST_TIME_ARGS (jobs->info.timestamp), vh_where_name (where));
    return TRUE;
  }

  GST_LOG_OBJECT (engine->element, "not counting the frame of %" GST_TIME_FORMAT
      " on %s: %s", GST_TIME_ARGS (jobs->info.timestamp), vh_where_name (where),
      local->message);
  note_failure (engine, where, local);
  g_propagate_error (error, local);
  clear_histograms (jobs, engine->n_counted);
  return FALSE;
}

/* Counts on the GPU if frames are there or are worth uploading. If the GPU
 * cannot count a frame in system memory, the CPU counts it. */
static gboolean
submit_view (GstVideoHistogramEngine * engine, VhFrameView * view, Job * jobs,
    gboolean attach, GError ** error)
{
  VhChoice *choice = &engine->choice;
  const VhWhere at = vh_where_view (view);
  GError *gpu_error = NULL;

  if (vh_choice_for (choice, at) == VH_ON_CPU)
    return submit_to (engine, VH_ON_CPU, at, view, jobs, attach, error);

  if (submit_to (engine, VH_ON_GPU, at, view, jobs, attach, &gpu_error)) {
    vh_choice_set_active (choice, vh_where_name (VH_ON_GPU), "", FALSE);
    return TRUE;
  }

  if (!g_error_matches (gpu_error, VH_ERROR, VH_ERROR_DEVICE)) {
    g_propagate_error (error, gpu_error);
    return FALSE;
  }
  vh_choice_set_active (choice, at == VH_ON_GPU ? "none" :
      vh_where_name (VH_ON_CPU), gpu_error->message, TRUE);
  if (at == VH_ON_GPU) {
    g_propagate_error (error, gpu_error);
    return FALSE;
  }
  g_error_free (gpu_error);
  return submit_to (engine, VH_ON_CPU, at, view, jobs, attach, error);
}

static gboolean
check_configured (GstVideoHistogramEngine * engine, GError ** error)
{
  if (!engine->configured)
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine has no caps and "
        "spec: gst_video_histogram_engine_configure() must succeed first");
  return engine->configured;
}

/* Describes what to count in @view for @part. */
static gboolean
describe_view (GstVideoHistogramEngine * engine, const Part * part,
    const VhFrameView * view, GstVideoHistogramInfo * info, VhRect * region,
    GError ** error)
{
  if (!vh_spec_describe (&part->spec, &engine->layout, &view->picture, info)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The region lies outside the "
        "picture of %ux%u pixels that the crop meta selects",
        view->picture.width, view->picture.height);
    return FALSE;
  }

  *region = (VhRect) {
    .x = view->picture.x + info->region_x,
    .y = view->picture.y + info->region_y,
    .width = info->region_width,
    .height = info->region_height,
  };
  return TRUE;
}

/* Finds @planes of @buffer, checks their bounds, and describes what to
 * count. */
static gboolean
view_frame (GstVideoHistogramEngine * engine, GstBuffer * buffer, guint planes,
    VhFrameView * view, GstVideoHistogramInfo * info, VhRect * region,
    GError ** error)
{
  return vh_devices_view (view, &engine->layout, buffer, planes, error)
      && describe_view (engine, &engine->parts[0], view, info, region, error);
}

void
vh_engine_forget_last (GstVideoHistogramEngine * engine)
{
  guint i;

  for (i = 0; i < engine->n_counted; i++)
    vh_joint_stream_forget_last (engine->parts[i].joint);
  vh_frame_difference_clear (&engine->compared);
  vh_difference_stream_forget (&engine->difference);
  vh_frame_zones_clear (&engine->zones);
  vh_meter_stream_forget (&engine->meter);
}

void
vh_engine_take_difference (GstVideoHistogramEngine * engine,
    VhFrameDifference * difference)
{
  vh_frame_difference_clear (difference);
  *difference = engine->compared;
  engine->compared = (VhFrameDifference) { 0, };
}

void
vh_engine_take_zones (GstVideoHistogramEngine * engine, VhFrameZones * zones)
{
  vh_frame_zones_clear (zones);
  *zones = engine->zones;
  engine->zones = (VhFrameZones) { 0, };
}

void
vh_engine_set_steps (GstVideoHistogramEngine * engine,
    const guint8 steps[VH_STEP_LEVELS])
{
  memcpy (engine->meter.steps, steps, VH_STEP_LEVELS);
}

void
vh_engine_keep (GstVideoHistogramEngine * engine)
{
  vh_difference_stream_keep (&engine->difference);
}

void
vh_engine_set_ignored (GstVideoHistogramEngine * engine,
    const VhRect * ignored, guint n)
{
  VhDifferenceStream *difference = &engine->difference;

  difference->n_ignored = MIN (n, VH_DIFFERENCE_MAX_IGNORED);
  memcpy (difference->ignored, ignored,
      difference->n_ignored * sizeof (*ignored));
}

/* Returns what metas had, or else what was counted. */
static void
take_result (Job * job, VhEngineResult * result)
{
  GstVideoJointHistogram *joint = job->histogram ?
      gst_video_histogram_get_joint (job->histogram) : NULL;

  *result = job->held;
  if (!result->joint && joint)
    result->joint = gst_video_joint_histogram_ref (joint);
  if (!result->histogram)
    result->histogram = job->histogram;
  else
    gst_clear_video_histogram (&job->histogram);
}

void
vh_engine_result_clear (VhEngineResult * result)
{
  gst_clear_video_histogram (&result->histogram);
  gst_clear_video_joint_histogram (&result->joint);
}

static gboolean
describe_jobs (GstVideoHistogramEngine * engine, const VhFrameView * view,
    const GstSegment * segment, Job * jobs, GError ** error)
{
  guint i;

  for (i = 0; i < engine->n_parts; i++) {
    jobs[i] = (Job) { .histogram = NULL };
    if (!describe_view (engine, &engine->parts[i], view, &jobs[i].info,
            &jobs[i].region, error))
      return FALSE;
    set_times (&jobs[i].info, view->buffer, segment);
  }
  return TRUE;
}

gboolean
vh_engine_submit (GstVideoHistogramEngine * engine, GstBuffer * buffer,
    const GstSegment * segment, VhEngineMetas metas, VhEngineResult * results,
    GError ** error)
{
  Job jobs[VH_ENGINE_MAX_PARTS];
  gboolean all_held = !engine->difference.wanted, submitted;
  VhFrameView view;
  guint i;

  if (!check_configured (engine, error)
      || !vh_devices_view (&view, &engine->layout, buffer,
          needed_planes (engine), error)
      || !describe_jobs (engine, &view, segment, jobs, error))
    return FALSE;
  for (i = 0; i < engine->n_parts; i++) {
    if (metas == VH_ENGINE_METAS_USE)
      find_held (&engine->parts[i], &view, &jobs[i]);
    all_held = all_held && has_all (&engine->parts[i], &jobs[i].held);
  }
  if (all_held)
    vh_engine_forget_last (engine);
  submitted = all_held || submit_view (engine, &view, jobs,
      metas == VH_ENGINE_METAS_ATTACH, error);
  for (i = 0; i < engine->n_parts; i++) {
    if (submitted)
      take_result (&jobs[i], &results[i]);
    else
      vh_engine_result_clear (&jobs[i].held);
  }
  return submitted;
}

/**
 * gst_video_histogram_engine_submit:
 * @engine: an open #GstVideoHistogramEngine
 * @buffer: a frame with the configured caps
 * @segment: (nullable): the segment of the frame, from which its histogram
 *     gets stream time and running time
 * @attach_meta: %TRUE to attach the histogram to @buffer as a
 *     #GstVideoHistogramMeta; @buffer must then be writable
 * @error: return location for a #GError, or %NULL
 *
 * Counts a frame or starts counting it. The histogram may be pending; while it
 * is, the engine may hold a reference to @buffer. The frame is only read, and
 * never outside its memories, whatever its metas say.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FRAME if @buffer does not hold a frame
 * with the configured caps, %GST_VIDEO_HISTOGRAM_ERROR_SPEC if the region lies
 * outside the picture or @engine is not configured,
 * %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, and %GST_VIDEO_HISTOGRAM_ERROR_DEVICE.
 *
 * Returns: (transfer full) (nullable): the histogram, or %NULL with @error set
 *
 * Since: 0.1
 */
GstVideoHistogram *
gst_video_histogram_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, gboolean attach_meta,
    GError ** error)
{
  VhEngineResult result;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (!attach_meta || gst_buffer_is_writable (buffer), NULL);

  if (!vh_engine_submit (engine, buffer, segment, attach_meta ?
          VH_ENGINE_METAS_ATTACH : VH_ENGINE_METAS_IGNORE, &result, error))
    return NULL;
  gst_clear_video_joint_histogram (&result.joint);
  return result.histogram;
}

/* Counts a joint histogram of @views on the device at @where. */
static GstVideoJointHistogram *
count_joint_on (GstVideoHistogramEngine * engine, VhWhere where, VhWhere at,
    GstVideoHistogramJoint kind, VhFrameView views[2], const VhRect regions[2],
    GError ** error)
{
  VhCounting *counting = &engine->parts[0].counting[where];
  GstVideoJointHistogram *joint = NULL;
  GError *local = NULL;

  if (vh_counting_ensure (counting, vh_choice_upload_planes (&engine->choice,
              at, views[0].planes), &local))
    joint = vh_joint_stream_count (engine->parts[0].joint, counting, kind,
        views, regions, &local);
  if (!joint) {
    vh_counting_note_failure (counting, local);
    g_propagate_error (error, local);
  }
  return joint;
}

/**
 * gst_video_histogram_engine_count_joint:
 * @engine: a #GstVideoHistogramEngine that is configured for the caps of the
 *     frames
 * @kind: %GST_VIDEO_HISTOGRAM_JOINT_CHROMA for U against V of @a, or
 *     %GST_VIDEO_HISTOGRAM_JOINT_OTHER for luma of @a against luma of @b
 * @a: a frame
 * @b: (nullable): another frame, or %NULL for chroma
 * @error: return location for a #GError, or %NULL
 *
 * Counts only a joint histogram, of any two frames or of the chroma of one
 * frame, with the number of joint bins of the spec. It may be pending; while
 * it is, the engine may hold references to the buffers. For consecutive
 * frames, gst_video_histogram_engine_submit() with a joint histogram in the
 * spec costs less.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FRAME if a buffer does not hold a
 * frame with the configured caps, %GST_VIDEO_HISTOGRAM_ERROR_SPEC if the video
 * has no chroma, the regions of the frames differ in size or @engine is not
 * configured, %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, and
 * %GST_VIDEO_HISTOGRAM_ERROR_DEVICE.
 *
 * Returns: (transfer full) (nullable): the joint histogram, or %NULL with
 *     @error set
 *
 * Since: 0.1
 */
GstVideoJointHistogram *
gst_video_histogram_engine_count_joint (GstVideoHistogramEngine * engine,
    GstVideoHistogramJoint kind, GstBuffer * a, GstBuffer * b, GError ** error)
{
  GstVideoJointHistogram *joint = NULL;
  GstVideoHistogramInfo info;
  GError *gpu_error = NULL;
  VhFrameView views[2];
  VhRect regions[2];
  VhWhere at;
  guint planes;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (a), NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER ?
      GST_IS_BUFFER (b) : b == NULL, NULL);

  if (!check_configured (engine, error))
    return NULL;
  if (!vh_joint_stream_has (engine->parts[0].joint, kind)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s has no U and V",
        GST_VIDEO_INFO_NAME (&engine->layout.info));
    return NULL;
  }
  planes = vh_joint_stream_kind_planes (engine->parts[0].joint, kind);
  if (!view_frame (engine, a, planes, &views[0], &info, &regions[0], error)
      || (b && !view_frame (engine, b, planes, &views[1], &info, &regions[1],
              error)))
    return NULL;
  if (b && (regions[0].width != regions[1].width
          || regions[0].height != regions[1].height)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "One frame has %ux%u pixels "
        "to count, but the other %ux%u", regions[0].width, regions[0].height,
        regions[1].width, regions[1].height);
    return NULL;
  }

  at = vh_where_view (&views[0]);
  if (b && at == VH_ON_CPU)
    at = vh_where_view (&views[1]);
  if (vh_choice_for (&engine->choice, at) == VH_ON_GPU) {
    joint = count_joint_on (engine, VH_ON_GPU, at, kind, views, regions,
        &gpu_error);
    if (joint)
      return joint;
    if (at == VH_ON_GPU
        || !g_error_matches (gpu_error, VH_ERROR, VH_ERROR_DEVICE)) {
      g_propagate_error (error, gpu_error);
      return NULL;
    }
    g_error_free (gpu_error);
  }
  return count_joint_on (engine, VH_ON_CPU, at, kind, views, regions, error);
}

/**
 * gst_video_histogram_engine_set_joint_other:
 * @engine: a #GstVideoHistogramEngine
 * @other: (nullable): the engine of another stream, or %NULL
 *
 * Sets the stream to count against for %GST_VIDEO_HISTOGRAM_JOINT_OTHER. Each
 * frame is counted against the frame of the other stream with the same running
 * time: luma of both frames, at the same place. Both regions must have the
 * same size, both joint histograms the same number of bins, and both streams
 * must be counted on the same device.
 *
 * Running times count as the same if they differ by less than half the time
 * between two frames of either stream.
 * gst_video_joint_histogram_get_running_time() returns the running time of the
 * other frame. Frames that were submitted without a segment have no running
 * time; they are counted against the last such frame of @other.
 *
 * From this call on, both streams keep luma of their frames, but not the
 * frames, until both frames of a pair have arrived. The joint histogram of the
 * earlier frame is pending until then. A frame gets no joint histogram if the
 * other stream is already past it, has ended, has had no frame for two
 * seconds, or is more than 256 frames or 64 MiB of luma behind.
 *
 * May be called from any thread. Does not keep @other alive.
 *
 * Since: 0.1
 */
void
gst_video_histogram_engine_set_joint_other (GstVideoHistogramEngine * engine,
    GstVideoHistogramEngine * other)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (other == NULL || GST_IS_VIDEO_HISTOGRAM_ENGINE (other));
  g_return_if_fail (other != engine);

  vh_joint_stream_set_other (engine->parts[0].joint,
      other ? other->parts[0].joint : NULL);
}

/**
 * gst_video_histogram_engine_end_frames:
 * @engine: a #GstVideoHistogramEngine
 * @flush: %TRUE if running times start again, as after a flush
 *
 * Tells the engine that its stream has ended or was flushed. Frames of other
 * streams that wait for a frame of this stream then get no joint histogram.
 * The next frame continues the stream. With @flush the engine forgets earlier
 * frames.
 *
 * Must not be called while a frame is being submitted.
 *
 * Since: 0.2
 */
void
gst_video_histogram_engine_end_frames (GstVideoHistogramEngine * engine,
    gboolean flush)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  vh_joint_stream_end_frames (engine->parts[0].joint, flush);
}

/**
 * gst_video_histogram_engine_propose_allocation:
 * @engine: a #GstVideoHistogramEngine
 * @query: an ALLOCATION query that downstream has answered
 *
 * Adds the best memory for frames to the answer of an ALLOCATION query. If
 * frames in system memory have to be uploaded and downstream offers no pool,
 * this is memory that the copy engine of the GPU reads directly.
 *
 * Since: 0.1
 */
void
gst_video_histogram_engine_propose_allocation (GstVideoHistogramEngine * engine,
    GstQuery * query)
{
  VhCounting *gpu;
  GstVideoInfo info;
  GstCaps *caps;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (GST_IS_QUERY (query)
      && GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION);

  gpu = &engine->parts[0].counting[VH_ON_GPU];
  gst_query_parse_allocation (query, &caps, NULL);
  if (!gpu->device_ready || !engine->choice.uploads
      || !gpu->device->klass->propose_allocation || !caps
      || vh_where_caps (caps) != VH_ON_CPU
      || !gst_video_info_from_caps (&info, caps)
      || gst_query_get_n_allocation_pools (query) > 0
      || gst_query_get_n_allocation_params (query) > 0)
    return;
  gpu->device->klass->propose_allocation (gpu->device, query, caps, info.size);
}

/**
 * gst_video_histogram_engine_set_context:
 * @engine: a #GstVideoHistogramEngine
 * @context: (transfer none): a #GstContext that was set on the element of
 *     @engine
 *
 * Lets the engine use the CUDA context in @context, if it has one, now or when
 * it is opened. May be called from any thread.
 *
 * Since: 0.1
 */
void
gst_video_histogram_engine_set_context (GstVideoHistogramEngine * engine,
    GstContext * context)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (GST_IS_CONTEXT (context));

  vh_devices_set_context (engine->devices, context);
}

/**
 * gst_video_histogram_engine_answer_context_query:
 * @engine: a #GstVideoHistogramEngine
 * @query: a CONTEXT query to the element of @engine
 *
 * Answers @query with the CUDA context of the engine, if the query asks for
 * one and the engine has it. May be called from any thread.
 *
 * Returns: %TRUE if @query was answered
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_engine_answer_context_query (
    GstVideoHistogramEngine * engine, GstQuery * query)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (GST_IS_QUERY (query)
      && GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT, FALSE);

  return vh_devices_answer_context_query (engine->devices, query);
}

/**
 * gst_video_histogram_engine_get_active_backend:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns where frames are counted now. This changes when a device fails and
 * when it can be used again. May be called from any thread.
 *
 * Returns: (nullable): `cpu`, `cuda`, or `none` for frames on a GPU that
 *     fails, a static string; %NULL while @engine is closed
 *
 * Since: 0.1
 */
const gchar *
gst_video_histogram_engine_get_active_backend (GstVideoHistogramEngine * engine)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  return vh_choice_get_active (&engine->choice);
}

/**
 * gst_video_histogram_engine_dup_method_problem:
 * @engine: a #GstVideoHistogramEngine
 *
 * Explains why the method of the #GstVideoHistogramSpec is not in use. Call it
 * from the thread that submits frames.
 *
 * Returns: (transfer full) (nullable): why frames of the current configuration
 *     are not counted with the requested method, and which methods could count
 *     them, in full sentences, to be freed with g_free(); %NULL if the method
 *     is in use, and on the CPU, which ignores it
 *
 * Since: 0.1
 */
gchar *
gst_video_histogram_engine_dup_method_problem (GstVideoHistogramEngine * engine)
{
  const VhCounting *gpu;
  gchar *problem = NULL;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  gpu = &engine->parts[0].counting[VH_ON_GPU];
  if (gpu->counter_ready && gpu->counter->klass->dup_method_problem)
    problem = gpu->counter->klass->dup_method_problem (gpu->counter);
  if (!problem && gpu->joint_state == VH_JOINT_READY
      && gpu->joint->klass->dup_method_problem)
    problem = gpu->joint->klass->dup_method_problem (gpu->joint);
  return problem;
}

/**
 * gst_video_histogram_engine_dup_joint_problem:
 * @engine: a #GstVideoHistogramEngine
 *
 * Explains why histograms have no joint histogram although the
 * #GstVideoHistogramSpec asks for one. Call it from the thread that submits
 * frames.
 *
 * Returns: (transfer full) (nullable): why the last frame has no joint
 *     histogram, or why frames of the current configuration will have none, as
 *     part of a sentence, to be freed with g_free(); %NULL if there is no
 *     problem, or if there is just no frame to count against yet
 *
 * Since: 0.1
 */
gchar *
gst_video_histogram_engine_dup_joint_problem (GstVideoHistogramEngine * engine)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  return vh_joint_stream_dup_problem (engine->parts[0].joint);
}

/**
 * gst_video_histogram_engine_dup_backend_reason:
 * @engine: a #GstVideoHistogramEngine
 *
 * Explains the result of gst_video_histogram_engine_get_active_backend(). May
 * be called from any thread.
 *
 * Returns: (transfer full) (nullable): why no other backend is in use, as a
 *     sentence, to be freed with g_free(); empty if no other was tried, %NULL
 *     while @engine is closed
 *
 * Since: 0.1
 */
gchar *
gst_video_histogram_engine_dup_backend_reason (GstVideoHistogramEngine * engine)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  return vh_choice_dup_reason (&engine->choice);
}

/**
 * gst_video_histogram_engine_is_degraded:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns whether the device that should count is failing. Frames are then
 * counted elsewhere or not at all;
 * gst_video_histogram_engine_dup_backend_reason() says why. May be called from
 * any thread.
 *
 * Returns: %TRUE if the device is failing
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_engine_is_degraded (GstVideoHistogramEngine * engine)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);

  return vh_choice_is_degraded (&engine->choice);
}

/**
 * gst_video_histogram_engine_get_caps:
 *
 * Returns the formats that can be counted: all formats with 8 to 16 bits per
 * sample whose layout GStreamer's format tables describe. May be called from
 * any thread.
 *
 * Returns: (transfer full): caps of raw video in system memory; drop the
 *     reference with gst_caps_unref()
 *
 * Since: 0.1
 */
GstCaps *
gst_video_histogram_engine_get_caps (void)
{
  GArray *formats = g_array_new (FALSE, FALSE, sizeof (GstVideoFormat));
  const GstVideoFormat *raw;
  GstCaps *caps;
  guint n_raw, i;

  vh_return_val_unless_initialized (NULL, NULL);

  raw = gst_video_formats_raw (&n_raw);
  for (i = 0; i < n_raw; i++) {
    if (vh_layout_supports (gst_video_format_get_info (raw[i])))
      g_array_append_val (formats, raw[i]);
  }
  caps = gst_video_make_raw_caps ((const GstVideoFormat *) formats->data,
      formats->len);
  g_array_unref (formats);
  return caps;
}
