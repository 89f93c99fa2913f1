/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "loops.h"

G_BEGIN_DECLS

/* The tables that this machine can run, best first, in an array that ends with
 * NULL. */
const VhLoops *const *vh_loops_list (void);

G_END_DECLS
