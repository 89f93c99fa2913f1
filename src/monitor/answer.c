/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "answer.h"

#include "json.h"
#include "peer.h"
#include "shares.h"

#include <string.h>

/* Bytes of a wrong path that its refusal repeats, before they are escaped. */
#define MAX_SHOWN_BYTES 100

/* When a client that was refused temporarily should retry. */
#define RETRY_SECONDS "1"

/* Answers up to this length are always sent, so that a client that leaves
 * longer ones unread does not lock out others behind the same proxy. */
#define MAX_SMALL_BYTES (64 * 1024)

/* Bytes of all longer unread answers; main thread only. */
static VhmShares unread = VHM_SHARES (VHM_MAX_UNREAD_BYTES);

typedef struct
{
  gchar *peer;
  gsize size;
} Unread;

static void
on_message_gone (gpointer data, G_GNUC_UNUSED GObject * message)
{
  Unread *answer = data;

  vhm_shares_release (&unread, answer->peer, answer->size);
  g_free (answer->peer);
  g_free (answer);
}

/* Returns FALSE if too much is unread, by this client or by all. Small answers
 * always fit: there is one for each connection. */
static gboolean
note_unread (SoupServerMessage * message, gsize size)
{
  Unread *answer;
  gchar *peer;

  if (size <= MAX_SMALL_BYTES)
    return TRUE;
  peer = vhm_peer_name (soup_server_message_get_remote_address (message));
  if (!vhm_shares_take (&unread, peer, size)) {
    g_free (peer);
    return FALSE;
  }
  answer = g_new (Unread, 1);
  answer->peer = peer;
  answer->size = size;
  g_object_weak_ref (G_OBJECT (message), on_message_gone, answer);
  return TRUE;
}

void
vhm_answer_bytes (SoupServerMessage * message, const gchar * type,
    GBytes * bytes)
{
  const gsize size = g_bytes_get_size (bytes);

  if (size > VHM_MAX_ANSWER_BYTES) {
    g_warning ("%s %s: the response was not sent: its %" G_GSIZE_FORMAT
        " bytes exceed the limit of %d", soup_server_message_get_method
        (message), g_uri_get_path (soup_server_message_get_uri (message)),
        size, VHM_MAX_ANSWER_BYTES);
    vhm_answer_refuse (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
        "The response is too long: request a shorter period or fewer items.");
  } else if (!note_unread (message, size))
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many responses are still waiting for their clients to read them: "
        "retry later.");
  else {
    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), "Content-Type", type);
    soup_message_body_append_bytes (soup_server_message_get_response_body
        (message), bytes);
  }
}

void
vhm_answer_text (SoupServerMessage * message, const gchar * type, gchar * text)
{
  GBytes *bytes = g_bytes_new_take (text, strlen (text));

  vhm_answer_bytes (message, type, bytes);
  g_bytes_unref (bytes);
}

void
vhm_answer_picture (SoupServerMessage * message, GBytes * jpeg, gint64 time,
    const gchar * missing)
{
  gchar *text = time ? vhm_time_to_text (time) : NULL;

  if (!jpeg) {
    vhm_answer_refuse (message, SOUP_STATUS_NOT_FOUND, missing);
    return;
  }
  if (text)
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), "X-Frame-Time", text);
  vhm_answer_bytes (message, "image/jpeg", jpeg);
  g_free (text);
}

const gchar *
vhm_answer_get_phrase (guint status)
{
  switch (status) {
    case VHM_STATUS_TOO_MANY_REQUESTS:
      return "Too Many Requests";
    case VHM_STATUS_HEADERS_TOO_LARGE:
      return "Request Header Fields Too Large";
    default:
      return soup_status_get_phrase (status);
  }
}

static gchar *
error_json (const gchar * why)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "error");
  json_builder_add_string_value (builder, why);
  json_builder_end_object (builder);
  return vhm_json_end (builder);
}

GBytes *
vhm_answer_format_error (gboolean json, const gchar * why,
    SoupMessageHeaders * headers)
{
  gchar *text = json ? error_json (why) : g_strconcat (why, "\n", NULL);

  soup_message_headers_replace (headers, "Content-Type",
      json ? "application/json" : VHM_PLAIN_TEXT);
  return g_bytes_new_take (text, strlen (text));
}

void
vhm_answer_refuse (SoupServerMessage * message, guint status,
    const gchar * why)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);
  const gchar *path = g_uri_get_path (soup_server_message_get_uri (message));
  GBytes *bytes = vhm_answer_format_error (g_str_has_prefix (path,
          VHM_ALL_OF_API), why, headers);

  soup_server_message_set_status (message, status,
      vhm_answer_get_phrase (status));
  if (status == SOUP_STATUS_SERVICE_UNAVAILABLE)
    soup_message_headers_replace (headers, "Retry-After", RETRY_SECONDS);
  soup_message_body_append_bytes (soup_server_message_get_response_body
      (message), bytes);
  g_bytes_unref (bytes);
}

