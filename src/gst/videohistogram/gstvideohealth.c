/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:gstvideohealth
 * @title: GstVideoHealth
 * @short_description: is the picture of a camera any good
 *
 * Judges the frames of one camera by their histograms, and tells when a
 * condition, such as `dark` or `frozen`, begins and ends. It needs no pipeline,
 * no clock and no thread: whoever has frames adds what is known of each, has it
 * judged with its time, and fetches the changes:
 *
 * |[<!-- language="C" -->
 * gst_video_health_add_histogram (health, histogram);
 * gst_video_health_judge (health, running_time, GST_CLOCK_TIME_NONE);
 * while (gst_video_health_next_change (health, &change))
 *   g_print ("%s %s\n", gst_video_health_condition_get_name (change.condition),
 *       change.active ? "begins" : "ends");
 * ]|
 *
 * The same frames and times always give the same changes. What is not known of
 * a frame is not judged: a condition stays as it was then.
 *
 * docs/videohealth.md defines the conditions, their values and their units, and
 * names the standards that they are from.
 *
 * Thread-safety: all functions may be called from any thread. What is added
 * belongs to the next frame that is judged, so that it is added and judged by
 * one thread; ticks may come from another.
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideohealth.h"
#include "gstvideohealth-private.h"
#include "healthignored.h"
#include "healthstate.h"
#include "healthzones.h"
#include "gstvideohistogramstatistics.h"
#include "initialized.h"
#include "core/log.h"

#define ALL GST_VIDEO_HEALTH_CONDITIONS_ALL
#define BIT(condition) (1u << (condition))

/* Changes that nobody fetches are kept up to here, the newest ones. */
#define MAX_CHANGES 256

struct _GstVideoHealth
{
  GObject parent;

  GMutex lock;
  /* protected by lock */
  guint conditions;             /* that are told of, a bit each */
  VhHealthRules rules;
  VhHealthScale scale;
  VhHealthEvidence evidence;    /* of the next frame */
  VhHealthIgnored ignored;
  VhHealthEvidence *rest[VH_HEALTH_N];  /* the same without what is ignored, for
                                         * conditions that ignore something */
  VhHealthState state;
  gboolean wants_frame;
  GstVideoHealthChange changes[MAX_CHANGES];    /* a ring */
  guint first_change, n_changes;
};

G_DEFINE_TYPE (GstVideoHealth, gst_video_health, G_TYPE_OBJECT);

static GstVideoHealthChange *
copy_change (const GstVideoHealthChange * change)
{
  return g_memdup2 (change, sizeof (*change));
}

G_DEFINE_BOXED_TYPE (GstVideoHealthChange, gst_video_health_change,
    copy_change, g_free);

static void
clear_rest (GstVideoHealth * health)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++)
    g_clear_pointer (&health->rest[i], g_free);
}

static void
gst_video_health_finalize (GObject * object)
{
  GstVideoHealth *health = GST_VIDEO_HEALTH (object);

  clear_rest (health);
  vh_health_state_clear (&health->state);
  vh_health_scale_clear (&health->scale);
  g_mutex_clear (&health->lock);
  G_OBJECT_CLASS (gst_video_health_parent_class)->finalize (object);
}

static void
gst_video_health_class_init (GstVideoHealthClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_health_finalize;
}

static void
gst_video_health_init (GstVideoHealth * health)
{
  g_mutex_init (&health->lock);
  health->conditions = ALL;
  health->wants_frame = TRUE;
  vh_health_rules_init (&health->rules);
  vh_health_state_init (&health->state);
  health->state.not_compared =
      &health->ignored.of[GST_VIDEO_HEALTH_CONDITION_FROZEN];
}

/**
 * gst_video_health_new:
 *
 * Makes a judge of one camera, of all conditions, with the rules of
 * docs/videohealth.md. Thread-safe.
 *
 * Returns: (transfer full): a new #GstVideoHealth
 *
 * Since: 0.2
 */
GstVideoHealth *
gst_video_health_new (void)
{
  vh_return_val_unless_initialized (NULL, NULL);

  return g_object_new (GST_TYPE_VIDEO_HEALTH, NULL);
}

