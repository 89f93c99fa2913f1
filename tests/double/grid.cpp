/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A block runs on one thread of a small pool, and its threads are fibers. A
 * block's shared memory consists of that thread's thread_local variables and
 * one buffer. Two grids run at the same time, each with a pool of its own, so
 * that blocks of a grid that wait for each other all exist.
 *
 * Kernels are compiled with -fsanitize=kernel-address with every check as a
 * call. Those functions are here and see each access: a kernel may touch its
 * shared memory, its own locals, constants, and what the device has allocated,
 * to the byte. */
#include "grid.h"

#include <condition_variable>
#include <link.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <thread>

#if __has_include (<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) ((void) 0)
#endif

#if defined (__x86_64__) && !defined (VH_DOUBLE_UCONTEXT)
#define FAST_SWITCH 1
#else
#include <ucontext.h>
#endif

namespace
{
  const unsigned N_WORKERS = 4; /* concurrent blocks of a grid: 2 on each of 2
                                 * multiprocessors */
  const unsigned N_SLOTS = 2;   /* concurrent grids */
  const unsigned AHEAD = N_SLOTS;       /* slot for a block of the next grid */
  const unsigned N_STACKS = N_SLOTS * N_WORKERS + 1;
  const unsigned MAX_THREADS = 1024;
  const size_t STACK_SIZE = 1 << 16;
  const size_t SHARED_SIZE = 232448;    /* maximum of a block on sm_90 */
  const unsigned char POISON = 0xa5;

  enum { ERROR_ILLEGAL_ADDRESS = 700, ERROR_MISALIGNED = 716, ERROR_LAUNCH = 719 };

  struct Worker;

  /* Located at the top of its stack, so that the stack pointer leads to it. */
  struct alignas (64) Fibre
  {
#ifdef FAST_SWITCH
    void *sp;
#else
    ucontext_t context;
#endif
    Worker *worker;
    uint3 thread;
    unsigned lane, warp;

    /* what it waits for in its warp */
    VhDoubleWarpOperation operation;
    unsigned mask, argument;
    const void *site;
    uint64_t value, result;
  };

  /* A bit per lane. A lane in none of the sets waits at the barrier. */
  struct Warp
  {
    unsigned ready, waiting, active, done;
    unsigned dependent;         /* wait for the grid before */
  };

  struct Place
  {
    uint3 block;
    dim3 block_dim, grid_dim;
  };

  struct Worker
  {
    unsigned index, slot;
    VhDoubleGrid *grid;
    Place place;                /* readable by kernels */
    unsigned n_threads, n_done, n_barrier, n_predicate, last_predicate;
    unsigned n_dependent;
    bool too_early;             /* the previous grid has not run yet */
    Warp warps[MAX_THREADS / 32];
    Fibre *fibres[MAX_THREADS];
    Fibre *current;
    uint64_t random;
    long countdown;             /* accesses until the fiber yields */

    unsigned char *dynamic;
    unsigned char *tls;         /* this thread's static shared variables */
    size_t tls_size;
    VhDoubleRange last;         /* memory found last, and its place */
    unsigned epoch;
#ifdef FAST_SWITCH
    void *sp;
#else
    ucontext_t context;
#endif
  };

  unsigned char *stacks;        /* of all workers */
  const size_t stacks_size = (size_t) N_STACKS * MAX_THREADS * STACK_SIZE;
  VhDoubleRange image;          /* this library's constants and variables */
  thread_local volatile char touch;     /* so that thread_locals exist */

  /* State of a running grid; workers are started when first needed. Protected
   * by the lock, except for the next block. */
  struct Slot
  {
    VhDoubleGrid *grid;         /* none: the slot is free */
    uint64_t serial;
    unsigned n_running;
    bool started;
    std::condition_variable work_cond, done_cond;
    std::atomic<uint64_t> next_block;
  };

