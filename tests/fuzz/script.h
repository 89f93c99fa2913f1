/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Call before the first script. */
void script_init (void);

/* Runs the script in these bytes; ends the program if a check fails. */
void script_run (const guint8 * data, gsize size);

G_END_DECLS
