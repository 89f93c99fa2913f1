/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate that every call passes, ordered failures, violations, and the
 * interface for tests. */
#include "core.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace vh
{
  State &g = *new State {};
}

using namespace vh;

namespace
{
  /* An ordered failure. */
  struct Order
  {
    std::string name;           /* empty: any */
    unsigned left;              /* calls until it is due; 0: due */
    int code;
    VhDoubleHow how;
  };

  struct Record
  {
    const char *name;
    int result;
    const void *caller;
  };

  const unsigned N_RECORDS = 1 << 16;

  /* Never destroyed, like State. */
  struct Gate
  {
    std::vector<Order> orders;
    int all;                    /* the code of a pending VH_DOUBLE_ALL, or 0 */
    std::vector<Record> records {N_RECORDS};
    std::map<std::string, unsigned> counts;
    unsigned calls, total_calls, violations;
    std::string last_violation;
    pthread_key_t thread_key;
    std::vector<Thread *> threads;
  };

  Gate &gate = *new Gate {};

  unsigned
  get_number (const char *name, unsigned otherwise)
  {
    const char *text = getenv (name);

    return text && *text ? strtoul (text, NULL, 0) : otherwise;
  }

  void
  read_settings ()
  {
    g.settings.strict = get_number ("VH_DOUBLE_STRICT", 0);
    g.settings.abort = get_number ("VH_DOUBLE_ABORT", 0);
    g.settings.log = get_number ("VH_DOUBLE_LOG", 0);
    g.settings.summary = get_number ("VH_DOUBLE_SUMMARY", 0);
    g.settings.reuse = get_number ("VH_DOUBLE_REUSE", 0);
    g.settings.queue = get_number ("VH_DOUBLE_QUEUE", 1024);
    g.settings.pools = get_number ("VH_DOUBLE_POOLS", 1);
    g.settings.devices = std::min (get_number ("VH_DOUBLE_DEVICES", 1), 8u);
    g.settings.processors = std::max (get_number ("VH_DOUBLE_PROCESSORS", 2),
        1u);
    g.settings.capability = get_number ("VH_DOUBLE_CAPABILITY", 90);
    g.settings.memory_mib = get_number ("VH_DOUBLE_MEMORY", 2048);
    g.settings.delay = get_number ("VH_DOUBLE_DELAY", 100);
    g.settings.preempt = get_number ("VH_DOUBLE_PREEMPT", 400);
    g.settings.seed = get_number ("VH_DOUBLE_SEED", 1);
    g.hanging = get_number ("VH_DOUBLE_HANG", 0);
  }

  /* name:n:code[:how][,…] */
  void
  read_orders (const char *text)
  {
    while (text && *text) {
      char name[128], how[8] = "once";
      unsigned n, code;

      if (sscanf (text, "%127[^:]:%u:%u:%7[a-z]", name, &n, &code, how) < 3) {
        fprintf (stderr, "double: cannot read VH_DOUBLE_FAIL from \"%s\"\n",
            text);
        exit (2);
      }
      gate.orders.push_back ({strcmp (name, "*") == 0 ? "" : name,
          std::max (n, 1u), (int) code, strcmp (how, "all") == 0 ?
          VH_DOUBLE_ALL : strcmp (how, "ever") == 0 ? VH_DOUBLE_EVER :
          VH_DOUBLE_ONCE});
      text = strchr (text, ',');
      if (text)
        text++;
    }
  }

  void
  check_stack (Thread * t, const char *when)
  {
    if (!t->stack.empty () && !t->pop_refused && !g.fault && !gate.all)
      violation ("%s with %zu contexts on its stack", when, t->stack.size ());
  }

  void
  thread_end (void *data)
  {
    Lock lock (g.mutex);
    Thread *t = (Thread *) data;

    check_stack (t, "a thread ended");
    for (size_t i = 0; i < gate.threads.size (); i++) {
      if (gate.threads[i] == t)
        gate.threads.erase (gate.threads.begin () + i--);
    }
    delete t;
  }

