/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthreference.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

/* A slot is used for comparison once it has been learned for this long, in
 * ns. */
#define READY_TIME (30.0 * GST_SECOND)
/* If nothing can be learned for STALLED, because something seems to be wrong,
 * a slot that has been learned for EARLY_TIME is better than none. */
#define EARLY_TIME (10.0 * GST_SECOND)
#define STALLED (3 * GST_SECOND)
/* Up to this time a slot is the plain average of its frames; after that it
 * follows them with this time constant. */
#define FOLLOW_TIME (3600.0 * GST_SECOND)
/* A doubtful frame counts for only a share of its time, because doubtful
 * pictures would otherwise soon count as normal. The share is the time that the
 * slot was learned for, but at least this, divided by FOLLOW_TIME: at first a
 * tenth, later all. */
#define DOUBT_TIME (360.0 * GST_SECOND)
/* A gap between frames counts for no more than this. */
#define MAX_STEP (10.0 * GST_SECOND)

/* The trail follows the picture with this time constant: by dusk and dawn a
 * view changes in ten minutes, and a camera turns in seconds. */
#define TRAIL_TIME (60.0 * GST_SECOND)

/* The light has changed at once if this share of the cells differs. */
#define OTHER_LIGHT 0.5

/* A rival replaces a slot after this time, if that was not learned longer. */
#define RIVAL_TIME (1800.0 * GST_SECOND)
/* A rival is one scene: it starts again if the picture differs from it by this
 * much. */
#define OTHER_SCENE 0.5

/* `dark` has the same limits for the share of cells that have lost their
 * contents with the light as `covered` for the others: 9/8 of 0.8 is 0.9. */
#define DARKENED_WEIGHT 1.125

/* If this share of the cells has lost its contents, something is before the
 * camera, and the picture has its color. */
#define MAX_HIDDEN 0.15

/* A view is in the same light as before if its level has changed by at most
 * this factor, and SAME_CELLS of the cells by at most SAME_LEVEL more or less,
 * as a share, or by SAME_CODES levels. */
#define SAME_EXPOSURE 1.2
#define SAME_CELLS 0.75
#define SAME_LEVEL 0.1
#define SAME_CODES 0.02

/* A picture with at least this much color, as a root mean square, may lose it.
 * Whether it has is decided within LOSS_TIME: by then, a night mode has settled
 * its exposure, and later the light changes. */
#define MIN_COLOR 0.02
#define LOSS_TIME (15 * GST_SECOND)

/* Light that falls on a cell changes its contents by the same factor as its
 * level, up to this factor. */
#define PROPORTIONAL 1.1

/* Pictures have different sizes if their numbers of pixels differ at least by
 * this factor. */
#define OTHER_SIZE 1.1

/* Recent values are averages over about this time, in ns. */
#define RECENT_TIME (1.0 * GST_SECOND)

/* If red and blue both fall by this share, that is not a change of light but a
 * fault. If it were learned, the right colors would look tinted later. */
#define GREEN 0.08

/* The share of cells that must have contents. */
#define MIN_CELLS 0.25

/* Noise may change a cell's variance by this many standard errors. */
#define NOISE_ERRORS 2.0

/* If the flattest cell was learned to have up to FLAT_SHARE of the picture's
 * squared texture, its texture is noise, which may be all that is left of a
 * blurred picture. With at least ROUGH_SHARE the cell has details, too, and
 * noise is at most MAX_NOISE of the picture's squared texture. */
#define FLAT_SHARE 0.5
#define ROUGH_SHARE 0.75
#define MAX_NOISE 0.5

/* Rain and noise make a picture look sharper than the lens is. A sharper frame
 * is learned as if it were sharper by at most this factor; otherwise dry
 * weather would look blurry after an hour of rain. */
#define MAX_SHARPER 1.1

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
  g_free (reference->rival);
  g_free (reference->drift);
  g_free (reference->trail[0]);
  g_free (reference->trail[1]);
  vh_health_reference_init (reference);
}

