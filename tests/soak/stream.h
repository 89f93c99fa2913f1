/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An endless stream through videohistogram, videohealth, videoequalize and
 * videoscope. Caps change, it seeks, its source is replaced, the sink is late,
 * and all elements are replaced. Meanwhile the resources of the process are
 * recorded. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/footprint.h"
#include "common/frame.h"

G_BEGIN_DECLS

#define SOAK_FRAMES 4

/* Enough frames for the heap to settle long before the end. */
#define SOAK_LONG 1000000

typedef struct
{
  /* Set by the test. Fields set after soak_stream_init() take effect at the
   * next reconnect. */
  const gchar *backend;
  /* Moves @frame to the memory where it is counted; NULL leaves it where it
   * is. */
  GstBuffer *(*bring) (GstBuffer * frame, GstCaps * caps);
  /* Features of its caps. */
  GstCaps *(*make_caps) (GstCaps * caps);
  /* Called when the source is replaced. */
  void (*reconnect) (void);
  /* With this many streams, all but one count one frame per second and neither
   * correct nor draw; 0: all do everything. */
  guint light;
  /* Kernels never end. GStreamer's own memory on the GPU is not freed then,
   * because freeing would wait for them. */
  gboolean hangs;
  /* Frames with fixed_caps to use instead of random ones. */
  GstBuffer *fixed[SOAK_FRAMES];
  GstCaps *fixed_caps;

  TestElement histogram, health, equalize, scope;
  TestRandom random;
  TestFrame frame[SOAK_FRAMES];
  gboolean discont, ended;

  /* Counters so far. */
  guint64 n_frames, n_caps, n_flushes, n_reconnects, n_storms, n_elements;
  guint64 n_warnings;
  guint64 n_by_cpu, n_by_gpu;   /* messages with counts */
} SoakStream;

void soak_stream_init (SoakStream * self, guint64 seed);
void soak_stream_clear (SoakStream * self);

/* Passes a frame; anything may happen to the stream before it. */
void soak_stream_push (SoakStream * self);

/* Repeats the same few frames with the same settings until the stream ends.
 * Measure after it. */
void soak_stream_settle (SoakStream * self);

/* The values that soak_record_take() records. */
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
  gpointer counter;             /* noise of objects */
  gsize noise;                  /* noise of resident memory, bytes */
} SoakRecord;

/* Starts to count objects. Call once, before any are created. @noise: by how
 * many bytes the resident memory may grow until heaps have been in every
 * state. */
void soak_record_init (SoakRecord * self, gsize noise);
void soak_record_clear (SoakRecord * self);

/* Records the resources in use after @n_frames: @pinned and @device bytes, and
 * those of this process. */
void soak_record_take (SoakRecord * self, guint64 n_frames, gsize pinned,
    gsize device);

/* Fails if anything grows with the number of frames, by least squares over the
 * records after the warm-up. @figures publishes them as test figures. */
void soak_record_check (SoakRecord * self, const gchar * figures);

G_END_DECLS