/**
 * gst_video_health_set_conditions:
 * @health: a #GstVideoHealth
 * @conditions: those that are to be told of
 *
 * Chooses conditions. One that was not told of before, or no longer is, begins
 * anew, as if it had not been so. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_set_conditions (GstVideoHealth * health,
    GstVideoHealthConditions conditions)
{
  guint i;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));
  g_return_if_fail (((guint) conditions & ~(guint) ALL) == 0);

  g_mutex_lock (&health->lock);
  for (i = 0; i < VH_HEALTH_N; i++) {
    if ((health->conditions ^ conditions) & BIT (i))
      vh_health_run_init (&health->state.run[i]);
  }
  health->conditions = conditions;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_get_conditions:
 * @health: a #GstVideoHealth
 *
 * The conditions that are told of. Thread-safe.
 *
 * Returns: the set; all of them unless
 *     gst_video_health_set_conditions() was called
 *
 * Since: 0.2
 */
GstVideoHealthConditions
gst_video_health_get_conditions (GstVideoHealth * health)
{
  guint conditions;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);

  g_mutex_lock (&health->lock);
  conditions = health->conditions;
  g_mutex_unlock (&health->lock);
  return conditions;
}

/**
 * gst_video_health_set_rules:
 * @health: a #GstVideoHealth
 * @rules: (nullable): rules, in #GstStructure's syntax, with `;` in between:
 *     `black,enter=0.98,leave=0.97,duration=2s,hold=500ms; dark,enter=0.95`.
 *     What is not in them is as docs/videohealth.md has it; %NULL or an empty
 *     text for all of that
 *
 * Sets when conditions begin and end: a condition begins once its value was at
 * or beyond `enter` for `duration`, and ends once it was beyond `leave`, on the
 * other side, for `hold`. Thresholds are in the unit of the condition. Times
 * have a unit, `ns`, `us`, `ms`, `s`, `min` or `h`, and are 0 or 1 ms to 24 h.
 * Conditions that are so stay so until frames say something else. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_PARSE and a message
 *     with a line for each fault, which says what is wrong and what is allowed;
 *     the rules are as before then
 *
 * Since: 0.2
 */
gboolean
gst_video_health_set_rules (GstVideoHealth * health, const gchar * rules,
    GError ** error)
{
  gboolean ok;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);

  g_mutex_lock (&health->lock);
  ok = vh_health_rules_parse (&health->rules, rules, error);
  g_mutex_unlock (&health->lock);
  return ok;
}

/**
 * gst_video_health_dup_rules:
 * @health: a #GstVideoHealth
 *
 * All rules, as gst_video_health_set_rules() takes them. To read the numbers of
 * a rule, use gst_video_health_get_rule(). Thread-safe.
 *
 * Returns: (transfer full): the rules of all conditions
 *
 * Since: 0.2
 */
gchar *
gst_video_health_dup_rules (GstVideoHealth * health)
{
  gchar *text;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);

  g_mutex_lock (&health->lock);
  text = vh_health_rules_print (&health->rules);
  g_mutex_unlock (&health->lock);
  return text;
}

/**
 * gst_video_health_set_coded:
 * @health: a #GstVideoHealth
 * @coded: whether the frames were compressed with loss, and decoded
 *
 * Tells that frames come from a coder, such as H.264 or JPEG. Between key
 * frames coders leave out what hardly changes, so a camera may show the very
 * same picture for seconds while nothing moves. With %TRUE, `frozen` learns for
 * each camera how long that is, and how much changes at least:
 * docs/videohealth.md has the rule. For that, the difference and luma in a grid
 * of cells have to be added, as a #GstVideoHealthEngine does. The element
 * `videohealth` calls this itself. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_set_coded (GstVideoHealth * health, gboolean coded)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  health->state.coded = coded;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_get_coded:
 * @health: a #GstVideoHealth
 *
 * What gst_video_health_set_coded() has set. Thread-safe.
 *
 * Returns: whether frames come from a coder; %FALSE unless it was set
 *
 * Since: 0.2
 */
gboolean
gst_video_health_get_coded (GstVideoHealth * health)
{
  gboolean coded;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);

  g_mutex_lock (&health->lock);
  coded = health->state.coded;
  g_mutex_unlock (&health->lock);
  return coded;
}

