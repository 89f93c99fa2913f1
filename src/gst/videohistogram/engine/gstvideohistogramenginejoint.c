/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of a GstVideoHistogramEngine. */
#include "gstvideohistogramengine-private.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "core/error.h"

/* Two frames, or one, for one joint histogram. */
typedef struct
{
  GstVideoHistogramEngine *engine;
  GstVideoHistogramJoint kind;
  VhFrameView views[2];
  VhRect regions[2];
  GstVideoJointHistogram *joint;        /* the result */
} Pair;

/* Finds what to count in frame @i of @pair, and checks its bounds. */
static gboolean
view_frame (Pair * pair, guint i, GstBuffer * buffer, GError ** error)
{
  const GstVideoHistogramEngine *engine = pair->engine;
  const guint planes = vh_joint_stream_kind_planes (engine->joint, pair->kind);
  VhEngineJob job;

  if (!vh_devices_view (&pair->views[i], &engine->processor.layout, buffer,
          planes, error)
      || !vh_engine_job_init (&job, &engine->specs[0], &pair->views[i], NULL,
          error))
    return FALSE;
  pair->regions[i] = job.region;
  return TRUE;
}

/* A VhProcessFunc. */
static gboolean
count_pair (gpointer data, VhWhere where, GError ** error)
{
  Pair *pair = data;

  pair->joint = vh_joint_stream_count (pair->engine->joint, where, pair->kind,
      pair->views, pair->regions, error);
  return pair->joint != NULL;
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
  Pair pair = {.engine = engine,.kind = kind };
  const VhRect *regions = pair.regions;
  VhWhere at;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (a), NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER ?
      GST_IS_BUFFER (b) : b == NULL, NULL);

  if (!vh_engine_check_configured (engine, error))
    return NULL;
  if (!vh_joint_stream_has (engine->joint, kind)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s has no U and V",
        GST_VIDEO_INFO_NAME (&engine->processor.layout.info));
    return NULL;
  }
  if (!view_frame (&pair, 0, a, error)
      || (b && !view_frame (&pair, 1, b, error)))
    return NULL;
  if (b && (regions[0].width != regions[1].width
          || regions[0].height != regions[1].height)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "One frame has %ux%u pixels "
        "to count, but the other %ux%u", regions[0].width, regions[0].height,
        regions[1].width, regions[1].height);
    return NULL;
  }

  at = vh_where_view (&pair.views[0]);
  if (b && at == VH_ON_CPU)
    at = vh_where_view (&pair.views[1]);
  vh_processor_process (&engine->processor, at, pair.views[0].planes,
      count_pair, &pair, error);
  return pair.joint;
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

  vh_joint_stream_set_other (engine->joint, other ? other->joint : NULL);
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

  vh_joint_stream_end_frames (engine->joint, flush);
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

  return vh_joint_stream_dup_problem (engine->joint);
}
