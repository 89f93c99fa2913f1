/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of videoequalize, shared by the CPU and the kernels: from
 * counts of luma to a curve, and from a curve to pixels. It uses integers.
 * Where results must equal another program's floating point (OpenCV's), it uses
 * single IEEE 754 operations in a fixed order, which are never contracted.
 *
 * A curve has a level for each bin of luma. Levels are in bins, with
 * VH_LEVEL_BITS fractional bits. Up to VH_CURVE_DEPTH bits per sample a bin is
 * one code value. Above, there are 2^VH_CURVE_DEPTH bins of several code
 * values, and the curve is linear between levels. */
#ifndef VH_CURVE_H
#define VH_CURVE_H

#include <stdint.h>

#ifdef __device__
#define VH_CURVE_FUNC static __host__ __device__ __forceinline__
#else
#define VH_CURVE_FUNC static inline
#endif

#ifdef __CUDA_ARCH__
#define VH_FMUL(a, b) __fmul_rn ((a), (b))
#define VH_FADD(a, b) __fadd_rn ((a), (b))
#define VH_FDIV(a, b) __fdiv_rn ((a), (b))
#define VH_FDIV_WHOLE(a, b) vh_divide_whole ((a), (b))
#define VH_ROUND(a) __float2int_rn (a)
#define VH_FLOOR(a) __float2int_rd (a)
#define VH_FMIN(a, b) fminf ((a), (b))
#define VH_FMAX(a, b) fmaxf ((a), (b))
#define VH_DMUL(a, b) __dmul_rn ((a), (b))
#define VH_DDIV(a, b) __ddiv_rn ((a), (b))
#else
#include <math.h>
#include <string.h>
#define VH_FMUL(a, b) ((a) * (b))
#define VH_FADD(a, b) ((a) + (b))
#define VH_FDIV(a, b) ((a) / (b))
#define VH_FDIV_WHOLE(a, b) ((a) / (b))
#define VH_ROUND(a) vh_round (a)
#define VH_FLOOR(a) ((int32_t) floorf (a))
#define VH_FMIN(a, b) ((a) < (b) ? (a) : (b))
#define VH_FMAX(a, b) ((a) > (b) ? (a) : (b))
#define VH_DMUL(a, b) ((a) * (b))
#define VH_DDIV(a, b) ((a) / (b))
#endif

#define VH_CURVE_DEPTH 12
#define VH_CURVE_MAX_BINS (1 << VH_CURVE_DEPTH)
#define VH_LEVEL_BITS 16
#define VH_LEVEL_ONE (1 << VH_LEVEL_BITS)
#define VH_SHARE_ONE 65536      /* a share of 100 % */
#define VH_LOG_BITS 24          /* fractional bits of a logarithm */
#define VH_CURVE_MAX_TILES 32   /* tiles per row and per column */

/* CLAHE equalizes tiles in 8-bit codes at any depth, so that a tile with few
 * pixels has the same curve at each depth. Between these codes, the curve of
 * deeper samples is linear, but not steeper than VH_TILE_GAIN, because that
 * would amplify noise. */
#define VH_TILE_DEPTH 8
#define VH_TILE_CODES (1 << VH_TILE_DEPTH)
#define VH_TILE_GAIN 3

/* The values of GstVideoEqualizeMethod. */
enum
{
  VH_CURVE_NONE,
  VH_CURVE_EQUALIZE,
  VH_CURVE_STRETCH,
  VH_CURVE_GAMMA,
  VH_CURVE_MATCH,
  VH_CURVE_CLAHE
};

/* The values of GstVideoEqualizeColor. */
enum
{
  VH_COLOR_SCALE,
  VH_COLOR_KEEP,
  VH_COLOR_CHANNELS
};

/* Edges of the corrected region. */
enum
{
  VH_EDGE_LEFT = 1,
  VH_EDGE_TOP = 2,
  VH_EDGE_RIGHT = 4,
  VH_EDGE_BOTTOM = 8
};

