/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of CUDA C++ that counting needs, for a C++17 compiler on the CPU.
 * Each thread of a block is a fiber, see grid.cpp. Fibers switch at barriers,
 * at warp operations, and now and then at a memory access.
 *
 * translate-kernels.py preprocesses a .cu file with this header and then
 * replaces the words that only look like declarations here: __vh_global__,
 * __vh_shared__ and __vh_launch_bounds__.
 *
 * Not supported: inline PTX (exclude it by VH_DOUBLE_SHIM), textures, clusters,
 * cooperative groups, dynamic parallelism. */
#pragma once

#include <type_traits>
#include <utility>

#include "kernel_interface.h"

#define VH_DOUBLE_SHIM 1
#define __CUDA_ARCH__ 900

#define __global__ __vh_global__
#define __shared__ __vh_shared__
#define __launch_bounds__ __vh_launch_bounds__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __managed__
#define __forceinline__ inline __attribute__ ((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__ ((aligned (n)))
#define __builtin_assume(condition) ((void) 0)

#define threadIdx (*vh_double_thread_index ())
#define blockIdx (*vh_double_block_index ())
#define blockDim (*vh_double_block_dim ())
#define gridDim (*vh_double_grid_dim ())
static const int warpSize = 32;

static inline void __syncthreads () { vh_double_barrier (0); }
static inline int __syncthreads_count (int p) { return vh_double_barrier (p); }
static inline int __syncthreads_or (int p) { return vh_double_barrier (p) > 0; }
static inline int
__syncthreads_and (int p)
{
  return vh_double_barrier (!p) == 0;
}

static inline void __trap () { vh_double_trap (); }
static inline void __nanosleep (unsigned) { vh_double_give_way (); }
static inline void __threadfence_block () { __sync_synchronize (); }
static inline void __threadfence () { __sync_synchronize (); }
static inline void __threadfence_system () { __sync_synchronize (); }
static inline void
cudaGridDependencySynchronize ()
{
  vh_double_wait_for_previous ();
}
static inline void cudaTriggerProgrammaticLaunchCompletion () { }

/* Operations of a warp */

namespace vh_double
{
  template <class T> static inline uint64_t
  to_bits (T value)
  {
    static_assert (sizeof (T) <= 8, "a shuffle moves 8 bytes at most");
    uint64_t bits = 0;
    memcpy (&bits, &value, sizeof value);
    return bits;
  }

  template <class T> static inline T
  from_bits (uint64_t bits)
  {
    T value;
    memcpy (&value, &bits, sizeof value);
    return value;
  }

  static inline unsigned
  lane ()
  {
    const uint3 *t = vh_double_thread_index ();
    const dim3 *n = vh_double_block_dim ();
    return (t->x + n->x * (t->y + n->y * t->z)) & 31;
  }

  template <class T> static inline T
  shuffle (unsigned mask, T value, unsigned from)
  {
    return from_bits<T> (vh_double_warp (VH_DOUBLE_WARP_SHUFFLE, mask,
            to_bits (value), from));
  }

  template <class T> static inline uint64_t
  reduce_bits (T value)
  {
    return std::is_signed<T>::value ? (uint64_t) (int64_t) value : value;
  }
}

static inline void
__syncwarp (unsigned mask = 0xffffffff)
{
  vh_double_warp (VH_DOUBLE_WARP_SYNC, mask, 0, 0);
}

static inline unsigned __activemask () { return vh_double_active_mask (); }

static inline unsigned
__ballot_sync (unsigned mask, int predicate)
{
  return vh_double_warp (VH_DOUBLE_WARP_BALLOT, mask, predicate != 0, 0);
}

static inline int
__any_sync (unsigned mask, int predicate)
{
  return __ballot_sync (mask, predicate) != 0;
}

static inline int
__all_sync (unsigned mask, int predicate)
{
  return __ballot_sync (mask, !predicate) == 0;
}

template <class T> static inline unsigned
__match_any_sync (unsigned mask, T value)
{
  return vh_double_warp (VH_DOUBLE_WARP_MATCH, mask,
      vh_double::to_bits (value), 0);
}

template <class T> static inline unsigned
__match_all_sync (unsigned mask, T value, int *predicate)
{
  const unsigned equal = __match_any_sync (mask, value);

  *predicate = equal == mask;
  return *predicate ? mask : 0;
}

