/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthstate.h"

#include "core/duration.h"

#include <math.h>
#include <string.h>

/* Frames that are further apart do not count as continuous, unless all frames
 * are so far apart. */
#define MAX_GAP (10 * GST_SECOND)

#define FLAP_TIME (3600 * GST_SECOND)

/* Time constants of averages, in s. */
#define DAMAGE_PERIOD 5.0
/* Coders leave out some of the noise of most frames, and a converted frame rate
 * repeats frames. */
#define NOISE_PERIOD 1.0
#define RECENT_NOISE_PERIOD 30.0
#define USUAL_NOISE_PERIOD 60.0
#define FORMER_NOISE_PERIOD 600.0
/* Lamps that are lit at dusk take the noise away within about a minute. */
#define BEFORE_PERIOD 5.0

/* With more noise, in levels, the picture is noisy, and does not fall apart. */
#define MAX_NOISE 0.045

/* As night falls, noise grows by less than this factor in a minute, and to less
 * than this level, at the highest gain before the night mode. A fault makes it
 * grow by that factor, or to that level. */
#define NIGHT_NOISE 1.35
#define DARKEST_NIGHT 0.1

/* A coder leaves out more of a picture that has only this share of the noise
 * that it had before, as after street lamps were lit. */
#define LESS_NOISE 0.6

/* Less noise than this, in levels, neither sharpens a picture nor changes it
 * much: one level of 8 bits. */
#define MIN_FORMER_NOISE (1 / 255.0)

/* How long a camera may take to switch to its night mode. */
#define NIGHT_MODE_TIME (15 * GST_SECOND)

/* The difference of a live picture counts as at least this many times the
 * threshold that ends a freeze. */
#define ALIVE 2

static void
init_frames (VhHealthState * state)
{
  guint i;

  state->started = state->time = GST_CLOCK_TIME_NONE;
  state->n_flips = 0;
  state->flips_lost = FALSE;
  for (i = 0; i < VH_HEALTH_N; i++)
    vh_health_run_init (&state->run[i]);
  vh_health_flashes_clear (&state->flashes);
  vh_health_bands_clear (&state->bands);
  vh_health_swings_clear (&state->swings);
  vh_health_average_init (&state->damage);
  vh_health_average_init (&state->noise);
  vh_health_average_init (&state->recent_noise);
  vh_health_average_init (&state->usual_noise);
  vh_health_average_init (&state->noise_before_still);
  vh_health_average_init (&state->noise_before_blurry);
  vh_health_average_init (&state->former_noise);
  vh_health_stillness_restart (state->stillness);
  vh_health_loops_clear (state->loops);
  vh_health_churn_restart (state->churn);
  vh_health_stripes_restart (&state->stripes);
  vh_health_stuck_restart (state->stuck);
  vh_health_shake_restart (state->shake);
  vh_health_blocks_restart (state->blocks);
  vh_health_tour_restart (state->tour);
}

void
vh_health_state_init (VhHealthState * state)
{
  memset (state, 0, sizeof (*state));
  state->stillness = g_new0 (VhHealthStillness, 1);
  state->loops = g_new0 (VhHealthLoops, 1);
  state->churn = g_new0 (VhHealthChurn, 1);
  state->shift = vh_health_shift_new ();
  state->stuck = g_new0 (VhHealthStuck, 1);
  state->shake = g_new0 (VhHealthShake, 1);
  state->blocks = g_new0 (VhHealthBlocks, 1);
  state->tour = vh_health_tour_new ();
  init_frames (state);
  vh_health_reference_init (&state->reference);
}

void
vh_health_state_clear (VhHealthState * state)
{
  vh_health_reference_clear (&state->reference);
  g_clear_pointer (&state->stillness, g_free);
  g_clear_pointer (&state->loops, g_free);
  g_clear_pointer (&state->churn, g_free);
  g_clear_pointer (&state->shift, vh_health_shift_free);
  g_clear_pointer (&state->stuck, g_free);
  g_clear_pointer (&state->shake, g_free);
  g_clear_pointer (&state->blocks, g_free);
  g_clear_pointer (&state->tour, vh_health_tour_free);
}

void
vh_health_state_reset (VhHealthState * state)
{
  init_frames (state);
  vh_health_reference_restart (&state->reference);
  vh_health_shift_restart (state->shift);
}

