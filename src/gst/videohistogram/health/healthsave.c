/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state as a variant, version 6: a dictionary a{sv} of
 *
 *   version    u
 *   started    t          times are in ns, 2^64 - 1 if not known
 *   time       t
 *   clock      (ttttttt), missing in states of earlier versions of this library
 *       seen, base, ticked, step, ahead, behind, back; the times below are
 *       times of this clock
 *   runs       a{s(bbdtttt)}
 *       by condition: judged, active, value, since, entering, leaving, clear
 *   pending    a{s(tt)}, missing in states of earlier versions of this library
 *       by condition: between, stepped
 *   entered    a{sd}, missing in states of earlier versions of this library
 *       by condition that is active: `enter` of the rule when it started
 *   flips      at
 *       oldest first
 *   flashes    (uuua(iddat))
 *       columns, rows, flashes; for each cell, then for the whole picture:
 *       direction, low, high, steps, oldest first
 *   bands      (t(ddd)adad)
 *       time, power, square, averages, spreads
 *   recent-bands d, missing in states of earlier versions of this library
 *   damage     (dt), missing in states of earlier versions of this library
 *       share, time
 *   swings     (uutttittutadadad), missing in states of earlier versions of
 *       this library
 *       columns, rows, begun, time, step, direction, times of turn and peak,
 *       number, longest, swings; levels at the turn and at the peak, by cell
 *   loops      (uutttddd), missing in states of earlier versions of this
 *       library
 *       columns, rows, begun, time, step, period, motion, share; what repeats
 *       itself is looked for again
 *   last-frame aq, missing like loops, or before the first frame
 *   drift      (ttda(udadad)), missing in states of earlier versions of this
 *       library
 *       day, pixels, share that was lost; for each slot: days, learned, usual,
 *       left
 *   reference  (uututiiiia(uddadadddddaddddd))
 *       columns, rows, pixels, hour, time, current, last with and without
 *       color, learned; for each slot: its index, learned, level, contents,
 *       levels, textures-learned, sharpness, relief, mean of the textures,
 *       textures, colors-learned, U, V, spread
 *   rival      (ta(uddadadddddaddddd)), missing in states of earlier versions
 *       of this library
 *       time of the last frame; the rival, if there is one, as a slot
 *   trails     a(uddadadddddaddddd), missing in states of earlier versions of
 *       this library
 *       0 with color, 1 without; the trail as a slot
 *   hues       a(udad), missing in states of earlier versions of this library
 *       index of the slot; the number of slots for the rival, and the next
 *       two for the trails; learned, quartiles
 *   patterns   (da(udan)), missing in states of earlier versions of this
 *       library
 *       how long the view was shifted; for each learned pattern: its index, how
 *       long it was learned, its parts, 1/PATTERN_UNIT each
 *   coded      (ttba(uddddbadad)), missing in states of earlier versions of
 *       this library
 *       pixels, time, no color; 0 for pictures with color, 1 without, and 2 for
 *       the last seconds, unless it is empty: level, square of the texture,
 *       learned, doubted, accepted, flat and faint gradients by cell
 *   views      aa{sv}, missing in states of earlier versions of this library
 *       the views of a tour that are not in use: reference, drift, trails,
 *       hues, patterns and coded of each
 *   recent     (tadaddad)
 *       time, contents, levels, mean of the textures, textures
 *   light      ad, missing in states of earlier versions of this library and
 *       before the first frame: levels of the last minute by cell
 *   stillness  (dd), missing in states of earlier versions of this library
 *       longest, observed
 *   changes    (uuttttdtu), may be missing like stillness
 *       columns, rows, ignored cells; of the least changes: all, quiet,
 *       quietest, sum of logarithms, frames, spans
 *
 * A saved state may come from anywhere: nothing in it is trusted. */
#include "healthsave.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

#define VERSION 6

/* Of the hues of the first trail. */
#define TRAIL_INDEX (VH_HEALTH_SLOTS + 1)

/* Larger than any number from real pictures and times, and small enough that
 * sums and products of doubles cannot overflow. */
#define MAX_NUMBER 1e20

/* Logarithms of levels are saved in this part of 1, in 16 bits. */
#define PATTERN_UNIT 4096

static GVariant *
save_times (const GstClockTime * ring, guint n_ever, guint size)
{
  const guint known = MIN (n_ever, size);
  GstClockTime times[MAX (VH_HEALTH_FLIPS, VH_FLASH_STEPS)];
  guint i;

  for (i = 0; i < known; i++)
    times[i] = ring[(n_ever - known + i) % size];
  return g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, times, known,
      sizeof (*times));
}

static GVariant *
save_doubles (const gdouble * numbers, guint n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, numbers, n,
      sizeof (*numbers));
}

static GVariant *
save_runs (const VhHealthState * state)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{s(bbdtttt)}"));
  for (i = 0; i < VH_HEALTH_N; i++) {
    const VhHealthRun *run = &state->run[i];

    g_variant_builder_add (&builder, "{s(bbdtttt)}",
        vh_health_conditions[i].name, run->judged, run->active, run->value,
        run->since, run->entering, run->leaving, run->clear);
  }
  return g_variant_builder_end (&builder);
}

static GVariant *
save_pending (const VhHealthState * state)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{s(tt)}"));
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (GST_CLOCK_TIME_IS_VALID (state->run[i].entering))
      g_variant_builder_add (&builder, "{s(tt)}", vh_health_conditions[i].name,
          state->run[i].between, state->run[i].stepped);
  }
  return g_variant_builder_end (&builder);
}

static GVariant *
save_entered (const VhHealthState * state)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sd}"));
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (state->run[i].active && !isnan (state->run[i].entered))
      g_variant_builder_add (&builder, "{sd}", vh_health_conditions[i].name,
          state->run[i].entered);
  }
  return g_variant_builder_end (&builder);
}

