/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include "address.h"

#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* The first group of this kind and name, which is NULL for kinds without names;
 * or NULL. */
static gpointer
find_group (const GPtrArray * groups, const VhmGroupClass * klass,
    const gchar * name)
{
  guint i;

  for (i = 0; i < groups->len; i++) {
    const VhmGroup *group = g_ptr_array_index (groups, i);

    if (group->class == klass && !g_strcmp0 (vhm_group_get_name (group), name))
      return (gpointer) group;
  }
  return NULL;
}

static void
check_name (const VhmReading * reading, const GPtrArray * groups,
    const VhmGroupClass * klass, const gchar * name, guint line)
{
  if (!vhm_name_is_allowed (name))
    vhm_problems_error (reading->problems, reading->file, line,
        "\"%s\" is not a valid %s name: " VHM_NAME_RULE, name, klass->name);
  else if (find_group (groups, klass, name))
    vhm_problems_error (reading->problems, reading->file, line,
        "%s %s already exists: give this one another name", klass->name, name);
}

/* Adds a group with this name, which is checked unless @refused. */
static gpointer
add_named_group (const VhmReading * reading, VhmSettings * settings,
    const VhmGroupClass * klass, const gchar * name, guint line,
    gboolean refused)
{
  const gboolean is_camera = klass == &vhm_camera_group;
  GPtrArray *groups = is_camera ? settings->cameras : settings->outputs;
  VhmGroup *group = is_camera ? vhm_group_copy (klass, settings->defaults)
      : vhm_group_new (klass);

  if (!refused)
    check_name (reading, groups, klass, name, line);
  *(gchar **) ((guint8 *) group + klass->name_offset) = g_strdup (name);
  group->line = line;
  g_ptr_array_add (groups, group);
  return group;
}

/* The group of a kind without names, which a file may not repeat. */
static gpointer
get_group (VhmSettings * settings, const VhmGroupClass * klass, guint line)
{
  VhmGroup *const present[] = { &settings->defaults->group,
    &settings->http->group, &settings->store->group,
    find_group (settings->outputs, klass, NULL)
  };
  VhmGroup *group = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (present) && !group; i++)
    if (present[i] && present[i]->class == klass)
      group = present[i];
  if (!group) {
    group = vhm_group_new (klass);
    g_ptr_array_add (settings->outputs, group);
  }
  if (!group->line)
    group->line = line;
  return group;
}

/* The kind of the group with this header, or NULL. Sets @name to the name in
 * it. */
static const VhmGroupClass *
find_class (const VhmReading * reading, const gchar * header,
    const gchar ** name)
{
  guint i;

  for (i = 0; i < reading->classes->len; i++) {
    const VhmGroupClass *klass = g_ptr_array_index (reading->classes, i);
    const gsize length = strlen (klass->name);

    if (!g_str_has_prefix (header, klass->name)
        || header[length] != (klass->name_offset ? ' ' : '\0'))
      continue;
    *name = header + length + strspn (header + length, " ");
    return klass;
  }
  return NULL;
}

/* The kind with the name that is most similar to @word, or NULL. */
static const VhmGroupClass *
find_nearest_class (const VhmReading * reading, const gchar * word,
    gboolean only_named)
{
  GPtrArray *names = g_ptr_array_new ();
  const VhmGroupClass *klass = NULL;
  const gchar *nearest;
  guint i;

  for (i = 0; i < reading->classes->len; i++) {
    klass = g_ptr_array_index (reading->classes, i);
    if (!only_named || klass->name_offset)
      g_ptr_array_add (names, (gpointer) klass->name);
  }
  g_ptr_array_add (names, NULL);
  nearest = vhm_nearest_name (word, (const gchar * const *) names->pdata);
  for (i = 0; nearest && i < reading->classes->len; i++) {
    klass = g_ptr_array_index (reading->classes, i);
    if (nearest == klass->name)
      break;
  }
  g_ptr_array_unref (names);
  return nearest ? klass : NULL;
}

