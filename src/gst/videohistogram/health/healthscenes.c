/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthscenes.h"

#include <math.h>
#include <string.h>

/* A lens out of focus leaves at most SOFT_SHARE of the sharpness, and raises
 * the texture of hardly any cell: at most RISEN_CELLS of the cells rise by more
 * than RISEN_TEXTURE. */
#define SOFT_SHARE 0.5
#define RISEN_CELLS 0.1
#define RISEN_TEXTURE 1.1

/* With a smaller standard deviation all cells have about the same texture, such
 * as noise, so there is no pattern to compare. */
#define MIN_PATTERN 0.1
/* If a picture with this much of a pattern loses it, while this share of the
 * cells has contents, it shows another scene: a lawn, gravel or cloth. */
#define CLEAR_PATTERN 0.2
#define EVEN_CELLS 0.75

/* A dim cell has at most DIM_LEVEL, and at most DIM_SHARE of its learned
 * level: a camera that amplifies what it can would show more if there were
 * light. */
#define DIM_LEVEL 0.2
#define DIM_SHARE 0.7
/* A cell that shows at most this share of its learned level is darker even if
 * it is a bright sky. */
#define DARKENED_SHARE 0.5
/* A cell that is washed out has at least this level, and its learned level was
 * at most DIM_SHARE of it. */
#define BRIGHTENED_LEVEL 0.7
/* It may be dusk if the picture has at most this share of its learned level. */
#define DUSK_SHARE 0.85
/* A cell counts as having at least this share of the picture's level. */
#define MIN_LIGHT 0.1
/* A scene is compared if this share of its cells can be seen. */
#define SEEN_CELLS 0.7
/* Like MIN_PATTERN, for differences within rows or columns of cells. */
#define MIN_WITHIN 0.12
/* Like MIN_PATTERN, for levels relative to the picture's. */
#define MIN_LEVELS 0.02

/* Levels show large things, and more of these stay in place when a camera
 * turns, so a difference in levels counts this many times. */
#define LEVELS_WEIGHT 2.0

/* The cells of a pattern. */
typedef struct
{
  guint columns, rows;
  guint64 ignored;
} Grid;

/* The details of a scene. */
typedef struct
{
  gdouble texture[VH_HEALTH_CELLS];
  gdouble contents[VH_HEALTH_CELLS];
  gdouble pattern[VH_HEALTH_CELLS];     /* contents in the form of textures */
} Details;

/* Removes the ignored cells, and makes the mean of the others 0. Returns how
 * many are left. */
static guint
keep_pattern (const Grid * grid, gdouble * pattern)
{
  gdouble mean = 0;
  guint n = 0, i;

  if (!grid->ignored)
    return grid->columns * grid->rows;
  for (i = 0; i < grid->columns * grid->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (grid->ignored, i)) {
      mean += pattern[i];
      pattern[n++] = pattern[i];
    }
  }
  for (i = 0; i < n; i++)
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

/* 1 minus the correlation coefficient of two patterns with a mean of 0: 0 for
 * the same scene, about 1 for another one. NAN if one of them has a standard
 * deviation below @min, and so is not a pattern. */
static gdouble
compare_patterns (const gdouble * a, const gdouble * b, guint n, gdouble min)
{
  gdouble of_a = 0, of_b = 0, both = 0;
  guint i;

  for (i = 0; i < n; i++) {
    of_a += a[i] * a[i];
    of_b += b[i] * b[i];
    both += a[i] * b[i] / n;
  }
  of_a /= MAX (n, 1);
  of_b /= MAX (n, 1);
  return n > 0 && MIN (of_a, of_b) >= min * min ?
      MAX (1 - both / sqrt (of_a * of_b), 0) : NAN;
}

/* Converts the contents of cells to the form that textures have: logarithms,
 * relative to their mean. */
static void
set_pattern (gdouble * pattern, const gdouble * contents, guint n)
{
  gdouble square = 0, mean = 0;
  guint i;

  for (i = 0; i < n; i++)
    square += contents[i] * contents[i] / n;
  for (i = 0; i < n; i++) {
    pattern[i] = log (MAX (contents[i], 1e-6)
        + VH_HEALTH_TEXTURE_FLOOR * sqrt (square));
    mean += pattern[i] / n;
  }
  for (i = 0; i < n; i++)
    pattern[i] -= mean;
}

