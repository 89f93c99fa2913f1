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

/* Names are parts of addresses, topics and labels. */
#define MOST_NAME_BYTES 64
#define LEAST_SECRET_BYTES 16

/* They are known from what frames that follow each other have, and from
 * nothing else: docs/videohealth.md says how many they need. */
#define OF_EVERY_FRAME (GST_VIDEO_HEALTH_CONDITIONS_FLASHING | \
    GST_VIDEO_HEALTH_CONDITIONS_BANDING)

#define SIGNING_PREFIX "whsec_"

/* What a value is part of. */
typedef struct
{
  const gchar *file;
  gchar *folder;                /* that relative files are in */
  VhmProblems *problems;
  const GPtrArray *lines;       /* of the file */
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

/* A file that is read. */
static gchar *
parse_input (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *why = parse_file (reading, row, value, field);
  const gchar *path = *(gchar **) field;
  FILE *file;

  if (why)
    return why;
  file = g_fopen (path, "rbe");
  /* A folder can be opened, but not read. */
  if (!file || (fgetc (file) == EOF && ferror (file)))
    why = g_strdup_printf ("%s: %s", path, g_strerror (errno));
  else if (feof (file))
    why = g_strdup_printf ("%s: it is empty", path);
  if (file)
    fclose (file);
  return why;
}

/* A private key, as other secrets. */
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
    vhm_problems_warn (reading->problems, reading->file, 0, "key %s: %s", path,
        risk);
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
    return g_strdup_printf ("\"%s\" is not allowed: it must be a number of "
        "seconds from %g to %g", value, row->least, row->most);
  *(gdouble *) field = number;
  return NULL;
}

