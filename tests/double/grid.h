/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs kernels. Compiled without sanitizers, because stacks are switched
 * here. */
#pragma once

#include <atomic>

#include "shim/kernel_interface.h"

/* Looks up memory for an access by the running kernel of @slot; false if it is
 * not the device's, or another context's. */
struct VhDoubleRange
{
  uintptr_t base;
  size_t size;
};
bool vh_double_memory_open (uintptr_t address, const void *context,
    unsigned slot, VhDoubleRange * range);
/* Changes when cached ranges become invalid. */
extern std::atomic<unsigned> vh_double_memory_epoch;
/* The kernel has ended: the CPU may no longer access device memory that no
 * kernel of another slot uses. */
void vh_double_memory_close (unsigned slot);
/* Describes @address, for a message about a kernel of @context. */
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
  unsigned preempt;             /* mean number of accesses; 0: never */
  uint64_t n_blocks;            /* blocks to run: all, or fewer for an ordered
                                 * fault */

  /* used by the code that runs it */
  bool begun;                   /* one block has started, ahead of the others */
  uint64_t first_block;         /* the index of that block */
  std::atomic<int> failed;      /* CUresult of that block */

  /* results */
  std::atomic<bool> waited;     /* waited for the previous grid */
  int error;                    /* CUresult */
  char message[512];            /* if error */
};

/* Runs blocks on several threads and returns when all have ended, or one has
 * faulted. Two grids can run at the same time, each on threads of its own; a
 * third waits. */
void vh_double_grid_run (VhDoubleGrid * grid);

/* Runs one block as far as possible before the previous grid has run. Then
 * @grid must be run, which does the rest, or dropped. Returns whether it was
 * possible: there is at most one such block. */
bool vh_double_grid_begin (VhDoubleGrid * grid);

/* No effect on a grid that has not started. */
void vh_double_grid_drop (VhDoubleGrid * grid);

const VhDoubleKernel *vh_double_kernel_find (const char *name);