/* Guesses the kind of a misspelled header, whatever its case and the separator
 * before the name. Returns NULL if none is similar. Sets @name. */
static const VhmGroupClass *
guess_class (const VhmReading * reading, const gchar * header,
    const gchar ** name)
{
  const gchar *end = header + strspn (header, LETTERS);
  gchar *word = g_ascii_strdown (header, end - header);
  const VhmGroupClass *nearest;

  *name = end + strcspn (end, LETTERS DIGITS);
  nearest = find_nearest_class (reading, word, **name);
  if (!nearest)
    nearest = find_nearest_class (reading, word, FALSE);
  g_free (word);
  return nearest;
}

/* The correct header, without brackets. To be freed. */
static gchar *
make_header (const VhmGroupClass * klass, const gchar * name)
{
  return klass->name_offset ?
      g_strdup_printf ("%s %s", klass->name, *name ? name : "NAME")
      : g_strdup (klass->name);
}

/* Reports unknown groups. Their keys are read as keys of the most similar
 * group, so that their errors are reported as well. */
static void
refuse_groups (const VhmReading * reading)
{
  const VhmGroupClass *klass;
  gboolean known = TRUE;
  const gchar *name;
  gchar *nearest;
  guint i;

  for (i = 0; i < reading->lines->len; i++) {
    VhmKeyLine *line = g_ptr_array_index (reading->lines, i);

    if (!line->key)
      known = find_class (reading, line->group, &name) != NULL;
    if (known)
      continue;
    klass = guess_class (reading, line->group, &name);
    nearest = make_header (klass ? klass : &vhm_camera_group, name);
    if (!line->key && !line->refused)
      vhm_problems_error (reading->problems, reading->file, line->line,
          "[%s] is not a group: did you mean [%s]?", line->group, nearest);
    line->refused = TRUE;
    if (klass) {
      g_free (line->group);
      line->group = g_steal_pointer (&nearest);
    }
    g_free (nearest);
  }
}

/* Reads either the groups with names or those without. These are read first,
 * since cameras start with the values of [cameras]. */
static void
read_groups (const VhmReading * reading, VhmSettings * settings,
    gboolean have_names)
{
  const GPtrArray *lines = reading->lines;
  const VhmGroupClass *klass;
  VhmGroup *group = NULL;
  gboolean refused = FALSE;
  const gchar *name;
  guint i;

  for (i = 0; i <= lines->len; i++) {
    const VhmKeyLine *line = i < lines->len ?
        g_ptr_array_index (lines, i) : NULL;

    if (line && line->key) {
      if (group)
        vhm_group_set (group, reading, line);
      continue;
    }
    /* A group starts, or the file ends. */
    if (group && !refused && group->class->check)
      group->class->check (reading, group);
    group = NULL;
    klass = line ? find_class (reading, line->group, &name) : NULL;
    if (!klass || !klass->name_offset != !have_names)
      continue;
    refused = line->refused;
    group = have_names ? add_named_group (reading, settings, klass, name,
        line->line, refused) : get_group (settings, klass, line->line);
  }
}

static void
read_file (VhmReading * reading, VhmSettings * settings)
{
  const guint errors = reading->problems->errors;

  refuse_groups (reading);
  read_groups (reading, settings, FALSE);
  reading->defaults = settings->defaults->group.line;
  read_groups (reading, settings, TRUE);
  if (!settings->cameras->len && reading->problems->errors == errors)
    vhm_problems_warn (reading->problems, reading->file, 0, "no cameras: "
        "add a group such as [camera door] with uri=rtsp://192.0.2.1/stream");
}

/* [NAME=]SOURCE. Only letters, digits, - _ and . before the = make it a name,
 * since addresses can contain a =. */
