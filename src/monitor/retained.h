/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that a broker is to keep: one for each topic, as it is now. Each
 * connection is told all of them; those that are not wanted any more are
 * deleted, although they were published before a restart: which they are is
 * stored before they are published, unless the store cannot write. For the
 * main thread. */
#pragma once

#include "broker.h"
#include "store.h"

G_BEGIN_DECLS

typedef struct _VhmRetained VhmRetained;

VhmRetained *vhm_retained_new (VhmStore * store);
void vhm_retained_free (VhmRetained * retained);

/* A new connection, or NULL. */
void vhm_retained_set_broker (VhmRetained * retained, VhmBroker * broker);

/* Between these two all topics are named with vhm_retained_set(); those that
 * are not are deleted. Nothing is published before they were called once. */
void vhm_retained_begin (VhmRetained * retained);
void vhm_retained_end (VhmRetained * retained);

/* What @topic is to have from now on; NULL: what it has. */
void vhm_retained_set (VhmRetained * retained, const gchar * topic,
    const gchar * payload);

/* The broker has the message of this number, which may be another's. */
void vhm_retained_published (VhmRetained * retained, gint message);

/* To be called several times a second. */
void vhm_retained_tick (VhmRetained * retained);

G_END_DECLS
