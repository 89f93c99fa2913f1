/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of the double. All state is protected by one lock, which
 * an API call holds from its Call to its end, except during waits. */
#pragma once

#include <atomic>
#include <condition_variable>
#include <cuda.h>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "double.h"
#include "grid.h"

#define API extern "C" __attribute__ ((visibility ("default")))

namespace vh
{
  typedef std::unique_lock<std::mutex> Lock;

  struct Settings
  {
    bool strict, abort, log, summary, pools, reuse;
    unsigned devices, processors, capability, memory_mib, delay, preempt, queue;
    uint64_t seed;
  };

  struct Stream;

  /* An object that a caller has created and must release. */
  struct Object
  {
    uint64_t handle;
    VhDoubleKind kind;
    unsigned made_by;           /* number of the call */
    bool excused;               /* no violation if it was not released */
  };

  struct Context : Object
  {
    CUdevice device;
    bool primary, destroyed;
    unsigned refs;              /* of a primary context */
    std::shared_ptr<Stream> null_stream;
  };

  struct Module : Object
  {
    std::shared_ptr<Context> context;
    bool unloaded;
  };

  struct Function
  {
    std::shared_ptr<Module> module;
    const VhDoubleKernel *kernel;
    int max_dynamic;
  };

  /* The operation @seq of a stream, and all before it, must be done. */
  struct Dependency
  {
    std::shared_ptr<Stream> stream;
    uint64_t seq;
  };

  /* How far other streams, by id, have come when a stream continues. Events and
   * the null stream create such an order. */
  typedef std::map<uint64_t, uint64_t> Clock;

  /* Device memory, or pinned host memory. */
  struct Memory : Object, std::enable_shared_from_this<Memory>
  {
    std::shared_ptr<Context> context;
    uint64_t base;
    size_t size;
    size_t first_page, n_pages; /* in its arena */
    unsigned flags;
    std::atomic<unsigned> open; /* device memory in use by running kernels: a
                                 * bit per slot */
    std::atomic<bool> doomed, touched;  /* being freed; used after that */
    Dependency allocated;       /* stream-ordered allocation, or no stream */
    std::vector<Dependency> used;       /* device memory: last use by each
                                         * stream */
    bool freed;                 /* a stream frees it when it gets there */
  };

  typedef std::shared_ptr<Memory> MemoryRef;

  /* An operation for a stream, executed once or, by a graph, repeatedly. */
  struct Work
  {
    Work () = default;
    Work (const std::vector<MemoryRef> & uses, std::function<void ()> run):
        uses (uses), run (run) {}

    bool kernel = false;
    bool blocking = false;      /* of a call that looks synchronous: its caller
                                 * may rely on cuMemFree to wait for it */
    std::vector<MemoryRef> uses;
    std::function<void ()> run; /* called without the lock; may be empty */
    std::shared_ptr<VhDoubleGrid> ahead;        /* a kernel that may start
                                                 * before the previous one has
                                                 * ended, or none */
    std::shared_ptr<Module> module;     /* module of a kernel */
    bool hangs = false;         /* a kernel that hang_launches() selects */
    MemoryRef frees;            /* memory freed in stream order */
  };

  struct Operation : Work
  {
    const char *name;
    uint64_t seq;
    std::atomic<bool> started;
    std::vector<Dependency> after;
  };

  struct Graph : Object
  {
    std::shared_ptr<Context> context;
    std::vector<Work> operations;       /* captured by a stream */
  };

  struct Stream : Object
  {
    std::shared_ptr<Context> context;
    std::shared_ptr<Graph> capture;     /* graph being captured, or none */
    unsigned flags;
    bool destroyed, is_null;
    bool hanging;               /* kernels of this stream do not complete */
    bool ended;                 /* destroyed, and all work is done */
    uint64_t id;                /* never reused by another stream */
    std::deque<std::shared_ptr<Operation>> queue;
    uint64_t submitted, completed;
    uint64_t seen;              /* last operation that the host knows to be
                                 * completed */
    std::shared_ptr<const Clock> clock; /* NULL: independent of other streams */
    std::condition_variable work;
    uint64_t random;
    /* addresses that tell TSan about the order, one per operation in flight */
    char tsan_in[64], tsan_out[64];

    bool idle () const { return completed == submitted; }
  };

  struct Event : Object
  {
    std::shared_ptr<Context> context;
    unsigned flags;
    std::shared_ptr<Stream> stream;     /* none: never recorded */
    uint64_t seq;
    std::shared_ptr<const Clock> clock; /* of the stream at that point */
    std::shared_ptr<double> time;       /* ms, set when the event happens */
  };

  /* State of a caller's thread. */
  struct Thread
  {
    std::vector<std::shared_ptr<Context>> stack;
    unsigned waits;
    unsigned long waited;       /* microseconds */
    bool pop_refused;           /* by an ordered failure: the stack may stay */
  };

  /* Never destroyed: threads keep running while the process ends. */
  struct State
  {
    std::mutex mutex;
    std::condition_variable done;       /* an operation has completed */
    Settings settings;
    int fault;                  /* error of a faulted kernel, which every call
                                 * returns */
    bool hanging;
    VhDoubleMatch hang_match;   /* selects launches that hang, or NULL */
    void *hang_data;
    bool release_refused;       /* leftovers are not the caller's fault */
    bool initialized, forked;
    uint64_t serial;            /* for handles */
    std::map<char, std::vector<uint64_t>> old_handles;  /* of destroyed objects,
                                                         * by kind */
    unsigned launches;          /* executed launches */
    std::atomic<unsigned> overlaps;     /* of these, launches that started
                                         * before the previous one on their
                                         * stream had ended */
    VhDoubleWatch watch;        /* notified of launches, or NULL */
    void *watch_data;

