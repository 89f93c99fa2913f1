/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "http.h"

#include "access.h"
#include "answer.h"
#include "api.h"
#include "connections.h"
#include "eventstream.h"
#include "metrics.h"
#include "picturestream.h"
#include "snapshots.h"
#include "storedactions.h"
#include "turns.h"
#include "wall.h"

#include <string.h>

/* No request needs a longer body. */
#define MAX_BODY_BYTES 4096

/* Fields of the login form. */
#define LOGIN_FIELDS "user secret"

#define API "/api/v1/"

#define NO_SUCH_PATH "no such path. / is the page with all cameras, and " API \
    "openapi.json lists the paths of the API."

struct _VhmHttp
{
  SoupServer *server;
  VhmConnections *connections;
  VhmAccess *access;
  VhmEventStream *events;
  VhmPictureStream *pictures;
  VhmSnapshots *snapshots;
  VhmTurns *turns;
  VhmFleet *fleet;
  VhmOutputs *outputs;
  gchar *address;
  gchar *page;                  /* as vhm_http_get_page() returns it */
};

/* Headers of every answer: load nothing from other sites, cache nothing, forbid
 * framing. The icon that counts alarms is a blob. Referrer-Policy is not
 * no-referrer, because then browsers would send "Origin: null" with our own
 * forms, as with cross-site ones. */