static void
save_flicker (GVariantBuilder * builder, const VhHealthFlicker * flicker)
{
  g_variant_builder_add (builder, "(idd@at)", flicker->direction, flicker->low,
      flicker->high, save_times (flicker->step, flicker->n_steps,
          VH_FLASH_STEPS));
}

static GVariant *
save_flashes (const VhHealthFlashes * flashes)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(iddat)"));
  for (i = 0; i < flashes->columns * flashes->rows; i++)
    save_flicker (&builder, &flashes->cell[i]);
  save_flicker (&builder, &flashes->whole);
  return g_variant_new ("(uuua(iddat))", flashes->columns, flashes->rows,
      flashes->flashes, &builder);
}

static GVariant *
save_swings (const VhHealthSwings * swings)
{
  const guint n = swings->columns * swings->rows;

  return g_variant_new ("(uutttittut@ad@ad@ad)", swings->columns, swings->rows,
      swings->begun, swings->time, swings->step, swings->direction,
      swings->at_turn, swings->at_peak, swings->n, swings->last,
      save_doubles (swings->swing, VH_SWINGS), save_doubles (swings->turn, n),
      save_doubles (swings->peak, n));
}

static GVariant *
save_loops (const VhHealthLoops * loops)
{
  return g_variant_new ("(uutttddd)", loops->columns, loops->rows,
      loops->begun, loops->time, loops->step, loops->period, loops->motion,
      isnan (loops->share) ? -1 : loops->share);
}

static GVariant *
save_last_frame (const VhHealthLoops * loops)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_UINT16,
      vh_health_loops_get_last (loops), VH_LOOP_PARTS, sizeof (guint16));
}

static void
save_slot (GVariantBuilder * builder, guint index, const VhHealthSlot * slot,
    guint n)
{
  g_variant_builder_add (builder, "(udd@ad@addddd@addddd)", index,
      slot->learned, slot->level, save_doubles (slot->contents, n),
      save_doubles (slot->levels, n), slot->textures_learned,
      slot->sharpness, slot->relief, slot->texture_mean,
      save_doubles (slot->texture, n), slot->colors_learned, slot->color.u,
      slot->color.v, slot->color.spread);
}

static GVariant *
save_rival (const VhHealthReference * reference)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uddadadddddaddddd)"));
  if (reference->rival)
    save_slot (&builder, reference->rival_of, reference->rival,
        reference->columns * reference->rows);
  return g_variant_new ("(ta(uddadadddddaddddd))", reference->seen, &builder);
}

static GVariant *
save_trails (const VhHealthReference * reference)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uddadadddddaddddd)"));
  for (i = 0; i < G_N_ELEMENTS (reference->trail); i++) {
    if (reference->trail[i])
      save_slot (&builder, i, reference->trail[i],
          reference->columns * reference->rows);
  }
  return g_variant_builder_end (&builder);
}

static void
save_hue (GVariantBuilder * builder, guint index, const VhHealthSlot * slot)
{
  if (slot && slot->hues_learned > 0)
    g_variant_builder_add (builder, "(ud@ad)", index, slot->hues_learned,
        save_doubles (slot->color.quartile, VH_HEALTH_QUARTILES));
}

static GVariant *
save_hues (const VhHealthReference * reference)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(udad)"));
  for (i = 0; i < VH_HEALTH_SLOTS; i++)
    save_hue (&builder, i, reference->slot[i]);
  save_hue (&builder, VH_HEALTH_SLOTS, reference->rival);
  save_hue (&builder, TRAIL_INDEX, reference->trail[0]);
  save_hue (&builder, TRAIL_INDEX + 1, reference->trail[1]);
  return g_variant_builder_end (&builder);
}

static GVariant *
save_drift (const VhHealthDrift * drift)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(udadad)"));
  for (i = 0; i < VH_HEALTH_SLOTS; i++) {
    const VhHealthDriftSlot *slot = &drift->slot[i];

    g_variant_builder_add (&builder, "(ud@ad@ad)", slot->days, slot->learned,
        save_doubles (slot->usual, VH_DRIFT_N),
        save_doubles (slot->left, VH_DRIFT_N));
  }
  return g_variant_new ("(ttda(udadad))", drift->day, drift->pixels,
      isnan (drift->lost) ? -1 : drift->lost, &builder);
}

static GVariant *
save_reference (const VhHealthReference * reference)
{
  const guint n = reference->columns * reference->rows;
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uddadadddddaddddd)"));
  for (i = 0; i < VH_HEALTH_SLOTS; i++) {
    if (reference->slot[i])
      save_slot (&builder, i, reference->slot[i], n);
  }
  return g_variant_new ("(uututiiiia(uddadadddddaddddd))", reference->columns,
      reference->rows, reference->pixels, reference->hour, reference->time,
      reference->current, reference->last[0], reference->last[1],
      reference->learned, &builder);
}

static GVariant *
save_patterns (const VhHealthShift * shift)
{
  gint16 parts[VH_HEALTH_PARTS];
  GVariantBuilder builder;
  guint i, k;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(udan)"));
  for (k = 0; k < G_N_ELEMENTS (shift->pattern); k++) {
    const VhHealthPattern *pattern = &shift->pattern[k];

    if (pattern->learned == 0)
      continue;
    for (i = 0; i < VH_HEALTH_PARTS; i++)
      parts[i] = CLAMP (rint (pattern->part[i] * PATTERN_UNIT), G_MININT16,
          G_MAXINT16);
    g_variant_builder_add (&builder, "(ud@an)", k, pattern->learned,
        g_variant_new_fixed_array (G_VARIANT_TYPE_INT16, parts,
            VH_HEALTH_PARTS, sizeof (*parts)));
  }
  return g_variant_new ("(da(udan))", shift->moved, &builder);
}

