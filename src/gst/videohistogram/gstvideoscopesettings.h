/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoScopes:
 * @GST_VIDEO_SCOPES_NONE: nothing
 * @GST_VIDEO_SCOPES_HISTOGRAM: how often each level occurs
 * @GST_VIDEO_SCOPES_WAVEFORM: how often each level occurs in each column of
 *     the picture
 * @GST_VIDEO_SCOPES_PARADE: the waveforms of three components side by side
 * @GST_VIDEO_SCOPES_VECTORSCOPE: how often each pair of U and V occurs
 * @GST_VIDEO_SCOPES_FALSE_COLOR: the picture with colors that show its luma
 *     levels, and a key
 * @GST_VIDEO_SCOPES_ZEBRA: stripes over the parts of the picture whose luma is
 *     within a range
 *
 * The scopes to draw: a set with a bit for each.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPES_NONE = 0,
  GST_VIDEO_SCOPES_HISTOGRAM = (1 << 0),
  GST_VIDEO_SCOPES_WAVEFORM = (1 << 1),
  GST_VIDEO_SCOPES_PARADE = (1 << 2),
  GST_VIDEO_SCOPES_VECTORSCOPE = (1 << 3),
  GST_VIDEO_SCOPES_FALSE_COLOR = (1 << 4),
  GST_VIDEO_SCOPES_ZEBRA = (1 << 5),
} GstVideoScopes;

