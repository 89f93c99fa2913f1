/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthshift.h"
#include "healthlog.h"
#include "healthreference.h"

#include <math.h>
#include <string.h>

#define SIDE VH_HEALTH_PART_SIDE
#define PARTS VH_HEALTH_PARTS

/* A pattern is compared with once it has been learned for this long, in ns; it
 * follows the scene with this time constant, so that it has the shadows of the
 * hour. */
#define READY_TIME (30.0 * GST_SECOND)
#define FOLLOW_TIME (600.0 * GST_SECOND)
#define RIVAL_TIME (1800.0 * GST_SECOND)
/* A gap between frames counts for no more than this. */
#define MAX_STEP (10 * GST_SECOND)

/* Recent levels are averages over about this time, in ns, so that people and
 * gusts do not count. */
#define RECENT_TIME (2.0 * GST_SECOND)
/* Frames are compared at most this often. */
#define LOOK_TIME (1 * GST_SECOND)

/* Levels below this are noise. */
#define MIN_LEVEL 0.02
/* The neighbourhood of a part reaches so far on each side. */
#define NEAR 4

/* Blocks of parts that are looked for, one each BLOCK_STEP parts. */
#define BLOCK 16
#define BLOCK_STEP 8
#define BLOCKS_OF_SIDE ((SIDE - BLOCK) / BLOCK_STEP + 1)
#define BLOCKS (BLOCKS_OF_SIDE * BLOCKS_OF_SIDE)
/* A block with a smaller standard deviation has nothing to look for. */
#define MIN_STRUCTURE 0.03
/* At least this many blocks must have something. */
#define MIN_BLOCKS 12
/* Blocks are looked for this far away, in parts; if the picture correlates at
 * least by SAME with what was learned, only next to where they were. */
#define REACH 10
#define SAME 0.9
/* The places that are compared around a block, on each side. */
#define WIDTH (2 * (REACH + 1) + 1)
/* So many places are compared at a time. */
#define PLACES 8
/* A block is found if it correlates at least so much. */
#define FOUND 0.6

/* Blocks agree with a movement of the view if they are at most this far from
 * where it puts them, in parts. At least MIN_AGREEING of the blocks must. */
#define TOLERANCE 1.0
#define MIN_AGREEING 0.4
/* Pairs of blocks that are closer say little of a roll. */
#define MIN_DISTANCE 16
/* The most that a view rolls, in radians, and grows. */
#define MAX_ROLL 0.2
#define MAX_GROWTH 0.2
/* Moved back, the picture must be more like the learned one by this
 * correlation, unless it hardly moved. */
#define MIN_GAIN 0.1
#define SMALL 0.01

/* A block: where it was learned, from the centre of the picture, and by how
 * much it is off. In parts of the picture's width. */
typedef struct
{
  gdouble x, y, dx, dy;
} Block;

/* Turns the plane about the centre: a point moves by dx + growth x - roll y,
 * dy + growth y + roll x. */
typedef struct
{
  gdouble dx, dy, roll, growth;
} Movement;

/* Sums of numbers and of their squares above and to the left of each part. */
typedef struct
{
  gdouble sum[SIDE + 1][SIDE + 1], squares[SIDE + 1][SIDE + 1];
} Integral;

VhHealthShift *
vh_health_shift_new (void)
{
  VhHealthShift *shift = g_new0 (VhHealthShift, 1);

  vh_health_shift_restart (shift);
  return shift;
}

void
vh_health_shift_free (VhHealthShift * shift)
{
  g_free (shift->now);
  g_free (shift);
}

void
vh_health_shift_clear (VhHealthShift * shift)
{
  shift->pattern[0].learned = shift->pattern[1].learned = 0;
  vh_health_shift_restart (shift);
}

void
vh_health_shift_restart (VhHealthShift * shift)
{
  g_clear_pointer (&shift->now, g_free);
  shift->time = shift->looked = GST_CLOCK_TIME_NONE;
  shift->step = shift->moved = 0;
  shift->again = FALSE;
  shift->value = NAN;
  shift->unknown = VH_UNKNOWN_NOT_MEASURED;
}