void
vh_health_state_restart (VhHealthState * state)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++)
    vh_health_run_restart (&state->run[i]);
  state->n_flips = 0;
  state->flips_lost = state->run[GST_VIDEO_HEALTH_CONDITION_FLAPPING].active;
  vh_health_flashes_clear (&state->flashes);
  vh_health_bands_clear (&state->bands);
  vh_health_swings_clear (&state->swings);
  vh_health_average_restart (&state->damage);
  vh_health_average_restart (&state->noise);
  vh_health_average_restart (&state->recent_noise);
  vh_health_average_restart (&state->usual_noise);
  vh_health_average_restart (&state->noise_before_still);
  vh_health_average_restart (&state->noise_before_blurry);
  vh_health_average_restart (&state->former_noise);
  vh_health_reference_restart (&state->reference);
  vh_health_shift_restart (state->shift);
  vh_health_stillness_restart (state->stillness);
  vh_health_loops_clear (state->loops);
  vh_health_churn_restart (state->churn);
  vh_health_stripes_restart (&state->stripes);
  vh_health_stuck_restart (state->stuck);
  vh_health_shake_restart (state->shake);
  vh_health_blocks_restart (state->blocks);
  vh_health_tour_restart (state->tour);
  state->started = state->time = GST_CLOCK_TIME_NONE;
}

/* Whether timestamps jumped before a frame of @time. A long gap is not a jump
 * if the previous one was as long, as with a low frame rate, or if ticks
 * arrived meanwhile. Soon after timestamps jumped back, a step ahead that is
 * longer than usual is also a jump, because they may be returning. */
static gboolean
has_jumped (VhHealthState * state, GstClockTime time)
{
  VhHealthClock *clock = &state->clock;
  const GstClockTime before = clock->ahead;
  GstClockTime last = state->time;

  if (time < last) {
    clock->behind = last - time;
    clock->back = clock->seen;
    return TRUE;
  }
  clock->ahead = time - last;
  if (clock->behind > 0 && clock->ahead > 2 * clock->step
      && clock->seen - clock->back < MAX_GAP) {
    clock->behind -= MIN (clock->behind, clock->ahead);
    return TRUE;
  }
  if (GST_CLOCK_TIME_IS_VALID (clock->ticked) && clock->ticked <= time)
    last = MAX (last, clock->ticked);
  return time - last > MAX_GAP && time - last > 2 * before;
}

/* Advances the clock to a frame of @time. Returns the clock's time. */
static GstClockTime
follow_time (VhHealthState * state, GstClockTime time)
{
  VhHealthClock *clock = &state->clock;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = GST_CLOCK_TIME_IS_VALID (state->time) ? state->time : 0;
  if (!GST_CLOCK_TIME_IS_VALID (state->time)) {
    *clock = (VhHealthClock) {.seen = time,.base = time };
  } else {
    const gboolean jumped = has_jumped (state, time);

    if (jumped)
      clock->base = time;
    else if (clock->ahead > 0)
      clock->step = clock->ahead;
    clock->seen += jumped ? clock->step : clock->ahead;
  }
  clock->ticked = GST_CLOCK_TIME_NONE;
  state->time = time;
  if (!GST_CLOCK_TIME_IS_VALID (state->started))
    state->started = time;
  return clock->seen;
}

GstClockTime
vh_health_state_get_time (const VhHealthState * state, GstClockTime seen,
    GstClockTime time)
{
  GstClockTime now, ago;

  if (!GST_CLOCK_TIME_IS_VALID (state->time))
    return seen;
  now = state->clock.seen + (time > state->time ? time - state->time : 0);
  ago = now > seen ? now - seen : 0;
  return MAX (time > ago ? time - ago : 0, MIN (state->clock.base, time));
}

GstClockTime
vh_health_state_get_pending (const VhHealthState * state, guint condition)
{
  const VhHealthStillness *stillness = state->stillness;

  return condition == GST_VIDEO_HEALTH_CONDITION_FROZEN && stillness->pending ?
      stillness->time - stillness->pending_since :
      vh_health_run_get_pending (&state->run[condition]);
}

static guint
count_flips (const VhHealthState * state, GstClockTime time)
{
  const guint known = MIN (state->n_flips, VH_HEALTH_FLIPS);
  guint n = 0;

  while (n < known
      && time - state->flip[(state->n_flips - 1 - n) % VH_HEALTH_FLIPS] <
      FLAP_TIME)
    n++;
  return n;
}

/* Whether @condition is active, or its value is past the threshold to enter. */
static gboolean
is_suspect (const VhHealthState * state, const VhHealthRules * rules,
    const gdouble * values, guint condition)
{
  return state->run[condition].active
      || (!isnan (values[condition])
      && vh_health_is_past_enter (&rules->of[condition],
          vh_health_conditions[condition].below, values[condition]));
}

