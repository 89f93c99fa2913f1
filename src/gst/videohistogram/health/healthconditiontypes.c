/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the table of conditions says, for programs. */
#include "healthconditions.h"
#include "gst/videohistogram/histogram/initialized.h"

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

/* Flags with a name that stand for several conditions. */
#define N_SETS 2

static guint
find_default (void)
{
  guint conditions = 0, i;

  for (i = 0; i < VH_HEALTH_N; i++)
    conditions |= vh_health_conditions[i].optional ? 0 : 1u << i;
  return conditions;
}

GType
gst_video_health_conditions_get_type (void)
{
  static GFlagsValue values[VH_HEALTH_N + N_SETS + 1];
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
    /* Sets come last, so that values print as the names of conditions. */
    values[i++] = (GFlagsValue) {find_default (),
          "GST_VIDEO_HEALTH_CONDITIONS_DEFAULT", "default"};
    values[i] = (GFlagsValue) {GST_VIDEO_HEALTH_CONDITIONS_ALL,
          "GST_VIDEO_HEALTH_CONDITIONS_ALL", "all"};
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

/**
 * gst_video_health_condition_get_words:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns a condition in the words of an operator. May be called from any
 * thread.
 *
 * Returns: a static string such as `too dark`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_words (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].words;
}

/**
 * gst_video_health_condition_get_severity:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns how much of the picture a condition takes away. May be called from
 * any thread.
 *
 * Returns: the severity, never %GST_VIDEO_HEALTH_SEVERITY_NONE
 *
 * Since: 0.2
 */
GstVideoHealthSeverity
gst_video_health_condition_get_severity (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, GST_VIDEO_HEALTH_SEVERITY_NONE);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N,
      GST_VIDEO_HEALTH_SEVERITY_NONE);

  return vh_health_conditions[condition].severity;
}

/**
 * gst_video_health_condition_get_advice:
 * @condition: a #GstVideoHealthCondition
 *
 * Returns what to do if a condition is active, for people. May be called from
 * any thread.
 *
 * Returns: a static string, a sentence without a full stop, such as `Clean the
 *     lens and check its focus`
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_condition_get_advice (GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  return vh_health_conditions[condition].advice;
}

/**
 * gst_video_health_get_default_conditions:
 *
 * Returns the conditions that are faults: all except those that may be
 * intended, such as `monochrome`. The element `videohealth` reports these by
 * default. May be called from any thread.
 *
 * Returns: a set of conditions
 *
 * Since: 0.2
 */
GstVideoHealthConditions
gst_video_health_get_default_conditions (void)
{
  vh_return_val_unless_initialized (NULL, 0);

  return find_default ();
}
