/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sessions.h"

#include "boundedtable.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/random.h>

#define FILE_NAME "sessions"

/* A login beyond this limit ends the session that expires first. */
#define MAX_SESSIONS 256

#define TOKEN_BYTES 24

/* The first line of the file: this word, then the id. */
#define ID_WORD "id"
#define ID_BYTES 4

struct _VhmSessions
{
  gchar *path;
  gchar *secret;
  gchar *id;
  GHashTable *ends;             /* signature -> expiry, seconds since 1970 */
};

static gint64
get_seconds (void)
{
  return g_get_real_time () / G_USEC_PER_SEC;
}

/* The signature of a token, which is all that is stored of a session. The
 * timing of its lookup reveals nothing about other tokens, because an attacker
 * cannot compute signatures. */
static gchar *
sign_token (const VhmSessions * sessions, const gchar * token)
{
  return g_compute_hmac_for_string (G_CHECKSUM_SHA256,
      (const guchar *) sessions->secret, strlen (sessions->secret), token, -1);
}

static gboolean
is_alive (gint64 end)
{
  return end >= get_seconds () && end <= get_seconds () + VHM_SESSION_SECONDS;
}

static gboolean
is_over (G_GNUC_UNUSED gpointer signature, gpointer end,
    G_GNUC_UNUSED gpointer data)
{
  return !is_alive (*(gint64 *) end);
}

static void
add_session (VhmSessions * sessions, gchar * signature, gint64 end)
{
  g_hash_table_insert (sessions->ends, signature, g_memdup2 (&end,
          sizeof (end)));
}

static gboolean
is_id (const gchar * text)
{
  return strlen (text) == 2 * ID_BYTES
      && strspn (text, "0123456789abcdef") == 2 * ID_BYTES;
}

/* After the id, each line has a signature and its expiry. Damaged lines are
 * ignored: those users log in again. */
static void
read_file (VhmSessions * sessions)
{
  gchar *text = NULL, **lines;
  guint i;

  if (!g_file_get_contents (sessions->path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", MAX_SESSIONS + 2);
  for (i = 0; lines[i] && i <= MAX_SESSIONS; i++) {
    gchar **parts = g_strsplit (lines[i], " ", 2);

    if (i == 0 && parts[0] && parts[1] && g_str_equal (parts[0], ID_WORD)
        && is_id (parts[1]))
      sessions->id = g_strdup (parts[1]);
    else if (parts[0] && parts[1]
        && is_alive (g_ascii_strtoll (parts[1], NULL, 10)))
      add_session (sessions, g_strdup (parts[0]),
          g_ascii_strtoll (parts[1], NULL, 10));
    g_strfreev (parts);
  }
  g_strfreev (lines);
  g_free (text);
}

/* If writing fails, the file is deleted, so that sessions that have ended do
 * not come back after a restart. */
static void
write_file (const VhmSessions * sessions)
{
  GString *text = g_string_new (NULL);
  gpointer signature, end;
  GError *error = NULL;
  GHashTableIter iter;

  g_string_append_printf (text, ID_WORD " %s\n", sessions->id);
  g_hash_table_iter_init (&iter, sessions->ends);
  while (g_hash_table_iter_next (&iter, &signature, &end))
    g_string_append_printf (text, "%s %" G_GINT64_FORMAT "\n",
        (gchar *) signature, *(gint64 *) end);
  if (!g_file_set_contents_full (sessions->path, text->str, text->len,
          G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error)) {
    g_unlink (sessions->path);
    g_warning ("%s: sessions cannot be saved: %s; everyone must log in again "
        "after a restart", sessions->path, error->message);
    g_error_free (error);
  }
  g_string_free (text, TRUE);
}

/* @length random bytes as hexadecimal text, to be freed. The kernel makes them,
 * because GLib's random numbers are predictable. */
static gchar *
make_token (gsize length)
{
  guint8 bytes[TOKEN_BYTES];
  gsize done = 0;
  gchar *token;
  guint i;

  while (done < length) {
    const gssize n = getrandom (bytes + done, length - done, 0);

    done += MAX (n, 0);
  }
  token = g_malloc (2 * length + 1);
  for (i = 0; i < length; i++)
    g_snprintf (token + 2 * i, 3, "%02x", bytes[i]);
  return token;
}

VhmSessions *
vhm_sessions_new (const gchar * folder, const gchar * secret)
{
  VhmSessions *sessions = g_new0 (VhmSessions, 1);

  sessions->path = g_build_filename (folder, FILE_NAME, NULL);
  sessions->secret = g_strdup (secret);
  sessions->ends = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  read_file (sessions);
  /* The first session writes it to the file. */
  if (!sessions->id)
    sessions->id = make_token (ID_BYTES);
  return sessions;
}

void
vhm_sessions_free (VhmSessions * sessions)
{
  g_hash_table_unref (sessions->ends);
  explicit_bzero (sessions->secret, strlen (sessions->secret));
  g_free (sessions->secret);
  g_free (sessions->id);
  g_free (sessions->path);
  g_free (sessions);
}

const gchar *
vhm_sessions_get_id (const VhmSessions * sessions)
{
  return sessions->id;
}

gchar *
vhm_sessions_begin (VhmSessions * sessions)
{
  gchar *token = make_token (TOKEN_BYTES);

  vhm_table_make_room (sessions->ends, is_over, MAX_SESSIONS);
  add_session (sessions, sign_token (sessions, token),
      get_seconds () + VHM_SESSION_SECONDS);
  write_file (sessions);
  return token;
}

gboolean
vhm_sessions_has (const VhmSessions * sessions, const gchar * token)
{
  gchar *signature = sign_token (sessions, token);
  const gint64 *end = g_hash_table_lookup (sessions->ends, signature);

  g_free (signature);
  return end && is_alive (*end);
}

void
vhm_sessions_end (VhmSessions * sessions, const gchar * token)
{
  gchar *signature = sign_token (sessions, token);

  if (g_hash_table_remove (sessions->ends, signature))
    write_file (sessions);
  g_free (signature);
}
