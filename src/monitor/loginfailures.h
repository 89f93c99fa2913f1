/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts wrong secrets per client, so that a client that guesses locks out only
 * itself. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _VhmLoginFailures VhmLoginFailures;

VhmLoginFailures *vhm_login_failures_new (void);
void vhm_login_failures_free (VhmLoginFailures * failures);

/* Whether @peer may try another secret now. */
gboolean vhm_login_failures_may_try (VhmLoginFailures * failures,
    const gchar * peer);

/* Counts a wrong secret and logs the client, but not all of many. */
void vhm_login_failures_add (VhmLoginFailures * failures, const gchar * peer);

G_END_DECLS
