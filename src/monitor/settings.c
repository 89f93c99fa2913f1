/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include "address.h"
#include "keylines.h"
#include "rules.h"
#include "secretfile.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#define ARGUMENTS "command line"

/* Names become parts of URLs, topics and labels. */
#define MOST_NAME_BYTES 64
#define LEAST_SECRET_BYTES 16

/* Conditions that need consecutive frames: docs/videohealth.md says how
 * many. */
#define OF_EVERY_FRAME (GST_VIDEO_HEALTH_CONDITIONS_FLASHING | \
    GST_VIDEO_HEALTH_CONDITIONS_BANDING)

#define SIGNING_PREFIX "whsec_"

/* Where a value comes from. */
typedef struct
{
  const gchar *file;
  gchar *folder;                /* base of relative file names */
  VhmProblems *problems;
  const GPtrArray *lines;       /* of the key file, or NULL */
  GHashTable *refused;          /* set of lines with invalid values */
  guint line;                   /* of the value, or 0 */
  const gchar *group;           /* of the value, or NULL */
} Reading;

/* A valid key, and where its value is stored. */
typedef struct _Row Row;
struct _Row
{
  const gchar *key;
  /* Sets the field, or returns the errors, one per line, to be freed. */
  gchar *(*parse) (const Reading * reading, const Row * row,
      const gchar * value, gpointer field);
  gsize offset;                 /* of the field in the group's struct */
  gdouble least, most;          /* range of numbers */
};

static gchar *
parse_file (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) row;
  if (!*value)
    return g_strdup ("no value: set the name of a file or folder");
  g_free (*(gchar **) field);
  *(gchar **) field = g_canonicalize_filename (value, reading->folder);
  return NULL;
}

/* An input file. */
static gchar *
parse_input (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *path = NULL;
  gchar *why = parse_file (reading, row, value, &path);
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
  if (!why) {
    g_free (*(gchar **) field);
    *(gchar **) field = g_steal_pointer (&path);
  }
  g_free (path);
  return why;
}

/* A private key, which must be protected like other secrets. */
static gchar *
parse_key (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *why = parse_input (reading, row, value, field);
  const gchar *path = *(gchar **) field;
  gchar *risk = NULL;

  if (why)
    return why;
  why = vhm_secret_file_check (path, &risk);
  if (risk)
    vhm_problems_warn (reading->problems, reading->file, reading->line,
        "[%s] key: %s", reading->group, risk);
  if (why)
    g_clear_pointer ((gchar **) field, g_free);
  g_free (risk);
  return why;
}

static gchar *
parse_number (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *end;
  const gdouble number = g_ascii_strtod (value, &end);

  (void) reading;
  if (end == value || *end || !(number >= row->least && number <= row->most))
    return g_strdup_printf ("\"%s\" is not a number of seconds from %.15g to "
        "%.15g", value, row->least, row->most);
  *(gdouble *) field = number;
  return NULL;
}

/* The elements take it in ns, and refuse less than a millisecond. */
static gchar *
parse_interval (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gdouble interval = 0;
  gchar *why = parse_number (reading, row, value, &interval);

  if (why)
    return why;
  if (interval > 0
      && interval < (gdouble) GST_VIDEO_HISTOGRAM_MIN_TIME / GST_SECOND)
    return g_strdup_printf ("\"%s\" is less than a millisecond: set 0.001 s or "
        "more, or 0 for every frame",
        value);
  *(gdouble *) field = interval;
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
    return g_strdup_printf ("\"%s\" is not a whole number from %.0f to %.0f",
        value, row->least, row->most);
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
  return g_strdup_printf ("\"%s\" is not a transport: set auto, tcp or udp",
      value);
}

/* The error of GstVideoHealth for @text, or NULL if it is valid. */
static gchar *
ask_health (const gchar * text,
    gboolean (*set) (GstVideoHealth *, const gchar *, GError **))
{
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;
  gchar *why = NULL;

  if (!set (health, text, &error)) {
    why = g_strdup (error->message);
    g_error_free (error);
  }
  g_object_unref (health);
  return why;
}

/* The lines of @text that are not in @others, or NULL. */
static gchar *
leave_out_lines (const gchar * text, const gchar * others)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  gchar **known = g_strsplit (others, "\n", -1);
  GPtrArray *left = g_ptr_array_new ();
  gchar *result = NULL;
  guint i;

  for (i = 0; lines[i]; i++)
    if (!g_strv_contains ((const gchar * const *) known, lines[i]))
      g_ptr_array_add (left, lines[i]);
  g_ptr_array_add (left, NULL);
  if (left->len > 1)
    result = g_strjoinv ("\n", (gchar **) left->pdata);
  g_ptr_array_unref (left);
  g_strfreev (known);
  g_strfreev (lines);
  return result;
}

/* Rules of a camera refine those of [cameras], and must be valid together with
 * them: enter of one may go with leave of the other. Errors of [cameras] are
 * reported there only, not for each camera. */
static gchar *
parse_rules (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar **rules = field;
  gchar *before = ask_health (*rules, gst_video_health_set_rules);
  gchar *refined = vhm_rules_refine (*rules, value);
  gchar *all = ask_health (refined, gst_video_health_set_rules);
  gchar *why = all ? leave_out_lines (all, before ? before : "") : NULL;

  (void) reading;
  (void) row;
  g_free (*rules);
  *rules = refined;
  g_free (all);
  g_free (before);
  return why;
}

