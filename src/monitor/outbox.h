/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept of outputs, so that kill -9 loses nothing: how far each is in
 * the events, which of them it could not deliver, and which topics a broker
 * has. For the main thread. */
#pragma once

#include "store.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 number;               /* of the last event that it has done */
  guint64 queued;               /* events that it has not, and those that are to
                                 * be tried again */
  guint64 dead;                 /* that it gave up */
} VhmOutbox;

/* A VhmOutbox. An output that is new has done all events that there are. */
void vhm_outbox_open (VhmStore * store, const gchar * output,
    VhmAnswer answer, gpointer data);

/* A GPtrArray of VhmEvent in their order, at most @limit: those that are to be
 * tried again, and those with numbers above @after. */
void vhm_outbox_list (VhmStore * store, const gchar * output, guint64 after,
    guint limit, VhmAnswer answer, gpointer data);

/* It has done the event of this number, and all before. @answer may be NULL. No
 * result; it is not written if there is a reason. */
void vhm_outbox_done (VhmStore * store, const gchar * output, guint64 number,
    VhmAnswer answer, gpointer data);

/* It gave this one up, and has done all up to @done. No result; it is not so if
 * there is a reason. */
void vhm_outbox_give_up (VhmStore * store, const gchar * output,
    guint64 number, guint64 done, const gchar * reason, VhmAnswer answer,
    gpointer data);

/* An event that was given up. */
typedef struct
{
  guint64 id;
  gchar *output;
  gint64 time;                  /* µs since 1970 that it was given up at */
  gchar *reason;
  gboolean queued;              /* it is to be tried again */
  VhmEvent *event;
} VhmDeadLetter;

/* A GPtrArray of VhmDeadLetter with ids above @after, in their order, at most
 * @limit. */
void vhm_outbox_list_dead (VhmStore * store, guint64 after, guint limit,
    VhmAnswer answer, gpointer data);

/* Has the one with @id, or all if it is 0, tried again or forgotten. @outputs,
 * of gchar *, which it takes, are those that there are: what another one gave
 * up cannot be tried again, and is forgotten although it is queued. A guint64:
 * how many these were. */
void vhm_outbox_requeue (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data);
void vhm_outbox_discard (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data);

/* A GPtrArray of gchar *: the topics that a broker may have. */
void vhm_outbox_list_topics (VhmStore * store, VhmAnswer answer,
    gpointer data);

/* Of gchar *; takes @topics. No result; they are not kept if there is a
 * reason. */
void vhm_outbox_keep_topics (VhmStore * store, GPtrArray * topics,
    VhmAnswer answer, gpointer data);
void vhm_outbox_forget_topic (VhmStore * store, const gchar * topic);

G_END_DECLS
