/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include "address.h"
#include "keylines.h"
#include "secretfile.h"

#include <gio/gio.h>
#include <string.h>

#define ARGUMENTS "command line"

/* Names are parts of addresses, topics and labels. */
#define MOST_NAME_BYTES 64
#define LEAST_SECRET_BYTES 16

/* What a value is part of. */
typedef struct
{
  const gchar *file;
  gchar *folder;                /* that relative files are in */
  VhmProblems *problems;
} Reading;

/* A key that there may be, and where its value goes to. */
typedef struct _Row Row;
struct _Row
{
  const gchar *key;
  /* Sets the field, or returns what is wrong, to be freed. */
  gchar *(*parse) (const Reading * reading, const Row * row,
      const gchar * value, gpointer field);
  gsize offset;                 /* of the field, in the group's struct */
  gdouble least, most;          /* of numbers */
};

static gchar *
parse_file (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) row;
  if (!*value)
    return g_strdup ("it is empty: it must be the name of a file or folder");
  g_free (*(gchar **) field);
  *(gchar **) field = g_canonicalize_filename (value, reading->folder);
  return NULL;
}

static gchar *
parse_number (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *end;
  const gdouble number = g_ascii_strtod (value, &end);

  (void) reading;
  if (end == value || *end || !(number >= row->least && number <= row->most))
    return g_strdup_printf ("\"%s\" is not allowed: it must be a number of "
        "seconds from %g to %g", value, row->least, row->most);
  *(gdouble *) field = number;
  return NULL;
}

static gchar *
parse_whole (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  guint64 number;

  (void) reading;
  if (!g_ascii_string_to_unsigned (value, 10, row->least, row->most, &number,
          NULL))
    return g_strdup_printf ("\"%s\" is not allowed: it must be a whole number "
        "from %.0f to %.0f", value, row->least, row->most);
  *(guint *) field = number;
  return NULL;
}

static gchar *
parse_transport (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  static const gchar *const names[] = { "auto", "tcp", "udp", NULL };
  guint i;

  (void) reading;
  (void) row;
  for (i = 0; names[i]; i++)
    if (g_str_equal (value, names[i])) {
      *(VhmTransport *) field = i;
      return NULL;
    }
  return g_strdup_printf ("\"%s\" is not allowed: it must be auto, tcp or udp",
      value);
}

/* What GstVideoHealth takes or refuses as a whole. */
static gchar *
parse_for_health (const gchar * value, gchar ** field,
    gboolean (*set) (GstVideoHealth *, const gchar *, GError **))
{
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;
  gchar *why = NULL;

  if (set (health, value, &error)) {
    g_free (*field);
    *field = g_strdup (value);
  } else {
    why = g_strdup (error->message);
    g_error_free (error);
  }
  g_object_unref (health);
  return why;
}

static gchar *
parse_rules (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) reading;
  (void) row;
  return parse_for_health (value, field, gst_video_health_set_rules);
}

static gchar *
parse_ignore (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) reading;
  (void) row;
  return parse_for_health (value, field, gst_video_health_set_ignored);
}

static gchar *
parse_conditions (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  gchar **names = g_strsplit_set (value, "+, ", -1);
  GstVideoHealthConditions conditions = 0;
  gchar *why = NULL;
  guint i, j;

  (void) reading;
  (void) row;
  for (i = 0; names[i] && !why; i++) {
    for (j = 0; j < GST_VIDEO_HEALTH_N_CONDITIONS; j++)
      if (g_str_equal (names[i], gst_video_health_condition_get_name (j)))
        break;
    if (j < GST_VIDEO_HEALTH_N_CONDITIONS)
      conditions |= 1 << j;
    else if (g_str_equal (names[i], "all"))
      conditions = GST_VIDEO_HEALTH_CONDITIONS_ALL;
    else if (*names[i])
      why = g_strdup_printf ("\"%s\" is no condition", names[i]);
  }
  if (!why && !conditions)
    why = g_strdup ("it is empty");
  if (why) {
    GString *text = g_string_new (why);

    g_string_append (text, ": it must be all, or some of");
    for (j = 0; j < GST_VIDEO_HEALTH_N_CONDITIONS; j++)
      g_string_append_printf (text, " %s",
          gst_video_health_condition_get_name (j));
    g_string_append (text, ", with + in between");
    g_free (why);
    why = g_string_free (text, FALSE);
  } else
    *(GstVideoHealthConditions *) field = conditions;
  g_strfreev (names);
  return why;
}

