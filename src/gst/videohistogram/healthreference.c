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
/* ... a frame in doubt counts as much as in what was learned for this long at
 * least, a tenth of one that is not: or it would soon be what is usual, ... */
#define DOUBT_TIME (360.0 * GST_SECOND)
/* ... and a gap between frames counts for no more than this. */
#define MAX_STEP (10.0 * GST_SECOND)

/* A picture with so many times the pixels is of another size. */
#define OTHER_SIZE 1.1

/* What is seen now is the average over about so long. */
#define RECENT_TIME (1.0 * GST_SECOND)

/* If red and blue fall by this share, both, the light has not changed but
 * something is wrong, which would make what is right look tinted later. */
#define GREEN 0.08

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

/* Up to this share of the picture's squared texture that of its flattest cell
 * was learned to be noise, which may be all that is left of a blurred picture.
 * From the second one on that cell has details, too, and noise is at most this
 * part of all. */
#define FLAT_SHARE 0.5
#define ROUGH_SHARE 0.75
#define MAX_NOISE 0.5

/* A lens out of focus leaves at most this share of the sharpness, and raises
 * the texture of hardly a cell: of this share of them, by this factor. */
#define SOFT_SHARE 0.5
#define RISEN_CELLS 0.1
#define RISEN_TEXTURE 1.1

/* Rain and noise make a picture sharper than the lens is. What is learned
 * follows a sharper frame as if it were no more than so much sharper, or dry
 * weather were blurry after an hour of rain. */
#define MAX_SHARPER 1.1

/* With a smaller standard deviation all cells have about the same texture, such
 * as that of noise, and there is no pattern of them to compare. */
#define MIN_PATTERN 0.1
/* It is another picture if one with so much of a pattern has none left, while
 * this part of the cells have contents: a lawn, gravel or cloth. */
#define CLEAR_PATTERN 0.2
#define EVEN_CELLS 0.75
/* The same as MIN_PATTERN, of what differs within rows or columns of cells. */
#define MIN_WITHIN 0.12
/* And of levels, as shares of the picture's. */
#define MIN_LEVELS 0.02

/* Levels are of what is large, of which a turn leaves more where it was: what
 * they differ by counts so many times. */
#define LEVELS_WEIGHT 2.0

