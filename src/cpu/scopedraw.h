/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing scopes on the CPU. */
#pragma once

#include "scopecounts.h"

G_BEGIN_DECLS

typedef struct _VhScopeDrawer VhScopeDrawer;

VhScopeDrawer *vh_scope_drawer_new (const VhLoops * loops);
void vh_scope_drawer_free (VhScopeDrawer * self);

/* Draws @plan into frames of @layout from now on. FALSE with DEVICE if there is
 * not enough memory; then nothing may be drawn. */
gboolean vh_scope_drawer_configure (VhScopeDrawer * self,
    const VhLayout * layout, VhScopePlan * plan, GError ** error);

/* Draws @counts of the picture of @in into @out, as submit() of VhScopeClass
 * does; both are mapped. */
void vh_scope_drawer_draw (VhScopeDrawer * self, VhScopeCounts * counts,
    const VhFrameView * in, const VhFrameView * out);

G_END_DECLS
