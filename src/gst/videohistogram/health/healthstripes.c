/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthstripes.h"

#include <math.h>
#include <string.h>

#define SIDE VH_HEALTH_PART_SIDE
#define N_PARTS VH_HEALTH_PARTS
#define HALF (SIDE / 2)

/* Frames are looked at this far apart. */
#define LOOK_TIME GST_SECOND

/* People and vehicles count for no more than this, in levels. */
#define MOST 0.25f

/* Stripes have at least this share of all differences from the view. */
#define STRIPE_SHARE 0.5
/* So many waves in the picture, at least and at most. Clouds and shadows are
 * longer waves. */
#define MIN_WAVES 4.5
#define MAX_WAVES 28
/* They lie over the whole picture: in at least so many of its quarters, their
 * amplitude is at least half of that of all. */
#define MIN_QUARTERS 3
#define QUARTER_STRENGTH 0.5
/* The next frame has stripes with as many waves, but for this. */
#define SAME_WAVES 1

/* Bars are fewer waves, from side to side; the number need not be whole. */
#define MIN_BARS 0.75
#define BAR_STEP 0.25
#define BARS 16
#define BAR_SHARE 0.4
/* A change of light may look like bars, but does not roll: from frame to frame,
 * bars turn by at least MIN_TURN, in radians, and always alike. */
#define MIN_TURN 0.3
#define TURN_WEIGHT 0.3
#define MIN_STEADY 0.7

/* A number with its imaginary part. */
typedef struct
{
  gfloat re, im;
} Complex;

/* What does not depend on the picture. */
typedef struct
{
  guint order[SIDE];            /* of the numbers that a transform starts
                                 * with */
  Complex turn[SIDE];
  gfloat window[SIDE];
  gfloat power;                 /* of the window, over the picture */
  /* Of bars, in each row; the cosines without their mean. */
  gdouble cosine[BARS][SIDE], sine[BARS][SIDE];
} Tables;

static void
set_bars (gdouble waves, gdouble cosine[SIDE], gdouble sine[SIDE])
{
  gdouble mean = 0;
  guint i;

  for (i = 0; i < SIDE; i++) {
    const gdouble angle = 2 * G_PI * waves * (i + 0.5 - HALF) / SIDE;

    cosine[i] = cos (angle);
    sine[i] = sin (angle);
    mean += cosine[i] / SIDE;
  }
  for (i = 0; i < SIDE; i++)
    cosine[i] -= mean;
}

static const Tables *
get_tables (void)
{
  static Tables tables;
  static gsize ready = 0;
  gfloat squares = 0;
  guint i, bit;

  if (!g_once_init_enter (&ready))
    return &tables;
  for (i = 0; i < SIDE; i++) {
    for (bit = 1; bit < SIDE; bit *= 2)
      tables.order[i] |= i & bit ? HALF / bit : 0;
    tables.window[i] = 0.5 - 0.5 * cos (2 * G_PI * (i + 1) / (SIDE + 1));
    squares += tables.window[i] * tables.window[i];
  }
  for (i = 0; i < SIDE; i++)
    tables.turn[i] = (Complex) { cos (2 * G_PI * i / SIDE),
          -sin (2 * G_PI * i / SIDE) };
  tables.power = squares * squares;
  for (i = 0; i < BARS; i++)
    set_bars (MIN_BARS + i * BAR_STEP, tables.cosine[i], tables.sine[i]);
  g_once_init_leave (&ready, 1);
  return &tables;
}

/* The Fourier transform of SIDE numbers, which are @step apart. */
static void
transform (const Tables * tables, Complex * numbers, guint step)
{
  Complex n[SIDE];
  guint size, first, i;

  for (i = 0; i < SIDE; i++)
    n[i] = numbers[tables->order[i] * step];
  for (size = 1; size < SIDE; size *= 2) {
    for (first = 0; first < SIDE; first += 2 * size) {
      for (i = first; i < first + size; i++) {
        const Complex turn = tables->turn[(i - first) * HALF / size];
        const Complex other = n[i + size];
        const gfloat re = other.re * turn.re - other.im * turn.im;
        const gfloat im = other.re * turn.im + other.im * turn.re;

        n[i + size] = (Complex) { n[i].re - re, n[i].im - im };
        n[i].re += re;
        n[i].im += im;
      }
    }
  }
  for (i = 0; i < SIDE; i++)
    numbers[i * step] = n[i];
}

