/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of a joint histogram. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

#define BENCH_JOINT_BINS 256    /* of each side, at most */
#define BENCH_N_JOINT_METHODS 3

typedef struct
{
  BenchSize size;
  BenchData data;
  gboolean chroma;              /* U and V of NV12; else luma of each frame
                                 * against luma of the next frame */
  guint bins;                   /* of each side */
} BenchJointCase;

typedef struct
{
  BenchJointCase c;
  guint method;                 /* VhMethod */
  gboolean refused;             /* it does not count this many bins */
  BenchTime time;               /* of one joint histogram; its entrant is
                                 * NULL */
} BenchJoint;

/* The methods that count joint histograms, AUTO first. */
extern const guint bench_joint_methods[BENCH_N_JOINT_METHODS];

/* Times joint histograms of 8-bit frames in the GPU's memory by all methods,
 * checks them, and appends them to @joints. */
void bench_joints_measure (GPtrArray * joints, BenchArena * arena,
    const BenchJointCase * c, guint repeats);
void bench_joint_free (BenchJoint * joint);

/* Prints the microseconds of each method, and the GB/s that AUTO reads. */
void bench_joints_report (const GPtrArray * joints);

/* The number of results without exact counts, except where a method does not
 * count this many bins. */
guint bench_joints_count_bad (const GPtrArray * joints);

G_END_DECLS
