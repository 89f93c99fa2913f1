/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthconditions.h"
#include "gst/videohistogram/histogram/initialized.h"

#include <math.h>

#define BIT(id) GST_VIDEO_HEALTH_CONDITIONS_##id
#define SEES_NOTHING (BIT (BLACK) | BIT (DARK) | BIT (BRIGHT) | \
    BIT (CORRUPTED))
#define NEEDS(id) GST_VIDEO_HEALTH_EVIDENCE_##id

/* The topics of doc/Imaging.xml in onvif/specs, and our own where ONVIF has no
 * topic. */
#define ONVIF "tns1:VideoSource/"
#define OURS "vh:VideoSource/"

/* In levels, from the 1st to the 99th percentile. */
#define USUAL_CONTRAST 0.7

#define WHOLE_CHROMA "chroma is counted over the whole picture"

static gdouble
get_silence (const VhHealthFacts * facts)
{
  return facts->silence;
}

static gdouble
get_black (const VhHealthFacts * facts)
{
  return facts->evidence->black;
}

/* Where the light is gone, amplified noise may be brighter than dark pixels
 * are. */
static gdouble
get_dark (const VhHealthFacts * facts)
{
  return MAX (facts->evidence->dark, facts->comparison.darkened);
}

static gdouble
get_bright (const VhHealthFacts * facts)
{
  return facts->evidence->bright;
}

static gdouble
get_sharpness (const VhHealthFacts * facts)
{
  return facts->comparison.sharpness;
}

/* Until the camera's own contrast is known, uses the contrast that pictures
 * usually have. */
static gdouble
get_contrast (const VhHealthFacts * facts)
{
  const gdouble contrast = isnan (facts->comparison.contrast) ?
      facts->evidence->contrast / USUAL_CONTRAST : facts->comparison.contrast;

  return MIN (contrast, 1);
}

static gdouble
get_covered (const VhHealthFacts * facts)
{
  return facts->comparison.covered;
}

static gdouble
get_moved (const VhHealthFacts * facts)
{
  return facts->comparison.moved;
}

static gdouble
get_difference (const VhHealthFacts * facts)
{
  return facts->evidence->difference;
}

static gdouble
get_cast (const VhHealthFacts * facts)
{
  return facts->comparison.tint;
}

static gdouble
get_neutral (const VhHealthFacts * facts)
{
  return facts->evidence->neutral;
}

static gdouble
get_flips (const VhHealthFacts * facts)
{
  return facts->flips;
}

static gdouble
get_flashes (const VhHealthFacts * facts)
{
  return facts->flashes->flashes;
}

static gdouble
get_bands (const VhHealthFacts * facts)
{
  return vh_health_bands_amplitude (facts->bands);
}

static gdouble
get_damage (const VhHealthFacts * facts)
{
  return facts->damage->share;
}

/* Thresholds are common values of the field or round numbers, in units of the
 * picture; docs/videohealth.md says where each comes from. */
