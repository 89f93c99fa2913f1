/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef VH_METER_PARAMS_H
#define VH_METER_PARAMS_H

#include "params.h"
#include "zones.h"

#define VH_KERNEL_METER_THREADS 256     /* of a block, at most */
#define VH_KERNEL_LUMINANCE_BINS 1024   /* of a table of luminance in shared
                                         * memory, at most */

/* A frame to measure. Each of the first blocks measures luma in one zone, and
 * all further blocks share chroma. */
typedef struct
{
  VhKernelParams frame;         /* the grid is the grid of zones, the bins are
                                 * the bins of luma, and the results are
                                 * VH_SUMS in two halves each, the lower first,
                                 * and then the sums of VH_PARTS; blocks add up
                                 * 64 bits in the accumulators */
  uint64_t last;                /* uint8_t[height][pitch] in device memory:
                                 * levels of the previous frame, then of this
                                 * one */
  uint32_t pitch;               /* a multiple of 16 */
  uint32_t compared;            /* there is a previous frame */
  uint32_t zones;               /* VH_ZONES, or 0 if luma is not measured */
  uint32_t samples;             /* VH_KERNEL_BYTES or VH_KERNEL_WORDS: rows of
                                 * the region start with whole vectors of 16
                                 * bytes; VH_KERNEL_ANY: anywhere */
  uint64_t luminance;           /* uint32_t[bins] in device memory, or 0; blocks
                                 * have room in dynamic shared memory for up to
                                 * VH_KERNEL_LUMINANCE_BINS */
  uint8_t steps[VH_STEP_LEVELS];        /* see VhMetering */
  VhJointParams chroma;         /* the chroma samples to count, in
                                 * VH_CHROMA_BINS bins; no results */
} VhMeterParams;

#endif
