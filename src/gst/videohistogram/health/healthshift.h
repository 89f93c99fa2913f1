/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a view that was shifted or rolled by a few percent: the parts of the
 * picture are looked for beside where they were learned. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* What a part shows: the logarithm of its level, less its neighbourhood's. */
typedef struct
{
  gdouble learned;              /* for how long, in ns; 0: not at all */
  gfloat part[VH_HEALTH_PARTS];
} VhHealthPattern;

typedef struct
{
  VhHealthPattern pattern[2];   /* of pictures with color, and without */
  gfloat recent[VH_HEALTH_PARTS];       /* levels, averaged over seconds */
  GstClockTime time;            /* of the last frame, or NONE */
  GstClockTime looked;          /* of the last frame that was compared, or
                                 * NONE */
  gdouble step;                 /* ns between the last two of these, or 0 */
  guint kind;                   /* of the last frame, an index of pattern */
  gdouble moved;                /* ns for which the view was another */
  gboolean again;               /* it was for so long that it is learned */

  /* Of the last comparison. */
  VhHealthPattern *now;         /* what the frame shows, not learned yet; NULL:
                                 * it was not looked at */
  gdouble value;                /* by how much the view is off, as a share of
                                 * the picture's width; NAN: not known */
  gdouble dx, dy;               /* how far it is shifted to the right and down,
                                 * likewise */
  gdouble roll;                 /* clockwise, in radians */
  const gchar *unknown;         /* why not */
} VhHealthShift;

VhHealthShift *vh_health_shift_new (void);
void vh_health_shift_free (VhHealthShift * shift);

/* Forgets what was learned. */
void vh_health_shift_clear (VhHealthShift * shift);

/* Says that the next frame does not continue the previous ones. */
void vh_health_shift_restart (VhHealthShift * shift);

/* Compares a frame with what was learned, about once a second. */
void vh_health_shift_follow (VhHealthShift * shift,
    const VhHealthEvidence * evidence, gboolean monochrome, GstClockTime time);

/* Says of a view with a value how it is off, in whole percent and degrees; NULL
 * if that is less than one of each. A static string. */
const gchar *vh_health_shift_describe (const VhHealthShift * shift);

/* Learns the last frame if it was compared, unless it was not recognised. A
 * @doubtful frame is only learned if nothing is known yet. */
void vh_health_shift_learn (VhHealthShift * shift, gboolean doubtful);

/* The same for a frame that only differs from the reference. If such frames
 * were seen for half an hour, and for longer than the reference was learned,
 * the reference is learned again. */
void vh_health_shift_learn_rival (VhHealthShift * shift);

G_END_DECLS
