/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounds what a camera, or somebody in its place, may send: bytes without a
 * picture, the size of pictures, and the number of streams; and what it may
 * have the program open. GStreamer's elements keep what they cannot use yet,
 * and decoders allocate what a header asks for. Beyond a bound, the source
 * posts an error of intakeerror.h and passes nothing more. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes that may come from the network before a decoder gets a packet, and
 * between two packets. A stream of 16 Mbit/s brings this in a minute, the
 * longest time between key frames; the largest packets have 20 MB. */
#define VHM_MAX_KEPT_BYTES (128 * 1024 * 1024)

/* What GStreamer needs for a buffer besides its data. It counts, too: a stream
 * of tiny buffers takes far more memory than their bytes. */
#define VHM_BUFFER_BYTES 512

/* Pixels of a picture, 8192x8192: twice as many as 8K has. */
#define VHM_MAX_PIXELS (64 * 1024 * 1024)

/* Streams of a container. GStreamer has two threads for each. */
#define VHM_MAX_STREAMS 32

/* Bytes of a Matroska stream besides its frames, as long as it runs. */
#define VHM_MAX_MATROSKA_BYTES (16 * 1024 * 1024)

/* Watches all elements that are added to @source. */
void vhm_intake_watch (GstElement * source);

G_END_DECLS
