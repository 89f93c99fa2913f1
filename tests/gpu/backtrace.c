/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints where a program crashed, for hosts without a debugger: a library that
 * is loaded before others. Frames are printed as library(symbol+offset)
 * [address]; addr2line finds their lines in a build with the same code. */
#define _GNU_SOURCE             /* pthread_getattr_np(), RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define MAX_FRAMES 100

/* Bytes: a thread whose own stack is full prints from here. */
#define HANDLER_STACK (64 * 1024)

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
  SIGTRAP, SIGSYS
};

__attribute__((format (printf, 1, 2)))
static void
print (const char *format, ...)
{
  char text[400];
  va_list arguments;
  int n;

  va_start (arguments, format);
  n = vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  if (n > 0)
    (void) !write (STDERR_FILENO, text, strnlen (text, sizeof text));
}

/* Copies the lines of a file of /proc that start with one of @names. */
static void
print_lines (const char *path, const char *names)
{
  char text[4096], *line, *rest = text;
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = file < 0 ? -1 : read (file, text, sizeof text - 1);

  if (n <= 0) {
    print ("%s cannot be read\n", path);
    return;
  }
  close (file);
  text[n] = '\0';
  while ((line = strsep (&rest, "\n"))) {
    char name[32] = "";

    sscanf (line, "%31[^: \t]", name);
    if (*name && strstr (names, name))
      print ("%s\n", line);
  }
}

/* The number of areas of memory, and those at @address and on either side: a
 * fault within an area that may be used is the system's. */
static void
print_areas (const char *address)
{
  static char line[4096], before[4096];
  FILE *file = fopen ("/proc/self/maps", "re");
  const char *begin, *end = NULL;
  long areas = 0;

  while (file && fgets (line, sizeof line, file)) {
    const char *last = end;

    areas++;
    if (sscanf (line, "%p-%p", (void **) &begin, (void **) &end) != 2
        || address >= end)
      last = NULL;
    else if (!last || address >= last)
      print ("the address is %s:\n%s%s", address < begin ? "between" : "in",
          address < begin ? before : "", line);
    strcpy (before, line);
  }
  if (file)
    fclose (file);
  print ("areas of memory: %ld\n", areas);
}

static void
print_thread (const siginfo_t * info, const ucontext_t * context)
{
  char name[17] = "";
  pthread_attr_t attributes;
  void *stack = NULL;
  size_t size = 0;

  prctl (PR_GET_NAME, name);
  if (!pthread_getattr_np (pthread_self (), &attributes)) {
    pthread_attr_getstack (&attributes, &stack, &size);
    pthread_attr_destroy (&attributes);
  }
  print ("\n=== signal %d (%s), code %d, address %p, thread %ld \"%s\"\n",
      info->si_signo, strsignal (info->si_signo), info->si_code, info->si_addr,
      (long) syscall (SYS_gettid), name);
#ifdef __x86_64__
  print ("pc %p, sp %p; ", (void *) context->uc_mcontext.gregs[REG_RIP],
      (void *) context->uc_mcontext.gregs[REG_RSP]);
#endif
  print ("stack %p to %p, %zu KiB\n", stack, (char *) stack + size,
      size / 1024);
}

static void
on_signal (int number, siginfo_t * info, void *context)
{
  static int began;
  void *frames[MAX_FRAMES];
  int n;

  /* Other threads wait for the first one to end the process. */
  if (__atomic_exchange_n (&began, 1, __ATOMIC_SEQ_CST))
    pause ();
  print_thread (info, context);
  n = backtrace (frames, MAX_FRAMES);
  backtrace_symbols_fd (frames, n, STDERR_FILENO);
  print_lines ("/proc/self/status", "Threads VmSize VmRSS VmData VmPeak");
  print_areas (info->si_addr);
  print_lines ("/proc/meminfo", "MemTotal MemAvailable");
  print ("===\n");
  signal (number, SIG_DFL);
  raise (number);
}

static void
give_stack (void)
{
  stack_t stack = {.ss_size = HANDLER_STACK };

  stack.ss_sp = mmap (NULL, HANDLER_STACK, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack.ss_sp != MAP_FAILED)
    sigaltstack (&stack, NULL);
}

static void
take_stack (void)
{
  stack_t stack, none = {.ss_flags = SS_DISABLE };

  if (sigaltstack (&none, &stack) || stack.ss_flags & SS_DISABLE)
    return;
  munmap (stack.ss_sp, HANDLER_STACK);
}

/* Each thread has a stack for the handler */

typedef struct
{
  void *(*function) (void *);
  void *data;
} Start;

static void *
run (void *data)
{
  const Start start = *(Start *) data;
  void *result;

  free (data);
  give_stack ();
  result = start.function (start.data);
  take_stack ();
  return result;
}

__attribute__((visibility ("default")))
int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*function) (void *), void *data)
{
  static int (*real) (pthread_t *, const pthread_attr_t *, void *(*)(void *),
      void *);
  Start *start = malloc (sizeof *start);
  int code;

  if (!real)
    real = (__typeof__ (real)) dlsym (RTLD_NEXT, "pthread_create");
  if (!start)
    return EAGAIN;
  start->function = function;
  start->data = data;
  code = real (thread, attributes, run, start);
  if (code)
    free (start);
  return code;
}

__attribute__((constructor))
static void
set_up (void)
{
  struct sigaction action = {.sa_sigaction = on_signal,
    .sa_flags = SA_SIGINFO | SA_ONSTACK
  };
  void *frame;
  size_t i;

  /* The first call loads a library. */
  backtrace (&frame, 1);
  give_stack ();
  for (i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction (signals[i], &action, NULL);
}