static gchar *
parse_listen (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  VhmHttpSettings *http = field;
  const gchar *colon = strrchr (value, ':');
  guint64 port;
  gchar *host;

  (void) reading;
  (void) row;
  host = colon ? g_strndup (value, colon - value) : NULL;
  if (host && *host == '[' && g_str_has_suffix (host, "]")) {
    memmove (host, host + 1, strlen (host));
    host[strlen (host) - 1] = '\0';
  } else if (host && strchr (host, ':'))
    g_clear_pointer (&host, g_free);
  if (!host || !*host
      || !g_ascii_string_to_unsigned (colon + 1, 10, 0, 65535, &port, NULL)) {
    g_free (host);
    return g_strdup_printf ("\"%s\" is not allowed: it must be ADDRESS:PORT, "
        "such as 127.0.0.1:8080 or [::1]:8080", value);
  }
  g_free (http->host);
  http->host = host;
  http->port = port;
  return NULL;
}

static gchar *
parse_hosts (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar **hosts = g_strsplit_set (value, ", ", -1);
  guint i, n = 0;

  (void) reading;
  (void) row;
  for (i = 0; hosts[i]; i++) {
    gchar *host = hosts[i];

    if (strspn (host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            "0123456789-_.:[]") != strlen (host)) {
      gchar *why = g_strdup_printf ("\"%s\" is no name of a host: write names "
          "as they are in addresses, such as wall.example.org, with blanks in "
          "between", host);

      hosts[n] = NULL;
      for (; hosts[i]; i++)
        g_free (hosts[i]);
      g_strfreev (hosts);
      return why;
    }
    if (*host)
      hosts[n++] = host;
    else
      g_free (host);
  }
  hosts[n] = NULL;
  g_strfreev (*(gchar ***) field);
  *(gchar ***) field = hosts;
  return NULL;
}

static gchar *
read_secret (const Reading * reading, const gchar * value, gchar ** secret)
{
  gchar *path, *why, *result = NULL;

  if (!*value)
    return g_strdup ("it is empty: it must be the name of a file");
  path = g_canonicalize_filename (value, reading->folder);
  *secret = vhm_secret_file_read (path, &why);
  if (!*secret)
    result = g_strdup_printf ("%s: %s", path, why);
  g_free (why);
  g_free (path);
  return result;
}

static gchar *
parse_secret (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *secret;
  gchar *why = read_secret (reading, value, &secret);

  (void) row;
  if (why)
    return why;
  if (strlen (secret) < LEAST_SECRET_BYTES) {
    vhm_secret_free (secret);
    return g_strdup_printf ("%s: it must have %d characters or more, such as "
        "those that \"openssl rand -hex 16\" prints", value,
        LEAST_SECRET_BYTES);
  }
  vhm_secret_free (*(gchar **) field);
  *(gchar **) field = secret;
  return NULL;
}

static gchar *
parse_credentials (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  VhmCameraSettings *camera = field;
  gchar *secret, *colon;
  gchar *why = read_secret (reading, value, &secret);

  (void) row;
  if (why)
    return why;
  colon = strchr (secret, ':');
  if (!colon || colon == secret) {
    vhm_secret_free (secret);
    return g_strdup_printf ("%s: it must have one line, user:password", value);
  }
  vhm_secret_free (camera->user);
  vhm_secret_free (camera->password);
  camera->user = g_strndup (secret, colon - secret);
  camera->password = g_strdup (colon + 1);
  vhm_secret_free (secret);
  return NULL;
}

static gchar *
parse_uri (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) row;
  return vhm_address_parse (value, reading->folder, field);
}

#define AT(type, field) G_STRUCT_OFFSET (type, field)

static const Row camera_rows[] = {
  {"uri", parse_uri, AT (VhmCameraSettings, uri)},
  {"credentials", parse_credentials, 0},
  {"transport", parse_transport, AT (VhmCameraSettings, transport)},
  {"latency", parse_number, AT (VhmCameraSettings, latency), 0, 60},
  {"timeout", parse_number, AT (VhmCameraSettings, timeout), 1, 3600},
  {"interval", parse_number, AT (VhmCameraSettings, interval), 0, 60},
  {"rules", parse_rules, AT (VhmCameraSettings, rules)},
  {"ignore", parse_ignore, AT (VhmCameraSettings, ignore)},
  {"conditions", parse_conditions, AT (VhmCameraSettings, conditions)},
  {NULL}
};

