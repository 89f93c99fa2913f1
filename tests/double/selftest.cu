/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels to test the double with: what counting kernels do, and what they must
 * not do. nvcc compiles them, too, to show that they are CUDA. */
#include <stdint.h>

struct SelftestParams
{
  uint64_t in, out;             /* uint32_t[n] */
  uint32_t n, argument;
};

extern __shared__ uint32_t dynamic_shared[];

static __device__ __constant__ uint32_t primes[4] = { 2, 3, 5, 7 };

/* Histogram of 256 bins in shared memory; the last block copies. */
extern "C" __global__ void
__launch_bounds__ (1024, 2)
selftest_histogram (const __grid_constant__ SelftestParams p, uint32_t * ticket)
{
  __shared__ uint32_t last;
  const uint8_t *in = (const uint8_t *) p.in;
  uint32_t *out = (uint32_t *) p.out;
  uint32_t i;

  for (i = threadIdx.x; i < 256; i += blockDim.x)
    dynamic_shared[i] = 0;
  __syncthreads ();
  for (i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n;
      i += gridDim.x * blockDim.x)
    atomicAdd (&dynamic_shared[in[i]], 1u);
  __syncthreads ();
  for (i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd (&out[i], dynamic_shared[i]);
  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0)
    last = atomicInc (ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads ();
  if (last) {
    for (i = threadIdx.x; i < 256; i += blockDim.x)
      out[256 + i] = __ldcg (&out[i]);
  }
}

/* Exclusive prefix sum of each block's part: shuffles within a warp, then
 * across warps. */
extern "C" __global__ void
selftest_scan (SelftestParams p)
{
  __shared__ uint32_t sums[32];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t value = ((const uint32_t *) p.in)[i];
  uint32_t sum = value;

  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t other = __shfl_up_sync (0xffffffff, sum, d);

    if (lane >= d)
      sum += other;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads ();
  if (warp == 0) {
    uint32_t s = lane < blockDim.x / 32 ? sums[lane] : 0;

    for (uint32_t d = 1; d < 32; d *= 2) {
      const uint32_t other = __shfl_up_sync (0xffffffff, s, d);

      if (lane >= d)
        s += other;
    }
    sums[lane] = s;
  }
  __syncthreads ();
  ((uint32_t *) p.out)[i] = sum - value + (warp ? sums[warp - 1] : 0);
}

/* One word per thread that depends on every warp operation. */
extern "C" __global__ void
selftest_warp (SelftestParams p)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  const uint32_t value = ((const uint32_t *) p.in)[i];
  uint32_t hash = primes[lane % 4];

#define MIX(v) hash = (hash ^ (uint32_t) (v)) * 16777619u
  MIX (__ballot_sync (0xffffffff, value & 1));
  MIX (__any_sync (0xffffffff, value % 37 == 0));
  MIX (__all_sync (0xffffffff, value % 37 != 0));
  MIX (__match_any_sync (0xffffffff, value % 5));
  MIX (__reduce_add_sync (0xffffffff, value));
  MIX (__reduce_min_sync (0xffffffff, value));
  MIX (__reduce_max_sync (0xffffffff, (int32_t) value));
  MIX (__reduce_xor_sync (0xffffffff, value));
  MIX (__shfl_sync (0xffffffff, value, value % 32));
  MIX (__shfl_xor_sync (0xffffffff, value, 5));
  MIX (__shfl_down_sync (0xffffffff, value, 3, 8));
  if (lane & 1)
    MIX (__reduce_or_sync (0xaaaaaaaa, value));
  else
    MIX (__reduce_and_sync (0x55555555, value));
  __syncwarp ();
  /* Lanes with the same counter elect one that adds. */
  {
    const uint32_t same = __match_any_sync (__activemask (), value % 3);

    if (lane == (uint32_t) __ffs (same) - 1)
      atomicAdd (&((uint32_t *) p.out)[p.n + value % 3],
          (uint32_t) __popc (same));
  }
  MIX (__popc (value) + __clz (value) + __ffs (value));
  MIX (__brev (value));
  MIX (__byte_perm (value, hash, 0x5140));
  MIX (__umulhi (value, hash));
  MIX (__funnelshift_l (value, hash, 7));
  MIX (__syncthreads_count (value & 2));
#undef MIX
  ((uint32_t *) p.out)[i] = hash;
}