/**
 * GST_TYPE_VIDEO_SCOPES:
 *
 * The #GType of #GstVideoScopes.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPES (gst_video_scopes_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scopes_get_type (void);

/**
 * GstVideoScopeLayout:
 * @GST_VIDEO_SCOPE_LAYOUT_OVERLAY: over the picture
 * @GST_VIDEO_SCOPE_LAYOUT_BESIDE: beside, above or below the picture; the
 *     output is larger than the input
 * @GST_VIDEO_SCOPE_LAYOUT_ONLY: scopes without the picture
 *
 * Where scopes are drawn in relation to the picture.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_LAYOUT_OVERLAY,
  GST_VIDEO_SCOPE_LAYOUT_BESIDE,
  GST_VIDEO_SCOPE_LAYOUT_ONLY,
} GstVideoScopeLayout;

/**
 * GST_TYPE_VIDEO_SCOPE_LAYOUT:
 *
 * The #GType of #GstVideoScopeLayout.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_LAYOUT (gst_video_scope_layout_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_layout_get_type (void);

/**
 * GstVideoScopePosition:
 * @GST_VIDEO_SCOPE_POSITION_TOP_LEFT: a row at the top, aligned to the left
 * @GST_VIDEO_SCOPE_POSITION_TOP: a row at the top, centred
 * @GST_VIDEO_SCOPE_POSITION_TOP_RIGHT: a row at the top, aligned to the right
 * @GST_VIDEO_SCOPE_POSITION_LEFT: a column on the left
 * @GST_VIDEO_SCOPE_POSITION_RIGHT: a column on the right
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT: a row at the bottom, aligned to the
 *     left
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM: a row at the bottom, centred
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM_RIGHT: a row at the bottom, aligned to the
 *     right
 *
 * Where scopes are on the picture, or on which side of it.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_POSITION_TOP_LEFT,
  GST_VIDEO_SCOPE_POSITION_TOP,
  GST_VIDEO_SCOPE_POSITION_TOP_RIGHT,
  GST_VIDEO_SCOPE_POSITION_LEFT,
  GST_VIDEO_SCOPE_POSITION_RIGHT,
  GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT,
  GST_VIDEO_SCOPE_POSITION_BOTTOM,
  GST_VIDEO_SCOPE_POSITION_BOTTOM_RIGHT,
} GstVideoScopePosition;

/**
 * GST_TYPE_VIDEO_SCOPE_POSITION:
 *
 * The #GType of #GstVideoScopePosition.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_POSITION (gst_video_scope_position_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_position_get_type (void);

/**
 * GstVideoScopeComponents:
 * @GST_VIDEO_SCOPE_COMPONENTS_LUMA: luma, weighted from RGB if necessary
 * @GST_VIDEO_SCOPE_COMPONENTS_RGB: red, green and blue, converted from YUV if
 *     necessary
 * @GST_VIDEO_SCOPE_COMPONENTS_YUV: luma, U and V, converted from RGB if
 *     necessary
 *
 * The components that histograms and waveforms show.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_COMPONENTS_LUMA,
  GST_VIDEO_SCOPE_COMPONENTS_RGB,
  GST_VIDEO_SCOPE_COMPONENTS_YUV,
} GstVideoScopeComponents;

/**
 * GST_TYPE_VIDEO_SCOPE_COMPONENTS:
 *
 * The #GType of #GstVideoScopeComponents.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_COMPONENTS (gst_video_scope_components_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_components_get_type (void);

/**
 * GstVideoScopeMode:
 * @GST_VIDEO_SCOPE_MODE_OVERLAY: on top of each other; where they overlap,
 *     their brightness adds up
 * @GST_VIDEO_SCOPE_MODE_STACK: below each other
 * @GST_VIDEO_SCOPE_MODE_PARADE: side by side
 *
 * How the components of a histogram or waveform are arranged.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_MODE_OVERLAY,
  GST_VIDEO_SCOPE_MODE_STACK,
  GST_VIDEO_SCOPE_MODE_PARADE,
} GstVideoScopeMode;

/**
 * GST_TYPE_VIDEO_SCOPE_MODE:
 *
 * The #GType of #GstVideoScopeMode.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_MODE (gst_video_scope_mode_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_mode_get_type (void);

/**
 * GstVideoScopeIntensity:
 * @GST_VIDEO_SCOPE_INTENSITY_AUTO: logarithmic: a single pixel is visible, and
 *     only the count of a flat picture has full brightness
 * @GST_VIDEO_SCOPE_INTENSITY_GAIN: proportional to the count
 * @GST_VIDEO_SCOPE_INTENSITY_POWER: proportional to a power of the count
 *
 * How the brightness of a trace depends on the count.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_INTENSITY_AUTO,
  GST_VIDEO_SCOPE_INTENSITY_GAIN,
  GST_VIDEO_SCOPE_INTENSITY_POWER,
} GstVideoScopeIntensity;

/**
 * GST_TYPE_VIDEO_SCOPE_INTENSITY:
 *
 * The #GType of #GstVideoScopeIntensity.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_INTENSITY (gst_video_scope_intensity_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_intensity_get_type (void);

/**
 * GstVideoScopeEnvelope:
 * @GST_VIDEO_SCOPE_ENVELOPE_NONE: no extremes
 * @GST_VIDEO_SCOPE_ENVELOPE_INSTANT: the extremes of this frame
 * @GST_VIDEO_SCOPE_ENVELOPE_PEAK: the extremes of all frames since the first
 *     frame or the last reset
 *
 * The extremes to draw brightly: a set with a bit for each. The extremes of a
 * waveform are the lowest and highest level in each column, of a vectorscope
 * its outline, and of a histogram the highest peak of each level.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_ENVELOPE_NONE = 0,
  GST_VIDEO_SCOPE_ENVELOPE_INSTANT = (1 << 0),
  GST_VIDEO_SCOPE_ENVELOPE_PEAK = (1 << 1),
} GstVideoScopeEnvelope;

/**
 * GST_TYPE_VIDEO_SCOPE_ENVELOPE:
 *
 * The #GType of #GstVideoScopeEnvelope.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_ENVELOPE (gst_video_scope_envelope_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_envelope_get_type (void);

/**
 * GstVideoScopeGraticule:
 * @GST_VIDEO_SCOPE_GRATICULE_NONE: no graticule; the plot fills its panel
 * @GST_VIDEO_SCOPE_GRATICULE_GREEN: green
 * @GST_VIDEO_SCOPE_GRATICULE_AMBER: amber
 * @GST_VIDEO_SCOPE_GRATICULE_WHITE: white
 *
 * The color of the graticule: its lines and numbers.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_GRATICULE_NONE,
  GST_VIDEO_SCOPE_GRATICULE_GREEN,
  GST_VIDEO_SCOPE_GRATICULE_AMBER,
  GST_VIDEO_SCOPE_GRATICULE_WHITE,
} GstVideoScopeGraticule;

/**
 * GST_TYPE_VIDEO_SCOPE_GRATICULE:
 *
 * The #GType of #GstVideoScopeGraticule.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_GRATICULE (gst_video_scope_graticule_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_graticule_get_type (void);

/**
 * GstVideoScopeScale:
 * @GST_VIDEO_SCOPE_SCALE_CODE: code values at the depth of the format
 * @GST_VIDEO_SCOPE_SCALE_PERCENT: percent between black and white; -50 to 50
 *     for U and V
 * @GST_VIDEO_SCOPE_SCALE_IRE: IRE without set-up: the same numbers as percent,
 *     from -20 to 120
 * @GST_VIDEO_SCOPE_SCALE_MV: millivolts, 700 mV between black and white
 * @GST_VIDEO_SCOPE_SCALE_NITS: the cd/m² that a display shows, by the transfer
 *     function of the caps: PQ, HLG on a 1000 cd/m² display, otherwise BT.1886
 *     with white at 100 cd/m²
 *
 * The unit of the lines and numbers of the graticule.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_SCALE_CODE,
  GST_VIDEO_SCOPE_SCALE_PERCENT,
  GST_VIDEO_SCOPE_SCALE_IRE,
  GST_VIDEO_SCOPE_SCALE_MV,
  GST_VIDEO_SCOPE_SCALE_NITS,
} GstVideoScopeScale;

/**
 * GST_TYPE_VIDEO_SCOPE_SCALE:
 *
 * The #GType of #GstVideoScopeScale.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_SCALE (gst_video_scope_scale_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_scale_get_type (void);

/**
 * GstVideoScopeLimits:
 * @GST_VIDEO_SCOPE_LIMITS_NONE: no limits
 * @GST_VIDEO_SCOPE_LIMITS_RANGE: black and white of the caps' range
 * @GST_VIDEO_SCOPE_LIMITS_R103: the tolerance of EBU R 103: codes 5 and 246 at
 *     8 bits, for limited range
 *
 * The limits to mark with a line: a set with a bit for each.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_LIMITS_NONE = 0,
  GST_VIDEO_SCOPE_LIMITS_RANGE = (1 << 0),
  GST_VIDEO_SCOPE_LIMITS_R103 = (1 << 1),
} GstVideoScopeLimits;

/**
 * GST_TYPE_VIDEO_SCOPE_LIMITS:
 *
 * The #GType of #GstVideoScopeLimits.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_LIMITS (gst_video_scope_limits_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_limits_get_type (void);

/**
 * GstVideoScopeTargets:
 * @GST_VIDEO_SCOPE_TARGETS_NONE: no targets
 * @GST_VIDEO_SCOPE_TARGETS_PERCENT_75: targets of 75 % color bars
 * @GST_VIDEO_SCOPE_TARGETS_PERCENT_100: targets of 100 % color bars
 *
 * The color bars that have targets in the vectorscope: a set with a bit for
 * each.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_TARGETS_NONE = 0,
  GST_VIDEO_SCOPE_TARGETS_PERCENT_75 = (1 << 0),
  GST_VIDEO_SCOPE_TARGETS_PERCENT_100 = (1 << 1),
} GstVideoScopeTargets;

/**
 * GST_TYPE_VIDEO_SCOPE_TARGETS:
 *
 * The #GType of #GstVideoScopeTargets.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_TARGETS (gst_video_scope_targets_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_targets_get_type (void);

/**
 * GstVideoScopeFalseColor:
 * @GST_VIDEO_SCOPE_FALSE_COLOR_ARRI: the colors of ARRI cameras: exposure of
 *     skin and grey, and clipping; everything else is grey
 * @GST_VIDEO_SCOPE_FALSE_COLOR_OBS: bands over the whole range, as in OBS
 *     Studio's color monitor
 * @GST_VIDEO_SCOPE_FALSE_COLOR_CINEZONE: five zones, as in Leader's waveform
 *     monitors
 * @GST_VIDEO_SCOPE_FALSE_COLOR_TABLE: the table of
 *     gst_video_scope_set_false_color_table()
 *
 * The color table of %GST_VIDEO_SCOPES_FALSE_COLOR.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_FALSE_COLOR_ARRI,
  GST_VIDEO_SCOPE_FALSE_COLOR_OBS,
  GST_VIDEO_SCOPE_FALSE_COLOR_CINEZONE,
  GST_VIDEO_SCOPE_FALSE_COLOR_TABLE,
} GstVideoScopeFalseColor;

/**
 * GST_TYPE_VIDEO_SCOPE_FALSE_COLOR:
 *
 * The #GType of #GstVideoScopeFalseColor.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_FALSE_COLOR \
    (gst_video_scope_false_color_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_false_color_get_type (void);

/**
 * GST_VIDEO_SCOPE_MAX_LINES:
 *
 * The largest number of lines that gst_video_scope_set_lines() takes.
 *
 * Since: 0.2
 */
