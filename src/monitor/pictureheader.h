/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size in the headers of formats that reach their decoder without a parser,
 * before the decoder allocates anything. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean vp8, jpeg;
  gboolean pieces;              /* buffers may be pieces of a picture */
  gboolean reading;             /* within the headers of a JPEG picture */
  guint8 segment[9];            /* its start, as far as it has come */
  guint length;                 /* of that */
  gsize skip;                   /* bytes up to the next segment */
} VhmPictureHeader;

/* A stream with these caps follows. */
void vhm_picture_header_start (VhmPictureHeader * header, GstCaps * caps);

/* Whether each buffer is a packet that a decoder need not keep until more
 * come. */
gboolean vhm_picture_header_is_packet (const VhmPictureHeader * header);

/* Sets @width and @height to what a header in @buffer says, or to 0. */
void vhm_picture_header_read (VhmPictureHeader * header, GstBuffer * buffer,
    gint * width, gint * height);

G_END_DECLS
