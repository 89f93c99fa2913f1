/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoHealthEngine:
 *
 * Judges frames in buffers.
 *
 * An engine counts what a #GstVideoHealth needs of each frame and has the
 * frame judged, as the element `videohealth` does. A #GstVideoHistogramEngine
 * counts the frames, on the CPU or a GPU. You open and close it. To use it for
 * something else, also for another #GstVideoHealthEngine, configure it for that
 * first; then gst_video_health_engine_submit() fails until you call
 * gst_video_health_engine_configure() again:
 *
 * |[<!-- language="C" -->
 * gst_video_histogram_engine_open (counting, GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
 *     -1, NULL, &error);
 * engine = gst_video_health_engine_new (health, counting);
 * gst_video_health_engine_configure (engine, caps, &error);
 * ...
 * gst_video_health_engine_finish (engine, GST_CLOCK_TIME_NONE);
 * gst_video_health_engine_submit (engine, buffer, running_time,
 *     GST_CLOCK_TIME_NONE, &error);
 * while (gst_video_health_next_change (health, &change))
 *   ...
 * ]|
 *
 * A GPU counts a frame while the caller continues. There is at most one such
 * frame: the previous frame must be judged first, because this decides what
 * the next one is compared with. The same frames therefore give the same
 * changes, wherever they are counted.
 *
 * An engine is used by one thread at a time.
 *
 * Since: 0.2
 */
#include "gst/videohistogram/gstvideohealthengine.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "gstvideohealth-private.h"
#include "healthzones.h"
#include "gst/videohistogram/engine/enginedifference.h"
#include "gst/videohistogram/engine/enginemeter.h"
#include "gst/videohistogram/engine/enginespec.h"
#include "gst/videohistogram/engine/gstvideohistogramengine-private.h"
#include "core/error.h"

#include <string.h>

/* Joint histograms are square, and each bin has a whole number of 8-bit code
 * values. */
#define CHROMA_BINS 128
#define PREVIOUS_BINS 128

#define CELLS 8
#define BANDS GST_VIDEO_HISTOGRAM_MAX_GRID

/* Which field a buffer has. */
typedef enum
{
  FIELD_NONE,
  FIELD_TOP,
  FIELD_BOTTOM,
} Field;

/* Two fields of the same parity in a row mean that a field was lost; this many
 * in a row of the parity that is not compared mean that the compared parity no
 * longer arrives. */
#define MAX_OTHERS 3

struct _GstVideoHealthEngine
{
  GObject parent;

  GstVideoHealth *health;
  GstVideoHistogramEngine *counting;
  VhComparing *comparing;       /* tasks of counting */
  VhMeasuring *measuring;

  GstCaps *caps;                /* it is configured for, or NULL */
  GstVideoHealthEvidence needs; /* it is configured for */
  gboolean ignores_cells;       /* likewise */
  VhHealthScale scale;          /* of luma of caps */
  guint8 steps[VH_STEP_LEVELS]; /* of luma, in that scale */
  guint width, height;          /* of a picture of caps */
  gboolean alternates;          /* buffers are fields */
  guint n_specs;                /* of results; 0: nothing is counted */

  /* the frame that is being counted */
  gboolean in_flight;
  VhEngineResult results[VH_ENGINE_MAX_SPECS];
  VhFrameDifference difference;
  VhFrameZones zones;
  GstClockTime time, real_time;
  Field field;                  /* if fields alternate */

  Field compared;               /* fields of this parity are compared */
  guint n_others;               /* fields of the other parity in a row */

  guint64 n_failed;             /* frames judged without their counts */
};

G_DEFINE_TYPE (GstVideoHealthEngine, gst_video_health_engine, G_TYPE_OBJECT);

static void
drop_frame (GstVideoHealthEngine * engine)
{
  guint i;

  for (i = 0; i < VH_ENGINE_MAX_SPECS; i++)
    vh_engine_result_clear (&engine->results[i]);
  vh_frame_difference_clear (&engine->difference);
  vh_frame_zones_clear (&engine->zones);
  engine->in_flight = FALSE;
}

