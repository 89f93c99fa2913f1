/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoHealth:
 *
 * Judges the picture of one camera.
 *
 * It looks at the histograms of frames and reports when a condition, such as
 * `dark` or `frozen`, starts and ends. It needs no pipeline, no clock and no
 * thread. For each frame, add what was measured, judge it with its time, and
 * fetch the changes:
 *
 * |[<!-- language="C" -->
 * gst_video_health_add_histogram (health, histogram);
 * gst_video_health_judge (health, running_time, GST_CLOCK_TIME_NONE);
 * while (gst_video_health_next_change (health, &change))
 *   g_print ("%s %s\n", gst_video_health_condition_get_name (change.condition),
 *       change.active ? "starts" : "ends");
 * ]|
 *
 * A #GstVideoHealthEngine does all of this for frames in buffers.
 *
 * The same frames and times always give the same changes. A condition that
 * cannot be judged, because a measurement is missing, stays as it was.
 *
 * docs/videohealth.md defines the conditions, their values and their units,
 * and names the standards behind them.
 *
 * All functions may be called from any thread. What you add belongs to the
 * next frame that is judged, so add and judge in the same thread; ticks may
 * come from another.
 *
 * Since: 0.2
 */
#include "gst/videohistogram/gstvideohealth.h"
#include "gstvideohealth-private.h"
#include "healthignored.h"
#include "healthsave.h"
#include "healthzones.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "core/log.h"

#define ALL GST_VIDEO_HEALTH_CONDITIONS_ALL
#define BIT(condition) (1u << (condition))

/* At most this many changes are kept until they are fetched: the newest
 * ones. */
#define MAX_CHANGES 256

G_STATIC_ASSERT (VH_HEALTH_VIEWS == GST_VIDEO_HEALTH_MAX_VIEWS);

struct _GstVideoHealth
{
  GObject parent;

  GMutex lock;
  /* protected by lock */
  guint conditions;             /* that are reported, a bit each */
  VhHealthRules rules;
  VhHealthScale scale;
  VhHealthEvidence evidence;    /* of the next frame */
  VhHealthIgnored ignored;
  VhHealthEvidence *rest[VH_HEALTH_N];  /* the same without ignored parts, for
                                         * conditions that ignore some */
  VhHealthState state;
  gboolean wants_frame;
  /* A ring, on the heap: a GObject has at most 64 KiB. */
  GstVideoHealthChange *changes;
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
  g_free (health->changes);
  g_free (health->evidence.part);
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
  health->changes = g_new0 (GstVideoHealthChange, MAX_CHANGES);
  vh_health_rules_init (&health->rules);
  vh_health_state_init (&health->state);
  health->state.reported = ALL;
  health->state.not_compared =
      &health->ignored.of[GST_VIDEO_HEALTH_CONDITION_FROZEN];
}