static gchar *
parse_ignore (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *why = ask_health (value, gst_video_health_set_ignored);

  (void) reading;
  (void) row;
  if (!why) {
    g_free (*(gchar **) field);
    *(gchar **) field = g_strdup (value);
  }
  return why;
}

/* Adds to @camera the conditions that @name stands for or, if @without is TRUE,
 * removes them from it. Returns FALSE if the name is unknown. */
static gboolean
change_conditions (VhmCameraSettings * camera, const gchar * name,
    gboolean without)
{
  const gboolean all = g_str_equal (name, "all");
  GstVideoHealthConditions named = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (g_str_equal (name, gst_video_health_condition_get_name (i)))
      named = 1 << i;
  if (!all && !named)
    return FALSE;
  if (without) {
    named = all ? GST_VIDEO_HEALTH_CONDITIONS_ALL : named;
    camera->conditions &= ~named;
    camera->named &= ~named;
  } else {
    camera->conditions |= all ? GST_VIDEO_HEALTH_CONDITIONS_ALL : named;
    camera->named |= named;
  }
  return TRUE;
}

/* To be freed. */
static gchar *
describe_unknown_condition (const gchar * name)
{
  const gchar *names[GST_VIDEO_HEALTH_N_CONDITIONS + 1] = { NULL };
  const gchar *nearest;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    names[i] = gst_video_health_condition_get_name (i);
  nearest = vhm_nearest_name (name, names);
  return nearest ?
      g_strdup_printf ("\"%s\" is not a condition (did you mean %s?)", name,
      nearest) : g_strdup_printf ("\"%s\" is not a condition", name);
}

/* Appends an error line to @text. */
static void
refuse_conditions (GString * text, const gchar * why)
{
  guint i;

  g_string_append_printf (text, "%s%s", text->len ? "\n" : "", why);
  g_string_append (text, ": set all, or some of");
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_string_append_printf (text, " %s",
        gst_video_health_condition_get_name (i));
  g_string_append (text, ", separated by ; (-NAME leaves one out, as in "
      "all;-monochrome)");
}

/* A list that starts with + or - changes the list of [cameras]. */
static gchar *
parse_conditions (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  VhmCameraSettings *camera = field;
  VhmCameraSettings changed = *camera;
  gchar **names = g_regex_split_simple ("[;, \\t]+|(?<=[^;, \\t])\\+", value, 0,
      0);
  GString *why = g_string_new (NULL);
  guint i;

  (void) reading;
  (void) row;
  if (*value != '-' && *value != '+')
    changed.conditions = changed.named = 0;
  for (i = 0; names[i]; i++) {
    const gboolean has_sign = *names[i] == '-' || *names[i] == '+';
    gchar *unknown;

    if (!*names[i] || change_conditions (&changed, names[i] + has_sign,
            *names[i] == '-'))
      continue;
    unknown = describe_unknown_condition (names[i] + has_sign);
    refuse_conditions (why, unknown);
    g_free (unknown);
  }
  if (!why->len && !changed.conditions)
    refuse_conditions (why, "no condition is left");
  if (!why->len) {
    camera->conditions = changed.conditions;
    camera->named = changed.named;
  }
  g_strfreev (names);
  return g_string_free (why, !why->len);
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
    return g_strdup_printf ("\"%s\" is not ADDRESS:PORT, such as "
        "127.0.0.1:8080 or [::1]:8080", value);
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
  GString *why = g_string_new (NULL);
  gchar **hosts = g_strsplit_set (value, ", ", -1);
  guint i, n = 0;

  (void) reading;
  (void) row;
  for (i = 0; hosts[i]; i++) {
    gchar *host = hosts[i];

    if (strspn (host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            "0123456789-_.:[]") != strlen (host))
      g_string_append_printf (why, "%s\"%s\" is not a host name: set names "
          "such as wall.example.org, separated by spaces",
          why->len ? "\n" : "", host);
    if (*host)
      hosts[n++] = host;
    else
      g_free (host);
  }
  hosts[n] = NULL;
  if (!why->len) {
    g_strfreev (*(gchar ***) field);
    *(gchar ***) field = g_steal_pointer (&hosts);
  }
  g_strfreev (hosts);
  return g_string_free (why, !why->len);
}

static gchar *
read_secret (const Reading * reading, const gchar * value, gchar ** secret)
{
  gchar *path, *why, *result = NULL;

  if (!*value)
    return g_strdup ("no value: set the name of a file");
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
    return g_strdup_printf ("%s: must have at least %d characters: write the "
        "output of \"openssl rand -hex 16\" into it", value,
        LEAST_SECRET_BYTES);
  }
  vhm_secret_free (*(gchar **) field);
  *(gchar **) field = secret;
  return NULL;
}

