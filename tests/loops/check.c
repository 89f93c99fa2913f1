/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check-loops [SEED [CASES]]: checks all loops and prints a digest of the
 * results of each, which is the same for the same seed on every machine. A case
 * depends on its seed only; SEED, by default TEST_SEED or the time, is the seed
 * of the first case. */
#include "check.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_CASES 1000
#define DIGEST_START G_GUINT64_CONSTANT (0xcbf29ce484222325)
#define FENCE 64                /* bytes before an array */
#define FENCE_BYTE 0xa5
#define ALL_SORTS 5
#define FEW_PIXELS 10

static Check check;

static G_GNUC_NORETURN void
complain (const gchar * problem)
{
  fprintf (stderr, "case %" PRIu64 ": %s of %s %s\n", check.seed, check.name,
      check.table[check.next - 1]->name, problem);
  _exit (1);
}

static void
fault (G_GNUC_UNUSED int number)
{
  complain ("leaves its arrays");
}

guint
check_between (Check * c, guint first, guint last)
{
  return first + test_random_below (&c->random, last - first + 1);
}

guint
check_pixels (Check * c)
{
  const gboolean few = test_random_once_in (&c->random, 3);

  return check_between (c, 0, few ? FEW_PIXELS : CHECK_MAX_PIXELS);
}

guint
check_depth (Check * c, guint max)
{
  return c->bytes == 1 ? 8 : check_between (c, 9, max);
}

VhFetch
check_fetch (Check * c)
{
  const gboolean wide = c->bytes > 1;
  const guint bytes = wide ? 2 * check_between (c, 1, 2) : 1;
  const guint depth = check_depth (c, 16);

  return (VhFetch) {
    .pixel_stride = bytes * check_between (c, 1, wide ? 8 / bytes : 5),
    .sample_bytes = bytes,
    .shift = wide ? check_between (c, 0, 8 * bytes - depth) : 0,
    .mask = (1u << depth) - 1,
    .swap = wide && check_between (c, 0, 1),
  };
}

static guint8 *
take_array (Check * c, gsize size)
{
  guint8 *array;

  if (c->n_arrays == CHECK_MAX_ARRAYS || size > CHECK_MAX_BYTES)
    abort ();
  array = c->end[c->n_arrays] - size;
  memset (array - FENCE, FENCE_BYTE, FENCE);
  c->size[c->n_arrays++] = size;
  return array;
}

gpointer
check_array (Check * c, gsize size)
{
  guint8 *array = take_array (c, size);

  test_random_fill (&c->random, array, size);
  return array;
}

gpointer
check_copy (Check * c, gconstpointer data, gsize size)
{
  return memcpy (take_array (c, size), data, size);
}

static guint
draw_code (Check * c, guint kind, guint max, guint previous)
{
  switch (kind) {
    case 0:
      return test_random_once_in (&c->random, 2) ? max : 0;
    case 1:
      return test_random_once_in (&c->random, 40) ?
          check_between (c, 0, max) : previous;
    case 2:
      return (previous + check_between (c, 0, 6) + max - 2) % (max + 1);
    default:
      return check_between (c, 0, max);
  }
}

gpointer
check_codes (Check * c, gsize n, guint depth, guint bytes)
{
  const guint max = (1u << depth) - 1;
  const guint kind = test_random_below (&c->random, ALL_SORTS);
  guint8 *codes = take_array (c, n * bytes);
  guint code = check_between (c, 0, max);
  gsize i;

  for (i = 0; i < n; i++) {
    code = draw_code (c, kind, max, code);
    if (bytes == 1)
      codes[i] = code;
    else
      ((guint16 *) codes)[i] = code;
  }
  return codes;
}

const VhLoops *
check_next (Check * c)
{
  guint i, k;

  for (i = 0; i < c->n_arrays; i++) {
    for (k = 0; k < FENCE; k++) {
      if ((c->end[i] - c->size[i] - FENCE)[k] != FENCE_BYTE)
        complain ("writes before an array");
    }
  }
  c->compared = 0;
  return c->next < c->n_tables ? c->table[c->next++] : NULL;
}

void
check_result (Check * c, gconstpointer result, gsize size)
{
  const guint8 *bytes = result;
  guint8 *expected = c->expected + c->compared;
  gsize i;

  c->compared += size;
  if (c->compared > CHECK_MAX_BYTES)
    abort ();
  if (c->next > 1) {
    if (memcmp (bytes, expected, size) != 0)
      complain ("differs from the baseline");
    return;
  }
  memcpy (expected, bytes, size);
  for (i = 0; i < size; i++)
    c->digest = (c->digest ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
}

static void
make_arrays (void)
{
  const gsize page = sysconf (_SC_PAGESIZE);
  const gsize room = (CHECK_MAX_BYTES + FENCE + page - 1) / page * page;
  guint i;

  for (i = 0; i < CHECK_MAX_ARRAYS; i++) {
    guint8 *memory = mmap (NULL, room + page, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED
        || mprotect (memory + room, page, PROT_NONE) != 0) {
      perror ("check-loops");
      exit (1);
    }
    check.end[i] = memory + room;
  }
  check.expected = malloc (CHECK_MAX_BYTES);
}

static void
find_tables (void)
{
  const VhLoops *const *list = vh_loops_list ();
  guint n = 0;

  while (list[n])
    n++;
  if (n > CHECK_MAX_TABLES)
    abort ();
  while (n > 0)
    check.table[check.n_tables++] = list[--n];
}

static void
run (const CheckFunction * functions, guint64 seed, guint64 cases)
{
  guint64 i;

  for (; functions->name; functions++) {
    check.name = functions->name;
    check.bytes = functions->bytes;
    check.digest = DIGEST_START;
    for (i = 0; i < cases; i++) {
      check.seed = seed + i;
      check.random = test_random_new (check.seed);
      check.n_arrays = 0;
      check.next = 0;
      functions->run (&check);
    }
    printf ("%s %016" PRIx64 "\n", functions->name, check.digest);
  }
}

int
main (int argc, char **argv)
{
  const gchar *seed = argc > 1 ? argv[1] : getenv ("TEST_SEED");
  const guint64 now = time (NULL);
  const guint64 first = seed ? strtoull (seed, NULL, 10) : now;
  const guint64 cases = argc > 2 ? strtoull (argv[2], NULL, 10) : DEFAULT_CASES;
  guint t;

  make_arrays ();
  find_tables ();
  signal (SIGSEGV, fault);
  for (t = check.n_tables; t-- > 0;)
    fprintf (stderr, "%s%c", check.table[t]->name, t > 0 ? ' ' : '\n');
  run (check_counting, first, cases);
  run (check_correcting, first, cases);
  run (check_drawing, first, cases);
  return 0;
}