static void
gst_video_health_engine_finalize (GObject * object)
{
  GstVideoHealthEngine *engine = GST_VIDEO_HEALTH_ENGINE (object);

  drop_frame (engine);
  /* A task would use tables that are freed here. Without gst_init() there is no
   * counting engine. */
  if (engine->counting && engine->counting->owner == engine)
    vh_engine_disown (engine->counting);
  vh_health_scale_clear (&engine->scale);
  gst_caps_replace (&engine->caps, NULL);
  vh_task_unref (engine->comparing);
  vh_task_unref (engine->measuring);
  g_object_unref (engine->counting);
  g_object_unref (engine->health);
  G_OBJECT_CLASS (gst_video_health_engine_parent_class)->finalize (object);
}

static void
gst_video_health_engine_class_init (GstVideoHealthEngineClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_health_engine_finalize;
}

static void
gst_video_health_engine_init (GstVideoHealthEngine * engine)
{
  engine->comparing = vh_comparing_new ();
  engine->measuring = vh_measuring_new ();
  engine->time = engine->real_time = GST_CLOCK_TIME_NONE;
}

/**
 * gst_video_health_engine_new:
 * @health: (transfer none): the #GstVideoHealth that judges the frames
 * @engine: (transfer none): the #GstVideoHistogramEngine that counts them
 *
 * Creates an engine, which takes references to @health and @engine. May be
 * called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoHealthEngine, not configured
 *
 * Since: 0.2
 */
GstVideoHealthEngine *
gst_video_health_engine_new (GstVideoHealth * health,
    GstVideoHistogramEngine * engine)
{
  GstVideoHealthEngine *self;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH (health), NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  self = g_object_new (GST_TYPE_VIDEO_HEALTH_ENGINE, NULL);
  self->health = g_object_ref (health);
  self->counting = g_object_ref (engine);
  return self;
}

/* The evidence that the chosen conditions need, and that is counted. Flashes
 * smaller than a cell only show when pixels are compared; how much contrast is
 * left only shows in cells, and damage in cells and rows. */
static GstVideoHealthEvidence
get_needs (GstVideoHealth * health)
{
  GstVideoHealthEvidence needs = gst_video_health_get_evidence (health);

  if (gst_video_health_get_conditions (health) &
      GST_VIDEO_HEALTH_CONDITIONS_FLASHING)
    needs |= GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS |
        GST_VIDEO_HEALTH_EVIDENCE_CELLS;
  if (gst_video_health_get_conditions (health) &
      GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST
      || (gst_video_health_get_coded (health)
          && gst_video_health_get_conditions (health) &
          GST_VIDEO_HEALTH_CONDITIONS_FROZEN))
    needs |= GST_VIDEO_HEALTH_EVIDENCE_CELLS;
  if (gst_video_health_get_conditions (health) &
      GST_VIDEO_HEALTH_CONDITIONS_CORRUPTED)
    needs |= GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_CELLS |
        GST_VIDEO_HEALTH_EVIDENCE_ROWS | GST_VIDEO_HEALTH_EVIDENCE_PARTS;
  return needs & ~GST_VIDEO_HEALTH_EVIDENCE_CORRUPTED;
}

G_STATIC_ASSERT (VH_ENGINE_MAX_TASKS >= 2);

static GstVideoHistogramSpec *
add_spec (VhEngineWork * work)
{
  GstVideoHistogramSpec *spec = &work->specs[work->n_specs++];

  gst_video_histogram_spec_init (spec);
  return spec;
}

/* Luma is counted, and in cells if some of them are ignored: then percentiles
 * of the others are needed. For the other evidence it is enough to measure
 * frames, unless metas already have the histograms. Luma is counted even for
 * `frozen` alone, which must not start while the picture is black. */
