/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hands stored events to an output, in order. An event is handed out again
 * until the output is done with it, also after a restart. Events of one outage
 * are handed out together. For the main thread. */
#pragma once

#include "fleet.h"
#include "outbox.h"

G_BEGIN_DECLS

typedef struct _VhmDelivery VhmDelivery;

/* Numbers of events. */
typedef struct
{
  guint64 queued;               /* events that wait */
  guint64 delivered;            /* events delivered since the program started */
  guint64 dead;                 /* dead letters */
} VhmDeliveryCounts;

/* Asks the output to deliver @events, of VhmEvent: one event, or several of
 * cameras that were lost, or came back, in one outage. @jpeg is the picture of
 * a single event, or NULL. It may call vhm_delivery_done() and
 * vhm_delivery_give_up() before it returns. */
typedef void (*VhmDeliver) (gpointer data, const GPtrArray * events,
    GBytes * jpeg);

/* Continues where the output of this name stopped. At most @window deliveries
 * are handed out at a time. */
VhmDelivery *vhm_delivery_new (VhmFleet * fleet, const gchar * output,
    guint window, VhmDeliver deliver, gpointer data);
void vhm_delivery_free (VhmDelivery * delivery);

/* From now on, single events are handed out with their pictures. */
void vhm_delivery_want_pictures (VhmDelivery * delivery);

/* Starts handing out events, beginning with those that the output was not done
 * with. */
void vhm_delivery_start (VhmDelivery * delivery);
void vhm_delivery_stop (VhmDelivery * delivery);

/* Call it after dead letters were requeued or discarded. */
void vhm_delivery_recount (VhmDelivery * delivery);

/* The output is done with event @number, and with the events that were handed
 * out together with it. */
void vhm_delivery_done (VhmDelivery * delivery, guint64 number);

/* Turns the events that were handed to the output into dead letters. Only if
 * the window is 1. */
void vhm_delivery_give_up (VhmDelivery * delivery, const gchar * reason);

const VhmDeliveryCounts *vhm_delivery_get_counts (const VhmDelivery *
    delivery);

G_END_DECLS
