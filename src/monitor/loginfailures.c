/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loginfailures.h"

#include "boundedtable.h"

/* After this many wrong secrets within a minute, a client must wait for the
 * rest of that minute. */
#define MAX_FAILURES 20
#define FAILURE_WINDOW G_TIME_SPAN_MINUTE

/* Number of clients to remember. Beyond it, the one whose first failure is
 * oldest is forgotten; even so, a secret of 16 characters cannot be guessed. */
#define MAX_PEERS 1024

typedef struct
{
  gint64 since;                 /* monotonic µs of the first failure */
  guint failures;
} Peer;

/* Lines in the log within a minute for each client, besides one when it is
 * locked out, and for all of them: strangers must not fill the log. */
#define MAX_LINES_OF_PEER 3
#define MAX_LINES 10

struct _VhmLoginFailures
{
  GHashTable *peers;            /* name -> Peer */
  gint64 logged_since;          /* monotonic µs: the minute of @lines */
  guint lines;                  /* in the log within this minute */
  guint unlogged;               /* failures since the last line */
};

static void
log_failure (VhmLoginFailures * failures, const gchar * name,
    const Peer * peer)
{
  const gboolean is_locked = peer->failures == MAX_FAILURES;
  const gint64 now = g_get_monotonic_time ();
  gchar *others;

  if (now - failures->logged_since > FAILURE_WINDOW) {
    failures->logged_since = now;
    failures->lines = 0;
  }
  if (failures->lines >= MAX_LINES || (peer->failures > MAX_LINES_OF_PEER
          && !is_locked)) {
    failures->unlogged++;
    return;
  }
  others = failures->unlogged ? g_strdup_printf (", after %u more that the log "
      "leaves out", failures->unlogged) : g_strdup ("");
  g_message ("wrong secret from %s%s%s", name, others, is_locked ?
      ": it must wait for the rest of the minute" : "");
  failures->lines++;
  failures->unlogged = 0;
  g_free (others);
}

static gboolean
is_over (const Peer * peer)
{
  return g_get_monotonic_time () - peer->since > FAILURE_WINDOW;
}

static gboolean
is_over_in_table (G_GNUC_UNUSED gpointer name, gpointer peer,
    G_GNUC_UNUSED gpointer data)
{
  return is_over (peer);
}

VhmLoginFailures *
vhm_login_failures_new (void)
{
  VhmLoginFailures *failures = g_new0 (VhmLoginFailures, 1);

  failures->peers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  return failures;
}

void
vhm_login_failures_free (VhmLoginFailures * failures)
{
  g_hash_table_unref (failures->peers);
  g_free (failures);
}

gboolean
vhm_login_failures_may_try (VhmLoginFailures * failures, const gchar * name)
{
  const Peer *peer = g_hash_table_lookup (failures->peers, name);

  return !peer || is_over (peer) || peer->failures < MAX_FAILURES;
}

void
vhm_login_failures_add (VhmLoginFailures * failures, const gchar * name)
{
  Peer *peer = g_hash_table_lookup (failures->peers, name);

  if (!peer) {
    vhm_table_make_room (failures->peers, is_over_in_table, MAX_PEERS);
    peer = g_new0 (Peer, 1);
    g_hash_table_insert (failures->peers, g_strdup (name), peer);
  } else if (is_over (peer))
    peer->failures = 0;
  if (!peer->failures++)
    peer->since = g_get_monotonic_time ();
  log_failure (failures, name, peer);
}