  /* Visits every object that the caller has created. */
  void
  each_object (std::function<void (Object &)> visit)
  {
    for (auto & o : g.contexts)
      visit (*o.second);
    for (auto & o : g.streams)
      visit (*o.second);
    for (auto & o : g.events)
      visit (*o.second);
    for (auto & o : g.modules)
      visit (*o.second);
    for (auto & o : g.graphs)
      visit (*o.second);
    for (auto & o : g.memories)
      visit (*o.second);
  }

  void
  excuse_all ()
  {
    each_object ([] (Object & o) { o.excused = true; });
  }

  const char *const kind_names[] = {
    "device memory", "pinned memory", "context", "stream", "event", "module",
    "graph"
  };

  bool
  load ()
  {
    read_settings ();
    read_orders (getenv ("VH_DOUBLE_FAIL"));
    if (const char *text = getenv ("VH_DOUBLE_FAULT")) {
      unsigned n = 1, code = CUDA_ERROR_ILLEGAL_ADDRESS;

      sscanf (text, "%u:%u", &n, &code);
      order_fault (n, code);
    }
    pthread_key_create (&gate.thread_key, thread_end);
    /* As with a real driver, nothing works in a forked child. */
    pthread_atfork ([] { g.mutex.lock (); }, [] { g.mutex.unlock (); }, [] {
          g.forked = true;
          g.mutex.unlock ();
        });
    return true;
  }

  /* Runs after everything it needs has been created. */
  const bool loaded = load ();

  bool
  has_leaks ()
  {
    bool leaks = false;

    for (auto & m : g.memories)
      m.second->excused |= m.second->freed;
    each_object ([&leaks] (Object & o) { leaks |= !o.excused; });
    for (Thread * t : gate.threads)
      leaks |= !t->stack.empty ();
    return leaks;
  }

  /* Other threads may be about to release what has just ended. */
  void
  wait_for_threads (Lock & lock)
  {
    for (int i = 0; i < 400 && has_leaks (); i++) {
      lock.unlock ();
      usleep (5000);
      lock.lock ();
    }
  }

  /* Runs last, after all functions of atexit(). */
  __attribute__ ((destructor)) void
  unload ()
  {
    if (g.forked)
      return;

    Lock lock (g.mutex);

    if (g.fault || gate.all || g.release_refused)
      excuse_all ();
    /* By now everything that streams had to free is freed. */
    wait_for_threads (lock);
    for (Thread * t : gate.threads)
      check_stack (t, "the process ended, a thread");
    each_object ([] (Object & o) {
        if (!o.excused)
          violation ("leaked: %s %#zx, made by call %u", kind_names[o.kind],
              (size_t) o.handle, o.made_by);
        });
    if (g.settings.summary)
      fprintf (stderr, "double: %u calls, %u launches, %u violations\n",
          gate.total_calls, g.launches, gate.violations);
    if (g.settings.strict && gate.violations) {
      fflush (NULL);
      _exit (86);
    }
  }
}

Thread &
vh::thread ()
{
  Thread *t = (Thread *) pthread_getspecific (gate.thread_key);

  if (!t) {
    t = new Thread {};
    gate.threads.push_back (t);
    pthread_setspecific (gate.thread_key, t);
  }
  return *t;
}

/* Addresses that the CPU does not have, so that nobody can look inside. */
uint64_t
vh::new_handle (char kind)
{
  std::vector<uint64_t> &old = g.old_handles[kind];

  if (g.settings.reuse && !old.empty ()) {
    const uint64_t handle = old.back ();

    old.pop_back ();
    return handle;
  }
  return (uint64_t) 0x0c << 56 | (uint64_t) kind << 40 | ++g.serial << 4;
}

void
vh::old_handle (uint64_t handle)
{
  if (g.settings.reuse)
    g.old_handles[handle >> 40 & 0xff].push_back (handle);
}

unsigned
vh::call_number ()
{
  return gate.total_calls;
}

void
vh::violation (const char *format, ...)
{
  char text[1024];
  va_list args;

  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  fprintf (stderr, "double: VIOLATION %s\n", text);
  gate.violations++;
  gate.last_violation = text;
  if (g.settings.abort)
    abort ();
}

