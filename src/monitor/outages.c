/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outages.h"

/* How long after the first event of an outage other events can join it, µs.
 * When a server is killed, its cameras are lost within a second; they come back
 * one by one, as their attempts to reconnect are due. */
#define MAX_START_SPREAD (3 * G_TIME_SPAN_SECOND)
#define MAX_END_SPREAD (20 * G_TIME_SPAN_SECOND)

/* The events of one outage that start it, or those that end it. */
typedef struct
{
  gint64 first;                 /* monotonic µs of the first one; 0: none yet */
  guint count;
  guint unstored;               /* of those, without a number yet */
  guint64 last;                 /* number of the last one */
} Side;

typedef struct
{
  gint64 id;
  gchar *host;
  guint cameras;                /* at the host */
  GHashTable *lost;             /* names of cameras that are not back */
  Side begin, end;
} Outage;

struct _VhmOutages
{
  GPtrArray *all;               /* of Outage */
  gint64 last;                  /* id */
};

static void
outage_free (gpointer data)
{
  Outage *outage = data;

  g_hash_table_unref (outage->lost);
  g_free (outage->host);
  g_free (outage);
}

static Outage *
add_outage (VhmOutages * outages, gint64 id, const gchar * host)
{
  Outage *outage = g_new0 (Outage, 1);

  outage->id = id;
  outage->host = g_strdup (host);
  outage->lost = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (outages->all, outage);
  return outage;
}

static Outage *
find_outage (const VhmOutages * outages, gint64 id)
{
  guint i;

  for (i = 0; i < outages->all->len; i++) {
    Outage *outage = g_ptr_array_index (outages->all, i);

    if (outage->id == id)
      return outage;
  }
  return NULL;
}

/* The outage that a loss at @host at @now belongs to, or NULL. */
static Outage *
find_beginning (const VhmOutages * outages, const gchar * host, gint64 now)
{
  guint i;

  for (i = 0; i < outages->all->len; i++) {
    Outage *outage = g_ptr_array_index (outages->all, i);

    /* Once cameras come back, another loss starts a new outage. */
    if (g_str_equal (outage->host, host) && outage->begin.first
        && !outage->end.first && now - outage->begin.first < MAX_START_SPREAD)
      return outage;
  }
  return NULL;
}

/* The outage in which @camera was lost. */
static Outage *
find_lost (const VhmOutages * outages, const gchar * camera)
{
  guint i;

  for (i = 0; i < outages->all->len; i++) {
    Outage *outage = g_ptr_array_index (outages->all, i);

    if (g_hash_table_contains (outage->lost, camera))
      return outage;
  }
  return NULL;
}

/* Removes outages that are over and have been reported. */
static void
remove_past (VhmOutages * outages, gint64 now)
{
  guint i;

  for (i = outages->all->len; i > 0; i--) {
    const Outage *outage = g_ptr_array_index (outages->all, i - 1);

    if (!g_hash_table_size (outage->lost) && !outage->begin.unstored
        && !outage->end.unstored && now - outage->begin.first > MAX_END_SPREAD
        && now - outage->end.first > MAX_END_SPREAD)
      g_ptr_array_remove_index (outages->all, i - 1);
  }
}

static void
note_in (VhmEvent * event, Outage * outage, Side * side)
{
  event->outage = outage->id;
  side->count++;
  side->unstored++;
}

static void
note_lost (VhmOutages * outages, VhmEvent * event, const gchar * host,
    guint cameras, gint64 now)
{
  Outage *outage = find_beginning (outages, host, now);

  if (!outage) {
    /* Ids are unique, even if the clock is set back. */
    outages->last = MAX (outages->last + 1, event->time);
    outage = add_outage (outages, outages->last, host);
    outage->begin.first = now;
  }
  outage->cameras = MAX (outage->cameras, cameras);
  g_hash_table_add (outage->lost, g_strdup (event->camera));
  note_in (event, outage, &outage->begin);
}

static void
note_back (VhmOutages * outages, VhmEvent * event, gint64 now)
{
  Outage *outage = find_lost (outages, event->camera);

  if (!outage)
    return;
  g_hash_table_remove (outage->lost, event->camera);
  if (!outage->end.first || now - outage->end.first >= MAX_END_SPREAD)
    outage->end.first = now;
  note_in (event, outage, &outage->end);
}

void
vhm_outages_note (VhmOutages * outages, VhmEvent * event, const gchar * host,
    guint cameras)
{
  const gint64 now = g_get_monotonic_time ();

  remove_past (outages, now);
  if (event->condition != GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
    return;
  if (!event->active)
    note_back (outages, event, now);
  else if (host && cameras > 1)
    note_lost (outages, event, host, cameras, now);
}

void
vhm_outages_note_stored (VhmOutages * outages, const VhmEvent * event)
{
  Outage *outage = find_outage (outages, event->outage);
  Side *side;

  if (!outage)
    return;
  side = event->active ? &outage->begin : &outage->end;
  side->unstored -= MIN (side->unstored, 1);
  side->last = MAX (side->last, event->number);
}

void
vhm_outages_recall (VhmOutages * outages, const VhmEvent * event,
    const gchar * host)
{
  Outage *outage = find_outage (outages, event->outage);

  if (!event->outage || !event->active || !host
      || find_lost (outages, event->camera))
    return;
  if (!outage)
    outage = add_outage (outages, event->outage, host);
  outages->last = MAX (outages->last, event->outage);
  g_hash_table_add (outage->lost, g_strdup (event->camera));
}

void
vhm_outages_forget (VhmOutages * outages, const gchar * camera)
{
  Outage *outage = find_lost (outages, camera);

  if (outage)
    g_hash_table_remove (outage->lost, camera);
}

gboolean
vhm_outages_is_complete (const VhmOutages * outages, const VhmEvent * event,
    guint64 listed)
{
  const Outage *outage = find_outage (outages, event->outage);
  const gint64 now = g_get_monotonic_time ();
  const Side *side;

  if (!outage)
    return TRUE;
  side = event->active ? &outage->begin : &outage->end;
  if (side->unstored || side->last > listed)
    return FALSE;
  if (event->active)
    return side->count >= outage->cameras
        || now - side->first >= MAX_START_SPREAD;
  return !g_hash_table_size (outage->lost)
      || now - side->first >= MAX_END_SPREAD;
}

VhmOutages *
vhm_outages_new (void)
{
  VhmOutages *outages = g_new0 (VhmOutages, 1);

  outages->all = g_ptr_array_new_with_free_func (outage_free);
  return outages;
}

void
vhm_outages_free (VhmOutages * outages)
{
  g_ptr_array_unref (outages->all);
  g_free (outages);
}
