/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a picture that was coded is still because it is frozen, or because
 * nothing moves. Between key frames coders leave out what hardly changes, so a
 * camera that is alive may show the same picture for seconds. What is usual is
 * learned of each camera: how long nothing at all changes, and how much changes
 * at least. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* What changes is added up over two seconds. */
#define VH_STILL_PARTS 20
#define VH_STILL_PART (100 * GST_MSECOND)

/* The least changes are learned later, or those of a picture that freezes would
 * be learned before it is known to be frozen: that many spans. */
#define VH_STILL_DELAY 4
#define VH_STILL_SPAN (3 * GST_SECOND)

typedef enum
{
  VH_STILLNESS_UNKNOWN,
  VH_STILLNESS_ALIVE,
  VH_STILLNESS_STILL,           /* for longer, or more, than is usual */
} VhStillness;

/* The least that changed in a span of time: of all cells, and of the quietest
 * ones, which people rarely walk through. */
typedef struct
{
  guint64 all, quiet, quietest; /* the last: of half of the quiet ones */
  gdouble logarithms;           /* sum of those of @all */
  guint n;                      /* frames; 0: nothing is known */
} VhStillSpan;

typedef struct
{
  /* Kept from start to start. */
  gdouble longest;              /* ns without any change while it was alive */
  gdouble observed;             /* ns that the camera was seen */
  gdouble frames, left_out;     /* of those until the last change: in how many
                                 * nothing changed; not saved */
  gdouble parts;                /* frames in which only parts changed; not
                                 * saved */

  /* The frame before. */
  gboolean has_last;
  guint columns, rows;
  guint64 ignored;
  gdouble level[VH_HEALTH_CELLS];
  gdouble difference;
  gboolean renewed;             /* it is what the next one is compared with */
  GstClockTime time;

  /* Frames that are all the same. */
  GstClockTime changed;         /* time of the first of them */
  guint unchanged;              /* frames after that */
  gdouble observed_before;      /* what was observed at that time */
  gboolean broken;              /* something changed while it was frozen */
  gdouble doubtful;             /* ns without any change meanwhile, which are
                                 * usual if the picture is still again soon */

  /* Key frames. */
  GstClockTime key_frame;       /* time of the last one, or the beginning */
  gdouble distance;             /* ns from the one before to that */
  guint n_same;                 /* how often it was that in a row */

  /* Changes of the last two seconds, in 2^-32 levels. */
  guint64 part[VH_STILL_PARTS][VH_HEALTH_CELLS];
  guint64 sum[VH_HEALTH_CELLS];
  guint64 at_part;              /* number of the current one */
  GstClockTime window;          /* time of the first frame in a row */
  GstClockTime quiet_since;     /* or NONE: there is more of them */

  VhStillSpan span[VH_STILL_DELAY + 1];
  guint64 at_span;
  VhStillSpan least;            /* of all spans before */
  guint n_spans;

  /* The answer. */
  VhStillness verdict;
  GstClockTime since;           /* of STILL */
  GstClockTime hold;            /* how long there have to be changes until it is
                                 * no longer frozen: a key frame is none */
} VhHealthStillness;

/* The next frame does not continue the ones before. */
void vh_health_stillness_restart (VhHealthStillness * self);

/* Judges a frame, without the cells that @ignored has. @duration: how long it
 * has to be still at least; @active: it was frozen. */
void vh_health_stillness_follow (VhHealthStillness * self,
    const VhHealthEvidence * evidence, guint64 ignored, GstClockTime duration,
    gboolean active, GstClockTime time);

G_END_DECLS
