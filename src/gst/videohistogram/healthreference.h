/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pictures of a camera look like when nothing is wrong: learned
 * slowly, by hour of day, and apart for pictures with and without color, since
 * by night many cameras see another scene, by a lamp of their own. */
#pragma once

#include "healthcolor.h"

G_BEGIN_DECLS

#define VH_HEALTH_HOURS 24
/* With and without color. */
#define VH_HEALTH_SLOTS (2 * VH_HEALTH_HOURS)

/* What is known of one hour. */
typedef struct
{
  gdouble learned;              /* time that it was learned for, in ns */
  gdouble level;                /* mean of the picture; 0: not known */
  gdouble contents[VH_HEALTH_CELLS];    /* see get_contents() */
  gdouble levels[VH_HEALTH_CELLS];      /* see get_levels() */

  gdouble textures_learned;     /* the same, of the following */
  gdouble sharpness;            /* texture of the picture without noise,
                                 * relative to its spread */
  gdouble relief;               /* spread of the levels of cells, relative to
                                 * that of the picture */
  gdouble texture_mean;         /* logarithm, relative to the level */
  gdouble texture[VH_HEALTH_CELLS];     /* the same, relative to that */

  gdouble colors_learned;       /* the same, of the following */
  VhHealthColor color;
} VhHealthSlot;

/* What is seen, on average over about a second: rain and noise differ from
 * frame to frame, and things do not. */
typedef struct
{
  GstClockTime time;            /* of the last frame, or NONE */
  gdouble contents[VH_HEALTH_CELLS];    /* the same as of a slot */
  gdouble levels[VH_HEALTH_CELLS];
  gdouble texture_mean;
  gdouble texture[VH_HEALTH_CELLS];
} VhHealthRecent;

typedef struct
{
  guint columns, rows;          /* of cells; 0x0: nothing learned */
  guint64 pixels;               /* of the pictures that textures were learned
                                 * from; 0: of none */
  guint hour;                   /* of the last frame, 0 to 23 */
  GstClockTime time;            /* when a frame was learned last, or NONE */
  gint current;                 /* slot of the last frame, or -1 */
  gint last[2];                 /* the last one of pictures with color, and of
                                 * those without, or -1 */
  gint learned;                 /* the last one that was ready, or -1 */
  VhHealthRecent recent;
  VhHealthSlot *slot[VH_HEALTH_SLOTS];  /* or NULL */
} VhHealthReference;

/* How a frame compares with the reference; NAN where that is not known. */
typedef struct
{
  gdouble sharpness;            /* as a share of what it was */
  gdouble covered;              /* share of the cells */
  gdouble contrast;             /* that is left, as a share of what it was */
  gdouble moved;                /* 1 - correlation of the cells, see
                                 * compare_scenes() */
  gdouble tint;                 /* see vh_health_color_compare() */
} VhHealthComparison;

void vh_health_reference_init (VhHealthReference * reference);

/* Forgets all. */
void vh_health_reference_clear (VhHealthReference * reference);

/* The next frame does not continue the ones before. */
void vh_health_reference_restart (VhHealthReference * reference);

/* Finds what to compare a frame with: of its hour, by @real_time in ns since
 * 1970 or NONE, and of pictures with color or without. */
void vh_health_reference_select (VhHealthReference * reference,
    const VhHealthEvidence * evidence, gboolean monochrome,
    GstClockTime real_time);

/* Adds a frame to what is seen now. */
void vh_health_reference_follow (VhHealthReference * reference,
    const VhHealthEvidence * evidence, GstClockTime time);

VhHealthComparison vh_health_reference_compare (const VhHealthReference *
    reference, const VhHealthEvidence * evidence);

/* Learns from a frame that nothing is wrong with: sharpness from @sharp, which
 * may ignore cells, the rest from @evidence, which does not. A frame that is
 * @doubtful counts no more in what is young than in what is old, or else it
 * would soon be what is usual. */
void vh_health_reference_learn (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    GstClockTime time, gboolean doubtful);

G_END_DECLS
