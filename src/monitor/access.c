/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "access.h"

#include "answer.h"
#include "loginfailures.h"
#include "connections.h"
#include "peer.h"
#include "secretfile.h"
#include "sessions.h"

#include <string.h>

#define COOKIE "videohistogram-session"

/* With this prefix, which needs TLS, browsers accept the cookie only from this
 * host itself, not from other hosts of its domain. */
#define SECURE_PREFIX "__Host-"

#define SECURE_SCHEME "https://"

struct _VhmAccess
{
  gchar *secrets[VHM_N_ROLES];  /* NULL if not configured */
  gchar *user_header;           /* or NULL */
  GPtrArray *proxies;           /* of GInetAddressMask; NULL: loopback */
  gboolean tls;
  gchar *secure_host;           /* the host in url= if that has https://, in
                                 * lower case, or NULL */
  GHashTable *hosts;            /* allowed in Host, in lower case, without
                                 * ports */
  VhmSessions *sessions;        /* NULL if there is no secret */
  gchar *cookie;                /* name of the cookie; NULL without sessions */
  VhmLoginFailures *failures;
};

/* What follows the host: ":" and a port, or nothing. */
static const gchar *
find_port (const gchar * authority)
{
  const gchar *end = *authority == '[' ? strchr (authority, ']') : NULL;
  const gchar *colon = strchr (end ? end : authority, ':');

  return colon ? colon : authority + strlen (authority);
}

/* The host of @authority in lower case, without the port. To be freed. */
static gchar *
host_of (const gchar * authority)
{
  return g_ascii_strdown (authority, find_port (authority) - authority);
}

/* Likewise of what follows the scheme in an address. */
static gchar *
host_of_url (const gchar * address)
{
  gchar *authority = g_strndup (address, strcspn (address, "/"));
  gchar *host = host_of (authority);

  g_free (authority);
  return host;
}

static void
add_host (VhmAccess * access, const gchar * host)
{
  g_hash_table_add (access->hosts, strchr (host, ':') && *host != '[' ?
      g_strdup_printf ("[%s]", host) : host_of (host));
}

static gboolean
needs_secret (const VhmAccess * access)
{
  return access->secrets[VHM_ROLE_OPERATOR] != NULL;
}

static GPtrArray *
make_masks (gchar ** proxies)
{
  GPtrArray *masks = g_ptr_array_new_with_free_func (g_object_unref);
  guint i;

  /* They have been validated before. */
  for (i = 0; proxies[i]; i++)
    g_ptr_array_add (masks, g_inet_address_mask_new_from_string (proxies[i],
            NULL));
  return masks;
}

VhmAccess *
vhm_access_new (const VhmHttpSettings * settings, const gchar * folder)
{
  static const gchar *const local[] = { "localhost", "127.0.0.1", "[::1]" };
  VhmAccess *access = g_new0 (VhmAccess, 1);
  guint i;

  for (i = 0; i < VHM_N_ROLES; i++)
    access->secrets[i] = g_strdup (settings->secrets[i]);
  access->user_header = g_strdup (settings->user_header);
  access->proxies = settings->proxies ? make_masks (settings->proxies) : NULL;
  access->failures = vhm_login_failures_new ();
  access->tls = settings->certificate != NULL;
  access->secure_host = settings->url
      && g_str_has_prefix (settings->url, SECURE_SCHEME) ? host_of_url
      (settings->url + strlen (SECURE_SCHEME)) : NULL;
  if (needs_secret (access)) {
    access->sessions = vhm_sessions_new (folder, access->secrets);
    access->cookie = g_strdup_printf ("%s%s-%s", access->tls ? SECURE_PREFIX :
        "", COOKIE, vhm_sessions_get_id (access->sessions));
  }
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
  guint i;

  for (i = 0; i < VHM_N_ROLES; i++)
    vhm_secret_free (access->secrets[i]);
  g_free (access->user_header);
  g_clear_pointer (&access->proxies, g_ptr_array_unref);
  g_free (access->secure_host);
  g_hash_table_unref (access->hosts);
  if (access->sessions)
    vhm_sessions_free (access->sessions);
  g_free (access->cookie);
  vhm_login_failures_free (access->failures);
  g_free (access);
}

/* Takes a time that depends only on the lengths, and so does not reveal where
 * the texts differ. */
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

