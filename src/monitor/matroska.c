/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "matroska.h"

/* The elements that repeat in an ordinary stream: RFC 9559, 5.1. */
#define SEGMENT 0x18538067
#define CLUSTER 0x1f43b675
static const guint32 frames[] = {
  0xe7,                         /* timestamp of a cluster */
  0xa7, 0xab,                   /* its position and the size of the last one */
  0xa3, 0xa0,                   /* frames */
  0xec, 0xbf,                   /* nothing, and a checksum */
};

/* The number of bytes that a number with this first byte has; 0: none. */
static guint
get_number_bytes (guint8 first)
{
  return first ? 8 - g_bit_nth_msf (first, -1) : 0;
}

static guint64
read_number (const guint8 * data, guint bytes)
{
  guint64 number = 0;

  while (bytes--)
    number = number << 8 | *data++;
  return number;
}

static gboolean
is_frame (guint32 id)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    if (frames[i] == id)
      return TRUE;
  return FALSE;
}

/* Starts the element whose identifier has @id_bytes and whose size has
 * @size_bytes. What is in a segment or a cluster follows as if it was not. */
static void
start_element (VhmMatroska * matroska, guint id_bytes, guint size_bytes)
{
  const guint64 id = read_number (matroska->head, id_bytes);
  const guint64 all = (G_GUINT64_CONSTANT (1) << (7 * size_bytes)) - 1;
  const guint64 size = read_number (matroska->head + id_bytes, size_bytes)
      & all;

  matroska->length = 0;
  if (id == SEGMENT || id == CLUSTER)
    return;
  matroska->skip = size == all ? 0 : size;
  matroska->kept = !is_frame (id);
  if (matroska->kept)
    matroska->bytes += VHM_MATROSKA_ELEMENT_BYTES;
}

static void
add_byte (VhmMatroska * matroska, guint8 byte)
{
  guint id_bytes, size_bytes;

  matroska->head[matroska->length++] = byte;
  id_bytes = get_number_bytes (matroska->head[0]);
  if (id_bytes == 0 || id_bytes > 4) {
    matroska->length = 0;       /* not an element, so it counts */
    matroska->bytes++;
    return;
  }
  if (matroska->length <= id_bytes)
    return;
  size_bytes = get_number_bytes (matroska->head[id_bytes]);
  if (size_bytes == 0) {
    matroska->length = 0;
    matroska->bytes += id_bytes;
  } else if (matroska->length == id_bytes + size_bytes)
    start_element (matroska, id_bytes, size_bytes);
}

void
vhm_matroska_read (VhmMatroska * matroska, GstBuffer * buffer)
{
  GstMapInfo map;
  gsize i = 0, n;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  while (i < map.size) {
    n = MIN (matroska->skip, map.size - i);
    if (matroska->kept)
      matroska->bytes += n;
    matroska->skip -= n;
    i += n;
    if (i < map.size)
      add_byte (matroska, map.data[i++]);
  }
  gst_buffer_unmap (buffer, &map);
}