  std::mutex pool_lock;
  /* Never destroyed: workers wait while the process ends. */
  Slot *const slots = new Slot[N_SLOTS] ();
  std::condition_variable &free_cond = *new std::condition_variable;
  std::condition_variable &ahead_cond = *new std::condition_variable;

  /* The block that starts before its grid's turn, on a worker of its own. */
  enum
  {
    AHEAD_NONE, AHEAD_RUNS, AHEAD_WAITS, AHEAD_ENDED
  } ahead_state;
  VhDoubleGrid *ahead;
  bool ahead_started;

  /* Stacks start at different cache lines; otherwise all would share a few
   * sets. */
  inline Fibre *
  fibre_of (uintptr_t sp)
  {
    const uintptr_t base = sp & ~(STACK_SIZE - 1);
    const uintptr_t color = (base / STACK_SIZE & 255) * 64;

    return (Fibre *) (base + STACK_SIZE - color - sizeof (Fibre));
  }

  inline __attribute__ ((always_inline)) Fibre *
  self ()
  {
    return fibre_of ((uintptr_t) __builtin_frame_address (0));
  }

  inline uint64_t
  next_random (uint64_t * state)
  {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
  }

  void
  set_countdown (Worker * w)
  {
    const unsigned n = w->grid->preempt;

    w->countdown = n ? 1 + next_random (&w->random) % (2 * n) : 1 << 20;
  }
}

/* Switching */

#ifdef FAST_SWITCH
extern "C" void vh_double_switch (void **from, void *to)
    __attribute__ ((visibility ("hidden")));

__asm__ (R"(
  .text
  .globl vh_double_switch
  .hidden vh_double_switch
  .type vh_double_switch, @function
vh_double_switch:
  .cfi_startproc
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
  .size vh_double_switch, . - vh_double_switch
)");
#endif

namespace
{
  inline void
  to_scheduler (Fibre * f)
  {
#ifdef FAST_SWITCH
    vh_double_switch (&f->sp, f->worker->sp);
#else
    swapcontext (&f->context, &f->worker->context);
#endif
  }

  inline void
  to_fibre (Fibre * f)
  {
    f->worker->current = f;
#ifdef FAST_SWITCH
    vh_double_switch (&f->worker->sp, f->sp);
#else
    swapcontext (&f->worker->context, &f->context);
#endif
  }

  void
  fibre_main ()
  {
    Fibre *f = self ();
    Worker *w = f->worker;
    const VhDoubleKernel *kernel = w->grid->kernel;

    kernel->call (kernel->entry, w->grid->parameters);
    w->warps[f->warp].done |= 1u << f->lane;
    w->n_done++;
    to_scheduler (f);
    abort ();
  }

  void
  fibre_init (Fibre * f)
  {
#ifdef FAST_SWITCH
    /* As if fiber_main had been called: a return address at 8 modulo 16. */
    void **sp = (void **) ((uintptr_t) f - 64) - 1;

    *sp = NULL;
    *--sp = (void *) fibre_main;
    f->sp = sp - 6;
#else
    const uintptr_t base = (uintptr_t) f & ~(STACK_SIZE - 1);

    getcontext (&f->context);
    f->context.uc_stack.ss_sp = (void *) base;
    f->context.uc_stack.ss_size = (uintptr_t) f - base - 64;
    f->context.uc_link = NULL;
    makecontext (&f->context, fibre_main, 0);
#endif
  }

  /* Ends the grid. On a fiber it does not return. */
  void
  fail (Worker * w, Fibre * f, int code, const char *format, ...)
      __attribute__ ((format (printf, 4, 5)));

