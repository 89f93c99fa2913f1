/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test found out that is worth a line in docs/reliability.md. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prints @name with the value that @format makes, and adds it to the file of
 * this test in the folder $TEST_FIGURES if that is set: tests/figures puts it
 * into the page. @name is a few words without a tab, such as "runs that
 * survived". The test is $TEST_NAME, or the program's name without "test-". */
void test_figure (const gchar * name, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

G_END_DECLS
