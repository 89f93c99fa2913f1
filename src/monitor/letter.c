/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "letter.h"

#include "address.h"
#include "json.h"

#include <string.h>

static void
add_text (JsonBuilder * builder, const gchar * name, const gchar * text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

/* The page of the camera as it was when @event was detected; "" if @page is
 * NULL. */
static void
add_link (JsonBuilder * builder, const gchar * page, const VhmEvent * event)
{
  gchar *camera = g_uri_escape_string (event->camera, NULL, FALSE);
  gchar *time = vhm_time_to_text (event->time);
  const gint seconds = strcspn (time, ".");
  gchar *link = page ? g_strdup_printf ("%s#camera/%s?at=%.*sZ", page, camera,
      seconds, time) : NULL;

  add_text (builder, "link", link ? link : "");
  g_free (link);
  g_free (time);
  g_free (camera);
}

static void
add_single (JsonBuilder * builder, const gchar * page, const VhmEvent * event,
    GBytes * jpeg)
{
  json_builder_begin_object (builder);
  vhm_json_add_event_members (builder, event);
  add_link (builder, page, event);
  if (jpeg) {
    gsize length;
    const guchar *data = g_bytes_get_data (jpeg, &length);
    gchar *text = g_base64_encode (data, length);

    add_text (builder, "jpeg", text);
    g_free (text);
  }
  json_builder_end_object (builder);
}

static gchar *
get_host (const VhmCamera * camera)
{
  return vhm_address_get_host (vhm_camera_settings_get_judged
      (camera->settings));
}

static gchar *
get_group (const VhmCamera * camera)
{
  return g_strdup (camera->settings->group_name);
}

/* What @get returns for all cameras of @events, or "" if they differ. To be
 * freed. */
static gchar *
find_common (const VhmFleet * fleet, const GPtrArray * events,
    gchar * (*get) (const VhmCamera * camera))
{
  gchar *common = NULL;
  guint i;

  for (i = 0; i < events->len; i++) {
    const VhmEvent *event = g_ptr_array_index (events, i);
    const VhmCamera *camera = vhm_fleet_find (fleet, event->camera);
    gchar *text = camera ? get (camera) : NULL;
    const gboolean differs = !text || (common && !g_str_equal (text, common));

    g_free (common);
    common = text;
    if (differs)
      break;
  }
  if (i < events->len)
    g_clear_pointer (&common, g_free);
  return common ? common : g_strdup ("");
}

static void
add_members (JsonBuilder * builder, const GPtrArray * events)
{
  guint i;

  json_builder_set_member_name (builder, "members");
  json_builder_begin_array (builder);
  for (i = 0; i < events->len; i++)
    json_builder_add_string_value (builder,
        ((const VhmEvent *) g_ptr_array_index (events, i))->camera);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "events");
  json_builder_begin_array (builder);
  for (i = 0; i < events->len; i++)
    vhm_json_add_event (builder, g_ptr_array_index (events, i));
  json_builder_end_array (builder);
}

static void
add_outage (JsonBuilder * builder, const VhmOutput * output,
    const GPtrArray * events)
{
  const VhmEvent *first = g_ptr_array_index (events, 0);
  const VhmEvent *last = g_ptr_array_index (events, events->len - 1);
  gchar *host = find_common (output->fleet, events, get_host);
  gchar *group = find_common (output->fleet, events, get_group);
  gchar *words = g_strdup_printf ("%s from %u cameras%s%s%s%s",
      first->active ? "no video" : "video is back", events->len,
      *host ? " on " : "", host, *group ? " in group " : "", group);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "outage");
  json_builder_add_int_value (builder, first->outage);
  json_builder_set_member_name (builder, "active");
  json_builder_add_boolean_value (builder, first->active);
  add_text (builder, "host", host);
  add_text (builder, "group", group);
  add_text (builder, "words", words);
  add_text (builder, "severity",
      vhm_severity_get_name (gst_video_health_condition_get_severity
          (first->condition)));
  json_builder_set_member_name (builder, "number");
  json_builder_add_int_value (builder, last->number);
  vhm_json_add_time (builder, "time", first->time);
  add_text (builder, "link", output->page ? output->page : "");
  add_members (builder, events);
  json_builder_end_object (builder);
  g_free (words);
  g_free (group);
  g_free (host);
}

gchar *
vhm_letter_make (const VhmOutput * output, const GPtrArray * events,
    GBytes * jpeg)
{
  JsonBuilder *builder = json_builder_new ();

  if (events->len > 1)
    add_outage (builder, output, events);
  else
    add_single (builder, output->page, g_ptr_array_index (events, 0), jpeg);
  return vhm_json_end (builder);
}