/* As the elements take it, in ns. */
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
    return g_strdup_printf ("\"%s\" is not allowed: it is in seconds, and "
        "less than a millisecond: set 0.001 or more, or 0 for every frame",
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

/* They refine those of [cameras], together with which they have to be right:
 * enter of one may go with leave of the other. */
static gchar *
parse_rules (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *refined = vhm_rules_refine (*(gchar **) field, value);
  gchar *why = parse_for_health (refined, field, gst_video_health_set_rules);

  (void) reading;
  (void) row;
  g_free (refined);
  return why;
}

static gchar *
parse_ignore (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  (void) reading;
  (void) row;
  return parse_for_health (value, field, gst_video_health_set_ignored);
}

/* Adds what @name stands for to @camera, or with TRUE in @without takes it
 * out. Returns FALSE if it is unknown. */
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

static gchar *
refuse_conditions (const gchar * why)
{
  GString *text = g_string_new (why);
  guint i;

  g_string_append (text, ": it must be all, or some of");
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_string_append_printf (text, " %s",
        gst_video_health_condition_get_name (i));
  g_string_append (text, ", with ; in between; -NAME leaves one out, as in "
      "all;-monochrome");
  return g_string_free (text, FALSE);
}

/* A list that begins with a sign changes what [cameras] has. */
static gchar *
parse_conditions (const Reading * reading, const Row * row,
    const gchar * value, gpointer field)
{
  VhmCameraSettings *camera = field;
  VhmCameraSettings changed = *camera;
  gchar **names = g_regex_split_simple ("[;, \\t]+|(?<=[^;, \\t])\\+", value, 0,
      0);
  gchar *unknown = NULL, *why = NULL;
  guint i;

  (void) reading;
  (void) row;
  if (*value != '-' && *value != '+')
    changed.conditions = changed.named = 0;
  for (i = 0; names[i] && !unknown; i++) {
    const gboolean has_sign = *names[i] == '-' || *names[i] == '+';

    if (*names[i] && !change_conditions (&changed, names[i] + has_sign,
            *names[i] == '-'))
      unknown = g_strdup_printf ("\"%s\" is not a condition",
          names[i] + has_sign);
  }
  if (unknown || !changed.conditions)
    why = refuse_conditions (unknown ? unknown : "no condition is left");
  else {
    camera->conditions = changed.conditions;
    camera->named = changed.named;
  }
  g_free (unknown);
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

      for (; hosts[i]; i++)
        g_free (hosts[i]);
      hosts[n] = NULL;
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

/* Of user and password, which follow each other. */
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
    return g_strdup_printf ("%s: it must have one line, user:password", value);
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
    why = g_strdup ("it has a user or a password, which others could read: "
        "write user:password into a file that only you can read, and name it "
        "with credentials=FILE");
  else if (!scheme || !*host || *path
      || !(g_str_equal (scheme, "mqtt") || g_str_equal (scheme, "mqtts")))
    why = g_strdup ("it must be mqtt://HOST or, with TLS, mqtts://HOST; where "
        "the port is not 1883 or 8883, with :PORT after it");
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
    return g_strdup_printf ("\"%s\" is not allowed: it must be the beginning "
        "of topics, such as site1 or fleet/site1, of 1 to %d bytes, without # "
        "and +", value, MOST_NAME_BYTES);
  g_free (*(gchar **) field);
  *(gchar **) field = g_strdup (value);
  return NULL;
}

static gchar *
parse_url (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL;
  gchar *why = NULL;

  (void) reading;
  (void) row;
  /* As libsoup parses it. */
  if (!g_uri_split (value, G_URI_FLAGS_ENCODED_PATH |
          G_URI_FLAGS_ENCODED_QUERY | G_URI_FLAGS_SCHEME_NORMALIZE, &scheme,
          &userinfo, &host, NULL, NULL, NULL, NULL, NULL)
      || !scheme || !host || !*host
      || !(g_str_equal (scheme, "http") || g_str_equal (scheme, "https")))
    why = g_strdup ("it must be an address such as "
        "https://alarms.example.org/cameras");
  else if (userinfo)
    why = g_strdup ("it has a user or a password, which is not sent: "
        "take them out");
  else {
    g_free (*(gchar **) field);
    *(gchar **) field = g_strdup (value);
  }
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  return why;
}

/* It ends with a slash: names of cameras follow. */
static gchar *
parse_page (const Reading * reading, const Row * row, const gchar * value,
    gpointer field)
{
  gchar *url = NULL;
  gchar *why = parse_url (reading, row, value, &url);

  if (!why && strpbrk (url, "?#"))
    why = g_strdup ("it must be the address of the page with all cameras, "
        "such as https://wall.example.org/");
  if (!why) {
    g_free (*(gchar **) field);
    *(gchar **) field = g_strconcat (url, g_str_has_suffix (url, "/") ? ""
        : "/", NULL);
  }
  g_free (url);
  return why;
}

/* As the Standard Webhooks have it. */
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
    return g_strdup_printf ("%s: it must have one line, " SIGNING_PREFIX
        " and %d bytes or more in base64, such as "
        "\"echo " SIGNING_PREFIX "$(openssl rand -base64 32)\" prints", value,
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

/* The groups that there is one of each. [cameras] has what holds for each
 * camera that does not say otherwise: all but its uri. */
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

/* Groups by the word that they begin with: those with a name, and all. */
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

/* Whether the group that begins at @line has @key. What is wrong with that is
 * said there: it is not missing. */
static gboolean
has_key (const Reading * reading, guint line, const gchar * key)
{
  gboolean inside = FALSE;
  guint i;

  for (i = 0; i < reading->lines->len; i++) {
    const VhmKeyLine *l = g_ptr_array_index (reading->lines, i);

    if (!l->key)
      inside = l->line == line;
    else if (inside && g_str_equal (l->key, key))
      return TRUE;
  }
  return FALSE;
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
      "\"%s\" is not allowed as the name of a %s: it must have 1 to %d "
      "bytes, and no / # + \" \\ or control characters", name, of,
      MOST_NAME_BYTES);
  return FALSE;
}

/* A camera with the defaults and this name, or NULL. */
static gpointer
add_camera (VhmSettings * settings, const Reading * reading, guint line,
    const VhmCameraSettings * defaults, const gchar * name)
{
  VhmCameraSettings *camera;

  if (!check_name (reading, line, "camera", name))
    return NULL;
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

static gboolean
has_rule (const VhmCameraSettings * camera, const gchar * condition)
{
  gchar *pattern = g_strdup_printf ("(^|;)\\s*%s\\s*,", condition);
  const gboolean has = camera->rules
      && g_regex_match_simple (pattern, camera->rules, 0, 0);

  g_free (pattern);
  return has;
}

/* With an interval some conditions cannot be judged: they are left out, unless
 * somebody relies on them. */
static void
check_interval (const Reading * reading, guint line,
    VhmCameraSettings * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);
    const guint condition = 1 << i;

    if (!(camera->interval > 0 && camera->conditions & condition
            & OF_EVERY_FRAME))
      continue;
    if (camera->named & condition)
      vhm_problems_error (reading->problems, reading->file, line,
          "camera %s: %s needs every frame, and interval=%g leaves most of "
          "them out: set interval=0, or take %s out of conditions",
          camera->name, name, camera->interval, name);
    else if (has_rule (camera, name))
      vhm_problems_warn (reading->problems, reading->file, line,
          "camera %s is not judged by %s, which rules have, since it needs "
          "every frame, and interval=%g leaves most of them out: set "
          "interval=0", camera->name, name, camera->interval);
    camera->conditions &= ~condition;
  }
}