void
vh_health_reference_restart (VhHealthReference * reference)
{
  reference->time = reference->recent.time = GST_CLOCK_TIME_NONE;
  reference->seen = reference->colored = GST_CLOCK_TIME_NONE;
  reference->relit = GST_CLOCK_TIME_NONE;
  reference->lost_colors = FALSE;
  reference->light.known = FALSE;
  reference->step = 0;
}

static void
forget_textures (VhHealthSlot * slot)
{
  if (slot)
    slot->textures_learned = slot->sharpness = 0;
}

void
vh_health_reference_forget_sharpness (VhHealthReference * reference)
{
  const gint current = reference->current;

  if (current < 0)
    return;
  forget_textures (reference->slot[current]);
  forget_textures (reference->trail[current / VH_HEALTH_HOURS]);
}

/* Texture depends on the pixel grid, so it must be learned again for pictures
 * of another size. Until then scenes are compared by values that do not depend
 * on the size. */
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
  g_clear_pointer (&reference->rival, g_free);
  reference->recent.time = GST_CLOCK_TIME_NONE;
  for (i = 0; i < VH_HEALTH_SLOTS; i++)
    forget_textures (reference->slot[i]);
  forget_textures (reference->trail[0]);
  forget_textures (reference->trail[1]);
}

/* The slot of a new hour starts as a copy of the last one. */
void
vh_health_reference_select (VhHealthReference * reference,
    const VhHealthEvidence * evidence, gboolean monochrome,
    GstClockTime time, GstClockTime real_time)
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
  if (!reference->drift)
    reference->drift = vh_health_drift_new ();
  vh_health_drift_follow (reference->drift, reference->slot,
      reference->columns * reference->rows, reference->pixels,
      GST_CLOCK_TIME_IS_VALID (real_time) ? real_time : time);
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

/* Whether something learned for @learned can be compared with. The last frame
 * stands for the time until the next. */
static gboolean
is_ready (const VhHealthReference * reference, gdouble learned)
{
  return learned + reference->step >= READY_TIME
      || (learned >= EARLY_TIME && GST_CLOCK_TIME_IS_VALID (reference->time)
      && reference->seen - reference->time >= STALLED);
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

/* The share of the squared texture that may be noise, judging by the learned
 * texture of the flattest cell. */
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

/* The squared texture of the scene without noise. Noise is the same everywhere,
 * so no cell has less texture than noise. */
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
  return MAX (square - noise, 0);
}

/* @relief: how much cells normally differ, relative to the mean level. More
 * than that comes from the glow of a lamp, not from the scene, and must not
 * make the picture count as less sharp. */
static gdouble
sharpness_of (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    gdouble relief)
{
  const gdouble usual = relief * evidence->level;
  const gdouble more = MAX (get_relief (evidence) - usual * usual, 0);
  const gdouble spread =
      sqrt (MAX (evidence->spread * evidence->spread - more, 0));

  return spread >= VH_HEALTH_MIN_CONTENTS ?
      sqrt (get_detail (slot, evidence)) / spread : NAN;
}

/* The slope at cell @at of a line of @n cells that are @step apart, in levels
 * from cell to cell: only as much as both sides have in common, because objects
 * cause the rest. */
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

/* The variance that shading adds to a cell, estimated from its neighbours: for
 * example on a wall that is lit from one side, or with paint on the lens. */
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

/* The variance that noise adds to a cell: noise that is independent in each
 * pixel adds half of the squared gradients. */
static gdouble
get_noise (const VhHealthEvidence * evidence, guint i)
{
  const gdouble texture = evidence->cell[i].texture;

  return evidence->textures ? texture * texture / 2 : 0;
}

/* The spread of a cell without shading and noise. A covered camera that
 * amplifies its noise therefore has no contents. */
static gdouble
get_contents (const VhHealthEvidence * evidence, guint i)
{
  const VhHealthCell *cell = &evidence->cell[i];

  return sqrt (MAX (cell->spread * cell->spread - get_noise (evidence, i)
          - get_shading (evidence, i), 0));
}

static void
get_all_contents (const VhHealthEvidence * evidence, gdouble * contents)
{
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    contents[i] = get_contents (evidence, i);
}

/* Whether next to nothing is left of @usual contents: less than a share of
 * them, plus what noise can look like in a cell with few pixels, which is
 * limited to the same share. */
