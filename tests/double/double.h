/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver double: a libcuda.so.1 for tests that emulates a GPU. Streams run
 * asynchronously on threads, kernels are the same .cu files built for the CPU,
 * memory is guarded, misuse by the caller is detected, and any call can be made
 * to fail.
 *
 * A test finds this interface with dlsym() of VH_DOUBLE_SYMBOL in the loaded
 * libcuda.so.1. All functions may be called at any time from any thread.
 *
 * Environment, read when the library is loaded:
 *
 * VH_DOUBLE_STRICT=1      a process with violations exits with status 86
 * VH_DOUBLE_ABORT=1       abort at the first violation, for a debugger
 * VH_DOUBLE_LOG=1         prints each call to stderr
 * VH_DOUBLE_SUMMARY=1     prints a line to stderr at the end: calls,
 *                         launches, violations
 * VH_DOUBLE_DEVICES=n     number of devices, 0 … 8 (1)
 * VH_DOUBLE_PROCESSORS=n  multiprocessors of each device (2)
 * VH_DOUBLE_CAPABILITY=n  compute capability of each device, and of the
 *                         loaded code, times 10 (90)
 * VH_DOUBLE_MEMORY=MiB    memory of each device (2048)
 * VH_DOUBLE_DELAY=us      an operation of a stream waits a random time, at most
 *                         this long, before it starts (100)
 * VH_DOUBLE_SEED=n        seed of delays, of the order of blocks and threads,
 *                         and of which launches overlap (1)
 * VH_DOUBLE_PREEMPT=n     a kernel's thread yields to another after a random
 *                         number of memory accesses, 2 n at most; 0: only at
 *                         barriers (400)
 * VH_DOUBLE_REUSE=1       handles are reused, see reuse_handles
 * VH_DOUBLE_QUEUE=n       see set_queue (1024)
 * VH_DOUBLE_HANG=1        no kernel ever completes
 * VH_DOUBLE_POOLS=0       devices without memory pools: cuMemAllocAsync and
 *                         cuMemFreeAsync are not supported
 * VH_DOUBLE_FAULT=n:code  the nth launch faults, see fault_kernel
 * VH_DOUBLE_FAIL=name:n:code[:once|ever|all][,…]
 *                         see fail_call; the name * is any call
 *
 * Violations are faults that a real driver would report late, or not at all, or
 * by another error: see README.md. Each is a line "double: VIOLATION …" on
 * stderr. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  VH_DOUBLE_ONCE,               /* that call only */
  VH_DOUBLE_EVER,               /* that call and all later ones of that name */
  VH_DOUBLE_ALL,                /* that call and all later ones of any name */
} VhDoubleHow;

typedef enum
{
  VH_DOUBLE_DEVICE_MEMORY,
  VH_DOUBLE_PINNED_MEMORY,
  VH_DOUBLE_CONTEXT,
  VH_DOUBLE_STREAM,
  VH_DOUBLE_EVENT,
  VH_DOUBLE_MODULE,
  VH_DOUBLE_GRAPH,
  VH_DOUBLE_N_KINDS
} VhDoubleKind;

/* Notified of a launch, during cuLaunchKernel or cuLaunchKernelEx: must call
 * neither the driver nor the functions below. @parameters are the kernel's, one
 * after the other. */
typedef void (*VhDoubleWatch) (void *data, const char *kernel, unsigned device,
    const void *parameters, size_t bytes);

/* Whether a launch is selected; called during the launch: must not call the
 * driver, nor the functions below. @context and @stream are the handles of
 * where it was launched, @parameters the kernel's, one after the other. */
typedef bool (*VhDoubleMatch) (void *data, const char *kernel, void *context,
    void *stream, const void *parameters, size_t bytes);

/* One table of functions, so that a test needs one symbol. */
typedef struct
{
  /* Waits for all streams, then clears calls, violations, failures that were
   * ordered or happened, and hangs. Allocations stay. Delay and devices are set
   * from the environment again. */
  void (*reset) (void);

  /* Makes the @nth call from now (1 is the next) of @name, or of any name if
   * NULL, return @code without doing anything. Several failures may be
   * pending. */
  void (*fail_call) (const char *name, unsigned nth, int code, VhDoubleHow how);

  /* The @nth launch from now faults when it is executed: half of its blocks
   * run, then every call that touches a device returns @code, as with a real
   * driver after CUDA_ERROR_ILLEGAL_ADDRESS. */
  void (*fault_kernel) (unsigned nth, int code);

  /* While set, kernels start but do not complete. Once cleared, they run. */
  void (*hang_kernels) (bool hang);

  void (*set_delay) (unsigned microseconds);
  void (*set_devices) (unsigned n);
  void (*log) (bool enable);

  /* Number of calls since the start or reset(). The names and results of the
   * last 65536 are kept; others are NULL and -1. */
  unsigned (*calls) (void);
  const char *(*call_name) (unsigned i);
  int (*call_result) (unsigned i);
  unsigned (*count) (const char *name);

  /* Number of calls in which the calling thread waited for a stream, an event
   * or a synchronous copy, and the microseconds spent there, since its first
   * call. */
  unsigned (*waits) (void);
  unsigned long (*waited) (void);

  unsigned (*launches) (void);  /* executed launches */
  unsigned (*live) (VhDoubleKind kind);
  size_t (*live_bytes) (VhDoubleKind kind);
  unsigned (*pending) (void);   /* stream operations not yet completed */
  unsigned (*depth) (void);     /* contexts on the calling thread's stack */

  unsigned (*violations) (void);
  const char *(*last_violation) (void);  /* "" if there is none; valid until the
                                          * next violation */
  /* Clears violations, for a test that provokes them. */
  void (*forgive) (void);

  /* Sets what is notified of launches from now on; NULL: nothing. Survives
   * reset(). */
  void (*watch_launches) (VhDoubleWatch watch, void *data);

  /* The number of launches since the start that began, with one block, before
   * the previous launch had run. */
  unsigned (*overlaps) (void);

  /* The return address of call @i, as above. */
  const void *(*call_site) (unsigned i);

  /* Like hang_kernels, for the kernels of one CUstream, even after it was
   * destroyed. Others continue. */
  void (*hang_stream) (void *stream, bool hang);

  /* Like hang_kernels, for the kernels that @match selects at launch; NULL
   * releases them. */
  void (*hang_launches) (VhDoubleMatch match, void *data);

  /* While set, a new context, stream or event has the handle of the last
   * destroyed one, as with a real driver: a handle kept too long belongs to
   * another object. Until reset(). */
  void (*reuse_handles) (bool reuse);

  /* A launch waits while this many kernels of its stream have not completed; 0:
   * it never waits. Until reset(). */
  void (*set_queue) (unsigned kernels);

  /* Copies @size bytes of memory in their present state, without waiting for
   * pending writes. FALSE if they are not allocated. */
  bool (*peek) (const void *from, void *to, size_t size);
} VhDouble;

typedef const VhDouble *(*VhDoubleOpen) (void);

/* The symbol of the double's entry point: a libcuda.so.1 without it is a real
 * driver. */
#define VH_DOUBLE_SYMBOL "vh_double_open"

#ifdef __cplusplus
}
#endif
