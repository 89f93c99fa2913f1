/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size in the headers of formats that reach their decoder without a parser,
 * before the decoder allocates anything. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The part of a JPEG header that has the size of the picture. */
#define VHM_JPEG_FRAME_BYTES 10

typedef struct
{
  gboolean vp8, jpeg;
  gboolean pieces;              /* buffers may be pieces of a picture */
  guint8 end[VHM_JPEG_FRAME_BYTES - 1]; /* of the data before */
  guint length;                 /* of that */
} VhmPictureHeader;

/* A stream with these caps follows. */
void vhm_picture_header_start (VhmPictureHeader * header, GstCaps * caps);

/* Whether each buffer is a packet that a decoder need not keep until more
 * come. */
gboolean vhm_picture_header_is_packet (const VhmPictureHeader * header);

/* Sets @width and @height to the largest size that a header in @buffer has, or
 * to 0. */
void vhm_picture_header_read (VhmPictureHeader * header, GstBuffer * buffer,
    gint * width, gint * height);

G_END_DECLS
