/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether as many frames come of all cameras as before something happened. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

/* @share of the frames that came before: 1 is all of them. */
typedef void (*VhmFramesFunc) (gpointer data, gdouble share);

/* To be called when it happens. Calls @func once, in the main thread, after a
 * while. Returns the source to remove if it is not wanted any more. */
guint vhm_frames_compare (const VhmFleet * fleet, VhmFramesFunc func,
    gpointer data);

G_END_DECLS
