/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounds playlists of HLS, manifests of DASH and Smooth Streaming, and keys and
 * headers that they name. GStreamer keeps such a file whole, and starts threads
 * and downloads for each of its streams before it shows any. */
#pragma once

#include "intakeerror.h"

G_BEGIN_DECLS

/* Bytes of a playlist, or of what else is fetched whole: 3600 segments, two
 * hours of 2 s each, may have addresses of 280 bytes. Parsed, it takes a
 * multiple of this. */
#define VHM_MAX_PLAYLIST_BYTES (1024 * 1024)

/* Streams that one names: alternatives in HLS, adaptation sets in DASH. */
#define VHM_MAX_PLAYLIST_STREAMS 32

#define VHM_N_PLAYLIST_WORDS 3

/* What has been read of a file; zeros at its start */
typedef struct
{
  gsize bytes;
  guint halves;                 /* of streams */
  guint matched[VHM_N_PLAYLIST_WORDS];  /* characters of each word */
} VhmPlaylist;

/* Reads @buffer, which follows the one before. Returns FALSE if the file is
 * beyond a bound, and sets @why. */
gboolean vhm_playlist_read (VhmPlaylist * playlist, GstBuffer * buffer,
    VhmIntakeError * why);

G_END_DECLS