    /* Live objects by handle; memory by address. Null streams do not belong to
     * the caller, and are neither counted nor listed. */
    std::map<uint64_t, std::shared_ptr<Context>> contexts;
    std::map<uint64_t, std::shared_ptr<Stream>> streams;
    std::map<uint64_t, std::shared_ptr<Event>> events;
    std::map<uint64_t, std::shared_ptr<Module>> modules;
    std::map<uint64_t, std::shared_ptr<Graph>> graphs;
    std::map<uint64_t, std::shared_ptr<Function>> functions;
    std::map<uint64_t, MemoryRef> memories;
    /* Streams with a thread, even if destroyed with work left. */
    std::vector<std::shared_ptr<Stream>> running;
  };

  extern State & g;

  Thread & thread ();
  uint64_t new_handle (char kind);
  /* The object of a handle was destroyed. If handles are reused, the next
   * object of its kind gets it. */
  void old_handle (uint64_t handle);
  unsigned call_number ();
  void violation (const char *format, ...)
      __attribute__ ((format (printf, 1, 2)));

  /* A call of the API: declare it first, and check it at once. */
  class Call
  {
  public:
    enum
    {
      ANYTIME = 0,              /* even before cuInit */
      INIT = 1,
      CONTEXT = 2 | INIT,       /* needs a current context */
      HARMLESS = 4,             /* works after a kernel faulted */
      RELEASE = 8               /* if refused, something may never be
                                 * released */
    };

    Call (const char *name, unsigned needs, const void *caller);
    ~Call ();

    /* TRUE if the call must be refused with this result. */
    operator bool () const { return result != CUDA_SUCCESS; }
    CUresult operator() (CUresult r) { return result = r; }

    Lock lock;
    CUresult result = CUDA_SUCCESS;
    std::shared_ptr<Context> context;   /* the current one, if needed */

    /* Waits until @condition or a fault; counts as waiting by the caller. */
    CUresult wait (std::function<bool ()> condition);
    /* Waits for all work of a stream so far, or up to an event. */
    CUresult wait_for (const std::shared_ptr<Stream> &stream);
    CUresult wait_for (const std::shared_ptr<Event> &event);
    /* Waits for all work of a context's streams so far. */
    CUresult wait_for (const std::shared_ptr<Context> &context);

    const char *const name;

  private:
    const void *const caller;
    unsigned number;
  };

#define CALL(needs) \
  vh::Call call (__func__, needs, __builtin_return_address (0)); \
  if (call) \
    return call.result

  /* Returns the live object of a handle; otherwise reports a violation, unless
   * it is NULL. */
  template <class T> std::shared_ptr<T>
  find (Call & call, std::map<uint64_t, std::shared_ptr<T>> &table,
      const void *handle, const char *what)
  {
    auto found = table.find ((uint64_t) (uintptr_t) handle);

    if (found != table.end ())
      return found->second;
    if (handle)
      violation ("%s: %p is no live %s", call.name, handle, what);
    return nullptr;
  }

  template <class T> std::shared_ptr<T>
  make (VhDoubleKind kind, char letter)
  {
    auto object = std::make_shared<T> ();

    object->handle = new_handle (letter);
    object->kind = kind;
    object->made_by = call_number ();
    object->excused = false;
    return object;
  }

  /* memory.cpp */
  MemoryRef memory_allocate (size_t size, bool pinned);
  void memory_release (const MemoryRef & memory);
  /* The allocation of @address, if any. */
  MemoryRef memory_at (uint64_t address);
  /* Where the double may access @size bytes at @address of an allocation; NULL
   * after a violation. */
  unsigned char *memory_access (Call & call, uint64_t address, uint64_t size,
      MemoryRef * memory);
  /* Where the bytes are, even while they are written; NULL if they are not
   * allocated. */
  const unsigned char *memory_peek (uint64_t address, size_t size);
  /* Checks that operation @seq of @stream uses @memory after its allocation and
   * before its free. */
  void memory_use (Call & call, const std::shared_ptr<Stream> &stream,
      uint64_t seq, const MemoryRef & memory);
  bool is_device_address (uint64_t address);
  size_t memory_used ();

  /* stream.cpp */
  std::shared_ptr<Stream> stream_of (Call & call, CUstream handle);
  std::shared_ptr<Stream> null_stream (const std::shared_ptr<Context> &context);
  /* Returns the sequence number; for an operation that is only captured, the
   * previous operation's. */
  uint64_t submit (Call & call, const std::shared_ptr<Stream> &stream,
      const Work & work);
  /* Whether the next operation on @stream comes after @d, whatever the
   * timing. */
  bool is_after (const Stream & stream, const Dependency & d);
  bool context_idle (const std::shared_ptr<Context> &context);
  void context_streams_end (const std::shared_ptr<Context> &context);
  unsigned pending ();
  /* Tells ThreadSanitizer what the copy engine does with host memory. */
  void tsan_read (const void *p, size_t n);
  void tsan_write (void *p, size_t n);

  /* launch.cpp */
  void order_fault (unsigned nth, int code);    /* 0: none */
}
