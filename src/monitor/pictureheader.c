/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureheader.h"

#include <string.h>

void
vhm_picture_header_start (VhmPictureHeader * header, GstCaps * caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  memset (header, 0, sizeof *header);
  header->vp8 = g_str_equal (name, "video/x-vp8");
  header->jpeg = g_str_equal (name, "image/jpeg");
  header->pieces = g_str_has_prefix (name, "image/");
}

gboolean
vhm_picture_header_is_packet (const VhmPictureHeader * header)
{
  return !header->pieces;
}

/* A key frame: RFC 6386, 9.1. */
static void
read_vp8 (GstBuffer * buffer, gint * width, gint * height)
{
  guint8 start[10];

  if (gst_buffer_extract (buffer, 0, start, sizeof start) < sizeof start
      || start[0] & 1)
    return;
  *width = GST_READ_UINT16_LE (start + 6) & 0x3fff;
  *height = GST_READ_UINT16_LE (start + 8) & 0x3fff;
}

/* Whether a segment with this marker has the size of the picture: ITU-T T.81,
 * table B.1. */
static gboolean
is_frame_marker (guint8 marker)
{
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8
      && marker != 0xcc;
}

/* Whether @data is the start of a segment with the size: ITU-T T.81, B.2.2. Its
 * length and its number of components must agree, or decoders refuse it. */
static gboolean
is_frame (const guint8 * data)
{
  return data[0] == 0xff && is_frame_marker (data[1]) && data[9] > 0
      && GST_READ_UINT16_BE (data + 2) == 8 + 3 * data[9];
}

static void
find_frames (const guint8 * data, gsize size, gint * width, gint * height)
{
  const guint8 *end = data + size;

  while (end - data >= VHM_JPEG_FRAME_BYTES
      && (data = memchr (data, 0xff, end - data - VHM_JPEG_FRAME_BYTES + 1))) {
    const gint w = GST_READ_UINT16_BE (data + 7);
    const gint h = GST_READ_UINT16_BE (data + 5);

    if (is_frame (data) && (gint64) w * h > (gint64) * width * *height) {
      *width = w;
      *height = h;
    }
    data++;
  }
}

/* Decoders differ in where they see the start of a picture in data that is not
 * quite JPEG. So all that may be the size of one counts, wherever it is. */
static void
read_jpeg (VhmPictureHeader * header, const guint8 * data, gsize size,
    gint * width, gint * height)
{
  guint8 both[2 * sizeof header->end];
  const gsize n = MIN (size, sizeof header->end);
  const gsize length = header->length + n;

  memcpy (both, header->end, header->length);
  memcpy (both + header->length, data, n);
  find_frames (both, length, width, height);
  find_frames (data, size, width, height);
  if (size > n) {
    header->length = n;
    memcpy (header->end, data + size - n, n);
  } else {
    header->length = MIN (length, sizeof header->end);
    memcpy (header->end, both + length - header->length, header->length);
  }
}

void
vhm_picture_header_read (VhmPictureHeader * header, GstBuffer * buffer,
    gint * width, gint * height)
{
  GstMapInfo map;

  *width = *height = 0;
  if (header->vp8)
    read_vp8 (buffer, width, height);
  if (!header->jpeg || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  read_jpeg (header, map.data, map.size, width, height);
  gst_buffer_unmap (buffer, &map);
}
