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
#define WRONG 0.09f
/* and a frame falls apart if in MIN_CELLS of the cells this many parts of 64
 * have become wrong, or are no longer, since the frame before it. */
#define MIN_PARTS 4
#define MIN_CELLS 0.42
/* Frames after it are damaged, too, while MIN_WRONG of the parts are wrong, but
 * not for longer than this. */
#define MIN_WRONG 0.05
#define HOLD (1500 * GST_MSECOND)
/* A film, or a camera on a vehicle, has no usual view: this share of its parts
 * differs from the average of its frames. */
#define MAX_UNLIKE 0.3
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

/* Two sums at a time, as many as a vector of every CPU holds. */
typedef gfloat Terms __attribute__ ((vector_size (2 * sizeof (gfloat))));
typedef gdouble Sums __attribute__ ((vector_size (2 * sizeof (gdouble))));

/* Fits the view to @part, but not to parts that differ by more than @most from
 * the present fit: @light[0] + @light[1] * view. FALSE if what is left has no
 * contrast. */
static gboolean
fit_light (const VhHealthChurn * self, const gfloat * part, gfloat most,
    gfloat light[2])
{
  Sums sums = { 0, }, products = { 0, };
  gdouble x, y, xx, xy;
  guint n = 0, i;

  for (i = 0; i < N_PARTS; i++) {
    const gboolean fits =
        fabsf (part[i] - light[0] - light[1] * self->usual[i]) <= most;
    const Terms terms = { self->usual[i], part[i] };

    if (!fits)
      continue;
    n++;
    sums += __builtin_convertvector (terms, Sums);
    products += __builtin_convertvector (terms * self->usual[i], Sums);
  }
  x = sums[0];
  y = sums[1];
  xx = products[0] - x * x / MAX (n, 1);
  xy = products[1] - x * y / MAX (n, 1);
  if (2 * n < N_PARTS || xx < n * MIN_SPREAD * MIN_SPREAD)
    return FALSE;
  light[1] = xy / xx;
  light[0] = (y - light[1] * x) / n;
  return TRUE;
}

/* Sets @rest to what the view, in the present light, does not explain of
 * @part. */
static gboolean
find_rest (const VhHealthChurn * self, const gfloat * part, gfloat * rest)
{
  const gfloat *restrict const usual = self->usual;
  gfloat light[2] = { 0, 1 };
  guint i;

  if (!fit_light (self, part, G_MAXFLOAT, light))
    return FALSE;
  fit_light (self, part, WRONG, light);
  for (i = 0; i < N_PARTS; i++)
    rest[i] = part[i] - light[0] - light[1] * usual[i];
  return TRUE;
}