/* Sets user and password, which are adjacent fields. */
static gchar *
parse_credentials (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  gchar **user = field, **password = user + 1;
  gchar *secret, *colon;
  gchar *why = read_secret (reading, value, &secret);

  (void) row;
  if (why)
    return why;
  colon = strchr (secret, ':');
  if (!colon || colon == secret) {
    vhm_secret_free (secret);
    return g_strdup_printf ("%s: must be one line, user:password", value);
  }
  vhm_secret_free (*user);
  vhm_secret_free (*password);
  *user = g_strndup (secret, colon - secret);
  *password = g_strdup (colon + 1);
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

static gchar *
parse_broker (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  VhmMqttSettings *mqtt = field;
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL, *path = NULL;
  gchar *why = NULL;
  gint port;

  (void) reading;
  (void) row;
  if (!g_uri_split_network (value, G_URI_FLAGS_NONE, &scheme, &host, &port,
          NULL) || !g_uri_split (value, G_URI_FLAGS_NONE, NULL, &userinfo,
          NULL, NULL, &path, NULL, NULL, NULL))
    g_clear_pointer (&scheme, g_free);
  if (userinfo)
    why = g_strdup ("contains a user name or password, which others could "
        "read: write user:password into a file that only you can read, and set "
        "credentials=FILE");
  else if (!scheme || !*host || *path
      || !(g_str_equal (scheme, "mqtt") || g_str_equal (scheme, "mqtts")))
    why = g_strdup ("must be mqtt://HOST or, with TLS, mqtts://HOST; add "
        ":PORT unless the port is 1883 or 8883");
  else {
    g_free (mqtt->host);
    mqtt->host = g_steal_pointer (&host);
    mqtt->tls = g_str_equal (scheme, "mqtts");
    mqtt->port = port > 0 ? port : mqtt->tls ? 8883 : 1883;
  }
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  g_free (path);
  return why;
}

static gchar *
parse_topic (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  const gchar *p;

  (void) reading;
  (void) row;
  for (p = value; *p; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)) || strchr ("#+", *p))
      break;
  if (!*value || *p || *value == '$' || *value == '/'
      || g_str_has_suffix (value, "/") || strstr (value, "//")
      || strlen (value) > MOST_NAME_BYTES)
    return g_strdup_printf ("\"%s\" is not a topic prefix: set 1 to %d bytes, "
        "such as site1 or fleet/site1, without #, + or empty levels, not "
        "starting with $", value, MOST_NAME_BYTES);
  g_free (*(gchar **) field);
  *(gchar **) field = g_strdup (value);
  return NULL;
}

/* Sets @url to @value, or returns an error, which is @wanted if @value is not
 * an address. */
static gchar *
read_url (const gchar * value, const gchar * wanted, gchar ** url)
{
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL;
  gchar *why = NULL;

  /* Parses like libsoup. */
  if (!g_uri_split (value, G_URI_FLAGS_ENCODED_PATH |
          G_URI_FLAGS_ENCODED_QUERY | G_URI_FLAGS_SCHEME_NORMALIZE, &scheme,
          &userinfo, &host, NULL, NULL, NULL, NULL, NULL)
      || !scheme || !host || !*host
      || !(g_str_equal (scheme, "http") || g_str_equal (scheme, "https")))
    why = g_strdup (wanted);
  else if (userinfo)
    why = g_strdup ("contains a user name or password, which is not sent: "
        "remove it");
  else {
    g_free (*url);
    *url = g_strdup (value);
  }
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  return why;
}

static gchar *
parse_url (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) reading;
  (void) row;
  return read_url (value, "must be an address such as "
      "https://alarms.example.org/cameras", field);
}

/* The address gets a trailing slash, since outputs append to it. */
static gchar *
parse_page (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  static const gchar wanted[] = "must be the address of the page with all "
      "cameras, such as https://wall.example.org/, without ? or #";
  gchar *url = NULL;
  gchar *why = read_url (value, wanted, &url);

  (void) reading;
  (void) row;
  if (!why && strpbrk (url, "?#"))
    why = g_strdup (wanted);
  if (!why) {
    g_free (*(gchar **) field);
    *(gchar **) field = g_strconcat (url, g_str_has_suffix (url, "/") ? ""
        : "/", NULL);
  }
  g_free (url);
  return why;
}

/* A secret as Standard Webhooks defines it. */
static gchar *
parse_signing_secret (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  gchar *secret;
  gchar *why = read_secret (reading, value, &secret);
  guchar *key = NULL;
  gsize length = 0;

  (void) row;
  if (why)
    return why;
  if (g_str_has_prefix (secret, SIGNING_PREFIX))
    key = g_base64_decode (secret + strlen (SIGNING_PREFIX), &length);
  vhm_secret_free (secret);
  if (length < LEAST_SECRET_BYTES) {
    g_free (key);
    return g_strdup_printf ("%s: must be one line, " SIGNING_PREFIX
        " followed by at least %d bytes in base64: write the output of "
        "\"echo " SIGNING_PREFIX "$(openssl rand -base64 32)\" into it", value,
        LEAST_SECRET_BYTES);
  }
  g_clear_pointer ((GBytes **) field, g_bytes_unref);
  *(GBytes **) field = g_bytes_new_take (key, length);
  return NULL;
}

#define AT(type, field) G_STRUCT_OFFSET (type, field)

static const Row camera_rows[] = {
  {"uri", parse_uri, AT (VhmCameraSettings, uri)},
  {"credentials", parse_credentials, AT (VhmCameraSettings, user)},
  {"transport", parse_transport, AT (VhmCameraSettings, transport)},
  {"latency", parse_number, AT (VhmCameraSettings, latency), 0, 60},
  {"timeout", parse_number, AT (VhmCameraSettings, timeout), 1, 3600},
  {"interval", parse_interval, AT (VhmCameraSettings, interval), 0, 60},
  {"rules", parse_rules, AT (VhmCameraSettings, rules)},
  {"ignore", parse_ignore, AT (VhmCameraSettings, ignore)},
  {"conditions", parse_conditions, 0},
  {NULL}
};

