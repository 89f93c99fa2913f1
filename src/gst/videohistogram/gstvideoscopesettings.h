/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoScopes:
 * @GST_VIDEO_SCOPES_NONE: nothing is drawn
 * @GST_VIDEO_SCOPES_HISTOGRAM: how often each level occurs
 * @GST_VIDEO_SCOPES_WAVEFORM: for each column of the picture, which levels
 *     occur how often
 * @GST_VIDEO_SCOPES_PARADE: the waveforms of three components side by side
 * @GST_VIDEO_SCOPES_VECTORSCOPE: how often each pair of U and V occurs
 * @GST_VIDEO_SCOPES_FALSE_COLOR: the picture in colors that tell its levels of
 *     luma, with their key
 * @GST_VIDEO_SCOPES_ZEBRA: stripes on the picture where luma is within a range
 *
 * What is drawn, a bit each.
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

#define GST_TYPE_VIDEO_SCOPES (gst_video_scopes_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scopes_get_type (void);

/**
 * GstVideoScopeLayout:
 * @GST_VIDEO_SCOPE_LAYOUT_OVERLAY: scopes lie over the picture
 * @GST_VIDEO_SCOPE_LAYOUT_BESIDE: scopes lie beside, above or below the
 *     picture: the output is larger
 * @GST_VIDEO_SCOPE_LAYOUT_ONLY: scopes without the picture
 *
 * Where scopes are.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_LAYOUT_OVERLAY,
  GST_VIDEO_SCOPE_LAYOUT_BESIDE,
  GST_VIDEO_SCOPE_LAYOUT_ONLY,
} GstVideoScopeLayout;

#define GST_TYPE_VIDEO_SCOPE_LAYOUT (gst_video_scope_layout_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_layout_get_type (void);

/**
 * GstVideoScopePosition:
 * @GST_VIDEO_SCOPE_POSITION_TOP_LEFT: a row at the top, from the left
 * @GST_VIDEO_SCOPE_POSITION_TOP: a row at the top, in its middle
 * @GST_VIDEO_SCOPE_POSITION_TOP_RIGHT: a row at the top, up to the right
 * @GST_VIDEO_SCOPE_POSITION_LEFT: a column at the left
 * @GST_VIDEO_SCOPE_POSITION_RIGHT: a column at the right
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT: a row at the bottom, from the left
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM: a row at the bottom, in its middle
 * @GST_VIDEO_SCOPE_POSITION_BOTTOM_RIGHT: a row at the bottom, up to the right
 *
 * Where on the picture, or on which side of it, scopes are.
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

#define GST_TYPE_VIDEO_SCOPE_POSITION (gst_video_scope_position_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_position_get_type (void);

/**
 * GstVideoScopeComponents:
 * @GST_VIDEO_SCOPE_COMPONENTS_LUMA: luma, of RGB weighted
 * @GST_VIDEO_SCOPE_COMPONENTS_RGB: red, green and blue, of YUV converted
 * @GST_VIDEO_SCOPE_COMPONENTS_YUV: luma, U and V, of RGB converted
 *
 * What histograms and waveforms show.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_COMPONENTS_LUMA,
  GST_VIDEO_SCOPE_COMPONENTS_RGB,
  GST_VIDEO_SCOPE_COMPONENTS_YUV,
} GstVideoScopeComponents;

#define GST_TYPE_VIDEO_SCOPE_COMPONENTS (gst_video_scope_components_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_components_get_type (void);

/**
 * GstVideoScopeMode:
 * @GST_VIDEO_SCOPE_MODE_OVERLAY: over one another, light added to light
 * @GST_VIDEO_SCOPE_MODE_STACK: below one another
 * @GST_VIDEO_SCOPE_MODE_PARADE: side by side
 *
 * How the components of a histogram or a waveform lie.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_MODE_OVERLAY,
  GST_VIDEO_SCOPE_MODE_STACK,
  GST_VIDEO_SCOPE_MODE_PARADE,
} GstVideoScopeMode;

#define GST_TYPE_VIDEO_SCOPE_MODE (gst_video_scope_mode_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_mode_get_type (void);

/**
 * GstVideoScopeIntensity:
 * @GST_VIDEO_SCOPE_INTENSITY_AUTO: from a single pixel, which is visible, to
 *     the count of a flat picture, which alone is brightest: by the logarithm
 * @GST_VIDEO_SCOPE_INTENSITY_GAIN: in proportion to the count
 * @GST_VIDEO_SCOPE_INTENSITY_POWER: in proportion to a power of the count
 *
 * How bright a count is.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_INTENSITY_AUTO,
  GST_VIDEO_SCOPE_INTENSITY_GAIN,
  GST_VIDEO_SCOPE_INTENSITY_POWER,
} GstVideoScopeIntensity;

#define GST_TYPE_VIDEO_SCOPE_INTENSITY (gst_video_scope_intensity_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_intensity_get_type (void);

/**
 * GstVideoScopeEnvelope:
 * @GST_VIDEO_SCOPE_ENVELOPE_NONE: none
 * @GST_VIDEO_SCOPE_ENVELOPE_INSTANT: of this frame
 * @GST_VIDEO_SCOPE_ENVELOPE_PEAK: of all frames since the first, or the last
 *     reset
 *
 * Which extremes are drawn brightly, a bit each: of a waveform the lowest and
 * the highest level of each column, of a vectorscope its outline, of a
 * histogram the highest peak of each level.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_ENVELOPE_NONE = 0,
  GST_VIDEO_SCOPE_ENVELOPE_INSTANT = (1 << 0),
  GST_VIDEO_SCOPE_ENVELOPE_PEAK = (1 << 1),
} GstVideoScopeEnvelope;

#define GST_TYPE_VIDEO_SCOPE_ENVELOPE (gst_video_scope_envelope_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_envelope_get_type (void);

/**
 * GstVideoScopeGraticule:
 * @GST_VIDEO_SCOPE_GRATICULE_NONE: none: the plot fills its panel
 * @GST_VIDEO_SCOPE_GRATICULE_GREEN: green
 * @GST_VIDEO_SCOPE_GRATICULE_AMBER: amber
 * @GST_VIDEO_SCOPE_GRATICULE_WHITE: white
 *
 * The color of lines and numbers.
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

#define GST_TYPE_VIDEO_SCOPE_GRATICULE (gst_video_scope_graticule_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_graticule_get_type (void);

/**
 * GstVideoScopeScale:
 * @GST_VIDEO_SCOPE_SCALE_CODE: code values, at the depth of the format
 * @GST_VIDEO_SCOPE_SCALE_PERCENT: percent from black to white, of U and V from
 *     -50 to 50
 * @GST_VIDEO_SCOPE_SCALE_IRE: IRE without set-up: the same numbers as percent,
 *     from -20 to 120
 * @GST_VIDEO_SCOPE_SCALE_MV: millivolts, 700 from black to white
 * @GST_VIDEO_SCOPE_SCALE_NITS: cd/m² that a display shows, by the transfer
 *     function of the caps: PQ, HLG on a display of 1000 cd/m², else BT.1886
 *     with white at 100 cd/m²
 *
 * The unit of lines and numbers.
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

#define GST_TYPE_VIDEO_SCOPE_SCALE (gst_video_scope_scale_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_scale_get_type (void);

/**
 * GstVideoScopeLimits:
 * @GST_VIDEO_SCOPE_LIMITS_NONE: none
 * @GST_VIDEO_SCOPE_LIMITS_RANGE: black and white of the caps' range
 * @GST_VIDEO_SCOPE_LIMITS_R103: the tolerance of EBU R 103: codes 5 and 246 at
 *     8 bits, of limited range
 *
 * Which limits have a line, a bit each.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_LIMITS_NONE = 0,
  GST_VIDEO_SCOPE_LIMITS_RANGE = (1 << 0),
  GST_VIDEO_SCOPE_LIMITS_R103 = (1 << 1),
} GstVideoScopeLimits;

#define GST_TYPE_VIDEO_SCOPE_LIMITS (gst_video_scope_limits_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_limits_get_type (void);

/**
 * GstVideoScopeTargets:
 * @GST_VIDEO_SCOPE_TARGETS_NONE: none
 * @GST_VIDEO_SCOPE_TARGETS_PERCENT_75: of bars of 75 %
 * @GST_VIDEO_SCOPE_TARGETS_PERCENT_100: of bars of 100 %
 *
 * Which color bars have targets in the vectorscope, a bit each.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_SCOPE_TARGETS_NONE = 0,
  GST_VIDEO_SCOPE_TARGETS_PERCENT_75 = (1 << 0),
  GST_VIDEO_SCOPE_TARGETS_PERCENT_100 = (1 << 1),
} GstVideoScopeTargets;

#define GST_TYPE_VIDEO_SCOPE_TARGETS (gst_video_scope_targets_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_targets_get_type (void);

/**
 * GstVideoScopeFalseColor:
 * @GST_VIDEO_SCOPE_FALSE_COLOR_ARRI: of ARRI's cameras: what is exposed for
 *     skin and grey, and where it clips; the rest is grey
 * @GST_VIDEO_SCOPE_FALSE_COLOR_OBS: bands over the whole range, as in OBS
 *     Studio's color monitor
 * @GST_VIDEO_SCOPE_FALSE_COLOR_CINEZONE: five zones, as in Leader's waveform
 *     monitors
 * @GST_VIDEO_SCOPE_FALSE_COLOR_TABLE: of
 *     gst_video_scope_set_false_color_table()
 *
 * The colors of false color.
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

#define GST_TYPE_VIDEO_SCOPE_FALSE_COLOR \
    (gst_video_scope_false_color_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_scope_false_color_get_type (void);

/**
 * GST_VIDEO_SCOPE_MAX_LINES:
 *
 * The most lines of one's own.
 *
 * Since: 0.2
 */