static const gchar *const headers[][2] = {
  {"Content-Security-Policy", "default-src 'none'; script-src 'self'; "
        "style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        "manifest-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
  {"X-Content-Type-Options", "nosniff"},
  {"X-Frame-Options", "DENY"},
  {"Referrer-Policy", "same-origin"},
  {"Cross-Origin-Resource-Policy", "same-origin"},
  {"Cross-Origin-Opener-Policy", "same-origin"},
  {"Cache-Control", "no-store"},
  /* connections.c replaces it if the connection stays open. */
  {"Connection", "close"},
};

/* Pages */

#define JAVASCRIPT "text/javascript; charset=utf-8"

/* @open: served without login. */
static const struct
{
  const gchar *path;
  const gchar *file;
  const gchar *type;
  gboolean open;
} files[] = {
  {"/", "index.html", "text/html; charset=utf-8", FALSE},
  {"/acknowledge.js", "acknowledge.js", JAVASCRIPT, FALSE},
  {"/app.js", "app.js", JAVASCRIPT, FALSE},
  {"/attention.js", "attention.js", JAVASCRIPT, FALSE},
  {"/camera.js", "camera.js", JAVASCRIPT, FALSE},
  {"/compare.js", "compare.js", JAVASCRIPT, FALSE},
  {"/conditions.js", "conditions.js", JAVASCRIPT, FALSE},
  {"/counts.js", "counts.js", JAVASCRIPT, FALSE},
  {"/dom.js", "dom.js", JAVASCRIPT, FALSE},
  {"/events.js", "events.js", JAVASCRIPT, FALSE},
  {"/notices.js", "notices.js", JAVASCRIPT, FALSE},
  {"/outages.js", "outages.js", JAVASCRIPT, FALSE},
  {"/overview.js", "overview.js", JAVASCRIPT, FALSE},
  {"/pictures.js", "pictures.js", JAVASCRIPT, FALSE},
  {"/snooze.js", "snooze.js", JAVASCRIPT, FALSE},
  {"/state.js", "state.js", JAVASCRIPT, FALSE},
  {"/stream.js", "stream.js", JAVASCRIPT, FALSE},
  {"/strips.js", "strips.js", JAVASCRIPT, FALSE},
  {"/tile.js", "tile.js", JAVASCRIPT, FALSE},
  {"/timeline.js", "timeline.js", JAVASCRIPT, FALSE},
  {"/wall.js", "wall.js", JAVASCRIPT, FALSE},
  {"/words.js", "words.js", JAVASCRIPT, FALSE},
  {"/wall.css", "wall.css", "text/css; charset=utf-8", TRUE},
  {"/manifest.json", "manifest.json", "application/manifest+json", TRUE},
  {"/icon.svg", "icon.svg", "image/svg+xml", TRUE},
  {"/icon.png", "icon.png", "image/png", TRUE},
  {"/login", "login.html", "text/html; charset=utf-8", TRUE},
  {"/login.js", "login.js", JAVASCRIPT, TRUE},
  {API "openapi.json", "openapi.json", "application/json", FALSE},
};

static void
send_file (SoupServerMessage * message, guint file)
{
  gchar *path = g_strconcat ("/wall/", files[file].file, NULL);
  GBytes *bytes = g_resource_lookup_data (wall_get_resource (), path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  vhm_answer_bytes (message, files[file].type, bytes);
  g_bytes_unref (bytes);
  g_free (path);
}

static gboolean
is_read (SoupServerMessage * message)
{
  const gchar *method = soup_server_message_get_method (message);

  return g_str_equal (method, "GET") || g_str_equal (method, "HEAD");
}

static void
send_health (VhmHttp * http, SoupServerMessage * message)
{
  const gchar *trouble =
      vhm_store_get_trouble (vhm_fleet_get_store (http->fleet));

  vhm_answer_text (message, VHM_PLAIN_TEXT, trouble ?
      g_strdup_printf ("events cannot be stored: %s\n", trouble) :
      g_strdup ("ok\n"));
  if (trouble)
    soup_server_message_set_status (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        NULL);
}

static void
send_metrics (VhmHttp * http, SoupServerMessage * message)
{
  vhm_answer_text (message, "text/plain; version=0.0.4; charset=utf-8",
      vhm_metrics_make (http->fleet, http->outputs));
}

static void
send_events (VhmHttp * http, SoupServerMessage * message)
{
  const gchar *last = soup_message_headers_get_one
      (soup_server_message_get_request_headers (message), "Last-Event-ID");
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  GHashTable *form = query ? soup_form_decode (query) : NULL;
  guint64 after;

  /* An invalid number counts as 0: the client has not received any event. */
  if (!last || !g_ascii_string_to_unsigned (last, 10, 0, G_MAXINT64, &after,
          NULL))
    after = 0;
  vhm_event_stream_add (http->events, message, after,
      form ? g_hash_table_lookup (form, "measured") : NULL);
  g_clear_pointer (&form, g_hash_table_unref);
}

static void
send_pictures (VhmHttp * http, SoupServerMessage * message)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  GHashTable *form = query ? soup_form_decode (query) : NULL;

  vhm_picture_stream_add (http->pictures, message, form);
  g_clear_pointer (&form, g_hash_table_unref);
}

/* @where is relative, because a proxy may use another name and scheme. */
static void
redirect_browser (SoupServerMessage * message, const gchar * where)
{
  soup_server_message_set_status (message, SOUP_STATUS_SEE_OTHER, NULL);
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Location", where);
}

static void
log_in (VhmHttp * http, SoupServerMessage * message)
{
  SoupMessageBody *body = soup_server_message_get_request_body (message);
  GBytes *bytes = soup_message_body_flatten (body);
  const gsize length = g_bytes_get_size (bytes);
  gchar *text = g_strndup (g_bytes_get_data (bytes, NULL), length);
  gchar *why = strlen (text) == length ?
      vhm_answer_check_form (text, LOGIN_FIELDS)
      : g_strdup ("Invalid form: it contains a null byte; remove it.");
  GHashTable *form;
  guint status;

  if (why)
    vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, why);
  else {
    form = soup_form_decode (text);
    status = vhm_access_log_in (http->access, message,
        g_hash_table_lookup (form, "user"),
        g_hash_table_lookup (form, "secret"));
    if (!status)
      vhm_store_add_action (vhm_fleet_get_store (http->fleet),
          vhm_action_new (vhm_access_get_user (message), VHM_ACTION_LOGIN, "",
              ""));
    redirect_browser (message, !status ? "/" :
        status == SOUP_STATUS_UNAUTHORIZED ? "/login#wrong" : "/login#wait");
    g_hash_table_unref (form);
  }
  g_free (why);
  g_free (text);
  g_bytes_unref (bytes);
}

