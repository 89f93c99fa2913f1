/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory and pinned host memory.
 *
 * Device memory is one file mapped twice. Nothing is accessible at the
 * addresses that callers see, so that a host that dereferences a device pointer
 * crashes; the double copies through the second mapping. While a kernel uses an
 * allocation, that is also accessible at its address, because the kernel runs
 * on the CPU; other allocations stay inaccessible.
 *
 * An allocation ends 0 to 511 bytes before an unmapped page. Freed addresses
 * are reused only after all others. */
#include "core.h"

#include <algorithm>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace vh;

extern "C"
{
  void __asan_poison_memory_region (const volatile void *, size_t)
      __attribute__ ((weak));
  void __asan_unpoison_memory_region (const volatile void *, size_t)
      __attribute__ ((weak));
}

namespace
{
  const size_t PAGE = 4096;
  const size_t ALIGNMENT = 512; /* a driver's alignment; callers must not rely
                                 * on that of pages */
  const unsigned char FRESH = 0xa5, GUARD = 0xfd;
  const size_t N_FREED = 4096;

  struct Arena
  {
    unsigned char *va = NULL, *shadow = NULL;
    size_t bytes = 0, cursor = 0;       /* cursor: page to search from */
    std::map<size_t, size_t> used;      /* first page -> pages, guard
                                         * included */
    /* Per page: read by kernels without the lock. */
    std::atomic<Memory *> *owner = NULL;
    int file = -1;
    size_t live = 0;

    bool has (uint64_t p) const { return va && p - (uint64_t) va < bytes; }
  };

  Arena &device = *new Arena, &pinned = *new Arena;

  /* A kernel that uses memory being freed may still look at its entry. */
  std::deque<MemoryRef> &freed = *new std::deque<MemoryRef>;
  std::mutex &open_lock = *new std::mutex;
  std::vector<MemoryRef> &opened = *new std::vector<MemoryRef>;

  void
  check_mapped (const void *p)
  {
    if (p == MAP_FAILED) {
      perror ("double: mmap");
      abort ();
    }
  }

