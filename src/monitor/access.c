/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "access.h"

#include <string.h>

/* libsoup has no name for it. */
#define TOO_MANY_REQUESTS 429

#define COOKIE "videohistogram-session"

#define SESSION_SECONDS (30 * 24 * 3600)

/* Attempts with a wrong secret in a minute, all together, after which nobody
 * can log in for the rest of it. */
#define MOST_FAILURES 20

struct _VhmAccess
{
  gchar *secret;                /* or NULL */
  gboolean tls;
  GHashTable *hosts;            /* that requests may be for, in lower case,
                                 * without ports */
  guint failures;
  gint64 failures_since;        /* monotonic µs */
};

/* Without the port, in lower case. To be freed. */
static gchar *
host_of (const gchar * authority)
{
  const gchar *end = *authority == '[' ? strchr (authority, ']') : NULL;
  const gchar *colon = strchr (end ? end : authority, ':');
  gchar *host = g_ascii_strdown (authority, colon ? colon - authority : -1);

  return host;
}

static void
add_host (VhmAccess * access, const gchar * host)
{
  g_hash_table_add (access->hosts, strchr (host, ':') && *host != '[' ?
      g_strdup_printf ("[%s]", host) : host_of (host));
}

VhmAccess *
vhm_access_new (const VhmHttpSettings * settings, guint16 port)
{
  static const gchar *const local[] = { "localhost", "127.0.0.1", "[::1]" };
  VhmAccess *access = g_new0 (VhmAccess, 1);
  guint i;

  (void) port;
  access->secret = g_strdup (settings->secret);
  access->tls = settings->certificate != NULL;
  access->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  for (i = 0; i < G_N_ELEMENTS (local); i++)
    add_host (access, local[i]);
  add_host (access, settings->host);
  for (i = 0; settings->hosts && settings->hosts[i]; i++)
    add_host (access, settings->hosts[i]);
  return access;
}

void
vhm_access_free (VhmAccess * access)
{
  g_free (access->secret);
  g_hash_table_unref (access->hosts);
  g_free (access);
}

gboolean
vhm_access_needs_secret (const VhmAccess * access)
{
  return access->secret != NULL;
}

/* Takes as long for any two texts of these lengths. */
static gboolean
is_same (const gchar * a, const gchar * b)
{
  const gsize length = strlen (a);
  guint difference = length != strlen (b);
  gsize i;

  for (i = 0; i < length && b[i]; i++)
    difference |= a[i] ^ b[i];
  return !difference;
}

/* The name of a session that ends at @end: nobody can make one without the
 * secret, and nobody can learn the secret from one. */
static gchar *
make_session (const VhmAccess * access, gint64 end)
{
  gchar *text = g_strdup_printf ("%" G_GINT64_FORMAT, end);
  gchar *signature = g_compute_hmac_for_string (G_CHECKSUM_SHA256,
      (const guchar *) access->secret, strlen (access->secret), text, -1);
  gchar *session = g_strconcat (text, ".", signature, NULL);

  g_free (text);
  g_free (signature);
  return session;
}

static gboolean
is_session (const VhmAccess * access, const gchar * session)
{
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  const gint64 end = g_ascii_strtoll (session, NULL, 10);
  gchar *expected;
  gboolean is;

  if (end < now || end > now + SESSION_SECONDS)
    return FALSE;
  expected = make_session (access, end);
  is = is_same (expected, session);
  g_free (expected);
  return is;
}

static gboolean
has_session (const VhmAccess * access, SoupMessageHeaders * headers)
{
  const gchar *header = soup_message_headers_get_list (headers, "Cookie");
  gchar **cookies = g_strsplit (header ? header : "", ";", 32);
  gboolean has = FALSE;
  guint i;

  for (i = 0; cookies[i] && !has; i++) {
    const gchar *cookie = g_strstrip (cookies[i]);

    has = g_str_has_prefix (cookie, COOKIE "=")
        && is_session (access, cookie + strlen (COOKIE "="));
  }
  g_strfreev (cookies);
  return has;
}

/* Whether another attempt is allowed now. */
static gboolean
may_try (VhmAccess * access)
{
  const gint64 now = g_get_monotonic_time ();

  if (now - access->failures_since > G_TIME_SPAN_MINUTE) {
    access->failures = 0;
    access->failures_since = now;
  }
  return access->failures < MOST_FAILURES;
}

