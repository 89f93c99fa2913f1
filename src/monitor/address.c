/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "address.h"

#include "testpicture.h"

#include <string.h>

#define TEST "test:"

static gchar *
parse_test_picture (const gchar * text, gchar ** uri)
{
  const gchar *const *names = vhm_test_picture_get_names ();
  const gchar *name = text[4] ? text + 5 : names[0];
  gchar *all, *why;

  if (g_strv_contains (names, name)) {
    *uri = g_strconcat (TEST, name, NULL);
    return NULL;
  }
  all = g_strjoinv (", test:", (gchar **) names);
  why = g_strdup_printf ("not a test picture: use test:%s", all);
  g_free (all);
  return why;
}

/* Whether @scheme allows an address without a host: a file, a device, or a port
 * to listen on. */
static gboolean
may_lack_host (const gchar * scheme, gint port)
{
  return g_str_equal (scheme, "file") || g_str_equal (scheme, "v4l2")
      || (g_str_equal (scheme, "srt") && port > 0);
}

static gchar *
parse_uri (const gchar * text, gchar ** uri)
{
  gchar *scheme, *userinfo, *host;
  GError *error = NULL;
  gchar *why = NULL;
  gint port;

  if (!g_str_has_prefix (text, "file:") && strpbrk (text, " \t"))
    return g_strdup ("contains a space: write %20 for a space in the address, "
        "and put comments on lines of their own");
  if (!g_uri_split (text, G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED,
          &scheme, &userinfo, &host, &port, NULL, NULL, NULL, &error)) {
    /* GLib's message contains the address, which may contain a password. */
    g_error_free (error);
    return g_strdup ("not a valid address: write it like "
        "rtsp://192.0.2.1:554/stream");
  }
  /* GStreamer has no scheme of a single letter. */
  if (!scheme || !scheme[1])
    why = g_strdup ("does not start with a scheme: write it without quotes, "
        "like rtsp://192.0.2.1/stream");
  else if (userinfo)
    why = g_strdup ("contains a user name or password, which others could "
        "read: write user:password into a file that only you can read, and set "
        "credentials=FILE in the key file");
  else if (!host)
    why = g_strdup ("has no // after the scheme: write it like "
        "rtsp://192.0.2.1/stream");
  else if (!*host && !may_lack_host (scheme, port))
    why = g_strdup_printf ("has no host: write it like "
        "%s://192.0.2.1/stream", scheme);
  else
    *uri = g_strdup (text);
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  return why;
}

gchar *
vhm_address_parse (const gchar * text, const gchar * folder, gchar ** uri)
{
  gchar *path;

  g_clear_pointer (uri, g_free);
  if (!*text)
    return g_strdup ("no value: set an address such as "
        "rtsp://192.0.2.1/stream, a device such as /dev/video0, a file, or "
        "test");
  if (g_str_equal (text, "test") || g_str_has_prefix (text, TEST))
    return parse_test_picture (text, uri);
  if (strstr (text, "://"))
    return parse_uri (text, uri);

  path = g_canonicalize_filename (text, folder);
  if (g_str_has_prefix (path, "/dev/"))
    *uri = g_strconcat ("v4l2://", path, NULL);
  else if (g_file_test (path, G_FILE_TEST_EXISTS))
    *uri = g_filename_to_uri (path, NULL, NULL);
  g_free (path);
  /* @text is not quoted: it may contain a password. */
  return *uri ? NULL : g_strdup ("neither an address nor a file that exists: "
      "set an address such as rtsp://192.0.2.1/stream, a device such as "
      "/dev/video0, the name of a file, or test");
}

gchar *
vhm_address_describe (const gchar * uri)
{
  gchar *scheme, *host, *result;
  gint port;

  if (vhm_address_get_test_picture (uri))
    return g_strdup (uri);
  if (g_str_has_prefix (uri, "v4l2://"))
    return g_strdup (uri + strlen ("v4l2://"));
  if (!g_uri_split (uri, G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED,
          &scheme, NULL, &host, &port, NULL, NULL, NULL, NULL))
    return g_strdup ("?");
  if (g_str_equal (scheme, "file"))
    result = g_filename_from_uri (uri, NULL, NULL);
  else if (port > 0)
    result = g_strdup_printf (strchr (host, ':') ? "%s://[%s]:%d" :
        "%s://%s:%d", scheme, host, port);
  else
    result = g_strdup_printf (strchr (host, ':') ? "%s://[%s]" : "%s://%s",
        scheme, host);
  g_free (scheme);
  g_free (host);
  return result ? result : g_strdup (uri);
}

/* The path of a file or a device, to be freed; NULL for other addresses. */
static gchar *
get_path (const gchar * uri)
{
  if (g_str_has_prefix (uri, "v4l2://"))
    return g_strdup (uri + strlen ("v4l2://"));
  return g_str_has_prefix (uri, "file:") ? g_filename_from_uri (uri, NULL,
      NULL) : NULL;
}

gchar *
vhm_address_show (const gchar * uri)
{
  gchar *path = get_path (uri);
  gchar *shown = path ? g_path_get_basename (path)
      : vhm_address_describe (uri);

  g_free (path);
  return shown;
}

static void
replace_text (GString * text, const gchar * what, const gchar * by)
{
  if (what && *what)
    g_string_replace (text, what, by, 0);
}

gchar *
vhm_address_get_host (const gchar * uri)
{
  gchar *host = NULL;

  if (!g_uri_split (uri, G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED, NULL,
          NULL, &host, NULL, NULL, NULL, NULL, NULL) || !host || !*host)
    g_clear_pointer (&host, g_free);
  return host;
}

gchar *
vhm_address_hide (const gchar * uri, const gchar * password,
    const gchar * message)
{
  GString *text = g_string_new (message);
  gchar *shown = vhm_address_show (uri);
  gchar *file = get_path (uri);
  const gchar *host = strstr (uri, "://");
  const gchar *path = host ? strchr (host + 3, '/') : NULL;
  const gchar *query = strchr (uri, '?');

  if (file) {
    replace_text (text, uri, shown);
    replace_text (text, file, shown);
  } else if (!vhm_address_get_test_picture (uri)) {
    replace_text (text, uri, shown);
    if (path && path[1])
      replace_text (text, path, "/...");
    if (query)
      replace_text (text, query, "?...");
  }
  replace_text (text, password, "***");
  g_free (file);
  g_free (shown);
  return g_string_free (text, FALSE);
}

const gchar *
vhm_address_get_test_picture (const gchar * uri)
{
  return g_str_has_prefix (uri, TEST) ? uri + strlen (TEST) : NULL;
}

gboolean
vhm_address_is_live (const gchar * uri)
{
  return !g_str_has_prefix (uri, "file:");
}

gboolean
vhm_address_is_same_server (const gchar * a, const gchar * b, gint port)
{
  const GUriFlags flags = G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED;
  gchar *host_a = NULL, *host_b = NULL;
  gint port_a = -1, port_b = -1;
  const gboolean same = g_uri_split_network (a, flags, NULL, &host_a, &port_a,
      NULL) && g_uri_split_network (b, flags, NULL, &host_b, &port_b, NULL)
      && host_a && host_b && !g_ascii_strcasecmp (host_a, host_b)
      && (port_a < 0 ? port : port_a) == (port_b < 0 ? port : port_b);

  g_free (host_a);
  g_free (host_b);
  return same;
}
