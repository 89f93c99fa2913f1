/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "offlinelog.h"

#include "core/duration.h"

/* Maximum number of different reasons to log. Reasons that contain a number
 * could differ without end. */
#define MAX_REASONS 16

struct _VhmOfflineLog
{
  gchar *camera;
  gint64 proven;
  gboolean seen;                /* has ever sent frames */
  gint64 since;                 /* when the last frame before this absence came;
                                 * 0: not absent */
  gint64 first_frame;           /* after coming back; 0: not back */
  gboolean comes_and_goes;
  GHashTable *said;             /* logged reasons */
};

VhmOfflineLog *
vhm_offline_log_new (const gchar * camera, gint64 proven)
{
  VhmOfflineLog *log = g_new0 (VhmOfflineLog, 1);

  log->camera = g_strdup (camera);
  log->proven = proven;
  log->said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  return log;
}

void
vhm_offline_log_free (VhmOfflineLog * log)
{
  g_hash_table_unref (log->said);
  g_free (log->camera);
  g_free (log);
}

/* Whether @reason has not been logged yet; marks it as logged. */
static gboolean
is_new (VhmOfflineLog * log, const gchar * reason)
{
  return g_hash_table_size (log->said) < MAX_REASONS
      && g_hash_table_add (log->said, g_strdup (reason));
}

void
vhm_offline_log_fail (VhmOfflineLog * log, const gchar * reason, gint64 last,
    gint64 now)
{
  if (!log->since) {
    log->since = last;
    log->comes_and_goes = FALSE;
    g_hash_table_remove_all (log->said);
    is_new (log, reason);
    g_message ("camera %s: offline: %s", log->camera, reason);
  } else if (log->first_frame && !log->comes_and_goes) {
    gchar *time = vh_duration_print ((now - log->first_frame) / 1e6);

    log->comes_and_goes = TRUE;
    is_new (log, reason);
    g_message ("camera %s: offline again %s after coming back: %s",
        log->camera, time, reason);
    g_free (time);
  } else if (is_new (log, reason)) {
    g_message ("camera %s: still offline: %s", log->camera, reason);
  }
  log->first_frame = 0;
}

static void
log_back (const VhmOfflineLog * log)
{
  gchar *time = vh_duration_print ((log->first_frame - log->since) / 1e6);

  g_message ("camera %s: back online after %s", log->camera, time);
  g_free (time);
}

void
vhm_offline_log_end (VhmOfflineLog * log, gint64 now)
{
  gboolean proven;

  if (!log->seen && !log->since)
    g_message ("camera %s: online", log->camera);
  log->seen = TRUE;
  if (!log->since)
    return;
  if (!log->first_frame) {
    log->first_frame = now;
    if (!log->comes_and_goes)
      log_back (log);
  }
  proven = now - log->first_frame > log->proven;
  if (proven && log->comes_and_goes)
    log_back (log);
  if (proven)
    log->since = log->first_frame = 0;
}

void
vhm_offline_log_note (VhmOfflineLog * log, const gchar * text)
{
  if (is_new (log, text))
    g_message ("camera %s: %s", log->camera, text);
}
