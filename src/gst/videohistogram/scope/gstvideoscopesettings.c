/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideoscopesettings.h"
#include "gst/videohistogram/histogram/types.h"

/* The values and nicks of the enum types. */
/* *INDENT-OFF* */
#define SCOPES_VALUES(E) \
  E (GST_VIDEO_SCOPES_NONE, "none") \
  E (GST_VIDEO_SCOPES_HISTOGRAM, "histogram") \
  E (GST_VIDEO_SCOPES_WAVEFORM, "waveform") \
  E (GST_VIDEO_SCOPES_PARADE, "parade") \
  E (GST_VIDEO_SCOPES_VECTORSCOPE, "vectorscope") \
  E (GST_VIDEO_SCOPES_FALSE_COLOR, "false-color") \
  E (GST_VIDEO_SCOPES_ZEBRA, "zebra")

#define SCOPE_LAYOUT_VALUES(E) \
  E (GST_VIDEO_SCOPE_LAYOUT_OVERLAY, "overlay") \
  E (GST_VIDEO_SCOPE_LAYOUT_BESIDE, "beside") \
  E (GST_VIDEO_SCOPE_LAYOUT_ONLY, "only")

#define SCOPE_POSITION_VALUES(E) \
  E (GST_VIDEO_SCOPE_POSITION_TOP_LEFT, "top-left") \
  E (GST_VIDEO_SCOPE_POSITION_TOP, "top") \
  E (GST_VIDEO_SCOPE_POSITION_TOP_RIGHT, "top-right") \
  E (GST_VIDEO_SCOPE_POSITION_LEFT, "left") \
  E (GST_VIDEO_SCOPE_POSITION_RIGHT, "right") \
  E (GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT, "bottom-left") \
  E (GST_VIDEO_SCOPE_POSITION_BOTTOM, "bottom") \
  E (GST_VIDEO_SCOPE_POSITION_BOTTOM_RIGHT, "bottom-right")

#define SCOPE_COMPONENTS_VALUES(E) \
  E (GST_VIDEO_SCOPE_COMPONENTS_LUMA, "luma") \
  E (GST_VIDEO_SCOPE_COMPONENTS_RGB, "rgb") \
  E (GST_VIDEO_SCOPE_COMPONENTS_YUV, "yuv")

#define SCOPE_MODE_VALUES(E) \
  E (GST_VIDEO_SCOPE_MODE_OVERLAY, "overlay") \
  E (GST_VIDEO_SCOPE_MODE_STACK, "stack") \
  E (GST_VIDEO_SCOPE_MODE_PARADE, "parade")

#define SCOPE_INTENSITY_VALUES(E) \
  E (GST_VIDEO_SCOPE_INTENSITY_AUTO, "auto") \
  E (GST_VIDEO_SCOPE_INTENSITY_GAIN, "gain") \
  E (GST_VIDEO_SCOPE_INTENSITY_POWER, "power")

#define SCOPE_ENVELOPE_VALUES(E) \
  E (GST_VIDEO_SCOPE_ENVELOPE_NONE, "none") \
  E (GST_VIDEO_SCOPE_ENVELOPE_INSTANT, "instant") \
  E (GST_VIDEO_SCOPE_ENVELOPE_PEAK, "peak")

#define SCOPE_GRATICULE_VALUES(E) \
  E (GST_VIDEO_SCOPE_GRATICULE_NONE, "none") \
  E (GST_VIDEO_SCOPE_GRATICULE_GREEN, "green") \
  E (GST_VIDEO_SCOPE_GRATICULE_AMBER, "amber") \
  E (GST_VIDEO_SCOPE_GRATICULE_WHITE, "white")

#define SCOPE_SCALE_VALUES(E) \
  E (GST_VIDEO_SCOPE_SCALE_CODE, "code") \
  E (GST_VIDEO_SCOPE_SCALE_PERCENT, "percent") \
  E (GST_VIDEO_SCOPE_SCALE_IRE, "ire") \
  E (GST_VIDEO_SCOPE_SCALE_MV, "mv") \
  E (GST_VIDEO_SCOPE_SCALE_NITS, "nits")

