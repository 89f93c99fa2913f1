/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>
#include <math.h>

/* Equal up to the rounding of a double. */
#define fail_unless_close(a, b) \
G_STMT_START { \
  const gdouble first = (a), second = (b); \
  fail_unless (fabs (first - second) <= 1e-9 * MAX (1, fabs (second)), \
      "'" #a "' (%.12g) is not '" #b "' (%.12g)", first, second); \
} G_STMT_END