  void
  arena_init (Arena * a, size_t bytes, bool is_device)
  {
    const int flags = MAP_NORESERVE;

    a->bytes = bytes;
    if (is_device) {
      a->file = memfd_create ("double", MFD_CLOEXEC);
      if (a->file < 0 || ftruncate (a->file, bytes) < 0) {
        perror ("double: memfd");
        abort ();
      }
      a->va = (unsigned char *) mmap (NULL, bytes, PROT_NONE,
          MAP_SHARED | flags, a->file, 0);
      a->shadow = (unsigned char *) mmap (NULL, bytes, PROT_READ | PROT_WRITE,
          MAP_SHARED | flags, a->file, 0);
      check_mapped (a->shadow);
      madvise (a->shadow, bytes, MADV_DONTDUMP);
    } else {
      a->va = a->shadow = (unsigned char *) mmap (NULL, bytes, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    }
    check_mapped (a->va);
    a->owner = (std::atomic<Memory *> *) mmap (NULL,
        bytes / PAGE * sizeof *a->owner, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    check_mapped (a->owner);
  }

  void
  init ()
  {
    if (!device.va) {
      /* Four times the allowed amount, to find freed memory in use. */
      const size_t bytes = (size_t) g.settings.memory_mib << 20;

      arena_init (&device, 4 * bytes + (64 << 20), true);
      arena_init (&pinned, 4 * bytes + (64 << 20), false);
    }
  }

  /* First of @n free pages at or after @from; -1 if there are none. */
  ssize_t
  find_gap (const Arena * a, size_t from, size_t n)
  {
    const size_t all = a->bytes / PAGE;
    auto next = a->used.upper_bound (from);

    if (next != a->used.begin ()) {
      auto before = std::prev (next);

      from = std::max (from, before->first + before->second);
    }
    for (; next != a->used.end (); ++next) {
      if (next->first - from >= n)
        return from;
      from = next->first + next->second;
    }
    return all - from >= n && from <= all ? (ssize_t) from : -1;
  }

  Arena *
  arena_of (uint64_t address)
  {
    return device.has (address) ? &device : pinned.has (address) ? &pinned :
        NULL;
  }

  unsigned char *
  shadow_of (const Arena * a, uint64_t address)
  {
    return a->shadow + (address - (uint64_t) a->va);
  }

  void
  poison (const Arena * a, uint64_t begin, uint64_t end)
  {
    if (a == &pinned && __asan_poison_memory_region && end > begin)
      __asan_poison_memory_region ((void *) begin, end - begin);
  }

  /* Counts changed bytes in the pages of @m before and after it. */
  size_t
  count_damage (const Arena * a, const Memory & m)
  {
    const uint64_t first = (uint64_t) a->va + m.first_page * PAGE;
    const uint64_t last = first + (m.n_pages - 1) * PAGE;
    size_t n = 0;

    if (a == &pinned && __asan_unpoison_memory_region)
      __asan_unpoison_memory_region ((void *) first, last - first);
    for (uint64_t p = first; p < last; p++) {
      if (p == m.base)
        p += m.size;
      if (p < last)
        n += *shadow_of (a, p) != GUARD;
    }
    return n;
  }
}

MemoryRef
vh::memory_allocate (size_t size, bool is_pinned)
{
  Arena *a = is_pinned ? &pinned : &device;
  const size_t padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  /* Includes the guard before it and the page after it. */
  const size_t n = (padded + ALIGNMENT + PAGE - 1) / PAGE + 1;
  ssize_t page;

  init ();
  if (a->live + padded > (size_t) g.settings.memory_mib << 20)
    return nullptr;
  page = find_gap (a, a->cursor, n);
  if (page < 0)
    page = find_gap (a, 0, n);
  if (page < 0)
    return nullptr;

  auto m = make<Memory> (is_pinned ? VH_DOUBLE_PINNED_MEMORY :
      VH_DOUBLE_DEVICE_MEMORY, 'm');
  const uint64_t first = (uint64_t) a->va + page * PAGE;
  const uint64_t last = first + (n - 1) * PAGE;

  m->open = 0;
  m->doomed = m->touched = m->freed = false;
  m->base = last - padded;
  m->size = size;
  m->first_page = page;
  m->n_pages = n;
  m->handle = m->base;
  a->used[page] = n;
  a->cursor = page + n;
  a->live += padded;
  if (is_pinned && mprotect ((void *) first, last - first,
          PROT_READ | PROT_WRITE) < 0) {
    perror ("double: mprotect");
    abort ();
  }
  memset (shadow_of (a, first), GUARD, m->base - first);
  memset (shadow_of (a, m->base), FRESH, size);
  memset (shadow_of (a, m->base + size), GUARD, padded - size);
  poison (a, first, m->base);
  poison (a, m->base + size, last);
  for (size_t i = 0; i + 1 < n; i++)
    a->owner[page + i] = m.get ();
  g.memories[m->base] = m;
  return m;
}

void
vh::memory_release (const MemoryRef & m)
{
  Arena *a = arena_of (m->base);
  const uint64_t first = (uint64_t) a->va + m->first_page * PAGE;
  const size_t bytes = (m->n_pages - 1) * PAGE;
  const size_t damage = count_damage (a, *m);

  if (damage)
    violation ("%zu bytes before or after memory %#zx of %zu bytes were "
        "written", damage, (size_t) m->base, m->size);
  for (size_t i = 0; i + 1 < m->n_pages; i++)
    a->owner[m->first_page + i] = NULL;
  if (a == &device) {
    fallocate (a->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
        first - (uint64_t) a->va, bytes);
  } else {
    madvise ((void *) first, bytes, MADV_DONTNEED);
    mprotect ((void *) first, bytes, PROT_NONE);
  }
  a->used.erase (m->first_page);
  a->live -= (m->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  m->used.clear ();
  m->allocated.stream = nullptr;
  freed.push_back (m);
  if (freed.size () > N_FREED)
    freed.pop_front ();
  vh_double_memory_epoch++;
  g.memories.erase (m->base);
}

bool
vh::is_device_address (uint64_t address)
{
  return device.has (address);
}

MemoryRef
vh::memory_at (uint64_t address)
{
  auto after = g.memories.upper_bound (address);

  if (after == g.memories.begin ())
    return nullptr;
  const MemoryRef &m = std::prev (after)->second;

  return address - m->base < std::max (m->size, (size_t) 1) ? m : nullptr;
}

/* Describes what is wrong with an access to @address. */
static std::string
describe (uint64_t address)
{
  char text[200];
  auto after = g.memories.upper_bound (address);

  if (after != g.memories.begin ()) {
    const Memory &m = *std::prev (after)->second;

    if (address - m.base < m.size + ALIGNMENT) {
      snprintf (text, sizeof text, "at byte %zd of memory of %zu bytes",
          (ssize_t) (address - m.base), m.size);
      return text;
    }
  }
  if (after != g.memories.end ()
      && after->second->base - address <= ALIGNMENT) {
    snprintf (text, sizeof text, "%zu bytes before memory of %zu bytes",
        (size_t) (after->second->base - address), after->second->size);
    return text;
  }
  for (auto r = freed.rbegin (); r != freed.rend (); ++r) {
    const Memory &m = **r;

    if (address - m.base < m.size) {
      snprintf (text, sizeof text, "at byte %zu of memory of %zu bytes that "
          "has been freed", (size_t) (address - m.base), m.size);
      return text;
    }
  }
  return arena_of (address) ? "where nothing is allocated" :
      "not the device's to touch";
}

unsigned char *
vh::memory_access (Call & call, uint64_t address, uint64_t size,
    MemoryRef * memory)
{
  MemoryRef m = memory_at (address);

  if (!m || size > m->size - (address - m->base)) {
    violation ("%s: %zu bytes at %#zx, %s", call.name, (size_t) size,
        (size_t) address, describe (address).c_str ());
    return NULL;
  }
  *memory = m;
  return shadow_of (arena_of (address), address);
}

const unsigned char *
vh::memory_peek (uint64_t address, size_t size)
{
  MemoryRef m = memory_at (address);

  if (!m || size > m->size - (address - m->base))
    return NULL;
  return shadow_of (arena_of (address), address);
}

void
vh::memory_use (Call & call, const std::shared_ptr<Stream> &s, uint64_t seq,
    const MemoryRef & m)
{
  std::vector<Dependency> &used = m->used;

  if (m->kind != VH_DOUBLE_DEVICE_MEMORY)
    return;
  if (m->freed)
    violation ("%s: uses %#zx after cuMemFreeAsync", call.name,
        (size_t) m->base);
  else if (m->allocated.stream && !is_after (*s, m->allocated))
    violation ("%s: uses %#zx, but does not come after its allocation on "
        "another stream", call.name, (size_t) m->base);
  used.erase (std::remove_if (used.begin (), used.end (),
          [&] (const Dependency & d) {
            return d.stream == s || d.stream->ended || d.stream->seen >= d.seq;
          }), used.end ());
  used.push_back ({s, seq});
}

size_t
vh::memory_used ()
{
  return device.live;
}

/* For kernels. Pinned memory is accessible in all contexts. */

static bool
is_foreign (const Memory & m, const void *context)
{
  return m.kind == VH_DOUBLE_DEVICE_MEMORY && m.context.get () != context;
}

std::atomic<unsigned> vh_double_memory_epoch;

bool
vh_double_memory_open (uintptr_t address, const void *context, unsigned slot,
    VhDoubleRange * range)
{
  Arena *a = arena_of (address);
  Memory *m = a ? a->owner[(address - (uint64_t) a->va) / PAGE].load () : NULL;

  if (!m || address - m->base >= m->size || is_foreign (*m, context))
    return false;
  if (m->doomed)
    m->touched = true;
  if (a == &device && !(m->open & 1u << slot)) {
    std::lock_guard<std::mutex> lock (open_lock);

    if (!m->open) {
      mprotect (a->va + m->first_page * PAGE, (m->n_pages - 1) * PAGE,
          PROT_READ | PROT_WRITE);
      opened.push_back (m->shared_from_this ());
    }
    m->open |= 1u << slot;
  }
  *range = {m->base, m->size};
  return true;
}

void
vh_double_memory_describe (uintptr_t address, const void *context, char *text,
    size_t size)
{
  Lock lock (g.mutex);
  const MemoryRef m = memory_at (address);

  snprintf (text, size, "%s%s", describe (address).c_str (),
      m && is_foreign (*m, context) ? " of another context" : "");
}

void
vh_double_memory_close (unsigned slot)
{
  std::lock_guard<std::mutex> lock (open_lock);
  size_t n = 0;

  for (size_t i = 0; i < opened.size (); i++) {
    Memory &m = *opened[i];

    m.open &= ~(1u << slot);
    if (m.open)
      opened[n++] = opened[i];
    else
      mprotect (device.va + m.first_page * PAGE, (m.n_pages - 1) * PAGE,
          PROT_NONE);
  }
  opened.resize (n);
}

/* API */

static CUresult
allocate (vh::Call & call, uint64_t * base, size_t size, bool is_pinned,
    unsigned flags)
{
  if (!base || size == 0)
    return call (CUDA_ERROR_INVALID_VALUE);
  MemoryRef m = memory_allocate (size, is_pinned);
  if (!m)
    return call (CUDA_ERROR_OUT_OF_MEMORY);
  m->context = call.context;
  m->flags = flags;
  *base = m->base;
  return CUDA_SUCCESS;
}

API CUresult
cuMemAlloc_v2 (CUdeviceptr * memory, size_t size)
{
  CALL (vh::Call::CONTEXT);
  uint64_t base;

  if (!memory || allocate (call, &base, size, false, 0))
    return call.result ? call.result : call (CUDA_ERROR_INVALID_VALUE);
  *memory = base;
  return CUDA_SUCCESS;
}

API CUresult
cuMemAllocPitch_v2 (CUdeviceptr * memory, size_t * pitch, size_t width,
    size_t height, unsigned int element)
{
  CALL (vh::Call::CONTEXT);
  uint64_t base;

  if (!memory || !pitch || width == 0 || height == 0
      || (element != 4 && element != 8 && element != 16))
    return call (CUDA_ERROR_INVALID_VALUE);
  *pitch = (width + 511) / 512 * 512;
  if (allocate (call, &base, *pitch * height, false, 0))
    return call.result;
  *memory = base;
  return CUDA_SUCCESS;
}

static CUresult
allocate_host (vh::Call & call, void **memory, size_t size, unsigned flags)
{
  uint64_t base;

  if (!memory || allocate (call, &base, size, true, flags))
    return call.result ? call.result : call (CUDA_ERROR_INVALID_VALUE);
  *memory = (void *) base;
  return CUDA_SUCCESS;
}

API CUresult
cuMemHostAlloc (void **memory, size_t size, unsigned int flags)
{
  CALL (vh::Call::CONTEXT);

  return allocate_host (call, memory, size, flags);
}

API CUresult
cuMemAllocHost_v2 (void **memory, size_t size)
{
  CALL (vh::Call::CONTEXT);

  return allocate_host (call, memory, size, 0);
}

/* Returns the memory to be freed; otherwise NULL, with call.result set. */
static MemoryRef
find_memory (vh::Call & call, uint64_t address, VhDoubleKind kind)
{
  auto found = g.memories.find (address);

  if (address && (found == g.memories.end () || found->second->kind != kind))
    violation ("%s: %#zx, %s", call.name, (size_t) address,
        describe (address).c_str ());
  else if (address && found->second->freed)
    violation ("%s: %#zx, after cuMemFreeAsync", call.name, (size_t) address);
  else if (address)
    return found->second;
  call (CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

/* A driver waits for the whole device here, so freed memory is never seen; a
 * caller that relies on that stalls every stream. The results of a running
 * kernel may have told its caller that it is done with the memory, so only its
 * later accesses count. GStreamer frees memory after cuMemcpy2D, which returns
 * while a copy within the device still runs. For stream-ordered memory the
 * driver assumes that nothing uses it any more, and does not wait. */
static CUresult
release (vh::Call & call, uint64_t address, VhDoubleKind kind)
{
  MemoryRef m = find_memory (call, address, kind);

  if (!m)
    return call.result;
  const bool waits = !m->allocated.stream;

  for (auto & s : g.running) {
    for (auto & o : s->queue) {
      if (std::find (o->uses.begin (), o->uses.end (), m) == o->uses.end ())
        continue;
      if (waits && o->kernel && o->started)
        m->doomed = true;
      else if (!waits || !o->blocking)
        violation ("%s: %#zx is in use by %s", call.name, (size_t) address,
            o->name);
    }
  }
  vh_double_memory_epoch++;
  if (waits && call (call.wait_for (m->context)))
    return call.result;
  if (m->touched)
    violation ("%s: a kernel used %#zx after that", call.name,
        (size_t) address);
  if (g.memories.count (address))
    memory_release (m);
  return CUDA_SUCCESS;
}

API CUresult
cuMemFree_v2 (CUdeviceptr memory)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return release (call, memory, VH_DOUBLE_DEVICE_MEMORY);
}

API CUresult
cuMemFreeHost (void *memory)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);

  return release (call, (uint64_t) memory, VH_DOUBLE_PINNED_MEMORY);
}

/* Stream-ordered allocation from the device's default pool */

/* Returns the stream of @handle if it can allocate; otherwise NULL, with
 * call.result set. */
static std::shared_ptr<Stream>
allocating_stream (vh::Call & call, CUstream handle)
{
  auto s = stream_of (call, handle);

  if (!g.settings.pools)
    call (CUDA_ERROR_NOT_SUPPORTED);
  else if (s && s->capture)
    call (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  else
    return s;
  return nullptr;
}

/* The address is known at once; using it must follow the stream's order. */
API CUresult
cuMemAllocAsync (CUdeviceptr * memory, size_t size, CUstream handle)
{
  CALL (vh::Call::CONTEXT);
  auto s = allocating_stream (call, handle);
  uint64_t base;

  if (!s)
    return call.result;
  if (!memory || allocate (call, &base, size, false, 0))
    return call.result ? call.result : call (CUDA_ERROR_INVALID_VALUE);
  g.memories[base]->allocated = {s, submit (call, s, {})};
  *memory = base;
  return CUDA_SUCCESS;
}

/* Uses of the memory must come before the free in stream order. */
API CUresult
cuMemFreeAsync (CUdeviceptr memory, CUstream handle)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);
  auto s = allocating_stream (call, handle);
  MemoryRef m = s ? find_memory (call, memory, VH_DOUBLE_DEVICE_MEMORY) :
      nullptr;
  Work work;

  if (!m)
    return call.result;
  if (m->context != call.context) {
    violation ("%s: %#zx is of another context", call.name, (size_t) memory);
    return call (CUDA_ERROR_INVALID_VALUE);
  }
  if (m->allocated.stream && !is_after (*s, m->allocated))
    violation ("%s: %#zx, but does not come after its allocation on another "
        "stream", call.name, (size_t) memory);
  for (auto & d : m->used) {
    if (!is_after (*s, d)) {
      violation ("%s: %#zx is in use by another stream", call.name,
          (size_t) memory);
      break;
    }
  }
  m->freed = true;
  work.frees = m;
  submit (call, s, work);
  return CUDA_SUCCESS;
}

API CUresult
cuMemHostGetDevicePointer_v2 (CUdeviceptr * device, void *host, unsigned)
{
  CALL (vh::Call::CONTEXT);
  MemoryRef m = memory_at ((uint64_t) host);

  if (!device || !m || m->kind != VH_DOUBLE_PINNED_MEMORY)
    return call (CUDA_ERROR_INVALID_VALUE);
  *device = (uint64_t) host;
  return CUDA_SUCCESS;
}

API CUresult
cuMemHostGetFlags (unsigned int *flags, void *host)
{
  CALL (vh::Call::CONTEXT);
  MemoryRef m = memory_at ((uint64_t) host);

  if (!flags || !m || m->kind != VH_DOUBLE_PINNED_MEMORY)
    return call (CUDA_ERROR_INVALID_VALUE);
  *flags = m->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

API CUresult
cuMemGetInfo_v2 (size_t * unused, size_t * total)
{
  CALL (vh::Call::CONTEXT);

  *total = (size_t) g.settings.memory_mib << 20;
  *unused = *total - device.live;
  return CUDA_SUCCESS;
}

API CUresult
cuMemGetAddressRange_v2 (CUdeviceptr * base, size_t * size, CUdeviceptr p)
{
  CALL (vh::Call::CONTEXT);
  MemoryRef m = memory_at (p);

  if (!m)
    return call (CUDA_ERROR_NOT_FOUND);
  if (base)
    *base = m->base;
  if (size)
    *size = m->size;
  return CUDA_SUCCESS;
}

static CUresult
get_attribute (void *data, CUpointer_attribute attribute, const MemoryRef & m,
    CUdeviceptr p)
{
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *(CUcontext *) data = (CUcontext) m->context->handle;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(CUmemorytype *) data = m->kind == VH_DOUBLE_PINNED_MEMORY ?
          CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *(CUdeviceptr *) data = p;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (m->kind != VH_DOUBLE_PINNED_MEMORY)
        return CUDA_ERROR_INVALID_VALUE;
      *(void **) data = (void *) p;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *(bool *) data = false;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *(int *) data = m->context->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *(CUdeviceptr *) data = m->base;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *(size_t *) data = m->size;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

API CUresult
cuPointerGetAttribute (void *data, CUpointer_attribute attribute, CUdeviceptr p)
{
  CALL (vh::Call::INIT);
  MemoryRef m = memory_at (p);

  if (!data || !m)
    return call (CUDA_ERROR_INVALID_VALUE);
  return call (get_attribute (data, attribute, m, p));
}

/* Sets */

static CUresult
fill (vh::Call & call, CUdeviceptr p, size_t pitch, const void *pattern,
    size_t element, size_t width, size_t height, CUstream handle)
{
  auto stream = stream_of (call, handle);
  uint32_t value = 0;
  unsigned char *to;
  MemoryRef m;

  if (!stream)
    return call.result;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  if (height > 1 && pitch < width * element)
    return call (CUDA_ERROR_INVALID_VALUE);
  to = memory_access (call, p, pitch * (height - 1) + width * element, &m);
  if (!to)
    return call (CUDA_ERROR_INVALID_VALUE);
  memcpy (&value, pattern, element);
  submit (call, stream, {{m}, [=] {
        for (size_t y = 0; y < height; y++) {
          for (size_t x = 0; x < width; x++)
            memcpy (to + y * pitch + x * element, &value, element);
        }
      }});
  return CUDA_SUCCESS;
}

API CUresult
cuMemsetD8Async (CUdeviceptr p, unsigned char value, size_t n, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 1, n, 1, stream);
}

API CUresult
cuMemsetD16Async (CUdeviceptr p, unsigned short value, size_t n, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 2, n, 1, stream);
}

API CUresult
cuMemsetD32Async (CUdeviceptr p, unsigned int value, size_t n, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 4, n, 1, stream);
}

