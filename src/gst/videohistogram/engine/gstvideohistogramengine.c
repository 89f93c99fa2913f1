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
#include "gstvideohistogramengine-private.h"
#include "engineofelement.h"
#include "enginespec.h"
#include "gst/videohistogram/gstvideohistogrammeta.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "core/error.h"
#include "core/log.h"

G_DEFINE_TYPE (GstVideoHistogramEngine, gst_video_histogram_engine,
    G_TYPE_OBJECT);

static void
gst_video_histogram_engine_finalize (GObject * object)
{
  GstVideoHistogramEngine *engine = GST_VIDEO_HISTOGRAM_ENGINE (object);

  gst_video_histogram_engine_close (engine);
  gst_video_histogram_engine_set_joint_other (engine, NULL);
  vh_processor_clear (&engine->processor);
  vh_task_unref (engine->counting);
  vh_task_unref (engine->joint);
  G_OBJECT_CLASS (gst_video_histogram_engine_parent_class)->finalize (object);
}

static void
gst_video_histogram_engine_class_init (GstVideoHistogramEngineClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_histogram_engine_finalize;
}

/* Counting comes last: a frame without further work may be counted together
 * with frames of other streams in one launch. */
static void
set_tasks (GstVideoHistogramEngine * engine, VhTask * const *others, guint n)
{
  VhTask *tasks[VH_PROCESSOR_MAX_TASKS] = { (VhTask *) engine->joint };
  guint i;

  for (i = 0; i < n; i++)
    tasks[1 + i] = others[i];
  tasks[1 + n] = &engine->counting->parent;
  vh_processor_set_tasks (&engine->processor, tasks, n + 2);
}

static void
gst_video_histogram_engine_init (GstVideoHistogramEngine * engine)
{
  vh_processor_init (&engine->processor);
  engine->counting = vh_counting_new ();
  engine->joint = vh_joint_stream_new ();
  set_tasks (engine, NULL, 0);
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
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_ELEMENT (element), NULL);

  return vh_engine_of_element (element);
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
  VhDevices *devices;
  VhChoice *choice;
  VhDevice *gpu = NULL;
  GError *gpu_error = NULL;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (element == NULL || GST_IS_ELEMENT (element), FALSE);

  gst_video_histogram_engine_close (engine);
  if (!vh_check_choice ("backend", GST_TYPE_VIDEO_HISTOGRAM_BACKEND, backend,
          error) || !vh_check_device_id (cuda_device_id, error))
    return FALSE;
  devices = engine->processor.devices;
  choice = &engine->processor.choice;
  choice->element = element;
  vh_devices_open (devices, &config);
  if (backend != GST_VIDEO_HISTOGRAM_BACKEND_CPU)
    gpu = vh_devices_get (devices, VH_ON_GPU, &gpu_error);
  if (!gpu && backend == GST_VIDEO_HISTOGRAM_BACKEND_CUDA) {
    vh_devices_close (devices);
    vh_choice_set_active (choice, NULL, gpu_error->message, FALSE);
    choice->element = NULL;
    g_propagate_error (error, gpu_error);
    return FALSE;
  }

  engine->open = TRUE;
  choice->wanted = backend;
  choice->has_gpu = gpu != NULL;
  vh_choice_set_active (choice, vh_where_name (gpu ? VH_ON_GPU : VH_ON_CPU),
      gpu_error ? gpu_error->message : "", FALSE);
  g_clear_error (&gpu_error);
  vh_engine_attach (G_OBJECT (engine), element);
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
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  vh_engine_detach (G_OBJECT (engine), engine->processor.choice.element);
  vh_processor_close (&engine->processor);
  engine->open = FALSE;
  vh_engine_disown (engine);
  gst_caps_replace (&engine->caps, NULL);
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

/* Reads @caps if they have changed. */
static gboolean
follow_caps (GstVideoHistogramEngine * engine, GstCaps * caps, GError ** error)
{
  if (engine->caps && gst_caps_is_equal (engine->caps, caps))
    return TRUE;

  gst_caps_replace (&engine->caps, NULL);
  if (!vh_processor_set_caps (&engine->processor, caps, error))
    return FALSE;
  gst_caps_replace (&engine->caps, caps);
  return TRUE;
}