static const Row http_rows[] = {
  {"listen", parse_listen, 0},
  {"certificate", parse_input, AT (VhmHttpSettings, certificate)},
  {"key", parse_key, AT (VhmHttpSettings, key)},
  {"secret", parse_secret, AT (VhmHttpSettings, secret)},
  {"hosts", parse_hosts, AT (VhmHttpSettings, hosts)},
  {"url", parse_page, AT (VhmHttpSettings, url)},
  {NULL}
};

static const Row store_rows[] = {
  {"directory", parse_file, AT (VhmStoreSettings, directory)},
  {"pictures", parse_whole, AT (VhmStoreSettings, pictures), 0, 1048576},
  {"days", parse_whole, AT (VhmStoreSettings, days), 1, 36500},
  {NULL}
};

static const Row mqtt_rows[] = {
  {"broker", parse_broker, 0},
  {"ca", parse_input, AT (VhmMqttSettings, ca)},
  {"certificate", parse_input, AT (VhmMqttSettings, certificate)},
  {"key", parse_key, AT (VhmMqttSettings, key)},
  {"credentials", parse_credentials, AT (VhmMqttSettings, user)},
  {"prefix", parse_topic, AT (VhmMqttSettings, prefix)},
  {"discovery", parse_topic, AT (VhmMqttSettings, discovery)},
  {"keepalive", parse_number, AT (VhmMqttSettings, keepalive), 10, 3600},
  {NULL}
};

static const Row webhook_rows[] = {
  {"url", parse_url, AT (VhmWebhookSettings, url)},
  {"ca", parse_input, AT (VhmWebhookSettings, ca)},
  {"secret", parse_signing_secret, AT (VhmWebhookSettings, secret)},
  {"timeout", parse_number, AT (VhmWebhookSettings, timeout), 1, 300},
  {"expire", parse_number, AT (VhmWebhookSettings, expire), 0, 31536000},
  {NULL}
};

/* Groups without a name. [cameras] has the defaults of all cameras: every key
 * but uri. */
typedef enum
{
  GROUP_CAMERAS,
  GROUP_HTTP,
  GROUP_STORE,
  GROUP_MQTT,
  N_GROUPS
} Group;