/* The averages of the last seconds follow those of what is usual. */
static VhHealthCoded *
find_coded (VhHealthBlocks * blocks, guint index)
{
  return index < G_N_ELEMENTS (blocks->usual) ? &blocks->usual[index] :
      index == G_N_ELEMENTS (blocks->usual) ? &blocks->now : NULL;
}

static GVariant *
save_coded (VhHealthBlocks * blocks)
{
  const VhHealthCoded *coded;
  GVariantBuilder builder;
  guint k;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uddddbadad)"));
  for (k = 0; (coded = find_coded (blocks, k)); k++) {
    if (coded == &blocks->now ? !GST_CLOCK_TIME_IS_VALID (blocks->time) :
        coded->learned == 0)
      continue;
    g_variant_builder_add (&builder, "(uddddb@ad@ad)", k, coded->level,
        coded->square, coded->learned, coded->doubted, coded->accepted,
        save_doubles (coded->flat, VH_HEALTH_CELLS),
        save_doubles (coded->faint, VH_HEALTH_CELLS));
  }
  return g_variant_new ("(ttba(uddddbadad))", blocks->pixels, blocks->time,
      blocks->monochrome, &builder);
}

/* What was learned of a view. */
static void
add_view (GVariantBuilder * builder, const VhHealthReference * reference,
    const VhHealthShift * shift, VhHealthBlocks * blocks)
{
  g_variant_builder_add (builder, "{sv}", "reference",
      save_reference (reference));
  if (reference->drift)
    g_variant_builder_add (builder, "{sv}", "drift",
        save_drift (reference->drift));
  g_variant_builder_add (builder, "{sv}", "trails", save_trails (reference));
  g_variant_builder_add (builder, "{sv}", "hues", save_hues (reference));
  g_variant_builder_add (builder, "{sv}", "patterns", save_patterns (shift));
  g_variant_builder_add (builder, "{sv}", "coded", save_coded (blocks));
}

static GVariant *
save_views (const VhHealthTour * tour)
{
  GVariantBuilder builder;
  guint i;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (i = 0; i < tour->n; i++) {
    if (i == tour->at)
      continue;
    g_variant_builder_open (&builder, G_VARIANT_TYPE_VARDICT);
    add_view (&builder, tour->other[i].reference, tour->other[i].shift,
        tour->other[i].blocks);
    g_variant_builder_close (&builder);
  }
  return g_variant_builder_end (&builder);
}

static GVariant *
save_recent (const VhHealthReference * reference)
{
  const VhHealthRecent *recent = &reference->recent;
  const guint n = reference->columns * reference->rows;

  return g_variant_new ("(t@ad@add@ad)", recent->time,
      save_doubles (recent->contents, n), save_doubles (recent->levels, n),
      recent->texture_mean, save_doubles (recent->texture, n));
}

static GVariant *
save_changes (const VhHealthStillness * stillness)
{
  const VhStillSpan *least = &stillness->least;

  return g_variant_new ("(uuttttdtu)", stillness->columns, stillness->rows,
      stillness->ignored, least->all, least->quiet, least->quietest,
      least->logarithms, (guint64) least->n, stillness->n_spans);
}

GVariant *
vh_health_state_save (const VhHealthState * state)
{
  const VhHealthBands *bands = &state->bands;
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "version",
      g_variant_new_uint32 (VERSION));
  g_variant_builder_add (&builder, "{sv}", "started",
      g_variant_new_uint64 (state->started));
  g_variant_builder_add (&builder, "{sv}", "time",
      g_variant_new_uint64 (state->time));
  g_variant_builder_add (&builder, "{sv}", "clock",
      g_variant_new ("(ttttttt)", state->clock.seen, state->clock.base,
          state->clock.ticked, state->clock.step, state->clock.ahead,
          state->clock.behind, state->clock.back));
  g_variant_builder_add (&builder, "{sv}", "runs", save_runs (state));
  g_variant_builder_add (&builder, "{sv}", "pending", save_pending (state));
  g_variant_builder_add (&builder, "{sv}", "entered", save_entered (state));
  g_variant_builder_add (&builder, "{sv}", "flips", save_times (state->flip,
          state->n_flips, VH_HEALTH_FLIPS));
  g_variant_builder_add (&builder, "{sv}", "flashes",
      save_flashes (&state->flashes));
  g_variant_builder_add (&builder, "{sv}", "bands",
      g_variant_new ("(t(ddd)@ad@ad)", bands->time, bands->power,
          bands->square[0], bands->square[1],
          save_doubles (bands->average, bands->n),
          save_doubles (bands->spread, bands->n)));
  g_variant_builder_add (&builder, "{sv}", "recent-bands",
      g_variant_new_double (bands->recent));
  g_variant_builder_add (&builder, "{sv}", "damage",
      g_variant_new ("(dt)", state->damage.value, state->damage.time));
  g_variant_builder_add (&builder, "{sv}", "swings",
      save_swings (&state->swings));
  g_variant_builder_add (&builder, "{sv}", "loops", save_loops (state->loops));
  if (state->loops->n > 0)
    g_variant_builder_add (&builder, "{sv}", "last-frame",
        save_last_frame (state->loops));
  add_view (&builder, &state->reference, state->shift, state->blocks);
  g_variant_builder_add (&builder, "{sv}", "rival",
      save_rival (&state->reference));
  if (state->tour->n > 1)
    g_variant_builder_add (&builder, "{sv}", "views", save_views (state->tour));
  g_variant_builder_add (&builder, "{sv}", "recent",
      save_recent (&state->reference));
  if (state->reference.light.known)
    g_variant_builder_add (&builder, "{sv}", "light",
        save_doubles (state->reference.light.level,
            state->reference.columns * state->reference.rows));
  g_variant_builder_add (&builder, "{sv}", "stillness",
      g_variant_new ("(dd)", state->stillness->longest,
          state->stillness->observed));
  if (state->stillness->least.n > 0)
    g_variant_builder_add (&builder, "{sv}", "changes",
        save_changes (state->stillness));
  return g_variant_builder_end (&builder);
}