/**
 * gst_video_health_new:
 *
 * Creates an object that judges one camera, with all conditions and the
 * default rules of docs/videohealth.md. May be called from any thread.
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
 * @conditions: the conditions to report
 *
 * Selects the conditions to report. A condition that is added or removed
 * starts from the inactive state, without a change to fetch.
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
  health->conditions = health->state.reported = conditions;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_get_conditions:
 * @health: a #GstVideoHealth
 *
 * Returns the conditions that are reported.
 *
 * Returns: the set of gst_video_health_set_conditions(), by default all
 *     conditions
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
 * @rules: (nullable): rules in the syntax of #GstStructure, separated by `;`:
 *     `black,enter=0.98,leave=0.97,duration=2s,hold=500ms; dark,enter=0.95`.
 *     Conditions and fields that are left out have the defaults of
 *     docs/videohealth.md; %NULL or an empty string resets all rules to them
 * @error: return location for a #GError, or %NULL
 *
 * Sets when conditions start and end. A condition starts when its value has
 * been at or beyond `enter` for `duration`. It ends when its value has been on
 * the other side of `leave` for `hold`. Thresholds are in the unit of the
 * condition. Times have a unit, `ns`, `us`, `ms`, `s`, `min` or `h`, and are 0
 * or 1 ms to 24 h. Active conditions stay active until frames end them.
 *
 * In place of numbers, `sensitivity=low`, `medium` or `high` chooses them, for
 * a condition or, in an entry `all`, for those that do not say theirs:
 * `all,sensitivity=low; moved,sensitivity=high,duration=1min`. Numbers take
 * precedence.
 *
 * If @rules is not valid, the error is %GST_VIDEO_HISTOGRAM_ERROR_PARSE and
 * the rules do not change. The message has a line for each fault, which says
 * what is wrong and what is allowed.
 *
 * Returns: %TRUE if the rules were set, %FALSE with @error set otherwise
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
 * Returns the rules of all conditions in the syntax of
 * gst_video_health_set_rules(). Use gst_video_health_get_rule() to read the
 * numbers of a rule.
 *
 * Returns: (transfer full): the rules, to be freed with g_free()
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
 * @coded: %TRUE if the frames come from a lossy decoder
 *
 * Sets whether frames were compressed with loss, such as by H.264 or JPEG.
 * Between key frames, encoders leave out small changes, so a working camera
 * may show exactly the same picture for seconds while nothing moves. With
 * %TRUE, `frozen` learns for each camera how long this lasts and how small its
 * changes get: docs/videohealth.md has the rule. For this it needs the
 * difference and luma in a grid of cells, which a #GstVideoHealthEngine adds.
 * The element `videohealth` calls this function itself.
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
 * Returns the value that gst_video_health_set_coded() has set.
 *
 * Returns: %TRUE if frames come from a lossy decoder, by default %FALSE
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
 * gst_video_health_set_views:
 * @health: a #GstVideoHealth
 * @views: how many views the camera has, 1 to %GST_VIDEO_HEALTH_MAX_VIEWS
 *
 * Sets how many views to learn of a camera that goes on a tour of several
 * positions. Each frame is compared with the view that it shows; `moved` starts
 * once the picture shows none of them for longer than a camera takes to travel.
 * New views are learned until @views are known, so set the number that the tour
 * has. If more views are known than @views, all except the view that the camera
 * shows are forgotten.
 *
 * Since: 0.2
 */
void
gst_video_health_set_views (GstVideoHealth * health, guint views)
{
  VhHealthTour *tour;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));
  g_return_if_fail (views >= 1 && views <= GST_VIDEO_HEALTH_MAX_VIEWS);

  g_mutex_lock (&health->lock);
  tour = health->state.tour;
  if (views < tour->n)
    vh_health_tour_clear (tour);
  tour->most = views;
  g_mutex_unlock (&health->lock);
}

/**
 * gst_video_health_get_views:
 * @health: a #GstVideoHealth
 *
 * Returns how many views are learned.
 *
 * Returns: the number of gst_video_health_set_views(), by default 1
 *
 * Since: 0.2
 */
guint
gst_video_health_get_views (GstVideoHealth * health)
{
  guint views;

  vh_return_val_unless_initialized (NULL, 1);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 1);

  g_mutex_lock (&health->lock);
  views = health->state.tour->most;
  g_mutex_unlock (&health->lock);
  return views;
}

/**
 * gst_video_health_get_rule:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 * @enter: (out) (optional): the threshold that the value must reach for
 *     @condition to start, in the unit of the condition
 * @leave: (out) (optional): the threshold that the value must pass, on the
 *     other side, for @condition to end, in the unit of the condition; it is
 *     above @enter where small values are bad
 * @duration: (out) (optional): how long the value must be at or beyond @enter,
 *     in ns
 * @hold: (out) (optional): how long the value must be beyond @leave, in ns
 *
 * Returns the current rule of a condition, including defaults.
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

/* A time of a condition, in ns. */
typedef GstClockTime (*FindTime) (const GstVideoHealth * health,
    GstVideoHealthCondition condition);