API CUresult
cuMemsetD2D8Async (CUdeviceptr p, size_t pitch, unsigned char value,
    size_t width, size_t height, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, pitch, &value, 1, width, height, stream);
}

/* Asynchronous to the host, as in a driver. */
API CUresult
cuMemsetD8_v2 (CUdeviceptr p, unsigned char value, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 1, n, 1, NULL);
}

API CUresult
cuMemsetD16_v2 (CUdeviceptr p, unsigned short value, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 2, n, 1, NULL);
}

API CUresult
cuMemsetD32_v2 (CUdeviceptr p, unsigned int value, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return fill (call, p, 0, &value, 4, n, 1, NULL);
}

/* Copies */

namespace
{
  struct Side
  {
    unsigned char *at;
    size_t pitch;
    MemoryRef memory;           /* none: pageable host memory */
    bool host;                  /* pinned or pageable */
  };

  struct Copy
  {
    Side from, to;
    size_t width, height;

    void
    run () const
    {
      for (size_t y = 0; y < height; y++) {
        const unsigned char *s = from.at + y * from.pitch;
        unsigned char *d = to.at + y * to.pitch;

        if (from.host)
          tsan_read (s, width);
        if (to.host)
          tsan_write (d, width);
        memmove (d, s, width);
      }
    }
  };

