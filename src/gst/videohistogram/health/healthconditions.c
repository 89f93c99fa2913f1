/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthconditions.h"

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

/* Light of a color, such as a lamp's, is not bright in all of its parts. */
static gdouble
get_bright (const VhHealthFacts * facts)
{
  return MAX (facts->evidence->bright, facts->comparison.brightened);
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
  return facts->damaged;
}

static gdouble
get_noise (const VhHealthFacts * facts)
{
  return sqrt (facts->variance);
}

static gdouble
get_obstructed (const VhHealthFacts * facts)
{
  return facts->comparison.obstructed;
}

static gdouble
get_swings (const VhHealthFacts * facts)
{
  return vh_health_swings_get_share (facts->swings);
}

static gdouble
get_loops (const VhHealthFacts * facts)
{
  return vh_health_loops_get_share (facts->loops);
}

static gdouble
get_drift (const VhHealthFacts * facts)
{
  return facts->comparison.drifted;
}

static gdouble
get_shift (const VhHealthFacts * facts)
{
  return facts->shift->value;
}

static gdouble
get_glare (const VhHealthFacts * facts)
{
  return facts->comparison.glare;
}

static gdouble
get_stripes (const VhHealthFacts * facts)
{
  return facts->stripes->strength;
}

static gdouble
get_stuck (const VhHealthFacts * facts)
{
  return facts->stuck->share;
}

static gdouble
get_shaking (const VhHealthFacts * facts)
{
  return facts->shake->value;
}

static gdouble
get_blocky (const VhHealthFacts * facts)
{
  return facts->blocks->value;
}

/* Thresholds are common values of the field or round numbers, in units of the
 * picture; docs/videohealth.md says where each comes from. */
