/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "keys.h"

G_BEGIN_DECLS

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
  gboolean pictures;            /* post those of events with them */
} VhmWebhookSettings;

G_END_DECLS