/* The parameters of a curve; the same on the host and the device. */
typedef struct
{
  uint32_t method;              /* not NONE */
  uint32_t depth;               /* bits of a sample, 8 ... 16 */
  uint32_t bins;                /* 2^min (depth, VH_CURVE_DEPTH) */
  uint32_t low, high;           /* bins of black and white */
  uint32_t columns, rows;       /* of tiles: 1 x 1 except for CLAHE */
  uint32_t share;               /* weight of this frame's own curve;
                                 * VH_SHARE_ONE: each frame is corrected on its
                                 * own */
  uint32_t scene_threshold;     /* the maximum distance of two frames of a
                                 * scene, as vh_curve_distance() returns it;
                                 * VH_SHARE_ONE: no scenes are detected */
  uint32_t strength;            /* 0 ... VH_SHARE_ONE */
  uint32_t low_percentile, high_percentile;     /* of 2^32 */
  uint32_t max_gain;            /* VH_LEVEL_ONE is 1.0, the minimum */
  uint32_t target;              /* median after gamma: 0 is black, VH_SHARE_ONE
                                 * white */
  double clip_limit;            /* for CLAHE, as OpenCV defines it; 0: no
                                 * limit */
} VhCurveParams;

/* The distance of two frames, where VH_SHARE_ONE is 1.0. */
typedef struct
{
  uint32_t distance;            /* of their histograms: vh_curve_distance() */
  uint32_t changed;             /* the part of the distance that light does not
                                 * explain: with tiles vh_curve_moved(); with
                                 * one tile vh_curve_distance() after adapting
                                 * the reference to the frame's light */
} VhCurveStep;

/* The state of the earlier frames, kept with the curve's levels. */
typedef struct
{
  uint32_t valid;               /* there was a frame */
  uint32_t apart;               /* the last frame was far from the reference: it
                                 * uses its own levels, and those of the frames
                                 * before it are kept */
  uint32_t constant;            /* the last frame has a single code value, and
                                 * is not changed */
  uint32_t measured;            /* some scene had at least two frames, so usual
                                 * is known */
  uint32_t usual;               /* usual change from frame to frame within a
                                 * scene, averaged over some frames */
} VhCurveState;

/* How a new frame changes the levels. */
typedef struct
{
  uint32_t share;               /* weight of the frame's own levels */
  uint32_t adopt;               /* the frame becomes the reference */
  uint32_t keep;                /* the last levels must be kept for later */
  uint32_t restore;             /* the kept levels replace the last ones before
                                 * the frame's levels are blended in */
} VhCurveTurn;

#ifdef __CUDA_ARCH__
/* @a / @b, rounded as in IEEE 754, for integers below 2^24; @b must not be 0.
 * Gives the same result as a division, but without the branch for special
 * cases, which do not occur here: a reciprocal within one unit in the last
 * place, one Newton step for it, and two for the quotient. */
VH_CURVE_FUNC float
vh_divide_whole (float a, float b)
{
  const float first = __fdividef (1.0f, b);
  const float inverse = __fmaf_rn (first, __fmaf_rn (-b, first, 1.0f), first);
  const float quotient = __fmul_rn (a, inverse);
  const float nearer = __fmaf_rn (inverse, __fmaf_rn (-b, quotient, a),
      quotient);

  return __fmaf_rn (inverse, __fmaf_rn (-b, nearer, a), nearer);
}
#else
/* Rounds @a to the nearest integer, ties to even, for absolute values below
 * 2^22. Uses single operations that every compiler vectorises. */
VH_CURVE_FUNC int32_t
vh_round (float a)
{
  const float shifted = a + 12582912.0f;        /* 1.5 * 2^23: no fractions */
  int32_t bits;

  memcpy (&bits, &shifted, sizeof (bits));
  return bits - 0x4b400000;
}
#endif

