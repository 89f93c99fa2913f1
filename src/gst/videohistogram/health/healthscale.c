/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of conditions as people read them: "The picture is 91 % similar to
 * the reference; the alarm starts below 75 %." */
#include "healthconditions.h"
#include "core/duration.h"
#include "gst/videohistogram/gstvideohealth.h"
#include "gst/videohistogram/histogram/initialized.h"

#include <math.h>
#include <string.h>

/* Numbers replace $ in phrases. A number for people is @offset + @factor times
 * the value. */
typedef struct
{
  const gchar *label, *unit;
  const gchar *state;           /* the first half of the sentence */
  const gchar *detailed;        /* the same with a detail, which replaces @ */
  const gchar *small;           /* the same for numbers below 1, while there is
                                 * no alarm */
  const gchar *starts, *ends;   /* of the second half, such as "the alarm
                                 * starts above $"; NULL: "above $" or
                                 * "below $" */
  gdouble factor, offset, most;
  gboolean bare;                /* the sentence already says the unit */
  gboolean timeless;            /* it does not say how long the value must stay
                                 * there */
  gboolean limitless;           /* @detailed is the whole sentence */
} Row;

#define PERCENT .unit = "%",.factor = 100,.most = 100

static const Row rows[VH_HEALTH_N] = {
  [GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS] = {
        .label = "Time without a frame",
        .unit = "s",
        .state = "No frame for $",
        .small = "Frames arrive",
        .starts = "after $ without a frame",
        .ends = "with the next frame",
        .timeless = TRUE,
        .factor = 1,
        .most = 10,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLACK] = {
        .label = "Black part of the picture",
        .state = "$ of the picture is black",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_DARK] = {
        .label = "Dark part of the picture",
        .state = "$ of the picture is dark",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_BRIGHT] = {
        .label = "Bright part of the picture",
        .state = "$ of the picture is very bright",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLURRY] = {
        .label = "Sharpness compared with the reference",
        .state = "The picture is $ as sharp as the reference",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST] = {
        .label = "Contrast compared with the reference",
        .state = "The picture has $ of the contrast of the reference",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_COVERED] = {
        .label = "Part of the picture without detail",
        .state = "$ of the picture has lost its detail",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_MOVED] = {
        .label = "Similarity to the reference",
        .unit = "%",
        .state = "The picture is $ similar to the reference",
        .factor = -100,
        .offset = 100,
        .most = 100,
      },
  [GST_VIDEO_HEALTH_CONDITION_FROZEN] = {
        .label = "Change from frame to frame",
        .unit = "%",
        .state = "The picture changes by $ from frame to frame",
        .detailed = "The picture @",
        .limitless = TRUE,
        .factor = 100,
        .most = 1,
      },
  [GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] = {
        .label = "Strength of the color cast",
        .unit = "%",
        .state = "The colors differ from the reference by $",
        .detailed = "The colors are $ @",
        .factor = 100,
        .most = 50,
      },
  [GST_VIDEO_HEALTH_CONDITION_MONOCHROME] = {
        .label = "Part of the picture without color",
        .state = "$ of the picture has no color",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLAPPING] = {
        .label = "Changes between color and black-and-white",
        .unit = "per hour",
        .state = "Changes between color and black-and-white in the last hour: "
        "$",
        .starts = "at $",
        .factor = 1,
        .most = 20,
        .bare = TRUE,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLASHING] = {
        .label = "Flashes",
        .unit = "per second",
        .state = "Flashes in the last second: $",
        .starts = "at $",
        .factor = 1,
        .most = 10,
        .bare = TRUE,
      },
  [GST_VIDEO_HEALTH_CONDITION_BANDING] = {
        .label = "Strength of the bands",
        .unit = "%",
        .state = "Bands change the brightness by $",
        .factor = 100,
        .most = 10,
      },
  [GST_VIDEO_HEALTH_CONDITION_CORRUPTED] = {
        .label = "Damaged part of the last seconds",
        .state = "The picture was damaged for $ of the last seconds",
        .detailed = "The picture was damaged in @, for $ of the last seconds",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_NOISY] = {
        .label = "Strength of the noise",
        .unit = "%",
        .state = "Noise changes the brightness by $",
        .factor = 100,
        .most = 20,
      },
  [GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED] = {
        .label = "Covered part of the view",
        .state = "$ of the view is covered",
        /* Only cells that are covered as a whole count. */
        .detailed = "At least $ of the view is covered, in @",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_HUNTING] = {
        .label = "Swings of the brightness",
        .state = "The brightness swings by $ every few seconds",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOOPING] = {
        .label = "Repeated part of the motion",
        .state = "$ of the motion repeats what was there before",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_DRIFTING] = {
        .label = "Loss of sharpness, contrast or light within weeks",
        .state = "The picture has lost $ of its sharpness, contrast or light "
        "within weeks",
        PERCENT,
        .timeless = TRUE,
      },
  [GST_VIDEO_HEALTH_CONDITION_NUDGED] = {
        .label = "Shift of the view, or degrees of its roll",
        .unit = "%",
        .state = "The view is shifted by $ of its width, or rolled by as many "
        "degrees",
        .detailed = "The picture is @",
        .starts = "above $, or as many degrees",
        .ends = "below $, or as many degrees",
        .factor = 100,
        .most = 10,
      },
  [GST_VIDEO_HEALTH_CONDITION_GLARE] = {
        .label = "Part of the picture with glare",
        .state = "$ of the picture has glare",
        .detailed = "$ of the picture has glare, in @",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_STRIPED] = {
        .label = "Strength of the stripes",
        .unit = "%",
        .state = "Stripes change the brightness by $",
        .detailed = "Stripes that run @ change the brightness by $",
        .factor = 100,
        .most = 20,
      },
  [GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN] = {
        .label = "Part of the picture that stands still",
        .state = "$ of the picture stands still",
        .detailed = "$ of the picture stands still, in @",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_SHAKING] = {
        .label = "Shaking of the view",
        .unit = "%",
        .state = "The view shakes by $ of its width",
        .detailed = "The view shakes @, by $ of its width",
        .factor = 100,
        .most = 5,
      },
  [GST_VIDEO_HEALTH_CONDITION_BLOCKY] = {
        .label = "Lost part of the faint details",
        .state = "The picture has lost $ of its faint details, but not the "
        "strong ones",
        PERCENT,
      },
};

