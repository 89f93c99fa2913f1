/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream for one request and its answer on a connection that outlives it.
 * libsoup gets one for each request, and closes it without closing the
 * connection. It bounds what is read of the request, whatever its headers
 * say. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VHM_TYPE_EXCHANGE (vhm_exchange_get_type ())
G_DECLARE_FINAL_TYPE (VhmExchange, vhm_exchange, VHM, EXCHANGE, GIOStream)

/* Both directions of @base must be pollable. At most @most bytes are read.
 * Calls @closed once, when the exchange is closed or freed. */
VhmExchange *vhm_exchange_new (GIOStream * base, gsize most,
    void (*closed) (gpointer data), gpointer data);

/* Never calls the function of vhm_exchange_new() again. */
void vhm_exchange_forget (VhmExchange * exchange);

/* From now on there is nothing to read, and what is written goes nowhere. */
void vhm_exchange_cut (VhmExchange * exchange);

/* Whether what was read is one request without a body: nothing of a second
 * request is lost in the buffers of the reader. */
gboolean vhm_exchange_is_whole (VhmExchange * exchange);

G_END_DECLS
