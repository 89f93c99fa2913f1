/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms whose counting ends when the test says so, as on a device. For
 * tests that link the library statically. */
#pragma once

#include "common/counts.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"

G_BEGIN_DECLS

typedef struct
{
  gint result;                  /* atomic; the state that the next poll
                                 * returns */
  gint polls;                   /* atomic */
  gint releases;                /* atomic */
  guint pixels;                 /* all in bin 3 */
} TestJob;

static inline void
test_job_poll (gpointer data, VhCounts * counts)
{
  TestJob *job = data;
  const gint state = g_atomic_int_get (&job->result);

  g_atomic_int_inc (&job->polls);
  if (state == GST_VIDEO_HISTOGRAM_STATE_COMPLETE) {
    vh_counts_storage (counts)[3] = job->pixels;
    vh_counts_complete (counts);
  } else if (state == GST_VIDEO_HISTOGRAM_STATE_FAILED) {
    vh_counts_fail (counts);
  }
}

static inline void
test_job_release (gpointer data)
{
  g_atomic_int_inc (&((TestJob *) data)->releases);
}

/* A histogram of 12 pixels in 16 bins, all in bin 3 once @job, which must
 * outlive it, is COMPLETE. */
static inline GstVideoHistogram *
test_pending_new (TestJob * job)
{
  static const VhPendingFuncs funcs = { test_job_poll, test_job_release };
  const GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8,
      8, GST_VIDEO_COLOR_RANGE_0_255, 16, 12);
  GstVideoHistogram *histogram = vh_histogram_new (&info, "fake");

  *job = (TestJob) {
    .result = GST_VIDEO_HISTOGRAM_STATE_PENDING,
    .pixels = 12,
  };
  vh_counts_set_pending (vh_histogram_counts (histogram), &funcs, job);
  return histogram;
}

G_END_DECLS
