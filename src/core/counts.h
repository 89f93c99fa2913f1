/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The counters of one measurement, `[channel][row][column][bin]`, for the
 * counted channels only, in the order of the table of channels; and whether
 * they are complete. They stay pending while a device still has to count.
 * Thread-safe, except for the counters themselves: only the code that completes
 * them writes them, and they are constant after that. */
typedef struct _VhCounts VhCounts;

typedef struct
{
  guint channels;               /* a bit each */
  guint bins, columns, rows;
} VhCountsShape;

typedef enum
{
  VH_COUNTS_PENDING,
  VH_COUNTS_COMPLETE,
  VH_COUNTS_FAILED,
} VhCountsState;

/* Where counts lie on a device. */
typedef struct
{
  gpointer context;             /* of the device */
  gpointer event;               /* that a stream must wait for */
  guint64 counts;               /* address of guint32[cells][n_values] */
  guint n_values;
} VhCountsDeviceView;

/* How pending counts become complete. */
typedef struct
{
  /* Checks, without waiting, whether the counters are ready, and completes or
   * fails @counts if so. Called by any thread while they are pending, by one at
   * a time. */
  void (*poll) (gpointer job, VhCounts * counts);
  /* Called once, when @counts are freed: nothing writes to them after that. */
  void (*release) (gpointer job);
  /* Keeps the counters on the device, and sets @view to where they are; may be
   * NULL. */
  gboolean (*map_device) (gpointer job, VhCountsDeviceView * view);
  void (*unmap_device) (gpointer job);
} VhPendingFuncs;

/* Pending counters, all zero. NULL if there is not enough memory. */
VhCounts *vh_counts_new (const VhCountsShape * shape);
VhCounts *vh_counts_ref (VhCounts * counts);
void vh_counts_unref (VhCounts * counts);

/* Makes @counts pending and all zero again. FALSE if something else has a
 * reference, or they were handed to a device. */
gboolean vh_counts_renew (VhCounts * counts);

const VhCountsShape *vh_counts_shape (const VhCounts * counts);

/* All counters, and their number. */
guint32 *vh_counts_storage (VhCounts * counts);
gsize vh_counts_length (const VhCounts * counts);

/* The counters of one cell; NULL if @channel (its index in the table) is not
 * counted. */
guint32 *vh_counts_cell (VhCounts * counts, guint channel, guint column,
    guint row);

/* Hands pending @counts to @funcs; takes @job. */
void vh_counts_set_pending (VhCounts * counts, const VhPendingFuncs * funcs,
    gpointer job);

/* Records that a device counts into the transpose of a table of @side x @side:
 * completing the counts transposes it back. */
void vh_counts_transpose (VhCounts * counts, guint side);

/* Each ends the pending state. */
void vh_counts_complete (VhCounts * counts);
void vh_counts_fail (VhCounts * counts);

/* The current state; never waits. */
VhCountsState vh_counts_poll (VhCounts * counts);

/* Waits until @counts are no longer pending, at most @timeout ns. Returns
 * whether they are complete. */
gboolean vh_counts_wait (VhCounts * counts, GstClockTime timeout);

/* Keeps the counters on their device while they are mapped; FALSE if they are
 * not on a device. Call vh_counts_unmap_device() once for each success. */
gboolean vh_counts_map_device (VhCounts * counts, VhCountsDeviceView * view);
void vh_counts_unmap_device (VhCounts * counts);

G_END_DECLS