static const Row http_rows[] = {
  {"listen", parse_listen, 0},
  {"certificate", parse_file, AT (VhmHttpSettings, certificate)},
  {"key", parse_file, AT (VhmHttpSettings, key)},
  {"secret", parse_secret, AT (VhmHttpSettings, secret)},
  {"hosts", parse_hosts, AT (VhmHttpSettings, hosts)},
  {NULL}
};

static const Row store_rows[] = {
  {"directory", parse_file, AT (VhmStoreSettings, directory)},
  {"pictures", parse_whole, AT (VhmStoreSettings, pictures), 0, 1048576},
  {"days", parse_whole, AT (VhmStoreSettings, days), 1, 36500},
  {NULL}
};

/* The groups that there is one of each. [cameras] has what holds for each
 * camera that does not say otherwise: all but its uri. */
static const struct
{
  const gchar *name;
  const Row *rows;
  gsize offset;                 /* in VhmSettings */
} groups[] = {
  {"cameras", camera_rows + 1, 0},
  {"http", http_rows, AT (VhmSettings, http)},
  {"store", store_rows, AT (VhmSettings, store)},
};

static const gchar *const group_names[] =
    { "camera NAME", "cameras", "http", "store", NULL };

static void
clear_camera (gpointer data)
{
  VhmCameraSettings *camera = data;

  g_free (camera->name);
  g_free (camera->uri);
  vhm_secret_free (camera->user);
  vhm_secret_free (camera->password);
  g_free (camera->rules);
  g_free (camera->ignore);
}

static VhmCameraSettings *
copy_camera (const VhmCameraSettings * from)
{
  VhmCameraSettings *camera = g_atomic_rc_box_new0 (VhmCameraSettings);

  *camera = *from;
  camera->name = g_strdup (from->name);
  camera->uri = g_strdup (from->uri);
  camera->user = g_strdup (from->user);
  camera->password = g_strdup (from->password);
  camera->rules = g_strdup (from->rules);
  camera->ignore = g_strdup (from->ignore);
  return camera;
}

VhmCameraSettings *
vhm_camera_settings_ref (VhmCameraSettings * camera)
{
  return g_atomic_rc_box_acquire (camera);
}

void
vhm_camera_settings_unref (VhmCameraSettings * camera)
{
  g_atomic_rc_box_release_full (camera, clear_camera);
}

gboolean
vhm_camera_settings_equal (const VhmCameraSettings * a,
    const VhmCameraSettings * b)
{
  return !g_strcmp0 (a->name, b->name) && !g_strcmp0 (a->uri, b->uri)
      && !g_strcmp0 (a->user, b->user)
      && !g_strcmp0 (a->password, b->password)
      && !g_strcmp0 (a->rules, b->rules) && !g_strcmp0 (a->ignore, b->ignore)
      && a->transport == b->transport
      && a->latency == b->latency && a->timeout == b->timeout
      && a->interval == b->interval && a->conditions == b->conditions;
}

/* Sets what @line says, in the struct that @rows are of. */
static void
set_value (const Reading * reading, const VhmKeyLine * line, const Row * rows,
    gpointer target)
{
  GPtrArray *names = g_ptr_array_new ();
  const gchar *nearest;
  gchar *why;

  for (; rows->key; rows++) {
    if (g_str_equal (rows->key, line->key))
      break;
    g_ptr_array_add (names, (gpointer) rows->key);
  }
  g_ptr_array_add (names, NULL);

  if (rows->key) {
    why = rows->parse (reading, rows, line->value,
        (guint8 *) target + rows->offset);
    if (why)
      vhm_problems_error (reading->problems, reading->file, line->line,
          "%s: %s", line->key, why);
    g_free (why);
  } else {
    nearest = vhm_nearest_name (line->key,
        (const gchar * const *) names->pdata);
    if (nearest)
      vhm_problems_warn (reading->problems, reading->file, line->line,
          "there is no %s in [%s], it is ignored: is it %s?", line->key,
          line->group, nearest);
    else
      vhm_problems_warn (reading->problems, reading->file, line->line,
          "there is no %s in [%s], it is ignored", line->key, line->group);
  }
  g_ptr_array_unref (names);
}

static gboolean
is_allowed_name (const gchar * name)
{
  const gchar *p;

  for (p = name; *p; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)) || strchr ("/#+\"\\", *p))
      return FALSE;
  return *name && p - name <= MOST_NAME_BYTES && !g_str_equal (name, ".")
      && !g_str_equal (name, "..");
}

