/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Catches messages logged with g_warning(), so that tests can read them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Collects warnings of the project and of GObject from now on. */
void test_log_catch (void);

/* Takes the oldest warning and checks that it contains all of @words, the last
 * of which is NULL. */
void test_log_expect (const gchar * word, ...) G_GNUC_NULL_TERMINATED;

/* Checks that no warning is left. */
void test_log_expect_nothing (void);

G_END_DECLS
