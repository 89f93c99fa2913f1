/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthloops.h"

#include <math.h>
#include <string.h>

/* Frames that are closer are left out, so that loops may last longer; with
 * frames that are farther apart, all is motion. */
#define MIN_STEP (70 * GST_MSECOND)
#define MAX_STEP (1050 * GST_MSECOND)

/* The shortest loop, in ms. */
#define MIN_LOOP 1000
/* It must repeat itself so often, and for so many ms. */
#define MIN_TIMES 2
#define MIN_TIME 6000

/* After so long it is known whether there is a loop. */
#define SETTLED (45 * GST_SECOND)

/* Frames match if they differ by at most this share of what changes from frame
 * to frame. */
#define MATCH 0.2
/* How much they may mismatch in a still picture, which has only noise. */
#define MAX_EXCESS 2e-6
/* What must have changed to tell a loop. */
#define MIN_MOTION 2e-6

/* Less is enough if frames match exactly, and at least every other frame has
 * changed: with JPEG, even noise comes back. */
#define EXACT 0.002
#define MIN_EXACT_MOTION 2e-8

/* A loop repeats everything, a machine in the view only itself: at least so
 * many parts must repeat, each at least so well. */
#define MIN_PARTS 5
#define PART_MATCH 0.3
/* The levels of parts are known to 2^-16. */
#define MIN_PART_MOTION 1e-8

/* Leaves, water and curtains swing everywhere in the view, and with few frames
 * a second they may look the same again. That is one pattern of motion, or two
 * that take turns. A loop also repeats the people and the noise: without the
 * strongest patterns, at least MIN_REST is left, in squared levels, and matches
 * this well. */
#define SWINGING 2
#define REST_MATCH 0.5
#define MIN_REST 1e-10
/* Rounds in which the strongest pattern is found. */
#define ROUNDS 20

/* Weight of a step in the usual one. */
#define PERIOD_WEIGHT 0.1

/* Time constants of sums, in s. */
#define LAG_PERIOD 20.0
#define MOTION_PERIOD 60.0

void
vh_health_loops_clear (VhHealthLoops * loops)
{
  loops->columns = loops->rows = loops->n = 0;
  loops->step = 0;
  loops->motion = loops->period = 0;
  loops->share = NAN;
  memset (loops->lag, 0, sizeof (loops->lag));
}

static void
set_levels (const VhHealthEvidence * evidence, guint16 levels[VH_LOOP_PARTS])
{
  gdouble sum[VH_LOOP_PARTS] = { 0, };
  guint count[VH_LOOP_PARTS] = { 0, };
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const guint x = i % evidence->columns * VH_LOOP_SIDE / evidence->columns;
    const guint y = i / evidence->columns * VH_LOOP_SIDE / evidence->rows;

    sum[y * VH_LOOP_SIDE + x] += evidence->cell[i].level;
    count[y * VH_LOOP_SIDE + x]++;
  }
  for (i = 0; i < VH_LOOP_PARTS; i++)
    levels[i] = lround (CLAMP (sum[i] / count[i], 0, 1) * G_MAXUINT16);
}

/* The frame of @ago frames ago; 0: the last one. */
static const guint16 *
get_frame (const VhHealthLoops * loops, guint ago)
{
  return loops->frame[(loops->n - 1 - ago) % VH_LOOP_FRAMES];
}

/* The mean squared difference, in levels. */
static gfloat
compare (const guint16 * a, const guint16 * b)
{
  gfloat sum = 0;
  guint i;

  for (i = 0; i < VH_LOOP_PARTS; i++) {
    const gfloat d = (gfloat) a[i] - b[i];

    sum += d * d;
  }
  return sum / ((gfloat) VH_LOOP_PARTS * G_MAXUINT16 * G_MAXUINT16);
}

static guint
get_age (const VhHealthLoops * loops)
{
  return (loops->time - loops->begun) / GST_MSECOND;
}

/* How long @lag frames take, in ms. */
static gdouble
get_length (const VhHealthLoops * loops, guint lag)
{
  return loops->period * lag;
}

/* Adds the last frame to what is known of a distance of @lag frames. A short
 * lag keeps @usually_kept of its sums. */
