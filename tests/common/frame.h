/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video frames in every layout that a buffer can describe. They are made
 * without any code of the library, because the reference of a test must not
 * share its mistakes. */
#pragma once

#include <gst/video/video.h>
#include "random.h"

G_BEGIN_DECLS

typedef struct
{
  GstVideoFormat format;
  guint width, height;          /* pixels, as in the caps */
  gchar *colorimetry;           /* as in the caps, or NULL */
  GstCaps *caps;
  GstBuffer *buffer;
  guint8 *image;                /* the bytes of the buffer in order */
  gsize size;                   /* size of image */
  guint n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];   /* offsets in image */
  gint stride[GST_VIDEO_MAX_PLANES];
  guint x, y;                   /* position of the picture in the planes, from
                                 * the crop meta or 0 */
} TestFrame;

/* A frame with random content in GStreamer's own layout, in one memory. */
void test_frame_init_plain (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry);

/* A frame with random content, layout, memories and crop. */
void test_frame_init_random (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry);

void test_frame_clear (TestFrame * frame);

/* Returns the names of the formats in @caps, NULL-terminated. */
gchar **test_caps_list_formats (GstCaps * caps);

/* Adds copies of the metas that are not NULL. */
void test_buffer_add_metas (GstBuffer * buffer, GstVideoMeta * meta,
    const GstVideoCropMeta * crop);

/* A region of a picture of @width x @height, usually all of it: x, y, width and
 * height. */
void test_random_region (TestRandom * random, guint width, guint height,
    guint region[4]);

G_END_DECLS