/* The cumulative count @sum as a share of @n pixels; VH_SHARE_ONE is 1.0. */
VH_CURVE_FUNC uint32_t
vh_curve_share (uint32_t sum, uint32_t n)
{
  const uint64_t product = (uint64_t) sum * VH_SHARE_ONE;
#ifdef __CUDA_ARCH__
  /* A 64-bit division is slow on a GPU: divides floats, and corrects the
   * result, which is off by at most one. */
  const uint32_t near = (uint32_t) __float2int_rd (VH_FDIV ((float) sum,
          (float) n) * VH_SHARE_ONE);
  const int64_t rest = (int64_t) (product - (uint64_t) near * n);

  return rest < 0 ? near - 1 : rest >= n ? near + 1 : near;
#else
  return (uint32_t) (product / n);
#endif
}

/* The earth mover's distance of two frames; VH_SHARE_ONE is the whole code
 * space. @total is the sum over all bins of the absolute differences of their
 * shares. */
VH_CURVE_FUNC uint32_t
vh_curve_distance (uint32_t total, uint32_t bins)
{
  return total / bins;
}

/* The mean of the @n pixels of a tile; @sum is the sum of their bins.
 * VH_SHARE_ONE is the whole code space. */
VH_CURVE_FUNC uint32_t
vh_curve_mean (uint64_t sum, uint32_t n, uint32_t bins)
{
  return n == 0 ? 0 : (uint32_t) (sum * VH_SHARE_ONE / ((uint64_t) n * bins));
}

/* How much more the @tiles of two frames differ than their histograms, which
 * are @distance apart. @total is the sum over all tiles of the absolute
 * differences of their means. A lamp changes both equally; another picture with
 * the same histogram, such as a mirrored one, changes only the tiles. */
VH_CURVE_FUNC uint32_t
vh_curve_moved (uint32_t total, uint32_t tiles, uint32_t distance)
{
  const uint32_t mean = total / tiles;

  return mean > distance ? mean - distance : 0;
}

/* With one tile, the reference is first adapted to the frame's light, so that
 * both have the same mean: levels above black are multiplied, as by a lamp or a
 * change of exposure. The light of a frame is the sum of vh_curve_light() over
 * all bins from black on. */
VH_CURVE_FUNC uint32_t
vh_curve_light (const VhCurveParams * params, uint32_t bin, uint32_t share)
{
  return bin < params->low ? 0 : VH_SHARE_ONE - share;
}

/* The factor from a bin of the frame to a bin of the reference; VH_SHARE_ONE is
 * 1.0. */
VH_CURVE_FUNC uint32_t
vh_curve_dimming (uint32_t light, uint32_t reference_light)
{
  const uint64_t most = 16 * VH_SHARE_ONE;
  const uint64_t ratio = ((uint64_t) reference_light << 16) /
      (light < 1 ? 1 : light);

  return (uint32_t) (ratio < most ? ratio : most);
}

/* The bin of the reference that corresponds to @bin of the frame. A result
 * beyond the last bin means that all of the reference is darker. */
VH_CURVE_FUNC uint32_t
vh_curve_dimmed (const VhCurveParams * params, uint32_t bin, uint32_t dimming)
{
  return params->low + (uint32_t) (((uint64_t) (bin - params->low) * dimming +
          VH_SHARE_ONE / 2) >> 16);
}

/* Whether @bin is compared after adapting the reference to the light. White is
 * not, because it cannot get lighter. */
VH_CURVE_FUNC int
vh_curve_is_lit (const VhCurveParams * params, uint32_t bin)
{
  return bin >= params->low && bin < params->high;
}

/* Whether @step leads to another scene. A histogram distance beyond the
 * threshold always does, including for a flash. So does a change that light
 * does not explain, if it is more than a part of the threshold and several
 * times the usual change: frames of a moving camera differ more than those of a
 * still one. The numbers were measured: see docs/measurements.md. */
VH_CURVE_FUNC int
vh_curve_is_far (const VhCurveState * state, const VhCurveParams * params,
    VhCurveStep step)
{
  const int tiles = params->columns * params->rows > 1;
  const uint32_t most = params->scene_threshold;
  const uint32_t usual = (tiles ? 3 : 6) * state->usual;
  uint32_t limit = tiles ? most * 9 / 20 : most / 4;

  if (!state->valid || most >= VH_SHARE_ONE)
    return 0;
  if (limit < usual)
    limit = usual;
  if (!state->measured)
    limit = most;
  return step.distance > most || step.changed > limit;
}

