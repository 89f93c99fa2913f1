/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthstillness.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

/* A picture is frozen if nothing at all changes for at least this time, */
#define MIN_STILL (4 * GST_SECOND)
/* and in this many frames, */
#define MIN_UNCHANGED 5
/* and for longer than ever before: by this factor, plus YOUNG divided by the
 * time that the camera was observed, */
#define LONGER 1.25
#define YOUNG (25.0 * GST_SECOND)
/* and by this margin. */
#define MARGIN (500 * GST_MSECOND)
/* If the stillness began before the camera had been observed for this long,
 * it may last for MAX_KEY_FRAMES: key frames of most cameras are closer
 * together. */
#define KNOWN (20.0 * GST_SECOND)
#define MAX_KEY_FRAMES (35 * GST_SECOND)
/* Smart codecs send key frames up to a minute apart, so the first one is waited
 * for this long. */
#define FIRST_KEY_FRAME (65 * GST_SECOND)
/* If the coder leaves out hardly any frames, and no key frame stands out, this
 * time is enough. */
#define SOON_KNOWN (5 * GST_SECOND)
#define HARDLY_ANY 0.05
/* A coder that leaves out more than this share of the frames may change nothing
 * until the next key frame. The share is counted over about RECENT. */
#define MANY 0.3
#define RECENT (20.0 * GST_SECOND)
/* A key frame changes this many cells in ten. The distance between key frames
 * is known once it has been the same, within SAME, MIN_SAME times in a row. */
#define WHOLE_IN_10 9
#define MIN_SAME 3
/* Where distances differ, so many of them must have been seen. */
#define MIN_KEYS 5
/* A key frame that changes the quiet cells by this factor more than other
 * frames is a burst. Changes are known once they were learned over so many. */
#define BURST 5
#define MIN_BURSTS 2
#define SAME (150.0 * GST_MSECOND)
/* Pictures before two key frames in a row show the same instant if they differ
 * less than the least difference so far, by this factor. */
#define REPEATED 2.0
/* So many differences must be known. */
#define MIN_SETTLED 4
/* Changes between key frames are dense if the longest time without any is
 * shorter than the distance of key frames by this factor. */
#define DENSE 8
/* After MAX_KEY_FRAMES a key frame must have been seen. Then being still for
 * this many times longer than ever before is not usual either. */
#define FAR_LONGER 4
/* The longest stillness so far counts half as much after this time. */
#define FORGET (24 * 3600.0 * GST_SECOND)
/* After a key frame, nothing changes in a still picture for this long. */
#define STILL_AGAIN GST_SECOND
/* A gap between frames counts for no more than this. */
#define MAX_STEP (1.0 * GST_SECOND)

/* A picture is also frozen if it changes less than ever before: by these
 * factors, in all cells and in the quietest ones. */
#define LESS_OF_ALL 1.7
#define LESS_OF_QUIET 1.2
/* The factors are larger at first. */
#define YOUNG_SPANS 3.3
/* This many spans of time must have been learned. */
#define MIN_SPANS 5
/* If the least change is smaller than the usual one by this factor, it may get
 * smaller still, so nothing is concluded. */
#define STEADY 6.0
/* The least change rises again by this share with each span: by half in a
 * day. */
#define RISE 1.4e-5

/* This many cells in four count as the quietest ones. People rarely walk
 * through all of them, and almost never through any cell of their quieter
 * half. */
#define QUIET_IN_4 2
/* If something moves in this many frames while nothing at all has changed in
 * the quiet cells for two seconds, the picture may be still after people have
 * left. Motion changes a cell by more than MOVES levels. */
#define MIN_PARTS 5
#define MOVES 0.01

/* If the quietest cells change by this much, in levels, the light has changed,
 * and with it the noise. */
#define OTHER_LIGHT 0.006

