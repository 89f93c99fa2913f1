/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/layout.h"

G_BEGIN_DECLS

/* How the samples of one component lie in a row. */
typedef struct
{
  guint pixel_stride;           /* bytes */
  guint sample_bytes;           /* 1, 2 or 4 */
  guint shift;                  /* bits */
  guint w_sub;                  /* log2 */
  guint mask;                   /* 2^depth - 1 */
  gboolean swap;                /* words have the other byte order */
} VhFetch;

/* Fetches one sample per pixel of a row: pixels that share a sample each get
 * it. */
VhFetch vh_fetch_pixels (const VhLayout * layout, guint component);

/* Fetches each sample of the component once. */
VhFetch vh_fetch_samples (const VhLayout * layout, guint component);

/* Whether components @first ... @last are bytes, at their offsets, of the same
 * pixels of up to 4 bytes. */
gboolean vh_fetch_is_packed (const VhLayout * layout, guint first, guint last);

G_END_DECLS
