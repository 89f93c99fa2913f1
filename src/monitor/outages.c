/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outages.h"

#include "address.h"

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
  GHashTable *hosts, *groups;   /* of its cameras */
  guint cameras;                /* at one of these hosts, or in one of these
                                 * groups */
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
  g_hash_table_unref (outage->groups);
  g_hash_table_unref (outage->hosts);
  g_free (outage);
}

VhmPlace *
vhm_place_new (const gchar * camera, const gchar * uri, const gchar * group)
{
  VhmPlace *place = g_new (VhmPlace, 1);

  place->camera = g_strdup (camera);
  place->host = vhm_address_get_host (uri);
  place->group = g_strdup (group);
  return place;
}

void
vhm_place_free (VhmPlace * place)
{
  g_free (place->camera);
  g_free (place->host);
  g_free (place->group);
  g_free (place);
}

static GHashTable *
make_names (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static Outage *
add_outage (VhmOutages * outages, gint64 id)
{
  Outage *outage = g_new0 (Outage, 1);

  outage->id = id;
  outage->hosts = make_names ();
  outage->groups = make_names ();
  outage->lost = make_names ();
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

static gboolean
is_at (const Outage * outage, const VhmPlace * place)
{
  return (place->host && g_hash_table_contains (outage->hosts, place->host))
      || (place->group && g_hash_table_contains (outage->groups,
          place->group));
}

/* The outage that a loss at @place at @now belongs to, or NULL. */
static Outage *
find_beginning (const VhmOutages * outages, const VhmPlace * place, gint64 now)
{
  guint i;

  for (i = 0; i < outages->all->len; i++) {
    Outage *outage = g_ptr_array_index (outages->all, i);

    /* Once cameras come back, another loss starts a new outage. */
    if (is_at (outage, place) && outage->begin.first && !outage->end.first
        && now - outage->begin.first < MAX_START_SPREAD)
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

static const VhmPlace *
find_place (const GPtrArray * places, const gchar * camera)
{
  guint i;

  for (i = 0; i < places->len; i++) {
    const VhmPlace *place = g_ptr_array_index (places, i);

    if (g_str_equal (place->camera, camera))
      return place;
  }
  return NULL;
}

/* Whether another camera could be lost together with that at @place. */
static gboolean
has_neighbour (const GPtrArray * places, const VhmPlace * place)
{
  guint i;

  for (i = 0; i < places->len; i++) {
    const VhmPlace *other = g_ptr_array_index (places, i);

    if (other != place && ((place->host
                && !g_strcmp0 (other->host, place->host)) || (place->group
                && !g_strcmp0 (other->group, place->group))))
      return TRUE;
  }
  return FALSE;
}

/* Makes the camera at @place, which is in @places, part of the outage. */
static void
add_place (Outage * outage, const VhmPlace * place, const GPtrArray * places)
{
  guint i;

  if (place->host)
    g_hash_table_add (outage->hosts, g_strdup (place->host));
  if (place->group)
    g_hash_table_add (outage->groups, g_strdup (place->group));
  outage->cameras = 0;
  for (i = 0; i < places->len; i++)
    outage->cameras += is_at (outage, g_ptr_array_index (places, i));
  g_hash_table_add (outage->lost, g_strdup (place->camera));
}

static void
note_lost (VhmOutages * outages, VhmEvent * event, const GPtrArray * places,
    gint64 now)
{
  const VhmPlace *place = find_place (places, event->camera);
  Outage *outage;

  if (!place || !has_neighbour (places, place))
    return;
  outage = find_beginning (outages, place, now);
  if (!outage) {
    /* Ids are unique, even if the clock is set back. */
    outages->last = MAX (outages->last + 1, event->time);
    outage = add_outage (outages, outages->last);
    outage->begin.first = now;
  }
  add_place (outage, place, places);
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
vhm_outages_note (VhmOutages * outages, VhmEvent * event,
    const GPtrArray * places)
{
  const gint64 now = g_get_monotonic_time ();

  remove_past (outages, now);
  if (event->active)
    note_lost (outages, event, places, now);
  else
    note_back (outages, event, now);
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
vhm_outages_recall (VhmOutages * outages, const VhmEvent * event)
{
  Outage *outage = find_outage (outages, event->outage);

  if (!event->outage || !event->active
      || find_lost (outages, event->camera))
    return;
  if (!outage)
    outage = add_outage (outages, event->outage);
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
