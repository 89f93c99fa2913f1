/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounds how many threads decode at a time. If hundreds of them can run, one
 * that is preempted while it holds a lock, as within malloc(), runs again only
 * after all others, and every thread that needs the lock waits as long. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Has @decoder wait with each packet, in the order in which packets come, until
 * one of a few slots for each processor is free. A hardware decoder does not
 * wait. */
void vhm_decode_slots_use (GstElement * decoder);

/* Returns the largest share of the time since the last call for which one
 * decoder waited for a slot; 0 for the first call. From one thread. */
gdouble vhm_decode_slots_measure_wait (void);

G_END_DECLS
