/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens, as server-sent events: "event" for each event, with its number
 * as id; "cameras" with the state of all at first, and whenever there are other
 * cameras; "changes" once a second with what is not as it was. */
#pragma once

#include "access.h"
#include "connections.h"
#include "outputs.h"

G_BEGIN_DECLS

typedef struct _VhmEventStream VhmEventStream;

VhmEventStream *vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs,
    const VhmAccess * access);

/* Before the connections and access. */
void vhm_event_stream_free (VhmEventStream * stream);

/* Answers @message, from the event after number @after on, or only with new
 * ones if it is 0. Measurements are sent of the cameras that @measured names,
 * with slashes in between, or of all if it is NULL. */
void vhm_event_stream_add (VhmEventStream * stream,
    VhmConnections * connections, SoupServerMessage * message, guint64 after,
    const gchar * measured);

/* Ends those whose session is over. It does so by itself each second. */
void vhm_event_stream_check_sessions (VhmEventStream * stream);

G_END_DECLS