/* Updates the usual change with @step, which is within a scene. */
VH_CURVE_FUNC void
vh_curve_get_used_to (VhCurveState * state, VhCurveStep step)
{
  const uint32_t before = state->measured ? 7 : 0, all = before + 1;

  state->usual = (before * state->usual + step.changed) / all;
  state->measured = 1;
}

/* Processes a new frame: @step is its distance from the reference; @step_apart
 * is its distance from the last frame if that one was far from the reference. A
 * frame far from the reference uses its own levels at once. If the next frame
 * is near it, both belong to a new scene; if the next frame is near the
 * reference, the frame was a flash, and the earlier levels continue. */
VH_CURVE_FUNC VhCurveTurn
vh_curve_advance (VhCurveState * state, const VhCurveParams * params,
    VhCurveStep step, VhCurveStep step_apart)
{
  const uint32_t was_apart = state->apart;
  const uint32_t is_far = vh_curve_is_far (state, params, step);
  const uint32_t follows = is_far && was_apart &&
      !vh_curve_is_far (state, params, step_apart);
  VhCurveTurn turn;

  if (!state->valid)
    state->measured = state->usual = 0;
  else if (!is_far)
    vh_curve_get_used_to (state, step);
  else if (was_apart)
    vh_curve_get_used_to (state, step_apart);
  state->apart = is_far && !follows;
  turn.share = !state->valid || state->apart ? VH_SHARE_ONE : params->share;
  turn.adopt = !state->apart;
  turn.keep = state->apart && !was_apart;
  turn.restore = was_apart && !is_far;
  state->valid = 1;
  return turn;
}

/* Moves @level by @share towards @target. */
VH_CURVE_FUNC uint32_t
vh_curve_smooth (uint32_t level, uint32_t target, uint32_t share)
{
  const int64_t step = ((int64_t) target - level) * share;

  return (uint32_t) (level + ((step + VH_SHARE_ONE / 2) >> 16));
}

/* Moves @value towards @corrected by @strength. Both are code values, so 32
 * bits are enough. */
VH_CURVE_FUNC uint32_t
vh_curve_blend (uint32_t value, uint32_t corrected, uint32_t strength)
{
  return (value * (VH_SHARE_ONE - strength) + corrected * strength +
      VH_SHARE_ONE / 2) >> 16;
}

/* The level that leaves @bin unchanged, clamped to the range. */
VH_CURVE_FUNC uint32_t
vh_curve_identity (const VhCurveParams * params, uint32_t bin)
{
  const uint32_t low = params->low, high = params->high;

  return (bin < low ? low : bin > high ? high : bin) << VH_LEVEL_BITS;
}

/* equalize: the level of a bin in the range. Of @n pixels, @sum are in that bin
 * or darker, and @darkest are in the darkest bin that is not empty. Bins below
 * that one become black. Up to VH_CURVE_DEPTH bits this equals OpenCV's
 * equalizeHist(). */
VH_CURVE_FUNC uint32_t
vh_curve_equalize (const VhCurveParams * params, uint32_t sum,
    uint32_t darkest, uint32_t n)
{
  const uint32_t above = sum > darkest ? sum - darkest : 0;
  const uint32_t range = params->high - params->low;

  if (params->depth > VH_CURVE_DEPTH) {
    return (params->low << VH_LEVEL_BITS) +
        (uint32_t) (((uint64_t) above * range << VH_LEVEL_BITS) /
        (n - darkest));
  } else {
    const float scale = VH_FDIV ((float) range, (float) (n - darkest));
    const int32_t level = VH_ROUND (VH_FMUL ((float) above, scale));

    return (params->low + (uint32_t) level) << VH_LEVEL_BITS;
  }
}

/* The nearest rank of a percentile among @n pixels; 2^32 is 100 %. */
VH_CURVE_FUNC uint32_t
vh_curve_rank (uint32_t percentile, uint32_t n)
{
  const uint64_t rank = ((uint64_t) n * percentile + 0xffffffffu) >> 32;

  return rank == 0 ? 1 : (uint32_t) rank;
}

