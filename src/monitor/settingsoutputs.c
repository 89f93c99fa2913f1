/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settingsoutputs.h"

#include "secretfile.h"

#include <string.h>

#define SIGNING_PREFIX "whsec_"

static gchar *
parse_broker (const VhmValue * value)
{
  VhmMqttSettings *mqtt = value->group;
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL, *path = NULL;
  gchar *why = NULL;
  gint port;

  if (!g_uri_split_network (value->text, G_URI_FLAGS_NONE, &scheme, &host,
          &port, NULL)
      || !g_uri_split (value->text, G_URI_FLAGS_NONE, NULL, &userinfo, NULL,
          NULL, &path, NULL, NULL, NULL))
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
    vhm_value_take (value, g_steal_pointer (&host));
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
parse_topic (const VhmValue * value)
{
  const gchar *p;

  for (p = value->text; *p; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)) || strchr ("#+", *p))
      break;
  if (!*value->text || *p || *value->text == '$' || *value->text == '/'
      || g_str_has_suffix (value->text, "/") || strstr (value->text, "//")
      || strlen (value->text) > VHM_MAX_NAME_BYTES)
    return g_strdup_printf ("\"%s\" is not a topic prefix: set 1 to %d bytes, "
        "such as site1 or fleet/site1, without #, + or empty levels, not "
        "starting with $", value->text, VHM_MAX_NAME_BYTES);
  vhm_value_take (value, g_strdup (value->text));
  return NULL;
}

static gchar *
parse_url (const VhmValue * value)
{
  gchar *url = NULL;
  gchar *why = vhm_value_read_url (value, "must be an address such as "
      "https://alarms.example.org/cameras", &url);

  if (!why)
    vhm_value_take (value, url);
  return why;
}

/* A secret as Standard Webhooks defines it. */
static gchar *
parse_signing_secret (const VhmValue * value)
{
  gchar *secret;
  gchar *why = vhm_value_read_secret (value, &secret);
  guchar *key = NULL;
  gsize length = 0;

  if (why)
    return why;
  if (g_str_has_prefix (secret, SIGNING_PREFIX))
    key = g_base64_decode (secret + strlen (SIGNING_PREFIX), &length);
  vhm_secret_free (secret);
  if (length < VHM_MIN_SECRET_BYTES) {
    g_free (key);
    return g_strdup_printf ("%s: must be one line, " SIGNING_PREFIX
        " followed by at least %d bytes in base64: write the output of "
        "\"echo " SIGNING_PREFIX "$(openssl rand -base64 32)\" into it",
        value->text, VHM_MIN_SECRET_BYTES);
  }
  vhm_value_take (value, g_bytes_new_take (key, length));
  return NULL;
}

/* Checks the keys of [mqtt] against each other. */
static void
check_mqtt (const VhmReading * reading, gpointer group)
{
  const VhmMqttSettings *mqtt = group;
  VhmProblems *problems = reading->problems;
  const guint line = mqtt->group.line;
  const gboolean has_certificate = vhm_group_has (mqtt, reading, "certificate");
  const gboolean has_its_key = vhm_group_has (mqtt, reading, "key");

  if (!mqtt->host) {
    if (!vhm_group_has (mqtt, reading, "broker"))
      vhm_problems_error (problems, reading->file, line,
          "[mqtt] has no broker: add a line such as broker=mqtt://127.0.0.1");
  } else if (!mqtt->tls && (has_certificate || has_its_key
          || vhm_group_has (mqtt, reading, "ca")))
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has files for TLS, which mqtt:// does not use: set "
        "broker=mqtts://%s", mqtt->host);
  else if (!mqtt->tls && mqtt->password && !vhm_host_is_loopback (mqtt->host))
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

