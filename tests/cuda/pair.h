/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same frame for the CPU and for the GPU. */
#pragma once

#include "core/frameview.h"
#include "gpu.h"

G_BEGIN_DECLS

/* The bytes around a frame, in system memory and on the GPU. */
typedef struct
{
  GstBuffer *host, *gpu;
  VhFrameView host_view, gpu_view;
} TestPair;

/* Places @frame so that rows and planes start at multiples of @align bytes,
 * with random bytes around them; @layout belongs to its caps. */
void test_pair_init (TestPair * pair, TestUploader * uploader,
    TestRandom * random, const TestFrame * frame, const VhLayout * layout,
    guint align);
void test_pair_clear (TestPair * pair);

/* The offset of the first difference, or -1. */
gssize test_pair_compare (const TestPair * pair);

G_END_DECLS
