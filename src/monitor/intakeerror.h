/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors of cameras that send more than intake.h or rtspanswers.h allow. Their
 * messages are for users. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define VHM_INTAKE_ERROR (vhm_intake_error_quark ())
GQuark vhm_intake_error_quark (void);

typedef enum
{
  VHM_INTAKE_ERROR_BYTES,       /* no picture in too many of them */
  VHM_INTAKE_ERROR_PICTURE,     /* too large */
  VHM_INTAKE_ERROR_ANSWERS,     /* of an RTSP server are too long */
  VHM_INTAKE_ERROR_STREAMS,     /* too many */
  VHM_INTAKE_ERROR_HEADERS,     /* besides frames are too long */
  VHM_INTAKE_ERROR_PLACE,       /* names what is not opened */
  VHM_INTAKE_ERROR_PLAYLIST,    /* too long */
  VHM_INTAKE_ERROR_ALTERNATIVES,        /* too many in a playlist */
} VhmIntakeError;

/* Posts an error of @source. Thread-safe. */
void vhm_intake_fail (GstElement * source, VhmIntakeError code,
    const gchar * format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
