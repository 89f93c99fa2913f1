/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What src/cuda and the kernels agree on: plain data, passed by value. */
#ifndef VH_KERNEL_PARAMS_H
#define VH_KERNEL_PARAMS_H

#include "curve.h"
#include "traces.h"

#define VH_KERNEL_CHANNELS 4    /* luma, red, green, blue */
#define VH_KERNEL_FIXED_SHARED 1024     /* bytes of a block's shared memory for
                                         * variables of a kernel, at most */
#define VH_KERNEL_GROUPS 8      /* blocks add up in groups first */
#define VH_KERNEL_PLANES 3      /* maximum number of planes of a frame that one
                                 * launch counts */
#define VH_KERNEL_FRAMES 64     /* maximum number of planes of many frames
                                 * that one launch counts: this many fit the
                                 * 4 KiB of parameters that every GPU and
                                 * driver accepts */
#define VH_KERNEL_FRAME_BITS 28 /* bits per counter in the words where blocks of
                                 * kernels/framecolumns.cu merge */
#define VH_KERNEL_FRAME_BLOCKS 255      /* maximum number of blocks that can
                                         * merge there */
#define VH_KERNEL_FRAME_WORDS 512       /* 64-bit words per channel for that */
#define VH_KERNEL_PAIR_BITS 27  /* bits of each of two counters in one word,
                                 * below the number of blocks that have added */
#define VH_KERNEL_PAIR_BLOCKS 1023
#define VH_KERNEL_NOT_COUNTED 4 /* no channel */
#define VH_KERNEL_TREE_TABLE 128        /* offset of the table in the scratch of
                                         * a block of the tree reduction */
#define VH_KERNEL_BYTE_THREADS 64       /* of a block, each with a table of
                                         * bytes */
#define VH_KERNEL_SORT_THREADS 256      /* of a block that sorts */
#define VH_KERNEL_SORT_KEYS 16          /* that each thread sorts at a time */
#define VH_KERNEL_SORT_STORAGE 20480    /* bytes that CUB uses for that */

/* How channel values come from components; the values of VhModel. */
enum
{
  VH_KERNEL_GRAY,
  VH_KERNEL_YUV,
  VH_KERNEL_RGB
};

/* The layout of the counted channels' samples, for the methods that count one
 * channel at a time. */
enum
{
  VH_KERNEL_ANY,                /* to be computed from the pixel */
  VH_KERNEL_BYTES,              /* a plane of 8-bit samples */
  VH_KERNEL_WORDS               /* a plane of aligned 16-bit words that contain
                                 * the samples */
};

/* How blocks add up their results. */
enum
{
  VH_MERGE_SLICES,              /* each slice of results has a ticket */
  VH_MERGE_ARRIVALS,            /* each result counts the blocks that have
                                 * added to it */
  VH_MERGE_PAIRS                /* each pair of neighbours does, in one word:
                                 * for at most VH_KERNEL_PAIR_BLOCKS blocks and
                                 * fewer than 2^VH_KERNEL_PAIR_BITS pixels, if
                                 * the accumulators have room for groups */
};

/* Where the samples of one component lie: see VhComponent. */
typedef struct
{
  uint64_t data;                /* device address of sample (0, 0) of the
                                 * plane */
  uint64_t stride;              /* bytes from row to row */
  uint32_t pixel_stride;        /* bytes */
  uint32_t sample_bytes;        /* 1, 2 or 4 */
  uint32_t shift;               /* bits below the sample in its word */
  uint32_t w_sub, h_sub;        /* log2 */
} VhKernelComponent;

/* One frame to count, and where its results go, in the order
 * [channel][row][column][value], for the counted channels. */
