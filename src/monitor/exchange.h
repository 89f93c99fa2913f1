/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream for one request and its answer on a connection that outlives it.
 * libsoup gets one for each request, and closes it without closing the
 * connection. It bounds what is read of the request, whatever its headers
 * say, and refuses headers that libsoup should not see or does not answer
 * well. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VHM_TYPE_EXCHANGE (vhm_exchange_get_type ())
G_DECLARE_FINAL_TYPE (VhmExchange, vhm_exchange, VHM, EXCHANGE, GIOStream)

/* What a request may be: bytes altogether, of its headers, and of its first
 * line; other lines of its headers, and bytes of one of these. */
typedef struct
{
  gsize bytes;
  gsize headers;
  guint first_line;
  guint lines;
  guint line;
} VhmExchangeLimits;

typedef struct
{
  /* Called once, when the exchange is closed or freed. */
  void (*closed) (gpointer data);
  /* The request is not read any further, and libsoup does not answer it: the
   * answer is to be @status. @line is how its first line begins. Called once at
   * most, before. */
  void (*refused) (gpointer data, guint status, const gchar * line);
} VhmExchangeEvents;

/* Both directions of @base must be pollable. @rest is what was read of it
 * before, or NULL. */
VhmExchange *vhm_exchange_new (GIOStream * base, GBytes * rest,
    const VhmExchangeLimits * limits, const VhmExchangeEvents * events,
    gpointer data);

/* Never calls the functions of vhm_exchange_new() again. */
void vhm_exchange_forget (VhmExchange * exchange);

/* What libsoup answers is ours: it has understood the headers. */
void vhm_exchange_accept (VhmExchange * exchange);

/* From now on there is nothing to read, and what is written goes nowhere. */
void vhm_exchange_cut (VhmExchange * exchange);

/* Whether what was read is one request without a body. Sets @rest to what was
 * read of the connection after it, or NULL. */
gboolean vhm_exchange_is_whole (VhmExchange * exchange, GBytes ** rest);

G_END_DECLS