static gboolean
is_covered (const VhHealthEvidence * evidence, guint i, gdouble contents,
    gdouble usual)
{
  const gdouble share = VH_HEALTH_COVERED_SHARE * usual;
  const gdouble error = NOISE_ERRORS * get_noise (evidence, i) /
      sqrt (MAX (evidence->cell[i].pixels, 1));

  return contents * contents < share * share + MIN (error, share * share);
}

/* The logarithms of the textures of all cells, relative to their mean, so that
 * more light or contrast does not change them. Returns the mean, relative to
 * the picture's level. */
static gdouble
get_textures (const VhHealthEvidence * evidence, gdouble * textures)
{
  const guint n = evidence->columns * evidence->rows;
  gdouble mean = 0;
  guint i;

  for (i = 0; i < n; i++) {
    textures[i] = log (MAX (evidence->cell[i].texture, 1e-6)
        + VH_HEALTH_TEXTURE_FLOOR * evidence->floor);
    mean += textures[i] / n;
  }
  for (i = 0; i < n; i++)
    textures[i] -= mean;
  return mean - log (MAX (evidence->level, VH_HEALTH_MIN_CONTENTS));
}

/* The levels of all cells divided by the picture's level, minus 1. */
static void
get_levels (const VhHealthEvidence * evidence, gdouble * levels)
{
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    levels[i] = evidence->cell[i].level / MAX (evidence->level,
        VH_HEALTH_MIN_CONTENTS) - 1;
}

/* What is left in each cell of what it usually shows. */
static void
find_remains (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    VhHealthRemains * remains)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  guint i;

  get_all_contents (evidence, remains->contents);
  remains->lost = 0;
  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (ignored, i)
        && slot->contents[i] >= VH_HEALTH_MIN_CONTENTS
        && is_covered (evidence, i, remains->contents[i], slot->contents[i]))
      remains->lost |= G_GUINT64_CONSTANT (1) << i;
  }
}

/* Compares the contents of each cell that should have some: the share of the
 * cells that have next to nothing left, and the median of what is left,
 * relative to the light, which exposure or a lamp may have changed. */
static void
compare_contents (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    VhHealthComparison * comparison)
{
  const guint n = evidence->columns * evidence->rows;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  VhHealthRemains remains;
  gdouble left[VH_HEALTH_CELLS];
  guint looked_at = 0, with_contents = 0, lost = 0, dim = 0, i;

  find_remains (slot, evidence, &remains);
  for (i = 0; i < n; i++) {
    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    looked_at++;
    if (slot->contents[i] >= VH_HEALTH_MIN_CONTENTS)
      left[with_contents++] = remains.contents[i] / slot->contents[i];
    if (VH_HEALTH_HAS_CELL (remains.lost, i)) {
      lost++;
      dim += vh_health_scenes_is_dim (slot, evidence, i);
    }
  }
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_COVERED] =
      comparison->unknown[GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED] =
      VH_UNKNOWN_NO_CONTENTS;
  if (with_contents == 0 || with_contents < MIN_CELLS * looked_at)
    return;
  /* If it is dark, or the view shows through, there is no need for a cover. */
  comparison->covered = comparison->obstructed = 0;
  if (2 * dim > lost)
    comparison->darkened = MIN (DARKENED_WEIGHT * lost / with_contents, 1);
  else if (vh_health_shows_through (slot, evidence, &remains))
    comparison->faint = 2 * lost >= with_contents;
  else
    comparison->covered = (gdouble) lost / with_contents;
  comparison->hidden = (gdouble) lost / with_contents;
  if (2 * dim > lost || comparison->covered > 0)
    comparison->obstructed = vh_health_obstruction_find (slot, evidence,
        &remains, &comparison->obstructing);
  if (slot->level > 0 && evidence->level > 0)
    comparison->contrast = vh_health_find_median (left, with_contents) *
        slot->level / evidence->level;
}

static gint
get_kind (gint slot)
{
  return slot / VH_HEALTH_HOURS;
}

static const VhHealthSlot *
get_trail (const VhHealthReference * reference)
{
  return reference->trail[get_kind (reference->current)];
}

/* The share of the cells whose level differs from what was learned, and from
 * the last minute: dusk and dawn come slowly. */
