/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "layout.h"

G_BEGIN_DECLS

/* One plane of a frame. */
typedef struct
{
  const guint8 *data;           /* first byte, valid while mapped; may be
                                 * written to where it was mapped so */
  gsize stride;                 /* bytes from row to row, at least row_bytes */
  guint rows;
  gsize row_bytes;              /* bytes of a row that hold pixels */
  gsize offset;                 /* of data in the buffer, bytes */
  GstMemory *memory;            /* that holds all of the plane, or NULL where it
                                 * lies across several */
  gsize memory_offset;          /* of data in memory, bytes */
  GstMapInfo map;
  guint8 *gathered;             /* copy of a plane that lies across memories */
} VhPlane;

/* A buffer whose planes are proven to lie within its memories: for each plane,
 * `offset + (rows - 1) * stride + row_bytes` does. The view borrows the buffer
 * and must not outlive it. It is used by one thread at a time. */
typedef struct
{
  const VhLayout *layout;
  GstBuffer *buffer;
  guint planes;                 /* bit per plane that is proven */
  VhPlane plane[GST_VIDEO_MAX_PLANES];
  VhRect picture;               /* in pixels of the planes: what the crop meta
                                 * leaves, or all */
  gboolean not_for_host;        /* it cannot be mapped for the CPU; set where
                                 * its memories are known */
} VhFrameView;

/* Finds @planes (a bit each) of @buffer and proves their bounds; reads no
 * pixel. FALSE with @error set to VH_ERROR_FRAME when the
 * buffer does not hold what its caps and metas promise. */
gboolean vh_frame_view_init (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, guint planes, GError ** error);

/* Maps the planes with @flags (GST_MAP_READ say, and what a device adds to it
 * for addresses of its own), without touching the buffer's list of memories;
 * planes that lie across memories are gathered into a copy of their own. */
gboolean vh_frame_view_map (VhFrameView * view, GstMapFlags flags,
    GError ** error);

/* Undoes vh_frame_view_map(); harmless when that failed or was not called. */
void vh_frame_view_unmap (VhFrameView * view);

/* Whether the picture of @in can be written as that of @out, a view of all
 * planes for the same layout, which may be @in itself: of the same size, with
 * the same pixels sharing chroma, no plane across several memories. FALSE with
 * @error set to VH_ERROR_FRAME where it cannot. */
gboolean vh_frame_view_takes (const VhFrameView * out, const VhFrameView * in,
    GError ** error);

/* Which bytes of plane @p, and which of its rows, vh_frame_view_copy() copies,
 * @from there @to there: both of one size. */
void vh_frame_view_match (const VhFrameView * out, const VhFrameView * in,
    guint p, VhRect * to, VhRect * from);

/* Copies those @planes (a bit each) of the picture of @in, alpha too, and all
 * around it where the planes of both are of one size with the picture at one
 * place, but for what pads rows. Both are mapped, @out for writing. */
void vh_frame_view_copy (VhFrameView * out, const VhFrameView * in,
    guint planes);

G_END_DECLS