#define GST_VIDEO_SCOPE_MAX_LINES 16

/**
 * GST_VIDEO_SCOPE_MAX_PERSISTENCE: (value 3600000000000)
 *
 * The longest time constant of persistence: one hour, in ns.
 *
 * Since: 0.2
 */
#define GST_VIDEO_SCOPE_MAX_PERSISTENCE (G_GUINT64_CONSTANT (3600000000000))

typedef struct _GstVideoScopeSettings GstVideoScopeSettings;

/**
 * GstVideoScopeSettings:
 * @scopes: the scopes to draw
 * @layout: over the picture, beside it, or alone
 * @position: where on the picture, or on which side of it
 * @size: for `overlay`: the height of a row of scopes as a share of the
 *     picture's height, or the width of a column as a share of its width; for
 *     `beside`: how much the picture grows; 0.05 to 1
 * @opacity: opacity of the black background behind scopes over the picture, 0
 *     (transparent) to 1
 * @components: the components that histograms and waveforms show
 * @mode: how the components are arranged
 * @intensity: how the brightness of a trace depends on the count
 * @gain: for `gain` and `power`: the brightness of the count of an evenly
 *     distributed picture, 0 to 1000000; 1 is full brightness
 * @exponent: for `power`: the exponent, 0.05 to 1
 * @persistence: time constant in ns with which traces fade,
 *     %GST_VIDEO_HISTOGRAM_MIN_TIME to %GST_VIDEO_SCOPE_MAX_PERSISTENCE, or 0
 *     to show each frame by itself
 * @envelope: the extremes to draw brightly
 * @graticule: the color of lines and numbers
 * @scale: the unit of lines and numbers
 * @limits: the limits to mark with a line
 * @targets: the color bars that have targets in the vectorscope
 * @skin_line: angle of a line in the vectorscope, 0 to 360 degrees
 *     counterclockwise from positive U; 0 for no line
 * @false_color: the table of false colors
 * @zebra_low: lowest luma level with zebra stripes, -0.2 to 1.2, where 0 is
 *     black and 1 is white
 * @zebra_high: highest luma level with zebra stripes, -0.2 to 1.2
 *
 * What a #GstVideoScope draws, and how. Fill it in with
 * gst_video_scope_settings_init() and change the fields you need.
 *
 * Since: 0.2
 */
