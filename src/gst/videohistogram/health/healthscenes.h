/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares what a camera shows now with what it usually shows. */
#pragma once

#include "healthcolor.h"

G_BEGIN_DECLS

/* A cell with less contents, in levels, has nothing that could be covered, and
 * a picture with less spread cannot be more or less sharp. */
#define VH_HEALTH_MIN_CONTENTS 0.02

/* A cell's texture counts as at least this share of the picture's, so that
 * noise in two flat cells does not make a difference. */
#define VH_HEALTH_TEXTURE_FLOOR 0.1

/* What was learned for one hour. */
typedef struct
{
  gdouble learned;              /* how long it was learned, in ns */
  gdouble level;                /* mean of the picture; 0: not known */
  gdouble contents[VH_HEALTH_CELLS];    /* see get_contents() */
  gdouble levels[VH_HEALTH_CELLS];      /* see get_levels() */

  gdouble textures_learned;     /* how long the following was learned */
  gdouble sharpness;            /* texture of the picture without noise,
                                 * relative to its spread */
  gdouble relief;               /* spread of the levels of cells, relative to
                                 * the picture's level */
  gdouble texture_mean;         /* logarithm, relative to the level */
  gdouble texture[VH_HEALTH_CELLS];     /* logarithms, relative to the mean */

  gdouble colors_learned;       /* how long the following was learned */
  VhHealthColor color;          /* without the quartiles */
  gdouble hues_learned;         /* how long the quartiles were learned, which
                                 * states of earlier versions lack */
} VhHealthSlot;

/* The recent frames, averaged over about a second: rain and noise differ from
 * frame to frame, the scene does not. */
typedef struct
{
  GstClockTime time;            /* of the last frame, or NONE */
  gdouble contents[VH_HEALTH_CELLS];    /* all as in VhHealthSlot */
  gdouble levels[VH_HEALTH_CELLS];
  gdouble texture_mean;
  gdouble texture[VH_HEALTH_CELLS];
} VhHealthRecent;

/* A covered cell keeps less than this share of its contents. Fog leaves more,
 * unless it is so dense that it acts as a cover. */
#define VH_HEALTH_COVERED_SHARE 0.25

/* Whether cell @i has lost so much of its learned light that what was there
 * could hardly be seen. */
gboolean vh_health_scenes_is_dim (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint i);

/* Whether a cell of @level is dark, or dim and has at most half of its @usual
 * level. Amplified noise, and a bright sky, are brighter than dark pixels
 * are. */
gboolean vh_health_scenes_is_darkened (gdouble level, gdouble usual);

/* Whether a cell of @level is bright, and much brighter than its @usual
 * level. */
gboolean vh_health_scenes_is_brightened (gdouble level, gdouble usual);

/* 1 minus the correlation of the cells: 0 for the same scene, about 1 for
 * another one; NAN if that cannot be told, and then sets @unknown.
 * @sharpness: as a share of the learned one, or NAN; @sized: textures were
 * learned from pictures of this size; @hidden: cells not to compare. */
gdouble vh_health_scenes_compare (const VhHealthSlot * slot,
    const VhHealthRecent * recent, const VhHealthEvidence * evidence,
    gdouble sharpness, gboolean sized, guint64 hidden, const gchar ** unknown);

/* Why a scene cannot be compared. */
#define VH_UNKNOWN_NO_PATTERN "no-pattern"
#define VH_UNKNOWN_TOO_DARK "too-dark"

G_END_DECLS
