/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settingsserver.h"

#include "secretfile.h"

#include <gio/gio.h>
#include <string.h>

static gchar *
parse_listen (const VhmValue * value)
{
  VhmHttpSettings *http = value->group;
  const gchar *colon = strrchr (value->text, ':');
  guint64 port;
  gchar *host;

  host = colon ? g_strndup (value->text, colon - value->text) : NULL;
  if (host && *host == '[' && g_str_has_suffix (host, "]")) {
    memmove (host, host + 1, strlen (host));
    host[strlen (host) - 1] = '\0';
  } else if (host && strchr (host, ':'))
    g_clear_pointer (&host, g_free);
  if (!host || !*host
      || !g_ascii_string_to_unsigned (colon + 1, 10, 0, 65535, &port, NULL)) {
    g_free (host);
    return g_strdup_printf ("\"%s\" is not ADDRESS:PORT, such as "
        "127.0.0.1:8080 or [::1]:8080", value->text);
  }
  vhm_value_take (value, host);
  http->port = port;
  return NULL;
}

static gchar *
parse_hosts (const VhmValue * value)
{
  GString *why = g_string_new (NULL);
  gchar **hosts = g_strsplit_set (value->text, ", ", -1);
  guint i, n = 0;

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
  if (!why->len)
    vhm_value_take (value, g_steal_pointer (&hosts));
  g_strfreev (hosts);
  return g_string_free (why, !why->len);
}

static gchar *
parse_secret (const VhmValue * value)
{
  gchar *secret;
  gchar *why = vhm_value_read_secret (value, &secret);

  if (why)
    return why;
  if (strlen (secret) < VHM_MIN_SECRET_BYTES) {
    vhm_secret_free (secret);
    return g_strdup_printf ("%s: must have at least %d characters: write the "
        "output of \"openssl rand -hex 16\" into it", value->text,
        VHM_MIN_SECRET_BYTES);
  }
  vhm_value_take (value, secret);
  return NULL;
}

/* Headers with a meaning of their own: a proxy that forwards them does not say
 * who the user is. */
static const gchar *const other_headers[] = { "authorization", "connection",
  "content-length", "content-type", "cookie", "host", "last-event-id",
  "origin", NULL
};

static gchar *
parse_user_header (const VhmValue * value)
{
  gchar *lower = g_ascii_strdown (value->text, -1);
  const gboolean ok = *lower && strlen (lower) <= VHM_MAX_NAME_BYTES
      && strspn (lower, "abcdefghijklmnopqrstuvwxyz0123456789-")
      == strlen (lower) && !g_strv_contains (other_headers, lower);

  g_free (lower);
  if (!ok)
    return g_strdup_printf ("\"%s\" is not a header for the name of a user: "
        "set one that your proxy overwrites in every request, such as "
        "X-Remote-User", value->text);
  vhm_value_take (value, g_strdup (value->text));
  return NULL;
}

static gchar *
parse_proxies (const VhmValue * value)
{
  GString *why = g_string_new (NULL);
  gchar **proxies = g_strsplit_set (value->text, ", ", -1);
  guint i, n = 0;

  for (i = 0; proxies[i]; i++) {
    GInetAddressMask *mask = *proxies[i] ?
        g_inet_address_mask_new_from_string (proxies[i], NULL) : NULL;

    if (*proxies[i] && !mask)
      g_string_append_printf (why, "%s\"%s\" is not an address or network: "
          "set addresses such as 192.0.2.7, 2001:db8::7 or 192.0.2.0/24, "
          "separated by spaces", why->len ? "\n" : "", proxies[i]);
    g_clear_object (&mask);
    if (*proxies[i])
      proxies[n++] = proxies[i];
    else
      g_free (proxies[i]);
  }
  proxies[n] = NULL;
  if (!why->len && !n)
    g_string_append (why, "no address: set those of your proxies, such as "
        "192.0.2.7, or remove the line if they run on this machine");
  if (!why->len)
    vhm_value_take (value, g_steal_pointer (&proxies));
  g_strfreev (proxies);
  return g_string_free (why, !why->len);
}

/* The address gets a trailing slash, since outputs append to it. */
static gchar *
parse_page (const VhmValue * value)
{
  static const gchar wanted[] = "must be the address of the page with all "
      "cameras, such as https://wall.example.org/, without ? or #";
  gchar *url = NULL;
  gchar *why = vhm_value_read_url (value, wanted, &url);

  if (!why && strpbrk (url, "?#"))
    why = g_strdup (wanted);
  if (!why)
    vhm_value_take (value, g_strconcat (url, g_str_has_suffix (url, "/") ? ""
            : "/", NULL));
  g_free (url);
  return why;
}

