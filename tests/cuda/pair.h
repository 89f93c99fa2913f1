/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same frame for the CPU and for the GPU. */
#pragma once

#include "core/frameview.h"
#include "gpu.h"

G_BEGIN_DECLS

/* Bytes in which a frame lies, in system memory and on the GPU. */
typedef struct
{
  GstBuffer *host, *gpu;
  VhFrameView host_view, gpu_view;
} TestPair;

/* Puts @frame where rows and planes begin on @align bytes, with random bytes
 * around them; @layout is of its caps. */
void test_pair_init (TestPair * pair, TestUploader * uploader,
    TestRandom * random, const TestFrame * frame, const VhLayout * layout,
    guint align);
void test_pair_clear (TestPair * pair);

/* The first byte that is not the same, or -1. */
gssize test_pair_compare (const TestPair * pair);

G_END_DECLS
