/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the double share. All state is under one lock, which an API
 * call holds from its Call to its end, except during waits. */
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

  /* Whatever a caller has made and must give back. */
  struct Object
  {
    uint64_t handle;
    VhDoubleKind kind;
    unsigned made_by;           /* number of the call */
    bool excused;               /* that it was not given back */
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

  /* The operation @seq of a stream, and those before it, have to be done. */
  struct Dependency
  {
    std::shared_ptr<Stream> stream;
    uint64_t seq;
  };

  /* How far other streams, by their ids, have come when a stream continues:
   * events and the null stream order its work after that. */
  typedef std::map<uint64_t, uint64_t> Clock;

  /* Memory of a device, or pinned memory of the host. */
  struct Memory : Object, std::enable_shared_from_this<Memory>
  {
    std::shared_ptr<Context> context;
    uint64_t base;
    size_t size;
    size_t first_page, n_pages; /* of its arena */
    unsigned flags;
    std::atomic<unsigned> open; /* device memory that running kernels use: bit
                                 * per slot */
    std::atomic<bool> doomed, touched;  /* is being freed; used after that */
    Dependency allocated;       /* in the order of a stream; otherwise no
                                 * stream */
    std::vector<Dependency> used;       /* device memory: last by each stream */
    bool freed;                 /* a stream frees it when it comes there */
  };

  typedef std::shared_ptr<Memory> MemoryRef;

  /* What a stream is told to do, once or, by a graph, again and again. */
  struct Work
  {
    Work () = default;
    Work (const std::vector<MemoryRef> & uses, std::function<void ()> run):
        uses (uses), run (run) {}

    bool kernel = false;
    std::vector<MemoryRef> uses;
    std::function<void ()> run; /* without the lock; may be empty */
    std::shared_ptr<VhDoubleGrid> ahead;        /* of a kernel that may begin
                                                 * before the previous one has
                                                 * ended; otherwise none */
    std::shared_ptr<Module> module;     /* of a kernel */
    bool hangs = false;         /* a kernel that hang_launches() is for */
    MemoryRef frees;            /* in the order of the stream */
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
    std::vector<Work> operations;       /* that a stream captured */
  };

  struct Stream : Object
  {
    std::shared_ptr<Context> context;
    std::shared_ptr<Graph> capture;     /* to be made, or none */
    unsigned flags;
    bool destroyed, is_null;
    bool hanging;               /* kernels of this stream do not complete */
    bool ended;                 /* destroyed, and all is done */
    uint64_t id;                /* of no other stream, ever */
    std::deque<std::shared_ptr<Operation>> queue;
    uint64_t submitted, completed;
    uint64_t seen;              /* that the host knows to be completed */
    std::shared_ptr<const Clock> clock; /* NULL: after no other stream */
    std::condition_variable work;
    uint64_t random;
    /* addresses at which TSan is told of order, one per operation in flight */
    char tsan_in[64], tsan_out[64];

    bool idle () const { return completed == submitted; }
  };

  struct Event : Object
  {
    std::shared_ptr<Context> context;
    unsigned flags;
    std::shared_ptr<Stream> stream;     /* none: never recorded */
    uint64_t seq;
    std::shared_ptr<const Clock> clock; /* of the stream, there */
    std::shared_ptr<double> time;       /* ms, set when it happens */
  };

  /* Of a thread of the caller. */
  struct Thread
  {
    std::vector<std::shared_ptr<Context>> stack;
    unsigned waits;
    unsigned long waited;       /* microseconds */
    bool pop_refused;           /* by order: the stack may stay */
  };

  /* Never destroyed: threads go on while the process ends. */
  struct State
  {
    std::mutex mutex;
    std::condition_variable done;       /* an operation has completed */
    Settings settings;
    int fault;                  /* of a kernel: what every call answers */
    bool hanging;
    VhDoubleMatch hang_match;   /* which launches hang, or NULL */
    void *hang_data;
    bool release_refused;       /* what is left is not the caller's fault */
    bool initialized, forked;
    uint64_t serial;            /* of handles */
    std::map<char, std::vector<uint64_t>> old_handles;  /* by kind, of what was
                                                         * destroyed */
    unsigned launches;          /* that were executed */
    std::atomic<unsigned> overlaps;     /* of them, began before the one before
                                         * on their stream */
    VhDoubleWatch watch;        /* what is notified of launches, or NULL */
    void *watch_data;

    /* Live objects by handle; memory by address. Null streams are not the
     * caller's, and in neither count nor table. */
    std::map<uint64_t, std::shared_ptr<Context>> contexts;
    std::map<uint64_t, std::shared_ptr<Stream>> streams;
    std::map<uint64_t, std::shared_ptr<Event>> events;
    std::map<uint64_t, std::shared_ptr<Module>> modules;
    std::map<uint64_t, std::shared_ptr<Graph>> graphs;
    std::map<uint64_t, std::shared_ptr<Function>> functions;
    std::map<uint64_t, MemoryRef> memories;
    /* With a thread of their own, also when destroyed with work to do. */
    std::vector<std::shared_ptr<Stream>> running;
  };

  extern State & g;

  Thread & thread ();
  uint64_t new_handle (char kind);
  /* What it was of is destroyed. Where handles come back, the next of its kind
   * gets it. */
  void old_handle (uint64_t handle);
  unsigned call_number ();
  void violation (const char *format, ...)
      __attribute__ ((format (printf, 1, 2)));

  /* One call of the API: must be declared first, and checked at once. */
  class Call
  {
  public:
    enum
    {
      ANYTIME = 0,              /* even before cuInit */
      INIT = 1,
      CONTEXT = 2 | INIT,       /* needs a current context */
      HARMLESS = 4,             /* works after a fault of a kernel */
      RELEASE = 8               /* if refused, something may stay for ever */
    };

    Call (const char *name, unsigned needs, const void *caller);
    ~Call ();

    /* Whether it is to be refused, with this result. */
    operator bool () const { return result != CUDA_SUCCESS; }
    CUresult operator() (CUresult r) { return result = r; }

    Lock lock;
    CUresult result = CUDA_SUCCESS;
    std::shared_ptr<Context> context;   /* the current one, if needed */

    /* Waits until @condition or a fault; counted as the caller's waiting. */
    CUresult wait (std::function<bool ()> condition);
    /* For what a stream has to do up to now, or up to an event. */
    CUresult wait_for (const std::shared_ptr<Stream> &stream);
    CUresult wait_for (const std::shared_ptr<Event> &event);
    /* For all that the streams of a context have to do up to now. */
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

  /* The live object of a handle; otherwise a violation, unless it is NULL. */
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
  /* Where they are, whatever writes them now; NULL if they are not
   * allocated. */
  const unsigned char *memory_peek (uint64_t address, size_t size);
  /* @stream is about to use @memory by its operation @seq: in the order of
   * allocation and free? */
  void memory_use (Call & call, const std::shared_ptr<Stream> &stream,
      uint64_t seq, const MemoryRef & memory);
  bool is_device_address (uint64_t address);
  size_t memory_used ();

  /* stream.cpp */
  std::shared_ptr<Stream> stream_of (Call & call, CUstream handle);
  std::shared_ptr<Stream> null_stream (const std::shared_ptr<Context> &context);
  /* Returns the sequence number; of what is only captured, that of the
   * operation before. */
  uint64_t submit (Call & call, const std::shared_ptr<Stream> &stream,
      const Work & work);
  /* Whether the next work on @stream comes after @d, whatever the timing. */
  bool is_after (const Stream & stream, const Dependency & d);
  bool context_idle (const std::shared_ptr<Context> &context);
  void context_streams_end (const std::shared_ptr<Context> &context);
  unsigned pending ();
  /* ThreadSanitizer's view of what the copy engine does with memory of the
   * host. */
  void tsan_read (const void *p, size_t n);
  void tsan_write (void *p, size_t n);

  /* launch.cpp */
  void order_fault (unsigned nth, int code);    /* 0: none */
}
