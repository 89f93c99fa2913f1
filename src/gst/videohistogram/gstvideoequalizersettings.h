/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoEqualizeMethod:
 * @GST_VIDEO_EQUALIZE_METHOD_NONE: frames are not changed
 * @GST_VIDEO_EQUALIZE_METHOD_EQUALIZE: the whole range is used evenly: OpenCV's
 *     equalizeHist()
 * @GST_VIDEO_EQUALIZE_METHOD_STRETCH: two percentiles become black and white
 * @GST_VIDEO_EQUALIZE_METHOD_GAMMA: a power function moves the median to a
 * target
 * @GST_VIDEO_EQUALIZE_METHOD_MATCH: the histogram becomes that of a reference
 * @GST_VIDEO_EQUALIZE_METHOD_CLAHE: contrast-limited adaptive histogram
 *     equalization, tile by tile; of 8 bits it is OpenCV's
 *     createCLAHE() where the tiles divide the picture, and deeper samples get
 *     the same curves, which are straight between the codes of 8 bits
 *
 * How the curve that corrects luma is made from its histogram.
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

#define GST_TYPE_VIDEO_EQUALIZE_METHOD (gst_video_equalize_method_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_equalize_method_get_type (void);

/**
 * GstVideoEqualizeColor:
 * @GST_VIDEO_EQUALIZE_COLOR_SCALE: saturation stays: U and V, or R, G and B,
 *     are scaled with luma, limited to what keeps them in range
 * @GST_VIDEO_EQUALIZE_COLOR_KEEP: U and V, or the differences of R, G and B,
 *     stay
 * @GST_VIDEO_EQUALIZE_COLOR_CHANNELS: the curve of luma is applied to each of
 *     R, G and B, which changes hues; YUV is corrected as with
 *     %GST_VIDEO_EQUALIZE_COLOR_SCALE
 *
 * How color follows luma.
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_EQUALIZE_COLOR_SCALE,
  GST_VIDEO_EQUALIZE_COLOR_KEEP,
  GST_VIDEO_EQUALIZE_COLOR_CHANNELS,
} GstVideoEqualizeColor;

#define GST_TYPE_VIDEO_EQUALIZE_COLOR (gst_video_equalize_color_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_equalize_color_get_type (void);

/**
 * GST_VIDEO_EQUALIZER_MAX_TILES:
 *
 * The most tiles of CLAHE in a row, and in a column.
 */
#define GST_VIDEO_EQUALIZER_MAX_TILES 32

/**
 * GST_VIDEO_EQUALIZER_MAX_SMOOTHING: (value 3600000000000)
 *
 * The longest time constant of a curve: an hour, in ns.
 *
 * Since: 0.2
 */
#define GST_VIDEO_EQUALIZER_MAX_SMOOTHING (G_GUINT64_CONSTANT (3600000000000))

typedef struct _GstVideoEqualizerSettings GstVideoEqualizerSettings;

/**
 * GstVideoEqualizerSettings:
 * @method: how the curve is made
 * @color: how color follows luma
 * @strength: how much of the correction is applied, 0 to 1
 * @low_percentile: for `stretch`: the percentile that becomes black, 0 to 100
 * @high_percentile: for `stretch`: the percentile that becomes white, 0 to 100
 * @max_gain: the greatest gain, 1 to 100: of contrast in `stretch`, of the
 *     exponent (or its inverse) in `gamma`, and of U and V
 * @target: for `gamma`: what the median becomes, 0 (black) to 1 (white)
 * @clip_limit: for `clahe`: how many times its share of the tile a bin keeps, 0
 *     (no limit) to 1000
 * @tile_columns: for `clahe`: tiles in a row, 1 to
 *     %GST_VIDEO_EQUALIZER_MAX_TILES
 * @tile_rows: for `clahe`: tiles in a column, in the same range
 * @smoothing: time constant in ns with which the curve follows the picture: 0
 *     (each frame gets its own), or %GST_VIDEO_HISTOGRAM_MIN_TIME to
 *     %GST_VIDEO_EQUALIZER_MAX_SMOOTHING
 * @scene_threshold: how far (earth mover's distance of luma as a share of the
 *     code space, 0 to 1) a picture must be from the earlier ones to get its
 *     own curve at once in any case; cuts to scenes of similar light are found
 *     at a part of that. 1: never
 * @region_x: left edge of the region that is counted and corrected, in pixels
 *     of the picture (Since: 0.2)
 * @region_y: upper edge of it (Since: 0.2)
 * @region_width: its width, cut to the picture; 0: to the right edge (Since:
 *     0.2)
 * @region_height: its height, cut to the picture; 0: to the lower edge (Since:
 *     0.2)
 *
 * How frames are corrected.
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
