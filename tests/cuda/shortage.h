/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that allocate, start threads and map memory, which fail when the
 * library or the plugin calls them. This program overrides them. Functions
 * whose failure makes GLib end the process are not among them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on one call in @odds fails; @seed selects which. */
void test_shortage_begin (guint32 seed, guint odds);

/* Stops that; returns how many have failed. */
guint test_shortage_end (void);

G_END_DECLS