/* Whether textures, whose mean changed by the logarithm @rise, fell as they do
 * with a lens out of focus. In another scene some cells have more texture. */
static gboolean
is_softer (const gdouble * now, const gdouble * before, gdouble rise, guint n)
{
  guint risen = 0, i;

  for (i = 0; i < n; i++)
    risen += now[i] - before[i] + rise > log (RISEN_TEXTURE);
  return risen <= RISEN_CELLS * n;
}

/* Keeps the differences within lines of a pattern, by subtracting each line's
 * mean: @count lines, @next apart, of @n cells that are @step apart. */
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

/* The views of a pattern that are compared. */
static const struct
{
  gboolean within_rows, within_columns;
} views[] = { {FALSE, FALSE}, {TRUE, FALSE}, {FALSE, TRUE}, {TRUE, TRUE} };

/* Stores @view of a pattern; returns how many cells it has. */
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

static gboolean
has_contents (const Grid * grid, const Details * details)
{
  guint with_contents = 0, n = 0, i;

  for (i = 0; i < grid->columns * grid->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (grid->ignored, i)) {
      with_contents += details->contents[i] >= VH_HEALTH_MIN_CONTENTS;
      n++;
    }
  }
  return with_contents >= EVEN_CELLS * n;
}

static gdouble
get_spread (const Grid * grid, const Details * details)
{
  gdouble taken[VH_HEALTH_CELLS];

  return sqrt (get_mean_square (taken, take_view (grid, details->texture, 0,
              taken)));
}

/* Whether a picture that had a pattern now has the same details everywhere, or
 * the other way round. Noise does not count, because it has no contents. */
static gboolean
has_other_pattern (const Grid * grid, const Details * now,
    const Details * usual)
{
  const gdouble spread = get_spread (grid, now);
  const gdouble usual_spread = get_spread (grid, usual);

  return MIN (spread, usual_spread) < MIN_PATTERN
      && MAX (spread, usual_spread) >= CLEAR_PATTERN
      && has_contents (grid, now);
}

/* If textures are unknown because the size changed, contents serve nearly as
 * well. */
static gdouble
compare_view (const Grid * grid, const Details * now, const Details * usual,
    guint view, gboolean sized)
{
  const gdouble least = view ? MIN_WITHIN : MIN_PATTERN;
  gdouble of_textures = sized ?
      compare_views (grid, now->texture, usual->texture, view, least) : 0;
  const gdouble of_contents =
      compare_views (grid, now->pattern, usual->pattern, view, least);

  if (!sized)
    return of_contents;
  if (view == 0 && isnan (of_textures) && has_other_pattern (grid, now, usual))
    of_textures = 1;
  /* For the whole picture, textures alone are enough. */
  if (isnan (of_textures) || (view > 0 && isnan (of_contents)))
    return NAN;
  return fmin (of_textures, of_contents);
}

/* NAN if there is nothing to compare. */
static gdouble
compare_details (const Grid * grid, const Details * now, const Details * usual,
    gboolean sized)
{
  gdouble most = compare_view (grid, now, usual, 0, sized);
  guint view;

  for (view = 1; !isnan (most) && view < G_N_ELEMENTS (views); view++)
    most = fmax (most, compare_view (grid, now, usual, view, sized));
  return most;
}

static gdouble
compare_levels (const Grid * grid, const gdouble * now, const gdouble * usual)
{
  gdouble most = NAN;
  guint view;

  for (view = 0; view < G_N_ELEMENTS (views); view++)
    most = fmax (most, compare_views (grid, now, usual, view, MIN_LEVELS));
  return most;
}

static void
set_details (Details * details, const gdouble * texture,
    const gdouble * contents, guint n)
{
  memcpy (details->texture, texture, n * sizeof (*texture));
  memcpy (details->contents, contents, n * sizeof (*contents));
  set_pattern (details->pattern, contents, n);
}

/* Takes the light out of details: they are in proportion to the level of their
 * cell, wherever the light comes from. */
static void
take_light (Details * details, const gdouble * levels, guint n)
{
  gdouble mean = 0;
  guint i;

  for (i = 0; i < n; i++) {
    const gdouble light = MAX (levels[i] + 1, MIN_LIGHT);

    details->contents[i] /= light;
    details->texture[i] -= log (light);
    mean += details->texture[i] / n;
  }
  for (i = 0; i < n; i++)
    details->texture[i] -= mean;
  set_pattern (details->pattern, details->contents, n);
}

