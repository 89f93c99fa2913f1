/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Catches what is logged with g_warning(), so that tests can read it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on warnings of the project and of GObject are kept. */
void test_log_catch (void);

/* The oldest warning that was kept and not taken, or NULL. */
gchar *test_log_take (void);

/* Takes the oldest warning and fails unless it names all of @words, the last of
 * which is NULL. */
void test_log_expect (const gchar * word, ...) G_GNUC_NULL_TERMINATED;

/* Fails where a warning is left. */
void test_log_expect_nothing (void);

G_END_DECLS
