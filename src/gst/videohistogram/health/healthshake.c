/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthshake.h"
#include "healthlog.h"
#include "healthrank.h"
#include "healthreference.h"

#include <math.h>
#include <string.h>

#define SIDE VH_HEALTH_PART_SIDE
#define N_PARTS VH_HEALTH_PARTS

/* Frames are looked at this far apart at least, and this far at most. */
#define LOOK_TIME (190 * GST_MSECOND)
#define MAX_STEP (20 * GST_SECOND)

/* The mean picture follows frames with this time constant, in ns, but each
 * frame counts for at most MOST of it. */
#define MEAN_TIME (3.0 * GST_SECOND)
#define MOST 0.125

/* The places of so many last seconds are compared, and of so many frames at
 * least. */
#define WINDOW (10 * GST_SECOND)
#define MIN_FRAMES 10

/* Levels below this are noise. */
#define MIN_LEVEL 0.02

/* Pictures are smoothed so many times. */
#define SMOOTH 3

/* Blocks of so many parts move by themselves. */
#define BLOCK 8
#define BLOCKS_OF_SIDE (SIDE / BLOCK)
#define BLOCKS (BLOCKS_OF_SIDE * BLOCKS_OF_SIDE)
/* A block shows how far it has moved if its slopes, in logarithms per part, are
 * at least so large in all directions. At least MIN_BLOCKS must show it. */
#define MIN_SLOPE 0.004
#define MIN_BLOCKS 12
/* A block agrees with the others if it moves as they do, but for this share of
 * the way, and if that leaves at most this share of its squared differences.
 * MIN_AGREEING of them must if the view has moved by more than SMALL, in
 * parts. */
#define TOLERANCE 0.5
#define REST 0.8
#define MIN_AGREEING 0.5
#define SMALL 0.06

/* The view must swing from one side to the other this many times. */
#define MIN_SWINGS 3

/* A direction is known if the view moves this much less in the other one. */
#define ALONG 0.5

void
vh_health_shake_restart (VhHealthShake * self)
{
  self->time = GST_CLOCK_TIME_NONE;
  self->n = 0;
  self->value = NAN;
  self->direction = NULL;
  self->unknown = VH_UNKNOWN_TOO_EARLY;
}

/* Replaces each part by an average of itself and of those at its sides. */
static void
smooth_across (gfloat parts[N_PARTS])
{
  gfloat row[SIDE + 2];
  guint x, y;

  for (y = 0; y < SIDE; y++) {
    gfloat *const here = parts + y * SIDE;

    memcpy (row + 1, here, SIDE * sizeof (*row));
    row[0] = row[1];
    row[SIDE + 1] = row[SIDE];
    for (x = 0; x < SIDE; x++)
      here[x] = (row[x] + 2 * row[x + 1] + row[x + 2]) / 4;
  }
}

/* The same with those above and below it. */
static void
smooth_down (gfloat parts[N_PARTS])
{
  gfloat above[SIDE];
  guint x, y;

  memcpy (above, parts, sizeof (above));
  for (y = 0; y < SIDE; y++) {
    gfloat *const here = parts + y * SIDE;
    const gfloat *const below = y < SIDE - 1 ? here + SIDE : here;

    for (x = 0; x < SIDE; x++) {
      const gfloat part = here[x];

      here[x] = (above[x] + 2 * part + below[x]) / 4;
      above[x] = part;
    }
  }
}

/* Sets @picture to the logarithms of levels, so that light that changes all
 * parts of a block alike adds the same to them. They are smoothed, so that
 * slopes reach as far as blocks move. */
static void
find_picture (const gfloat * levels, gfloat picture[N_PARTS])
{
  guint i;

  for (i = 0; i < N_PARTS; i++)
    picture[i] = vh_health_log (MAX (levels[i], 0) + MIN_LEVEL);
  for (i = 0; i < SMOOTH; i++) {
    smooth_across (picture);
    smooth_down (picture);
  }
}

/* Sums over the parts of a block: products of the slopes to the right and down,
 * and of the differences from the mean picture. All three have a mean of 0, so
 * light that changes the whole block does not count. */
typedef struct
{
  gdouble n, xx, xy, yy, xd, yd, dd;
  gdouble slope;                /* squared slopes, in the direction that has the
                                 * least of them */
  gdouble right, down;          /* how far the block has moved, in parts */
} Block;