static const struct
{
  const gchar *name;
  const Row *rows;
} groups[N_GROUPS] = {
  [GROUP_CAMERAS] = {"cameras", camera_rows + 1},
  [GROUP_HTTP] = {"http", http_rows},
  [GROUP_STORE] = {"store", store_rows},
  [GROUP_MQTT] = {"mqtt", mqtt_rows},
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* The first words of group headers: those that a name must follow, and all. */
static const gchar *const named_kinds[] = { "camera", "webhook", NULL };
static const gchar *const group_kinds[] = { "camera", "cameras", "http",
  "store", "mqtt", "webhook", NULL
};

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

static void
clear_mqtt (gpointer data)
{
  VhmMqttSettings *mqtt = data;

  g_free (mqtt->host);
  g_free (mqtt->ca);
  g_free (mqtt->certificate);
  g_free (mqtt->key);
  vhm_secret_free (mqtt->user);
  vhm_secret_free (mqtt->password);
  g_free (mqtt->prefix);
  g_free (mqtt->discovery);
}

static VhmMqttSettings *
new_mqtt (void)
{
  VhmMqttSettings *mqtt = g_atomic_rc_box_new0 (VhmMqttSettings);

  mqtt->prefix = g_strdup ("videohistogram");
  mqtt->keepalive = 30;
  return mqtt;
}

VhmMqttSettings *
vhm_mqtt_settings_ref (VhmMqttSettings * mqtt)
{
  return g_atomic_rc_box_acquire (mqtt);
}

void
vhm_mqtt_settings_unref (VhmMqttSettings * mqtt)
{
  g_atomic_rc_box_release_full (mqtt, clear_mqtt);
}

gboolean
vhm_mqtt_settings_equal (const VhmMqttSettings * a, const VhmMqttSettings * b)
{
  return !g_strcmp0 (a->host, b->host) && a->port == b->port
      && a->tls == b->tls && !g_strcmp0 (a->ca, b->ca)
      && !g_strcmp0 (a->certificate, b->certificate)
      && !g_strcmp0 (a->key, b->key) && !g_strcmp0 (a->user, b->user)
      && !g_strcmp0 (a->password, b->password)
      && !g_strcmp0 (a->prefix, b->prefix)
      && !g_strcmp0 (a->discovery, b->discovery)
      && a->keepalive == b->keepalive;
}

static void
clear_webhook (gpointer data)
{
  VhmWebhookSettings *webhook = data;

  g_free (webhook->name);
  g_free (webhook->url);
  g_free (webhook->ca);
  g_clear_pointer (&webhook->secret, g_bytes_unref);
}

VhmWebhookSettings *
vhm_webhook_settings_ref (VhmWebhookSettings * webhook)
{
  return g_atomic_rc_box_acquire (webhook);
}

void
vhm_webhook_settings_unref (VhmWebhookSettings * webhook)
{
  g_atomic_rc_box_release_full (webhook, clear_webhook);
}

gboolean
vhm_webhook_settings_equal (const VhmWebhookSettings * a,
    const VhmWebhookSettings * b)
{
  return !g_strcmp0 (a->name, b->name) && !g_strcmp0 (a->url, b->url)
      && !g_strcmp0 (a->ca, b->ca) && g_bytes_equal (a->secret, b->secret)
      && a->timeout == b->timeout && a->expire == b->expire;
}

static gboolean
is_loopback (const gchar * host)
{
  GInetAddress *address = g_inet_address_new_from_string (host);
  const gboolean is = address ? g_inet_address_get_is_loopback (address)
      : g_str_equal (host, "localhost");

  g_clear_object (&address);
  return is;
}

/* Reports an invalid value: @why has one line per error. */
static void
refuse_value (const Reading * reading, const VhmKeyLine * line,
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

/* Stores the value of @line in the struct that @rows describe. */
static void
set_value (const Reading * reading, const VhmKeyLine * line, const Row * rows,
    gpointer target)
{
  Reading here = *reading;
  GPtrArray *names = g_ptr_array_new ();
  const gchar *nearest;
  gchar *why;

  here.line = line->line;
  here.group = line->group;

  for (; rows->key; rows++) {
    if (g_str_equal (rows->key, line->key))
      break;
    g_ptr_array_add (names, (gpointer) rows->key);
  }
  g_ptr_array_add (names, NULL);

  if (rows->key) {
    why = rows->parse (&here, rows, line->value,
        (guint8 *) target + rows->offset);
    if (why)
      refuse_value (reading, line, why);
    g_free (why);
  } else if (!line->refused && g_str_equal (line->group, "cameras")
      && g_str_equal (line->key, "uri")) {
    vhm_problems_warn (reading->problems, reading->file, line->line,
        "[cameras] uri: ignored: set uri in [camera NAME] of each camera");
  } else if (!line->refused) {
    nearest = vhm_nearest_name (line->key,
        (const gchar * const *) names->pdata);
    if (nearest)
      vhm_problems_warn (reading->problems, reading->file, line->line,
          "[%s] %s: unknown key, ignored: did you mean %s?", line->group,
          line->key, nearest);
    else
      vhm_problems_warn (reading->problems, reading->file, line->line,
          "[%s] %s: unknown key, ignored", line->group, line->key);
  }
  g_ptr_array_unref (names);
}

/* Whether the group with the header in @line has @key, even with an invalid
 * value, which gets an error of its own. */
static gboolean
has_key (const Reading * reading, guint line, const gchar * key)
{
  return vhm_key_lines_find (reading->lines, line, key) != NULL;
}

static gboolean
is_refused (const Reading * reading, guint line, const gchar * key)
{
  const VhmKeyLine *found = vhm_key_lines_find (reading->lines, line, key);

  return found && g_hash_table_contains (reading->refused, found);
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

static gboolean
check_name (const Reading * reading, guint line, const gchar * of,
    const gchar * name)
{
  if (is_allowed_name (name))
    return TRUE;
  vhm_problems_error (reading->problems, reading->file, line,
      "\"%s\" is not a valid %s name: use 1 to %d bytes, without "
      "/ # + \" \\ or control characters", name, of,
      MOST_NAME_BYTES);
  return FALSE;
}

static void
check_camera_name (const VhmSettings * settings, const Reading * reading,
    guint line, const gchar * name)
{
  if (check_name (reading, line, "camera", name)
      && find_camera (settings, name))
    vhm_problems_error (reading->problems, reading->file, line,
        "camera %s already exists: give this one another name", name);
}

/* Adds a camera with the defaults and this name. */
static gpointer
add_camera (VhmSettings * settings, guint line,
    const VhmCameraSettings * defaults, const gchar * name)
{
  VhmCameraSettings *camera = copy_camera (defaults);

  camera->name = g_strdup (name);
  camera->line = line;
  g_ptr_array_add (settings->cameras, camera);
  return camera;
}

static gboolean
has_rule (const VhmCameraSettings * camera, const gchar * condition)
{
  gchar *pattern = g_strdup_printf ("(^|;)\\s*%s\\s*,", condition);
  const gboolean has = camera->rules
      && g_regex_match_simple (pattern, camera->rules, 0, 0);

  g_free (pattern);
  return has;
}

/* Removes the conditions that cannot be judged with an interval. That is only a
 * problem if the user named them, or set rules for them. */
static void
check_interval (const Reading * reading, guint defaults,
    VhmCameraSettings * camera)
{
  const guint line = camera->line;
  guint i;

  /* The interval is invalid, so it is not known what was meant. */
  if (is_refused (reading, has_key (reading, line, "interval") ? line
          : defaults, "interval"))
    return;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);
    const guint condition = 1 << i;

    if (!(camera->interval > 0 && camera->conditions & condition
            & OF_EVERY_FRAME))
      continue;
    if (camera->named & condition)
      vhm_problems_error (reading->problems, reading->file, line,
          "camera %s: %s needs every frame, but interval=%g skips most of "
          "them: set interval=0, or remove %s from conditions",
          camera->name, name, camera->interval, name);
    else if (has_rule (camera, name))
      vhm_problems_warn (reading->problems, reading->file, line,
          "camera %s: the rule for %s has no effect: %s needs every frame, "
          "but interval=%g skips most of them: set interval=0",
          camera->name, name, name, camera->interval);
    camera->conditions &= ~condition;
  }
}

static void
check_camera (const Reading * reading, guint defaults, gpointer target)
{
  VhmCameraSettings *camera = target;

  check_interval (reading, defaults, camera);
  if (!has_key (reading, camera->line, "uri"))
    vhm_problems_error (reading->problems, reading->file, camera->line,
        "camera %s has no uri: add a line such as "
        "uri=rtsp://192.0.2.1/stream", camera->name);
}

static gboolean
has_webhook (const VhmSettings * settings, const gchar * name)
{
  guint i;

  for (i = 0; i < settings->webhooks->len; i++) {
    const VhmWebhookSettings *webhook =
        g_ptr_array_index (settings->webhooks, i);

    if (g_str_equal (webhook->name, name))
      return TRUE;
  }
  return FALSE;
}

static void
check_webhook_name (const VhmSettings * settings, const Reading * reading,
    guint line, const gchar * name)
{
  if (check_name (reading, line, "webhook", name)
      && has_webhook (settings, name))
    vhm_problems_error (reading->problems, reading->file, line,
        "webhook %s already exists: give this one another name", name);
}

/* Adds a webhook with this name. */
static gpointer
add_webhook (VhmSettings * settings, guint line,
    const VhmCameraSettings * defaults, const gchar * name)
{
  VhmWebhookSettings *webhook = g_atomic_rc_box_new0 (VhmWebhookSettings);

  (void) defaults;
  webhook->line = line;
  webhook->name = g_strdup (name);
  webhook->timeout = 10;
  webhook->expire = 86400;
  g_ptr_array_add (settings->webhooks, webhook);
  return webhook;
}

static void
check_webhook (const Reading * reading, guint defaults, gpointer target)
{
  const VhmWebhookSettings *webhook = target;

  (void) defaults;
  if (!has_key (reading, webhook->line, "url"))
    vhm_problems_error (reading->problems, reading->file, webhook->line,
        "webhook %s has no url: add a line such as "
        "url=https://alarms.example.org/cameras", webhook->name);
  if (!has_key (reading, webhook->line, "secret"))
    vhm_problems_error (reading->problems, reading->file, webhook->line,
        "webhook %s has no secret: write the output of \"echo " SIGNING_PREFIX
        "$(openssl rand -base64 32)\" into a file, and set secret=FILE",
        webhook->name);
}

typedef gpointer (*AddGroup) (VhmSettings * settings, guint line,
    const VhmCameraSettings * defaults, const gchar * name);

/* Groups with a name. There may be many of each kind. */
static const struct
{
  const gchar *prefix;
  const Row *rows;
  AddGroup add;
  void (*check_name) (const VhmSettings * settings, const Reading * reading,
      guint line, const gchar * name);
  /* Called after the last line of the group; @defaults is the line of
   * [cameras]. */
  void (*check) (const Reading * reading, guint defaults, gpointer target);
} named_groups[] = {
  {"camera ", camera_rows, add_camera, check_camera_name, check_camera},
  {"webhook ", webhook_rows, add_webhook, check_webhook_name, check_webhook},
};

/* The index of the kind of @group, or -1. Sets @name, which may be NULL. */
static gint
find_named_group (const gchar * group, const gchar ** name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (named_groups); i++)
    if (g_str_has_prefix (group, named_groups[i].prefix)) {
      group += strlen (named_groups[i].prefix);
      if (name)
        *name = group + strspn (group, " ");
      return i;
    }
  return -1;
}

