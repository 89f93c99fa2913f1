/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cures.h"

#include "event.h"

#include <string.h>

/* What the usual advice on a camera without video fits better. */
#define USUAL ""

/* What to do about reasons that contain a text. */
static const struct
{
  const gchar *reason;
  const gchar *probe;
  const gchar *monitor;         /* NULL: the same */
} cures[] = {
  {VHM_MACHINE_BUSY, "Stop other programs on this machine, or add "
        "processors"},
  {"asks for a user name", "Add --user=NAME, which asks for the password, or "
        "--credentials=FILE with a file that contains user:password",
      "Set credentials of the camera to a file that contains user:password, "
        "then reload with --reload"},
  {"rejected the user name", "Check both. Some cameras have a user of their "
        "own for RTSP, or lock a user out for minutes after wrong passwords",
      "Correct the user name and the password in the file of credentials, "
        "which the next attempt reads. Some cameras have a user of their own "
        "for RTSP, or lock a user out for minutes after wrong passwords"},
  {"has no stream at", "Look up the path of the stream in the camera's manual, "
        "or on its web page"},
  {"refuses the stream: it does not send", "Try --transport=tcp or "
        "--transport=udp", "Set transport to auto, or to the other of tcp and "
        "udp"},
  {"too many clients", "If the camera has just been switched on, wait a "
        "minute. If not, close other connections to it, such as recorders and "
        "browsers, or raise their limit on the camera's web page"},
  {"may not see the stream", "Give this user the right to view live video on "
        "the camera's web page, and look for a list of permitted addresses "
        "there"},
  {"another address", "The server redirects in a loop, or to an address with a "
        "password: look up the address of the video in the camera's manual"},
  {"refuses the stream", "Check the path with the camera's manual. If it is "
        "right, restart the camera, and try its sub-stream"},
  {"offers no video", "Check the path with the camera's manual, and "
        "that video is switched on there; then try another --transport",
      "Check the path with the camera's manual, and that video is switched on "
        "there; then try another transport"},
  {"cannot connect", "Check that the camera is on, its address and port, and "
        "that no firewall or missing route is between it and this machine",
      USUAL},
  {"ended the connection", "Check that the port is the one for this kind of "
        "address. If it is, restart the camera, and close other connections to "
        "it"},
  {"does not answer", "Check that the port is the one for this kind of "
        "address. If it is, restart the camera"},
  {"over UDP", "Check that no firewall drops UDP between the camera and this "
        "machine, or try --transport=tcp", "Check that no firewall drops UDP "
        "between the camera and this machine, or set transport to tcp"},
  {"contains no video", "There may be sound only: look for another path or "
        "stream"},
  {"certificate", "Add the authority that signed the camera's certificate to "
        "those that this machine trusts, or use an address without TLS"},
  {"instead of video", "Open the address in a browser. The camera's manual has "
        "the address of its video"},
  {"no video for", "Something answers, but sends no video: check that the port "
        "is the one for this kind of address, and that video is switched on",
      USUAL},
  {"no video from", "The camera answers, but its stream fails: restart the "
        "camera"},
  {"no picture in", "Check that this is the address of its video. If it is, "
        "restart the camera"},
  {"are too large", "Set a lower resolution on the camera's web page, or try "
        "its sub-stream"},
  {"its answers over RTSP", "Check that a camera has this address, and update "
        "its firmware"},
  {"more than", "Check that this is the address of its video, not of a "
        "recording or of an archive"},
  {"its playlist", "Look up an address of its video that begins with rtsp:// "
        "in the camera's manual"},
  {"no key frame", "Set the camera to send a key frame every 1 to 2 s, at "
        "most every 8 s (GOP, I-frame interval)"},
};

/* Returns the index of the first entry whose text is in @why, or that behind
 * the last one. */
static guint
find_entry (const gchar * why)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cures); i++)
    if (strstr (why, cures[i].reason))
      break;
  return i;
}

const gchar *
vhm_cure_find_for_probe (const gchar * why)
{
  const guint i = find_entry (why);

  return i < G_N_ELEMENTS (cures) ? cures[i].probe : "Try the address in a "
      "player, such as VLC or ffplay, which may say more";
}

const gchar *
vhm_cure_find (const gchar * why)
{
  const guint i = find_entry (why);

  if (i == G_N_ELEMENTS (cures) || g_strcmp0 (cures[i].monitor, USUAL) == 0)
    return NULL;
  return cures[i].monitor ? cures[i].monitor : cures[i].probe;
}
