/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What videoscope counts and draws, and its arithmetic, shared by the CPU and
 * the kernels. It uses integers, and single IEEE 754 operations that are never
 * contracted, so that both give the same bytes.
 *
 * A trace is a table of counts: a histogram, a waveform (how often each level
 * occurs in each column of the picture) or the joint histogram of U and V. A
 * panel is a rectangle of the output with a background, a graticule, and the
 * traces inside it. */
#ifndef VH_TRACES_H
#define VH_TRACES_H

#include <stdint.h>

#ifdef __device__
#define VH_SCOPE_FUNC static __host__ __device__ __forceinline__
#else
#define VH_SCOPE_FUNC static inline
#endif

#ifdef __CUDA_ARCH__
#define VH_SCOPE_FMUL(a, b) __fmul_rn ((a), (b))
#define VH_SCOPE_FLOAT_BITS(a) __float_as_uint (a)
#else
#include <string.h>
#define VH_SCOPE_FMUL(a, b) ((a) * (b))
#define VH_SCOPE_FLOAT_BITS(a) vh_scope_float_bits (a)
#endif

#define VH_SCOPE_MAX_TRACES 16
#define VH_SCOPE_MAX_PANELS 8
#define VH_SCOPE_CHROMA_BINS 256        /* of U, and of V */
#define VH_SCOPE_MAX_LEVELS 4096        /* of a waveform, a power of two */
#define VH_SCOPE_MAX_BINS 4096  /* of a histogram, a power of two */

/* Brightness is looked up by the exponent of what is shown and by the upper
 * bits of its mantissa. */
#define VH_SCOPE_MANTISSA_BITS 5
#define VH_SCOPE_LEAST_EXPONENT (-8)    /* below 2^-8 nothing is visible */
#define VH_SCOPE_EXPONENTS 40
#define VH_SCOPE_STEPS ((VH_SCOPE_EXPONENTS << VH_SCOPE_MANTISSA_BITS) + 1)

enum
{
  VH_TRACE_HISTOGRAM,
  VH_TRACE_WAVEFORM,
  VH_TRACE_CHROMA
};

/* What a histogram or a waveform counts. The first four are the channels of
 * these names. In YUV, U and V are samples, each counted once; in RGB they are
 * computed for each pixel: see VhScopeColors. */
enum
{
  VH_SCOPE_LUMA,
  VH_SCOPE_RED,
  VH_SCOPE_GREEN,
  VH_SCOPE_BLUE,
  VH_SCOPE_U,
  VH_SCOPE_V,
  VH_SCOPE_N_VALUES
};

/* The cells that are drawn at full brightness in addition to the counts. In a
 * waveform the lowest and the highest level with a count in each column; in U
 * and V the outermost V of each U and the outermost U of each V. In a histogram
 * only the peak: the top pixel of the highest bar so far in each column of
 * pixels. A bit each. */
enum
{
  VH_ENVELOPE_NONE = 0,
  VH_ENVELOPE_INSTANT = 1,      /* of this frame */
  VH_ENVELOPE_PEAK = 2          /* of all frames since the start */
};

/* A trace. Its table is uint32_t, for a histogram [bin], for a waveform
 * [column][level], and for U and V [u][v]. */
typedef struct
{
  uint32_t kind;                /* VH_TRACE_HISTOGRAM ... */
  uint32_t value;               /* VH_SCOPE_LUMA ...; not for VH_TRACE_CHROMA */
  uint32_t columns;             /* for a waveform at most width, and at most the
                                 * samples of a row; otherwise the number of
                                 * bins, which is VH_SCOPE_CHROMA_BINS with U
                                 * and V */
  uint32_t levels;              /* for a waveform a power of two up to 2^depth;
                                 * for U and V the bins of V; otherwise 1 */
  uint32_t x, y, width, height; /* where it is drawn, in pixels of the output,
                                 * within its panel */
  uint32_t panel;
  uint32_t color[3];            /* R, G, B at full brightness, 0 ... 255 */
} VhScopeTrace;