/* Calls */

Call::Call (const char *name, unsigned needs, const void *caller):lock (g.mutex),
    name (name), caller (caller), number (gate.calls++)
{
  gate.total_calls++;
  gate.counts[name]++;

  if (g.forked) {
    result = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }

  for (size_t i = 0; i < gate.orders.size (); i++) {
    Order &o = gate.orders[i];

    if (!o.name.empty () && o.name != name)
      continue;
    if (o.left > 0 && --o.left > 0)
      continue;
    result = (CUresult) o.code;
    if (o.how == VH_DOUBLE_ALL)
      gate.all = o.code;
    if (o.how == VH_DOUBLE_ONCE)
      gate.orders.erase (gate.orders.begin () + i--);
  }
  if (gate.all)
    result = (CUresult) gate.all;
  else if (g.fault && !(needs & HARMLESS) && result == CUDA_SUCCESS)
    result = (CUresult) g.fault;
  if (result != CUDA_SUCCESS) {
    if (needs & RELEASE)
      g.release_refused = true;
    return;
  }

  if ((needs & INIT) && !g.initialized) {
    result = CUDA_ERROR_NOT_INITIALIZED;
  } else if ((needs & CONTEXT) == CONTEXT) {
    Thread &t = thread ();

    if (t.stack.empty () || !t.stack.back ()) {
      violation ("%s without a current context", name);
      result = CUDA_ERROR_INVALID_CONTEXT;
    } else if (t.stack.back ()->destroyed) {
      violation ("%s in a context that is destroyed", name);
      result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    } else {
      context = t.stack.back ();
    }
  }
}

Call::~Call ()
{
  if (!lock.owns_lock ())
    lock.lock ();
  gate.records[number % N_RECORDS] = {name, (int) result, caller};
  if (g.settings.log)
    fprintf (stderr, "double: %u %s = %d\n", number, name, result);
}

CUresult
Call::wait (std::function<bool ()> condition)
{
  struct timespec begin, end;
  Thread &t = thread ();

  clock_gettime (CLOCK_MONOTONIC, &begin);
  t.waits++;
  g.done.wait (lock, [&] { return g.fault || condition (); });
  clock_gettime (CLOCK_MONOTONIC, &end);
  t.waited += (end.tv_sec - begin.tv_sec) * 1000000 +
      (end.tv_nsec - begin.tv_nsec) / 1000;
  return (CUresult) g.fault;
}

/* The interface of tests */

namespace
{
  void
  set_devices (unsigned n)
  {
    Lock lock (g.mutex);

    g.settings.devices = std::min (n, 8u);
  }

  void
  set_delay (unsigned microseconds)
  {
    Lock lock (g.mutex);

    g.settings.delay = microseconds;
  }

  void
  set_log (bool enable)
  {
    Lock lock (g.mutex);

    g.settings.log = enable;
  }

  void
  hang_kernels (bool hang)
  {
    Lock lock (g.mutex);

    g.hanging = hang;
    g.done.notify_all ();
  }

  void
  reuse_handles (bool reuse)
  {
    Lock lock (g.mutex);

    g.settings.reuse = reuse;
  }

  void
  set_queue (unsigned kernels)
  {
    Lock lock (g.mutex);

    g.settings.queue = kernels;
    g.done.notify_all ();
  }

  void
  hang_stream (void *stream, bool hang)
  {
    Lock lock (g.mutex);

    for (auto & s : g.running) {
      if (s->handle == (uint64_t) stream)
        s->hanging = hang;
    }
    g.done.notify_all ();
  }

  void
  hang_launches (VhDoubleMatch match, void *data)
  {
    Lock lock (g.mutex);

    g.hang_match = match;
    g.hang_data = data;
    g.done.notify_all ();
  }