static guint
find_active (const VhHealthState * state)
{
  guint active = 0, i;

  for (i = 0; i < VH_HEALTH_N; i++)
    active |= state->run[i].active ? 1u << i : 0;
  return active;
}

/* Conditions that are active, or sure to start if they last. */
static guint
find_sure (const VhHealthState * state)
{
  guint sure = 0, i;

  for (i = 0; i < VH_HEALTH_N; i++)
    sure |= vh_health_run_is_sure (&state->run[i]) ? 1u << i : 0;
  return sure;
}

static guint
find_suspects (const VhHealthState * state, const VhHealthRules * rules,
    const gdouble * values)
{
  guint suspects = 0, i;

  for (i = 0; i < VH_HEALTH_N; i++)
    suspects |= is_suspect (state, rules, values, i) ? 1u << i : 0;
  return suspects;
}

/* Adds what is known about a picture that may be frozen. */
static void
add_stillness (const VhHealthState * state, VhHealthStep * step)
{
  const VhHealthStillness *stillness = state->stillness;

  if (stillness->pending)
    step->suspended = TRUE;
  else if (stillness->verdict == VH_STILLNESS_STILL)
    step->start = stillness->since;
  else if (stillness->verdict == VH_STILLNESS_ALIVE)
    step->hold = stillness->hold;
}

/* A camera that has shown pictures without color has a night mode, and any
 * camera that has shown colors may have one. When the light goes out, it takes
 * a while to switch its lamp on. */
static GstClockTime
get_delay (const VhHealthState * state, guint condition)
{
  const VhHealthReference *reference = &state->reference;
  const gboolean possible = reference->last[1] >= 0
      || (reference->last[0] >= 0
      && reference->slot[reference->last[0]]->colors_learned > 0);

  return condition == GST_VIDEO_HEALTH_CONDITION_DARK && possible ?
      NIGHT_MODE_TIME : 0;
}

/* Whether a start has to wait longer than the rule says. */
static gboolean
is_delayed (const VhHealthRun * run, GstClockTime time)
{
  return run->delay && !(GST_CLOCK_TIME_IS_VALID (run->entering)
      && time >= run->entering && time - run->entering >= run->delay);
}

/* Whether coded video is still for longer than usual because it has less noise
 * than when that was learned. A freeze takes noise away, too, but is found
 * before the recent noise has followed. */
static gboolean
has_less_noise (const VhHealthState * state, guint condition)
{
  return condition == GST_VIDEO_HEALTH_CONDITION_FROZEN
      && state->coded && !state->stillness->lasted
      && state->recent_noise.value < LESS_NOISE * LESS_NOISE
      * state->former_noise.value;
}

/* Whether the picture had already lost its noise by @before. When lamps are
 * lit, it loses its noise first. Without noise it changes less, and looks less
 * sharp, than was learned. A fault takes noise away when it starts, not
 * before. */
static gboolean
has_lost_noise (const VhHealthState * state, const VhHealthAverage * before)
{
  return GST_CLOCK_TIME_IS_VALID (before->time)
      && state->former_noise.value >= MIN_FORMER_NOISE * MIN_FORMER_NOISE
      && before->value < LESS_NOISE * LESS_NOISE * state->former_noise.value;
}

/* Adds the noise of a frame that is not in question yet. */
static void
add_noise_before (VhHealthAverage * before, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_NOISE
      && evidence->noise > 0)
    vh_health_average_add (before, evidence->noise * evidence->noise,
        BEFORE_PERIOD, time);
}

/* Whether the noise came slowly, as night fell. */
static gboolean
has_night_noise (const VhHealthState * state, guint condition)
{
  return condition == GST_VIDEO_HEALTH_CONDITION_NOISY
      && state->noise.value < MIN (NIGHT_NOISE * NIGHT_NOISE *
      state->usual_noise.value, DARKEST_NIGHT * DARKEST_NIGHT);
}

/* Says how coded video was judged: its value does not. While the end of a
 * freeze waits for its hold, says for how much longer. */