static gboolean refuse (GError ** error, const gchar * format,
    ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError ** error, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (VH_ERROR, VH_ERROR_PARSE, format, args);
  va_end (args);
  return FALSE;
}

/* FALSE for NaN. */
static gboolean
is_between (gdouble number, gdouble min, gdouble max)
{
  return number >= min && number <= max;
}

static gboolean
is_at_most (GstClockTime time, GstClockTime last)
{
  return !GST_CLOCK_TIME_IS_VALID (time) || time <= last;
}

/* Takes @array, which must have @n numbers from @min to @max. */
static gboolean
read_doubles (GVariant * array, gdouble * numbers, guint n, gdouble min,
    gdouble max)
{
  gsize length, i;
  const gdouble *read = g_variant_get_fixed_array (array, &length,
      sizeof (*read));
  gboolean ok = length == n;

  for (i = 0; ok && i < length; i++) {
    numbers[i] = read[i];
    ok = is_between (read[i], min, max);
  }
  g_variant_unref (array);
  return ok;
}

/* Takes @array: at most @size times in ascending order, up to @last. */
static gboolean
read_times (GVariant * array, GstClockTime * times, guint * n, guint size,
    GstClockTime last)
{
  gsize length, i;
  const guint64 *read = g_variant_get_fixed_array (array, &length,
      sizeof (*read));
  gboolean ok = length <= size;

  for (i = 0; ok && i < length; i++) {
    times[i] = read[i];
    ok = GST_CLOCK_TIME_IS_VALID (read[i])
        && read[i] <= (i + 1 < length ? read[i + 1] : last);
  }
  *n = ok ? length : 0;
  g_variant_unref (array);
  return ok;
}

static gint
find_condition (const gchar * name)
{
  gint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    if (g_str_equal (vh_health_conditions[i].name, name))
      return i;
  }
  return -1;
}

/* No time in the state may be later than this. */
static GstClockTime
get_last (const VhHealthState * state)
{
  return GST_CLOCK_TIME_IS_VALID (state->time) ? state->clock.seen :
      GST_CLOCK_TIME_NONE;
}

/* Whether the values of @run are possible. Its times are those of frames, so
 * none is after @last, the time of the last frame. Those of signal loss may be
 * after it, because ticks are judged, too. */
static gboolean
check_run (const VhHealthRun * run, guint condition, GstClockTime last)
{
  return is_between (run->value, 0, MAX_NUMBER)
      && (condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS
      || (is_at_most (run->entering, last) && is_at_most (run->leaving, last)
          && is_at_most (run->clear, last)));
}

/* A missing condition was unknown to the version that wrote the state. */
static gboolean
read_runs (VhHealthState * state, GVariant * runs, GError ** error)
{
  GVariantIter iter;
  const gchar *name;
  VhHealthRun run = {.entered = NAN };

  g_variant_iter_init (&iter, runs);
  while (g_variant_iter_next (&iter, "{&s(bbdtttt)}", &name, &run.judged,
          &run.active, &run.value, &run.since, &run.entering, &run.leaving,
          &run.clear)) {
    const gint condition = find_condition (name);

    if (condition < 0)
      return refuse (error, "unknown condition \"%s\"", name);
    if (!check_run (&run, condition, get_last (state)))
      return refuse (error, "the state of %s is out of range", name);
    state->run[condition] = run;
  }
  return TRUE;
}

static gboolean
read_pending (VhHealthState * state, GVariant * pending, GError ** error)
{
  GVariantIter iter;
  const gchar *name;
  guint64 between, stepped;

  g_variant_iter_init (&iter, pending);
  while (g_variant_iter_next (&iter, "{&s(tt)}", &name, &between, &stepped)) {
    const gint condition = find_condition (name);

    if (condition < 0)
      return refuse (error, "unknown condition \"%s\"", name);
    if (stepped > G_MAXINT64 || between > stepped)
      return refuse (error, "the pending start of %s is out of range", name);
    state->run[condition].between = between;
    state->run[condition].stepped = stepped;
  }
  return TRUE;
}

static gboolean
read_entered (VhHealthState * state, GVariant * entered, GError ** error)
{
  GVariantIter iter;
  const gchar *name;
  gdouble enter;

  g_variant_iter_init (&iter, entered);
  while (g_variant_iter_next (&iter, "{&sd}", &name, &enter)) {
    const gint condition = find_condition (name);

    if (condition < 0)
      return refuse (error, "unknown condition \"%s\"", name);
    if (!is_between (enter, 0, MAX_NUMBER))
      return refuse (error, "the start of %s is out of range", name);
    state->run[condition].entered = enter;
  }
  return TRUE;
}

static gboolean
read_flips (VhHealthState * state, GVariant * flips, GError ** error)
{
  return read_times (g_variant_ref (flips), state->flip, &state->n_flips,
      VH_HEALTH_FLIPS, get_last (state))
      || refuse (error, "the field flips is out of range");
}

static gboolean
read_flicker (VhHealthFlicker * flicker, GVariantIter * iter, GstClockTime last)
{
  GVariant *steps;

  return g_variant_iter_next (iter, "(idd@at)", &flicker->direction,
      &flicker->low, &flicker->high, &steps)
      && read_times (steps, flicker->step, &flicker->n_steps, VH_FLASH_STEPS,
      last)
      && flicker->direction >= -1 && flicker->direction <= 1
      && is_between (flicker->low, 0, MAX_NUMBER)
      && is_between (flicker->high, 0, MAX_NUMBER);
}

