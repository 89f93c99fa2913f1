/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "retained.h"

#include "outbox.h"

typedef struct
{
  gchar *topic;
  gboolean wanted;
  gchar *payload;               /* NULL if it is not known yet */
  gboolean kept, keeping;       /* the topic is, or is being, stored */
  gboolean sent;                /* current payload, or deletion, was sent over
                                 * this connection */
  gint deletion;                /* number of the message that deletes the topic,
                                 * or -1 */
} Entry;

struct _VhmRetained
{
  VhmStore *store;              /* NULL after vhm_retained_free() */
  VhmBroker *broker;            /* or NULL */
  GPtrArray *entries;           /* of Entry, in order */
  GHashTable *by_topic;         /* topic -> Entry */
  gboolean loaded, loading;
  gboolean blind;               /* the store failed to read or write topics:
                                 * alarms do not wait for it */
  gboolean complete;            /* all wanted topics are known */
  gboolean keeping;             /* topics are being stored */
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->topic);
  g_free (entry->payload);
  g_free (entry);
}

/* Called after the last answer of the store, which may come after
 * vhm_retained_free(). */
static void
clear_retained (gpointer data)
{
  VhmRetained *retained = data;

  g_hash_table_unref (retained->by_topic);
  g_ptr_array_unref (retained->entries);
}

static void
retained_unref (VhmRetained * retained)
{
  g_rc_box_release_full (retained, clear_retained);
}

static Entry *
get_entry (VhmRetained * retained, const gchar * topic)
{
  Entry *entry = g_hash_table_lookup (retained->by_topic, topic);

  if (entry)
    return entry;
  entry = g_new0 (Entry, 1);
  entry->topic = g_strdup (topic);
  entry->deletion = -1;
  g_ptr_array_add (retained->entries, entry);
  g_hash_table_insert (retained->by_topic, entry->topic, entry);
  return entry;
}

/* To the broker */

static void
publish_entry (VhmRetained * retained, Entry * entry)
{
  const gchar *payload = entry->wanted ? entry->payload : "";
  gint message;

  /* The topic is stored before it is published: if the program is killed in
   * between, the next run can still delete it. */
  if (!payload || entry->sent || !(entry->kept || retained->blind))
    return;
  message = vhm_broker_publish (retained->broker, entry->topic, payload, TRUE);
  entry->sent = message >= 0;
  entry->deletion = entry->wanted ? -1 : message;
}

static gboolean
can_publish (const VhmRetained * retained)
{
  return retained->broker && retained->complete
      && (retained->loaded || retained->blind);
}

static void
publish_all (VhmRetained * retained)
{
  guint i;

  for (i = 0; can_publish (retained) && i < retained->entries->len; i++)
    publish_entry (retained, g_ptr_array_index (retained->entries, i));
}

static void
on_kept (gpointer data, G_GNUC_UNUSED gpointer result, const gchar * why)
{
  VhmRetained *retained = data;
  guint i;

  retained->keeping = FALSE;
  retained->blind = why != NULL;
  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    entry->kept |= entry->keeping && !why;
    entry->keeping = FALSE;
  }
  /* The next tick retries what failed. */
  if (retained->store)
    publish_all (retained);
  retained_unref (retained);
}

static void
store_topics (VhmRetained * retained)
{
  GPtrArray *topics = g_ptr_array_new_with_free_func (g_free);
  guint i;

  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    entry->keeping = entry->wanted && !entry->kept;
    if (entry->keeping)
      g_ptr_array_add (topics, g_strdup (entry->topic));
  }
  if (!topics->len) {
    g_ptr_array_unref (topics);
    return;
  }
  retained->keeping = TRUE;
  vhm_outbox_keep_topics (retained->store, topics, on_kept,
      g_rc_box_acquire (retained));
}

/* Stores and publishes everything not yet sent over this connection. */
static void
publish_due (VhmRetained * retained)
{
  if (!can_publish (retained))
    return;
  if (!retained->keeping)
    store_topics (retained);
  publish_all (retained);
}

/* Topics published before a restart */

static void
on_loaded (gpointer data, gpointer result, const gchar * why)
{
  VhmRetained *retained = data;
  const GPtrArray *topics = result;
  guint i;

  retained->loading = FALSE;
  retained->blind |= why != NULL;
  if (retained->store && !why) {
    for (i = 0; i < topics->len; i++)
      get_entry (retained, g_ptr_array_index (topics, i))->kept = TRUE;
    retained->loaded = TRUE;
    publish_due (retained);
  }
  retained_unref (retained);
}

static void
load_topics (VhmRetained * retained)
{
  retained->loading = TRUE;
  vhm_outbox_list_topics (retained->store, on_loaded,
      g_rc_box_acquire (retained));
}

VhmRetained *
vhm_retained_new (VhmStore * store)
{
  VhmRetained *retained = g_rc_box_new0 (VhmRetained);

  retained->store = store;
  retained->entries = g_ptr_array_new_with_free_func (entry_free);
  retained->by_topic = g_hash_table_new (g_str_hash, g_str_equal);
  load_topics (retained);
  return retained;
}

void
vhm_retained_free (VhmRetained * retained)
{
  retained->store = NULL;
  retained_unref (retained);
}

void
vhm_retained_set_broker (VhmRetained * retained, VhmBroker * broker)
{
  guint i;

  retained->broker = broker;
  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    entry->sent = FALSE;
    entry->deletion = -1;
  }
  publish_due (retained);
}

void
vhm_retained_begin (VhmRetained * retained)
{
  guint i;

  retained->complete = FALSE;
  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    entry->sent &= entry->wanted;
    entry->wanted = FALSE;
  }
}

void
vhm_retained_end (VhmRetained * retained)
{
  guint i;

  retained->complete = TRUE;
  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    entry->sent &= entry->wanted;
  }
  publish_due (retained);
}

void
vhm_retained_set (VhmRetained * retained, const gchar * topic,
    const gchar * payload)
{
  Entry *entry = get_entry (retained, topic);

  entry->wanted = TRUE;
  if (payload && g_strcmp0 (entry->payload, payload)) {
    g_free (entry->payload);
    entry->payload = g_strdup (payload);
    entry->sent = FALSE;
  }
  if (!can_publish (retained))
    return;
  if (entry->kept)
    publish_entry (retained, entry);
  else
    publish_due (retained);
}

void
vhm_retained_published (VhmRetained * retained, gint message)
{
  guint i;

  for (i = 0; i < retained->entries->len; i++) {
    Entry *entry = g_ptr_array_index (retained->entries, i);

    if (entry->deletion != message || entry->wanted)
      continue;
    vhm_outbox_forget_topic (retained->store, entry->topic);
    g_hash_table_remove (retained->by_topic, entry->topic);
    g_ptr_array_remove_index (retained->entries, i);
    return;
  }
}

void
vhm_retained_tick (VhmRetained * retained)
{
  if (!retained->loaded && !retained->loading)
    load_topics (retained);
  publish_due (retained);
}