static const gchar *
describe_stillness (const VhHealthState * state, const VhHealthRule * rule,
    GstClockTime time)
{
  const VhHealthRun *run = &state->run[GST_VIDEO_HEALTH_CONDITION_FROZEN];
  const VhHealthStillness *stillness = state->stillness;
  GstClockTime left;
  gchar *duration, *text;
  const gchar *described;

  if (!state->coded || !stillness->has_last || !run->judged)
    return NULL;
  if (stillness->verdict == VH_STILLNESS_STILL)
    return "changes less than usual for this camera";
  if (!run->active || !GST_CLOCK_TIME_IS_VALID (run->leaving))
    return "changes as usual for this camera";
  left = run->leaving + MAX (rule->hold, stillness->hold) - time;
  duration = vh_duration_print (ceil (left / (gdouble) GST_SECOND));
  text = g_strdup_printf ("changes again; the alarm ends if it does so for "
      "another %s", duration);
  described = g_intern_string (text);
  g_free (text);
  g_free (duration);
  return described;
}

static gboolean
step (VhHealthState * state, const VhHealthRules * rules, guint condition,
    gdouble value, gboolean looked, guint suspects, guint sure,
    GstClockTime time)
{
  const VhHealthCondition *row = &vh_health_conditions[condition];
  const VhHealthRule *rule = &rules->of[condition];
  VhHealthRun *run = &state->run[condition];
  const guint masks = (row->masks | (row->hidden_by & state->reported))
      & sure;
  VhHealthStep next = {
    .value = value,
    .looked = looked,
    .below = row->below,
    .masked = masks != 0,
    .suspended = (row->masks & suspects) != 0
        || has_night_noise (state, condition)
        || has_less_noise (state, condition),
    .sure_after = row->sure_after,
    .compares = row->compares,
    .start = GST_CLOCK_TIME_NONE,
    .time = time,
  };
  gboolean changed;

  if (condition == GST_VIDEO_HEALTH_CONDITION_FROZEN)
    add_stillness (state, &next);
  if (condition == GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN)
    next.hold = state->stuck->hold;
  run->hold = condition == GST_VIDEO_HEALTH_CONDITION_FROZEN && state->coded ?
      state->stillness->hold : next.hold;
  run->delay = get_delay (state, condition);
  next.suspended |= is_delayed (run, time);
  run->held_back = masks & find_active (state);
  changed = vh_health_run_step (run, rule, &next);
  if (condition == GST_VIDEO_HEALTH_CONDITION_FROZEN)
    run->detail = describe_stillness (state, rule, time);
  return changed;
}

/* Returns @value, or NAN if it would end the condition: it was observed for too
 * short a time to tell. */
static gdouble
doubt_end (const VhHealthState * state, const VhHealthRules * rules,
    guint condition, gdouble value)
{
  return state->run[condition].active
      && vh_health_run_is_clear (&state->run[condition], &rules->of[condition],
      vh_health_conditions[condition].below, value) ? NAN : value;
}

/* Where or how a condition with @value shows, or NULL. */
static const gchar *
describe_detail (guint condition, const VhHealthFacts * facts, gdouble value)
{
  const VhHealthEvidence *evidence = facts->evidence;

  if (isnan (value))
    return NULL;
  switch (condition) {
    case GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED:
      return vh_health_describe_place (facts->comparison.obstructing,
          evidence->columns, evidence->rows);
    case GST_VIDEO_HEALTH_CONDITION_GLARE:
      return vh_health_describe_place (facts->comparison.glaring,
          evidence->columns, evidence->rows);
    case GST_VIDEO_HEALTH_CONDITION_CORRUPTED:
      return vh_health_describe_place (facts->comparison.damaging,
          evidence->columns, evidence->rows);
    case GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN:
      return vh_health_describe_place (facts->stuck->cells, VH_HEALTH_SIDE,
          VH_HEALTH_SIDE);
    case GST_VIDEO_HEALTH_CONDITION_STRIPED:
      return facts->stripes->direction;
    case GST_VIDEO_HEALTH_CONDITION_SHAKING:
      return facts->shake->direction;
    case GST_VIDEO_HEALTH_CONDITION_COLOR_CAST:
      return facts->comparison.hue;
    case GST_VIDEO_HEALTH_CONDITION_NUDGED:
      return vh_health_shift_describe (facts->shift);
    default:
      return NULL;
  }
}

/* While one of these lasts, the picture differs from the learned view, or its
 * frames from each other, for a reason that is known. */
#define OTHER_VIEW (GST_VIDEO_HEALTH_CONDITIONS_COVERED | \
    GST_VIDEO_HEALTH_CONDITIONS_OBSTRUCTED | \
    GST_VIDEO_HEALTH_CONDITIONS_MOVED | GST_VIDEO_HEALTH_CONDITIONS_FLASHING | \
    GST_VIDEO_HEALTH_CONDITIONS_STRIPED | GST_VIDEO_HEALTH_CONDITIONS_SHAKING)

