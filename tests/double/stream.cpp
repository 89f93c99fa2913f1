/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams, each with a thread that executes its operations in order, and
 * events, which are positions in a stream. The null stream waits for all others
 * of its context and they wait for it, except non-blocking ones. */
#include "core.h"

#include <algorithm>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <time.h>

using namespace vh;

/* Present if the process runs under ThreadSanitizer. This library is not
 * instrumented: the sanitizer only knows what these calls tell it, so the lock
 * does not look like an order between the caller's threads. */
extern "C"
{
  void __tsan_acquire (void *) __attribute__ ((weak));
  void __tsan_release (void *) __attribute__ ((weak));
  /* The compiler uses these names itself if another sanitizer is on. */
  void sanitizer_read (void *, unsigned long) __asm__ ("__tsan_read_range")
      __attribute__ ((weak));
  void sanitizer_write (void *, unsigned long) __asm__ ("__tsan_write_range")
      __attribute__ ((weak));
}

namespace
{
  void
  acquire (void *p)
  {
    if (__tsan_acquire)
      __tsan_acquire (p);
  }

  void
  release (void *p)
  {
    if (__tsan_release)
      __tsan_release (p);
  }

  bool
  reached (const Dependency & d)
  {
    return d.stream->completed >= d.seq;
  }

  uint64_t
  next_random (uint64_t * state)
  {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
  }

  void
  pause (unsigned microseconds)
  {
    const struct timespec time = {microseconds / 1000000,
      microseconds % 1000000 * 1000l};

    nanosleep (&time, NULL);
  }

  /* Whether @o was ordered to hang. */
  bool
  hangs (const Stream & s, const Operation & o)
  {
    return o.kernel && (g.hanging || s.hanging || (o.hangs && g.hang_match));
  }

  /* Adds @d, and everything before it, to what precedes the work of @s. */
  void
  come_after (Stream & s, const Dependency & d,
      const std::shared_ptr<const Clock> &clock)
  {
    auto merged = std::make_shared<Clock> ();
    const Clock before = {{d.stream->id, d.seq}};

    if (is_after (s, d))
      return;
    for (const Clock * c : {s.clock.get (), clock.get (), &before}) {
      if (!c)
        continue;
      for (auto & entry : *c) {
        uint64_t &seq = (*merged)[entry.first];

        seq = std::max (seq, entry.second);
      }
    }
    s.clock = merged;
  }

  /* The host knows that @d is done, and so everything before it. */
  void
  host_saw (const Dependency & d, const std::shared_ptr<const Clock> &clock)
  {
    if (d.stream->seen >= d.seq)
      return;
    d.stream->seen = d.seq;
    if (!clock)
      return;
    for (auto & s : g.running) {
      auto entry = clock->find (s->id);

      if (entry != clock->end ())
        s->seen = std::max (s->seen, entry->second);
    }
  }

  /* Its thread has ended: nothing can come before its work any more. */
  void
  forget_stream (const std::shared_ptr<Stream> &gone)
  {
    g.running.erase (std::find (g.running.begin (), g.running.end (), gone));
    gone->ended = true;
    for (auto & s : g.running) {
      if (s->clock && s->clock->count (gone->id)) {
        auto rest = std::make_shared<Clock> (*s->clock);

        rest->erase (gone->id);
        s->clock = rest;
      }
    }
  }

  /* Returns the kernel after @o if it should start now: the worst case for what
   * it does before it waits is that @o has not done anything yet. */
  std::shared_ptr<Operation>
  find_next (Stream & s, const Operation & o)
  {
    auto next = s.queue.size () > 1 ? s.queue[1] : nullptr;

    if (!next || !o.kernel || !next->ahead || next->ahead == o.ahead
        || hangs (s, *next)
        || !std::all_of (next->after.begin (), next->after.end (), reached)
        || (next_random (&s.random) >> 20 & 1))
      return nullptr;
    return next;
  }