gboolean
vh_health_scenes_is_dim (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint i)
{
  const gdouble usual = (slot->levels[i] + 1) * slot->level;
  const gdouble level = evidence->cell[i].level;

  return level <= DIM_LEVEL && level <= DIM_SHARE * usual;
}

gboolean
vh_health_scenes_is_darkened (gdouble level, gdouble usual)
{
  return (level <= VH_HEALTH_DARK_LEVEL && level <= DIM_SHARE * usual)
      || (level <= DIM_LEVEL && level <= DARKENED_SHARE * usual);
}

gboolean
vh_health_scenes_is_brightened (gdouble level, gdouble usual)
{
  return level >= BRIGHTENED_LEVEL && usual <= DIM_SHARE * level;
}

/* The cells in which nothing can be seen for want of light, as by dusk beside
 * the only lamp. */
static guint64
find_dim (const VhHealthSlot * slot, const VhHealthRecent * recent,
    const VhHealthEvidence * evidence)
{
  guint64 dim = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    if (vh_health_scenes_is_dim (slot, evidence, i)
        && recent->contents[i] <= MAX (VH_HEALTH_COVERED_SHARE *
            slot->contents[i], VH_HEALTH_MIN_CONTENTS))
      dim |= G_GUINT64_CONSTANT (1) << i;
  }
  return dim;
}

static gboolean
sees_enough (const Grid * grid, guint64 unseen)
{
  guint seen = 0, all = 0, i;

  for (i = 0; i < grid->columns * grid->rows; i++) {
    all += !VH_HEALTH_HAS_CELL (grid->ignored, i);
    seen += !VH_HEALTH_HAS_CELL (grid->ignored | unseen, i);
  }
  return seen >= SEEN_CELLS * all;
}

/* In less light than was learned, single lamps may light what the sky lit
 * before. Then details must also differ in proportion to the light. */
static gdouble
compare_by_dusk (const Grid * grid, const VhHealthSlot * slot,
    const VhHealthRecent * recent, Details * now, Details * usual,
    gboolean sized)
{
  const guint n = grid->columns * grid->rows;

  take_light (now, recent->levels, n);
  take_light (usual, slot->levels, n);
  return compare_details (grid, now, usual, sized);
}

/* Another scene has other textures, other contents and other levels. Rain or
 * more noise changes textures and contents; a lamp or a shadow changes levels.
 * Layered views, such as a shore, hardly vary from side to side, and their
 * variation from top to bottom outweighs everything else: so it is enough if
 * scenes differ within rows of cells, within columns, or within both. A lens
 * out of focus changes only textures, because large things stay; if everything
 * is small, only levels stay. */
gdouble
vh_health_scenes_compare (const VhHealthSlot * slot,
    const VhHealthRecent * recent, const VhHealthEvidence * evidence,
    gdouble sharpness, gboolean sized, guint64 hidden, const gchar ** unknown)
{
  Grid grid = { evidence->columns, evidence->rows,
    vh_health_evidence_find_ignored (evidence)
  };
  const guint64 unseen = find_dim (slot, recent, evidence) | hidden;
  const guint n = grid.columns * grid.rows;
  Details now, usual;
  gdouble moved;

  *unknown = VH_UNKNOWN_TOO_DARK;
  if (!sees_enough (&grid, unseen))
    return NAN;
  grid.ignored |= unseen;
  *unknown = VH_UNKNOWN_NO_PATTERN;
  set_details (&now, recent->texture, recent->contents, n);
  set_details (&usual, slot->texture, slot->contents, n);
  moved = compare_details (&grid, &now, &usual, sized);
  if (isnan (moved))
    return NAN;
  moved = fmin (moved, LEVELS_WEIGHT * compare_levels (&grid, recent->levels,
          slot->levels));
  if (sharpness <= SOFT_SHARE && is_softer (recent->texture, slot->texture,
          recent->texture_mean - slot->texture_mean, n))
    moved = fmin (moved, compare_views (&grid, recent->levels, slot->levels, 0,
            MIN_LEVELS));
  if (evidence->level <= DUSK_SHARE * slot->level)
    moved = fmin (moved, compare_by_dusk (&grid, slot, recent, &now, &usual,
            sized));
  return moved;
}