/* Checks the keys of [mqtt] against each other. */
static void
check_mqtt (const Reading * reading, const VhmMqttSettings * mqtt)
{
  VhmProblems *problems = reading->problems;
  const guint line = mqtt->line;
  const gboolean has_certificate = has_key (reading, line, "certificate");
  const gboolean has_its_key = has_key (reading, line, "key");

  if (!mqtt->host) {
    if (!has_key (reading, line, "broker"))
      vhm_problems_error (problems, reading->file, line,
          "[mqtt] has no broker: add a line such as broker=mqtt://127.0.0.1");
  } else if (!mqtt->tls && (has_certificate || has_its_key
          || has_key (reading, line, "ca")))
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has files for TLS, which mqtt:// does not use: set "
        "broker=mqtts://%s", mqtt->host);
  else if (!mqtt->tls && mqtt->password && !is_loopback (mqtt->host))
    vhm_problems_warn (problems, reading->file, line,
        "[mqtt] sends the password to %s without TLS, where others can read "
        "it: set broker=mqtts://%s if the broker supports TLS",
        mqtt->host, mqtt->host);
  if (has_certificate != has_its_key)
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has %s without %s: set both or neither",
        has_certificate ? "certificate" : "key",
        has_certificate ? "key" : "certificate");
}

/* Guesses the kind of a misspelled @group, whatever its case and the separator
 * before the name. Returns NULL if none is similar. Sets @rest to the name. */
static const gchar *
find_nearest_kind (const gchar * group, const gchar ** rest)
{
  const gchar *end = group + strspn (group, LETTERS);
  gchar *word = g_strndup (group, end - group);
  gchar *kind = g_ascii_strdown (word, -1);
  const gchar *nearest;

  *rest = end + strcspn (end, LETTERS DIGITS);
  nearest = vhm_nearest_name (kind, **rest ? named_kinds : group_kinds);
  if (!nearest)
    nearest = vhm_nearest_name (kind, group_kinds);
  g_free (kind);
  g_free (word);
  return nearest;
}

