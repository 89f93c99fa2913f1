/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a camera that shakes: blocks all over the picture move to and fro
 * together. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Frames that are remembered. */
#define VH_SHAKE_FRAMES 64

/* Where a frame shows the view. */
typedef struct
{
  GstClockTime time;
  gdouble x, y;                 /* how far to the right and down of the mean
                                 * picture, as shares of the picture's width;
                                 * NAN: not known */
} VhHealthPlace;

typedef struct
{
  gfloat mean[VH_HEALTH_PARTS]; /* the picture of the last seconds: logarithms
                                 * of levels, smoothed */
  GstClockTime time;            /* of the last frame that was looked at, or
                                 * NONE */
  guint n;                      /* such frames */
  VhHealthPlace place[VH_SHAKE_FRAMES]; /* of the last of these, a ring */

  /* The result */
  gdouble value;                /* how far the view moves from its middle, as a
                                 * share of the picture's width; NAN: not
                                 * known */
  const gchar *direction;       /* or NULL */
  const gchar *unknown;         /* why it is not known */
} VhHealthShake;

/* Says that the next frame does not continue the previous ones. */
void vh_health_shake_restart (VhHealthShake * self);

/* Processes a frame; @evidence has parts. */
void vh_health_shake_follow (VhHealthShake * self,
    const VhHealthEvidence * evidence, GstClockTime time);

G_END_DECLS
