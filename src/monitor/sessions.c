/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sessions.h"

#include "boundedtable.h"
#include "secretfile.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/random.h>

#define FILE_NAME "sessions"

/* For each role, so that viewers cannot end the sessions of operators. A login
 * beyond this limit ends the session of the role that expires first. */
#define MAX_SESSIONS 256

#define TOKEN_BYTES 24

/* The first line of the file: this word, then the id. */
#define ID_WORD "id"
#define ID_BYTES 4

struct _VhmSessions
{
  gchar *path;
  gchar *secrets[VHM_N_ROLES];
  gchar *id;
  GHashTable *all[VHM_N_ROLES]; /* signature -> Session */
};

typedef struct
{
  gint64 end;                   /* seconds since 1970 */
  gchar *user;
} Session;

static void
session_free (gpointer data)
{
  Session *session = data;

  g_free (session->user);
  g_free (session);
}

static gint64
get_seconds (void)
{
  return g_get_real_time () / G_USEC_PER_SEC;
}

/* The signature of a token, which is all that is stored of it. The timing of
 * its lookup reveals nothing about other tokens, because an attacker cannot
 * compute signatures. */
static gchar *
sign_token (const VhmSessions * sessions, VhmRole role, const gchar * token)
{
  const gchar *secret = sessions->secrets[role];

  return g_compute_hmac_for_string (G_CHECKSUM_SHA256,
      (const guchar *) secret, strlen (secret), token, -1);
}

/* Looks up the session with this token, and sets @role and @signature, to be
 * freed. Returns NULL if no session has it. */
static const Session *
find_session (const VhmSessions * sessions, const gchar * token,
    VhmRole * role, gchar ** signature)
{
  const Session *session;

  for (*role = 0; *role < VHM_N_ROLES; (*role)++) {
    if (!sessions->secrets[*role])
      continue;
    *signature = sign_token (sessions, *role, token);
    session = g_hash_table_lookup (sessions->all[*role], *signature);
    if (session)
      return session;
    g_free (*signature);
  }
  *signature = NULL;
  return NULL;
}

static gboolean
is_alive (gint64 end)
{
  return end >= get_seconds () && end <= get_seconds () + VHM_SESSION_SECONDS;
}

static gboolean
is_over (G_GNUC_UNUSED gpointer signature, gpointer session,
    G_GNUC_UNUSED gpointer data)
{
  return !is_alive (((Session *) session)->end);
}

/* Takes @signature and @user. */
static void
add_session (VhmSessions * sessions, VhmRole role, gchar * signature,
    gint64 end, gchar * user)
{
  Session *session = g_new (Session, 1);

  session->end = end;
  session->user = user;
  g_hash_table_insert (sessions->all[role], signature, session);
}

static gboolean
is_id (const gchar * text)
{
  return strlen (text) == 2 * ID_BYTES
      && strspn (text, "0123456789abcdef") == 2 * ID_BYTES;
}

/* Lines of an earlier version, without a role, are of operators. */
static gboolean
read_role (const gchar * name, VhmRole * role)
{
  *role = VHM_ROLE_OPERATOR;
  if (!name)
    return TRUE;
  for (*role = 0; *role < VHM_N_ROLES; (*role)++)
    if (g_str_equal (name, vhm_role_get_name (*role)))
      return TRUE;
  return FALSE;
}

/* A line has a signature, its expiry, the name of the user, which is escaped,
 * and the role. A damaged line is ignored: that user logs in again. */
static void
read_session (VhmSessions * sessions, const gchar * line)
{
  gchar **parts = g_strsplit (line, " ", 4);
  gchar *user = NULL;
  VhmRole role;
  gint64 end;

  if (parts[0] && parts[1] && read_role (parts[2] ? parts[3] : NULL, &role)) {
    end = g_ascii_strtoll (parts[1], NULL, 10);
    user = parts[2] ? g_uri_unescape_string (parts[2], NULL) : NULL;
    if (is_alive (end))
      add_session (sessions, role, g_strdup (parts[0]), end,
          user ? g_steal_pointer (&user) : g_strdup (""));
  }
  g_free (user);
  g_strfreev (parts);
}

