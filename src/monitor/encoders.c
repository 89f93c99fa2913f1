/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoders.h"

/* An encoder that is used less often than this has no thread between pictures,
 * µs. */
#define MIN_REST_TIME (5 * G_TIME_SPAN_SECOND)

/* An encoder that is not used for this long is freed, µs. The ordinary picture
 * is made more often. */
#define MAX_IDLE_TIME (30 * G_TIME_SPAN_SECOND)

gboolean
vhm_encoders_encode (VhmEncoders * encoders, VhmPictureSize size,
    GstSample * sample, VhmPicture * picture)
{
  const gint64 now = g_get_monotonic_time ();

  if (!encoders->encoders[size])
    encoders->encoders[size] = vhm_picture_encoder_new (size);
  picture->jpeg = vhm_picture_encoder_encode (encoders->encoders[size], sample,
      &picture->width);
  if (now - encoders->used[size] >= MIN_REST_TIME)
    vhm_picture_encoder_rest (encoders->encoders[size]);
  encoders->used[size] = now;
  return picture->jpeg != NULL;
}

/* Frees the encoders that were not used for @least µs. */
static void
free_encoders (VhmEncoders * encoders, gint64 least)
{
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < VHM_N_PICTURE_SIZES; i++)
    if (encoders->encoders[i] && now - encoders->used[i] >= least)
      g_clear_pointer (&encoders->encoders[i], vhm_picture_encoder_free);
}

void
vhm_encoders_tidy (VhmEncoders * encoders)
{
  /* The buffers of a full picture are large. */
  g_clear_pointer (&encoders->encoders[VHM_PICTURE_FULL],
      vhm_picture_encoder_free);
  free_encoders (encoders, MAX_IDLE_TIME);
}

void
vhm_encoders_clear (VhmEncoders * encoders)
{
  free_encoders (encoders, 0);
}
