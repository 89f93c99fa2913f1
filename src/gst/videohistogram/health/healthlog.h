/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The natural logarithm of @x, a normal number above 0: to within 4e-7 from
 * 0.01 to 2. Unlike logf(), it is the same with every C library, and compilers
 * compute several at a time.
 *
 * @x is 2^e · m, with m from √½ to √2, and log m = 2 artanh (s), with s =
 * (m - 1) / (m + 1). The next term of that series is less than 3e-8. */
static inline gfloat
vh_health_log (gfloat x)
{
  union
  {
    gfloat number;
    guint32 bits;
  } m = { x };
  /* The bits of √½, and of an exponent of 0. */
  const guint32 least = 0x3f3504f3, zero = 127u << 23;
  const guint32 above = m.bits - least + zero;
  const gint32 e = (gint32) (above >> 23) - 127;
  gfloat s, square;

  m.bits = (above & 0x7fffff) + least;
  s = (m.number - 1) / (m.number + 1);
  square = s * s;
  return e * 0.693147181f
      + 2 * s * (1 + square * (1 / 3.0f + square * (1 / 5.0f + square / 7)));
}

G_END_DECLS
