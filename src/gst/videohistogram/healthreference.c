/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthreference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slot is compared with once it was learned for so long, in ns, ... */
#define READY_TIME (30.0 * GST_SECOND)
/* ... is the plain average of what it was learned from up to so long, and
 * follows at that pace after that, ... */
#define FOLLOW_TIME (3600.0 * GST_SECOND)
/* ... and a gap between frames counts for no more than this. */
#define MAX_STEP (10.0 * GST_SECOND)

/* A cell with less contents, in levels, has nothing that could be covered; nor
 * can a picture with less spread be more or less sharp. */
#define MIN_CONTENTS 0.02

/* The part of the cells that must have some. */
#define MIN_CELLS 0.25

/* Less than this share of a cell's contents is left when it is covered. Fog
 * leaves more, unless it is as good as a cover. */
#define COVERED_SHARE 0.25

/* So many standard errors of a cell's variance may be those of its noise. */
#define NOISE_ERRORS 2.0

/* The least part of the picture's mean texture that a cell is taken to have:
 * the noise of two flat cells is no difference. */
#define TEXTURE_FLOOR 0.1

/* The most of the picture's squared texture that is taken to be noise. */
#define MAX_NOISE 0.5

/* A lens out of focus leaves at most this share of the sharpness, and raises
 * the texture of hardly a cell: of this share of them, by this factor. */
#define SOFT_SHARE 0.5
#define RISEN_CELLS 0.1
#define RISEN_TEXTURE 1.1

/* With a smaller standard deviation all cells have about the same texture, such
 * as that of noise, and there is no pattern of them to compare. */
#define MIN_PATTERN 0.1
/* The same of their levels, as shares of the picture's. */
#define MIN_LEVELS 0.02
/* The same of textures within rows of cells. */
#define MIN_ROWS 0.12

void
vh_health_reference_init (VhHealthReference * reference)
{
  memset (reference, 0, sizeof (*reference));
  reference->time = GST_CLOCK_TIME_NONE;
  reference->current = reference->last[0] = reference->last[1] = -1;
  reference->learned = -1;
}

void
vh_health_reference_clear (VhHealthReference * reference)
{
  guint i;

  for (i = 0; i < VH_HEALTH_SLOTS; i++)
    g_free (reference->slot[i]);
  vh_health_reference_init (reference);
}

/* An hour begins with what is known of the hour before it. */
void
vh_health_reference_select (VhHealthReference * reference,
    const VhHealthEvidence * evidence, gboolean monochrome,
    GstClockTime real_time)
{
  gint *const last = &reference->last[monochrome ? 1 : 0];
  VhHealthSlot **slot;

  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return;
  if (reference->columns != evidence->columns
      || reference->rows != evidence->rows) {
    vh_health_reference_clear (reference);
    reference->columns = evidence->columns;
    reference->rows = evidence->rows;
  }
  if (GST_CLOCK_TIME_IS_VALID (real_time))
    reference->hour = real_time / (3600 * GST_SECOND) % VH_HEALTH_HOURS;

  reference->current = reference->hour + (monochrome ? VH_HEALTH_HOURS : 0);
  slot = &reference->slot[reference->current];
  if (!*slot) {
    *slot = *last >= 0 ?
        g_memdup2 (reference->slot[*last], sizeof (VhHealthSlot)) :
        g_new0 (VhHealthSlot, 1);
  }
  *last = reference->current;
}

/* The variance of the levels of cells. */
static gdouble
get_relief (const VhHealthEvidence * evidence)
{
  const guint n = evidence->columns * evidence->rows;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  gdouble sum = 0, square = 0;
  guint kept = 0, i;

  for (i = 0; i < n; i++) {
    const gdouble level = evidence->cell[i].level;

    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    sum += level;
    square += level * level;
    kept++;
  }
  return kept ? MAX (square / kept - sum / kept * sum / kept, 0) : 0;
}

