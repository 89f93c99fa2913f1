/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoEqualizer:
 *
 * Corrects brightness and contrast of frames by their histogram.
 *
 * An equalizer corrects frames as the element `videoequalize` does. Use it in
 * programs that have frames but no pipeline:
 *
 * |[<!-- language="C" -->
 * equalizer = gst_video_equalizer_new ();
 * gst_video_equalizer_settings_init (&settings);
 * settings.method = GST_VIDEO_EQUALIZE_METHOD_CLAHE;
 * if (!gst_video_equalizer_open (equalizer, -1, NULL, &error)
 *     || !gst_video_equalizer_set_settings (equalizer, &settings, &error)
 *     || !gst_video_equalizer_configure (equalizer, caps, &error)
 *     || !gst_video_equalizer_process (equalizer, buffer, buffer, &error))
 *   ...
 * ]|
 *
 * Pass it the frames of one stream in their order: with a time constant, the
 * correction of a frame depends on the frames before it. Frames in system
 * memory are corrected on the CPU, frames in CUDA memory on the GPU where they
 * are. Both give the same bytes, which docs/definitions.md defines.
 *
 * An equalizer is used by one thread at a time, except for the functions whose
 * description says that they may be called from any thread.
 *
 * Since: 0.1
 */
#include "gst/videohistogram/gstvideoequalizer.h"
#include "gst/videohistogram/engine/counting.h"
#include "equalizerjob.h"
#include "equalizermeta.h"
#include "equalizerreference.h"
#include "gst/videohistogram/engine/framepair.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"

/* The task that corrects frames. */
typedef struct
{
  VhTask parent;
  VhCurveParams curve;
  gboolean reset[VH_N_DEVICES]; /* the next frame there is the first of a
                                 * stream */
} Correcting;

struct _GstVideoEqualizer
{
  GObject parent;

  gboolean open;
  VhProcessor processor;
  VhCounting *counting;
  Correcting *correcting;

  gboolean configured;
  guint planes;                 /* all, a bit each */
  VhReference *mapped;          /* the reference in the bins of the frames, or
                                 * NULL */
  guint mapped_id;              /* reference_id that mapped was made from */
  VhRect region;                /* of the last frame */
  GstClockTime last_time;       /* PTS of the last frame, or NONE */

  GMutex lock;
  /* protected by lock */
  GstVideoEqualizerSettings settings;
  VhEqualizerReference *reference;      /* or NULL */
  guint reference_id;           /* differs for each reference */
  gboolean reset;
  guint64 counted;
};

G_DEFINE_TYPE (GstVideoEqualizer, gst_video_equalizer, G_TYPE_OBJECT);

static void
gst_video_equalizer_finalize (GObject * object)
{
  GstVideoEqualizer *equalizer = GST_VIDEO_EQUALIZER (object);

  gst_video_equalizer_close (equalizer);
  vh_processor_clear (&equalizer->processor);
  g_clear_pointer (&equalizer->reference, vh_equalizer_reference_unref);
  g_free (equalizer->mapped);
  g_mutex_clear (&equalizer->lock);
  G_OBJECT_CLASS (gst_video_equalizer_parent_class)->finalize (object);
}

static void
gst_video_equalizer_class_init (GstVideoEqualizerClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_equalizer_finalize;
}

VH_DEFINE_TASK_OPERATION (correcting, VhCorrector, new_corrector);

static gboolean
correcting_configure (VhTask * task, VhWhere where, GError ** error)
{
  Correcting *self = (Correcting *) task;
  const VhCurveParams *curve = &self->curve;
  VhCorrector *corrector = task->operation[where];

  GST_DEBUG_OBJECT (task->processor->choice.element, "configuring the "
      "corrector of %s: method %u, %u bins, %ux%u tiles",
      vh_where_name (where), curve->method, curve->bins, curve->columns,
      curve->rows);
  self->reset[where] = TRUE;
  return corrector->klass->configure (corrector, &task->processor->layout,
      curve, error);
}

static const VhTaskClass correcting_class = {
  .name = "correcting",
  .required = TRUE,
  VH_TASK_OPERATION (correcting),
};

static void
gst_video_equalizer_init (GstVideoEqualizer * equalizer)
{
  g_mutex_init (&equalizer->lock);
  vh_processor_init (&equalizer->processor);
  equalizer->counting = vh_processor_add (&equalizer->processor,
      vh_counting_new ());
  equalizer->correcting = vh_processor_add (&equalizer->processor,
      vh_task_new (&correcting_class, sizeof (Correcting)));
  gst_video_equalizer_settings_init (&equalizer->settings);
}