  void
  stream_main (std::shared_ptr<Stream> s)
  {
    Lock lock (g.mutex);

    while (true) {
      s->work.wait (lock, [&] { return !s->queue.empty () || s->destroyed; });
      if (s->queue.empty ())
        break;

      auto o = s->queue.front ();
      unsigned delay = 0;

      g.done.wait (lock, [&] {
          return g.fault || std::all_of (o->after.begin (), o->after.end (),
              reached);
        });
      if (hangs (*s, *o) && !g.fault) {
        g.release_refused = true;
        g.done.wait (lock, [&] { return g.fault || !hangs (*s, *o); });
      }
      if (g.settings.delay)
        delay = next_random (&s->random) % (g.settings.delay + 1);
      /* After a fault nothing is executed. */
      if (!g.fault) {
        lock.unlock ();
        if (delay)
          pause (delay);
        lock.lock ();
        auto next = find_next (*s, *o);
        lock.unlock ();
        o->started = true;
        if (next) {
          next->started = true;
          if (vh_double_grid_begin (next->ahead.get ()))
            g.overlaps++;
        }
        acquire (&s->tsan_in[o->seq % sizeof s->tsan_in]);
        for (auto & d : o->after)
          acquire (&d.stream->tsan_out[d.seq % sizeof s->tsan_out]);
        if (o->run)
          o->run ();
        release (&s->tsan_out[o->seq % sizeof s->tsan_out]);
        lock.lock ();
      } else if (o->ahead) {
        lock.unlock ();
        vh_double_grid_drop (o->ahead.get ());
        lock.lock ();
      }
      if (o->frees && g.memories.count (o->frees->base))
        memory_release (o->frees);
      s->queue.pop_front ();
      s->completed = o->seq;
      g.done.notify_all ();
    }
    forget_stream (s);
  }

  std::shared_ptr<Stream>
  stream_new (const std::shared_ptr<Context> &context, unsigned flags)
  {
    static uint64_t last_id;
    auto s = make<Stream> (VH_DOUBLE_STREAM, 's');
    sigset_t all, old;

    s->context = context;
    s->flags = flags;
    s->destroyed = s->is_null = s->hanging = s->ended = false;
    s->id = ++last_id;
    s->submitted = s->completed = s->seen = 0;
    s->random = (g.settings.seed + s->handle) * 0x9e3779b97f4a7c15 | 1;
    g.running.push_back (s);
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &old);
    std::thread (stream_main, s).detach ();
    pthread_sigmask (SIG_SETMASK, &old, NULL);
    return s;
  }

  void
  stream_end (const std::shared_ptr<Stream> &s)
  {
    s->destroyed = true;
    s->work.notify_one ();
  }

  bool
  blocks (const Stream & s)
  {
    return !s.is_null && !(s.flags & CU_STREAM_NON_BLOCKING);
  }
}

void
vh::tsan_read (const void *p, size_t n)
{
  if (sanitizer_read)
    sanitizer_read ((void *) p, n);
}

void
vh::tsan_write (void *p, size_t n)
{
  if (sanitizer_write)
    sanitizer_write (p, n);
}

std::shared_ptr<Stream>
vh::null_stream (const std::shared_ptr<Context> &context)
{
  if (!context->null_stream) {
    context->null_stream = stream_new (context, 0);
    context->null_stream->is_null = true;
  }
  return context->null_stream;
}

/* Returns a handle's stream for work in the current context; otherwise NULL,
 * with call.result set. */
std::shared_ptr<Stream>
vh::stream_of (Call & call, CUstream handle)
{
  if (handle == NULL || handle == CU_STREAM_LEGACY
      || handle == CU_STREAM_PER_THREAD)
    return null_stream (call.context);

  auto s = find (call, g.streams, handle, "stream");

  if (!s) {
    call (CUDA_ERROR_INVALID_HANDLE);
  } else if (s->context != call.context) {
    violation ("%s: stream %p is of another context", call.name,
        (void *) handle);
    call (CUDA_ERROR_INVALID_HANDLE);
    s = nullptr;
  }
  return s;
}

bool
vh::is_after (const Stream & s, const Dependency & d)
{
  if (d.stream.get () == &s || d.stream->ended || d.stream->seen >= d.seq)
    return true;
  if (!s.clock)
    return false;
  auto entry = s.clock->find (d.stream->id);

  return entry != s.clock->end () && entry->second >= d.seq;
}

uint64_t
vh::submit (Call & call, const std::shared_ptr<Stream> &s, const Work & work)
{
  auto o = std::make_shared<Operation> ();

  if (s->capture) {
    s->capture->operations.push_back (work);
    return s->submitted;
  }
  static_cast<Work &> (*o) = work;
  o->name = call.name;
  o->seq = ++s->submitted;
  o->started = false;
  for (auto & other : g.running) {
    if (other == s || other->context != s->context
        || !((s->is_null && blocks (*other)) || (other->is_null
                && blocks (*s))))
      continue;
    if (!other->idle ())
      o->after.push_back ({other, other->submitted});
    come_after (*s, {other, other->submitted}, other->clock);
  }
  for (auto & m : work.uses)
    memory_use (call, s, o->seq, m);
  release (&s->tsan_in[o->seq % sizeof s->tsan_in]);
  s->queue.push_back (o);
  s->work.notify_one ();
  return o->seq;
}