static gboolean
read_flashes (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthFlashes *flashes = &state->flashes;
  GVariantIter *iter;
  gboolean ok;
  guint i;

  g_variant_get (saved, "(uuua(iddat))", &flashes->columns, &flashes->rows,
      &flashes->flashes, &iter);
  ok = flashes->columns <= VH_HEALTH_SIDE && flashes->rows <= VH_HEALTH_SIDE
      && flashes->flashes <= VH_FLASH_STEPS / 2
      && g_variant_iter_n_children (iter) ==
      flashes->columns * flashes->rows + 1;
  for (i = 0; ok && i < flashes->columns * flashes->rows; i++)
    ok = read_flicker (&flashes->cell[i], iter, get_last (state));
  ok = ok && read_flicker (&flashes->whole, iter, get_last (state));
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field flashes is out of range");
}

static gboolean
read_bands (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthBands *bands = &state->bands;
  GVariant *average, *spread;
  gboolean ok;
  gsize n;

  g_variant_get (saved, "(t(ddd)@ad@ad)", &bands->time, &bands->power,
      &bands->square[0], &bands->square[1], &average, &spread);
  n = g_variant_n_children (average);
  bands->n = MIN (n, VH_HEALTH_ROWS);
  bands->recent = bands->power;
  ok = read_doubles (average, bands->average, bands->n, -MAX_NUMBER,
      MAX_NUMBER);
  /* Called even if the averages are refused, because it also drops the
   * reference to the variant. */
  ok = read_doubles (spread, bands->spread, bands->n, 0, MAX_NUMBER) && ok;
  return (ok && is_between (bands->power, 0, MAX_NUMBER)
      && is_between (bands->square[0], -MAX_NUMBER, MAX_NUMBER)
      && is_between (bands->square[1], -MAX_NUMBER, MAX_NUMBER)
      && (bands->n == 0 || bands->time <= get_last (state)))
      || refuse (error, "the field bands is out of range");
}

static gboolean
read_recent_bands (VhHealthState * state, GVariant * saved, GError ** error)
{
  state->bands.recent = g_variant_get_double (saved);
  return is_between (state->bands.recent, 0, MAX_NUMBER)
      || refuse (error, "the field recent-bands is out of range");
}

static gboolean
read_damage (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthAverage *damage = &state->damage;

  g_variant_get (saved, "(dt)", &damage->value, &damage->time);
  return (is_between (damage->value, 0, 1)
      && is_at_most (damage->time, get_last (state)))
      || refuse (error, "the field damage is out of range");
}

static gboolean
read_swings (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthSwings *swings = &state->swings;
  GVariant *swing, *turn, *peak;
  gboolean ok;
  guint n;

  g_variant_get (saved, "(uutttittut@ad@ad@ad)", &swings->columns,
      &swings->rows, &swings->begun, &swings->time, &swings->step,
      &swings->direction, &swings->at_turn, &swings->at_peak, &swings->n,
      &swings->last, &swing, &turn, &peak);
  swings->columns = MIN (swings->columns, VH_HEALTH_SIDE);
  swings->rows = MIN (swings->rows, VH_HEALTH_SIDE);
  n = swings->columns * swings->rows;
  ok = read_doubles (swing, swings->swing, VH_SWINGS, 0, MAX_NUMBER);
  ok = read_doubles (turn, swings->turn, n, -MAX_NUMBER, MAX_NUMBER) && ok;
  ok = read_doubles (peak, swings->peak, n, -MAX_NUMBER, MAX_NUMBER) && ok;
  return (ok && swings->direction >= -1 && swings->direction <= 1
      && swings->at_turn <= swings->at_peak && swings->at_peak <= swings->time
      && (n == 0 || swings->time <= get_last (state))
      && swings->begun <= swings->time && swings->last <= swings->time
      && swings->step <= G_MAXINT64)
      || refuse (error, "the field swings is out of range");
}

static gboolean
read_loops (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthLoops *loops = state->loops;

  g_variant_get (saved, "(uutttddd)", &loops->columns, &loops->rows,
      &loops->begun, &loops->time, &loops->step, &loops->period,
      &loops->motion, &loops->share);
  if (loops->share < 0)
    loops->share = NAN;
  return (loops->columns <= VH_HEALTH_CELLS && loops->rows <= VH_HEALTH_CELLS
      && loops->begun <= loops->time
      && (loops->columns == 0 || loops->time <= get_last (state))
      && is_between (loops->period, 0, MAX_NUMBER)
      && is_between (loops->motion, 0, MAX_NUMBER)
      && (isnan (loops->share) || is_between (loops->share, 0, 1)))
      || refuse (error, "the field loops is out of range");
}

static gboolean
read_last_frame (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthLoops *loops = state->loops;
  gsize n;
  const guint16 *levels = g_variant_get_fixed_array (saved, &n,
      sizeof (*levels));

  if (n != VH_LOOP_PARTS)
    return refuse (error, "the field last-frame is out of range");
  memcpy (loops->frame[0], levels, sizeof (loops->frame[0]));
  loops->n = 1;
  return TRUE;
}

/* Returns a new slot with @n cells, and sets @index; NULL if it is out of
 * range. */