static void
add_up (Integral * integral, const gfloat * parts)
{
  guint x, y;

  memset (integral, 0, sizeof (*integral));
  for (y = 0; y < SIDE; y++) {
    for (x = 0; x < SIDE; x++) {
      const gdouble part = parts[y * SIDE + x];

      integral->sum[y + 1][x + 1] = part + integral->sum[y][x + 1] +
          integral->sum[y + 1][x] - integral->sum[y][x];
      integral->squares[y + 1][x + 1] = part * part +
          integral->squares[y][x + 1] + integral->squares[y + 1][x] -
          integral->squares[y][x];
    }
  }
}

static gdouble
sum_of (gdouble sums[SIDE + 1][SIDE + 1], guint x, guint y, guint columns,
    guint rows)
{
  return sums[y + rows][x + columns] - sums[y][x + columns] -
      sums[y + rows][x] + sums[y][x];
}

/* Takes the light out of the recent levels. */
static void
find_pattern (const gfloat * levels, gfloat * pattern)
{
  Integral integral;
  gfloat logarithms[PARTS];
  guint x, y, i;

  for (i = 0; i < PARTS; i++)
    logarithms[i] = vh_health_log (MAX (levels[i], 0) + MIN_LEVEL);
  add_up (&integral, logarithms);
  for (y = 0; y < SIDE; y++) {
    const guint top = y > NEAR ? y - NEAR : 0;
    const guint rows = MIN (y + NEAR + 1, SIDE) - top;

    for (x = 0; x < SIDE; x++) {
      const guint left = x > NEAR ? x - NEAR : 0;
      const guint columns = MIN (x + NEAR + 1, SIDE) - left;

      pattern[y * SIDE + x] = logarithms[y * SIDE + x] -
          sum_of (integral.sum, left, top, columns, rows) / (rows * columns);
    }
  }
}

static gdouble
correlate (const gfloat * a, const gfloat * b)
{
  gdouble of_a = 0, of_b = 0, both = 0;
  guint i;

  for (i = 0; i < PARTS; i++) {
    of_a += a[i] * a[i];
    of_b += b[i] * b[i];
    both += a[i] * b[i];
  }
  return both / sqrt (MAX (of_a * of_b, 1e-12));
}

/* A block without its mean; returns the root of the sum of its squares. */
static gdouble
take_block (const gfloat * parts, guint x, guint y, gfloat block[BLOCK * BLOCK])
{
  gdouble mean = 0, squares = 0;
  guint i;

  for (i = 0; i < BLOCK * BLOCK; i++) {
    block[i] = parts[(y + i / BLOCK) * SIDE + x + i % BLOCK];
    mean += block[i] / (BLOCK * BLOCK);
  }
  for (i = 0; i < BLOCK * BLOCK; i++) {
    block[i] -= mean;
    squares += block[i] * block[i];
  }
  return sqrt (squares);
}

/* Some numbers in a row. */
#define LANES 4
typedef gfloat Lanes __attribute__ ((vector_size (LANES * sizeof (gfloat))));

/* Adds up the products of @block with the block at @x, @y of @now, and with
 * those to the right of it, PLACES in all. What is outside counts as 0. */
static void
multiply (const gfloat * now, const gfloat block[BLOCK * BLOCK], guint x,
    guint y, gfloat products[PLACES])
{
  gfloat line[BLOCK + PLACES] = { 0, };
  Lanes sums[PLACES / LANES] = { {0}, }, numbers;
  guint row, i, k;

  for (row = 0; row < BLOCK; row++) {
    memcpy (line, now + (y + row) * SIDE + x, MIN (SIDE - x, BLOCK + PLACES)
        * sizeof (*line));
    for (i = 0; i < BLOCK; i++) {
      for (k = 0; k < PLACES / LANES; k++) {
        memcpy (&numbers, line + i + k * LANES, sizeof (numbers));
        sums[k] += block[row * BLOCK + i] * numbers;
      }
    }
  }
  memcpy (products, sums, sizeof (sums));
}

/* Sets @map to the correlations of @block, of that @size, with the blocks of
 * @now around @x, @y, up to @reach away and one more; -1 outside. */