/**
 * gst_video_health_get_rule:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 * @enter: (out) (optional): the threshold that the value has to reach for
 *     @condition to begin, in the unit of the condition
 * @leave: (out) (optional): the threshold that the value has to pass, on the
 *     other side, for @condition to end; it is above @enter if small values are
 *     what is wrong
 * @duration: (out) (optional): how long the value has to be at or beyond
 *     @enter, in ns
 * @hold: (out) (optional): how long the value has to be beyond @leave, in ns
 *
 * The rule that @condition has now: what gst_video_health_set_rules() has set,
 * and the defaults for what it has not. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_get_rule (GstVideoHealth * health,
    GstVideoHealthCondition condition, gdouble * enter, gdouble * leave,
    GstClockTime * duration, GstClockTime * hold)
{
  VhHealthRule rule;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));
  g_return_if_fail ((guint) condition < VH_HEALTH_N);

  g_mutex_lock (&health->lock);
  rule = health->rules.of[condition];
  g_mutex_unlock (&health->lock);
  if (enter)
    *enter = rule.enter;
  if (leave)
    *leave = rule.leave;
  if (duration)
    *duration = rule.duration;
  if (hold)
    *hold = rule.hold;
}

/* What is judged by cells has to be counted in cells. Called with the lock. */
static gboolean
ignores_cells (GstVideoHealth * health, guint condition)
{
  return health->ignored.of[condition].n > 0
      && vh_health_conditions[condition].needs & GST_VIDEO_HEALTH_EVIDENCE_LUMA;
}

/**
 * gst_video_health_set_ignored:
 * @health: a #GstVideoHealth
 * @ignored: (nullable): rectangles, in #GstStructure's syntax, with `;` in
 *     between: `bright,x=0.8,y=0,width=0.2,height=0.2; all,x=0,y=0.9,width=0.3,
 *     height=0.1`; %NULL or an empty text for none
 *
 * Sets the parts of the picture that conditions are not judged by, such as a
 * clock or a lamp: up to 16 rectangles for each condition, or for `all` that
 * take any. Numbers are shares of the picture's width and height, 0 to 1, from
 * its upper left corner. `frozen` leaves out the pixels that a rectangle
 * touches if a #GstVideoHealthEngine compares the frames; a difference that is
 * added has to do so itself. The others leave out the cells of the grid, of 8x8
 * at most, that a rectangle touches, and are judged only if there is such a
 * grid and a cell is left. `signal-loss`, `banding` and the conditions of
 * chroma take no rectangles. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_PARSE and a message
 *     with a line for each fault, which says what is wrong and what is allowed;
 *     the rectangles are as before then
 *
 * Since: 0.2
 */
gboolean
gst_video_health_set_ignored (GstVideoHealth * health, const gchar * ignored,
    GError ** error)
{
  gboolean ok;
  guint i;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);

  g_mutex_lock (&health->lock);
  ok = vh_health_ignored_parse (&health->ignored, ignored, error);
  if (ok)
    clear_rest (health);
  for (i = 0; ok && i < VH_HEALTH_N; i++) {
    if (ignores_cells (health, i)) {
      health->rest[i] = g_new0 (VhHealthEvidence, 1);
      health->rest[i]->ignored = &health->ignored.of[i];
    }
  }
  g_mutex_unlock (&health->lock);
  return ok;
}

guint
vh_health_find_not_compared (GstVideoHealth * health, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED])
{
  guint n;

  g_mutex_lock (&health->lock);
  n = vh_health_areas_find_pixels
      (&health->ignored.of[GST_VIDEO_HEALTH_CONDITION_FROZEN], width, height,
      rects);
  g_mutex_unlock (&health->lock);
  return n;
}

/**
 * gst_video_health_get_evidence:
 * @health: a #GstVideoHealth
 *
 * What has to be added of each frame for all of the chosen conditions to be
 * judged. Thread-safe.
 *
 * Returns: a set of #GstVideoHealthEvidence
 *
 * Since: 0.2
 */
