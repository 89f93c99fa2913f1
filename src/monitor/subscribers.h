/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clients with endless answers: limits their number and what they leave unread,
 * and ends their answers with their sessions. */
#pragma once

#include "access.h"
#include "connections.h"

G_BEGIN_DECLS

typedef struct _VhmSubscribers VhmSubscribers;

/* The start of a struct for each client. */
typedef struct
{
  VhmSubscribers *owner;
  SoupServerMessage *message;
  gchar *peer;
  gchar *session;               /* token; NULL if no session authorizes it */
  gint64 over;                  /* when the session ended, monotonic µs; 0: not
                                 * yet */
  gboolean dropped;             /* disconnected; no longer counted */
  gsize unread;                 /* bytes */
  gulong finished, wrote;       /* signal handlers */
} VhmSubscriber;

typedef struct
{
  const gchar *path;
  const gchar *type;            /* MIME type of the answers */
  guint max;                    /* clients, each with a connection */
  /* Some bytes of the answer were written to the connection; may be NULL. */
  void (*wrote) (VhmSubscriber * subscriber);
  /* Frees the struct; the members above are freed already. */
  void (*free) (VhmSubscriber * subscriber);
} VhmSubscribersClass;

VhmSubscribers *vhm_subscribers_new (const VhmSubscribersClass * klass,
    VhmConnections * connections, const VhmAccess * access);

/* Call it before freeing the connections and access. */
void vhm_subscribers_free (VhmSubscribers * subscribers);

/* An array of VhmSubscriber. */
const GPtrArray *vhm_subscribers_get_all (const VhmSubscribers * subscribers);

/* The bytes that all clients have not read yet. */
gsize vhm_subscribers_get_unread (const VhmSubscribers * subscribers);

/* Starts an endless answer to @message. Takes @subscriber, whose memory is
 * zeros. Refuses @message, frees @subscriber and returns FALSE if there are
 * too many clients. */
gboolean vhm_subscribers_add (VhmSubscribers * subscribers,
    SoupServerMessage * message, VhmSubscriber * subscriber);

/* Disconnects clients whose session has ended. Call it each second. */
void vhm_subscribers_check_sessions (VhmSubscribers * subscribers);

/* Sends nothing if the session has ended. */
void vhm_subscriber_send (VhmSubscriber * subscriber, gconstpointer data,
    gsize length);

void vhm_subscriber_drop (VhmSubscriber * subscriber);

G_END_DECLS