/* Sums of each column of a block, which do not wait for each other. */
typedef struct
{
  gfloat x[BLOCK], y[BLOCK], d[BLOCK];
  gfloat xx[BLOCK], xy[BLOCK], yy[BLOCK], xd[BLOCK], yd[BLOCK], dd[BLOCK];
} Columns;

static gdouble
add_columns (const gfloat * sums)
{
  gfloat sum = 0;
  guint i;

  for (i = 0; i < BLOCK; i++)
    sum += sums[i];
  return sum;
}

/* Parts at the border of the picture do not count: they have no slopes. */
static Block
add_block (const gfloat * mean, const gfloat * now, guint left, guint top)
{
  const guint first = MAX (top, 1), end = MIN (top + BLOCK, SIDE - 1);
  Columns s = { {0}, };
  gfloat inside[BLOCK];
  gdouble n = 0, x, y, d;
  guint row, i;

  for (i = 0; i < BLOCK; i++) {
    inside[i] = left + i > 0 && left + i < SIDE - 1;
    n += inside[i] * (end - first);
  }
  for (row = first; row < end; row++) {
    const gfloat *const m = mean + row * SIDE + left;
    const gfloat *const here = now + row * SIDE + left;

    for (i = 0; i < BLOCK; i++) {
      const gfloat right = inside[i] * (m[i + 1] - m[(gint) i - 1]) / 2;
      const gfloat down = inside[i] * (m[i + SIDE] - m[(gint) i - SIDE]) / 2;
      const gfloat difference = inside[i] * (here[i] - m[i]);

      s.x[i] += right;
      s.y[i] += down;
      s.d[i] += difference;
      s.xx[i] += right * right;
      s.xy[i] += right * down;
      s.yy[i] += down * down;
      s.xd[i] += right * difference;
      s.yd[i] += down * difference;
      s.dd[i] += difference * difference;
    }
  }
  x = add_columns (s.x);
  y = add_columns (s.y);
  d = add_columns (s.d);
  return (Block) {
  n, add_columns (s.xx) - x * x / n, add_columns (s.xy) - x * y / n,
        add_columns (s.yy) - y * y / n, add_columns (s.xd) - x * d / n,
        add_columns (s.yd) - y * d / n, add_columns (s.dd) - d * d / n, 0, 0,
        0};
}

/* Sets how far the block has moved: what explains most of the differences.
 * FALSE if its slopes do not show it. */
static gboolean
find_move (Block * b)
{
  const gdouble determinant = b->xx * b->yy - b->xy * b->xy;

  b->slope = determinant / MAX (MAX (b->xx, b->yy), 1e-9);
  if (b->slope < b->n * MIN_SLOPE * MIN_SLOPE)
    return FALSE;
  b->right = (b->xy * b->yd - b->yy * b->xd) / determinant;
  b->down = (b->xy * b->xd - b->xx * b->yd) / determinant;
  return TRUE;
}

/* Whether the block moves as most blocks do. A block of another scene moves by
 * chance, and this does not explain what it shows. */
static gboolean
agrees (const Block * b, gdouble right, gdouble down)
{
  const gdouble distance = hypot (b->right - right, b->down - down);
  const gdouble rest = b->dd + 2 * (right * b->xd + down * b->yd)
      + right * right * b->xx + 2 * right * down * b->xy
      + down * down * b->yy;

  return distance <= TOLERANCE * hypot (right, down) && rest <= REST * b->dd;
}

/* Keeps the half of the blocks that has the steepest slopes, since buildings
 * have steeper ones than water and leaves. Returns how many these are. */
static guint
keep_steep (Block * block, guint n)
{
  gdouble slopes[BLOCKS], least;
  guint kept = 0, i;

  for (i = 0; i < n; i++)
    slopes[i] = block[i].slope;
  least = vh_health_find_median (slopes, n);
  for (i = 0; i < n; i++) {
    if (block[i].slope >= least)
      block[kept++] = block[i];
  }
  return kept;
}

/* Sets where @now shows the view: where most blocks agree. They need not agree
 * that it has hardly moved. */