/* Averages the share of damaged frames. A picture that shows damage counts,
 * too. */
static void
add_damage (VhHealthState * state, const VhHealthEvidence * evidence,
    const VhHealthComparison * comparison, GstClockTime time)
{
  const gboolean broken = evidence->present & GST_VIDEO_HEALTH_EVIDENCE_PARTS
      && vh_health_churn_follow (state->churn, evidence, time)
      && state->noise.value < MAX_NOISE * MAX_NOISE;
  gdouble share;

  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CORRUPTED))
    return;
  share = (gdouble) evidence->n_corrupted / evidence->n_frames;
  if ((comparison->damaged > 0 || broken)
      && !(find_sure (state) & OTHER_VIEW))
    share = 1;
  vh_health_average_add (&state->damage, share, DAMAGE_PERIOD, time);
}

static void
follow_parts (VhHealthState * state, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  vh_health_stripes_follow (&state->stripes, state->churn, time);
  vh_health_stuck_follow (state->stuck, evidence, state->churn,
      state->run[GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN].active, time);
  if (state->reference.away)
    vh_health_shake_restart (state->shake);
  else
    vh_health_shake_follow (state->shake, evidence, time);
}

/* Says why conditions are unknown that follow values over time. */
static void
explain_unknown (const VhHealthState * state, VhHealthComparison * comparison)
{
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_HUNTING] =
      vh_health_swings_is_too_slow (&state->swings) ?
      VH_UNKNOWN_TOO_FEW_FRAMES : VH_UNKNOWN_TOO_EARLY;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_LOOPING] =
      vh_health_loops_is_too_slow (state->loops) ? VH_UNKNOWN_TOO_FEW_FRAMES :
      vh_health_loops_is_still (state->loops) ? VH_UNKNOWN_NO_MOTION :
      VH_UNKNOWN_TOO_EARLY;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_DRIFTING] =
      VH_UNKNOWN_TOO_EARLY;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_NUDGED] =
      state->reference.away ? VH_UNKNOWN_BETWEEN_VIEWS : state->shift->unknown;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_STRIPED] =
      vh_health_churn_is_ready (state->churn) ? VH_UNKNOWN_NO_PATTERN :
      VH_UNKNOWN_LEARNING;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN] =
      VH_UNKNOWN_TOO_EARLY;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_SHAKING] =
      state->reference.away ? VH_UNKNOWN_BETWEEN_VIEWS : state->shake->unknown;
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_BLOCKY] =
      state->reference.away ? VH_UNKNOWN_BETWEEN_VIEWS : state->blocks->unknown;
}

/* Computes the value of each condition. Returns the conditions that had the
 * evidence they need. */
static guint
get_values (VhHealthState * state, const VhHealthEvidence * evidence,
    const VhHealthComparison * comparison,
    VhHealthEvidence * const rest[VH_HEALTH_N], gdouble * values)
{
  guint looked = 0, i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    const VhHealthCondition *row = &vh_health_conditions[i];
    const VhHealthFacts facts = {
      .evidence = rest[i] ? rest[i] : evidence,
      .comparison = rest[i] && row->learned ?
          vh_health_reference_compare (&state->reference, rest[i]) :
          *comparison,
      .flashes = &state->flashes,
      .bands = &state->bands,
      .damaged = state->damage.value,
      .variance = state->noise.value,
      .swings = &state->swings,
      .loops = state->loops,
      .shift = state->shift,
      .stripes = &state->stripes,
      .stuck = state->stuck,
      .shake = state->shake,
      .blocks = state->blocks,
      .flips = count_flips (state, state->clock.seen),
    };

    if ((facts.evidence->present & row->needs) == row->needs)
      looked |= 1u << i;
    values[i] = looked & (1u << i) ? row->value (&facts) : NAN;
    state->run[i].unknown = !isnan (values[i]) ? NULL :
        looked & (1u << i) ? facts.comparison.unknown[i] :
        VH_UNKNOWN_NOT_MEASURED;
    state->run[i].detail = describe_detail (i, &facts, values[i]);
  }
  return looked;
}

/* What covers a part of the view has a color of its own, so the colors are not
 * known. In the dark, nothing is known to cover the view. */