/* The token of a valid session in the cookies of @headers, to be freed, or
 * NULL. There may be many cookies, of other programs on this host. Sets @user,
 * to be freed, unless it is NULL. */
static gchar *
find_session (const VhmAccess * access, SoupMessageHeaders * headers,
    VhmUser ** user)
{
  const gchar *header = soup_message_headers_get_list (headers, "Cookie");
  const gchar *cookie = header ? header : "";
  const gsize name = strlen (access->cookie);
  gchar *token;

  while (*cookie) {
    gsize length;

    cookie += strspn (cookie, " \t;,");
    length = strcspn (cookie, ";,");
    if (length > name && cookie[name] == '='
        && !strncmp (cookie, access->cookie, name)) {
      VhmUser *found;

      token = g_strstrip (g_strndup (cookie + name + 1, length - name - 1));
      found = vhm_sessions_find (access->sessions, token);
      if (found && user)
        *user = found;
      else if (found)
        vhm_user_free (found);
      if (found)
        return token;
      g_free (token);
    }
    cookie += length;
  }
  return NULL;
}

/* The bearer token that programs send with each request, or NULL. */
static const gchar *
find_bearer (SoupMessageHeaders * headers)
{
  const gchar *header = soup_message_headers_get_one (headers,
      "Authorization");

  return header && !g_ascii_strncasecmp (header, "Bearer ", 7) ?
      header + 7 + strspn (header + 7, " ") : NULL;
}

/* Whether @secret is the one of a role, which is set in @role. */
static gboolean
find_role (const VhmAccess * access, const gchar * secret, VhmRole * role)
{
  gboolean found = FALSE;
  guint i;

  for (i = 0; i < VHM_N_ROLES; i++)
    if (access->secrets[i] && is_same (access->secrets[i], secret)) {
      *role = i;
      found = TRUE;
    }
  return found;
}

/* Returns 0 and sets @role, or the status to refuse with, and counts wrong
 * secrets. With @always, a right secret passes however many wrong ones the
 * client has sent. */
static guint
check_secret (VhmAccess * access, SoupServerMessage * message,
    const gchar * secret, gboolean always, VhmRole * role)
{
  const gchar *peer = vhm_connections_get_peer (message);
  const gboolean may_try = vhm_login_failures_may_try (access->failures, peer);

  if ((may_try || always) && find_role (access, secret, role))
    return 0;
  if (!may_try)
    return VHM_STATUS_TOO_MANY_REQUESTS;
  vhm_login_failures_add (access->failures, peer);
  return SOUP_STATUS_UNAUTHORIZED;
}

/* Whether @message comes from a proxy whose header with the user counts. */
static gboolean
is_from_proxy (const VhmAccess * access, SoupServerMessage * message)
{
  GInetAddress *peer = vhm_peer_get_address
      (soup_server_message_get_remote_address (message));
  gboolean is = peer && !access->proxies
      && g_inet_address_get_is_loopback (peer);
  guint i;

  for (i = 0; peer && access->proxies && i < access->proxies->len; i++)
    is |= g_inet_address_mask_matches (g_ptr_array_index (access->proxies, i),
        peer);
  g_clear_object (&peer);
  return is;
}

static GQuark
user_quark (void)
{
  return g_quark_from_static_string ("vhm-user");
}

/* Whether a proxy has sent several headers with the user. Which one counts
 * would be ambiguous: the first may come from the user. */