static void
correlate_around (const gfloat * now, Integral * integral,
    const gfloat block[BLOCK * BLOCK], gdouble size, gint x, gint y,
    gint reach, gdouble map[WIDTH][WIDTH])
{
  const guint n = BLOCK * BLOCK;
  const gint left = x - reach - 1, top = y - reach - 1;
  gfloat both[PLACES];
  gint column, row, i;

  for (row = 0; row < 2 * reach + 3; row++) {
    for (column = 0; column < 2 * reach + 3; column++)
      map[row][column] = -1;
  }
  for (row = MAX (top, 0); row <= MIN (y + reach + 1, SIDE - BLOCK); row++) {
    for (column = MAX (left, 0); column <= MIN (x + reach + 1, SIDE - BLOCK);
        column++) {
      const gdouble sum = sum_of (integral->sum, column, row, BLOCK, BLOCK);
      const gdouble squares = sum_of (integral->squares, column, row, BLOCK,
          BLOCK) - sum * sum / n;

      i = (column - MAX (left, 0)) % PLACES;
      if (i == 0)
        multiply (now, block, column, row, both);
      map[row - top][column - left] = both[i] /
          (size * sqrt (MAX (squares, 1e-9)));
    }
  }
}

/* Where between three neighbours their parabola has its maximum. */
static gdouble
find_peak (gdouble before, gdouble at, gdouble after)
{
  const gdouble curve = before - 2 * at + after;

  return before < -0.99 || after < -0.99 || curve >= 0 ? 0 :
      CLAMP (0.5 * (before - after) / curve, -0.5, 0.5);
}

/* Looks for the block at @x, @y of the learned pattern. */
static gboolean
look_for_block (const gfloat * now, Integral * integral,
    const gfloat block[BLOCK * BLOCK], gdouble size, gint x, gint y,
    gint reach, gdouble aspect, Block * found)
{
  gdouble map[WIDTH][WIDTH], most = -1;
  gint dx, dy, at_x = 0, at_y = 0;

  correlate_around (now, integral, block, size, x, y, reach, map);
  for (dy = 1; dy <= 2 * reach + 1; dy++) {
    for (dx = 1; dx <= 2 * reach + 1; dx++) {
      if (map[dy][dx] > most) {
        most = map[dy][dx];
        at_x = dx;
        at_y = dy;
      }
    }
  }
  if (most < FOUND)
    return FALSE;
  found->x = x + 0.5 * (BLOCK - SIDE);
  found->y = (y + 0.5 * (BLOCK - SIDE)) * aspect;
  found->dx = at_x - reach - 1 + find_peak (map[at_y][at_x - 1], most,
      map[at_y][at_x + 1]);
  found->dy = (at_y - reach - 1 + find_peak (map[at_y - 1][at_x], most,
          map[at_y + 1][at_x])) * aspect;
  return TRUE;
}

/* Returns how many blocks were found, and how many there are to find. */
static guint
look_for_blocks (const gfloat * learned, const gfloat * now, gint reach,
    gdouble aspect, Block blocks[BLOCKS], guint * n)
{
  Integral integral;
  gfloat block[BLOCK * BLOCK];
  guint n_found = 0, i;

  *n = 0;
  add_up (&integral, now);
  for (i = 0; i < BLOCKS; i++) {
    const gint x = i % BLOCKS_OF_SIDE * BLOCK_STEP;
    const gint y = i / BLOCKS_OF_SIDE * BLOCK_STEP;
    const gdouble size = take_block (learned, x, y, block);

    if (size < MIN_STRUCTURE * BLOCK)
      continue;
    ++*n;
    n_found += look_for_block (now, &integral, block, size, x, y, reach,
        aspect, &blocks[n_found]);
  }
  return n_found;
}

/* How the blocks with a @weight moved, by least squares. FALSE if no camera
 * moves so. */
static gboolean
fit (const Block * blocks, const gdouble * weight, guint n, Movement * movement)
{
  gdouble x = 0, y = 0, dx = 0, dy = 0, all = 0;
  gdouble along = 0, across = 0, squares = 0;
  guint i;

  for (i = 0; i < n; i++) {
    all += weight[i];
    x += weight[i] * blocks[i].x;
    y += weight[i] * blocks[i].y;
    dx += weight[i] * blocks[i].dx;
    dy += weight[i] * blocks[i].dy;
  }
  x /= all;
  y /= all;
  dx /= all;
  dy /= all;
  for (i = 0; i < n; i++) {
    const gdouble bx = blocks[i].x - x, by = blocks[i].y - y;
    const gdouble bdx = blocks[i].dx - dx, bdy = blocks[i].dy - dy;

    along += weight[i] * (bx * bdx + by * bdy);
    across += weight[i] * (bx * bdy - by * bdx);
    squares += weight[i] * (bx * bx + by * by);
  }
  movement->growth = along / MAX (squares, 1e-9);
  movement->roll = across / MAX (squares, 1e-9);
  movement->dx = dx - movement->growth * x + movement->roll * y;
  movement->dy = dy - movement->growth * y - movement->roll * x;
  return fabs (movement->roll) <= MAX_ROLL
      && fabs (movement->growth) <= MAX_GROWTH;
}