/* The squared texture of what is seen. That of noise is the same in all of the
 * picture, so no cell has less. */
static gdouble
get_detail (const VhHealthEvidence * evidence)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  const gdouble square = evidence->texture * evidence->texture;
  gdouble noise = MAX_NOISE * square;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble texture = evidence->cell[i].texture;

    if (!VH_HEALTH_HAS_CELL (ignored, i))
      noise = MIN (noise, texture * texture);
  }
  return square - noise;
}

/* @relief: the most that cells differ by, relative to the mean level; what is
 * more is not of things, but of a lamp's glow, and makes no picture less
 * sharp. */
static gdouble
sharpness_of (const VhHealthEvidence * evidence, gdouble relief)
{
  const gdouble usual = relief * evidence->level;
  const gdouble more = MAX (get_relief (evidence) - usual * usual, 0);
  const gdouble spread =
      sqrt (MAX (evidence->spread * evidence->spread - more, 0));

  return spread >= MIN_CONTENTS ? sqrt (get_detail (evidence)) / spread : NAN;
}

/* The slope at cell @at of a line of @n cells that are @step apart, in levels
 * from one to the next: what is the same on both sides, for all that differs is
 * of things. */
static gdouble
get_slope (const VhHealthCell * line, guint at, guint n, guint step)
{
  const guint middle = CLAMP (at, 1, n - 2);
  const VhHealthCell *const cell = line + middle * step;
  const gdouble before = cell->level - (cell - step)->level;
  const gdouble after = (cell + step)->level - cell->level;

  if (before * after <= 0)
    return 0;
  return ABS (before) < ABS (after) ? before : after;
}

/* The variance that shading brings to a cell, as its neighbours show it: of a
 * wall that light falls on from one side, or of paint on a lens. */
static gdouble
get_shading (const VhHealthEvidence * evidence, guint i)
{
  const guint columns = evidence->columns;
  const guint x = i % columns, y = i / columns;
  const gdouble across = get_slope (evidence->cell + y * columns, x, columns,
      1);
  const gdouble down = get_slope (evidence->cell + x, y, evidence->rows,
      columns);

  return (across * across + down * down) / 12;
}

/* The variance that noise brings to a cell: what is another one in each pixel
 * adds half of its squared gradients. */
static gdouble
get_noise (const VhHealthEvidence * evidence, guint i)
{
  const gdouble texture = evidence->cell[i].texture;

  return evidence->textures ? texture * texture / 2 : 0;
}

/* The spread of a cell without that of shading and of noise. So a camera that
 * amplifies its noise when it is covered has no contents. */
static gdouble
get_contents (const VhHealthEvidence * evidence, guint i)
{
  const VhHealthCell *cell = &evidence->cell[i];

  return sqrt (MAX (cell->spread * cell->spread - get_noise (evidence, i)
          - get_shading (evidence, i), 0));
}

/* Whether of @usual contents next to nothing is left: a share, and what noise
 * may be taken for in a cell of so few pixels, which is no more than that. */
static gboolean
is_covered (const VhHealthEvidence * evidence, guint i, gdouble contents,
    gdouble usual)
{
  const gdouble share = COVERED_SHARE * usual;
  const gdouble error = NOISE_ERRORS * get_noise (evidence, i) /
      sqrt (MAX (evidence->cell[i].pixels, 1));

  return contents * contents < share * share + MIN (error, share * share);
}

/* The logarithms of the textures of all cells, relative to each other: more
 * light, or more contrast, is no change. Returns their mean, relative to the
 * picture's level. */
static gdouble
get_textures (const VhHealthEvidence * evidence, gdouble * textures)
{
  const guint n = evidence->columns * evidence->rows;
  gdouble mean = 0;
  guint i;

  for (i = 0; i < n; i++) {
    textures[i] = log (MAX (evidence->cell[i].texture, 1e-6)
        + TEXTURE_FLOOR * evidence->floor);
    mean += textures[i] / n;
  }
  for (i = 0; i < n; i++)
    textures[i] -= mean;
  return mean - log (MAX (evidence->level, MIN_CONTENTS));
}

