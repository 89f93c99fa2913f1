/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "absence.h"

/* Maximum number of different reasons to log. Reasons that contain a number
 * could differ without end. */
#define MOST_REASONS 16

struct _VhmAbsence
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

VhmAbsence *
vhm_absence_new (const gchar * camera, gint64 proven)
{
  VhmAbsence *absence = g_new0 (VhmAbsence, 1);

  absence->camera = g_strdup (camera);
  absence->proven = proven;
  absence->said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  return absence;
}

void
vhm_absence_free (VhmAbsence * absence)
{
  g_hash_table_unref (absence->said);
  g_free (absence->camera);
  g_free (absence);
}

/* Whether @reason has not been logged yet; marks it as logged. */
static gboolean
is_new (VhmAbsence * absence, const gchar * reason)
{
  return g_hash_table_size (absence->said) < MOST_REASONS
      && g_hash_table_add (absence->said, g_strdup (reason));
}

void
vhm_absence_fail (VhmAbsence * absence, const gchar * reason, gint64 last,
    gint64 now)
{
  if (!absence->since) {
    absence->since = last;
    absence->comes_and_goes = FALSE;
    g_hash_table_remove_all (absence->said);
    is_new (absence, reason);
    g_message ("camera %s: offline: %s", absence->camera, reason);
  } else if (absence->first_frame && !absence->comes_and_goes) {
    absence->comes_and_goes = TRUE;
    is_new (absence, reason);
    g_message ("camera %s: offline again %.0f seconds after coming back: %s",
        absence->camera, (now - absence->first_frame) / 1e6, reason);
  } else if (is_new (absence, reason)) {
    g_message ("camera %s: still offline: %s", absence->camera, reason);
  }
  absence->first_frame = 0;
}

static void
log_back (const VhmAbsence * absence)
{
  g_message ("camera %s: back online after %.0f seconds", absence->camera,
      (absence->first_frame - absence->since) / 1e6);
}

void
vhm_absence_end (VhmAbsence * absence, gint64 now)
{
  gboolean proven;

  if (!absence->seen && !absence->since)
    g_message ("camera %s: online", absence->camera);
  absence->seen = TRUE;
  if (!absence->since)
    return;
  if (!absence->first_frame) {
    absence->first_frame = now;
    if (!absence->comes_and_goes)
      log_back (absence);
  }
  proven = now - absence->first_frame > absence->proven;
  if (proven && absence->comes_and_goes)
    log_back (absence);
  if (proven)
    absence->since = absence->first_frame = 0;
}

void
vhm_absence_note (VhmAbsence * absence, const gchar * text)
{
  if (is_new (absence, text))
    g_message ("camera %s: %s", absence->camera, text);
}