static guint
check_secret (VhmAccess * access, const gchar * secret)
{
  if (!may_try (access))
    return TOO_MANY_REQUESTS;
  if (is_same (access->secret, secret))
    return 0;
  access->failures++;
  return SOUP_STATUS_UNAUTHORIZED;
}

static guint
check_login (VhmAccess * access, SoupMessageHeaders * headers)
{
  const gchar *header = soup_message_headers_get_one (headers,
      "Authorization");

  if (!access->secret)
    return 0;
  if (header && !g_ascii_strncasecmp (header, "Bearer ", 7))
    return check_secret (access, header + 7 + strspn (header + 7, " "));
  return has_session (access, headers) ? 0 : SOUP_STATUS_UNAUTHORIZED;
}

/* Browsers leave the port of the scheme out; a proxy may name it. */
static gboolean
is_origin_of (const gchar * origin, const gchar * authority)
{
  static const gchar *const ports[][2] = {
    {"https://", ":443"}, {"http://", ":80"}
  };
  const gchar *host = strstr (origin, "://");
  gsize length = strlen (authority);
  guint i;

  if (!host)
    return FALSE;
  if (!g_ascii_strcasecmp (host + 3, authority))
    return TRUE;
  for (i = 0; i < G_N_ELEMENTS (ports); i++)
    if (g_str_has_prefix (origin, ports[i][0])
        && g_str_has_suffix (authority, ports[i][1])) {
      length -= strlen (ports[i][1]);
      return strlen (host + 3) == length
          && !g_ascii_strncasecmp (host + 3, authority, length);
    }
  return FALSE;
}

/* Whether the page that the request comes from is one of ours. */
static gboolean
is_own_origin (SoupMessageHeaders * headers, const gchar * authority)
{
  const gchar *origin = soup_message_headers_get_one (headers, "Origin");
  const gchar *site = soup_message_headers_get_one (headers,
      "Sec-Fetch-Site");
  const gchar *mode = soup_message_headers_get_one (headers,
      "Sec-Fetch-Mode");

  if (origin && !is_origin_of (origin, authority))
    return FALSE;
  /* A link from elsewhere may lead here; nothing else may. */
  return !site || g_str_equal (site, "same-origin")
      || g_str_equal (site, "none") || !g_strcmp0 (mode, "navigate");
}

guint
vhm_access_check (VhmAccess * access, SoupServerMessage * message,
    gboolean open, const gchar ** why)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const gchar *authority = soup_message_headers_get_one (headers, "Host");
  gchar *host = authority ? host_of (authority) : NULL;
  const gboolean known = host && g_hash_table_contains (access->hosts, host);
  guint status;

  g_free (host);
  if (!known) {
    *why = "This host is not known here: write its name into hosts= of [http].";
    return SOUP_STATUS_MISDIRECTED_REQUEST;
  }
  if (!is_own_origin (headers, authority)) {
    *why = "Pages of other sites may not ask here.";
    return SOUP_STATUS_FORBIDDEN;
  }
  status = open ? 0 : check_login (access, headers);
  *why = status == SOUP_STATUS_UNAUTHORIZED ? "Log in first."
      : "There were too many attempts: wait for a minute.";
  return status;
}

static void
set_cookie (const VhmAccess * access, SoupServerMessage * message,
    const gchar * value, gint seconds)
{
  gchar *cookie = g_strdup_printf (COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; "
      "SameSite=Strict%s", value, seconds, access->tls ? "; Secure" : "");

  soup_message_headers_append (soup_server_message_get_response_headers
      (message), "Set-Cookie", cookie);
  g_free (cookie);
}

guint
vhm_access_log_in (VhmAccess * access, SoupServerMessage * message,
    const gchar * secret)
{
  guint status = access->secret ? check_secret (access, secret ? secret : "")
      : 0;
  gchar *session;

  if (status || !access->secret)
    return status;
  session = make_session (access, g_get_real_time () / G_USEC_PER_SEC
      + SESSION_SECONDS);
  set_cookie (access, message, session, SESSION_SECONDS);
  g_free (session);
  return 0;
}

void
vhm_access_log_out (VhmAccess * access, SoupServerMessage * message)
{
  set_cookie (access, message, "", 0);
}
