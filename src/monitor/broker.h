/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One connection to an MQTT broker, in its own thread, so that the main thread
 * never waits for the broker or the network. When a connection has ended, the
 * caller makes a new one. For the main thread, where it also reports. */
#pragma once

#include "mqttsettings.h"

G_BEGIN_DECLS

typedef struct _VhmBroker VhmBroker;

typedef struct
{
  void (*connected) (gpointer data);
  /* The broker has acknowledged the message with this number. */
  void (*published) (gpointer data, gint message);
  /* The connection has ended, or failed, for the reason @why. The last
   * report. */
  void (*ended) (gpointer data, const gchar * why);
} VhmBrokerHandler;

/* Starts connecting. If the connection is lost, the broker publishes @will,
 * retained, under @will_topic. */
VhmBroker *vhm_broker_new (const VhmMqttSettings * settings,
    const gchar * will_topic, const gchar * will,
    const VhmBrokerHandler * handler, gpointer data);

/* Sends @payload after all earlier messages; the broker keeps it if it is
 * @retained. Returns the number of the message, or -1 if the connection has
 * ended. */
gint vhm_broker_publish (VhmBroker * broker, const gchar * topic,
    const gchar * payload, gboolean retained);
gint vhm_broker_publish_data (VhmBroker * broker, const gchar * topic,
    gconstpointer data, gsize length, gboolean retained);

/* Disconnects without further reports, and frees the connection. Everything is
 * sent first, so that the will is not published. Its thread ends as soon as it
 * can. */
void vhm_broker_forget (VhmBroker * broker);

/* The number of threads of all connections. */
guint vhm_broker_count_threads (void);

G_END_DECLS