typedef struct
{
  /* The fields that every kernel reads are close together, because a starting
   * block waits for each cache line of them. */
  VhKernelComponent component[3];       /* the first is read most often */
  uint32_t x, y, width, height; /* region, in pixels of the planes */
  uint32_t columns, rows;       /* grid */
  uint32_t channels;            /* bit per channel */
  uint32_t byte_shift;          /* bits of a word of 8-bit packed pixels below
                                 * the first component, or of packed 4:2:2 below
                                 * luma */
  uint32_t n_values;            /* results per channel and cell: the bins, or
                                 * code values, which the host sorts into
                                 * bins */
  uint32_t n_results;           /* for all channels and cells */
  uint32_t grouped;             /* blocks add up in VH_KERNEL_GROUPS groups
                                 * first */
  uint32_t sequence;            /* of the launch, not 0 */
  uint32_t complete;            /* nothing earlier on the stream writes the
                                 * frame; for kernels that themselves wait for
                                 * the previous launch */
  uint64_t accumulators;        /* device memory: zero before and after. Either
                                 * uint32_t[n_results] followed by as many
                                 * tickets, or uint64_t[n_results] and, if
                                 * grouped, as many again for each group */
  uint64_t device_counts;       /* uint32_t[n_results] in device memory */
  uint64_t host_counts;         /* uint64_t[n_results] in mapped host memory:
                                 * sequence in the upper half, count in the
                                 * lower; or 0 */

  /* 8-bit packed pixels with three components */
  uint32_t bytes_reversed;      /* blue is the first */
  uint32_t byte_weight[3];      /* of luma, in the order of the bytes */

  /* the kernels for any pixels */
  uint32_t bins;                /* 1 ... 65536 */
  uint32_t depth;               /* bits of a sample, 8 ... 16 */
  uint32_t model;
  uint32_t big_endian;
  uint32_t copies;              /* of each counter in shared memory, a power of
                                 * two, 1 ... 32; 0: none, count in
                                 * accumulators */
  uint32_t weight[3];           /* of luma of R, G, B; they sum to 65536 */
  int32_t y_offset, c_offset;   /* RGB of YUV: see VhYuvToRgb */
  int32_t y_scale, rv, gu, gv, bu;
  uint32_t yuv_shift;
  uint32_t n_blocks;            /* of the launch, all dimensions */
  uint64_t ticket;              /* uint32_t in device memory: zero before and
                                 * after the launch */
  uint32_t merge;               /* VH_MERGE_SLICES ... */

  /* the methods that count one channel at a time */
  uint32_t samples;             /* VH_KERNEL_ANY, BYTES, WORDS */
  uint32_t tables;              /* per block, if the method has a choice */
  uint32_t window;              /* bins counted in one pass over the samples;
                                 * for joint histograms results, a multiple of
                                 * 32 */
  uint32_t counter_bits;        /* of packed counters */
  uint64_t scratch;             /* device memory: zero at first, and later as
                                 * the earlier launches left it. All launches
                                 * that use it have the same kernel, bins and
                                 * block_scratch, but any grid. A kernel must
                                 * restore what it relies on */
  uint64_t block_scratch;       /* bytes of scratch per block */
} VhKernelParams;

/* For frames that are counted whole, in one cell, with 256 results per channel:
 * the positions of the vectors that kernels/framecolumns.cu reads, so that
 * blocks need not compute them. Fields that are read first come first. */
typedef struct
{
  uint64_t data;                /* device address of the first vector */
  uint32_t stride;              /* bytes from the first vector of a row to the
                                 * first vector of the next row */
  uint32_t vectors;             /* of all rows */
  uint32_t row_vectors;
  uint32_t row_inverse;         /* 2^32 / row_vectors, rounded up: the upper
                                 * half of its product with the number of a
                                 * vector is the vector's row; 0: one row */
  uint32_t blocks;              /* that count this frame */
  uint8_t head, tail;           /* bytes of each row before its first vector,
                                 * and after its last */
  uint16_t complete;            /* nothing earlier on the stream writes the
                                 * frame */
  uint32_t rows;
  uint32_t sequence;            /* the rest as in VhKernelParams */
  uint64_t accumulators;        /* uint64_t[VH_KERNEL_FRAME_WORDS] for each
                                 * channel */
  uint64_t device_counts;
  uint64_t host_counts;
} VhKernelFrame;

