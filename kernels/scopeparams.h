/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What src/cuda and the kernels of videoscope agree on, as params.h. */
#ifndef VH_SCOPE_PARAMS_H
#define VH_SCOPE_PARAMS_H

#include "params.h"

#define VH_KERNEL_SCOPE_THREADS 1024    /* of a block that counts or settles */

/* The table of a trace: of a waveform [column][level], of U and V [u][v]. What
 * is shown is in counts where nothing persists. */
typedef struct
{
  uint64_t counts;              /* uint32_t: of this frame */
  uint64_t shown;               /* float: what persists of earlier frames */
  uint64_t light;               /* uint8_t: how bright each cell is drawn */
  uint64_t peaks;               /* uint32_t[2] for each column: how far below
                                 * the number of levels the lowest level was,
                                 * and one above the highest; 0: none yet. Of U
                                 * and V the same for each V behind it */
  uint64_t brightness;          /* uint8_t[VH_SCOPE_STEPS] */
  uint32_t columns, levels;
  uint32_t before;              /* VH_SHOWN_NOTHING ... */
  uint32_t forget;              /* peaks have nothing of the frames before */
} VhKernelTable;

/* Where a table has what was shown of the frame before. */
enum
{
  VH_SHOWN_NOTHING,             /* or it does not matter */
  VH_SHOWN_COUNTS,
  VH_SHOWN_TABLE
};

/* A waveform. A block has the columns from its number times columns / blocks
 * on, and its table in shared memory. */
typedef struct
{
  VhKernelTable table;
  uint32_t level_shift;         /* bits of a code value below its level */
  uint32_t first, samples;      /* that are counted, in each row of the
                                 * component, or of pixels */
  uint32_t place;               /* of the block's first column in shared memory,
                                 * in words */
} VhKernelWaveform;

/* How pixels lie, for the kernels that take two or four with the chroma that
 * they share. */
enum
{
  VH_CHROMA_PLANES,             /* U and V each in a plane */
  VH_CHROMA_UV,                 /* in turns */
  VH_CHROMA_VU
};

/* Waveforms that are counted in one pass over the picture, one of each value at
 * most. */
typedef struct
{
  VhKernelParams frame;         /* components, picture and what pixels mean */
  VhScopeColors colors;         /* for U and V of RGB */
  uint32_t values;              /* a bit each: which slots are used */
  uint32_t chroma;              /* VH_CHROMA_PLANES ... */
  uint32_t chroma_y, chroma_rows;       /* samples of U and V, as counted */
  uint32_t words;               /* of shared memory that tables take; behind
                                 * them, with an envelope, four for each
                                 * column */
  uint32_t nowhere;             /* the first of as many words as there are
                                 * levels, for what other blocks count */
  uint32_t envelope;            /* VH_ENVELOPE_INSTANT ... */
  float decay;
  VhKernelWaveform slot[VH_SCOPE_N_VALUES];
} VhKernelWaveforms;

/* A trace of a histogram, or of U and V, whose counts come from elsewhere. */
typedef struct
{
  VhKernelTable table;          /* of a histogram columns is the number of bins,
                                 * and light and peaks are uint32_t[width]: the
                                 * bars, and the highest of them so far */
  uint64_t counts;              /* uint32_t[n_values], or uint32_t[u][v] */
  uint32_t n_values;            /* of a histogram: columns, or code values,
                                 * which are put into columns */
  uint32_t kind;                /* VH_TRACE_HISTOGRAM, VH_TRACE_CHROMA */
  uint32_t value;               /* of a histogram; that of U and V is summed
                                 * up from those of both */
  uint32_t width, height;       /* in which it is drawn */
} VhKernelCounted;

#define VH_KERNEL_CHROMA_BLOCKS 32      /* for a trace of U and V */

typedef struct
{
  uint32_t n;
  uint32_t envelope;
  float decay;
  VhKernelCounted trace[VH_SCOPE_MAX_TRACES];
} VhKernelSettle;

#define VH_KERNEL_TILE_WIDTH_BITS 6
/* Pixels of a panel that a block draws. */
#define VH_KERNEL_TILE_WIDTH (1 << VH_KERNEL_TILE_WIDTH_BITS)
#define VH_KERNEL_TILE_HEIGHT 16
/* In shared memory, [x][y]: a column of the tile has one word more, so that a
 * row of pixels is in different banks. */
#define VH_KERNEL_TILE_STRIDE (VH_KERNEL_TILE_HEIGHT + 1)
#define VH_KERNEL_TILE_WORDS (VH_KERNEL_TILE_WIDTH * VH_KERNEL_TILE_STRIDE)
/* Behind it twice, two words for each of its columns and rows. */
#define VH_KERNEL_TILE_SIDES (VH_KERNEL_TILE_WIDTH + VH_KERNEL_TILE_HEIGHT)
#define VH_KERNEL_TILE_SHARED ((VH_KERNEL_TILE_WORDS + \
    4 * VH_KERNEL_TILE_SIDES) * sizeof (uint32_t))
#define VH_KERNEL_DRAW_THREADS 256

typedef struct
{
  VhScopePanel panel;
  uint64_t behind;              /* uint32_t[height][width]: its pixels without
                                 * traces, the components of VhScopePixel in a
                                 * byte each */
  uint32_t first_tile;          /* among those of all panels */
  uint32_t row_tiles;
} VhKernelPanel;

typedef struct
{
  uint64_t light, peaks;        /* as in VhKernelTable; of a histogram, its
                                 * bars */
  uint32_t kind;
  uint32_t panel;
  uint32_t x, y, width, height;
  uint32_t columns, levels;
  uint32_t color[3];
  uint32_t brightness;          /* of bars */
} VhKernelDrawn;

/* Draws panels over what is there. */
typedef struct
{
  VhKernelParams frame;         /* that is drawn into; x and y: where its first
                                 * pixel is, width and height are its own */
  VhScopeColors colors;
  uint32_t n_panels, n_traces;
  uint32_t draws_peaks;         /* of histograms */
  VhKernelPanel panel[VH_SCOPE_MAX_PANELS];
  VhKernelDrawn trace[VH_SCOPE_MAX_TRACES];
} VhKernelDraw;

#define VH_KERNEL_LOOK_THREADS 256

/* Shows the picture in other colours. */
typedef struct
{
  VhKernelParams frame;         /* its picture; what it shows is changed */
  uint64_t of_code;             /* uint8_t[1 << depth] */
  uint32_t period;              /* of stripes */
  uint16_t color[VH_LOOK_MAX_COLORS][3];
  uint16_t stripe[3];
} VhKernelLook;

#define VH_KERNEL_PATTERN 8     /* bytes */

/* Fills rows of a plane with a pattern. */
typedef struct
{
  uint64_t data;
  uint64_t stride;
  uint64_t row_bytes;
  uint32_t rows;
  uint32_t length;              /* of the pattern, which begins each row: 1 to
                                 * 8 bytes */
  uint8_t pattern[VH_KERNEL_PATTERN];
} VhKernelFill;

#endif
