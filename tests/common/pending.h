/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms that are counted when the test says so, as a device would count
 * them. For tests that have the library inside them. */
#pragma once

#include "common/counts.h"
#include "core/histogram-private.h"

G_BEGIN_DECLS

typedef struct
{
  gint result;                  /* atomic; the state that the next poll finds */
  gint polls;                   /* atomic */
  gint releases;                /* atomic */
} TestJob;

static inline GstVideoHistogramState
test_job_poll (gpointer data, GstVideoHistogram * histogram)
{
  TestJob *job = data;
  const GstVideoHistogramState state = g_atomic_int_get (&job->result);

  g_atomic_int_inc (&job->polls);
  if (state == GST_VIDEO_HISTOGRAM_STATE_COMPLETE) {
    vh_histogram_storage (histogram)[3] =
        gst_video_histogram_get_pixels (histogram);
  }
  return state;
}

static inline void
test_job_release (gpointer data)
{
  g_atomic_int_inc (&((TestJob *) data)->releases);
}

/* A histogram of 12 pixels in 16 bins, all of them in bin 3 once @job, which
 * has to outlive it, says COMPLETE. */
static inline GstVideoHistogram *
test_pending_new (TestJob * job)
{
  static const VhPendingFuncs funcs = { test_job_poll, test_job_release };
  const GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8,
      8, GST_VIDEO_COLOR_RANGE_0_255, 16, 12);
  GstVideoHistogram *histogram = vh_histogram_new (&info, "fake");

  *job = (TestJob) {
    .result = GST_VIDEO_HISTOGRAM_STATE_PENDING,
  };
  vh_histogram_set_pending (histogram, &funcs, job);
  return histogram;
}

G_END_DECLS