/* The levels of all cells, as shares of the picture's, less 1. */
static void
get_levels (const VhHealthEvidence * evidence, gdouble * levels)
{
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    levels[i] = evidence->cell[i].level / MAX (evidence->level, MIN_CONTENTS)
        - 1;
}

static int
compare_doubles (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

/* What is left of the contents of each cell that has some, as a share: how many
 * cells have next to nothing, and how much half of them have, relative to the
 * light, which exposure or a lamp may have changed. */
static void
compare_contents (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    VhHealthComparison * comparison)
{
  const guint n = evidence->columns * evidence->rows;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  gdouble left[VH_HEALTH_CELLS];
  guint looked_at = 0, with_contents = 0, covered = 0, i;

  for (i = 0; i < n; i++) {
    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    looked_at++;
    if (slot->contents[i] >= MIN_CONTENTS) {
      const gdouble contents = get_contents (evidence, i);

      left[with_contents++] = contents / slot->contents[i];
      covered += is_covered (evidence, i, contents, slot->contents[i]);
    }
  }
  if (with_contents == 0 || with_contents < MIN_CELLS * looked_at)
    return;
  comparison->covered = (gdouble) covered / with_contents;
  qsort (left, with_contents, sizeof (*left), compare_doubles);
  if (slot->level > 0 && evidence->level > 0)
    comparison->contrast = left[with_contents / 2] * slot->level /
        evidence->level;
}

/* Leaves out the cells that are ignored, so that the mean of the others is 0.
 * Returns how many there are. */
static guint
keep_pattern (const VhHealthEvidence * evidence, gdouble * pattern)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  gdouble mean = 0;
  guint n = 0, i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (ignored, i)) {
      mean += pattern[i];
      pattern[n++] = pattern[i];
    }
  }
  for (i = 0; ignored && i < n; i++)
    pattern[i] -= mean / n;
  return n;
}

/* 1 less the correlation coefficient of patterns whose mean is 0: 0 for the
 * same scene, about 1 for another one. NAN if one of them, with a standard
 * deviation of less than @min, is no pattern. */
static gdouble
compare_patterns (const gdouble * a, const gdouble * b, guint n, gdouble min)
{
  const gdouble least = min * min * n;
  gdouble both = 0, of_a = 0, of_b = 0;
  guint i;

  for (i = 0; i < n; i++) {
    both += a[i] * b[i];
    of_a += a[i] * a[i];
    of_b += b[i] * b[i];
  }
  return n > 0 && of_a >= least && of_b >= least ?
      MAX (1 - both / sqrt (of_a * of_b), 0) : NAN;
}

/* The contents of cells as textures are given: logarithms, relative to each
 * other. */
static void
set_pattern (gdouble * pattern, const gdouble * contents, guint n)
{
  gdouble square = 0, mean = 0;
  guint i;

  for (i = 0; i < n; i++)
    square += contents[i] * contents[i] / n;
  for (i = 0; i < n; i++) {
    pattern[i] = log (MAX (contents[i], 1e-6) + TEXTURE_FLOOR * sqrt (square));
    mean += pattern[i] / n;
  }
  for (i = 0; i < n; i++)
    pattern[i] -= mean;
}

/* Whether textures that have fallen, by the logarithm @rise, did so as those of
 * a lens out of focus do. Of another scene some are higher. */
static gboolean
is_softer (const gdouble * now, const gdouble * before, gdouble rise, guint n)
{
  guint risen = 0, i;

  for (i = 0; i < n; i++)
    risen += now[i] - before[i] + rise > log (RISEN_TEXTURE);
  return risen <= RISEN_CELLS * n;
}