/* stretch: the level of @bin; @first and @last are the bins of the two
 * percentiles. If a limited gain leaves a part of the range unused, that part
 * is divided between dark and bright in the same proportion as in the frame, so
 * that a gain of 1 changes nothing. */
VH_CURVE_FUNC uint32_t
vh_curve_stretch (const VhCurveParams * params, uint32_t bin, uint32_t first,
    uint32_t last)
{
  const int64_t low = params->low, range = params->high - params->low;
  const int64_t width = (int64_t) last - first, one = VH_LEVEL_ONE;
  int64_t gain, start, level;

  if (width <= 0 || width >= range)
    return vh_curve_identity (params, bin);
  gain = range * one / width;
  if (gain > (int64_t) params->max_gain)
    gain = params->max_gain;
  start = (low << VH_LEVEL_BITS) + ((int64_t) first - low) *
      ((range << VH_LEVEL_BITS) - gain * width) / (range - width);
  level = start + ((int64_t) bin - first) * gain;
  if (level < low << VH_LEVEL_BITS)
    level = low << VH_LEVEL_BITS;
  if (level > (low + range) << VH_LEVEL_BITS)
    level = (low + range) << VH_LEVEL_BITS;
  return (uint32_t) level;
}

/* log2 of @x, at least 1, rounded down to VH_LOG_BITS fractional bits. */
VH_CURVE_FUNC uint32_t
vh_curve_log2 (uint32_t x)
{
  uint32_t whole = 0, fraction = 0, i;
  uint64_t y;

  while (x >> whole > 1)
    whole++;
  y = (uint64_t) x << (31 - whole);     /* 1 ... 2, 31 fractional bits */
  for (i = 0; i < VH_LOG_BITS; i++) {
    y = y * y >> 31;
    fraction <<= 1;
    if (y >> 32) {
      fraction |= 1;
      y >>= 1;
    }
  }
  return whole << VH_LOG_BITS | fraction;
}

/* 2^-@x, for @x with VH_LOG_BITS fractional bits; the result has 31. */
VH_CURVE_FUNC uint32_t
vh_curve_exp2 (uint64_t x)
{
  /* 2^(-1/2), 2^(-1/4), ... with 32 fractional bits. */
  const uint32_t roots[VH_LOG_BITS] = {
    0xb504f334, 0xd744fccb, 0xeac0c6e8, 0xf5257d15, 0xfa83b2db, 0xfd3e0c0d,
    0xfe9e115c, 0xff4ecb59, 0xffa75652, 0xffd3a752, 0xffe9d2b3, 0xfff4e91c,
    0xfffa747f, 0xfffd3a3b, 0xfffe9d1d, 0xffff4e8e, 0xffffa747, 0xffffd3a3,
    0xffffe9d2, 0xfffff4e9, 0xfffffa74, 0xfffffd3a, 0xfffffe9d, 0xffffff4f,
  };
  uint64_t y = 1u << 31;
  uint32_t i;

#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (i = 0; i < VH_LOG_BITS; i++) {
    if (x >> (VH_LOG_BITS - 1 - i) & 1)
      y = y * roots[i] >> 32;
  }
  return x >> VH_LOG_BITS < 32 ? (uint32_t) (y >> (x >> VH_LOG_BITS)) : 0;
}

/* gamma: the logarithm of the ratio of the range to the height of @bin above
 * black. Black, white and bins outside the range count as the nearest bin
 * between black and white. */
VH_CURVE_FUNC uint32_t
vh_curve_log (const VhCurveParams * params, uint32_t bin)
{
  const uint32_t range = params->high - params->low;
  uint32_t x = bin < params->low + 1 ? 1 : bin - params->low;

  if (x > range - 1)
    x = range - 1;
  return vh_curve_log2 (range) - vh_curve_log2 (x);
}

/* gamma: the same for the target. */
VH_CURVE_FUNC uint32_t
vh_curve_target_log (const VhCurveParams * params)
{
  const uint32_t target = params->target < 1 ? 1 :
      params->target > VH_SHARE_ONE - 1 ? VH_SHARE_ONE - 1 : params->target;

  return vh_curve_log2 (VH_SHARE_ONE) - vh_curve_log2 (target);
}