static void
read_source (const VhmReading * reading, const gchar * source,
    VhmSettings * settings)
{
  const gchar *equals = strchr (source, '=');
  gchar *name = NULL, *why;
  VhmCameraSettings *camera;
  guint i = 0;

  while (equals && source + i < equals
      && (g_ascii_isalnum (source[i]) || strchr ("-_.", source[i])))
    i++;
  if (equals && i && source + i == equals) {
    name = g_strndup (source, i);
    source = equals + 1;
  } else {
    for (i = 1; !name || find_group (settings->cameras, &vhm_camera_group,
            name); i++) {
      g_free (name);
      name = g_strdup_printf ("camera%u", i);
    }
  }
  camera = add_named_group (reading, settings, &vhm_camera_group, name, 0,
      FALSE);
  why = vhm_address_parse (source, reading->folder, &camera->uri);
  vhm_camera_group.check (reading, camera);
  if (why)
    vhm_problems_error (reading->problems, reading->file, 0, "camera %s: %s",
        name, why);
  g_free (why);
  g_free (name);
}

/* Applies the arguments, which override the key file. */
static void
read_arguments (const VhmReading * reading, const VhmArguments * arguments,
    VhmSettings * settings)
{
  const VhmKeyLine listen = { 0, NULL, (gchar *) "listen", arguments->listen };
  VhmStoreSettings *store = settings->store;
  guint i;

  if (arguments->listen)
    vhm_group_set (settings->http, reading, &listen);
  if (arguments->directory) {
    g_free (store->directory);
    store->directory = g_canonicalize_filename (arguments->directory,
        reading->folder);
    store->group.line = 0;
  }
  for (i = 0; arguments->sources && arguments->sources[i]; i++)
    read_source (reading, arguments->sources[i], settings);
}

VhmSettings *
vhm_settings_read (const VhmArguments * arguments,
    const VhmGroupClass * const *outputs, VhmProblems * problems)
{
  static const VhmGroupClass *const others[] = { &vhm_camera_group,
    &vhm_cameras_group, &vhm_http_group, &vhm_store_group
  };
  VhmSettings *settings = g_new0 (VhmSettings, 1);
  gchar *working = g_get_current_dir ();
  gchar *path = g_canonicalize_filename (arguments->config ? arguments->config
      : ".", working);
  VhmReading reading = { arguments->config, g_path_get_dirname (path),
    problems
  };
  VhmReading command_line;
  guint i;

  reading.classes = g_ptr_array_new ();
  for (i = 0; i < G_N_ELEMENTS (others); i++)
    g_ptr_array_add (reading.classes, (gpointer) others[i]);
  for (; *outputs; outputs++)
    g_ptr_array_add (reading.classes, (gpointer) *outputs);
  settings->defaults = vhm_group_new (&vhm_cameras_group);
  settings->http = vhm_group_new (&vhm_http_group);
  settings->store = vhm_group_new (&vhm_store_group);
  settings->cameras = g_ptr_array_new_with_free_func (vhm_group_unref);
  settings->outputs = g_ptr_array_new_with_free_func (vhm_group_unref);
  if (arguments->config)
    settings->lines = vhm_key_lines_read (arguments->config, problems);
  reading.lines = settings->lines;
  reading.refused = g_hash_table_new (NULL, NULL);
  if (settings->lines)
    read_file (&reading, settings);
  command_line = reading;
  command_line.file = VHM_COMMAND_LINE;
  command_line.folder = working;
  read_arguments (&command_line, arguments, settings);
  vhm_http_settings_check (settings->http, &reading, arguments->listen);

  g_ptr_array_unref (reading.classes);
  g_hash_table_unref (reading.refused);
  g_free (reading.folder);
  g_free (path);
  g_free (working);
  return settings;
}

void
vhm_settings_free (VhmSettings * settings)
{
  vhm_group_unref (settings->defaults);
  vhm_group_unref (settings->http);
  vhm_group_unref (settings->store);
  g_ptr_array_unref (settings->outputs);
  g_ptr_array_unref (settings->cameras);
  g_clear_pointer (&settings->lines, g_ptr_array_unref);
  g_free (settings);
}
