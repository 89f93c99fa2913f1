/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* [http] and [store]. */
#pragma once

#include "keys.h"
#include "user.h"

G_BEGIN_DECLS

typedef struct
{
  VhmGroup group;
  gchar *host;                  /* address or host name to listen on */
  guint port;                   /* 0: any free port */
  gchar *certificate, *key;     /* PEM files; both or neither */
  gchar *secrets[VHM_N_ROLES];  /* for the login, by role, or NULL */
  gchar *user_header;           /* header with the name of the user that
                                 * proxies set, or NULL */
  gchar **proxies;              /* addresses and networks of these proxies, or
                                 * NULL: loopback */
  gchar **hosts;                /* further host names that browsers may use */
  gchar *url;                   /* public address of the page, or NULL */
} VhmHttpSettings;

typedef struct
{
  VhmGroup group;
  gchar *directory;
  guint pictures;               /* the maximum size of event pictures, in MB */
  guint days;                   /* how long minutes and actions are kept */
} VhmStoreSettings;

extern const VhmGroupClass vhm_http_group;
extern const VhmGroupClass vhm_store_group;

/* Checks [http] together with @listen, the address of the command line, or
 * NULL. */
void vhm_http_settings_check (const VhmHttpSettings * http,
    const VhmReading * reading, const gchar * listen);

G_END_DECLS
