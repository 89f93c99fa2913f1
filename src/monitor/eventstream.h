/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens, as server-sent events: "event" for each event, with its number
 * as id, and "cameras" once a second with what is measured. */
#pragma once

#include "connections.h"
#include "outputs.h"

G_BEGIN_DECLS

typedef struct _VhmEventStream VhmEventStream;

VhmEventStream *vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs);

/* Before the connections. */
void vhm_event_stream_free (VhmEventStream * stream);

/* Answers @message, from the event after number @after on, or only with new
 * ones if it is 0. */
void vhm_event_stream_add (VhmEventStream * stream,
    VhmConnections * connections, SoupServerMessage * message, guint64 after);

G_END_DECLS
