/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a machine has to have for many cameras: open files, threads and areas of
 * memory. Without enough of them, cameras would fail one after the other. */
#pragma once

#include "problems.h"

G_BEGIN_DECLS

/* The lowest limit of threads that can be read below the folder @root, "" but
 * in tests, or G_MAXUINT64 without one. Sets @cure to what raises it. */
guint64 vhm_machine_limits_read_threads (const gchar * root,
    const gchar ** cure);

/* Reports limits that are too low for @cameras, of which @pictures are test
 * pictures, which take less. */
void vhm_machine_limits_check (guint cameras, guint pictures,
    const gchar * file, VhmProblems * problems);

G_END_DECLS
