/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main stream of a camera whose sub-stream is judged. Connects only when
 * somebody asks for a full picture, takes the first whole frame, and closes.
 * Main thread only. */
#pragma once

#include "picture.h"
#include "settings.h"

G_BEGIN_DECLS

/* µs: longest time until the picture of a main stream comes. */
#define VHM_MAX_MAIN_STREAM_TIME (10 * G_TIME_SPAN_SECOND)

typedef struct _VhmMainStream VhmMainStream;

VhmMainStream *vhm_main_stream_new (VhmCameraSettings * camera);

/* Frees it at once; its thread ends when it can. */
void vhm_main_stream_free (VhmMainStream * stream);

/* Connects for one picture, unless a connection is open, too many of other
 * cameras are, or the last one failed a short while ago. */
void vhm_main_stream_want_picture (VhmMainStream * stream);

/* Drops a picture that is too old. To be called several times a second. */
void vhm_main_stream_tick (VhmMainStream * stream);

/* The latest picture; its jpeg is NULL before the first one, and after it has
 * become too old. NULL if the main stream failed a short while ago, so that no
 * picture comes. */
const VhmPicture *vhm_main_stream_get_picture (const VhmMainStream * stream);

/* Why the last connection gave no picture, for users; or "". */
const gchar *vhm_main_stream_get_trouble (const VhmMainStream * stream);

/* The number of threads now, including those of freed main streams. */
guint vhm_main_stream_count_threads (void);

G_END_DECLS
