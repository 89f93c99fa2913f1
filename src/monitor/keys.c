/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keys.h"

#include "secretfile.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

static void
clear_field (VhmStorage storage, gpointer field)
{
  gpointer *content = field;

  if (storage == VHM_TEXT)
    g_free (*content);
  else if (storage == VHM_SECRET)
    vhm_secret_free (*content);
  else if (storage == VHM_TEXTS)
    g_strfreev (*content);
  else if (storage == VHM_BYTES && *content)
    g_bytes_unref (*content);
}

/* Replaces what @field shares with another group by a copy. */
static void
copy_field (VhmStorage storage, gpointer field)
{
  gpointer *content = field;

  if (storage == VHM_TEXT || storage == VHM_SECRET)
    *content = g_strdup (*content);
  else if (storage == VHM_TEXTS)
    *content = g_strdupv (*content);
  else if (storage == VHM_BYTES && *content)
    g_bytes_ref (*content);
}

static gboolean
fields_equal (VhmStorage storage, gconstpointer a, gconstpointer b)
{
  const gchar *const *first = a, *const *second = b;

  if (storage == VHM_WHOLE)
    return *(const guint *) a == *(const guint *) b;
  if (storage == VHM_NUMBER)
    return *(const gdouble *) a == *(const gdouble *) b;
  if (!*first || !*second)
    return *first == *second;
  if (storage == VHM_TEXTS)
    return g_strv_equal (*(const gchar * const *const *) a,
        *(const gchar * const *const *) b);
  if (storage == VHM_BYTES)
    return g_bytes_equal (*first, *second);
  return g_str_equal (*first, *second);
}

gpointer
vhm_group_new (const VhmGroupClass * klass)
{
  VhmGroup *group = g_atomic_rc_box_alloc0 (klass->size);

  group->class = klass;
  if (klass->set_defaults)
    klass->set_defaults (group);
  return group;
}

gpointer
vhm_group_copy (const VhmGroupClass * klass, gconstpointer from)
{
  VhmGroup *group = g_atomic_rc_box_alloc0 (klass->size);
  const VhmKey *key;

  memcpy (group, from, klass->size);
  group->class = klass;
  for (key = klass->keys; key->storage; key++)
    copy_field (key->storage, (guint8 *) group + key->offset);
  return group;
}

gpointer
vhm_group_ref (gconstpointer group)
{
  return g_atomic_rc_box_acquire ((gpointer) group);
}

static void
clear_group (gpointer group)
{
  const VhmKey *key;

  for (key = ((VhmGroup *) group)->class->keys; key->storage; key++)
    clear_field (key->storage, (guint8 *) group + key->offset);
}

void
vhm_group_unref (gpointer group)
{
  g_atomic_rc_box_release_full (group, clear_group);
}

static gboolean
groups_equal (gconstpointer a, gconstpointer b, gboolean live)
{
  const VhmGroup *first = a, *second = b;
  const VhmKey *key;

  if (first->class != second->class)
    return FALSE;
  for (key = first->class->keys; key->storage; key++)
    if ((live || !key->live)
        && !fields_equal (key->storage, (const guint8 *) a + key->offset,
            (const guint8 *) b + key->offset))
      return FALSE;
  return TRUE;
}

gboolean
vhm_group_equal (gconstpointer a, gconstpointer b)
{
  return groups_equal (a, b, TRUE);
}

gboolean
vhm_group_equal_but_live (gconstpointer a, gconstpointer b)
{
  return groups_equal (a, b, FALSE);
}

const gchar *
vhm_group_get_name (gconstpointer group)
{
  const gsize offset = ((const VhmGroup *) group)->class->name_offset;

  return offset ? *(gchar **) ((guint8 *) group + offset) : NULL;
}

gchar *
vhm_group_make_header (gconstpointer group)
{
  const gchar *name = vhm_group_get_name (group);

  return g_strconcat (((const VhmGroup *) group)->class->name,
      name ? " " : NULL, name, NULL);
}