static void
find_tones (const gfloat * usual, guint8 * restrict tone)
{
  guint i;

  for (i = 0; i < N_PARTS; i++)
    tone[i] = CLAMP ((gint) (usual[i] * TONES), 0, TONES - 1);
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
remove_tones (const guint8 * tone, const gfloat * rest,
    gfloat * restrict without)
{
  guint16 count[TONES][STEPS] = { {0}, };
  guint n[TONES] = { 0, };
  gfloat common[TONES];
  guint i, k;

  for (i = 0; i < N_PARTS; i++) {
    n[tone[i]]++;
    count[tone[i]][get_step (rest[i])]++;
  }
  for (i = 0; i < TONES; i++) {
    guint below = count[i][0];

    for (k = 0; 2 * below < n[i]; below += count[i][k])
      k++;
    common[i] = (2 * k + 1.0f) / STEPS - 1;
  }
  for (i = 0; i < N_PARTS; i++)
    without[i] = rest[i] - common[tone[i]];
}

/* The share of the cells in which parts became wrong, or right. */
static gdouble
count_churn (const gfloat * rest, const gfloat * before)
{
  guint n = 0, i, x, y;

  for (i = 0; i < N_PARTS; i += OF_CELL * SIDE) {
    guint changed[SIDE] = { 0, }, of_cell[VH_HEALTH_SIDE] = { 0, };

    for (y = i; y < i + OF_CELL * SIDE; y += SIDE) {
      for (x = 0; x < SIDE; x++) {
        const gfloat now = rest[y + x], then = before[y + x];

        changed[x] += (fabsf (now - then) >= WRONG) & ((fabsf (now) >= WRONG)
            | (fabsf (then) >= WRONG));
      }
    }
    for (x = 0; x < SIDE; x++)
      of_cell[x / OF_CELL] += changed[x];
    for (x = 0; x < VH_HEALTH_SIDE; x++)
      n += of_cell[x] >= MIN_PARTS;
  }
  return (gdouble) n / VH_HEALTH_CELLS;
}

static gdouble
count_wrong (const gfloat * rest)
{
  guint n = 0, i;

  for (i = 0; i < N_PARTS; i++)
    n += fabsf (rest[i]) >= WRONG;
  return (gdouble) n / N_PARTS;
}

/* Whether so much became wrong, or right, that the frame falls apart: in the
 * light of the view, and also in light that changes each tone by itself. */
static gboolean
has_churn (const VhHealthChurn * self, const VhHealthChurnRest * now)
{
  const VhHealthChurnRest *before = &self->rest;
  gfloat without[2][N_PARTS] = { {0}, };

  if (count_churn (now->part, before->part) < MIN_CELLS)
    return FALSE;
  remove_tones (now->tone, now->part, without[0]);
  if (self->compared)
    remove_tones (before->tone, before->part, without[1]);
  return count_churn (without[0], without[1]) >= MIN_CELLS;
}

/* Whether parts are wrong, in both kinds of light. */
static gboolean
is_wrong (const VhHealthChurnRest * rest)
{
  gfloat without[N_PARTS];

  if (count_wrong (rest->part) < MIN_WRONG)
    return FALSE;
  remove_tones (rest->tone, rest->part, without);
  return count_wrong (without) >= MIN_WRONG;
}

/* How far the camera has moved, in quarters of a part. */
typedef struct
{
  gint x, y;
} Move;

/* The sum of the differences of two pictures, the second one moved, without the
 * parts that a move may bring into the picture. Ends early with @most or more
 * if it is not less. */
static gdouble
compare_moved (const gfloat * a, const gfloat * b, Move move, gdouble most)
{
  const gint dx = move.x >> 2, dy = move.y >> 2;
  const gfloat right = (move.x & 3) / 4.0f, low = (move.y & 3) / 4.0f;
  gfloat sum = 0;
  gint x, y;

  for (y = MARGIN; y < SIDE - MARGIN && sum < most; y++) {
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
      const gdouble difference = compare_moved (a, b, tried, least);

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
  const gdouble limit = EXPLAINED * compare_moved (a, b, move,
      G_MAXDOUBLE);

  return find_move (a, b, &move, MAX_SHIFT, 4) < limit
      || find_move (a, b, &move, 3, 1) < limit;
}

/* The sum of the differences from the view, whose rows have rolled up by
 * @shift. Ends early with @most or more if it is not less. */
static gdouble
compare_rolled (const VhHealthChurn * self, const gfloat * part, guint shift,
    gdouble most)
{
  gdouble sum = 0;
  guint y, x;

  for (y = 0; y < SIDE && sum < most; y++) {
    const gfloat *usual = self->usual + (y + shift) % SIDE * SIDE;

    for (x = 0; x < SIDE; x++)
      sum += fabsf (part[y * SIDE + x] - usual[x]);
  }
  return sum;
}

static gboolean
has_rolled (const VhHealthChurn * self, const gfloat * part)
{
  const gdouble limit = ROLLED * compare_rolled (self, part, 0,
      G_MAXDOUBLE);
  guint shift;

  for (shift = MIN_ROLL; shift <= SIDE - MIN_ROLL; shift++) {
    if (compare_rolled (self, part, shift, limit) < limit)
      return TRUE;
  }
  return FALSE;
}

/* Notes whether a frame falls apart. While the camera moves, single frames
 * that its motion does not explain say nothing about those after them. */
static void
look (VhHealthChurn * self, const gfloat * part,
    const VhHealthChurnRest * rest, GstClockTime time)
{
  if (self->unlike >= MAX_UNLIKE || !has_churn (self, rest))
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
  VhHealthChurnRest rest;
  gboolean known;

  if (!follows)
    self->broken = GST_CLOCK_TIME_NONE;
  known = vh_health_churn_is_ready (self) && find_rest (self, part, rest.part);
  if (known)
    find_tones (self->usual, rest.tone);
  else
    memset (&rest, 0, sizeof (rest));
  if (known && follows)
    look (self, part, &rest, time);
  memcpy (self->last, part, sizeof (self->last));
  self->rest = rest;
  self->compared = known;
  self->time = time;
  return GST_CLOCK_TIME_IS_VALID (self->broken)
      && (self->broken == time || (time - self->broken <= HOLD
          && is_wrong (&rest)));
}

/* The share of the parts of the last frame that differ from the view. */
static gdouble
count_unlike (const VhHealthChurn * self)
{
  gfloat rest[N_PARTS];
  guint i;

  if (self->compared)
    return count_wrong (self->rest.part);
  for (i = 0; i < N_PARTS; i++)
    rest[i] = self->last[i] - self->usual[i];
  return count_wrong (rest);
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
  self->unlike += weight * (count_unlike (self) - self->unlike);
  for (i = 0; i < N_PARTS; i++)
    self->usual[i] += weight * (self->last[i] - self->usual[i]);
}