  enum Space { HOST, DEVICE, ANY };

  CUresult
  get_side (vh::Call & call, Side * side, Space space, uint64_t address,
      size_t pitch, size_t width, size_t height)
  {
    size_t size, rows;

    if (height > 1 && pitch < width)
      return call (CUDA_ERROR_INVALID_VALUE);
    if (__builtin_mul_overflow (pitch, height - 1, &rows)
        || __builtin_add_overflow (rows, width, &size))
      return call (CUDA_ERROR_INVALID_VALUE);
    *side = {(unsigned char *) address, pitch, nullptr, true};
    if (space == HOST && is_device_address (address)) {
      violation ("%s: %#zx is no address of the host", call.name,
          (size_t) address);
      return call (CUDA_ERROR_INVALID_VALUE);
    }
    if (space == DEVICE || arena_of (address)) {
      side->at = memory_access (call, address, size, &side->memory);
      if (!side->at)
        return call (CUDA_ERROR_INVALID_VALUE);
      side->host = side->memory->kind == VH_DOUBLE_PINNED_MEMORY;
    } else if (!address) {
      return call (CUDA_ERROR_INVALID_VALUE);
    }
    return CUDA_SUCCESS;
  }

  /* As in a driver, pageable memory is read before the call returns, and
   * written before it returns. */
  CUresult
  copy_submit (vh::Call & call, Copy copy, CUstream handle, bool asynchronous)
  {
    auto stream = stream_of (call, handle);
    std::vector<MemoryRef> uses;
    std::shared_ptr<std::vector<unsigned char>> staging;

    if (!stream)
      return call.result;
    for (const Side * side : {&copy.from, &copy.to}) {
      if (side->memory)
        uses.push_back (side->memory);
    }
    if (!copy.from.memory) {
      staging = std::make_shared<std::vector<unsigned char>> (copy.width *
          copy.height);
      const Side to = {staging->data (), copy.width, nullptr, false};

      Copy {copy.from, to, copy.width, copy.height}.run ();
      copy.from = to;
    }
    vh::Work work (uses, [copy, staging] { copy.run (); });

    work.blocking = !asynchronous;
    submit (call, stream, work);
    if (!copy.to.memory || (!asynchronous && (copy.from.host || copy.to.host
                || staging)))
      return call (call.wait_for (stream));
    return CUDA_SUCCESS;
  }

