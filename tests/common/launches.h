/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernels are launched with, where the driver is the double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Counts launches from now on. FALSE if the driver is a real one, or there is
 * none. */
gboolean test_launches_watch (void);

/* Waits until the double has nothing to do; FALSE in the same cases. */
gboolean test_launches_finish (void);

/* Launches since then whose blocks first add up in groups, or do not. */
guint test_launches_count (gboolean grouped);

/* Fails unless there were launches without groups and, where the double has
 * multiprocessors enough, with groups. */
void test_launches_check (void);

G_END_DECLS
