/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "counts.h"
#include "layout.h"

G_BEGIN_DECLS

/* Luma of a frame, as it is kept to be counted against that of another: a byte
 * for each pixel, its bin, row by row without a gap. The frame itself need not
 * be kept. It lies wherever its maker counts. A luma with several holders is
 * only read. */
typedef struct _VhLuma VhLuma;
struct _VhLuma
{
  gint refcount;                /* atomic */
  void (*free) (VhLuma * luma);
  gconstpointer maker;          /* VhJointCounterClass of its maker */
  gsize capacity;               /* pixels */
  guint width, height;          /* of what it holds, in pixels; 0: nothing */
  guint bins;                   /* that its bytes are of */
};

/* Fills the common part: holding nothing, with one reference. */
void vh_luma_init (VhLuma * luma, void (*free) (VhLuma *),
    gconstpointer maker, gsize capacity);

VhLuma *vh_luma_ref (VhLuma * luma);
void vh_luma_unref (VhLuma * luma);

/* Whether @luma has one holder only, which may write to it. */
gboolean vh_luma_is_exclusive (VhLuma * luma);

/* What besides its channels is to be done with a frame. */
typedef struct
{
  guint bins;                   /* of each side, 1 to 256 */
  VhCounts *counts;             /* of a joint histogram, pending: one channel
                                 * of bins x bins; or NULL */
  gboolean chroma;              /* counts are of U and V; else of @against and
                                 * the frame's luma */
  VhLuma *against;              /* of as many pixels as the frame's region and
                                 * of @bins; with counts that are not of
                                 * chroma */
  VhLuma **keep;                /* where the frame's luma goes, with room for
                                 * it, or NULL; may be @against. Replaced where
                                 * it lies on another device than the frame */

  /* Answers. */
  gboolean kept;                /* @keep has the frame, or will have when what
                                 * was enqueued is done; also where the rest
                                 * has failed */
  gboolean unreadable;          /* @against lies where the backend cannot read:
                                 * @counts have failed */
} VhJoint;

/* Whether frames of @layout have U and V, as samples that lie side by side. */
gboolean vh_layout_has_chroma (const VhLayout * layout);

/* The set of planes (bit per index) in which U and V lie. */
guint vh_layout_chroma_planes (const VhLayout * layout);

/* Those chroma samples which the pixels of @region take, each once: a rectangle
 * in samples of the chroma planes. */
VhRect vh_chroma_region (const VhLayout * layout, const VhRect * region);

G_END_DECLS