static gboolean
is_user_ambiguous (const VhmAccess * access, SoupServerMessage * message)
{
  SoupMessageHeadersIter iter;
  const gchar *name, *value;
  guint n = 0;

  if (!access->user_header || !is_from_proxy (access, message))
    return FALSE;
  soup_message_headers_iter_init (&iter,
      soup_server_message_get_request_headers (message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    n += !g_ascii_strcasecmp (name, access->user_header);
  return n > 1;
}

/* Takes @user. A proxy knows better than its user who that is. */
static void
set_user (const VhmAccess * access, SoupServerMessage * message,
    VhmUser * user)
{
  const gchar *name = access->user_header ?
      soup_message_headers_get_one (soup_server_message_get_request_headers
      (message), access->user_header) : NULL;

  if (name && is_from_proxy (access, message))
    vhm_user_set_name (user, name);
  g_object_set_qdata_full (G_OBJECT (message), user_quark (), user,
      (GDestroyNotify) vhm_user_free);
}

const VhmUser *
vhm_access_get_user (SoupServerMessage * message)
{
  return g_object_get_qdata (G_OBJECT (message), user_quark ());
}

void
vhm_access_suggest_name (SoupServerMessage * message, const gchar * name)
{
  VhmUser *user = g_object_get_qdata (G_OBJECT (message), user_quark ());

  if (!*user->name)
    vhm_user_set_name (user, name);
}

/* Returns 0 with the user of @message set, or the status to refuse with. */
static guint
check_login (VhmAccess * access, SoupServerMessage * message)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const gchar *bearer = find_bearer (headers);
  VhmRole role = VHM_ROLE_OPERATOR;
  VhmUser *user = NULL;
  guint status = 0;

  if (!needs_secret (access))
    user = vhm_user_new ("", role);
  else if (bearer) {
    status = check_secret (access, message, bearer, TRUE, &role);
    user = status ? NULL : vhm_user_new ("", role);
  } else {
    g_free (find_session (access, headers, &user));
    status = user ? 0 : SOUP_STATUS_UNAUTHORIZED;
  }
  if (user)
    set_user (access, message, user);
  return status;
}

static gboolean
has_same_port (const gchar * scheme, const gchar * a, const gchar * b)
{
  const gchar *usual = g_str_equal (scheme, "https") ? ":443" : ":80";
  const gchar *port_a = find_port (a), *port_b = find_port (b);

  return g_str_equal (*port_a ? port_a : usual, *port_b ? port_b : usual);
}

/* Whether pages with this scheme may be our own, on @host. Without TLS, a proxy
 * may provide it. If it does, plain HTTP under the same name is not our own:
 * anybody between it and the browser may have written the page. */
static gboolean
is_own_scheme (const VhmAccess * access, const gchar * scheme,
    const gchar * host)
{
  if (g_str_equal (scheme, "https"))
    return TRUE;
  return g_str_equal (scheme, "http") && !access->tls
      && g_strcmp0 (host, access->secure_host);
}

/* Whether @origin is the site @authority. Browsers omit the default port of the
 * scheme in Origin, but a proxy may add it to Host. */
static gboolean
is_origin_of (const VhmAccess * access, const gchar * origin,
    const gchar * authority)
{
  const gchar *end = strstr (origin, "://");
  gchar *scheme, *host, *of;
  gboolean is;

  if (!end)
    return FALSE;
  scheme = g_ascii_strdown (origin, end - origin);
  host = host_of (end + 3);
  of = host_of (authority);
  is = is_own_scheme (access, scheme, host) && g_str_equal (host, of)
      && has_same_port (scheme, end + 3, authority);
  g_free (of);
  g_free (host);
  g_free (scheme);
  return is;
}

/* Whether the request comes from one of our own pages. @reads: its method is
 * GET or HEAD. */
static gboolean
is_own_origin (const VhmAccess * access, SoupMessageHeaders * headers,
    const gchar * authority, gboolean reads)
{
  const gchar *origin = soup_message_headers_get_one (headers, "Origin");
  const gchar *site = soup_message_headers_get_one (headers,
      "Sec-Fetch-Site");
  const gchar *mode = soup_message_headers_get_one (headers,
      "Sec-Fetch-Mode");

  if (origin && !is_origin_of (access, origin, authority))
    return FALSE;
  /* Links from other sites are allowed, but not forms or anything else. */
  return !site || g_str_equal (site, "same-origin")
      || g_str_equal (site, "none") || (reads
      && !g_strcmp0 (mode, "navigate"));
}

/* Whether the host in the URL, if the request has an absolute one, is @host,
 * the name in its Host header. */
static gboolean
is_for_host (SoupServerMessage * message, const gchar * host)
{
  const gchar *target = g_uri_get_host (soup_server_message_get_uri (message));
  const gsize length = strlen (host);

  if (!target)
    return TRUE;
  return *host == '[' ? length == strlen (target) + 2
      && !g_ascii_strncasecmp (host + 1, target, length - 2)
      : !g_ascii_strcasecmp (host, target);
}

guint
vhm_access_check (VhmAccess * access, SoupServerMessage * message,
    VhmAudience audience, const gchar ** why)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const gchar *authority = soup_message_headers_get_one (headers, "Host");
  const gchar *method = soup_server_message_get_method (message);
  gchar *host = authority ? host_of (authority) : NULL;
  const gboolean known = host && g_hash_table_contains (access->hosts, host);
  const gboolean same = known && is_for_host (message, host);
  guint status;

  g_free (host);
  if (!known) {
    *why = "Unknown name in the Host header: use a configured name, or add "
        "this one to hosts= in [http] of the configuration.";
    return SOUP_STATUS_MISDIRECTED_REQUEST;
  }
  if (!same) {
    *why = "The URL and the Host header name different hosts: use the same "
        "name in both.";
    return SOUP_STATUS_MISDIRECTED_REQUEST;
  }
  if (!is_own_origin (access, headers, authority, g_str_equal (method, "GET")
          || g_str_equal (method, "HEAD"))) {
    *why = "Cross-site request refused: open the monitor's own page instead.";
    return SOUP_STATUS_FORBIDDEN;
  }
  if (is_user_ambiguous (access, message)) {
    *why = "Repeated header with the name of the user: configure the proxy to "
        "replace the header that clients send, not to add one.";
    return SOUP_STATUS_BAD_REQUEST;
  }
  status = audience == VHM_FOR_ALL ? 0 : check_login (access, message);
  if (!status && audience == VHM_FOR_OPERATORS
      && vhm_access_get_user (message)->role < VHM_ROLE_OPERATOR) {
    *why = "Viewers cannot change anything: log in with the secret of "
        "operators, the one in the file set with secret= in [http].";
    return SOUP_STATUS_FORBIDDEN;
  }
  *why = status == VHM_STATUS_TOO_MANY_REQUESTS ?
      "Too many wrong secrets from this address: retry in a minute."
      : find_bearer (headers) ? "Wrong secret: send the secret in the file "
      "set with secret= in [http], as Authorization: Bearer SECRET."
      : "Not logged in: log in at /login, or send Authorization: Bearer "
      "SECRET.";
  return status;
}