static void
check_camera (const Reading * reading, guint line, gpointer target)
{
  VhmCameraSettings *camera = target;

  check_interval (reading, line, camera);
  if (!camera->uri && !has_key (reading, line, "uri"))
    vhm_problems_error (reading->problems, reading->file, line,
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

/* One with this name, or NULL. */
static gpointer
add_webhook (VhmSettings * settings, const Reading * reading, guint line,
    const VhmCameraSettings * defaults, const gchar * name)
{
  VhmWebhookSettings *webhook;

  (void) defaults;
  if (!check_name (reading, line, "webhook", name))
    return NULL;
  if (has_webhook (settings, name)) {
    vhm_problems_error (reading->problems, reading->file, line,
        "there is a webhook %s already: give this one another name", name);
    return NULL;
  }
  webhook = g_atomic_rc_box_new0 (VhmWebhookSettings);
  webhook->name = g_strdup (name);
  webhook->timeout = 10;
  webhook->expire = 86400;
  g_ptr_array_add (settings->webhooks, webhook);
  return webhook;
}

static void
check_webhook (const Reading * reading, guint line, gpointer target)
{
  const VhmWebhookSettings *webhook = target;

  if (!webhook->url && !has_key (reading, line, "url"))
    vhm_problems_error (reading->problems, reading->file, line,
        "webhook %s has no url: add a line such as "
        "url=https://alarms.example.org/cameras", webhook->name);
  if (!webhook->secret && !has_key (reading, line, "secret"))
    vhm_problems_error (reading->problems, reading->file, line,
        "webhook %s has no secret: add a line secret=FILE, whose file has what "
        "\"echo " SIGNING_PREFIX "$(openssl rand -base64 32)\" prints",
        webhook->name);
}

/* The groups that there are many of, each with a name. */
static const struct
{
  const gchar *prefix;
  const Row *rows;
  gpointer (*add) (VhmSettings * settings, const Reading * reading, guint line,
      const VhmCameraSettings * defaults, const gchar * name);
  /* Once all lines of the group have been read. */
  void (*check) (const Reading * reading, guint line, gpointer target);
} named_groups[] = {
  {"camera ", camera_rows, add_camera, check_camera},
  {"webhook ", webhook_rows, add_webhook, check_webhook},
};

/* Which of them @group is, or -1. Sets @name, which may be NULL. */
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

/* What one key alone does not tell. */
static void
check_mqtt (const Reading * reading, guint line, const VhmMqttSettings * mqtt)
{
  VhmProblems *problems = reading->problems;

  if (!mqtt->host) {
    if (!has_key (reading, line, "broker"))
      vhm_problems_error (problems, reading->file, line,
          "[mqtt] has no broker: add a line such as broker=mqtt://127.0.0.1");
  } else if (!mqtt->tls && (mqtt->ca || mqtt->certificate || mqtt->key))
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has files for TLS, which mqtt:// does without: write "
        "broker=mqtts://%s", mqtt->host);
  else if (!mqtt->tls && mqtt->password && !is_loopback (mqtt->host))
    vhm_problems_warn (problems, reading->file, line,
        "the password goes to %s without TLS, for others to read on the way: "
        "write broker=mqtts://%s if it can do that", mqtt->host, mqtt->host);
  if (!mqtt->certificate != !mqtt->key)
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has %s without %s: there must be both or none",
        mqtt->certificate ? "certificate" : "key",
        mqtt->certificate ? "key" : "certificate");
}

/* What the group may have been meant to be: case and what stands between the
 * kind and the name do not count. To be freed. */
static gchar *
find_nearest_group (const gchar * group)
{
  const gchar *rest = group + strspn (group, LETTERS);
  gchar *word = g_strndup (group, rest - group);
  gchar *kind = g_ascii_strdown (word, -1), *result;
  const gchar *nearest;

  rest += strcspn (rest, LETTERS DIGITS);
  nearest = vhm_nearest_name (kind, *rest ? named_kinds : group_kinds);
  if (!nearest)
    nearest = vhm_nearest_name (kind, group_kinds);
  if (!nearest)
    nearest = group_kinds[0];
  if (g_strv_contains (named_kinds, nearest))
    result = g_strdup_printf ("%s %s", nearest, *rest ? rest : "NAME");
  else
    result = g_strdup (nearest);
  g_free (kind);
  g_free (word);
  return result;
}