static const VhmKey *
find_key (const VhmGroupClass * klass, const gchar * name)
{
  const VhmKey *key;

  for (key = klass->keys; key->storage; key++)
    if (!g_strcmp0 (key->name, name))
      return key;
  return NULL;
}

const gchar *
vhm_group_get_text (gconstpointer group, const gchar * key)
{
  const VhmKey *found = find_key (((const VhmGroup *) group)->class, key);

  return found && found->storage == VHM_TEXT ?
      *(gchar **) ((guint8 *) group + found->offset) : NULL;
}

/* Reports an invalid value: @why has one line per error. */
static void
refuse_value (const VhmReading * reading, const VhmKeyLine * line,
    const gchar * why)
{
  gchar **faults = g_strsplit (why, "\n", -1);
  guint i;

  for (i = 0; faults[i]; i++)
    vhm_problems_error (reading->problems, reading->file, line->line,
        "%s%s%s%s: %s", line->group ? "[" : "", line->group ? line->group : "",
        line->group ? "] " : "", line->key, faults[i]);
  g_strfreev (faults);
  g_hash_table_add (reading->refused, (gpointer) line);
}

static void
warn_of_unknown_key (const VhmReading * reading, const VhmKeyLine * line,
    const VhmGroupClass * klass)
{
  GPtrArray *names = g_ptr_array_new ();
  const gchar *nearest;
  const VhmKey *key;

  for (key = klass->keys; key->storage; key++)
    if (key->name && (klass->name_offset || !key->named))
      g_ptr_array_add (names, (gpointer) key->name);
  g_ptr_array_add (names, NULL);
  nearest = vhm_nearest_name (line->key, (const gchar * const *) names->pdata);
  vhm_problems_warn (reading->problems, reading->file, line->line,
      "[%s] %s: unknown key, ignored%s%s%s", line->group, line->key,
      nearest ? ": did you mean " : "", nearest ? nearest : "",
      nearest ? "?" : "");
  g_ptr_array_unref (names);
}

void
vhm_group_set (gpointer group, const VhmReading * reading,
    const VhmKeyLine * line)
{
  const VhmGroupClass *klass = ((VhmGroup *) group)->class;
  const VhmKey *key = find_key (klass, line->key);

  if (key) {
    const VhmValue value = { reading, line, key, group,
      (guint8 *) group + key->offset, line->value
    };
    gchar *why = key->parse (&value);

    if (why)
      refuse_value (reading, line, why);
    g_free (why);
  } else if (!line->refused)
    warn_of_unknown_key (reading, line, klass);
}

gboolean
vhm_group_has (gconstpointer group, const VhmReading * reading,
    const gchar * key)
{
  return vhm_key_lines_find (reading->lines, ((const VhmGroup *) group)->line,
      key) != NULL;
}

void
vhm_value_take (const VhmValue * value, gpointer content)
{
  clear_field (value->key->storage, value->field);
  *(gpointer *) value->field = content;
}

gchar *
vhm_value_read_secret (const VhmValue * value, gchar ** secret)
{
  gchar *path, *why, *result = NULL;

  if (!*value->text)
    return g_strdup ("no value: set the name of a file");
  path = g_canonicalize_filename (value->text, value->reading->folder);
  *secret = vhm_secret_file_read (path, &why);
  if (!*secret)
    /* A value that names no file may be the secret itself. */
    result = g_file_test (path, G_FILE_TEST_EXISTS) ?
        g_strdup_printf ("%s: %s", path, why) :
        g_strdup_printf ("cannot read the file: %s: set the name of a file, "
        "and write the secret into that file", why);
  g_free (why);
  g_free (path);
  return result;
}

gchar *
vhm_value_read_url (const VhmValue * value, const gchar * wanted, gchar ** url)
{
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL;
  gchar *why = NULL;

  /* Parses like libsoup. */
  if (!g_uri_split (value->text, G_URI_FLAGS_ENCODED_PATH |
          G_URI_FLAGS_ENCODED_QUERY | G_URI_FLAGS_SCHEME_NORMALIZE, &scheme,
          &userinfo, &host, NULL, NULL, NULL, NULL, NULL)
      || !scheme || !host || !*host
      || !(g_str_equal (scheme, "http") || g_str_equal (scheme, "https")))
    why = g_strdup (wanted);
  else if (userinfo)
    why = g_strdup ("contains a user name or password, which is not sent: "
        "remove it");
  else
    *url = g_strdup (value->text);
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  return why;
}

