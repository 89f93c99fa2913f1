/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes are input for a GstVideoHealth: rules, ignored areas, or a saved
 * state, either random or a valid one with some bytes changed. Rejected input
 * must leave no trace; accepted input must read back unchanged and be used to
 * judge frames. */
#include <math.h>
#include <string.h>

#include <gst/videohistogram/videohistogram.h>

#include "script.h"

#define SIDE 8
#define BINS 16
#define CHROMA_BINS 32
#define N_FRAMES 8
#define VIEWS 3

/* The saved state of an object that has seen frames. */
static GVariant *experience;

static GstVideoHistogram *
make_histogram (guint seed)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 counts[BINS];
  guint i, b, channel;

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA |
      GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = BINS;
  info.columns = info.rows = SIDE;
  histogram = gst_video_histogram_new (&info);
  for (i = 0; i < SIDE * SIDE; i++) {
    for (channel = 0; channel < 2; channel++) {
      for (b = 0; b < BINS; b++)
        counts[b] = (seed * 7 + i * 13 + b * 29 + channel) % 31 / (1 + b);
      gst_video_histogram_set_counts (histogram, channel ?
          GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT :
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, i % SIDE, i / SIDE, counts, BINS);
    }
  }
  return histogram;
}

static GstVideoJointHistogram *
make_chroma (guint seed)
{
  guint32 *counts = g_new0 (guint32, CHROMA_BINS * CHROMA_BINS);
  GstVideoJointHistogram *joint;
  guint i;

  for (i = 0; i < 200; i++)
    counts[(seed * 37 + i * 101) % (CHROMA_BINS * CHROMA_BINS)]++;
  joint = gst_video_joint_histogram_new (CHROMA_BINS, CHROMA_BINS, counts,
      CHROMA_BINS * CHROMA_BINS);
  g_free (counts);
  return joint;
}

/* Values are finite whatever the input. */
static void
check_values (GstVideoHealth * health)
{
  gdouble value;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (gst_video_health_get_value (health, i, &value)
        && !(isfinite (value) && value >= 0))
      g_error ("%s is %g", gst_video_health_condition_get_name (i), value);
  }
}

static void
judge_frames (GstVideoHealth * health, GstClockTime time)
{
  guint i;

  for (i = 0; i < N_FRAMES; i++) {
    GstVideoHistogram *histogram = make_histogram (i / 2);
    GstVideoJointHistogram *chroma = make_chroma (i / 2);
    GstVideoHealthChange change;

    gst_video_health_add_histogram (health, histogram);
    gst_video_health_add_joint (health, GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
        chroma);
    gst_video_health_add_difference (health, i % 2 ? 0 : 0.01);
    gst_video_health_add_corrupted (health, i % 3 == 0);
    gst_video_health_tick (health, time);
    gst_video_health_judge (health, time, time);
    time += 9 * GST_SECOND;
    check_values (health);
    while (gst_video_health_next_change (health, &change)) {
      if (change.condition >= GST_VIDEO_HEALTH_N_CONDITIONS)
        g_error ("a change of condition %d", change.condition);
    }
    gst_video_joint_histogram_unref (chroma);
    gst_video_histogram_unref (histogram);
  }
}

/* The error message says more than "invalid". */
static void
check_refused (GError * error)
{
  if (!g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE) || strlen (error->message) < 10)
    g_error ("refused: %s", error ? error->message : "no error");
  g_error_free (error);
}

static void
read_rules (GstVideoHealth * health, const gchar * text)
{
  gchar *before, *after, *again;
  GError *error = NULL;

  gst_video_health_set_rules (health, "dark,hold=7ms", NULL);
  before = gst_video_health_dup_rules (health);
  if (gst_video_health_set_rules (health, text, &error)) {
    after = gst_video_health_dup_rules (health);
    if (!gst_video_health_set_rules (health, after, NULL))
      g_error ("not taken again: %s", after);
    again = gst_video_health_dup_rules (health);
    if (!g_str_equal (after, again))
      g_error ("%s is not %s", again, after);
    g_free (again);
  } else {
    check_refused (error);
    after = gst_video_health_dup_rules (health);
    if (!g_str_equal (after, before))
      g_error ("%s is left of refused rules", after);
  }
  g_free (after);
  g_free (before);
}

static void
read_ignored (GstVideoHealth * health, const gchar * text)
{
  GError *error = NULL;

  if (!gst_video_health_set_ignored (health, text, &error))
    check_refused (error);
}

static void
read_state (GstVideoHealth * health, const guint8 * data, gsize size)
{
  GBytes *bytes = g_bytes_new (data, size);
  GVariant *state = g_variant_ref_sink (g_variant_new_from_bytes
      (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  GError *error = NULL;
  GVariant *after;

  gst_video_health_restore (health, experience, NULL);
  if (!gst_video_health_restore (health, state, &error)) {
    check_refused (error);
    after = gst_video_health_save (health);
    if (!g_variant_equal (after, experience))
      g_error ("something is left of a refused state");
  } else {
    after = gst_video_health_save (health);
    if (!gst_video_health_restore (health, after, &error))
      g_error ("not taken again: %s", error->message);
  }
  g_variant_unref (after);
  g_variant_unref (state);
  g_bytes_unref (bytes);
}

/* Three bytes each: an offset, and the byte to write there. */
static void
change_state (GstVideoHealth * health, const guint8 * data, gsize size)
{
  const gsize n = g_variant_get_size (experience);
  guint8 *changed = g_memdup2 (g_variant_get_data (experience), n);

  for (; size >= 3; data += 3, size -= 3)
    changed[(data[0] << 8 | data[1]) % n] = data[2];
  read_state (health, changed, n);
  g_free (changed);
}

void
script_init (void)
{
  GstVideoHealth *health;

  gst_init (NULL, NULL);
  health = gst_video_health_new ();
  gst_video_health_set_views (health, VIEWS);
  judge_frames (health, GST_SECOND);
  experience = gst_video_health_save (health);
  g_object_unref (health);
}

void
script_run (const guint8 * data, gsize size)
{
  GstVideoHealth *health = gst_video_health_new ();
  const guint kind = size > 0 ? data[0] % 4 : 0;
  gchar *text = size > 0 ? g_strndup ((const gchar *) data + 1, size - 1) :
      g_strdup ("");

  gst_video_health_set_views (health, VIEWS);
  switch (kind) {
    case 0:
      read_rules (health, text);
      break;
    case 1:
      read_ignored (health, text);
      break;
    case 2:
      read_state (health, data + 1, size - 1);
      break;
    default:
      change_state (health, data + 1, size - 1);
      break;
  }
  judge_frames (health, 100 * GST_SECOND);
  g_free (text);
  g_object_unref (health);
}