/**
 * gst_video_equalizer_new:
 *
 * Creates an equalizer. Open and configure it before you process frames: see
 * gst_video_equalizer_open() and gst_video_equalizer_configure(). May be
 * called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoEqualizer, closed
 *
 * Since: 0.1
 */
GstVideoEqualizer *
gst_video_equalizer_new (void)
{
  vh_return_val_unless_initialized (NULL, NULL);

  return g_object_new (GST_TYPE_VIDEO_EQUALIZER, NULL);
}

/**
 * gst_video_equalizer_open:
 * @equalizer: a #GstVideoEqualizer
 * @cuda_device_id: the CUDA device for frames that are not on one yet, or -1
 *     for any
 * @element: (nullable): the element that the frames are corrected for, to
 *     share the CUDA context of its neighbours; it must live until @equalizer
 *     is closed
 * @error: return location for a #GError, or %NULL
 *
 * Opens the equalizer. If @cuda_device_id is -1, no GPU is used until there
 * are caps or frames of CUDA memory; any other device is opened at once. If
 * the equalizer is already open, it is closed first.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_BACKEND if the device cannot be used,
 * and %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @cuda_device_id is below -1. After an
 * error the equalizer is closed.
 *
 * Returns: %TRUE if the equalizer is open, %FALSE with @error set otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_open (GstVideoEqualizer * equalizer, gint cuda_device_id,
    GstElement * element, GError ** error)
{
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (element == NULL || GST_IS_ELEMENT (element), FALSE);

  gst_video_equalizer_close (equalizer);
  equalizer->open = vh_processor_open (&equalizer->processor, cuda_device_id,
      element, error);
  return equalizer->open;
}

/**
 * gst_video_equalizer_close:
 * @equalizer: a #GstVideoEqualizer
 *
 * Releases the resources of the equalizer and forgets earlier frames.
 * Settings, reference and the result of gst_video_equalizer_get_counted() are
 * kept.
 *
 * Since: 0.1
 */
void
gst_video_equalizer_close (GstVideoEqualizer * equalizer)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  vh_processor_close (&equalizer->processor);
  equalizer->open = FALSE;
  equalizer->configured = FALSE;
}

/* Makes everything ready to correct frames at @where by curves like @curve. */
static gboolean
ensure_ready (GstVideoEqualizer * equalizer, VhWhere where,
    const VhCurveParams * curve, GError ** error)
{
  VhCurveParams *made = &equalizer->correcting->curve;
  const VhCountSpec spec = {
    .shape.channels = 1u << VH_CHANNEL_LUMA,
    .shape.bins = curve->bins,
    .shape.columns = curve->columns,
    .shape.rows = curve->rows,
  };

  vh_counting_set (equalizer->counting, &spec);
  if (made->method != curve->method || made->bins != curve->bins
      || made->columns != curve->columns || made->rows != curve->rows)
    vh_task_outdate (&equalizer->correcting->parent);
  *made = *curve;
  return vh_processor_ensure_at (&equalizer->processor, where, error);
}

/* Prepares the device that the frames of @caps will be on. */
static void
prepare_device (GstVideoEqualizer * equalizer, GstCaps * caps)
{
  const VhLayout *layout = &equalizer->processor.layout;
  const GstVideoInfo *video = &layout->info;
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (video),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (video),
  };
  GstVideoEqualizerSettings settings;
  GError *error = NULL;
  VhEqualizeJob job;

  g_mutex_lock (&equalizer->lock);
  settings = equalizer->settings;
  g_mutex_unlock (&equalizer->lock);
  if (!vh_equalizer_make_job (&settings, layout, &picture, &job))
    return;
  if (!ensure_ready (equalizer, vh_where_caps (caps), &job.curve, &error)) {
    GST_DEBUG_OBJECT (equalizer->processor.choice.element, "frames cannot be "
        "corrected: %s", error->message);
    g_error_free (error);
  }
}

