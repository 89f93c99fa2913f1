/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTTP server: pages, metrics for Prometheus, the JSON API, events. */
#pragma once

#include "outputs.h"

G_BEGIN_DECLS

typedef struct _VhmHttp VhmHttp;

/* Stores sessions in @folder. Returns NULL with an error if the server cannot
 * listen. */
VhmHttp *vhm_http_new (const VhmHttpSettings * settings, const gchar * folder,
    VhmFleet * fleet, VhmOutputs * outputs, GError ** error);
void vhm_http_free (VhmHttp * http);

/* See vhm_event_stream_set_configuration(). */
void vhm_http_set_configuration (VhmHttp * http, const gchar * file,
    const gchar * reload);

/* The URL that the server listens on. To be freed. */
gchar *vhm_http_get_address (const VhmHttp * http);

/* The URL of the page with all cameras, to be freed. NULL if the server listens
 * on any address and the configuration does not set url. */
gchar *vhm_http_get_page (const VhmHttp * http);

G_END_DECLS