/* Six decimals: what is left after that is rounding. */
static gdouble
convert (const Row * row, gdouble value)
{
  return round ((row->offset + row->factor * value) * 1e6) / 1e6;
}

/* Appends @number with at most three digits that matter, whatever the
 * locale. */
static void
append_number (GString * text, const gchar * unit, gdouble number)
{
  const gdouble size = fabs (number);
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (number >= VH_LONG_DURATION - 0.5 && g_str_equal (unit, "s")) {
    gchar *duration = vh_duration_print (number);

    g_string_append (text, duration);
    g_free (duration);
    return;
  }
  g_ascii_formatd (buffer, sizeof buffer, size < 10 ? "%.2f" : size < 100 ?
      "%.1f" : "%.0f", number);
  if (strchr (buffer, '.')) {
    gsize length = strlen (buffer);

    while (buffer[length - 1] == '0')
      length--;
    buffer[buffer[length - 1] == '.' ? length - 1 : length] = '\0';
  }
  g_string_append_printf (text, *unit ? "%s %s" : "%s", buffer, unit);
}

static void
append_phrase (GString * text, const Row * row, const gchar * phrase,
    gdouble number, const gchar * detail)
{
  for (; *phrase; phrase++) {
    if (*phrase == '$')
      append_number (text, row->bare ? "" : row->unit, number);
    else if (*phrase == '@')
      g_string_append (text, detail);
    else
      g_string_append_c (text, *phrase);
  }
}

static const gchar *
choose_state (const Row * row, gboolean active, gdouble number,
    const gchar * detail)
{
  if (row->small && !active && number < 1)
    return row->small;
  return detail && row->detailed ? row->detailed : row->state;
}

/* Why a condition is not judged. */
static const gchar *
explain_unknown (const gchar * reason)
{
  static const struct
  {
    const gchar *reason, *sentence;
  } reasons[] = {
    {VH_UNKNOWN_LEARNING,
        "Not judged yet: the reference is being learned."},
    {VH_UNKNOWN_TOO_EARLY, "Not judged yet: it needs more time."},
    {VH_UNKNOWN_TOO_DARK, "Not judged: there is too little light to compare."},
    {VH_UNKNOWN_NO_PATTERN,
        "Not judged: the picture looks the same everywhere."},
    {VH_UNKNOWN_NO_CONTENTS, "Not judged: the picture has too few details."},
    {VH_UNKNOWN_TOO_FEW_FRAMES, "Not judged: frames come too rarely."},
    {VH_UNKNOWN_NO_MOTION,
        "Not judged: nothing has moved that could repeat itself."},
    {VH_UNKNOWN_BETWEEN_VIEWS,
        "Not judged: the camera is on its way to another view."},
    {VH_UNKNOWN_HIDDEN,
        "Not judged: colors cannot be compared while details of the view are "
          "hidden."},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (reasons); i++) {
    if (g_strcmp0 (reason, reasons[i].reason) == 0)
      return reasons[i].sentence;
  }
  return "Not judged yet.";
}