static void
log_out (VhmHttp * http, SoupServerMessage * message)
{
  vhm_access_log_out (http->access, message);
  vhm_event_stream_check_sessions (http->events);
  vhm_picture_stream_check_sessions (http->pictures);
  redirect_browser (message, "/login");
}

static const struct
{
  const gchar *method;
  const gchar *path;
  const gchar *parameters;      /* allowed in the query */
  VhmAudience audience;
  void (*handle) (VhmHttp * http, SoupServerMessage * message);
} actions[] = {
  {"GET", "/healthz", "", VHM_FOR_ALL, send_health},
  {"GET", "/metrics", "", VHM_FOR_VIEWERS, send_metrics},
  {"GET", "/events", "measured", VHM_FOR_VIEWERS, send_events},
  {"GET", "/pictures", VHM_PICTURE_STREAM_PARAMETERS, VHM_FOR_VIEWERS,
      send_pictures},
  {"POST", "/login", "", VHM_FOR_ALL, log_in},
  {"POST", "/logout", "", VHM_FOR_VIEWERS, log_out},
};

/* Requests */

static VhmAudience
find_audience (SoupServerMessage * message, const gchar * path)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (files); i++)
    if (files[i].open && g_str_equal (path, files[i].path))
      return VHM_FOR_ALL;
  for (i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (path, actions[i].path)
        && (is_read (message) ? "GET" : "POST")[0] == *actions[i].method)
      return actions[i].audience;
  return is_read (message) ? VHM_FOR_VIEWERS : VHM_FOR_OPERATORS;
}

/* Redirects browsers to the login page; programs get an error. */
static void
refuse_stranger (SoupServerMessage * message, guint status, const gchar * why)
{
  const gchar *accept = soup_message_headers_get_list
      (soup_server_message_get_request_headers (message), "Accept");

  if (status == SOUP_STATUS_UNAUTHORIZED && accept
      && strstr (accept, "text/html")) {
    redirect_browser (message, "/login");
    return;
  }
  vhm_answer_refuse (message, status, why);
  if (status == SOUP_STATUS_UNAUTHORIZED)
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), "WWW-Authenticate", "Bearer");
}

/* Headers that must not be repeated: which one counts would be ambiguous. */
static const gchar *const single_headers[] = {
  "Host", "Content-Length", "Authorization", "Origin", "Sec-Fetch-Site",
  "Sec-Fetch-Mode", "Last-Event-ID"
};

/* Returns the status to refuse the headers with, or 0 if they are valid.
 * libsoup itself would use the last of several Host headers. */
static guint
check_headers (SoupMessageHeaders * request, const gchar ** why)
{
  guint seen[G_N_ELEMENTS (single_headers)] = { 0 };
  SoupMessageHeadersIter iter;
  const gchar *name, *value;
  guint64 length = 0;
  guint i;

  soup_message_headers_iter_init (&iter, request);
  while (soup_message_headers_iter_next (&iter, &name, &value)) {
    for (i = 0; i < G_N_ELEMENTS (single_headers); i++)
      if (!g_ascii_strcasecmp (name, single_headers[i]) && seen[i]++) {
        *why = "Repeated header: send Host, Content-Length, Authorization, "
            "Origin, Sec-Fetch-* and Last-Event-ID only once.";
        return SOUP_STATUS_BAD_REQUEST;
      }
    if (g_ascii_strcasecmp (name, "Content-Length"))
      continue;
    if (!g_ascii_string_to_unsigned (value, 10, 0, MAX_BODY_BYTES, &length,
            NULL)) {
      *why = "Request body too long: send at most " G_STRINGIFY
          (MAX_BODY_BYTES) " bytes.";
      return SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE;
    }
  }
  return 0;
}

/* Likewise for a null byte in the query: C strings end there. libsoup has
 * decoded the path, and refuses one in it. */
static guint
check_target (SoupServerMessage * message, const gchar ** why)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));

  *why = "Invalid URL: send no null byte (%00).";
  return query && strstr (query, "%00") ? SOUP_STATUS_BAD_REQUEST : 0;
}