/* The first line has the id, each of the others a session. */
static void
read_file (VhmSessions * sessions)
{
  gchar *text = NULL, **lines;
  guint i;

  if (!g_file_get_contents (sessions->path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", MAX_SESSIONS * VHM_N_ROLES + 2);
  for (i = 0; lines[i] && i <= MAX_SESSIONS * VHM_N_ROLES; i++) {
    gchar **parts = g_strsplit (lines[i], " ", 2);

    if (i == 0 && parts[0] && parts[1] && g_str_equal (parts[0], ID_WORD)
        && is_id (parts[1]))
      sessions->id = g_strdup (parts[1]);
    else
      read_session (sessions, lines[i]);
    g_strfreev (parts);
  }
  g_strfreev (lines);
  g_free (text);
}

static void
append_sessions (GString * text, const VhmSessions * sessions, VhmRole role)
{
  gpointer signature, value;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, sessions->all[role]);
  while (g_hash_table_iter_next (&iter, &signature, &value)) {
    const Session *session = value;
    gchar *user = g_uri_escape_string (session->user, NULL, FALSE);

    g_string_append_printf (text, "%s %" G_GINT64_FORMAT " %s %s\n",
        (gchar *) signature, session->end, user, vhm_role_get_name (role));
    g_free (user);
  }
}

/* If writing fails, the file is deleted, so that sessions that have ended do
 * not come back after a restart. */
static void
write_file (const VhmSessions * sessions)
{
  GString *text = g_string_new (NULL);
  GError *error = NULL;
  VhmRole role;

  g_string_append_printf (text, ID_WORD " %s\n", sessions->id);
  for (role = 0; role < VHM_N_ROLES; role++)
    append_sessions (text, sessions, role);
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
vhm_sessions_new (const gchar * folder, gchar * const secrets[VHM_N_ROLES])
{
  VhmSessions *sessions = g_new0 (VhmSessions, 1);
  guint i;

  sessions->path = g_build_filename (folder, FILE_NAME, NULL);
  for (i = 0; i < VHM_N_ROLES; i++) {
    sessions->secrets[i] = g_strdup (secrets[i]);
    sessions->all[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
        session_free);
  }
  read_file (sessions);
  /* The first session writes it to the file. */
  if (!sessions->id)
    sessions->id = make_token (ID_BYTES);
  return sessions;
}

void
vhm_sessions_free (VhmSessions * sessions)
{
  guint i;

  for (i = 0; i < VHM_N_ROLES; i++) {
    g_hash_table_unref (sessions->all[i]);
    vhm_secret_free (sessions->secrets[i]);
  }
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
vhm_sessions_begin (VhmSessions * sessions, const VhmUser * user)
{
  gchar *token = make_token (TOKEN_BYTES);

  vhm_table_make_room (sessions->all[user->role], is_over, MAX_SESSIONS);
  add_session (sessions, user->role, sign_token (sessions, user->role, token),
      get_seconds () + VHM_SESSION_SECONDS, g_strdup (user->name));
  write_file (sessions);
  return token;
}

VhmUser *
vhm_sessions_find (const VhmSessions * sessions, const gchar * token)
{
  gchar *signature;
  VhmRole role;
  const Session *session = find_session (sessions, token, &role, &signature);

  g_free (signature);
  return session && is_alive (session->end) ?
      vhm_user_new (session->user, role) : NULL;
}

void
vhm_sessions_end (VhmSessions * sessions, const gchar * token)
{
  gchar *signature;
  VhmRole role;

  if (find_session (sessions, token, &role, &signature)) {
    g_hash_table_remove (sessions->all[role], signature);
    write_file (sessions);
  }
  g_free (signature);
}
