/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Test results worth a line in docs/reliability.md. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prints @name with the value formatted by @format, and appends it to this
 * test's file in the folder $TEST_FIGURES if that is set: tests/figures copies
 * it to the page. @name is a few words without a tab, such as "runs that
 * survived". The test's name is $TEST_NAME, or the program's name without
 * "test-". */
void test_figure (const gchar * name, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

G_END_DECLS
