/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what a Matroska stream has besides its frames: tags, attachments,
 * indexes. Its demuxer keeps them, or at least where they are, as long as the
 * stream runs. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The longest identifier and the longest size of an element. */
#define VHM_MATROSKA_HEAD_BYTES 12

/* What an element costs besides its content. The demuxer searches a list of all
 * tags for each new one, and sends all that it has collected again: a stream of
 * tiny tags takes time rather than memory. */
#define VHM_MATROSKA_ELEMENT_BYTES 4096

typedef struct
{
  guint8 head[VHM_MATROSKA_HEAD_BYTES]; /* of the element, as far as it has
                                         * come */
  guint length;                 /* of that */
  guint64 skip;                 /* bytes up to the next element */
  gboolean kept;                /* by the demuxer: those bytes count */
  guint64 bytes;                /* that count, so far */
} VhmMatroska;

/* Adds the content of @buffer, which follows the one before, to
 * @matroska->bytes. */
void vhm_matroska_read (VhmMatroska * matroska, GstBuffer * buffer);

G_END_DECLS