static void
check_webhook (const VhmReading * reading, gpointer group)
{
  const VhmWebhookSettings *webhook = group;

  if (!vhm_group_has (webhook, reading, "url"))
    vhm_problems_error (reading->problems, reading->file, webhook->group.line,
        "webhook %s has no url: add a line such as "
        "url=https://alarms.example.org/cameras", webhook->name);
  if (!vhm_group_has (webhook, reading, "secret"))
    vhm_problems_error (reading->problems, reading->file, webhook->group.line,
        "webhook %s has no secret: write the output of \"echo " SIGNING_PREFIX
        "$(openssl rand -base64 32)\" into a file, and set secret=FILE",
        webhook->name);
}

static void
set_mqtt_defaults (gpointer group)
{
  VhmMqttSettings *mqtt = group;

  mqtt->prefix = g_strdup ("videohistogram");
  mqtt->keepalive = 30;
}

static gchar *
describe_mqtt (gconstpointer group)
{
  const VhmMqttSettings *mqtt = group;

  return g_strdup_printf ("MQTT %s://%s:%u", mqtt->tls ? "mqtts" : "mqtt",
      mqtt->host, mqtt->port);
}

static void
set_webhook_defaults (gpointer group)
{
  VhmWebhookSettings *webhook = group;

  webhook->timeout = 10;
  webhook->expire = 86400;
}

static gchar *
describe_webhook (gconstpointer group)
{
  return g_strconcat ("webhook ", vhm_group_get_name (group), NULL);
}

#define AT(type, field) G_STRUCT_OFFSET (type, field)

static const VhmKey mqtt_keys[] = {
  {"broker", parse_broker, VHM_TEXT, AT (VhmMqttSettings, host)},
  {NULL, NULL, VHM_WHOLE, AT (VhmMqttSettings, port)},
  {NULL, NULL, VHM_WHOLE, AT (VhmMqttSettings, tls)},
  {"ca", vhm_parse_input, VHM_TEXT, AT (VhmMqttSettings, ca)},
  {"certificate", vhm_parse_input, VHM_TEXT,
      AT (VhmMqttSettings, certificate)},
  {"key", vhm_parse_private_key, VHM_TEXT, AT (VhmMqttSettings, key)},
  {"credentials", vhm_parse_credentials, VHM_SECRET,
      AT (VhmMqttSettings, user)},
  {NULL, NULL, VHM_SECRET, AT (VhmMqttSettings, password)},
  {"prefix", parse_topic, VHM_TEXT, AT (VhmMqttSettings, prefix)},
  {"discovery", parse_topic, VHM_TEXT, AT (VhmMqttSettings, discovery)},
  {"keepalive", vhm_parse_number, VHM_NUMBER, AT (VhmMqttSettings, keepalive),
      10, 3600},
  {NULL}
};

const VhmGroupClass vhm_mqtt_group = {
  .name = "mqtt",
  .size = sizeof (VhmMqttSettings),
  .keys = mqtt_keys,
  .set_defaults = set_mqtt_defaults,
  .check = check_mqtt,
  .describe = describe_mqtt,
};

static const VhmKey webhook_keys[] = {
  {NULL, NULL, VHM_TEXT, AT (VhmWebhookSettings, name)},
  {"url", parse_url, VHM_TEXT, AT (VhmWebhookSettings, url)},
  {"ca", vhm_parse_input, VHM_TEXT, AT (VhmWebhookSettings, ca)},
  {"secret", parse_signing_secret, VHM_BYTES, AT (VhmWebhookSettings, secret)},
  {"timeout", vhm_parse_number, VHM_NUMBER, AT (VhmWebhookSettings, timeout),
      1, 300},
  {"expire", vhm_parse_number, VHM_NUMBER, AT (VhmWebhookSettings, expire), 0,
      31536000},
  {NULL}
};

const VhmGroupClass vhm_webhook_group = {
  .name = "webhook",
  .size = sizeof (VhmWebhookSettings),
  .keys = webhook_keys,
  .name_offset = AT (VhmWebhookSettings, name),
  .set_defaults = set_webhook_defaults,
  .check = check_webhook,
  .describe = describe_webhook,
};
