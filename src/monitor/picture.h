/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encodes frames as small JPEG pictures. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _VhmPictureEncoder VhmPictureEncoder;

VhmPictureEncoder *vhm_picture_encoder_new (void);
void vhm_picture_encoder_free (VhmPictureEncoder * encoder);

/* Encodes a frame; size, format and memory may change between calls. Returns
 * the picture, or NULL if it fails, after a few seconds at most. */
GBytes *vhm_picture_encoder_encode (VhmPictureEncoder * encoder,
    GstSample * sample);

G_END_DECLS
