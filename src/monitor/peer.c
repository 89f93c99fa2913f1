/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For POLLRDHUP. */
#define _GNU_SOURCE

#include "peer.h"

#include <poll.h>
#include <string.h>

static const guint8 mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

GInetAddress *
vhm_peer_get_address (GSocketAddress * address)
{
  const guint8 *bytes;
  GInetAddress *inet;

  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return NULL;
  inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  bytes = g_inet_address_to_bytes (inet);
  if (g_inet_address_get_family (inet) == G_SOCKET_FAMILY_IPV6
      && !memcmp (bytes, mapped, sizeof (mapped)))
    return g_inet_address_new_from_bytes (bytes + sizeof (mapped),
        G_SOCKET_FAMILY_IPV4);
  return g_object_ref (inet);
}

gchar *
vhm_peer_name (GSocketAddress * address)
{
  GInetAddress *inet = vhm_peer_get_address (address);
  const guint8 *bytes = inet ? g_inet_address_to_bytes (inet) : NULL;
  gchar *name;

  if (!inet)
    return g_strdup ("");
  if (g_inet_address_get_family (inet) == G_SOCKET_FAMILY_IPV6)
    name = g_strdup_printf ("%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64",
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
        bytes[7]);
  else
    name = g_inet_address_to_string (inet);
  g_object_unref (inet);
  return name;
}

gboolean
vhm_peer_has_gone (GSocket * socket)
{
  struct pollfd fd = {.fd = g_socket_get_fd (socket),.events = POLLRDHUP };

  return poll (&fd, 1, 0) != 0;
}
