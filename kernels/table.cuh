/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes what is shown of a table from its counts. */
#pragma once

#include "share.cuh"
#include "scopeparams.h"

/* The lowest and the highest of some numbers. */
struct VhExtremes
{
  uint32_t least, most;

  __device__ __forceinline__
  VhExtremes ()
  : least (0xffffffffu), most (0)
  {
  }

  __device__ __forceinline__ void
  add (uint32_t n)
  {
    least = min (least, n);
    most = max (most, n);
  }

  __device__ __forceinline__ void
  join (const VhExtremes & other)
  {
    least = min (least, other.least);
    most = max (most, other.most);
  }

  /* Joins the extremes of all lanes, which must all call it. */
  __device__ __forceinline__ void
  join_warp ()
  {
    for (uint32_t i = VH_WARP / 2; i > 0; i /= 2) {
      least = min (least, __shfl_xor_sync (VH_ALL_LANES, least, i));
      most = max (most, __shfl_xor_sync (VH_ALL_LANES, most, i));
    }
  }

  __device__ __forceinline__ bool
  has (uint32_t n) const
  {
    return least <= most && (n == least || n == most);
  }
};

/* The peaks of an envelope of numbers below @end, as in VhKernelTable. */
struct VhPeaks
{
  uint32_t *peaks;
  uint32_t end;
  uint32_t envelope;            /* VH_ENVELOPE_INSTANT ... */
  bool forget;

  /* Updates the peaks of column @i with this frame's extremes there. Several
   * threads may call this for one column: each writes the same. */
  __device__ __forceinline__ VhExtremes
  follow (uint32_t i, const VhExtremes & now, bool write) const
  {
    VhExtremes ever = now;
    uint2 *at = (uint2 *) peaks + i;

    if (!(envelope & VH_ENVELOPE_PEAK))
      return ever;
    if (!forget) {
      const uint2 before = __ldcg (at);

      if (before.y > 0) {
        ever.least = min (ever.least, end - before.x);
        ever.most = max (ever.most, before.y - 1);
      }
    }
    if (write && ever.least <= ever.most)
      *at = make_uint2 (end - ever.least, ever.most + 1);
    else if (write)
      *at = make_uint2 (0, 0);
    return ever;
  }
};

/* @n neighbouring cells, 1 or 4, which one access reads or writes. */
template <class T, uint32_t n>
struct alignas (n * sizeof (T)) VhCells
{
  T of[n];
};

/* Sets @n cells of @table, from @cell on, to what is shown of @counts. Cells
 * with their bit set in @lit get full brightness, because they belong to the
 * envelope. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_show (const VhKernelTable & table, uint64_t cell,
    const VhCells<uint32_t, n> & counts, float decay, uint32_t lit)
{
  typedef VhCells<uint32_t, n> Counts;
  typedef VhCells<float, n> Shown;
  typedef VhCells<uint8_t, n> Light;

  const uint8_t *brightness = (const uint8_t *) table.brightness;
  Counts *kept = (Counts *) ((uint32_t *) table.counts + cell);
  Shown *shown = (Shown *) ((float *) table.shown + cell);
  Shown now;
  Light light;

#pragma unroll
  for (uint32_t i = 0; i < n; i++)
    now.of[i] = (float) counts.of[i];
  if (decay > 0) {
    if (table.before == VH_SHOWN_TABLE) {
      const Shown before = *shown;

#pragma unroll
      for (uint32_t i = 0; i < n; i++)
        now.of[i] = vh_scope_persist (before.of[i], counts.of[i], decay);
    } else if (table.before == VH_SHOWN_COUNTS) {
      const Counts before = *kept;

#pragma unroll
      for (uint32_t i = 0; i < n; i++) {
        now.of[i] = vh_scope_persist ((float) before.of[i], counts.of[i],
            decay);
      }
    }
    *shown = now;
  }
  *kept = counts;
#pragma unroll
  for (uint32_t i = 0; i < n; i++) {
    light.of[i] = lit & (1u << i) ? 255 :
        brightness[vh_scope_step (now.of[i])];
  }
  *(Light *) ((uint8_t *) table.light + cell) = light;
}
