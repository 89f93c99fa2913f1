/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What outputs send when they are handed events, as docs/monitor-outputs.md
 * describes it. */
#pragma once

#include "output.h"

G_BEGIN_DECLS

/* A VhmEvent of @events, or several of one outage as one object, with a link to
 * the page, as JSON. @jpeg is the picture to put into it, or NULL. To be
 * freed. */
gchar *vhm_letter_make (const VhmOutput * output, const GPtrArray * events,
    GBytes * jpeg);

G_END_DECLS
