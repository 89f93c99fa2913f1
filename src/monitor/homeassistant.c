/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "homeassistant.h"

#include "config.h"
#include "json.h"
#include "onvif.h"

/* An id of characters that Home Assistant allows, to be freed. It depends only
 * on the prefix and the name of the camera. */
static gchar *
make_device_id (const VhmMqttSettings * settings, const gchar * camera)
{
  gchar *name = g_strconcat (settings->prefix, "/", camera, NULL);
  gchar *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, name, -1);
  gchar *id = g_strdup_printf ("videohistogram_%.16s", hash);

  g_free (hash);
  g_free (name);
  return id;
}

gchar *
vhm_home_assistant_make_topic (const VhmMqttSettings * settings,
    const gchar * camera, GstVideoHealthCondition condition)
{
  gchar *id = make_device_id (settings, camera);
  gchar *topic = g_strdup_printf ("%s/binary_sensor/%s/%s/config",
      settings->discovery, id,
      gst_video_health_condition_get_name (condition));

  g_free (id);
  return topic;
}

static gchar *
make_words (GstVideoHealthCondition condition)
{
  const GstVideoHealthConditions group = vhm_onvif_get_group (condition);
  GString *words = g_string_new (NULL);
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (group >> i & 1)
      g_string_append_printf (words, "%s%s", words->len ? " or " : "",
          gst_video_health_condition_get_words (i));
  return g_string_free (words, FALSE);
}

static void
add_text (JsonBuilder * builder, const gchar * name, const gchar * text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_device (JsonBuilder * builder, const gchar * id,
    const VhmCameraSettings * camera, const gchar * page)
{
  gchar *escaped = g_uri_escape_string (camera->name, NULL, FALSE);
  gchar *address = page ? g_strconcat (page, "#camera/", escaped, NULL) : NULL;

  json_builder_set_member_name (builder, "device");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "identifiers");
  json_builder_begin_array (builder);
  json_builder_add_string_value (builder, id);
  json_builder_end_array (builder);
  add_text (builder, "name", camera->name);
  if (camera->group_name)
    add_text (builder, "suggested_area", camera->group_name);
  if (address)
    add_text (builder, "configuration_url", address);
  json_builder_end_object (builder);

  json_builder_set_member_name (builder, "origin");
  json_builder_begin_object (builder);
  add_text (builder, "name", "videohistogram-monitor");
  add_text (builder, "sw_version", PACKAGE_VERSION);
  json_builder_end_object (builder);
  g_free (address);
  g_free (escaped);
}

/* The entity is available while all @topics, up to NULL, say so. */
static void
add_availability (JsonBuilder * builder, const gchar * const *topics)
{
  json_builder_set_member_name (builder, "availability");
  json_builder_begin_array (builder);
  for (; *topics; topics++) {
    json_builder_begin_object (builder);
    add_text (builder, "topic", *topics);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  add_text (builder, "availability_mode", "all");
}

gchar *
vhm_home_assistant_make_config (const VhmMqttSettings * settings,
    const VhmCameraSettings * camera, GstVideoHealthCondition condition,
    const gchar * status, const gchar * video, const gchar * page)
{
  /* Only signal-loss is judged without video. */
  const gchar *const topics[] = { status,
    condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS ? NULL : video, NULL
  };
  JsonBuilder *builder = json_builder_new ();
  gchar *id = make_device_id (settings, camera->name);
  gchar *unique = g_strconcat (id, "_",
      gst_video_health_condition_get_name (condition), NULL);
  gchar *state =
      vhm_onvif_make_topic (settings->prefix, camera->name, condition);
  gchar *words = make_words (condition);

  json_builder_begin_object (builder);
  add_text (builder, "name", words);
  add_text (builder, "unique_id", unique);
  add_text (builder, "device_class", "problem");
  /* Home Assistant does not show diagnostics on its default dashboards. */
  if (gst_video_health_condition_get_severity (condition) ==
      GST_VIDEO_HEALTH_SEVERITY_NOTICE)
    add_text (builder, "entity_category", "diagnostic");
  add_text (builder, "state_topic", state);
  /* The template renders true and false as Python does. It renders null as
   * None, which Home Assistant shows as unknown. */
  add_text (builder, "value_template", "{{ value_json.Data.State }}");
  add_text (builder, "payload_on", "True");
  add_text (builder, "payload_off", "False");
  add_availability (builder, topics);
  add_device (builder, id, camera, page);
  json_builder_end_object (builder);
  g_free (words);
  g_free (state);
  g_free (unique);
  g_free (id);
  return vhm_json_end (builder);
}

gchar *
vhm_home_assistant_make_image_topic (const VhmMqttSettings * settings,
    const gchar * camera)
{
  gchar *id = make_device_id (settings, camera);
  gchar *topic = g_strdup_printf ("%s/image/%s/picture/config",
      settings->discovery, id);

  g_free (id);
  return topic;
}

gchar *
vhm_home_assistant_make_image_config (const VhmMqttSettings * settings,
    const VhmCameraSettings * camera, const gchar * picture,
    const gchar * status, const gchar * page)
{
  const gchar *const topics[] = { status, NULL };
  JsonBuilder *builder = json_builder_new ();
  gchar *id = make_device_id (settings, camera->name);
  gchar *unique = g_strconcat (id, "_picture", NULL);

  json_builder_begin_object (builder);
  add_text (builder, "name", "picture of the last event");
  add_text (builder, "unique_id", unique);
  add_text (builder, "image_topic", picture);
  add_text (builder, "content_type", "image/jpeg");
  add_availability (builder, topics);
  add_device (builder, id, camera, page);
  json_builder_end_object (builder);
  g_free (unique);
  g_free (id);
  return vhm_json_end (builder);
}
