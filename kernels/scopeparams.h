/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface between src/cuda and the kernels of videoscope, like
 * params.h. */
#ifndef VH_SCOPE_PARAMS_H
#define VH_SCOPE_PARAMS_H

#include "params.h"

#define VH_KERNEL_SCOPE_THREADS 1024    /* per block that counts or settles */

/* The table of a trace: [column][level] for a waveform, [u][v] for U and V.
 * Without persistence, counts are what is shown. */
typedef struct
{
  uint64_t counts;              /* uint32_t: of this frame */
  uint64_t shown;               /* float: what persists of earlier frames */
  uint64_t light;               /* uint8_t: brightness of each cell */
  uint64_t peaks;               /* uint32_t[2] for each column: the number of
                                 * levels minus the lowest level, and the
                                 * highest level plus 1; 0: none yet. U and V
                                 * have as many again, for each V */
  uint64_t brightness;          /* uint8_t[VH_SCOPE_STEPS] */
  uint32_t columns, levels;
  uint32_t before;              /* VH_SHOWN_NOTHING ... */
  uint32_t forget;              /* ignore the peaks of earlier frames */
} VhKernelTable;

/* Where a table has what was shown of the previous frame. */
enum
{
  VH_SHOWN_NOTHING,             /* nothing was shown, or what was shown does not
                                 * matter */
  VH_SHOWN_COUNTS,
  VH_SHOWN_TABLE
};

/* A waveform. Each block has the columns that start at (its number) * columns /
 * blocks, with their table in shared memory. */
typedef struct
{
  VhKernelTable table;
  uint32_t level_shift;         /* bits of a code value below its level */
  uint32_t first, samples;      /* samples to count in each row of the
                                 * component, or of pixels */
  uint32_t place;               /* of the block's first column in shared memory,
                                 * in words */
} VhKernelWaveform;

/* The layout of chroma, for the kernels that process two or four pixels with
 * the chroma that they share. */
enum
{
  VH_CHROMA_PLANES,             /* U and V each in a plane */
  VH_CHROMA_UV,                 /* interleaved, U first */
  VH_CHROMA_VU
};

/* Waveforms that are counted in one pass over the picture, at most one per
 * value. */
typedef struct
{
  VhKernelParams frame;         /* components, picture and colorimetry */
  VhScopeColors colors;         /* for U and V of RGB */
  uint32_t values;              /* a bit each: which slots are used */
  uint32_t chroma;              /* VH_CHROMA_PLANES ... */
  uint32_t chroma_y, chroma_rows;       /* samples of U and V, as counted */
  uint32_t words;               /* of shared memory for tables; with an
                                 * envelope, four more words follow for each
                                 * column */
  uint32_t nowhere;             /* the first of as many unused words as there
                                 * are levels, for samples that other blocks
                                 * count */
  uint32_t envelope;            /* VH_ENVELOPE_INSTANT ... */
  float decay;
  VhKernelWaveform slot[VH_SCOPE_N_VALUES];
} VhKernelWaveforms;

/* A trace of a histogram, or of U and V. The counts come from a counter. */
typedef struct
{
  VhKernelTable table;          /* for a histogram columns is the number of
                                 * bins, and light and peaks are
                                 * uint32_t[width]: the bars, and the highest of
                                 * them so far */
  uint64_t counts;              /* uint32_t[n_values], or uint32_t[u][v] */
  uint32_t n_values;            /* of a histogram: columns, or code values,
                                 * which are sorted into columns */
  uint32_t kind;                /* VH_TRACE_HISTOGRAM, VH_TRACE_CHROMA */
  uint32_t value;               /* of a histogram; a histogram of U or V is
                                 * summed up from their joint histogram */
  uint32_t width, height;       /* of the drawing */
} VhKernelCounted;

#define VH_KERNEL_CHROMA_BLOCKS 32      /* blocks for a trace of U and V */

typedef struct
{
  uint32_t n;
  uint32_t envelope;
  float decay;
  VhKernelCounted trace[VH_SCOPE_MAX_TRACES];
} VhKernelSettle;

#define VH_KERNEL_TILE_WIDTH_BITS 6
/* The pixels of a panel that one block draws. */
#define VH_KERNEL_TILE_WIDTH (1 << VH_KERNEL_TILE_WIDTH_BITS)
#define VH_KERNEL_TILE_HEIGHT 16
/* In shared memory, [x][y]: a column of the tile has an extra word, so that the
 * pixels of a row are in different banks. */
#define VH_KERNEL_TILE_STRIDE (VH_KERNEL_TILE_HEIGHT + 1)
#define VH_KERNEL_TILE_WORDS (VH_KERNEL_TILE_WIDTH * VH_KERNEL_TILE_STRIDE)
/* The tile is followed by room for the cells of two traces: two words for each
 * column and each row of the tile. */
#define VH_KERNEL_TILE_SIDES (VH_KERNEL_TILE_WIDTH + VH_KERNEL_TILE_HEIGHT)
#define VH_KERNEL_TILE_SHARED ((VH_KERNEL_TILE_WORDS + \
    4 * VH_KERNEL_TILE_SIDES) * sizeof (uint32_t))
#define VH_KERNEL_DRAW_THREADS 256

typedef struct
{
  VhScopePanel panel;
  uint64_t behind;              /* uint32_t[height][width]: its pixels without
                                 * traces, with a byte per component of
                                 * VhScopePixel */
  uint32_t first_tile;          /* among the tiles of all panels */
  uint32_t row_tiles;
} VhKernelPanel;

typedef struct
{
  uint64_t light, peaks;        /* as in VhKernelTable; for a histogram its
                                 * bars */
  uint32_t kind;
  uint32_t panel;
  uint32_t x, y, width, height;
  uint32_t columns, levels;
  uint32_t color[3];
  uint32_t brightness;          /* of bars */
} VhKernelDrawn;

/* Draws panels over a frame. */
typedef struct
{
  VhKernelParams frame;         /* to draw into; x and y: its first pixel; width
                                 * and height: its whole size */
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
  VhKernelParams frame;         /* its picture is changed */
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
  uint32_t length;              /* bytes of the pattern, 1 to 8; it starts at
                                 * each row */
  uint8_t pattern[VH_KERNEL_PATTERN];
} VhKernelFill;

#endif
