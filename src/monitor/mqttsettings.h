/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "keys.h"

G_BEGIN_DECLS

/* [mqtt]: the broker, and what is published there. */
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
  gboolean pictures;            /* publish those of events */
} VhmMqttSettings;

G_END_DECLS
