/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "httpanswers.h"

#include <libsoup/soup.h>

/* What libsoup or GStreamer reads */
static const gchar *const known[] = { "Accept-Ranges", "Age",
  "Authentication-Info", "Cache-Control", "Connection", "Content-Encoding",
  "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Date",
  "ETag", "Expires", "Keep-Alive", "Last-Modified", "Location", "Pragma",
  "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection",
  "Retry-After", "Server", "Set-Cookie", "Strict-Transport-Security", "Trailer",
  "Transfer-Encoding", "Upgrade", "Vary", "WWW-Authenticate", "icy-br",
  "icy-genre", "icy-metaint", "icy-name", "icy-url"
};

static GThread *main_thread;

/* Names are case-insensitive; GQuarks are not. */
static const gchar *
find_known (const gchar * name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (known); i++)
    if (!g_ascii_strcasecmp (name, known[i]))
      return known[i];
  return NULL;
}

static void
add_if_known (const gchar * name, const gchar * value, gpointer data)
{
  const gchar *found = find_known (name);
  GPtrArray *kept = data;

  if (found) {
    g_ptr_array_add (kept, g_strdup (found));
    g_ptr_array_add (kept, g_strdup (value));
  }
}

/* Removing unknown headers one by one would take the square of their number. */
static gboolean
on_got_headers (G_GNUC_UNUSED GSignalInvocationHint * hint,
    G_GNUC_UNUSED guint n, const GValue * values,
    G_GNUC_UNUSED gpointer data)
{
  SoupMessageHeaders *headers = soup_message_get_response_headers
      (g_value_get_object (&values[0]));
  GPtrArray *kept = g_ptr_array_new_with_free_func (g_free);
  guint i;

  soup_message_headers_foreach (headers, add_if_known, kept);
  soup_message_headers_clear (headers);
  for (i = 0; i < kept->len; i += 2)
    soup_message_headers_append (headers, g_ptr_array_index (kept, i),
        g_ptr_array_index (kept, i + 1));
  g_ptr_array_unref (kept);
  return TRUE;
}

/* GStreamer sends all requests of a camera in one thread. */
static void
wait_for_turn (void)
{
  static GPrivate last = G_PRIVATE_INIT (g_free);
  gint64 *time = g_private_get (&last);
  const gint64 now = g_get_monotonic_time ();

  if (!time) {
    time = g_new0 (gint64, 1);
    g_private_set (&last, time);
  }
  *time = MAX (now, *time
      + VHM_MIN_REQUEST_INTERVAL_MS * G_TIME_SPAN_MILLISECOND);
  if (*time > now)
    g_usleep (*time - now);
}

static gboolean
on_starting (G_GNUC_UNUSED GSignalInvocationHint * hint,
    G_GNUC_UNUSED guint n, const GValue * values,
    G_GNUC_UNUSED gpointer data)
{
  if (g_thread_self () != main_thread)
    wait_for_turn ();
  soup_message_headers_remove (soup_message_get_request_headers
      (g_value_get_object (&values[0])), "Referer");
  return TRUE;
}

void
vhm_http_answers_start (void)
{
  const GType type = SOUP_TYPE_MESSAGE;
  gpointer klass = g_type_class_ref (type);

  main_thread = g_thread_self ();
  g_signal_add_emission_hook (g_signal_lookup ("got-headers", type), 0,
      on_got_headers, NULL, NULL);
  g_signal_add_emission_hook (g_signal_lookup ("starting", type), 0,
      on_starting, NULL, NULL);
  g_type_class_unref (klass);
}
