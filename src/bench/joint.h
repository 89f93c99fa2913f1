/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a joint histogram takes. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

#define BENCH_JOINT_BINS 256    /* of each side, at most */

typedef struct
{
  BenchCase c;                  /* bins are those of each side */
  gboolean chroma;
  BenchTime time;               /* of one; its entrant is NULL */
} BenchJoint;

/* Times joint histograms of 8-bit frames of @size with @data in the GPU's
 * memory, and checks them: of luma, each frame against the next one, or of U
 * and V of NV12 (@chroma). */
BenchJoint *bench_joint_measure (BenchArena * arena, const BenchSize * size,
    BenchData data, gboolean chroma, guint bins, guint repeats);
void bench_joint_free (BenchJoint * joint);

/* Microseconds, and GB/s of what is read. */
void bench_joints_report (const GPtrArray * joints);

/* How many are wrong, or could not be measured. */
guint bench_joints_count_bad (const GPtrArray * joints);

G_END_DECLS