void
vh_health_reference_init (VhHealthReference * reference)
{
  memset (reference, 0, sizeof (*reference));
  vh_health_reference_restart (reference);
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

void
vh_health_reference_restart (VhHealthReference * reference)
{
  reference->time = reference->recent.time = GST_CLOCK_TIME_NONE;
}

/* Textures are of neighbouring pixels: of a picture of another size they are
 * other ones, and have to be learned again. Until then scenes are compared by
 * what does not depend on the size. */
static void
check_size (VhHealthReference * reference, const VhHealthEvidence * evidence)
{
  guint64 pixels = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    pixels += evidence->cell[i].pixels;
  if (pixels == 0 || (reference->pixels > 0
          && pixels < OTHER_SIZE * reference->pixels
          && pixels * OTHER_SIZE > reference->pixels))
    return;
  reference->pixels = pixels;
  reference->recent.time = GST_CLOCK_TIME_NONE;
  for (i = 0; i < VH_HEALTH_SLOTS; i++) {
    if (reference->slot[i])
      reference->slot[i]->textures_learned = reference->slot[i]->sharpness = 0;
  }
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
  check_size (reference, evidence);
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

/* The share of the squared texture that may be noise, by that which the
 * flattest cell was learned to have. */
static gdouble
get_most_noise (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  gdouble least = G_MAXDOUBLE, sum = 0;
  guint kept = 0, i;

  if (slot->textures_learned < READY_TIME)
    return MAX_NOISE;
  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble square = exp (2 * slot->texture[i]);

    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    least = MIN (least, square);
    sum += square;
    kept++;
  }
  return kept == 0 ? MAX_NOISE :
      CLAMP (1 - (1 - MAX_NOISE) * (least / (sum / kept) - FLAT_SHARE) /
      (ROUGH_SHARE - FLAT_SHARE), MAX_NOISE, 1);
}

/* The squared texture of what is seen. That of noise is the same in all of the
 * picture, so no cell has less. */
static gdouble
get_detail (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  const gdouble square = evidence->texture * evidence->texture;
  gdouble noise = get_most_noise (slot, evidence) * square;
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
sharpness_of (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    gdouble relief)
{
  const gdouble usual = relief * evidence->level;
  const gdouble more = MAX (get_relief (evidence) - usual * usual, 0);
  const gdouble spread =
      sqrt (MAX (evidence->spread * evidence->spread - more, 0));

  return spread >= MIN_CONTENTS ?
      sqrt (get_detail (slot, evidence)) / spread : NAN;
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

/* The cells of a pattern. */
typedef struct
{
  guint columns, rows;
  guint64 ignored;
} Grid;

/* Leaves out the cells that are ignored, so that the mean of the others is 0.
 * Returns how many there are. */
static guint
keep_pattern (const Grid * grid, gdouble * pattern)
{
  gdouble mean = 0;
  guint n = 0, i;

  for (i = 0; i < grid->columns * grid->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (grid->ignored, i)) {
      mean += pattern[i];
      pattern[n++] = pattern[i];
    }
  }
  for (i = 0; grid->ignored && i < n; i++)
    pattern[i] -= mean / n;
  return n;
}

static gdouble
get_mean_square (const gdouble * pattern, guint n)
{
  gdouble squares = 0;
  guint i;

  for (i = 0; i < n; i++)
    squares += pattern[i] * pattern[i];
  return squares / MAX (n, 1);
}

/* 1 less the correlation coefficient of patterns whose mean is 0: 0 for the
 * same scene, about 1 for another one. NAN if one of them, with a standard
 * deviation of less than @min, is no pattern. */
static gdouble
compare_patterns (const gdouble * a, const gdouble * b, guint n, gdouble min)
{
  const gdouble of_a = get_mean_square (a, n), of_b = get_mean_square (b, n);
  gdouble both = 0;
  guint i;

  for (i = 0; i < n; i++)
    both += a[i] * b[i] / n;
  return n > 0 && MIN (of_a, of_b) >= min * min ?
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

/* Leaves of a pattern what differs within lines: @n cells that are @step apart,
 * in @count lines that are @next apart. */
static void
take_lines (guint64 ignored, gdouble * pattern, guint n, guint step,
    guint count, guint next)
{
  guint line, i;

  for (line = 0; line < count; line++) {
    gdouble mean = 0;
    guint kept = 0;

    for (i = 0; i < n; i++) {
      if (!VH_HEALTH_HAS_CELL (ignored, line * next + i * step)) {
        mean += pattern[line * next + i * step];
        kept++;
      }
    }
    for (i = 0; i < n; i++)
      pattern[line * next + i * step] -= mean / MAX (kept, 1);
  }
}

/* What is compared of a pattern. */
static const struct
{
  gboolean within_rows, within_columns;
} views[] = { {FALSE, FALSE}, {TRUE, FALSE}, {FALSE, TRUE}, {TRUE, TRUE} };

/* Returns of how many cells @view of a pattern is. */
static guint
take_view (const Grid * grid, const gdouble * pattern, guint view,
    gdouble * taken)
{
  const guint columns = grid->columns, rows = grid->rows;

  memcpy (taken, pattern, columns * rows * sizeof (*taken));
  if (views[view].within_rows)
    take_lines (grid->ignored, taken, columns, 1, rows, columns);
  if (views[view].within_columns)
    take_lines (grid->ignored, taken, rows, columns, columns, 1);
  return keep_pattern (grid, taken);
}

static gdouble
compare_views (const Grid * grid, const gdouble * a, const gdouble * b,
    guint view, gdouble min)
{
  gdouble of_a[VH_HEALTH_CELLS], of_b[VH_HEALTH_CELLS];

  take_view (grid, a, view, of_a);
  return compare_patterns (of_a, of_b, take_view (grid, b, view, of_b), min);
}

/* Whether the picture has details everywhere that are all alike, where it had a
 * pattern. Noise has no contents. */
static gboolean
has_lost_pattern (const Grid * grid, const VhHealthRecent * recent,
    const gdouble * usual)
{
  gdouble now[VH_HEALTH_CELLS], before[VH_HEALTH_CELLS];
  const guint n = take_view (grid, recent->texture, 0, now);
  guint with_contents = 0, i;

  take_view (grid, usual, 0, before);
  for (i = 0; i < grid->columns * grid->rows; i++) {
    with_contents += !VH_HEALTH_HAS_CELL (grid->ignored, i)
        && recent->contents[i] >= MIN_CONTENTS;
  }
  return with_contents >= EVEN_CELLS * n
      && get_mean_square (now, n) < MIN_PATTERN * MIN_PATTERN
      && get_mean_square (before, n) >= CLEAR_PATTERN * CLEAR_PATTERN;
}

/* Textures of another size say nothing, and contents do nearly the same. */
static gdouble
compare_details (const Grid * grid, const VhHealthRecent * recent,
    const gdouble * usual, const gdouble * contents,
    const gdouble * usual_contents, guint view, gboolean sized)
{
  const gdouble least = view ? MIN_WITHIN : MIN_PATTERN;
  gdouble of_textures = sized ?
      compare_views (grid, recent->texture, usual, view, least) : 0;
  const gdouble of_contents =
      compare_views (grid, contents, usual_contents, view, least);

  if (!sized)
    return of_contents;
  if (view == 0 && isnan (of_textures)
      && has_lost_pattern (grid, recent, usual))
    of_textures = 1;
  /* In the whole picture either will do, if there are textures. */
  if (isnan (of_textures) || (view > 0 && isnan (of_contents)))
    return NAN;
  return fmin (of_textures, of_contents);
}

/* Another scene has other textures, other contents and other levels. Rain, or
 * more noise, changes the first two, and a lamp or a shadow the levels. Views
 * in layers, such as a shore, are alike from side to side, and others from top
 * to bottom, which outweighs the rest: it is enough if they are other ones
 * within rows of cells, within columns, or within both. A lens out of focus
 * changes textures alone, for what is large stays; and where all is small, no
 * more than levels stay. */
static gdouble
compare_scenes (const VhHealthSlot * slot, const VhHealthRecent * recent,
    const VhHealthEvidence * evidence, gdouble sharpness, gboolean sized)
{
  const Grid grid = { evidence->columns, evidence->rows,
    vh_health_evidence_find_ignored (evidence)
  };
  const guint n = grid.columns * grid.rows;
  gdouble now[VH_HEALTH_CELLS], before[VH_HEALTH_CELLS];
  gdouble moved = NAN, most = NAN, whole = NAN;
  guint view;

  set_pattern (now, recent->contents, n);
  set_pattern (before, slot->contents, n);
  for (view = 0; view < G_N_ELEMENTS (views); view++) {
    const gdouble details = compare_details (&grid, recent, slot->texture,
        now, before, view, sized);
    const gdouble levels = compare_views (&grid, recent->levels,
        slot->levels, view, MIN_LEVELS);

    if (view == 0 && isnan (details))
      return NAN;
    if (view == 0)
      whole = levels;
    moved = fmax (moved, details);
    most = fmax (most, levels);
  }
  moved = fmin (moved, LEVELS_WEIGHT * most);
  return sharpness <= SOFT_SHARE && is_softer (recent->texture, slot->texture,
      recent->texture_mean - slot->texture_mean, n) ? fmin (moved, whole) :
      moved;
}

/* What is covered has no color either: as long as nothing is known of such
 * pictures, those with color are what it is compared with. */
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
  if (evidence->textures && slot->learned >= READY_TIME) {
    const gboolean sized = slot->textures_learned >= READY_TIME;

    if (sized && slot->sharpness > 0)
      comparison.sharpness =
          sharpness_of (slot, evidence, slot->relief) / slot->sharpness;
    comparison.moved = compare_scenes (slot, &reference->recent, evidence,
        comparison.sharpness, sized);
  }
  if (slot->learned < READY_TIME && reference->learned >= 0)
    slot = reference->slot[reference->learned];
  if (slot->learned >= READY_TIME)
    compare_contents (slot, evidence, &comparison);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA)
    comparison.tint = compare_colors (slot, evidence);
  return comparison;
}

/* Moves averages towards @values. */
static void
blend (gdouble * averages, const gdouble * values, guint n, gdouble weight)
{
  guint i;

  for (i = 0; i < n; i++)
    averages[i] += weight * (values[i] - averages[i]);
}

static void
get_all_contents (const VhHealthEvidence * evidence, gdouble * contents)
{
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    contents[i] = get_contents (evidence, i);
}

void
vh_health_reference_follow (VhHealthReference * reference,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  const guint n = evidence->columns * evidence->rows;
  VhHealthRecent *const recent = &reference->recent;
  gdouble values[VH_HEALTH_CELLS], mean, weight = 1;

  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS)
      || !evidence->textures)
    return;
  if (GST_CLOCK_TIME_IS_VALID (recent->time) && time > recent->time)
    weight = MIN ((time - recent->time) / RECENT_TIME, 1);
  recent->time = time;
  get_all_contents (evidence, values);
  blend (recent->contents, values, n, weight);
  get_levels (evidence, values);
  blend (recent->levels, values, n, weight);
  mean = get_textures (evidence, values);
  blend (recent->texture, values, n, weight);
  blend (&recent->texture_mean, &mean, 1, weight);
}

