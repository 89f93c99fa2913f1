/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides whether coded video is still because it is frozen, or because nothing
 * moves. Between key frames coders leave out what hardly changes, so a live
 * camera may show the same picture for seconds. So this learns what is usual
 * for each camera: for how long nothing at all changes, how small the changes
 * get, and whether the very same picture ever comes back. */
#pragma once

#include "healthrecurrence.h"

G_BEGIN_DECLS

/* Changes are added up over two seconds. */
#define VH_STILL_PARTS 20
#define VH_STILL_PART (100 * GST_MSECOND)

/* The least changes are learned with a delay of this many spans; otherwise the
 * changes of a freezing picture would be learned before it is known to be
 * frozen. */
#define VH_STILL_DELAY 4
#define VH_STILL_SPAN (3 * GST_SECOND)

/* Changed cells are noted for one to two times this long. */
#define VH_STILL_TOUCHED (5 * GST_SECOND)

typedef enum
{
  VH_STILLNESS_UNKNOWN,
  VH_STILLNESS_ALIVE,
  VH_STILLNESS_STILL,           /* still for longer, or more still, than
                                 * usual */
} VhStillness;

/* The least change in a span of time: in all cells, and in the quietest ones,
 * which people rarely walk through. */
typedef struct
{
  guint64 all, quiet, quietest; /* quietest: the quieter half of the quiet
                                 * cells */
  gdouble logarithms;           /* sum of the logarithms of @all */
  guint n;                      /* frames; 0: nothing is known */
  guint n_bursts;               /* until then */
} VhStillSpan;

typedef struct
{
  /* Kept across restarts. */
  gdouble longest;              /* ns without any change while it was alive */
  gdouble observed;             /* ns for which the camera was observed */
  gdouble frames, left_out;     /* frames until the last change, and how many of
                                 * them changed nothing; not saved */
  gdouble parts;                /* frames in which only parts changed; not
                                 * saved */

  /* The previous frame. */
  gboolean has_last;
  guint columns, rows;
  guint64 ignored;
  gdouble level[VH_HEALTH_CELLS];
  gdouble difference;
  gboolean renewed;             /* it is now the kept frame, with which the next
                                 * one is compared */
  GstClockTime time;

  /* A run of identical frames. */
  GstClockTime changed;         /* time of the first of them */
  guint unchanged;              /* frames after the first */
  gdouble observed_before;      /* @observed at that time */
  gboolean broken;              /* something changed during a freeze */
  gdouble doubtful;             /* ns without any change after such a change;
                                 * counts as usual if the picture is still again
                                 * for STILL_AGAIN */

  /* Key frames. */
  GstClockTime key_frame;       /* time of the last one, or of the start */
  gdouble distance;             /* ns between the last two */
  guint n_same;                 /* how often in a row that was the distance */
  guint n_keys;                 /* distances that were learned */
  gboolean wakes;               /* key frames ended times without any change */
  gdouble farthest;             /* the longest of them, in ns */
  gdouble doubtful_key;         /* ns between the last two if it was frozen
                                 * meanwhile; otherwise 0 */
  GstClockTime whole;           /* time of the last change of the whole
                                 * picture */
  guint since_whole;            /* frames since then */
  guint64 touched, touched_before;      /* cells that have changed since then,
                                         * in the current span of time, and in
                                         * the one before */
  guint64 at_touched;           /* number of the current span */
  guint n_bursts;               /* frames that changed the whole picture, and
                                 * its quiet cells by far more than the frames
                                 * before: surely key frames */
  gdouble settled[VH_HEALTH_CELLS];     /* levels before the last key frame, as
                                         * good as the coder had made them */
  guint n_settled;              /* how often they were compared */
  gdouble least_renewed;        /* the least difference between two of them, in
                                 * the quietest cells */
  gboolean repeated;            /* the last difference was far less */

  /* Changes of the last two seconds, in 2^-32 levels. */
  guint64 part[VH_STILL_PARTS][VH_HEALTH_CELLS];
  guint64 sum[VH_HEALTH_CELLS];
  guint64 at_part;              /* number of the current part */
  GstClockTime window;          /* start of the uninterrupted changes in
                                 * part */
  GstClockTime quiet_since;     /* when changes became few, or NONE */

  VhHealthRecurrence recurrence;

  VhStillSpan span[VH_STILL_DELAY + 1];
  guint64 at_span;
  VhStillSpan least;            /* over all earlier spans */
  guint n_spans;
  gboolean has_learned;         /* for so long that a key frame must have
                                 * come */
  gboolean has_moved;           /* something moved in one of the spans */
  VhStillSpan stilled;          /* since there were fewer changes than ever
                                 * before */

  /* A freeze that has not lasted for the duration of its rule yet. */
  gboolean pending;
  gboolean lasted;              /* it has now, and is still a freeze */
  GstClockTime pending_since;
  GstClockTime doubted;         /* since when it has changed as usual; or
                                 * NONE */

  gboolean was_reported;
  GstClockTime ended;           /* when it was last found to be over; or 0 */
  guint times_again;            /* how often it then started again soon */

  /* The result. */
  VhStillness verdict;
  GstClockTime since;           /* start of STILL */
  GstClockTime hold;            /* how long changes must last to end a freeze; a
                                 * key frame does not end it */
} VhHealthStillness;

/* Says that the next frame does not continue the previous ones. */
void vh_health_stillness_restart (VhHealthStillness * self);

/* Learns again how much the picture changes. */
void vh_health_stillness_forget_changes (VhHealthStillness * self,
    GstClockTime time);

/* Judges a frame without the cells in @ignored. @duration: the least time that
 * the picture must be still; @active: it was frozen. */
void vh_health_stillness_follow (VhHealthStillness * self,
    const VhHealthEvidence * evidence, guint64 ignored, GstClockTime duration,
    gboolean active, GstClockTime time);

G_END_DECLS