/* Appends what ends the condition if it is @active, or else what starts it. */
static void
append_limit (GString * text, const Row * row, gboolean active, gboolean below,
    gdouble limit, GstClockTime time)
{
  const gchar *phrase = active ? row->ends : row->starts;

  g_string_append (text, active ? "; the alarm ends " : "; the alarm starts ");
  if (time && !row->timeless) {
    g_string_append (text, "after ");
    append_number (text, "s", time / (gdouble) GST_SECOND);
    g_string_append_c (text, ' ');
  }
  append_phrase (text, row, phrase ? phrase : below == active ? "above $" :
      "below $", limit, NULL);
}

/**
 * gst_video_health_condition_get_scale:
 * @condition: a #GstVideoHealthCondition
 * @unit: (out) (optional) (transfer none): the unit of
 *     gst_video_health_condition_scale(), such as `%`
 * @most: (out) (optional): a number that values rarely exceed, in @unit: the
 *     upper end of a bar that shows them
 *
 * Returns what the value of a condition measures, for people. May be called
 * from any thread.
 *
 * Returns: a static string such as `Dark part of the picture`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_scale (GstVideoHealthCondition condition,
    const gchar ** unit, gdouble * most)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  if (unit)
    *unit = rows[condition].unit;
  if (most)
    *most = rows[condition].most;
  return rows[condition].label;
}

/**
 * gst_video_health_condition_scale:
 * @condition: a #GstVideoHealthCondition
 * @value: a value or a threshold, in the unit of
 *     gst_video_health_condition_get_unit()
 *
 * Converts a value to the unit of gst_video_health_condition_get_scale(), such
 * as percent. May be called from any thread.
 *
 * Returns: the number for people
 *
 * Since: 0.2
 */
gdouble
gst_video_health_condition_scale (GstVideoHealthCondition condition,
    gdouble value)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, 0);

  return convert (&rows[condition], value);
}

/**
 * gst_video_health_condition_describe:
 * @condition: a #GstVideoHealthCondition
 * @active: whether it is active
 * @value: its value, or NAN if it is not judged
 * @limit: the threshold at which it changes: `leave` of its rule if it is
 *     active, else `enter`
 * @time: how long the value must stay beyond @limit, in ns
 * @detail: (nullable): where or how it shows, as gst_video_health_get_detail()
 *     returns it; if @value is NAN, what gst_video_health_get_unknown_reason()
 *     returns
 *
 * Describes the value of a condition and its limit for people. Call
 * gst_video_health_describe() instead if you have a #GstVideoHealth. May be
 * called from any thread.
 *
 * Returns: (transfer full): a sentence such as `3 % of the picture is dark; the
 *     alarm starts after 5 s above 90 %.`, to be freed with g_free()
 *
 * Since: 0.2
 */
gchar *
gst_video_health_condition_describe (GstVideoHealthCondition condition,
    gboolean active, gdouble value, gdouble limit, GstClockTime time,
    const gchar * detail)
{
  const Row *row;
  GString *text;
  gdouble number, end;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  if (!isfinite (value))
    return g_strdup (explain_unknown (detail));
  row = &rows[condition];
  end = convert (row, limit);
  number = convert (row, value);
  text = g_string_new (NULL);
  /* Views may be less alike than by chance, which is 0 % to people. */
  append_phrase (text, row, choose_state (row, active, number, detail),
      MAX (number, MIN (0, end)), detail);
  if (!detail || !row->limitless)
    append_limit (text, row, active, vh_health_conditions[condition].below
        != (row->factor < 0), end, time);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

/**
 * gst_video_health_describe:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Describes for people how a condition was judged for the last frame: its
 * value, where or how it shows, and the limit that ends it, or starts it if it
 * is not active; or why it was not judged.
 *
 * Returns: (transfer full): a sentence such as `The picture is 38 % as sharp as
 *     the reference; the alarm ends after 5 s above 70 %.`, to be freed with
 *     g_free()
 *
 * Since: 0.2
 */
gchar *
gst_video_health_describe (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  gdouble value, enter, leave;
  GstClockTime time;
  gboolean active, judged;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  active = gst_video_health_get_active (health) >> condition & 1;
  judged = gst_video_health_get_value (health, condition, &value);
  gst_video_health_get_rule (health, condition, &enter, &leave, NULL, NULL);
  time = active ? gst_video_health_get_hold (health, condition) :
      gst_video_health_get_duration (health, condition);
  return gst_video_health_condition_describe (condition, active,
      judged ? value : NAN, active ? leave : enter, time, judged ?
      gst_video_health_get_detail (health, condition) :
      gst_video_health_get_unknown_reason (health, condition));
}
