/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginejob.h"
#include "enginespec.h"
#include "gst/videohistogram/gstvideohistogrammeta.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/segment.h"

void
vh_engine_result_clear (VhEngineResult * result)
{
  gst_clear_video_histogram (&result->histogram);
  gst_clear_video_joint_histogram (&result->joint);
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

gboolean
vh_engine_job_init (VhEngineJob * job, const GstVideoHistogramSpec * spec,
    const VhFrameView * view, const GstSegment * segment, GError ** error)
{
  GstVideoHistogramInfo *info = &job->info;

  *job = (VhEngineJob) { .spec = spec };
  if (!vh_spec_describe (spec, view->layout, &view->picture, info)) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The region lies outside the "
        "picture of %ux%u pixels that the crop meta selects",
        view->picture.width, view->picture.height);
    return FALSE;
  }

  set_times (info, view->buffer, segment);
  job->region = (VhRect) {
    .x = view->picture.x + info->region_x,
    .y = view->picture.y + info->region_y,
    .width = info->region_width,
    .height = info->region_height,
  };
  return TRUE;
}

static gboolean
has_same_region (const GstVideoHistogramInfo * a,
    const GstVideoHistogramInfo * b)
{
  return a->region_x == b->region_x && a->region_y == b->region_y
      && a->region_width == b->region_width
      && a->region_height == b->region_height;
}

/* Whether @counted has everything that @wanted asks for, in the same bins and
 * cells. */
static gboolean
is_counted_as (const GstVideoHistogramInfo * counted,
    const GstVideoHistogramInfo * wanted)
{
  return counted->format == wanted->format && counted->depth == wanted->depth
      && counted->width == wanted->width && counted->height == wanted->height
      && has_same_region (counted, wanted)
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

void
vh_engine_job_find (VhEngineJob * job, const VhFrameView * view)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (view->buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE))) {
    GstVideoHistogramMeta *own = (GstVideoHistogramMeta *) meta;
    GstVideoHistogram *histogram = own->histogram;
    const GstVideoHistogramInfo *info =
        gst_video_histogram_get_info (histogram);
    GstVideoJointHistogram *joint = find_joint (histogram, job->spec);

    if (gst_video_histogram_get_state (histogram) ==
        GST_VIDEO_HISTOGRAM_STATE_FAILED
        || !vh_meta_is_measured (own, view, vh_channels_planes (view->layout,
                info->channels) & view->planes))
      continue;
    if (!job->held.histogram && is_counted_as (info, &job->info))
      job->held.histogram = gst_video_histogram_ref (histogram);
    if (!job->held.joint && joint && has_same_region (info, &job->info))
      job->held.joint = gst_video_joint_histogram_ref (joint);
  }
}

gboolean
vh_engine_job_has_all (const VhEngineJob * job)
{
  return job->held.histogram && (job->held.joint
      || job->spec->joint == GST_VIDEO_HISTOGRAM_JOINT_NONE);
}

gboolean
vh_engine_job_new_histogram (VhEngineJob * job, const gchar * backend,
    const VhCountsShape * shape, GError ** error)
{
  GstVideoHistogramInfo info = job->info;

  if (vh_engine_job_has_all (job))
    return TRUE;
  info.columns = shape->columns;
  info.rows = shape->rows;
  job->histogram = vh_histogram_new (&info, backend);
  if (!job->histogram) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
        "memory for the counts");
  }
  return job->histogram != NULL;
}

void
vh_engine_job_take (VhEngineJob * job, VhEngineResult * result)
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