/**
 * gst_video_equalizer_configure:
 * @equalizer: an open #GstVideoEqualizer
 * @caps: fixed caps of raw video, in a format of
 *     gst_video_histogram_engine_get_caps()
 * @error: return location for a #GError, or %NULL
 *
 * Prepares for frames with @caps and forgets earlier frames. Call it again at
 * any time. A GPU that cannot be used is not an error here;
 * gst_video_equalizer_process() fails for the frames that are on it.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FORMAT, and
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC if the equalizer is not open. After an error
 * it corrects nothing until it is configured again.
 *
 * Returns: %TRUE if the equalizer is ready for frames, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_configure (GstVideoEqualizer * equalizer, GstCaps * caps,
    GError ** error)
{
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);

  if (!equalizer->open) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The equalizer is closed: "
        "gst_video_equalizer_open() must succeed before "
        "gst_video_equalizer_configure()");
    return FALSE;
  }

  equalizer->configured = FALSE;
  equalizer->last_time = GST_CLOCK_TIME_NONE;
  g_clear_pointer (&equalizer->mapped, g_free);
  if (!vh_processor_set_caps (&equalizer->processor, caps, error))
    return FALSE;

  equalizer->planes =
      (1u << GST_VIDEO_INFO_N_PLANES (&equalizer->processor.layout.info)) - 1;
  equalizer->configured = TRUE;
  prepare_device (equalizer, caps);
  return TRUE;
}

/**
 * gst_video_equalizer_set_settings:
 * @equalizer: a #GstVideoEqualizer
 * @settings: how to correct frames
 * @error: return location for a #GError, or %NULL
 *
 * Changes the settings. This may be done while frames are corrected and takes
 * effect with the next frame. After a change of the method, the region or the
 * number of tiles, earlier frames are forgotten; after any other change, the
 * curve continues from its current state. May be called from any thread.
 *
 * If a field is outside its limits, the error is
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC, its message names the field, and the
 * settings do not change.
 *
 * Returns: %TRUE if the settings were changed, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_set_settings (GstVideoEqualizer * equalizer,
    const GstVideoEqualizerSettings * settings, GError ** error)
{
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (settings != NULL, FALSE);

  if (!vh_equalizer_check_settings (settings, error))
    return FALSE;
  g_mutex_lock (&equalizer->lock);
  equalizer->settings = *settings;
  g_mutex_unlock (&equalizer->lock);
  return TRUE;
}

/**
 * gst_video_equalizer_set_reference:
 * @equalizer: a #GstVideoEqualizer
 * @reference: (nullable) (transfer none): a histogram with counts of luma,
 *     with any number of bins, depth and range, or %NULL for no reference
 * @error: return location for a #GError, or %NULL
 *
 * Sets the histogram that %GST_VIDEO_EQUALIZE_METHOD_MATCH gives to frames.
 * Black of the reference corresponds to black of the frames, and white to
 * white. Without a reference, the method changes nothing. Waits if @reference
 * is pending. May be called from any thread.
 *
 * If @reference has no counts of luma, the error is
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC, and there is then no reference.
 *
 * Returns: %TRUE if the reference was set, %FALSE with @error set otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_set_reference (GstVideoEqualizer * equalizer,
    GstVideoHistogram * reference, GError ** error)
{
  VhEqualizerReference *set, *before;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (reference == NULL
      || GST_IS_VIDEO_HISTOGRAM (reference), FALSE);

  set = reference ? vh_equalizer_reference_new (reference) : NULL;
  g_mutex_lock (&equalizer->lock);
  before = equalizer->reference;
  equalizer->reference = set;
  equalizer->reference_id++;
  g_mutex_unlock (&equalizer->lock);
  g_clear_pointer (&before, vh_equalizer_reference_unref);
  if (set || !reference)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The reference has no counts of "
      "luma: count it with GST_VIDEO_HISTOGRAM_CHANNELS_LUMA");
  return FALSE;
}

/**
 * gst_video_equalizer_reset:
 * @equalizer: a #GstVideoEqualizer
 *
 * Forgets earlier frames, for example after a seek: the next frame is
 * corrected as the first of a stream. May be called from any thread.
 *
 * Since: 0.1
 */
void
gst_video_equalizer_reset (GstVideoEqualizer * equalizer)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  g_mutex_lock (&equalizer->lock);
  equalizer->reset = TRUE;
  g_mutex_unlock (&equalizer->lock);
}

/* Gives @job the reference in the bins of its curve. */
static void
use_reference (GstVideoEqualizer * equalizer,
    const VhEqualizerReference * reference, guint id, VhEqualizeJob * job)
{
  if (equalizer->mapped_id != id || !equalizer->mapped) {
    g_clear_pointer (&equalizer->mapped, g_free);
    if (reference) {
      equalizer->mapped = vh_equalizer_reference_map (reference,
          &equalizer->processor.layout, &job->curve);
    }
    equalizer->mapped_id = id;
  }
  job->reference = equalizer->mapped;
  job->reference_id = id;
}