GstVideoHealthEvidence
gst_video_health_get_evidence (GstVideoHealth * health)
{
  guint conditions, needs = 0, i;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);

  g_mutex_lock (&health->lock);
  conditions = health->conditions;
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (conditions & BIT (i)) {
      needs |= vh_health_conditions[i].needs;
      if (ignores_cells (health, i))
        needs |= GST_VIDEO_HEALTH_EVIDENCE_CELLS;
    }
  }
  g_mutex_unlock (&health->lock);
  return needs;
}

/**
 * gst_video_health_add_histogram:
 * @health: a #GstVideoHealth
 * @histogram: a histogram of the next frame to be judged
 *
 * Adds luma and gradients of a frame, as far as they were counted. Several
 * histograms may be added, in different grids: the first one of 4x4 cells or
 * more tells what the cells have, the first one that there is what the picture
 * has, and any one of 16 rows or more what its rows have. Finer grids than 8x8
 * are put together. The range and the transfer function of
 * the histogram's colorimetry are used. A joint histogram of @histogram is
 * added, too, if gst_video_health_add_joint() knows its kind. Waits for a
 * pending histogram. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE if it says nothing: it has neither luma nor
 *     gradients, fewer than 16 bins, no pixel, or counting failed
 *
 * Since: 0.2
 */
gboolean
gst_video_health_add_histogram (GstVideoHealth * health,
    GstVideoHistogram * histogram)
{
  GstVideoJointHistogram *joint;
  gboolean ok;
  guint i;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);

  /* Nobody else has to wait meanwhile. */
  gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE);
  g_mutex_lock (&health->lock);
  ok = vh_health_evidence_add_luma (&health->evidence, &health->scale,
      histogram);
  ok = vh_health_evidence_add_gradient (&health->evidence, histogram) || ok;
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (health->rest[i]) {
      vh_health_evidence_add_luma (health->rest[i], &health->scale, histogram);
      vh_health_evidence_add_gradient (health->rest[i], histogram);
    }
  }
  g_mutex_unlock (&health->lock);

  joint = gst_video_histogram_get_joint (histogram);
  if (joint && gst_video_joint_histogram_get_kind (joint) !=
      GST_VIDEO_HISTOGRAM_JOINT_OTHER)
    gst_video_health_add_joint (health,
        gst_video_joint_histogram_get_kind (joint), joint);
  return ok;
}

/**
 * gst_video_health_add_joint:
 * @health: a #GstVideoHealth
 * @kind: what @joint is: %GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
 *     %GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, or %GST_VIDEO_HISTOGRAM_JOINT_OTHER
 *     for luma of the frame that gst_video_health_wants_frame() asked to keep
 *     against that of this one
 * @joint: a joint histogram of the next frame to be judged, with as many bins
 *     on both sides
 *
 * Adds what two values of each pixel say together. For `PREVIOUS` a histogram
 * of luma is added first, whose range and transfer function say what the bins
 * stand for. Waits for a pending histogram. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE if it says nothing: it has too few bins, no pixel,
 *     is of another kind, or counting failed
 *
 * Since: 0.2
 */
gboolean
gst_video_health_add_joint (GstVideoHealth * health,
    GstVideoHistogramJoint kind, GstVideoJointHistogram * joint)
{
  gboolean ok = FALSE;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
      || kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), FALSE);

  gst_video_joint_histogram_wait (joint, GST_CLOCK_TIME_NONE);
  g_mutex_lock (&health->lock);
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA)
    ok = vh_health_evidence_add_chroma (&health->evidence, &health->scale,
        joint);
  else if (kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS)
    ok = vh_health_evidence_add_previous (&health->evidence, &health->scale,
        joint);
  else if (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
    ok = vh_health_evidence_add_kept (&health->evidence, joint);
  g_mutex_unlock (&health->lock);
  return ok;
}

/**
 * gst_video_health_add_difference:
 * @health: a #GstVideoHealth
 * @difference: mean absolute difference of code values between the next frame
 *     to be judged and the one that gst_video_health_wants_frame() asked to
 *     keep, of all planes, divided by 2^depth: 0 to 1
 *
 * Adds how far a frame differs from another, as ffmpeg's freezedetect measures
 * it. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE if @difference is out of range or NaN
 *
 * Since: 0.2
 */
