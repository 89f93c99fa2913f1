/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random plans for scopes, and the counts that they need. */
#pragma once

#include "common/random.h"
#include "core/scope.h"

G_BEGIN_DECLS

/* A plan for pictures of @picture drawn into frames of @out; both are the same
 * if drawn in place. */
VhScopePlan *test_scope_plan_new_random (TestRandom * random,
    const VhLayout * picture, const VhLayout * out);

/* The counts for the traces of @plan, from the picture of @view, which is
 * mapped. Occasionally one fails or is missing. */
void test_scope_job_init (VhScopeJob * job, TestRandom * random,
    const VhScopePlan * plan, const VhFrameView * view);
void test_scope_job_clear (VhScopeJob * job);

G_END_DECLS
