/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthblocks.h"
#include "healthrank.h"
#include "healthreference.h"

#include <math.h>
#include <string.h>

/* Averages of the last seconds have this time constant, in ns: coders give key
 * frames more bits than the frames after them. */
#define NOW_TIME (3.0 * GST_SECOND)
/* A frame stands for at most this time, in ns. */
#define MAX_STEP (10.0 * GST_SECOND)

/* What is usual is known after READY_TIME. Up to FOLLOW_TIME it is the plain
 * average, and then follows with this time constant, in ns: as night falls,
 * noise filters take faint gradients, too. Pictures with a value of DOUBTFUL or
 * more are not learned, but after DOUBT_TIME they are what is usual: the camera
 * may have another setting. */
#define READY_TIME (30.0 * GST_SECOND)
#define FOLLOW_TIME (600.0 * GST_SECOND)
#define DOUBT_TIME (1800.0 * GST_SECOND)
#define DOUBTFUL 0.3

/* If the level changes by this factor, the light is another, and so is the
 * noise. */
#define OTHER_LIGHT 1.4

/* Cells with a smaller share of faint gradients have none to lose, and fewer
 * cells than this say nothing. */
#define MIN_FAINT 0.05
#define MIN_CELLS 8
/* Flat gradients count as at least this share of a cell. */
#define MIN_FLAT 0.01

/* Fog, a lens out of focus and less light take the strong gradients, too, and
 * noise makes faint ones strong. So a loss counts in full between the inner two
 * of these limits of the texture, relative to what is usual, and not at all
 * beyond the outer two. */
#define LEAST_TEXTURE 0.6
#define LESS_TEXTURE 0.75
#define MORE_TEXTURE 1.5
#define MOST_TEXTURE 2.0

void
vh_health_blocks_init (VhHealthBlocks * self)
{
  memset (self, 0, sizeof (*self));
  vh_health_blocks_restart (self);
}

void
vh_health_blocks_restart (VhHealthBlocks * self)
{
  self->time = GST_CLOCK_TIME_NONE;
  self->step = 0;
  self->value = NAN;
  self->unknown = VH_UNKNOWN_LEARNING;
}

static void
blend (VhHealthCoded * average, const VhHealthCoded * new, gdouble weight)
{
  guint i;

  average->level += weight * (new->level - average->level);
  average->square += weight * (new->square - average->square);
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    average->flat[i] += weight * (new->flat[i] - average->flat[i]);
    average->faint[i] += weight * (new->faint[i] - average->faint[i]);
  }
}

static gboolean
is_other_light (const VhHealthCoded * a, const VhHealthCoded * b)
{
  return a->level > OTHER_LIGHT * b->level || b->level > OTHER_LIGHT * a->level;
}

static gdouble
get_faint (const VhHealthCoded * coded, guint cell)
{
  return coded->faint[cell] / MAX (coded->flat[cell], MIN_FLAT);
}

/* The share of its faint gradients that the median cell has lost. If too few
 * cells have any, it is not known, unless that was accepted: then the alarm
 * ends. */
static gdouble
find_loss (const VhHealthCoded * usual, const VhHealthCoded * now)
{
  gdouble left[VH_HEALTH_CELLS];
  guint n = 0, i;

  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    if (usual->faint[i] >= MIN_FAINT)
      left[n++] = get_faint (now, i) / get_faint (usual, i);
  }
  if (n < MIN_CELLS)
    return usual->accepted ? 0 : NAN;
  return MAX (1 - vh_health_find_median (left, n), 0);
}

/* How much of a loss counts if the picture has so much of its usual texture. */
static gdouble
get_trust (gdouble texture)
{
  const gdouble of_less = (texture - LEAST_TEXTURE)
      / (LESS_TEXTURE - LEAST_TEXTURE);
  const gdouble of_more = (MOST_TEXTURE - texture)
      / (MOST_TEXTURE - MORE_TEXTURE);

  return CLAMP (MIN (of_less, of_more), 0, 1);
}

static void
judge (VhHealthBlocks * self, const VhHealthCoded * usual)
{
  const VhHealthCoded *now = &self->now;
  gdouble loss, texture;

  self->value = NAN;
  self->unknown = VH_UNKNOWN_LEARNING;
  if (usual->learned + self->step < READY_TIME)
    return;
  self->unknown = VH_UNKNOWN_NO_CONTENTS;
  loss = find_loss (usual, now);
  if (isnan (loss) || usual->square <= 0)
    return;
  texture = sqrt (now->square / usual->square);
  self->value = loss * get_trust (texture);
}

/* Pictures have different sizes if their numbers of pixels differ. */
static void
follow_size (VhHealthBlocks * self, const VhHealthEvidence * evidence)
{
  guint64 pixels = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    pixels += evidence->cell[i].pixels;
  if (pixels != self->pixels)
    vh_health_blocks_init (self);
  self->pixels = pixels;
}

static VhHealthCoded
measure (const VhHealthEvidence * evidence)
{
  VhHealthCoded coded = {
    .level = evidence->level,
    .square = evidence->texture * evidence->texture,
  };
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    coded.flat[i] = evidence->cell[i].flat;
    coded.faint[i] = evidence->cell[i].faint;
  }
  return coded;
}

void
vh_health_blocks_follow (VhHealthBlocks * self,
    const VhHealthEvidence * evidence, gboolean monochrome, GstClockTime time)
{
  const GstVideoHealthEvidence needed = GST_VIDEO_HEALTH_EVIDENCE_LUMA
      | GST_VIDEO_HEALTH_EVIDENCE_GRADIENT | GST_VIDEO_HEALTH_EVIDENCE_CELLS;
  VhHealthCoded *usual = &self->usual[monochrome ? 1 : 0];
  VhHealthCoded frame;
  gdouble weight = 1;

  if ((evidence->present & needed) != needed || !evidence->gradients) {
    vh_health_blocks_restart (self);
    self->unknown = VH_UNKNOWN_NOT_MEASURED;
    return;
  }
  frame = measure (evidence);
  follow_size (self, evidence);
  self->step = 0;
  if (GST_CLOCK_TIME_IS_VALID (self->time) && time > self->time) {
    self->step = MIN (time - self->time, MAX_STEP);
    if (self->monochrome == monochrome)
      weight = 1 - exp (-self->step / NOW_TIME);
  }
  self->time = time;
  self->monochrome = monochrome;
  blend (&self->now, &frame, weight);
  if (is_other_light (&self->now, usual))
    usual->learned = 0;
  judge (self, usual);
}

void
vh_health_blocks_learn (VhHealthBlocks * self)
{
  VhHealthCoded *usual = &self->usual[self->monochrome ? 1 : 0];

  if (!GST_CLOCK_TIME_IS_VALID (self->time))
    return;
  if (usual->learned == 0 || usual->doubted >= DOUBT_TIME) {
    const gboolean accepted = usual->learned > 0;

    *usual = self->now;
    usual->learned = MAX (self->step, 1);
    usual->accepted = accepted;
  } else if (self->value >= DOUBTFUL) {
    usual->doubted += self->step;
  } else {
    usual->doubted = MAX (usual->doubted - self->step, 0);
    usual->learned += self->step;
    blend (usual, &self->now, self->step / MIN (usual->learned, FOLLOW_TIME));
  }
}