#define SCOPE_LIMITS_VALUES(E) \
  E (GST_VIDEO_SCOPE_LIMITS_NONE, "none") \
  E (GST_VIDEO_SCOPE_LIMITS_RANGE, "range") \
  E (GST_VIDEO_SCOPE_LIMITS_R103, "r103")

#define SCOPE_TARGETS_VALUES(E) \
  E (GST_VIDEO_SCOPE_TARGETS_NONE, "none") \
  E (GST_VIDEO_SCOPE_TARGETS_PERCENT_75, "75") \
  E (GST_VIDEO_SCOPE_TARGETS_PERCENT_100, "100")

#define SCOPE_FALSE_COLOR_VALUES(E) \
  E (GST_VIDEO_SCOPE_FALSE_COLOR_ARRI, "arri") \
  E (GST_VIDEO_SCOPE_FALSE_COLOR_OBS, "obs") \
  E (GST_VIDEO_SCOPE_FALSE_COLOR_CINEZONE, "cinezone") \
  E (GST_VIDEO_SCOPE_FALSE_COLOR_TABLE, "table")
/* *INDENT-ON* */

/* *INDENT-OFF* */
VH_DEFINE_FLAGS_TYPE (GstVideoScopes, gst_video_scopes,
    SCOPES_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeLayout, gst_video_scope_layout,
    SCOPE_LAYOUT_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopePosition, gst_video_scope_position,
    SCOPE_POSITION_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeComponents, gst_video_scope_components,
    SCOPE_COMPONENTS_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeMode, gst_video_scope_mode,
    SCOPE_MODE_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeIntensity, gst_video_scope_intensity,
    SCOPE_INTENSITY_VALUES);
VH_DEFINE_FLAGS_TYPE (GstVideoScopeEnvelope, gst_video_scope_envelope,
    SCOPE_ENVELOPE_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeGraticule, gst_video_scope_graticule,
    SCOPE_GRATICULE_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeScale, gst_video_scope_scale,
    SCOPE_SCALE_VALUES);
VH_DEFINE_FLAGS_TYPE (GstVideoScopeLimits, gst_video_scope_limits,
    SCOPE_LIMITS_VALUES);
VH_DEFINE_FLAGS_TYPE (GstVideoScopeTargets, gst_video_scope_targets,
    SCOPE_TARGETS_VALUES);
VH_DEFINE_ENUM_TYPE (GstVideoScopeFalseColor, gst_video_scope_false_color,
    SCOPE_FALSE_COLOR_VALUES);
/* *INDENT-ON* */

#define DEFAULT_SCOPES (GST_VIDEO_SCOPES_HISTOGRAM | \
    GST_VIDEO_SCOPES_WAVEFORM | GST_VIDEO_SCOPES_VECTORSCOPE)
#define DEFAULT_TARGETS (GST_VIDEO_SCOPE_TARGETS_PERCENT_75 | \
    GST_VIDEO_SCOPE_TARGETS_PERCENT_100)

/**
 * gst_video_scope_settings_new:
 *
 * Creates settings with the values of gst_video_scope_settings_init(). May be
 * called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoScopeSettings; free it with
 *     gst_video_scope_settings_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_scope_settings_copy:
 * @settings: a #GstVideoScopeSettings
 *
 * Copies settings. May be called from any thread.
 *
 * Returns: (transfer full): a copy of @settings; free it with
 *     gst_video_scope_settings_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_scope_settings_free: (skip)
 * @settings: (transfer full) (nullable): a #GstVideoScopeSettings from
 *     gst_video_scope_settings_new() or gst_video_scope_settings_copy()
 *
 * Frees settings. Does nothing if @settings is %NULL.
 *
 * Since: 0.2
 */
