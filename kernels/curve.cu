/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the curve that corrects luma from its counts. A block makes the levels
 * of a tile; there is one tile except for CLAHE. A thread makes the levels of a
 * few neighbouring bins. Sums are scans over the block. A bin such as the
 * median is found by the thread that has it, and shared with the others. Each
 * block computes the distance of the frame from the earlier ones; the first
 * block stores it for the next frame.
 *
 * These kernels first wait, and only then let the next kernel start. The next
 * one may therefore read the frame before it waits, because whatever wrote the
 * frame has ended. */
#include "share.cuh"

/* Shared by the threads of a block. */
struct VhFound
{
  uint32_t sums[6][VH_WARP];    /* of warps; separate for each scan */
  uint32_t darkest;             /* pixels of the darkest bin that has pixels */
  uint32_t first, last;         /* bins */
  uint32_t median_log;          /* gamma: of the bin of the median */
  uint32_t low, high;           /* levels */
};

static_assert (sizeof (VhFound) <= VH_KERNEL_FIXED_SHARED,
    "more fixed shared memory than is left for it");

/* clahe: the results for 8-bit codes, VH_TILE_CODES of them. */
static __device__ __forceinline__ uint32_t *
vh_tile_codes ()
{
  return (uint32_t *) vh_shared;
}

/* The sum of @value over the threads before this one; sets @total to the sum
 * over all threads. Has one barrier. */
static __device__ __forceinline__ uint32_t
vh_block_scan (uint32_t value, uint32_t * sums, uint32_t * total)
{
  const uint32_t warps = blockDim.x / VH_WARP;
  uint32_t sum = value, warp_sum;

  for (uint32_t i = 1; i < VH_WARP; i *= 2) {
    const uint32_t other = __shfl_up_sync (VH_ALL_LANES, sum, i);

    if (vh_lane () >= i)
      sum += other;
  }
  if (vh_lane () == VH_WARP - 1)
    sums[vh_warp ()] = sum;
  __syncthreads ();

  warp_sum = vh_lane () < warps ? sums[vh_lane ()] : 0;
  *total = vh_warp_sum (warp_sum);
  return sum - value + vh_warp_sum (vh_lane () < vh_warp () ? warp_sum : 0);
}

/* Loads @n neighbours, which are aligned to @n words. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_load_bins (uint64_t from, uint32_t value[n])
{
  if constexpr (n == 4) {
    const uint4 v = *((const uint4 *) from + threadIdx.x);

    value[0] = v.x;
    value[1] = v.y;
    value[2] = v.z;
    value[3] = v.w;
  } else {
    value[0] = *((const uint32_t *) from + threadIdx.x);
  }
}

template <uint32_t n>
static __device__ __forceinline__ void
vh_store_bins (uint64_t to, const uint32_t value[n])
{
  if constexpr (n == 4) {
    *((uint4 *) to + threadIdx.x) =
        make_uint4 (value[0], value[1], value[2], value[3]);
  } else {
    *((uint32_t *) to + threadIdx.x) = value[0];
  }
}

/* The counts of a thread's bins, where bins below black count as black and bins
 * above white as white; and the cumulative sums up to each bin. */
template <uint32_t n>
struct VhCounts
{
  uint32_t count[n], sum[n], total;

  /* Has one barrier. */
  __device__ __forceinline__ void
  load (const VhCurveParams & c, const uint32_t raw[n], uint32_t * sums)
  {
    uint32_t own = 0, before;

    for (uint32_t k = 0; k < n; k++)
      own += raw[k];
    before = vh_block_scan (own, sums, &total);
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t bin = threadIdx.x * n + k;
      const uint32_t below = bin <= c.low ? 0 : bin > c.high ? total : before;

      before += raw[k];
      sum[k] = bin < c.low ? 0 : bin >= c.high ? total : before;
      count[k] = sum[k] - below;
    }
  }
};

/* The bin of the reference for a bin with cumulative count @sum of @n
 * pixels. */
