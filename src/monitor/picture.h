/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encodes frames, and scopes of them, as JPEG pictures. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_PICTURE_160,
  VHM_PICTURE_320,
  VHM_PICTURE_480,              /* the ordinary one, which every camera has */
  VHM_PICTURE_640,
  VHM_PICTURE_FULL,             /* the size of the frame */
  VHM_PICTURE_HISTOGRAM,        /* scopes instead of the picture */
  VHM_PICTURE_WAVEFORM,
  VHM_PICTURE_VECTORSCOPE,
  VHM_N_PICTURE_SIZES
} VhmPictureSize;

/* The names of the sizes in queries, in their order. */
#define VHM_PICTURE_WIDTHS "160", "320", "480", "640"
#define VHM_PICTURE_SIZES VHM_PICTURE_WIDTHS, "full"
#define VHM_PICTURE_SCOPES "histogram", "waveform", "vectorscope"

typedef struct
{
  GBytes *jpeg;                 /* NULL: there is no picture */
  gint64 time;                  /* arrival of its frame, µs since 1970 */
  gint64 arrival;               /* likewise, monotonic µs */
  guint width;                  /* pixels; at most what its size says */
} VhmPicture;

/* Replaces @picture with a copy of @with, or clears it if that is NULL. */
void vhm_picture_set (VhmPicture * picture, const VhmPicture * with);

/* Has a picture again that was stored, of a frame that arrived at @time. */
void vhm_picture_restore (VhmPicture * picture, GBytes * jpeg, gint64 time);

typedef struct _VhmPictureEncoder VhmPictureEncoder;

VhmPictureEncoder *vhm_picture_encoder_new (VhmPictureSize size);
void vhm_picture_encoder_free (VhmPictureEncoder * encoder);

/* Ends its thread until the next picture. */
void vhm_picture_encoder_rest (VhmPictureEncoder * encoder);

/* Encodes a frame; size, format and memory may change between calls. Returns
 * the picture with its @width, or NULL if it fails, after a few seconds at
 * most. */
GBytes *vhm_picture_encoder_encode (VhmPictureEncoder * encoder,
    GstSample * sample, guint * width);

G_END_DECLS