static VhHealthSlot *
read_slot (GVariantIter * iter, guint n, guint * index)
{
  VhHealthSlot *slot = g_new0 (VhHealthSlot, 1);
  GVariant *contents, *levels, *texture;
  gboolean ok;

  g_variant_iter_next (iter, "(udd@ad@addddd@addddd)", index, &slot->learned,
      &slot->level, &contents, &levels, &slot->textures_learned,
      &slot->sharpness, &slot->relief, &slot->texture_mean, &texture,
      &slot->colors_learned, &slot->color.u, &slot->color.v,
      &slot->color.spread);
  ok = read_doubles (contents, slot->contents, n, 0, MAX_NUMBER);
  ok = read_doubles (levels, slot->levels, n, -MAX_NUMBER, MAX_NUMBER) && ok;
  ok = read_doubles (texture, slot->texture, n, -MAX_NUMBER, MAX_NUMBER) && ok;
  ok = ok && is_between (slot->learned, 0, MAX_NUMBER)
      && is_between (slot->level, -MAX_NUMBER, MAX_NUMBER)
      && is_between (slot->textures_learned, 0, MAX_NUMBER)
      && is_between (slot->sharpness, 0, MAX_NUMBER)
      && is_between (slot->relief, 0, MAX_NUMBER)
      && is_between (slot->texture_mean, -MAX_NUMBER, MAX_NUMBER)
      && is_between (slot->colors_learned, 0, MAX_NUMBER)
      && is_between (slot->color.u, -MAX_NUMBER, MAX_NUMBER)
      && is_between (slot->color.v, -MAX_NUMBER, MAX_NUMBER)
      && is_between (slot->color.spread, 0, MAX_NUMBER)
      && *index < VH_HEALTH_SLOTS;
  if (!ok)
    g_clear_pointer (&slot, g_free);
  return slot;
}

/* Reads a slot into @reference, which owns it. */
static gboolean
read_hour (VhHealthReference * reference, GVariantIter * iter)
{
  guint index = 0;
  VhHealthSlot *slot = read_slot (iter, reference->columns * reference->rows,
      &index);

  if (!slot || reference->slot[index]) {
    g_free (slot);
    return FALSE;
  }
  reference->slot[index] = slot;
  return TRUE;
}

static gboolean
is_slot (const VhHealthReference * reference, gint index)
{
  return index == -1
      || (index >= 0 && index < VH_HEALTH_SLOTS && reference->slot[index]);
}

static gboolean
read_reference (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthReference *reference = &state->reference;
  GVariantIter *iter;
  gsize n_slots, i;
  gboolean ok;

  g_variant_get (saved, "(uututiiiia(uddadadddddaddddd))", &reference->columns,
      &reference->rows, &reference->pixels, &reference->hour,
      &reference->time, &reference->current, &reference->last[0],
      &reference->last[1], &reference->learned, &iter);
  n_slots = g_variant_iter_n_children (iter);
  ok = reference->columns <= VH_HEALTH_SIDE
      && reference->rows <= VH_HEALTH_SIDE
      && reference->hour < VH_HEALTH_HOURS
      && is_at_most (reference->time, get_last (state));
  for (i = 0; ok && i < n_slots; i++)
    ok = read_hour (reference, iter);
  ok = ok && is_slot (reference, reference->current)
      && is_slot (reference, reference->last[0])
      && is_slot (reference, reference->last[1])
      && is_slot (reference, reference->learned);
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field reference is out of range");
}

static gboolean
read_drift (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthDrift *drift = vh_health_drift_new ();
  GVariantIter *iter;
  GVariant *usual, *left;
  gboolean ok;
  guint i;

  state->reference.drift = drift;
  g_variant_get (saved, "(ttda(udadad))", &drift->day, &drift->pixels,
      &drift->lost, &iter);
  if (drift->lost < 0)
    drift->lost = NAN;
  ok = (isnan (drift->lost) || is_between (drift->lost, 0, 1))
      && g_variant_iter_n_children (iter) == VH_HEALTH_SLOTS;
  for (i = 0; ok && i < VH_HEALTH_SLOTS; i++) {
    VhHealthDriftSlot *slot = &drift->slot[i];

    g_variant_iter_next (iter, "(ud@ad@ad)", &slot->days, &slot->learned,
        &usual, &left);
    ok = read_doubles (usual, slot->usual, VH_DRIFT_N, 0, MAX_NUMBER);
    ok = read_doubles (left, slot->left, VH_DRIFT_N, 0, MAX_NUMBER) && ok;
    ok = ok && slot->days < G_MAXINT
        && is_between (slot->learned, 0, MAX_NUMBER);
  }
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field drift is out of range");
}

static gboolean
read_rival (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthReference *reference = &state->reference;
  GVariantIter *iter;
  guint index = 0;
  gboolean ok;

  g_variant_get (saved, "(ta(uddadadddddaddddd))", &reference->seen, &iter);
  ok = is_at_most (reference->seen, get_last (state))
      && g_variant_iter_n_children (iter) <= 1;
  if (ok && g_variant_iter_n_children (iter) == 1) {
    reference->rival = read_slot (iter, reference->columns * reference->rows,
        &index);
    reference->rival_of = index;
    ok = reference->rival != NULL;
  }
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field rival is out of range");
}

static gboolean
read_trails (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthReference *reference = &state->reference;
  const gsize n = g_variant_n_children (saved);
  GVariantIter iter;
  gboolean ok = n <= G_N_ELEMENTS (reference->trail);
  gsize i;

  g_variant_iter_init (&iter, saved);
  for (i = 0; ok && i < n; i++) {
    guint index = 0;
    VhHealthSlot *slot = read_slot (&iter, reference->columns *
        reference->rows, &index);

    ok = slot && index < G_N_ELEMENTS (reference->trail)
        && !reference->trail[index];
    if (ok)
      reference->trail[index] = slot;
    else
      g_free (slot);
  }
  return ok || refuse (error, "the field trails is out of range");
}

static VhHealthSlot *
find_slot (VhHealthReference * reference, guint index)
{
  if (index < VH_HEALTH_SLOTS)
    return reference->slot[index];
  if (index == VH_HEALTH_SLOTS)
    return reference->rival;
  return index < TRAIL_INDEX + G_N_ELEMENTS (reference->trail) ?
      reference->trail[index - TRAIL_INDEX] : NULL;
}

