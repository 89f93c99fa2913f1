/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log.h"

#include <gst/check/gstcheck.h>

G_LOCK_DEFINE_STATIC (kept);
static GQueue kept = G_QUEUE_INIT;

static void
keep (G_GNUC_UNUSED const gchar * domain, G_GNUC_UNUSED GLogLevelFlags level,
    const gchar * message, G_GNUC_UNUSED gpointer user_data)
{
  G_LOCK (kept);
  g_queue_push_tail (&kept, g_strdup (message));
  G_UNLOCK (kept);
}

void
test_log_catch (void)
{
  g_log_set_handler ("GStreamer-VideoHistogram", G_LOG_LEVEL_WARNING, keep,
      NULL);
  /* Newer versions of GLib log a critical for a value out of range, which
   * G_DEBUG would make fatal. */
  g_log_set_handler ("GLib-GObject", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL,
      keep, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
}

/* Takes the oldest warning, or returns NULL. */
static gchar *
take_warning (void)
{
  gchar *message;

  G_LOCK (kept);
  message = g_queue_pop_head (&kept);
  G_UNLOCK (kept);
  return message;
}

void
test_log_expect (const gchar * word, ...)
{
  gchar *message = take_warning ();
  va_list words;

  fail_unless (message != NULL, "no warning that names %s", word);
  va_start (words, word);
  for (; word; word = va_arg (words, const gchar *))
      fail_unless (strstr (message, word) != NULL,
        "the warning does not name %s: %s", word, message);
  va_end (words);
  g_free (message);
}

void
test_log_expect_nothing (void)
{
  gchar *message = take_warning ();

  fail_unless (message == NULL, "unexpected warning: %s", message);
}
