/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the program opens because a camera names it: the segments, playlists and
 * keys of HLS and DASH, wherever an element of GStreamer reads them. The rule
 * holds for each address that any element gets. It may be one of HTTP, one of
 * UDP, with which RTSP receives its streams, or one that the user has named.
 * What elements fetch beside their pipeline is bounded by playlist.h. */
#pragma once

#include "intakeerror.h"

G_BEGIN_DECLS

/* Starts to check addresses. To be called before GStreamer loads elements. */
void vhm_place_start (void);

/* @uri is an address from the user, until @source is freed: it may be opened.
 * If it is a file, so may files of its folder, for playlists on disk. */
void vhm_place_allow (GObject * source, const gchar * uri);

/* Posts an error of @source: VHM_INTAKE_ERROR_PLACE, or one of playlist.h. */
void vhm_place_fail (GstElement * source, VhmIntakeError code);

/* If @message is an error that the calling thread posts because of this rule,
 * posts an error of intakeerror.h before it. */
void vhm_place_explain (GstMessage * message);

G_END_DECLS
