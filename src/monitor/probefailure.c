/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probefailure.h"

#include "address.h"

#include <gio/gio.h>
#include <string.h>

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

/* Connects again to find out what GStreamer does not tell. Returns an error, or
 * NULL if it connects. */
static GError *
connect_again (const gchar * uri)
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

gchar *
vhm_probe_try_connection (const gchar * uri, gchar * why)
{
  GError *error = connect_again (uri);
  gchar *address, *more;

  if (!error)
    return why;
  address = vhm_address_describe (uri);
  more = error->domain == G_TLS_ERROR ?
      g_strdup_printf ("the certificate of %s is not accepted: %s", address,
      error->message) : g_strdup_printf ("%s: %s", why, error->message);
  g_free (address);
  g_error_free (error);
  g_free (why);
  return more;
}

/* What to do about reasons that contain a text. */
static const struct
{
  const gchar *reason;
  const gchar *cure;
} cures[] = {
  {"asks for a user name", "Add --user=NAME, which asks for the password, or "
        "--credentials=FILE with a file that contains user:password."},
  {"rejected the user name", "Check both. Some cameras have a user of their "
        "own for RTSP, or lock a user out for minutes after wrong passwords."},
  {"has no stream at this path", "Look up the path of the stream in the "
        "camera's manual, or on its web page."},
  {"refuses the stream: it does not send", "Try --transport=tcp or "
        "--transport=udp."},
  {"too many clients", "If the camera has just been switched on, wait a "
        "minute. If not, close other connections to it, such as recorders and "
        "browsers, or raise their limit on the camera's web page."},
  {"may not see the stream", "Give this user the right to view live video on "
        "the camera's web page, and look for a list of permitted addresses "
        "there."},
  {"another address", "The server redirects in a loop, or to an address with a "
        "password: look up the address of the video in the camera's manual."},
  {"refuses the stream", "Check the path with the camera's manual. If it is "
        "right, restart the camera, and try its sub-stream."},
  {"offers no video", "Check the path with the camera's manual, and "
        "that video is switched on there; then try --transport=tcp."},
  {"cannot connect", "Check that the camera is on, its address and port, and "
        "that no firewall or missing route is between it and this machine."},
  {"contains no video", "There may be sound only: look for another path or "
        "stream."},
  {"certificate", "Add the authority that signed the camera's certificate to "
        "those that this machine trusts, or use an address without TLS."},
  {"instead of video", "Open the address in a browser. The camera's manual has "
        "the address of its video."},
  {"no video for", "Something answers, but sends no video: check that the port "
        "is the one for this kind of address, and that video is switched on."},
  {"no video from", "The camera answers, but its stream fails: restart the "
        "camera, or try --transport=tcp."},
  {"no picture in", "Check that this is the address of its video. If it is, "
        "restart the camera."},
  {"are too large", "Set a lower resolution on the camera's web page, or try "
        "its sub-stream."},
  {"its answers over RTSP", "Check that a camera has this address, and update "
        "its firmware."},
  {"more than", "Check that this is the address of its video, not of a "
        "recording or of an archive."},
  {"its playlist", "Look up an address of its video that begins with rtsp:// "
        "in the camera's manual."},
  {"no key frame", "Set the camera to send a key frame every 1 to 2 s, at "
        "most every 8 s (GOP, I-frame interval)."},
};

const gchar *
vhm_probe_find_cure (const gchar * why)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cures); i++)
    if (strstr (why, cures[i].reason))
      return cures[i].cure;
  return "Try the address in a player, such as VLC or ffplay, which may say "
      "more.";
}
