/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTTP server: pages, numbers for Prometheus, the JSON API, events. */
#pragma once

#include "outputs.h"

G_BEGIN_DECLS

typedef struct _VhmHttp VhmHttp;

/* Keeps who has logged in in @folder. NULL with an error if it cannot listen
 * there. */
VhmHttp *vhm_http_new (const VhmHttpSettings * settings, const gchar * folder,
    VhmFleet * fleet, VhmOutputs * outputs, GError ** error);
void vhm_http_free (VhmHttp * http);

/* Where it is. To be freed. */
gchar *vhm_http_get_address (const VhmHttp * http);

/* Where people find the page with all cameras, or NULL where it listens on any
 * address and nobody has said by which one. To be freed. */
gchar *vhm_http_get_page (const VhmHttp * http);

G_END_DECLS
