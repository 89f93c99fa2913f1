/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcp.h"

/* RFC 3550, 6.1 and 6.5: packets follow each other, each with its length. */
#define HEADER_BYTES 4
#define SDES 202

/* Returns the size of the packet at @offset, or 0 if it is damaged. */
static gsize
get_packet_size (const GstMapInfo * map, gsize offset)
{
  gsize size;

  if (map->size - offset < HEADER_BYTES)
    return 0;
  size = HEADER_BYTES * (1 + (gsize) GST_READ_UINT16_BE (map->data + offset
          + 2));
  return size <= map->size - offset ? size : 0;
}

/* Whether @map is whole packets other than SDES. */
static gboolean
is_harmless (const GstMapInfo * map)
{
  gsize offset = 0, size;

  for (; (size = get_packet_size (map, offset)); offset += size)
    if (map->data[offset + 1] == SDES)
      return FALSE;
  return offset == map->size;
}

/* Leaves out a damaged packet and what follows it, too. */
static GstBuffer *
copy_others (GstBuffer * buffer, const GstMapInfo * map)
{
  GstBuffer *copy = gst_buffer_new ();
  gsize offset = 0, size;

  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  for (; (size = get_packet_size (map, offset)); offset += size)
    if (map->data[offset + 1] != SDES)
      gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_MEMORY, offset,
          size);
  return copy;
}

GstBuffer *
vhm_rtcp_remove_sdes (GstBuffer * buffer)
{
  GstBuffer *copy = NULL;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return buffer;
  if (!is_harmless (&map))
    copy = copy_others (buffer, &map);
  gst_buffer_unmap (buffer, &map);
  if (!copy)
    return buffer;
  gst_buffer_unref (buffer);
  if (gst_buffer_get_size (copy))
    return copy;
  gst_buffer_unref (copy);
  return NULL;
}
