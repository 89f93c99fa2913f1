/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One connection to an MQTT broker, in a thread of its own: whatever the broker
 * and the network do, the main thread never waits. When it has ended another
 * one takes its place. For the main thread, and so are its reports. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

typedef struct _VhmBroker VhmBroker;

typedef struct
{
  void (*connected) (gpointer data);
  /* The broker has the message of this number. */
  void (*published) (gpointer data, gint message);
  /* The last report. */
  void (*ended) (gpointer data, const gchar * why);
} VhmBrokerHandler;

/* Begins to connect. If the connection is lost the broker tells others @will,
 * retained, at @will_topic. */
VhmBroker *vhm_broker_new (VhmMqttSettings * settings,
    const gchar * will_topic, const gchar * will,
    const VhmBrokerHandler * handler, gpointer data);

/* Sends @payload, which the broker keeps if it is @retained, after all that was
 * sent before. Returns the number of the message, or -1 if it is over. */
gint vhm_broker_publish (VhmBroker * broker, const gchar * topic,
    const gchar * payload, gboolean retained);

/* Says goodbye, once all has been sent, so that the will is not told. */
void vhm_broker_stop (VhmBroker * broker);

/* Stops it, without further reports, and frees it; its thread ends when it
 * can. */
void vhm_broker_forget (VhmBroker * broker);

/* Threads that there are. */
guint vhm_broker_count_threads (void);

G_END_DECLS