static const VhmCameraSettings *
find_camera (const VhmSettings * settings, const gchar * name)
{
  guint i;

  for (i = 0; i < settings->cameras->len; i++) {
    const VhmCameraSettings *camera =
        g_ptr_array_index (settings->cameras, i);

    if (g_str_equal (camera->name, name))
      return camera;
  }
  return NULL;
}

/* A camera with the defaults and this name, or NULL. */
static VhmCameraSettings *
add_camera (VhmSettings * settings, const Reading * reading, guint line,
    const VhmCameraSettings * defaults, const gchar * name)
{
  VhmCameraSettings *camera;

  if (!is_allowed_name (name)) {
    vhm_problems_error (reading->problems, reading->file, line,
        "\"%s\" is not allowed as the name of a camera: it must have 1 to %d "
        "bytes, and no / # + \" \\ or control characters", name,
        MOST_NAME_BYTES);
    return NULL;
  }
  if (find_camera (settings, name)) {
    vhm_problems_error (reading->problems, reading->file, line,
        "there is a camera %s already: give this one another name", name);
    return NULL;
  }
  camera = copy_camera (defaults);
  camera->name = g_strdup (name);
  g_ptr_array_add (settings->cameras, camera);
  return camera;
}

/* The name of the camera that @group is for, or NULL. */
static const gchar *
camera_of_group (const gchar * group)
{
  return g_str_has_prefix (group, "camera ")
      ? group + strspn (group + 6, " ") + 6 : NULL;
}

/* All of [cameras], [http] and so on, and which groups there are not. */
static void
read_groups (const Reading * reading, const GPtrArray * lines,
    VhmSettings * settings, VhmCameraSettings * defaults)
{
  guint i, j;

  for (i = 0; i < lines->len; i++) {
    const VhmKeyLine *line = g_ptr_array_index (lines, i);

    if (camera_of_group (line->group))
      continue;
    for (j = 0; j < G_N_ELEMENTS (groups); j++)
      if (g_str_equal (groups[j].name, line->group))
        break;
    if (j < G_N_ELEMENTS (groups) && line->key)
      set_value (reading, line, groups[j].rows, j == 0 ? (gpointer) defaults
          : (guint8 *) settings + groups[j].offset);
    else if (j == G_N_ELEMENTS (groups) && !line->key) {
      const gchar *nearest = vhm_nearest_name (line->group, group_names);

      vhm_problems_warn (reading->problems, reading->file, line->line,
          "there is no group [%s], it is ignored: is it [%s]?", line->group,
          nearest ? nearest : "camera NAME");
    }
  }
}

static void
read_cameras (const Reading * reading, const GPtrArray * lines,
    VhmSettings * settings, const VhmCameraSettings * defaults)
{
  VhmCameraSettings *camera = NULL;
  guint i, group_line = 0;

  for (i = 0; i <= lines->len; i++) {
    const VhmKeyLine *line = i < lines->len ?
        g_ptr_array_index (lines, i) : NULL;

    if (line && line->key) {
      if (camera && camera_of_group (line->group))
        set_value (reading, line, camera_rows, camera);
      continue;
    }
    /* A group begins, or all have ended. */
    if (camera && !camera->uri)
      vhm_problems_error (reading->problems, reading->file, group_line,
          "camera %s has no uri: add a line such as "
          "uri=rtsp://192.0.2.1/stream", camera->name);
    camera = NULL;
    if (line && camera_of_group (line->group)) {
      group_line = line->line;
      camera = add_camera (settings, reading, group_line, defaults,
          camera_of_group (line->group));
    }
  }
}

static void
read_file (const gchar * path, VhmSettings * settings,
    VhmCameraSettings * defaults, VhmProblems * problems)
{
  GPtrArray *lines = vhm_key_lines_read (path, problems);
  gchar *absolute = g_canonicalize_filename (path, NULL);
  Reading reading = { path, g_path_get_dirname (absolute), problems };
  guint errors = problems->errors;

  if (lines) {
    read_groups (&reading, lines, settings, defaults);
    /* Each camera would repeat what is wrong with the defaults otherwise. */
    read_cameras (&reading, lines, settings, defaults);
    if (!settings->cameras->len && problems->errors == errors)
      vhm_problems_warn (problems, path, 0, "there is no camera in it: add a "
          "group such as [camera door], with uri=rtsp://192.0.2.1/stream");
    g_ptr_array_unref (lines);
  }
  g_free (reading.folder);
  g_free (absolute);
}