const VhHealthCondition vh_health_conditions[VH_HEALTH_N] = {
  [GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS] = {
        .name = "signal-loss",
        .description = "No frames arrive",
        .words = "no video",
        .severity = GST_VIDEO_HEALTH_SEVERITY_LOST,
        .advice = "Check the power, the network and the address of the camera",
        .topic = ONVIF "SignalLoss",
        .unit = "s",
        .rule = {5, 1, 0, 0},
        .low = {15, 1},.high = {3, 1},
        .max = 86400,
        .compares = TRUE,
        .spoils = TRUE,
        .whole = "it is about missing frames",
        .value = get_silence,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLACK] = {
        .name = "black",
        .description = "The picture is black",
        .words = "picture black",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Check the light and the lens cap; if they are fine, restart "
        "the camera",
        .topic = OURS "Black",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.98, 0.97, 2 * GST_SECOND, 0},
        .low = {0.995, 0.985},.high = {0.95, 0.93},
        .max = 1,
        .spoils = TRUE,
        .value = get_black,
      },
  [GST_VIDEO_HEALTH_CONDITION_DARK] = {
        .name = "dark",
        .description = "Most of the picture is too dark",
        .words = "too dark",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Switch on a light, or check the exposure and the infrared "
        "lamp",
        .topic = ONVIF "ImageTooDark/AnalyticsService",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.9, 0.8, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.97, 0.9},.high = {0.8, 0.7},
        .max = 1,
        .masks = BIT (CORRUPTED),
        .hidden_by = BIT (BLACK),
        .spoils = TRUE,
        .value = get_dark,
      },
  [GST_VIDEO_HEALTH_CONDITION_BRIGHT] = {
        .name = "bright",
        .description = "Most of the picture is too bright",
        .words = "too bright",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Check the exposure, and whether a lamp or the sun shines "
        "into the lens",
        .topic = ONVIF "ImageTooBright/AnalyticsService",
        .unit = "share of pixels",
        .needs = NEEDS (LUMA),
        .rule = {0.6, 0.5, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.8, 0.7},.high = {0.4, 0.3},
        .max = 1,
        .spoils = TRUE,
        .value = get_bright,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLURRY] = {
        .name = "blurry",
        .description = "The picture is less sharp than this camera was before",
        .words = "out of focus",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Clean the lens and check its focus",
        .topic = ONVIF "ImageTooBlurry/AnalyticsService",
        .unit = "share of the learned sharpness",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .below = TRUE,
        .rule = {0.5, 0.7, 10 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.35, 0.55},.high = {0.65, 0.8},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (NOISY) |
        BIT (OBSTRUCTED) | BIT (GLARE),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_sharpness,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST] = {
        .name = "low-contrast",
        .description = "The picture has little contrast: fog, smoke, dirt",
        .words = "low contrast",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "If there is no fog or smoke, clean and dry the lens",
        .topic = ONVIF "ImpairedVisibility",
        .unit = "share of the contrast",
        .needs = NEEDS (LUMA),
        .below = TRUE,
        .rule = {0.35, 0.5, 10 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.25, 0.4},.high = {0.5, 0.65},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (NOISY) |
        BIT (OBSTRUCTED) | BIT (GLARE),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_contrast,
      },
  [GST_VIDEO_HEALTH_CONDITION_COVERED] = {
        .name = "covered",
        .description = "Most of the picture has lost its detail",
        .words = "camera covered",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Go and look: remove what covers the lens",
        .topic = ONVIF "GlobalSceneChange/AnalyticsService",
        .unit = "share of cells",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.8, 0.5, 3 * GST_SECOND, 3 * GST_SECOND},
        .low = {0.9, 0.6},.high = {0.6, 0.4},
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
        .words = "camera moved",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Turn the camera back. If the camera was moved on purpose, "
        "relearn the reference",
        .topic = ONVIF "GlobalSceneChange/AnalyticsService",
        .unit = "1 - correlation",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .rule = {0.5, 0.4, 15 * GST_SECOND, 5 * GST_SECOND},
        .sure_after = 5 * GST_SECOND,
        .low = {0.65, 0.55},.high = {0.35, 0.28},
        .max = 2,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (OBSTRUCTED),
        .hidden_by = BIT (FROZEN),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_moved,
      },
  [GST_VIDEO_HEALTH_CONDITION_FROZEN] = {
        .name = "frozen",
        .description = "The picture does not change",
        .words = "picture frozen",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Restart the camera, or the recorder or restreamer that its "
        "video comes through",
        .topic = OURS "Frozen",
        .unit = "mean absolute difference as a share of the code values",
        .needs = NEEDS (DIFFERENCE),
        .below = TRUE,
        .rule = {0.001, 0.002, 2 * GST_SECOND, 0},
        .low = {0.0005, 0.001},.high = {0.002, 0.004},
        .max = 1,
        .masks = BIT (BLACK) | BIT (CORRUPTED),
        .hidden_by = BIT (DARK) | BIT (COVERED) | BIT (MOVED) | BIT (GLARE),
        .compares = TRUE,
        .value = get_difference,
      },
  [GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] = {
        .name = "color-cast",
        .description = "The picture has a tint that it did not have before",
        .words = "color cast",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Check the white balance, the infrared filter and the cable",
        .topic = OURS "ColorCast",
        .unit = "relative change of colors",
        .needs = NEEDS (LUMA) | NEEDS (CHROMA) | NEEDS (CELLS),
        .rule = {0.15, 0.08, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.22, 0.12},.high = {0.1, 0.06},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (OBSTRUCTED),
        .learned = TRUE,
        .spoils = TRUE,
        .whole = WHOLE_CHROMA,
        .value = get_cast,
      },
  [GST_VIDEO_HEALTH_CONDITION_MONOCHROME] = {
        .name = "monochrome",
        .description = "The picture has no color",
        .words = "no color",
        .severity = GST_VIDEO_HEALTH_SEVERITY_NOTICE,
        .optional = TRUE,
        .advice = "If the camera is not in night mode, check how it switches "
        "between day and night",
        .topic = OURS "Monochrome",
        .unit = "share of chroma samples",
        .needs = NEEDS (CHROMA),
        .rule = {0.98, 0.95, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.995, 0.98},.high = {0.95, 0.9},
        .max = 1,
        .masks = BIT (BLACK) | BIT (COVERED) | BIT (CORRUPTED) | BIT (NOISY),
        .whole = WHOLE_CHROMA,
        .value = get_neutral,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLAPPING] = {
        .name = "flapping",
        .description = "Color often comes and goes",
        .words = "switching between day and night",
        .severity = GST_VIDEO_HEALTH_SEVERITY_NOTICE,
        .optional = TRUE,
        .advice = "Give the camera more light, or fixed times for day and "
        "night",
        .topic = OURS "Flapping",
        .unit = "changes in the last hour",
        .needs = NEEDS (CHROMA),
        .rule = {10, 4, 0, 0},
        .low = {20, 8},.high = {6, 2},
        .max = 64,
        .whole = WHOLE_CHROMA,
        .value = get_flips,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLASHING] = {
        .name = "flashing",
        .description = "More than a quarter of the picture flashes",
        .words = "picture flashing",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Look for a flickering lamp in the view",
        .topic = OURS "Flashing",
        .unit = "flashes in the last second",
        .needs = NEEDS (LUMA),
        .rule = {4, 3, 0, 2 * GST_SECOND},
        .low = {6, 5},.high = {3, 2},
        .max = VH_FLASH_STEPS / 2,
        .masks = BIT (CORRUPTED) | BIT (NOISY),
        .value = get_flashes,
      },
  [GST_VIDEO_HEALTH_CONDITION_BANDING] = {
        .name = "banding",
        .description = "Bands of brightness run through the picture",
        .words = "bands in the picture",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Set the camera to the mains frequency, 50 or 60 Hz, or "
        "change its shutter time",
        .topic = OURS "Banding",
        .unit = "share of the mean level",
        .needs = NEEDS (ROWS),
        .rule = {0.02, 0.01, 3 * GST_SECOND, 3 * GST_SECOND},
        .low = {0.04, 0.02},.high = {0.012, 0.008},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED),
        .whole = "bands run through all rows",
        .value = get_bands,
      },
  [GST_VIDEO_HEALTH_CONDITION_CORRUPTED] = {
        .name = "corrupted",
        .description = "The picture is damaged, because data was lost",
        .words = "picture damaged",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Check the camera or the file; if the video comes over a "
        "network, check that, and whether this machine is too busy; if it "
        "comes over UDP, use TCP",
        .topic = OURS "Corrupted",
        .unit = "share of the last seconds",
        .needs = NEEDS (CORRUPTED),
        .rule = {0.2, 0.1, 10 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.4, 0.2},.high = {0.1, 0.05},
        .max = 1,
        .hidden_by = BIT (STRIPED) | BIT (SHAKING),
        .spoils = TRUE,
        .whole = "it is about whole frames",
        .value = get_damage,
      },
  [GST_VIDEO_HEALTH_CONDITION_NOISY] = {
        .name = "noisy",
        .description = "Noise hides what the camera sees",
        .words = "picture noisy",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Give the camera more light; if that does not help, check "
        "its cable and its power, then the camera",
        .topic = OURS "Noisy",
        .unit = "standard deviation, as a share of white",
        .needs = NEEDS (NOISE),
        .rule = {0.055, 0.045, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.1, 0.08},.high = {0.05, 0.04},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED),
        .spoils = TRUE,
        .whole = "noise is everywhere in the picture",
        .value = get_noise,
      },
  [GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED] = {
        .name = "obstructed",
        .description = "Something covers a part of the view",
        .words = "view partly covered",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Remove what is in front of the lens, or clean it",
        .topic = OURS "Obstructed",
        .unit = "share of the picture",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.09, 0.05, 20 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.2, 0.12},.high = {0.07, 0.04},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED),
        .hidden_by = BIT (FROZEN),
        .learned = TRUE,
        .spoils = TRUE,
        .value = get_obstructed,
      },
  [GST_VIDEO_HEALTH_CONDITION_HUNTING] = {
        .name = "hunting",
        .description = "The picture becomes brighter and darker again and "
        "again",
        .words = "brightness swinging",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Set the exposure or the iris to a fixed value, or update "
        "the camera; then check its power",
        .topic = OURS "Hunting",
        .unit = "share of the level",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.3, 0.2, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.5, 0.35},.high = {0.22, 0.15},
        .max = 1,
        .masks = BIT (COVERED) | BIT (MOVED) | BIT (CORRUPTED) | BIT (NOISY) |
        BIT (FLASHING),
        .spoils = TRUE,
        .whole = "the exposure changes the whole picture",
        .value = get_swings,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOOPING] = {
        .name = "looping",
        .description = "The same seconds of video are replayed again and again",
        .words = "video replayed",
        .severity = GST_VIDEO_HEALTH_SEVERITY_LOST,
        .advice = "Check who has access to the camera, its cable and its "
        "recorder: somebody may be hiding something",
        .topic = OURS "Looping",
        .unit = "share of the changes",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.85, 0.8, 2 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.95, 0.85},.high = {0.8, 0.75},
        .max = 1,
        .masks = BIT (BLACK) | BIT (CORRUPTED) | BIT (FLASHING) |
        BIT (BANDING) | BIT (HUNTING) | BIT (STRIPED) | BIT (SHAKING),
        .hidden_by = BIT (FROZEN),
        .whole = "a loop replays the whole picture",
        .value = get_loops,
      },
  [GST_VIDEO_HEALTH_CONDITION_DRIFTING] = {
        .name = "drifting",
        .description = "The picture has become softer or dimmer within weeks",
        .words = "slowly getting worse",
        .severity = GST_VIDEO_HEALTH_SEVERITY_NOTICE,
        .optional = TRUE,
        .advice = "Clean the lens and the dome, then check the focus and the "
        "infrared lamp",
        .topic = OURS "Drifting",
        .unit = "share of what was usual",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .rule = {0.3, 0.2, 0, 0},
        .low = {0.4, 0.3},.high = {0.2, 0.12},
        .max = 1,
        .learned = TRUE,
        .whole = "it is about the learned picture",
        .value = get_drift,
      },
  [GST_VIDEO_HEALTH_CONDITION_NUDGED] = {
        .name = "nudged",
        .description = "The view is shifted or rolled a little",
        .words = "camera nudged",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Tighten the mount and turn the camera back. If the camera "
        "was moved on purpose, relearn the reference",
        .topic = OURS "Nudged",
        .unit = "share of the picture's width",
        .needs = NEEDS (PARTS),
        .rule = {0.02, 0.012, 10 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.04, 0.025},.high = {0.012, 0.008},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (NOISY) |
        BIT (OBSTRUCTED),
        .hidden_by = BIT (FROZEN) | BIT (SHAKING),
        .learned = TRUE,
        .spoils = TRUE,
        .whole = "the whole view moves",
        .value = get_shift,
      },
  [GST_VIDEO_HEALTH_CONDITION_GLARE] = {
        .name = "glare",
        .description = "A lamp or the sun shines into the lens",
        .words = "light in the lens",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Find the lamp, or turn the camera away from the sun, and "
        "clean the lens, which spreads the light",
        .topic = OURS "Glare",
        .unit = "share of the picture",
        .needs = NEEDS (LUMA) | NEEDS (CELLS),
        .rule = {0.06, 0.04, 8 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.15, 0.1},.high = {0.045, 0.03},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (NOISY),
        .hidden_by = BIT (MOVED),
        .learned = TRUE,
        .value = get_glare,
      },
  [GST_VIDEO_HEALTH_CONDITION_STRIPED] = {
        .name = "striped",
        .description = "Stripes or bars lie over the picture",
        .words = "stripes in the picture",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Check the cable, its shield and its grounding, and the "
        "power supply of the camera",
        .topic = OURS "Striped",
        .unit = "share of white",
        .needs = NEEDS (PARTS),
        .rule = {0.02, 0.015, 5 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.04, 0.03},.high = {0.015, 0.01},
        .max = 1,
        .masks = BIT (BLACK) | BIT (DARK) | BIT (BRIGHT) | BIT (COVERED) |
        BIT (MOVED) | BIT (NOISY),
        .hidden_by = BIT (CORRUPTED) | BIT (BANDING),
        .spoils = TRUE,
        .whole = "stripes lie over the whole picture",
        .value = get_stripes,
      },
  [GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN] = {
        .name = "partly-frozen",
        .description = "A part of the picture stands still while the rest runs",
        .words = "picture partly frozen",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Restart the camera, or the recorder or multiviewer that its "
        "video comes through",
        .topic = OURS "PartlyFrozen",
        .unit = "share of the picture",
        .needs = NEEDS (PARTS),
        .rule = {0.1, 0.05, 2 * GST_SECOND, 5 * GST_SECOND},
        .low = {0.2, 0.12},.high = {0.07, 0.04},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (OBSTRUCTED),
        .hidden_by = BIT (FROZEN),
        .whole = "the rest of the picture must run",
        .value = get_stuck,
      },
  [GST_VIDEO_HEALTH_CONDITION_SHAKING] = {
        .name = "shaking",
        .description = "The view moves to and fro",
        .words = "camera shaking",
        .severity = GST_VIDEO_HEALTH_SEVERITY_IMPAIRED,
        .advice = "Tighten the mount, or fix the camera to something that the "
        "wind and the traffic do not shake",
        .topic = OURS "Shaking",
        .unit = "share of the picture's width",
        .needs = NEEDS (PARTS),
        .rule = {0.004, 0.0025, 5 * GST_SECOND, 20 * GST_SECOND},
        .low = {0.01, 0.006},.high = {0.0025, 0.0015},
        .max = 1,
        .masks = SEES_NOTHING | BIT (COVERED) | BIT (MOVED) | BIT (NOISY),
        .hidden_by = BIT (FROZEN),
        .whole = "the whole view moves",
        .value = get_shaking,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLOCKY] = {
        .name = "blocky",
        .description = "The coder has too few bits for faint details",
        .words = "picture blocky",
        .severity = GST_VIDEO_HEALTH_SEVERITY_NOTICE,
        .optional = TRUE,
        .advice = "Check the bitrate and the quality that are set in the "
        "camera, then how much the network and its switches can carry",
        .topic = OURS "Blocky",
        .unit = "share of the faint gradients",
        .needs = NEEDS (LUMA) | NEEDS (GRADIENT) | NEEDS (CELLS),
        .rule = {0.45, 0.3, 10 * GST_SECOND, 10 * GST_SECOND},
        .low = {0.65, 0.45},.high = {0.35, 0.25},
        .max = 1,
        .masks = SEES_NOTHING | BIT (BLURRY) | BIT (LOW_CONTRAST) |
        BIT (COVERED) | BIT (MOVED) | BIT (NOISY) | BIT (OBSTRUCTED) |
        BIT (GLARE) | BIT (SHAKING),
        .hidden_by = BIT (FROZEN),
        .learned = TRUE,
        .whole = "a coder has so many bits for the whole picture",
        .value = get_blocky,
      },
};