const VhHealthCondition vh_health_conditions[VH_HEALTH_N] = {
  [GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS] = {
        .name = "signal-loss",
        .description = "No frames arrive",
        .topic = ONVIF "SignalLoss",
        .unit = "s",
        .rule = {5, 1, 0, 0},
        .max = 86400,
        .compares = TRUE,
        .spoils = TRUE,
        .whole = "it is about missing frames",
        .value = get_silence,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLACK] = {
        .name = "black",
        .description = "The picture is black",
        .topic = OURS "Black",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.98, 0.97, 2 * GST_SECOND, 0},
        .max = 1,
        .spoils = TRUE,
        .value = get_black,
      },
  [GST_VIDEO_HEALTH_CONDITION_DARK] = {
        .name = "dark",
        .description = "Most of the picture is too dark",
        .topic = ONVIF "ImageTooDark/AnalyticsService",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.9, 0.8, 5 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .hidden_by = BIT (BLACK),
        .spoils = TRUE,
        .value = get_dark,
      },
  [GST_VIDEO_HEALTH_CONDITION_BRIGHT] = {
        .name = "bright",
        .description = "Most of the picture is too bright",
        .topic = ONVIF "ImageTooBright/AnalyticsService",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.6, 0.5, 5 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .spoils = TRUE,
        .value = get_bright,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLURRY] = {
        .name = "blurry",
        .description = "The picture is less sharp than this camera was before",
        .topic = ONVIF "ImageTooBlurry/AnalyticsService",
        .unit = "share of the learned sharpness",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .below = TRUE,
        .rule = {0.5, 0.7, 10 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_sharpness,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST] = {
        .name = "low-contrast",
        .description = "The picture has little contrast: fog, smoke, dirt",
        .topic = ONVIF "ImpairedVisibility",
        .unit = "share of the contrast",
        .needs = NEEDS (LUMA),
        .below = TRUE,
        .rule = {0.35, 0.5, 10 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_contrast,
      },
  [GST_VIDEO_HEALTH_CONDITION_COVERED] = {
        .name = "covered",
        .description = "Most parts of the picture have lost their contents",
        .topic = ONVIF "GlobalSceneChange/AnalyticsService",
        .unit = "share of cells",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.8, 0.5, 3 * GST_SECOND, 3 * GST_SECOND},
        .max = 1,
        .masks = SEES_NOTHING,
        .hidden_by = BIT (FROZEN),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_covered,
      },
  [GST_VIDEO_HEALTH_CONDITION_MOVED] = {
        .name = "moved",
        .description = "The picture shows another scene",
        .topic = ONVIF "GlobalSceneChange/AnalyticsService",
        .unit = "1 - correlation",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .rule = {0.5, 0.4, 5 * GST_SECOND, 5 * GST_SECOND},
        .max = 2,
        .masks = SEES_NOTHING | BIT (COVERED),
        .hidden_by = BIT (FROZEN),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_moved,
      },
  [GST_VIDEO_HEALTH_CONDITION_FROZEN] = {
        .name = "frozen",
        .description = "The picture does not change",
        .topic = OURS "Frozen",
        .unit = "mean absolute difference as a share of the code values",
        .needs = NEEDS (DIFFERENCE),
        .below = TRUE,
        .rule = {0.001, 0.002, 2 * GST_SECOND, 0},
        .max = 1,
        .masks = BIT (BLACK),
        .hidden_by = BIT (DARK) | BIT (COVERED) | BIT (MOVED),
        .compares = TRUE,
        .value = get_difference,
      },
  [GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] = {
        .name = "color-cast",
        .description = "The picture is tinted magenta",
        .topic = OURS "ColorCast",
        .unit = "relative excess of red and blue",
        .needs = NEEDS (LUMA) | NEEDS (CHROMA) | NEEDS (CELLS),
        .rule = {0.15, 0.08, 5 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED),
        .learned = TRUE,
        .spoils = TRUE,
        .whole = WHOLE_CHROMA,
        .value = get_cast,
      },
  [GST_VIDEO_HEALTH_CONDITION_MONOCHROME] = {
        .name = "monochrome",
        .description = "The picture has no color",
        .topic = OURS "Monochrome",
        .unit = "share of chroma samples",
        .needs = NEEDS (CHROMA),
        .rule = {0.98, 0.95, 5 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .masks = BIT (BLACK) | BIT (COVERED) | BIT (CORRUPTED),
        .whole = WHOLE_CHROMA,
        .value = get_neutral,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLAPPING] = {
        .name = "flapping",
        .description = "Color often comes and goes",
        .topic = OURS "Flapping",
        .unit = "changes in the last hour",
        .needs = NEEDS (CHROMA),
        .rule = {10, 4, 0, 0},
        .max = 64,
        .whole = WHOLE_CHROMA,
        .value = get_flips,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLASHING] = {
        .name = "flashing",
        .description = "More than a quarter of the picture flashes",
        .topic = OURS "Flashing",
        .unit = "flashes in the last second",
        .needs = NEEDS (LUMA),
        .rule = {4, 3, 0, 2 * GST_SECOND},
        .max = VH_FLASH_STEPS / 2,
        .masks = BIT (CORRUPTED),
        .value = get_flashes,
      },
  [GST_VIDEO_HEALTH_CONDITION_BANDING] = {
        .name = "banding",
        .description = "Bands of brightness run through the picture",
        .topic = OURS "Banding",
        .unit = "share of the mean level",
        .needs = NEEDS (ROWS),
        .rule = {0.02, 0.01, 3 * GST_SECOND, 3 * GST_SECOND},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED),
        .whole = "bands run through all rows",
        .value = get_bands,
      },
  [GST_VIDEO_HEALTH_CONDITION_CORRUPTED] = {
        .name = "corrupted",
        .description = "The picture is damaged, because data was lost",
        .topic = OURS "Corrupted",
        .unit = "share of the last seconds",
        .needs = NEEDS (CORRUPTED),
        .rule = {0.2, 0.1, 10 * GST_SECOND, 5 * GST_SECOND},
        .max = 1,
        .spoils = TRUE,
        .whole = "it is about whole frames",
        .value = get_damage,
      },
};

