/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Execution of kernels. Compiled without sanitizers: here stacks are
 * switched. */
#pragma once

#include <atomic>

#include "shim/kernel_interface.h"

/* Of the running kernel of @slot, for its accesses of memory; false: none of
 * the device's, or of another context's. */
struct VhDoubleRange
{
  uintptr_t base;
  size_t size;
};
bool vh_double_memory_open (uintptr_t address, const void *context,
    unsigned slot, VhDoubleRange * range);
/* Changes when ranges are not to be relied on any more. */
extern std::atomic<unsigned> vh_double_memory_epoch;
/* It has ended: the CPU may no longer dereference device memory that no kernel
 * of another slot uses. */
void vh_double_memory_close (unsigned slot);
/* What is at @address, for a message about a kernel of @context. */
void vh_double_memory_describe (uintptr_t address, const void *context,
    char *text, size_t size);

struct VhDoubleGrid
{
  const VhDoubleKernel *kernel;
  const unsigned char *parameters;      /* 64-byte aligned */
  const void *context;          /* that it was launched in */
  dim3 grid, block;
  unsigned dynamic_bytes;
  uint64_t seed;
  unsigned preempt;             /* mean number of accesses, 0: never */
  uint64_t n_blocks;            /* to run: all, or less when a fault was
                                 * ordered */

  /* of the code that runs it */
  bool begun;                   /* one block has, ahead of the others */
  uint64_t first_block;         /* which */
  std::atomic<int> failed;      /* a block has: CUresult */

  /* results */
  std::atomic<bool> waited;     /* for the grid before */
  int error;                    /* CUresult */
  char message[512];            /* if error */
};

/* Runs blocks on several threads and returns when all have ended, or one has
 * faulted. Two grids run at the same time, each on threads of its own; a third
 * waits. */
void vh_double_grid_run (VhDoubleGrid * grid);

/* Runs any one block as far as possible before the previous grid has run. Then
 * @grid must be run, which does the rest, or dropped. Returns whether it was
 * possible: there is one such block at a time. */
bool vh_double_grid_begin (VhDoubleGrid * grid);

/* No effect on a grid that has not begun. */
void vh_double_grid_drop (VhDoubleGrid * grid);

const VhDoubleKernel *vh_double_kernel_find (const char *name);
