/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For POLLRDHUP. */
#define _GNU_SOURCE

#include "peer.h"

#include <poll.h>
#include <string.h>

static const guint8 mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

gchar *
vhm_peer_name (GSocketAddress * address)
{
  guint8 bytes[16] = { 0 };
  GInetAddress *inet;

  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return g_strdup ("");
  inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  if (g_inet_address_get_family (inet) != G_SOCKET_FAMILY_IPV6)
    return g_inet_address_to_string (inet);
  memcpy (bytes, g_inet_address_to_bytes (inet), sizeof (bytes));
  /* An IPv4 address, as dual-stack sockets report it. */
  if (!memcmp (bytes, mapped, sizeof (mapped)))
    return g_strdup_printf ("%u.%u.%u.%u", bytes[12], bytes[13], bytes[14],
        bytes[15]);
  return g_strdup_printf ("%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", bytes[0],
      bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

gboolean
vhm_peer_has_gone (GSocket * socket)
{
  struct pollfd fd = {.fd = g_socket_get_fd (socket),.events = POLLRDHUP };

  return poll (&fd, 1, 0) != 0;
}