static void
choose_work (GstVideoHealthEngine * engine, GstVideoHealthEvidence needs,
    VhEngineWork * work)
{
  VhMeasuring *measuring = engine->measuring;
  const gboolean in_cells = (needs & GST_VIDEO_HEALTH_EVIDENCE_CELLS) != 0;
  GstVideoHistogramSpec *spec;

  measuring->cells = in_cells && !engine->ignores_cells;
  measuring->chroma = (needs & GST_VIDEO_HEALTH_EVIDENCE_CHROMA) != 0;
  measuring->changes = (needs & GST_VIDEO_HEALTH_EVIDENCE_NOISE) != 0;
  measuring->parts = (needs & GST_VIDEO_HEALTH_EVIDENCE_PARTS) != 0;
  *work = (VhEngineWork) {
    .owner = engine,
    .cells_measured = measuring->cells,
    .chroma_measured = measuring->chroma,
  };
  if (!needs)
    return;
  spec = add_spec (work);
  if (in_cells)
    spec->columns = spec->rows = CELLS;
  if (needs & GST_VIDEO_HEALTH_EVIDENCE_CHROMA) {
    spec->joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
    spec->joint_bins = CHROMA_BINS;
  }

  if (needs & GST_VIDEO_HEALTH_EVIDENCE_GRADIENT) {
    spec = add_spec (work);
    spec->channels = GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
    if (in_cells)
      spec->columns = spec->rows = CELLS;
  }
  if (needs & (GST_VIDEO_HEALTH_EVIDENCE_ROWS |
          GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS)) {
    spec = add_spec (work);
    spec->rows = BANDS;
    if (needs & GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS) {
      spec->joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
      spec->joint_bins = PREVIOUS_BINS;
    }
  }
  if (needs & GST_VIDEO_HEALTH_EVIDENCE_DIFFERENCE)
    work->tasks[work->n_tasks++] = &engine->comparing->parent;
  if (work->n_specs > 1 || measuring->cells || measuring->chroma
      || measuring->changes || measuring->parts)
    work->tasks[work->n_tasks++] = &measuring->parent;
}

static void
follow_size (GstVideoHealthEngine * engine, GstCaps * caps)
{
  GstVideoInfo info;

  gst_caps_replace (&engine->caps, caps);
  if (gst_video_info_from_caps (&info, caps)) {
    engine->width = GST_VIDEO_INFO_WIDTH (&info);
    engine->height = GST_VIDEO_INFO_HEIGHT (&info);
    engine->alternates = GST_VIDEO_INFO_INTERLACE_MODE (&info) ==
        GST_VIDEO_INTERLACE_MODE_ALTERNATE;
  }
}

/* Sets how frames are measured, by the luma that is counted. */
static void
set_tables (GstVideoHealthEngine * engine)
{
  const GstVideoHistogramEngine *counting = engine->counting;
  const VhLayout *layout = &counting->processor.layout;
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (&layout->info),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (&layout->info),
  };
  GstVideoHistogramInfo info;

  vh_spec_describe (&counting->specs[0], layout, &picture, &info);
  vh_health_scale_set (&engine->scale, &info);
  vh_health_find_steps (&engine->scale, engine->steps);
  engine->measuring->steps = engine->steps;
  engine->measuring->luminance = engine->scale.luminance;
}

/* Whether nobody else has used the counting engine since it was configured. */
static gboolean
is_configured (GstVideoHealthEngine * engine, GError ** error)
{
  if (!engine->caps) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine has no caps: "
        "gst_video_health_engine_configure() must succeed first");
    return FALSE;
  }
  if (engine->counting->owner != engine) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The engine that counts was "
        "closed, or configured for something else: "
        "gst_video_health_engine_configure() must succeed again");
    return FALSE;
  }
  return TRUE;
}

