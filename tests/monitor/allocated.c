/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library for LD_PRELOAD that counts the bytes that a program has allocated
 * with malloc() and its relatives and not freed yet. Memory that glibc keeps in
 * its free lists does not count, although it is private memory of the process.
 *
 * TEST_ALLOCATED_FILE=file names an existing file of at least 8 bytes, which
 * always holds the number of bytes as a native integer.
 *
 * Child processes are not counted. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own functions, behind the names that this library overrides. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *block, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *block);

/* Counts allocations before the file is open; other libraries may allocate
 * first. */
static _Atomic int64_t early;
static _Atomic int64_t *_Atomic allocated = &early;

static void *
count (void *block)
{
  atomic_fetch_add_explicit (allocated, malloc_usable_size (block),
      memory_order_relaxed);
  return block;
}

void *
malloc (size_t size)
{
  return count (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return count (__libc_calloc (n, size));
}

void *
realloc (void *block, size_t size)
{
  size_t before = malloc_usable_size (block);
  void *after = __libc_realloc (block, size);

  /* If there is no memory, the block stays as it is; a size of 0 frees it. */
  if (after || size == 0)
    atomic_fetch_sub_explicit (allocated, before, memory_order_relaxed);
  return count (after);
}

void *
memalign (size_t alignment, size_t size)
{
  return count (__libc_memalign (alignment, size));
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return count (__libc_memalign (alignment, size));
}

int
posix_memalign (void **block, size_t alignment, size_t size)
{
  void *found;

  if (alignment == 0 || alignment % sizeof (void *)
      || (alignment & (alignment - 1)))
    return EINVAL;
  found = __libc_memalign (alignment, size);
  if (!found)
    return ENOMEM;
  *block = count (found);
  return 0;
}

void
free (void *block)
{
  atomic_fetch_sub_explicit (allocated, malloc_usable_size (block),
      memory_order_relaxed);
  __libc_free (block);
}

static void open_file (void) __attribute__((constructor));

/* Without the file there is nowhere to report to: the program exits at once. */
static void
open_file (void)
{
  const char *path = getenv ("TEST_ALLOCATED_FILE");
  int file = path ? open (path, O_RDWR | O_CLOEXEC) : -1;
  void *mapped = mmap (NULL, sizeof early, PROT_READ | PROT_WRITE, MAP_SHARED,
      file, 0);

  if (mapped == MAP_FAILED)
    abort ();
  close (file);
  unsetenv ("LD_PRELOAD");
  allocated = mapped;
  atomic_fetch_add (allocated, early);
}