/* Loads the certificate as the server does when it starts. */
static void
check_certificate (const VhmReading * reading, const VhmHttpSettings * http)
{
  GError *error = NULL;
  GTlsCertificate *certificate =
      g_tls_certificate_new_from_files (http->certificate, http->key, &error);
  const VhmKeyLine *line =
      vhm_key_lines_find (reading->lines, http->group.line, "certificate");

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
check_listen (const VhmReading * reading, const VhmHttpSettings * http,
    const gchar * argument)
{
  const VhmKeyLine *line = argument ? NULL :
      vhm_key_lines_find (reading->lines, http->group.line, "listen");
  const gboolean has_certificate =
      vhm_group_has (http, reading, "certificate");
  const gboolean has_its_key = vhm_group_has (http, reading, "key");
  const gboolean has_secret = vhm_group_has (http, reading, "secret");

  if (!vhm_host_is_loopback (http->host)
      && !(has_certificate && has_its_key && has_secret))
    vhm_problems_error (reading->problems,
        line ? reading->file : VHM_COMMAND_LINE, line ? line->line : 0,
        "listening on %s, which other machines can reach, needs%s%s%s in "
        "[http], so that only people with the secret can see the cameras",
        http->host, has_certificate ? "" : " certificate=FILE",
        has_its_key ? "" : " key=FILE", has_secret ? "" : " secret=FILE");
}

/* Checks who may log in. */
static void
check_users (const VhmReading * reading, const VhmHttpSettings * http)
{
  const gchar *viewers = http->secrets[VHM_ROLE_VIEWER];
  const gchar *operators = http->secrets[VHM_ROLE_OPERATOR];
  const VhmKeyLine *secret =
      vhm_key_lines_find (reading->lines, http->group.line, "viewer-secret");
  const VhmKeyLine *proxies =
      vhm_key_lines_find (reading->lines, http->group.line, "trusted-proxies");

  if (secret && !vhm_group_has (http, reading, "secret"))
    vhm_problems_error (reading->problems, reading->file, secret->line,
        "[http] has viewer-secret without secret: set secret=FILE as well, "
        "with the password of operators, or everybody is one");
  else if (viewers && operators && g_str_equal (viewers, operators))
    vhm_problems_error (reading->problems, reading->file, secret->line,
        "[http] has the same viewer-secret and secret: write another password "
        "into one of the files, or viewers are operators");
  if (proxies && !vhm_group_has (http, reading, "user-header"))
    vhm_problems_error (reading->problems, reading->file, proxies->line,
        "[http] has trusted-proxies without user-header: name the header in "
        "which they send the user, such as user-header=X-Remote-User");
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

static void
set_http_defaults (gpointer group)
{
  VhmHttpSettings *http = group;

  http->host = g_strdup ("127.0.0.1");
  http->port = 8080;
}

static void
set_store_defaults (gpointer group)
{
  VhmStoreSettings *store = group;

  store->directory = default_directory ();
  store->pictures = 1024;
  store->days = 90;
}

void
vhm_http_settings_check (const VhmHttpSettings * http,
    const VhmReading * reading, const gchar * listen)
{
  const VhmKeyLine *certificate =
      vhm_key_lines_find (reading->lines, http->group.line, "certificate");
  const VhmKeyLine *key =
      vhm_key_lines_find (reading->lines, http->group.line, "key");

  if (!certificate != !key)
    vhm_problems_error (reading->problems, reading->file,
        certificate ? certificate->line : key->line,
        "[http] has %s without %s: TLS needs both",
        certificate ? "certificate" : "key",
        certificate ? "key" : "certificate");
  else if (http->certificate && http->key)
    check_certificate (reading, http);
  check_users (reading, http);
  check_listen (reading, http, listen);
}

#define AT(type, field) G_STRUCT_OFFSET (type, field)

static const VhmKey http_keys[] = {
  {"listen", parse_listen, VHM_TEXT, AT (VhmHttpSettings, host)},
  {NULL, NULL, VHM_WHOLE, AT (VhmHttpSettings, port)},
  {"certificate", vhm_parse_input, VHM_TEXT,
      AT (VhmHttpSettings, certificate)},
  {"key", vhm_parse_private_key, VHM_TEXT, AT (VhmHttpSettings, key)},
  {"secret", parse_secret, VHM_SECRET,
      AT (VhmHttpSettings, secrets[VHM_ROLE_OPERATOR])},
  {"viewer-secret", parse_secret, VHM_SECRET,
      AT (VhmHttpSettings, secrets[VHM_ROLE_VIEWER])},
  {"user-header", parse_user_header, VHM_TEXT,
      AT (VhmHttpSettings, user_header)},
  {"trusted-proxies", parse_proxies, VHM_TEXTS,
      AT (VhmHttpSettings, proxies)},
  {"hosts", parse_hosts, VHM_TEXTS, AT (VhmHttpSettings, hosts)},
  {"url", parse_page, VHM_TEXT, AT (VhmHttpSettings, url)},
  {NULL}
};

const VhmGroupClass vhm_http_group = {
  .name = "http",
  .size = sizeof (VhmHttpSettings),
  .keys = http_keys,
  .set_defaults = set_http_defaults,
};

static const VhmKey store_keys[] = {
  {"directory", vhm_parse_file, VHM_TEXT, AT (VhmStoreSettings, directory)},
  {"pictures", vhm_parse_whole, VHM_WHOLE, AT (VhmStoreSettings, pictures), 0,
      1048576},
  {"days", vhm_parse_whole, VHM_WHOLE, AT (VhmStoreSettings, days), 1, 36500},
  {NULL}
};

const VhmGroupClass vhm_store_group = {
  .name = "store",
  .size = sizeof (VhmStoreSettings),
  .keys = store_keys,
  .set_defaults = set_store_defaults,
};
