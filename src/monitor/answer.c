/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "answer.h"

#include "json.h"

#include <string.h>

/* When a client should ask again that was refused for now. */
#define RETRY_SECONDS "1"

static gsize unread;            /* bytes of all answers; main thread only */

static void
on_message_gone (gpointer size, GObject * message)
{
  (void) message;
  unread -= GPOINTER_TO_SIZE (size);
}

static void
set_answer (SoupServerMessage * message, guint status, const gchar * type,
    GBytes * bytes)
{
  SoupMessageBody *body = soup_server_message_get_response_body (message);
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);

  soup_server_message_set_status (message, status, NULL);
  soup_message_headers_replace (headers, "Content-Type", type);
  soup_message_body_append_bytes (body, bytes);
}

void
vhm_answer_bytes (SoupServerMessage * message, const gchar * type,
    GBytes * bytes)
{
  const gsize size = g_bytes_get_size (bytes);

  if (size > VHM_MOST_ANSWER_BYTES) {
    g_warning ("an answer of %" G_GSIZE_FORMAT " bytes was not sent: %s", size,
        soup_server_message_get_method (message));
    vhm_answer_refuse (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
        "The answer would be too long: ask for less.");
  } else if (unread + size > VHM_MOST_UNREAD_BYTES)
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many answers have not been read yet: try again.");
  else {
    unread += size;
    g_object_weak_ref (G_OBJECT (message), on_message_gone,
        GSIZE_TO_POINTER (size));
    set_answer (message, SOUP_STATUS_OK, type, bytes);
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
vhm_answer_refuse (SoupServerMessage * message, guint status,
    const gchar * why)
{
  JsonBuilder *builder = json_builder_new ();
  GBytes *bytes;
  gchar *text;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "error");
  json_builder_add_string_value (builder, why);
  json_builder_end_object (builder);
  text = vhm_json_end (builder);
  bytes = g_bytes_new_take (text, strlen (text));
  set_answer (message, status, "application/json", bytes);
  if (status == SOUP_STATUS_SERVICE_UNAVAILABLE)
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), "Retry-After", RETRY_SECONDS);
  g_bytes_unref (bytes);
}

gboolean
vhm_answer_refuse_unknown (SoupServerMessage * message, const gchar * allowed)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  gchar **names = g_strsplit (allowed, " ", -1);
  gchar **pairs = g_strsplit (query ? query : "", "&", -1);
  gchar *unknown = NULL, *why;
  guint i;

  for (i = 0; pairs[i] && !unknown; i++) {
    gchar *escaped = g_strndup (pairs[i], strcspn (pairs[i], "="));
    gchar *name = g_uri_unescape_string (escaped, NULL);

    if (*pairs[i] && !(name && g_strv_contains ((const gchar * const *) names,
                name)))
      unknown = g_utf8_make_valid (name ? name : escaped, -1);
    g_free (name);
    g_free (escaped);
  }
  if (unknown) {
    why = *allowed ? g_strdup_printf ("Unknown parameter \"%s\": it must be "
        "one of: %s.", unknown, allowed) : g_strdup_printf ("Unknown parameter "
        "\"%s\": there is none here.", unknown);
    vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, why);
    g_free (why);
  }
  g_strfreev (pairs);
  g_strfreev (names);
  i = unknown != NULL;
  g_free (unknown);
  return i;
}
