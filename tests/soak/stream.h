/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream that never ends, through videohistogram, videohealth, videoequalize
 * and then videoscope: caps change, it is sought, its source comes back, the
 * sink is late, and all elements are replaced. What the process occupies
 * meanwhile. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/footprint.h"
#include "common/frame.h"

G_BEGIN_DECLS

#define SOAK_FRAMES 4

/* So many frames that what heaps take to settle is nothing to them. */
#define SOAK_LONG 1000000

typedef struct
{
  /* Set by the test. What is in it after soak_stream_init() may be changed
   * before a reconnect. */
  const gchar *backend;
  /* Takes @frame to where it is to be counted; NULL: it stays. */
  GstBuffer *(*bring) (GstBuffer * frame, GstCaps * caps);
  /* Caps of that. */
  GstCaps *(*make_caps) (GstCaps * caps);
  /* The source is another one. */
  void (*reconnect) (void);
  /* All but one of this many streams have a frame counted each second, and none
   * corrected or drawn on; 0: none of them. */
  guint light;
  /* Kernels do not end. GStreamer's own memory on the GPU is not freed then,
   * which would wait for them. */
  gboolean hangs;
  /* Only these frames, which have fixed_caps, instead of random ones. */
  GstBuffer *fixed[SOAK_FRAMES];
  GstCaps *fixed_caps;

  TestElement histogram, health, equalize, scope;
  TestRandom random;
  TestFrame frame[SOAK_FRAMES];
  gboolean discont, ended;

  /* So far. */
  guint64 n_frames, n_caps, n_flushes, n_reconnects, n_storms, n_elements;
  guint64 n_warnings;
  guint64 n_by_cpu, n_by_gpu;   /* messages with counts */
} SoakStream;

void soak_stream_init (SoakStream * self, guint64 seed);
void soak_stream_clear (SoakStream * self);

/* Passes a frame, before which anything may happen to the stream. */
void soak_stream_push (SoakStream * self);

/* The same again and again: a stream of the same few frames with the same
 * settings, to its end. To be measured after it. */
void soak_stream_settle (SoakStream * self);

/* What is measured, by soak_record_take(). */
typedef enum
{
  SOAK_RESIDENT,                /* bytes */
  SOAK_PINNED,
  SOAK_DEVICE,
  SOAK_FILES,
  SOAK_THREADS,
  SOAK_OBJECTS,                 /* GstObjects and mini objects */
  SOAK_N_VALUES
} SoakValue;

typedef struct
{
  GArray *samples;
  gpointer counter;             /* of objects */
  gsize noise;                  /* of resident memory, bytes */
} SoakRecord;

/* Counts objects from now on: before there are any to speak of, and once.
 * @noise are bytes of resident memory that heaps take until they have been in
 * all states. */
void soak_record_init (SoakRecord * self, gsize noise);
void soak_record_clear (SoakRecord * self);

/* Notes what is occupied after @n_frames: @pinned and @device bytes, and what
 * this process has. */
void soak_record_take (SoakRecord * self, guint64 n_frames, gsize pinned,
    gsize device);

/* Fails where something grows as the frames pass, by the least squares of what
 * was noted after the warm-up. With @figures, they are test figures. */
void soak_record_check (SoakRecord * self, const gchar * figures);

G_END_DECLS