static gboolean
read_hues (VhHealthState * state, GVariant * saved, GError ** error)
{
  GVariantIter iter;
  GVariant *quartiles;
  gdouble learned;
  guint index;
  gboolean ok = TRUE;

  g_variant_iter_init (&iter, saved);
  while (ok && g_variant_iter_next (&iter, "(ud@ad)", &index, &learned,
          &quartiles)) {
    VhHealthSlot *slot = find_slot (&state->reference, index);
    VhHealthSlot unused;

    ok = read_doubles (quartiles, slot ? slot->color.quartile :
        unused.color.quartile, VH_HEALTH_QUARTILES, -MAX_NUMBER, MAX_NUMBER)
        && slot && is_between (learned, 0, MAX_NUMBER);
    if (ok)
      slot->hues_learned = learned;
  }
  return ok || refuse (error, "the field hues is out of range");
}

/* Takes @parts. */
static gboolean
read_pattern (VhHealthShift * shift, guint index, gdouble learned,
    GVariant * parts)
{
  gsize length, i;
  const gint16 *read = g_variant_get_fixed_array (parts, &length,
      sizeof (*read));
  const gboolean ok = index < G_N_ELEMENTS (shift->pattern)
      && length == VH_HEALTH_PARTS && is_between (learned, 0, MAX_NUMBER);

  for (i = 0; ok && i < length; i++)
    shift->pattern[index].part[i] = (gfloat) read[i] / PATTERN_UNIT;
  if (ok)
    shift->pattern[index].learned = learned;
  g_variant_unref (parts);
  return ok;
}

static gboolean
read_patterns (VhHealthState * state, GVariant * saved, GError ** error)
{
  GVariantIter *iter;
  GVariant *parts;
  gdouble learned;
  guint index;
  gboolean ok;

  g_variant_get (saved, "(da(udan))", &state->shift->moved, &iter);
  ok = is_between (state->shift->moved, 0, MAX_NUMBER);
  while (ok && g_variant_iter_next (iter, "(ud@an)", &index, &learned, &parts))
    ok = read_pattern (state->shift, index, learned, parts);
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field patterns is out of range");
}

static gboolean
read_coded (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthBlocks *blocks = state->blocks;
  VhHealthCoded read, *coded;
  GVariantIter *iter;
  GVariant *flat, *faint;
  guint index;
  gboolean ok;

  g_variant_get (saved, "(ttba(uddddbadad))", &blocks->pixels, &blocks->time,
      &blocks->monochrome, &iter);
  ok = is_at_most (blocks->time, get_last (state));
  while (ok && g_variant_iter_next (iter, "(uddddb@ad@ad)", &index, &read.level,
          &read.square, &read.learned, &read.doubted, &read.accepted, &flat,
          &faint)) {
    coded = find_coded (blocks, index);
    ok = read_doubles (flat, read.flat, VH_HEALTH_CELLS, 0, 1);
    ok = read_doubles (faint, read.faint, VH_HEALTH_CELLS, 0, 1) && ok;
    ok = ok && coded && is_between (read.level, -MAX_NUMBER, MAX_NUMBER)
        && is_between (read.square, 0, MAX_NUMBER)
        && is_between (read.learned, 0, MAX_NUMBER)
        && is_between (read.doubted, 0, MAX_NUMBER);
    if (ok)
      *coded = read;
  }
  g_variant_iter_free (iter);
  return ok || refuse (error, "the field coded is out of range");
}

static gboolean
read_recent (VhHealthState * state, GVariant * saved, GError ** error)
{
  const guint n = state->reference.columns * state->reference.rows;
  VhHealthRecent *recent = &state->reference.recent;
  GVariant *contents, *levels, *texture;
  gboolean ok;

  g_variant_get (saved, "(t@ad@add@ad)", &recent->time, &contents, &levels,
      &recent->texture_mean, &texture);
  ok = read_doubles (contents, recent->contents, n, 0, MAX_NUMBER);
  ok = read_doubles (levels, recent->levels, n, -MAX_NUMBER, MAX_NUMBER) && ok;
  ok = read_doubles (texture, recent->texture, n, -MAX_NUMBER, MAX_NUMBER)
      && ok;
  return (ok && is_between (recent->texture_mean, -MAX_NUMBER, MAX_NUMBER)
      && is_at_most (recent->time, get_last (state)))
      || refuse (error, "the field recent is out of range");
}

static gboolean
read_light (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthReference *reference = &state->reference;

  reference->light.known = TRUE;
  return read_doubles (g_variant_ref (saved), reference->light.level,
      reference->columns * reference->rows, -MAX_NUMBER, MAX_NUMBER)
      || refuse (error, "the field light is out of range");
}

static gboolean
read_stillness (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthStillness *stillness = state->stillness;

  g_variant_get (saved, "(dd)", &stillness->longest, &stillness->observed);
  return (is_between (stillness->longest, 0, MAX_NUMBER)
      && is_between (stillness->observed, 0, MAX_NUMBER))
      || refuse (error, "the field stillness is out of range");
}

static gboolean
read_changes (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthStillness *stillness = state->stillness;
  VhStillSpan *least = &stillness->least;
  guint64 n;

  g_variant_get (saved, "(uuttttdtu)", &stillness->columns, &stillness->rows,
      &stillness->ignored, &least->all, &least->quiet, &least->quietest,
      &least->logarithms, &n, &stillness->n_spans);
  least->n = MIN (n, G_MAXUINT);
  /* With 0, begin() would forget the restored changes. */
  stillness->at_span = 1;
  return (n > 0 && stillness->columns <= VH_HEALTH_CELLS
      && stillness->rows <= VH_HEALTH_CELLS && least->all <= G_MAXINT64
      && least->quiet <= least->all && least->quietest <= least->quiet
      && is_between (least->logarithms, 0, MAX_NUMBER))
      || refuse (error, "the field changes is out of range");
}

