/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideohistogramspec.h"
#include "gst/videohistogram/histogram/types.h"
#include "core/methods.h"

#define M(id, nick, description) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_HISTOGRAM_METHOD_##id == \
        (guint) VH_METHOD_##id);
VH_METHODS (M)
#undef M

/* The values and nicks of the enum types. */
/* *INDENT-OFF* */
#define BACKENDS(E) \
  E (GST_VIDEO_HISTOGRAM_BACKEND_AUTO, "auto") \
  E (GST_VIDEO_HISTOGRAM_BACKEND_CPU, "cpu") \
  E (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, "cuda")

#define OVERLOADS(E) \
  E (GST_VIDEO_HISTOGRAM_OVERLOAD_DROP, "drop") \
  E (GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT, "wait")

#define OVERLOAD_POLICIES(E) \
  E (GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO, "auto") \
  E (GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP, "drop") \
  E (GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT, "wait")

#define ATTACH_METAS(E) \
  E (GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO, "auto") \
  E (GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS, "always") \
  E (GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER, "never")

#define METHODS(E) \
  E (GST_VIDEO_HISTOGRAM_METHOD_AUTO, "auto") \
  VH_METHODS (METHOD_VALUE)
#define METHOD_VALUE(id, nick, description) \
    VH_TYPE_VALUE (GST_VIDEO_HISTOGRAM_METHOD_##id, nick)

VH_DEFINE_ENUM_TYPE (GstVideoHistogramBackend, gst_video_histogram_backend,
    BACKENDS);
VH_DEFINE_ENUM_TYPE (GstVideoHistogramMethod, gst_video_histogram_method,
    METHODS);
VH_DEFINE_ENUM_TYPE (GstVideoHistogramOverload, gst_video_histogram_overload,
    OVERLOADS);
VH_DEFINE_ENUM_TYPE (GstVideoHistogramOverloadPolicy,
    gst_video_histogram_overload_policy, OVERLOAD_POLICIES);
VH_DEFINE_ENUM_TYPE (GstVideoHistogramAttachMeta,
    gst_video_histogram_attach_meta, ATTACH_METAS);
/* *INDENT-ON* */

/**
 * gst_video_histogram_spec_new:
 *
 * Creates a spec with the values of gst_video_histogram_spec_init(). May be
 * called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoHistogramSpec; free it with
 *     gst_video_histogram_spec_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_spec_copy:
 * @spec: a #GstVideoHistogramSpec
 *
 * Copies a spec. May be called from any thread.
 *
 * Returns: (transfer full): a copy of @spec; free it with
 *     gst_video_histogram_spec_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_spec_free: (skip)
 * @spec: (transfer full) (nullable): a #GstVideoHistogramSpec from
 *     gst_video_histogram_spec_new() or gst_video_histogram_spec_copy()
 *
 * Frees a spec. Does nothing if @spec is %NULL.
 *
 * Since: 0.2
 */
VH_DEFINE_STRUCT_TYPE (GstVideoHistogramSpec, gst_video_histogram_spec,
    gst_video_histogram_spec_init);

/**
 * gst_video_histogram_spec_init:
 * @spec: (out caller-allocates): the #GstVideoHistogramSpec to fill in
 *
 * Sets @spec to the defaults of the element `videohistogram`: luma of the
 * whole picture in a single cell, with a number of bins that depends on the
 * depth.
 *
 * Since: 0.1
 */
void
gst_video_histogram_spec_init (GstVideoHistogramSpec * spec)
{
  vh_check_initialized (NULL);
  g_return_if_fail (spec != NULL);

  *spec = (GstVideoHistogramSpec) {
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .columns = 1,
    .rows = 1,
  };
}
