/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of the log about events. */
#pragma once

#include "event.h"

G_BEGIN_DECLS

/* Logs the event. If the condition ends, @began is when it had started, in µs
 * since 1970, or 0 if that is unknown. */
void vhm_event_log (const VhmEvent * event, gint64 began);

G_END_DECLS