static void
doubt_colors (VhHealthState * state, guint suspects, gdouble * values)
{
  const guint cast = GST_VIDEO_HEALTH_CONDITION_COLOR_CAST;

  if (!isnan (values[cast]) && suspects
      & (GST_VIDEO_HEALTH_CONDITIONS_COVERED
          | GST_VIDEO_HEALTH_CONDITIONS_OBSTRUCTED)) {
    values[cast] = NAN;
    state->run[cast].unknown = VH_UNKNOWN_HIDDEN;
    state->run[cast].detail = NULL;
  }
  if (suspects & (GST_VIDEO_HEALTH_CONDITIONS_BLACK
          | GST_VIDEO_HEALTH_CONDITIONS_DARK)
      && g_strcmp0 (state->run[cast].unknown, VH_UNKNOWN_HIDDEN) == 0)
    state->run[cast].unknown = VH_UNKNOWN_TOO_DARK;
}

/* A longer duration than this is waited for once the picture is frozen, so that
 * nothing is learned from it meanwhile. */
#define LONG_DURATION (2 * GST_SECOND)

/* Follows a freeze until it has lasted for @duration. As when it is reported, a
 * key frame does not end it. */
static void
follow_pending (VhHealthState * state, GstClockTime duration, GstClockTime time)
{
  VhHealthStillness *stillness = state->stillness;
  const gboolean still = stillness->verdict == VH_STILLNESS_STILL;

  stillness->lasted &= still;
  if (still && !stillness->pending && duration > LONG_DURATION
      && !state->run[GST_VIDEO_HEALTH_CONDITION_FROZEN].active
      && !has_less_noise (state, GST_VIDEO_HEALTH_CONDITION_FROZEN)) {
    stillness->pending = TRUE;
    stillness->pending_since = stillness->since;
  }
  if (!stillness->pending)
    return;
  if (still)
    stillness->doubted = GST_CLOCK_TIME_NONE;
  else if (!GST_CLOCK_TIME_IS_VALID (stillness->doubted))
    stillness->doubted = time;
  if (!still && time - stillness->doubted >= stillness->hold) {
    stillness->pending = FALSE;
  } else if (still && time - stillness->pending_since >= duration) {
    stillness->pending = FALSE;
    stillness->lasted = TRUE;
    stillness->since = stillness->pending_since;
  }
}

/* How much the picture changes is learned again if it changes less because it
 * has lost its noise. */
static void
follow_less_noise (VhHealthState * state, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  VhHealthStillness *stillness = state->stillness;

  if (stillness->verdict != VH_STILLNESS_STILL
      && !GST_CLOCK_TIME_IS_VALID (stillness->quiet_since)) {
    add_noise_before (&state->noise_before_still, evidence, time);
  } else if (GST_CLOCK_TIME_IS_VALID (stillness->quiet_since)
      && !state->run[GST_VIDEO_HEALTH_CONDITION_FROZEN].active
      && !stillness->pending
      && has_lost_noise (state, &state->noise_before_still)) {
    vh_health_stillness_forget_changes (stillness, time);
  }
}

/* Sharpness is learned again if the picture is less sharp because it has lost
 * its noise. */
static void
follow_sharpness (VhHealthState * state, const VhHealthRules * rules,
    const VhHealthEvidence * evidence, gdouble * values, GstClockTime time)
{
  const guint blurry = GST_VIDEO_HEALTH_CONDITION_BLURRY;
  VhHealthRun *run = &state->run[blurry];

  if (run->active)
    return;
  if (isnan (values[blurry])
      || !vh_health_is_past_enter (&rules->of[blurry], TRUE, values[blurry])) {
    if (!GST_CLOCK_TIME_IS_VALID (run->entering))
      add_noise_before (&state->noise_before_blurry, evidence, time);
  } else if (has_lost_noise (state, &state->noise_before_blurry)) {
    vh_health_reference_forget_sharpness (&state->reference);
    values[blurry] = NAN;
    run->unknown = VH_UNKNOWN_LEARNING;
  }
}

/* Coded video is frozen if it is still for longer, or changes less, than usual
 * for this camera. */
