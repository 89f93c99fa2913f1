/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gst/videohistogram/gstvideohistogramspec.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "core/methods.h"

/* Registers the enum types by hand, for their nicks. */

#define M(id, nick, description) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_HISTOGRAM_METHOD_##id == \
        (guint) VH_METHOD_##id);
VH_METHODS (M)
#undef M

static GType
register_once (gsize * once, const gchar * name, const GEnumValue * values)
{
  if (g_once_init_enter (once)) {
    const GType type = g_enum_register_static (name, values);

    g_once_init_leave (once, type);
  }
  return *once;
}

GType
gst_video_histogram_backend_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_BACKEND_AUTO, "GST_VIDEO_HISTOGRAM_BACKEND_AUTO",
        "auto"},
    {GST_VIDEO_HISTOGRAM_BACKEND_CPU, "GST_VIDEO_HISTOGRAM_BACKEND_CPU",
        "cpu"},
    {GST_VIDEO_HISTOGRAM_BACKEND_CUDA, "GST_VIDEO_HISTOGRAM_BACKEND_CUDA",
        "cuda"},
    {0, NULL, NULL},
  };
  static gsize type = 0;

  return register_once (&type, "GstVideoHistogramBackend", values);
}

GType
gst_video_histogram_method_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_METHOD_AUTO, "GST_VIDEO_HISTOGRAM_METHOD_AUTO",
        "auto"},
#define M(id, nick, description) \
    {GST_VIDEO_HISTOGRAM_METHOD_##id, "GST_VIDEO_HISTOGRAM_METHOD_" #id, \
        nick},
    VH_METHODS (M)
#undef M
    {0, NULL, NULL},
  };
  static gsize type = 0;

  return register_once (&type, "GstVideoHistogramMethod", values);
}

GType
gst_video_histogram_overload_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_OVERLOAD_DROP, "GST_VIDEO_HISTOGRAM_OVERLOAD_DROP",
        "drop"},
    {GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT, "GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT",
        "wait"},
    {0, NULL, NULL},
  };
  static gsize type = 0;

  return register_once (&type, "GstVideoHistogramOverload", values);
}

GType
gst_video_histogram_overload_policy_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO,
          "GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_AUTO",
        "auto"},
    {GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP,
          "GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_DROP",
        "drop"},
    {GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT,
          "GST_VIDEO_HISTOGRAM_OVERLOAD_POLICY_WAIT",
        "wait"},
    {0, NULL, NULL},
  };
  static gsize type = 0;

  return register_once (&type, "GstVideoHistogramOverloadPolicy", values);
}

GType
gst_video_histogram_attach_meta_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO,
          "GST_VIDEO_HISTOGRAM_ATTACH_META_AUTO",
        "auto"},
    {GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS,
          "GST_VIDEO_HISTOGRAM_ATTACH_META_ALWAYS",
        "always"},
    {GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER,
          "GST_VIDEO_HISTOGRAM_ATTACH_META_NEVER",
        "never"},
    {0, NULL, NULL},
  };
  static gsize type = 0;

  return register_once (&type, "GstVideoHistogramAttachMeta", values);
}

G_DEFINE_BOXED_TYPE (GstVideoHistogramSpec, gst_video_histogram_spec,
    gst_video_histogram_spec_copy, gst_video_histogram_spec_free);

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
GstVideoHistogramSpec *
gst_video_histogram_spec_new (void)
{
  GstVideoHistogramSpec *spec;

  vh_return_val_unless_initialized (NULL, NULL);

  spec = g_new0 (GstVideoHistogramSpec, 1);
  gst_video_histogram_spec_init (spec);
  return spec;
}

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
GstVideoHistogramSpec *
gst_video_histogram_spec_copy (const GstVideoHistogramSpec * spec)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (spec != NULL, NULL);

  return g_memdup2 (spec, sizeof (*spec));
}

/**
 * gst_video_histogram_spec_free: (skip)
 * @spec: (transfer full) (nullable): a #GstVideoHistogramSpec from
 *     gst_video_histogram_spec_new() or gst_video_histogram_spec_copy()
 *
 * Frees a spec. Does nothing if @spec is %NULL.
 *
 * Since: 0.2
 */
void
gst_video_histogram_spec_free (GstVideoHistogramSpec * spec)
{
  vh_check_initialized (NULL);
  g_free (spec);
}

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
