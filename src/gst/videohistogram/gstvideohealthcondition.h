/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <gst/videohistogram/videohistogram-prelude.h>

G_BEGIN_DECLS

/**
 * GstVideoHealthCondition:
 * @GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS: no frames arrive
 * @GST_VIDEO_HEALTH_CONDITION_BLACK: the picture is black, as ffmpeg's
 *     blackdetect defines it
 * @GST_VIDEO_HEALTH_CONDITION_DARK: most of the picture is too dark
 * @GST_VIDEO_HEALTH_CONDITION_BRIGHT: most of the picture is too bright
 * @GST_VIDEO_HEALTH_CONDITION_BLURRY: the picture is less sharp than this
 *     camera's reference
 * @GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST: the picture uses few levels: fog,
 *     smoke, dirt
 * @GST_VIDEO_HEALTH_CONDITION_COVERED: cells of the picture have lost their
 *     content
 * @GST_VIDEO_HEALTH_CONDITION_MOVED: the picture shows another scene
 * @GST_VIDEO_HEALTH_CONDITION_FROZEN: the picture does not change, as ffmpeg's
 *     freezedetect defines it
 * @GST_VIDEO_HEALTH_CONDITION_COLOR_CAST: the whole picture is tinted
 * @GST_VIDEO_HEALTH_CONDITION_MONOCHROME: the picture has no color
 * @GST_VIDEO_HEALTH_CONDITION_FLAPPING: the picture often switches between
 *     color and monochrome
 * @GST_VIDEO_HEALTH_CONDITION_FLASHING: a part of the picture flashes
 * @GST_VIDEO_HEALTH_CONDITION_BANDING: bands of brightness run through the
 *     picture, as mains light causes them
 * @GST_VIDEO_HEALTH_CONDITION_CORRUPTED: frames are damaged, because data was
 *     lost on the way
 * @GST_VIDEO_HEALTH_CONDITION_NOISY: noise hides details
 * @GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED: something covers a part of the view
 * @GST_VIDEO_HEALTH_CONDITION_HUNTING: the exposure swings
 * @GST_VIDEO_HEALTH_CONDITION_LOOPING: some seconds of video are replayed
 * @GST_VIDEO_HEALTH_CONDITION_DRIFTING: the picture has become softer or dimmer
 *     within weeks
 * @GST_VIDEO_HEALTH_CONDITION_NUDGED: the view is shifted or rolled a little
 * @GST_VIDEO_HEALTH_CONDITION_GLARE: a lamp or the sun shines into the lens
 * @GST_VIDEO_HEALTH_CONDITION_STRIPED: stripes or bars lie over the picture
 * @GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN: a part of the picture stands still
 *     while the rest runs
 * @GST_VIDEO_HEALTH_CONDITION_SHAKING: the view moves to and fro
 * @GST_VIDEO_HEALTH_CONDITION_BLOCKY: the coder has too few bits
 *
 * A fault of the picture. docs/videohealth.md defines each condition, its
 * value and its unit.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS,
  GST_VIDEO_HEALTH_CONDITION_BLACK,
  GST_VIDEO_HEALTH_CONDITION_DARK,
  GST_VIDEO_HEALTH_CONDITION_BRIGHT,
  GST_VIDEO_HEALTH_CONDITION_BLURRY,
  GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST,
  GST_VIDEO_HEALTH_CONDITION_COVERED,
  GST_VIDEO_HEALTH_CONDITION_MOVED,
  GST_VIDEO_HEALTH_CONDITION_FROZEN,
  GST_VIDEO_HEALTH_CONDITION_COLOR_CAST,
  GST_VIDEO_HEALTH_CONDITION_MONOCHROME,
  GST_VIDEO_HEALTH_CONDITION_FLAPPING,
  GST_VIDEO_HEALTH_CONDITION_FLASHING,
  GST_VIDEO_HEALTH_CONDITION_BANDING,
  GST_VIDEO_HEALTH_CONDITION_CORRUPTED,
  GST_VIDEO_HEALTH_CONDITION_NOISY,
  GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED,
  GST_VIDEO_HEALTH_CONDITION_HUNTING,
  GST_VIDEO_HEALTH_CONDITION_LOOPING,
  GST_VIDEO_HEALTH_CONDITION_DRIFTING,
  GST_VIDEO_HEALTH_CONDITION_NUDGED,
  GST_VIDEO_HEALTH_CONDITION_GLARE,
  GST_VIDEO_HEALTH_CONDITION_STRIPED,
  GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN,
  GST_VIDEO_HEALTH_CONDITION_SHAKING,
  GST_VIDEO_HEALTH_CONDITION_BLOCKY,
} GstVideoHealthCondition;

/**
 * GST_VIDEO_HEALTH_N_CONDITIONS:
 *
 * The number of values of #GstVideoHealthCondition.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HEALTH_N_CONDITIONS 26

/**
 * GST_TYPE_VIDEO_HEALTH_CONDITION:
 *
 * The #GType of #GstVideoHealthCondition.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HEALTH_CONDITION \
    (gst_video_health_condition_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_health_condition_get_type (void);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_name (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_topic (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_unit (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_description (
    GstVideoHealthCondition condition);

/**
 * GstVideoHealthSeverity:
 * @GST_VIDEO_HEALTH_SEVERITY_NONE: nothing is wrong
 * @GST_VIDEO_HEALTH_SEVERITY_NOTICE: may be intended
 * @GST_VIDEO_HEALTH_SEVERITY_IMPAIRED: the picture shows too little
 * @GST_VIDEO_HEALTH_SEVERITY_LOST: there is no picture
 *
 * How much of the picture a condition takes away, in rising order.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_VIDEO_HEALTH_SEVERITY_NONE,
  GST_VIDEO_HEALTH_SEVERITY_NOTICE,
  GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
  GST_VIDEO_HEALTH_SEVERITY_LOST,
} GstVideoHealthSeverity;

/**
 * GstVideoHealthSensitivity:
 * @GST_VIDEO_HEALTH_SENSITIVITY_LOW: fewer alarms: faults must be stronger, and
 *     last twice as long
 * @GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM: the default
 * @GST_VIDEO_HEALTH_SENSITIVITY_HIGH: weaker faults are reported, too, after
 *     half the time
 *
 * How easily conditions start. docs/videohealth.md has the thresholds of each.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_VIDEO_HEALTH_SENSITIVITY_LOW,
  GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM,
  GST_VIDEO_HEALTH_SENSITIVITY_HIGH,
} GstVideoHealthSensitivity;

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_words (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthSeverity gst_video_health_condition_get_severity (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_advice (
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_condition_get_scale (
    GstVideoHealthCondition condition, const gchar ** unit, gdouble * most);

GST_VIDEO_HISTOGRAM_API
gdouble gst_video_health_condition_scale (GstVideoHealthCondition condition,
    gdouble value);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_health_condition_describe (GstVideoHealthCondition condition,
    gboolean active, gdouble value, gdouble limit, GstClockTime time,
    const gchar * detail);

/**
 * GstVideoHealthConditions:
 * @GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS: no frames arrive
 * @GST_VIDEO_HEALTH_CONDITIONS_BLACK: the picture is black
 * @GST_VIDEO_HEALTH_CONDITIONS_DARK: most of the picture is too dark
 * @GST_VIDEO_HEALTH_CONDITIONS_BRIGHT: most of the picture is too bright
 * @GST_VIDEO_HEALTH_CONDITIONS_BLURRY: the picture is less sharp than the
 *     reference
 * @GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST: the picture uses few levels
 * @GST_VIDEO_HEALTH_CONDITIONS_COVERED: cells have lost their content
 * @GST_VIDEO_HEALTH_CONDITIONS_MOVED: the picture shows another scene
 * @GST_VIDEO_HEALTH_CONDITIONS_FROZEN: the picture does not change
 * @GST_VIDEO_HEALTH_CONDITIONS_COLOR_CAST: the whole picture is tinted
 * @GST_VIDEO_HEALTH_CONDITIONS_MONOCHROME: the picture has no color
 * @GST_VIDEO_HEALTH_CONDITIONS_FLAPPING: color often comes and goes
 * @GST_VIDEO_HEALTH_CONDITIONS_FLASHING: a part of the picture flashes
 * @GST_VIDEO_HEALTH_CONDITIONS_BANDING: bands of brightness run through the
 *     picture
 * @GST_VIDEO_HEALTH_CONDITIONS_CORRUPTED: frames are damaged
 * @GST_VIDEO_HEALTH_CONDITIONS_NOISY: noise hides details
 * @GST_VIDEO_HEALTH_CONDITIONS_OBSTRUCTED: a part of the view is covered
 * @GST_VIDEO_HEALTH_CONDITIONS_HUNTING: the exposure swings
 * @GST_VIDEO_HEALTH_CONDITIONS_LOOPING: some seconds of video are replayed
 * @GST_VIDEO_HEALTH_CONDITIONS_DRIFTING: softer or dimmer within weeks
 * @GST_VIDEO_HEALTH_CONDITIONS_NUDGED: the view is shifted or rolled a little
 * @GST_VIDEO_HEALTH_CONDITIONS_GLARE: a light shines into the lens
 * @GST_VIDEO_HEALTH_CONDITIONS_STRIPED: stripes or bars lie over the picture
 * @GST_VIDEO_HEALTH_CONDITIONS_PARTLY_FROZEN: a part of the picture stands
 *     still
 * @GST_VIDEO_HEALTH_CONDITIONS_SHAKING: the view moves to and fro
 * @GST_VIDEO_HEALTH_CONDITIONS_BLOCKY: the coder has too few bits
 * @GST_VIDEO_HEALTH_CONDITIONS_DEFAULT: all that are faults, and none that may
 *     be intended
 * @GST_VIDEO_HEALTH_CONDITIONS_ALL: all conditions
 *
 * A set of conditions. Each #GstVideoHealthCondition has the bit `1 <<
 * condition`.
 *
 * Since: 0.2
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS = 1 << 0,
  GST_VIDEO_HEALTH_CONDITIONS_BLACK = 1 << 1,
  GST_VIDEO_HEALTH_CONDITIONS_DARK = 1 << 2,
  GST_VIDEO_HEALTH_CONDITIONS_BRIGHT = 1 << 3,
  GST_VIDEO_HEALTH_CONDITIONS_BLURRY = 1 << 4,
  GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST = 1 << 5,
  GST_VIDEO_HEALTH_CONDITIONS_COVERED = 1 << 6,
  GST_VIDEO_HEALTH_CONDITIONS_MOVED = 1 << 7,
  GST_VIDEO_HEALTH_CONDITIONS_FROZEN = 1 << 8,
  GST_VIDEO_HEALTH_CONDITIONS_COLOR_CAST = 1 << 9,
  GST_VIDEO_HEALTH_CONDITIONS_MONOCHROME = 1 << 10,
  GST_VIDEO_HEALTH_CONDITIONS_FLAPPING = 1 << 11,
  GST_VIDEO_HEALTH_CONDITIONS_FLASHING = 1 << 12,
  GST_VIDEO_HEALTH_CONDITIONS_BANDING = 1 << 13,
  GST_VIDEO_HEALTH_CONDITIONS_CORRUPTED = 1 << 14,
  GST_VIDEO_HEALTH_CONDITIONS_NOISY = 1 << 15,
  GST_VIDEO_HEALTH_CONDITIONS_OBSTRUCTED = 1 << 16,
  GST_VIDEO_HEALTH_CONDITIONS_HUNTING = 1 << 17,
  GST_VIDEO_HEALTH_CONDITIONS_LOOPING = 1 << 18,
  GST_VIDEO_HEALTH_CONDITIONS_DRIFTING = 1 << 19,
  GST_VIDEO_HEALTH_CONDITIONS_NUDGED = 1 << 20,
  GST_VIDEO_HEALTH_CONDITIONS_GLARE = 1 << 21,
  GST_VIDEO_HEALTH_CONDITIONS_STRIPED = 1 << 22,
  GST_VIDEO_HEALTH_CONDITIONS_PARTLY_FROZEN = 1 << 23,
  GST_VIDEO_HEALTH_CONDITIONS_SHAKING = 1 << 24,
  GST_VIDEO_HEALTH_CONDITIONS_BLOCKY = 1 << 25,
} GstVideoHealthConditions;

/**
 * GST_TYPE_VIDEO_HEALTH_CONDITIONS:
 *
 * The #GType of #GstVideoHealthConditions.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HEALTH_CONDITIONS \
    (gst_video_health_conditions_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_health_conditions_get_type (void);

/**
 * GST_VIDEO_HEALTH_CONDITIONS_ALL: (skip)
 *
 * All conditions.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HEALTH_CONDITIONS_ALL \
    ((GstVideoHealthConditions) ((1u << GST_VIDEO_HEALTH_N_CONDITIONS) - 1))

GST_VIDEO_HISTOGRAM_API
GstVideoHealthConditions gst_video_health_get_default_conditions (void);

/**
 * GST_VIDEO_HEALTH_CONDITIONS_DEFAULT: (skip)
 *
 * The conditions that are faults.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HEALTH_CONDITIONS_DEFAULT \
    (gst_video_health_get_default_conditions ())

/**
 * GstVideoHealthEvidence:
 * @GST_VIDEO_HEALTH_EVIDENCE_LUMA: a histogram of luma with at least 16 bins
 * @GST_VIDEO_HEALTH_EVIDENCE_GRADIENT: a histogram of gradients with at least
 *     16 bins
 * @GST_VIDEO_HEALTH_EVIDENCE_CELLS: the same histograms in a grid of at least
 *     4×4 cells; finer grids than 8×8 are merged to 8×8
 * @GST_VIDEO_HEALTH_EVIDENCE_ROWS: a histogram of luma in a grid of at least
 *     16 rows
 * @GST_VIDEO_HEALTH_EVIDENCE_CHROMA: a joint histogram of chroma with at least
 *     32×32 bins
 * @GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS: a joint histogram of luma of the
 *     previous frame and of this frame
 * @GST_VIDEO_HEALTH_EVIDENCE_DIFFERENCE: the difference from the frame that
 *     gst_video_health_wants_frame() asked you to keep
 * @GST_VIDEO_HEALTH_EVIDENCE_CORRUPTED: whether the frames are damaged
 * @GST_VIDEO_HEALTH_EVIDENCE_NOISE: how noisy the picture is; only a
 *     #GstVideoHealthEngine measures it
 * @GST_VIDEO_HEALTH_EVIDENCE_PARTS: the mean level of luma in a grid of 64×64
 *     parts; only a #GstVideoHealthEngine measures it
 *
 * The measurements that conditions need of each frame.
 *
 * Since: 0.2
 */
typedef enum /*< flags >*/
{
  GST_VIDEO_HEALTH_EVIDENCE_LUMA = 1 << 0,
  GST_VIDEO_HEALTH_EVIDENCE_GRADIENT = 1 << 1,
  GST_VIDEO_HEALTH_EVIDENCE_CELLS = 1 << 2,
  GST_VIDEO_HEALTH_EVIDENCE_ROWS = 1 << 3,
  GST_VIDEO_HEALTH_EVIDENCE_CHROMA = 1 << 4,
  GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS = 1 << 5,
  GST_VIDEO_HEALTH_EVIDENCE_DIFFERENCE = 1 << 6,
  GST_VIDEO_HEALTH_EVIDENCE_CORRUPTED = 1 << 7,
  GST_VIDEO_HEALTH_EVIDENCE_NOISE = 1 << 8,
  GST_VIDEO_HEALTH_EVIDENCE_PARTS = 1 << 9,
} GstVideoHealthEvidence;

G_END_DECLS