static gboolean
has_body (SoupMessageHeaders * request)
{
  return soup_message_headers_get_encoding (request) != SOUP_ENCODING_NONE
      && soup_message_headers_get_content_length (request) != 0;
}

/* Called when the headers of a request have arrived. If they are reason enough
 * to refuse the request, refuses it at once, without reading its body. */
static void
on_headers (G_GNUC_UNUSED SoupServer * server, SoupServerMessage * message,
    const gchar * path, G_GNUC_UNUSED GHashTable * query, gpointer data)
{
  VhmHttp *http = data;
  SoupMessageHeaders *answer =
      soup_server_message_get_response_headers (message);
  SoupMessageHeaders *request =
      soup_server_message_get_request_headers (message);
  const gchar *why;
  guint status, i;

  vhm_connections_accept (message);
  for (i = 0; i < G_N_ELEMENTS (headers); i++)
    soup_message_headers_replace (answer, headers[i][0], headers[i][1]);
  /* libsoup would answer thousands of overlapping ranges. No client needs
   * ranges. */
  soup_message_headers_remove (request, "Range");
  status = check_headers (request, &why);
  if (!status)
    status = check_target (message, &why);
  if (!status)
    status = vhm_access_check (http->access, message,
        find_audience (message, path), &why);
  if (!status && is_read (message))
    vhm_connections_offer_to_stay (message);
  if (!status)
    return;
  refuse_stranger (message, status, why);
  soup_message_body_set_accumulate (soup_server_message_get_request_body
      (message), FALSE);
  if (has_body (request))
    vhm_connections_answer_now (message);
}

/* Appends @method to the list of allowed methods. */
static void
append_method (GString * methods, const gchar * method)
{
  g_string_append_printf (methods, "%s%s%s", methods->len ? ", " : "", method,
      g_str_equal (method, "GET") ? ", HEAD" : "");
}

static void
answer_api (VhmHttp * http, SoupServerMessage * message, const gchar * path)
{
  const gchar *text = g_uri_get_query (soup_server_message_get_uri (message));
  GHashTable *query = text ? soup_form_decode (text) : NULL;

  vhm_api_handle (http->fleet, http->outputs, http->snapshots, message, path,
      query);
  g_clear_pointer (&query, g_hash_table_unref);
}

static void
answer_request (gpointer data, SoupServerMessage * message)
{
  VhmHttp *http = data;
  const gchar *path = g_uri_get_path (soup_server_message_get_uri (message));
  const gchar *method = soup_server_message_get_method (message);
  GString *allowed = g_string_new (NULL);
  gboolean done = FALSE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (files) && !done; i++)
    if (g_str_equal (path, files[i].path)) {
      append_method (allowed, "GET");
      done = is_read (message);
      if (done)
        send_file (message, i);
    }
  for (i = 0; i < G_N_ELEMENTS (actions) && !done; i++)
    if (g_str_equal (path, actions[i].path)) {
      append_method (allowed, actions[i].method);
      done = g_str_equal (is_read (message) ? "GET" : method,
          actions[i].method);
      if (done && !vhm_answer_refuse_query (message, actions[i].parameters))
        actions[i].handle (http, message);
    }
  if (!done && allowed->len)
    vhm_answer_refuse_method (message, allowed->str);
  else if (!done && g_str_has_prefix (path, API))
    answer_api (http, message, path + strlen (API));
  else if (!done)
    vhm_answer_refuse_path (message, NO_SUCH_PATH);
  g_string_free (allowed, TRUE);
}

static void
on_request (G_GNUC_UNUSED SoupServer * server, SoupServerMessage * message,
    G_GNUC_UNUSED const gchar * path, G_GNUC_UNUSED GHashTable * query,
    gpointer data)
{
  VhmHttp *http = data;

  vhm_turns_add (http->turns, message, vhm_connections_get_peer (message));
}

/* Requests that libsoup never sees or rejects */

