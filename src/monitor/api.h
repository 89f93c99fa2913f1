/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON API below /api/v1/, which openapi.json describes. */
#pragma once

#include "outputs.h"
#include "snapshots.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Answers @message, now or later. @path is the path after /api/v1/. */
void vhm_api_handle (VhmFleet * fleet, VhmOutputs * outputs,
    VhmSnapshots * snapshots, SoupServerMessage * message, const gchar * path,
    GHashTable * query);

G_END_DECLS