/* The power of each wave: of y waves down the picture and x across, negative
 * ones after HALF. */
static void
find_powers (const gfloat * rest, gfloat power[SIDE][HALF])
{
  const Tables *tables = get_tables ();
  Complex numbers[N_PARTS];
  guint x, y, i;

  for (i = 0; i < N_PARTS; i++) {
    const gfloat part = CLAMP (rest[i], -MOST, MOST);

    numbers[i].re = part * tables->window[i / SIDE] * tables->window[i % SIDE];
    numbers[i].im = 0;
  }
  for (y = 0; y < SIDE; y++)
    transform (tables, numbers + y * SIDE, 1);
  for (x = 0; x < HALF; x++)
    transform (tables, numbers + x, SIDE);
  for (y = 0; y < SIDE; y++) {
    for (x = 0; x < HALF; x++) {
      const Complex one = numbers[y * SIDE + x];

      power[y][x] = one.re * one.re + one.im * one.im;
    }
  }
}

/* The strongest stripes. */
typedef struct
{
  gint across, down;
  gfloat power;
} Stripes;

/* The power of @y waves down and @x across: the first of these may be
 * negative, the other one -1, which is the opposite wave. */
static gfloat
get_power (gfloat power[SIDE][HALF], gint y, gint x)
{
  return x < 0 ? power[(SIDE - y) % SIDE][-x] :
      x < HALF ? power[(y + SIDE) % SIDE][x] : 0;
}

/* The number of waves need not be whole, so that neighbours belong to it. */
static gfloat
add_neighbours (gfloat power[SIDE][HALF], gint y, gint x)
{
  gfloat sum = 0;
  gint i;

  for (i = 0; i < 9; i++)
    sum += get_power (power, y + i / 3 - 1, x + i % 3 - 1);
  return sum;
}

/* Finds the strongest stripes. Returns the power of all waves but the longest,
 * which a change of light makes, too. */
static gfloat
find_stripes (gfloat power[SIDE][HALF], Stripes * stripes)
{
  gfloat all = 0;
  gint x, y;

  *stripes = (Stripes) { 0, 0, 0 };
  for (y = 1 - HALF; y < HALF; y++) {
    for (x = 0; x < HALF; x++) {
      const gint square = x * x + y * y;
      gfloat sum;

      if (square > 2)
        all += get_power (power, y, x) * (x > 0 ? 2 : 1);
      if (square < MIN_WAVES * MIN_WAVES || square > MAX_WAVES * MAX_WAVES)
        continue;
      sum = 2 * add_neighbours (power, y, x);
      if (sum > stripes->power)
        *stripes = (Stripes) { x, y, sum };
    }
  }
  return all;
}

/* Waves down the picture. Amplitudes use the angle from the middle row. */
typedef struct
{
  gdouble energy;               /* squares of the rows that they explain */
  gdouble cosine, sine;         /* amplitudes */
} Bars;

/* @bars: their number, as in the tables. */
static Bars
fit_bars (const gdouble rows[SIDE], guint bars)
{
  const Tables *tables = get_tables ();
  gdouble of_cosine = 0, of_sine = 0, cosine = 0, sine = 0;
  guint i;

  /* Cosines and sines are orthogonal: the former are even. */
  for (i = 0; i < SIDE; i++) {
    const gdouble x = tables->cosine[bars][i], y = tables->sine[bars][i];

    of_cosine += rows[i] * x;
    of_sine += rows[i] * y;
    cosine += x * x;
    sine += y * y;
  }
  return (Bars) {
    .energy = of_cosine * of_cosine / cosine + of_sine * of_sine / sine,
    .cosine = of_cosine / cosine,
    .sine = of_sine / sine,
  };
}

/* Finds the strongest bars, if they have most of the differences. */
static Bars
find_bars (const gfloat * rest)
{
  gdouble rows[SIDE] = { 0, }, all = 0, mean = 0;
  Bars strongest = { 0, };
  guint i;

  for (i = 0; i < N_PARTS; i++) {
    const gdouble part = CLAMP (rest[i], -MOST, MOST);

    rows[i / SIDE] += part / SIDE;
    mean += part / N_PARTS;
    all += part * part;
  }
  all -= N_PARTS * mean * mean;
  for (i = 0; i < BARS; i++) {
    const Bars bars = fit_bars (rows, i);

    if (bars.energy > strongest.energy)
      strongest = bars;
  }
  return SIDE * strongest.energy >= BAR_SHARE * all ? strongest : (Bars) { 0, };
}