static __device__ __forceinline__ uint32_t
vh_find_match (const VhKernelCurve & p, uint32_t sum, uint32_t n)
{
  const uint32_t *sums = (const uint32_t *) vh_shared;
  uint32_t first = 0, end = p.curve.bins - 1;

  while (first < end) {
    const uint32_t middle = (first + end) / 2;

    if (vh_curve_reaches (sums[middle], p.reference_n, sum, n))
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

/* The logarithms for gamma, which do not depend on counts. They take long, so
 * they are computed before the wait. */
template <uint32_t n>
struct VhLogs
{
  uint32_t log[n], target;

  __device__ __forceinline__
  VhLogs (const VhCurveParams & c)
  : log {}, target (0)
  {
    if (c.method != VH_CURVE_GAMMA)
      return;
    for (uint32_t k = 0; k < n; k++)
      log[k] = vh_curve_log (&c, threadIdx.x * n + k);
    target = vh_curve_target_log (&c);
  }
};

/* Finds the values that the levels of all bins depend on, in the counts of the
 * frame. The threads that find them write them; they may be read after the next
 * barrier. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_find (const VhKernelCurve & p, const VhCounts<n> & counts,
    const VhLogs<n> & logs, VhFound * found)
{
  const VhCurveParams & c = p.curve;
  const uint32_t first = vh_curve_rank (c.low_percentile, counts.total);
  const uint32_t last = vh_curve_rank (c.high_percentile, counts.total);
  const uint32_t median = vh_curve_rank (0x80000000, counts.total);

  for (uint32_t k = 0; k < n; k++) {
    const uint32_t bin = threadIdx.x * n + k;
    const uint32_t sum = counts.sum[k], below = sum - counts.count[k];

    if (sum > 0 && below == 0)
      found->darkest = sum;
    if (sum >= first && below < first)
      found->first = bin;
    if (sum >= last && below < last)
      found->last = bin;
    if (sum >= median && below < median)
      found->median_log = logs.log[k];
  }
  if (c.method == VH_CURVE_MATCH) {
    for (uint32_t i = threadIdx.x; i < c.bins; i += blockDim.x)
      ((uint32_t *) vh_shared)[i] = ((const uint32_t *) p.reference_sums)[i];
  }
}

/* The sum of @value over the @n neighbouring threads that have the bins of one
 * 8-bit code. */
static __device__ __forceinline__ uint32_t
vh_code_sum (uint32_t value, uint32_t n)
{
  for (uint32_t i = 1; i < n; i *= 2)
    value += __shfl_xor_sync (VH_ALL_LANES, value, i);
  return value;
}

/* Equalizes a tile in 8-bit codes: clips their counts at the limit, distributes
 * the excess to all of them, and writes the results, which may be read after
 * the next barrier. Has two barriers. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_equalize_tile (const VhCurveParams & c, const VhCounts<n> & counts,
    VhFound * found)
{
  const uint32_t shift = vh_curve_tile_shift (&c);
  const uint32_t threads = max ((1u << shift) / n, 1u); /* threads that share a
                                                         * code */
  const uint32_t clip = vh_curve_clip (&c, counts.total);
  const uint32_t code = threadIdx.x * n >> shift;
  const bool first = threadIdx.x % threads == 0;
  const bool in_range = code >= c.low >> shift && code <= c.high >> shift;
  uint32_t count = 0, clipped, all, before;

  for (uint32_t k = 0; k < n; k++)
    count += counts.count[k];
  count = vh_code_sum (count, threads);
  vh_block_scan (first ? count - min (count, clip) : 0, found->sums[3],
      &clipped);

  count = min (count, clip);
  if (in_range)
    count += vh_curve_given (&c, code - (c.low >> shift), clipped);
  before = vh_block_scan (first ? count : 0, found->sums[4], &all);
  if (first) {
    vh_tile_codes ()[code] = vh_curve_tile (&c, before + count,
        max (counts.total, 1u));
  }
}

/* The level of @bin from these results. */
static __device__ __forceinline__ uint32_t
vh_tile_level (const VhCurveParams & c, uint32_t bin)
{
  const uint32_t shift = vh_curve_tile_shift (&c), code = bin >> shift;
  const uint32_t *codes = vh_tile_codes (), becomes = codes[code];

  return vh_curve_tile_level (&c, bin, becomes, code < c.high >> shift ?
      codes[code + 1] : vh_curve_tile_after (&c, becomes));
}

/* The levels that this frame alone would give to a thread's bins, in the
 * range. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_make_targets (const VhKernelCurve & p, const VhCounts<n> & counts,
    const VhLogs<n> & logs, const VhFound & found, uint32_t target[n])
{
  const VhCurveParams & c = p.curve;
  uint32_t exponent = 0;

  if (c.method == VH_CURVE_GAMMA)
    exponent = vh_curve_exponent (&c, found.median_log, logs.target);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t bin = threadIdx.x * n + k;

    switch (c.method) {
      case VH_CURVE_EQUALIZE:
        target[k] = vh_curve_equalize (&c, counts.sum[k], found.darkest,
            counts.total);
        break;
      case VH_CURVE_STRETCH:
        target[k] = vh_curve_stretch (&c, bin, found.first, found.last);
        break;
      case VH_CURVE_GAMMA:
        target[k] = vh_curve_gamma (&c, bin, logs.log[k], exponent);
        break;
      case VH_CURVE_MATCH:
        target[k] = vh_curve_identity (&c, vh_find_match (p, counts.sum[k],
                counts.total));
        break;
      default:
        target[k] = vh_tile_level (c, bin);
        break;
    }
  }
}

/* The sum of the differences between @share and @other over a thread's bins. */
template <uint32_t n>
static __device__ __forceinline__ uint32_t
vh_difference (const uint32_t share[n], const uint32_t other[n])
{
  uint32_t difference = 0;

  for (uint32_t k = 0; k < n; k++) {
    difference += share[k] > other[k] ? share[k] - other[k] :
        other[k] - share[k];
  }
  return difference;
}

/* The sum of the differences between the means in @a and @b over a thread's
 * tiles. */
static __device__ __forceinline__ uint32_t
vh_tile_difference (const uint32_t * a, const uint32_t * b, uint32_t tiles)
{
  uint32_t difference = 0;

  for (uint32_t i = threadIdx.x; i < tiles; i += blockDim.x)
    difference += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
  return difference;
}

/* The distance of the frame with @share from the frame with @other, after
 * adapting the latter to this frame's light. @shares has the shares of all bins
 * of the latter. Has three barriers. */
template <uint32_t n>
static __device__ __forceinline__ uint32_t
vh_find_unlit (const VhCurveParams & c, const uint32_t share[n],
    const uint32_t other[n], const uint32_t * shares, VhFound * found)
{
  uint32_t light = 0, other_light = 0, total_light, total_other, dimming;
  uint32_t difference = 0, total;

  for (uint32_t k = 0; k < n; k++) {
    const uint32_t bin = threadIdx.x * n + k;

    light += vh_curve_light (&c, bin, share[k]);
    other_light += vh_curve_light (&c, bin, other[k]);
  }
  vh_block_scan (light, found->sums[2], &total_light);
  vh_block_scan (other_light, found->sums[3], &total_other);
  dimming = vh_curve_dimming (total_light, total_other);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t bin = threadIdx.x * n + k;

    if (vh_curve_is_lit (&c, bin)) {
      const uint32_t from = vh_curve_dimmed (&c, bin, dimming);
      const uint32_t lit = from < c.bins ? shares[from] : VH_SHARE_ONE;

      difference += share[k] > lit ? share[k] - lit : lit - share[k];
    }
  }
  vh_block_scan (difference, found->sums[4], &total);
  return vh_curve_distance (total, c.bins);
}

