/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled when the build is configured, to see whether nvcc works: it has its
 * own headers, which fit neither every compiler nor every C library. */
#include <cmath>
#include <iterator>
#include <type_traits>

__global__ void
trial (float *x)
{
  *x = std::sqrt (*x);
}
