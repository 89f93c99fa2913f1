/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks of single loops share. Each check calls one loop of every
 * table that the machine can run with the same random arguments: each must do
 * what the baseline's loop does and stay within its arrays.
 *
 * When the program is compiled for another machine, only the headers of GLib
 * and GStreamer are used: see foreign.c. */
#pragma once

#include "common/random.h"
#include "cpu/loopslist.h"

G_BEGIN_DECLS

#define CHECK_MAX_PIXELS 400
#define CHECK_MAX_BYTES (1 << 18)
#define CHECK_MAX_ARRAYS 24
#define CHECK_MAX_TABLES 4

typedef struct
{
  guint64 seed;
  TestRandom random;
  const gchar *name;            /* name of the loop */
  guint bytes;                  /* of a sample, as in its CheckFunction */
  guint64 digest;               /* digest of the baseline's results */

  const VhLoops *table[CHECK_MAX_TABLES];       /* the baseline first */
  guint n_tables;
  guint next;                   /* table under test */

  /* The end of each array's memory. */
  guint8 *end[CHECK_MAX_ARRAYS];
  gsize size[CHECK_MAX_ARRAYS];
  guint n_arrays;               /* of this case */

  guint8 *expected;             /* result of the baseline */
  gsize compared;               /* bytes to compare */
} Check;

/* A check, named after the loop's field in VhLoops; with the bytes of a sample
 * if there are loops for 8 and for up to 16 bits. */
typedef struct
{
  const gchar *name;
  void (*run) (Check * check);
  guint bytes;
} CheckFunction;

/* The list ends with a NULL name. */
extern const CheckFunction check_counting[];
extern const CheckFunction check_correcting[];
extern const CheckFunction check_drawing[];

/* Returns a random number in @first ... @last. */
guint check_between (Check * check, guint first, guint last);

/* Returns a number of pixels for a loop: CHECK_MAX_PIXELS at most, often few or
 * none. */
guint check_pixels (Check * check);

/* Returns a depth for samples of the check's size, up to @max. */
guint check_depth (Check * check, guint max);

/* Returns how to fetch or store samples of that size. */
VhFetch check_fetch (Check * check);

/* Allocates an array of random bytes. Reading past its end is a fault. */
gpointer check_array (Check * check, gsize size);

/* Likewise, with the bytes of @data. */
gpointer check_copy (Check * check, gconstpointer data, gsize size);

/* Allocates @n codes of @depth bits in words of @bytes: random, only the lowest
 * and the highest, few different ones, or runs of equal neighbors. */
gpointer check_codes (Check * check, gsize n, guint depth, guint bytes);

/* Returns the next table whose loop should be called, or NULL. */
const VhLoops *check_next (Check * check);

/* Compares the result of this table's loop with the baseline's. */
void check_result (Check * check, gconstpointer result, gsize size);

G_END_DECLS
