/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideojointhistogram.h>
#include "layout.h"

G_BEGIN_DECLS

/* What makes a pending histogram complete. All are called with the histogram's
 * own lock held: they call nothing of it but vh_histogram_storage(). */
typedef struct
{
  /* Looks, without waiting, whether the counts are made, and if so writes them
   * to the storage. Returns the state that the histogram has from now on; not
   * called again once that is not PENDING. */
  GstVideoHistogramState (*poll) (gpointer job, GstVideoHistogram * histogram);
  /* Called once, when the histogram is freed. */
  void (*release) (gpointer job);
  /* Keep the counts on the device, and say where they are; or NULL. */
  gboolean (*map_device) (gpointer job, GstVideoHistogramDeviceView * view);
  void (*unmap_device) (gpointer job);
} VhPendingFuncs;

/* A histogram of what @info says, counted by @backend (a static string), whose
 * counters are zero. It is pending until vh_histogram_complete(),
 * vh_histogram_fail(), or until @funcs say so. NULL where there is no memory
 * for so many. */
GstVideoHistogram *vh_histogram_new (const GstVideoHistogramInfo * info,
    const gchar * backend);

/* Hands the histogram to @funcs; takes @job. */
void vh_histogram_set_pending (GstVideoHistogram * histogram,
    const VhPendingFuncs * funcs, gpointer job);

/* The counters, for the one who counts: `[channel][row][column][bin]`, of the
 * channels that are counted only, in the order of the enum. */
guint32 *vh_histogram_storage (GstVideoHistogram * histogram);

/* How many counters the storage has. */
gsize vh_histogram_storage_length (GstVideoHistogram * histogram);

/* The counters of one cell, NULL where the channel is not counted. */
guint32 *vh_histogram_cell (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row);

/* Says which joint histogram goes with it; before anybody else has it. */
void vh_histogram_set_joint (GstVideoHistogram * histogram,
    GstVideoJointHistogram * joint);

/* A joint histogram of @n_a x @n_b bins whose counters are zero, of @pixels
 * that @backend (a static string) counts. Its counts are a histogram of one
 * channel and so many bins, [a][b]; it is pending for as long as they are. */
GstVideoJointHistogram *vh_joint_histogram_new (GstVideoHistogramJoint kind,
    guint n_a, guint n_b, guint64 pixels, const gchar * backend);
GstVideoHistogram *vh_joint_histogram_counts (GstVideoJointHistogram * joint);

/* Ends PENDING. */
void vh_histogram_complete (GstVideoHistogram * histogram);
void vh_histogram_fail (GstVideoHistogram * histogram);

G_END_DECLS