static void
find_place (const VhHealthShake * self, const gfloat * now, gdouble aspect,
    VhHealthPlace * place)
{
  Block block[BLOCKS];
  gdouble right[BLOCKS], down[BLOCKS], x, y;
  guint n = 0, agreeing = 0, i;

  place->x = place->y = NAN;
  for (i = 0; i < BLOCKS; i++) {
    block[n] = add_block (self->mean, now, i % BLOCKS_OF_SIDE * BLOCK,
        i / BLOCKS_OF_SIDE * BLOCK);
    n += find_move (&block[n]);
  }
  if (n < MIN_BLOCKS)
    return;
  n = keep_steep (block, n);
  for (i = 0; i < n; i++) {
    right[i] = block[i].right;
    down[i] = block[i].down;
  }
  x = vh_health_find_median (right, n);
  y = vh_health_find_median (down, n);
  for (i = 0; i < n; i++)
    agreeing += agrees (&block[i], x, y);
  if (hypot (x, y) > SMALL && agreeing < MIN_AGREEING * n)
    return;
  place->x = x / SIDE;
  place->y = y * aspect / SIDE;
}

static void
learn (VhHealthShake * self, const gfloat * now, GstClockTime step)
{
  const gfloat weight = MAX (MIN (step / MEAN_TIME, MOST), 1.0 / (self->n + 1));
  guint i;

  for (i = 0; i < N_PARTS; i++)
    self->mean[i] += weight * (now[i] - self->mean[i]);
}

/* How far @numbers are from their median: the median of the distances, which is
 * the root mean square if they swing like a pendulum. 0 if they do not swing: a
 * camera that is turned goes from one side to the other once, or comes back
 * once. */
static gdouble
find_spread (const gdouble * numbers, guint n)
{
  gdouble distance[VH_SHAKE_FRAMES], middle, spread;
  guint swings = 0, i;
  gint side = 0;

  memcpy (distance, numbers, n * sizeof (*distance));
  middle = vh_health_find_median (distance, n);
  for (i = 0; i < n; i++)
    distance[i] = fabs (numbers[i] - middle);
  spread = vh_health_find_median (distance, n);
  for (i = 0; i < n; i++) {
    const gint here = numbers[i] - middle > spread / 2 ? 1 :
        middle - numbers[i] > spread / 2 ? -1 : side;

    swings += side * here < 0;
    side = here;
  }
  return swings >= MIN_SWINGS ? spread : 0;
}

static void
judge (VhHealthShake * self)
{
  const guint all = MIN (self->n, VH_SHAKE_FRAMES);
  gdouble x[VH_SHAKE_FRAMES], y[VH_SHAKE_FRAMES], across, down;
  GstClockTime age = 0;
  guint n = 0, i;

  self->value = NAN;
  self->direction = NULL;
  self->unknown = VH_UNKNOWN_TOO_EARLY;
  for (i = 0; i < all; i++) {
    const VhHealthPlace *place =
        &self->place[(self->n - 1 - i) % VH_SHAKE_FRAMES];

    if (i >= MIN_FRAMES && self->time - place->time > WINDOW)
      break;
    age = self->time - place->time;
    if (isnan (place->x))
      continue;
    x[n] = place->x;
    y[n++] = place->y;
  }
  if (i < MIN_FRAMES || age < WINDOW / 2)
    return;
  if (2 * n < i) {
    self->unknown = VH_UNKNOWN_NO_PATTERN;
    return;
  }
  across = find_spread (x, n);
  down = find_spread (y, n);
  self->value = hypot (across, down);
  if (down < ALONG * across)
    self->direction = "from side to side";
  else if (across < ALONG * down)
    self->direction = "up and down";
}

void
vh_health_shake_follow (VhHealthShake * self,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  VhHealthPlace *place;
  gfloat now[N_PARTS];
  GstClockTime step = 0;

  if (GST_CLOCK_TIME_IS_VALID (self->time)) {
    if (time >= self->time && time - self->time < LOOK_TIME)
      return;
    step = time > self->time ? time - self->time : 0;
    if (step == 0 || step > MAX_STEP)
      vh_health_shake_restart (self);
  }
  find_picture (evidence->part, now);
  place = &self->place[self->n % VH_SHAKE_FRAMES];
  *place = (VhHealthPlace) {
  time, 0, 0};
  if (self->n > 0)
    find_place (self, now, evidence->aspect, place);
  learn (self, now, step);
  self->time = time;
  self->n++;
  judge (self);
  if (step > MAX_STEP)
    self->unknown = VH_UNKNOWN_TOO_FEW_FRAMES;
}