VH_DEFINE_STRUCT_TYPE (GstVideoScopeSettings, gst_video_scope_settings,
    gst_video_scope_settings_init);

/**
 * gst_video_scope_settings_init:
 * @settings: (out caller-allocates): the #GstVideoScopeSettings to fill in
 *
 * Sets @settings to the defaults of the element `videoscope`: a histogram, a
 * waveform and a vectorscope in a row over the bottom of the picture.
 *
 * Since: 0.2
 */
void
gst_video_scope_settings_init (GstVideoScopeSettings * settings)
{
  vh_check_initialized (NULL);
  g_return_if_fail (settings != NULL);

  *settings = (GstVideoScopeSettings) {
    .scopes = DEFAULT_SCOPES,
    .layout = GST_VIDEO_SCOPE_LAYOUT_OVERLAY,
    .position = GST_VIDEO_SCOPE_POSITION_BOTTOM,
    .size = 0.35,
    .opacity = 0.7,
    .components = GST_VIDEO_SCOPE_COMPONENTS_LUMA,
    .mode = GST_VIDEO_SCOPE_MODE_OVERLAY,
    .intensity = GST_VIDEO_SCOPE_INTENSITY_AUTO,
    .gain = 1,
    .exponent = 0.4,
    .envelope = GST_VIDEO_SCOPE_ENVELOPE_NONE,
    .graticule = GST_VIDEO_SCOPE_GRATICULE_GREEN,
    .scale = GST_VIDEO_SCOPE_SCALE_PERCENT,
    .limits = GST_VIDEO_SCOPE_LIMITS_RANGE,
    .targets = DEFAULT_TARGETS,
    .skin_line = 123,
    .false_color = GST_VIDEO_SCOPE_FALSE_COLOR_ARRI,
    .zebra_low = 0.95,
    .zebra_high = 1.09,
  };
}

/* How many pixels are added to a side of @size: a multiple of 8, so that the
 * picture and the scopes next to it do not share chroma; 0 if the result would
 * be too large. */
static gint
growth (gint size, gdouble share)
{
  const gint more = (gint) (size * share) / 8 * 8;

  return size <= G_MAXINT - MAX (more, 64) ? MAX (more, 64) : 0;
}

/**
 * gst_video_scope_settings_get_output_size:
 * @settings: a #GstVideoScopeSettings
 * @width: width of the frames in pixels
 * @height: height of the frames in pixels
 * @output_width: (out): width of the output in pixels
 * @output_height: (out): height of the output in pixels
 *
 * Returns the size that the output should have: the size of the frames, or a
 * larger one with %GST_VIDEO_SCOPE_LAYOUT_BESIDE. With
 * %GST_VIDEO_SCOPE_LAYOUT_ONLY any other size works as well. May be called
 * from any thread.
 *
 * Since: 0.2
 */
void
gst_video_scope_settings_get_output_size (const GstVideoScopeSettings *
    settings, gint width, gint height, gint * output_width,
    gint * output_height)
{
  vh_return_unless_initialized ();
  g_return_if_fail (settings != NULL);
  g_return_if_fail (width > 0 && height > 0);
  g_return_if_fail (output_width != NULL && output_height != NULL);

  *output_width = width;
  *output_height = height;
  g_return_if_fail ((guint) settings->layout <= GST_VIDEO_SCOPE_LAYOUT_ONLY);
  g_return_if_fail ((guint) settings->position <=
      GST_VIDEO_SCOPE_POSITION_BOTTOM_RIGHT);
  g_return_if_fail (settings->size >= 0.05 && settings->size <= 1);
  if (settings->layout != GST_VIDEO_SCOPE_LAYOUT_BESIDE)
    return;
  if (settings->position == GST_VIDEO_SCOPE_POSITION_TOP
      || settings->position == GST_VIDEO_SCOPE_POSITION_BOTTOM)
    *output_height += growth (height, settings->size);
  else
    *output_width += growth (width, settings->size);
}