/* A key frame changes a frozen picture for less time than this. */
#define MIN_HOLD (5 * GST_SECOND)
#define HOLD_MARGIN (1 * GST_SECOND)
/* A freeze that starts so soon after the last one may be the same: some coders
 * change a still picture again and again. So each time, changes must last twice
 * as long to end it. */
#define AGAIN (5 * 60 * GST_SECOND)
#define MAX_HOLD (5 * 60 * GST_SECOND)
#define MAX_TIMES_AGAIN 6

#define UNIT 4294967296.0

void
vh_health_stillness_restart (VhHealthStillness * self)
{
  self->has_last = self->broken = FALSE;
  self->pending = self->lasted = FALSE;
  self->verdict = VH_STILLNESS_UNKNOWN;
}

static void
forget_changes (VhHealthStillness * self, GstClockTime time)
{
  memset (self->part, 0, sizeof (self->part));
  memset (self->sum, 0, sizeof (self->sum));
  self->at_part = time / VH_STILL_PART;
  self->window = time;
  self->quiet_since = GST_CLOCK_TIME_NONE;
}

static void
forget_least (VhHealthStillness * self, GstClockTime time)
{
  memset (self->span, 0, sizeof (self->span));
  memset (&self->least, 0, sizeof (self->least));
  memset (&self->stilled, 0, sizeof (self->stilled));
  self->at_span = time / VH_STILL_SPAN;
  self->n_spans = 0;
  self->has_moved = FALSE;
}

void
vh_health_stillness_forget_changes (VhHealthStillness * self, GstClockTime time)
{
  forget_changes (self, time);
  forget_least (self, time);
}

static guint
count_cells (const VhHealthStillness * self)
{
  const guint n = self->columns * self->rows;

  return n - __builtin_popcountll (self->ignored
      & (n < 64 ? (G_GUINT64_CONSTANT (1) << n) - 1 : G_MAXUINT64));
}

/* Starts again without a previous frame. */
static void
begin (VhHealthStillness * self, const VhHealthEvidence * evidence,
    guint64 ignored, GstClockTime time)
{
  const gboolean same = self->columns == evidence->columns
      && self->rows == evidence->rows && self->ignored == ignored;

  self->columns = evidence->columns;
  self->rows = evidence->rows;
  self->ignored = ignored;
  self->changed = time;
  self->unchanged = 0;
  self->observed_before = self->observed;
  self->key_frame = time;
  self->whole = time;
  self->since_whole = 0;
  self->touched = self->touched_before = 0;
  self->distance = self->n_same = self->doubtful_key = 0;
  self->wakes = FALSE;
  self->n_settled = self->n_bursts = 0;
  self->repeated = FALSE;
  self->pending = self->lasted = FALSE;
  if (!same)
    vh_health_recurrence_restart (&self->recurrence);
  self->recurrence.n_kept = 0;
  forget_changes (self, time);
  if (!same || self->at_span == 0 || time < self->time)
    forget_least (self, time);
  self->has_last = TRUE;
}

/* Sets how much each cell has changed. Returns whether anything changed
 * anywhere in the picture. */
static gboolean
find_changes (const VhHealthStillness * self, const VhHealthEvidence * evidence,
    guint64 * changes)
{
  gboolean changed = self->renewed ? evidence->difference > 0 :
      evidence->difference != self->difference;
  guint i;

  for (i = 0; i < self->columns * self->rows; i++) {
    const gdouble change = fabs (evidence->cell[i].level - self->level[i]);

    changes[i] = VH_HEALTH_HAS_CELL (self->ignored, i) ? 0 :
        llround (MIN (change, 1) * UNIT);
    changed |= changes[i] > 0;
  }
  return changed;
}