static gdouble
judge_stillness (VhHealthState * state, const VhHealthRule * rule,
    const VhHealthEvidence * evidence, gdouble difference, GstClockTime time)
{
  const guint needed = GST_VIDEO_HEALTH_EVIDENCE_CELLS |
      GST_VIDEO_HEALTH_EVIDENCE_DIFFERENCE;
  VhHealthStillness *stillness = state->stillness;

  if (evidence->repeated)
    return difference;
  if (!state->coded || (evidence->present & needed) != needed) {
    vh_health_stillness_restart (stillness);
    return difference;
  }
  vh_health_stillness_follow (stillness, evidence,
      vh_health_areas_find_cells (state->not_compared, evidence->columns,
          evidence->rows), MIN (rule->duration, LONG_DURATION),
      state->run[GST_VIDEO_HEALTH_CONDITION_FROZEN].active
      || stillness->pending, time);
  follow_less_noise (state, evidence, time);
  follow_pending (state, rule->duration, time);
  switch (stillness->verdict) {
    case VH_STILLNESS_ALIVE:
      return MIN (MAX (difference, ALIVE * rule->leave), 1);
    case VH_STILLNESS_STILL:
      return MIN (difference, rule->enter);
    default:
      return difference;
  }
}

/* Conditions in which the camera still shows the usual scene. */
#define SAME_SCENE (GST_VIDEO_HEALTH_CONDITIONS_BLURRY | \
    GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST | \
    GST_VIDEO_HEALTH_CONDITIONS_COLOR_CAST)

/* Learns from a frame, unless something may be wrong. A frame that only differs
 * from the reference may be right, and the reference wrong. */
static void
learn (VhHealthState * state, const VhHealthEvidence * evidence,
    const VhHealthEvidence * sharp, GstClockTime time, guint suspects,
    gboolean doubtful)
{
  guint spoiling = 0, differing = 0, i;

  if (state->reference.away)
    return;
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (vh_health_conditions[i].spoils)
      spoiling |= suspects & (1u << i);
    if (vh_health_conditions[i].learned)
      differing |= 1u << i;
  }
  if (!spoiling) {
    vh_health_reference_learn (&state->reference, evidence, sharp, time,
        doubtful);
    if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_PARTS)
      vh_health_churn_learn (state->churn, state->reference.step);
    vh_health_blocks_learn (state->blocks);
    vh_health_shift_learn (state->shift, doubtful);
  } else if (!(spoiling & ~differing)) {
    vh_health_reference_learn_rival (&state->reference, evidence, sharp);
    vh_health_shift_learn_rival (state->shift);
  }
  if (!(spoiling & ~SAME_SCENE))
    vh_health_reference_learn_trail (&state->reference, evidence, sharp,
        (spoiling & GST_VIDEO_HEALTH_CONDITIONS_COLOR_CAST) != 0);
}

/* Whether a reference-based value lies between its two thresholds. Until the
 * camera's own contrast is known, many views have less than is usual. */
static gboolean
is_in_doubt (const VhHealthRules * rules, const VhHealthComparison * comparison,
    const gdouble * values)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    if (i == GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST
        && isnan (comparison->contrast))
      continue;
    if (vh_health_conditions[i].learned && !isnan (values[i])
        && !vh_health_is_past_leave (&rules->of[i],
            vh_health_conditions[i].below, values[i]))
      return TRUE;
  }
  return FALSE;
}

/* Adds a frame to what is compared with the learned view. */
static void
follow_view (VhHealthState * state, const VhHealthEvidence * evidence,
    GstClockTime time, GstClockTime real_time)
{
  const VhHealthTourFrame frame = {
    .now = {&state->reference, state->churn, state->shift, state->blocks},
    .evidence = evidence,
    .monochrome = state->run[GST_VIDEO_HEALTH_CONDITION_MONOCHROME].active,
    .time = time,
    .real_time = real_time,
  };

  vh_health_reference_select (&state->reference, evidence, frame.monochrome,
      time, real_time);
  vh_health_reference_follow (&state->reference, evidence, time);
  vh_health_tour_follow (state->tour, &frame);
  if (state->reference.away) {
    vh_health_shift_restart (state->shift);
    vh_health_churn_restart (state->churn);
    vh_health_blocks_restart (state->blocks);
  } else {
    vh_health_shift_follow (state->shift, evidence, frame.monochrome, time);
    vh_health_blocks_follow (state->blocks, evidence, frame.monochrome, time);
  }
}

