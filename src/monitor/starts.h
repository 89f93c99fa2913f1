/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is started by a few threads at a time, because a thousand that do so at
 * once wait for each other's locks for minutes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_START_PIPELINE,           /* one for each processor at a time */
  VHM_START_DECODER,            /* one hardware decoder at a time */
  VHM_N_STARTS,
} VhmStart;

/* Returns FALSE if the caller must not begin yet: ask again soon. From any
 * thread. */
gboolean vhm_start_begin (VhmStart what);

/* It has started, or cannot start. */
void vhm_start_end (VhmStart what);

G_END_DECLS
