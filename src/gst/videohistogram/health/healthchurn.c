/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthchurn.h"

#include <math.h>
#include <string.h>

#define SIDE VH_HEALTH_PART_SIDE
#define N_PARTS VH_HEALTH_PARTS
#define OF_CELL (SIDE / VH_HEALTH_SIDE)

/* The view is known after this time, and follows frames with that time
 * constant, in ns. */
#define READY_TIME (20.0 * GST_SECOND)
#define FOLLOW_TIME (60.0 * GST_SECOND)
/* Frames that are further apart are not compared: between them, people fill
 * and leave any part of a busy place. */
#define MAX_STEP GST_SECOND
/* A part is wrong if it differs by this much, in levels, from the view in the
 * present light, */
#define WRONG 0.09
/* and a frame falls apart if in MIN_CELLS of the cells this many parts of 64
 * have become wrong, or are no longer, since the frame before it. */
#define MIN_PARTS 4
#define MIN_CELLS 0.42
/* Frames after it are damaged, too, while MIN_WRONG of the parts are wrong, but
 * not for longer than this. */
#define MIN_WRONG 0.05
#define HOLD (1500 * GST_MSECOND)
/* Tones of the view that are looked at by themselves, and steps in which their
 * changes are counted. */
#define TONES 16
#define STEPS 128
/* Camera motion of up to this many parts explains a frame if it leaves less
 * than this share of the difference. */
#define MAX_SHIFT 6
#define MARGIN (MAX_SHIFT + 2)
#define EXPLAINED 0.7
/* So does a picture that rolls around its lower edge by at least MIN_ROLL
 * rows. */
#define MIN_ROLL 4
#define ROLLED 0.35
/* A view with less contrast has nothing to compare. */
#define MIN_SPREAD 0.03

void
vh_health_churn_init (VhHealthChurn * self)
{
  self->learned = 0;
  vh_health_churn_restart (self);
}

void
vh_health_churn_restart (VhHealthChurn * self)
{
  self->time = self->broken = GST_CLOCK_TIME_NONE;
  self->compared = FALSE;
}

gboolean
vh_health_churn_is_ready (const VhHealthChurn * self)
{
  return self->learned >= READY_TIME;
}

/* Fits the view to @part, but not to parts that differ by more than @most from
 * the present fit: @light[0] + @light[1] * view. FALSE if what is left has no
 * contrast. */
static gboolean
fit_light (const VhHealthChurn * self, const gfloat * part, gfloat most,
    gfloat light[2])
{
  gdouble n = 0, x = 0, y = 0, xx = 0, xy = 0;
  guint i;

  for (i = 0; i < N_PARTS; i++) {
    const gfloat usual = self->usual[i];

    if (!(fabsf (part[i] - light[0] - light[1] * usual) <= most))
      continue;
    n++;
    x += usual;
    y += part[i];
    xx += usual * usual;
    xy += usual * part[i];
  }
  xx -= x * x / MAX (n, 1);
  xy -= x * y / MAX (n, 1);
  if (2 * n < N_PARTS || xx < n * MIN_SPREAD * MIN_SPREAD)
    return FALSE;
  light[1] = xy / xx;
  light[0] = (y - light[1] * x) / n;
  return TRUE;
}

static guint
get_tone (const VhHealthChurn * self, guint i)
{
  return CLAMP ((gint) (self->usual[i] * TONES), 0, TONES - 1);
}

static guint
get_step (gfloat rest)
{
  return CLAMP ((gint) ((rest + 1) * STEPS / 2), 0, STEPS - 1);
}

/* Takes away from @rest what parts of the same tone have in common, which is
 * their median: where the exposure changes, tones do not change in proportion,
 * and the brightest clip. */
static void
remove_tones (const VhHealthChurn * self, gfloat * rest)
{
  guint16 count[TONES][STEPS] = { {0}, };
  guint n[TONES] = { 0, };
  gfloat common[TONES];
  guint i, k;

  for (i = 0; i < N_PARTS; i++) {
    n[get_tone (self, i)]++;
    count[get_tone (self, i)][get_step (rest[i])]++;
  }
  for (i = 0; i < TONES; i++) {
    guint below = count[i][0];

    for (k = 0; 2 * below < n[i]; below += count[i][k])
      k++;
    common[i] = (2 * k + 1.0f) / STEPS - 1;
  }
  for (i = 0; i < N_PARTS; i++)
    rest[i] -= common[get_tone (self, i)];
}

/* Sets @rest to what the view, in the present light, does not explain of
 * @part. */
static gboolean
find_rest (const VhHealthChurn * self, const gfloat * part,
    gfloat rest[2][N_PARTS])
{
  gfloat light[2] = { 0, 1 };
  guint i;

  if (!fit_light (self, part, G_MAXFLOAT, light))
    return FALSE;
  fit_light (self, part, WRONG, light);
  for (i = 0; i < N_PARTS; i++)
    rest[0][i] = part[i] - light[0] - light[1] * self->usual[i];
  memcpy (rest[1], rest[0], sizeof (rest[0]));
  remove_tones (self, rest[1]);
  return TRUE;
}

/* The share of the cells in which parts became wrong, or right. */
static gdouble
count_churn (const gfloat * rest, const gfloat * before)
{
  guint changed[VH_HEALTH_CELLS] = { 0, };
  guint n = 0, i;

  for (i = 0; i < N_PARTS; i++) {
    if (fabsf (rest[i] - before[i]) > WRONG
        && (fabsf (rest[i]) > WRONG || fabsf (before[i]) > WRONG))
      changed[i / SIDE / OF_CELL * VH_HEALTH_SIDE + i % SIDE / OF_CELL]++;
  }
  for (i = 0; i < VH_HEALTH_CELLS; i++)
    n += changed[i] >= MIN_PARTS;
  return (gdouble) n / VH_HEALTH_CELLS;
}