  void
  fail (Worker * w, Fibre * f, int code, const char *format, ...)
  {
    int none = 0;

    VhDoubleGrid *g = w->grid;

    if (g->failed.compare_exchange_strong (none, code)) {
      va_list args;
      int n = snprintf (g->message, sizeof g->message, "%s block (%u,%u,%u) ",
          g->kernel->name, w->place.block.x, w->place.block.y,
          w->place.block.z);

      if (f)
        n += snprintf (g->message + n, sizeof g->message - n,
            "thread (%u,%u,%u) ", f->thread.x, f->thread.y, f->thread.z);
      va_start (args, format);
      vsnprintf (g->message + n, sizeof g->message - n, format, args);
      va_end (args);
      g->error = code;
    }
    if (f) {
      to_scheduler (f);
      abort ();
    }
  }

  /* Lets the other threads of the block run. */
  void
  give_way (Worker * w, Fibre * f)
  {
    set_countdown (w);
    if (w->grid->failed.load (std::memory_order_relaxed)) {
      to_scheduler (f);
      abort ();
    }
    w->warps[f->warp].ready |= 1u << f->lane;
    to_scheduler (f);
  }

  void
  fail_access (Worker * w, Fibre * f, uintptr_t p, size_t n, bool write)
  {
    char what[256];

    vh_double_memory_describe (p, w->grid->context, what, sizeof what);
    fail (w, f, ERROR_ILLEGAL_ADDRESS, "%s %zu bytes at %#zx, %s",
        write ? "writes" : "reads", n, (size_t) p, what);
  }

  __attribute__ ((noinline)) void
  check_slow (Worker * w, Fibre * f, uintptr_t p, size_t n, bool write)
  {
    if (n <= 16 && (n & (n - 1)) == 0 && (p & (n - 1)) != 0) {
      fail (w, f, ERROR_MISALIGNED, "%s %zu bytes at %#zx: misaligned",
          write ? "writes" : "reads", n, (size_t) p);
    }
    if (p - (uintptr_t) w->dynamic < SHARED_SIZE) {
      const size_t at = p - (uintptr_t) w->dynamic;

      if (at + n > w->grid->dynamic_bytes) {
        fail (w, f, ERROR_ILLEGAL_ADDRESS,
            "%s %zu bytes at %zu of %u bytes of dynamic shared memory",
            write ? "writes" : "reads", n, at, w->grid->dynamic_bytes);
      }
      return;
    }
    if (p - (uintptr_t) w->tls < w->tls_size
        || p - image.base < image.size
        || (!write && p - (uintptr_t) &w->place < sizeof w->place))
      return;
    w->epoch = vh_double_memory_epoch;
    if (!vh_double_memory_open (p, w->grid->context, w->slot, &w->last)
        || n > w->last.size - (p - w->last.base))
      fail_access (w, f, p, n, write);
  }

  inline __attribute__ ((always_inline)) void
  check (uintptr_t p, size_t n, bool write)
  {
    const uintptr_t sp = (uintptr_t) __builtin_frame_address (0);
    Fibre *f;
    Worker *w;

    /* initialisers of the kernels' variables */
    if (sp - (uintptr_t) stacks >= stacks_size)
      return;
    f = fibre_of (sp);
    w = f->worker;
    if (--w->countdown < 0)
      give_way (w, f);
    /* its own stack */
    if (((p ^ sp) & ~(STACK_SIZE - 1)) == 0)
      return;
    if ((p & (n - 1)) == 0) {
      if (p - (uintptr_t) w->dynamic < w->grid->dynamic_bytes
          && w->grid->dynamic_bytes - (p - (uintptr_t) w->dynamic) >= n)
        return;
      if (p - w->last.base < w->last.size
          && w->last.size - (p - w->last.base) >= n && w->epoch ==
          vh_double_memory_epoch.load (std::memory_order_relaxed))
        return;
    }
    check_slow (w, f, p, n, write);
  }
}

