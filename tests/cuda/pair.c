/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair.h"

#include <gst/check/gstcheck.h>
#include <string.h>

#define ROW 512                 /* bytes; every GPU's pitch divides a row of
                                 * this size */

/* Uploads rows of @size bytes to CUDA memory, as a plain buffer. */
static GstBuffer *
upload_bytes (TestUploader * uploader, gconstpointer bytes, gsize size)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "RGBA", "width", G_TYPE_INT, ROW / 4, "height", G_TYPE_INT,
      (gint) (size / ROW), "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  GstBuffer *rows = gst_buffer_new_memdup (bytes, size), *uploaded;
  GstBuffer *buffer = gst_buffer_new ();

  uploaded = test_upload (uploader, rows, caps);
  fail_unless_equals_int (gst_buffer_get_video_meta (uploaded)->stride[0], ROW);
  gst_buffer_append_memory (buffer, gst_buffer_get_memory (uploaded, 0));
  gst_buffer_unref (uploaded);
  gst_buffer_unref (rows);
  gst_caps_unref (caps);
  return buffer;
}

void
test_pair_init (TestPair * pair, TestUploader * uploader, TestRandom * random,
    const TestFrame * frame, const VhLayout * layout, guint align)
{
  const guint planes = (1u << frame->n_planes) - 1;
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame->buffer);
  GstVideoMeta placed = {
    .format = frame->format,
    .width = meta ? meta->width : frame->width,
    .height = meta ? meta->height : frame->height,
    .n_planes = frame->n_planes,
  };
  gsize size = 0;
  VhFrameView view;
  guint8 *bytes;
  guint p, y;

  fail_unless (vh_frame_view_init (&view, layout, frame->buffer, planes, NULL));
  for (p = 0; p < frame->n_planes; p++) {
    placed.offset[p] = GST_ROUND_UP_N (size + test_random_below (random, 100),
        align);
    placed.stride[p] = GST_ROUND_UP_N (view.plane[p].row_bytes +
        (test_random_below (random, 2) ? test_random_below (random, 50) : 0),
        align);
    size = placed.offset[p] + (gsize) placed.stride[p] * view.plane[p].rows;
  }
  size = GST_ROUND_UP_N (size + test_random_below (random, 100), ROW);
  bytes = g_malloc (size);
  test_random_fill (random, bytes, size);
  for (p = 0; p < frame->n_planes; p++) {
    for (y = 0; y < view.plane[p].rows; y++) {
      memcpy (bytes + placed.offset[p] + (gsize) y * placed.stride[p],
          frame->image + frame->offset[p] + (gsize) y * frame->stride[p],
          view.plane[p].row_bytes);
    }
  }

  pair->host = gst_buffer_new_memdup (bytes, size);
  pair->gpu = upload_bytes (uploader, bytes, size);
  test_buffer_add_metas (pair->host, &placed, gst_buffer_get_video_crop_meta
      (frame->buffer));
  test_buffer_add_metas (pair->gpu, &placed, gst_buffer_get_video_crop_meta
      (frame->buffer));
  fail_unless (vh_frame_view_init (&pair->host_view, layout, pair->host, planes,
          NULL));
  fail_unless (vh_frame_view_init (&pair->gpu_view, layout, pair->gpu, planes,
          NULL));
  g_free (bytes);
}

void
test_pair_clear (TestPair * pair)
{
  gst_clear_buffer (&pair->host);
  gst_clear_buffer (&pair->gpu);
}

gssize
test_pair_compare (const TestPair * pair)
{
  GBytes *host = test_read (pair->host), *gpu = test_read (pair->gpu);
  const guint8 *a = g_bytes_get_data (host, NULL);
  const guint8 *b = g_bytes_get_data (gpu, NULL);
  gssize found = -1;
  gsize i;

  fail_unless_equals_uint64 (g_bytes_get_size (host), g_bytes_get_size (gpu));
  for (i = 0; i < g_bytes_get_size (host) && found < 0; i++) {
    if (a[i] != b[i])
      found = i;
  }
  g_bytes_unref (host);
  g_bytes_unref (gpu);
  return found;
}