/* The planes of a frame. */
typedef struct
{
  VhKernelFrame frame[VH_KERNEL_PLANES];
} VhKernelPlanes;

/* Planes of many frames. */
typedef struct
{
  VhKernelFrame frame[VH_KERNEL_FRAMES];
} VhKernelFrames;

/* Packed pixels. */
typedef struct
{
  VhKernelFrame frame;
  uint32_t byte_shift;          /* as in VhKernelParams */
  uint32_t byte_weight[3];
  uint32_t place[VH_KERNEL_CHANNELS];   /* of each byte's component, and of
                                         * luma, among the counted channels, or
                                         * NOT_COUNTED */
} VhKernelPackedFrame;

/* The layout of the two values of a joint histogram. */
enum
{
  VH_PAIRS_ANY,                 /* computed per pixel */
  VH_PAIRS_PLANES,              /* two planes of bytes */
  VH_PAIRS_INTERLEAVED,         /* one plane of interleaved bytes, U first */
  VH_PAIRS_SWAPPED,             /* V first */
  VH_PAIRS_WORDS,               /* interleaved 16-bit words, U first */
  VH_PAIRS_SWAPPED_WORDS        /* V first */
};

/* A joint histogram: bins x bins results, [a][b]. For chroma, the region and
 * the components U and V are in chroma samples, without subsampling. */
typedef struct
{
  VhKernelParams frame;
  uint64_t against;             /* uint8_t[height * width] in device memory:
                                 * bins of a; not for chroma */
  uint64_t keep;                /* where bins of the frame's luma go, in the
                                 * same form; may be against; or 0 */
  uint64_t few;                 /* uint16_t[n_results] in device memory, rounded
                                 * up to four, zero before and after: sums of
                                 * counts up to most_of_few; the accumulators,
                                 * also rounded up, are for larger counts */
  uint64_t tickets;             /* uint32_t for each window and slice, also zero
                                 * before and after */
  uint32_t most_of_few;         /* limit for @few, so that sums over all blocks
                                 * fit 16 bits */
  uint32_t samples;             /* VH_PAIRS_ANY ...; for all others the fields
                                 * below are set */
  uint32_t row_vectors;         /* of 16 bytes, without remainder */
  uint64_t a, b;                /* device addresses of the first vectors: a
                                 * of the luma to count against, b of luma;
                                 * or a of U, b of V; or only a, if they
                                 * share a plane */
  uint64_t a_stride, b_stride;  /* bytes from row to row, a multiple of 16 */
  VhScopeColors colors;         /* for U and V of RGB */
} VhJointParams;

#define VH_KERNEL_RUNS 3
#define VH_KERNEL_IGNORED 16

/* Bytes of rows that are not compared. */
typedef struct
{
  uint32_t from, end;           /* bytes of a row */
  uint32_t y, rows;
} VhKernelIgnored;

/* A run of samples of a frame: see VhSampleRun. In copies, a row has whole
 * vectors of 16 bytes, and if words of the frame hold several samples, each
 * sample is a 16-bit word. */
typedef struct
{
  uint64_t data;                /* device address of the first sample */
  uint64_t stride;              /* bytes from row to row */
  uint64_t kept;                /* of the copy to compare with, or 0 */
  uint64_t copy;                /* where the samples go */
  uint32_t rows;
  uint32_t row_bytes;           /* of a copy, without the padding of the last
                                 * vector */
  uint32_t row_vectors;
  uint32_t aligned;             /* rows start with whole vectors */
  uint32_t sample_bytes;        /* of a copy: 1 or 2 */
  uint32_t mask[2];             /* bits to compare, of every 8 bytes */
  uint32_t shift;               /* bits below a sample in its word */
  uint32_t swap;                /* words are big-endian */
  uint32_t pixel_stride;        /* bytes, if words hold several samples; 0 if
                                 * samples are adjacent */
  uint32_t code_mask;           /* of such a sample, after the shift */
  uint32_t n_ignored;
  VhKernelIgnored ignored[VH_KERNEL_IGNORED];
} VhKernelRun;