/* Keeps the means of tiles for the next frame. */
static __device__ __forceinline__ void
vh_keep_means (const VhKernelCurve & p, uint32_t tiles, bool adopt)
{
  const uint32_t *means = (const uint32_t *) p.means;
  const VhKernelFrameState *before = (const VhKernelFrameState *) p.before;
  VhKernelFrameState *after = (VhKernelFrameState *) p.after;

  for (uint32_t i = threadIdx.x; i < tiles; i += blockDim.x) {
    after->means[i] = adopt ? means[i] : before->means[i];
    if (!adopt)
      after->apart_means[i] = means[i];
  }
}

/* Compares the frame with the earlier ones: returns how it changes the levels,
 * and fills @state for the next frame. Its last barrier comes after all reads
 * of @found->sums, so the caller may reuse these, and may read the results of
 * vh_find(). */
template <uint32_t n>
static __device__ __forceinline__ VhCurveTurn
vh_look_at_frame (const VhKernelCurve & p, const VhLogs<n> & logs,
    VhCounts<n> * counts, VhFound * found, VhCurveState * state)
{
  const VhCurveParams & c = p.curve;
  const VhKernelFrameState *before = (const VhKernelFrameState *) p.before;
  const uint32_t *means = (const uint32_t *) p.means;
  const uint32_t tiles = c.columns * c.rows;
  uint32_t share[n], reference[n], other[n], total, apart = 0, constant = 0;
  uint32_t moved, moved_apart = 0;
  VhCurveStep step, step_apart = { 0, 0 };
  VhCurveTurn turn;

  vh_load_bins<n> (p.frame_counts, share);
  vh_load_bins<n> ((uint64_t) (uintptr_t) before->shares, reference);
  *state = before->state;
  if (p.fresh)
    state->valid = state->apart = 0;

  counts->load (c, share, found->sums[0]);
  vh_find (p, *counts, logs, found);
  for (uint32_t k = 0; k < n; k++) {
    share[k] = counts->total == 0 ? 0 : vh_curve_share (counts->sum[k],
        counts->total);
    constant |= counts->count[k] == counts->total;
  }
  vh_block_scan (vh_difference<n> (share, reference), found->sums[1], &total);
  if (state->apart) {
    vh_load_bins<n> ((uint64_t) (uintptr_t) before->apart, other);
    vh_block_scan (vh_difference<n> (share, other), found->sums[5], &apart);
  }
  step.distance = vh_curve_distance (total, c.bins);
  step_apart.distance = vh_curve_distance (apart, c.bins);
  if (tiles > 1) {
    vh_block_scan (vh_tile_difference (means, before->means, tiles),
        found->sums[2], &moved);
    if (state->apart) {
      vh_block_scan (vh_tile_difference (means, before->apart_means, tiles),
          found->sums[3], &moved_apart);
    }
    step.changed = vh_curve_moved (moved, tiles, step.distance);
    step_apart.changed = vh_curve_moved (moved_apart, tiles,
        step_apart.distance);
  } else {
    step.changed = vh_find_unlit<n> (c, share, reference, before->shares,
        found);
    if (state->apart) {
      step_apart.changed = vh_find_unlit<n> (c, share, other, before->apart,
          found);
    }
  }
  state->constant = __syncthreads_or (constant);

  turn = vh_curve_advance (state, &c, step, step_apart);
  if (blockIdx.x == 0) {
    VhKernelFrameState *after = (VhKernelFrameState *) p.after;

    if (!turn.adopt)
      vh_store_bins<n> ((uint64_t) (uintptr_t) after->apart, share);
    for (uint32_t k = 0; k < n; k++)
      share[k] = turn.adopt ? share[k] : reference[k];
    vh_store_bins<n> ((uint64_t) (uintptr_t) after->shares, share);
    if (tiles > 1)
      vh_keep_means (p, tiles, turn.adopt);
    if (threadIdx.x == 0)
      after->state = *state;
  }
  return turn;
}