static void
refuse_group (const Reading * reading, const VhmKeyLine * line)
{
  gchar *nearest = find_nearest_group (line->group);

  vhm_problems_error (reading->problems, reading->file, line->line,
      "[%s] is not a group: did you mean [%s]?", line->group, nearest);
  g_free (nearest);
}

/* All of [cameras], [http] and so on, and which groups there are not. */
static void
read_groups (const Reading * reading, const GPtrArray * lines,
    VhmSettings * settings, VhmCameraSettings * defaults)
{
  const gpointer targets[N_GROUPS] = {
    [GROUP_CAMERAS] = defaults,
    [GROUP_HTTP] = &settings->http,
    [GROUP_STORE] = &settings->store,
    [GROUP_MQTT] = settings->mqtt,
  };
  guint i, j, mqtt_line = 0;

  for (i = 0; i < lines->len; i++) {
    const VhmKeyLine *line = g_ptr_array_index (lines, i);

    if (find_named_group (line->group, NULL) >= 0)
      continue;
    for (j = 0; j < N_GROUPS; j++)
      if (g_str_equal (groups[j].name, line->group))
        break;
    if (j == GROUP_MQTT && !line->key)
      mqtt_line = line->line;
    if (j < N_GROUPS && line->key)
      set_value (reading, line, groups[j].rows, targets[j]);
    else if (j == N_GROUPS && !line->key)
      refuse_group (reading, line);
  }
  if (mqtt_line)
    check_mqtt (reading, mqtt_line, settings->mqtt);
}

static void
read_named_groups (const Reading * reading, const GPtrArray * lines,
    VhmSettings * settings, const VhmCameraSettings * defaults)
{
  gpointer target = NULL;
  const gchar *name;
  guint i, group_line = 0;
  gint group = -1;

  for (i = 0; i <= lines->len; i++) {
    const VhmKeyLine *line = i < lines->len ?
        g_ptr_array_index (lines, i) : NULL;

    if (line && line->key) {
      if (target)
        set_value (reading, line, named_groups[group].rows, target);
      continue;
    }
    /* A group begins, or all have ended. */
    if (target)
      named_groups[group].check (reading, group_line, target);
    target = NULL;
    group = line ? find_named_group (line->group, &name) : -1;
    if (group >= 0) {
      group_line = line->line;
      target = named_groups[group].add (settings, reading, group_line,
          defaults, name);
    }
  }
}

static void
read_file (const gchar * path, VhmSettings * settings,
    VhmCameraSettings * defaults, VhmProblems * problems)
{
  GPtrArray *lines = vhm_key_lines_read (path, problems);
  gchar *absolute = g_canonicalize_filename (path, NULL);
  Reading reading = { path, g_path_get_dirname (absolute), problems, lines };
  guint errors = problems->errors;

  if (lines) {
    read_groups (&reading, lines, settings, defaults);
    /* Each camera would repeat what is wrong with the defaults otherwise. */
    read_named_groups (&reading, lines, settings, defaults);
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
  if (camera)
    check_interval (reading, 0, camera);
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

/* As it is loaded when the program starts. */
static void
check_certificate (const VhmHttpSettings * http, const gchar * file,
    VhmProblems * problems)
{
  GError *error = NULL;
  GTlsCertificate *certificate =
      g_tls_certificate_new_from_files (http->certificate, http->key, &error);

  if (error)
    vhm_problems_error (problems, file, 0, "certificate %s with key %s: %s",
        http->certificate, http->key, error->message);
  g_clear_error (&error);
  g_clear_object (&certificate);
}

/* Elsewhere than on this machine itself both a certificate and a secret are
 * needed. */
static void
check_http (const VhmHttpSettings * http, const gchar * file,
    VhmProblems * problems)
{
  if (!http->certificate != !http->key)
    vhm_problems_error (problems, file, 0,
        "[http] has %s without %s: TLS needs both",
        http->certificate ? "certificate" : "key",
        http->certificate ? "key" : "certificate");
  else if (http->certificate)
    check_certificate (http, file, problems);
  if (!is_loopback (http->host)
      && !(http->certificate && http->key && http->secret))
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
  Reading reading = { ARGUMENTS, g_get_current_dir (), problems, NULL };
  const VhmKeyLine listen = { 0, NULL, (gchar *) "listen", arguments->listen };
  guint i;

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

  if (!settings->mqtt->host)
    g_clear_pointer (&settings->mqtt, vhm_mqtt_settings_unref);
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
  g_free (settings->http.url);
  g_free (settings->store.directory);
  g_clear_pointer (&settings->mqtt, vhm_mqtt_settings_unref);
  g_ptr_array_unref (settings->webhooks);
  g_ptr_array_unref (settings->cameras);
  g_free (settings);
}