template <class T> static inline T
__shfl_sync (unsigned mask, T value, int from, int width = 32)
{
  const unsigned lane = vh_double::lane ();

  return vh_double::shuffle (mask, value,
      (lane & ~(width - 1)) | (from & (width - 1)));
}

template <class T> static inline T
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = 32)
{
  const unsigned lane = vh_double::lane ();

  return vh_double::shuffle (mask, value,
      (lane & (width - 1)) < delta ? lane : lane - delta);
}

template <class T> static inline T
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = 32)
{
  const unsigned lane = vh_double::lane ();

  return vh_double::shuffle (mask, value,
      (lane & (width - 1)) + delta >= (unsigned) width ? lane : lane + delta);
}

template <class T> static inline T
__shfl_xor_sync (unsigned mask, T value, int bits, int width = 32)
{
  const unsigned lane = vh_double::lane (), from = lane ^ bits;

  return vh_double::shuffle (mask, value,
      (from & ~(width - 1)) > (lane & ~(width - 1)) ? lane : from);
}

#define VH_DOUBLE_REDUCE(name, type, operation) \
  static inline type \
  __reduce_##name##_sync (unsigned mask, type value) \
  { \
    return (type) vh_double_warp (VH_DOUBLE_WARP_##operation, mask, \
        vh_double::reduce_bits (value), 0); \
  }

VH_DOUBLE_REDUCE (add, unsigned, ADD)
VH_DOUBLE_REDUCE (add, int, ADD)
VH_DOUBLE_REDUCE (min, unsigned, MIN)
VH_DOUBLE_REDUCE (min, int, MIN_SIGNED)
VH_DOUBLE_REDUCE (max, unsigned, MAX)
VH_DOUBLE_REDUCE (max, int, MAX_SIGNED)
VH_DOUBLE_REDUCE (and, unsigned, AND)
VH_DOUBLE_REDUCE (or, unsigned, OR)
VH_DOUBLE_REDUCE (xor, unsigned, XOR)

/* CPU atomics, since blocks run on several threads. */

namespace vh_double
{
  /* The second argument's type is converted, as in nvcc's overloads. */
  template <class T> struct Same { typedef T Type; };