/* Reads what other threads may change, and makes the @job for @picture from it.
 * FALSE with the error SPEC if the region lies outside the picture. */
static gboolean
read_settings (GstVideoEqualizer * equalizer,
    GstVideoEqualizerSettings * settings, const VhRect * picture,
    VhEqualizeJob * job, GError ** error)
{
  VhEqualizerReference *reference = NULL;
  gboolean reset, inside;
  guint id, i;

  g_mutex_lock (&equalizer->lock);
  *settings = equalizer->settings;
  if (equalizer->reference)
    reference = vh_equalizer_reference_ref (equalizer->reference);
  id = equalizer->reference_id;
  reset = equalizer->reset;
  equalizer->reset = FALSE;
  g_mutex_unlock (&equalizer->lock);

  inside = vh_equalizer_make_job (settings, &equalizer->processor.layout,
      picture, job);
  if (!inside) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The region %u,%u,%u,%u lies "
        "outside the picture of %ux%u pixels", settings->region_x,
        settings->region_y, settings->region_width, settings->region_height,
        picture->width, picture->height);
  } else if (settings->method == GST_VIDEO_EQUALIZE_METHOD_MATCH) {
    use_reference (equalizer, reference, id, job);
  }
  g_clear_pointer (&reference, vh_equalizer_reference_unref);
  /* A curve is only valid for the region that it was made from. */
  if (reset || (inside
          && memcmp (&job->region, &equalizer->region, sizeof (VhRect)) != 0)) {
    for (i = 0; i < VH_N_DEVICES; i++)
      equalizer->correcting->reset[i] = TRUE;
    equalizer->last_time = GST_CLOCK_TIME_NONE;
  }
  if (inside)
    equalizer->region = job->region;
  return inside;
}

/* Counts the region of @job in @frame. */
static VhCounts *
count_frame (GstVideoEqualizer * equalizer, VhWhere where, VhFrame * frame,
    const VhEqualizeJob * job, GError ** error)
{
  const VhRect region = vh_equalize_region (job, frame->view);
  VhCounts *counts = vh_counting_count (equalizer->counting, where, frame,
      &region, error);

  if (counts) {
    g_mutex_lock (&equalizer->lock);
    equalizer->counted++;
    g_mutex_unlock (&equalizer->lock);
  }
  return counts;
}

/* Counts the frame if @counted is NULL, then corrects it. */
static gboolean
count_and_correct (GstVideoEqualizer * equalizer, VhWhere where,
    GstVideoHistogram * counted, VhFrameView * in, VhFrameView * out,
    const VhEqualizeJob * job, GError ** error)
{
  VhDevice *device = equalizer->processor.on[where].device;
  VhCorrector *corrector = equalizer->correcting->parent.operation[where];
  VhCounts *counts;
  gboolean corrected;
  VhFramePair frames;

  if (!vh_frame_pair_begin (&frames, device, in, out, error))
    return FALSE;
  counts = counted ? vh_counts_ref (vh_histogram_counts (counted)) :
      count_frame (equalizer, where, frames.in, job, error);
  corrected = counts && corrector->klass->submit (corrector, frames.in,
      frames.out, counts, job, error);
  if (!vh_frame_pair_end (&frames, device, corrected ? error : NULL))
    corrected = FALSE;
  g_clear_pointer (&counts, vh_counts_unref);
  return corrected;
}

static gboolean
correct_frame (GstVideoEqualizer * equalizer, VhFrameView * in,
    VhFrameView * out, VhEqualizeJob * job, GError ** error)
{
  VhProcessor *processor = &equalizer->processor;
  const VhWhere where = vh_where_view (in);
  gboolean *reset = &equalizer->correcting->reset[where];
  GstVideoHistogramInfo wanted;
  GstVideoHistogram *histogram;
  GError *local = NULL;

  if (!ensure_ready (equalizer, where, &job->curve, error))
    return FALSE;

  wanted = vh_equalizer_describe (&processor->layout, &in->picture, job);
  histogram = vh_equalizer_find_histogram (in, where, &wanted);
  job->reset = *reset;
  if (count_and_correct (equalizer, where, histogram, in, out, job, &local))
    *reset = FALSE;
  GST_LOG_OBJECT (processor->choice.element, "frame of %" GST_TIME_FORMAT
      " on %s, %s: %s", GST_TIME_ARGS (GST_BUFFER_PTS (in->buffer)),
      vh_where_name (where),
      histogram ? "with its histogram" : "counted here",
      local ? local->message : "corrected");
  gst_clear_video_histogram (&histogram);
  if (!local)
    return TRUE;

  vh_processor_note_failure (processor, where, local);
  g_propagate_error (error, local);
  return FALSE;
}

