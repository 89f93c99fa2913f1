/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds pictures that get softer or dimmer within weeks. The reference follows
 * what the camera shows within days, so it follows a lens that gets dirty, too.
 * Here it is compared, once a day, with a second reference that follows it
 * within weeks. */
#pragma once

#include "healthscenes.h"

G_BEGIN_DECLS

#define VH_HEALTH_HOURS 24
/* With and without color. */
#define VH_HEALTH_SLOTS (2 * VH_HEALTH_HOURS)

typedef enum
{
  VH_DRIFT_SHARPNESS,
  VH_DRIFT_CONTRAST,            /* contents of the cells, relative to the
                                 * level */
  VH_DRIFT_LEVEL,
  VH_DRIFT_N
} VhDrift;

/* What is usual in the slot of the same number. */
typedef struct
{
  guint days;                   /* for which it was learned; 0: not known */
  gdouble learned;              /* by the slot, up to the last day, in ns */
  gdouble usual[VH_DRIFT_N];
  gdouble left[VH_DRIFT_N];     /* on the last day, as a share of what was
                                 * usual before */
} VhHealthDriftSlot;

typedef struct
{
  guint64 day;                  /* number of the last day */
  guint64 pixels;               /* of the pictures it was learned from */
  gdouble lost;                 /* share that most slots have lost; NAN: not
                                 * known */
  VhHealthDriftSlot slot[VH_HEALTH_SLOTS];
} VhHealthDrift;

/* Returns one that knows nothing, to be freed with g_free(). */
VhHealthDrift *vh_health_drift_new (void);

/* Adds the slots of the reference, of @n cells, from pictures of @pixels, if a
 * day is over. @time: in ns, real or not. */
void vh_health_drift_follow (VhHealthDrift * drift,
    VhHealthSlot * const slots[VH_HEALTH_SLOTS], guint n, guint64 pixels,
    GstClockTime time);

G_END_DECLS
