/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element that only counts, as proof of how little code an element that
 * analyses frames needs. Its property `mean` is the mean of the luma of the
 * last frame, as a level. */
#include "analyser.h"
#include "propertytable.h"

G_DECLARE_FINAL_TYPE (CountOnly, count_only, COUNT, ONLY, VhAnalyser);
GST_ELEMENT_REGISTER_DECLARE (countonly);

struct _CountOnly
{
  VhAnalyser parent;

  gdouble mean;                 /* protected by the object lock */
};

G_DEFINE_TYPE (CountOnly, count_only, VH_TYPE_ANALYSER);
GST_ELEMENT_REGISTER_DEFINE (countonly, "countonly", GST_RANK_NONE,
    count_only_get_type ());

static void
count_only_analyse (VhAnalyser * analyser, GstBuffer * buffer,
    const VhFramePlan * plan, GError ** error)
{
  CountOnly *self = COUNT_ONLY (analyser);
  GstVideoHistogramStatistics statistics;
  GstVideoHistogram *histogram;

  (void) plan;
  histogram = gst_video_histogram_engine_submit (analyser->engine, buffer, NULL,
      FALSE, error);
  if (!histogram)
    return;
  if (gst_video_histogram_wait (histogram, GST_SECOND)
      && gst_video_histogram_get_statistics (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &statistics)) {
    GST_OBJECT_LOCK (self);
    self->mean = statistics.average;
    GST_OBJECT_UNLOCK (self);
    vh_analyser_count (analyser, &analyser->processed);
  } else {
    vh_analyser_count (analyser, &analyser->skipped);
  }
  gst_video_histogram_unref (histogram);
}

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  {"mean", "Mean", "Mean luma of the last frame (0 is black, 1 is white)",
      G_TYPE_DOUBLE, VH_FIELD (CountOnly, mean), .flags = G_PARAM_READABLE},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table = VH_PROPERTY_TABLE (properties,
    NULL);

static void
count_only_init (CountOnly * self)
{
  vh_property_table_init (&property_table, self);
}

static void
count_only_class_init (CountOnlyClass * klass)
{
  vh_property_table_install (&property_table, klass);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Count only", "Filter/Analyzer/Video", "Counts", "Tests");
  VH_ANALYSER_CLASS (klass)->analyse = count_only_analyse;
}
