/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream for one request and its answer, on a connection that outlives it.
 * libsoup gets a new one for each request, and closes it without closing the
 * connection. It limits how much is read of the request, whatever its headers
 * say, and refuses headers that libsoup must not see or handles badly. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VHM_TYPE_EXCHANGE (vhm_exchange_get_type ())
G_DECLARE_FINAL_TYPE (VhmExchange, vhm_exchange, VHM, EXCHANGE, GIOStream)

/* Limits of a request: bytes in total, of all headers, and of the first line;
 * number of other header lines, and bytes of each. */
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
  /* Called at most once, before closed, if the request is refused: it is not
   * read further and libsoup does not answer it. The callee answers with
   * @status. @line is the start of the first line. */
  void (*refused) (gpointer data, guint status, const gchar * line);
} VhmExchangeEvents;

/* Both directions of @base must be pollable. @rest is data that was already
 * read from it, or NULL. */
VhmExchange *vhm_exchange_new (GIOStream * base, GBytes * rest,
    const VhmExchangeLimits * limits, const VhmExchangeEvents * events,
    gpointer data);

/* Stops calling the functions given to vhm_exchange_new(). */
void vhm_exchange_forget (VhmExchange * exchange);

/* From now on, passes on what libsoup sends: it accepted the headers, so the
 * answer comes from the monitor. Earlier answers are errors that libsoup makes
 * itself, which are replaced. */
void vhm_exchange_accept (VhmExchange * exchange);

/* From now on, reading returns the end of the stream, and what is written is
 * discarded. */
void vhm_exchange_cut (VhmExchange * exchange);

/* Whether exactly one request without a body was read. Sets @rest to the data
 * that was read after it, or NULL. */
gboolean vhm_exchange_is_whole (VhmExchange * exchange, GBytes ** rest);

G_END_DECLS
