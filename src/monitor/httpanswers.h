/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cameras answer over HTTP, and how often they are asked. GStreamer makes
 * the name of each header a GQuark, which is never freed, asks again as fast as
 * a camera closes connections or has its playlists expire, and tells other
 * hosts the whole address of a playlist that names them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Time between two requests of a camera: at most 20 a second. Segments of
 * 200 ms, and their playlist, need 10. */
#define VHM_MIN_REQUEST_INTERVAL_MS 50

/* To be called by the main thread, whose own requests are not delayed, before
 * the first request. */
void vhm_http_answers_start (void);

G_END_DECLS