typedef struct
{
  uint32_t x, y, width, height; /* in pixels of the output. All edges are
                                 * multiples of the pixels that chroma covers,
                                 * or at the end of the output */
  uint32_t opacity;             /* of the black background, 0 ... 255 */
  uint32_t graticule;           /* offset of its first pixel in the plan's
                                 * graticules; it has width * height pixels */
} VhScopePanel;

/* Converts R, G, B of 0 ... 255 to components of the output, and R, G, B of the
 * frame to U and V. */
typedef struct
{
  int32_t offset[3];            /* of black: code values */
  int32_t scale[3][3];          /* component, R G B; in 2^-16 code values */
  uint32_t max;                 /* the highest code value */
  int32_t chroma[2][3];         /* U, V from R G B of RGB frames, in 2^-16; each
                                 * row sums to 0 */
  int32_t grey;                 /* code value of U and V without colour */
} VhScopeColors;

#ifndef __CUDA_ARCH__
VH_SCOPE_FUNC uint32_t
vh_scope_float_bits (float a)
{
  uint32_t bits;

  memcpy (&bits, &a, sizeof (bits));
  return bits;
}
#endif

/* U (@i is 0) or V of a pixel of RGB, in code values. */
VH_SCOPE_FUNC uint32_t
vh_scope_chroma (const VhScopeColors * colors, uint32_t i, uint32_t r,
    uint32_t g, uint32_t b)
{
  const int64_t sum = (int64_t) colors->chroma[i][0] * r +
      (int64_t) colors->chroma[i][1] * g + (int64_t) colors->chroma[i][2] * b;
  const int64_t value = colors->grey + ((sum + 32768) >> 16);

  return (uint32_t) (value < 0 ? 0 : value > colors->max ? colors->max : value);
}

/* The column of a table with @columns of sample @x of a row of @samples. */
VH_SCOPE_FUNC uint32_t
vh_scope_column (uint32_t x, uint32_t columns, uint32_t samples)
{
  return (uint32_t) ((uint64_t) x * columns / samples);
}

/* The level of a code value; @level_bits is log2 of the levels. */
VH_SCOPE_FUNC uint32_t
vh_scope_level (uint32_t code, uint32_t depth, uint32_t level_bits)
{
  return code >> (depth - level_bits);
}

/* What is shown of a cell of a waveform or of U and V: its count at once, then
 * multiplied by @decay with each frame. */
VH_SCOPE_FUNC float
vh_scope_persist (float before, uint32_t count, float decay)
{
  const float faded = VH_SCOPE_FMUL (before, decay);
  const float now = (float) count;

  return now > faded ? now : faded;
}

/* The step of brightness for @shown; 0: nothing is visible. */
VH_SCOPE_FUNC uint32_t
vh_scope_step (float shown)
{
  const uint32_t first = (uint32_t) (127 + VH_SCOPE_LEAST_EXPONENT) <<
      VH_SCOPE_MANTISSA_BITS;
  const uint32_t step = VH_SCOPE_FLOAT_BITS (shown) >>
      (23 - VH_SCOPE_MANTISSA_BITS);

  if (step < first)
    return 0;
  return step - first + 1 < VH_SCOPE_STEPS ? step - first + 1 :
      VH_SCOPE_STEPS - 1;
}

/* The cells of a table, [@from, @end), that pixel @i of @pixels shows; at least
 * one. If there are fewer cells than pixels, pixels share them. */
VH_SCOPE_FUNC void
vh_scope_cells (uint32_t i, uint32_t pixels, uint32_t cells, uint32_t * from,
    uint32_t * end)
{
  *from = (uint32_t) ((uint64_t) i * cells / pixels);
  *end = (uint32_t) ((uint64_t) (i + 1) * cells / pixels);
  if (*end <= *from)
    *end = *from + 1;
}

/* The height of a bin's bar in pixels: @height for the fullest bin of the
 * trace, and at least 1 if the bin is not empty. If a column of pixels shows
 * several bins, the fullest counts. All bars have the same brightness, the last
 * entry of the trace's table in the plan. */
VH_SCOPE_FUNC uint32_t
vh_scope_bar (uint32_t count, uint32_t fullest, uint32_t height)
{
  return fullest ? (uint32_t) (((uint64_t) count * height + fullest - 1) /
      fullest) : 0;
}