/* Returns the amplitude of bars that roll through the picture. */
static gdouble
follow_bars (VhHealthStripes * self, const gfloat * rest)
{
  const Bars bars = find_bars (rest);
  const gdouble size = hypot (bars.cosine, bars.sine);
  const gdouble x = size > 0 ? bars.cosine / size : 0;
  const gdouble y = size > 0 ? bars.sine / size : 0;

  self->turn[0] += TURN_WEIGHT * (x * self->phase[0] + y * self->phase[1]
      - self->turn[0]);
  self->turn[1] += TURN_WEIGHT * (y * self->phase[0] - x * self->phase[1]
      - self->turn[1]);
  self->phase[0] = x;
  self->phase[1] = y;
  return hypot (self->turn[0], self->turn[1]) >= MIN_STEADY
      && fabs (atan2 (self->turn[1], self->turn[0])) >= MIN_TURN ? size : 0;
}

/* In how many quarters of the picture there are stripes with at least this
 * amplitude. */
static guint
count_quarters (const gfloat * rest, const Stripes * stripes, gdouble least)
{
  const Complex *turn = get_tables ()->turn;
  Complex sums[4] = { {0, 0}, };
  guint n = 0, i;

  for (i = 0; i < N_PARTS; i++) {
    const gint x = i % SIDE, y = i / SIDE;
    const Complex wave = turn[(stripes->across * x + stripes->down * y)
        & (SIDE - 1)];
    Complex *sum = &sums[y / HALF * 2 + x / HALF];
    const gfloat part = CLAMP (rest[i], -MOST, MOST);

    sum->re += part * wave.re;
    sum->im += part * wave.im;
  }
  for (i = 0; i < 4; i++)
    n += hypot (sums[i].re, sums[i].im) >= least * (N_PARTS / 8);
  return n;
}

static const gchar *
describe_direction (const Stripes * stripes)
{
  const gint across = ABS (stripes->across), down = ABS (stripes->down);

  return 3 * across < down ? "from side to side" :
      3 * down < across ? "from top to bottom" : "diagonally";
}

/* Looks for the same stripes as in the frame before. */
static void
follow_stripes (VhHealthStripes * self, const gfloat * rest)
{
  gfloat power[SIDE][HALF];
  Stripes stripes;
  gdouble amplitude;
  gfloat all;
  gboolean same;

  find_powers (rest, power);
  all = find_stripes (power, &stripes);
  amplitude = sqrt (2 * stripes.power / (N_PARTS * get_tables ()->power));
  if (stripes.power < STRIPE_SHARE * all || count_quarters (rest, &stripes,
          QUARTER_STRENGTH * amplitude) < MIN_QUARTERS)
    stripes = (Stripes) { 0, 0, 0 };
  same = ABS (stripes.across - self->across) <= SAME_WAVES
      && ABS (stripes.down - self->down) <= SAME_WAVES;
  self->across = stripes.across;
  self->down = stripes.down;
  self->strength = same && stripes.power > 0 ? amplitude : 0;
  self->direction = self->strength > 0 ? describe_direction (&stripes) : NULL;
}

void
vh_health_stripes_restart (VhHealthStripes * self)
{
  self->looked = GST_CLOCK_TIME_NONE;
  self->across = self->down = 0;
  self->phase[0] = self->phase[1] = self->turn[0] = self->turn[1] = 0;
  self->strength = NAN;
  self->direction = NULL;
}

void
vh_health_stripes_follow (VhHealthStripes * self, const VhHealthChurn * churn,
    GstClockTime time)
{
  gdouble bars;

  if (!churn->compared) {
    vh_health_stripes_restart (self);
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID (self->looked) && time >= self->looked
      && time - self->looked < LOOK_TIME)
    return;
  self->looked = time;
  follow_stripes (self, churn->rest.part);
  bars = follow_bars (self, churn->rest.part);
  if (bars > self->strength) {
    self->strength = bars;
    self->direction = "from side to side";
  }
}