/* Whether the client uses TLS, as far as the program knows. */
static gboolean
is_secure (const VhmAccess * access, SoupServerMessage * message)
{
  gchar *host = host_of (soup_message_headers_get_one
      (soup_server_message_get_request_headers (message), "Host"));
  const gboolean is = access->tls || !g_strcmp0 (host, access->secure_host);

  g_free (host);
  return is;
}

static void
set_cookie (const VhmAccess * access, SoupServerMessage * message,
    const gchar * value, gint seconds)
{
  gchar *cookie = g_strdup_printf ("%s=%s; Path=/; Max-Age=%d; HttpOnly; "
      "SameSite=Strict%s", access->cookie, value, seconds,
      is_secure (access, message) ? "; Secure" : "");

  soup_message_headers_append (soup_server_message_get_response_headers
      (message), "Set-Cookie", cookie);
  g_free (cookie);
}

guint
vhm_access_log_in (VhmAccess * access, SoupServerMessage * message,
    const gchar * name, const gchar * secret)
{
  VhmRole role = VHM_ROLE_OPERATOR;
  guint status = needs_secret (access) ? check_secret (access,
      message, secret ? secret : "", FALSE, &role) : 0;
  gchar *token;

  if (status)
    return status;
  set_user (access, message, vhm_user_new (name ? name : "", role));
  if (!access->sessions)
    return 0;
  token = vhm_sessions_begin (access->sessions, vhm_access_get_user (message));
  set_cookie (access, message, token, VHM_SESSION_SECONDS);
  g_free (token);
  return 0;
}

void
vhm_access_log_out (VhmAccess * access, SoupServerMessage * message)
{
  gchar *token;

  if (!access->sessions)
    return;
  token = find_session (access,
      soup_server_message_get_request_headers (message), NULL);
  if (token)
    vhm_sessions_end (access->sessions, token);
  g_free (token);
  set_cookie (access, message, "", 0);
}

gchar *
vhm_access_get_session (const VhmAccess * access, SoupServerMessage * message)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);

  return access->sessions && !find_bearer (headers) ?
      find_session (access, headers, NULL) : NULL;
}

gboolean
vhm_access_is_session (const VhmAccess * access, const gchar * token)
{
  VhmUser *user = vhm_sessions_find (access->sessions, token);
  const gboolean is = user != NULL;

  if (user)
    vhm_user_free (user);
  return is;
}
