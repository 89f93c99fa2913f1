/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One connection of an HTTP client: passes its requests to libsoup one at a
 * time, and closes so that the client gets to read the last answer. */
#pragma once

#include "exchange.h"
#include "handshakes.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Time limits in µs: for a request to arrive, for its answer to be read, and
 * for the next request on an idle connection. */
#define VHM_MAX_REQUEST_TIME (20 * G_TIME_SPAN_SECOND)
#define VHM_MAX_ANSWER_TIME (60 * G_TIME_SPAN_SECOND)
#define VHM_MAX_IDLE_TIME (15 * G_TIME_SPAN_SECOND)

/* Makes the answer @status to a request that is not read further, or that
 * libsoup rejects: returns the body and adds @headers. @line is the start of
 * the request line. */
typedef GBytes *(*VhmRefuse) (guint status, const gchar * line,
    SoupMessageHeaders * headers);

/* What all connections have in common. */
typedef struct
{
  SoupServer *server;
  VhmRefuse refuse;
  GQueue open;                  /* of VhmConnection */
} VhmConnectionsBase;

typedef enum
{
  VHM_CONNECTION_HANDSHAKE,
  VHM_CONNECTION_REQUEST,       /* the request is arriving */
  VHM_CONNECTION_ANSWER,        /* the answer is made or sent */
  VHM_CONNECTION_IDLE,          /* waits for another request */
  VHM_CONNECTION_GOODBYE        /* everything is sent; waits for the client to
                                 * close */
} VhmConnectionState;

typedef struct
{
  VhmConnectionsBase *owner;
  GSocketConnection *base;
  GSocket *socket;
  GIOStream *stream;            /* @base or its TLS stream; NULL until the
                                 * handshake is done */
  GSocketAddress *local;
  GSocketAddress *address;      /* of the peer: identifies it to libsoup */
  gchar *peer;
  VhmHandshake *handshake;      /* until it is done */
  VhmConnectionState state;
  gint64 since;                 /* monotonic µs */
  gint64 deadline;              /* monotonic µs; G_MAXINT64: none */
  VhmExchange *exchange;        /* not owned; NULL if libsoup has no request */
  guint requests;
  gboolean stays;               /* stays open after the answer */
  gboolean answered;            /* the answer was sent completely */
  GBytes *rest;                 /* bytes of later requests, already read, or
                                 * NULL */
  GBytes *parting;              /* answer to a request that is not read further,
                                 * or NULL */
  gsize unwanted;               /* bytes of that request read and discarded */
  GSource *source;              /* while it is idle or says goodbye */
} VhmConnection;

/* Takes @local and @address, and @peer, which is the client's name. Adds the
 * connection to the open ones of @owner. */
VhmConnection *vhm_connection_new (VhmConnectionsBase * owner,
    GSocket * socket, GSocketAddress * local, GSocketAddress * address,
    gchar * peer);
void vhm_connection_free (VhmConnection * connection);

/* Shuts the socket down. The code that uses the connection notices, and frees
 * it. */
void vhm_connection_end (VhmConnection * connection);

/* The connection of a message, or NULL if it is closed. */
VhmConnection *vhm_connection_find (SoupServerMessage * message);

/* The connection may be in @state for this long from now on, in µs. */
void vhm_connection_set_state (VhmConnection * connection,
    VhmConnectionState state, gint64 time);

/* Reads the next request from the stream, which is set. */
void vhm_connection_begin (VhmConnection * connection);

/* Ends the connection with this answer instead of reading the request further.
 * Takes @body. */
void vhm_connection_part_with (VhmConnection * connection, guint status,
    SoupMessageHeaders * headers, GBytes * body);

G_END_DECLS