static gdouble
get_differing (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, gboolean (*differs) (gdouble level,
        gdouble usual))
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  guint looked_at = 0, n = 0, i;

  if (!reference->light.known)
    return 0;
  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble level = evidence->cell[i].level;

    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    looked_at++;
    n += differs (level, (slot->levels[i] + 1) * slot->level)
        && differs (level, reference->light.level[i]);
  }
  return (gdouble) n / MAX (looked_at, 1);
}

static void
compare_levels (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, VhHealthComparison * comparison)
{
  const gdouble darkened = get_differing (reference, slot, evidence,
      vh_health_scenes_is_darkened);

  comparison->darkened = MAX (comparison->darkened, darkened);
  comparison->brightened = get_differing (reference, slot, evidence,
      vh_health_scenes_is_brightened);
}

static void
compare_colors (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, VhHealthComparison * comparison)
{
  static const VhHealthColor grey;
  const gboolean learned = is_ready (reference, slot->colors_learned);
  const VhHealthColor *usual = learned ? &slot->color : &grey;
  VhHealthColor color;
  gdouble tint;

  if (!vh_health_color_get (evidence, &color))
    return;
  tint = learned ? vh_health_color_compare (evidence, &color, usual) :
      vh_health_color_get_tint (evidence);
  if (learned && is_ready (reference, slot->hues_learned))
    tint = MAX (tint, vh_health_color_compare_hue (evidence, &color, usual));
  comparison->tint = tint;
  comparison->hue = vh_health_color_describe (evidence, &color, usual, tint);
}

/* As a share of the sharpness of @slot, or NAN. */
static gdouble
compare_sharpness (const VhHealthReference * reference,
    const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  return is_ready (reference, slot->textures_learned) && slot->sharpness > 0 ?
      sharpness_of (slot, evidence, slot->relief) / slot->sharpness : NAN;
}

/* @sharpness: as a share of that of @slot. */
static gdouble
compare_scene (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, gdouble sharpness, guint64 hidden,
    const gchar ** unknown)
{
  return vh_health_scenes_compare (slot, &reference->recent, evidence,
      sharpness, is_ready (reference, slot->textures_learned), hidden, unknown);
}

/* A camera turns at once, light changes slowly: what looks as it did a minute
 * ago is the same scene, even if an afternoon was learned and night has
 * fallen. Where the last minutes show nothing to compare, that is not known. */
static gdouble
compare_moved (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, gdouble sharpness, guint64 hidden,
    const gchar ** unknown)
{
  const VhHealthSlot *trail = get_trail (reference);
  gdouble moved, since;

  if (!trail)
    return compare_scene (reference, slot, evidence, sharpness, hidden,
        unknown);
  since = compare_scene (reference, trail, evidence, compare_sharpness
      (reference, trail, evidence), hidden, unknown);
  if (isnan (since))
    return NAN;
  moved = compare_scene (reference, slot, evidence, sharpness, hidden,
      unknown);
  return fmin (moved, since);
}

/* Nothing is before a part of the view if the rest shows another scene. */
static void
check_rest (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, VhHealthComparison * comparison)
{
  const guint64 hidden = vh_health_obstruction_widen (comparison->obstructing,
      evidence->columns, evidence->rows);
  const gchar *unknown;

  if (comparison->obstructing && evidence->textures
      && compare_moved (reference, slot, evidence, compare_sharpness (reference,
              slot, evidence), hidden, &unknown) >=
      OTHER_SCENE)
    comparison->obstructed = comparison->obstructing = 0;
}

static gdouble
get_exposure (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  return evidence->level / MAX (slot->level, VH_HEALTH_MIN_CONTENTS);
}

static gboolean
is_same_exposure (gdouble exposure)
{
  return exposure <= SAME_EXPOSURE && exposure * SAME_EXPOSURE >= 1;
}

/* Whether a frame shows the view in the same light as @slot. */
static gboolean
has_same_light (const VhHealthSlot * slot, const VhHealthEvidence * evidence)
{
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  const gdouble exposure = get_exposure (slot, evidence);
  guint same = 0, all = 0, i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble usual = (slot->levels[i] + 1) * slot->level * exposure;
    const gdouble difference = ABS (evidence->cell[i].level - usual);

    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    same += difference <= SAME_LEVEL * usual + SAME_CODES;
    all++;
  }
  return is_same_exposure (exposure) && same >= SAME_CELLS * all;
}