static GstClockTime
get_time (GstVideoHealth * health, GstVideoHealthCondition condition,
    FindTime find)
{
  GstClockTime time;

  g_mutex_lock (&health->lock);
  time = find (health, condition);
  g_mutex_unlock (&health->lock);
  return time;
}

static GstClockTime
find_duration (const GstVideoHealth * health, GstVideoHealthCondition condition)
{
  return MAX (health->rules.of[condition].duration,
      health->state.run[condition].delay);
}

static GstClockTime
find_hold (const GstVideoHealth * health, GstVideoHealthCondition condition)
{
  return MAX (health->rules.of[condition].hold,
      health->state.run[condition].hold);
}

static GstClockTime
find_pending (const GstVideoHealth * health, GstVideoHealthCondition condition)
{
  return health->conditions & BIT (condition)
      && health->state.run[condition].judged ?
      vh_health_state_get_pending (&health->state, condition) : 0;
}

/**
 * gst_video_health_get_duration:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns how long the value must stay past `enter` before the condition
 * starts: the duration of its rule, or longer for
 * %GST_VIDEO_HEALTH_CONDITION_DARK, while the camera may have a night mode that
 * it takes a while to switch to.
 *
 * Returns: the time in ns
 *
 * Since: 0.2
 */
GstClockTime
gst_video_health_get_duration (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, 0);

  return get_time (health, condition, find_duration);
}

/**
 * gst_video_health_get_hold:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns how long the value must stay past `leave` before the condition ends:
 * the hold of its rule, or longer for %GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN
 * and, of coded video, for %GST_VIDEO_HEALTH_CONDITION_FROZEN, by what is usual
 * for the camera.
 *
 * Returns: the time in ns
 *
 * Since: 0.2
 */
GstClockTime
gst_video_health_get_hold (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, 0);

  return get_time (health, condition, find_hold);
}

/**
 * gst_video_health_get_pending:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns how long the value has been past `enter` while @condition has not
 * started: it starts when this reaches gst_video_health_get_duration(), unless
 * something else may explain the value. Frames between the two thresholds do
 * not count.
 *
 * Returns: the time until the last judged frame in ns; 0 if its value was not
 *     past `enter` or has just passed it, or if @condition is active, was not
 *     judged or is not selected
 *
 * Since: 0.2
 */
GstClockTime
gst_video_health_get_pending (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, 0);

  return get_time (health, condition, find_pending);
}

/* Whether @condition ignores parts of the picture, so frames must be counted in
 * cells. Called with the lock. */
static gboolean
ignores_cells (GstVideoHealth * health, guint condition)
{
  return health->ignored.of[condition].n > 0
      && vh_health_conditions[condition].needs & GST_VIDEO_HEALTH_EVIDENCE_LUMA;
}