/* gamma: the exponent, in units of VH_LEVEL_ONE, that maps the median bin to
 * the target, from the logarithms of both. */
VH_CURVE_FUNC uint32_t
vh_curve_exponent (const VhCurveParams * params, uint32_t median_log,
    uint32_t target_log)
{
  const uint64_t one = VH_LEVEL_ONE, max = params->max_gain;
  const uint64_t exponent =
      ((uint64_t) target_log << VH_LEVEL_BITS) / median_log;

  return (uint32_t) (exponent > max ? max :
      exponent < one * one / max ? one * one / max : exponent);
}

/* gamma: the level of @bin, whose logarithm is @log. */
VH_CURVE_FUNC uint32_t
vh_curve_gamma (const VhCurveParams * params, uint32_t bin, uint32_t log,
    uint32_t exponent)
{
  const uint32_t range = params->high - params->low;
  uint64_t power;

  if (bin <= params->low || bin >= params->high)
    return vh_curve_identity (params, bin);
  power = vh_curve_exp2 ((uint64_t) log * exponent >> VH_LEVEL_BITS);
  return (params->low << VH_LEVEL_BITS) +
      (uint32_t) ((power * range + (1u << 14)) >> 15);
}

/* match: whether the cumulative count of a bin of the reference, @reference_sum
 * of @reference_n pixels, reaches that of a bin of the frame, @sum of @n
 * pixels. The level of the frame's bin is the darkest bin of the reference for
 * which it does. */
VH_CURVE_FUNC int
vh_curve_reaches (uint32_t reference_sum, uint32_t reference_n, uint32_t sum,
    uint32_t n)
{
  return (uint64_t) reference_sum * n >= (uint64_t) sum * reference_n;
}

/* clahe: log2 of the bins in an 8-bit code. */
VH_CURVE_FUNC uint32_t
vh_curve_tile_shift (const VhCurveParams * params)
{
  return (params->depth > VH_CURVE_DEPTH ? VH_CURVE_DEPTH : params->depth) -
      VH_TILE_DEPTH;
}

/* clahe: the number of 8-bit codes in the range. */
VH_CURVE_FUNC uint32_t
vh_curve_tile_codes (const VhCurveParams * params)
{
  const uint32_t shift = vh_curve_tile_shift (params);

  return (params->high >> shift) - (params->low >> shift) + 1;
}

/* clahe: the maximum number of pixels that a code keeps, in a tile of @n. */
VH_CURVE_FUNC uint32_t
vh_curve_clip (const VhCurveParams * params, uint32_t n)
{
  const uint32_t codes = vh_curve_tile_codes (params);
  double clip;

  if (params->clip_limit <= 0)
    return n;
  clip = VH_DDIV (VH_DMUL (params->clip_limit, (double) n), (double) codes);
  return clip >= n ? n : clip < 1 ? 1 : (uint32_t) clip;
}

/* clahe: how many of the @clipped pixels of a tile are given to code @index,
 * which counts from black. */
VH_CURVE_FUNC uint32_t
vh_curve_given (const VhCurveParams * params, uint32_t index, uint32_t clipped)
{
  const uint32_t codes = vh_curve_tile_codes (params);
  const uint32_t each = clipped / codes, rest = clipped - each * codes;
  const uint32_t step = rest == 0 || codes / rest == 0 ? 1 : codes / rest;

  return each + (index % step == 0 && index / step < rest);
}

/* clahe: the 8-bit code that a code in the range is mapped to. After clipping,
 * @sum of the @n pixels of the tile have that code or a darker one. */
VH_CURVE_FUNC uint32_t
vh_curve_tile (const VhCurveParams * params, uint32_t sum, uint32_t n)
{
  const uint32_t range = vh_curve_tile_codes (params) - 1;
  const float scale = VH_FDIV ((float) range, (float) n);
  const uint32_t code = (uint32_t) VH_ROUND (VH_FMUL ((float) sum, scale));

  return (params->low >> vh_curve_tile_shift (params)) +
      (code > range ? range : code);
}