/* Sets the @weight of the blocks that agree with @movement to 1, of the others
 * to 0. Returns how many agree. */
static guint
find_agreeing (const Block * blocks, guint n, const Movement * movement,
    gdouble * weight)
{
  guint agreeing = 0, i;

  for (i = 0; i < n; i++) {
    const Block *b = &blocks[i];
    const gdouble x = movement->dx + movement->growth * b->x -
        movement->roll * b->y - b->dx;
    const gdouble y = movement->dy + movement->growth * b->y +
        movement->roll * b->x - b->dy;

    weight[i] = x * x + y * y <= TOLERANCE * TOLERANCE ? 1 : 0;
    agreeing += weight[i] > 0;
  }
  return agreeing;
}

/* Finds the movement that most blocks agree with. Each pair of blocks proposes
 * one. Returns how many agree. */
static guint
find_movement (const Block * blocks, guint n, Movement * movement)
{
  gdouble weight[BLOCKS], best[BLOCKS] = { 0, };
  guint most = 0, i, j;

  for (i = 0; i < n; i++) {
    for (j = i + 1; j < n; j++) {
      const Block pair[] = { blocks[i], blocks[j] };
      const gdouble both[] = { 1, 1 };
      Movement proposed;
      guint agreeing;

      if (hypot (pair[0].x - pair[1].x, pair[0].y - pair[1].y) < MIN_DISTANCE
          || !fit (pair, both, 2, &proposed))
        continue;
      agreeing = find_agreeing (blocks, n, &proposed, weight);
      if (agreeing > most) {
        most = agreeing;
        memcpy (best, weight, sizeof (best));
      }
    }
  }
  return most > 0 && fit (blocks, best, n, movement) ? most : 0;
}

/* What @now shows at a place between parts; 0 outside the picture. */
static gfloat
look_up (const gfloat * now, gdouble x, gdouble y)
{
  const gint left = floor (x), top = floor (y);
  const gfloat right = x - left, bottom = y - top;
  const gfloat *at = now + top * SIDE + left;

  if (MIN (left, top) < 0 || MAX (left, top) > SIDE - 2)
    return 0;
  return (1 - bottom) * ((1 - right) * at[0] + right * at[1]) +
      bottom * ((1 - right) * at[SIDE] + right * at[SIDE + 1]);
}

/* The correlation with @learned, if @now is moved back. */
static gdouble
correlate_moved (const gfloat * learned, const gfloat * now,
    const Movement * movement, gdouble aspect)
{
  gfloat moved[PARTS];
  guint i;

  for (i = 0; i < PARTS; i++) {
    const gdouble x = i % SIDE - 0.5 * (SIDE - 1);
    const gdouble y = (i / SIDE - 0.5 * (SIDE - 1)) * aspect;

    moved[i] = look_up (now, i % SIDE + movement->dx + movement->growth * x -
        movement->roll * y, i / SIDE + (movement->dy + movement->growth * y +
            movement->roll * x) / aspect);
  }
  return correlate (learned, moved);
}

/* By how much the corners of the picture are off, as a share of its width. That
 * it has grown does not count, as when a lens focuses. */
static gdouble
get_value (const Movement * movement, gdouble aspect)
{
  return hypot (movement->dx, movement->dy) / SIDE +
      fabs (movement->roll) * hypot (1, aspect) / 2;
}

static void
compare (VhHealthShift * shift, gdouble aspect)
{
  const gfloat *learned = shift->pattern[shift->kind].part;
  const gfloat *now = shift->now->part;
  const gdouble same = correlate (learned, now);
  Block blocks[BLOCKS];
  Movement movement;
  gdouble value;
  guint n, found;

  shift->value = NAN;
  shift->unknown = VH_UNKNOWN_NO_PATTERN;
  found = look_for_blocks (learned, now, same >= SAME ? 1 : REACH, aspect,
      blocks, &n);
  if (n < MIN_BLOCKS
      || find_movement (blocks, found, &movement) < MIN_AGREEING * n)
    return;
  value = get_value (&movement, aspect);
  /* Otherwise blocks agree by chance, as in another scene. */
  if (value < SMALL || correlate_moved (learned, now, &movement, aspect) >=
      same + MIN_GAIN) {
    shift->value = value;
    shift->dx = movement.dx / SIDE;
    shift->dy = movement.dy / SIDE;
    shift->roll = movement.roll;
  }
}