static gboolean
read_time (VhHealthState * state, GVariant * time, G_GNUC_UNUSED GError ** e)
{
  state->time = g_variant_get_uint64 (time);
  state->clock.seen = state->clock.base = state->time;
  return TRUE;
}

static gboolean
read_clock (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthClock *clock = &state->clock;

  g_variant_get (saved, "(ttttttt)", &clock->seen, &clock->base,
      &clock->ticked, &clock->step, &clock->ahead, &clock->behind,
      &clock->back);
  return (clock->seen <= G_MAXINT64 && clock->step <= G_MAXINT64)
      || refuse (error, "the field clock is out of range");
}

static gboolean
read_started (VhHealthState * state, GVariant * time, G_GNUC_UNUSED GError ** e)
{
  state->started = g_variant_get_uint64 (time);
  return TRUE;
}

static gboolean read_fields (VhHealthState * state, GVariant * saved,
    gboolean of_view, GError ** error);

/* Reads no more views than the limit of views allows. */
static gboolean
read_views (VhHealthState * state, GVariant * saved, GError ** error)
{
  VhHealthTour *tour = state->tour;
  GVariantIter iter;
  GVariant *view;
  gboolean ok = TRUE;

  g_variant_iter_init (&iter, saved);
  while (ok && tour->n < tour->most
      && (view = g_variant_iter_next_value (&iter))) {
    VhHealthState read;

    vh_health_state_init (&read);
    read.time = state->time;
    read.clock = state->clock;
    ok = read_fields (&read, view, TRUE, error);
    if (ok)
      vh_health_tour_add (tour, &(VhHealthView) {
          &read.reference, read.churn, read.shift, read.blocks});
    vh_health_state_clear (&read);
    g_variant_unref (view);
  }
  return ok;
}

/* The order matters: times are checked against the time of the last frame, and
 * the recent values must have as many cells as the reference. @of_view: other
 * views have it, too. */
static const struct
{
  const gchar *name, *type;
  gboolean optional;
  gboolean (*read) (VhHealthState * state, GVariant * value, GError ** error);
  gboolean of_view;
} fields[] = {
  {"time", "t", FALSE, read_time},
  {"clock", "(ttttttt)", TRUE, read_clock},
  {"started", "t", FALSE, read_started},
  {"runs", "a{s(bbdtttt)}", FALSE, read_runs},
  {"pending", "a{s(tt)}", TRUE, read_pending},
  {"entered", "a{sd}", TRUE, read_entered},
  {"flips", "at", FALSE, read_flips},
  {"flashes", "(uuua(iddat))", FALSE, read_flashes},
  {"bands", "(t(ddd)adad)", FALSE, read_bands},
  {"recent-bands", "d", TRUE, read_recent_bands},
  {"damage", "(dt)", TRUE, read_damage},
  {"swings", "(uutttittutadadad)", TRUE, read_swings},
  {"loops", "(uutttddd)", TRUE, read_loops},
  {"last-frame", "aq", TRUE, read_last_frame},
  {"reference", "(uututiiiia(uddadadddddaddddd))", FALSE, read_reference, TRUE},
  {"drift", "(ttda(udadad))", TRUE, read_drift, TRUE},
  {"rival", "(ta(uddadadddddaddddd))", TRUE, read_rival},
  {"trails", "a(uddadadddddaddddd)", TRUE, read_trails, TRUE},
  {"hues", "a(udad)", TRUE, read_hues, TRUE},
  {"patterns", "(da(udan))", TRUE, read_patterns, TRUE},
  {"coded", "(ttba(uddddbadad))", TRUE, read_coded, TRUE},
  {"views", "aa{sv}", TRUE, read_views},
  {"recent", "(tadaddad)", FALSE, read_recent},
  {"light", "ad", TRUE, read_light},
  {"stillness", "(dd)", TRUE, read_stillness},
  {"changes", "(uuttttdtu)", TRUE, read_changes},
};

/* @of_view: only the fields that other views have. */
static gboolean
read_fields (VhHealthState * state, GVariant * saved, gboolean of_view,
    GError ** error)
{
  gboolean ok = TRUE;
  guint i;

  for (i = 0; ok && i < G_N_ELEMENTS (fields); i++) {
    GVariant *value;

    if (of_view && !fields[i].of_view)
      continue;
    value = g_variant_lookup_value (saved, fields[i].name,
        G_VARIANT_TYPE (fields[i].type));
    if (!value && fields[i].optional)
      continue;
    if (!value)
      return refuse (error, "the field %s of type %s is missing",
          fields[i].name, fields[i].type);
    ok = fields[i].read (state, value, error);
    g_variant_unref (value);
  }
  return ok;
}

gboolean
vh_health_state_restore (VhHealthState * state, GVariant * saved,
    GError ** error)
{
  VhHealthState read;
  guint32 version;

  if (!g_variant_is_of_type (saved, G_VARIANT_TYPE_VARDICT))
    return refuse (error, "the state has type %s, not a{sv}",
        g_variant_get_type_string (saved));
  if (!g_variant_is_normal_form (saved))
    return refuse (error, "the state is cut off or damaged");
  if (!g_variant_lookup (saved, "version", "u", &version))
    return refuse (error, "the state has no version");
  if (version != VERSION)
    return refuse (error, "the state has version %u, but only version %u can "
        "be read", version, VERSION);

  vh_health_state_init (&read);
  read.tour->most = state->tour->most;
  if (!read_fields (&read, saved, FALSE, error)) {
    vh_health_state_clear (&read);
    return FALSE;
  }
  vh_health_state_clear (state);
  read.coded = state->coded;
  read.reported = state->reported;
  read.not_compared = state->not_compared;
  *state = read;
  return TRUE;
}
