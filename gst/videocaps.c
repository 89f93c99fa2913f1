/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "videocaps.h"

#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#define MEMORY_CUDA "memory:CUDAMemory"

/* What nvcodec's elements have in CUDA memory; formats that this version of
 * GStreamer does not know are left out. */
static const gchar *const cuda_formats[] = {
  "I420", "YV12", "NV12", "NV21", "P010_10LE", "P012_LE", "P016_LE",
  "I420_10LE", "I420_12LE", "Y42B", "I422_10LE", "I422_12LE", "Y444",
  "Y444_10LE", "Y444_12LE", "Y444_16LE", "YUY2", "UYVY", "GRAY8", "GRAY16_LE",
  "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR",
  "RGBP", "BGRP", "GBR", "GBRA", "GBR_10LE", "GBR_12LE", "GBR_16LE",
  "RGB10A2_LE", "BGR10A2_LE", "AYUV", "VUYA",
};

/* Caps of @caps's structures with @memory and, if not NULL, @meta. */
static void
append_with_features (GstCaps * to, GstCaps * caps, const gchar * memory,
    const gchar * meta)
{
  GstCaps *copy = gst_caps_copy (caps);

  gst_caps_set_features_simple (copy,
      meta ? gst_caps_features_new (memory, meta, NULL) :
      gst_caps_features_new (memory, NULL));
  gst_caps_append (to, copy);
}

static GstCaps *
make_cuda_caps (void)
{
  GstVideoFormat formats[G_N_ELEMENTS (cuda_formats)];
  guint n = 0, i;

  for (i = 0; i < G_N_ELEMENTS (cuda_formats); i++) {
    const GstVideoFormat format =
        gst_video_format_from_string (cuda_formats[i]);

    if (format != GST_VIDEO_FORMAT_UNKNOWN)
      formats[n++] = format;
  }
  return gst_video_make_raw_caps (formats, n);
}

/* What is offered where the other side leaves the features open. */
static GstCaps *
make_explicit_caps (void)
{
  GstCaps *caps = gst_caps_new_empty ();
  GstCaps *cuda = make_cuda_caps ();
  GstCaps *system = gst_video_histogram_engine_get_caps ();

  append_with_features (caps, cuda, MEMORY_CUDA, NULL);
  append_with_features (caps, cuda, MEMORY_CUDA,
      GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
  append_with_features (caps, system, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY,
      NULL);
  append_with_features (caps, system, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY,
      GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
  gst_caps_unref (cuda);
  gst_caps_unref (system);
  return caps;
}

/* The template takes any feature, for the meta features; memories are sorted
 * out in vh_video_caps_transform(). */
GstCaps *
vh_video_caps_template (void)
{
  GstCaps *caps = make_explicit_caps ();
  GstCaps *any = gst_video_histogram_engine_get_caps ();

  gst_caps_set_features_simple (any, gst_caps_features_new_any ());
  gst_caps_append (caps, any);
  return caps;
}

/* Whether all memories that @features name are those that can be read. */
static gboolean
memories_are_readable (const GstCapsFeatures * features)
{
  guint i;

  for (i = 0; i < gst_caps_features_get_size (features); i++) {
    const gchar *feature = gst_caps_features_get_nth (features, i);

    if (g_str_has_prefix (feature, "memory:")
        && strcmp (feature, MEMORY_CUDA) != 0
        && strcmp (feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY) != 0)
      return FALSE;
  }
  return TRUE;
}

GstCaps *
vh_video_caps_transform (GstCaps * caps, GstCaps * filter)
{
  GstCaps *result = gst_caps_new_empty ();
  GstCaps *open = gst_caps_new_empty ();
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);

    if (gst_caps_features_is_any (features)) {
      gst_caps_append_structure_full (open, gst_structure_copy (structure),
          gst_caps_features_copy (features));
    } else if (memories_are_readable (features)) {
      gst_caps_append_structure_full (result, gst_structure_copy (structure),
          gst_caps_features_copy (features));
    }
  }

  if (!gst_caps_is_empty (open)) {
    GstCaps *explicit_caps = make_explicit_caps ();

    result = gst_caps_merge (result,
        gst_caps_intersect_full (explicit_caps, open,
            GST_CAPS_INTERSECT_FIRST));
    gst_caps_unref (explicit_caps);
  }
  gst_caps_unref (open);

  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result,
        GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}
