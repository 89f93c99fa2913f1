/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured in a frame without histograms: sums, in the same form from
 * the CPU and the GPU. Bins are as in a histogram. */
#ifndef VH_ZONES_H
#define VH_ZONES_H

/* Zones of a picture. A cell combines the zones of one column and
 * VH_ZONES_OF_CELL rows. */
#define VH_ZONE_COLUMNS 8
#define VH_ZONE_ROWS 64
#define VH_ZONES (VH_ZONE_COLUMNS * VH_ZONE_ROWS)
#define VH_ZONES_OF_CELL 8
#define VH_ZONE_CELLS (VH_ZONES / VH_ZONES_OF_CELL)

/* A finer grid for luma. A zone has the parts of VH_PARTS_OF_ZONE columns. */
#define VH_PARTS_OF_ZONE 8
#define VH_PART_COLUMNS (VH_PARTS_OF_ZONE * VH_ZONE_COLUMNS)
#define VH_PART_ROWS VH_ZONE_ROWS
#define VH_PARTS (VH_PART_COLUMNS * VH_PART_ROWS)

/* Levels of luma for comparing consecutive frames. */
#define VH_STEP_LEVELS 128

/* Gradients in steps of 8 bits are those of the codes, shifted right by the
 * bits of a code beyond 8. Up to so many steps they are faint. */
#define VH_FAINT_STEPS 4

/* Bins of U and of V, and the bins that are neutral in both. */
#define VH_CHROMA_BINS 128
#define VH_NEUTRAL_FIRST 62
#define VH_NEUTRAL_LAST 65

/* The sums over a cell. */
enum
{
  VH_CELL_LUMA_SQUARES,         /* squares of bins of luma; this and the next
                                 * are 0 without a table of luminance */
  VH_CELL_LUMINANCE,            /* entries of the table for these bins */
  VH_CELL_GRADIENT_SQUARES,     /* squares of the bins of gradients */
  VH_CELL_GRADIENTS,            /* gradients of at least one step of 8 bits; in
                                 * the upper 32 bits, those of more than
                                 * VH_FAINT_STEPS */
  VH_CELL_RISEN,                /* pixels that are a step brighter than in the
                                 * previous frame */
  VH_CELL_FALLEN,               /* pixels that are a step darker */
  VH_CELL_CHANGE_SQUARES,       /* squares of the changes of levels (of
                                 * VH_STEP_LEVELS) since the previous frame */
  VH_CELL_SUMS
};

/* The sums of a frame, 64 bits each. Those of luma, and those of chroma, are 0
 * unless it is measured. Besides them, a frame has the sums of the bins of luma
 * of VH_PARTS, row by row, 32 bits each. */
enum
{
  VH_SUM_CELLS,                 /* [row][column][VH_CELL_SUMS] */
  VH_SUM_U = VH_ZONE_CELLS * VH_CELL_SUMS,      /* chroma samples in each bin */
  VH_SUM_V = VH_SUM_U + VH_CHROMA_BINS,
  VH_SUM_NEUTRAL = VH_SUM_V + VH_CHROMA_BINS,   /* samples with neutral U, V */
  VH_SUMS
};

#endif
