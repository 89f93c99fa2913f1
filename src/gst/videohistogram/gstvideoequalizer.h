/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

/**
 * GstVideoEqualizeMethod:
 * @GST_VIDEO_EQUALIZE_METHOD_NONE: frames are not changed
 * @GST_VIDEO_EQUALIZE_METHOD_EQUALIZE: all of the range is used evenly:
 *     OpenCV's equalizeHist()
 * @GST_VIDEO_EQUALIZE_METHOD_STRETCH: two percentiles become black and white
 * @GST_VIDEO_EQUALIZE_METHOD_GAMMA: a power takes the median to a target
 * @GST_VIDEO_EQUALIZE_METHOD_MATCH: the histogram becomes that of a reference
 * @GST_VIDEO_EQUALIZE_METHOD_CLAHE: contrast-limited adaptive histogram
 *     equalization, tile by tile: OpenCV's createCLAHE()
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
 *     are scaled as luma is, by no more than keeps them in range
 * @GST_VIDEO_EQUALIZE_COLOR_KEEP: U and V, or the differences of R, G and B,
 *     stay
 * @GST_VIDEO_EQUALIZE_COLOR_CHANNELS: the curve of luma is applied to R, G and
 *     B each, which changes hues; YUV is done as with
 *     %GST_VIDEO_EQUALIZE_COLOR_SCALE
 *
 * How colour follows luma.
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

typedef struct _GstVideoEqualizerSettings GstVideoEqualizerSettings;

/**
 * GstVideoEqualizerSettings:
 * @method: how the curve is made
 * @color: how colour follows luma
 * @strength: how much of the correction is applied, 0 to 1
 * @low_percentile: of `stretch`: the percentile that becomes black, 0 to 100
 * @high_percentile: the percentile that becomes white, 0 to 100
 * @max_gain: the greatest gain, 1 to 100: of contrast in `stretch`, of the
 *     exponent (or its inverse) in `gamma`, and of U and V
 * @target: of `gamma`: what the median becomes, 0 (black) to 1 (white)
 * @clip_limit: of `clahe`: how many times its share of the tile a bin keeps, 0
 *     (no limit) to 1000
 * @tile_columns: of `clahe`: tiles in a row, 1 to
 *     %GST_VIDEO_EQUALIZER_MAX_TILES
 * @tile_rows: tiles in a column, likewise
 * @smoothing: time constant in seconds with which the curve follows the
 *     picture; 0: each frame gets its own
 * @scene_threshold: how far (earth mover's distance of luma as a share of the
 *     code space, 0 to 1) a picture has to be from those before, for two
 *     frames, to get its own curve at once
 *
 * What is done to frames.
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
  gdouble smoothing;
  gdouble scene_threshold;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_settings_init (GstVideoEqualizerSettings * settings);

#define GST_TYPE_VIDEO_EQUALIZER (gst_video_equalizer_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoEqualizer, gst_video_equalizer, GST,
    VIDEO_EQUALIZER, GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoEqualizer *gst_video_equalizer_new (void);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_open (GstVideoEqualizer * equalizer,
    gint cuda_device_id, GstElement * element);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_close (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_configure (GstVideoEqualizer * equalizer,
    GstCaps * caps, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_set_settings (GstVideoEqualizer * equalizer,
    const GstVideoEqualizerSettings * settings);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_set_reference (GstVideoEqualizer * equalizer,
    GstVideoHistogram * reference);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_reset (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_process (GstVideoEqualizer * equalizer,
    GstBuffer * in, GstBuffer * out, GError ** error);

GST_VIDEO_HISTOGRAM_API
GstBufferPool *gst_video_equalizer_new_pool (GstVideoEqualizer * equalizer,
    GstBuffer * buffer, GstStructure ** config);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_pool_fits (GstVideoEqualizer * equalizer,
    GstBufferPool * pool, GstBuffer * buffer);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_equalizer_get_counted (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_set_context (GstVideoEqualizer * equalizer,
    GstContext * context);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_answer_context_query (
    GstVideoEqualizer * equalizer, GstQuery * query);

G_END_DECLS
