/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What to do about the reasons why a camera shows no picture. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns what to do about the reason @why, without a period at its end, for
 * users of probe. */
const gchar *vhm_cure_find_for_probe (const gchar * why);

/* The same for users of the monitor; NULL where the advice of signal-loss
 * fits. */
const gchar *vhm_cure_find (const gchar * why);

G_END_DECLS