/* Configures the engine again if the chosen conditions have changed. */
static gboolean
follow_conditions (GstVideoHealthEngine * engine, GstCaps * caps,
    GError ** error)
{
  const GstVideoHealthEvidence needs = get_needs (engine->health);
  const gboolean ignores = vh_health_ignores_cells (engine->health);
  VhEngineWork work;

  if (engine->caps == caps && engine->needs == needs
      && engine->ignores_cells == ignores)
    return TRUE;
  engine->needs = needs;
  engine->ignores_cells = ignores;
  choose_work (engine, needs, &work);
  engine->n_specs = work.n_specs;
  if (vh_engine_configure (engine->counting, caps, &work, error)) {
    follow_size (engine, caps);
    if (work.n_specs > 0)
      set_tables (engine);
    return TRUE;
  }
  gst_caps_replace (&engine->caps, NULL);
  return FALSE;
}

/**
 * gst_video_health_engine_configure:
 * @engine: a #GstVideoHealthEngine; its #GstVideoHistogramEngine must be open
 * @caps: fixed caps of raw video, in a format of
 *     gst_video_histogram_engine_get_caps()
 * @error: return location for a #GError, or %NULL
 *
 * Prepares for frames with @caps, which do not continue the previous frames.
 * Call it again at any time, and whenever the #GstVideoHistogramEngine was
 * opened again or configured for something else. It is not needed when the
 * selection of conditions changes.
 *
 * The error is %GST_VIDEO_HISTOGRAM_ERROR_FORMAT if the format cannot be
 * counted, or %GST_VIDEO_HISTOGRAM_ERROR_SPEC if the #GstVideoHistogramEngine
 * is closed, even if the selected conditions need no counts. Then no frames can
 * be submitted.
 *
 * Returns: %TRUE if the engine is ready for frames, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_health_engine_configure (GstVideoHealthEngine * engine,
    GstCaps * caps, GError ** error)
{
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH_ENGINE (engine), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);

  gst_video_health_engine_restart (engine);
  gst_caps_replace (&engine->caps, NULL);
  return follow_conditions (engine, caps, error);
}

static gboolean
is_pending (const VhEngineResult * result)
{
  return (result->histogram
      && gst_video_histogram_get_state (result->histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_PENDING)
      || (result->joint && gst_video_joint_histogram_get_state (result->joint)
      == GST_VIDEO_HISTOGRAM_STATE_PENDING);
}

static GstClockTime
time_left (gint64 end)
{
  const gint64 now = g_get_monotonic_time ();

  return end < 0 ? GST_CLOCK_TIME_NONE : end > now ?
      (end - now) * GST_USECOND : 0;
}

/* @counts may be NULL. */
static gboolean
await (VhCounts * counts, gint64 end)
{
  if (!counts)
    return TRUE;
  if (end != 0)
    vh_counts_wait (counts, time_left (end));
  return vh_counts_poll (counts) != VH_COUNTS_PENDING;
}

/* Waits until the frame is counted, at most until @end in us of the monotonic
 * clock; -1: without limit. Returns whether it is counted. */
static gboolean
await_counts (GstVideoHealthEngine * engine, gint64 end)
{
  guint i;

  for (i = 0; i < engine->n_specs; i++) {
    const VhEngineResult *result = &engine->results[i];

    if (!is_pending (result))
      continue;
    if (end != 0) {
      if (result->histogram)
        gst_video_histogram_wait (result->histogram, time_left (end));
      if (result->joint)
        gst_video_joint_histogram_wait (result->joint, time_left (end));
    }
    if (is_pending (result))
      return FALSE;
  }
  return await (engine->difference.counts, end)
      && await (engine->zones.counts, end);
}

static gboolean
is_complete (VhCounts * counts)
{
  return counts && vh_counts_poll (counts) == VH_COUNTS_COMPLETE;
}

/* A meta may have one histogram for several specs, which is added only once. */
static void
add_histogram (GstVideoHealthEngine * engine, guint n)
{
  GstVideoHistogram *histogram = engine->results[n].histogram;
  guint i;

  if (!histogram || gst_video_histogram_get_state (histogram) !=
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE)
    return;
  for (i = 0; i < n; i++) {
    if (engine->results[i].histogram == histogram)
      return;
  }
  gst_video_health_add_histogram (engine->health, histogram);
}