void
vhm_answer_refuse_path (SoupServerMessage * message, const gchar * why)
{
  const gchar *path = g_uri_get_path (soup_server_message_get_uri (message));
  const gboolean is_long = strlen (path) > MAX_SHOWN_BYTES;
  gchar *start = g_strndup (path, MAX_SHOWN_BYTES);
  gchar *shown = g_uri_escape_string (start, "/", FALSE);
  gchar *text = g_strdup_printf ("Not found: %s%s: %s", shown,
      is_long ? "..." : "", why);

  vhm_answer_refuse (message, SOUP_STATUS_NOT_FOUND, text);
  g_free (text);
  g_free (shown);
  g_free (start);
}

SoupServerMessage *
vhm_answer_pause (SoupServerMessage * message)
{
  soup_server_message_pause (message);
  return g_object_ref (message);
}

void
vhm_answer_resume (SoupServerMessage * message)
{
  soup_server_message_unpause (message);
  g_object_unref (message);
}

void
vhm_answer_refuse_failed (SoupServerMessage * message, const gchar * why)
{
  gchar *text = g_strdup_printf ("The database request failed: %s. Retry "
      "later; /healthz shows whether the database works.", why);

  vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE, text);
  g_free (text);
}

void
vhm_answer_refuse_method (SoupServerMessage * message, const gchar * allowed)
{
  gchar *why = g_strdup_printf ("Method not allowed: %s. This path allows: "
      "%s.",
      soup_server_message_get_method (message), allowed);

  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Allow", allowed);
  vhm_answer_refuse (message, SOUP_STATUS_METHOD_NOT_ALLOWED, why);
  g_free (why);
}

/* Decodes percent-escapes and plus signs. NULL if the result would contain a
 * null byte or not be valid UTF-8, or if an escape is malformed. */
static gchar *
decode_query_text (const gchar * text, gsize length)
{
  gchar *escaped = g_strndup (text, length);
  gchar *plain = g_uri_unescape_string (g_strdelimit (escaped, "+", ' '), NULL);

  g_free (escaped);
  if (plain && !g_utf8_validate (plain, -1, NULL))
    g_clear_pointer (&plain, g_free);
  return plain;
}

/* Checks one name=value pair, as vhm_answer_check_form() does for all. Adds the
 * name to @seen if the pair is valid. */
static gchar *
check_pair (const gchar * text, const gchar * const *names, GPtrArray * seen)
{
  const gsize length = strcspn (text, "=");
  gchar *name = decode_query_text (text, length);
  gchar *value = text[length] ? decode_query_text (text + length + 1,
      strlen (text + length + 1)) : NULL;
  gchar *all, *why = NULL;

  if (!name)
    why = g_strdup ("Invalid parameter name: send valid UTF-8 without null "
        "bytes, and two hexadecimal digits after each %.");
  else if (!g_strv_contains (names, name)) {
    all = g_strjoinv (", ", (gchar **) names);
    why = *all ? g_strdup_printf ("Unknown parameter \"%s\": use one of: %s.",
        name, all) : g_strdup_printf ("Unknown parameter \"%s\": remove it; "
        "this path takes no parameters.", name);
    g_free (all);
  } else if (g_ptr_array_find_with_equal_func (seen, name, g_str_equal, NULL))
    why = g_strdup_printf ("Parameter \"%s\" is repeated: send it only once.",
        name);
  else if (!text[length])
    why = g_strdup_printf ("Parameter \"%s\" has no value: send %s=VALUE.",
        name, name);
  else if (!value)
    why = g_strdup_printf ("Invalid value of parameter \"%s\": send valid "
        "UTF-8 without null bytes, and two hexadecimal digits after each %%.",
        name);
  else
    g_ptr_array_add (seen, g_steal_pointer (&name));
  g_free (value);
  g_free (name);
  return why;
}

/* However many pairs there are, this stops early, because a repeated name is an
 * error. */
gchar *
vhm_answer_check_form (const gchar * text, const gchar * allowed)
{
  gchar **names = g_strsplit (allowed, " ", -1);
  GPtrArray *seen = g_ptr_array_new_with_free_func (g_free);
  gchar *why = NULL;
  gsize length;

  for (; *text && !why; text += length + (text[length] == '&')) {
    length = strcspn (text, "&");
    if (length) {
      gchar *pair = g_strndup (text, length);

      why = check_pair (pair, (const gchar * const *) names, seen);
      g_free (pair);
    }
  }
  g_ptr_array_unref (seen);
  g_strfreev (names);
  return why;
}

gboolean
vhm_answer_refuse_query (SoupServerMessage * message, const gchar * allowed)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  gchar *why = query ? vhm_answer_check_form (query, allowed) : NULL;
  const gboolean refused = why != NULL;

  if (refused)
    vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, why);
  g_free (why);
  return refused;
}
