/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for what users did, and for snoozes, below /api/v1/. */
#pragma once

#include "fleet.h"
#include "user.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

#define VHM_ACTION_PARAMETERS "camera before limit"
#define VHM_SNOOZE_PARAMETERS "until condition note by"
#define VHM_UNSNOOZE_PARAMETERS "condition by"

/* Each answers @message later, or refuses it. @query may be NULL. */
void vhm_actions_api_list (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query);

/* Snoozes @camera, or a condition of it, until the time in @query. */
void vhm_actions_api_snooze (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, const VhmCamera * camera, const VhmUser * user);
void vhm_actions_api_unsnooze (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, const VhmCamera * camera, const VhmUser * user);

G_END_DECLS