/* clahe: the level of @bin; its 8-bit code is mapped to @code, and the next one
 * in the range to @next. */
VH_CURVE_FUNC uint32_t
vh_curve_tile_level (const VhCurveParams * params, uint32_t bin, uint32_t code,
    uint32_t next)
{
  const uint32_t shift = vh_curve_tile_shift (params);
  const uint32_t part = bin & ((1u << shift) - 1);
  const uint32_t step = next - code;

  return ((code << shift) + part * (step > VH_TILE_GAIN ? VH_TILE_GAIN : step))
      << VH_LEVEL_BITS;
}

/* clahe: the value for the code after the range: @code, to which the last code
 * of the range is mapped, or one more in full range, so that the curve
 * continues to the end. */
VH_CURVE_FUNC uint32_t
vh_curve_tile_after (const VhCurveParams * params, uint32_t code)
{
  return params->high + 1 == params->bins ? code + 1 : code;
}

/* The code value that a curve gives for @code: @level is the level of its bin,
 * @next the level of the next bin (@level + 1 after the last bin). */
VH_CURVE_FUNC uint32_t
vh_curve_value (const VhCurveParams * params, uint32_t code, uint32_t level,
    uint32_t next)
{
  if (params->depth > VH_CURVE_DEPTH) {
    const uint32_t one = 1u << (params->depth - VH_CURVE_DEPTH);
    const uint32_t part = code & (one - 1);
    /* Levels have 28 bits, and part and one - part add up to at most 16, so the
     * sum fits 32 bits. */
    const uint32_t sum = level * (one - part) + next * part;
    const uint32_t value = (sum + VH_LEVEL_ONE / 2) >> VH_LEVEL_BITS;
    const uint32_t max = (1u << params->depth) - 1;

    return value > max ? max : value;
  }
  return (level + VH_LEVEL_ONE / 2) >> VH_LEVEL_BITS;
}

/* clahe: the tiles that a pixel at @position is between; returns how near it is
 * to the second one. @inverse (tiles / pixels, a division of floats) scales
 * positions to tiles. This is OpenCV's arithmetic. */
VH_CURVE_FUNC float
vh_curve_between (uint32_t position, float inverse, uint32_t tiles,
    uint32_t * first, uint32_t * second)
{
  const float place = VH_FADD (VH_FMUL ((float) position, inverse), -0.5f);
  const int32_t before = VH_FLOOR (place);

  *first = before < 0 ? 0 : (uint32_t) before;
  *second = (uint32_t) (before + 1) > tiles - 1 ? tiles - 1 :
      (uint32_t) (before + 1);
  return VH_FADD (place, -(float) before);
}

/* clahe: interpolates between the code values of four tiles' curves; @x and @y
 * say how near the right and the lower tiles are. */
VH_CURVE_FUNC uint32_t
vh_curve_interpolate (uint32_t upper_left, uint32_t upper_right,
    uint32_t lower_left, uint32_t lower_right, float x, float y)
{
  const float left = VH_FADD (1.0f, -x), above = VH_FADD (1.0f, -y);
  const float upper = VH_FADD (VH_FMUL ((float) upper_left, left),
      VH_FMUL ((float) upper_right, x));
  const float lower = VH_FADD (VH_FMUL ((float) lower_left, left),
      VH_FMUL ((float) lower_right, x));

  return (uint32_t) VH_ROUND (VH_FADD (VH_FMUL (upper, above),
          VH_FMUL (lower, y)));
}

/* The gain of colour for pixels with corrected luma: @before and @after are the
 * sums of the luma of @n pixels, in code values where black is @black. If luma
 * does not change, neither does colour, even in black. */
VH_CURVE_FUNC float
vh_color_ratio (uint32_t before, uint32_t after, uint32_t n, uint32_t black)
{
  const int32_t from = (int32_t) (before - n * black);
  const int32_t to = (int32_t) (after - n * black);
  const float ratio = VH_FDIV_WHOLE ((float) (to < 0 ? 0 : to),
      (float) (from < (int32_t) n ? (int32_t) n : from));

  return from == to ? 1.0f : ratio;
}

