/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by kernels compiled for the CPU and grid.cpp, which runs them. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Vector types. A GPU loads and stores a vector of two or four elements at
 * once, and faults if it is misaligned. Here it is one access per element, so
 * copying one has to check the alignment. */

extern "C" void vh_double_misaligned (const void *at, size_t alignment);

static inline __attribute__ ((always_inline, no_sanitize ("undefined"))) void
vh_double_check_vector (const void *at, size_t alignment)
{
  uintptr_t address = (uintptr_t) at;

  /* The compiler would conclude from the type that it is aligned. */
  __asm__ ("":"+r" (address));
  if (__builtin_expect (address & (alignment - 1), 0))
    vh_double_misaligned (at, alignment);
}

#define VH_DOUBLE_VECTOR(name, alignment, copy, ...) \
  struct alignas (alignment) name \
  { \
    __VA_ARGS__ \
    name () = default; \
    name (const name & v) \
    { \
      *this = v; \
    } \
    name & operator= (const name & v) \
    { \
      vh_double_check_vector (&v, alignment); \
      vh_double_check_vector (this, alignment); \
      copy \
      return *this; \
    } \
  }

#define VH_DOUBLE_VECTORS(type, name, a2, a4) \
  struct name##1 { type x; }; \
  VH_DOUBLE_VECTOR (name##2, a2, x = v.x; y = v.y;, type x, y; \
      name##2 (type a, type b):x (a), y (b) {}); \
  struct name##3 { type x, y, z; }; \
  VH_DOUBLE_VECTOR (name##4, a4, x = v.x; y = v.y; z = v.z; w = v.w;, \
      type x, y, z, w; \
      name##4 (type a, type b, type c, type d):x (a), y (b), z (c), w (d) {}); \
  static inline name##1 make_##name##1 (type x) { return {x}; } \
  static inline name##2 make_##name##2 (type x, type y) { return {x, y}; } \
  static inline name##3 \
  make_##name##3 (type x, type y, type z) { return {x, y, z}; } \
  static inline name##4 \
  make_##name##4 (type x, type y, type z, type w) { return {x, y, z, w}; }

VH_DOUBLE_VECTORS (signed char, char, 2, 4)
VH_DOUBLE_VECTORS (unsigned char, uchar, 2, 4)
VH_DOUBLE_VECTORS (short, short, 4, 8)
VH_DOUBLE_VECTORS (unsigned short, ushort, 4, 8)
VH_DOUBLE_VECTORS (int, int, 8, 16)
VH_DOUBLE_VECTORS (unsigned, uint, 8, 16)
VH_DOUBLE_VECTORS (long long, longlong, 16, 16)
VH_DOUBLE_VECTORS (unsigned long long, ulonglong, 16, 16)
VH_DOUBLE_VECTORS (float, float, 8, 16)
VH_DOUBLE_VECTORS (double, double, 16, 16)

typedef struct { unsigned x, y, z; } dim3;

/* Services of grid.cpp for a thread. The functions are const: a call stays on
 * one thread throughout. */

enum VhDoubleWarpOperation
{
  VH_DOUBLE_WARP_SYNC,
  VH_DOUBLE_WARP_SHUFFLE,       /* argument: the lane to read */
  VH_DOUBLE_WARP_BALLOT,
  VH_DOUBLE_WARP_MATCH,
  VH_DOUBLE_WARP_ADD,
  VH_DOUBLE_WARP_MIN,
  VH_DOUBLE_WARP_MAX,
  VH_DOUBLE_WARP_MIN_SIGNED,
  VH_DOUBLE_WARP_MAX_SIGNED,
  VH_DOUBLE_WARP_AND,
  VH_DOUBLE_WARP_OR,
  VH_DOUBLE_WARP_XOR
};

extern "C"
{
  const uint3 *vh_double_thread_index (void) __attribute__ ((const));
  const uint3 *vh_double_block_index (void) __attribute__ ((const));
  const dim3 *vh_double_block_dim (void) __attribute__ ((const));
  const dim3 *vh_double_grid_dim (void) __attribute__ ((const));
  void *vh_double_dynamic_shared (void) __attribute__ ((const));
  /* Number of threads of the block that passed a nonzero predicate. */
  unsigned vh_double_barrier (int predicate);
  uint64_t vh_double_warp (VhDoubleWarpOperation operation, unsigned mask,
      uint64_t value, unsigned argument);
  unsigned vh_double_active_mask (void);
  void vh_double_give_way (void);
  void vh_double_wait_for_previous (void);
  void vh_double_trap (void) __attribute__ ((noreturn));
}

/* A kernel in the library's table of them. */

struct VhDoubleKernel
{
  const char *name;
  void (*entry) (void);
  /* Calls @entry with the parameters in @buffer. */
  void (*call) (void (*entry) (void), const unsigned char *buffer);
  const unsigned *sizes, *offsets;
  unsigned n_parameters, bytes;
  unsigned max_threads;         /* threads per block by __launch_bounds__, or
                                 * 0 */
};
