/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delays between attempts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The time until the next attempt, in µs: 1, 2, 4 … 60 s, varied randomly by up
 * to a quarter, so that things that failed together do not retry together. Set
 * @delay to 0 at first and after each success. */
gint64 vhm_backoff_next (gint64 * delay);

G_END_DECLS
