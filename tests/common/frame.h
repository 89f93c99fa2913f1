/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video frames of every layout that a buffer can describe, made without any
 * code of the library: the reference of a test must not share its mistakes. */
#pragma once

#include <gst/video/video.h>
#include "random.h"

G_BEGIN_DECLS

typedef struct
{
  GstVideoFormat format;
  guint width, height;          /* pixels of the picture, as in the caps */
  gchar *colorimetry;           /* as in the caps, NULL for none */
  GstCaps *caps;
  GstBuffer *buffer;
  guint8 *image;                /* the bytes of the buffer, in order */
  gsize size;                   /* of image */
  guint n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];   /* in image */
  gint stride[GST_VIDEO_MAX_PLANES];
  guint x, y;                   /* of the picture in the planes: from the crop
                                 * meta, 0 without */
} TestFrame;

/* A frame of random content in GStreamer's own layout, in one memory. */
void test_frame_init_plain (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry);

/* A frame of random content, layout, memories and crop. */
void test_frame_init_random (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry);

void test_frame_clear (TestFrame * frame);

/* The formats that @caps list, as a NULL-terminated array of names. */
gchar **test_caps_list_formats (GstCaps * caps);

/* Adds copies of those that are not NULL. */
void test_buffer_add_metas (GstBuffer * buffer, GstVideoMeta * meta,
    const GstVideoCropMeta * crop);

/* A region of a picture of @width x @height, in most cases all of it: x, y,
 * width and height. */
void test_random_region (TestRandom * random, guint width, guint height,
    guint region[4]);

G_END_DECLS