/* Night modes change the light with the colors: a lamp of the camera lights the
 * view, and it lets infrared light in. The exposure soon hides that again, but
 * the picture is brighter at first, or was darker before. So a view that
 * has lost its colors, and is otherwise as it was in the last minute, has a
 * fault, unless it is known to look like this without color. */
static gboolean
has_lost_colors (const VhHealthReference * reference,
    const VhHealthEvidence * evidence)
{
  const VhHealthSlot *before = reference->trail[0];
  const VhHealthSlot *usual = reference->slot[reference->current];
  const VhHealthColor *color = before ? &before->color : NULL;

  return before && is_ready (reference, before->colors_learned)
      && before->level * sqrt (color->u * color->u + color->v * color->v
      + color->spread * color->spread) >= MIN_COLOR
      && has_same_light (before, evidence)
      && !(GST_CLOCK_TIME_IS_VALID (reference->relit)
      && reference->relit + LOSS_TIME >= reference->colored)
      && !(is_ready (reference, usual->learned)
      && has_same_light (usual, evidence));
}

/* Lamps that replace the sun tint a view slowly: that is not a fault. Something
 * close by, such as a truck, has a color of its own. The first colors after a
 * picture without color cannot be compared with it. */
static void
compare_tint (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, VhHealthComparison * comparison)
{
  const VhHealthSlot *trail = get_trail (reference);
  VhHealthComparison since = { .tint = NAN };

  if (get_kind (reference->current) == 1) {
    comparison->tint = reference->lost_colors;
    comparison->hue = reference->lost_colors ? "gone" : NULL;
    return;
  }
  if (get_kind (reference->learned) == 1)
    slot = reference->slot[reference->current];
  if (comparison->hidden >= MAX_HIDDEN) {
    comparison->unknown[GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] =
        VH_UNKNOWN_HIDDEN;
    return;
  }
  comparison->unknown[GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] =
      VH_UNKNOWN_TOO_DARK;
  compare_colors (reference, slot, evidence, comparison);
  if (!trail || !is_ready (reference, trail->colors_learned))
    return;
  compare_colors (reference, trail, evidence, &since);
  if (since.tint < comparison->tint) {
    comparison->tint = since.tint;
    comparison->hue = since.hue;
  }
}

/* A lamp that is switched on multiplies what is seen of the places that it
 * lights: their contents rise with their levels. Light in the lens is added to
 * them, with a shape of its own. */
static gboolean
lights_view (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    guint64 cells)
{
  guint in_proportion = 0, with_contents = 0, i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble usual = slot->contents[i];
    gdouble lit, shown;

    if (!VH_HEALTH_HAS_CELL (cells, i) || usual < VH_HEALTH_MIN_CONTENTS)
      continue;
    lit = evidence->cell[i].level / ((slot->levels[i] + 1) * slot->level);
    shown = get_contents (evidence, i) / usual;
    in_proportion += shown <= lit * PROPORTIONAL && shown * PROPORTIONAL >= lit;
    with_contents++;
  }
  return with_contents > 0 && 2 * in_proportion >= with_contents;
}

/* Light in the lens hides a part of the view; the rest is as usual. */
static void
check_glare (const VhHealthReference * reference, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, VhHealthComparison * comparison)
{
  const guint64 hidden = vh_health_obstruction_widen (comparison->glaring,
      evidence->columns, evidence->rows);
  const gchar *unknown;

  if (comparison->glaring && (lights_view (slot, evidence, comparison->glaring)
          || (evidence->textures && compare_moved (reference, slot, evidence,
                  compare_sharpness (reference, slot, evidence), hidden,
                  &unknown) >= OTHER_SCENE)))
    comparison->glare = comparison->glaring = 0;
}