/* The correct header, without brackets. To be freed. */
static gchar *
make_group (const gchar * kind, const gchar * rest)
{
  return g_strv_contains (named_kinds, kind) ?
      g_strdup_printf ("%s %s", kind, *rest ? rest : "NAME") : g_strdup (kind);
}

static gboolean
is_group (const gchar * group)
{
  guint i;

  for (i = 0; i < N_GROUPS; i++)
    if (g_str_equal (groups[i].name, group))
      return TRUE;
  return find_named_group (group, NULL) >= 0;
}

/* Reports unknown groups. Their keys are read as keys of the most similar
 * group, so that their errors are reported as well. */
static void
refuse_groups (const Reading * reading)
{
  const gchar *kind, *rest;
  gboolean known = TRUE;
  gchar *nearest;
  guint i;

  for (i = 0; i < reading->lines->len; i++) {
    VhmKeyLine *line = g_ptr_array_index (reading->lines, i);

    if (!line->key)
      known = is_group (line->group);
    if (known)
      continue;
    kind = find_nearest_kind (line->group, &rest);
    nearest = make_group (kind ? kind : group_kinds[0], rest);
    if (!line->key && !line->refused)
      vhm_problems_error (reading->problems, reading->file, line->line,
          "[%s] is not a group: did you mean [%s]?", line->group, nearest);
    line->refused = TRUE;
    if (kind) {
      g_free (line->group);
      line->group = g_steal_pointer (&nearest);
    }
    g_free (nearest);
  }
}

/* Reads the groups without a name: [cameras], [http] and so on. */
static void
read_groups (const Reading * reading, VhmSettings * settings,
    VhmCameraSettings * defaults)
{
  const struct
  {
    gpointer target;
    guint *line;
  } targets[N_GROUPS] = {
    [GROUP_CAMERAS] = {defaults, &defaults->line},
    [GROUP_HTTP] = {&settings->http, &settings->http.line},
    [GROUP_STORE] = {&settings->store, &settings->store.line},
    [GROUP_MQTT] = {settings->mqtt, &settings->mqtt->line},
  };
  gboolean has_mqtt = FALSE;
  guint i, j;

  for (i = 0; i < reading->lines->len; i++) {
    const VhmKeyLine *line = g_ptr_array_index (reading->lines, i);

    for (j = 0; j < N_GROUPS; j++)
      if (g_str_equal (groups[j].name, line->group))
        break;
    if (j < N_GROUPS && line->key)
      set_value (reading, line, groups[j].rows, targets[j].target);
    else if (j < N_GROUPS && !*targets[j].line) {
      *targets[j].line = line->line;
      has_mqtt |= j == GROUP_MQTT && !line->refused;
    }
  }
  if (has_mqtt)
    check_mqtt (reading, settings->mqtt);
}

static void
read_named_groups (const Reading * reading, VhmSettings * settings,
    const VhmCameraSettings * defaults)
{
  const GPtrArray *lines = reading->lines;
  gpointer target = NULL;
  gboolean refused = FALSE;
  const gchar *name;
  gint group = -1;
  guint i;

  for (i = 0; i <= lines->len; i++) {
    const VhmKeyLine *line = i < lines->len ?
        g_ptr_array_index (lines, i) : NULL;

    if (line && line->key) {
      if (target)
        set_value (reading, line, named_groups[group].rows, target);
      continue;
    }
    /* A group starts, or the file ends. */
    if (target && !refused)
      named_groups[group].check (reading, defaults->line, target);
    target = NULL;
    group = line ? find_named_group (line->group, &name) : -1;
    if (group >= 0) {
      refused = line->refused;
      if (!refused)
        named_groups[group].check_name (settings, reading, line->line, name);
      target = named_groups[group].add (settings, line->line, defaults, name);
    }
  }
}

static void
read_file (const Reading * reading, VhmSettings * settings,
    VhmCameraSettings * defaults)
{
  const guint errors = reading->problems->errors;

  refuse_groups (reading);
  read_groups (reading, settings, defaults);
  read_named_groups (reading, settings, defaults);
  if (!settings->cameras->len && reading->problems->errors == errors)
    vhm_problems_warn (reading->problems, reading->file, 0, "no cameras: "
        "add a group such as [camera door] with uri=rtsp://192.0.2.1/stream");
}

/* [NAME=]SOURCE. Only letters, digits, - _ and . before the = make it a name,
 * since addresses can contain a =. */
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
  check_camera_name (settings, reading, 0, name);
  camera = add_camera (settings, 0, defaults, name);
  why = vhm_address_parse (source, reading->folder, &camera->uri);
  check_interval (reading, defaults->line, camera);
  if (why)
    vhm_problems_error (reading->problems, reading->file, 0, "camera %s: %s",
        name, why);
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

/* Loads the certificate as the server does when it starts. */
static void
check_certificate (const Reading * reading, const VhmHttpSettings * http)
{
  GError *error = NULL;
  GTlsCertificate *certificate =
      g_tls_certificate_new_from_files (http->certificate, http->key, &error);
  const VhmKeyLine *line =
      vhm_key_lines_find (reading->lines, http->line, "certificate");

  if (error)
    vhm_problems_error (reading->problems, reading->file, line->line,
        "[http] certificate %s with key %s: %s", http->certificate, http->key,
        error->message);
  g_clear_error (&error);
  g_clear_object (&certificate);
}

