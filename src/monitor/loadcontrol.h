/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Has cameras with decode=auto judged by key frames while the processors are
 * overloaded, and notes when other programs leave too little of them. Main
 * thread only. */
#pragma once

#include "fleet.h"

G_BEGIN_DECLS

/* When to relieve a camera, and when to give it all frames again. */
typedef struct
{
  gint64 since;                 /* monotonic µs since when the load is low; 0:
                                 * it is not */
  gint64 returned;              /* when a camera last got all frames again */
  gint64 wait;                  /* how long the load must be low, or 0 for the
                                 * shortest */
} VhmLoadRule;

typedef enum
{
  VHM_LOAD_KEEP,
  VHM_LOAD_RELIEVE,             /* one more camera is judged by key frames */
  VHM_LOAD_RETURN,              /* one gets all frames again */
} VhmLoadStep;

/* What to do at the time @now, µs. @load is a share of the processors.
 * @dropping: frames were dropped because judging them was too slow, or came
 * late because the machine is too busy. @relieved: there are cameras that could
 * get all frames again. */
VhmLoadStep vhm_load_rule_step (VhmLoadRule * rule, gdouble load,
    gboolean dropping, gboolean relieved, gint64 now);

typedef struct _VhmLoadControl VhmLoadControl;

VhmLoadControl *vhm_load_control_new (VhmFleet * fleet);
void vhm_load_control_free (VhmLoadControl * control);

G_END_DECLS
