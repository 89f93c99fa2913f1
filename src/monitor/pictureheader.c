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
is_frame (guint8 marker)
{
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8
      && marker != 0xcc;
}

/* Whether no segment follows this marker, or it is not one, as in libjpeg. */
static gboolean
is_empty (guint8 marker)
{
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/* Handles the start of a segment, if enough of it has come. */
static void
read_segment (VhmPictureHeader * header, gint * width, gint * height)
{
  const guint8 *s = header->segment;
  const gboolean frame = header->length > 1 && is_frame (s[1]);

  if (header->length == 1 && s[0] != 0xff)
    header->length = 0;
  else if (header->length == 2 && s[1] == 0xff)
    header->length = 1;         /* padding */
  else if (header->length == 2 && is_empty (s[1]))
    header->length = 0;
  else if (header->length == 2 && s[1] == 0xda)
    header->reading = FALSE;    /* the picture itself */
  else if (header->length == 4 && !frame) {
    header->skip = MAX (GST_READ_UINT16_BE (s + 2), 2) - 2;
    header->length = 0;
  } else if (header->length == sizeof header->segment) {
    *height = GST_READ_UINT16_BE (s + 5);
    *width = GST_READ_UINT16_BE (s + 7);
    header->reading = FALSE;
  }
}

static void
read_jpeg (VhmPictureHeader * header, const guint8 * data, gsize size,
    gint * width, gint * height)
{
  gsize i = 0, n;

  if (size > 1 && data[0] == 0xff && data[1] == 0xd8) {
    header->reading = TRUE;
    header->length = 0;
    header->skip = 0;
  }
  while (header->reading && i < size) {
    n = MIN (header->skip, size - i);
    i += n;
    header->skip -= n;
    if (i == size)
      break;
    header->segment[header->length++] = data[i++];
    read_segment (header, width, height);
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