/* Waits for @d. @clock is what precedes it. */
static CUresult
wait_for (Call & call, const Dependency & d,
    const std::shared_ptr<const Clock> clock)
{
  const CUresult r = call.wait ([&] { return reached (d); });

  if (r == CUDA_SUCCESS) {
    acquire (&d.stream->tsan_out[d.seq % sizeof d.stream->tsan_out]);
    host_saw (d, clock);
  }
  return r;
}

CUresult
Call::wait_for (const std::shared_ptr<Stream> &s)
{
  return ::wait_for (*this, {s, s->submitted}, s->clock);
}

CUresult
Call::wait_for (const std::shared_ptr<Event> &e)
{
  return ::wait_for (*this, {e->stream, e->seq}, e->clock);
}

CUresult
Call::wait_for (const std::shared_ptr<Context> &context)
{
  std::vector<Dependency> all;
  CUresult r;

  for (auto & s : g.running) {
    if (s->context == context)
      all.push_back ({s, s->submitted});
  }
  r = wait ([&] { return std::all_of (all.begin (), all.end (), reached); });
  for (auto & d : all) {
    if (r == CUDA_SUCCESS)
      host_saw (d, nullptr);
  }
  return r;
}

bool
vh::context_idle (const std::shared_ptr<Context> &context)
{
  for (auto & s : g.running) {
    if (s->context == context && !s->idle ())
      return false;
  }
  return true;
}

/* Ends the streams of a destroyed context. */
void
vh::context_streams_end (const std::shared_ptr<Context> &context)
{
  for (auto & s : g.running) {
    if (s->context == context) {
      if (!s->destroyed && g.streams.erase (s->handle))
        old_handle (s->handle);
      stream_end (s);
    }
  }
  context->null_stream = nullptr;
}

unsigned
vh::pending ()
{
  unsigned n = 0;

  for (auto & s : g.running)
    n += s->submitted - s->completed;
  return n;
}

/* API */

static CUresult
create (vh::Call & call, CUstream * handle, unsigned flags)
{
  if (!handle || (flags & ~(unsigned) CU_STREAM_NON_BLOCKING))
    return call (CUDA_ERROR_INVALID_VALUE);
  auto s = stream_new (call.context, flags);
  g.streams[s->handle] = s;
  *handle = (CUstream) s->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuStreamCreate (CUstream * stream, unsigned int flags)
{
  CALL (vh::Call::CONTEXT);

  return create (call, stream, flags);
}

API CUresult
cuStreamCreateWithPriority (CUstream * stream, unsigned int flags, int)
{
  CALL (vh::Call::CONTEXT);

  return create (call, stream, flags);
}

API CUresult
cuCtxGetStreamPriorityRange (int *least, int *greatest)
{
  CALL (vh::Call::CONTEXT);

  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}

/* A stream with work left ends when that is done. */
static CUresult
destroy (vh::Call & call, CUstream handle)
{
  auto s = find (call, g.streams, handle, "stream");

  if (!s)
    return call (CUDA_ERROR_INVALID_HANDLE);
  g.streams.erase (s->handle);
  old_handle (s->handle);
  stream_end (s);
  return CUDA_SUCCESS;
}

API CUresult
cuStreamDestroy_v2 (CUstream stream)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy (call, stream);
}

/* The name of CUDA 3, which libgstcuda 1.22 asks for. */
#undef cuStreamDestroy
API CUresult
cuStreamDestroy (CUstream stream)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy (call, stream);
}

API CUresult
cuStreamSynchronize (CUstream handle)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call.result;
  return call (call.wait_for (s));
}

API CUresult
cuStreamQuery (CUstream handle)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call.result;
  if (!s->idle ())
    return call (CUDA_ERROR_NOT_READY);
  acquire (&s->tsan_out[s->completed % sizeof s->tsan_out]);
  host_saw ({s, s->completed}, s->clock);
  return CUDA_SUCCESS;
}