gboolean
gst_video_health_add_difference (GstVideoHealth * health, gdouble difference)
{
  gboolean ok;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);

  g_mutex_lock (&health->lock);
  ok = vh_health_evidence_add_difference (&health->evidence, difference);
  g_mutex_unlock (&health->lock);
  return ok;
}

void
vh_health_repeat_difference (GstVideoHealth * health)
{
  const VhHealthRun *run =
      &health->state.run[GST_VIDEO_HEALTH_CONDITION_FROZEN];

  g_mutex_lock (&health->lock);
  health->evidence.repeated = run->judged
      && vh_health_evidence_add_difference (&health->evidence, run->value);
  g_mutex_unlock (&health->lock);
}

void
vh_health_get_steps (GstVideoHealth * health, guint8 steps[VH_STEP_LEVELS])
{
  g_mutex_lock (&health->lock);
  if (!vh_health_find_steps (&health->scale, steps))
    memset (steps, VH_STEP_LEVELS, VH_STEP_LEVELS);
  g_mutex_unlock (&health->lock);
}

void
vh_health_add_zones (GstVideoHealth * health, GstVideoHistogram * histogram,
    const VhFrameZones * zones, guint wanted)
{
  const gdouble step = gst_video_histogram_get_bin_level (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, 1);
  guint i;

  g_mutex_lock (&health->lock);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_GRADIENT) {
    vh_health_evidence_add_textures (&health->evidence, zones, step);
    for (i = 0; i < VH_HEALTH_N; i++) {
      if (health->rest[i])
        vh_health_evidence_add_textures (health->rest[i], zones, step);
    }
  }
  vh_health_evidence_add_zones (&health->evidence, &health->scale, zones,
      wanted);
  g_mutex_unlock (&health->lock);
}

/* Whether any of the chosen conditions of @topic is so. */
static gboolean
topic_is_active (GstVideoHealth * health, const gchar * topic)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    if (health->conditions & BIT (i) && health->state.run[i].active
        && g_str_equal (vh_health_conditions[i].topic, topic))
      return TRUE;
  }
  return FALSE;
}

/* Called with the lock held. */
static void
add_change (gpointer user_data, GstVideoHealthCondition condition,
    GstClockTime time)
{
  GstVideoHealth *health = user_data;
  const VhHealthRun *run = &health->state.run[condition];
  const VhHealthRule *rule = &health->rules.of[condition];
  GstVideoHealthChange *change;

  GST_DEBUG ("%s is %s: %g", vh_health_conditions[condition].name,
      run->active ? "so" : "over", run->value);
  if (!(health->conditions & BIT (condition)))
    return;
  if (health->n_changes == MAX_CHANGES) {
    health->first_change = (health->first_change + 1) % MAX_CHANGES;
    health->n_changes--;
  }
  change = &health->changes[(health->first_change + health->n_changes++)
      % MAX_CHANGES];
  *change = (GstVideoHealthChange) {
    .condition = condition,
    .active = run->active,
    .value = run->value,
    .threshold = run->active ? rule->enter : rule->leave,
    .since = vh_health_state_get_time (&health->state, run->since, time),
    .time = time,
    .topic = vh_health_conditions[condition].topic,
  };
  change->topic_active = topic_is_active (health, change->topic);
}

static void
clear_evidence (GstVideoHealth * health)
{
  guint i;

  vh_health_evidence_clear (&health->evidence);
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (health->rest[i])
      vh_health_evidence_clear (health->rest[i]);
  }
}

/* The frame to compare with is the first of those that do not differ from
 * it. */
static gboolean
is_other_frame (GstVideoHealth * health)
{
  const guint frozen = GST_VIDEO_HEALTH_CONDITION_FROZEN;
  const VhHealthRun *run = &health->state.run[frozen];
  const VhHealthRule *rule = &health->rules.of[frozen];

  if (!run->judged)
    return TRUE;
  return run->active ? vh_health_is_past_leave (rule, TRUE, run->value) :
      !vh_health_is_past_enter (rule, TRUE, run->value);
}