  void
  reset ()
  {
    Lock lock (g.mutex);

    g.hanging = false;
    g.hang_match = NULL;
    for (auto & s : g.running)
      s->hanging = false;
    g.done.notify_all ();
    g.done.wait (lock, [] { return pending () == 0; });
    if (g.fault || gate.all || g.release_refused)
      excuse_all ();
    read_settings ();
    g.old_handles.clear ();
    g.hanging = g.release_refused = false;
    g.fault = gate.all = 0;
    order_fault (0, 0);
    gate.orders.clear ();
    gate.counts.clear ();
    gate.calls = gate.violations = g.launches = 0;
    gate.last_violation.clear ();
    for (Thread * t : gate.threads)
      t->pop_refused = false;
  }

  void
  fail_call (const char *name, unsigned nth, int code, VhDoubleHow how)
  {
    Lock lock (g.mutex);

    gate.orders.push_back ({name ? name : "", std::max (nth, 1u), code, how});
  }

  void
  fault_kernel (unsigned nth, int code)
  {
    Lock lock (g.mutex);

    order_fault (nth, code);
  }

  unsigned
  get_calls ()
  {
    Lock lock (g.mutex);

    return gate.calls;
  }

  const char *
  call_name (unsigned i)
  {
    Lock lock (g.mutex);

    return i < gate.calls && gate.calls - i <= N_RECORDS ?
        gate.records[i % N_RECORDS].name : NULL;
  }

  int
  call_result (unsigned i)
  {
    Lock lock (g.mutex);

    return i < gate.calls && gate.calls - i <= N_RECORDS ?
        gate.records[i % N_RECORDS].result : -1;
  }

  const void *
  call_site (unsigned i)
  {
    Lock lock (g.mutex);

    return i < gate.calls && gate.calls - i <= N_RECORDS ?
        gate.records[i % N_RECORDS].caller : NULL;
  }

  unsigned
  count (const char *name)
  {
    Lock lock (g.mutex);
    auto found = gate.counts.find (name);

    return found == gate.counts.end () ? 0 : found->second;
  }

  unsigned
  waits ()
  {
    Lock lock (g.mutex);

    return thread ().waits;
  }

  unsigned long
  waited ()
  {
    Lock lock (g.mutex);

    return thread ().waited;
  }

  unsigned
  get_launches ()
  {
    Lock lock (g.mutex);

    return g.launches;
  }

  unsigned
  get_overlaps ()
  {
    return g.overlaps;
  }

  unsigned
  live (VhDoubleKind kind)
  {
    Lock lock (g.mutex);
    unsigned n = 0;

    each_object ([&] (Object & o) { n += o.kind == kind && !o.excused; });
    return n;
  }

  size_t
  live_bytes (VhDoubleKind kind)
  {
    Lock lock (g.mutex);
    size_t n = 0;

    for (auto & m : g.memories)
      n += m.second->kind == kind && !m.second->excused ? m.second->size : 0;
    return n;
  }

  unsigned
  get_pending ()
  {
    Lock lock (g.mutex);

    return pending ();
  }

  unsigned
  depth ()
  {
    Lock lock (g.mutex);

    return thread ().stack.size ();
  }

  unsigned
  get_violations ()
  {
    Lock lock (g.mutex);

    return gate.violations;
  }

  const char *
  last_violation ()
  {
    Lock lock (g.mutex);

    return gate.last_violation.c_str ();
  }

  void
  forgive ()
  {
    Lock lock (g.mutex);

    gate.violations = 0;
    gate.last_violation.clear ();
  }

  void
  watch_launches (VhDoubleWatch watch, void *data)
  {
    Lock lock (g.mutex);

    g.watch = watch;
    g.watch_data = data;
  }

  bool
  peek (const void *from, void *to, size_t size)
  {
    Lock lock (g.mutex);
    const unsigned char *bytes = memory_peek ((uint64_t) from, size);

    if (bytes)
      memcpy (to, bytes, size);
    return bytes != NULL;
  }

  const VhDouble table = {
    reset, fail_call, fault_kernel, hang_kernels, set_delay, set_devices, set_log,
    get_calls, call_name, call_result, count, waits, waited, get_launches, live,
    live_bytes, get_pending, depth, get_violations, last_violation, forgive,
    watch_launches, get_overlaps, call_site, hang_stream, hang_launches,
    reuse_handles, set_queue, peek
  };
}

API const VhDouble *
vh_double_open (void)
{
  return &table;
}