/* Sums the changes in all cells, and in the quietest ones. */
static VhStillSpan
add_up (const VhHealthStillness * self, const guint64 * changes)
{
  const guint n = self->columns * self->rows;
  const guint ignored = n - count_cells (self);
  const guint quiet = (n - ignored) * QUIET_IN_4 / 4;
  /* Ignored cells have not changed, so they are among the quietest ones. */
  const guint n_quiet = ignored + quiet, n_quietest = ignored + quiet / 2;
  gdouble ranked[VH_HEALTH_CELLS];      /* whole numbers below 2^53 */
  VhStillSpan all = {.n = 1 };
  guint i;

  for (i = 0; i < n; i++)
    ranked[i] = changes[i];
  if (n_quiet < n) {
    vh_health_find_rank (ranked, n, n_quiet);
    vh_health_find_rank (ranked, n_quiet + 1, n_quietest);
  }
  for (i = 0; i < n; i++) {
    all.all += changes[i];
    if (i < n_quiet)
      all.quiet += ranked[i];
    if (i < n_quietest)
      all.quietest += ranked[i];
  }
  all.logarithms = log (all.all + 1.0);
  return all;
}

static void
add_changes (VhHealthStillness * self, const guint64 * changes,
    GstClockTime time)
{
  const guint n = self->columns * self->rows;
  const guint64 part = time / VH_STILL_PART;
  guint i;

  if (part - self->at_part >= VH_STILL_PARTS) {
    const GstClockTime window = self->window;

    forget_changes (self, time);
    self->window = window;
  }
  while (self->at_part < part) {
    guint64 *old = self->part[++self->at_part % VH_STILL_PARTS];

    for (i = 0; i < n; i++)
      self->sum[i] -= old[i];
    memset (old, 0, sizeof (self->part[0]));
  }
  for (i = 0; i < n; i++) {
    self->part[part % VH_STILL_PARTS][i] += changes[i];
    self->sum[i] += changes[i];
  }
}

static void
take_least (VhStillSpan * least, const VhStillSpan * span)
{
  const gboolean first = least->n == 0;

  if (span->n == 0)
    return;
  least->all = first ? span->all : MIN (least->all, span->all);
  least->quiet = first ? span->quiet : MIN (least->quiet, span->quiet);
  least->quietest = first ? span->quietest :
      MIN (least->quietest, span->quietest);
  least->logarithms += span->logarithms;
  least->n += span->n;
  least->n_bursts = MAX (least->n_bursts, span->n_bursts);
}

/* Learns the least changes of a live picture. */
static void
learn_changes (VhHealthStillness * self, const VhStillSpan * now,
    GstClockTime time)
{
  const guint64 at = time / VH_STILL_SPAN;
  VhStillSpan *span;

  if (at - self->at_span > VH_STILL_DELAY) {
    memset (self->span, 0, sizeof (self->span));
    self->at_span = at;
  }
  while (self->at_span < at) {
    VhStillSpan *old = &self->span[++self->at_span % (VH_STILL_DELAY + 1)];

    if (old->n > 0) {
      self->least.all += self->least.all * RISE;
      self->least.quiet += self->least.quiet * RISE;
      self->least.quietest += self->least.quietest * RISE;
      self->n_spans++;
    }
    take_least (&self->least, old);
    memset (old, 0, sizeof (*old));
  }
  span = &self->span[at % (VH_STILL_DELAY + 1)];
  take_least (span, now);
  span->n_bursts = self->n_bursts;
}

/* After a picture with fewer changes than ever before, so few changes count as
 * usual if people may have left: the camera may have been alive. If it was
 * frozen, this rule finds the next freeze less easily, but others do not depend
 * on it. */
static void
learn_stilled (VhHealthStillness * self)
{
  if (self->has_moved)
    take_least (&self->least, &self->stilled);
  memset (&self->stilled, 0, sizeof (self->stilled));
}

/* Drops the changes shortly before the picture was found to be frozen: it may
 * have been frozen already. */
static void
drop_changes (VhHealthStillness * self, GstClockTime time)
{
  memset (self->span, 0, sizeof (self->span));
  self->at_span = time / VH_STILL_SPAN;
}