/* The same of the levels of cells. */
static gdouble
compare_levels (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  gdouble now[VH_HEALTH_CELLS], before[VH_HEALTH_CELLS];

  get_levels (evidence, now);
  memcpy (before, slot->levels, sizeof (before));
  keep_pattern (evidence, before);
  return compare_patterns (now, before, keep_pattern (evidence, now),
      MIN_LEVELS);
}

/* Leaves of a pattern what differs within rows of cells. */
static void
take_rows (const VhHealthEvidence * evidence, gdouble * rows,
    const gdouble * pattern)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  const guint columns = evidence->columns;
  guint x, y;

  for (y = 0; y < evidence->rows; y++) {
    gdouble mean = 0;
    guint n = 0;

    for (x = 0; x < columns; x++) {
      if (!VH_HEALTH_HAS_CELL (ignored, y * columns + x)) {
        mean += pattern[y * columns + x];
        n++;
      }
    }
    for (x = 0; x < columns; x++)
      rows[y * columns + x] = pattern[y * columns + x] - mean / MAX (n, 1);
  }
}

/* Two patterns of all cells: 1 less their correlation, and the same of what
 * differs within rows, which may be NAN. */
typedef struct
{
  gdouble all, rows;
} Likeness;

static Likeness
compare_cells (const VhHealthEvidence * evidence, gdouble * now,
    gdouble * before)
{
  gdouble now_rows[VH_HEALTH_CELLS], before_rows[VH_HEALTH_CELLS];
  Likeness likeness;
  guint n;

  take_rows (evidence, now_rows, now);
  take_rows (evidence, before_rows, before);
  keep_pattern (evidence, before_rows);
  n = keep_pattern (evidence, now_rows);
  likeness.rows = compare_patterns (now_rows, before_rows, n, MIN_ROWS);
  keep_pattern (evidence, before);
  keep_pattern (evidence, now);
  likeness.all = compare_patterns (now, before, n, MIN_PATTERN);
  return likeness;
}

/* Another scene has other textures and other contents, and so it has within
 * rows of cells: views in layers, such as a shore, are alike from side to side,
 * which outweighs the rest. A lens out of focus changes textures alone, for
 * what is large stays; and where all is small, no more than levels stay, which
 * of another scene may be alike. */
static gdouble
compare_scenes (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    gdouble sharpness)
{
  const guint n = evidence->columns * evidence->rows;
  gdouble now[VH_HEALTH_CELLS], before[VH_HEALTH_CELLS];
  gdouble contents[VH_HEALTH_CELLS], rise, moved;
  Likeness of_textures, of_contents;
  gboolean softer;
  guint i;

  rise = get_textures (evidence, now) - slot->texture_mean;
  memcpy (before, slot->texture, sizeof (before));
  softer = sharpness <= SOFT_SHARE && is_softer (now, before, rise, n);
  of_textures = compare_cells (evidence, now, before);
  if (isnan (of_textures.all))
    return NAN;
  for (i = 0; i < n; i++)
    contents[i] = get_contents (evidence, i);
  set_pattern (now, contents, n);
  set_pattern (before, slot->contents, n);
  of_contents = compare_cells (evidence, now, before);
  moved = fmin (of_textures.all, of_contents.all);
  if (!isnan (of_textures.rows) && !isnan (of_contents.rows))
    moved = fmax (moved, fmin (of_textures.rows, of_contents.rows));
  return softer ? fmin (moved, compare_levels (slot, evidence)) : moved;
}

/* What is covered has no colour either: as long as nothing is known of such
 * pictures, those with colour are what it is compared with. */
static gdouble
compare_colors (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  VhHealthColor color;

  if (!vh_health_color_get (evidence, &color))
    return NAN;
  return slot->colors_learned >= READY_TIME ?
      vh_health_color_compare (evidence, &color, &slot->color) :
      vh_health_color_get_tint (evidence);
}

