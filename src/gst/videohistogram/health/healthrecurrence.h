/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds pictures that come back exactly. The noise of a live camera makes each
 * key frame a picture that was never seen before. If the camera hangs before
 * the coder, the same key frame is coded again and again, and the frames
 * between key frames repeat, too. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Pictures that are kept, one a second: key frames may be this many seconds
 * apart. */
#define VH_RECURRENCE_KEPT 32

typedef struct
{
  GstClockTime time;
  guint32 level[VH_HEALTH_CELLS];       /* in 2^-30 levels, from -1 */
  gboolean left;                /* other pictures came after it */
  gboolean moved;               /* one of them showed something else */
} VhKeptPicture;

typedef struct
{
  VhKeptPicture kept[VH_RECURRENCE_KEPT];       /* a ring */
  guint n_kept;                 /* ever */
  guint n_new;                  /* kept pictures that had never been seen */
  guint n_old;                  /* pictures that came back while the camera was
                                 * not known to be frozen */
} VhHealthRecurrence;

void vh_health_recurrence_restart (VhHealthRecurrence * self);

/* Adds a frame without the cells in @ignored. Returns the time at which its
 * picture was first seen if it came back, and the camera's pictures usually do
 * not; otherwise NONE. @active: the picture was frozen. */
GstClockTime vh_health_recurrence_follow (VhHealthRecurrence * self,
    const VhHealthEvidence * evidence, guint64 ignored, gboolean active,
    GstClockTime time);

G_END_DECLS