/**
 * gst_video_health_set_ignored:
 * @health: a #GstVideoHealth
 * @ignored: (nullable): rectangles in the syntax of #GstStructure, separated
 *     by `;`: `bright,x=0.8,y=0,width=0.2,height=0.2;
 *     all,x=0,y=0.9,width=0.3,height=0.1`; %NULL or an empty string for no
 *     rectangles
 * @error: return location for a #GError, or %NULL
 *
 * Sets parts of the picture to ignore, such as a clock or a lamp: up to 16
 * rectangles for each condition, or for `all` conditions that take rectangles.
 * Numbers are shares of the width and height of the picture, 0 to 1, from its
 * top left corner.
 *
 * For `frozen`, the pixels that a rectangle touches are left out if a
 * #GstVideoHealthEngine compares the frames; if you add the difference
 * yourself, leave them out there. All other conditions leave out the cells of
 * the grid, at most 8×8, that a rectangle touches. They are judged only if
 * there is such a grid and at least one cell remains. `signal-loss`, `banding`,
 * `corrupted`, `noisy`, `hunting`, `looping`, `drifting`, `nudged`, `striped`,
 * `partly-frozen`, `shaking`, `blocky` and the conditions of chroma take no
 * rectangles.
 *
 * If @ignored is not valid, the error is %GST_VIDEO_HISTOGRAM_ERROR_PARSE and
 * the rectangles do not change. The message has a line for each fault, which
 * says what is wrong and what is allowed.
 *
 * Returns: %TRUE if the rectangles were set, %FALSE with @error set otherwise
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

gboolean
vh_health_ignores_cells (GstVideoHealth * health)
{
  gboolean ignores = FALSE;
  guint i;

  g_mutex_lock (&health->lock);
  for (i = 0; i < VH_HEALTH_N; i++)
    ignores |= health->conditions & BIT (i) && ignores_cells (health, i);
  g_mutex_unlock (&health->lock);
  return ignores;
}

/**
 * gst_video_health_get_evidence:
 * @health: a #GstVideoHealth
 *
 * Returns what to add for each frame so that all selected conditions can be
 * judged.
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
 * @histogram: (transfer none): a histogram of the next frame to judge
 *
 * Adds luma and gradients of a frame, if they were counted. You may add
 * several histograms with different grids. The first with at least 4×4 cells
 * is used for cells, the first of all for the whole picture, and any with at
 * least 16 rows for rows. Grids finer than 8×8 are merged. Range and transfer
 * function come from the histogram's colorimetry. A joint histogram of
 * @histogram is added as well, if gst_video_health_add_joint() takes its kind.
 * Waits if @histogram is pending.
 *
 * Returns: %TRUE, or %FALSE if the histogram cannot be used: it has neither
 *     luma nor gradients, fewer than 16 bins or no pixels, or counting failed
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

  /* Waits without the lock, so that other threads need not wait. */
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
 * @kind: the kind of @joint: %GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
 *     %GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, or %GST_VIDEO_HISTOGRAM_JOINT_OTHER
 *     for luma of this frame against luma of the frame that
 *     gst_video_health_wants_frame() asked you to keep
 * @joint: (transfer none): a joint histogram of the next frame to judge, with
 *     the same number of bins on both sides
 *
 * Adds a joint histogram of a frame. For %GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS,
 * first add a histogram of luma: its range and transfer function are used for
 * the bins. Waits if @joint is pending.
 *
 * Returns: %TRUE, or %FALSE if the joint histogram cannot be used: it has too
 *     few bins, no pixels or another kind, or counting failed
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
 * @difference: mean absolute difference of code values over all planes,
 *     divided by 2^depth, 0 to 1
 *
 * Adds the difference between the next frame to judge and the frame that
 * gst_video_health_wants_frame() asked you to keep, as ffmpeg's freezedetect
 * measures it.
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

/**
 * gst_video_health_add_corrupted:
 * @health: a #GstVideoHealth
 * @corrupted: whether a frame is damaged: its buffer has
 *     %GST_BUFFER_FLAG_CORRUPTED, or data that it was decoded from was lost
 *
 * Adds whether a frame is damaged, for `corrupted`. Call it for each frame that
 * arrives, also for frames that are not judged: these count together with the
 * next frame that is.
 *
 * Since: 0.2
 */
void
gst_video_health_add_corrupted (GstVideoHealth * health, gboolean corrupted)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH (health));

  g_mutex_lock (&health->lock);
  vh_health_evidence_add_corrupted (&health->evidence, corrupted);
  g_mutex_unlock (&health->lock);
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
vh_health_add_zones (GstVideoHealth * health, const VhHealthScale * scale,
    const VhFrameZones * zones, guint wanted)
{
  guint i;

  g_mutex_lock (&health->lock);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_CELLS)
    vh_health_evidence_add_levels (&health->evidence, scale, zones);
  if (wanted & GST_VIDEO_HEALTH_EVIDENCE_GRADIENT && zones->luma) {
    vh_health_evidence_add_textures (&health->evidence, scale, zones);
    for (i = 0; i < VH_HEALTH_N; i++) {
      if (health->rest[i])
        vh_health_evidence_add_textures (health->rest[i], scale, zones);
    }
  }
  vh_health_evidence_add_zones (&health->evidence, scale, zones, wanted);
  g_mutex_unlock (&health->lock);
}

