/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that runs slower than real time. If a machine stalls for two seconds,
 * so does the emulated GPU: it is late, and the elements rightly stop using it.
 * Most tests are not interested in that. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Called at the start of each test. */
void test_clock_slow_down (void);

/* For a test that wants a kernel to be late. */
void test_clock_be_exact (void);

G_END_DECLS