gchar *
vhm_parse_file (const VhmValue * value)
{
  if (!*value->text)
    return g_strdup ("no value: set the name of a file or folder");
  vhm_value_take (value, g_canonicalize_filename (value->text,
          value->reading->folder));
  return NULL;
}

gchar *
vhm_parse_input (const VhmValue * value)
{
  gchar *why = vhm_parse_file (value);
  const gchar *path = *(gchar **) value->field;
  FILE *file;

  if (why)
    return why;
  file = g_fopen (path, "rbe");
  /* A folder can be opened, but not read. */
  if (!file || (fgetc (file) == EOF && ferror (file)))
    why = g_strdup_printf ("%s: %s", path, g_strerror (errno));
  else if (feof (file))
    why = g_strdup_printf ("%s: file is empty", path);
  if (file)
    fclose (file);
  if (why)
    vhm_value_take (value, NULL);
  return why;
}

gchar *
vhm_parse_private_key (const VhmValue * value)
{
  gchar *why = vhm_parse_input (value);
  gchar *risk = NULL;

  if (why)
    return why;
  why = vhm_secret_file_check (*(gchar **) value->field, &risk);
  if (risk)
    vhm_problems_warn (value->reading->problems, value->reading->file,
        value->line->line, "[%s] key: %s", value->line->group, risk);
  if (why)
    vhm_value_take (value, NULL);
  g_free (risk);
  return why;
}

gchar *
vhm_parse_credentials (const VhmValue * value)
{
  gchar **field = value->field;
  gchar *secret, *user, *password;
  gchar *why = vhm_value_read_secret (value, &secret);

  if (why)
    return why;
  if (!vhm_secret_divide (secret, &user, &password))
    why = g_strdup_printf ("%s: must be one line, user:password", value->text);
  else {
    vhm_value_take (value, user);
    vhm_secret_free (field[1]);
    field[1] = password;
  }
  vhm_secret_free (secret);
  return why;
}

gchar *
vhm_parse_number (const VhmValue * value)
{
  const VhmKey *key = value->key;
  gchar *end;
  const gdouble number = g_ascii_strtod (value->text, &end);

  if (end == value->text || *end || !(number >= key->min && number <= key->max))
    return g_strdup_printf ("\"%s\" is not a number of seconds from %.15g to "
        "%.15g", value->text, key->min, key->max);
  *(gdouble *) value->field = number;
  return NULL;
}

gchar *
vhm_parse_whole (const VhmValue * value)
{
  const VhmKey *key = value->key;
  guint64 number;

  if (!g_ascii_string_to_unsigned (value->text, 10, key->min, key->max, &number,
          NULL))
    return g_strdup_printf ("\"%s\" is not a whole number from %.0f to %.0f",
        value->text, key->min, key->max);
  *(guint *) value->field = number;
  return NULL;
}

gchar *
vhm_parse_truth (const VhmValue * value)
{
  const gboolean truth = g_str_equal (value->text, "true");

  if (!truth && !g_str_equal (value->text, "false"))
    return g_strdup_printf ("\"%s\" is neither true nor false", value->text);
  *(gboolean *) value->field = truth;
  return NULL;
}

gboolean
vhm_name_is_allowed (const gchar * name)
{
  const gchar *p;

  for (p = name; *p; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)) || strchr ("/#+\"\\", *p))
      return FALSE;
  return *name && p - name <= VHM_MAX_NAME_BYTES && !g_str_equal (name, ".")
      && !g_str_equal (name, "..");
}

gboolean
vhm_host_is_loopback (const gchar * host)
{
  GInetAddress *address = g_inet_address_new_from_string (host);
  const gboolean is = address ? g_inet_address_get_is_loopback (address)
      : g_str_equal (host, "localhost");

  g_clear_object (&address);
  return is;
}
