/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How busy this process keeps the processors, and whether it gets them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the processor time that this process has used since the last call, as
 * a share of what it may use of all processors; 0 for the first call. Main
 * thread only. */
gdouble vhm_load_measure (void);

/* The processors that this process may use, also by parts of one, as in a
 * container. */
gdouble vhm_load_get_processors (void);

/* Returns the largest share of the time since the last call in which one thread
 * of this process could run, but had to wait for a processor; 0 for the first
 * call, and where the system does not say. Main thread only. */
gdouble vhm_load_measure_wait (void);

G_END_DECLS