  template <class T, class F> static inline T
  update (T * at, F change)
  {
    T old = __atomic_load_n (at, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n (at, &old, change (old), false,
            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
  }
}

#define VH_DOUBLE_ATOMIC(name, ...) \
  template <class T> static inline T \
  name (T * at, typename vh_double::Same<T>::Type value) { __VA_ARGS__ } \
  template <class T> static inline T \
  name##_block (T * at, typename vh_double::Same<T>::Type value) \
  { __VA_ARGS__ } \
  template <class T> static inline T \
  name##_system (T * at, typename vh_double::Same<T>::Type value) \
  { __VA_ARGS__ }

VH_DOUBLE_ATOMIC (atomicAdd,
    if constexpr (std::is_floating_point<T>::value) {
      typedef std::conditional_t<sizeof (T) == 4, uint32_t, uint64_t> Bits;
      return vh_double::from_bits<T> (vh_double::update ((Bits *) at,
              [value] (Bits old) {
                return (Bits) vh_double::to_bits ((T)
                    (vh_double::from_bits<T> (old) + value));
              }));
    } else {
      return __atomic_fetch_add (at, value, __ATOMIC_SEQ_CST);
    })
VH_DOUBLE_ATOMIC (atomicSub,
    return __atomic_fetch_sub (at, value, __ATOMIC_SEQ_CST);)
VH_DOUBLE_ATOMIC (atomicExch,
    return __atomic_exchange_n (at, value, __ATOMIC_SEQ_CST);)
VH_DOUBLE_ATOMIC (atomicAnd,
    return __atomic_fetch_and (at, value, __ATOMIC_SEQ_CST);)
VH_DOUBLE_ATOMIC (atomicOr,
    return __atomic_fetch_or (at, value, __ATOMIC_SEQ_CST);)
VH_DOUBLE_ATOMIC (atomicXor,
    return __atomic_fetch_xor (at, value, __ATOMIC_SEQ_CST);)
VH_DOUBLE_ATOMIC (atomicMin,
    return vh_double::update (at, [value] (T old) {
        return value < old ? value : old; });)
VH_DOUBLE_ATOMIC (atomicMax,
    return vh_double::update (at, [value] (T old) {
        return value > old ? value : old; });)
VH_DOUBLE_ATOMIC (atomicInc,
    return vh_double::update (at, [value] (T old) {
        return (T) (old >= value ? 0 : old + 1); });)
VH_DOUBLE_ATOMIC (atomicDec,
    return vh_double::update (at, [value] (T old) {
        return (T) (old == 0 || old > value ? value : old - 1); });)

template <class T> static inline T
atomicCAS (T * at, typename vh_double::Same<T>::Type compare,
    typename vh_double::Same<T>::Type value)
{
  __atomic_compare_exchange_n (at, &compare, value, false, __ATOMIC_SEQ_CST,
      __ATOMIC_SEQ_CST);
  return compare;
}

template <class T> static inline T
atomicCAS_block (T * at, typename vh_double::Same<T>::Type compare,
    typename vh_double::Same<T>::Type value)
{
  return atomicCAS (at, compare, value);
}

/* Loads and stores with a cache hint */

template <class T> static inline T __ldg (const T * at) { return *at; }
template <class T> static inline T __ldca (const T * at) { return *at; }
template <class T> static inline T __ldcs (const T * at) { return *at; }
template <class T> static inline T __ldlu (const T * at) { return *at; }
template <class T> static inline T
__ldcg (const T * at)
{
  if constexpr (std::is_class<T>::value)
    return *at;
  else
    return *(const volatile T *) at;
}
template <class T> static inline T
__ldcv (const T * at)
{
  return *(const volatile T *) at;
}
template <class T> static inline void __stcs (T * at, T value) { *at = value; }
template <class T> static inline void __stcg (T * at, T value) { *at = value; }
template <class T> static inline void __stwb (T * at, T value) { *at = value; }
template <class T> static inline void
__stwt (T * at, T value)
{
  *(volatile T *) at = value;
}

/* Arithmetic */

template <class A, class B> static inline constexpr std::common_type_t<A, B>
min (A a, B b)
{
  typedef std::common_type_t<A, B> T;
  return (T) a < (T) b ? (T) a : (T) b;
}

template <class A, class B> static inline constexpr std::common_type_t<A, B>
max (A a, B b)
{
  typedef std::common_type_t<A, B> T;
  return (T) a > (T) b ? (T) a : (T) b;
}

static inline int __popc (unsigned v) { return __builtin_popcount (v); }
static inline int
__popcll (unsigned long long v)
{
  return __builtin_popcountll (v);
}
static inline int __ffs (int v) { return __builtin_ffs (v); }
static inline int __ffsll (long long v) { return __builtin_ffsll (v); }
static inline int __clz (int v) { return v ? __builtin_clz (v) : 32; }
static inline int __clzll (long long v) { return v ? __builtin_clzll (v) : 64; }

static inline unsigned
__brev (unsigned v)
{
  v = __builtin_bswap32 (v);
  v = (v & 0x0f0f0f0f) << 4 | (v >> 4 & 0x0f0f0f0f);
  v = (v & 0x33333333) << 2 | (v >> 2 & 0x33333333);
  return (v & 0x55555555) << 1 | (v >> 1 & 0x55555555);
}

static inline unsigned
__byte_perm (unsigned a, unsigned b, unsigned selector)
{
  const uint64_t bytes = (uint64_t) b << 32 | a;
  unsigned result = 0;

  for (int i = 0; i < 4; i++) {
    const unsigned s = selector >> 4 * i, byte = bytes >> 8 * (s & 7) & 0xff;

    result |= (s & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * i;
  }
  return result;
}

static inline int
__viaddmin_s32_relu (int a, int b, int c)
{
  const int sum = (int) ((unsigned) a + (unsigned) b);
  const int least = sum < c ? sum : c;

  return least > 0 ? least : 0;
}

static inline unsigned
__vmaxu2 (unsigned a, unsigned b)
{
  const unsigned low = (a & 0xffff) > (b & 0xffff) ? a : b;

  return (low & 0xffff) | ((a >> 16 > b >> 16 ? a : b) & 0xffff0000);
}

static inline unsigned
__vminu2 (unsigned a, unsigned b)
{
  const unsigned low = (a & 0xffff) < (b & 0xffff) ? a : b;

  return (low & 0xffff) | ((a >> 16 < b >> 16 ? a : b) & 0xffff0000);
}

static inline unsigned
__vabsdiffu4 (unsigned a, unsigned b)
{
  unsigned result = 0;

  for (int i = 0; i < 32; i += 8) {
    const int x = a >> i & 0xff, y = b >> i & 0xff;

    result |= (unsigned) (x > y ? x - y : y - x) << i;
  }
  return result;
}

static inline int
__vimin_s32_relu (int a, int b)
{
  const int least = a < b ? a : b;

  return least > 0 ? least : 0;
}

static inline unsigned
__funnelshift_l (unsigned low, unsigned high, unsigned n)
{
  return (((uint64_t) high << 32 | low) << (n & 31)) >> 32;
}

static inline unsigned
__funnelshift_r (unsigned low, unsigned high, unsigned n)
{
  return ((uint64_t) high << 32 | low) >> (n & 31);
}

static inline unsigned
__funnelshift_lc (unsigned low, unsigned high, unsigned n)
{
  return n >= 32 ? low : __funnelshift_l (low, high, n);
}

static inline unsigned
__funnelshift_rc (unsigned low, unsigned high, unsigned n)
{
  return n >= 32 ? high : __funnelshift_r (low, high, n);
}

static inline unsigned
__umulhi (unsigned a, unsigned b)
{
  return (uint64_t) a * b >> 32;
}

static inline int __mulhi (int a, int b) { return (int64_t) a * b >> 32; }

static inline unsigned long long
__umul64hi (unsigned long long a, unsigned long long b)
{
  return (unsigned __int128) a * b >> 64;
}

static inline unsigned
__umul24 (unsigned a, unsigned b)
{
  return (a & 0xffffff) * (b & 0xffffff);
}

static inline unsigned
__dp4a (unsigned a, unsigned b, unsigned c)
{
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}

static inline unsigned
__usad (unsigned a, unsigned b, unsigned c)
{
  return (a > b ? a - b : b - a) + c;
}

static inline float
__fmaf_rn (float a, float b, float c)
{
  return fmaf (a, b, c);
}

static inline float __fmul_rn (float a, float b) { return a * b; }
static inline float __fadd_rn (float a, float b) { return a + b; }
static inline float __fdividef (float a, float b) { return a / b; }
static inline float __fdiv_rn (float a, float b) { return a / b; }
static inline double __dmul_rn (double a, double b) { return a * b; }
static inline double __ddiv_rn (double a, double b) { return a / b; }
static inline float __saturatef (float v) { return v > 0 ? v < 1 ? v : 1 : 0; }
static inline int __float2int_rn (float v) { return (int) rintf (v); }
static inline int __float2int_rd (float v) { return (int) floorf (v); }
static inline int __float2int_rz (float v) { return (int) v; }
static inline unsigned
__float2uint_rn (float v)
{
  return v > 0 ? (unsigned) rintf (v) : 0;
}
static inline unsigned
__float2uint_rz (float v)
{
  return v > 0 ? (unsigned) v : 0;
}
static inline float __int2float_rn (int v) { return v; }
static inline float __uint2float_rn (unsigned v) { return v; }
static inline float
__int_as_float (int v)
{
  return vh_double::from_bits<float> (v);
}

static inline int
__float_as_int (float v)
{
  return (int) vh_double::to_bits (v);
}

static inline unsigned
__float_as_uint (float v)
{
  return (unsigned) vh_double::to_bits (v);
}

/* A kernel's entry in the table of kernels. */

namespace vh_double
{
  template <class F> struct Signature;

  template <class... A> struct Signature<void (*) (A...)>
  {
    static constexpr unsigned n = sizeof... (A);

    struct Table
    {
      unsigned sizes[n + 1], offsets[n + 1];

      constexpr Table ():sizes {}, offsets {}
      {
        const unsigned size[] = {(unsigned) sizeof (A)..., 0};
        const unsigned align[] = {(unsigned) alignof (A)..., 1};
        unsigned at = 0;

        for (unsigned i = 0; i <= n; i++) {
          at = (at + align[i] - 1) / align[i] * align[i];
          sizes[i] = size[i];
          offsets[i] = at;
          at += size[i];
        }
      }
    };

    static constexpr Table table {};

    template <size_t... i> static inline
    __attribute__ ((always_inline, no_sanitize_address)) void
    apply (void (*entry) (void), const unsigned char *buffer,
        std::integer_sequence<size_t, i...>)
    {
      (void) buffer;            /* for a kernel without parameters */
      ((void (*) (A...)) entry) (*(const A *) (buffer + table.offsets[i])...);
    }

    /* Reads the double's own memory, which kernels may not do. */
    static __attribute__ ((no_sanitize_address, noinline)) void
    call (void (*entry) (void), const unsigned char *buffer)
    {
      apply (entry, buffer, std::make_integer_sequence<size_t, n> ());
    }
  };
}