VhHealthComparison
vh_health_reference_compare (const VhHealthReference * reference,
    const VhHealthEvidence * evidence)
{
  VhHealthComparison comparison = { NAN, NAN, NAN, NAN, NAN };
  const VhHealthSlot *slot;

  if (reference->current < 0
      || !(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return comparison;

  slot = reference->slot[reference->current];
  if (evidence->textures && slot->textures_learned >= READY_TIME) {
    if (slot->sharpness > 0)
      comparison.sharpness =
          sharpness_of (evidence, slot->relief) / slot->sharpness;
    comparison.moved = compare_scenes (slot, evidence, comparison.sharpness);
  }
  if (slot->learned < READY_TIME && reference->learned >= 0)
    slot = reference->slot[reference->learned];
  if (slot->learned >= READY_TIME)
    compare_contents (slot, evidence, &comparison);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA)
    comparison.tint = compare_colors (slot, evidence);
  return comparison;
}

/* A frame that is learned from. */
typedef struct
{
  const VhHealthEvidence *evidence, *sharp;
  gdouble step;                 /* time that it stands for, ns */
  gboolean doubtful;
} Lesson;

/* How much of it goes into what was learned for *@learned ns. */
static gdouble
weight_of (gdouble * learned, const Lesson * lesson)
{
  *learned += lesson->step;
  if (lesson->step <= 0)
    return 0;
  return lesson->step / (lesson->doubtful ? FOLLOW_TIME :
      MIN (*learned, FOLLOW_TIME));
}

static void
learn_textures (VhHealthSlot * slot, const Lesson * lesson)
{
  const VhHealthEvidence *evidence = lesson->evidence;
  const guint n = evidence->columns * evidence->rows;
  const gdouble relief = sqrt (get_relief (lesson->sharp)) /
      MAX (lesson->sharp->level, MIN_CONTENTS);
  const gdouble sharpness = sharpness_of (lesson->sharp, relief);
  gdouble textures[VH_HEALTH_CELLS], mean, weight;
  guint i;

  if (isnan (sharpness))
    return;
  weight = weight_of (&slot->textures_learned, lesson);
  slot->sharpness += weight * (sharpness - slot->sharpness);
  slot->relief += weight * (relief - slot->relief);
  mean = get_textures (evidence, textures);
  slot->texture_mean += weight * (mean - slot->texture_mean);
  for (i = 0; i < n; i++)
    slot->texture[i] += weight * (textures[i] - slot->texture[i]);
}

static void
learn_colors (VhHealthSlot * slot, const Lesson * lesson)
{
  VhHealthColor color;
  gdouble weight;

  if (!vh_health_color_get (lesson->evidence, &color))
    return;
  weight = weight_of (&slot->colors_learned, lesson);
  slot->color.u += weight * (color.u - slot->color.u);
  slot->color.v += weight * (color.v - slot->color.v);
  slot->color.spread += weight * (color.spread - slot->color.spread);
}

void
vh_health_reference_learn (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    GstClockTime time, gboolean doubtful)
{
  const guint n = evidence->columns * evidence->rows;
  Lesson lesson = { evidence, sharp, 0, doubtful };
  gdouble levels[VH_HEALTH_CELLS], weight;
  VhHealthSlot *slot;
  guint i;

  if (reference->current < 0
      || !(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return;
  if (GST_CLOCK_TIME_IS_VALID (reference->time) && time > reference->time)
    lesson.step = MIN (time - reference->time, MAX_STEP);
  reference->time = time;

  slot = reference->slot[reference->current];
  weight = weight_of (&slot->learned, &lesson);
  slot->level += (slot->level > 0 ? weight : 1) *
      (evidence->level - slot->level);
  get_levels (evidence, levels);
  for (i = 0; i < n; i++) {
    slot->contents[i] +=
        weight * (get_contents (evidence, i) - slot->contents[i]);
    slot->levels[i] += weight * (levels[i] - slot->levels[i]);
  }
  if (evidence->textures)
    learn_textures (slot, &lesson);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA)
    learn_colors (slot, &lesson);
  if (slot->learned >= READY_TIME)
    reference->learned = reference->current;
}
