/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library for LD_PRELOAD that counts what a program has allocated: what
 * malloc() and its like gave it, and it has not freed. What glibc keeps free is
 * not counted, though it is private memory of the process too.
 *
 * Environment:
 *
 * TEST_ALLOCATED_FILE=file    of 8 bytes or more, which are those allocated, as
 *                             an integer of this machine, at any time
 *
 * Programs that the program starts are not counted. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, beneath the names that this library takes. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *block, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *block);

/* Until there is the file; other libraries may allocate before. */
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

  /* One that there is no room for leaves the block as it is, and a size of 0
   * frees it. */
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

/* Without the file there is nothing to be told to: the program ends at once. */
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
