/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Before the first script. */
void script_init (void);

/* Runs the script that these bytes are; ends the program where something does
 * not hold. */
void script_run (const guint8 * data, gsize size);

G_END_DECLS
