/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that allocate, make threads and map memory, which fail when the
 * library or the plugin calls them: this program has them before the libraries
 * do. What GLib ends the process for is not among them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on one call of @odds fails, which ones is up to @seed. */
void test_shortage_begin (guint32 seed, guint odds);

/* No longer; returns how many have failed. */
guint test_shortage_end (void);

G_END_DECLS