/* The same, in the light that explains most. */
static gdouble
find_churn (gfloat rest[2][N_PARTS], gfloat before[2][N_PARTS])
{
  return MIN (count_churn (rest[0], before[0]), count_churn (rest[1],
          before[1]));
}

static gdouble
count_wrong (const gfloat * rest)
{
  guint n = 0, i;

  for (i = 0; i < N_PARTS; i++)
    n += fabsf (rest[i]) > WRONG;
  return (gdouble) n / N_PARTS;
}

static gdouble
find_wrong (gfloat rest[2][N_PARTS])
{
  return MIN (count_wrong (rest[0]), count_wrong (rest[1]));
}

/* How far the camera has moved, in quarters of a part. */
typedef struct
{
  gint x, y;
} Move;

/* The sum of the differences of two pictures, the second one moved, without the
 * parts that a move may bring into the picture. */
static gdouble
compare_moved (const gfloat * a, const gfloat * b, Move move)
{
  const gint dx = move.x >> 2, dy = move.y >> 2;
  const gfloat right = (move.x & 3) / 4.0f, low = (move.y & 3) / 4.0f;
  gfloat sum = 0;
  gint x, y;

  for (y = MARGIN; y < SIDE - MARGIN; y++) {
    const gfloat *upper = b + (y + dy) * SIDE + dx;
    const gfloat *lower = upper + SIDE;

    for (x = MARGIN; x < SIDE - MARGIN; x++) {
      const gfloat above = upper[x] + right * (upper[x + 1] - upper[x]);
      const gfloat below = lower[x] + right * (lower[x + 1] - lower[x]);

      sum += fabsf (a[y * SIDE + x] - above - low * (below - above));
    }
  }
  return sum;
}

/* Returns the least difference of moves by up to @reach steps around *@move,
 * and sets *@move to the best one. */
static gdouble
find_move (const gfloat * a, const gfloat * b, Move * move, gint reach,
    gint step)
{
  const Move from = *move;
  gdouble least = G_MAXDOUBLE;
  gint i, j;

  for (i = -reach; i <= reach; i++) {
    for (j = -reach; j <= reach; j++) {
      const Move tried = { from.x + j * step, from.y + i * step };
      const gdouble difference = compare_moved (a, b, tried);

      if (difference < least) {
        least = difference;
        *move = tried;
      }
    }
  }
  return least;
}

static gboolean
has_moved (const gfloat * a, const gfloat * b)
{
  Move move = { 0, 0 };
  const gdouble limit = EXPLAINED * compare_moved (a, b, move);

  return find_move (a, b, &move, MAX_SHIFT, 4) < limit
      || find_move (a, b, &move, 3, 1) < limit;
}

/* The sum of the differences from the view, whose rows have rolled up by
 * @shift. */
static gdouble
compare_rolled (const VhHealthChurn * self, const gfloat * part, guint shift)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < N_PARTS; i++)
    sum += fabsf (part[i] - self->usual[(i + shift * SIDE) % N_PARTS]);
  return sum;
}

static gboolean
has_rolled (const VhHealthChurn * self, const gfloat * part)
{
  const gdouble limit = ROLLED * compare_rolled (self, part, 0);
  guint shift;

  for (shift = MIN_ROLL; shift <= SIDE - MIN_ROLL; shift++) {
    if (compare_rolled (self, part, shift) < limit)
      return TRUE;
  }
  return FALSE;
}

/* Notes whether a frame falls apart. While the camera moves, single frames
 * that its motion does not explain say nothing about those after them. */
static void
look (VhHealthChurn * self, const gfloat * part, gfloat rest[2][N_PARTS],
    GstClockTime time)
{
  if (find_churn (rest, self->rest) < MIN_CELLS)
    return;
  self->broken = has_rolled (self, part) || !has_moved (part, self->last) ?
      time : GST_CLOCK_TIME_NONE;
}

gboolean
vh_health_churn_follow (VhHealthChurn * self,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  const gfloat *part = evidence->part;
  const gboolean follows = GST_CLOCK_TIME_IS_VALID (self->time)
      && time > self->time && time - self->time <= MAX_STEP;
  gfloat rest[2][N_PARTS] = { {0}, };

  if (!follows)
    self->broken = GST_CLOCK_TIME_NONE;
  self->compared = vh_health_churn_is_ready (self)
      && find_rest (self, part, rest);
  if (self->compared && follows)
    look (self, part, rest, time);
  memcpy (self->last, part, sizeof (self->last));
  memcpy (self->rest, rest, sizeof (self->rest));
  self->time = time;
  return GST_CLOCK_TIME_IS_VALID (self->broken)
      && (self->broken == time || (time - self->broken <= HOLD
          && find_wrong (rest) >= MIN_WRONG));
}

void
vh_health_churn_learn (VhHealthChurn * self, gdouble step)
{
  gfloat weight;
  guint i;

  self->learned += step;
  if (step <= 0)
    return;
  weight = step / MIN (self->learned, FOLLOW_TIME);
  for (i = 0; i < N_PARTS; i++)
    self->usual[i] += weight * (self->last[i] - self->usual[i]);
}