/* Registers the enum types by hand, with the names from the table. The values'
 * C names, such as GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, are never freed. */

static const gchar *
c_name (const gchar * prefix, const gchar * name)
{
  gchar *upper = g_ascii_strup (name, -1);
  gchar *full = g_strconcat (prefix, g_strdelimit (upper, "-", '_'), NULL);
  const gchar *kept = g_intern_string (full);

  g_free (upper);
  g_free (full);
  return kept;
}

GType
gst_video_health_condition_get_type (void)
{
  static GEnumValue values[VH_HEALTH_N + 1];
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type;
    gint i;

    for (i = 0; i < VH_HEALTH_N; i++) {
      values[i].value = i;
      values[i].value_name = c_name ("GST_VIDEO_HEALTH_CONDITION_",
          vh_health_conditions[i].name);
      values[i].value_nick = vh_health_conditions[i].name;
    }
    new_type = g_enum_register_static ("GstVideoHealthCondition", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_video_health_conditions_get_type (void)
{
  static GFlagsValue values[VH_HEALTH_N + 1];
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type;
    guint i;

    for (i = 0; i < VH_HEALTH_N; i++) {
      values[i].value = 1u << i;
      values[i].value_name = c_name ("GST_VIDEO_HEALTH_CONDITIONS_",
          vh_health_conditions[i].name);
      values[i].value_nick = vh_health_conditions[i].name;
    }
    new_type = g_flags_register_static ("GstVideoHealthConditions", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * gst_video_health_condition_get_name:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns the name of a condition in rules and messages. May be called from
 * any thread.
 *
 * Returns: a static string such as `low-contrast`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_name (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].name;
}

/**
 * gst_video_health_condition_get_topic:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns the topic of the events of a condition: ONVIF's, from its Imaging
 * Service Specification, with the prefix `tns1:`, or one of this library with
 * the prefix `vh:` if ONVIF has none. `covered` and `moved` share a topic. May
 * be called from any thread.
 *
 * Returns: a static string such as `tns1:VideoSource/SignalLoss`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_topic (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].topic;
}

/**
 * gst_video_health_condition_get_unit:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns the unit of the value and of the thresholds of a condition, in
 * words. May be called from any thread.
 *
 * Returns: a static string such as `share of pixels`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_unit (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].unit;
}

/**
 * gst_video_health_condition_get_description:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns what it means that a condition is active, for people. May be called
 * from any thread.
 *
 * Returns: a static string, a sentence without a full stop, such as `Most of
 *     the picture is too dark`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_description (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].description;
}