template <uint32_t n>
static __device__ __forceinline__ void
vh_make_levels (const VhKernelCurve & p, VhFound & found)
{
  const VhCurveParams & c = p.curve;
  const uint64_t offset = (uint64_t) blockIdx.x * c.bins * sizeof (uint32_t);
  const VhLogs<n> logs (c);
  VhCounts<n> counts;
  VhCurveState state;
  uint32_t level[n], target[n], raw[n];
  VhCurveTurn turn;

  vh_wait_for_previous ();
  vh_let_next_begin ();
  vh_load_bins<n> (p.levels + offset, level);
  if (c.method == VH_CURVE_CLAHE)
    vh_load_bins<n> (p.counts + offset, raw);
  turn = vh_look_at_frame<n> (p, logs, &counts, &found, &state);
  if (turn.keep)
    vh_store_bins<n> (p.kept + offset, level);
  if (turn.restore)
    vh_load_bins<n> (p.kept + offset, level);
  if (c.method == VH_CURVE_CLAHE) {
    counts.load (c, raw, found.sums[2]);
    vh_equalize_tile<n> (c, counts, &found);
    __syncthreads ();
  }

  if (state.constant) {
    for (uint32_t k = 0; k < n; k++)
      target[k] = vh_curve_identity (&c, threadIdx.x * n + k);
  } else {
    vh_make_targets<n> (p, counts, logs, found, target);
  }
  for (uint32_t k = 0; k < n; k++) {
    if (threadIdx.x * n + k == c.low)
      found.low = target[k];
    if (threadIdx.x * n + k == c.high)
      found.high = target[k];
  }
  __syncthreads ();
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t bin = threadIdx.x * n + k;

    level[k] = vh_curve_smooth (level[k], bin < c.low ? found.low :
        bin > c.high ? found.high : target[k], turn.share);
  }
  vh_store_bins<n> (p.levels + offset, level);
}

