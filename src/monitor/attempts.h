/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts wrong secrets per client, so that a client that guesses locks out only
 * itself. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmAttempts VhmAttempts;

VhmAttempts *vhm_attempts_new (void);
void vhm_attempts_free (VhmAttempts * attempts);

/* Whether @peer may try another secret now. */
gboolean vhm_attempts_may_try (VhmAttempts * attempts, const gchar * peer);
void vhm_attempts_note_failure (VhmAttempts * attempts, const gchar * peer);

G_END_DECLS
