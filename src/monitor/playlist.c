/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "playlist.h"

/* What each stream has. XML has its words twice, at the start and at the end of
 * an element, and perhaps with a prefix. The first character of a word is
 * nowhere else in it: where a character does not match, only that character can
 * start the word. */
static const struct
{
  const gchar *text;
  guint halves;                 /* of a stream that it stands for */
} words[VHM_N_PLAYLIST_WORDS] = {
  {"#EXT-X-MEDIA:", 2},
  {"AdaptationSet", 1},
  {"StreamIndex", 1}
};

static void
read_character (VhmPlaylist * playlist, gchar c)
{
  guint i;

  for (i = 0; i < VHM_N_PLAYLIST_WORDS; i++) {
    const gchar *text = words[i].text;
    guint *matched = &playlist->matched[i];

    *matched = c == text[*matched] ? *matched + 1 : c == text[0];
    if (!text[*matched]) {
      *matched = 0;
      playlist->halves += words[i].halves;
    }
  }
}

gboolean
vhm_playlist_read (VhmPlaylist * playlist, GstBuffer * buffer,
    VhmIntakeError * why)
{
  GstMapInfo map;
  gsize i;

  playlist->bytes += gst_buffer_get_size (buffer);
  *why = VHM_INTAKE_ERROR_PLAYLIST;
  if (playlist->bytes > VHM_MAX_PLAYLIST_BYTES)
    return FALSE;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    for (i = 0; i < map.size; i++)
      read_character (playlist, map.data[i]);
    gst_buffer_unmap (buffer, &map);
  }
  *why = VHM_INTAKE_ERROR_ALTERNATIVES;
  return playlist->halves <= 2 * VHM_MAX_PLAYLIST_STREAMS;
}
