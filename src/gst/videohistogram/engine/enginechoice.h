/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which device an engine, an equalizer or a scope uses, and why it does not use
 * the other one. */
#pragma once

#include <gst/videohistogram/gstvideohistogramspec.h>
#include "devices/devices.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* named in debug output, or NULL */
  GstVideoHistogramBackend wanted;
  gboolean has_gpu;
  VhWhere caps;                 /* where frames are according to the caps */
  gboolean uploads;             /* frames in system memory go to the GPU */

  GMutex lock;
  const gchar *active;          /* static, NULL while closed; protected by
                                 * lock */
  gchar *reason;                /* why no other device is used; protected by
                                 * lock */
  gboolean degraded;            /* the device that should count has failed;
                                 * protected by lock */
} VhChoice;

void vh_choice_init (VhChoice * choice);
void vh_choice_clear (VhChoice * choice);

/* Sets which device counts now (NULL: none). @reason says why no other device
 * does; @degraded: because the device that should count has failed. */
void vh_choice_set_active (VhChoice * choice, const gchar * name,
    const gchar * reason, gboolean degraded);

/* For frames that are processed where they are: records that this is at
 * @where. */
void vh_choice_set_at (VhChoice * choice, VhWhere where);

/* Chooses the device for frames with @layout and @caps, of which @planes are
 * needed. */
void vh_choice_make (VhChoice * choice, GstCaps * caps,
    const VhLayout * layout, guint planes);

/* Where a frame at @where is counted. */
VhWhere vh_choice_for (const VhChoice * choice, VhWhere where);

/* Which planes of a frame at @where have to be copied to the device that counts
 * it. */
guint vh_choice_upload_planes (const VhChoice * choice, VhWhere where,
    guint planes);

/* May be called by any thread. */
const gchar *vh_choice_get_active (VhChoice * choice);
gchar *vh_choice_dup_reason (VhChoice * choice);
gboolean vh_choice_is_degraded (VhChoice * choice);

G_END_DECLS
