/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers what another rule would have reported, and what values there were. */
#pragma once

#include "camera.h"
#include "store.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Answers @message with what the rule in @query would have reported for
 * @camera from the minute @from on, and before @before; or refuses it. */
void vhm_trial_answer (VhmStore * store, SoupServerMessage * message,
    const VhmCamera * camera, GHashTable * query, gint64 from, gint64 before);

/* Likewise with the course of the value of the condition in @query. */
void vhm_trial_answer_values (VhmStore * store, SoupServerMessage * message,
    const VhmCamera * camera, GHashTable * query, gint64 from, gint64 before);

G_END_DECLS