static void
compare_textures (const VhHealthReference * reference,
    const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    VhHealthComparison * comparison)
{
  if (is_ready (reference, slot->textures_learned) && slot->sharpness > 0)
    comparison->unknown[GST_VIDEO_HEALTH_CONDITION_BLURRY] =
        VH_UNKNOWN_NO_CONTENTS;
  comparison->sharpness = compare_sharpness (reference, slot, evidence);
  comparison->moved = compare_moved (reference, slot, evidence,
      comparison->sharpness, 0,
      &comparison->unknown[GST_VIDEO_HEALTH_CONDITION_MOVED]);
}

VhHealthComparison
vh_health_reference_compare (const VhHealthReference * reference,
    const VhHealthEvidence * evidence)
{
  VhHealthComparison comparison = { NAN, NAN, NAN, NAN, NAN, NULL, 0, NAN, 0,
    NAN, 0, NAN, NAN, 0
  };
  const VhHealthSlot *slot;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    comparison.unknown[i] = reference->away ? VH_UNKNOWN_BETWEEN_VIEWS :
        VH_UNKNOWN_LEARNING;
  if (reference->away || reference->current < 0
      || !(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return comparison;

  if (reference->drift)
    comparison.drifted = reference->drift->lost;
  slot = reference->slot[reference->current];
  if (evidence->textures && is_ready (reference, slot->learned))
    compare_textures (reference, slot, evidence, &comparison);
  if (!is_ready (reference, slot->learned) && reference->learned >= 0)
    slot = reference->slot[reference->learned];
  if (is_ready (reference, slot->learned)) {
    compare_contents (slot, evidence, &comparison);
    compare_levels (reference, slot, evidence, &comparison);
    comparison.glare = vh_health_glare_find (slot, evidence,
        &comparison.glaring);
    comparison.damaged = vh_health_damage_find (slot, evidence,
        &comparison.damaging);
  }
  check_rest (reference, slot, evidence, &comparison);
  check_glare (reference, slot, evidence, &comparison);
  if (comparison.faint && !isnan (comparison.moved))
    comparison.moved = 0;
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA)
    compare_tint (reference, slot, evidence, &comparison);
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

/* Decides whether colors are lost, soon after the last frame with color. */
static void
follow_colors (VhHealthReference * reference,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  if (reference->trail[0]
      && !is_same_exposure (get_exposure (reference->trail[0], evidence)))
    reference->relit = time;
  if (reference->current < 0 || get_kind (reference->current) == 0) {
    reference->colored = time;
    reference->lost_colors = FALSE;
  } else if (GST_CLOCK_TIME_IS_VALID (reference->colored)
      && time >= reference->colored && time - reference->colored <= LOSS_TIME) {
    reference->lost_colors = has_lost_colors (reference, evidence);
  }
}

/* Whatever else is wrong, the light of the last minute is known. */
static void
follow_light (VhHealthReference * reference, const VhHealthEvidence * evidence)
{
  const gint current = reference->current;
  const VhHealthSlot *slot = current >= 0 ? reference->slot[current] : NULL;
  const gdouble weight = reference->light.known ?
      MIN (reference->step / TRAIL_TIME, 1) : 1;
  guint i;

  if (slot && is_ready (reference, slot->learned)
      && (get_differing (reference, slot, evidence,
              vh_health_scenes_is_darkened) >= OTHER_LIGHT
          || get_differing (reference, slot, evidence,
              vh_health_scenes_is_brightened) >= OTHER_LIGHT))
    return;
  for (i = 0; i < evidence->columns * evidence->rows; i++)
    reference->light.level[i] += weight * (evidence->cell[i].level
        - reference->light.level[i]);
  reference->light.known = TRUE;
}

void
vh_health_reference_follow (VhHealthReference * reference,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  const guint n = evidence->columns * evidence->rows;
  VhHealthRecent *const recent = &reference->recent;
  gdouble values[VH_HEALTH_CELLS], mean, weight = 1;

  reference->step = GST_CLOCK_TIME_IS_VALID (reference->seen)
      && time > reference->seen ? MIN (time - reference->seen, MAX_STEP) : 0;
  reference->seen = time;
  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return;
  follow_colors (reference, evidence, time);
  follow_light (reference, evidence);
  if (!evidence->textures)
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

/* A frame to learn from. */
typedef struct
{
  const VhHealthEvidence *evidence, *sharp;
  gdouble step;                 /* time that it stands for, ns */
  gboolean doubtful;
  gboolean colorless;           /* teaches no colors */
} Lesson;

/* The weight of a frame in values that have been learned for *@learned ns,
 * which it updates. A doubtful frame counts for less time, so it has little
 * weight even if little has been learned so far, unless nothing else is
 * known. */
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
      MAX (lesson->sharp->level, VH_HEALTH_MIN_CONTENTS);
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
  weight = weight_of (&slot->hues_learned, &lesson);
  blend (slot->color.quartile, color.quartile, VH_HEALTH_QUARTILES, weight);
}

static void
learn_slot (VhHealthSlot * slot, const Lesson * lesson)
{
  const VhHealthEvidence *evidence = lesson->evidence;
  const guint n = evidence->columns * evidence->rows;
  gdouble values[VH_HEALTH_CELLS];
  const gdouble weight = weight_of (&slot->learned, lesson);

  slot->level += (slot->level > 0 ? weight : 1) *
      (evidence->level - slot->level);
  get_all_contents (evidence, values);
  blend (slot->contents, values, n, weight);
  get_levels (evidence, values);
  blend (slot->levels, values, n, weight);
  if (evidence->textures)
    learn_textures (slot, lesson);
  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA
      && !lesson->colorless)
    learn_colors (slot, lesson);
}

static gboolean
can_learn (const VhHealthReference * reference,
    const VhHealthEvidence * evidence)
{
  return reference->current >= 0 && !reference->away
      && evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS;
}

/* The time of other pictures counts against the rival's. */
static void
weaken_rival (VhHealthReference * reference)
{
  VhHealthSlot *rival = reference->rival;

  if (rival && rival->learned <= reference->step)
    g_clear_pointer (&reference->rival, g_free);
  else if (rival)
    rival->learned -= reference->step;
}

void
vh_health_reference_learn (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    GstClockTime time, gboolean doubtful)
{
  const Lesson lesson = { evidence, sharp, reference->step, doubtful, FALSE };
  VhHealthSlot *slot;

  if (!can_learn (reference, evidence))
    return;
  reference->time = time;
  weaken_rival (reference);
  slot = reference->slot[reference->current];
  learn_slot (slot, &lesson);
  if (slot->learned + reference->step >= READY_TIME)
    reference->learned = reference->current;
}

/* Makes an average follow with the time constant of the trail. */
static void
limit_memory (VhHealthSlot * trail)
{
  trail->learned = MIN (trail->learned, TRAIL_TIME);
  trail->textures_learned = MIN (trail->textures_learned, TRAIL_TIME);
  trail->colors_learned = MIN (trail->colors_learned, TRAIL_TIME);
  trail->hues_learned = MIN (trail->hues_learned, TRAIL_TIME);
}

/* The trail starts with the reference, once that is ready. */
void
vh_health_reference_learn_trail (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp,
    gboolean tinted)
{
  const Lesson lesson = { evidence, sharp, reference->step, FALSE, tinted };
  const VhHealthSlot *slot;
  VhHealthSlot **trail;

  if (!can_learn (reference, evidence))
    return;
  slot = reference->slot[reference->current];
  trail = &reference->trail[get_kind (reference->current)];
  if (*trail)
    learn_slot (*trail, &lesson);
  else if (is_ready (reference, slot->learned))
    *trail = g_memdup2 (slot, sizeof (*slot));
  else
    return;
  limit_memory (*trail);
}

/* Also drops what was learned for other hours in less time, from which it may
 * come. */
static void
take_rival (VhHealthReference * reference)
{
  const gint current = reference->current;
  gint i;

  for (i = 0; i < VH_HEALTH_SLOTS; i++) {
    if (get_kind (i) == get_kind (current) && reference->slot[i]
        && (i == current
            || reference->slot[i]->learned <= reference->rival->learned))
      g_clear_pointer (&reference->slot[i], g_free);
  }
  g_clear_pointer (&reference->trail[get_kind (current)], g_free);
  reference->slot[current] = g_steal_pointer (&reference->rival);
  reference->last[get_kind (current)] = reference->learned = current;
}

/* Whether enough cells have contents that could be lost again. */
static gboolean
shows_something (const VhHealthReference * reference, const gdouble * contents)
{
  const guint n = reference->columns * reference->rows;
  guint with_contents = 0, i;

  for (i = 0; i < n; i++)
    with_contents += contents[i] >= VH_HEALTH_MIN_CONTENTS;
  return with_contents >= MIN_CELLS * n;
}

static gboolean
shows_rival (const VhHealthReference * reference,
    const VhHealthEvidence * evidence)
{
  const VhHealthSlot *rival = reference->rival;
  const gchar *unknown;

  return rival->learned < READY_TIME
      || !(vh_health_scenes_compare (rival, &reference->recent, evidence, NAN,
          rival->textures_learned >= READY_TIME, 0, &unknown) >= OTHER_SCENE);
}

void
vh_health_reference_learn_rival (VhHealthReference * reference,
    const VhHealthEvidence * evidence, const VhHealthEvidence * sharp)
{
  const Lesson lesson = { evidence, sharp, reference->step, FALSE, FALSE };

  if (!can_learn (reference, evidence)
      || (reference->rival
          && get_kind (reference->rival_of) != get_kind (reference->current)))
    return;
  if (reference->rival && !shows_rival (reference, evidence)) {
    weaken_rival (reference);
    return;
  }
  if (!reference->rival) {
    reference->rival = g_new0 (VhHealthSlot, 1);
    reference->rival_of = reference->current;
  }
  learn_slot (reference->rival, &lesson);
  if (reference->rival->learned >= MAX (RIVAL_TIME,
          reference->slot[reference->current]->learned)
      && shows_something (reference, reference->rival->contents))
    take_rival (reference);
}

static gdouble
match_slot (const VhHealthSlot * slot, const VhHealthReference * now,
    const VhHealthEvidence * evidence, gdouble learned)
{
  const gboolean sized = slot->textures_learned >= learned;
  const gdouble sharpness = sized && slot->sharpness > 0 ?
      sharpness_of (slot, evidence, slot->relief) / slot->sharpness : NAN;
  const gchar *unknown;

  return vh_health_scenes_compare (slot, &now->recent, evidence, sharpness,
      sized, 0, &unknown);
}

gdouble
vh_health_reference_match (const VhHealthReference * view,
    const VhHealthReference * now, const VhHealthEvidence * evidence,
    gdouble learned)
{
  const gint kind = get_kind (now->current);
  gdouble usual;

  if (vh_health_reference_get_learned (view, kind) < learned
      || view->columns != now->columns || view->rows != now->rows)
    return NAN;
  usual = match_slot (view->slot[view->last[kind]], now, evidence, learned);
  return view->trail[kind] ? fmin (usual, match_slot (view->trail[kind], now,
          evidence, learned)) : usual;
}

gdouble
vh_health_reference_get_learned (const VhHealthReference * reference,
    gboolean monochrome)
{
  const gint last = reference->last[monochrome ? 1 : 0];

  return last >= 0 ? reference->slot[last]->learned : 0;
}

gboolean
vh_health_reference_sees_something (const VhHealthReference * reference)
{
  return shows_something (reference, reference->recent.contents);
}

void
vh_health_reference_forget_kind (VhHealthReference * reference,
    gboolean monochrome)
{
  const gint kind = monochrome ? 1 : 0;
  guint i;

  for (i = 0; i < VH_HEALTH_HOURS; i++)
    g_clear_pointer (&reference->slot[kind * VH_HEALTH_HOURS + i], g_free);
  g_clear_pointer (&reference->rival, g_free);
  g_clear_pointer (&reference->trail[kind], g_free);
  reference->last[kind] = reference->current = reference->learned = -1;
}

void
vh_health_reference_continue (VhHealthReference * reference,
    VhHealthReference * before)
{
  reference->recent = before->recent;
  reference->seen = before->seen;
  reference->step = before->step;
  reference->hour = before->hour;
  reference->time = GST_CLOCK_TIME_NONE;
  reference->light.known = FALSE;
  reference->away = before->away = FALSE;
  g_clear_pointer (&before->rival, g_free);
}
