/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a joint histogram takes. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

#define BENCH_JOINT_BINS 256    /* of each side */

typedef struct
{
  BenchCase c;
  BenchTime time;               /* of one; its entrant is NULL */
} BenchJoint;

/* Times joint histograms of frames of @size with @data, of 8-bit luma in the
 * GPU's memory, each against the next one, and checks them. */
BenchJoint *bench_joint_measure (BenchArena * arena, const BenchSize * size,
    BenchData data, guint repeats);
void bench_joint_free (BenchJoint * joint);

/* Microseconds, and GB/s of both frames. */
void bench_joints_report (const GPtrArray * joints);

/* How many are wrong, or could not be measured. */
guint bench_joints_count_bad (const GPtrArray * joints);

G_END_DECLS