/* [NAME=]SOURCE; a name looks like one, since addresses may have a =. */
static void
read_source (const Reading * reading, const gchar * source,
    VhmSettings * settings, const VhmCameraSettings * defaults)
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
    for (i = 1; !name || find_camera (settings, name); i++) {
      g_free (name);
      name = g_strdup_printf ("camera%u", i);
    }
  }
  camera = add_camera (settings, reading, 0, defaults, name);
  why = camera ? vhm_address_parse (source, reading->folder, &camera->uri)
      : NULL;
  if (why)
    vhm_problems_error (reading->problems, reading->file, 0, "%s: %s", name,
        why);
  g_free (why);
  g_free (name);
}

static gchar *
default_directory (void)
{
  const gchar *of_systemd = g_getenv ("STATE_DIRECTORY");

  if (of_systemd)
    return g_strndup (of_systemd, strcspn (of_systemd, ":"));
  return g_build_filename (g_get_user_state_dir (), "videohistogram-monitor",
      NULL);
}

/* Elsewhere than on this machine itself both a certificate and a secret are
 * needed. */
static void
check_http (const VhmHttpSettings * http, const gchar * file,
    VhmProblems * problems)
{
  GInetAddress *address = g_inet_address_new_from_string (http->host);
  const gboolean loopback = address ? g_inet_address_get_is_loopback (address)
      : g_str_equal (http->host, "localhost");

  g_clear_object (&address);
  if (!http->certificate != !http->key)
    vhm_problems_error (problems, file, 0,
        "[http] has %s without %s: TLS needs both",
        http->certificate ? "certificate" : "key",
        http->certificate ? "key" : "certificate");
  if (!loopback && !(http->certificate && http->key && http->secret))
    vhm_problems_error (problems, file, 0,
        "to listen on %s, which others can reach, [http] must have%s%s%s: "
        "pictures and states are for those alone that may see them", http->host,
        http->certificate ? "" : " certificate=FILE",
        http->key ? "" : " key=FILE", http->secret ? "" : " secret=FILE");
}

VhmSettings *
vhm_settings_read (const VhmArguments * arguments, VhmProblems * problems)
{
  VhmCameraSettings *defaults = g_atomic_rc_box_new0 (VhmCameraSettings);
  VhmSettings *settings = g_new0 (VhmSettings, 1);
  const guint errors = problems->errors;
  Reading reading = { ARGUMENTS, g_get_current_dir (), problems };
  const VhmKeyLine listen = { 0, NULL, (gchar *) "listen", arguments->listen };
  guint i;

  settings->cameras = g_ptr_array_new_with_free_func ((GDestroyNotify)
      vhm_camera_settings_unref);
  settings->http.host = g_strdup ("127.0.0.1");
  settings->http.port = 8080;
  settings->store.directory = default_directory ();
  settings->store.pictures = 1024;
  settings->store.days = 90;
  defaults->transport = VHM_TRANSPORT_AUTO;
  defaults->latency = 0.2;
  defaults->timeout = 10;
  defaults->interval = 0.2;
  defaults->conditions = GST_VIDEO_HEALTH_CONDITIONS_ALL;

  if (arguments->config)
    read_file (arguments->config, settings, defaults, problems);
  if (arguments->listen)
    set_value (&reading, &listen, http_rows, &settings->http);
  if (arguments->directory) {
    g_free (settings->store.directory);
    settings->store.directory = g_canonicalize_filename (arguments->directory,
        reading.folder);
  }
  for (i = 0; arguments->sources && arguments->sources[i]; i++)
    read_source (&reading, arguments->sources[i], settings, defaults);
  if (problems->errors == errors)
    check_http (&settings->http, arguments->config && !arguments->listen
        ? arguments->config : ARGUMENTS, problems);

  vhm_camera_settings_unref (defaults);
  g_free (reading.folder);
  if (problems->errors != errors)
    g_clear_pointer (&settings, vhm_settings_free);
  return settings;
}

void
vhm_settings_free (VhmSettings * settings)
{
  g_free (settings->http.host);
  g_free (settings->http.certificate);
  g_free (settings->http.key);
  vhm_secret_free (settings->http.secret);
  g_strfreev (settings->http.hosts);
  g_free (settings->store.directory);
  g_ptr_array_unref (settings->cameras);
  g_free (settings);
}
