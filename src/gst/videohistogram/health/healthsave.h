/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "healthstate.h"

G_BEGIN_DECLS

/* Returns @state as a floating variant; healthsave.c describes its form. */
GVariant *vh_health_state_save (const VhHealthState * state);

/* Restores @saved, which need not be valid. FALSE leaves @state unchanged. */
gboolean vh_health_state_restore (VhHealthState * state, GVariant * saved,
    GError ** error);

G_END_DECLS
