/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of what videoscope counts and draws, as a program. It is as
 * plain as possible, so that it can be trusted. */
#pragma once

#include "core/scope.h"

G_BEGIN_DECLS

/* What is shown of the traces of one stream. */
typedef struct _VhReferenceScope VhReferenceScope;

VhReferenceScope *vh_reference_scope_new (void);
void vh_reference_scope_free (VhReferenceScope * self);

/* Draws @plan from now on. */
void vh_reference_scope_set_plan (VhReferenceScope * self, VhScopePlan * plan);

/* Counts the picture of @in and draws into @out, as submit() of VhScopeClass
 * does. Both are mapped, and vh_scope_plan_takes() must be TRUE for them. The
 * counts of @job are complete or failed. */
void vh_reference_scope_draw (VhReferenceScope * self, const VhFrameView * in,
    const VhFrameView * out, const VhScopeJob * job);

/* The table of trace @i of the last frame; NULL if it has none. */
const guint32 *vh_reference_scope_counts (VhReferenceScope * self, guint i);

G_END_DECLS
