/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "failure.h"

#include "address.h"
#include "cleantext.h"
#include "elementtype.h"
#include "intakeerror.h"

#include <gio/gio.h>
#include <string.h>

/* Longest reason, bytes. Reasons are stored with events, and are labels of
 * metrics. */
#define MAX_REASON_BYTES 200

/* How long after the error the name of a missing decoder may arrive. */
#define MAX_PLUGIN_NAME_DELAY (GST_SECOND / 2)

/* s: to find out why there is no connection. */
#define MAX_CONNECTING_SECONDS 3

/* The schemes of addresses that connect by TCP. */
static const struct
{
  const gchar *scheme;
  guint16 port;
  gboolean tls;
} schemes[] = {
  {"rtsp://", 554, FALSE},
  {"rtsps://", 322, TRUE},
  {"http://", 80, FALSE},
  {"https://", 443, TRUE},
};

/* Why nothing connects, which the sources of GStreamer do not tell. */
static const struct
{
  GQuark (*domain) (void);
  gint code;
  const gchar *cause;
} causes[] = {
  {g_io_error_quark, G_IO_ERROR_CONNECTION_REFUSED, "connection refused"},
  {g_io_error_quark, G_IO_ERROR_HOST_UNREACHABLE, "no route to the host"},
  {g_io_error_quark, G_IO_ERROR_NETWORK_UNREACHABLE,
      "no route to its network"},
  {g_io_error_quark, G_IO_ERROR_TIMED_OUT, "no answer"},
  {g_resolver_error_quark, G_RESOLVER_ERROR_NOT_FOUND,
      "no host has this name"},
  {g_resolver_error_quark, G_RESOLVER_ERROR_TEMPORARY_FAILURE,
      "the name server does not answer"},
};

GError *
vhm_failure_connect_again (const gchar * uri)
{
  GSocketConnection *connection;
  GError *error = NULL;
  GSocketClient *client;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_str_has_prefix (uri, schemes[i].scheme))
      break;
  if (i == G_N_ELEMENTS (schemes))
    return NULL;
  client = g_socket_client_new ();
  g_socket_client_set_timeout (client, MAX_CONNECTING_SECONDS);
  g_socket_client_set_tls (client, schemes[i].tls);
  connection = g_socket_client_connect_to_uri (client, uri, schemes[i].port,
      NULL, &error);
  g_clear_object (&connection);
  g_object_unref (client);
  return error;
}

/* Whether @object is the element that looks for a decoder. */
static gboolean
is_from_source (GstObject * object)
{
  return GST_IS_ELEMENT (object)
      && vhm_element_is (GST_ELEMENT (object), "uridecodebin");
}

/* What servers of RTSP or HTTP answer if they do not give the stream. Their own
 * words are not shown: anybody may have written them. */
static const struct
{
  guint code;
  const gchar *name, *meaning;
} statuses[] = {
  {301, "Moved Permanently", "it moved to another address"},
  {302, "Found", "it sends to another address"},
  {307, "Temporary Redirect", "it sends to another address"},
  {308, "Permanent Redirect", "it moved to another address"},
  {400, "Bad Request", "it does not understand the address"},
  {403, "Forbidden", "this user or this machine may not see the stream"},
  {404, "Not Found", "it has no stream at this path"},
  {405, "Method Not Allowed", "the path does not lead to a live stream"},
  {429, "Too Many Requests", "it is asked too often"},
  {453, "Not Enough Bandwidth", "too many clients are connected"},
  {454, "Session Not Found", "the camera ended the session"},
  {461, "Unsupported Transport", "it does not send over this transport"},
  {500, "Internal Server Error", "it has failed, and may need a restart"},
  {501, "Not Implemented", "the path does not lead to a live stream"},
  {502, "Bad Gateway", "a proxy does not reach the camera"},
  {503, "Service Unavailable",
      "it is starting, or too many clients are connected"},
  {504, "Gateway Timeout", "a proxy does not reach the camera"},
  {551, "Option not supported", "it lacks a feature that GStreamer needs"},
};

/* The answer of a server, to be freed, or NULL. */
static gchar *
explain_status (GstMessage * message, const gchar * where)
{
  const GstStructure *details = NULL;
  guint code, i;

  gst_message_parse_error_details (message, &details);
  if (!details
      || (!gst_structure_get_uint (details, "rtsp-status-code", &code)
          && !gst_structure_get_uint (details, "http-status-code", &code))
      || code < 300)
    return NULL;
  for (i = 0; i < G_N_ELEMENTS (statuses); i++)
    if (statuses[i].code == code)
      return g_strdup_printf ("%s refuses the stream: %s (%u %s)", where,
          statuses[i].meaning, code, statuses[i].name);
  return g_strdup_printf ("%s refuses the stream: %s (status %u)", where,
      code >= 500 ? "it has failed" : "it does not accept the request", code);
}

/* To be freed. @otherwise: what is said if the cause cannot be found out. */
static gchar *
explain_no_connection (const gchar * uri, const gchar * where,
    const gchar * otherwise)
{
  GError *error = vhm_failure_connect_again (uri);
  gchar *text = NULL;
  guint i;

  for (i = 0; !text && i < G_N_ELEMENTS (causes); i++)
    if (g_error_matches (error, causes[i].domain (), causes[i].code))
      text = g_strdup_printf (VHM_NO_CONNECTION " %s: %s", where,
          causes[i].cause);
  g_clear_error (&error);
  return text ? text : g_strdup_printf ("%s %s", otherwise, where);
}

