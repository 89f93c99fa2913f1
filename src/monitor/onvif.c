/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "onvif.h"

#include "json.h"

#include <string.h>

/* Prefix of ONVIF's own topics, which MQTT topics omit. */
#define NAMESPACE "tns1:"

GstVideoHealthConditions
vhm_onvif_get_group (GstVideoHealthCondition condition)
{
  const gchar *topic = gst_video_health_condition_get_topic (condition);
  GstVideoHealthConditions group = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (g_str_equal (gst_video_health_condition_get_topic (i), topic))
      group |= 1 << i;
  return group;
}

gboolean
vhm_onvif_is_first (GstVideoHealthCondition condition)
{
  return !(vhm_onvif_get_group (condition) & ((1 << condition) - 1));
}

gchar *
vhm_onvif_make_topic (const gchar * prefix, const gchar * camera,
    GstVideoHealthCondition condition)
{
  const gchar *topic = gst_video_health_condition_get_topic (condition);

  if (g_str_has_prefix (topic, NAMESPACE))
    topic += strlen (NAMESPACE);
  return g_strdup_printf ("%s/onvif-ej/%s/&%s", prefix, topic, camera);
}

gchar *
vhm_onvif_make_state (const VhmCamera * camera,
    GstVideoHealthCondition condition)
{
  const GstVideoHealthConditions group = vhm_onvif_get_group (condition);
  JsonBuilder *builder = json_builder_new ();
  gboolean active = FALSE, unconfirmed = FALSE;
  gint64 since = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (group >> i & 1) {
      const VhmCondition *condition = &camera->conditions[i];
      const gboolean shown = condition->active && !condition->quiet;

      active |= shown && !condition->unconfirmed;
      unconfirmed |= shown && condition->unconfirmed;
      since = MAX (since, condition->since);
    }
  json_builder_begin_object (builder);
  vhm_json_add_time (builder, "UtcTime", since ? since : camera->added);
  json_builder_set_member_name (builder, "Source");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "Source");
  json_builder_add_string_value (builder, camera->settings->name);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "Data");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "State");
  if (active || (camera->known & group && !unconfirmed))
    json_builder_add_boolean_value (builder, active);
  else
    json_builder_add_null_value (builder);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  return vhm_json_end (builder);
}
