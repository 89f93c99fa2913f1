/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "counts.h"
#include "layout.h"

G_BEGIN_DECLS

/* Luma of a frame, kept so that it can be counted against another frame's: one
 * byte per pixel, its bin, row by row without gaps. The frame itself need not
 * be kept. The bytes are on the device that made them. A VhLuma with several
 * references must only be read. */
typedef struct _VhLuma VhLuma;
struct _VhLuma
{
  gint refcount;                /* atomic */
  void (*free) (VhLuma * luma);
  gconstpointer maker;          /* VhJointCounterClass of its maker */
  gsize capacity;               /* pixels */
  guint width, height;          /* of its content, in pixels; 0: empty */
  guint bins;                   /* number of bins: each byte is the index of
                                 * one */
};

/* Fills the common part: empty, with one reference. */
void vh_luma_init (VhLuma * luma, void (*free) (VhLuma *),
    gconstpointer maker, gsize capacity);

VhLuma *vh_luma_ref (VhLuma * luma);
void vh_luma_unref (VhLuma * luma);

/* Whether @luma has a single reference, whose holder may write to it. */
gboolean vh_luma_is_exclusive (VhLuma * luma);

/* What to do with a frame besides counting its channels. */
typedef struct
{
  guint bins;                   /* of each side, 1 to 256 */
  VhCounts *counts;             /* of a joint histogram, pending: one channel
                                 * of bins x bins; or NULL */
  gboolean chroma;              /* TRUE: count U against V; FALSE: count
                                 * @against and the frame's luma */
  gboolean for_device;          /* only a consumer on the counting device uses
                                 * the counts; the device may fail them for the
                                 * host */
  VhLuma *against;              /* unless @chroma is set: has @bins bins, and as
                                 * many pixels as the frame's region */
  VhLuma **keep;                /* where the frame's luma goes, with room for
                                 * it, or NULL; may be @against. Replaced if it
                                 * is on another device than the frame */

  /* Results. */
  gboolean kept;                /* @keep has the frame, or will have it once
                                 * the enqueued work is done; may be TRUE even
                                 * if the rest failed */
  gboolean unreadable;          /* the device cannot read @against: @counts
                                 * have failed */
} VhJoint;

/* Whether frames of @layout have U and V, either as samples side by side or
 * computed from R, G and B. */
gboolean vh_layout_has_chroma (const VhLayout * layout);

/* The set of planes (bit per index) that U and V are read from. */
guint vh_layout_chroma_planes (const VhLayout * layout);

/* The chroma samples of the pixels of @region, each once: a rectangle in
 * samples of the chroma planes. In RGB each pixel has its own. */
VhRect vh_chroma_region (const VhLayout * layout, const VhRect * region);

G_END_DECLS
