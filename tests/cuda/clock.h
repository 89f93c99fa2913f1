/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that runs more slowly than time. Where a machine stands still for two
 * seconds, the emulated GPU does, too: it is late, and what stops using it is
 * right. That is of no interest to most tests. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What each test begins with. */
void test_clock_slow_down (void);

/* For a test in which a kernel is to be late. */
void test_clock_be_exact (void);

G_END_DECLS
