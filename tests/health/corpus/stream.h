/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A coder, a network, a decoder, and the element videohealth. Prints changes of
 * conditions:
 *
 * change TIME CONDITION STATE VALUE: 1 starts, 0 ends */
#pragma once

#include "simulator.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *coder;           /* elements from the coder, named coder, to the
                                 * decoder; a payloader is named network */
  const gchar *health;          /* properties of the element */
  guint width, height, fps;
  guint64 seed;
  const Fault *fault;
  gdouble from, to;             /* of the fault, in s */
  gdouble midnight;             /* real time of the first frame, in s */
  gboolean key_frames;          /* only these are decoded */
  gdouble joined;               /* s that are lost at the start */
  gboolean values;              /* print them each second */
  const gchar *raw;             /* file for the judged frames, as I420 */
} StreamSettings;

typedef struct _Stream Stream;

Stream *stream_new (const StreamSettings * settings);

/* Takes ownership of @frame. */
void stream_push (Stream * stream, GstBuffer * frame, gdouble time);
void stream_end (Stream * stream);

G_END_DECLS
