/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Retained messages of a broker: the current payload of each topic. All of
 * them are sent over each new connection. Topics that are no longer wanted
 * are deleted, even if they were published before a restart: each topic is
 * stored before it is published, unless the store cannot write. For the
 * main thread. */
#pragma once

#include "broker.h"
#include "store.h"

G_BEGIN_DECLS

typedef struct _VhmRetained VhmRetained;

VhmRetained *vhm_retained_new (VhmStore * store);
void vhm_retained_free (VhmRetained * retained);

/* Sets the new connection, or NULL. */
void vhm_retained_set_broker (VhmRetained * retained, VhmBroker * broker);

/* Between these two calls, call vhm_retained_set() for every wanted topic;
 * other topics are deleted. Nothing is published before the first such pair. */
void vhm_retained_begin (VhmRetained * retained);
void vhm_retained_end (VhmRetained * retained);

/* Sets the payload of @topic. NULL: keep the current one. */
void vhm_retained_set (VhmRetained * retained, const gchar * topic,
    const gchar * payload);

/* Call it when the broker has acknowledged a message, including messages that
 * were not published here. */
void vhm_retained_published (VhmRetained * retained, gint message);

/* Call it several times a second. */
void vhm_retained_tick (VhmRetained * retained);

G_END_DECLS