/* A block for each tile, with a thread for each bin or for each four bins. */
extern "C" __global__ void
__launch_bounds__ (1024)
vh_curve (const __grid_constant__ VhKernelCurve p)
{
  __shared__ VhFound found;

  if (p.curve.bins == blockDim.x)
    vh_make_levels<1> (p, found);
  else
    vh_make_levels<4> (p, found);
}

/* Finds the mean of each tile, with a warp per tile. */
static __device__ __forceinline__ void
vh_find_means (const VhKernelCurve & p, uint32_t tile)
{
  const VhCurveParams & c = p.curve;
  const uint32_t *counts = (const uint32_t *) p.counts +
      (uint64_t) tile * c.bins;
  unsigned long long sum = 0;
  uint32_t pixels = 0;

  if (tile >= c.columns * c.rows)
    return;
  for (uint32_t bin = vh_lane (); bin < c.bins; bin += VH_WARP) {
    const uint32_t count = counts[bin];

    sum += (unsigned long long) count * min (max (bin, c.low), c.high);
    pixels += count;
  }
  for (uint32_t i = 1; i < VH_WARP; i *= 2)
    sum += __shfl_xor_sync (VH_ALL_LANES, sum, i);
  pixels = vh_warp_sum (pixels);
  if (vh_lane () == 0)
    ((uint32_t *) p.means)[tile] = vh_curve_mean (sum, pixels, c.bins);
}

/* Adds up the counts of all tiles: each warp adds a share of the tiles, for 32
 * bins. The remaining blocks find the means of tiles. */
extern "C" __global__ void
__launch_bounds__ (1024)
vh_curve_frame (const __grid_constant__ VhKernelCurve p)
{
  const uint32_t tiles = p.curve.columns * p.curve.rows;
  const uint32_t warps = blockDim.x / VH_WARP;
  const uint32_t bin = blockIdx.x * VH_WARP + vh_lane ();
  const uint32_t *counts = (const uint32_t *) p.counts + bin;
  uint32_t *sums = (uint32_t *) vh_shared, sum = 0;

  vh_wait_for_previous ();
  vh_let_next_begin ();
  if (blockIdx.x >= p.curve.bins / VH_WARP) {
    vh_find_means (p, (blockIdx.x - p.curve.bins / VH_WARP) * warps +
        vh_warp ());
    return;
  }
#pragma unroll 4
  for (uint32_t i = vh_warp (); i < tiles; i += warps)
    sum += counts[(uint64_t) i * p.curve.bins];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (vh_warp () == 0) {
    for (uint32_t i = 1; i < warps; i++)
      sum += sums[i * VH_WARP + vh_lane ()];
    ((uint32_t *) p.frame_counts)[bin] = sum;
  }
}
