/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The views of a camera that goes on a tour. What was learned of the view that
 * the camera shows is in use, and the other views are kept here. */
#pragma once

#include "healthblocks.h"
#include "healthchurn.h"
#include "healthreference.h"
#include "healthshift.h"

G_BEGIN_DECLS

/* The most views of a camera. */
#define VH_HEALTH_VIEWS 16

/* What was learned of a view. */
typedef struct
{
  VhHealthReference *reference;
  VhHealthChurn *churn;
  VhHealthShift *shift;
  VhHealthBlocks *blocks;
} VhHealthView;

typedef struct
{
  guint most;                   /* views to learn, set by the caller */
  guint n;                      /* views that there is memory for, with the one
                                 * in use */
  guint at;                     /* the view in use */
  VhHealthView other[VH_HEALTH_VIEWS];  /* the others */

  GstClockTime left;            /* when the picture stopped to show a known
                                 * view, or NONE */
  GstClockTime begun;           /* when the newest view was begun, or NONE if
                                 * the camera has left it since */
  guint from;                   /* the view before the newest one */
  gint refused;                 /* the newest view, if the camera stays there
                                 * for so long that it is not a tour, or -1 */
  gboolean lost;                /* the picture shows no known view for so long
                                 * that the camera does not travel */
} VhHealthTour;

/* A frame, whose values were added to the reference in use. */
typedef struct
{
  VhHealthView now;             /* in use */
  const VhHealthEvidence *evidence;
  gboolean monochrome;
  GstClockTime time, real_time;
} VhHealthTourFrame;

VhHealthTour *vh_health_tour_new (void);
void vh_health_tour_free (VhHealthTour * tour);

/* Forgets all views except the one in use. */
void vh_health_tour_clear (VhHealthTour * tour);

/* Says that the next frame does not continue the previous ones. */
void vh_health_tour_restart (VhHealthTour * tour);

/* Adds a view, whose contents it takes. */
void vh_health_tour_add (VhHealthTour * tour, const VhHealthView * view);

/* Brings the view that the frame shows into use; learns a new view while there
 * is room. Sets `away` of the reference while the camera travels. */
void vh_health_tour_follow (VhHealthTour * tour,
    const VhHealthTourFrame * frame);

G_END_DECLS
