/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches how kernels are launched on the driver double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Counts launches from now on. Returns FALSE with a real driver, or without
 * one. */
gboolean test_launches_watch (void);

/* Waits until the double is idle; returns FALSE in the same cases. */
gboolean test_launches_finish (void);

/* Checks that there were launches without groups and, if the double has enough
 * multiprocessors, with groups. */
void test_launches_check (void);

G_END_DECLS
