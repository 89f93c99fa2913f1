/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An endless answer with pictures of cameras: for each a line of JSON, which
 * has the number of bytes of the JPEG that follows it. */
#pragma once

#include "access.h"
#include "connections.h"
#include "fleet.h"

G_BEGIN_DECLS

typedef struct _VhmPictureStream VhmPictureStream;

VhmPictureStream *vhm_picture_stream_new (VhmFleet * fleet,
    VhmConnections * connections, const VhmAccess * access);

/* Call it before freeing the connections and access. */
void vhm_picture_stream_free (VhmPictureStream * stream);

/* The parameters of vhm_picture_stream_add(). */
#define VHM_PICTURE_STREAM_PARAMETERS "cameras width interval"

/* Answers @message with pictures. @query may be NULL: then all cameras, in the
 * ordinary size, once a second. */
void vhm_picture_stream_add (VhmPictureStream * stream,
    SoupServerMessage * message, GHashTable * query);

/* Disconnects clients whose session has ended. Also happens automatically every
 * second. */
void vhm_picture_stream_check_sessions (VhmPictureStream * stream);

G_END_DECLS
