/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When something that failed is tried again. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The time until the next attempt, in µs: 1, 2, 4 … 60 s, each a quarter more
 * or less, so that what failed together does not come back together. @delay is
 * 0 at first, and again once it has succeeded. */
gint64 vhm_backoff_next (gint64 * delay);

G_END_DECLS
