/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers that take long to make: lists of what is stored. The thread of the
 * store writes their JSON, piece by piece, so that neither the main loop nor an
 * event has to wait for one. What nobody waits for any more is given up. */
#pragma once

#include "store.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Answers @message with an array, later, or refuses it at once if there are
 * too many such requests already. */
void vhm_listing_minutes (VhmStore * store, SoupServerMessage * message,
    const gchar * camera, gint64 from, gint64 before);
void vhm_listing_events (VhmStore * store, SoupServerMessage * message,
    const VhmEventFilter * filter);

G_END_DECLS
