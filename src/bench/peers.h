/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other libraries that count on a GPU. Each is a separate module beside the
 * program, videohistogram-bench-NAME.so, so that the program runs without them.
 * A module links the CUDA runtime, which uses the current context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  int id, multiprocessors, threads_per_multiprocessor, threads_per_block,
      shared_per_block, major, minor;
} BenchPeerDevice;

/* A frame, and what to count: the upper bits of a sample select the bin. */
typedef struct
{
  uint64_t data;                /* device address */
  size_t stride;                /* bytes */
  uint32_t width, height;       /* pixels */
  uint32_t components;          /* of a pixel: 1, or 4 of which the first three
                                 * are counted */
  uint32_t sample_bytes;        /* 1 or 2 */
  uint32_t bins;
  uint64_t counts;              /* device address of uint32_t[1 or 3][bins],
                                 * which need not be cleared before */
} BenchPeerFrame;

/* Functions return NULL, or an error message that stays valid. */
typedef struct
{
  const char *name;
  const char *version;

  const char *(*start) (const BenchPeerDevice * device);

  /* Sets @temp_size to the bytes of memory that run() needs for this kind of
   * frame. */
  const char *(*prepare) (const BenchPeerFrame * frame, size_t *temp_size);

  /* Enqueues counting on a CUstream, without allocating or waiting. */
  const char *(*run) (const BenchPeerFrame * frame, uint64_t temp,
      size_t temp_size, void *stream);
} BenchPeer;

/* The only symbol of a module. */
typedef const BenchPeer *(*BenchPeerGet) (void);
#define BENCH_PEER_SYMBOL "bench_peer"
#define BENCH_PEER_EXPORT __attribute__ ((visibility ("default")))

BENCH_PEER_EXPORT const BenchPeer *bench_peer (void);

#ifdef __cplusplus
}
#endif