/* Whether changes were learned from one key frame to the next: they get fewer
 * after the first picture, and after each key frame. */
static gboolean
has_learned_changes (const VhHealthStillness * self)
{
  return self->n_spans >= MIN_SPANS
      && (self->has_learned || self->n_same >= MIN_SAME
      || self->least.n_bursts >= MIN_BURSTS);
}

/* Whether the picture changes less than ever before. */
static gboolean
is_less (const VhHealthStillness * self, const VhStillSpan * now)
{
  const VhStillSpan *least = &self->least;
  gdouble young;

  if (!has_learned_changes (self) || least->quiet == 0
      || least->all * STEADY < exp (least->logarithms / least->n))
    return FALSE;
  young = 1 + YOUNG_SPANS / self->n_spans;
  return now->all * LESS_OF_ALL * young <= least->all
      && now->quiet * LESS_OF_QUIET * young <= least->quiet
      && now->quietest * LESS_OF_QUIET * young <= least->quietest;
}

static gboolean
leaves_out_many (const VhHealthStillness * self)
{
  return self->left_out > MANY * self->frames || self->parts >= MIN_PARTS;
}

static gboolean
is_known (const VhHealthStillness * self)
{
  return self->observed_before >= KNOWN
      || (self->observed_before >= SOON_KNOWN && self->n_keys == 0
      && self->left_out <= HARDLY_ANY * self->frames);
}

/* How far apart key frames may be, as long as few of them were seen. */
static GstClockTime
get_max_key_frames (const VhHealthStillness * self)
{
  if (self->n_keys == 0 && self->observed_before < FIRST_KEY_FRAME)
    return FIRST_KEY_FRAME;
  return MAX (MAX_KEY_FRAMES, LONGER * self->farthest + MARGIN);
}

static GstClockTime
get_max_still_time_between_key_frames (const VhHealthStillness * self)
{
  gdouble max_still_time = get_max_key_frames (self);

  if (self->n_same >= MIN_SAME)
    max_still_time = MAX (self->distance, self->longest) + MARGIN;
  if (self->observed_before >= MAX_KEY_FRAMES && self->parts < MIN_PARTS)
    max_still_time = MIN (max_still_time, FAR_LONGER * self->longest + MARGIN);
  return max_still_time;
}

/* How long nothing must change before the picture counts as frozen. */
static GstClockTime
get_max_still_time (const VhHealthStillness * self, GstClockTime duration)
{
  const gdouble factor = LONGER + YOUNG / MAX (self->observed, GST_SECOND);
  gdouble max_still_time = factor * self->longest + MARGIN;

  if (!is_known (self))
    max_still_time = get_max_key_frames (self);
  else if (leaves_out_many (self))
    max_still_time = get_max_still_time_between_key_frames (self);
  return MAX (MAX (duration, MIN_STILL), max_still_time);
}

/* Notes that something changed at @time, after the previous frame. Stillness
 * that ends during a freeze says nothing about a live camera. But if it also
 * began with a change during the freeze, the camera may be alive: see
 * go_on(). */
static void
end_stillness (VhHealthStillness * self, gboolean active, GstClockTime time)
{
  const gdouble still = self->time - self->changed;

  if (!active) {
    self->longest = MAX (self->longest, still);
    self->frames += self->unchanged + 1;
    self->left_out += self->unchanged;
  }
  self->doubtful = self->broken ? still : 0;
  self->broken = active;
  self->changed = time;
  self->unchanged = 0;
  self->observed_before = self->observed;
}

/* How far apart key frames are is learned while the camera is alive. A freeze
 * does not teach it, but two long distances in a row show that the camera is
 * alive and sends fewer key frames. */