/* Why nothing could be read. To be freed. */
static gchar *
explain_reading (GstMessage * message, const gchar * where)
{
  gchar *text = explain_status (message, where), *debug;

  if (text)
    return text;
  gst_message_parse_error (message, NULL, &debug);
  /* As rtspsrc and gst_rtsp_strresult() say it. */
  if (debug && strstr (debug, "any UDP packets"))
    text = g_strdup_printf (VHM_NO_PACKETS " %s over UDP", where);
  else
    text = g_strconcat (where, debug && strstr (debug, "(Timeout") ?
        VHM_NO_ANSWER : " ended the connection", NULL);
  g_free (debug);
  return text;
}

/* Explains errors of network sources that users would not understand. To be
 * freed; NULL for other errors. */
static gchar *
explain_network (const VhmFailure * failure, GstMessage * message,
    const GError * error, const gchar * where)
{
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    return failure->camera->password ?
        g_strdup_printf ("%s " VHM_REJECTED "%s", where,
        failure->has_keys ? " in credentials" : "") :
        g_strdup_printf ("%s asks for a user name and password%s", where,
        failure->has_keys ? ": set credentials" : "");
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND))
    return g_strdup_printf ("%s has no stream at %s", where,
        failure->has_keys ? "the path in uri" : "this path");
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_OPEN_READ_WRITE))
    return explain_no_connection (failure->uri, where, VHM_NO_CONNECTION);
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ))
    return explain_reading (message, where);
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS)
      && g_str_has_prefix (where, "rtsp"))
    return g_strdup_printf ("%s offers no video that can be received over "
        "this transport", where);
  if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED)
      && !failure->has_frames)
    return explain_no_connection (failure->uri, where, "no video from");
  return explain_status (message, where);
}

/* The Debian package with a decoder or demuxer for @format. */
static const gchar *
find_package (const gchar * format)
{
  static const gchar *const of_good[] = { "image/jpeg", "image/png",
    "video/x-vp8", "video/x-vp9", "video/quicktime", "video/x-matroska",
    "video/x-msvideo", "multipart/x-mixed-replace", "application/x-rtp", NULL
  };
  static const gchar *const of_bad[] = { "video/x-av1", "video/mpegts", NULL };

  if (g_strv_contains (of_good, format))
    return "gstreamer1.0-plugins-good";
  return g_strv_contains (of_bad, format) ? "gstreamer1.0-plugins-bad"
      : "gstreamer1.0-libav";
}

void
vhm_failure_note_missing (gchar ** missing, gboolean has_keys,
    const GstStructure * message)
{
  const GValue *detail = gst_structure_get_value (message, "detail");
  const gchar *format = "";

  if (detail && GST_VALUE_HOLDS_CAPS (detail)
      && gst_caps_get_size (gst_value_get_caps (detail)))
    format = gst_structure_get_name (gst_caps_get_structure
        (gst_value_get_caps (detail), 0));
  if (*missing || g_str_has_prefix (format, "audio/"))
    return;
  if (g_str_has_prefix (format, "text/")) {
    *missing = g_strconcat ("sends text, such as a web page, instead of video",
        has_keys ? ": set uri to the address of the video" : "", NULL);
    return;
  }
  *missing = g_strdup_printf ("no %s installed: install a GStreamer "
      "plugin that has one, such as Debian's package %s",
      gst_structure_get_string (message, "name"),
      find_package (format));
}

/* Why nothing could be decoded. */
static gchar *
explain_missing (const VhmFailure * failure)
{
  const gint64 end = g_get_monotonic_time () + MAX_PLUGIN_NAME_DELAY / 1000;

  while (!*failure->missing && g_get_monotonic_time () < end) {
    GstMessage *message = gst_bus_timed_pop_filtered (failure->bus,
        MAX_PLUGIN_NAME_DELAY / 10, GST_MESSAGE_ELEMENT);

    if (message && gst_message_has_name (message, "missing-plugin"))
      vhm_failure_note_missing (failure->missing, failure->has_keys,
          gst_message_get_structure (message));
    g_clear_pointer (&message, gst_message_unref);
  }
  return g_strdup (*failure->missing ? *failure->missing : "contains no video");
}

gchar *
vhm_failure_explain (const VhmFailure * failure, GstMessage * message)
{
  gchar *where = vhm_address_describe (failure->uri);
  GError *error;
  gchar *text, *network, *clean;

  gst_message_parse_error (message, &error, NULL);
  network = strstr (where, "://") ?
      explain_network (failure, message, error, where) : NULL;
  if (error->domain == VHM_INTAKE_ERROR)
    text = g_strconcat (error->message, failure->has_keys
        && error->code == VHM_INTAKE_ERROR_BYTES ? ": set uri to the address "
        "of its video, or restart the camera" : "", NULL);
  /* Sound that is decoded but not linked ends the file with an error that hides
   * the missing decoder. */
  else if (*failure->missing && !failure->has_frames)
    text = g_strdup (*failure->missing);
  else if (g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_MISSING_PLUGIN)
      && !failure->has_frames
      && is_from_source (GST_MESSAGE_SRC (message)))
    text = explain_missing (failure);
  /* Since GStreamer 1.26 a file that ends before its first frame fails with an
   * error. */
  else if (!failure->has_frames
      && !vhm_address_is_live (failure->uri)
      && g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED))
    text = g_strdup (VHM_NO_FRAME);
  else if (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_TYPE_NOT_FOUND))
    text = g_strdup ("not a video in a known format");
  else if (network)
    text = g_steal_pointer (&network);
  else
    text = vhm_address_hide (failure->uri, failure->camera->password,
        error->message);
  g_error_free (error);
  g_free (network);
  g_free (where);
  clean = vhm_clean_text (text, MAX_REASON_BYTES, "…");
  g_free (text);
  return clean;
}
