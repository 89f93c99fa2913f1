/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference: what a camera's pictures look like when nothing is wrong. It
 * is learned slowly, by hour of day, and separately for pictures with and
 * without color, because at night many cameras see another scene, lit by their
 * own lamp. */
#pragma once

#include "healthdamage.h"
#include "healthdrift.h"
#include "healthglare.h"
#include "healthobstruction.h"

G_BEGIN_DECLS

/* The light of the last minute, which lasts while most cells have become much
 * darker or brighter at once. */
typedef struct
{
  gboolean known;
  gdouble level[VH_HEALTH_CELLS];
} VhHealthLight;

typedef struct
{
  guint columns, rows;          /* of cells; 0x0: nothing learned */
  guint64 pixels;               /* of the pictures that textures were learned
                                 * from; 0: not learned */
  guint hour;                   /* of the last frame, 0 to 23 */
  GstClockTime time;            /* of the frame learned last, or NONE */
  GstClockTime seen;            /* of the last frame, or NONE */
  gdouble step;                 /* ns from the frame before it, or 0 */
  gboolean away;                /* the camera travels between views of a tour:
                                 * nothing is compared or learned */
  gint current;                 /* slot of the last frame, or -1 */
  gint last[2];                 /* last slot for pictures with color, and for
                                 * pictures without, or -1 */
  gint learned;                 /* last slot that was ready, or -1 */
  GstClockTime colored;         /* time of the last frame with color, or NONE;
                                 * not saved */
  GstClockTime relit;           /* time of the last frame that was brighter or
                                 * darker than the minute before, or NONE;
                                 * likewise */
  gboolean lost_colors;         /* since then, colors are gone, but the light is
                                 * the same; not saved */
  VhHealthRecent recent;
  VhHealthLight light;
  VhHealthSlot *rival;          /* what is shown while it differs from what was
                                 * learned, or NULL */
  gint rival_of;                /* the slot it differs from */
  VhHealthSlot *trail[2];       /* the usual scene in the last minutes, with
                                 * color and without, or NULL */
  VhHealthSlot *slot[VH_HEALTH_SLOTS];  /* or NULL */
  VhHealthDrift *drift;         /* or NULL: a GObject has at most 64 KiB */
} VhHealthReference;

/* How a frame compares with the reference; NAN if not known. */
typedef struct
{
  gdouble sharpness;            /* as a share of the learned sharpness */
  gdouble covered;              /* share of the cells */
  gdouble contrast;             /* as a share of the learned contrast */
  gdouble moved;                /* 1 - correlation of the cells, see
                                 * vh_health_scenes_compare() */
  gdouble tint;                 /* see vh_health_color_compare() */
  const gchar *hue;             /* of it, in words, or NULL */
  gdouble darkened;             /* share of the cells that have lost their
                                 * contents with the light, or have become
                                 * much darker at once */
  gdouble obstructed;           /* share of the picture, see
                                 * vh_health_obstruction_find() */
  guint64 obstructing;          /* the cells of it */
  gdouble damaged;              /* share of the picture, see
                                 * vh_health_damage_find() */
  guint64 damaging;             /* the cells of it */
  gdouble drifted;              /* what was lost within weeks, as a share */
  gdouble glare;                /* share of the picture, see
                                 * vh_health_glare_find() */
  guint64 glaring;              /* the cells of it */
  gdouble hidden;               /* share of the cells that have lost their
                                 * contents, for any reason */
  gdouble brightened;           /* share of the cells that have become much
                                 * brighter at once */
  gboolean faint;               /* most of them have, but the usual view shows
                                 * through */

  /* Why the condition cannot be judged, for those that are compared. */
  const gchar *unknown[GST_VIDEO_HEALTH_N_CONDITIONS];
} VhHealthComparison;

/* Reasons, besides those of healthscenes.h. */
#define VH_UNKNOWN_NOT_MEASURED "not-measured"
#define VH_UNKNOWN_LEARNING "learning"
#define VH_UNKNOWN_BETWEEN_VIEWS "between-views"
#define VH_UNKNOWN_TOO_EARLY "too-early"
#define VH_UNKNOWN_NO_CONTENTS "no-contents"
#define VH_UNKNOWN_TOO_FEW_FRAMES "too-few-frames"
#define VH_UNKNOWN_HIDDEN "hidden"
#define VH_UNKNOWN_NO_MOTION "no-motion"

void vh_health_reference_init (VhHealthReference * reference);

/* Forgets everything. */
void vh_health_reference_clear (VhHealthReference * reference);

/* Says that the next frame does not continue the previous ones. */
void vh_health_reference_restart (VhHealthReference * reference);

/* Selects the slot to compare a frame with: for its hour, from @real_time in ns
 * since 1970 or NONE, and for pictures with or without color. Days are counted
 * by @real_time, or without it by @time. */
void vh_health_reference_select (VhHealthReference * reference,
    const VhHealthEvidence * evidence, gboolean monochrome,
    GstClockTime time, GstClockTime real_time);

/* Adds a frame to the recent values. */
void vh_health_reference_follow (VhHealthReference * reference,
    const VhHealthEvidence * evidence, GstClockTime time);

VhHealthComparison vh_health_reference_compare (const VhHealthReference *
    reference, const VhHealthEvidence * evidence);

/* For tours: */

/* 1 minus the correlation of what @now shows with what @view has learned of
 * pictures with color, or without, whichever @now shows. NAN if that cannot be
 * told, or was learned for less than @learned ns. */
gdouble vh_health_reference_match (const VhHealthReference * view,
    const VhHealthReference * now, const VhHealthEvidence * evidence,
    gdouble learned);

/* For how long pictures of this kind have been learned, in ns. */
gdouble vh_health_reference_get_learned (const VhHealthReference * reference,
    gboolean monochrome);

/* Whether enough of the recent picture has contents. */
gboolean vh_health_reference_sees_something (const VhHealthReference *
    reference);

/* Learns again how sharp the picture is in the light of now. */
void vh_health_reference_forget_sharpness (VhHealthReference * reference);

/* Forgets what was learned of pictures with color, or without. */
void vh_health_reference_forget_kind (VhHealthReference * reference,
    gboolean monochrome);

/* Has the frames of @before, another view, be the recent ones. */
void vh_health_reference_continue (VhHealthReference * reference,
    VhHealthReference * before);

/* Learns from a frame without faults: sharpness from @sharp, which may ignore
 * cells, everything else from @evidence, which does not. A @doubtful frame gets
 * little weight even if little was learned so far; otherwise doubtful pictures
 * would soon count as normal. */
void vh_health_reference_learn (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    GstClockTime time, gboolean doubtful);

/* Learns a frame that shows the usual scene, even if it is not as sharp. If it
 * is @tinted, its colors are not learned. */
void vh_health_reference_learn_trail (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    gboolean tinted);

/* Learns a frame that differs from the reference beside it. If such frames were
 * seen for half an hour, and for longer than the reference was learned, they
 * replace it. Otherwise a camera that started in a bad minute would stay
 * wrong. */
void vh_health_reference_learn_rival (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp);

G_END_DECLS
