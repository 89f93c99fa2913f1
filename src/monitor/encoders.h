/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The encoders of a stream, one for each size of picture that is wanted. They
 * give back memory and threads while they are not used. */
#pragma once

#include "picture.h"

G_BEGIN_DECLS

typedef struct
{
  VhmPictureEncoder *encoders[VHM_N_PICTURE_SIZES];     /* NULL unless used */
  gint64 used[VHM_N_PICTURE_SIZES];     /* when it was last used, µs */
} VhmEncoders;

/* Sets the JPEG and the width of @picture. Returns FALSE if @sample cannot be
 * encoded. */
gboolean vhm_encoders_encode (VhmEncoders * encoders, VhmPictureSize size,
    GstSample * sample, VhmPicture * picture);

/* Frees what was not used for long, and what takes much memory. */
void vhm_encoders_tidy (VhmEncoders * encoders);
void vhm_encoders_clear (VhmEncoders * encoders);

G_END_DECLS