/* Copies the frame through the host, whatever its memory. */
static gboolean
copy_frame (VhFrameView * in, VhFrameView * out, GError ** error)
{
  if (!vh_frame_view_map (in, GST_MAP_READ, error))
    return FALSE;
  if (!vh_frame_view_map (out, GST_MAP_READWRITE, error)) {
    vh_frame_view_unmap (in);
    return FALSE;
  }
  vh_frame_view_copy (out, in, in->planes);
  vh_frame_view_unmap (in);
  vh_frame_view_unmap (out);
  return TRUE;
}

/* Finds all planes of @in and, if it is another buffer, of @out. */
static gboolean
view_frames (GstVideoEqualizer * equalizer, GstBuffer * in, GstBuffer * out,
    VhFrameView views[2], GError ** error)
{
  const VhLayout *layout = &equalizer->processor.layout;

  return vh_frame_pair_view (views, layout, layout, equalizer->planes, in, out,
      error)
      && vh_frame_view_takes (in == out ? &views[0] : &views[1], &views[0],
      error);
}

/**
 * gst_video_equalizer_process:
 * @equalizer: a configured #GstVideoEqualizer
 * @in: the next frame of the stream, with the configured caps
 * @out: a writable buffer for a frame with the same caps in the same kind of
 *     memory, with a #GstVideoMeta that says where its planes are; or @in
 *     itself to correct the frame in place, if the buffer and all of its
 *     memories are writable
 * @error: return location for a #GError, or %NULL
 *
 * Corrects a frame. If @in has a #GstVideoHistogramMeta of exactly these
 * pixels, with the required bins and tiles, its counts are used; otherwise the
 * frame is counted first. On return, @out is complete; in CUDA memory, it is
 * complete for work that follows on its stream.
 *
 * The whole picture is written to @out, including alpha. If the settings have
 * a region, pixels outside it keep their values, including the chroma samples
 * that they share with pixels inside. If @in has a crop meta, the surroundings
 * of the picture are copied if @out has the same room for them. Times and
 * metas are not copied. The frame is not changed if it has only a single code
 * value, the method is %GST_VIDEO_EQUALIZE_METHOD_NONE or the strength is 0;
 * in the last two cases, pass frames on without calling this function.
 *
 * The pictures of @in and @out must have the same size. No plane of @out may
 * be split over several memories, and its pixels must share chroma with the
 * same pixels as in @in.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FRAME if a buffer does not hold such a
 * frame or cannot be written, %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @equalizer is
 * not configured or its region lies outside the picture,
 * %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, and %GST_VIDEO_HISTOGRAM_ERROR_DEVICE.
 * After an error @in is unchanged, and an @out other than @in must not be
 * used.
 *
 * Returns: %TRUE if the frame was corrected, %FALSE with @error set otherwise
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_process (GstVideoEqualizer * equalizer, GstBuffer * in,
    GstBuffer * out, GError ** error)
{
  GstVideoEqualizerSettings settings;
  VhFrameView views[2];
  VhFrameView *target = in == out ? &views[0] : &views[1];
  VhEqualizeJob job;
  GstClockTime step;
  gboolean done;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (in), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (out), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (out), FALSE);

  if (!equalizer->configured) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The equalizer has no caps: "
        "gst_video_equalizer_configure() must succeed first");
    return FALSE;
  }
  if (!view_frames (equalizer, in, out, views, error))
    return FALSE;
  if (!read_settings (equalizer, &settings, &views[0].picture, &job, error))
    return FALSE;
  if (!vh_equalizer_corrects (&job))
    return in == out || copy_frame (&views[0], target, error);

  step = vh_frame_step (&equalizer->processor.layout.info, in,
      equalizer->last_time);
  job.curve.share = vh_equalizer_share (step, settings.smoothing);
  done = correct_frame (equalizer, &views[0], target, &job, error);
  if (done) {
    equalizer->last_time = GST_BUFFER_PTS (in);
    vh_metas_forget_measured (out);
  }
  return done;
}

/**
 * gst_video_equalizer_new_pool:
 * @equalizer: a #GstVideoEqualizer
 * @buffer: a frame
 * @config: (out) (transfer full): the configuration of the new pool; add caps,
 *     size and options to it and set it with gst_buffer_pool_set_config()
 *
 * Creates a pool of buffers that frames like @buffer can be corrected into:
 * they have the same kind of memory, on the same device and stream.
 *
 * Returns: (transfer full): a new #GstBufferPool
 *
 * Since: 0.1
 */