struct _GstVideoScopeSettings
{
  GstVideoScopes scopes;
  GstVideoScopeLayout layout;
  GstVideoScopePosition position;
  gdouble size;
  gdouble opacity;
  GstVideoScopeComponents components;
  GstVideoScopeMode mode;
  GstVideoScopeIntensity intensity;
  gdouble gain;
  gdouble exponent;
  GstClockTime persistence;
  GstVideoScopeEnvelope envelope;
  GstVideoScopeGraticule graticule;
  GstVideoScopeScale scale;
  GstVideoScopeLimits limits;
  GstVideoScopeTargets targets;
  gdouble skin_line;
  GstVideoScopeFalseColor false_color;
  gdouble zebra_low;
  gdouble zebra_high;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

/**
 * GST_TYPE_VIDEO_SCOPE_SETTINGS:
 *
 * The #GType of #GstVideoScopeSettings.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE_SETTINGS (gst_video_scope_settings_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_settings_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoScopeSettings *gst_video_scope_settings_new (void);

GST_VIDEO_HISTOGRAM_API
GstVideoScopeSettings *gst_video_scope_settings_copy (
    const GstVideoScopeSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_settings_free (GstVideoScopeSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_settings_init (GstVideoScopeSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_settings_get_output_size (
    const GstVideoScopeSettings * settings, gint width, gint height,
    gint * output_width, gint * output_height);

G_END_DECLS