  CUresult
  copy_linear (vh::Call & call, uint64_t to, Space to_space, uint64_t from,
      Space from_space, size_t n, CUstream stream, bool asynchronous)
  {
    Copy copy = {{}, {}, n, 1};

    if (n == 0)
      return CUDA_SUCCESS;
    if (get_side (call, &copy.to, to_space, to, n, n, 1)
        || get_side (call, &copy.from, from_space, from, n, n, 1))
      return call.result;
    return copy_submit (call, copy, stream, asynchronous);
  }

  CUresult
  copy_2d (vh::Call & call, const CUDA_MEMCPY2D * c, CUstream stream,
      bool asynchronous)
  {
    Copy copy = {{}, {}, c->WidthInBytes, c->Height};
    const bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST;
    const bool to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    const uint64_t from = from_host ? (uint64_t) c->srcHost : c->srcDevice;
    const uint64_t to = to_host ? (uint64_t) c->dstHost : c->dstDevice;
    const size_t from_pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes +
        c->srcXInBytes;
    const size_t to_pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes +
        c->dstXInBytes;

    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY
        || c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
      return call (CUDA_ERROR_NOT_SUPPORTED);
    if (copy.width == 0 || copy.height == 0)
      return CUDA_SUCCESS;
    if (get_side (call, &copy.from, from_host ? HOST : c->srcMemoryType ==
            CU_MEMORYTYPE_UNIFIED ? ANY : DEVICE, from + c->srcY * from_pitch +
            c->srcXInBytes, from_pitch, copy.width, copy.height)
        || get_side (call, &copy.to, to_host ? HOST : c->dstMemoryType ==
            CU_MEMORYTYPE_UNIFIED ? ANY : DEVICE, to + c->dstY * to_pitch +
            c->dstXInBytes, to_pitch, copy.width, copy.height))
      return call.result;
    return copy_submit (call, copy, stream, asynchronous);
  }
}

