/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for alarms below /api/v1/. */
#pragma once

#include "fleet.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

#define VHM_ALARM_PARAMETERS "camera group condition filter severity from " \
    "before state cursor limit format export"

/* Answers with the list of alarms that @query selects, later, or refuses
 * @message. */
void vhm_alarms_api_list (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query);

/* Acknowledges the events whose numbers are in @query, or undoes that, and
 * answers with those that changed, later; or refuses @message. */
void vhm_alarms_api_acknowledge (VhmFleet * fleet, SoupServerMessage * message,
    GHashTable * query, gboolean acknowledged);

G_END_DECLS
