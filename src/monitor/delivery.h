/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hands stored events to an output, in order. An event is handed out again
 * until the output is done with it, also after a restart. Events of one outage
 * are handed out together. For the main thread. */
#pragma once

#include "fleet.h"
#include "outbox.h"

G_BEGIN_DECLS

typedef struct _VhmDelivery VhmDelivery;

/* Asks the output to deliver @events, of VhmEvent: one event, or several of
 * cameras of one host that were lost, or came back, together. It may call
 * vhm_delivery_done() and vhm_delivery_give_up() before it returns. */
typedef void (*VhmDeliver) (gpointer data, const GPtrArray * events);

/* Continues where the output of this name stopped. At most @window deliveries
 * are handed out at a time. */
VhmDelivery *vhm_delivery_new (VhmFleet * fleet, const gchar * output,
    guint window, VhmDeliver deliver, gpointer data);
void vhm_delivery_free (VhmDelivery * delivery);

/* Starts handing out events, beginning with those that the output was not done
 * with. */
void vhm_delivery_start (VhmDelivery * delivery);
void vhm_delivery_stop (VhmDelivery * delivery);

/* Call it when an event has been stored. */
void vhm_delivery_note (VhmDelivery * delivery);

/* Call it when the picture of the event with this number has been stored. */
void vhm_delivery_note_picture (VhmDelivery * delivery, guint64 number);

/* Call it after dead letters were requeued or discarded. */
void vhm_delivery_recount (VhmDelivery * delivery);

/* Call it several times a second. */
void vhm_delivery_tick (VhmDelivery * delivery);

/* The output is done with event @number, and with the events that were handed
 * out together with it. */
void vhm_delivery_done (VhmDelivery * delivery, guint64 number);

/* Turns the events that were handed to the output into dead letters. Only if
 * the window is 1. */
void vhm_delivery_give_up (VhmDelivery * delivery, const gchar * reason);

/* Numbers of events that wait, that were delivered since the program started,
 * and that are dead letters. */
void vhm_delivery_get_counts (const VhmDelivery * delivery, guint64 * queued,
    guint64 * delivered, guint64 * dead);

G_END_DECLS