static void
add_joint (GstVideoHealthEngine * engine, const VhEngineResult * result)
{
  if (result->joint && (!result->histogram || result->joint !=
          gst_video_histogram_get_joint (result->histogram)))
    gst_video_health_add_joint (engine->health,
        gst_video_joint_histogram_get_kind (result->joint), result->joint);
}

static void
add_difference (GstVideoHealthEngine * engine)
{
  const VhFrameDifference *difference = &engine->difference;

  if (is_complete (difference->counts)) {
    gst_video_health_add_difference (engine->health,
        (gdouble) vh_difference_get_sum (difference->counts) /
        difference->n / (1u << difference->depth));
  }
}

/* Neighbouring fields differ, because they have different rows. So only fields
 * of one parity are compared with each other; the others get the difference of
 * the field before them. */
static gboolean
is_other_field (GstVideoHealthEngine * engine)
{
  if (engine->compared == FIELD_NONE || engine->field == engine->compared)
    engine->n_others = 0;
  else
    engine->n_others++;
  if (engine->n_others >= MAX_OTHERS)
    engine->n_others = 0;
  return engine->n_others > 0;
}

/* Counts that failed add nothing. Measurements only add what histograms did not
 * provide. */
static void
judge (GstVideoHealthEngine * engine)
{
  const gboolean other = is_other_field (engine);
  guint i;

  for (i = 0; i < engine->n_specs; i++) {
    add_histogram (engine, i);
    add_joint (engine, &engine->results[i]);
  }
  if (is_complete (engine->zones.counts)) {
    vh_health_add_zones (engine->health, &engine->scale, &engine->zones,
        engine->needs);
  }
  if (other)
    vh_health_repeat_difference (engine->health);
  else
    add_difference (engine);
  gst_video_health_judge (engine->health, engine->time, engine->real_time);
  if (!other && gst_video_health_wants_frame (engine->health)) {
    vh_comparing_keep (engine->comparing);
    engine->compared = engine->field;
  }
  drop_frame (engine);
}

static gboolean
has_failed (const VhEngineResult * result)
{
  return (result->histogram
      && gst_video_histogram_get_state (result->histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_FAILED)
      || (result->joint && gst_video_joint_histogram_get_state (result->joint)
      == GST_VIDEO_HISTOGRAM_STATE_FAILED);
}

static gboolean
have_failed (VhCounts * counts)
{
  return counts && vh_counts_poll (counts) == VH_COUNTS_FAILED;
}

/* Whether any measurement of the frame was lost, for example because a GPU was
 * lost. */
static gboolean
is_incomplete (GstVideoHealthEngine * engine)
{
  guint i;

  for (i = 0; i < engine->n_specs; i++) {
    if (has_failed (&engine->results[i]))
      return TRUE;
  }
  return have_failed (engine->difference.counts)
      || have_failed (engine->zones.counts);
}

/**
 * gst_video_health_engine_finish:
 * @engine: a #GstVideoHealthEngine
 * @timeout: longest time to wait in ns, 0 to not wait, or %GST_CLOCK_TIME_NONE
 *     to wait as long as a working device may take
 *
 * Judges the frame that was submitted last, as soon as it is counted. A frame
 * that is counted on the CPU is judged when it is submitted.
 *
 * Returns: %TRUE if no frame is left to judge
 *
 * Since: 0.2
 */
gboolean
gst_video_health_engine_finish (GstVideoHealthEngine * engine,
    GstClockTime timeout)
{
  gint64 end = -1;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH_ENGINE (engine), FALSE);

  if (!engine->in_flight)
    return TRUE;
  if (timeout == 0)
    end = 0;
  else if (GST_CLOCK_TIME_IS_VALID (timeout))
    end = g_get_monotonic_time () + timeout / GST_USECOND;
  if (!await_counts (engine, end))
    return FALSE;
  engine->n_failed += is_incomplete (engine);
  judge (engine);
  return TRUE;
}