/* A frame to compare. The first result adds up the lowest 16 bits of each
 * block's sum, the second the next 16, and so on; without results the frame is
 * only copied. */
typedef struct
{
  VhKernelParams frame;         /* for the results only */
  uint32_t n_runs;
  VhKernelRun run[VH_KERNEL_RUNS];
} VhDifferenceParams;

/* The state of the earlier frames, besides levels. */
typedef struct
{
  uint32_t shares[VH_CURVE_MAX_BINS];   /* of the reference frame */
  uint32_t apart[VH_CURVE_MAX_BINS];    /* of this frame, if it is far from the
                                         * reference */
  /* The same for the means of tiles. */
  uint32_t means[VH_CURVE_MAX_TILES * VH_CURVE_MAX_TILES];
  uint32_t apart_means[VH_CURVE_MAX_TILES * VH_CURVE_MAX_TILES];
  VhCurveState state;
} VhKernelFrameState;

/* From counts to levels: kernels/curve.cu. All addresses are in device
 * memory. */
typedef struct
{
  VhCurveParams curve;
  uint32_t fresh;               /* there is no previous frame */
  uint32_t reference_n;         /* for match: pixels of the reference */
  uint64_t reference_sums;      /* uint32_t[bins]: cumulative */
  uint64_t counts;              /* uint32_t[rows * columns][bins] */
  uint64_t frame_counts;        /* uint32_t[bins]: over all tiles; equals counts
                                 * if there is one tile */
  uint64_t means;               /* uint32_t[rows * columns]: of the tiles, if
                                 * there are several */
  uint64_t before, after;       /* VhKernelFrameState: read, written */
  uint64_t levels;              /* uint32_t[rows * columns][bins]: of the
                                 * previous frame, then of this one */
  uint64_t kept;                /* the same, before the frame that is far from
                                 * the reference */
} VhKernelCurve;

#define VH_KERNEL_EQUALIZE_THREADS 512
#define VH_KERNEL_SPANS (VH_CURVE_MAX_TILES + 1)

/* Stretches of a row or column of blocks that lie between the same tiles and
 * consist of whole vectors: [from, to), in blocks, ascending. Generic kernels
 * process the blocks before, between and after them. */
typedef struct
{
  uint32_t n;                   /* 1 except for CLAHE */
  uint32_t gap;                 /* blocks of the longest gap */
  uint32_t from[VH_KERNEL_SPANS], to[VH_KERNEL_SPANS];
} VhKernelSpans;

/* From levels to pixels: kernels/correct.cu. A block is the pixels that a
 * chroma sample covers: 2 x 2 pixels in 4:2:0, one pixel in RGB or if chroma
 * stays. */
typedef struct
{
  VhKernelParams frame;         /* its components, picture, depth, model and
                                 * weights */
  VhKernelComponent out[3];     /* where the result goes; may be the same */
  VhCurveParams curve;
  uint64_t levels;
  uint64_t state;               /* VhKernelFrameState of this frame */
  uint32_t color;
  uint32_t in_place;            /* out is the frame that is read */
  uint32_t black, white, chroma_limit;  /* code values */
  float x_inverse, y_inverse;   /* tiles / pixels */

  uint32_t first_x, end_x, first_y, end_y;      /* of all blocks */
  VhKernelSpans x, y;
  uint32_t planar;              /* U and V are separate planes, for kernels that
                                 * support both arrangements */
  uint32_t halves;              /* a block of threads processes half a tile in
                                 * each direction; otherwise a span */
  uint32_t has_rest;            /* the next launch processes the blocks outside
                                 * whole vectors */
  uint32_t edges;               /* VH_EDGE_LEFT ..., a bit each: pixels beyond
                                 * these do not change, and neither does the
                                 * chroma that they share */
} VhKernelEqualize;

#endif
