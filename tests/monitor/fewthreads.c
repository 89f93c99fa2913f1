/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine with few threads: a library that is loaded before others. The
 * environment variable TEST_MAX_THREADS is how many a process may have at once,
 * besides its first one. */
#define _GNU_SOURCE             /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct
{
  void *(*function) (void *);
  void *data;
} Start;

static atomic_int n_threads;

static void
note_end (void *data)
{
  (void) data;
  atomic_fetch_sub (&n_threads, 1);
}

static void *
run (void *data)
{
  const Start start = *(Start *) data;
  void *result;

  free (data);
  pthread_cleanup_push (note_end, NULL);
  result = start.function (start.data);
  pthread_cleanup_pop (1);
  return result;
}

int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*function) (void *), void *data)
{
  int (*real) (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      (__typeof__ (real)) dlsym (RTLD_NEXT, "pthread_create");
  const char *most = getenv ("TEST_MAX_THREADS");
  Start *start = malloc (sizeof *start);
  int code = EAGAIN;

  if (!start)
    return code;
  start->function = function;
  start->data = data;
  if (!most || atomic_fetch_add (&n_threads, 1) < atoi (most))
    code = real (thread, attributes, run, start);
  if (code) {
    atomic_fetch_sub (&n_threads, most != NULL);
    free (start);
  }
  return code;
}
