/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled when the build is configured, to check that nvcc works: its headers
 * do not work with every compiler and C library. */
#include <cmath>
#include <iterator>
#include <type_traits>

__global__ void
trial (float *x)
{
  *x = std::sqrt (*x);
}