/* Whether any of the chosen conditions of @topic is active. */
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
  const gboolean left = !run->active && vh_health_is_past_leave (rule,
      vh_health_conditions[condition].below, run->value);
  GstVideoHealthChange *change;

  GST_DEBUG ("%s %s: %g", vh_health_conditions[condition].name,
      run->active ? "started" : "ended", run->value);
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
    .threshold = left ? rule->leave : rule->enter,
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

/* Whether the frame differs from the kept one: in a freeze, the kept frame is
 * the first. */
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
 *     %GST_CLOCK_TIME_NONE to use the time of the previous frame
 * @real_time: when the frame was captured, in ns since 1970 UTC, to learn each
 *     hour of the day separately, or %GST_CLOCK_TIME_NONE if unknown
 *
 * Judges the frame whose measurements were added, and discards the
 * measurements. The time may jump: back, or ahead by more than 10 s where
 * frames usually come more often. A jump counts as a step of the same length as
 * the previous one, and durations continue. A frame without measurements still
 * shows that the signal is present: it ends `signal-loss`.
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
 * Reports a frame that is not judged. Call it when you judge only some of the
 * frames. The frame ends `signal-loss`. All other conditions, including those
 * about to start or end, and gst_video_health_get_value() stay as the last
 * judged frame left them. Measurements that were added belong to the next
 * frame that is judged.
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
 * @time: the current time in ns, on the same clock as for
 *     gst_video_health_judge()
 *
 * Reports the current time, so that `signal-loss` can start while no frames
 * arrive. Without ticks it never starts.
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
 * @change: (out caller-allocates): the #GstVideoHealthChange to fill in
 *
 * Fetches the oldest change that was not fetched yet. The latest 256 changes
 * are kept.
 *
 * Returns: %TRUE, or %FALSE if there is no change
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
 * Returns whether you should keep the frame that was judged last, instead of
 * the frame that you kept before. The next frames are compared with the kept
 * frame, to detect that the picture is frozen. Keep a frame if it differs from
 * the kept frame or was not compared.
 *
 * Returns: %TRUE to keep the last frame
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
 * Returns which of the selected conditions are active.
 *
 * Returns: the active conditions
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
 * Returns which of the selected conditions were judged for the last frame, or
 * for `signal-loss` at the last tick. The others are unknown: a measurement
 * was not added, or their reference is still being learned.
 *
 * Returns: the conditions that were judged
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
 * @value: (out): the value, in the unit of
 *     gst_video_health_condition_get_unit()
 *
 * Returns the value by which the last frame was judged.
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
 * gst_video_health_get_unknown_reason:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns why a condition is not known for the last frame:
 *
 * - `not-measured`: a measurement was not added
 * - `learning`: the reference is still being learned
 * - `too-early`: it has not been watched for long enough
 * - `too-few-frames`: frames are too far apart
 * - `no-motion`: nothing moves that could repeat itself
 * - `too-dark`: there is too little light to compare the picture
 * - `no-pattern`: the picture looks the same everywhere
 * - `no-contents`: the picture has too few details
 * - `hidden`: something hides a part of the view, and may have another color
 * - `between-views`: the camera travels from one view of its tour to another
 *
 * Later versions may add reasons.
 *
 * Returns: (nullable): a static string, or %NULL if @condition was judged, or
 *     is not selected
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_get_unknown_reason (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  const gchar *reason = NULL;
  const VhHealthRun *run;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  g_mutex_lock (&health->lock);
  run = &health->state.run[condition];
  if (!run->judged && health->conditions & BIT (condition))
    reason = run->unknown ? run->unknown : VH_UNKNOWN_NOT_MEASURED;
  g_mutex_unlock (&health->lock);
  return reason;
}

