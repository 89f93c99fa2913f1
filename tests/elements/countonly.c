/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element that only counts, as proof of how little code an element on the
 * common base class needs. Its property `frames` is the number of frames
 * counted. */
#include "basetransform.h"

#include <gst/videohistogram/videohistogram.h>

G_DECLARE_FINAL_TYPE (CountOnly, count_only, COUNT, ONLY,
    VhBaseTransform);
GST_ELEMENT_REGISTER_DECLARE (countonly);

struct _CountOnly
{
  VhBaseTransform parent;

  GstVideoHistogramEngine *engine;
  gint frames;                  /* atomic */
};

G_DEFINE_TYPE (CountOnly, count_only, VH_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (countonly, "countonly", GST_RANK_NONE,
    count_only_get_type ());

static gboolean
count_only_open (VhBaseTransform * base, gint cuda_device_id)
{
  return gst_video_histogram_engine_open (COUNT_ONLY (base)->engine,
      GST_VIDEO_HISTOGRAM_BACKEND_AUTO, cuda_device_id, GST_ELEMENT (base),
      NULL);
}

static void
count_only_close (VhBaseTransform * base)
{
  gst_video_histogram_engine_close (COUNT_ONLY (base)->engine);
}

static void
count_only_take_context (VhBaseTransform * base, GstContext * context)
{
  gst_video_histogram_engine_set_context (COUNT_ONLY (base)->engine, context);
}

static gboolean
count_only_answer_context (VhBaseTransform * base, GstQuery * query)
{
  return gst_video_histogram_engine_answer_context_query
      (COUNT_ONLY (base)->engine, query);
}

static gboolean
count_only_configure (VhBaseTransform * base, GstCaps * caps)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  return gst_video_histogram_engine_configure (COUNT_ONLY (base)->engine,
      caps, &spec, NULL);
}

static GstFlowReturn
count_only_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  CountOnly *self = COUNT_ONLY (trans);
  GstVideoHistogram *histogram;

  histogram = gst_video_histogram_engine_submit (self->engine, buffer, NULL,
      FALSE, NULL);
  if (histogram && gst_video_histogram_wait (histogram, GST_SECOND))
    g_atomic_int_inc (&self->frames);
  gst_clear_video_histogram (&histogram);
  return GST_FLOW_OK;
}

static void
count_only_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  (void) id;
  (void) pspec;
  g_value_set_int (value, g_atomic_int_get (&COUNT_ONLY (object)->frames));
}

static void
count_only_finalize (GObject * object)
{
  g_object_unref (COUNT_ONLY (object)->engine);
  G_OBJECT_CLASS (count_only_parent_class)->finalize (object);
}

static void
count_only_init (CountOnly * self)
{
  self->engine = gst_video_histogram_engine_new ();
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}

static void
count_only_class_init (CountOnlyClass * klass)
{
  VhBaseTransformClass *base =
      VH_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = count_only_finalize;
  G_OBJECT_CLASS (klass)->get_property = count_only_get_property;
  g_object_class_install_property (G_OBJECT_CLASS (klass), 1,
      g_param_spec_int ("frames", "Frames", "Frames counted", 0, G_MAXINT, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Count only", "Filter/Analyzer/Video", "Counts", "Tests");
  GST_BASE_TRANSFORM_CLASS (klass)->transform_ip = count_only_transform_ip;
  base->open = count_only_open;
  base->close = count_only_close;
  base->take_context = count_only_take_context;
  base->answer_context = count_only_answer_context;
  base->configure = count_only_configure;
}
