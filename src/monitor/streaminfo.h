/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stream sends, measured before its decoder. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *codec;                 /* such as "H.264, profile high"; NULL: none */
  guint width, height;          /* 0: unknown */
  guint64 bytes, packets;
  guint key_frames;
  gdouble seconds;              /* from the first packet to the last one */
  gdouble key_frame_distance;   /* s, the longest so far; 0: unknown */
  gboolean used_udp, uses_udp;  /* RTP came or should have come over UDP; it
                                 * does so now */
} VhmStreamFacts;

typedef struct _VhmStreamInfo VhmStreamInfo;

VhmStreamInfo *vhm_stream_info_new (void);
void vhm_stream_info_free (VhmStreamInfo * info);

/* For each element that is added to the pipeline. @decodes: it decodes the
 * video. In any thread. */
void vhm_stream_info_watch (VhmStreamInfo * info, GstElement * element,
    gboolean decodes);

/* In any thread. */
void vhm_stream_info_get (VhmStreamInfo * info, VhmStreamFacts * facts);
void vhm_stream_facts_clear (VhmStreamFacts * facts);

G_END_DECLS
