/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "layout.h"

G_BEGIN_DECLS

/* One plane of a frame. */
typedef struct
{
  const guint8 *data;           /* first byte, valid while mapped; writable if
                                 * it was mapped for writing */
  gsize stride;                 /* bytes from row to row, at least row_bytes */
  guint rows;
  gsize row_bytes;              /* bytes of a row that hold pixels */
  gsize offset;                 /* of data in the buffer, bytes */
  GstMemory *memory;            /* that holds all of the plane, or NULL if the
                                 * plane spans several */
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
                                 * selects, or all */
  gboolean not_for_host;        /* it cannot be mapped for the CPU; set by code
                                 * that knows its memories */
} VhFrameView;

/* Finds @planes (a bit each) of @buffer and proves their bounds; reads no
 * pixel. FALSE with @error set to VH_ERROR_FRAME if the buffer does not hold
 * what its caps and metas promise. */
gboolean vh_frame_view_init (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, guint planes, GError ** error);

/* Maps the planes with @flags, such as GST_MAP_READ. A device adds the flag
 * with which its memories give device addresses. The buffer's list of memories
 * does not change; planes that lie across memories are gathered into a copy. */
gboolean vh_frame_view_map (VhFrameView * view, GstMapFlags flags,
    GError ** error);

/* Undoes vh_frame_view_map(); harmless if that failed or was not called. */
void vh_frame_view_unmap (VhFrameView * view);

/* Whether the picture of @in can be written into the picture of @out, which is
 * a view of all planes with the same layout, and may be @in itself. Both must
 * have the same size, the same pixels must share chroma, and no plane of @out
 * may span several memories. Otherwise FALSE with @error set to
 * VH_ERROR_FRAME. */
gboolean vh_frame_view_takes (const VhFrameView * out, const VhFrameView * in,
    GError ** error);

/* The bytes and rows of plane @p in which @pixels lie: a rectangle of bytes. */
VhRect vh_layout_bytes (const VhLayout * layout, const VhRect * pixels,
    guint p);

/* Which bytes and rows of plane @p vh_frame_view_copy() copies from @from to
 * @to: both have the same size. */
void vh_frame_view_match (const VhFrameView * out, const VhFrameView * in,
    guint p, VhRect * to, VhRect * from);

/* Copies @planes (a bit each) of the picture of @in, including alpha. If the
 * planes of both have the same size, with the picture at the same place,
 * everything around it is copied too, except the padding of rows. Both must be
 * mapped, @out for writing. */
void vh_frame_view_copy (VhFrameView * out, const VhFrameView * in,
    guint planes);

G_END_DECLS