/* The compiler uses these names itself if another sanitizer is on. */
#define HOOK(name, n, write) \
  extern "C" void vh_double_##name##n (uintptr_t) \
      __asm__ ("__asan_" #name #n "_noabort"); \
  extern "C" void vh_double_##name##n (uintptr_t p) \
  { check (p, n, write); }

HOOK (load, 1, false)
HOOK (load, 2, false)
HOOK (load, 4, false)
HOOK (load, 8, false)
HOOK (load, 16, false)
HOOK (store, 1, true)
HOOK (store, 2, true)
HOOK (store, 4, true)
HOOK (store, 8, true)
HOOK (store, 16, true)

#define HOOK_N(name, write) \
  extern "C" void vh_double_##name##N (uintptr_t, size_t) \
      __asm__ ("__asan_" #name "N_noabort"); \
  extern "C" void vh_double_##name##N (uintptr_t p, size_t n) \
  { if (n) check (p, n, write); }

HOOK_N (load, false)
HOOK_N (store, true)

extern "C" void
__asan_handle_no_return (void)
{
}

/* Called by the shim */

void
vh_double_misaligned (const void *at, size_t alignment)
{
  Fibre *f = self ();

  fail (f->worker, f, ERROR_MISALIGNED, "copies a vector of %zu bytes at %p: "
      "misaligned", alignment, at);
}

const uint3 *
vh_double_thread_index (void)
{
  return &self ()->thread;
}

const uint3 *
vh_double_block_index (void)
{
  return &self ()->worker->place.block;
}

const dim3 *
vh_double_block_dim (void)
{
  return &self ()->worker->place.block_dim;
}

const dim3 *
vh_double_grid_dim (void)
{
  return &self ()->worker->place.grid_dim;
}

void *
vh_double_dynamic_shared (void)
{
  return self ()->worker->dynamic;
}

unsigned
vh_double_barrier (int predicate)
{
  Fibre *f = self ();
  Worker *w = f->worker;

  w->n_barrier++;
  w->n_predicate += predicate != 0;
  to_scheduler (f);
  return w->last_predicate;
}

uint64_t
vh_double_warp (VhDoubleWarpOperation operation, unsigned mask,
    uint64_t value, unsigned argument)
{
  Fibre *f = self ();
  Worker *w = f->worker;

  if (!(mask & 1u << f->lane))
    fail (w, f, ERROR_LAUNCH, "is not in the mask %08x of its warp operation",
        mask);
  f->operation = operation;
  f->mask = mask;
  f->value = value;
  f->argument = argument;
  w->warps[f->warp].waiting |= 1u << f->lane;
  to_scheduler (f);
  return f->result;
}

unsigned
vh_double_active_mask (void)
{
  Fibre *f = self ();

  f->site = __builtin_return_address (0);
  f->worker->warps[f->warp].active |= 1u << f->lane;
  to_scheduler (f);
  return (unsigned) f->result;
}

void
vh_double_wait_for_previous (void)
{
  Fibre *f = self ();
  Worker *w = f->worker;

  w->grid->waited = true;
  if (w->too_early) {
    w->n_dependent++;
    w->warps[f->warp].dependent |= 1u << f->lane;
    to_scheduler (f);
  }
}

void
vh_double_give_way (void)
{
  Fibre *f = self ();

  std::this_thread::yield ();
  give_way (f->worker, f);
}

void
vh_double_trap (void)
{
  Fibre *f = self ();

  fail (f->worker, f, ERROR_LAUNCH, "trapped");
  abort ();
}

/* The scheduler of a block */

namespace
{
  uint64_t
  combine (VhDoubleWarpOperation operation, uint64_t a, uint64_t b)
  {
    switch (operation) {
      case VH_DOUBLE_WARP_ADD:
        return a + b;
      case VH_DOUBLE_WARP_MIN:
        return a < b ? a : b;
      case VH_DOUBLE_WARP_MAX:
        return a > b ? a : b;
      case VH_DOUBLE_WARP_MIN_SIGNED:
        return (int64_t) a < (int64_t) b ? a : b;
      case VH_DOUBLE_WARP_MAX_SIGNED:
        return (int64_t) a > (int64_t) b ? a : b;
      case VH_DOUBLE_WARP_AND:
        return a & b;
      case VH_DOUBLE_WARP_OR:
        return a | b;
      case VH_DOUBLE_WARP_XOR:
        return a ^ b;
      default:
        return 0;
    }
  }

  /* All lanes of @mask have reached the same operation. */
  void
  perform (Fibre ** lanes, unsigned mask)
  {
    const VhDoubleWarpOperation operation = lanes[__builtin_ctz (mask)]->operation;
    uint64_t all = lanes[__builtin_ctz (mask)]->value;
    unsigned set, other;

    if (operation == VH_DOUBLE_WARP_SYNC)
      return;
    for (set = mask & (mask - 1); set; set &= set - 1)
      all = combine (operation, all, lanes[__builtin_ctz (set)]->value);

    if (operation == VH_DOUBLE_WARP_BALLOT) {
      for (all = 0, set = mask; set; set &= set - 1)
        all |= lanes[__builtin_ctz (set)]->value << __builtin_ctz (set);
    }

    for (set = mask; set; set &= set - 1) {
      Fibre *f = lanes[__builtin_ctz (set)];

      switch (operation) {
        case VH_DOUBLE_WARP_SHUFFLE:
          /* The value of a lane that does not take part is undefined. */
          f->result = mask & 1u << f->argument ? lanes[f->argument]->value :
              0xa5a5a5a5a5a5a5a5;
          break;
        case VH_DOUBLE_WARP_MATCH:
          f->result = 0;
          for (other = mask; other; other &= other - 1) {
            if (lanes[__builtin_ctz (other)]->value == f->value)
              f->result |= other & -other;
          }
          break;
        default:
          f->result = all;
          break;
      }
    }
  }

  /* Releases lanes that need not wait any more; returns whether there were
   * any. */
  bool
  resolve (Worker * w, unsigned index)
  {
    Warp *warp = &w->warps[index];
    Fibre **lanes = w->fibres + index * 32;
    unsigned left = warp->waiting;
    bool any = false;

    while (left) {
      const Fibre *f = lanes[__builtin_ctz (left)];
      const unsigned mask = f->mask & ~warp->done;
      bool same = (mask & ~warp->waiting) == 0;

      for (unsigned set = mask; same && set; set &= set - 1) {
        const Fibre *g = lanes[__builtin_ctz (set)];

        same = g->mask == f->mask && g->operation == f->operation;
      }
      if (same) {
        perform (lanes, mask);
        warp->waiting &= ~mask;
        warp->ready |= mask;
        left &= ~mask;
        any = true;
      } else {
        left &= left - 1;
      }
    }

    /* Lanes are together in __activemask() if they reached it at the same place
     * and no other lane is still on the way there. */
    if (!any && !warp->ready && warp->active) {
      const void *site = lanes[__builtin_ctz (warp->active)]->site;
      unsigned mask = 0;

      for (unsigned set = warp->active; set; set &= set - 1) {
        if (lanes[__builtin_ctz (set)]->site == site)
          mask |= set & -set;
      }
      for (unsigned set = mask; set; set &= set - 1)
        lanes[__builtin_ctz (set)]->result = mask;
      warp->active &= ~mask;
      warp->ready |= mask;
      any = true;
    }
    return any;
  }

  /* Runs each lane of a warp that can run once, and again after operations of
   * the warp. Returns whether any ran; stops when the grid has failed. */
  bool
  run_warp (Worker * w, unsigned index, bool down)
  {
    Warp *warp = &w->warps[index];
    bool any = false;

    do {
      unsigned set = warp->ready;

      while (set) {
        const unsigned lane = down ? 31 - __builtin_clz (set) :
            __builtin_ctz (set);

        set &= ~(1u << lane);
        warp->ready &= ~(1u << lane);
        to_fibre (w->fibres[index * 32 + lane]);
        if (w->grid->failed.load (std::memory_order_relaxed))
          return false;
        any = true;
      }
    } while ((warp->waiting | warp->active) && resolve (w, index));
    return any;
  }

  void
  release_barrier (Worker * w)
  {
    for (unsigned i = 0; i < (w->n_threads + 31) / 32; i++)
      w->warps[i].ready = ~w->warps[i].done;
    w->last_predicate = w->n_predicate;
    w->n_barrier = w->n_predicate = 0;
  }

  void
  start_block (Worker * w, uint64_t index)
  {
    const VhDoubleGrid *g = w->grid;
    const dim3 b = g->block;

    w->place.block = {(unsigned) (index % g->grid.x),
      (unsigned) (index / g->grid.x % g->grid.y),
      (unsigned) (index / g->grid.x / g->grid.y)};
    w->place.block_dim = b;
    w->place.grid_dim = g->grid;
    w->n_threads = b.x * b.y * b.z;
    w->n_done = w->n_dependent = 0;
    w->random = (g->seed + index) * 0x9e3779b97f4a7c15 | 1;
    set_countdown (w);
    for (unsigned i = 0; i < w->n_threads; i++) {
      Fibre *f = w->fibres[i];

      f->thread = {i % b.x, i / b.x % b.y, i / b.x / b.y};
      fibre_init (f);
    }
    /* Lanes missing from a partial warp count as ended. */
    for (unsigned i = 0; i < (w->n_threads + 31) / 32; i++) {
      const unsigned n = w->n_threads - i * 32;

      w->warps[i] = {0, 0, 0, n >= 32 ? 0 : ~0u << n, 0};
    }
    release_barrier (w);
    memset (w->tls, POISON, w->tls_size);
    memset (w->dynamic, POISON, g->dynamic_bytes);
  }

  /* The rest of a block that started early waits for the previous grid.
   * Continues when that has ended, or when the block's own grid will not
   * run. */
  void
  wait_for_turn (Worker * w)
  {
    std::unique_lock<std::mutex> lock (pool_lock);

    ahead_state = AHEAD_WAITS;
    ahead_cond.notify_all ();
    ahead_cond.wait (lock, [] { return ahead_state == AHEAD_RUNS; });
    w->too_early = false;
    w->last = {};
    for (unsigned i = 0; i < (w->n_threads + 31) / 32; i++) {
      w->warps[i].ready |= w->warps[i].dependent;
      w->warps[i].dependent = 0;
    }
    w->n_dependent = 0;
  }

  void
  run_block (Worker * w, uint64_t index)
  {
    unsigned n_warps, first;
    bool down;

    start_block (w, index);
    n_warps = (w->n_threads + 31) / 32;
    first = next_random (&w->random) % n_warps;
    down = next_random (&w->random) >> 20 & 1;
    while (w->n_done < w->n_threads) {
      bool any = false;

      for (unsigned i = 0; i < n_warps; i++) {
        const unsigned step = down ? n_warps - i : i;

        any |= run_warp (w, (first + step) % n_warps, down);
        if (w->grid->failed.load (std::memory_order_relaxed))
          return;
      }
      if (w->n_barrier > 0 && w->n_barrier + w->n_done == w->n_threads) {
        release_barrier (w);
      } else if (!any && w->n_dependent > 0) {
        wait_for_turn (w);
        if (w->grid->failed.load (std::memory_order_relaxed))
          return;
      } else if (!any) {
        fail (w, NULL, ERROR_LAUNCH, "is stuck: %u threads ended, %u wait at a "
            "barrier, %u for lanes of their warp", w->n_done, w->n_barrier,
            w->n_threads - w->n_done - w->n_barrier);
        return;
      }
    }
  }

  /* The pool */

  int
  find_tls (struct dl_phdr_info *info, size_t, void *data)
  {
    Worker *w = (Worker *) data;
    bool here = false;
    size_t tls = 0;

    for (int i = 0; i < info->dlpi_phnum; i++) {
      const ElfW (Phdr) *ph = &info->dlpi_phdr[i];

      if (ph->p_type == PT_TLS)
        tls = ph->p_memsz;
      if (ph->p_type == PT_LOAD && (uintptr_t) &find_tls -
          (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
        here = true;
    }
    if (!here)
      return 0;
    w->tls = (unsigned char *) info->dlpi_tls_data;
    w->tls_size = tls;
    for (int i = 0; i < info->dlpi_phnum; i++) {
      const ElfW (Phdr) *ph = &info->dlpi_phdr[i];

      if (ph->p_type == PT_LOAD) {
        if (image.base == 0)
          image.base = info->dlpi_addr + ph->p_vaddr;
        image.size = info->dlpi_addr + ph->p_vaddr + ph->p_memsz - image.base;
      }
    }
    return 1;
  }

  void
  run_blocks (Worker * w)
  {
    VhDoubleGrid *g = w->grid;
    const uint64_t all = (uint64_t) g->grid.x * g->grid.y * g->grid.z;
    uint64_t i;

    w->last = {};
    while (!g->failed.load ()
        && (i = slots[w->slot].next_block.fetch_add (1)) < g->n_blocks) {
      /* start at any block, go up or down */
      const uint64_t turn = g->seed & 1 ? i : all - 1 - i;
      const uint64_t index = (turn + (g->seed >> 8)) % all;

      if (!g->begun || index != g->first_block)
        run_block (w, index);
    }
  }

  void
  worker_init (Worker * w)
  {
    touch = 1;
    w->dynamic = (unsigned char *) mmap (NULL, SHARED_SIZE + 4096,
        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Aligned for vectors, but not more. */
    w->dynamic += 16;
    for (unsigned i = 0; i < MAX_THREADS; i++) {
      unsigned char *stack = stacks +
          ((size_t) w->index * MAX_THREADS + i) * STACK_SIZE;
      Fibre *f = fibre_of ((uintptr_t) stack);

      (void) VALGRIND_STACK_REGISTER (stack, (unsigned char *) f);
      f->worker = w;
      f->lane = i % 32;
      f->warp = i / 32;
      w->fibres[i] = f;
    }

    std::lock_guard<std::mutex> lock (pool_lock);
    dl_iterate_phdr (find_tls, w);
  }

  void
  worker_main (Worker * w)
  {
    Slot &slot = slots[w->slot];
    uint64_t serial = 0;

    worker_init (w);
    std::unique_lock<std::mutex> lock (pool_lock);
    while (true) {
      slot.work_cond.wait (lock, [&] {
          return slot.grid && slot.serial != serial;
        });
      serial = slot.serial;
      w->grid = slot.grid;
      lock.unlock ();
      run_blocks (w);
      lock.lock ();
      if (--slot.n_running == 0)
        slot.done_cond.notify_all ();
    }
  }

  void
  ahead_main (Worker * w)
  {
    worker_init (w);
    std::unique_lock<std::mutex> lock (pool_lock);
    while (true) {
      ahead_cond.wait (lock, [] { return ahead_state == AHEAD_RUNS; });
      w->grid = ahead;
      w->last = {};
      w->too_early = true;
      lock.unlock ();
      run_block (w, w->grid->first_block);
      lock.lock ();
      ahead_state = AHEAD_ENDED;
      ahead_cond.notify_all ();
    }
  }

  /* Continues the block that started early, to its end or to its next wait.
   * Call with the pool's lock held. */
  void
  run_ahead (std::unique_lock<std::mutex> & lock)
  {
    ahead_state = AHEAD_RUNS;
    ahead_cond.notify_all ();
    ahead_cond.wait (lock, [] { return ahead_state != AHEAD_RUNS; });
  }

  void
  allocate_stacks ()
  {
    stacks = (unsigned char *) mmap (NULL, stacks_size + STACK_SIZE,
        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        -1, 0);
    if (stacks == MAP_FAILED) {
      perror ("double: stacks");
      abort ();
    }
    stacks += -(uintptr_t) stacks & (STACK_SIZE - 1);
  }

  /* Call with the pool's lock held. */
  void
  start_workers (unsigned slot, unsigned n, void (*run) (Worker *))
  {
    sigset_t all, old;

    if (!stacks)
      allocate_stacks ();
    /* A signal handler would run on a fiber's stack. */
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &old);
    for (unsigned i = 0; i < n; i++) {
      Worker *w = new Worker {};

      w->index = slot * N_WORKERS + i;
      w->slot = slot;
      std::thread (run, w).detach ();
    }
    pthread_sigmask (SIG_SETMASK, &old, NULL);
  }

  /* Returns the first free slot, or NULL. */
  Slot *
  find_slot ()
  {
    for (unsigned i = 0; i < N_SLOTS; i++) {
      if (!slots[i].grid)
        return &slots[i];
    }
    return NULL;
  }
}

void
vh_double_grid_run (VhDoubleGrid * grid)
{
  std::unique_lock<std::mutex> lock (pool_lock);
  Slot *slot;

  free_cond.wait (lock, [&] { return (slot = find_slot ()) != NULL; });
  slot->grid = grid;
  slot->serial++;
  slot->next_block = 0;
  slot->n_running = N_WORKERS;
  if (!slot->started)
    start_workers (slot - slots, N_WORKERS, worker_main);
  slot->started = true;
  if (!grid->begun) {
    grid->failed = 0;
    grid->waited = false;
  } else if (ahead_state == AHEAD_WAITS) {
    ahead_state = AHEAD_RUNS;
    ahead_cond.notify_all ();
  }
  slot->work_cond.notify_all ();
  slot->done_cond.wait (lock, [&] { return slot->n_running == 0; });
  if (grid->begun) {
    ahead_cond.wait (lock, [] { return ahead_state == AHEAD_ENDED; });
    vh_double_memory_close (AHEAD);
    ahead_state = AHEAD_NONE;
    grid->begun = false;
  }
  vh_double_memory_close (slot - slots);
  slot->grid = NULL;
  free_cond.notify_one ();
}

bool
vh_double_grid_begin (VhDoubleGrid * grid)
{
  std::unique_lock<std::mutex> lock (pool_lock);

  if (ahead_state != AHEAD_NONE)
    return false;
  if (!ahead_started)
    start_workers (AHEAD, 1, ahead_main);
  ahead_started = true;
  grid->failed = 0;
  grid->waited = false;
  grid->begun = true;
  grid->first_block = (grid->seed >> 4) % grid->n_blocks;
  ahead = grid;
  run_ahead (lock);
  vh_double_memory_close (AHEAD);
  return true;
}

void
vh_double_grid_drop (VhDoubleGrid * grid)
{
  std::unique_lock<std::mutex> lock (pool_lock);

  if (!grid->begun)
    return;
  grid->failed = ERROR_LAUNCH;
  if (ahead_state == AHEAD_WAITS)
    run_ahead (lock);
  ahead_state = AHEAD_NONE;
  grid->begun = false;
}

extern "C" VhDoubleKernel *__start_vh_double_kernels[]
    __attribute__ ((weak, visibility ("hidden")));
extern "C" VhDoubleKernel *__stop_vh_double_kernels[]
    __attribute__ ((weak, visibility ("hidden")));

const VhDoubleKernel *
vh_double_kernel_find (const char *name)
{
  for (VhDoubleKernel ** k = __start_vh_double_kernels;
      k < __stop_vh_double_kernels; k++) {
    if (strcmp ((*k)->name, name) == 0)
      return *k;
  }
  return NULL;
}
