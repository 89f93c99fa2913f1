/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A way of counting 8-bit codes. It keeps its counts in a state, which must be
 * zero at first; fold() leaves it ready for the next codes. */
typedef struct
{
  const gchar *name;
  gsize min_samples;            /* with fewer, fold costs more than count
                                 * gains */
  gsize state_size;             /* bytes, aligned to VH_STATE_ALIGN */
  void (*count) (gpointer state, const guint8 * codes, gsize n);
  /* Adds the count of each code to @counts[256]. */
  void (*fold) (gpointer state, guint32 * counts);
} VhCodeCounter;

#define VH_STATE_ALIGN 64

G_END_DECLS