static const struct
{
  guint status;
  const gchar *why;
} refusals[] = {
  {SOUP_STATUS_NOT_FOUND, "Not found: " NO_SUCH_PATH},
  {SOUP_STATUS_REQUEST_URI_TOO_LONG, "URL too long: shorten it, or split it "
        "into several requests."},
  {VHM_STATUS_HEADERS_TOO_LARGE, "Too many or too long request headers: send "
        "fewer, or delete the cookies of this host."},
  {SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE, "Request body too long or sent with "
        "Transfer-Encoding: send a Content-Length of at most "
        G_STRINGIFY (MAX_BODY_BYTES) " bytes."},
  {SOUP_STATUS_EXPECTATION_FAILED, "Header Expect not supported: repeat the "
        "request without it."},
  {SOUP_STATUS_HTTP_VERSION_NOT_SUPPORTED, "HTTP version not supported: use "
        "HTTP/1.1."},
};

static GBytes *
refuse_unread (guint status, const gchar * line, SoupMessageHeaders * answer)
{
  const gchar *why = "Malformed request: correct the request line (two "
      "hexadecimal digits after each %) and the headers, such as "
      "Content-Length, and remove null bytes.";
  guint i;

  for (i = 0; i < G_N_ELEMENTS (headers); i++)
    soup_message_headers_append (answer, headers[i][0], headers[i][1]);
  for (i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (refusals[i].status == status)
      why = refusals[i].why;
  return vhm_answer_format_error (strstr (line, " " VHM_ALL_OF_API) != NULL,
      why, answer);
}

static gboolean
is_any_address (const gchar * host)
{
  GInetAddress *address = g_inet_address_new_from_string (host);
  const gboolean is = address && g_inet_address_get_is_any (address);

  g_clear_object (&address);
  return is;
}

VhmHttp *
vhm_http_new (const VhmHttpSettings * settings, const gchar * folder,
    VhmFleet * fleet, VhmOutputs * outputs, GError ** error)
{
  VhmHttp *http = g_new0 (VhmHttp, 1);
  guint16 port;

  http->fleet = fleet;
  http->outputs = outputs;
  http->server = soup_server_new ("server-header", "videohistogram-monitor",
      NULL);
  soup_server_add_early_handler (http->server, NULL, on_headers, http, NULL);
  soup_server_add_handler (http->server, NULL, on_request, http, NULL);
  http->connections = vhm_connections_new (http->server, refuse_unread,
      settings, error);
  if (!http->connections) {
    g_object_unref (http->server);
    g_free (http);
    return NULL;
  }
  port = vhm_connections_get_port (http->connections);
  http->access = vhm_access_new (settings, folder);
  http->events = vhm_event_stream_new (fleet, outputs, http->connections,
      http->access);
  http->pictures = vhm_picture_stream_new (fleet, http->connections,
      http->access);
  http->snapshots = vhm_snapshots_new (fleet);
  http->turns = vhm_turns_new (answer_request, http);
  http->address = g_strdup_printf (strchr (settings->host, ':') ?
      "%s://[%s]:%u/" : "%s://%s:%u/", settings->certificate ? "https" :
      "http", settings->host, port);
  http->page = g_strdup (settings->url ? settings->url
      : is_any_address (settings->host) ? NULL : http->address);
  return http;
}

void
vhm_http_set_configuration (VhmHttp * http, const gchar * file,
    const gchar * reload)
{
  vhm_event_stream_set_configuration (http->events, file, reload);
}

void
vhm_http_free (VhmHttp * http)
{
  vhm_event_stream_free (http->events);
  vhm_picture_stream_free (http->pictures);
  vhm_snapshots_free (http->snapshots);
  vhm_turns_free (http->turns);
  vhm_connections_free (http->connections);
  g_object_unref (http->server);
  vhm_access_free (http->access);
  g_free (http->address);
  g_free (http->page);
  g_free (http);
}

gchar *
vhm_http_get_address (const VhmHttp * http)
{
  return g_strdup (http->address);
}

gchar *
vhm_http_get_page (const VhmHttp * http)
{
  return g_strdup (http->page);
}