/* The planes of the next frame that are needed. */
static guint
needed_planes (GstVideoHistogramEngine * engine)
{
  const VhProcessor *processor = &engine->processor;
  guint planes = 0, i;

  for (i = 0; i < processor->n_tasks; i++)
    planes |= processor->tasks[i]->klass->planes (processor->tasks[i]);
  return planes;
}

/* A VhProcessFunc. */
static gboolean
prepare_tasks (gpointer data, VhWhere where, G_GNUC_UNUSED GError ** error)
{
  VhProcessor *processor = data;
  guint i;

  for (i = 0; i < processor->n_tasks; i++)
    vh_task_prepare (processor->tasks[i], where);
  return TRUE;
}

/* Prepares the device that will process frames of @caps, and the CPU in case it
 * fails. FALSE only if the CPU cannot count. */
static gboolean
prepare_devices (GstVideoHistogramEngine * engine, GstCaps * caps,
    GError ** error)
{
  VhProcessor *processor = &engine->processor;
  const guint planes = needed_planes (engine);

  if (!vh_processor_ensure (processor, VH_ON_CPU, 0, error))
    return FALSE;
  vh_choice_make (&processor->choice, caps, &processor->layout, planes);
  vh_processor_process (processor, processor->choice.caps, planes,
      prepare_tasks, processor, NULL);
  return TRUE;
}

/* Completes @spec and checks its region. */
static gboolean
complete_spec (GstVideoHistogramSpec * spec, const VhLayout * layout,
    GError ** error)
{
  if (!vh_spec_complete (spec, layout, error))
    return FALSE;
  if (vh_spec_pixels (spec, layout) > 0)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The region %u,%u,%u,%u lies "
      "outside the picture of %dx%d pixels", spec->region_x, spec->region_y,
      spec->region_width, spec->region_height,
      GST_VIDEO_INFO_WIDTH (&layout->info),
      GST_VIDEO_INFO_FIELD_HEIGHT (&layout->info));
  return FALSE;
}

gboolean
vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const VhEngineWork * work, GError ** error)
{
  VhProcessor *processor = &engine->processor;
  GstVideoHistogramSpec counted;
  guint i;

  if (!engine->open) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine is closed: "
        "gst_video_histogram_engine_open() must succeed before it is "
        "configured");
    return FALSE;
  }
  vh_engine_disown (engine);
  if (!follow_caps (engine, caps, error))
    return FALSE;
  engine->n_specs = work->n_specs;
  for (i = 0; i < work->n_specs; i++) {
    engine->specs[i] = work->specs[i];
    if (!complete_spec (&engine->specs[i], &processor->layout, error))
      return FALSE;
  }
  set_tasks (engine, work->tasks, work->n_tasks);
  if (work->n_specs == 0) {
    engine->owner = work->owner;
    return TRUE;
  }
  counted = engine->specs[0];
  if (work->chroma_measured)
    counted.joint = GST_VIDEO_HISTOGRAM_JOINT_NONE;
  vh_counting_set_measured (engine->counting, work->cells_measured);
  for (i = 0; i < processor->n_tasks; i++)
    vh_task_set (processor->tasks[i], &counted);
  if (!prepare_devices (engine, caps, error))
    return FALSE;
  engine->configured = TRUE;
  engine->owner = work->owner;
  return TRUE;
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
 * until it is configured again. A #GstVideoHealthEngine that the engine counted
 * for must be configured again before its next frame.
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
  VhEngineWork work = {.n_specs = 1 };

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);
  g_return_val_if_fail (spec != NULL, FALSE);

  work.specs[0] = *spec;
  return vh_engine_configure (engine, caps, &work, error);
}

/* Gives the begun frame to the tasks. FALSE if a required one failed. */
static gboolean
submit_to_tasks (VhProcessor * processor, const VhTaskFrame * frame,
    GError ** error)
{
  guint i;

  for (i = 0; i < processor->n_tasks; i++) {
    VhTask *task = processor->tasks[i];
    GError *local = NULL;

    if (task->klass->submit (task, frame, &local))
      continue;
    if (task->klass->required) {
      g_propagate_error (error, local);
      return FALSE;
    }
    GST_DEBUG_OBJECT (processor->choice.element, "no %s of this frame: %s",
        task->klass->name, local->message);
    vh_processor_note_failure (processor, frame->where, local);
    g_error_free (local);
  }
  return TRUE;
}