/**
 * gst_video_health_judge:
 * @health: a #GstVideoHealth
 * @time: time of the frame in ns, such as its running time, or
 *     %GST_CLOCK_TIME_NONE if it has none: it is then that of the frame before
 * @real_time: when the frame was taken, in ns since 1970 UTC, to learn each
 *     hour of day by itself; or %GST_CLOCK_TIME_NONE if that is not known
 *
 * Judges the frame that was added, of which nothing is kept. If times jump,
 * back or by more than 10 s where frames come more often, the jump counts as
 * the step before it: durations go on. A frame of which nothing was added is a
 * frame: it ends `signal-loss`. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_judge (GstVideoHealth * health, GstClockTime time,
    GstClockTime real_time)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_state_judge (&health->state, &health->rules, &health->evidence,
      health->rest, time, real_time, add_change, health);
  health->wants_frame = is_other_frame (health);
  health->state.stillness->renewed = health->wants_frame;
  clear_evidence (health);
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_skip:
 * @health: a #GstVideoHealth
 * @time: time of the frame in ns, as for gst_video_health_judge()
 *
 * Tells that a frame came that is not judged, because not each one has to be:
 * it ends `signal-loss`, and nothing else is known of it. All other conditions,
 * what is about to begin or to end, and gst_video_health_get_value() stay as
 * the last frame that was judged has left them. What was added belongs to the
 * next frame that is judged. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_skip (GstVideoHealth * health, GstClockTime time)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_state_skip (&health->state, &health->rules, time, add_change,
      health);
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_tick:
 * @health: a #GstVideoHealth
 * @time: the time now in ns, as for gst_video_health_judge()
 *
 * Tells that it is that late, so that `signal-loss` can begin while no frame
 * comes. Without ticks it never does. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_tick (GstVideoHealth * health, GstClockTime time)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_state_tick (&health->state, &health->rules, time, add_change,
      health);
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_next_change:
 * @health: a #GstVideoHealth
 * @change: (out caller-allocates): where the change goes
 *
 * Fetches the oldest change that was not fetched before. The newest 256 are
 * kept. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE if there is none
 *
 * Since: 0.2
 */
gboolean
gst_video_health_next_change (GstVideoHealth * health,
    GstVideoHealthChange * change)
{
  gboolean there;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);
  g_return_val_if_fail (change != NULL, FALSE);

  g_mutex_lock (&health->lock);
  there = health->n_changes > 0;
  if (there) {
    *change = health->changes[health->first_change];
    health->first_change = (health->first_change + 1) % MAX_CHANGES;
    health->n_changes--;
  } else {
    memset (change, 0, sizeof (*change));
  }
  g_mutex_unlock (&health->lock);
  return there;
}

/**
 * gst_video_health_wants_frame:
 * @health: a #GstVideoHealth
 *
 * Whether the frame that was judged last is to be kept, in place of the one
 * that is: the following ones are compared with it, to find out whether the
 * picture is frozen. It is if it differs from the one that is kept, or was not
 * compared with any. Thread-safe.
 *
 * Returns: whether to keep that frame
 *
 * Since: 0.2
 */
gboolean
gst_video_health_wants_frame (GstVideoHealth * health)
{
  gboolean wants;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);

  g_mutex_lock (&health->lock);
  wants = health->wants_frame;
  g_mutex_unlock (&health->lock);
  return wants;
}

/**
 * gst_video_health_get_active:
 * @health: a #GstVideoHealth
 *
 * What is wrong now. Thread-safe.
 *
 * Returns: the chosen conditions that are so
 *
 * Since: 0.2
 */
GstVideoHealthConditions
gst_video_health_get_active (GstVideoHealth * health)
{
  guint active = 0, i;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);

  g_mutex_lock (&health->lock);
  for (i = 0; i < VH_HEALTH_N; i++)
    active |= health->state.run[i].active ? BIT (i) : 0;
  active &= health->conditions;
  g_mutex_unlock (&health->lock);
  return active;
}

/**
 * gst_video_health_get_judged:
 * @health: a #GstVideoHealth
 *
 * Which conditions the last frame was judged by, or for `signal-loss` the last
 * tick. Of the others nothing is known: what they need was not added, or is
 * still being learned. Thread-safe.
 *
 * Returns: the chosen conditions that were judged
 *
 * Since: 0.2
 */