/* The same for a chroma sample and the pixels that it covers. Luma below one
 * 8-bit code above black counts as that code, so that noise around black keeps
 * its chroma, in the same way at each depth. */
VH_CURVE_FUNC float
vh_color_gain (const VhCurveParams * params, uint32_t before, uint32_t after,
    uint32_t n, uint32_t black)
{
  const float max = (float) params->max_gain / VH_LEVEL_ONE;
  const int32_t from = (int32_t) (before - n * black);
  const int32_t to = (int32_t) (after - n * black);
  const int32_t least = (int32_t) (n << (params->depth - 8));
  const float gain = VH_FDIV_WHOLE ((float) (to < least ? least : to),
      (float) (from < least ? least : from));

  return VH_FMIN (gain, max);
}

/* Limits @gain so that the larger of two differences (of U and V from grey, or
 * of the largest of R, G, B from black) stays within @limit; both get the same
 * gain, so that hue does not change. A gain below 1 is not limited. */
VH_CURVE_FUNC float
vh_color_limit (float gain, int32_t difference, int32_t limit)
{
  const float most = VH_FDIV_WHOLE ((float) limit,
      (float) (difference < 1 ? 1 : difference));
  const float limited =
      VH_FMUL ((float) difference, gain) <= (float) limit ? gain :
      VH_FMAX (most, 1.0f);

  return gain <= 1.0f ? gain : limited;
}

/* @code with @gain applied to its difference from @origin, 0 ... @max. */
VH_CURVE_FUNC uint32_t
vh_color_apply (uint32_t code, uint32_t origin, float gain, uint32_t max)
{
  const float difference =
      VH_FMUL ((float) ((int32_t) code - (int32_t) origin), gain);
  /* Beyond the range of codes, rounding does not matter. */
  const int32_t value = (int32_t) origin +
      VH_ROUND (VH_FMAX (VH_FMIN (difference, 65536.0f), -65536.0f));

  return value < 0 ? 0 : (uint32_t) value > max ? max : (uint32_t) value;
}

/* VH_COLOR_KEEP for RGB: what to add to R, G and B to change luma by @step;
 * less if they would leave @black ... @white. @least and @most are the smallest
 * and the largest of the three. */
VH_CURVE_FUNC int32_t
vh_color_step (int32_t step, uint32_t least, uint32_t most, uint32_t black,
    uint32_t white)
{
  const int32_t down = least > black ? (int32_t) (least - black) : 0;
  const int32_t up = most < white ? (int32_t) (white - most) : 0;

  return step < -down ? -down : step > up ? up : step;
}

/* Except for VH_COLOR_CHANNELS: corrects @rgb so that its luma changes from
 * @before to @after, in a range of @black ... @white, with codes up to @max. If
 * luma is not above black, there is nothing to scale: then R, G and B keep
 * their differences, so that grey always becomes its corrected luma. */
VH_CURVE_FUNC void
vh_color_rgb (uint32_t rgb[3], int keep, uint32_t before, uint32_t after,
    uint32_t black, uint32_t white, uint32_t max)
{
  const uint32_t least_rg = rgb[0] < rgb[1] ? rgb[0] : rgb[1];
  const uint32_t least = least_rg < rgb[2] ? least_rg : rgb[2];
  const uint32_t most_rg = rgb[0] > rgb[1] ? rgb[0] : rgb[1];
  const uint32_t most = most_rg > rgb[2] ? most_rg : rgb[2];
  const uint32_t step = (uint32_t) vh_color_step ((int32_t) (after - before),
      least, most, black, white);
  const float gain = vh_color_limit (vh_color_ratio (before, after, 1, black),
      (int32_t) (most > black ? most - black : 0), (int32_t) (white - black));
  int c;

  for (c = 0; c < 3; c++) {
    const uint32_t added = rgb[c] + step;
    const uint32_t scaled = vh_color_apply (rgb[c], black, gain, max);

    rgb[c] = keep ? added : before <= black ? added : scaled;
  }
}

#endif