static void
attach_meta (GstVideoHistogram * histogram, VhFrameView * view)
{
  GstVideoHistogramMeta *meta =
      gst_buffer_add_video_histogram_meta (view->buffer, histogram);

  if (meta)
    vh_meta_set_measured (meta, view);
}

/* A frame that is submitted. */
typedef struct
{
  GstVideoHistogramEngine *engine;
  VhFrameView view;
  VhEngineMetas metas;
  VhEngineJob jobs[VH_ENGINE_MAX_SPECS];
  gboolean has_others;          /* metas have everything that is not counted */
} Submission;

/* Brings the frame to its device for all tasks. The meta is attached before the
 * frame ends, because a device that holds the buffer makes it read-only. FALSE
 * if the frame was not counted. */
static gboolean
run_tasks (Submission * self, VhWhere where, GError ** error)
{
  VhProcessor *processor = &self->engine->processor;
  VhDevice *device = processor->on[where].device;
  const VhEngineJob *counted = &self->jobs[0];
  const gboolean wait = g_atomic_int_get (&self->engine->overload) ==
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT;
  VhTaskFrame frame = {
    .where = where,
    .region = counted->region,
    .histogram = counted->histogram,
    .has_histogram = counted->held.histogram != NULL,
    .has_joint = counted->held.joint != NULL,
    .has_others = self->has_others,
  };
  gboolean submitted = FALSE;
  guint i;

  for (i = 0; i < processor->n_tasks; i++)
    vh_task_begin (processor->tasks[i], &frame);
  frame.frame = device->klass->begin (device, &self->view, VH_FRAME_READ, wait,
      error);
  if (frame.frame) {
    submitted = submit_to_tasks (processor, &frame, error);
    if (submitted && self->metas == VH_ENGINE_METAS_ATTACH)
      attach_meta (frame.histogram, &self->view);
    device->klass->end (device, frame.frame, NULL);
  }
  for (i = 0; i < processor->n_tasks; i++)
    if (processor->tasks[i]->klass->finish)
      processor->tasks[i]->klass->finish (processor->tasks[i]);
  return submitted;
}

/* A VhProcessFunc. */
static gboolean
count_frame (gpointer data, VhWhere where, GError ** error)
{
  Submission *self = data;
  VhEngineJob *counted = &self->jobs[0];
  const VhCountSpec spec = vh_counting_get_spec (self->engine->counting, where);
  GstElement *element = self->engine->processor.choice.element;
  GError *local = NULL;

  if (vh_engine_job_new_histogram (counted, vh_where_name (where), &spec.shape,
          &local)
      && run_tasks (self, where, &local)) {
    GST_LOG_OBJECT (element, "counting the frame of %" GST_TIME_FORMAT " on %s",
        GST_TIME_ARGS (counted->info.timestamp), vh_where_name (where));
    return TRUE;
  }
  GST_LOG_OBJECT (element, "not counting the frame of %" GST_TIME_FORMAT
      " on %s: %s", GST_TIME_ARGS (counted->info.timestamp),
      vh_where_name (where), local->message);
  g_propagate_error (error, local);
  gst_clear_video_histogram (&counted->histogram);
  return FALSE;
}

void
vh_engine_disown (GstVideoHistogramEngine * engine)
{
  engine->configured = FALSE;
  engine->owner = NULL;
}

gboolean
vh_engine_check_configured (GstVideoHistogramEngine * engine, GError ** error)
{
  if (engine->configured && !engine->owner)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine has no caps and "
      "spec: gst_video_histogram_engine_configure() must succeed first");
  return FALSE;
}

void
vh_engine_forget_last (GstVideoHistogramEngine * engine)
{
  guint i;

  for (i = 0; i < engine->processor.n_tasks; i++)
    vh_task_forget (engine->processor.tasks[i]);
}

/* Describes what is asked for. FALSE with SPEC. */
static gboolean
describe_jobs (Submission * self, const GstSegment * segment, GError ** error)
{
  const GstVideoHistogramEngine *engine = self->engine;
  guint i;

  for (i = 0; i < engine->n_specs; i++) {
    if (!vh_engine_job_init (&self->jobs[i], &engine->specs[i], &self->view,
            segment, error))
      return FALSE;
  }
  return TRUE;
}