/* An address that other machines can reach requires a certificate and a
 * secret. */
static void
check_listen (const Reading * reading, const VhmHttpSettings * http,
    const gchar * argument)
{
  const VhmKeyLine *line = argument ? NULL :
      vhm_key_lines_find (reading->lines, http->line, "listen");
  const gboolean has_certificate =
      has_key (reading, http->line, "certificate");
  const gboolean has_its_key = has_key (reading, http->line, "key");
  const gboolean has_secret = has_key (reading, http->line, "secret");

  if (!is_loopback (http->host)
      && !(has_certificate && has_its_key && has_secret))
    vhm_problems_error (reading->problems, line ? reading->file : ARGUMENTS,
        line ? line->line : 0, "listening on %s, which other machines "
        "can reach, needs%s%s%s in [http], so that only people with the secret "
        "can see the cameras", http->host,
        has_certificate ? "" : " certificate=FILE",
        has_its_key ? "" : " key=FILE", has_secret ? "" : " secret=FILE");
}

static void
check_http (const Reading * reading, const VhmHttpSettings * http,
    const gchar * listen)
{
  const VhmKeyLine *certificate =
      vhm_key_lines_find (reading->lines, http->line, "certificate");
  const VhmKeyLine *key =
      vhm_key_lines_find (reading->lines, http->line, "key");

  if (!certificate != !key)
    vhm_problems_error (reading->problems, reading->file,
        certificate ? certificate->line : key->line,
        "[http] has %s without %s: TLS needs both",
        certificate ? "certificate" : "key",
        certificate ? "key" : "certificate");
  else if (http->certificate && http->key)
    check_certificate (reading, http);
  check_listen (reading, http, listen);
}

static VhmSettings *
settings_new (void)
{
  VhmSettings *settings = g_new0 (VhmSettings, 1);

  settings->cameras = g_ptr_array_new_with_free_func ((GDestroyNotify)
      vhm_camera_settings_unref);
  settings->webhooks = g_ptr_array_new_with_free_func ((GDestroyNotify)
      vhm_webhook_settings_unref);
  settings->mqtt = new_mqtt ();
  settings->http.host = g_strdup ("127.0.0.1");
  settings->http.port = 8080;
  settings->store.directory = default_directory ();
  settings->store.pictures = 1024;
  settings->store.days = 90;
  return settings;
}

static VhmCameraSettings *
defaults_new (void)
{
  VhmCameraSettings *defaults = g_atomic_rc_box_new0 (VhmCameraSettings);

  defaults->transport = VHM_TRANSPORT_AUTO;
  defaults->latency = 0.2;
  defaults->timeout = 10;
  defaults->interval = 0.2;
  defaults->conditions = GST_VIDEO_HEALTH_CONDITIONS_ALL;
  return defaults;
}

/* Applies the arguments, which override the key file. */
static void
read_arguments (const Reading * reading, const VhmArguments * arguments,
    VhmSettings * settings, const VhmCameraSettings * defaults)
{
  const VhmKeyLine listen = { 0, NULL, (gchar *) "listen", arguments->listen };
  guint i;

  if (arguments->listen)
    set_value (reading, &listen, http_rows, &settings->http);
  if (arguments->directory) {
    g_free (settings->store.directory);
    settings->store.directory = g_canonicalize_filename (arguments->directory,
        reading->folder);
    settings->store.line = 0;
  }
  for (i = 0; arguments->sources && arguments->sources[i]; i++)
    read_source (reading, arguments->sources[i], settings, defaults);
}

VhmSettings *
vhm_settings_read (const VhmArguments * arguments, VhmProblems * problems)
{
  VhmCameraSettings *defaults = defaults_new ();
  VhmSettings *settings = settings_new ();
  gchar *working = g_get_current_dir ();
  gchar *path = g_canonicalize_filename (arguments->config ? arguments->config
      : ".", working);
  Reading reading = { arguments->config, g_path_get_dirname (path), problems };
  Reading command_line = { ARGUMENTS, working, problems };

  if (arguments->config)
    settings->lines = vhm_key_lines_read (arguments->config, problems);
  reading.lines = command_line.lines = settings->lines;
  reading.refused = command_line.refused = g_hash_table_new (NULL, NULL);
  if (settings->lines)
    read_file (&reading, settings, defaults);
  read_arguments (&command_line, arguments, settings, defaults);
  check_http (&reading, &settings->http, arguments->listen);

  if (!settings->mqtt->line)
    g_clear_pointer (&settings->mqtt, vhm_mqtt_settings_unref);
  vhm_camera_settings_unref (defaults);
  g_hash_table_unref (reading.refused);
  g_free (reading.folder);
  g_free (path);
  g_free (working);
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
  g_free (settings->http.url);
  g_free (settings->store.directory);
  g_clear_pointer (&settings->mqtt, vhm_mqtt_settings_unref);
  g_ptr_array_unref (settings->webhooks);
  g_ptr_array_unref (settings->cameras);
  g_clear_pointer (&settings->lines, g_ptr_array_unref);
  g_free (settings);
}
