/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "turns.h"

/* A request that waits. There are at most as many as connections. */
typedef struct
{
  VhmTurns *turns;
  SoupServerMessage *message;
  gchar *peer;
  gulong finished;              /* signal handler */
} Turn;

struct _VhmTurns
{
  VhmTurnFunc answer;
  gpointer data;
  GQueue waiting;               /* of Turn, in their order */
  GHashTable *answered;         /* names of the clients that had their turn in
                                 * this round */
  guint source;                 /* 0 while nothing waits */
};

static void
turn_free (gpointer data)
{
  Turn *turn = data;

  g_signal_handler_disconnect (turn->message, turn->finished);
  g_object_unref (turn->message);
  g_free (turn->peer);
  g_free (turn);
}

/* The oldest request of a client that had no turn in this round. If there is
 * none, another round begins. */
static Turn *
take_next (VhmTurns * turns)
{
  GList *l = turns->waiting.head;
  Turn *turn;

  while (l && g_hash_table_contains (turns->answered, ((Turn *) l->data)->peer))
    l = l->next;
  if (!l) {
    g_hash_table_remove_all (turns->answered);
    l = turns->waiting.head;
  }
  turn = l->data;
  g_queue_delete_link (&turns->waiting, l);
  g_hash_table_add (turns->answered, g_strdup (turn->peer));
  return turn;
}

static gboolean
on_turn (gpointer data)
{
  VhmTurns *turns = data;
  Turn *turn;

  if (turns->waiting.head) {
    turn = take_next (turns);
    /* A handler may pause it again. */
    soup_server_message_unpause (turn->message);
    turns->answer (turns->data, turn->message);
    turn_free (turn);
  }
  if (turns->waiting.head)
    return G_SOURCE_CONTINUE;
  g_hash_table_remove_all (turns->answered);
  turns->source = 0;
  return G_SOURCE_REMOVE;
}

static void
on_finished (G_GNUC_UNUSED SoupServerMessage * message, gpointer data)
{
  Turn *turn = data;

  g_queue_remove (&turn->turns->waiting, turn);
  turn_free (turn);
}

VhmTurns *
vhm_turns_new (VhmTurnFunc answer, gpointer data)
{
  VhmTurns *turns = g_new0 (VhmTurns, 1);

  turns->answer = answer;
  turns->data = data;
  turns->answered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  g_queue_init (&turns->waiting);
  return turns;
}

void
vhm_turns_free (VhmTurns * turns)
{
  g_queue_clear_full (&turns->waiting, turn_free);
  if (turns->source)
    g_source_remove (turns->source);
  g_hash_table_unref (turns->answered);
  g_free (turns);
}

void
vhm_turns_add (VhmTurns * turns, SoupServerMessage * message,
    const gchar * peer)
{
  Turn *turn = g_new0 (Turn, 1);

  turn->turns = turns;
  turn->message = g_object_ref (message);
  turn->peer = g_strdup (peer);
  turn->finished = g_signal_connect (message, "finished",
      G_CALLBACK (on_finished), turn);
  g_queue_push_tail (&turns->waiting, turn);
  soup_server_message_pause (message);
  if (!turns->source)
    turns->source = g_idle_add_full (G_PRIORITY_DEFAULT, on_turn, turns, NULL);
}