/* Takes what metas have, if that is wanted. Returns whether the frame need not
 * be brought to a device. */
static gboolean
find_held (Submission * self)
{
  const VhProcessor *processor = &self->engine->processor;
  gboolean enough;
  guint i;

  self->has_others = TRUE;
  for (i = 0; i < self->engine->n_specs; i++) {
    VhEngineJob *job = &self->jobs[i];

    if (self->metas == VH_ENGINE_METAS_USE)
      vh_engine_job_find (job, &self->view);
    if (i > 0 && !vh_engine_job_has_all (job))
      self->has_others = FALSE;
  }
  enough = self->has_others && vh_engine_job_has_all (&self->jobs[0]);
  for (i = 0; i < processor->n_tasks; i++)
    enough = enough && !processor->tasks[i]->klass->always;
  return enough;
}

gboolean
vh_engine_submit (GstVideoHistogramEngine * engine, GstBuffer * buffer,
    const GstSegment * segment, VhEngineMetas metas, VhEngineResult * results,
    GError ** error)
{
  VhProcessor *processor = &engine->processor;
  gboolean enough, submitted;
  Submission self;
  guint i;

  self.engine = engine;
  self.metas = metas;
  if (!vh_devices_view (&self.view, &processor->layout, buffer,
          needed_planes (engine), error)
      || !describe_jobs (&self, segment, error))
    return FALSE;
  enough = find_held (&self);
  if (enough)
    vh_engine_forget_last (engine);
  submitted = enough || vh_processor_process (processor,
      vh_where_view (&self.view), self.view.planes, count_frame, &self, error);
  for (i = 0; i < engine->n_specs; i++) {
    if (submitted)
      vh_engine_job_take (&self.jobs[i], &results[i]);
    else
      vh_engine_result_clear (&self.jobs[i].held);
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
  VhEngineResult results[VH_ENGINE_MAX_SPECS];
  guint i;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (!attach_meta || gst_buffer_is_writable (buffer), NULL);

  if (!vh_engine_check_configured (engine, error)
      || !vh_engine_submit (engine, buffer, segment, attach_meta ?
          VH_ENGINE_METAS_ATTACH : VH_ENGINE_METAS_IGNORE, results, error))
    return NULL;
  gst_clear_video_joint_histogram (&results[0].joint);
  for (i = 1; i < engine->n_specs; i++)
    vh_engine_result_clear (&results[i]);
  return results[0].histogram;
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
  VhProcessor *processor;
  VhDevice *gpu;
  GstVideoInfo info;
  GstCaps *caps;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (GST_IS_QUERY (query)
      && GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION);

  processor = &engine->processor;
  gpu = processor->on[VH_ON_GPU].device;
  gst_query_parse_allocation (query, &caps, NULL);
  if (!processor->on[VH_ON_GPU].ready || !processor->choice.uploads
      || !gpu->klass->propose_allocation || !caps
      || vh_where_caps (caps) != VH_ON_CPU
      || !gst_video_info_from_caps (&info, caps)
      || gst_query_get_n_allocation_pools (query) > 0
      || gst_query_get_n_allocation_params (query) > 0)
    return;
  gpu->klass->propose_allocation (gpu, query, caps, info.size);
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

  vh_devices_set_context (engine->processor.devices, context);
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

  return vh_devices_answer_context_query (engine->processor.devices, query);
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

  return vh_choice_get_active (&engine->processor.choice);
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
  VhJointCounter *joint;
  VhCounter *counter;
  gchar *problem = NULL;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  counter = vh_task_get (&engine->counting->parent, VH_ON_GPU);
  joint = vh_task_get ((VhTask *) engine->joint, VH_ON_GPU);
  if (counter && counter->klass->dup_method_problem)
    problem = counter->klass->dup_method_problem (counter);
  if (!problem && joint && joint->klass->dup_method_problem)
    problem = joint->klass->dup_method_problem (joint);
  return problem;
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

  return vh_choice_dup_reason (&engine->processor.choice);
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

  return vh_choice_is_degraded (&engine->processor.choice);
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
