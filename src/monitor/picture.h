/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames become small JPEG pictures. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _VhmPictureEncoder VhmPictureEncoder;

VhmPictureEncoder *vhm_picture_encoder_new (void);
void vhm_picture_encoder_free (VhmPictureEncoder * encoder);

/* Takes frames of any size, format and memory in turn. Returns the picture, or
 * NULL if none can be made of this one, in a few seconds at most. */
GBytes *vhm_picture_encoder_encode (VhmPictureEncoder * encoder,
    GstSample * sample);

G_END_DECLS
