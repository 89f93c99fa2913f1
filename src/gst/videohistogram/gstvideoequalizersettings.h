/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoEqualizeMethod:
 * @GST_VIDEO_EQUALIZE_METHOD_NONE: frames are not changed
 * @GST_VIDEO_EQUALIZE_METHOD_EQUALIZE: uses the whole range evenly, as
 *     OpenCV's equalizeHist()
 * @GST_VIDEO_EQUALIZE_METHOD_STRETCH: maps two percentiles to black and white
 * @GST_VIDEO_EQUALIZE_METHOD_GAMMA: moves the median to a target with a power
 *     function
 * @GST_VIDEO_EQUALIZE_METHOD_MATCH: matches the histogram to the histogram of
 *     a reference
 * @GST_VIDEO_EQUALIZE_METHOD_CLAHE: contrast-limited adaptive histogram
 *     equalization, tile by tile. At 8 bits it equals OpenCV's createCLAHE()
 *     if the tiles divide the picture evenly; deeper samples get the same
 *     curves, interpolated linearly between the 8-bit codes
 *
 * How the correction curve for luma is made from the histogram.
 *
 * Since: 0.1
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_EQUALIZE_METHOD_NONE,
  GST_VIDEO_EQUALIZE_METHOD_EQUALIZE,
  GST_VIDEO_EQUALIZE_METHOD_STRETCH,
  GST_VIDEO_EQUALIZE_METHOD_GAMMA,
  GST_VIDEO_EQUALIZE_METHOD_MATCH,
  GST_VIDEO_EQUALIZE_METHOD_CLAHE,
} GstVideoEqualizeMethod;

/**
 * GST_TYPE_VIDEO_EQUALIZE_METHOD:
 *
 * The #GType of #GstVideoEqualizeMethod.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_EQUALIZE_METHOD (gst_video_equalize_method_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_equalize_method_get_type (void);

/**
 * GstVideoEqualizeColor:
 * @GST_VIDEO_EQUALIZE_COLOR_SCALE: keeps the saturation: U and V, or R, G and
 *     B, are scaled with luma, but no further than their range allows
 * @GST_VIDEO_EQUALIZE_COLOR_KEEP: keeps U and V, or the differences between R,
 *     G and B
 * @GST_VIDEO_EQUALIZE_COLOR_CHANNELS: applies the curve for luma to each of R,
 *     G and B, which changes hues; YUV is corrected as with
 *     %GST_VIDEO_EQUALIZE_COLOR_SCALE
 *
 * How color follows a correction of luma.
 *
 * Since: 0.1
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_EQUALIZE_COLOR_SCALE,
  GST_VIDEO_EQUALIZE_COLOR_KEEP,
  GST_VIDEO_EQUALIZE_COLOR_CHANNELS,
} GstVideoEqualizeColor;

/**
 * GST_TYPE_VIDEO_EQUALIZE_COLOR:
 *
 * The #GType of #GstVideoEqualizeColor.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_EQUALIZE_COLOR (gst_video_equalize_color_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_equalize_color_get_type (void);

/**
 * GST_VIDEO_EQUALIZER_MAX_TILES:
 *
 * The largest number of CLAHE tiles in a row, and in a column.
 *
 * Since: 0.1
 */
#define GST_VIDEO_EQUALIZER_MAX_TILES 32

/**
 * GST_VIDEO_EQUALIZER_MAX_SMOOTHING: (value 3600000000000)
 *
 * The longest time constant of a correction curve: one hour, in ns.
 *
 * Since: 0.2
 */
#define GST_VIDEO_EQUALIZER_MAX_SMOOTHING (G_GUINT64_CONSTANT (3600000000000))

typedef struct _GstVideoEqualizerSettings GstVideoEqualizerSettings;

/**
 * GstVideoEqualizerSettings:
 * @method: how the curve is made
 * @color: how color follows luma
 * @strength: how much of the correction to apply, 0 (nothing) to 1 (all)
 * @low_percentile: for `stretch`: the percentile that becomes black, 0 to 100
 * @high_percentile: for `stretch`: the percentile that becomes white, 0 to 100
 * @max_gain: the largest gain, 1 to 100: of contrast for `stretch`, of the
 *     exponent or its inverse for `gamma`, and of U and V
 * @target: for `gamma`: the level that the median is moved to, 0 (black) to 1
 *     (white)
 * @clip_limit: for `clahe`: the most that a bin keeps, as a multiple of the
 *     tile's average count per bin, up to 1000; 0 for no limit
 * @tile_columns: for `clahe`: tiles in a row, 1 to
 *     %GST_VIDEO_EQUALIZER_MAX_TILES
 * @tile_rows: for `clahe`: tiles in a column, 1 to
 *     %GST_VIDEO_EQUALIZER_MAX_TILES
 * @smoothing: time constant in ns with which the curve follows the picture,
 *     %GST_VIDEO_HISTOGRAM_MIN_TIME to %GST_VIDEO_EQUALIZER_MAX_SMOOTHING, or
 *     0 to give each frame its own curve
 * @scene_threshold: distance from the earlier frames at which a frame always
 *     gets its own curve at once: earth mover's distance of luma, as a share
 *     of the code space, 0 to 1; between scenes of similar light, a fraction
 *     of this distance is enough. With 1, cuts are not detected
 * @region_x: left edge of the region to count and correct, in pixels of the
 *     picture (Since: 0.2)
 * @region_y: top edge of the region, in pixels of the picture (Since: 0.2)
 * @region_width: width of the region in pixels, limited to the picture; 0
 *     extends it to the right edge (Since: 0.2)
 * @region_height: height of the region in pixels, limited to the picture; 0
 *     extends it to the bottom edge (Since: 0.2)
 *
 * How a #GstVideoEqualizer corrects frames. Fill it in with
 * gst_video_equalizer_settings_init() and change the fields you need.
 *
 * Since: 0.1
 */
struct _GstVideoEqualizerSettings
{
  GstVideoEqualizeMethod method;
  GstVideoEqualizeColor color;
  gdouble strength;
  gdouble low_percentile;
  gdouble high_percentile;
  gdouble max_gain;
  gdouble target;
  gdouble clip_limit;
  guint tile_columns;
  guint tile_rows;
  GstClockTime smoothing;
  gdouble scene_threshold;
  guint region_x, region_y, region_width, region_height;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING - 2];
};

/**
 * GST_TYPE_VIDEO_EQUALIZER_SETTINGS:
 *
 * The #GType of #GstVideoEqualizerSettings.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_EQUALIZER_SETTINGS \
    (gst_video_equalizer_settings_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_equalizer_settings_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoEqualizerSettings *gst_video_equalizer_settings_new (void);

GST_VIDEO_HISTOGRAM_API
GstVideoEqualizerSettings *gst_video_equalizer_settings_copy (
    const GstVideoEqualizerSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_settings_free (GstVideoEqualizerSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_settings_init (GstVideoEqualizerSettings * settings);

G_END_DECLS
