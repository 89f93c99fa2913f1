/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "knowncamera.h"

#include "json.h"

static const gchar *const live[] = { VHM_JSON_LIVE, VHM_JSON_MEASUREMENTS,
  NULL
};

static const gchar *const measurements[] = { VHM_JSON_MEASUREMENTS, NULL };

static JsonObject *
describe_camera (const VhmCamera * camera)
{
  JsonBuilder *builder = json_builder_new ();
  JsonNode *root;
  JsonObject *object;

  vhm_json_add_camera (builder, camera, VHM_JSON_BRIEF);
  root = json_builder_get_root (builder);
  object = json_node_dup_object (root);
  json_node_unref (root);
  g_object_unref (builder);
  return object;
}

static void
add_member (GString * text, const gchar * name, JsonNode * value)
{
  gchar *json = value ? json_to_string (value, FALSE) : g_strdup ("null");

  g_string_append_printf (text, "%s\"%s\":%s", text->len ? "," : "", name,
      json);
  g_free (json);
}

/* Whether conditions are unchanged, apart from their values. */
static gboolean
are_same_conditions (JsonArray * before, JsonArray * now)
{
  gboolean same = json_array_get_length (before) == json_array_get_length (now);
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;
  guint i;

  for (i = 0; same && i < json_array_get_length (now); i++) {
    JsonObject *old = json_array_get_object_element (before, i);

    json_object_iter_init (&iter, json_array_get_object_element (now, i));
    while (same && json_object_iter_next (&iter, &name, &value))
      same = g_str_equal (name, "value") || g_str_equal (name, "scale")
          || json_node_equal (json_object_get_member (old, name), value);
  }
  return same;
}

/* Whether the member @name is unchanged; with @measured, including values of
 * conditions. */
static gboolean
is_same (const gchar * name, JsonNode * before, JsonNode * now,
    gboolean measured)
{
  if (before && !measured && g_str_equal (name, "active"))
    return are_same_conditions (json_node_get_array (before),
        json_node_get_array (now));
  return before && json_node_equal (before, now);
}

/* The members of @camera that differ from @before, without those in @omit, plus
 * the name; NULL if nothing differs. If @before is NULL, all members. To be
 * freed. */
static gchar *
list_members (JsonObject * camera, JsonObject * before,
    const gchar * const *omit)
{
  GString *text = g_string_new ("");
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;
  gchar *members;

  json_object_iter_init (&iter, camera);
  while (json_object_iter_next (&iter, &name, &value)) {
    if (!(omit && g_strv_contains (omit, name))
        && !(before && is_same (name, json_object_get_member (before, name),
                value, !omit)))
      add_member (text, name, value);
  }
  if (before) {
    json_object_iter_init (&iter, before);
    while (json_object_iter_next (&iter, &name, &value))
      if (!json_object_has_member (camera, name)
          && !(omit && g_strv_contains (omit, name)))
        add_member (text, name, NULL);
  }
  if (before && text->len)
    add_member (text, "name", json_object_get_member (camera, "name"));
  members = text->len ? g_strdup_printf ("{%s}", text->str) : NULL;
  g_string_free (text, TRUE);
  return members;
}

VhmKnownCamera *
vhm_known_camera_new (const VhmCamera * camera)
{
  VhmKnownCamera *known = g_new0 (VhmKnownCamera, 1);

  known->camera = describe_camera (camera);
  return known;
}

void
vhm_known_camera_free (VhmKnownCamera * known)
{
  json_object_unref (known->camera);
  g_free (known->state);
  g_free (known->all);
  g_free (known);
}

const gchar *
vhm_known_camera_get_name (const VhmKnownCamera * known)
{
  return json_object_get_string_member (known->camera, "name");
}

void
vhm_known_camera_update (VhmKnownCamera * known, const VhmCamera * camera)
{
  JsonObject *now = describe_camera (camera);

  g_free (known->state);
  g_free (known->all);
  known->state = list_members (now, known->camera, live);
  known->all = list_members (now, known->camera, NULL);
  json_object_unref (known->camera);
  known->camera = now;
}

gchar *
vhm_known_camera_describe (const VhmKnownCamera * known, gboolean measured)
{
  return list_members (known->camera, NULL, measured ? NULL : measurements);
}
