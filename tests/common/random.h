/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers that a seed reproduces. */
#pragma once

#include <gst/gst.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 state;
} TestRandom;

/* Neighboring seeds give unrelated numbers. */
static inline TestRandom
test_random_new (guint64 seed)
{
  return (TestRandom) {
    .state = (seed + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15),
  };
}

/* splitmix64 */
static inline guint64
test_random (TestRandom * random)
{
  guint64 z = random->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* 0 ... @n - 1 */
static inline guint
test_random_below (TestRandom * random, guint n)
{
  return test_random (random) % n;
}

/* TRUE once in @n calls on average. */
static inline gboolean
test_random_once_in (TestRandom * random, guint n)
{
  return test_random_below (random, n) == 0;
}

static inline void
test_random_fill (TestRandom * random, guint8 * data, gsize size)
{
  guint64 word;
  gsize i;

  for (i = 0; i < size; i += sizeof (word)) {
    word = test_random (random);
    memcpy (data + i, &word, MIN (sizeof (word), size - i));
  }
}

G_END_DECLS