static void
follow (VhHealthLoops * loops, guint lag, gfloat change, gfloat passed,
    gfloat usually_kept)
{
  VhLoopLag *const one = &loops->lag[lag - 1];
  const gfloat length = get_length (loops, lag) / 1000;
  const gfloat kept = MIN_TIMES * length <= LAG_PERIOD ? usually_kept :
      expf (-passed / (gdouble) (MIN_TIMES * length));
  const gfloat mismatch = compare (get_frame (loops, 0), get_frame (loops,
          lag));

  if (lag == loops->n - 1)
    one->since = get_age (loops);
  one->excess = MAX (one->excess + passed * (mismatch - MATCH * change),
      -5 * MAX_EXCESS);
  one->mismatch = kept * one->mismatch + passed * mismatch;
  one->motion = kept * one->motion + passed * change;
  if (one->excess > MAX_EXCESS)
    *one = (VhLoopLag) {.since = get_age (loops) };
}

/* The share of what changes that repeats itself after @lag frames, or 0. */
static gdouble
get_repeated (const VhHealthLoops * loops, guint lag)
{
  const VhLoopLag *one = &loops->lag[lag - 1];
  const gboolean exact = one->mismatch <= EXACT * one->motion;
  const gdouble length = get_length (loops, lag);

  if (length < MIN_LOOP
      || one->motion < (exact ? MIN_EXACT_MOTION : MIN_MOTION)
      || get_age (loops) - one->since < MAX (MIN_TIMES * length, MIN_TIME))
    return 0;
  return MAX (1 - one->mismatch / one->motion, 0);
}

/* How many parts of the picture repeat themselves after @lag frames. */
static guint
count_parts (const VhHealthLoops * loops, guint lag)
{
  const guint n = MIN (loops->n, VH_LOOP_FRAMES) - lag;
  const gdouble passed = get_length (loops, 1) / 1000;
  guint count = 0, i, k;

  for (i = 0; i < VH_LOOP_PARTS; i++) {
    gdouble mismatch = 0, motion = 0;

    for (k = 0; k < MIN (n, 2 * lag); k++) {
      const gdouble now = get_frame (loops, k)[i];
      const gdouble d = now - get_frame (loops, k + lag)[i];
      const gdouble c = now - get_frame (loops, k + 1)[i];

      mismatch += d * d;
      motion += c * c;
    }
    count += motion * passed >= MIN_PART_MOTION * G_MAXUINT16 * G_MAXUINT16
        && mismatch <= PART_MATCH * motion;
  }
  return count;
}

/* Whether at least every other frame of the last @lag frames has changed. */
static gboolean
has_changes (const VhHealthLoops * loops, guint lag)
{
  guint changes = 0, k;

  for (k = 0; k < lag; k++)
    changes += compare (get_frame (loops, k), get_frame (loops, k + 1)) > 0;
  return 2 * changes >= lag;
}

/* Sums, over frames, of the products of the changes of two parts. */
typedef gdouble Products[VH_LOOP_PARTS][VH_LOOP_PARTS];

static void
add_products (Products sums, const guint16 * a, const guint16 * b)
{
  guint i, k;

  for (i = 0; i < VH_LOOP_PARTS; i++) {
    for (k = 0; k < VH_LOOP_PARTS; k++)
      sums[i][k] += ((gdouble) a[i] - b[i]) * ((gdouble) a[k] - b[k]);
  }
}

static gdouble
add_squares (Products sums)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < VH_LOOP_PARTS; i++)
    sum += sums[i][i];
  return sum;
}

/* Sets @result to @sums times @pattern. Returns their product. */
static gdouble
project (Products sums, const gdouble * pattern, gdouble * result)
{
  gdouble product = 0;
  guint i, k;

  for (i = 0; i < VH_LOOP_PARTS; i++) {
    result[i] = 0;
    for (k = 0; k < VH_LOOP_PARTS; k++)
      result[i] += sums[i][k] * pattern[k];
    product += result[i] * pattern[i];
  }
  return product;
}

/* Finds the strongest pattern of motion: by how much each part changes while
 * the others do. Its squares add up to 1. */
static void
find_pattern (Products motion, gdouble * pattern)
{
  gdouble next[VH_LOOP_PARTS];
  guint strongest = 0, round, i;

  for (i = 1; i < VH_LOOP_PARTS; i++) {
    if (motion[i][i] > motion[strongest][strongest])
      strongest = i;
  }
  memcpy (next, motion[strongest], sizeof (next));
  for (round = 0; round < ROUNDS; round++) {
    gdouble squares = 0;

    for (i = 0; i < VH_LOOP_PARTS; i++)
      squares += next[i] * next[i];
    for (i = 0; i < VH_LOOP_PARTS; i++)
      pattern[i] = squares > 0 ? next[i] / sqrt (squares) : 0;
    project (motion, pattern, next);
  }
}