void
vh_health_state_judge (VhHealthState * state, const VhHealthRules * rules,
    const VhHealthEvidence * evidence,
    VhHealthEvidence * const rest[VH_HEALTH_N], GstClockTime time,
    GstClockTime real_time, VhHealthChanged changed, gpointer user_data)
{
  const guint frozen = GST_VIDEO_HEALTH_CONDITION_FROZEN;
  const guint flapping = GST_VIDEO_HEALTH_CONDITION_FLAPPING;
  const guint monochrome = GST_VIDEO_HEALTH_CONDITION_MONOCHROME;
  const VhHealthEvidence *flashing =
      rest[GST_VIDEO_HEALTH_CONDITION_FLASHING];
  const VhHealthEvidence *sharp = rest[GST_VIDEO_HEALTH_CONDITION_BLURRY];
  VhHealthComparison comparison;
  gdouble values[VH_HEALTH_N];
  guint looked, suspects, sure, i;

  if (!flashing)
    flashing = evidence;
  /* Without luma in sharp, no textures would be learned. */
  if (!sharp || !(sharp->present & GST_VIDEO_HEALTH_EVIDENCE_LUMA))
    sharp = evidence;
  time = follow_time (state, time);
  if (flashing->present & GST_VIDEO_HEALTH_EVIDENCE_LUMA)
    vh_health_flashes_add (&state->flashes, flashing, time);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_ROWS)
    vh_health_bands_add (&state->bands, evidence, time);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS) {
    vh_health_swings_add (&state->swings, evidence, time);
    vh_health_loops_add (state->loops, evidence, time);
  }
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_NOISE) {
    const gdouble variance = evidence->noise * evidence->noise;

    vh_health_average_add (&state->noise, variance, NOISE_PERIOD, time);
    vh_health_average_add (&state->usual_noise, variance, USUAL_NOISE_PERIOD,
        time);
    /* A picture that was left out says nothing about those before it. */
    if (variance > 0) {
      vh_health_average_add_mean (&state->recent_noise, variance,
          RECENT_NOISE_PERIOD, time);
      vh_health_average_add_mean (&state->former_noise, variance,
          FORMER_NOISE_PERIOD, time);
    }
  }
  follow_view (state, evidence, time, real_time);

  comparison = vh_health_reference_compare (&state->reference, evidence);
  add_damage (state, evidence, &comparison, time);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_PARTS)
    follow_parts (state, evidence, time);
  explain_unknown (state, &comparison);
  looked = get_values (state, evidence, &comparison, rest, values);
  state->flips_lost = state->flips_lost && time - state->started < FLAP_TIME;
  if (state->flips_lost)
    values[flapping] = doubt_end (state, rules, flapping, values[flapping]);
  values[frozen] = judge_stillness (state, &rules->of[frozen], evidence,
      values[frozen], time);
  follow_sharpness (state, rules, evidence, values, time);
  suspects = find_suspects (state, rules, values);
  doubt_colors (state, suspects, values);
  sure = find_sure (state);
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (!step (state, rules, i, values[i], (looked & (1u << i)) != 0, suspects,
            sure, time))
      continue;
    /* What starts with this frame already hides those that follow. */
    sure = find_sure (state);
    if (i == monochrome)
      state->flip[state->n_flips++ % VH_HEALTH_FLIPS] = time;
    changed (user_data, i, state->time);
  }
  learn (state, evidence, sharp, time, find_suspects (state, rules, values),
      is_in_doubt (rules, &comparison, values));
}

/* @silence: seconds without a frame when the clock shows @now, or NAN if that
 * is not known. */
static void
step_signal (VhHealthState * state, const VhHealthRules * rules,
    gdouble silence, GstClockTime now, GstClockTime time,
    VhHealthChanged changed,
    gpointer user_data)
{
  const guint signal_loss = GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS;

  if (step (state, rules, signal_loss, silence, TRUE, 0, 0, now))
    changed (user_data, signal_loss, time);
}

void
vh_health_state_skip (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data)
{
  const GstClockTime now = follow_time (state, time);

  step_signal (state, rules, 0, now, state->time, changed, user_data);
}

void
vh_health_state_tick (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data)
{
  const guint signal_loss = GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS;
  const gboolean begun = GST_CLOCK_TIME_IS_VALID (state->time);
  VhHealthRun *run = &state->run[signal_loss];
  GstClockTime last, silence, seen;
  gdouble seconds;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (state->started))
    state->started = time;
  last = begun ? state->time : state->started;
  silence = time > last ? time - last : 0;
  seen = begun ? state->clock.seen : last;
  state->clock.ticked = time;
  seconds = (gdouble) silence / GST_SECOND;
  /* Only a frame ends the loss. */
  if (!GST_CLOCK_TIME_IS_VALID (run->leaving))
    seconds = doubt_end (state, rules, signal_loss, seconds);
  /* The loss started at the last frame, not at the last tick. */
  run->clear = seen;
  step_signal (state, rules, seconds, seen + silence, time, changed,
      user_data);
}