GstVideoHealthConditions
gst_video_health_get_judged (GstVideoHealth * health)
{
  guint judged = 0, i;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);

  g_mutex_lock (&health->lock);
  for (i = 0; i < VH_HEALTH_N; i++)
    judged |= health->state.run[i].judged ? BIT (i) : 0;
  judged &= health->conditions;
  g_mutex_unlock (&health->lock);
  return judged;
}

/**
 * gst_video_health_get_value:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 * @value: (out): where the value goes, in the unit that
 *     gst_video_health_condition_get_unit() has
 *
 * The value that the last frame was judged by. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE if @condition was not judged
 *
 * Since: 0.2
 */
gboolean
gst_video_health_get_value (GstVideoHealth * health,
    GstVideoHealthCondition condition, gdouble * value)
{
  gboolean judged;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  g_mutex_lock (&health->lock);
  judged = health->state.run[condition].judged
      && health->conditions & BIT (condition);
  *value = judged ? health->state.run[condition].value : 0;
  g_mutex_unlock (&health->lock);
  return judged;
}

/**
 * gst_video_health_restart:
 * @health: a #GstVideoHealth
 *
 * Tells that the next frame does not continue the ones before, because the
 * video or its times have changed. What is about to begin or to end begins
 * anew, what is so stays so, and gst_video_health_wants_frame() is %TRUE.
 * Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_restart (GstVideoHealth * health)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_state_restart (&health->state);
  clear_evidence (health);
  health->wants_frame = TRUE;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_reset:
 * @health: a #GstVideoHealth
 *
 * Forgets all but the reference, as for a new stream of the same camera:
 * nothing is wrong, and there are no changes to fetch. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_reset (GstVideoHealth * health)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_state_reset (&health->state);
  health->n_changes = 0;
  health->wants_frame = TRUE;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_forget:
 * @health: a #GstVideoHealth
 *
 * Forgets the reference, as for a camera that was moved on purpose: what it
 * shows now is learned. `blurry`, `low-contrast`, `covered`, `moved` and
 * `color-cast` are over without a change, and are judged again, against that
 * once it is learned. Thread-safe.
 *
 * Since: 0.2
 */
void
gst_video_health_forget (GstVideoHealth * health)
{
  guint i;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_reference_clear (&health->state.reference);
  for (i = 0; i < VH_HEALTH_N; i++) {
    if (vh_health_conditions[i].learned)
      vh_health_run_init (&health->state.run[i]);
  }
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_save:
 * @health: a #GstVideoHealth
 *
 * All that is remembered of the frames that were judged: what is wrong and
 * since when, what is about to begin, and the reference. Rules, conditions,
 * changes that were not fetched, and what was added of a frame that is not
 * judged yet are not in it. Thread-safe.
 *
 * Returns: (transfer full): a variant of type `a{sv}`, up to about 100 KiB, to
 *     be stored as bytes or as text
 *
 * Since: 0.2
 */
GVariant *
gst_video_health_save (GstVideoHealth * health)
{
  GVariant *state;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);

  g_mutex_lock (&health->lock);
  state = g_variant_ref_sink (vh_health_state_save (&health->state));
  g_mutex_unlock (&health->lock);
  return state;
}

/**
 * gst_video_health_restore:
 * @health: a #GstVideoHealth
 * @state: what gst_video_health_save() returned, which may have been damaged
 *
 * Goes on where another one was: with the same rules and frames, the same
 * changes follow. If times begin anew, as those of a restarted program do, only
 * what is wrong and the reference matter. Thread-safe.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_PARSE if @state is
 *     no such state; @health is as before then
 *
 * Since: 0.2
 */
gboolean
gst_video_health_restore (GstVideoHealth * health, GVariant * state,
    GError ** error)
{
  gboolean ok;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), FALSE);
  g_return_val_if_fail (state != NULL, FALSE);

  g_mutex_lock (&health->lock);
  ok = vh_health_state_restore (&health->state, state, error);
  if (ok) {
    health->n_changes = 0;
    health->wants_frame = is_other_frame (health);
    health->state.stillness->renewed = health->wants_frame;
  }
  g_mutex_unlock (&health->lock);
  return ok;
}