API CUresult
cuStreamGetFlags (CUstream handle, unsigned int *flags)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call.result;
  *flags = s->flags;
  return CUDA_SUCCESS;
}

API CUresult
cuStreamGetCtx (CUstream handle, CUcontext * context)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);

  if (!s)
    return call.result;
  *context = (CUcontext) s->context->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuStreamWaitEvent (CUstream handle, CUevent event, unsigned int)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);
  auto e = find (call, g.events, event, "event");

  if (!s || !e)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!e->stream)
    return CUDA_SUCCESS;
  submit (call, s, {});
  s->queue.back ()->after.push_back ({e->stream, e->seq});
  come_after (*s, {e->stream, e->seq}, e->clock);
  return CUDA_SUCCESS;
}

API CUresult
cuEventCreate (CUevent * event, unsigned int flags)
{
  CALL (vh::Call::CONTEXT);

  if (!event || flags > 7 || (flags & 6) == CU_EVENT_INTERPROCESS)
    return call (CUDA_ERROR_INVALID_VALUE);
  auto e = make<Event> (VH_DOUBLE_EVENT, 'e');
  e->context = call.context;
  e->flags = flags;
  g.events[e->handle] = e;
  *event = (CUevent) e->handle;
  return CUDA_SUCCESS;
}

static CUresult
destroy_event (vh::Call & call, CUevent event)
{
  auto e = find (call, g.events, event, "event");

  if (!e)
    return call (CUDA_ERROR_INVALID_HANDLE);
  g.events.erase (e->handle);
  old_handle (e->handle);
  return CUDA_SUCCESS;
}

API CUresult
cuEventDestroy_v2 (CUevent event)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy_event (call, event);
}

/* The name of CUDA 3, which libgstcuda 1.24 asks for. */
#undef cuEventDestroy
API CUresult
cuEventDestroy (CUevent event)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return destroy_event (call, event);
}

API CUresult
cuEventRecord (CUevent event, CUstream handle)
{
  CALL (vh::Call::CONTEXT);
  auto s = stream_of (call, handle);
  auto e = find (call, g.events, event, "event");

  if (!s || !e)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (e->context != s->context) {
    violation ("%s: event and stream are of different contexts", call.name);
    return call (CUDA_ERROR_INVALID_HANDLE);
  }
  auto time = std::make_shared<double> (0);
  e->stream = s;
  e->time = time;
  e->seq = submit (call, s, {{}, [time] {
        struct timespec now;

        clock_gettime (CLOCK_MONOTONIC, &now);
        *time = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
      }});
  e->clock = s->clock;
  return CUDA_SUCCESS;
}

API CUresult
cuEventQuery (CUevent event)
{
  CALL (vh::Call::CONTEXT);
  auto e = find (call, g.events, event, "event");

  if (!e)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!e->stream)
    return CUDA_SUCCESS;
  if (e->stream->completed < e->seq)
    return call (CUDA_ERROR_NOT_READY);
  acquire (&e->stream->tsan_out[e->seq % sizeof e->stream->tsan_out]);
  host_saw ({e->stream, e->seq}, e->clock);
  return CUDA_SUCCESS;
}

API CUresult
cuEventSynchronize (CUevent event)
{
  CALL (vh::Call::CONTEXT);
  auto e = find (call, g.events, event, "event");

  if (!e)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!e->stream)
    return CUDA_SUCCESS;
  return call (call.wait_for (e));
}

static CUresult
elapsed (vh::Call & call, float *ms, CUevent start, CUevent end)
{
  auto a = find (call, g.events, start, "event");
  auto b = find (call, g.events, end, "event");

  if (!a || !b || !a->stream || !b->stream
      || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (a->stream->completed < a->seq || b->stream->completed < b->seq)
    return call (CUDA_ERROR_NOT_READY);
  *ms = *b->time - *a->time;
  return CUDA_SUCCESS;
}

API CUresult
cuEventElapsedTime_v2 (float *ms, CUevent start, CUevent end)
{
  CALL (vh::Call::CONTEXT);

  return elapsed (call, ms, start, end);
}

#undef cuEventElapsedTime
API CUresult
cuEventElapsedTime (float *ms, CUevent start, CUevent end)
{
  CALL (vh::Call::CONTEXT);

  return elapsed (call, ms, start, end);
}

API CUresult
cuCtxSynchronize (void)
{
  CALL (vh::Call::CONTEXT);

  return call (call.wait_for (call.context));
}