static void
learn_distance (VhHealthStillness * self, gdouble distance, gboolean active)
{
  if (!active) {
    if (fabs (distance - self->distance) > SAME)
      self->n_same = 0;
    self->n_same++;
    self->n_keys++;
    self->distance = distance;
    self->farthest = MAX (self->farthest, distance);
    self->doubtful_key = 0;
  } else {
    if (self->doubtful_key > 0)
      self->farthest = MAX (self->farthest, MIN (distance,
              self->doubtful_key));
    self->doubtful_key = distance;
  }
}

/* Compares the picture that the coder has arrived at before a key frame with
 * the one before the last key frame. The noise of a live camera is never the
 * same. People only change some of the cells. */
static void
compare_settled (VhHealthStillness * self, gboolean active)
{
  const guint all = self->columns * self->rows;
  guint64 changes[VH_HEALTH_CELLS];
  gdouble renewed;
  guint i;

  for (i = 0; i < all; i++) {
    changes[i] = VH_HEALTH_HAS_CELL (self->ignored, i) ? 0 :
        llround (fabs (self->level[i] - self->settled[i]) * UNIT);
    self->settled[i] = self->level[i];
  }
  renewed = add_up (self, changes).quiet;
  self->repeated = self->n_settled > MIN_SETTLED
      && renewed * REPEATED <= self->least_renewed;
  /* The first picture was not compared with anything. */
  if (!active && !self->repeated && self->n_settled++ > 0)
    self->least_renewed = self->n_settled == 2 ? renewed :
        MIN (self->least_renewed * (1 + RISE), renewed);
}

static void
touch (VhHealthStillness * self, GstClockTime time)
{
  const guint64 at = time / VH_STILL_TOUCHED;

  self->since_whole++;
  if (at == self->at_touched)
    return;
  self->touched_before = at == self->at_touched + 1 ? self->touched : 0;
  self->touched = 0;
  self->at_touched = at;
}

static gboolean
is_whole (const VhHealthStillness * self, GstClockTime time)
{
  return time - self->window >= VH_STILL_PARTS * VH_STILL_PART;
}

/* Whether a frame changes the quiet cells by far more than the other frames of
 * the last two seconds did. */
static gboolean
is_burst (const VhHealthStillness * self, const guint64 * changes,
    GstClockTime time)
{
  const gdouble usual = add_up (self, self->sum).quiet
      * (gdouble) (time - self->time) / (VH_STILL_PARTS * VH_STILL_PART);

  return is_whole (self, time) && add_up (self, changes).quiet > BURST * usual;
}

/* A key frame changes the whole picture, after a time in which nothing did. A
 * coder may take a few frames around it. */
static void
follow_key_frames (VhHealthStillness * self, const guint64 * changes,
    gdouble still, gboolean active, GstClockTime time)
{
  const GstClockTime quiet = time - self->whole;
  const gboolean adjacent = self->since_whole == 0;
  guint n = 0, i;

  touch (self, time);
  for (i = 0; i < self->columns * self->rows; i++) {
    n += changes[i] > 0;
    if (changes[i] > 0)
      self->touched |= G_GUINT64_CONSTANT (1) << i;
  }
  if (n * 10 < count_cells (self) * WHOLE_IN_10)
    return;
  if (!active && is_burst (self, changes, time))
    self->n_bursts++;
  self->whole = time;
  self->since_whole = 0;
  self->touched = self->touched_before = 0;
  /* At two frames a second, each frame of a live camera is that far from the
   * one before. */
  if (quiet < STILL_AGAIN / 2 || (adjacent && quiet < STILL_AGAIN))
    return;
  if (!active)
    self->wakes |= still >= STILL_AGAIN;
  learn_distance (self, time - self->key_frame, active);
  compare_settled (self, active);
  self->key_frame = time;
}

/* Whether key frames were seen so often that they are known to come. */
static gboolean
has_key_frames (const VhHealthStillness * self)
{
  return self->n_same >= MIN_SAME || self->n_keys >= MIN_KEYS;
}

