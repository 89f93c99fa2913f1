/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "learning.h"

/* For how long an element does not repeat a warning, µs. */
#define MIN_WARNING_INTERVAL G_TIME_SPAN_MINUTE

static atomic_uint n_unsaved, n_failed;

static void
on_warning (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    VhmLearning * learning)
{
  GError *error;

  if (!vhm_health_element_is (learning->health, GST_MESSAGE_SRC (message)))
    return;
  gst_message_parse_warning (message, &error, NULL);
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ))
    atomic_store (&learning->failed, g_get_monotonic_time ());
  g_error_free (error);
}

static void
on_state_changed (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    VhmLearning * learning)
{
  const gint64 failed = atomic_load (&learning->failed);
  GstState before, after;

  gst_message_parse_state_changed (message, &before, &after, NULL);
  if (before != GST_STATE_PAUSED || after != GST_STATE_READY
      || !vhm_health_element_is (learning->health, GST_MESSAGE_SRC (message)))
    return;
  if (atomic_exchange (&learning->unsaved, FALSE))
    atomic_fetch_sub (&n_unsaved, 1);
  /* The element does not repeat a warning at once, so an earlier warning may be
   * the only one about this save. */
  if (failed && g_get_monotonic_time () - failed < MIN_WARNING_INTERVAL)
    atomic_fetch_add (&n_failed, 1);
}

void
vhm_learning_watch (VhmLearning * learning, GstBus * bus,
    const VhmHealthElement * health)
{
  learning->health = health;
  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (bus, "sync-message::warning", G_CALLBACK (on_warning),
      learning);
  g_signal_connect (bus, "sync-message::state-changed",
      G_CALLBACK (on_state_changed), learning);
}

void
vhm_learning_begin (VhmLearning * learning)
{
  atomic_store (&learning->unsaved, TRUE);
  atomic_fetch_add (&n_unsaved, 1);
}

guint
vhm_learning_count_unsaved (void)
{
  return atomic_load (&n_unsaved);
}

guint
vhm_learning_count_failed (void)
{
  return atomic_load (&n_failed);
}
