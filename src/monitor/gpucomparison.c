/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpucomparison.h"

#include <math.h>

/* s: at first, cameras reconnect and deliver queued frames; only then are
 * frames counted. */
#define SETTLING_SECONDS 10
#define COMPARISON_SECONDS 10

/* How much the frames of one camera vary in that time, by when the first one
 * comes. Key frames may be so far apart that it matters. */
#define FRAMES_OF_CHANCE 1

typedef struct
{
  const VhmFleet *fleet;
  VhmGpuComparisonFunc func;
  gpointer data;
  gdouble before;               /* frames per second */
  guint seconds;
  gint64 since;                 /* monotonic µs */
  guint64 frames;               /* at that time */
} Comparison;

static guint64
count_frames (const VhmFleet * fleet)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (fleet);
  guint64 frames = 0;
  guint i;

  for (i = 0; i < cameras->len; i++)
    frames += ((VhmCamera *) g_ptr_array_index (cameras, i))->frames;
  return frames;
}

static gboolean
on_second (gpointer data)
{
  Comparison *c = data;
  const gint64 now = g_get_monotonic_time ();
  gdouble after;

  c->seconds++;
  if (c->seconds == SETTLING_SECONDS) {
    c->since = now;
    c->frames = count_frames (c->fleet);
  }
  if (c->seconds < SETTLING_SECONDS + COMPARISON_SECONDS)
    return G_SOURCE_CONTINUE;
  /* Cameras that were removed meanwhile no longer count. */
  after = (gdouble) count_frames (c->fleet) - c->frames
      + FRAMES_OF_CHANCE * sqrt (vhm_fleet_get_cameras (c->fleet)->len);
  after *= G_TIME_SPAN_SECOND / (gdouble) (now - c->since);
  c->func (c->data, c->before > 0 ? MAX (after, 0) / c->before : 1);
  return G_SOURCE_REMOVE;
}

guint
vhm_gpu_comparison_start (const VhmFleet * fleet, VhmGpuComparisonFunc func,
    gpointer data)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (fleet);
  Comparison *c = g_new0 (Comparison, 1);
  guint i;

  c->fleet = fleet;
  c->func = func;
  c->data = data;
  for (i = 0; i < cameras->len; i++)
    c->before += vhm_camera_get_rate (g_ptr_array_index (cameras, i));
  return g_timeout_add_full (G_PRIORITY_DEFAULT, 1000, on_second, c, g_free);
}
