/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets clients take turns: answers one request in each iteration of the main
 * loop, so that many requests of one client do not delay those of others, nor
 * anything else. */
#pragma once

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmTurns VhmTurns;

typedef void (*VhmTurnFunc) (gpointer data, SoupServerMessage * message);

/* @answer answers a request, or pauses it, when its turn comes. */
VhmTurns *vhm_turns_new (VhmTurnFunc answer, gpointer data);
void vhm_turns_free (VhmTurns * turns);

/* Pauses @message until the turn of the client named @peer comes. */
void vhm_turns_add (VhmTurns * turns, SoupServerMessage * message,
    const gchar * peer);

G_END_DECLS
