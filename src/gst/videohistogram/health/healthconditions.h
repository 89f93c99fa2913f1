/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions, one row each, in the order of their enum values. */
#pragma once

#include "gst/videohistogram/gstvideohealthcondition.h"
#include "healthaverage.h"
#include "healthbands.h"
#include "healthflashes.h"
#include "healthblocks.h"
#include "healthloops.h"
#include "healthreference.h"
#include "healthrun.h"
#include "healthshake.h"
#include "healthshift.h"
#include "healthstripes.h"
#include "healthstuck.h"
#include "healthswings.h"

G_BEGIN_DECLS

#define VH_HEALTH_N GST_VIDEO_HEALTH_N_CONDITIONS

/* What the value of a condition is computed from. */
typedef struct
{
  const VhHealthEvidence *evidence;
  VhHealthComparison comparison;
  const VhHealthFlashes *flashes;
  const VhHealthBands *bands;
  gdouble damaged;              /* share of the last seconds */
  gdouble variance;             /* of noise, in squared levels */
  const VhHealthSwings *swings;
  const VhHealthLoops *loops;
  const VhHealthShift *shift;
  const VhHealthStripes *stripes;
  const VhHealthStuck *stuck;
  const VhHealthShake *shake;
  const VhHealthBlocks *blocks;
  guint flips;                  /* changes of color in the last hour */
  gdouble silence;              /* s since the last frame */
} VhHealthFacts;

/* Both thresholds of a rule. */
typedef struct
{
  gdouble enter, leave;
} VhHealthThresholds;

typedef struct
{
  const gchar *name;
  const gchar *description;
  const gchar *words;           /* of an operator */
  GstVideoHealthSeverity severity;
  gboolean optional;            /* not one of the default conditions */
  const gchar *advice;
  const gchar *topic;
  const gchar *unit;
  guint needs;                  /* GstVideoHealthEvidence that must be there */
  gboolean below;               /* small values are bad */
  VhHealthRule rule;            /* default */
  GstClockTime sure_after;      /* ns past enter after which no other condition
                                 * is reported for its cause, or 0: once it is
                                 * active */
  VhHealthThresholds low, high; /* of a less and of a more sensitive
                                 * condition */
  gdouble max;                  /* of its thresholds; the minimum is 0 */
  guint masks;                  /* conditions, a bit each, that explain its
                                 * value: while one is active, or past its
                                 * threshold, this one does not start */
  guint hidden_by;              /* conditions, a bit each, of the same cause:
                                 * while one is active and reported, this one
                                 * does not start */
  gboolean compares;            /* see VhHealthStep */
  gboolean learned;             /* the value depends on the reference */
  gboolean spoils;              /* no reference is learned while it is active or
                                 * past its threshold */
  const gchar *whole;           /* why no part of the picture can be ignored;
                                 * NULL: it can */
  gdouble (*value) (const VhHealthFacts * facts);       /* NAN: not known */
} VhHealthCondition;

extern const VhHealthCondition vh_health_conditions[VH_HEALTH_N];

G_END_DECLS