static const gchar *
describe_direction (gdouble dx, gdouble dy)
{
  if (fabs (dx) >= 2 * fabs (dy))
    return dx < 0 ? "to the left" : "to the right";
  if (fabs (dy) >= 2 * fabs (dx))
    return dy < 0 ? "up" : "down";
  if (dy < 0)
    return dx < 0 ? "up and to the left" : "up and to the right";
  return dx < 0 ? "down and to the left" : "down and to the right";
}

const gchar *
vh_health_shift_describe (const VhHealthShift * shift)
{
  const gint percent = lround (100 * hypot (shift->dx, shift->dy));
  const gint degrees = lround (fabs (shift->roll) * 180 / G_PI);
  GString *text = g_string_new (NULL);
  const gchar *described;

  if (percent > 0)
    g_string_append_printf (text, "shifted %s by %d %% of its width",
        describe_direction (shift->dx, shift->dy), percent);
  if (degrees > 0)
    g_string_append_printf (text, "%srolled %s by %d°", percent > 0 ? " and "
        : "", shift->roll > 0 ? "clockwise" : "anticlockwise", degrees);
  /* There are few of these texts, since numbers are whole and small. */
  described = text->len ? g_intern_string (text->str) : NULL;
  g_string_free (text, TRUE);
  return described;
}

static gboolean
is_ready (const VhHealthShift * shift)
{
  return shift->pattern[shift->kind].learned + shift->step >= READY_TIME;
}

void
vh_health_shift_follow (VhHealthShift * shift,
    const VhHealthEvidence * evidence, gboolean monochrome, GstClockTime time)
{
  gfloat weight = 1;
  guint i;

  g_clear_pointer (&shift->now, g_free);
  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_PARTS))
    return;
  if (GST_CLOCK_TIME_IS_VALID (shift->time) && time > shift->time)
    weight = MIN ((time - shift->time) / RECENT_TIME, 1);
  shift->time = time;
  for (i = 0; i < PARTS; i++)
    shift->recent[i] += weight * (evidence->part[i] - shift->recent[i]);
  if (GST_CLOCK_TIME_IS_VALID (shift->looked) && time >= shift->looked
      && time - shift->looked < LOOK_TIME)
    return;
  shift->step = GST_CLOCK_TIME_IS_VALID (shift->looked)
      && time > shift->looked ? MIN (time - shift->looked, MAX_STEP) : 0;
  shift->looked = time;
  shift->kind = monochrome ? 1 : 0;
  shift->now = g_new (VhHealthPattern, 1);
  find_pattern (shift->recent, shift->now->part);
  if (is_ready (shift)) {
    compare (shift, evidence->aspect);
  } else {
    shift->value = NAN;
    shift->unknown = VH_UNKNOWN_LEARNING;
  }
}

static void
learn (VhHealthShift * shift)
{
  VhHealthPattern *pattern = &shift->pattern[shift->kind];
  const gfloat weight = pattern->learned > 0 ? shift->step /
      MIN (pattern->learned + shift->step, FOLLOW_TIME) : 1;
  guint i;

  /* The first frame counts, too. */
  pattern->learned += MAX (shift->step, 1);
  for (i = 0; i < PARTS; i++)
    pattern->part[i] += weight * (shift->now->part[i] - pattern->part[i]);
}

void
vh_health_shift_learn (VhHealthShift * shift, gboolean doubtful)
{
  if (!shift->now || (doubtful && is_ready (shift)))
    return;
  if (isnan (shift->value) && is_ready (shift)) {
    vh_health_shift_learn_rival (shift);
  } else {
    shift->moved = 0;
    shift->again = FALSE;
    learn (shift);
  }
}

void
vh_health_shift_learn_rival (VhHealthShift * shift)
{
  VhHealthPattern *pattern = &shift->pattern[shift->kind];

  if (!shift->now)
    return;
  shift->moved += shift->step;
  if (!shift->again && shift->moved >= MAX (RIVAL_TIME, pattern->learned)) {
    shift->again = TRUE;
    pattern->learned = 0;
  }
  if (shift->again)
    learn (shift);
}
