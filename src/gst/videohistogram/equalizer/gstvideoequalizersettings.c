/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gst/videohistogram/gstvideoequalizersettings.h"
#include "curve.h"
#include "gst/videohistogram/histogram/initialized.h"

/* Registers the enum types by hand, to check that their values equal those of
 * curve.h: one row per value. E (ID, nick) */
/* *INDENT-OFF* */
#define METHODS(E) \
  E (NONE, "none") \
  E (EQUALIZE, "equalize") \
  E (STRETCH, "stretch") \
  E (GAMMA, "gamma") \
  E (MATCH, "match") \
  E (CLAHE, "clahe")

#define COLORS(E) \
  E (SCALE, "scale") \
  E (KEEP, "keep") \
  E (CHANNELS, "channels")
/* *INDENT-ON* */

#define E(id, nick) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_EQUALIZE_METHOD_##id == \
        (guint) VH_CURVE_##id);
METHODS (E)
#undef E
#define E(id, nick) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_EQUALIZE_COLOR_##id == \
        (guint) VH_COLOR_##id);
COLORS (E)
#undef E

GType
gst_video_equalize_method_get_type (void)
{
  static const GEnumValue values[] = {
#define E(id, nick) \
    {GST_VIDEO_EQUALIZE_METHOD_##id, "GST_VIDEO_EQUALIZE_METHOD_" #id, nick},
    METHODS (E)
#undef E
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeMethod", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_video_equalize_color_get_type (void)
{
  static const GEnumValue values[] = {
#define E(id, nick) \
    {GST_VIDEO_EQUALIZE_COLOR_##id, "GST_VIDEO_EQUALIZE_COLOR_" #id, nick},
    COLORS (E)
#undef E
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeColor", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

G_DEFINE_BOXED_TYPE (GstVideoEqualizerSettings, gst_video_equalizer_settings,
    gst_video_equalizer_settings_copy, gst_video_equalizer_settings_free);

/**
 * gst_video_equalizer_settings_new:
 *
 * Creates settings with the values of gst_video_equalizer_settings_init(). May
 * be called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoEqualizerSettings; free it with
 *     gst_video_equalizer_settings_free()
 *
 * Since: 0.2
 */
GstVideoEqualizerSettings *
gst_video_equalizer_settings_new (void)
{
  GstVideoEqualizerSettings *settings;

  vh_return_val_unless_initialized (NULL, NULL);

  settings = g_new0 (GstVideoEqualizerSettings, 1);
  gst_video_equalizer_settings_init (settings);
  return settings;
}

/**
 * gst_video_equalizer_settings_copy:
 * @settings: a #GstVideoEqualizerSettings
 *
 * Copies settings. May be called from any thread.
 *
 * Returns: (transfer full): a copy of @settings; free it with
 *     gst_video_equalizer_settings_free()
 *
 * Since: 0.2
 */
GstVideoEqualizerSettings *
gst_video_equalizer_settings_copy (const GstVideoEqualizerSettings * settings)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (settings != NULL, NULL);

  return g_memdup2 (settings, sizeof (*settings));
}

/**
 * gst_video_equalizer_settings_free: (skip)
 * @settings: (transfer full) (nullable): a #GstVideoEqualizerSettings from
 *     gst_video_equalizer_settings_new() or
 *     gst_video_equalizer_settings_copy()
 *
 * Frees settings. Does nothing if @settings is %NULL.
 *
 * Since: 0.2
 */
void
gst_video_equalizer_settings_free (GstVideoEqualizerSettings * settings)
{
  vh_check_initialized (NULL);
  g_free (settings);
}

/**
 * gst_video_equalizer_settings_init:
 * @settings: (out caller-allocates): the #GstVideoEqualizerSettings to fill in
 *
 * Sets @settings to the defaults of the element `videoequalize`: the method
 * `equalize` on the whole picture, smoothed with a time constant of half a
 * second.
 *
 * Since: 0.1
 */
void
gst_video_equalizer_settings_init (GstVideoEqualizerSettings * settings)
{
  vh_check_initialized (NULL);
  g_return_if_fail (settings != NULL);

  *settings = (GstVideoEqualizerSettings) {
    .method = GST_VIDEO_EQUALIZE_METHOD_EQUALIZE,
    .color = GST_VIDEO_EQUALIZE_COLOR_SCALE,
    .strength = 1,
    .low_percentile = 0.5,
    .high_percentile = 99.5,
    .max_gain = 4,
    .target = 0.45,
    .clip_limit = 2,
    .tile_columns = 8,
    .tile_rows = 8,
    .smoothing = GST_SECOND / 2,
    .scene_threshold = 0.1,
  };
}