/* A frame that is learned from. */
typedef struct
{
  const VhHealthEvidence *evidence, *sharp;
  gdouble step;                 /* time that it stands for, ns */
  gboolean doubtful;
} Lesson;

/* How much of it goes into what was learned for *@learned ns. A frame in doubt
 * stands for less time: of what is young, too, it is no more than the part that
 * its time is of FOLLOW_TIME, unless nothing else is known. */
static gdouble
weight_of (gdouble * learned, const Lesson * lesson)
{
  gdouble step = lesson->step;

  if (lesson->doubtful)
    step *= MIN (MAX (*learned, DOUBT_TIME) / FOLLOW_TIME, 1);
  *learned += step;
  return step > 0 ? step / MIN (*learned, FOLLOW_TIME) : 0;
}

static void
learn_textures (VhHealthSlot * slot, const Lesson * lesson)
{
  const VhHealthEvidence *evidence = lesson->evidence;
  const guint n = evidence->columns * evidence->rows;
  const gdouble relief = sqrt (get_relief (lesson->sharp)) /
      MAX (lesson->sharp->level, MIN_CONTENTS);
  gdouble sharpness = sharpness_of (slot, lesson->sharp, relief);
  gdouble textures[VH_HEALTH_CELLS], mean, weight;

  if (isnan (sharpness))
    return;
  if (slot->textures_learned >= READY_TIME && slot->sharpness > 0)
    sharpness = MIN (sharpness, MAX_SHARPER * slot->sharpness);
  weight = weight_of (&slot->textures_learned, lesson);
  slot->sharpness += weight * (sharpness - slot->sharpness);
  slot->relief += weight * (relief - slot->relief);
  mean = get_textures (evidence, textures);
  slot->texture_mean += weight * (mean - slot->texture_mean);
  blend (slot->texture, textures, n, weight);
}

static void
learn_colors (VhHealthSlot * slot, const Lesson * frame)
{
  Lesson lesson = *frame;
  VhHealthColor color;
  gdouble weight;

  if (!vh_health_color_get (lesson.evidence, &color))
    return;
  if (slot->colors_learned >= READY_TIME)
    lesson.doubtful |= vh_health_color_compare_green (lesson.evidence, &color,
        &slot->color) >= GREEN;
  weight = weight_of (&slot->colors_learned, &lesson);
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
  gdouble values[VH_HEALTH_CELLS], weight;
  VhHealthSlot *slot;

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
  get_all_contents (evidence, values);
  blend (slot->contents, values, n, weight);
  get_levels (evidence, values);
  blend (slot->levels, values, n, weight);
  if (evidence->textures)
    learn_textures (slot, &lesson);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA)
    learn_colors (slot, &lesson);
  if (slot->learned >= READY_TIME)
    reference->learned = reference->current;
}
