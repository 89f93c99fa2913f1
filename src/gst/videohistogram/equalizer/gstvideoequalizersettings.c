/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideoequalizersettings.h"
#include "curve.h"
#include "gst/videohistogram/histogram/types.h"

/* One row per value, which equals the one of curve.h. E (ID, nick) */
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

/* *INDENT-OFF* */
#define METHOD_VALUES(E) METHODS (METHOD_VALUE)
#define METHOD_VALUE(id, nick) \
    VH_TYPE_VALUE (GST_VIDEO_EQUALIZE_METHOD_##id, nick)
VH_DEFINE_ENUM_TYPE (GstVideoEqualizeMethod, gst_video_equalize_method,
    METHOD_VALUES);

#define COLOR_VALUES(E) COLORS (COLOR_VALUE)
#define COLOR_VALUE(id, nick) \
    VH_TYPE_VALUE (GST_VIDEO_EQUALIZE_COLOR_##id, nick)
VH_DEFINE_ENUM_TYPE (GstVideoEqualizeColor, gst_video_equalize_color,
    COLOR_VALUES);
/* *INDENT-ON* */

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
VH_DEFINE_STRUCT_TYPE (GstVideoEqualizerSettings, gst_video_equalizer_settings,
    gst_video_equalizer_settings_init);

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