GstBufferPool *
gst_video_equalizer_new_pool (GstVideoEqualizer * equalizer,
    GstBuffer * buffer, GstStructure ** config)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (config != NULL, NULL);

  return vh_devices_new_pool (buffer, config);
}

/**
 * gst_video_equalizer_pool_fits:
 * @equalizer: a #GstVideoEqualizer
 * @pool: a pool from gst_video_equalizer_new_pool()
 * @buffer: a frame
 *
 * Checks whether frames like @buffer can be corrected into buffers of @pool.
 * Replace the pool if not: frames may start to come from another context. Call
 * it from the thread that corrects frames.
 *
 * Returns: %TRUE if @pool has the kind of memory, the device and the stream of
 *     @buffer
 *
 * Since: 0.2
 */
gboolean
gst_video_equalizer_pool_fits (GstVideoEqualizer * equalizer,
    GstBufferPool * pool, GstBuffer * buffer)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER_POOL (pool), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);

  return vh_devices_pool_fits (pool, buffer);
}

/**
 * gst_video_equalizer_get_counted:
 * @equalizer: a #GstVideoEqualizer
 *
 * Returns how many frames the equalizer had to count itself, because they came
 * without a histogram that it could use. May be called from any thread.
 *
 * Returns: the number of frames
 *
 * Since: 0.1
 */
guint64
gst_video_equalizer_get_counted (GstVideoEqualizer * equalizer)
{
  guint64 counted;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), 0);

  g_mutex_lock (&equalizer->lock);
  counted = equalizer->counted;
  g_mutex_unlock (&equalizer->lock);
  return counted;
}

/**
 * gst_video_equalizer_get_active_backend:
 * @equalizer: a #GstVideoEqualizer
 *
 * Returns where frames are corrected now. This is known from the caps, and
 * then from the last frame. May be called from any thread.
 *
 * Returns: (nullable): `cpu`, `cuda`, or `none` after a failure, a static
 *     string; %NULL before gst_video_equalizer_configure()
 *
 * Since: 0.2
 */
const gchar *
gst_video_equalizer_get_active_backend (GstVideoEqualizer * equalizer)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), NULL);

  return vh_choice_get_active (&equalizer->processor.choice);
}

/**
 * gst_video_equalizer_dup_backend_reason:
 * @equalizer: a #GstVideoEqualizer
 *
 * Explains why frames are corrected on the active backend, or why correcting
 * failed. May be called from any thread.
 *
 * Returns: (transfer full) (nullable): the reason, to be freed with g_free();
 *     empty on a GPU, %NULL before gst_video_equalizer_configure()
 *
 * Since: 0.2
 */
gchar *
gst_video_equalizer_dup_backend_reason (GstVideoEqualizer * equalizer)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), NULL);

  return vh_choice_dup_reason (&equalizer->processor.choice);
}

/**
 * gst_video_equalizer_set_context:
 * @equalizer: a #GstVideoEqualizer
 * @context: (transfer none): a #GstContext that was set on the element of
 *     @equalizer
 *
 * Lets the equalizer use the CUDA context in @context, if it has one, now or
 * when frames in CUDA memory arrive. May be called from any thread.
 *
 * Since: 0.1
 */
void
gst_video_equalizer_set_context (GstVideoEqualizer * equalizer,
    GstContext * context)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));
  g_return_if_fail (GST_IS_CONTEXT (context));

  vh_devices_set_context (equalizer->processor.devices, context);
}

/**
 * gst_video_equalizer_answer_context_query:
 * @equalizer: a #GstVideoEqualizer
 * @query: a CONTEXT query to the element of @equalizer
 *
 * Answers @query with the CUDA context of the equalizer, if the query asks for
 * one and the equalizer has it. May be called from any thread.
 *
 * Returns: %TRUE if @query was answered
 *
 * Since: 0.1
 */
gboolean
gst_video_equalizer_answer_context_query (GstVideoEqualizer * equalizer,
    GstQuery * query)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (GST_IS_QUERY (query)
      && GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT, FALSE);

  return vh_devices_answer_context_query (equalizer->processor.devices, query);
}