/* Whether the next key frame may still show that the camera is alive, because
 * key frames have ended times without any change before, or changes between
 * them are few. Before it is known how often they come, that may take
 * get_max_key_frames(). */
static gboolean
awaits_key_frame (const VhHealthStillness * self, GstClockTime time)
{
  if (!self->wakes && self->longest * DENSE < self->farthest)
    return FALSE;
  return has_key_frames (self)
      || (self->n_keys > 0 && time - self->whole < get_max_key_frames (self));
}

/* Whether a key frame of a live camera would have come. The coder of a frozen
 * picture sends key frames, too, but they change only a few cells. */
static gboolean
lacks_key_frame (const VhHealthStillness * self, GstClockTime duration,
    GstClockTime time)
{
  gdouble limit = self->farthest;

  if (self->n_same < MIN_SAME || self->farthest > self->distance + SAME)
    limit *= LONGER + YOUNG / MAX (self->observed, GST_SECOND);
  return time - self->whole >= MAX (MAX (duration, MIN_STILL), limit + MARGIN)
      && self->since_whole >= MIN_UNCHANGED
      && __builtin_popcountll (self->touched | self->touched_before) * 10 <=
      count_cells (self) * (10 - WHOLE_IN_10);
}

static void
go_on (VhHealthStillness * self, GstClockTime time)
{
  self->unchanged++;
  if (time - self->changed >= STILL_AGAIN) {
    self->longest = MAX (self->longest, self->doubtful);
    self->doubtful = 0;
  }
}

static void
follow_times (VhHealthStillness * self, GstClockTime time)
{
  const gdouble step = MIN (time - self->time, MAX_STEP);

  self->observed = MIN (self->observed + step, FORGET);
  /* This stays true: the first key frame that stands out may be one of a
   * freeze. */
  self->has_learned |= self->observed >= FIRST_KEY_FRAME + self->farthest;
  self->longest *= exp2 (-step / FORGET);
  self->farthest *= exp2 (-step / FORGET);
  self->parts *= exp2 (-step / FORGET);
  self->frames *= exp2 (-step / RECENT);
  self->left_out *= exp2 (-step / RECENT);
}

static void
keep_frame (VhHealthStillness * self, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  guint i;

  for (i = 0; i < self->columns * self->rows; i++)
    self->level[i] = evidence->cell[i].level;
  self->difference = evidence->difference;
  self->time = time;
}

/* Returns the changes in the last two seconds. */
static VhStillSpan
follow_changes (VhHealthStillness * self, const guint64 * changes,
    GstClockTime time)
{
  const guint quiet = count_cells (self) * QUIET_IN_4 / 4;

  if (add_up (self, changes).quiet > OTHER_LIGHT * UNIT * quiet) {
    forget_changes (self, time);
    forget_least (self, time);
  } else {
    add_changes (self, changes, time);
  }
  return add_up (self, self->sum);
}

/* Finds out whether the coder leaves out the parts of the picture in which
 * nothing moves. */
static void
follow_parts (VhHealthStillness * self, const VhStillSpan * now,
    const guint64 * changes, GstClockTime time)
{
  gboolean moves = FALSE;
  guint i;

  for (i = 0; i < self->columns * self->rows; i++)
    moves |= changes[i] > MOVES * UNIT;
  self->has_moved |= moves;
  if (moves && is_whole (self, time) && now->quiet == 0)
    self->parts = MIN (self->parts + 1, 2 * MIN_PARTS);
}

/* With fewer changes than ever before, the picture is frozen, or what used to
 * move has left. If nothing ever moved, it is frozen. Otherwise key frames must
 * show the same instant again; where none stand out in a minute, the coder
 * leaves out nothing that people could hide. */
static gboolean
is_frozen_by_changes (const VhHealthStillness * self, const VhStillSpan * now)
{
  return is_less (self, now)
      && (!self->has_moved || self->repeated
      || (self->has_learned && !has_key_frames (self)));
}

