/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scale.h"

#include "event.h"

#include <math.h>
#include <string.h>

/* Numbers replace $ in phrases. A number for people is @offset + @factor times
 * the value. */
typedef struct
{
  const gchar *label, *unit;
  const gchar *state;           /* the first half of the sentence */
  const gchar *comes, *ends;    /* of the second half, such as "the alarm comes
                                 * above $"; NULL: "above $" or "below $" */
  gdouble factor, offset, most;
  gboolean bare;                /* the sentence already says the unit */
  gboolean timeless;            /* it does not say how long the value must stay
                                 * there */
} Row;

#define PERCENT .unit = "%",.factor = 100,.most = 100

static const Row rows[GST_VIDEO_HEALTH_N_CONDITIONS] = {
  [GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS] = {
        .label = "Time without a frame",
        .unit = "s",
        .state = "The last frame came $ ago",
        .comes = "after $",
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
        .label = "Sharpness compared with the learned view",
        .state = "The picture is $ as sharp as the learned view",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST] = {
        .label = "Contrast compared with the usual contrast",
        .state = "The picture has $ of the usual contrast",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_COVERED] = {
        .label = "Part of the picture without detail",
        .state = "$ of the picture has lost its detail",
        PERCENT,
      },
  [GST_VIDEO_HEALTH_CONDITION_MOVED] = {
        .label = "Similarity to the learned view",
        .unit = "%",
        .state = "The view is $ like the learned one",
        .factor = -100,
        .offset = 100,
        .most = 100,
      },
  [GST_VIDEO_HEALTH_CONDITION_FROZEN] = {
        .label = "Change from frame to frame",
        .unit = "%",
        .state = "The picture changes by $ from frame to frame",
        .factor = 100,
        .most = 1,
      },
  [GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] = {
        .label = "Strength of the color cast",
        .unit = "%",
        .state = "The colors are off by $",
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
        .comes = "at $",
        .factor = 1,
        .most = 20,
        .bare = TRUE,
      },
  [GST_VIDEO_HEALTH_CONDITION_FLASHING] = {
        .label = "Flashes",
        .unit = "per second",
        .state = "Flashes in the last second: $",
        .comes = "at $",
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
        PERCENT,
      },
};

gboolean
vhm_scale_is_known (GstVideoHealthCondition condition)
{
  return rows[condition].label != NULL;
}

static Row
get_row (GstVideoHealthCondition condition)
{
  const Row unknown = {
    .label = gst_video_health_condition_get_words (condition),
    .unit = gst_video_health_condition_get_unit (condition),
    .state = "The value is $",
    .factor = 1,
    .most = 1,
    .bare = TRUE,
  };

  return vhm_scale_is_known (condition) ? rows[condition] : unknown;
}

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
    gdouble number)
{
  const gchar *at = strchr (phrase, '$');

  if (!at) {
    g_string_append (text, phrase);
    return;
  }
  g_string_append_len (text, phrase, at - phrase);
  append_number (text, row->bare ? "" : row->unit, number);
  g_string_append (text, at + 1);
}

/* Why a condition is not judged. */
static const gchar *
explain_unknown (const gchar * reason)
{
  static const struct
  {
    const gchar *reason, *sentence;
  } reasons[] = {
    {"learning", "Not judged yet: the usual view is being learned."},
    {"too-dark", "Not judged: there is too little light to compare."},
    {"no-pattern", "Not judged: the picture looks the same everywhere."},
    {VHM_UNKNOWN_KEY_FRAMES, "Not judged: only key frames are decoded."},
    {"no-contents", "Not judged: the picture has too few details."},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (reasons); i++) {
    if (g_strcmp0 (reason, reasons[i].reason) == 0)
      return reasons[i].sentence;
  }
  return "Not judged yet.";
}

static gchar *
make_sentence (const VhmScale * scale, const Row * row,
    const VhmThresholds * thresholds, gboolean active, const gchar * detail)
{
  GString *text = g_string_new (NULL);
  const gchar *phrase = active ? row->ends : row->comes;
  const gint64 time = active ? thresholds->hold : thresholds->duration;
  const gboolean below = scale->enter < scale->leave;

  if (isnan (scale->value))
    return g_string_free (g_string_append (text, explain_unknown (detail)),
        FALSE);
  append_phrase (text, row, row->state, scale->value);
  if (detail)
    g_string_append_printf (text, " in %s", detail);
  g_string_append (text, active ? "; the alarm ends " : "; the alarm comes ");
  if (time && !row->timeless) {
    g_string_append (text, "after ");
    append_number (text, "s", time / (gdouble) G_TIME_SPAN_SECOND);
    g_string_append_c (text, ' ');
  }
  append_phrase (text, row, phrase ? phrase : below == active ? "above $" :
      "below $", active ? scale->leave : scale->enter);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

void
vhm_scale_init (VhmScale * scale, GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, gboolean active, gdouble value,
    const gchar * detail)
{
  const Row row = get_row (condition);

  *scale = (VhmScale) {
    .label = row.label,
    .unit = row.unit,
    .enter = convert (&row, thresholds->enter),
    .leave = convert (&row, thresholds->leave),
  };
  scale->least = MIN (0, MIN (scale->enter, scale->leave));
  scale->most = MAX (row.most, MAX (scale->enter, scale->leave));
  /* Views may be less alike than by chance, which is 0 % to people. */
  scale->value = isfinite (value) ? MAX (convert (&row, value), scale->least)
      : NAN;
  scale->sentence = make_sentence (scale, &row, thresholds, active,
      detail);
}

void
vhm_scale_clear (VhmScale * scale)
{
  g_clear_pointer (&scale->sentence, g_free);
}