API CUresult
cuMemcpy2D_v2 (const CUDA_MEMCPY2D * copy)
{
  CALL (vh::Call::CONTEXT);

  return copy_2d (call, copy, NULL, false);
}

API CUresult
cuMemcpy2DUnaligned_v2 (const CUDA_MEMCPY2D * copy)
{
  CALL (vh::Call::CONTEXT);

  return copy_2d (call, copy, NULL, false);
}

API CUresult
cuMemcpy2DAsync_v2 (const CUDA_MEMCPY2D * copy, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return copy_2d (call, copy, stream, true);
}

API CUresult
cuMemcpy (CUdeviceptr to, CUdeviceptr from, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, ANY, from, ANY, n, NULL, false);
}

API CUresult
cuMemcpyAsync (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, ANY, from, ANY, n, stream, true);
}

API CUresult
cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, DEVICE, (uint64_t) from, HOST, n, NULL, false);
}

API CUresult
cuMemcpyHtoDAsync_v2 (CUdeviceptr to, const void *from, size_t n,
    CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, DEVICE, (uint64_t) from, HOST, n, stream, true);
}

API CUresult
cuMemcpyDtoH_v2 (void *to, CUdeviceptr from, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, (uint64_t) to, HOST, from, DEVICE, n, NULL, false);
}

API CUresult
cuMemcpyDtoHAsync_v2 (void *to, CUdeviceptr from, size_t n, CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, (uint64_t) to, HOST, from, DEVICE, n, stream, true);
}

API CUresult
cuMemcpyDtoD_v2 (CUdeviceptr to, CUdeviceptr from, size_t n)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, DEVICE, from, DEVICE, n, NULL, false);
}

API CUresult
cuMemcpyDtoDAsync_v2 (CUdeviceptr to, CUdeviceptr from, size_t n,
    CUstream stream)
{
  CALL (vh::Call::CONTEXT);

  return copy_linear (call, to, DEVICE, from, DEVICE, n, stream, true);
}
