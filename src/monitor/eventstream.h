/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Server-sent events: "event" for each event, with its number as id;
 * "notice" for each notice; "cameras" with the state of all cameras, first
 * and whenever the list of cameras changes; "changes" once a second, with
 * what has changed. */
#pragma once

#include "access.h"
#include "connections.h"
#include "outputs.h"

G_BEGIN_DECLS

typedef struct _VhmEventStream VhmEventStream;

VhmEventStream *vhm_event_stream_new (VhmFleet * fleet, VhmOutputs * outputs,
    VhmConnections * connections, const VhmAccess * access);

/* Tells operators where the key file is, or "", and which command has the
 * program read it again. */
void vhm_event_stream_set_configuration (VhmEventStream * stream,
    const gchar * file, const gchar * reload);

/* Call it before freeing the connections and access. */
void vhm_event_stream_free (VhmEventStream * stream);

/* Answers @message with the events after number @after, or only new ones if it
 * is 0. @measured names the cameras to send measurements of, separated by
 * slashes; NULL means all. */
void vhm_event_stream_add (VhmEventStream * stream,
    SoupServerMessage * message, guint64 after, const gchar * measured);

/* Disconnects clients whose session has ended. Also happens automatically every
 * second. */
void vhm_event_stream_check_sessions (VhmEventStream * stream);

G_END_DECLS
