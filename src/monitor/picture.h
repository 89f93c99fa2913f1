/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames become small JPEG pictures. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _VhmPictureEncoder VhmPictureEncoder;

/* NULL with an error if an element is missing. */
VhmPictureEncoder *vhm_picture_encoder_new (GError ** error);
void vhm_picture_encoder_free (VhmPictureEncoder * encoder);

/* Takes frames of any size and format in turn. Returns the picture, or NULL
 * if none can be made of this one, in a few seconds at most. */
GBytes *vhm_picture_encoder_encode (VhmPictureEncoder * encoder,
    GstSample * sample);

G_END_DECLS