/* Pixel (x, y) of a trace shows the brightest of its cells: of its column and
 * level, or of its U and V, with the highest level or V at the top. */

/* A pixel of a panel: R, G, B, each multiplied by the opacity, and the opacity;
 * 0 ... 255 each. */
typedef struct
{
  uint32_t c[4];
} VhScopePixel;

/* The background of a panel, which has @opacity, with pixel @argb of its
 * graticule drawn on it; @argb is in Cairo's format. */
VH_SCOPE_FUNC VhScopePixel
vh_scope_behind (uint32_t opacity, uint32_t argb)
{
  const uint32_t alpha = argb >> 24;
  VhScopePixel pixel;

  pixel.c[0] = argb >> 16 & 255;
  pixel.c[1] = argb >> 8 & 255;
  pixel.c[2] = argb & 255;
  pixel.c[3] = alpha + ((255 - alpha) * opacity + 127) / 255;
  return pixel;
}

/* Adds a trace's light of @brightness (0 ... 255) and @color, as on a screen.
 * Traces are added in the order of the plan. */
VH_SCOPE_FUNC void
vh_scope_add (VhScopePixel * pixel, const uint32_t color[3],
    uint32_t brightness)
{
  uint32_t i;

  for (i = 0; i < 3; i++) {
    const uint32_t sum = pixel->c[i] + (color[i] * brightness + 127) / 255;

    pixel->c[i] = sum < 255 ? sum : 255;
  }
  if (pixel->c[3] < brightness)
    pixel->c[3] = brightness;
}

/* Component @i of the output under a panel: @code is the current code value,
 * and @sum the sum of the @n pixels of the output that share the sample; all of
 * them are in one panel. */
VH_SCOPE_FUNC uint32_t
vh_scope_blend (const VhScopeColors * colors, uint32_t i, uint32_t code,
    const VhScopePixel * sum, uint32_t n)
{
  const uint64_t behind = (uint64_t) code * (255 * n - sum->c[3]) +
      (uint64_t) colors->offset[i] * sum->c[3];
  const int64_t light = (int64_t) colors->scale[i][0] * sum->c[0] +
      (int64_t) colors->scale[i][1] * sum->c[1] +
      (int64_t) colors->scale[i][2] * sum->c[2];
  const int64_t value = (int64_t) ((behind + 127 * n) / (255 * n)) +
      ((light / (int64_t) n + 32768) >> 16);

  return (uint32_t) (value < 0 ? 0 : value > colors->max ? colors->max : value);
}

/* How the picture itself is shown: an entry for each code value of luma. */
#define VH_LOOK_SAME 0          /* unchanged */
#define VH_LOOK_GREY 1          /* without colour */
#define VH_LOOK_COLOR 2         /* in the first colour of the look, and so on */
#define VH_LOOK_MAX_COLORS 32
#define VH_LOOK_ZEBRA 0x80      /* bit: with stripes */

/* What component @i of a pixel with @look should become; it is @code now, and
 * @grey is its value without colour, which for luma is the same. A chroma
 * sample that pixels share becomes their rounded average: see
 * vh_scope_average(). */
VH_SCOPE_FUNC uint32_t
vh_scope_look (uint32_t look, uint32_t striped, uint32_t code, uint32_t grey,
    const uint16_t color[VH_LOOK_MAX_COLORS][3], const uint16_t stripe[3],
    uint32_t i)
{
  const uint32_t what = look & (VH_LOOK_ZEBRA - 1);

  if (striped && (look & VH_LOOK_ZEBRA))
    return stripe[i];
  if (what == VH_LOOK_SAME)
    return code;
  return what == VH_LOOK_GREY ? grey : color[what - VH_LOOK_COLOR][i];
}

VH_SCOPE_FUNC uint32_t
vh_scope_average (uint32_t sum, uint32_t n)
{
  return (sum + n / 2) / n;
}

/* Whether a pixel of the picture is on a stripe of @period pixels. */
VH_SCOPE_FUNC uint32_t
vh_scope_stripe (uint32_t x, uint32_t y, uint32_t period)
{
  return (x + y) % period < period / 2;
}

#endif