/* A freeze that has not lasted long enough to be reported does not count. */
static void
follow_ends (VhHealthStillness * self, gboolean reported, GstClockTime time)
{
  if (reported && !self->was_reported)
    self->times_again = self->ended > 0 && time - self->ended < AGAIN ?
        MIN (self->times_again + 1, MAX_TIMES_AGAIN) : 0;
  else if (!reported && self->was_reported)
    self->ended = time;
  self->was_reported = reported;
}

static GstClockTime
get_hold (const VhHealthStillness * self, GstClockTime max_still_time)
{
  const GstClockTime hold = MAX (MIN_HOLD, max_still_time + HOLD_MARGIN);

  return MAX (hold, MIN (hold << self->times_again, MAX_HOLD));
}

static void
judge (VhHealthStillness * self, const VhStillSpan * now, GstClockTime seen,
    GstClockTime duration, gboolean active, GstClockTime time)
{
  const GstClockTime max_still_time = get_max_still_time (self, duration);
  const gboolean less = is_whole (self, time)
      && is_frozen_by_changes (self, now);
  const gboolean lacks = lacks_key_frame (self, duration, time);

  if (!less)
    self->quiet_since = GST_CLOCK_TIME_NONE;
  else if (!GST_CLOCK_TIME_IS_VALID (self->quiet_since))
    self->quiet_since = time - VH_STILL_PARTS * VH_STILL_PART / 2;

  if (less && self->unchanged >= MIN_UNCHANGED)
    self->quiet_since = MIN (self->quiet_since, self->changed);
  self->hold = get_hold (self, max_still_time);
  self->verdict = VH_STILLNESS_STILL;
  if (time - self->changed >= max_still_time
      && self->unchanged >= MIN_UNCHANGED && (lacks || !awaits_key_frame (self,
              time))) {
    self->since = self->changed;
  } else if (lacks && has_key_frames (self)) {
    self->since = self->unchanged >= MIN_UNCHANGED ? self->changed :
        self->whole;
  } else if (less && time - self->quiet_since >= duration) {
    take_least (&self->stilled, now);
    self->since = self->unchanged >= MIN_UNCHANGED ?
        MAX (self->changed, self->quiet_since) : self->quiet_since;
  } else if (GST_CLOCK_TIME_IS_VALID (seen) && time - seen >= duration) {
    self->since = seen;
  } else {
    self->verdict = VH_STILLNESS_ALIVE;
    if (!active)
      learn_stilled (self);
    if (!active && is_whole (self, time))
      learn_changes (self, now, time);
  }
  if (self->verdict == VH_STILLNESS_STILL)
    drop_changes (self, time);
}

void
vh_health_stillness_follow (VhHealthStillness * self,
    const VhHealthEvidence * evidence, guint64 ignored, GstClockTime duration,
    gboolean active, GstClockTime time)
{
  guint64 changes[VH_HEALTH_CELLS];
  GstClockTime seen;
  gdouble still;
  VhStillSpan now;

  if (!self->has_last || self->columns != evidence->columns
      || self->rows != evidence->rows || self->ignored != ignored
      || time < self->time) {
    begin (self, evidence, ignored, time);
    self->verdict = VH_STILLNESS_UNKNOWN;
  } else {
    follow_times (self, time);
    follow_ends (self, active && !self->pending, time);
    self->broken &= active;
    still = self->time - self->changed;
    if (find_changes (self, evidence, changes)) {
      end_stillness (self, active, time);
    } else {
      go_on (self, time);
    }
    follow_key_frames (self, changes, still, active, time);
    now = follow_changes (self, changes, time);
    if (!active)
      follow_parts (self, &now, changes, time);
    seen = vh_health_recurrence_follow (&self->recurrence, evidence, ignored,
        active, time);
    judge (self, &now, seen, duration, active, time);
  }
  keep_frame (self, evidence, time);
}
