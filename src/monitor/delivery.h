/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hands events to an output in their order, each once it is stored and until
 * the output is done with it, over restarts of the program too. What belongs
 * to one outage is handed out together. For the main thread. */
#pragma once

#include "fleet.h"
#include "outbox.h"

G_BEGIN_DECLS

typedef struct _VhmDelivery VhmDelivery;

/* The output is to deliver @events, of VhmEvent: one, or those of cameras of
 * one host that were lost, or came back, together. It may call
 * vhm_delivery_done() and vhm_delivery_give_up() from in here. */
typedef void (*VhmDeliver) (gpointer data, const GPtrArray * events);

/* Begins where the output of this name was before. It is handed @window
 * deliveries at most before it is done with the first of them. */
VhmDelivery *vhm_delivery_new (VhmFleet * fleet, const gchar * output,
    guint window, VhmDeliver deliver, gpointer data);
void vhm_delivery_free (VhmDelivery * delivery);

/* The output can deliver from now on. What it was not done with is handed to it
 * again. */
void vhm_delivery_start (VhmDelivery * delivery);
void vhm_delivery_stop (VhmDelivery * delivery);

/* An event is stored. */
void vhm_delivery_note (VhmDelivery * delivery);

/* The picture of the event of this number is stored. */
void vhm_delivery_note_picture (VhmDelivery * delivery, guint64 number);

/* Dead letters are to be tried again, or were forgotten. */
void vhm_delivery_recount (VhmDelivery * delivery);

/* To be called several times a second. */
void vhm_delivery_tick (VhmDelivery * delivery);

/* Done with the events that were handed out together with the one of this
 * number. */
void vhm_delivery_done (VhmDelivery * delivery, guint64 number);

/* The events that it has become dead letters; only where the window is 1. */
void vhm_delivery_give_up (VhmDelivery * delivery, const gchar * reason);

/* Events that wait, were done since the program started, and were given
 * up. */
void vhm_delivery_get_counts (const VhmDelivery * delivery, guint64 * queued,
    guint64 * delivered, guint64 * dead);

G_END_DECLS