/**
 * gst_video_health_get_detail:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns what else the last judged frame shows of a condition, for people:
 * where %GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED shows, such as `the lower left
 * part`; or how %GST_VIDEO_HEALTH_CONDITION_COLOR_CAST does, such as `too
 * green`, or %GST_VIDEO_HEALTH_CONDITION_NUDGED, such as `shifted to the left
 * by 7 % of its width`. %GST_VIDEO_HEALTH_CONDITION_FROZEN has a detail only if
 * the video is coded, and was judged: then thresholds have no effect.
 *
 * Returns: (nullable): a static string, or %NULL if there is nothing to say
 *
 * Since: 0.2
 */
const gchar *
gst_video_health_get_detail (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  const gchar *detail = NULL;
  const VhHealthRun *run;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, NULL);

  g_mutex_lock (&health->lock);
  run = &health->state.run[condition];
  if (run->judged && health->conditions & BIT (condition))
    detail = run->detail;
  g_mutex_unlock (&health->lock);
  return detail;
}

/**
 * gst_video_health_get_held_back_by:
 * @health: a #GstVideoHealth
 * @condition: a #GstVideoHealthCondition
 *
 * Returns the active conditions that explain the value that @condition had in
 * the last judged frame. While one of them is active, @condition does not
 * start: a black picture, for example, is also blurry.
 *
 * Returns: the conditions; none if @condition may start, is active, was not
 *     judged, or is not selected
 *
 * Since: 0.2
 */
GstVideoHealthConditions
gst_video_health_get_held_back_by (GstVideoHealth * health,
    GstVideoHealthCondition condition)
{
  GstVideoHealthConditions conditions = 0;
  const VhHealthRun *run;

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), 0);
  g_return_val_if_fail ((guint) condition < VH_HEALTH_N, 0);

  g_mutex_lock (&health->lock);
  run = &health->state.run[condition];
  if (run->judged && !run->active && health->conditions & BIT (condition))
    conditions = run->held_back & health->conditions;
  g_mutex_unlock (&health->lock);
  return conditions;
}

/**
 * gst_video_health_restart:
 * @health: a #GstVideoHealth
 *
 * Reports that the next frame does not continue the previous ones, because the
 * video or its times have changed. Conditions that are about to start or end
 * start their durations again, active conditions stay active, and
 * gst_video_health_wants_frame() becomes %TRUE.
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
 * Forgets everything except the reference, as for a new stream of the same
 * camera. No condition is active, and there are no changes to fetch.
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
 * Discards the learned reference, with all views, as after moving a camera on
 * purpose. The current picture is learned as the new reference. `blurry`,
 * `low-contrast`, `covered`, `obstructed`, `moved`, `nudged`, `color-cast`,
 * `drifting`, `glare` and `blocky` become inactive, without a change to fetch,
 * and are judged again as soon as the new reference is learned.
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
  vh_health_churn_init (health->state.churn);
  vh_health_blocks_init (health->state.blocks);
  vh_health_shift_clear (health->state.shift);
  vh_health_tour_clear (health->state.tour);
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
 * Saves what is remembered of the judged frames: active conditions and since
 * when, conditions that are about to start, and the reference. The state does
 * not include rules, the selection of conditions, ignored rectangles, changes
 * that were not fetched, and measurements of a frame that is not judged yet.
 *
 * Returns: (transfer full): the state, a variant of type `a{sv}` of up to
 *     136 KB, and 109 KB more for each further view, to be stored as bytes or
 *     as text; drop the reference with g_variant_unref()
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
 * @state: a state from gst_video_health_save(), which may be damaged
 * @error: return location for a #GError, or %NULL
 *
 * Continues from a saved state: with the same rules and frames, the same
 * changes follow. If times start again, as in a restarted program, only active
 * conditions and the reference have an effect.
 *
 * If @state is not a saved state, the error is
 * %GST_VIDEO_HISTOGRAM_ERROR_PARSE and @health does not change.
 *
 * Returns: %TRUE if the state was restored, %FALSE with @error set otherwise
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
