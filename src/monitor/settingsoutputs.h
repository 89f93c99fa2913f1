/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The groups of outputs: [mqtt] and [webhook NAME]. */
#pragma once

#include "keys.h"

G_BEGIN_DECLS

/* [mqtt]: the broker. */
typedef struct
{
  VhmGroup group;
  gchar *host;
  guint port;
  gboolean tls;
  gchar *ca;                    /* PEM file; NULL: the system's */
  gchar *certificate, *key;     /* PEM files of this client; both or neither */
  gchar *user, *password;       /* or NULL */
  gchar *prefix;                /* of all topics */
  gchar *discovery;             /* Home Assistant's topic prefix, or NULL */
  gdouble keepalive;            /* s */
} VhmMqttSettings;

/* [webhook NAME]: a receiver of events over HTTP. */
typedef struct
{
  VhmGroup group;
  gchar *name;
  gchar *url;
  gchar *ca;                    /* PEM file; NULL: the system's */
  GBytes *secret;               /* key for signing requests */
  gdouble timeout;              /* s, of one attempt */
  gdouble expire;               /* s until an event is discarded */
} VhmWebhookSettings;

extern const VhmGroupClass vhm_mqtt_group;
extern const VhmGroupClass vhm_webhook_group;

G_END_DECLS