/**
 * gst_video_health_engine_get_n_failed:
 * @engine: a #GstVideoHealthEngine
 *
 * Returns how many submitted frames could later not be counted, or not
 * completely, for example because a GPU was lost. They were judged without the
 * missing measurements.
 *
 * Returns: the number of frames since @engine was created
 *
 * Since: 0.2
 */
guint64
gst_video_health_engine_get_n_failed (GstVideoHealthEngine * engine)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH_ENGINE (engine), 0);

  return engine->n_failed;
}

/* Sets what is compared with the kept frame. */
static void
follow_comparing (GstVideoHealthEngine * engine)
{
  VhRect rects[VH_HEALTH_MAX_IGNORED];
  const guint n = vh_health_find_not_compared (engine->health, engine->width,
      engine->height, rects);

  vh_comparing_set_ignored (engine->comparing, rects, n);
}

/**
 * gst_video_health_engine_submit:
 * @engine: a #GstVideoHealthEngine
 * @buffer: a frame with the configured caps
 * @time: time of the frame in ns, as for gst_video_health_judge()
 * @real_time: when the frame was captured, in ns since 1970 UTC, as for
 *     gst_video_health_judge()
 * @error: return location for a #GError, or %NULL
 *
 * Counts a frame or starts counting it. It is judged when it is counted: now,
 * in gst_video_health_engine_finish() or before the next frame is submitted.
 * Counts that a #GstVideoHistogramMeta of @buffer has are not counted again.
 * The frame is only read.
 *
 * A frame that cannot be counted is judged as a frame without measurements,
 * unless the engine is not configured or the previous frame is not counted yet.
 * The error is %GST_VIDEO_HISTOGRAM_ERROR_FRAME if @buffer does not hold a
 * frame with the configured caps, %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @engine
 * is not configured or its #GstVideoHistogramEngine was closed or configured
 * for something else, %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, also if the previous
 * frame is not counted yet, or %GST_VIDEO_HISTOGRAM_ERROR_DEVICE.
 *
 * Returns: %TRUE if the frame was or will be counted, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_health_engine_submit (GstVideoHealthEngine * engine,
    GstBuffer * buffer, GstClockTime time, GstClockTime real_time,
    GError ** error)
{
  gboolean submitted;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HEALTH_ENGINE (engine), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);

  if (!is_configured (engine, error))
    return FALSE;
  if (!gst_video_health_engine_finish (engine, 0)) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "the previous frame is "
        "still being counted");
    return FALSE;
  }
  follow_comparing (engine);
  submitted = follow_conditions (engine, engine->caps, error)
      && (engine->n_specs == 0 || vh_engine_submit (engine->counting, buffer,
          NULL, VH_ENGINE_METAS_USE, engine->results, error));
  vh_comparing_take (engine->comparing, &engine->difference);
  vh_measuring_take (engine->measuring, &engine->zones);
  engine->time = time;
  engine->real_time = real_time;
  engine->field = !engine->alternates ? FIELD_NONE :
      GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer) ? FIELD_BOTTOM : FIELD_TOP;
  engine->in_flight = submitted;
  if (submitted)
    gst_video_health_engine_finish (engine, 0);
  else
    gst_video_health_judge (engine->health, time, real_time);
  return submitted;
}

/**
 * gst_video_health_engine_restart:
 * @engine: a #GstVideoHealthEngine
 *
 * Reports that the next frame does not continue the previous ones. A frame
 * that is being counted is not judged, the next frame is not compared with
 * another, and gst_video_health_restart() is called.
 *
 * Since: 0.2
 */
void
gst_video_health_engine_restart (GstVideoHealthEngine * engine)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_HEALTH_ENGINE (engine));

  drop_frame (engine);
  engine->compared = FIELD_NONE;
  if (engine->counting->owner == engine)
    vh_engine_forget_last (engine->counting);
  gst_video_health_restart (engine->health);
}