#define GST_VIDEO_SCOPE_MAX_LINES 16

/**
 * GST_VIDEO_SCOPE_MAX_PERSISTENCE: (value 3600000000000)
 *
 * The longest time constant of fading: an hour, in ns.
 *
 * Since: 0.2
 */
#define GST_VIDEO_SCOPE_MAX_PERSISTENCE (G_GUINT64_CONSTANT (3600000000000))

typedef struct _GstVideoScopeSettings GstVideoScopeSettings;

/**
 * GstVideoScopeSettings:
 * @scopes: what is drawn
 * @layout: over the picture, beside it, or alone
 * @position: where on the picture, or on which side of it
 * @size: for `overlay`: the height of a row of scopes as a share of the
 *     picture's, or the width of a column; for `beside`: by how much the
 *     picture grows; 0.05 to 1
 * @opacity: of the black behind scopes over the picture, 0 to 1
 * @components: what histograms and waveforms show
 * @mode: how their components lie
 * @intensity: how bright a count is
 * @gain: for `gain` and `power`: the brightness of the count of an even
 *     picture, 0 to 1000000, where 1 is brightest
 * @exponent: for `power`: the exponent, 0.05 to 1
 * @persistence: time constant in ns with which a trace fades: 0 (each frame is
 *     shown by itself), or %GST_VIDEO_HISTOGRAM_MIN_TIME to
 *     %GST_VIDEO_SCOPE_MAX_PERSISTENCE
 * @envelope: which extremes are drawn brightly
 * @graticule: the color of lines and numbers
 * @scale: their unit
 * @limits: which limits have a line
 * @targets: which color bars have targets in the vectorscope
 * @skin_line: angle in degrees of a line in the vectorscope, counterclockwise
 *     from positive U; 0: none
 * @false_color: the colors of false color
 * @zebra_low: level of luma from which there are stripes, -0.2 to 1.2, where
 *     0 is black and 1 is white
 * @zebra_high: level of luma up to which there are stripes, in the same range
 *
 * What is drawn, and how.
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
