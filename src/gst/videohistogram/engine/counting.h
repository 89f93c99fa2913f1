/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations that count a stream on one device. Each is configured when it
 * is needed, and again only if its settings have changed. */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Whether joint histograms can be counted. */
typedef enum
{
  VH_JOINT_UNPREPARED,
  VH_JOINT_READY,
  VH_JOINT_FAILED,              /* not tried again for every frame */
} VhJointState;

typedef struct
{
  VhDevice *device;             /* NULL while closed */
  GstElement *element;          /* named in debug output, or NULL */
  const VhLayout *layout;       /* of the frames */
  VhCountSpec spec;
  guint joint_bins;

  gboolean device_ready;
  guint upload_planes;          /* planes that the device is configured to
                                 * upload */
  VhCounter *counter;           /* NULL until it is needed */
  gboolean counter_ready;
  VhJointCounter *joint;        /* NULL until it is needed */
  VhJointState joint_state;
} VhCounting;

void vh_counting_open (VhCounting * self, VhDevice * device,
    GstElement * element);

/* Closes the operations, not the device. */
void vh_counting_close (VhCounting * self);

/* Sets what to count in frames of @layout from now on. @layout must stay in
 * place; @same_layout: its content has not changed. */
void vh_counting_set (VhCounting * self, const VhLayout * layout,
    gboolean same_layout, const VhCountSpec * spec, guint joint_bins);

/* Makes the device and the counter ready for frames whose @upload_planes are
 * copied to the device. FALSE with the error DEVICE or BACKEND. */
gboolean vh_counting_ensure (VhCounting * self, guint upload_planes,
    GError ** error);

/* Makes joint histograms ready too. */
gboolean vh_counting_ensure_joint (VhCounting * self, GError ** error);

/* Notes that the device failed: everything is configured again before the next
 * frame. */
void vh_counting_note_failure (VhCounting * self, const GError * error);

G_END_DECLS