static void
remove_pattern (Products sums, const gdouble * pattern)
{
  gdouble along[VH_LOOP_PARTS];
  const gdouble both = project (sums, pattern, along);
  guint i, k;

  for (i = 0; i < VH_LOOP_PARTS; i++) {
    for (k = 0; k < VH_LOOP_PARTS; k++)
      sums[i][k] += both * pattern[i] * pattern[k] - along[i] * pattern[k] -
          pattern[i] * along[k];
  }
}

/* Whether more than something that swings repeats itself after @lag frames. */
static gboolean
repeats_rest (const VhHealthLoops * loops, guint lag)
{
  const gdouble matching = (get_age (loops) - loops->lag[lag - 1].since) /
      get_length (loops, 1);
  const guint n = MIN (MIN (loops->n, VH_LOOP_FRAMES) - lag, matching);
  Products motion = { {0}, }, mismatch = { {0}, };
  gdouble pattern[VH_LOOP_PARTS], rest;
  guint k;

  for (k = 0; k < n; k++) {
    add_products (motion, get_frame (loops, k), get_frame (loops, k + 1));
    add_products (mismatch, get_frame (loops, k), get_frame (loops, k + lag));
  }
  for (k = 0; k < SWINGING; k++) {
    find_pattern (motion, pattern);
    remove_pattern (motion, pattern);
    remove_pattern (mismatch, pattern);
  }
  rest = add_squares (motion);
  return rest >= MIN_REST * n * VH_LOOP_PARTS * G_MAXUINT16 * G_MAXUINT16
      && add_squares (mismatch) <= REST_MATCH * rest;
}

static gdouble
find_share (const VhHealthLoops * loops)
{
  gdouble most = 0;
  guint best = 0, lag;

  for (lag = 1; lag <= MIN (loops->n - 1, VH_LOOP_LAGS); lag++) {
    const gdouble share = get_repeated (loops, lag);

    if (share > most) {
      most = share;
      best = lag;
    }
  }
  if (most >= 1 - MATCH && count_parts (loops, best) >= MIN_PARTS
      && (loops->lag[best - 1].motion >= MIN_MOTION
          || has_changes (loops, best)) && repeats_rest (loops, best))
    return most;
  return loops->time - loops->begun < SETTLED ? NAN : 0;
}

static void
begin (VhHealthLoops * loops, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  vh_health_loops_clear (loops);
  loops->columns = evidence->columns;
  loops->rows = evidence->rows;
  loops->begun = time;
}

void
vh_health_loops_add (VhHealthLoops * loops, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  const GstClockTime step = loops->columns > 0 && time > loops->time ?
      time - loops->time : 0;
  const gfloat passed = step / (gfloat) GST_SECOND;
  gfloat change, usually_kept;
  guint lag;

  if (loops->columns != evidence->columns || loops->rows != evidence->rows
      || time < loops->time || step > MAX_STEP) {
    begin (loops, evidence, time);
  } else if (step < MIN_STEP) {
    return;
  }
  loops->step = step;
  loops->time = time;
  loops->period += (loops->period > 0 ? PERIOD_WEIGHT : 1)
      * (step / (gdouble) GST_MSECOND - loops->period);
  set_levels (evidence, loops->frame[loops->n++ % VH_LOOP_FRAMES]);
  if (loops->n < 2)
    return;
  change = compare (get_frame (loops, 0), get_frame (loops, 1));
  loops->motion = loops->motion * exp (-passed / MOTION_PERIOD)
      + passed * change;
  usually_kept = expf (-passed / LAG_PERIOD);
  for (lag = 1; lag <= MIN (loops->n - 1, VH_LOOP_LAGS); lag++)
    follow (loops, lag, change, passed, usually_kept);
  loops->share = find_share (loops);
}

const guint16 *
vh_health_loops_get_last (const VhHealthLoops * loops)
{
  return get_frame (loops, 0);
}

gboolean
vh_health_loops_is_too_slow (const VhHealthLoops * loops)
{
  return loops->step > MAX_STEP;
}

gboolean
vh_health_loops_is_still (const VhHealthLoops * loops)
{
  return loops->motion < MIN_MOTION;
}

gdouble
vh_health_loops_get_share (const VhHealthLoops * loops)
{
  if (vh_health_loops_is_too_slow (loops)
      || (vh_health_loops_is_still (loops) && !(loops->share > 0)))
    return NAN;
  return loops->share;
}