/* Forbidden things, selected by p.argument. */
extern "C" __global__ void
selftest_crime (SelftestParams p)
{
  uint32_t *out = (uint32_t *) p.out;
  uint32_t i = threadIdx.x;

  switch (p.argument) {
    case 0:                    /* beyond its memory */
      out[p.n + i] = 1;
      break;
    case 1:                    /* before it */
      out[0] = ((const uint32_t *) p.in)[-1 - (int32_t) i];
      break;
    case 2:                    /* misaligned */
      out[0] = *(const uint32_t *) ((const char *) p.in + 1);
      break;
    case 3:                    /* more shared memory than requested */
      dynamic_shared[256 + i] = 1;
      break;
    case 4:                    /* a barrier that some threads do not reach */
      if (i < 32)
        __shfl_sync (0xffffffff, i, 0);
      else if (i < 48)
        __shfl_sync (0xffffffff, i, 0);
      else
        __syncthreads ();
      break;
    case 5:
      __trap ();
      break;
    case 6:                    /* counts without atomics: a race */
      for (i = 0; i < 16; i++) {
        const uint32_t old = ((volatile uint32_t *) out)[i % 4];

        ((volatile uint32_t *) out)[i % 4] = old + ((uint32_t *) p.in)[i];
      }
      break;
    case 7:                    /* uninitialized shared memory */
      out[i] = dynamic_shared[i];
      break;
    case 8:                    /* continues long after it reported that it was
                                * done */
      i = *(volatile uint32_t *) p.in;
      __syncthreads ();
      *(volatile uint32_t *) p.out = 1;
      for (i = 0; i < 300; i++)
        __nanosleep (1000);
      if (p.n)                  /* it was not done */
        i = *(volatile uint32_t *) p.in;
      break;
    case 9:                    /* a vector at an odd word */
      *(uint4 *) out = __ldcg ((const uint4 *) ((const uint32_t *) p.in + 1));
      break;
    case 10:
      *(uint2 *) (out + 1) = make_uint2 (1, 2);
      break;
  }
}

/* Adds 1 to each word, which the previous launch may write. @argument: 0: waits
 * for that; 1: waits after reading; 2: does not wait. */
extern "C" __global__ void
selftest_dependent (SelftestParams p)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile uint32_t *words = (volatile uint32_t *) p.in;
  uint32_t word;

#if !defined (__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
  if (p.argument == 0)
    cudaGridDependencySynchronize ();
#endif
  word = words[i];
  __syncthreads ();
#if !defined (__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if (p.argument == 1)
    cudaGridDependencySynchronize ();
#endif
  words[i] = word + 1;
}

/* Two launches of it meet if they run at the same time: each sets a word to
 * show that it is there, waits up to @n times for the other's word, and writes
 * the result to the next word. Meanwhile each adds 1 to a shared word: reads it
 * before, and writes it after. */
extern "C" __global__ void
selftest_meet (SelftestParams p, volatile uint32_t * count)
{
  volatile uint32_t *mine = (volatile uint32_t *) p.in;
  const volatile uint32_t *other = (const volatile uint32_t *) p.out;
  const uint32_t old = *count;
  uint32_t i;

  mine[0] = 1;
  for (i = 0; i < p.n && !other[0]; i++)
    __nanosleep (1000);
  mine[1] = other[0];
  *count = old + 1;
}

/* A barrier for the whole grid, whose blocks all run at once. */
extern "C" __global__ void
selftest_grid_barrier (SelftestParams p, volatile uint32_t * arrived)
{
  uint32_t *out = (uint32_t *) p.out;

  if (threadIdx.x == 0) {
    atomicAdd (&out[0], 1u);
    __threadfence ();
    atomicAdd ((uint32_t *) arrived, 1u);
    while (*arrived < gridDim.x)
      __nanosleep (100);
    out[1 + blockIdx.x] = __ldcg (&out[0]);
  }
}
