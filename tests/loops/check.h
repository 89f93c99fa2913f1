/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks of single loops share. Each check calls one loop of every
 * table that the machine can run with the same random arguments: all do what
 * the baseline's does, and stay within their arrays.
 *
 * Compiled for another machine, the program has of GLib and GStreamer only the
 * headers: see foreign.c. */
#pragma once

#include "common/random.h"
#include "cpu/loops.h"

G_BEGIN_DECLS

#define CHECK_MAX_PIXELS 400
#define CHECK_MAX_BYTES (1 << 18)
#define CHECK_MAX_ARRAYS 24
#define CHECK_MAX_TABLES 4

typedef struct
{
  guint64 seed;
  TestRandom random;
  const gchar *name;            /* of the loop */
  guint64 digest;               /* of what the baseline's loop makes */

  const VhLoops *table[CHECK_MAX_TABLES];       /* the baseline's first */
  guint n_tables;
  guint next;                   /* table */

  /* Where the memory of each array ends. */
  guint8 *end[CHECK_MAX_ARRAYS];
  gsize size[CHECK_MAX_ARRAYS];
  guint n_arrays;               /* of this case */

  guint8 *expected;             /* what the baseline's loop has made */
  gsize compared;               /* bytes */
} Check;

/* A check, named as the loop is in VhLoops. */
typedef struct
{
  const gchar *name;
  void (*run) (Check * check);
} CheckFunction;

/* They end with a name of NULL. */
extern const CheckFunction check_counting[];
extern const CheckFunction check_correcting[];
extern const CheckFunction check_drawing[];

/* One of @first ... @last. */
guint check_between (Check * check, guint first, guint last);

/* How many pixels a loop gets: CHECK_MAX_PIXELS at most, often few or none. */
guint check_pixels (Check * check);

/* An array of random bytes. What is behind it cannot be read. */
gpointer check_array (Check * check, gsize size);

/* The same with the bytes of @data. */
gpointer check_copy (Check * check, gconstpointer data, gsize size);

/* An array of @n codes of @depth bits, in words of @bytes: all sorts, the least
 * and the greatest, few, or neighbours that are alike. */
gpointer check_codes (Check * check, gsize n, guint depth, guint bytes);

/* The next table, whose loop is to be called, or NULL. */
const VhLoops *check_next (Check * check);

/* Compares what the loop of this table has made with what the baseline's
 * has. */
void check_result (Check * check, gconstpointer result, gsize size);

G_END_DECLS
