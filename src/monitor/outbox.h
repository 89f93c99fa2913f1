/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Persistent state of outputs, so that even kill -9 loses nothing: the progress
 * of each output, its dead letters, and the topics that a broker has retained.
 * For the main thread. */
#pragma once

#include "storedevents.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 number;               /* of the last event that it is done with */
  guint64 queued;               /* later events, and requeued dead letters */
  guint64 dead;                 /* dead letters that are not queued */
} VhmOutbox;

/* Answers with a VhmOutbox. A new output counts as done with all events so
 * far. */
void vhm_outbox_open (VhmStore * store, const gchar * output,
    VhmAnswer answer, gpointer data);

/* Answers with a GPtrArray of at most @limit VhmEvents, in order: requeued dead
 * letters first, then events with numbers above @after. */
void vhm_outbox_list (VhmStore * store, const gchar * output, guint64 after,
    guint limit, VhmAnswer answer, gpointer data);

/* Records that the output is done with event @number and all earlier ones.
 * @answer may be NULL; it gets no result, and a reason if writing failed. */
void vhm_outbox_done (VhmStore * store, const gchar * output, guint64 number,
    VhmAnswer answer, gpointer data);

/* Makes the event a dead letter, and records that the output is done with all
 * up to @done. @answer gets no result, and a reason if writing failed. */
void vhm_outbox_give_up (VhmStore * store, const gchar * output,
    guint64 number, guint64 done, const gchar * reason, VhmAnswer answer,
    gpointer data);

/* An event that an output gave up on. */
typedef struct
{
  guint64 id;
  gchar *output;
  gint64 time;                  /* when it was given up, µs since 1970 */
  gchar *reason;
  gboolean queued;              /* for another attempt */
  VhmEvent *event;
} VhmDeadLetter;

/* Answers with a GPtrArray of at most @limit VhmDeadLetters with ids above
 * @after, in order. */
void vhm_outbox_list_dead (VhmStore * store, guint64 after, guint limit,
    VhmAnswer answer, gpointer data);

/* Requeues or discards the dead letter with @id, or all if it is 0.
 * @outputs are the names of the configured outputs, as gchar *; takes
 * ownership. Dead letters of other outputs cannot be requeued, and can be
 * discarded even if they are queued. Answers with the number of changed
 * dead letters, a guint64. */
void vhm_outbox_requeue (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data);
void vhm_outbox_discard (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data);

/* Answers with a GPtrArray of gchar *: the topics that a broker may have
 * retained. */
void vhm_outbox_list_topics (VhmStore * store, VhmAnswer answer,
    gpointer data);

/* Stores @topics, of gchar *, which it takes. @answer gets no result, and a
 * reason if writing failed. */
void vhm_outbox_keep_topics (VhmStore * store, GPtrArray * topics,
    VhmAnswer answer, gpointer data);
void vhm_outbox_forget_topic (VhmStore * store, const gchar * topic);

G_END_DECLS
